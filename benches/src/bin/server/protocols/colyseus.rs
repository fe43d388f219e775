//! Colyseus: seats are reserved over HTTP, then binary frames follow, whose first byte is their type.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio_tungstenite::tungstenite::Message;

use super::{Protocol, ServerMessage};
use crate::http;

const JOIN_ROOM: u8 = 10;
const ERROR: u8 = 11;
const ROOM_DATA: u8 = 13;
const ROOM_STATE: u8 = 14;
const ROOM_STATE_PATCH: u8 = 15;

/// The start of a message of this name: 0xa3 is MessagePack's header for a string of three bytes.
const LAY: [u8; 5] = [ROOM_DATA, 0xa3, b'l', b'a', b'y'];
const ACK: [u8; 5] = [ROOM_DATA, 0xa3, b'a', b'c', b'k'];

/// A seat on Colyseus.
pub(crate) struct Colyseus;

impl Protocol for Colyseus {
    fn submit(&mut self, layout: u32) -> Message {
        // MessagePack encodes a number below 128 as one byte.
        let mut message = LAY.to_vec();
        message.push(layout as u8);
        Message::binary(message)
    }

    fn interpret(&mut self, message: &Message) -> ServerMessage {
        let Message::Binary(bytes) = message else { return ServerMessage::default() };
        match bytes.first().copied() {
            Some(JOIN_ROOM) => ServerMessage::reply(Message::binary(vec![JOIN_ROOM])),
            Some(ROOM_STATE) => ServerMessage::seated(),
            Some(ROOM_STATE_PATCH) => ServerMessage { may_move: true, ..ServerMessage::default() },
            Some(ROOM_DATA) if bytes.starts_with(&ACK) => {
                ServerMessage { is_accepted: true, ..ServerMessage::default() }
            }
            Some(ROOM_DATA | ERROR) => ServerMessage::refusal(&String::from_utf8_lossy(bytes)),
            _ => ServerMessage::default(),
        }
    }
}

/// Opens a room and reserves both its seats. Returns their WebSocket paths.
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
    value.as_str().ok_or_else(|| io::Error::other("the reservation has no room, process or session id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks_and_patches_are_distinguished() {
        let interpret = |bytes: &[u8]| Colyseus.interpret(&Message::binary(bytes.to_vec()));
        assert!(interpret(&[13, 0xa3, b'a', b'c', b'k', 7]).is_accepted);
        assert!(interpret(&[15, 0x80, 1]).may_move);
        assert!(interpret(&[13, 0xa2, b'n', b'o']).refusal.is_some());
    }

    #[test]
    fn the_path_is_built_from_the_reservation() {
        let reservation = serde_json::json!({"room": {"processId": "p", "roomId": "r"}, "sessionId": "s"});
        assert_eq!(path(&reservation).expect("it is complete"), "/p/r?sessionId=s");
    }
}
