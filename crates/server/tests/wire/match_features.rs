//! Features besides playing: undo, pre-sent answers, spectators, moderation, rematches.

use intermezzo_bots::Random;
use serde_json::{Value, json};

use super::client::WsClient;
use super::fixture::{START, WireFixture};
use super::full_matches::play;

fn position(client: &WsClient, seat: usize) -> i64 {
    client.view["players"][seat]["props"]["place"].as_i64().unwrap()
}

async fn answer(client: &mut WsClient, answers: Value) {
    client.wait_until(|client| client.open_question().is_some()).await;
    let question = client.open_question().unwrap();
    client.answer(question, answers).await.unwrap();
}

#[tokio::test]
async fn inputs_that_revealed_nothing_are_undone_without_consent() {
    let fixture = WireFixture::new(&["race"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "race"})).await;
    answer(&mut anna, json!(false)).await;
    answer(&mut anna, json!([2])).await;
    assert_eq!(position(&anna, 0), 2);
    bela.wait_until(|client| client.open_question().is_some()).await;
    anna.control(json!({"kind": "undo"})).await.unwrap();
    assert_eq!((position(&anna, 0), anna.prompts[0]["name"].clone()), (0, json!("steps")));
    bela.wait_until(|client| client.open_question().is_none()).await;
    let notice = json!([{"notice": "taken_back", "by": 0}]);
    assert_eq!((json!(anna.notices), json!(bela.notices)), (notice.clone(), notice));
    answer(&mut anna, json!([3])).await;
    bela.wait_until(|client| position(client, 0) == 3).await;
    bela.reconnect(&fixture).await;
    assert_eq!(position(&bela, 0), 3);
}

#[tokio::test]
async fn inputs_that_revealed_something_are_undone_with_consent() {
    let fixture = WireFixture::new(&["race"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "race"})).await;
    answer(&mut anna, json!(true)).await;
    let rolled = position(&anna, 0);
    for agree in [false, true] {
        anna.control(json!({"kind": "undo"})).await.unwrap();
        let would = json!({"notice": "would_take_back", "by": 0});
        bela.wait_until(|client| client.notices.last() == Some(&would)).await;
        let own = anna.control(json!({"kind": "consent", "agree": true})).await.unwrap_err();
        assert_eq!(own.code.name(), "illegal", "players cannot consent to their own undo");
        bela.control(json!({"kind": "consent", "agree": agree})).await.unwrap();
        let notice = if agree { "taken_back" } else { "not_taken_back" };
        anna.wait_until(|client| client.notices.last() == Some(&json!({"notice": notice, "by": 0}))).await;
        anna.sync().await;
        assert_eq!(position(&anna, 0), if agree { 0 } else { rolled });
    }
    answer(&mut anna, json!(true)).await;
    bela.wait_until(|client| position(client, 0) > 0).await;
}

#[tokio::test]
async fn bots_consent_to_an_undo() {
    let fixture = WireFixture::new(&["race"]).await;
    let token = fixture.guest("anna").await;
    let id = fixture.start_match(json!({"ruleset": "race", "places": ["human", "random"]}), &[&token]).await;
    let mut anna = WsClient::join(&fixture, &token, &id).await;
    answer(&mut anna, json!(true)).await;
    anna.wait_until(|client| position(client, 0) > 0 && client.open_question().is_some()).await;
    anna.control(json!({"kind": "undo"})).await.unwrap();
    anna.wait_until(|client| client.notices.last() == Some(&json!({"notice": "taken_back", "by": 0}))).await;
    anna.sync().await;
    assert_eq!((position(&anna, 0), anna.prompts[0]["name"].clone()), (0, json!("roll")));
}

