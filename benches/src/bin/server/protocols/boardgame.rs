//! boardgame.io: Socket.IO over Engine.IO text frames, the whole state after every move.
//!
//! `0{…}` opens, `40/duel,` joins the game's namespace, `42/duel,[…]` is a
//! message, `2` is a ping that expects `3`. The state has
//! `confirmed`, the number of layouts of each seat (see `boardgame.mjs`).

use tokio_tungstenite::tungstenite::Message;

use super::{Protocol, ServerMessage};

/// The WebSocket path of Socket.IO.
pub(crate) const PATH: &str = "/socket.io/?EIO=4&transport=websocket";

/// A seat on boardgame.io.
pub(crate) struct Boardgame {
    match_id: String,
    seat: usize,
    submitted: u64,
    accepted: u64,
    rounds: u64,
}

impl Boardgame {
    /// Creates a seat. The server creates the match on first use.
    pub(crate) fn new(match_number: u32, seat: usize) -> Boardgame {
        Boardgame { match_id: format!("m{match_number}"), seat, submitted: 0, accepted: 0, rounds: 0 }
    }

    fn sync(&self) -> String {
        format!(r#"42/duel,["sync","{}","{}",null,2]"#, self.match_id, self.seat)
    }

    fn interpret_update(&mut self, text: &str) -> ServerMessage {
        let Some(confirmed) = confirmed_layouts(text) else { return ServerMessage::refusal(text) };
        let (is_accepted, may_move) = (
            confirmed[self.seat] > self.accepted,
            confirmed[0] == confirmed[1] && confirmed[0] > self.rounds,
        );
        self.accepted = confirmed[self.seat];
        if may_move {
            self.rounds = confirmed[0];
        }
        ServerMessage { is_accepted, may_move, ..ServerMessage::default() }
    }
}

impl Protocol for Boardgame {
    fn submit(&mut self, layout: u32) -> Message {
        let (seat, match_id) = (self.seat, &self.match_id);
        let action = format!(
            r#"{{"type":"MAKE_MOVE","payload":{{"type":"lay","args":[{layout}],"playerID":"{seat}"}}}}"#
        );
        // The state number may be stale, which this move allows.
        let message = format!(r#"42/duel,["update",{action},{},"{match_id}","{seat}"]"#, self.submitted);
        self.submitted += 1;
        Message::text(message)
    }

    fn interpret(&mut self, message: &Message) -> ServerMessage {
        let text = message.to_text().unwrap_or_default();
        match text.strip_prefix("42/duel,[") {
            Some(body) if body.starts_with(r#""update""#) => self.interpret_update(body),
            Some(body) if body.starts_with(r#""sync""#) => ServerMessage::seated(),
            Some(_) => ServerMessage::default(),
            None if text == "2" => ServerMessage::reply("3"),
            None if text.starts_with("40") => ServerMessage::reply(self.sync()),
            None if text.starts_with('0') => ServerMessage::reply("40/duel,"),
            None => ServerMessage::refusal(text),
        }
    }
}

/// Returns the two numbers of `"confirmed":[…]`.
fn confirmed_layouts(text: &str) -> Option<[u64; 2]> {
    const KEY: &str = r#""confirmed":["#;
    let (numbers, _) = text[text.find(KEY)? + KEY.len()..].split_once(']')?;
    let (first, second) = numbers.split_once(',')?;
    Some([first.parse().ok()?, second.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(confirmed: &str) -> Message {
        Message::text(format!(
            r#"42/duel,["update","m1",{{"G":{{"confirmed":[{confirmed}],"ended":0}}}},[]]"#
        ))
    }

    #[test]
    fn the_other_seats_move_does_not_accept_mine() {
        let mut seat = Boardgame::new(1, 0);
        assert_eq!(seat.interpret(&update("0,1")), ServerMessage::default());
        let meaning = seat.interpret(&update("1,1"));
        assert!(meaning.is_accepted && meaning.may_move);
    }

    #[test]
    fn the_first_of_a_round_waits_for_the_second() {
        let mut seat = Boardgame::new(1, 1);
        let meaning = seat.interpret(&update("0,1"));
        assert!(meaning.is_accepted && !meaning.may_move);
        let meaning = seat.interpret(&update("1,1"));
        assert!(!meaning.is_accepted && meaning.may_move);
    }

    #[test]
    fn a_ping_is_answered() {
        assert_eq!(Boardgame::new(1, 0).interpret(&Message::text("2")), ServerMessage::reply("3"));
    }
}
