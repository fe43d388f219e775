//! Sample matches: small rulesets with a few random inputs.

use std::sync::{Arc, OnceLock};

use intermezzo_engine::{Seed, Setup};
use intermezzo_program::Program;
use intermezzo_session::{Session, SessionEntry};
use intermezzo_simulator::{Fixture, InputMix, RandomPlay, fixtures};

/// Returns the small rulesets in a fixed order.
pub(crate) fn programs() -> &'static [Arc<Program>] {
    static PROGRAMS: OnceLock<Vec<Arc<Program>>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let orcain = include_bytes!("../../../rulesets/orcain/ruleset.yaml").to_vec();
        let orcain = Fixture::new("orcain", vec![("ruleset.yaml".to_owned(), orcain)]);
        let orcain = orcain.unwrap_or_else(|problems| panic!("{problems}"));
        let all = [orcain].into_iter().chain(fixtures::small_rulesets());
        all.map(|subject| subject.program).collect()
    })
}

/// Returns the program that a byte selects.
pub(crate) fn program(byte: u8) -> &'static Arc<Program> {
    &programs()[usize::from(byte) % programs().len()]
}

pub(crate) fn setup(program: &Program, seed: u8) -> Setup {
    let seed = Seed::from_number(u64::from(seed));
    Setup { seats: program.seats.default, options: Vec::new(), seed, script: None }
}

/// Starts a session and sends random inputs. Returns the session and the accepted entries.
pub(crate) fn session(program: &Arc<Program>, setup: &Setup, inputs: u8) -> (Session, Vec<SessionEntry>) {
    let (mut session, _) = Session::start(program, setup).expect("these rulesets start");
    let mut players = RandomPlay::new(u64::from(inputs), &InputMix::chaotic());
    let mut entries = Vec::new();
    for _ in 0..inputs {
        let Some(input) = players.next(session.game()).cloned() else { break };
        let entry = SessionEntry::Input(input);
        if session.apply(&entry, None).is_ok() {
            entries.push(entry);
        }
    }
    (session, entries)
}
