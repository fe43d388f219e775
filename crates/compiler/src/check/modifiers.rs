//! Modifiers: continuous changes of properties, and contributions to chains.

use crate::grammar::rules;
use intermezzo_program::{CoverageKind, Instr, Modifier, PropId, Reg, RuleHost, ZoneId};

use super::Checker;
use super::reactions::HostInfo;
use super::routine_builder::CodeMode;
use super::types::{RecordTy, Ty};
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::tree::{SourceNode, SourceText};

/// The value a modifier changes.
enum ModifierTarget {
    Property { prop: PropId, it: Ty, value: Ty },
    Stage { chain: usize, stage: usize, record: Ty },
}

impl Checker<'_> {
    pub(crate) fn lower_modifiers(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("modifiers") {
            for node in self.items(section, "`modifiers`") {
                let host = HostInfo { ty: None, instance: None, rule: Some(RuleHost::Game) };
                self.lower_modifier(node, &host);
            }
        }
    }

    pub(crate) fn lower_modifier(&mut self, node: &SourceNode, host: &HostInfo) {
        self.entries(node, &rules::MODIFIER);
        let Some(of) = node.get("of").and_then(|of| self.text(of, "`of`")) else {
            let message = "a modifier needs `of`: a property such as `card.power`, or a chain";
            self.report_error("E-KEY", node.span, message);
            return;
        };
        if node.get("add").is_none() && node.get("set").is_none() {
            self.report_error("E-KEY", node.span, "a modifier needs `add` or `set`");
        }
        let target = match of.value.split_once('.') {
            Some((kind, prop)) => self.modified_property(of, kind, prop),
            None => self.modified_chain(of, node),
        };
        self.check_modifier_id(node);
        let layer = node.get("layer").map_or(0, |layer| self.number(layer, "`layer`"));
        let test = node.get("if").and_then(|test| self.node_expr(test));
        let name = format!("modifiers.{}", of.value);
        let change = self.reserve_routine(&name);
        let outer = self.begin_routine(change, CodeMode::Pure);
        self.mark_location(node);
        if let Some(ty) = &host.ty {
            self.body.bind("self", Reg::SELF, ty.clone());
            self.body.bind("you", Reg::YOU, Ty::PLAYER);
            self.bind_trait(host);
        }
        let is_of_property = matches!(target, Some(ModifierTarget::Property { .. }));
        self.body.modifier_layer = i32::try_from(layer).ok().filter(|_| is_of_property);
        self.emit_change(node, target.as_ref(), test.as_ref());
        self.finish_routine(outer);
        let Some(target) = target else { return };
        let number = self.program.modifiers.len() as u16;
        let rule = host.rule.unwrap_or(RuleHost::Game);
        let own = test.as_ref().is_some_and(is_about_self);
        let layer = i32::try_from(layer).unwrap_or_default();
        let name = self.modifier_name(node, rule);
        let zones = self.modifier_zones(node, rule);
        let is_list = matches!(&target, ModifierTarget::Property { value: Ty::List(_), .. });
        let adds_items = is_list && node.get("set").is_none();
        self.program.modifiers.push(Modifier { name, host: rule, layer, own, adds_items, zones, change });
        match target {
            ModifierTarget::Property { prop, .. } => self.program.props[prop.index()].modifiers.push(number),
            ModifierTarget::Stage { chain, stage, .. } => {
                self.program.chains[chain].stages[stage].push(number);
            }
        }
    }

    /// Reads the zones in which the modifier of an entity is in force.
    fn modifier_zones(&mut self, node: &SourceNode, rule: RuleHost) -> Vec<ZoneId> {
        let Some(zones) = node.get("zones") else { return Vec::new() };
        if rule == RuleHost::Game {
            let message = "`zones` says where the entity of a modifier must be, and this one belongs to none";
            self.report_error("E-KEY", zones.span, message);
        }
        self.zone_names(zones)
    }

    /// Reports an id that another modifier has: explanations name modifiers by it.
    fn check_modifier_id(&mut self, node: &SourceNode) {
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")) else { return };
        match self.modifier_ids.iter().find(|(name, _)| *name == id.value) {
            Some((name, first)) if !self.is_published => {
                let message = format!("there is already a modifier `{name}`");
                let problem = Diagnostic::error("E-NAME", id.span, message).related(*first, "the other one");
                self.report(problem);
            }
            Some(_) => {}
            None => self.modifier_ids.push((id.value.clone(), id.span)),
        }
    }

    /// Returns the id of a modifier, or else the name of its host.
    fn modifier_name(&self, node: &SourceNode, rule: RuleHost) -> String {
        if let Some(id) = node.get("id").and_then(SourceNode::as_text) {
            return id.value.clone();
        }
        match rule {
            RuleHost::Game => "the game".to_owned(),
            RuleHost::Def(def) => {
                let name = self.program.defs.get(def.index()).map(|def| def.name);
                name.map_or_else(String::new, |name| self.symbols.spelling(name).to_owned())
            }
        }
    }

    /// Compiles the function that computes the new value.
    fn emit_change(&mut self, node: &SourceNode, target: Option<&ModifierTarget>, test: Option<&Expr>) {
        let it_ty = match target {
            Some(ModifierTarget::Property { it, .. }) => it.clone(),
            Some(ModifierTarget::Stage { record, .. }) => record.clone(),
            None => Ty::Error,
        };
        let it = self.add_param("it", it_ty.clone());
        if let Some(name) = node.get("as").and_then(|name| self.text(name, "`as`")) {
            self.check_identifier(name, "`as`");
            self.body.bind(&name.value.clone(), it, it_ty);
        }
        let old = match target {
            Some(ModifierTarget::Property { value, .. }) => self.add_param("value", value.clone()),
            _ => it,
        };
        let mut no = Vec::new();
        let known = self.body.facts.len();
        if let Some(test) = test {
            self.jump_if(test, false, &mut no);
            let facts = self.facts(test, true);
            self.body.facts.extend(facts);
        }
        self.emit_coverage(CoverageKind::Modifier, node.span);
        let value = match target {
            Some(ModifierTarget::Property { value, .. }) => self.changed_value(node, old, &value.clone()),
            Some(ModifierTarget::Stage { record: Ty::Record(record), .. }) => {
                self.changed_record(node, it, &record.clone())
            }
            _ => old,
        };
        self.emit(Instr::Return { value });
        self.body.facts.truncate(known);
        self.body.patch_jumps(&no);
        self.emit(Instr::Return { value: old });
    }

    fn changed_value(&mut self, node: &SourceNode, old: Reg, ty: &Ty) -> Reg {
        if let Some(set) = node.get("set") {
            return self.node_as(set, ty);
        }
        let Some(add) = node.get("add") else { return old };
        if matches!(ty, Ty::List(_)) {
            return self.with_items(add, old, ty);
        }
        if *ty != Ty::Int && !ty.is_error() {
            let message =
                format!("only to numbers and lists can be added, but this is {}", self.symbols.type_name(ty));
            self.report_error("E-TYPE", add.span, message);
        }
        let amount = self.node_as(add, &Ty::Int);
        self.add(old, amount)
    }

    /// Emits the old list with the items of another one that are not in it. It is the old list itself if all are.
    fn with_items(&mut self, add: &SourceNode, old: Reg, ty: &Ty) -> Reg {
        let added = self.node_as(add, ty);
        let (both, new) = (self.body.new_temp(), self.body.new_temp());
        self.emit(Instr::Concat { dst: both, a: old, b: added });
        self.emit(Instr::Distinct { dst: new, list: both });
        let (count, known) = (self.body.new_temp(), self.body.new_temp());
        self.emit(Instr::Len { dst: count, list: new });
        self.emit(Instr::Distinct { dst: both, list: old });
        self.emit(Instr::Len { dst: known, list: both });
        let is_same = self.body.new_temp();
        self.emit(Instr::Eq { dst: is_same, a: count, b: known });
        let changed = self.emit(Instr::JumpUnless { cond: is_same, to: 0 });
        self.emit(Instr::Return { value: old });
        self.body.patch_jumps(&[changed]);
        new
    }

    fn changed_record(&mut self, node: &SourceNode, it: Reg, record: &RecordTy) -> Reg {
        let mut puts = Vec::new();
        for (key, adds) in [("set", false), ("add", true)] {
            let Some(changes) = node.get(key) else { continue };
            if changes.as_map().is_none() {
                self.report_error(
                    "E-TYPE",
                    changes.span,
                    "changes to the record of a chain are an object: field and value",
                );
            }
            for entry in changes.as_map().unwrap_or_default() {
                let found = record
                    .fields
                    .iter()
                    .position(|(field, _)| self.symbols.spelling(*field) == entry.key.value);
                let Some(at) = found else {
                    let known = self.symbols.field_names(&record.fields);
                    let name = entry.key.value.clone();
                    self.report_unknown(
                        "E-PROP",
                        entry.key.span,
                        "field",
                        &name,
                        known.iter().map(String::as_str),
                    );
                    continue;
                };
                let ty = record.fields[at].1.clone();
                let mut value = self.node_as(&entry.value, if adds { &Ty::Int } else { &ty });
                if adds {
                    let old = self.body.new_temp();
                    self.emit(Instr::Field { dst: old, record: it, index: at as u16 });
                    let sum = self.body.new_temp();
                    self.emit(Instr::Add { dst: sum, a: old, b: value });
                    value = sum;
                }
                puts.push((at as u16, value));
            }
        }
        let dst = self.body.new_temp();
        self.emit(Instr::CopyRecord { dst, record: it, count: record.fields.len() as u16 });
        for (index, value) in puts {
            self.emit(Instr::PutField { record: dst, index, value });
        }
        dst
    }

    fn modified_property(&mut self, of: &SourceText, kind: &str, prop: &str) -> Option<ModifierTarget> {
        let Some(info) = self.symbols.kinds.get(kind) else {
            let known = self.symbols.kinds.owned_names();
            self.report_unknown("E-NAME", of.span, "kind", kind, known.iter().map(String::as_str));
            return None;
        };
        let kind = info.id;
        let Some(found) = self.symbols.prop(kind, prop).cloned() else {
            let known = self.member_names(kind);
            self.report_unknown("E-PROP", of.span, "property", prop, known.iter().map(String::as_str));
            return None;
        };
        if !found.modifiable {
            self.report(
                Diagnostic::error("E-MOD", of.span, format!("`{}` cannot be modified", of.value))
                    .hint("declare the property with `mod: true`"),
            );
        }
        Some(ModifierTarget::Property { prop: found.id, it: Ty::Kind(kind), value: found.ty })
    }

    fn modified_chain(&mut self, of: &SourceText, node: &SourceNode) -> Option<ModifierTarget> {
        let Some(chain) = self.symbols.chains.get(&of.value).cloned() else {
            let known = self.symbols.chains.owned_names();
            self.report_unknown("E-NAME", of.span, "chain", &of.value, known.iter().map(String::as_str));
            return None;
        };
        let Some(stage) = node.get("stage").and_then(|stage| self.text(stage, "`stage`")) else {
            self.report_error("E-KEY", node.span, "a modifier of a chain needs `stage`");
            return None;
        };
        let Some(at) = chain.stages.iter().position(|known| *known == stage.value) else {
            self.report_unknown(
                "E-NAME",
                stage.span,
                "stage",
                &stage.value,
                chain.stages.iter().map(String::as_str),
            );
            return None;
        };
        Some(ModifierTarget::Stage { chain: usize::from(chain.number), stage: at, record: chain.record })
    }

    /// Reports modifiable properties whose modifiers depend on each other in a cycle.
    pub(crate) fn check_modifier_cycles(&mut self) {
        let mut circles = Vec::new();
        for start in 0..self.program.props.len() {
            let start = LayeredProp { prop: start as u16, below: None };
            let (mut open, mut seen) = (self.reads_of(start), std::collections::BTreeSet::new());
            while let Some(read) = open.pop() {
                if seen.insert(read) {
                    open.extend(self.reads_of(read));
                }
            }
            let is_circle = |read: &LayeredProp| {
                let mut behind = std::collections::BTreeSet::new();
                let mut open = self.reads_of(*read);
                while let Some(next) = open.pop() {
                    if behind.insert(next) {
                        open.extend(self.reads_of(next));
                    }
                }
                behind.iter().any(|next| next.covers(*read))
            };
            if seen.iter().filter(|read| read.prop == start.prop).any(is_circle) {
                circles.push(usize::from(start.prop));
            }
        }
        for prop in circles {
            let info = self.symbols.props[prop].clone();
            let name = self.symbols.spelling(info.name).to_owned();
            self.report(
                Diagnostic::error(
                    "E-CYCLE-MOD",
                    info.span,
                    format!("the modifiers of `{name}` depend on `{name}` itself"),
                )
                .hint("a modifier may read other properties, or the current value as `value`"),
            );
        }
    }

    /// Returns what the modifiers of a property read.
    fn reads_of(&self, read: LayeredProp) -> Vec<LayeredProp> {
        let modifiers = self.program.props[usize::from(read.prop)].modifiers.iter();
        let modifiers = modifiers.map(|at| &self.program.modifiers[usize::from(*at)]);
        let applying = modifiers.filter(|modifier| read.below.is_none_or(|below| modifier.layer < below));
        let mut open: Vec<_> = applying.map(|modifier| modifier.change).collect();
        let (mut seen, mut found) = (std::collections::BTreeSet::new(), Vec::new());
        while let Some(routine) = open.pop() {
            if seen.insert(routine) {
                let all = self.usage.reads.get(&routine).into_iter().flatten();
                found.extend(all.map(|prop| LayeredProp { prop: *prop, below: None }));
                let prior = self.usage.prior_reads.get(&routine).into_iter().flatten();
                found.extend(prior.map(|(prop, layer)| LayeredProp { prop: *prop, below: Some(*layer) }));
                open.extend(self.usage.calls.get(&routine).into_iter().flatten().map(|(callee, _)| *callee));
            }
        }
        found
    }
}

/// A modifiable property, with all modifiers or only those of lower layers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LayeredProp {
    prop: u16,
    below: Option<i32>,
}

impl LayeredProp {
    /// Returns true if it includes all modifiers of the other.
    fn covers(self, other: LayeredProp) -> bool {
        self.prop == other.prop
            && match (self.below, other.below) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(own), Some(other)) => own >= other,
            }
    }
}

/// Returns true if a test restricts the modifier to its own host.
fn is_about_self(test: &Expr) -> bool {
    let is = |expr: &Expr, wanted: &str| matches!(&expr.kind, ExprKind::Name(name) if name == wanted);
    match &test.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right, .. } => {
            is_about_self(left) || is_about_self(right)
        }
        ExprKind::Binary { op: BinaryOp::Eq, left, right, .. } => {
            (is(left, "it") && is(right, "self")) || (is(left, "self") && is(right, "it"))
        }
        _ => false,
    }
}
