//! Words of a ruleset that the compiler checks, and misspellings of them.

use intermezzo_compiler::source::{SourceMap, Span};
use intermezzo_compiler::tree::{self, NodeValue, SourceNode};
use intermezzo_simulator::Random;

/// Keys whose texts are for people.
const PROSE: &[&str] =
    &["name", "title", "text", "hint", "say", "description", "currency", "version", "banner"];
/// Sections that are for people or clients, and are not rules.
const NOT_RULES: &[&str] = &["ui", "rules", "tutorial", "messages", "scenarios", "allow"];
/// Words of the expression language itself.
const KEYWORDS: &[&str] = &["if", "then", "else", "and", "or", "not", "in", "is", "true", "false", "null"];

/// Position of a word in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Role {
    /// A key the language knows, or a name the ruleset declares, before a colon.
    Key,
    /// Part of an expression, a type or a name, after a colon.
    Value,
    /// A word of the expression language.
    Keyword,
}

/// A word in a file.
#[derive(Clone, Debug)]
pub(crate) struct SpelledWord {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) role: Role,
    /// Keys that lead to the word.
    pub(crate) path: String,
}

impl SpelledWord {
    /// Returns true for words that name something new.
    pub(crate) fn is_declared_here(&self) -> bool {
        let ends = ["/id", "/phase", "/for", "/as", "/choose", "/outcomes", "/tags"];
        let is_key = self.role == Role::Key && (self.path == "/defs" || self.path.ends_with("/props"));
        is_key || ends.iter().any(|end| self.path.ends_with(end))
    }
}

/// Returns all words of a file that the compiler checks.
pub(crate) fn words(name: &str, text: &str) -> Vec<SpelledWord> {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text.to_owned());
    let mut problems = Vec::new();
    let root = tree::parse(file, &sources, &mut problems).expect("the ruleset can be read");
    let mut found = Vec::new();
    collect(&root, text, "", &mut found);
    found
}

fn collect(node: &SourceNode, text: &str, path: &str, found: &mut Vec<SpelledWord>) {
    match &node.value {
        NodeValue::Text(_) => words_in(node.span, text, Role::Value, path, found),
        NodeValue::List(items) => items.iter().for_each(|item| collect(item, text, path, found)),
        NodeValue::Map(entries) => {
            for entry in entries {
                let key = entry.key.value.as_str();
                if path.is_empty() && NOT_RULES.contains(&key) {
                    continue;
                }
                words_in(entry.key.span, text, Role::Key, path, found);
                let is_prose = PROSE.contains(&key)
                    || (path == "/ruleset" && key == "id")
                    || ["ui", "allow"].contains(&key)
                    // A text `else` is a message for people; a list `else` holds statements.
                    || (key == "else" && entry.value.as_text().is_some());
                if !is_prose {
                    collect(&entry.value, text, &format!("{path}/{key}"), found);
                }
            }
        }
        _ => {}
    }
}

/// Collects the identifiers in a piece of text; `2d6` is not one.
fn words_in(span: Span, text: &str, role: Role, path: &str, found: &mut Vec<SpelledWord>) {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let bytes = text.as_bytes();
    let mut at = span.start as usize;
    while at < span.end as usize {
        let start = at;
        while at < span.end as usize && (is_letter(bytes[at]) || bytes[at].is_ascii_digit()) {
            at += 1;
        }
        if at > start && is_letter(bytes[start]) {
            let is_keyword = role == Role::Value && KEYWORDS.contains(&&text[start..at]);
            let role = if is_keyword { Role::Keyword } else { role };
            found.push(SpelledWord { start, end: at, role, path: path.to_owned() });
        }
        at = at.max(start + 1);
    }
}

/// Writes a word in a way that is a habit elsewhere: another case, another mark between its parts, plural for singular. `None` if the
/// word has no such form.
pub(crate) fn slip(word: &str, random: &mut Random) -> Option<String> {
    let is_upper = word.starts_with(|first: char| first.is_ascii_uppercase());
    let flipped = |word: &str| {
        let first = &word[..1];
        let first = if is_upper { first.to_lowercase() } else { first.to_uppercase() };
        format!("{first}{}", &word[1..])
    };
    let camel = |word: &str| {
        let mut parts = word.split('_');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |so_far, part| {
            let (initial, rest) = part.split_at(part.len().min(1));
            format!("{so_far}{}{rest}", initial.to_uppercase())
        })
    };
    let changed = match random.below(5) {
        0 => flipped(word),
        1 if word.contains('_') => camel(word),
        2 if word.contains('_') => word.replace('_', ""),
        3 if word.len() > 3 && word.ends_with('s') => word[..word.len() - 1].to_owned(),
        3 if word.len() > 2 => format!("{word}s"),
        4 => word.to_uppercase(),
        _ => return None,
    };
    (changed != word).then_some(changed)
}

/// Misspells a word: one letter dropped, doubled, swapped with the next, or replaced.
pub(crate) fn misspell(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<u8> = word.bytes().collect();
    let at = random.index(letters.len());
    match random.below(4) {
        0 if letters.len() > 1 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letters[at]),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => {
            let other = b'a' + random.below(26) as u8;
            letters[at] = if letters[at].is_ascii_uppercase() { other.to_ascii_uppercase() } else { other };
        }
    }
    String::from_utf8(letters).expect("identifiers are ASCII")
}
