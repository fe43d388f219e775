//! Client connections: sockets, WebSocket frames, outgoing queues, delayed spectators.

mod client_socket;
pub(crate) mod custom_messages;
pub(crate) mod frame_text;
pub(crate) mod listener;
pub(crate) mod outbox;
pub(crate) mod spectator_delay;
mod timed_stream;
mod upgrade;
pub(crate) mod view_hashes;
pub(crate) mod websocket;
