//! The context of a cursor: the keys that enclose it, determined from indentation and brackets alone.

/// The context of a cursor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CursorContext {
    /// The keys that lead to the cursor; `[]` for an item of a list.
    pub(super) path: Vec<String>,
    /// A key is possible here.
    pub(super) is_key: bool,
    /// A value is possible here.
    pub(super) is_value: bool,
    /// Keys already present in the same object.
    pub(super) siblings: Vec<String>,
    /// The part of the word before the cursor.
    pub(super) word: String,
    /// Column where the word begins, counted from 1.
    pub(super) from: u32,
    /// The word follows a `.`, so it is a member.
    pub(super) is_member: bool,
    /// The text before that `.`.
    pub(super) before: String,
}

/// An enclosing key or list item: its indentation, its name, and a number that distinguishes it from others
/// of the same name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct OpenLevel {
    indent: usize,
    part: String,
    number: usize,
}

/// Reads lines and tracks which keys and list items are open.
#[derive(Default)]
struct IndentReader {
    open: Vec<OpenLevel>,
    number: usize,
    /// Keys, each with the numbers of the levels that enclose it.
    keys: Vec<(Vec<usize>, String)>,
}

impl CursorContext {
    /// Returns the context at a line and column, both counted from 1.
    pub(super) fn at(text: &str, line: u32, column: u32) -> CursorContext {
        let lines: Vec<&str> = text.lines().collect();
        let at = (line as usize).saturating_sub(1);
        let current = lines.get(at).copied().unwrap_or_default();
        let written: String = current.chars().take((column as usize).saturating_sub(1)).collect();
        let mut reader = IndentReader::default();
        lines.iter().take(at).for_each(|line| reader.read_line(line));
        let mut context = reader.cursor(&written);
        let inside: Vec<usize> = reader.open.iter().map(|level| level.number).collect();
        // Keys further down belong to the same object, too.
        lines.iter().skip(at + 1).for_each(|line| reader.read_line(line));
        let beside = reader.keys.iter().filter(|(levels, _)| *levels == inside).map(|(_, key)| key.clone());
        context.siblings.extend(beside);
        context
    }
}

impl IndentReader {
    /// Reads a complete line.
    fn read_line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return;
        }
        let rest = self.enter(line);
        if let Some((key, _)) = split_key(&rest) {
            let levels = self.open.iter().map(|level| level.number).collect();
            self.keys.push((levels, key.clone()));
            self.push(indent_of(line, &rest), key);
        }
    }

    /// Closes the levels that the line is not part of and opens its list items. Returns the rest of the line.
    fn enter(&mut self, line: &str) -> String {
        let mut indent = line.len() - line.trim_start().len();
        let mut rest = line.trim_start();
        let is_item = |rest: &str| rest == "-" || rest.starts_with("- ");
        if is_item(rest) {
            // List items may have the same indentation as their key.
            let is_closed =
                |level: &OpenLevel| level.indent > indent || level.indent == indent && level.part == "[]";
            while self.open.last().is_some_and(is_closed) {
                self.open.pop();
            }
        } else if !rest.is_empty() {
            while self.open.last().is_some_and(|level| level.indent >= indent) {
                self.open.pop();
            }
        }
        while is_item(rest) {
            self.push(indent, "[]".to_owned());
            let after = rest[1..].trim_start();
            indent += rest.len() - after.len();
            rest = after;
        }
        rest.to_owned()
    }

    fn push(&mut self, indent: usize, part: String) {
        self.number += 1;
        self.open.push(OpenLevel { indent, part, number: self.number });
    }

    /// Reads the line with the cursor, up to the cursor.
    fn cursor(&mut self, written: &str) -> CursorContext {
        let is_blank = written.trim().is_empty();
        if is_blank {
            let indent = written.len();
            while self.open.last().is_some_and(|level| level.indent >= indent) {
                self.open.pop();
            }
        }
        let rest = self.enter(written);
        let mut path: Vec<String> = self.open.iter().map(|level| level.part.clone()).collect();
        let (word, is_member) = last_word(written);
        let from = written.chars().count() as u32 - word.chars().count() as u32 + 1;
        let before = written[..written.len() - word.len()].strip_suffix('.').unwrap_or_default().to_owned();
        let mut context = CursorContext { word, from, is_member, before, ..CursorContext::default() };
        let value = match split_key(&rest) {
            Some((key, value)) => {
                path.push(key);
                value
            }
            None if rest.starts_with(['{', '[']) => rest,
            None => {
                // A key of a block, or a list item that is only a value.
                context.is_key = !is_member;
                context.is_value = path.last().is_some_and(|part| part == "[]") || is_member;
                context.path = path;
                return context;
            }
        };
        FlowBrackets::read(&value, path, &mut context);
        context
    }
}

/// An open bracket.
struct FlowBracket {
    is_map: bool,
    /// The keys inside it, and the one whose value is being written.
    keys: Vec<String>,
    key: Option<String>,
}

/// The open brackets of one line.
struct FlowBrackets {
    path: Vec<String>,
    open: Vec<FlowBracket>,
}

