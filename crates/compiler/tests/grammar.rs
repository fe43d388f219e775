//! The description of the language agrees with the checker, the schema and the reference.

use std::path::{Path, PathBuf};

use intermezzo_compiler::grammar::expressions::VOCABULARIES;
use intermezzo_compiler::grammar::{Key, Name, Object, Shape, objects, table};
use intermezzo_compiler::{Ruleset, scenario_schema, schema};
use serde_json::{Map, Value, json};

/// Declarations that the probes refer to.
const BASE: &str = include_str!("grammar/base.yaml");

/// Objects whose keys are explained in the text of a page, without a table of their own.
const WITHOUT_TABLE: &[&str] = &[
    "unnamed_target",
    "value_picture",
    "phase_of_turn",
    "step",
    "window",
    "dice_throw",
    "auto",
    "moderation",
    "unavailable",
];

#[test]
fn the_reference_tables_are_up_to_date() {
    let mut found: Vec<String> = Vec::new();
    for path in pages() {
        let text = std::fs::read_to_string(&path).expect("the page can be read");
        found.extend(table::tables(&text).map(str::to_owned));
        let updated = table::update(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if updated != text {
            assert!(
                std::env::var_os("BLESS").is_some(),
                "{} has stale tables of keys: run `BLESS=1 cargo nextest run -p intermezzo-compiler -E 'test(reference_tables)'`",
                path.display()
            );
            std::fs::write(&path, updated).expect("the page can be written");
        }
    }
    for words in VOCABULARIES {
        let count = found.iter().filter(|id| *id == words.id).count();
        assert_eq!(count, 1, "tables of `{}` in docs/reference", words.id);
    }
    for object in table::all_objects() {
        let count = found.iter().filter(|id| *id == object.id).count();
        let is_explained = object.own_keys().count() == 1 || WITHOUT_TABLE.contains(&object.id);
        assert_eq!(count, usize::from(!is_explained), "tables of `{}` in docs/reference", object.id);
    }
}

#[test]
fn the_schemas_beside_the_reference_tables_are_up_to_date() {
    for (name, schema) in [("ruleset", schema()), ("scenario", scenario_schema())] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/reference/{name}.schema.json"));
        let current = format!("{schema:#}\n");
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&current) {
            assert!(
                std::env::var_os("BLESS").is_some(),
                "{} is stale: run `BLESS=1 cargo nextest run -p intermezzo-compiler -E 'test(reference_tables)'`",
                path.display()
            );
            std::fs::write(&path, current).expect("the schema can be written");
        }
    }
}

