//! Inspection of a match in the middle of an input: what is running, and which reactions are still to come.
//!
//! The log records what happened, and folding it gives every board; but only the match itself knows why the
//! next event comes. So a copy runs the input again and stops after a given event ([`Match::stop_mid_input`],
//! [`Match::stop_mid_start`]). A waiting match can be inspected directly ([`Match::frame_summaries`]).

use std::sync::Arc;

use intermezzo_program::{
    KindId, NULL, Program, ReactionId, ReactionTiming, Reg, SourceLocation, Word, word,
};

use crate::ask::input::{Input, Refusal};
use crate::run::effects::Machine;
use crate::run::frames::{AfterStep, DueReaction, EventFrame, Frame, LifecycleStage};
use crate::run::log::EventLog;
use crate::run::match_instance::Match;
use crate::run::setup::{Setup, StartError, new_board};
use crate::run::stack::{HOST, TRIGGER, VIA};
use crate::storage::board::Board;
use crate::storage::fold::LogFold;
use crate::storage::zones::NOWHERE;

/// A match stopped in the middle of an input. It can only be inspected.
#[derive(Debug)]
pub struct MidInput {
    stopped: Match,
    /// The latest event; 0 if the match reached its next wait.
    newest: u32,
}

/// Summary of an unfinished frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameSummary {
    pub kind: FrameKind,
    /// The event's type, or the rule's name.
    pub name: String,
    /// Id of the event, or of the event a rule belongs to; 0 for none.
    pub event: u32,
    /// Stage of an event.
    pub stage: Option<EventStage>,
    /// The entity whose rule it is, by number: `#7`, or `p0`.
    pub source: Option<String>,
    /// Location of the next statement of a rule.
    pub place: Option<SourceLocation>,
}

/// Kind of an unfinished frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// An event in its life cycle.
    Event,
    /// Statements of a rule.
    Rule,
    /// A stack item, or an action performed immediately.
    Resolving,
    /// A group of events.
    Group,
    /// Entities moved one by one.
    Moving,
    /// Consequences of a player leaving.
    Leaving,
}

/// Stage in the life cycle of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventStage {
    /// It may still be prevented.
    Before,
    /// It has just happened.
    Happened,
    /// Its consequences run.
    Then,
    /// Others react to it.
    After,
}

/// A reaction that is still to come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingReaction {
    pub name: String,
    /// Type of the event it reacts to.
    pub to: String,
    /// Id of that event.
    pub event: u32,
    /// The entity whose reaction it is, by number; `None` for a rule of the game.
    pub source: Option<String>,
    /// True if it goes on the stack first.
    pub is_for_stack: bool,
    /// Location of its declaration.
    pub place: Option<SourceLocation>,
}

impl FrameKind {
    /// Returns the name that clients see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FrameKind::Event => "event",
            FrameKind::Rule => "rule",
            FrameKind::Resolving => "resolving",
            FrameKind::Group => "group",
            FrameKind::Moving => "moving",
            FrameKind::Leaving => "leaving",
        }
    }
}

impl EventStage {
    /// Returns the name that clients see.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EventStage::Before => "before",
            EventStage::Happened => "happened",
            EventStage::Then => "then",
            EventStage::After => "after",
        }
    }
}

impl Match {
    /// Stops a copy of the match right after `events` events of an input. The match itself does not change.
    ///
    /// # Errors
    ///
    /// If the input is rejected.
    pub fn stop_mid_input(&self, input: &Input, events: usize) -> Result<MidInput, Refusal> {
        let mut copy = self.clone();
        let mut log = EventLog::stopping_after(events);
        let outcome = copy.submit(input, &mut log);
        if !log.has_stopped() {
            outcome?;
        }
        Ok(MidInput::new(copy, &log))
    }

