//! Matches do not depend on the process they run in.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use intermezzo_engine::{EventLog, Match, RestoreError};
use intermezzo_simulator::{Fixture, InputMix, RandomPlay, fixtures, laws, play};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a snapshot from the middle of a random match.
fn snapshot(state: &mut Match, seed: u64) -> Vec<u8> {
    let mut players = RandomPlay::new(seed, &InputMix::varied());
    for _ in 0..6 {
        let before = state.snapshot();
        let Some(input) = players.next(state) else { break };
        state.submit(input, &mut EventLog::discard()).expect("the varied mix contains only legal inputs");
        if state.is_over() {
            return before;
        }
    }
    state.snapshot()
}

#[test]
fn compiling_again_gives_the_same_program() {
    for fixture in fixtures::all() {
        let again = Fixture::new(&fixture.name, fixture.files.clone()).expect("it compiles");
        assert_eq!(format!("{:?}", again.program), format!("{:?}", fixture.program), "{}", fixture.name);
    }
}

#[test]
fn a_fresh_process_continues_where_this_one_stopped() {
    for fixture in fixtures::all() {
        for seed in 0..3 {
            let mix = InputMix { max_inputs: 0, ..InputMix::orderly() };
            let mut state = play(&fixture.program, seed, &[], &mix).expect("the match starts").state;
            let bytes = snapshot(&mut state, seed);
            let here = laws::continuation(&fixture, &bytes, seed, 40)
                .unwrap_or_else(|violation| panic!("{violation}"));
            let mut child = Command::new(env!("CARGO_BIN_EXE_resume"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("the process starts");
            let request = format!("{} {seed} 40 {}\n", fixture.name, hex(&bytes));
            child.stdin.take().expect("it has an input").write_all(request.as_bytes()).expect("it reads");
            let output = child.wait_with_output().expect("the process ends");
            let there = String::from_utf8(output.stdout).expect("it writes text");
            let here: String = here.iter().map(|hash| format!("{}\n", hex(hash))).collect();
            assert_eq!(there, here, "{} seed {seed}", fixture.name);
        }
    }
}

#[test]
fn a_snapshot_of_code_compiled_differently_is_refused() {
    for fixture in fixtures::all() {
        let mix = InputMix { max_inputs: 0, ..InputMix::orderly() };
        let mut state = play(&fixture.program, 1, &[], &mix).expect("the match starts").state;
        let bytes = snapshot(&mut state, 1);
        let mut other = (*fixture.program).clone();
        other.fingerprint ^= 1;
        let refused = Match::restore(Arc::new(other), &bytes).err();
        assert_eq!(refused, Some(RestoreError::OtherCode), "{}", fixture.name);
    }
}
