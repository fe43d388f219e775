//! Where a cursor stands: which keys lead there, told from indentation and brackets alone.

/// Where a cursor stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Place {
    /// The keys that lead there; `[]` for an item of a list.
    pub(super) path: Vec<String>,
    /// A key can stand here.
    pub(super) is_key: bool,
    /// A value can stand here.
    pub(super) is_value: bool,
    /// Keys that stand beside it already.
    pub(super) siblings: Vec<String>,
    /// What of the word is written.
    pub(super) word: String,
    /// Where the word begins: a column, counted from 1.
    pub(super) from: u32,
    /// The word follows a `.`: a member of something.
    pub(super) is_member: bool,
    /// What is written before that `.`.
    pub(super) before: String,
}

/// One level of what is open: how far in it stands, what it is, and what tells it from others of the same name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Level {
    indent: usize,
    part: String,
    number: usize,
}

/// Reads lines one after the other.
#[derive(Default)]
struct Reader {
    open: Vec<Level>,
    number: usize,
    /// Keys with the numbers of the levels they stand in.
    keys: Vec<(Vec<usize>, String)>,
}

impl Place {
    /// The place at that line and column, both counted from 1.
    pub(super) fn find(text: &str, line: u32, column: u32) -> Place {
        let lines: Vec<&str> = text.lines().collect();
        let at = (line as usize).saturating_sub(1);
        let current = lines.get(at).copied().unwrap_or_default();
        let written: String = current.chars().take((column as usize).saturating_sub(1)).collect();
        let mut reader = Reader::default();
        lines.iter().take(at).for_each(|line| reader.read(line));
        let mut place = reader.cursor(&written);
        let inside: Vec<usize> = reader.open.iter().map(|level| level.number).collect();
        // Keys further down stand beside it, too.
        lines.iter().skip(at + 1).for_each(|line| reader.read(line));
        let beside = reader.keys.iter().filter(|(levels, _)| *levels == inside).map(|(_, key)| key.clone());
        place.siblings.extend(beside);
        place
    }
}

impl Reader {
    /// A whole line.
    fn read(&mut self, line: &str) {
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

    /// Closes what the line does not stand in, opens its items, and gives what is left of it.
    fn enter(&mut self, line: &str) -> String {
        let mut indent = line.len() - line.trim_start().len();
        let mut rest = line.trim_start();
        let is_item = |rest: &str| rest == "-" || rest.starts_with("- ");
        if is_item(rest) {
            // The items of a list may stand as far in as its key.
            let is_closed =
                |level: &Level| level.indent > indent || level.indent == indent && level.part == "[]";
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
        self.open.push(Level { indent, part, number: self.number });
    }

    /// The line with the cursor, up to it.
    fn cursor(&mut self, written: &str) -> Place {
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
        let mut place = Place { word, from, is_member, before, ..Place::default() };
        let value = match split_key(&rest) {
            Some((key, value)) => {
                path.push(key);
                value
            }
            None if rest.starts_with(['{', '[']) => rest,
            None => {
                // A key of a block, or an item that is nothing but a value.
                place.is_key = !is_member;
                place.is_value = path.last().is_some_and(|part| part == "[]") || is_member;
                place.path = path;
                return place;
            }
        };
        Flow::read(&value, path, &mut place);
        place
    }
}

/// One bracket that is open.
struct Bracket {
    is_map: bool,
    /// The keys that stand in it, and the one whose value is being written.
    keys: Vec<String>,
    key: Option<String>,
}

/// What is open in brackets on one line.
struct Flow {
    path: Vec<String>,
    open: Vec<Bracket>,
}

impl Flow {
    fn read(value: &str, path: Vec<String>, place: &mut Place) {
        let mut flow = Flow { path, open: Vec::new() };
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
        place.is_key = flow.wants_key() && !(quote.is_some() && place.is_member);
        place.is_value = !place.is_key || place.is_member;
        if place.is_key {
            place.siblings = flow.open.pop().map(|bracket| bracket.keys).unwrap_or_default();
        }
        place.path = flow.path;
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
            '{' => self.open.push(Bracket { is_map: true, keys: Vec::new(), key: None }),
            '[' => {
                self.open.push(Bracket { is_map: false, keys: Vec::new(), key: None });
                self.path.push("[]".to_owned());
            }
            '}' | ']' if self.open.pop().is_some_and(|bracket| !bracket.is_map) => drop(self.path.pop()),
            _ => {}
        }
    }
}

/// The key at the beginning of a line and what comes after it.
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

/// The word that is being written, and whether it is a member of what stands before it.
fn last_word(written: &str) -> (String, bool) {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-' || letter == '@';
    let start = written
        .rfind(|letter| !is_part(letter))
        .map_or(0, |at| at + written[at..].chars().next().map_or(1, char::len_utf8));
    // `- ` begins an item and is no part of its first word; neither is a minus.
    let word = written[start..].trim_start_matches('-');
    let before = &written[..written.len() - word.len()];
    (word.to_owned(), before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the `|`.
    fn place(text: &str) -> Place {
        let at = text.find('|').expect("there is a cursor");
        let line = text[..at].matches('\n').count() as u32 + 1;
        let column = text[..at].chars().rev().take_while(|letter| *letter != '\n').count() as u32 + 1;
        Place::find(&text.replace('|', ""), line, column)
    }

    fn path(text: &str) -> String {
        let place = place(text);
        let what = match (place.is_key, place.is_value) {
            (true, true) => "either",
            (true, false) => "key",
            _ => "value",
        };
        format!("{} {what} {}", place.path.join("."), place.word)
    }

    #[test]
    fn keys_lead_to_a_place() {
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
    fn what_stands_beside_is_known() {
        let here =
            place("zones:\n  deck:\n    visible: none\n    |\n    order: list\n  hand:\n    of: player\n");
        assert_eq!(here.siblings, ["visible", "order"]);
        assert_eq!(place("zones: {deck: {visible: none, |").siblings, ["visible"]);
    }

    #[test]
    fn a_member_is_told_from_a_name() {
        let here = place("flow:\n  - add: {who.sc|");
        assert!(here.is_member);
        assert_eq!((here.word.as_str(), here.from), ("sc", 15));
    }
}
