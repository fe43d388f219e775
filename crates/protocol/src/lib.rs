//! The messages on the wire, with their schemas.

mod problem;
pub mod resources;

pub use problem::{Code, Problem};
