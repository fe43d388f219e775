//! Fuzz targets: any bytes as a ruleset, and any bytes as inputs. Neither may panic.
//!
//! `fuzz/` passes these functions to libFuzzer; the tests of this crate run them on a few thousand seeded cases.

use std::sync::{Arc, OnceLock};

use intermezzo_compiler::{Ruleset, render, to_json};
use intermezzo_engine::{Answer, EventLog, Input, InputId, LeaveCause, Match, PassUntil, Seed, Setup};
use intermezzo_program::{GuardLimits, Program, Seat, Symbol};

use crate::fixtures::{self, Fixture};
use crate::input_mix::InputMix;
use crate::random_play::RandomPlay;

/// Limits for rulesets from arbitrary bytes.
const LIMITS: GuardLimits =
    GuardLimits { steps: 20_000, depth: 64, reactions: 100, events: 2_000, entities: 500, heap: 200_000 };

/// Largest number of inputs in one case.
const MAX_INPUTS: usize = 200;

/// Reads bytes as a ruleset, and plays a few inputs if it compiles.
pub fn loader(data: &[u8]) {
    let name = if data.first() == Some(&b'{') { "fuzz.json" } else { "fuzz.yaml" };
    let ruleset = Ruleset::from_files(&[(name.to_owned(), data.to_vec())]);
    let compiled = ruleset.compile();
    render(&compiled.diagnostics, ruleset.sources(), false);
    to_json(&compiled.diagnostics, ruleset.sources());
    assert_eq!(compiled.program.is_none(), compiled.has_errors(), "either a program or errors");
    if let Some(mut program) = compiled.program {
        program.limits = LIMITS;
        play_some_inputs(&Arc::new(program));
    }
}

fn play_some_inputs(program: &Arc<Program>) {
    let seats = program.seats.default;
    let setup = Setup { seats, options: Vec::new(), seed: Seed::from_number(1), script: None };
    let Ok(mut state) = Match::start(Arc::clone(program), &setup, &mut EventLog::new()) else { return };
    let mut players = RandomPlay::new(1, &InputMix::chaotic());
    let mut log = EventLog::new();
    for _ in 0..50 {
        let Some(input) = players.next(&state) else { break };
        let before = state.snapshot();
        if state.submit(input, &mut log).is_err() {
            assert!(state.snapshot() == before, "a refused input changes nothing");
        }
    }
    let bytes = state.snapshot();
    let restored = Match::restore(Arc::clone(program), &bytes).expect("a snapshot can be restored");
    assert!(restored.snapshot() == bytes, "a restored match is the same match");
}

/// Reads bytes as inputs to a match of one of the small rulesets.
pub fn inputs(data: &[u8]) {
    let mut bytes = FuzzBytes { rest: data };
    let fixture = &small()[usize::from(bytes.byte()) % small().len()];
    let range = fixture.program.seats;
    let seats = range.min + bytes.byte() % (range.max - range.min + 1);
    let seed = Seed::from_number(u64::from(bytes.byte()));
    let setup = Setup { seats, options: Vec::new(), seed, script: None };
    let mut log = EventLog::new();
    let mut state =
        Match::start(Arc::clone(&fixture.program), &setup, &mut log).expect("these rulesets start");
    for _ in 0..MAX_INPUTS {
        if bytes.rest.is_empty() {
            break;
        }
        if bytes.byte().is_multiple_of(8) {
            damage(&fixture.program, &state, &mut bytes);
        }
        let input = read_input(&state, &mut bytes);
        let (before, written) = (state.snapshot(), log.len());
        match state.submit(&input, &mut log) {
            Ok(()) => {
                assert!(
                    !state.is_over() || state.pending().next().is_none(),
                    "a match that is over has open questions"
                );
            }
            Err(_) => assert!(
                state.snapshot() == before && log.len() == written,
                "{input:?} is refused but changes something"
            ),
        }
    }
}

fn small() -> &'static [Fixture] {
    static SUBJECTS: OnceLock<Vec<Fixture>> = OnceLock::new();
    SUBJECTS.get_or_init(|| {
        let orcain = include_bytes!("../../../rulesets/orcain/ruleset.yaml").to_vec();
        let orcain = Fixture::new("orcain", vec![("ruleset.yaml".to_owned(), orcain)]);
        let mut all = vec![orcain.unwrap_or_else(|problems| panic!("{problems}"))];
        all.extend(fixtures::small_rulesets());
        all
    })
}

