//! Memory for the results of pure functions that loop, such as the cost of a step or a line of sight, and for
//! properties that modifiers change.
//!
//! A result is used again as long as nothing that the function [reads](crate::optimize::dependencies) has changed.
//! The cost of the function is charged again too, so that the limits do not depend on what is remembered. Builds
//! with debug assertions compute every remembered result again and compare.

use std::sync::Arc;

use intermezzo_program::{
    FaultCode, FlowInfo, Instr, NULL, Program, Prop, PropId, Reg, RoutineId, Type, TypeId, Word, ZoneId,
};

use crate::optimize::dependencies::{self, BoardParts};
use crate::optimize::read_analysis::ReadAnalysis;
use crate::run::evaluator::Evaluator;
use crate::storage::board::Board;
use crate::storage::heap::Heap;

type Result<T> = std::result::Result<T, FaultCode>;

/// Greatest number of words that identify the arguments of a call.
pub(crate) const KEY_WORDS: usize = 4;
/// Greatest nesting of calls below a function whose results are remembered. Where less room is left, it is called.
pub(crate) const MAX_CALL_DEPTH: usize = 24;
/// Number of results that a board can remember at first. Of two results with the same place, the later one stays.
const MIN_PLACES: usize = 512;
/// Greatest number of them. The table grows when many results that are still valid have given way.
const MAX_PLACES: usize = 2048;
/// Number of results that a copy can remember besides those of its original.
const ADDED_PLACES: usize = 256;
/// A property with fewer modifiers is faster to compute than to remember.
const MIN_MODIFIERS: usize = 3;
const NONE: u16 = u16::MAX;

/// The arguments of a call, with records replaced by their fields.
pub(crate) type MemoKey = [Word; KEY_WORDS];

/// The parts of a board that functions read, or that have changed. Finer than [`BoardParts`]: cells of entities that
/// are found in zones are told apart by zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MemoParts {
    pub(crate) board: BoardParts,
    /// Columns of the entities in zones. Several may share a bit.
    pub(crate) cells: u64,
}

impl MemoParts {
    /// The whole board.
    pub(crate) const ALL: MemoParts = MemoParts { board: dependencies::ALL, cells: u64::MAX };

    /// Returns a column of the entities in all instances of a zone family.
    #[inline]
    pub(crate) fn cells_in(family: ZoneId, column: u16) -> u64 {
        1 << ((family.0.wrapping_mul(23)).wrapping_add(column) & 63)
    }

    fn is_none(self) -> bool {
        self.board | self.cells == 0
    }

    fn meets(self, other: MemoParts) -> bool {
        (self.board & other.board) | (self.cells & other.cells) != 0
    }

    pub(crate) fn add(&mut self, other: MemoParts) {
        self.board |= other.board;
        self.cells |= other.cells;
    }
}

/// The functions whose results are remembered.
#[derive(Debug, Default)]
pub(crate) struct MemoIndex {
    /// Per routine: its number among the functions, or [`NONE`].
    numbers: Vec<u16>,
    /// The same per property.
    props: Vec<u16>,
    functions: Vec<MemoFunction>,
}

#[derive(Debug)]
struct MemoFunction {
    reads: MemoParts,
    params: Vec<ParamLayout>,
}

#[derive(Clone, Copy, Debug)]
enum ParamLayout {
    Word,
    /// A record of this many plain fields.
    Record(usize),
}

impl MemoIndex {
    /// Finds the functions of a validated program that are worth it.
    pub(crate) fn new(program: &Program, owner: &[u16]) -> MemoIndex {
        let analysis = MemoAnalysis::new(program, owner);
        let mut index = MemoIndex {
            numbers: vec![NONE; program.routines.len()],
            props: vec![NONE; program.props.len()],
            functions: Vec::new(),
        };
        for number in 0..program.routines.len() {
            if let Some(function) = analysis.function(RoutineId(number as u16)) {
                index.numbers[number] = index.functions.len() as u16;
                index.functions.push(function);
            }
        }
        for (prop, reads) in analysis.modified_props() {
            index.props[prop.index()] = index.functions.len() as u16;
            index.functions.push(MemoFunction { reads, params: vec![ParamLayout::Word] });
        }
        index
    }

