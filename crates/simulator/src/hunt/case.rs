//! One match that went wrong: what it began with and what was sent. Parts of it can be left out and it can be tried
//! whether it still goes wrong.

use std::sync::Arc;

use intermezzo_engine::{Fault, Input, Log, Match, Pending, Refusal, Seed, Setup, StartError};
use intermezzo_ruleset::{Program, Seat};

use crate::habits::Habits;
use crate::random_play::RandomPlay;

/// So many beginnings of a path are looked at before it counts as one that leads somewhere.
const MAX_STEPS: usize = 2000;

/// What was sent. Of a question only the seat counts: its number changes when something before it is left out.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Move {
    pub(super) seat: Seat,
    pub(super) input: Input,
}

/// What a match began with and what was sent.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) setup: Setup,
    pub(super) seed: u64,
    pub(super) moves: Vec<Move>,
}

/// How a match stands after everything was sent.
pub(super) enum End {
    /// A rule failed, maybe alone on the stack; what set it off is the last move.
    Fault(Fault, bool),
    /// Nobody can answer this question, nor any other: there is no answer, or they have left.
    Stuck(String),
    /// It is over.
    Over,
    /// It goes on.
    Waiting(Box<Match>),
}

impl Case {
    /// Plays a random match until something goes wrong.
    pub(super) fn play(program: &Arc<Program>, setup: Setup, seed: u64, habits: &Habits) -> (Case, End) {
        let mut case = Case { setup, seed, moves: Vec::new() };
        let mut state = match case.start(program) {
            Ok(state) => state,
            Err(end) => return (case, end),
        };
        let mut players = RandomPlay::new(seed, habits);
        for _ in 0..habits.max_inputs {
            if let Some(end) = standing(&state) {
                return (case, end);
            }
            let Some(input) = players.next(&state) else { break };
            let sent = Move { seat: seat_of(&state, input), input: input.clone() };
            match submit(&mut state, &sent.input) {
                Ok(true) => case.moves.push(sent),
                Ok(false) => {}
                Err(end) => {
                    case.moves.push(sent);
                    return (case, end);
                }
            }
        }
        let end = standing(&state).unwrap_or(End::Waiting(Box::new(state)));
        (case, end)
    }

    /// Sends everything again that still can be sent. Gives what was, as far as it came, and how things stand then.
    pub(super) fn replay(&self, program: &Arc<Program>) -> (Case, End) {
        let mut again = Case { moves: Vec::new(), ..self.clone() };
        let mut state = match self.start(program) {
            Ok(state) => state,
            Err(end) => return (again, end),
        };
        for sent in &self.moves {
            if let Some(end) = standing(&state) {
                return (again, end);
            }
            let Some(input) = aimed(&state, sent) else { continue };
            let sent = Move { seat: sent.seat, input };
            match submit(&mut state, &sent.input) {
                Ok(true) => again.moves.push(sent),
                Ok(false) => {}
                Err(end) => {
                    again.moves.push(sent);
                    return (again, end);
                }
            }
        }
        let end = standing(&state).unwrap_or(End::Waiting(Box::new(state)));
        (again, end)
    }

    fn start(&self, program: &Arc<Program>) -> Result<Match, End> {
        match Match::start(Arc::clone(program), &self.setup, &mut Log::discard()) {
            Ok(state) => Ok(state),
            Err(StartError::Fault(fault)) => Err(End::Fault(fault, false)),
            // Other options or seats than are allowed: nothing comes of it.
            Err(_) => Err(End::Over),
        }
    }

    /// The same with another seed.
    pub(super) fn reseeded(&self, seed: u64) -> Case {
        let setup = Setup { seed: Seed::from_number(seed), ..self.setup.clone() };
        Case { setup, seed, moves: self.moves.clone() }
    }

    pub(super) fn inputs(&self) -> Vec<Input> {
        self.moves.iter().map(|sent| sent.input.clone()).collect()
    }
}

/// Whether the input is taken, unless a rule fails.
fn submit(state: &mut Match, input: &Input) -> Result<bool, End> {
    match state.submit(input, &mut Log::discard()) {
        Ok(()) => state.failures().first().map_or(Ok(true), |fault| Err(End::Fault(fault.clone(), true))),
        Err(Refusal::Rejected(_)) => Ok(false),
        Err(Refusal::Faulted(fault)) => Err(End::Fault(fault, false)),
    }
}

/// How things stand, if the match cannot go on.
fn standing(state: &Match) -> Option<End> {
    if state.is_over() {
        return Some(End::Over);
    }
    let mut open = state.pending();
    // Who has left will not come back.
    let is_there =
        |pending: &Pending<'_>| !state.board().has_left(pending.seat()) || pending.deadline_ms().is_some();
    if open.any(|pending| is_there(&pending) && can_be_answered(&pending)) {
        return None;
    }
    let question =
        state.pending().next().map_or("nothing", |pending| pending.choice().name.as_str()).to_owned();
    Some(End::Stuck(question))
}

fn can_be_answered(pending: &Pending<'_>) -> bool {
    if pending.choice().pass || pending.deadline_ms().is_some() {
        return true;
    }
    match pending.walk() {
        None => pending.answer_count() > 0,
        Some(mut walk) => {
            // Depth first, the option to try next for each step taken.
            let mut tried = vec![0];
            for _ in 0..MAX_STEPS {
                let Some(pick) = tried.last_mut() else { return false };
                if walk.is_enough() {
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

/// Whose question an input is about.
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

/// The same for what its seat is asked now; nothing if that makes no sense.
fn aimed(state: &Match, sent: &Move) -> Option<Input> {
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
