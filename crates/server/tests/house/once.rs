//! Commands that are sent twice.

use std::sync::Arc;

use intermezzo_protocol::resources::CreateMatch;
use intermezzo_server::house::{Caller, House, Window};
use intermezzo_store::{Fault, Faulty, Memory};
use serde_json::{Value, json};

use crate::world::{World, code, id};

fn staked() -> CreateMatch {
    CreateMatch { ruleset: "orcain".to_owned(), stake: true, ..CreateMatch::default() }
}

async fn create(house: Arc<House>, caller: Caller) -> (u16, Value) {
    match house.create_match(&caller, &staked()).await {
        Ok(record) => (201, json!({"id": record.id.to_string()})),
        Err(problem) => (problem.status, json!(problem)),
    }
}

#[tokio::test]
async fn the_same_command_gives_the_first_answer_again() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let send =
        || world.house.once(&anna.account, "k1", "create", |caller| create(Arc::clone(&world.house), caller));
    let first = send().await.unwrap();
    assert_eq!(first.0, 201);
    assert_eq!(send().await.unwrap(), first);
    assert_eq!(world.balance(&anna).await, 99);
}

#[tokio::test]
async fn a_key_that_was_used_for_something_else_is_refused() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let nothing = |_| async { (200, Value::Null) };
    world.house.once(&anna.account, "k1", "one", nothing).await.unwrap();
    assert_eq!(code(world.house.once(&anna.account, "k1", "two", nothing).await), "command_reused");
    world.house.once(&bert.account, "k1", "two", nothing).await.unwrap();
    for key in ["", "a/b", "a b", "ä", &"x".repeat(101)] {
        assert_eq!(code(world.house.once(&anna.account, key, "one", nothing).await), "invalid", "{key}");
    }
}

#[tokio::test]
async fn a_command_that_was_cut_off_after_its_effect_is_not_carried_out_again() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    // The server stops between the effect and the answer.
    let cut_off = world
        .house
        .once(&anna.account, "k1", "create", |caller| async {
            let (_, body) = create(Arc::clone(&world.house), caller).await;
            (503, body)
        })
        .await
        .unwrap();
    let again = world
        .house
        .once(&anna.account, "k1", "create", |caller| create(Arc::clone(&world.house), caller))
        .await
        .unwrap();
    assert_eq!(again, (201, cut_off.1));
    assert_eq!(world.house.matches_of(&id(&anna), Window::default()).await.unwrap().items.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_command_that_arrives_many_times_at_once_is_carried_out_once() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (house, account) = (Arc::new(world.neighbour()), anna.account.clone());
            tokio::spawn(async move {
                house
                    .once(&account, "k1", "create", |caller| create(Arc::clone(&house), caller))
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
    assert_eq!(world.balance(&anna).await, 99);
}

#[tokio::test]
async fn a_store_that_cannot_tell_is_asked_again() {
    let faulty = |faults: &'static [Fault]| {
        World::on(move |clock| Arc::new(Faulty::scripted(Memory::with_clock(clock), faults.iter().copied())))
    };
    use Fault::{DefinitelyNot, UnknownLanded, UnknownLost};
    for (faults, tokens) in [
        (&[UnknownLanded][..], 1),
        (&[UnknownLost], 1),
        (&[UnknownLost, UnknownLanded], 1),
        (&[UnknownLost, UnknownLost, UnknownLost, UnknownLost], 0),
        (&[DefinitelyNot], 0),
    ] {
        let world = faulty(faults).await;
        let made = world.house.create_account(&Default::default()).await;
        assert_eq!(made.is_ok(), tokens == 1, "{faults:?}");
        assert_eq!(world.house.audit().await.unwrap().tokens, 100 * tokens, "{faults:?}");
    }
}
