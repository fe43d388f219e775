//! Lines of a log: several events as one sentence, as the ruleset says under `ui.events`.
//!
//! A line begins with an event that has `line: {until, same}` and ends with the event named by `until` whose `same`
//! fields have the same values. In between, `adds` continues the sentence, and events with `adds` or `detail` become
//! details of the line. With `since`, so do the events just before it, from the event named there on. All other events
//! are lines of their own.

use std::collections::BTreeMap;

use intermezzo_program::Program;
use serde_json::{Map, Value};

use crate::sentences::{sentence, sentence_of};

/// Roles of events in the lines of a log, by name.
#[derive(Clone, Debug, Default)]
struct LineRules(BTreeMap<String, EventRole>);

#[derive(Clone, Debug, Default)]
struct EventRole {
    opens: Option<LineSpan>,
    adds: Option<String>,
    is_detail: bool,
}

/// The end of a line: an event, and the fields it has in common with the first one.
#[derive(Clone, Debug)]
struct LineSpan {
    /// The event from which on what comes just before the line belongs to it.
    since: Option<String>,
    until: String,
    same: Vec<String>,
}

impl LineRules {
    fn of(program: &Program) -> LineRules {
        let metadata: Value = serde_json::from_str(&program.metadata).unwrap_or_default();
        let events = metadata["ui"]["events"].as_object().into_iter().flatten();
        LineRules(events.map(|(name, hints)| (name.clone(), EventRole::of(hints))).collect())
    }
}

impl EventRole {
    fn of(hints: &Value) -> EventRole {
        let same = hints["line"]["same"].as_array().into_iter().flatten();
        let same = same.filter_map(Value::as_str).map(str::to_owned).collect();
        let word = |key: &str| hints["line"][key].as_str().map(str::to_owned);
        EventRole {
            opens: word("until").map(|until| LineSpan { since: word("since"), until, same }),
            adds: hints["adds"].as_str().map(str::to_owned),
            is_detail: hints["detail"] == Value::Bool(true),
        }
    }
}

/// An event to be put into lines. `key` stands for the event in the result.
#[derive(Clone, Debug)]
pub struct LineEvent<'a, K> {
    pub key: K,
    pub name: &'a str,
    pub fields: &'a Map<String, Value>,
    pub has_happened: bool,
}

/// A line of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogLine<K> {
    /// The event, or the first one of the sentence.
    pub key: K,
    /// The sentence, if the line consists of several events.
    pub sentence: Option<String>,
    /// False if an earlier batch had the same sentence already.
    pub is_news: bool,
    /// The events that the sentence stands for, as far as they are new.
    pub details: Vec<K>,
}

/// A line whose last event is still to come.
#[derive(Clone, Debug)]
struct OpenLine<K> {
    key: K,
    until: String,
    same: Vec<(String, Value)>,
    sentence: String,
    /// Its place among the lines of the current batch.
    at: usize,
}

impl<K> OpenLine<K> {
    /// Returns true if an event does not contradict the fields of the line.
    fn fits(&self, fields: &Map<String, Value>) -> bool {
        self.same.iter().all(|(name, value)| fields.get(name).is_none_or(|found| found == value))
    }
}

/// Puts events into lines, batch after batch.
#[derive(Clone, Debug)]
pub struct LineFolder<K> {
    rules: LineRules,
    open: Vec<OpenLine<K>>,
}

impl<K: Copy> LineFolder<K> {
    /// Reads which events the ruleset folds.
    #[must_use]
    pub fn new(program: &Program) -> LineFolder<K> {
        LineFolder { rules: LineRules::of(program), open: Vec::new() }
    }

