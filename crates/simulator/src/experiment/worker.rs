//! Worker that plays the matches of an experiment one after the other in the same buffers. Every thread has its own.

use std::sync::Arc;

use intermezzo_bots::{Bot, NoSuchBot};
use intermezzo_engine::{EventLog, Match, Refusal, RuleFault, Setup, StartError};
use intermezzo_matchfile::Recorder;
use intermezzo_program::{ActionHost, CoverageKind, CoveragePoint, DefId, Program, RuleHost};

use super::Experiment;
use super::findings::{ExperimentFindings, bit};
use super::match_statistics::MatchUsage;
use crate::input_mix::InputMix;
use crate::outcome::SimulatedOutcome;
use crate::random_play::RandomPlay;

pub(crate) struct Worker<'a> {
    experiment: &'a Experiment,
    /// The worker's own copy of the instrumented program, so that threads do not share counters.
    instrumented: Arc<Program>,
    /// Def that each coverage point belongs to, if it belongs to one.
    owners: Vec<Option<DefId>>,
    bots: Vec<Option<Bot>>,
    players: RandomPlay,
    /// The match that is played. It is instrumented unless a bot looks ahead on it.
    state: Option<Match>,
    /// Instrumented copy of the match: lookahead of bots on the other one must not count.
    mirror: Option<Match>,
    log: EventLog,
    usage: MatchUsage,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(experiment: &'a Experiment) -> Result<Worker<'a>, NoSuchBot> {
        let mix = InputMix { max_inputs: experiment.max_inputs, ..InputMix::orderly() };
        Ok(Worker {
            experiment,
            instrumented: Arc::new((*experiment.instrumented).clone()),
            owners: owners(&experiment.instrumented),
            bots: experiment.bot_players()?,
            players: RandomPlay::new(0, &mix),
            state: None,
            mirror: None,
            log: EventLog::discard(),
            usage: MatchUsage::new(&experiment.program),
        })
    }

    /// Plays the match of a seed and adds it to the findings.
    pub(crate) fn play(&mut self, seed: u64, findings: &mut ExperimentFindings) {
        let mut outcome = SimulatedOutcome::default();
        self.usage.begin(self.experiment);
        self.assign_bots(seed);
        match self.begin(&self.experiment.setup(seed)) {
            Ok(()) => self.play_to_end(&mut outcome, findings),
            Err(fault) => outcome.add_fault(fault),
        }
        self.count(seed, &outcome, findings);
    }

    /// Plays the match of a seed and records it.
    pub(crate) fn record(&mut self, seed: u64) -> Result<Recorder, StartError> {
        self.assign_bots(seed);
        let mut recorder = Recorder::start(&self.experiment.program, &self.experiment.setup(seed))?;
        for _ in 0..self.experiment.max_inputs {
            let Some(input) = self.players.next(recorder.game()) else { break };
            if let Err(Refusal::Faulted(_)) = recorder.submit(input) {
                break;
            }
        }
        Ok(recorder)
    }

    /// Assigns bots to seats.
    fn assign_bots(&mut self, seed: u64) {
        let seats = self.experiment.bots_at(seed).into_iter();
        self.players.seat(seats.map(|bot| self.bots[bot].clone()).collect());
        self.players.reseed(seed);
    }

    fn begin(&mut self, setup: &Setup) -> Result<(), RuleFault> {
        let thinks = self.bots.iter().any(Option::is_some);
        let program = if thinks { &self.experiment.program } else { &self.instrumented };
        start(&mut self.state, program, setup, &mut self.log)?;
        if thinks {
            start(&mut self.mirror, &self.instrumented, setup, &mut self.log)?;
        }
        Ok(())
    }

    fn play_to_end(&mut self, outcome: &mut SimulatedOutcome, findings: &mut ExperimentFindings) {
        let state = self.state.as_mut().expect("the match has started");
        for _ in 0..self.experiment.max_inputs {
            if self.players.next(state).is_none() {
                break;
            }
            let (input, answers) = (self.players.last(), self.players.answer_count());
            let is_answer = self.usage.record_answer(state, input, answers);
            if let Some(answers) = answers {
                outcome.questions += 1;
                outcome.answers += u128::from(answers);
            }
            match state.submit(input, &mut self.log) {
                Ok(()) => {
                    outcome.add_failures(state.failures());
                    if is_answer {
                        self.usage.count_answer(findings);
                    }
                }
                Err(Refusal::Rejected(_)) => outcome.rejected += 1,
                Err(Refusal::Faulted(fault)) => outcome.add_fault(fault),
            }
            if let Some(mirror) = &mut self.mirror {
                // It behaves like the other match; only its counters matter.
                let _ = mirror.submit(input, &mut self.log);
            }
            if outcome.faults > 0 {
                break;
            }
        }
        outcome.ending = state.ending();
        outcome.inputs = state.input_count();
        outcome.events = state.event_count();
    }

    fn count(&mut self, seed: u64, outcome: &SimulatedOutcome, findings: &mut ExperimentFindings) {
        findings.totals.add(seed, outcome);
        let experiment = self.experiment;
        let ending = outcome.ending.as_ref();
        if let Some(ending) = ending {
            let seats =
                (0..experiment.seats).map(|seat| ending.winners.iter().any(|winner| winner.0 == seat));
            let won: Vec<bool> = seats.collect();
            let bots = experiment.bots_at(seed).into_iter().zip(&won);
            bots.for_each(|(bot, won)| findings.bots[bot].add(*won));
            let decks = experiment.decks_at(seed).into_iter().zip(&won);
            decks.for_each(|(deck, won)| findings.decks[deck].add(*won));
            let score = || ending.score.iter().flatten();
            let bots = experiment.bots_at(seed).into_iter().zip(score());
            bots.for_each(|(bot, score)| findings.bot_scores[bot].add(*score, 1));
            let decks = experiment.decks_at(seed).into_iter().zip(score());
            decks.for_each(|(deck, score)| findings.deck_scores[deck].add(*score, 1));
        }
        let Some(state) = self.state.as_ref() else { return };
        let won = ending.map(|ending| ending.winners.iter().fold(0u64, |won, seat| won | bit(*seat)));
        let had = self.usage.owners(state);
        let mut by_def = vec![0; experiment.instrumented.defs.len()];
        had.iter().for_each(|(thing, seats)| by_def[thing.def.index()] |= seats);
        self.usage.finish(&had, won, findings);
        self.count_probes(&by_def, won, findings);
    }

    fn count_probes(&self, had: &[u64], won: Option<u64>, findings: &mut ExperimentFindings) {
        let everyone = u64::MAX >> (64 - u32::from(self.experiment.seats.clamp(1, 64)));
        for (number, found) in findings.probes.iter_mut().enumerate() {
            let reached = self.instrumented.coverage.drain(number);
            let could = self.owners[number].map_or(everyone, |def| had[def.index()]);
            if reached.times > 0 || could != 0 {
                found.add(reached, could, won);
            }
        }
    }
}

