//! A routine under construction: its registers, names in scope, and code.

use intermezzo_ruleset::{ChoiceId, EventId, Instr, Reg, RoutineId};

use super::types::Ty;
use crate::source::Span;

/// Temporaries are numbered from here until the routine is finished and the number of locals is known.
const TEMPORARY: u16 = 0x8000;
/// More registers than any sensible rule needs; reaching it is a diagnostic.
pub(crate) const MAX_REGISTERS: usize = 4_000;

/// What code may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Only compute.
    Pure,
    /// Compute and write properties: an event's `apply`.
    Apply,
    /// Anything.
    Program,
}

/// A name in scope.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) reg: Reg,
    pub(crate) ty: Ty,
    /// Bound by a lambda without a name of its own.
    pub(crate) implicit: bool,
    /// May be rebound by `let`.
    pub(crate) local: bool,
}

/// Something a test has shown about a path such as `event.target`.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) path: String,
    pub(crate) ty: Option<Ty>,
}

/// A block that `exit` can leave.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: String,
    /// Jumps to its end, to be patched.
    pub(crate) exits: Vec<usize>,
    /// How many phases are open inside the routine at its level.
    pub(crate) phases: usize,
}

/// A routine under construction.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) routine: RoutineId,
    pub(crate) name: String,
    pub(crate) params: u16,
    pub(crate) locals: Vec<Ty>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) labels: Vec<Label>,
    /// Phases entered and not left yet.
    pub(crate) phases: usize,
    pub(crate) code: Vec<Instr>,
    pub(crate) places: Vec<(u32, Span)>,
    /// Choices whose `next` is part of this code, to be told where it ends up.
    pub(crate) paths: Vec<ChoiceId>,
    pub(crate) mode: Mode,
    /// The event whose own code this is.
    pub(crate) own_event: Option<EventId>,
    /// What `return` gives, joined over all of them.
    pub(crate) returns: Ty,
    /// What `return` must give.
    pub(crate) promised: Option<Ty>,
    /// The match comes to rest after every statement: a flow that has to.
    pub(crate) settles: bool,
    /// Jumps to the end of the routine.
    pub(crate) early: Vec<usize>,
    /// A reaction that may prevent its event.
    pub(crate) may_prevent: bool,
    /// Facts that may be null are not asserted: a substitute follows.
    pub(crate) lenient: bool,
    /// Properties are read without what modifies them.
    pub(crate) base_reads: bool,
    /// Inside a group.
    pub(crate) group: bool,
    /// The player a message goes to.
    pub(crate) you: Option<Reg>,
    /// The event a message tells of, a record.
    pub(crate) told: Option<Reg>,
    /// How many list methods are around the current expression.
    pub(crate) lambda_depth: usize,
    temporaries: u16,
    most_temporaries: u16,
    /// Nothing before this instruction may be changed by a later one: something jumps here.
    barrier: usize,
    /// A test would have to skip more instructions than it can.
    pub(crate) too_long: bool,
}

impl Body {
    pub(crate) fn new(routine: RoutineId, name: String, mode: Mode) -> Self {
        Body {
            routine,
            name,
            params: 0,
            locals: Vec::new(),
            bindings: Vec::new(),
            facts: Vec::new(),
            labels: Vec::new(),
            phases: 0,
            code: Vec::new(),
            places: Vec::new(),
            paths: Vec::new(),
            mode,
            own_event: None,
            returns: Ty::Never,
            promised: None,
            settles: false,
            early: Vec::new(),
            may_prevent: true,
            lenient: false,
            base_reads: false,
            group: false,
            you: None,
            told: None,
            lambda_depth: 0,
            temporaries: 0,
            most_temporaries: 0,
            barrier: 0,
            too_long: false,
        }
    }

    /// A register that lives across waits.
    pub(crate) fn local(&mut self, ty: Ty) -> Reg {
        self.locals.push(ty);
        Reg((self.locals.len() - 1) as u16)
    }

    /// Consecutive registers that live until the end of the statement.
    pub(crate) fn temps(&mut self, count: u16) -> Reg {
        let first = self.temporaries;
        // Even a row of none has a place, which must exist.
        let count = count.max(1);
        self.temporaries = (self.temporaries + count).min(TEMPORARY - 2);
        self.most_temporaries = self.most_temporaries.max(self.temporaries);
        Reg(TEMPORARY | first)
    }

    pub(crate) fn temp(&mut self) -> Reg {
        self.temps(1)
    }

    pub(crate) fn mark_temps(&self) -> u16 {
        self.temporaries
    }

    pub(crate) fn release_temps(&mut self, mark: u16) {
        self.temporaries = mark;
    }

    pub(crate) fn register_count(&self) -> usize {
        self.locals.len() + usize::from(self.most_temporaries)
    }

    pub(crate) fn bind(&mut self, name: &str, reg: Reg, ty: Ty) {
        self.bindings.push(Binding { name: name.to_owned(), reg, ty, implicit: false, local: false });
    }

