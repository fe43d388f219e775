//! Types of the targets and optional costs of actions.

use crate::grammar::rules;
use intermezzo_program::{KindId, RoutineId};

use super::super::Checker;
use super::super::routine_builder::{CodeMode, RoutineBuilder};
use super::super::types::Ty;
use super::{ActionTarget, MergedAction};
use crate::diagnostic::Diagnostic;
use crate::tree::{SourceNode, SourceText};

impl Checker<'_> {
    /// Determines the types of all targets, before the rules that read them as properties of stack items are
    /// compiled.
    pub(crate) fn type_actions(&mut self) {
        for at in 0..self.actions.len() {
            let mut source = self.actions[at].clone();
            let scratch = RoutineId(u16::MAX);
            let outer = std::mem::replace(
                &mut self.body,
                RoutineBuilder::new(scratch, String::new(), CodeMode::Pure),
            );
            for _ in 0..intermezzo_program::Reg::CONTEXT {
                self.body.new_local(Ty::Entity);
            }
            self.bind_action(&source);
            self.type_targets(&mut source);
            self.body = outer;
            self.usage.calls.remove(&scratch);
            self.usage.depths.remove(&scratch);
            self.usage.reads.remove(&scratch);
            for option in source.part("optional").to_vec() {
                self.entries(&option, &rules::OPTIONAL_COST);
                match option.get("id").and_then(SourceNode::as_text) {
                    Some(id) => source.options.push(id.clone()),
                    None => {
                        self.report_error("E-KEY", option.span, "an optional cost needs `id`");
                    }
                }
            }
            if let Some(refund) = source.node.get("refund") {
                self.word(refund, "`refund`", rules::ACTION.words("refund"));
                let resources = self.symbols.props.iter();
                let resources = resources.filter(|prop| prop.resource && prop.kind == KindId::PLAYER);
                source.refunds =
                    resources.map(|prop| (self.symbols.spelling(prop.name).to_owned(), prop.id)).collect();
                if source.refunds.is_empty() {
                    let message = "`refund` has no effect: players have no resources";
                    self.report(
                        Diagnostic::warning("W-UNUSED", refund.span, message)
                            .hint("declare what is paid under `resources`"),
                    );
                }
            }
            self.add_action_props(&source);
            self.actions[at] = source;
        }
    }

    fn type_targets(&mut self, source: &mut MergedAction) {
        let nodes = source.node.get("targets").map(|node| self.items(node, "`targets`").to_vec());
        let mut late: Vec<String> = Vec::new();
        for node in nodes.unwrap_or_default() {
            self.entries(&node, &rules::TARGET);
            let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.report_error("E-KEY", node.span, "a target needs `id`");
                continue;
            };
            self.check_identifier(&id, "`targets`");
            if self.symbols.prop(KindId::ACTION, &id.value).is_some() {
                let message =
                    format!("every action has a property `{}`, so a target cannot have this name", id.value);
                self.report_error("E-NAME", id.span, message);
                continue;
            }
            let Some(from) = self.target_source(&node) else { continue };
            let item = self.target_item_type(&from);
            let target = build_target(node, id, from, item, &late);
            let target = self.divided(target);
            if !target.offered {
                late.push(target.id.value.clone());
            }
            self.bind_target(source, &target, intermezzo_program::Reg(0), source.targets.is_empty());
            source.targets.push(target);
        }
        self.type_payments(source);
    }

    /// Adds the choices made to pay, which are no targets: they are asked last and never checked again.
    fn type_payments(&mut self, source: &mut MergedAction) {
        let Some(payment) = source.node.get("payment").cloned() else { return };
        if source.is_ability {
            let message = "`payment` of an ability has no effect: the rule that calls it cannot ask";
            self.report_error("E-KEY", payment.span, message);
            return;
        }
        for choice in self.read_payments(&payment) {
            self.body.bind(&choice.id.value, intermezzo_program::Reg(0), choice.ty.clone());
            source.targets.push(choice);
        }
    }

    /// Reads choices made to pay. Their types follow from the names that are bound.
    pub(crate) fn read_payments(&mut self, payment: &SourceNode) -> Vec<ActionTarget> {
        let mut choices = Vec::new();
        for node in self.items(payment, "`payment`").to_vec() {
            self.entries(&node, &rules::TARGET);
            let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.report_error("E-KEY", node.span, "a choice made to pay needs `id`");
                continue;
            };
            let Some(from) = self.target_source(&node) else { continue };
            let item = self.target_item_type(&from);
            if !item.is_entity() && !item.is_error() {
                let message =
                    "what is chosen to pay must be entities; numbers and names belong under `targets`";
                self.report_error("E-TYPE", from.span, message);
                continue;
            }
            let choice = build_target(node, id, from, item, &[]);
            choices.push(self.divided(ActionTarget { offered: false, recheck: false, pays: true, ..choice }));
        }
        choices
    }

    /// Gives a target among which a number is divided its type.
    pub(crate) fn divided(&mut self, target: ActionTarget) -> ActionTarget {
        let Some(divide) = target.node.get("divide") else { return target };
        if let Some(other) = ["optional", "count", "min"].into_iter().find_map(|key| target.node.get(key)) {
            let message = "a number is divided among one or more targets; only `max` limits how many";
            self.report_error("E-KEY", other.span, message);
        }
        if target.pays {
            self.report_error("E-KEY", divide.span, "only targets can share a number");
        }
        let item = match target.ty.clone() {
            Ty::List(item) => (*item).clone(),
            item => item,
        };
        let ty = self.division_type(item);
        ActionTarget { ty, offered: false, many: true, divides: true, ..target }
    }

    /// Returns the item type of a target's source.
    pub(crate) fn target_item_type(&mut self, from: &SourceNode) -> Ty {
        let list = self.node_value(from);
        let ty = list.ty.present();
        if !Self::is_listlike(&ty) && !ty.is_error() {
            let message = format!("`from` is a list, but this is {}", self.symbols.type_name(&ty));
            return self.report_error("E-TYPE", from.span, message);
        }
        match self.item_type(&ty) {
            Ty::Name(_) => Ty::Symbol,
            item => item,
        }
    }
}

