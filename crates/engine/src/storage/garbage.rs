//! Garbage collection: moves live values to a new heap, by their types.
//!
//! Shared values stay shared, so the new heap is never larger than the old one.

use intermezzo_program::{NULL, Program, Reg, Type, TypeId, Word};

use crate::ask::offers::{OFFER_HEAD, OFFER_STAMP};
use crate::optimize::program_index::ProgramIndex;
use crate::run::frames::Frame;
use crate::run::match_instance::Match;
use crate::storage::board::Board;
use crate::storage::fold::field_type;
use crate::storage::heap::Heap;
use crate::values::typed::{Layout, Shapes};

/// Heaps up to this size are never collected. A larger value would make copies of a match larger.
const SMALL: usize = 512;
/// A heap is collected when it is larger than its live words by this factor.
const GROWTH: usize = 4;

/// One collection, from the old heap to the new one.
struct HeapCollector<'a> {
    shapes: Shapes<'a>,
    /// A moved value leaves its new address in its first word.
    old: Heap,
    new: Vec<Word>,
    /// A bit per old address: the value there has moved.
    moved: Vec<u64>,
    /// Renaming of entity references on the way, if any.
    rename: Option<&'a dyn Fn(Word) -> Word>,
}

impl Board {
    /// Collects garbage on a board outside a match if the heap has outgrown `live`. Returns the number of live words.
    pub(crate) fn collect_if_due(&mut self, program: &Program, tables: &ProgramIndex, live: usize) -> usize {
        if self.heap.len() <= SMALL.max(GROWTH * live) {
            return live;
        }
        let old = self.heap.clone();
        let shapes = Shapes { program, seats: self.seats };
        let mut collector = HeapCollector::new(shapes, old, vec![0], None);
        self.move_values(tables, &mut collector);
        let mut new = collector.new;
        self.heap.exchange(&mut new);
        self.heap.len()
    }

    fn move_values(&mut self, tables: &ProgramIndex, collector: &mut HeapCollector<'_>) {
        let is_renamed = collector.rename.is_some();
        for entity in self.rows.iter().filter(|entity| entity.alive) {
            if !is_renamed {
                for (column, ty) in tables.heaped_columns(entity.kind) {
                    let value = &mut self.cells[entity.base as usize + usize::from(*column)];
                    // Most lists are empty.
                    if *value != 0 && *value != NULL {
                        collector.move_value(*ty, value);
                    }
                }
                continue;
            }
            for (column, ty) in tables.columns(entity.kind).iter().enumerate() {
                if let Some(ty) = ty {
                    collector.value(*ty, &mut self.cells[entity.base as usize + column]);
                }
            }
        }
        if let Some(end) = &mut self.end {
            collector.references(&mut end.winners);
            collector.references(&mut end.losers);
            if let Some(ty) = collector.shapes.program.score_type() {
                collector.value(ty, &mut end.score);
            }
        }
    }
}

impl Match {
    /// Collects garbage if the heap has outgrown the live words of the last collection.
    pub(crate) fn collect_if_due(&mut self) {
        if self.board.heap.len() > SMALL.max(GROWTH * self.live_words) {
            self.collect();
        }
    }

    /// Frees all memory that is not needed while the match waits, for matches that wait long. Nothing else changes;
    /// the next input allocates what it needs.
    pub fn compact(&mut self) {
        self.collect();
        self.board.compact();
        self.frames.compact();
        self.requests.compact();
        self.release_scratch();
    }

    fn collect(&mut self) {
        self.move_all(None);
    }

    /// Collects garbage and renames every reference to an entity on the way.
    pub(crate) fn collect_renaming(&mut self, rename: &dyn Fn(Word) -> Word) {
        self.move_all(Some(rename));
    }

