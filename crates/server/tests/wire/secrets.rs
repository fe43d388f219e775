//! What nobody may read in a log is not in it, however much is logged.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use super::asking::Request;
use super::client::Client;
use super::world::World;

/// A log that is kept in memory.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Kept;

    fn make_writer(&'a self) -> Kept {
        self.clone()
    }
}

#[tokio::test]
async fn no_secret_is_logged() {
    let log = Kept::default();
    let writing = tracing_subscriber::fmt().with_env_filter("trace").with_writer(log.clone());
    writing.try_init().expect("nobody else here keeps a log");
    let world = World::with(&["orcain"]).await;
    let mut secrets = vec!["correct horse battery".to_owned(), "another staple".to_owned()];
    let ask = |path: &'static str| Request { method: "POST", path, ..Request::default() };

    let signing_up = json!({"name": "anna", "password": secrets[0]});
    let made = ask("/accounts").with_json(world.address, Some(&signing_up)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    ask("/sessions").with_json(world.address, Some(&json!({"name": "anna", "password": secrets[1]}))).await;
    let signed_in = ask("/sessions").with_json(world.address, Some(&signing_up)).await;
    let anna = signed_in.body["token"].as_str().unwrap().to_owned();
    let bela = world.guest("bela").await;
    secrets.extend([anna.clone(), bela.clone(), made.body["token"].as_str().unwrap().to_owned()]);

    let wish = json!({"ruleset": "orcain", "private": true});
    let opened = world.post("/matches", &anna, wish).await;
    let (id, code) = (opened.body["id"].as_str().unwrap(), opened.body["code"].as_str().unwrap());
    let sat = world.post(&format!("/matches/{id}/seats"), &bela, json!({"code": code})).await;
    assert_eq!(sat.status, 200, "{}", sat.text);
    for token in [&anna, &bela] {
        world.put(&format!("/matches/{id}/ready"), token, json!({"ready": true})).await;
    }
    secrets.push(code.to_owned());
    let record = world.store.get(&format!("match/{id}")).await.unwrap().unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record.value).unwrap();
    secrets.push(record["seed"].as_str().unwrap().to_owned());

    let mut one = Client::join(&world, &anna, id).await;
    let mut other = Client::join(&world, &bela, id).await;
    one.answer(one.asked().unwrap(), json!(["attack", null, null])).await.unwrap();
    one.answer(7_777, json!(["attack"])).await.unwrap_err();
    other.send_text(format!("{{\"type\":\"hello\",\"token\":[\"{anna}\"]}}")).await;
    other.control(json!({"kind": "concede"})).await.unwrap();
    world.get(&format!("/matches/{id}/log"), Some(&anna)).await;
    world.delete("/sessions/current", &anna).await;
    world.get("/me", Some(&anna)).await;

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("ready"), "something is logged: {log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "`{secret}` is logged: {log}");
    }
}
