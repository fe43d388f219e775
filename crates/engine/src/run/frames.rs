//! The frames under way, over one stack of registers: the continuation of a match as plain data, so that a
//! waiting match can be stored.

use intermezzo_program::{
    ActionId, EventId, FaultCode, NULL, Program, ReactionId, Reg, Routine, RoutineId, Symbol, Word, native,
};

use crate::run::match_instance::ExecutionCost;
use crate::run::registers::Registers;
use crate::storage::board::Board;
use crate::storage::copy::copy_list;

/// The result that a finished event returns to the frame that emitted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EventResult {
    Nothing,
    /// A record of its payload and `applied`.
    Payload,
    /// The entity created or moved.
    Entity,
    /// A record of faces and total.
    Roll,
    /// True if it was applied.
    Applied,
    /// Its number; 0 if it was not applied.
    Number,
}

/// The state of a pending event.
///
/// Snapshots store the discriminant of this enum and of [`EventResult`], so the order of variants is part of the snapshot format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Disposition {
    /// Nothing has prevented it yet.
    Open,
    /// A reaction prevented it.
    Prevented,
    /// A reaction replaced it with another event.
    Replaced,
}

/// A reaction of an entity, or of the game itself if the source is null.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DueReaction {
    pub(crate) reaction: ReactionId,
    pub(crate) source: Word,
}

/// A count of how often a reaction happened within a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ReactionUse {
    pub(crate) due: DueReaction,
    /// Index of the limit in the reaction's list.
    pub(crate) limit: u8,
    /// Number of the phase or event; 0 for the match.
    pub(crate) scope: u32,
    pub(crate) count: u16,
}

impl ReactionUse {
    pub(crate) fn key(&self) -> (DueReaction, u8, u32) {
        (self.due, self.limit, self.scope)
    }
}

/// A reaction that has happened in a batch under way and must not happen again for the same key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FiredReaction {
    pub(crate) batch: u32,
    pub(crate) due: DueReaction,
    pub(crate) key: Vec<Word>,
}

/// Stands for "no routine".
pub(crate) const NO_ROUTINE: RoutineId = RoutineId(u16::MAX);

/// One level of the continuation.
///
/// All kinds of frames begin with the same fields, so that reading those does not depend on the kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// Runs code.
    Code(CodeFrame),
    /// Runs pure code for a caller that evaluates several functions in a row. Never waits.
    Scratch(CodeFrame),
    /// An event under way.
    Event(EventFrame),
    /// Moves a list of entities one by one.
    MovingList(MoveFrame),
    /// A group. The frames of its members lie below it.
    Group(GroupFrame),
    /// A stack item, or an action performed at once, that is resolving.
    Resolving(ResolvingFrame),
    /// A player has left: settles the consequences.
    Leaving(LeaveFrame),
}

/// The running code of a routine.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct CodeFrame {
    pub(crate) base: u32,
    /// Event that this frame is part of; 0 for none.
    pub(crate) cause: u32,
    pub(crate) pc: u32,
    /// The batch whose last known information the code reads; 0 for none.
    pub(crate) batch: u32,
    pub(crate) routine: RoutineId,
    /// Register of the frame below that receives the result.
    pub(crate) ret: Reg,
}

/// An event under way.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct EventFrame {
    pub(crate) base: u32,
    /// The event itself, once it has a number.
    pub(crate) cause: u32,
    /// Place in the event's own code.
    pub(crate) pc: u32,
    /// For an event of a group: the number of the batch, which is the id of its first event; 0 for a single event.
    pub(crate) batch: u32,
    pub(crate) id: u32,
    /// The event that caused it; 0 for none.
    pub(crate) parent: u32,
    /// Index of its first reaction in [`FrameStack::reactions`].
    pub(crate) reactions: u32,
    pub(crate) event: EventId,
    /// Property changed, or 1 for the front of a zone.
    pub(crate) detail: u16,
    pub(crate) stage: LifecycleStage,
    /// Register of the frame below that receives the result.
    pub(crate) ret: Reg,
    pub(crate) result: EventResult,
    pub(crate) disposition: Disposition,
    /// The entity that prevented it.
    pub(crate) by: Word,
}

