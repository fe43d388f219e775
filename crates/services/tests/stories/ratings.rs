//! Ratings and leaderboards.

use intermezzo_protocol::resources::{CreateMatch, EndingInfo, Sit};
use intermezzo_services::{Caller, PageQuery};
use intermezzo_store::{CommitOutcome, Expect, Put, Transaction};

use crate::fixture::{ServicesFixture, account_id, ending};

async fn play(fixture: &ServicesFixture, players: &[&Caller], ending: EndingInfo) {
    play_game(fixture, "tiny", players, ending).await;
}

async fn play_game(fixture: &ServicesFixture, ruleset: &str, players: &[&Caller], ending: EndingInfo) {
    let request = CreateMatch {
        ruleset: ruleset.to_owned(),
        seats: Some(players.len() as u8),
        ..CreateMatch::default()
    };
    let open = fixture.services.create_match(players[0], &request).await.unwrap();
    for player in &players[1..] {
        fixture.services.take_seat(player, open.id, &Sit::default()).await.unwrap();
    }
    for player in players {
        fixture.services.set_ready(player, open.id, true).await.unwrap();
    }
    fixture.end_match(open.id, ending).await.unwrap();
}

async fn names(fixture: &ServicesFixture) -> Vec<String> {
    let board = fixture.services.leaderboard("tiny", PageQuery::default()).await.unwrap();
    board.items.into_iter().map(|line| line.name).collect()
}

#[tokio::test]
async fn winning_raises_and_losing_lowers_a_rating() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    play(&fixture, &[&anna, &bert], ending(&[1], &[0], "winners")).await;
    let (loser, winner) = (
        fixture.services.rating("tiny", &account_id(&anna)).await.unwrap(),
        fixture.services.rating("tiny", &account_id(&bert)).await.unwrap(),
    );
    assert!(winner.rating > 1500.0 && loser.rating < 1500.0, "{winner:?} {loser:?}");
    assert!(winner.uncertainty < 250.0);
    assert_eq!((winner.wins, winner.losses, loser.losses), (1, 0, 1));
    assert_eq!(names(&fixture).await, ["bert", "anna"]);
}

#[tokio::test]
async fn four_can_be_rated_at_once() {
    let fixture = ServicesFixture::with_rulesets().await;
    let players = [
        fixture.member("anna").await,
        fixture.member("bert").await,
        fixture.member("carl").await,
        fixture.member("dora").await,
    ];
    let players: Vec<&Caller> = players.iter().collect();
    play(&fixture, &players, ending(&[2], &[0], "winners")).await;
    let order = names(&fixture).await;
    assert_eq!((order[0].as_str(), order[3].as_str()), ("carl", "anna"));
}

#[tokio::test]
async fn the_score_decides_places_among_those_with_the_same_result() {
    let fixture = ServicesFixture::with_rulesets().await;
    let players = [
        fixture.member("anna").await,
        fixture.member("bert").await,
        fixture.member("carl").await,
        fixture.member("dora").await,
    ];
    let players: Vec<&Caller> = players.iter().collect();
    let score = |score: [i64; 4]| Some(score.to_vec());
    let without_winners = EndingInfo { score: score([7, 20, -3, 12]), ..ending(&[], &[], "refund") };
    play(&fixture, &players, without_winners).await;
    assert_eq!(names(&fixture).await, ["bert", "dora", "anna", "carl"]);
    let winner = fixture.services.rating("tiny", &account_id(players[1])).await.unwrap();
    let second = fixture.services.rating("tiny", &account_id(players[3])).await.unwrap();
    assert!(winner.rating > second.rating && second.rating > 1500.0, "{winner:?} {second:?}");
}

#[tokio::test]
async fn a_win_counts_for_more_than_any_score() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let ending = EndingInfo { score: Some(vec![50, 1]), ..ending(&[1], &[0], "winners") };
    play(&fixture, &[&anna, &bert], ending).await;
    assert_eq!(names(&fixture).await, ["bert", "anna"]);
}

/// Publishes a ruleset with these teams.
async fn publish_teams(fixture: &ServicesFixture, teams: &str) {
    let text = format!(
        "ir: 1\nruleset: {{id: pairs, version: 1.0.0, name: Pairs, uses: [core@1]}}\n\
         players: {{seats: 4, min: 2, teams: {teams}}}\noutcomes: [done]\nflow: [{{end: done}}]\n"
    );
    let files = vec![("ruleset.yaml".to_owned(), text)];
    fixture.services.publish_bundled(vec![("pairs".to_owned(), files)]).await.unwrap();
}

