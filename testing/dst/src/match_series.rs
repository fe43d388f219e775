//! Players' matches: series of matches that the same players create, and matches from the queue.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use intermezzo_bots::Random;
use intermezzo_store::MatchId;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::account::AccountClient;
use crate::journal::MatchJournal;
use crate::nodes::NodeSet;
use crate::player::{PlayStyle, SimulatedPlayer};

/// Longest time until a match must end after the faults have stopped.
const END_TIMEOUT: Duration = Duration::from_secs(240);
/// Interval at which a queued player polls its status.
const POLL_INTERVAL: Duration = Duration::from_millis(700);

/// Settings of a match series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeriesConfig {
    ruleset: &'static str,
    options: fn() -> Value,
    /// Occupant of each seat: `human` or `random`.
    places: &'static [&'static str],
    is_staked: bool,
    /// The same players play two matches at a time and pay both stakes from one balance.
    plays_two_at_once: bool,
    idle_rate: u16,
}

/// Duels with stakes and deadlines, time banks with bot takeover, and a match against a bot.
pub(crate) const SERIES: [SeriesConfig; 4] = [
    SeriesConfig {
        ruleset: "bids",
        options: || json!({"bid_ms": 1200}),
        places: &["human", "human"],
        is_staked: true,
        plays_two_at_once: false,
        idle_rate: 250,
    },
    SeriesConfig {
        ruleset: "relay",
        options: || json!({}),
        places: &["human", "human"],
        is_staked: false,
        plays_two_at_once: false,
        idle_rate: 0,
    },
    SeriesConfig {
        ruleset: "orcain",
        options: || json!({"prep_ms": 1000, "afk_limit": 3, "max_rounds": 4}),
        places: &["human", "human"],
        is_staked: true,
        plays_two_at_once: true,
        idle_rate: 250,
    },
    SeriesConfig {
        ruleset: "bids",
        options: || json!({"bid_ms": 1500, "rounds": 12}),
        places: &["human", "random"],
        is_staked: false,
        plays_two_at_once: false,
        idle_rate: 150,
    },
];

/// Plays match after match until faults stop.
pub(crate) async fn run_series(
    node_set: Arc<NodeSet>,
    number: usize,
    config: SeriesConfig,
) -> Vec<MatchJournal> {
    let mut accounts = Vec::new();
    let humans = config.places.iter().filter(|place| **place == "human").count();
    for place in 0..humans {
        let Some(account) = AccountClient::register(&node_set, format!("t{number}.{place}")).await else {
            return Vec::new();
        };
        accounts.push(account);
    }
    if !config.plays_two_at_once {
        return play_matches(&node_set, &accounts, config, "one").await;
    }
    let both = (
        play_matches(&node_set, &accounts, config, "one"),
        play_matches(&node_set, &accounts, config, "other"),
    );
    let (one, other) = tokio::join!(both.0, both.1);
    one.into_iter().chain(other).collect()
}

/// Plays one match after the other; `which` separates the request keys of two parallel series.
async fn play_matches(
    node_set: &Arc<NodeSet>,
    accounts: &[AccountClient],
    config: SeriesConfig,
    which: &str,
) -> Vec<MatchJournal> {
    let mut match_journals = Vec::new();
    let mut count = 0;
    while !node_set.sim.is_fault_free() && !node_set.sim.has_problems() {
        count += 1;
        match create_match(accounts, config, &format!("{which}-{count}")).await {
            Ok(match_id) => match_journals.extend(play_to_end(node_set, accounts, config, match_id).await),
            Err(code) => {
                node_set.sim.add_problem(format!("{} cannot create a match: {code}", accounts[0].name));
                break;
            }
        }
    }
    match_journals
}

/// Creates a match, seats everyone and starts it.
async fn create_match(
    accounts: &[AccountClient],
    config: SeriesConfig,
    count: &str,
) -> Result<MatchId, String> {
    let SeriesConfig { ruleset, options, places, is_staked, .. } = config;
    let settings = json!({
        "ruleset": ruleset, "options": options(), "places": places, "seats": places.len(), "stake": is_staked,
    });
    let host = accounts.first().ok_or("a series needs a human player")?;
    let made = host.request(Method::POST, "/matches", Some(&format!("make-{count}")), Some(settings)).await?;
    let id = made["id"].as_str().ok_or("the created match has no id")?;
    for (account, seat) in accounts.iter().zip(0u8..).skip(1) {
        let path = format!("/matches/{id}/seats");
        account
            .request(Method::POST, &path, Some(&format!("sit-{count}")), Some(json!({"seat": seat})))
            .await?;
    }
    for account in accounts {
        let path = format!("/matches/{id}/ready");
        account
            .request(Method::PUT, &path, Some(&format!("ready-{count}")), Some(json!({"ready": true})))
            .await?;
    }
    id.parse().map_err(|_| "the created match has an invalid id".to_owned())
}

