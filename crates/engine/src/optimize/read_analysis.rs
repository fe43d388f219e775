//! Dependencies of code: the parts of the board it reads, with the entities it finds in zones told apart from others.

use intermezzo_program::{
    EntityInfo, FlowInfo, Instr, KindId, Program, PropId, Reg, RoutineId, RuleHost, ZoneId,
};

use crate::optimize::dependencies::{self, BoardParts};
use crate::optimize::memo::MemoParts;

/// Writes a zone that is listed at once, in the same register, as the list of all its instances, so that each register
/// has one meaning. `entry` is the address of the first instruction.
fn list_at_once(code: &[Instr], entry: usize) -> Vec<Instr> {
    let mut is_landed_on = vec![false; code.len() + 1];
    for (at, instr) in code.iter().enumerate() {
        let ahead = { *instr }.skip_mut().map(|skip| at + 1 + usize::from(*skip));
        let to = ahead.or({ *instr }.target_mut().and_then(|to| (*to as usize).checked_sub(entry)));
        if let Some(landing) = to.and_then(|to| is_landed_on.get_mut(to)) {
            *landing = true;
        }
    }
    let mut listed: Vec<Instr> = Vec::with_capacity(code.len());
    for (at, instr) in code.iter().enumerate() {
        match all_in_family(listed.last(), *instr).filter(|_| !is_landed_on[at]) {
            Some((found, all)) => {
                listed.pop();
                listed.extend([found, all]);
            }
            None => listed.push(*instr),
        }
    }
    listed
}

/// Returns what replaces an instruction that finds a zone, and the next one, which lists it.
fn all_in_family(last: Option<&Instr>, next: Instr) -> Option<(Instr, Instr)> {
    let Instr::ZoneList { dst: list, zone: listed } = next else { return None };
    let (dst, family, found) = match *last? {
        Instr::TheZone { dst, zone } => (dst, zone, Instr::TheZone { dst: Reg::NONE, zone }),
        Instr::ZoneOf { dst, entity, zone } => (dst, zone, Instr::ZoneOf { dst: Reg::NONE, entity, zone }),
        _ => return None,
    };
    (dst == list && listed == list).then_some((found, Instr::AllInZone { dst, zone: family }))
}

/// The code of a program, read for what it depends on.
pub(crate) struct ReadAnalysis<'a> {
    program: &'a Program,
    owner: &'a [u16],
    /// Per routine: its code. Pieces of code that are no routine follow.
    code: Vec<Vec<Instr>>,
    /// True if cells of entities are not told apart by zone.
    is_coarse: bool,
}

