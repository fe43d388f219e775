//! `intermezzo migrate`: what a changed ruleset would do to matches that are being played.

use clap::Args;
use intermezzo_server::{Operator, Rehearsed};

use crate::Context;
use crate::commands::admin::Kept;
use crate::failure::{Exit, Failure};
use crate::library;
use crate::out::{BAD, GOOD, Out, count, say};

#[derive(Args)]
#[command(after_help = "\
Matches stay with the version of the rules they began with, which the server keeps. With --dry-run
each match of the ruleset that is being played is played again under both versions, and the first
row is named at which somebody would have seen something else.

Examples:
  intermezzo migrate --dry-run rulesets/orcain
  intermezzo migrate --dry-run ./mages --database postgres://localhost/intermezzo

A folder must not be in use by a server; a database may be. Exits with 1 if a match would differ.")]
pub(crate) struct Migrate {
    /// The changed ruleset: a folder, a file, or the name of one that comes along
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// Only say what would happen, which is all there is
    #[arg(long, required = true)]
    dry_run: bool,
    #[command(flatten)]
    kept: Kept,
    /// Print one JSON object for each match
    #[arg(long)]
    json: bool,
}

impl Migrate {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let rules = library::playable(context, &self.ruleset)?;
        let operator =
            Operator::open(&self.kept.config()?).map_err(|error| Failure::new(Exit::Unreadable, error))?;
        let out = &mut context.out;
        let (mut same, mut differ) = (0usize, 0usize);
        let rehearsed = operator.rehearse(&rules.program, &mut |rehearsed| {
            *if rehearsed.differs.is_some() { &mut differ } else { &mut same } += 1;
            match self.json {
                true => tell_json(out, rehearsed),
                false => tell(out, rehearsed),
            }
        });
        operator.close();
        rehearsed.map_err(|problem| Failure::new(Exit::Problems, problem))?;
        if !self.json {
            let all = count(same + differ, "match");
            say!(out, "{all} played again: {same} the same, {differ} different");
        }
        Ok(if differ == 0 { Exit::Fine } else { Exit::Problems })
    }
}

fn tell(out: &mut Out, rehearsed: &Rehearsed) {
    let Rehearsed { match_id, version, rows, differs } = rehearsed;
    match differs {
        None => say!(out, "{GOOD}same{GOOD:#}      {match_id} (since {version}, {rows} rows)"),
        Some(difference) => {
            say!(
                out,
                "{BAD}different{BAD:#} {match_id} (since {version}) at row {} of {rows}",
                difference.row
            );
            say!(out, "   {}", difference.what);
        }
    }
}

fn tell_json(out: &mut Out, rehearsed: &Rehearsed) {
    let differs = rehearsed.differs.as_ref();
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
