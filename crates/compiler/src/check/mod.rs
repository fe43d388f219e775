//! Checks a ruleset and compiles it to a program.
//!
//! [`Checker`] holds the state. [`passes`] runs over the sections; [`exprs`] and [`stmts`] check and compile
//! rules at the same time. A mistake is reported where it occurs and yields [`Ty::Error`], which is
//! compatible with every type, so that it is reported only once.

mod actions;
mod aimed_reactions;
mod alternatives;
mod analysis;
mod callables;
mod calls;
mod choice_texts;
mod choose;
mod coerce;
mod conditions;
mod control;
mod copies;
mod cost_lets;
mod coverage;
mod defs;
mod division;
mod effects;
mod events;
mod exprs;
mod field_values;
mod foreign;
mod grants;
mod groups;
mod header;
mod invoke;
mod kinds;
mod known_names;
mod members;
mod messages;
mod methods;
mod modifiers;
mod name_uses;
mod names;
mod operators;
mod order_warnings;
mod passes;
mod paths;
mod payment;
mod phase_exits;
mod printed;
mod programs;
mod prompt_bounds;
mod props;
mod questions;
mod reaction_limits;
mod reactions;
mod routine_builder;
mod secret_reactions;
mod section;
mod selection_tests;
mod stmts;
mod symbol_table;
mod teams;
mod turns;
mod tutorial;
mod types;
pub(crate) mod ui;
mod unused_locals;
mod visibility;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use intermezzo_program::{
    Instr, Program, Reg, Routine, RoutineId, SourceLocation, Symbol, TextId, Type, TypeId, Word,
};

use crate::diagnostic::{Diagnostic, suggest};
use crate::merge::MergedRuleset;
use crate::source::{SourceMap, Span};
use crate::symbol_index::SymbolIndex;
use crate::tree::{SourceNode, SourceText};
use routine_builder::{CodeMode, RoutineBuilder};
use symbol_table::SymbolTable;
use types::Ty;

/// Rules compiled in addition to a ruleset: the positions and expectations of a scenario.
#[derive(Default)]
pub struct Extras<'a> {
    /// Statements run after `setup`.
    pub given: Vec<&'a SourceNode>,
    /// Expressions that can be evaluated during play.
    pub expressions: Vec<&'a SourceText>,
    /// Note where names are declared and used, see [`crate::symbol_index`].
    pub index: bool,
    /// Emit counters for rule coverage, see [`Program::coverage`].
    pub coverage: bool,
    /// An earlier version has accepted the ruleset. Its `ui` is not checked again, because later versions check more.
    pub is_published: bool,
    /// Asked from time to time; the compiler gives up when it returns true.
    pub should_stop: Option<&'a dyn Fn() -> bool>,
}

/// An expression compiled in addition to a ruleset.
#[derive(Clone, Copy, Debug)]
pub struct ExtraExpression {
    /// A function without parameters that computes it.
    pub routine: RoutineId,
    /// The type of its value.
    pub ty: TypeId,
}

/// After this many unknown names, no more suggestions are computed: they take time, and nobody reads that
/// far.
const MAX_SUGGESTIONS: usize = 200;
/// Up to so many names are listed if none is similar.
const MAX_LISTED: usize = 20;
/// Names compared in all suggestions together.
const MAX_COMPARISONS: usize = 100_000;

/// After this many errors, the rest of the ruleset is not checked.
const MAX_ERRORS: usize = 1_000;
/// After this many diagnostics of all kinds, further warnings are left out.
const MAX_DIAGNOSTICS: usize = 5_000;
/// Number of expressions and statements between two questions to the caller whether to stop.
const STEPS_PER_QUESTION: u32 = 16;

/// The reason why a ruleset is not checked to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StopReason {
    TooManyErrors,
    Asked,
}

