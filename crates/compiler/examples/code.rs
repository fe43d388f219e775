//! Scratch.
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let rules = intermezzo_compiler::Ruleset::load(std::path::Path::new(&path)).unwrap();
    let program = rules.compile().program.unwrap();
    for r in &program.routines {
        println!(
            "{} entry {} params {} locals {} regs {}",
            r.name,
            r.entry,
            r.params,
            r.locals.len(),
            r.registers
        );
    }
    for (i, c) in program.code.iter().enumerate() {
        println!("{i:4} {c:?}");
    }
}
