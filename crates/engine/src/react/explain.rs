//! Explanations of values: the value before modifiers, the effect of each modifier, and the result.
//!
//! Start with [`Match::explain`]. It evaluates once more on a copy of the board and traces every modified
//! property and chain that is read on the way.

use intermezzo_program::{
    FaultCode, NULL, Program, PropId, Reg, RoutineId, SourceLocation, Type, TypeId, Word, word,
};

use crate::ask::input::RuleFault;
use crate::run::evaluator::Evaluator;
use crate::run::match_instance::Match;
use crate::storage::board::Board;
use crate::values::datum::{Datum, describe};

/// The derivation of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    pub subject: ExplanationSubject,
    /// The value before any modifier.
    pub base: Datum,
    /// The active modifiers, in the order they apply.
    pub steps: Vec<Contribution>,
    /// The final value.
    pub value: Datum,
    /// Nesting level. 0 is the requested value; a deeper one was needed for the explanation before it that is one
    /// level up.
    pub depth: usize,
}

/// The subject of an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExplanationSubject {
    /// A property of an entity.
    Property {
        /// The entity: its def and number (`captain #7`), or `p0` for a player.
        entity: String,
        prop: String,
    },
    /// A chain.
    Chain { name: String },
}

/// The effect of one modifier on a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contribution {
    /// The modifier's id, or what it belongs to.
    pub name: String,
    /// The declaration.
    pub place: Option<SourceLocation>,
    /// The entity it comes from (`captain #7`, `polished #9 on plain #3`); none if it is a rule of the game.
    pub source: Option<String>,
    pub before: Datum,
    pub after: Datum,
}

/// An explanation in machine words, while it is being computed.
#[derive(Clone, Debug)]
pub(crate) struct TracedValue {
    pub(crate) subject: TraceSubject,
    pub(crate) base: Word,
    pub(crate) steps: Vec<(u16, Word, Word, Word)>,
    pub(crate) value: Word,
    depth: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TraceSubject {
    Property { entity: Word, prop: PropId },
    Chain { chain: u16 },
}

/// The trace of an evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) traced: Vec<TracedValue>,
    /// Indices of the unfinished ones, innermost last.
    open: Vec<usize>,
    /// Entities whose modifiers are ignored.
    left_out: Vec<Word>,
}

impl Trace {
    /// Creates a trace in which the modifiers of these entities are ignored.
    pub(crate) fn without(left_out: Vec<Word>) -> Trace {
        Trace { left_out, ..Trace::default() }
    }

    pub(crate) fn leaves_out(&self, source: Word) -> bool {
        self.left_out.contains(&source)
    }

    pub(crate) fn begin(&mut self, subject: TraceSubject, base: Word) {
        self.open.push(self.traced.len());
        let depth = self.open.len() - 1;
        self.traced.push(TracedValue { subject, base, steps: Vec::new(), value: base, depth });
    }

    pub(crate) fn step(&mut self, modifier: u16, source: Word, before: Word, after: Word) {
        if let Some(open) = self.open.last() {
            let traced = &mut self.traced[*open];
            traced.steps.push((modifier, source, before, after));
            traced.value = after;
        }
    }

    pub(crate) fn end(&mut self) {
        self.open.pop();
    }
}

impl Match {
    /// Evaluates a function without parameters and explains each modified value in it.
    ///
    /// # Errors
    ///
    /// Returns an error if the function fails.
    pub fn explain(&self, routine: RoutineId, ty: TypeId) -> Result<(Datum, Vec<Explanation>), RuleFault> {
        self.explain_with(ty, |core| core.evaluate(routine, NULL, &[]))
    }

    /// Explains the value of an entity's property. The first explanation is the answer; the others are about values
    /// it needed.
    ///
    /// # Errors
    ///
    /// Returns an error if the entity does not exist or has no such property, or a rule fails.
    pub fn explain_property(&self, entity: Word, name: &str) -> Result<(Datum, Vec<Explanation>), RuleFault> {
        let found = self.board.entity(entity).and_then(|entity| {
            let name = self.program.symbol_named(name)?;
            self.program.prop_of(entity.kind, name)
        });
        let Some(prop) = found else {
            return self.explain_with(TypeId(0), |_| Err(FaultCode::NoSuchProperty));
        };
        let declared = &self.program.props[prop.index()];
        self.explain_with(declared.ty, |core| match declared.derived {
            Some(routine) => core.evaluate(routine, NULL, &[entity]),
            None => core.modified_value(entity, prop),
        })
    }

