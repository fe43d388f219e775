//! The description of the language: every section, every key, its values, its default, one line of documentation and an example.
//!
//! Everything that knows the keys of the language reads this description:
//!
//! * the checker: `Checker::entries` takes an [`Object`], accepts its keys, and suggests the nearest
//!   one for a misspelt key; [`Object::words`] gives it the words that a key allows,
//! * the JSON Schema ([`crate::schema()`]),
//! * completion and hover texts ([`crate::complete`], `intermezzo lsp`),
//! * the tables of the reference in `docs/reference/language` ([`table`]).
//!
//! [`expressions`] describes the words of the expression language in the same way.
//!
//! # How to add a key
//!
//! 1. Add a `key` to its object: `state` (kinds, properties, zones, defs), `rules` (events, actions, reactions),
//!    `statements`, `presentation` (`ui`, tutorial, messages) or `sections`. For an argument of a statement, that is
//!    all the checker needs to accept it; for a key of a declaration too. A new statement is a new object in
//!    [`statements::STATEMENTS`], a new section a key of [`sections::RULESET`].
//! 2. Read its value in the checker with `node.get("…")` or `parts.get("…")`. A fixed set of words is read with
//!    `self.word(node, "`key`", OBJECT.words("key"))`.
//! 3. Write the documentation relative to `docs/reference/language`: a link is written as
//!    `[text](page.md#heading)`, and only pages show it as a link.
//! 4. Run `BLESS=1 cargo nextest run -p intermezzo-compiler -E 'test(reference_tables)'`. It writes the tables between
//!    `<!-- keys: id -->` and `<!-- end -->`. A new object needs such a pair of lines on one page.
//!
//! The tests in `tests/grammar.rs` put every key of this description into a ruleset and check that the checker and the schema
//! accept it, and that both reject any other key in its place.

use crate::source::Span;
use crate::tree::SourceNode;

pub mod expressions;
pub mod presentation;
pub mod rules;
pub mod scenarios;
pub mod sections;
pub mod state;
pub mod statements;
pub mod table;

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub name: &'static str,
    pub shape: Shape,
    /// The value that a missing key stands for; empty if there is none.
    pub default: &'static str,
    pub is_required: bool,
    /// One line in Markdown, with links relative to `docs/reference/language`.
    pub doc: &'static str,
    /// A value, in YAML.
    pub example: &'static str,
    /// Of a section: the effect if several files have it.
    pub several: &'static str,
}

