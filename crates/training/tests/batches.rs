//! Batches of environments.

use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_program::Program;
use intermezzo_simulator::fixtures;
use intermezzo_training::{Batch, BatchConfig, BatchError, BotError, Encoding, EncodingSizes, OutputArrays};

const SIZES: EncodingSizes = EncodingSizes { moves: 24, entities: 16 };

fn program(name: &str) -> Arc<Program> {
    let subject = fixtures::all().into_iter().find(|subject| subject.name == name);
    subject.expect("the ruleset exists").program
}

fn config(envs: usize) -> BatchConfig {
    BatchConfig {
        envs,
        seats: 2,
        options: Vec::new(),
        seed: 7,
        resets: false,
        max_moves: 5_000,
        bots: Vec::new(),
        threads: 1,
    }
}

/// BatchArrays for a batch.
struct BatchArrays {
    observations: Vec<f32>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    dones: Vec<bool>,
    truncated: Vec<bool>,
    to_move: Vec<i64>,
}

impl BatchArrays {
    fn new(batch: &Batch) -> BatchArrays {
        let count = batch.len();
        BatchArrays {
            observations: vec![0.0; count * batch.encoding().len()],
            masks: vec![false; count * SIZES.moves],
            rewards: vec![0.0; count * batch.seats()],
            dones: vec![false; count],
            truncated: vec![false; count],
            to_move: vec![0; count],
        }
    }

    fn slots(&mut self) -> OutputArrays<'_> {
        OutputArrays {
            observations: &mut self.observations,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            dones: &mut self.dones,
            truncated: &mut self.truncated,
            to_move: &mut self.to_move,
        }
    }

    /// Picks a legal move for every match.
    fn choose(&self, random: &mut Random) -> Vec<i64> {
        let pick = |mask: &[bool]| {
            let legal: Vec<i64> = (0..).zip(mask).filter(|(_, legal)| **legal).map(|(n, _)| n).collect();
            if legal.is_empty() { 0 } else { *random.pick(&legal) }
        };
        self.masks.chunks(SIZES.moves).map(pick).collect()
    }
}

fn begin(program: &Arc<Program>, config: BatchConfig) -> Batch {
    let encoding = Arc::new(Encoding::new(program, config.seats, SIZES));
    Batch::new(program, config, encoding).expect("the config fits")
}

/// Steps a batch several times and returns everything it wrote.
fn record(batch: &mut Batch, steps: usize) -> Vec<(Vec<f32>, Vec<i64>)> {
    let mut arrays = BatchArrays::new(batch);
    let mut random = Random::new(3);
    batch.reset(Some(11), arrays.slots()).expect("it starts");
    (0..steps)
        .map(|_| {
            let moves = arrays.choose(&mut random);
            batch.step(&moves, arrays.slots()).expect("the moves are legal");
            (arrays.observations.clone(), arrays.to_move.clone())
        })
        .collect()
}

#[test]
fn threads_change_nothing() {
    let program = program("orcain");
    let mut alone = begin(&program, BatchConfig { resets: true, ..config(7) });
    let mut shared = begin(&program, BatchConfig { resets: true, threads: 3, ..config(7) });
    assert_eq!(record(&mut alone, 40), record(&mut shared, 40));
}

#[test]
fn every_match_ends_and_pays_once() {
    let program = program("orcain");
    let mut batch = begin(&program, config(5));
    let mut arrays = BatchArrays::new(&batch);
    let mut random = Random::new(1);
    let mut paid = [0.0; 5];
    batch.observe_all(arrays.slots()).expect("it starts");
    for _ in 0..400 {
        let moves = arrays.choose(&mut random);
        batch.step(&moves, arrays.slots()).expect("the moves are legal");
        for (paid, rewards) in paid.iter_mut().zip(arrays.rewards.chunks(2)) {
            assert_eq!(rewards[0] + rewards[1], 0.0, "what one wins the other loses");
            *paid += rewards[0].abs();
        }
    }
    assert_eq!(arrays.dones, [true; 5]);
    assert_eq!(arrays.to_move, [-1; 5]);
    assert!(paid.iter().all(|paid| *paid <= 1.0) && paid.contains(&1.0), "{paid:?}");
}

#[test]
fn an_illegal_move_changes_nothing() {
    let program = program("orcain");
    let mut batch = begin(&program, config(3));
    let mut arrays = BatchArrays::new(&batch);
    batch.observe_all(arrays.slots()).expect("it starts");
    let before = arrays.observations.clone();
    let refused = batch.step(&[2, 2, 23], arrays.slots());
    assert_eq!(refused, Err(BatchError::Illegal { env: 2, number: 23 }));
    batch.observe_all(arrays.slots()).expect("it continues");
    assert_eq!(arrays.observations, before);
    let refused = batch.step(&[2], arrays.slots());
    assert_eq!(refused, Err(BatchError::WrongCount { expected: 3, got: 1 }));
}

