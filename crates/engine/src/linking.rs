//! The code that is run: the program's own, and behind it code put together from it.
//!
//! Looking for offers means asking the same few tests of every host, and coming to rest means asking again and again
//! whether anything is to be done. Each would be a routine to enter and to leave; here all that find offers are one,
//! and so are all tests of state checks. Their results are those of the routines they are made from: laws compare them.

use intermezzo_ruleset::{ActionHost, ActionId, Instr, KindId, Program, Reg, RoutineId, Word, ZoneId};

use crate::agenda::Due;
use crate::inlining::{Inliner, MAX_ADDED};
use crate::offers::Offering;
use crate::reads::{self, Parts};
use crate::registers::NARROW;
use crate::tidying::{join_nulls, tidy, turn_loops};

/// Code longer than this is not worth its memory.
const MAX_CODE: usize = 1 << 16;

/// All code of a program, ready to run.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    /// The program's instructions at their own places, then those that were added.
    pub(crate) code: Vec<Instr>,
    /// The same for a match of which nobody keeps the log and that plans nothing: more of it is called in place.
    pub(crate) quick: Vec<Instr>,
    /// Where what is called in place begins, and for each instruction of it where it was.
    first_inlined: usize,
    origins: Vec<u32>,
    /// Where to go by number of the def.
    pub(crate) switches: Vec<Vec<Turn>>,
    /// What makes all offers of the actor, if it could be put together.
    pub(crate) discovery: Option<Piece>,
    /// What gives null if a state check would do nothing and what it reads, for each of them, if they could be put
    /// together.
    pub(crate) rest: Vec<(Piece, Parts)>,
    /// What any of them reads; all there is if they could not be put together.
    pub(crate) rest_reads: Parts,
}

/// Where to go for a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// `u32::MAX` if there is nothing to do.
    pub(crate) place: u32,
    /// If it has one action, and that has a gate: where to go if it is known to be open.
    pub(crate) open: u32,
    /// Which register says so; none if there is no such gate.
    pub(crate) gate: Reg,
}

impl Turn {
    /// Nothing to do.
    const NONE: Turn = Turn { place: u32::MAX, open: u32::MAX, gate: Reg::NONE };

    /// The places it names.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        [self.place, self.open].into_iter().filter(|place| *place != u32::MAX)
    }

    pub(crate) fn renumber(&mut self, change: impl Fn(u32) -> u32) {
        for place in [&mut self.place, &mut self.open] {
            if *place != u32::MAX {
                *place = change(*place);
            }
        }
    }
}

/// What may have offers to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) host: Word,
    pub(crate) turn: Turn,
}

/// A piece of code that was added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) entry: u32,
    pub(crate) registers: usize,
}

impl Linked {
    /// The program's own code alone.
    pub(crate) fn plain(program: &Program) -> Linked {
        let (code, quick) = (program.code.clone(), program.code.clone());
        Linked { code, quick, first_inlined: usize::MAX, rest_reads: reads::ALL, ..Linked::default() }
    }

    /// The place in the program of an instruction that runs at `place`.
    pub(crate) fn origin(&self, place: u32) -> u32 {
        let number = (place as usize).checked_sub(self.first_inlined);
        number.and_then(|number| self.origins.get(number)).copied().unwrap_or(place)
    }

