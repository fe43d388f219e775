//! Checks every law on one ruleset with many seeds: `laws RULESET SEEDS`.

use std::io::Write as _;

use intermezzo_simulator::fixtures;
use intermezzo_simulator::laws::LAWS;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [ruleset, seeds] = &args[..] else {
        return Err("usage: laws RULESET SEEDS, e.g. `laws skirmish 1000`".into());
    };
    let fixture = fixtures::all().into_iter().find(|fixture| fixture.name == *ruleset);
    let fixture = fixture.ok_or_else(|| format!("unknown ruleset `{ruleset}`"))?;
    let seeds: u64 = seeds.parse()?;
    let mut out = std::io::stdout().lock();
    for (name, law) in LAWS {
        (0..seeds).try_for_each(|seed| law(&fixture, seed))?;
        writeln!(out, "{name}: {seeds} seeds of {ruleset}")?;
        out.flush()?;
    }
    Ok(())
}
