//! What players act with: things, told apart as the ruleset tells them apart.

use intermezzo_engine::Board;
use intermezzo_ruleset::{DefId, NULL, Program, Symbol, TextId, Type, TypeId, Word};

/// A sort of thing: all that are made from one def and have the same label, if the ruleset has labels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Thing {
    /// The def.
    pub def: DefId,
    /// The value of the property that names things for people (`ui.label`); null without.
    pub label: Word,
}

impl Thing {
    /// What reports call it: its label, else its def.
    #[must_use]
    pub fn name(self, program: &Program) -> String {
        let Some((_, ty)) = label_of(program, self.def).filter(|_| self.label != NULL) else {
            return self.printed(program).to_owned();
        };
        match program.types[ty.index()] {
            Type::Int => self.label.to_string(),
            Type::Text => program.texts[TextId(self.label as u32).index()].clone(),
            _ => program.symbol(Symbol(self.label as u32)).to_owned(),
        }
    }

    /// The name of its def.
    #[must_use]
    pub fn printed(self, program: &Program) -> &str {
        program.symbol(program.defs[self.def.index()].name)
    }
}

/// Per def: where the label is stored.
#[derive(Clone, Debug)]
pub(crate) struct Labels(Vec<Option<u16>>);

impl Labels {
    pub(crate) fn new(program: &Program) -> Labels {
        let defs = (0..program.defs.len()).map(|def| DefId(def as u16));
        Labels(defs.map(|def| label_of(program, def).map(|(column, _)| column)).collect())
    }

    /// The sort of an entity; nothing for players and the match.
    pub(crate) fn thing(&self, board: &Board, entity: Word) -> Option<Thing> {
        let def = board.def(entity)?;
        let column = self.0.get(def.index()).copied().flatten();
        let label = column.and_then(|column| board.column(entity, column)).unwrap_or(NULL);
        Some(Thing { def, label })
    }
}

/// The column and type of the label of things made from a def, if it is a plain name, number or text.
fn label_of(program: &Program, def: DefId) -> Option<(u16, TypeId)> {
    let prop = program.prop_of(program.defs[def.index()].kind, program.label?)?;
    let prop = &program.props[prop.index()];
    let is_plain =
        matches!(program.types[prop.ty.index()], Type::Int | Type::Text | Type::Symbol | Type::Enum(_));
    (prop.derived.is_none() && is_plain).then_some((prop.column, prop.ty))
}
