//! The match itself: setup, flow, stakes, clock, and expressions from outside.

use std::rc::Rc;

use intermezzo_ruleset::{Clock, Instr, KindId, Ordering, RoutineId, Stakes, Takeover, native};

use super::body::Mode;
use super::types::{RecordTy, Ty};
use super::{Checker, ExtraExpression, Extras};
use crate::diagnostic::Diagnostic;
use crate::tree::{Node, Value};

impl Checker<'_> {
    pub(crate) fn lower_stakes(&mut self) {
        let Some(node) = self.merged.last("stakes") else { return };
        self.entries(node, "`stakes`", &["currency", "entry", "pot"]);
        let currency = node
            .get("currency")
            .and_then(Node::as_text)
            .map_or("token", |text| text.value.as_str())
            .to_owned();
        let (Some(entry), Some(pot)) = (node.get("entry"), node.get("pot")) else {
            self.wrong("E-KEY", node.span, "`stakes` needs `entry` and `pot`");
            return;
        };
        let entry = self.function("stakes.entry", &[], entry, &Ty::Int);
        let pot = self.function("stakes.pot", &[], pot, &Ty::Int);
        self.program.stakes = Some(Stakes { currency, entry, pot });
    }

    /// How much time there is. Nothing of it runs in a match.
    pub(crate) fn lower_clock(&mut self) {
        let Some(node) = self.merged.last("clock") else { return };
        let known = ["bank", "increment", "grace", "takeover"];
        let mut parts = [None; 3];
        let mut takeover = None;
        for entry in self.entries(node, "`clock`", &known) {
            if entry.key.value == "takeover" {
                let named = entry.value.as_text().map(|text| text.value.as_str());
                takeover = Takeover::NAMES.iter().find(|(name, _)| Some(*name) == named).map(|known| known.1);
                if takeover.is_none() {
                    let message = "`takeover` is the bot that plays on: `random`, `greedy` or `mcts`";
                    self.wrong("E-KEY", entry.value.span, message);
                }
                continue;
            }
            let Some(at) = known.iter().position(|key| *key == entry.key.value) else { continue };
            if entry.value.as_int().is_some_and(|number| number < 0) {
                let message = format!("`{}` is a number of milliseconds, 0 or more", known[at]);
                self.wrong("E-LIMIT", entry.value.span, message);
            }
            let label = format!("clock.{}", known[at]);
            parts[at] = Some(self.function(&label, &[], &entry.value, &Ty::Int.maybe()));
        }
        let [bank, increment, grace] = parts;
        if let (None, Some(entry)) = (bank, node.entry("increment")) {
            self.wrong("E-KEY", entry.key.span, "`increment` is added to a `bank`, and there is none");
        }
        if let (None, None, Some(entry)) = (bank, grace, node.entry("takeover")) {
            let message = "`takeover` is for when a `bank` or `grace` is over, and there is neither";
            self.wrong("E-KEY", entry.key.span, message);
        }
        self.program.clock = Some(Clock { bank, increment, grace, takeover });
    }

    /// What things are worth to `you`.
    pub(crate) fn lower_worth(&mut self) {
        let Some(node) = self.merged.last("bots") else { return };
        self.entries(node, "`bots`", &["value"]);
        let Some(value) = node.get("value") else {
            self.wrong("E-KEY", node.span, "`bots` needs `value`: what things are worth to `you`");
            return;
        };
        self.program.worth = Some(self.function("bots.value", &[("you", Ty::PLAYER)], value, &Ty::Int));
    }

    pub(crate) fn lower_programs(&mut self, extras: &Extras<'_>) {
        let merged = self.merged;
        let mut setup: Vec<&Node> = merged.section("setup").map(|(node, _)| node).collect();
        setup.extend(extras.given.iter().copied());
        if !setup.is_empty() {
            self.program.setup = Some(self.lower_program("setup", &setup));
        }
        let flows: Vec<&Node> = merged.section("flow").map(|(node, _)| node).collect();
        if let [first, .., last] = flows[..] {
            self.report(
                Diagnostic::error("E-NAME", last.span, "there is already a `flow`")
                    .related(first.span, "the other one"),
            );
        }
        let flow = flows.last().copied();
        let turns = merged.last("turnStructure");
        if let (Some(_), Some(turns)) = (flow, turns) {
            self.wrong("E-KEY", turns.span, "a ruleset has `flow` or `turnStructure`, not both");
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

    fn lower_program(&mut self, name: &str, parts: &[&Node]) -> RoutineId {
        let routine = self.reserve_routine(name);
        let outer = self.begin(routine, Mode::Program);
        if name == "flow" && self.comes_to_rest() {
            // State checks and the stack: whenever a statement of the flow is done.
            self.body.settles = true;
            self.emit(Instr::Settle { drain: true });
        }
        for part in parts {
            self.sequence(part);
        }
        self.emit(Instr::Done {});
        self.finish(outer);
        routine
    }

    /// The questions by which players put reactions in order.
    pub(crate) fn lower_ordering(&mut self) {
        let Some(node) = self.merged.last("reactionOrder").filter(|_| self.is_order_chosen) else { return };
        let fields = vec![
            (self.symbol("rule"), Ty::Symbol),
            (self.symbol("source"), Ty::Entity.maybe()),
            (self.symbol("via"), Ty::Entity.maybe()),
        ];
        let rule = Ty::Record(Rc::new(RecordTy { name: None, fields }));
        let item = Ty::Kind(KindId::REACTION);
        self.program.ordering = Some(Ordering {
            first: self.order_question(node, "first", &rule, false, "Which of them comes first?"),
            all: self.order_question(node, "all", &rule, true, "In which order?"),
            items: self.order_question(node, "items", &item, true, "In which order?"),
        });
    }

    fn order_question(&mut self, node: &Node, name: &str, item: &Ty, all: bool, title: &str) -> RoutineId {
        let routine = self.reserve_routine(&format!("reactionOrder.{name}"));
        let outer = self.begin(routine, Mode::Program);
        self.place_at(node);
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
        self.ask(&question, &[], node.span);
        let value = self.name_value("order", node.span).reg;
        self.emit(Instr::Return { value });
        self.finish(outer);
        routine
    }

    /// Whether anything happens when the match comes to rest.
    pub(crate) fn comes_to_rest(&self) -> bool {
        let settled = &self.program.events[native::SETTLED.index()];
        let waits = self.program.reactions.iter().any(|reaction| reaction.item.is_some());
        !settled.after.is_empty() || !settled.before.is_empty() || waits || !self.program.actions.is_empty()
    }

    pub(crate) fn lower_expressions(&mut self, extras: &Extras<'_>) -> Vec<ExtraExpression> {
        let mut expressions = Vec::new();
        for text in &extras.expressions {
            let node = Node { span: text.span, value: Value::Text((*text).clone()) };
            let routine = self.reserve_routine("expectation");
            let outer = self.begin(routine, Mode::Pure);
            let value = self.node_value(&node);
            let value = if Self::is_listlike(&value.ty) { self.as_list(value) } else { value };
            self.emit(Instr::Return { value: value.reg });
            let ty = self.type_id(&value.ty);
            self.finish(outer);
            expressions.push(ExtraExpression { routine, ty });
        }
        expressions
    }
}
