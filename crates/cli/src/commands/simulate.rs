//! `intermezzo simulate`: many matches on all cores, and what came of them.

mod fuzzing;
mod lots;
mod running;
mod show;
mod sweeping;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use intermezzo_compiler::{Extras, Ruleset};
use intermezzo_engine::{Datum, Text};
use intermezzo_ruleset::Program;
use intermezzo_simulator::coverage::Coverage;
use intermezzo_simulator::report::{self, Report, page};
use intermezzo_simulator::study::{Findings, NoStudy};
use intermezzo_simulator::{BY_CHANCE, Study, full_name};

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::library::{Playable, playable};
use running::Running;

/// So many matches, unless told otherwise; fewer where bots think.
const USUAL_MATCHES: u64 = 1000;
const USUAL_THOUGHT: u64 = 100;

#[derive(Args)]
#[command(after_help = "\
Match i has the seed SEED + i, so every match can be played again alone:
  intermezzo simulate orcain -n 1 --seed 123 --save match.json

Examples:
  intermezzo simulate mages --html report.html         one page with everything
  intermezzo simulate mages --decks                    which deck wins, whoever begins
  intermezzo simulate skirmish -n 20 --bots greedy,random
  intermezzo simulate orcain --option damage=1,2,3 --option heal=0,1
  intermezzo simulate orcain --against my-orcain       what did my change do?
  intermezzo simulate mages --coverage                 which rules are never reached?
  intermezzo simulate my-game --fuzz --out my-game/scenarios   what can go wrong?

Ctrl-C ends it with what has been played so far.
Exits with 5 if a rule failed, with 1 if a match was not over after --max-inputs
or fuzzing found something else.")]
pub(crate) struct Simulate {
    /// A ruleset folder, file or name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// How many matches, for each row of a sweep [default: 1000; 100 if bots think or with --fuzz]
    #[arg(short = 'n', long = "matches", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    matches: Option<u64>,
    /// The seed of the first match
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many to play at a time [default: one for each core]
    #[arg(long, alias = "jobs", value_name = "T")]
    threads: Option<NonZeroUsize>,
    /// How many seats [default: as many as usual]
    #[arg(long, value_name = "N")]
    seats: Option<u8>,
    /// Who plays, in turn at all seats: one bot for all, or one for each seat
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    bots: Vec<String>,
    /// Let seats take turns with decks: files of names, or lists such as `a=[x,y],b=[z]` [default: the usual ones]
    #[arg(long, value_name = "LIST", num_args = 0..=1, default_missing_value = "")]
    decks: Option<String>,
    /// Set an option of the ruleset; several values, or the same option again, for a row each
    #[arg(long = "option", value_name = "NAME=VALUE,…")]
    options: Vec<String>,
    /// Compare with another ruleset, or another version of it, by the same seeds
    #[arg(long, value_name = "RULESET")]
    against: Option<String>,
    /// Tell which rules, arms and alternatives were never reached
    #[arg(long, conflicts_with = "against")]
    coverage: bool,
    /// Hunt for rules that fail, dead ends, matches without end and broken laws
    #[arg(long, conflicts_with_all = ["against", "coverage", "bots", "decks", "seats", "save"])]
    fuzz: bool,
    /// Write what fuzzing finds to this folder, as scenarios
    #[arg(long, value_name = "DIR", requires = "fuzz")]
    out: Option<PathBuf>,
    /// Tell it in JSON, on standard output or to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Write a page with tables and plots
    #[arg(long, value_name = "FILE", conflicts_with = "fuzz")]
    html: Option<PathBuf>,
    /// Break a match off after so many inputs
    #[arg(long, value_name = "M", default_value_t = 10_000)]
    max_inputs: u32,
    /// Save the first match here
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Play everything with one thread, then with all, and tell how much faster that is
    #[arg(long, conflicts_with_all = ["fuzz", "against", "json", "html"])]
    scaling: bool,
}

