//! Laws that hold for every match, checked on random play.

mod common;

use common::sample_program::*;
use common::*;
use intermezzo_engine::*;
use intermezzo_program::*;
use std::sync::Arc;

fn begin(program: &Arc<Program>, seed: u64, log: &mut EventLog) -> Match {
    Match::start(Arc::clone(program), &setup(seed), log).expect("the match starts")
}

#[test]
fn folding_the_log_rebuilds_the_board() {
    for seed in 0..40 {
        let program = sample_program(6, seed % 2 == 1);
        let mut log = EventLog::new();
        let mut game = begin(&program, seed, &mut log);
        play_out(&mut game, &mut log, &mut TestRng(seed));
        assert!(game.is_over(), "seed {seed}");
        let mut board = Board::new(&program, &setup(seed)).expect("a board");
        let mut folder = LogFold::new(Arc::clone(&program));
        for record in log.records() {
            folder
                .fold(&mut board, &log, record)
                .unwrap_or_else(|code| panic!("seed {seed}: {code:?} {record:?}"));
        }
        assert_eq!(board.encode(&program), game.board().encode(&program), "seed {seed}");
    }
}

#[test]
fn a_restored_match_continues_identically() {
    for seed in 0..20 {
        let program = sample_program(5, seed % 2 == 0);
        let (mut log, mut other_log) = (EventLog::new(), EventLog::new());
        let mut game = begin(&program, seed, &mut log);
        let mut rng = TestRng(seed);
        while let Some(input) = random_input(&game, &mut rng) {
            let snapshot = game.snapshot();
            let mut restored = Match::restore(Arc::clone(&program), &snapshot).expect("a valid snapshot");
            assert_eq!(restored.snapshot(), snapshot, "seed {seed}");
            other_log.clear();
            restored.submit(&input, &mut other_log).expect("accepted");
            game.submit(&input, &mut log).expect("accepted");
            assert_eq!(restored.state_hash(), game.state_hash(), "seed {seed}");
        }
    }
}

#[test]
fn the_same_inputs_give_the_same_match() {
    let program = sample_program(8, true);
    let (mut one_log, mut two_log) = (EventLog::new(), EventLog::new());
    let mut one = begin(&program, 3, &mut one_log);
    let mut two = one.clone();
    two_log.clone_from(&one_log);
    let inputs = play_out(&mut one, &mut one_log, &mut TestRng(3));
    let untouched = two.clone();
    assert_ne!(one.snapshot(), two.snapshot(), "a copy does not follow");
    inputs.iter().for_each(|input| two.submit(input, &mut two_log).expect("accepted"));
    assert_eq!(one.snapshot(), two.snapshot());
    assert_eq!(one_log, two_log);
    two.clone_from(&untouched);
    assert_eq!(two.snapshot(), untouched.snapshot());
}

#[test]
fn every_numbered_answer_is_legal_and_different() {
    let program = sample_program(4, false);
    let mut log = EventLog::discard();
    let mut game = begin(&program, 9, &mut log);
    let mut rng = TestRng(9);
    while let Some(input) = random_input(&game, &mut rng) {
        for pending in game.pending() {
            let count = pending.answer_count();
            let mut seen = Vec::new();
            for n in 0..count {
                let mut answer = Answer::Pass;
                assert!(pending.nth_answer(n, &mut answer));
                assert_eq!(pending.check(&answer), Ok(()), "{n} of {count}: {answer:?}");
                assert!(!seen.contains(&answer), "{answer:?} repeats");
                seen.push(answer);
            }
            assert!(!pending.nth_answer(count, &mut Answer::Pass));
        }
        game.submit(&input, &mut log).expect("accepted");
    }
}

#[test]
fn looking_ahead_changes_nothing() {
    let program = sample_program(5, true);
    let mut log = EventLog::new();
    let mut game = begin(&program, 4, &mut log);
    let mut rng = TestRng(4);
    while let Some(input) = random_input(&game, &mut rng) {
        let before = game.snapshot();
        let ahead = game.preview(&input, Match::snapshot).expect("legal");
        assert_eq!(game.snapshot(), before);
        game.submit(&input, &mut log).expect("accepted");
        assert_eq!(game.snapshot(), ahead);
    }
}

