//! The queue and matchmaking.

use std::sync::Arc;

use intermezzo_protocol::resources::{CreateMatch, JoinQueue, QueueState};
use intermezzo_services::Services;

use crate::fixture::{ServicesFixture, account_id, problem_code, records};

const FREE: JoinQueue = JoinQueue { stake: false };
const STAKED: JoinQueue = JoinQueue { stake: true };

#[tokio::test]
async fn two_waiting_players_are_matched() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    fixture.services.join_queue(&anna, "orcain", STAKED).await.unwrap();
    assert!(fixture.services.run_matchmaking("orcain").await.unwrap().is_empty());
    fixture.services.join_queue(&bert, "orcain", STAKED).await.unwrap();
    assert_eq!(fixture.services.active_queues().await.unwrap(), ["orcain"]);
    let started = records(fixture.services.run_matchmaking("orcain").await.unwrap());
    assert_eq!(started.len(), 1);
    let found = QueueState::Found { match_id: started[0].id.to_string() };
    assert_eq!(fixture.services.queue_status(&account_id(&anna), "orcain").await.unwrap().state, found);
    assert_eq!(fixture.services.queue_statuses(&account_id(&bert)).await.unwrap()[0].state, found);
    assert_eq!((fixture.balance(&anna).await, fixture.balance(&bert).await), (99, 99));
    assert!(fixture.services.run_matchmaking("orcain").await.unwrap().is_empty());
    assert!(started[0].setup().is_ok());
}

#[tokio::test]
async fn an_account_can_join_a_queue_once() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    fixture.services.join_queue(&anna, "orcain", FREE).await.unwrap();
    assert_eq!(problem_code(fixture.services.join_queue(&anna, "orcain", STAKED).await), "already_queued");
    fixture.services.join_queue(&anna, "tiny", FREE).await.unwrap();
    fixture.services.leave_queue(&anna, "orcain").await.unwrap();
    fixture.services.leave_queue(&anna, "orcain").await.unwrap();
    assert_eq!(problem_code(fixture.services.queue_status(&account_id(&anna), "orcain").await), "not_found");
    fixture.services.join_queue(&anna, "orcain", STAKED).await.unwrap();
    assert_eq!(problem_code(fixture.services.join_queue(&anna, "nothing", FREE).await), "not_found");
}

#[tokio::test]
async fn staked_and_unstaked_entries_are_not_matched() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    fixture.services.join_queue(&anna, "orcain", FREE).await.unwrap();
    fixture.services.join_queue(&bert, "orcain", STAKED).await.unwrap();
    fixture.clock.advance(59_000);
    assert!(fixture.services.run_matchmaking("orcain").await.unwrap().is_empty());
}

#[tokio::test]
async fn absent_players_stop_waiting() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    fixture.services.join_queue(&anna, "orcain", FREE).await.unwrap();
    fixture.services.join_queue(&bert, "orcain", FREE).await.unwrap();
    fixture.clock.advance(40_000);
    fixture.services.refresh_presence(&account_id(&anna)).await.unwrap();
    fixture.clock.advance(40_000);
    assert!(fixture.services.run_matchmaking("orcain").await.unwrap().is_empty());
    assert_eq!(problem_code(fixture.services.queue_status(&account_id(&bert), "orcain").await), "not_found");
    assert_eq!(
        fixture.services.queue_status(&account_id(&anna), "orcain").await.unwrap().state,
        QueueState::Waiting
    );
    fixture.services.join_queue(&bert, "orcain", FREE).await.unwrap();
    assert_eq!(fixture.services.run_matchmaking("orcain").await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_account_that_cannot_pay_is_dropped_and_the_others_are_matched() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert, carl) =
        (fixture.member("anna").await, fixture.member("bert").await, fixture.member("carl").await);
    for player in [&anna, &bert, &carl] {
        fixture.services.join_queue(player, "orcain", STAKED).await.unwrap();
        fixture.clock.advance(1);
    }
    let mut request = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    request.options.insert("entry".to_owned(), serde_json::json!(100));
    fixture.services.create_match(&anna, &request).await.unwrap();
    assert!(fixture.services.run_matchmaking("orcain").await.unwrap().is_empty());
    let started = records(fixture.services.run_matchmaking("orcain").await.unwrap());
    assert_eq!(started[0].participants(), [account_id(&bert), account_id(&carl)].into());
    match fixture.services.queue_status(&account_id(&anna), "orcain").await.unwrap().state {
        QueueState::Dropped { problem } => assert_eq!(problem.code.name(), "not_enough"),
        other => panic!("{other:?}"),
    }
    assert_eq!(problem_code(fixture.services.join_queue(&anna, "orcain", STAKED).await), "not_enough");
}

#[tokio::test]
async fn an_account_with_too_many_matches_does_not_block_the_others() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert, carl) =
        (fixture.member("anna").await, fixture.member("bert").await, fixture.member("carl").await);
    let request = CreateMatch { ruleset: "tiny".to_owned(), ..CreateMatch::default() };
    for _ in 0..50 {
        fixture.services.create_match(&anna, &request).await.unwrap();
    }
    for player in [&anna, &bert, &carl] {
        fixture.services.join_queue(player, "orcain", FREE).await.unwrap();
        fixture.clock.advance(1);
    }
    assert!(fixture.services.run_matchmaking("orcain").await.unwrap().is_empty());
    assert_eq!(fixture.services.run_matchmaking("orcain").await.unwrap().len(), 1);
    match fixture.services.queue_status(&account_id(&anna), "orcain").await.unwrap().state {
        QueueState::Dropped { problem } => assert_eq!(problem.code.name(), "too_many"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_matchmaking_pairs_nobody_twice() {
    for round in 0..3 {
        let (fixture, _folder) = ServicesFixture::on_disk().await;
        fixture.publish_rulesets().await;
        for index in 0..13 {
            let player = fixture.member(&format!("player{index}")).await;
            fixture.services.join_queue(&player, "orcain", STAKED).await.unwrap();
        }
        let servers: Vec<Arc<Services>> = (0..4).map(|_| Arc::new(fixture.other_server())).collect();
        let work = servers.into_iter().map(|server| {
            tokio::spawn(async move {
                let mut started = Vec::new();
                for _ in 0..4 {
                    started.extend(server.run_matchmaking("orcain").await.unwrap_or_default());
                }
                records(started)
            })
        });
        let mut seated = Vec::new();
        for task in work.collect::<Vec<_>>() {
            for record in task.await.unwrap() {
                assert_eq!(record.participants().len(), 2, "round {round}");
                seated.extend(record.participants());
            }
        }
        let count = seated.len();
        seated.sort();
        seated.dedup();
        assert_eq!((count, seated.len()), (12, 12), "round {round}");
        assert!(fixture.services.audit_ledger().await.unwrap().is_clean());
    }
}
