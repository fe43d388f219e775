//! Watching one match: who decides how often, who uses what, who plays first.

use std::collections::BTreeMap;

use intermezzo_engine::{Answer, Input, Match, Pending};
use intermezzo_ruleset::{ActionHost, NULL, Program, Reached, Seat, Type, Word};

use super::Study;
use super::findings::{Findings, bit};
use super::things::{Labels, Thing};

/// One match as it is watched. Its memory is used again for the next.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    labels: Labels,
    /// Using a thing is acting with it; else it is choosing it.
    things_act: bool,
    /// By seat: answers so far.
    decisions: Vec<u32>,
    /// By seat: answers before the first play.
    first_play: Vec<Option<u32>>,
    /// Who used what how often.
    things: BTreeMap<Thing, Reached>,
    /// What the answer at hand would count.
    at_hand: AtHand,
}

#[derive(Clone, Debug, Default)]
struct AtHand {
    seat: usize,
    choice: usize,
    answers: u64,
    is_play: bool,
    things: Vec<Thing>,
    alternatives: Vec<u16>,
}

impl Watch {
    pub(crate) fn new(program: &Program) -> Watch {
        let acts = |host: &ActionHost| !matches!(host, ActionHost::Game);
        Watch {
            labels: Labels::new(program),
            things_act: program.actions.iter().any(|action| acts(&action.host)),
            decisions: Vec::new(),
            first_play: Vec::new(),
            things: BTreeMap::new(),
            at_hand: AtHand::default(),
        }
    }

    pub(crate) fn begin(&mut self, study: &Study) {
        let seats = usize::from(study.seats);
        self.decisions.clear();
        self.decisions.resize(seats, 0);
        self.first_play.clear();
        self.first_play.resize(seats, None);
        self.things.clear();
    }

    /// Looks at an answer before it is sent. False if it is none.
    pub(crate) fn look(&mut self, state: &Match, input: &Input, answers: Option<u64>) -> bool {
        let (Input::Answer { input, answer, .. }, Some(answers)) = (input, answers) else { return false };
        let Some(pending) = state.pending().find(|pending| pending.id() == *input) else { return false };
        let at_hand = &mut self.at_hand;
        at_hand.seat = pending.seat().index();
        at_hand.choice = pending.choice_id().index();
        at_hand.answers = answers;
        at_hand.things.clear();
        at_hand.alternatives.clear();
        at_hand.is_play = false;
        let picks = |options: &[Word], picks: &[i32], at_hand: &mut AtHand| {
            for pick in picks.iter().filter_map(|pick| options.get(usize::try_from(*pick).ok()?)) {
                used(state, &pending, *pick, (&self.labels, self.things_act), at_hand);
            }
        };
        match answer {
            Answer::Pass => {}
            Answer::Picks(picked) => picks(pending.options(), picked, at_hand),
            Answer::Branches(branches) => {
                for (at, picked) in branches {
                    at_hand.alternatives.push(*at);
                    at_hand.is_play |= !self.things_act;
                    let options = pending.branch(usize::from(*at)).map_or(&[][..], |branch| branch.options);
                    picks(options, picked, at_hand);
                }
            }
        }
        true
    }

    /// The answer that was looked at has been taken.
    pub(crate) fn taken(&mut self, findings: &mut Findings) {
        let AtHand { seat, choice, answers, is_play, things, alternatives } = &self.at_hand;
        findings.branching.add(*answers);
        findings.asked[*choice] += 1;
        for at in alternatives {
            findings.alternatives[*choice][usize::from(*at)] += 1;
        }
        for thing in things {
            let used = self.things.entry(*thing).or_default();
            used.times += 1;
            used.seats |= bit(Seat(*seat as u8));
        }
        if *is_play && self.first_play[*seat].is_none() {
            self.first_play[*seat] = Some(self.decisions[*seat]);
        }
        self.decisions[*seat] += 1;
    }

    /// Who has something of which sort.
    pub(crate) fn had(&self, state: &Match) -> BTreeMap<Thing, u64> {
        let board = state.board();
        let mut had = BTreeMap::new();
        for entity in board.entities() {
            if let (Some(thing), Some(owner)) = (self.labels.thing(board, entity), board.owner(entity)) {
                *had.entry(thing).or_default() |= bit(owner);
            }
        }
        had
    }

    /// Counts the match, which is over or broken off: who had what, and who won if it ended.
    pub(crate) fn end(&mut self, had: &BTreeMap<Thing, u64>, won: Option<u64>, findings: &mut Findings) {
        for (seat, decisions) in self.decisions.iter().enumerate() {
            findings.decisions[seat].add(*decisions, 1);
            match self.first_play[seat] {
                Some(before) => findings.first_play[seat].add(before, 1),
                None => findings.never_played[seat] += 1,
            }
        }
        for (thing, had) in had {
            let used = self.things.remove(thing).unwrap_or_default();
            findings.things.entry(*thing).or_default().add(used, *had, won);
        }
        // What was used and is no more.
        for (thing, used) in &self.things {
            findings.things.entry(*thing).or_default().add(*used, 0, won);
        }
    }
}

/// Notes what a picked option means: a thing of one's own or of nobody's, or an action with its host.
fn used(
    state: &Match,
    pending: &Pending<'_>,
    option: Word,
    (labels, things_act): (&Labels, bool),
    at_hand: &mut AtHand,
) {
    let board = state.board();
    let own = |entity: Word| {
        let is_own = board.owner(entity).is_none_or(|owner| owner == pending.seat());
        labels.thing(board, entity).filter(|_| is_own)
    };
    let program = pending.program();
    match &program.types[pending.choice().item.index()] {
        Type::Offer => {
            let host = board.offer(option).map_or(NULL, |(_, host, _)| host);
            let thing = own(host).filter(|_| host != NULL);
            at_hand.is_play |= thing.is_some() || !things_act;
            at_hand.things.extend(thing);
        }
        Type::Kind(_) | Type::Entity if !things_act => {
            at_hand.is_play = true;
            at_hand.things.extend(own(option).filter(|thing| !program.defs[thing.def.index()].is_trait));
        }
        // Saying no is no play.
        Type::Bool => at_hand.is_play |= !things_act && option != 0,
        _ => at_hand.is_play |= !things_act,
    }
}
