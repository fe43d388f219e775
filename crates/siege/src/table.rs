//! Tables at which match after match is played. Start with [`Table::play`].

use std::sync::Arc;
use std::time::Duration;

use intermezzo_bots::Random;
use intermezzo_client::{Absences, Journal};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::doors::Doors;
use crate::http::{self, Request};
use crate::player::{Habits, Notes, Player, Stage};

/// How often it is looked whether a match is over.
const LOOK_EVERY: Duration = Duration::from_millis(150);
/// A match under way when the siege is over may take so long before everyone concedes.
const MAY_TAKE: Duration = Duration::from_secs(5);
/// So long after that it has to be over.
const HAS_TO_END: Duration = Duration::from_secs(60);

/// What is played at a table.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    ruleset: &'static str,
    options: Value,
    /// Who sits where: `human`, `random` or `greedy`.
    places: &'static [&'static str],
    pub(crate) is_staked: bool,
    /// Milliseconds everyone has for the whole match.
    pub(crate) bank_ms: Option<i64>,
    idles: u16,
}

/// Every ruleset, with and without bots, deadlines, banks and stakes.
pub(crate) fn settings() -> Vec<Setting> {
    let setting = |ruleset, places, options| Setting {
        ruleset,
        options,
        places,
        is_staked: false,
        bank_ms: None,
        idles: 0,
    };
    let duel = json!({"prep_ms": 1000, "afk_limit": 5, "max_rounds": 10});
    let banked = |ms: i64| json!({"bank_ms": ms});
    vec![
        Setting { is_staked: true, idles: 250, ..setting("orcain", &["human", "human"], duel.clone()) },
        Setting {
            idles: 150,
            ..setting(
                "draft",
                &["human", "human", "human", "random"],
                json!({"pick_ms": 1000, "build_ms": 1200, "rounds": 2}),
            )
        },
        setting("mages", &["human", "human"], json!({})),
        setting("dogma", &["human", "random", "human"], json!({"rounds": 10})),
        setting("skirmish", &["human", "human"], json!({"rounds": 6})),
        Setting { bank_ms: Some(3_000), ..setting("mages", &["human", "human"], banked(3_000)) },
        Setting { is_staked: true, idles: 400, ..setting("orcain", &["human", "human"], duel.clone()) },
        Setting { bank_ms: Some(4_000), ..setting("dogma", &["human", "human", "human"], banked(4_000)) },
        Setting { idles: 300, ..setting("orcain", &["human", "random"], duel) },
        setting("skirmish", &["greedy", "human"], json!({"rounds": 4})),
        setting("skirmish", &["greedy", "random"], json!({"rounds": 12})),
    ]
}

/// An account and its token.
#[derive(Clone, Debug)]
pub(crate) struct Guest {
    pub(crate) account: String,
    pub(crate) token: String,
}

/// A match that was played at a table.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) match_id: String,
    pub(crate) ruleset: String,
    pub(crate) is_staked: bool,
    pub(crate) bank_ms: Option<i64>,
    pub(crate) guests: Vec<Guest>,
    pub(crate) journals: Vec<Journal>,
    /// What else those who kept them noted.
    pub(crate) notes: Vec<Notes>,
    pub(crate) faults: Vec<String>,
}

/// A table at which match after match is played.
pub(crate) struct Table {
    pub(crate) number: usize,
    pub(crate) setting: Setting,
    pub(crate) doors: Doors,
    pub(crate) absences: Absences,
    pub(crate) heard: Arc<Notify>,
    pub(crate) random: Random,
    /// Whether the siege is over.
    pub(crate) is_calm: watch::Receiver<bool>,
}

impl Table {
    /// Plays until the siege is over.
    pub(crate) async fn play(mut self) -> Vec<Played> {
        let mut matches = Vec::new();
        let guests = match self.guests().await {
            Ok(guests) => guests,
            Err(fault) => return vec![Played { faults: vec![fault], ..Played::default() }],
        };
        while !*self.is_calm.borrow() {
            let played = self.play_one(&guests, matches.len()).await;
            let goes_on = played.faults.is_empty();
            matches.push(played);
            if !goes_on {
                break;
            }
        }
        matches
    }

    async fn guests(&self) -> Result<Vec<Guest>, String> {
        let mut guests = Vec::new();
        // Somebody has to make the match, even if only bots play.
        for _ in 0..self.human_seats().len().max(1) {
            let request =
                Request { method: "POST", path: "/accounts", token: None, key: None, body: Some(json!({})) };
            let signed_in = http::json(&self.doors, &request).await?;
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            guests
                .push(Guest { account: text(&signed_in["account"]["id"]), token: text(&signed_in["token"]) });
        }
        Ok(guests)
    }

