//! Short simulations: some without problems, and one for each fail point, which must be found.

use intermezzo_dst::{DstPlan, DstReport, run};
use intermezzo_fail_points::FAIL_POINTS;

/// Number of seeds in every check. For more: `cargo run --release -p intermezzo-dst -- --seeds 1000`.
const SEEDS: u64 = 24;
/// Number of seeds within which a fail point must be found.
const FOUND_WITHIN: u64 = 150;

/// Runs seeds on two threads until one matches. Returns the smallest such seed.
fn first(
    seeds: std::ops::RangeInclusive<u64>,
    plan: &DstPlan,
    is_wanted: fn(&DstReport) -> bool,
) -> Option<(u64, DstReport)> {
    let half = |rest: u64| {
        let mut seeds = seeds.clone().filter(move |seed| seed % 2 == rest);
        move || {
            seeds.find_map(|seed| {
                let report = run(seed, plan);
                is_wanted(&report).then_some((seed, report))
            })
        }
    };
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|rest| scope.spawn(half(rest)));
        halves
            .into_iter()
            .filter_map(|half| half.join().expect("simulations do not panic"))
            .min_by_key(|(seed, _)| *seed)
    })
}

#[test]
fn no_seed_has_problems() {
    let plan = DstPlan::new(0);
    if let Some((seed, report)) = first(1..=SEEDS, &plan, |report| !report.problems.is_empty()) {
        panic!(
            "seed {seed}: {:#?}\nsee `cargo run -p intermezzo-dst -- --seed {seed} --trace`",
            report.problems
        );
    }
}

#[test]
fn the_same_seed_produces_the_same_trace() {
    let mut plan = DstPlan::new(0);
    plan.is_traced = true;
    for seed in 1..=4 {
        let (one, other) = (run(seed, &plan), run(seed, &plan));
        assert!(one.trace.len() > 50, "the trace of seed {seed} is too short");
        for (one, other) in one.trace.iter().zip(&other.trace) {
            assert_eq!(one, other, "seed {seed}");
        }
        assert_eq!(one.trace_hash, other.trace_hash, "seed {seed}");
    }
}

/// Defines one test for each fail point, so that they run in parallel.
macro_rules! is_found {
    ($($name:ident: $fail_point:literal;)*) => {
        $(#[test]
        fn $name() {
            find_fail_point($fail_point);
        })*

        #[test]
        fn every_fail_point_is_tested() {
            let tested = [$($fail_point),*];
            let all: Vec<&str> = FAIL_POINTS.iter().map(|(name, _)| *name).collect();
            assert_eq!(tested[..], all);
        }
    };
}

fn find_fail_point(fail_point: &str) {
    let (_, active) =
        FAIL_POINTS.iter().find(|(name, _)| *name == fail_point).expect("the fail point exists");
    let mut plan = DstPlan::new(0);
    plan.fail_point = Some(*active);
    let found = (1..=FOUND_WITHIN).find(|seed| !run(*seed, &plan).problems.is_empty());
    assert!(found.is_some(), "`{fail_point}` is not found within {FOUND_WITHIN} seeds");
}

is_found! {
    publishing_before_the_row_is_durable_is_found: "publish-before-durable";
    counting_unknown_commits_as_committed_is_found: "unknown-counts-as-committed";
    counting_unknown_commits_as_lost_is_found: "unknown-counts-as-lost";
    accepting_commands_twice_is_found: "forget-command-ids";
    snapshots_without_command_ids_are_found: "snapshot-without-command-ids";
    snapshots_ahead_of_their_log_are_found: "snapshot-version-ahead";
    ignoring_rows_after_a_snapshot_is_found: "ignore-rows-after-snapshot";
    refusing_from_stale_state_is_found: "refuse-from-stale-state";
    paying_before_the_last_row_is_found: "pay-before-last-row";
    paying_without_a_precondition_is_found: "pay-without-precondition";
    early_deadlines_are_found: "fire-deadlines-early";
    matches_that_are_not_woken_are_found: "skip-due-matches";
    charging_for_absence_is_found: "charge-clocks-during-downtime";
    gaps_are_found: "omit-last-missed-update";
    repeats_are_found: "repeat-last-update";
    prompts_of_other_seats_are_found: "send-other-seats-prompt";
    hidden_replacement_rows_are_found: "hide-replaced-row";
    rows_on_top_of_foreign_rows_are_found: "append-over-foreign-row";
    pairing_players_who_left_is_found: "pair-without-recheck";
    saving_transient_problems_is_found: "save-transient-problem";
}
