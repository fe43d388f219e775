//! Benchmarks against hand-written twins.
//!
//! Start with [`twins`]: the same two games as the benchmark rulesets, written
//! directly in Rust.

pub mod any;
pub mod auras;
pub mod duel;
pub mod endless;
pub mod machine;
pub mod midgame;
pub mod minitcg;
pub mod twins;

/// A bundled ruleset, compiled.
fn compiled(name: &str, text: &[u8]) -> std::sync::Arc<intermezzo_ruleset::Program> {
    let ruleset = intermezzo_compiler::Ruleset::from_files(&[(name.to_owned(), text.to_vec())]);
    std::sync::Arc::new(ruleset.compile().program.expect("the bundled ruleset has no errors"))
}
