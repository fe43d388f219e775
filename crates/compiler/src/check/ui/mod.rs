//! The `ui` section: how clients show a match. It has no influence on the rules, but every key and name in it is checked.

mod art;
mod compare;
mod grid;
mod layout;
mod log_lines;
mod reactions;
mod values;

use intermezzo_program::KindId;
use serde_json::{Map, Value};

use super::Checker;
use crate::grammar::{Object, presentation};
use crate::tree::{MapEntry, SourceNode};

impl Checker<'_> {
    /// Checks every `ui` of the ruleset.
    pub(super) fn check_ui(&mut self) {
        if self.is_published {
            return;
        }
        let merged = self.merged;
        for section in ["defs", "kinds"] {
            for (node, _) in merged.section(section) {
                for entry in node.as_map().unwrap_or_default() {
                    if let Some(ui) = entry.value.get("ui") {
                        self.ui_entries(ui, &presentation::DEF_UI);
                        ui.get("glyph").into_iter().for_each(|glyph| self.check_glyph(glyph));
                    }
                }
            }
        }
        for (ui, _) in merged.section("ui") {
            self.check_ui_section(ui);
        }
        for (rules, _) in merged.section("rules") {
            self.check_text(rules, "`rules`");
        }
    }

    fn check_ui_section(&mut self, ui: &SourceNode) {
        for entry in self.ui_entries(ui, &presentation::UI) {
            let node = &entry.value;
            match entry.key.value.as_str() {
                "minutes" => self.check_range(node, "`minutes`", 1..=10_000),
                "hue" => self.check_range(node, "`hue`", 0..=360),
                "card" => self.check_card(node),
                "zones" => self.check_zone_hints(node),
                "phases" => self.check_phase_hints(node),
                "events" => self.check_event_hints(node),
                "questions" => self.check_question_words(node),
                "outcomes" => self.check_outcome_sentences(node),
                "grid" => self.check_grid(node),
                "theme" => self.check_theme(node),
                "layout" => self.check_layout(node),
                "art" => self.check_art(node),
                "score" => self.check_score(node),
                "compare" => self.check_compare(node),
                // `label` is checked where it becomes part of the program.
                _ => {}
            }
        }
    }

    fn check_card(&mut self, node: &SourceNode) {
        for entry in self.ui_entries(node, &presentation::CARD) {
            match entry.key.value.as_str() {
                "shows" => self.check_prop_list(&entry.value, "`shows`"),
                key => {
                    self.known_prop(&entry.value, &format!("`{key}`"));
                }
            }
        }
    }

    fn check_zone_hints(&mut self, node: &SourceNode) {
        for zone in self.ui_names(node, "`zones`") {
            self.known_zone(&zone.key);
            for entry in self.ui_entries(&zone.value, &presentation::UI_ZONE) {
                match entry.key.value.as_str() {
                    "name" => self.check_text(&entry.value, "`name`"),
                    key => {
                        self.flag(&entry.value, &format!("`{key}`"));
                    }
                }
            }
        }
    }

    fn check_phase_hints(&mut self, node: &SourceNode) {
        for phase in self.ui_names(node, "`phases`") {
            if !self.symbols.phases.contains(&phase.key.value) {
                let known = self.symbols.phases.owned_names();
                let known = known.iter().map(String::as_str);
                self.report_unknown("E-NAME", phase.key.span, "phase", &phase.key.value, known);
            }
            for entry in self.ui_entries(&phase.value, &presentation::UI_PHASE) {
                match entry.key.value.as_str() {
                    "timer" => {
                        self.flag(&entry.value, "`timer`");
                    }
                    key => self.check_text(&entry.value, &format!("`{key}`")),
                }
            }
        }
    }

    fn check_question_words(&mut self, node: &SourceNode) {
        for question in self.ui_names(node, "`questions`") {
            self.known_question(&question.key);
            for entry in self.ui_entries(&question.value, &presentation::UI_QUESTION) {
                self.check_text(&entry.value, &format!("`{}`", entry.key.value));
            }
        }
    }

    fn check_outcome_sentences(&mut self, node: &SourceNode) {
        for outcome in self.ui_names(node, "`outcomes`") {
            if !self.symbols.outcomes.contains(&outcome.key.value) {
                let known = self.symbols.outcomes.owned_names();
                let known = known.iter().map(String::as_str);
                self.report_unknown("E-NAME", outcome.key.span, "outcome", &outcome.key.value, known);
            }
            self.check_text(&outcome.value, "a sentence about an outcome");
        }
    }

    fn check_event_hints(&mut self, node: &SourceNode) {
        for event in self.ui_names(node, "`events`") {
            self.shown_event(&event.key);
            for entry in self.ui_entries(&event.value, &presentation::UI_EVENT) {
                match entry.key.value.as_str() {
                    "hide" => {
                        self.flag(&entry.value, "`hide`");
                    }
                    "animation" => {
                        self.word(&entry.value, "`animation`", presentation::UI_EVENT.words("animation"));
                    }
                    "sound" => {
                        self.word(&entry.value, "`sound`", presentation::UI_EVENT.words("sound"));
                    }
                    _ => {}
                }
            }
        }
        self.check_log_lines(node);
    }

    fn check_theme(&mut self, node: &SourceNode) {
        for entry in self.ui_entries(node, &presentation::THEME) {
            match entry.key.value.as_str() {
                "hue" => self.check_range(&entry.value, "`hue`", 0..=360),
                "mat" => {
                    self.word(&entry.value, "`mat`", presentation::THEME.words("mat"));
                }
                _ => self.check_picture(&entry.value, &presentation::PICTURE),
            }
        }
    }

    /// Checks `score`: the numbers that say who is ahead.
    fn check_score(&mut self, node: &SourceNode) {
        for entry in self.ui_entries(node, &presentation::SCORE) {
            let shown = match entry.key.value.as_str() {
                "lead" => std::slice::from_ref(&entry.value),
                _ => self.items(&entry.value, "`shows`"),
            };
            for node in shown {
                self.player_prop(node, "a number of `score`");
            }
        }
    }

    /// Checks the `ui` of an action.
    pub(crate) fn check_action_ui(&mut self, ui: &SourceNode) {
        if self.is_published {
            return;
        }
        for entry in self.ui_entries(ui, &presentation::ACTION_UI) {
            match entry.key.value.as_str() {
                "animation" => {
                    self.word(&entry.value, "`animation`", presentation::UI_EVENT.words("animation"));
                }
                key => self.check_text(&entry.value, &format!("`{key}`")),
            }
        }
    }

    /// Returns the part of the ruleset that clients receive for display, as JSON.
    pub(super) fn metadata(&self) -> String {
        let mut metadata = Map::new();
        for section in ["ui", "tutorial"] {
            if let Some(node) = self.merged.last(section) {
                metadata.insert(section.to_owned(), node.to_json());
            }
        }
        if let Some(rules) = self.merged.last("rules").and_then(SourceNode::as_text) {
            metadata.insert("manual".to_owned(), Value::String(rules.value.clone()));
        }
        for section in ["defs", "kinds"] {
            let declared =
                self.merged.section(section).flat_map(|(node, _)| node.as_map().unwrap_or_default());
            let with_ui = declared.filter_map(|entry| Some((entry, entry.value.get("ui")?)));
            let all: Map<String, Value> =
                with_ui.map(|(entry, ui)| (entry.key.value.clone(), ui.to_json())).collect();
            if !all.is_empty() {
                metadata.insert(section.to_owned(), Value::Object(all));
            }
        }
        for (section, found) in [("targets", self.target_questions()), ("reactions", self.reaction_hints())] {
            if !found.is_empty() {
                metadata.insert(section.to_owned(), Value::Object(found));
            }
        }
        Value::Object(metadata).to_string()
    }

    /// Returns the question for each target of each action: action → target → title.
    fn target_questions(&self) -> Map<String, Value> {
        let mut found = Map::new();
        for action in &self.actions {
            let titled = action.targets.iter().filter_map(|target| {
                let title = target.node.get("title").and_then(SourceNode::as_text)?;
                Some((target.id.value.clone(), Value::String(title.value.clone())))
            });
            let titled: Map<String, Value> = titled.collect();
            if !titled.is_empty() {
                found.insert(action.id.value.clone(), Value::Object(titled));
            }
        }
        found
    }

    /// Returns the entries of an object under `ui` whose keys it has. Reports the others.
    fn ui_entries<'n>(&mut self, node: &'n SourceNode, object: &Object) -> Vec<&'n MapEntry> {
        let what = object.what;
        let is_known = |entry: &&MapEntry| object.get(&entry.key.value).is_some();
        let (accepted, others): (Vec<_>, Vec<_>) = self.ui_names(node, what).iter().partition(is_known);
        for entry in others {
            let what = format!("key in {what}");
            self.report_unknown("E-KEY", entry.key.span, &what, &entry.key.value, object.names());
        }
        accepted
    }

    /// Returns the entries of an object under `ui` whose keys are names.
    fn ui_names<'n>(&mut self, node: &'n SourceNode, what: &str) -> &'n [MapEntry] {
        node.as_map().unwrap_or_else(|| {
            let message = format!("{what} is an object, but this is {}", node.kind_name());
            self.report_error("E-TYPE", node.span, message);
            &[]
        })
    }

    /// Checks that a property of players with this name holds a number.
    fn player_prop(&mut self, node: &SourceNode, what: &str) {
        self.check_prop_of(node, what, Some(KindId::PLAYER), true);
    }
}
