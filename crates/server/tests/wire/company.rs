//! Several servers on one store: it does not matter which of them one speaks to, or whether it lives.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use intermezzo_server::{Bus, Company, News, Topic};
use intermezzo_store::{ManualClock, Store};
use serde_json::json;
use tokio::sync::mpsc;

use super::client::Client;
use super::killed::{Life, by_hand};

/// Where servers hear each other, unless it is silent.
#[derive(Default)]
struct Street {
    listeners: Mutex<Vec<Listener>>,
    is_silent: AtomicBool,
}

struct Listener {
    house: usize,
    topics: BTreeSet<Topic>,
    door: mpsc::Sender<News>,
}

/// One server's place in it.
struct Window {
    street: Arc<Street>,
    house: usize,
}

impl Street {
    fn company(self: &Arc<Street>) -> Company {
        let (door, news) = mpsc::channel(1_000);
        let mut listeners = self.listeners.lock().unwrap();
        let house = listeners.len();
        listeners.push(Listener { house, topics: BTreeSet::new(), door });
        Company { bus: Arc::new(Window { street: Arc::clone(self), house }), news }
    }
}

impl Bus for Window {
    fn tell(&self, news: News) {
        if self.street.is_silent.load(Ordering::Relaxed) {
            return;
        }
        for listener in self.street.listeners.lock().unwrap().iter() {
            if listener.house != self.house && listener.topics.contains(&news.topic) {
                let _ = listener.door.try_send(news);
            }
        }
    }

    fn listen(&self, topic: Topic) {
        self.street.listeners.lock().unwrap()[self.house].topics.insert(topic);
    }

    fn ignore(&self, topic: Topic) {
        self.street.listeners.lock().unwrap()[self.house].topics.remove(&topic);
    }
}

/// Two servers on one store.
struct Town {
    store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
    street: Arc<Street>,
    ruleset: &'static str,
    one: Life,
    other: Life,
}

impl Town {
    async fn of(ruleset: &'static str) -> Town {
        let (store, clock) = by_hand();
        let street = Arc::new(Street::default());
        let one = Life::begin_among(&store, &clock, Some(street.company()), ruleset).await;
        let other = Life::begin_among(&store, &clock, Some(street.company()), ruleset).await;
        Town { store, clock, street, ruleset, one, other }
    }

    async fn another(&self) -> Life {
        Life::begin_among(&self.store, &self.clock, Some(self.street.company()), self.ruleset).await
    }

    /// Two guests who play together, each by another server.
    async fn pair(&self) -> (Client, Client) {
        let (anna, bela) = (self.one.world.guest("anna").await, self.one.world.guest("bela").await);
        let id = self.one.world.table(json!({"ruleset": self.ruleset}), &[&anna, &bela]).await;
        let anna = Client::join(&self.one.world, &anna, &id).await;
        (anna, Client::join(&self.other.world, &bela, &id).await)
    }
}

/// Both answer whatever they are asked, one after the other, so many times.
async fn play(anna: &mut Client, bela: &mut Client, turns: usize) {
    for _ in 0..turns {
        while anna.asked().is_none() && bela.asked().is_none() {
            tokio::select! {
                _ = anna.next() => {}
                _ = bela.next() => {}
            }
        }
        let client = if anna.asked().is_some() { &mut *anna } else { &mut *bela };
        let question = client.asked().unwrap();
        let options = client.prompts[0]["options"].as_array().unwrap();
        let first = options[0]["value"].clone();
        client.answer(question, first).await.unwrap();
        client.until(|client| client.asked() != Some(question)).await;
    }
}

#[tokio::test]
async fn those_who_play_by_different_servers_see_the_same_match() {
    let town = Town::of("race").await;
    let (mut anna, mut bela) = town.pair().await;
    play(&mut anna, &mut bela, 30).await;
    for client in [&mut anna, &mut bela] {
        client.until(Client::is_over).await;
    }
    assert_eq!(anna.view["players"], bela.view["players"]);
    assert_eq!(anna.events.len(), bela.events.len(), "nothing is secret here");
}

#[tokio::test]
async fn without_a_word_between_them_servers_notice_by_looking() {
    let town = Town::of("race").await;
    town.street.is_silent.store(true, Ordering::Relaxed);
    let (mut anna, mut bela) = town.pair().await;
    play(&mut anna, &mut bela, 3).await;
    // The other server has not heard that its player is asked, and takes the answer all the same.
    bela.settle().await;
    assert_eq!(anna.version, bela.version);
}

#[tokio::test]
async fn answers_that_are_given_at_the_same_time_are_all_taken() {
    let town = Town::of("orcain").await;
    let (mut anna, mut bela) = town.pair().await;
    for round in 0..5 {
        if anna.is_over() || bela.is_over() {
            break;
        }
        for client in [&mut anna, &mut bela] {
            client.until(|client| client.asked().is_some() || client.is_over()).await;
        }
        let (one, other) = (anna.asked().unwrap(), bela.asked().unwrap());
        let layout = json!([null, null, null]);
        let (one, other) = tokio::join!(anna.answer(one, layout.clone()), bela.answer(other, layout));
        assert!(one.is_ok() && other.is_ok(), "round {round}: {one:?} {other:?}");
    }
}

#[tokio::test]
async fn a_refusal_is_about_the_match_as_it_is_not_as_a_server_remembers_it() {
    let town = Town::of("race").await;
    let (mut anna, mut bela) = town.pair().await;
    town.street.is_silent.store(true, Ordering::Relaxed);
    let question = anna.asked().unwrap();
    anna.answer(question, json!(true)).await.unwrap();
    // What the other server remembers has no such question yet.
    let path = format!("/matches/{}/inputs", bela.match_id.clone().unwrap());
    let asked = town.one.world.get(&path, bela.token.as_deref()).await.body["prompts"][0]["inputId"]
        .as_u64()
        .unwrap();
    bela.answer(asked, json!(true)).await.unwrap();
    let again = bela.answer(asked, json!(true)).await.unwrap_err();
    assert_eq!(again.code.name(), "closed");
}

