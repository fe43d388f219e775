//! `intermezzo simulate`: many random matches on all cores, and what came of them.

mod counts;
mod report;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use intermezzo_engine::{Datum, Input, Log, Match, Refusal, Seed, Setup, StartError};
use intermezzo_journal::Recorder;
use intermezzo_ruleset::Program;
use intermezzo_simulator::{Habits, RandomPlay};

use crate::Context;
use crate::failure::{Exit, Failure, fault_text};
use crate::library::playable;
use crate::setup;
use counts::{Counts, Finish, Outcome};
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

Exits with 5 if a rule failed, with 1 if a match was not over after --max-inputs.")]
pub(crate) struct Simulate {
    /// A ruleset folder, file or name
    #[arg(value_name = "RULESET")]
    ruleset: String,
    /// How many matches
    #[arg(short = 'n', long = "matches", value_name = "N", default_value_t = 1000)]
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
        let setup = self.setup(&program, options);
        if let Err(error) = Match::start(Arc::clone(&program), &setup, &mut Log::discard())
            && !matches!(error, StartError::Fault(_))
        {
            return Err(Failure::start(&program, &error));
        }
        if let Some(path) = &self.save {
            let recorder = self.record(&program, &setup)?;
            recorder.file().write(path).map_err(|error| Failure::unwritten(path, error))?;
        }
        let begun = Instant::now();
        let counts = self.play_all(&program, &setup);
        let report = Report {
            program: &program,
            counts: &counts,
            seats: setup.seats,
            seconds: begun.elapsed().as_secs_f64(),
        };
        if self.json {
            context.out.line(format_args!("{:#}", report.json()));
        } else {
            report.show(&mut context.out);
        }
        Ok(match (counts.faults, counts.unfinished) {
            (0, 0) => Exit::Fine,
            (0, _) => Exit::Problems,
            _ => Exit::Fault,
        })
    }

    fn setup(&self, program: &Program, options: Vec<(String, Datum)>) -> Setup {
        let seats = self.seats.unwrap_or(program.seats.usual);
        Setup { seats, options, seed: Seed::from_number(self.seed), script: None }
    }

    /// Every thread takes the next match nobody has taken.
    fn play_all(&self, program: &Arc<Program>, setup: &Setup) -> Counts {
        let jobs =
            self.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let next = AtomicU64::new(0);
        let bar = ProgressBar::with_draw_target(Some(self.matches), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} matches, {per_sec}, {eta} left")
        {
            bar.set_style(style);
        }
        let mut all = Counts::new(setup.seats);
        std::thread::scope(|scope| {
            let work = || {
                let mut counts = Counts::new(setup.seats);
                let mut worker = Worker::new(program, setup, self.max_inputs);
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= self.matches {
                        return counts;
                    }
                    counts.add(self.seed.wrapping_add(place), worker.play(self.seed.wrapping_add(place)));
                    if place.is_multiple_of(STRIDE) {
                        bar.set_position(place);
                    }
                }
            };
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            for thread in threads {
                match thread.join() {
                    Ok(counts) => all.merge(counts),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        bar.finish_and_clear();
        all
    }

    /// The first match once more, with everything written down.
    fn record(&self, program: &Arc<Program>, setup: &Setup) -> Result<Recorder, Failure> {
        let recorder = Recorder::start(program, setup);
        let mut recorder = recorder.map_err(|error| Failure::start(program, &error))?;
        let mut players = RandomPlay::new(self.seed, &Habits::orderly());
        for _ in 0..self.max_inputs {
            let Some(input) = players.next(recorder.playing()) else { break };
            if recorder.submit(input).is_err() {
                break;
            }
        }
        Ok(recorder)
    }
}

/// Plays one match after the other in the same memory.
struct Worker<'a> {
    program: &'a Arc<Program>,
    setup: Setup,
    players: RandomPlay,
    state: Option<Match>,
    log: Log,
    max_inputs: u32,
}

impl<'a> Worker<'a> {
    fn new(program: &'a Arc<Program>, setup: &Setup, max_inputs: u32) -> Worker<'a> {
        let players = RandomPlay::new(0, &Habits::orderly());
        Worker { program, setup: setup.clone(), players, state: None, log: Log::discard(), max_inputs }
    }

    fn play(&mut self, seed: u64) -> Outcome {
        self.setup.seed = Seed::from_number(seed);
        self.players.reseed(seed);
        let started = match &mut self.state {
            Some(state) => state.restart(&self.setup, &mut self.log),
            None => Match::start(Arc::clone(self.program), &self.setup, &mut self.log)
                .map(|state| self.state = Some(state)),
        };
        match (started, &mut self.state) {
            (Ok(()), Some(state)) => {
                play_on(self.program, state, &mut self.players, &mut self.log, self.max_inputs)
            }
            (Err(StartError::Fault(fault)), _) => Outcome::broken(fault_text(self.program, &fault)),
            (Err(error), _) => Outcome::broken(error.to_string()),
            (Ok(()), None) => Outcome::broken("the match did not begin".to_owned()),
        }
    }
}

fn play_on(
    program: &Program,
    state: &mut Match,
    players: &mut RandomPlay,
    log: &mut Log,
    max_inputs: u32,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut fault = None;
    for _ in 0..max_inputs {
        let Some(input) = players.next(state) else { break };
        if let Input::Answer { input, .. } = input {
            let answers = state
                .pending()
                .find(|pending| pending.id() == *input)
                .map_or(0, |pending| pending.answer_count());
            outcome.answers += u128::from(answers);
            outcome.questions += 1;
        }
        match state.submit(input, log) {
            Ok(()) => {}
            Err(Refusal::Faulted(found)) => {
                fault = Some(fault_text(program, &found));
                break;
            }
            Err(Refusal::Rejected(rejection)) => {
                fault = Some(format!("a random answer was refused: {rejection}"));
                break;
            }
        }
    }
    outcome.inputs = state.inputs_taken();
    outcome.events = state.event_count();
    outcome.finish = match (fault, state.ending()) {
        (Some(fault), _) => Finish::Fault(fault),
        (None, Some(ending)) => Finish::Ended { outcome: ending.outcome, winners: ending.winners },
        (None, None) => Finish::Unfinished,
    };
    outcome
}
