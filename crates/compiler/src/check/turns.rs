//! `turnStructure`: turns, phases and steps, translated to a flow.

use crate::grammar::rules;
use intermezzo_program::{Instr, NULL, PhaseId, Reg, RoutineId};

use super::Checker;
use super::routine_builder::CodeMode;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::tree::{SourceNode, SourceText};

/// A phase or step whose end is still to be compiled.
struct OpenStep {
    /// Jumps taken if its start is prevented.
    prevented: Vec<usize>,
    block: Option<usize>,
}

/// Returns the id of a phase or step.
fn name_of(node: &SourceNode) -> String {
    node.get("id").and_then(SourceNode::as_text).map_or_else(String::new, |text| text.value.clone())
}

impl Checker<'_> {
    pub(crate) fn declare_turn_phases(&mut self, node: &SourceNode) {
        let turn = SourceText::verbatim("turn", node.span.file, node.span.start);
        self.add_phase(&turn, "Turn");
        for phase in node.get("phases").and_then(SourceNode::as_list).unwrap_or_default() {
            self.declare_step(phase);
            for step in phase.get("steps").and_then(SourceNode::as_list).unwrap_or_default() {
                self.declare_step(step);
            }
        }
    }

    fn declare_step(&mut self, node: &SourceNode) {
        let Some(id) = node.get("id").and_then(SourceNode::as_text) else { return };
        let title = node
            .get("name")
            .and_then(SourceNode::as_text)
            .map_or(id.value.as_str(), |text| text.value.as_str());
        self.add_phase(id, title);
    }

    /// Compiles the endless sequence of turns with their phases and steps.
    pub(crate) fn lower_turns(&mut self, node: &SourceNode) -> RoutineId {
        self.entries(node, &rules::TURNS);
        self.mark_used("procs", "priority_window");
        let routine = self.reserve_routine("flow");
        let outer = self.begin_routine(routine, CodeMode::Program);
        self.mark_location(node);
        let player = self.body.new_local(Ty::PLAYER);
        let players = self.body.new_temp();
        self.emit(Instr::Players { dst: players });
        let zero = self.constant(0);
        self.emit(Instr::Get { dst: player, list: players, index: zero });
        let top = self.body.jump_target();
        if let Some((turn, _)) = self.symbols.phases.get("turn").copied() {
            let phases = node.get("phases").map(|node| self.items(node, "`phases`")).unwrap_or_default();
            let opens_at_once = phases.first().is_some_and(|phase| opens_with_window(node, phase));
            let no_turn = self.enter(turn, "turn", player, opens_at_once);
            for phase in phases {
                self.entries(phase, &rules::PHASE_OF_TURN);
                let Some(id) = self.step_id(phase) else { continue };
                let name = name_of(phase);
                let no_phase = self.enter(id, &name, player, opens_with_window(node, phase));
                for step in phase.get("steps").map(|node| self.items(node, "`steps`")).unwrap_or_default() {
                    self.entries(step, &rules::STEP);
                    let Some(step_id) = self.step_id(step) else { continue };
                    let has_window = has_window(node, phase, step);
                    let no_step = self.enter(step_id, &name_of(step), player, has_window);
                    if has_window {
                        self.window(step, player);
                    }
                    self.leave_step(&no_step);
                }
                self.leave_step(&no_phase);
            }
            self.leave_step(&no_turn);
        }
        self.emit(Instr::PlayerAfter { dst: player, player, steps: 1 });
        self.emit(Instr::Jump { to: top });
        self.check_windows(node);
        self.finish_routine(outer);
        routine
    }

    fn step_id(&mut self, node: &SourceNode) -> Option<PhaseId> {
        let Some(id) = node.get("id").and_then(SourceNode::as_text) else {
            self.report_error("E-KEY", node.span, "a phase or step needs `id`");
            return None;
        };
        self.symbols.phases.get(&id.value).map(|(phase, _)| *phase)
    }

    /// Emits the start of a phase. If a window opens next, the reactions that wait stay on the stack, so that
    /// players can answer them there. Returns the jumps taken if the start is prevented.
    fn enter(&mut self, phase: PhaseId, name: &str, player: Reg, opens_window: bool) -> OpenStep {
        let subject = self.constant(NULL);
        let prevented = self.emit_phase_start(phase, player, subject);
        let block = self.begin_phase_block(name, phase);
        self.emit(Instr::Settle { drain: !opens_window });
        OpenStep { prevented, block }
    }

    fn leave_step(&mut self, step: &OpenStep) {
        self.end_phase_block(step.block);
        self.emit(Instr::LeavePhase {});
        self.body.patch_jumps(&step.prevented);
        self.emit(Instr::Settle { drain: true });
    }

    /// Emits the priority window of a step.
    fn window(&mut self, step: &SourceNode, player: Reg) {
        let Some(window) = self.symbols.procs.get("priority_window").cloned() else {
            self.report(
                Diagnostic::error("E-NAME", step.span, "priority windows need the proc `priority_window`")
                    .hint(
                        "use the prelude `core@1`, or declare it: its argument is the player who comes first",
                    ),
            );
            return;
        };
        if window.params.len() != 1 {
            self.report_error("E-ARGS", step.span, "`priority_window` takes one argument: who comes first");
            return;
        }
        let args = self.body.new_temp();
        self.emit(Instr::Copy { dst: args, src: player });
        self.note_call(window.routine, step.span);
        self.emit(Instr::Call { dst: Reg::NONE, routine: window.routine, args });
        self.emit(Instr::Settle { drain: true });
    }

    fn check_windows(&mut self, turns: &SourceNode) {
        let windows = turns
            .get("priorityWindows")
            .map(|node| self.items(node, "`priorityWindows`"))
            .unwrap_or_default();
        for window in windows {
            self.entries(window, &rules::WINDOW);
            for key in ["phase", "step"] {
                if let Some(name) = window.get(key).and_then(|node| self.text(node, "a phase"))
                    && !self.symbols.phases.contains(&name.value)
                {
                    let known = self.symbols.phases.owned_names();
                    self.report_unknown(
                        "E-NAME",
                        name.span,
                        key,
                        &name.value,
                        known.iter().map(String::as_str),
                    );
                }
            }
        }
        if windows.is_empty() {
            self.report(
                Diagnostic::error("E-LOOP", turns.span, "turns repeat without ever waiting for a player")
                    .hint("list the steps in which players may act under `priorityWindows`"),
            );
        }
    }
}

/// Returns true if players may act in the step.
fn has_window(turns: &SourceNode, phase: &SourceNode, step: &SourceNode) -> bool {
    let text = |node: &SourceNode, key: &str| {
        node.get(key).and_then(SourceNode::as_text).map(|text| text.value.clone())
    };
    let windows = turns.get("priorityWindows").and_then(SourceNode::as_list).unwrap_or_default();
    windows
        .iter()
        .any(|window| text(window, "phase") == text(phase, "id") && text(window, "step") == text(step, "id"))
}

/// Returns true if players may act in the first step of the phase.
fn opens_with_window(turns: &SourceNode, phase: &SourceNode) -> bool {
    let steps = phase.get("steps").and_then(SourceNode::as_list).unwrap_or_default();
    steps.first().is_some_and(|step| has_window(turns, phase, step))
}
