//! The documentation is true: its examples compile, its mistakes are mistakes, and nothing is left out.
//!
//! The fence of an example says what it is:
//!
//! | fence | what it is |
//! |---|---|
//! | `yaml shared` | a whole ruleset, beside which the fragments of that page stand |
//! | `yaml` | compiles without errors and warnings |
//! | `yaml right` | the same; the mended form of a mistake |
//! | `yaml wrong CODE`, `json wrong CODE` | yields that diagnostic and no other |
//!
//! An example that begins with `ir:` is a whole ruleset. One that begins with
//! `- ` is a list of statements, in which `p` is a player and `c` a card.
//! Anything else is sections in a second file beside the shared ruleset. A
//! fragment may declare things without using them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use intermezzo_compiler::tree::{Node, Value};
use intermezzo_compiler::{Compiled, Ruleset, render, schema};

/// Diagnostics no page of text can show an example of.
const WITHOUT_EXAMPLE: &[&str] = &["E-UTF8"];

#[test]
fn every_example_of_the_language_reference_does_what_its_fence_says() {
    check_examples("language.md");
}

#[test]
fn every_example_of_the_diagnostics_does_what_its_fence_says() {
    check_examples("diagnostics.md");
}

#[test]
fn every_diagnostic_is_documented_and_no_other() {
    let page = page("diagnostics.md");
    let documented: BTreeSet<String> =
        headings(&page).flat_map(|heading| codes(heading).into_iter().collect::<Vec<_>>()).collect();
    assert_eq!(documented, codes_of_the_compiler());
}

#[test]
fn every_diagnostic_has_an_example_and_a_mended_one() {
    let mut shown = BTreeMap::new();
    let mut last = None;
    for example in examples(&page("diagnostics.md")) {
        match example.role {
            Role::Wrong(code) => {
                shown.insert(code.clone(), false);
                last = Some(code);
            }
            Role::Right => {
                shown.extend(last.clone().map(|code| (code, true)));
            }
            Role::Shared | Role::Plain => {}
        }
    }
    // What is checked but not playable cannot be mended, and a broken JSON file is mended by any that is not.
    let without_remedy = ["E-UNSUPPORTED", "E-JSON"];
    for code in codes_of_the_compiler() {
        let mended = shown.get(&code).copied();
        let expected = match code.as_str() {
            code if WITHOUT_EXAMPLE.contains(&code) => None,
            code => Some(!without_remedy.contains(&code)),
        };
        assert_eq!(mended, expected, "{code}: whether its example is mended, if it has one");
    }
}

#[test]
fn every_statement_and_every_section_has_an_entry() {
    let page = page("language.md");
    let schema = schema();
    let sections = schema["properties"].as_object().expect("the schema describes sections");
    let statements = &schema["$defs"]["statement"]["anyOf"][2]["anyOf"];
    let statements = statements.as_array().expect("the schema describes statements");
    assert!(statements.len() > 20, "{} statements", statements.len());
    let statements = statements.iter().map(|statement| statement["required"][0].as_str().expect("a head"));
    for name in statements.chain(sections.keys().map(String::as_str)) {
        assert!(has_entry(&page, name), "`{name}` has no heading and no bold entry in language.md");
    }
}

#[test]
fn every_method_function_and_prelude_name_is_mentioned() {
    let page = page("language.md");
    let methods = names_in_constant("check/methods.rs", "LIST_METHODS");
    let functions = names_in_constant("check/calls.rs", "BUILT_IN");
    let events = intermezzo_ruleset::native::EVENTS.iter().map(|(name, _)| (*name).to_owned());
    assert!(methods.len() > 15 && functions.len() > 10);
    for name in methods.into_iter().chain(functions).chain(events).chain(names_of_core()) {
        let mentioned = [format!("`{name}`"), format!("`{name}(")].iter().any(|form| page.contains(form));
        assert!(mentioned, "`{name}` is not mentioned in language.md");
    }
}

#[test]
fn every_name_the_glossary_gives_is_in_the_code() {
    let mut files = Vec::new();
    source_files(&root().join("crates"), &mut files);
    let rust = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    let code: String = rust.map(|file| read(file)).collect();
    let page = page("glossary.md");
    let names: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_suffix("` |")?.rsplit_once("| `"))
        .map(|(_, name)| name)
        .collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let as_type = ["struct", "enum", "type", "const"].iter().any(|keyword| {
            [' ', '<', '(', ':', ';'].iter().any(|end| code.contains(&format!("{keyword} {name}{end}")))
        });
        // Ids are declared by a macro, as `Seat(u8);`.
        let declared = as_type || code.contains(&format!("\n    {name}(u"));
        assert!(declared, "`{name}` stands in the glossary, but nothing in the code is called that");
    }
}

// --- examples ----------------------------------------------------------------

/// What an example is there for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Role {
    Shared,
    Plain,
    Right,
    Wrong(String),
}

struct Example {
    /// Line of its fence, from 1.
    line: usize,
    extension: String,
    role: Role,
    text: String,
}

/// The fenced examples of a page that are meant for the compiler.
fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut lines = page.lines().zip(1..);
    while let Some((fence, line)) = lines.next() {
        let Some(info) = fence.strip_prefix("```") else { continue };
        let text: Vec<&str> =
            lines.by_ref().map(|(text, _)| text).take_while(|text| *text != "```").collect();
        let mut words = info.split_whitespace();
        let Some(extension @ ("yaml" | "json")) = words.next() else { continue };
        let role = match (words.next(), words.next()) {
            (None, None) => Role::Plain,
            (Some("shared"), None) => Role::Shared,
            (Some("right"), None) => Role::Right,
            (Some("wrong"), Some(code)) => Role::Wrong(code.to_owned()),
            _ => panic!("line {line}: the fence `{info}` says nothing"),
        };
        examples.push(Example { line, extension: extension.to_owned(), role, text: text.join("\n") + "\n" });
    }
    examples
}