/// The current step in the life of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LifecycleStage {
    /// Belongs to a group that is not committed yet.
    Planned,
    /// `before` reactions run.
    Before {
        /// A player was asked which one comes next.
        asks_order: bool,
    },
    /// Its own code runs to the end, inside the call that started it.
    Fold,
    /// Applies an event without listeners. Never waits.
    FastPath,
    /// Properties are reset.
    Resets {
        /// Index of the next reset.
        step: u16,
        /// The next row that it considers.
        row: u32,
    },
    /// Its consequences run as code.
    Then,
    /// `after` reactions run.
    After(AfterStep),
}

/// Progress of the reactions after an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AfterStep {
    /// Nobody knows yet who reacts.
    Collect,
    /// The reactions are collected, and `ordered` of them are in their final order, counted from the end.
    Run { ordered: u32 },
    /// A player is asked for the order of those that follow.
    OrderAsked { ordered: u32 },
    /// All are in order.
    InOrder,
    /// Nobody reacts any more: the frame stands for the event that triggered a stack item, and the item counts towards
    /// the limits of this area event.
    OfArea { event: u32 },
}

impl LifecycleStage {
    /// The start of the life of an event.
    pub(crate) const BEFORE: LifecycleStage = LifecycleStage::Before { asks_order: false };
    /// The life of an event at its first reset.
    pub(crate) const FIRST_RESET: LifecycleStage = LifecycleStage::Resets { step: 0, row: 0 };

    /// Returns true if the event's own code runs next.
    #[inline]
    pub(crate) fn is_code(self) -> bool {
        matches!(self, LifecycleStage::Then | LifecycleStage::Fold | LifecycleStage::FastPath)
    }

    /// Returns true as long as reactions can prevent or change the event.
    pub(crate) fn is_pending(self) -> bool {
        matches!(self, LifecycleStage::Before { .. } | LifecycleStage::Planned)
    }
}

/// A list that is moved. Its registers hold the list, the zone, and the number of the next entity.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct MoveFrame {
    pub(crate) base: u32,
    pub(crate) cause: u32,
    /// True to move to the front of the zone.
    pub(crate) is_top: bool,
}

/// A group that is decided. Its registers hold the structure of the groups.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct GroupFrame {
    pub(crate) base: u32,
    pub(crate) cause: u32,
    /// Number of members, whose frames lie below.
    pub(crate) members: u32,
    /// Index of its first reaction in [`FrameStack::reactions`].
    pub(crate) reactions: u32,
    /// Number of reactions that count as applied to all members, because the group replaces an event.
    pub(crate) inherited: u16,
    /// One of the members does not happen.
    pub(crate) has_lost: bool,
    /// A player was asked which reaction comes next.
    pub(crate) asks_order: bool,
}

/// A stack item, or an action performed at once, that is resolving. Its registers are those of its effects.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct ResolvingFrame {
    pub(crate) base: u32,
    pub(crate) cause: u32,
    /// The newest event when it began to resolve.
    pub(crate) id: u32,
    /// The batch whose last known information its effects read; 0 for none.
    pub(crate) batch: u32,
    pub(crate) rule: ItemRule,
    /// Number of the next step.
    pub(crate) step: u16,
    /// It was prevented or has failed.
    pub(crate) is_prevented: bool,
    /// The stack item; null if it is not on the stack.
    pub(crate) item: Word,
}

/// The rule of a stack item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItemRule {
    Action(ActionId),
    Reaction(ReactionId),
}

impl ItemRule {
    /// Returns the event that the item begins with.
    pub(crate) fn event(self) -> EventId {
        match self {
            ItemRule::Action(_) => native::ACTION,
            ItemRule::Reaction(_) => native::REACTION,
        }
    }

    /// Returns the name of the rule and the routine of its effects, unless the program has no such rule.
    pub(crate) fn name_and_effects(self, program: &Program) -> Option<(Symbol, RoutineId)> {
        match self {
            ItemRule::Action(id) => {
                program.actions.get(id.index()).map(|action| (action.name, action.perform))
            }
            ItemRule::Reaction(id) => {
                program.reactions.get(id.index()).map(|reaction| (reaction.name, reaction.effects))
            }
        }
    }
}

/// The consequences of a player leaving.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct LeaveFrame {
    pub(crate) base: u32,
    pub(crate) cause: u32,
    /// Height of the stack down to which it resolves.
    pub(crate) floor: u32,
}

