//! A match in the middle of an input: what is under way, and who is still to react.
//!
//! The log tells what happened, and folding it gives every board there was; but why the next event comes is only
//! known to the match itself. So it is run once more on a copy, which stops after a given event
//! ([`Match::midway`], [`Match::midway_at_start`]). A match that waits tells the same of itself ([`Match::under_way`]).

use std::sync::Arc;

use intermezzo_ruleset::{KindId, NULL, Place, Program, ReactionId, Reg, When, Word, native, word};

use crate::agenda::{Due, Frame, NO_ROUTINE, Stage};
use crate::board::Board;
use crate::fold::Folder;
use crate::happening::Machine;
use crate::input::{Input, Refusal};
use crate::log::Log;
use crate::play::Match;
use crate::setup::{Setup, StartError, new_board};
use crate::stack::{HOST, TRIGGER, VIA};
use crate::zones::NOWHERE;

/// A match that was stopped on its way, to be looked at and no more.
#[derive(Debug)]
pub struct Midway {
    stopped: Match,
    /// The event that has just happened; 0 if the match came to its wait.
    newest: u32,
}

/// Something that is not over yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnderWay {
    /// What it is.
    pub kind: UnderWayKind,
    /// The event's type, or the rule's name.
    pub name: String,
    /// Id of the event, or of the one a rule belongs to; 0 for none.
    pub event: u32,
    /// How far an event has come.
    pub stage: Option<EventStage>,
    /// The entity whose rule it is, by its number: `#7`, or `p0`.
    pub source: Option<String>,
    /// Where the rule stands that goes on next.
    pub place: Option<Place>,
}

/// What can be under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnderWayKind {
    /// An event in its life.
    Event,
    /// Statements of a rule.
    Rule,
    /// Something of the stack, or an action done at once.
    Resolving,
    /// Events that happen together.
    Group,
    /// Things moved one by one.
    Moving,
    /// What follows from a player's leaving.
    Leaving,
}

/// How far an event has come in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventStage {
    /// It may still be prevented.
    Before,
    /// It has happened just now.
    Happened,
    /// Its consequences run.
    Then,
    /// Others react to it.
    After,
}

/// A reaction that is still to come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingReaction {
    /// Its id.
    pub name: String,
    /// The type of the event it reacts to.
    pub to: String,
    /// The id of that event.
    pub event: u32,
    /// The entity whose reaction it is, by its number; none if it is a rule of the game.
    pub source: Option<String>,
    /// Whether it goes on the stack first.
    pub is_for_stack: bool,
    /// Where it is declared.
    pub place: Option<Place>,
}

impl UnderWayKind {
    /// As clients read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            UnderWayKind::Event => "event",
            UnderWayKind::Rule => "rule",
            UnderWayKind::Resolving => "resolving",
            UnderWayKind::Group => "group",
            UnderWayKind::Moving => "moving",
            UnderWayKind::Leaving => "leaving",
        }
    }
}

impl EventStage {
    /// As clients read it.
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
    /// The match as it is right after so many events of an input. The match itself stays as it is.
    ///
    /// # Errors
    ///
    /// If the input is refused.
    pub fn midway(&self, input: &Input, events: usize) -> Result<Midway, Refusal> {
        let mut copy = self.clone();
        let mut log = Log::stopping_after(events);
        let outcome = copy.submit(input, &mut log);
        if !log.has_stopped() {
            outcome?;
        }
        Ok(Midway::new(copy, &log))
    }

    /// The same right after so many events of its start.
    ///
    /// # Errors
    ///
    /// If the match cannot begin.
    pub fn midway_at_start(
        program: Arc<Program>,
        setup: &Setup,
        events: usize,
    ) -> Result<Midway, StartError> {
        let mut folder = Folder::new(program);
        let board = new_board(&mut folder, setup)?;
        let Folder { program, tables, .. } = folder;
        let mut new = Match::assemble(program, tables, board, setup);
        let mut log = Log::stopping_after(events);
        // Nothing fails alone before anyone has acted.
        log.stop_at_once();
        let outcome = new.begin(&mut log);
        if !log.has_stopped() {
            outcome?;
        }
        Ok(Midway::new(new, &log))
    }

