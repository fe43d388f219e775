//! `turnStructure`: turns, phases and steps, translated to a flow.

use intermezzo_program::{Instr, NULL, PhaseId, Reg, RoutineId};

use super::Checker;
use super::routine_builder::CodeMode;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::tree::{SourceNode, SourceText};

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
        self.entries(node, "`turnStructure`", &["phases", "priorityWindows"]);
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
            self.enter(turn, player);
            for phase in node.get("phases").map(|node| self.items(node, "`phases`")).unwrap_or_default() {
                self.entries(phase, "a phase", &["id", "steps", "mandatory"]);
                let Some(id) = self.step_id(phase) else { continue };
                self.enter(id, player);
                for step in phase.get("steps").map(|node| self.items(node, "`steps`")).unwrap_or_default() {
                    self.entries(step, "a step", &["id", "mandatory"]);
                    let Some(step_id) = self.step_id(step) else { continue };
                    self.enter(step_id, player);
                    self.window(node, phase, step, player);
                    self.leave_step();
                }
                self.leave_step();
            }
            self.leave_step();
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

    fn enter(&mut self, phase: PhaseId, player: Reg) {
        let subject = self.constant(NULL);
        self.emit(Instr::EnterPhase { phase, player, subject });
        self.emit(Instr::Settle { drain: true });
    }

    fn leave_step(&mut self) {
        self.emit(Instr::LeavePhase {});
        self.emit(Instr::Settle { drain: true });
    }

    /// Emits a priority window if the step has one.
    fn window(&mut self, turns: &SourceNode, phase: &SourceNode, step: &SourceNode, player: Reg) {
        let text = |node: &SourceNode, key: &str| {
            node.get(key).and_then(SourceNode::as_text).map(|text| text.value.clone())
        };
        let listed =
            turns.get("priorityWindows").and_then(SourceNode::as_list).unwrap_or_default().iter().any(
                |window| {
                    text(window, "phase") == text(phase, "id") && text(window, "step") == text(step, "id")
                },
            );
        if !listed {
            return;
        }
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
            self.entries(window, "a priority window", &["phase", "step"]);
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
