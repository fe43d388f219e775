//! Expansion of `p0` in expressions and statements of a scenario to `players[0]`.
//!
//! Texts are expanded before they are compiled. To keep diagnostics accurate, an expanded text gets a
//! position beyond the end of its file, and the positions of its diagnostics are mapped back afterwards.

use std::ops::Range;

use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode, SourceText};
use intermezzo_compiler::{Diagnostic, Span};

/// First position of expanded texts. Files are far smaller.
const BEYOND: u32 = 1 << 30;

/// Expanded texts of one scenario.
#[derive(Default)]
pub(crate) struct Shorthand {
    texts: Vec<ExpandedText>,
}

/// Expanded text.
struct ExpandedText {
    original: SourceText,
    /// Position it claims to have.
    place: Range<u32>,
    /// Expanded parts: byte range in the original, byte range in the result.
    seats: Vec<(Range<usize>, Range<usize>)>,
}

impl Shorthand {
    /// Expands all seats in a tree.
    pub(crate) fn node(&mut self, node: &SourceNode) -> SourceNode {
        let value = match &node.value {
            NodeValue::Text(text) => NodeValue::Text(self.text(text)),
            NodeValue::List(nodes) => NodeValue::List(nodes.iter().map(|node| self.node(node)).collect()),
            NodeValue::Map(entries) => {
                let entry = |entry: &MapEntry| MapEntry {
                    key: self.text(&entry.key),
                    value: self.node(&entry.value),
                };
                NodeValue::Map(entries.iter().map(entry).collect())
            }
            plain => plain.clone(),
        };
        SourceNode { span: node.span, value }
    }

    /// Expands all seats in a text.
    pub(crate) fn text(&mut self, text: &SourceText) -> SourceText {
        let found = seats(text.as_str());
        if found.is_empty() {
            return text.clone();
        }
        let mut written = String::new();
        let mut seats = Vec::with_capacity(found.len());
        let mut at = 0;
        for range in found {
            written.push_str(&text.value[at..range.start]);
            let start = written.len();
            written.push_str(&format!("players[{}]", &text.value[range.start + 1..range.end]));
            at = range.end;
            seats.push((range, start..written.len()));
        }
        written.push_str(&text.value[at..]);
        let start = self.texts.last().map_or(BEYOND, |last| last.place.end + 1);
        let place = start..start + written.len() as u32;
        self.texts.push(ExpandedText { original: text.clone(), place, seats });
        SourceText::verbatim(&written, text.span.file, start)
    }

    /// Maps the positions of a diagnostic back to what the author wrote.
    pub(crate) fn map_back(&self, diagnostic: &mut Diagnostic) {
        diagnostic.span = self.original(diagnostic.span);
        for (span, _) in &mut diagnostic.related {
            *span = self.original(*span);
        }
    }

    /// Returns what the author wrote at a position.
    pub(crate) fn original(&self, span: Span) -> Span {
        let holds = |text: &&ExpandedText| (text.place.start..=text.place.end).contains(&span.start);
        match self.texts.iter().find(holds) {
            Some(text) => text.original.span_of(text.before(span.start, true)..text.before(span.end, false)),
            None => span,
        }
    }
}

impl ExpandedText {
    /// Maps a byte of the result to the original; inside a seat, to its start or end.
    fn before(&self, place: u32, is_start: bool) -> usize {
        let at = place.saturating_sub(self.place.start) as usize;
        let mut grown = 0;
        for (short, long) in &self.seats {
            if at >= long.end {
                grown = long.end - short.end;
            } else if at > long.start {
                return if is_start { short.start } else { short.end };
            }
        }
        at - grown
    }
}

/// Finds seats in an expression: words such as `p0` that are neither properties nor in quotes.
fn seats(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut found = Vec::new();
    let mut at = 0;
    let mut in_quotes = false;
    while at < bytes.len() {
        in_quotes ^= bytes[at] == b'\'';
        if in_quotes || !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = (at..bytes.len()).find(|end| !is_word(bytes[*end])).unwrap_or(bytes.len());
        let is_property = at > 0 && bytes[at - 1] == b'.';
        let word = &text[at..end];
        let is_seat =
            word.len() > 1 && word.starts_with('p') && word[1..].bytes().all(|byte| byte.is_ascii_digit());
        if is_seat && !is_property {
            found.push(at..end);
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use intermezzo_compiler::source::FileId;

    use super::*;

    fn expanded(text: &str) -> String {
        Shorthand::default().text(&SourceText::verbatim(text, FileId(0), 7)).value
    }

    #[test]
    fn seats_are_expanded() {
        assert_eq!(expanded("p0.hp"), "players[0].hp");
        assert_eq!(expanded("opponent(p1) == p0"), "opponent(players[1]) == players[0]");
        assert_eq!(expanded("p12"), "players[12]");
    }

    #[test]
    fn other_words_stay() {
        for text in ["p.hp", "p0x", "xp0", "it.p0", "players[0]", "'p0 wins'", ""] {
            assert_eq!(expanded(text), text);
        }
    }

    #[test]
    fn diagnostics_are_mapped_back() {
        let mut shorthand = Shorthand::default();
        shorthand.text(&SourceText::verbatim("p0", FileId(0), 0));
        let text = shorthand.text(&SourceText::verbatim("p0.hpp + p1.hq", FileId(0), 100));
        let at = |word: &str| {
            text.span_of(text.value.find(word).unwrap()..text.value.find(word).unwrap() + word.len())
        };
        let back = |span| {
            let mut diagnostic = Diagnostic::error("E-PROP", span, "no such property").related(span, "here");
            shorthand.map_back(&mut diagnostic);
            (diagnostic.span.start, diagnostic.span.end)
        };
        assert_eq!(back(at("hpp")), (103, 106));
        assert_eq!(back(at("hq")), (112, 114));
        assert_eq!(back(at("players[1]")), (109, 111));
        assert_eq!(back(at("layer")), (100, 102));
        assert_eq!(back(text.span), (100, 114));
        assert_eq!(back(Span::at(FileId(0), 5, 6)), (5, 6));
    }
}
