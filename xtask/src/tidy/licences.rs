//! Licences, sources and banned crates of all dependencies, compared with `deny.toml`.
//!
//! cargo-deny checks the same and security advisories too, but it has to be installed; this check
//! needs only cargo.

use serde_json::Value;

use crate::cargo;

use super::read;

pub(super) fn check() -> Vec<String> {
    let policy = read("deny.toml");
    let packages = match packages() {
        Ok(packages) => packages,
        Err(error) => return vec![format!("cargo metadata: {error}")],
    };
    let (licences, banned) = (listed(&policy, "allow"), listed(&policy, "deny"));
    let registries = listed(&policy, "allow-registry");
    if licences.is_empty() || registries.is_empty() {
        return vec!["deny.toml lists no licences or no registries".to_owned()];
    }
    let mut problems = Vec::new();
    for package in &packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let (name, version) = (text("name"), text("version"));
        let is_banned = |ban: &&String| match ban.split_once(':') {
            Some((banned_name, prefix)) => banned_name == name && version.starts_with(prefix),
            None => ban.as_str() == name,
        };
        if banned.iter().any(|ban| is_banned(&ban)) {
            problems.push(format!("{name} {version} is banned"));
        }
        let source = text("source");
        if !source.is_empty() && !registries.iter().any(|registry| source == format!("registry+{registry}")) {
            problems.push(format!("{name} {version} comes from {source}"));
        }
        let licence = text("license");
        if !is_allowed(licence, &licences) {
            problems.push(format!("{name} {version} has the licence `{licence}`"));
        }
        let is_ours = source.is_empty();
        for dependency in package["dependencies"].as_array().into_iter().flatten().filter(|_| is_ours) {
            if dependency["req"] == "*" && dependency["path"].is_null() {
                problems.push(format!("{name} {version} accepts any version of {}", dependency["name"]));
            }
        }
    }
    problems
}

/// Returns the quoted texts of a list in `deny.toml`.
fn listed(policy: &str, list: &str) -> Vec<String> {
    let Some(start) = policy.find(&format!("\n{list} = [")) else { return Vec::new() };
    let (inside, _) = policy[start..].split_once("]\n").unwrap_or_default();
    inside.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns every package that is built here, as cargo describes it.
fn packages() -> Result<Vec<Value>, String> {
    let arguments =
        ["metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"];
    let output = cargo().args(arguments).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    metadata["packages"].as_array().cloned().ok_or_else(|| "no packages".to_owned())
}

/// Returns true if a licence expression can be satisfied with allowed licences alone.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.trim();
    if allowed.iter().any(|licence| licence == expression) {
        return true;
    }
    // The loosest operator outside of brackets binds first; `/` is an old spelling of `OR`.
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

/// Splits an expression at an operator, but not inside of brackets.
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

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn licence_expressions_follow_spdx() {
        let allowed = ["MIT".to_owned(), "Unicode-3.0".to_owned()];
        for good in
            ["MIT", "GPL-3.0 OR MIT", "Apache-2.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "(MIT)"]
        {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR ISC) AND MIT", "MIT WITH something"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }
}
