//! `intermezzo verify`: re-runs a saved match and compares everything the file says, to the last byte.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use intermezzo_journal::{Hash, MatchFile, Verified};
use intermezzo_ruleset::Program;

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::out::{BAD, GOOD, count, say};
use crate::saved;
use intermezzo_journal::sentences::clean;

#[derive(Args)]
#[command(after_help = "\
Every input is run again by the rules; every roll, event, field and hash is compared; the events are
folded on their own; and the file is compared with how such a match is written, byte by byte. The
first thing that is not as the rules make it is named.

Whoever could write a file could write that of another match, true in itself. --commitment and --chain
say which match it has to be: servers tell the commitment when a match begins, before anything is rolled.

Examples:
  intermezzo verify match.json
  intermezzo verify match.json --ruleset old/orcain
  intermezzo verify match.json --commitment 7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069

Exits with 4 if the file does not verify.")]
pub(crate) struct Verify {
    /// A match saved by `intermezzo play --save`, or the log of a server
    file: PathBuf,
    /// The rules it was played by [default: the ruleset of that name]
    #[arg(long, value_name = "PATH")]
    ruleset: Option<String>,
    /// The seed has to be the one that was promised by this
    #[arg(long, value_name = "HASH", value_parser = hash)]
    commitment: Option<Hash>,
    /// The chain has to end with this
    #[arg(long, value_name = "HASH", value_parser = hash)]
    chain: Option<Hash>,
}

fn hash(text: &str) -> Result<Hash, String> {
    Hash::parse(text).ok_or_else(|| "a hash is 64 lower-case hexadecimal digits".to_owned())
}

impl Verify {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let (file, bytes) = saved::read_with_bytes(&self.file)?;
        let rules = saved::rules(context, &file, self.ruleset.as_deref())?;
        let out = &mut context.out;
        match self.examine(&file, &bytes, &rules.program) {
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
                say!(out, "   seed promised by {}", verified.commitment);
                Ok(Exit::Fine)
            }
            Err(problem) => {
                say!(out, "{BAD}does not verify{BAD:#} {}", self.file.display());
                say!(out, "   {}", clean(&problem));
                Ok(Exit::Untrue)
            }
        }
    }

    fn examine(&self, file: &MatchFile, bytes: &[u8], program: &Arc<Program>) -> Result<Verified, String> {
        let verified = file.verify(program).map_err(|mismatch| mismatch.to_string())?;
        file.check_spelling(bytes).map_err(|misspelt| misspelt.to_string())?;
        let told = [
            ("header, `seed`: it was promised by", self.commitment, verified.commitment),
            ("the chain ends with", self.chain, verified.chain),
        ];
        for (what, expected, found) in told {
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                return Err(format!("{what} {found}, not {expected}: this is another match"));
            }
        }
        Ok(verified)
    }
}
