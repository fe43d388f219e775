//! The canonical form of a match: the same for any two matches that behave the same.
//!
//! A match is written as a sequence of words, values flat and by type, and the
//! words as variable-length bytes. Heap addresses, the layout of zones and
//! dead registers leave no trace. Reading it back is in
//! [`restore`](crate::restore).

use intermezzo_ruleset::{Program, Reg, TypeId, Word};

use crate::agenda::{Due, Frame, Stage};
use crate::board::Board;
use crate::fold::field_type;
use crate::past::Past;
use crate::play::Match;
use crate::request::Ask;
use crate::tables::Tables;
use crate::typed::{MAX_FLAT_WORDS, Shapes};

/// First byte of every snapshot.
pub(crate) const VERSION: u8 = 2;

impl Match {
    /// The whole match as bytes.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.program.hash);
        bytes.extend_from_slice(&self.program.fingerprint.to_le_bytes());
        pack(&self.words(), &mut bytes);
        bytes
    }

    /// Hash of the match: its board, its counters and the position of chance.
    ///
    /// What is under way is left out. It follows from the inputs, and the same rules may be compiled to
    /// other code some day; a hash written down today must still be true then.
    #[must_use]
    pub fn state_hash(&self) -> [u8; 32] {
        // Most that is written are rows and cells, most of which are small.
        let words = 10 * self.board.rows.len() + self.board.cells.len() + 64;
        let out = Vec::with_capacity(words);
        let mut writer = Writer { program: &self.program, tables: &self.tables, board: &self.board, out };
        writer.board();
        writer.rest(self);
        let mut bytes = Vec::with_capacity(self.program.hash.len() + 2 * writer.out.len());
        bytes.extend_from_slice(&self.program.hash);
        pack(&writer.out, &mut bytes);
        *blake3::hash(&bytes).as_bytes()
    }

    fn words(&self) -> Vec<Word> {
        let mut writer =
            Writer { program: &self.program, tables: &self.tables, board: &self.board, out: Vec::new() };
        writer.board();
        writer.agenda(self);
        writer.requests(self);
        writer.auto(self);
        writer.rest(self);
        writer.out
    }
}

impl Board {
    /// The board as bytes: equal for boards that are equal.
    #[must_use]
    pub fn encode(&self, program: &Program) -> Vec<u8> {
        let tables = Tables::new(program);
        let mut writer = Writer { program, tables: &tables, board: self, out: Vec::new() };
        writer.board();
        let mut bytes = Vec::new();
        pack(&writer.out, &mut bytes);
        bytes
    }
}

/// Registers of an event frame that hold the `with` pairs of a `Created` event.
pub(crate) fn with_pairs<'a>(program: &Program, frame: &Frame, regs: &'a mut [Word]) -> &'a mut [Word] {
    let first = window(program, frame).min(regs.len());
    if frame.event == intermezzo_ruleset::native::CREATED { &mut regs[first..] } else { &mut [] }
}

/// How many registers an event frame has, `with` pairs apart.
pub(crate) fn window(program: &Program, frame: &Frame) -> usize {
    let code =
        program.routines.get(frame.routine.index()).map_or(0, |routine| usize::from(routine.registers));
    code.max(usize::from(Reg::CONTEXT) + program.events[frame.event.index()].fields.len())
}

struct Writer<'a> {
    program: &'a Program,
    tables: &'a Tables,
    board: &'a Board,
    out: Vec<Word>,
}

