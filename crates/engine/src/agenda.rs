//! What is under way: frames over one stack of registers. It is data, so a waiting match can be stored.

use intermezzo_ruleset::{EventId, FaultCode, NULL, Program, ReactionId, Reg, RoutineId, Word};

use crate::copying::copy_list;
use crate::registers::Registers;

/// Where a frame stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Runs code.
    Code,
    /// An event's own code, run to its end by whoever started it.
    Fold,
    /// An event nobody listens to, being applied. Never waits.
    Quick,
    /// An event: reactions come before it.
    Before,
    /// An event: properties are set back.
    Resets,
    /// An event: its consequences run as code.
    Then,
    /// An event: reactions come after it.
    After,
    /// A list of entities is moved one by one.
    Moving,
    /// An event of a group, before the group is decided.
    Planned,
    /// A group whose members lie below it.
    Group,
    /// What was on the stack, or an action done at once, on its way to its end.
    Resolving,
    /// A player has left: what that set off comes to rest.
    Leaving,
    /// Runs pure code for someone who asks one question after the other. Never waits.
    Asked,
}

impl Stage {
    /// Whether the frame's code is what comes next.
    #[inline]
    pub(crate) fn is_code(self) -> bool {
        matches!(self, Stage::Code | Stage::Then | Stage::Fold | Stage::Quick | Stage::Asked)
    }
}

/// What a finished event gives to the frame that emitted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gives {
    /// Nothing.
    Nothing,
    /// A record of its payload and `applied`.
    Payload,
    /// The entity created.
    Entity,
    /// A record of faces and total.
    Roll,
    /// Whether it happened.
    Applied,
}

/// Whether an event under way will happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// So far, yes.
    Open,
    /// No: it was prevented.
    Prevented,
    /// No: something else happens instead.
    Replaced,
}

/// A reaction of an entity (or of the game: null).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Due {
    pub(crate) reaction: ReactionId,
    pub(crate) source: Word,
}

/// How often a reaction has happened within a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Use {
    pub(crate) due: Due,
    /// Which of the reaction's limits.
    pub(crate) limit: u8,
    /// Number of the phase or event, 0 for the match.
    pub(crate) scope: u32,
    pub(crate) count: u16,
}

impl Use {
    pub(crate) fn key(&self) -> (Due, u8, u32) {
        (self.due, self.limit, self.scope)
    }
}

/// A reaction that has happened in a batch under way and does not happen again for the same key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fired {
    pub(crate) batch: u32,
    pub(crate) due: Due,
    pub(crate) key: Vec<Word>,
}

/// Stands for "no routine".
pub(crate) const NO_ROUTINE: RoutineId = RoutineId(u16::MAX);

/// One level of what is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) stage: Stage,
    pub(crate) gives: Gives,
    pub(crate) routine: RoutineId,
    /// Register of the frame below that gets the result.
    pub(crate) ret: Reg,
    pub(crate) pc: u32,
    pub(crate) base: u32,
    /// Event whose life this belongs to; 0 for none.
    pub(crate) cause: u32,
    /// Whether the event will still happen, and who saw to it that it does not.
    pub(crate) fate: Fate,
    pub(crate) by: Word,
    /// The event's type and id, why it happened, and where its applied reactions begin.
    pub(crate) event: EventId,
    pub(crate) id: u32,
    pub(crate) parent: u32,
    /// For an event of a group: the number of the batch, which is the id of its first; 0 for one that happens by
    /// itself. For code: the batch it looks back on, 0 for none.
    pub(crate) batch: u32,
    pub(crate) reactions: u32,
    /// Property changed, or whether the front of a zone is meant.
    pub(crate) detail: u16,
    /// Which reset comes next, and for which row; for `After` whether reactions were collected.
    pub(crate) step: u16,
    pub(crate) row: u32,
}

impl Frame {
    pub(crate) fn code(program: &Program, routine: RoutineId, base: usize, ret: Reg, cause: u32) -> Frame {
        let pc = program.routines[routine.index()].entry;
        Frame { routine, ret, pc, cause, ..Frame::bare(Stage::Code, base) }
    }

