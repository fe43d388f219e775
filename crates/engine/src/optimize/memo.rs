//! Memory for the results of pure functions that loop, such as the cost of a step or a line of sight.
//!
//! A result is used again as long as nothing that the function [reads](crate::optimize::dependencies) has changed.
//! What the function costs is charged again too, so that the limits do not depend on what is remembered. Builds
//! with debug assertions compute every remembered result again and compare.

use intermezzo_program::{
    FaultCode, FlowInfo, Instr, NULL, Program, Reg, RoutineId, Type, TypeId, Word, ZoneId,
};

use crate::optimize::dependencies::{self, BoardParts};
use crate::run::evaluator::Evaluator;
use crate::storage::board::Board;
use crate::storage::heap::Heap;

type Result<T> = std::result::Result<T, FaultCode>;

/// Greatest number of words that identify the arguments of a call.
pub(crate) const KEY_WORDS: usize = 4;
/// Greatest nesting of calls below a function whose results are remembered. Where less room is left, it is called.
pub(crate) const MAX_CALL_DEPTH: usize = 24;
/// Number of results remembered. Of two results with the same place, the later one stays.
const PLACES: usize = 512;
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

    fn add(&mut self, other: MemoParts) {
        self.board |= other.board;
        self.cells |= other.cells;
    }
}

/// The functions whose results are remembered.
#[derive(Debug, Default)]
pub(crate) struct MemoIndex {
    /// Per routine: its number among the functions, or [`NONE`].
    numbers: Vec<u16>,
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
        let mut index = MemoIndex { numbers: vec![NONE; program.routines.len()], functions: Vec::new() };
        for number in 0..program.routines.len() {
            if let Some(function) = analysis.function(RoutineId(number as u16), owner) {
                index.numbers[number] = index.functions.len() as u16;
                index.functions.push(function);
            }
        }
        index
    }

    /// Tells whether the results of a routine are remembered.
    pub(crate) fn covers(&self, routine: RoutineId) -> bool {
        self.number(routine) != NONE
    }

    fn number(&self, routine: RoutineId) -> u16 {
        self.numbers.get(routine.index()).copied().unwrap_or(NONE)
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

/// Remembered results of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// Empty until the first result.
    entries: Vec<MemoEntry>,
    /// Per function: how often something it reads has changed.
    ages: Vec<u32>,
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

    fn place(function: u16, key: &MemoKey) -> usize {
        let mixed = key.iter().fold(u64::from(function), |mixed, word| {
            (mixed.rotate_left(5) ^ *word as u64).wrapping_mul(0x517c_c1b7_2722_0a95)
        });
        // The high bits are mixed best.
        (mixed >> 40) as usize % PLACES
    }

    #[inline]
    fn find(&self, function: u16, key: &MemoKey) -> Option<MemoResult> {
        let entry = self.entries.get(Memo::place(function, key))?;
        let is_it =
            entry.function == function && entry.age == self.ages[usize::from(function)] && entry.key == *key;
        is_it.then_some(entry.result)
    }

    fn insert(&mut self, function: u16, key: MemoKey, result: MemoResult) {
        let age = self.ages[usize::from(function)];
        let entry = MemoEntry { function, age, key, result };
        if self.entries.is_empty() {
            let nothing = MemoResult { value: NULL, steps: 0, words: 0 };
            self.entries.resize(PLACES, MemoEntry { function: NONE, age: 0, key, result: nothing });
        }
        self.entries[Memo::place(function, &key)] = entry;
    }
}

impl Board {
    /// Returns the remembered result of a call, if nothing it depends on has changed since.
    #[inline]
    pub(crate) fn recall(
        &mut self,
        index: &MemoIndex,
        routine: RoutineId,
        key: &MemoKey,
    ) -> Option<MemoResult> {
        if !self.changed.is_none() {
            self.memo.forget(index, self.changed);
            self.changed = MemoParts::default();
        }
        self.memo.find(index.number(routine), key)
    }
}

