//! Resumes a match in a new process. The continuation must not depend on the process that started the match.
//!
//! Reads a line `RULESET SEED INPUTS SNAPSHOT` (the snapshot in hexadecimal)
//! from standard input and writes the hash of the state after each input.

use std::io::{Read as _, Write as _};

use intermezzo_simulator::{fixtures, laws};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let [ruleset, seed, inputs, snapshot] = words[..] else {
        return Err("expected RULESET SEED INPUTS SNAPSHOT on standard input".into());
    };
    let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == ruleset);
    let fixture = fixture.ok_or("unknown ruleset")?;
    let hashes = laws::continuation(&fixture, &unhex(snapshot)?, seed.parse()?, inputs.parse()?)?;
    let mut out = std::io::stdout().lock();
    for hash in hashes {
        let line: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn unhex(text: &str) -> Result<Vec<u8>, std::num::ParseIntError> {
    let pairs = (0..text.len() / 2).map(|place| text.get(2 * place..2 * place + 2).unwrap_or("?"));
    pairs.map(|pair| u8::from_str_radix(pair, 16)).collect()
}
