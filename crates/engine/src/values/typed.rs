//! Walking values by their types: flattening, reading back, comparing.
//!
//! Flattened, a plain value is its own word; a list is its length and its items, a record 1 and its fields, a map
//! the number of its keys and their values. Any of them can be null instead.

use intermezzo_program::{FaultCode, NULL, Program, Type, TypeId, Word, word};

use crate::ask::offers::{OFFER_HEAD, OFFER_STAMP};
use crate::run::frames::Meter;
use crate::storage::board::Board;
use crate::storage::heap::Heap;

/// Limit on the words of a flattened value; longer values are truncated. Only rules that share one list thousands
/// of times over reach it.
pub(crate) const MAX_FLAT_WORDS: usize = 1 << 24;

/// Limit on the rows or zones that a group may have reserved for the entities it will create.
const MAX_PLANNED: usize = 1 << 16;

/// The program and the number of seats, which determine the layout of every value.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    pub(crate) program: &'a Program,
    pub(crate) seats: u8,
}

/// The layout of a value.
pub(crate) enum Layout<'a> {
    /// A single word.
    Plain,
    /// Items of one type.
    List(TypeId),
    /// A fixed number of words of one type.
    Map(usize, TypeId),
    /// Named fields.
    Record(&'a [(intermezzo_program::Symbol, TypeId)]),
    /// An offer: a list of plain words.
    Offer,
}