#[tokio::test]
async fn pre_sent_answers_are_used_when_the_question_comes() {
    let fixture = WireFixture::new(&["race"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "race"})).await;
    let steps = |far: i64| {
        [json!({"question": "roll", "answer": false}), json!({"question": "steps", "answer": [far]})]
    };
    let answers: Vec<Value> = steps(1).into_iter().chain(steps(2)).collect();
    let before = bela.version;
    anna.control(json!({"kind": "ahead", "answers": answers})).await.unwrap();
    assert_eq!(position(&anna, 0), 1);
    answer(&mut bela, json!(false)).await;
    answer(&mut bela, json!([3])).await;
    anna.wait_until(|client| position(client, 0) == 3).await;
    assert!(bela.version > before);
    let far = json!({"kind": "ahead", "answers": steps(9)});
    bela.control(far.clone()).await.unwrap();
    bela.wait_until(|client| client.notices.last() == Some(&json!({"notice": "ahead_forgotten"}))).await;
    assert!(anna.notices.is_empty(), "pre-sent answers are private");
}

#[tokio::test]
async fn a_seat_may_auto_pass() {
    let fixture = WireFixture::new(&["mages"]).await;
    let (mut anna, mut bela) =
        fixture.pair(json!({"ruleset": "mages", "options": {"mulligan": false}})).await;
    assert!(anna.open_question().is_some());
    anna.control(json!({"kind": "auto_pass", "until": "always", "stops": true})).await.unwrap();
    assert_eq!(anna.auto, Some(json!({"until": "always", "stops": true})));
    assert!(anna.prompts.is_empty());
    bela.wait_until(|client| client.open_question().is_some()).await;
    assert!(bela.texts.iter().all(|text| !text.contains("\"auto\"")), "auto-pass is private");
    anna.control(json!({"kind": "auto_pass", "until": "off"})).await.unwrap();
    assert_eq!(anna.auto, None);
}

#[tokio::test]
async fn conceding_loses() {
    let fixture = WireFixture::new(&["mages"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "mages"})).await;
    anna.control(json!({"kind": "concede"})).await.unwrap();
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("concede"));
    let late = bela.control(json!({"kind": "concede"})).await.unwrap_err();
    assert_eq!(late.code.name(), "closed");
}

#[tokio::test]
async fn moderators_remove_players_and_end_matches() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let token = fixture.moderator("judge").await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let mut judge = WsClient::join(&fixture, &token, &anna.match_id.clone().unwrap()).await;
    judge.control(json!({"kind": "kick", "seat": 0, "reason": "insults"})).await.unwrap();
    bela.wait_until(WsClient::is_over).await;
    assert_eq!(bela.view["ending"]["outcome"], json!("moderator"));
    anna.wait_until(WsClient::is_over).await;

    let tokens = [anna.token.clone().unwrap(), bela.token.clone().unwrap()];
    let id = fixture.start_match(json!({"ruleset": "orcain"}), &[&tokens[0], &tokens[1]]).await;
    anna.hello(json!({"match": id})).await.unwrap();
    judge.hello(json!({"match": id})).await.unwrap();
    let end = json!({"kind": "moderate", "winners": [1], "pot": "refund", "reason": "a tie was agreed on"});
    assert_eq!(anna.control(end.clone()).await.unwrap_err().code.name(), "not_allowed");
    judge.control(end).await.unwrap();
    anna.wait_until(WsClient::is_over).await;
    let log = fixture.get(&format!("/matches/{id}/log"), None).await.body;
    let last = log["inputs"].as_array().and_then(|inputs| inputs.last()).unwrap();
    assert!(last.to_string().contains("moderate"), "the moderation is recorded: {last}");
    let ending = &fixture.match_info(&id).await["ending"];
    assert_eq!((&ending["winners"], &ending["pot"]), (&json!([1]), &json!("refund")));
}

