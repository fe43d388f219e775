//! What holds for every match, checked on random play.

mod common;

use common::playground::*;
use common::*;
use intermezzo_engine::*;
use intermezzo_ruleset::*;
use std::sync::Arc;

fn begin(program: &Arc<Program>, seed: u64, log: &mut Log) -> Match {
    Match::start(Arc::clone(program), &setup(seed), log).expect("it begins")
}

#[test]
fn folding_the_log_rebuilds_the_board() {
    for seed in 0..40 {
        let program = playground(6, seed % 2 == 1);
        let mut log = Log::new();
        let mut game = begin(&program, seed, &mut log);
        play_out(&mut game, &mut log, &mut Dice(seed));
        assert!(game.is_over(), "seed {seed}");
        let mut board = Board::new(&program, &setup(seed)).expect("a board");
        let mut folder = Folder::new(Arc::clone(&program));
        for record in log.records() {
            folder
                .fold(&mut board, &log, record)
                .unwrap_or_else(|code| panic!("seed {seed}: {code:?} {record:?}"));
        }
        assert_eq!(board.encode(&program), game.board().encode(&program), "seed {seed}");
    }
}

#[test]
fn a_restored_match_goes_on_the_same() {
    for seed in 0..20 {
        let program = playground(5, seed % 2 == 0);
        let (mut log, mut other_log) = (Log::new(), Log::new());
        let mut game = begin(&program, seed, &mut log);
        let mut dice = Dice(seed);
        while let Some(input) = random_input(&game, &mut dice) {
            let snapshot = game.snapshot();
            let mut restored = Match::restore(Arc::clone(&program), &snapshot).expect("it is a snapshot");
            assert_eq!(restored.snapshot(), snapshot, "seed {seed}");
            other_log.clear();
            restored.submit(&input, &mut other_log).expect("taken");
            game.submit(&input, &mut log).expect("taken");
            assert_eq!(restored.state_hash(), game.state_hash(), "seed {seed}");
        }
    }
}

#[test]
fn the_same_inputs_give_the_same_match() {
    let program = playground(8, true);
    let (mut one_log, mut two_log) = (Log::new(), Log::new());
    let mut one = begin(&program, 3, &mut one_log);
    let mut two = one.clone();
    two_log.clone_from(&one_log);
    let inputs = play_out(&mut one, &mut one_log, &mut Dice(3));
    let untouched = two.clone();
    assert_ne!(one.snapshot(), two.snapshot(), "a copy stays behind");
    inputs.iter().for_each(|input| two.submit(input, &mut two_log).expect("taken"));
    assert_eq!(one.snapshot(), two.snapshot());
    assert_eq!(one_log, two_log);
    two.clone_from(&untouched);
    assert_eq!(two.snapshot(), untouched.snapshot());
}

#[test]
fn every_numbered_answer_is_legal_and_different() {
    let program = playground(4, false);
    let mut log = Log::discard();
    let mut game = begin(&program, 9, &mut log);
    let mut dice = Dice(9);
    while let Some(input) = random_input(&game, &mut dice) {
        for pending in game.pending() {
            let count = pending.answer_count();
            let mut seen = Vec::new();
            for n in 0..count {
                let mut answer = Answer::Pass;
                assert!(pending.nth_answer(n, &mut answer));
                assert_eq!(pending.check(&answer), Ok(()), "{n} of {count}: {answer:?}");
                assert!(!seen.contains(&answer), "{answer:?} comes twice");
                seen.push(answer);
            }
            assert!(!pending.nth_answer(count, &mut Answer::Pass));
        }
        game.submit(&input, &mut log).expect("taken");
    }
}

#[test]
fn looking_ahead_changes_nothing() {
    let program = playground(5, true);
    let mut log = Log::new();
    let mut game = begin(&program, 4, &mut log);
    let mut dice = Dice(4);
    while let Some(input) = random_input(&game, &mut dice) {
        let before = game.snapshot();
        let ahead = game.try_out(&input, Match::snapshot).expect("legal");
        assert_eq!(game.snapshot(), before);
        game.submit(&input, &mut log).expect("taken");
        assert_eq!(game.snapshot(), ahead);
    }
}

#[test]
fn refused_inputs_change_nothing() {
    let program = playground(3, true);
    let mut log = Log::new();
    let mut game = begin(&program, 5, &mut log);
    let mut dice = Dice(5);
    while let Some(input) = random_input(&game, &mut dice) {
        let (before, records) = (game.snapshot(), log.len());
        let id = InputId(dice.below(40) as u32);
        let picks = (0..dice.below(5)).map(|_| dice.below(9) as i32 - 2).collect();
        let seat = Seat(dice.below(4) as u8);
        let wild = Input::Answer { input: id, seat, answer: Answer::Picks(picks) };
        if game.clone().submit(&wild, &mut Log::discard()).is_err() {
            assert!(game.submit(&wild, &mut log).is_err());
            assert_eq!((game.snapshot(), log.len()), (before, records));
        }
        game.submit(&input, &mut log).expect("taken");
    }
}

