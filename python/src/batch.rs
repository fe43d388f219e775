//! Many matches at once, as arrays.

use std::sync::Arc;

use intermezzo_engine::{Viewer, Witness};
use intermezzo_rehearsal::{Batch, BatchError, Plan, Slots};
use intermezzo_ruleset::Seat;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::encoding::PyEncoding;
use crate::ruleset::PyRuleset;
use crate::{data, errors};

/// Many matches of one ruleset, stepped at once.
#[pyclass(name = "Batch", module = "intermezzo")]
pub(crate) struct PyBatch {
    batch: Batch,
    encoding: PyEncoding,
    truncated: Vec<bool>,
}

/// Observations, masks, and who is to move.
type Look<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<bool>>, Bound<'py, PyArray1<i64>>);

/// Observations, masks, rewards, which are done, and who is to move.
type Step<'py> = (
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
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
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
        let of_options = ruleset.with_options(setup.options.clone());
        let encoding = match encoding {
            Some(encoding) => encoding.clone(),
            None => of_options.encoding(py, seats, max_actions, max_entities)?,
        };
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let named =
            |(seat, name): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((seat.extract()?, name.extract()?));
        let bots = bots.map(|bots| bots.iter().map(named).collect::<PyResult<Vec<(u8, String)>>>());
        let plan = Plan {
            lanes: n,
            seats: setup.seats,
            options: setup.options,
            seed,
            resets: auto_reset,
            max_moves: max_length,
            bots: bots.transpose()?.unwrap_or_default(),
            threads: threads.unwrap_or_else(available),
        };
        let begun = py.detach(|| Batch::new(&ruleset.program, plan, Arc::clone(&encoding.encoding)));
        let batch = begun.map_err(|error| errors::stopped(py, &error))?;
        Ok(PyBatch { batch, encoding, truncated: vec![false; n] })
    }

    fn __len__(&self) -> usize {
        self.batch.len()
    }

    /// Seats of each match.
    #[getter]
    fn seats(&self) -> usize {
        self.batch.seats()
    }

    /// Which number of an observation is what.
    #[getter]
    fn encoding(&self) -> PyEncoding {
        self.encoding.clone()
    }

    /// Which matches were broken off by the last step, because they took too long.
    #[getter]
    fn truncated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.truncated.clone().into_pyarray(py)
    }

    /// The seed of the match in a place: the same ruleset, options and seed give the same chance.
    fn seed_of(&self, index: usize) -> PyResult<u64> {
        self.batch
            .lane(index)
            .map(|(_, seed)| seed)
            .ok_or_else(|| errors::wrong(format!("there is no match {index}")))
    }

    /// Begins all matches anew; with a seed, with the same chance as others of that seed.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<Look<'py>> {
        let arrays = self.fill(py, |batch, slots| batch.reset(seed, slots))?;
        let (observations, masks, _, _, to_move) = arrays.into_python(py, self)?;
        Ok((observations, masks, to_move))
    }

    /// Where all matches stand.
    fn look<'py>(&mut self, py: Python<'py>) -> PyResult<Look<'py>> {
        let arrays = self.fill(py, |batch, slots| batch.look(slots))?;
        let (observations, masks, _, _, to_move) = arrays.into_python(py, self)?;
        Ok((observations, masks, to_move))
    }

    /// Takes an action in every match.
    fn step<'py>(&mut self, py: Python<'py>, actions: PyReadonlyArray1<'py, i64>) -> PyResult<Step<'py>> {
        let moves = actions.as_array().to_vec();
        let mut arrays = self.fill(py, |batch, slots| batch.step(&moves, slots))?;
        self.truncated = std::mem::take(&mut arrays.truncated);
        arrays.into_python(py, self)
    }

    /// What any seat of one of the matches sees, and its mask, which is empty unless the seat is to move.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        index: usize,
        seat: u8,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>)> {
        let mut observation = vec![0.0; self.batch.encoding().len()];
        let mut mask = vec![false; self.batch.encoding().sizes().moves];
        let seen = self.batch.observe(index, Seat(seat), &mut observation, &mut mask);
        seen.map_err(|error| errors::stopped(py, &error))?;
        Ok((observation.into_pyarray(py), mask.into_pyarray(py)))
    }

    /// What a seat of one of the matches may see, as data.
    fn view<'py>(&self, py: Python<'py>, index: usize, seat: u8) -> PyResult<Bound<'py, PyAny>> {
        let lane = self.batch.lane(index).filter(|_| usize::from(seat) < self.batch.seats());
        let (lane, _) =
            lane.ok_or_else(|| errors::wrong(format!("there is no seat {seat} of match {index}")))?;
        data::to_python(py, &Witness::of(lane.game()).view(Viewer::Seat(Seat(seat))))
    }
}

impl PyBatch {
    /// Lets the batch write into new arrays, while other threads of Python go on.
    fn fill(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut Batch, Slots<'_>) -> Result<(), BatchError> + Send,
    ) -> PyResult<Arrays> {
        let batch = &mut self.batch;
        let filled = py.detach(|| {
            let mut arrays = Arrays::new(batch);
            work(batch, arrays.slots()).map(|()| arrays)
        });
        filled.map_err(|error| errors::stopped(py, &error))
    }
}

/// What a step writes.
struct Arrays {
    observations: Vec<f32>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    dones: Vec<bool>,
    truncated: Vec<bool>,
    to_move: Vec<i64>,
}

impl Arrays {
    fn new(batch: &Batch) -> Arrays {
        let count = batch.len();
        Arrays {
            observations: vec![0.0; count * batch.encoding().len()],
            masks: vec![false; count * batch.encoding().sizes().moves],
            rewards: vec![0.0; count * batch.seats()],
            dones: vec![false; count],
            truncated: vec![false; count],
            to_move: vec![0; count],
        }
    }

    fn slots(&mut self) -> Slots<'_> {
        Slots {
            observations: &mut self.observations,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            dones: &mut self.dones,
            truncated: &mut self.truncated,
            to_move: &mut self.to_move,
        }
    }

    fn into_python<'py>(self, py: Python<'py>, of: &PyBatch) -> PyResult<Step<'py>> {
        let (count, encoding) = (of.batch.len(), of.batch.encoding());
        Ok((
            self.observations.into_pyarray(py).reshape([count, encoding.len()])?,
            self.masks.into_pyarray(py).reshape([count, encoding.sizes().moves])?,
            self.rewards.into_pyarray(py).reshape([count, of.batch.seats()])?,
            self.dones.into_pyarray(py),
            self.to_move.into_pyarray(py),
        ))
    }
}
