//! Inlining of short routines into their callers, and of event folds into the code that emits the events.
//!
//! A routine that cannot wait needs no frame: its code runs in registers above those of the caller. No
//! instruction of the program moves. A jump to a copy of the routine replaces the call, and the copy ends
//! with a jump back. Pure code is always inlined; code with effects only in the version for matches that
//! plan nothing, and only if none of its events has a listener.

use intermezzo_program::{EventId, Instr, Program, PropBound, Reg, RoutineId};

use crate::optimize::memo::MemoIndex;
use crate::run::registers::NARROW;

/// Greatest length and nesting of inlined routines; the rest is called.
const MAX_BODY: usize = 64;
const MAX_DEPTH: u16 = 4;
/// Greatest number of instructions added; without a bound, nested inlining grows exponentially.
pub(crate) const MAX_ADDED: usize = 1 << 16;

/// Inliner of calls and emits into a program's code.
pub(crate) struct Inliner<'a> {
    pub(crate) program: &'a Program,
    pub(crate) owner: &'a [u16],
    /// Per property: its changes take the fast path.
    pub(crate) fast_changes: &'a [bool],
    /// True if moves to any zone take the fast path.
    pub(crate) moves: bool,
    /// Per event: it takes the fast path.
    pub(crate) fast_emits: &'a [bool],
    /// The functions whose results are remembered. They are called.
    pub(crate) memo: &'a MemoIndex,
    /// True to inline code with effects too.
    pub(crate) effects: bool,
    pub(crate) code: &'a mut Vec<Instr>,
    /// For each added instruction: its original address.
    pub(crate) origins: &'a mut Vec<u32>,
    /// For each inlined event: the address where it continues, and the first register of its payload.
    pub(crate) event_args: &'a mut Vec<(u32, Reg)>,
    /// Number of instructions that may still be added.
    pub(crate) room: usize,
}

/// Position of inlined code: the first free register, and the inline depth.
#[derive(Clone, Copy)]
struct InlineSite {
    free: u16,
    depth: u16,
}

/// Code to be inlined, with the mapping of its registers.
struct InlineBody {
    /// Addresses of its reachable instructions.
    addresses: Vec<usize>,
    /// True if it shares the caller's context.
    has_context: bool,
    params: u16,
    args: Reg,
    /// Number of its own registers.
    own: u16,
}

