//! Grants: standing effects that give traits to entities or take their rules away.

use std::collections::BTreeSet;

use crate::grammar::rules;
use intermezzo_program::{
    DefId, Grant, GrantEffect, Instr, KindId, PropId, Reg, RoutineId, RuleHost, native::hidden_props,
};

use super::Checker;
use super::reactions::HostInfo;
use super::routine_builder::CodeMode;
use super::symbol_table::TraitInfo;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::source::Span;
use crate::tree::{SourceNode, SourceText};

/// A grant as the check for cycles sees it.
pub(crate) struct GrantSummary {
    span: Span,
    /// The trait whose grant it is, if one's.
    of: Option<DefId>,
    /// The trait it gives, if any.
    gives: Option<DefId>,
    /// The code that decides to whom.
    reads: Vec<RoutineId>,
}

/// The trait of a grant, with its arguments as they are written.
type WrittenTrait<'n> = (SourceText, TraitInfo, Option<&'n SourceNode>);

impl Checker<'_> {
    /// Returns true if some rule of the ruleset is a grant.
    pub(crate) fn has_grants(&self) -> bool {
        let has = |node: &SourceNode| {
            node.as_map().unwrap_or_default().iter().any(|entry| entry.value.get("grants").is_some())
        };
        self.merged.section("grants").next().is_some()
            || ["defs", "traits"].iter().any(|name| self.merged.section(name).any(|(node, _)| has(node)))
    }

    /// Returns the properties that the engine needs of things and traits in a ruleset with grants: names, types and
    /// whether everyone sees them.
    pub(crate) fn grant_props(&self, kind: KindId) -> Vec<(&'static str, Ty, bool)> {
        let is_root = self.symbols.kind_info(kind).parent.is_none() && kind.0 >= KindId::NATIVE;
        if !is_root {
            return Vec::new();
        }
        let mut props = Vec::new();
        let is_trait = self.symbols.traits.iter().any(|(_, info)| info.kind == kind);
        if !is_trait && !self.is_kind_of_copies(kind) && self.changing_rules.owners {
            props.push((hidden_props::OWNED_BY, Ty::PLAYER.maybe(), true));
        }
        if !(self.changing_rules.grants || self.changing_rules.copies) {
            return props;
        }
        props.extend([(hidden_props::SINCE, Ty::Int, false), (hidden_props::SILENCED, Ty::Bool, true)]);
        if is_trait {
            props.push((hidden_props::GIVEN_BY, Ty::Entity.maybe(), false));
            props.push((hidden_props::GRANT, Ty::Int.maybe(), false));
        } else if !self.program.copies.is_empty() && !self.is_kind_of_copies(kind) {
            props.push((hidden_props::TRAITS_OF, Ty::Def.maybe(), false));
        }
        props
    }

    pub(crate) fn note_trait_test(&mut self, def: DefId) {
        self.usage.trait_tests.entry(self.body.routine).or_default().insert(def.0);
    }

    pub(crate) fn lower_grants(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("grants") {
            for node in self.items(section, "`grants`") {
                let host = HostInfo { ty: None, instance: None, rule: Some(RuleHost::Game) };
                self.lower_grant(node, &host);
            }
        }
    }

    pub(crate) fn lower_grant(&mut self, node: &SourceNode, host: &HostInfo) {
        self.entries(node, &rules::GRANT);
        let Some(to) = node.get("to") else {
            let message = "a grant needs `to`: the kind of the entities that get or lose something";
            self.report_error("E-KEY", node.span, message);
            return;
        };
        let Some(to) = self.kind_named(to) else { return };
        if to == KindId::MATCH || self.symbols.extends(to, KindId::ITEM) {
            self.report_error("E-TYPE", node.span, "grants are about players and the ruleset's own kinds");
            return;
        }
        if node.get("traits").is_none() && node.get("loses").is_none() {
            self.report_error("E-KEY", node.span, "a grant needs `traits` or `loses`");
        }
        let test = node.get("if").and_then(|test| self.node_expr(test));
        let condition = test.as_ref().map(|test| self.grant_condition(node, host, to, test));
        let layer = node.get("layer").map_or(0, |layer| self.number(layer, "`layer`"));
        let rule = host.rule.unwrap_or(RuleHost::Game);
        let zones = self.grant_zones(node, rule);
        let within = node.get("in").map(|within| self.zone_names(within)).unwrap_or_default();
        let grant = Grant {
            host: rule,
            layer: i32::try_from(layer).unwrap_or_default(),
            zones,
            to,
            within,
            condition,
            effect: GrantEffect::LosesAll,
            location: Some(self.source_location(node.span)),
        };
        if let Some(loses) = node.get("loses") {
            let effect = self.grant_losses(loses);
            self.add_grant(Grant { effect, ..grant.clone() }, node, Vec::new());
        }
        for item in node.get("traits").map(|node| self.items(node, "`traits`")).unwrap_or_default() {
            let Some((name, info, with)) = self.given_trait(item) else { continue };
            let given = self.grant_arguments(node, host, to, (&name, &info, with));
            let reads = given.iter().map(|(_, routine)| *routine).collect();
            let effect = GrantEffect::Gives(info.def, given);
            self.add_grant(Grant { effect, ..grant.clone() }, node, reads);
        }
    }

    fn add_grant(&mut self, grant: Grant, node: &SourceNode, mut reads: Vec<RoutineId>) {
        reads.extend(grant.condition);
        let trait_of = |def: &DefId| self.program.defs.get(def.index()).is_some_and(|def| def.is_trait);
        let of = match grant.host {
            RuleHost::Def(def) => Some(def).filter(trait_of),
            RuleHost::Game => None,
        };
        let gives = match grant.effect {
            GrantEffect::Gives(def, _) => Some(def),
            _ => None,
        };
        self.grants.push(GrantSummary { span: node.span, of, gives, reads });
        self.program.grants.push(grant);
    }

    /// Reads the zones in which a grant of an entity is in force.
    fn grant_zones(&mut self, node: &SourceNode, rule: RuleHost) -> Vec<intermezzo_program::ZoneId> {
        let Some(zones) = node.get("zones") else { return Vec::new() };
        if rule == RuleHost::Game {
            let message = "`zones` says where the entity of a grant must be, and this one belongs to none";
            self.report_error("E-KEY", zones.span, message);
        }
        self.zone_names(zones)
    }

    /// Begins code that sees the entity `it` and the rule's own names.
    fn bind_grant(&mut self, node: &SourceNode, host: &HostInfo, to: KindId) {
        if let Some(ty) = &host.ty {
            self.body.bind("self", Reg::SELF, ty.clone());
            self.body.bind("you", Reg::YOU, Ty::PLAYER);
            self.bind_trait(host);
        }
        let it = self.add_param("it", Ty::Kind(to));
        if let Some(name) = node.get("as").and_then(|name| self.text(name, "`as`")) {
            self.check_identifier(name, "`as`");
            self.body.bind(&name.value.clone(), it, Ty::Kind(to));
        }
    }

    fn grant_condition(&mut self, node: &SourceNode, host: &HostInfo, to: KindId, test: &Expr) -> RoutineId {
        let routine = self.reserve_routine("grants.if");
        let outer = self.begin_routine(routine, CodeMode::Pure);
        self.mark_location(node);
        self.bind_grant(node, host, to);
        let value = self.value_as(test, &Ty::Bool);
        self.emit(Instr::Return { value });
        self.finish_routine(outer);
        routine
    }

    /// Reads a trait, given as a name or as a name with arguments.
    fn given_trait<'n>(&mut self, node: &'n SourceNode) -> Option<WrittenTrait<'n>> {
        let (name, with) = match (node.as_text(), node.as_map()) {
            (Some(text), _) => (text.clone(), None),
            (None, Some([entry])) => (entry.key.clone(), Some(&entry.value)),
            _ => {
                self.report_error("E-TYPE", node.span, "a trait is its name, or `{name: {param: value}}`");
                return None;
            }
        };
        let info = self.trait_named(&name)?;
        Some((name, info, with))
    }

    fn trait_named(&mut self, name: &SourceText) -> Option<TraitInfo> {
        let found = self.symbols.traits.get(&name.value).cloned();
        if found.is_none() {
            let known = self.symbols.traits.owned_names();
            self.report_unknown("E-NAME", name.span, "trait", &name.value, known.iter().map(String::as_str));
        }
        self.note_symbol_use(&name.value);
        found
    }

    /// Compiles the arguments of a trait that is given.
    fn grant_arguments(
        &mut self,
        node: &SourceNode,
        host: &HostInfo,
        to: KindId,
        (name, info, with): (&SourceText, &TraitInfo, Option<&SourceNode>),
    ) -> Vec<(PropId, RoutineId)> {
        let written = with.and_then(SourceNode::as_map).unwrap_or_default();
        for entry in written {
            if info.params.iter().all(|param| param.name != entry.key.value) {
                let what = format!("parameter of the trait `{}`", name.value);
                self.report_unknown_argument(&what, &entry.key, &info.params);
            }
        }
        let mut given = Vec::new();
        for param in &info.params {
            let Some(prop) = self.symbols.prop(info.kind, &param.name).map(|prop| prop.id) else { continue };
            let argument =
                written.iter().find(|entry| entry.key.value == param.name).map(|entry| &entry.value);
            if argument.is_none() && param.default.is_none() {
                if !param.ty.is_maybe() {
                    let message = format!("the trait `{}` needs `{}`", name.value, param.name);
                    self.report_error("E-ARGS", name.span, message);
                }
                continue;
            }
            let routine = self.reserve_routine(&format!("traits.{}.{}", name.value, param.name));
            let outer = self.begin_routine(routine, CodeMode::Pure);
            self.mark_location(node);
            self.bind_grant(node, host, to);
            let value = match (argument, &param.default) {
                (Some(argument), _) => self.node_as(argument, &param.ty),
                (None, Some(default)) => self.value_as(default, &param.ty),
                (None, None) => self.constant(intermezzo_program::NULL),
            };
            self.emit(Instr::Return { value });
            self.finish_routine(outer);
            given.push((prop, routine));
        }
        given
    }

    /// Reads what a grant takes away: `all`, or names of traits.
    fn grant_losses(&mut self, node: &SourceNode) -> GrantEffect {
        if node.as_text().is_some() {
            self.word(node, "`loses`", &["all"]);
            return GrantEffect::LosesAll;
        }
        let mut lost = Vec::new();
        for item in self.items(node, "`loses`") {
            let Some(name) = self.text(item, "a trait") else { continue };
            lost.extend(self.trait_named(name).map(|info| info.def));
        }
        GrantEffect::Loses(lost)
    }

    /// Reads whether a trait is an ability, which is lost with all others.
    pub(crate) fn lower_ability_flag(&mut self, node: &SourceNode, def: DefId) {
        if node.get("ability").is_some_and(|flag| !self.flag(flag, "`ability`")) {
            self.program.lasting_traits.push(def);
        }
    }

    /// Reports traits that are given depending on themselves.
    pub(crate) fn check_grant_cycles(&mut self) {
        let grants = std::mem::take(&mut self.grants);
        let needed: Vec<BTreeSet<u16>> = grants.iter().map(|grant| self.traits_behind(grant)).collect();
        for (at, grant) in grants.iter().enumerate() {
            let Some(given) = grant.gives else { continue };
            let (mut open, mut seen) = (needed[at].clone(), BTreeSet::new());
            while let Some(needs) = open.pop_first() {
                if seen.insert(needs) {
                    let givers = grants
                        .iter()
                        .zip(&needed)
                        .filter(|(other, _)| other.gives.is_some_and(|gives| gives.0 == needs));
                    givers.for_each(|(_, needed)| open.extend(needed));
                }
            }
            if seen.contains(&given.0) {
                let name = self.program.defs[given.index()].name;
                let name = self.symbols.spelling(name).to_owned();
                let message = format!("who gets the trait `{name}` depends on who has `{name}`");
                self.report(
                    Diagnostic::error("E-CYCLE-MOD", grant.span, message).hint(
                        "the test may read other traits, and properties that this trait does not change",
                    ),
                );
            }
        }
    }

    /// Returns the traits that decide who gets what a grant gives.
    fn traits_behind(&self, grant: &GrantSummary) -> BTreeSet<u16> {
        let mut found: BTreeSet<u16> = grant.of.iter().map(|def| def.0).collect();
        let (mut open, mut seen) = (grant.reads.clone(), BTreeSet::new());
        while let Some(routine) = open.pop() {
            if !seen.insert(routine) {
                continue;
            }
            found.extend(self.usage.trait_tests.get(&routine).into_iter().flatten().copied());
            open.extend(self.usage.calls.get(&routine).into_iter().flatten().map(|(callee, _)| *callee));
            for prop in self.usage.reads.get(&routine).into_iter().flatten() {
                for number in &self.program.props[usize::from(*prop)].modifiers {
                    let modifier = &self.program.modifiers[usize::from(*number)];
                    open.push(modifier.change);
                    if let RuleHost::Def(def) = modifier.host
                        && self.program.defs[def.index()].is_trait
                    {
                        found.insert(def.0);
                    }
                }
            }
        }
        found
    }
}