impl Evaluator<'_> {
    /// Calls a function that was looked up: checks and charges what was found, or computes and remembers the result.
    pub(crate) fn call_remembering(
        &mut self,
        routine: RoutineId,
        context: &[Word; Reg::CONTEXT as usize],
        args: &[Word],
        (key, recalled): (Option<MemoKey>, Option<MemoResult>),
    ) -> Result<Word> {
        let Some(result) = recalled else {
            return self.compute_and_remember(routine, context, args, key);
        };
        self.assert_recalled(routine, context, args, result);
        self.meter.charge_steps(result.steps as usize)?;
        self.board.heap.charge(result.words as usize)?;
        Ok(result.value)
    }

    /// Computes the result of a call and remembers it.
    fn compute_and_remember(
        &mut self,
        routine: RoutineId,
        context: &[Word; Reg::CONTEXT as usize],
        args: &[Word],
        key: Option<MemoKey>,
    ) -> Result<Word> {
        let (steps, words) = (self.meter.all_steps(), self.board.heap.left());
        let value = self.evaluate_in(routine, context, args)?;
        let (steps, words) = (steps - self.meter.all_steps(), words - self.board.heap.left());
        if let (Some(key), Ok(words)) = (key, u32::try_from(words)) {
            let number = self.tables.memo.number(routine);
            self.board.memo.insert(number, key, MemoResult { value, steps, words });
        }
        Ok(value)
    }

    /// Asserts that computing the result of a call again gives the remembered one at the same cost.
    fn assert_recalled(
        &mut self,
        routine: RoutineId,
        context: &[Word; Reg::CONTEXT as usize],
        args: &[Word],
        recalled: MemoResult,
    ) {
        let (steps, words) = (self.meter.steps_left(), self.board.heap.left());
        self.meter.grant_all_steps(self.program);
        let (full, heap) = (self.meter.all_steps(), self.board.heap.len());
        let was_paused = std::mem::replace(&mut self.board.memo.is_paused, true);
        let value = self.evaluate_in(routine, context, args);
        self.board.memo.is_paused = was_paused;
        let cost = (full - self.meter.all_steps(), words - self.board.heap.left());
        if self.meter.is_interrupted {
            // The host has given the input up in the middle of the second computation.
            self.meter.restore_steps(steps);
            return self.board.heap.truncate(heap);
        }
        assert_eq!(value, Ok(recalled.value), "a remembered result is out of date");
        assert_eq!(cost, (recalled.steps, recalled.words as usize), "a remembered cost is out of date");
        self.meter.restore_steps(steps);
        self.board.heap.truncate(heap);
    }
}

/// Returns the reachable code of each routine. A zone that is listed at once, in the same register, is written as the
/// list of all its instances, so that each register has one meaning.
fn code_by_routine(program: &Program, owner: &[u16]) -> Vec<Vec<Instr>> {
    let mut is_landed_on = vec![false; program.code.len() + 1];
    for (at, instr) in program.code.iter().enumerate() {
        let ahead = { *instr }.skip_mut().map(|skip| at + 1 + usize::from(*skip));
        let to = ahead.or({ *instr }.target_mut().map(|to| *to as usize));
        if let Some(landing) = to.and_then(|to| is_landed_on.get_mut(to)) {
            *landing = true;
        }
    }
    let mut code: Vec<Vec<Instr>> = vec![Vec::new(); program.routines.len()];
    for (at, (instr, owner)) in program.code.iter().zip(owner).enumerate() {
        let Some(own) = code.get_mut(usize::from(*owner)) else { continue };
        let listed = match (own.last().copied(), *instr) {
            _ if is_landed_on[at] => None,
            (Some(Instr::TheZone { dst, zone: family }), Instr::ZoneList { dst: list, zone })
                if dst == list && zone == list =>
            {
                Some((Instr::TheZone { dst: Reg::NONE, zone: family }, family))
            }
            (Some(Instr::ZoneOf { dst, entity, zone: family }), Instr::ZoneList { dst: list, zone })
                if dst == list && zone == list =>
            {
                Some((Instr::ZoneOf { dst: Reg::NONE, entity, zone: family }, family))
            }
            _ => None,
        };
        match (listed, instr.result()) {
            (Some((found, zone)), Some(dst)) => {
                own.pop();
                own.extend([found, Instr::AllInZone { dst, zone }]);
            }
            _ => own.push(*instr),
        }
    }
    code
}

struct MemoAnalysis<'a> {
    program: &'a Program,
    /// Per routine: its code.
    code: Vec<Vec<Instr>>,
    /// Per routine that depends on nothing but its parameters and the board: whether it loops.
    self_contained: Vec<Option<bool>>,
}

