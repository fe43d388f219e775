//! `intermezzo simulate`: plays many matches on all cores and reports statistics.

mod decks;
mod fuzz;
mod progress;
mod show;
mod sweep;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use intermezzo_compiler::{Extras, Ruleset};
use intermezzo_engine::{Datum, ShortText};
use intermezzo_program::Program;
use intermezzo_simulator::coverage::Coverage;
use intermezzo_simulator::experiment::{ExperimentError, ExperimentFindings};
use intermezzo_simulator::report::{self, ExperimentReport, page};
use intermezzo_simulator::{Experiment, RANDOM_BOT, full_name};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::{LoadedRuleset, load_ruleset};
use progress::SimulationRun;

/// Default number of matches, and with bots that look ahead.
const DEFAULT_MATCHES: u64 = 1000;
const DEFAULT_LOOKAHEAD_MATCHES: u64 = 100;

#[derive(Args)]
#[command(after_help = "\
Match i has the seed SEED + i, so every match can be played again on its own:
  intermezzo simulate orcain -n 1 --seed 123 --save match.json

Examples:
  intermezzo simulate mages --html report.html         write the full report as a page
  intermezzo simulate mages --decks                    compare decks
  intermezzo simulate skirmish -n 20 --bots greedy,random
  intermezzo simulate orcain --option damage=1,2,3 --option heal=0,1
  intermezzo simulate my-orcain --against orcain       compare two versions of the rules
  intermezzo simulate mages --coverage                 list rules that never run
  intermezzo simulate my-game --fuzz --out my-game/scenarios   search for failures

Ctrl-C and SIGTERM stop the run and report the matches played until then.
Exits with 5 if a rule failed, with 1 if a match was not over after --max-inputs
or fuzzing found another problem.")]
pub(crate) struct SimulateArgs {
    /// A ruleset folder, file or name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// Matches per combination of options [default: 1000; 100 with bots that look ahead or --fuzz]
    #[arg(short = 'n', long = "matches", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    matches: Option<u64>,
    /// Seed of the first match
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Matches to play in parallel [default: one per core]
    #[arg(long, alias = "jobs", value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// Number of seats [default: that of the ruleset, or of the bots]
    #[arg(long, value_name = "N")]
    seats: Option<u8>,
    /// One bot for all seats, or one per seat; bots rotate through the seats
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    bots: Vec<String>,
    /// Rotate decks through the seats: files of names, or lists such as `a=[x,y],b=[z]` [default: the ruleset's decks]
    #[arg(long, value_name = "LIST", num_args = 0..=1, default_missing_value = "")]
    decks: Option<String>,
    /// Set an option of the ruleset; several values, or the same option again, make one row each
    #[arg(long = "option", value_name = "NAME=VALUE,…")]
    options: Vec<String>,
    /// Compare with another version of the ruleset, on the same seeds
    #[arg(long, value_name = "RULESET")]
    against: Option<String>,
    /// List rules, arms and alternatives that were never reached
    #[arg(long, conflicts_with = "against")]
    coverage: bool,
    /// Search for failing rules, dead ends, endless matches and broken laws
    #[arg(long, conflicts_with_all = ["against", "coverage", "bots", "decks", "seats", "save"])]
    fuzz: bool,
    /// Write what fuzzing finds to this folder as scenarios
    #[arg(long, value_name = "DIR", requires = "fuzz")]
    out: Option<PathBuf>,
    /// Write JSON to a file, or to standard output instead of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Write an HTML page with tables and plots
    #[arg(long, value_name = "FILE", conflicts_with = "fuzz")]
    html: Option<PathBuf>,
    /// Abort a match after this many inputs
    #[arg(long, value_name = "M", default_value_t = 10_000)]
    max_inputs: u32,
    /// Save the first match to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Play everything on one thread, then on all, and print the speed-up
    #[arg(long, conflicts_with_all = ["fuzz", "against", "json", "html"])]
    scaling: bool,
}

