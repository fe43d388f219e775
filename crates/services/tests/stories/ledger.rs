//! Stakes, pots and the ledger.

use intermezzo_protocol::resources::{CreateMatch, Sit, TransferReason};
use intermezzo_services::{Caller, MatchRecord, PageQuery};
use intermezzo_store::{CommitOutcome, Expect, Put, Transaction};
use serde_json::json;

use crate::fixture::{ServicesFixture, account_id, ending, problem_code};

/// Starts a staked match of three with an entry fee of 5.
async fn match_of_three(fixture: &ServicesFixture) -> (Vec<Caller>, MatchRecord) {
    let players =
        vec![fixture.member("anna").await, fixture.member("bert").await, fixture.member("carl").await];
    let request = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    let mut record = fixture.services.create_match(&players[0], &request).await.unwrap();
    for player in &players[1..] {
        fixture.services.take_seat(player, record.id, &Sit::default()).await.unwrap();
    }
    for player in &players {
        record = fixture.services.set_ready(player, record.id, true).await.unwrap();
    }
    (players, record)
}

async fn balances(fixture: &ServicesFixture, players: &[Caller]) -> Vec<i64> {
    let mut balances = Vec::new();
    for player in players {
        balances.push(fixture.balance(player).await);
    }
    balances
}

#[tokio::test]
async fn a_seat_charges_the_entry_fee_and_refunds_it_until_the_start() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let request = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    let open = fixture.services.create_match(&anna, &request).await.unwrap();
    fixture.services.take_seat(&bert, open.id, &Sit::default()).await.unwrap();
    assert_eq!((fixture.balance(&anna).await, fixture.balance(&bert).await), (95, 95));
    assert_eq!(fixture.services.audit_ledger().await.unwrap().held, 10);
    fixture.services.kick_seat(&anna, open.id, 1).await.unwrap();
    assert_eq!(fixture.balance(&bert).await, 100);
    assert_eq!(problem_code(fixture.services.start_match(&anna, open.id).await), "not_ready");
    fixture.services.cancel_match(&anna, open.id).await.unwrap();
    assert_eq!(fixture.balance(&anna).await, 100);
    assert!(fixture.services.audit_ledger().await.unwrap().is_clean());
}

#[tokio::test]
async fn an_account_without_enough_tokens_cannot_take_a_seat() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let mut request = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    request.options.insert("entry".to_owned(), json!(60));
    fixture.services.create_match(&anna, &request).await.unwrap();
    assert_eq!(problem_code(fixture.services.create_match(&anna, &request).await), "not_enough");
    let open = fixture.services.create_match(&bert, &request).await.unwrap();
    let problem = fixture.services.take_seat(&anna, open.id, &Sit::default()).await.unwrap_err();
    assert_eq!((problem.code.name(), &problem.extra["balance"]), ("not_enough", &json!(40)));
    request.options.insert("entry".to_owned(), json!(0));
    assert_eq!(problem_code(fixture.services.create_match(&bert, &request).await), "invalid");
}

#[tokio::test]
async fn winners_share_the_pot_and_the_remainder_goes_to_the_lowest_seat() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (players, record) = match_of_three(&fixture).await;
    fixture.end_match(record.id, ending(&[2, 1], &[0], "winners")).await.unwrap();
    assert_eq!(balances(&fixture, &players).await, [95, 103, 102]);
    assert!(fixture.services.audit_ledger().await.unwrap().is_clean());
}

#[tokio::test]
async fn a_pot_is_split_burnt_or_refunded() {
    for (pot, expected, tokens) in
        [("split", [100, 100, 100], 300), ("burn", [95, 95, 95], 285), ("refund", [100, 100, 100], 300)]
    {
        let fixture = ServicesFixture::with_rulesets().await;
        let (players, record) = match_of_three(&fixture).await;
        fixture.end_match(record.id, ending(&[], &[], pot)).await.unwrap();
        assert_eq!(balances(&fixture, &players).await, expected, "{pot}");
        let audit = fixture.services.audit_ledger().await.unwrap();
        assert!(audit.is_clean(), "{audit:?}");
        assert_eq!((audit.tokens, audit.held), (tokens, 0), "{pot}");
    }
}

