//! The same inputs give the same match, and the log alone gives the same board.

use intermezzo_engine::{Board, Folder, Log};
use std::sync::Arc;

use super::{Trial, Verdict};
use crate::habits::Habits;
use crate::subjects::Subject;

/// The inputs that were taken, without those that were refused, give the same log and the same state after each.
pub fn replaying_the_inputs_gives_the_same_match(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::unruly())?;
    let played = &trial.played;
    let mut hashes = Vec::new();
    let mut last = Vec::new();
    trial.walk(|state, log, at| {
        hashes.push(state.state_hash());
        if at == played.inputs.len() {
            last = state.snapshot();
            trial.claim(*log == played.log, || "the log is another".to_owned())?;
        }
        trial.claim(log.len() == played.marks[at], || format!("after input {at} the log has another length"))
    })?;
    trial.claim(last == played.state.snapshot(), || "the state is another".to_owned())?;
    let mut again = hashes.iter();
    trial.walk(|state, _, at| {
        let same = again.next() == Some(&state.state_hash());
        trial.claim(same, || format!("the second time the state after input {at} is another"))
    })
}

/// Folding the events of the log gives the board, after every input.
pub fn folding_the_log_gives_the_same_board(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::unruly())?;
    let program = &subject.program;
    let board = Board::new(program, &trial.played.setup);
    let mut board = board.map_err(|error| trial.broken(error.to_string()))?;
    let mut folder = Folder::new(Arc::clone(program));
    let mut folded = 0;
    trial.walk(|state, log, at| {
        for record in &log.records()[folded..] {
            let outcome = folder.fold(&mut board, log, record);
            outcome.map_err(|code| {
                trial.broken(format!("event {} cannot be folded: {}", record.id, code.name()))
            })?;
        }
        folded = log.len();
        let same = board.encode(program) == state.board().encode(program);
        trial.claim(same, || format!("after input {at} the folded board is another"))
    })
}

/// A match whose log is thrown away is the same match.
pub fn keeping_no_log_changes_nothing(subject: &Subject, seed: u64) -> Verdict {
    let trial = Trial::new(subject, seed, &Habits::unruly())?;
    let mut nothing = Log::discard();
    let mut state = trial.begin(&mut nothing)?;
    for (at, input) in trial.played.inputs.iter().enumerate() {
        let outcome = state.submit(input, &mut nothing);
        outcome.map_err(|refusal| trial.broken(format!("input {at} is refused: {refusal}")))?;
    }
    trial.claim(nothing.is_empty(), || "the log kept something".to_owned())?;
    trial.claim(state.snapshot() == trial.played.state.snapshot(), || "the state is another".to_owned())
}
