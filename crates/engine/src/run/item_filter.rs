//! Loops that begin with a test of their item, such as "the creature that stands there": the items that do not pass
//! are skipped here, without a turn of the interpreter for each instruction.

use intermezzo_program::{FaultCode, Instr, KindId, Program, Reg, Word};

use crate::run::frames::Meter;
use crate::run::registers::RegisterWindow;
use crate::storage::board::Board;
use crate::values::arithmetic::{holds, present};

type Result<T> = std::result::Result<T, FaultCode>;

/// Steps of one turn: the jump back, and the next item.
const STEPS_PER_TURN: usize = 2;

/// The items of a loop.
#[derive(Clone, Copy)]
enum Items<'b> {
    List(&'b [Word]),
    Zone(&'b [u32]),
}

impl Items<'_> {
    #[inline]
    fn get(self, board: &Board, at: Word) -> Option<Word> {
        let at = usize::try_from(at).ok()?;
        match self {
            Items::List(items) => items.get(at).copied(),
            Items::Zone(rows) => rows.get(at).map(|row| board.reference(*row)),
        }
    }
}

/// A test at the beginning of a loop. Its branch jumps back if an item does not pass.
#[derive(Clone, Copy, Debug)]
enum Test {
    Kind {
        dst: Reg,
        kind: KindId,
        branch: Instr,
    },
    Column {
        dst: Reg,
        column: u16,
        branch: Instr,
    },
    /// A column, and a field of a record, which may be in that column.
    Field {
        dst: Reg,
        column: u16,
        field: Reg,
        record: Reg,
        index: u16,
        branch: Instr,
    },
}

impl Test {
    /// Finds the test at `to`, for the loop whose jump back is at `at`.
    fn find(code: &[Instr], at: usize, iter: Reg, to: usize) -> Option<Test> {
        let item = iter.offset(2);
        let is_free = |reg: &Reg| !(iter.0..=item.0).contains(&reg.0);
        let branch = |place: usize| code.get(place).copied().filter(|instr| rejects(*instr, place, at));
        match *code.get(to)? {
            Instr::IsKind { dst, entity, kind } if entity == item && is_free(&dst) => {
                Some(Test::Kind { dst, kind, branch: branch(to + 1)? })
            }
            Instr::Prop { dst, entity, column } if entity == item && is_free(&dst) => {
                match *code.get(to + 1)? {
                    Instr::Field { dst: field, record, index } if is_free(&field) => {
                        Some(Test::Field { dst, column, field, record, index, branch: branch(to + 2)? })
                    }
                    _ => Some(Test::Column { dst, column, branch: branch(to + 1)? }),
                }
            }
            _ => None,
        }
    }

    /// Number of instructions.
    fn len(self) -> usize {
        match self {
            Test::Kind { .. } | Test::Column { .. } => 2,
            Test::Field { .. } => 3,
        }
    }
}

/// Tells whether a branch at `place` goes to `at` in one case and to the next instruction in the other.
fn rejects(mut branch: Instr, place: usize, at: usize) -> bool {
    match branch {
        Instr::JumpIf { to, .. } | Instr::JumpUnless { to, .. } => at > place && to as usize == at,
        _ => branch.skip_mut().is_some_and(|skip| *skip > 0 && place + 1 + usize::from(*skip) == at),
    }
}

/// The test at the beginning of a loop, and its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopFilter {
    pub(crate) to: u32,
    test: Test,
}

/// Replaces jumps back to loops that begin with a test, and adds the tests to `filters`. No instruction moves.
pub(crate) fn filter_items(code: &mut [Instr], filters: &mut Vec<LoopFilter>) {
    for at in 0..code.len() {
        let (Instr::ContinueItem { iter, to } | Instr::ContinueInZone { iter, to }) = code[at] else {
            continue;
        };
        let Some(test) = Test::find(code, at, iter, to as usize) else { continue };
        let filter = filters.len() as u32;
        filters.push(LoopFilter { to, test });
        code[at] = match code[at] {
            Instr::ContinueItem { .. } => Instr::FilterItems { iter, filter },
            _ => Instr::FilterZone { iter, filter },
        };
    }
}

/// A loop with a test.
#[derive(Clone, Copy)]
pub(crate) struct FilterLoop {
    /// Address of the jump back.
    pub(crate) at: usize,
    pub(crate) iter: Reg,
    pub(crate) is_zone: bool,
}

