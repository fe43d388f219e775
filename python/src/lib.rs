//! Intermezzo for Python. What users see of it is in `python/intermezzo/__init__.py`; this is what needs to be quick.
//!
//! [`PyRuleset`](ruleset::PyRuleset) loads, [`PyMatch`](game::PyMatch) plays one match answer by answer,
//! [`PyBatch`](batch::PyBatch) steps many.

mod batch;
// The rulesets that the command line comes with come with the package, too.
#[path = "../../crates/cli/src/bundled.rs"]
mod bundled;
mod data;
mod encoding;
mod errors;
mod game;
mod ruleset;

/// What `intermezzo` is made of.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::batch::PyBatch;
    #[pymodule_export]
    use crate::encoding::PyEncoding;
    #[pymodule_export]
    use crate::game::{PyAnswer, PyBot, PyMatch};
    #[pymodule_export]
    use crate::ruleset::PyRuleset;
}