    /// A frame without code and event.
    pub(crate) fn bare(stage: Stage, base: usize) -> Frame {
        Frame {
            stage,
            gives: Gives::Nothing,
            routine: NO_ROUTINE,
            ret: Reg::NONE,
            pc: 0,
            base: base as u32,
            cause: 0,
            fate: Fate::Open,
            by: NULL,
            event: EventId(0),
            id: 0,
            parent: 0,
            batch: 0,
            reactions: 0,
            detail: 0,
            step: 0,
            row: 0,
        }
    }

    /// The batch its code looks back on; 0 for none.
    #[inline]
    pub(crate) fn looks_back_on(&self) -> u32 {
        if self.stage == Stage::Code { self.batch } else { 0 }
    }

    pub(crate) fn is_event(&self) -> bool {
        let is_other = matches!(self.stage, Stage::Moving | Stage::Group | Stage::Resolving | Stage::Leaving);
        !is_other && !matches!(self.stage, Stage::Code | Stage::Asked)
    }
}

/// All frames with their registers.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    pub(crate) frames: Vec<Frame>,
    pub(crate) regs: Registers,
    /// Reactions of events under way: applied ones while `Before`, those still to come while `After`.
    pub(crate) reactions: Vec<Due>,
    /// Groups whose bodies are running, and what they have planned. Empty whenever the match waits.
    pub(crate) plans: Vec<crate::group::Plan>,
    pub(crate) groups: Vec<crate::decide::Group>,
    pub(crate) planned: Vec<crate::group::Planned>,
    pub(crate) plan_words: Vec<Word>,
    /// How many frames are those of a group's events: they lie beside each other, so they are not levels.
    pub(crate) members: usize,
    /// How often limited reactions have happened.
    pub(crate) uses: Vec<Use>,
    /// How many changes there were when state checks last ran.
    pub(crate) settled: i64,
    /// Some reactions wait to go on the stack.
    pub(crate) waiting: bool,
    /// Those of them whose order is settled, the first to happen first.
    pub(crate) ordered: Vec<Word>,
    /// A player is asked for the order of theirs.
    pub(crate) asks_order: bool,
    /// Which reactions have happened in batches under way.
    pub(crate) fired: Vec<Fired>,
    /// What has left in batches under way, as it was just before.
    pub(crate) past: Vec<crate::past::Past>,
    /// Batches that something on the stack looks back on, once for each.
    pub(crate) held: Vec<u32>,
    /// Lists under construction. Empty whenever the match waits.
    pub(crate) building: Vec<Word>,
    /// What may have offers to make. Empty whenever the match waits.
    pub(crate) candidates: Vec<crate::linking::Candidate>,
    /// What the frame that ended last returned.
    pub(crate) returned: Word,
    /// Vectors nobody uses now, kept for their memory.
    spare: Vec<Vec<Word>>,
    /// For passing arguments without allocating.
    pub(crate) scratch: Vec<Word>,
    /// What state checks have done since things were last at rest. Empty whenever the match waits.
    pub(crate) trail: crate::cycle::Trail,
    /// How modified values come about, where that was asked for.
    pub(crate) trace: Option<Box<crate::explain::Trace>>,
}

/// Registers at a time, a bound on memory rather than a rule.
pub(crate) const MAX_REGISTERS: usize = 1 << 20;

/// Computations within each other, such as modifiers that read what is modified: a bound on the native stack.
const MAX_NESTING: u16 = 200;

impl Agenda {
    /// Makes room for a frame of `registers`, all null.
    #[inline]
    pub(crate) fn grow(&mut self, registers: usize, depth: u32) -> Result<usize, FaultCode> {
        let base = self.regs.len();
        if self.frames.len() - self.members >= depth as usize || base + registers > MAX_REGISTERS {
            return Err(FaultCode::Depth);
        }
        self.regs.blank(registers);
        Ok(base)
    }