/// Uses of declarations, collected for the checks of the whole ruleset.
#[derive(Default)]
pub(crate) struct Usage {
    /// Routine → routines it calls, with the span of the call.
    calls: BTreeMap<RoutineId, Vec<(RoutineId, Span)>>,
    /// Routine → nesting depth of its list methods, and the depth at which each of its calls stands.
    depths: BTreeMap<RoutineId, (usize, Vec<(RoutineId, usize)>)>,
    /// Routine → modifiable properties it reads.
    reads: BTreeMap<RoutineId, BTreeSet<u16>>,
    /// Routine → modifiable properties it reads, with the layer before which it reads them.
    prior_reads: BTreeMap<RoutineId, BTreeSet<(u16, i32)>>,
    /// Routine → traits it tests for.
    trait_tests: BTreeMap<RoutineId, BTreeSet<u16>>,
    /// Routine → events it emits.
    emits: BTreeMap<RoutineId, BTreeSet<u16>>,
    /// Events that some statement emits.
    emitted: BTreeSet<u16>,
    /// (Event, field) → its known values.
    field_values: BTreeMap<(u16, u16), field_values::FieldValues>,
    /// Used declarations, as `category.name`.
    used: BTreeSet<String>,
    /// Reads in pure code of values that not everyone sees.
    hidden_reads: visibility::HiddenReads,
    /// Routine → a statement in it that no group can contain.
    group_breakers: BTreeMap<RoutineId, &'static str>,
    /// Procs called in groups, with the span of the call.
    group_calls: Vec<(String, RoutineId, Span)>,
    /// Some statement gives something an owner.
    gives_owners: bool,
}

/// The state of compiling a ruleset.
pub(crate) struct Checker<'s> {
    sources: &'s SourceMap,
    merged: &'s MergedRuleset,
    symbols: SymbolTable,
    out: Vec<Diagnostic>,
    program: Program,
    type_ids: HashMap<Type, TypeId>,
    text_ids: HashMap<String, TextId>,
    body: RoutineBuilder,
    usage: Usage,
    /// All reactions, for the checks of the whole ruleset.
    reactions: Vec<reactions::ReactionSummary>,
    /// Zones whose contents are hidden from everyone.
    hidden_zones: BTreeSet<String>,
    /// The ruleset's own `symbols`, to find the unused ones.
    declared_symbols: Vec<(String, Span)>,
    /// Defs whose kind is missing or unknown. Their uses are not reported.
    broken_defs: BTreeSet<String>,
    /// Properties whose rules have not been compiled yet.
    prop_sources: Vec<props::PropSource>,
    /// Number of unknown names reported up to now.
    unknown_count: usize,
    comparisons: usize,
    error_count: usize,
    /// The caller's wish to stop.
    should_stop: Option<&'s dyn Fn() -> bool>,
    steps_until_question: u32,
    stop_reason: Option<StopReason>,
    /// Paths written by the current statement.
    written_paths: Vec<String>,
    declared_types: Vec<String>,
    reaction_ids: Vec<(String, Span)>,
    modifier_ids: Vec<(String, Span)>,
    grants: Vec<grants::GrantSummary>,
    changing_rules: copies::ChangingRules,
    /// Actions and abilities, with their templates merged in.
    actions: Vec<actions::MergedAction>,
    /// Players choose the order of their own reactions.
    is_order_chosen: bool,
    /// True if a reaction may prevent the start of a phase.
    can_prevent_phases: bool,
    /// The phases that rules leave from elsewhere.
    left_phases: Vec<String>,
    /// Some `end` gives scores.
    uses_scores: bool,
    /// Some `roll` says who sees it.
    hides_rolls: bool,
    /// Players who have left are not asked.
    skips_leavers: bool,
    /// Properties that rules read of defs.
    printed: Vec<printed::PrintedProp>,
    /// Abstract actions, which others extend.
    templates: symbol_table::Declarations<SourceNode>,
    /// Coverage counters are emitted.
    counts_coverage: bool,
    /// The `ui` is not checked.
    is_published: bool,
    /// The pictures of the ruleset; `None` if they are unknown.
    assets: Option<&'s crate::assets::Assets>,
    /// Name and text of the def or trait whose rules are compiled.
    rule_owner: Option<(Option<String>, Option<String>)>,
    /// Reaction that asks → what clients show with its question.
    reaction_hints: serde_json::Map<String, serde_json::Value>,
    /// The uses of names, recorded only for editors.
    index: Option<SymbolIndex>,
}

