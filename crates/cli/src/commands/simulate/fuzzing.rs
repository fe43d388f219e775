//! `simulate --fuzz`: what can go wrong, each thing as a small scenario.

use std::path::Path;

use intermezzo_simulator::Subject;
use intermezzo_simulator::hunt::{Find, Hunt, Kind};
use intermezzo_simulator::laws::LAWS;
use serde_json::{Value, json};

use super::running::Running;
use super::{Simulate, sweeping};
use crate::Context;
use crate::failure::{Exit, Failure};
use crate::library::Playable;
use crate::out::{BAD, DIM, GOOD, HEAD, Out, count, say};

/// Each seed is played in several ways.
const USUAL_SEEDS: u64 = 100;

impl Simulate {
    pub(super) fn hunt(&self, context: &mut Context, playable: &Playable) -> Result<Exit, Failure> {
        let program = &playable.program;
        let mut cells = sweeping::cells(program, &self.options)?.into_iter();
        let (Some(options), None) = (cells.next(), cells.next()) else {
            return Err(Failure::usage("fuzzing takes one value for each option"));
        };
        let (name, files) = (self.ruleset.clone(), Vec::new());
        let subject = Subject { name, files, program: program.clone(), options, max_inputs: None };
        let seeds = self.matches.unwrap_or(USUAL_SEEDS);
        let max_inputs = self.max_inputs;
        let hunt = Hunt { subject: &subject, seed: self.seed, seeds, max_inputs, laws: LAWS };
        let mut running = Running::new(seeds);
        let found = running.hunt(&hunt, self.threads());
        if let Some(folder) = &self.out {
            found.iter().try_for_each(|find| keep(folder, find))?;
        }
        let json = || json!({"finds": found.iter().map(told).collect::<Value>()});
        self.tell_json(context, json, |context| self.show_finds(&mut context.out, &found, &running))?;
        Ok(match found.iter().any(|find| matches!(find.kind, Kind::Fault { .. })) {
            true => Exit::Fault,
            false if found.is_empty() => Exit::Fine,
            false => Exit::Problems,
        })
    }

    fn show_finds(&self, out: &mut Out, found: &[Find], running: &Running) {
        let (seeds, _) = running.played();
        if found.is_empty() {
            say!(out, "{GOOD}nothing found{GOOD:#} with {}", count(seeds as usize, "seed"));
            return;
        }
        for find in found {
            let inputs = count(find.inputs, "input");
            say!(out, "{BAD}{}{BAD:#}, with {inputs}; first with --seed {}", find.kind, find.seed);
            if !find.detail.is_empty() {
                say!(out, "  {}", find.detail);
            }
            match &self.out {
                Some(folder) => say!(out, "  {HEAD}{}{HEAD:#}", folder.join(&find.file).display()),
                None => find.scenario.lines().for_each(|line| say!(out, "  {DIM}{line}{DIM:#}")),
            }
        }
        let things = count(found.len(), "thing");
        say!(out, "{things} found with {}", count(seeds as usize, "seed"));
        if self.out.is_none() {
            say!(
                out,
                "{DIM}--out DIR keeps them; in `scenarios` beside the ruleset, `intermezzo test` runs them{DIM:#}"
            );
        }
    }
}

fn keep(folder: &Path, find: &Find) -> Result<(), Failure> {
    let path = folder.join(&find.file);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &find.scenario));
    written.map_err(|error| Failure::unwritten(&path, error))
}

fn told(find: &Find) -> Value {
    json!({
        "kind": find.kind.word(),
        "what": find.kind.to_string(),
        "seed": find.seed,
        "detail": find.detail,
        "inputs": find.inputs,
        "scenario": find.scenario,
        "file": find.file,
    })
}