/// The values that a key accepts.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Text,
    /// A whole number.
    Number,
    /// A whole number from the first to the last.
    Range(i64, i64),
    /// This number only.
    Exactly(i64),
    /// `true` or `false`.
    Flag,
    Words(&'static [&'static str]),
    /// An expression, or a value written as YAML.
    Expression,
    /// An expression that is not a record: where other objects have a meaning of their own.
    Plain,
    /// A type such as `list<card>`.
    Type,
    /// A statement, or a list of statements.
    Statements,
    /// The name of a declaration.
    Name(Name),
    List(&'static Shape),
    /// An object whose keys are names that the author makes up.
    Named(&'static Shape),
    /// An object whose keys are names of declarations.
    NamedBy(Name, &'static Shape),
    Object(&'static Object),
    AnyOf(&'static [Shape]),
    /// Anything: the format is described elsewhere.
    Free,
    /// Of scenarios: `p0`.
    Seat,
    /// Of scenarios: a seat or `spectator`.
    Viewer,
    /// Of scenarios: an object whose keys are seats or viewers.
    BySeat(&'static Shape),
    /// Of scenarios: what a player answers.
    Answer,
    /// Of scenarios: an action, as in an answer.
    Offer,
    /// Of scenarios: a listing of events.
    Events,
}

/// The category of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    /// An action template.
    Action,
    Chain,
    Def,
    Duration,
    Event,
    Field,
    Kind,
    Option,
    Outcome,
    Phase,
    Prelude,
    Prop,
    /// A property of players.
    PlayerProp,
    Question,
    Resource,
    Trait,
    Zone,
}

/// An object with fixed keys.
#[derive(Debug)]
pub struct Object {
    /// Its name in the schema and in the pages of the reference, unique.
    pub id: &'static str,
    /// Its name in messages: "unknown key `x` in …".
    pub what: &'static str,
    /// One line in Markdown.
    pub doc: &'static str,
    /// Its keys. Several groups, because objects share keys.
    pub keys: &'static [&'static [Key]],
    /// The keys [`COMMON`] are accepted too.
    pub is_declaration: bool,
    /// Of a statement: the key that says what it does.
    pub head: Option<&'static str>,
    /// Keys that are not listed are names: the payload fields next to `emit`.
    pub is_open: bool,
}

/// Keys that every declaration accepts. They are for display and never read by rules.
pub const COMMON: &[Key] = &[
    key("name", Shape::Text, "the name [shown to players](presentation.md#names-and-texts)", "Lantern"),
    key("text", Shape::Text, "a description for players", "Burns all night."),
    key(
        "allow",
        Shape::Named(&Shape::Text),
        "[silenced warnings](files.md#warnings-and-allow), each with a reason",
        "{W-LEAK: everyone sees it on purpose}",
    ),
];

/// Returns a key that may be left out.
const fn key(name: &'static str, shape: Shape, doc: &'static str, example: &'static str) -> Key {
    Key { name, shape, default: "", is_required: false, doc, example, several: "" }
}

impl Key {
    const fn required(self) -> Key {
        Key { is_required: true, ..self }
    }

    const fn default(self, default: &'static str) -> Key {
        Key { default, ..self }
    }

    const fn several(self, several: &'static str) -> Key {
        Key { several, ..self }
    }

    /// Returns the documentation without links.
    #[must_use]
    pub fn plain_doc(&self) -> String {
        without_links(self.doc)
    }
}

/// Returns an object that a ruleset declares.
const fn declaration(
    id: &'static str,
    what: &'static str,
    doc: &'static str,
    keys: &'static [&'static [Key]],
) -> Object {
    Object { id, what, doc, keys, is_declaration: true, head: None, is_open: false }
}

/// Returns an object without the keys of declarations.
const fn part(
    id: &'static str,
    what: &'static str,
    doc: &'static str,
    keys: &'static [&'static [Key]],
) -> Object {
    Object { id, what, doc, keys, is_declaration: false, head: None, is_open: false }
}

impl Object {
    /// Returns its own keys, in order.
    pub fn own_keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.keys.iter().copied().flatten()
    }

    /// Returns all keys it accepts.
    pub fn all_keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        let common = if self.is_declaration { COMMON } else { &[] };
        self.own_keys().chain(common)
    }

    /// Returns the names of its own keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.own_keys().map(|key| key.name)
    }

    /// Returns the key of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static Key> {
        self.all_keys().find(|key| key.name == name)
    }

    /// Returns the words that a key allows; none if it has no fixed words.
    #[must_use]
    pub fn words(&self, name: &str) -> &'static [&'static str] {
        self.get(name).map_or(&[], |key| key.shape.words())
    }

    /// Returns the arguments of a statement: all keys but the head.
    pub fn arguments(&self) -> impl Iterator<Item = &'static Key> + use<> {
        let head = self.head;
        self.own_keys().filter(move |key| Some(key.name) != head)
    }
}

impl Shape {
    /// Returns the words that are allowed here, also among other values.
    #[must_use]
    pub fn words(&self) -> &'static [&'static str] {
        match self {
            Shape::Words(words) => words,
            Shape::AnyOf(shapes) => {
                shapes.iter().map(Shape::words).find(|words| !words.is_empty()).unwrap_or(&[])
            }
            Shape::List(shape) => shape.words(),
            _ => &[],
        }
    }

    /// Returns the objects directly inside: this one, alternatives, items and values.
    pub fn objects(&self, found: &mut Vec<&'static Object>) {
        match self {
            Shape::Object(object) => found.push(object),
            Shape::List(shape) | Shape::Named(shape) | Shape::NamedBy(_, shape) | Shape::BySeat(shape) => {
                shape.objects(found);
            }
            Shape::AnyOf(shapes) => shapes.iter().for_each(|shape| shape.objects(found)),
            Shape::Statements => found.extend(statements::STATEMENTS),
            _ => {}
        }
    }
}

/// Returns every object of ruleset files, each once.
#[must_use]
pub fn objects() -> Vec<&'static Object> {
    objects_in(&sections::RULESET)
}

