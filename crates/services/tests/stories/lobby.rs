//! Matches before they start.

use intermezzo_protocol::resources::{
    BotAlgorithm, ClockSettings, CreateMatch, MatchStatus, PlaceKind, Sit, Spectators,
};
use intermezzo_services::{Caller, MatchRecord, PageQuery};
use intermezzo_store::MatchId;
use serde_json::json;

use crate::fixture::{ServicesFixture, account_id, ending, problem_code};

fn match_request(ruleset: &str) -> CreateMatch {
    CreateMatch { ruleset: ruleset.to_owned(), ..CreateMatch::default() }
}

fn seat_request(seat: u8) -> Sit {
    Sit { seat: Some(seat), code: None }
}

async fn create(fixture: &ServicesFixture, host: &Caller, request: &CreateMatch) -> MatchRecord {
    fixture.services.create_match(host, request).await.unwrap()
}

#[tokio::test]
async fn a_match_starts_when_all_seats_are_taken_and_ready() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let open = create(&fixture, &anna, &match_request("orcain")).await;
    assert_eq!(open.seats_of(&account_id(&anna)), [0]);
    assert_eq!(fixture.services.open_matches(None, PageQuery::default()).await.unwrap().items.len(), 1);
    fixture.services.set_ready(&anna, open.id, true).await.unwrap();
    assert_eq!(problem_code(fixture.services.set_ready(&bert, open.id, true).await), "not_allowed");
    let full = fixture.services.take_seat(&bert, open.id, &Sit::default()).await.unwrap();
    assert_eq!(full.status, MatchStatus::Open);
    let started = fixture.services.set_ready(&bert, open.id, true).await.unwrap();
    assert_eq!(started.status, MatchStatus::Playing);
    assert_eq!(fixture.services.open_matches(None, PageQuery::default()).await.unwrap().items.len(), 0);
    assert_eq!(
        problem_code(
            fixture.services.take_seat(&fixture.member("carl").await, open.id, &Sit::default()).await
        ),
        "closed"
    );
}

#[tokio::test]
async fn the_seed_is_committed_to_at_the_start_and_revealed_at_the_end() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let started = fixture.start_duel(&anna, &bert).await;
    let seed = started.setup().unwrap().seed.0;
    let commitment = blake3::hash(&seed).to_hex().to_string();
    let info = started.info(Some(&account_id(&anna)));
    assert_eq!((info.commitment, info.seed), (Some(commitment), None));
    let ended = fixture.end_match(started.id, ending(&[0], &[1], "winners")).await.unwrap();
    assert_eq!(ended.info(None).seed, started.seed);
}

#[tokio::test]
async fn a_started_match_is_due_so_that_any_server_starts_it() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let started = fixture.start_duel(&anna, &bert).await;
    let due = fixture.store.due(fixture.store.now(), 10).await.unwrap();
    assert_eq!(due, [(started.id, fixture.store.now())]);
}

#[tokio::test]
async fn invalid_options_and_seats_are_rejected() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let with = |name: &str, value: serde_json::Value| {
        let mut request = match_request("orcain");
        request.options.insert(name.to_owned(), value);
        request
    };
    let long = ClockSettings { bank_ms: Some(u64::MAX), ..ClockSettings::default() };
    let late = Spectators { allowed: true, delay_ms: u64::MAX };
    let bad = [
        with("max_hpp", json!(3)),
        with("max_hp", json!("three")),
        with("max_hp", json!(0)),
        with("max_hp", json!(1.5)),
        CreateMatch { seats: Some(3), ..match_request("orcain") },
        CreateMatch { seats: Some(0), ..match_request("tiny") },
        CreateMatch { places: vec![PlaceKind::Random; 5], ..match_request("tiny") },
        CreateMatch { places: vec![PlaceKind::Random], stake: true, ..match_request("orcain") },
        CreateMatch { hotseat: true, stake: true, ..match_request("orcain") },
        CreateMatch { clock: Some(long), ..match_request("orcain") },
        CreateMatch { spectators: Some(late), ..match_request("orcain") },
        CreateMatch { name: Some(" ".to_owned()), ..match_request("orcain") },
        CreateMatch { name: Some("x".repeat(61)), ..match_request("orcain") },
    ];
    for request in bad {
        assert_eq!(
            problem_code(fixture.services.create_match(&anna, &request).await),
            "invalid",
            "{request:?}"
        );
    }
    assert_eq!(
        problem_code(fixture.services.create_match(&anna, &match_request("nothing")).await),
        "not_found"
    );
    let fine = create(&fixture, &anna, &with("max_hp", json!(3))).await;
    assert_eq!(fine.options["max_hp"], 3);
}

