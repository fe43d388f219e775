//! Peephole pass that shortens specialized code: jumps go straight to their final target, and unreachable
//! code is dropped.

use intermezzo_program::{ActionId, Instr, NULL, Reg, Word};

use crate::optimize::specializer::HostJump;

/// Greatest number of jumps to follow; generated code never chains more.
const MAX_HOPS: usize = 8;

/// Simplifies the code from `entry` to the end. `switches` are its jump tables. Returns false if a skip
/// became too long; the code is then unusable.
pub(crate) fn simplify(code: &mut Vec<Instr>, entry: usize, switches: &mut [Vec<HostJump>]) -> bool {
    let mut piece: Vec<Instr> = code.drain(entry..).collect();
    let Some(mut targets) =
        (0..piece.len()).map(|at| targets(&mut piece, at, entry)).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let is_target = jump_targets(&targets, switches, entry, piece.len());
    for at in 0..piece.len() {
        let known = match (at > 0 && !is_target[at]).then(|| piece[at - 1]) {
            Some(Instr::Int { dst, value }) => Some((dst, value)),
            _ => None,
        };
        let known = known.filter(|_| matches!(piece[at], Instr::Jump { .. }));
        for number in 0..targets[at].len() {
            let found = follow(&piece, &targets, targets[at][number], known);
            // Only a jump can go backwards.
            if matches!(piece[at], Instr::Jump { .. }) || found > at {
                targets[at][number] = found;
            }
        }
    }
    let is_kept = reachable(&piece, &targets, switches, entry);
    // New address of each instruction.
    let mut places = Vec::with_capacity(piece.len() + 1);
    let mut next = entry;
    for kept in &is_kept {
        places.push(next);
        next += usize::from(*kept);
    }
    places.push(next);
    for at in (0..piece.len()).filter(|at| is_kept[*at]) {
        if retarget(&mut piece[at], places[at], targets[at].iter().map(|to| places[*to])).is_none() {
            return false;
        }
        code.push(piece[at]);
    }
    for jump in switches.iter_mut().flatten() {
        jump.renumber(|place| places[place as usize - entry] as u32);
    }
    true
}

/// Rotates loops: a jump back to the loop header becomes the loop's own step. No instruction moves.
pub(crate) fn rotate_loops(code: &mut [Instr]) {
    for at in 0..code.len() {
        let Instr::Jump { to: start } = code[at] else { continue };
        let to = start + 1;
        let ends_here = |end: u32| end as usize == at + 1;
        code[at] = match code.get(start as usize) {
            Some(Instr::NextItem { iter, to: end }) if ends_here(*end) => {
                Instr::ContinueItem { iter: *iter, to }
            }
            Some(Instr::NextInZone { iter, to: end }) if ends_here(*end) => {
                Instr::ContinueInZone { iter: *iter, to }
            }
            Some(Instr::NextCount { iter, to: end }) if ends_here(*end) => {
                Instr::ContinueCount { iter: *iter, to }
            }
            _ => continue,
        };
    }
}

/// Lets the first of several consecutive null loads into consecutive registers load all of them. No
/// instruction moves, so jumps into their middle still work.
pub(crate) fn merge_null_loads(code: &mut [Instr], constants: &[Word]) {
    let null_to = |instr: &Instr| match instr {
        Instr::Const { dst, index } if constants.get(*index as usize) == Some(&NULL) => Some(*dst),
        _ => None,
    };
    let mut at = 0;
    while at < code.len() {
        let Some(first) = null_to(&code[at]) else {
            at += 1;
            continue;
        };
        let later = code[at + 1..].iter().zip(1u16..);
        let is_next = |(instr, number): &(&Instr, u16)| null_to(instr) == Some(first.offset(*number));
        let count = 1 + later.take_while(is_next).count();
        if count > 1 {
            code[at] = Instr::Nulls { first, count: count as u16 };
        }
        at += count;
    }
}

