//! Cycle reports: finds the rules that trigger each other endlessly, once a guard has tripped.
//!
//! The consequences of a reaction happen inside the life cycle of its event, so a cycle of reactions lies in the
//! frames, one turn on top of the other. Three things leave no frames: tail calls, state checks and resolved
//! stack items. The [`RuleHistory`] records them.

use std::collections::BTreeMap;
use std::fmt;

use intermezzo_program::{EventId, FaultCode, Program, ReactionId, RoutineId, SourceLocation};

use crate::run::bystanders::without_bystanders;
use crate::run::frames::{CodeFrame, EventFrame, Frame, FrameStack, LifecycleStage};

/// A rule that is part of a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleRule {
    /// Id of a reaction, or name of an event with consequences.
    pub name: String,
    /// The file that declares it.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
}

/// Rules that trigger each other, in order; the first follows the last. Empty if no cycle was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cycle(pub Vec<CycleRule>);

/// The rules that ran without leaving a frame, since the match was last at rest. Contains the tail calls, and for
/// each round (one run of the state checks, or one resolved stack item) the rules that ran, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleHistory {
    /// Sorted by depth. Those of one depth form a chain whose last link caused the event now at that depth.
    tail_calls: Vec<TailCall>,
    /// For each round: index of its first rule, and the height of the stack when it began.
    rounds: Vec<(usize, usize)>,
    rules: Vec<ReactionId>,
    /// The rule that ran last, with the number of the newest event when it began. It is part of the round only if
    /// it makes something happen.
    latest: Option<(ReactionId, u32)>,
}

/// Code that was replaced by the last event it emitted, as in a tail call.
#[derive(Clone, Copy, Debug)]
struct TailCall {
    depth: usize,
    routine: RoutineId,
    /// The event that the code belonged to.
    event: u32,
}

/// Minimum number of rounds and tail calls that are remembered. Twice as many are held before the older half is
/// dropped.
const MAX_ROUNDS: usize = 512;
const MAX_TAIL_CALLS: usize = 4096;

/// Greatest number of rules that may be under way on top of a cycle of nested ones.
const MAX_BESIDE: usize = 4;

/// Repetitions needed before rules count as a cycle. Fewer are needed if the depth limit tripped, because deep
/// nesting holds fewer turns.
const MIN_REPEATS: usize = 8;
const MIN_NESTED_REPEATS: usize = 3;

impl RuleHistory {
    /// Begins a round: state checks are about to run, or the top stack item is about to resolve.
    pub(crate) fn begin_round(&mut self, height: usize, newest: u32) {
        self.end_rule(newest);
        if self.rounds.len() == 2 * MAX_ROUNDS {
            let first = self.rounds[MAX_ROUNDS].0;
            self.rules.drain(..first);
            self.rounds.drain(..MAX_ROUNDS);
            self.rounds.iter_mut().for_each(|round| round.0 -= first);
        }
        self.rounds.push((self.rules.len(), height));
    }

    /// Records that the event at this depth and the code above it are replaced by the event they emit last.
    pub(crate) fn note_tail_call(&mut self, depth: usize, event: &EventFrame, code: &CodeFrame) {
        // Everything above this depth is over, and so is any other chain that began at this depth.
        let is_before =
            |call: &TailCall| call.depth < depth || (call.depth == depth && call.event == event.parent);
        while self.tail_calls.last().is_some_and(|last| !is_before(last)) {
            let over = self.tail_calls.last().map_or(0, |last| last.depth);
            self.tail_calls.truncate(self.tail_calls.partition_point(|call| call.depth < over));
        }
        if self.tail_calls.len() == 2 * MAX_TAIL_CALLS {
            self.tail_calls.drain(..MAX_TAIL_CALLS);
        }
        self.tail_calls.push(TailCall { depth, routine: code.routine, event: event.id });
    }

    /// Returns the tail calls that led to the event at this depth.
    fn tail_calls_to(&self, depth: usize, frame: &Frame) -> &[TailCall] {
        let first = self.tail_calls.partition_point(|call| call.depth < depth);
        let end = self.tail_calls.partition_point(|call| call.depth <= depth);
        let found = &self.tail_calls[first..end];
        let parent = frame.as_event().map(|event| event.parent);
        let is_about = found.last().is_some_and(|last| Some(last.event) == parent);
        if is_about { found } else { &[] }
    }

    /// Clears everything, before an input.
    pub(crate) fn clear(&mut self) {
        self.clear_rounds();
        self.tail_calls.clear();
    }

    /// Records that a reaction runs in the current round. `newest` is the number of the newest event.
    pub(crate) fn note_reaction(&mut self, reaction: ReactionId, newest: u32) {
        self.end_rule(newest);
        if !self.rounds.is_empty() {
            self.latest = Some((reaction, newest));
        }
    }

