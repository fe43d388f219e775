//! Checks a ruleset and lowers it to a program, in one walk.
//!
//! [`Checker`] holds what is known; [`decls`] walks the sections; [`exprs`] and
//! [`stmts`] check and lower rules. A
//! mistake is reported where it stands and yields [`Ty::Error`], which agrees
//! with everything, so that it is reported once.

mod actions;
mod alternatives;
mod analysis;
mod body;
mod callables;
mod calls;
mod choose;
mod coerce;
mod control;
mod decls;
mod defs;
mod events;
mod exprs;
mod groups;
mod happenings;
mod header;
mod invoke;
mod kinds;
mod layout;
mod literals;
mod members;
mod messages;
mod methods;
mod modifiers;
mod names;
mod occasions;
mod offers;
mod operators;
mod ordering;
mod paths;
mod probing;
mod programs;
mod prompts;
mod props;
mod reactions;
mod section;
mod sight;
mod stmts;
mod tests;
mod turns;
mod tutorial;
mod types;
mod world;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use intermezzo_ruleset::{
    Instr, Place, Program, Reg, Routine, RoutineId, Symbol, TextId, Type, TypeId, Word,
};

use crate::diagnostic::{Diagnostic, suggest};
use crate::merge::Merged;
use crate::source::{SourceMap, Span};
use crate::tree::{Node, Text};
use body::{Body, Mode};
pub(crate) use calls::BUILT_IN;
pub(crate) use members::FACTS;
pub(crate) use methods::LIST_METHODS;
pub(crate) use stmts::OPERATIONS;
use types::Ty;
use world::World;

/// Rules that are compiled beside a ruleset: positions and expectations of a scenario.
#[derive(Default)]
pub struct Extras<'a> {
    /// Statements run after `setup`.
    pub given: Vec<&'a Node>,
    /// Expressions to be evaluated during play.
    pub expressions: Vec<&'a Text>,
    /// Count how often rules are reached, in [`Program::probes`].
    pub probes: bool,
}

/// An expression compiled beside a ruleset.
#[derive(Clone, Copy, Debug)]
pub struct ExtraExpression {
    /// The function without parameters that computes it.
    pub routine: RoutineId,
    /// The type of its value.
    pub ty: TypeId,
}

/// After so many unknown names, looking for what was meant is given up: it takes time, and nobody reads on.
const MAX_SUGGESTIONS: usize = 200;

/// What is used where, for the checks that need to see the whole ruleset.
#[derive(Default)]
pub(crate) struct Usage {
    /// Routine → routines it calls, with the place of the call.
    calls: BTreeMap<RoutineId, Vec<(RoutineId, Span)>>,
    /// Routine → how deep list methods stand inside each other in it, and around each of its calls.
    depths: BTreeMap<RoutineId, (usize, Vec<(RoutineId, usize)>)>,
    /// Routine → modifiable properties it reads.
    reads: BTreeMap<RoutineId, BTreeSet<u16>>,
    /// Routine → events it emits.
    emits: BTreeMap<RoutineId, BTreeSet<u16>>,
    /// Events something emits.
    emitted: BTreeSet<u16>,
    /// (Event, field) → what it is known to be.
    carried: BTreeMap<(u16, u16), literals::Carried>,
    /// Functions, procs, defs, traits, phases and chains something uses.
    used: BTreeSet<String>,
    /// What pure code reads that not everyone sees.
    sight: sight::Sight,
    /// Declarations the engine cannot run yet.
    not_yet: Vec<(Span, String)>,
}

/// The walk over a ruleset.
pub(crate) struct Checker<'s> {
    sources: &'s SourceMap,
    merged: &'s Merged,
    world: World,
    out: Vec<Diagnostic>,
    program: Program,
    type_ids: HashMap<Type, TypeId>,
    text_ids: HashMap<String, TextId>,
    body: Body,
    usage: Usage,
    /// Reactions by event, for the checks over the whole ruleset.
    reactions: Vec<reactions::Seen>,
    /// Zones nobody sees into.
    hidden_zones: BTreeSet<String>,
    /// The ruleset's own `symbols`, to tell which are never used.
    declared_symbols: Vec<(String, Span)>,
    /// Properties whose rules are still to be lowered.
    prop_sources: Vec<props::PropSource>,
    /// How many unknown names were found.
    unknowns: usize,
    /// Paths the statement under way writes.
    written: Vec<String>,
    /// Type names declared so far.
    types_seen: Vec<String>,
    /// Ids of reactions declared so far.
    reactions_seen: Vec<(String, Span)>,
    /// Actions and abilities, templates merged in.
    actions: Vec<actions::Source>,
    /// Players put their own reactions in order.
    is_order_chosen: bool,
    /// Actions that others extend.
    templates: world::Table<Node>,
    /// It is counted how often rules are reached.
    is_probed: bool,
}

/// A value in a register.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    reg: Reg,
    ty: Ty,
}