impl CodeFrame {
    #[inline]
    pub(crate) fn new(program: &Program, routine: RoutineId, base: usize, ret: Reg, cause: u32) -> CodeFrame {
        let pc = program.routines[routine.index()].entry;
        CodeFrame { base: base as u32, cause, pc, batch: 0, routine, ret }
    }
}

impl EventFrame {
    /// Creates the frame of an event that has not begun yet.
    #[inline]
    pub(crate) fn new(event: EventId, base: usize, reactions: usize) -> EventFrame {
        EventFrame {
            base: base as u32,
            cause: 0,
            pc: 0,
            batch: 0,
            id: 0,
            parent: 0,
            reactions: reactions as u32,
            event,
            detail: 0,
            stage: LifecycleStage::Fold,
            ret: Reg::NONE,
            result: EventResult::Nothing,
            disposition: Disposition::Open,
            by: NULL,
        }
    }

    /// Returns true if nothing has prevented or replaced it.
    pub(crate) fn is_open(&self) -> bool {
        self.disposition == Disposition::Open
    }
}

/// Reads a field that all kinds of frames have.
macro_rules! of_any {
    ($frame:expr, $field:ident) => {
        match $frame {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.$field,
            Frame::Event(frame) => frame.$field,
            Frame::MovingList(frame) => frame.$field,
            Frame::Group(frame) => frame.$field,
            Frame::Resolving(frame) => frame.$field,
            Frame::Leaving(frame) => frame.$field,
        }
    };
}

impl Frame {
    /// Creates a frame that runs a routine.
    #[inline]
    pub(crate) fn code(program: &Program, routine: RoutineId, base: usize, ret: Reg, cause: u32) -> Frame {
        Frame::Code(CodeFrame::new(program, routine, base, ret, cause))
    }

    /// Returns the index of the first register.
    #[inline]
    pub(crate) fn base(&self) -> u32 {
        of_any!(self, base)
    }

    /// Returns the event that the frame is part of; 0 for none.
    #[inline]
    pub(crate) fn cause(&self) -> u32 {
        of_any!(self, cause)
    }