#[tokio::test]
async fn a_pot_without_winners_is_refunded() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (players, record) = match_of_three(&fixture).await;
    fixture.end_match(record.id, ending(&[], &[0], "winners")).await.unwrap();
    assert_eq!(balances(&fixture, &players).await, [100, 100, 100]);
}

#[tokio::test]
async fn a_match_is_settled_once() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (players, record) = match_of_three(&fixture).await;
    let one = fixture.services.prepare_settlement(record.id, ending(&[0], &[], "winners")).await.unwrap();
    let other =
        fixture.other_server().prepare_settlement(record.id, ending(&[1], &[], "winners")).await.unwrap();
    let commit = |puts| fixture.store.commit(Transaction { puts, ..Transaction::default() });
    assert_eq!(commit(one.puts.clone()).await, CommitOutcome::Committed);
    for late in [other.puts, one.puts] {
        assert!(matches!(commit(late).await, CommitOutcome::Conflict(_)));
    }
    assert_eq!(
        problem_code(fixture.services.prepare_settlement(record.id, ending(&[1], &[], "winners")).await),
        "closed"
    );
    assert_eq!(balances(&fixture, &players).await, [110, 95, 95]);
}

#[tokio::test]
async fn a_settlement_conflicts_with_later_changes() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (players, record) = match_of_three(&fixture).await;
    let settlement =
        fixture.services.prepare_settlement(record.id, ending(&[0], &[], "winners")).await.unwrap();
    let request = CreateMatch { ruleset: "orcain".to_owned(), stake: true, ..CreateMatch::default() };
    fixture.services.create_match(&players[0], &request).await.unwrap();
    let outcome = fixture.store.commit(Transaction { puts: settlement.puts, ..Transaction::default() }).await;
    assert!(matches!(outcome, CommitOutcome::Conflict(_)));
    fixture.end_match(record.id, ending(&[0], &[], "winners")).await.unwrap();
    assert_eq!(balances(&fixture, &players).await, [109, 95, 95]);
}

#[tokio::test]
async fn invalid_endings_are_rejected() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (_, record) = match_of_three(&fixture).await;
    assert_eq!(
        problem_code(fixture.services.prepare_settlement(record.id, ending(&[7], &[], "winners")).await),
        "internal"
    );
    assert_eq!(
        problem_code(fixture.services.prepare_settlement(record.id, ending(&[], &[], "lottery")).await),
        "internal"
    );
}

#[tokio::test]
async fn the_history_lists_all_transfers() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (players, record) = match_of_three(&fixture).await;
    fixture.clock.advance(1);
    fixture.end_match(record.id, ending(&[0], &[], "winners")).await.unwrap();
    let page =
        fixture.services.transfer_history(&account_id(&players[0]), PageQuery::default()).await.unwrap();
    let lines: Vec<(TransferReason, i64)> =
        page.items.iter().map(|item| (item.reason, item.amount)).collect();
    assert_eq!(
        lines,
        [(TransferReason::Prize, 15), (TransferReason::Entry, 5), (TransferReason::Welcome, 100)]
    );
    assert_eq!(page.items[0].match_id, Some(record.id.to_string()));
}

#[tokio::test]
async fn an_audit_finds_a_wrong_balance() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let key = format!("balance/account:{}", account_id(&anna));
    let put = Put { key, expect: Expect::Anything, value: Some(b"1000".to_vec()) };
    let transaction = Transaction { puts: vec![put], ..Transaction::default() };
    assert_eq!(fixture.store.commit(transaction).await, CommitOutcome::Committed);
    assert_eq!(fixture.services.audit_ledger().await.unwrap().mismatches.len(), 1);
}
