//! Tables of keys for the reference.

use super::expressions::{VOCABULARIES, Vocabulary};
use super::scenarios::{AUTO, SCENARIO_FILE};
use super::sections::RULESET;
use super::{Key, Name, Object, Shape, objects, objects_in};

/// Begins the line above a table.
const BEGIN: &str = "<!-- keys: ";
/// The line below a table.
const END: &str = "<!-- end -->";

/// Returns a page of the reference with every table between `<!-- keys: id -->` and `<!-- end -->` replaced by the
/// current one.
///
/// # Errors
/// If a line names an unknown object, or a table has no end.
pub fn update(page: &str) -> Result<String, String> {
    let mut updated = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        updated.push_str(line);
        updated.push('\n');
        let Some(id) = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        let keys = all_objects().find(|object| object.id == id).map(table);
        let words = VOCABULARIES.iter().find(|words| words.id == id).map(|words| word_table(words));
        let table = keys.or(words).ok_or_else(|| format!("there is no object `{id}`"))?;
        if !lines.any(|line| line == END) {
            return Err(format!("the table of `{id}` has no end"));
        }
        updated.push_str(&table);
        updated.push_str(END);
        updated.push('\n');
    }
    Ok(updated)
}

/// Returns the ids of the tables of a page.
pub fn tables(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| line.strip_prefix(BEGIN)?.strip_suffix(" -->"))
}

/// Returns every object of ruleset and scenario files.
pub fn all_objects() -> impl Iterator<Item = &'static Object> {
    let scenarios = objects_in(&SCENARIO_FILE).into_iter().filter(|object| !is_rule(object));
    objects().into_iter().chain(scenarios).chain([&AUTO])
}

/// Returns true for what scenario files share with ruleset files: statements and their parts.
fn is_rule(object: &'static Object) -> bool {
    objects().into_iter().any(|rule| std::ptr::eq(rule, object))
}

/// Returns the table of the words of expressions.
fn word_table(words: &Vocabulary) -> String {
    let columns = words.headings.split(" | ").count();
    let mut table = format!("| {} |\n|{}\n", words.headings, "---|".repeat(columns));
    for term in words.terms {
        let forms: Vec<String> = term.forms.iter().map(|form| format!("`{}{form}`", words.prefix)).collect();
        let result = match columns {
            2 => String::new(),
            _ if term.result.contains([' ', '`']) || term.result == "everywhere" => {
                format!("{} | ", term.result)
            }
            _ => format!("`{}` | ", term.result),
        };
        table.push_str(&format!("| {} | {result}{} |\n", forms.join(", "), term.doc));
    }
    table
}

/// Returns the table of an object.
fn table(object: &Object) -> String {
    if std::ptr::eq(object, &raw const RULESET) {
        return section_table();
    }
    let mut table = "| key | value | meaning |\n|---|---|---|\n".to_owned();
    for key in object.own_keys() {
        let head = if object.head == Some(key.name) { "**" } else { "" };
        let (name, value, meaning) = (key.name, value(key), meaning(key));
        table.push_str(&format!("| {head}`{name}`{head} | {value} | {meaning} |\n"));
    }
    table
}

fn section_table() -> String {
    let mut table = "| section | contents | if several files have it |\n|---|---|---|\n".to_owned();
    for key in RULESET.own_keys() {
        table.push_str(&format!("| **`{}`** | {} | {} |\n", key.name, key.doc, key.several));
    }
    table
}

/// Returns the values that a key accepts, and whether it is required or which value it has by default.
fn value(key: &Key) -> String {
    let shape = describe(&key.shape);
    match (key.is_required, key.default) {
        (true, _) => format!("{shape}; required"),
        (false, "") => shape,
        (false, default) => format!("{shape}; default: {default}"),
    }
}

fn meaning(key: &Key) -> String {
    format!("{}. Example: `{}: {}`", key.doc, key.name, key.example).replace('|', "\\|")
}

/// Returns the values of a shape in words.
#[must_use]
pub fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Range(0, 360) => "0 to 360".to_owned(),
        Shape::Range(from, to) => format!("{} to {}", grouped(*from), grouped(*to)),
        Shape::Exactly(number) => format!("`{number}`"),
        Shape::Flag => "`true` or `false`".to_owned(),
        Shape::Words(words) => alternatives(words.iter().map(|word| format!("`{word}`")).collect()),
        Shape::Expression | Shape::Plain => "expression".to_owned(),
        Shape::Type => "type".to_owned(),
        Shape::Statements => "statements".to_owned(),
        Shape::Name(name) => name.noun().to_owned(),
        Shape::List(shape) => format!("list of {}", plural(&describe(shape))),
        Shape::Named(shape) => format!("object of {}", plural(&describe(shape))),
        Shape::NamedBy(name, shape) => {
            format!("object: {} to {}", name.noun(), describe(shape))
        }
        Shape::Object(object) => object.what.trim_start_matches("an ").trim_start_matches("a ").to_owned(),
        Shape::AnyOf(shapes) => alternatives(shapes.iter().map(describe).collect()),
        Shape::Free => "any value".to_owned(),
        Shape::Seat => "seat".to_owned(),
        Shape::Viewer => "viewer".to_owned(),
        Shape::BySeat(shape) => format!("object: seat to {}", describe(shape)),
        Shape::Answer => "answer".to_owned(),
        Shape::Offer => "offer".to_owned(),
        Shape::Events => "list of events".to_owned(),
    }
}

fn alternatives(mut words: Vec<String>) -> String {
    words.dedup();
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn plural(noun: &str) -> String {
    match noun {
        "text" | "statements" => noun.replace("text", "texts"),
        noun if noun.contains([' ', '`']) => noun.to_owned(),
        noun if noun.ends_with('y') => format!("{}ies", noun.trim_end_matches('y')),
        noun => format!("{noun}s"),
    }
}

fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Name {
    /// Returns the word for a declaration of this category.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Name::Action => "template",
            Name::Chain => "chain",
            Name::Def => "def",
            Name::Duration => "duration",
            Name::Event => "event",
            Name::Field => "field",
            Name::Kind => "kind",
            Name::Option => "option",
            Name::Outcome => "outcome",
            Name::Phase => "phase",
            Name::Prelude => "prelude",
            Name::Prop => "property",
            Name::PlayerProp => "property of players",
            Name::Question => "prompt",
            Name::Resource => "resource",
            Name::Trait => "trait",
            Name::Zone => "zone",
        }
    }
}
