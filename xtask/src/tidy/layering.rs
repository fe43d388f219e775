//! Crates may use only what the table under `## Crates` of the architecture page lists.
//!
//! Tests may use every crate of the workspace and the libraries of any row.

use std::collections::{BTreeMap, BTreeSet};

use super::read;
use super::sources::{files, has_word};

const PAGE: &str = "docs/explanation/architecture.md";

/// Things a pure crate cannot use: clocks, files, sockets, threads, hash order, floats.
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

/// Words of particular games. The engine's code uses none of them.
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

pub(super) fn check_dependencies() -> Vec<String> {
    let allowed = rows(&read(PAGE));
    let crates = crates();
    let known: BTreeSet<&String> = allowed.values().flatten().chain(crates.keys()).collect();
    let mut problems = Vec::new();
    for (name, manifest) in &crates {
        let Some(may_use) = allowed.get(name) else {
            problems.push(format!("{PAGE} has no row for the crate `{name}`"));
            continue;
        };
        for (dependency, in_tests) in dependencies(&read(manifest)) {
            let short = dependency.strip_prefix("intermezzo-").unwrap_or(&dependency).to_owned();
            let is_listed = may_use.contains(&short) || in_tests && known.contains(&short);
            if !is_listed {
                problems.push(format!("`{name}` uses `{short}`, but its row in {PAGE} does not list it"));
            }
        }
    }
    let stale = allowed.keys().filter(|name| !crates.contains_key(*name));
    problems.extend(stale.map(|name| format!("{PAGE} has a row for `{name}`, but no crate has that name")));
    problems
}

pub(super) fn check_purity() -> Vec<String> {
    let mut problems = words_in("engine", IMPURE, "is pure");
    problems.extend(words_in("engine", GAME_WORDS, "knows no game"));
    problems.extend(words_in("selector", IMPURE, "is pure"));
    problems
}

/// Returns the rows of the table: each crate with everything it may use.
fn rows(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let section = page.split("\n## ").find(|section| section.starts_with("Crates\n")).unwrap_or_default();
    let mut rows = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
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

/// Returns every crate of the repository by the name of its folder, with its manifest.
fn crates() -> BTreeMap<String, String> {
    let manifests = files(&["Cargo.toml"]).into_iter().filter(|path| !path.starts_with("fuzz/"));
    let named = manifests.filter_map(|path| {
        let folder = path.strip_suffix("/Cargo.toml")?;
        Some((folder.rsplit('/').next()?.to_owned(), path))
    });
    named.collect()
}

/// Returns the names in all dependency sections of a manifest, and whether each is only for tests.
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

/// Finds words in the code of a crate (not in its comments) that do not belong there; `why` gives the reason.
fn words_in(name: &str, words: &[&str], why: &str) -> Vec<String> {
    let folder = format!("crates/{name}/src/");
    let sources: Vec<String> = files(&[".rs"]).into_iter().filter(|path| path.starts_with(&folder)).collect();
    if sources.is_empty() {
        return vec![format!("{folder} has no sources")];
    }
    let mut problems = Vec::new();
    for path in sources {
        for (at, line) in read(&path).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let lower = code.to_lowercase();
            let here = words.iter().filter(|word| has_word(code, word) || has_word(&lower, word));
            problems.extend(here.map(|word| format!("{path}:{}: {name} {why}, so no `{word}`", at + 1)));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{dependencies, rows};

    #[test]
    fn a_table_is_read_row_by_row() {
        let text = "# A\n\n## Crates\n\n| crate | may use |\n|---|---|\n| `a` | b, `c` |\n| b | |\n\n## Next\n| x | y |\n";
        let rows = rows(text);
        assert_eq!(rows.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(rows["a"].iter().collect::<Vec<_>>(), ["b", "c"]);
        assert!(rows["b"].is_empty());
    }

    #[test]
    fn every_way_to_write_a_dependency_counts() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\"\n# c = \"1\"\n\
            [dev-dependencies]\nd = { path = \"..\" }\n[dependencies.e]\nversion = \"1\"\n[lints]\nworkspace = true\n";
        let found = dependencies(manifest);
        let names: Vec<(&str, bool)> =
            found.iter().map(|(name, in_tests)| (name.as_str(), *in_tests)).collect();
        assert_eq!(names, [("a", false), ("b", false), ("d", true), ("e", false)]);
    }
}