    /// Tells whether the results of a routine are remembered.
    pub(crate) fn covers(&self, routine: RoutineId) -> bool {
        self.number(routine) != NONE
    }

    #[inline]
    pub(crate) fn number(&self, routine: RoutineId) -> u16 {
        self.numbers.get(routine.index()).copied().unwrap_or(NONE)
    }

    /// Returns the number of a property whose modified values are remembered.
    #[inline]
    pub(crate) fn prop(&self, prop: PropId) -> Option<u16> {
        self.props.get(prop.index()).copied().filter(|number| *number != NONE)
    }

    /// Returns the key of a call; `None` if a record is null.
    #[inline]
    pub(crate) fn key(&self, heap: &Heap, routine: RoutineId, args: &[Word]) -> Option<MemoKey> {
        let function = self.functions.get(usize::from(self.number(routine)))?;
        let mut key = [NULL; KEY_WORDS];
        let mut next = 0;
        for (layout, arg) in function.params.iter().zip(args) {
            match *layout {
                ParamLayout::Word => {
                    *key.get_mut(next)? = *arg;
                    next += 1;
                }
                ParamLayout::Record(count) => {
                    key.get_mut(next..next + count)?.copy_from_slice(heap.fields(*arg, count)?);
                    next += count;
                }
            }
        }
        Some(key)
    }
}

/// A remembered result and what computing it cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoResult {
    pub(crate) value: Word,
    pub(crate) steps: u32,
    pub(crate) words: u32,
}

#[derive(Clone, Copy, Debug)]
struct MemoEntry {
    function: u16,
    /// The state of the function's dependencies: [`Memo::ages`] when the result was computed.
    age: u32,
    key: MemoKey,
    result: MemoResult,
}

/// Remembered results by place. The number of places is a power of two, or 0 until the first result.
#[derive(Clone, Debug, Default)]
struct MemoTable(Vec<MemoEntry>);

impl MemoTable {
    #[inline]
    fn entry(&self, hash: usize) -> Option<&MemoEntry> {
        self.0.get(hash & self.0.len().wrapping_sub(1))
    }

    /// Puts an entry into a table that has at least `places` places. Returns the entry that was there.
    fn put(&mut self, entry: MemoEntry, places: usize) -> MemoEntry {
        if self.0.len() < places {
            let nothing = MemoResult { value: NULL, steps: 0, words: 0 };
            let empty = MemoEntry { function: NONE, age: 0, key: entry.key, result: nothing };
            let old = std::mem::replace(&mut self.0, vec![empty; places]);
            old.into_iter().filter(|entry| entry.function != NONE).for_each(|entry| {
                self.put(entry, 0);
            });
        }
        let place = entry.hash() & (self.0.len() - 1);
        std::mem::replace(&mut self.0[place], entry)
    }
}

impl MemoEntry {
    fn hash(&self) -> usize {
        hash(self.function, &self.key)
    }
}

