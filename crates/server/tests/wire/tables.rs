//! What happens at a table besides playing: taking back, answering ahead, looking on, moderating, playing again.

use intermezzo_bots::Random;
use serde_json::{Value, json};

use super::client::Client;
use super::playing::play;
use super::world::{START, World};

fn place(client: &Client, seat: usize) -> i64 {
    client.view["players"][seat]["props"]["place"].as_i64().unwrap()
}

async fn answer(client: &mut Client, answers: Value) {
    client.until(|client| client.asked().is_some()).await;
    let question = client.asked().unwrap();
    client.answer(question, answers).await.unwrap();
}

#[tokio::test]
async fn one_takes_back_what_nobody_learned_from() {
    let world = World::with(&["race"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "race"})).await;
    answer(&mut anna, json!(false)).await;
    answer(&mut anna, json!([2])).await;
    assert_eq!(place(&anna, 0), 2);
    bela.until(|client| client.asked().is_some()).await;
    anna.control(json!({"kind": "undo"})).await.unwrap();
    assert_eq!((place(&anna, 0), anna.prompts[0]["name"].clone()), (0, json!("steps")));
    bela.until(|client| client.asked().is_none()).await;
    let told = json!([{"notice": "taken_back", "by": 0}]);
    assert_eq!((json!(anna.notices), json!(bela.notices)), (told.clone(), told));
    answer(&mut anna, json!([3])).await;
    bela.until(|client| place(client, 0) == 3).await;
    bela.reconnect(&world).await;
    assert_eq!(place(&bela, 0), 3);
}

#[tokio::test]
async fn what_others_have_seen_is_taken_back_if_they_agree() {
    let world = World::with(&["race"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "race"})).await;
    answer(&mut anna, json!(true)).await;
    let rolled = place(&anna, 0);
    for agree in [false, true] {
        anna.control(json!({"kind": "undo"})).await.unwrap();
        let would = json!({"notice": "would_take_back", "by": 0});
        bela.until(|client| client.notices.last() == Some(&would)).await;
        let own = anna.control(json!({"kind": "consent", "agree": true})).await.unwrap_err();
        assert_eq!(own.code.name(), "illegal", "nobody agrees with themselves");
        bela.control(json!({"kind": "consent", "agree": agree})).await.unwrap();
        let told = if agree { "taken_back" } else { "not_taken_back" };
        anna.until(|client| client.notices.last() == Some(&json!({"notice": told, "by": 0}))).await;
        anna.settle().await;
        assert_eq!(place(&anna, 0), if agree { 0 } else { rolled });
    }
    answer(&mut anna, json!(true)).await;
    bela.until(|client| place(client, 0) > 0).await;
}

#[tokio::test]
async fn bots_have_nothing_against_taking_back() {
    let world = World::with(&["race"]).await;
    let token = world.guest("anna").await;
    let id = world.table(json!({"ruleset": "race", "places": ["human", "random"]}), &[&token]).await;
    let mut anna = Client::join(&world, &token, &id).await;
    answer(&mut anna, json!(true)).await;
    anna.until(|client| place(client, 0) > 0 && client.asked().is_some()).await;
    anna.control(json!({"kind": "undo"})).await.unwrap();
    anna.until(|client| client.notices.last() == Some(&json!({"notice": "taken_back", "by": 0}))).await;
    anna.settle().await;
    assert_eq!((place(&anna, 0), anna.prompts[0]["name"].clone()), (0, json!("roll")));
}

#[tokio::test]
async fn answers_are_sent_ahead_and_used_in_their_time() {
    let world = World::with(&["race"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "race"})).await;
    let steps = |far: i64| {
        [json!({"question": "roll", "answer": false}), json!({"question": "steps", "answer": [far]})]
    };
    let answers: Vec<Value> = steps(1).into_iter().chain(steps(2)).collect();
    let before = bela.version;
    anna.control(json!({"kind": "ahead", "answers": answers})).await.unwrap();
    assert_eq!(place(&anna, 0), 1);
    answer(&mut bela, json!(false)).await;
    answer(&mut bela, json!([3])).await;
    anna.until(|client| place(client, 0) == 3).await;
    assert!(bela.version > before);
    let far = json!({"kind": "ahead", "answers": steps(9)});
    bela.control(far.clone()).await.unwrap();
    bela.until(|client| client.notices.last() == Some(&json!({"notice": "ahead_forgotten"}))).await;
    assert!(anna.notices.is_empty(), "what somebody plans is told to nobody else");
}