    fn move_all(&mut self, rename: Option<&dyn Fn(Word) -> Word>) {
        let program = std::sync::Arc::clone(&self.program);
        let old = std::mem::replace(&mut self.board.heap, Heap::without_words());
        let shapes = Shapes { program: &program, seats: self.board.seats };
        let mut new = std::mem::take(&mut self.words);
        new.clear();
        new.push(0);
        let mut collector = HeapCollector::new(shapes, old, new, rename);
        self.board.move_values(&self.tables, &mut collector);
        self.move_registers(&mut collector);
        self.move_past(&mut collector);
        self.move_requests(&mut collector);
        let HeapCollector { mut old, mut new, .. } = collector;
        self.board.heap.exchange(&mut new);
        self.live_words = self.board.heap.len();
        // Swap the buffers, so that the next collection reuses the memory of this one.
        old.exchange(&mut self.words);
    }

    /// Moves the values in registers. Only those with a known type survive a wait; temporaries are dead by then.
    fn move_registers(&mut self, collector: &mut HeapCollector<'_>) {
        let program = &self.program;
        for index in 0..self.frames.stack.len() {
            let frame = self.frames.stack[index];
            let base = frame.base() as usize;
            let end =
                self.frames.stack.get(index + 1).map_or(self.frames.regs.len(), |next| next.base() as usize);
            let regs = &mut self.frames.regs[base..end];
            if let Frame::MovingList(_) = frame {
                collector.references(&mut regs[0]);
                continue;
            }
            let context = usize::from(Reg::CONTEXT);
            let fields = frame.as_event().map(|event| &program.events[event.event.index()].fields[..]);
            let routine = frame.routine(program).and_then(|routine| program.routines.get(routine.index()));
            if let Some(routine) = routine {
                let skip = fields.map_or(0, |fields| context + fields.len());
                for (at, ty) in routine.locals.iter().enumerate().skip(skip) {
                    collector.value(*ty, &mut regs[at]);
                }
            }
            if let Frame::Event(event) = frame {
                for (field, value) in fields.unwrap_or_default().iter().zip(&mut regs[context..]) {
                    collector.value(field_type(program, field.ty, event.detail), value);
                }
                for pair in crate::storage::codec::with_pairs(program, &event, regs).chunks_exact_mut(2) {
                    let prop = program.props.get(pair[0] as usize).map(|prop| prop.ty);
                    if let Some(ty) = prop {
                        collector.value(ty, &mut pair[1]);
                    }
                }
            }
        }
    }

    fn move_past(&mut self, collector: &mut HeapCollector<'_>) {
        for past in &mut self.frames.last_known {
            let columns = self.tables.columns(past.row.kind);
            for (ty, value) in columns.iter().zip(&mut past.cells) {
                if let Some(ty) = ty {
                    collector.value(*ty, value);
                }
            }
            for (prop, value) in &mut past.modified {
                collector.value(self.program.props[prop.index()].ty, value);
            }
        }
    }

    fn move_requests(&mut self, collector: &mut HeapCollector<'_>) {
        let requests = &mut self.requests;
        for ask in requests.questions.iter_mut().chain(&mut requests.recent) {
            let choice = &self.program.choices[ask.choice.index()];
            collector.list(choice.item, &mut ask.options);
            for value in [&mut ask.default, &mut ask.draft, &mut ask.answer] {
                collector.value(choice.value, value);
            }
        }
        for ask in &requests.questions {
            let choice = &self.program.choices[ask.choice.index()];
            let first = ask.branches as usize;
            for branch in 0..choice.branches.len() {
                if let Some(options) = requests.words.get_mut(first + 4 * branch + 1) {
                    collector.list(choice.item, options);
                }
            }
        }
    }
}

