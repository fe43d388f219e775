//! Recordings of earlier versions are read, verified and continued.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "../../../crates/server/tests/raw_http/mod.rs"]
mod raw_http;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_bots::{Random, random_answer};
use intermezzo_compiler::Ruleset;
use intermezzo_engine::{EventLog, Input, Match};
use intermezzo_matchfile::{MatchFile, Recorder, read_bytes};
use intermezzo_program::Program;
use intermezzo_server::{Config, Server};
use raw_http::RawRequest;
use serde_json::{Value, json};

const GAMES: [&str; 5] = ["orcain", "mages", "skirmish", "draft", "dogma"];

/// Inputs to continue a match with, unless it ends earlier.
const MORE_INPUTS: usize = 60;

fn recording(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn program(game: &str) -> Arc<Program> {
    let ruleset = Ruleset::load(&recording(game).join("ruleset")).unwrap();
    Arc::new(ruleset.compile().program.unwrap_or_else(|| panic!("the recorded rules of {game} have errors")))
}

fn random_input(game: &Match, random: &mut Random) -> Option<Input> {
    let pending = game.pending().next()?;
    let answer = random_answer(&pending, random)?;
    Some(Input::Answer { input: pending.id(), seat: pending.seat(), answer })
}

#[test]
fn saved_matches_verify_and_continue() {
    for game in GAMES {
        let bytes = read_bytes(&recording(game).join("match.json")).unwrap();
        let file = MatchFile::parse(&bytes).unwrap_or_else(|error| panic!("{game}: {error}"));
        let program = program(game);
        file.check_canonical(&bytes).unwrap_or_else(|error| panic!("{game}: {error}"));
        file.verify(&program).unwrap_or_else(|mismatch| panic!("{game}: {mismatch}"));

        let mut recorder = Recorder::resume(&file, &program).unwrap();
        let mut random = Random::new(1);
        for _ in 0..MORE_INPUTS {
            let Some(input) = random_input(recorder.game(), &mut random) else { break };
            recorder.submit(&input).unwrap_or_else(|refusal| panic!("{game}: {refusal}"));
        }
        assert!(recorder.file().inputs.len() > file.inputs.len(), "{game} did not continue");
        recorder.file().verify(&program).unwrap_or_else(|mismatch| panic!("{game}: {mismatch}"));
    }
}

/// A snapshot is tied to the compiled code. If a compiler change makes this fail, record it again with
/// `INTERMEZZO_RECORD=1 cargo test -p intermezzo-recorded` and mention in the changelog that servers replay
/// waiting matches from their logs once. If the layout changed, raise the snapshot's version first.
#[test]
fn an_engine_snapshot_is_restored_and_continues() {
    for game in ["orcain", "skirmish"] {
        let program = program(game);
        let file = MatchFile::read(&recording(game).join("match.json")).unwrap();
        let mut replayed = file.replay(&program).unwrap();
        let path = recording(game).join("snapshot.bin");
        if std::env::var_os("INTERMEZZO_RECORD").is_some() {
            std::fs::write(&path, replayed.snapshot()).unwrap();
        }
        let recorded = std::fs::read(path).unwrap();
        assert!(replayed.snapshot() == recorded, "{game}: a snapshot made now has other bytes");
        let mut restored = Match::restore(program, &recorded).unwrap();
        let mut random = Random::new(2);
        for _ in 0..MORE_INPUTS {
            let Some(input) = random_input(&restored, &mut random) else { break };
            restored.submit(&input, &mut EventLog::discard()).unwrap();
            replayed.submit(&input, &mut EventLog::discard()).unwrap();
            assert_eq!(restored.state_hash(), replayed.state_hash(), "{game}");
        }
    }
}

/// Sends a request and returns the body of a successful response.
async fn call(
    server: SocketAddr,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<Value>,
) -> Value {
    let request = RawRequest { method, path, token, ..RawRequest::default() };
    let response = request.with_json(server, body.as_ref()).await;
    assert!((200..300).contains(&response.status), "{method} {path}: {}", response.text);
    response.body
}

#[tokio::test]
async fn the_database_of_an_earlier_server_is_served_and_played_on() {
    let data = tempdir("store");
    std::fs::copy(recording("store/store.db"), data.join("store.db")).unwrap();
    let ids: Value =
        serde_json::from_slice(&std::fs::read(recording("store/matches.json")).unwrap()).unwrap();
    let id = |name: &str| ids[name].as_str().unwrap().to_owned();
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let config = Config { listen, data: Some(data.clone()), ..Config::default() };
    let server = Server::start(config, Vec::new()).await.unwrap();
    let address = server.address();

    // Accounts: both sign in with the passwords of then.
    let mut tokens = Vec::new();
    for (name, password) in [("ann", "correct horse"), ("bob", "battery staple")] {
        let login = json!({"name": name, "password": password});
        let session = call(address, "POST", "/sessions", None, Some(login)).await;
        tokens.push(session["token"].as_str().unwrap().to_owned());
    }
    let (ann, bob) = (Some(tokens[0].as_str()), Some(tokens[1].as_str()));

    // A finished match: its log verifies.
    let request = RawRequest {
        method: "GET",
        path: &format!("/matches/{}/log", id("finished")),
        ..RawRequest::default()
    };
    let log = request.send(address).await;
    MatchFile::parse(log.text.as_bytes()).unwrap().verify(&program("orcain")).unwrap();

    // A match in the middle of a round: both answer, and it moves on.
    let duel = id("orcain");
    for token in [ann, bob] {
        let open = call(address, "GET", &format!("/matches/{duel}/inputs"), token, None).await;
        let input = open["prompts"][0]["inputId"].as_u64().unwrap();
        let answers = json!({"answers": ["attack", "defense", "heal"]});
        call(address, "POST", &format!("/matches/{duel}/inputs/{input}"), token, Some(answers)).await;
    }
    let events = call(address, "GET", &format!("/matches/{duel}/events"), ann, None).await;
    assert!(!events.to_string().is_empty());

    // A match with a stack: Ann still has her prompt, and Bob can concede.
    let mages = id("mages");
    let open = call(address, "GET", &format!("/matches/{mages}/inputs"), ann, None).await;
    assert_eq!(open["prompts"].as_array().unwrap().len(), 1, "{open}");
    call(address, "POST", &format!("/matches/{mages}/control"), bob, Some(json!({"kind": "concede"}))).await;
    let ended = call(address, "GET", &format!("/matches/{mages}"), ann, None).await;
    assert_eq!(ended["status"], "ended", "{ended}");

    server.stop().await;
    std::fs::remove_dir_all(data).unwrap();
}

fn tempdir(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("intermezzo-recorded-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