    /// Stops a new match right after `events` events of its start.
    ///
    /// # Errors
    ///
    /// If the match cannot start.
    pub fn stop_mid_start(
        program: Arc<Program>,
        setup: &Setup,
        events: usize,
    ) -> Result<MidInput, StartError> {
        let mut folder = LogFold::new(program);
        let board = new_board(&mut folder, setup)?;
        let LogFold { program, tables, .. } = folder;
        let mut new = Match::assemble(program, tables, board, setup);
        let mut log = EventLog::stopping_after(events);
        // No stack item can fail before anyone has acted, so the start need not run to its end first.
        log.stop_at_once();
        let outcome = new.begin(&mut log);
        if !log.has_stopped() {
            outcome?;
        }
        Ok(MidInput::new(new, &log))
    }

    /// Lists the unfinished frames of a waiting match, outermost first.
    #[must_use]
    pub fn frame_summaries(&self) -> Vec<FrameSummary> {
        let frames = self.frames.stack.iter();
        frames.filter_map(|frame| self.describe_frame(frame, 0)).collect()
    }

    /// Lists the reactions that are still to come, next first.
    #[must_use]
    pub fn pending_reactions(&self) -> Vec<PendingReaction> {
        let mut found = Vec::new();
        let (frames, reactions) = (&self.frames.stack, &self.frames.reactions);
        let mut end = reactions.len();
        for frame in frames.iter().rev().filter_map(Frame::as_event) {
            let first = (frame.reactions as usize).min(end);
            // Before an event, the list holds the reactions that have already been applied to it.
            if matches!(frame.stage, LifecycleStage::After(step) if step != AfterStep::Collect) {
                found
                    .extend(reactions[first..end].iter().rev().map(|due| self.pending_reaction(*due, frame)));
            }
            end = first;
        }
        found.extend(self.waiting_for_stack());
        found
    }

    /// Lists the reactions that wait to be put on the stack.
    fn waiting_for_stack(&self) -> Vec<PendingReaction> {
        let mut found = Vec::new();
        for (row, entity) in self.board.rows.iter().enumerate() {
            let is_waiting =
                entity.alive && entity.zone == NOWHERE && self.program.is_kind(entity.kind, KindId::REACTION);
            let Some(reaction) = self.tables.reaction_of(entity.def).filter(|_| is_waiting) else { continue };
            let item = word::entity(entity.generation, row as u32);
            let cell = |column| self.board.column(item, column).unwrap_or(NULL);
            let source = if cell(VIA) == NULL { cell(HOST) } else { cell(VIA) };
            let trigger = u32::try_from(cell(TRIGGER)).unwrap_or(0);
            found.push((trigger, self.describe_reaction(reaction, source, trigger)));
        }
        found.sort_by_key(|(trigger, _)| *trigger);
        found.into_iter().map(|(_, reaction)| reaction).collect()
    }

    fn pending_reaction(&self, due: DueReaction, frame: &EventFrame) -> PendingReaction {
        self.describe_reaction(due.reaction, due.source, frame.id)
    }

    fn describe_reaction(&self, id: ReactionId, source: Word, event: u32) -> PendingReaction {
        let reaction = &self.program.reactions[id.index()];
        PendingReaction {
            name: self.program.symbol(reaction.name).to_owned(),
            to: self.program.events[reaction.event.index()].name.clone(),
            event,
            source: entity_number(&self.board, source),
            is_for_stack: reaction.item.is_some(),
            place: reaction.location,
        }
    }

    /// Describes a frame; `None` for helper frames. `newest` is the latest event.
    fn describe_frame(&self, frame: &Frame, newest: u32) -> Option<FrameSummary> {
        let stage = frame.as_event().map(|event| match event.stage {
            _ if newest != 0 && event.id == newest => EventStage::Happened,
            LifecycleStage::Before { .. } | LifecycleStage::Planned => EventStage::Before,
            LifecycleStage::Then | LifecycleStage::Resets { .. } => EventStage::Then,
            _ => EventStage::After,
        });
        let kind = match frame {
            Frame::Scratch(_) => return None,
            Frame::Code(_) => FrameKind::Rule,
            Frame::MovingList(_) => FrameKind::Moving,
            Frame::Group(_) => FrameKind::Group,
            Frame::Resolving(_) => FrameKind::Resolving,
            Frame::Leaving(_) => FrameKind::Leaving,
            Frame::Event(_) => FrameKind::Event,
        };
        let runs = frame.runs_code() && frame.pc() > 0;
        let own = self.frames.regs.get(frame.base() as usize + usize::from(Reg::SELF.0)).copied();
        let source = match frame {
            Frame::Code(_) => own.unwrap_or(NULL),
            Frame::Resolving(item) => item.item,
            _ => NULL,
        };
        Some(FrameSummary {
            kind,
            name: self.frame_name(frame),
            event: frame.as_event().map_or(frame.cause(), |event| event.id),
            stage,
            source: entity_number(&self.board, source),
            place: self.program.location(frame.pc().wrapping_sub(1)).filter(|_| runs),
        })
    }