#[tokio::test]
async fn a_seat_may_pass_by_itself() {
    let world = World::with(&["mages"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "mages", "options": {"mulligan": false}})).await;
    assert!(anna.asked().is_some());
    anna.control(json!({"kind": "auto_pass", "until": "always", "stops": true})).await.unwrap();
    assert_eq!(anna.auto, Some(json!({"until": "always", "stops": true})));
    assert!(anna.prompts.is_empty());
    bela.until(|client| client.asked().is_some()).await;
    assert!(bela.texts.iter().all(|text| !text.contains("\"auto\"")), "nobody else is told");
    anna.control(json!({"kind": "auto_pass", "until": "off"})).await.unwrap();
    assert_eq!(anna.auto, None);
}

#[tokio::test]
async fn who_gives_up_loses() {
    let world = World::with(&["mages"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "mages"})).await;
    anna.control(json!({"kind": "concede"})).await.unwrap();
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("concede"));
    let late = bela.control(json!({"kind": "concede"})).await.unwrap_err();
    assert_eq!(late.code.name(), "closed");
}

#[tokio::test]
async fn moderators_remove_players_and_end_matches() {
    let world = World::with(&["orcain"]).await;
    let token = world.moderator("judge").await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let mut judge = Client::join(&world, &token, &anna.match_id.clone().unwrap()).await;
    judge.control(json!({"kind": "kick", "seat": 0, "reason": "insults"})).await.unwrap();
    bela.until(Client::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("moderator"));
    anna.until(Client::is_over).await;

    let tokens = [anna.token.clone().unwrap(), bela.token.clone().unwrap()];
    let id = world.table(json!({"ruleset": "orcain"}), &[&tokens[0], &tokens[1]]).await;
    anna.hello(json!({"match": id})).await.unwrap();
    judge.hello(json!({"match": id})).await.unwrap();
    let end = json!({"kind": "moderate", "winners": [1], "pot": "refund", "reason": "a tie was agreed on"});
    assert_eq!(anna.control(end.clone()).await.unwrap_err().code.name(), "not_allowed");
    judge.control(end).await.unwrap();
    anna.until(Client::is_over).await;
    let log = world.get(&format!("/matches/{id}/log"), None).await.body;
    let last = log["inputs"].as_array().and_then(|inputs| inputs.last()).unwrap();
    assert!(last.to_string().contains("moderate"), "what a moderator did is on record: {last}");
    let ending = &world.match_info(&id).await["ending"];
    assert_eq!((&ending["winners"], &ending["pot"]), (&json!([1]), &json!("refund")));
}

