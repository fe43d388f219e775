//! Compiled rulesets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_compiler::{Ruleset, Severity, render};
use intermezzo_engine::{Board, Datum, Seed, Setup, ShortText};
use intermezzo_matchfile::MatchFile;
use intermezzo_program::Program;
use intermezzo_training::{Encoding, EncodingSizes, Moves};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::bundled::BUNDLED;
use crate::encoding::PyEncoding;
use crate::match_instance::PyMatch;
use crate::{data, errors};

/// Ruleset without errors, with the options of its matches.
#[pyclass(name = "Ruleset", module = "intermezzo", frozen)]
#[derive(Clone)]
pub(crate) struct PyRuleset {
    pub(crate) program: Arc<Program>,
    pub(crate) options: Vec<(ShortText, Datum)>,
    warnings: String,
}

#[pymethods]
impl PyRuleset {
    /// Loads a ruleset from a folder or a file, or a bundled ruleset by name.
    #[staticmethod]
    #[pyo3(signature = (path_or_name, options=None))]
    fn load(
        py: Python<'_>,
        path_or_name: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRuleset> {
        let ruleset = read_ruleset(py, &path_or_name)?;
        PyRuleset::compile(py, &ruleset, options)
    }

    /// Compiles a ruleset from file names and their contents.
    #[staticmethod]
    #[pyo3(signature = (files, options=None))]
    fn from_files(
        py: Python<'_>,
        files: &Bound<'_, PyDict>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRuleset> {
        let mut texts = Vec::new();
        for (name, text) in files.iter() {
            texts.push((name.extract::<String>()?, text.extract::<String>()?.into_bytes()));
        }
        PyRuleset::compile(py, &Ruleset::from_files(&texts), options)
    }

    /// Returns the names of the bundled rulesets.
    #[staticmethod]
    fn bundled() -> Vec<&'static str> {
        BUNDLED.iter().map(|bundled| bundled.name).collect()
    }

    /// The id, such as `mages`.
    #[getter]
    fn id(&self) -> &str {
        &self.program.id
    }

    /// The display name.
    #[getter]
    fn name(&self) -> &str {
        &self.program.name
    }

    /// The version.
    #[getter]
    fn version(&self) -> &str {
        &self.program.version
    }

    /// The minimum, maximum and default number of seats.
    #[getter]
    fn seats(&self) -> (u8, u8, u8) {
        let seats = self.program.seats;
        (seats.min, seats.max, seats.default)
    }

    /// A description of the first thing hidden from some player. None if every player always sees everything.
    #[getter]
    fn hidden(&self) -> Option<String> {
        self.program.first_hidden_element().map(|element| element.to_string())
    }

    /// The warnings of the compiler as text.
    #[getter]
    fn warnings(&self) -> &str {
        &self.warnings
    }

