//! `ui.grid`, `ui.label` and glyphs.

use crate::check::Checker;
use crate::grammar::presentation;
use crate::tree::SourceNode;

impl Checker<'_> {
    /// Returns the property that serves as the display name of entities.
    pub(crate) fn label(&mut self) -> Option<intermezzo_program::Symbol> {
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

    pub(super) fn check_glyph(&mut self, node: &SourceNode) {
        let Some(text) = self.text(node, "`glyph`") else { return };
        if text.value.chars().count() != 1 || text.value.chars().any(|c| c.is_control() || c.is_whitespace())
        {
            self.report_error("E-TYPE", text.span, "a glyph is one visible character");
        }
    }

    pub(super) fn check_grid(&mut self, grid: &SourceNode) {
        if self.ui_entries(grid, &presentation::GRID).is_empty() {
            return;
        }
        for key in presentation::GRID.own_keys().filter(|key| key.is_required && grid.get(key.name).is_none())
        {
            self.report_error("E-KEY", grid.span, format!("`grid` needs `{}`", key.name));
        }
        for zone in grid.get("zones").map(|zones| self.items(zones, "`zones`")).unwrap_or_default() {
            let name = self.text(zone, "a zone of `grid`");
            name.into_iter().for_each(|name| {
                self.known_zone(name);
            });
        }
        for key in ["x", "y", "hp", "max"] {
            if let Some(node) = grid.get(key) {
                self.check_prop_of(node, &format!("`{key}`"), None, true);
            }
        }
        for key in ["width", "height"] {
            if let Some(node) = grid.get(key) {
                self.check_size(node, key);
            }
        }
    }
}
