//! `p0` in expressions and statements of a scenario is short for `players[0]`.
//!
//! Texts are written out before they are compiled. To keep diagnostics at the
//! right place, a text that was written out stands beyond the end of its file,
//! and what the compiler says about it is brought back afterwards.

use std::ops::Range;

use intermezzo_compiler::tree::{Entry, Node, Text, Value};
use intermezzo_compiler::{Diagnostic, Span};

/// Where written-out texts begin; files are far smaller.
const BEYOND: u32 = 1 << 30;

/// The texts written out for one scenario.
#[derive(Default)]
pub(crate) struct Shorthand {
    texts: Vec<WrittenOut>,
}

/// A text that was written out.
struct WrittenOut {
    original: Text,
    /// Where it pretends to stand.
    place: Range<u32>,
    /// What became longer: bytes of the original, bytes of the result.
    seats: Vec<(Range<usize>, Range<usize>)>,
}

impl Shorthand {
    /// A tree with all seats in it written out.
    pub(crate) fn node(&mut self, node: &Node) -> Node {
        let value = match &node.value {
            Value::Text(text) => Value::Text(self.text(text)),
            Value::List(nodes) => Value::List(nodes.iter().map(|node| self.node(node)).collect()),
            Value::Map(entries) => {
                let entry =
                    |entry: &Entry| Entry { key: self.text(&entry.key), value: self.node(&entry.value) };
                Value::Map(entries.iter().map(entry).collect())
            }
            plain => plain.clone(),
        };
        Node { span: node.span, value }
    }

    /// A text with all seats in it written out.
    pub(crate) fn text(&mut self, text: &Text) -> Text {
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
        self.texts.push(WrittenOut { original: text.clone(), place, seats });
        Text::straight(&written, text.span.file, start)
    }

    /// Brings a diagnostic back to what the author wrote.
    pub(crate) fn bring_back(&self, diagnostic: &mut Diagnostic) {
        diagnostic.span = self.original(diagnostic.span);
        for (span, _) in &mut diagnostic.related {
            *span = self.original(*span);
        }
    }

    fn original(&self, span: Span) -> Span {
        let holds = |text: &&WrittenOut| (text.place.start..=text.place.end).contains(&span.start);
        match self.texts.iter().find(holds) {
            Some(text) => text.original.span_of(text.before(span.start, true)..text.before(span.end, false)),
            None => span,
        }
    }
}

impl WrittenOut {
    /// The byte of the original that a byte of the result comes from; inside a seat, its start or its end.
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

/// Where seats stand in an expression: words such as `p0` that are no property and not in quotes.
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

    fn written_out(text: &str) -> String {
        Shorthand::default().text(&Text::straight(text, FileId(0), 7)).value
    }

    #[test]
    fn seats_are_written_out() {
        assert_eq!(written_out("p0.hp"), "players[0].hp");
        assert_eq!(written_out("opponent(p1) == p0"), "opponent(players[1]) == players[0]");
        assert_eq!(written_out("p12"), "players[12]");
    }

    #[test]
    fn other_words_stay() {
        for text in ["p.hp", "p0x", "xp0", "it.p0", "players[0]", "'p0 wins'", ""] {
            assert_eq!(written_out(text), text);
        }
    }

    #[test]
    fn diagnostics_are_brought_back() {
        let mut shorthand = Shorthand::default();
        shorthand.text(&Text::straight("p0", FileId(0), 0));
        let text = shorthand.text(&Text::straight("p0.hpp + p1.hq", FileId(0), 100));
        let at = |word: &str| {
            text.span_of(text.value.find(word).unwrap()..text.value.find(word).unwrap() + word.len())
        };
        let back = |span| {
            let mut diagnostic = Diagnostic::error("E-PROP", span, "no such property").related(span, "here");
            shorthand.bring_back(&mut diagnostic);
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
