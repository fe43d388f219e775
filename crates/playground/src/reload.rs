//! Reload of a match under changed rules.

use std::sync::Arc;

use intermezzo_matchfile::sentences::{event_text, input_text};
use intermezzo_matchfile::{SavedEvent, SavedInput, SavedStatus};
use intermezzo_program::Program;

use crate::playground_match::{PlaygroundError, PlaygroundMatch};

/// Result of a reload.
#[derive(Clone, PartialEq, Debug)]
pub struct ReloadReport {
    /// Number of inputs that were accepted again.
    pub inputs: usize,
    /// Number of inputs before the reload.
    pub of: usize,
    /// First event that differs.
    pub difference: Option<EventDifference>,
    /// Input that is no longer legal.
    pub stopped: Option<RejectedInput>,
}

/// First event that differs.
#[derive(Clone, PartialEq, Debug)]
pub struct EventDifference {
    /// Number of its input; 0 is the start of the match.
    pub input: usize,
    /// Number among all events of the match, from 1.
    pub n: usize,
    /// Event under the old rules; `None` if it is new.
    pub before: Option<EventDescription>,
    /// Event under the new rules; `None` if it no longer happens.
    pub after: Option<EventDescription>,
}

/// Description of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventDescription {
    /// Event type.
    pub event: String,
    /// Sentence for people.
    pub text: String,
}

/// Input that is no longer legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RejectedInput {
    /// Number of the input.
    pub input: usize,
    /// Description of the input.
    pub text: String,
    /// Reason why it is rejected.
    pub reason: String,
}

impl PlaygroundMatch {
    /// Runs the inputs again under other rules, as far as they are valid there. The rest becomes a branch.
    /// Rolls stay the same while the same dice are rolled, and dice that were set are set again.
    ///
    /// # Errors
    ///
    /// Returns an error if the match cannot start under these rules. It stays unchanged then.
    pub fn reload(&mut self, program: &Arc<Program>) -> Result<ReloadReport, PlaygroundError> {
        let old = self.recorder.file().clone();
        let (made, _) = self.dice();
        let dice = &made[..self.fixed_rolls.min(made.len())];
        // Dice that the new rules do not know cannot be set again.
        let rolls = crate::playground_match::read_rolls(program, dice).unwrap_or_default();
        let fixed_rolls = rolls.len();
        let mut fresh = match PlaygroundMatch::with_rolls(program, self.start.clone(), rolls, fixed_rolls) {
            Err(PlaygroundError::CannotStart(_)) if fixed_rolls > 0 => {
                PlaygroundMatch::with_rolls(program, self.start.clone(), Vec::new(), 0)?
            }
            begun => begun?,
        };
        let mut n = 0;
        let mut difference =
            self.first_difference(&fresh, 0, &mut n, &old.start.events, &fresh.recorder.file().start.events);
        let mut stopped = None;
        for (place, entry) in old.inputs.iter().enumerate() {
            if let Err(reason) = fresh.submit_again(&entry.input) {
                let text = input_text(&entry.input);
                stopped = Some(RejectedInput { input: place + 1, text, reason });
                break;
            }
            if difference.is_none() {
                let now = &fresh.recorder.file().inputs[place].events;
                difference = self.first_difference(&fresh, place + 1, &mut n, &entry.events, now);
            }
        }
        let taken = fresh.inputs().len();
        fresh.branches = std::mem::take(&mut self.branches);
        let left: Vec<SavedInput> = old.inputs[taken..].iter().map(|entry| entry.input.clone()).collect();
        fresh.add_branch(taken, left);
        fresh.set_bots(&self.start.bots.clone());
        *self = fresh;
        Ok(ReloadReport { inputs: taken, of: old.inputs.len(), difference, stopped })
    }

    fn submit_again(&mut self, saved: &SavedInput) -> Result<(), String> {
        let input = self.recorder.translate_input(saved)?;
        self.submit(&input).map_err(|refused| refused.to_string())
    }

    fn first_difference(
        &self,
        fresh: &PlaygroundMatch,
        input: usize,
        n: &mut usize,
        before: &[SavedEvent],
        after: &[SavedEvent],
    ) -> Option<EventDifference> {
        let is_same = |one: &SavedEvent, other: &SavedEvent| {
            (&one.event, &one.fields, one.status) == (&other.event, &other.fields, other.status)
        };
        let same = before.iter().zip(after).take_while(|(one, other)| is_same(one, other)).count();
        *n += same;
        if same == before.len() && same == after.len() {
            return None;
        }
        Some(EventDifference {
            input,
            n: *n + 1,
            before: before.get(same).map(|event| describe(self.program(), event)),
            after: after.get(same).map(|event| describe(fresh.program(), event)),
        })
    }
}

fn describe(program: &Program, event: &SavedEvent) -> EventDescription {
    let text = event_text(program, &event.event, &event.fields, event.status == SavedStatus::Failed);
    let suffix = if event.status == SavedStatus::Prevented { " (prevented)" } else { "" };
    EventDescription { event: event.event.clone(), text: text + suffix }
}
