//! Usage of things, actions, abilities and reactions, and prevented events.

use std::collections::BTreeMap;

use intermezzo_program::{CoverageKind, KindId};

use super::numbers;
use super::{ExperimentReport, ReportTable, TableCell};
use crate::experiment::{EntityLabel, UsageStatistics};

/// Groups of rules whose usage is reported: title, singular and kind.
pub(crate) const GROUPS: [(&str, &str, CoverageKind); 3] = [
    ("Actions", "action", CoverageKind::Action),
    ("Abilities", "ability", CoverageKind::Ability),
    ("Reactions", "reaction", CoverageKind::Reaction),
];

const EFFECT: &str = "Difference in win rate between seats that used it and seats that could have and did not, in percentage \
    points with the 95 % interval. ▲ and ▼ mark significant differences. This does not prove a cause: a seat that is ahead may \
    use other things.";

const COLUMNS: [&str; 6] = ["used in", "uses a match", "wins with", "without", "difference", "seats"];

impl ExperimentReport<'_> {
    /// Returns the things that anybody had or used, by name.
    #[must_use]
    pub fn things(&self) -> Vec<(String, UsageStatistics)> {
        let program = self.program();
        // Items on the stack have defs too, but are not things of the ruleset.
        let is_item = |kind| program.is_kind(kind, KindId::ACTION) || program.is_kind(kind, KindId::REACTION);
        let is_thing = |thing: &EntityLabel| {
            let def = &program.defs[thing.def.index()];
            !def.is_trait && !is_item(def.kind)
        };
        let known: Vec<(EntityLabel, UsageStatistics)> = self
            .findings
            .things
            .iter()
            .filter(|(thing, _)| is_thing(thing))
            .map(|(thing, found)| (*thing, *found))
            .collect();
        let name = |thing: EntityLabel| {
            let name = thing.name(program);
            let others =
                known.iter().filter(|(other, _)| other.def != thing.def && other.name(program) == name);
            if others.count() == 0 { name } else { format!("{name} ({})", thing.printed(program)) }
        };
        let mut named: Vec<(String, UsageStatistics)> =
            known.iter().map(|(thing, found)| (name(*thing), *found)).collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        named
    }

    /// Returns the usage of rules of one kind by name. Uses of a rule that is compiled several times are added up.
    #[must_use]
    pub fn rules(&self, kind: CoverageKind) -> Vec<(String, UsageStatistics)> {
        let mut rules: BTreeMap<&str, UsageStatistics> = BTreeMap::new();
        let probes = self.experiment.instrumented.coverage.points().iter().zip(&self.findings.probes);
        for (probe, found) in probes.filter(|(probe, _)| probe.kind == kind) {
            rules.entry(&probe.name).or_default().merge(*found);
        }
        rules.into_iter().map(|(name, found)| (name.to_owned(), found)).collect()
    }

    /// Returns prevented events: the type of event, the rule that prevented it, and its usage.
    #[must_use]
    pub fn prevented(&self) -> Vec<(String, String, UsageStatistics)> {
        let program = self.program();
        let mut found: BTreeMap<(String, &str), UsageStatistics> = BTreeMap::new();
        for (probe, uses) in self.experiment.instrumented.coverage.points().iter().zip(&self.findings.probes)
        {
            let CoverageKind::Prevents(event) = probe.kind else { continue };
            let event = event.map_or("any event", |event| program.events[event.index()].name.as_str());
            found.entry((event.to_owned(), &probe.name)).or_default().merge(*uses);
        }
        found.into_iter().map(|((event, rule), uses)| (event, rule.to_owned(), uses)).collect()
    }

    pub(crate) fn uses(&self) -> Vec<ReportTable> {
        let mut tables = vec![self.use_table("Things", "thing", self.things())];
        let groups = GROUPS.iter();
        tables.extend(groups.map(|(title, what, kind)| self.use_table(title, what, self.rules(*kind))));
        tables.push(self.prevented_table());
        tables
    }

    fn use_table(&self, title: &str, what: &str, mut uses: Vec<(String, UsageStatistics)>) -> ReportTable {
        uses.sort_by_key(|(_, found)| std::cmp::Reverse(found.times));
        let columns: Vec<&str> = std::iter::once(what).chain(COLUMNS).collect();
        let mut table = ReportTable::new(title, EFFECT, &columns);
        for (name, found) in uses {
            table.rows.push(self.use_row(name, &found));
        }
        table
    }

    fn use_row(&self, name: String, found: &UsageStatistics) -> Vec<TableCell> {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        let won = |record: crate::experiment::WinRecord| match record.played {
            0 => TableCell::Nothing,
            played => TableCell::Percent(share(record.won, played)),
        };
        vec![
            TableCell::Text(name),
            TableCell::Percent(share(found.matches, found.seen)),
            TableCell::Number(share(found.times, self.findings.totals.matches), 2),
            won(found.with),
            if found.with.played == 0 { TableCell::Nothing } else { won(found.without) },
            numbers::won_more(found.with, found.without).map_or(TableCell::Nothing, TableCell::Points),
            TableCell::Count(found.with.played),
        ]
    }

    fn prevented_table(&self) -> ReportTable {
        let columns = ["event", "by", "times", "matches"];
        let mut table = ReportTable::new("Prevented", "Events that a rule prevented.", &columns);
        let mut prevented = self.prevented();
        prevented.sort_by_key(|(_, _, found)| std::cmp::Reverse(found.times));
        for (event, rule, found) in prevented.into_iter().filter(|(_, _, found)| found.times > 0) {
            let counts = [TableCell::Count(found.times), TableCell::Count(found.matches)];
            table
                .rows
                .push([TableCell::Text(event), TableCell::Text(rule)].into_iter().chain(counts).collect());
        }
        table
    }
}