fn check_examples(name: &str) {
    let examples = examples(&page(name));
    let shared = examples.iter().find(|example| example.role == Role::Shared);
    let shared = shared.expect("a page has a shared ruleset").text.as_str();
    let mut problems = Vec::new();
    for example in &examples {
        let (ruleset, compiled, is_whole) = compile(example, shared);
        let counts = |code: &str| is_whole || code != "W-UNUSED";
        let found: Vec<(&str, bool)> = compiled
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let file = ruleset.sources().name(diagnostic.span.file);
                (diagnostic.code, file.starts_with("example."))
            })
            .collect();
        let fine = match &example.role {
            // Here, and nothing else anywhere.
            Role::Wrong(code) => {
                found.iter().any(|(found, is_here)| found == code && *is_here)
                    && found.iter().all(|(found, _)| found == code || !counts(found))
            }
            _ => compiled.program.is_some() && !found.iter().any(|(found, _)| counts(found)),
        };
        if !fine {
            let shown = render(&compiled.diagnostics, ruleset.sources(), false);
            problems.push(format!("{name}:{}: {:?}, but:\n{shown}", example.line, example.role));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(examples.len() > 20, "only {} examples were found in {name}", examples.len());
}

/// Compiles an example, with whether it is a whole ruleset.
fn compile(example: &Example, shared: &str) -> (Ruleset, Compiled, bool) {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let own_name = format!("example.{}", example.extension);
    let is_whole = example.text.starts_with("ir:");
    let files = if is_whole {
        vec![file(&own_name, &example.text)]
    } else if example.text.starts_with("- ") {
        vec![file("shared.yaml", &beside(shared, "flow:")), file(&own_name, &statements(&example.text))]
    } else {
        vec![file("shared.yaml", &beside(shared, &example.text)), file(&own_name, &example.text)]
    };
    let ruleset = Ruleset::from_files(&files);
    let compiled = ruleset.compile();
    (ruleset, compiled, is_whole)
}

/// Statements as the body of a proc that is played.
/// The shared ruleset without its flow, if the example has one of its own.
fn beside(shared: &str, example: &str) -> String {
    if !example.lines().any(|line| line.starts_with("flow:")) {
        return shared.to_owned();
    }
    let mut inside = false;
    let kept = shared.lines().filter(|line| {
        let is_section = !line.is_empty() && !line.starts_with([' ', '#', '-']);
        inside = if is_section { line.starts_with("flow:") } else { inside };
        !inside
    });
    kept.collect::<Vec<_>>().join("\n") + "\n"
}

fn statements(text: &str) -> String {
    let body: String = text.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "procs:\n  example:\n    params: {{p: player, c: card}}\n    do:\n{body}\
         flow:\n  - {{example: \"players[0]\", c: table.first!}}\n  - end: normal\n"
    )
}

// --- what the documentation has to cover ---------------------------------------

/// Every code that stands as a text in the compiler's sources.
fn codes_of_the_compiler() -> BTreeSet<String> {
    let mut files = Vec::new();
    source_files(&root().join("crates/compiler/src"), &mut files);
    let mut found = BTreeSet::new();
    for file in files {
        let text = read(&file);
        found.extend(text.split('"').filter(|part| codes(part).contains(*part)).map(str::to_owned));
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The words of a text that look like codes: `E-NAME`, `W-NULL`.
fn codes(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '-';
    text.split(|letter: char| !is_part(letter))
        .filter(|word| word.len() > 3 && (word.starts_with("E-") || word.starts_with("W-")))
        .map(str::to_owned)
        .collect()
}

fn headings(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter(|line| line.starts_with('#'))
}

fn has_entry(page: &str, name: &str) -> bool {
    let (quoted, bold) = (format!("`{name}`"), format!("**`{name}`**"));
    headings(page).any(|heading| heading.contains(&quoted)) || page.contains(&bold)
}

/// The names in a constant list of the compiler's sources.
fn names_in_constant(file: &str, constant: &str) -> Vec<String> {
    let text = read(&root().join("crates/compiler/src").join(file));
    let start = text.find(&format!("const {constant}:")).expect("the constant is there");
    let list = text[start..].split_once("= &[").expect("it is a list").1;
    let list = list.split_once(']').expect("the list ends").0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Everything the core prelude declares.
fn names_of_core() -> Vec<String> {
    let text = read(&root().join("crates/compiler/preludes/core.yaml"));
    let mut ruleset = Ruleset::from_files(&[]);
    let core = ruleset.read_beside("core.yaml", text.as_bytes()).expect("the prelude can be read");
    let mut names = Vec::new();
    for section in core.as_map().expect("a prelude is an object") {
        if !matches!(section.key.value.as_str(), "ir" | "prelude") {
            names.extend(declared(&section.value));
        }
    }
    assert!(names.len() > 15, "{names:?}");
    names
}

fn declared(section: &Node) -> Vec<String> {
    match &section.value {
        Value::Map(entries) => entries.iter().map(|entry| entry.key.value.clone()).collect(),
        Value::List(items) => items.iter().filter_map(Node::as_text).map(|text| text.value.clone()).collect(),
        _ => Vec::new(),
    }
}

// --- files -----------------------------------------------------------------------

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    read(&root().join("docs").join(name))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("sources can be listed")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            source_files(&path, found);
        } else {
            found.push(path);
        }
    }
}
