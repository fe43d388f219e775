//! `intermezzo test`: runs the scenarios of rulesets.

use clap::Args;
use intermezzo_scenario::{Report, Suite};

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::library::{Source, find_all};
use crate::out::{BAD, GOOD, HEAD, say};

/// Said instead of `0 passed`, which would sound as if something had been tested.
const NO_SCENARIOS: &str = "there are no scenarios; they are files in its folder `scenarios`";

#[derive(Args)]
#[command(after_help = "\
Scenarios are the files in `scenarios/` beside a ruleset, and its own `scenarios:` section.

Examples:
  intermezzo test                               all of `rulesets`
  intermezzo test rulesets/orcain --filter heal
  intermezzo test rulesets/orcain --bless       write what happens into the files; then read the diff

Exits with 1 if a scenario fails or a file has mistakes.")]
pub(crate) struct Test {
    /// Ruleset folders or names, or folders of rulesets [default: the folder of rulesets]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Only scenarios whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Write what happens into the scenario files where they say otherwise
    #[arg(long)]
    bless: bool,
}

impl Test {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let mut reports = Vec::new();
        for source in find_all(context, &self.paths)? {
            reports.push(self.test(context, &source)?);
        }
        let played: usize = reports.iter().map(|report| report.passed + report.failed.len()).sum();
        let is_ok = reports.iter().all(Report::is_ok);
        match &self.filter {
            Some(filter) if played == 0 && is_ok => {
                let failure = Failure::usage(format!("no scenario has `{filter}` in its name or file"));
                Err(failure.hint("without --filter all scenarios are run"))
            }
            _ => Ok(if is_ok { Exit::Fine } else { Exit::Problems }),
        }
    }

    fn test(&self, context: &mut Context, source: &Source) -> Result<Report, Failure> {
        let Source::Path(path) = source else {
            let failure = Failure::usage(format!("the scenarios of `{}` are not at hand", source.label()));
            return Err(failure.hint("give the path to the ruleset's folder"));
        };
        let mut suite = Suite::load(path).map_err(|error| Failure::unread(path, error))?;
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
