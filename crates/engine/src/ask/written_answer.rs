//! Answers in which names may match nothing, or too much.
//!
//! Clients and scenario files write answers with names. A name that does not match exactly one option becomes a number that no
//! option has, so the match checks all answers in the same order. Only [`WrittenAnswer::explain`] turns
//! such a number back into the name.

use crate::ask::input::{Answer, Refusal, Rejection};
use crate::ask::request::PendingQuestion;
use crate::values::datum::Datum;

/// Picks from this number on stand for names that match no option, or more than one.
const UNKNOWN_PICK: i32 = 1 << 30;
/// Branches from this number on stand for names that match no branch.
const UNKNOWN_BRANCH: u16 = 1 << 15;
/// Greatest number of unknown names that are told apart; an answer is rejected for the first anyway.
const MAX_UNKNOWN: usize = 1 << 14;

/// An answer, and the names in it that do not match exactly one option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenAnswer {
    pub answer: Answer,
    unknown: Vec<UnknownSelection>,
}

/// Name in an answer that matches nothing, or different options.
#[derive(Clone, PartialEq, Eq, Debug)]
struct UnknownSelection {
    rejection: Rejection,
    /// Title of the enclosing branch, if the pick alone does not identify it.
    within: Option<String>,
}

/// Returns a pick as error messages quote it, in whatever form it was written.
#[must_use]
pub fn quoted_selection(item: &Datum) -> String {
    match item {
        Datum::Map(entries) if entries.len() == 1 => item.get("n").unwrap_or(item).to_string(),
        _ => item.to_string(),
    }
}

impl Default for WrittenAnswer {
    fn default() -> WrittenAnswer {
        WrittenAnswer { answer: Answer::Picks(Vec::new()), unknown: Vec::new() }
    }
}

impl WrittenAnswer {
    /// Returns the pick that stands for a name that matches no option.
    pub fn unknown_pick(&mut self, selection: String) -> i32 {
        UNKNOWN_PICK + self.add_unknown(Rejection::NoSuchSelection { selection }, None) as i32
    }

    /// Returns the pick that stands for a name that matches `count` different options.
    pub fn ambiguous_pick(&mut self, selection: String, count: u32) -> i32 {
        UNKNOWN_PICK + self.add_unknown(Rejection::AmbiguousOption { selection, count }, None) as i32
    }

    /// Returns the branch that stands for a name that matches no branch; `within` is the title of the branch
    /// around it.
    pub fn unknown_branch(&mut self, selection: String, within: Option<String>) -> u16 {
        UNKNOWN_BRANCH + self.add_unknown(Rejection::NoSuchSelection { selection }, within) as u16
    }

    fn add_unknown(&mut self, rejection: Rejection, within: Option<String>) -> usize {
        if self.unknown.len() < MAX_UNKNOWN {
            self.unknown.push(UnknownSelection { rejection, within });
        }
        self.unknown.len() - 1
    }

    /// Returns the rejection with the name that was written in place of the number that stands for it.
    #[must_use]
    pub fn explain(&self, rejection: Rejection) -> Rejection {
        let Rejection::NoSuchOption { pick } = *rejection.innermost() else { return rejection };
        let place = match pick {
            pick if pick >= i64::from(UNKNOWN_PICK) => pick - i64::from(UNKNOWN_PICK),
            pick => pick - i64::from(UNKNOWN_BRANCH),
        };
        let unknown = usize::try_from(place).ok().and_then(|place| self.unknown.get(place));
        let Some(unknown) = unknown else { return rejection };
        let named = unknown.rejection.clone();
        match (rejection, &unknown.within) {
            (Rejection::InBranch { title, .. }, _) => named.in_branch(&title),
            (_, Some(title)) => named.in_branch(title),
            _ => named,
        }
    }

    /// Returns the answer if all its names match something.
    ///
    /// # Errors
    ///
    /// The first error in the answer, in the order in which the match checks answers.
    pub(crate) fn all_known(self, pending: &PendingQuestion<'_>) -> Result<Answer, Rejection> {
        let Some(first) = self.unknown.first() else { return Ok(self.answer) };
        match pending.check(&self.answer) {
            Err(Refusal::Rejected(rejection)) => Err(self.explain(rejection)),
            Ok(()) | Err(Refusal::Faulted(_)) => Err(first.rejection.clone()),
        }
    }
}
