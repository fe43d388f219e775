//! The names that editors complete: everything that the ruleset, its preludes and the engine declare, with types.

use intermezzo_program::KindId;

use super::Checker;
use super::symbol_table::{Callable, ParamInfo};
use crate::symbol_index::{KnownName, SymbolCategory};

impl Checker<'_> {
    /// Returns every declared name that authors can write.
    pub(crate) fn known_names(&self) -> Vec<KnownName> {
        let mut found = Vec::new();
        self.known_events(&mut found);
        self.known_kinds(&mut found);
        self.known_types(&mut found);
        self.known_callables(&mut found);
        self.known_things(&mut found);
        // Names of the compiler itself contain spaces.
        found.retain(|known| !known.name.contains(' '));
        found
    }

    fn known_events(&self, found: &mut Vec<KnownName>) {
        for is_native in [false, true] {
            for (name, event) in self.symbols.events.iter().filter(|(_, event)| event.native == is_native) {
                let fields: Vec<String> =
                    event.fields.iter().map(|(field, ty)| self.field_text(*field, ty)).collect();
                let origin = if is_native { "of every ruleset; " } else { "" };
                let detail = format!("{origin}{}", fields.join(", "));
                found.push(known(SymbolCategory::Event, name, "", &detail));
                for (field, ty) in &event.fields {
                    let (field, ty) = (self.symbols.spelling(*field), self.symbols.type_name(ty));
                    found.push(known(SymbolCategory::Field, field, name, &ty));
                }
            }
        }
        for (name, alias) in self.symbols.aliases.iter() {
            let (event, info) = self.symbols.event_by_id(alias.of);
            found.push(known(SymbolCategory::Event, name, "", &format!("alias of {event}")));
            for (field, ty) in &info.fields {
                let (field, ty) = (self.symbols.spelling(*field), self.symbols.type_name(ty));
                found.push(known(SymbolCategory::Field, field, name, &ty));
            }
        }
    }

    fn field_text(&self, field: intermezzo_program::Symbol, ty: &super::types::Ty) -> String {
        format!("{}: {}", self.symbols.spelling(field), self.symbols.type_name(ty))
    }

    fn known_kinds(&self, found: &mut Vec<KnownName>) {
        for (kind, info) in self.symbols.kinds.iter() {
            // A trait is a kind of its own, and so are the items of an action.
            let is_item = self.symbols.extends(info.id, KindId::ITEM);
            let owner = if info.id == KindId::ITEM { "stack_item" } else { kind };
            if !is_item && !self.symbols.traits.iter().any(|(_, of)| of.kind == info.id) {
                let parent = info.parent.map(|parent| format!("extends {}", self.symbols.kind_name(parent)));
                found.push(known(SymbolCategory::Kind, kind, "", &parent.unwrap_or_default()));
            }
            for prop in self.symbols.props.iter().filter(|prop| self.symbols.extends(info.id, prop.kind)) {
                let (name, ty) = (self.symbols.spelling(prop.name), self.symbols.type_name(&prop.ty));
                if !prop.hidden {
                    found.push(known(SymbolCategory::Prop, name, owner, &ty));
                }
            }
            let zones = self.symbols.zones.iter();
            for (name, zone) in
                zones.filter(|(_, zone)| zone.of.is_some_and(|of| self.symbols.extends(info.id, of)))
            {
                let ty = self.symbols.type_name(&zone.item);
                found.push(known(SymbolCategory::Zone, name, owner, &format!("zone of {ty}")));
            }
        }
        for (name, zone) in self.symbols.zones.iter() {
            let of = zone.of.map(|kind| format!("of each {}, ", self.symbols.kind_name(kind)));
            let item = self.symbols.type_name(&zone.item);
            let detail = format!("zone {}with {item}", of.unwrap_or_default());
            found.push(known(SymbolCategory::Zone, name, "", &detail));
        }
    }

    fn known_types(&self, found: &mut Vec<KnownName>) {
        for (name, (_, members)) in self.symbols.enums.iter() {
            let spelt: Vec<&str> = members.iter().map(|member| self.symbols.spelling(*member)).collect();
            found.push(known(SymbolCategory::Type, name, "", &spelt.join(", ")));
            found.extend(spelt.iter().map(|member| known(SymbolCategory::Member, member, name, name)));
        }
        for (name, ty) in self.symbols.records.iter() {
            let super::types::Ty::Record(record) = ty else { continue };
            let fields: Vec<String> =
                record.fields.iter().map(|(field, ty)| self.field_text(*field, ty)).collect();
            found.push(known(SymbolCategory::Type, name, "", &fields.join(", ")));
            for (field, ty) in &record.fields {
                let (field, ty) = (self.symbols.spelling(*field), self.symbols.type_name(ty));
                found.push(known(SymbolCategory::Field, field, name, &ty));
            }
        }
    }

    fn known_callables(&self, found: &mut Vec<KnownName>) {
        let signature = |callable: &Callable| {
            let returns = self.symbols.type_name(&callable.returns);
            format!("({}) → {returns}", self.params_text(&callable.params))
        };
        for (name, callable) in self.symbols.functions.iter() {
            found.push(known(SymbolCategory::Function, name, "", &signature(callable)));
        }
        for (name, callable) in self.symbols.procs.iter() {
            let params = self.params_text(&callable.params);
            found.push(known(SymbolCategory::Proc, name, "", &params));
            for param in &callable.params {
                let ty = self.symbols.type_name(&param.ty);
                found.push(known(SymbolCategory::Local, &param.name, name, &ty));
            }
        }
    }

    fn params_text(&self, params: &[ParamInfo]) -> String {
        let text = |param: &ParamInfo| format!("{}: {}", param.name, self.symbols.type_name(&param.ty));
        params.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    fn known_things(&self, found: &mut Vec<KnownName>) {
        for (name, def) in self.symbols.defs.iter() {
            found.push(known(SymbolCategory::Def, name, "", self.symbols.kind_name(def.kind)));
        }
        for (name, info) in self.symbols.traits.iter() {
            found.push(known(SymbolCategory::Trait, name, "", &self.params_text(&info.params)));
        }
        for (name, (ty, _)) in self.symbols.options.iter() {
            found.push(known(SymbolCategory::Option, name, "", &self.symbols.type_name(ty)));
        }
        for (name, action) in self.symbols.actions.iter() {
            let detail = if action.is_ability { "ability" } else { "action" };
            found.push(known(SymbolCategory::Action, name, "", detail));
        }
        let plain = [
            (SymbolCategory::Phase, self.symbols.phases.owned_names()),
            (SymbolCategory::Outcome, self.symbols.outcomes.owned_names()),
            (SymbolCategory::Chain, self.symbols.chains.owned_names()),
            (SymbolCategory::Duration, self.symbols.durations.owned_names()),
            (SymbolCategory::Reaction, self.symbols.reaction_ids.owned_names()),
            (SymbolCategory::Symbol, self.symbols.free_symbols.owned_names()),
            (SymbolCategory::Symbol, self.symbols.tags.owned_names()),
        ];
        for (category, names) in plain {
            found.extend(names.iter().map(|name| known(category, name, "", "")));
        }
    }
}

fn known(category: SymbolCategory, name: &str, owner: &str, detail: &str) -> KnownName {
    KnownName { category, name: name.to_owned(), owner: owner.to_owned(), detail: detail.to_owned() }
}
