//! Declarations that other declarations refer to: types, symbols, phases, events, traits and chains.

use crate::grammar::{rules, state};
use intermezzo_program::{Def, DefId, EnumId, Phase, PhaseId, native};

use super::Checker;
use super::symbol_table::{AliasInfo, ChainInfo, EventInfo, TraitInfo};
use super::types::{RecordTy, Ty};
use crate::diagnostic::Diagnostic;
use crate::tree::{NodeValue, SourceNode, SourceText};
use std::rc::Rc;

impl Checker<'_> {
    pub(crate) fn declare_types(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("types") {
            for entry in self.named(section, "`types`") {
                self.entries(&entry.value, &state::TYPE);
                if self.declared_types.contains(&entry.key.value) {
                    let message = format!("there is already a type `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                self.declared_types.push(entry.key.value.clone());
                let Some(members) = entry.value.get("enum") else { continue };
                let mut symbols = Vec::new();
                for item in self.items(members, "`enum`") {
                    if let Some(name) = self.text(item, "a member of an enum") {
                        self.check_identifier(name, "`enum`");
                        let symbol = self.intern_symbol(&name.value);
                        if symbols.contains(&symbol) {
                            let message = format!("`{}` is listed twice", name.value);
                            self.report_error("E-NAME", name.span, message);
                        } else {
                            symbols.push(symbol);
                        }
                    }
                }
                let id = EnumId(self.program.enums.len() as u16);
                self.program.enums.push(intermezzo_program::Enum {
                    name: entry.key.value.clone(),
                    members: symbols.clone(),
                });
                self.symbols.enums.insert(&entry.key.value, (id, symbols));
            }
        }
    }

    /// Resolves record types. They refer to kinds and enums, so both are declared before.
    pub(crate) fn resolve_records(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("types") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(fields) = entry.value.get("record") else {
                    if entry.value.get("enum").is_none() {
                        self.report_error("E-KEY", entry.value.span, "a type needs `enum` or `record`");
                    }
                    continue;
                };
                let fields = self.fields(fields, "`record`");
                let ty = Ty::Record(Rc::new(RecordTy { name: Some(entry.key.value.clone()), fields }));
                self.symbols.records.insert(&entry.key.value, ty);
            }
        }
    }

    /// Reads named fields with their types.
    pub(crate) fn fields(&mut self, node: &SourceNode, what: &str) -> Vec<(intermezzo_program::Symbol, Ty)> {
        self.named(node, what)
            .iter()
            .map(|entry| (self.intern_symbol(&entry.key.value), self.type_of(&entry.value)))
            .collect()
    }

    pub(crate) fn declare_symbols(&mut self) {
        let merged = self.merged;
        for (section, prelude) in merged.section("symbols") {
            let items = self.items(section, "`symbols`");
            self.check_listed_once(items);
            for item in items {
                if let Some(name) = self.text(item, "a symbol") {
                    self.check_identifier(name, "`symbols`");
                    self.intern_symbol(&name.value);
                    self.symbols.free_symbols.insert(&name.value, ());
                    if !prelude {
                        self.declared_symbols.push((name.value.clone(), name.span));
                    }
                }
            }
        }
        for (section, _) in merged.section("outcomes") {
            let items = self.items(section, "`outcomes`");
            self.check_listed_once(items);
            for item in items {
                if let Some(name) = self.text(item, "an outcome") {
                    self.check_identifier(name, "`outcomes`");
                    let symbol = self.intern_symbol(&name.value);
                    self.symbols.outcomes.insert(&name.value, ());
                    if !self.program.outcomes.contains(&symbol) {
                        self.program.outcomes.push(symbol);
                    }
                }
            }
        }
        for name in ["concede", "disconnect", "kicked", "moderator", "finished", "loop", "out_of_time"] {
            self.symbols.outcomes.insert(name, ());
        }
        for document in &merged.documents {
            self.collect_labels(&document.node);
        }
    }

    /// Reports names that a list has twice.
    fn check_listed_once(&mut self, items: &[SourceNode]) {
        let names: Vec<&SourceText> = items.iter().filter_map(SourceNode::as_text).collect();
        let mut known = std::collections::BTreeSet::new();
        for name in names {
            if !known.insert(name.value.as_str()) && !self.is_published {
                self.report_error("E-NAME", name.span, format!("`{}` is listed twice", name.value));
            }
        }
    }

    /// Declares the labels of rolls, the tags of abilities and the ids of reactions, which need no declaration of their
    /// own.
    fn collect_labels(&mut self, node: &SourceNode) {
        match &node.value {
            NodeValue::Map(entries) => {
                for entry in entries {
                    let key = entry.key.value.as_str();
                    if key == "for"
                        && let Some(text) = entry.value.as_text()
                        && node.get("roll").is_some()
                    {
                        self.intern_symbol(&text.value);
                        self.symbols.free_symbols.insert(&text.value, ());
                    }
                    if key == "reactions" {
                        let reactions = entry.value.as_list().unwrap_or_default();
                        for id in reactions.iter().filter_map(|reaction| reaction.get("id")?.as_text()) {
                            self.symbols.reaction_ids.insert(&id.value, ());
                        }
                    }
                    if key == "tags" {
                        for tag in entry.value.as_list().unwrap_or_default() {
                            if let Some(text) = tag.as_text() {
                                self.intern_symbol(&text.value);
                                self.symbols.tags.insert(&text.value, ());
                            }
                        }
                    }
                    self.collect_labels(&entry.value);
                }
            }
            NodeValue::List(items) => items.iter().for_each(|item| self.collect_labels(item)),
            _ => {}
        }
    }

    pub(crate) fn declare_phases(&mut self) {
        let merged = self.merged;
        for document in &merged.documents {
            for section in ["setup", "flow", "procs", "events", "reactions", "actions", "defs", "traits"] {
                if let Some(node) = document.node.get(section) {
                    self.collect_phases(node);
                }
            }
            if let Some(node) = document.node.get("turnStructure") {
                self.declare_turn_phases(node);
            }
        }
        for name in ["turn", "round"] {
            // The aliases of the core prelude refer to these phases in every ruleset.
            if !self.symbols.phases.contains(name) && merged.documents.iter().any(|document| document.prelude)
            {
                self.intern_symbol(name);
                self.symbols.free_symbols.insert(name, ());
            }
        }
    }

    fn collect_phases(&mut self, node: &SourceNode) {
        match &node.value {
            NodeValue::Map(entries) => {
                if let (Some(phase), Some(_)) =
                    (node.get("phase").and_then(SourceNode::as_text), node.get("do"))
                {
                    self.add_phase(phase, &phase.value.replace('_', " "));
                }
                entries.iter().for_each(|entry| self.collect_phases(&entry.value));
            }
            NodeValue::List(items) => items.iter().for_each(|item| self.collect_phases(item)),
            _ => {}
        }
    }

    pub(crate) fn add_phase(&mut self, name: &SourceText, title: &str) {
        if self.symbols.phases.contains(&name.value) {
            return;
        }
        let id = PhaseId(self.program.phases.len() as u16);
        let symbol = self.intern_symbol(&name.value);
        let title = self.intern_text(title);
        self.program.phases.push(Phase { name: symbol, title });
        self.symbols.phases.insert(&name.value, (id, name.span));
    }

    pub(crate) fn declare_events(&mut self) {
        self.uses_scores = self.finds_statement("end", "score");
        self.hides_rolls = self.finds_statement("roll", "visible");
        for (number, (name, fields)) in native::EVENTS.iter().enumerate() {
            let has_score = self.uses_scores && number == native::MATCH_ENDED.index();
            let hides_roll = self.hides_rolls && number == native::ROLLED.index();
            let added = has_score.then_some(&native::SCORE).or(hides_roll.then_some(&native::ROLL_SEEN));
            let fields = fields.iter().chain(added);
            let fields =
                fields.map(|(field, ty)| (self.intern_symbol(field), self.native_type(ty))).collect();
            let preventable =
                !["MatchStarted", "MatchEnded", "EventPrevented", "Settled", "PlayerLeft"].contains(name);
            self.symbols.events.insert(
                name,
                EventInfo {
                    id: intermezzo_program::EventId(number as u16),
                    fields,
                    preventable,
                    native: true,
                    span: None,
                    from_prelude: true,
                },
            );
        }
        let merged = self.merged;
        let mut next = native::EVENTS.len() as u16;
        for (section, prelude) in merged.section("events") {
            for entry in self.named(section, "`events`") {
                if self.symbols.events.contains(&entry.key.value) {
                    let message = format!("there is already an event `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                let id = intermezzo_program::EventId(next);
                next += 1;
                self.symbols.events.insert(
                    &entry.key.value,
                    EventInfo {
                        id,
                        fields: Vec::new(),
                        preventable: true,
                        native: false,
                        span: Some(entry.key.span),
                        from_prelude: prelude,
                    },
                );
            }
        }
    }

    fn native_type(&mut self, ty: &str) -> Ty {
        let text = SourceText::verbatim(ty, crate::source::FileId(0), 0);
        match crate::expr::parse_type(&text) {
            Ok(parsed) => self.resolve_type(&parsed),
            Err(_) => Ty::Error,
        }
    }

    /// Declares traits. A trait has its own kind and def, and its parameters are properties.
    pub(crate) fn declare_traits(&mut self) {
        let merged = self.merged;
        for (section, prelude) in merged.section("traits") {
            for entry in self.named(section, "`traits`") {
                if self.symbols.defs.contains(&entry.key.value)
                    || self.symbols.traits.contains(&entry.key.value)
                {
                    let message = format!("there is already a def or trait `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                let params = self.params(entry.value.get("params"));
                // A name with a space cannot clash with one of a ruleset.
                let kind_name = format!("trait {}", entry.key.value);
                let kind = self.add_kind(&kind_name, entry.key.span);
                let def = DefId(self.program.defs.len() as u16);
                let name = self.intern_symbol(&entry.key.value);
                let named =
                    entry.value.get("name").and_then(SourceNode::as_text).map(|text| text.value.clone());
                let title = named.unwrap_or_else(|| entry.key.value.replace('_', " "));
                let title = self.intern_text(&title);
                let text = self.description(&entry.value);
                self.program.defs.push(Def {
                    name,
                    kind,
                    props: vec![],
                    traits: vec![],
                    is_trait: true,
                    title,
                    text,
                });
                let span = entry.key.span;
                let info = TraitInfo { kind, def, params, span, from_prelude: prelude };
                self.symbols.traits.insert(&entry.key.value, info);
            }
        }
    }

    pub(crate) fn declare_chains(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("chains") {
            for entry in self.named(section, "`chains`") {
                self.entries(&entry.value, &rules::CHAIN);
                let mut stages = Vec::new();
                if let Some(node) = entry.value.get("stages") {
                    for item in self.items(node, "`stages`") {
                        if let Some(text) = self.text(item, "a stage") {
                            stages.push(text.value.clone());
                        }
                    }
                }
                let fields =
                    entry.value.get("record").map(|node| self.fields(node, "`record`")).unwrap_or_default();
                let record = Ty::Record(Rc::new(RecordTy { name: None, fields }));
                let number = self.program.chains.len() as u16;
                let name = self.intern_symbol(&entry.key.value);
                let empty = vec![Vec::new(); stages.len()];
                self.program.chains.push(intermezzo_program::ModifierChain { name, stages: empty });
                self.symbols.chains.insert(&entry.key.value, ChainInfo { number, stages, record });
            }
        }
    }

    pub(crate) fn declare_aliases(&mut self) {
        let merged = self.merged;
        // Payloads come first, because the conditions of aliases read them.
        for (section, _) in merged.section("events") {
            for entry in section.as_map().unwrap_or_default() {
                let fields =
                    entry.value.get("payload").map(|node| self.fields(node, "`payload`")).unwrap_or_default();
                for field in entry.value.get("payload").and_then(SourceNode::as_map).unwrap_or_default() {
                    if super::stmts::operation(&field.key.value).is_some() {
                        let message =
                            format!("`{}` is an operation, so it cannot be a field", field.key.value);
                        self.report_error("E-NAME", field.key.span, message);
                    }
                }
                let preventable =
                    entry.value.get("preventable").and_then(SourceNode::as_bool).unwrap_or(true);
                if let Some(event) = self.symbols.events.get_mut(&entry.key.value)
                    && !event.native
                {
                    event.fields = fields;
                    event.preventable = preventable;
                }
            }
        }
        for (section, _) in merged.section("aliases") {
            for entry in self.named(section, "`aliases`") {
                self.entries(&entry.value, &rules::ALIAS);
                let Some(of) = entry.value.get("of").and_then(|node| self.text(node, "`of`")) else {
                    continue;
                };
                let Some(event) = self.symbols.events.get(&of.value).map(|event| event.id) else {
                    let known = self.event_names();
                    self.report_unknown(
                        "E-NAME",
                        of.span,
                        "event",
                        &of.value,
                        known.iter().map(String::as_str),
                    );
                    continue;
                };
                if self.symbols.events.contains(&entry.key.value) {
                    let message = format!("there is already an event `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                if self.symbols.aliases.contains(&entry.key.value) {
                    let message = format!("there is already an alias `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                let condition = entry.value.get("if").and_then(|node| self.node_expr(node)).map(Rc::new);
                self.symbols.aliases.insert(&entry.key.value, AliasInfo { of: event, condition });
            }
        }
        for (section, _) in merged.section("durations") {
            for entry in self.named(section, "`durations`") {
                if let Some(first) = self.symbols.durations.get(&entry.key.value).copied() {
                    let message = format!("there is already a duration `{}`", entry.key.value);
                    self.report(
                        Diagnostic::error("E-NAME", entry.key.span, message).related(first, "the other one"),
                    );
                    continue;
                }
                self.symbols.durations.insert(&entry.key.value, entry.key.span);
            }
        }
    }
}