#[test]
fn a_long_match_is_truncated() {
    let program = program("mages");
    let mut batch = begin(&program, BatchConfig { max_moves: 10, resets: true, ..config(2) });
    let mut arrays = BatchArrays::new(&batch);
    let mut random = Random::new(1);
    batch.observe_all(arrays.slots()).expect("it starts");
    let seeds = [0, 1].map(|at| batch.env(at).expect("it exists").1);
    for _ in 0..10 {
        let moves = arrays.choose(&mut random);
        batch.step(&moves, arrays.slots()).expect("the moves are legal");
    }
    assert_eq!((arrays.dones, arrays.truncated), (vec![true; 2], vec![true; 2]));
    assert!(seeds != [0, 1].map(|at| batch.env(at).expect("it exists").1), "other matches have started");
}

#[test]
fn the_score_is_the_reward() {
    let program = program("scores");
    let mut batch = begin(&program, BatchConfig { resets: true, ..config(4) });
    let mut arrays = BatchArrays::new(&batch);
    let mut random = Random::new(1);
    let mut paid = Vec::new();
    batch.observe_all(arrays.slots()).expect("it starts");
    for _ in 0..100 {
        let moves = arrays.choose(&mut random);
        batch.step(&moves, arrays.slots()).expect("the moves are legal");
        for rewards in arrays.rewards.chunks(2) {
            assert_eq!(rewards[0] + rewards[1], 0.0);
            paid.push(rewards[0]);
        }
    }
    assert!(paid.iter().any(|reward| *reward >= 3.0) && paid.contains(&-1.0), "{paid:?}");
}

/// Picking 0 makes a rule fail.
const FRAGILE: &str = "
ir: 1
ruleset: {id: fragile, version: 1.0.0, uses: [core@1]}
players: {seats: 1}
flow:
  - choose: divisor
    by: players.first
    from: '[1, 0, 2]'
  - if: 1 / divisor == 1
    then: [{end: normal, winners: players}]
  - choose: sure
    by: players.first
    from: '[true, false]'
  - end: normal
";

#[test]
fn a_failing_rule_truncates_its_match_and_no_other() {
    let file = ("fragile.yaml".to_owned(), FRAGILE.as_bytes().to_vec());
    let compiled = intermezzo_compiler::Ruleset::from_files(&[file]).compile();
    let program = Arc::new(compiled.program.expect("it compiles"));
    for (resets, threads) in [(false, 1), (false, 2), (true, 1)] {
        let mut batch = begin(&program, BatchConfig { seats: 1, resets, threads, ..config(4) });
        let mut arrays = BatchArrays::new(&batch);
        batch.observe_all(arrays.slots()).expect("it starts");
        batch.step(&[2, 3, 2, 4], arrays.slots()).expect("the moves are legal");
        assert_eq!(arrays.rewards, [1.0, 0.0, 1.0, 0.0], "the others are paid");
        assert_eq!(arrays.dones, [true, true, true, false]);
        assert_eq!(arrays.truncated, [false, true, false, false]);
        let [BatchError::Env { env: 1, error, .. }] = batch.faults() else { panic!("{:?}", batch.faults()) };
        assert!(error.to_string().contains("division"), "{error}");
        let asked = if resets { [0, 0, 0, 0] } else { [-1, -1, -1, 0] };
        assert_eq!(arrays.to_move, asked);
        batch.step(&[2, 2, 2, 2], arrays.slots()).expect("finished matches ignore their move");
        assert!(batch.faults().is_empty());
    }
}

#[test]
fn bots_play_the_seats_they_are_given() {
    let program = program("mages");
    let mut batch = begin(&program, BatchConfig { bots: vec![(1, "random".to_owned())], ..config(2) });
    let mut arrays = BatchArrays::new(&batch);
    let mut random = Random::new(1);
    batch.observe_all(arrays.slots()).expect("it starts");
    for _ in 0..60 {
        assert!(arrays.to_move.iter().all(|seat| *seat <= 0));
        let moves = arrays.choose(&mut random);
        batch.step(&moves, arrays.slots()).expect("the moves are legal");
    }
    let encoding = Arc::new(Encoding::new(&program, 2, SIZES));
    let unknown = BatchConfig { bots: vec![(1, "deep".to_owned())], ..config(1) };
    let refused = Batch::new(&program, unknown, encoding).map(|_| ());
    assert_eq!(refused, Err(BatchError::Bot(BotError { name: "deep".to_owned() })));
}

#[test]
fn a_wrong_encoding_is_rejected() {
    let (duel, mages) = (program("orcain"), program("mages"));
    for encoding in [Encoding::new(&mages, 2, SIZES), Encoding::new(&duel, 3, SIZES)] {
        let refused = Batch::new(&duel, config(1), Arc::new(encoding)).map(|_| ());
        assert_eq!(refused, Err(BatchError::WrongEncoding));
    }
}
