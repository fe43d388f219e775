//! `intermezzo migrate`: tests a changed ruleset against running matches.

use clap::Args;
use intermezzo_server::{MigrationCheck, Operator};

use crate::Context;
use crate::commands::admin::DataArgs;
use crate::failure::{CliError, ExitStatus};
use crate::library;
use crate::out::{BAD, GOOD, Out, count, say};

#[derive(Args)]
#[command(after_help = "\
Matches keep the rules they started with. With --dry-run, every running match of the ruleset is
played again under the old and the new rules, and the first row at which somebody would have seen
something different is reported. Nothing is changed.

Examples:
  intermezzo migrate --dry-run rulesets/orcain
  intermezzo migrate --dry-run ./mages --database postgres://localhost/intermezzo

A data folder must not be in use by a server; a database may be. Exits with 1 if a match differs.")]
pub(crate) struct MigrateArgs {
    /// The changed ruleset: a folder, a file, or a name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// Report differences only; there is no other mode
    #[arg(long, required = true)]
    dry_run: bool,
    #[command(flatten)]
    data: DataArgs,
    /// Print one JSON object per match
    #[arg(long)]
    json: bool,
}

impl MigrateArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let rules = library::load_ruleset(context, &self.ruleset)?;
        let operator =
            Operator::open(&self.data.config()?).map_err(|error| CliError::new(ExitStatus::Io, error))?;
        let out = &mut context.out;
        let (mut same, mut differ) = (0usize, 0usize);
        let rehearsed = operator.check_migration(&rules.program, &mut |rehearsed| {
            *if rehearsed.difference.is_some() { &mut differ } else { &mut same } += 1;
            match self.json {
                true => print_json(out, rehearsed),
                false => print_text(out, rehearsed),
            }
        });
        operator.close();
        rehearsed.map_err(|problem| CliError::new(ExitStatus::Problems, problem))?;
        if !self.json {
            let all = count(same + differ, "match");
            say!(out, "{all} played again: {same} the same, {differ} different");
        }
        Ok(if differ == 0 { ExitStatus::Success } else { ExitStatus::Problems })
    }
}

fn print_text(out: &mut Out, rehearsed: &MigrationCheck) {
    let MigrationCheck { match_id, version, rows, difference: differs } = rehearsed;
    match differs {
        None => say!(out, "{GOOD}same{GOOD:#}      {match_id} (started with {version}, {rows} rows)"),
        Some(difference) => {
            say!(
                out,
                "{BAD}different{BAD:#} {match_id} (started with {version}) at row {} of {rows}",
                difference.row
            );
            say!(out, "   {}", difference.what);
        }
    }
}

fn print_json(out: &mut Out, rehearsed: &MigrationCheck) {
    let differs = rehearsed.difference.as_ref();
    let differs =
        differs.map(|difference| serde_json::json!({"row": difference.row, "what": difference.what}));
    say!(
        out,
        "{}",
        serde_json::json!({
            "match": rehearsed.match_id.to_string(),
            "version": rehearsed.version,
            "rows": rehearsed.rows,
            "differs": differs,
        })
    );
}
