//! What has had its time, and houses on disk.

use std::sync::Arc;

use intermezzo_protocol::resources::{CreateMatch, MatchStatus};
use intermezzo_store::{Sqlite, prefix};
use serde_json::Value;

use crate::world::{World, ending, id};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn a_sweep_removes_what_has_had_its_time_and_nothing_else() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let wish = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    let open = world.house.create_match(&anna, &wish).await.unwrap();
    world.house.once(&anna.account, "k1", "x", |_| async { (200, Value::Null) }).await.unwrap();
    let swept = world.house.sweep().await.unwrap();
    assert_eq!(swept, Default::default());
    world.clock.advance(DAY_MS + 1);
    let swept = world.house.sweep().await.unwrap();
    assert!(swept.records > 4, "{swept:?}");
    assert_eq!((swept.matches, swept.sessions), (1, 0));
    assert_eq!(world.house.match_record(open.id).await.unwrap().status, MatchStatus::Cancelled);
    assert_eq!(world.balance(&anna).await, 100);
    world.clock.advance(30 * DAY_MS);
    assert_eq!(world.house.sweep().await.unwrap().sessions, 2);
    for gone in ["mark/", "command/", "session/", "session-of/", "open-match/", "open-of/"] {
        let left = world.store.scan(prefix(gone), 10, false).await.unwrap();
        assert!(left.iter().all(|(key, _)| key.starts_with("mark/")), "{left:?}");
    }
    assert!(world.house.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn everything_is_still_there_when_a_file_is_opened_again() {
    let (world, folder) = World::on_disk().await;
    world.publish().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let duel = world.duel(&anna, &bert).await;
    world.store.close().await;
    drop(world);
    let world = World::on(|clock| Arc::new(Sqlite::open(&folder.0, clock).unwrap())).await;
    world.publish().await;
    assert_eq!(world.house.match_record(duel.id).await.unwrap(), duel);
    world.house.program(&duel.ruleset.hash).await.unwrap();
    world.end(duel.id, ending(&[1], &[0], "winners")).await.unwrap();
    assert_eq!((world.balance(&anna).await, world.balance(&bert).await), (99, 101));
    assert!(world.house.audit().await.unwrap().is_clean());
    world.house.delete_account(&bert).await.unwrap();
    assert_eq!(world.house.balance(&id(&bert)).await.unwrap(), 0);
    world.store.close().await;
}
