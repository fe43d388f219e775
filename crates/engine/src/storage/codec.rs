//! The canonical encoding of a match: equal for any two matches that behave the same.
//!
//! A match is encoded as a sequence of words, with values flattened by type, and the words as variable-length
//! bytes. Heap addresses, the layout of zones and dead registers leave no trace. Reading it back is in
//! [`restore`](crate::storage::restore).

use intermezzo_program::{EventId, Program, Reg, TypeId, Word};

use crate::ask::request::SeatQuestion;
use crate::optimize::program_index::ProgramIndex;
use crate::react::last_known::LastKnown;
use crate::run::frames::{AfterStep, DueReaction, EventFrame, Frame, ItemRule, LifecycleStage};
use crate::run::match_instance::Match;
use crate::storage::board::Board;
use crate::storage::fold::field_type;
use crate::values::typed::{MAX_FLAT_WORDS, Shapes};

/// First byte of every snapshot.
pub(crate) const VERSION: u8 = 4;

impl Match {
    /// Encodes the whole match as bytes.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.program.hash);
        bytes.extend_from_slice(&self.program.fingerprint.to_le_bytes());
        pack(&self.words(), &mut bytes);
        bytes
    }

    /// Hashes the match: board, counters and the position of chance.
    ///
    /// Frames and questions are left out. They follow from the inputs, and a later compiler may produce other code
    /// for the same rules; a stored hash must still match then.
    #[must_use]
    pub fn state_hash(&self) -> [u8; 32] {
        // Rows and cells make up most of the output, and most words are small.
        let words = 10 * self.board.rows.len() + self.board.cells.len() + 64;
        let out = Vec::with_capacity(words);
        let mut writer =
            SnapshotWriter { program: &self.program, tables: &self.tables, board: &self.board, out };
        writer.board();
        writer.chance_and_counters(self);
        let mut bytes = Vec::with_capacity(self.program.hash.len() + 2 * writer.out.len());
        bytes.extend_from_slice(&self.program.hash);
        pack(&writer.out, &mut bytes);
        *blake3::hash(&bytes).as_bytes()
    }

    fn words(&self) -> Vec<Word> {
        let mut writer = SnapshotWriter {
            program: &self.program,
            tables: &self.tables,
            board: &self.board,
            out: Vec::new(),
        };
        writer.board();
        writer.frames(self);
        writer.requests(self);
        writer.auto_passes(self);
        writer.chance_and_counters(self);
        writer.out
    }
}

impl Board {
    /// Encodes the board as bytes. Equal boards give equal bytes.
    #[must_use]
    pub fn encode(&self, program: &Program) -> Vec<u8> {
        let tables = ProgramIndex::new(program);
        let mut writer = SnapshotWriter { program, tables: &tables, board: self, out: Vec::new() };
        writer.board();
        let mut bytes = Vec::new();
        pack(&writer.out, &mut bytes);
        bytes
    }
}

/// Returns the registers that hold the `with` pairs of a `Created` event.
pub(crate) fn with_pairs<'a>(program: &Program, frame: &EventFrame, regs: &'a mut [Word]) -> &'a mut [Word] {
    let first = window(program, frame.event).min(regs.len());
    if frame.event == intermezzo_program::native::CREATED { &mut regs[first..] } else { &mut [] }
}

/// Returns the number of registers of an event frame, without `with` pairs.
pub(crate) fn window(program: &Program, event: EventId) -> usize {
    let kind = &program.events[event.index()];
    let routine = kind.routine.and_then(|routine| program.routines.get(routine.index()));
    let code = routine.map_or(0, |routine| usize::from(routine.registers));
    code.max(usize::from(Reg::CONTEXT) + kind.fields.len())
}

/// Numbers of the kinds of frames in snapshots.
#[derive(Clone, Copy)]
pub(crate) enum FrameTag {
    Code,
    Event,
    MovingList,
    Group,
    Resolving,
    Leaving,
}

impl FrameTag {
    pub(crate) const ALL: [FrameTag; 6] = [
        FrameTag::Code,
        FrameTag::Event,
        FrameTag::MovingList,
        FrameTag::Group,
        FrameTag::Resolving,
        FrameTag::Leaving,
    ];
}

/// Numbers of the steps in the life of an event in snapshots.
#[derive(Clone, Copy)]
pub(crate) enum StageTag {
    Planned,
    Before,
    Resets,
    Then,
    Collect,
    Run,
    OrderAsked,
    InOrder,
    OfArea,
}

impl StageTag {
    pub(crate) const ALL: [StageTag; 9] = [
        StageTag::Planned,
        StageTag::Before,
        StageTag::Resets,
        StageTag::Then,
        StageTag::Collect,
        StageTag::Run,
        StageTag::OrderAsked,
        StageTag::InOrder,
        StageTag::OfArea,
    ];
}

