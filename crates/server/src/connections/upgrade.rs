//! The start of a WebSocket, and the count of the fragments that arrive over it. Start with [`Upgrade`].
//!
//! The WebSocket library passes on whole messages only. A client could send the fragments of one message forever, and none
//! would count against its rate limit. So the socket itself counts them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use governor::DefaultDirectRateLimiter;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use intermezzo_protocol::{Code, Problem};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::connections::outbox::{CloseReason, Outbox};

/// Small buffers: most frames are short, and connections are many.
const BUFFER_BYTES: usize = 4 * 1024;
/// The only version of the WebSocket protocol.
const WEBSOCKET_VERSION: &str = "13";
/// Longest head of a frame: two bytes, eight of length, four of the mask.
const MAX_HEAD: usize = 14;

/// A WebSocket of the server.
pub(crate) type ClientSocket = WebSocketStream<FragmentCounter<TokioIo<Upgraded>>>;

/// A request to continue as a WebSocket.
pub(crate) struct Upgrade {
    /// The answer to the client's key.
    accept: HeaderValue,
    offered_protocols: HeaderMap,
    upgraded: OnUpgrade,
}

impl Upgrade {
    /// Reads the request of a client that wants a WebSocket.
    pub(crate) fn from_request(mut request: Request) -> Result<Upgrade, Problem> {
        let malformed = |detail: &str| Problem::new(Code::Malformed, detail);
        let upgraded = request.extensions_mut().remove::<OnUpgrade>();
        let headers = request.headers();
        let has = |name, word: &str| tokens(headers, &name).any(|token| token.eq_ignore_ascii_case(word));
        if !has(header::CONNECTION, "upgrade") || !has(header::UPGRADE, "websocket") {
            return Err(malformed(
                "a WebSocket needs the headers `connection: upgrade` and `upgrade: websocket`",
            ));
        }
        if !has(header::SEC_WEBSOCKET_VERSION, WEBSOCKET_VERSION) {
            return Err(malformed("`sec-websocket-version` must be 13"));
        }
        let key = headers.get(&header::SEC_WEBSOCKET_KEY);
        let key = key.ok_or_else(|| malformed("the header `sec-websocket-key` is missing"))?;
        let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes()));
        let accept = accept.map_err(|_| malformed("`sec-websocket-key` is invalid"))?;
        let upgraded = upgraded.ok_or_else(|| malformed("this connection cannot become a WebSocket"))?;
        let offered = headers.get_all(&header::SEC_WEBSOCKET_PROTOCOL).iter();
        let offered_protocols =
            offered.map(|protocol| (header::SEC_WEBSOCKET_PROTOCOL, protocol.clone())).collect();
        Ok(Upgrade { accept, offered_protocols, upgraded })
    }

    /// Returns true if the client offers a subprotocol.
    pub(crate) fn offers(&self, subprotocol: &str) -> bool {
        tokens(&self.offered_protocols, &header::SEC_WEBSOCKET_PROTOCOL).any(|offered| offered == subprotocol)
    }

    /// Returns the response that accepts the WebSocket, with this subprotocol if the client offers it, and runs a task with
    /// the connection.
    pub(crate) fn accept<F, T>(self, subprotocol: Option<&'static str>, task: F) -> Response
    where
        F: FnOnce(Upgraded) -> T + Send + 'static,
        T: Future<Output = ()> + Send,
    {
        let subprotocol = subprotocol.filter(|name| self.offers(name));
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(subprotocol) = subprotocol {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(subprotocol));
        }
        let upgraded = self.upgraded;
        tokio::spawn(async move {
            match upgraded.await {
                Ok(upgraded) => Box::pin(task(upgraded)).await,
                Err(error) => tracing::debug!(%error, "a connection did not become a WebSocket"),
            }
        });
        response
    }
}

