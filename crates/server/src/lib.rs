//! HTTP and WebSocket, one task per match.