struct SnapshotWriter<'a> {
    program: &'a Program,
    tables: &'a ProgramIndex,
    board: &'a Board,
    out: Vec<Word>,
}

impl SnapshotWriter<'_> {
    fn put(&mut self, value: impl Into<Word>) {
        self.out.push(value.into());
    }

    fn len(&mut self, len: usize) {
        self.out.push(len as Word);
    }

    fn value(&mut self, ty: TypeId, value: Word) {
        let shapes = Shapes { program: self.program, seats: self.board.seats };
        shapes.flatten(&self.board.heap, ty, value, MAX_FLAT_WORDS, &mut self.out);
    }

    /// Writes a list of items of a type, or of plain words if `item` is `None`.
    fn list(&mut self, item: Option<TypeId>, list: Word) {
        let board = self.board;
        let items = board.heap.list(list).unwrap_or(&[]);
        self.len(items.len());
        for value in items {
            match item {
                Some(ty) => self.value(ty, *value),
                None => self.put(*value),
            }
        }
    }

    fn board(&mut self) {
        let board = self.board;
        self.put(board.seats);
        self.len(board.rows.len());
        for entity in &board.rows {
            self.put(entity.generation);
            self.put(entity.alive);
            if entity.alive {
                self.put(entity.kind.0);
                self.put(entity.def);
                self.put(entity.owner);
                self.put(entity.host);
                self.put(entity.until);
                self.put(entity.zones);
            }
        }
        self.len(board.free_rows.len());
        board.free_rows.iter().for_each(|row| self.put(*row));
        self.zones();
        for entity in board.rows.iter().filter(|entity| entity.alive) {
            let tables = self.tables;
            for (column, ty) in tables.columns(entity.kind).iter().enumerate() {
                if let Some(ty) = ty {
                    self.value(*ty, board.cells[entity.base as usize + column]);
                }
            }
        }
        self.len(board.phases.len());
        for entry in &board.phases {
            self.put(entry.number);
            self.put(entry.phase.0);
            self.put(entry.player);
            self.put(entry.subject);
        }
        self.put(board.changes);
        self.put(board.end.is_some());
        if let Some(end) = board.end {
            self.put(end.outcome);
            self.list(None, end.winners);
            self.list(None, end.losers);
            self.put(end.pot);
            if let Some(ty) = self.program.score_type() {
                self.value(ty, end.score);
            }
        }
        board.left_seats.iter().for_each(|gone| self.put(*gone));
    }

    fn zones(&mut self) {
        let board = self.board;
        self.len(board.zones.count());
        for zone in 0..board.zones.count() as u32 {
            let rows = board.zones.rows(zone);
            self.len(rows.len());
            rows.iter().for_each(|row| self.put(*row));
        }
        for kind in 0..self.program.kinds.len() {
            let blocks = board.free_blocks.get(kind).map_or(&[][..], Vec::as_slice);
            self.len(blocks.len());
            blocks.iter().for_each(|first| self.put(*first));
        }
    }

    fn frames(&mut self, state: &Match) {
        let frames = &state.frames;
        self.len(frames.stack.len());
        for (index, frame) in frames.stack.iter().enumerate() {
            let end = frames.stack.get(index + 1).map_or(frames.regs.len(), |next| next.base() as usize);
            self.frame(frame);
            self.registers(frame, &frames.regs[frame.base() as usize..end]);
        }
        self.len(frames.reactions.len());
        frames.reactions.iter().for_each(|due| self.due(*due));
        let mut uses = frames.uses.clone();
        uses.sort_unstable_by_key(|used| (used.due.reaction, used.due.source, used.limit, used.scope));
        self.len(uses.len());
        for used in uses {
            self.due(used.due);
            self.put(used.limit);
            self.put(used.scope);
            self.put(used.count);
        }
        self.len(frames.fired.len());
        for fired in &frames.fired {
            self.put(fired.batch);
            self.due(fired.due);
            self.len(fired.key.len());
            fired.key.iter().for_each(|value| self.put(*value));
        }
        self.put(frames.checked_changes);
        self.put(frames.has_waiting);
        self.len(frames.ordered_items.len());
        frames.ordered_items.iter().for_each(|item| self.put(*item));
        self.put(frames.asks_order);
        self.len(frames.held_batches.len());
        frames.held_batches.iter().for_each(|batch| self.put(*batch));
        self.len(frames.last_known.len());
        frames.last_known.iter().for_each(|known| self.last_known(known));
        if self.program.secret_question.is_some() {
            self.len(frames.secret_questions.len());
            for question in &frames.secret_questions {
                self.put(question.base);
                self.put(question.is_answered);
            }
            self.len(frames.taken_reactions.len());
            for taken in &frames.taken_reactions {
                self.put(taken.base);
                self.due(taken.due);
            }
        }
    }

    fn last_known(&mut self, known: &LastKnown) {
        self.put(known.batch);
        self.put(known.entity);
        self.put(known.now);
        self.put(known.existed);
        self.put(known.row.kind.0);
        self.put(known.row.def);
        self.put(known.row.owner);
        self.put(known.row.host);
        self.put(known.row.zone);
        self.put(known.row.index);
        self.len(known.cells.len());
        let tables = self.tables;
        for (ty, value) in tables.columns(known.row.kind).iter().zip(&known.cells) {
            if let Some(ty) = ty {
                self.value(*ty, *value);
            }
        }
        self.len(known.modified.len());
        for (prop, value) in &known.modified {
            self.put(prop.0);
            self.value(self.program.props[prop.index()].ty, *value);
        }
        self.len(known.traits.len());
        known.traits.iter().for_each(|def| self.put(*def));
    }

    fn due(&mut self, due: DueReaction) {
        self.put(due.reaction.0);
        self.put(due.source);
    }

    /// Writes a frame. `SnapshotReader::frame` reads the fields in the same order.
    fn frame(&mut self, frame: &Frame) {
        self.put(frame.cause());
        match frame {
            // Scratch frames are gone when a match waits.
            Frame::Code(code) | Frame::Scratch(code) => {
                self.put(FrameTag::Code as u8);
                self.put(code.routine.0);
                self.put(code.ret.0);
                self.put(code.pc);
                self.put(code.batch);
            }
            Frame::Event(event) => {
                self.put(FrameTag::Event as u8);
                self.event(event);
            }
            Frame::MovingList(list) => {
                self.put(FrameTag::MovingList as u8);
                self.put(list.is_top);
            }
            Frame::Group(group) => {
                self.put(FrameTag::Group as u8);
                self.put(group.members);
                self.put(group.reactions);
                self.put(group.inherited);
                self.put(group.has_lost);
                self.put(group.asks_order);
            }
            Frame::Resolving(item) => {
                self.put(FrameTag::Resolving as u8);
                self.put(item.id);
                self.put(item.batch);
                let (is_reaction, rule) = match item.rule {
                    ItemRule::Action(action) => (false, action.0),
                    ItemRule::Reaction(reaction) => (true, reaction.0),
                };
                self.put(is_reaction);
                self.put(rule);
                self.put(item.step);
                self.put(item.is_prevented);
                self.put(item.item);
            }
            Frame::Leaving(leave) => {
                self.put(FrameTag::Leaving as u8);
                self.put(leave.floor);
            }
        }
    }

    fn event(&mut self, event: &EventFrame) {
        self.put(event.event.0);
        self.put(event.id);
        self.put(event.parent);
        self.put(event.batch);
        self.put(event.reactions);
        self.put(event.detail);
        self.put(event.ret.0);
        self.put(event.result as u8);
        self.put(event.disposition as u8);
        self.put(event.by);
        let (stage, words) = match event.stage {
            LifecycleStage::Planned => (StageTag::Planned, [0, 0]),
            // Code inside a call is over when a match waits.
            LifecycleStage::Before { asks_order } => (StageTag::Before, [Word::from(asks_order), 0]),
            LifecycleStage::Fold | LifecycleStage::FastPath => (StageTag::Before, [0, 0]),
            LifecycleStage::Resets { step, row } => (StageTag::Resets, [Word::from(step), Word::from(row)]),
            LifecycleStage::Then => (StageTag::Then, [Word::from(event.pc), 0]),
            LifecycleStage::After(step) => match step {
                AfterStep::Collect => (StageTag::Collect, [0, 0]),
                AfterStep::Run { ordered } => (StageTag::Run, [Word::from(ordered), 0]),
                AfterStep::OrderAsked { ordered } => (StageTag::OrderAsked, [Word::from(ordered), 0]),
                AfterStep::InOrder => (StageTag::InOrder, [0, 0]),
                AfterStep::OfArea { event } => (StageTag::OfArea, [Word::from(event), 0]),
            },
        };
        self.put(stage as u8);
        words.iter().for_each(|word| self.put(*word));
    }

    fn registers(&mut self, frame: &Frame, regs: &[Word]) {
        let program = self.program;
        let context = usize::from(Reg::CONTEXT);
        let mut fields = context..context;
        match frame {
            Frame::MovingList(_) => {
                self.list(None, regs[0]);
                self.put(regs[1]);
                self.put(regs[2]);
            }
            Frame::Group(_) => {
                self.len(regs.len());
                regs.iter().for_each(|word| self.put(*word));
            }
            Frame::Event(event) => {
                let kind = &program.events[event.event.index()];
                fields.end += kind.fields.len();
                for (field, value) in kind.fields.iter().zip(&regs[context..]) {
                    self.value(field_type(program, field.ty, event.detail), *value);
                }
                let mut regs = regs.to_vec();
                let pairs = with_pairs(program, event, &mut regs);
                self.len(pairs.len() / 2);
                for pair in pairs.chunks_exact(2) {
                    self.put(pair[0]);
                    self.value(program.props[pair[0] as usize].ty, pair[1]);
                }
            }
            Frame::Code(_) | Frame::Scratch(_) | Frame::Resolving(_) | Frame::Leaving(_) => {}
        }
        let routine = frame.routine(program).and_then(|routine| program.routines.get(routine.index()));
        if let Some(routine) = routine {
            for (at, ty) in routine.locals.iter().enumerate().filter(|(at, _)| !fields.contains(at)) {
                self.value(*ty, regs[at]);
            }
        }
    }

    fn auto_passes(&mut self, state: &Match) {
        self.len(state.auto_passes.len());
        for auto in &state.auto_passes {
            self.put(auto.seat.0);
            self.put(auto.phase);
            self.put(auto.stops);
            self.put(auto.passes);
        }
    }

    fn requests(&mut self, state: &Match) {
        let requests = &state.requests;
        self.len(requests.stack.len());
        for (index, request) in requests.stack.iter().enumerate() {
            let end =
                requests.stack.get(index + 1).map_or(requests.questions.len(), |next| next.first as usize);
            self.put(request.choice.0);
            self.put(request.state as u8);
            self.put(request.frame);
            self.put(request.open_pc);
            self.len(end - request.first as usize);
            for ask in &requests.questions[request.first as usize..end] {
                self.ask(ask);
                let choice = &self.program.choices[ask.choice.index()];
                for branch in 0..choice.branches.len() {
                    let at = ask.branches as usize + 4 * branch;
                    self.put(requests.words[at]);
                    self.list(Some(choice.item), requests.words[at + 1]);
                    self.put(requests.words[at + 2]);
                    self.put(requests.words[at + 3]);
                }
            }
        }
        self.len(requests.recent.len());
        for ask in &requests.recent {
            self.put(ask.choice.0);
            self.ask(ask);
        }
    }

    fn ask(&mut self, ask: &SeatQuestion) {
        let choice = &self.program.choices[ask.choice.index()];
        self.put(ask.id.0);
        self.put(ask.seat.0);
        self.put(ask.state as u8);
        self.put(ask.touched);
        self.put(ask.has_draft);
        self.put(ask.draft_is_legal);
        self.put(ask.how.0);
        self.put(ask.min);
        self.put(ask.max);
        self.list(Some(choice.item), ask.options);
        self.put(ask.deadline);
        self.value(choice.value, ask.default);
        self.value(choice.value, ask.draft);
        self.value(choice.value, ask.answer);
    }

    fn chance_and_counters(&mut self, state: &Match) {
        let chance = &state.chance;
        for chunk in chance.seed().0.chunks_exact(4) {
            self.put(u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
        }
        self.out.push(chance.position() as Word);
        self.put(chance.used);
        self.len(chance.script.rolls.len());
        for (label, faces) in &chance.script.rolls {
            self.put(label.map_or(-1, |label| Word::from(label.0)));
            self.len(faces.len());
            faces.iter().for_each(|face| self.put(*face));
        }
        self.put(state.counters.events);
        self.put(state.counters.questions);
        self.put(state.counters.inputs);
    }
}

/// Writes words as variable-length bytes. Small numbers of either sign take one byte, and so does null.
pub(crate) fn pack(words: &[Word], bytes: &mut Vec<u8>) {
    for word in words {
        // Zigzag encoding maps null to the largest number; adding one wraps it around to 0.
        let mut left = (((word << 1) ^ (word >> 63)) as u64).wrapping_add(1);
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
    }
}

/// Reads words back. Returns `None` if the bytes are not what [`pack`] writes.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Vec<Word>> {
    let mut words = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(first) = rest.next() {
        let (mut value, mut shift, mut byte) = (u64::from(first & 0x7f), 7, *first);
        while byte & 0x80 != 0 {
            byte = *rest.next()?;
            let part = u64::from(byte & 0x7f);
            if shift > 63 || (shift == 63 && part > 1) || (byte == 0) {
                return None;
            }
            value |= part << shift;
            shift += 7;
        }
        let zigzag = value.wrapping_sub(1);
        words.push(((zigzag >> 1) as i64) ^ -((zigzag & 1) as i64));
    }
    Some(words)
}
