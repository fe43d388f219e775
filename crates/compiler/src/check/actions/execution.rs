//! Execution of an action: choosing the remaining targets, announcing, paying, and the effects when it
//! resolves.

use intermezzo_program::{ActionTiming, CoverageKind, FaultCode, Instr, NULL, Reg, RoutineId, Word, native};

use super::super::Checker;
use super::super::Val;
use super::super::questions::OnEmptyPick;
use super::super::routine_builder::CodeMode;
use super::super::types::Ty;
use super::{ActionTarget, MergedAction};
use crate::tree::SourceNode;

/// The routines that execute one action.
pub(super) struct ExecutionCode {
    pub(super) take: RoutineId,
    pub(super) recheck: Option<RoutineId>,
    pub(super) perform: RoutineId,
    pub(super) finally: Option<RoutineId>,
    pub(super) refund: Option<RoutineId>,
}

impl Checker<'_> {
    pub(super) fn lower_execution(
        &mut self,
        source: &MergedAction,
        timing: ActionTiming,
        pay: RoutineId,
    ) -> ExecutionCode {
        let perform = self.lower_perform(source);
        let take = match timing {
            ActionTiming::Called => self.lower_call(source),
            _ => self.lower_take(source, timing, pay),
        };
        let aimed = source.targets.iter().any(|target| target.recheck);
        let wanted = source.node.get("recheck").is_none_or(|node| self.flag(node, "`recheck`"));
        let recheck = (aimed && wanted && timing == ActionTiming::Stack).then(|| self.lower_recheck(source));
        let finally = source.node.get("finally").map(|finally| {
            let routine = self.reserve_routine(&source.label("finally"));
            let outer = self.begin_routine(routine, CodeMode::Program);
            self.begin_action_routine(source);
            self.block(finally);
            self.emit(Instr::Done {});
            self.finish_routine(outer);
            routine
        });
        let refund = (!source.refunds.is_empty()).then(|| self.lower_refund(source));
        ExecutionCode { take, recheck, perform, finally, refund }
    }

    /// Binds the stack item and all parameters.
    pub(super) fn begin_action_routine(&mut self, source: &MergedAction) {
        self.mark_location(&source.node);
        self.bind_action(source);
        self.add_param("item", Ty::Kind(source.kind).maybe());
        let mut first = None;
        for (at, (name, ty)) in source.params().into_iter().enumerate() {
            let reg = self.add_param(&name, ty);
            if at == 0 {
                first = Some(reg);
            }
        }
        self.bind_first_target_as_self(source, first);
    }

    /// Binds `self` to the first target of an action of the game itself, and copies it into the register that
    /// procs read.
    fn bind_first_target_as_self(&mut self, source: &MergedAction, reg: Option<Reg>) {
        let first = source.targets.first().filter(|target| !target.pays);
        let (Some(reg), Some(target)) = (reg, first) else { return };
        if source.ty.is_none() && target.ty.is_entity() {
            self.body.bind("self", reg, target.ty.clone());
            self.emit(Instr::Copy { dst: Reg::SELF, src: reg });
        }
    }

    fn lower_perform(&mut self, source: &MergedAction) -> RoutineId {
        let routine = self.reserve_routine(&source.label(""));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.begin_action_routine(source);
        if source.is_ability {
            self.emit_rule_coverage(CoverageKind::Ability, &source.id.value, source.id.span);
            // Nothing else asks for the targets of an ability: its caller names only the ability.
            for target in &source.targets {
                self.ask_target(&target.node, OnEmptyPick::of(&target.node), "actor", &source.title);
            }
        }
        match source.node.get("effects") {
            Some(effects) => {
                self.block(effects);
            }
            None => {
                self.report_error("E-KEY", source.node.span, "an action needs `effects`");
            }
        }
        self.emit(Instr::Done {});
        self.finish_routine(outer);
        routine
    }

    fn lower_take(&mut self, source: &MergedAction, timing: ActionTiming, pay: RoutineId) -> RoutineId {
        let routine = self.reserve_routine(&source.label("take"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.mark_location(&source.node);
        self.bind_action(source);
        for (at, target) in source.targets.iter().filter(|target| target.offered).enumerate() {
            let reg = self.add_param(&target.id.value, target.ty.clone());
            if at == 0 {
                self.bind_first_target_as_self(source, Some(reg));
            }
        }
        for target in source.targets.iter().filter(|target| !target.offered) {
            self.ask_choice(target, "actor", &source.title);
        }
        if self.has_late_costs(source) {
            self.exit_if_unaffordable(source, pay);
        }
        self.ask_optional_costs(source, pay);
        let announced = self.announce_and_pay(source);
        self.emit_rule_coverage(CoverageKind::Action, &source.id.value, source.id.span);
        let params = self.copy_params(source);
        let action = source.number;
        let is_instant = timing == ActionTiming::Instant;
        if !is_instant {
            self.emit(Instr::Stack { action, params });
        }
        if !self.program.events[native::ANNOUNCED.index()].after.is_empty() {
            self.emit(Instr::Announced { event: announced, action });
        }
        if is_instant {
            self.emit(Instr::Perform { action, params });
        }
        let ends = std::mem::take(&mut self.body.early_exits);
        self.body.patch_jumps(&ends);
        self.emit(Instr::Done {});
        self.finish_routine(outer);
        routine
    }

    /// Compiles the use of an ability by a rule: the payment of its costs, then its effects. If one of the costs is
    /// prevented, there are no effects.
    fn lower_call(&mut self, source: &MergedAction) -> RoutineId {
        let routine = self.reserve_routine(&source.label("call"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.begin_action_routine(source);
        let (mut no, mut unpaid) = (Vec::new(), Vec::new());
        let costs = source.part("costs");
        let are_grouped = costs.iter().all(|cost| self.can_be_group(cost));
        if are_grouped && !costs.is_empty() {
            unpaid.push(self.emit_payment(|checker| checker.test_and_pay(costs, &mut no)));
        } else {
            self.test_and_pay(costs, &mut no);
        }
        let args = self.body.new_temps(3);
        let name = self.intern_symbol(&source.id.value);
        self.load(args, Word::from(name.0));
        self.emit(Instr::Copy { dst: args.offset(1), src: Reg::SELF });
        self.emit(Instr::Copy { dst: args.offset(2), src: Reg::ACTOR });
        self.emit(Instr::Invoke { args, pays: false, acts: true });
        self.body.patch_jumps(&unpaid);
        self.emit(Instr::Done {});
        if !no.is_empty() {
            self.body.patch_jumps(&no);
            self.emit(Instr::Fail { code: FaultCode::Unaffordable });
        }
        self.finish_routine(outer);
        routine
    }

    /// Emits code that ends the routine if costs that depend on the targets just chosen cannot be paid.
    fn exit_if_unaffordable(&mut self, source: &MergedAction, pay: RoutineId) {
        let too_dear = self.jump_if_unaffordable(source, pay, None);
        self.body.early_exits.push(too_dear);
    }

    /// Emits a jump that is taken if the costs cannot be paid: the mandatory ones, the optional ones already
    /// accepted, and the optional one with this number.
    fn jump_if_unaffordable(
        &mut self,
        source: &MergedAction,
        pay: RoutineId,
        option: Option<usize>,
    ) -> usize {
        let params = source.params();
        let args = self.body.new_temps(1 + params.len() as u16);
        self.load(args, NULL);
        for (at, (name, _)) in params.iter().enumerate() {
            let dst = args.offset(1 + at as u16);
            let known = source.targets.len() + option.unwrap_or(0);
            if at < known {
                let src = self.name_value(name, source.id.span).reg;
                self.emit(Instr::Copy { dst, src });
            } else {
                let is_asked = option.is_some() && at == known;
                self.load(dst, if is_asked { 1 } else { NULL });
            }
        }
        let cond = self.body.new_temp();
        self.emit(Instr::Afford { dst: cond, routine: pay, args });
        self.emit(Instr::JumpUnless { cond, to: 0 })
    }

    /// Asks for each optional cost that can be paid on top of the others whether to pay it.
    fn ask_optional_costs(&mut self, source: &MergedAction, pay: RoutineId) {
        for (number, option) in source.part("optional").iter().enumerate() {
            let Some(id) = option.get("id").and_then(SourceNode::as_text) else { continue };
            let flag = self.bind_local(&id.value, Ty::Bool);
            self.load(flag, 0);
            let too_dear = self.jump_if_unaffordable(source, pay, Some(number));
            let title = option.get("title").and_then(SourceNode::as_text);
            let title = title.map_or_else(|| super::title_from_id(&id.value), |text| text.value.clone());
            let question = [
                ("choose", "consent"),
                ("by", "actor"),
                ("from", "[true, false]"),
                ("kind", "confirm"),
                ("ask", "always"),
                ("title", title.as_str()),
            ];
            let bindings = self.body.bindings.len();
            self.emit_question(&question, &[], id.span);
            let agreed = self.name_value("consent", id.span).reg;
            self.body.bindings.truncate(bindings);
            self.emit(Instr::Copy { dst: flag, src: agreed });
            self.body.patch_jumps(&[too_dear]);
        }
    }

    /// Emits the announcement and the payment. Returns the register with the number of the announcement.
    fn announce_and_pay(&mut self, source: &MergedAction) -> Reg {
        // Reactions after the announcement run once the costs are paid, so its number is kept until then.
        let is_heard = !self.program.events[native::ANNOUNCED.index()].after.is_empty();
        let ok = self.body.new_local(if is_heard { Ty::Int } else { Ty::Bool });
        self.emit(Instr::Announce { dst: ok, action: source.number });
        let prevented = self.emit(Instr::JumpUnless { cond: ok, to: 0 });
        self.body.early_exits.push(prevented);
        let held: Vec<Reg> = source
            .refunds
            .iter()
            .map(|(name, prop)| {
                let held = self.body.new_local(Ty::Int);
                let column = self.program.props[prop.index()].column;
                self.emit(Instr::Prop { dst: held, entity: Reg::ACTOR, column });
                self.bind_paid(name, held);
                held
            })
            .collect();
        let costs = source.part("costs");
        let has_options = !source.part("optional").is_empty();
        self.remember_payments(&source.targets);
        if !costs.is_empty() || has_options {
            let unpaid = self.emit_payment(|checker| {
                let bindings = checker.body.bindings.len();
                costs.iter().for_each(|cost| checker.cost_statement(cost));
                checker.body.bindings.truncate(bindings);
                for option in source.part("optional") {
                    checker.pay_optional_cost(option);
                }
            });
            self.body.early_exits.push(unpaid);
        }
        self.settle_payments(&source.targets);
        for ((_, prop), held) in source.refunds.iter().zip(held) {
            let now = self.body.new_temp();
            let column = self.program.props[prop.index()].column;
            self.emit(Instr::Prop { dst: now, entity: Reg::ACTOR, column });
            self.emit(Instr::Sub { dst: held, a: held, b: now });
        }
        ok
    }

    fn pay_optional_cost(&mut self, option: &SourceNode) {
        let Some(id) = option.get("id").and_then(SourceNode::as_text) else { return };
        let cond = self.name_value(&id.value, id.span).reg;
        let no = self.emit(Instr::JumpUnless { cond, to: 0 });
        if let Some(costs) = option.get("costs") {
            self.block(costs);
        }
        self.body.patch_jumps(&[no]);
    }

    fn bind_paid(&mut self, name: &str, reg: Reg) {
        self.body.bind(&format!("paid {name}"), reg, Ty::Int);
    }

    /// Copies all parameters into consecutive registers.
    fn copy_params(&mut self, source: &MergedAction) -> Reg {
        let params = source.params();
        let row = self.body.new_temps(params.len() as u16);
        for (at, (name, _)) in params.iter().enumerate() {
            let src = self.name_value(name, source.id.span).reg;
            self.emit(Instr::Copy { dst: row.offset(at as u16), src });
        }
        row
    }

    /// Compiles the check of targets at resolution. The routine returns all parameters, or null if a target
    /// is no longer among its candidates.
    fn lower_recheck(&mut self, source: &MergedAction) -> RoutineId {
        let routine = self.reserve_routine(&source.label("recheck"));
        let outer = self.begin_routine(routine, CodeMode::Pure);
        self.mark_location(&source.node);
        self.bind_action(source);
        let params = source.params();
        let regs: Vec<Reg> = params.iter().map(|(name, ty)| self.add_param(name, ty.clone())).collect();
        self.bind_first_target_as_self(source, regs.first().copied());
        self.emit_recheck(&source.targets, &regs);
        self.finish_routine(outer);
        routine
    }

    /// Emits the check of the targets in `regs`, the first parameters, and the return of all parameters, or of null if
    /// a target was lost.
    pub(crate) fn emit_recheck(&mut self, targets: &[ActionTarget], regs: &[Reg]) {
        let mut lost = Vec::new();
        for (target, reg) in targets.iter().zip(regs).filter(|(target, _)| target.recheck) {
            let list = self.node_value(&target.from);
            let list = Val { ty: list.ty.present(), ..list };
            if !Self::is_listlike(&list.ty) {
                continue;
            }
            let list = self.as_list(list).reg;
            if target.many {
                lost.extend(self.retain_listed(*reg, list, target.divides));
                continue;
            }
            let is_there = self.body.new_temp();
            let null = target.optional.then(|| self.emit(Instr::JumpNull { value: *reg, to: 0 }));
            self.emit(Instr::Contains { dst: is_there, list, value: *reg });
            lost.push(self.emit(Instr::JumpUnless { cond: is_there, to: 0 }));
            self.body.patch_jumps(&null.into_iter().collect::<Vec<_>>());
        }
        let dst = self.body.new_temp();
        let first = Reg(Reg::CONTEXT);
        self.emit(Instr::Record { dst, first, count: regs.len() as u16 });
        self.emit(Instr::Return { value: dst });
        self.body.patch_jumps(&lost);
        let value = self.constant(NULL);
        self.emit(Instr::Return { value });
    }

    /// Removes from the list in `reg` the items that are not in `list`. The returned jump is taken if this
    /// empties a list that was not empty.
    /// Of a number that was divided, the shares of lost targets are lost.
    fn retain_listed(&mut self, reg: Reg, list: Reg, divides: bool) -> Vec<usize> {
        let before = self.body.new_temp();
        self.emit(Instr::Len { dst: before, list: reg });
        let empty = self.emit(Instr::SkipEqInt { a: before, value: 0, skip: 0 });
        let mark = self.body.new_temp();
        self.emit(Instr::Begin { dst: mark });
        let iter = self.body.new_temps(3);
        self.emit(Instr::Copy { dst: iter, src: reg });
        self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
        let top = self.body.jump_target();
        let next = self.emit(Instr::NextItem { iter, to: 0 });
        let is_there = self.body.new_temp();
        let mut value = iter.offset(2);
        if divides {
            value = self.body.new_temp();
            self.emit(Instr::Field { dst: value, record: iter.offset(2), index: 0 });
        }
        self.emit(Instr::Contains { dst: is_there, list, value });
        let no = self.emit(Instr::JumpUnless { cond: is_there, to: 0 });
        self.emit(Instr::Push { value: iter.offset(2) });
        self.body.patch_jumps(&[no]);
        self.emit(Instr::Jump { to: top });
        self.body.patch_jumps(&[next]);
        self.emit(Instr::Finish { dst: reg, mark });
        let left = self.body.new_temp();
        self.emit(Instr::Len { dst: left, list: reg });
        let lost = self.emit(Instr::SkipEqInt { a: left, value: 0, skip: 0 });
        self.body.patch_jumps(&[empty]);
        vec![lost]
    }

    /// Compiles the refund of the resources that were paid.
    fn lower_refund(&mut self, source: &MergedAction) -> RoutineId {
        let routine = self.reserve_routine(&source.label("refund"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.begin_action_routine(source);
        for (name, prop) in &source.refunds {
            let paid = self.name_value(&format!("paid {name}"), source.id.span).reg;
            let none = self.emit(Instr::SkipLeInt { a: paid, value: 0, skip: 0 });
            let (now, value) = (self.body.new_temp(), self.body.new_temp());
            let column = self.program.props[prop.index()].column;
            self.emit(Instr::Prop { dst: now, entity: Reg::ACTOR, column });
            self.emit(Instr::Add { dst: value, a: now, b: paid });
            self.emit(Instr::Change { entity: Reg::ACTOR, prop: *prop, value });
            self.body.patch_jumps(&[none]);
        }
        self.emit(Instr::Done {});
        self.finish_routine(outer);
        routine
    }
}
