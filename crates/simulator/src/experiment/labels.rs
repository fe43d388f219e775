//! Entities by def and label, as players tell them apart.

use intermezzo_engine::Board;
use intermezzo_program::{DefId, NULL, Program, Symbol, TextId, Type, TypeId, Word};

/// All entities that are made from one def and have the same label, if the ruleset has labels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EntityLabel {
    pub def: DefId,
    /// Value of the property that `ui.label` names; null without a label.
    pub label: Word,
}

impl EntityLabel {
    /// Returns the name in reports: the label, or else the def.
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

    /// Returns the name of the def.
    #[must_use]
    pub fn printed(self, program: &Program) -> &str {
        program.symbol(program.defs[self.def.index()].name)
    }
}

/// Column of the label, by def.
#[derive(Clone, Debug)]
pub(crate) struct LabelColumns(Vec<Option<u16>>);

impl LabelColumns {
    pub(crate) fn new(program: &Program) -> LabelColumns {
        let defs = (0..program.defs.len()).map(|def| DefId(def as u16));
        LabelColumns(defs.map(|def| label_of(program, def).map(|(column, _)| column)).collect())
    }

    /// Returns the label of an entity; `None` for players and the match.
    pub(crate) fn thing(&self, board: &Board, entity: Word) -> Option<EntityLabel> {
        let def = board.def(entity)?;
        let column = self.0.get(def.index()).copied().flatten();
        let label = column.and_then(|column| board.column(entity, column)).unwrap_or(NULL);
        Some(EntityLabel { def, label })
    }
}

/// Returns the column and type of a def's label, if it is a plain name, number or text.
fn label_of(program: &Program, def: DefId) -> Option<(u16, TypeId)> {
    let prop = program.prop_of(program.defs[def.index()].kind, program.label?)?;
    let prop = &program.props[prop.index()];
    let is_plain =
        matches!(program.types[prop.ty.index()], Type::Int | Type::Text | Type::Symbol | Type::Enum(_));
    (prop.derived.is_none() && is_plain).then_some((prop.column, prop.ty))
}