impl SimulateArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let playable = load_ruleset(context, &self.ruleset)?;
        if self.fuzz {
            return self.run_fuzz(context, &playable);
        }
        let experiments = self.experiments(&playable)?;
        if let (Some(path), Some(first)) = (&self.save, experiments.first()) {
            self.save(path, first)?;
        }
        if self.scaling {
            return self.measure_scaling(context, &experiments);
        }
        if let Some(other) = &self.against {
            return self.compare(context, &experiments, other);
        }
        let mut run = SimulationRun::new(experiments.iter().map(|experiment| experiment.matches).sum());
        let found = run.play(&experiments, self.threads())?;
        let reports: Vec<ExperimentReport<'_>> = experiments
            .iter()
            .zip(&found)
            .map(|(experiment, findings)| ExperimentReport { experiment, findings })
            .collect();
        self.report(context, &reports, &run)?;
        Ok(exit(&found))
    }

    /// Returns one experiment per combination of options.
    fn experiments(&self, playable: &LoadedRuleset) -> Result<Vec<Experiment>, CliError> {
        let program = &playable.program;
        let cells = sweep::option_combinations(program, &self.options)?;
        let instrumented = compile_with_counters(&playable.ruleset, program);
        cells.into_iter().map(|options| self.experiment(program, &instrumented, options)).collect()
    }

    fn experiment(
        &self,
        program: &Arc<Program>,
        instrumented: &Arc<Program>,
        options: Vec<(ShortText, Datum)>,
    ) -> Result<Experiment, CliError> {
        let mut experiment = Experiment::new(program, instrumented);
        let bots = self.bots.iter().map(|name| full_name(name.trim()).map_err(|_| unknown_bot(name)));
        experiment.bots = bots.collect::<Result<_, _>>()?;
        let seats = self.seats.or(if experiment.bots.len() > 1 {
            u8::try_from(experiment.bots.len()).ok()
        } else {
            None
        });
        experiment.seats = seats.unwrap_or(experiment.seats);
        experiment.options = options;
        experiment.seed = self.seed;
        let thinks = experiment.bots.iter().any(|bot| bot != RANDOM_BOT);
        experiment.matches =
            self.matches.unwrap_or(if thinks { DEFAULT_LOOKAHEAD_MATCHES } else { DEFAULT_MATCHES });
        experiment.max_inputs = self.max_inputs;
        if let Some(decks) = &self.decks {
            experiment.decks = Some(decks::read_decks(&experiment, decks)?);
        }
        experiment.check().map_err(|error| experiment_error(&experiment, &error))?;
        Ok(experiment)
    }

    fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// Plays the first match and saves it.
    fn save(&self, path: &Path, experiment: &Experiment) -> Result<(), CliError> {
        let recorder = experiment.record(self.seed).map_err(|error| experiment_error(experiment, &error))?;
        recorder.file().write(path).map_err(|error| CliError::cannot_write(path, error))
    }

    fn report(
        &self,
        context: &mut Context,
        reports: &[ExperimentReport<'_>],
        run: &SimulationRun,
    ) -> Result<(), CliError> {
        let coverage = |report: &ExperimentReport<'_>| Coverage::new(report.experiment, report.findings);
        let [report] = reports else {
            self.write(&self.html, || page::sweep_page(reports))?;
            return self.write_report(
                context,
                || report::sweep_json(reports),
                |context| {
                    show::sweep_report(&mut context.out, reports, run);
                },
            );
        };
        let coverage = self.coverage.then(|| coverage(report));
        self.write(&self.html, || page::report_page(report, coverage.as_ref()))?;
        let json = || {
            let mut json = report.json();
            if let Some(coverage) = &coverage {
                json["coverage"] = coverage.json();
            }
            json
        };
        self.write_report(context, json, |context| {
            show::report(&mut context.out, report, coverage.as_ref(), run);
        })
    }

    fn compare(
        &self,
        context: &mut Context,
        experiments: &[Experiment],
        other: &str,
    ) -> Result<ExitStatus, CliError> {
        let other = load_ruleset(context, other)?;
        let [after] = experiments else {
            return Err(CliError::usage("--against takes one value per option"));
        };
        let others = self.experiments(&other)?;
        let [before] = &others[..] else {
            return Err(CliError::usage("--against takes one value per option"));
        };
        let experiments = [before.clone(), after.clone()];
        let mut run = SimulationRun::new(before.matches + after.matches);
        let found = run.play(&experiments, self.threads())?;
        let [before, after] =
            [0, 1].map(|at| ExperimentReport { experiment: &experiments[at], findings: &found[at] });
        self.write(&self.html, || page::comparison_page(&before, &after))?;
        self.write_report(
            context,
            || report::comparison_json(&before, &after),
            |context| {
                show::comparison(&mut context.out, &before, &after, &run);
            },
        )?;
        Ok(exit(&found))
    }

    /// Measures the speed-up of many threads over one.
    fn measure_scaling(
        &self,
        context: &mut Context,
        experiments: &[Experiment],
    ) -> Result<ExitStatus, CliError> {
        let mut times = Vec::new();
        for threads in [1, self.threads()] {
            let mut run = SimulationRun::new(experiments.iter().map(|experiment| experiment.matches).sum());
            let found = run.play(experiments, threads)?;
            times.push((threads, run.seconds(), found));
        }
        show::scaling(&mut context.out, &times);
        Ok(ExitStatus::Success)
    }

    /// Writes JSON if requested, and the text report unless JSON goes to standard output.
    fn write_report(
        &self,
        context: &mut Context,
        json: impl FnOnce() -> serde_json::Value,
        show: impl FnOnce(&mut Context),
    ) -> Result<(), CliError> {
        match &self.json {
            Some(path) if path.as_os_str() == "-" => context.out.line(format_args!("{:#}", json())),
            file => {
                self.write(file, || format!("{:#}\n", json()))?;
                show(context);
            }
        }
        Ok(())
    }

    fn write(&self, path: &Option<PathBuf>, text: impl FnOnce() -> String) -> Result<(), CliError> {
        let Some(path) = path else { return Ok(()) };
        std::fs::write(path, text()).map_err(|error| CliError::cannot_write(path, error))
    }
}

