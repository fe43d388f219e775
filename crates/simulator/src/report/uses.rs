//! What was used: things, actions, abilities, reactions; and what was prevented.

use std::collections::BTreeMap;

use intermezzo_ruleset::{KindId, ProbeKind};

use super::{Cell, Report, Table, numbers};
use crate::study::{Thing, Use};

/// The groups of rules whose uses are told, with what one of them is called.
pub(crate) const GROUPS: [(&str, &str, ProbeKind); 3] = [
    ("Actions", "action", ProbeKind::Action),
    ("Abilities", "ability", ProbeKind::Ability),
    ("Reactions", "reaction", ProbeKind::Reaction),
];

const EFFECT: &str = "Seats that used it win so much more often (▲) or less often (▼) than those that could have and did not, \
    in points of a hundred with their 95 % interval. That is no proof of a cause: who is ahead may use other things.";

const COLUMNS: [&str; 6] = ["used in", "uses a match", "wins with", "without", "difference", "seats"];

impl Report<'_> {
    /// Things that anybody had or used, by name.
    #[must_use]
    pub fn things(&self) -> Vec<(String, Use)> {
        let program = self.program();
        // What waits on the stack is made from defs, too, which are no things of the author's.
        let is_item = |kind| program.is_kind(kind, KindId::ACTION) || program.is_kind(kind, KindId::REACTION);
        let is_thing = |thing: &Thing| {
            let def = &program.defs[thing.def.index()];
            !def.is_trait && !is_item(def.kind)
        };
        let known: Vec<(Thing, Use)> = self
            .findings
            .things
            .iter()
            .filter(|(thing, _)| is_thing(thing))
            .map(|(thing, found)| (*thing, *found))
            .collect();
        let name = |thing: Thing| {
            let name = thing.name(program);
            let others =
                known.iter().filter(|(other, _)| other.def != thing.def && other.name(program) == name);
            if others.count() == 0 { name } else { format!("{name} ({})", thing.printed(program)) }
        };
        let mut named: Vec<(String, Use)> =
            known.iter().map(|(thing, found)| (name(*thing), *found)).collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        named
    }

    /// Rules of one kind by name. Where a rule is compiled more than once, its uses are added up.
    #[must_use]
    pub fn rules(&self, kind: ProbeKind) -> Vec<(String, Use)> {
        let mut rules: BTreeMap<&str, Use> = BTreeMap::new();
        let probes = self.study.probed.probes.list().iter().zip(&self.findings.probes);
        for (probe, found) in probes.filter(|(probe, _)| probe.kind == kind) {
            rules.entry(&probe.name).or_default().merge(*found);
        }
        rules.into_iter().map(|(name, found)| (name.to_owned(), found)).collect()
    }

    /// What was prevented: the type of event, the rule that did, how often and in how many matches.
    #[must_use]
    pub fn prevented(&self) -> Vec<(String, String, Use)> {
        let program = self.program();
        let mut found: BTreeMap<(String, &str), Use> = BTreeMap::new();
        for (probe, uses) in self.study.probed.probes.list().iter().zip(&self.findings.probes) {
            let ProbeKind::Prevents(event) = probe.kind else { continue };
            let event = event.map_or("any event", |event| program.events[event.index()].name.as_str());
            found.entry((event.to_owned(), &probe.name)).or_default().merge(*uses);
        }
        found.into_iter().map(|((event, rule), uses)| (event, rule.to_owned(), uses)).collect()
    }

    pub(crate) fn uses(&self) -> Vec<Table> {
        let mut tables = vec![self.use_table("Things", "thing", self.things())];
        let groups = GROUPS.iter();
        tables.extend(groups.map(|(title, what, kind)| self.use_table(title, what, self.rules(*kind))));
        tables.push(self.prevented_table());
        tables
    }

    fn use_table(&self, title: &str, what: &str, mut uses: Vec<(String, Use)>) -> Table {
        uses.sort_by_key(|(_, found)| std::cmp::Reverse(found.times));
        let columns: Vec<&str> = std::iter::once(what).chain(COLUMNS).collect();
        let mut table = Table::new(title, EFFECT, &columns);
        for (name, found) in uses {
            table.rows.push(self.use_row(name, &found));
        }
        table
    }

    fn use_row(&self, name: String, found: &Use) -> Vec<Cell> {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        let won = |record: crate::study::Record| match record.played {
            0 => Cell::Nothing,
            played => Cell::Percent(share(record.won, played)),
        };
        vec![
            Cell::Text(name),
            Cell::Percent(share(found.matches, found.seen)),
            Cell::Number(share(found.times, self.findings.tally.matches), 2),
            won(found.with),
            if found.with.played == 0 { Cell::Nothing } else { won(found.without) },
            numbers::won_more(found.with, found.without).map_or(Cell::Nothing, Cell::Points),
            Cell::Count(found.with.played),
        ]
    }

    fn prevented_table(&self) -> Table {
        let columns = ["event", "by", "times", "matches"];
        let mut table =
            Table::new("Prevented", "Events that did not happen because a rule prevented them.", &columns);
        let mut prevented = self.prevented();
        prevented.sort_by_key(|(_, _, found)| std::cmp::Reverse(found.times));
        for (event, rule, found) in prevented.into_iter().filter(|(_, _, found)| found.times > 0) {
            let counts = [Cell::Count(found.times), Cell::Count(found.matches)];
            table.rows.push([Cell::Text(event), Cell::Text(rule)].into_iter().chain(counts).collect());
        }
        table
    }
}
