//! The code that runs: the program's own, followed by code specialized from it.
//!
//! The search for offers evaluates the same few tests for every host, and settling evaluates again and again
//! whether anything is to be done. Running each as a routine of its own would be slow, so the whole search
//! for offers becomes one piece of code, and so does each state check. The results equal those of the
//! original routines; laws compare them.

use intermezzo_program::{ActionHost, ActionId, Instr, KindId, Program, Reg, RoutineId, Word, ZoneId};

use crate::ask::offers::OfferSources;
use crate::optimize::dependencies::{self, BoardParts};
use crate::optimize::inliner::{Inliner, MAX_ADDED};
use crate::optimize::memo::MemoIndex;
use crate::optimize::native_tests::NativeTest;
use crate::optimize::peephole::{merge_null_loads, merge_offer_loops, rotate_loops, simplify};
use crate::optimize::read_analysis::ReadAnalysis;
use crate::run::creation_loop::{CreationLoop, find_creation_loops};
use crate::run::frames::DueReaction;
use crate::run::item_filter::{LoopFilter, filter_items};
use crate::run::registers::NARROW;

/// Greatest length of a specialized piece; longer code is not worth its memory.
const MAX_CODE: usize = 1 << 16;

/// All code of a program, ready to run.
#[derive(Debug, Default)]
pub(crate) struct SpecializedCode {
    /// The program's instructions at their own addresses, then the added ones.
    pub(crate) code: Vec<Instr>,
    /// Variant for matches that plan nothing: more code is inlined.
    pub(crate) inlined: Vec<Instr>,
    /// For each inlined event, by the address where it continues: the first register of its payload. Sorted.
    event_args: Vec<(u32, Reg)>,
    /// Address of the first inlined instruction, and the original address of each inlined instruction.
    first_inlined: usize,
    origins: Vec<u32>,
    /// The tests of loops that filter their items.
    pub(crate) filters: Vec<LoopFilter>,
    /// The loops that only create entities.
    pub(crate) creations: Vec<CreationLoop>,
    /// The tests of hosts that need no code to run.
    pub(crate) tests: Vec<NativeTest>,
    /// Jump tables, indexed by def.
    pub(crate) switches: Vec<Vec<HostJump>>,
    /// Code that makes all offers of the actor, if it could be specialized.
    pub(crate) offer_search: Option<CodePiece>,
    /// For each state check, code that returns null if the check would do nothing, and what that code reads.
    /// Empty if a check could not be specialized.
    pub(crate) state_checks: Vec<(CodePiece, BoardParts)>,
    /// Everything the state checks read; the whole board if they could not be specialized.
    pub(crate) check_reads: BoardParts,
}

/// Jump target for a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostJump {
    /// `u32::MAX` if the host has no actions.
    pub(crate) entry: u32,
    /// Target if the gate is known to be open, for a host with a single, gated action.
    pub(crate) open: u32,
    /// Register that holds the gate; without such a gate, one that always holds null.
    pub(crate) gate: Reg,
    /// All tests that open the gate, among [`SpecializedCode::tests`]; empty if code has to tell.
    pub(crate) gate_tests: TestRange,
    /// The tests that the code at `open` begins with, and the target if they hold.
    pub(crate) tests: TestRange,
    pub(crate) tested: u32,
    /// The action, if the code at `tested` only offers it, without targets.
    pub(crate) offer: Option<ActionId>,
}

impl HostJump {
    /// No actions.
    const NONE: HostJump = HostJump {
        entry: u32::MAX,
        open: u32::MAX,
        // The search is not part of an event.
        gate: Reg::EVENT,
        gate_tests: TestRange { first: 0, end: 0 },
        tests: TestRange { first: 0, end: 0 },
        tested: u32::MAX,
        offer: None,
    };

    /// Lists its addresses.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u32> {
        [self.entry, self.open].into_iter().filter(|place| *place != u32::MAX)
    }

    pub(crate) fn renumber(&mut self, change: impl Fn(u32) -> u32) {
        for place in [&mut self.entry, &mut self.open] {
            if *place != u32::MAX {
                *place = change(*place);
            }
        }
    }
}

