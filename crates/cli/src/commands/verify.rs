//! `intermezzo verify`: re-runs a saved match and compares everything in the file, byte by byte.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use intermezzo_matchfile::{Hash256, MatchFile, VerifyReport};
use intermezzo_program::Program;

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::out::{BAD, GOOD, count, say};
use crate::saved;
use intermezzo_matchfile::sentences::clean;

#[derive(Args)]
#[command(after_help = "\
Runs every input again and compares every roll, event, field and hash; rebuilds the state from the
events alone; and compares the file byte by byte with how such a match is written. Prints the first
difference.

A valid file proves that the match follows the rules, not that it is the match you mean. --commitment
and --chain prove that: servers publish the commitment when a match starts, before anything is rolled.

Examples:
  intermezzo verify match.json
  intermezzo verify match.json --ruleset old/orcain
  intermezzo verify match.json --commitment 7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069

Exits with 4 if the file does not verify.")]
pub(crate) struct VerifyArgs {
    /// A match saved by `intermezzo play --save`, or the log of a server
    file: PathBuf,
    /// Rules of the match [default: the ruleset with the id in the file]
    #[arg(long, value_name = "PATH")]
    ruleset: Option<String>,
    /// Expected commitment to the seed
    #[arg(long, value_name = "HASH", value_parser = hash)]
    commitment: Option<Hash256>,
    /// Expected last hash of the chain
    #[arg(long, value_name = "HASH", value_parser = hash)]
    chain: Option<Hash256>,
}

fn hash(text: &str) -> Result<Hash256, String> {
    Hash256::parse(text).ok_or_else(|| "a hash is 64 lower-case hexadecimal digits".to_owned())
}

impl VerifyArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let (file, bytes) = saved::read_with_bytes(&self.file)?;
        let rules = saved::rules(context, &file, self.ruleset.as_deref())?;
        let out = &mut context.out;
        match self.examine(&file, &bytes, &rules.program) {
            Ok(verified) => {
                let (inputs, events) = (count(verified.inputs, "input"), count(verified.events, "event"));
                let back = match verified.undone_inputs {
                    0 => String::new(),
                    inputs => format!(", {} undone", count(inputs, "input")),
                };
                let end = if verified.is_over { "finished" } else { "not finished" };
                say!(out, "{GOOD}verified{GOOD:#} {}: {inputs}, {events}{back}, {end}", self.file.display());
                say!(
                    out,
                    "   {} {} · chain {}",
                    clean(&file.ruleset.id),
                    clean(&file.ruleset.version),
                    verified.chain
                );
                say!(out, "   commitment {}", verified.commitment);
                Ok(ExitStatus::Success)
            }
            Err(problem) => {
                say!(out, "{BAD}does not verify{BAD:#} {}", self.file.display());
                say!(out, "   {}", clean(&problem));
                Ok(ExitStatus::Unverified)
            }
        }
    }

    fn examine(
        &self,
        file: &MatchFile,
        bytes: &[u8],
        program: &Arc<Program>,
    ) -> Result<VerifyReport, String> {
        let verified = file.verify(program).map_err(|mismatch| mismatch.to_string())?;
        file.check_canonical(bytes).map_err(|misspelt| misspelt.to_string())?;
        let told = [
            ("header, `seed`: its commitment is", self.commitment, verified.commitment),
            ("the chain ends with", self.chain, verified.chain),
        ];
        for (what, expected, found) in told {
            if let Some(expected) = expected.filter(|expected| *expected != found) {
                return Err(format!("{what} {found}, not {expected}: this is a different match"));
            }
        }
        Ok(verified)
    }
}
