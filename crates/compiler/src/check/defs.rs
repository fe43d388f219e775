//! Defs: the templates that entities are created from.

use crate::grammar::state;
use intermezzo_program::{Def, DefId, InitialValue, Instr, KindId, TextId};

use super::Checker;
use super::reactions::HostInfo;
use super::routine_builder::CodeMode;
use super::symbol_table::DefInfo;
use super::types::Ty;
use crate::tree::{MapEntry, SourceNode};

impl Checker<'_> {
    pub(crate) fn declare_defs(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("defs") {
            for entry in self.named(section, "`defs`") {
                let kind = match entry.value.get("kind") {
                    Some(node) => self.kind_named(node),
                    None => {
                        // A misspelt key is reported as such.
                        if !super::section::has_misspelt(&entry.value, "kind", &state::DEF) {
                            self.report_error("E-KEY", entry.key.span, "a def needs `kind`");
                        }
                        None
                    }
                };
                let Some(kind) = kind else {
                    self.broken_defs.insert(entry.key.value.clone());
                    continue;
                };
                if kind == KindId::MATCH || kind == KindId::PLAYER {
                    self.report_error(
                        "E-TYPE",
                        entry.key.span,
                        "the match and players cannot be created from defs",
                    );
                    continue;
                }
                if self.symbols.defs.contains(&entry.key.value) {
                    let message = format!("there is already a def `{}`", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                let id = DefId(self.program.defs.len() as u16);
                let name = self.intern_symbol(&entry.key.value);
                let title = entry
                    .value
                    .get("name")
                    .and_then(SourceNode::as_text)
                    .map_or_else(|| entry.key.value.replace('_', " "), |text| text.value.clone());
                let title = self.intern_text(&title);
                let text = self.description(&entry.value);
                let (props, traits) = (Vec::new(), Vec::new());
                self.program.defs.push(Def { name, kind, props, traits, is_trait: false, title, text });
                self.symbols.defs.insert(&entry.key.value, DefInfo { id, kind });
            }
        }
    }

    /// Returns the description shown to players: `text`, or else `description`.
    pub(crate) fn description(&mut self, node: &SourceNode) -> Option<TextId> {
        let texts = ["text", "description"].map(|key| node.get(key).and_then(SourceNode::as_text));
        let text = texts.into_iter().flatten().next()?.value.clone();
        Some(self.intern_text(&text))
    }

    pub(crate) fn lower_defs(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("defs") {
            for entry in section.as_map().unwrap_or_default() {
                self.entries(&entry.value, &state::DEF);
                if let Some(def) = self.symbols.defs.get(&entry.key.value).cloned() {
                    self.lower_def(entry, &def);
                }
            }
        }
    }

    fn lower_def(&mut self, entry: &MapEntry, def: &DefInfo) {
        let mut props = Vec::new();
        let written = entry.value.get("props").map(|node| self.named(node, "`props`")).unwrap_or_default();
        for prop in written {
            let Some(info) = self.symbols.prop(def.kind, &prop.key.value).cloned() else {
                let known = self.member_names(def.kind);
                let what = format!("property of {}", self.symbols.kind_name(def.kind));
                self.report_unknown(
                    "E-PROP",
                    prop.key.span,
                    &what,
                    &prop.key.value,
                    known.iter().map(String::as_str),
                );
                continue;
            };
            if info.derived.is_some() {
                let message = format!("`{}` is computed, so it cannot be given", prop.key.value);
                self.report_error("E-TYPE", prop.key.span, message);
                continue;
            }
            let label = format!("defs.{}.{}", entry.key.value, prop.key.value);
            let initial = self.initial(&prop.value, &label, &[("it", Ty::Kind(def.kind))], &info.ty);
            props.push((info.id, initial));
        }
        self.program.defs[def.id.index()].props = props;
        let host = HostInfo {
            ty: Some(Ty::Kind(def.kind)),
            instance: None,
            rule: Some(intermezzo_program::RuleHost::Def(def.id)),
        };
        self.lower_hosted_rules(&entry.value, &host);
        for item in entry.value.get("traits").map(|node| self.items(node, "`traits`")).unwrap_or_default() {
            self.def_trait(item, def);
        }
        for key in ["actions", "abilities"] {
            entry.value.get(key).map(|node| self.items(node, &format!("`{key}`")));
        }
    }

    /// Compiles a trait that every entity of a def has, given as a name or as a name with arguments.
    fn def_trait(&mut self, node: &SourceNode, def: &DefInfo) {
        let (name, span, with) = match (node.as_text(), node.as_map()) {
            (Some(text), _) => (text.value.clone(), text.span, None),
            (None, Some([entry])) => (entry.key.value.clone(), entry.key.span, Some(&entry.value)),
            _ => {
                self.report_error("E-TYPE", node.span, "a trait is its name, or `{name: {param: value}}`");
                return;
            }
        };
        let Some(info) = self.symbols.traits.get(&name).cloned() else {
            let known = self.symbols.traits.owned_names();
            self.report_unknown("E-NAME", span, "trait", &name, known.iter().map(String::as_str));
            return;
        };
        self.note_symbol_use(&name);
        let mut given = Vec::new();
        for entry in with.and_then(SourceNode::as_map).unwrap_or_default() {
            let Some(param) = info.params.iter().find(|param| param.name == entry.key.value) else {
                let what = format!("parameter of the trait `{name}`");
                self.report_unknown_argument(&what, &entry.key, &info.params);
                continue;
            };
            let Some(prop) = self.symbols.prop(info.kind, &param.name).map(|prop| prop.id) else { continue };
            let label = format!("traits.{name}.{}", param.name);
            let initial = self.initial(&entry.value, &label, &[("it", Ty::Kind(def.kind))], &param.ty);
            given.push((prop, initial));
        }
        let left_out =
            info.params.iter().filter(|param| with.is_none_or(|with| with.get(&param.name).is_none()));
        for param in left_out {
            match (&param.default, self.symbols.prop(info.kind, &param.name).map(|prop| prop.id)) {
                (Some(default), Some(prop)) => {
                    let label = format!("traits.{name}.{}", param.name);
                    let routine = self.reserve_routine(&label);
                    let outer = self.begin_routine(routine, CodeMode::Pure);
                    self.add_param("it", Ty::Kind(def.kind));
                    let value = self.value_as(default, &param.ty);
                    self.emit(Instr::Return { value });
                    self.finish_routine(outer);
                    given.push((prop, InitialValue::Computed(routine)));
                }
                (None, _) if !param.ty.is_maybe() => {
                    let message = format!("the trait `{name}` needs `{}`", param.name);
                    self.report_error("E-ARGS", span, message);
                }
                _ => {}
            }
        }
        self.program.defs[def.id.index()].traits.push((info.def, given));
    }
}