    /// Drops the top frame and its registers.
    #[inline]
    pub(crate) fn drop_top(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.regs.truncate(frame.base as usize);
            if frame.is_event() {
                self.reactions.truncate(frame.reactions as usize);
                self.members -= usize::from(frame.batch != 0);
                if !self.fired.is_empty() || !self.past.is_empty() {
                    self.close_batch(crate::past::batch_of(&frame));
                }
            }
        }
    }

    /// Forgets what is known of a batch if no event of it is left (they lie next to each other) and nothing on the
    /// stack looks back on it.
    pub(crate) fn close_batch(&mut self, batch: u32) {
        let is_open = self.frames.last().is_some_and(|frame| frame.is_event() && frame.batch == batch);
        if !is_open && !self.held.contains(&batch) {
            self.fired.retain(|fired| fired.batch != batch);
            self.past.retain(|past| past.batch != batch);
        }
    }

    /// An empty vector in memory used before; to be given back.
    pub(crate) fn borrow(&mut self) -> Vec<Word> {
        self.spare.pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&mut self, mut words: Vec<Word>) {
        words.clear();
        self.spare.push(words);
    }

    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.regs.truncate(0);
        self.reactions.clear();
        self.uses.clear();
        self.settled = 0;
        self.waiting = false;
        self.ordered.clear();
        self.asks_order = false;
        self.fired.clear();
        self.past.clear();
        self.held.clear();
        self.members = 0;
        self.drop_plans();
        self.building.clear();
        self.candidates.clear();
    }

    /// Gives back memory that is not needed while the match waits.
    pub(crate) fn compact(&mut self) {
        let mut new = Agenda::default();
        new.copy_from(self);
        *self = new;
    }

    /// The frame whose registers begin at `base`, if it is an event's.
    pub(crate) fn event_at(&self, base: Word) -> Option<&Frame> {
        let base = u32::try_from(base).ok()?;
        let at = self.frames.partition_point(|frame| frame.base < base);
        self.frames[at..].iter().take_while(|frame| frame.base == base).find(|frame| frame.is_event())
    }

    fn drop_plans(&mut self) {
        self.plans.clear();
        self.groups.clear();
        self.planned.clear();
        self.plan_words.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &Agenda) {
        copy_list(&mut self.frames, &other.frames);
        self.regs.copy_from(&other.regs);
        copy_list(&mut self.reactions, &other.reactions);
        copy_list(&mut self.uses, &other.uses);
        self.settled = other.settled;
        self.waiting = other.waiting;
        copy_list(&mut self.ordered, &other.ordered);
        self.asks_order = other.asks_order;
        copy_list(&mut self.fired, &other.fired);
        copy_list(&mut self.past, &other.past);
        copy_list(&mut self.held, &other.held);
        self.members = other.members;
        self.drop_plans();
        self.building.clear();
        self.candidates.clear();
        self.trail.clear();
        self.returned = NULL;
    }
}

/// What is left of the guards for the input being handled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meter {
    pub(crate) steps: u32,
    pub(crate) events: u32,
    /// Words of payloads, logged or not.
    pub(crate) words: u32,
    /// Questions asked while others are being computed.
    pub(crate) nesting: u16,
    /// Number of the newest event.
    pub(crate) newest: u32,
    /// Nobody keeps the log.
    pub(crate) is_quiet: bool,
}

impl Meter {
    pub(crate) fn full(program: &Program) -> Meter {
        let limits = &program.limits;
        Meter { steps: limits.steps, events: limits.events, words: limits.heap, ..Meter::default() }
    }

    /// Takes `count` steps.
    #[inline]
    pub(crate) fn steps(&mut self, count: usize) -> Result<(), FaultCode> {
        match u32::try_from(count).ok().and_then(|count| self.steps.checked_sub(count)) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => Err(FaultCode::Steps),
        }
    }

    /// Goes into a computation within a computation, which takes native stack.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<(), FaultCode> {
        if self.nesting >= MAX_NESTING {
            return Err(FaultCode::Depth);
        }
        self.nesting += 1;
        Ok(())
    }

    /// Takes room for a payload.
    #[inline]
    pub(crate) fn words(&mut self, count: usize) -> Result<(), FaultCode> {
        let left = u32::try_from(count).ok().and_then(|count| self.words.checked_sub(count));
        self.words = left.ok_or(FaultCode::Memory)?;
        Ok(())
    }

    /// Takes an event, which gets its number later.
    #[inline]
    pub(crate) fn event(&mut self) -> Result<(), FaultCode> {
        self.events = self.events.checked_sub(1).ok_or(FaultCode::Events)?;
        Ok(())
    }

    /// Takes an event; gives its number.
    #[inline]
    pub(crate) fn next_event(&mut self) -> Result<u32, FaultCode> {
        self.event()?;
        self.newest += 1;
        Ok(self.newest)
    }
}
