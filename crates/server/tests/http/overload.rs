//! Clients that ask for more than their share: expensive reads, and what others notice of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::client::HttpClient;
use crate::fixture::{HttpFixture, open_question, prepare_duel, set_ready, start_duel, without_rate_limits};
use crate::raw_http::RawResponse;

/// Memory by which the process may grow during a flood, test client included.
const MAX_GROWTH_BYTES: u64 = 160 << 20;
/// Longest time that others may wait during a flood. Tests run unoptimized, on machines that do other work.
const MAX_WAIT: Duration = Duration::from_millis(1_500);

/// Returns a ruleset whose answers each cause many events, so that few answers make a long match.
fn eventful_ruleset() -> Value {
    let text = "ir: 1\nruleset: {id: eventful, version: 1.0.0, name: Eventful, description: Long., uses: [core@1]}\n\
         players: {min: 2, max: 2, seats: 2}\noutcomes: [done]\n\
         kinds: {token: {}}\nzones: {pile: {visible: all, order: list}}\ndefs: {coin: {kind: token}}\n\
         flow:\n  - {repeat: 12, max: 12, do: [{choose: x, by: \"players[0]\", from: \"[1, 2]\"}, \
         {repeat: 300, max: 300, do: [{create: coin, in: pile}]}]}\n  - {end: done}\n";
    json!({"files": {"ruleset.yaml": text}})
}

/// Plays a long match to its end.
async fn long_match(ann: &HttpClient, bob: &HttpClient) -> String {
    assert_eq!(ann.post("/rulesets", eventful_ruleset()).await.status, 201);
    let id = start_duel(ann, bob, "eventful").await;
    for _ in 0..12 {
        let input = open_question(ann, &id).await;
        ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": [1]})).await.ok_json();
    }
    id
}

/// Returns a number of bytes from the process's status.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// The largest resident memory while it runs.
struct MemoryWatch(Arc<AtomicBool>, JoinHandle<u64>);

impl MemoryWatch {
    fn start() -> MemoryWatch {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let before = memory("VmRSS");
        let watch = tokio::spawn(async move {
            let mut most = before;
            while !stopped.load(Ordering::Relaxed) {
                most = most.max(memory("VmRSS"));
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            most - before
        });
        MemoryWatch(stop, watch)
    }

    async fn growth(self) -> u64 {
        self.0.store(true, Ordering::Relaxed);
        self.1.await.unwrap()
    }
}

/// The times that another player and a health check wait while it runs.
struct LatencyWatch(Arc<AtomicBool>, JoinHandle<Vec<Duration>>);

impl LatencyWatch {
    fn start(player: HttpClient, id: String) -> LatencyWatch {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let watch = tokio::spawn(async move {
            let mut waits = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let started = Instant::now();
                assert_eq!(player.get("/healthz").await.status, 200);
                waits.push(started.elapsed());
                let started = Instant::now();
                player.get(&format!("/matches/{id}/view")).await.ok_json();
                waits.push(started.elapsed());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            waits
        });
        LatencyWatch(stop, watch)
    }

    async fn longest(self) -> Duration {
        self.sorted().await.last().copied().unwrap_or_default()
    }

    /// Returns all waits, the shortest first.
    async fn sorted(self) -> Vec<Duration> {
        self.0.store(true, Ordering::Relaxed);
        let mut waits = self.1.await.unwrap();
        waits.sort_unstable();
        waits
    }
}

/// Sends a request, reads the response without keeping it, and returns its status and whether it says when to retry.
async fn status_of(client: &HttpClient, method: &str, path: &str, body: Option<&Value>) -> (u16, bool) {
    let text = body.map(Value::to_string).unwrap_or_default();
    let headers: &[(&str, &str)] = if body.is_some() { &[("content-type", "application/json")] } else { &[] };
    let mut stream = client.open(method, path, headers, text.as_bytes()).await;
    let mut head = Vec::new();
    let mut buffer = vec![0; 16 << 10];
    loop {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(read) if head.len() < 4096 => head.extend_from_slice(&buffer[..read]),
            Ok(_) => {}
        }
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, head.contains("\r\nretry-after: "))
}

