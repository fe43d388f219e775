//! Layout of an observation.

use std::sync::Arc;

use intermezzo_training::{Column, ColumnKind, Encoding, Section};
use pyo3::prelude::*;

use crate::ruleset::PyRuleset;

/// Layout of an observation.
#[pyclass(name = "Encoding", module = "intermezzo", frozen)]
#[derive(Clone)]
pub(crate) struct PyEncoding {
    pub(crate) encoding: Arc<Encoding>,
    pub(crate) ruleset: PyRuleset,
}

/// Name, start, number of rows, and columns (name, meaning, size) of a section.
type SectionTuple = (&'static str, usize, usize, Vec<(String, &'static str, usize)>);

#[pymethods]
impl PyEncoding {
    /// The length of an observation.
    #[getter]
    fn observation_size(&self) -> usize {
        self.encoding.len()
    }

    /// The number of actions. Actions are numbers below it.
    #[getter]
    fn max_actions(&self) -> usize {
        self.encoding.sizes().moves
    }

    /// The number of rows for entities.
    #[getter]
    fn max_entities(&self) -> usize {
        self.encoding.sizes().entities
    }

    /// Returns the sections of an observation as plain data.
    fn _sections(&self) -> Vec<SectionTuple> {
        self.encoding.sections().into_iter().map(section_tuple).collect()
    }

    /// Returns the meaning of each index in the column with this name. None if the column has no indices, or if they
    /// refer to players or entities.
    fn names(&self, column: &str) -> Option<Vec<String>> {
        let program = &self.ruleset.program;
        let symbol = |symbol| program.symbol(symbol).to_owned();
        // Index 0 stands for none.
        let after_none = |names: Vec<String>| Some(std::iter::once(String::new()).chain(names).collect());
        match column {
            "kind" => Some(program.kinds.iter().map(|kind| kind.name.clone()).collect()),
            "def" => after_none(program.defs.iter().map(|def| symbol(def.name)).collect()),
            "question" => after_none(program.choices.iter().map(|choice| choice.name.clone()).collect()),
            "action" => after_none(program.actions.iter().map(|action| symbol(action.name)).collect()),
            "name" => after_none(program.symbols.clone()),
            "zone" => after_none(program.zones.iter().map(|zone| symbol(zone.name)).collect()),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        let sizes = self.encoding.sizes();
        let (id, len) = (&self.ruleset.program.id, self.encoding.len());
        format!("<Encoding of {id}: {len} numbers, {} actions, {} entities>", sizes.moves, sizes.entities)
    }
}

fn section_tuple(section: &Section) -> SectionTuple {
    (section.name, section.start, section.rows, section.columns.iter().map(column_tuple).collect())
}

fn column_tuple(column: &Column) -> (String, &'static str, usize) {
    let (meaning, size) = match column.meaning {
        ColumnKind::Flag => ("flag", 2),
        ColumnKind::Number => ("number", 0),
        ColumnKind::Index(size) => ("index", size),
    };
    (column.name.clone(), meaning, size)
}
