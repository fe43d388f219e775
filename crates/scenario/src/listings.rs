//! Reading listings of events: `- Hurt: {player: p1, amount: 2}`, `- Settled` and `- ...`.

use intermezzo_compiler::Diagnostic;
use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::tree::{Entry, Node, Value};
use intermezzo_ruleset::{EventType, native};

use crate::reader::Reader;
use crate::scenario::{Listing, Pattern, PatternKind};

impl Reader<'_> {
    /// The listing under a key. With nothing under it, it is still to be filled in.
    pub(crate) fn listing<'n>(&mut self, entry: &'n Entry, is_inline: bool) -> Listing<'n> {
        let node = &entry.value;
        let nodes = match node.value {
            Value::Null => &[],
            _ => self.list(node, &format!("`{}`", entry.key.value)),
        };
        let patterns = nodes.iter().filter_map(|node| self.pattern(node)).collect();
        Listing { key: entry.key.span, node, is_inline, patterns }
    }

    fn pattern<'n>(&mut self, node: &'n Node) -> Option<Pattern<'n>> {
        let kind = match &node.value {
            Value::Text(text) if text.as_str() == "..." => PatternKind::Rest,
            Value::Text(text) => {
                self.event(text)?;
                PatternKind::Event(text.as_str(), &[])
            }
            Value::Map(entries) if entries.len() == 1 => self.event_with_fields(&entries[0])?,
            Value::Map(entries) => {
                let span = entries.get(1).map_or(node.span, |entry| entry.key.span);
                let problem = Diagnostic::error("E-KEY", span, "a line of a listing names one event");
                self.out.push(problem.hint("write `- Event: {field: value, field: value}`"));
                return None;
            }
            _ => {
                let message = format!("a line of a listing is an event, but this is {}", node.kind_name());
                self.wrong("E-TYPE", node.span, message);
                return None;
            }
        };
        Some(Pattern { node, kind })
    }

    fn event_with_fields<'n>(&mut self, entry: &'n Entry) -> Option<PatternKind<'n>> {
        let event = self.event(&entry.key)?;
        let program = self.program;
        let mut known: Vec<&str> = event.fields.iter().map(|field| program.symbol(field.name)).collect();
        if event.name == native::EVENTS[native::CREATED.index()].0 {
            known.push("with");
        }
        // An event that did not happen says so.
        known.push("status");
        let fields = match entry.value.value {
            Value::Null => &[],
            _ => self.map(&entry.value, "what an event carries"),
        };
        for field in fields {
            self.check_name(&field.key, &format!("field of `{}`", event.name), &known);
        }
        Some(PatternKind::Event(entry.key.as_str(), fields))
    }

    /// The names of events in a list.
    pub(crate) fn event_names<'n>(&mut self, node: &'n Node) -> Vec<&'n str> {
        let mut names = Vec::new();
        for node in self.list(node, "`ignore`") {
            if let Some(text) = self.text(node, "an event") {
                self.event(text);
                names.push(text.as_str());
            }
        }
        names
    }
}

impl<'a> Reader<'a> {
    fn event(&mut self, text: &intermezzo_compiler::tree::Text) -> Option<&'a EventType> {
        let program = self.program;
        let event = program.event_named(text.as_str());
        if event.is_none() {
            let problem = Diagnostic::error("E-NAME", text.span, format!("unknown event `{}`", text.value));
            let near = suggest(text.as_str(), program.events.iter().map(|event| event.name.as_str()));
            self.out.push(match near {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem,
            });
        }
        event.map(|event| &program.events[event.index()])
    }
}
