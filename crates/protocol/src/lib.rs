//! The messages on the wire, with their schemas.
//!
//! [`ClientFrame`] and [`ServerFrame`] go over WebSockets; what goes wrong is a
//! [`Problem`], there and over HTTP.

mod control;
mod frames;
mod problem;
pub mod resources;

pub use control::{Ahead, Control, Pot, Until};
pub use frames::{
    Action, Bank, ClientFrame, Drag, Following, Limits, Notice, SUBPROTOCOL, Seated, ServerFrame,
};
pub use problem::{Code, Problem};
