//! Targets of reactions that are chosen when the reaction goes on the stack (`targeting: stack`).
//!
//! They are properties of the stack item. The routine that asks for them also puts the item on the stack; without enough
//! candidates it removes the item.

use std::ops::Range;

use intermezzo_program::{ActionParam, DefId, EventId, Instr, KindId, PropId, Reg, RoutineId, ZoneId};

use super::Checker;
use super::actions::ActionTarget;
use super::actions::targets::build_target;
use super::questions::{OnEmptyPick, reaction_title};
use super::reactions::HostInfo;
use super::routine_builder::{CodeMode, RoutineBuilder};
use super::types::Ty;
use crate::grammar::{rules, sections};
use crate::tree::{SourceNode, SourceText};

/// The name of the stack item in the code that asks for its targets. Authors cannot write it.
const ITEM: &str = "stack item";

/// The targets of a reaction that are chosen when it goes on the stack.
pub(crate) struct AimedTargets {
    pub(crate) item: DefId,
    pub(crate) params: Vec<ActionParam>,
    pub(crate) routine: RoutineId,
    pub(crate) recheck: Option<RoutineId>,
    /// The choices of its questions.
    pub(crate) questions: Range<usize>,
    targets: Vec<ActionTarget>,
}

impl Checker<'_> {
    /// Returns true if a reaction has targets that are chosen when it goes on the stack.
    pub(crate) fn aims_on_stack(&mut self, node: &SourceNode, before: bool) -> bool {
        let own = node.get("targeting");
        let word = match own {
            Some(own) => self.word(own, "`targeting`", rules::REACTION.words("targeting")),
            None => {
                let words = sections::RULESET.words("reactionTargeting");
                let usual = self.merged.last("reactionTargeting").and_then(SourceNode::as_text);
                usual.and_then(|text| words.iter().copied().find(|word| *word == text.value))
            }
        };
        let waits = self.waits_on_stack(node, before);
        if let Some(own) = own.filter(|_| !waits || node.get("targets").is_none()) {
            let message = match waits {
                true => "`targeting` says when targets are chosen, but this reaction has no `targets`",
                false => "`targeting` is about reactions that wait on the stack, and this one does not",
            };
            self.report_error("E-KEY", own.span, message);
            return false;
        }
        waits && word == Some("stack") && node.get("targets").is_some()
    }

    /// Creates the stack item of a reaction with its targets, and compiles their question and their check.
    pub(crate) fn lower_aim(
        &mut self,
        name: &str,
        node: &SourceNode,
        host: &HostInfo,
        id: &SourceText,
        event: EventId,
    ) -> Option<AimedTargets> {
        // Without a host, `lower_questions` reports that nobody can be asked.
        host.ty.as_ref()?;
        let targets = self.typed_targets(node, host, event);
        let item = self.reaction_item(node, id, event);
        let params = self.add_target_props(item, &targets, id);
        let first_question = self.program.choices.len();
        let title = reaction_title(node, id);
        let routine = self.lower_aim_routine(name, node, host, event, (item, &title), &targets, &params);
        let questions = first_question..self.program.choices.len();
        let is_checked = targets.iter().any(|target| target.recheck);
        let recheck = is_checked.then(|| self.lower_aim_check(name, node, host, event, &targets));
        Some(AimedTargets { item, params, routine, recheck, questions, targets })
    }

    /// Binds the targets as the parameters of a reaction's effects.
    pub(crate) fn bind_aimed_targets(&mut self, aimed: Option<&AimedTargets>) {
        for target in aimed.map_or(&[][..], |aimed| &aimed.targets) {
            self.add_param(&target.id.value, target.ty.clone());
        }
    }

    /// Reads the targets and determines their types.
    fn typed_targets(&mut self, node: &SourceNode, host: &HostInfo, event: EventId) -> Vec<ActionTarget> {
        self.in_scratch_code(host, Some(event), |checker| checker.read_targets(node))
    }

    /// Reads the choices made to pay for a reaction and determines their types.
    pub(crate) fn reaction_payments(
        &mut self,
        node: &SourceNode,
        host: &HostInfo,
        event: Option<EventId>,
    ) -> Vec<ActionTarget> {
        let Some(payment) = node.get("payment") else { return Vec::new() };
        if host.ty.is_none() {
            self.report_error("E-CHOOSE", payment.span, "a rule of the game itself has no player to ask");
            return Vec::new();
        }
        self.in_scratch_code(host, event, |checker| {
            checker.read_targets(node);
            checker.read_payments(payment)
        })
    }

    /// Runs `read` with the names of a reaction bound, and drops the code it emits.
    fn in_scratch_code(
        &mut self,
        host: &HostInfo,
        event: Option<EventId>,
        read: impl FnOnce(&mut Self) -> Vec<ActionTarget>,
    ) -> Vec<ActionTarget> {
        let scratch = RoutineId(u16::MAX);
        let body = RoutineBuilder::new(scratch, String::new(), CodeMode::Pure);
        let outer = std::mem::replace(&mut self.body, body);
        for _ in 0..Reg::CONTEXT {
            self.body.new_local(Ty::Entity);
        }
        self.bind_reaction(host, event);
        let targets = read(self);
        self.body = outer;
        self.usage.calls.remove(&scratch);
        self.usage.depths.remove(&scratch);
        self.usage.reads.remove(&scratch);
        targets
    }

    fn read_targets(&mut self, node: &SourceNode) -> Vec<ActionTarget> {
        let mut targets: Vec<ActionTarget> = Vec::new();
        for node in node.get("targets").map(|node| self.items(node, "`targets`").to_vec()).unwrap_or_default()
        {
            self.entries(&node, &rules::TARGET);
            let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.report_error("E-KEY", node.span, "a target needs `id`");
                continue;
            };
            let Some(from) = self.target_source(&node) else { continue };
            let item = self.target_item_type(&from);
            let target = build_target(node, id, from, item, &[]);
            let target = self.divided(target);
            self.body.bind(&target.id.value, Reg(0), target.ty.clone());
            targets.push(target);
        }
        targets
    }

    /// Adds a property for each target to the kind of the stack item.
    fn add_target_props(
        &mut self,
        item: DefId,
        targets: &[ActionTarget],
        id: &SourceText,
    ) -> Vec<ActionParam> {
        let kind = self.program.defs[item.index()].kind;
        let mut params = Vec::new();
        for target in targets {
            let name = self.intern_symbol(&target.id.value);
            let column = self.program.kinds[kind.index()].columns;
            let prop = self.add_prop(kind, name, target.ty.clone(), column, false, id.span);
            let own = &mut self.program.kinds[kind.index()];
            own.props.push(prop);
            own.columns += 1;
            let ty = self.type_id(&target.ty);
            params.push(ActionParam { name, ty, offered: false, prop, pays: false });
        }
        params
    }

    #[expect(clippy::too_many_arguments, reason = "all of them describe one reaction")]
    fn lower_aim_routine(
        &mut self,
        name: &str,
        node: &SourceNode,
        host: &HostInfo,
        event: EventId,
        (item, title): (DefId, &str),
        targets: &[ActionTarget],
        params: &[ActionParam],
    ) -> RoutineId {
        let routine = self.reserve_routine(&format!("{name} targets"));
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.mark_location(node);
        self.bind_reaction(host, Some(event));
        let kind: KindId = self.program.defs[item.index()].kind;
        let entity = self.add_param(ITEM, Ty::Kind(kind));
        let mut none = Vec::new();
        for target in targets {
            let mark = self.body.mark_temps();
            none.extend(self.jump_if_too_few(target));
            self.body.release_temps(mark);
            self.ask_target(&target.node, OnEmptyPick::of(&target.node), "you", title);
        }
        for (target, param) in targets.iter().zip(params) {
            let value = self.name_value(&target.id.value, target.id.span).reg;
            let prop: PropId = param.prop;
            self.emit(Instr::Change { entity, prop, value });
        }
        let zone = self.body.new_temp();
        self.emit(Instr::TheZone { dst: zone, zone: ZoneId::STACK });
        self.emit(Instr::Move { dst: Reg::NONE, entity, zone, top: true });
        self.emit(Instr::Done {});
        if !none.is_empty() {
            self.body.patch_jumps(&none);
            self.emit(Instr::Remove { entity });
            self.emit(Instr::Done {});
        }
        self.finish_routine(outer);
        routine
    }

    fn lower_aim_check(
        &mut self,
        name: &str,
        node: &SourceNode,
        host: &HostInfo,
        event: EventId,
        targets: &[ActionTarget],
    ) -> RoutineId {
        let routine = self.reserve_routine(&format!("{name} recheck"));
        let outer = self.begin_routine(routine, CodeMode::Pure);
        self.mark_location(node);
        self.bind_reaction(host, Some(event));
        let regs: Vec<Reg> =
            targets.iter().map(|target| self.add_param(&target.id.value, target.ty.clone())).collect();
        self.emit_recheck(targets, &regs);
        self.finish_routine(outer);
        routine
    }
}
