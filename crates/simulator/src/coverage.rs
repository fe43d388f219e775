//! What a study never reached: rules, arms of `if` and `switch`, questions and their alternatives.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_ruleset::{Instr, Place, ProbeKind, Program, native};
use serde_json::{Value, json};

use crate::report::{Cell, Table};
use crate::study::{Findings, Study};

/// Files of the language's own; nobody can change them.
const PRELUDE: &str = "prelude/";

/// Something that was never reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unreached {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// What sort of thing.
    pub what: &'static str,
    /// Its name, or what about it did not happen.
    pub name: String,
}

/// How much of a ruleset was reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// By sort: how many there are, and how many were reached.
    pub counts: BTreeMap<&'static str, (usize, usize)>,
    /// What was not, in order of files and lines. Arms of what was not reached itself are left out.
    pub unreached: Vec<Unreached>,
}

/// A place in the rules with what reaching it means; compiled several times, it is still one.
type Spot = (u16, u32, ProbeKind);

struct Seen<'a> {
    name: &'a str,
    place: Place,
    times: u64,
}

impl Coverage {
    /// What was reached when the study was played.
    #[must_use]
    pub fn of(study: &Study, findings: &Findings) -> Coverage {
        let program = &study.probed;
        let mut coverage = Coverage::default();
        let spots = spots(program, findings);
        let reached: BTreeSet<&str> =
            spots.values().filter(|seen| seen.times > 0).map(|seen| seen.name).collect();
        for (spot, seen) in &spots {
            let (file, start, kind) = *spot;
            let sibling = match kind {
                ProbeKind::Then => Some(ProbeKind::Else),
                ProbeKind::Else => Some(ProbeKind::Then),
                _ => None,
            };
            // An arm counts where something else of its rule was reached, or else the rule is what was not.
            let counts = match (kind, sibling.and_then(|sibling| spots.get(&(file, start, sibling)))) {
                (_, Some(sibling)) => sibling.times > 0 || seen.times > 0,
                (ProbeKind::Case | ProbeKind::Prevents(_), None) => reached.contains(seen.name),
                _ => true,
            };
            if counts {
                let (what, name) = words(program, kind, seen.name);
                coverage.note(program, seen.place, what, name, seen.times > 0);
            }
        }
        coverage.questions(program, findings);
        coverage.unreached.sort();
        coverage.unreached.dedup();
        coverage
    }

    fn note(&mut self, program: &Program, place: Place, what: &'static str, name: String, is_reached: bool) {
        let file = program.files.get(usize::from(place.file)).map_or("?", String::as_str);
        if file.starts_with(PRELUDE) {
            return;
        }
        let count = self.counts.entry(what).or_default();
        count.0 += 1;
        count.1 += usize::from(is_reached);
        if !is_reached {
            self.unreached.push(Unreached { file: file.to_owned(), line: place.line, what, name });
        }
    }

    /// Questions that were never asked, and alternatives nobody took.
    fn questions(&mut self, program: &Program, findings: &Findings) {
        for (at, choice) in program.choices.iter().enumerate() {
            let opens = |instr: &Instr| matches!(instr, Instr::Open { choice } if choice.index() == at);
            let Some(place) = program.code.iter().position(opens).and_then(|pc| program.place(pc as u32))
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

    /// How much was reached, and what was not.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let note = "Rules of preludes are left out.";
        let mut counts = Table::new("Coverage", note, &["sort", "reached", "of", "share"]);
        for (what, (all, reached)) in &self.counts {
            let share = *reached as f64 / (*all).max(1) as f64;
            let numbers = [Cell::Count(*reached as u64), Cell::Count(*all as u64), Cell::Percent(share)];
            counts.rows.push([Cell::Text((*what).to_owned())].into_iter().chain(numbers).collect());
        }
        let note =
            "More matches, other bots or other options may reach it. If nothing does, it is never needed.";
        let mut never = Table::new("Never reached", note, &["where", "what", "name"]);
        for unreached in &self.unreached {
            let place = format!("{}:{}", unreached.file, unreached.line);
            let words = [place, unreached.what.to_owned(), unreached.name.clone()];
            never.rows.push(words.map(Cell::Text).into());
        }
        vec![counts, never]
    }

    /// The same for tools.
    #[must_use]
    pub fn json(&self) -> Value {
        let counts = self.counts.iter();
        let counts =
            counts.map(|(what, (all, reached))| json!({"what": what, "all": all, "reached": reached}));
        let unreached = self.unreached.iter().map(|unreached| {
            let Unreached { file, line, what, name } = unreached;
            json!({"file": file, "line": line, "what": what, "name": name})
        });
        json!({"counts": counts.collect::<Value>(), "unreached": unreached.collect::<Value>()})
    }
}

/// All places whose probes are part of the code, with how often each was reached.
fn spots<'a>(program: &'a Program, findings: &Findings) -> BTreeMap<Spot, Seen<'a>> {
    let mut spots: BTreeMap<Spot, Seen<'a>> = BTreeMap::new();
    let numbers = program.code.iter().filter_map(|instr| match instr {
        Instr::Probe { number } => Some(*number as usize),
        _ => None,
    });
    for number in numbers {
        let Some(probe) = program.probes.list().get(number) else { continue };
        let seen = spots.entry((probe.place.file, probe.start, probe.kind)).or_insert(Seen {
            name: &probe.name,
            place: probe.place,
            times: 0,
        });
        seen.times += findings.probes[number].times;
    }
    spots
}

/// What sort of thing a probe is about, and what to call it.
fn words(program: &Program, kind: ProbeKind, name: &str) -> (&'static str, String) {
    let is_check = || {
        let mut rules = program.reactions.iter();
        rules.any(|rule| program.symbol(rule.name) == name && rule.event == native::SETTLED)
    };
    match kind {
        ProbeKind::Action => ("action", name.to_owned()),
        ProbeKind::Ability => ("ability", name.to_owned()),
        ProbeKind::Reaction if is_check() => ("state check", name.to_owned()),
        ProbeKind::Reaction => ("reaction", name.to_owned()),
        ProbeKind::Modifier => ("modifier", name.trim_start_matches("modifiers.").to_owned()),
        ProbeKind::Function => ("function", name.trim_start_matches("functions.").to_owned()),
        ProbeKind::Proc => ("proc", name.trim_start_matches("procs.").to_owned()),
        ProbeKind::Then => ("arm", format!("the test never holds, in {name}")),
        ProbeKind::Else => ("arm", format!("the test always holds, in {name}")),
        ProbeKind::Case => ("arm", format!("this case never comes about, in {name}")),
        ProbeKind::Prevents(_) => ("arm", format!("nothing is prevented here, in {name}")),
    }
}
