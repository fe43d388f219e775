//! Tries the HTTP side of a server with requests that schemathesis makes up from its OpenAPI document.
//!
//! Good and bad requests are sent; no answer may be a failure of the server, and every answer has to be one the
//! document tells of. Python is needed for it: without it this is left out, and said to be.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::check::Verdict;
use crate::{cargo, succeeds, target};

const PACKAGE: &str = "schemathesis==4.32.5";
const SEED: &str = "7";
/// Seconds for the operations of somebody who is signed in, for those on a match under way, and for those that would
/// sign them out.
const SECONDS: [&str; 3] = ["25", "15", "8"];
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
response_headers_conformance,response_schema_conformance,negative_data_rejection,unsupported_method";
/// Where the id of a match is given to schemathesis, which would never guess one.
const KNOWN: &str = "known-match.toml";
/// Operations after which a token is good for nothing.
const ENDING: &[&str] = &["deleteSessions", "deleteSessionsCurrent", "deleteMe", "putMePassword"];

/// Builds the server and tries it.
pub(crate) fn build_and_run() -> bool {
    let build = ["build", "--quiet", "--package", "intermezzo-cli"];
    match succeeds(cargo().args(build)).then(run) {
        Some(Verdict::LeftOut(why)) => {
            println!("left out: {why}");
            false
        }
        Some(Verdict::Fine) => true,
        Some(Verdict::Wrong) | None => false,
    }
}

/// Tries the server that is built already.
pub(crate) fn run() -> Verdict {
    let Some(program) = install() else {
        return Verdict::LeftOut("it cannot be installed: Python 3 with venv and a way to PyPI are needed");
    };
    try_with(&program).into()
}

fn try_with(program: &Path) -> bool {
    let Some((mut server, address)) = start() else { return false };
    let is_fine = match token(&address) {
        Some(token) => try_all(program, &address, &token),
        None => {
            println!("the server gives no token");
            false
        }
    };
    let _ = server.kill();
    let _ = server.wait();
    is_fine
}

fn install() -> Option<PathBuf> {
    let folder = target().join("schemathesis");
    let program = folder.join("bin/schemathesis");
    if program.exists() {
        return Some(program);
    }
    let mut python = Command::new("python3");
    python.args(["-m", "venv"]).arg(&folder);
    let mut pip = Command::new(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", PACKAGE]);
    (succeeds(&mut python) && succeeds(&mut pip)).then_some(program)
}

/// A server that forgets everything, and where it listens.
fn start() -> Option<(Child, String)> {
    let mut command = Command::new(target().join("debug/intermezzo"));
    command.args(["serve", "--memory", "--listen", "127.0.0.1:0"]);
    for limit in ["--account-per-second", "--address-per-second", "--accounts-per-minute"] {
        command.args([limit, "1000000"]);
    }
    let spawned = command.stdout(Stdio::piped()).env("RUST_LOG", "warn").spawn();
    let mut server = spawned.inspect_err(|error| println!("the server does not start: {error}")).ok()?;
    let mut line = String::new();
    BufReader::new(server.stdout.take()?).read_line(&mut line).ok()?;
    match line.trim().rsplit_once("http://") {
        Some((_, address)) => Some((server, address.to_owned())),
        None => {
            println!("the server does not start");
            let _ = server.kill();
            None
        }
    }
}

/// The token of a new guest.
fn token(address: &str) -> Option<String> {
    text_of(&send(address, "POST /accounts", "", "")?, "token")
}

/// A match of that guest against a bot, under way.
fn begin_match(address: &str, token: &str) -> Option<String> {
    let wish = r#"{"ruleset": "mages", "places": ["human", "random"]}"#;
    let id = text_of(&send(address, "POST /matches", token, wish)?, "id")?;
    send(address, &format!("POST /matches/{id}/start"), token, "")?;
    Some(id)
}

/// Sends a request and gives the whole answer.
fn send(address: &str, what: &str, token: &str, body: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let length = body.len();
    let request = format!(
        "{what} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// The first text of that name in an answer.
fn text_of(answer: &str, name: &str) -> Option<String> {
    let (_, rest) = answer.split_once(&format!("\"{name}\":\""))?;
    rest.split_once('"').map(|(text, _)| text.to_owned())
}

fn try_all(program: &Path, address: &str, token: &str) -> bool {
    let Some(id) = begin_match(address, token) else {
        println!("the server makes no match");
        return false;
    };
    let known = target().join(KNOWN);
    if let Err(error) = std::fs::write(&known, format!("[parameters]\n\"path.id\" = \"{id}\"\n")) {
        println!("{}: {error}", known.display());
        return false;
    }
    let trial = |config: Option<&Path>, seconds: &str| {
        let mut command = Command::new(program);
        command.current_dir(target().join("schemathesis"));
        if let Some(config) = config {
            command.arg("--config-file").arg(config);
        }
        command.args([
            "run",
            &format!("http://{address}/openapi.json"),
            "--seed",
            SEED,
            "--max-time",
            seconds,
        ]);
        command.args(["--checks", CHECKS, "--no-shrink", "--continue-on-failure", "--request-timeout", "10"]);
        command.args(["--warnings", "off"]);
        command
    };
    let header = format!("Authorization: Bearer {token}");
    let mut signed_in = trial(None, SECONDS[0]);
    signed_in.args(["--header", &header]);
    signed_in.args(ENDING.iter().flat_map(|id| ["--exclude-operation-id", id]));
    let mut playing = trial(Some(&known), SECONDS[1]);
    playing.args(["--header", &header, "--include-path-regex", r"^/matches/\{id\}"]);
    // It would concede before much else was tried.
    playing.args(["--exclude-operation-id", "postMatchesIdControl"]);
    // Where two parts of a path are made up, a bad id is counted as sent although the known one is.
    playing.args(["--exclude-operation-id", "getMatchesIdReplayAt"]);
    let mut nobody = trial(None, SECONDS[2]);
    nobody.args(ENDING.iter().flat_map(|id| ["--include-operation-id", id]));
    // All of them, even if the first has found something.
    let found = [succeeds(&mut signed_in), succeeds(&mut playing), succeeds(&mut nobody)];
    found.iter().all(|is_fine| *is_fine)
}