    pub(crate) fn set_cause(&mut self, cause: u32) {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.cause = cause,
            Frame::Event(frame) => frame.cause = cause,
            Frame::MovingList(frame) => frame.cause = cause,
            Frame::Group(frame) => frame.cause = cause,
            Frame::Resolving(frame) => frame.cause = cause,
            Frame::Leaving(frame) => frame.cause = cause,
        }
    }

    pub(crate) fn set_base(&mut self, base: u32) {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.base = base,
            Frame::Event(frame) => frame.base = base,
            Frame::MovingList(frame) => frame.base = base,
            Frame::Group(frame) => frame.base = base,
            Frame::Resolving(frame) => frame.base = base,
            Frame::Leaving(frame) => frame.base = base,
        }
    }

    /// Returns the address of the next instruction; 0 if the frame runs no code.
    #[inline]
    pub(crate) fn pc(&self) -> u32 {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.pc,
            Frame::Event(frame) => frame.pc,
            _ => 0,
        }
    }

    /// Moves running code to another instruction.
    #[inline]
    pub(crate) fn set_pc(&mut self, pc: u32) {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.pc = pc,
            Frame::Event(frame) => frame.pc = pc,
            _ => {}
        }
    }

    /// Returns the routine whose code the frame runs, or whose registers it has.
    pub(crate) fn routine(&self, program: &Program) -> Option<RoutineId> {
        match self {
            Frame::Code(frame) => Some(frame.routine),
            Frame::Scratch(frame) => Some(frame.routine).filter(|routine| *routine != NO_ROUTINE),
            Frame::Event(frame) => program.events[frame.event.index()].routine,
            Frame::Resolving(frame) => frame.rule.name_and_effects(program).map(|(_, effects)| effects),
            Frame::MovingList(_) | Frame::Group(_) | Frame::Leaving(_) => None,
        }
    }

    /// Returns the register of the frame below that receives the result.
    pub(crate) fn ret(&self) -> Reg {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.ret,
            Frame::Event(frame) => frame.ret,
            _ => Reg::NONE,
        }
    }

    /// Returns the batch that the frame belongs to, or whose last known information it reads; 0 for none.
    pub(crate) fn batch(&self) -> u32 {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.batch,
            Frame::Event(frame) => frame.batch,
            Frame::Resolving(frame) => frame.batch,
            _ => 0,
        }
    }

    pub(crate) fn set_batch(&mut self, batch: u32) {
        match self {
            Frame::Code(frame) | Frame::Scratch(frame) => frame.batch = batch,
            Frame::Event(frame) => frame.batch = batch,
            Frame::Resolving(frame) => frame.batch = batch,
            _ => {}
        }
    }

    /// Returns the batch whose last known information the code reads; 0 for none.
    #[inline]
    pub(crate) fn looks_back_on(&self) -> u32 {
        match self {
            Frame::Code(frame) => frame.batch,
            _ => 0,
        }
    }

    /// Returns true if the frame runs code next.
    #[inline]
    pub(crate) fn runs_code(&self) -> bool {
        match self {
            Frame::Code(_) | Frame::Scratch(_) => true,
            Frame::Event(frame) => frame.stage.is_code(),
            _ => false,
        }
    }

    /// Returns the running code of a routine.
    pub(crate) fn as_code(&self) -> Option<&CodeFrame> {
        match self {
            Frame::Code(frame) => Some(frame),
            _ => None,
        }
    }

    /// Returns the event under way.
    #[inline]
    pub(crate) fn as_event(&self) -> Option<&EventFrame> {
        match self {
            Frame::Event(frame) => Some(frame),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn as_event_mut(&mut self) -> Option<&mut EventFrame> {
        match self {
            Frame::Event(frame) => Some(frame),
            _ => None,
        }
    }

    pub(crate) fn as_group(&self) -> Option<&GroupFrame> {
        match self {
            Frame::Group(frame) => Some(frame),
            _ => None,
        }
    }

    pub(crate) fn as_resolving(&self) -> Option<&ResolvingFrame> {
        match self {
            Frame::Resolving(frame) => Some(frame),
            _ => None,
        }
    }

    /// Returns true if the frame is an event of a group.
    pub(crate) fn is_member(&self) -> bool {
        self.as_event().is_some_and(|event| event.batch != 0)
    }
}

/// All frames with their registers and what rules have under way. Everything a match needs to continue besides
/// the board, the questions and chance.
#[derive(Debug, Default)]
pub(crate) struct FrameStack {
    pub(crate) stack: Vec<Frame>,
    pub(crate) regs: Registers,
    /// Reactions of events under way: those already applied in stage `Before`, those still to run in stage `After`.
    pub(crate) reactions: Vec<DueReaction>,
    /// Groups whose bodies are running, and the events they have planned. Empty whenever the match waits.
    pub(crate) plans: Vec<crate::run::group::GroupPlan>,
    pub(crate) groups: Vec<crate::run::group_commit::Group>,
    pub(crate) planned: Vec<crate::run::group::PlannedEvent>,
    pub(crate) plan_words: Vec<Word>,
    /// Number of frames that belong to events of a group. They lie side by side, so they do not count as depth.
    pub(crate) member_count: usize,
    /// Uses of reactions that have limits.
    pub(crate) uses: Vec<ReactionUse>,
    /// Value of [`Board::changes`](crate::Board::changes) when state checks last ran.
    pub(crate) checked_changes: i64,
    /// True if reactions wait to go on the stack.
    pub(crate) has_waiting: bool,
    /// The waiting reactions whose order is decided, first to happen first.
    pub(crate) ordered_items: Vec<Word>,
    /// True while a player is asked for the order of their reactions.
    pub(crate) asks_order: bool,
    /// Reactions that have happened in batches under way.
    pub(crate) fired: Vec<FiredReaction>,
    /// Entities that left their zone in batches under way, as they were just before.
    pub(crate) last_known: Vec<crate::react::last_known::LastKnown>,
    /// Batches whose last known information a stack item still needs, once per item.
    pub(crate) held_batches: Vec<u32>,
    /// Questions about secret reactions to events under way, and the reactions that players picked.
    pub(crate) secret_questions: Vec<crate::react::secret_reactions::SecretQuestion>,
    pub(crate) taken_reactions: Vec<crate::react::secret_reactions::TakenReaction>,
    /// Lists under construction. Empty whenever the match waits.
    pub(crate) building: Vec<Word>,
    /// Entities that may have offers to make. Empty whenever the match waits.
    pub(crate) candidates: Vec<crate::optimize::specializer::OfferCandidate>,
    /// Return value of the frame that ended last.
    pub(crate) returned: Word,
    /// Unused buffers, for reuse of their memory.
    spare_buffers: Vec<Vec<Word>>,
    /// Buffer for passing arguments without allocating.
    pub(crate) scratch: Vec<Word>,
    /// Buffer for the reactions to an event.
    pub(crate) spare_candidates: Vec<DueReaction>,
    /// Rules that ran since the match was last at rest, for cycle reports. Empty whenever the match waits.
    pub(crate) history: crate::run::cycle::RuleHistory,
    /// Trace of modified values, if the caller asked for one.
    pub(crate) trace: Option<Box<crate::react::explain::Trace>>,
}

/// Limit on registers in use. It bounds memory; no rule depends on it.
pub(crate) const MAX_REGISTERS: usize = 1 << 20;

/// Limit on nested evaluations, such as modifiers that read modified values. It bounds the native stack.
const MAX_NESTING: u16 = 200;

impl FrameStack {
    /// Adds the registers of a new frame, all null, and returns the index of the first.
    #[inline]
    pub(crate) fn push_registers(&mut self, registers: usize, depth: u32) -> Result<usize, FaultCode> {
        let base = self.regs.len();
        if self.stack.len() - self.member_count >= depth as usize || base + registers > MAX_REGISTERS {
            return Err(FaultCode::Depth);
        }
        self.regs.push_nulls(registers);
        Ok(base)
    }

    /// Adds the registers of a call with its context and arguments, and returns the index of the first.
    #[inline]
    pub(crate) fn push_call(
        &mut self,
        routine: &Routine,
        context: &[Word; Reg::CONTEXT as usize],
        args: &[Word],
        depth: u32,
    ) -> Result<usize, FaultCode> {
        let (base, registers) = (self.regs.len(), usize::from(routine.registers));
        if self.stack.len() - self.member_count >= depth as usize || base + registers > MAX_REGISTERS {
            return Err(FaultCode::Depth);
        }
        let args = args.get(..usize::from(routine.params)).unwrap_or(args);
        self.regs.push_call(registers, context, args);
        Ok(base)
    }

    /// Pops the top frame and its registers.
    #[inline]
    pub(crate) fn pop_frame(&mut self) {
        if let Some(frame) = self.stack.pop() {
            self.regs.truncate(frame.base() as usize);
            if let Frame::Event(frame) = frame {
                self.reactions.truncate(frame.reactions as usize);
                self.member_count -= usize::from(frame.batch != 0);
                self.end_secret_question(frame.base);
                if !self.fired.is_empty() || !self.last_known.is_empty() {
                    self.close_batch(crate::react::last_known::batch_of(&frame));
                }
            }
        }
    }

    /// Drops the last known information of a batch once no event of it is left and no stack item needs it. The frames
    /// of a batch are adjacent, so checking the top one is enough.
    pub(crate) fn close_batch(&mut self, batch: u32) {
        let is_open = self.stack.last().and_then(Frame::as_event).is_some_and(|event| event.batch == batch);
        if !is_open && !self.held_batches.contains(&batch) {
            self.fired.retain(|fired| fired.batch != batch);
            self.last_known.retain(|past| past.batch != batch);
        }
    }

    /// Returns an empty vector with recycled memory. Return it with [`FrameStack::return_buffer`].
    pub(crate) fn borrow_buffer(&mut self) -> Vec<Word> {
        self.spare_buffers.pop().unwrap_or_default()
    }

    pub(crate) fn return_buffer(&mut self, mut words: Vec<Word>) {
        words.clear();
        self.spare_buffers.push(words);
    }

    pub(crate) fn clear(&mut self) {
        self.stack.clear();
        self.regs.truncate(0);
        self.reactions.clear();
        self.uses.clear();
        self.checked_changes = 0;
        self.has_waiting = false;
        self.ordered_items.clear();
        self.asks_order = false;
        self.fired.clear();
        self.last_known.clear();
        self.held_batches.clear();
        self.secret_questions.clear();
        self.taken_reactions.clear();
        self.member_count = 0;
        self.clear_plans();
        self.building.clear();
        self.candidates.clear();
    }

    /// Frees memory that is not needed while the match waits.
    pub(crate) fn compact(&mut self) {
        let mut new = FrameStack::default();
        new.copy_from(self);
        *self = new;
    }

    /// Returns the index of the event frame whose registers begin at `base`.
    pub(crate) fn event_index(&self, base: Word) -> Option<usize> {
        event_index(&self.stack, base)
    }

    /// Returns the event frame whose registers begin at `base`.
    pub(crate) fn event_at(&self, base: Word) -> Option<&EventFrame> {
        self.stack[self.event_index(base)?].as_event()
    }

    /// Returns the index of the innermost group's frame.
    pub(crate) fn innermost_group(&self) -> Option<usize> {
        self.stack.iter().rposition(|frame| frame.as_group().is_some())
    }

    /// Returns the event frame at an index.
    ///
    /// # Errors
    ///
    /// Returns an error if no event is there.
    #[inline]
    pub(crate) fn event(&self, at: usize) -> Result<&EventFrame, FaultCode> {
        self.stack.get(at).and_then(Frame::as_event).ok_or(FaultCode::Missing)
    }

    #[inline]
    pub(crate) fn event_mut(&mut self, at: usize) -> Result<&mut EventFrame, FaultCode> {
        self.stack.get_mut(at).and_then(Frame::as_event_mut).ok_or(FaultCode::Missing)
    }

    /// Returns true if something is under way that [`FrameStack::copy_beginning`] does not copy.
    pub(crate) fn has_unsaved(&self) -> bool {
        let has_plans = !(self.plans.is_empty() && self.groups.is_empty() && self.planned.is_empty());
        has_plans || !self.building.is_empty() || !self.candidates.is_empty() || self.trace.is_some()
    }

    /// Copies frames in the middle of an input.
    pub(crate) fn copy_beginning(&mut self, other: &FrameStack) {
        self.copy_from(other);
        self.returned = other.returned;
        self.history.clone_from(&other.history);
    }

    fn clear_plans(&mut self) {
        self.plans.clear();
        self.groups.clear();
        self.planned.clear();
        self.plan_words.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &FrameStack) {
        copy_list(&mut self.stack, &other.stack);
        self.regs.copy_from(&other.regs);
        copy_list(&mut self.reactions, &other.reactions);
        copy_list(&mut self.uses, &other.uses);
        self.checked_changes = other.checked_changes;
        self.has_waiting = other.has_waiting;
        copy_list(&mut self.ordered_items, &other.ordered_items);
        self.asks_order = other.asks_order;
        copy_list(&mut self.fired, &other.fired);
        copy_list(&mut self.last_known, &other.last_known);
        copy_list(&mut self.held_batches, &other.held_batches);
        copy_list(&mut self.secret_questions, &other.secret_questions);
        copy_list(&mut self.taken_reactions, &other.taken_reactions);
        self.member_count = other.member_count;
        self.clear_plans();
        self.building.clear();
        self.candidates.clear();
        self.history.clear();
        self.returned = NULL;
    }
}

fn event_index(frames: &[Frame], base: Word) -> Option<usize> {
    let base = u32::try_from(base).ok()?;
    let first = frames.partition_point(|frame| frame.base() < base);
    let mut all = frames[first..].iter().take_while(|frame| frame.base() == base);
    all.position(|frame| frame.as_event().is_some()).map(|at| first + at)
}

/// Returns the type of the event whose registers begin at `base`.
pub(crate) fn event_type(frames: &[Frame], base: Word) -> Option<EventId> {
    frames[event_index(frames, base)?].as_event().map(|event| event.event)
}

/// The guards: what is left of the limits for the current input.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    pub(crate) steps: u32,
    pub(crate) events: u32,
    /// Words of payloads, logged or not.
    pub(crate) words: u32,
    /// Depth of evaluations within evaluations.
    pub(crate) nesting: u16,
    /// Number of the newest event.
    pub(crate) newest: u32,
    /// Number of the current input.
    pub(crate) input: u32,
    /// True if the fast path may be taken: nobody stops the match in the middle of an input.
    pub(crate) is_fast: bool,
    /// Steps beyond `steps`, while the host may interrupt.
    pub(crate) reserve: u32,
    pub(crate) interrupt: Option<Interrupt>,
    /// The host has interrupted: whatever the rules did since does not count.
    pub(crate) is_interrupted: bool,
}

