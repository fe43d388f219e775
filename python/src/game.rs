//! One match, played answer by answer.

use intermezzo_engine::{Answer, Datum, Input, Log, Match, Pending, Setup, Viewer, Witness};
use intermezzo_engine::{InputId, LeaveCause, Rejection, Text};
use intermezzo_journal::Recorder;
use intermezzo_rehearsal::Bot;
use intermezzo_ruleset::{Inner, Seat};
use pyo3::prelude::*;

use crate::ruleset::PyRuleset;
use crate::{data, errors};

/// One playing of a ruleset.
#[pyclass(name = "Match", module = "intermezzo")]
#[derive(Clone)]
pub(crate) struct PyMatch {
    ruleset: PyRuleset,
    setup: Setup,
    inputs: Vec<Input>,
    game: Match,
    witness: Witness,
    /// What each viewer was told, in order.
    told: Vec<(Viewer, Datum)>,
}

/// A legal answer to one question.
#[pyclass(name = "Answer", module = "intermezzo", frozen)]
#[derive(Clone)]
pub(crate) struct PyAnswer {
    input: InputId,
    answer: Answer,
    datum: Datum,
}

#[pymethods]
impl PyAnswer {
    /// The answer as plain data, which `Match.answer` takes as well: values of options, `None` for an empty slot,
    /// `"pass"`, or branches with `id` and `selection`.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data::to_python(py, &self.datum)
    }

    fn __eq__(&self, other: &PyAnswer) -> bool {
        self.input == other.input && self.answer == other.answer
    }

    fn __hash__(&self) -> u64 {
        let picks = |picks: &[i32]| {
            picks.iter().fold(7u64, |sum, pick| sum.wrapping_mul(31).wrapping_add(*pick as u64))
        };
        let own = match &self.answer {
            Answer::Pass => 1,
            Answer::Picks(taken) => picks(taken),
            Answer::Branches(taken) => taken
                .iter()
                .fold(3, |sum, (branch, taken)| sum * 31 + u64::from(*branch) + picks(taken) % 1009),
        };
        own.wrapping_add(u64::from(self.input.0))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Answer {}>", self.data(py)?.repr()?))
    }
}

#[pymethods]
impl PyMatch {
    /// The ruleset played.
    #[getter]
    fn ruleset(&self) -> PyRuleset {
        self.ruleset.clone()
    }

    /// How many seats there are.
    #[getter]
    fn seats(&self) -> u8 {
        self.setup.seats
    }

    /// Whether the match is over.
    #[getter]
    fn over(&self) -> bool {
        self.game.is_over()
    }

