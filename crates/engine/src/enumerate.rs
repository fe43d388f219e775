//! Counting and numbering the legal answers to a question.
//!
//! Pass comes first if it is offered. Picks come by their number, then in
//! lexicographic order; slots in lexicographic order with an empty slot first;
//! branches by their number, then by which, then by what is picked in each.
//! Paths cannot be counted without going them all, so every number is that of
//! some path, short ones first, and several may be that of one.

use intermezzo_ruleset::Shape;

use crate::branch_ways::Ways;
use crate::input::Answer;
use crate::request::Pending;

impl Pending<'_> {
    /// How many different legal answers there are, as far as they can be counted.
    #[must_use]
    pub fn answer_count(&self) -> u64 {
        u64::from(self.choice.pass).saturating_add(self.count_without_pass())
    }

    fn count_without_pass(&self) -> u64 {
        let options = self.option_count() as u64;
        let (min, max) = self.bounds();
        // Most questions are for one of the options.
        if (min, max) == (1, 1) && matches!(self.choice.shape, Shape::Pick | Shape::Order) {
            return options;
        }
        let sizes = u64::from(min)..=u64::from(max);
        match self.choice.shape {
            Shape::Pick => saturating_sum(sizes.map(|size| combinations(options, size))),
            Shape::Order => saturating_sum(sizes.map(|size| arrangements(options, size))),
            Shape::Slots { empty: false } => arrangements(options, u64::from(max)),
            Shape::Slots { empty: true } => layouts(u64::from(max), options),
            Shape::Path if options == 0 || max == 0 => u64::from(min == 0),
            Shape::Path => u64::MAX,
            Shape::Branches => Ways::new(self).count(),
        }
    }

    /// Writes the legal answer number `n` (from 0) to `out`. False if there is none.
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
        if self.choice.shape == Shape::Branches {
            *out = Answer::Branches(Ways::new(self).nth(n));
            return true;
        }
        if self.choice.shape == Shape::Path {
            // Where the way ends too early: whoever must go far may pass.
            let path = self.nth_path(n);
            let found = path.is_some() || self.choice.pass;
            *out = path.map_or(Answer::Pass, Answer::Picks);
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
            Shape::Pick | Shape::Order if self.bounds() == (1, 1) => picks.push(n as i32),
            Shape::Pick => nth_of_sizes(n, self.bounds(), options, combinations, nth_combination, picks),
            Shape::Order => nth_of_sizes(n, self.bounds(), options, arrangements, nth_arrangement, picks),
            Shape::Slots { empty: false } if (1..=64).contains(&options) => {
                nth_of_few(n, count, options as u64, self.ask.max as usize, picks);
            }
            Shape::Slots { empty: false } => {
                nth_arrangement(n, options, self.ask.max as usize, picks);
            }
            Shape::Slots { empty: true } => nth_layout(n, options, self.ask.max as usize, picks),
            Shape::Branches | Shape::Path => {}
        }
        true
    }

    /// A path for every number: its digits tell where to go on, and that of nought to stop.
    fn nth_path(&self, mut n: u64) -> Option<Vec<i32>> {
        let mut walk = self.walk()?;
        loop {
            let options = walk.options().map_or(0, <[_]>::len) as u64;
            let is_enough = walk.is_enough();
            if options == 0 || (is_enough && n.is_multiple_of(options + 1)) {
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

/// Ways to pick `size` of `options`.
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

/// Ways to pick `size` of `options` in order.
fn arrangements(options: u64, size: u64) -> u64 {
    if size > options {
        return 0;
    }
    (0..size).fold(1, |ways: u64, step| ways.saturating_mul(options - step))
}

/// Ways to fill `slots` from `options`, leaving any of them empty.
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

fn nth_arrangement(mut n: u64, options: usize, size: usize, picks: &mut Vec<i32>) {
    for slot in 0..size {
        let here = arrangements((options - slot - 1) as u64, (size - slot - 1) as u64).max(1);
        let skip = n / here;
        n %= here;
        picks.push(unused(picks, options, skip));
    }
}

/// The same among at most 64 options, of which there are `count` arrangements.
fn nth_of_few(mut n: u64, count: u64, options: u64, size: usize, picks: &mut Vec<i32>) {
    let mut free = u64::MAX >> (64 - options);
    let mut alike = count;
    for slot in 0..size as u64 {
        let left = options - slot;
        // How many there are that begin alike; a number too large to be counted says nothing about that.
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
        picks.push(unused(picks, options, n / here));
        n %= here;
        left -= 1;
    }
}

/// The option that comes after `skip` others not picked yet.
fn unused(picks: &[i32], options: usize, skip: u64) -> i32 {
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
