//! `intermezzo verify`: re-runs a saved match and compares everything the file says.

use std::path::PathBuf;

use clap::Args;

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::out::{BAD, GOOD, count, say};
use crate::saved;
use intermezzo_journal::sentences::clean;

#[derive(Args)]
#[command(after_help = "\
Every input is run again by the rules, every event, field and hash is compared, and the events are
folded on their own. The first thing that is not as the rules make it is named.

Examples:
  intermezzo verify match.json
  intermezzo verify match.json --ruleset old/orcain

Exits with 4 if the file does not verify.")]
pub(crate) struct Verify {
    /// A match saved by `intermezzo play --save`
    file: PathBuf,
    /// The rules it was played by [default: the ruleset of that name]
    #[arg(long, value_name = "PATH")]
    ruleset: Option<String>,
}

impl Verify {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let file = saved::read(&self.file)?;
        let rules = saved::rules(context, &file, self.ruleset.as_deref())?;
        let out = &mut context.out;
        match file.verify(&rules.program) {
            Ok(verified) => {
                let (inputs, events) = (count(verified.inputs, "input"), count(verified.events, "event"));
                let back = match verified.taken_back {
                    0 => String::new(),
                    inputs => format!(", {} taken back", count(inputs, "input")),
                };
                let end = if verified.is_over { "to its end" } else { "not to its end" };
                say!(
                    out,
                    "{GOOD}verified{GOOD:#} {}: {inputs}, {events}{back}, played {end}",
                    self.file.display()
                );
                say!(
                    out,
                    "   {} {} · chain {}",
                    clean(&file.ruleset.id),
                    clean(&file.ruleset.version),
                    verified.chain
                );
                Ok(Exit::Fine)
            }
            Err(mismatch) => {
                say!(out, "{BAD}does not verify{BAD:#} {}", self.file.display());
                say!(out, "   {}", clean(&mismatch.to_string()));
                Ok(Exit::Untrue)
            }
        }
    }
}
