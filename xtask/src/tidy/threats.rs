//! The threat model: every threat names a test, and every named test exists.

use super::read;

const PAGE: &str = "docs/explanation/security.md";
/// Fewer named tests than this mean that the page is no longer read correctly.
const LEAST_TESTS: usize = 50;

pub(super) fn check() -> Vec<String> {
    let page = read(PAGE);
    let named: Vec<(&str, &str)> =
        page.split('`').skip(1).step_by(2).filter_map(|word| word.split_once(".rs::")).collect();
    let mut problems = Vec::new();
    if named.len() < LEAST_TESTS {
        problems.push(format!("{PAGE} names only {} tests", named.len()));
    }
    for (file, name) in named {
        let code = read(&format!("{file}.rs"));
        let is_test = code
            .split_once(&format!("fn {name}()"))
            .is_some_and(|(before, _)| before.trim_end().trim_end_matches("async").trim_end().ends_with(']'));
        if !is_test {
            problems.push(format!("{PAGE} names the test `{file}.rs::{name}`, which does not exist"));
        }
    }
    let threats = page.split_once("## Threats").map_or("", |(_, threats)| threats);
    let rows = threats.lines().filter(|line| line.starts_with("| ") && !line.ends_with("| test |"));
    problems.extend(rows.filter(|row| !row.contains(".rs::")).map(|row| format!("no test: {row}")));
    problems
}
