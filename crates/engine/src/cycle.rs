//! Rules that set each other off without end: which they are, told when a guard has tripped.
//!
//! Whatever a reaction leads to happens inside the life of its event, so a cycle
//! of reactions lies in the frames, one turn on top of the other. Only state
//! checks come back without nesting; what they do is noted in the [`Trail`]
//! until things are at rest.

use std::collections::BTreeMap;
use std::fmt;

use intermezzo_ruleset::{EventId, FaultCode, Place, Program, ReactionId, RoutineId};

use crate::agenda::{Agenda, Stage};

/// A rule that is part of a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleRule {
    /// The id of a reaction, or the name of an event with consequences.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
}

/// Rules that set each other off, in order; the first follows the last. Empty if none were found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cycle(pub Vec<CycleRule>);

/// What state checks have done since things were last at rest: for each round the rules that ran, each once.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    /// Where each round begins among the rules.
    rounds: Vec<usize>,
    rules: Vec<ReactionId>,
    /// The reactions that ran last, rounds or not: a chain may go on without nesting.
    recent: Vec<ReactionId>,
}

/// So many rounds are remembered at least, if there were as many.
const MAX_ROUNDS: usize = 512;

/// So many reactions are remembered at least.
const MAX_RECENT: usize = 512;

/// How often rules must have come round before they count as a cycle. Where nesting itself is the trouble, less
/// will do.
const TURNS: usize = 8;
const NESTED_TURNS: usize = 3;

impl Trail {
    /// State is about to be checked.
    pub(crate) fn begin_round(&mut self) {
        if self.rounds.len() == 2 * MAX_ROUNDS {
            let first = self.rounds[MAX_ROUNDS];
            self.rules.drain(..first);
            self.rounds.drain(..MAX_ROUNDS);
            self.rounds.iter_mut().for_each(|round| *round -= first);
        }
        self.rounds.push(self.rules.len());
    }

    /// A reaction runs.
    pub(crate) fn note(&mut self, reaction: ReactionId) {
        if self.recent.len() == 2 * MAX_RECENT {
            self.recent.drain(..MAX_RECENT);
        }
        self.recent.push(reaction);
        if let Some(first) = self.rounds.last()
            && !self.rules[*first..].contains(&reaction)
        {
            self.rules.push(reaction);
        }
    }

    /// Nothing changes any more, or the match has waited.
    pub(crate) fn rest(&mut self) {
        self.rounds.clear();
        self.rules.clear();
        self.recent.clear();
    }

    /// The rounds that are over.
    fn finished(&self) -> Vec<&[ReactionId]> {
        self.rounds.windows(2).map(|ends| &self.rules[ends[0]..ends[1]]).collect()
    }
}

/// One turn of a cycle is made of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Link {
    Reaction(ReactionId),
    Consequences(EventId),
}

/// The cycle that made a guard trip, if there is one.
pub(crate) fn find(program: &Program, agenda: &Agenda, code: FaultCode) -> Cycle {
    let turns = match code {
        FaultCode::Depth => NESTED_TURNS,
        FaultCode::Steps
        | FaultCode::Memory
        | FaultCode::Entities
        | FaultCode::Events
        | FaultCode::Reactions => TURNS,
        _ => return Cycle::default(),
    };
    let nested = nested(program, agenda);
    let recent: Vec<Link> = agenda.trail.recent.iter().copied().map(Link::Reaction).collect();
    let tail =
        |links: &[Link], turns| period(links, turns).map(|period| links[links.len() - period..].to_vec());
    // What comes last in a rule leaves no frame, so time may tell more than nesting.
    let mut links = match (tail(&nested, turns), tail(&recent, turns)) {
        (Some(nested), Some(recent)) if recent.len() > nested.len() => recent,
        (Some(nested), _) => nested,
        (None, recent) => match (rounds(&agenda.trail), recent) {
            (rounds, Some(recent)) if rounds.is_empty() => recent,
            (rounds, _) => rounds,
        },
    };
    // Where in its turn the guard tripped says nothing: the rule declared first comes first.
    let first = links.iter().enumerate().min_by_key(|(_, link)| **link).map_or(0, |(at, _)| at);
    links.rotate_left(first);
    Cycle(links.into_iter().map(|link| describe(program, link)).collect())
}

