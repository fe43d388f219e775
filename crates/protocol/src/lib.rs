//! The messages on the wire, with their schemas.

mod problem;

pub use problem::{Code, Problem};
