//! HTTP and WebSocket, one task per match.

pub mod house;