fn hash(function: u16, key: &MemoKey) -> usize {
    let mixed = key.iter().fold(u64::from(function), |mixed, word| {
        (mixed.rotate_left(5) ^ *word as u64).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    // The high bits are mixed best.
    (mixed >> 40) as usize
}

/// Remembered results of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// Shared with copies. While it is shared, new results go to `added`.
    table: Option<Arc<MemoTable>>,
    added: MemoTable,
    /// Per function: how often something it reads has changed.
    ages: Vec<u32>,
    /// Number of valid results that gave way since the table grew last.
    displaced: u32,
    /// Parts forgotten since the oldest open savepoint. Undoing changes it again.
    pub(crate) forgotten: MemoParts,
    /// True while costs are tried out: the board is not in a state to remember.
    pub(crate) is_paused: bool,
}

impl Memo {
    /// Forgets the results that depend on these parts.
    fn forget(&mut self, index: &MemoIndex, parts: MemoParts) {
        self.ages.resize(index.functions.len(), 0);
        for (age, function) in self.ages.iter_mut().zip(&index.functions) {
            *age += u32::from(function.reads.meets(parts));
        }
    }

    #[inline]
    fn find(&self, function: u16, key: &MemoKey) -> Option<MemoResult> {
        let hash = hash(function, key);
        let is_it = |entry: &&MemoEntry| {
            entry.function == function && entry.age == self.ages[usize::from(function)] && entry.key == *key
        };
        let table = self.table.as_ref().and_then(|table| table.entry(hash)).filter(is_it);
        table.or_else(|| self.added.entry(hash).filter(is_it)).map(|entry| entry.result)
    }

    fn insert(&mut self, function: u16, key: MemoKey, result: MemoResult) {
        let entry = MemoEntry { function, age: self.ages[usize::from(function)], key, result };
        let Some(table) = Arc::get_mut(self.table.get_or_insert_default()) else {
            self.added.put(entry, ADDED_PLACES);
            return;
        };
        let places = table.0.len();
        let old = table.put(entry, MIN_PLACES);
        let is_valid = self.ages.get(usize::from(old.function)).is_some_and(|age| *age == old.age);
        self.displaced += u32::from(is_valid && old.key != key);
        if self.displaced as usize > places && (1..MAX_PLACES).contains(&places) {
            table.put(old, 2 * places);
            self.displaced = 0;
        }
    }
}

impl Board {
    /// Returns a remembered result, if nothing it depends on has changed since.
    #[inline]
    pub(crate) fn recall(&mut self, index: &MemoIndex, number: u16, key: &MemoKey) -> Option<MemoResult> {
        if !self.changed.is_none() {
            self.memo.forget(index, self.changed);
            self.memo.forgotten.add(self.changed);
            self.changed = MemoParts::default();
        }
        self.memo.find(number, key)
    }

    /// Returns the number and the key of a modified property, if it is worth remembering. The key contains the number
    /// of modifiers, so that it changes when one comes or goes.
    #[inline]
    pub(crate) fn property_key(
        &self,
        index: &MemoIndex,
        prop: PropId,
        entity: Word,
    ) -> Option<(u16, MemoKey)> {
        let number = index.prop(prop)?;
        let count = self.sources.modifiers_of(self.sources.target(prop)).len();
        self.entity(entity).filter(|_| count >= MIN_MODIFIERS)?;
        Some((number, [entity, count as Word, NULL, NULL]))
    }
}

/// A call, or the computation of a modified property.
#[derive(Clone, Copy)]
pub(crate) enum MemoSubject<'a> {
    Call { routine: RoutineId, context: &'a [Word; Reg::CONTEXT as usize], args: &'a [Word] },
    Property { entity: Word, prop: PropId },
}

