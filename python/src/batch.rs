//! Batch of matches, stepped at once as NumPy arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_engine::{Observer, Viewer};
use intermezzo_program::Seat;
use intermezzo_training::{Batch, BatchConfig, BatchError, Env, OutputArrays};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::encoding::PyEncoding;
use crate::ruleset::PyRuleset;
use crate::{data, errors};

/// Batch of matches of one ruleset, stepped at once.
#[pyclass(name = "Batch", module = "intermezzo")]
pub(crate) struct PyBatch {
    batch: Batch,
    encoding: PyEncoding,
    truncated: Vec<bool>,
}

/// Observations, masks, and the seats to move.
type ObservationArrays<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<bool>>, Bound<'py, PyArray1<i64>>);

/// Observations, masks, rewards, dones, and the seats to move.
type StepArrays<'py> = (
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray2<bool>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (ruleset, n, seed=0, *, seats=None, options=None, auto_reset=true, max_actions=None,
        max_entities=None, max_length=10_000, bots=None, threads=None, encoding=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keyword arguments in Python")]
    fn new(
        py: Python<'_>,
        ruleset: &PyRuleset,
        n: usize,
        seed: u64,
        seats: Option<u8>,
        options: Option<&Bound<'_, PyDict>>,
        auto_reset: bool,
        max_actions: Option<usize>,
        max_entities: Option<usize>,
        max_length: u32,
        bots: Option<&Bound<'_, PyDict>>,
        threads: Option<usize>,
        encoding: Option<&PyEncoding>,
    ) -> PyResult<PyBatch> {
        let setup = ruleset.setup(seed, seats, options)?;
        let configured = ruleset.with_options(setup.options.clone());
        let encoding = match encoding {
            Some(encoding) => encoding.clone(),
            None => configured.encoding(py, seats, max_actions, max_entities)?,
        };
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let seat_and_name =
            |(seat, name): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((seat.extract()?, name.extract()?));
        let bots = bots.map(|bots| bots.iter().map(seat_and_name).collect::<PyResult<Vec<(u8, String)>>>());
        let config = BatchConfig {
            envs: n,
            seats: setup.seats,
            options: setup.options,
            seed,
            resets: auto_reset,
            max_moves: max_length,
            bots: bots.transpose()?.unwrap_or_default(),
            threads: threads.unwrap_or_else(available),
        };
        let batch = py.detach(|| Batch::new(&ruleset.program, config, Arc::clone(&encoding.encoding)));
        let batch = batch.map_err(|error| errors::batch_error(py, &error))?;
        Ok(PyBatch { batch, encoding, truncated: vec![false; n] })
    }

    fn __len__(&self) -> usize {
        self.batch.len()
    }

    /// The number of seats in each match.
    #[getter]
    fn seats(&self) -> usize {
        self.batch.seats()
    }

    /// The layout of an observation.
    #[getter]
    fn encoding(&self) -> PyEncoding {
        self.encoding.clone()
    }

    /// The matches that the last step truncated: they had reached `max_length`, or a rule failed.
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.truncated.clone().into_pyarray(py)
    }

    /// The matches in which a rule failed during the last step, with the reasons.
    #[getter]
    fn faults(&self) -> BTreeMap<usize, String> {
        let fault = |fault: &BatchError| match fault {
            BatchError::Env { env, .. } => Some((*env, fault.to_string())),
            _ => None,
        };
        self.batch.faults().iter().filter_map(fault).collect()
    }

    /// Returns the seed of a match. `Ruleset.match` with the same options and seed starts with the same randomness.
    fn seed_of(&self, index: usize) -> PyResult<u64> {
        self.env(index).map(|(_, seed)| seed)
    }

    /// Restarts all matches. The same seed gives the same matches.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<ObservationArrays<'py>> {
        let buffers = self.run(py, |batch, output| batch.reset(seed, output))?;
        let (observations, masks, _, _, to_move) = buffers.into_python(py, self)?;
        Ok((observations, masks, to_move))
    }

    /// Returns the current state of all matches.
    fn look<'py>(&mut self, py: Python<'py>) -> PyResult<ObservationArrays<'py>> {
        let buffers = self.run(py, Batch::observe_all)?;
        let (observations, masks, _, _, to_move) = buffers.into_python(py, self)?;
        Ok((observations, masks, to_move))
    }

    /// Takes an action in every match. A match in which a rule fails is truncated; see `faults`.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<StepArrays<'py>> {
        let moves = actions.as_array().to_vec();
        let mut buffers = self.run(py, |batch, output| batch.step(&moves, output))?;
        self.truncated = std::mem::take(&mut buffers.truncated);
        buffers.into_python(py, self)
    }

    /// Returns the observation and the mask of any seat. The mask is empty unless the seat is to move.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        index: usize,
        seat: u8,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>)> {
        let mut observation = vec![0.0; self.batch.encoding().len()];
        let mut mask = vec![false; self.batch.encoding().sizes().moves];
        self.check_seat(index, seat)?;
        let observed = self.batch.observe(index, Seat(seat), &mut observation, &mut mask);
        observed.map_err(|error| errors::batch_error(py, &error))?;
        Ok((observation.into_pyarray(py), mask.into_pyarray(py)))
    }

    /// Returns the view of a seat as data.
    fn view<'py>(&self, py: Python<'py>, index: usize, seat: u8) -> PyResult<Bound<'py, PyAny>> {
        let env = self.check_seat(index, seat)?;
        data::to_python(py, &Observer::from_match(env.game()).view(Viewer::Seat(Seat(seat))))
    }
}

