//! What a reaction asks before it happens: whether at all, of whom, at what price.
//!
//! Everything here becomes ordinary code of the reaction: a `choose` for the
//! question, the statements of its costs.

use intermezzo_ruleset::Instr;

use super::Checker;
use super::reactions::Host;
use super::stmts::Parts;
use crate::source::Span;
use crate::tree::{Entry, Node, Text, Value};

/// What happens where a player picks nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Something has to be picked.
    Must,
    /// There is no target.
    Without,
    /// The rule does not happen.
    Leave,
}

impl Way {
    /// What a target says itself.
    pub(crate) fn of(target: &Node) -> Way {
        match target.get("optional").and_then(Node::as_bool) {
            Some(true) => Way::Without,
            _ => Way::Must,
        }
    }
}

impl Checker<'_> {
    /// Asks for consent and targets, then pays; leaves the reaction if it is declined.
    pub(crate) fn offer(&mut self, node: &Node, host: &Host, id: &Text) {
        let may = node.get("may").and_then(Node::as_bool) == Some(true);
        let targets = node.get("targets").map(|targets| self.items(targets, "`targets`")).unwrap_or_default();
        if (may || !targets.is_empty()) && host.ty.is_none() {
            self.wrong("E-CHOOSE", id.span, "a rule of the game itself has nobody to ask");
            return;
        }
        let title = node
            .get("name")
            .or_else(|| node.get("text"))
            .and_then(Node::as_text)
            .map_or_else(|| id.value.replace('_', " "), |text| text.value.clone());
        if may && targets.is_empty() {
            self.ask_consent(node, &title, id.span);
        }
        for (at, target) in targets.iter().enumerate() {
            let way = match may && at == 0 {
                true => Way::Leave,
                false => Way::of(target),
            };
            self.ask_target(target, way, "you", &title);
        }
        if let Some(costs) = node.get("costs") {
            self.block(costs);
        }
    }

    fn ask_consent(&mut self, node: &Node, title: &str, span: Span) {
        let mut agreed = Vec::new();
        if let Some(auto) = node.get("auto").and_then(|auto| self.node_expr(auto)) {
            self.jump_if(&auto, true, &mut agreed);
        }
        let question = [
            ("choose", "consent"),
            ("by", "you"),
            ("from", "[true, false]"),
            ("kind", "confirm"),
            ("ask", "always"),
            ("title", title),
        ];
        let bindings = self.body.bindings.len();
        self.ask(&question, &[], span);
        let cond = self.name_value("consent", span).reg;
        self.body.bindings.truncate(bindings);
        agreed.push(self.emit(Instr::JumpIf { cond, to: 0 }));
        self.emit(Instr::Done {});
        self.body.land(&agreed);
    }

    /// Asks for one target, which becomes a name the effects can use.
    pub(crate) fn ask_target(&mut self, target: &Node, way: Way, by: &str, title: &str) {
        let known = ["id", "from", "selector", "count", "min", "max", "title", "optional", "recheck"];
        self.entries(target, "a target", &known);
        let Some(id) = target.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.wrong("E-KEY", target.span, "a target needs `id`");
            return;
        };
        let Some(from) = self.target_source(target) else { return };
        let own_title = target.get("title").and_then(Node::as_text).map(|text| text.value.clone());
        let title = own_title.unwrap_or_else(|| title.to_owned());
        let mut question = vec![("choose", id.value.as_str()), ("by", by), ("title", title.as_str())];
        if way != Way::Must {
            question.extend([("min", "0"), ("max", "1"), ("ask", "always")]);
        }
        let selector = target.get("selector");
        let bound =
            |key: &&str| target.entry(key).or_else(|| selector.and_then(|selector| selector.entry(key)));
        let bounds = ["count", "min", "max"].iter().filter(|_| way == Way::Must);
        let mut more: Vec<Entry> = bounds.filter_map(|key| bound(key).cloned()).collect();
        more.push(Entry { key: Text::straight("from", target.span.file, target.span.start), value: from });
        self.ask(&question, &more, target.span);
        if way == Way::Leave {
            let value = self.name_value(&id.value, id.span).reg;
            let declined = self.emit(Instr::JumpNull { value, to: 0 });
            let chosen = self.emit(Instr::Jump { to: 0 });
            self.body.land(&[declined]);
            self.emit(Instr::Done {});
            self.body.land(&[chosen]);
            self.body.facts.push(super::body::Fact { path: id.value.clone(), ty: None });
        }
    }

    /// What a target is chosen from: its `from`, or what its `selector` stands for.
    pub(crate) fn target_source(&mut self, target: &Node) -> Option<Node> {
        if let Some(from) = target.get("from") {
            return Some(from.clone());
        }
        let Some(selector) = target.get("selector") else {
            self.wrong("E-KEY", target.span, "a target needs `from` or `selector`");
            return None;
        };
        self.selector_type(selector);
        let Some(zone) = selector.get("zone").and_then(Node::as_text) else {
            self.wrong("E-KEY", selector.span, "a selector needs `zone`: where to choose from");
            return None;
        };
        let controller = selector.get("controller");
        let controller =
            controller.and_then(|node| self.word(node, "`controller`", &["self", "opponent", "any"]));
        let of_players = self.world.zones.get(&zone.value)?.of == Some(intermezzo_ruleset::KindId::PLAYER);
        let text = match controller {
            Some("self") if of_players => format!("you.{}", zone.value),
            Some("opponent") if of_players => {
                format!("players.where(p => p != you).flat(p => p.{})", zone.value)
            }
            _ => zone.value.clone(),
        };
        let text = match selector.get("kind").and_then(|kind| self.text(kind, "`kind`")) {
            Some(kind) => format!("{text}.where(c => c is {})", kind.value),
            None => text,
        };
        let text = Text::straight(&text, zone.span.file, zone.span.start);
        Some(Node { span: zone.span, value: Value::Text(text) })
    }

    /// Jumps if there is nothing to aim at.
    pub(crate) fn target_test(&mut self, target: &Node, no: &mut Vec<usize>) {
        let Some(from) = self.target_source(target) else { return };
        let list = self.node_value(&from);
        if !Self::is_listlike(&list.ty.present()) {
            return;
        }
        let list = self.as_list(super::Val { ty: list.ty.present(), ..list });
        let count = self.body.temp();
        self.emit(Instr::Len { dst: count, list: list.reg });
        no.push(self.emit(Instr::SkipEqInt { a: count, value: 0, skip: 0 }));
    }

    /// Jumps if a cost cannot be paid: the `requires` of the proc it calls does not hold.
    pub(crate) fn cost_test(&mut self, cost: &Node, no: &mut Vec<usize>) {
        let Some(parts) = self.take_apart(cost) else { return };
        let Some(callable) = self.world.procs.get(parts.head).cloned() else { return };
        let Some(requires) = callable.requires.clone() else { return };
        let bindings = self.body.bindings.len();
        let mut bound = Vec::new();
        for (at, param) in callable.params.iter().enumerate() {
            let given = parts.get(&param.name).or(parts.value.filter(|_| at == 0));
            let expr = match given {
                Some(node) => self.node_expr(node),
                None => param.default.as_ref().map(|default| (**default).clone()),
            };
            let Some(expr) = expr else { continue };
            let reg = self.body.temp();
            self.value_into(reg, &expr, &param.ty);
            bound.push((param.name.clone(), reg, param.ty.clone()));
        }
        for (name, reg, ty) in bound {
            self.body.bind(&name, reg, ty);
        }
        if let Some(test) = self.node_expr(&requires) {
            self.jump_if(&test, false, no);
        }
        self.body.bindings.truncate(bindings);
    }

    /// A `choose` made up here.
    pub(crate) fn ask(&mut self, keys: &[(&str, &str)], more: &[Entry], span: Span) {
        let text = |value: &str| Text::straight(value, span.file, span.start);
        let mut entries: Vec<Entry> = keys
            .iter()
            .map(|(key, value)| {
                let value = match (value.parse::<i64>(), *value) {
                    (Ok(number), _) => Value::Int(number),
                    (Err(_), "true") => Value::Bool(true),
                    (Err(_), value) => Value::Text(text(value)),
                };
                Entry { key: text(key), value: Node { span, value } }
            })
            .collect();
        entries.extend(more.iter().cloned());
        let parts = Parts { head: "choose", head_span: span, value: None, entries: &entries, span };
        let name = entries[0].value.clone();
        self.choose_statement(&parts, &name);
    }
}
