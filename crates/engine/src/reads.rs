//! What code reads of a board, and what changes of it, as sets: where they have nothing in common, asking again gives
//! the same answer.
//!
//! A set is one word. Columns and zones share bits where there are many of them, so a set may hold more than was put in,
//! never less.

use intermezzo_ruleset::{Info, Instr, Program, PropId, Reg, RoutineId, ZoneId};

/// Parts of a board.
pub(crate) type Parts = u64;

/// All of it.
pub(crate) const ALL: Parts = Parts::MAX;
/// Which phases are under way.
pub(crate) const FLOW: Parts = 1 << 48;
/// Which entities exist.
pub(crate) const EXISTENCE: Parts = 1 << 49;
/// What is attached to what.
pub(crate) const ATTACHMENT: Parts = 1 << 50;
const ZONES: Parts = 0xffff << 32;

/// A column, of whatever it is: the match, a player or anything else.
pub(crate) fn column(column: u16) -> Parts {
    column_of_match(column) | column_of_player(column) | column_of_other(column)
}

/// A column of the entity in that row.
#[inline]
pub(crate) fn column_at(row: u32, seats: u8, column: u16) -> Parts {
    match row {
        0 => column_of_match(column),
        row if row <= u32::from(seats) => column_of_player(column),
        _ => column_of_other(column),
    }
}

/// A column of what is neither the match nor a player.
#[inline]
pub(crate) fn column_of_other(column: u16) -> Parts {
    1 << (column & 15)
}

fn column_of_player(column: u16) -> Parts {
    1 << (16 + (column & 7))
}

fn column_of_match(column: u16) -> Parts {
    1 << (24 + (column & 7))
}

/// All zones of a family.
#[inline]
pub(crate) fn zone(family: ZoneId) -> Parts {
    1 << (32 + (family.0 & 15))
}

/// What pure code reads, that of routines it calls included.
pub(crate) fn of_code(program: &Program, owner: &[u16], code: &[Instr]) -> Parts {
    let mut reader = Reader { program, owner, seen: Vec::new(), parts: 0 };
    code.iter().for_each(|instr| reader.instr(*instr, code));
    reader.parts
}

struct Reader<'a> {
    program: &'a Program,
    owner: &'a [u16],
    seen: Vec<RoutineId>,
    parts: Parts,
}

impl Reader<'_> {
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
            Instr::Info { what: Info::Zone | Info::Index, .. } => ZONES,
            Instr::Info { what: Info::Host, .. } => ATTACHMENT,
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
            instr if is_computing(instr) || !instr.is_pure() => 0,
            _ => ALL,
        };
    }

    /// A property with all that modifies it: what the modifiers read, and where they are in force.
    fn modified(&mut self, prop: PropId) -> Parts {
        let program = self.program;
        let mut parts = column(program.props[prop.index()].column);
        for modifier in &program.props[prop.index()].modifiers {
            self.routine(program.modifiers[usize::from(*modifier)].change);
            parts |= ZONES | ATTACHMENT | EXISTENCE;
        }
        parts
    }
}

/// The zone family whose instances a register holds, if it never holds anything else.
fn family_of(code: &[Instr], zone: Reg) -> Option<ZoneId> {
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

/// Whether an instruction computes from values alone: they never change, wherever they came from.
fn is_computing(instr: Instr) -> bool {
    matches!(
        instr,
        Instr::Copy { .. }
            | Instr::Int { .. }
            | Instr::Const { .. }
            | Instr::Add { .. }
            | Instr::AddInt { .. }
            | Instr::Sub { .. }
            | Instr::Mul { .. }
            | Instr::Div { .. }
            | Instr::Rem { .. }
            | Instr::Neg { .. }
            | Instr::Min { .. }
            | Instr::Max { .. }
            | Instr::Abs { .. }
            | Instr::Eq { .. }
            | Instr::Ne { .. }
            | Instr::Lt { .. }
            | Instr::Le { .. }
            | Instr::Not { .. }
            | Instr::Same { .. }
            | Instr::OfType { .. }
            | Instr::Assert { .. }
            | Instr::Fail { .. }
            | Instr::Jump { .. }
            | Instr::JumpIf { .. }
            | Instr::JumpUnless { .. }
            | Instr::JumpNull { .. }
            | Instr::SkipEq { .. }
            | Instr::SkipNe { .. }
            | Instr::SkipLt { .. }
            | Instr::SkipLe { .. }
            | Instr::SkipEqInt { .. }
            | Instr::SkipNeInt { .. }
            | Instr::SkipLtInt { .. }
            | Instr::SkipLeInt { .. }
            | Instr::SkipGtInt { .. }
            | Instr::SkipGeInt { .. }
            | Instr::NextItem { .. }
            | Instr::NextCount { .. }
            | Instr::Begin { .. }
            | Instr::Push { .. }
            | Instr::Finish { .. }
            | Instr::Len { .. }
            | Instr::Get { .. }
            | Instr::TryGet { .. }
            | Instr::Concat { .. }
            | Instr::Contains { .. }
            | Instr::First { .. }
            | Instr::Last { .. }
            | Instr::Replace { .. }
            | Instr::SortBy { .. }
            | Instr::Range { .. }
            | Instr::Distinct { .. }
            | Instr::Record { .. }
            | Instr::Field { .. }
            | Instr::CopyRecord { .. }
            | Instr::PutField { .. }
            | Instr::NewMap { .. }
            | Instr::PutKey { .. }
            | Instr::Key { .. }
            | Instr::TryKey { .. }
            | Instr::EnumIndex { .. }
            | Instr::Dice { .. }
            | Instr::HasProp { .. }
            | Instr::ZoneOf { .. }
            | Instr::TheZone { .. }
            | Instr::IsZone { .. }
            | Instr::ZoneHost { .. }
            | Instr::Players { .. }
            | Instr::PlayerCount { .. }
            | Instr::PlayerAfter { .. }
            | Instr::PlayersFrom { .. }
            | Instr::IsResource { .. }
            | Instr::Return { .. }
            | Instr::Done {}
    )
}