    /// What is under way while the match waits, outermost first.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay> {
        let frames = self.agenda.frames.iter();
        frames.filter_map(|frame| self.describe_frame(frame, 0)).collect()
    }

    /// The reactions that are still to come, the first to happen first.
    #[must_use]
    pub fn pending_reactions(&self) -> Vec<PendingReaction> {
        let mut found = Vec::new();
        let (frames, reactions) = (&self.agenda.frames, &self.agenda.reactions);
        let mut end = reactions.len();
        for frame in frames.iter().rev().filter(|frame| frame.is_event()) {
            let first = (frame.reactions as usize).min(end);
            // Before an event, those are noted that have been applied to it.
            if frame.stage == Stage::After && frame.step > 0 {
                found
                    .extend(reactions[first..end].iter().rev().map(|due| self.pending_reaction(*due, frame)));
            }
            end = first;
        }
        found.extend(self.waiting_for_stack());
        found
    }

    /// Reactions that wait to be put on the stack.
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
            found.push((trigger, self.reaction(reaction, source, trigger)));
        }
        found.sort_by_key(|(trigger, _)| *trigger);
        found.into_iter().map(|(_, reaction)| reaction).collect()
    }

    fn pending_reaction(&self, due: Due, frame: &Frame) -> PendingReaction {
        self.reaction(due.reaction, due.source, frame.id)
    }

    fn reaction(&self, id: ReactionId, source: Word, event: u32) -> PendingReaction {
        let reaction = &self.program.reactions[id.index()];
        PendingReaction {
            name: self.program.symbol(reaction.name).to_owned(),
            to: self.program.events[reaction.event.index()].name.clone(),
            event,
            source: numbered(&self.board, source),
            is_for_stack: reaction.item.is_some(),
            place: reaction.place,
        }
    }

    /// What a frame does; nothing for those that only help others. `newest` is the event that has just happened.
    fn describe_frame(&self, frame: &Frame, newest: u32) -> Option<UnderWay> {
        let stage = match frame.stage {
            _ if newest != 0 && frame.id == newest => EventStage::Happened,
            Stage::Before | Stage::Planned => EventStage::Before,
            Stage::Then | Stage::Resets => EventStage::Then,
            _ => EventStage::After,
        };
        let kind = match frame.stage {
            Stage::Asked => return None,
            Stage::Code => UnderWayKind::Rule,
            Stage::Moving => UnderWayKind::Moving,
            Stage::Group => UnderWayKind::Group,
            Stage::Resolving => UnderWayKind::Resolving,
            Stage::Leaving => UnderWayKind::Leaving,
            _ => UnderWayKind::Event,
        };
        let is_event = kind == UnderWayKind::Event;
        let runs = frame.stage.is_code() && frame.pc > 0;
        let own = self.agenda.regs.get(frame.base as usize + usize::from(Reg::SELF.0)).copied();
        let source = match kind {
            UnderWayKind::Rule => own.unwrap_or(NULL),
            UnderWayKind::Resolving => frame.by,
            _ => NULL,
        };
        Some(UnderWay {
            kind,
            name: self.frame_name(frame, kind),
            event: if is_event { frame.id } else { frame.cause },
            stage: is_event.then_some(stage),
            source: numbered(&self.board, source),
            place: self.program.place(frame.pc.wrapping_sub(1)).filter(|_| runs),
        })
    }

    fn frame_name(&self, frame: &Frame, kind: UnderWayKind) -> String {
        let program = &self.program;
        let routine = || program.routines.get(frame.routine.index()).filter(|_| frame.routine != NO_ROUTINE);
        match kind {
            UnderWayKind::Event => program.events[frame.event.index()].name.clone(),
            UnderWayKind::Rule => routine().map_or_else(String::new, |routine| routine.name.clone()),
            UnderWayKind::Resolving => {
                let rule = usize::from(frame.detail);
                let name = match frame.event {
                    native::ACTION => program.actions.get(rule).map(|action| action.name),
                    _ => program.reactions.get(rule).map(|reaction| reaction.name),
                };
                name.map_or_else(String::new, |name| program.symbol(name).to_owned())
            }
            UnderWayKind::Group | UnderWayKind::Moving | UnderWayKind::Leaving => String::new(),
        }
    }
}

impl Midway {
    fn new(stopped: Match, log: &Log) -> Midway {
        let newest = log.records().last().filter(|_| log.has_stopped()).map_or(0, |record| record.id);
        Midway { stopped, newest }
    }

    /// The board then.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.stopped.board
    }

    /// The match as it was stopped. It can tell how values came about; it cannot go on.
    #[must_use]
    pub fn stopped(&self) -> &Match {
        &self.stopped
    }

    /// What is under way, outermost first.
    #[must_use]
    pub fn under_way(&self) -> Vec<UnderWay> {
        let frames = self.stopped.agenda.frames.iter();
        frames.filter_map(|frame| self.stopped.describe_frame(frame, self.newest)).collect()
    }

    /// The reactions that are still to come, the first to happen first; those to what has just happened included.
    pub fn pending_reactions(&mut self) -> Vec<PendingReaction> {
        let mut found = self.reactions_to_newest();
        found.extend(self.stopped.pending_reactions());
        found
    }

    /// Who will react to the event that has just happened, as things are.
    fn reactions_to_newest(&mut self) -> Vec<PendingReaction> {
        let top = self.stopped.agenda.frames.last().copied();
        let Some(frame) = top.filter(|frame| frame.is_event() && frame.id == self.newest && frame.id != 0)
        else {
            return Vec::new();
        };
        let mut dues = Vec::new();
        // A condition that fails now is for the match to trip over, not for who looks on.
        let _ = self.stopped.work(&mut Log::discard(), 0, |machine| {
            dues = set_off(machine, &frame)?;
            Ok(())
        });
        dues.into_iter().map(|due| self.stopped.pending_reaction(due, &frame)).collect()
    }
}

fn set_off(machine: &mut Machine<'_>, frame: &Frame) -> crate::happening::Result<Vec<Due>> {
    if let Some(always) = &machine.core.tables.always[frame.event.index()] {
        return Ok(always.iter().rev().copied().collect());
    }
    let mut found = Vec::new();
    for due in machine.candidates(frame, When::After) {
        if machine.is_set_off(due, frame)? {
            found.push(due);
        }
    }
    Ok(found)
}

/// An entity by its number, as logs have it.
fn numbered(board: &Board, entity: Word) -> Option<String> {
    match entity {
        NULL => None,
        word::MATCH => Some("match".to_owned()),
        _ if board.is_player(entity) => Some(format!("p{}", word::seat(entity).0)),
        _ => Some(format!("#{}", word::row(entity))),
    }
}
