//! Stakes, pots and the books.

use intermezzo_protocol::resources::{CreateMatch, Reason, Sit};
use intermezzo_server::house::{Caller, MatchRecord, Window};
use intermezzo_store::{Expect, Outcome, Put, Transaction};
use serde_json::json;

use crate::world::{World, code, ending, id};

/// A staked match of three, with an entry of 5.
async fn three(world: &World) -> (Vec<Caller>, MatchRecord) {
    let players = vec![world.guest("anna").await, world.guest("bert").await, world.guest("carl").await];
    let wish = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    let mut record = world.house.create_match(&players[0], &wish).await.unwrap();
    for player in &players[1..] {
        world.house.sit(player, record.id, &Sit::default()).await.unwrap();
    }
    for player in &players {
        record = world.house.ready(player, record.id, true).await.unwrap();
    }
    (players, record)
}

async fn balances(world: &World, players: &[Caller]) -> Vec<i64> {
    let mut balances = Vec::new();
    for player in players {
        balances.push(world.balance(player).await);
    }
    balances
}

#[tokio::test]
async fn a_seat_takes_the_entry_and_gives_it_back_until_the_start() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let wish = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    let open = world.house.create_match(&anna, &wish).await.unwrap();
    world.house.sit(&bert, open.id, &Sit::default()).await.unwrap();
    assert_eq!((world.balance(&anna).await, world.balance(&bert).await), (95, 95));
    assert_eq!(world.house.audit().await.unwrap().held, 10);
    world.house.kick(&anna, open.id, 1).await.unwrap();
    assert_eq!(world.balance(&bert).await, 100);
    assert_eq!(code(world.house.start(&anna, open.id).await), "not_ready");
    world.house.cancel(&anna, open.id).await.unwrap();
    assert_eq!(world.balance(&anna).await, 100);
    assert!(world.house.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn who_has_too_little_cannot_sit_down() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let mut wish = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
    wish.options.insert("entry".to_owned(), json!(60));
    world.house.create_match(&anna, &wish).await.unwrap();
    assert_eq!(code(world.house.create_match(&anna, &wish).await), "not_enough");
    let open = world.house.create_match(&bert, &wish).await.unwrap();
    let problem = world.house.sit(&anna, open.id, &Sit::default()).await.unwrap_err();
    assert_eq!((problem.code.name(), &problem.more["balance"]), ("not_enough", &json!(40)));
    wish.options.insert("entry".to_owned(), json!(0));
    assert_eq!(code(world.house.create_match(&bert, &wish).await), "invalid");
}

#[tokio::test]
async fn winners_share_the_pot_and_the_rest_goes_to_the_lowest_seat() {
    let world = World::with_rulesets().await;
    let (players, record) = three(&world).await;
    world.end(record.id, ending(&[2, 1], &[0], "winners")).await.unwrap();
    assert_eq!(balances(&world, &players).await, [95, 103, 102]);
    assert!(world.house.audit().await.unwrap().is_clean());
}

#[tokio::test]
async fn a_pot_is_split_burnt_or_refunded() {
    for (pot, expected, tokens) in
        [("split", [100, 100, 100], 300), ("burn", [95, 95, 95], 285), ("refund", [100, 100, 100], 300)]
    {
        let world = World::with_rulesets().await;
        let (players, record) = three(&world).await;
        world.end(record.id, ending(&[], &[], pot)).await.unwrap();
        assert_eq!(balances(&world, &players).await, expected, "{pot}");
        let audit = world.house.audit().await.unwrap();
        assert!(audit.is_clean(), "{audit:?}");
        assert_eq!((audit.tokens, audit.held), (tokens, 0), "{pot}");
    }
}

#[tokio::test]
async fn a_pot_for_winners_without_any_is_refunded() {
    let world = World::with_rulesets().await;
    let (players, record) = three(&world).await;
    world.end(record.id, ending(&[], &[0], "winners")).await.unwrap();
    assert_eq!(balances(&world, &players).await, [100, 100, 100]);
}

#[tokio::test]
async fn a_match_is_settled_once() {
    let world = World::with_rulesets().await;
    let (players, record) = three(&world).await;
    let one = world.house.settlement(record.id, ending(&[0], &[], "winners")).await.unwrap();
    let other = world.neighbour().settlement(record.id, ending(&[1], &[], "winners")).await.unwrap();
    let commit = |puts| world.store.commit(Transaction { puts, ..Transaction::default() });
    assert_eq!(commit(one.puts.clone()).await, Outcome::Committed);
    for late in [other.puts, one.puts] {
        assert!(matches!(commit(late).await, Outcome::Conflict(_)));
    }
    assert_eq!(code(world.house.settlement(record.id, ending(&[1], &[], "winners")).await), "closed");
    assert_eq!(balances(&world, &players).await, [110, 95, 95]);
}

#[tokio::test]
async fn a_settlement_notices_what_has_changed_since() {
    let world = World::with_rulesets().await;
    let (players, record) = three(&world).await;
    let settled = world.house.settlement(record.id, ending(&[0], &[], "winners")).await.unwrap();
    let wish = CreateMatch { ruleset: "orcain".to_owned(), stake: true, ..CreateMatch::default() };
    world.house.create_match(&players[0], &wish).await.unwrap();
    let outcome = world.store.commit(Transaction { puts: settled.puts, ..Transaction::default() }).await;
    assert!(matches!(outcome, Outcome::Conflict(_)));
    world.end(record.id, ending(&[0], &[], "winners")).await.unwrap();
    assert_eq!(balances(&world, &players).await, [109, 95, 95]);
}

#[tokio::test]
async fn endings_that_make_no_sense_are_refused() {
    let world = World::with_rulesets().await;
    let (_, record) = three(&world).await;
    assert_eq!(code(world.house.settlement(record.id, ending(&[7], &[], "winners")).await), "internal");
    assert_eq!(code(world.house.settlement(record.id, ending(&[], &[], "lottery")).await), "internal");
}

#[tokio::test]
async fn the_history_tells_where_tokens_came_from_and_went() {
    let world = World::with_rulesets().await;
    let (players, record) = three(&world).await;
    world.clock.advance(1);
    world.end(record.id, ending(&[0], &[], "winners")).await.unwrap();
    let page = world.house.history(&id(&players[0]), Window::default()).await.unwrap();
    let lines: Vec<(Reason, i64)> = page.items.iter().map(|item| (item.reason, item.amount)).collect();
    assert_eq!(lines, [(Reason::Prize, 15), (Reason::Entry, 5), (Reason::Welcome, 100)]);
    assert_eq!(page.items[0].match_id, Some(record.id.to_string()));
}

#[tokio::test]
async fn an_audit_finds_tokens_that_came_from_nowhere() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let key = format!("balance/account:{}", id(&anna));
    let put = Put { key, expect: Expect::Anything, value: Some(b"1000".to_vec()) };
    let transaction = Transaction { puts: vec![put], ..Transaction::default() };
    assert_eq!(world.store.commit(transaction).await, Outcome::Committed);
    assert_eq!(world.house.audit().await.unwrap().mismatches.len(), 1);
}
