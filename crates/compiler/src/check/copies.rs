//! Copies: the statement `become`, and the traits by which entities remember what they were.

use std::collections::BTreeSet;

use intermezzo_program::{
    CopyForm, Create, CreateId, Def, DefId, Instr, KindId, NULL, PropId, Visibility, native,
};

use super::Checker;
use super::stmts::StatementParts;
use super::types::Ty;
use crate::tree::{NodeValue, SourceNode};

/// Sections with statements.
const SECTIONS: &[&str] = &["procs", "events", "traits", "defs", "actions", "reactions", "setup", "flow"];

/// The rules of a ruleset that change which rules entities have, and whose they are.
#[derive(Clone, Copy, Default)]
pub(crate) struct ChangingRules {
    pub(crate) grants: bool,
    pub(crate) copies: bool,
    /// Entities get other owners.
    pub(crate) owners: bool,
}

impl Checker<'_> {
    /// Finds out which of the rules that change others the ruleset has.
    pub(crate) fn find_changing_rules(&mut self) {
        let has = |keys: &[&str]| {
            SECTIONS.iter().any(|name| self.merged.section(name).any(|(node, _)| has_keys(node, keys)))
        };
        self.changing_rules = ChangingRules {
            grants: self.has_grants(),
            copies: has(&["become"]),
            owners: has(&["move", "owner"]),
        };
    }

    /// Declares, for each kind that has defs, the trait of its copies.
    pub(crate) fn declare_copies(&mut self) {
        self.find_changing_rules();
        if !self.changing_rules.copies {
            return;
        }
        let things = self.program.defs.iter().filter(|def| !def.is_trait);
        let kinds: BTreeSet<u16> =
            things.map(|def| def.kind.0).filter(|kind| *kind >= KindId::NATIVE).collect();
        for kind in kinds.into_iter().map(KindId) {
            let (name, span) = (self.symbols.kind_name(kind).to_owned(), self.symbols.kind_info(kind).span);
            // A name with a space cannot clash with one of a ruleset.
            let own = format!("copy of {name}");
            let trait_kind = self.add_kind(&own, span);
            let def = DefId(self.program.defs.len() as u16);
            let (name, title) = (self.intern_symbol(&own), self.intern_text("Copy"));
            let (props, traits) = (Vec::new(), Vec::new());
            let declared = Def { name, kind: trait_kind, props, traits, is_trait: true, title, text: None };
            self.program.defs.push(declared);
            let (none, printed) = (PropId(0), Vec::new());
            let form = CopyForm { kind, def, form: none, form_before: none, order: none, printed };
            self.program.copies.push(form);
        }
    }

    /// Returns true if the kind is that of the traits of copies.
    pub(crate) fn is_kind_of_copies(&self, kind: KindId) -> bool {
        self.program.copies.iter().any(|form| self.program.defs[form.def.index()].kind == kind)
    }

    /// Declares the properties of the traits of copies, once those of all kinds are known.
    pub(crate) fn declare_copy_props(&mut self) {
        for at in 0..self.program.copies.len() {
            let (kind, def) = (self.program.copies[at].kind, self.program.copies[at].def);
            let form = self.add_copy_prop(def, "copied def", Ty::Def.maybe());
            let form_before = self.add_copy_prop(def, "def before", Ty::Def.maybe());
            let order = self.add_copy_prop(def, "copy order", Ty::Int);
            let mut printed = Vec::new();
            for name in self.printed_names(kind) {
                let Some(prop) = self.symbols.prop(kind, &name).cloned() else { continue };
                let copied = self.add_copy_prop(def, &format!("copied {name}"), prop.ty.clone());
                let before = self.add_copy_prop(def, &format!("{name} before"), prop.ty.clone());
                printed.push((prop.id, copied, before));
            }
            self.program.copies[at] = CopyForm { kind, def, form, form_before, order, printed };
        }
    }

    fn add_copy_prop(&mut self, def: DefId, name: &str, ty: Ty) -> PropId {
        let kind = self.program.defs[def.index()].kind;
        let (span, column) = (self.symbols.kind_info(kind).span, self.program.kinds[kind.index()].columns);
        let symbol = self.intern_symbol(name);
        let prop = self.add_prop(kind, symbol, ty, column, false, span);
        self.program.props[prop.index()].visible = Visibility::None;
        let info = &mut self.program.kinds[kind.index()];
        info.props.push(prop);
        info.columns += 1;
        prop
    }

    /// Lists the printed properties of a kind: those that some def of it gives.
    fn printed_names(&self, kind: KindId) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (section, _) in self.merged.section("defs") {
            for entry in section.as_map().unwrap_or_default() {
                let is_its = self.symbols.defs.get(&entry.key.value).is_some_and(|def| def.kind == kind);
                let props = entry.value.get("props").and_then(SourceNode::as_map).filter(|_| is_its);
                names.extend(props.unwrap_or_default().iter().map(|prop| prop.key.value.clone()));
            }
        }
        names.retain(|name| self.symbols.prop(kind, name).is_some_and(|prop| prop.derived.is_none()));
        names
    }

    /// Compiles `become: entity, like: model`.
    pub(crate) fn become_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let with = parts.get("with").map(|node| self.named(node, "`with`")).unwrap_or_default();
        let args = self.body.new_temps(5 + with.len() as u16);
        let entity = self.node_value(value);
        let entity = self.coerce(entity, &Ty::Entity, value.span);
        self.body.put(args.offset(1), entity.reg);
        let kind = match entity.ty.present() {
            Ty::Kind(kind) => Some(kind),
            _ => None,
        };
        if kind.is_some_and(|kind| kind.0 < KindId::NATIVE) {
            let message = "only entities of the ruleset's own kinds can become copies";
            self.report_error("E-TYPE", value.span, message);
        }
        let Some(like) = parts.get("like").and_then(|like| self.node_expr(like)) else {
            self.report_error("E-ARGS", parts.span, "`become` needs `like`: the entity or the def to copy");
            return;
        };
        let model = self.value_expecting(&like, &Ty::Def);
        let of_def = !model.ty.present().is_entity();
        let model = self.coerce(model, if of_def { &Ty::Def } else { &Ty::Entity }, like.span);
        self.body.put(args, model.reg);
        self.until(parts, args.offset(2));
        self.load(args.offset(3), NULL);
        self.load(args.offset(4), NULL);
        let mut names = Vec::new();
        for (at, entry) in with.iter().enumerate() {
            let ty = self.with_type(kind, &entry.key);
            let is_printed = kind.is_none_or(|kind| self.printed_names(kind).contains(&entry.key.value));
            if !is_printed && !ty.is_error() {
                let message =
                    format!("no def gives `{}`, so it is not printed and not copied", entry.key.value);
                self.report_error("E-ARGS", entry.key.span, message);
            }
            names.push(self.intern_symbol(&entry.key.value));
            if let Some(expr) = self.node_expr(&entry.value) {
                self.value_into(args.offset(5 + at as u16), &expr, &ty);
            }
        }
        let create = CreateId(self.program.creates.len() as u16);
        self.program.creates.push(Create { with: names, top: false });
        self.usage.emitted.insert(native::CREATED.0);
        self.emit(Instr::Become { create, args, of_def });
    }
}

/// Returns true if some object in a tree has all these keys.
fn has_keys(node: &SourceNode, keys: &[&str]) -> bool {
    match &node.value {
        NodeValue::Map(entries) => {
            keys.iter().all(|key| entries.iter().any(|entry| entry.key.value == *key))
                || entries.iter().any(|entry| has_keys(&entry.value, keys))
        }
        NodeValue::List(items) => items.iter().any(|item| has_keys(item, keys)),
        _ => false,
    }
}
