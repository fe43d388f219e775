//! Kinds and zones: the structure of a match's state.

use crate::grammar::state;
use intermezzo_program::{EntityKind, KindId, Visibility, Zone, ZoneId};

use super::Checker;
use super::symbol_table::{KindInfo, ZoneInfo};
use super::types::Ty;
use crate::source::Span;
use crate::tree::{MapEntry, SourceNode};

/// Words that say who sees something.
const WORDS: [&str; 4] = ["all", "none", "owner", "team"];

impl Checker<'_> {
    pub(crate) fn declare_kinds(&mut self) {
        let nowhere = Span { file: crate::source::FileId(0), start: 0, end: 0 };
        // Names with a space cannot clash with those of a ruleset.
        for name in ["match", "player", "stack item", "Action", "Reaction"] {
            self.add_kind(name, nowhere);
        }
        for kind in [KindId::ACTION, KindId::REACTION] {
            self.set_parent(kind, KindId::ITEM);
        }
        let merged = self.merged;
        for (section, _) in merged.section("kinds") {
            for entry in self.named(section, "`kinds`") {
                self.entries(&entry.value, &state::KIND);
                let name = entry.key.value.as_str();
                // Items on the stack may have properties of the ruleset's own.
                let is_item = ["Action", "Reaction"].contains(&name);
                let is_extended = is_item && entry.value.get("extends").is_some();
                if ["match", "player", "entity"].contains(&name) || is_extended {
                    let message = format!("`{}` is a kind of the language", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                } else if !self.symbols.kinds.contains(&entry.key.value) {
                    self.add_kind(&entry.key.value, entry.key.span);
                }
            }
        }
        for (section, _) in merged.section("kinds") {
            for entry in section.as_map().unwrap_or_default() {
                if let Some(parent) = entry.value.get("extends")
                    && !["Action", "Reaction"].contains(&entry.key.value.as_str())
                {
                    self.extend_kind(&entry.key.value, parent);
                }
            }
        }
    }

    pub(crate) fn add_kind(&mut self, name: &str, span: Span) -> KindId {
        let id = KindId(self.program.kinds.len() as u16);
        self.program.kinds.push(EntityKind {
            name: name.to_owned(),
            parent: None,
            props: Vec::new(),
            columns: 0,
            zones: Vec::new(),
        });
        self.symbols.kinds.insert(name, KindInfo { id, parent: None, span });
        id
    }

    fn extend_kind(&mut self, name: &str, parent: &SourceNode) {
        let Some(text) = self.text(parent, "`extends`") else { return };
        let Some(parent) = self.symbols.kinds.get(&text.value).map(|kind| kind.id) else {
            let known = self.symbols.kinds.owned_names();
            self.report_unknown("E-NAME", text.span, "kind", &text.value, known.iter().map(String::as_str));
            return;
        };
        let Some(kind) = self.symbols.kinds.get(name).map(|kind| kind.id) else { return };
        if parent.0 < KindId::NATIVE {
            self.report_error("E-TYPE", text.span, "kinds of the language cannot be extended");
        } else if self.symbols.extends(parent, kind) {
            let message = format!("`{name}` would extend itself");
            self.report_error("E-RECURSE", text.span, message);
        } else {
            self.set_parent(kind, parent);
        }
    }

    pub(crate) fn set_parent(&mut self, kind: KindId, parent: KindId) {
        self.program.kinds[kind.index()].parent = Some(parent);
        let name = self.program.kinds[kind.index()].name.clone();
        if let Some(info) = self.symbols.kinds.get_mut(&name) {
            info.parent = Some(parent);
        }
    }

    /// Declares the stack, a zone that every ruleset has.
    fn declare_stack(&mut self) {
        let nowhere = Span { file: crate::source::FileId(0), start: 0, end: 0 };
        self.program.zones.push(Zone {
            name: intermezzo_program::native::STACK,
            of: None,
            holds: Some(KindId::ITEM),
            visible: Visibility::All,
            ordered: true,
            active: false,
            renews: false,
            renews_from_outside: false,
            max: None,
        });
        let item = Ty::Kind(KindId::ITEM);
        let info = ZoneInfo { id: ZoneId::STACK, span: nowhere, of: None, item, public: true };
        self.symbols.zones.insert("stack", info);
    }

    pub(crate) fn declare_zones(&mut self) {
        self.declare_stack();
        let merged = self.merged;
        for (section, _) in merged.section("zones") {
            for entry in self.named(section, "`zones`") {
                self.entries(&entry.value, &state::ZONE);
                if self.symbols.zones.contains(&entry.key.value) {
                    let message = format!("there is already a zone `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                self.declare_zone(entry);
            }
        }
    }

    fn declare_zone(&mut self, entry: &MapEntry) {
        let node = &entry.value;
        let id = ZoneId(self.program.zones.len() as u16);
        let name = self.intern_symbol(&entry.key.value);
        let of = node.get("of").and_then(|of| self.kind_named(of));
        let item = match node.get("holds") {
            Some(holds) => match self.kind_named(holds) {
                Some(kind) if kind.0 < KindId::NATIVE && !self.is_published => {
                    self.report_error("E-TYPE", holds.span, "zones hold entities of the ruleset's own kinds")
                }
                kind => kind.map_or(Ty::Error, Ty::Kind),
            },
            None => self.only_kind(),
        };
        let visible =
            node.get("visible").and_then(SourceNode::as_text).map_or("all", |text| text.value.as_str());
        if visible == "none" {
            self.hidden_zones.insert(entry.key.value.clone());
        }
        let max = node.get("max").map(|max| self.number(max, "`max`"));
        if let (Some(most), Some(node)) = (max, node.get("max"))
            && !(1..=100_000).contains(&most)
        {
            self.report_error("E-LIMIT", node.span, "the `max` of a zone must be between 1 and 100000");
        }
        let ordered = match node.get("order") {
            Some(order) => self.word(order, "`order`", state::ZONE.words("order")) == Some("list"),
            None => false,
        };
        let active = node.get("active").is_some_and(|active| self.flag(active, "`active`"));
        let is_outside = |node: &SourceNode| node.as_text().is_some_and(|text| text.value == "outside");
        let renews_from_outside = node.get("renews").is_some_and(is_outside);
        let renews =
            renews_from_outside || node.get("renews").is_some_and(|renews| self.flag(renews, "`renews`"));
        self.program.zones.push(Zone {
            name,
            of,
            holds: if let Ty::Kind(kind) = item { Some(kind) } else { None },
            visible: Visibility::All,
            ordered,
            active,
            renews,
            renews_from_outside,
            max: max.and_then(|max| u32::try_from(max).ok()),
        });
        if let Some(of) = of {
            // Kinds that extend the host have the zone too. All kinds of the ruleset are declared here.
            for kind in 0..self.program.kinds.len() {
                if self.symbols.extends(KindId(kind as u16), of) {
                    self.program.kinds[kind].zones.push(id);
                }
            }
        }
        let public = visible == "all";
        self.symbols.zones.insert(&entry.key.value, ZoneInfo { id, span: entry.key.span, of, item, public });
    }

    /// Returns the default contents of a zone: the only root kind, or entities of any kind.
    fn only_kind(&self) -> Ty {
        let mut roots = self
            .symbols
            .kinds
            .iter()
            .filter(|(_, kind)| kind.parent.is_none() && kind.id.0 >= KindId::NATIVE)
            .filter(|(name, _)| *name != "team" || !self.has_teams());
        match (roots.next(), roots.next()) {
            (Some((_, kind)), None) => Ty::Kind(kind.id),
            _ => Ty::Entity,
        }
    }

    pub(crate) fn kind_named(&mut self, node: &SourceNode) -> Option<KindId> {
        let text = self.text(node, "a kind")?;
        let found = self.symbols.kinds.get(&text.value).map(|kind| kind.id);
        if found.is_none() {
            let known = self.symbols.kinds.owned_names();
            self.report_unknown("E-NAME", text.span, "kind", &text.value, known.iter().map(String::as_str));
        }
        found
    }

    pub(crate) fn lower_zones(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("zones") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(zone) = self.symbols.zones.get(&entry.key.value).map(|zone| zone.id) else {
                    continue;
                };
                let visible = match entry.value.get("visible") {
                    Some(node) => {
                        let name = format!("zones.{}.visible", entry.key.value);
                        let item = self.symbols.zone_by_id(zone).1.item.clone();
                        let params = [
                            ("viewer", Ty::PLAYER),
                            ("zone", Ty::Zone(Some(zone))),
                            ("index", Ty::Int),
                            ("it", item.clone()),
                        ];
                        let read = self.read_of_entity(node);
                        // Only a test that mentions the entity gets it.
                        let count = match (&read, self.mentions_index(node)) {
                            (Some(_), _) => 4,
                            (None, true) => 3,
                            (None, false) => 2,
                        };
                        if let (Some(names), Ty::Kind(kind)) = (read, &item) {
                            let props = names.iter().filter_map(|name| self.symbols.prop(*kind, name));
                            let props = props.map(|prop| prop.id).collect();
                            self.program.face_props.push((zone, props));
                        }
                        match count {
                            2 => self.visibility(node, &name, &params[..2]),
                            count => Visibility::ByPosition(self.compile_function(
                                &name,
                                &params[..count],
                                node,
                                &Ty::Bool,
                            )),
                        }
                    }
                    None => Visibility::All,
                };
                self.program.zones[zone.index()].visible = visible;
            }
        }
    }

    /// Returns the properties of the entity `it` that the test of who sees a zone reads; `None` if it does not mention `it`.
    fn read_of_entity(&mut self, node: &SourceNode) -> Option<Vec<String>> {
        let expr = node.as_text().and_then(|text| crate::expr::parse(text).ok())?;
        let mut names = Vec::new();
        expr.mentions_free("it", &mut |member| names.extend(member.map(str::to_owned))).then_some(names)
    }

    /// Tells whether the test of who sees a zone depends on the position.
    fn mentions_index(&mut self, node: &SourceNode) -> bool {
        let mut is_mentioned = false;
        // Without brackets or operators it is a word; what cannot be read is reported where it is compiled.
        let expr = node.as_text().and_then(|text| crate::expr::parse(text).ok());
        if let Some(expr) = expr {
            expr.visit_names(&mut |name| is_mentioned |= name == "index");
        }
        is_mentioned
    }

    /// Compiles `all`, `none`, `owner`, `team`, or a test.
    pub(crate) fn visibility(&mut self, node: &SourceNode, name: &str, params: &[(&str, Ty)]) -> Visibility {
        match node.as_text().map(|text| text.value.as_str()) {
            Some("all") => Visibility::All,
            Some("none") => Visibility::None,
            Some("owner") => Visibility::Owner,
            Some("team") => match self.team_visibility(node, params) {
                Some(test) => Visibility::Computed(self.compile_function(name, params, &test, &Ty::Bool)),
                None => Visibility::None,
            },
            Some(word) if is_word(word) => {
                self.report_unknown("E-NAME", node.span, "visibility", word, WORDS);
                Visibility::None
            }
            _ => Visibility::Computed(self.compile_function(name, params, node, &Ty::Bool)),
        }
    }
}

/// Returns true for a single name, which is no test.
pub(crate) fn is_word(text: &str) -> bool {
    !["true", "false"].contains(&text)
        && text.starts_with(|first: char| first.is_alphabetic())
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}
