//! Clients that know only the protocol play every ruleset of this repository to its end.

use std::sync::Arc;
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_protocol::Code;
use serde_json::{Value, json};

use super::answering;
use super::client::Client;
use super::world::World;

/// No match of these stories takes longer.
const MAX_ANSWERS: u32 = 5_000;

/// Answers whatever is asked until the match is over; how often that was.
pub(crate) async fn play(
    client: &mut Client,
    random: &mut Random,
    is_enough: impl Fn(&Client) -> bool,
) -> u32 {
    for answers in 0..MAX_ANSWERS {
        client.until(|client| client.is_over() || !client.prompts.is_empty() || is_enough(client)).await;
        if client.is_over() || is_enough(client) {
            return answers;
        }
        let prompt = client.prompts[0].clone();
        let answer = answering::at_random(client, &prompt, random).await;
        let input = prompt["inputId"].as_u64().unwrap();
        match client.answer(input, answer.clone()).await {
            Ok(()) => {}
            Err(problem) if problem.code == Code::Closed => {}
            Err(problem) => panic!("{answer} to {prompt}: {problem}"),
        }
    }
    panic!("the match does not end");
}

/// A story to be played.
struct Story {
    wish: Value,
    seats: usize,
    /// Zones whose contents nobody who looks on may see.
    hidden: &'static [&'static str],
    /// When the first player's connection breaks; it comes back at once.
    breaks: Option<fn(&Client) -> bool>,
}

/// Plays a match of as many as there are, with someone looking on.
async fn whole_match(story: Story) {
    let ruleset = story.wish["ruleset"].as_str().unwrap().to_owned();
    let world = Arc::new(World::with(&[&ruleset]).await);
    let mut tokens = Vec::new();
    for seat in 0..story.seats {
        tokens.push(world.guest(&format!("player{seat}")).await);
    }
    let id = world.table(story.wish, &tokens.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let watcher = Client::join_as(&world, json!({"match": id})).await;
    let watching = tokio::spawn(watch(watcher, story.hidden));
    let mut playing = Vec::new();
    for (seat, token) in tokens.iter().enumerate() {
        let client = Client::join(&world, token, &id).await;
        let breaks = story.breaks.filter(|_| seat == 0);
        playing.push(tokio::spawn(play_to_the_end(Arc::clone(&world), client, seat as u64, breaks)));
    }
    let ending = watching.await.unwrap();
    for playing in playing {
        assert_eq!(playing.await.unwrap(), ending);
    }
    assert_eq!(world.match_info(&id).await["status"], json!("ended"));
}

async fn play_to_the_end(
    world: Arc<World>,
    mut client: Client,
    seed: u64,
    breaks: Option<fn(&Client) -> bool>,
) -> Value {
    let mut random = Random::new(seed);
    if let Some(breaks) = breaks {
        play(&mut client, &mut random, breaks).await;
        assert!(!client.is_over(), "the connection breaks in the middle of the match");
        client.lose().await;
        // The others go on if they can, so that something is missed.
        tokio::time::sleep(Duration::from_millis(50)).await;
        client.return_to(&world).await;
    }
    play(&mut client, &mut random, |_| false).await;
    client.view["ending"].clone()
}

/// Looks on until the match is over, and never sees what is hidden.
async fn watch(mut watcher: Client, hidden: &[&str]) -> Value {
    loop {
        assert!(watcher.prompts.is_empty(), "who looks on is asked nothing");
        check_hidden(&watcher.view, hidden);
        if watcher.is_over() {
            return watcher.view["ending"].clone();
        }
        watcher.next().await;
    }
}

fn check_hidden(value: &Value, hidden: &[&str]) {
    match value {
        Value::Object(entries) => {
            for (name, zone) in entries.get("zones").and_then(Value::as_object).into_iter().flatten() {
                let is_open = zone.get("items").is_some();
                assert!(!is_open || !hidden.contains(&name.as_str()), "`{name}` is seen: {zone}");
            }
            entries.values().for_each(|value| check_hidden(value, hidden));
        }
        Value::Array(items) => items.iter().for_each(|item| check_hidden(item, hidden)),
        _ => {}
    }
}

fn after_a_while(client: &Client) -> bool {
    client.version > 12
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_duel_is_played_to_its_end() {
    let wish = json!({"ruleset": "orcain"});
    // Here a connection that breaks loses the match.
    whole_match(Story { wish, seats: 2, hidden: &["hand"], breaks: None }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mages_play_to_the_end_though_a_connection_breaks_while_a_spell_waits() {
    let breaks: fn(&Client) -> bool = |client| client.view["zones"]["stack"]["count"].as_u64() > Some(0);
    let wish = json!({"ruleset": "mages", "options": {"life": 12}});
    whole_match(Story { wish, seats: 2, hidden: &["hand", "deck"], breaks: Some(breaks) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_lay_their_cards_to_the_end() {
    let wish = json!({"ruleset": "dogma", "options": {"rounds": 6}});
    let hidden = &["hand", "scored", "supply"];
    whole_match(Story { wish, seats: 3, hidden, breaks: Some(after_a_while) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_draft_to_the_end() {
    let wish = json!({"ruleset": "draft"});
    let hidden = &["cube", "unopened", "contents", "picks"];
    whole_match(Story { wish, seats: 4, hidden, breaks: Some(after_a_while) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_skirmish_is_fought_to_the_end() {
    let wish = json!({"ruleset": "skirmish", "options": {"rounds": 3}});
    whole_match(Story { wish, seats: 2, hidden: &[], breaks: Some(after_a_while) }).await;
}

#[tokio::test]
async fn an_event_says_which_one_it_follows_from() {
    let world = World::with(&["skirmish"]).await;
    let token = world.guest("anna").await;
    let id = world.table(json!({"ruleset": "skirmish", "places": ["human", "random"]}), &[&token]).await;
    let mut anna = Client::join(&world, &token, &id).await;
    let follows = |client: &Client| client.events.iter().any(|event| event["cause"].is_u64());
    play(&mut anna, &mut Random::new(3), follows).await;
    assert!(follows(&anna), "something follows from something else in every skirmish");
    let past = world.get(&format!("/matches/{id}/events?limit=1000"), Some(&token)).await.body;
    let steps = past["items"].as_array().unwrap();
    let events: Vec<&Value> = steps.iter().flat_map(|step| step["events"].as_array().unwrap()).collect();
    for event in events.iter().filter(|event| event["cause"].is_u64()) {
        let is_cause = |cause: &&&Value| cause["n"] == event["cause"];
        assert!(events.iter().find(is_cause).is_some(), "it is known by that number: {event}");
    }
}