#[tokio::test]
async fn whoever_loses_a_server_goes_on_at_another() {
    let town = Town::of("race").await;
    let (mut anna, mut bela) = town.pair().await;
    play(&mut anna, &mut bela, 6).await;
    bela.settle().await;
    let Town { one, other, .. } = town;
    other.kill().await;
    bela.return_to(&one.world).await;
    play(&mut anna, &mut bela, 6).await;
    bela.settle().await;
    anna.settle().await;
    assert_eq!(anna.version, bela.version);
}

#[tokio::test]
async fn a_command_that_is_sent_again_to_another_server_happens_once() {
    let town = Town::of("race").await;
    let (mut anna, _bela) = town.pair().await;
    let frame = json!({"type": "input.submit", "inputId": anna.asked().unwrap(), "answers": true});
    let first = anna.command_called("mine", frame.clone()).await.unwrap();
    anna.lose().await;
    anna.return_to(&town.other.world).await;
    let again = anna.command_called("mine", frame.clone()).await.unwrap();
    assert_eq!(first, again);
    let mut other = frame;
    other["answers"] = json!(false);
    assert_eq!(anna.command_called("mine", other).await.unwrap_err().code.name(), "command_reused");
}

#[tokio::test]
async fn those_who_wait_at_different_servers_are_brought_together() {
    let town = Town::of("race").await;
    let (anna, bela) = (town.one.world.guest("anna").await, town.one.world.guest("bela").await);
    let mut anna = Client::join_as(&town.one.world, json!({"token": anna})).await;
    let mut bela = Client::join_as(&town.other.world, json!({"token": bela})).await;
    for client in [&mut anna, &mut bela] {
        client.command(json!({"type": "queue.join", "ruleset": "race", "stake": false})).await.unwrap();
    }
    let (one, other) = (anna.found().await, bela.found().await);
    assert_eq!(one, other);
}

#[tokio::test]
async fn whoever_signs_out_at_one_server_is_signed_out_at_all() {
    let town = Town::of("race").await;
    let token = town.one.world.guest("anna").await;
    let mut anna = Client::join_as(&town.other.world, json!({"token": token})).await;
    town.one.world.delete("/sessions/current", &token).await;
    let (code, reason) = anna.until_closed().await.unwrap();
    assert_eq!((code, reason.as_str()), (1008, "the session has ended"));
}

#[tokio::test]
async fn who_was_connected_by_a_server_that_is_gone_is_missed() {
    let town = Town::of("relay").await;
    let (mut anna, bela) = town.pair().await;
    anna.until(|client| client.connected == [0, 1]).await;
    let Town { one: _one, other, clock, .. } = town;
    other.kill().await;
    drop(bela);
    // After a while the server counts as gone, and after its grace the player does.
    clock.advance(6_000);
    anna.until(|client| client.connected == [0]).await;
    clock.advance(10_000);
    let question = anna.asked().unwrap();
    anna.answer(question, json!(1)).await.unwrap();
    // A bot plays on, and it is this one's turn again.
    anna.until(|client| client.asked().is_some_and(|asked| asked != question)).await;
}

#[tokio::test]
async fn who_hangs_up_at_one_server_is_still_there_by_another() {
    let town = Town::of("orcain").await;
    let (mut anna, bela) = town.pair().await;
    let (token, id) = (anna.token.clone().unwrap(), anna.match_id.clone().unwrap());
    let mut again = Client::join(&town.other.world, &token, &id).await;
    let mut bela = Client::join(&town.one.world, &bela.token.clone().unwrap(), &id).await;
    bela.until(|client| client.connected == [0, 1]).await;
    anna.lose().await;
    bela.until(|client| client.connected == [1]).await;
    bela.until(|client| client.connected == [0, 1]).await;
    town.clock.advance(4_000);
    again.answer(again.asked().unwrap(), json!([null, null, null])).await.unwrap();
    bela.settle().await;
    assert!(!bela.is_over());
    // Where the last connection is lost nobody is waited for, but for the moment it takes to hear of that.
    again.lose().await;
    bela.until(|client| client.connected == [1]).await;
    town.clock.advance(4_000);
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("disconnect"));
}

#[tokio::test]
async fn a_deadline_passes_once_whoever_notices() {
    let town = Town::of("orcain").await;
    let (mut anna, mut bela) = town.pair().await;
    town.clock.advance(20_000);
    let ended =
        |client: &Client| client.events.iter().filter(|event| event["event"] == json!("RoundEnded")).count();
    for client in [&mut anna, &mut bela] {
        client.until(|client| ended(client) > 0 && client.asked().is_some()).await;
        client.settle().await;
        assert_eq!(ended(client), 1);
    }
    assert_eq!(anna.prompts[0]["deadlineTs"], bela.prompts[0]["deadlineTs"]);
}

#[tokio::test]
async fn a_match_is_played_on_by_servers_that_did_not_see_it_begin() {
    let town = Town::of("race").await;
    let (mut anna, mut bela) = town.pair().await;
    play(&mut anna, &mut bela, 20).await;
    let third = town.another().await;
    let Town { one, other, .. } = town;
    one.kill().await;
    other.kill().await;
    for client in [&mut anna, &mut bela] {
        client.return_to(&third.world).await;
    }
    play(&mut anna, &mut bela, 10).await;
    for client in [&mut anna, &mut bela] {
        client.until(Client::is_over).await;
    }
}
