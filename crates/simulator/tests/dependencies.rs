//! What dependencies may bring with them: `deny.toml` is the law, and cargo itself tells what there is.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The texts in quotes of a list in `deny.toml`.
fn listed(law: &str, list: &str) -> Vec<String> {
    let start = law.find(&format!("\n{list} = [")).unwrap_or_else(|| panic!("deny.toml has no `{list}`"));
    let (inside, _) = law[start..].split_once("]\n").unwrap();
    inside.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every package that is built here.
fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments =
        ["metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"];
    let told = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    told["packages"].as_array().unwrap().clone()
}

/// Whether one may be chosen so that everything in the expression is allowed.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.trim();
    if allowed.iter().any(|license| license == expression) {
        return true;
    }
    // The loosest operator outside of brackets; an old spelling of `OR` is `/`.
    for operator in [" OR ", "/", " AND "] {
        let parts = split(expression, operator);
        if parts.len() > 1 {
            let mut parts = parts.into_iter();
            return match operator {
                " AND " => parts.all(|part| is_allowed(part, allowed)),
                _ => parts.any(|part| is_allowed(part, allowed)),
            };
        }
    }
    let inside = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|inside| is_allowed(inside, allowed))
}

fn split<'a>(expression: &'a str, operator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in expression.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= start && expression[at..].starts_with(operator) => {
                parts.push(&expression[start..at]);
                start = at + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[start..]);
    parts
}

#[test]
fn licences_are_read_as_they_are_meant() {
    let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
    for good in ["MIT", "GPL-3.0 OR MIT", "Apache-2.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "(MIT)"] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR ISC) AND MIT", "MIT WITH something"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn dependencies_bring_no_other_licences_sources_or_banned_crates() {
    let law = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let (licences, banned) = (listed(&law, "allow"), listed(&law, "deny"));
    let registries = listed(&law, "allow-registry");
    let mut found = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let what = format!("{name} {}", package["version"].as_str().unwrap());
        let is_banned = |ban: &&String| match ban.split_once(':') {
            Some((crate_name, version)) => {
                crate_name == name && package["version"].as_str().unwrap().starts_with(version)
            }
            None => ban.as_str() == name,
        };
        found.extend(banned.iter().find(is_banned).map(|_| format!("{what} is banned")));
        if let Some(source) = package["source"].as_str() {
            let is_known = registries.iter().any(|registry| source == format!("registry+{registry}"));
            found.extend((!is_known).then(|| format!("{what} comes from {source}")));
        }
        let licence = package["license"].as_str().unwrap_or_default();
        found
            .extend((!is_allowed(licence, &licences)).then(|| format!("{what} has the licence `{licence}`")));
        let is_ours = package["source"].is_null();
        for dependency in package["dependencies"].as_array().unwrap().iter().filter(|_| is_ours) {
            let is_wild = dependency["req"] == "*" && dependency["path"].is_null();
            found.extend(is_wild.then(|| format!("{what} takes any version of {}", dependency["name"])));
        }
    }
    assert!(found.is_empty(), "see deny.toml:\n{}", found.join("\n"));
}
