//! Several servers on one store: heartbeats, peers, and the bus between them.

pub(crate) mod availability;
pub(crate) mod bus;
pub(crate) mod heartbeat;
pub(crate) mod nats;
pub(crate) mod peers;
