//! What every store promises: the same laws for each of them.
//!
//! A law is a function in one of the files here; [`on_every_store`] lists them all
//! and runs each on every store, as `memory::…`, `sqlite::…` and so on. PostgreSQL is
//! started once for all laws, which are one test there and name themselves if they fail.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod copying;
mod due;
mod forgetting;
mod hostile;
mod lists;
mod logs;
mod records;
mod scans;
mod snapshots;
mod subjects;
mod together;

macro_rules! on_every_store {
    ($($part:ident::$law:ident)*) => {
        on_every_store!(in memory: $($part::$law)*);
        on_every_store!(in sqlite: $($part::$law)*);
        on_every_store!(in faulty_without_faults: $($part::$law)*);
        on_every_store!(in slow: $($part::$law)*);

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn postgres_keeps_every_law() {
            let Some(house) = subjects::House::find() else { return };
            let laws = [$(stringify!($law)),*];
            let subjects = house.all(&laws).await;
            let mut subjects = subjects.into_iter();
            let tried = [$(tokio::spawn($part::$law(subjects.next().unwrap()))),*];
            let mut broken = Vec::new();
            for (law, tried) in laws.into_iter().zip(tried) {
                if tried.await.is_err() {
                    broken.push(law);
                }
            }
            house.clear(&laws);
            assert_eq!(broken, [""; 0]);
        }
    };
    (in $store:ident: $($part:ident::$law:ident)*) => {
        mod $store {
            $(
                #[tokio::test]
                async fn $law() {
                    crate::$part::$law(crate::subjects::$store()).await;
                }
            )*
        }
    };
}

on_every_store! {
    due::a_match_is_due_when_its_time_has_come
    due::a_due_time_changes_with_the_rows_or_not_at_all
    due::the_earliest_come_first_up_to_a_limit
    due::a_due_time_needs_no_rows
    due::who_claims_a_match_has_it_alone_for_a_while
    due::a_new_time_ends_a_claim
    due::the_earliest_are_claimed_first_up_to_a_limit
    due::a_match_that_becomes_due_later_is_not_claimed_before
    due::many_who_claim_share_what_is_due
    forgetting::a_forgotten_match_is_as_if_it_had_never_been
    forgetting::forgetting_keeps_its_place_among_other_changes
    forgetting::forgetting_what_is_not_there_is_fine
    hostile::any_text_is_a_key
    hostile::the_longest_key_is_taken_and_a_longer_one_refused
    hostile::large_bodies_are_kept
    hostile::a_body_that_is_too_large_is_refused
    hostile::a_transaction_that_is_too_large_is_refused
    hostile::bodies_may_be_empty
    hostile::numbers_at_their_limits_do_no_harm
    hostile::a_closed_store_refuses_everything
    lists::heads_come_in_the_order_in_which_they_are_asked_for
    lists::all_matches_are_listed_in_pages
    logs::a_new_log_is_empty
    logs::rows_get_the_versions_after_the_expected_one
    logs::a_stale_append_is_told_where_the_log_ends
    logs::any_part_of_a_log_can_be_read
    logs::logs_do_not_mix
    logs::commits_happen_in_the_order_in_which_they_were_asked_for
    logs::a_commit_nobody_awaits_happens_all_the_same
    logs::of_writers_that_race_for_a_version_one_wins
    records::a_record_is_read_as_it_was_put
    records::every_change_gives_a_new_version
    records::a_record_made_again_does_not_reuse_a_version
    records::a_record_is_put_only_where_it_is_expected
    records::removing_is_checked_like_changing
    scans::a_scan_goes_in_order_and_in_reverse
    scans::a_scan_ends_exactly_where_its_range_ends
    scans::an_empty_range_holds_nothing
    scans::all_records_of_a_prefix_are_found
    snapshots::the_newest_snapshot_wins
    snapshots::a_snapshot_may_come_with_the_rows_it_includes
    snapshots::a_snapshot_ahead_of_its_log_is_refused
    together::a_transaction_happens_wholly_or_not_at_all
    together::a_conflict_does_not_harm_its_neighbours
    together::an_empty_transaction_is_committed
    together::nothing_is_named_twice
    together::one_transaction_changes_many_logs
}

mod given_clocks {
    use crate::{due, subjects};

    #[tokio::test]
    async fn the_clock_is_the_one_it_was_given() {
        for subject in [subjects::memory(), subjects::sqlite(), subjects::faulty_without_faults()] {
            due::the_clock_is_the_one_it_was_given(subject).await;
        }
    }
}