#[tokio::test]
async fn the_code_lets_others_join_a_private_match() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let open = create(&fixture, &anna, &CreateMatch { private: true, ..match_request("orcain") }).await;
    let secret = open.info(Some(&account_id(&anna))).code.unwrap();
    assert_eq!(secret.len(), 6);
    assert_eq!(open.info(Some(&account_id(&bert))).code, None);
    assert!(fixture.services.open_matches(None, PageQuery::default()).await.unwrap().items.is_empty());
    let with = |code: Option<&str>| Sit { seat: None, code: code.map(str::to_owned) };
    assert_eq!(problem_code(fixture.services.take_seat(&bert, open.id, &with(None)).await), "not_allowed");
    assert_eq!(
        problem_code(fixture.services.take_seat(&bert, open.id, &with(Some("AAAAAA"))).await),
        "not_allowed"
    );
    let found = fixture.services.match_with_code(&secret.to_lowercase()).await.unwrap();
    assert_eq!(found.id, open.id);
    fixture.services.take_seat(&bert, found.id, &with(Some(&secret.to_lowercase()))).await.unwrap();
    fixture.services.cancel_match(&anna, open.id).await.unwrap();
    assert_eq!(problem_code(fixture.services.match_with_code(&secret).await), "not_found");
    assert_eq!(problem_code(fixture.services.match_with_code(&"X".repeat(1000)).await), "not_found");
}

#[tokio::test]
async fn one_account_has_two_seats_only_in_hotseat_matches() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let open = create(&fixture, &anna, &match_request("orcain")).await;
    assert_eq!(
        problem_code(fixture.services.take_seat(&anna, open.id, &seat_request(1)).await),
        "already_seated"
    );
    let shared = create(&fixture, &anna, &CreateMatch { hotseat: true, ..match_request("orcain") }).await;
    fixture.services.take_seat(&anna, shared.id, &seat_request(1)).await.unwrap();
    let started = fixture.services.set_ready(&anna, shared.id, true).await.unwrap();
    assert_eq!(started.seats_of(&account_id(&anna)), [0, 1]);
    let ended = fixture.end_match(shared.id, ending(&[0], &[1], "winners")).await.unwrap();
    assert_eq!(ended.status, MatchStatus::Ended);
    assert_eq!(fixture.services.rating("orcain", &account_id(&anna)).await.unwrap().matches, 0);
}

#[tokio::test]
async fn taken_and_unknown_seats_are_rejected() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let open = create(&fixture, &anna, &match_request("orcain")).await;
    assert_eq!(
        problem_code(fixture.services.take_seat(&bert, open.id, &seat_request(0)).await),
        "seat_taken"
    );
    assert_eq!(problem_code(fixture.services.take_seat(&bert, open.id, &seat_request(9)).await), "not_found");
    assert_eq!(
        problem_code(fixture.services.take_seat(&bert, MatchId(7), &seat_request(0)).await),
        "not_found"
    );
    fixture.services.take_seat(&bert, open.id, &seat_request(1)).await.unwrap();
    assert_eq!(
        problem_code(
            fixture.services.take_seat(&fixture.member("carl").await, open.id, &Sit::default()).await
        ),
        "seat_taken"
    );
}

