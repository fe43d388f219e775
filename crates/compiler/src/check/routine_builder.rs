//! A routine under construction: its registers, the names in scope, and its code.

use intermezzo_program::{ChoiceId, EventId, Instr, Reg, RoutineId};

use super::types::Ty;
use crate::source::Span;

/// Marks the number of a temporary register. Temporaries get their final numbers, after the locals, once the
/// routine is finished.
const TEMPORARY_BIT: u16 = 0x8000;
/// Maximum number of registers of a routine. A rule that needs more is reported.
pub(crate) const MAX_REGISTERS: usize = 4_000;

/// The operations that code may perform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CodeMode {
    /// Computation only.
    Pure,
    /// Computation and writing properties: the `apply` of an event.
    Apply,
    /// Everything.
    Program,
}

/// A name in scope.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) reg: Reg,
    pub(crate) ty: Ty,
    /// The implicit `it` of a lambda without a named parameter.
    pub(crate) implicit: bool,
    /// `let` may assign to it.
    pub(crate) local: bool,
}

/// A type that a test has proved for a path such as `event.target`. Without a type: that the path is not
/// null.
#[derive(Clone, Debug)]
pub(crate) struct TypeFact {
    pub(crate) path: String,
    pub(crate) ty: Option<Ty>,
}

impl TypeFact {
    /// Returns true if the path is this name or begins with it: `it.host`, but not `item`.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        self.path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

/// A block that `exit` can leave.
#[derive(Clone, Debug)]
pub(crate) struct ExitLabel {
    pub(crate) name: String,
    /// Jumps to the end of the block, still to be patched.
    pub(crate) exits: Vec<usize>,
    /// Number of open phases that an exit from the block leaves open.
    pub(crate) phases: usize,
}

#[derive(Debug)]
pub(crate) struct RoutineBuilder {
    pub(crate) routine: RoutineId,
    pub(crate) name: String,
    pub(crate) params: u16,
    pub(crate) locals: Vec<Ty>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) facts: Vec<TypeFact>,
    pub(crate) labels: Vec<ExitLabel>,
    /// Number of phases entered and not left yet.
    pub(crate) phases: usize,
    pub(crate) code: Vec<Instr>,
    pub(crate) spans: Vec<(u32, Span)>,
    /// Choices whose `next` code is part of this routine. Their entry points are relocated with it.
    pub(crate) path_choices: Vec<ChoiceId>,
    pub(crate) mode: CodeMode,
    /// The event this code belongs to.
    pub(crate) own_event: Option<EventId>,
    /// The joined type of all `return` values.
    pub(crate) returns: Ty,
    /// The declared type of `return` values.
    pub(crate) declared_return: Option<Ty>,
    /// The engine settles the match after every statement, as the flow of rulesets with a stack or state
    /// checks requires.
    pub(crate) settles_after_statements: bool,
    /// Jumps to the end of the routine, still to be patched.
    pub(crate) early_exits: Vec<usize>,
    /// Blocks of phases in this routine, by their numbers in the program.
    pub(crate) phase_blocks: Vec<usize>,
    /// The reaction may prevent its event.
    pub(crate) may_prevent: bool,
    /// The tests of `prevention_conditions`, and whether a `prevent: event` has used them.
    pub(crate) prevention_tests: Vec<crate::expr::Expr>,
    pub(crate) has_prevention: bool,
    /// Owner, controller and index may be null here, because `??` supplies a substitute.
    pub(crate) allows_null: bool,
    /// Properties are read without their modifiers.
    pub(crate) reads_base_values: bool,
    /// The layer of the modifier that this code belongs to.
    pub(crate) modifier_layer: Option<i32>,
    /// Properties are read with the modifiers of layers below that one.
    pub(crate) reads_prior_values: bool,
    /// The code is inside a group.
    pub(crate) in_group: bool,
    /// The player who receives the message.
    pub(crate) recipient: Option<Reg>,
    /// The record with the payload of the event that a message reports.
    pub(crate) message_event: Option<Reg>,
    /// Number of list methods around the current expression.
    pub(crate) lambda_depth: usize,
    temporaries: u16,
    max_temporaries: u16,
    /// Position of the last jump target. Instructions before it may not be removed or rewritten, because
    /// a jump may arrive here without running them.
    barrier: usize,
    /// A test would have to skip more instructions than fit into its operand.
    pub(crate) too_long: bool,
}

impl RoutineBuilder {
    pub(crate) fn new(routine: RoutineId, name: String, mode: CodeMode) -> Self {
        RoutineBuilder {
            routine,
            name,
            params: 0,
            locals: Vec::new(),
            bindings: Vec::new(),
            facts: Vec::new(),
            labels: Vec::new(),
            phases: 0,
            code: Vec::new(),
            spans: Vec::new(),
            path_choices: Vec::new(),
            mode,
            own_event: None,
            returns: Ty::Never,
            declared_return: None,
            settles_after_statements: false,
            early_exits: Vec::new(),
            phase_blocks: Vec::new(),
            may_prevent: true,
            prevention_tests: Vec::new(),
            has_prevention: false,
            allows_null: false,
            reads_base_values: false,
            modifier_layer: None,
            reads_prior_values: false,
            in_group: false,
            recipient: None,
            message_event: None,
            lambda_depth: 0,
            temporaries: 0,
            max_temporaries: 0,
            barrier: 0,
            too_long: false,
        }
    }

