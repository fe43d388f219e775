//! Removal of expired records, and services on disk.

use std::sync::Arc;

use intermezzo_protocol::resources::{CreateMatch, MatchStatus};
use intermezzo_store::{SqliteStore, prefix};
use serde_json::Value;

use crate::fixture::{ServicesFixture, account_id, ending};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn a_sweep_removes_only_expired_records() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let request = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    let open = fixture.services.create_match(&anna, &request).await.unwrap();
    fixture.services.run_once(&anna.account, "k1", "x", |_| async { (200, Value::Null) }).await.unwrap();
    let report = fixture.services.sweep().await.unwrap();
    assert_eq!(report, Default::default());
    fixture.clock.advance(DAY_MS + 1);
    let report = fixture.services.sweep().await.unwrap();
    assert!(report.records > 4, "{report:?}");
    assert_eq!((report.matches, report.sessions), (1, 0));
    assert_eq!(fixture.services.match_record(open.id).await.unwrap().status, MatchStatus::Cancelled);
    assert_eq!(fixture.balance(&anna).await, 100);
    fixture.clock.advance(30 * DAY_MS);
    assert_eq!(fixture.services.sweep().await.unwrap().sessions, 2);
    for gone in ["mark/", "command/", "session/", "session-of/", "open-match/", "open-of/"] {
        let left = fixture.store.scan(prefix(gone), 10, false).await.unwrap();
        assert!(left.iter().all(|(key, _)| key.starts_with("mark/")), "{left:?}");
    }
    assert!(fixture.services.audit_ledger().await.unwrap().is_clean());
}

#[tokio::test]
async fn everything_survives_reopening_the_file() {
    let (fixture, folder) = ServicesFixture::on_disk().await;
    fixture.publish_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let duel = fixture.start_duel(&anna, &bert).await;
    fixture.store.close().await;
    drop(fixture);
    let fixture =
        ServicesFixture::on_store(|clock| Arc::new(SqliteStore::open(&folder.0, clock).unwrap())).await;
    fixture.publish_rulesets().await;
    assert_eq!(fixture.services.match_record(duel.id).await.unwrap(), duel);
    fixture.services.program(&duel.ruleset.hash).await.unwrap();
    fixture.end_match(duel.id, ending(&[1], &[0], "winners")).await.unwrap();
    assert_eq!((fixture.balance(&anna).await, fixture.balance(&bert).await), (99, 101));
    assert!(fixture.services.audit_ledger().await.unwrap().is_clean());
    fixture.services.delete_account(&bert).await.unwrap();
    assert_eq!(fixture.services.balance(&account_id(&bert)).await.unwrap(), 0);
    fixture.store.close().await;
}