    /// Records that the rule that ran last is over. It is part of the current round unless nothing has happened
    /// since it began.
    pub(crate) fn end_rule(&mut self, newest: u32) {
        if let (Some((rule, before)), Some((first, _))) = (self.latest.take(), self.rounds.last())
            && before != newest
            && !self.rules[*first..].contains(&rule)
        {
            self.rules.push(rule);
        }
    }

    /// Forgets all rounds, because the match is at rest.
    pub(crate) fn clear_rounds(&mut self) {
        self.latest = None;
        self.rounds.clear();
        self.rules.clear();
    }

    /// Returns the rules and the stack height of each finished round.
    fn finished_rounds(&self) -> Vec<(&[ReactionId], usize)> {
        self.rounds.windows(2).map(|ends| (&self.rules[ends[0].0..ends[1].0], ends[0].1)).collect()
    }
}

/// One link of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum CycleLink {
    Reaction(ReactionId),
    Consequences(EventId),
}

/// Finds the cycle that made a guard trip. Empty for faults that are not guards.
pub(crate) fn find_cycle(program: &Program, frames: &FrameStack, code: FaultCode) -> Cycle {
    let turns = match code {
        FaultCode::Depth => MIN_NESTED_REPEATS,
        FaultCode::Steps
        | FaultCode::Memory
        | FaultCode::Entities
        | FaultCode::Events
        | FaultCode::Reactions => MIN_REPEATS,
        _ => return Cycle::default(),
    };
    let nested = nested_rules(program, frames);
    let mut links = match nested_cycle(&nested, turns) {
        Some(links) => links.to_vec(),
        None => {
            let rules = without_bystanders(program, &repeated_rounds(&frames.history));
            rules.into_iter().map(CycleLink::Reaction).collect()
        }
    };
    // The guard may trip anywhere in the cycle. Start with the rule declared first, so that reports are stable.
    let first = links.iter().enumerate().min_by_key(|(_, link)| **link).map_or(0, |(at, _)| at);
    links.rotate_left(first);
    Cycle(links.into_iter().map(|link| describe(program, link)).collect())
}

/// Returns the rules that repeat at the end of nested ones. The guard may trip in a rule beside the cycle, so a few at the very
/// end need not fit.
fn nested_cycle(nested: &[CycleLink], turns: usize) -> Option<&[CycleLink]> {
    (0..=MAX_BESIDE.min(nested.len())).find_map(|beside| {
        let nested = &nested[..nested.len() - beside];
        period(nested, turns, CycleLink::eq).map(|period| &nested[nested.len() - period..])
    })
}

/// Returns the rules under way, outermost first.
fn nested_rules(program: &Program, frames: &FrameStack) -> Vec<CycleLink> {
    let reactions: BTreeMap<RoutineId, ReactionId> = program
        .reactions
        .iter()
        .enumerate()
        .map(|(number, reaction)| (reaction.effects, ReactionId(number as u16)))
        .collect();
    let reaction =
        |routine: RoutineId| reactions.get(&routine).map(|reaction| CycleLink::Reaction(*reaction));
    let mut links = Vec::new();
    for (depth, frame) in frames.stack.iter().enumerate() {
        links.extend(
            frames.history.tail_calls_to(depth, frame).iter().filter_map(|call| reaction(call.routine)),
        );
        links.extend(match frame {
            Frame::Code(code) => reaction(code.routine),
            Frame::Event(event) if event.stage == LifecycleStage::Then => {
                Some(CycleLink::Consequences(event.event))
            }
            _ => None,
        });
    }
    links
}

/// Returns the rules of rounds that repeat. Rounds on a shrinking stack are no cycle: they end by themselves.
fn repeated_rounds(history: &RuleHistory) -> Vec<ReactionId> {
    let finished = history.finished_rounds();
    let again = |later: &(&[ReactionId], usize), earlier: &(&[ReactionId], usize)| {
        later.0 == earlier.0 && later.1 >= earlier.1
    };
    let Some(period) = period(&finished, MIN_REPEATS, again) else { return Vec::new() };
    finished[finished.len() - period..].iter().flat_map(|(rules, _)| *rules).copied().collect()
}

/// Returns the length of the shortest suffix that occurs at least `turns` times in a row at the end.
fn period<T>(items: &[T], turns: usize, again: impl Fn(&T, &T) -> bool) -> Option<usize> {
    let repeats = |period: &usize| {
        let tail = &items[items.len() - period * turns..];
        tail[*period..].iter().zip(tail).all(|(later, earlier)| again(later, earlier))
    };
    (1..=items.len() / turns).find(repeats)
}