/// A value in a register.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    reg: Reg,
    ty: Ty,
}

/// Checks and compiles a ruleset. The program is present only if there are no errors.
pub(crate) fn check<'s>(
    merged: &'s MergedRuleset,
    sources: &'s SourceMap,
    assets: Option<&'s crate::assets::Assets>,
    extras: &Extras<'s>,
) -> crate::Compilation {
    let mut checker = Checker::new(merged, sources);
    checker.assets = assets;
    checker.is_published = extras.is_published;
    checker.counts_coverage = extras.coverage;
    checker.should_stop = extras.should_stop;
    checker.index = extras.index.then(SymbolIndex::default);
    let expressions = checker.run_passes(extras);
    checker.report_stop();
    let costs = if checker.stop_reason.is_some() { Vec::new() } else { checker.costs() };
    let failed =
        checker.out.iter().any(|diagnostic| diagnostic.severity == crate::diagnostic::Severity::Error);
    let prompts = if failed { Vec::new() } else { checker.prompt_bounds() };
    let seats = checker.program.seats.max;
    let known = checker.index.take().map(|index| (index, checker.known_names()));
    let program = (!failed).then_some(checker.program);
    let index = known.map(|(mut index, known)| {
        index.known = known;
        index.seats = seats;
        // Code that the checker makes up has the place of what it stands for, which is no use of a name.
        index.references.retain(|reference| {
            let Span { file, start, end } = reference.span;
            let written = sources.text(file).get(start as usize..end as usize);
            written.is_none_or(|written| written == reference.name)
        });
        merged.documents.iter().for_each(|document| index.add_file(&document.node));
        index.finish();
        index
    });
    crate::Compilation {
        index,
        program,
        expressions,
        costs,
        prompt_bounds: prompts,
        diagnostics: checker.out,
    }
}

impl<'s> Checker<'s> {
    fn new(merged: &'s MergedRuleset, sources: &'s SourceMap) -> Self {
        let mut checker = Checker {
            sources,
            merged,
            symbols: SymbolTable::default(),
            out: Vec::new(),
            program: Program::default(),
            type_ids: HashMap::new(),
            text_ids: HashMap::new(),
            body: RoutineBuilder::new(RoutineId(0), String::new(), CodeMode::Pure),
            usage: Usage::default(),
            reactions: Vec::new(),
            hidden_zones: BTreeSet::new(),
            declared_symbols: Vec::new(),
            broken_defs: BTreeSet::new(),
            prop_sources: Vec::new(),
            unknown_count: 0,
            comparisons: 0,
            error_count: 0,
            should_stop: None,
            steps_until_question: STEPS_PER_QUESTION,
            stop_reason: None,
            written_paths: Vec::new(),
            declared_types: Vec::new(),
            reaction_ids: Vec::new(),
            modifier_ids: Vec::new(),
            grants: Vec::new(),
            changing_rules: copies::ChangingRules::default(),
            actions: Vec::new(),
            templates: symbol_table::Declarations::default(),
            is_order_chosen: false,
            can_prevent_phases: false,
            left_phases: Vec::new(),
            uses_scores: false,
            hides_rolls: false,
            skips_leavers: false,
            printed: Vec::new(),
            counts_coverage: false,
            is_published: false,
            assets: None,
            rule_owner: None,
            reaction_hints: serde_json::Map::new(),
            index: None,
        };
        for name in intermezzo_program::native::SYMBOLS {
            checker.symbols.intern(name);
        }
        checker
    }

    /// Returns true if the rest of the ruleset should not be checked.
    fn is_stopped(&mut self) -> bool {
        if self.stop_reason.is_some() {
            return true;
        }
        self.steps_until_question -= 1;
        if self.steps_until_question == 0 {
            self.steps_until_question = STEPS_PER_QUESTION;
            if self.should_stop.is_some_and(|should_stop| should_stop()) {
                self.stop_reason = Some(StopReason::Asked);
            }
        }
        self.stop_reason.is_some()
    }

