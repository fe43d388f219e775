//! The playground over real sockets, on a real folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use intermezzo_server::Config;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::client::HttpClient;
use crate::fixture::{HttpFixture, without_rate_limits};

const RULES: &str = "\
ir: 1
ruleset: {id: little, version: 0.1.0, name: Little Race, description: A race to ten., uses: [core@1]}
outcomes: [won]
options: {goal: {type: int, default: 10, min: 1, max: 99}}
players:
  seats: 2
  props:
    score: {type: int, default: 0}
    luck: {type: int, default: 1, mod: true}
modifiers:
  - {id: lucky_leader, of: player.luck, if: it.score > 5, add: 2}
events:
  Scored:
    text: \"{player} scores {amount}\"
    payload: {player: player, amount: int}
    apply: [{set: {event.player.score: event.player.score + event.amount}}]
  Cheered: {text: \"{player} is cheered\", payload: {player: player}}
reactions:
  - {id: crowd, when: {after: Scored, if: event.amount > 2}, effects: [{emit: Cheered, player: event.player}]}
flow:
  - repeat: 99
    as: turn
    do:
      - let: {who: \"players[turn % 2]\"}
      - {choose: how, title: How?, by: who, from: \"[1, 2]\"}
      - {roll: 1d6, for: step, as: step}
      - {emit: Scored, player: who, amount: step.total * how}
      - if: who.score >= options.goal
        then: [{end: won, winners: \"[who]\"}]
";

/// A folder with a ruleset, and a server whose playground uses it.
struct PlaygroundFixture {
    _world: HttpFixture,
    client: HttpClient,
    folder: PathBuf,
}

impl PlaygroundFixture {
    async fn open() -> PlaygroundFixture {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("intermezzo-dev-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("rules.yaml"), RULES).unwrap();
        let fixture =
            HttpFixture::with(Config { playground: Some(folder.clone()), ..without_rate_limits() }).await;
        PlaygroundFixture { client: fixture.anonymous(), _world: fixture, folder }
    }

    async fn get(&self, path: &str) -> Value {
        self.client.get(path).await.ok_json()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.client.post(path, body).await.ok_json()
    }

    async fn put(&self, path: &str, body: Value) -> Value {
        self.client.put(path, body).await.ok_json()
    }

    /// Picks an option for the seat with the open question.
    async fn answer(&self, state: &Value, option: i64) -> Value {
        let seats = state["seats"].as_array().unwrap();
        let asked = seats.iter().find(|seat| !seat["prompts"].as_array().unwrap().is_empty()).unwrap();
        let input_id = asked["prompts"][0]["inputId"].clone();
        let body = json!({"kind": "answer", "seat": asked["seat"], "inputId": input_id, "answers": [option]});
        self.post("/dev/match/input", body).await
    }

    fn score(state: &Value, seat: usize) -> i64 {
        state["view"]["players"][seat]["props"]["score"].as_i64().unwrap()
    }
}

impl Drop for PlaygroundFixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn file(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[tokio::test]
async fn a_file_is_read_changed_and_checked() {
    let playground = PlaygroundFixture::open().await;
    let about = playground.get("/dev").await;
    assert_eq!((&about["playable"], &about["ruleset"]["id"]), (&json!(true), &json!("little")));
    assert_eq!(about["options"][0]["name"], "goal");
    let files = playground.get("/dev/files").await;
    assert_eq!(
        (&files["files"][0]["path"], &files["files"][0]["kind"]),
        (&json!("rules.yaml"), &json!("rules"))
    );
    let read = playground.get("/dev/file?path=rules.yaml").await;
    assert_eq!(read["text"], RULES);

    // Errors in unsaved text are reported with their position.
    let typo = RULES.replace("emit: Cheered", "emit: Cherred");
    let checked = playground.post("/dev/check", json!({"files": {"rules.yaml": typo}})).await;
    assert_eq!(checked["playable"], false);
    let mistakes = checked["diagnostics"].as_array().unwrap();
    let mistake = mistakes.iter().find(|mistake| mistake["severity"] == "error").unwrap();
    assert_eq!(mistake["code"], "E-NAME");
    assert_eq!((&mistake["file"], &mistake["start"]["line"]), (&json!("rules.yaml"), &json!(19)));
    assert_eq!(mistake["end"]["column"].as_i64().unwrap() - mistake["start"]["column"].as_i64().unwrap(), 7);
    assert_eq!(mistake["help"][0], "did you mean `Cheered`?");
    assert_eq!(playground.post("/dev/check", json!({})).await["playable"], true, "nothing was saved");

    // Saving fails if the file has changed since it was read.
    let text = RULES.replace("A race to ten.", "A race.");
    let body = json!({"path": "rules.yaml", "text": text, "ifHash": read["hash"]});
    let saved = playground.put("/dev/file", body.clone()).await;
    assert_eq!((&saved["checked"]["playable"], &saved["reload"]), (&json!(true), &Value::Null));
    assert_eq!(file(&playground.folder, "rules.yaml"), text);
    let refused = playground.client.put("/dev/file", body).await;
    assert_eq!((refused.problem_code().as_str(), &refused.json()["hash"]), ("stale", &saved["hash"]));
    assert_eq!(playground.get("/rulesets/little").await["description"], "A race.", "it is published, too");
    playground.put("/dev/file", json!({"path": "scenarios/new.yaml", "text": "scenarios: []\n"})).await;
    assert_eq!(playground.client.delete("/dev/file?path=scenarios/new.yaml").await.status, 204);
    assert!(!playground.folder.join("scenarios/new.yaml").exists());
}

#[tokio::test]
async fn nothing_outside_the_folder_is_touched() {
    let playground = PlaygroundFixture::open().await;
    let outside = playground.folder.with_extension("secret.yaml");
    std::fs::write(&outside, "secret").unwrap();
    let beside = format!("../{}", outside.file_name().unwrap().to_str().unwrap());
    #[cfg(unix)]
    std::os::unix::fs::symlink(std::env::temp_dir(), playground.folder.join("link")).unwrap();
    let absolute = outside.display().to_string();
    let through = format!("link/{}", outside.file_name().unwrap().to_str().unwrap());
    for path in [
        beside.as_str(),
        &absolute,
        &through,
        "a/../../x.yaml",
        ".git/config.yaml",
        "run.sh",
        "a\\b.yaml",
        "scenarios//x.yaml",
        "./x.yaml",
    ] {
        let query: String = path.bytes().map(|byte| format!("%{byte:02x}")).collect();
        assert_eq!(
            playground.client.get(&format!("/dev/file?path={query}")).await.problem_code(),
            "invalid",
            "{path}"
        );
        let wrote = playground.client.put("/dev/file", json!({"path": path, "text": "x"})).await;
        assert_eq!(wrote.problem_code(), "invalid", "{path}");
        assert_eq!(
            playground.client.delete(&format!("/dev/file?path={query}")).await.problem_code(),
            "invalid",
            "{path}"
        );
        let checked = playground.client.post("/dev/check", json!({"files": {path: "x"}})).await;
        assert_eq!(checked.problem_code(), "invalid", "{path}");
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "secret");
    std::fs::remove_file(&outside).unwrap();
    assert_eq!(playground.client.get("/dev/file?path=missing.yaml").await.problem_code(), "not_found");
    let large = json!({"path": "x.yaml", "text": "x".repeat(5_000_000)});
    assert_eq!(playground.client.put("/dev/file", large).await.problem_code(), "too_large");
}

#[tokio::test]
async fn pages_on_other_origins_cannot_reach_the_playground() {
    let playground = PlaygroundFixture::open().await;
    let foreign = playground.client.send("GET", "/dev", &[("origin", "https://evil.example")], None).await;
    assert_eq!(foreign.problem_code(), "wrong_origin");
    // DNS rebinding: a foreign name that resolves to this machine is rejected.
    let text = {
        let mut stream = tokio::net::TcpStream::connect(playground.client.server).await.unwrap();
        let request = "GET /dev/files HTTP/1.1\r\nhost: evil.example\r\norigin: http://evil.example\r\nconnection: close\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    };
    assert!(text.starts_with("HTTP/1.1 403") && text.contains("wrong_origin"), "{text}");
    // Servers without `intermezzo dev` have no playground.
    let fixture = HttpFixture::new().await;
    assert_eq!(fixture.anonymous().get("/dev").await.problem_code(), "not_found");
    assert!(fixture.anonymous().get("/openapi.json").await.ok_json()["paths"].get("/dev/file").is_none());
    assert!(playground.get("/openapi.json").await["paths"].get("/dev/file").is_some());
}

#[tokio::test]
async fn completions_are_offered() {
    let playground = PlaygroundFixture::open().await;
    let text = RULES.replace("emit: Cheered, player: event.player", "emit: Ch");
    let line = text.lines().position(|line| line.contains("emit: Ch}")).unwrap() + 1;
    let column = text.lines().nth(line - 1).unwrap().find("Ch}").unwrap() + 3;
    let body = json!({"file": "rules.yaml", "line": line, "column": column, "files": {"rules.yaml": text}});
    let offered = playground.post("/dev/complete", body).await;
    assert_eq!(offered["items"][0]["label"], "Cheered");
    assert_eq!(offered["items"][0]["kind"], "event");
    assert_eq!(offered["from"], json!({"line": line, "column": column - 2}));
    let schema = playground.get("/dev/schema").await;
    assert!(schema["properties"]["reactions"].is_object());
}

#[tokio::test]
async fn a_match_is_played_from_all_seats_with_preset_dice() {
    let playground = PlaygroundFixture::open().await;
    assert_eq!(playground.client.get("/dev/match").await.problem_code(), "not_found");
    let body = json!({"seed": 4, "options": {"goal": 12}, "dice": [[3], {"for": "step", "faces": [6]}]});
    let state = playground.post("/dev/match", body).await;
    assert_eq!((&state["setup"]["seed"], &state["setup"]["options"]["goal"]), (&json!(4), &json!(12)));
    assert_eq!(state["dice"]["next"], json!([[3], {"for": "step", "faces": [6]}]));
    let state = playground.answer(&state, 1).await;
    assert_eq!(
        (PlaygroundFixture::score(&state, 0), &state["seats"][1]["prompts"][0]["title"]),
        (3, &json!("How?"))
    );
    let texts: Vec<&str> =
        state["lastEvents"].as_array().unwrap().iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"p0 scores 3") && texts.contains(&"p0 is cheered"), "{texts:?}");
    let state = playground.answer(&state, 2).await;
    assert_eq!((PlaygroundFixture::score(&state, 1), &state["isOver"]), (12, &json!(true)));
    assert_eq!(state["ending"]["winners"], json!([1]));

    // The computation of a value.
    let luck = state["values"].as_array().unwrap().iter().find(|value| value["entity"] == "p1").unwrap();
    assert_eq!((&luck["prop"], &luck["base"], &luck["value"]), (&json!("luck"), &json!(1), &json!(3)));
    assert_eq!((&luck["steps"][0]["name"], &luck["steps"][0]["line"]), (&json!("lucky_leader"), &json!(11)));

    // Stepping through the events of the first answer.
    let timeline = playground.get("/dev/match/timeline").await;
    let events = timeline["events"].as_array().unwrap();
    let scored = events.iter().find(|event| event["event"] == "Scored").unwrap();
    let cheered = events.iter().find(|event| event["event"] == "Cheered").unwrap();
    assert_eq!(cheered["cause"], scored["n"]);
    let at = |n: &Value| format!("/dev/match/at/{n}");
    let moment = playground.get(&at(&scored["n"])).await;
    assert_eq!(moment["view"]["players"][0]["props"]["score"], 3);
    assert_eq!(moment["pendingReactions"][0]["name"], "crowd");
    assert_eq!(moment["pendingReactions"][0]["line"], 19);
    assert_eq!(playground.get(&at(&cheered["n"])).await["pendingReactions"], json!([]));

    // Rejected inputs and dice.
    let refused = playground.client.post("/dev/match/input", json!({"kind": "timeout", "seat": 0})).await;
    assert!(refused.status >= 400);
    let dice = json!({"dice": [{"for": "no such label", "faces": [1]}]});
    assert_eq!(playground.client.put("/dev/match/dice", dice).await.problem_code(), "invalid");
}

#[tokio::test]
async fn clients_detect_the_playground_and_get_display_data() {
    let playground = PlaygroundFixture::open().await;
    assert_eq!(playground.get("/").await["dev"], true);
    assert_eq!(playground.client.get("/dev/match/table").await.problem_code(), "not_found");
    let state = playground.post("/dev/match", json!({})).await;
    let words = playground.get("/dev/match/table").await;
    assert_eq!(words["hash"], state["ruleset"]["hash"]);
    assert!(words["events"]["Scored"]["text"].is_string(), "{words}");

    // The question is not a path.
    let asked = json!({"seat": 0, "inputId": state["seats"][0]["prompts"][0]["inputId"], "soFar": []});
    assert_eq!(playground.client.post("/dev/match/path", asked).await.problem_code(), "illegal");
}

#[tokio::test]
async fn going_back_creates_a_branch_that_can_be_continued() {
    let playground = PlaygroundFixture::open().await;
    let mut state = playground.post("/dev/match", json!({"seed": 1, "options": {"goal": 99}})).await;
    for option in [1, 2, 1] {
        state = playground.answer(&state, option).await;
    }
    let scores = (PlaygroundFixture::score(&state, 0), PlaygroundFixture::score(&state, 1));
    let back = playground.post("/dev/match/back", json!({"inputs": 1})).await;
    assert_eq!((&back["inputCount"], PlaygroundFixture::score(&back, 1)), (&json!(1), 0));
    assert_eq!(
        (&back["branches"][0]["from"], back["branches"][0]["inputs"].as_array().unwrap().len()),
        (&json!(1), 2)
    );
    // The same decision gets the same roll.
    let again = playground.answer(&back, 2).await;
    assert_eq!(PlaygroundFixture::score(&again, 1), scores.1);
    // Preset dice replace the recorded ones.
    let back = playground.post("/dev/match/back", json!({"inputs": 1})).await;
    let preset = playground.put("/dev/match/dice", json!({"dice": [[6]]})).await;
    assert_eq!(preset["inputCount"], back["inputCount"]);
    let lucky = playground.answer(&preset, 2).await;
    assert_eq!(PlaygroundFixture::score(&lucky, 1), 12);
    let first = lucky["branches"]
        .as_array()
        .unwrap()
        .iter()
        .find(|branch| branch["inputs"].as_array().unwrap().len() == 2);
    let resumed = playground.post("/dev/match/branch", json!({"number": first.unwrap()["number"]})).await;
    assert_eq!((PlaygroundFixture::score(&resumed, 0), PlaygroundFixture::score(&resumed, 1)), scores);
    assert_eq!(
        playground.client.post("/dev/match/back", json!({"inputs": 9})).await.problem_code(),
        "not_found"
    );
    assert_eq!(
        playground.client.post("/dev/match/branch", json!({"number": 9})).await.problem_code(),
        "not_found"
    );
}

#[tokio::test]
async fn bots_take_over_seats_and_release_them() {
    let playground = PlaygroundFixture::open().await;
    let state =
        playground.post("/dev/match", json!({"bots": [null, "random"], "options": {"goal": 99}})).await;
    assert_eq!(state["bots"], json!([null, "random"]));
    let state = playground.answer(&state, 1).await;
    assert_eq!(state["inputCount"], 2, "the bot answered");
    let state = playground.put("/dev/match/bots", json!({"bots": [null, null]})).await;
    let state = playground.answer(&state, 1).await;
    assert_eq!(state["inputCount"], 3);
    assert_eq!(state["seats"][1]["prompts"].as_array().unwrap().len(), 1);
    let state = playground.put("/dev/match/bots", json!({"bots": ["random", "greedy"]})).await;
    assert_eq!(state["isOver"], true, "they play to the end");
}

#[tokio::test]
async fn saved_rules_apply_to_the_match() {
    let playground = PlaygroundFixture::open().await;
    let mut state = playground
        .post("/dev/match", json!({"seed": 1, "options": {"goal": 99}, "dice": [[2], [5], [4]]}))
        .await;
    for option in [1, 2, 1] {
        state = playground.answer(&state, option).await;
    }
    assert_eq!((PlaygroundFixture::score(&state, 0), PlaygroundFixture::score(&state, 1)), (6, 10));

    // Different results: the first event that differs is reported, and the match continues.
    let text = RULES.replace("step.total * how", "step.total + how");
    let saved = playground.put("/dev/file", json!({"path": "rules.yaml", "text": text})).await;
    let reload = &saved["reload"];
    assert_eq!((&reload["inputs"], &reload["of"], &reload["stopped"]), (&json!(3), &json!(3), &Value::Null));
    assert_eq!(reload["difference"]["before"]["text"], "p0 scores 2");
    assert_eq!(reload["difference"]["after"]["text"], "p0 scores 3");
    assert_eq!(reload["difference"]["input"], 1);
    let state = playground.get("/dev/match").await;
    assert_eq!((PlaygroundFixture::score(&state, 0), PlaygroundFixture::score(&state, 1)), (8, 7));

    // An answer that is no longer legal: the match stops before it, and the rest becomes a branch.
    let fewer = text.replace("from: \"[1, 2]\"", "from: \"[1, 3]\"");
    let reload =
        playground.put("/dev/file", json!({"path": "rules.yaml", "text": fewer})).await["reload"].clone();
    assert_eq!((&reload["inputs"], &reload["stopped"]["input"]), (&json!(1), &json!(2)));
    assert_eq!(reload["stopped"]["text"], "p1 answers 2");
    assert_eq!(reload["stopped"]["reason"], "2 is not an option there");
    let state = playground.get("/dev/match").await;
    assert_eq!(
        (&state["inputCount"], state["branches"][0]["inputs"].as_array().unwrap().len()),
        (&json!(1), 2)
    );
    assert_eq!(playground.answer(&state, 3).await["inputCount"], 2);

    // Rules with errors change nothing.
    let broken = json!({"path": "rules.yaml", "text": "ir: 1\nnonsense: 3\n"});
    let saved = playground.put("/dev/file", broken).await;
    assert_eq!((&saved["checked"]["playable"], &saved["reload"]["playable"]), (&json!(false), &json!(false)));
    assert_eq!(playground.get("/dev/match").await["inputCount"], 2);
    assert_eq!(playground.client.post("/dev/match", json!({})).await.problem_code(), "bad_ruleset");
}

#[tokio::test]
async fn changes_by_other_editors_are_noticed() {
    let playground = PlaygroundFixture::open().await;
    let state = playground.post("/dev/match", json!({"dice": [[2]]})).await;
    playground.answer(&state, 1).await;
    let mut stream = playground.client.open("GET", "/dev/changes", &[], b"").await;
    let text = RULES.replace("step.total * how", "step.total * how + 1");
    std::fs::write(playground.folder.join("rules.yaml"), text).unwrap();
    let mut received = String::new();
    let mut buffer = [0; 4096];
    while !received.contains("event: reload") {
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buffer)).await;
        let read = read.expect("the change was not noticed").unwrap();
        assert!(read > 0, "{received}");
        received.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    assert!(received.contains("event: files\ndata: {\"changed\":[{\"path\":\"rules.yaml\""), "{received}");
    assert!(received.contains("p0 scores 3"), "{received}");
    assert_eq!(PlaygroundFixture::score(&playground.get("/dev/match").await, 0), 3);
}

#[tokio::test]
async fn a_match_is_recorded_as_a_scenario() {
    let playground = PlaygroundFixture::open().await;
    let mut state =
        playground.post("/dev/match", json!({"seed": 3, "options": {"goal": 9}, "dice": [[4]]})).await;
    while state["isOver"] == false {
        state = playground.answer(&state, 2).await;
    }
    let body = json!({"name": "a short race", "ignore": ["PhaseStarted"]});
    let recorded = playground.post("/dev/scenarios/record", body.clone()).await;
    assert_eq!(recorded["file"], "scenarios/recorded.yaml");
    let text = file(&playground.folder, "scenarios/recorded.yaml");
    assert_eq!(recorded["text"], text);
    assert!(text.contains("- p0: [2]") && text.contains("- Scored: {player: p0, amount: 8}"), "{text}");
    assert!(text.contains("dice: [[4], {for: step, faces: ["), "{text}");
    assert_eq!(
        playground.client.post("/dev/scenarios/record", body).await.problem_code(),
        "invalid",
        "the name is taken"
    );
    // A second scenario is appended to the same file.
    playground.post("/dev/match", json!({})).await;
    let second = playground.post("/dev/scenarios/record", json!({"name": "nothing yet"})).await;
    assert!(second["line"].as_u64() > recorded["line"].as_u64());
    let listed = playground.get("/dev/scenarios").await;
    let names: Vec<&Value> =
        listed["scenarios"].as_array().unwrap().iter().map(|scenario| &scenario["name"]).collect();
    assert_eq!(names, ["a short race", "nothing yet"]);
    let ran = playground.post("/dev/scenarios/run", json!({})).await;
    assert_eq!((&ran["passed"], &ran["failed"]), (&json!(2), &json!(0)));

    // Scenarios run with unsaved rules, and failures have a line.
    let changed = RULES.replace("step.total * how", "step.total + how");
    let body = json!({"name": "a short race", "files": {"rules.yaml": changed}});
    let ran = playground.post("/dev/scenarios/run", body).await;
    let result = &ran["results"][0];
    assert_eq!((&ran["passed"], &ran["failed"], &result["ok"]), (&json!(0), &json!(1), &json!(false)));
    assert!(result["failedLine"].as_u64() > result["line"].as_u64(), "{result}");
    assert!(result["message"].as_str().unwrap().contains("Scored: {player: p0, amount: 6}"), "{result}");
}

#[tokio::test]
async fn a_folder_without_a_ruleset_is_rejected() {
    let folder = std::env::temp_dir().join(format!("intermezzo-dev-none-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let config = Config { playground: Some(folder.clone()), ..without_rate_limits() };
    let error = intermezzo_server::Server::start(config, Vec::new()).await.expect_err("the folder is empty");
    assert!(error.to_string().contains("contains no ruleset"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}
