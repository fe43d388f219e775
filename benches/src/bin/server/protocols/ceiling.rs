//! The protocol of the [ceiling](crate::ceiling).

use tokio_tungstenite::tungstenite::Message;

use super::{Protocol, ServerMessage};

/// A seat on the ceiling.
pub(crate) struct Ceiling;

impl Protocol for Ceiling {
    fn submit(&mut self, layout: u32) -> Message {
        Message::text(format!(r#"{{"layout":{layout}}}"#))
    }

    fn interpret(&mut self, message: &Message) -> ServerMessage {
        let text = message.to_text().unwrap_or_default();
        ServerMessage {
            is_seated: text.starts_with(r#"{"seated""#),
            is_accepted: text.starts_with(r#"{"ack""#),
            may_move: text.starts_with(r#"{"round""#),
            ..ServerMessage::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_does_not_start_the_next_round() {
        let meaning = Ceiling.interpret(&Message::text(r#"{"ack":3}"#));
        assert!(meaning.is_accepted && !meaning.may_move);
        let meaning = Ceiling.interpret(&Message::text(r#"{"round":3,"hp":[8,10]}"#));
        assert!(!meaning.is_accepted && meaning.may_move);
    }
}
