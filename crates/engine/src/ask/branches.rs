//! Answers with nested branches: checking and conversion into values.
//!
//! An answer is one flat list. The child branches taken follow right after their parent, so the list splits
//! into one part per top-level branch, and the rest of each part splits again.

use intermezzo_program::{BranchContent, Choice, FaultCode, Word};

use crate::ask::answer::{CheckResult, check_count, check_picks, picked_option};
use crate::ask::input::Rejection;
use crate::ask::request::PendingQuestion;
use crate::optimize::program_index::symbol_word;
use crate::storage::heap::Heap;

type BranchPick = (u16, Vec<i32>);

/// A taken branch.
struct PickedBranch<'t> {
    index: u16,
    picks: &'t [i32],
    /// Child branches taken.
    inner: &'t [BranchPick],
}

/// Splits a list into the branches of one level. An entry that is not a child of the branch before it starts
/// a new part.
fn split_level<'t>(
    choice: &'t Choice,
    mut taken: &'t [BranchPick],
) -> impl Iterator<Item = PickedBranch<'t>> {
    std::iter::from_fn(move || {
        let ((index, picks), after) = taken.split_first()?;
        let is_inner = |(other, _): &&BranchPick| choice.is_within(usize::from(*other), *index);
        let (inner, others) = after.split_at(after.iter().take_while(is_inner).count());
        taken = others;
        Some(PickedBranch { index: *index, picks, inner })
    })
}

impl PendingQuestion<'_> {
    pub(crate) fn check_branches(&self, taken: &[BranchPick]) -> CheckResult {
        self.check_level(None, taken, self.bounds())
    }

    /// Checks the branches taken below one parent, then the picks in each.
    fn check_level(&self, parent: Option<u16>, taken: &[BranchPick], (min, max): (u32, u32)) -> CheckResult {
        let mut seen: Vec<u16> = Vec::new();
        let mut is_alone = false;
        for PickedBranch { index, .. } in split_level(self.choice, taken) {
            let pick = i64::from(index);
            let branch = self.branch(usize::from(index));
            let branch = branch.filter(|branch| branch.available && branch.parent == parent);
            is_alone |= branch.ok_or(Rejection::NoSuchOption { pick })?.exclusive;
            if seen.contains(&index) {
                return Err(Rejection::BranchTwice {
                    title: self.branch_title(usize::from(index)).to_owned(),
                });
            }
            seen.push(index);
        }
        if is_alone && seen.len() > 1 {
            return Err(Rejection::ExclusiveMixed);
        }
        check_count(seen.len(), min, max)?;
        split_level(self.choice, taken).try_for_each(|part| self.check_part(&part))
    }

    fn check_part(&self, part: &PickedBranch<'_>) -> CheckResult {
        let Some(branch) = self.branch(usize::from(part.index)) else {
            return Ok(());
        };
        let bounds = (branch.min, branch.max);
        let checked = match branch.inner {
            BranchContent::Nothing | BranchContent::Options => {
                check_picks(part.picks, branch.options.len(), branch.min, branch.max)
            }
            BranchContent::Branches => check_picks(part.picks, 0, 0, 0)
                .and_then(|()| self.check_level(Some(part.index), part.inner, bounds)),
        };
        checked.map_err(|rejection| rejection.in_branch(self.branch_title(usize::from(part.index))))
    }

    /// Returns the display title of a branch.
    pub(crate) fn branch_title(&self, index: usize) -> &str {
        let title = self.choice.branches.get(index).map(|branch| branch.title.index());
        title.and_then(|title| self.program.texts.get(title)).map_or("", String::as_str)
    }

    /// Writes the taken branches: id, number of items and items of each; with more levels also the number of
    /// child branches taken, then the same for each of those. Returns how many branches were written.
    pub(crate) fn resolve_branches(&self, taken: &[BranchPick], levels: usize, out: &mut Vec<Word>) -> Word {
        let mut written = 0;
        for part in split_level(self.choice, taken) {
            let Some(branch) = self.branch(usize::from(part.index)) else {
                continue;
            };
            out.push(symbol_word(self.choice.branches[usize::from(part.index)].id));
            out.push(part.picks.len() as Word);
            out.extend(part.picks.iter().map(|pick| picked_option(branch.options, *pick)));
            if levels > 1 {
                let count = out.len();
                out.push(0);
                out[count] = self.resolve_branches(part.inner, levels - 1, out);
            }
            written += 1;
        }
        written
    }
}

/// Builds the records from the words that [`PendingQuestion::resolve_branches`] wrote.
pub(crate) fn build_records(
    heap: &mut Heap,
    levels: usize,
    mut words: &[Word],
) -> Result<Vec<Word>, FaultCode> {
    let mut records = Vec::new();
    while let Some(record) = next_record(heap, levels, &mut words)? {
        records.push(record);
    }
    Ok(records)
}

fn next_record(heap: &mut Heap, levels: usize, words: &mut &[Word]) -> Result<Option<Word>, FaultCode> {
    let [id, len, after @ ..] = *words else {
        return Ok(None);
    };
    let (items, rest) = after.split_at((*len as usize).min(after.len()));
    *words = rest;
    let selection = heap.new_list(items)?;
    let (Some((count, rest)), true) = (rest.split_first(), levels > 1) else {
        return heap.new_record(&[*id, selection]).map(Some);
    };
    *words = rest;
    let mut chosen = Vec::new();
    for _ in 0..*count {
        chosen.extend(next_record(heap, levels - 1, words)?);
    }
    let chosen = heap.new_list(&chosen)?;
    heap.new_record(&[*id, selection, chosen]).map(Some)
}
