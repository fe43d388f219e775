//! Dependency sets: the parts of a board that code reads, and the parts that change. If the two are disjoint,
//! evaluating again gives the same result.
//!
//! A set is one word. If there are many columns or zones, several share a bit, so a set may contain more than
//! was added, never less.

use intermezzo_program::{EntityInfo, Instr, InstrClass, Program, PropId, Reg, RoutineId, ZoneId};

/// A set of parts of a board.
pub(crate) type BoardParts = u64;

/// The whole board.
pub(crate) const ALL: BoardParts = BoardParts::MAX;
/// The active phases.
pub(crate) const FLOW: BoardParts = 1 << 48;
/// The existence of entities.
pub(crate) const EXISTENCE: BoardParts = 1 << 49;
/// The attachment of entities to hosts.
pub(crate) const ATTACHMENT: BoardParts = 1 << 50;
const ZONES: BoardParts = 0xffff << 32;

/// Returns a column of any row: the match, players and other entities.
pub(crate) fn column(column: u16) -> BoardParts {
    column_of_match(column) | column_of_player(column) | column_of_other(column)
}

/// Returns a column of the entity in that row.
#[inline]
pub(crate) fn column_at(row: u32, seats: u8, column: u16) -> BoardParts {
    match row {
        0 => column_of_match(column),
        row if row <= u32::from(seats) => column_of_player(column),
        _ => column_of_other(column),
    }
}

/// Returns a column of entities other than the match and players.
#[inline]
pub(crate) fn column_of_other(column: u16) -> BoardParts {
    1 << (column & 15)
}

pub(crate) fn column_of_player(column: u16) -> BoardParts {
    1 << (16 + (column & 7))
}

fn column_of_match(column: u16) -> BoardParts {
    1 << (24 + (column & 7))
}

/// Returns all instances of a zone family.
#[inline]
pub(crate) fn zone(family: ZoneId) -> BoardParts {
    1 << (32 + (family.0 & 15))
}

/// Returns what a pure routine reads, including the routines it calls.
pub(crate) fn read_by_routine(program: &Program, owner: &[u16], routine: RoutineId) -> BoardParts {
    let mut reader = DependencyCollector { program, owner, seen: Vec::new(), parts: 0 };
    reader.routine(routine);
    reader.parts
}

/// Returns what the computed value of a property depends on, apart from its own stored value: nothing, if it is not
/// computed.
pub(crate) fn read_by_prop(program: &Program, owner: &[u16], prop: PropId) -> BoardParts {
    let mut reader = DependencyCollector { program, owner, seen: Vec::new(), parts: 0 };
    if let Some(routine) = program.props[prop.index()].derived {
        reader.routine(routine);
    }
    reader.parts |= reader.modifiers(prop);
    reader.parts
}

/// Returns what one instruction of `code` reads, without what it calls.
pub(crate) fn read_by_instr(program: &Program, owner: &[u16], instr: Instr, code: &[Instr]) -> BoardParts {
    let mut reader = DependencyCollector { program, owner, seen: Vec::new(), parts: 0 };
    reader.instr(instr, code);
    reader.parts
}

struct DependencyCollector<'a> {
    program: &'a Program,
    owner: &'a [u16],
    seen: Vec<RoutineId>,
    parts: BoardParts,
}

