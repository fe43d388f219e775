//! Matches whose rules are a Rust function: [`FunctionMatch`].

use intermezzo_engine::{InputId, Rejection};
use intermezzo_program::Seat;

use crate::errors::{LogicError, RecordMismatch, RecordMismatchReason, RunError, Suspension};
use crate::game_context::{GameContext, OpenRequest};
use crate::record::ResponseRecord;
use crate::response::Response;
use crate::response_error::ResponseError;

/// A match whose rules are a function that changes a state `S` and asks players through a [`GameContext`].
///
/// After every response, the function runs again from the start with all responses. So it must be
/// deterministic: no clock, no randomness except the context's, and no memory outside the state.
#[derive(Clone, Debug)]
pub struct FunctionMatch<S, L> {
    logic: L,
    initial: S,
    record: ResponseRecord,
    run: RunProgress<S>,
}

/// The progress of the function.
#[derive(Clone, Debug)]
struct RunProgress<S> {
    state: S,
    open: Vec<OpenRequest>,
    /// Number of questions asked, without and with the open ones.
    asked: (u32, u32),
}

impl<S, L> FunctionMatch<S, L>
where
    S: Clone,
    L: Fn(&mut S, &mut GameContext<'_>) -> Result<(), Suspension>,
{
    /// Runs a match to the end of its record: a new match, or a saved one.
    ///
    /// # Errors
    ///
    /// If the function makes a mistake, or the record belongs to another match.
    pub fn run(record: ResponseRecord, initial: S, logic: L) -> Result<FunctionMatch<S, L>, RunError> {
        check_names(record.players())?;
        let run = run(&record, &initial, &logic)?;
        Ok(FunctionMatch { logic, initial, record, run })
    }

    /// Answers an open request and runs on as far as possible.
    ///
    /// # Errors
    ///
    /// If the response is rejected, or the function fails after it. Then nothing changes.
    pub fn answer(&mut self, seat: Seat, input: InputId, response: &Response) -> Result<(), ResponseError> {
        let accepted = self.find(seat, input)?.accept(response)?;
        let record = self.record.with(input, accepted.response);
        self.run = run(&record, &self.initial, &self.logic).map_err(ResponseError::Failed)?;
        self.record = record;
        Ok(())
    }

    /// Answers the request that the sender is asked now, for clients that do not know input ids.
    ///
    /// # Errors
    ///
    /// If the sender is not asked, and as [`FunctionMatch::answer`].
    pub fn answer_current(&mut self, seat: Seat, response: &Response) -> Result<(), ResponseError> {
        self.check_seat(seat)?;
        let mine = self.run.open.iter().find(|open| open.seat == seat).map(|open| open.input);
        let input = mine.ok_or_else(|| self.not_asked_rejection(seat))?;
        self.answer(seat, input, response)
    }
}

impl<S, L> FunctionMatch<S, L> {
    /// Returns the state after all responses.
    #[must_use]
    pub fn state(&self) -> &S {
        &self.run.state
    }

    /// Returns the open requests, by seat.
    #[must_use]
    pub fn open_requests(&self) -> &[OpenRequest] {
        &self.run.open
    }

    /// Returns whether the function has finished.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.run.open.is_empty()
    }

    /// Returns everything needed to run the match again.
    #[must_use]
    pub fn record(&self) -> &ResponseRecord {
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

    fn find(&self, seat: Seat, input: InputId) -> Result<&OpenRequest, Rejection> {
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

    /// Returns the rejection for a seat that is not asked: it has answered already, or others are asked.
    fn not_asked_rejection(&self, seat: Seat) -> Rejection {
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
    record: &ResponseRecord,
    initial: &S,
    logic: &impl Fn(&mut S, &mut GameContext<'_>) -> Result<(), Suspension>,
) -> Result<RunProgress<S>, RunError> {
    let mut state = initial.clone();
    let mut context = GameContext::new(record);
    let returned = logic(&mut state, &mut context);
    // The context's reason takes precedence over the function's return value.
    match context.stop().cloned().or(returned.err()) {
        Some(Suspension::LogicError(error)) => return Err(RunError::LogicError(error)),
        Some(Suspension::RecordMismatch(mismatch)) => return Err(RunError::RecordMismatch(mismatch)),
        Some(Suspension::Waiting) | None => {}
    }
    if let Some(place) = context.first_unused() {
        return Err(RunError::RecordMismatch(RecordMismatch {
            index: place,
            reason: RecordMismatchReason::MatchOver,
        }));
    }
    Ok(RunProgress { state, open: context.open_requests().to_vec(), asked: context.asked_counts() })
}

fn check_names(players: &[String]) -> Result<(), RunError> {
    let mut places = players.iter().enumerate();
    match places.find(|(place, name)| players[..*place].contains(name)) {
        Some((_, name)) => Err(RunError::LogicError(LogicError::DuplicateName { actor: name.clone() })),
        None => Ok(()),
    }
}