/// Sends many equal requests at once and returns their statuses.
async fn flood(
    client: &HttpClient,
    method: &'static str,
    path: &str,
    body: Option<Value>,
    count: usize,
) -> Vec<u16> {
    let requests = (0..count).map(|_| {
        let (client, path, body) = (client.clone(), path.to_owned(), body.clone());
        tokio::spawn(async move { status_of(&client, method, &path, body.as_ref()).await })
    });
    let mut statuses = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        let (status, has_retry) = request.await.unwrap();
        assert!(!matches!(status, 429 | 503) || has_retry, "{path}: {status} without retry-after");
        statuses.push(status);
    }
    statuses
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_of_expensive_reads_are_bounded() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = long_match(&ann, &bob).await;
    let other = start_duel(&ann, &bob, "orcain").await;
    let (nobody, eve) = (fixture.anonymous(), fixture.guest().await);
    let cases = [
        ("GET", format!("/matches/{id}/log"), None),
        ("GET", format!("/matches/{id}/events?limit=10000"), None),
        ("GET", format!("/matches/{id}/replay?limit=2000&as=seat1"), None),
        ("GET", format!("/matches/{id}/replay/2000?as=all"), None),
        ("POST", format!("/matches/{id}/fork"), Some(json!({"at": 6}))),
    ];
    for (method, path, body) in cases {
        let client = if body.is_some() { &eve } else { &nobody };
        let (memory, latency) = (MemoryWatch::start(), LatencyWatch::start(ann.clone(), other.clone()));
        let statuses = flood(client, method, &path, body, 60).await;
        let (growth, longest) = (memory.growth().await, latency.longest().await);
        println!("{path}: {} MiB, {longest:?}, {statuses:?}", growth >> 20);
        let is_served = statuses.iter().any(|status| (200..300).contains(status));
        let are_bounded = statuses.iter().all(|status| matches!(status, 200..300 | 429 | 503));
        assert!(is_served && are_bounded, "{path}: {statuses:?}");
        assert!(growth < MAX_GROWTH_BYTES, "{path}: memory grew by {growth} bytes");
        assert!(longest < MAX_WAIT, "{path}: others waited for {longest:?}");
    }
}

/// Sends many requests on one connection, whose responses are more than the system keeps for a client that reads nothing.
async fn open_and_read_nothing(client: &HttpClient, path: &str) -> TcpStream {
    let (server, token) = (client.server, client.token.as_deref().unwrap());
    let request = format!("GET {path} HTTP/1.1\r\nhost: {server}\r\nauthorization: Bearer {token}\r\n\r\n");
    let mut stream = TcpStream::connect(server).await.unwrap();
    stream.write_all(request.repeat(16).as_bytes()).await.unwrap();
    stream
}