/// Returns an object and every object inside it, each once.
#[must_use]
pub fn objects_in(root: &'static Object) -> Vec<&'static Object> {
    let mut found: Vec<&'static Object> = vec![root];
    let mut at = 0;
    while let Some(object) = found.get(at).copied() {
        let mut inner = Vec::new();
        object.own_keys().for_each(|key| key.shape.objects(&mut inner));
        for object in inner {
            if !found.iter().any(|known| std::ptr::eq(*known, object)) {
                found.push(object);
            }
        }
        at += 1;
    }
    found
}

/// Returns the key at a byte of a file: its place, the object it belongs to, and its description. A word that is the value of
/// a key stands for the key. `file` describes the file.
#[must_use]
pub fn key_at(
    root: &SourceNode,
    file: &'static Object,
    offset: u32,
) -> Option<(Span, &'static Object, &'static Key)> {
    key_in(root, &[Shape::Object(file)], offset, &mut Vec::new())
}

/// Returns the innermost declaration around a byte of a file, or the file itself.
#[must_use]
pub fn declaration_at<'n>(
    root: &'n SourceNode,
    file: &'static Object,
    offset: u32,
) -> Option<&'n SourceNode> {
    let mut around = Vec::new();
    key_in(root, &[Shape::Object(file)], offset, &mut around);
    let declarations =
        around.iter().rev().find(|(_, object)| object.is_declaration && object.get("allow").is_some());
    declarations.map(|(node, _)| *node).or(Some(root))
}

/// Returns the key at a byte inside a value. Notes every object around it.
fn key_in<'n>(
    node: &'n SourceNode,
    shapes: &[Shape],
    offset: u32,
    around: &mut Vec<(&'n SourceNode, &'static Object)>,
) -> Option<(Span, &'static Object, &'static Key)> {
    let is_around = |span: Span| span.start <= offset && offset <= span.end;
    if let Some(items) = node.as_list() {
        let item = items.iter().find(|item| is_around(item.span))?;
        let inner = shapes.iter().filter_map(|shape| match shape {
            Shape::List(items) => Some(**items),
            Shape::Statements => Some(Shape::Statements),
            _ => None,
        });
        return key_in(item, &alternatives(inner), offset, around);
    }
    let entries = node.as_map()?;
    let entry = entries.iter().find(|entry| is_around(entry.key.span) || is_around(entry.value.span))?;
    let mut objects = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Object(object) => objects.push(*object),
            Shape::Statements => objects.extend(statements::STATEMENTS),
            _ => {}
        }
    }
    // Of the statements, the one whose head is among the keys.
    objects.retain(|object| object.head.is_none_or(|head| node.get(head).is_some()));
    around.extend(objects.first().map(|object| (node, *object)));
    let known = objects.iter().find_map(|object| Some((*object, object.get(&entry.key.value)?)));
    let named = || {
        shapes.iter().filter_map(|shape| match shape {
            Shape::Named(values) | Shape::NamedBy(_, values) | Shape::BySeat(values) => Some(**values),
            Shape::Object(object) if object.id == scenarios::STEP.id => {
                scenarios::input_shape(&entry.key.value).copied()
            }
            _ => None,
        })
    };
    if is_around(entry.key.span) {
        // The name of a declaration stands for it.
        let mut inside = Vec::new();
        named().for_each(|shape| shape.objects(&mut inside));
        around.extend(
            inside.first().filter(|_| entry.value.as_map().is_some()).map(|object| (&entry.value, *object)),
        );
        return known.map(|(object, key)| (entry.key.span, object, key));
    }
    let word = entry.value.as_text().map(|text| text.value.as_str());
    if let Some((object, key)) = known
        && word.is_some_and(|word| key.shape.words().contains(&word))
    {
        return Some((entry.value.span, object, key));
    }
    let inner = alternatives(known.map(|(_, key)| key.shape).into_iter().chain(named()));
    key_in(&entry.value, &inner, offset, around)
}

/// Returns shapes with the alternatives of each in its place.
fn alternatives(shapes: impl IntoIterator<Item = Shape>) -> Vec<Shape> {
    let mut found = Vec::new();
    for shape in shapes {
        match shape {
            Shape::AnyOf(inner) => found.extend(alternatives(inner.iter().copied())),
            shape => found.push(shape),
        }
    }
    found
}

/// Returns Markdown with each link replaced by its text.
#[must_use]
pub fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let Some(open) = rest[..at].rfind('[') else { break };
        let Some(close) = rest[at..].find(')') else { break };
        plain.push_str(&rest[..open]);
        plain.push_str(&rest[open + 1..at]);
        rest = &rest[at + close + 1..];
    }
    plain.push_str(rest);
    plain
}
