//! What hot paths took when somebody last looked, and how far they may be from it.

use std::path::{Path, PathBuf};

use crate::callgrind::Counts;

/// A count this far from its baseline, either way, wants somebody to look.
const TOLERANCE_PERCENT: u64 = 5;

const HEADING: &str = "\
# Instructions of the processor that hot paths take: see benches/src/bin/instructions/hot.rs.
# Written by `cargo xtask instructions --bless`; a check fails when a count is 5 % away from what is here.
";

/// Counts that are known and accepted.
pub(crate) struct Baselines {
    counts: Counts,
}

impl Baselines {
    pub(crate) fn new(counts: Counts) -> Baselines {
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

    /// Prints all counts beside their baselines; true if none is too far away.
    pub(crate) fn compare(&self, counts: &Counts) -> Result<bool, String> {
        let mut advice: Vec<&str> = Vec::new();
        for (name, count) in counts {
            let known = self.counts.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
            let verdict = Verdict::of(known, *count);
            println!("{}", verdict.line(name, known, *count));
            advice.extend(verdict.advice());
        }
        for (name, _) in self.counts.iter().filter(|(known, _)| counts.iter().all(|(name, _)| name != known))
        {
            println!("{name:<20} is in benches/instructions.toml but is no hot path any more");
            advice.push(NEW);
        }
        advice.sort_unstable();
        advice.dedup();
        advice.iter().for_each(|advice| println!("{advice}"));
        Ok(advice.is_empty())
    }
}

const SLOWER: &str = "Something takes more instructions than benches/instructions.toml says. \
    `cargo run --release -p intermezzo-benches -- parts` tells what an action spends them on. \
    If what they buy is worth it, accept them with `cargo xtask instructions --bless`.";
const FASTER: &str = "Something takes far fewer instructions than benches/instructions.toml says. \
    Keep it that way with `cargo xtask instructions --bless`.";
const NEW: &str =
    "benches/instructions.toml has other hot paths than there are: run `cargo xtask instructions --bless`.";

/// What a count says beside its baseline.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// Near enough: so many percent more.
    Fine(f64),
    Slower(f64),
    Faster(f64),
    /// It has no baseline.
    New,
}

impl Verdict {
    fn of(known: Option<u64>, count: u64) -> Verdict {
        let Some(known) = known.filter(|known| *known > 0) else { return Verdict::New };
        let more = 100.0 * (count as f64 / known as f64 - 1.0);
        match 100 * count {
            hundredfold if hundredfold > (100 + TOLERANCE_PERCENT) * known => Verdict::Slower(more),
            hundredfold if hundredfold < (100 - TOLERANCE_PERCENT) * known => Verdict::Faster(more),
            _ => Verdict::Fine(more),
        }
    }

    fn line(&self, name: &str, known: Option<u64>, count: u64) -> String {
        let before = known.map_or_else(|| "-".to_owned(), |known| known.to_string());
        let (more, word) = match self {
            Verdict::Fine(more) => (format!("{more:+.1} %"), ""),
            Verdict::Slower(more) => (format!("{more:+.1} %"), "SLOWER"),
            Verdict::Faster(more) => (format!("{more:+.1} %"), "FASTER"),
            Verdict::New => (String::new(), "NEW"),
        };
        format!("{name:<20} {count:>9} instructions, was {before:>9} {more:>9}  {word}").trim_end().to_owned()
    }

    fn advice(&self) -> Option<&'static str> {
        match self {
            Verdict::Fine(_) => None,
            Verdict::Slower(_) => Some(SLOWER),
            Verdict::Faster(_) => Some(FASTER),
            Verdict::New => Some(NEW),
        }
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> Counts {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let written = Baselines::new(counts(&[("copy", 512), ("try-out", 20_000)]));
        assert_eq!(Baselines::parse(&written.text()).unwrap().counts, written.counts);
    }

    #[test]
    fn a_line_that_says_nothing_is_named() {
        let problem = Baselines::parse("# fine\ncopy = some\n").err().unwrap();
        assert!(problem.contains("`copy = some`"), "{problem}");
    }

    #[test]
    fn a_little_more_or_less_is_fine_and_much_is_not() {
        let known = Baselines::new(counts(&[("copy", 1000)]));
        for (count, is_fine) in [(1000, true), (1050, true), (1051, false), (950, true), (949, false)] {
            assert_eq!(known.compare(&counts(&[("copy", count)])), Ok(is_fine), "{count}");
        }
    }

    #[test]
    fn a_hot_path_without_baseline_or_the_other_way_round_is_to_be_blessed() {
        let known = Baselines::new(counts(&[("copy", 1000)]));
        assert_eq!(known.compare(&counts(&[("copy", 1000), ("view", 1)])), Ok(false));
        assert_eq!(known.compare(&Counts::new()), Ok(false));
    }
}
