//! Alignment of a listing with the events, so that as few lines as possible differ.
//!
//! The same alignment decides whether a listing matches, shows where it does not, and tells a blessing
//! which lines can stay.

use std::ops::Range;

use crate::event_format::LoggedEvent;
use crate::scenario::{EventListing, EventPatternKind};
use crate::values::show_node;

/// Line of a comparison. Patterns and events are given by their indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DiffLine {
    /// The pattern matches the event.
    Same(usize, usize),
    /// The pattern has the name of the event, but its fields differ.
    Alike(usize, usize),
    /// A `...` that covers these events.
    Rest(usize, Range<usize>),
    /// A pattern without a matching event.
    Missing(usize),
    /// An event without a matching pattern.
    Extra(usize),
}

/// Similarity of a pattern and an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Similarity {
    Same,
    Alike,
    Different,
}

/// Comparison of a listing with the events.
pub(crate) struct ListingDiff {
    pub(crate) lines: Vec<DiffLine>,
}

impl ListingDiff {
    pub(crate) fn of(listing: &EventListing<'_>, events: &[LoggedEvent]) -> ListingDiff {
        let kind = |pattern: usize| &listing.patterns[pattern].kind;
        let is_rest = |pattern| matches!(kind(pattern), EventPatternKind::Rest);
        let likeness = |pattern, event: usize| match kind(pattern) {
            EventPatternKind::Event(name, fields) if events[event].is(name, fields) => Similarity::Same,
            EventPatternKind::Event(name, _) if events[event].event == *name => Similarity::Alike,
            _ => Similarity::Different,
        };
        ListingDiff { lines: align(listing.patterns.len(), events.len(), is_rest, likeness) }
    }

    pub(crate) fn holds(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, DiffLine::Same(..) | DiffLine::Rest(..)))
    }

    /// Formats the comparison: `-` was expected, `+` happened.
    pub(crate) fn show(&self, listing: &EventListing<'_>, events: &[LoggedEvent]) -> Vec<String> {
        let missing = |pattern: usize| {
            let text = show_node(listing.patterns[pattern].node);
            let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            format!("- {}", inner.unwrap_or(&text))
        };
        let extra = |event: usize| format!("+ {}", events[event].show());
        let lines = self.lines.iter().flat_map(|line| match line {
            DiffLine::Same(_, event) => vec![format!("  {}", events[*event].show())],
            DiffLine::Alike(pattern, event) => vec![missing(*pattern), extra(*event)],
            DiffLine::Rest(..) => vec!["  ...".to_owned()],
            DiffLine::Missing(pattern) => vec![missing(*pattern)],
            DiffLine::Extra(event) => vec![extra(*event)],
        });
        lines.collect()
    }
}

/// Cost of a missing line. It is higher than that of an extra one, so that written lines are matched if
/// possible.
const MISSING: usize = 7;
/// Cost of an extra line.
const EXTRA: usize = 4;
/// Cost of a line whose fields differ. It is higher than that of an extra line, so that the right line
/// further down is found, and lower than that of a missing line, so that dots do not hide the actual event.
const ALIKE: usize = 6;

/// Computes the cheapest alignment; among equals, the one that matches earliest.
fn align(
    patterns: usize,
    events: usize,
    is_rest: impl Fn(usize) -> bool,
    likeness: impl Fn(usize, usize) -> Similarity,
) -> Vec<DiffLine> {
    // `costs[at(p, e)]` is the cost of aligning the patterns from `p` on with the events from `e` on.
    let mut costs = vec![0usize; (patterns + 1) * (events + 1)];
    let at = |p: usize, e: usize| p * (events + 1) + e;
    let paired = |p: usize, e: usize| match likeness(p, e) {
        Similarity::Same => Some(0),
        Similarity::Alike => Some(ALIKE),
        Similarity::Different => None,
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
            lines.push(DiffLine::Rest(p, e..end));
            (p, e) = (p + 1, end);
        } else if pair.is_some_and(|pair| pair + costs[at(p + 1, e + 1)] == cost) {
            lines.push(if pair == Some(0) { DiffLine::Same(p, e) } else { DiffLine::Alike(p, e) });
            (p, e) = (p + 1, e + 1);
        } else if p < patterns && costs[at(p + 1, e)] + MISSING == cost {
            lines.push(DiffLine::Missing(p));
            p += 1;
        } else {
            lines.push(DiffLine::Extra(e));
            e += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aligns letters with letters. A capital differs in its fields; `.` stands for `...`.
    fn aligned(patterns: &str, events: &str) -> String {
        let (patterns, events) = (patterns.as_bytes(), events.as_bytes());
        let likeness = |p: usize, e: usize| match (patterns[p], events[e]) {
            (p, e) if p == e => Similarity::Same,
            (p, e) if p.eq_ignore_ascii_case(&e) => Similarity::Alike,
            _ => Similarity::Different,
        };
        let lines = align(patterns.len(), events.len(), |p| patterns[p] == b'.', likeness);
        let line = |line: &DiffLine| match line {
            DiffLine::Same(p, _) => format!("{}", patterns[*p] as char),
            DiffLine::Alike(p, e) => format!("-{}+{}", patterns[*p] as char, events[*e] as char),
            DiffLine::Rest(_, range) => format!("({})", String::from_utf8_lossy(&events[range.clone()])),
            DiffLine::Missing(p) => format!("-{}", patterns[*p] as char),
            DiffLine::Extra(e) => format!("+{}", events[*e] as char),
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