/// The rules under way, outermost first.
fn nested(program: &Program, agenda: &Agenda) -> Vec<Link> {
    let reactions: BTreeMap<RoutineId, ReactionId> = program
        .reactions
        .iter()
        .enumerate()
        .map(|(number, reaction)| (reaction.effects, ReactionId(number as u16)))
        .collect();
    let link = |frame: &crate::agenda::Frame| match frame.stage {
        Stage::Code => reactions.get(&frame.routine).map(|reaction| Link::Reaction(*reaction)),
        Stage::Then => Some(Link::Consequences(frame.event)),
        _ => None,
    };
    agenda.frames.iter().filter_map(link).collect()
}

/// The rules of the rounds of state checks that come again and again.
fn rounds(trail: &Trail) -> Vec<Link> {
    let finished = trail.finished();
    let Some(period) = period(&finished, TURNS) else { return Vec::new() };
    let rules = finished[finished.len() - period..].concat();
    rules.into_iter().map(Link::Reaction).collect()
}

/// The shortest part that stands at the end at least `turns` times in a row.
fn period<T: PartialEq>(items: &[T], turns: usize) -> Option<usize> {
    let repeats = |period: &usize| {
        let tail = &items[items.len() - period * turns..];
        tail[*period..].iter().zip(tail).all(|(item, before)| item == before)
    };
    (1..=items.len() / turns).find(repeats)
}

fn describe(program: &Program, link: Link) -> CycleRule {
    let (name, place) = match link {
        Link::Reaction(id) => {
            let reaction = &program.reactions[id.index()];
            (program.symbol(reaction.name).to_owned(), reaction.place)
        }
        Link::Consequences(event) => {
            let event = &program.events[event.index()];
            (event.name.clone(), event.then.and_then(|then| program.place(then)))
        }
    };
    let file = |place: Place| program.files.get(usize::from(place.file)).cloned();
    CycleRule { name, file: place.and_then(file).unwrap_or_default(), line: place.map_or(0, |p| p.line) }
}

impl Cycle {
    /// The names alone: `echo → reply → echo`.
    #[must_use]
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().chain(self.0.first()).map(|rule| rule.name.as_str()).collect();
        names.join(" → ")
    }

    /// Whether none was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Cycle {
    /// `echo (line 12 of rules.yaml) → reply (line 20) → echo`; the file is named where it is another one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut file = "";
        for rule in &self.0 {
            f.write_str(&rule.name)?;
            match (rule.line, rule.file == file) {
                (0, _) => {}
                (line, true) => write!(f, " (line {line})")?,
                (line, false) => write!(f, " (line {line} of {})", rule.file)?,
            }
            file = &rule.file;
            f.write_str(" → ")?;
        }
        self.0.first().map_or(Ok(()), |first| f.write_str(&first.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_part_that_repeats_is_found() {
        assert_eq!(period(&[9, 1, 2, 1, 2, 1, 2], 3), Some(2));
        assert_eq!(period(&[1, 1, 1], 3), Some(1));
        assert_eq!(period(&[1, 2, 1, 2, 1], 3), None);
        assert_eq!(period::<u8>(&[], 3), None);
    }

    #[test]
    fn old_rounds_are_forgotten() {
        let mut trail = Trail::default();
        for round in 0..10_000 {
            trail.begin_round();
            trail.note(ReactionId(round % 2));
            trail.note(ReactionId(round % 2));
        }
        assert!(trail.rounds.len() <= 2 * MAX_ROUNDS && trail.rules.len() <= 2 * MAX_ROUNDS);
        assert_eq!(rounds(&trail).len(), 2);
        trail.rest();
        assert!(rounds(&trail).is_empty());
    }

    #[test]
    fn rules_outside_state_checks_leave_no_trail() {
        let mut trail = Trail::default();
        (0..100).for_each(|_| trail.note(ReactionId(0)));
        assert!(trail.rules.is_empty());
    }
}
