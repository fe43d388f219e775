//! Who may use whom: the table under `## Crates` in ARCHITECTURE.md is the law.
//!
//! Tests may use every crate of the workspace, and the libraries of any row.
//! The sources of the pure crates are also read for what such a crate has no
//! use for, and the engine's for words of any game.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What pure crates have no use for: clocks, files, sockets, threads, hash order, floats.
const IMPURE: &[&str] = &[
    "std::time",
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "std::io",
    "SystemTime",
    "HashMap",
    "HashSet",
    "RandomState",
    "f32",
    "f64",
    "unsafe",
    "println",
    "eprintln",
    "static mut",
];

/// Words of games. The engine has never heard of any.
const GAME_WORDS: &[&str] = &[
    "mana",
    "damage",
    "hp",
    "attack",
    "spell",
    "shield",
    "orcain",
    "creature",
    "card",
    "cards",
    "deck",
    "graveyard",
    "weapon",
    "armor",
    "dogma",
    "monster",
];

/// The rows of the table: crate, then everything it may use.
fn allowed(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let section = text.split("\n## ").find(|section| section.starts_with("Crates\n")).unwrap_or_default();
    let mut rows = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|cell| cell.trim()).collect();
        let [name, uses @ ..] = &cells[..] else { continue };
        let name = name.trim_matches('`');
        if name == "crate" || name.starts_with("---") {
            continue;
        }
        let words = uses.iter().flat_map(|cell| cell.split(',')).map(|word| word.trim().trim_matches('`'));
        rows.insert(name.to_owned(), words.filter(|word| !word.is_empty()).map(str::to_owned).collect());
    }
    rows
}

fn check_dependencies(root: &Path, allowed: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut found = Vec::new();
    let crates = crates(root);
    let known: BTreeSet<&String> = allowed.values().flatten().chain(crates.keys()).collect();
    for (name, folder) in &crates {
        let Some(may_use) = allowed.get(name) else {
            found.push(format!("ARCHITECTURE.md has no row for the crate `{name}`"));
            continue;
        };
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        for (dependency, in_tests) in dependencies(&manifest) {
            let short = dependency.strip_prefix("intermezzo-").unwrap_or(&dependency).to_owned();
            let is_listed = may_use.contains(&short) || in_tests && known.contains(&short);
            if !is_listed {
                found
                    .push(format!("`{name}` uses `{short}`, which its row in ARCHITECTURE.md does not list"));
            }
        }
    }
    let stale = allowed.keys().filter(|name| !crates.contains_key(*name));
    found.extend(
        stale.map(|name| format!("ARCHITECTURE.md has a row for `{name}`, but there is no such crate")),
    );
    found
}

/// Every crate of the workspace, and the Python package beside it, by its short name.
fn crates(root: &Path) -> BTreeMap<String, PathBuf> {
    let mut folders = vec![root.join("benches"), root.join("python"), root.join("xtask")];
    let inside = std::fs::read_dir(root.join("crates")).into_iter().flatten();
    folders.extend(inside.filter_map(|entry| entry.ok().map(|entry| entry.path())));
    let with_manifest = folders.into_iter().filter(|folder| folder.join("Cargo.toml").is_file());
    let named = with_manifest.filter_map(|folder| {
        let name = folder.file_name()?.to_str()?.to_owned();
        Some((name, folder))
    });
    named.collect()
}

/// The names in every dependency section of a manifest, with whether they are only for tests.
fn dependencies(manifest: &str) -> BTreeSet<(String, bool)> {
    let mut inside = None;
    let mut names = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_matches(['[', ']']);
            let in_tests = section.contains("dev-dependencies");
            inside = section.ends_with("dependencies").then_some(in_tests);
            if let Some((_, name)) = section.split_once("dependencies.") {
                names.insert((name.to_owned(), in_tests));
            }
        } else if let (Some(in_tests), true) = (inside, line.contains('=') && !line.starts_with('#')) {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            names.insert((name.trim_matches('"').to_owned(), in_tests));
        }
    }
    names
}

/// Reads all sources of a crate for words that have no place there; `why` says why not.
fn check_words(name: &str, words: &[&str], why: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
    let mut found = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    collect_sources(&folder, &mut files);
    if files.is_empty() {
        found.push(format!("there are no sources in {}", folder.display()));
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let place = format!("crates/{name}/src/{file}:{}", at + 1);
            let here =
                words.iter().filter(|word| has_word(code, word) || has_word(&code.to_lowercase(), word));
            found.extend(here.map(|word| format!("{place}: {name} {why}, so no `{word}`")));
        }
    }
    found
}

fn collect_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Whether a word stands in a line by itself, not as part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric();
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

#[test]
fn crates_use_only_what_the_table_lets_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let problems = check_dependencies(&root, &allowed(&text));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_engine_is_pure_and_knows_no_game() {
    let mut problems = check_words("engine", IMPURE, "is pure");
    problems.extend(check_words("engine", GAME_WORDS, "knows no game"));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn selectors_are_pure() {
    let problems = check_words("selector", IMPURE, "is pure");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_table_is_read_row_by_row() {
    let text = "# A\n\n## Crates\n\n| crate | may use |\n|---|---|\n| `a` | b, `c` |\n| b | |\n\n## Next\n| x | y |\n";
    let rows = allowed(text);
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(rows["a"].iter().collect::<Vec<_>>(), ["b", "c"]);
    assert!(rows["b"].is_empty());
}

#[test]
fn every_way_to_write_a_dependency_counts() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\"\n# c = \"1\"\n\
        [dev-dependencies]\nd = { path = \"..\" }\n[dependencies.e]\nversion = \"1\"\n[lints]\nworkspace = true\n";
    let found = dependencies(manifest);
    let names: Vec<(&str, bool)> = found.iter().map(|(name, in_tests)| (name.as_str(), *in_tests)).collect();
    assert_eq!(names, [("a", false), ("b", false), ("d", true), ("e", false)]);
}

#[test]
fn only_whole_words_count() {
    assert!(has_word("let x: f64 = 1.0;", "f64"));
    assert!(has_word("take_damage()", "damage"));
    assert!(!has_word("shaped", "hp"));
    assert!(!has_word("unsafely", "unsafe"));
}
