//! Colyseus: a seat is reserved over HTTP, then binary frames whose first byte says what they are.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use super::{Heard, Protocol};
use crate::http;

const JOIN_ROOM: u8 = 10;
const ERROR: u8 = 11;
const ROOM_DATA: u8 = 13;
const ROOM_STATE: u8 = 14;
const ROOM_STATE_PATCH: u8 = 15;

/// The start of a message with this name: as MessagePack writes a string of three letters.
const LAY: [u8; 5] = [ROOM_DATA, 0xa3, b'l', b'a', b'y'];
const ACK: [u8; 5] = [ROOM_DATA, 0xa3, b'a', b'c', b'k'];

/// A seat at Colyseus.
pub(crate) struct Colyseus;

impl Protocol for Colyseus {
    fn submit(&mut self, layout: u32) -> Message {
        // MessagePack writes a number below 128 as one byte.
        let mut message = LAY.to_vec();
        message.push(layout as u8);
        Message::binary(message)
    }

    fn hear(&mut self, message: &Message) -> Heard {
        let Message::Binary(bytes) = message else { return Heard::default() };
        match bytes.first().copied() {
            Some(JOIN_ROOM) => Heard::reply(Message::binary(vec![JOIN_ROOM])),
            Some(ROOM_STATE) => Heard::seated(),
            Some(ROOM_STATE_PATCH) => Heard { may_move: true, ..Heard::default() },
            Some(ROOM_DATA) if bytes.starts_with(&ACK) => Heard { is_accepted: true, ..Heard::default() },
            Some(ROOM_DATA | ERROR) => Heard::refusal(&String::from_utf8_lossy(bytes)),
            _ => Heard::default(),
        }
    }
}

/// Opens a room and reserves both its seats. Gives where their sockets connect.
pub(crate) async fn reserve(server: SocketAddr) -> io::Result<[String; 2]> {
    let created = http::post(server, "/matchmake/create/duel", "{}").await?;
    let room = text(&created["room"]["roomId"])?;
    let joined = http::post(server, &format!("/matchmake/joinById/{room}"), "{}").await?;
    Ok([path(&created)?, path(&joined)?])
}

fn path(reservation: &Value) -> io::Result<String> {
    let room = &reservation["room"];
    let (process, room) = (text(&room["processId"])?, text(&room["roomId"])?);
    Ok(format!("/{process}/{room}?sessionId={}", text(&reservation["sessionId"])?))
}

fn text(value: &Value) -> io::Result<&str> {
    value.as_str().ok_or_else(|| io::Error::other("the reservation of a seat lacks something"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks_and_patches_are_told_apart() {
        let hear = |bytes: &[u8]| Colyseus.hear(&Message::binary(bytes.to_vec()));
        assert!(hear(&[13, 0xa3, b'a', b'c', b'k', 7]).is_accepted);
        assert!(hear(&[15, 0x80, 1]).may_move);
        assert!(hear(&[13, 0xa2, b'n', b'o']).refusal.is_some());
    }

    #[test]
    fn both_parts_of_a_reservation_make_the_path() {
        let reservation = serde_json::json!({"room": {"processId": "p", "roomId": "r"}, "sessionId": "s"});
        assert_eq!(path(&reservation).expect("it is complete"), "/p/r?sessionId=s");
    }
}