    /// Explains all properties that modifiers could change. Returns the number of each entity (`#7`, or `p0`) with
    /// the explanation. Omits properties whose rules fail.
    #[must_use]
    pub fn modified_values(&self) -> Vec<(String, Explanation)> {
        let mut found = Vec::new();
        for (row, entity) in self.board.rows.iter().enumerate().filter(|(_, entity)| entity.alive) {
            let reference = word::entity(entity.generation, row as u32);
            for prop in &self.program.kinds[entity.kind.index()].props {
                let prop = &self.program.props[prop.index()];
                if prop.modifiers.is_empty() {
                    continue;
                }
                let explained = self.explain_property(reference, self.program.symbol(prop.name));
                let number = match row {
                    0 => "match".to_owned(),
                    _ if self.board.is_player(reference) => format!("p{}", word::seat(reference).0),
                    row => format!("#{row}"),
                };
                let first = explained.ok().and_then(|(_, all)| all.into_iter().next());
                found.extend(first.map(|explanation| (number, explanation)));
            }
        }
        found
    }

    /// Explains the effect of a chain on a record with these fields, in the order of their declaration.
    ///
    /// # Errors
    ///
    /// Returns an error if no such chain exists, the record does not fit it, or a rule fails.
    pub fn explain_chain(&self, name: &str, fields: &[Word]) -> Result<(Datum, Vec<Explanation>), RuleFault> {
        let chains = &self.program.chains;
        let found = chains.iter().position(|chain| self.program.symbol(chain.name) == name);
        let Some((chain, ty)) = found.and_then(|at| Some((at as u16, chain_type(&self.program, at)?))) else {
            return self.explain_with(TypeId(0), |_| Err(FaultCode::Missing));
        };
        self.explain_with(ty, |core| match core.program.types.get(ty.index()) {
            Some(Type::Record(types)) if types.len() == fields.len() => {
                let record = core.board.heap.new_record(fields)?;
                core.apply_chain(record, chain)
            }
            _ => Err(FaultCode::NoSuchProperty),
        })
    }

    /// Returns the entity of that number, if it exists.
    #[must_use]
    pub fn entity_numbered(&self, number: u32) -> Option<Word> {
        let row = self.board.rows.get(number as usize)?;
        row.alive.then(|| word::entity(row.generation, number))
    }

    fn explain_with(
        &self,
        ty: TypeId,
        work: impl FnOnce(&mut Evaluator<'_>) -> Result<Word, FaultCode>,
    ) -> Result<(Datum, Vec<Explanation>), RuleFault> {
        let (value, board, trace) = self.compute(true, work)?;
        let value = describe(&self.program, &board, value, ty);
        let traced = trace.traced.iter().map(|traced| explanation(&self.program, &board, traced));
        Ok((value, traced.collect()))
    }
}

/// Returns the type of a chain's record, taken from its modifiers.
fn chain_type(program: &Program, chain: usize) -> Option<TypeId> {
    let modifier = program.chains.get(chain)?.stages.iter().flatten().next()?;
    let change = program.modifiers.get(usize::from(*modifier))?.change;
    program.routines.get(change.index())?.locals.get(usize::from(Reg::CONTEXT)).copied()
}

fn explanation(program: &Program, board: &Board, traced: &TracedValue) -> Explanation {
    let (subject, ty) = match traced.subject {
        TraceSubject::Property { entity, prop } => {
            let declared = &program.props[prop.index()];
            let prop = program.symbol(declared.name).to_owned();
            (
                ExplanationSubject::Property { entity: entity_label(program, board, entity), prop },
                Some(declared.ty),
            )
        }
        TraceSubject::Chain { chain } => {
            let name = program.symbol(program.chains[usize::from(chain)].name).to_owned();
            (ExplanationSubject::Chain { name }, chain_type(program, usize::from(chain)))
        }
    };
    let show = |value: Word| ty.map_or(Datum::Null, |ty| describe(program, board, value, ty));
    let step = |(number, source, before, after): &(u16, Word, Word, Word)| {
        let modifier = &program.modifiers[usize::from(*number)];
        let routine = program.routines.get(modifier.change.index());
        Contribution {
            name: modifier.name.clone(),
            place: routine.and_then(|routine| program.location(routine.entry)),
            source: (*source != NULL).then(|| entity_label(program, board, *source)),
            before: show(*before),
            after: show(*after),
        }
    };
    Explanation {
        subject,
        base: show(traced.base),
        steps: traced.steps.iter().map(step).collect(),
        value: show(traced.value),
        depth: traced.depth,
    }
}

fn entity_label(program: &Program, board: &Board, entity: Word) -> String {
    if board.is_player(entity) {
        return format!("p{}", word::seat(entity).0);
    }
    if entity == word::MATCH {
        return "match".to_owned();
    }
    let Some(found) = board.entity(entity) else { return "a removed entity".to_owned() };
    let def = program.defs.get(usize::from(found.def)).map_or("", |def| program.symbol(def.name));
    let own = format!("{def} #{}", word::row(entity));
    match found.host {
        NULL => own,
        host => format!("{own} on {}", entity_label(program, board, host)),
    }
}
