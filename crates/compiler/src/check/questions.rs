//! Questions that rules ask before their effects: consent, targets and costs.
//!
//! They become ordinary code of the rule: a `choose` for each question and the statements of the costs.

use crate::grammar::rules;
use intermezzo_program::{EventId, Instr};

use super::Checker;
use super::actions::ActionTarget;
use super::reactions::HostInfo;
use super::secret_reactions::is_secret;
use super::stmts::StatementParts;
use super::types::Ty;
use crate::source::Span;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// Constraints that hold for every candidate anyway: an action is offered only with targets for which its preconditions
/// hold and its costs can be paid.
const IMPLIED_CONSTRAINTS: &[&str] = &["affordable", "playable", "legal"];

/// Returns the text of a reaction's questions that have none of their own.
pub(crate) fn reaction_title(node: &SourceNode, id: &SourceText) -> String {
    node.get("name")
        .or_else(|| node.get("text"))
        .and_then(SourceNode::as_text)
        .map_or_else(|| id.value.replace('_', " "), |text| text.value.clone())
}

/// The consequence of picking no target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnEmptyPick {
    /// A target must be picked.
    Forbid,
    /// The effects run without a target.
    NoTarget,
    /// The rule is declined.
    Decline,
}

impl OnEmptyPick {
    /// Returns the mode that follows from the `optional` key of a target.
    pub(crate) fn of(target: &SourceNode) -> OnEmptyPick {
        match target.get("optional").and_then(SourceNode::as_bool) {
            Some(true) => OnEmptyPick::NoTarget,
            _ => OnEmptyPick::Forbid,
        }
    }
}

