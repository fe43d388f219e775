//! Benchmarks against hand-written twins.
//!
//! Start with [`twins`]: the two benchmark games written directly in Rust.

pub mod any_ruleset;
pub mod auras;
pub mod cpu_time;
pub mod duel;
pub mod endless;
pub mod large;
pub mod midgame;
pub mod minitcg;
pub mod twins;

/// Compiles a bundled ruleset.
fn compile(name: &str, text: &[u8]) -> std::sync::Arc<intermezzo_program::Program> {
    let ruleset = intermezzo_compiler::Ruleset::from_files(&[(name.to_owned(), text.to_vec())]);
    std::sync::Arc::new(ruleset.compile().program.expect("the bundled ruleset has no errors"))
}