#[tokio::test]
async fn moderations_are_recorded_for_moderators() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let token = fixture.moderator("judge").await;
    let (mut anna, bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let id = anna.match_id.clone().unwrap();
    let (carl, bela) = (fixture.guest("carl").await, bela.token.clone().unwrap());
    let other = fixture.start_match(json!({"ruleset": "orcain"}), &[&carl, &bela]).await;
    // Nobody judges a match they have a seat in.
    let own = fixture.start_match(json!({"ruleset": "orcain"}), &[&token, &bela]).await;
    let pause = json!({"kind": "pause", "reason": "I am losing"});
    for path in [format!("/matches/{own}/control"), format!("/matches/{own}/control?seat=0")] {
        assert_eq!(fixture.post(&path, &token, pause.clone()).await.status, 403);
    }
    let mut judge = WsClient::join(&fixture, &token, &id).await;
    let resume = json!({"kind": "resume", "reason": "it was none"});
    judge.control(resume.clone()).await.unwrap_err();
    judge.control(json!({"kind": "pause", "reason": "a fire alarm"})).await.unwrap();
    fixture.clock.advance(1_000);
    judge.control(resume.clone()).await.unwrap();
    fixture.clock.advance(1_000);
    // This one ends the match and is saved together with the ending.
    judge.control(json!({"kind": "kick", "seat": 0, "reason": "insults"})).await.unwrap();
    anna.wait_until(WsClient::is_over).await;
    fixture.clock.advance(1_000);
    fixture.post(&format!("/matches/{other}/control"), &token, json!({"kind": "pause"})).await;

    let all = fixture.get("/moderations", Some(&token)).await.body;
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
    let of_one = fixture.get(&format!("/moderations?match={other}"), Some(&token)).await.body;
    assert_eq!(of_one["items"].as_array().unwrap(), &all[..1]);
    assert_eq!(fixture.get("/moderations", anna.token.as_deref()).await.status, 403);
    let own = fixture.get("/me/export", Some(&token)).await.body;
    assert_eq!(own["moderations"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn spectators_are_rejected_if_not_allowed() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let request = json!({"ruleset": "orcain", "spectators": {"allowed": false}});
    let (mut anna, _bela) = fixture.pair(request).await;
    let id = anna.match_id.clone().unwrap();
    let mut stranger = WsClient::connect(&fixture).await;
    assert_eq!(stranger.hello(json!({"match": id})).await.unwrap_err().code.name(), "not_allowed");
    assert_eq!(fixture.get(&format!("/matches/{id}/view"), None).await.status, 403);
    let token = fixture.moderator("judge").await;
    WsClient::join(&fixture, &token, &id).await;
    let question = anna.open_question().unwrap();
    anna.answer(question, json!([null, null, null])).await.unwrap();
}

#[tokio::test]
async fn delayed_spectators_see_events_later() {
    let fixture = WireFixture::new(&["race"]).await;
    let request = json!({"ruleset": "race", "spectators": {"allowed": true, "delayMs": 60_000}});
    let (mut anna, _bela) = fixture.pair(request).await;
    let id = anna.match_id.clone().unwrap();
    let mut watcher = WsClient::connect(&fixture).await;
    watcher.send(&json!({"type": "hello", "match": id})).await;
    fixture.clock.advance(10_000);
    answer(&mut anna, json!(false)).await;
    answer(&mut anna, json!([3])).await;
    assert_eq!(watcher.next_within(800).await, None, "nothing is old enough yet");
    fixture.clock.advance(50_000);
    watcher.wait_until(|client| client.match_id.is_some()).await;
    assert_eq!(position(&watcher, 0), 0);
    while watcher.next_within(800).await.is_some() {}
    assert_eq!(position(&watcher, 0), 0, "newer events are not visible yet");
    fixture.clock.advance(10_000);
    watcher.wait_until(|client| position(client, 0) == 3).await;
}

#[tokio::test]
async fn one_account_may_have_two_seats() {
    let fixture = WireFixture::new(&["race"]).await;
    let token = fixture.guest("anna").await;
    let request = json!({"ruleset": "race", "hotseat": true});
    let id = fixture.start_match(request, &[&token, &token]).await;
    let mut client = WsClient::join_as(&fixture, json!({"token": token, "match": id, "seat": 0})).await;
    answer(&mut client, json!(true)).await;
    client.hello(json!({"match": id, "seat": 1})).await.unwrap();
    assert_eq!(client.seat, Some(1));
    answer(&mut client, json!(true)).await;
    assert!(position(&client, 0) > 0 && position(&client, 1) > 0);
}

#[tokio::test]
async fn a_bot_plays_a_whole_match() {
    let fixture = WireFixture::new(&["mages"]).await;
    let token = fixture.guest("anna").await;
    let request = json!({"ruleset": "mages", "places": ["human", "random"], "options": {"life": 8}});
    let id = fixture.start_match(request, &[&token]).await;
    let mut anna = WsClient::join(&fixture, &token, &id).await;
    play(&mut anna, &mut Random::new(5), |_| false).await;
    assert_eq!(fixture.match_info(&id).await["status"], json!("ended"));
}

#[tokio::test]
async fn a_rematch_starts_when_all_want_it() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (mut anna, mut bela) = fixture.pair(json!({"ruleset": "orcain"})).await;
    let old = anna.match_id.clone().unwrap();
    let tokens = [anna.token.clone().unwrap(), bela.token.clone().unwrap()];
    let early = fixture.post(&format!("/matches/{old}/rematch"), &tokens[0], json!({})).await;
    assert_eq!(early.body["code"], json!("not_ready"));
    anna.control(json!({"kind": "concede"})).await.unwrap();
    bela.wait_until(WsClient::is_over).await;
    let mut new = Value::Null;
    for token in &tokens {
        let made = fixture.post(&format!("/matches/{old}/rematch"), token, json!({})).await;
        assert_eq!(made.status, 200, "{}", made.body);
        new = made.body;
    }
    assert_eq!(new["status"], json!("playing"), "{new}");
    let id = bela.wait_for_match().await;
    assert_eq!(json!(id), new["id"]);
    bela.hello(json!({"match": id})).await.unwrap();
    assert_eq!(bela.view["match"]["round"], json!(1));
}

#[tokio::test]
async fn a_view_of_several_megabytes_arrives() {
    let fixture = WireFixture::new(&["orcain"]).await;
    let (anna, bela) = (fixture.guest("anna").await, fixture.guest("bela").await);
    let coin = "a_coin_with_a_name_that_is_as_long_as_names_may_be_so_that_few_entities_make_a_large_view";
    let text = format!(
        "ir: 1\nruleset: {{id: crowd, version: 1.0.0, name: Crowd, description: Full., uses: [core@1]}}\n\
         players: {{min: 2, max: 2, seats: 2}}\noutcomes: [done]\nkinds: {{token: {{}}}}\n\
         zones: {{pile: {{visible: all, order: list}}}}\ndefs: {{{coin}: {{kind: token}}}}\n\
         setup: [{{repeat: 15000, max: 15000, do: [{{create: {coin}, in: pile}}]}}]\n\
         flow: [{{choose: x, by: \"players[0]\", from: \"[1, 2]\"}}, {{end: done}}]\n"
    );
    let published = fixture.post("/rulesets", &anna, json!({"files": {"ruleset.yaml": text}})).await;
    assert_eq!(published.status, 201, "{}", published.body);
    let id = fixture.start_match(json!({"ruleset": "crowd"}), &[&anna, &bela]).await;
    let mut client = WsClient::join(&fixture, &anna, &id).await;
    assert_eq!(client.view["zones"]["pile"]["items"].as_array().unwrap().len(), 15_000);
    assert!(client.texts.iter().any(|frame| frame.len() > 2 << 20), "the view has several megabytes");
    client.answer(client.open_question().unwrap(), json!(1)).await.unwrap();
    client.wait_until(WsClient::is_over).await;
}