impl<'a> Shapes<'a> {
    pub(crate) fn layout(&self, ty: TypeId) -> Layout<'a> {
        match &self.program.types[ty.index()] {
            Type::List(item) => Layout::List(*item),
            Type::PlayerMap(item) => Layout::Map(usize::from(self.seats), *item),
            Type::EnumMap(of, item) => {
                let members = self.program.enums.get(of.index()).map_or(0, |of| of.members.len());
                Layout::Map(members, *item)
            }
            Type::Record(fields) => Layout::Record(fields),
            Type::Offer => Layout::Offer,
            _ => Layout::Plain,
        }
    }

    /// Returns the types of an offer's targets.
    pub(crate) fn offer_param_types(&self, action: Word) -> Option<impl Iterator<Item = TypeId> + use<'a>> {
        let action = self.program.actions.get(usize::try_from(action).ok()?)?;
        Some(action.params.iter().filter(|param| param.offered).map(|param| param.ty))
    }

    /// Reads an offer back.
    fn read_offer(&self, board: &mut Board, len: Word, input: &mut &[Word]) -> Option<Word> {
        let len = usize::try_from(len).ok()?;
        let (words, rest) = input.split_at_checked(len)?;
        let types: Vec<TypeId> = self.offer_param_types(*words.first()?)?.collect();
        let (head, params) = words.split_at_checked(OFFER_HEAD)?;
        let entities = head[1..OFFER_STAMP].iter();
        let head_fits = entities.clone().all(|word| *word == NULL || self.is_reference(board, *word, None));
        let fits = params.len() == types.len()
            && types.iter().zip(params).all(|(ty, word)| self.is_valid(board, *ty, *word));
        *input = rest;
        if !head_fits || !fits || !board.is_player(head[1]) {
            return None;
        }
        board.heap.new_list(words).ok()
    }

    /// Flattens a value, and truncates it once `out` has `limit` words.
    pub(crate) fn flatten(&self, heap: &Heap, ty: TypeId, value: Word, limit: usize, out: &mut Vec<Word>) {
        match self.layout(ty) {
            Layout::Plain => out.push(value),
            _ if value == NULL || out.len() >= limit => out.push(NULL),
            Layout::List(item) => {
                let items = heap.list(value).unwrap_or(&[]);
                out.push(items.len() as Word);
                items.iter().for_each(|value| self.flatten(heap, item, *value, limit, out));
            }
            Layout::Offer => {
                let words = heap.list(value).unwrap_or(&[]);
                out.push(words.len() as Word);
                out.extend_from_slice(words);
            }
            Layout::Map(count, item) => match heap.fields(value, count) {
                Some(words) => {
                    out.push(count as Word);
                    words.iter().for_each(|value| self.flatten(heap, item, *value, limit, out));
                }
                None => out.push(NULL),
            },
            Layout::Record(fields) => match heap.fields(value, fields.len()) {
                Some(words) => {
                    out.push(1);
                    let pairs = fields.iter().zip(words);
                    pairs.for_each(|((_, ty), value)| self.flatten(heap, *ty, *value, limit, out));
                }
                None => out.push(NULL),
            },
        }
    }

    /// Reads a flattened value back and builds it on the heap. Returns `None` if it is invalid.
    pub(crate) fn unflatten(&self, board: &mut Board, ty: TypeId, input: &mut &[Word]) -> Option<Word> {
        let (first, rest) = input.split_first()?;
        *input = rest;
        let (count, types): (usize, Result<TypeId, &[_]>) = match self.layout(ty) {
            Layout::Plain => return self.is_valid(board, ty, *first).then_some(*first),
            _ if *first == NULL => return Some(NULL),
            Layout::Offer => return self.read_offer(board, *first, input),
            Layout::List(item) => (usize::try_from(*first).ok()?, Ok(item)),
            Layout::Map(count, item) => ((*first == count as Word).then_some(count)?, Ok(item)),
            Layout::Record(fields) => ((*first == 1).then_some(fields.len())?, Err(fields)),
        };
        if count > input.len() {
            return None;
        }
        let mut words = Vec::with_capacity(count);
        for index in 0..count {
            let ty = types.unwrap_or_else(|fields| fields[index].1);
            words.push(self.unflatten(board, ty, input)?);
        }
        match self.layout(ty) {
            Layout::List(_) => board.heap.new_list(&words).ok(),
            _ => board.heap.new_record(&words).ok(),
        }
    }

    /// Returns true if a plain word can be a value of the type on this board.
    fn is_valid(&self, board: &Board, ty: TypeId, value: Word) -> bool {
        if value == NULL {
            return true;
        }
        let below = |len: usize| usize::try_from(value).is_ok_and(|value| value < len);
        match &self.program.types[ty.index()] {
            Type::Bool => value == 0 || value == 1,
            Type::Symbol | Type::Enum(_) => below(self.program.symbols.len()),
            Type::Text => below(self.program.texts.len()),
            Type::Zone => below(board.zones.count() + MAX_PLANNED),
            Type::Entity => self.is_reference(board, value, None),
            Type::Kind(kind) => self.is_reference(board, value, Some(*kind)),
            Type::Dice => value >= 0,
            _ => true,
        }
    }

    /// Returns true if a word refers to an entity that exists or existed, or that may be the next in its row. A
    /// reference further ahead could come to mean an entity of another kind.
    fn is_reference(&self, board: &Board, value: Word, kind: Option<intermezzo_program::KindId>) -> bool {
        if value < 0 {
            return false;
        }
        let Some(entity) = board.rows.get(word::row(value) as usize) else {
            // A group under way may refer to entities it will create.
            return word::row(value) as usize <= board.rows.len() + MAX_PLANNED;
        };
        let generation = word::generation(value);
        if generation == entity.generation + 1 {
            return true;
        }
        // An entity that is gone may have been of any kind.
        let fits = !entity.alive || kind.is_none_or(|kind| self.program.is_kind(entity.kind, kind));
        generation < entity.generation || (generation == entity.generation && fits)
    }

    /// Returns true if two values of a type are equal.
    pub(crate) fn same(&self, heap: &Heap, ty: TypeId, a: Word, b: Word) -> bool {
        let mut meter = Meter { steps: u32::MAX, ..Meter::default() };
        self.same_metered(heap, &mut meter, ty, a, b) == Ok(true)
    }

    /// Compares two values of a type and charges for each comparison.
    pub(crate) fn same_metered(
        &self,
        heap: &Heap,
        meter: &mut Meter,
        ty: TypeId,
        a: Word,
        b: Word,
    ) -> Result<bool, FaultCode> {
        if a == b {
            return Ok(true);
        }
        if a == NULL || b == NULL {
            return Ok(false);
        }
        let (ours, theirs, types): (_, _, Result<TypeId, &[_]>) = match self.layout(ty) {
            Layout::Plain => return Ok(false),
            Layout::Offer => return Ok(same_offer(heap.list(a), heap.list(b))),
            Layout::List(item) => (heap.list(a), heap.list(b), Ok(item)),
            Layout::Map(count, item) => (heap.fields(a, count), heap.fields(b, count), Ok(item)),
            Layout::Record(fields) => {
                (heap.fields(a, fields.len()), heap.fields(b, fields.len()), Err(fields))
            }
        };
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return Ok(false);
        };
        if ours.len() != theirs.len() {
            return Ok(false);
        }
        meter.charge_steps(ours.len())?;
        for (index, (a, b)) in ours.iter().zip(theirs).enumerate() {
            let ty = types.unwrap_or_else(|fields| fields[index].1);
            if !self.same_metered(heap, meter, ty, *a, *b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns true if two offers are equal, whenever they were made.
fn same_offer(a: Option<&[Word]>, b: Option<&[Word]>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    a.len() == b.len() && (0..a.len()).all(|at| at == OFFER_STAMP || a[at] == b[at])
}
