//! Restoring a snapshot. Nothing in it is trusted: inconsistent data is rejected.

use std::fmt;
use std::sync::Arc;

use intermezzo_program::{
    ActionId, BranchContent, Choice, ChoiceId, EventId, Instr, KindId, NULL, Program, PropId, ReactionId,
    Reg, RoutineId, Seat, Symbol, Type, TypeId, Word, native, word,
};

use crate::ask::auto_pass::{AutoPass, MAX_PASSES};
use crate::ask::input::InputId;
use crate::ask::request::{ChoiceRequest, QuestionState, RequestState, Requests, SeatQuestion};
use crate::optimize::program_index::ProgramIndex;
use crate::react::last_known::LastKnown;
use crate::react::secret_reactions::{SecretQuestion, TakenReaction};
use crate::run::chance::{Chance, DiceScript, Seed};
use crate::run::effects::Counters;
use crate::run::frames::{
    AfterStep, CodeFrame, Disposition, DueReaction, EventFrame, EventResult, FiredReaction, Frame,
    FrameStack, GroupFrame, ItemRule, LeaveFrame, LifecycleStage, MoveFrame, ReactionUse, ResolvingFrame,
};
use crate::run::group_commit::GroupDecision;
use crate::run::match_instance::Match;
use crate::storage::board::{Board, Entity, NO_DEF};
use crate::storage::codec::{FrameTag, StageTag, VERSION, unpack, window};
use crate::storage::fold::{LogFold, field_type};
use crate::values::typed::Shapes;

/// The reason a snapshot cannot be restored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestoreError {
    /// Another version of the engine wrote it.
    WrongVersion,
    /// It belongs to a match of another ruleset.
    WrongRuleset,
    /// It belongs to this ruleset, but to differently compiled code.
    OtherCode,
    /// The program is invalid.
    BadProgram,
    /// It is inconsistent.
    Corrupt,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RestoreError::WrongVersion => "the snapshot was written by another version",
            RestoreError::WrongRuleset => "the snapshot belongs to another ruleset",
            RestoreError::OtherCode => {
                "the ruleset was compiled differently since; replay the match from its inputs instead"
            }
            RestoreError::BadProgram => "the program cannot be run",
            RestoreError::Corrupt => "the snapshot is corrupt",
        })
    }
}

impl std::error::Error for RestoreError {}

/// Upper limit of counters in a snapshot, which leaves room to count on.
pub(crate) const MAX_COUNT: Word = 1 << 31;

impl Match {
    /// Restores a match from a snapshot.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a snapshot of a match of this program.
    pub fn restore(program: Arc<Program>, bytes: &[u8]) -> Result<Match, RestoreError> {
        let (version, rest) = bytes.split_first().ok_or(RestoreError::Corrupt)?;
        if *version != VERSION {
            return Err(RestoreError::WrongVersion);
        }
        let (hash, rest) = rest.split_at_checked(32).ok_or(RestoreError::Corrupt)?;
        if hash != program.hash {
            return Err(RestoreError::WrongRuleset);
        }
        let (fingerprint, rest) = rest.split_at_checked(8).ok_or(RestoreError::Corrupt)?;
        if fingerprint != program.fingerprint.to_le_bytes() {
            return Err(RestoreError::OtherCode);
        }
        let log_fold = LogFold::new(program);
        if log_fold.tables.problem.is_some() {
            return Err(RestoreError::BadProgram);
        }
        let words = unpack(rest).ok_or(RestoreError::Corrupt)?;
        read_match(log_fold, &words).ok_or(RestoreError::Corrupt)
    }
}

fn read_match(log_fold: LogFold, words: &[Word]) -> Option<Match> {
    let program = Arc::clone(&log_fold.program);
    let tables = Arc::clone(&log_fold.tables);
    let mut reader = SnapshotReader { program: &program, words };
    let mut board = reader.board(&tables)?;
    let frames = reader.frames(&mut board, &tables)?;
    let requests = reader.requests(&mut board, &frames)?;
    let auto = reader.auto_passes(board.seats)?;
    let chance = reader.chance()?;
    let counters = Counters {
        events: reader.below(MAX_COUNT)? as u32,
        questions: reader.below(MAX_COUNT)? as u32,
        inputs: reader.below(MAX_COUNT)? as u32,
    };
    let all_known =
        requests.questions.iter().chain(&requests.recent).all(|ask| ask.id.0 <= counters.questions);
    if !reader.words.is_empty() || !all_known {
        return None;
    }
    // A match that is not over must be waiting.
    let waits = requests.stack.last().is_some_and(|request| request.state == RequestState::Waiting);
    if board.end.is_some() == waits {
        return None;
    }
    let mut restored = Match::from_parts(log_fold, board, frames, requests, chance, counters);
    restored.auto_passes = auto;
    Some(restored)
}

