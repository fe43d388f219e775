//! The server as a process, and the commands of its operator.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::{folder, intermezzo, run_in};

/// Server process started by a test.
pub(crate) struct RunningServer {
    process: Child,
    address: String,
}

impl RunningServer {
    pub(crate) fn start(folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> RunningServer {
        RunningServer::run("serve", folder, args, environment)
    }

    fn run(command: &str, folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> RunningServer {
        RunningServer::start_logging(command, folder, args, environment, Stdio::null())
    }

    fn start_logging(
        command: &str,
        folder: &Path,
        args: &[&str],
        environment: &[(&str, &str)],
        log: Stdio,
    ) -> RunningServer {
        let mut process = Command::new(env!("CARGO_BIN_EXE_intermezzo"))
            .arg(command)
            .args(args)
            .current_dir(folder)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program was built");
        let mut line = String::new();
        let out = process.stdout.take().expect("standard output is a pipe");
        BufReader::new(out).read_line(&mut line).expect("the server says that it is ready");
        let address = line.trim().strip_prefix("ready on http://").map(|address| {
            // `dev` prints the address of the playground page.
            address.split('/').next().unwrap_or_default().to_owned()
        });
        RunningServer { process, address: address.unwrap_or_else(|| panic!("the server says `{line}`")) }
    }

    /// Sends a request. Returns the status and the body.
    pub(crate) fn send(&self, request: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let length = body.len();
        let request = format!(
            "{request} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (status.expect("an answer has a status"), body.unwrap_or_default())
    }

    /// Sends the first lines of a request. Returns the head of the response.
    fn head(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let request = format!("{request}\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        answer.split("\r\n\r\n").next().unwrap_or_default().to_owned()
    }

    /// Sends a signal to the process and waits for its end.
    pub(crate) fn end(self, signal: &str) {
        let told = Command::new("kill").args([signal, &self.process.id().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()));
        self.ends();
    }

    /// Waits for the end of the process.
    fn ends(mut self) {
        let status = self.process.wait().expect("the server ends");
        assert!(status.success(), "the server ends with {status}");
    }
}

pub(crate) fn text_of(json: &str, name: &str) -> String {
    let (_, rest) =
        json.split_once(&format!("\"{name}\":\"")).unwrap_or_else(|| panic!("no `{name}` in {json}"));
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn a_server_reports_when_it_is_ready_and_stops_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let server = RunningServer::start(&folder("serve"), &["--memory", "--listen", "127.0.0.1:0"], &[]);
        assert_eq!(server.send("GET /readyz", "", "").0, 200);
        let (_, rulesets) = server.send("GET /rulesets", "", "");
        for name in ["dogma", "draft", "mages", "orcain", "skirmish"] {
            assert!(rulesets.contains(&format!("\"id\":\"{name}\"")), "{name} is not served");
        }
        server.end(signal);
    }
}

#[test]
fn metrics_are_served_to_operators_only() {
    let free = || {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        taken.local_addr().expect("it has an address").to_string()
    };
    let metrics = free();
    let args = ["--memory", "--listen", "127.0.0.1:0", "--metrics-listen", &metrics];
    let mut server = RunningServer::start(&folder("serve-metrics"), &args, &[]);
    assert_eq!(server.send("GET /metrics", "", "").0, 404, "players cannot read the counters");
    assert_eq!(server.send("GET /rulesets", "", "").0, 200);
    let game = std::mem::replace(&mut server.address, metrics);
    let (status, text) = server.send("GET /metrics", "", "");
    assert!(status == 200 && text.contains("intermezzo_requests_total"), "{status} {text}");
    // Buckets add up across servers; quantiles would not.
    for metric in [
        "intermezzo_request_seconds_bucket{path=\"/rulesets\",le=\"0.01\"}",
        "intermezzo_store_seconds_bucket{operation=\"commit\",le=\"0.01\"}",
        "intermezzo_compile_seconds_count",
        "process_resident_memory_bytes",
        // What alerts watch is there before anything has happened: nothing increases from nothing to one.
        "intermezzo_failed_matches_total 0",
        "intermezzo_ledger_mismatches_total 0",
        "intermezzo_store_failures_total{operation=\"commit\"} 0",
    ] {
        assert!(text.contains(metric), "{metric} is missing in\n{text}");
    }
    assert_eq!(server.send("GET /rulesets", "", "").0, 404, "the game is not served there");
    server.address = game;
    server.end("-TERM");
}

#[test]
fn requests_have_ids_that_the_access_log_names() {
    let folder = folder("serve-access-log");
    let log = std::fs::File::create(folder.join("log")).expect("the folder is ours");
    let args = ["--memory", "--listen", "127.0.0.1:0", "--log", "json", "--access-log"];
    let server = RunningServer::start_logging("serve", &folder, &args, &[], Stdio::from(log));
    let ids: Vec<String> =
        ["x-request-id: from-the-proxy-1", "x-request-id: not a plain id", "x-other: none"]
            .iter()
            .map(|header| {
                let head = server.head(&format!("GET /rulesets?limit=1 HTTP/1.1\r\n{header}"));
                let id = head.lines().find_map(|line| line.strip_prefix("x-request-id: ").map(str::to_owned));
                id.unwrap_or_else(|| panic!("no id in {head}"))
            })
            .collect();
    assert_eq!(ids[0], "from-the-proxy-1");
    for (path, id) in [("/no/such/path", "unknown-path"), ("/ws", "no-websocket"), ("/page/none", "no-file")]
    {
        server.head(&format!("GET {path} HTTP/1.1\r\nx-request-id: {id}"));
    }
    assert!(
        ids[1..].iter().all(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "{ids:?}"
    );
    server.end("-TERM");
    let log = std::fs::read_to_string(folder.join("log")).expect("the server has written it");
    for id in ["unknown-path", "no-websocket", "no-file"] {
        let line =
            log.lines().find(|line| line.contains(id)).unwrap_or_else(|| panic!("{id} is not in\n{log}"));
        assert!(line.contains("127.0.0.1") && line.contains("\"status\":40"), "{line}");
    }
    for id in ids {
        let line =
            log.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("{id} is not in\n{log}"));
        for word in ["\"method\":\"GET\"", "\"path\":\"/rulesets\"", "\"status\":200", "127.0.0.1"] {
            assert!(line.contains(word), "{word} is missing in {line}");
        }
        assert!(!line.contains("limit"), "queries stay out of the log: {line}");
    }
}

#[test]
fn operators_manage_a_running_server() {
    let folder = folder("serve-admin");
    let data = folder.join("data");
    let server = RunningServer::start(&folder, &["--data", "data", "--listen", "127.0.0.1:0"], &[]);
    let account = server.send("POST /accounts", "", "{\"name\":\"ann\"}").1;
    let token = text_of(&account, "token");
    let admin = |args: &[&str]| {
        let data = data.to_str().expect("paths of tests are plain");
        intermezzo(&[&["admin", "--data", data], args].concat())
    };
    admin(&["status"]).exits(0).says("running version").says("0 matches in memory, 0 connections");
    admin(&["moderator", "ann", "on"]).exits(0).says("ann is now a moderator");
    assert!(server.send("GET /me", &token, "").1.contains("\"moderator\":true"), "the server knows at once");
    admin(&["export", "ann"]).exits(0).says("\"name\": \"ann\"");
    admin(&["audit"]).exits(0).says("all balances add up");
    admin(&["rows", "0"]).exits(1).says("match");
    admin(&["delete", "nobody"]).exits(1);
    admin(&["delete", "ann"]).exits(0).says("deleted ann");
    assert_eq!(server.send("GET /me", &token, "").0, 401);
    let mode = |path: &Path| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777
    };
    assert_eq!(mode(&data.join("admin.sock")), 0o600, "nobody else may connect");
    // Broken requests are answered and change nothing.
    let mut stream = std::os::unix::net::UnixStream::connect(data.join("admin.sock")).expect("it listens");
    stream.write_all(b"{\"request\":\"format-disk\"}\n").expect("the server reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("the server answers");
    assert!(response.contains("not a request of an operator"), "{response}");
    admin(&["stop"]).exits(0).says("stopping");
    server.ends();
    assert!(!data.join("admin.sock").exists());
    // The same commands work on the folder of a stopped server.
    admin(&["audit"]).exits(0).says("all balances add up");
    admin(&["status"]).exits(1).says("no server is running on this data").says("with --data");
}

#[test]
fn dashboard_and_alerts_use_documented_metrics() {
    let guide = document("how-to/serve.md");
    for file in ["grafana-dashboard.json", "alerts.yaml"] {
        let text = std::fs::read_to_string(crate::repository().join("deploy/monitoring").join(file));
        let text = text.expect("the file exists");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let metrics: std::collections::BTreeSet<&str> = words
            .filter(|word| word.starts_with("intermezzo_") || word.starts_with("process_"))
            .map(|metric| metric.trim_end_matches("_bucket"))
            .collect();
        assert!(metrics.len() > 4, "{file} has {metrics:?}");
        for metric in metrics {
            assert!(
                guide.contains(&format!("| `{metric}` |")),
                "{file} uses {metric}, which serve.md does not list"
            );
        }
    }
}

/// Starts a duel of two guests with these options. Returns the match and their tokens.
pub(crate) fn start_duel(server: &RunningServer, options: &str) -> (String, [String; 2]) {
    let token = |name: &str| {
        text_of(&server.send("POST /accounts", "", &format!("{{\"name\":\"{name}\"}}")).1, "token")
    };
    let tokens = [token("ann"), token("bob")];
    let request = format!("{{\"ruleset\":\"orcain\",\"options\":{options}}}");
    let id = text_of(&server.send("POST /matches", &tokens[0], &request).1, "id");
    server.send(&format!("POST /matches/{id}/seats"), &tokens[1], "{}");
    for token in &tokens {
        server.send(&format!("PUT /matches/{id}/ready"), token, "{\"ready\":true}");
    }
    (id, tokens)
}

/// Returns the deadline and the number of a player's question.
pub(crate) fn question(server: &RunningServer, id: &str, token: &str) -> (i64, String) {
    let (_, inputs) = server.send(&format!("GET /matches/{id}/inputs"), token, "");
    let number = |name: &str| {
        let (_, rest) = inputs.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{inputs}"));
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().to_owned()
    };
    (number("deadlineTs").parse().expect("a deadline is a number"), number("inputId"))
}

#[test]
fn the_clocks_stand_still_while_the_server_is_stopped() {
    let folder = folder("serve-stopped");
    let server = RunningServer::start(&folder, &["--data", "data", "--listen", "127.0.0.1:0"], &[]);
    let (id, [ann, _]) = start_duel(&server, "{\"prep_ms\":4000}");
    let (deadline, number) = question(&server, &id, &ann);
    let signal = |signal: &str| {
        let sent = Command::new("kill").args([signal, &server.process.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    };
    signal("-STOP");
    std::thread::sleep(std::time::Duration::from_secs(6));
    signal("-CONT");
    let (later, same) = question(&server, &id, &ann);
    assert_eq!(number, same, "the question is still open");
    assert!((deadline + 5_000..deadline + 9_000).contains(&later), "{deadline} became {later}");
    let path = format!("POST /matches/{id}/inputs/{number}");
    assert_eq!(server.send(&path, &ann, "{\"answers\":[null,null,null]}").0, 200);
    server.end("-TERM");
}

#[test]
fn accepted_data_survives_a_restart() {
    let folder = folder("serve-again");
    let args = ["--data", "data", "--listen", "127.0.0.1:0"];
    let server = RunningServer::start(&folder, &args, &[]);
    let token = text_of(&server.send("POST /accounts", "", "{\"name\":\"ann\"}").1, "token");
    server.end("-TERM");
    let server = RunningServer::start(&folder, &args, &[]);
    assert_eq!(text_of(&server.send("GET /me", &token, "").1, "name"), "ann");
    server.end("-TERM");
}

#[test]
fn flags_override_the_environment_which_overrides_the_file() {
    let folder = folder("serve-config");
    let settings = "listen = \"127.0.0.1:1\"\norigins = [\"https://file.example\"]\n[limits]\nmessage-bytes = 100\ndepth = 2\n";
    std::fs::write(folder.join("server.toml"), settings).expect("the folder can be written");
    let environment = [("INTERMEZZO_LISTEN", "127.0.0.1:2"), ("INTERMEZZO_MESSAGE_BYTES", "200")];
    let args = ["--memory", "--config", "server.toml", "--listen", "127.0.0.1:0"];
    let server = RunningServer::start(&folder, &args, &environment);
    let body = |bytes: usize| format!("{{\"name\":\"{}\"}}", "x".repeat(bytes));
    assert_eq!(server.send("POST /accounts", "", &body(150)).0, 422, "the environment's limit counts");
    assert_eq!(server.send("POST /accounts", "", &body(250)).0, 413);
    assert_eq!(server.send("POST /accounts", "", "{\"name\":[[[]]]}").0, 400, "the file's depth counts");
    server.end("-TERM");
}

#[test]
fn invalid_settings_are_reported() {
    let folder = folder("serve-wrong");
    std::fs::write(folder.join("server.toml"), "listen = \"127.0.0.1:0\"\nlisten-on = 3\n")
        .expect("it can be written");
    run_in(&folder, &["serve", "--config", "server.toml"], "").exits(2).says("listen-on").says("line 2");
    run_in(&folder, &["serve", "--config", "nothing.toml"], "").exits(3).says("nothing.toml");
    run_in(&folder, &["serve", "--listen", "somewhere"], "").exits(2).says("--listen");
    run_in(&folder, &["serve", "--memory", "--data", "x"], "").exits(2).says("cannot be used with");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
    run_in(&folder, &["serve", "--memory", "--listen", &address], "").exits(3).says("cannot listen on");
    intermezzo(&["serve", "--help"]).exits(0).says("INTERMEZZO_LISTEN").says("Examples:");
    run_in(&folder, &["serve", "--memory", "--nats", "nats://127.0.0.1:1"], "")
        .exits(3)
        .says("it connects servers on one database; use --database too");
    run_in(&folder, &["serve", "--database", "postgres://nobody@127.0.0.1:1/nothing"], "")
        .exits(3)
        .says("the store cannot be opened");
}

#[test]
fn a_password_in_a_url_is_not_printed() {
    // Nobody listens at the first address, and the other two are not valid.
    for address in ["postgres://ann:hunter2@127.0.0.1:1/x", "postgres://ann:hunter2@[", "ann:hunter2"] {
        let run = intermezzo(&["serve", "--listen", "127.0.0.1:0", "--database", address]).exits(3);
        assert!(!run.all().contains("hunter2"), "{}", run.all());
    }
}

#[test]
fn the_operator_manages_the_data_of_a_server() {
    let folder = folder("admin");
    let server = RunningServer::start(&folder, &["--data", "data", "--listen", "127.0.0.1:0"], &[]);
    let ann = text_of(&server.send("POST /accounts", "", "{\"name\":\"ann\"}").1, "token");
    let bob = text_of(&server.send("POST /accounts", "", "{\"name\":\"bob\"}").1, "token");
    server.end("-TERM");
    let admin = |args: &[&str]| run_in(&folder, &[&["admin", "--data", "data"], args].concat(), "");
    admin(&["export", "ann"]).exits(0).says("\"name\": \"ann\"").says("\"balance\": 100");
    admin(&["moderator", "ann", "on"]).exits(0).says("ann is now a moderator");
    admin(&["export", "ann"]).exits(0).says("\"moderator\": true");
    let server = RunningServer::start(&folder, &["--data", "data", "--listen", "127.0.0.1:0"], &[]);
    let wish = r#"{"ruleset":"orcain","places":["human","random"]}"#;
    let id = text_of(&server.send("POST /matches", &bob, wish).1, "id");
    server.send(&format!("POST /matches/{id}/start"), &bob, "");
    let pause = r#"{"kind":"pause","reason":"a fire alarm"}"#;
    assert_eq!(server.send(&format!("POST /matches/{id}/control"), &ann, pause).0, 200);
    assert_eq!(
        server
            .send(
                &format!("POST /matches/{id}/control"),
                &ann,
                r#"{"kind":"moderate","winners":[],"pot":"refund","reason":"over"}"#
            )
            .0,
        200
    );
    server.end("-TERM");
    admin(&["moderations"]).exits(0).says(&id).says("\"name\":\"ann\"").says("a fire alarm");
    admin(&["moderator", "ann", "off"]).exits(0).says("ann is no longer a moderator");
    admin(&["audit"])
        .exits(0)
        .says("2 transfers, 200 tokens, 0 of them held by matches")
        .says("all balances add up");
    admin(&["recount", "orcain"]).exits(0).says("0 ratings corrected");
    admin(&["delete", "bob"]).exits(0).says("deleted bob");
    admin(&["export", "bob"]).exits(1).says("account `bob` not found");
    admin(&["audit"]).exits(0).says("all balances add up");
    run_in(&folder, &["admin", "--data", "nothing", "audit"], "").exits(3).says("no such folder");
}

#[test]
fn a_changed_ruleset_is_tested_against_running_matches() {
    let folder = folder("migrate");
    let args = ["--data", "data", "--listen", "127.0.0.1:0"];
    let server = RunningServer::start(&folder, &args, &[]);
    let ann = text_of(&server.send("POST /accounts", "", "{\"name\":\"ann\"}").1, "token");
    let wish = r#"{"ruleset":"orcain","places":["human","random"]}"#;
    let id = text_of(&server.send("POST /matches", &ann, wish).1, "id");
    server.send(&format!("POST /matches/{id}/start"), &ann, "");
    let (_, asked) = server.send(&format!("GET /matches/{id}/inputs"), &ann, "");
    let input =
        asked.split("\"inputId\":").nth(1).and_then(|rest| rest.split(',').next()).expect("ann is asked");
    let answer =
        server.send(&format!("POST /matches/{id}/inputs/{input}"), &ann, r#"{"answers":[null,null,null]}"#);
    assert_eq!(answer.0, 200, "{}", answer.1);
    server.end("-TERM");
    let original = crate::repository().join("rulesets/orcain/ruleset.yaml");
    let original = std::fs::read_to_string(original).expect("the ruleset exists");
    let changed = folder.join("changed.yaml");
    let migrate = |args: &[&str]| run_in(&folder, &[&["migrate", "--data", "data"], args].concat(), "");
    migrate(&["--dry-run", "orcain"])
        .exits(0)
        .says(&id)
        .says("1 match played again: 1 the same, 0 different");
    std::fs::write(
        &changed,
        original.replace("max_hp:     {type: int, default: 10", "max_hp:     {type: int, default: 11"),
    )
    .expect("the folder is ours");
    let differs = migrate(&["--dry-run", "changed.yaml"]).exits(1).says("at row 1 of").says("1 different");
    assert!(differs.out.contains("would see 11 in place of 10 at /options/max_hp"), "{}", differs.all());
    let json = migrate(&["--dry-run", "--json", "changed.yaml"]).exits(1).out;
    assert!(json.contains(&format!("{{\"match\":\"{id}\"")), "{json}");
    migrate(&["changed.yaml"]).exits(2).says("--dry-run");
}

#[test]
fn rulesets_of_a_folder_are_offered_with_their_pictures() {
    let folder = folder("offered");
    let game = folder.join("games/mine");
    std::fs::create_dir_all(game.join("assets")).expect("the folder is ours");
    let rules =
        "ir: 1\nruleset: {id: mine, version: 0.1.0, name: Mine}\noutcomes: [done]\nflow: [{end: done}]\n";
    std::fs::write(game.join("rules.yaml"), rules).expect("the folder is ours");
    let sun = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><circle r=\"4\"/></svg>";
    std::fs::write(game.join("assets/cover.svg"), sun).expect("the folder is ours");
    let args = ["--memory", "--listen", "127.0.0.1:0", "--rulesets", "games"];
    let server = RunningServer::start(&folder, &args, &[]);
    let (_, listed) = server.send("GET /rulesets", "", "");
    assert!(listed.contains("\"id\":\"mine\"") && listed.contains("\"id\":\"orcain\""), "{listed}");
    let (_, info) = server.send("GET /rulesets/mine", "", "");
    let (status, picture) = server.send(&format!("GET {}", text_of(&info, "cover")), "", "");
    assert!(status == 200 && picture.contains("<circle"), "{picture}");
    server.end("-TERM");
    run_in(&folder, &["serve", "--memory", "--rulesets", "nothing"], "").exits(3).says("nothing");
}

#[test]
fn deployment_files_can_be_parsed() {
    let folder = crate::repository().join("deploy");
    for (file, words) in [
        ("compose.yaml", &["services", "INTERMEZZO_DATABASE", "INTERMEZZO_NATS"][..]),
        ("kubernetes/intermezzo.yaml", &["Deployment", "readinessProbe", "PodDisruptionBudget"]),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).expect("it exists");
        words.iter().for_each(|word| assert!(text.contains(word), "{file} says nothing of {word}"));
        for (place, document) in text.split("\n---\n").enumerate() {
            let read =
                intermezzo_compiler::Ruleset::from_files(&[]).parse_extra_file(file, document.as_bytes());
            assert!(read.is_ok(), "document {place} of {file}: {read:?}");
        }
    }
}

fn document(page: &str) -> String {
    std::fs::read_to_string(crate::repository().join("docs").join(page)).expect("the page exists")
}

/// Returns the fenced blocks of a kind in a page of the documentation.
fn blocks(page: &str, kind: &str) -> Vec<String> {
    let guide = document(page);
    let fence = format!("```{kind}\n");
    let blocks = guide.split(&fence).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_guide_can_be_followed() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("curl") || !has("bash") {
        return;
    }
    let folder = folder("guide");
    let server = RunningServer::start(&folder, &["--memory", "--listen", "127.0.0.1:0"], &[]);
    let script = blocks("how-to/serve.md", "sh")
        .concat()
        .replace("http://127.0.0.1:8080", &format!("http://{}", server.address));
    let mut bash = Command::new("bash");
    let ran = bash.args(["-eu", "-c", &script]).current_dir(&folder).output().expect("bash runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}\n{err}");
    assert!(out.contains("\"title\":\"Lay out your three cards\""), "{out}");
    run_in(&folder, &["verify", "duel.json"], "").exits(0).says("verified duel.json");
    server.end("-TERM");
}

#[test]
fn the_settings_in_the_guide_are_settings() {
    let folder = folder("guide-settings");
    for settings in blocks("reference/configuration.md", "toml") {
        std::fs::write(folder.join("server.toml"), &settings).expect("the folder can be written");
        let args = ["--memory", "--config", "server.toml", "--listen", "127.0.0.1:0"];
        RunningServer::start(&folder, &args, &[]).end("-TERM");
    }
    let help = intermezzo(&["serve", "--help"]).exits(0).out;
    let guide = document("reference/configuration.md");
    for word in help.split([' ', '[', '=', ']']).filter(|word| word.starts_with("INTERMEZZO_")) {
        assert!(
            word == "INTERMEZZO_RULESETS" || guide.contains(&format!("`{word}`")),
            "{word} is not in the guide"
        );
    }
}

#[test]
fn the_playground_opens_a_new_ruleset() {
    let folder = folder("dev");
    assert_eq!(run_in(&folder, &["new", "my-game"], "").code, 0);
    let playground = RunningServer::run("dev", &folder, &["my-game", "--port", "0", "--no-open"], &[]);
    assert!(playground.address.starts_with("127.0.0.1:"), "it listens on this machine only");
    let (status, about) = playground.send("GET /dev", "", "");
    assert_eq!((status, about.contains("\"playable\":true")), (200, true), "{about}");
    let (status, state) = playground.send("POST /dev/match", "", "{}");
    assert_eq!((status, state.contains("\"inputCount\":0")), (201, true), "{state}");
    playground.end("-TERM");
    let refused = run_in(&folder, &["dev", "nothing-here", "--no-open", "--port", "0"], "");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("contains no ruleset"), "{}", refused.err);
}

#[test]
fn the_python_bot_of_the_examples_plays_a_match() {
    let server = RunningServer::start(&folder("serve-bot"), &["--memory", "--listen", "127.0.0.1:0"], &[]);
    let bot = crate::repository().join("examples/bots/bot.py");
    let url = format!("http://{}", server.address);
    for (ruleset, against) in [("orcain", "mcts"), ("mages", "greedy")] {
        let run = Command::new("python3").arg(&bot).args([&url, ruleset, "--against", against]).output();
        let run = run.expect("python3 is installed");
        let (out, error) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{error}");
        let last = out.lines().last().unwrap_or_default();
        assert!(last.contains("\"ending\"") && last.contains("\"outcome\""), "{last}");
        assert!(out.contains("\"events\""), "it received events");
    }
    server.end("-TERM");
}
