//! Commands that are sent twice.

use std::sync::Arc;

use intermezzo_protocol::resources::CreateMatch;
use intermezzo_services::{Caller, PageQuery, Services};
use intermezzo_store::{FaultInjector, InjectedFault, MemoryStore};
use serde_json::{Value, json};

use crate::fixture::{ServicesFixture, account_id, problem_code};

fn staked() -> CreateMatch {
    CreateMatch { ruleset: "orcain".to_owned(), stake: true, ..CreateMatch::default() }
}

async fn create(services: Arc<Services>, caller: Caller) -> (u16, Value) {
    match services.create_match(&caller, &staked()).await {
        Ok(record) => (201, json!({"id": record.id.to_string()})),
        Err(problem) => (problem.status, json!(problem)),
    }
}

#[tokio::test]
async fn a_repeated_command_returns_the_first_response() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let send = || {
        fixture
            .services
            .run_once(&anna.account, "k1", "create", |caller| create(Arc::clone(&fixture.services), caller))
    };
    let first = send().await.unwrap();
    assert_eq!(first.0, 201);
    assert_eq!(send().await.unwrap(), first);
    assert_eq!(fixture.balance(&anna).await, 99);
}

#[tokio::test]
async fn a_key_used_for_another_request_is_rejected() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let nothing = |_| async { (200, Value::Null) };
    fixture.services.run_once(&anna.account, "k1", "one", nothing).await.unwrap();
    assert_eq!(
        problem_code(fixture.services.run_once(&anna.account, "k1", "two", nothing).await),
        "command_reused"
    );
    fixture.services.run_once(&bert.account, "k1", "two", nothing).await.unwrap();
    for key in ["", "a/b", "a b", "ä", &"x".repeat(101)] {
        assert_eq!(
            problem_code(fixture.services.run_once(&anna.account, key, "one", nothing).await),
            "invalid",
            "{key}"
        );
    }
}

#[tokio::test]
async fn a_command_interrupted_after_its_effect_is_not_carried_out_again() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    // The server stops between the effect and the response.
    let cut_off = fixture
        .services
        .run_once(&anna.account, "k1", "create", |caller| async {
            let (_, body) = create(Arc::clone(&fixture.services), caller).await;
            (503, body)
        })
        .await
        .unwrap();
    let again = fixture
        .services
        .run_once(&anna.account, "k1", "create", |caller| create(Arc::clone(&fixture.services), caller))
        .await
        .unwrap();
    assert_eq!(again, (201, cut_off.1));
    assert_eq!(
        fixture.services.matches_of(&account_id(&anna), PageQuery::default()).await.unwrap().items.len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_copies_of_a_command_are_carried_out_once() {
    let (fixture, _folder) = ServicesFixture::on_disk().await;
    fixture.publish_rulesets().await;
    let anna = fixture.member("anna").await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (services, account) = (Arc::new(fixture.other_server()), anna.account.clone());
            tokio::spawn(async move {
                services
                    .run_once(&account, "k1", "create", |caller| create(Arc::clone(&services), caller))
                    .await
                    .unwrap()
            })
        })
        .collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(fixture.balance(&anna).await, 99);
}

#[tokio::test]
async fn commits_with_unknown_outcome_are_retried() {
    let faulty = |faults: &'static [InjectedFault]| {
        ServicesFixture::on_store(move |clock| {
            Arc::new(FaultInjector::scripted(MemoryStore::with_clock(clock), faults.iter().copied()))
        })
    };
    use InjectedFault::{NotCommitted, UnknownCommitted, UnknownNotCommitted};
    for (faults, tokens) in [
        (&[UnknownCommitted][..], 1),
        (&[UnknownNotCommitted], 1),
        (&[UnknownNotCommitted, UnknownCommitted], 1),
        (&[UnknownNotCommitted, UnknownNotCommitted, UnknownNotCommitted, UnknownNotCommitted], 0),
        (&[NotCommitted], 0),
    ] {
        let fixture = faulty(faults).await;
        let created = fixture.services.create_account(&Default::default()).await;
        assert_eq!(created.is_ok(), tokens == 1, "{faults:?}");
        assert_eq!(fixture.services.audit_ledger().await.unwrap().tokens, 100 * tokens, "{faults:?}");
    }
}
