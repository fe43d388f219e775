//! Answers sent ahead: each is used when its seat is asked next, if it is still good; else all of them are forgotten.

use std::collections::VecDeque;

use intermezzo_engine::{Datum, Input, InputId, Viewer};
use intermezzo_ruleset::Seat;

use crate::fold::Fold;
use crate::refusal::DeskRefusal;
use crate::running::Run;
use crate::shown::Notice;

/// A seat sends at most so many answers ahead.
pub const MAX_AHEAD: usize = 64;

/// An answer to a question that may come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ahead {
    /// The name of the question it is meant for; any, if there is none.
    pub question: Option<String>,
    /// The answer, as a seat writes it.
    pub answer: Datum,
}

/// By seat: what was sent ahead.
#[derive(Clone, Debug)]
pub(crate) struct Queues(pub(crate) Vec<VecDeque<Ahead>>);

impl Queues {
    pub(crate) fn new(seats: u8) -> Queues {
        Queues(vec![VecDeque::new(); usize::from(seats)])
    }

    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(VecDeque::clear);
    }

    /// How many a seat has sent that were not used yet.
    pub(crate) fn of(&self, seat: Seat) -> usize {
        self.0.get(usize::from(seat.0)).map_or(0, VecDeque::len)
    }

    pub(crate) fn compact(&mut self) {
        self.0.iter_mut().for_each(VecDeque::shrink_to_fit);
    }
}

impl<R: Run> Fold<R> {
    /// Keeps answers for the next questions of a seat, in place of what it sent ahead before; those that fit are used
    /// at once.
    pub(crate) fn send_ahead(&mut self, seat: Seat, answers: &[Ahead]) -> Result<(), DeskRefusal> {
        if answers.len() > MAX_AHEAD {
            return Err(DeskRefusal::TooFarAhead);
        }
        self.check_seat(seat)?;
        self.ahead.0[usize::from(seat.0)] = answers.iter().cloned().collect();
        self.use_ahead();
        Ok(())
    }

    /// Uses the next answer of some seat that is asked and has sent one; each use may lead to the next.
    pub(crate) fn use_ahead(&mut self) {
        while let Some((seat, input, name)) = self.next_ahead() {
            let next = self.ahead.0[usize::from(seat.0)].pop_front();
            let is_meant = |next: &Ahead| next.question.as_ref().is_none_or(|question| *question == name);
            let is_used = next.filter(is_meant).is_some_and(|next| self.use_one(seat, input, &next.answer));
            if !is_used {
                self.ahead.0[usize::from(seat.0)].clear();
                self.tell(seat, Notice::AheadForgotten);
            }
        }
    }

    /// A seat that is asked and has sent an answer, with the question and its name.
    fn next_ahead(&self) -> Option<(Seat, InputId, String)> {
        if self.ahead.0.iter().all(VecDeque::is_empty) {
            return None;
        }
        let next = self.playing().pending().find(|pending| self.ahead.of(pending.seat()) > 0)?;
        Some((next.seat(), next.id(), next.choice().name.clone()))
    }

    /// Whether the answer was good.
    fn use_one(&mut self, seat: Seat, input: InputId, answer: &Datum) -> bool {
        let (witness, playing) = self.run.witness();
        let read = witness
            .in_passing(Viewer::Seat(seat), |witness| witness.read_answer(playing, seat, input, answer));
        read.is_ok_and(|answer| self.enter(&Input::Answer { input, seat, answer }).is_ok())
    }
}