impl Evaluator<'_> {
    /// Returns true if results may be recalled and remembered: nothing is traced, the board is not being tried out,
    /// and there is room for the frames of the computation.
    #[inline]
    pub(crate) fn may_remember(&self) -> bool {
        self.frames.trace.is_none()
            && !self.board.memo.is_paused
            && self.frames.stack.len() + MAX_CALL_DEPTH < self.program.limits.depth as usize
            && self.meter.has_nesting_left(MAX_CALL_DEPTH)
    }

    /// Checks and charges a recalled result, or computes and remembers it.
    pub(crate) fn compute_remembering(
        &mut self,
        subject: MemoSubject<'_>,
        key: Option<MemoKey>,
        recalled: Option<MemoResult>,
    ) -> Result<Word> {
        if let Some(result) = recalled {
            self.assert_recalled(subject, result);
            self.meter.charge_steps(result.steps as usize)?;
            self.board.heap.charge(result.words as usize)?;
            return Ok(result.value);
        }
        let (steps, words) = (self.meter.all_steps(), self.board.heap.left());
        let value = self.compute_subject(subject)?;
        let (steps, words) = (steps - self.meter.all_steps(), words - self.board.heap.left());
        let number = match subject {
            MemoSubject::Call { routine, .. } => self.tables.memo.number(routine),
            MemoSubject::Property { prop, .. } => self.tables.memo.prop(prop).unwrap_or(NONE),
        };
        if let (Some(key), Ok(words)) = (key, u32::try_from(words)) {
            self.board.memo.insert(number, key, MemoResult { value, steps, words });
        }
        Ok(value)
    }

    fn compute_subject(&mut self, subject: MemoSubject<'_>) -> Result<Word> {
        match subject {
            MemoSubject::Call { routine, context, args } => self.evaluate_in(routine, context, args),
            MemoSubject::Property { entity, prop } => self.compute_modified(entity, prop),
        }
    }

    /// Asserts that computing a result again gives the remembered one at the same cost.
    fn assert_recalled(&mut self, subject: MemoSubject<'_>, recalled: MemoResult) {
        let steps = self.meter.steps_left();
        self.meter.grant_all_steps(self.program);
        let (full, heap, words) = (self.meter.all_steps(), self.board.heap.mark(), self.board.heap.left());
        let was_paused = std::mem::replace(&mut self.board.memo.is_paused, true);
        let value = self.compute_subject(subject);
        self.board.memo.is_paused = was_paused;
        let cost = (full - self.meter.all_steps(), words - self.board.heap.left());
        if self.meter.is_interrupted {
            // The host has given the input up in the middle of the second computation.
            self.meter.restore_steps(steps);
            return self.board.heap.rollback(heap);
        }
        assert_eq!(value, Ok(recalled.value), "a remembered result is out of date");
        assert_eq!(cost, (recalled.steps, recalled.words as usize), "a remembered cost is out of date");
        self.meter.restore_steps(steps);
        self.board.heap.rollback(heap);
    }
}

struct MemoAnalysis<'a> {
    program: &'a Program,
    reads: ReadAnalysis<'a>,
    /// Per routine that depends on nothing but its parameters and the board: whether it loops.
    self_contained: Vec<Option<bool>>,
    /// Per property: its modifiers depend on nothing but their source, the entity and the board.
    plain_props: Vec<bool>,
}

