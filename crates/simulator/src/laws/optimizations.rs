//! Specialised code and fast paths do not change a match: neither its log, nor its state, nor the point at which a
//! limit stops it.

use std::sync::Arc;

use intermezzo_engine::{EventLog, ExecutionCost, Input, Match, Refusal, Seed, Setup, StartError};
use intermezzo_program::{FaultCode, Program};

use super::{LawResult, LawRun};
use crate::fixtures::Fixture;
use crate::input_mix::InputMix;

/// Every how many inputs the limits are tripped.
const TRIP_INTERVAL: usize = 23;
/// Number of points within an input at which each limit is tripped.
const TRIP_POINTS: u32 = 4;

/// Checks that a match is the same with a log, without a log and without any optimization, after every input.
pub fn optimizations_change_nothing(fixture: &Fixture, seed: u64) -> LawResult {
    let run = LawRun::new(fixture, seed, &InputMix::chaotic())?;
    let mut paths = ExecutionPaths::start(&run)?;
    paths.compare(&run, 0)?;
    paths.compare_restarts(&run)?;
    for (at, input) in run.played.inputs.iter().enumerate() {
        for (_, faulty, _) in run.played.faults.iter().filter(|(taken, ..)| *taken == at) {
            paths.check_fault(&run, at, faulty)?;
        }
        let is_tripped = (at + seed as usize).is_multiple_of(TRIP_INTERVAL);
        let before = is_tripped.then(|| paths.clone());
        paths.submit(&run, at, input)?;
        paths.compare(&run, at + 1)?;
        paths.compare_costs(&run, at)?;
        if let Some(before) = before {
            before.trip_limits(&run, at, input, paths.optimized.last_cost())?;
        }
    }
    Ok(())
}

/// The same match on all paths that the engine has.
#[derive(Clone)]
struct ExecutionPaths {
    optimized: Match,
    log: EventLog,
    /// The optimized match without a log.
    unlogged: Match,
    /// The match on the general path.
    general: Match,
    general_log: EventLog,
    /// Number of records that were compared.
    compared: usize,
}

impl ExecutionPaths {
    fn start(run: &LawRun<'_>) -> Result<ExecutionPaths, super::LawViolation> {
        let program = Program { unoptimized: true, ..(*run.fixture.program).clone() };
        let (mut log, mut general_log) = (EventLog::new(), EventLog::new());
        let general = Match::start(Arc::new(program), &run.played.setup, &mut general_log)
            .map_err(|error| run.violation(format!("without optimizations: {error}")))?;
        Ok(ExecutionPaths {
            optimized: run.begin(&mut log)?,
            unlogged: run.begin(&mut EventLog::discard())?,
            log,
            general,
            general_log,
            compared: 0,
        })
    }

    /// Checks that restarted matches are the same: the first one records its beginning, the next ones copy it.
    fn compare_restarts(&self, run: &LawRun<'_>) -> LawResult {
        let error = |error: StartError| run.violation(format!("when restarted: {error}"));
        let other = Setup {
            seed: Seed::from_number(u64::from(run.played.setup.seed.0[0])),
            ..run.played.setup.clone()
        };
        for is_logged in [true, false] {
            let new_log = || if is_logged { EventLog::new() } else { EventLog::discard() };
            let mut restarted = self.optimized.clone();
            // With other random numbers, the match may fail before its first question.
            let _ = restarted.restart(&other, &mut new_log());
            for _ in 0..2 {
                let mut log = new_log();
                restarted.restart(&run.played.setup, &mut log).map_err(error)?;
                run.claim(!is_logged || log == self.log, || "a restarted match has another log".to_owned())?;
                run.claim(restarted.snapshot() == self.optimized.snapshot(), || {
                    "a restarted match begins differently".to_owned()
                })?;
                run.claim(restarted.last_cost() == self.optimized.last_cost(), || {
                    "the beginning of a restarted match has another cost".to_owned()
                })?;
            }
        }
        Ok(())
    }

    fn submit(&mut self, run: &LawRun<'_>, at: usize, input: &Input) -> LawResult {
        let refused = |refusal: Refusal| {
            run.violation(format!("input {at} was accepted before and now is not: {refusal}"))
        };
        self.optimized.submit(input, &mut self.log).map_err(refused)?;
        self.unlogged.submit(input, &mut EventLog::discard()).map_err(refused)?;
        self.general.submit(input, &mut self.general_log).map_err(refused)
    }