/// The host's wish to give an input up. Once it has returned true, it must keep doing so until the input ends.
///
/// An interrupted input is refused and leaves no trace, so that replays do not depend on it.
pub type Interrupt = fn() -> bool;

/// Steps between two questions to the host.
const STEPS_PER_QUESTION: u32 = 1_024;

impl Meter {
    pub(crate) fn full(program: &Program) -> Meter {
        let limits = &program.limits;
        Meter { steps: limits.steps, events: limits.events, words: limits.heap, ..Meter::default() }
    }

    /// Creates a meter for a computation that changes nothing. The host may interrupt it.
    pub(crate) fn for_reading(program: &Program, board: &Board) -> Meter {
        let mut meter = Meter::full(program);
        meter.interrupt_by(board.read_interrupt);
        meter
    }

    /// Lowers the limits to a budget.
    pub(crate) fn tighten(&mut self, budget: ExecutionCost) {
        self.steps = self.steps.min(budget.steps);
        self.events = self.events.min(budget.events);
        self.words = self.words.min(budget.words);
    }

    /// Returns what was used between this state of the meter and a later one.
    pub(crate) fn cost_until(&self, later: &Meter) -> ExecutionCost {
        ExecutionCost {
            steps: self.all_steps() - later.all_steps(),
            events: self.events - later.events,
            words: self.words - later.words,
        }
    }