impl DependencyCollector<'_> {
    fn routine(&mut self, routine: RoutineId) {
        if self.seen.contains(&routine) {
            return;
        }
        self.seen.push(routine);
        let own = |at: &usize| self.owner[*at] == routine.0;
        let code: Vec<Instr> = (0..self.owner.len()).filter(own).map(|at| self.program.code[at]).collect();
        for instr in &code {
            self.instr(*instr, &code);
        }
    }

    fn instr(&mut self, instr: Instr, code: &[Instr]) {
        self.parts |= match instr {
            Instr::Prop { column: read, .. } => column(read),
            Instr::MatchProp { column: read, .. } => column_of_match(read),
            Instr::Modified { prop, .. } => self.modified(prop),
            Instr::Info { dst, what: EntityInfo::Zone, .. } => families_tested(code, dst).unwrap_or(ZONES),
            Instr::Info { what: EntityInfo::Index, .. } => ZONES,
            Instr::Info { what: EntityInfo::Host, .. } => ATTACHMENT,
            Instr::Info { .. } => 0,
            Instr::HasTrait { .. } => ATTACHMENT | EXISTENCE,
            Instr::IsKind { .. } | Instr::IsDef { .. } | Instr::Exists { .. } => EXISTENCE,
            Instr::AllInZone { zone: family, .. } => zone(family),
            Instr::ZoneLen { zone: read, .. }
            | Instr::ZoneGet { zone: read, .. }
            | Instr::ZoneList { zone: read, .. }
            | Instr::NextInZone { iter: read, .. } => family_of(code, read).map_or(ZONES, zone),
            Instr::Flow { .. } | Instr::InPhase { .. } => FLOW,
            Instr::Call { routine, .. } => {
                if self.program.routines.get(routine.index()).is_some_and(|called| called.pure) {
                    self.routine(routine);
                }
                0
            }
            instr if reads_no_state(instr) || !instr.is_pure() => 0,
            _ => ALL,
        };
    }

    /// Returns what a modified property depends on: the reads of its modifiers, and where they are active.
    fn modified(&mut self, prop: PropId) -> BoardParts {
        column(self.program.props[prop.index()].column) | self.modifiers(prop)
    }

    fn modifiers(&mut self, prop: PropId) -> BoardParts {
        let program = self.program;
        let mut parts = 0;
        for modifier in &program.props[prop.index()].modifiers {
            self.routine(program.modifiers[usize::from(*modifier)].change);
            parts |= ZONES | ATTACHMENT | EXISTENCE;
        }
        parts
    }
}

/// Returns the zones that an entity's zone is compared with, if nothing else is done with it.
fn families_tested(code: &[Instr], zone: Reg) -> Option<BoardParts> {
    let mut parts = 0;
    for instr in code {
        match *instr {
            Instr::IsZone { dst, value, zone: family } if value == zone && dst != zone => {
                parts |= self::zone(family);
            }
            Instr::Info { dst, entity, what: EntityInfo::Zone } if dst == zone && entity != zone => {}
            Instr::NextItem { iter, .. } | Instr::NextInZone { iter, .. } | Instr::NextCount { iter, .. }
                if (iter.0..=iter.0 + 2).contains(&zone.0) =>
            {
                return None;
            }
            mut other => {
                let mut is_used = false;
                other.renumber(|reg| is_used |= *reg == zone);
                let is_range = matches!(
                    other,
                    Instr::Record { .. }
                        | Instr::Call { .. }
                        | Instr::Replace { .. }
                        | Instr::Usable { .. }
                        | Instr::Afford { .. }
                        | Instr::Offer { .. }
                );
                if is_used || is_range {
                    return None;
                }
            }
        }
    }
    Some(parts)
}

/// Returns the zone family whose instances a register holds, if it never holds anything else.
pub(crate) fn family_of(code: &[Instr], zone: Reg) -> Option<ZoneId> {
    let mut found = None;
    for instr in code {
        let family = match *instr {
            Instr::ZoneOf { dst, zone: family, .. } | Instr::TheZone { dst, zone: family } if dst == zone => {
                family
            }
            Instr::Copy { dst, src } if dst == zone && src != zone => family_of(code, src)?,
            Instr::NextItem { iter, .. } | Instr::NextInZone { iter, .. } | Instr::NextCount { iter, .. } => {
                if iter.offset(1) == zone || iter.offset(2) == zone {
                    return None;
                }
                continue;
            }
            other if other.result() == Some(zone) => return None,
            _ => continue,
        };
        if *found.get_or_insert(family) != family {
            return None;
        }
    }
    found
}

/// Tells whether an instruction depends on nothing that can change.
pub(crate) fn reads_no_state(instr: Instr) -> bool {
    matches!(instr.class(), InstrClass::Compute | InstrClass::Fact | InstrClass::Control)
}