    /// How it ended: `outcome`, `winners` and `losers` (seats); None before that.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(ending) = self.game.ending() else { return Ok(None) };
        let seats =
            |seats: &[Seat]| Datum::List(seats.iter().map(|seat| Datum::Int(i64::from(seat.0))).collect());
        let outcome = self.ruleset.program.symbols.get(ending.outcome.index());
        let entries = [
            ("outcome", outcome.map_or(Datum::Null, Datum::text)),
            ("winners", seats(&ending.winners)),
            ("losers", seats(&ending.losers)),
        ];
        let entries = entries.map(|(name, value)| (Text::new_static(name), value));
        data::to_python(py, &Datum::Map(entries.into())).map(Some)
    }

    /// The seats that are asked something, in order.
    #[getter]
    fn to_answer(&self) -> Vec<usize> {
        self.game.pending().map(|pending| pending.seat().index()).collect()
    }

    /// All a seat may see; without a seat, what anyone may see.
    #[pyo3(signature = (seat=None))]
    fn view<'py>(&mut self, py: Python<'py>, seat: Option<u8>) -> PyResult<Bound<'py, PyAny>> {
        let viewer = self.viewer(seat)?;
        data::to_python(py, &self.witness.view(viewer))
    }

    /// The open questions of a seat.
    fn questions<'py>(&mut self, py: Python<'py>, seat: u8) -> PyResult<Bound<'py, PyAny>> {
        let viewer = self.viewer(Some(seat))?;
        let prompts = self.witness.prompts(&self.game, viewer);
        data::to_python(py, prompts.get("prompts").unwrap_or(&Datum::Null))
    }

    /// What a seat was told of what happened, in order; without a seat, what anyone was told.
    #[pyo3(signature = (seat=None))]
    fn log<'py>(&self, py: Python<'py>, seat: Option<u8>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let viewer = self.viewer(seat)?;
        let own = self.told.iter().filter(|(other, _)| *other == viewer);
        own.map(|(_, event)| data::to_python(py, event)).collect()
    }

    /// Every legal answer of a seat to its open question, always in the same order; none if it is not asked.
    #[pyo3(signature = (seat, limit=10_000))]
    fn legal(&mut self, py: Python<'_>, seat: u8, limit: u64) -> PyResult<Vec<PyAnswer>> {
        self.viewer(Some(seat))?;
        let Some(pending) = asked(&self.game, seat) else { return Ok(Vec::new()) };
        let count = pending.answer_count();
        if pending.choice().next.is_some() || count > limit {
            return Err(errors::too_many(py, (pending.choice().next.is_none()).then_some(count), limit));
        }
        let prompts = self.witness.prompts(&self.game, Viewer::Seat(Seat(seat)));
        let mut answers = Vec::with_capacity(count as usize);
        for n in 0..count {
            let mut answer = Answer::Pass;
            if pending.nth_answer(n, &mut answer) {
                let datum = written(&pending, &prompts, &answer);
                answers.push(PyAnswer { input: pending.id(), answer, datum });
            }
        }
        Ok(answers)
    }

    /// Answers the open question of a seat: one of `legal`, or plain data as clients write it.
    fn answer(&mut self, py: Python<'_>, seat: u8, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        self.viewer(Some(seat))?;
        let seat = Seat(seat);
        let (input, answer) = match answer.cast::<PyAnswer>() {
            Ok(answer) => (answer.get().input, answer.get().answer.clone()),
            Err(_) => {
                let datum = data::from_python(answer)?;
                let Some(pending) = asked(&self.game, seat.0) else {
                    return Err(errors::illegal(py, "this seat is not asked anything", "not_asked"));
                };
                let input = pending.id();
                let read = self.witness.read_answer(&self.game, seat, input, &datum);
                let illegal = |rejection: Rejection| errors::illegal(py, &rejection, rejection.name());
                (input, read.map_err(illegal)?)
            }
        };
        self.submit(py, Input::Answer { input, seat, answer })
    }

    /// Lets a seat give up.
    fn concede(&mut self, py: Python<'_>, seat: u8) -> PyResult<()> {
        self.viewer(Some(seat))?;
        self.submit(py, Input::Leave { seat: Seat(seat), cause: LeaveCause::Concede })
    }

    /// A copy that goes its own way from here, with the same chance to come.
    fn clone(&self) -> PyMatch {
        Clone::clone(self)
    }

    fn __copy__(&self) -> PyMatch {
        Clone::clone(self)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyMatch {
        Clone::clone(self)
    }

    /// The whole match as a text, from which it can be replayed and verified. It holds everything, hidden things
    /// included.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        let recorded = Recorder::start(&self.ruleset.program, &self.setup);
        let mut recorder = recorded.map_err(|error| errors::not_begun(py, &error))?;
        for input in &self.inputs {
            recorder.submit(input).map_err(|refusal| errors::refused(py, &refusal))?;
        }
        Ok(recorder.file().to_text())
    }

    fn __repr__(&self) -> String {
        let state = if self.game.is_over() { "over" } else { "under way" };
        format!("<Match of {}, {} inputs, {state}>", self.ruleset.program.id, self.inputs.len())
    }
}

impl PyMatch {
    pub(crate) fn begin(py: Python<'_>, ruleset: PyRuleset, setup: Setup) -> PyResult<PyMatch> {
        let begun = Witness::new(ruleset.program.clone(), &setup).and_then(|witness| {
            let mut log = Log::new();
            let game = Match::start(ruleset.program.clone(), &setup, &mut log)?;
            Ok((witness, game, log))
        });
        let (witness, game, log) = begun.map_err(|error| errors::not_begun(py, &error))?;
        let mut new = PyMatch { ruleset, setup, inputs: Vec::new(), game, witness, told: Vec::new() };
        new.hear(&log)?;
        Ok(new)
    }

    pub(crate) fn submit(&mut self, py: Python<'_>, input: Input) -> PyResult<()> {
        let mut log = Log::new();
        self.game.submit(&input, &mut log).map_err(|refusal| errors::refused(py, &refusal))?;
        self.inputs.push(input);
        self.hear(&log)
    }

