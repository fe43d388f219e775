//! Rulesets: loaded, checked, ready to play.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use intermezzo_compiler::{Ruleset, Severity, render};
use intermezzo_engine::{Board, Datum, Seed, Setup, Text};
use intermezzo_journal::MatchFile;
use intermezzo_rehearsal::{Encoding, Moves, Sizes};
use intermezzo_ruleset::Program;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::bundled::BUNDLED;
use crate::encoding::PyEncoding;
use crate::game::PyMatch;
use crate::{data, errors};

/// A ruleset that has been checked, with the options its matches are played with.
#[pyclass(name = "Ruleset", module = "intermezzo", frozen)]
#[derive(Clone)]
pub(crate) struct PyRuleset {
    pub(crate) program: Arc<Program>,
    pub(crate) options: Vec<(Text, Datum)>,
    warnings: String,
}

#[pymethods]
impl PyRuleset {
    /// Loads a ruleset: a folder, a file, or the name of one that comes with the package.
    #[staticmethod]
    #[pyo3(signature = (path_or_name, options=None))]
    fn load(
        py: Python<'_>,
        path_or_name: PathBuf,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyRuleset> {
        let ruleset = read(py, &path_or_name)?;
        PyRuleset::of(py, &ruleset, options)
    }

    /// A ruleset from texts by file name.
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
        PyRuleset::of(py, &Ruleset::from_files(&texts), options)
    }

    /// Names of the rulesets that come with the package.
    #[staticmethod]
    fn bundled() -> Vec<&'static str> {
        BUNDLED.iter().map(|bundled| bundled.name).collect()
    }

    /// Its id, such as `mages`.
    #[getter]
    fn id(&self) -> &str {
        &self.program.id
    }

    /// Its name for people.
    #[getter]
    fn name(&self) -> &str {
        &self.program.name
    }

    /// Its version.
    #[getter]
    fn version(&self) -> &str {
        &self.program.version
    }

    /// The least, the greatest and the usual number of seats.
    #[getter]
    fn seats(&self) -> (u8, u8, u8) {
        let seats = self.program.seats;
        (seats.min, seats.max, seats.usual)
    }

    /// What is hidden from some player, in words; None if everyone always sees everything.
    #[getter]
    fn hidden(&self) -> Option<String> {
        self.program.hidden().map(|hidden| hidden.to_string())
    }

    /// What the checker doubts, as people read it.
    #[getter]
    fn warnings(&self) -> &str {
        &self.warnings
    }

    /// What can be set for each match: name and what it means.
    #[getter]
    fn option_texts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for option in &self.program.options {
            let text = option.text.and_then(|text| self.program.texts.get(text.index()));
            dict.set_item(self.program.symbol(option.name), text)?;
        }
        Ok(dict)
    }

    /// Begins a match. Options given here come before those of the ruleset.
    #[pyo3(name = "match", signature = (seed=0, seats=None, options=None))]
    fn play(
        &self,
        py: Python<'_>,
        seed: u64,
        seats: Option<u8>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyMatch> {
        PyMatch::begin(py, self.clone(), self.setup(seed, seats, options)?)
    }

    /// Takes up a saved match again where it was, or where so many inputs had been taken.
    #[pyo3(signature = (text, inputs=None))]
    fn replay(&self, py: Python<'_>, text: &str, inputs: Option<u32>) -> PyResult<PyMatch> {
        let file = MatchFile::parse(text.as_bytes()).map_err(|error| errors::unfaithful(py, error))?;
        file.verify(&self.program).map_err(|mismatch| errors::unfaithful(py, mismatch))?;
        let setup = file.setup(&self.program).map_err(|mismatch| errors::unfaithful(py, mismatch))?;
        let mut game = PyMatch::begin(py, self.clone(), setup)?;
        for entry in file.inputs.iter().take(inputs.map_or(usize::MAX, |inputs| inputs as usize)) {
            let input = entry.input.to_input(&self.program);
            game.submit(py, input.map_err(|problem| errors::unfaithful(py, problem))?)?;
        }
        Ok(game)
    }

    /// How matches become numbers; sizes that are not given are found out by playing some.
    #[pyo3(signature = (seats=None, max_actions=None, max_entities=None))]
    pub(crate) fn encoding(
        &self,
        py: Python<'_>,
        seats: Option<u8>,
        max_actions: Option<usize>,
        max_entities: Option<usize>,
    ) -> PyResult<PyEncoding> {
        let setup = self.setup(0, seats, None)?;
        if max_actions.is_some_and(|most| most < Moves::MIN_WIDTH) {
            return Err(errors::wrong(format!("max_actions must be at least {}", Moves::MIN_WIDTH)));
        }
        let sizes = match (max_actions, max_entities) {
            (Some(moves), Some(entities)) => Ok(Sizes { moves, entities }),
            _ => py.detach(|| Sizes::probed(&self.program, &setup)),
        };
        let probed = sizes.map_err(|error| errors::not_begun(py, &error))?;
        let sizes = Sizes {
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
    fn of(py: Python<'_>, ruleset: &Ruleset, options: Option<&Bound<'_, PyDict>>) -> PyResult<PyRuleset> {
        let compiled = py.detach(|| ruleset.compile());
        let Some(program) = compiled.program else {
            let is_error = |severity| severity == Severity::Error;
            let wrong: Vec<_> =
                compiled.diagnostics.into_iter().filter(|diagnostic| is_error(diagnostic.severity)).collect();
            return Err(errors::diagnosed(py, &wrong, ruleset.sources()));
        };
        let warnings = render(&compiled.diagnostics, ruleset.sources(), false);
        let options = options.map(data::entries).transpose()?.unwrap_or_default();
        let loaded = PyRuleset { program: Arc::new(program), options, warnings };
        let setup = loaded.setup(0, None, None)?;
        Board::new(&loaded.program, &setup).map_err(|error| errors::not_begun(py, &error))?;
        Ok(loaded)
    }

    /// The same ruleset, played with other options.
    pub(crate) fn with_options(&self, options: Vec<(Text, Datum)>) -> PyRuleset {
        PyRuleset { options, ..self.clone() }
    }

    /// What a match begins with.
    pub(crate) fn setup(
        &self,
        seed: u64,
        seats: Option<u8>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Setup> {
        let mut all = options.map(data::entries).transpose()?.unwrap_or_default();
        let others = self.options.iter().filter(|(name, _)| all.iter().all(|(given, _)| given != name));
        let others: Vec<(Text, Datum)> = others.cloned().collect();
        all.extend(others);
        let seats = seats.unwrap_or(self.program.seats.usual);
        Ok(Setup { seats, options: all, seed: Seed::from_number(seed), script: None })
    }
}

fn read(py: Python<'_>, path: &Path) -> PyResult<Ruleset> {
    if path.exists() {
        return Ruleset::load(path).map_err(|error| errors::unreadable(py, error));
    }
    let bundled = BUNDLED.iter().find(|bundled| Some(bundled.name) == path.to_str());
    let files = bundled.map(|bundled| {
        let file = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
        bundled.files.iter().map(file).collect::<Vec<_>>()
    });
    match files {
        Some(files) => Ok(Ruleset::from_files(&files)),
        None => {
            let names = PyRuleset::bundled().join(", ");
            let path = path.display();
            Err(errors::unreadable(
                py,
                format!("there is no file or folder `{path}`, and no ruleset of that name: {names}"),
            ))
        }
    }
}
