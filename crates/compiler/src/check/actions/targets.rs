//! What is chosen with an action: targets, optional costs, and what they are.

use intermezzo_ruleset::{KindId, RoutineId};

use super::super::Checker;
use super::super::body::{Body, Mode};
use super::super::types::Ty;
use super::{Source, Target};
use crate::tree::{Node, Text};

impl Checker<'_> {
    /// Finds out what the targets of all actions are: later rules may speak of them.
    pub(crate) fn type_actions(&mut self) {
        for at in 0..self.actions.len() {
            let mut source = self.actions[at].clone();
            let scratch = RoutineId(u16::MAX);
            let outer = std::mem::replace(&mut self.body, Body::new(scratch, String::new(), Mode::Pure));
            for _ in 0..intermezzo_ruleset::Reg::CONTEXT {
                self.body.local(Ty::Entity);
            }
            self.bind_action(&source);
            self.type_targets(&mut source);
            self.body = outer;
            self.usage.calls.remove(&scratch);
            self.usage.depths.remove(&scratch);
            self.usage.reads.remove(&scratch);
            for option in source.part("optional").to_vec() {
                self.entries(&option, "an optional cost", &["id", "title", "costs"]);
                match option.get("id").and_then(Node::as_text) {
                    Some(id) => source.options.push(id.clone()),
                    None => {
                        self.wrong("E-KEY", option.span, "an optional cost needs `id`");
                    }
                }
            }
            if let Some(refund) = source.node.get("refund") {
                self.word(refund, "`refund`", &["prevented"]);
                let resources = self.world.props.iter();
                let resources = resources.filter(|prop| prop.resource && prop.kind == KindId::PLAYER);
                source.refunds =
                    resources.map(|prop| (self.world.spelling(prop.name).to_owned(), prop.id)).collect();
            }
            self.add_action_props(&source);
            self.actions[at] = source;
        }
    }

    fn type_targets(&mut self, source: &mut Source) {
        let nodes = source.node.get("targets").map(|node| self.items(node, "`targets`").to_vec());
        let mut asked: Vec<String> = Vec::new();
        for node in nodes.unwrap_or_default() {
            let known = ["id", "from", "selector", "count", "min", "max", "title", "optional", "recheck"];
            self.entries(&node, "a target", &known);
            let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.wrong("E-KEY", node.span, "a target needs `id`");
                continue;
            };
            self.check_identifier(&id, "`targets`");
            if self.world.prop(KindId::ACTION, &id.value).is_some() {
                let message =
                    format!("`{}` is something every action has, so it cannot be a target", id.value);
                self.wrong("E-NAME", id.span, message);
                continue;
            }
            let Some(from) = self.target_source(&node) else { continue };
            let item = self.target_item(&from);
            let target = target_of(node, id, from, item, &asked);
            if !target.offered {
                asked.push(target.id.value.clone());
            }
            self.bind_target(source, &target, intermezzo_ruleset::Reg(0), source.targets.is_empty());
            source.targets.push(target);
        }
    }

    /// What the items of a target's source are.
    fn target_item(&mut self, from: &Node) -> Ty {
        let list = self.node_value(from);
        let ty = list.ty.present();
        if !Self::is_listlike(&ty) && !ty.is_error() {
            let message = format!("`from` is a list, but this is {}", self.world.show(&ty));
            return self.wrong("E-TYPE", from.span, message);
        }
        match self.item_type(&ty) {
            Ty::Name(_) => Ty::Symbol,
            item => item,
        }
    }
}

/// A target with what follows from how it is written.
fn target_of(node: Node, id: Text, from: Node, item: Ty, asked: &[String]) -> Target {
    let selector = node.get("selector");
    let number = |key: &str| node.get(key).or_else(|| selector.and_then(|selector| selector.get(key)));
    let optional = node.get("optional").and_then(Node::as_bool) == Some(true);
    let one = |node: Option<&Node>| node.is_none_or(|node| node.as_int() == Some(1));
    let is_single = one(number("count")) && number("min").is_none() && number("max").is_none();
    let many = !optional && !is_single;
    let mut depends = false;
    if let Some(text) = from.as_text()
        && let Ok(expr) = crate::expr::parse(text)
    {
        expr.visit_names(&mut |name| depends |= asked.iter().any(|asked| asked == name));
    }
    let is_plain = item.is_entity() || item.is_name() || matches!(item, Ty::Ability);
    let offered = !many && !optional && !depends && is_plain;
    let recheck = node.get("recheck").and_then(Node::as_bool) != Some(false) && item.is_entity();
    let ty = match (many, optional) {
        (true, _) => Ty::list(item),
        (false, true) => item.maybe(),
        (false, false) => item,
    };
    Target { id, node, from, ty, offered, optional, many, recheck }
}