/// Checks and lowers; the program is only there if there were no errors.
pub(crate) fn check(merged: &Merged, sources: &SourceMap, extras: &Extras<'_>) -> crate::Compiled {
    let mut checker = Checker::new(merged, sources);
    checker.is_probed = extras.probes;
    let expressions = checker.walk(extras);
    let costs = checker.costs();
    let failed =
        checker.out.iter().any(|diagnostic| diagnostic.severity == crate::diagnostic::Severity::Error);
    let prompts = if failed { Vec::new() } else { checker.prompts() };
    let program = (!failed).then_some(checker.program);
    crate::Compiled { program, expressions, costs, prompts, diagnostics: checker.out }
}

impl<'s> Checker<'s> {
    fn new(merged: &'s Merged, sources: &'s SourceMap) -> Self {
        let mut checker = Checker {
            sources,
            merged,
            world: World::default(),
            out: Vec::new(),
            program: Program::default(),
            type_ids: HashMap::new(),
            text_ids: HashMap::new(),
            body: Body::new(RoutineId(0), String::new(), Mode::Pure),
            usage: Usage::default(),
            reactions: Vec::new(),
            hidden_zones: BTreeSet::new(),
            declared_symbols: Vec::new(),
            prop_sources: Vec::new(),
            unknowns: 0,
            written: Vec::new(),
            types_seen: Vec::new(),
            reactions_seen: Vec::new(),
            actions: Vec::new(),
            templates: world::Table::default(),
            is_order_chosen: false,
            is_probed: false,
        };
        for name in intermezzo_ruleset::native::SYMBOLS {
            checker.world.intern(name);
        }
        checker
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        // Templates are checked wherever they are used: a mistake in one is one mistake.
        let is_same = |known: &Diagnostic| {
            known.span == diagnostic.span
                && known.code == diagnostic.code
                && known.message == diagnostic.message
        };
        if self.out.iter().rev().take(64).any(is_same) {
            return;
        }
        self.out.push(diagnostic);
    }

