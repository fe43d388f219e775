//! Why this number: what a value was before modifiers, what each of them made of it, and what it is.
//!
//! Start with [`Match::explain`]. A question is computed once more on a copy of
//! the board, and every modified property and chain that is read on the way is
//! written down.

use intermezzo_ruleset::{FaultCode, NULL, Place, Program, PropId, Reg, RoutineId, Type, TypeId, Word, word};

use crate::board::Board;
use crate::core::Core;
use crate::datum::{Datum, describe};
use crate::input::Fault;
use crate::play::Match;

/// How a value came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// What was asked for.
    pub subject: Explained,
    /// The value before any modifier.
    pub base: Datum,
    /// The modifiers in force, in the order they apply.
    pub steps: Vec<Contribution>,
    /// The value in the end.
    pub value: Datum,
    /// It was needed for the explanation before it that has one less; 0 for what was asked itself.
    pub depth: usize,
}

/// What an explanation is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Explained {
    /// A property of an entity.
    Property {
        /// The entity: its def and number (`captain #7`), or `p0` for a player.
        entity: String,
        /// The property.
        prop: String,
    },
    /// A chain.
    Chain {
        /// Its name.
        name: String,
    },
}

/// What one modifier made of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contribution {
    /// The modifier's id, or what it belongs to.
    pub name: String,
    /// Where it is declared.
    pub place: Option<Place>,
    /// The entity it comes from (`captain #7`, `polished #9 on plain #3`); none if it is a rule of the game.
    pub source: Option<String>,
    /// The value that was there.
    pub before: Datum,
    /// The value it gave.
    pub after: Datum,
}

/// The same in words, while it is being computed.
#[derive(Clone, Debug)]
pub(crate) struct Traced {
    pub(crate) subject: Subject,
    pub(crate) base: Word,
    pub(crate) steps: Vec<(u16, Word, Word, Word)>,
    pub(crate) value: Word,
    depth: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    Property { entity: Word, prop: PropId },
    Chain { chain: u16 },
}

/// What is written down while a question is computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) traced: Vec<Traced>,
    /// Those under way, innermost last.
    open: Vec<usize>,
    /// Entities whose modifiers do not count.
    left_out: Vec<Word>,
}

impl Trace {
    /// A trace of what would be if these entities modified nothing.
    pub(crate) fn without(left_out: Vec<Word>) -> Trace {
        Trace { left_out, ..Trace::default() }
    }

    pub(crate) fn leaves_out(&self, source: Word) -> bool {
        self.left_out.contains(&source)
    }

