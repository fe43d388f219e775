//! Series of matches that the same clients play. Start with [`MatchSeries::play`].

use std::sync::Arc;
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_test_client::{ClientJournal, ServerDowntime};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::addresses::ServerAddresses;
use crate::http::{self, HttpRequest};
use crate::player::{ClientTimings, MatchStage, PlayerHabits, SocketPlayer};

/// Interval at which the status of a match is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(150);
/// Time after the last kill until everyone concedes.
const CONCEDE_AFTER: Duration = Duration::from_secs(5);
/// Time after that until the match must be over.
const END_TIMEOUT: Duration = Duration::from_secs(60);

/// Settings of a match series.
#[derive(Clone, Debug)]
pub(crate) struct SeriesSetup {
    ruleset: &'static str,
    options: Value,
    /// Occupant of each seat: `human`, `random` or `greedy`.
    places: &'static [&'static str],
    pub(crate) is_staked: bool,
    /// Time bank of each seat for the whole match.
    pub(crate) bank_ms: Option<i64>,
    idle_rate: u16,
}

/// Returns setups with every ruleset, with and without bots, deadlines, time banks and stakes.
pub(crate) fn setups() -> Vec<SeriesSetup> {
    let setup = |ruleset, places, options| SeriesSetup {
        ruleset,
        options,
        places,
        is_staked: false,
        bank_ms: None,
        idle_rate: 0,
    };
    let duel = json!({"prep_ms": 1000, "afk_limit": 5, "max_rounds": 10});
    let banked = |ms: i64| json!({"bank_ms": ms});
    vec![
        SeriesSetup { is_staked: true, idle_rate: 250, ..setup("orcain", &["human", "human"], duel.clone()) },
        SeriesSetup {
            idle_rate: 150,
            ..setup(
                "draft",
                &["human", "human", "human", "random"],
                json!({"pick_ms": 1000, "build_ms": 1200, "rounds": 2}),
            )
        },
        setup("mages", &["human", "human"], json!({})),
        setup("dogma", &["human", "random", "human"], json!({"rounds": 10})),
        setup("skirmish", &["human", "human"], json!({"rounds": 6})),
        SeriesSetup { bank_ms: Some(3_000), ..setup("mages", &["human", "human"], banked(3_000)) },
        SeriesSetup { is_staked: true, idle_rate: 400, ..setup("orcain", &["human", "human"], duel.clone()) },
        SeriesSetup { bank_ms: Some(4_000), ..setup("dogma", &["human", "human", "human"], banked(4_000)) },
        SeriesSetup { idle_rate: 300, ..setup("orcain", &["human", "random"], duel) },
        setup("skirmish", &["greedy", "human"], json!({"rounds": 4})),
        setup("skirmish", &["greedy", "random"], json!({"rounds": 12})),
    ]
}

/// An account and its token.
#[derive(Clone, Debug)]
pub(crate) struct AccountToken {
    pub(crate) account: String,
    pub(crate) token: String,
}

/// Match of a series, with its journals.
#[derive(Debug, Default)]
pub(crate) struct PlayedMatch {
    pub(crate) match_id: String,
    pub(crate) ruleset: String,
    pub(crate) is_staked: bool,
    pub(crate) bank_ms: Option<i64>,
    pub(crate) accounts: Vec<AccountToken>,
    pub(crate) journals: Vec<ClientJournal>,
    /// Timings of the clients, in the order of the journals.
    pub(crate) timings: Vec<ClientTimings>,
    pub(crate) problems: Vec<String>,
}

/// Series of matches.
pub(crate) struct MatchSeries {
    pub(crate) number: usize,
    pub(crate) setup: SeriesSetup,
    pub(crate) addresses: ServerAddresses,
    pub(crate) downtime: ServerDowntime,
    pub(crate) acknowledged: Arc<Notify>,
    pub(crate) random: Random,
    /// True after the last kill.
    pub(crate) kills_done: watch::Receiver<bool>,
}

impl MatchSeries {
    /// Plays match after match until the last kill.
    pub(crate) async fn play(mut self) -> Vec<PlayedMatch> {
        let mut matches = Vec::new();
        let accounts = match self.accounts().await {
            Ok(accounts) => accounts,
            Err(fault) => return vec![PlayedMatch { problems: vec![fault], ..PlayedMatch::default() }],
        };
        while !*self.kills_done.borrow() {
            let played = self.play_one(&accounts, matches.len()).await;
            let is_ok = played.problems.is_empty();
            matches.push(played);
            if !is_ok {
                break;
            }
        }
        matches
    }

    async fn accounts(&self) -> Result<Vec<AccountToken>, String> {
        let mut accounts = Vec::new();
        // An account must create the match even if only bots play.
        for _ in 0..self.human_seats().len().max(1) {
            let request = HttpRequest {
                method: "POST",
                path: "/accounts",
                token: None,
                key: None,
                body: Some(json!({})),
            };
            let signed_in = http::json(&self.addresses, &request).await?;
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            accounts.push(AccountToken {
                account: text(&signed_in["account"]["id"]),
                token: text(&signed_in["token"]),
            });
        }
        Ok(accounts)
    }

