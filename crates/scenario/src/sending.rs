//! Sending the inputs of a step into the match.

use intermezzo_engine::{Input, InputId, Refusal};
use intermezzo_ruleset::Seat;

use crate::answers::Written;
use crate::checks::{Problem, show_seat};
use crate::play::Playing;
use crate::scenario::{Sending, Sent, Step};
use crate::table::Trouble;

/// Nobody is ever asked this.
const NO_QUESTION: InputId = InputId(0);

impl Playing<'_> {
    /// Sends one input; it must be taken, or refused as the step says.
    pub(crate) fn send(&mut self, step: &Step<'_>, sent: &Sent<'_>) -> Result<(), Problem> {
        match &sent.what {
            Sending::Answer(seat, node) | Sending::Draft(seat, node) => {
                let asked = step.to.unwrap_or(*seat);
                let input = self.question(step, sent, asked)?;
                let pending = self.table.pending(asked).filter(|_| !step.is_late);
                let written = Written::read(&self.table, pending.as_ref(), node);
                let (seat, answer) = (*seat, written.answer.clone());
                let input = match sent.what {
                    Sending::Draft(..) => Input::Draft { input, seat, answer },
                    _ => Input::Answer { input, seat, answer },
                };
                self.submit(step, sent, &input, Some(&written))
            }
            Sending::Drag(seat, ends) => self.drag(step, sent, *seat, *ends),
            Sending::Auto(seat, until, stops) => {
                let input = Input::AutoPass { seat: *seat, until: *until, stops: *stops };
                self.submit(step, sent, &input, None)
            }
            Sending::Timeout(Some(seats)) => seats.iter().try_for_each(|seat| {
                let input = self.question(step, sent, *seat)?;
                self.submit(step, sent, &Input::Timeout { input }, None)
            }),
            Sending::Timeout(None) => self.timeout_all(step, sent),
            Sending::Leave(seat, cause) => {
                self.submit(step, sent, &Input::Leave { seat: *seat, cause: *cause }, None)
            }
            Sending::Moderate(winners, pot) => {
                let pot = self.table.program.symbol_named(pot).expect("pots are native symbols");
                self.submit(step, sent, &Input::Moderate { winners: winners.clone(), pot }, None)
            }
        }
    }

    fn timeout_all(&mut self, step: &Step<'_>, sent: &Sent<'_>) -> Result<(), Problem> {
        let open: Vec<InputId> = self.table.played.pending().map(|pending| pending.id()).collect();
        if open.is_empty() {
            return Err(Problem::new(sent.span, "nobody is asked anything"));
        }
        for input in open {
            let is_open = self.table.played.pending().any(|pending| pending.id() == input);
            if is_open {
                self.submit(step, sent, &Input::Timeout { input }, None)?;
            }
        }
        Ok(())
    }

    /// The question an input is about.
    fn question(&self, step: &Step<'_>, sent: &Sent<'_>, seat: Seat) -> Result<InputId, Problem> {
        if !step.is_late {
            return Ok(self.table.question(seat).unwrap_or(NO_QUESTION));
        }
        let closed = self.table.closed_question(seat);
        closed.ok_or_else(|| Problem::new(sent.span, format!("{} was asked nothing before", show_seat(seat))))
    }

    /// What no refusal may change.
    pub(crate) fn standing(&self) -> (Vec<u8>, usize) {
        (self.table.played.snapshot(), self.table.event_count())
    }

    pub(crate) fn submit(
        &mut self,
        step: &Step<'_>,
        sent: &Sent<'_>,
        input: &Input,
        written: Option<&Written>,
    ) -> Result<(), Problem> {
        let before = self.standing();
        match (self.table.submit(input), step.refused) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(expected)) => Err(Problem::new(
                expected.span,
                format!("this should be refused ({}) but was taken", expected.value),
            )),
            (Err(Trouble::LawBroken(law)), _) => Err(Problem::new(sent.span, law)),
            (Err(Trouble::Refused(refusal)), _) => {
                let reason = match (self.unasked(input), written) {
                    (Some(seat), _) if step.refused.is_none() => self.who_is_asked(seat),
                    (_, Some(written)) => written.reason(&self.table, &refusal),
                    (_, None) => self.table.reason(&refusal),
                };
                self.refused(step, sent, &refusal, &reason, &before)
            }
        }
    }

    /// An input was refused: it had to be, for that reason, and nothing may have changed.
    pub(crate) fn refused(
        &self,
        step: &Step<'_>,
        sent: &Sent<'_>,
        refusal: &Refusal,
        reason: &str,
        before: &(Vec<u8>, usize),
    ) -> Result<(), Problem> {
        let Some(expected) = step.refused else {
            return Err(Problem::new(sent.span, format!("this was refused: {reason}")));
        };
        if expected.value != reason && expected.value != name(refusal) {
            let lines = vec![
                "this was refused for another reason:".to_owned(),
                format!("  - {}", expected.value),
                format!("  + {reason} ({})", name(refusal)),
            ];
            return Err(Problem::of_lines(expected.span, lines));
        }
        if *before != self.standing() {
            return Err(Problem::new(sent.span, "a law is broken: a refused input changed something"));
        }
        Ok(())
    }

    /// Who sent an answer without a question, if that is what the input is.
    fn unasked(&self, input: &Input) -> Option<Seat> {
        match input {
            Input::Answer { input, seat, .. } | Input::Draft { input, seat, .. } if *input == NO_QUESTION => {
                self.table.played.ending().is_none().then_some(*seat)
            }
            _ => None,
        }
    }

    fn who_is_asked(&self, seat: Seat) -> String {
        let asked: Vec<String> =
            self.table.played.pending().map(|pending| show_seat(pending.seat())).collect();
        let others = if asked.is_empty() { "nobody".to_owned() } else { asked.join(", ") };
        format!("{} is not asked anything; asked: {others}", show_seat(seat))
    }
}

/// The stable name of a reason.
fn name(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Rejected(rejection) => rejection.name(),
        Refusal::Faulted(fault) => fault.code.name(),
    }
}
