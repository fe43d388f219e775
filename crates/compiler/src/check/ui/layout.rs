//! `ui.layout`: where zones lie, how they are shown, and what the panel of a player shows.

use intermezzo_program::KindId;

use crate::check::Checker;
use crate::check::types::Ty;
use crate::grammar::presentation::{self, PANEL_STYLES};
use crate::tree::{NodeValue, SourceNode, SourceText};

impl Checker<'_> {
    pub(super) fn check_layout(&mut self, node: &SourceNode) {
        for entry in self.ui_entries(node, &presentation::LAYOUT) {
            let node = &entry.value;
            match entry.key.value.as_str() {
                "panel" => self.check_panel(node),
                "mine" => self.check_area(node, "mine", true),
                "others" => self.check_area(node, "others", true),
                "band" => self.check_area(node, "band", false),
                "middle" => self.check_area(node, "middle", false),
                "piles" => {
                    for zone in self.items(node, "`piles`") {
                        self.check_placed_zone(zone, "piles", true);
                    }
                }
                "order" => self.check_order(node),
                "tiles" => {
                    for entry in self.ui_entries(node, &presentation::TILES_OBJECT) {
                        self.check_prop_list(&entry.value, "`shows`");
                    }
                }
                _ => {}
            }
        }
    }

    /// Checks `panel`: each property of players with its style.
    fn check_panel(&mut self, node: &SourceNode) {
        for entry in self.ui_names(node, "`panel`") {
            let name = SourceNode { span: entry.key.span, value: NodeValue::Text(entry.key.clone()) };
            let types = self.check_prop_of(&name, "a property of `panel`", Some(KindId::PLAYER), false);
            let style = match entry.value.as_text() {
                Some(_) => self.word(&entry.value, "style of `panel`", PANEL_STYLES),
                None => self.panel_object(&entry.value),
            };
            let Some(style) = style else { continue };
            let is_map = types.iter().any(|ty| matches!(ty.present(), Ty::Map(..) | Ty::Error));
            let is_number = types.iter().any(|ty| matches!(ty.present(), Ty::Int | Ty::Error));
            let needed = match style {
                "icons" if !is_map => "a map from names to numbers",
                "pips" | "hearts" | "bar" if !is_number => "a number",
                _ => continue,
            };
            if !types.is_empty() {
                let message = format!("`{style}` shows {needed}, but `{}` is none", entry.key.value);
                self.report_error("E-TYPE", entry.value.span, message);
            }
        }
    }

    fn panel_object(&mut self, node: &SourceNode) -> Option<&'static str> {
        let mut style = Some("number");
        for entry in self.ui_entries(node, &presentation::PANEL) {
            match entry.key.value.as_str() {
                "as" => style = self.word(&entry.value, "style of `panel`", PANEL_STYLES),
                "max" => self.check_max(&entry.value),
                "name" => self.check_text(&entry.value, "`name`"),
                _ => {}
            }
        }
        style
    }

    /// Checks an area: one zone or a list of zones.
    fn check_area(&mut self, node: &SourceNode, area: &str, of_players: bool) {
        let zones = node.as_list().unwrap_or(std::slice::from_ref(node));
        for zone in zones {
            if zone.as_text().is_some() {
                self.check_placed_zone(zone, area, of_players);
            } else {
                self.check_zone_view(zone, area, of_players);
            }
        }
    }

    fn check_zone_view(&mut self, node: &SourceNode, area: &str, of_players: bool) {
        let entries = self.ui_entries(node, &presentation::PLACE);
        if entries.is_empty() {
            return;
        }
        let style = node
            .get("as")
            .and_then(|style| self.word(style, "style of a zone", presentation::PLACE.words("as")));
        match (node.get("zone"), node.get("question")) {
            (Some(zone), None) => self.check_placed_zone(zone, area, of_players),
            (None, Some(question)) if area == "middle" => {
                self.check_question(question);
                if style.is_some_and(|style| style != "slots") {
                    self.report_error("E-KEY", node.span, "a question is shown as `slots`");
                }
            }
            _ => {
                let or = if area == "middle" { " or `question`" } else { "" };
                self.report_error("E-KEY", node.span, format!("a place of `{area}` needs `zone`{or}"));
            }
        }
        let needs = [("by", "piles"), ("tracks", "track")];
        for (key, needed) in needs {
            if style == Some(needed) && node.get(key).is_none() {
                self.report_error("E-KEY", node.span, format!("`{needed}` needs `{key}`"));
            }
        }
        for entry in entries {
            match entry.key.value.as_str() {
                "by" => {
                    self.known_prop(&entry.value, "`by`");
                }
                "max" => self.check_max(&entry.value),
                "names" => {
                    for name in self.items(&entry.value, "`names`") {
                        self.check_text(name, "a name of a slot");
                    }
                }
                "peek" => self.check_phase(&entry.value),
                "tracks" => self.check_tracks(&entry.value),
                _ => {}
            }
        }
    }

    /// Checks a zone of an area. Some areas belong to a player, others to nobody.
    fn check_placed_zone(&mut self, node: &SourceNode, area: &str, of_players: bool) {
        let Some(name) = self.text(node, "a zone") else { return };
        if !self.known_zone(name) {
            return;
        }
        let owner = self.symbols.zones.get(&name.value).and_then(|zone| zone.of);
        if (owner == Some(KindId::PLAYER)) != of_players {
            let message = match of_players {
                true => format!("`{area}` shows zones of players, but `{}` is none", name.value),
                false => format!("`{area}` shows zones without an owner, but `{}` has one", name.value),
            };
            self.report_error("E-KEY", name.span, message);
        }
    }

    fn check_question(&mut self, node: &SourceNode) {
        if let Some(name) = self.text(node, "`question`").cloned() {
            self.known_question(&name);
        }
    }

    /// Checks that a prompt has this name.
    pub(super) fn known_question(&mut self, name: &SourceText) {
        let mut known: Vec<String> = self.program.choices.iter().map(|choice| choice.name.clone()).collect();
        known.sort();
        known.dedup();
        if !known.contains(&name.value) {
            let known = known.iter().map(String::as_str);
            self.report_unknown("E-NAME", name.span, "question", &name.value, known);
        }
    }

    fn check_phase(&mut self, node: &SourceNode) {
        let Some(name) = self.text(node, "`peek`") else { return };
        if !self.symbols.phases.contains(&name.value) {
            let known = self.symbols.phases.owned_names();
            self.report_unknown("E-NAME", name.span, "phase", &name.value, known.iter().map(String::as_str));
        }
    }

    /// Checks `tracks`: what a player has, and how much of it the entity needs.
    fn check_tracks(&mut self, node: &SourceNode) {
        for track in self.items(node, "`tracks`") {
            for key in ["of", "max"] {
                if track.get(key).is_none() {
                    self.report_error("E-KEY", track.span, format!("a track needs `{key}`"));
                }
            }
            for entry in self.ui_entries(track, &presentation::TRACK) {
                match entry.key.value.as_str() {
                    "of" => {
                        self.check_prop_of(&entry.value, "`of`", Some(KindId::PLAYER), false);
                    }
                    "max" => {
                        self.check_prop_of(&entry.value, "`max`", None, true);
                    }
                    key => {
                        self.known_prop(&entry.value, &format!("`{key}`"));
                    }
                }
            }
        }
    }

    /// Checks `order`: the entities of a zone in the order of their turns.
    fn check_order(&mut self, node: &SourceNode) {
        if node.get("zone").is_none() {
            self.report_error("E-KEY", node.span, "`order` needs `zone`");
        }
        for entry in self.ui_entries(node, &presentation::ORDER) {
            match entry.key.value.as_str() {
                "zone" => {
                    let name = self.text(&entry.value, "`zone`");
                    name.into_iter().for_each(|name| {
                        self.known_zone(name);
                    });
                }
                _ => {
                    for prop in self.items(&entry.value, "`by`") {
                        self.check_prop_of(prop, "`by`", None, true);
                    }
                }
            }
        }
    }
}
