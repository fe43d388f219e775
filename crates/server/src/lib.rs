//! HTTP and WebSocket, one task per match.
//!
//! [`Server::start`] opens the store, publishes the rulesets it is given and
//! listens. Around matches there is the [`house`]; matches that are being played are
//! `room`s; `http` and `ws` are the ways in. The server knows no rule.

/// Whether a bug is planted; never, unless that is what the server was built for.
#[cfg(feature = "planted")]
macro_rules! planted {
    ($bug:ident) => {
        crate::planted::has(crate::planted::Bug::$bug)
    };
}
#[cfg(not(feature = "planted"))]
macro_rules! planted {
    ($bug:ident) => {
        false
    };
}

mod alive;
mod app;
mod bus;
mod config;
mod delayed;
mod dev;
pub mod house;
mod http;
mod inspection;
mod messages;
mod migration;
mod nats;
mod neighbours;
mod node;
mod operator;
mod outbox;
#[cfg(feature = "planted")]
pub mod planted;
mod refusing;
mod room;
mod running;
mod secret;
mod server;
mod sockets;
mod tasks;
mod throttle;
mod upkeep;
mod wire;
mod ws;

pub use bus::{Bus, News, NewsBox, Topic};
pub use config::{Config, Limits};
pub use http::{asyncapi_document, dev_openapi_document, openapi_document};
pub use inspection::{Inspection, Told, timeless};
pub use migration::{Difference, Rehearsed};
pub use node::{Asked, Company, Line, Node};
pub use operator::Operator;
pub use room::{OpenedQuestion, RowInfo, command_digest};
pub use running::{LogFormat, run};
pub use secret::SecretUrl;
pub use server::{Bundled, Server, ServerError, open_store};
