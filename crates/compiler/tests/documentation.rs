//! Tests of the documentation: its examples compile, its mistakes are reported, and nothing is missing.
//!
//! The fence of an example says what it is:
//!
//! | fence | meaning |
//! |---|---|
//! | `yaml shared` | a complete ruleset, to which the fragments of the page are added |
//! | `yaml` | compiles without errors and warnings |
//! | `yaml right` | the same; the corrected form of a mistake |
//! | `yaml wrong CODE`, `json wrong CODE` | gives this diagnostic and no other |
//!
//! An example that begins with `ir:` is a complete ruleset. One that begins with `- ` is a list of
//! statements, in which `p` is a player and `c` a card. Anything else is sections in a second file next to
//! the shared ruleset. A fragment may contain unused declarations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use intermezzo_compiler::grammar::expressions::{FUNCTIONS, METHODS};
use intermezzo_compiler::grammar::statements::STATEMENTS;
use intermezzo_compiler::tree::{NodeValue, SourceNode};
use intermezzo_compiler::{Compilation, Ruleset, render, schema};

/// Diagnostics that cannot be shown on a page of text.
const WITHOUT_EXAMPLE: &[&str] = &["E-ASSET", "E-UTF8"];

#[test]
fn every_example_of_the_language_reference_does_what_its_fence_says() {
    check_examples(&language_pages());
}

#[test]
fn every_example_of_the_diagnostics_does_what_its_fence_says() {
    check_examples(&[page("diagnostics.md")]);
}

#[test]
fn every_diagnostic_is_documented_and_no_other() {
    let page = page("diagnostics.md");
    let documented: BTreeSet<String> =
        headings(&page.text).flat_map(|heading| codes(heading).into_iter().collect::<Vec<_>>()).collect();
    assert_eq!(documented, codes_of_the_compiler());
}

#[test]
fn every_diagnostic_has_an_example_and_a_correction() {
    let mut shown = BTreeMap::new();
    let mut last = None;
    for example in examples(&page("diagnostics.md")) {
        match example.role {
            ExampleRole::Wrong(code) => {
                shown.insert(code.clone(), false);
                last = Some(code);
            }
            ExampleRole::Right => {
                shown.extend(last.clone().map(|code| (code, true)));
            }
            ExampleRole::Shared | ExampleRole::Plain => {}
        }
    }
    // Any valid file corrects broken JSON.
    let without_correction = ["E-JSON"];
    for code in codes_of_the_compiler() {
        let corrected = shown.get(&code).copied();
        let expected = match code.as_str() {
            code if WITHOUT_EXAMPLE.contains(&code) => None,
            code => Some(!without_correction.contains(&code)),
        };
        assert_eq!(corrected, expected, "{code}: whether its example is corrected, if it has one");
    }
}

#[test]
fn every_statement_and_every_section_has_an_entry() {
    let text = all_text(&language_pages());
    let schema = schema();
    let sections = schema["properties"].as_object().expect("the schema describes sections");
    let statements = STATEMENTS.iter().filter_map(|statement| statement.head);
    for name in statements.chain(sections.keys().map(String::as_str)) {
        assert!(
            has_entry(&text, name),
            "`{name}` has no heading and no bold entry in the language reference"
        );
    }
}

#[test]
fn every_method_function_and_prelude_name_is_mentioned() {
    let mut pages = language_pages();
    pages.push(page("preludes.md"));
    let text = all_text(&pages);
    let methods = METHODS.names().map(str::to_owned);
    let functions = FUNCTIONS.names().map(str::to_owned);
    let events = intermezzo_program::native::EVENTS.iter().map(|(name, _)| (*name).to_owned());
    for name in methods.chain(functions).chain(events).chain(names_of_core()) {
        let mentioned = [format!("`{name}`"), format!("`{name}(")].iter().any(|form| text.contains(form));
        assert!(mentioned, "`{name}` is not mentioned in the language reference");
    }
}

#[test]
fn the_glossary_is_short_and_has_each_term_once() {
    let page = page("glossary.md");
    let rows = page.text.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let terms: Vec<&str> = rows.map(|(term, _)| term).filter(|term| *term != "term").collect();
    assert!((30..=90).contains(&terms.len()), "{} terms", terms.len());
    for (at, term) in terms.iter().enumerate() {
        assert!(!terms[..at].contains(term), "`{term}` is in the glossary twice");
    }
}

// --- examples ----------------------------------------------------------------

/// The purpose of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ExampleRole {
    Shared,
    Plain,
    Right,
    Wrong(String),
}

struct DocExample {
    page: String,
    /// Line number of its fence, counted from 1.
    line: usize,
    extension: String,
    role: ExampleRole,
    text: String,
}