impl FlowBrackets {
    fn read(value: &str, path: Vec<String>, context: &mut CursorContext) {
        let mut flow = FlowBrackets { path, open: Vec::new() };
        let mut quote = None;
        let mut word = String::new();
        for letter in value.chars() {
            match letter {
                letter if quote == Some(letter) => quote = None,
                letter if quote.is_some() => word.push(letter),
                '"' | '\'' => quote = Some(letter),
                '{' | '[' | '}' | ']' | ',' => {
                    flow.bracket(letter);
                    word.clear();
                }
                ':' if flow.wants_key() => flow.name(word.trim()),
                letter => word.push(letter),
            }
            if letter == ':' {
                word.clear();
            }
        }
        context.is_key = flow.wants_key() && !(quote.is_some() && context.is_member);
        context.is_value = !context.is_key || context.is_member;
        if context.is_key {
            context.siblings = flow.open.pop().map(|bracket| bracket.keys).unwrap_or_default();
        }
        context.path = flow.path;
    }

    fn wants_key(&self) -> bool {
        self.open.last().is_some_and(|bracket| bracket.is_map && bracket.key.is_none())
    }

    fn name(&mut self, key: &str) {
        if let Some(bracket) = self.open.last_mut() {
            bracket.keys.push(key.to_owned());
            bracket.key = Some(key.to_owned());
            self.path.push(key.to_owned());
        }
    }

    fn bracket(&mut self, letter: char) {
        if matches!(letter, '}' | ']' | ',')
            && self.open.last_mut().is_some_and(|bracket| bracket.key.take().is_some())
        {
            self.path.pop();
        }
        match letter {
            '{' => self.open.push(FlowBracket { is_map: true, keys: Vec::new(), key: None }),
            '[' => {
                self.open.push(FlowBracket { is_map: false, keys: Vec::new(), key: None });
                self.path.push("[]".to_owned());
            }
            '}' | ']' if self.open.pop().is_some_and(|bracket| !bracket.is_map) => drop(self.path.pop()),
            _ => {}
        }
    }
}

/// Splits a line into its key and the rest.
fn split_key(rest: &str) -> Option<(String, String)> {
    if rest.starts_with(['{', '[']) {
        return None;
    }
    if let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '"' | '\'')) {
        let (key, after) = rest[1..].split_once(mark)?;
        return after.strip_prefix(':').map(|value| (key.to_owned(), value.to_owned()));
    }
    let colon = rest.find(": ").or_else(|| rest.trim_end().strip_suffix(':').map(str::len))?;
    let key = rest[..colon].trim();
    let is_plain = !key.is_empty() && !key.contains(['{', '[', '"', ',']);
    is_plain.then(|| (key.to_owned(), rest[colon + 1..].to_owned()))
}

fn indent_of(line: &str, rest: &str) -> usize {
    line.len() - rest.len()
}

/// Returns the word before the cursor, and whether it follows a dot.
fn last_word(written: &str) -> (String, bool) {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-' || letter == '@';
    let start = written
        .rfind(|letter| !is_part(letter))
        .map_or(0, |at| at + written[at..].chars().next().map_or(1, char::len_utf8));
    // The `-` of a list item, or a minus, is not part of the word.
    let word = written[start..].trim_start_matches('-');
    let before = &written[..written.len() - word.len()];
    (word.to_owned(), before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the context at the `|`.
    fn context(text: &str) -> CursorContext {
        let at = text.find('|').expect("there is a cursor");
        let line = text[..at].matches('\n').count() as u32 + 1;
        let column = text[..at].chars().rev().take_while(|letter| *letter != '\n').count() as u32 + 1;
        CursorContext::at(&text.replace('|', ""), line, column)
    }

    fn path(text: &str) -> String {
        let context = context(text);
        let what = match (context.is_key, context.is_value) {
            (true, true) => "either",
            (true, false) => "key",
            _ => "value",
        };
        format!("{} {what} {}", context.path.join("."), context.word)
    }

    #[test]
    fn the_path_consists_of_the_enclosing_keys() {
        assert_eq!(path("ev|"), " key ev");
        assert_eq!(path("events:\n  Hurt:\n    pay|\n"), "events.Hurt key pay");
        assert_eq!(
            path("events:\n  Hurt:\n    payload: {player: pl|"),
            "events.Hurt.payload.player value pl"
        );
        assert_eq!(path("flow:\n  - em|"), "flow.[] either em");
        assert_eq!(path("flow:\n  - emit: Hu|"), "flow.[].emit value Hu");
        assert_eq!(path("flow:\n- {emit: Hurt, pl|"), "flow.[] key pl");
        assert_eq!(path("flow:\n  - if: x\n    then: [{emit: H|"), "flow.[].then.[].emit value H");
        assert_eq!(path("zones:\n  deck: {}\n|"), " key ");
        assert_eq!(path("zones:\n  deck:\n    visible: none\n    |\n"), "zones.deck key ");
        assert_eq!(path("kinds: {card: {props: {power: {ty|"), "kinds.card.props.power key ty");
    }

    #[test]
    fn siblings_are_known() {
        let here =
            context("zones:\n  deck:\n    visible: none\n    |\n    order: list\n  hand:\n    of: player\n");
        assert_eq!(here.siblings, ["visible", "order"]);
        assert_eq!(context("zones: {deck: {visible: none, |").siblings, ["visible"]);
    }

    #[test]
    fn members_are_distinguished_from_names() {
        let here = context("flow:\n  - add: {who.sc|");
        assert!(here.is_member);
        assert_eq!((here.word.as_str(), here.from), ("sc", 15));
    }
}