impl<'a> ReadAnalysis<'a> {
    pub(crate) fn new(program: &'a Program, owner: &'a [u16]) -> ReadAnalysis<'a> {
        let mut code: Vec<Vec<Instr>> = vec![Vec::new(); program.routines.len()];
        for (instr, owner) in list_at_once(&program.code, 0).iter().zip(owner) {
            if let Some(own) = code.get_mut(usize::from(*owner)) {
                own.push(*instr);
            }
        }
        ReadAnalysis { program, owner, code, is_coarse: false }
    }

    /// Returns the code of a routine.
    pub(crate) fn code(&self, routine: RoutineId) -> &[Instr] {
        self.code.get(routine.index()).map_or(&[], Vec::as_slice)
    }

    /// Returns what a routine reads, with those it calls.
    pub(crate) fn routine(&self, routine: RoutineId) -> MemoParts {
        let mut reads = MemoParts::default();
        let mut called = vec![routine];
        let mut next = 0;
        while let Some(routine) = called.get(next).copied() {
            next += 1;
            for instr in self.code(routine) {
                match *instr {
                    Instr::Call { routine, .. } if called.contains(&routine) => {}
                    Instr::Call { routine, .. } => called.push(routine),
                    instr => reads.add(self.instr(routine, instr)),
                }
            }
        }
        reads
    }

    /// Returns what a piece of code reads that begins at `entry` and has no parameters. Cells of all entities in zones
    /// are one.
    pub(crate) fn piece(&mut self, code: &[Instr], entry: usize) -> BoardParts {
        let Ok(number) = u16::try_from(self.code.len()) else { return dependencies::ALL };
        self.code.push(list_at_once(code, entry));
        self.is_coarse = true;
        let reads = self.routine(RoutineId(number));
        self.code.pop();
        reads.board
    }

    fn instr(&self, routine: RoutineId, instr: Instr) -> MemoParts {
        let board = match instr {
            Instr::Prop { entity, column, .. } => return self.cell(routine, entity, column),
            Instr::Modified { entity, prop, .. } => self.modified(prop) | self.existence(routine, entity),
            Instr::IsKind { entity, .. } | Instr::IsDef { entity, .. } => self.existence(routine, entity),
            Instr::HasTrait { entity, .. } => dependencies::ATTACHMENT | self.existence(routine, entity),
            Instr::Info { entity, .. } | Instr::HasProp { entity, .. } | Instr::ZoneOf { entity, .. } => {
                self.listed(routine, instr) | self.existence(routine, entity)
            }
            Instr::ZoneHost { .. } | Instr::IsZone { .. } | Instr::ZoneNamed { .. } => {
                self.listed(routine, instr) | dependencies::EXISTENCE
            }
            Instr::ZoneLen { zone, .. }
            | Instr::ZoneGet { zone, .. }
            | Instr::ZoneList { zone, .. }
            | Instr::NextInZone { iter: zone, .. } => {
                let is_known = dependencies::family_of(self.code(routine), zone).is_some();
                self.listed(routine, instr) | if is_known { 0 } else { dependencies::EXISTENCE }
            }
            instr => self.listed(routine, instr),
        };
        MemoParts { board, cells: 0 }
    }

    fn listed(&self, routine: RoutineId, instr: Instr) -> BoardParts {
        dependencies::read_by_instr(self.program, self.owner, instr, self.code(routine))
    }

    /// Returns what it depends on whether an entity exists. One that was found in a zone does, and so does a player.
    fn existence(&self, routine: RoutineId, entity: Reg) -> BoardParts {
        if ZoneSources::of(self).is_entity(routine, entity) { 0 } else { dependencies::EXISTENCE }
    }

    /// Returns what reading a column depends on.
    fn cell(&self, routine: RoutineId, entity: Reg, column: u16) -> MemoParts {
        let mut zones = ZoneSources::of(self);
        if !zones.is_entity(routine, entity) {
            // Reading an entity that is gone fails.
            return MemoParts { board: dependencies::column(column) | dependencies::EXISTENCE, cells: 0 };
        }
        let mut parts = MemoParts::default();
        if zones.has_players {
            parts.board |= dependencies::column_of_player(column);
        }
        for family in &zones.families {
            match self.is_coarse {
                true => parts.board |= dependencies::column_of_other(column),
                false => parts.cells |= MemoParts::cells_in(*family, column),
            }
        }
        parts
    }

    /// Returns what a modified property depends on, for an entity that exists.
    pub(crate) fn modified(&self, prop: PropId) -> BoardParts {
        let mut board = 0;
        self.add_modified(prop, &mut Vec::new(), &mut board);
        board
    }

    /// Adds what a modified property depends on. Modifiers are active in active zones only. The source of a modifier
    /// and its trait exist: a source that is gone has left its zone or its host.
    fn add_modified(&self, prop: PropId, seen: &mut Vec<PropId>, board: &mut BoardParts) {
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
        *board |= column_of(found.column, is_of_other);
        if found.modifiers.is_empty() {
            return;
        }
        *board |= dependencies::ATTACHMENT;
        for (at, zone) in self.program.zones.iter().enumerate() {
            let zone_id = ZoneId(at as u16);
            let modifiers = &self.program.modifiers;
            let is_named = |number: &u16| modifiers[usize::from(*number)].zones.contains(&zone_id);
            let counts = zone.active || found.modifiers.iter().any(is_named);
            *board |= if counts { dependencies::zone(zone_id) } else { 0 };
        }
        for number in &found.modifiers {
            let modifier = &self.program.modifiers[usize::from(*number)];
            let own = self.code(modifier.change);
            // The entity, the source and its trait, none of which is a player or the match.
            let is_hosted = modifier.host != RuleHost::Game;
            let is_certain = |reg: Reg| match reg {
                Reg::SELF | Reg::TRAIT => is_hosted,
                reg => reg == Reg(Reg::CONTEXT) && is_of_other,
            };
            let read = |instr: Instr| dependencies::read_by_instr(self.program, self.owner, instr, own);
            for instr in own {
                match *instr {
                    Instr::Modified { entity, prop, .. } => {
                        *board |= if is_certain(entity) { 0 } else { dependencies::EXISTENCE };
                        self.add_modified(prop, seen, board);
                    }
                    Instr::IsKind { entity, .. } | Instr::IsDef { entity, .. } if is_certain(entity) => {}
                    Instr::Prop { entity, column, .. } => {
                        *board |= column_of(column, is_certain(entity));
                        *board |= if is_certain(entity) { 0 } else { dependencies::EXISTENCE };
                    }
                    Instr::Info { entity, .. } | Instr::HasProp { entity, .. } if is_certain(entity) => {
                        *board |= read(*instr);
                    }
                    instr
                        if dependencies::reads_no_state(instr) && !matches!(instr, Instr::ZoneOf { .. }) => {}
                    instr => *board |= read(instr) | dependencies::EXISTENCE,
                }
            }
        }
    }
}