    fn hear(&mut self, log: &Log) -> PyResult<()> {
        let told = &mut self.told;
        let heard =
            self.witness.observe(log, 0, |viewer, event| told.extend(event.map(|event| (viewer, event))));
        heard.map_err(|code| errors::wrong(format!("the log does not continue what was seen: {code}")))
    }

    fn viewer(&self, seat: Option<u8>) -> PyResult<Viewer> {
        match seat {
            None => Ok(Viewer::Spectator),
            Some(seat) if seat < self.setup.seats => Ok(Viewer::Seat(Seat(seat))),
            Some(seat) => Err(errors::wrong(format!("there is no seat {seat}"))),
        }
    }
}

/// The open question of a seat.
fn asked(game: &Match, seat: u8) -> Option<Pending<'_>> {
    game.pending().find(|pending| pending.seat().0 == seat)
}

/// An answer as its seat would write it. `prompts` are what the seat is asked.
fn written(pending: &Pending<'_>, prompts: &Datum, answer: &Answer) -> Datum {
    let first = match prompts.get("prompts") {
        Some(Datum::List(prompts)) => prompts.first(),
        _ => None,
    };
    match answer {
        Answer::Pass => Datum::text("pass"),
        Answer::Picks(picks) => values(first, picks),
        Answer::Branches(taken) => branches(pending, first, None, taken),
    }
}

/// The values of the options with these numbers.
fn values(shown: Option<&Datum>, picks: &[i32]) -> Datum {
    let options = match shown.and_then(|shown| shown.get("options")) {
        Some(Datum::List(options)) => options.as_slice(),
        _ => &[],
    };
    let value = |pick: &i32| {
        let option = usize::try_from(*pick).ok().and_then(|pick| options.get(pick));
        option.and_then(|option| option.get("value")).cloned().unwrap_or(Datum::Null)
    };
    Datum::List(picks.iter().map(value).collect())
}

/// What is taken of the branches of one parent.
fn branches(
    pending: &Pending<'_>,
    shown: Option<&Datum>,
    parent: Option<u16>,
    taken: &[(u16, Vec<i32>)],
) -> Datum {
    let choice = pending.choice();
    let mut list = Vec::new();
    for (index, picks) in
        taken.iter().filter(|(index, _)| choice.branches[usize::from(*index)].parent == parent)
    {
        let branch = &choice.branches[usize::from(*index)];
        let id = Datum::text(pending.program().symbol(branch.id));
        let own = match shown.and_then(|shown| shown.get("branches")) {
            Some(Datum::List(shown)) => shown.iter().find(|shown| shown.get("id") == Some(&id)),
            _ => None,
        };
        let selection = match branch.inner {
            Inner::Branches => branches(pending, own, Some(*index), taken),
            Inner::Options | Inner::Nothing => values(own, picks),
        };
        let entries = [("id", id), ("selection", selection)];
        list.push(Datum::Map(entries.map(|(name, value)| (Text::new_static(name), value)).into()));
    }
    Datum::List(list)
}

/// A player that is a program.
#[pyclass(name = "Bot", module = "intermezzo")]
pub(crate) struct PyBot {
    name: String,
    bot: Bot,
}

#[pymethods]
impl PyBot {
    #[new]
    #[pyo3(signature = (name, seed=0))]
    fn new(name: &str, seed: u64) -> PyResult<PyBot> {
        let bot = Bot::named(name, seed).map_err(errors::wrong)?;
        Ok(PyBot { name: name.to_owned(), bot })
    }

    /// Names of all bots.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        intermezzo_rehearsal::BOTS.to_vec()
    }

    /// Lets it answer the open question of a seat.
    fn play(&mut self, py: Python<'_>, game: &mut PyMatch, seat: u8) -> PyResult<()> {
        game.viewer(Some(seat))?;
        let bot = &mut self.bot;
        let shown = &game.game;
        let decided = py.detach(|| {
            let pending = asked(shown, seat)?;
            Some((pending.id(), bot.answer(shown, &pending)?))
        });
        match decided {
            Some((input, answer)) => game.submit(py, Input::Answer { input, seat: Seat(seat), answer }),
            None => Err(errors::illegal(py, "this seat is not asked anything", "not_asked")),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Bot {}>", self.name)
    }
}