#[test]
fn the_checker_and_the_schema_accept_every_key() {
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema is valid");
    let mut problems = Vec::new();
    for probe in probes() {
        for key in probe.object.all_keys() {
            let document = probe.document(key.name, example(key));
            for error in validator.iter_errors(&document) {
                problems.push(format!(
                    "{}.{}: {} {error:.300}",
                    probe.object.id,
                    key.name,
                    error.instance_path()
                ));
            }
            for message in messages(&document) {
                let is_unknown = message.contains("unknown key") || message.contains("unknown section");
                if is_unknown && message.contains(&format!("`{}`", key.name)) {
                    problems.push(format!("{}.{}: {message}", probe.object.id, key.name));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_checker_and_the_schema_reject_every_other_key() {
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema is valid");
    let mut problems = Vec::new();
    for probe in probes() {
        // Payload fields and fields of messages are names.
        if probe.object.is_open || probe.object.id == "host_value" {
            continue;
        }
        let document = probe.document("zzyzx", json!(1));
        if validator.is_valid(&document) {
            problems.push(format!("{}: the schema accepts {document}", probe.object.id));
        }
        let found = messages(&document);
        if !found.iter().any(|message| message.contains("unknown") && message.contains("`zzyzx`")) {
            problems.push(format!("{}: the checker accepts {document}: {found:?}", probe.object.id));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn names_of_objects_are_unique() {
    let mut ids: Vec<&str> = table::all_objects().map(|object| object.id).collect();
    ids.extend(VOCABULARIES.iter().map(|words| words.id));
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
    assert!(count > 60, "{count} objects");
}

/// A place where an object stands: the sections around it.
struct Probe {
    object: &'static Object,
    wrap: Vec<Wrap>,
}

/// A value around another.
#[derive(Clone)]
enum Wrap {
    /// The value of a key in an object that also has its other required keys.
    Key(&'static Object, &'static str),
    List,
    Named(&'static str),
}

impl Probe {
    /// Returns a file in which the object has a key, besides those it must have.
    fn document(&self, key: &str, value: Value) -> Value {
        let inside = with_required(self.object, key, value);
        self.wrap.iter().rev().fold(inside, |value, wrap| match wrap {
            Wrap::Key(object, key) => with_required(object, key, value),
            Wrap::List => json!([value]),
            Wrap::Named(name) => json!({*name: value}),
        })
    }
}

fn with_required(object: &Object, key: &str, value: Value) -> Value {
    let mut keys = Map::new();
    // A statement begins with its head.
    for needed in object.own_keys().filter(|needed| needed.is_required && needed.name != key) {
        keys.insert(needed.name.to_owned(), example(needed));
    }
    if object.id == "message" && !["at", "asked", "after", "answers", "drafts", "does"].contains(&key) {
        let occasion = if ["from", "for"].contains(&key) { ("answers", "played") } else { ("at", "start") };
        keys.insert(occasion.0.to_owned(), json!(occasion.1));
    }
    if object.id == "place" && !["zone", "question"].contains(&key) {
        keys.insert("zone".to_owned(), json!("hand"));
    }
    if object.id == "alternative" && key != "id" {
        keys.insert("id".to_owned(), json!("rest"));
    }
    if ["limit"].contains(&object.id) && key != "n" {
        keys.insert("n".to_owned(), json!(1));
    }
    if ["action", "mode"].contains(&object.id) && key != "effects" {
        keys.insert("effects".to_owned(), json!([]));
    }
    if object.id == "modifier" && key != "add" {
        keys.insert("add".to_owned(), json!(1));
    }
    if object.id == "when" && key != "after" {
        keys.insert("after".to_owned(), json!("Scored"));
    }
    if ["target", "unnamed_target"].contains(&object.id) && key != "selector" {
        keys.insert("from".to_owned(), json!("players"));
    }
    keys.insert(key.to_owned(), value);
    Value::Object(keys)
}

/// Returns a probe for every object.
fn probes() -> Vec<Probe> {
    let all = objects();
    let mut found = vec![Probe { object: all[0], wrap: Vec::new() }];
    let mut at = 0;
    while at < found.len() {
        let (object, wrap) = (found[at].object, found[at].wrap.clone());
        at += 1;
        for key in object.own_keys() {
            let mut places = Vec::new();
            let mut inside = wrap.clone();
            inside.push(Wrap::Key(object, key.name));
            places_in(&key.shape, inside, &mut places);
            for (inner, wrap) in places {
                if !found.iter().any(|probe| std::ptr::eq(probe.object, inner)) {
                    found.push(Probe { object: inner, wrap });
                }
            }
        }
    }
    assert_eq!(found.len(), all.len());
    found
}

fn places_in(shape: &Shape, wrap: Vec<Wrap>, found: &mut Vec<(&'static Object, Vec<Wrap>)>) {
    let with = |inner: Wrap| wrap.iter().cloned().chain([inner]).collect::<Vec<_>>();
    match shape {
        Shape::Object(object) => found.push((object, wrap)),
        Shape::List(items) => places_in(items, with(Wrap::List), found),
        Shape::Named(values) => places_in(values, with(Wrap::Named("probe")), found),
        Shape::NamedBy(name, values) => {
            let declared = match name {
                Name::Def => "knight",
                Name::Event => "Scored",
                Name::Phase => "turn",
                Name::Trait => "glowing",
                Name::Zone => "hand",
                _ => "score",
            };
            places_in(values, with(Wrap::Named(declared)), found);
        }
        Shape::AnyOf(shapes) => shapes.iter().for_each(|shape| places_in(shape, wrap.clone(), found)),
        Shape::Statements => {
            let mut inside = Vec::new();
            shape.objects(&mut inside);
            found.extend(inside.into_iter().map(|object| (object, with(Wrap::List))));
        }
        _ => {}
    }
}

/// Returns the example of a key as a value.
fn example(key: &Key) -> Value {
    let text = format!("{}: {}\n", key.name, key.example);
    let mut ruleset = Ruleset::from_files(&[]);
    match ruleset.parse_extra_file("example.yaml", text.as_bytes()) {
        Ok(node) => node.to_json()[key.name].clone(),
        Err(problems) => panic!("the example of `{}`: {problems:?}", key.name),
    }
}

/// Returns the messages about a file next to the base.
fn messages(document: &Value) -> Vec<String> {
    let mut document = document.clone();
    let sections = document.as_object_mut().expect("a file is an object");
    // What the base has once.
    let mut once = ["ir", "ruleset", "flow"].map(|section| sections.contains_key(section));
    once[2] |= sections.contains_key("turnStructure");
    let base: String = BASE
        .split("\n\n")
        .filter(|part| {
            !["ir:", "ruleset:", "flow:"]
                .iter()
                .zip(once)
                .any(|(name, there)| there && part.starts_with(name))
        })
        .flat_map(|part| [part, "\n\n"])
        .collect();
    let files = [
        ("base.yaml".to_owned(), base.into_bytes()),
        ("probe.json".to_owned(), document.to_string().into_bytes()),
    ];
    Ruleset::from_files(&files)
        .compile()
        .diagnostics
        .into_iter()
        .map(|diagnostic| diagnostic.message)
        .collect()
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/language");
    let entries = std::fs::read_dir(&folder).expect("the folder of the reference");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    pages.push(folder.join("../scenarios.md"));
    pages.sort();
    pages
}
