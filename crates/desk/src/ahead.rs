//! Answers sent ahead: each is used when its seat is asked next, if it is still good; else all of them are forgotten.

use std::collections::VecDeque;

use intermezzo_engine::{Datum, Input, InputId, Rejection, Viewer};
use intermezzo_ruleset::Seat;

use crate::desk::{Desk, News};
use crate::refusal::DeskRefusal;

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
pub(crate) struct Queues(Vec<VecDeque<Ahead>>);

impl Queues {
    pub(crate) fn new(seats: u8) -> Queues {
        Queues(vec![VecDeque::new(); usize::from(seats)])
    }

    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(VecDeque::clear);
    }
}

impl Desk {
    /// Keeps answers for the next questions of a seat, in place of what it sent ahead before; those that fit are used
    /// at once.
    ///
    /// # Errors
    ///
    /// If there is no such seat, or more is sent than a desk keeps.
    pub fn send_ahead(&mut self, seat: Seat, answers: Vec<Ahead>) -> Result<(), DeskRefusal> {
        if answers.len() > MAX_AHEAD {
            return Err(DeskRefusal::TooFarAhead);
        }
        let Some(queue) = self.ahead.0.get_mut(usize::from(seat.0)) else {
            return Err(Rejection::NoSuchSeat { seat }.into());
        };
        *queue = answers.into();
        self.use_ahead();
        Ok(())
    }

    /// How many answers a seat has sent ahead that were not used yet.
    #[must_use]
    pub fn ahead_of(&self, seat: Seat) -> usize {
        self.ahead.0.get(usize::from(seat.0)).map_or(0, VecDeque::len)
    }

    /// Uses the next answer of some seat that is asked and has sent one; each use may lead to the next.
    pub(crate) fn use_ahead(&mut self) {
        let asked = |desk: &Desk| {
            let mut open = desk.playing().pending();
            let next = open.find(|pending| desk.ahead_of(pending.seat()) > 0);
            next.map(|pending| (pending.seat(), pending.id(), pending.choice().name.clone()))
        };
        if let Some((seat, input, name)) = asked(self) {
            let next = self.ahead.0[usize::from(seat.0)].pop_front();
            let is_meant = |next: &Ahead| next.question.as_ref().is_none_or(|question| *question == name);
            let is_used = next.filter(is_meant).is_some_and(|next| self.use_one(seat, input, &next.answer));
            if !is_used {
                self.ahead.0[usize::from(seat.0)].clear();
                self.tell(Viewer::Seat(seat), News::AheadForgotten);
                self.use_ahead();
            }
        }
    }

    /// Whether the answer was good. What follows from it is taken up there.
    fn use_one(&mut self, seat: Seat, input: InputId, answer: &Datum) -> bool {
        let (witness, playing) = self.recorder.witness();
        let read = witness.read_answer(playing, seat, input, answer);
        read.is_ok_and(|answer| self.submit(&Input::Answer { input, seat, answer }).is_ok())
    }
}