/// Returns the fenced examples of a page that are meant for the compiler.
fn examples(page: &DocPage) -> Vec<DocExample> {
    let mut examples = Vec::new();
    let mut lines = page.text.lines().zip(1..);
    while let Some((fence, line)) = lines.next() {
        let Some(info) = fence.strip_prefix("```") else { continue };
        let text: Vec<&str> =
            lines.by_ref().map(|(text, _)| text).take_while(|text| *text != "```").collect();
        let mut words = info.split_whitespace();
        let Some(extension @ ("yaml" | "json")) = words.next() else { continue };
        let role = match (words.next(), words.next()) {
            (None, None) => ExampleRole::Plain,
            (Some("shared"), None) => ExampleRole::Shared,
            (Some("right"), None) => ExampleRole::Right,
            (Some("wrong"), Some(code)) => ExampleRole::Wrong(code.to_owned()),
            _ => panic!("{}:{line}: unknown fence `{info}`", page.name),
        };
        let (page, extension) = (page.name.clone(), extension.to_owned());
        examples.push(DocExample { page, line, extension, role, text: text.join("\n") + "\n" });
    }
    examples
}

/// Checks the examples of pages that share a ruleset.
fn check_examples(pages: &[DocPage]) {
    let examples: Vec<DocExample> = pages.iter().flat_map(examples).collect();
    let shared = examples.iter().find(|example| example.role == ExampleRole::Shared);
    let shared = shared.expect("one page has a shared ruleset").text.as_str();
    let schema = jsonschema::draft202012::new(&schema()).expect("the schema is valid");
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
            // Reported in the example itself, and nothing else anywhere.
            ExampleRole::Wrong(code) => {
                found.iter().any(|(found, is_here)| found == code && *is_here)
                    && found.iter().all(|(found, _)| found == code || !counts(found))
            }
            _ => compiled.program.is_some() && !found.iter().any(|(found, _)| counts(found)),
        };
        if compiled.program.is_some() && !schema.is_valid(&parsed(example)) {
            problems.push(format!("{}:{}: rejected by the schema", example.page, example.line));
        }
        if !fine {
            let shown = render(&compiled.diagnostics, ruleset.sources(), false);
            let DocExample { page, line, role, .. } = example;
            problems.push(format!("{page}:{line}: {role:?}, but:\n{shown}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(examples.len() > 20, "only {} examples were found", examples.len());
}

/// Compiles an example. Returns also whether it is a complete ruleset.
fn compile(example: &DocExample, shared: &str) -> (Ruleset, Compilation, bool) {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let own_name = format!("example.{}", example.extension);
    let is_whole = example.text.starts_with("ir:");
    let files = if is_whole {
        vec![file(&own_name, &example.text)]
    } else if example.text.starts_with("- ") {
        vec![file("shared.yaml", &shared_for(shared, "flow:")), file(&own_name, &statements(&example.text))]
    } else {
        vec![file("shared.yaml", &shared_for(shared, &example.text)), file(&own_name, &example.text)]
    };
    let ruleset = Ruleset::from_files(&files);
    let compiled = ruleset.compile();
    (ruleset, compiled, is_whole)
}

/// Returns the values of an example as a file of a ruleset.
fn parsed(example: &DocExample) -> serde_json::Value {
    let text = if example.text.starts_with("- ") { statements(&example.text) } else { example.text.clone() };
    let name = format!("example.{}", example.extension);
    let node = Ruleset::from_files(&[]).parse_extra_file(&name, text.as_bytes());
    node.expect("what compiles can be parsed").to_json()
}

/// Returns the shared ruleset, without its flow if the example has its own.
fn shared_for(shared: &str, example: &str) -> String {
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

// --- coverage ---------------------------------------

/// Returns every code that occurs as a string in the compiler's sources.
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

/// Returns the words of a text that look like codes: `E-NAME`, `W-NULL`.
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

/// Returns every name that the core prelude declares.
fn names_of_core() -> Vec<String> {
    let text = read(&root().join("crates/compiler/preludes/core.yaml"));
    let mut ruleset = Ruleset::from_files(&[]);
    let core = ruleset.parse_extra_file("core.yaml", text.as_bytes()).expect("the prelude can be read");
    let mut names = Vec::new();
    for section in core.as_map().expect("a prelude is an object") {
        if !matches!(section.key.value.as_str(), "ir" | "prelude") {
            names.extend(declared(&section.value));
        }
    }
    assert!(names.len() > 15, "{names:?}");
    names
}

fn declared(section: &SourceNode) -> Vec<String> {
    match &section.value {
        NodeValue::Map(entries) => entries.iter().map(|entry| entry.key.value.clone()).collect(),
        NodeValue::List(items) => {
            items.iter().filter_map(SourceNode::as_text).map(|text| text.value.clone()).collect()
        }
        _ => Vec::new(),
    }
}

// --- files -----------------------------------------------------------------------

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A page of the reference.
struct DocPage {
    name: String,
    text: String,
}

fn page(name: &str) -> DocPage {
    DocPage { name: name.to_owned(), text: read(&root().join("docs/reference").join(name)) }
}

/// Returns all pages of the language reference.
fn language_pages() -> Vec<DocPage> {
    let mut files = Vec::new();
    source_files(&root().join("docs/reference/language"), &mut files);
    let names = files.iter().filter_map(|file| file.file_name()?.to_str());
    names.map(|name| page(&format!("language/{name}"))).collect()
}

fn all_text(pages: &[DocPage]) -> String {
    pages.iter().map(|page| page.text.as_str()).collect::<Vec<_>>().join("\n")
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