#[test]
fn broken_snapshots_are_refused_or_harmless() {
    let program = playground(4, true);
    let mut log = Log::discard();
    let mut game = begin(&program, 6, &mut log);
    let mut dice = Dice(6);
    for _ in 0..7 {
        let input = random_input(&game, &mut dice).expect("it goes on");
        game.submit(&input, &mut log).expect("taken");
    }
    let snapshot = game.snapshot();
    let mut restored = 0;
    for round in 0..20_000u64 {
        let mut bytes = snapshot.clone();
        for _ in 0..=dice.below(3) {
            let at = 33 + dice.below(bytes.len() as u64 - 33) as usize;
            bytes[at] = dice.below(256) as u8;
        }
        if round % 7 == 0 {
            bytes.truncate(dice.below(bytes.len() as u64) as usize);
        }
        if let Ok(mut odd) = Match::restore(Arc::clone(&program), &bytes) {
            restored += 1;
            for _ in 0..12 {
                let Some(pending) = odd.pending().next() else {
                    break;
                };
                let mut answer = Answer::Pass;
                pending.nth_answer(dice.below(pending.answer_count().min(100)), &mut answer);
                let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
                if odd.submit(&input, &mut log).is_err() {
                    break;
                }
                let _ = odd.state_hash();
            }
        }
    }
    assert!(restored > 100, "some changes go unnoticed: {restored}");
}

#[test]
fn a_long_match_does_not_grow() {
    let program = playground(3000, false);
    let mut log = Log::discard();
    let mut game = begin(&program, 2, &mut log);
    play_out(&mut game, &mut log, &mut Dice(2));
    assert!(game.is_over());
    assert!(game.snapshot().len() < 4000, "{}", game.snapshot().len());
}

/// What each viewer is told, as text.
fn streams(program: &Arc<Program>, seed: u64, inputs: u32) -> Vec<Vec<String>> {
    let mut log = Log::new();
    let mut game = begin(program, seed, &mut log);
    let mut witness = Witness::new(Arc::clone(program), &setup(seed)).expect("a witness");
    let mut told = vec![Vec::new(); 3];
    let mut from = 0;
    for round in 0..=inputs {
        let mut place = 0;
        witness
            .observe(&log, from, |_, datum| {
                told[place % 3].push(format!("{datum:?}"));
                place += 1;
            })
            .expect("it folds");
        from = log.len();
        for (place, viewer) in witness.viewers().enumerate().collect::<Vec<_>>() {
            told[place].push(format!("{:?}", witness.view(viewer)));
            told[place].push(format!("{:?}", witness.prompts(&game, viewer)));
        }
        if round < inputs {
            let input = {
                let Some(pending) = game.pending().next() else {
                    break;
                };
                // Always the same small answer, whatever the seed has dealt.
                let answer = match pending.choice().shape {
                    Shape::Order => Answer::Picks(vec![0, 1]),
                    Shape::Pick => Answer::Picks(vec![]),
                    _ => Answer::Pass,
                };
                Input::Answer { input: pending.id(), seat: pending.seat(), answer }
            };
            game.submit(&input, &mut log).expect("taken");
        }
    }
    told
}

#[test]
fn nobody_is_told_what_they_may_not_see() {
    // No dice: the seeds then differ in the order of the bags alone.
    let mut program = (*playground(4, false)).clone();
    for instr in &mut program.code {
        if let Instr::Change { .. } = instr {
            *instr = Instr::Int { dst: Reg(16), value: 0 };
        }
        if let Instr::Roll { dst, .. } = *instr {
            *instr = Instr::Const { dst, index: 0 };
        }
        if let Instr::Field { dst, index: 1, .. } = *instr {
            *instr = Instr::Const { dst, index: 0 };
        }
    }
    let program = Arc::new(program);
    let one = streams(&program, 1, 16);
    let mut differs = [false; 3];
    for seed in 2..30 {
        let other = streams(&program, seed, 16);
        for place in 0..3 {
            differs[place] |= one[place] != other[place];
        }
        assert_eq!(one[2], other[2], "spectators see no hand, seed {seed}");
    }
    assert_eq!(differs, [true, true, false], "players see their own hands");
}

#[test]
fn a_player_learns_nothing_of_the_other_hand() {
    let program = playground(4, true);
    let mut other = (*program).clone();
    let worth = Instr::Copy { dst: l(12), src: l(2) };
    let place = other.code.iter().position(|instr| *instr == worth).expect("setup gives worth");
    // The second player's tokens are worth twice as much.
    other.code[place] = Instr::Mul { dst: l(12), a: l(2), b: l(8) };
    let (one, two) = (streams(&program, 1, 16), streams(&Arc::new(other), 1, 16));
    assert_eq!(one[0], two[0], "the first player");
    assert_eq!(one[2], two[2], "spectators");
    assert_ne!(one[1], two[1], "the second player sees the difference");
}
