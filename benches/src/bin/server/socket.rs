//! The WebSocket of one seat.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::ceiling::BUFFER_BYTES;
use crate::protocols::{Protocol, ServerMessage};
use crate::system::{SeatEndpoint, ServerKind};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A seat with an open connection.
pub(crate) struct ConnectedSeat {
    protocol: Box<dyn Protocol>,
    socket: WebSocketStream<TcpStream>,
}

/// Connects both seats of all these matches.
pub(crate) async fn connect_seats(
    system: ServerKind,
    server: SocketAddr,
    matches: impl Iterator<Item = u32>,
) -> io::Result<Vec<ConnectedSeat>> {
    let mut seats = Vec::new();
    for number in matches {
        let connected = tokio::time::timeout(CONNECT_LIMIT, connect_both(system, server, number)).await;
        seats.extend(
            connected.unwrap_or_else(|_| Err(io::Error::other("a seat was not connected within 10 s")))?,
        );
    }
    Ok(seats)
}

async fn connect_both(
    system: ServerKind,
    server: SocketAddr,
    match_number: u32,
) -> io::Result<[ConnectedSeat; 2]> {
    let [first, second] = system.endpoints(server, match_number).await?;
    Ok([ConnectedSeat::connect(server, first).await?, ConnectedSeat::connect(server, second).await?])
}

impl ConnectedSeat {
    pub(crate) async fn connect(server: SocketAddr, endpoint: SeatEndpoint) -> io::Result<ConnectedSeat> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        let url = format!("ws://{server}{}", endpoint.path);
        let config =
            WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(BUFFER_BYTES);
        let mut request = url.into_client_request().map_err(io::Error::other)?;
        if let Some(subprotocol) = endpoint.protocol.subprotocol() {
            request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(subprotocol));
        }
        let handshake = tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await;
        let (socket, _) = handshake.map_err(io::Error::other)?;
        let mut seat = ConnectedSeat { protocol: endpoint.protocol, socket };
        if let Some(greeting) = seat.protocol.greeting() {
            seat.send(greeting).await?;
        }
        while !seat.receive().await?.is_seated {}
        Ok(seat)
    }

    pub(crate) async fn submit(&mut self, layout: u32) -> io::Result<()> {
        let message = self.protocol.submit(layout);
        self.send(message).await
    }

    /// Receives the next message, replies if the server expects it, and returns its meaning.
    pub(crate) async fn receive(&mut self) -> io::Result<ServerMessage> {
        let message = match self.socket.next().await {
            Some(message) => message.map_err(io::Error::other)?,
            None => return Err(io::Error::other("the server closed the connection")),
        };
        let mut meaning = self.protocol.interpret(&message);
        if let Some(reply) = meaning.reply.take() {
            self.send(reply).await?;
        }
        match meaning.refusal.take() {
            Some(reason) => Err(io::Error::other(format!("the server rejected a move: {reason}"))),
            None => Ok(meaning),
        }
    }

    async fn send(&mut self, message: Message) -> io::Result<()> {
        self.socket.send(message).await.map_err(io::Error::other)
    }
}
