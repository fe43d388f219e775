//! The queue.

use std::sync::Arc;

use intermezzo_protocol::resources::{CreateMatch, JoinQueue, QueueState};
use intermezzo_server::house::House;

use crate::world::{World, code, id, records};

const FREE: JoinQueue = JoinQueue { stake: false };
const STAKED: JoinQueue = JoinQueue { stake: true };

#[tokio::test]
async fn two_who_wait_find_each_other() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    world.house.join_queue(&anna, "orcain", STAKED).await.unwrap();
    assert!(world.house.match_up("orcain").await.unwrap().is_empty());
    world.house.join_queue(&bert, "orcain", STAKED).await.unwrap();
    assert_eq!(world.house.queues().await.unwrap(), ["orcain"]);
    let started = records(world.house.match_up("orcain").await.unwrap());
    assert_eq!(started.len(), 1);
    let found = QueueState::Found { match_id: started[0].id.to_string() };
    assert_eq!(world.house.queue_status(&id(&anna), "orcain").await.unwrap().state, found);
    assert_eq!(world.house.queue_statuses(&id(&bert)).await.unwrap()[0].state, found);
    assert_eq!((world.balance(&anna).await, world.balance(&bert).await), (99, 99));
    assert!(world.house.match_up("orcain").await.unwrap().is_empty());
    assert!(started[0].setup().is_ok());
}

#[tokio::test]
async fn nobody_waits_twice_for_the_same() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    world.house.join_queue(&anna, "orcain", FREE).await.unwrap();
    assert_eq!(code(world.house.join_queue(&anna, "orcain", STAKED).await), "already_queued");
    world.house.join_queue(&anna, "tiny", FREE).await.unwrap();
    world.house.leave_queue(&anna, "orcain").await.unwrap();
    world.house.leave_queue(&anna, "orcain").await.unwrap();
    assert_eq!(code(world.house.queue_status(&id(&anna), "orcain").await), "not_found");
    world.house.join_queue(&anna, "orcain", STAKED).await.unwrap();
    assert_eq!(code(world.house.join_queue(&anna, "nothing", FREE).await), "not_found");
}

#[tokio::test]
async fn those_who_stake_and_those_who_do_not_are_not_brought_together() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    world.house.join_queue(&anna, "orcain", FREE).await.unwrap();
    world.house.join_queue(&bert, "orcain", STAKED).await.unwrap();
    world.clock.advance(59_000);
    assert!(world.house.match_up("orcain").await.unwrap().is_empty());
}

#[tokio::test]
async fn who_is_not_there_any_more_does_not_wait() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    world.house.join_queue(&anna, "orcain", FREE).await.unwrap();
    world.house.join_queue(&bert, "orcain", FREE).await.unwrap();
    world.clock.advance(40_000);
    world.house.present(&id(&anna)).await.unwrap();
    world.clock.advance(40_000);
    assert!(world.house.match_up("orcain").await.unwrap().is_empty());
    assert_eq!(code(world.house.queue_status(&id(&bert), "orcain").await), "not_found");
    assert_eq!(world.house.queue_status(&id(&anna), "orcain").await.unwrap().state, QueueState::Waiting);
    world.house.join_queue(&bert, "orcain", FREE).await.unwrap();
    assert_eq!(world.house.match_up("orcain").await.unwrap().len(), 1);
}

#[tokio::test]
async fn who_cannot_pay_is_told_and_the_others_go_on() {
    let world = World::with_rulesets().await;
    let (anna, bert, carl) =
        (world.guest("anna").await, world.guest("bert").await, world.guest("carl").await);
    for player in [&anna, &bert, &carl] {
        world.house.join_queue(player, "orcain", STAKED).await.unwrap();
        world.clock.advance(1);
    }
    let mut wish = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    wish.options.insert("entry".to_owned(), serde_json::json!(100));
    world.house.create_match(&anna, &wish).await.unwrap();
    assert!(world.house.match_up("orcain").await.unwrap().is_empty());
    let started = records(world.house.match_up("orcain").await.unwrap());
    assert_eq!(started[0].people(), [id(&bert), id(&carl)].into());
    match world.house.queue_status(&id(&anna), "orcain").await.unwrap().state {
        QueueState::Dropped { problem } => assert_eq!(problem.code.name(), "not_enough"),
        other => panic!("{other:?}"),
    }
    assert_eq!(code(world.house.join_queue(&anna, "orcain", STAKED).await), "not_enough");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_that_pair_at_once_pair_nobody_twice() {
    for round in 0..5 {
        let world = World::with_rulesets().await;
        for index in 0..13 {
            let player = world.guest(&format!("player{index}")).await;
            world.house.join_queue(&player, "orcain", STAKED).await.unwrap();
        }
        let servers: Vec<Arc<House>> = (0..4).map(|_| Arc::new(world.neighbour())).collect();
        let work = servers.into_iter().map(|server| {
            tokio::spawn(async move {
                let mut started = Vec::new();
                for _ in 0..4 {
                    started.extend(server.match_up("orcain").await.unwrap_or_default());
                }
                records(started)
            })
        });
        let mut seated = Vec::new();
        for task in work.collect::<Vec<_>>() {
            for record in task.await.unwrap() {
                assert_eq!(record.people().len(), 2, "round {round}");
                seated.extend(record.people());
            }
        }
        let count = seated.len();
        seated.sort();
        seated.dedup();
        assert_eq!((count, seated.len()), (12, 12), "round {round}");
        assert!(world.house.audit().await.unwrap().is_clean());
    }
}
