//! boardgame.io: Socket.IO over Engine.IO text frames, the whole state after every move.
//!
//! `0{…}` opens, `40/duel,` joins the game's namespace, `42/duel,[…]` are its
//! messages, `2` wants to hear `3`. The state has `laid`, the number of layouts
//! each seat has confirmed (see `boardgame.mjs`).

use tokio_tungstenite::tungstenite::Message;

use super::{Heard, Protocol};

/// Where Socket.IO listens for WebSockets.
pub(crate) const PATH: &str = "/socket.io/?EIO=4&transport=websocket";

/// A seat at boardgame.io.
pub(crate) struct Boardgame {
    match_id: String,
    seat: usize,
    submitted: u64,
    accepted: u64,
    rounds: u64,
}

impl Boardgame {
    /// The seat of a match, which begins when somebody first asks for it.
    pub(crate) fn new(match_number: u32, seat: usize) -> Boardgame {
        Boardgame { match_id: format!("m{match_number}"), seat, submitted: 0, accepted: 0, rounds: 0 }
    }

    fn sync(&self) -> String {
        format!(r#"42/duel,["sync","{}","{}",null,2]"#, self.match_id, self.seat)
    }

    fn hear_update(&mut self, text: &str) -> Heard {
        let Some(laid) = laid(text) else { return Heard::refusal(text) };
        let (is_accepted, may_move) =
            (laid[self.seat] > self.accepted, laid[0] == laid[1] && laid[0] > self.rounds);
        self.accepted = laid[self.seat];
        if may_move {
            self.rounds = laid[0];
        }
        Heard { is_accepted, may_move, ..Heard::default() }
    }
}

impl Protocol for Boardgame {
    fn submit(&mut self, layout: u32) -> Message {
        let (seat, match_id) = (self.seat, &self.match_id);
        let action = format!(
            r#"{{"type":"MAKE_MOVE","payload":{{"type":"lay","args":[{layout}],"playerID":"{seat}"}}}}"#
        );
        // The number of the state may be stale by then, which this move allows.
        let message = format!(r#"42/duel,["update",{action},{},"{match_id}","{seat}"]"#, self.submitted);
        self.submitted += 1;
        Message::text(message)
    }

    fn hear(&mut self, message: &Message) -> Heard {
        let text = message.to_text().unwrap_or_default();
        match text.strip_prefix("42/duel,[") {
            Some(said) if said.starts_with(r#""update""#) => self.hear_update(said),
            Some(said) if said.starts_with(r#""sync""#) => Heard::seated(),
            Some(_) => Heard::default(),
            None if text == "2" => Heard::reply("3"),
            None if text.starts_with("40") => Heard::reply(self.sync()),
            None if text.starts_with('0') => Heard::reply("40/duel,"),
            None => Heard::refusal(text),
        }
    }
}

/// The two numbers of `"laid":[…]`.
fn laid(text: &str) -> Option<[u64; 2]> {
    const KEY: &str = r#""laid":["#;
    let (numbers, _) = text[text.find(KEY)? + KEY.len()..].split_once(']')?;
    let (first, second) = numbers.split_once(',')?;
    Some([first.parse().ok()?, second.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(laid: &str) -> Message {
        Message::text(format!(r#"42/duel,["update","m1",{{"G":{{"laid":[{laid}],"ended":0}}}},[]]"#))
    }

    #[test]
    fn the_other_seats_move_accepts_nothing_of_mine() {
        let mut seat = Boardgame::new(1, 0);
        assert_eq!(seat.hear(&update("0,1")), Heard::default());
        let heard = seat.hear(&update("1,1"));
        assert!(heard.is_accepted && heard.may_move);
    }

    #[test]
    fn the_first_of_a_round_waits_for_the_second() {
        let mut seat = Boardgame::new(1, 1);
        let heard = seat.hear(&update("0,1"));
        assert!(heard.is_accepted && !heard.may_move);
        let heard = seat.hear(&update("1,1"));
        assert!(!heard.is_accepted && heard.may_move);
    }

    #[test]
    fn a_ping_is_answered() {
        assert_eq!(Boardgame::new(1, 0).hear(&Message::text("2")), Heard::reply("3"));
    }
}
