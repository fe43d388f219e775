//! Matches to try things on: small rulesets, played a little by chance.

use std::sync::{Arc, OnceLock};

use intermezzo_desk::{Desk, Entry};
use intermezzo_engine::{Seed, Setup};
use intermezzo_ruleset::Program;
use intermezzo_simulator::{Habits, RandomPlay, Subject, subjects};

/// The small rulesets, in an order that stays.
pub(crate) fn programs() -> &'static [Arc<Program>] {
    static PROGRAMS: OnceLock<Vec<Arc<Program>>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let orcain = include_bytes!("../../../rulesets/orcain/ruleset.yaml").to_vec();
        let orcain = Subject::new("orcain", vec![("ruleset.yaml".to_owned(), orcain)]);
        let orcain = orcain.unwrap_or_else(|problems| panic!("{problems}"));
        let all = [orcain].into_iter().chain(subjects::toys());
        all.map(|subject| subject.program).collect()
    })
}

/// The program a byte stands for.
pub(crate) fn program(byte: u8) -> &'static Arc<Program> {
    &programs()[usize::from(byte) % programs().len()]
}

pub(crate) fn setup(program: &Program, seed: u8) -> Setup {
    let seed = Seed::from_number(u64::from(seed));
    Setup { seats: program.seats.usual, options: Vec::new(), seed, script: None }
}

/// A desk at which so many inputs were sent at random, and what was taken of them.
pub(crate) fn desk(program: &Arc<Program>, setup: &Setup, inputs: u8) -> (Desk, Vec<Entry>) {
    let (mut desk, _) = Desk::open(program, setup).expect("these rulesets begin");
    let mut players = RandomPlay::new(u64::from(inputs), &Habits::unruly());
    let mut entries = Vec::new();
    for _ in 0..inputs {
        let Some(input) = players.next(desk.playing()).cloned() else { break };
        let entry = Entry::Input(input);
        if desk.take(&entry, None).is_ok() {
            entries.push(entry);
        }
    }
    (desk, entries)
}
