//! Pre-sent answers: each is used when its seat is asked next, if it is still valid; otherwise all of them are
//! discarded.

use std::collections::VecDeque;

use intermezzo_engine::{Datum, Input, InputId, Viewer};
use intermezzo_program::Seat;

use crate::fold::SessionFold;
use crate::refusal::SessionRefusal;
use crate::runner::MatchRunner;
use crate::viewer_updates::SessionNotice;

/// Maximum number of pre-sent answers per seat.
pub const MAX_PRE_SENT: usize = 64;

/// An answer to a question that has not been asked yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueuedAnswer {
    /// The name of the question it is for; any question, if `None`.
    pub question: Option<String>,
    /// The answer, as a seat writes it.
    pub answer: Datum,
    /// True if it comes from an old match file, in which a bare number could be the index of an option.
    pub(crate) is_recorded: bool,
}

impl QueuedAnswer {
    #[must_use]
    pub fn new(question: Option<String>, answer: Datum) -> QueuedAnswer {
        QueuedAnswer { question, answer, is_recorded: false }
    }
}

/// The pre-sent answers by seat.
#[derive(Clone, Debug)]
pub(crate) struct PreSentQueues(pub(crate) Vec<VecDeque<QueuedAnswer>>);

impl PreSentQueues {
    pub(crate) fn new(seats: u8) -> PreSentQueues {
        PreSentQueues(vec![VecDeque::new(); usize::from(seats)])
    }

    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(VecDeque::clear);
    }

    /// Returns the number of unused answers of a seat.
    pub(crate) fn count(&self, seat: Seat) -> usize {
        self.0.get(usize::from(seat.0)).map_or(0, VecDeque::len)
    }

    pub(crate) fn compact(&mut self) {
        self.0.iter_mut().for_each(VecDeque::shrink_to_fit);
    }
}

impl<R: MatchRunner> SessionFold<R> {
    /// Queues answers for the next questions of a seat, replacing its queue; those that fit are used at once.
    pub(crate) fn queue_pre_sent(
        &mut self,
        seat: Seat,
        answers: &[QueuedAnswer],
    ) -> Result<(), SessionRefusal> {
        if answers.len() > MAX_PRE_SENT {
            return Err(SessionRefusal::TooManyPreSent);
        }
        self.check_seat(seat)?;
        self.pre_sent.0[usize::from(seat.0)] = answers.iter().cloned().collect();
        self.use_pre_sent();
        Ok(())
    }

    /// Uses queued answers while a seat with a queue is asked; each use may open the next question.
    pub(crate) fn use_pre_sent(&mut self) {
        while let Some((seat, input, name)) = self.next_pre_sent() {
            let next = self.pre_sent.0[usize::from(seat.0)].pop_front();
            let is_meant =
                |next: &QueuedAnswer| next.question.as_ref().is_none_or(|question| *question == name);
            let is_used = next.filter(is_meant).is_some_and(|next| self.try_pre_sent(seat, input, &next));
            if !is_used {
                self.pre_sent.0[usize::from(seat.0)].clear();
                self.notify(seat, SessionNotice::PreSentDiscarded);
            }
        }
    }

    /// Returns a seat that is asked and has a queued answer, with the question and its name.
    fn next_pre_sent(&self) -> Option<(Seat, InputId, String)> {
        if self.pre_sent.0.iter().all(VecDeque::is_empty) {
            return None;
        }
        let next = self.game().pending().find(|pending| self.pre_sent.count(pending.seat()) > 0)?;
        Some((next.seat(), next.id(), next.choice().name.clone()))
    }

    /// Submits a queued answer; returns whether it was valid.
    fn try_pre_sent(&mut self, seat: Seat, input: InputId, queued: &QueuedAnswer) -> bool {
        let (observer, game) = self.runner.observer();
        let read = observer.without_naming(Viewer::Seat(seat), |observer| match queued.is_recorded {
            true => observer.read_recorded_answer(game, seat, input, &queued.answer),
            false => observer.read_answer(game, seat, input, &queued.answer),
        });
        read.is_ok_and(|answer| self.apply_input(&Input::Answer { input, seat, answer }).is_ok())
    }
}
