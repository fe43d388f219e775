//! The same inputs produce the same match, and the log alone produces the same board.

use intermezzo_engine::{Board, EventLog, LogFold};
use std::sync::Arc;

use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Checks that the accepted inputs alone produce the same log and the same states.
pub fn replaying_the_inputs_gives_the_same_match(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::chaotic())?;
    let played = &run.played;
    let mut hashes = Vec::new();
    let mut last = Vec::new();
    run.walk(|state, log, at| {
        hashes.push(state.state_hash());
        if at == played.inputs.len() {
            last = state.snapshot();
            run.claim(*log == played.log, || "the log differs".to_owned())?;
        }
        run.claim(log.len() == played.marks[at], || {
            format!("after input {at} the log has a different length")
        })
    })?;
    run.claim(last == played.state.snapshot(), || "the state differs".to_owned())?;
    let mut again = hashes.iter();
    run.walk(|state, _, at| {
        let same = again.next() == Some(&state.state_hash());
        run.claim(same, || format!("the state after input {at} differs the second time"))
    })
}

/// Checks that folding the log produces the board after every input.
pub fn folding_the_log_gives_the_same_board(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::chaotic())?;
    let program = &fixture.program;
    let board = Board::new(program, &run.played.setup);
    let mut board = board.map_err(|error| run.violation(error.to_string()))?;
    let mut folder = LogFold::new(Arc::clone(program));
    let mut folded = 0;
    run.walk(|state, log, at| {
        for record in &log.records()[folded..] {
            let outcome = folder.fold(&mut board, log, record);
            outcome.map_err(|code| {
                run.violation(format!("event {} cannot be folded: {}", record.id, code.name()))
            })?;
        }
        folded = log.len();
        let same = board.encode(program) == state.board().encode(program);
        run.claim(same, || format!("after input {at} the folded board differs"))
    })
}

/// Checks that discarding the log does not change the match.
pub fn discarding_the_log_changes_nothing(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::chaotic())?;
    let mut nothing = EventLog::discard();
    let mut state = run.begin(&mut nothing)?;
    for (at, input) in run.played.inputs.iter().enumerate() {
        let outcome = state.submit(input, &mut nothing);
        outcome.map_err(|refusal| run.violation(format!("input {at} is refused: {refusal}")))?;
    }
    run.claim(nothing.is_empty(), || "the discarded log is not empty".to_owned())?;
    run.claim(state.snapshot() == run.played.state.snapshot(), || "the state differs".to_owned())
}