/// Returns the comma-separated values of a header.
fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Opens a WebSocket on a connection. Fragments beyond the rate limit close it.
pub(crate) async fn open_socket(
    upgraded: Upgraded,
    message_bytes: usize,
    rate_limiter: Arc<DefaultDirectRateLimiter>,
    outbox: Outbox,
) -> ClientSocket {
    // The write buffer has no limit of its own: a view may be large, the next frame waits until the socket takes it, and the
    // outbox limits what waits.
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_message_size(Some(message_bytes))
        .max_frame_size(Some(message_bytes));
    let stream = FragmentCounter {
        stream: TokioIo::new(upgraded),
        heads: FrameHeads::default(),
        rate_limiter,
        outbox,
        is_exceeded: false,
    };
    WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await
}

/// A socket that counts the continuation frames it reads against a rate limit. Whole messages are counted where they are
/// handled.
pub(crate) struct FragmentCounter<S> {
    stream: S,
    heads: FrameHeads,
    rate_limiter: Arc<DefaultDirectRateLimiter>,
    outbox: Outbox,
    is_exceeded: bool,
}

impl<S: AsyncRead + Unpin> AsyncRead for FragmentCounter<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let filled = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.is_exceeded {
            return read;
        }
        let fragments = self.heads.count_continuations(&buffer.filled()[filled..]);
        for _ in 0..fragments {
            if self.rate_limiter.check().is_err() {
                self.outbox.close(CloseReason::RateLimited);
                self.is_exceeded = true;
                break;
            }
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FragmentCounter<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// A reader of the heads of frames in a stream of bytes (RFC 6455, section 5.2).
#[derive(Default)]
struct FrameHeads {
    head: [u8; MAX_HEAD],
    head_bytes: usize,
    /// Bytes of the current frame's payload that have not arrived.
    payload_left: u64,
}

impl FrameHeads {
    /// Returns the number of continuation frames whose heads end in these bytes.
    fn count_continuations(&mut self, mut bytes: &[u8]) -> usize {
        let mut count = 0;
        loop {
            let skipped = usize::try_from(self.payload_left).unwrap_or(usize::MAX).min(bytes.len());
            self.payload_left -= skipped as u64;
            let Some((first, rest)) = bytes[skipped..].split_first() else { return count };
            self.head[self.head_bytes] = *first;
            self.head_bytes += 1;
            bytes = rest;
            if let Some(payload) = self.payload_length() {
                count += usize::from(self.head[0] & 0x0f == 0);
                self.payload_left = payload;
                self.head_bytes = 0;
            }
        }
    }

    /// Returns the length of the payload once the head is whole.
    fn payload_length(&self) -> Option<u64> {
        let short = self.head[1] & 0x7f;
        let length_bytes = match short {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mask_bytes = if self.head[1] & 0x80 == 0 { 0 } else { 4 };
        if self.head_bytes < 2 || self.head_bytes < 2 + length_bytes + mask_bytes {
            return None;
        }
        let long =
            self.head[2..2 + length_bytes].iter().fold(0, |length, byte| length << 8 | u64::from(*byte));
        Some(if length_bytes == 0 { u64::from(short) } else { long })
    }
}

#[cfg(test)]
mod tests {
    use super::FrameHeads;

    #[test]
    fn heads_are_found_however_the_bytes_are_cut() {
        let mut bytes = Vec::new();
        // Text, continuations of three lengths, a ping between them, and payloads that look like heads.
        for (first, length) in [(0x01, 3), (0x00, 0), (0x89, 5), (0x00, 200), (0x80, 70_000_usize), (0x81, 1)]
        {
            bytes.push(first);
            match length {
                0..126 => bytes.push(0x80 | length as u8),
                126..65_536 => bytes.extend([&[0xfe][..], &(length as u16).to_be_bytes()].concat()),
                _ => bytes.extend([&[0xff][..], &(length as u64).to_be_bytes()].concat()),
            }
            bytes.extend([0; 4]);
            bytes.resize(bytes.len() + length, 0);
        }
        for size in [1, 2, 3, 7, 64, 4_096, bytes.len()] {
            let mut heads = FrameHeads::default();
            let count: usize = bytes.chunks(size).map(|chunk| heads.count_continuations(chunk)).sum();
            assert_eq!(count, 3, "in chunks of {size}");
            assert_eq!((heads.head_bytes, heads.payload_left), (0, 0));
        }
    }
}
