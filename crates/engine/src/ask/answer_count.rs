//! Counting and numbering of the legal answers to a question.
//!
//! Pass comes first if it is offered. Picks are ordered by size, then lexicographically; slots
//! lexicographically with an empty slot first; branches by how many are taken, then by which, then by the
//! picks in each. Paths cannot be counted without walking all of them, so every number maps to some path,
//! short ones first, and several numbers may map to the same path. The same holds for selections that the rules test
//! as a whole.

use intermezzo_program::AnswerShape;

use crate::ask::branch_count::BranchWays;
use crate::ask::input::Answer;
use crate::ask::request::PendingQuestion;

impl PendingQuestion<'_> {
    /// Returns the number of different legal answers, as far as they can be counted.
    #[must_use]
    pub fn answer_count(&self) -> u64 {
        u64::from(self.choice.pass).saturating_add(self.count_without_pass())
    }

    fn count_without_pass(&self) -> u64 {
        let options = self.option_count() as u64;
        let (min, max) = self.bounds();
        // Fast path for the most common question: one of the options.
        if (min, max) == (1, 1)
            && self.choice.tests.is_none()
            && matches!(self.choice.shape, AnswerShape::Pick | AnswerShape::Order)
        {
            return options;
        }
        let sizes = u64::from(min)..=u64::from(max);
        match self.choice.shape {
            // Those that fail the tests are not counted one by one.
            _ if self.choice.tests.is_some() => u64::MAX,
            AnswerShape::Pick => saturating_sum(sizes.map(|size| combinations(options, size))),
            AnswerShape::Order => saturating_sum(sizes.map(|size| arrangements(options, size))),
            AnswerShape::Slots { empty: false } => arrangements(options, u64::from(max)),
            AnswerShape::Slots { empty: true } => layouts(u64::from(max), options),
            AnswerShape::Path if options == 0 || max == 0 => u64::from(min == 0),
            AnswerShape::Path => u64::MAX,
            AnswerShape::Branches => BranchWays::new(self).count(),
        }
    }

    /// Writes the legal answer number `n` (from 0) to `out`. Returns false if it does not exist.
    pub fn nth_answer(&self, mut n: u64, out: &mut Answer) -> bool {
        if self.choice.pass {
            if n == 0 {
                *out = Answer::Pass;
                return true;
            }
            n -= 1;
        }
        let count = self.count_without_pass();
        if n >= count {
            return false;
        }
        if self.choice.shape == AnswerShape::Branches {
            *out = Answer::Branches(BranchWays::new(self).nth(n));
            return true;
        }
        if self.choice.shape == AnswerShape::Path {
            // A walk that ends too early falls back to passing, which path questions with a larger minimum
            // always allow.
            let path = self.nth_path(n);
            let found = path.is_some() || self.choice.pass;
            *out = path.map_or(Answer::Pass, Answer::Picks);
            return found;
        }
        if self.choice.tests.is_some() {
            let picks = self.nth_tested_selection(n);
            let found = picks.is_some() || self.choice.pass;
            *out = picks.map_or(Answer::Pass, Answer::Picks);
            return found;
        }
        if !matches!(out, Answer::Picks(_)) {
            *out = Answer::Picks(Vec::new());
        }
        let Answer::Picks(picks) = out else {
            return false;
        };
        picks.clear();
        let options = self.option_count();
        match self.choice.shape {
            AnswerShape::Pick | AnswerShape::Order if self.bounds() == (1, 1) => picks.push(n as i32),
            AnswerShape::Pick => {
                nth_of_sizes(n, self.bounds(), options, combinations, nth_combination, picks);
            }
            AnswerShape::Order => {
                nth_of_sizes(n, self.bounds(), options, arrangements, nth_arrangement, picks);
            }
            AnswerShape::Slots { empty: false } if (1..=64).contains(&options) => {
                nth_of_few(n, count, options as u64, self.ask.max as usize, picks);
            }
            AnswerShape::Slots { empty: false } => {
                nth_arrangement(n, options, self.ask.max as usize, picks);
            }
            AnswerShape::Slots { empty: true } => nth_layout(n, options, self.ask.max as usize, picks),
            AnswerShape::Branches | AnswerShape::Path => {}
        }
        true
    }

    /// Maps every number to a path: its digits select the next options, and 0 ends the path.
    fn nth_path(&self, mut n: u64) -> Option<Vec<i32>> {
        let mut walk = self.start_path()?;
        loop {
            let options = walk.options().map_or(0, <[_]>::len) as u64;
            let is_enough = walk.is_long_enough();
            if options == 0 || (is_enough && n.is_multiple_of(options + 1)) {
                walk.remember();
                return is_enough.then(|| walk.picks().to_vec());
            }
            let (pick, ways) = match is_enough {
                true => (n % (options + 1) - 1, options + 1),
                false => (n % options, options),
            };
            n /= ways;
            walk.step(pick as i32).ok()?;
        }
    }
}

