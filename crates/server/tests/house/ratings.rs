//! How well accounts play.

use intermezzo_protocol::resources::{CreateMatch, EndingInfo, Sit};
use intermezzo_server::house::{Caller, Window};
use intermezzo_store::{Expect, Outcome, Put, Transaction};

use crate::world::{World, ending, id};

async fn play(world: &World, players: &[&Caller], ending: EndingInfo) {
    let wish = CreateMatch {
        ruleset: "tiny".to_owned(),
        seats: Some(players.len() as u8),
        ..CreateMatch::default()
    };
    let open = world.house.create_match(players[0], &wish).await.unwrap();
    for player in &players[1..] {
        world.house.sit(player, open.id, &Sit::default()).await.unwrap();
    }
    for player in players {
        world.house.ready(player, open.id, true).await.unwrap();
    }
    world.end(open.id, ending).await.unwrap();
}

async fn names(world: &World) -> Vec<String> {
    let board = world.house.leaderboard("tiny", Window::default()).await.unwrap();
    board.items.into_iter().map(|line| line.name).collect()
}

#[tokio::test]
async fn winning_raises_and_losing_lowers_a_rating() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    play(&world, &[&anna, &bert], ending(&[1], &[0], "winners")).await;
    let (loser, winner) = (
        world.house.rating("tiny", &id(&anna)).await.unwrap(),
        world.house.rating("tiny", &id(&bert)).await.unwrap(),
    );
    assert!(winner.rating > 1500.0 && loser.rating < 1500.0, "{winner:?} {loser:?}");
    assert!(winner.uncertainty < 250.0);
    assert_eq!((winner.wins, winner.losses, loser.losses), (1, 0, 1));
    assert_eq!(names(&world).await, ["bert", "anna"]);
}

#[tokio::test]
async fn four_can_be_rated_at_once() {
    let world = World::with_rulesets().await;
    let players = [
        world.guest("anna").await,
        world.guest("bert").await,
        world.guest("carl").await,
        world.guest("dora").await,
    ];
    let players: Vec<&Caller> = players.iter().collect();
    play(&world, &players, ending(&[2], &[0], "winners")).await;
    let order = names(&world).await;
    assert_eq!((order[0].as_str(), order[3].as_str()), ("carl", "anna"));
}

#[tokio::test]
async fn a_draw_of_equals_changes_no_rating() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    play(&world, &[&anna, &bert], ending(&[], &[], "refund")).await;
    let rating = world.house.rating("tiny", &id(&anna)).await.unwrap();
    assert_eq!((rating.rating, rating.matches, rating.wins), (1500.0, 1, 0));
}

#[tokio::test]
async fn a_match_that_a_moderator_ended_counts_for_nothing() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let outcome = EndingInfo { outcome: "moderator".to_owned(), ..ending(&[1], &[0], "winners") };
    play(&world, &[&anna, &bert], outcome).await;
    assert!(names(&world).await.is_empty());
}

#[tokio::test]
async fn the_leaderboard_comes_in_pages() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    play(&world, &[&anna, &bert], ending(&[1], &[0], "winners")).await;
    let first = world.house.leaderboard("tiny", Window { cursor: None, limit: Some(1) }).await.unwrap();
    let window = Window { cursor: first.next.as_deref(), limit: Some(1) };
    let second = world.house.leaderboard("tiny", window).await.unwrap();
    assert_eq!((first.items[0].name.as_str(), second.items[0].name.as_str()), ("bert", "anna"));
    assert_eq!(second.next, None);
}

#[tokio::test]
async fn counting_all_results_again_gives_the_same_ratings() {
    let world = World::with_rulesets().await;
    let mut players = Vec::new();
    for index in 0..5 {
        players.push(world.guest(&format!("player{index}")).await);
    }
    for round in 0..40usize {
        let (one, other) = (round % 5, (round * 3 + 1) % 5);
        if one == other {
            continue;
        }
        let winner = u8::from(round % 3 == 0);
        // The clock stands still now and then, or goes back as that of another server might.
        world.clock.advance([5, 0, -3][round % 3]);
        play(&world, &[&players[one], &players[other]], ending(&[winner], &[1 - winner], "winners")).await;
    }
    let before = world.house.leaderboard("tiny", Window::default()).await.unwrap();
    assert_eq!(world.house.recount("tiny").await.unwrap(), 0);
    let key = format!("rating/tiny/{}", id(&players[0]));
    let spoiled = br#"{"rating":1,"uncertainty":1,"matches":1,"wins":1,"losses":0,"last_ms":0}"#;
    let put = Put { key, expect: Expect::Anything, value: Some(spoiled.to_vec()) };
    let transaction = Transaction { puts: vec![put], ..Transaction::default() };
    assert_eq!(world.store.commit(transaction).await, Outcome::Committed);
    assert_eq!(world.house.recount("tiny").await.unwrap(), 1);
    assert_eq!(world.house.leaderboard("tiny", Window::default()).await.unwrap(), before);
}
