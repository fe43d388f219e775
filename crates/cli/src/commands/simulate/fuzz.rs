//! `simulate --fuzz`: searches for failures and saves each as a small scenario.

use std::path::Path;

use intermezzo_simulator::Fixture;
use intermezzo_simulator::bug_search::{BugKind, BugSearch, FoundBug};
use intermezzo_simulator::laws::LAWS;
use serde_json::{Value, json};

use super::progress::SimulationRun;
use super::{SimulateArgs, sweep};
use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::LoadedRuleset;
use crate::out::{BAD, DIM, GOOD, HEAD, Out, count, say};

/// Default number of seeds. Each seed is played twice.
const DEFAULT_SEEDS: u64 = 100;

impl SimulateArgs {
    pub(super) fn run_fuzz(
        &self,
        context: &mut Context,
        playable: &LoadedRuleset,
    ) -> Result<ExitStatus, CliError> {
        let program = &playable.program;
        let mut cells = sweep::option_combinations(program, &self.options)?.into_iter();
        let (Some(options), None) = (cells.next(), cells.next()) else {
            return Err(CliError::usage("--fuzz takes one value per option"));
        };
        let (name, files) = (self.ruleset.clone(), Vec::new());
        let fixture = Fixture { name, files, program: program.clone(), options, max_inputs: None };
        let seeds = self.matches.unwrap_or(DEFAULT_SEEDS);
        let max_inputs = self.max_inputs;
        let search = BugSearch { fixture: &fixture, seed: self.seed, seeds, max_inputs, laws: LAWS };
        let mut run = SimulationRun::new(seeds);
        let found = run.fuzz(&search, self.threads());
        if let Some(folder) = &self.out {
            found.iter().try_for_each(|find| save_scenario(folder, find))?;
        }
        let json = || json!({"finds": found.iter().map(finding_json).collect::<Value>()});
        self.write_report(context, json, |context| self.show_problems(&mut context.out, &found, &run))?;
        Ok(match found.iter().any(|find| matches!(find.kind, BugKind::Fault { .. })) {
            true => ExitStatus::Fault,
            false if found.is_empty() => ExitStatus::Success,
            false => ExitStatus::Problems,
        })
    }

    fn show_problems(&self, out: &mut Out, found: &[FoundBug], run: &SimulationRun) {
        let (seeds, _) = run.played();
        if found.is_empty() {
            say!(out, "{GOOD}no problems found{GOOD:#} in {}", count(seeds as usize, "seed"));
            return;
        }
        for find in found {
            let inputs = count(find.inputs, "input");
            say!(out, "{BAD}{}{BAD:#} ({inputs}, first at --seed {})", find.kind, find.seed);
            if !find.detail.is_empty() {
                say!(out, "  {}", find.detail);
            }
            match &self.out {
                Some(folder) => say!(out, "  {HEAD}{}{HEAD:#}", folder.join(&find.file).display()),
                None => find.scenario.lines().for_each(|line| say!(out, "  {DIM}{line}{DIM:#}")),
            }
        }
        let problems = count(found.len(), "problem");
        say!(out, "{problems} found in {}", count(seeds as usize, "seed"));
        if self.out.is_none() {
            say!(
                out,
                "{DIM}--out DIR saves them as scenarios; `intermezzo test` runs those next to the ruleset{DIM:#}"
            );
        }
    }
}

fn save_scenario(folder: &Path, find: &FoundBug) -> Result<(), CliError> {
    let path = folder.join(&find.file);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &find.scenario));
    written.map_err(|error| CliError::cannot_write(&path, error))
}

fn finding_json(find: &FoundBug) -> Value {
    json!({
        "kind": find.kind.slug(),
        "what": find.kind.to_string(),
        "seed": find.seed,
        "detail": find.detail,
        "inputs": find.inputs,
        "scenario": find.scenario,
        "file": find.file,
    })
}
