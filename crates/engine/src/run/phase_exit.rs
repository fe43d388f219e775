//! Leaving a phase from elsewhere: an effect, a reaction or a proc ends the turn.
//!
//! Everything under way within the phase is abandoned. Only items that are resolving are kept, as far as their `finally` and their
//! removal: what was paid for them is settled. The code of the phase then goes on at its end, where
//! [`Instr::CloseInner`](intermezzo_program::Instr::CloseInner) removes what waits on the stack and ends the phases within.

use intermezzo_program::{FaultCode, PhaseBlock, PhaseId, Word, native};

use crate::run::effects::{EventHeader, Machine, Result};
use crate::run::frames::{Frame, ResolvingFrame};

impl Machine<'_> {
    /// Abandons everything under way within a phase. Does nothing if no rule has the phase in progress.
    pub(crate) fn exit_phase(&mut self, phase: PhaseId) -> Result<()> {
        if !self.core.board.phases.iter().any(|entry| entry.phase == phase) {
            return Ok(());
        }
        let blocks = &self.core.program.phase_blocks;
        let block_of = |frame: &Frame| -> Option<PhaseBlock> {
            let code = frame.as_code()?;
            let is_inside = |block: &&PhaseBlock| {
                block.routine == code.routine && (block.start..=block.end).contains(&code.pc)
            };
            let mut inside = blocks.iter().filter(|block| block.phase == phase).filter(is_inside);
            let first = inside.next()?;
            // Of nested blocks the innermost.
            Some(inside.fold(*first, |best, block| if block.start > best.start { *block } else { best }))
        };
        let frames = self.core.frames.stack.iter().enumerate().rev();
        let Some((at, block)) = frames.into_iter().find_map(|(at, frame)| Some((at, block_of(frame)?)))
        else {
            return Ok(());
        };
        let is_undecided = |frame: &Frame| {
            frame.as_group().is_some()
                || frame.is_member() && frame.as_event().is_some_and(|event| event.stage.is_pending())
        };
        if self.core.frames.stack[at + 1..].iter().any(is_undecided) {
            return Err(FaultCode::Group);
        }
        let kept = self.resolving_above(at);
        while self.core.frames.stack.len() > at + 1 {
            self.core.frames.pop_frame();
        }
        while self.requests.stack.last().is_some_and(|request| request.frame as usize >= at) {
            self.requests.drop_top();
        }
        self.core.frames.asks_order = false;
        self.core.frames.ordered_items.clear();
        self.core.frames.stack[at].set_pc(block.end);
        for (frame, words) in kept {
            let base = self.core.frames.push_registers(words.len(), self.core.program.limits.depth)?;
            self.core.frames.regs[base..base + words.len()].copy_from_slice(&words);
            // Its refund, `finally` and removal are left.
            let step = frame.step.max(1);
            self.core.frames.stack.push(Frame::Resolving(ResolvingFrame {
                base: base as u32,
                step,
                ..frame
            }));
        }
        Ok(())
    }

    /// Returns the items that are resolving above a frame, with their registers.
    fn resolving_above(&self, at: usize) -> Vec<(ResolvingFrame, Vec<Word>)> {
        let program = self.core.program;
        let items = self.core.frames.stack[at + 1..].iter().filter_map(Frame::as_resolving);
        let with_registers = items.filter_map(|item| {
            let (_, effects) = item.rule.name_and_effects(program)?;
            let count = usize::from(program.routines[effects.index()].registers);
            let base = item.base as usize;
            Some((*item, self.core.frames.regs.get(base..base + count)?.to_vec()))
        });
        with_registers.collect()
    }

    /// Does the next step at the end of a phase that was left: removes an item from the stack, or ends an inner phase. The
    /// instruction runs again until nothing is left to do.
    pub(crate) fn close_phases_within(&mut self, phase: PhaseId) -> Result<()> {
        let item = self.next_item();
        let is_inner = self.core.board.phases.last().is_some_and(|entry| entry.phase != phase);
        if item.is_none() && !is_inner {
            return Ok(());
        }
        if let Some(frame) = self.core.frames.stack.last_mut() {
            frame.set_pc(frame.pc() - 1);
        }
        match item {
            Some(item) => self.begin(EventHeader::of(native::REMOVED), &[item], &[]),
            None => self.leave_phase(),
        }
    }
}
