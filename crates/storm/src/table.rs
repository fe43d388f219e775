//! How people come to play: at tables where match after match is made, or by waiting for others.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_bots::Random;
use intermezzo_store::MatchId;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::diary::Diary;
use crate::fleet::Fleet;
use crate::guest::Guest;
use crate::player::{Habits, Player};

/// A match has to come to its end so long after the storm.
const HAS_TO_END: Duration = Duration::from_secs(240);
/// Who waits looks so often what has become of it.
const LOOK_EVERY: Duration = Duration::from_millis(700);

/// What is played at a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    ruleset: &'static str,
    options: fn() -> Value,
    /// Who sits where: `human` or `random`.
    places: &'static [&'static str],
    is_staked: bool,
    /// The same people play two matches at a time, and pay for both from one balance.
    is_twofold: bool,
    idles: u16,
}

/// Duels with stakes and deadlines, banks with bots that play on, and a match against a bot.
pub(crate) const SETTINGS: [Setting; 4] = [
    Setting {
        ruleset: "bids",
        options: || json!({"bid_ms": 1200}),
        places: &["human", "human"],
        is_staked: true,
        is_twofold: false,
        idles: 250,
    },
    Setting {
        ruleset: "relay",
        options: || json!({}),
        places: &["human", "human"],
        is_staked: false,
        is_twofold: false,
        idles: 0,
    },
    Setting {
        ruleset: "orcain",
        options: || json!({"prep_ms": 1000, "afk_limit": 3, "max_rounds": 4}),
        places: &["human", "human"],
        is_staked: true,
        is_twofold: true,
        idles: 250,
    },
    Setting {
        ruleset: "bids",
        options: || json!({"bid_ms": 1500, "rounds": 12}),
        places: &["human", "random"],
        is_staked: false,
        is_twofold: false,
        idles: 150,
    },
];

/// Plays match after match at a table until the storm is over.
pub(crate) async fn keep_table(fleet: Arc<Fleet>, number: usize, setting: Setting) -> Vec<Diary> {
    let mut guests = Vec::new();
    let humans = setting.places.iter().filter(|place| **place == "human").count();
    for place in 0..humans {
        let Some(guest) = Guest::arrive(&fleet, format!("t{number}.{place}")).await else {
            return Vec::new();
        };
        guests.push(guest);
    }
    if !setting.is_twofold {
        return play_on(&fleet, &guests, setting, "one").await;
    }
    let both = (play_on(&fleet, &guests, setting, "one"), play_on(&fleet, &guests, setting, "other"));
    let (one, other) = tokio::join!(both.0, both.1);
    one.into_iter().chain(other).collect()
}

/// Plays one match after the other; `which` tells these from others of the same people.
async fn play_on(fleet: &Arc<Fleet>, guests: &[Guest], setting: Setting, which: &str) -> Vec<Diary> {
    let mut diaries = Vec::new();
    let mut count = 0;
    while !fleet.world.is_calm() && !fleet.world.is_wrong() {
        count += 1;
        match make(guests, setting, &format!("{which}-{count}")).await {
            Ok(match_id) => diaries.extend(see_through(fleet, guests, setting, match_id).await),
            Err(code) => {
                fleet.world.wrong(format!("{} cannot make a match: {code}", guests[0].name));
                break;
            }
        }
    }
    diaries
}

/// Makes a match, seats everyone and starts it.
async fn make(guests: &[Guest], setting: Setting, count: &str) -> Result<MatchId, String> {
    let Setting { ruleset, options, places, is_staked, .. } = setting;
    let wish = json!({
        "ruleset": ruleset, "options": options(), "places": places, "seats": places.len(), "stake": is_staked,
    });
    let host = guests.first().ok_or("somebody has to play")?;
    let made = host.ask(Method::POST, "/matches", Some(&format!("make-{count}")), Some(wish)).await?;
    let id = made["id"].as_str().ok_or("a match has no id")?;
    for (guest, seat) in guests.iter().zip(0u8..).skip(1) {
        let path = format!("/matches/{id}/seats");
        guest.ask(Method::POST, &path, Some(&format!("sit-{count}")), Some(json!({"seat": seat}))).await?;
    }
    for guest in guests {
        let path = format!("/matches/{id}/ready");
        guest.ask(Method::PUT, &path, Some(&format!("ready-{count}")), Some(json!({"ready": true}))).await?;
    }
    id.parse().map_err(|_| "a match has a strange id".to_owned())
}