    /// Allocates a register that keeps its value while the match waits.
    pub(crate) fn new_local(&mut self, ty: Ty) -> Reg {
        self.locals.push(ty);
        Reg((self.locals.len() - 1) as u16)
    }

    /// Allocates consecutive registers that live until the end of the statement.
    pub(crate) fn new_temps(&mut self, count: u16) -> Reg {
        let first = self.temporaries;
        // Even an empty sequence needs a valid register number.
        let count = count.max(1);
        self.temporaries = (self.temporaries + count).min(TEMPORARY_BIT - 2);
        self.max_temporaries = self.max_temporaries.max(self.temporaries);
        Reg(TEMPORARY_BIT | first)
    }

    pub(crate) fn new_temp(&mut self) -> Reg {
        self.new_temps(1)
    }

    pub(crate) fn mark_temps(&self) -> u16 {
        self.temporaries
    }

    pub(crate) fn release_temps(&mut self, mark: u16) {
        self.temporaries = mark;
    }

    pub(crate) fn register_count(&self) -> usize {
        self.locals.len() + usize::from(self.max_temporaries)
    }

    pub(crate) fn bind(&mut self, name: &str, reg: Reg, ty: Ty) {
        self.bindings.push(Binding { name: name.to_owned(), reg, ty, implicit: false, local: false });
    }

    pub(crate) fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().rev().find(|binding| binding.name == name)
    }

    /// Returns the type of `path`, narrowed by the tests that enclose the current code.
    pub(crate) fn narrowed_type(&self, path: &str, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for fact in self.facts.iter().filter(|fact| fact.path == path) {
            ty = match &fact.ty {
                Some(narrowed) => narrowed.clone(),
                None => ty.present(),
            };
        }
        ty
    }

    /// Forgets what is known about a name that is assigned.
    pub(crate) fn forget_facts(&mut self, name: &str) {
        let prefix = format!("{name}.");
        self.facts.retain(|fact| fact.path != name && !fact.path.starts_with(&prefix));
    }

    pub(crate) fn emit(&mut self, instr: Instr) -> usize {
        self.code.push(instr);
        self.code.len() - 1
    }

    /// Returns the position of the next instruction and marks it as a jump target.
    pub(crate) fn jump_target(&mut self) -> u32 {
        self.barrier = self.code.len();
        self.code.len() as u32
    }

    /// Patches the jumps at `sites` to go to the next instruction.
    pub(crate) fn patch_jumps(&mut self, sites: &[usize]) {
        let target = self.jump_target();
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

    /// Removes the instruction that loaded a small constant into `reg`, if it is the last one, and returns
    /// the constant.
    pub(crate) fn pop_small_constant(&mut self, reg: Reg) -> Option<i16> {
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

    /// Removes the instruction that loaded a constant into `reg`, if it is the last one. The caller must not
    /// read the register.
    pub(crate) fn pop_constant(&mut self, reg: Reg) {
        let is_it = matches!(self.code.last(), Some(Instr::Const { dst, .. }) if *dst == reg);
        if self.code.len() > self.barrier && is_it {
            self.code.pop();
        }
    }

    /// Copies `src` into `dst`. If the last instruction computed `src`, it is changed to write `dst`
    /// directly.
    pub(crate) fn put(&mut self, dst: Reg, src: Reg) {
        if dst == src {
            return;
        }
        // Callers do not read a temporary again, but a local must keep its value.
        let fresh = src.0 & TEMPORARY_BIT != 0 && self.code.len() > self.barrier;
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

    /// Turns the copy of a zone at `position` into a copy of the zone's contents.
    pub(crate) fn copy_contents(&mut self, position: usize) {
        if let Instr::Copy { dst, src } = self.code[position] {
            self.code[position] = Instr::ZoneList { dst, zone: src };
        }
    }

    /// Gives temporaries their final numbers, after the locals.
    pub(crate) fn number_temporaries(&mut self) {
        let base = self.locals.len() as u16;
        for instr in &mut self.code {
            instr.renumber(|reg| {
                if *reg != Reg::NONE && reg.0 & TEMPORARY_BIT != 0 {
                    reg.0 = base + (reg.0 & !TEMPORARY_BIT);
                }
            });
        }
    }
}

/// Returns the register that an instruction writes, if that register can be replaced freely.
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
        | Instr::ModifiedBelow { dst, .. }
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
        | Instr::Traits { dst, .. }
        | Instr::ZoneNamed { dst, .. }
        | Instr::Flow { dst, .. } => Some(dst),
        _ => None,
    }
}
