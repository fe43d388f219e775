//! The benchmark rulesets play the same matches as their twins.

use intermezzo_benches::twins;
use intermezzo_benches::{duel, minitcg};

#[test]
fn the_duel_ruleset_plays_like_its_twin() {
    let mut player = duel::DuelPlayer::new(&duel::program(), true);
    for seed in 1..=200 {
        assert_eq!(player.play(seed), twins::duel::play(seed), "seed {seed}");
    }
}

#[test]
fn the_minitcg_ruleset_plays_like_its_twin() {
    let mut player = minitcg::MiniTcgPlayer::new(&minitcg::program(), true);
    for seed in 1..=200 {
        assert_eq!(player.play(seed), twins::minitcg::play(seed), "seed {seed}");
    }
}

#[test]
fn compacting_between_inputs_changes_nothing() {
    let mut player = minitcg::MiniTcgPlayer::new(&minitcg::program(), true);
    for seed in 1..=20 {
        player.begin(seed);
        let mut actions = 0;
        while player.step() {
            actions += 1;
            player.compact();
        }
        assert_eq!(player.summary(actions), twins::minitcg::play(seed), "seed {seed}");
    }
}