    /// Compares what the last input used of the limits.
    fn compare_costs(&self, run: &LawRun<'_>, at: usize) -> LawResult {
        let [optimized, unlogged, general] =
            [&self.optimized, &self.unlogged, &self.general].map(Match::last_cost);
        run.claim(optimized == unlogged, || {
            format!("input {at} costs {optimized:?} with a log and {unlogged:?} without")
        })?;
        // Specialised code takes another number of steps.
        let is_same = (optimized.events, optimized.words) == (general.events, general.words);
        run.claim(is_same, || {
            format!("input {at} costs {optimized:?}, and {general:?} without optimizations")
        })
    }

    /// Compares the new records and the states.
    fn compare(&mut self, run: &LawRun<'_>, at: usize) -> LawResult {
        let records = &self.log.records()[self.compared..];
        run.claim(records == &self.general_log.records()[self.compared..], || {
            format!("after input {at} the log differs without optimizations")
        })?;
        let is_same = |record| self.log.payload(record) == self.general_log.payload(record);
        run.claim(records.iter().all(is_same), || {
            format!("after input {at} a payload differs without optimizations")
        })?;
        self.compared = self.log.len();
        let snapshot = self.optimized.snapshot();
        run.claim(snapshot == self.unlogged.snapshot(), || {
            format!("after input {at} the log makes a difference")
        })?;
        run.claim(snapshot == self.general.snapshot(), || {
            format!("after input {at} the state differs without optimizations")
        })?;
        run.claim(self.optimized.state_hash() == self.general.state_hash(), || {
            format!("after input {at} the state hash differs without optimizations")
        })
    }

    /// Checks that an input that made a rule fail does so on all paths.
    fn check_fault(&mut self, run: &LawRun<'_>, at: usize, input: &Input) -> LawResult {
        let outcomes = [
            self.optimized.submit(input, &mut self.log),
            self.unlogged.submit(input, &mut EventLog::discard()),
            self.general.submit(input, &mut self.general_log),
        ];
        let is_same =
            outcomes[0] == outcomes[1] && (outcomes[0] == outcomes[2] || is_out_of_steps(&outcomes[2]));
        run.claim(is_same, || format!("after input {at}, {input:?} fails differently: {outcomes:?}"))
    }

    /// Trips the limits at some points of an input that costs `cost` and compares the outcomes.
    fn trip_limits(&self, run: &LawRun<'_>, at: usize, input: &Input, cost: ExecutionCost) -> LawResult {
        let full = ExecutionCost { steps: u32::MAX, events: u32::MAX, words: u32::MAX };
        for point in 0..TRIP_POINTS {
            let part = |all: u32| (u64::from(all) * u64::from(point) / u64::from(TRIP_POINTS - 1)) as u32;
            let below = |all: u32| part(all.saturating_sub(1));
            let budgets = [
                (ExecutionCost { events: below(cost.events), ..full }, true),
                (ExecutionCost { words: below(cost.words), ..full }, true),
                // The general path takes another number of steps.
                (ExecutionCost { steps: below(cost.steps), ..full }, false),
            ];
            for (budget, is_general) in budgets {
                self.trip(run, at, input, budget, is_general)?;
            }
        }
        Ok(())
    }

    fn trip(
        &self,
        run: &LawRun<'_>,
        at: usize,
        input: &Input,
        budget: ExecutionCost,
        is_general: bool,
    ) -> LawResult {
        let mut outcomes = Vec::new();
        let paths = [(&self.optimized, EventLog::new()), (&self.unlogged, EventLog::discard())];
        let general = is_general.then(|| (&self.general, EventLog::new()));
        for (state, mut log) in paths.into_iter().chain(general) {
            let mut copy = state.clone();
            let outcome = copy.submit_within(input, budget, &mut log);
            outcomes.push((outcome.map_err(code_of), copy.snapshot()));
        }
        let is_same = outcomes.iter().all(|outcome| *outcome == outcomes[0]);
        run.claim(is_same, || {
            let outcomes: Vec<_> = outcomes.iter().map(|(outcome, _)| outcome).collect();
            format!("input {at} with {budget:?} ends differently: {outcomes:?}")
        })
    }
}

/// Returns the part of a refusal that is the same on all paths. Code without a frame of its own names the rule that
/// emitted an event when a limit trips; the event's frame names none.
fn code_of(refusal: Refusal) -> Result<FaultCode, Refusal> {
    match refusal {
        Refusal::Faulted(fault) => Ok(fault.code),
        refusal => Err(refusal),
    }
}

fn is_out_of_steps(outcome: &Result<(), Refusal>) -> bool {
    matches!(outcome, Err(Refusal::Faulted(fault)) if fault.code == FaultCode::Steps)
}