#[tokio::test]
async fn teams_are_rated_against_each_other() {
    let fixture = ServicesFixture::with_rulesets().await;
    publish_teams(&fixture, "[[0, 2], [1, 3]]").await;
    let players = [
        fixture.member("anna").await,
        fixture.member("bert").await,
        fixture.member("carl").await,
        fixture.member("dora").await,
    ];
    let players: Vec<&Caller> = players.iter().collect();
    // Bert has the highest score, but his team the lower one.
    let score = Some(vec![5, 8, 6, 1]);
    play_game(&fixture, "pairs", &players, EndingInfo { score, ..ending(&[], &[], "refund") }).await;
    let mut ratings = Vec::new();
    for player in &players {
        ratings.push(fixture.services.rating("pairs", &account_id(player)).await.unwrap().rating);
    }
    assert!(ratings[0] > 1500.0 && ratings[1] < 1500.0, "{ratings:?}");
    assert_eq!((ratings[0], ratings[1]), (ratings[2], ratings[3]));
}

#[tokio::test]
async fn a_match_against_the_rules_is_not_rated() {
    let fixture = ServicesFixture::with_rulesets().await;
    publish_teams(&fixture, "together").await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    play_game(&fixture, "pairs", &[&anna, &bert], ending(&[0, 1], &[], "winners")).await;
    let board = fixture.services.leaderboard("pairs", PageQuery::default()).await.unwrap();
    assert!(board.items.is_empty());
}

#[tokio::test]
async fn an_open_match_says_which_seats_are_a_team() {
    let fixture = ServicesFixture::with_rulesets().await;
    publish_teams(&fixture, "[[0, 2], [1, 3]]").await;
    let anna = fixture.member("anna").await;
    let request = CreateMatch { ruleset: "pairs".to_owned(), ..CreateMatch::default() };
    let open = fixture.services.create_match(&anna, &request).await.unwrap();
    let seats = open.info(None).seats;
    assert_eq!(seats.iter().map(|seat| seat.team).collect::<Vec<_>>(), [Some(0), Some(1), Some(0), Some(1)]);
    let request = CreateMatch { ruleset: "tiny".to_owned(), ..CreateMatch::default() };
    let without = fixture.services.create_match(&anna, &request).await.unwrap();
    assert!(without.info(None).seats.iter().all(|seat| seat.team.is_none()));
}

#[tokio::test]
async fn a_draw_of_equals_changes_no_rating() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    play(&fixture, &[&anna, &bert], ending(&[], &[], "refund")).await;
    let rating = fixture.services.rating("tiny", &account_id(&anna)).await.unwrap();
    assert_eq!((rating.rating, rating.matches, rating.wins), (1500.0, 1, 0));
}

#[tokio::test]
async fn a_match_ended_by_a_moderator_is_not_rated() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let outcome = EndingInfo { outcome: "moderator".to_owned(), ..ending(&[1], &[0], "winners") };
    play(&fixture, &[&anna, &bert], outcome).await;
    assert!(names(&fixture).await.is_empty());
}

#[tokio::test]
async fn the_leaderboard_comes_in_pages() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    play(&fixture, &[&anna, &bert], ending(&[1], &[0], "winners")).await;
    let first =
        fixture.services.leaderboard("tiny", PageQuery { cursor: None, limit: Some(1) }).await.unwrap();
    let query = PageQuery { cursor: first.next.as_deref(), limit: Some(1) };
    let second = fixture.services.leaderboard("tiny", query).await.unwrap();
    assert_eq!((first.items[0].name.as_str(), second.items[0].name.as_str()), ("bert", "anna"));
    assert_eq!(second.next, None);
}

#[tokio::test]
async fn recounting_all_results_gives_the_same_ratings() {
    let fixture = ServicesFixture::with_rulesets().await;
    let mut players = Vec::new();
    for index in 0..5 {
        players.push(fixture.member(&format!("player{index}")).await);
    }
    for round in 0..40usize {
        let (one, other) = (round % 5, (round * 3 + 1) % 5);
        if one == other {
            continue;
        }
        let winner = u8::from(round % 3 == 0);
        // The clock sometimes stands still or goes back, as that of another server might.
        fixture.clock.advance([5, 0, -3][round % 3]);
        play(&fixture, &[&players[one], &players[other]], ending(&[winner], &[1 - winner], "winners")).await;
    }
    let before = fixture.services.leaderboard("tiny", PageQuery::default()).await.unwrap();
    assert_eq!(fixture.services.recount_ratings("tiny").await.unwrap(), 0);
    let key = format!("rating/tiny/{}", account_id(&players[0]));
    let spoiled = br#"{"rating":1,"uncertainty":1,"matches":1,"wins":1,"losses":0,"last_ms":0}"#;
    let put = Put { key, expect: Expect::Anything, value: Some(spoiled.to_vec()) };
    let transaction = Transaction { puts: vec![put], ..Transaction::default() };
    assert_eq!(fixture.store.commit(transaction).await, CommitOutcome::Committed);
    assert_eq!(fixture.services.recount_ratings("tiny").await.unwrap(), 1);
    assert_eq!(fixture.services.leaderboard("tiny", PageQuery::default()).await.unwrap(), before);
}