impl Inliner<'_> {
    /// Inlines the call or emit at `at`, in a frame with `registers` registers, if possible.
    pub(crate) fn inline_at(&mut self, at: usize, registers: u16) {
        if self.room == 0 {
            return;
        }
        let site = InlineSite { free: registers, depth: 1 };
        let (start, origins, events) = (self.code.len(), self.origins.len(), self.event_args.len());
        match self.inline_call(self.code[at], at as u32 + 1, site) {
            Some(instr) => self.code[at] = instr,
            None => {
                self.code.truncate(start);
                self.origins.truncate(origins);
                self.event_args.truncate(events);
            }
        }
    }

    /// Appends the code that an instruction calls or emits, continuing at `to`; returns the replacement of
    /// the instruction.
    fn inline_call(&mut self, instr: Instr, to: u32, site: InlineSite) -> Option<Instr> {
        let program = self.program;
        match instr {
            Instr::Call { dst, routine, args } if !self.memo.covers(routine) => {
                let found = program.routines.get(routine.index())?;
                let body = self.body(found.entry as usize, routine, args, true)?;
                let entry = self.add(&body, dst, Instr::EndInlineCall { to }, site)?;
                Some(Instr::InlineCall { depth: site.depth, to: entry })
            }
            Instr::Emit { dst: Reg::NONE, event, args } if self.effects && self.is_fast_emit(event) => {
                let kind = program.events.get(event.index())?;
                let body = self.body(kind.apply? as usize, kind.routine?, args, false)?;
                let entry = self.add(&body, Reg::NONE, Instr::EndInlineEvent { event, to }, site)?;
                self.event_args.push((to, args));
                Some(Instr::InlineEvent { depth: site.depth, to: entry })
            }
            _ => None,
        }
    }

    fn is_fast_emit(&self, event: EventId) -> bool {
        self.fast_emits.get(event.index()) == Some(&true)
    }

    /// Returns the code of a routine from `entry` on, if it is short and cannot wait.
    fn body(&self, entry: usize, routine: RoutineId, args: Reg, has_context: bool) -> Option<InlineBody> {
        let found = self.program.routines.get(routine.index())?;
        let places = self.reached(entry, routine)?;
        let params = found.params;
        let own = found.registers.checked_sub(Reg::CONTEXT + params)?;
        let body = InlineBody { addresses: places, has_context, params, args, own };
        let is_fit = |at: &usize| self.is_inlinable(self.program.code[*at], &body);
        body.addresses.iter().all(is_fit).then_some(())?;
        Some(body)
    }

    /// Lists the addresses of a routine that are reachable from `entry`, in order.
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

    /// Tells whether an instruction works in other registers, needs no frame and cannot wait.
    fn is_inlinable(&self, instr: Instr, body: &InlineBody) -> bool {
        let mut copy = instr;
        let mut has_all = true;
        copy.renumber(|reg| has_all &= body.has_context || *reg == Reg::NONE || reg.0 >= Reg::CONTEXT);
        // Parameters stay in the caller's registers, so they must not be written or be part of a register
        // range.
        let first_own = Reg::CONTEXT + body.params;
        let is_own = |reg: Reg| reg.0 >= first_own;
        has_all
            && instr.result().is_none_or(|dst| dst == Reg::NONE || is_own(dst))
            && self.is_position_independent(instr, is_own)
    }

    fn is_position_independent(&self, instr: Instr, is_own: impl Fn(Reg) -> bool) -> bool {
        match instr {
            Instr::NextItem { iter, .. } | Instr::NextInZone { iter, .. } | Instr::NextCount { iter, .. } => {
                is_own(iter)
            }
            Instr::Replace { args, .. } | Instr::Record { first: args, .. } => is_own(args),
            Instr::Call { args, .. } => is_own(args),
            Instr::Emit { args, event, .. } => self.effects && is_own(args) && self.is_fast_emit(event),
            Instr::Write { prop, .. } => {
                let prop = &self.program.props[prop.index()];
                let is_fixed = |bound: PropBound| !matches!(bound, PropBound::Computed(_));
                self.effects && is_fixed(prop.min) && is_fixed(prop.max) && prop.derived.is_none()
            }
            Instr::Change { prop, .. } | Instr::Increase { prop, .. } => self.effects && self.fast_changes[prop.index()],
            Instr::Move { .. } => self.effects && self.moves,
            // These run code of their own.
            Instr::Modified { .. }
            | Instr::Chain { .. }
            | Instr::NamedProp { .. }
            | Instr::Offers { .. }
            | Instr::Offer { .. }
            | Instr::Afford { .. }
            | Instr::Usable { .. }
            | Instr::MemoCall { .. }
            // These refer to the event of the frame.
            | Instr::EventField { .. }
            | Instr::IsEvent { .. }
            | Instr::CoverageHit { .. } => false,
            instr => instr.is_pure(),
        }
    }

    /// Appends a body that continues with `last` where it ends; returns its address.
    fn add(&mut self, body: &InlineBody, dst: Reg, last: Instr, site: InlineSite) -> Option<u32> {
        let first_own = Reg::CONTEXT + body.params;
        let free = site.free.checked_add(body.own).filter(|free| usize::from(*free) <= NARROW)?;
        let inner = InlineSite { free, depth: site.depth + 1 };
        if site.depth > MAX_DEPTH || self.room == 0 {
            return None;
        }
        let start = self.code.len();
        // New address of each instruction: a `Return` with a value takes two.
        let is_wanted = dst != Reg::NONE;
        let mut lies_at = Vec::with_capacity(body.addresses.len());
        let mut next = start;
        for place in &body.addresses {
            lies_at.push(next);
            next += match self.program.code[*place] {
                Instr::Return { .. } if is_wanted => 2,
                // The caller wants a value, but the routine returns none.
                Instr::Done {} if is_wanted => return None,
                _ => 1,
            };
        }
        let find = |to: usize| body.addresses.binary_search(&to).ok().map(|at| lies_at[at]);
        let mut calls = Vec::new();
        for (at, place) in body.addresses.iter().enumerate() {
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
            match self.inline_call(self.code[at], at as u32 + 1, inner) {
                Some(instr) => self.code[at] = instr,
                // An event without a fold is emitted in place.
                None if matches!(self.code[at], Instr::Emit { .. }) && self.has_no_fold(self.code[at]) => {}
                None => return None,
            }
        }
        Some(start as u32)
    }

    fn has_no_fold(&self, instr: Instr) -> bool {
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
