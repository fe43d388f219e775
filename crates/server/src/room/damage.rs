//! What the store gives back is not trusted: changed rows are found, changed snapshots do no harm.

use std::sync::{Arc, OnceLock};

use intermezzo_compiler::Ruleset;
use intermezzo_desk::Entry;
use intermezzo_engine::{Answer, Input, Seed, Setup};

use super::clocks::ClockRules;
use super::fold::{Room, Sender, Terms};

fn terms() -> Terms {
    static TERMS: OnceLock<Terms> = OnceLock::new();
    TERMS.get_or_init(duel).clone()
}

fn duel() -> Terms {
    let text = include_bytes!("../../../../rulesets/orcain/ruleset.yaml").to_vec();
    let program = Ruleset::from_files(&[("ruleset.yaml".to_owned(), text)]).compile().program;
    Terms {
        program: Arc::new(program.expect("the duel compiles")),
        setup: Setup { seats: 2, options: Vec::new(), seed: Seed([7; 32]), script: None },
        clock: ClockRules { bank: Some(60_000), increment: 1_000, grace: Some(5_000) },
        absences: Arc::new([]),
    }
}

/// Answers the first open question, if there is one that takes this.
fn answer(room: &mut Room, at: i64) -> Option<Vec<u8>> {
    let asked = room.questions().into_iter().next()?;
    let answer = Answer::Picks(vec![0, 1, -1]);
    let entry = Entry::Input(Input::Answer { input: asked.input, seat: asked.seat, answer });
    room.take(at, Sender { account: 9, command: at as u64, content: 3 }, &entry, None)
        .ok()
        .map(|taken| taken.row)
}

/// A room and its first rows.
fn played() -> (Room, Vec<Vec<u8>>) {
    let (mut room, begun) = Room::begin(terms(), 10_000).unwrap();
    let mut rows = vec![begun.row];
    for at in [10_400, 10_900, 11_000] {
        rows.extend(answer(&mut room, at));
    }
    assert_eq!(rows.len(), 4);
    (room, rows)
}

/// Goes through the rows: how many were taken.
fn taken(rows: &[Vec<u8>]) -> usize {
    let Ok((mut room, _)) = Room::rebuild(terms(), &rows[0]) else { return 0 };
    let later = rows[1..].iter().take_while(|row| room.follow(row, None).is_ok()).count();
    1 + later
}

#[test]
fn a_change_of_any_byte_of_a_row_is_found_at_that_row() {
    let (_, rows) = played();
    assert_eq!(taken(&rows), 4, "what is whole is taken");
    // The first row says when the match began, which nothing else tells.
    for place in 1..rows.len() {
        for at in 0..rows[place].len() {
            let mut changed = rows.clone();
            changed[place][at] ^= 1 << (at % 8);
            assert_eq!(taken(&changed), place, "byte {at} of row {}", place + 1);
        }
    }
}

#[test]
fn a_changed_snapshot_is_refused_or_plays_on() {
    let (room, _) = played();
    let whole = room.snapshot();
    assert!(Room::restore(terms(), &whole).is_some());
    let mut dice: u64 = 5;
    let mut below = |bound: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % bound
    };
    let mut restored = 0;
    for _ in 0..4_000 {
        let mut bytes = whole.clone();
        // Mostly what comes after the desk, which has fuzzing of its own.
        let from = if below(4) == 0 { 0 } else { whole.len().saturating_sub(200) };
        for _ in 0..=below(3) {
            let at = from + below(bytes.len() - from);
            match below(8) {
                0 => bytes.truncate(at.max(from + 1)),
                1 => bytes.insert(at, below(256) as u8),
                _ => bytes[at] ^= 1 << below(8),
            }
        }
        let Some(mut room) = Room::restore(terms(), &bytes) else { continue };
        restored += 1;
        room.make_up_for_absences(12_000);
        let _ = room.clocks.next(&room.terms.clock);
        let _ = answer(&mut room, 12_000);
        room.snapshot();
    }
    assert!(restored > 100, "only {restored} were not refused");
}
