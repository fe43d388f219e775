//! Matches before they start.

use intermezzo_protocol::resources::{BotKind, Clock, CreateMatch, MatchStatus, PlaceKind, Sit, Spectators};
use intermezzo_server::house::{Caller, MatchRecord, Window};
use intermezzo_store::MatchId;
use serde_json::json;

use crate::world::{World, code, ending, id};

fn wish(ruleset: &str) -> CreateMatch {
    CreateMatch { ruleset: ruleset.to_owned(), ..CreateMatch::default() }
}

fn seat(seat: u8) -> Sit {
    Sit { seat: Some(seat), code: None }
}

async fn made(world: &World, host: &Caller, wish: &CreateMatch) -> MatchRecord {
    world.house.create_match(host, wish).await.unwrap()
}

#[tokio::test]
async fn a_match_starts_by_itself_when_all_seats_are_taken_and_everyone_is_ready() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let open = made(&world, &anna, &wish("orcain")).await;
    assert_eq!(open.seats_of(&id(&anna)), [0]);
    assert_eq!(world.house.open_matches(None, Window::default()).await.unwrap().items.len(), 1);
    world.house.ready(&anna, open.id, true).await.unwrap();
    assert_eq!(code(world.house.ready(&bert, open.id, true).await), "not_allowed");
    let full = world.house.sit(&bert, open.id, &Sit::default()).await.unwrap();
    assert_eq!(full.status, MatchStatus::Open);
    let started = world.house.ready(&bert, open.id, true).await.unwrap();
    assert_eq!(started.status, MatchStatus::Playing);
    assert_eq!(world.house.open_matches(None, Window::default()).await.unwrap().items.len(), 0);
    assert_eq!(code(world.house.sit(&world.guest("carl").await, open.id, &Sit::default()).await), "closed");
}

#[tokio::test]
async fn the_seed_is_committed_to_at_the_start_and_told_at_the_end() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let started = world.duel(&anna, &bert).await;
    let seed = started.setup().unwrap().seed.0;
    let commitment = blake3::hash(&seed).to_hex().to_string();
    let info = started.info(Some(&id(&anna)));
    assert_eq!((info.commitment, info.seed), (Some(commitment), None));
    let ended = world.end(started.id, ending(&[0], &[1], "winners")).await.unwrap();
    assert_eq!(ended.info(None).seed, started.seed);
}

#[tokio::test]
async fn a_match_that_has_started_is_due_so_that_it_begins_whoever_looks() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let started = world.duel(&anna, &bert).await;
    let due = world.store.due(world.store.now(), 10).await.unwrap();
    assert_eq!(due, [(started.id, world.store.now())]);
}

#[tokio::test]
async fn options_and_seats_that_the_rules_do_not_take_are_refused() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let with = |name: &str, value: serde_json::Value| {
        let mut wish = wish("orcain");
        wish.options.insert(name.to_owned(), value);
        wish
    };
    let long = Clock { bank_ms: Some(u64::MAX), ..Clock::default() };
    let late = Spectators { allowed: true, delay_ms: u64::MAX };
    let bad = [
        with("max_hpp", json!(3)),
        with("max_hp", json!("three")),
        with("max_hp", json!(0)),
        with("max_hp", json!(1.5)),
        CreateMatch { seats: Some(3), ..wish("orcain") },
        CreateMatch { seats: Some(0), ..wish("tiny") },
        CreateMatch { places: vec![PlaceKind::Random; 5], ..wish("tiny") },
        CreateMatch { places: vec![PlaceKind::Random], stake: true, ..wish("orcain") },
        CreateMatch { hotseat: true, stake: true, ..wish("orcain") },
        CreateMatch { clock: Some(long), ..wish("orcain") },
        CreateMatch { spectators: Some(late), ..wish("orcain") },
        CreateMatch { name: Some(" ".to_owned()), ..wish("orcain") },
        CreateMatch { name: Some("x".repeat(61)), ..wish("orcain") },
    ];
    for wish in bad {
        assert_eq!(code(world.house.create_match(&anna, &wish).await), "invalid", "{wish:?}");
    }
    assert_eq!(code(world.house.create_match(&anna, &wish("nothing")).await), "not_found");
    let fine = made(&world, &anna, &with("max_hp", json!(3))).await;
    assert_eq!(fine.options["max_hp"], 3);
}

