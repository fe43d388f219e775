//! Rules, arms of `if` and `switch`, questions and alternatives that an experiment never reached.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_program::{CoverageKind, Instr, Program, SourceLocation, native};
use serde_json::{Value, json};

use crate::experiment::{Experiment, ExperimentFindings};
use crate::report::{ReportTable, TableCell};

/// Folder of the language's own files, which authors cannot change.
const PRELUDE: &str = "prelude/";

/// Part of the rules that was never reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UnreachedPoint {
    /// File name.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Sort of part, such as `reaction`.
    pub what: &'static str,
    /// Name of the part, or the event that never occurred.
    pub name: String,
}

/// Coverage of a ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Total and reached number of parts by sort.
    pub counts: BTreeMap<&'static str, (usize, usize)>,
    /// Unreached parts by file and line. Arms of unreached rules are omitted.
    pub unreached: Vec<UnreachedPoint>,
}

/// Key of a coverage point: file, start and kind. Code that is compiled several times has one key.
type PointKey = (u16, u32, CoverageKind);

struct PointHits<'a> {
    name: &'a str,
    place: SourceLocation,
    times: u64,
}

impl Coverage {
    /// Computes the coverage of an experiment.
    #[must_use]
    pub fn new(experiment: &Experiment, findings: &ExperimentFindings) -> Coverage {
        let program = &experiment.instrumented;
        let mut coverage = Coverage::default();
        let points = points(program, findings);
        let reached: BTreeSet<&str> =
            points.values().filter(|seen| seen.times > 0).map(|seen| seen.name).collect();
        for (key, seen) in &points {
            let (file, start, kind) = *key;
            let sibling = match kind {
                CoverageKind::Then => Some(CoverageKind::Else),
                CoverageKind::Else => Some(CoverageKind::Then),
                _ => None,
            };
            // An arm counts only if its rule was reached: otherwise the rule itself is reported.
            let counts = match (kind, sibling.and_then(|sibling| points.get(&(file, start, sibling)))) {
                (_, Some(sibling)) => sibling.times > 0 || seen.times > 0,
                (CoverageKind::Case | CoverageKind::Prevents(_), None) => reached.contains(seen.name),
                _ => true,
            };
            if counts {
                let (what, name) = describe(program, kind, seen.name);
                coverage.note(program, seen.place, what, name, seen.times > 0);
            }
        }
        coverage.questions(program, findings);
        coverage.unreached.sort();
        coverage.unreached.dedup();
        coverage
    }

    fn note(
        &mut self,
        program: &Program,
        place: SourceLocation,
        what: &'static str,
        name: String,
        is_reached: bool,
    ) {
        let file = program.files.get(usize::from(place.file)).map_or("?", String::as_str);
        if file.starts_with(PRELUDE) {
            return;
        }
        let count = self.counts.entry(what).or_default();
        count.0 += 1;
        count.1 += usize::from(is_reached);
        if !is_reached {
            self.unreached.push(UnreachedPoint { file: file.to_owned(), line: place.line, what, name });
        }
    }

    /// Adds questions that were never asked and alternatives that nobody chose.
    fn questions(&mut self, program: &Program, findings: &ExperimentFindings) {
        for (at, choice) in program.choices.iter().enumerate() {
            let opens = |instr: &Instr| matches!(instr, Instr::Open { choice } if choice.index() == at);
            let Some(place) = program.code.iter().position(opens).and_then(|pc| program.location(pc as u32))
            else {
                continue;
            };
            let asked = findings.asked[at] > 0;
            self.note(program, place, "question", choice.name.clone(), asked);
            if asked {
                for (branch, taken) in choice.branches.iter().zip(&findings.alternatives[at]) {
                    let name = format!("{} of {}", program.symbol(branch.id), choice.name);
                    self.note(program, place, "alternative", name, *taken > 0);
                }
            }
        }
    }

    /// Returns a table of totals and a table of unreached parts.
    #[must_use]
    pub fn tables(&self) -> Vec<ReportTable> {
        let note = "Preludes are not included.";
        let mut counts = ReportTable::new("Coverage", note, &["sort", "reached", "of", "share"]);
        for (what, (all, reached)) in &self.counts {
            let share = *reached as f64 / (*all).max(1) as f64;
            let numbers =
                [TableCell::Count(*reached as u64), TableCell::Count(*all as u64), TableCell::Percent(share)];
            counts.rows.push([TableCell::Text((*what).to_owned())].into_iter().chain(numbers).collect());
        }
        let note = "More matches, other bots or other options may reach these. If nothing does, they are dead rules.";
        let mut never = ReportTable::new("Never reached", note, &["where", "what", "name"]);
        for unreached in &self.unreached {
            let place = format!("{}:{}", unreached.file, unreached.line);
            let words = [place, unreached.what.to_owned(), unreached.name.clone()];
            never.rows.push(words.map(TableCell::Text).into());
        }
        vec![counts, never]
    }

    /// Returns the coverage as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let counts = self.counts.iter();
        let counts =
            counts.map(|(what, (all, reached))| json!({"what": what, "all": all, "reached": reached}));
        let unreached = self.unreached.iter().map(|unreached| {
            let UnreachedPoint { file, line, what, name } = unreached;
            json!({"file": file, "line": line, "what": what, "name": name})
        });
        json!({"counts": counts.collect::<Value>(), "unreached": unreached.collect::<Value>()})
    }
}

/// Returns all coverage points in the code with their hits.
fn points<'a>(program: &'a Program, findings: &ExperimentFindings) -> BTreeMap<PointKey, PointHits<'a>> {
    let mut points: BTreeMap<PointKey, PointHits<'a>> = BTreeMap::new();
    let numbers = program.code.iter().filter_map(|instr| match instr {
        Instr::CoverageHit { number } => Some(*number as usize),
        _ => None,
    });
    for number in numbers {
        let Some(probe) = program.coverage.points().get(number) else { continue };
        let seen = points.entry((probe.location.file, probe.start, probe.kind)).or_insert(PointHits {
            name: &probe.name,
            place: probe.location,
            times: 0,
        });
        seen.times += findings.probes[number].times;
    }
    points
}

/// Returns the sort and the name of a coverage point.
fn describe(program: &Program, kind: CoverageKind, name: &str) -> (&'static str, String) {
    let is_check = || {
        let mut rules = program.reactions.iter();
        rules.any(|rule| program.symbol(rule.name) == name && rule.event == native::SETTLED)
    };
    match kind {
        CoverageKind::Action => ("action", name.to_owned()),
        CoverageKind::Ability => ("ability", name.to_owned()),
        CoverageKind::Reaction if is_check() => ("state check", name.to_owned()),
        CoverageKind::Reaction => ("reaction", name.to_owned()),
        CoverageKind::Modifier => ("modifier", name.trim_start_matches("modifiers.").to_owned()),
        CoverageKind::Function => ("function", name.trim_start_matches("functions.").to_owned()),
        CoverageKind::Proc => ("proc", name.trim_start_matches("procs.").to_owned()),
        CoverageKind::Then => ("arm", format!("the test never holds, in {name}")),
        CoverageKind::Else => ("arm", format!("the test always holds, in {name}")),
        CoverageKind::Case => ("arm", format!("this case never occurs, in {name}")),
        CoverageKind::Prevents(_) => ("arm", format!("nothing is prevented here, in {name}")),
    }
}
