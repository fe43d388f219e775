//! Memory for the results of pure functions that loop, such as the cost of a step or a line of sight, and for
//! properties that modifiers change.
//!
//! A result is used again as long as nothing that the function [reads](crate::optimize::dependencies) has changed.
//! The cost of the function is charged again too, so that the limits do not depend on what is remembered. Builds
//! with debug assertions compute every remembered result again and compare.

use intermezzo_program::{
    FaultCode, FlowInfo, Instr, KindId, NULL, Program, Prop, PropId, Reg, RoutineId, RuleHost, Type, TypeId,
    Word, ZoneId,
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
            if let Some(function) = analysis.function(RoutineId(number as u16), owner) {
                index.numbers[number] = index.functions.len() as u16;
                index.functions.push(function);
            }
        }
        for (prop, reads) in analysis.modified_props(owner) {
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

/// Remembered results of one board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// Empty until the first result.
    entries: Vec<MemoEntry>,
    /// Per function: how often something it reads has changed.
    ages: Vec<u32>,
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
    /// Per property: its modifiers depend on nothing but their source, the entity and the board.
    plain_props: Vec<bool>,
}

impl MemoAnalysis<'_> {
    fn new<'a>(program: &'a Program, owner: &[u16]) -> MemoAnalysis<'a> {
        let self_contained = vec![None; program.routines.len()];
        let plain_props = vec![false; program.props.len()];
        let code = code_by_routine(program, owner);
        let mut analysis = MemoAnalysis { program, code, self_contained, plain_props };
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
            let plain_props = self.program.props.iter().map(|prop| self.is_plain_prop(prop)).collect();
            (self.self_contained, self.plain_props) = (found, plain_props);
        }
    }

    fn is_plain_prop(&self, prop: &Prop) -> bool {
        prop.derived.is_none()
            && prop.modifiers.iter().all(|number| {
                let modifier = self.program.modifiers.get(usize::from(*number));
                let code = modifier.and_then(|modifier| self.code.get(modifier.change.index()));
                code.is_some_and(|code| code.iter().all(|instr| self.is_fit(*instr)))
            })
    }

    /// Lists the properties whose modified values are remembered, with what they depend on.
    fn modified_props(&self, owner: &[u16]) -> Vec<(PropId, MemoParts)> {
        let props = self.program.props.iter().enumerate();
        let modified = props.filter(|(at, prop)| {
            self.plain_props[*at] && !prop.modifiers.is_empty() && self.is_plain(prop.ty)
        });
        let reads = modified.map(|(at, _)| {
            let prop = PropId(at as u16);
            let mut board = 0;
            self.add_modified(prop, owner, &mut Vec::new(), &mut board);
            (prop, MemoParts { board, cells: 0 })
        });
        reads.filter(|(_, reads)| reads.board != dependencies::ALL).collect()
    }

    /// Adds what a modified property depends on. Modifiers are active in active zones only. The entity, the source of a
    /// modifier and its trait exist: the key names the entity, and a source that is gone leaves its zone or changes the
    /// number of modifiers.
    fn add_modified(&self, prop: PropId, owner: &[u16], seen: &mut Vec<PropId>, board: &mut BoardParts) {
        if seen.contains(&prop) {
            return;
        }
        seen.push(prop);
        let found = &self.program.props[prop.index()];
        let has_it = |kind: KindId| self.program.kinds[kind.index()].props.contains(&prop);
        let is_of_other = !has_it(KindId::MATCH) && !has_it(KindId::PLAYER);
        let column_of = |column: u16, is_other: bool| match is_other {
            true => dependencies::column_of_other(column),
            false => dependencies::column(column),
        };
        *board |= column_of(found.column, is_of_other) | dependencies::ATTACHMENT;
        for (at, zone) in self.program.zones.iter().enumerate() {
            *board |= if zone.active { dependencies::zone(ZoneId(at as u16)) } else { 0 };
        }
        for number in &found.modifiers {
            let modifier = &self.program.modifiers[usize::from(*number)];
            let own = &self.code[modifier.change.index()];
            // The entity, the source and its trait, none of which is a player or the match.
            let is_hosted = modifier.host != RuleHost::Game;
            let is_certain = |reg: Reg| match reg {
                Reg::SELF | Reg::TRAIT => is_hosted,
                reg => reg == Reg(Reg::CONTEXT) && is_of_other,
            };
            for instr in own {
                match *instr {
                    Instr::Modified { entity, prop, .. } => {
                        *board |= if is_certain(entity) { 0 } else { dependencies::EXISTENCE };
                        self.add_modified(prop, owner, seen, board);
                    }
                    Instr::IsKind { entity, .. } | Instr::IsDef { entity, .. } if is_certain(entity) => {}
                    Instr::Prop { entity, column, .. } => {
                        *board |= column_of(column, is_certain(entity));
                        *board |= if is_certain(entity) { 0 } else { dependencies::EXISTENCE };
                    }
                    Instr::Info { entity, .. } | Instr::HasProp { entity, .. } if is_certain(entity) => {
                        *board |= dependencies::read_by_instr(self.program, owner, *instr, own);
                    }
                    instr
                        if dependencies::reads_no_state(instr) && !matches!(instr, Instr::ZoneOf { .. }) => {}
                    instr => {
                        *board |= dependencies::read_by_instr(self.program, owner, instr, own);
                        *board |= dependencies::EXISTENCE;
                    }
                }
            }
        }
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
