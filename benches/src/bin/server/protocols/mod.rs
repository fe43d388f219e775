//! How a seat speaks with each server, without its socket.
//!
//! A server is added by one file here that implements [`Protocol`], and one
//! variant of [`crate::system::System`].

pub(crate) mod boardgame;
pub(crate) mod ceiling;
pub(crate) mod colyseus;
pub(crate) mod intermezzo;

use tokio_tungstenite::tungstenite::Message;

/// One seat of one match, as its server wants to be spoken to.
pub(crate) trait Protocol: Send {
    /// What is sent once the socket is open, if it is on the client to begin.
    fn greeting(&self) -> Option<Message> {
        None
    }

    /// Lays out the cards of one of the 24 layouts.
    fn submit(&mut self, layout: u32) -> Message;

    /// Takes in what the server said.
    fn hear(&mut self, message: &Message) -> Heard;
}

/// What a message of the server means to a seat.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The seat is taken and the match can begin.
    pub(crate) is_seated: bool,
    /// The last move was accepted.
    pub(crate) is_accepted: bool,
    /// The round is over: the seat may move again.
    pub(crate) may_move: bool,
    /// The server wants an answer.
    pub(crate) reply: Option<Message>,
    /// The server will not have what was sent.
    pub(crate) refusal: Option<String>,
}

impl Heard {
    fn seated() -> Heard {
        Heard { is_seated: true, ..Heard::default() }
    }

    fn reply(message: impl Into<Message>) -> Heard {
        Heard { reply: Some(message.into()), ..Heard::default() }
    }

    fn refusal(reason: &str) -> Heard {
        Heard { refusal: Some(reason.to_owned()), ..Heard::default() }
    }
}
