//! Test case: the setup of a match and the inputs that were sent. Shrinking removes parts of it and replays the rest.

use std::sync::Arc;

use intermezzo_engine::{
    EventLog, Input, Match, PendingQuestion, Refusal, RuleFault, Seed, Setup, StartError,
};
use intermezzo_program::{Program, Seat};

use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Number of partial paths to try before a path question counts as answerable.
const MAX_STEPS: usize = 2000;

/// Input that was sent. It identifies a question by its seat: the number changes when earlier inputs are removed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SentInput {
    pub(super) seat: Seat,
    pub(super) input: Input,
}

/// Setup of a match and the inputs that were sent.
#[derive(Clone, Debug)]
pub(super) struct TestCase {
    pub(super) setup: Setup,
    pub(super) seed: u64,
    pub(super) moves: Vec<SentInput>,
}

/// State of a match after all inputs.
pub(super) enum CaseEnd {
    /// A rule failed at the last input. True if only the item on the stack failed and play continued.
    Fault(RuleFault, bool),
    /// Nobody can answer this question or any other: no answer exists, or the seats have left.
    Stuck(String),
    Over,
    /// The match waits for an answer.
    Waiting(Box<Match>),
}

impl TestCase {
    /// Plays a random match until it fails, ends or reaches the limit of inputs.
    pub(super) fn play(
        program: &Arc<Program>,
        setup: Setup,
        seed: u64,
        mix: &InputMix,
    ) -> (TestCase, CaseEnd) {
        let mut case = TestCase { setup, seed, moves: Vec::new() };
        let mut state = match case.start(program) {
            Ok(state) => state,
            Err(end) => return (case, end),
        };
        let mut players = RandomPlay::new(seed, mix);
        for _ in 0..mix.max_inputs {
            if let Some(end) = end_of(&state) {
                return (case, end);
            }
            let Some(input) = players.next(&state) else { break };
            let sent = SentInput { seat: seat_of(&state, input), input: input.clone() };
            match submit(&mut state, &sent.input) {
                Ok(true) => case.moves.push(sent),
                Ok(false) => {}
                Err(end) => {
                    case.moves.push(sent);
                    return (case, end);
                }
            }
        }
        let end = end_of(&state).unwrap_or(CaseEnd::Waiting(Box::new(state)));
        (case, end)
    }

    /// Sends all inputs again that are still possible. Returns the inputs that were accepted, and the state after them.
    pub(super) fn replay(&self, program: &Arc<Program>) -> (TestCase, CaseEnd) {
        let mut again = TestCase { moves: Vec::new(), ..self.clone() };
        let mut state = match self.start(program) {
            Ok(state) => state,
            Err(end) => return (again, end),
        };
        for sent in &self.moves {
            if let Some(end) = end_of(&state) {
                return (again, end);
            }
            let Some(input) = retarget(&state, sent) else { continue };
            let sent = SentInput { seat: sent.seat, input };
            match submit(&mut state, &sent.input) {
                Ok(true) => again.moves.push(sent),
                Ok(false) => {}
                Err(end) => {
                    again.moves.push(sent);
                    return (again, end);
                }
            }
        }
        let end = end_of(&state).unwrap_or(CaseEnd::Waiting(Box::new(state)));
        (again, end)
    }

    fn start(&self, program: &Arc<Program>) -> Result<Match, CaseEnd> {
        match Match::start(Arc::clone(program), &self.setup, &mut EventLog::discard()) {
            Ok(state) => Ok(state),
            Err(StartError::Fault(fault)) => Err(CaseEnd::Fault(fault, false)),
            // The options or the number of seats are not allowed: no bug.
            Err(_) => Err(CaseEnd::Over),
        }
    }

    /// Returns the same case with another seed.
    pub(super) fn reseeded(&self, seed: u64) -> TestCase {
        let setup = Setup { seed: Seed::from_number(seed), ..self.setup.clone() };
        TestCase { setup, seed, moves: self.moves.clone() }
    }

    pub(super) fn inputs(&self) -> Vec<Input> {
        self.moves.iter().map(|sent| sent.input.clone()).collect()
    }
}

/// Submits an input. Returns true if it was accepted, or the end if a rule failed.
fn submit(state: &mut Match, input: &Input) -> Result<bool, CaseEnd> {
    match state.submit(input, &mut EventLog::discard()) {
        Ok(()) => state.failures().first().map_or(Ok(true), |fault| Err(CaseEnd::Fault(fault.clone(), true))),
        Err(Refusal::Rejected(_)) => Ok(false),
        Err(Refusal::Faulted(fault)) => Err(CaseEnd::Fault(fault, false)),
    }
}

/// Returns the end if the match cannot continue.
fn end_of(state: &Match) -> Option<CaseEnd> {
    if state.is_over() {
        return Some(CaseEnd::Over);
    }
    let mut open = state.pending();
    // Seats that have left never answer; a deadline answers for them.
    let is_there = |pending: &PendingQuestion<'_>| {
        !state.board().has_left(pending.seat()) || pending.deadline_ms().is_some()
    };
    if open.any(|pending| is_there(&pending) && can_be_answered(&pending)) {
        return None;
    }
    let question =
        state.pending().next().map_or("nothing", |pending| pending.choice().name.as_str()).to_owned();
    Some(CaseEnd::Stuck(question))
}

fn can_be_answered(pending: &PendingQuestion<'_>) -> bool {
    if pending.choice().pass || pending.deadline_ms().is_some() {
        return true;
    }
    match pending.start_path() {
        None => pending.answer_count() > 0,
        Some(mut walk) => {
            // Depth-first search: for each step taken, the option to try next.
            let mut tried = vec![0];
            for _ in 0..MAX_STEPS {
                let Some(pick) = tried.last_mut() else { return false };
                if walk.is_long_enough() {
                    return true;
                }
                *pick += 1;
                let options = walk.options().map_or(0, <[_]>::len);
                let is_left = (*pick as usize) <= options;
                if is_left && walk.step(*pick - 1).is_ok() {
                    tried.push(0);
                } else if !is_left {
                    tried.pop();
                    walk.step_back();
                }
            }
            true
        }
    }
}

/// Returns the seat whose question an input is about.
fn seat_of(state: &Match, input: &Input) -> Seat {
    match input {
        Input::Answer { seat, .. } | Input::Draft { seat, .. } => *seat,
        Input::Leave { seat, .. } | Input::AutoPass { seat, .. } => *seat,
        Input::Timeout { input } => {
            state.pending().find(|pending| pending.id() == *input).map_or(Seat(0), |pending| pending.seat())
        }
        Input::Moderate { .. } => Seat(0),
    }
}

/// Redirects an input to the current question of its seat; `None` if it does not fit.
fn retarget(state: &Match, sent: &SentInput) -> Option<Input> {
    let open = || state.pending().find(|pending| pending.seat() == sent.seat);
    match &sent.input {
        Input::Answer { answer, .. } => {
            let pending = open().filter(|pending| pending.check(answer).is_ok())?;
            Some(Input::Answer { input: pending.id(), seat: sent.seat, answer: answer.clone() })
        }
        Input::Draft { answer, .. } => {
            let pending = open().filter(|pending| pending.choice().draft.is_some())?;
            Some(Input::Draft { input: pending.id(), seat: sent.seat, answer: answer.clone() })
        }
        Input::Timeout { .. } => open()
            .filter(|pending| pending.deadline_ms().is_some())
            .map(|pending| Input::Timeout { input: pending.id() }),
        other => Some(other.clone()),
    }
}