impl Simulate {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let playable = playable(context, &self.ruleset)?;
        if self.fuzz {
            return self.hunt(context, &playable);
        }
        let studies = self.studies(&playable)?;
        if let (Some(path), Some(first)) = (&self.save, studies.first()) {
            self.save(path, first)?;
        }
        if self.scaling {
            return self.scale(context, &studies);
        }
        if let Some(other) = &self.against {
            return self.compare(context, &studies, other);
        }
        let mut running = Running::new(studies.iter().map(|study| study.matches).sum());
        let found = running.play(&studies, self.threads())?;
        let reports: Vec<Report<'_>> =
            studies.iter().zip(&found).map(|(study, findings)| Report { study, findings }).collect();
        self.tell(context, &reports, &running)?;
        Ok(exit(&found))
    }

    /// What is played: one study for each combination of options.
    fn studies(&self, playable: &Playable) -> Result<Vec<Study>, Failure> {
        let program = &playable.program;
        let cells = sweeping::cells(program, &self.options)?;
        let probed = probed(&playable.ruleset, program);
        cells.into_iter().map(|options| self.study(program, &probed, options)).collect()
    }

    fn study(
        &self,
        program: &Arc<Program>,
        probed: &Arc<Program>,
        options: Vec<(Text, Datum)>,
    ) -> Result<Study, Failure> {
        let mut study = Study::new(program, probed);
        let bots = self.bots.iter().map(|name| full_name(name.trim()).map_err(|_| no_bot(name)));
        study.bots = bots.collect::<Result<_, _>>()?;
        let seats =
            self.seats.or(if study.bots.len() > 1 { u8::try_from(study.bots.len()).ok() } else { None });
        study.seats = seats.unwrap_or(study.seats);
        study.options = options;
        study.seed = self.seed;
        let thinks = study.bots.iter().any(|bot| bot != BY_CHANCE);
        study.matches = self.matches.unwrap_or(if thinks { USUAL_THOUGHT } else { USUAL_MATCHES });
        study.max_inputs = self.max_inputs;
        if let Some(decks) = &self.decks {
            study.lots = Some(lots::read(&study, decks)?);
        }
        study.check().map_err(|error| no_study(&study, &error))?;
        Ok(study)
    }

    fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// The first match, with everything written down.
    fn save(&self, path: &Path, study: &Study) -> Result<(), Failure> {
        let recorder = study.record(self.seed).map_err(|error| no_study(study, &error))?;
        recorder.file().write(path).map_err(|error| Failure::unwritten(path, error))
    }

    fn tell(&self, context: &mut Context, reports: &[Report<'_>], running: &Running) -> Result<(), Failure> {
        let coverage = |report: &Report<'_>| Coverage::of(report.study, report.findings);
        let [report] = reports else {
            self.write(&self.html, || page::swept(reports))?;
            return self.tell_json(
                context,
                || report::swept_json(reports),
                |context| {
                    show::swept(&mut context.out, reports, running);
                },
            );
        };
        let coverage = self.coverage.then(|| coverage(report));
        self.write(&self.html, || page::of(report, coverage.as_ref()))?;
        let json = || {
            let mut json = report.json();
            if let Some(coverage) = &coverage {
                json["coverage"] = coverage.json();
            }
            json
        };
        self.tell_json(context, json, |context| {
            show::report(&mut context.out, report, coverage.as_ref(), running);
        })
    }

    fn compare(&self, context: &mut Context, studies: &[Study], other: &str) -> Result<Exit, Failure> {
        let other = playable(context, other)?;
        let [after] = studies else {
            return Err(Failure::usage("only one set of options can be compared at a time"));
        };
        let others = self.studies(&other)?;
        let [before] = &others[..] else {
            return Err(Failure::usage("only one set of options can be compared at a time"));
        };
        let studies = [before.clone(), after.clone()];
        let mut running = Running::new(before.matches + after.matches);
        let found = running.play(&studies, self.threads())?;
        let [before, after] = [0, 1].map(|at| Report { study: &studies[at], findings: &found[at] });
        self.write(&self.html, || page::compared(&before, &after))?;
        self.tell_json(
            context,
            || report::compared_json(&before, &after),
            |context| {
                show::compared(&mut context.out, &before, &after, &running);
            },
        )?;
        Ok(exit(&found))
    }

    /// How much faster many threads are than one.
    fn scale(&self, context: &mut Context, studies: &[Study]) -> Result<Exit, Failure> {
        let mut times = Vec::new();
        for threads in [1, self.threads()] {
            let mut running = Running::new(studies.iter().map(|study| study.matches).sum());
            let found = running.play(studies, threads)?;
            times.push((threads, running.seconds(), found));
        }
        show::scaling(&mut context.out, &times);
        Ok(Exit::Fine)
    }

    /// JSON if it is wanted, and what people read unless JSON goes to the same place.
    fn tell_json(
        &self,
        context: &mut Context,
        json: impl FnOnce() -> serde_json::Value,
        show: impl FnOnce(&mut Context),
    ) -> Result<(), Failure> {
        match &self.json {
            Some(path) if path.as_os_str() == "-" => context.out.line(format_args!("{:#}", json())),
            file => {
                self.write(file, || format!("{:#}\n", json()))?;
                show(context);
            }
        }
        Ok(())
    }

    fn write(&self, path: &Option<PathBuf>, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let Some(path) = path else { return Ok(()) };
        std::fs::write(path, text()).map_err(|error| Failure::unwritten(path, error))
    }
}

/// The same program, only that it counts how often its rules are reached.
fn probed(ruleset: &Ruleset, program: &Arc<Program>) -> Arc<Program> {
    let compiled = ruleset.compile_with(&Extras { probes: true, ..Extras::default() });
    compiled.program.map_or_else(|| Arc::clone(program), Arc::new)
}

fn exit(found: &[Findings]) -> Exit {
    let sum = |count: fn(&Findings) -> u64| found.iter().map(count).sum::<u64>();
    match (
        sum(|found| found.tally.faulty + found.tally.failing),
        sum(|found| found.tally.unfinished + found.tally.rejected),
    ) {
        (0, 0) => Exit::Fine,
        (0, _) => Exit::Problems,
        _ => Exit::Fault,
    }
}

fn no_study(study: &Study, error: &NoStudy) -> Failure {
    match error {
        NoStudy::Start(error) => Failure::start(&study.program, error),
        NoStudy::Bot(error) => Failure::usage(error),
        NoStudy::Bots { bots, seats } => Failure::usage(format!("there are {bots} bots for {seats} seats"))
            .hint("name one bot for all seats, or one for each"),
    }
}

fn no_bot(name: &str) -> Failure {
    let name = name.trim();
    if name.ends_with("ms") {
        let hint = "results must not depend on the clock: give it playings instead, e.g. mcts:400";
        return Failure::usage(format!("`{name}` cannot be simulated")).hint(hint);
    }
    Failure::usage(format!("there is no bot called `{name}`")).hint(
        "bots are `random`, `greedy` and `mcts`, with so many playings for each answer as in `mcts:400`",
    )
}
