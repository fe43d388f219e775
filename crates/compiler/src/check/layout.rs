//! The parts of `ui` that clients rely on. They are checked like rules.

use intermezzo_program::Type;
use serde_json::{Map, Value};

use super::Checker;
use super::types::Ty;
use crate::tree::SourceNode;

/// Keys of `ui.grid`.
const GRID: &[&str] = &["zones", "x", "y", "width", "height", "hp", "max"];
/// Required keys of `ui.grid`.
const NEEDED: [&str; 5] = ["zones", "x", "y", "width", "height"];

impl Checker<'_> {
    /// Returns the property that serves as the display name of entities.
    pub(super) fn label(&mut self) -> Option<intermezzo_program::Symbol> {
        let text = self.text(self.merged.last("ui")?.get("label")?, "`label`")?;
        let found = self.symbols.props_named(&text.value).next().map(|prop| prop.name);
        if found.is_none() {
            let known: Vec<String> =
                self.symbols.props.iter().map(|prop| self.symbols.spelling(prop.name).to_owned()).collect();
            self.report_unknown(
                "E-PROP",
                text.span,
                "property",
                &text.value,
                known.iter().map(String::as_str),
            );
        }
        found
    }

    /// Checks that `ui.grid` and the glyphs refer to declared zones, properties and options.
    pub(super) fn check_layout(&mut self) {
        let merged = self.merged;
        for section in ["defs", "kinds"] {
            for (node, _) in merged.section(section) {
                for entry in node.as_map().unwrap_or_default() {
                    if let Some(glyph) = entry.value.get("ui").and_then(|ui| ui.get("glyph")) {
                        self.check_glyph(glyph);
                    }
                }
            }
        }
        if let Some(grid) = merged.last("ui").and_then(|ui| ui.get("grid")) {
            self.check_grid(grid);
        }
        if let Some(events) = merged.last("ui").and_then(|ui| ui.get("events")) {
            self.check_log_lines(events);
        }
    }

    fn check_glyph(&mut self, node: &SourceNode) {
        let Some(text) = self.text(node, "`glyph`") else { return };
        if text.value.chars().count() != 1 || text.value.chars().any(|c| c.is_control() || c.is_whitespace())
        {
            self.report_error("E-TYPE", text.span, "a glyph is one visible character");
        }
    }

    fn check_grid(&mut self, grid: &SourceNode) {
        if self.entries(grid, "`grid`", GRID).is_empty() {
            return;
        }
        for key in NEEDED.iter().filter(|key| grid.get(key).is_none()) {
            self.report_error("E-KEY", grid.span, format!("`grid` needs `{key}`"));
        }
        for zone in grid.get("zones").map(|zones| self.nodes(zones)).unwrap_or_default() {
            let Some(text) = self.text(zone, "a zone of `grid`") else { continue };
            if !self.symbols.zones.contains(&text.value) {
                let known: Vec<String> = self.symbols.zones.iter().map(|(name, _)| name.to_owned()).collect();
                self.report_unknown(
                    "E-NAME",
                    text.span,
                    "zone",
                    &text.value,
                    known.iter().map(String::as_str),
                );
            }
        }
        for key in ["x", "y", "hp", "max"] {
            if let Some(node) = grid.get(key) {
                self.check_number_prop(node, key);
            }
        }
        for key in ["width", "height"] {
            if let Some(node) = grid.get(key) {
                self.check_size(node, key);
            }
        }
    }

    fn nodes<'n>(&mut self, node: &'n SourceNode) -> &'n [SourceNode] {
        node.as_list().unwrap_or_else(|| {
            let message = format!("`zones` is a list of zones, but this is {}", node.kind_name());
            self.report_error("E-TYPE", node.span, message);
            &[]
        })
    }

    /// Checks that a property of this name holds a number.
    fn check_number_prop(&mut self, node: &SourceNode, key: &str) {
        let Some(text) = self.text(node, &format!("`{key}`")) else { return };
        let types: Vec<Ty> = self.symbols.props_named(&text.value).map(|prop| prop.ty.clone()).collect();
        if types.is_empty() {
            let known: Vec<String> =
                self.symbols.props.iter().map(|prop| self.symbols.spelling(prop.name).to_owned()).collect();
            self.report_unknown(
                "E-PROP",
                text.span,
                "property",
                &text.value,
                known.iter().map(String::as_str),
            );
        } else if !types.iter().any(|ty| matches!(ty.present(), Ty::Int | Ty::Error)) {
            let message =
                format!("`{key}` needs a property that holds a number, but `{}` does not", text.value);
            self.report_error("E-TYPE", text.span, message);
        }
    }

    /// Checks for a positive number or the name of a numeric option.
    fn check_size(&mut self, node: &SourceNode, key: &str) {
        if node.as_int().is_some_and(|size| size > 0) {
            return;
        }
        let Some(text) = node.as_text() else {
            let message = format!("`{key}` is a number above 0 or the name of an option");
            self.report_error("E-TYPE", node.span, message);
            return;
        };
        let options = self.program.options.iter();
        let options: Vec<(String, bool)> = options
            .map(|option| {
                let is_number = self.program.types[option.ty.index()] == Type::Int;
                (self.symbols.spelling(option.name).to_owned(), is_number)
            })
            .collect();
        match options.iter().find(|(name, _)| *name == text.value) {
            Some((_, true)) => {}
            Some((_, false)) => {
                let message = format!("`{key}` is a number, but the option `{}` is not", text.value);
                self.report_error("E-TYPE", text.span, message);
            }
            None => {
                let known = options.iter().map(|(name, _)| name.as_str());
                self.report_unknown("E-NAME", text.span, "option", &text.value, known);
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
        Value::Object(metadata).to_string()
    }
}
