//! The same match under changed rules.

use std::sync::Arc;

use intermezzo_journal::sentences::{event_text, input_text};
use intermezzo_journal::{SavedEvent, SavedInput, SavedStatus};
use intermezzo_ruleset::Program;

use crate::table::{Refused, Table};

/// What became of a match under changed rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Reloaded {
    /// So many inputs were taken again.
    pub inputs: usize,
    /// Of so many.
    pub of: usize,
    /// The first event that is another.
    pub difference: Option<Difference>,
    /// The input that is no longer legal.
    pub stopped: Option<Stopped>,
}

/// The first event that differs.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The input it belongs to; 0 is the start of the match.
    pub input: usize,
    /// Its number among all events of the match, from 1.
    pub n: usize,
    /// What happened before the rules changed; nothing if it is new.
    pub before: Option<Told>,
    /// What happens now; nothing if it no longer does.
    pub after: Option<Told>,
}

/// An event in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Its type.
    pub event: String,
    /// Its sentence.
    pub text: String,
}

/// An input that is no longer legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// Its number.
    pub input: usize,
    /// What was sent, in words.
    pub text: String,
    /// Why it is not taken any more.
    pub reason: String,
}

impl Table {
    /// Runs the inputs again under other rules, as far as they mean something there; what they no longer take becomes a
    /// branch. Rolls are the same as long as the same dice are rolled, and told ones are told again.
    ///
    /// # Errors
    ///
    /// If the match cannot even begin under these rules. Then it stays as it was.
    pub fn reload(&mut self, program: &Arc<Program>) -> Result<Reloaded, Refused> {
        let old = self.recorder.file().clone();
        let (made, _) = self.dice();
        let dice = &made[..self.told.min(made.len())];
        // Dice that the new rules do not know cannot be told again.
        let rolls = crate::table::read_rolls(program, dice).unwrap_or_default();
        let told = rolls.len();
        let mut fresh = match Table::with_rolls(program, self.start.clone(), rolls, told) {
            Err(Refused::CannotStart(_)) if told > 0 => {
                Table::with_rolls(program, self.start.clone(), Vec::new(), 0)?
            }
            begun => begun?,
        };
        let mut n = 0;
        let mut difference =
            self.first_difference(&fresh, 0, &mut n, &old.start.events, &fresh.recorder.file().start.events);
        let mut stopped = None;
        for (place, entry) in old.inputs.iter().enumerate() {
            if let Err(reason) = fresh.take_again(&entry.input) {
                let text = input_text(&entry.input);
                stopped = Some(Stopped { input: place + 1, text, reason });
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
        fresh.leave_behind(taken, left);
        fresh.set_bots(&self.start.bots.clone());
        *self = fresh;
        Ok(Reloaded { inputs: taken, of: old.inputs.len(), difference, stopped })
    }

    fn take_again(&mut self, saved: &SavedInput) -> Result<(), String> {
        let input = self.recorder.reread(saved)?;
        self.take(&input).map_err(|refused| refused.to_string())
    }

    fn first_difference(
        &self,
        fresh: &Table,
        input: usize,
        n: &mut usize,
        before: &[SavedEvent],
        after: &[SavedEvent],
    ) -> Option<Difference> {
        let is_same = |one: &SavedEvent, other: &SavedEvent| {
            (&one.event, &one.fields, one.status) == (&other.event, &other.fields, other.status)
        };
        let same = before.iter().zip(after).take_while(|(one, other)| is_same(one, other)).count();
        *n += same;
        if same == before.len() && same == after.len() {
            return None;
        }
        Some(Difference {
            input,
            n: *n + 1,
            before: before.get(same).map(|event| told(self.program(), event)),
            after: after.get(same).map(|event| told(fresh.program(), event)),
        })
    }
}

fn told(program: &Program, event: &SavedEvent) -> Told {
    let text = event_text(program, &event.event, &event.fields, event.status == SavedStatus::Failed);
    let suffix = if event.status == SavedStatus::Prevented { " (prevented)" } else { "" };
    Told { event: event.event.clone(), text: text + suffix }
}
