//! Leaving a phase from elsewhere: `exit: turn` in an effect, a reaction or a proc.
//!
//! Only phases that some rule leaves in this way have a marked block, so that other rulesets keep their code.

use intermezzo_program::{Instr, PhaseBlock, PhaseId};

use super::Checker;
use crate::tree::{NodeValue, SourceNode};

impl Checker<'_> {
    /// Returns the names that an `exit` leaves which does not stand inside a phase or loop of that name.
    pub(crate) fn find_left_phases(&self) -> Vec<String> {
        let sections = ["setup", "flow", "procs", "events", "reactions", "defs", "traits", "actions"];
        let mut left = Vec::new();
        for (node, _) in sections.into_iter().flat_map(|name| self.merged.section(name)) {
            collect(node, &mut Vec::new(), &mut left);
        }
        left
    }

    /// Marks the start of a phase that rules leave from elsewhere, right after the instruction that starts it.
    pub(crate) fn begin_phase_block(&mut self, name: &str, phase: PhaseId) -> Option<usize> {
        if !self.left_phases.iter().any(|left| left == name) {
            return None;
        }
        let start = self.body.jump_target();
        let block = PhaseBlock { phase, routine: self.body.routine, start, end: start };
        self.program.phase_blocks.push(block);
        let number = self.program.phase_blocks.len() - 1;
        self.body.phase_blocks.push(number);
        Some(number)
    }

    /// Emits the place where such a phase goes on if it was left.
    pub(crate) fn end_phase_block(&mut self, block: Option<usize>) {
        let Some(number) = block else { return };
        let end = self.body.jump_target();
        let Some(block) = self.program.phase_blocks.get_mut(number) else { return };
        block.end = end;
        let phase = block.phase;
        let over = self.emit(Instr::Jump { to: 0 });
        self.program.phase_blocks[number].end = self.body.jump_target();
        self.emit(Instr::CloseInner { phase });
        self.body.patch_jumps(&[over]);
    }
}

/// Collects the names of exits. `around` are the phases and labels around a node.
fn collect(node: &SourceNode, around: &mut Vec<String>, left: &mut Vec<String>) {
    match &node.value {
        NodeValue::List(items) => items.iter().for_each(|item| collect(item, around, left)),
        NodeValue::Map(entries) => {
            let text = |key: &str| node.get(key).and_then(SourceNode::as_text).map(|text| text.value.clone());
            if let Some(name) = text("exit").filter(|name| !around.contains(name) && !left.contains(name)) {
                left.push(name);
            }
            let height = around.len();
            if node.get("do").is_some() {
                around.extend(text("phase").into_iter().chain(text("label")));
            }
            entries.iter().for_each(|entry| collect(&entry.value, around, left));
            around.truncate(height);
        }
        _ => {}
    }
}
