//! The server's end of a WebSocket. Start with [`ClientSocket::next_message`] and [`ClientSocket::send`].
//!
//! Connections are many, and most of them idle. So a socket has no buffers of its own while nothing is under way: it reads and
//! writes through buffers that all sockets of a thread share. All frames that are ready leave in one system call.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use intermezzo_protocol::websocket::{ClientMessage, FrameWriter, MessageReader, WebSocketError};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;

use super::timed_stream::TimedStream;

/// Size of the buffer through which a thread reads.
const READ_BYTES: usize = 16 * 1024;
/// Greatest buffer that a thread keeps.
const KEPT_BYTES: usize = 256 * 1024;
/// Bytes that a socket takes before others of its thread have their turn: the system copies them, and on the same machine even
/// delivers them.
const SLICE_BYTES: usize = 128 * 1024;
thread_local! {
    static READ_BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into());
    static WRITE_BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The reason why a client's messages cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SocketError {
    #[error(transparent)]
    Protocol(#[from] WebSocketError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A WebSocket of the server.
#[derive(Debug)]
pub(crate) struct ClientSocket {
    stream: TcpStream,
    reader: MessageReader,
    /// Bytes that the client has not taken yet.
    unsent: Vec<u8>,
    /// Number of bytes at their start that it has taken meanwhile.
    taken: usize,
}

impl ClientSocket {
    /// Takes over a connection after its upgrade.
    ///
    /// # Errors
    ///
    /// If the connection is none of this server's sockets.
    pub(crate) fn from_upgraded(upgraded: Upgraded, max_message_bytes: usize) -> io::Result<ClientSocket> {
        let foreign = |_| io::Error::other("the connection is no socket of this server");
        let parts = upgraded.downcast::<TokioIo<TimedStream>>().map_err(foreign)?;
        Ok(ClientSocket {
            stream: parts.io.into_inner().into_socket(),
            reader: MessageReader::new(parts.read_buf.to_vec(), max_message_bytes),
            unsent: Vec::new(),
            taken: 0,
        })
    }

    /// Registers the socket with the runtime of the calling thread.
    pub(crate) fn move_here(self) -> io::Result<ClientSocket> {
        Ok(ClientSocket { stream: TcpStream::from_std(self.stream.into_std()?)?, ..self })
    }

    /// Waits for the next message; `None` at the end of the stream.
    pub(crate) async fn next_message(&mut self) -> Result<Option<ClientMessage>, SocketError> {
        poll_fn(|context| self.poll_message(context)).await
    }

    fn poll_message(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<ClientMessage>, SocketError>> {
        loop {
            if let Some(message) = self.reader.next_message()? {
                return Poll::Ready(Ok(Some(message)));
            }
            let ClientSocket { stream, reader, .. } = self;
            let count = READ_BUFFER.with_borrow_mut(|buffer| {
                let mut buffer = ReadBuf::new(buffer);
                ready!(Pin::new(stream).poll_read(context, &mut buffer))?;
                reader.receive(buffer.filled());
                Poll::Ready(io::Result::Ok(buffer.filled().len()))
            });
            if ready!(count)? == 0 {
                return Poll::Ready(Ok(None));
            }
        }
    }

    /// Sends frames, all in one system call if the client reads them. What it does not take stays
    /// [unsent](ClientSocket::flush).
    pub(crate) fn send(&mut self, write: impl FnOnce(&mut FrameWriter<'_>)) -> io::Result<()> {
        if self.has_unsent() {
            // An earlier frame is under way: the new ones must follow it.
            write(&mut FrameWriter::new(&mut self.unsent));
            return Ok(());
        }
        WRITE_BUFFER.with_borrow_mut(|buffer| {
            buffer.clear();
            write(&mut FrameWriter::new(buffer));
            let sent = try_write(&self.stream, buffer)?;
            self.unsent.extend_from_slice(&buffer[sent..]);
            if buffer.capacity() > KEPT_BYTES {
                *buffer = Vec::new();
            }
            Ok(())
        })
    }

    /// Returns true if the client has not taken everything yet.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Waits until the client has taken everything. Others have their turn in between.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        while self.taken < self.unsent.len() {
            self.stream.writable().await?;
            self.taken += try_write(&self.stream, &self.unsent[self.taken..])?;
            tokio::task::yield_now().await;
        }
        (self.unsent, self.taken) = (Vec::new(), 0);
        Ok(())
    }
}

/// Writes what the system takes at once, but no more than a slice. Returns the number of bytes.
fn try_write(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    match stream.try_write(&bytes[..bytes.len().min(SLICE_BYTES)]) {
        Ok(0) if !bytes.is_empty() => Err(io::ErrorKind::WriteZero.into()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
        written => written,
    }
}
