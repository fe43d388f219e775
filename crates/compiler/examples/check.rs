//! Scratch.
fn main() {
    for path in std::env::args().skip(1) {
        let rules = intermezzo_compiler::Ruleset::load(std::path::Path::new(&path)).unwrap();
        let compiled = rules.compile();
        println!("{}", intermezzo_compiler::render(&compiled.diagnostics, rules.sources(), false));
        println!(
            "{path}: {} diagnostics, program {}",
            compiled.diagnostics.len(),
            compiled.program.is_some()
        );
    }
}
