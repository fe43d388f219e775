//! Logs contain no secrets, even at trace level.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

use super::client::WsClient;
use super::fixture::WireFixture;
use super::raw_http::RawRequest;

/// A log writer that collects everything in memory.
#[derive(Clone, Default)]
struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for CapturedLog {
    type Writer = CapturedLog;

    fn make_writer(&'a self) -> CapturedLog {
        self.clone()
    }
}

#[tokio::test]
async fn no_secret_is_logged() {
    let log = CapturedLog::default();
    let writing = tracing_subscriber::fmt().with_env_filter("trace").with_writer(log.clone());
    writing.try_init().expect("another subscriber is installed");
    let fixture = WireFixture::new(&["orcain"]).await;
    let mut secrets = vec!["correct horse battery".to_owned(), "another staple".to_owned()];
    let ask = |path: &'static str| RawRequest { method: "POST", path, ..RawRequest::default() };

    let signing_up = json!({"name": "anna", "password": secrets[0]});
    let made = ask("/accounts").with_json(fixture.address, Some(&signing_up)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    ask("/sessions").with_json(fixture.address, Some(&json!({"name": "anna", "password": secrets[1]}))).await;
    let signed_in = ask("/sessions").with_json(fixture.address, Some(&signing_up)).await;
    let anna = signed_in.body["token"].as_str().unwrap().to_owned();
    let bela = fixture.guest("bela").await;
    secrets.extend([anna.clone(), bela.clone(), made.body["token"].as_str().unwrap().to_owned()]);

    let request = json!({"ruleset": "orcain", "private": true});
    let opened = fixture.post("/matches", &anna, request).await;
    let (id, code) = (opened.body["id"].as_str().unwrap(), opened.body["code"].as_str().unwrap());
    let sat = fixture.post(&format!("/matches/{id}/seats"), &bela, json!({"code": code})).await;
    assert_eq!(sat.status, 200, "{}", sat.text);
    for token in [&anna, &bela] {
        fixture.put(&format!("/matches/{id}/ready"), token, json!({"ready": true})).await;
    }
    secrets.push(code.to_owned());
    let record = fixture.store.get(&format!("match/{id}")).await.unwrap().unwrap();
    let record: serde_json::Value = serde_json::from_slice(&record.value).unwrap();
    secrets.push(record["seed"].as_str().unwrap().to_owned());

    let mut one = WsClient::join(&fixture, &anna, id).await;
    let mut other = WsClient::join(&fixture, &bela, id).await;
    one.answer(one.open_question().unwrap(), json!(["attack", null, null])).await.unwrap();
    one.answer(7_777, json!(["attack"])).await.unwrap_err();
    other.send_text(format!("{{\"type\":\"hello\",\"token\":[\"{anna}\"]}}")).await;
    other.control(json!({"kind": "concede"})).await.unwrap();
    fixture.get(&format!("/matches/{id}/log"), Some(&anna)).await;
    fixture.delete("/sessions/current", &anna).await;
    fixture.get("/me", Some(&anna)).await;

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("ready"), "the log is empty: {log}");
    for secret in secrets {
        assert!(!log.contains(&secret), "`{secret}` is logged: {log}");
    }
}
