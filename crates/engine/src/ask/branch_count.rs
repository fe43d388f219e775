//! Counting and numbering of the ways to take nested branches.
//!
//! The order is by how many are taken, then by which, then by the picks in each.

use intermezzo_program::BranchContent;

use crate::ask::answer_count::{combinations, nth_combination, nth_of_sizes, saturating_sum};
use crate::ask::request::PendingQuestion;

/// Number of ways to take each branch of a question.
pub(crate) struct BranchWays<'p> {
    pending: &'p PendingQuestion<'p>,
    /// 0 for a branch that cannot be taken.
    of_branch: Vec<u64>,
}

impl<'p> BranchWays<'p> {
    pub(crate) fn new(pending: &'p PendingQuestion<'p>) -> BranchWays<'p> {
        let count = pending.choice.branches.len();
        let mut ways = BranchWays { pending, of_branch: vec![0; count] };
        // Children come after their parent, so go backwards.
        for index in (0..count).rev() {
            ways.of_branch[index] = ways.of(index);
        }
        ways
    }

    /// Counts the ways to take branches of the first level.
    pub(crate) fn count(&self) -> u64 {
        self.of_level(None, self.pending.bounds())
    }

    /// Returns the `n`th of them.
    pub(crate) fn nth(&self, n: u64) -> Vec<(u16, Vec<i32>)> {
        let mut taken = Vec::new();
        self.nth_of_level(n, None, self.pending.bounds(), &mut taken);
        taken
    }

    fn of(&self, index: usize) -> u64 {
        let Some(branch) = self.pending.branch(index).filter(|branch| branch.available) else {
            return 0;
        };
        let bounds = (branch.min, branch.max);
        match branch.inner {
            BranchContent::Branches => self.of_level(Some(index as u16), bounds),
            BranchContent::Nothing | BranchContent::Options => {
                let options = branch.options.len();
                saturating_sum(sizes(bounds, options).map(|size| combinations(options as u64, size as u64)))
            }
        }
    }

    fn of_level(&self, parent: Option<u16>, bounds: (u32, u32)) -> u64 {
        let branches: Vec<usize> = self.pending.choice.branches_of(parent).collect();
        let sizes = sizes(bounds, branches.len());
        let most = *sizes.end();
        let by_size = self.by_size(&branches, most);
        saturating_sum(sizes.map(|size| by_size[size]))
    }

    /// Counts the ways to take zero, one, two and so on of the branches.
    fn by_size(&self, branches: &[usize], most: usize) -> Vec<u64> {
        let mut ways = vec![0; most + 1];
        ways[0] = 1;
        for index in branches.iter().filter(|index| !self.is_alone(**index)) {
            add_branch(&mut ways, self.of_branch[*index]);
        }
        if let Some(one) = ways.get_mut(1) {
            *one = saturating_sum(branches.iter().map(|index| self.of_branch[*index]));
        }
        ways
    }

    fn is_alone(&self, index: usize) -> bool {
        self.pending.choice.branches[index].exclusive
    }

    fn nth_of_level(
        &self,
        mut n: u64,
        parent: Option<u16>,
        bounds: (u32, u32),
        taken: &mut Vec<(u16, Vec<i32>)>,
    ) {
        let mut branches: Vec<usize> = self.pending.choice.branches_of(parent).collect();
        let sizes = sizes(bounds, branches.len());
        let by_size = self.by_size(&branches, *sizes.end());
        let mut left = 0;
        for size in sizes {
            if n < by_size[size] {
                left = size;
                break;
            }
            n -= by_size[size];
        }
        if left > 1 {
            branches.retain(|index| !self.is_alone(*index));
        }
        let after = self.ways_after(&branches, left);
        for (place, index) in branches.iter().enumerate() {
            if left == 0 {
                break;
            }
            let rest = after[place][left - 1];
            let here = self.of_branch[*index].saturating_mul(rest);
            if n >= here {
                n -= here;
                continue;
            }
            self.nth_of(n / rest.max(1), *index, taken);
            n %= rest.max(1);
            left -= 1;
        }
    }

    /// Counts, for each branch, the ways to take zero, one, two and so on of those after it.
    fn ways_after(&self, branches: &[usize], most: usize) -> Vec<Vec<u64>> {
        let mut ways = vec![0; most + 1];
        ways[0] = 1;
        let mut after = Vec::with_capacity(branches.len());
        for index in branches.iter().rev() {
            after.push(ways.clone());
            add_branch(&mut ways, self.of_branch[*index]);
        }
        after.reverse();
        after
    }

    fn nth_of(&self, n: u64, index: usize, taken: &mut Vec<(u16, Vec<i32>)>) {
        let Some(branch) = self.pending.branch(index) else { return };
        let bounds = (branch.min, branch.max);
        let mut picks = Vec::new();
        if branch.inner == BranchContent::Branches {
            taken.push((index as u16, picks));
            return self.nth_of_level(n, Some(index as u16), bounds, taken);
        }
        nth_of_sizes(n, bounds, branch.options.len(), combinations, nth_combination, &mut picks);
        taken.push((index as u16, picks));
    }
}

/// Adds one more branch, which can be taken in `own` ways, to `ways`, indexed by the number of branches
/// taken.
fn add_branch(ways: &mut [u64], own: u64) {
    for taken in (1..ways.len()).rev() {
        ways[taken] = ways[taken].saturating_add(own.saturating_mul(ways[taken - 1]));
    }
}

/// Returns the possible numbers of picks out of `of`.
fn sizes((min, max): (u32, u32), of: usize) -> std::ops::RangeInclusive<usize> {
    min as usize..=(max as usize).min(of)
}