/// The unread rest of a snapshot.
pub(crate) struct SnapshotReader<'a> {
    pub(crate) program: &'a Program,
    pub(crate) words: &'a [Word],
}

impl SnapshotReader<'_> {
    pub(crate) fn next(&mut self) -> Option<Word> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*first)
    }

    pub(crate) fn below(&mut self, limit: Word) -> Option<Word> {
        self.next().filter(|value| (0..limit).contains(value))
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        self.below(2).map(|value| value == 1)
    }

    /// Reads the number of items that each take at least one word.
    pub(crate) fn len(&mut self) -> Option<usize> {
        let limit = self.words.len() as Word + 1;
        self.below(limit).map(|len| len as usize)
    }

    pub(crate) fn value(&mut self, board: &mut Board, ty: TypeId) -> Option<Word> {
        let shapes = Shapes { program: self.program, seats: board.seats };
        shapes.unflatten(board, ty, &mut self.words)
    }

    fn list(&mut self, board: &mut Board, item: TypeId) -> Option<Word> {
        let count = self.len()?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(self.value(board, item)?);
        }
        board.heap.new_list(&items).ok()
    }

    /// Reads a reference to an entity that exists or existed, or null.
    pub(crate) fn reference(&mut self, board: &Board) -> Option<Word> {
        let value = self.next()?;
        let fits = |value: Word| {
            let entity = board.rows.get(word::row(value) as usize);
            value >= 0 && entity.is_some_and(|entity| word::generation(value) <= entity.generation)
        };
        (value == NULL || fits(value)).then_some(value)
    }

    pub(crate) fn references(&mut self, board: &mut Board) -> Option<Word> {
        let count = self.len()?;
        let items = (0..count).map(|_| self.reference(board)).collect::<Option<Vec<Word>>>()?;
        board.heap.new_list(&items).ok()
    }

    fn frames(&mut self, board: &mut Board, tables: &ProgramIndex) -> Option<FrameStack> {
        let mut frames = FrameStack::default();
        for _ in 0..self.len()? {
            self.frame(&mut frames, board, tables)?;
        }
        for _ in 0..self.len()? {
            frames.reactions.push(self.due(board)?);
        }
        for _ in 0..self.len()? {
            let due = self.due(board)?;
            let limit = self.below(1 << 8)? as u8;
            let (scope, count) = (self.below(1 << 32)? as u32, self.below(1 << 16)? as u16);
            frames.uses.push(ReactionUse { due, limit, scope, count });
        }
        for _ in 0..self.len()? {
            let (batch, due) = (self.below(MAX_COUNT)? as u32, self.due(board)?);
            let key = (0..self.len()?).map(|_| self.next()).collect::<Option<Vec<Word>>>()?;
            frames.fired.push(FiredReaction { batch, due, key });
        }
        frames.checked_changes = self.next()?;
        frames.has_waiting = self.flag()?;
        for _ in 0..self.len()? {
            frames.ordered_items.push(self.reference(board)?);
        }
        frames.asks_order = self.flag()?;
        for _ in 0..self.len()? {
            frames.held_batches.push(self.below(MAX_COUNT)? as u32);
        }
        for _ in 0..self.len()? {
            frames.last_known.push(self.last_known(board, tables)?);
        }
        if self.program.secret_question.is_some() {
            for _ in 0..self.len()? {
                let (base, is_answered) = (self.below(1 << 32)? as u32, self.flag()?);
                frames.secret_questions.push(SecretQuestion { base, is_answered });
            }
            for _ in 0..self.len()? {
                let (base, due) = (self.below(1 << 32)? as u32, self.due(board)?);
                frames.taken_reactions.push(TakenReaction { base, due });
            }
        }
        self.check_frames(&frames).then_some(frames)
    }

    fn last_known(&mut self, board: &mut Board, tables: &ProgramIndex) -> Option<LastKnown> {
        let program = self.program;
        let batch = self.below(MAX_COUNT)? as u32;
        let (entity, now, existed) = (self.reference(board)?, self.reference(board)?, self.flag()?);
        let kind = KindId(self.below(program.kinds.len() as Word)? as u16);
        let mut row = Entity { kind, ..Entity::vacant(word::generation(entity), 0) };
        row.def = self.below(1 << 16)? as u16;
        row.owner = self.below(1 << 8)? as u8;
        row.host = self.reference(board)?;
        row.zone = self.below(1 << 32)? as u32;
        row.index = self.below(1 << 32)? as u32;
        let def_fits = row.def == NO_DEF || usize::from(row.def) < program.defs.len();
        let columns = tables.columns(kind);
        let count = self.len()?;
        if !def_fits || (count != 0 && count != columns.len()) {
            return None;
        }
        let mut cells = vec![NULL; count];
        for (ty, value) in columns.iter().zip(&mut cells) {
            if let Some(ty) = ty {
                *value = self.value(board, *ty)?;
            }
        }
        let mut modified = Vec::new();
        for _ in 0..self.len()? {
            let prop = PropId(self.below(program.props.len() as Word)? as u16);
            modified.push((prop, self.value(board, program.props[prop.index()].ty)?));
        }
        let traits = (0..self.len()?).map(|_| self.below(1 << 16).map(|def| def as u16));
        let traits = traits.collect::<Option<Vec<u16>>>()?;
        Some(LastKnown { batch, entity, now, existed, row, cells, modified, traits })
    }

    fn due(&mut self, board: &Board) -> Option<DueReaction> {
        let reaction = ReactionId(self.below(self.program.reactions.len() as Word)? as u16);
        Some(DueReaction { reaction, source: self.reference(board)? })
    }

    /// Reads a frame and its registers.
    fn frame(&mut self, frames: &mut FrameStack, board: &mut Board, tables: &ProgramIndex) -> Option<()> {
        let program = self.program;
        let (base, cause) = (frames.regs.len() as u32, self.count()?);
        let registers = |routine: RoutineId| {
            program.routines.get(routine.index()).map(|routine| usize::from(routine.registers))
        };
        let tag = FrameTag::ALL[self.below(FrameTag::ALL.len() as Word)? as usize];
        let (frame, size) = match tag {
            FrameTag::Code => {
                let (routine, ret) = (RoutineId(self.word16()?), Reg(self.word16()?));
                let (pc, batch) = (self.below(1 << 32)? as u32, self.count()?);
                runs_at(tables, pc, routine).then_some(())?;
                let frame = Frame::Code(CodeFrame { base, cause, pc, batch, routine, ret });
                (frame, registers(routine)?)
            }
            FrameTag::Event => {
                let event = self.event(board, tables, base, cause)?;
                (Frame::Event(event), window(program, event.event))
            }
            FrameTag::MovingList => {
                let frame = Frame::MovingList(MoveFrame { base, cause, is_top: self.flag()? });
                (frame, window(program, native::MOVED))
            }
            FrameTag::Group => {
                let frame = Frame::Group(GroupFrame {
                    base,
                    cause,
                    members: self.below(1 << 32).filter(|members| *members > 0)? as u32,
                    reactions: self.below(1 << 32)? as u32,
                    inherited: self.word16()?,
                    has_lost: self.flag()?,
                    asks_order: self.flag()?,
                });
                (frame, self.len()?)
            }
            FrameTag::Resolving => {
                let (id, batch) = (self.count()?, self.count()?);
                let rule = match self.flag()? {
                    false => ItemRule::Action(ActionId(self.word16()?)),
                    true => ItemRule::Reaction(ReactionId(self.word16()?)),
                };
                let (step, is_prevented) = (self.word16()?, self.flag()?);
                let item = self.reference(board)?;
                let (_, effects) = rule.name_and_effects(program)?;
                let frame = ResolvingFrame { base, cause, id, batch, rule, step, is_prevented, item };
                (Frame::Resolving(frame), registers(effects)?)
            }
            FrameTag::Leaving => {
                let floor = self.below(1 << 32)? as u32;
                (Frame::Leaving(LeaveFrame { base, cause, floor }), 0)
            }
        };
        let base = frames.push_registers(size, program.limits.depth).ok()?;
        self.registers(frames, board, &frame, base)?;
        if let Frame::Group(group) = &frame {
            let decision = GroupDecision::read(&frames.regs[base..])?;
            decision.fits(program, frames, group.members as usize).then_some(())?;
        }
        frames.member_count += usize::from(frame.is_member());
        frames.stack.push(frame);
        Some(())
    }

    fn event(&mut self, board: &Board, tables: &ProgramIndex, base: u32, cause: u32) -> Option<EventFrame> {
        let fates = [Disposition::Open, Disposition::Prevented, Disposition::Replaced];
        let results = [
            EventResult::Nothing,
            EventResult::Payload,
            EventResult::Entity,
            EventResult::Roll,
            EventResult::Applied,
            EventResult::Number,
        ];
        let event = EventId(self.below(self.program.events.len() as Word)? as u16);
        let (id, parent, batch) = (self.count()?, self.count()?, self.count()?);
        let reactions = self.below(1 << 32)? as u32;
        let (detail, ret) = (self.word16()?, Reg(self.word16()?));
        let result = results[self.below(results.len() as Word)? as usize];
        let disposition = fates[self.below(fates.len() as Word)? as usize];
        let by = self.reference(board)?;
        let tag = StageTag::ALL[self.below(StageTag::ALL.len() as Word)? as usize];
        let (first, second) = (self.below(1 << 32)? as u32, self.below(1 << 32)? as u32);
        let stage = match tag {
            StageTag::Planned => LifecycleStage::Planned,
            StageTag::Before => LifecycleStage::Before { asks_order: first != 0 },
            StageTag::Resets => LifecycleStage::Resets { step: u16::try_from(first).ok()?, row: second },
            StageTag::Then => LifecycleStage::Then,
            StageTag::Collect => LifecycleStage::After(AfterStep::Collect),
            StageTag::Run => LifecycleStage::After(AfterStep::Run { ordered: first }),
            StageTag::OrderAsked => LifecycleStage::After(AfterStep::OrderAsked { ordered: first }),
            StageTag::InOrder => LifecycleStage::After(AfterStep::InOrder),
            StageTag::OfArea => LifecycleStage::After(AfterStep::OfArea { event: first }),
        };
        let pc = if stage == LifecycleStage::Then { first } else { 0 };
        let result_fits = match result {
            EventResult::Nothing | EventResult::Payload | EventResult::Applied => true,
            EventResult::Number => event == native::ANNOUNCED,
            EventResult::Entity => [native::CREATED, native::MOVED].contains(&event),
            EventResult::Roll => event == native::ROLLED,
        };
        let own = self.program.events[event.index()].routine;
        let runs = stage != LifecycleStage::Then || own.is_some_and(|own| runs_at(tables, pc, own));
        let is_prop = event != native::CHANGED || usize::from(detail) < self.program.props.len();
        let is_planned = stage != LifecycleStage::Planned || batch != 0;
        (result_fits && runs && is_prop && is_planned).then_some(())?;
        Some(EventFrame {
            base,
            cause,
            pc,
            batch,
            id,
            parent,
            reactions,
            event,
            detail,
            stage,
            ret,
            result,
            disposition,
            by,
        })
    }

    fn registers(
        &mut self,
        frames: &mut FrameStack,
        board: &mut Board,
        frame: &Frame,
        base: usize,
    ) -> Option<()> {
        let program = self.program;
        let context = usize::from(Reg::CONTEXT);
        let mut fields = context..context;
        match frame {
            Frame::MovingList(_) => {
                frames.regs[base] = self.references(board)?;
                frames.regs[base + 1] = self.below(board.zones.count() as Word)?;
                frames.regs[base + 2] = self.below(MAX_COUNT)?;
            }
            Frame::Group(_) => {
                for at in base..frames.regs.len() {
                    frames.regs[at] = self.next()?;
                }
            }
            Frame::Event(event) => {
                let kind = &program.events[event.event.index()];
                fields.end += kind.fields.len();
                frames.regs[base + usize::from(Reg::EVENT.0)] = base as Word;
                for (index, field) in kind.fields.iter().enumerate() {
                    let ty = field_type(program, field.ty, event.detail);
                    frames.regs[base + context + index] = self.value(board, ty)?;
                }
                for _ in 0..self.len()? {
                    let prop = self.below(program.props.len() as Word)?;
                    let value = self.value(board, program.props[prop as usize].ty)?;
                    frames.regs.push(prop);
                    frames.regs.push(value);
                }
            }
            Frame::Code(_) | Frame::Scratch(_) | Frame::Resolving(_) | Frame::Leaving(_) => {}
        }
        let routine = frame.routine(program).and_then(|routine| program.routines.get(routine.index()));
        if let Some(routine) = routine {
            for (at, ty) in routine.locals.iter().enumerate().filter(|(at, _)| !fields.contains(at)) {
                frames.regs[base + at] = self.value(board, *ty)?;
            }
        }
        Some(())
    }

    /// Reads a number of an event, or 0.
    fn count(&mut self) -> Option<u32> {
        self.below(MAX_COUNT).map(|count| count as u32)
    }

    fn word16(&mut self) -> Option<u16> {
        self.below(1 << 16).map(|word| word as u16)
    }

    /// Checks that events referred to are under way, results go to existing registers and applied reactions are in
    /// order.
    fn check_frames(&self, frames: &FrameStack) -> bool {
        let program = self.program;
        let mut reactions = 0;
        for (index, frame) in frames.stack.iter().enumerate() {
            let below = index.checked_sub(1).map(|below| frames.stack[below].base());
            let ret_fits = frame.ret() == Reg::NONE
                || below.is_some_and(|base| u32::from(frame.ret().0) < frame.base() - base);
            if !ret_fits {
                return false;
            }
            if let Frame::Event(event) = frame {
                if event.reactions < reactions || event.reactions as usize > frames.reactions.len() {
                    return false;
                }
                reactions = event.reactions;
            }
            let routine = frame.routine(program).and_then(|routine| program.routines.get(routine.index()));
            let Some(routine) = routine else {
                continue;
            };
            for (at, ty) in routine.locals.iter().enumerate() {
                let value = frames.regs[frame.base() as usize + at];
                let is_event = program.types[ty.index()] == Type::Event;
                if is_event && value != NULL && frames.event_at(value).is_none() {
                    return false;
                }
            }
        }
        true
    }

    /// Reads the seats with auto-pass on, in ascending order.
    fn auto_passes(&mut self, seats: u8) -> Option<Vec<AutoPass>> {
        let mut all: Vec<AutoPass> = Vec::new();
        for _ in 0..self.len()? {
            let seat = Seat(self.below(Word::from(seats))? as u8);
            let phase = self.next().filter(|phase| *phase == NULL || u32::try_from(*phase).is_ok())?;
            let stops = self.flag()?;
            let passes = self.below(Word::from(MAX_PASSES) + 1)? as u32;
            all.last().is_none_or(|last| last.seat < seat).then_some(())?;
            all.push(AutoPass { seat, phase, stops, passes });
        }
        Some(all)
    }

    fn requests(&mut self, board: &mut Board, frames: &FrameStack) -> Option<Requests> {
        let program = self.program;
        let mut requests = Requests::default();
        let count = self.len()?;
        for index in 0..count {
            let choice = ChoiceId(self.below(program.choices.len() as Word)? as u16);
            let standing =
                [RequestState::Asking, RequestState::Waiting, RequestState::Aside][self.below(3)? as usize];
            let frame = self.below(frames.stack.len() as Word)? as u32;
            let open_pc = self.below(program.code.len() as Word)? as u32;
            let (first, first_word) = (requests.questions.len() as u32, requests.words.len() as u32);
            let request = ChoiceRequest { choice, state: standing, frame, open_pc, first, first_word };
            self.check_request(frames, &request, index + 1 == count).then_some(())?;
            requests.stack.push(request);
            for _ in 0..self.len()? {
                let mut ask = self.ask(board, choice)?;
                ask.branches = requests.words.len() as u32;
                let seen = &requests.questions[first as usize..];
                // Questions that were not asked have no id.
                let is_same = |other: &SeatQuestion| other.id == ask.id && ask.id != InputId(0);
                if seen.iter().any(|other| other.seat == ask.seat || is_same(other)) {
                    return None;
                }
                self.branches(board, &mut requests, choice)?;
                requests.questions.push(ask);
            }
        }
        for _ in 0..self.len()? {
            let choice = ChoiceId(self.below(program.choices.len() as Word)? as u16);
            let ask = self.ask(board, choice)?;
            requests.recent.push(ask);
        }
        Some(requests)
    }

    /// Checks that a request waits at its `Await` on top, or will be asked again from its `Open`.
    fn check_request(&self, frames: &FrameStack, request: &ChoiceRequest, is_top: bool) -> bool {
        let program = self.program;
        let frame = &frames.stack[request.frame as usize];
        let opens = program.code[request.open_pc as usize] == Instr::Open { choice: request.choice };
        let at = program.code.get(frame.pc() as usize).copied();
        let waits = matches!(at, Some(Instr::Await { choice, .. }) if choice == request.choice);
        let fits = match request.state {
            RequestState::Asking => false,
            RequestState::Waiting => is_top && waits && request.frame as usize + 1 == frames.stack.len(),
            RequestState::Aside => frame.pc() == request.open_pc,
        };
        frame.runs_code() && opens && fits
    }

    fn branches(&mut self, board: &mut Board, requests: &mut Requests, choice: ChoiceId) -> Option<()> {
        let choice = &self.program.choices[choice.index()];
        let first = requests.words.len();
        for _ in &choice.branches {
            let available = Word::from(self.flag()?);
            let options = self.list(board, choice.item)?;
            let (min, max) = (self.below(1 << 32)?, self.below(1 << 32)?);
            requests.words.extend([available, options, min, max]);
        }
        let words = &requests.words[first..];
        (0..choice.branches.len()).all(|at| branch_fits(board, choice, words, at)).then_some(())
    }

    fn ask(&mut self, board: &mut Board, id: ChoiceId) -> Option<SeatQuestion> {
        let choice = &self.program.choices[id.index()];
        Some(SeatQuestion {
            choice: id,
            id: InputId(self.below(MAX_COUNT)? as u32),
            seat: Seat(self.below(Word::from(board.seats))? as u8),
            state: [QuestionState::Open, QuestionState::Answered][self.below(2)? as usize],
            touched: self.flag()?,
            has_draft: self.flag()?,
            draft_is_legal: self.flag()?,
            how: Symbol(self.below(self.program.symbols.len() as Word)? as u32),
            min: self.below(1 << 32)? as u32,
            max: self.below(1 << 32)? as u32,
            branches: 0,
            options: self.list(board, choice.item)?,
            deadline: self.next()?,
            default: self.value(board, choice.value)?,
            draft: self.value(board, choice.value)?,
            answer: self.value(board, choice.value)?,
        })
    }

    fn chance(&mut self) -> Option<Chance> {
        let mut seed = [0; 32];
        for chunk in seed.chunks_exact_mut(4) {
            chunk.copy_from_slice(&(self.below(1 << 32)? as u32).to_le_bytes());
        }
        let position = self.below(Word::MAX)? as u64;
        let used = self.below(MAX_COUNT)? as u32;
        let mut script = DiceScript::default();
        for _ in 0..self.len()? {
            let label = match self.next()? {
                -1 => None,
                label => Some(Symbol(u32::try_from(label).ok()?)),
            };
            let faces = (0..self.len()?).map(|_| self.next()).collect::<Option<Vec<Word>>>()?;
            script.rolls.push((label, faces));
        }
        if used as usize > script.rolls.len() {
            return None;
        }
        let mut chance = Chance::new(Seed(seed), script);
        chance.set_position(position);
        chance.used = used;
        Some(chance)
    }
}

/// Returns true if the code at an address belongs to a routine.
fn runs_at(tables: &ProgramIndex, pc: u32, routine: RoutineId) -> bool {
    tables.owner.get(pc as usize) == Some(&routine.0)
}

/// Returns true if the bounds of a branch do not exceed its options or branches.
fn branch_fits(board: &Board, choice: &Choice, words: &[Word], at: usize) -> bool {
    let (options, min, max) = (words[4 * at + 1], words[4 * at + 2], words[4 * at + 3]);
    let options = board.heap.list(options).map_or(0, <[Word]>::len);
    let there_are = match choice.branches[at].inner {
        BranchContent::Nothing => 0,
        BranchContent::Options => options,
        BranchContent::Branches => {
            choice.branches_of(Some(at as u16)).filter(|at| words[4 * at] == 1).count()
        }
    };
    min <= max
        && max <= there_are as Word
        && (options == 0 || choice.branches[at].inner == BranchContent::Options)
}