impl Writer<'_> {
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

    /// A list of plain items, or of items of a type.
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
        }
        board.gone.iter().for_each(|gone| self.put(*gone));
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

    fn agenda(&mut self, state: &Match) {
        let agenda = &state.agenda;
        self.len(agenda.frames.len());
        for (index, frame) in agenda.frames.iter().enumerate() {
            let end = agenda.frames.get(index + 1).map_or(agenda.regs.len(), |next| next.base as usize);
            self.frame(frame);
            self.registers(frame, &agenda.regs[frame.base as usize..end]);
        }
        self.len(agenda.reactions.len());
        agenda.reactions.iter().for_each(|due| self.due(*due));
        let mut uses = agenda.uses.clone();
        uses.sort_unstable_by_key(|used| (used.due.reaction, used.due.source, used.limit, used.scope));
        self.len(uses.len());
        for used in uses {
            self.due(used.due);
            self.put(used.limit);
            self.put(used.scope);
            self.put(used.count);
        }
        self.len(agenda.fired.len());
        for fired in &agenda.fired {
            self.put(fired.batch);
            self.due(fired.due);
            self.len(fired.key.len());
            fired.key.iter().for_each(|value| self.put(*value));
        }
        self.put(agenda.settled);
        self.put(agenda.waiting);
        self.len(agenda.ordered.len());
        agenda.ordered.iter().for_each(|item| self.put(*item));
        self.put(agenda.asks_order);
        self.len(agenda.held.len());
        agenda.held.iter().for_each(|batch| self.put(*batch));
        self.len(agenda.past.len());
        agenda.past.iter().for_each(|past| self.past(past));
    }

    fn past(&mut self, past: &Past) {
        self.put(past.batch);
        self.put(past.entity);
        self.put(past.now);
        self.put(past.existed);
        self.put(past.row.kind.0);
        self.put(past.row.def);
        self.put(past.row.owner);
        self.put(past.row.host);
        self.put(past.row.zone);
        self.put(past.row.index);
        self.len(past.cells.len());
        let tables = self.tables;
        for (ty, value) in tables.columns(past.row.kind).iter().zip(&past.cells) {
            if let Some(ty) = ty {
                self.value(*ty, *value);
            }
        }
        self.len(past.modified.len());
        for (prop, value) in &past.modified {
            self.put(prop.0);
            self.value(self.program.props[prop.index()].ty, *value);
        }
        self.len(past.traits.len());
        past.traits.iter().for_each(|def| self.put(*def));
    }

    fn due(&mut self, due: Due) {
        self.put(due.reaction.0);
        self.put(due.source);
    }

    fn frame(&mut self, frame: &Frame) {
        self.put(frame.stage as u8);
        self.put(frame.gives as u8);
        self.put(frame.routine.0);
        self.put(frame.ret.0);
        self.put(frame.pc);
        self.put(frame.cause);
        self.put(frame.fate as u8);
        self.put(frame.by);
        self.put(frame.event.0);
        self.put(frame.id);
        self.put(frame.parent);
        self.put(frame.batch);
        self.put(frame.reactions);
        self.put(frame.detail);
        self.put(frame.step);
        self.put(frame.row);
    }

    fn registers(&mut self, frame: &Frame, regs: &[Word]) {
        let program = self.program;
        if frame.stage == Stage::Moving {
            self.list(None, regs[0]);
            self.put(regs[1]);
            self.put(regs[2]);
            return;
        }
        if frame.stage == Stage::Group {
            self.len(regs.len());
            regs.iter().for_each(|word| self.put(*word));
            return;
        }
        let kind = &program.events[frame.event.index()];
        let context = usize::from(Reg::CONTEXT);
        if frame.is_event() {
            for (field, value) in kind.fields.iter().zip(&regs[context..]) {
                self.value(field_type(program, field.ty, frame.detail), *value);
            }
            let mut regs = regs.to_vec();
            let pairs = with_pairs(program, frame, &mut regs);
            self.len(pairs.len() / 2);
            for pair in pairs.chunks_exact(2) {
                self.put(pair[0]);
                self.value(program.props[pair[0] as usize].ty, pair[1]);
            }
        }
        if let Some(routine) = program.routines.get(frame.routine.index()) {
            for (at, ty) in routine.locals.iter().enumerate() {
                if !frame.is_event() || !(context..context + kind.fields.len()).contains(&at) {
                    self.value(*ty, regs[at]);
                }
            }
        }
    }

    fn auto(&mut self, state: &Match) {
        self.len(state.auto.len());
        for auto in &state.auto {
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
            let end = requests.stack.get(index + 1).map_or(requests.asks.len(), |next| next.first as usize);
            self.put(request.choice.0);
            self.put(request.standing as u8);
            self.put(request.frame);
            self.put(request.open_pc);
            self.len(end - request.first as usize);
            for ask in &requests.asks[request.first as usize..end] {
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

    fn ask(&mut self, ask: &Ask) {
        let choice = &self.program.choices[ask.choice.index()];
        self.put(ask.id.0);
        self.put(ask.seat.0);
        self.put(ask.standing as u8);
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

    fn rest(&mut self, state: &Match) {
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

/// Writes words as bytes: small ones of either sign take one, null takes one.
pub(crate) fn pack(words: &[Word], bytes: &mut Vec<u8>) {
    for word in words {
        // Zigzag puts null last; adding one wraps it around to 0.
        let mut left = (((word << 1) ^ (word >> 63)) as u64).wrapping_add(1);
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
    }
}

/// Reads words back; nothing if the bytes are not as [`pack`] writes them.
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