#[test]
fn rejected_inputs_change_nothing() {
    let program = sample_program(3, true);
    let mut log = EventLog::new();
    let mut game = begin(&program, 5, &mut log);
    let mut rng = TestRng(5);
    while let Some(input) = random_input(&game, &mut rng) {
        let (before, records) = (game.snapshot(), log.len());
        let id = InputId(rng.below(40) as u32);
        let picks = (0..rng.below(5)).map(|_| rng.below(9) as i32 - 2).collect();
        let seat = Seat(rng.below(4) as u8);
        let wild = Input::Answer { input: id, seat, answer: Answer::Picks(picks) };
        if game.clone().submit(&wild, &mut EventLog::discard()).is_err() {
            assert!(game.submit(&wild, &mut log).is_err());
            assert_eq!((game.snapshot(), log.len()), (before, records));
        }
        game.submit(&input, &mut log).expect("accepted");
    }
}

#[test]
fn corrupt_snapshots_are_rejected_or_harmless() {
    let program = sample_program(4, true);
    let mut log = EventLog::discard();
    let mut game = begin(&program, 6, &mut log);
    let mut rng = TestRng(6);
    for _ in 0..7 {
        let input = random_input(&game, &mut rng).expect("the match continues");
        game.submit(&input, &mut log).expect("accepted");
    }
    let snapshot = game.snapshot();
    let mut restored = 0;
    for round in 0..20_000u64 {
        let mut bytes = snapshot.clone();
        for _ in 0..=rng.below(3) {
            let at = 33 + rng.below(bytes.len() as u64 - 33) as usize;
            bytes[at] = rng.below(256) as u8;
        }
        if round % 7 == 0 {
            bytes.truncate(rng.below(bytes.len() as u64) as usize);
        }
        if let Ok(mut odd) = Match::restore(Arc::clone(&program), &bytes) {
            restored += 1;
            for _ in 0..12 {
                let Some(pending) = odd.pending().next() else {
                    break;
                };
                let mut answer = Answer::Pass;
                pending.nth_answer(rng.below(pending.answer_count().min(100)), &mut answer);
                let input = Input::Answer { input: pending.id(), seat: pending.seat(), answer };
                if odd.submit(&input, &mut log).is_err() {
                    break;
                }
                let _ = odd.state_hash();
            }
        }
    }
    assert!(restored > 100, "some changes stay valid: {restored}");
}

#[test]
fn a_long_match_does_not_grow() {
    let program = sample_program(3000, false);
    let mut log = EventLog::discard();
    let mut game = begin(&program, 2, &mut log);
    play_out(&mut game, &mut log, &mut TestRng(2));
    assert!(game.is_over());
    assert!(game.snapshot().len() < 4000, "{}", game.snapshot().len());
}

/// Returns everything each viewer sees, as text.
fn streams(program: &Arc<Program>, seed: u64, inputs: u32) -> Vec<Vec<String>> {
    let mut log = EventLog::new();
    let mut game = begin(program, seed, &mut log);
    let mut observer = Observer::new(Arc::clone(program), &setup(seed)).expect("an observer");
    let mut seen = vec![Vec::new(); 3];
    let mut from = 0;
    for round in 0..=inputs {
        let mut place = 0;
        observer
            .observe(&log, from, |_, datum| {
                seen[place % 3].push(format!("{datum:?}"));
                place += 1;
            })
            .expect("it folds");
        from = log.len();
        for (place, viewer) in observer.viewers().enumerate().collect::<Vec<_>>() {
            seen[place].push(format!("{:?}", observer.view(viewer)));
            seen[place].push(format!("{:?}", observer.prompts(&game, viewer)));
        }
        if round < inputs {
            let input = {
                let Some(pending) = game.pending().next() else {
                    break;
                };
                // Always the same small answer, independent of the seed.
                let answer = match pending.choice().shape {
                    AnswerShape::Order => Answer::Picks(vec![0, 1]),
                    AnswerShape::Pick => Answer::Picks(vec![]),
                    _ => Answer::Pass,
                };
                Input::Answer { input: pending.id(), seat: pending.seat(), answer }
            };
            game.submit(&input, &mut log).expect("accepted");
        }
    }
    seen
}

#[test]
fn viewers_receive_only_what_they_may_see() {
    // Without dice, seeds differ only in the order of the bags.
    let mut program = (*sample_program(4, false)).clone();
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
fn a_player_learns_nothing_about_the_other_hand() {
    let program = sample_program(4, true);
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