/// Asks again and again until a response has this status.
async fn ask_until(client: &HttpClient, path: &str, status: u16) -> RawResponse {
    for _ in 0..200 {
        let response = client.get(path).await;
        if response.status == status {
            return response;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no response of {path} has status {status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_that_nobody_reads_are_bounded_and_end() {
    let mut config = without_rate_limits();
    config.limits.request_ms = 12_000;
    let fixture = HttpFixture::with(config).await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let files = json!({"files": {"ruleset.yaml": crate::fixture::tiny_ruleset("1.0.0")["files"]["ruleset.yaml"],
        "art.txt": "x".repeat(1_900_000)}});
    assert_eq!(ann.post("/rulesets", files).await.status, 201);
    let path = "/rulesets/tiny/files";
    let mut unread = Vec::new();
    for _ in 0..20 {
        unread.push(open_and_read_nothing(&ann, path).await);
    }
    // Nobody reads more of them from there, but everything else continues.
    let refused = ask_until(&ann, path, 429).await;
    assert_eq!(refused.problem_code(), "too_many");
    assert!(refused.header("retry-after").is_some());
    start_duel(&ann, &bob, "orcain").await;
    // The server closes connections that do not read, and then there is a place again.
    ask_until(&ann, path, 200).await;
    drop(unread);
}

/// Returns the path of an operation with real values in place of its parameters.
fn filled_in(path: &str, ended: &str, playing: &str, account: &str) -> String {
    let id = if path.contains("/log") || path.contains("/replay") { ended } else { playing };
    path.replace("{id}", id)
        .replace("{at}", "5")
        .replace("{name}", "orcain")
        .replace("{ruleset}", "orcain")
        .replace("{account}", account)
        .replace("{code}", "AAAAAA")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_operation_lets_one_client_stall_others() {
    let fixture = HttpFixture::new().await;
    let (ann, bob, eve) = (fixture.guest().await, fixture.guest().await, fixture.guest().await);
    let ended = long_match(&ann, &bob).await;
    let (playing, other) = (start_duel(&ann, &eve, "orcain").await, start_duel(&ann, &bob, "orcain").await);
    let account = eve.id().await;
    let tiny = crate::fixture::tiny_ruleset("1.0.0");
    let mut operations: Vec<(&'static str, String, Option<Value>)> = vec![
        ("POST", "/accounts".to_owned(), Some(json!({}))),
        ("POST", "/sessions".to_owned(), Some(json!({"name": "nobody", "password": "wrong password"}))),
        ("POST", "/rulesets/check".to_owned(), Some(tiny.clone())),
        ("POST", "/rulesets".to_owned(), Some(tiny)),
        ("POST", "/matches".to_owned(), Some(json!({"ruleset": "orcain"}))),
        ("POST", format!("/matches/{ended}/fork"), Some(json!({"at": 2}))),
        ("POST", format!("/matches/{playing}/inputs/1"), Some(json!({"answers": ["attack"]}))),
        ("POST", format!("/matches/{playing}/actions"), Some(json!({"type": "none"}))),
        ("PATCH", "/me".to_owned(), Some(json!({"name": "eve-the-second"}))),
    ];
    let document = intermezzo_server::openapi_document();
    for (path, methods) in document["paths"].as_object().unwrap() {
        if methods.get("get").is_some() {
            operations.push(("GET", filled_in(path, &ended, &playing, &account), None));
        }
    }
    for (method, path, body) in operations {
        let (memory, latency) = (MemoryWatch::start(), LatencyWatch::start(ann.clone(), other.clone()));
        let statuses = flood(&eve, method, &path, body, 30).await;
        let (growth, longest) = (memory.growth().await, latency.longest().await);
        println!("{method} {path}: {} KiB, {longest:?}, {}", growth >> 10, statuses[0]);
        assert!(
            statuses.iter().all(|status| *status != 0 && *status != 500),
            "{method} {path}: {statuses:?}"
        );
        assert!(growth < MAX_GROWTH_BYTES, "{method} {path}: memory grew by {growth} bytes");
        assert!(longest < MAX_WAIT, "{method} {path}: others waited for {longest:?}");
    }
}

/// Returns a large ruleset with many mistakes, each of which resembles many names.
fn mistaken_ruleset() -> Value {
    let function = |n: usize| {
        format!("  function_number_{n}: {{returns: int, is: fnction_numbr_{n}() + functon_{n}()}}\n")
    };
    let functions: String = (0..9_000).map(function).collect();
    let text = format!(
        "ir: 1\nruleset: {{id: wrong, version: 1.0.0, name: Wrong, uses: [core@1]}}\nplayers: {{seats: 2}}\n\
         outcomes: [done]\nfunctions:\n{functions}flow: [{{end: done}}]\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn checking_large_rulesets_does_not_keep_others_from_playing() {
    let fixture = HttpFixture::new().await;
    let (ann, bob, eve) = (fixture.guest().await, fixture.guest().await, fixture.guest().await);
    let ruleset = mistaken_ruleset();
    let checks: Vec<_> = (0..8)
        .map(|_| {
            let (eve, ruleset) = (eve.clone(), ruleset.clone());
            tokio::spawn(async move { eve.post("/rulesets/check", ruleset).await.status })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = Instant::now();
    start_duel(&ann, &bob, "mages").await;
    assert!(started.elapsed() < MAX_WAIT * 2, "others waited for {:?}", started.elapsed());
    let mut statuses = Vec::new();
    for check in checks {
        statuses.push(check.await.unwrap());
    }
    // One is checked and two wait, so the account cannot fill the queue.
    assert!(statuses.iter().all(|status| matches!(status, 200 | 429)), "{statuses:?}");
    assert!(statuses.contains(&429), "no check was refused: {statuses:?}");
    let checked = eve.post("/rulesets/check", ruleset).await.ok_json();
    let diagnostics = checked["diagnostics"].as_array().unwrap();
    assert!(diagnostics.len() <= 1_001, "{} diagnostics", diagnostics.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compiling_has_a_time_limit() {
    let mut config = without_rate_limits();
    config.limits.compile_ms = 1;
    let fixture = HttpFixture::with(config).await;
    let checked = fixture.guest().await.post("/rulesets/check", mistaken_ruleset()).await.ok_json();
    assert_eq!(checked["playable"], false);
    let text = checked["diagnostics"].to_string();
    assert!(text.contains("takes too long"), "{text}");
}

/// Returns YAML that computes for a second or so within the limit of steps.
fn pondering(times: usize) -> String {
    let terms = vec!["(x * 7 + 3) % 1000"; 60].join(" + ");
    let lets: Vec<String> = (0..times).map(|n| format!("{{let: {{n{n}: \"({terms}) % 1000\"}}}}")).collect();
    format!("{{let: {{x: 7}}}}, {{repeat: 300000, max: 300000, do: [{}]}}", lets.join(", "))
}

fn slow_ruleset(name: &str, setup: &str, after_answer: &str) -> Value {
    let text = format!(
        "ir: 1\nruleset: {{id: {name}, version: 1.0.0, name: Slow, description: Long., uses: [core@1]}}\n\
         players: {{min: 2, max: 2, seats: 2}}\noutcomes: [done]\nsetup: [{setup}]\n\
         flow: [{{choose: picked, by: \"players[0]\", from: \"[1, 2]\"}}, {after_answer}{{end: done}}]\n"
    );
    json!({"files": {"ruleset.yaml": text}})
}

/// Computations that are so many that every thread that serves matches has some of them.
const SLOW_MATCHES: usize = 6;
/// Rounds in which others must have been answered before the first of those computations ends.
const ROUNDS: usize = 3;

/// Runs all of these. Meanwhile, plays in all matches of others again and again, until the first one ends. Returns its result and
/// the number of whole rounds before that.
async fn rounds_until_first<T: Send + 'static>(
    tasks: Vec<impl Future<Output = T> + Send + 'static>,
    player: &HttpClient,
    matches: &[String],
) -> (T, usize) {
    let mut paths = Vec::new();
    for id in matches {
        paths.push(format!("/matches/{id}/inputs/{}/draft", open_question(player, id).await));
    }
    let (ended, mut end) = tokio::sync::mpsc::channel(tasks.len());
    for task in tasks {
        let ended = ended.clone();
        tokio::spawn(async move { ended.send(task.await).await });
    }
    let mut rounds = 0;
    loop {
        assert_eq!(player.get("/healthz").await.status, 200);
        for path in &paths {
            player.put(path, json!({"answers": ["attack", "defense", "heal"]})).await.ok_json();
        }
        if let Ok(first) = end.try_recv() {
            return (first, rounds);
        }
        rounds += 1;
    }
}

async fn start_matches(one: &HttpClient, other: &HttpClient, ruleset: &str) -> Vec<String> {
    let mut matches = Vec::new();
    for _ in 0..SLOW_MATCHES {
        matches.push(start_duel(one, other, ruleset).await);
    }
    matches
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_rules_delay_only_their_own_matches() {
    let mut config = without_rate_limits();
    config.limits.input_ms = 700;
    let fixture = HttpFixture::with(config).await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let others = start_matches(&ann, &bob, "orcain").await;
    let (eve, mallory) = (fixture.guest().await, fixture.guest().await);
    let published = eve.post("/rulesets", slow_ruleset("slow", "", &(pondering(10) + ", "))).await;
    assert_eq!(published.status, 201, "{}", published.text);
    let mut answers = Vec::new();
    for id in start_matches(&eve, &mallory, "slow").await {
        let (eve, input) = (eve.clone(), open_question(&eve, &id).await);
        answers.push(async move {
            eve.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": [1]})).await
        });
    }
    let (_, rounds) = rounds_until_first(answers, &ann, &others).await;
    assert!(rounds >= ROUNDS, "others were answered only {rounds} times while slow rules ran");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_that_begin_slowly_delay_no_others() {
    let fixture = HttpFixture::new().await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let others = start_matches(&ann, &bob, "orcain").await;
    let (eve, mallory) = (fixture.guest().await, fixture.guest().await);
    let published = eve.post("/rulesets", slow_ruleset("slow", &pondering(3), "")).await;
    assert_eq!(published.status, 201, "{}", published.text);
    let mut beginnings = Vec::new();
    for _ in 0..SLOW_MATCHES {
        let (eve, id) = (eve.clone(), prepare_duel(&eve, &mallory, "slow").await);
        beginnings.push(async move {
            set_ready(&eve, &id).await;
            open_question(&eve, &id).await
        });
    }
    let (_, rounds) = rounds_until_first(beginnings, &ann, &others).await;
    assert!(rounds >= ROUNDS, "others were answered only {rounds} times while slow matches began");
}

/// Returns a ruleset whose rules are quick, but whose pieces have a property that takes long to compute after an answer.
fn slow_to_show_ruleset() -> Value {
    let text = "ir: 1\nruleset: {id: slow, version: 1.0.0, name: Slow, description: Long., uses: [core@1]}\n\
         players: {min: 2, max: 2, seats: 2}\noutcomes: [done]\n\
         match: {props: {n: {type: int, default: 1}}}\n\
         kinds: {token: {props: {heavy: \
         {type: int, derived: \"range(1, match.n).sum(range(1, match.n).sum(it))\"}}}}\n\
         zones: {pile: {visible: all, order: list}}\ndefs: {coin: {kind: token}}\n\
         setup: [{repeat: 600, max: 600, do: [{create: coin, in: pile}]}]\n\
         flow: [{choose: picked, by: \"players[0]\", from: \"[1, 2]\"}, {set: {match.n: 900}}, \
         {choose: again, by: \"players[0]\", from: \"[1, 2]\"}, {end: done}]\n";
    json!({"files": {"ruleset.yaml": text}})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_whose_effects_take_too_long_to_show_is_refused_and_delays_no_others() {
    let mut config = without_rate_limits();
    config.limits.input_ms = 700;
    let fixture = HttpFixture::with(config).await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let others = start_matches(&ann, &bob, "orcain").await;
    let (eve, mallory) = (fixture.guest().await, fixture.guest().await);
    let published = eve.post("/rulesets", slow_to_show_ruleset()).await;
    assert_eq!(published.status, 201, "{}", published.text);
    let slow = start_matches(&eve, &mallory, "slow").await;
    let before = eve.get(&format!("/matches/{}/view", slow[0])).await.ok_json();
    let mut answers = Vec::new();
    for id in &slow {
        let (eve, input) = (eve.clone(), open_question(&eve, id).await);
        let path = format!("/matches/{id}/inputs/{input}");
        answers.push(async move { eve.post(&path, json!({"answers": [1]})).await });
    }
    let (refused, rounds) = rounds_until_first(answers, &ann, &others).await;
    assert_eq!(refused.problem_code(), "rule_failed", "{}", refused.text);
    assert_eq!(refused.json()["fault"], "time");
    assert!(rounds >= ROUNDS, "others were answered only {rounds} times while views were computed");
    assert_eq!(eve.get(&format!("/matches/{}/view", slow[0])).await.ok_json(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_whose_rules_take_too_long_is_refused_and_changes_nothing() {
    let mut config = without_rate_limits();
    config.limits.input_ms = 20;
    let fixture = HttpFixture::with(config).await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let published = ann.post("/rulesets", slow_ruleset("pondering", "", &(pondering(1) + ", "))).await;
    assert_eq!(published.status, 201, "{}", published.text);
    let id = start_duel(&ann, &bob, "pondering").await;
    let input = open_question(&ann, &id).await;
    let before = ann.get(&format!("/matches/{id}/view")).await.ok_json();
    let refused = ann.post(&format!("/matches/{id}/inputs/{input}"), json!({"answers": [1]})).await;
    assert_eq!(refused.problem_code(), "rule_failed", "{}", refused.text);
    assert_eq!(refused.json()["fault"], "time");
    assert_eq!(open_question(&ann, &id).await, input, "the question is still open");
    assert_eq!(ann.get(&format!("/matches/{id}/view")).await.ok_json(), before);
    // A player can always leave.
    ann.post(&format!("/matches/{id}/control"), json!({"kind": "concede"})).await.ok_json();
}

#[tokio::test]
async fn event_streams_count_as_spectators() {
    let mut config = without_rate_limits();
    config.limits.spectators = 2;
    let fixture = HttpFixture::with(config).await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let request = json!({"ruleset": "orcain", "spectators": {"allowed": true, "delayMs": 60_000}});
    let made = ann.post("/matches", request).await.ok_json();
    let id = made["id"].as_str().unwrap();
    bob.post(&format!("/matches/{id}/seats"), json!({})).await.ok_json();
    for player in [&ann, &bob] {
        player.put(&format!("/matches/{id}/ready"), json!({"ready": true})).await.ok_json();
    }
    let (path, accept) = (format!("/matches/{id}/events"), [("accept", "text/event-stream")]);
    let nobody = fixture.anonymous();
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = nobody.open("GET", &path, &accept, b"").await;
        let mut head = [0; 15];
        stream.read_exact(&mut head).await.unwrap();
        assert_eq!(&head, b"HTTP/1.1 200 OK");
        streams.push(stream);
    }
    assert_eq!(nobody.send("GET", &path, &accept, None).await.problem_code(), "too_many");
}

#[tokio::test]
async fn event_streams_without_delay_count_as_spectators() {
    let mut config = without_rate_limits();
    config.limits.spectators = 2;
    let fixture = HttpFixture::with(config).await;
    let (ann, bob) = (fixture.guest().await, fixture.guest().await);
    let id = start_duel(&ann, &bob, "orcain").await;
    let (path, accept) = (format!("/matches/{id}/events"), [("accept", "text/event-stream")]);
    let nobody = fixture.anonymous();
    let mut streams = Vec::new();
    for expected in ["welcome", "welcome", "too_many"] {
        let mut stream = nobody.open("GET", &path, &accept, b"").await;
        let mut text = String::new();
        while !text.contains("event: ") || !text.ends_with("\n") {
            let mut piece = [0; 4096];
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
        assert!(text.contains(expected), "{text}");
        streams.push(stream);
    }
}
