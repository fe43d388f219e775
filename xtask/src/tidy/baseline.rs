//! Counts that may only fall, saved in `xtask/tidy.toml`.

use crate::root;

use super::read;

const FILE: &str = "xtask/tidy.toml";
const HEADER: &str =
    "# Counts that may only fall. `cargo xtask tidy --bless` lowers them after an improvement.\n";

/// A count of problems that may only fall.
#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) key: &'static str,
    pub(super) measure: fn() -> Vec<String>,
}

impl Count {
    /// Compares the current places with the saved number. Lists the places only if there are too many.
    pub(super) fn compare(self) -> Vec<String> {
        let places = (self.measure)();
        let (now, allowed) = (places.len(), saved(self.key));
        if now > allowed {
            let mut problems =
                vec![format!("{FILE} allows {allowed} for `{}`, but the repository has {now}:", self.key)];
            problems.extend(places);
            return problems;
        }
        if now < allowed {
            return vec![format!(
                "`{}` fell from {allowed} to {now}: run `cargo xtask tidy --bless` and commit {FILE}",
                self.key
            )];
        }
        Vec::new()
    }
}

fn saved(key: &str) -> usize {
    let text = read(FILE);
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

/// Saves the current counts. Never raises one: that needs an edit by hand, which a reviewer sees.
pub(super) fn bless(counts: &[Count]) -> bool {
    let mut text = HEADER.to_owned();
    let mut is_lower = true;
    for count in counts {
        let now = (count.measure)().len();
        let allowed = saved(count.key);
        if now > allowed {
            println!("`{}` rose from {allowed} to {now}; --bless only lowers counts", count.key);
            is_lower = false;
        }
        text.push_str(&format!("{} = {}\n", count.key, now.min(allowed)));
    }
    if let Err(error) = std::fs::write(root().join(FILE), text) {
        println!("{FILE}: {error}");
        return false;
    }
    is_lower
}