    fn frame_name(&self, frame: &Frame) -> String {
        let program = &self.program;
        match frame {
            Frame::Event(event) => program.events[event.event.index()].name.clone(),
            Frame::Code(code) | Frame::Scratch(code) => {
                let routine = program.routines.get(code.routine.index());
                routine.map_or_else(String::new, |routine| routine.name.clone())
            }
            Frame::Resolving(item) => {
                let name = item.rule.name_and_effects(program);
                name.map_or_else(String::new, |(name, _)| program.symbol(name).to_owned())
            }
            Frame::Group(_) | Frame::MovingList(_) | Frame::Leaving(_) => String::new(),
        }
    }
}

impl MidInput {
    fn new(stopped: Match, log: &EventLog) -> MidInput {
        let newest = log.records().last().filter(|_| log.has_stopped()).map_or(0, |record| record.id);
        MidInput { stopped, newest }
    }

    #[must_use]
    pub fn board(&self) -> &Board {
        &self.stopped.board
    }

    /// Returns the stopped match. It can explain values, but it cannot continue.
    #[must_use]
    pub fn stopped(&self) -> &Match {
        &self.stopped
    }

    /// Lists the unfinished frames, outermost first.
    #[must_use]
    pub fn frame_summaries(&self) -> Vec<FrameSummary> {
        let frames = self.stopped.frames.stack.iter();
        frames.filter_map(|frame| self.stopped.describe_frame(frame, self.newest)).collect()
    }

    /// Lists the reactions that are still to come, next first, including those to the latest event.
    pub fn pending_reactions(&mut self) -> Vec<PendingReaction> {
        let mut found = self.reactions_to_newest();
        found.extend(self.stopped.pending_reactions());
        found
    }

    /// Lists the reactions to the latest event, as things stand.
    fn reactions_to_newest(&mut self) -> Vec<PendingReaction> {
        let top = self.stopped.frames.stack.last().and_then(Frame::as_event).copied();
        let Some(frame) = top.filter(|frame| frame.id == self.newest && frame.id != 0) else {
            return Vec::new();
        };
        let mut dues = Vec::new();
        // A failing condition is a fault of the match, not of the inspection.
        let _ = self.stopped.with_machine(&mut EventLog::discard(), 0, |machine| {
            dues = triggered_reactions(machine, &frame)?;
            Ok(())
        });
        dues.into_iter().map(|due| self.stopped.pending_reaction(due, &frame)).collect()
    }
}

fn triggered_reactions(
    machine: &mut Machine<'_>,
    frame: &EventFrame,
) -> crate::run::effects::Result<Vec<DueReaction>> {
    if let Some(always) = &machine.core.tables.unconditional_after[frame.event.index()] {
        return Ok(always.iter().rev().copied().collect());
    }
    let mut found = Vec::new();
    for due in machine.candidates(frame, ReactionTiming::After) {
        if machine.is_triggered(due, frame)? {
            found.push(due);
        }
    }
    Ok(found)
}

/// Returns an entity by number, as in logs.
fn entity_number(board: &Board, entity: Word) -> Option<String> {
    match entity {
        NULL => None,
        word::MATCH => Some("match".to_owned()),
        _ if board.is_player(entity) => Some(format!("p{}", word::seat(entity).0)),
        _ => Some(format!("#{}", word::row(entity))),
    }
}