#[tokio::test]
async fn the_host_decides_about_seats_and_bots() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let open = create(&fixture, &anna, &match_request("tiny")).await;
    fixture.services.take_seat(&bert, open.id, &Sit::default()).await.unwrap();
    assert_eq!(
        problem_code(fixture.services.set_bot(&bert, open.id, 2, Some(BotAlgorithm::Random)).await),
        "not_allowed"
    );
    assert_eq!(
        problem_code(fixture.services.set_bot(&anna, open.id, 1, Some(BotAlgorithm::Random)).await),
        "seat_taken"
    );
    assert_eq!(problem_code(fixture.services.kick_seat(&bert, open.id, 0).await), "not_allowed");
    assert_eq!(problem_code(fixture.services.kick_seat(&anna, open.id, 9).await), "not_found");
    fixture.services.set_bot(&anna, open.id, 2, Some(BotAlgorithm::Greedy)).await.unwrap();
    assert_eq!(
        problem_code(fixture.services.take_seat(&bert, open.id, &seat_request(2)).await),
        "already_seated"
    );
    let kicked = fixture.services.kick_seat(&anna, open.id, 1).await.unwrap();
    assert!(kicked.seats_of(&account_id(&bert)).is_empty());
    fixture.services.set_bot(&anna, open.id, 1, Some(BotAlgorithm::Random)).await.unwrap();
    let cleared = fixture.services.set_bot(&anna, open.id, 1, None).await.unwrap();
    assert!(cleared.seats[1].is_free());
}

#[tokio::test]
async fn the_host_starts_with_fewer_if_the_rules_allow_it() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let open = create(&fixture, &anna, &match_request("tiny")).await;
    assert_eq!(problem_code(fixture.services.start_match(&anna, open.id).await), "not_ready");
    fixture.services.take_seat(&bert, open.id, &seat_request(2)).await.unwrap();
    assert_eq!(problem_code(fixture.services.start_match(&anna, open.id).await), "not_ready");
    fixture.services.set_ready(&bert, open.id, true).await.unwrap();
    assert_eq!(problem_code(fixture.services.start_match(&bert, open.id).await), "not_allowed");
    let started = fixture.services.start_match(&anna, open.id).await.unwrap().record;
    assert_eq!((started.status, started.seats.len()), (MatchStatus::Playing, 2));
    assert_eq!(started.seats_of(&account_id(&bert)), [1]);
    assert_eq!(problem_code(fixture.services.start_match(&anna, open.id).await), "closed");
}

#[tokio::test]
async fn bots_alone_can_play_for_a_host_who_watches() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let places = vec![PlaceKind::Mcts, PlaceKind::Greedy];
    let open = create(
        &fixture,
        &anna,
        &CreateMatch { places, seats: Some(2), sit: Some(false), ..match_request("tiny") },
    )
    .await;
    let started = fixture.services.start_match(&anna, open.id).await.unwrap().record;
    assert_eq!(started.seats[0].bot, Some(BotAlgorithm::Mcts));
    assert_eq!(started.seats[1].bot, Some(BotAlgorithm::Greedy));
}

#[tokio::test]
async fn another_player_becomes_host_and_the_last_one_to_leave_cancels() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let open = create(&fixture, &anna, &match_request("orcain")).await;
    fixture.services.take_seat(&bert, open.id, &Sit::default()).await.unwrap();
    let left = fixture.services.leave_match(&anna, open.id).await.unwrap();
    assert_eq!(left.host, Some(account_id(&bert)));
    let closed = fixture.services.leave_match(&bert, open.id).await.unwrap();
    assert_eq!(closed.status, MatchStatus::Cancelled);
    assert_eq!(problem_code(fixture.services.leave_match(&bert, open.id).await), "closed");
    assert!(
        fixture.services.matches_of(&account_id(&anna), PageQuery::default()).await.unwrap().items.is_empty()
    );
}