/// Starts a match, reusing the buffers of the previous one.
fn start(
    state: &mut Option<Match>,
    program: &Arc<Program>,
    setup: &Setup,
    log: &mut EventLog,
) -> Result<(), RuleFault> {
    let begun = match state {
        Some(state) => state.restart(setup, log),
        None => Match::start(Arc::clone(program), setup, log).map(|begun| *state = Some(begun)),
    };
    match begun {
        Ok(()) => Ok(()),
        Err(StartError::Fault(fault)) => Err(fault),
        Err(error) => panic!("a match that differs only in its seed cannot start: {error}"),
    }
}

/// Returns the def that each coverage point belongs to.
fn owners(instrumented: &Program) -> Vec<Option<DefId>> {
    let of_rule = |name: &str| {
        let rule = instrumented.reactions.iter().find(|rule| instrumented.symbol(rule.name) == name)?;
        if let RuleHost::Def(def) = rule.host { Some(def) } else { None }
    };
    let of_action = |name: &str| {
        let action = instrumented.actions.iter().find(|action| instrumented.symbol(action.name) == name)?;
        if let ActionHost::Def(def) = action.host { Some(def) } else { None }
    };
    let owner = |probe: &CoveragePoint| {
        let def = match probe.kind {
            CoverageKind::Reaction => of_rule(&probe.name),
            CoverageKind::Action | CoverageKind::Ability => of_action(&probe.name),
            _ => None,
        };
        // Entities gain and lose traits, so a rule of a trait is open to every seat.
        def.filter(|def| !instrumented.defs[def.index()].is_trait)
    };
    instrumented.coverage.points().iter().map(owner).collect()
}
