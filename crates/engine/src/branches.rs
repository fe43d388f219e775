//! Answers that take branches, and branches of branches: checking them and turning them into values.
//!
//! An answer is one list. Right after a branch comes what is taken of its own
//! branches, so the list falls apart into parts, and the rest of each part again.

use intermezzo_ruleset::{Choice, FaultCode, Inner, Word};

use crate::answer::{Checked, check_count, check_picks, item};
use crate::heap::Heap;
use crate::input::Rejection;
use crate::request::Pending;
use crate::tables::symbol_word;

type Taken = (u16, Vec<i32>);

/// A branch that is taken.
struct Part<'t> {
    index: u16,
    picks: &'t [i32],
    /// What is taken of its own branches.
    inner: &'t [Taken],
}

/// What is taken on one level. What belongs to no branch before it stands for itself.
fn parts<'t>(choice: &'t Choice, mut taken: &'t [Taken]) -> impl Iterator<Item = Part<'t>> {
    std::iter::from_fn(move || {
        let ((index, picks), after) = taken.split_first()?;
        let is_inner = |(other, _): &&Taken| choice.is_within(usize::from(*other), *index);
        let (inner, others) = after.split_at(after.iter().take_while(is_inner).count());
        taken = others;
        Some(Part { index: *index, picks, inner })
    })
}

impl Pending<'_> {
    pub(crate) fn check_branches(&self, taken: &[Taken]) -> Checked {
        self.check_level(None, taken, self.bounds())
    }

    /// Checks what is taken of the branches of one parent, then what is picked in each.
    fn check_level(&self, parent: Option<u16>, taken: &[Taken], (min, max): (u32, u32)) -> Checked {
        let mut seen: Vec<u16> = Vec::new();
        let mut is_alone = false;
        for Part { index, .. } in parts(self.choice, taken) {
            let pick = i64::from(index);
            let branch = self.branch(usize::from(index));
            let branch = branch.filter(|branch| branch.available && branch.parent == parent);
            is_alone |= branch.ok_or(Rejection::NoSuchOption { pick })?.exclusive;
            if seen.contains(&index) {
                return Err(Rejection::PickedTwice { pick });
            }
            seen.push(index);
        }
        if is_alone && seen.len() > 1 {
            return Err(Rejection::ExclusiveMixed);
        }
        check_count(seen.len(), min, max)?;
        parts(self.choice, taken).try_for_each(|part| self.check_part(&part))
    }

    fn check_part(&self, part: &Part<'_>) -> Checked {
        let Some(branch) = self.branch(usize::from(part.index)) else {
            return Ok(());
        };
        let bounds = (branch.min, branch.max);
        let checked = match branch.inner {
            Inner::Nothing | Inner::Options => {
                check_picks(part.picks, branch.options.len(), branch.min, branch.max)
            }
            Inner::Branches => check_picks(part.picks, 0, 0, 0)
                .and_then(|()| self.check_level(Some(part.index), part.inner, bounds)),
        };
        checked.map_err(|rejection| rejection.in_branch(self.branch_title(usize::from(part.index))))
    }

    /// What players read of a branch.
    pub(crate) fn branch_title(&self, index: usize) -> &str {
        let title = self.choice.branches.get(index).map(|branch| branch.title.index());
        title.and_then(|title| self.program.texts.get(title)).map_or("", String::as_str)
    }

    /// Writes what is taken: id, number of items and items of each, and where there are more levels the number of
    /// its branches that are taken, and the same of each. Gives how many were written.
    pub(crate) fn resolve_branches(&self, taken: &[Taken], levels: usize, out: &mut Vec<Word>) -> Word {
        let mut written = 0;
        for part in parts(self.choice, taken) {
            let Some(branch) = self.branch(usize::from(part.index)) else {
                continue;
            };
            out.push(symbol_word(self.choice.branches[usize::from(part.index)].id));
            out.push(part.picks.len() as Word);
            out.extend(part.picks.iter().map(|pick| item(branch.options, *pick)));
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

/// The records of what [`Pending::resolve_branches`] wrote.
pub(crate) fn records(heap: &mut Heap, levels: usize, mut words: &[Word]) -> Result<Vec<Word>, FaultCode> {
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