    /// All pieces that were added.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.discovery.iter().chain(self.rest.iter().map(|(piece, _)| piece))
    }

    /// Links a program that has been found sound. `checks` are its state checks, last first, if all of them are the
    /// game's own and always happen.
    pub(crate) fn new(
        program: &Program,
        owner: &[u16],
        offering: &Offering,
        gates: &[u16],
        checks: Option<&[Due]>,
        quick: &Quick<'_>,
    ) -> Linked {
        let mut linker =
            Linker { program, owner, gates, linked: Linked::plain(program), scratch: 0, registers: 0 };
        linker.linked.discovery = linker.piece(|linker| linker.discovery(offering));
        let rest: Option<Vec<(Piece, Parts)>> =
            checks.unwrap_or_default().iter().rev().map(|due| linker.check(*due)).collect();
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            linker.linked.rest_reads = rest.iter().fold(0, |all, (_, reads)| all | reads);
            linker.linked.rest = rest;
        }
        // Only narrow windows show registers behind those that are in use.
        match linker.linked.is_wide(program) {
            true => linker.linked.quick.clone_from(&linker.linked.code),
            false => linker.linked.call_in_place(program, owner, quick),
        }
        for code in [&mut linker.linked.code, &mut linker.linked.quick] {
            turn_loops(code);
            join_nulls(code, &program.constants);
        }
        linker.linked
    }

    /// Whether some code needs more registers than narrow windows have.
    pub(crate) fn is_wide(&self, program: &Program) -> bool {
        (program.routines.iter().map(|routine| usize::from(routine.registers)))
            .chain(self.pieces().map(|piece| piece.registers))
            .chain(program.events.iter().map(|event| usize::from(Reg::CONTEXT) + event.fields.len()))
            .any(|registers| registers > NARROW)
    }

    /// Lets short routines be called in place.
    fn call_in_place(&mut self, program: &Program, owner: &[u16], quick: &Quick<'_>) {
        self.first_inlined = self.code.len();
        let own = |at: usize| owner.get(at).and_then(|owner| program.routines.get(usize::from(*owner)));
        let mut is_fold = vec![false; program.routines.len()];
        for routine in program.events.iter().filter_map(|event| event.routine) {
            if let Some(is_fold) = is_fold.get_mut(routine.index()) {
                *is_fold = true;
            }
        }
        let is_event =
            |at: usize| owner.get(at).and_then(|owner| is_fold.get(usize::from(*owner))) == Some(&true);
        // Behind the registers of an event there may be more that are its own.
        let mut sites: Vec<(usize, u16)> = (0..program.code.len())
            .filter(|at| {
                matches!(program.code[*at], Instr::Call { .. } | Instr::Emit { .. }) && !is_event(*at)
            })
            .filter_map(|at| own(at).map(|routine| (at, routine.registers)))
            .collect();
        for piece in self.pieces() {
            let (first, registers) = (piece.entry as usize, piece.registers as u16);
            let next = self.pieces().map(|piece| piece.entry as usize).filter(|entry| *entry > first).min();
            let calls = (first..next.unwrap_or(self.code.len()))
                .filter(|at| matches!(self.code[*at], Instr::Call { .. }));
            sites.extend(calls.map(|at| (at, registers)));
        }
        let mut origins = Vec::new();
        let mut put_in = |code: &mut Vec<Instr>, effects: bool| {
            let mut inliner = Inliner {
                program,
                owner,
                quick_changes: quick.changes,
                moves: quick.moves && program.zones.iter().all(|zone| !zone.renews),
                quick_emits: quick.emits,
                effects,
                code,
                origins: &mut origins,
                room: MAX_ADDED,
            };
            sites.iter().for_each(|(at, registers)| inliner.put_in(*at, *registers));
        };
        put_in(&mut self.code, false);
        self.quick.clone_from(&self.code);
        put_in(&mut self.quick, true);
        self.origins = origins;
    }
}

/// What happens within the interpreter's loop while nobody keeps the log: changes of these properties, moves, these
/// events.
pub(crate) struct Quick<'a> {
    pub(crate) changes: &'a [bool],
    pub(crate) moves: bool,
    pub(crate) emits: &'a [bool],
}

/// Registers of a loop over hosts.
const LOOP: u16 = 3;
const ITER: Reg = Reg(Reg::CONTEXT);
/// Holds what says that a state check may do something.
const FLAG: Reg = Reg(Reg::CONTEXT);

struct Linker<'a> {
    program: &'a Program,
    owner: &'a [u16],
    /// Per action: whose gate is tested for it.
    gates: &'a [u16],
    linked: Linked,
    /// The first register of what is put in, and how many there are.
    scratch: u16,
    registers: u16,
}

