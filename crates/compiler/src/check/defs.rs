//! Defs: the printed things entities are made from.

use intermezzo_ruleset::{Def, DefId, Initial, Instr, KindId, TextId};

use super::Checker;
use super::body::Mode;
use super::reactions::Host;
use super::types::Ty;
use super::world::DefInfo;
use crate::tree::{Entry, Node};

const DEF_KEYS: &[&str] = &["kind", "props", "traits", "reactions", "modifiers", "actions", "abilities"];

impl Checker<'_> {
    pub(crate) fn declare_defs(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("defs") {
            for entry in self.named(section, "`defs`") {
                let kind = match entry.value.get("kind") {
                    Some(node) => self.kind_named(node),
                    None => {
                        self.wrong("E-KEY", entry.key.span, "a def needs `kind`");
                        None
                    }
                };
                let Some(kind) = kind else { continue };
                if kind == KindId::MATCH || kind == KindId::PLAYER {
                    self.wrong("E-TYPE", entry.key.span, "the match and players are not made from defs");
                    continue;
                }
                if self.world.defs.contains(&entry.key.value) {
                    let message = format!("there is already a def `{}`", entry.key.value);
                    self.wrong("E-NAME", entry.key.span, message);
                    continue;
                }
                let id = DefId(self.program.defs.len() as u16);
                let name = self.symbol(&entry.key.value);
                let title = entry
                    .value
                    .get("name")
                    .and_then(Node::as_text)
                    .map_or_else(|| entry.key.value.replace('_', " "), |text| text.value.clone());
                let title = self.intern_text(&title);
                let text = self.described(&entry.value);
                let (props, traits) = (Vec::new(), Vec::new());
                self.program.defs.push(Def { name, kind, props, traits, is_trait: false, title, text });
                self.world.defs.insert(&entry.key.value, DefInfo { id, kind });
            }
        }
    }

    /// What people read about something: its `text`, or else its `description`.
    pub(crate) fn described(&mut self, node: &Node) -> Option<TextId> {
        let texts = ["text", "description"].map(|key| node.get(key).and_then(Node::as_text));
        let text = texts.into_iter().flatten().next()?.value.clone();
        Some(self.intern_text(&text))
    }

    pub(crate) fn lower_defs(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("defs") {
            for entry in section.as_map().unwrap_or_default() {
                self.entries(&entry.value, "a def", DEF_KEYS);
                if let Some(def) = self.world.defs.get(&entry.key.value).cloned() {
                    self.lower_def(entry, &def);
                }
            }
        }
    }

    fn lower_def(&mut self, entry: &Entry, def: &DefInfo) {
        let mut props = Vec::new();
        let written = entry.value.get("props").map(|node| self.named(node, "`props`")).unwrap_or_default();
        for prop in written {
            let Some(info) = self.world.prop(def.kind, &prop.key.value).cloned() else {
                let known = self.member_names(def.kind);
                let what = format!("property of {}", self.world.kind_name(def.kind));
                self.unknown(
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
                self.wrong("E-TYPE", prop.key.span, message);
                continue;
            }
            let label = format!("defs.{}.{}", entry.key.value, prop.key.value);
            let initial = self.initial(&prop.value, &label, &[("it", Ty::Kind(def.kind))], &info.ty);
            props.push((info.id, initial));
        }
        self.program.defs[def.id.index()].props = props;
        let host = Host {
            ty: Some(Ty::Kind(def.kind)),
            instance: None,
            rule: Some(intermezzo_ruleset::RuleHost::Def(def.id)),
        };
        self.hosted_rules(&entry.value, &host);
        for item in entry.value.get("traits").map(|node| self.items(node, "`traits`")).unwrap_or_default() {
            self.def_trait(item, def);
        }
        for key in ["actions", "abilities"] {
            entry.value.get(key).map(|node| self.items(node, &format!("`{key}`")));
        }
    }

    /// A trait every entity of a def has: its name, or its name with arguments.
    fn def_trait(&mut self, node: &Node, def: &DefInfo) {
        let (name, span, with) = match (node.as_text(), node.as_map()) {
            (Some(text), _) => (text.value.clone(), text.span, None),
            (None, Some([entry])) => (entry.key.value.clone(), entry.key.span, Some(&entry.value)),
            _ => {
                self.wrong("E-TYPE", node.span, "a trait is its name, or `{name: {param: value}}`");
                return;
            }
        };
        let Some(info) = self.world.traits.get(&name).cloned() else {
            let known = self.world.traits.owned_names();
            self.unknown("E-NAME", span, "trait", &name, known.iter().map(String::as_str));
            return;
        };
        self.note_symbol_use(&name);
        let mut given = Vec::new();
        for entry in with.and_then(Node::as_map).unwrap_or_default() {
            let Some(param) = info.params.iter().find(|param| param.name == entry.key.value) else {
                let what = format!("parameter of the trait `{name}`");
                self.unknown_argument(&what, &entry.key, &info.params);
                continue;
            };
            let Some(prop) = self.world.prop(info.kind, &param.name).map(|prop| prop.id) else { continue };
            let label = format!("traits.{name}.{}", param.name);
            let initial = self.initial(&entry.value, &label, &[("it", Ty::Kind(def.kind))], &param.ty);
            given.push((prop, initial));
        }
        let left_out =
            info.params.iter().filter(|param| with.is_none_or(|with| with.get(&param.name).is_none()));
        for param in left_out {
            match (&param.default, self.world.prop(info.kind, &param.name).map(|prop| prop.id)) {
                (Some(default), Some(prop)) => {
                    let label = format!("traits.{name}.{}", param.name);
                    let routine = self.reserve_routine(&label);
                    let outer = self.begin(routine, Mode::Pure);
                    self.add_param("it", Ty::Kind(def.kind));
                    let value = self.value_as(default, &param.ty);
                    self.emit(Instr::Return { value });
                    self.finish(outer);
                    given.push((prop, Initial::Computed(routine)));
                }
                (None, _) if !param.ty.is_maybe() => {
                    let message = format!("the trait `{name}` needs `{}`", param.name);
                    self.wrong("E-ARGS", span, message);
                }
                _ => {}
            }
        }
        self.program.defs[def.id.index()].traits.push((info.def, given));
    }
}
