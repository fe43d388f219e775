//! Checks of `ui.events`: which events clients fold into one line of the log.

use crate::check::Checker;
use crate::check::symbol_table::EventInfo;
use crate::grammar::presentation;
use crate::tree::{MapEntry, SourceNode, SourceText};

impl Checker<'_> {
    /// Checks `line`, `adds` and `detail` under `ui.events`.
    pub(super) fn check_log_lines(&mut self, events: &SourceNode) {
        for entry in events.as_map().unwrap_or_default() {
            let [line, adds, detail] = ["line", "adds", "detail"].map(|key| entry.value.get(key));
            if line.is_none() && adds.is_none() && detail.is_none() {
                continue;
            }
            let Some(event) = self.shown_event(&entry.key) else { continue };
            if let Some(line) = line {
                self.check_line(entry, &event, line);
            }
            if let Some(text) = adds.and_then(|adds| self.text(adds, "`adds`")) {
                self.check_placeholders(text, &event);
            }
            if let Some(detail) = detail {
                self.flag(detail, "`detail`");
            }
        }
    }

    fn check_line(&mut self, entry: &MapEntry, event: &EventInfo, line: &SourceNode) {
        if self.ui_entries(line, &presentation::LINE).is_empty() {
            return;
        }
        let text = self.program.events[event.id.index()].text;
        if text.is_none_or(|text| self.program.texts[text.index()].is_empty()) {
            let message = format!("the line begins with the `text` of `{}`, which has none", entry.key.value);
            self.report_error("E-KEY", line.span, message);
        }
        if let Some(since) = line.get("since").and_then(|since| self.text(since, "`since`")) {
            self.shown_event(since);
        }
        let Some(until) = line.get("until") else {
            self.report_error("E-KEY", line.span, "`line` needs `until`: the event that completes it");
            return;
        };
        let Some(until) = self.text(until, "`until`") else { return };
        let Some(last) = self.shown_event(until) else { return };
        for name in line.get("same").and_then(SourceNode::as_list).unwrap_or_default() {
            let Some(name) = self.text(name, "a field of `same`") else { continue };
            for (owner, info) in [(&entry.key, event), (until, &last)] {
                let known = self.symbols.field_names(&info.fields);
                if !known.contains(&name.value) {
                    let what = format!("field of the event {}", owner.value);
                    let known = known.iter().map(String::as_str);
                    self.report_unknown("E-PROP", name.span, &what, &name.value, known);
                }
            }
        }
    }

    /// Returns the event with this name. Clients do not know aliases.
    pub(super) fn shown_event(&mut self, name: &SourceText) -> Option<EventInfo> {
        let found = self.symbols.events.get(&name.value).cloned();
        if found.is_none() {
            let known: Vec<String> = self.symbols.events.iter().map(|(name, _)| name.to_owned()).collect();
            let known = known.iter().map(String::as_str);
            self.report_unknown("E-NAME", name.span, "event", &name.value, known);
        }
        found
    }
}
