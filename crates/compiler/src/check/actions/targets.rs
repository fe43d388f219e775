//! Types of the targets and optional costs of actions.

use intermezzo_program::{KindId, RoutineId};

use super::super::Checker;
use super::super::questions::TARGET_KEYS;
use super::super::routine_builder::{CodeMode, RoutineBuilder};
use super::super::types::Ty;
use super::{ActionTarget, MergedAction};
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
                self.entries(&option, "an optional cost", &["id", "title", "costs"]);
                match option.get("id").and_then(SourceNode::as_text) {
                    Some(id) => source.options.push(id.clone()),
                    None => {
                        self.report_error("E-KEY", option.span, "an optional cost needs `id`");
                    }
                }
            }
            if let Some(refund) = source.node.get("refund") {
                self.word(refund, "`refund`", &["prevented"]);
                let resources = self.symbols.props.iter();
                let resources = resources.filter(|prop| prop.resource && prop.kind == KindId::PLAYER);
                source.refunds =
                    resources.map(|prop| (self.symbols.spelling(prop.name).to_owned(), prop.id)).collect();
            }
            self.add_action_props(&source);
            self.actions[at] = source;
        }
    }

    fn type_targets(&mut self, source: &mut MergedAction) {
        let nodes = source.node.get("targets").map(|node| self.items(node, "`targets`").to_vec());
        let mut late: Vec<String> = Vec::new();
        for node in nodes.unwrap_or_default() {
            self.entries(&node, "a target", TARGET_KEYS);
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
            if !target.offered {
                late.push(target.id.value.clone());
            }
            self.bind_target(source, &target, intermezzo_program::Reg(0), source.targets.is_empty());
            source.targets.push(target);
        }
    }

    /// Returns the item type of a target's source.
    fn target_item_type(&mut self, from: &SourceNode) -> Ty {
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

/// Builds a target and derives from its keys whether it is optional, multiple and part of the offer.
fn build_target(
    node: SourceNode,
    id: SourceText,
    from: SourceNode,
    item: Ty,
    late: &[String],
) -> ActionTarget {
    let selector = node.get("selector");
    let number = |key: &str| node.get(key).or_else(|| selector.and_then(|selector| selector.get(key)));
    let optional = node.get("optional").and_then(SourceNode::as_bool) == Some(true);
    let one = |node: Option<&SourceNode>| node.is_none_or(|node| node.as_int() == Some(1));
    let is_single = one(number("count")) && number("min").is_none() && number("max").is_none();
    let many = !optional && !is_single;
    let mut depends = false;
    if let Some(text) = from.as_text()
        && let Ok(expr) = crate::expr::parse(text)
    {
        expr.visit_names(&mut |name| depends |= late.iter().any(|late| late == name));
    }
    let is_plain = item.is_entity() || item.is_name() || matches!(item, Ty::Ability);
    let offered = !many && !optional && !depends && is_plain;
    let recheck = node.get("recheck").and_then(SourceNode::as_bool) != Some(false) && item.is_entity();
    let ty = match (many, optional) {
        (true, _) => Ty::list(item),
        (false, true) => item.maybe(),
        (false, false) => item,
    };
    ActionTarget { id, node, from, ty, offered, optional, many, recheck }
}
