//! Tries every law on one ruleset with many seeds: `laws RULESET SEEDS`.

use std::io::Write as _;

use intermezzo_simulator::laws::LAWS;
use intermezzo_simulator::subjects;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [ruleset, seeds] = &args[..] else {
        return Err("expected RULESET SEEDS, e.g. `laws skirmish 1000`".into());
    };
    let subject = subjects::all().into_iter().find(|subject| subject.name == *ruleset);
    let subject = subject.ok_or_else(|| format!("there is no ruleset `{ruleset}`"))?;
    let seeds: u64 = seeds.parse()?;
    let mut out = std::io::stdout().lock();
    for (name, law) in LAWS {
        (0..seeds).try_for_each(|seed| law(&subject, seed))?;
        writeln!(out, "{name}: {seeds} seeds of {ruleset}")?;
        out.flush()?;
    }
    Ok(())
}
