//! The protocol of each server, without its socket.
//!
//! To add a server, implement [`Protocol`] in a new file here and add a variant to
//! [`crate::system::ServerKind`].

pub(crate) mod boardgame;
pub(crate) mod ceiling;
pub(crate) mod colyseus;
pub(crate) mod intermezzo;

use tokio_tungstenite::tungstenite::Message;

/// The protocol of one seat of one match.
pub(crate) trait Protocol: Send {
    /// Returns the WebSocket subprotocol, if the client asks for one.
    fn subprotocol(&self) -> Option<&'static str> {
        None
    }

    /// Returns the first message, if the client sends one before the server.
    fn greeting(&self) -> Option<Message> {
        None
    }

    /// Returns the message that confirms one of the 24 layouts.
    fn submit(&mut self, layout: u32) -> Message;

    /// Interprets a message of the server.
    fn interpret(&mut self, message: &Message) -> ServerMessage;
}

/// The meaning of a server's message for a seat.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerMessage {
    /// The seat has joined and the match can start.
    pub(crate) is_seated: bool,
    /// The last move was accepted.
    pub(crate) is_accepted: bool,
    /// The round is over: the seat may move again.
    pub(crate) may_move: bool,
    /// The reply that the server expects.
    pub(crate) reply: Option<Message>,
    /// The reason why the server rejected a message.
    pub(crate) refusal: Option<String>,
}

impl ServerMessage {
    fn seated() -> ServerMessage {
        ServerMessage { is_seated: true, ..ServerMessage::default() }
    }

    fn reply(message: impl Into<Message>) -> ServerMessage {
        ServerMessage { reply: Some(message.into()), ..ServerMessage::default() }
    }

    fn refusal(reason: &str) -> ServerMessage {
        ServerMessage { refusal: Some(reason.to_owned()), ..ServerMessage::default() }
    }
}
