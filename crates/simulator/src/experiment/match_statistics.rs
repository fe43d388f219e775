//! Statistics of one match: decisions, entities used and first plays by seat.

use std::collections::BTreeMap;

use intermezzo_engine::{Answer, Input, Match, PendingQuestion};
use intermezzo_program::{ActionHost, CoverageHits, NULL, Program, Seat, Type, Word};

use super::Experiment;
use super::findings::{ExperimentFindings, bit};
use super::labels::{EntityLabel, LabelColumns};

/// Usage in one match. Its buffers are reused for the next match.
#[derive(Clone, Debug)]
pub(crate) struct MatchUsage {
    labels: LabelColumns,
    /// True if entities are used by acting with them, false if by choosing them.
    things_act: bool,
    /// Number of answers by seat.
    decisions: Vec<u32>,
    /// Number of answers before the first play, by seat.
    first_play: Vec<Option<u32>>,
    /// Uses of each entity label.
    things: BTreeMap<EntityLabel, CoverageHits>,
    /// Counts of the answer that is about to be sent.
    pending_answer: PendingAnswer,
}

#[derive(Clone, Debug, Default)]
struct PendingAnswer {
    seat: usize,
    choice: usize,
    answers: u64,
    is_play: bool,
    things: Vec<EntityLabel>,
    alternatives: Vec<u16>,
}

impl MatchUsage {
    pub(crate) fn new(program: &Program) -> MatchUsage {
        let acts = |host: &ActionHost| !matches!(host, ActionHost::Game);
        MatchUsage {
            labels: LabelColumns::new(program),
            things_act: program.actions.iter().any(|action| acts(&action.host)),
            decisions: Vec::new(),
            first_play: Vec::new(),
            things: BTreeMap::new(),
            pending_answer: PendingAnswer::default(),
        }
    }

    pub(crate) fn begin(&mut self, experiment: &Experiment) {
        let seats = usize::from(experiment.seats);
        self.decisions.clear();
        self.decisions.resize(seats, 0);
        self.first_play.clear();
        self.first_play.resize(seats, None);
        self.things.clear();
    }

    /// Records an answer before it is sent. Returns false if the input is not an answer.
    pub(crate) fn record_answer(&mut self, state: &Match, input: &Input, answers: Option<u64>) -> bool {
        let (Input::Answer { input, answer, .. }, Some(answers)) = (input, answers) else { return false };
        let Some(pending) = state.pending().find(|pending| pending.id() == *input) else { return false };
        let pending_answer = &mut self.pending_answer;
        pending_answer.seat = pending.seat().index();
        pending_answer.choice = pending.choice_id().index();
        pending_answer.answers = answers;
        pending_answer.things.clear();
        pending_answer.alternatives.clear();
        pending_answer.is_play = false;
        let picks = |options: &[Word], picks: &[i32], pending_answer: &mut PendingAnswer| {
            for pick in picks.iter().filter_map(|pick| options.get(usize::try_from(*pick).ok()?)) {
                record_use(state, &pending, *pick, (&self.labels, self.things_act), pending_answer);
            }
        };
        match answer {
            Answer::Pass => {}
            Answer::Picks(picked) => picks(pending.options(), picked, pending_answer),
            Answer::Branches(branches) => {
                for (at, picked) in branches {
                    pending_answer.alternatives.push(*at);
                    pending_answer.is_play |= !self.things_act;
                    let options = pending.branch(usize::from(*at)).map_or(&[][..], |branch| branch.options);
                    picks(options, picked, pending_answer);
                }
            }
        }
        true
    }

    /// Counts the recorded answer once it is accepted.
    pub(crate) fn count_answer(&mut self, findings: &mut ExperimentFindings) {
        let PendingAnswer { seat, choice, answers, is_play, things, alternatives } = &self.pending_answer;
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

    /// Returns the owners of each entity label.
    pub(crate) fn owners(&self, state: &Match) -> BTreeMap<EntityLabel, u64> {
        let board = state.board();
        let mut had = BTreeMap::new();
        for entity in board.entities() {
            if let (Some(thing), Some(owner)) = (self.labels.thing(board, entity), board.owner(entity)) {
                *had.entry(thing).or_default() |= bit(owner);
            }
        }
        had
    }

    /// Adds the match, finished or stopped, to the findings.
    pub(crate) fn finish(
        &mut self,
        had: &BTreeMap<EntityLabel, u64>,
        won: Option<u64>,
        findings: &mut ExperimentFindings,
    ) {
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
        // Entities that were used and no longer exist.
        for (thing, used) in &self.things {
            findings.things.entry(*thing).or_default().add(*used, 0, won);
        }
    }
}

/// Records a picked option: an entity that is the player's own or nobody's, or an action with its host.
fn record_use(
    state: &Match,
    pending: &PendingQuestion<'_>,
    option: Word,
    (labels, things_act): (&LabelColumns, bool),
    pending_answer: &mut PendingAnswer,
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
            pending_answer.is_play |= thing.is_some() || !things_act;
            pending_answer.things.extend(thing);
        }
        Type::Kind(_) | Type::Entity if !things_act => {
            pending_answer.is_play = true;
            pending_answer
                .things
                .extend(own(option).filter(|thing| !program.defs[thing.def.index()].is_trait));
        }
        // Answering no does not count as a play.
        Type::Bool => pending_answer.is_play |= !things_act && option != 0,
        _ => pending_answer.is_play |= !things_act,
    }
}