    /// Reports that the ruleset was not checked to its end.
    fn report_stop(&mut self) {
        let message = match self.stop_reason {
            None => return,
            Some(StopReason::TooManyErrors) => {
                format!("more than {MAX_ERRORS} errors; the rest was not checked")
            }
            Some(StopReason::Asked) => {
                "checking this ruleset takes too long; the rest was not checked".to_owned()
            }
        };
        let span = self.merged.last("ruleset").map(|header| header.span);
        let span = span.or_else(|| self.out.first().map(|diagnostic| diagnostic.span));
        if let Some(span) = span {
            self.out.push(Diagnostic::error("E-LIMIT", Span { end: span.start + 1, ..span }, message));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.stop_reason.is_some() {
            return;
        }
        let is_error = diagnostic.severity == crate::diagnostic::Severity::Error;
        if !is_error && self.out.len() >= MAX_DIAGNOSTICS {
            return;
        }
        // A template is checked for every action that extends it, but a mistake in it is reported once. Only the
        // latest diagnostics are compared: comparing all would be quadratic for hostile files.
        let is_same = |known: &Diagnostic| {
            known.span == diagnostic.span
                && known.code == diagnostic.code
                && known.message == diagnostic.message
        };
        if self.out.iter().rev().take(64).any(is_same) {
            return;
        }
        self.error_count += usize::from(is_error);
        if self.error_count > MAX_ERRORS {
            self.stop_reason = Some(StopReason::TooManyErrors);
            return;
        }
        self.out.push(diagnostic);
    }

    /// Returns the name most similar to a misspelt one, unless too many were searched already.
    fn suggest<'a>(&mut self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        if !self.may_suggest() {
            return None;
        }
        self.unknown_count += 1;
        suggest(word, candidates.into_iter().inspect(|_| self.comparisons += 1))
    }

    fn may_suggest(&self) -> bool {
        self.unknown_count < MAX_SUGGESTIONS && self.comparisons < MAX_COMPARISONS
    }

    /// Reports an error. Returns the type that is compatible with every other.
    fn report_error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Ty {
        self.report(Diagnostic::error(code, span, message));
        Ty::Error
    }

    /// Reports an unknown name and suggests the most similar known one.
    fn report_unknown<'a>(
        &mut self,
        code: &'static str,
        span: Span,
        what: &str,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Ty {
        if self.broken_defs.contains(name) {
            return Ty::Error;
        }
        let mut diagnostic = Diagnostic::error(code, span, format!("unknown {what} `{name}`"));
        if !self.may_suggest() {
            self.report(diagnostic);
            return Ty::Error;
        }
        // Names with spaces are those of the compiler.
        let candidates: Vec<&str> = candidates.into_iter().filter(|name| !name.contains(' ')).collect();
        let joined = self.hyphenated(span, name).filter(|joined| candidates.contains(&joined.as_str()));
        let near = foreign::foreign_name(what, name, &candidates)
            .or_else(|| self.suggest(name, candidates.iter().copied()));
        let form = foreign::foreign_form(what, name);
        if let Some(joined) = joined {
            diagnostic = diagnostic.hint(format!("`-` is a minus here; the name is `{joined}`"));
        } else if let Some(form) = form.filter(|_| near.is_none() || what != "name") {
            diagnostic = diagnostic.hint(form);
        } else if let Some(near) = near {
            diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
        } else if !candidates.is_empty() && candidates.len() <= MAX_LISTED {
            diagnostic = diagnostic.hint(format!("known here: {}", candidates.join(", ")));
        }
        self.report(diagnostic);
        Ty::Error
    }

    /// Returns a name with the words that follow it after hyphens, joined by `_`.
    fn hyphenated(&self, span: Span, name: &str) -> Option<String> {
        let after = self.sources.text(span.file).get(span.end as usize..)?;
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        let rest: String = after.chars().take_while(|letter| is_part(*letter)).collect();
        let is_hyphenated = rest.starts_with('-') && rest.len() > 1 && !rest[1..].starts_with('-');
        is_hyphenated.then(|| format!("{name}{}", rest.replace('-', "_")))
    }

    /// Reports an argument that matches no parameter.
    fn report_unknown_argument(&mut self, what: &str, key: &SourceText, params: &[symbol_table::ParamInfo]) {
        let known: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        self.report_unknown("E-ARGS", key.span, what, &key.value, known.iter().map(String::as_str));
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

    /// Returns the runtime type of a static type.
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
                let item = self.symbols.zone_by_id(*zone).1.item.clone();
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

    /// Starts a routine. The routine under construction is returned and must be passed to
    /// [`Self::finish_routine`].
    fn begin_routine(&mut self, routine: RoutineId, mode: CodeMode) -> RoutineBuilder {
        let name = self.program.routines[routine.index()].name.clone();
        let mut body = RoutineBuilder::new(routine, name, mode);
        for _ in 0..Reg::CONTEXT {
            body.new_local(Ty::Entity);
        }
        body.locals[Reg::EVENT.0 as usize] = Ty::Event(None);
        std::mem::replace(&mut self.body, body)
    }

    fn add_param(&mut self, name: &str, ty: Ty) -> Reg {
        let reg = self.body.new_local(ty.clone());
        self.body.params += 1;
        self.body.bind(name, reg, ty);
        reg
    }

    /// Finishes the current routine and appends its code to the program. Returns the position of its first
    /// instruction.
    fn finish_routine(&mut self, outer: RoutineBuilder) -> u32 {
        let mut body = std::mem::replace(&mut self.body, outer);
        body.number_temporaries();
        let offset = self.program.code.len() as u32;
        for instr in &mut body.code {
            if let Some(to) = instr.target_mut() {
                *to += offset;
            }
        }
        for at in std::mem::take(&mut body.phase_blocks) {
            if let Some(block) = self.program.phase_blocks.get_mut(at) {
                block.start += offset;
                block.end += offset;
            }
        }
        for choice in &body.path_choices {
            let choice = self.program.choices.get_mut(choice.index());
            let Some(choice) = choice else { continue };
            choice.next.iter_mut().for_each(|next| next.entry += offset);
            choice.texts.iter_mut().for_each(|texts| texts.entry += offset);
            choice.tests.iter_mut().for_each(|tests| tests.entry += offset);
        }
        for (at, span) in &body.spans {
            let location = self.source_location(*span);
            self.program.locations.push((offset + at, location));
        }
        let registers = body.register_count();
        if (registers > routine_builder::MAX_REGISTERS || body.too_long)
            && let Some((_, span)) = body.spans.first()
        {
            let span = *span;
            self.report_error("E-LIMIT", span, "this rule is too long; split it into several");
        }
        let locals = body.locals.iter().map(|ty| self.type_id(ty)).collect();
        self.program.code.append(&mut body.code);
        let routine = &mut self.program.routines[body.routine.index()];
        routine.entry = offset;
        routine.params = body.params;
        routine.locals = locals;
        routine.registers = registers.min(usize::from(u16::MAX)) as u16;
        routine.pure = body.mode == CodeMode::Pure;
        offset
    }

    /// Compiles a pure function: parameters, and one expression of the expected type.
    fn compile_function(
        &mut self,
        name: &str,
        params: &[(&str, Ty)],
        node: &SourceNode,
        wanted: &Ty,
    ) -> RoutineId {
        let routine = self.reserve_routine(name);
        let outer = self.begin_routine(routine, CodeMode::Pure);
        for (name, ty) in params {
            self.add_param(name, ty.clone());
        }
        let value = self.node_as(node, wanted);
        self.emit(Instr::Return { value });
        self.finish_routine(outer);
        routine
    }

    fn source_location(&self, span: Span) -> SourceLocation {
        let (line, _) = self.sources.line_column(span.file, span.start);
        SourceLocation { file: span.file.0, line }
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.body.emit(instr)
    }

    /// Loads a constant into a new temporary.
    fn constant(&mut self, word: Word) -> Reg {
        let dst = self.body.new_temp();
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

    fn intern_symbol(&mut self, name: &str) -> Symbol {
        self.symbols.intern(name)
    }

    fn mark_used(&mut self, category: &str, name: &str) {
        self.usage.used.insert(format!("{category}.{name}"));
    }

    fn is_used(&self, category: &str, name: &str) -> bool {
        self.usage.used.contains(&format!("{category}.{name}"))
    }
}
