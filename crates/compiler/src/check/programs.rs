//! Match-level code: setup, flow, stakes, clock, and expressions from outside.

use crate::grammar::sections;
use std::rc::Rc;

use intermezzo_program::{Instr, KindId, OrderingRoutines, RoutineId, Stakes, Takeover, TimeControl, native};

use super::routine_builder::CodeMode;
use super::types::{RecordTy, Ty};
use super::{Checker, ExtraExpression, Extras};
use crate::diagnostic::Diagnostic;
use crate::tree::{NodeValue, SourceNode};

impl Checker<'_> {
    pub(crate) fn lower_stakes(&mut self) {
        let Some(node) = self.merged.last("stakes") else { return };
        self.entries(node, &sections::STAKES);
        let currency = node
            .get("currency")
            .and_then(SourceNode::as_text)
            .map_or("token", |text| text.value.as_str())
            .to_owned();
        let (Some(entry), Some(pot)) = (node.get("entry"), node.get("pot")) else {
            self.report_error("E-KEY", node.span, "`stakes` needs `entry` and `pot`");
            return;
        };
        let entry = self.compile_function("stakes.entry", &[], entry, &Ty::Int);
        let pot = self.compile_function("stakes.pot", &[], pot, &Ty::Int);
        self.program.stakes = Some(Stakes { currency, entry, pot });
    }

    /// Compiles the clock. The host evaluates it; none of it runs in a match.
    pub(crate) fn lower_clock(&mut self) {
        let Some(node) = self.merged.last("clock") else { return };
        let known = ["bank", "increment", "grace"];
        let mut parts = [None; 3];
        let mut takeover = None;
        for entry in self.entries(node, &sections::CLOCK) {
            if entry.key.value == "takeover" {
                let named = entry.value.as_text().map(|text| text.value.as_str());
                takeover = Takeover::NAMES.iter().find(|(name, _)| Some(*name) == named).map(|known| known.1);
                if takeover.is_none() {
                    let message = "`takeover` is the bot that takes over: `random`, `greedy` or `mcts`";
                    self.report_error("E-KEY", entry.value.span, message);
                }
                continue;
            }
            let Some(at) = known.iter().position(|key| *key == entry.key.value) else { continue };
            if entry.value.as_int().is_some_and(|number| number < 0) {
                let message = format!("`{}` is a number of milliseconds, 0 or more", known[at]);
                self.report_error("E-LIMIT", entry.value.span, message);
            }
            let label = format!("clock.{}", known[at]);
            parts[at] = Some(self.compile_function(&label, &[], &entry.value, &Ty::Int.maybe()));
        }
        let [bank, increment, grace] = parts;
        if let (None, Some(entry)) = (bank, node.entry("increment")) {
            self.report_error("E-KEY", entry.key.span, "`increment` needs a `bank`");
        }
        if let (None, None, Some(entry)) = (bank, grace, node.entry("takeover")) {
            let message = "`takeover` needs a `bank` or `grace`";
            self.report_error("E-KEY", entry.key.span, message);
        }
        self.program.clock = Some(TimeControl { bank, increment, grace, takeover });
    }

    /// Compiles `bots.value`, the evaluation of a position for `you`.
    pub(crate) fn lower_bot_value(&mut self) {
        let Some(node) = self.merged.last("bots") else { return };
        self.entries(node, &sections::BOTS);
        let Some(value) = node.get("value") else {
            self.report_error("E-KEY", node.span, "`bots` needs `value`: how good the position is for `you`");
            return;
        };
        self.program.evaluation =
            Some(self.compile_function("bots.value", &[("you", Ty::PLAYER)], value, &Ty::Int));
    }

    pub(crate) fn lower_programs(&mut self, extras: &Extras<'_>) {
        let merged = self.merged;
        let mut setup: Vec<&SourceNode> = merged.section("setup").map(|(node, _)| node).collect();
        setup.extend(extras.given.iter().copied());
        if !setup.is_empty() {
            self.program.setup = Some(self.lower_program("setup", &setup));
        }
        let flows: Vec<&SourceNode> = merged.section("flow").map(|(node, _)| node).collect();
        if let [first, .., last] = flows[..] {
            self.report(
                Diagnostic::error("E-NAME", last.span, "there is already a `flow`")
                    .related(first.span, "the other one"),
            );
        }
        let flow = flows.last().copied();
        let turns = merged.last("turnStructure");
        if let (Some(_), Some(turns)) = (flow, turns) {
            self.report_error("E-KEY", turns.span, "a ruleset has `flow` or `turnStructure`, not both");
        }
        self.program.flow = match (flow, turns) {
            (Some(flow), _) => Some(self.lower_program("flow", &[flow])),
            (None, Some(turns)) => Some(self.lower_turns(turns)),
            (None, None) => {
                if let Some(node) = merged.last("ruleset") {
                    self.report(
                        Diagnostic::error(
                            "E-KEY",
                            node.span,
                            "there is no `flow`: nothing would happen in a match",
                        )
                        .hint("add `flow:` with the statements of a match, or `turnStructure:`"),
                    );
                }
                None
            }
        };
    }

    fn lower_program(&mut self, name: &str, parts: &[&SourceNode]) -> RoutineId {
        let routine = self.reserve_routine(name);
        let outer = self.begin_routine(routine, CodeMode::Program);
        if name == "flow" && self.needs_settling() {
            // State checks and the stack are processed after every statement of the flow.
            self.body.settles_after_statements = true;
            self.emit(Instr::Settle { drain: true });
        }
        for part in parts {
            self.sequence(part);
        }
        self.emit(Instr::Done {});
        self.finish_routine(outer);
        routine
    }

    /// Compiles the questions with which players order reactions.
    pub(crate) fn lower_order_questions(&mut self) {
        let Some(node) = self.merged.last("reactionOrder").filter(|_| self.is_order_chosen) else { return };
        let rule = self.rule_record();
        let item = Ty::Kind(KindId::REACTION);
        self.program.ordering = Some(OrderingRoutines {
            first: self.order_question(node, "first", &rule, false, "Which of them comes first?"),
            all: self.order_question(node, "all", &rule, true, "In which order?"),
            items: self.order_question(node, "items", &item, true, "In which order?"),
        });
    }

    /// Compiles the question that asks several players which secret reactions they use.
    pub(crate) fn lower_secret_question(&mut self) {
        let is_secret = |reaction: &intermezzo_program::Reaction| reaction.is_secret;
        let Some(node) = self.merged.last("ruleset") else { return };
        if !self.program.reactions.iter().any(is_secret) {
            return;
        }
        let options = Ty::list(self.rule_record());
        let routine = self.reserve_routine("secret reactions");
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.mark_location(node);
        self.add_param("asked", Ty::list(Ty::PLAYER));
        self.add_param("offers", Ty::Map(Rc::new(Ty::PLAYER), Rc::new(options)));
        let question = [
            ("choose", "reactions"),
            ("by", "asked"),
            ("how", "each"),
            ("secret", "true"),
            ("from", "offers[actor]"),
            ("min", "1"),
            ("pass", "true"),
            ("title", "Do you react?"),
        ];
        self.emit_question(&question, &[], node.span);
        let value = self.name_value("reactions", node.span).reg;
        self.emit(Instr::Return { value });
        self.finish_routine(outer);
        self.program.secret_question = Some(routine);
    }

    /// Returns the type by which players see a reaction.
    fn rule_record(&mut self) -> Ty {
        let fields = vec![
            (self.intern_symbol("rule"), Ty::Symbol),
            (self.intern_symbol("source"), Ty::Entity.maybe()),
            (self.intern_symbol("via"), Ty::Entity.maybe()),
        ];
        Ty::Record(Rc::new(RecordTy { name: None, fields }))
    }

    fn order_question(
        &mut self,
        node: &SourceNode,
        name: &str,
        item: &Ty,
        all: bool,
        title: &str,
    ) -> RoutineId {
        let routine = self.reserve_routine(&format!("reactionOrder.{name}"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.mark_location(node);
        self.add_param("player", Ty::PLAYER);
        self.add_param("options", Ty::list(item.clone()));
        let mut question = vec![
            ("choose", "order"),
            ("by", "player"),
            ("from", "options"),
            ("kind", "order_select"),
            ("ask", "always"),
            ("title", title),
        ];
        if all {
            question.push(("order", "true"));
        }
        self.emit_question(&question, &[], node.span);
        let value = self.name_value("order", node.span).reg;
        self.emit(Instr::Return { value });
        self.finish_routine(outer);
        routine
    }

    /// Returns true if settling the match can have an effect: a reaction to `Settled`, or something that may
    /// be on the stack.
    pub(crate) fn needs_settling(&self) -> bool {
        let settled = &self.program.events[native::SETTLED.index()];
        let waits = self.program.reactions.iter().any(|reaction| reaction.item.is_some());
        !settled.after.is_empty() || !settled.before.is_empty() || waits || !self.program.actions.is_empty()
    }

    pub(crate) fn lower_expressions(&mut self, extras: &Extras<'_>) -> Vec<ExtraExpression> {
        let mut expressions = Vec::new();
        for text in &extras.expressions {
            let node = SourceNode { span: text.span, value: NodeValue::Text((*text).clone()) };
            let routine = self.reserve_routine("expectation");
            let outer = self.begin_routine(routine, CodeMode::Pure);
            let value = self.node_value(&node);
            let value = if Self::is_listlike(&value.ty) { self.as_list(value) } else { value };
            self.emit(Instr::Return { value: value.reg });
            let ty = self.type_id(&value.ty);
            self.finish_routine(outer);
            expressions.push(ExtraExpression { routine, ty });
        }
        expressions
    }
}