    /// Returns the lines of a batch of events, in the order of their first events. A line that is not complete is
    /// returned as far as it goes, and again in later batches with what is new.
    pub fn fold<'a>(
        &mut self,
        program: &Program,
        events: impl IntoIterator<Item = LineEvent<'a, K>>,
    ) -> Vec<LogLine<K>> {
        let mut lines: Vec<LogLine<K>> = Vec::new();
        for line in &mut self.open {
            line.at = lines.len();
            lines.push(LogLine { key: line.key, sentence: None, is_news: false, details: Vec::new() });
        }
        let mut names: Vec<Option<&'a str>> = vec![None; lines.len()];
        for event in events {
            self.add(program, &event, &mut lines, &mut names);
            names.truncate(lines.len());
            names.resize(lines.len(), Some(event.name));
        }
        for line in &self.open {
            lines[line.at].sentence = Some(line.sentence.clone());
        }
        lines.retain(|line| line.is_news || !line.details.is_empty());
        lines
    }

    /// Adds an event to an open line, or as a line of its own. `names` are the events of the lines so far that have only
    /// one.
    fn add(
        &mut self,
        program: &Program,
        event: &LineEvent<'_, K>,
        lines: &mut Vec<LogLine<K>>,
        names: &mut Vec<Option<&str>>,
    ) {
        let role = self.rules.0.get(event.name);
        let fitting = |line: &OpenLine<K>| line.fits(event.fields);
        let closed = self.open.iter().rposition(|line| line.until == event.name && fitting(line));
        let adds = role.and_then(|role| role.adds.as_deref()).filter(|_| event.has_happened);
        let is_part = adds.is_some() || role.is_some_and(|role| role.is_detail);
        let part_of = || self.open.iter().rposition(fitting).filter(|_| is_part);
        if let Some(found) = closed.or_else(part_of) {
            let line = &mut self.open[found];
            let shown = &mut lines[line.at];
            shown.details.push(event.key);
            if let Some(added) = adds.and_then(|adds| sentence_of(program, event.name, adds, event.fields)) {
                line.sentence.push_str(&added);
                shown.is_news = true;
            }
            if closed.is_some() {
                shown.sentence = Some(self.open.remove(found).sentence);
            }
            return;
        }
        let key = event.key;
        let opens = role.and_then(|role| role.opens.as_ref()).filter(|_| event.has_happened);
        let text = opens.and_then(|_| sentence(program, event.name, event.fields));
        let mut details = Vec::new();
        if let (Some(span), Some(sentence)) = (opens, text) {
            let first = self.first_before(span, names).unwrap_or(lines.len());
            details.extend(lines.drain(first..).map(|line| line.key).chain([key]));
            names.truncate(first);
            let value = |name: &String| Some((name.clone(), event.fields.get(name)?.clone()));
            let same = span.same.iter().filter_map(value).collect();
            self.open.push(OpenLine { key, until: span.until.clone(), same, sentence, at: lines.len() });
        }
        lines.push(LogLine { key, sentence: None, is_news: true, details });
    }

    /// Finds the first of the lines just before a new line that belong to it: those from `since` on, if all others among
    /// them are details.
    fn first_before(&self, span: &LineSpan, names: &[Option<&str>]) -> Option<usize> {
        let since = span.since.as_deref().filter(|_| self.open.is_empty())?;
        let is_detail = |name: &str| self.rules.0.get(name).is_some_and(|role| role.is_detail);
        let own = |at: &usize| names[*at].is_some_and(|name| name == since || is_detail(name));
        let mut before = (0..names.len()).rev().take_while(own);
        before.find(|at| names[*at] == Some(since))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULES: &str = r#"
ir: 1
ruleset: {id: lines, version: 0.1.0, name: Lines, uses: [core@1]}
outcomes: [done]
players: {seats: 2}
events:
  Began: {payload: {who: player, whom: player}, text: "{who} attacks {whom}"}
  Rolled6: {payload: {total: int}, text: "rolled {total}"}
  Hurt: {payload: {whom: player, amount: int}, text: "{whom} takes {amount}"}
  Fell: {payload: {whom: player}, text: "{whom} falls"}
  Ended: {payload: {who: player, whom: player}, text: ""}
  Called: {text: "called"}
setup:
  - each: players
    as: p
    do: [{emit: Called}, {emit: Began, who: p, whom: p}, {emit: Rolled6, total: 1}, {emit: Hurt, whom: p, amount: 1}, {emit: Fell, whom: p}, {emit: Ended, who: p, whom: p}]
flow: [{end: done}]
ui:
  events:
    Began: {line: {since: Called, until: Ended, same: [who, whom]}}
    Rolled6: {detail: true}
    Hurt: {adds: ", {amount} damage"}
"#;

    /// Returns the lines of some batches: the sentence or the name of each, and its details.
    fn lines(batches: &[&[(&'static str, Value)]]) -> Vec<Vec<String>> {
        let ruleset = intermezzo_compiler::Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.into())]);
        let compiled = ruleset.compile();
        let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let mut folder: LineFolder<&'static str> = LineFolder::new(&program);
        let empty = Map::new();
        let mut lines_of = |batch: &[(&'static str, Value)]| {
            let events = batch.iter().map(|(name, fields)| LineEvent {
                key: *name,
                name,
                fields: fields.as_object().unwrap_or(&empty),
                has_happened: true,
            });
            let lines = folder.fold(&program, events);
            let text = |line: &LogLine<&str>| {
                let news = if line.is_news { "" } else { "(old) " };
                let text = line.sentence.as_deref().unwrap_or(line.key);
                format!("{news}{text} {:?}", line.details).replace('"', "")
            };
            lines.iter().map(text).collect()
        };
        batches.iter().map(|batch| lines_of(batch)).collect()
    }

    fn pair(who: &str, whom: &str) -> Value {
        json!({"who": who, "whom": whom})
    }

    #[test]
    fn the_events_of_a_line_are_one_sentence() {
        let events = [
            ("Began", pair("p0", "p1")),
            ("Rolled6", json!({"total": 4})),
            ("Hurt", json!({"whom": "p1", "amount": 3})),
            ("Fell", json!({"whom": "p1"})),
            ("Ended", pair("p0", "p1")),
            ("Hurt", json!({"whom": "p1", "amount": 5})),
        ];
        assert_eq!(
            lines(&[&events]),
            [["p0 attacks p1, 3 damage [Began, Rolled6, Hurt, Ended]", "Fell []", "Hurt []"]]
        );
    }

    #[test]
    fn what_leads_to_a_line_belongs_to_it() {
        let led = [
            ("Rolled6", json!({"total": 1})),
            ("Called", json!({})),
            ("Rolled6", json!({"total": 2})),
            ("Began", pair("p0", "p1")),
            ("Ended", pair("p0", "p1")),
        ];
        let attack = "p0 attacks p1 [Called, Rolled6, Began, Ended]";
        assert_eq!(lines(&[&led]), [["Rolled6 []", attack]]);
        // Something of its own stands in between.
        let apart = [
            ("Called", json!({})),
            ("Fell", json!({"whom": "p1"})),
            ("Rolled6", json!({"total": 2})),
            ("Began", pair("p0", "p1")),
            ("Ended", pair("p0", "p1")),
        ];
        let attack = "p0 attacks p1 [Began, Ended]";
        assert_eq!(lines(&[&apart]), [["Called []", "Fell []", "Rolled6 []", attack]]);
    }

    #[test]
    fn a_line_inside_another_stands_on_its_own() {
        let events = [
            ("Began", pair("p0", "p1")),
            ("Began", pair("p1", "p0")),
            ("Hurt", json!({"whom": "p0", "amount": 2})),
            ("Ended", pair("p1", "p0")),
            ("Hurt", json!({"whom": "p1", "amount": 3})),
            ("Ended", pair("p0", "p1")),
        ];
        assert_eq!(
            lines(&[&events]),
            [[
                "p0 attacks p1, 3 damage [Began, Hurt, Ended]",
                "p1 attacks p0, 2 damage [Began, Hurt, Ended]"
            ]]
        );
    }

    #[test]
    fn a_line_continues_in_later_batches() {
        let batches: [&[(&str, Value)]; 4] = [
            &[("Began", pair("p0", "p1"))],
            &[("Rolled6", json!({"total": 4}))],
            &[("Hurt", json!({"whom": "p1", "amount": 3}))],
            &[("Ended", pair("p0", "p1")), ("Hurt", json!({"whom": "p1", "amount": 5}))],
        ];
        assert_eq!(
            lines(&batches),
            [
                vec!["p0 attacks p1 [Began]"],
                vec!["(old) p0 attacks p1 [Rolled6]"],
                vec!["p0 attacks p1, 3 damage [Hurt]"],
                vec!["(old) p0 attacks p1, 3 damage [Ended]", "Hurt []"],
            ]
        );
    }
}