    /// Charges `count` steps.
    #[inline]
    pub(crate) fn charge_steps(&mut self, count: usize) -> Result<(), FaultCode> {
        match u32::try_from(count).ok().and_then(|count| self.steps.checked_sub(count)) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => self.refill(count),
        }
    }

    /// Lets the host interrupt from now on.
    pub(crate) fn interrupt_by(&mut self, interrupt: Option<Interrupt>) {
        self.interrupt = interrupt;
        if interrupt.is_some() {
            (self.steps, self.reserve) = (0, self.steps);
        }
    }

    /// Charges steps when the current slice is used up: asks the host, then continues with the next slice.
    #[cold]
    fn refill(&mut self, count: usize) -> Result<(), FaultCode> {
        let left = u32::try_from(count).ok();
        let left = left.and_then(|count| self.steps.saturating_add(self.reserve).checked_sub(count));
        let left = left.ok_or(FaultCode::Steps)?;
        self.is_interrupted |= self.interrupt.is_some_and(|interrupt| interrupt());
        if self.is_interrupted {
            return Err(FaultCode::Time);
        }
        self.steps = left.min(STEPS_PER_QUESTION);
        self.reserve = left - self.steps;
        Ok(())
    }

    /// Returns the number of steps that are left.
    #[inline]
    pub(crate) fn all_steps(&self) -> u32 {
        self.steps + self.reserve
    }

    /// Grants as many steps as the ruleset allows, for an assertion that computes something again.
    pub(crate) fn grant_all_steps(&mut self, program: &Program) {
        self.restore_steps((program.limits.steps, 0));
    }

    /// Returns the steps that are left, to restore them later.
    pub(crate) fn steps_left(&self) -> (u32, u32) {
        (self.steps, self.reserve)
    }

    pub(crate) fn restore_steps(&mut self, (steps, reserve): (u32, u32)) {
        (self.steps, self.reserve) = (steps, reserve);
    }

    /// Enters a nested evaluation, which uses native stack.
    #[inline]
    pub(crate) fn enter_nested(&mut self) -> Result<(), FaultCode> {
        if self.nesting >= MAX_NESTING {
            return Err(FaultCode::Depth);
        }
        self.nesting += 1;
        Ok(())
    }

    /// Returns true if `depth` more evaluations can be nested.
    #[inline]
    pub(crate) fn has_nesting_left(&self, depth: usize) -> bool {
        usize::from(self.nesting) + depth < usize::from(MAX_NESTING)
    }

    /// Charges `count` payload words.
    #[inline]
    pub(crate) fn charge_words(&mut self, count: usize) -> Result<(), FaultCode> {
        let left = u32::try_from(count).ok().and_then(|count| self.words.checked_sub(count));
        self.words = left.ok_or(FaultCode::Memory)?;
        Ok(())
    }

    /// Charges an event without numbering it yet.
    #[inline]
    pub(crate) fn charge_event(&mut self) -> Result<(), FaultCode> {
        self.events = self.events.checked_sub(1).ok_or(FaultCode::Events)?;
        Ok(())
    }

    /// Charges an event and returns its number.
    #[inline]
    pub(crate) fn next_event(&mut self) -> Result<u32, FaultCode> {
        self.charge_event()?;
        self.newest += 1;
        Ok(self.newest)
    }
}