/// A search for the zones that the entities in a register were found in, or for players. Both exist.
struct ZoneSources<'a, 'p> {
    analysis: &'a ReadAnalysis<'p>,
    families: Vec<ZoneId>,
    has_players: bool,
    /// Registers that are known or being searched: as entities (false) or as lists (true).
    seen: Vec<(RoutineId, Reg, bool)>,
    /// Routines whose results are.
    called: Vec<RoutineId>,
}

impl<'a, 'p> ZoneSources<'a, 'p> {
    fn of(analysis: &'a ReadAnalysis<'p>) -> ZoneSources<'a, 'p> {
        ZoneSources {
            analysis,
            families: Vec::new(),
            has_players: false,
            seen: Vec::new(),
            called: Vec::new(),
        }
    }

    /// Tells whether a register only ever holds entities that the routine found in zones.
    fn is_entity(&mut self, routine: RoutineId, reg: Reg) -> bool {
        let players = 1..=i32::from(self.analysis.program.seats.min);
        self.is_found(routine, reg, false, |instr| match instr {
            Instr::Copy { dst, src } if dst == reg => Some(ZoneSource::Entity(src)),
            Instr::NextInZone { iter, .. } if iter.offset(2) == reg => Some(ZoneSource::Zone(iter)),
            Instr::NextItem { iter, .. } if iter.offset(2) == reg => Some(ZoneSource::List(iter)),
            // Null outside, which no reading accepts.
            Instr::ZoneGet { dst, zone, .. } if dst == reg => Some(ZoneSource::Zone(zone)),
            Instr::Get { dst, list, .. } | Instr::TryGet { dst, list, .. } if dst == reg => {
                Some(ZoneSource::List(list))
            }
            Instr::PlayerAfter { dst, .. } if dst == reg => Some(ZoneSource::Players),
            Instr::Int { dst, value } if dst == reg && players.contains(&value) => Some(ZoneSource::Players),
            Instr::Flow { dst, what: FlowInfo::Active } if dst == reg => Some(ZoneSource::Players),
            Instr::Info { dst, what: EntityInfo::Owner | EntityInfo::Controller, .. } if dst == reg => {
                Some(ZoneSource::Players)
            }
            _ => None,
        })
    }

    /// Tells whether a register only ever holds lists of such entities.
    fn is_list(&mut self, routine: RoutineId, reg: Reg) -> bool {
        self.is_found(routine, reg, true, |instr| match instr {
            Instr::Copy { dst, src } if dst == reg => Some(ZoneSource::List(src)),
            Instr::ZoneList { dst, zone } if dst == reg => Some(ZoneSource::Zone(zone)),
            Instr::AllInZone { dst, zone } if dst == reg => Some(ZoneSource::Family(zone)),
            Instr::Players { dst } | Instr::PlayersFrom { dst, .. } if dst == reg => {
                Some(ZoneSource::Players)
            }
            Instr::First { dst, list, .. }
            | Instr::Last { dst, list, .. }
            | Instr::Distinct { dst, list }
                if dst == reg =>
            {
                Some(ZoneSource::List(list))
            }
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
        let params = self.analysis.program.routines.get(routine.index()).map_or(0, |found| found.params);
        if reg.0 < Reg::CONTEXT + params {
            return false;
        }
        if self.seen.contains(&(routine, reg, is_list)) {
            return true;
        }
        self.seen.push((routine, reg, is_list));
        let own = self.analysis.code(routine);
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
        let own = self.analysis.code(routine);
        match source {
            ZoneSource::Zone(zone) => match dependencies::family_of(own, zone) {
                Some(family) => self.holds(routine, ZoneSource::Family(family)),
                None => false,
            },
            ZoneSource::Family(family) => {
                self.families.push(family);
                true
            }
            ZoneSource::Players => {
                self.has_players = true;
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
                let code = self.analysis.code(called);
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
    /// All players.
    Players,
    /// The list in a register.
    List(Reg),
    /// The lists that a routine builds.
    Pushes,
    /// The result of a routine.
    Result(RoutineId),
}
