//! Parsing of event listings: `- Hurt: {player: p1, amount: 2}`, `- Settled` and `- ...`.

use intermezzo_compiler::Diagnostic;
use intermezzo_compiler::diagnostic::suggest;
use intermezzo_compiler::tree::{MapEntry, NodeValue, SourceNode};
use intermezzo_program::{EventType, native};

use crate::reader::ScenarioReader;
use crate::scenario::{EventListing, EventPattern, EventPatternKind};

impl ScenarioReader<'_> {
    /// Reads the listing under a key. An empty value means that it is still to be filled in.
    pub(crate) fn listing<'n>(&mut self, entry: &'n MapEntry, is_inline: bool) -> EventListing<'n> {
        let node = &entry.value;
        let nodes = match node.value {
            NodeValue::Null => &[],
            _ => self.list(node, &format!("`{}`", entry.key.value)),
        };
        let patterns = nodes.iter().filter_map(|node| self.pattern(node)).collect();
        EventListing { key: entry.key.span, node, is_inline, patterns }
    }

    fn pattern<'n>(&mut self, node: &'n SourceNode) -> Option<EventPattern<'n>> {
        let kind = match &node.value {
            NodeValue::Text(text) if text.as_str() == "..." => EventPatternKind::Rest,
            NodeValue::Text(text) => {
                self.event(text)?;
                EventPatternKind::Event(text.as_str(), &[])
            }
            NodeValue::Map(entries) if entries.len() == 1 => self.event_with_fields(&entries[0])?,
            NodeValue::Map(entries) => {
                let span = entries.get(1).map_or(node.span, |entry| entry.key.span);
                let problem =
                    Diagnostic::error("E-KEY", span, "a line of a listing must name exactly one event");
                self.out.push(problem.hint("write `- Event: {field: value, field: value}`"));
                return None;
            }
            _ => {
                let message =
                    format!("a line of a listing must be an event, but this is {}", node.kind_name());
                self.error("E-TYPE", node.span, message);
                return None;
            }
        };
        Some(EventPattern { node, kind })
    }

    fn event_with_fields<'n>(&mut self, entry: &'n MapEntry) -> Option<EventPatternKind<'n>> {
        let event = self.event(&entry.key)?;
        let program = self.program;
        let mut known: Vec<&str> = event.fields.iter().map(|field| program.symbol(field.name)).collect();
        if event.name == native::EVENTS[native::CREATED.index()].0 {
            known.push("with");
        }
        // A prevented or failed event is written with its status.
        known.push("status");
        let fields = match entry.value.value {
            NodeValue::Null => &[],
            _ => self.map(&entry.value, "the fields of an event"),
        };
        for field in fields {
            self.check_name(&field.key, &format!("field of `{}`", event.name), &known);
        }
        Some(EventPatternKind::Event(entry.key.as_str(), fields))
    }

    /// Reads a list of event names.
    pub(crate) fn event_names<'n>(&mut self, node: &'n SourceNode) -> Vec<&'n str> {
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

impl<'a> ScenarioReader<'a> {
    fn event(&mut self, text: &intermezzo_compiler::tree::SourceText) -> Option<&'a EventType> {
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