#[tokio::test]
async fn who_knows_the_code_may_sit_down_at_a_private_match() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let open = made(&world, &anna, &CreateMatch { private: true, ..wish("orcain") }).await;
    let secret = open.info(Some(&id(&anna))).code.unwrap();
    assert_eq!(secret.len(), 6);
    assert_eq!(open.info(Some(&id(&bert))).code, None);
    assert!(world.house.open_matches(None, Window::default()).await.unwrap().items.is_empty());
    let with = |code: Option<&str>| Sit { seat: None, code: code.map(str::to_owned) };
    assert_eq!(code(world.house.sit(&bert, open.id, &with(None)).await), "not_allowed");
    assert_eq!(code(world.house.sit(&bert, open.id, &with(Some("AAAAAA"))).await), "not_allowed");
    let found = world.house.match_with_code(&secret.to_lowercase()).await.unwrap();
    assert_eq!(found.id, open.id);
    world.house.sit(&bert, found.id, &with(Some(&secret.to_lowercase()))).await.unwrap();
    world.house.cancel(&anna, open.id).await.unwrap();
    assert_eq!(code(world.house.match_with_code(&secret).await), "not_found");
    assert_eq!(code(world.house.match_with_code(&"X".repeat(1000)).await), "not_found");
}

#[tokio::test]
async fn nobody_sits_on_two_seats_unless_all_share_one_screen() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let open = made(&world, &anna, &wish("orcain")).await;
    assert_eq!(code(world.house.sit(&anna, open.id, &seat(1)).await), "already_seated");
    let shared = made(&world, &anna, &CreateMatch { hotseat: true, ..wish("orcain") }).await;
    world.house.sit(&anna, shared.id, &seat(1)).await.unwrap();
    let started = world.house.ready(&anna, shared.id, true).await.unwrap();
    assert_eq!(started.seats_of(&id(&anna)), [0, 1]);
    let ended = world.end(shared.id, ending(&[0], &[1], "winners")).await.unwrap();
    assert_eq!(ended.status, MatchStatus::Ended);
    assert_eq!(world.house.rating("orcain", &id(&anna)).await.unwrap().matches, 0);
}

#[tokio::test]
async fn seats_that_are_taken_or_do_not_exist_are_refused() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let open = made(&world, &anna, &wish("orcain")).await;
    assert_eq!(code(world.house.sit(&bert, open.id, &seat(0)).await), "seat_taken");
    assert_eq!(code(world.house.sit(&bert, open.id, &seat(9)).await), "not_found");
    assert_eq!(code(world.house.sit(&bert, MatchId(7), &seat(0)).await), "not_found");
    world.house.sit(&bert, open.id, &seat(1)).await.unwrap();
    assert_eq!(
        code(world.house.sit(&world.guest("carl").await, open.id, &Sit::default()).await),
        "seat_taken"
    );
}

#[tokio::test]
async fn the_host_decides_about_seats_and_bots() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let open = made(&world, &anna, &wish("tiny")).await;
    world.house.sit(&bert, open.id, &Sit::default()).await.unwrap();
    assert_eq!(code(world.house.set_bot(&bert, open.id, 2, Some(BotKind::Random)).await), "not_allowed");
    assert_eq!(code(world.house.set_bot(&anna, open.id, 1, Some(BotKind::Random)).await), "seat_taken");
    assert_eq!(code(world.house.kick(&bert, open.id, 0).await), "not_allowed");
    assert_eq!(code(world.house.kick(&anna, open.id, 9).await), "not_found");
    world.house.set_bot(&anna, open.id, 2, Some(BotKind::Greedy)).await.unwrap();
    assert_eq!(code(world.house.sit(&bert, open.id, &seat(2)).await), "already_seated");
    let kicked = world.house.kick(&anna, open.id, 1).await.unwrap();
    assert!(kicked.seats_of(&id(&bert)).is_empty());
    world.house.set_bot(&anna, open.id, 1, Some(BotKind::Random)).await.unwrap();
    let cleared = world.house.set_bot(&anna, open.id, 1, None).await.unwrap();
    assert!(cleared.seats[1].is_free());
}

#[tokio::test]
async fn the_host_starts_with_fewer_if_the_rules_allow_it() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let open = made(&world, &anna, &wish("tiny")).await;
    assert_eq!(code(world.house.start(&anna, open.id).await), "not_ready");
    world.house.sit(&bert, open.id, &seat(2)).await.unwrap();
    assert_eq!(code(world.house.start(&anna, open.id).await), "not_ready");
    world.house.ready(&bert, open.id, true).await.unwrap();
    assert_eq!(code(world.house.start(&bert, open.id).await), "not_allowed");
    let started = world.house.start(&anna, open.id).await.unwrap().record;
    assert_eq!((started.status, started.seats.len()), (MatchStatus::Playing, 2));
    assert_eq!(started.seats_of(&id(&bert)), [1]);
    assert_eq!(code(world.house.start(&anna, open.id).await), "closed");
}

