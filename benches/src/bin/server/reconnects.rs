//! Reconnects to a short and to a long match: the time must not depend on the length.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::child::ServerUnderTest;
use crate::cold_start;
use crate::protocols::intermezzo::{self, Intermezzo};
use crate::system::ServerKind;

const INPUTS: [u64; 2] = [100, 10_000];
const RECONNECTS: usize = 300;

/// Prints the time from `hello` to the last frame of a client that was away for one version, and of one that has nothing.
pub(crate) fn report() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for inputs in INPUTS {
            let server = ServerUnderTest::start(ServerKind::Intermezzo)?;
            let seats = intermezzo::start_match(server.address).await?;
            // Somebody who hangs up has left the duel, so one connection stays open.
            let mut open = connect(server.address, &seats[0], None).await?.socket;
            tokio::spawn(async move { while let Some(Ok(_)) = open.next().await {} });
            cold_start::answer(server.address, &seats, 1..=inputs / 2).await?;
            let latest = connect(server.address, &seats[0], None).await?.version;
            for (what, since) in [("one version behind", Some(latest - 1)), ("without a view", None)] {
                let mut times = Vec::with_capacity(RECONNECTS);
                for _ in 0..RECONNECTS {
                    times.push(connect(server.address, &seats[0], since).await?.time);
                }
                times.sort_unstable();
                let ms = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
                println!(
                    "intermezzo: reconnecting {what} after {inputs} inputs takes {:.2} ms (p50), {:.2} ms (p99)",
                    ms(0.5),
                    ms(0.99)
                );
            }
        }
        Ok(())
    })
}

/// A connection that has received everything.
struct Reconnect {
    /// Time since `hello` was sent.
    time: Duration,
    version: u64,
    socket: WebSocketStream<TcpStream>,
}

async fn connect(server: SocketAddr, seat: &Intermezzo, since: Option<u64>) -> io::Result<Reconnect> {
    let stream = TcpStream::connect(server).await?;
    stream.set_nodelay(true)?;
    let mut request = format!("ws://{server}/ws").into_client_request().map_err(io::Error::other)?;
    let subprotocol = HeaderValue::from_static("intermezzo.v2+json");
    request.headers_mut().insert("sec-websocket-protocol", subprotocol);
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.map_err(io::Error::other)?;
    let hello = json!({"type": "hello", "token": seat.token, "match": seat.match_id, "since": since});
    let sent = Instant::now();
    socket.send(Message::text(hello.to_string())).await.map_err(io::Error::other)?;
    let mut version = 0;
    while let Some(message) = socket.next().await {
        let message = message.map_err(io::Error::other)?;
        let Ok(frame) = serde_json::from_str::<Value>(message.to_text().unwrap_or_default()) else {
            continue;
        };
        match frame["type"].as_str() {
            Some("welcome") => version = frame["match"]["version"].as_u64().unwrap_or_default(),
            // The prompts come last.
            Some("pending.input") => return Ok(Reconnect { time: sent.elapsed(), version, socket }),
            Some("error") => return Err(io::Error::other(frame.to_string())),
            _ => {}
        }
    }
    Err(io::Error::other("the server closed the connection"))
}
