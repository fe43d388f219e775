//! The frames of a WebSocket (RFC 6455), on the server's side. Start with [`MessageReader`] and [`FrameWriter`].

/// Greatest input buffer that an idle reader keeps.
const IDLE_INPUT_BYTES: usize = 256;
/// Number of bytes from which on frames should leave, even if more are ready.
const WRITE_BYTES: usize = 64 * 1024;
/// Greatest payload of a control frame.
const MAX_CONTROL_BYTES: usize = 125;

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
/// Bit of the last frame of a message.
const FINAL: u8 = 0x80;

/// A message of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientMessage {
    Text(String),
    /// The server reads no binary messages.
    Binary,
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    /// A frame of a message that goes on. A client could send such frames forever.
    Fragment,
    /// The client closes the connection.
    Close(Vec<u8>),
}

/// The reason why a client's messages cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WebSocketError {
    #[error("a message is too large")]
    TooLarge,
    #[error("a text is not UTF-8")]
    NotUtf8,
    #[error("a frame breaks the protocol: {0}")]
    BrokenFrame(&'static str),
}

/// A writer of frames to be sent together.
#[derive(Debug)]
pub struct FrameWriter<'a>(&'a mut Vec<u8>);

impl<'a> FrameWriter<'a> {
    /// Creates a writer that appends to these bytes.
    pub fn new(bytes: &'a mut Vec<u8>) -> FrameWriter<'a> {
        FrameWriter(bytes)
    }

    /// Adds a text message.
    pub fn text(&mut self, text: &str) {
        self.frame(TEXT, text.as_bytes());
    }

    /// Adds a ping.
    pub fn ping(&mut self, payload: &[u8]) {
        self.frame(PING, payload);
    }

    /// Adds the answer to a ping.
    pub fn pong(&mut self, payload: &[u8]) {
        self.frame(PONG, payload);
    }

    /// Adds the last frame, with the reason for the end.
    pub fn close(&mut self, code: u16, reason: &str) {
        let mut payload = code.to_be_bytes().to_vec();
        payload.extend_from_slice(reason.as_bytes());
        self.close_with(&payload);
    }

    /// Adds the last frame, with this payload.
    pub fn close_with(&mut self, payload: &[u8]) {
        self.frame(CLOSE, payload);
    }

    /// Returns true if the frames should leave before more are added.
    pub fn is_full(&self) -> bool {
        self.0.len() >= WRITE_BYTES
    }

    fn frame(&mut self, opcode: u8, payload: &[u8]) {
        self.0.push(FINAL | opcode);
        match payload.len() {
            short @ 0..126 => self.0.push(short as u8),
            medium @ 126..0x1_0000 => {
                self.0.push(126);
                self.0.extend_from_slice(&(medium as u16).to_be_bytes());
            }
            long => {
                self.0.push(127);
                self.0.extend_from_slice(&(long as u64).to_be_bytes());
            }
        }
        self.0.extend_from_slice(payload);
    }
}

/// A reader of messages in a stream of bytes.
#[derive(Debug)]
pub struct MessageReader {
    input: Vec<u8>,
    /// Start of the bytes that are not read yet.
    read: usize,
    /// The beginning of a message that goes on.
    begun: Option<Box<BegunMessage>>,
    max_bytes: usize,
}

#[derive(Debug)]
struct BegunMessage {
    opcode: u8,
    payload: Vec<u8>,
}

/// The head of a frame.
struct FrameHead {
    is_final: bool,
    opcode: u8,
    mask: [u8; 4],
    /// Size of the head.
    bytes: usize,
    payload_bytes: usize,
}

impl MessageReader {
    /// Creates a reader that has received these bytes. Messages may have that many.
    #[must_use]
    pub fn new(input: Vec<u8>, max_bytes: usize) -> MessageReader {
        MessageReader { input, read: 0, begun: None, max_bytes }
    }

    /// Adds bytes that have arrived.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
    }

    /// Returns the next message if it has arrived whole.
    ///
    /// # Errors
    ///
    /// If the client breaks the protocol, or a message is too large. The connection cannot be used any more.
    pub fn next_message(&mut self) -> Result<Option<ClientMessage>, WebSocketError> {
        let Some(head) = self.next_head()? else {
            self.drop_read_input();
            return Ok(None);
        };
        let start = self.read + head.bytes;
        let Some(masked) = self.input.get(start..start + head.payload_bytes) else {
            self.drop_read_input();
            return Ok(None);
        };
        let payload = unmask(masked, head.mask);
        self.read = start + head.payload_bytes;
        self.message(&head, payload).map(Some)
    }

    fn next_head(&self) -> Result<Option<FrameHead>, WebSocketError> {
        let bytes = &self.input[self.read..];
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        let (is_final, opcode) = (first & FINAL != 0, first & 0x0f);
        if first & 0x70 != 0 {
            return Err(WebSocketError::BrokenFrame("a reserved bit is set"));
        }
        if !matches!(opcode, CONTINUATION | TEXT | BINARY | CLOSE | PING | PONG) {
            return Err(WebSocketError::BrokenFrame("the opcode is unknown"));
        }
        if second & 0x80 == 0 {
            return Err(WebSocketError::BrokenFrame("a client's frame is not masked"));
        }
        let length_bytes = match second & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let Some((length, rest)) = rest.split_at_checked(length_bytes) else { return Ok(None) };
        let length = match length_bytes {
            0 => u64::from(second & 0x7f),
            _ => length.iter().fold(0, |length, byte| length << 8 | u64::from(*byte)),
        };
        let is_control = opcode & 0x08 != 0;
        if is_control && (!is_final || length > MAX_CONTROL_BYTES as u64) {
            return Err(WebSocketError::BrokenFrame("a control frame is too long or a fragment"));
        }
        let begun = self.begun.as_ref().filter(|_| !is_control).map_or(0, |begun| begun.payload.len());
        let payload_bytes = usize::try_from(length).unwrap_or(usize::MAX);
        if payload_bytes.saturating_add(begun) > self.max_bytes.max(MAX_CONTROL_BYTES) {
            return Err(WebSocketError::TooLarge);
        }
        let Some(mask) = rest.first_chunk() else { return Ok(None) };
        Ok(Some(FrameHead { is_final, opcode, mask: *mask, bytes: 2 + length_bytes + 4, payload_bytes }))
    }