#[tokio::test]
async fn what_moderators_did_is_on_record_for_moderators() {
    let world = World::with(&["orcain"]).await;
    let token = world.moderator("judge").await;
    let (mut anna, bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let other = world.table(json!({"ruleset": "orcain"}), &[&token, &bela.token.clone().unwrap()]).await;
    let mut judge = Client::join(&world, &token, &id).await;
    let resume = json!({"kind": "resume", "reason": "it was none"});
    judge.control(resume.clone()).await.unwrap_err();
    judge.control(json!({"kind": "pause", "reason": "a fire alarm"})).await.unwrap();
    world.clock.advance(1_000);
    judge.control(resume.clone()).await.unwrap();
    world.clock.advance(1_000);
    // This one ends the match, and is kept with all that follows from it.
    judge.control(json!({"kind": "kick", "seat": 0, "reason": "insults"})).await.unwrap();
    anna.until(Client::is_over).await;
    world.clock.advance(1_000);
    world.post(&format!("/matches/{other}/control"), &token, json!({"kind": "pause"})).await;

    let all = world.get("/moderations", Some(&token)).await.body;
    let all = all["items"].as_array().unwrap();
    let done: Vec<_> = all.iter().map(|item| (&item["atMs"], &item["matchId"], &item["control"])).collect();
    assert_eq!(
        done,
        [
            (&json!(START + 3_000), &json!(other), &json!({"kind": "pause", "reason": ""})),
            (&json!(START + 2_000), &json!(id), &json!({"kind": "kick", "seat": 0, "reason": "insults"})),
            (&json!(START + 1_000), &json!(id), &resume),
            (&json!(START), &json!(id), &json!({"kind": "pause", "reason": "a fire alarm"})),
        ]
    );
    assert!(all.iter().all(|item| item["name"] == json!("judge")), "{all:?}");
    let of_one = world.get(&format!("/moderations?match={other}"), Some(&token)).await.body;
    assert_eq!(of_one["items"].as_array().unwrap(), &all[..1]);
    assert_eq!(world.get("/moderations", anna.token.as_deref()).await.status, 403);
    let own = world.get("/me/export", Some(&token)).await.body;
    assert_eq!(own["moderations"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn nobody_looks_on_where_that_is_not_wanted() {
    let world = World::with(&["orcain"]).await;
    let wish = json!({"ruleset": "orcain", "spectators": {"allowed": false}});
    let (mut anna, _bela) = world.pair(wish).await;
    let id = anna.match_id.clone().unwrap();
    let mut stranger = Client::connect(&world).await;
    assert_eq!(stranger.hello(json!({"match": id})).await.unwrap_err().code.name(), "not_allowed");
    assert_eq!(world.get(&format!("/matches/{id}/view"), None).await.status, 403);
    let token = world.moderator("judge").await;
    Client::join(&world, &token, &id).await;
    let question = anna.asked().unwrap();
    anna.answer(question, json!([null, null, null])).await.unwrap();
}

#[tokio::test]
async fn who_looks_on_later_sees_later() {
    let world = World::with(&["race"]).await;
    let wish = json!({"ruleset": "race", "spectators": {"allowed": true, "delayMs": 60_000}});
    let (mut anna, _bela) = world.pair(wish).await;
    let id = anna.match_id.clone().unwrap();
    let mut watcher = Client::connect(&world).await;
    watcher.send(&json!({"type": "hello", "match": id})).await;
    world.clock.advance(10_000);
    answer(&mut anna, json!(false)).await;
    answer(&mut anna, json!([3])).await;
    assert_eq!(watcher.next_within(800).await, None, "nothing is old enough");
    world.clock.advance(50_000);
    watcher.until(|client| client.match_id.is_some()).await;
    assert_eq!(place(&watcher, 0), 0);
    while watcher.next_within(800).await.is_some() {}
    assert_eq!(place(&watcher, 0), 0, "what is ten seconds younger is not seen yet");
    world.clock.advance(10_000);
    watcher.until(|client| place(client, 0) == 3).await;
}

#[tokio::test]
async fn two_seats_may_be_one_account_s() {
    let world = World::with(&["race"]).await;
    let token = world.guest("anna").await;
    let wish = json!({"ruleset": "race", "hotseat": true});
    let id = world.table(wish, &[&token, &token]).await;
    let mut client = Client::join_as(&world, json!({"token": token, "match": id, "seat": 0})).await;
    answer(&mut client, json!(true)).await;
    client.hello(json!({"match": id, "seat": 1})).await.unwrap();
    assert_eq!(client.seat, Some(1));
    answer(&mut client, json!(true)).await;
    assert!(place(&client, 0) > 0 && place(&client, 1) > 0);
}

#[tokio::test]
async fn a_bot_plays_a_whole_match() {
    let world = World::with(&["mages"]).await;
    let token = world.guest("anna").await;
    let wish = json!({"ruleset": "mages", "places": ["human", "random"], "options": {"life": 8}});
    let id = world.table(wish, &[&token]).await;
    let mut anna = Client::join(&world, &token, &id).await;
    play(&mut anna, &mut Random::new(5), |_| false).await;
    assert_eq!(world.match_info(&id).await["status"], json!("ended"));
}

#[tokio::test]
async fn those_who_want_to_play_again_do() {
    let world = World::with(&["orcain"]).await;
    let (mut anna, mut bela) = world.pair(json!({"ruleset": "orcain"})).await;
    let old = anna.match_id.clone().unwrap();
    let tokens = [anna.token.clone().unwrap(), bela.token.clone().unwrap()];
    let early = world.post(&format!("/matches/{old}/rematch"), &tokens[0], json!({})).await;
    assert_eq!(early.body["code"], json!("not_ready"));
    anna.control(json!({"kind": "concede"})).await.unwrap();
    bela.until(Client::is_over).await;
    let mut new = Value::Null;
    for token in &tokens {
        let made = world.post(&format!("/matches/{old}/rematch"), token, json!({})).await;
        assert_eq!(made.status, 200, "{}", made.body);
        new = made.body;
    }
    assert_eq!(new["status"], json!("playing"), "{new}");
    let id = bela.found().await;
    assert_eq!(json!(id), new["id"]);
    bela.hello(json!({"match": id})).await.unwrap();
    assert_eq!(bela.view["match"]["round"], json!(1));
}