    fn human_seats(&self) -> Vec<u8> {
        (0u8..).zip(self.setup.places).filter(|(_, place)| **place == "human").map(|(seat, _)| seat).collect()
    }

    async fn play_one(&mut self, accounts: &[AccountToken], number: usize) -> PlayedMatch {
        let SeriesSetup { ruleset, is_staked, bank_ms, .. } = self.setup.clone();
        let ruleset = ruleset.to_owned();
        let mut played = PlayedMatch {
            ruleset,
            is_staked,
            bank_ms,
            accounts: accounts.to_vec(),
            ..PlayedMatch::default()
        };
        let outcome = match self.create_match(accounts, number).await {
            Ok(match_id) => {
                played.match_id = match_id;
                self.play_to_end(&mut played).await
            }
            Err(fault) => Err(fault),
        };
        played.problems.extend(outcome.err());
        played
    }

    /// Creates a match, seats everyone and starts it.
    async fn create_match(&self, accounts: &[AccountToken], number: usize) -> Result<String, String> {
        let SeriesSetup { ruleset, options, places, is_staked, .. } = &self.setup;
        let ask = async |account: &AccountToken, method, path: &str, what: &str, body: Value| {
            let key = format!("{what}-{}-{number}", self.number);
            let token = Some(account.token.as_str());
            http::json(
                &self.addresses,
                &HttpRequest { method, path, token, key: Some(&key), body: Some(body) },
            )
            .await
        };
        let settings = json!({
            "ruleset": ruleset, "options": options, "places": places, "seats": places.len(), "stake": is_staked,
            "sit": !self.human_seats().is_empty(),
        });
        let host = accounts.first().ok_or("a series needs an account")?;
        let made = ask(host, "POST", "/matches", "make", settings).await?;
        let id = made["id"].as_str().ok_or("the created match has no id")?.to_owned();
        for (account, seat) in accounts.iter().zip(self.human_seats()).skip(1) {
            ask(account, "POST", &format!("/matches/{id}/seats"), "sit", json!({"seat": seat})).await?;
        }
        if self.human_seats().is_empty() {
            ask(host, "POST", &format!("/matches/{id}/start"), "start", json!({})).await?;
            return Ok(id);
        }
        for account in accounts {
            ask(account, "PUT", &format!("/matches/{id}/ready"), "ready", json!({"ready": true})).await?;
        }
        Ok(id)
    }

    /// Lets everyone play until the match is over.
    async fn play_to_end(&mut self, played: &mut PlayedMatch) -> Result<(), String> {
        let (set_stage, stage) = watch::channel(MatchStage::Played);
        let mut playing = tokio::task::JoinSet::new();
        for (account, seat) in played.accounts.iter().zip(self.human_seats()) {
            let journal = ClientJournal::new(&played.match_id, &account.account, seat);
            let habits =
                PlayerHabits { idle_rate: self.setup.idle_rate, thinks_long: self.setup.bank_ms.is_some() };
            let random = Random::new(self.random.next_number());
            let place = (self.addresses.clone(), self.downtime.clone(), Arc::clone(&self.acknowledged));
            let player = SocketPlayer::new(place, &account.token, habits, random, journal, stage.clone());
            playing.spawn(player.play());
        }
        self.wait_for_the_end(played, &set_stage).await?;
        let all = tokio::time::timeout(END_TIMEOUT, playing.join_all()).await;
        let late = |_| format!("match {}: a client cannot read it to its end", played.match_id);
        (played.journals, played.timings) = all.map_err(late)?.into_iter().unzip();
        Ok(())
    }

    async fn wait_for_the_end(
        &mut self,
        played: &PlayedMatch,
        set_stage: &watch::Sender<MatchStage>,
    ) -> Result<(), String> {
        let token = played.accounts.first().map_or("", |account| account.token.as_str());
        let path = format!("/matches/{}", played.match_id);
        let mut done_since = None;
        loop {
            let info = http::json(&self.addresses, &HttpRequest::get(&path, token)).await?;
            if info["status"] == "ended" {
                let _ = set_stage.send(MatchStage::Over);
                return Ok(());
            }
            if *self.kills_done.borrow() {
                let since = *done_since.get_or_insert_with(tokio::time::Instant::now);
                if since.elapsed() > CONCEDE_AFTER {
                    set_stage.send_if_modified(|stage| {
                        std::mem::replace(stage, MatchStage::Ending) != MatchStage::Ending
                    });
                }
                if since.elapsed() > CONCEDE_AFTER + END_TIMEOUT {
                    return Err(format!("match {} ({}) does not end", played.match_id, played.ruleset));
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