/// Compiles the program with counters for reached rules.
fn compile_with_counters(ruleset: &Ruleset, program: &Arc<Program>) -> Arc<Program> {
    let compiled = ruleset.compile_with(&Extras { coverage: true, ..Extras::default() });
    compiled.program.map_or_else(|| Arc::clone(program), Arc::new)
}

fn exit(found: &[ExperimentFindings]) -> ExitStatus {
    let sum = |count: fn(&ExperimentFindings) -> u64| found.iter().map(count).sum::<u64>();
    match (
        sum(|found| found.totals.faulty + found.totals.failing),
        sum(|found| found.totals.unfinished + found.totals.rejected),
    ) {
        (0, 0) => ExitStatus::Success,
        (0, _) => ExitStatus::Problems,
        _ => ExitStatus::Fault,
    }
}

fn experiment_error(experiment: &Experiment, error: &ExperimentError) -> CliError {
    match error {
        ExperimentError::Start(error) => CliError::start(&experiment.program, error),
        ExperimentError::Bot(error) => CliError::usage(error),
        ExperimentError::Bots { bots, seats } => {
            CliError::usage(format!("{bots} bots given for {seats} seats"))
                .hint("give one bot for all seats, or one per seat")
        }
    }
}

fn unknown_bot(name: &str) -> CliError {
    let name = name.trim();
    if name.ends_with("ms") {
        let hint = "results must not depend on the clock; give a number of playouts instead, e.g. mcts:400";
        return CliError::usage(format!("`{name}` cannot be simulated")).hint(hint);
    }
    CliError::usage(format!("unknown bot `{name}`"))
        .hint("bots are `random`, `greedy` and `mcts`, which takes a number of playouts as in `mcts:400`")
}
