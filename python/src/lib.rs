//! Native part of the `intermezzo` Python package.
//!
//! [`PyRuleset`](ruleset::PyRuleset) loads rulesets, [`PyMatch`](match_instance::PyMatch) plays one match answer by
//! answer, and [`PyBatch`](batch::PyBatch) steps many matches. `python/intermezzo/__init__.py` is the public API.

mod answer;
mod batch;
mod bot;
// The package contains the same rulesets as the command line program.
#[path = "../../crates/cli/src/bundled.rs"]
mod bundled;
mod data;
mod encoding;
mod errors;
mod match_instance;
mod ruleset;

/// Native classes of the `intermezzo` package.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::answer::PyAnswer;
    #[pymodule_export]
    use crate::batch::PyBatch;
    #[pymodule_export]
    use crate::bot::PyBot;
    #[pymodule_export]
    use crate::encoding::PyEncoding;
    #[pymodule_export]
    use crate::match_instance::PyMatch;
    #[pymodule_export]
    use crate::ruleset::PyRuleset;
}
