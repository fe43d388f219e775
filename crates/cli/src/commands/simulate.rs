//! `intermezzo simulate`: many random matches on all cores, and what came of them.

mod interval;
mod report;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use intermezzo_ruleset::Program;
use intermezzo_simulator::{Habits, Simulator, Tally};

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::library::playable;
use crate::setup;
use report::Report;

/// The progress bar moves on after so many matches.
const STRIDE: u64 = 64;

#[derive(Args)]
#[command(after_help = "\
Match i has the seed SEED + i, so every match can be played again alone:
  intermezzo simulate orcain -n 1 --seed 123 --save match.json

Examples:
  intermezzo simulate orcain
  intermezzo simulate orcain -n 100000 --jobs 8 --option max_rounds=20
  intermezzo simulate my-game --json > report.json
  intermezzo simulate skirmish -n 20 --bots greedy,random

Exits with 5 if a rule failed, with 1 if a match was not over after --max-inputs.")]
pub(crate) struct Simulate {
    /// A ruleset folder, file or name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// How many matches
    #[arg(short = 'n', long = "matches", value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    matches: u64,
    /// The seed of the first match
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// How many to play at a time [default: one for each core]
    #[arg(long, value_name = "J")]
    jobs: Option<NonZeroUsize>,
    /// How many seats [default: as many as usual]
    #[arg(long, value_name = "N")]
    seats: Option<u8>,
    /// Who plays at each seat: `random` or `greedy`, who looks one step ahead
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "seats")]
    bots: Vec<String>,
    /// Set an option of the ruleset
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Tell it in JSON
    #[arg(long)]
    json: bool,
    /// Break a match off after so many inputs
    #[arg(long, value_name = "M", default_value_t = 10_000)]
    max_inputs: u32,
    /// Save the first match here
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

impl Simulate {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let program = playable(context, &self.ruleset)?.program;
        let options = setup::options(&program, &self.options)?;
        let habits = Habits { max_inputs: self.max_inputs, ..Habits::orderly() };
        let bots = self.bots()?;
        let seats = if bots.is_empty() { self.seats } else { u8::try_from(bots.len()).ok() };
        let mut simulator = Simulator::new(&program, seats, &options, &habits)
            .map_err(|error| Failure::start(&program, &error))?;
        simulator.let_look_ahead(&bots);
        if let Some(path) = &self.save {
            self.save(path, &program, &simulator)?;
        }
        let begun = Instant::now();
        let tally = self.play_all(&simulator);
        let seconds = begun.elapsed().as_secs_f64();
        let report = Report { program: &program, tally: &tally, seconds, greedy: &bots };
        if self.json {
            context.out.line(format_args!("{:#}", report.json()));
        } else {
            report.show(&mut context.out);
        }
        Ok(match (tally.faulty + tally.failing, tally.unfinished, tally.rejected) {
            (0, 0, 0) => Exit::Fine,
            (0, _, _) => Exit::Problems,
            _ => Exit::Fault,
        })
    }

    /// By seat: who looks ahead.
    fn bots(&self) -> Result<Vec<bool>, Failure> {
        let bot = |name: &String| match name.trim() {
            "random" | "r" => Ok(false),
            "greedy" | "g" => Ok(true),
            other => Err(Failure::usage(format!("there is no bot called `{other}`"))
                .hint("bots are `random` or `greedy`, e.g. --bots greedy,random")),
        };
        self.bots.iter().map(bot).collect()
    }

    /// The first match once more, with everything written down.
    fn save(&self, path: &Path, program: &Program, simulator: &Simulator) -> Result<(), Failure> {
        let recorder = simulator.record(self.seed).map_err(|error| Failure::start(program, &error))?;
        recorder.file().write(path).map_err(|error| Failure::unwritten(path, error))
    }

    /// Every thread takes the next match nobody has taken.
    fn play_all(&self, simulator: &Simulator) -> Tally {
        let next = AtomicU64::new(0);
        let bar = self.progress_bar();
        let work = || {
            let mut simulator = simulator.clone();
            let mut tally = Tally::new(simulator.seats());
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= self.matches {
                    return tally;
                }
                let seed = self.seed.wrapping_add(place);
                tally.add(seed, &simulator.play_one(seed));
                if place.is_multiple_of(STRIDE) {
                    bar.set_position(place);
                }
            }
        };
        let mut all = Tally::new(simulator.seats());
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.jobs()).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                match thread.join() {
                    Ok(tally) => all.merge(tally),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        bar.finish_and_clear();
        all
    }

    fn jobs(&self) -> usize {
        self.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    fn progress_bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(self.matches), ProgressDrawTarget::stderr());
        match ProgressStyle::with_template("{bar:40} {pos}/{len} matches, {per_sec}, {eta} left") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}
