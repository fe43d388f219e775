//! Short routines put where they are called, and the folds of events where those are emitted.
//!
//! A routine that cannot wait needs no frame of its own: its code runs in registers behind those of whoever calls it.
//! Nothing of the program's own code moves. Where a call was stands a jump to a copy of what is called, which ends with
//! a jump back. What only computes is called so always; what makes something happen only while nobody keeps the log
//! or plans, and then only if nobody listens to any of it.

use intermezzo_ruleset::{Bound, EventId, Instr, Program, Reg, RoutineId};

use crate::registers::NARROW;

/// Longer routines are called, and so is what is called more levels below.
const MAX_BODY: usize = 64;
const MAX_DEPTH: u16 = 4;
/// When so many instructions have been put in, everything else is called: what calls much that calls much grows fast.
pub(crate) const MAX_ADDED: usize = 1 << 16;

/// What is known of a program before any of it is put in.
pub(crate) struct Inliner<'a> {
    pub(crate) program: &'a Program,
    pub(crate) owner: &'a [u16],
    /// Per property: its changes happen within the interpreter's loop.
    pub(crate) quick_changes: &'a [bool],
    /// Moves do, whichever zone they go to.
    pub(crate) moves: bool,
    /// Per event: it does.
    pub(crate) quick_emits: &'a [bool],
    /// Whether what makes something happen is put in, too.
    pub(crate) effects: bool,
    pub(crate) code: &'a mut Vec<Instr>,
    /// For each instruction that was put in: where it was.
    pub(crate) origins: &'a mut Vec<u32>,
    /// So many more may be put in.
    pub(crate) room: usize,
}

/// Where something is put in: the first register that is free, and how deep in other code that was put in.
#[derive(Clone, Copy)]
struct Site {
    free: u16,
    depth: u16,
}

/// A piece of the program's code with what its registers become.
struct Body {
    /// Its instructions that can be reached, by place.
    places: Vec<usize>,
    /// The context is the caller's.
    has_context: bool,
    params: u16,
    args: Reg,
    /// Registers that are its own.
    own: u16,
}

