//! The conformance tests of all stores.
//!
//! Each test is a function in one of these modules. `on_every_store!` lists them all and runs each on every
//! store, as `memory::…`, `sqlite::…` and so on. For PostgreSQL, which is started only once, all of them form
//! one test that names the ones that fail.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod copy;
mod deletion;
mod due;
mod edge_cases;
mod lists;
mod logs;
mod records;
mod scans;
mod snapshots;
mod test_stores;
mod transactions;

macro_rules! on_every_store {
    ($($part:ident::$law:ident)*) => {
        on_every_store!(in memory: $($part::$law)*);
        on_every_store!(in sqlite: $($part::$law)*);
        on_every_store!(in faulty_without_faults: $($part::$law)*);
        on_every_store!(in slow: $($part::$law)*);

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn postgres_passes_every_test() {
            let Some(postgres) = test_stores::PostgresStores::find() else { return };
            let laws = [$(stringify!($law)),*];
            let stores = postgres.all(&laws).await;
            let mut stores = stores.into_iter();
            let tried = [$(tokio::spawn($part::$law(stores.next().unwrap()))),*];
            let mut broken = Vec::new();
            for (law, tried) in laws.into_iter().zip(tried) {
                if tried.await.is_err() {
                    broken.push(law);
                }
            }
            postgres.clear(&laws);
            assert_eq!(broken, [""; 0]);
        }
    };
    (in $store:ident: $($part:ident::$law:ident)*) => {
        mod $store {
            $(
                #[tokio::test]
                async fn $law() {
                    crate::$part::$law(crate::test_stores::$store()).await;
                }
            )*
        }
    };
}

on_every_store! {
    due::a_match_is_due_from_its_due_time_on
    due::a_due_time_changes_with_the_rows_or_not_at_all
    due::the_earliest_come_first_up_to_a_limit
    due::a_due_time_needs_no_rows
    due::a_claim_is_exclusive_until_it_expires
    due::a_new_time_ends_a_claim
    due::the_earliest_are_claimed_first_up_to_a_limit
    due::a_match_that_becomes_due_later_is_not_claimed_before
    due::concurrent_claims_share_the_due_matches
    deletion::a_deleted_match_leaves_nothing_behind
    deletion::a_deletion_keeps_its_order_among_other_writes
    deletion::deleting_an_unknown_match_succeeds
    edge_cases::any_text_is_a_key
    edge_cases::the_longest_key_is_accepted_and_a_longer_one_rejected
    edge_cases::large_bodies_are_stored
    edge_cases::a_body_that_is_too_large_is_rejected
    edge_cases::a_transaction_that_is_too_large_is_rejected
    edge_cases::bodies_may_be_empty
    edge_cases::extreme_numbers_are_handled
    edge_cases::a_closed_store_rejects_everything
    lists::heads_come_in_the_order_in_which_they_are_asked_for
    lists::all_matches_are_listed_in_pages
    logs::a_new_log_is_empty
    logs::rows_get_the_versions_after_the_expected_one
    logs::a_stale_append_gets_the_current_head
    logs::any_part_of_a_log_can_be_read
    logs::logs_do_not_mix
    logs::commits_happen_in_the_order_in_which_they_were_asked_for
    logs::a_commit_nobody_awaits_still_happens
    logs::of_writers_that_race_for_a_version_one_wins
    records::a_record_is_read_as_it_was_put
    records::every_change_gives_a_new_version
    records::a_record_made_again_does_not_reuse_a_version
    records::a_record_is_put_only_if_its_precondition_holds
    records::removing_is_checked_like_changing
    scans::a_scan_goes_in_order_and_in_reverse
    scans::a_scan_ends_exactly_where_its_range_ends
    scans::an_empty_range_holds_nothing
    scans::all_records_of_a_prefix_are_found
    snapshots::the_newest_snapshot_wins
    snapshots::a_snapshot_may_come_with_the_rows_it_includes
    snapshots::a_snapshot_ahead_of_its_log_is_rejected
    transactions::a_transaction_happens_wholly_or_not_at_all
    transactions::a_conflict_does_not_affect_its_neighbours
    transactions::an_empty_transaction_is_committed
    transactions::nothing_is_named_twice
    transactions::one_transaction_changes_many_logs
}

mod given_clocks {
    use crate::{due, test_stores};

    #[tokio::test]
    async fn the_clock_is_the_one_it_was_given() {
        for store in [test_stores::memory(), test_stores::sqlite(), test_stores::faulty_without_faults()] {
            due::the_clock_is_the_one_it_was_given(store).await;
        }
    }
}