    /// Reports and gives the type that agrees with everything.
    fn wrong(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Ty {
        self.report(Diagnostic::error(code, span, message));
        Ty::Error
    }

    /// Reports an unknown name with the nearest known one.
    fn unknown<'a>(
        &mut self,
        code: &'static str,
        span: Span,
        what: &str,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Ty {
        let mut diagnostic = Diagnostic::error(code, span, format!("unknown {what} `{name}`"));
        self.unknowns += 1;
        if self.unknowns > MAX_SUGGESTIONS {
            self.report(diagnostic);
            return Ty::Error;
        }
        let candidates: Vec<&str> = candidates.into_iter().collect();
        if let Some(near) = suggest(name, candidates.iter().copied()) {
            diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
        } else if !candidates.is_empty() && candidates.len() <= 12 {
            diagnostic = diagnostic.hint(format!("known here: {}", candidates.join(", ")));
        }
        self.report(diagnostic);
        Ty::Error
    }

    /// Reports an argument that none of the parameters takes.
    fn unknown_argument(&mut self, what: &str, key: &Text, params: &[world::Param]) {
        let known: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        self.unknown("E-ARGS", key.span, what, &key.value, known.iter().map(String::as_str));
    }

    fn intern_text(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.text_ids.get(text) {
            return id;
        }
        let id = TextId(self.program.texts.len() as u32);
        self.program.texts.push(text.to_owned());
        self.text_ids.insert(text.to_owned(), id);
        id
    }

    /// The runtime type of a static one.
    fn type_id(&mut self, ty: &Ty) -> TypeId {
        let lowered = self.lower_type(ty);
        self.runtime_type(lowered)
    }

    fn runtime_type(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.type_ids.get(&ty) {
            return id;
        }
        let id = TypeId(self.program.types.len() as u16);
        self.program.types.push(ty.clone());
        self.type_ids.insert(ty, id);
        id
    }

    fn lower_type(&mut self, ty: &Ty) -> Type {
        match ty {
            Ty::Int | Ty::Error | Ty::Null | Ty::Never => Type::Int,
            Ty::Bool => Type::Bool,
            Ty::Text => Type::Text,
            Ty::Dice => Type::Dice,
            Ty::Enum(id) => Type::Enum(*id),
            Ty::Symbol
            | Ty::Name(_)
            | Ty::Def
            | Ty::Trait
            | Ty::Phase
            | Ty::ZoneName
            | Ty::Resource
            | Ty::Outcome
            | Ty::Ability => Type::Symbol,
            Ty::Action => Type::Offer,
            Ty::Entity | Ty::SomeEntity => Type::Entity,
            Ty::Kind(kind) => Type::Kind(*kind),
            Ty::Zone(_) => Type::Zone,
            Ty::Family(zone) => {
                let item = self.world.zone_by_id(*zone).1.item.clone();
                Type::List(self.type_id(&item))
            }
            Ty::Event(_) => Type::Event,
            Ty::List(item) => Type::List(self.type_id(item)),
            Ty::Map(key, value) => {
                let value = self.type_id(value);
                match **key {
                    Ty::Enum(id) => Type::EnumMap(id, value),
                    _ => Type::PlayerMap(value),
                }
            }
            Ty::Maybe(inner) => self.lower_type(inner),
            Ty::Record(record) => {
                Type::Record(record.fields.iter().map(|(name, ty)| (*name, self.type_id(ty))).collect())
            }
            Ty::Any => Type::Any,
        }
    }

    // --- routines ---------------------------------------------------------

    /// Reserves a routine's number before its code exists.
    fn reserve_routine(&mut self, name: &str) -> RoutineId {
        let id = RoutineId(self.program.routines.len() as u16);
        self.program.routines.push(Routine {
            name: name.to_owned(),
            entry: 0,
            params: 0,
            locals: Vec::new(),
            registers: 0,
            pure: false,
        });
        id
    }

    /// Starts a routine; the one under construction is given back and must be passed to [`Self::finish`].
    fn begin(&mut self, routine: RoutineId, mode: Mode) -> Body {
        let name = self.program.routines[routine.index()].name.clone();
        let mut body = Body::new(routine, name, mode);
        for _ in 0..Reg::CONTEXT {
            body.local(Ty::Entity);
        }
        body.locals[Reg::EVENT.0 as usize] = Ty::Event(None);
        std::mem::replace(&mut self.body, body)
    }

    fn add_param(&mut self, name: &str, ty: Ty) -> Reg {
        let reg = self.body.local(ty.clone());
        self.body.params += 1;
        self.body.bind(name, reg, ty);
        reg
    }

    /// Ends the routine under construction: its code joins the program. Gives its first instruction.
    fn finish(&mut self, outer: Body) -> u32 {
        let mut body = std::mem::replace(&mut self.body, outer);
        body.settle_registers();
        let offset = self.program.code.len() as u32;
        for instr in &mut body.code {
            if let Some(to) = instr.target_mut() {
                *to += offset;
            }
        }
        for choice in &body.paths {
            let choice = self.program.choices.get_mut(choice.index());
            if let Some(next) = choice.and_then(|choice| choice.next.as_mut()) {
                next.entry += offset;
            }
        }
        for (at, span) in &body.places {
            let place = self.place_of(*span);
            self.program.places.push((offset + at, place));
        }
        let registers = body.register_count();
        if (registers > body::MAX_REGISTERS || body.too_long)
            && let Some((_, span)) = body.places.first()
        {
            let span = *span;
            self.wrong("E-LIMIT", span, "this rule is too long; split it into several");
        }
        let locals = body.locals.iter().map(|ty| self.type_id(ty)).collect();
        self.program.code.append(&mut body.code);
        let routine = &mut self.program.routines[body.routine.index()];
        routine.entry = offset;
        routine.params = body.params;
        routine.locals = locals;
        routine.registers = registers.min(usize::from(u16::MAX)) as u16;
        routine.pure = body.mode == Mode::Pure;
        offset
    }

    /// Compiles a pure function: parameters, then one expression of the wanted type.
    fn function(&mut self, name: &str, params: &[(&str, Ty)], node: &Node, wanted: &Ty) -> RoutineId {
        let routine = self.reserve_routine(name);
        let outer = self.begin(routine, Mode::Pure);
        for (name, ty) in params {
            self.add_param(name, ty.clone());
        }
        let value = self.node_as(node, wanted);
        self.emit(Instr::Return { value });
        self.finish(outer);
        routine
    }

    fn place_of(&self, span: Span) -> Place {
        let (line, _) = self.sources.line_column(span.file, span.start);
        Place { file: span.file.0, line }
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.body.emit(instr)
    }

    /// Loads a constant into a fresh register.
    fn constant(&mut self, word: Word) -> Reg {
        let dst = self.body.temp();
        self.load(dst, word);
        dst
    }

    fn load(&mut self, dst: Reg, word: Word) {
        if let Ok(value) = i32::try_from(word) {
            self.emit(Instr::Int { dst, value });
            return;
        }
        let found = self.program.constants.iter().position(|known| *known == word);
        let index = found.unwrap_or_else(|| {
            self.program.constants.push(word);
            self.program.constants.len() - 1
        });
        self.emit(Instr::Const { dst, index: index as u32 });
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        self.world.intern(name)
    }

    fn mark_used(&mut self, category: &str, name: &str) {
        self.usage.used.insert(format!("{category}.{name}"));
    }

    fn is_used(&self, category: &str, name: &str) -> bool {
        self.usage.used.contains(&format!("{category}.{name}"))
    }

    /// Notes a declaration the engine cannot run yet.
    fn not_yet(&mut self, span: Span, what: &str) {
        self.usage.not_yet.push((span, what.to_owned()));
    }
}
