//! Checks of the laws on every ruleset, with as many seeds as take about ten seconds. The program `laws` checks more.

use std::sync::OnceLock;

use intermezzo_simulator::laws::{self, Law};
use intermezzo_simulator::{Fixture, fixtures};

fn all() -> &'static [Fixture] {
    static SUBJECTS: OnceLock<Vec<Fixture>> = OnceLock::new();
    SUBJECTS.get_or_init(fixtures::all)
}

/// Checks a law on every ruleset with the seeds from 0.
fn holds(law: Law, seeds: u64) {
    for fixture in all() {
        for seed in 0..fixture.seeds(seeds) {
            if let Err(violation) = law(fixture, seed) {
                panic!("{violation}");
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
fn discarding_the_log_changes_nothing() {
    holds(laws::discarding_the_log_changes_nothing, 400);
}

#[test]
fn a_recorded_match_verifies() {
    holds(laws::a_recorded_match_verifies, 24);
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
fn the_action_query_is_pure_and_complete() {
    holds(laws::the_action_query_is_pure_and_complete, 60);
}

#[test]
fn the_action_query_is_checked_often_enough() {
    for name in ["cloak", "stack"] {
        let fixture = all().iter().find(|fixture| fixture.name == name).expect("the ruleset is there");
        let mut total = laws::QueryCounts::default();
        for seed in 0..60 {
            let found = laws::query_counts(fixture, seed).unwrap_or_else(|violation| panic!("{violation}"));
            total.queries += found.queries;
            total.taken += found.taken;
            total.refused += found.refused;
            total.closed += found.closed;
        }
        let is_enough =
            total.queries > 500 && total.taken > 500 && total.refused > 5000 && total.closed > 500;
        assert!(is_enough, "{name}: {total:?}");
    }
}

#[test]
fn lookahead_changes_nothing() {
    holds(laws::lookahead_changes_nothing, 150);
}

#[test]
fn the_order_of_answers_does_not_matter() {
    holds(laws::the_order_of_answers_does_not_matter, 250);
}

#[test]
fn every_match_can_be_observed() {
    holds(laws::every_match_can_be_observed, 30);
}

#[test]
fn a_secret_answer_is_invisible_to_others() {
    holds(laws::a_secret_answer_is_invisible_to_others, 120);
}

#[test]
fn auto_pass_is_invisible_to_others() {
    holds(laws::auto_pass_is_invisible_to_others, 70);
}

#[test]
fn undo_leaves_no_trace() {
    holds(laws::undo_leaves_no_trace, 5);
}

#[test]
fn optimizations_change_nothing() {
    holds(laws::optimizations_change_nothing, 120);
}
