//! Checking answers and turning them into values.

use intermezzo_ruleset::{Choice, FaultCode, NULL, Shape, Word};

use crate::branches;
use crate::heap::Heap;
use crate::input::{Answer, Refusal, Rejection};
use crate::request::Pending;

pub(crate) type Checked = Result<(), Rejection>;

impl Pending<'_> {
    /// Checks an answer: that picks exist, none twice, exclusive ones alone, and their number; then the same of what is
    /// picked in each branch; of a path that each step follows those before it.
    ///
    /// # Errors
    ///
    /// What is wrong with it, or that a rule failed that says what follows on a path.
    pub fn check(&self, answer: &Answer) -> Result<(), Refusal> {
        match (answer, self.choice.shape) {
            (Answer::Picks(picks), Shape::Path) => self.check_path(picks),
            _ => self.check_still(answer).map_err(Refusal::from),
        }
    }

    /// The same for what needs no computing.
    fn check_still(&self, answer: &Answer) -> Checked {
        match (answer, self.choice.shape) {
            (Answer::Pass, _) if self.choice.pass => Ok(()),
            (Answer::Pass, _) => Err(Rejection::CannotPass),
            (Answer::Picks(picks), Shape::Slots { empty }) => self.check_slots(picks, empty),
            (Answer::Picks(picks), Shape::Pick | Shape::Order) => {
                let (min, max) = self.bounds();
                check_picks(picks, self.option_count(), min, max)
            }
            (Answer::Branches(branches), Shape::Branches) => self.check_branches(branches),
            _ => Err(Rejection::WrongShape),
        }
    }

    fn check_slots(&self, picks: &[i32], empty: bool) -> Checked {
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

    /// Makes a draft legal where it can be: what does not exist or repeats becomes an empty slot or is dropped.
    pub(crate) fn blank(&self, answer: &Answer) -> Answer {
        let Answer::Picks(picks) = answer else {
            return answer.clone();
        };
        if self.choice.shape == Shape::Path {
            return Answer::Picks(self.beginning(picks));
        }
        let options = self.option_count();
        let mut used = vec![false; options];
        let mut keep = |pick: i32| {
            let free = usize::try_from(pick).ok().filter(|pick| used.get(*pick) == Some(&false));
            free.map(|index| used[index] = true).is_some()
        };
        match self.choice.shape {
            Shape::Slots { .. } => {
                let slot = |slot: usize| picks.get(slot).copied().filter(|pick| keep(*pick)).unwrap_or(-1);
                Answer::Picks((0..self.ask.max as usize).map(slot).collect())
            }
            _ => {
                let kept = picks.iter().copied().filter(|pick| keep(*pick));
                Answer::Picks(kept.take(self.ask.max as usize).collect())
            }
        }
    }
}

/// The value of picks among the items of a list.
pub(crate) fn value_of_picks(
    heap: &mut Heap,
    choice: &Choice,
    options: Word,
    picks: &[i32],
) -> Result<Word, FaultCode> {
    if choice.single && !matches!(choice.shape, Shape::Slots { .. }) {
        return Ok(picks.first().map_or(NULL, |pick| item(heap.list(options).unwrap_or(&[]), *pick)));
    }
    heap.new_selection(options, picks)
}

/// The value of branches, built from what [`Pending::resolve_branches`] wrote.
pub(crate) fn value_of_branches(heap: &mut Heap, choice: &Choice, words: &[Word]) -> Result<Word, FaultCode> {
    let records = branches::records(heap, choice.levels(), words)?;
    if choice.single {
        return Ok(records.first().copied().unwrap_or(NULL));
    }
    heap.new_list(&records)
}

/// The option that is picked.
pub(crate) fn item(options: &[Word], pick: i32) -> Word {
    usize::try_from(pick).ok().and_then(|pick| options.get(pick).copied()).unwrap_or(NULL)
}

pub(crate) fn check_picks(picks: &[i32], options: usize, min: u32, max: u32) -> Checked {
    check_existence(picks, options, false)?;
    check_repeats(picks, options)?;
    check_count(picks.len(), min, max)
}

fn check_existence(picks: &[i32], options: usize, may_be_empty: bool) -> Checked {
    let exists = |pick: &i32| match usize::try_from(*pick) {
        Ok(pick) => pick < options,
        Err(_) => may_be_empty && *pick == -1,
    };
    match picks.iter().find(|pick| !exists(pick)) {
        Some(pick) => Err(Rejection::NoSuchOption { pick: i64::from(*pick) }),
        None => Ok(()),
    }
}

fn check_repeats(picks: &[i32], options: usize) -> Checked {
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

pub(crate) fn check_count(got: usize, min: u32, max: u32) -> Checked {
    if (min as usize..=max as usize).contains(&got) {
        return Ok(());
    }
    Err(Rejection::WrongCount { expected_min: min, expected_max: max, got: got as u32 })
}