#[tokio::test]
async fn bots_alone_can_play_for_a_host_who_watches() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let places = vec![PlaceKind::Mcts, PlaceKind::Greedy];
    let open =
        made(&world, &anna, &CreateMatch { places, seats: Some(2), sit: Some(false), ..wish("tiny") }).await;
    let started = world.house.start(&anna, open.id).await.unwrap().record;
    assert_eq!(started.seats[0].bot, Some(BotKind::Mcts));
    assert_eq!(started.seats[1].bot, Some(BotKind::Greedy));
}

#[tokio::test]
async fn a_host_who_leaves_is_followed_and_the_last_one_closes_the_match() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let open = made(&world, &anna, &wish("orcain")).await;
    world.house.sit(&bert, open.id, &Sit::default()).await.unwrap();
    let left = world.house.leave(&anna, open.id).await.unwrap();
    assert_eq!(left.host, Some(id(&bert)));
    let closed = world.house.leave(&bert, open.id).await.unwrap();
    assert_eq!(closed.status, MatchStatus::Cancelled);
    assert_eq!(code(world.house.leave(&bert, open.id).await), "closed");
    assert!(world.house.matches_of(&id(&anna), Window::default()).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn standing_up_keeps_the_host() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let open = made(&world, &anna, &wish("orcain")).await;
    let stood = world.house.stand(&anna, open.id, Some(0)).await.unwrap();
    assert_eq!((stood.host.clone(), stood.seats[0].is_free()), (Some(id(&anna)), true));
    assert_eq!(code(world.house.stand(&anna, open.id, None).await), "not_allowed");
    world.house.sit(&anna, open.id, &seat(1)).await.unwrap();
}

#[tokio::test]
async fn nobody_is_part_of_more_than_fifty_matches() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let mut last = None;
    for _ in 0..50 {
        last = Some(made(&world, &anna, &wish("tiny")).await.id);
    }
    assert_eq!(code(world.house.create_match(&anna, &wish("tiny")).await), "too_many");
    world.house.leave(&anna, last.unwrap()).await.unwrap();
    made(&world, &anna, &wish("tiny")).await;
}

#[tokio::test]
async fn lists_of_matches_come_in_pages_the_latest_first() {
    let world = World::with_rulesets().await;
    let anna = world.guest("anna").await;
    let mut all = Vec::new();
    for _ in 0..5 {
        all.push(made(&world, &anna, &wish("orcain")).await.id);
        world.clock.advance(1);
    }
    all.reverse();
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let window = Window { cursor: cursor.as_deref(), limit: Some(2) };
        let page = world.house.matches_of(&id(&anna), window).await.unwrap();
        seen.extend(page.items.iter().map(|record| record.id));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let odd = "z".repeat(1000);
    let window = Window { cursor: Some(&odd), limit: None };
    assert_eq!(code(world.house.open_matches(None, window).await), "invalid");
}

#[tokio::test]
async fn a_rematch_starts_when_everyone_wants_it() {
    let world = World::with_rulesets().await;
    let (anna, bert, carl) =
        (world.guest("anna").await, world.guest("bert").await, world.guest("carl").await);
    let first = world.duel(&anna, &bert).await;
    assert_eq!(code(world.house.rematch(&bert, first.id).await), "not_ready");
    world.end(first.id, ending(&[0], &[1], "winners")).await.unwrap();
    assert_eq!(code(world.house.rematch(&carl, first.id).await), "not_allowed");
    let again = world.house.rematch(&bert, first.id).await.unwrap();
    assert_eq!((again.status, again.seats_of(&id(&bert))), (MatchStatus::Open, vec![1]));
    assert_eq!(again.rematch_of, Some(first.id.to_string()));
    assert_eq!(code(world.house.sit(&carl, again.id, &Sit::default()).await), "seat_taken");
    assert_eq!(world.house.rematch(&bert, first.id).await.unwrap().id, again.id);
    let started = world.house.rematch(&anna, first.id).await.unwrap();
    assert_eq!((started.id, started.status), (again.id, MatchStatus::Playing));
    assert_eq!(started.seats_of(&id(&anna)), [0]);
    assert_eq!(started.stake, first.stake);
    assert_ne!(started.seed, first.seed);
    assert_eq!(world.balance(&anna).await, 100);
}

#[tokio::test]
async fn a_rematch_that_was_called_off_can_be_asked_for_again() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let first = world.duel(&anna, &bert).await;
    world.end(first.id, ending(&[0], &[1], "winners")).await.unwrap();
    let again = world.house.rematch(&bert, first.id).await.unwrap();
    world.house.leave(&bert, again.id).await.unwrap();
    let other = world.house.rematch(&anna, first.id).await.unwrap();
    assert_ne!(other.id, again.id);
}
