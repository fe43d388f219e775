//! Lays a listing beside what happened so that as few lines as possible differ.
//!
//! The same alignment decides whether a listing holds, shows where it does not,
//! and tells a blessing which lines may stay.

use std::ops::Range;

use crate::happened::Happened;
use crate::scenario::{Listing, PatternKind};
use crate::values::show_node;

/// One line of a comparison; patterns and events by their places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    /// The pattern describes the event.
    Same(usize, usize),
    /// The pattern describes an event of that name, but another one.
    Alike(usize, usize),
    /// A `...` that stands for these events.
    Rest(usize, Range<usize>),
    /// A pattern that nothing matches.
    Missing(usize),
    /// An event that is not listed.
    Extra(usize),
}

/// How well a pattern describes an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Same,
    Alike,
    Different,
}

/// A listing beside the events it should describe.
pub(crate) struct Comparison {
    pub(crate) lines: Vec<Line>,
}

impl Comparison {
    pub(crate) fn of(listing: &Listing<'_>, events: &[Happened]) -> Comparison {
        let kind = |pattern: usize| &listing.patterns[pattern].kind;
        let is_rest = |pattern| matches!(kind(pattern), PatternKind::Rest);
        let likeness = |pattern, event: usize| match kind(pattern) {
            PatternKind::Event(name, fields) if events[event].is(name, fields) => Likeness::Same,
            PatternKind::Event(name, _) if events[event].event == *name => Likeness::Alike,
            _ => Likeness::Different,
        };
        Comparison { lines: align(listing.patterns.len(), events.len(), is_rest, likeness) }
    }

    pub(crate) fn holds(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, Line::Same(..) | Line::Rest(..)))
    }

    /// The comparison for people: `-` was expected, `+` happened.
    pub(crate) fn show(&self, listing: &Listing<'_>, events: &[Happened]) -> Vec<String> {
        let missing = |pattern: usize| {
            let text = show_node(listing.patterns[pattern].node);
            let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            format!("- {}", inner.unwrap_or(&text))
        };
        let extra = |event: usize| format!("+ {}", events[event].show());
        let lines = self.lines.iter().flat_map(|line| match line {
            Line::Same(_, event) => vec![format!("  {}", events[*event].show())],
            Line::Alike(pattern, event) => vec![missing(*pattern), extra(*event)],
            Line::Rest(..) => vec!["  ...".to_owned()],
            Line::Missing(pattern) => vec![missing(*pattern)],
            Line::Extra(event) => vec![extra(*event)],
        });
        lines.collect()
    }
}

/// What a missing line costs: more than an extra one, so that what was written stays if it can.
const MISSING: usize = 7;
/// What an extra line costs.
const EXTRA: usize = 4;
/// What a line costs that is only alike: more than an extra one, so that the right line behind it is found; less than
/// a missing one, so that dots do not hide what happened instead.
const ALIKE: usize = 6;

/// The alignment that costs least; of several, the one that finds matches earliest.
fn align(
    patterns: usize,
    events: usize,
    is_rest: impl Fn(usize) -> bool,
    likeness: impl Fn(usize, usize) -> Likeness,
) -> Vec<Line> {
    // What it costs to align the patterns from `p` on with the events from `e` on.
    let mut costs = vec![0usize; (patterns + 1) * (events + 1)];
    let at = |p: usize, e: usize| p * (events + 1) + e;
    let paired = |p: usize, e: usize| match likeness(p, e) {
        Likeness::Same => Some(0),
        Likeness::Alike => Some(ALIKE),
        Likeness::Different => None,
    };
    for p in (0..=patterns).rev() {
        for e in (0..=events).rev() {
            let is_rest = p < patterns && is_rest(p);
            let missing = (p < patterns).then(|| if is_rest { 0 } else { MISSING } + costs[at(p + 1, e)]);
            let extra = (e < events).then(|| if is_rest { 0 } else { EXTRA } + costs[at(p, e + 1)]);
            let pair = if p < patterns && e < events { paired(p, e) } else { None };
            let pair = pair.map(|cost| cost + costs[at(p + 1, e + 1)]);
            costs[at(p, e)] = [missing, extra, pair].into_iter().flatten().min().unwrap_or(0);
        }
    }
    let mut lines = Vec::new();
    let (mut p, mut e) = (0, 0);
    while p < patterns || e < events {
        let cost = costs[at(p, e)];
        let pair = if p < patterns && e < events { paired(p, e) } else { None };
        if p < patterns && is_rest(p) {
            let end = (e..=events).find(|end| costs[at(p + 1, *end)] == cost).unwrap_or(events);
            lines.push(Line::Rest(p, e..end));
            (p, e) = (p + 1, end);
        } else if pair.is_some_and(|pair| pair + costs[at(p + 1, e + 1)] == cost) {
            lines.push(if pair == Some(0) { Line::Same(p, e) } else { Line::Alike(p, e) });
            (p, e) = (p + 1, e + 1);
        } else if p < patterns && costs[at(p + 1, e)] + MISSING == cost {
            lines.push(Line::Missing(p));
            p += 1;
        } else {
            lines.push(Line::Extra(e));
            e += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aligns letters with letters; a capital is alike, `.` stands for any number of them.
    fn aligned(patterns: &str, events: &str) -> String {
        let (patterns, events) = (patterns.as_bytes(), events.as_bytes());
        let likeness = |p: usize, e: usize| match (patterns[p], events[e]) {
            (p, e) if p == e => Likeness::Same,
            (p, e) if p.eq_ignore_ascii_case(&e) => Likeness::Alike,
            _ => Likeness::Different,
        };
        let lines = align(patterns.len(), events.len(), |p| patterns[p] == b'.', likeness);
        let line = |line: &Line| match line {
            Line::Same(p, _) => format!("{}", patterns[*p] as char),
            Line::Alike(p, e) => format!("-{}+{}", patterns[*p] as char, events[*e] as char),
            Line::Rest(_, range) => format!("({})", String::from_utf8_lossy(&events[range.clone()])),
            Line::Missing(p) => format!("-{}", patterns[*p] as char),
            Line::Extra(e) => format!("+{}", events[*e] as char),
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn equal_lists_agree_line_by_line() {
        assert_eq!(aligned("abc", "abc"), "abc");
        assert_eq!(aligned("", ""), "");
    }

    #[test]
    fn a_wrong_line_is_missing_and_extra() {
        assert_eq!(aligned("abc", "axc"), "a-b+xc");
        assert_eq!(aligned("ab", ""), "-a-b");
        assert_eq!(aligned("", "ab"), "+a+b");
    }

    #[test]
    fn lines_in_another_order_differ() {
        assert_eq!(aligned("abc", "bac"), "-ab+ac");
    }

    #[test]
    fn dots_stand_for_any_number_of_events() {
        assert_eq!(aligned(".c", "abc"), "(ab)c");
        assert_eq!(aligned("a.", "a"), "a()");
        assert_eq!(aligned("a.c.", "abcbd"), "a(b)c(bd)");
        assert_eq!(aligned("a.x", "abc"), "a(bc)-x");
    }

    #[test]
    fn a_line_is_compared_with_one_of_the_same_name() {
        assert_eq!(aligned("axBc", "abc"), "a-x-B+bc");
        assert_eq!(aligned("xB", "yb"), "-x+y-B+b");
    }

    #[test]
    fn dots_do_not_swallow_what_is_written() {
        assert_eq!(aligned("b.", "ab"), "+ab()");
        assert_eq!(aligned("axc.", "abcd"), "a-x+bc(d)");
        assert_eq!(aligned(".B.", "abc"), "(a)-B+b(c)");
    }
}
