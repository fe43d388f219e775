//! Checking of answers and conversion into values.

use intermezzo_program::{AnswerShape, Choice, FaultCode, NULL, Type, Word};

use crate::ask::branches;
use crate::ask::input::{Answer, Refusal, Rejection};
use crate::ask::request::PendingQuestion;
use crate::storage::heap::Heap;

pub(crate) type CheckResult = Result<(), Rejection>;

impl PendingQuestion<'_> {
    /// Checks an answer: picks exist, none repeats, exclusive branches are alone, and the number fits; then
    /// the same inside each branch; for a path, that each step follows the ones before it.
    ///
    /// # Errors
    ///
    /// The error in the answer, or the fault of a rule that computes the next options of a path.
    pub fn check(&self, answer: &Answer) -> Result<(), Refusal> {
        match (answer, self.choice.shape) {
            (Answer::Picks(picks), AnswerShape::Path) => self.check_path(picks),
            _ => {
                self.check_static(answer)?;
                self.check_selection(answer)
            }
        }
    }

    /// Returns the answer that `true` and `false` mean where a player may take an option or none, unless these
    /// are options themselves. `true` takes the only option; it means nothing if there are several.
    #[must_use]
    pub fn consent(&self, accepts: bool) -> Option<Answer> {
        let (min, max) = self.bounds();
        let has_own = self.program.types[self.choice.item.index()] == Type::Bool;
        if has_own || self.choice.shape != AnswerShape::Pick || !self.choice.pass && min > 0 {
            return None;
        }
        match accepts {
            true => (self.option_count() == 1 && max >= 1).then(|| Answer::Picks(vec![0])),
            false if self.choice.pass => Some(Answer::Pass),
            false => Some(Answer::Picks(Vec::new())),
        }
    }

    /// Checks an answer that needs no rule to run.
    fn check_static(&self, answer: &Answer) -> CheckResult {
        match (answer, self.choice.shape) {
            (Answer::Pass, _) if self.choice.pass => Ok(()),
            (Answer::Pass, _) => Err(Rejection::CannotPass),
            (Answer::Picks(picks), AnswerShape::Slots { empty }) => self.check_slots(picks, empty),
            (Answer::Picks(picks), AnswerShape::Pick | AnswerShape::Order) => {
                let (min, max) = self.bounds();
                check_picks(picks, self.option_count(), min, max)
            }
            (Answer::Branches(branches), AnswerShape::Branches) => self.check_branches(branches),
            _ => Err(Rejection::WrongShape),
        }
    }

    fn check_slots(&self, picks: &[i32], empty: bool) -> CheckResult {
        let options = self.option_count();
        check_existence(picks, options, true)?;
        check_repeats(picks, options)?;
        let slots = self.ask.max;
        check_count(picks.len(), slots, slots)?;
        match picks.iter().position(|pick| *pick < 0) {
            Some(slot) if !empty => Err(Rejection::SlotEmpty { slot: slot as u32 }),
            _ => Ok(()),
        }
    }

    /// Repairs an invalid draft: picks that do not exist or repeat become empty slots or are dropped.
    pub(crate) fn repair_draft(&self, answer: &Answer) -> Answer {
        let Answer::Picks(picks) = answer else {
            return answer.clone();
        };
        if self.choice.shape == AnswerShape::Path {
            return Answer::Picks(self.longest_valid_prefix(picks));
        }
        let options = self.option_count();
        let mut used = vec![false; options];
        let mut keep = |pick: i32| {
            let free = usize::try_from(pick).ok().filter(|pick| used.get(*pick) == Some(&false));
            free.map(|index| used[index] = true).is_some()
        };
        match self.choice.shape {
            AnswerShape::Slots { .. } => {
                let slot = |slot: usize| picks.get(slot).copied().filter(|pick| keep(*pick)).unwrap_or(-1);
                Answer::Picks((0..self.ask.max as usize).map(slot).collect())
            }
            _ => {
                let valid = picks.iter().copied().filter(|pick| keep(*pick));
                Answer::Picks(valid.take(self.ask.max as usize).collect())
            }
        }
    }
}

/// Builds the value of picks from a list of options.
pub(crate) fn value_of_picks(
    heap: &mut Heap,
    choice: &Choice,
    options: Word,
    picks: &[i32],
) -> Result<Word, FaultCode> {
    if choice.single && !matches!(choice.shape, AnswerShape::Slots { .. }) {
        return Ok(picks
            .first()
            .map_or(NULL, |pick| picked_option(heap.list(options).unwrap_or(&[]), *pick)));
    }
    heap.new_selection(options, picks)
}

/// Builds the value of branches from the words that [`PendingQuestion::resolve_branches`] wrote.
pub(crate) fn value_of_branches(heap: &mut Heap, choice: &Choice, words: &[Word]) -> Result<Word, FaultCode> {
    let records = branches::build_records(heap, choice.levels(), words)?;
    if choice.single {
        return Ok(records.first().copied().unwrap_or(NULL));
    }
    heap.new_list(&records)
}

/// Returns the picked option; null for an empty slot.
pub(crate) fn picked_option(options: &[Word], pick: i32) -> Word {
    usize::try_from(pick).ok().and_then(|pick| options.get(pick).copied()).unwrap_or(NULL)
}

pub(crate) fn check_picks(picks: &[i32], options: usize, min: u32, max: u32) -> CheckResult {
    check_existence(picks, options, false)?;
    check_repeats(picks, options)?;
    check_count(picks.len(), min, max)
}

fn check_existence(picks: &[i32], options: usize, may_be_empty: bool) -> CheckResult {
    let exists = |pick: &i32| match usize::try_from(*pick) {
        Ok(pick) => pick < options,
        Err(_) => may_be_empty && *pick == -1,
    };
    match picks.iter().find(|pick| !exists(pick)) {
        Some(pick) => Err(Rejection::NoSuchOption { pick: i64::from(*pick) }),
        None => Ok(()),
    }
}

fn check_repeats(picks: &[i32], options: usize) -> CheckResult {
    // The cheapest test that fits: a bit set for few options, a quadratic scan for few picks, else a table.
    let twice = |pick: i32| Err(Rejection::PickedTwice { pick: i64::from(pick) });
    if options <= 64 {
        let mut used = 0u64;
        for pick in picks.iter().filter(|pick| **pick >= 0) {
            let bit = 1 << (pick & 63);
            if used & bit != 0 {
                return twice(*pick);
            }
            used |= bit;
        }
        return Ok(());
    }
    if picks.len() <= 32 {
        for (place, pick) in picks.iter().enumerate() {
            if *pick >= 0 && picks[..place].contains(pick) {
                return twice(*pick);
            }
        }
        return Ok(());
    }
    let mut used = vec![false; options];
    for pick in picks.iter().filter(|pick| **pick >= 0) {
        if std::mem::replace(&mut used[*pick as usize], true) {
            return twice(*pick);
        }
    }
    Ok(())
}

pub(crate) fn check_count(got: usize, min: u32, max: u32) -> CheckResult {
    if (min as usize..=max as usize).contains(&got) {
        return Ok(());
    }
    Err(Rejection::WrongCount { expected_min: min, expected_max: max, got: got as u32 })
}
