//! One match, played answer by answer.

use intermezzo_engine::{Answer, Datum, EventLog, Input, LeaveCause, Match, Observer, PendingQuestion};
use intermezzo_engine::{Rejection, Seed, Setup, ShortText, Viewer};
use intermezzo_matchfile::Recorder;
use intermezzo_program::Seat;
use pyo3::prelude::*;

use crate::answer::PyAnswer;
use crate::ruleset::PyRuleset;
use crate::{data, errors};

/// Match of a ruleset.
#[pyclass(name = "Match", module = "intermezzo")]
#[derive(Clone)]
pub(crate) struct PyMatch {
    ruleset: PyRuleset,
    setup: Setup,
    inputs: Vec<Input>,
    game: Match,
    observer: Observer,
    /// Events as each viewer sees them, in order.
    viewer_events: Vec<(Viewer, Datum)>,
    /// The state does not follow from the setup and the inputs: the match was reseeded or determinized.
    is_altered: bool,
}

#[pymethods]
impl PyMatch {
    /// The ruleset of the match.
    #[getter]
    fn ruleset(&self) -> PyRuleset {
        self.ruleset.clone()
    }

    /// The number of seats.
    #[getter]
    fn seats(&self) -> u8 {
        self.setup.seats
    }

    /// The team of each seat, from 0; None if the ruleset has no teams.
    #[getter]
    fn teams(&self) -> Option<Vec<usize>> {
        let teams = self.game.teams()?;
        Some(teams.into_iter().map(usize::from).collect())
    }

    /// True if the match is over.
    #[getter]
    fn over(&self) -> bool {
        self.game.is_over()
    }

    /// The result: `outcome`, `winners` and `losers` (seats), and `score` (a number by seat) if the rules give one. None
    /// until the match is over.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(ending) = self.game.ending() else { return Ok(None) };
        let seats =
            |seats: &[Seat]| Datum::List(seats.iter().map(|seat| Datum::Int(i64::from(seat.0))).collect());
        let outcome = self.ruleset.program.symbols.get(ending.outcome.index());
        let mut entries = vec![
            ("outcome", outcome.map_or(Datum::Null, Datum::text)),
            ("winners", seats(&ending.winners)),
            ("losers", seats(&ending.losers)),
        ];
        if let Some(score) = ending.score {
            entries.push(("score", Datum::List(score.into_iter().map(Datum::Int).collect())));
        }
        let entries = entries.into_iter().map(|(name, value)| (ShortText::new_static(name), value));
        data::to_python(py, &Datum::Map(entries.collect())).map(Some)
    }

    /// The seats with an open question, in order.
    #[getter]
    fn to_answer(&self) -> Vec<usize> {
        self.game.pending().map(|question| question.seat().index()).collect()
    }

    /// Returns the view of a seat; without a seat, the public view.
    #[pyo3(signature = (seat=None))]
    fn view<'py>(&mut self, py: Python<'py>, seat: Option<u8>) -> PyResult<Bound<'py, PyAny>> {
        let viewer = self.viewer(seat)?;
        data::to_python(py, &self.observer.view(viewer))
    }

    /// Returns the open questions of a seat.
    fn questions<'py>(&mut self, py: Python<'py>, seat: u8) -> PyResult<Bound<'py, PyAny>> {
        let viewer = self.viewer(Some(seat))?;
        let prompts = self.observer.prompts(&self.game, viewer);
        data::to_python(py, prompts.get("prompts").unwrap_or(&Datum::Null))
    }

    /// Returns the events that a seat has seen, in order; without a seat, the public events.
    #[pyo3(signature = (seat=None))]
    fn log<'py>(&self, py: Python<'py>, seat: Option<u8>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let viewer = self.viewer(seat)?;
        let events = self.viewer_events.iter().filter(|(other, _)| *other == viewer);
        events.map(|(_, event)| data::to_python(py, event)).collect()
    }

    /// Returns every legal answer of a seat to its open question, always in the same order. The list is empty if
    /// the seat has no open question.
    #[pyo3(signature = (seat, limit=10_000))]
    fn legal(&mut self, py: Python<'_>, seat: u8, limit: u64) -> PyResult<Vec<PyAnswer>> {
        self.viewer(Some(seat))?;
        let Some(question) = pending_question(&self.game, seat) else { return Ok(Vec::new()) };
        if question.choice().next.is_some() {
            return Err(errors::too_many_answers(py, None, limit));
        }
        let count = question.answer_count();
        if count > limit {
            return Err(errors::too_many_answers(py, Some(count), limit));
        }
        let prompts = self.observer.prompts(&self.game, Viewer::Seat(Seat(seat)));
        let mut answers = Vec::with_capacity(count as usize);
        for n in 0..count {
            let mut answer = Answer::Pass;
            if question.nth_answer(n, &mut answer) {
                answers.push(PyAnswer::new(&question, &prompts, answer));
            }
        }
        Ok(answers)
    }

    /// Answers the open question of a seat with one of `legal`, or with plain data as clients write it.
    fn answer(&mut self, py: Python<'_>, seat: u8, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        self.viewer(Some(seat))?;
        let (input, answer) = match answer.cast::<PyAnswer>() {
            Ok(answer) => (answer.get().input, answer.get().answer.clone()),
            Err(_) => {
                let datum = data::from_python(answer)?;
                let Some(question) = pending_question(&self.game, seat) else {
                    return Err(errors::not_asked(py, seat));
                };
                let input = question.id();
                let answer = self.observer.read_answer(&self.game, Seat(seat), input, &datum);
                let illegal = |rejection: Rejection| errors::illegal_answer(py, &rejection, rejection.name());
                (input, answer.map_err(illegal)?)
            }
        };
        self.submit(py, Input::Answer { input, seat: Seat(seat), answer })
    }

    /// Concedes the match for a seat.
    fn concede(&mut self, py: Python<'_>, seat: u8) -> PyResult<()> {
        self.viewer(Some(seat))?;
        self.submit(py, Input::Leave { seat: Seat(seat), cause: LeaveCause::Concede })
    }

    /// Returns an independent copy. The same answers give the same results in both.
    fn clone(&self) -> PyMatch {
        Clone::clone(self)
    }

    /// Replaces the randomness of everything that happens from now on, so that copies can have different futures.
    fn reseed(&mut self, seed: u64) {
        self.game.reseed(Seed::from_number(seed));
        self.is_altered = true;
    }

    /// Returns a copy in which the seat sees the same, and everything hidden from it, future randomness included, is
    /// drawn at random. The same seed gives the same copy.
    fn determinize(&self, seat: u8, seed: u64) -> PyResult<PyMatch> {
        self.viewer(Some(seat))?;
        let game = self.game.determinize(Seat(seat), Seed::from_number(seed));
        let observer = Observer::joining(&game);
        let (ruleset, setup, inputs) = (self.ruleset.clone(), self.setup.clone(), Vec::new());
        Ok(PyMatch { ruleset, setup, inputs, game, observer, viewer_events: Vec::new(), is_altered: true })
    }

    fn __copy__(&self) -> PyMatch {
        Clone::clone(self)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyMatch {
        Clone::clone(self)
    }

    /// Returns the match as the text of a match file, which `Ruleset.replay` verifies and continues. The text
    /// includes hidden information.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        if self.is_altered {
            return Err(errors::value_error(
                "a reseeded or determinized match cannot be replayed, so it has no file",
            ));
        }
        let recorder = Recorder::start(&self.ruleset.program, &self.setup);
        let mut recorder = recorder.map_err(|error| errors::start_error(py, &error))?;
        for input in &self.inputs {
            recorder.submit(input).map_err(|refusal| errors::refusal(py, &refusal))?;
        }
        Ok(recorder.file().to_text())
    }

    fn __repr__(&self) -> String {
        let state = if self.game.is_over() { "over" } else { "in progress" };
        format!("<Match of {}, {} inputs, {state}>", self.ruleset.program.id, self.inputs.len())
    }
}

