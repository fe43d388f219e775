//! Makes code that was put together shorter: jumps go straight to where they end up, and what is never reached is left
//! out.

use intermezzo_ruleset::{Instr, NULL, Reg, Word};

use crate::linking::Turn;

/// Jumps are followed so far; nobody puts more of them in a row.
const MAX_HOPS: usize = 8;

/// Tidies the code from `entry` to the end. `switches` are the tables it jumps by. Gives false if a skip became too
/// long; the code is then of no use.
pub(crate) fn tidy(code: &mut Vec<Instr>, entry: usize, switches: &mut [Vec<Turn>]) -> bool {
    let mut piece: Vec<Instr> = code.drain(entry..).collect();
    let Some(mut targets) =
        (0..piece.len()).map(|at| targets(&mut piece, at, entry)).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let is_target = marked(&targets, switches, entry, piece.len());
    for at in 0..piece.len() {
        let known = match (at > 0 && !is_target[at]).then(|| piece[at - 1]) {
            Some(Instr::Int { dst, value }) => Some((dst, value)),
            _ => None,
        };
        let known = known.filter(|_| matches!(piece[at], Instr::Jump { .. }));
        for number in 0..targets[at].len() {
            let found = follow(&piece, &targets, targets[at][number], known);
            // Only a jump can go back.
            if matches!(piece[at], Instr::Jump { .. }) || found > at {
                targets[at][number] = found;
            }
        }
    }
    let is_kept = kept(&piece, &targets, switches, entry);
    // Where each instruction comes to lie.
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
    for turn in switches.iter_mut().flatten() {
        turn.renumber(|place| places[place as usize - entry] as u32);
    }
    true
}

/// Lets loops go on at their ends: what jumps back to ask for the next item asks for it itself. Nothing moves.
pub(crate) fn turn_loops(code: &mut [Instr]) {
    for at in 0..code.len() {
        let Instr::Jump { to: start } = code[at] else { continue };
        let to = start + 1;
        let ends_here = |end: u32| end as usize == at + 1;
        code[at] = match code.get(start as usize) {
            Some(Instr::NextItem { iter, to: end }) if ends_here(*end) => {
                Instr::AgainItem { iter: *iter, to }
            }
            Some(Instr::NextInZone { iter, to: end }) if ends_here(*end) => {
                Instr::AgainInZone { iter: *iter, to }
            }
            Some(Instr::NextCount { iter, to: end }) if ends_here(*end) => {
                Instr::AgainCount { iter: *iter, to }
            }
            _ => continue,
        };
    }
}

/// Lets the first of several instructions that load null into registers in a row load all of them. Nothing moves, so
/// that whoever jumps into their midst finds them there.
pub(crate) fn join_nulls(code: &mut [Instr], constants: &[Word]) {
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

/// Where an instruction may go besides the next one, counted from the start of the piece.
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

/// Lets an instruction that now lies at `at` go to `targets`.
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

/// What something jumps to.
fn marked(targets: &[Vec<usize>], switches: &[Vec<Turn>], entry: usize, len: usize) -> Vec<bool> {
    let mut is_target = vec![false; len];
    for to in targets.iter().flatten() {
        is_target[*to] = true;
    }
    for to in switches.iter().flatten().flat_map(Turn::places) {
        is_target[to as usize - entry] = true;
    }
    is_target
}

/// Where one ends up who goes to `to`, if a register is known to hold a number.
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

/// What can be reached and does something.
fn kept(piece: &[Instr], targets: &[Vec<usize>], switches: &[Vec<Turn>], entry: usize) -> Vec<bool> {
    let mut is_kept = vec![false; piece.len()];
    let of_switches = switches.iter().flatten().flat_map(Turn::places);
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
    fn a_jump_goes_straight_to_where_it_ends_up() {
        let mut code = vec![
            Instr::Done {},
            // The piece begins here, as number 1.
            Instr::SkipEq { a: A, b: B, skip: 2 },
            Instr::Int { dst: A, value: 1 },
            Instr::Jump { to: 5 },
            Instr::Int { dst: A, value: 0 },
            Instr::SkipNeInt { a: A, value: 1, skip: 2 },
            Instr::Copy { dst: B, src: A },
            Instr::Jump { to: 8 },
            Instr::Done {},
        ];
        assert!(tidy(&mut code, 1, &mut []));
        let tidied = [
            Instr::Done {},
            Instr::SkipEq { a: A, b: B, skip: 2 },
            Instr::Int { dst: A, value: 1 },
            // It is known to be 1, so the test is passed over.
            Instr::Jump { to: 6 },
            Instr::Int { dst: A, value: 0 },
            Instr::SkipNeInt { a: A, value: 1, skip: 1 },
            Instr::Copy { dst: B, src: A },
            Instr::Done {},
        ];
        assert_eq!(code, tidied);
    }

    #[test]
    fn a_loop_turns_where_it_ends() {
        let mut code = vec![
            Instr::NextItem { iter: A, to: 3 },
            Instr::SkipEq { a: A, b: B, skip: 0 },
            Instr::Jump { to: 0 },
            Instr::Done {},
        ];
        turn_loops(&mut code);
        assert_eq!(code[2], Instr::AgainItem { iter: A, to: 1 });
    }

    #[test]
    fn nulls_in_a_row_are_loaded_at_once_and_stay_where_they_were() {
        let null = |dst| Instr::Const { dst, index: 1 };
        let mut code = vec![null(A), null(B), Instr::Const { dst: Reg(7), index: 0 }, null(Reg(9))];
        join_nulls(&mut code, &[4, NULL]);
        let joined = [Instr::Nulls { first: A, count: 2 }, null(B), code[2], null(Reg(9))];
        assert_eq!(code, joined);
    }
}