impl Linker<'_> {
    /// Adds a piece of code, if it can be put together.
    fn piece(&mut self, make: impl FnOnce(&mut Self) -> Option<()>) -> Option<Piece> {
        let (entry, switches) = (self.linked.code.len(), self.linked.switches.len());
        self.registers = 0;
        let made = make(self)
            .filter(|()| self.linked.code.len() - entry <= MAX_CODE)
            .filter(|()| tidy(&mut self.linked.code, entry, &mut self.linked.switches[switches..]));
        if made.is_none() {
            self.linked.code.truncate(entry);
            self.linked.switches.truncate(switches);
        }
        let registers = usize::from(self.scratch) + usize::from(self.registers);
        made.map(|()| Piece { entry: entry as u32, registers })
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.linked.code.push(instr);
        self.linked.code.len() - 1
    }

    /// How far the next instruction is from the one at that place.
    fn distance(&self, at: usize) -> Option<u16> {
        u16::try_from(self.linked.code.len() - at - 1).ok()
    }

    /// Lets the jump at that place go to the next instruction.
    fn land(&mut self, at: usize) -> Option<()> {
        let here = self.linked.code.len() as u32;
        *self.linked.code[at].target_mut()? = here;
        Some(())
    }

    /// Nothing if some action cannot be found this way.
    fn discovery(&mut self, offering: &Offering) -> Option<()> {
        if offering.has_traits || (offering.game.is_empty() && offering.zones.is_empty()) {
            return None;
        }
        // After the context: where a loop stands, then what is known of each gate.
        let gates = u16::try_from(self.program.actions.len()).ok().filter(|gates| *gates < 1 << 10)?;
        self.scratch = Reg::CONTEXT + LOOP + gates;
        for action in &offering.game {
            let src = match self.program.actions[action.index()].host {
                // Nothing has lent its rule: null.
                ActionHost::Game => Reg::TRAIT,
                _ => Reg::ACTOR,
            };
            self.emit(Instr::Copy { dst: Reg::SELF, src });
            self.offers(*action)?;
        }
        for (zone, actions) in &offering.zones {
            self.hosts(*zone, actions)?;
        }
        self.emit(Instr::Done {});
        Some(())
    }

    /// The offers of all hosts in a zone.
    fn hosts(&mut self, zone: ZoneId, actions: &[Vec<ActionId>]) -> Option<()> {
        let of = self.program.zones[zone.index()].of;
        if of.is_some_and(|kind| kind != KindId::PLAYER) {
            return None;
        }
        let table = self.linked.switches.len();
        self.emit(Instr::Hosts { iter: ITER, zone, table: u16::try_from(table).ok()? });
        let mut again = vec![self.emit(Instr::Jump { to: 0 })];
        self.linked.switches.push(vec![Turn::NONE; actions.len()]);
        // Defs that have the same actions share their code.
        for (def, own) in actions.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            let same = actions[..def].iter().position(|other| other == own);
            self.linked.switches[table][def] = match same {
                Some(same) => self.linked.switches[table][same],
                None => {
                    let mut turn = Turn { place: self.linked.code.len() as u32, ..Turn::NONE };
                    for action in own {
                        turn.open = self.offers(*action)?;
                    }
                    let is_gated = self.program.actions[own[0].index()].gate.is_some();
                    match own.len() == 1 && is_gated {
                        true => turn.gate = self.gate(own[0]),
                        false => turn.open = u32::MAX,
                    }
                    again.push(self.emit(Instr::Jump { to: 0 }));
                    turn
                }
            };
        }
        // What goes on to the next host goes ahead, where skips can go too.
        again.into_iter().try_for_each(|at| self.land(at))?;
        self.emit(Instr::NextHost { iter: ITER });
        Some(())
    }

    /// The register that says whether the gate of an action is open.
    fn gate(&self, action: ActionId) -> Reg {
        Reg(Reg::CONTEXT + LOOP + self.gates[action.index()])
    }

    /// The offers of an action of the host in the register of `self`, if its gate is open. Gives where they begin if
    /// it is.
    fn offers(&mut self, action: ActionId) -> Option<u32> {
        let found = &self.program.actions[action.index()];
        let Some(test) = found.gate else {
            let start = self.linked.code.len() as u32;
            return self.put_in(found.offers, None, |_| true).map(|()| start);
        };
        let gate = self.gate(action);
        let look = self.emit(Instr::Gate { gate, open: 0, shut: 0 });
        self.put_in(test, Some(gate), |_| true)?;
        let tested = self.emit(Instr::SkipNeInt { a: gate, value: 1, skip: 0 });
        let (start, to_offers) = (self.linked.code.len() as u32, self.distance(look)?);
        self.put_in(found.offers, None, |_| true)?;
        let to_end = (self.distance(look)?, self.distance(tested)?);
        self.linked.code[look] = Instr::Gate { gate, open: to_offers, shut: to_end.0 };
        self.linked.code[tested] = Instr::SkipNeInt { a: gate, value: 1, skip: to_end.1 };
        Some(start)
    }

    /// A state check up to the first thing it would do.
    fn check(&mut self, due: Due) -> Option<(Piece, Parts)> {
        let program = self.program;
        let effects = program.reactions[due.reaction.index()].effects;
        let piece = self.piece(|linker| {
            linker.scratch = Reg::CONTEXT + 1;
            linker.emit(Instr::Int { dst: FLAG, value: 1 });
            linker.put_in(effects, None, |instr| is_test(program, instr))?;
            linker.emit(Instr::Done {});
            linker.flag_at_once();
            Some(())
        });
        piece.map(|piece| {
            let code = &self.linked.code[piece.entry as usize..];
            (piece, reads::of_code(program, self.owner, code))
        })
    }

    /// What is only computed for something that a state check would do need not be computed: the flag, or a failure,
    /// says the same as soon as it is certain.
    fn flag_at_once(&mut self) {
        let code = &mut self.linked.code;
        let is_flag = |instr: Instr| matches!(instr, Instr::Return { value: FLAG });
        for at in (1..code.len() - 1).rev() {
            let mut instr = code[at];
            if matches!(instr, Instr::Int { dst: FLAG, .. }) {
                return;
            }
            let goes_on = instr.skip_mut().is_none() && instr.target_mut().is_none();
            let is_end = matches!(instr, Instr::Return { .. } | Instr::Done {});
            if goes_on && !is_end && is_flag(code[at + 1]) {
                code[at] = Instr::Return { value: FLAG };
            }
        }
    }

    /// Puts in the code of a routine without parameters; what it returns goes to `result`. Where it comes to an
    /// instruction that is not kept, the whole piece ends with the flag.
    fn put_in(
        &mut self,
        routine: RoutineId,
        result: Option<Reg>,
        keep: impl Fn(Instr) -> bool,
    ) -> Option<()> {
        let found = self.program.routines.get(routine.index())?;
        let first = found.entry as usize;
        let last = self.owner.iter().rposition(|owner| *owner == routine.0)?;
        let body = self.program.code.get(first..=last)?;
        let is_own = |owner: &u16| *owner == routine.0 || *owner == u16::MAX;
        if !self.owner[first..=last].iter().all(is_own) || found.params > 0 {
            return None;
        }
        self.registers = self.registers.max(found.registers.checked_sub(Reg::CONTEXT)?);
        let mut is_landed_on = vec![false; body.len() + 1];
        for (at, mut instr) in body.iter().copied().enumerate() {
            let ahead = instr.skip_mut().map(|skip| at + 1 + usize::from(*skip));
            let to = ahead.or(instr.target_mut().and_then(|to| (*to as usize).checked_sub(first)));
            if let Some(to) = to {
                *is_landed_on.get_mut(to)? = true;
            }
        }
        // Where each instruction comes to lie: leaving with a value takes two.
        let mut places = Vec::with_capacity(body.len() + 1);
        let mut next = self.linked.code.len();
        for instr in body {
            places.push(next);
            next += if matches!(instr, Instr::Return { .. }) { 2 } else { 1 };
        }
        places.push(next);
        let shift = self.scratch - Reg::CONTEXT;
        for (at, instr) in body.iter().enumerate() {
            let mut instr = *instr;
            if let Some(to) = instr.target_mut() {
                *to = *places.get((*to as usize).checked_sub(first)?)? as u32;
            }
            if let Some(skip) = instr.skip_mut() {
                *skip = u16::try_from(places.get(at + 1 + usize::from(*skip))? - places[at] - 1).ok()?;
            }
            instr.renumber(|reg| {
                if *reg != Reg::NONE && reg.0 >= Reg::CONTEXT {
                    reg.0 += shift;
                }
            });
            match instr {
                Instr::Return { value } => {
                    let dst = result.unwrap_or(value);
                    match self.linked.code.last_mut() {
                        // A number goes straight to where it is wanted.
                        Some(Instr::Int { dst: reg, .. }) if *reg == value && at > 0 && !is_landed_on[at] => {
                            *reg = dst;
                            self.emit(Instr::Jump { to: next as u32 });
                        }
                        _ => {
                            self.emit(Instr::Copy { dst, src: value });
                        }
                    }
                    self.emit(Instr::Jump { to: next as u32 });
                }
                Instr::Done {} => {
                    self.emit(Instr::Jump { to: next as u32 });
                }
                instr if keep(instr) => {
                    self.emit(instr);
                }
                _ => {
                    self.emit(Instr::Return { value: FLAG });
                }
            }
        }
        Some(())
    }
}

/// Whether an instruction of a state check does nothing but compute, whatever event it belongs to.
fn is_test(program: &Program, instr: Instr) -> bool {
    match instr {
        Instr::Call { routine, .. } => program.routines.get(routine.index()).is_some_and(|found| found.pure),
        Instr::EventField { .. } | Instr::SetEventField { .. } | Instr::IsEvent { .. } => false,
        instr => instr.is_pure(),
    }
}