impl PyMatch {
    pub(crate) fn start(py: Python<'_>, ruleset: PyRuleset, setup: Setup) -> PyResult<PyMatch> {
        let mut log = EventLog::new();
        let observer = Observer::new(ruleset.program.clone(), &setup);
        let started = observer.and_then(|observer| {
            let game = Match::start(ruleset.program.clone(), &setup, &mut log)?;
            Ok((observer, game))
        });
        let (observer, game) = started.map_err(|error| errors::start_error(py, &error))?;
        let viewer_events = Vec::new();
        let inputs = Vec::new();
        let mut started =
            PyMatch { ruleset, setup, inputs, game, observer, viewer_events, is_altered: false };
        started.observe(&log)?;
        Ok(started)
    }

    pub(crate) fn game(&self) -> &Match {
        &self.game
    }

    pub(crate) fn submit(&mut self, py: Python<'_>, input: Input) -> PyResult<()> {
        let mut log = EventLog::new();
        self.game.submit(&input, &mut log).map_err(|refusal| errors::refusal(py, &refusal))?;
        self.inputs.push(input);
        self.observe(&log)
    }

    /// Shows new events to all viewers.
    fn observe(&mut self, log: &EventLog) -> PyResult<()> {
        let events = &mut self.viewer_events;
        let observed =
            self.observer.observe(log, 0, |viewer, event| events.extend(event.map(|event| (viewer, event))));
        observed
            .map_err(|code| errors::value_error(format!("the log does not continue the earlier one: {code}")))
    }

    /// Returns the viewer at a seat; without a seat, a spectator.
    pub(crate) fn viewer(&self, seat: Option<u8>) -> PyResult<Viewer> {
        match seat {
            None => Ok(Viewer::Spectator),
            Some(seat) if seat < self.setup.seats => Ok(Viewer::Seat(Seat(seat))),
            Some(seat) => Err(errors::no_such_seat(seat, usize::from(self.setup.seats))),
        }
    }
}

/// Returns the open question of a seat.
pub(crate) fn pending_question(game: &Match, seat: u8) -> Option<PendingQuestion<'_>> {
    game.pending().find(|question| question.seat().0 == seat)
}
