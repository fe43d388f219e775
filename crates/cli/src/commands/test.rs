//! `intermezzo test`: runs the scenarios of rulesets.

use clap::Args;
use intermezzo_scenario::{Suite, SuiteReport};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::{RulesetSource, find_all};
use crate::out::{BAD, GOOD, HEAD, say};

/// Printed instead of `0 passed`, which would suggest that something was tested.
const NO_SCENARIOS: &str = "no scenarios; put them into its folder `scenarios`";

#[derive(Args)]
#[command(after_help = "\
Scenarios are the files in `scenarios/` next to a ruleset, and the `scenarios:` section inside it.

Examples:
  intermezzo test                               all of `rulesets`
  intermezzo test rulesets/orcain --filter heal
  intermezzo test rulesets/orcain --bless       update listings of events, then review the diff

Exits with 1 if a scenario fails or a file has errors.")]
pub(crate) struct TestArgs {
    /// Rulesets, or folders of rulesets [default: the folder of rulesets]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Only scenarios whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Write what happened into listings that differ
    #[arg(long)]
    bless: bool,
}

impl TestArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let mut reports = Vec::new();
        for source in find_all(context, &self.paths)? {
            reports.push(self.test(context, &source)?);
        }
        let played: usize = reports.iter().map(|report| report.passed + report.failed.len()).sum();
        let is_ok = reports.iter().all(SuiteReport::is_ok);
        match &self.filter {
            Some(filter) if played == 0 && is_ok => {
                let failure = CliError::usage(format!("no scenario has `{filter}` in its name or file"));
                Err(failure.hint("without --filter, all scenarios run"))
            }
            _ => Ok(if is_ok { ExitStatus::Success } else { ExitStatus::Problems }),
        }
    }

    fn test(&self, context: &mut Context, source: &RulesetSource) -> Result<SuiteReport, CliError> {
        let RulesetSource::Path(path) = source else {
            let failure =
                CliError::usage(format!("built-in rulesets such as `{}` have no scenarios", source.label()));
            return Err(failure.hint("give the path to the ruleset's folder"));
        };
        let mut suite = Suite::load(path).map_err(|error| CliError::cannot_read(path, error))?;
        let report = suite.run(self.filter.as_deref(), self.bless);
        let text = suite.render(&report, true);
        let text = text.trim_end();
        let (details, counts) = text.rsplit_once('\n').unwrap_or(("", text));
        let is_empty = self.filter.is_none() && report.passed + report.failed.len() == 0;
        let counts = if is_empty && report.is_ok() { NO_SCENARIOS } else { counts };
        let out = &mut context.out;
        if !details.is_empty() {
            say!(out, "{details}");
        }
        if report.is_ok() {
            say!(out, "{GOOD}ok{GOOD:#} {HEAD}{}{HEAD:#}: {counts}", source.label());
        } else {
            say!(out, "{BAD}not ok{BAD:#} {HEAD}{}{HEAD:#}: {counts}", source.label());
        }
        Ok(report)
    }
}