/// Damages a snapshot. Restoring it must fail, or return a match that plays without a panic.
fn damage(program: &Arc<Program>, state: &Match, bytes: &mut FuzzBytes<'_>) {
    let mut snapshot = state.snapshot();
    let at = usize::from(bytes.short()) % snapshot.len();
    match bytes.byte() % 3 {
        0 => snapshot.truncate(at),
        1 => snapshot.insert(at, bytes.byte()),
        _ => snapshot[at] ^= bytes.byte().max(1),
    }
    let Ok(mut other) = Match::restore(Arc::clone(program), &snapshot) else { return };
    let mut players = RandomPlay::new(u64::from(bytes.byte()), &InputMix::chaotic());
    for _ in 0..5 {
        let Some(input) = players.next(&other) else { break };
        // The damaged match only has to survive the input.
        let _ = other.submit(input, &mut EventLog::new());
    }
}

fn read_input(state: &Match, bytes: &mut FuzzBytes<'_>) -> Input {
    let kind = bytes.byte();
    let place = usize::from(bytes.byte());
    let open = state.pending().count();
    let pending = state.pending().nth(if open == 0 { 0 } else { place % open });
    let id = pending.map_or(InputId(bytes.number()), |pending| pending.id());
    let seat = pending.map_or(Seat(bytes.byte()), |pending| pending.seat());
    match (kind % 12, pending) {
        (0..=5, Some(pending)) => {
            let mut answer = Answer::Pass;
            pending.nth_answer(u64::from(bytes.number()) % pending.answer_count().max(1), &mut answer);
            Input::Answer { input: id, seat, answer }
        }
        (6, _) => Input::Draft { input: id, seat, answer: read_answer(bytes) },
        (7, _) => Input::Timeout { input: id },
        (8, _) => Input::Answer {
            input: InputId(bytes.number()),
            seat: Seat(bytes.byte()),
            answer: read_answer(bytes),
        },
        (9, _) if kind > 200 => {
            let seat = Seat(bytes.byte());
            let (cause, _) = LeaveCause::NAMES[usize::from(bytes.byte()) % LeaveCause::NAMES.len()];
            Input::Leave { seat, cause }
        }
        (11, _) if kind > 120 => {
            let (until, _) = PassUntil::NAMES[usize::from(bytes.byte()) % 3];
            Input::AutoPass { seat: Seat(bytes.byte() % 8), until, stops: kind > 180 }
        }
        (10, _) if kind > 240 => {
            let winners = (0..bytes.byte() % 4).map(|_| Seat(bytes.byte() % 8)).collect();
            Input::Moderate { winners, pot: Symbol(u32::from(bytes.byte())) }
        }
        _ => Input::Answer { input: id, seat, answer: read_answer(bytes) },
    }
}

fn read_answer(bytes: &mut FuzzBytes<'_>) -> Answer {
    let picks = |bytes: &mut FuzzBytes<'_>| (0..bytes.byte() % 6).map(|_| bytes.pick()).collect();
    match bytes.byte() % 4 {
        0 => Answer::Pass,
        1 => {
            Answer::Branches((0..bytes.byte() % 4).map(|_| (u16::from(bytes.byte()), picks(bytes))).collect())
        }
        _ => Answer::Picks(picks(bytes)),
    }
}

/// Remaining bytes of a case, followed by endless zeros.
struct FuzzBytes<'a> {
    rest: &'a [u8],
}

impl FuzzBytes<'_> {
    fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((first, rest)) => {
                self.rest = rest;
                *first
            }
            None => 0,
        }
    }

    fn short(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn number(&mut self) -> u32 {
        u32::from(self.short()) << 16 | u32::from(self.short())
    }

    /// Returns mostly option numbers.
    fn pick(&mut self) -> i32 {
        match self.byte() {
            byte @ 0..=200 => i32::from(byte % 8),
            201..=230 => -1,
            _ => self.number() as i32,
        }
    }
}
