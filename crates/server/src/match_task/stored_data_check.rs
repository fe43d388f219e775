//! Tests that stored data is not trusted: changed rows are detected, changed snapshots do no harm.

use std::sync::{Arc, OnceLock};

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Answer, Input, Seed, Setup};
use intermezzo_session::SessionEntry;

use super::clocks::ClockRules;
use super::fold::{CommandSender, MatchConfig, MatchState};
use super::row::MatchRow;

fn config() -> MatchConfig {
    static TERMS: OnceLock<MatchConfig> = OnceLock::new();
    TERMS.get_or_init(duel).clone()
}

fn duel() -> MatchConfig {
    let text = include_bytes!("../../../../rulesets/orcain/ruleset.yaml").to_vec();
    let program = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]).compile().program;
    MatchConfig {
        program: Arc::new(program.expect("the duel compiles")),
        setup: Setup { seats: 2, options: Vec::new(), seed: Seed([7; 32]), script: None },
        clock: ClockRules { bank: Some(60_000), increment: 1_000, grace: Some(5_000), is_untimed: false },
        downtimes: Arc::new([]),
    }
}

/// Answers the first open prompt, if it accepts this answer.
fn answer(state: &mut MatchState, at: i64) -> Option<Vec<u8>> {
    let question = state.open_questions().into_iter().next()?;
    let answer = Answer::Picks(vec![0, 1, -1]);
    let entry = SessionEntry::Input(Input::Answer { input: question.input, seat: question.seat, answer });
    state
        .apply_entry(at, CommandSender { account: 9, command: at as u64, content: 3 }, &entry, None)
        .ok()
        .map(|taken| taken.row)
}

/// Returns a match and its first rows.
fn play_rows() -> (MatchState, Vec<Vec<u8>>) {
    let (mut state, start) = MatchState::start(config(), 10_000).unwrap();
    let mut rows = vec![start.row];
    for at in [10_400, 10_900, 11_000] {
        rows.extend(answer(&mut state, at));
    }
    assert_eq!(rows.len(), 4);
    (state, rows)
}

/// Applies the rows and counts how many are accepted.
fn count_accepted(rows: &[Vec<u8>]) -> usize {
    let mut rows = rows.iter().map_while(|row| MatchRow::decode(row).ok());
    let first = rows.next().and_then(|first| MatchState::from_first_row(config(), &first).ok());
    let Some((mut state, _)) = first else { return 0 };
    let later = rows.take_while(|row| state.apply_row(row, None).is_ok()).count();
    1 + later
}

#[test]
fn a_change_of_any_byte_is_detected_at_its_row() {
    let (_, rows) = play_rows();
    assert_eq!(count_accepted(&rows), 4, "unchanged rows are accepted");
    // The first row contains the start time, which nothing else confirms.
    for place in 1..rows.len() {
        for at in 0..rows[place].len() {
            let mut changed = rows.clone();
            changed[place][at] ^= 1 << (at % 8);
            assert_eq!(count_accepted(&changed), place, "byte {at} of row {}", place + 1);
        }
    }
}

#[test]
fn a_changed_snapshot_is_rejected_or_plays_on() {
    let (state, _) = play_rows();
    let whole = state.snapshot();
    assert!(MatchState::restore(config(), &whole).is_some());
    let mut dice: u64 = 5;
    let mut below = |bound: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % bound
    };
    let mut restored = 0;
    for _ in 0..4_000 {
        let mut bytes = whole.clone();
        // Mostly the bytes after the session, which has its own fuzz target.
        let from = if below(4) == 0 { 0 } else { whole.len().saturating_sub(200) };
        for _ in 0..=below(3) {
            let at = from + below(bytes.len() - from);
            match below(8) {
                0 => bytes.truncate(at.max(from + 1)),
                1 => bytes.insert(at, below(256) as u8),
                _ => bytes[at] ^= 1 << below(8),
            }
        }
        let Some(mut state) = MatchState::restore(config(), &bytes) else { continue };
        restored += 1;
        state.apply_downtimes(12_000);
        let _ = state.clocks.next_expiry(&state.config.clock);
        let _ = answer(&mut state, 12_000);
        state.snapshot();
    }
    assert!(restored > 100, "only {restored} were not rejected");
}