impl<'a> HeapCollector<'a> {
    fn new(
        shapes: Shapes<'a>,
        old: Heap,
        new: Vec<Word>,
        rename: Option<&'a dyn Fn(Word) -> Word>,
    ) -> HeapCollector<'a> {
        let moved = vec![0; old.len() / 64 + 1];
        HeapCollector { shapes, old, new, moved, rename }
    }

    #[inline]
    fn value(&mut self, ty: TypeId, value: &mut Word) {
        // Null and the empty list are the same in every heap and contain no references.
        if *value == NULL || (*value == 0 && self.rename.is_none()) {
            return;
        }
        self.move_value(ty, value);
    }

    fn move_value(&mut self, ty: TypeId, value: &mut Word) {
        match self.shapes.layout(ty) {
            Layout::Plain => self.plain(ty, value),
            Layout::Offer => self.offer(value),
            Layout::List(item) => self.list(item, value),
            Layout::Map(count, item) => self.record(count, |_| item, value),
            Layout::Record(fields) => self.record(fields.len(), |index| fields[index].1, value),
        }
    }

    fn is_reference(&self, ty: TypeId) -> bool {
        matches!(self.shapes.program.types[ty.index()], Type::Entity | Type::Kind(_))
    }

    fn plain(&self, ty: TypeId, value: &mut Word) {
        if let Some(rename) = self.rename.filter(|_| self.is_reference(ty)) {
            *value = rename(*value);
        }
    }

    /// Moves a list.
    fn list(&mut self, item: TypeId, value: &mut Word) {
        let Some(places) = self.move_items(value) else { return };
        let is_plain = matches!(self.shapes.layout(item), Layout::Plain);
        if is_plain && (self.rename.is_none() || !self.is_reference(item)) {
            return;
        }
        for place in places {
            let mut word = self.new[place];
            self.value(item, &mut word);
            self.new[place] = word;
        }
    }

    /// Moves a list of references.
    fn references(&mut self, value: &mut Word) {
        let (Some(places), Some(rename)) = (self.move_items(value), self.rename) else { return };
        self.new[places].iter_mut().for_each(|word| *word = rename(*word));
    }

    /// Moves an offer: action, actor, host, trait, stamp and targets.
    fn offer(&mut self, value: &mut Word) {
        let (Some(places), Some(rename)) = (self.move_items(value), self.rename) else { return };
        let words = &mut self.new[places];
        let types = words.first().and_then(|action| self.shapes.offer_param_types(*action));
        let Some((head, params)) = words.split_at_mut_checked(OFFER_HEAD) else { return };
        head[1..OFFER_STAMP].iter_mut().for_each(|word| *word = rename(*word));
        for (ty, param) in types.into_iter().flatten().zip(params) {
            if matches!(self.shapes.program.types[ty.index()], Type::Entity | Type::Kind(_)) {
                *param = rename(*param);
            }
        }
    }

    /// Moves the words of a list unchanged. Returns their new position, unless the list had moved before.
    fn move_items(&mut self, value: &mut Word) -> Option<std::ops::Range<usize>> {
        if self.has_moved(value) {
            return None;
        }
        let Some(items) = self.old.list(*value).filter(|items| !items.is_empty()) else {
            *value = if *value == NULL { NULL } else { 0 };
            return None;
        };
        let (at, len) = (self.new.len(), items.len());
        self.new.push(len as Word);
        self.new.extend_from_slice(items);
        self.mark_moved(value, at);
        Some(at + 1..at + 1 + len)
    }

    fn record(&mut self, count: usize, ty: impl Fn(usize) -> TypeId, value: &mut Word) {
        if self.has_moved(value) {
            return;
        }
        let Some(words) = self.old.fields(*value, count) else {
            *value = NULL;
            return;
        };
        let at = self.new.len();
        self.new.extend_from_slice(words);
        if count == 0 {
            self.new.push(NULL);
        }
        self.mark_moved(value, at);
        for index in 0..count {
            let mut word = self.new[at + index];
            self.value(ty(index), &mut word);
            self.new[at + index] = word;
        }
    }

    /// Returns true if the value at an old address has moved, and updates the address.
    fn has_moved(&self, value: &mut Word) -> bool {
        let Ok(at) = usize::try_from(*value) else { return false };
        let has_moved = self.moved.get(at / 64).is_some_and(|bits| bits & (1 << (at % 64)) != 0);
        if has_moved {
            *value = self.old.field(*value, 0).unwrap_or(NULL);
        }
        has_moved
    }

    fn mark_moved(&mut self, value: &mut Word, new: usize) {
        let at = *value as usize;
        self.moved[at / 64] |= 1 << (at % 64);
        self.old.forward(at, new);
        *value = new as Word;
    }
}
