//! The context of a cursor: the keys that enclose it, determined from indentation and brackets alone, because a file that is
//! being edited can rarely be parsed.

/// The context of a cursor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CursorContext {
    /// The keys that lead to the cursor; `[]` for an item of a list.
    pub(super) path: Vec<String>,
    /// A key is possible here.
    pub(super) is_key: bool,
    /// A value is possible here.
    pub(super) is_value: bool,
    /// The objects around the cursor, the innermost last. A list counts as an object without keys.
    pub(super) objects: Vec<Vec<WrittenKey>>,
    /// The part of the word before the cursor.
    pub(super) word: String,
    /// Column where the word begins, counted from 1.
    pub(super) from: u32,
    /// The word follows a `.`, so it is a member.
    pub(super) is_member: bool,
}

/// A key that is present, with its value if that is a plain text on the same line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct WrittenKey {
    pub(super) key: String,
    pub(super) value: String,
}

impl CursorContext {
    /// Returns the context at a line and column, both counted from 1.
    pub(super) fn at(text: &str, line: u32, column: u32) -> CursorContext {
        let lines: Vec<&str> = text.lines().collect();
        let at = (line as usize).saturating_sub(1);
        let current = lines.get(at).copied().unwrap_or_default();
        let columns = (column as usize).saturating_sub(1);
        let split = current.char_indices().nth(columns).map_or(current.len(), |(at, _)| at);
        let (written, rest) = current.split_at(split);
        let mut reader = Reader::default();
        lines.iter().take(at).for_each(|line| reader.line(line));
        let mut context = reader.cursor(written);
        let inside: Vec<usize> = reader.open.iter().map(|level| level.object).collect();
        // Keys further down belong to the same objects, too.
        reader.rest_of_line(rest);
        lines.iter().skip(at + 1).for_each(|line| reader.line(line));
        let named = |object: &usize| {
            let keys = reader.objects[*object].iter();
            keys.filter(|written| !written.key.is_empty()).cloned().collect()
        };
        context.objects = inside.iter().map(named).collect();
        context
    }

    /// Returns the keys of the innermost object.
    pub(super) fn siblings(&self) -> &[WrittenKey] {
        self.objects.last().map_or(&[], Vec::as_slice)
    }

    /// Returns true if the innermost object has a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.siblings().iter().any(|written| written.key == key)
    }

    /// Returns the plain value of a key in an object, counted from the innermost.
    pub(super) fn value_of(&self, key: &str, outwards: usize) -> Option<&str> {
        let object = self.objects.iter().rev().nth(outwards)?;
        object.iter().find(|written| written.key == key).map(|written| written.value.as_str())
    }
}

/// An object or list that is open at a place.
#[derive(Debug)]
struct OpenLevel {
    /// The indentation of a block; `None` inside brackets.
    indent: Option<usize>,
    is_map: bool,
    /// The key whose value is being written.
    key: Option<String>,
    /// Index of its keys.
    object: usize,
}

/// Reads lines and tracks which objects and lists are open.
#[derive(Default)]
struct Reader {
    open: Vec<OpenLevel>,
    /// The keys of every object that was open.
    objects: Vec<Vec<WrittenKey>>,
    quote: Option<char>,
    /// Inside a block text: the indentation of its key.
    text: Option<usize>,
    /// The text since the last mark inside brackets.
    word: String,
}

impl Reader {
    fn push(&mut self, indent: Option<usize>, is_map: bool) {
        self.objects.push(Vec::new());
        self.open.push(OpenLevel { indent, is_map, key: None, object: self.objects.len() - 1 });
    }

    fn is_in_brackets(&self) -> bool {
        self.open.last().is_some_and(|level| level.indent.is_none())
    }

    /// Reads a complete line.
    fn line(&mut self, line: &str) {
        let indent = indent_of(line);
        let trimmed = line.trim_start();
        if self.is_in_text(line) {
            return;
        }
        if self.continues(line) {
            self.brackets(line);
            return;
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return;
        }
        let (indent, rest) = self.items(indent, trimmed);
        if let Some((key, value)) = split_key(rest) {
            self.enter_map(indent);
            self.name(&key);
            self.value(indent, value);
        } else {
            self.close_below(indent);
            self.value(indent, rest);
        }
    }

    /// Returns true for a line of a block text. Ends the text otherwise.
    fn is_in_text(&mut self, line: &str) -> bool {
        let Some(indent) = self.text else { return false };
        let is_inside = line.trim().is_empty() || indent_of(line) > indent;
        if !is_inside {
            self.text = None;
        }
        is_inside
    }

