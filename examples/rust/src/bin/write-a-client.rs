//! A client that plays one match over the WebSocket and knows nothing about the game.
//!
//! `write-a-client [ADDRESS]`; without an address it starts a server in memory.

#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use intermezzo_server::{Config, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    match std::env::args().nth(1) {
        Some(address) => play(address.parse()?).await,
        None => {
            let rules = std::fs::read_to_string("rulesets/orcain/ruleset.yaml")?;
            let bundled = vec![("orcain".to_owned(), vec![("ruleset.yaml".to_owned(), rules)])];
            let listen = SocketAddr::from(([127, 0, 0, 1], 0));
            let server = Server::start(Config { listen, data: None, ..Config::default() }, bundled).await?;
            let played = play(server.address()).await;
            server.stop().await;
            played
        }
    }
}

async fn play(server: SocketAddr) -> Result<(), Failure> {
    // A guest account, and a match against a bot of the server.
    let guest = post(server, "/accounts", None, &json!({})).await?;
    let token = guest["token"].as_str().ok_or("no token")?;
    let new_match = json!({"ruleset": "orcain", "places": ["human", "random"]});
    let created = post(server, "/matches", Some(token), &new_match).await?;
    let id = created["id"].as_str().ok_or("no match")?;
    post(server, &format!("/matches/{id}/start"), Some(token), &json!({})).await?;

    let mut request = format!("ws://{server}/ws").into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", "intermezzo.v2+json".parse()?);
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await?;
    let hello = json!({"type": "hello", "token": token, "match": id});
    socket.send(Message::text(hello.to_string())).await?;

    let mut answered = 0;
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message? else { continue };
        let frame: Value = serde_json::from_str(&text)?;
        match frame["type"].as_str() {
            Some("update") => {
                let events = list(&frame["events"]);
                println!("version {}: {} events", frame["version"], events.len());
                if let Some(end) = events.iter().find(|event| event["event"] == "MatchEnded") {
                    println!("the match is over: {}", end["payload"]["outcome"]);
                    return Ok(());
                }
            }
            Some("pending.input") => {}
            Some("error") => return Err(format!("refused: {}", frame["problem"]).into()),
            _ => continue,
        }
        // Both frames list all open prompts, also those that have been answered already.
        for prompt in list(&frame["prompts"]) {
            let number = prompt["inputId"].as_u64().ok_or("a prompt without an id")?;
            if number > answered {
                answered = number;
                let answer = json!({
                    "type": "input.submit",
                    "commandId": format!("answer-{number}"),
                    "inputId": number,
                    "answers": first_options(prompt),
                });
                socket.send(Message::text(answer.to_string())).await?;
            }
        }
    }
    Err("the connection was closed before the end of the match".into())
}

/// Answers with the first options, as many as the prompt asks for.
fn first_options(prompt: &Value) -> Value {
    let options = list(&prompt["options"]);
    let wanted = prompt["min"].as_u64().unwrap_or(1).max(1);
    match options.is_empty() {
        true => json!("pass"),
        false => options.iter().zip(0..wanted).map(|(option, _)| json!({"n": option["n"]})).collect(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Sends a POST request and returns the JSON of the response. Real programs use an HTTP library.
async fn post(server: SocketAddr, path: &str, token: Option<&str>, body: &Value) -> Result<Value, Failure> {
    let authorization = token.map_or(String::new(), |token| format!("authorization: Bearer {token}\r\n"));
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n{authorization}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await?;
    let (head, body) = response.split_once("\r\n\r\n").ok_or("no response")?;
    if !head.starts_with("HTTP/1.1 2") {
        return Err(format!("POST {path}: {response}").into());
    }
    Ok(serde_json::from_str(body)?)
}
