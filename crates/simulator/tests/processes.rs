//! Nothing depends on the process it happens in.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use intermezzo_engine::{Log, Match, RestoreError};
use intermezzo_simulator::{Habits, RandomPlay, Subject, laws, play, subjects};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A snapshot from the middle of a random match that is not over.
fn snapshot(state: &mut Match, seed: u64) -> Vec<u8> {
    let mut players = RandomPlay::new(seed, &Habits::lively());
    for _ in 0..6 {
        let before = state.snapshot();
        let Some(input) = players.next(state) else { break };
        state.submit(input, &mut Log::discard()).expect("lively players send what is legal");
        if state.is_over() {
            return before;
        }
    }
    state.snapshot()
}

#[test]
fn compiling_again_gives_the_same_program() {
    for subject in subjects::all() {
        let again = Subject::new(&subject.name, subject.files.clone()).expect("it compiles");
        assert_eq!(format!("{:?}", again.program), format!("{:?}", subject.program), "{}", subject.name);
    }
}

#[test]
fn a_fresh_process_continues_where_this_one_stopped() {
    for subject in subjects::all() {
        for seed in 0..3 {
            let habits = Habits { max_inputs: 0, ..Habits::orderly() };
            let mut state = play(&subject.program, seed, &[], &habits).expect("the match begins").state;
            let bytes = snapshot(&mut state, seed);
            let here =
                laws::continuation(&subject, &bytes, seed, 40).unwrap_or_else(|broken| panic!("{broken}"));
            let mut child = Command::new(env!("CARGO_BIN_EXE_resume"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("the process starts");
            let request = format!("{} {seed} 40 {}\n", subject.name, hex(&bytes));
            child.stdin.take().expect("it has an input").write_all(request.as_bytes()).expect("it reads");
            let output = child.wait_with_output().expect("the process ends");
            let there = String::from_utf8(output.stdout).expect("it writes text");
            let here: String = here.iter().map(|hash| format!("{}\n", hex(hash))).collect();
            assert_eq!(there, here, "{} seed {seed}", subject.name);
        }
    }
}

#[test]
fn a_snapshot_of_code_compiled_differently_is_refused() {
    for subject in subjects::all() {
        let habits = Habits { max_inputs: 0, ..Habits::orderly() };
        let mut state = play(&subject.program, 1, &[], &habits).expect("the match begins").state;
        let bytes = snapshot(&mut state, 1);
        let mut other = (*subject.program).clone();
        other.fingerprint ^= 1;
        let refused = Match::restore(Arc::new(other), &bytes).err();
        assert_eq!(refused, Some(RestoreError::OtherCode), "{}", subject.name);
    }
}