fn describe(program: &Program, link: CycleLink) -> CycleRule {
    let (name, place) = match link {
        CycleLink::Reaction(id) => {
            let reaction = &program.reactions[id.index()];
            (program.symbol(reaction.name).to_owned(), reaction.location)
        }
        CycleLink::Consequences(event) => {
            let event = &program.events[event.index()];
            (event.name.clone(), event.then.and_then(|then| program.location(then)))
        }
    };
    let file = |place: SourceLocation| program.files.get(usize::from(place.file)).cloned();
    CycleRule { name, file: place.and_then(file).unwrap_or_default(), line: place.map_or(0, |p| p.line) }
}

impl Cycle {
    /// Formats the names alone: `echo → reply → echo`.
    #[must_use]
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().chain(self.0.first()).map(|rule| rule.name.as_str()).collect();
        names.join(" → ")
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Cycle {
    /// Formats as `echo (line 12 of rules.yaml) → reply (line 20) → echo`. A file is only named when it changes.
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
    fn a_rule_beside_a_nested_cycle_hides_nothing() {
        let links = |numbers: &[u16]| -> Vec<CycleLink> {
            numbers.iter().map(|number| CycleLink::Reaction(ReactionId(*number))).collect()
        };
        let found = |numbers: &[u16]| nested_cycle(&links(numbers), 3).map(<[CycleLink]>::to_vec);
        assert_eq!(found(&[9, 1, 2, 1, 2, 1, 2, 7]), Some(links(&[1, 2])));
        assert_eq!(found(&[1, 2, 1, 2, 1, 2, 5, 6, 7, 8, 9]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn old_rounds_are_forgotten() {
        let mut history = RuleHistory::default();
        for round in 0..10_000 {
            history.begin_round(0, 3 * round);
            history.note_reaction(ReactionId(round as u16 % 2), 3 * round + 1);
            history.note_reaction(ReactionId(round as u16 % 2), 3 * round + 2);
        }
        assert!(history.rounds.len() <= 2 * MAX_ROUNDS && history.rules.len() <= 2 * MAX_ROUNDS);
        assert_eq!(repeated_rounds(&history).len(), 2);
        history.clear_rounds();
        assert!(repeated_rounds(&history).is_empty());
    }

    #[test]
    fn a_stack_that_is_being_emptied_is_no_cycle() {
        let mut history = RuleHistory::default();
        for height in (0..100).rev() {
            history.begin_round(height, 100 - height as u32);
            history.note_reaction(ReactionId(0), 100 - height as u32);
        }
        assert!(repeated_rounds(&history).is_empty());
    }

    #[test]
    fn rules_that_change_nothing_are_not_part_of_a_cycle() {
        let mut history = RuleHistory::default();
        for round in 0..100 {
            history.begin_round(0, round);
            history.note_reaction(ReactionId(0), round);
            history.note_reaction(ReactionId(1), round);
        }
        assert_eq!(repeated_rounds(&history), [ReactionId(1)]);
    }

    #[test]
    fn tail_calls_are_known_while_their_chain_lasts() {
        let frame = |id: u32, parent: u32| EventFrame { id, parent, ..EventFrame::new(EventId(0), 0, 0) };
        let code = |routine: u16| CodeFrame {
            base: 0,
            cause: 0,
            pc: 0,
            batch: 0,
            routine: RoutineId(routine),
            ret: intermezzo_program::Reg::NONE,
        };
        let mut history = RuleHistory::default();
        history.note_tail_call(1, &frame(1, 0), &code(7));
        history.note_tail_call(1, &frame(2, 1), &code(8));
        history.note_tail_call(4, &frame(3, 2), &code(9));
        let routines = |history: &RuleHistory, depth, event: &EventFrame| -> Vec<u16> {
            history.tail_calls_to(depth, &Frame::Event(*event)).iter().map(|call| call.routine.0).collect()
        };
        assert_eq!(routines(&history, 1, &frame(3, 2)), [7, 8]);
        assert_eq!(routines(&history, 4, &frame(4, 3)), [9]);
        assert!(routines(&history, 1, &frame(5, 0)).is_empty(), "another event at the same depth");
        history.note_tail_call(1, &frame(6, 0), &code(7));
        assert_eq!(routines(&history, 1, &frame(7, 6)), [7], "another chain");
        assert!(routines(&history, 4, &frame(4, 3)).is_empty(), "the frames above are over");
    }

    #[test]
    fn rules_outside_rounds_are_not_recorded() {
        let mut history = RuleHistory::default();
        (0..100).for_each(|event| history.note_reaction(ReactionId(0), event));
        assert!(history.rules.is_empty());
    }
}