    pub(crate) fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().rev().find(|binding| binding.name == name)
    }

    /// What tests have shown about `path`.
    pub(crate) fn known(&self, path: &str, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for fact in self.facts.iter().filter(|fact| fact.path == path) {
            ty = match &fact.ty {
                Some(narrowed) => narrowed.clone(),
                None => ty.present(),
            };
        }
        ty
    }

    /// Forgets what was shown about a name that gets a new value.
    pub(crate) fn forget(&mut self, name: &str) {
        let prefix = format!("{name}.");
        self.facts.retain(|fact| fact.path != name && !fact.path.starts_with(&prefix));
    }

    pub(crate) fn emit(&mut self, instr: Instr) -> usize {
        self.code.push(instr);
        self.code.len() - 1
    }

    /// The position of the next instruction, as a target of jumps.
    pub(crate) fn here(&mut self) -> u32 {
        self.barrier = self.code.len();
        self.code.len() as u32
    }

    /// Lets the jumps at `sites` go to the next instruction.
    pub(crate) fn land(&mut self, sites: &[usize]) {
        let target = self.here();
        for &site in sites {
            if let Some(skip) = self.code[site].skip_mut() {
                let distance = target as usize - site - 1;
                *skip = u16::try_from(distance).unwrap_or(u16::MAX);
                self.too_long |= distance > usize::from(u16::MAX);
            } else {
                *self.code[site].target_mut().expect("only jumps are patched") = target;
            }
        }
    }

    /// Takes back the instruction that loaded a small constant into `reg`, if it was the last one.
    pub(crate) fn take_constant(&mut self, reg: Reg) -> Option<i16> {
        if self.code.len() <= self.barrier {
            return None;
        }
        match self.code.last() {
            Some(Instr::Int { dst, value }) if *dst == reg => {
                let value = i16::try_from(*value).ok()?;
                self.code.pop();
                Some(value)
            }
            _ => None,
        }
    }

    /// Takes back the instruction that loaded a constant into `reg`, if it was the last one: nobody reads it.
    pub(crate) fn drop_constant(&mut self, reg: Reg) {
        let is_it = matches!(self.code.last(), Some(Instr::Const { dst, .. }) if *dst == reg);
        if self.code.len() > self.barrier && is_it {
            self.code.pop();
        }
    }

    /// Puts `src` into `dst`, without a copy where the last instruction can write there itself.
    pub(crate) fn put(&mut self, dst: Reg, src: Reg) {
        if dst == src {
            return;
        }
        let fresh = src.0 & TEMPORARY != 0 && self.code.len() > self.barrier;
        if fresh
            && let Some(last) = self.code.last_mut()
            && let Some(written) = result_register(last)
            && *written == src
        {
            *written = dst;
            return;
        }
        self.emit(Instr::Copy { dst, src });
    }

    /// Lets a copy of a zone, at that place, be a copy of what is in it.
    pub(crate) fn copy_contents(&mut self, place: usize) {
        if let Instr::Copy { dst, src } = self.code[place] {
            self.code[place] = Instr::ZoneList { dst, zone: src };
        }
    }

    /// Numbers temporaries after the locals.
    pub(crate) fn settle_registers(&mut self) {
        let base = self.locals.len() as u16;
        for instr in &mut self.code {
            instr.renumber(|reg| {
                if *reg != Reg::NONE && reg.0 & TEMPORARY != 0 {
                    reg.0 = base + (reg.0 & !TEMPORARY);
                }
            });
        }
    }
}

/// The register a simple instruction writes, if nothing else depends on which it is.
fn result_register(instr: &mut Instr) -> Option<&mut Reg> {
    match instr {
        Instr::Copy { dst, .. }
        | Instr::Int { dst, .. }
        | Instr::Const { dst, .. }
        | Instr::Add { dst, .. }
        | Instr::AddInt { dst, .. }
        | Instr::Sub { dst, .. }
        | Instr::Mul { dst, .. }
        | Instr::Div { dst, .. }
        | Instr::Rem { dst, .. }
        | Instr::Neg { dst, .. }
        | Instr::Min { dst, .. }
        | Instr::Max { dst, .. }
        | Instr::Abs { dst, .. }
        | Instr::Eq { dst, .. }
        | Instr::Ne { dst, .. }
        | Instr::Lt { dst, .. }
        | Instr::Le { dst, .. }
        | Instr::Not { dst, .. }
        | Instr::Len { dst, .. }
        | Instr::Get { dst, .. }
        | Instr::TryGet { dst, .. }
        | Instr::Field { dst, .. }
        | Instr::Key { dst, .. }
        | Instr::TryKey { dst, .. }
        | Instr::Finish { dst, .. }
        | Instr::Concat { dst, .. }
        | Instr::Prop { dst, .. }
        | Instr::MatchProp { dst, .. }
        | Instr::NamedProp { dst, .. }
        | Instr::Modified { dst, .. }
        | Instr::Chain { dst, .. }
        | Instr::Info { dst, .. }
        | Instr::ZoneOf { dst, .. }
        | Instr::TheZone { dst, .. }
        | Instr::ZoneLen { dst, .. }
        | Instr::ZoneGet { dst, .. }
        | Instr::ZoneList { dst, .. }
        | Instr::AllInZone { dst, .. }
        | Instr::Players { dst }
        | Instr::PlayerCount { dst }
        | Instr::PlayerAfter { dst, .. }
        | Instr::PlayersFrom { dst, .. }
        | Instr::EventField { dst, .. }
        | Instr::Call { dst, .. }
        | Instr::Offers { dst, .. }
        | Instr::OfferAction { dst, .. }
        | Instr::OfferHost { dst, .. }
        | Instr::Targets { dst, .. }
        | Instr::Abilities { dst, .. }
        | Instr::ZoneNamed { dst, .. }
        | Instr::Flow { dst, .. } => Some(dst),
        _ => None,
    }
}