impl MemoAnalysis<'_> {
    fn new<'a>(program: &'a Program, owner: &'a [u16]) -> MemoAnalysis<'a> {
        let self_contained = vec![None; program.routines.len()];
        let plain_props = vec![false; program.props.len()];
        let reads = ReadAnalysis::new(program, owner);
        let mut analysis = MemoAnalysis { program, reads, self_contained, plain_props };
        analysis.find_self_contained();
        analysis
    }

    fn function(&self, routine: RoutineId) -> Option<MemoFunction> {
        let found = &self.program.routines[routine.index()];
        let is_fit = self.self_contained[routine.index()] == Some(true)
            && found.params > 0
            && self.program.plain_results.contains(&routine);
        if !is_fit {
            return None;
        }
        let types = found.locals.get(usize::from(Reg::CONTEXT)..)?.get(..usize::from(found.params))?;
        let params = types.iter().map(|ty| self.param(*ty)).collect::<Option<Vec<ParamLayout>>>()?;
        let words = params.iter().map(|param| match param {
            ParamLayout::Word => 1,
            ParamLayout::Record(count) => *count,
        });
        let reads = self.reads.routine(routine);
        let is_short = words.sum::<usize>() <= KEY_WORDS;
        (is_short && reads.board != dependencies::ALL).then_some(MemoFunction { reads, params })
    }

    fn param(&self, ty: TypeId) -> Option<ParamLayout> {
        match &self.program.types[ty.index()] {
            Type::Record(fields) if fields.iter().all(|(_, ty)| self.is_plain(*ty)) => {
                Some(ParamLayout::Record(fields.len()))
            }
            _ => self.is_plain(ty).then_some(ParamLayout::Word),
        }
    }

    fn is_plain(&self, ty: TypeId) -> bool {
        let is_listed = |ty: &Type| {
            matches!(ty, Type::List(_) | Type::PlayerMap(_) | Type::EnumMap(..) | Type::Record(_))
        };
        self.program
            .types
            .get(ty.index())
            .is_some_and(|ty| !is_listed(ty) && !matches!(ty, Type::Offer | Type::Any | Type::Event))
    }

    /// Finds the routines that, with those they call, depend on nothing but their parameters and the board. A routine
    /// is found in the round after the last of those it calls, so the number of rounds limits the nesting.
    fn find_self_contained(&mut self) {
        for _ in 0..MAX_CALL_DEPTH {
            let traits = |number: usize| {
                let own = self.reads.code(RoutineId(number as u16));
                let is_fit =
                    self.program.routines[number].pure && own.iter().all(|instr| self.is_own(*instr));
                is_fit.then(|| own.iter().any(|instr| self.is_loop(*instr)))
            };
            let found = (0..self.program.routines.len()).map(traits).collect();
            let plain_props = self.program.props.iter().map(|prop| self.is_plain_prop(prop)).collect();
            (self.self_contained, self.plain_props) = (found, plain_props);
        }
    }

    fn is_plain_prop(&self, prop: &Prop) -> bool {
        prop.derived.is_none()
            && prop.modifiers.iter().all(|number| {
                let modifier = self.program.modifiers.get(usize::from(*number));
                modifier.is_some_and(|modifier| {
                    self.reads.code(modifier.change).iter().all(|instr| self.is_fit(*instr))
                })
            })
    }

    /// Lists the properties whose modified values are remembered, with what they depend on.
    fn modified_props(&self) -> Vec<(PropId, MemoParts)> {
        let props = self.program.props.iter().enumerate();
        let modified = props.filter(|(at, prop)| {
            self.plain_props[*at] && !prop.modifiers.is_empty() && self.is_plain(prop.ty)
        });
        let reads = modified.map(|(at, _)| {
            let prop = PropId(at as u16);
            (prop, MemoParts { board: self.reads.modified(prop), cells: 0 })
        });
        reads.filter(|(_, reads)| reads.board != dependencies::ALL).collect()
    }

    fn is_own(&self, instr: Instr) -> bool {
        let mut reads_context = false;
        { instr }.renumber(|reg| reads_context |= reg.0 < Reg::CONTEXT);
        !reads_context && self.is_fit(instr)
    }

    /// Tells whether an instruction depends on nothing but registers and the board.
    fn is_fit(&self, instr: Instr) -> bool {
        match instr {
            Instr::Call { routine, .. } => {
                self.self_contained.get(routine.index()).is_some_and(Option::is_some)
            }
            Instr::Flow { what: FlowInfo::Changes, .. }
            | Instr::EventField { .. }
            | Instr::IsEvent { .. }
            | Instr::NamedProp { .. }
            | Instr::Chain { .. }
            | Instr::Offers { .. }
            | Instr::Offer { .. }
            | Instr::Afford { .. }
            | Instr::Usable { .. }
            | Instr::CoverageHit { .. } => false,
            Instr::Modified { prop, .. } => self.plain_props.get(prop.index()) == Some(&true),
            instr => instr.is_pure(),
        }
    }

    /// Tells whether an instruction loops or calls a routine that does. Anything else is faster to compute than to
    /// remember.
    fn is_loop(&self, instr: Instr) -> bool {
        match instr {
            Instr::NextItem { .. } | Instr::NextInZone { .. } => true,
            Instr::Call { routine, .. } => self.self_contained.get(routine.index()) == Some(&Some(true)),
            _ => false,
        }
    }
}
