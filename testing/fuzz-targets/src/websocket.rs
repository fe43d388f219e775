//! Fuzz target: the bytes that a client sends over a WebSocket.
//!
//! However the bytes are cut, the reader returns the same messages and the same error, and no message is too large.

use intermezzo_protocol::websocket::{ClientMessage, MessageReader, WebSocketError};

const MAX_BYTES: usize = 1_000;

pub(crate) fn websocket(data: &[u8]) {
    let whole = read(data, usize::MAX);
    for chunk in [1, 3, 64] {
        assert_eq!(read(data, chunk), whole, "in chunks of {chunk}");
    }
    for message in &whole.0 {
        match message {
            ClientMessage::Text(text) => assert!(text.len() <= MAX_BYTES),
            ClientMessage::Ping(bytes) | ClientMessage::Pong(bytes) | ClientMessage::Close(bytes) => {
                assert!(bytes.len() <= 125, "control frames are short");
            }
            ClientMessage::Binary | ClientMessage::Fragment => {}
        }
    }
}

/// Reads bytes that arrive in chunks of this size.
fn read(data: &[u8], chunk: usize) -> (Vec<ClientMessage>, Option<WebSocketError>) {
    let mut reader = MessageReader::new(Vec::new(), MAX_BYTES);
    let mut messages = Vec::new();
    for bytes in data.chunks(chunk) {
        reader.receive(bytes);
        loop {
            match reader.next_message() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

/// Returns the bytes of a few connections.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let text = br#"{"type":"hello"}"#;
    let long = [b'x'; 300];
    let conversations: [&[(u8, &[u8])]; 6] = [
        &[(0x81, text)],
        &[(0x81, text), (0x89, b"ping"), (0x8a, b""), (0x88, &[3, 232])],
        &[(0x01, b"gr"), (0x00, "ü".as_bytes()), (0x89, b""), (0x80, b"n")],
        &[(0x81, &long), (0x82, &long)],
        &[(0x01, &long), (0x00, &long), (0x00, &long), (0x80, &long)],
        &[(0x81, &[0xff, 0xfe]), (0xc1, b"x"), (0x83, b"")],
    ];
    conversations
        .iter()
        .map(|frames| frames.iter().flat_map(|(first, payload)| frame(*first, payload)).collect())
        .collect()
}

/// Returns a frame as a client sends it, with a mask.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASK: [u8; 4] = [7, 0, 200, 33];
    let mut frame = vec![first];
    match u8::try_from(payload.len()) {
        Ok(short) if short < 126 => frame.push(0x80 | short),
        _ => {
            frame.push(0x80 | 126);
            frame.extend_from_slice(&(payload.len() as u16).to_be_bytes());
        }
    }
    frame.extend_from_slice(&MASK);
    frame.extend(payload.iter().zip(MASK.into_iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}