/// A part of [`SpecializedCode::tests`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestRange {
    first: u32,
    end: u32,
}

impl TestRange {
    #[inline]
    pub(crate) fn of(self, tests: &[NativeTest]) -> &[NativeTest] {
        tests.get(self.first as usize..self.end as usize).unwrap_or_default()
    }
}

/// An entity that may have offers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferCandidate {
    pub(crate) host: Word,
    /// The trait whose actions they are, or null.
    pub(crate) via: Word,
    /// Def of the host, or of the trait.
    pub(crate) def: u16,
}

/// A piece of specialized code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodePiece {
    pub(crate) entry: u32,
    pub(crate) registers: usize,
}

impl SpecializedCode {
    /// Returns the program's own code alone.
    pub(crate) fn plain(program: &Program) -> SpecializedCode {
        let (code, inlined) = (program.code.clone(), program.code.clone());
        SpecializedCode {
            code,
            inlined,
            first_inlined: usize::MAX,
            check_reads: dependencies::ALL,
            ..SpecializedCode::default()
        }
    }

    /// Returns the program address of the instruction that runs at `place`.
    pub(crate) fn origin(&self, place: u32) -> u32 {
        let number = (place as usize).checked_sub(self.first_inlined);
        number.and_then(|number| self.origins.get(number)).copied().unwrap_or(place)
    }

    /// Returns the first payload register of the inlined event that continues at `to`.
    pub(crate) fn event_args(&self, to: u32) -> Reg {
        let found = self.event_args.binary_search_by_key(&to, |(to, _)| *to);
        found.map_or(Reg::SELF, |at| self.event_args[at].1)
    }