    /// Returns true if a line continues brackets or a quoted text. A line that is not indented enough ends what was left open.
    fn continues(&mut self, line: &str) -> bool {
        if !self.is_in_brackets() && self.quote.is_none() {
            return false;
        }
        let trimmed = line.trim_start();
        let around = self.open.iter().rev().find_map(|level| level.indent);
        let is_inside = trimmed.is_empty()
            || trimmed.starts_with(['}', ']'])
            || around.is_none_or(|around| indent_of(line) > around);
        if !is_inside {
            while self.is_in_brackets() {
                self.open.pop();
            }
            self.quote = None;
            self.word.clear();
        }
        is_inside
    }

    /// Opens the list items at the beginning of a line. Returns the rest and its indentation.
    fn items<'t>(&mut self, mut indent: usize, mut rest: &'t str) -> (usize, &'t str) {
        while rest == "-" || rest.starts_with("- ") {
            while self.open.last().is_some_and(|level| level.indent.is_some_and(|other| other > indent)) {
                self.open.pop();
            }
            let is_same = |level: &OpenLevel| level.indent == Some(indent) && !level.is_map;
            if !self.open.last().is_some_and(is_same) {
                self.push(Some(indent), false);
            }
            let after = rest[1..].trim_start();
            indent += if after.is_empty() { 2 } else { rest.len() - after.len() };
            rest = after;
        }
        (indent, rest)
    }

    /// Closes what is indented more, and lists that a line of this indentation ends.
    fn close_below(&mut self, indent: usize) {
        let is_closed = |level: &OpenLevel| {
            level.indent.is_none_or(|other| other > indent || other == indent && !level.is_map)
        };
        while self.open.last().is_some_and(is_closed) {
            self.open.pop();
        }
    }

    /// Enters the object whose keys have an indentation.
    fn enter_map(&mut self, indent: usize) {
        self.close_below(indent);
        if self.open.last().is_none_or(|level| level.indent != Some(indent)) {
            self.push(Some(indent), true);
        }
    }

    fn name(&mut self, key: &str) {
        let Some(level) = self.open.last_mut() else { return };
        level.key = Some(key.to_owned());
        self.objects[level.object].push(WrittenKey { key: key.to_owned(), value: String::new() });
    }

    /// Reads a value after a key, or a list item.
    fn value(&mut self, indent: usize, value: &str) {
        let value = value.trim_start();
        match value.chars().next() {
            Some('{' | '[' | '"' | '\'') => self.brackets(value),
            Some('|' | '>') => self.text = Some(indent),
            _ => {
                let plain = value.split(" #").next().unwrap_or_default().trim();
                self.keep(plain);
            }
        }
    }

    /// Notes the value of the current key.
    fn keep(&mut self, value: &str) {
        let Some(level) = self.open.last().filter(|level| level.key.is_some()) else { return };
        if let Some(written) =
            self.objects[level.object].last_mut().filter(|written| written.value.is_empty())
        {
            written.value = value.to_owned();
        }
    }

    /// Reads a line, or the rest of one, that begins inside brackets or quotes, or with them.
    fn brackets(&mut self, line: &str) {
        let mut before = ' ';
        for letter in line.chars() {
            match letter {
                letter if self.quote == Some(letter) => self.quote = None,
                letter if self.quote.is_some() => self.word.push(letter),
                '"' | '\'' if self.word.trim().is_empty() => self.quote = Some(letter),
                '#' if before == ' ' => break,
                '{' | '[' | '}' | ']' | ',' if self.is_in_brackets() || matches!(letter, '{' | '[') => {
                    self.bracket(letter);
                    self.word.clear();
                }
                ':' if self.wants_key() => {
                    let key = std::mem::take(&mut self.word);
                    self.name(key.trim());
                }
                letter => self.word.push(letter),
            }
            before = letter;
        }
        if !self.is_in_brackets() && self.quote.is_none() {
            let value = std::mem::take(&mut self.word);
            self.keep(value.trim());
        } else {
            self.word.push(' ');
        }
    }

    fn wants_key(&self) -> bool {
        self.open.last().is_some_and(|level| level.indent.is_none() && level.is_map && level.key.is_none())
    }

    fn bracket(&mut self, letter: char) {
        let word = self.word.trim().to_owned();
        if matches!(letter, '}' | ']' | ',') {
            self.keep(&word);
            if let Some(level) = self.open.last_mut() {
                level.key = None;
            }
        }
        match letter {
            '{' => self.push(None, true),
            '[' => self.push(None, false),
            '}' | ']' => drop(self.open.pop()),
            _ => {}
        }
    }

    /// Reads the line with the cursor, up to the cursor.
    fn cursor(&mut self, written: &str) -> CursorContext {
        let (word, is_member) = last_word(written);
        let from = written.chars().count() as u32 - word.chars().count() as u32 + 1;
        let mut context = CursorContext { word, from, is_member, ..CursorContext::default() };
        let is_comment = written.trim_start().starts_with('#') || self.is_in_text_at(written);
        if is_comment {
            return context;
        }
        if self.continues(written) {
            self.brackets(written);
            self.place_in_brackets(&mut context);
        } else {
            self.block_cursor(written, &mut context);
        }
        context.path = self.path();
        context
    }

    /// Returns true if the cursor is in a block text. A blank line that is indented less ends it.
    fn is_in_text_at(&mut self, written: &str) -> bool {
        let Some(indent) = self.text else { return false };
        if indent_of(written) > indent {
            return true;
        }
        self.text = None;
        false
    }

    fn block_cursor(&mut self, written: &str, context: &mut CursorContext) {
        let (indent, rest) = self.items(indent_of(written), written.trim_start());
        if let Some((key, value)) = split_key(rest) {
            self.enter_map(indent);
            self.name(&key);
            let value = value.trim_start();
            if value.starts_with(['{', '[', '"', '\'']) {
                self.brackets(value);
                self.place_in_brackets(context);
            } else {
                context.is_value = true;
            }
        } else if rest.starts_with(['{', '[', '"', '\'']) {
            self.close_below(indent);
            self.brackets(rest);
            self.place_in_brackets(context);
        } else {
            // A key of a block, or a list item that is only a value.
            self.close_below(indent);
            let is_item = self.open.last().is_some_and(|level| !level.is_map);
            self.enter_map(indent);
            if let Some(level) = self.open.last_mut() {
                level.key = None;
            }
            context.is_key = !context.is_member;
            context.is_value = is_item || context.is_member;
        }
    }

    fn place_in_brackets(&self, context: &mut CursorContext) {
        context.is_key = self.wants_key() && !context.is_member;
        context.is_value = !context.is_key;
    }

    fn path(&self) -> Vec<String> {
        let part = |level: &OpenLevel| if level.is_map { level.key.clone() } else { Some("[]".to_owned()) };
        self.open.iter().filter_map(part).collect()
    }

    /// Reads what follows the cursor on its line.
    fn rest_of_line(&mut self, rest: &str) {
        if self.is_in_brackets() || self.quote.is_some() {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            self.brackets(rest.trim_start_matches(is_part));
        }
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Splits a line into its key and the rest.
fn split_key(rest: &str) -> Option<(String, &str)> {
    if rest.starts_with(['{', '[']) {
        return None;
    }
    if let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '"' | '\'')) {
        let (key, after) = rest[1..].split_once(mark)?;
        return after.strip_prefix(':').map(|value| (key.to_owned(), value));
    }
    let colon = rest.find(": ").or_else(|| rest.trim_end().strip_suffix(':').map(str::len))?;
    let key = rest[..colon].trim();
    let is_plain = !key.is_empty() && !key.contains(['{', '[', '"', ',', '#']);
    is_plain.then(|| (key.to_owned(), &rest[colon + 1..]))
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
    (word.to_owned(), before.ends_with('.') && !before.ends_with(".."))
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
            (false, true) => "value",
            (false, false) => "nothing",
        };
        format!("{} {what} {}", context.path.join("."), context.word)
    }

    fn siblings(text: &str) -> Vec<String> {
        context(text).siblings().iter().map(|written| format!("{}={}", written.key, written.value)).collect()
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
    fn brackets_quotes_and_texts_go_on_over_lines() {
        assert_eq!(path("flow:\n  - {choose: c, by: who,\n     from: ha|"), "flow.[].from value ha");
        assert_eq!(path("flow:\n  - {choose: c,\n     |"), "flow.[] key ");
        assert_eq!(path("flow:\n  - if: \"a and\n      b.|"), "flow.[].if value ");
        assert_eq!(
            path("rules: |\n  One: two\n  thr|\nzones: {}\n".replacen('|', ">", 1).as_str()),
            " nothing thr"
        );
        assert_eq!(path("flow: # comment {\n  - em|"), "flow.[] either em");
        assert_eq!(path("# em|"), " nothing em");
    }

    #[test]
    fn siblings_are_known_with_their_values() {
        let here = "zones:\n  deck:\n    visible: none\n    |\n    order: list\n  hand:\n    of: player\n";
        assert_eq!(siblings(here), ["visible=none", "order=list"]);
        assert_eq!(siblings("zones: {deck: {visible: none, |"), ["visible=none"]);
        assert_eq!(siblings("zones: {deck: {visible: none, |, max: 3}}"), ["visible=none", "max=3"]);
        assert_eq!(siblings("flow:\n  - |\n    to: x\n"), ["to=x"]);
        assert_eq!(siblings("flow:\n  - em|it: Scored\n    amount: 1\n  - end: x\n"), ["amount=1"]);
        let def = context("defs:\n  rook:\n    kind: piece\n    props: {|");
        assert_eq!(def.value_of("kind", 1), Some("piece"));
    }

    #[test]
    fn members_are_distinguished_from_names() {
        let here = context("flow:\n  - add: {who.sc|");
        assert!(here.is_member);
        assert_eq!((here.word.as_str(), here.from), ("sc", 15));
    }
}