    fn message(&mut self, head: &FrameHead, payload: Vec<u8>) -> Result<ClientMessage, WebSocketError> {
        let (opcode, payload) = match (head.opcode, self.begun.take()) {
            (CONTINUATION, None) => {
                return Err(WebSocketError::BrokenFrame("a continuation without a beginning"));
            }
            (CONTINUATION, Some(mut begun)) => {
                begun.payload.extend_from_slice(&payload);
                (begun.opcode, begun.payload)
            }
            (TEXT | BINARY, Some(_)) => {
                return Err(WebSocketError::BrokenFrame("a message begins before the last one ends"));
            }
            (opcode, begun) => {
                self.begun = begun;
                (opcode, payload)
            }
        };
        if !head.is_final {
            self.begun = Some(Box::new(BegunMessage { opcode, payload }));
            return Ok(ClientMessage::Fragment);
        }
        Ok(match opcode {
            TEXT => ClientMessage::Text(String::from_utf8(payload).map_err(|_| WebSocketError::NotUtf8)?),
            PING => ClientMessage::Ping(payload),
            PONG => ClientMessage::Pong(payload),
            CLOSE => ClientMessage::Close(payload),
            _ => ClientMessage::Binary,
        })
    }

    fn drop_read_input(&mut self) {
        self.input.drain(..self.read);
        self.read = 0;
        if self.input.is_empty() && self.input.capacity() > IDLE_INPUT_BYTES {
            self.input = Vec::new();
        }
    }
}

fn unmask(masked: &[u8], mask: [u8; 4]) -> Vec<u8> {
    let mut payload = masked.to_vec();
    let mut chunks = payload.chunks_exact_mut(4);
    for chunk in &mut chunks {
        chunk.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    }
    chunks.into_remainder().iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 100_000;

    /// Returns a client's frame.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut written = Vec::new();
        FrameWriter::new(&mut written).frame(first & 0x0f, payload);
        written[0] = first;
        written[1] |= 0x80;
        let head = written.len() - payload.len();
        let mask = [7, 0, 200, 33];
        written.splice(head..head, mask);
        written[head + 4..].iter_mut().zip(mask.into_iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
        written
    }

    fn read(bytes: &[u8], chunk: usize) -> Result<Vec<ClientMessage>, WebSocketError> {
        let mut reader = MessageReader::new(Vec::new(), MAX);
        let mut messages = Vec::new();
        for chunk in bytes.chunks(chunk) {
            reader.receive(chunk);
            while let Some(message) = reader.next_message()? {
                messages.push(message);
            }
        }
        assert_eq!((reader.input.len(), reader.read), (0, 0), "everything is read");
        assert!(reader.input.capacity() <= IDLE_INPUT_BYTES);
        Ok(messages)
    }

    #[test]
    fn messages_are_read_however_the_bytes_are_cut() {
        let long = "x".repeat(70_000);
        let bytes = [
            frame(0x81, b"short"),
            frame(0x01, "gr\u{fc}".as_bytes()),
            frame(0x89, b"are you there"),
            frame(0x00, &"x".repeat(200).into_bytes()),
            frame(0x80, long.as_bytes()),
            frame(0x82, &[0, 159]),
            frame(0x8a, &[]),
            frame(0x88, &[3, 232]),
        ]
        .concat();
        let fragmented = format!("gr\u{fc}{}{long}", "x".repeat(200));
        let expected = vec![
            ClientMessage::Text("short".to_owned()),
            ClientMessage::Fragment,
            ClientMessage::Ping(b"are you there".to_vec()),
            ClientMessage::Fragment,
            ClientMessage::Text(fragmented),
            ClientMessage::Binary,
            ClientMessage::Pong(Vec::new()),
            ClientMessage::Close(vec![3, 232]),
        ];
        for chunk in [1, 2, 3, 7, 4_096, bytes.len()] {
            assert_eq!(read(&bytes, chunk).unwrap(), expected, "in chunks of {chunk}");
        }
    }

    #[test]
    fn broken_frames_are_rejected() {
        let mut unmasked = frame(0x81, b"text");
        unmasked[1] &= 0x7f;
        let endless = [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff].to_vec();
        let half = frame(0x01, &[b'x'; MAX / 2]);
        let rest = frame(0x80, &[b'x'; MAX / 2 + 1]);
        let broken = [
            (frame(0xc1, b"x"), "reserved bit"),
            (frame(0x83, b"x"), "opcode"),
            (unmasked, "not masked"),
            (frame(0x80, b"x"), "without a beginning"),
            ([frame(0x01, b"x"), frame(0x81, b"y")].concat(), "begins before"),
            (frame(0x09, b"x"), "control frame"),
            (frame(0x89, &[0; 126]), "control frame"),
            (frame(0x81, &[0xff]), "not UTF-8"),
            (endless, "too large"),
            (frame(0x82, &[0; MAX + 1]), "too large"),
            ([half, rest].concat(), "too large"),
        ];
        for (bytes, why) in broken {
            let error = read(&bytes, 1).unwrap_err().to_string();
            assert!(error.contains(why), "{error}, not {why}");
        }
    }
}