impl ActionTarget {
    /// Returns true if its candidates, or their number, depend on a name.
    pub(crate) fn reads(&self, name: &str) -> bool {
        let keys = ["count", "min"].into_iter().filter_map(|key| self.node.get(key));
        let texts = keys.chain([&self.from]).filter_map(SourceNode::as_text);
        texts.filter_map(|text| crate::expr::parse(text).ok()).any(|expr| {
            let mut found = false;
            expr.visit_names(&mut |other| found |= other == name);
            found
        })
    }
}

/// Builds a target and derives from its keys whether it is optional, multiple and part of the offer.
pub(crate) fn build_target(
    node: SourceNode,
    id: SourceText,
    from: SourceNode,
    item: Ty,
    late: &[String],
) -> ActionTarget {
    let selector = node.get("selector");
    let number = |key: &str| node.get(key).or_else(|| selector.and_then(|selector| selector.get(key)));
    let optional = node.get("optional").and_then(SourceNode::as_bool) == Some(true);
    let is_single = match number("count") {
        Some(count) => count.as_int() == Some(1),
        None => number("min").is_none() && number("max").is_none(),
    };
    let many = !optional && !is_single;
    let mut depends = false;
    if let Some(text) = from.as_text()
        && let Ok(expr) = crate::expr::parse(text)
    {
        expr.visit_names(&mut |name| depends |= late.iter().any(|late| late == name));
    }
    let is_plain = item.is_entity() || item.is_name() || matches!(item, Ty::Ability);
    let blind = node.get("blind").and_then(SourceNode::as_bool) == Some(true);
    let offered = !many && !optional && !depends && is_plain && !blind;
    let recheck = node.get("recheck").and_then(SourceNode::as_bool) != Some(false) && item.is_entity();
    let ty = match (many, optional) {
        (true, _) => Ty::list(item),
        (false, true) => item.maybe(),
        (false, false) => item,
    };
    ActionTarget { id, node, from, ty, offered, optional, many, recheck, pays: false, divides: false }
}
