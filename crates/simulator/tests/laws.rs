//! The laws, tried on every ruleset with many seeds each: as many as take some ten seconds. The program `laws` tries more.

use std::sync::OnceLock;

use intermezzo_simulator::laws::{self, Law};
use intermezzo_simulator::{Subject, subjects};

fn all() -> &'static [Subject] {
    static SUBJECTS: OnceLock<Vec<Subject>> = OnceLock::new();
    SUBJECTS.get_or_init(subjects::all)
}

/// Tries a law on every ruleset with the seeds from 0.
fn holds(law: Law, seeds: u64) {
    for subject in all() {
        for seed in 0..subject.seeds(seeds) {
            if let Err(broken) = law(subject, seed) {
                panic!("{broken}");
            }
        }
    }
}

#[test]
fn matches_end_or_wait_and_never_fail() {
    holds(laws::matches_end_or_wait_and_never_fail, 500);
}

#[test]
fn replaying_the_inputs_gives_the_same_match() {
    holds(laws::replaying_the_inputs_gives_the_same_match, 400);
}

#[test]
fn folding_the_log_gives_the_same_board() {
    holds(laws::folding_the_log_gives_the_same_board, 120);
}

#[test]
fn keeping_no_log_changes_nothing() {
    holds(laws::keeping_no_log_changes_nothing, 400);
}

#[test]
fn a_recorded_match_can_be_proved() {
    holds(laws::a_recorded_match_can_be_proved, 24);
}

#[test]
fn restoring_a_snapshot_changes_nothing() {
    holds(laws::restoring_a_snapshot_changes_nothing, 400);
}

#[test]
fn every_answer_offered_is_accepted() {
    holds(laws::every_answer_offered_is_accepted, 150);
}

#[test]
fn refused_inputs_change_nothing() {
    holds(laws::refused_inputs_change_nothing, 150);
}

#[test]
fn discovery_is_pure_and_complete() {
    holds(laws::discovery_is_pure_and_complete, 60);
}

#[test]
fn what_can_be_done_is_tried_often_enough() {
    for name in ["cloak", "stack"] {
        let subject = all().iter().find(|subject| subject.name == name).expect("the ruleset is there");
        let mut total = laws::Discovered::default();
        for seed in 0..60 {
            let found = laws::discovered(subject, seed).unwrap_or_else(|broken| panic!("{broken}"));
            total.looks += found.looks;
            total.taken += found.taken;
            total.refused += found.refused;
            total.closed += found.closed;
        }
        let is_enough = total.looks > 500 && total.taken > 500 && total.refused > 5000 && total.closed > 500;
        assert!(is_enough, "{name}: {total:?}");
    }
}

#[test]
fn looking_ahead_changes_nothing() {
    holds(laws::looking_ahead_changes_nothing, 150);
}

#[test]
fn the_order_of_arrival_does_not_matter() {
    holds(laws::the_order_of_arrival_does_not_matter, 250);
}

#[test]
fn everyone_can_watch_every_match() {
    holds(laws::everyone_can_watch_every_match, 30);
}

#[test]
fn a_secret_answer_is_seen_by_nobody_else() {
    holds(laws::a_secret_answer_is_seen_by_nobody_else, 120);
}

#[test]
fn passing_by_itself_is_seen_by_nobody_else() {
    holds(laws::passing_by_itself_is_seen_by_nobody_else, 70);
}

#[test]
fn taking_back_leaves_no_trace() {
    holds(laws::taking_back_leaves_no_trace, 5);
}
