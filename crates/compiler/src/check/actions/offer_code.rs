//! Code that computes the offers of an action: its tests, its prices, and the reasons why it is not offered.

use crate::grammar::rules;
use intermezzo_program::{Instr, NULL, Price, Reg, RoutineId, TextId};

use super::super::Checker;
use super::super::routine_builder::CodeMode;
use super::super::types::Ty;
use super::MergedAction;
use crate::expr::{Expr, ExprKind};
use crate::tree::SourceNode;

/// The routines that compute the offers of one action, with the texts and prices that belong to them.
pub(super) struct OfferCode {
    pub(super) gate: Option<RoutineId>,
    pub(super) offers: RoutineId,
    pub(super) why: RoutineId,
    pub(super) reasons: Vec<TextId>,
    pub(super) pay: RoutineId,
    pub(super) prices: Vec<Price>,
}

/// The earliest point at which a test can run: the values it depends on must be known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TestLevel {
    /// Known: the player.
    Gate,
    /// Known: the player and the host.
    Host,
    /// Known as well: the targets up to and including the one with this number.
    Target(usize),
}

enum OfferCheck {
    Holds(Expr),
    /// The last of these costs, the others being those before it.
    Payable(Vec<SourceNode>),
}

/// A test of an action, with the index of the text shown when it fails.
struct OfferTest {
    check: OfferCheck,
    level: TestLevel,
    reason: usize,
}

/// The code emitted for a test that fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnFailure {
    /// The candidate is skipped.
    Skip,
    /// The reason goes into this register, unless a test further on has already failed.
    RecordReason(Reg),
}