impl Inliner<'_> {
    /// Puts in what can be put in at that place, whose frame has so many registers.
    pub(crate) fn put_in(&mut self, at: usize, registers: u16) {
        if self.room == 0 {
            return;
        }
        let site = Site { free: registers, depth: 1 };
        let (start, origins) = (self.code.len(), self.origins.len());
        match self.site(self.code[at], at as u32 + 1, site) {
            Some(instr) => self.code[at] = instr,
            None => {
                self.code.truncate(start);
                self.origins.truncate(origins);
            }
        }
    }

    /// Adds the code of what an instruction calls or emits, which ends by going on at `to`; gives what stands for the
    /// instruction then.
    fn site(&mut self, instr: Instr, to: u32, site: Site) -> Option<Instr> {
        let program = self.program;
        match instr {
            Instr::Call { dst, routine, args } => {
                let found = program.routines.get(routine.index())?;
                let body = self.body(found.entry as usize, routine, args, true)?;
                let entry = self.add(&body, dst, Instr::Resume { to }, site)?;
                Some(Instr::Inline { depth: site.depth, to: entry })
            }
            Instr::Emit { dst: Reg::NONE, event, args } if self.effects && self.is_quick(event) => {
                let kind = program.events.get(event.index())?;
                let body = self.body(kind.apply? as usize, kind.routine?, args, false)?;
                let entry = self.add(&body, Reg::NONE, Instr::Happened { event, to }, site)?;
                Some(Instr::Happen { depth: site.depth, to: entry })
            }
            _ => None,
        }
    }

    fn is_quick(&self, event: EventId) -> bool {
        self.quick_emits.get(event.index()) == Some(&true)
    }

    /// The code of a routine from a place on, if it is short and cannot wait.
    fn body(&self, entry: usize, routine: RoutineId, args: Reg, has_context: bool) -> Option<Body> {
        let found = self.program.routines.get(routine.index())?;
        let places = self.reached(entry, routine)?;
        let params = found.params;
        let own = found.registers.checked_sub(Reg::CONTEXT + params)?;
        let body = Body { places, has_context, params, args, own };
        let is_fit = |at: &usize| self.fits(self.program.code[*at], &body);
        body.places.iter().all(is_fit).then_some(())?;
        Some(body)
    }

    /// The places of a routine that can be reached from one of them, in order.
    fn reached(&self, entry: usize, routine: RoutineId) -> Option<Vec<usize>> {
        let (mut open, mut places) = (vec![entry], Vec::new());
        while let Some(at) = open.pop() {
            if places.contains(&at) {
                continue;
            }
            let mut instr = *self.program.code.get(at)?;
            if self.owner.get(at) != Some(&routine.0) || places.len() >= MAX_BODY {
                return None;
            }
            places.push(at);
            open.extend(instr.skip_mut().map(|skip| at + 1 + usize::from(*skip)));
            open.extend(instr.target_mut().map(|to| *to as usize));
            let ends = matches!(
                instr,
                Instr::Jump { .. } | Instr::Return { .. } | Instr::Done {} | Instr::Fail { .. }
            );
            open.extend((!ends).then_some(at + 1));
        }
        places.sort_unstable();
        Some(places)
    }

    /// Whether an instruction stays what it is in other registers, needs no frame and cannot wait.
    fn fits(&self, instr: Instr, body: &Body) -> bool {
        let mut copy = instr;
        let mut has_all = true;
        copy.renumber(|reg| has_all &= body.has_context || *reg == Reg::NONE || reg.0 >= Reg::CONTEXT);
        // Parameters stay where the caller has put them, so none may be written, nor be part of a row.
        let first_own = Reg::CONTEXT + body.params;
        let is_own = |reg: Reg| reg.0 >= first_own;
        has_all
            && instr.result().is_none_or(|dst| dst == Reg::NONE || is_own(dst))
            && self.stays(instr, is_own)
    }

    fn stays(&self, instr: Instr, is_own: impl Fn(Reg) -> bool) -> bool {
        match instr {
            Instr::NextItem { iter, .. } | Instr::NextInZone { iter, .. } | Instr::NextCount { iter, .. } => {
                is_own(iter)
            }
            Instr::Replace { args, .. } | Instr::Record { first: args, .. } => is_own(args),
            Instr::Call { args, .. } => is_own(args),
            Instr::Emit { args, event, .. } => self.effects && is_own(args) && self.is_quick(event),
            Instr::Write { prop, .. } => {
                let prop = &self.program.props[prop.index()];
                let is_fixed = |bound: Bound| !matches!(bound, Bound::Computed(_));
                self.effects && is_fixed(prop.min) && is_fixed(prop.max) && prop.derived.is_none()
            }
            Instr::Change { prop, .. } => self.effects && self.quick_changes[prop.index()],
            Instr::Move { .. } => self.effects && self.moves,
            // These ask for code of their own.
            Instr::Modified { .. }
            | Instr::Chain { .. }
            | Instr::NamedProp { .. }
            | Instr::Offers { .. }
            | Instr::Offer { .. }
            | Instr::Afford { .. }
            | Instr::Usable { .. }
            // These are about the event of the frame.
            | Instr::EventField { .. }
            | Instr::IsEvent { .. }
            | Instr::Probe { .. } => false,
            instr => instr.is_pure(),
        }
    }

    /// Adds a body that goes on with `last` where it ends; gives where it begins.
    fn add(&mut self, body: &Body, dst: Reg, last: Instr, site: Site) -> Option<u32> {
        let first_own = Reg::CONTEXT + body.params;
        let free = site.free.checked_add(body.own).filter(|free| usize::from(*free) <= NARROW)?;
        let inner = Site { free, depth: site.depth + 1 };
        if site.depth > MAX_DEPTH || self.room == 0 {
            return None;
        }
        let start = self.code.len();
        // Where each instruction comes to lie: leaving with a value takes two.
        let is_wanted = dst != Reg::NONE;
        let mut lies_at = Vec::with_capacity(body.places.len());
        let mut next = start;
        for place in &body.places {
            lies_at.push(next);
            next += match self.program.code[*place] {
                Instr::Return { .. } if is_wanted => 2,
                // The caller wants a value, and there is none.
                Instr::Done {} if is_wanted => return None,
                _ => 1,
            };
        }
        let find = |to: usize| body.places.binary_search(&to).ok().map(|at| lies_at[at]);
        let mut calls = Vec::new();
        for (at, place) in body.places.iter().enumerate() {
            let mut instr = self.program.code[*place];
            if let Some(to) = instr.target_mut() {
                *to = find(*to as usize)? as u32;
            }
            if let Some(skip) = instr.skip_mut() {
                *skip = u16::try_from(find(place + 1 + usize::from(*skip))? - lies_at[at] - 1).ok()?;
            }
            instr.renumber(|reg| {
                *reg = match reg.0 {
                    _ if *reg == Reg::NONE => *reg,
                    context if context < Reg::CONTEXT => *reg,
                    param if param < first_own => Reg(body.args.0 + param - Reg::CONTEXT),
                    own => Reg(own - first_own + site.free),
                };
            });
            match instr {
                Instr::Return { value } if is_wanted => {
                    self.push(Instr::Copy { dst, src: value }, *place);
                    self.push(last, *place);
                }
                Instr::Return { .. } | Instr::Done {} => self.push(last, *place),
                Instr::Call { .. } | Instr::Emit { .. } => {
                    calls.push(self.code.len());
                    self.push(instr, *place);
                }
                instr => self.push(instr, *place),
            }
        }
        for at in calls {
            match self.site(self.code[at], at as u32 + 1, inner) {
                Some(instr) => self.code[at] = instr,
                // An event without a fold is emitted where it is.
                None if matches!(self.code[at], Instr::Emit { .. }) && self.is_bare(self.code[at]) => {}
                None => return None,
            }
        }
        Some(start as u32)
    }

    fn is_bare(&self, instr: Instr) -> bool {
        match instr {
            Instr::Emit { dst, event, .. } => {
                dst == Reg::NONE
                    && self.program.events.get(event.index()).is_some_and(|kind| kind.apply.is_none())
            }
            _ => false,
        }
    }

    fn push(&mut self, instr: Instr, origin: usize) {
        self.room = self.room.saturating_sub(1);
        self.code.push(instr);
        self.origins.push(origin as u32);
    }
}