    /// The description of each match option, by name. None for an option without one.
    #[getter]
    fn option_texts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for option in &self.program.options {
            let text = option.text.and_then(|text| self.program.texts.get(text.index()));
            dict.set_item(self.program.symbol(option.name), text)?;
        }
        Ok(dict)
    }

    /// Starts a match. These options take precedence over those of the ruleset.
    #[pyo3(name = "match", signature = (seed=0, seats=None, options=None))]
    fn start_match(
        &self,
        py: Python<'_>,
        seed: u64,
        seats: Option<u8>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyMatch> {
        PyMatch::start(py, self.clone(), self.setup(seed, seats, options)?)
    }

    /// Verifies a saved match and returns it, after all inputs or only the first `inputs`.
    #[pyo3(signature = (text, inputs=None))]
    fn replay(&self, py: Python<'_>, text: &str, inputs: Option<u32>) -> PyResult<PyMatch> {
        let file = MatchFile::parse(text.as_bytes()).map_err(|error| errors::replay_error(py, error))?;
        file.verify(&self.program).map_err(|mismatch| errors::replay_error(py, mismatch))?;
        let setup = file.setup(&self.program).map_err(|mismatch| errors::replay_error(py, mismatch))?;
        let mut game = PyMatch::start(py, self.clone(), setup)?;
        for entry in file.inputs.iter().take(inputs.map_or(usize::MAX, |inputs| inputs as usize)) {
            let input = entry.input.to_input(&self.program);
            game.submit(py, input.map_err(|problem| errors::replay_error(py, problem))?)?;
        }
        Ok(game)
    }

    /// Returns the layout of observations. Sizes that are not given are measured in random matches.
    #[pyo3(signature = (seats=None, max_actions=None, max_entities=None))]
    pub(crate) fn encoding(
        &self,
        py: Python<'_>,
        seats: Option<u8>,
        max_actions: Option<usize>,
        max_entities: Option<usize>,
    ) -> PyResult<PyEncoding> {
        let setup = self.setup(0, seats, None)?;
        if max_actions.is_some_and(|count| count < Moves::MIN_WIDTH) {
            return Err(errors::value_error(format!("max_actions must be at least {}", Moves::MIN_WIDTH)));
        }
        let sizes = match (max_actions, max_entities) {
            (Some(moves), Some(entities)) => Ok(EncodingSizes { moves, entities }),
            _ => py.detach(|| EncodingSizes::probed(&self.program, &setup)),
        };
        let probed = sizes.map_err(|error| errors::start_error(py, &error))?;
        let sizes = EncodingSizes {
            moves: max_actions.unwrap_or(probed.moves),
            entities: max_entities.unwrap_or(probed.entities),
        };
        Ok(PyEncoding {
            encoding: Arc::new(Encoding::new(&self.program, setup.seats, sizes)),
            ruleset: self.clone(),
        })
    }

    fn __repr__(&self) -> String {
        format!("<Ruleset {} {}>", self.program.id, self.program.version)
    }
}

impl PyRuleset {
    fn compile(
        py: Python<'_>,
        ruleset: &Ruleset,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRuleset> {
        let compiled = py.detach(|| ruleset.compile());
        let Some(program) = compiled.program else {
            let is_error = |severity| severity == Severity::Error;
            let errors: Vec<_> =
                compiled.diagnostics.into_iter().filter(|diagnostic| is_error(diagnostic.severity)).collect();
            return Err(errors::compile_error(py, &errors, ruleset.sources()));
        };
        let warnings = render(&compiled.diagnostics, ruleset.sources(), false);
        let options = options.map(data::entries).transpose()?.unwrap_or_default();
        let loaded = PyRuleset { program: Arc::new(program), options, warnings };
        let setup = loaded.setup(0, None, None)?;
        Board::new(&loaded.program, &setup).map_err(|error| errors::start_error(py, &error))?;
        Ok(loaded)
    }

    /// Returns the ruleset with other options.
    pub(crate) fn with_options(&self, options: Vec<(ShortText, Datum)>) -> PyRuleset {
        PyRuleset { options, ..self.clone() }
    }

    /// Returns the setup of a match.
    pub(crate) fn setup(
        &self,
        seed: u64,
        seats: Option<u8>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Setup> {
        let mut all = options.map(data::entries).transpose()?.unwrap_or_default();
        let defaults = self.options.iter().filter(|(name, _)| all.iter().all(|(other, _)| other != name));
        let defaults: Vec<(ShortText, Datum)> = defaults.cloned().collect();
        all.extend(defaults);
        let seats = seats.unwrap_or(self.program.seats.default);
        Ok(Setup { seats, options: all, seed: Seed::from_number(seed), script: None })
    }
}

/// Reads a ruleset from a path, or a bundled ruleset by name.
fn read_ruleset(py: Python<'_>, path: &Path) -> PyResult<Ruleset> {
    if path.exists() {
        return Ruleset::load(path).map_err(|error| errors::ruleset_error(py, error));
    }
    let bundled = BUNDLED.iter().find(|bundled| Some(bundled.name) == path.to_str());
    let files = bundled.map(|bundled| {
        let file = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
        // Pictures are for pages.
        let rules = bundled.files.iter().filter(|(name, _)| !name.starts_with("assets/"));
        rules.map(file).collect::<Vec<_>>()
    });
    match files {
        Some(files) => Ok(Ruleset::from_files(&files)),
        None => {
            let names = PyRuleset::bundled().join(", ");
            let path = path.display();
            Err(errors::ruleset_error(
                py,
                format!("`{path}` is neither a file, a folder nor a bundled ruleset; bundled are: {names}"),
            ))
        }
    }
}