/// Lets everyone play until the match is over.
async fn play_to_end(
    node_set: &Arc<NodeSet>,
    accounts: &[AccountClient],
    config: SeriesConfig,
    match_id: MatchId,
) -> Vec<MatchJournal> {
    let mut playing = tokio::task::JoinSet::new();
    let mut random = node_set.sim.random();
    // A match against bots has no clock, so it waits for its only player forever.
    let leaves_for_good = random.happens(400) && accounts.len() > 1;
    for (account, seat) in accounts.iter().zip(0u8..) {
        let style = style(&mut random, config.idle_rate, leaves_for_good);
        let match_journal = MatchJournal::new(match_id, &account.id, seat);
        playing.spawn(play_within_limit(
            SimulatedPlayer::new(node_set, account, style, match_journal),
            Arc::clone(node_set),
            match_id,
        ));
    }
    playing.join_all().await.into_iter().flatten().collect()
}

fn style(random: &mut Random, idle_rate: u16, leaves_for_good: bool) -> PlayStyle {
    let disconnects = if random.happens(300) { random.below(150) as u16 } else { 0 };
    PlayStyle { idle_rate: random.below(u64::from(idle_rate) + 1) as u16, disconnects, leaves_for_good }
}

/// Plays one player's match, and reports a problem if it does not end in time.
async fn play_within_limit(
    player: SimulatedPlayer,
    node_set: Arc<NodeSet>,
    match_id: MatchId,
) -> Option<MatchJournal> {
    let late = async {
        node_set.sim.wait_until_fault_free().await;
        sleep(END_TIMEOUT).await;
    };
    tokio::select! {
        biased;
        match_journal = player.play() => Some(match_journal),
        () = late => {
            node_set.sim.add_problem(format!("match {match_id} does not end"));
            None
        }
    }
}

/// Queues for two rulesets at once, again and again until faults stop.
pub(crate) async fn queue_repeatedly(node_set: Arc<NodeSet>, number: usize) -> Vec<MatchJournal> {
    let Some(account) = AccountClient::register(&node_set, format!("w{number}")).await else {
        return Vec::new();
    };
    let (one, other) =
        tokio::join!(queue_for(&node_set, &account, "bids"), queue_for(&node_set, &account, "orcain"));
    one.into_iter().chain(other).collect()
}

/// Queues for one ruleset, plays the match that is found, and queues again.
async fn queue_for(node_set: &Arc<NodeSet>, account: &AccountClient, ruleset: &str) -> Vec<MatchJournal> {
    let mut match_journals = Vec::new();
    let path = format!("/queue/{ruleset}");
    let mut random = node_set.sim.random();
    let mut count = 0;
    while !node_set.sim.is_fault_free() && !node_set.sim.has_problems() {
        count += 1;
        let stake = json!({"stake": true});
        let key = format!("{ruleset}-{count}");
        let joined = account.request(Method::POST, &path, Some(&key), Some(stake)).await;
        if let Err(code) = joined {
            node_set.sim.add_problem(format!("{} cannot join the queue: {code}", account.name));
            break;
        }
        let Some(match_id) = wait_in_queue(node_set, account, &path, &key, &mut random).await else {
            continue;
        };
        let Some(record) = AccountClient::stored_record(node_set, &format!("match/{match_id}")).await else {
            node_set
                .sim
                .add_problem(format!("{} was given match {match_id}, which does not exist", account.name));
            break;
        };
        let seats = record["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(seat) = seats.iter().position(|seat| seat["account"] == account.id) else {
            node_set.sim.add_problem(format!("{} has no seat in match {match_id}", account.name));
            break;
        };
        let style = style(&mut random, 200, false);
        let match_journal = MatchJournal::new(match_id, &account.id, seat as u8);
        match_journals.extend(
            play_within_limit(
                SimulatedPlayer::new(node_set, account, style, match_journal),
                Arc::clone(node_set),
                match_id,
            )
            .await,
        );
    }
    match_journals
}

/// Waits until a match is found, and leaves the queue after a random number of polls.
async fn wait_in_queue(
    node_set: &Arc<NodeSet>,
    account: &AccountClient,
    path: &str,
    key: &str,
    random: &mut Random,
) -> Option<MatchId> {
    let mut polls = 0;
    let max_polls = 5 + random.below(40);
    loop {
        sleep(POLL_INTERVAL).await;
        let status = account.request(Method::GET, path, None, None).await;
        match status {
            Ok(status) if status["state"] == "found" => return status["matchId"].as_str()?.parse().ok(),
            Ok(status) if status["state"] == "waiting" => {}
            // The queue drops players who have not polled for too long.
            _ => return None,
        }
        polls += 1;
        if polls == max_polls || node_set.sim.is_fault_free() {
            let _ = account.request(Method::DELETE, path, Some(&format!("leave-{key}-{polls}")), None).await;
        }
        if node_set.sim.has_problems() {
            return None;
        }
    }
}