/// Has everyone play until the match is over.
async fn see_through(
    fleet: &Arc<Fleet>,
    guests: &[Guest],
    setting: Setting,
    match_id: MatchId,
) -> Vec<Diary> {
    let mut playing = tokio::task::JoinSet::new();
    let mut random = fleet.world.random();
    let abandons = random.happens(400);
    for (guest, seat) in guests.iter().zip(0u8..) {
        let habits = habits(&mut random, setting.idles, abandons);
        let diary = Diary::new(match_id, &guest.account, seat);
        playing.spawn(ended(Player::new(fleet, guest, habits, diary), Arc::clone(fleet), match_id));
    }
    playing.join_all().await.into_iter().flatten().collect()
}

fn habits(random: &mut Random, idles: u16, abandons: bool) -> Habits {
    let hangs_up = if random.happens(300) { random.below(150) as u16 } else { 0 };
    Habits { idles: random.below(u64::from(idles) + 1) as u16, hangs_up, abandons }
}

/// A player's match, which has to come to its end.
async fn ended(player: Player, fleet: Arc<Fleet>, match_id: MatchId) -> Option<Diary> {
    let late = async {
        fleet.world.calm().await;
        sleep(HAS_TO_END).await;
    };
    tokio::select! {
        biased;
        diary = player.play() => Some(diary),
        () = late => {
            fleet.world.wrong(format!("match {match_id} does not come to its end"));
            None
        }
    }
}

/// Waits for others to play with in two games at once, again and again until the storm is over.
pub(crate) async fn wander(fleet: Arc<Fleet>, number: usize) -> Vec<Diary> {
    let Some(guest) = Guest::arrive(&fleet, format!("w{number}")).await else { return Vec::new() };
    let (one, other) = tokio::join!(haunt(&fleet, &guest, "bids"), haunt(&fleet, &guest, "orcain"));
    one.into_iter().chain(other).collect()
}

/// The same for one ruleset.
async fn haunt(fleet: &Arc<Fleet>, guest: &Guest, ruleset: &str) -> Vec<Diary> {
    let mut diaries = Vec::new();
    let path = format!("/queue/{ruleset}");
    let mut random = fleet.world.random();
    let mut count = 0;
    while !fleet.world.is_calm() && !fleet.world.is_wrong() {
        count += 1;
        let stake = json!({"stake": true});
        let key = format!("{ruleset}-{count}");
        let joined = guest.ask(Method::POST, &path, Some(&key), Some(stake)).await;
        if let Err(code) = joined {
            fleet.world.wrong(format!("{} cannot wait: {code}", guest.name));
            break;
        }
        let Some(match_id) = wait(fleet, guest, &path, &key, &mut random).await else { continue };
        let Some(record) = Guest::stored(fleet, &format!("match/{match_id}")).await else {
            fleet.world.wrong(format!("{} is told of match {match_id}, which is not there", guest.name));
            break;
        };
        let seats = record["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(seat) = seats.iter().position(|seat| seat["account"] == guest.account) else {
            fleet.world.wrong(format!("{} has no seat in match {match_id}", guest.name));
            break;
        };
        let habits = habits(&mut random, 200, false);
        let diary = Diary::new(match_id, &guest.account, seat as u8);
        diaries.extend(ended(Player::new(fleet, guest, habits, diary), Arc::clone(fleet), match_id).await);
    }
    diaries
}

/// Waits until a match is found, or for as long as one likes to.
async fn wait(
    fleet: &Arc<Fleet>,
    guest: &Guest,
    path: &str,
    key: &str,
    random: &mut Random,
) -> Option<MatchId> {
    let mut looks = 0;
    let likes_to = 5 + random.below(40);
    loop {
        sleep(LOOK_EVERY).await;
        let status = guest.ask(Method::GET, path, None, None).await;
        match status {
            Ok(status) if status["state"] == "found" => return status["matchId"].as_str()?.parse().ok(),
            Ok(status) if status["state"] == "waiting" => {}
            // Somebody who was away for too long does not wait any more.
            _ => return None,
        }
        looks += 1;
        if looks == likes_to || fleet.world.is_calm() {
            let _ = guest.ask(Method::DELETE, path, Some(&format!("leave-{key}-{looks}")), None).await;
        }
        if fleet.world.is_wrong() {
            return None;
        }
    }
}