impl Checker<'_> {
    /// Emits the questions for consent and targets, the announcement after consent, and the payment of costs. A declined
    /// reaction ends here. Returns true if the code announces the reaction.
    pub(crate) fn lower_questions(
        &mut self,
        node: &SourceNode,
        host: &HostInfo,
        id: &SourceText,
        (event, before): (Option<EventId>, bool),
        is_aimed: bool,
    ) -> bool {
        let may = node.get("may").and_then(SourceNode::as_bool) == Some(true);
        let targets = node.get("targets").map(|targets| self.items(targets, "`targets`")).unwrap_or_default();
        let targets = if is_aimed { &[] } else { targets };
        if (may || !targets.is_empty()) && host.ty.is_none() {
            self.report_error("E-CHOOSE", id.span, "a rule of the game itself has no player to ask");
            return false;
        }
        let title = reaction_title(node, id);
        // The players have consented to a secret reaction before any reaction runs.
        let may = may && !is_secret(node);
        let announces = may && before && self.finds_reaction_to_reactions();
        let payments = self.reaction_payments(node, host, event);
        // A player who cannot pay is not asked. Choices that depend on targets are tested once these are known.
        let ids: Vec<&str> = targets
            .iter()
            .filter_map(|target| target.get("id")?.as_text())
            .map(|id| id.value.as_str())
            .collect();
        let mut unpayable = Vec::new();
        for choice in &payments {
            let expr = self.node_expr(&choice.from);
            if !expr.is_some_and(|expr| self.depends_on(&expr, &ids, 0)) {
                unpayable.extend(self.jump_if_too_few(choice));
            }
        }
        if may && targets.is_empty() {
            self.ask_consent(node, &title, id.span);
            self.emit_announcement(announces);
        }
        for (at, target) in targets.iter().enumerate() {
            let on_empty = match may && at == 0 {
                true => OnEmptyPick::Decline,
                false => OnEmptyPick::of(target),
            };
            self.ask_target(target, on_empty, "you", &title);
            self.emit_announcement(announces && at == 0);
        }
        for choice in &payments {
            unpayable.extend(self.jump_if_too_few(choice));
            self.ask_choice(choice, "you", &title);
        }
        self.remember_payments(&payments);
        if let Some(costs) = node.get("costs") {
            self.pay_or_end(costs);
        }
        self.settle_payments(&payments);
        if !unpayable.is_empty() {
            let payable = self.emit(Instr::Jump { to: 0 });
            self.body.patch_jumps(&unpayable);
            self.emit(Instr::Done {});
            self.body.patch_jumps(&[payable]);
        }
        announces
    }

    /// Returns true if a cost of a reaction depends on something that is chosen before it is paid.
    pub(crate) fn names_later_choice(&mut self, cost: &SourceNode, reaction: &SourceNode) -> bool {
        let lists = ["targets", "payment"].into_iter().filter_map(|key| reaction.get(key)?.as_list());
        let ids = lists.flatten().filter_map(|choice| choice.get("id")?.as_text());
        let ids: Vec<&str> = ids.map(|id| id.value.as_str()).collect();
        if ids.is_empty() {
            return false;
        }
        let Some(parts) = self.split_statement(cost) else { return false };
        let mut nodes: Vec<SourceNode> = parts.value.into_iter().cloned().collect();
        nodes.extend(parts.arguments().map(|entry| entry.value.clone()));
        let exprs: Vec<_> = nodes.iter().filter_map(|node| self.node_expr(node)).collect();
        exprs.iter().any(|expr| self.depends_on(expr, &ids, 0))
    }

    /// Remembers what was chosen to pay, before it is paid.
    pub(crate) fn remember_payments(&mut self, choices: &[ActionTarget]) {
        for choice in choices.iter().filter(|choice| choice.pays) {
            let value = self.name_value(&choice.id.value, choice.id.span).reg;
            self.emit(Instr::Remember { value, many: choice.many });
        }
    }

    /// Updates what was chosen to pay, after it was paid.
    pub(crate) fn settle_payments(&mut self, choices: &[ActionTarget]) {
        for choice in choices.iter().filter(|choice| choice.pays) {
            let value = self.name_value(&choice.id.value, choice.id.span).reg;
            self.emit(Instr::Paid { dst: value, value, many: choice.many });
        }
    }

    /// Emits the announcement of a reaction that its controller has agreed to. A prevented reaction ends there.
    fn emit_announcement(&mut self, announces: bool) {
        if announces {
            let dst = self.body.new_local(Ty::Bool);
            self.emit(Instr::AnnounceReaction { dst });
            let runs = self.emit(Instr::JumpIf { cond: dst, to: 0 });
            self.emit(Instr::Done {});
            self.body.patch_jumps(&[runs]);
        }
    }

    fn ask_consent(&mut self, node: &SourceNode, title: &str, span: Span) {
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
        self.emit_question(&question, &[], span);
        let cond = self.name_value("consent", span).reg;
        self.body.bindings.truncate(bindings);
        agreed.push(self.emit(Instr::JumpIf { cond, to: 0 }));
        self.emit(Instr::Done {});
        self.body.patch_jumps(&agreed);
    }

    /// Emits the question for a target or for a choice made to pay.
    pub(crate) fn ask_choice(&mut self, choice: &ActionTarget, by: &str, title: &str) {
        let kind = if choice.pays { Some("pay_cost") } else { None };
        self.ask_target_as(&choice.node, OnEmptyPick::of(&choice.node), by, title, kind);
    }

    /// Emits the question for one target and binds its name for the effects.
    pub(crate) fn ask_target(&mut self, target: &SourceNode, on_empty: OnEmptyPick, by: &str, title: &str) {
        self.ask_target_as(target, on_empty, by, title, None);
    }

    fn ask_target_as(
        &mut self,
        target: &SourceNode,
        on_empty: OnEmptyPick,
        by: &str,
        title: &str,
        kind: Option<&str>,
    ) {
        self.entries(target, &rules::TARGET);
        let Some(id) = target.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.report_error("E-KEY", target.span, "a target needs `id`");
            return;
        };
        let Some(from) = self.target_source(target) else { return };
        let own_title = target.get("title").and_then(SourceNode::as_text).map(|text| text.value.clone());
        let title = own_title.unwrap_or_else(|| title.to_owned());
        let mut question = vec![("choose", id.value.as_str()), ("by", by), ("title", title.as_str())];
        question.extend(kind.map(|kind| ("kind", kind)));
        if on_empty != OnEmptyPick::Forbid {
            question.extend([("min", "0"), ("max", "1"), ("ask", "always")]);
        }
        let selector = target.get("selector");
        let bound =
            |key: &&str| target.entry(key).or_else(|| selector.and_then(|selector| selector.entry(key)));
        let bounds = ["count", "min", "max"].iter().filter(|_| on_empty == OnEmptyPick::Forbid);
        let mut more: Vec<MapEntry> = bounds.filter_map(|key| bound(key).cloned()).collect();
        more.extend(["check", "divide", "blind"].iter().filter_map(|key| target.entry(key).cloned()));
        more.push(MapEntry {
            key: SourceText::verbatim("from", target.span.file, target.span.start),
            value: from,
        });
        self.emit_question(&question, &more, target.span);
        if on_empty == OnEmptyPick::Decline {
            let value = self.name_value(&id.value, id.span).reg;
            let declined = self.emit(Instr::JumpNull { value, to: 0 });
            let chosen = self.emit(Instr::Jump { to: 0 });
            self.body.patch_jumps(&[declined]);
            self.emit(Instr::Done {});
            self.body.patch_jumps(&[chosen]);
            self.body.facts.push(super::routine_builder::TypeFact { path: id.value.clone(), ty: None });
        }
    }

    /// Returns the expression a target is chosen from: its `from`, or the equivalent of its `selector`, without the
    /// candidates that its `constraints` exclude.
    pub(crate) fn target_source(&mut self, target: &SourceNode) -> Option<SourceNode> {
        let from = match (target.get("from"), target.get("selector")) {
            (Some(from), _) => from.clone(),
            (None, Some(selector)) => self.selector_source(selector)?,
            (None, None) => {
                self.report_error("E-KEY", target.span, "a target needs `from` or `selector`");
                return None;
            }
        };
        match target.get("constraints") {
            Some(constraints) => self.constrained(from, constraints),
            None => Some(from),
        }
    }

    /// Returns the candidates for which all constraints hold: tests of `it`, or names of functions of a candidate.
    fn constrained(&mut self, from: SourceNode, constraints: &SourceNode) -> Option<SourceNode> {
        let mut tests = Vec::new();
        for constraint in self.items(constraints, "`constraints`") {
            let Some(text) = self.text(constraint, "a constraint") else { continue };
            let is_function = self.symbols.functions.contains(&text.value);
            match text.value.as_str() {
                name if is_function => tests.push(format!("{name}(it)")),
                name if IMPLIED_CONSTRAINTS.contains(&name) => {}
                test => tests.push(format!("({test})")),
            }
        }
        if tests.is_empty() {
            return Some(from);
        }
        let Some(list) = from.as_text() else {
            let message = "`constraints` need candidates that are written as an expression";
            self.report_error("E-TYPE", from.span, message);
            return None;
        };
        let text = format!("({}).where({})", list.value, tests.join(" and "));
        let text = SourceText::verbatim(&text, list.span.file, list.span.start);
        Some(SourceNode { span: from.span, value: NodeValue::Text(text) })
    }

    fn selector_source(&mut self, selector: &SourceNode) -> Option<SourceNode> {
        self.selector_type(selector);
        let short = selector.as_text();
        let Some(zone) = short.or_else(|| selector.get("zone").and_then(SourceNode::as_text)) else {
            self.report_error("E-KEY", selector.span, "a selector needs `zone`: where to choose from");
            return None;
        };
        let info = self.symbols.zones.get(&zone.value)?;
        let (of_players, is_public) = (info.of == Some(intermezzo_program::KindId::PLAYER), info.public);
        let controller = match selector.get("controller") {
            Some(node) => self.word(node, "`controller`", rules::SELECTOR.words("controller")),
            // A zone by its name alone: players choose among what they can see.
            None if short.is_some() && !is_public => Some("self"),
            None => None,
        };
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
        let text = SourceText::verbatim(&text, zone.span.file, zone.span.start);
        Some(SourceNode { span: zone.span, value: NodeValue::Text(text) })
    }

    /// Emits a jump taken if a target has no candidates.
    pub(crate) fn emit_target_test(&mut self, target: &SourceNode, no: &mut Vec<usize>) {
        let Some(from) = self.target_source(target) else { return };
        let list = self.node_value(&from);
        if !Self::is_listlike(&list.ty.present()) {
            return;
        }
        let list = self.as_list(super::Val { ty: list.ty.present(), ..list });
        let count = self.body.new_temp();
        self.emit(Instr::Len { dst: count, list: list.reg });
        no.push(self.emit(Instr::SkipEqInt { a: count, value: 0, skip: 0 }));
    }

    /// Emits a jump taken if a cost cannot be paid, that is, if the `requires` of its proc does not hold.
    pub(crate) fn emit_cost_test(&mut self, cost: &SourceNode, earlier: &[SourceNode], no: &mut Vec<usize>) {
        let Some(parts) = self.split_statement(cost) else { return };
        let Some(callable) = self.symbols.procs.get(parts.head).cloned() else { return };
        let Some(requires) = callable.requires.clone() else { return };
        let bindings = self.body.bindings.len();
        let known = self.cost_lets(earlier);
        let mut bound = Vec::new();
        for (at, param) in callable.params.iter().enumerate() {
            let given = parts.get(&param.name).or(parts.value.filter(|_| at == 0));
            let expr = match given {
                Some(node) => self.cost_argument(node, &known),
                None => param.default.as_ref().map(|default| (**default).clone()),
            };
            let Some(expr) = expr else { continue };
            let reg = self.body.new_temp();
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

    /// Compiles a generated `choose` statement.
    pub(crate) fn emit_question(&mut self, keys: &[(&str, &str)], more: &[MapEntry], span: Span) {
        let text = |value: &str| SourceText::verbatim(value, span.file, span.start);
        let mut entries: Vec<MapEntry> = keys
            .iter()
            .map(|(key, value)| {
                let value = match (value.parse::<i64>(), *value) {
                    (Ok(number), _) => NodeValue::Int(number),
                    (Err(_), "true") => NodeValue::Bool(true),
                    (Err(_), value) => NodeValue::Text(text(value)),
                };
                MapEntry { key: text(key), value: SourceNode { span, value } }
            })
            .collect();
        entries.extend(more.iter().cloned());
        let parts = StatementParts { head: "choose", head_span: span, value: None, entries: &entries, span };
        let name = entries[0].value.clone();
        self.choose_statement(&parts, &name);
    }
}
