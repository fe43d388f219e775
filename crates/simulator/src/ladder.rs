//! Which bot is stronger: matches of two kinds of bots, and how sure one can be of what they show.

use std::sync::Arc;

use intermezzo_bots::{Bot, BotKind};
use intermezzo_engine::{Datum, Input, Log, Match, Text};
use intermezzo_ruleset::Seat;

use crate::play::setup;
use crate::report::share;
use crate::subjects::Subject;

/// A match that has not ended after so many inputs counts as drawn.
const MAX_INPUTS: u32 = 20_000;

/// How matches between two bots ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rung {
    /// Won by the first.
    pub won: u32,
    /// Won by the second.
    pub lost: u32,
    /// Won by neither, or not ended.
    pub drawn: u32,
    /// Questions that were answered.
    pub answers: u64,
}

impl Rung {
    /// The part of the decided matches that the first has won lies between these, in thousandths, with 95 % confidence
    /// (Wilson, 1927).
    #[must_use]
    pub fn interval(&self) -> (u32, u32) {
        let share = share(u64::from(self.won), u64::from(self.won + self.lost));
        let thousandths = |value: f64| (value * 1000.0).round() as u32;
        (thousandths(share.low), thousandths(share.high))
    }

    /// Whether the first is stronger, with 95 % confidence.
    #[must_use]
    pub fn is_stronger(&self) -> bool {
        self.interval().0 > 500
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Rung) -> Rung {
        Rung {
            won: self.won + other.won,
            lost: self.lost + other.lost,
            drawn: self.drawn + other.drawn,
            answers: self.answers + other.answers,
        }
    }
}

/// Plays one match of two bots: with an even number the first bot has the first seat, with an odd one the second, and
/// each pair of numbers has the same chance. Further seats are the second bot's.
///
/// # Panics
///
/// If the match cannot begin or a bot gives an answer that is refused.
#[must_use]
pub fn duel(
    subject: &Subject,
    options: &[(Text, Datum)],
    first: BotKind,
    second: BotKind,
    number: u64,
    is_time_up: &mut dyn FnMut(u32) -> bool,
) -> Rung {
    let setup = setup(&subject.program, number / 2, options);
    let mut game = Match::start(Arc::clone(&subject.program), &setup, &mut Log::discard())
        .unwrap_or_else(|error| panic!("{} does not begin: {error}", subject.name));
    let hero = Seat((number % u64::from(setup.seats)) as u8);
    let mut bots: Vec<Bot> = (0..setup.seats)
        .map(|seat| {
            let kind = if Seat(seat) == hero { first } else { second };
            Bot::new(kind, number * 31 + u64::from(seat))
        })
        .collect();
    let mut rung = Rung::default();
    for _ in 0..MAX_INPUTS {
        let Some((input, seat)) = game.pending().next().map(|asked| (asked.id(), asked.seat())) else {
            break;
        };
        let answer = bots[usize::from(seat.0)].answer(&game, input, is_time_up);
        let answer = answer.unwrap_or_else(|| panic!("{}: no answer, match {number}", subject.name));
        let sent = Input::Answer { input, seat, answer };
        game.submit(&sent, &mut Log::discard())
            .unwrap_or_else(|refusal| panic!("{}: {sent:?}: {refusal}, match {number}", subject.name));
        rung.answers += 1;
    }
    let ending = game.ending();
    let has_won = |seat: Seat| ending.as_ref().is_some_and(|ending| ending.winners.contains(&seat));
    let others = (0..setup.seats).map(Seat).filter(|seat| *seat != hero);
    match (has_won(hero), others.into_iter().any(has_won)) {
        (true, false) => rung.won = 1,
        (false, true) => rung.lost = 1,
        _ => rung.drawn = 1,
    }
    rung
}
