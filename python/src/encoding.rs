//! Which number of an observation is what.

use std::sync::Arc;

use intermezzo_rehearsal::{Column, Encoding, Meaning, Section};
use pyo3::prelude::*;

use crate::ruleset::PyRuleset;

/// Which number of an observation is what.
#[pyclass(name = "Encoding", module = "intermezzo", frozen)]
#[derive(Clone)]
pub(crate) struct PyEncoding {
    pub(crate) encoding: Arc<Encoding>,
    pub(crate) ruleset: PyRuleset,
}

/// Name, first number, rows, and the columns: name, meaning and size of each.
type SectionTuple = (&'static str, usize, usize, Vec<(String, &'static str, usize)>);

#[pymethods]
impl PyEncoding {
    /// How many numbers an observation has.
    #[getter]
    fn observation_size(&self) -> usize {
        self.encoding.len()
    }

    /// Actions are numbers below this.
    #[getter]
    fn max_actions(&self) -> usize {
        self.encoding.sizes().moves
    }

    /// How many entities have rows.
    #[getter]
    fn max_entities(&self) -> usize {
        self.encoding.sizes().entities
    }

    /// The parts of an observation as plain data.
    fn _sections(&self) -> Vec<SectionTuple> {
        self.encoding.sections().into_iter().map(tuple).collect()
    }

    /// What an index in a column stands for, by the name of the column; None where that depends on the position.
    fn names(&self, column: &str) -> Option<Vec<String>> {
        let program = &self.ruleset.program;
        let symbol = |symbol| program.symbol(symbol).to_owned();
        let none = || vec![String::new()];
        let with = |names: Vec<String>| Some(none().into_iter().chain(names).collect());
        match column {
            "kind" => Some(program.kinds.iter().map(|kind| kind.name.clone()).collect()),
            "def" => with(program.defs.iter().map(|def| symbol(def.name)).collect()),
            "question" => with(program.choices.iter().map(|choice| choice.name.clone()).collect()),
            "action" => with(program.actions.iter().map(|action| symbol(action.name)).collect()),
            "name" => with(program.symbols.clone()),
            "zone" => with(program.zones.iter().map(|zone| symbol(zone.name)).collect()),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        let sizes = self.encoding.sizes();
        let (id, len) = (&self.ruleset.program.id, self.encoding.len());
        format!("<Encoding of {id}: {len} numbers, {} actions, {} entities>", sizes.moves, sizes.entities)
    }
}

fn tuple(section: &Section) -> SectionTuple {
    (section.name, section.start, section.rows, section.columns.iter().map(column).collect())
}

fn column(column: &Column) -> (String, &'static str, usize) {
    let (meaning, size) = match column.meaning {
        Meaning::Flag => ("flag", 2),
        Meaning::Number => ("number", 0),
        Meaning::Index(size) => ("index", size),
    };
    (column.name.clone(), meaning, size)
}
