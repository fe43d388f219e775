//! The messages on the wire, with their schemas.
//!
//! [`ClientFrame`] and [`ServerFrame`] go over WebSockets; what goes wrong is a
//! [`Problem`], there and over HTTP. Views go as JSON text ([`json`]), their
//! changes as patches ([`patch`]) with the hash of what they lead to
//! ([`view_hash`]). What views, events and questions of one ruleset look like
//! tells its [`ruleset_schema()`]; what to show them with, its [`ruleset_table()`].

mod control;
mod depth;
mod frames;
mod hash;
pub mod json;
pub mod patch;
mod problem;
pub mod resources;
mod ruleset_schema;
mod ruleset_table;

pub use control::{Ahead, Control, Pot, Until};
pub use depth::is_too_deep;
pub use frames::{
    Action, Bank, ClientFrame, Drag, Following, Limits, Notice, SUBPROTOCOL, Seated, ServerFrame,
};
pub use hash::{text_hash, view_hash};
pub use problem::{Code, Problem};
pub use ruleset_schema::ruleset_schema;
pub use ruleset_table::{
    DefWords, EventWords, KindWords, PhaseWords, RulesetTable, ZoneSight, ZoneWords, ruleset_table,
};
