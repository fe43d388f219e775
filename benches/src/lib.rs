//! Benchmarks against hand-written twins.
//!
//! Start with [`twins`]: the same two games as the benchmark rulesets, written
//! directly in Rust.

pub mod auras;
pub mod duel;
pub mod minitcg;
pub mod twins;
