//! Plays the matches of a study one after the other, in the same memory. Every thread has one of its own.

use std::sync::Arc;

use intermezzo_bots::{Bot, NoSuchBot};
use intermezzo_engine::{Fault, Log, Match, Refusal, Setup, StartError};
use intermezzo_journal::Recorder;
use intermezzo_ruleset::{ActionHost, DefId, Probe, ProbeKind, Program, RuleHost};

use super::Study;
use super::findings::{Findings, bit};
use super::watching::Watch;
use crate::habits::Habits;
use crate::outcome::Outcome;
use crate::random_play::RandomPlay;

pub(crate) struct Worker<'a> {
    study: &'a Study,
    /// The program with probes, a copy of one's own to count in.
    probed: Arc<Program>,
    /// Per probe: whose rule it is, if it is that of one def.
    owners: Vec<Option<DefId>>,
    bots: Vec<Option<Bot>>,
    players: RandomPlay,
    /// The match that is played, with probes unless somebody thinks.
    state: Option<Match>,
    /// The same match with probes, while bots look ahead on the one without.
    mirror: Option<Match>,
    log: Log,
    watch: Watch,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(study: &'a Study) -> Result<Worker<'a>, NoSuchBot> {
        let habits = Habits { max_inputs: study.max_inputs, ..Habits::orderly() };
        Ok(Worker {
            study,
            probed: Arc::new((*study.probed).clone()),
            owners: owners(&study.probed),
            bots: study.thinkers()?,
            players: RandomPlay::new(0, &habits),
            state: None,
            mirror: None,
            log: Log::discard(),
            watch: Watch::new(&study.program),
        })
    }

    /// Plays the match of a seed and counts it.
    pub(crate) fn play(&mut self, seed: u64, findings: &mut Findings) {
        let mut outcome = Outcome::default();
        self.watch.begin(self.study);
        self.sit(seed);
        match self.begin(&self.study.setup(seed)) {
            Ok(()) => self.play_on(&mut outcome, findings),
            Err(fault) => outcome.failed(fault),
        }
        self.count(seed, &outcome, findings);
    }

    /// Plays the match of a seed and writes everything down.
    pub(crate) fn record(&mut self, seed: u64) -> Result<Recorder, StartError> {
        self.sit(seed);
        let mut recorder = Recorder::start(&self.study.program, &self.study.setup(seed))?;
        for _ in 0..self.study.max_inputs {
            let Some(input) = self.players.next(recorder.playing()) else { break };
            if let Err(Refusal::Faulted(_)) = recorder.submit(input) {
                break;
            }
        }
        Ok(recorder)
    }

    /// Lets the bots take their seats.
    fn sit(&mut self, seed: u64) {
        let seats = self.study.bots_at(seed).into_iter();
        self.players.seat(seats.map(|bot| self.bots[bot].clone()).collect());
        self.players.reseed(seed);
    }

    fn begin(&mut self, setup: &Setup) -> Result<(), Fault> {
        let thinks = self.bots.iter().any(Option::is_some);
        let program = if thinks { &self.study.program } else { &self.probed };
        start(&mut self.state, program, setup, &mut self.log)?;
        if thinks {
            start(&mut self.mirror, &self.probed, setup, &mut self.log)?;
        }
        Ok(())
    }

    fn play_on(&mut self, outcome: &mut Outcome, findings: &mut Findings) {
        let state = self.state.as_mut().expect("the match has begun");
        for _ in 0..self.study.max_inputs {
            if self.players.next(state).is_none() {
                break;
            }
            let (input, answers) = (self.players.last(), self.players.answers_at_hand());
            let is_answer = self.watch.look(state, input, answers);
            if let Some(answers) = answers {
                outcome.questions += 1;
                outcome.answers += u128::from(answers);
            }
            match state.submit(input, &mut self.log) {
                Ok(()) => {
                    outcome.went_on(state.failures());
                    if is_answer {
                        self.watch.taken(findings);
                    }
                }
                Err(Refusal::Rejected(_)) => outcome.rejected += 1,
                Err(Refusal::Faulted(fault)) => outcome.failed(fault),
            }
            if let Some(mirror) = &mut self.mirror {
                // It goes as the other one does; there is nothing to learn from it but what it counts.
                let _ = mirror.submit(input, &mut self.log);
            }
            if outcome.faults > 0 {
                break;
            }
        }
        outcome.ending = state.ending();
        outcome.inputs = state.inputs_taken();
        outcome.events = state.event_count();
    }

    fn count(&mut self, seed: u64, outcome: &Outcome, findings: &mut Findings) {
        findings.tally.add(seed, outcome);
        let study = self.study;
        let ending = outcome.ending.as_ref();
        if let Some(ending) = ending {
            let seats = (0..study.seats).map(|seat| ending.winners.iter().any(|winner| winner.0 == seat));
            let won: Vec<bool> = seats.collect();
            let bots = study.bots_at(seed).into_iter().zip(&won);
            bots.for_each(|(bot, won)| findings.bots[bot].add(*won));
            let lots = study.lots_at(seed).into_iter().zip(&won);
            lots.for_each(|(lot, won)| findings.lots[lot].add(*won));
        }
        let Some(state) = self.state.as_ref() else { return };
        let won = ending.map(|ending| ending.winners.iter().fold(0u64, |won, seat| won | bit(*seat)));
        let had = self.watch.had(state);
        let mut by_def = vec![0; study.probed.defs.len()];
        had.iter().for_each(|(thing, seats)| by_def[thing.def.index()] |= seats);
        self.watch.end(&had, won, findings);
        self.count_probes(&by_def, won, findings);
    }

    fn count_probes(&self, had: &[u64], won: Option<u64>, findings: &mut Findings) {
        let everyone = u64::MAX >> (64 - u32::from(self.study.seats.clamp(1, 64)));
        for (number, found) in findings.probes.iter_mut().enumerate() {
            let reached = self.probed.probes.take(number);
            let could = self.owners[number].map_or(everyone, |def| had[def.index()]);
            if reached.times > 0 || could != 0 {
                found.add(reached, could, won);
            }
        }
    }
}

/// Begins a match, in place of another one if there is one.
fn start(
    state: &mut Option<Match>,
    program: &Arc<Program>,
    setup: &Setup,
    log: &mut Log,
) -> Result<(), Fault> {
    let begun = match state {
        Some(state) => state.restart(setup, log),
        None => Match::start(Arc::clone(program), setup, log).map(|begun| *state = Some(begun)),
    };
    match begun {
        Ok(()) => Ok(()),
        Err(StartError::Fault(fault)) => Err(fault),
        Err(error) => panic!("a match that differs only in its seed can begin, too: {error}"),
    }
}

/// Per probe of a rule: the def it belongs to.
fn owners(probed: &Program) -> Vec<Option<DefId>> {
    let of_rule = |name: &str| {
        let rule = probed.reactions.iter().find(|rule| probed.symbol(rule.name) == name)?;
        if let RuleHost::Def(def) = rule.host { Some(def) } else { None }
    };
    let of_action = |name: &str| {
        let action = probed.actions.iter().find(|action| probed.symbol(action.name) == name)?;
        if let ActionHost::Def(def) = action.host { Some(def) } else { None }
    };
    let owner = |probe: &Probe| {
        let def = match probe.kind {
            ProbeKind::Reaction => of_rule(&probe.name),
            ProbeKind::Action | ProbeKind::Ability => of_action(&probe.name),
            _ => None,
        };
        // What has a trait changes; then everyone counts.
        def.filter(|def| !probed.defs[def.index()].is_trait)
    };
    probed.probes.list().iter().map(owner).collect()
}