    /// Lists all specialized pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &CodePiece> {
        self.offer_search.iter().chain(self.state_checks.iter().map(|(piece, _)| piece))
    }

    /// Specializes a validated program. `checks` are its state checks, last first, if all of them belong to
    /// the game and are unconditional.
    pub(crate) fn new(
        program: &Program,
        owner: &[u16],
        sources: &OfferSources,
        gates: &[u16],
        checks: Option<&[DueReaction]>,
        fast: &FastEffects<'_>,
    ) -> SpecializedCode {
        let mut specializer = Specializer {
            program,
            owner,
            reads: ReadAnalysis::new(program, owner),
            gates,
            output: SpecializedCode::plain(program),
            scratch: 0,
            registers: 0,
        };
        specializer.output.offer_search =
            specializer.add_piece(|specializer| specializer.emit_offer_search(sources));
        specializer.output.find_native_tests(program);
        let rest: Option<Vec<(CodePiece, BoardParts)>> =
            checks.unwrap_or_default().iter().rev().map(|due| specializer.emit_check(*due)).collect();
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            specializer.output.check_reads = rest.iter().fold(0, |all, (_, reads)| all | reads);
            specializer.output.state_checks = rest;
        }
        for instr in &mut specializer.output.code {
            match *instr {
                Instr::Call { dst, routine, args } if fast.memo.covers(routine) => {
                    *instr = Instr::MemoCall { dst, routine, args };
                }
                _ => {}
            }
        }
        // Only narrow windows leave room for registers above those in use.
        match specializer.output.is_wide(program) {
            true => specializer.output.inlined.clone_from(&specializer.output.code),
            false => specializer.output.inline_calls(program, owner, fast),
        }
        let has_one_target = |action: ActionId| {
            program.actions[action.index()].params.iter().filter(|param| param.offered).count() == 1
        };
        let first = program.code.len();
        let SpecializedCode { code, inlined, filters, creations, .. } = &mut specializer.output;
        for code in [code, inlined] {
            rotate_loops(code);
            filter_items(code, filters);
            find_creation_loops(code, creations);
            merge_null_loads(code, &program.constants);
        }
        merge_offer_loops(&mut specializer.output.code, first, has_one_target);
        specializer.output
    }

    /// Tells whether some code needs more registers than narrow windows have.
    pub(crate) fn is_wide(&self, program: &Program) -> bool {
        (program.routines.iter().map(|routine| usize::from(routine.registers)))
            .chain(self.pieces().map(|piece| piece.registers))
            .chain(program.events.iter().map(|event| usize::from(Reg::CONTEXT) + event.fields.len()))
            .any(|registers| registers > NARROW)
    }

    /// Finds the gates, the first tests and the offers of hosts that need no code to run.
    fn find_native_tests(&mut self, program: &Program) {
        let SpecializedCode { code, switches, tests: all, .. } = self;
        let has_targets =
            |action: ActionId| program.actions[action.index()].params.iter().any(|param| param.offered);
        let mut add = |tests: Vec<NativeTest>| {
            let first = all.len() as u32;
            all.extend(tests);
            TestRange { first, end: all.len() as u32 }
        };
        for (end, instr) in code.iter().enumerate().skip(program.code.len()) {
            let Instr::NextHost { table, .. } = *instr else { continue };
            let goes_to = |at: usize, place: usize| {
                at == place || matches!(code.get(at), Some(Instr::Jump { to }) if *to as usize == place)
            };
            for jump in switches.get_mut(usize::from(table)).into_iter().flatten() {
                if jump.open == u32::MAX {
                    continue;
                }
                let (open, gate) = (jump.open as usize, jump.gate);
                jump.tested = jump.open;
                let sets = |at: usize, number: i32| matches!(code.get(at), Some(Instr::Int { dst, value }) if (*dst, *value) == (gate, number));
                let start = jump.entry as usize + 1;
                let (gate_tests, length, shut) = NativeTest::find_all(code, start);
                let opened = start + length;
                let is_all = sets(opened, 1) && goes_to(opened + 1, open);
                if shut.is_some_and(|shut| is_all && sets(shut, 0) && goes_to(shut + 1, end)) {
                    jump.gate_tests = add(gate_tests);
                }
                let (tests, length, failed) = NativeTest::find_all(code, open);
                if failed.is_some_and(|failed| failed != end) {
                    continue;
                }
                jump.tests = add(tests);
                jump.tested = (open + length) as u32;
                if let Some(Instr::Offer { action, .. }) = code.get(open + length)
                    && !has_targets(*action)
                    && goes_to(open + length + 1, end)
                {
                    jump.offer = Some(*action);
                }
            }
        }
    }

    /// Inlines short routines.
    fn inline_calls(&mut self, program: &Program, owner: &[u16], fast: &FastEffects<'_>) {
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
        // An event may use more registers above those of its code, so nothing is inlined there.
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
        let (mut origins, mut event_args) = (Vec::new(), Vec::new());
        let mut inline_all = |code: &mut Vec<Instr>, effects: bool| {
            let mut inliner = Inliner {
                program,
                owner,
                fast_changes: fast.changes,
                moves: fast.moves && program.zones.iter().all(|zone| !zone.renews),
                fast_emits: fast.emits,
                memo: fast.memo,
                effects,
                code,
                origins: &mut origins,
                event_args: &mut event_args,
                room: MAX_ADDED,
            };
            sites.iter().for_each(|(at, registers)| inliner.inline_at(*at, *registers));
        };
        inline_all(&mut self.code, false);
        self.inlined.clone_from(&self.code);
        inline_all(&mut self.inlined, true);
        self.origins = origins;
        event_args.sort_unstable_by_key(|(to, _)| *to);
        self.event_args = event_args;
    }
}

/// Effects that take the fast path: changes of these properties, moves, these events.
pub(crate) struct FastEffects<'a> {
    pub(crate) changes: &'a [bool],
    pub(crate) moves: bool,
    pub(crate) emits: &'a [bool],
    /// The functions whose results are remembered.
    pub(crate) memo: &'a MemoIndex,
}

/// Stands for the zone of the players themselves, whose traits may have actions.
pub(crate) const ON_PLAYER: ZoneId = ZoneId(u16::MAX);