#[tokio::test]
async fn leaving_the_seat_keeps_the_host() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let open = create(&fixture, &anna, &match_request("orcain")).await;
    let stood = fixture.services.leave_seat(&anna, open.id, Some(0)).await.unwrap();
    assert_eq!((stood.host.clone(), stood.seats[0].is_free()), (Some(account_id(&anna)), true));
    assert_eq!(problem_code(fixture.services.leave_seat(&anna, open.id, None).await), "not_allowed");
    fixture.services.take_seat(&anna, open.id, &seat_request(1)).await.unwrap();
}

#[tokio::test]
async fn an_account_is_part_of_at_most_fifty_matches() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let mut last = None;
    for _ in 0..50 {
        last = Some(create(&fixture, &anna, &match_request("tiny")).await.id);
    }
    assert_eq!(problem_code(fixture.services.create_match(&anna, &match_request("tiny")).await), "too_many");
    fixture.services.leave_match(&anna, last.unwrap()).await.unwrap();
    create(&fixture, &anna, &match_request("tiny")).await;
}

#[tokio::test]
async fn matches_are_listed_in_pages_newest_first() {
    let fixture = ServicesFixture::with_rulesets().await;
    let anna = fixture.member("anna").await;
    let mut all = Vec::new();
    for _ in 0..5 {
        all.push(create(&fixture, &anna, &match_request("orcain")).await.id);
        fixture.clock.advance(1);
    }
    all.reverse();
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let query = PageQuery { cursor: cursor.as_deref(), limit: Some(2) };
        let page = fixture.services.matches_of(&account_id(&anna), query).await.unwrap();
        seen.extend(page.items.iter().map(|record| record.id));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let odd = "z".repeat(1000);
    let query = PageQuery { cursor: Some(&odd), limit: None };
    assert_eq!(problem_code(fixture.services.open_matches(None, query).await), "invalid");
}

#[tokio::test]
async fn a_rematch_starts_when_everyone_accepts() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert, carl) =
        (fixture.member("anna").await, fixture.member("bert").await, fixture.member("carl").await);
    let first = fixture.start_duel(&anna, &bert).await;
    assert_eq!(problem_code(fixture.services.rematch(&bert, first.id).await), "not_ready");
    fixture.end_match(first.id, ending(&[0], &[1], "winners")).await.unwrap();
    assert_eq!(problem_code(fixture.services.rematch(&carl, first.id).await), "not_allowed");
    let again = fixture.services.rematch(&bert, first.id).await.unwrap();
    assert_eq!((again.status, again.seats_of(&account_id(&bert))), (MatchStatus::Open, vec![1]));
    assert_eq!(again.rematch_of, Some(first.id.to_string()));
    assert_eq!(
        problem_code(fixture.services.take_seat(&carl, again.id, &Sit::default()).await),
        "seat_taken"
    );
    assert_eq!(fixture.services.rematch(&bert, first.id).await.unwrap().id, again.id);
    let started = fixture.services.rematch(&anna, first.id).await.unwrap();
    assert_eq!((started.id, started.status), (again.id, MatchStatus::Playing));
    assert_eq!(started.seats_of(&account_id(&anna)), [0]);
    assert_eq!(started.stake, first.stake);
    assert_ne!(started.seed, first.seed);
    assert_eq!(fixture.balance(&anna).await, 100);
}

#[tokio::test]
async fn a_cancelled_rematch_can_be_requested_again() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let first = fixture.start_duel(&anna, &bert).await;
    fixture.end_match(first.id, ending(&[0], &[1], "winners")).await.unwrap();
    let again = fixture.services.rematch(&bert, first.id).await.unwrap();
    fixture.services.leave_match(&bert, again.id).await.unwrap();
    let other = fixture.services.rematch(&anna, first.id).await.unwrap();
    assert_ne!(other.id, again.id);
}
