//! The saved instruction counts of hot paths, and the comparison with new ones.

use std::path::{Path, PathBuf};

use crate::callgrind::InstructionCounts;

/// A count may differ from its baseline by this much, in either direction.
const TOLERANCE_PERCENT: u64 = 5;

const HEADING: &str = "\
# Processor instructions of the hot paths in benches/src/bin/instructions/hot_paths.rs.
# Written by `cargo xtask instructions --bless`; a check fails if a count differs by more than 5 %.
";

/// Instruction counts that a developer has accepted.
pub(crate) struct Baselines {
    counts: InstructionCounts,
}

impl Baselines {
    pub(crate) fn new(counts: InstructionCounts) -> Baselines {
        Baselines { counts }
    }

    pub(crate) fn load() -> Result<Baselines, String> {
        let text = std::fs::read_to_string(file());
        let text = text.map_err(|error| format!("{}: {error}", file().display()))?;
        Baselines::parse(&text)
    }

    fn parse(text: &str) -> Result<Baselines, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let read = |line: &str| {
            let (name, count) = line.split_once('=')?;
            Some((name.trim().to_owned(), count.trim().replace('_', "").parse().ok()?))
        };
        let counts = lines.map(|line| {
            read(line).ok_or_else(|| format!("benches/instructions.toml: `{line}` is not `name = count`"))
        });
        Ok(Baselines { counts: counts.collect::<Result<_, _>>()? })
    }

    pub(crate) fn save(&self) -> Result<bool, String> {
        std::fs::write(file(), self.text()).map_err(|error| format!("{}: {error}", file().display()))?;
        self.counts.iter().for_each(|(name, count)| println!("{name:<20} {count:>9}"));
        Ok(true)
    }

    fn text(&self) -> String {
        let lines = self.counts.iter().map(|(name, count)| format!("{name} = {count}\n"));
        [HEADING.to_owned()].into_iter().chain(lines).collect()
    }

    /// Prints all counts beside their baselines. Returns true if all are within the tolerance.
    pub(crate) fn compare(&self, counts: &InstructionCounts) -> Result<bool, String> {
        let mut advice: Vec<&str> = Vec::new();
        for (name, count) in counts {
            let known = self.counts.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
            let comparison = BaselineComparison::of(known, *count);
            println!("{}", comparison.line(name, known, *count));
            advice.extend(comparison.advice());
        }
        for (name, _) in self.counts.iter().filter(|(known, _)| counts.iter().all(|(name, _)| name != known))
        {
            println!("{name:<20} is in benches/instructions.toml but is not a hot path");
            advice.push(CHANGED);
        }
        advice.sort_unstable();
        advice.dedup();
        advice.iter().for_each(|advice| println!("{advice}"));
        Ok(advice.is_empty())
    }
}

const SLOWER: &str = "A hot path takes more instructions than benches/instructions.toml allows. \
    `cargo run --release -p intermezzo-benches -- parts` shows the parts of an action. \
    If the change is intended, accept the counts with `cargo xtask instructions --bless`.";
const FASTER: &str = "A hot path takes fewer instructions than benches/instructions.toml says. \
    Save the improvement with `cargo xtask instructions --bless`.";
const CHANGED: &str = "benches/instructions.toml lists other hot paths than the program: run `cargo xtask instructions --bless`.";

/// A count compared with its baseline. Numbers are the change in percent.
#[derive(Debug, PartialEq)]
enum BaselineComparison {
    WithinTolerance(f64),
    Slower(f64),
    Faster(f64),
    /// The count has no baseline.
    New,
}

impl BaselineComparison {
    fn of(known: Option<u64>, count: u64) -> BaselineComparison {
        let Some(known) = known.filter(|known| *known > 0) else { return BaselineComparison::New };
        let percent = 100.0 * (count as f64 / known as f64 - 1.0);
        match 100 * count {
            hundredfold if hundredfold > (100 + TOLERANCE_PERCENT) * known => {
                BaselineComparison::Slower(percent)
            }
            hundredfold if hundredfold < (100 - TOLERANCE_PERCENT) * known => {
                BaselineComparison::Faster(percent)
            }
            _ => BaselineComparison::WithinTolerance(percent),
        }
    }

    fn line(&self, name: &str, known: Option<u64>, count: u64) -> String {
        let before = known.map_or_else(|| "-".to_owned(), |known| known.to_string());
        let (change, word) = match self {
            BaselineComparison::WithinTolerance(percent) => (format!("{percent:+.1} %"), ""),
            BaselineComparison::Slower(percent) => (format!("{percent:+.1} %"), "SLOWER"),
            BaselineComparison::Faster(percent) => (format!("{percent:+.1} %"), "FASTER"),
            BaselineComparison::New => (String::new(), "NEW"),
        };
        format!("{name:<20} {count:>9} instructions, was {before:>9} {change:>9}  {word}")
            .trim_end()
            .to_owned()
    }

    fn advice(&self) -> Option<&'static str> {
        match self {
            BaselineComparison::WithinTolerance(_) => None,
            BaselineComparison::Slower(_) => Some(SLOWER),
            BaselineComparison::Faster(_) => Some(FASTER),
            BaselineComparison::New => Some(CHANGED),
        }
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> InstructionCounts {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn saved_baselines_are_read_back() {
        let written = Baselines::new(counts(&[("copy", 512), ("try-out", 20_000)]));
        assert_eq!(Baselines::parse(&written.text()).unwrap().counts, written.counts);
    }

    #[test]
    fn an_invalid_line_is_quoted_in_the_error() {
        let problem = Baselines::parse("# fine\ncopy = some\n").err().unwrap();
        assert!(problem.contains("`copy = some`"), "{problem}");
    }

    #[test]
    fn counts_within_five_percent_pass() {
        let known = Baselines::new(counts(&[("copy", 1000)]));
        for (count, is_fine) in [(1000, true), (1050, true), (1051, false), (950, true), (949, false)] {
            assert_eq!(known.compare(&counts(&[("copy", count)])), Ok(is_fine), "{count}");
        }
    }

    #[test]
    fn new_and_removed_hot_paths_must_be_blessed() {
        let known = Baselines::new(counts(&[("copy", 1000)]));
        assert_eq!(known.compare(&counts(&[("copy", 1000), ("view", 1)])), Ok(false));
        assert_eq!(known.compare(&InstructionCounts::new()), Ok(false));
    }
}
