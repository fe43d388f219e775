//! The few words of the [ceiling](crate::ceiling).

use tokio_tungstenite::tungstenite::Message;

use super::{Heard, Protocol};

/// A seat at the ceiling.
pub(crate) struct Ceiling;

impl Protocol for Ceiling {
    fn submit(&mut self, layout: u32) -> Message {
        Message::text(format!(r#"{{"layout":{layout}}}"#))
    }

    fn hear(&mut self, message: &Message) -> Heard {
        let text = message.to_text().unwrap_or_default();
        Heard {
            is_seated: text.starts_with(r#"{"seated""#),
            is_accepted: text.starts_with(r#"{"ack""#),
            may_move: text.starts_with(r#"{"round""#),
            ..Heard::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ack_is_not_yet_the_next_round() {
        let heard = Ceiling.hear(&Message::text(r#"{"ack":3}"#));
        assert!(heard.is_accepted && !heard.may_move);
        let heard = Ceiling.hear(&Message::text(r#"{"round":3,"hp":[8,10]}"#));
        assert!(!heard.is_accepted && heard.may_move);
    }
}
