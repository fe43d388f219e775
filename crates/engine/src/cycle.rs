//! Rules that set each other off without end: which they are, told when a guard has tripped.
//!
//! Whatever a reaction leads to happens inside the life of its event, so a cycle
//! of reactions lies in the frames, one turn on top of the other. Frames that
//! made room for the last thing they did, state checks and what waits on the
//! stack are noted in the [`Trail`].

use std::collections::BTreeMap;
use std::fmt;

use intermezzo_ruleset::{EventId, FaultCode, Place, Program, ReactionId, RoutineId};

use crate::agenda::{Agenda, Frame, Stage};

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

/// What has happened that the frames do not show: since things were last at rest, for each round (state checked, or
/// something on the stack resolved) the rules that ran, each once; and what gave way to what it led to.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    /// By depth; those of one depth led to each other, and the last of them to the event that is there now.
    passed: Vec<Passed>,
    /// Where each round begins among the rules, and how high the stack was.
    rounds: Vec<(usize, usize)>,
    rules: Vec<ReactionId>,
}

/// Code that has given way to the last event it made, together with the event it belonged to.
#[derive(Clone, Copy, Debug)]
struct Passed {
    depth: usize,
    routine: RoutineId,
    /// The event it belonged to.
    event: u32,
}

/// So many rounds, and so many frames that gave way, are remembered at least, if there were as many.
const MAX_ROUNDS: usize = 512;
const MAX_PASSED: usize = 4096;

/// How often rules must have come round before they count as a cycle. Where nesting itself is the trouble, less
/// will do.
const TURNS: usize = 8;
const NESTED_TURNS: usize = 3;

impl Trail {
    /// State is about to be checked, or the top of the stack to be resolved.
    pub(crate) fn begin_round(&mut self, height: usize) {
        if self.rounds.len() == 2 * MAX_ROUNDS {
            let first = self.rounds[MAX_ROUNDS].0;
            self.rules.drain(..first);
            self.rounds.drain(..MAX_ROUNDS);
            self.rounds.iter_mut().for_each(|round| round.0 -= first);
        }
        self.rounds.push((self.rules.len(), height));
    }

    /// The event at this depth and the code above it give way to what they led to.
    pub(crate) fn pass(&mut self, depth: usize, event: &Frame, code: &Frame) {
        // What lay above is over, and so is another chain that began at the same depth.
        let is_before =
            |passed: &Passed| passed.depth < depth || (passed.depth == depth && passed.event == event.parent);
        while self.passed.last().is_some_and(|last| !is_before(last)) {
            let over = self.passed.last().map_or(0, |last| last.depth);
            self.passed.truncate(self.passed.partition_point(|passed| passed.depth < over));
        }
        if self.passed.len() == 2 * MAX_PASSED {
            self.passed.drain(..MAX_PASSED);
        }
        self.passed.push(Passed { depth, routine: code.routine, event: event.id });
    }

    /// What has led to the event at this depth.
    fn passed(&self, depth: usize, event: &Frame) -> &[Passed] {
        let first = self.passed.partition_point(|passed| passed.depth < depth);
        let end = self.passed.partition_point(|passed| passed.depth <= depth);
        let found = &self.passed[first..end];
        let is_about = event.is_event() && found.last().is_some_and(|last| last.event == event.parent);
        if is_about { found } else { &[] }
    }

    /// An input is over, or has not begun.
    pub(crate) fn clear(&mut self) {
        self.rest();
        self.passed.clear();
    }

    /// A reaction runs.
    pub(crate) fn note(&mut self, reaction: ReactionId) {
        if let Some((first, _)) = self.rounds.last()
            && !self.rules[*first..].contains(&reaction)
        {
            self.rules.push(reaction);
        }
    }

    /// Nothing changes any more.
    pub(crate) fn rest(&mut self) {
        self.rounds.clear();
        self.rules.clear();
    }

