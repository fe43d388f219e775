//! One seat's WebSocket, from opening it to hearing that the seat is taken.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::ceiling::BUFFER_BYTES;
use crate::protocols::{Heard, Protocol};
use crate::system::{Door, System};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A seat that is taken.
pub(crate) struct Seat {
    protocol: Box<dyn Protocol>,
    socket: WebSocketStream<TcpStream>,
}

/// Takes both seats of all these matches.
pub(crate) async fn take_seats(
    system: System,
    server: SocketAddr,
    matches: impl Iterator<Item = u32>,
) -> io::Result<Vec<Seat>> {
    let mut seats = Vec::new();
    for number in matches {
        let taken = tokio::time::timeout(CONNECT_LIMIT, take_both(system, server, number)).await;
        seats.extend(taken.unwrap_or_else(|_| Err(io::Error::other("no seat in time")))?);
    }
    Ok(seats)
}

async fn take_both(system: System, server: SocketAddr, match_number: u32) -> io::Result<[Seat; 2]> {
    let [first, second] = system.doors(server, match_number).await?;
    Ok([Seat::take(server, first).await?, Seat::take(server, second).await?])
}

impl Seat {
    async fn take(server: SocketAddr, door: Door) -> io::Result<Seat> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        let url = format!("ws://{server}{}", door.path);
        let config =
            WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(BUFFER_BYTES);
        let opened = tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await;
        let (socket, _) = opened.map_err(io::Error::other)?;
        let mut seat = Seat { protocol: door.protocol, socket };
        if let Some(greeting) = seat.protocol.greeting() {
            seat.send(greeting).await?;
        }
        while !seat.hear().await?.is_seated {}
        Ok(seat)
    }

    /// Sends a layout.
    pub(crate) async fn submit(&mut self, layout: u32) -> io::Result<()> {
        let message = self.protocol.submit(layout);
        self.send(message).await
    }

    /// Waits for the next message, answers it if the server wants that, and says what it means.
    pub(crate) async fn hear(&mut self) -> io::Result<Heard> {
        let message = match self.socket.next().await {
            Some(message) => message.map_err(io::Error::other)?,
            None => return Err(io::Error::other("the server closed the connection")),
        };
        let mut heard = self.protocol.hear(&message);
        if let Some(reply) = heard.reply.take() {
            self.send(reply).await?;
        }
        match heard.refusal.take() {
            Some(reason) => Err(io::Error::other(format!("the server refused: {reason}"))),
            None => Ok(heard),
        }
    }

    async fn send(&mut self, message: Message) -> io::Result<()> {
        self.socket.send(message).await.map_err(io::Error::other)
    }
}