/// Lets loops that only make an offer with each item run in one instruction, in the code from `first` on. No instruction moves.
pub(crate) fn merge_offer_loops(code: &mut [Instr], first: usize, has_one_target: impl Fn(ActionId) -> bool) {
    for at in first..code.len() {
        let Some(
            [Instr::NextItem { iter, to }, Instr::Copy { dst, src }, Instr::Offer { action, params }, back],
        ) = code[at..].first_chunk::<4>()
        else {
            continue;
        };
        let repeats = match *back {
            Instr::ContinueItem { iter: again, to } => again == *iter && to as usize == at + 1,
            Instr::Jump { to } => to as usize == at,
            _ => false,
        };
        if repeats && *src == iter.offset(2) && params == dst && has_one_target(*action) {
            code[at] = Instr::OfferItems { iter: *iter, to: *to };
        }
    }
}

/// Returns the targets of an instruction besides the next one, relative to the start of the piece.
fn targets(piece: &mut [Instr], at: usize, entry: usize) -> Option<Vec<usize>> {
    let len = piece.len();
    let ahead = |skip: u16| Some(at + 1 + usize::from(skip)).filter(|to| *to < len);
    match &mut piece[at] {
        Instr::Gate { open, shut, .. } => Some(vec![ahead(*open)?, ahead(*shut)?]),
        instr => match (instr.skip_mut().copied(), instr.target_mut().copied()) {
            (Some(skip), _) => Some(vec![ahead(skip)?]),
            (_, Some(to)) => Some(vec![(to as usize).checked_sub(entry).filter(|to| *to < len)?]),
            _ => Some(Vec::new()),
        },
    }
}

/// Sets the targets of an instruction that is now at `at`.
fn retarget(instr: &mut Instr, at: usize, mut targets: impl Iterator<Item = usize>) -> Option<()> {
    let skip_to = |to: Option<usize>| u16::try_from(to?.checked_sub(at + 1)?).ok();
    match instr {
        Instr::Gate { open, shut, .. } => {
            (*open, *shut) = (skip_to(targets.next())?, skip_to(targets.next())?);
        }
        instr => {
            if let Some(skip) = instr.skip_mut() {
                *skip = skip_to(targets.next())?;
            } else if let Some(to) = instr.target_mut() {
                *to = targets.next()? as u32;
            }
        }
    }
    Some(())
}

/// Marks the instructions that something jumps to.
fn jump_targets(targets: &[Vec<usize>], switches: &[Vec<HostJump>], entry: usize, len: usize) -> Vec<bool> {
    let mut is_target = vec![false; len];
    for to in targets.iter().flatten() {
        is_target[*to] = true;
    }
    for to in switches.iter().flatten().flat_map(HostJump::addresses) {
        is_target[to as usize - entry] = true;
    }
    is_target
}

/// Returns the final target of a jump to `to`, if a register is known to hold a number.
fn follow(piece: &[Instr], targets: &[Vec<usize>], mut to: usize, known: Option<(Reg, i32)>) -> usize {
    for _ in 0..MAX_HOPS {
        let holds = |a: Reg, value: i16| {
            let (_, number) = known.filter(|(reg, _)| *reg == a)?;
            Some(Word::from(number) == Word::from(value))
        };
        let skips = match piece[to] {
            Instr::Jump { .. } => Some(true),
            Instr::SkipEqInt { a, value, .. } => holds(a, value),
            Instr::SkipNeInt { a, value, .. } => holds(a, value).map(|is_it| !is_it),
            _ => None,
        };
        to = match skips {
            Some(true) => targets[to][0],
            Some(false) => to + 1,
            None => return to,
        };
    }
    to
}

