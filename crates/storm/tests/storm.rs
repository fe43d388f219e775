//! Some storms, in which nothing goes wrong, and some with a bug each, in which that is noticed.

use intermezzo_server::planted::BUGS;
use intermezzo_storm::{Plan, Report, run};

/// So many seeds are tried at every check. Many more: `cargo run --release -p intermezzo-storm -- --seeds 1000`.
const SEEDS: u64 = 24;
/// A bug has to show within so many seeds.
const FOUND_WITHIN: u64 = 150;

/// Runs worlds on two threads until one is as wanted; its seed.
fn first(
    seeds: std::ops::RangeInclusive<u64>,
    plan: &Plan,
    is_wanted: fn(&Report) -> bool,
) -> Option<(u64, Report)> {
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
            .filter_map(|half| half.join().expect("worlds do not panic"))
            .min_by_key(|(seed, _)| *seed)
    })
}

#[test]
fn nothing_goes_wrong_in_a_storm() {
    let plan = Plan::new(0);
    if let Some((seed, report)) = first(1..=SEEDS, &plan, |report| !report.wrong.is_empty()) {
        panic!(
            "seed {seed}: {:#?}\nsee `cargo run -p intermezzo-storm -- --seed {seed} --trace`",
            report.wrong
        );
    }
}

#[test]
fn a_seed_means_the_same_world_to_the_last_line() {
    let mut plan = Plan::new(0);
    plan.is_traced = true;
    for seed in 1..=4 {
        let (one, other) = (run(seed, &plan), run(seed, &plan));
        assert!(one.trace.len() > 50, "seed {seed} has little to tell");
        for (one, other) in one.trace.iter().zip(&other.trace) {
            assert_eq!(one, other, "seed {seed}");
        }
        assert_eq!(one.trace_hash, other.trace_hash, "seed {seed}");
    }
}

/// One test for each bug, so that they are looked for at the same time.
macro_rules! is_found {
    ($($name:ident: $bug:literal;)*) => {
        $(#[test]
        fn $name() {
            look_for($bug);
        })*

        #[test]
        fn every_bug_is_looked_for() {
            let looked_for = [$($bug),*];
            let all: Vec<&str> = BUGS.iter().map(|(name, _)| *name).collect();
            assert_eq!(looked_for[..], all);
        }
    };
}

fn look_for(bug: &str) {
    let (_, planted) = BUGS.iter().find(|(name, _)| *name == bug).expect("there is such a bug");
    let mut plan = Plan::new(0);
    plan.planted = Some(*planted);
    let found = (1..=FOUND_WITHIN).find(|seed| !run(*seed, &plan).wrong.is_empty());
    assert!(found.is_some(), "`{bug}` does not show within {FOUND_WITHIN} seeds");
}

is_found! {
    telling_before_it_is_kept_is_found: "tells-before-kept";
    believing_what_is_unknown_is_found: "unknown-is-kept";
    denying_what_is_unknown_is_found: "unknown-is-lost";
    taking_commands_twice_is_found: "forgets-commands";
    forgetting_commands_in_snapshots_is_found: "snapshot-without-commands";
    snapshots_ahead_of_their_log_are_found: "snapshot-ahead";
    leaving_out_what_came_after_a_snapshot_is_found: "stops-at-snapshot";
    refusing_by_what_is_no_longer_so_is_found: "refuses-by-old-state";
    paying_before_the_end_is_kept_is_found: "pays-first";
    paying_without_looking_at_the_books_is_found: "pays-blindly";
    early_deadlines_are_found: "hasty";
    matches_that_are_not_woken_are_found: "sleeps-on";
    charging_for_absence_is_found: "charges-for-absence";
    gaps_are_found: "leaves-out-the-last";
    repeats_are_found: "repeats-the-last";
    questions_of_others_are_found: "asks-for-others";
    rows_nobody_is_told_of_are_found: "keeps-quiet-after-loss";
    rows_on_top_of_others_are_found: "writes-ahead";
    bringing_together_who_is_gone_is_found: "pairs-blindly";
    keeping_trouble_as_an_answer_is_found: "keeps-trouble";
}