    /// The rounds that are over: their rules, and the height of the stack.
    fn finished(&self) -> Vec<(&[ReactionId], usize)> {
        self.rounds.windows(2).map(|ends| (&self.rules[ends[0].0..ends[1].0], ends[0].1)).collect()
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
    let mut links = match period(&nested, turns, Link::eq) {
        Some(period) => nested[nested.len() - period..].to_vec(),
        None => rounds(&agenda.trail),
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
    let reaction = |routine: RoutineId| reactions.get(&routine).map(|reaction| Link::Reaction(*reaction));
    let mut links = Vec::new();
    for (depth, frame) in agenda.frames.iter().enumerate() {
        links.extend(agenda.trail.passed(depth, frame).iter().filter_map(|passed| reaction(passed.routine)));
        links.extend(match frame.stage {
            Stage::Code => reaction(frame.routine),
            Stage::Then => Some(Link::Consequences(frame.event)),
            _ => None,
        });
    }
    links
}

/// The rules of the rounds that come again and again. A stack that gets lower comes to its end.
fn rounds(trail: &Trail) -> Vec<Link> {
    let finished = trail.finished();
    let again = |later: &(&[ReactionId], usize), earlier: &(&[ReactionId], usize)| {
        later.0 == earlier.0 && later.1 >= earlier.1
    };
    let Some(period) = period(&finished, TURNS, again) else { return Vec::new() };
    let rules = finished[finished.len() - period..].iter().flat_map(|(rules, _)| *rules);
    rules.map(|rule| Link::Reaction(*rule)).collect()
}

/// The shortest part that stands at the end at least `turns` times in a row.
fn period<T>(items: &[T], turns: usize, again: impl Fn(&T, &T) -> bool) -> Option<usize> {
    let repeats = |period: &usize| {
        let tail = &items[items.len() - period * turns..];
        tail[*period..].iter().zip(tail).all(|(later, earlier)| again(later, earlier))
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
        let shortest = |items: &[u8]| period(items, 3, u8::eq);
        assert_eq!(shortest(&[9, 1, 2, 1, 2, 1, 2]), Some(2));
        assert_eq!(shortest(&[1, 1, 1]), Some(1));
        assert_eq!(shortest(&[1, 2, 1, 2, 1]), None);
        assert_eq!(shortest(&[]), None);
    }

    #[test]
    fn old_rounds_are_forgotten() {
        let mut trail = Trail::default();
        for round in 0..10_000 {
            trail.begin_round(0);
            trail.note(ReactionId(round % 2));
            trail.note(ReactionId(round % 2));
        }
        assert!(trail.rounds.len() <= 2 * MAX_ROUNDS && trail.rules.len() <= 2 * MAX_ROUNDS);
        assert_eq!(rounds(&trail).len(), 2);
        trail.rest();
        assert!(rounds(&trail).is_empty());
    }

    #[test]
    fn a_stack_that_is_being_emptied_is_no_cycle() {
        let mut trail = Trail::default();
        for height in (0..100).rev() {
            trail.begin_round(height);
            trail.note(ReactionId(0));
        }
        assert!(rounds(&trail).is_empty());
    }

    #[test]
    fn what_gave_way_is_known_as_long_as_its_chain_goes_on() {
        let frame = |id: u32, parent: u32| Frame { id, parent, ..Frame::bare(Stage::After, 0) };
        let code = |routine: u16| Frame { routine: RoutineId(routine), ..Frame::bare(Stage::Code, 0) };
        let mut trail = Trail::default();
        trail.pass(1, &frame(1, 0), &code(7));
        trail.pass(1, &frame(2, 1), &code(8));
        trail.pass(4, &frame(3, 2), &code(9));
        let routines = |trail: &Trail, depth, event: &Frame| -> Vec<u16> {
            trail.passed(depth, event).iter().map(|passed| passed.routine.0).collect()
        };
        assert_eq!(routines(&trail, 1, &frame(3, 2)), [7, 8]);
        assert_eq!(routines(&trail, 4, &frame(4, 3)), [9]);
        assert!(routines(&trail, 1, &frame(5, 0)).is_empty(), "another event at the same depth");
        trail.pass(1, &frame(6, 0), &code(7));
        assert_eq!(routines(&trail, 1, &frame(7, 6)), [7], "another chain");
        assert!(routines(&trail, 4, &frame(4, 3)).is_empty(), "what lay above is over");
    }

    #[test]
    fn rules_outside_state_checks_leave_no_trail() {
        let mut trail = Trail::default();
        (0..100).for_each(|_| trail.note(ReactionId(0)));
        assert!(trail.rules.is_empty());
    }
}