/// Marks the instructions that are reachable and have an effect.
fn reachable(piece: &[Instr], targets: &[Vec<usize>], switches: &[Vec<HostJump>], entry: usize) -> Vec<bool> {
    let mut is_kept = vec![false; piece.len()];
    let of_switches = switches.iter().flatten().flat_map(HostJump::addresses);
    let mut open: Vec<usize> = of_switches.map(|place| place as usize - entry).chain([0]).collect();
    while let Some(at) = open.pop() {
        if at < piece.len() && !std::mem::replace(&mut is_kept[at], true) {
            open.extend(&targets[at]);
            let ends = matches!(
                piece[at],
                Instr::Jump { .. } | Instr::Return { .. } | Instr::Done {} | Instr::Fail { .. }
            );
            open.extend((!ends).then_some(at + 1));
        }
    }
    for at in 0..piece.len() {
        let passes_over_nothing =
            matches!(piece[at], Instr::Jump { .. }) && !(at + 1..targets[at][0]).any(|other| is_kept[other]);
        is_kept[at] &= !(passes_over_nothing && targets[at][0] > at);
    }
    is_kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Reg = Reg(5);
    const B: Reg = Reg(6);

    #[test]
    fn jumps_go_straight_to_their_final_target() {
        let mut code = vec![
            Instr::Done {},
            // The piece begins here, at address 1.
            Instr::SkipEq { a: A, b: B, skip: 2 },
            Instr::Int { dst: A, value: 1 },
            Instr::Jump { to: 5 },
            Instr::Int { dst: A, value: 0 },
            Instr::SkipNeInt { a: A, value: 1, skip: 2 },
            Instr::Copy { dst: B, src: A },
            Instr::Jump { to: 8 },
            Instr::Done {},
        ];
        assert!(simplify(&mut code, 1, &mut []));
        let tidied = [
            Instr::Done {},
            Instr::SkipEq { a: A, b: B, skip: 2 },
            Instr::Int { dst: A, value: 1 },
            // A is known to be 1, so the test is skipped.
            Instr::Jump { to: 6 },
            Instr::Int { dst: A, value: 0 },
            Instr::SkipNeInt { a: A, value: 1, skip: 1 },
            Instr::Copy { dst: B, src: A },
            Instr::Done {},
        ];
        assert_eq!(code, tidied);
    }

    #[test]
    fn loops_are_rotated() {
        let mut code = vec![
            Instr::NextItem { iter: A, to: 3 },
            Instr::SkipEq { a: A, b: B, skip: 0 },
            Instr::Jump { to: 0 },
            Instr::Done {},
        ];
        rotate_loops(&mut code);
        assert_eq!(code[2], Instr::ContinueItem { iter: A, to: 1 });
    }

    #[test]
    fn consecutive_null_loads_are_merged_in_place() {
        let null = |dst| Instr::Const { dst, index: 1 };
        let mut code = vec![null(A), null(B), Instr::Const { dst: Reg(7), index: 0 }, null(Reg(9))];
        merge_null_loads(&mut code, &[4, NULL]);
        let joined = [Instr::Nulls { first: A, count: 2 }, null(B), code[2], null(Reg(9))];
        assert_eq!(code, joined);
    }

    #[test]
    fn loops_that_only_offer_run_in_one_instruction() {
        let iter = Reg(20);
        let item = iter.offset(2);
        let offer = Instr::Offer { action: ActionId(0), params: A };
        let mut code = vec![
            Instr::NextItem { iter, to: 4 },
            Instr::Copy { dst: A, src: item },
            offer,
            Instr::ContinueItem { iter, to: 1 },
            Instr::NextItem { iter, to: 8 },
            Instr::Copy { dst: A, src: B },
            offer,
            Instr::Jump { to: 4 },
            Instr::Done {},
        ];
        let before = code.clone();
        merge_offer_loops(&mut code, 1, |_| true);
        assert_eq!(
            code, before,
            "the program's own code does not change, nor do loops that offer something else"
        );
        merge_offer_loops(&mut code, 0, |_| false);
        assert_eq!(code, before, "one offer takes one item");
        merge_offer_loops(&mut code, 0, |_| true);
        assert_eq!(code[0], Instr::OfferItems { iter, to: 4 });
        assert_eq!(code[1..], before[1..]);
    }
}
