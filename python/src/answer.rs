//! Legal answers, and how clients write them.

use intermezzo_engine::{Answer, Datum, InputId, PendingQuestion, ShortText};
use intermezzo_program::BranchContent;
use pyo3::prelude::*;

use crate::data;

/// Legal answer to one question.
#[pyclass(name = "Answer", module = "intermezzo", frozen)]
#[derive(Clone)]
pub(crate) struct PyAnswer {
    pub(crate) input: InputId,
    pub(crate) answer: Answer,
    datum: Datum,
}

#[pymethods]
impl PyAnswer {
    /// The answer as plain data, which `Match.answer` also accepts: values of options, `None` for an empty slot,
    /// `"pass"`, or branches with `id` and `selection`.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        data::to_python(py, &self.datum)
    }

    fn __eq__(&self, other: &PyAnswer) -> bool {
        self.input == other.input && self.answer == other.answer
    }

    fn __hash__(&self) -> u64 {
        let mix = |hash: u64, number: u64| hash.wrapping_mul(31).wrapping_add(number);
        let mix_picks =
            |hash: u64, picks: &[i32]| picks.iter().fold(hash, |hash, pick| mix(hash, *pick as u64));
        let hash = u64::from(self.input.0);
        match &self.answer {
            Answer::Pass => mix(hash, 1),
            Answer::Picks(picks) => mix_picks(mix(hash, 2), picks),
            Answer::Branches(branches) => branches
                .iter()
                .fold(mix(hash, 3), |hash, (branch, picks)| mix_picks(mix(hash, u64::from(*branch)), picks)),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Answer {}>", self.data(py)?.repr()?))
    }
}

impl PyAnswer {
    /// Creates an answer. `prompts` are the prompts of the seat, which contain the values of the options.
    pub(crate) fn new(question: &PendingQuestion<'_>, prompts: &Datum, answer: Answer) -> PyAnswer {
        let prompt = match prompts.get("prompts") {
            Some(Datum::List(prompts)) => prompts.first(),
            _ => None,
        };
        let datum = match &answer {
            Answer::Pass => Datum::text("pass"),
            Answer::Picks(picks) => option_values(prompt, picks),
            Answer::Branches(branches) => branch_selections(question, prompt, None, branches),
        };
        PyAnswer { input: question.id(), answer, datum }
    }
}

/// Returns the values of the options at these positions; `shown` is a prompt or one of its branches.
fn option_values(shown: Option<&Datum>, picks: &[i32]) -> Datum {
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

/// Returns the selections in the chosen branches of one parent.
fn branch_selections(
    question: &PendingQuestion<'_>,
    shown: Option<&Datum>,
    parent: Option<u16>,
    chosen: &[(u16, Vec<i32>)],
) -> Datum {
    let choice = question.choice();
    let mut list = Vec::new();
    for (index, picks) in
        chosen.iter().filter(|(index, _)| choice.branches[usize::from(*index)].parent == parent)
    {
        let branch = &choice.branches[usize::from(*index)];
        let id = Datum::text(question.program().symbol(branch.id));
        let shown_branch = match shown.and_then(|shown| shown.get("branches")) {
            Some(Datum::List(branches)) => branches.iter().find(|branch| branch.get("id") == Some(&id)),
            _ => None,
        };
        let selection = match branch.inner {
            BranchContent::Branches => branch_selections(question, shown_branch, Some(*index), chosen),
            BranchContent::Options | BranchContent::Nothing => option_values(shown_branch, picks),
        };
        let entries = [("id", id), ("selection", selection)];
        list.push(Datum::Map(entries.map(|(name, value)| (ShortText::new_static(name), value)).into()));
    }
    Datum::List(list)
}