pub(crate) fn saturating_sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Counts the ways to pick `size` of `options`.
pub(crate) fn combinations(options: u64, size: u64) -> u64 {
    if size > options {
        return 0;
    }
    if size == 1 {
        return options;
    }
    let mut ways: u128 = 1;
    for step in 0..size.min(options - size) {
        ways = ways * u128::from(options - step) / u128::from(step + 1);
        if ways > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    ways as u64
}

/// Counts the ways to pick `size` of `options` in order.
pub(crate) fn arrangements(options: u64, size: u64) -> u64 {
    if size > options {
        return 0;
    }
    (0..size).fold(1, |ways: u64, step| ways.saturating_mul(options - step))
}

/// Counts the ways to fill `slots` from `options`, leaving any of them empty.
fn layouts(slots: u64, options: u64) -> u64 {
    let filled = |count| combinations(slots, count).saturating_mul(arrangements(options, count));
    saturating_sum((0..=slots.min(options)).map(filled))
}

pub(crate) fn nth_of_sizes(
    mut n: u64,
    (min, max): (u32, u32),
    options: usize,
    count: fn(u64, u64) -> u64,
    nth: fn(u64, usize, usize, &mut Vec<i32>),
    picks: &mut Vec<i32>,
) {
    for size in min..=max {
        let ways = count(options as u64, u64::from(size));
        if n < ways {
            return nth(n, options, size as usize, picks);
        }
        n -= ways;
    }
}

pub(crate) fn nth_combination(mut n: u64, options: usize, size: usize, picks: &mut Vec<i32>) {
    let mut option = 0;
    while picks.len() < size && option < options {
        let rest = (size - picks.len() - 1) as u64;
        let here = combinations((options - option - 1) as u64, rest);
        if n < here {
            picks.push(option as i32);
        } else {
            n -= here;
        }
        option += 1;
    }
}

pub(crate) fn nth_arrangement(mut n: u64, options: usize, size: usize, picks: &mut Vec<i32>) {
    for slot in 0..size {
        let here = arrangements((options - slot - 1) as u64, (size - slot - 1) as u64).max(1);
        let skip = n / here;
        n %= here;
        picks.push(nth_unused(picks, options, skip));
    }
}

/// Writes the `n`th of `count` arrangements of at most 64 options, by a bit set.
fn nth_of_few(mut n: u64, count: u64, options: u64, size: usize, picks: &mut Vec<i32>) {
    let mut free = u64::MAX >> (64 - options);
    let mut alike = count;
    for slot in 0..size as u64 {
        let left = options - slot;
        // Arrangements with the same beginning. A saturated count cannot be divided, so it is computed again.
        alike = match alike {
            u64::MAX => arrangements(left - 1, size as u64 - slot - 1),
            counted => counted / left,
        };
        let mut rest = free;
        for _ in 0..n / alike {
            rest &= rest.wrapping_sub(1);
        }
        n %= alike;
        picks.push(rest.trailing_zeros() as i32);
        free &= !(rest & rest.wrapping_neg());
    }
}

fn nth_layout(mut n: u64, options: usize, slots: usize, picks: &mut Vec<i32>) {
    let mut left = options as u64;
    for slot in 0..slots {
        let rest = (slots - slot - 1) as u64;
        let empty = layouts(rest, left);
        if n < empty {
            picks.push(-1);
            continue;
        }
        n -= empty;
        let here = layouts(rest, left.saturating_sub(1)).max(1);
        picks.push(nth_unused(picks, options, n / here));
        n %= here;
        left -= 1;
    }
}

/// Returns the unpicked option after `skip` others.
fn nth_unused(picks: &[i32], options: usize, skip: u64) -> i32 {
    if (1..=64).contains(&options) {
        let taken = picks.iter().filter(|pick| **pick >= 0).fold(0u64, |set, pick| set | 1 << (pick & 63));
        let mut free = !taken & (u64::MAX >> (64 - options));
        for _ in 0..skip.min(64) {
            free &= free.wrapping_sub(1);
        }
        return if free == 0 { -1 } else { free.trailing_zeros() as i32 };
    }
    let mut free = (0..options as i32).filter(|option| !picks.contains(option));
    free.nth(skip as usize).unwrap_or(-1)
}
