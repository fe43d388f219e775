//! Submission of the inputs of a step.

use intermezzo_engine::{Input, InputId, PendingQuestion, Refusal, WrittenAnswer};
use intermezzo_program::{FaultCode, Seat};

use crate::answers;
use crate::checks::{ScenarioProblem, option_line, show_seat};
use crate::play::ScenarioRunner;
use crate::running_match::SubmitError;
use crate::scenario::{LocatedInput, ScenarioStep, StepInput};

/// Id that no question has.
const NO_QUESTION: InputId = InputId(0);

impl ScenarioRunner<'_> {
    /// Submits one input. It must be accepted, or refused as the step says.
    pub(crate) fn send(
        &mut self,
        step: &ScenarioStep<'_>,
        sent: &LocatedInput<'_>,
    ) -> Result<(), ScenarioProblem> {
        match &sent.what {
            StepInput::Answer(seat, node) | StepInput::Draft(seat, node) => {
                let asked = step.to.unwrap_or(*seat);
                let input = self.question(step, sent, asked)?;
                let pending = self.running.pending(asked).filter(|_| !step.is_late);
                let written = answers::read(&self.running, pending.as_ref(), node);
                let (seat, answer) = (*seat, written.answer.clone());
                let input = match sent.what {
                    StepInput::Draft(..) => Input::Draft { input, seat, answer },
                    _ => Input::Answer { input, seat, answer },
                };
                self.submit(step, sent, &input, Some(&written))
            }
            StepInput::Drag(seat, ends) => self.drag(step, sent, *seat, *ends),
            StepInput::Auto(seat, until, stops) => {
                let input = Input::AutoPass { seat: *seat, until: *until, stops: *stops };
                self.submit(step, sent, &input, None)
            }
            StepInput::Timeout(Some(seats)) => seats.iter().try_for_each(|seat| {
                let input = self.question(step, sent, *seat)?;
                self.submit(step, sent, &Input::Timeout { input }, None)
            }),
            StepInput::Timeout(None) => self.timeout_all(step, sent),
            StepInput::Leave(seat, cause) => {
                self.submit(step, sent, &Input::Leave { seat: *seat, cause: *cause }, None)
            }
            StepInput::Moderate(winners, pot) => {
                let pot = self.running.program.symbol_named(pot).expect("pots are native symbols");
                self.submit(step, sent, &Input::Moderate { winners: winners.clone(), pot }, None)
            }
        }
    }

    fn timeout_all(
        &mut self,
        step: &ScenarioStep<'_>,
        sent: &LocatedInput<'_>,
    ) -> Result<(), ScenarioProblem> {
        let open: Vec<InputId> = self.running.game.pending().map(|pending| pending.id()).collect();
        if open.is_empty() {
            return Err(ScenarioProblem::new(sent.span, "no seat is asked anything"));
        }
        for input in open {
            let is_open = self.running.game.pending().any(|pending| pending.id() == input);
            if is_open {
                self.submit(step, sent, &Input::Timeout { input }, None)?;
            }
        }
        Ok(())
    }

    /// Returns the question an input answers.
    fn question(
        &self,
        step: &ScenarioStep<'_>,
        sent: &LocatedInput<'_>,
        seat: Seat,
    ) -> Result<InputId, ScenarioProblem> {
        if !step.is_late {
            return Ok(self.running.question(seat).unwrap_or(NO_QUESTION));
        }
        let closed = self.running.closed_question(seat);
        closed.ok_or_else(|| {
            ScenarioProblem::new(sent.span, format!("{} has no earlier question", show_seat(seat)))
        })
    }

    /// Returns what a refused input must leave unchanged: the snapshot and the number of events.
    pub(crate) fn fingerprint(&self) -> (Vec<u8>, usize) {
        (self.running.game.snapshot(), self.running.event_count())
    }

    pub(crate) fn submit(
        &mut self,
        step: &ScenarioStep<'_>,
        sent: &LocatedInput<'_>,
        input: &Input,
        written: Option<&WrittenAnswer>,
    ) -> Result<(), ScenarioProblem> {
        let before = self.fingerprint();
        match (self.running.submit(input), step.refused) {
            (Ok(()), None) => self.check_dice(sent),
            (Ok(()), Some(expected)) => Err(ScenarioProblem::new(
                expected.span,
                format!("this should be refused ({}) but was accepted", expected.value),
            )),
            (Err(SubmitError::LawBroken(law)), _) => Err(ScenarioProblem::new(sent.span, law)),
            (Err(SubmitError::Refused(refusal)), _) => {
                let refusal = answers::explain(written, refusal);
                let reason = match self.unasked_seat(step, input) {
                    Some(seat) => self.not_asked_text(seat),
                    None => self.running.reason(&refusal),
                };
                let refused = self.refused(step, sent, &refusal, &reason, &before);
                refused.map_err(|mut problem| {
                    problem.lines.extend(self.open_question(step, input, &refusal));
                    problem
                })
            }
        }
    }

    /// Reports scripted dice that did not match a roll of an item on the stack. Only that item fails, and the
    /// input is accepted.
    fn check_dice(&self, sent: &LocatedInput<'_>) -> Result<(), ScenarioProblem> {
        let mut failures = self.running.game.failures().iter();
        let Some(fault) = failures.find(|fault| fault.code == FaultCode::Script) else { return Ok(()) };
        Err(ScenarioProblem::new(sent.span, self.running.reason(&Refusal::Faulted(fault.clone()))))
    }

    /// Says which question a rejected answer was for, and what its options are.
    fn open_question(&self, step: &ScenarioStep<'_>, input: &Input, refusal: &Refusal) -> Vec<String> {
        let (Input::Answer { input, .. } | Input::Draft { input, .. }) = input else { return Vec::new() };
        let Refusal::Rejected(_) = refusal else { return Vec::new() };
        let pending = self.running.game.pending().find(|pending| pending.id() == *input);
        let Some(pending) = pending.filter(|_| !step.is_late) else { return Vec::new() };
        let seat = show_seat(pending.seat());
        let question = format!("{seat} is asked: {}", self.running.title(&pending));
        std::iter::once(question).chain(option_line(&self.running, &pending)).collect()
    }

    /// Checks that the refusal was expected, for that reason, and changed nothing.
    pub(crate) fn refused(
        &self,
        step: &ScenarioStep<'_>,
        sent: &LocatedInput<'_>,
        refusal: &Refusal,
        reason: &str,
        before: &(Vec<u8>, usize),
    ) -> Result<(), ScenarioProblem> {
        let Some(expected) = step.refused else {
            return Err(ScenarioProblem::new(sent.span, format!("this was refused: {reason}")));
        };
        if expected.value != reason && expected.value != name(refusal) {
            let lines = vec![
                "this was refused for a different reason:".to_owned(),
                format!("  - {}", expected.value),
                format!("  + {reason} ({})", name(refusal)),
            ];
            return Err(ScenarioProblem::of_lines(expected.span, lines));
        }
        if *before != self.fingerprint() {
            return Err(ScenarioProblem::new(sent.span, "law broken: a refused input changed something"));
        }
        Ok(())
    }

    /// Returns the seat of an answer to no open question, unless the step wants that.
    fn unasked_seat(&self, step: &ScenarioStep<'_>, input: &Input) -> Option<Seat> {
        let (Input::Answer { seat, .. } | Input::Draft { seat, .. }) = input else { return None };
        let is_meant = step.refused.is_some() || step.is_late;
        let asked = step.to.unwrap_or(*seat);
        let is_unasked = !is_meant && self.running.pending(asked).is_none();
        (is_unasked && self.running.game.ending().is_none()).then_some(asked)
    }

    fn not_asked_text(&self, seat: Seat) -> String {
        let asked = |pending: PendingQuestion<'_>| {
            format!("{} ({})", show_seat(pending.seat()), self.running.title(&pending))
        };
        let asked: Vec<String> = self.running.game.pending().map(asked).collect();
        let others = if asked.is_empty() { "nobody".to_owned() } else { asked.join(", ") };
        format!("{} is not asked anything; asked: {others}", show_seat(seat))
    }
}

/// Returns the stable name of a reason.
fn name(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Rejected(rejection) => rejection.name(),
        Refusal::Faulted(fault) => fault.code.name(),
    }
}
