//! Built-in bots.

use intermezzo_engine::Input;
use intermezzo_program::Seat;
use intermezzo_training::{BOTS, EnvBot};
use pyo3::prelude::*;

use crate::errors;
use crate::match_instance::{PyMatch, pending_question};

/// Built-in bot, such as `random`, `greedy` or `mcts:200`.
#[pyclass(name = "Bot", module = "intermezzo")]
pub(crate) struct PyBot {
    name: String,
    bot: EnvBot,
}

#[pymethods]
impl PyBot {
    #[new]
    #[pyo3(signature = (name, seed=0))]
    fn new(name: &str, seed: u64) -> PyResult<PyBot> {
        let bot = EnvBot::named(name, seed).map_err(errors::value_error)?;
        Ok(PyBot { name: name.to_owned(), bot })
    }

    /// Returns the names of all bots.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        BOTS.to_vec()
    }

    /// Answers the open question of a seat.
    fn play(&mut self, py: Python<'_>, game: &mut PyMatch, seat: u8) -> PyResult<()> {
        game.viewer(Some(seat))?;
        let bot = &mut self.bot;
        let started = game.game();
        let decision = py.detach(|| {
            let question = pending_question(started, seat)?;
            Some((question.id(), bot.answer(started, &question)?))
        });
        match decision {
            Some((input, answer)) => game.submit(py, Input::Answer { input, seat: Seat(seat), answer }),
            None => Err(errors::not_asked(py, seat)),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Bot {}>", self.name)
    }
}
