//! Strength comparison of two bots, with confidence intervals.

use std::sync::Arc;

use intermezzo_bots::{Bot, BotKind};
use intermezzo_engine::{Datum, EventLog, Input, Match, ShortText};
use intermezzo_program::Seat;

use crate::fixtures::Fixture;
use crate::play::setup;
use crate::report::share;

/// Number of inputs after which a match counts as drawn.
const MAX_INPUTS: u32 = 20_000;

/// Results of matches between two bots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LadderResult {
    /// Matches won by the first bot.
    pub won: u32,
    /// Matches won by the second bot.
    pub lost: u32,
    /// Matches won by neither, or unfinished.
    pub drawn: u32,
    /// Number of answers.
    pub answers: u64,
}

impl LadderResult {
    /// Returns the 95 % confidence interval of the first bot's share of the decided matches, in thousandths
    /// (Wilson, 1927).
    #[must_use]
    pub fn interval(&self) -> (u32, u32) {
        let share = share(u64::from(self.won), u64::from(self.won + self.lost));
        let thousandths = |value: f64| (value * 1000.0).round() as u32;
        (thousandths(share.low), thousandths(share.high))
    }

    /// Returns true if the first bot is stronger, with 95 % confidence.
    #[must_use]
    pub fn is_stronger(&self) -> bool {
        self.interval().0 > 500
    }

    /// Adds two results.
    #[must_use]
    pub fn and(self, other: LadderResult) -> LadderResult {
        LadderResult {
            won: self.won + other.won,
            lost: self.lost + other.lost,
            drawn: self.drawn + other.drawn,
            answers: self.answers + other.answers,
        }
    }
}

/// Plays one match of two bots. The first bot changes seats from match to match, and each pair of match numbers has
/// the same seed. The second bot plays all other seats.
///
/// # Panics
///
/// Panics if the match cannot start or an answer of a bot is refused.
#[must_use]
pub fn duel(
    fixture: &Fixture,
    options: &[(ShortText, Datum)],
    first: BotKind,
    second: BotKind,
    number: u64,
    is_time_up: &mut dyn FnMut(u32) -> bool,
) -> LadderResult {
    let setup = setup(&fixture.program, number / 2, options);
    let mut game = Match::start(Arc::clone(&fixture.program), &setup, &mut EventLog::discard())
        .unwrap_or_else(|error| panic!("{} does not start: {error}", fixture.name));
    let hero = Seat((number % u64::from(setup.seats)) as u8);
    let mut bots: Vec<Bot> = (0..setup.seats)
        .map(|seat| {
            let kind = if Seat(seat) == hero { first } else { second };
            Bot::new(kind, number * 31 + u64::from(seat))
        })
        .collect();
    let mut result = LadderResult::default();
    for _ in 0..MAX_INPUTS {
        let Some((input, seat)) = game.pending().next().map(|asked| (asked.id(), asked.seat())) else {
            break;
        };
        let answer = bots[usize::from(seat.0)].answer(&game, input, is_time_up);
        let answer = answer.unwrap_or_else(|| panic!("{}: no answer, match {number}", fixture.name));
        let sent = Input::Answer { input, seat, answer };
        game.submit(&sent, &mut EventLog::discard())
            .unwrap_or_else(|refusal| panic!("{}: {sent:?}: {refusal}, match {number}", fixture.name));
        result.answers += 1;
    }
    let ending = game.ending();
    let has_won = |seat: Seat| ending.as_ref().is_some_and(|ending| ending.winners.contains(&seat));
    let others = (0..setup.seats).map(Seat).filter(|seat| *seat != hero);
    match (has_won(hero), others.into_iter().any(has_won)) {
        (true, false) => result.won = 1,
        (false, true) => result.lost = 1,
        _ => result.drawn = 1,
    }
    result
}
