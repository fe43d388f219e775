//! Turns ruleset files into programs, with diagnostics
pub mod diagnostic;
pub mod expr;
pub mod source;
pub mod tree;