impl Checker<'_> {
    pub(super) fn lower_offer_code(&mut self, source: &MergedAction) -> OfferCode {
        let mut reasons = Vec::new();
        let tests = self.action_tests(source, &mut reasons);
        let pay = self.lower_pay(source);
        let gate = self.lower_gate(source, &tests);
        let routine = self.reserve_routine(&source.label("offers"));
        let outer = self.begin_routine(routine, CodeMode::Pure);
        self.begin_offer_routine(source);
        let mut no = Vec::new();
        // The engine runs the gate before this routine, so tests of that level are not repeated here.
        self.emit_tests(&tests, TestLevel::Host, OnFailure::Skip, &mut no);
        self.emit_candidates(source, &tests, 0, OnFailure::Skip, &mut reasons, pay);
        self.body.patch_jumps(&no);
        self.emit(Instr::Done {});
        self.finish_routine(outer);
        let why = self.lower_why(source, &tests, &mut reasons, pay);
        let prices = self.prices(source);
        OfferCode { gate, offers: routine, why, reasons, pay, prices }
    }

    fn begin_offer_routine(&mut self, source: &MergedAction) {
        self.mark_location(&source.node);
        self.bind_action(source);
    }

    fn lower_gate(&mut self, source: &MergedAction, tests: &[OfferTest]) -> Option<RoutineId> {
        if tests.iter().all(|test| test.level != TestLevel::Gate) {
            return None;
        }
        let label = source.label("gate");
        Some(self.test_routine(&label, |checker| {
            checker.begin_offer_routine(source);
            let mut no = Vec::new();
            checker.emit_tests(tests, TestLevel::Gate, OnFailure::Skip, &mut no);
            (no, 0)
        }))
    }

    fn lower_why(
        &mut self,
        source: &MergedAction,
        tests: &[OfferTest],
        reasons: &mut Vec<TextId>,
        pay: RoutineId,
    ) -> RoutineId {
        let routine = self.reserve_routine(&source.label("why not"));
        let outer = self.begin_routine(routine, CodeMode::Pure);
        self.begin_offer_routine(source);
        let reason = self.body.new_local(Ty::Int);
        self.load(reason, -1);
        let mut no = Vec::new();
        for level in [TestLevel::Gate, TestLevel::Host] {
            self.emit_tests(tests, level, OnFailure::RecordReason(reason), &mut no);
        }
        self.emit_candidates(source, tests, 0, OnFailure::RecordReason(reason), reasons, pay);
        self.body.patch_jumps(&no);
        self.emit(Instr::Return { value: reason });
        self.finish_routine(outer);
        routine
    }

    /// Emits the tests of exactly this level. Jumps taken on failure are added to `no`.
    fn emit_tests(
        &mut self,
        tests: &[OfferTest],
        level: TestLevel,
        on_failure: OnFailure,
        no: &mut Vec<usize>,
    ) {
        for test in tests.iter().filter(|test| test.level == level) {
            let mut failed = Vec::new();
            match &test.check {
                OfferCheck::Holds(expr) => {
                    self.jump_if(expr, false, &mut failed);
                    let facts = self.facts(expr, true);
                    self.body.facts.extend(facts);
                }
                OfferCheck::Payable(costs) => {
                    if let [earlier @ .., cost] = costs.as_slice() {
                        self.emit_cost_test(cost, earlier, &mut failed);
                    }
                }
            }
            match on_failure {
                OnFailure::Skip => no.append(&mut failed),
                OnFailure::RecordReason(reason) => {
                    let fine = self.emit(Instr::Jump { to: 0 });
                    self.body.patch_jumps(&failed);
                    self.record_reason(reason, test.reason);
                    no.push(self.emit(Instr::Jump { to: 0 }));
                    self.body.patch_jumps(&[fine]);
                }
            }
        }
    }

    /// Records the reason with the highest number. Later tests are the more specific ones, so their reasons
    /// say more.
    fn record_reason(&mut self, reason: Reg, number: usize) {
        let new = self.constant(number as i64);
        self.emit(Instr::Max { dst: reason, a: reason, b: new });
    }

    /// Emits loops over the candidates of the offered target number `at` and of all targets after it.
    fn emit_candidates(
        &mut self,
        source: &MergedAction,
        tests: &[OfferTest],
        at: usize,
        on_failure: OnFailure,
        reasons: &mut Vec<TextId>,
        pay: RoutineId,
    ) {
        let Some(target) = source.targets.get(at) else {
            self.emit_offer(source, on_failure, reasons, pay);
            return;
        };
        if !target.offered {
            let mut no = Vec::new();
            // What depends on a choice that is made later cannot be counted yet.
            let later = source.targets[..at].iter().filter(|earlier| !earlier.offered);
            if !later.into_iter().any(|earlier| target.reads(&earlier.id.value)) {
                self.test_candidate_count(target, on_failure, reasons, &mut no);
            }
            let bindings = self.body.bindings.len();
            self.emit_candidates(source, tests, at + 1, on_failure, reasons, pay);
            self.body.bindings.truncate(bindings);
            self.body.patch_jumps(&no);
            return;
        }
        if let OnFailure::RecordReason(reason) = on_failure {
            let number = self.no_target_reason(target, reasons);
            self.record_reason(reason, number);
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
            checker.emit_tests(tests, TestLevel::Target(at), on_failure, &mut no);
            checker.emit_candidates(source, tests, at + 1, on_failure, reasons, pay);
            checker.body.bindings.truncate(bindings);
            checker.body.facts.truncate(facts);
            checker.body.patch_jumps(&no);
        });
    }

    /// Tests that a target which is chosen only later will have enough candidates.
    fn test_candidate_count(
        &mut self,
        target: &super::ActionTarget,
        on_failure: OnFailure,
        reasons: &mut Vec<TextId>,
        no: &mut Vec<usize>,
    ) {
        let Some(failed) = self.jump_if_too_few(target) else { return };
        let mut failed = vec![failed];
        match on_failure {
            OnFailure::Skip => no.append(&mut failed),
            OnFailure::RecordReason(reason) => {
                let fine = self.emit(Instr::Jump { to: 0 });
                self.body.patch_jumps(&failed);
                let number = self.no_target_reason(target, reasons);
                self.record_reason(reason, number);
                no.push(self.emit(Instr::Jump { to: 0 }));
                self.body.patch_jumps(&[fine]);
            }
        }
    }

    /// Emits a jump that is taken if a target has fewer candidates than must be picked. Returns `None` if it needs
    /// none.
    pub(crate) fn jump_if_too_few(&mut self, target: &super::ActionTarget) -> Option<usize> {
        if target.optional {
            return None;
        }
        let least = match (target.node.get("count"), target.node.get("min"), target.node.get("max")) {
            (Some(count), _, _) => Some(count.clone()),
            (None, Some(min), _) => Some(min.clone()),
            (None, None, Some(_)) if !target.divides => return None,
            (None, None, _) => target
                .node
                .get("selector")
                .and_then(|selector| selector.get("count").or_else(|| selector.get("min")).cloned()),
        };
        let list = self.node_value(&target.from);
        let list = super::super::Val { ty: list.ty.present(), ..list };
        if !Self::is_listlike(&list.ty) {
            return None;
        }
        let count = self.count(list).reg;
        let least = match least {
            Some(node) => self.node_as(&node, &Ty::Int),
            None => self.constant(1),
        };
        Some(self.emit(Instr::SkipLt { a: count, b: least, skip: 0 }))
    }

    fn no_target_reason(&mut self, target: &super::ActionTarget, reasons: &mut Vec<TextId>) -> usize {
        let name = target.id.value.replace('_', " ");
        self.add_reason(&format!("No valid choice for {name}"), reasons)
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

    /// Emits the offer once all targets are bound, provided that all costs together can be paid.
    fn emit_offer(
        &mut self,
        source: &MergedAction,
        on_failure: OnFailure,
        reasons: &mut Vec<TextId>,
        pay: RoutineId,
    ) {
        let mut no = Vec::new();
        if self.testable_cost_count(source.part("costs")) > 1 && !self.has_late_costs(source) {
            let params = source.params();
            let args = self.body.new_temps(1 + params.len() as u16);
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
            let dst = self.body.new_temp();
            self.emit(Instr::Afford { dst, routine: pay, args });
            let failed = self.emit(Instr::JumpUnless { cond: dst, to: 0 });
            match on_failure {
                OnFailure::Skip => no.push(failed),
                OnFailure::RecordReason(reason) => {
                    let fine = self.emit(Instr::Jump { to: 0 });
                    self.body.patch_jumps(&[failed]);
                    let number = self.add_reason("The costs together are too high", reasons);
                    self.record_reason(reason, number);
                    no.push(self.emit(Instr::Jump { to: 0 }));
                    self.body.patch_jumps(&[fine]);
                }
            }
        }
        if let OnFailure::RecordReason(_) = on_failure {
            let value = self.constant(NULL);
            self.emit(Instr::Return { value });
            self.body.patch_jumps(&no);
            return;
        }
        let offered: Vec<&super::ActionTarget> =
            source.targets.iter().filter(|target| target.offered).collect();
        let params = self.body.new_temps(offered.len() as u16);
        for (at, target) in offered.iter().enumerate() {
            let src = self.name_value(&target.id.value, target.id.span).reg;
            self.emit(Instr::Copy { dst: params.offset(at as u16), src });
        }
        self.emit(Instr::Offer { action: source.number, params });
        self.body.patch_jumps(&no);
    }

    // --- tests -----------------------------------------------------------------------

    fn action_tests(&mut self, source: &MergedAction, reasons: &mut Vec<TextId>) -> Vec<OfferTest> {
        let mut tests = Vec::new();
        for node in source.part("preconditions") {
            let (test, own) = match (node.get("if"), node.get("op")) {
                (Some(test), None) => {
                    self.entries(node, &rules::PRECONDITION);
                    (test, node.get("else").and_then(SourceNode::as_text).map(|text| text.value.clone()))
                }
                _ => (node, None),
            };
            let Some(expr) = self.node_expr(test) else { continue };
            let reason = own.or_else(|| self.function_reason(&expr));
            let reason = reason.unwrap_or_else(|| format!("Not now: {}", self.source_text(test)));
            let reason = self.add_reason(&reason, reasons);
            let Some(level) = self.level_of(source, std::slice::from_ref(&expr)) else { continue };
            tests.push(OfferTest { check: OfferCheck::Holds(expr), level, reason });
        }
        let costs = source.part("costs");
        for (at, cost) in costs.iter().enumerate() {
            let Some(parts) = self.split_statement(cost) else { continue };
            let Some(callable) = self.symbols.procs.get(parts.head).cloned() else { continue };
            if callable.requires.is_none() {
                continue;
            }
            let known = self.cost_lets(&costs[..at]);
            let mut exprs: Vec<Expr> =
                parts.value.into_iter().filter_map(|node| self.cost_argument(node, &known)).collect();
            let arguments: Vec<SourceNode> = parts.arguments().map(|entry| entry.value.clone()).collect();
            exprs.extend(arguments.iter().filter_map(|node| self.cost_argument(node, &known)));
            let named = callable
                .failure_text
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
            let reason = self.add_reason(&fill_placeholders(&named, &bound), reasons);
            // Costs that depend on a later choice are tested once that choice is made.
            if self.depends_on_later(source, &exprs) {
                continue;
            }
            let Some(level) = self.level_of(source, &exprs) else { continue };
            tests.push(OfferTest { check: OfferCheck::Payable(costs[..=at].to_vec()), level, reason });
        }
        tests
    }

    fn depends_on_later(&mut self, source: &MergedAction, exprs: &[Expr]) -> bool {
        let later: Vec<&str> = source
            .targets
            .iter()
            .filter(|target| !target.offered)
            .map(|target| target.id.value.as_str())
            .collect();
        !later.is_empty() && exprs.iter().any(|expr| self.depends_on(expr, &later, 0))
    }

    /// Returns true if some cost depends on a target that is chosen only when the action is taken.
    pub(super) fn has_late_costs(&mut self, source: &MergedAction) -> bool {
        let costs = source.part("costs");
        costs.iter().enumerate().any(|(at, cost)| {
            let Some(parts) = self.split_statement(cost) else { return false };
            let known = self.cost_lets(&costs[..at]);
            let mut nodes: Vec<SourceNode> = parts.value.into_iter().cloned().collect();
            nodes.extend(parts.arguments().map(|entry| entry.value.clone()));
            let exprs: Vec<Expr> = nodes.iter().filter_map(|node| self.cost_argument(node, &known)).collect();
            self.depends_on_later(source, &exprs)
        })
    }

    /// Returns the level at which these expressions can be evaluated. Reports an error and returns `None` if
    /// they depend on a target that is chosen only when the action is taken.
    fn level_of(&mut self, source: &MergedAction, exprs: &[Expr]) -> Option<TestLevel> {
        let mut level = TestLevel::Gate;
        for expr in exprs {
            if self.depends_on(expr, &["self", "trait"], 0) {
                level = level.max(if source.ty.is_some() { TestLevel::Host } else { TestLevel::Target(0) });
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
                            .hint("exclude unsuitable candidates in its `from`"),
                    );
                    return None;
                }
                level = level.max(TestLevel::Target(at));
            }
        }
        // Without targets nothing can be bound to `self`, so the test needs only the player.
        if let (TestLevel::Target(0), true) = (level, source.targets.is_empty()) {
            return Some(TestLevel::Gate);
        }
        Some(level)
    }

    /// Returns the `else` text of the function an expression calls, with its arguments filled in.
    fn function_reason(&mut self, expr: &Expr) -> Option<String> {
        let ExprKind::Call { name, args } = &expr.kind else { return None };
        let callable = self.symbols.functions.get(&name.text)?.clone();
        let text = callable.failure_text?;
        let bound: Vec<(String, String)> = callable
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| (param.name.clone(), self.span_text(arg.body.span)))
            .collect();
        Some(fill_placeholders(&text, &bound))
    }

    fn source_text(&self, node: &SourceNode) -> String {
        match node.as_text() {
            Some(text) => text.value.clone(),
            None => match node.get("ref").and_then(SourceNode::as_text) {
                Some(path) => path.value.clone(),
                None => match node.get("op").and_then(SourceNode::as_text) {
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

    /// Compiles the costs together with their tests. The routine is used for affordability checks and for
    /// abilities.
    fn lower_pay(&mut self, source: &MergedAction) -> RoutineId {
        let routine = self.reserve_routine(&source.label("pay"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.begin_action_routine(source);
        let mut no = Vec::new();
        self.test_and_pay(source.part("costs"), &mut no);
        for option in source.part("optional") {
            let Some(id) = option.get("id").and_then(SourceNode::as_text) else { continue };
            let cond = self.name_value(&id.value, id.span).reg;
            let unwanted = self.emit(Instr::JumpUnless { cond, to: 0 });
            let costs = option.get("costs").and_then(SourceNode::as_list).unwrap_or_default();
            self.test_and_pay(costs, &mut no);
            self.body.patch_jumps(&[unwanted]);
        }
        self.emit(Instr::Done {});
        if !no.is_empty() {
            self.body.patch_jumps(&no);
            self.emit(Instr::Fail { code: intermezzo_program::FaultCode::Unaffordable });
        }
        self.finish_routine(outer);
        routine
    }

    /// Compiles the costs for display: the procs they call and their arguments.
    fn prices(&mut self, source: &MergedAction) -> Vec<Price> {
        let mut prices = Vec::new();
        let costs = source.part("costs");
        for (number, cost) in costs.iter().enumerate() {
            let Some(parts) = self.split_statement(cost) else { continue };
            let Some(callable) = self.symbols.procs.get(parts.head).cloned() else { continue };
            let known = self.cost_lets(&costs[..number]);
            let mut args = Vec::new();
            for (at, param) in callable.params.iter().enumerate() {
                let given = parts.get(&param.name).or(parts.value.filter(|_| at == 0));
                let Some(expr) = given.and_then(|node| self.cost_argument(node, &known)) else { continue };
                let late: Vec<&str> = source
                    .targets
                    .iter()
                    .filter(|target| !target.offered)
                    .map(|target| target.id.value.as_str())
                    .collect();
                if self.depends_on(&expr, &late, 0) && !late.is_empty() {
                    continue;
                }
                let label = source.label("price");
                let routine = self.reserve_routine(&label);
                let outer = self.begin_routine(routine, CodeMode::Pure);
                self.bind_action(source);
                for (at, target) in source.targets.iter().filter(|target| target.offered).enumerate() {
                    let reg = self.add_param(&target.id.value, target.ty.clone());
                    if at == 0 {
                        self.bind_target(source, target, reg, true);
                    }
                }
                let value = self.value_as(&expr, &param.ty);
                self.emit(Instr::Return { value });
                self.finish_routine(outer);
                let name = self.intern_symbol(&param.name);
                args.push((name, routine, self.type_id(&param.ty)));
            }
            prices.push(Price { name: self.intern_symbol(parts.head), args });
        }
        prices
    }
}

/// Replaces the `{name}` placeholders of a text.
fn fill_placeholders(text: &str, values: &[(String, String)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