    fn human_seats(&self) -> Vec<u8> {
        (0u8..)
            .zip(self.setting.places)
            .filter(|(_, place)| **place == "human")
            .map(|(seat, _)| seat)
            .collect()
    }

    async fn play_one(&mut self, guests: &[Guest], number: usize) -> Played {
        let Setting { ruleset, is_staked, bank_ms, .. } = self.setting.clone();
        let ruleset = ruleset.to_owned();
        let mut played = Played { ruleset, is_staked, bank_ms, guests: guests.to_vec(), ..Played::default() };
        let outcome = match self.make(guests, number).await {
            Ok(match_id) => {
                played.match_id = match_id;
                self.see_through(&mut played).await
            }
            Err(fault) => Err(fault),
        };
        played.faults.extend(outcome.err());
        played
    }

    /// Makes a match, seats everyone and starts it; each request may have to be sent several times.
    async fn make(&self, guests: &[Guest], number: usize) -> Result<String, String> {
        let Setting { ruleset, options, places, is_staked, .. } = &self.setting;
        let ask = async |guest: &Guest, method, path: &str, what: &str, body: Value| {
            let key = format!("{what}-{}-{number}", self.number);
            let token = Some(guest.token.as_str());
            http::json(&self.doors, &Request { method, path, token, key: Some(&key), body: Some(body) }).await
        };
        let wish = json!({
            "ruleset": ruleset, "options": options, "places": places, "seats": places.len(), "stake": is_staked,
            "sit": !self.human_seats().is_empty(),
        });
        let host = guests.first().ok_or("somebody has to play")?;
        let made = ask(host, "POST", "/matches", "make", wish).await?;
        let id = made["id"].as_str().ok_or("a match has no id")?.to_owned();
        for (guest, seat) in guests.iter().zip(self.human_seats()).skip(1) {
            ask(guest, "POST", &format!("/matches/{id}/seats"), "sit", json!({"seat": seat})).await?;
        }
        if self.human_seats().is_empty() {
            ask(host, "POST", &format!("/matches/{id}/start"), "start", json!({})).await?;
            return Ok(id);
        }
        for guest in guests {
            ask(guest, "PUT", &format!("/matches/{id}/ready"), "ready", json!({"ready": true})).await?;
        }
        Ok(id)
    }

    /// Has everyone play until the match is over.
    async fn see_through(&mut self, played: &mut Played) -> Result<(), String> {
        let (tell, stage) = watch::channel(Stage::Played);
        let mut playing = tokio::task::JoinSet::new();
        for (guest, seat) in played.guests.iter().zip(self.human_seats()) {
            let journal = Journal::new(&played.match_id, &guest.account, seat);
            let habits = Habits { idles: self.setting.idles, ponders: self.setting.bank_ms.is_some() };
            let random = Random::new(self.random.next_number());
            let place = (self.doors.clone(), self.absences.clone(), Arc::clone(&self.heard));
            let player = Player::new(place, &guest.token, habits, random, journal, stage.clone());
            playing.spawn(player.play());
        }
        self.wait_for_the_end(played, &tell).await?;
        let all = tokio::time::timeout(HAS_TO_END, playing.join_all()).await;
        let late = |_| format!("match {}: somebody cannot read it to its end", played.match_id);
        (played.journals, played.notes) = all.map_err(late)?.into_iter().unzip();
        Ok(())
    }

    async fn wait_for_the_end(&mut self, played: &Played, tell: &watch::Sender<Stage>) -> Result<(), String> {
        let token = played.guests.first().map_or("", |guest| guest.token.as_str());
        let path = format!("/matches/{}", played.match_id);
        let mut calm_since = None;
        loop {
            let info = http::json(&self.doors, &Request::get(&path, token)).await?;
            if info["status"] == "ended" {
                let _ = tell.send(Stage::Over);
                return Ok(());
            }
            if *self.is_calm.borrow() {
                let since = *calm_since.get_or_insert_with(tokio::time::Instant::now);
                if since.elapsed() > MAY_TAKE {
                    tell.send_if_modified(|stage| std::mem::replace(stage, Stage::Ending) != Stage::Ending);
                }
                if since.elapsed() > MAY_TAKE + HAS_TO_END {
                    return Err(format!("match {} ({}) does not end", played.match_id, played.ruleset));
                }
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