    pub(crate) fn begin(&mut self, subject: Subject, base: Word) {
        self.open.push(self.traced.len());
        let depth = self.open.len() - 1;
        self.traced.push(Traced { subject, base, steps: Vec::new(), value: base, depth });
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
    /// The value of a function without parameters, and how each modified value in it came about.
    ///
    /// # Errors
    ///
    /// If the function fails.
    pub fn explain(&self, routine: RoutineId, ty: TypeId) -> Result<(Datum, Vec<Explanation>), Fault> {
        self.traced(ty, |core| core.evaluate(routine, NULL, &[]))
    }

    /// How the property of an entity came by its value. The first explanation is the answer; others are about values
    /// it needed.
    ///
    /// # Errors
    ///
    /// If the entity does not exist or has no such property, or a rule fails.
    pub fn explain_property(&self, entity: Word, name: &str) -> Result<(Datum, Vec<Explanation>), Fault> {
        let found = self.board.entity(entity).and_then(|entity| {
            let name = self.program.symbol_named(name)?;
            self.program.prop_of(entity.kind, name)
        });
        let Some(prop) = found else {
            return self.traced(TypeId(0), |_| Err(FaultCode::NoSuchProperty));
        };
        let declared = &self.program.props[prop.index()];
        self.traced(declared.ty, |core| match declared.derived {
            Some(routine) => core.evaluate(routine, NULL, &[entity]),
            None => core.modified(entity, prop),
        })
    }

    /// How all properties that modifiers could change came by their values: the number of each entity (`#7`, or `p0`), and
    /// the explanation. Those whose rules fail are left out.
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

    /// What a chain makes of a record with these fields, in the order of their declaration.
    ///
    /// # Errors
    ///
    /// If there is no such chain, the record does not fit it, or a rule fails.
    pub fn explain_chain(&self, name: &str, fields: &[Word]) -> Result<(Datum, Vec<Explanation>), Fault> {
        let chains = &self.program.chains;
        let found = chains.iter().position(|chain| self.program.symbol(chain.name) == name);
        let Some((chain, ty)) = found.and_then(|at| Some((at as u16, chain_type(&self.program, at)?))) else {
            return self.traced(TypeId(0), |_| Err(FaultCode::Missing));
        };
        self.traced(ty, |core| match core.program.types.get(ty.index()) {
            Some(Type::Record(types)) if types.len() == fields.len() => {
                let record = core.board.heap.new_record(fields)?;
                core.chained(record, chain)
            }
            _ => Err(FaultCode::NoSuchProperty),
        })
    }

    /// The entity of that number, if it exists.
    #[must_use]
    pub fn entity_numbered(&self, number: u32) -> Option<Word> {
        let row = self.board.rows.get(number as usize)?;
        row.alive.then(|| word::entity(row.generation, number))
    }

    fn traced(
        &self,
        ty: TypeId,
        work: impl FnOnce(&mut Core<'_>) -> Result<Word, FaultCode>,
    ) -> Result<(Datum, Vec<Explanation>), Fault> {
        let (value, board, trace) = self.compute(true, work)?;
        let value = describe(&self.program, &board, value, ty);
        let traced = trace.traced.iter().map(|traced| explanation(&self.program, &board, traced));
        Ok((value, traced.collect()))
    }
}

/// The type of a chain's record, which its modifiers know.
fn chain_type(program: &Program, chain: usize) -> Option<TypeId> {
    let modifier = program.chains.get(chain)?.stages.iter().flatten().next()?;
    let change = program.modifiers.get(usize::from(*modifier))?.change;
    program.routines.get(change.index())?.locals.get(usize::from(Reg::CONTEXT)).copied()
}

fn explanation(program: &Program, board: &Board, traced: &Traced) -> Explanation {
    let (subject, ty) = match traced.subject {
        Subject::Property { entity, prop } => {
            let declared = &program.props[prop.index()];
            let prop = program.symbol(declared.name).to_owned();
            (Explained::Property { entity: named(program, board, entity), prop }, Some(declared.ty))
        }
        Subject::Chain { chain } => {
            let name = program.symbol(program.chains[usize::from(chain)].name).to_owned();
            (Explained::Chain { name }, chain_type(program, usize::from(chain)))
        }
    };
    let show = |value: Word| ty.map_or(Datum::Null, |ty| describe(program, board, value, ty));
    let step = |(number, source, before, after): &(u16, Word, Word, Word)| {
        let modifier = &program.modifiers[usize::from(*number)];
        let routine = program.routines.get(modifier.change.index());
        Contribution {
            name: modifier.name.clone(),
            place: routine.and_then(|routine| program.place(routine.entry)),
            source: (*source != NULL).then(|| named(program, board, *source)),
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

fn named(program: &Program, board: &Board, entity: Word) -> String {
    if board.is_player(entity) {
        return format!("p{}", word::seat(entity).0);
    }
    if entity == word::MATCH {
        return "match".to_owned();
    }
    let Some(found) = board.entity(entity) else { return "something gone".to_owned() };
    let def = program.defs.get(usize::from(found.def)).map_or("", |def| program.symbol(def.name));
    let own = format!("{def} #{}", word::row(entity));
    match found.host {
        NULL => own,
        host => format!("{own} on {}", named(program, board, host)),
    }
}