/// Number of registers of a loop over hosts.
const LOOP: u16 = 3;
const ITER: Reg = Reg(Reg::CONTEXT);
/// Register that holds the result "this state check may do something".
const FLAG: Reg = Reg(Reg::CONTEXT);

struct Specializer<'a> {
    program: &'a Program,
    owner: &'a [u16],
    reads: ReadAnalysis<'a>,
    /// Per action: the action whose gate is tested for it.
    gates: &'a [u16],
    output: SpecializedCode,
    /// First register of appended routines, and how many they need.
    scratch: u16,
    registers: u16,
}

impl Specializer<'_> {
    /// Adds a piece of code, if it can be specialized.
    fn add_piece(&mut self, make: impl FnOnce(&mut Self) -> Option<()>) -> Option<CodePiece> {
        let (entry, switches) = (self.output.code.len(), self.output.switches.len());
        self.registers = 0;
        let made = make(self)
            .filter(|()| self.output.code.len() - entry <= MAX_CODE)
            .filter(|()| simplify(&mut self.output.code, entry, &mut self.output.switches[switches..]));
        if made.is_none() {
            self.output.code.truncate(entry);
            self.output.switches.truncate(switches);
        }
        let registers = usize::from(self.scratch) + usize::from(self.registers);
        made.map(|()| CodePiece { entry: entry as u32, registers })
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.output.code.push(instr);
        self.output.code.len() - 1
    }

    /// Returns the distance from the instruction at `at` to the next one emitted.
    fn distance(&self, at: usize) -> Option<u16> {
        u16::try_from(self.output.code.len() - at - 1).ok()
    }

    /// Makes the jump at `at` go to the next instruction emitted.
    fn patch_jump(&mut self, at: usize) -> Option<()> {
        let here = self.output.code.len() as u32;
        *self.output.code[at].target_mut()? = here;
        Some(())
    }

    /// Emits the search for offers; `None` if it cannot cover some action.
    fn emit_offer_search(&mut self, sources: &OfferSources) -> Option<()> {
        if sources.game.is_empty() && sources.zones.is_empty() {
            return None;
        }
        // After the context: the registers of a loop, then one register per gate.
        let gates = u16::try_from(self.program.actions.len()).ok().filter(|gates| *gates < 1 << 10)?;
        self.scratch = Reg::CONTEXT + LOOP + gates;
        for action in &sources.game {
            let src = match self.program.actions[action.index()].host {
                // The register of the trait is null here.
                ActionHost::Game => Reg::TRAIT,
                _ => Reg::ACTOR,
            };
            self.emit(Instr::Copy { dst: Reg::SELF, src });
            self.emit_offers(*action)?;
        }
        if sources.has_traits {
            self.emit_hosts(ON_PLAYER, &sources.traits)?;
        }
        for (zone, actions) in &sources.zones {
            let found = &self.program.zones[zone.index()];
            if found.of.is_some_and(|kind| kind != KindId::PLAYER) {
                return None;
            }
            // Entities have other defs than traits.
            let mut actions = actions.clone();
            if sources.has_traits && found.active {
                actions.iter_mut().zip(&sources.traits).for_each(|(own, of_trait)| own.extend(of_trait));
            }
            self.emit_hosts(*zone, &actions)?;
        }
        self.emit(Instr::Done {});
        Some(())
    }

    /// Emits the offers of all hosts in a zone, with those of the traits attached to them.
    fn emit_hosts(&mut self, zone: ZoneId, actions: &[Vec<ActionId>]) -> Option<()> {
        let table = self.output.switches.len();
        self.emit(Instr::Hosts { iter: ITER, zone, table: u16::try_from(table).ok()? });
        let mut again = vec![self.emit(Instr::Jump { to: 0 })];
        self.output.switches.push(vec![HostJump::NONE; actions.len()]);
        // Defs with the same actions share their code.
        for (def, own) in actions.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            let same = actions[..def].iter().position(|other| other == own);
            self.output.switches[table][def] = match same {
                Some(same) => self.output.switches[table][same],
                None => {
                    let mut jump = HostJump { entry: self.output.code.len() as u32, ..HostJump::NONE };
                    for action in own {
                        jump.open = self.emit_offers(*action)?;
                    }
                    let is_gated = self.program.actions[own[0].index()].gate.is_some();
                    match own.len() == 1 && is_gated {
                        true => jump.gate = self.gate(own[0]),
                        false => jump.open = u32::MAX,
                    }
                    again.push(self.emit(Instr::Jump { to: 0 }));
                    jump
                }
            };
        }
        // The jump to the next host goes forward, so that skips can reach it too.
        again.into_iter().try_for_each(|at| self.patch_jump(at))?;
        self.emit(Instr::NextHost { iter: ITER, table: table as u16 });
        Some(())
    }

    /// Returns the register that tells whether the gate of an action is open.
    fn gate(&self, action: ActionId) -> Reg {
        Reg(Reg::CONTEXT + LOOP + self.gates[action.index()])
    }

    /// Emits the offers of an action of the host in the register of `self`, if its gate is open. Returns the
    /// address to enter if it is.
    fn emit_offers(&mut self, action: ActionId) -> Option<u32> {
        let found = &self.program.actions[action.index()];
        let Some(test) = found.gate else {
            let start = self.output.code.len() as u32;
            return self.append_routine(found.offers, None, |_| true).map(|()| start);
        };
        let gate = self.gate(action);
        let look = self.emit(Instr::Gate { gate, open: 0, shut: 0 });
        self.append_routine(test, Some(gate), |_| true)?;
        let tested = self.emit(Instr::SkipNeInt { a: gate, value: 1, skip: 0 });
        let (start, to_offers) = (self.output.code.len() as u32, self.distance(look)?);
        self.append_routine(found.offers, None, |_| true)?;
        let to_end = (self.distance(look)?, self.distance(tested)?);
        self.output.code[look] = Instr::Gate { gate, open: to_offers, shut: to_end.0 };
        self.output.code[tested] = Instr::SkipNeInt { a: gate, value: 1, skip: to_end.1 };
        Some(start)
    }

    /// Emits a state check up to its first effect.
    fn emit_check(&mut self, due: DueReaction) -> Option<(CodePiece, BoardParts)> {
        let program = self.program;
        let effects = program.reactions[due.reaction.index()].effects;
        let piece = self.add_piece(|specializer| {
            specializer.scratch = Reg::CONTEXT + 1;
            specializer.emit(Instr::Int { dst: FLAG, value: 1 });
            specializer.append_routine(effects, None, |instr| is_test(program, instr))?;
            specializer.emit(Instr::Done {});
            specializer.flag_early();
            Some(())
        });
        piece.map(|piece| {
            let entry = piece.entry as usize;
            (piece, self.reads.piece(&self.output.code[entry..], entry))
        })
    }

    /// Returns the flag as early as possible: values computed only for an effect are not needed once the
    /// effect, or a fault, is certain.
    fn flag_early(&mut self) {
        let code = &mut self.output.code;
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

    /// Appends the code of a routine without parameters; its result goes to `result`. An instruction rejected
    /// by `keep` ends the whole piece with the flag.
    fn append_routine(
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
        // New address of each instruction: a `Return` with a value takes two.
        let mut places = Vec::with_capacity(body.len() + 1);
        let mut next = self.output.code.len();
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
                    match self.output.code.last_mut() {
                        // A constant goes straight to its destination.
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

/// Tells whether an instruction of a state check only computes, independent of the event it belongs to.
fn is_test(program: &Program, instr: Instr) -> bool {
    match instr {
        Instr::Call { routine, .. } => program.routines.get(routine.index()).is_some_and(|found| found.pure),
        Instr::EventField { .. } | Instr::SetEventField { .. } | Instr::IsEvent { .. } => false,
        instr => instr.is_pure(),
    }
}