impl MemoAnalysis<'_> {
    fn new<'a>(program: &'a Program, owner: &[u16]) -> MemoAnalysis<'a> {
        let self_contained = vec![None; program.routines.len()];
        let mut analysis = MemoAnalysis { program, code: code_by_routine(program, owner), self_contained };
        analysis.find_self_contained();
        analysis
    }

    fn function(&self, routine: RoutineId, owner: &[u16]) -> Option<MemoFunction> {
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
        let reads = self.reads(routine, owner);
        let is_short = words.sum::<usize>() <= KEY_WORDS;
        (is_short && reads.board != dependencies::ALL).then_some(MemoFunction { reads, params })
    }

    /// Returns what a routine reads, with those it calls.
    fn reads(&self, routine: RoutineId, owner: &[u16]) -> MemoParts {
        let mut reads = MemoParts::default();
        let mut called = vec![routine];
        let mut next = 0;
        while let Some(routine) = called.get(next).copied() {
            next += 1;
            let own = &self.code[routine.index()];
            for instr in own {
                match *instr {
                    Instr::Call { routine, .. } if called.contains(&routine) => {}
                    Instr::Call { routine, .. } => called.push(routine),
                    Instr::Prop { entity, column, .. } => reads.add(self.cell(routine, entity, column)),
                    instr => {
                        reads.board |= dependencies::read_by_instr(self.program, owner, instr, own);
                        reads.board |= self.existence(routine, instr);
                    }
                }
            }
        }
        reads
    }

    /// Returns whether an instruction fails if an entity or a zone is gone.
    fn existence(&self, routine: RoutineId, instr: Instr) -> BoardParts {
        let own = &self.code[routine.index()];
        let is_certain = match instr {
            Instr::Info { entity, .. } | Instr::HasProp { entity, .. } | Instr::ZoneOf { entity, .. } => {
                ZoneSources::of(self).is_entity(routine, entity)
            }
            Instr::ZoneLen { zone, .. }
            | Instr::ZoneGet { zone, .. }
            | Instr::ZoneList { zone, .. }
            | Instr::NextInZone { iter: zone, .. } => dependencies::family_of(own, zone).is_some(),
            Instr::ZoneHost { .. } | Instr::IsZone { .. } | Instr::ZoneNamed { .. } => false,
            _ => true,
        };
        if is_certain { 0 } else { dependencies::EXISTENCE }
    }

    /// Returns what reading a column depends on.
    fn cell(&self, routine: RoutineId, entity: Reg, column: u16) -> MemoParts {
        let mut zones = ZoneSources::of(self);
        if zones.is_entity(routine, entity) {
            let cells = zones.families.iter().map(|family| MemoParts::cells_in(*family, column));
            return MemoParts { board: 0, cells: cells.fold(0, |all, cell| all | cell) };
        }
        // Reading an entity that is gone fails.
        MemoParts { board: dependencies::column(column) | dependencies::EXISTENCE, cells: 0 }
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
                let own = &self.code[number];
                let is_fit =
                    self.program.routines[number].pure && own.iter().all(|instr| self.is_own(*instr));
                is_fit.then(|| own.iter().any(|instr| self.is_loop(*instr)))
            };
            let found = (0..self.code.len()).map(traits).collect();
            self.self_contained = found;
        }
    }

    fn is_own(&self, instr: Instr) -> bool {
        let mut reads_context = false;
        { instr }.renumber(|reg| reads_context |= reg.0 < Reg::CONTEXT);
        let is_fit = match instr {
            Instr::Call { routine, .. } => {
                self.self_contained.get(routine.index()).is_some_and(Option::is_some)
            }
            Instr::Flow { what: FlowInfo::Changes, .. }
            | Instr::EventField { .. }
            | Instr::IsEvent { .. }
            | Instr::Modified { .. }
            | Instr::NamedProp { .. }
            | Instr::Chain { .. }
            | Instr::Offers { .. }
            | Instr::Offer { .. }
            | Instr::Afford { .. }
            | Instr::Usable { .. }
            | Instr::CoverageHit { .. } => false,
            instr => instr.is_pure(),
        };
        is_fit && !reads_context
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

/// A search for the zones that the entities in a register were found in. An entity that is found in a zone exists.
struct ZoneSources<'a, 'p> {
    analysis: &'a MemoAnalysis<'p>,
    families: Vec<ZoneId>,
    /// Registers that are known or being searched: as entities (false) or as lists (true).
    seen: Vec<(RoutineId, Reg, bool)>,
    /// Routines whose results are.
    called: Vec<RoutineId>,
}

impl<'a, 'p> ZoneSources<'a, 'p> {
    fn of(analysis: &'a MemoAnalysis<'p>) -> ZoneSources<'a, 'p> {
        ZoneSources { analysis, families: Vec::new(), seen: Vec::new(), called: Vec::new() }
    }

    /// Tells whether a register only ever holds entities that the routine found in zones.
    fn is_entity(&mut self, routine: RoutineId, reg: Reg) -> bool {
        self.is_found(routine, reg, false, |instr| match instr {
            Instr::Copy { dst, src } if dst == reg => Some(ZoneSource::Entity(src)),
            Instr::NextInZone { iter, .. } if iter.offset(2) == reg => Some(ZoneSource::Zone(iter)),
            Instr::NextItem { iter, .. } if iter.offset(2) == reg => Some(ZoneSource::List(iter)),
            _ => None,
        })
    }

    /// Tells whether a register only ever holds lists of such entities.
    fn is_list(&mut self, routine: RoutineId, reg: Reg) -> bool {
        self.is_found(routine, reg, true, |instr| match instr {
            Instr::Copy { dst, src } if dst == reg => Some(ZoneSource::List(src)),
            Instr::ZoneList { dst, zone } if dst == reg => Some(ZoneSource::Zone(zone)),
            Instr::AllInZone { dst, zone } if dst == reg => Some(ZoneSource::Family(zone)),
            Instr::Finish { dst, .. } if dst == reg => Some(ZoneSource::Pushes),
            Instr::Call { dst, routine, .. } if dst == reg => Some(ZoneSource::Result(routine)),
            _ => None,
        })
    }

    /// Tells whether every instruction that writes a register has a source that holds.
    fn is_found(
        &mut self,
        routine: RoutineId,
        reg: Reg,
        is_list: bool,
        source: impl Fn(Instr) -> Option<ZoneSource> + Copy,
    ) -> bool {
        let found = &self.analysis.program.routines[routine.index()];
        if reg.0 < Reg::CONTEXT + found.params {
            return false;
        }
        if self.seen.contains(&(routine, reg, is_list)) {
            return true;
        }
        self.seen.push((routine, reg, is_list));
        let own = &self.analysis.code[routine.index()];
        own.iter().all(|instr| match (*instr, source(*instr)) {
            (_, Some(source)) => self.holds(routine, source),
            (
                Instr::NextItem { iter, .. } | Instr::NextInZone { iter, .. } | Instr::NextCount { iter, .. },
                _,
            ) => reg != iter.offset(1) && reg != iter.offset(2),
            (instr, _) => instr.result() != Some(reg),
        })
    }

    fn holds(&mut self, routine: RoutineId, source: ZoneSource) -> bool {
        let own = &self.analysis.code[routine.index()];
        match source {
            ZoneSource::Zone(zone) => match dependencies::family_of(own, zone) {
                Some(family) => self.holds(routine, ZoneSource::Family(family)),
                None => false,
            },
            ZoneSource::Family(family) => {
                self.families.push(family);
                true
            }
            ZoneSource::List(list) => self.is_list(routine, list),
            ZoneSource::Pushes => own.iter().all(|instr| match *instr {
                Instr::Push { value } => self.is_entity(routine, value),
                _ => true,
            }),
            ZoneSource::Entity(entity) => self.is_entity(routine, entity),
            ZoneSource::Result(called) if self.called.contains(&called) => true,
            ZoneSource::Result(called) => {
                self.called.push(called);
                let code = &self.analysis.code[called.index()];
                code.iter().all(|instr| match *instr {
                    Instr::Return { value } => self.is_list(called, value),
                    _ => true,
                })
            }
        }
    }
}

/// The origin of entities or of lists of them.
#[derive(Clone, Copy)]
enum ZoneSource {
    /// The zone in a register.
    Zone(Reg),
    /// All instances of a zone.
    Family(ZoneId),
    /// The entity in a register.
    Entity(Reg),
    /// The list in a register.
    List(Reg),
    /// The lists that a routine builds.
    Pushes,
    /// The result of a routine.
    Result(RoutineId),
}
