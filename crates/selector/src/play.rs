//! A match whose rules are a Rust function: [`Play`].

use intermezzo_engine::{InputId, Rejection};
use intermezzo_ruleset::Seat;

use crate::flaw::{Flaw, Misfit, MisfitReason, Stop, Trouble};
use crate::record::Record;
use crate::refusal::Refusal;
use crate::response::Response;
use crate::table::{Open, Table};

/// A match whose rules are a function that changes a state `S` and asks through a [`Table`].
///
/// After every response the function is run again from the start with all
/// responses so far. So it must do the same whenever it gets the same: no
/// clock, no chance but the table's, nothing remembered outside the state.
#[derive(Clone, Debug)]
pub struct Play<S, L> {
    logic: L,
    initial: S,
    record: Record,
    run: Run<S>,
}

/// How far the function got.
#[derive(Clone, Debug)]
struct Run<S> {
    state: S,
    open: Vec<Open>,
    /// How many questions were asked, before the open ones and with them.
    asked: (u32, u32),
}

impl<S, L> Play<S, L>
where
    S: Clone,
    L: Fn(&mut S, &mut Table<'_>) -> Result<(), Stop>,
{
    /// Runs a match to where its record ends: a new one, or one that was kept.
    ///
    /// # Errors
    ///
    /// If the function makes a mistake, or the record is not one of its.
    pub fn run(record: Record, initial: S, logic: L) -> Result<Play<S, L>, Trouble> {
        check_names(record.players())?;
        let run = run(&record, &initial, &logic)?;
        Ok(Play { logic, initial, record, run })
    }

    /// Takes a response to an open question and goes on as far as possible.
    ///
    /// # Errors
    ///
    /// If the response does not count, or the match cannot go on from there. Then everything stays as it is.
    pub fn answer(&mut self, seat: Seat, input: InputId, response: &Response) -> Result<(), Refusal> {
        let accepted = self.find(seat, input)?.accept(response)?;
        let record = self.record.with(input, accepted.response);
        self.run = run(&record, &self.initial, &self.logic).map_err(Refusal::Failed)?;
        self.record = record;
        Ok(())
    }

    /// Takes a response that does not say which question it answers: the one its sender is asked.
    ///
    /// # Errors
    ///
    /// If the sender is not asked, and as [`Play::answer`].
    pub fn respond(&mut self, seat: Seat, response: &Response) -> Result<(), Refusal> {
        self.check_seat(seat)?;
        let mine = self.run.open.iter().find(|open| open.seat == seat).map(|open| open.input);
        let input = mine.ok_or_else(|| self.why_not_asked(seat))?;
        self.answer(seat, input, response)
    }
}

impl<S, L> Play<S, L> {
    /// The state as far as the responses go.
    #[must_use]
    pub fn state(&self) -> &S {
        &self.run.state
    }

    /// What waits for a response, by seat.
    #[must_use]
    pub fn open(&self) -> &[Open] {
        &self.run.open
    }

    /// Whether the function has come to its end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.run.open.is_empty()
    }

    /// Everything needed to run the match again.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    fn check_seat(&self, seat: Seat) -> Result<(), Rejection> {
        if self.is_over() {
            return Err(Rejection::MatchOver);
        }
        match usize::from(seat.0) < self.record.players().len() {
            true => Ok(()),
            false => Err(Rejection::NoSuchSeat { seat }),
        }
    }

    fn find(&self, seat: Seat, input: InputId) -> Result<&Open, Rejection> {
        self.check_seat(seat)?;
        if input.0 == 0 || input.0 > self.run.asked.1 {
            return Err(Rejection::NoSuchInput { input });
        }
        let open = self.run.open.iter().find(|open| open.input == input);
        let open = open.ok_or(Rejection::InputClosed { input })?;
        match open.seat == seat {
            true => Ok(open),
            false => Err(Rejection::NotYourInput { asked: open.seat }),
        }
    }

    /// Why a seat that is not asked is refused: it has answered already, or others are asked.
    fn why_not_asked(&self, seat: Seat) -> Rejection {
        let name = &self.record.players()[usize::from(seat.0)];
        let answered = self.record.responses().iter().filter(|entry| entry.input().0 > self.run.asked.0);
        let mut mine = answered.filter(|entry| entry.response().actor.as_ref() == Some(name));
        match mine.next() {
            Some(entry) => Rejection::InputClosed { input: entry.input() },
            None => Rejection::NotYourInput { asked: self.run.open[0].seat },
        }
    }
}

fn run<S: Clone>(
    record: &Record,
    initial: &S,
    logic: &impl Fn(&mut S, &mut Table<'_>) -> Result<(), Stop>,
) -> Result<Run<S>, Trouble> {
    let mut state = initial.clone();
    let mut table = Table::new(record);
    let returned = logic(&mut state, &mut table);
    // What the table says counts more than what the function made of it.
    match table.stop().cloned().or(returned.err()) {
        Some(Stop::Flawed(flaw)) => return Err(Trouble::Flawed(flaw)),
        Some(Stop::Misfit(misfit)) => return Err(Trouble::Misfit(misfit)),
        Some(Stop::Waiting) | None => {}
    }
    if let Some(place) = table.left_over() {
        return Err(Trouble::Misfit(Misfit { place, reason: MisfitReason::LeftOver }));
    }
    Ok(Run { state, open: table.open().to_vec(), asked: table.asked() })
}

fn check_names(players: &[String]) -> Result<(), Trouble> {
    let mut places = players.iter().enumerate();
    match places.find(|(place, name)| players[..*place].contains(name)) {
        Some((_, name)) => Err(Trouble::Flawed(Flaw::SameName { actor: name.clone() })),
        None => Ok(()),
    }
}