impl PyBatch {
    /// Returns a match and its seed.
    fn env(&self, index: usize) -> PyResult<(&Env, u64)> {
        let count = self.batch.len();
        let no_such_match =
            || errors::value_error(format!("no match {index}: the batch has {count} matches"));
        self.batch.env(index).ok_or_else(no_such_match)
    }

    /// Returns a match, if it has this seat.
    fn check_seat(&self, index: usize, seat: u8) -> PyResult<&Env> {
        let (env, _) = self.env(index)?;
        let seats = self.batch.seats();
        if usize::from(seat) < seats { Ok(env) } else { Err(errors::no_such_seat(seat, seats)) }
    }

    /// Lets the batch write into new arrays. Other Python threads continue meanwhile.
    fn run(
        &mut self,
        py: Python<'_>,
        task: impl FnOnce(&mut Batch, OutputArrays<'_>) -> Result<(), BatchError> + Send,
    ) -> PyResult<ArrayBuffers> {
        let batch = &mut self.batch;
        let written = py.detach(|| {
            let mut buffers = ArrayBuffers::new(batch);
            task(batch, buffers.output()).map(|()| buffers)
        });
        written.map_err(|error| errors::batch_error(py, &error))
    }
}

/// Memory of the arrays that a step writes.
struct ArrayBuffers {
    observations: Vec<f32>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    dones: Vec<bool>,
    truncated: Vec<bool>,
    to_move: Vec<i64>,
}

impl ArrayBuffers {
    fn new(batch: &Batch) -> ArrayBuffers {
        let count = batch.len();
        ArrayBuffers {
            observations: vec![0.0; count * batch.encoding().len()],
            masks: vec![false; count * batch.encoding().sizes().moves],
            rewards: vec![0.0; count * batch.seats()],
            dones: vec![false; count],
            truncated: vec![false; count],
            to_move: vec![0; count],
        }
    }

    fn output(&mut self) -> OutputArrays<'_> {
        OutputArrays {
            observations: &mut self.observations,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            dones: &mut self.dones,
            truncated: &mut self.truncated,
            to_move: &mut self.to_move,
        }
    }

    fn into_python<'py>(self, py: Python<'py>, owner: &PyBatch) -> PyResult<StepArrays<'py>> {
        let (count, encoding) = (owner.batch.len(), owner.batch.encoding());
        Ok((
            self.observations.into_pyarray(py).reshape([count, encoding.len()])?,
            self.masks.into_pyarray(py).reshape([count, encoding.sizes().moves])?,
            self.rewards.into_pyarray(py).reshape([count, owner.batch.seats()])?,
            self.dones.into_pyarray(py),
            self.to_move.into_pyarray(py),
        ))
    }
}
