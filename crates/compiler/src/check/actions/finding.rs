//! Which offers an action makes, at what price, and why it makes none.

use intermezzo_ruleset::{Instr, NULL, Price, Reg, RoutineId, TextId};

use super::super::Checker;
use super::super::body::Mode;
use super::super::types::Ty;
use super::Source;
use crate::expr::{Expr, ExprKind};
use crate::tree::Node;

/// The routines that find offers.
pub(super) struct Finding {
    pub(super) gate: Option<RoutineId>,
    pub(super) offers: RoutineId,
    pub(super) why: RoutineId,
    pub(super) reasons: Vec<TextId>,
    pub(super) pay: RoutineId,
    pub(super) prices: Vec<Price>,
}

/// What has to be known before a test can be made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// The player.
    Gate,
    /// The host.
    Host,
    /// The target with that number.
    Target(usize),
}

enum Check {
    Holds(Expr),
    Payable(Node),
}

/// One test, with what people read if it fails.
struct Test {
    check: Check,
    level: Level,
    reason: usize,
}

/// How tests that fail are dealt with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Make offers.
    Offers,
    /// Keep the reason that comes furthest, in this register.
    Why(Reg),
}

impl Checker<'_> {
    pub(super) fn lower_finding(&mut self, source: &Source) -> Finding {
        let mut reasons = Vec::new();
        let tests = self.action_tests(source, &mut reasons);
        let pay = self.lower_pay(source);
        let gate = self.lower_gate(source, &tests);
        let routine = self.reserve_routine(&source.label("offers"));
        let outer = self.begin(routine, Mode::Pure);
        self.begin_finding(source);
        let mut no = Vec::new();
        // Abilities are never looked for by the gate alone.
        self.fail_at(&tests, Level::Host, Asked::Offers, &mut no);
        self.offer_level(source, &tests, 0, Asked::Offers, &mut reasons, pay);
        self.body.land(&no);
        self.emit(Instr::Done {});
        self.finish(outer);
        let why = self.lower_why(source, &tests, &mut reasons, pay);
        let prices = self.prices(source);
        Finding { gate, offers: routine, why, reasons, pay, prices }
    }

    fn begin_finding(&mut self, source: &Source) {
        self.place_at(&source.node);
        self.bind_action(source);
    }

    fn lower_gate(&mut self, source: &Source, tests: &[Test]) -> Option<RoutineId> {
        if tests.iter().all(|test| test.level != Level::Gate) {
            return None;
        }
        let label = source.label("gate");
        Some(self.test_routine(&label, |checker| {
            checker.begin_finding(source);
            let mut no = Vec::new();
            checker.fail_at(tests, Level::Gate, Asked::Offers, &mut no);
            (no, 0)
        }))
    }

    fn lower_why(
        &mut self,
        source: &Source,
        tests: &[Test],
        reasons: &mut Vec<TextId>,
        pay: RoutineId,
    ) -> RoutineId {
        let routine = self.reserve_routine(&source.label("why not"));
        let outer = self.begin(routine, Mode::Pure);
        self.begin_finding(source);
        let reason = self.body.local(Ty::Int);
        self.load(reason, -1);
        let mut no = Vec::new();
        for level in [Level::Gate, Level::Host] {
            self.fail_at(tests, level, Asked::Why(reason), &mut no);
        }
        self.offer_level(source, tests, 0, Asked::Why(reason), reasons, pay);
        self.body.land(&no);
        self.emit(Instr::Return { value: reason });
        self.finish(outer);
        routine
    }

    /// Tests that need no more than `level`; failing, they jump.
    fn fail_at(&mut self, tests: &[Test], level: Level, asked: Asked, no: &mut Vec<usize>) {
        for test in tests.iter().filter(|test| test.level == level) {
            let mut failed = Vec::new();
            match &test.check {
                Check::Holds(expr) => {
                    self.jump_if(expr, false, &mut failed);
                    let facts = self.facts(expr, true);
                    self.body.facts.extend(facts);
                }
                Check::Payable(cost) => self.cost_test(cost, &mut failed),
            }
            match asked {
                Asked::Offers => no.append(&mut failed),
                Asked::Why(reason) => {
                    let fine = self.emit(Instr::Jump { to: 0 });
                    self.body.land(&failed);
                    self.keep_reason(reason, test.reason);
                    no.push(self.emit(Instr::Jump { to: 0 }));
                    self.body.land(&[fine]);
                }
            }
        }
    }

    /// The reason that comes last in the order of tests is the most telling one.
    fn keep_reason(&mut self, reason: Reg, number: usize) {
        let new = self.constant(number as i64);
        self.emit(Instr::Max { dst: reason, a: reason, b: new });
    }

    /// Goes through the candidates of the offered target number `at` and of those after it.
    fn offer_level(
        &mut self,
        source: &Source,
        tests: &[Test],
        at: usize,
        asked: Asked,
        reasons: &mut Vec<TextId>,
        pay: RoutineId,
    ) {
        let Some(target) = source.targets.get(at) else {
            self.make_offer(source, asked, reasons, pay);
            return;
        };
        if !target.offered {
            let mut no = Vec::new();
            self.enough_candidates(target, asked, reasons, &mut no);
            let bindings = self.body.bindings.len();
            self.offer_level(source, tests, at + 1, asked, reasons, pay);
            self.body.bindings.truncate(bindings);
            self.body.land(&no);
            return;
        }
        if let Asked::Why(reason) = asked {
            let number = self.no_target_reason(target, reasons);
            self.keep_reason(reason, number);
        }
        let list = self.node_value(&target.from);
        let list = super::super::Val { ty: list.ty.present(), ..list };
        if !Self::is_listlike(&list.ty) {
            return;
        }
        let (bindings, facts) = (self.body.bindings.len(), self.body.facts.len());
        self.for_items(list, |checker, item, _| {
            let mut no = Vec::new();
            checker.bind_target(source, target, item.reg, at == 0);
            checker.fail_at(tests, Level::Target(at), asked, &mut no);
            checker.offer_level(source, tests, at + 1, asked, reasons, pay);
            checker.body.bindings.truncate(bindings);
            checker.body.facts.truncate(facts);
            checker.body.land(&no);
        });
    }

    /// For a target that is asked for later: that there are enough to choose from.
    fn enough_candidates(
        &mut self,
        target: &super::Target,
        asked: Asked,
        reasons: &mut Vec<TextId>,
        no: &mut Vec<usize>,
    ) {
        if target.optional {
            return;
        }
        let least = match (target.node.get("count"), target.node.get("min"), target.node.get("max")) {
            (Some(count), _, _) => Some(count.clone()),
            (None, Some(min), _) => Some(min.clone()),
            (None, None, Some(_)) => return,
            (None, None, None) => target
                .node
                .get("selector")
                .and_then(|selector| selector.get("count").or_else(|| selector.get("min")).cloned()),
        };
        let list = self.node_value(&target.from);
        let list = super::super::Val { ty: list.ty.present(), ..list };
        if !Self::is_listlike(&list.ty) {
            return;
        }
        let count = self.count(list).reg;
        let least = match least {
            Some(node) => self.node_as(&node, &Ty::Int),
            None => self.constant(1),
        };
        let mut failed = vec![self.emit(Instr::SkipLt { a: count, b: least, skip: 0 })];
        match asked {
            Asked::Offers => no.append(&mut failed),
            Asked::Why(reason) => {
                let fine = self.emit(Instr::Jump { to: 0 });
                self.body.land(&failed);
                let number = self.no_target_reason(target, reasons);
                self.keep_reason(reason, number);
                no.push(self.emit(Instr::Jump { to: 0 }));
                self.body.land(&[fine]);
            }
        }
    }

    fn no_target_reason(&mut self, target: &super::Target, reasons: &mut Vec<TextId>) -> usize {
        let name = target.id.value.replace('_', " ");
        self.add_reason(&format!("There is nothing to choose as {name}"), reasons)
    }

    fn add_reason(&mut self, text: &str, reasons: &mut Vec<TextId>) -> usize {
        let text = self.intern_text(text);
        match reasons.iter().position(|known| *known == text) {
            Some(at) => at,
            None => {
                reasons.push(text);
                reasons.len() - 1
            }
        }
    }

    /// Everything is chosen: the offer is made, if all costs can be paid together.
    fn make_offer(&mut self, source: &Source, asked: Asked, reasons: &mut Vec<TextId>, pay: RoutineId) {
        let mut no = Vec::new();
        if self.tested_costs(source) > 1 && !self.has_late_costs(source) {
            let params = source.params();
            let args = self.body.temps(1 + params.len() as u16);
            self.load(args, NULL);
            for (at, (name, _)) in params.iter().enumerate() {
                let dst = args.offset(1 + at as u16);
                match source.targets.get(at).filter(|target| target.offered) {
                    Some(_) => {
                        let src = self.name_value(name, source.id.span).reg;
                        self.emit(Instr::Copy { dst, src });
                    }
                    None => self.load(dst, NULL),
                }
            }
            let dst = self.body.temp();
            self.emit(Instr::Afford { dst, routine: pay, args });
            let failed = self.emit(Instr::JumpUnless { cond: dst, to: 0 });
            match asked {
                Asked::Offers => no.push(failed),
                Asked::Why(reason) => {
                    let fine = self.emit(Instr::Jump { to: 0 });
                    self.body.land(&[failed]);
                    let number = self.add_reason("The costs together are too high", reasons);
                    self.keep_reason(reason, number);
                    no.push(self.emit(Instr::Jump { to: 0 }));
                    self.body.land(&[fine]);
                }
            }
        }
        if let Asked::Why(_) = asked {
            let value = self.constant(NULL);
            self.emit(Instr::Return { value });
            self.body.land(&no);
            return;
        }
        let offered: Vec<&super::Target> = source.targets.iter().filter(|target| target.offered).collect();
        let params = self.body.temps(offered.len() as u16);
        for (at, target) in offered.iter().enumerate() {
            let src = self.name_value(&target.id.value, target.id.span).reg;
            self.emit(Instr::Copy { dst: params.offset(at as u16), src });
        }
        self.emit(Instr::Offer { action: source.number, params });
        self.body.land(&no);
    }

    // --- tests -----------------------------------------------------------------------

    fn action_tests(&mut self, source: &Source, reasons: &mut Vec<TextId>) -> Vec<Test> {
        let mut tests = Vec::new();
        for node in source.part("preconditions") {
            let (test, own) = match (node.get("if"), node.get("op")) {
                (Some(test), None) => {
                    self.entries(node, "a precondition", &["if", "else"]);
                    (test, node.get("else").and_then(Node::as_text).map(|text| text.value.clone()))
                }
                _ => (node, None),
            };
            let Some(expr) = self.node_expr(test) else { continue };
            let reason = own.or_else(|| self.function_reason(&expr));
            let reason = reason.unwrap_or_else(|| format!("Not now: {}", self.source_text(test)));
            let reason = self.add_reason(&reason, reasons);
            let Some(level) = self.level_of(source, std::slice::from_ref(&expr)) else { continue };
            tests.push(Test { check: Check::Holds(expr), level, reason });
        }
        for cost in source.part("costs") {
            let Some(parts) = self.take_apart(cost) else { continue };
            let Some(callable) = self.world.procs.get(parts.head).cloned() else { continue };
            if callable.requires.is_none() {
                continue;
            }
            let mut exprs: Vec<Expr> =
                parts.value.into_iter().filter_map(|node| self.node_expr(node)).collect();
            let arguments: Vec<Node> = parts.arguments().map(|entry| entry.value.clone()).collect();
            exprs.extend(arguments.iter().filter_map(|node| self.node_expr(node)));
            let named = callable
                .otherwise
                .clone()
                .unwrap_or_else(|| format!("Cannot {}", parts.head.replace('_', " ")));
            let bound: Vec<(String, String)> = callable
                .params
                .iter()
                .enumerate()
                .filter_map(|(at, param)| {
                    let given = parts.get(&param.name).or(parts.value.filter(|_| at == 0))?;
                    Some((param.name.clone(), self.source_text(given)))
                })
                .collect();
            let reason = self.add_reason(&filled(&named, &bound), reasons);
            // What depends on a later choice is looked at when that is made.
            if self.depends_on_later(source, &exprs) {
                continue;
            }
            let Some(level) = self.level_of(source, &exprs) else { continue };
            tests.push(Test { check: Check::Payable(cost.clone()), level, reason });
        }
        tests
    }

    /// How many costs may turn out to be too high.
    fn tested_costs(&mut self, source: &Source) -> usize {
        let heads: Vec<String> = source
            .part("costs")
            .iter()
            .filter_map(|cost| self.take_apart(cost).map(|parts| parts.head.to_owned()))
            .collect();
        heads
            .iter()
            .filter(|head| self.world.procs.get(head).is_some_and(|proc| proc.requires.is_some()))
            .count()
    }

    fn depends_on_later(&mut self, source: &Source, exprs: &[Expr]) -> bool {
        let later: Vec<&str> = source
            .targets
            .iter()
            .filter(|target| !target.offered)
            .map(|target| target.id.value.as_str())
            .collect();
        !later.is_empty() && exprs.iter().any(|expr| self.depends_on(expr, &later, 0))
    }

    /// Whether some cost depends on what is chosen when the action is taken.
    pub(super) fn has_late_costs(&mut self, source: &Source) -> bool {
        source.part("costs").iter().any(|cost| {
            let Some(parts) = self.take_apart(cost) else { return false };
            let mut nodes: Vec<Node> = parts.value.into_iter().cloned().collect();
            nodes.extend(parts.arguments().map(|entry| entry.value.clone()));
            let exprs: Vec<Expr> = nodes.iter().filter_map(|node| self.node_expr(node)).collect();
            self.depends_on_later(source, &exprs)
        })
    }

    /// What has to be known for these expressions; nothing if they are about what is asked for later.
    fn level_of(&mut self, source: &Source, exprs: &[Expr]) -> Option<Level> {
        let mut level = Level::Gate;
        for expr in exprs {
            if self.depends_on(expr, &["self", "trait"], 0) {
                level = level.max(if source.ty.is_some() { Level::Host } else { Level::Target(0) });
            }
            for (at, target) in source.targets.iter().enumerate() {
                if !self.depends_on(expr, &[target.id.value.as_str()], 0) {
                    continue;
                }
                if !target.offered {
                    let message = format!(
                        "`{}` is only chosen when the action is taken, so nothing can depend on it here",
                        target.id.value
                    );
                    self.report(
                        crate::diagnostic::Diagnostic::error("E-NAME", expr.span, message)
                            .hint("let its `from` leave out what will not do"),
                    );
                    return None;
                }
                level = level.max(Level::Target(at));
            }
        }
        // Without a target there is nothing that could be `self`.
        if let (Level::Target(0), true) = (level, source.targets.is_empty()) {
            return Some(Level::Gate);
        }
        Some(level)
    }

    /// What a function says for the case that it does not hold.
    fn function_reason(&mut self, expr: &Expr) -> Option<String> {
        let ExprKind::Call { name, args } = &expr.kind else { return None };
        let callable = self.world.functions.get(&name.text)?.clone();
        let text = callable.otherwise?;
        let bound: Vec<(String, String)> = callable
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| (param.name.clone(), self.span_text(arg.body.span)))
            .collect();
        Some(filled(&text, &bound))
    }

    fn source_text(&self, node: &Node) -> String {
        match node.as_text() {
            Some(text) => text.value.clone(),
            None => match node.get("ref").and_then(Node::as_text) {
                Some(path) => path.value.clone(),
                None => match node.get("op").and_then(Node::as_text) {
                    Some(op) => op.value.replace('_', " "),
                    None => node.to_json().to_string(),
                },
            },
        }
    }

    fn span_text(&self, span: crate::source::Span) -> String {
        self.sources
            .text(span.file)
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
            .trim_matches('"')
            .to_owned()
    }

    // --- paying ----------------------------------------------------------------------

    /// The costs with their tests, for trying out and for abilities.
    fn lower_pay(&mut self, source: &Source) -> RoutineId {
        let routine = self.reserve_routine(&source.label("pay"));
        let outer = self.begin(routine, Mode::Program);
        self.begin_performing(source);
        let mut no = Vec::new();
        self.test_and_pay(source.part("costs"), &mut no);
        for option in source.part("optional") {
            let Some(id) = option.get("id").and_then(Node::as_text) else { continue };
            let cond = self.name_value(&id.value, id.span).reg;
            let unwanted = self.emit(Instr::JumpUnless { cond, to: 0 });
            let costs = option.get("costs").and_then(Node::as_list).unwrap_or_default();
            self.test_and_pay(costs, &mut no);
            self.body.land(&[unwanted]);
        }
        self.emit(Instr::Done {});
        if !no.is_empty() {
            self.body.land(&no);
            self.emit(Instr::Fail { code: intermezzo_ruleset::FaultCode::Unaffordable });
        }
        self.finish(outer);
        routine
    }

    fn test_and_pay(&mut self, costs: &[Node], no: &mut Vec<usize>) {
        for cost in costs {
            let mark = self.body.mark_temps();
            self.cost_test(cost, no);
            self.body.release_temps(mark);
            self.block(cost);
        }
    }

    /// What the action costs, for people: procs with their arguments.
    fn prices(&mut self, source: &Source) -> Vec<Price> {
        let mut prices = Vec::new();
        for cost in source.part("costs") {
            let Some(parts) = self.take_apart(cost) else { continue };
            let Some(callable) = self.world.procs.get(parts.head).cloned() else { continue };
            let mut args = Vec::new();
            for (at, param) in callable.params.iter().enumerate() {
                let given = parts.get(&param.name).or(parts.value.filter(|_| at == 0));
                let Some(expr) = given.and_then(|node| self.node_expr(node)) else { continue };
                let asked: Vec<&str> = source
                    .targets
                    .iter()
                    .filter(|target| !target.offered)
                    .map(|target| target.id.value.as_str())
                    .collect();
                if self.depends_on(&expr, &asked, 0) && !asked.is_empty() {
                    continue;
                }
                let label = source.label("price");
                let routine = self.reserve_routine(&label);
                let outer = self.begin(routine, Mode::Pure);
                self.bind_action(source);
                for (at, target) in source.targets.iter().filter(|target| target.offered).enumerate() {
                    let reg = self.add_param(&target.id.value, target.ty.clone());
                    if at == 0 {
                        self.bind_target(source, target, reg, true);
                    }
                }
                let value = self.value_as(&expr, &param.ty);
                self.emit(Instr::Return { value });
                self.finish(outer);
                let name = self.symbol(&param.name);
                args.push((name, routine, self.type_id(&param.ty)));
            }
            prices.push(Price { name: self.symbol(parts.head), args });
        }
        prices
    }
}

/// A text with its `{places}` filled in.
fn filled(text: &str, values: &[(String, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