/// Goes to the next item that passes the test. Returns where the code continues, or the address after the instruction
/// that failed and its fault.
#[inline(never)]
pub(crate) fn next_item<W: RegisterWindow + ?Sized>(
    program: &Program,
    filter: &LoopFilter,
    board: &Board,
    meter: &mut Meter,
    w: &mut W,
    turn: FilterLoop,
) -> (usize, Option<FaultCode>) {
    let FilterLoop { at, iter, is_zone } = turn;
    let LoopFilter { to, test } = *filter;
    let test_at = (to as usize, test.len());
    let source = *w.word(iter);
    let items = match is_zone {
        true => board.instance(source).map(|zone| Items::Zone(board.zones.rows(zone))),
        false => board.heap.items(source).map(Items::List),
    };
    let items = match items {
        Ok(items) => items,
        Err(fault) => return (at + 1, Some(fault)),
    };
    match test {
        Test::Kind { dst, kind, branch } => scan(items, board, meter, w, turn, test_at, |item, w| {
            let found = board.entity(item);
            *w.word(dst) = Word::from(found.is_some_and(|found| program.is_kind(found.kind, kind)));
            passes(branch, w).map_err(|fault| (2, fault))
        }),
        Test::Column { dst, column, branch } => scan(items, board, meter, w, turn, test_at, |item, w| {
            *w.word(dst) = read(board, item, column).map_err(|fault| (1, fault))?;
            passes(branch, w).map_err(|fault| (2, fault))
        }),
        Test::Field { dst, column, field, record, index, branch } => {
            scan(items, board, meter, w, turn, test_at, |item, w| {
                *w.word(dst) = read(board, item, column).map_err(|fault| (1, fault))?;
                let value = board.heap.field(*w.word(record), usize::from(index));
                *w.word(field) = value.map_err(|fault| (2, fault))?;
                passes(branch, w).map_err(|fault| (3, fault))
            })
        }
    }
}

#[inline]
fn read(board: &Board, entity: Word, column: u16) -> Result<Word> {
    board.cell(board.live(entity)?, column)
}

/// Tries items until one passes. `test` returns the distance to the instruction after one that failed, and its fault.
#[inline(always)]
fn scan<W: RegisterWindow + ?Sized>(
    items: Items<'_>,
    board: &Board,
    meter: &mut Meter,
    w: &mut W,
    turn: FilterLoop,
    (to, len): (usize, usize),
    mut test: impl FnMut(Word, &mut W) -> std::result::Result<bool, (usize, FaultCode)>,
) -> (usize, Option<FaultCode>) {
    let FilterLoop { at, iter, .. } = turn;
    loop {
        let next = *w.word(iter.offset(1));
        let Some(item) = items.get(board, next) else { return (at + 1, None) };
        if let Err(fault) = meter.charge_steps(STEPS_PER_TURN) {
            return (at + 1, Some(fault));
        }
        *w.word(iter.offset(1)) = next + 1;
        *w.word(iter.offset(2)) = item;
        match test(item, w) {
            Ok(true) => return (to + len, None),
            Ok(false) => {}
            Err((distance, fault)) => return (to + distance, Some(fault)),
        }
    }
}

/// Tells whether the branch of a test goes on with the item.
#[inline(always)]
fn passes<W: RegisterWindow + ?Sized>(branch: Instr, w: &mut W) -> Result<bool> {
    let mut r = |reg: Reg| *w.word(reg);
    Ok(match branch {
        Instr::JumpUnless { cond, .. } => holds(r(cond)),
        Instr::JumpIf { cond, .. } => !holds(r(cond)),
        Instr::SkipEq { a, b, .. } => r(a) != r(b),
        Instr::SkipNe { a, b, .. } => r(a) == r(b),
        Instr::SkipEqInt { a, value, .. } => r(a) != Word::from(value),
        Instr::SkipNeInt { a, value, .. } => r(a) == Word::from(value),
        Instr::SkipLtInt { a, value, .. } => present(r(a))? >= Word::from(value),
        Instr::SkipLeInt { a, value, .. } => present(r(a))? > Word::from(value),
        Instr::SkipGtInt { a, value, .. } => present(r(a))? <= Word::from(value),
        Instr::SkipGeInt { a, value, .. } => present(r(a))? < Word::from(value),
        Instr::SkipLt { a, b, .. } => present(r(a))? >= present(r(b))?,
        Instr::SkipLe { a, b, .. } => present(r(a))? > present(r(b))?,
        _ => return Err(FaultCode::Missing),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITER: Reg = Reg(5);
    const ITEM: Reg = Reg(7);
    const VALUE: Reg = Reg(8);

    /// Returns the jump back of a loop that reads a property of its item, branches and pushes the item.
    fn jump_back(dst: Reg, branch: Instr) -> Instr {
        let mut code = vec![
            Instr::NextItem { iter: ITER, to: 5 },
            Instr::Prop { dst, entity: ITEM, column: 0 },
            branch,
            Instr::Push { value: ITEM },
            Instr::ContinueItem { iter: ITER, to: 1 },
            Instr::Done {},
        ];
        filter_items(&mut code, &mut Vec::new());
        code[4]
    }

    #[test]
    fn a_loop_whose_test_jumps_back_filters() {
        let filter = Instr::FilterItems { iter: ITER, filter: 0 };
        assert_eq!(jump_back(VALUE, Instr::SkipNeInt { a: VALUE, value: 3, skip: 1 }), filter);
        assert_eq!(jump_back(VALUE, Instr::JumpUnless { cond: VALUE, to: 4 }), filter);
    }

    #[test]
    fn a_loop_that_its_test_leaves_does_not_filter() {
        let plain = Instr::ContinueItem { iter: ITER, to: 1 };
        assert_eq!(jump_back(VALUE, Instr::SkipNeInt { a: VALUE, value: 3, skip: 2 }), plain);
        assert_eq!(jump_back(VALUE, Instr::JumpIf { cond: VALUE, to: 5 }), plain);
    }

    #[test]
    fn a_test_that_changes_the_loop_does_not_filter() {
        let branch = Instr::JumpUnless { cond: ITEM, to: 4 };
        assert_eq!(jump_back(ITEM, branch), Instr::ContinueItem { iter: ITER, to: 1 });
    }
}
