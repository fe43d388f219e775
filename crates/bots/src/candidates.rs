//! Which answers are worth trying: all of them where they are few, else some; of paths, one to every place.

use std::collections::VecDeque;

use intermezzo_engine::{Answer, Datum, Pending, describe};

use crate::policy::declining;
use crate::random::Random;

/// Looking for places to go to ends after so many steps.
const MAX_SEARCHED: usize = 400;
/// So many ways are gone by chance …
const MAX_WANDERINGS: usize = 3;
/// … each for so many steps at most.
const MAX_STRIDES: usize = 12;
/// Numbers of answers are drawn below this.
const MAX_NUMBER: u64 = 1 << 40;

/// Up to `most` different legal answers. The one that does nothing comes first; the others come as chance has it.
pub(crate) fn candidates(pending: &Pending<'_>, most: usize, random: &mut Random) -> Vec<Answer> {
    gather(pending, most, random, |pending, _| ways(pending))
}

/// The same found in less time: of paths, some.
pub(crate) fn few_candidates(pending: &Pending<'_>, most: usize, random: &mut Random) -> Vec<Answer> {
    gather(pending, most, random, wanderings)
}

fn gather(
    pending: &Pending<'_>,
    most: usize,
    random: &mut Random,
    paths: impl Fn(&Pending<'_>, &mut Random) -> Vec<Answer>,
) -> Vec<Answer> {
    let mut found: Vec<Answer> = declining(pending).into_iter().collect();
    let first = found.len();
    let add = |found: &mut Vec<Answer>, answer: Answer, known: usize| {
        if !found[..known].contains(&answer) {
            found.push(answer);
        }
    };
    match pending.choice().next {
        Some(_) => paths(pending, random).into_iter().for_each(|way| {
            let known = found.len();
            add(&mut found, way, known);
        }),
        None => {
            let count = pending.answer_count();
            let all = count <= most as u64;
            let tries = if all { count } else { 2 * most as u64 };
            for n in 0..tries {
                let n = if all { n } else { random.below(count.min(MAX_NUMBER)) };
                let mut answer = Answer::Pass;
                if pending.nth_answer(n, &mut answer) {
                    // Counted one by one, they are all different.
                    let known = if all { first } else { found.len() };
                    add(&mut found, answer, known);
                }
            }
        }
    }
    shuffle(&mut found[first..], random);
    found.truncate(most.max(1));
    found
}

/// The shortest way to everything a path can lead to, as far as that is soon found.
fn ways(pending: &Pending<'_>) -> Vec<Answer> {
    let Some(mut walk) = pending.walk() else { return Vec::new() };
    let (program, item) = (pending.program(), pending.choice().item);
    let mut seen: Vec<Datum> = Vec::new();
    let mut found = Vec::new();
    let mut open = VecDeque::from([Vec::new()]);
    for _ in 0..MAX_SEARCHED {
        let Some(way) = open.pop_front() else { break };
        let common = walk.picks().iter().zip(&way).take_while(|(a, b)| a == b).count();
        while walk.picks().len() > common {
            walk.step_back();
        }
        if way[common..].iter().any(|pick: &i32| walk.step(*pick).is_err()) {
            continue;
        }
        if walk.is_enough() {
            found.push(walk.answer());
        }
        let options = walk.options().unwrap_or(&[]).to_vec();
        for (pick, option) in options.into_iter().enumerate() {
            let place = describe(program, walk.board(), option, item);
            if !seen.contains(&place) {
                seen.push(place);
                open.push_back(way.iter().copied().chain([pick as i32]).collect());
            }
        }
    }
    found
}

/// Ways by chance, each as long as it goes, and everything on the way. A step leads where none before it could have led,
/// so they get about.
fn wanderings(pending: &Pending<'_>, random: &mut Random) -> Vec<Answer> {
    let Some(mut walk) = pending.walk() else { return Vec::new() };
    let (program, item) = (pending.program(), pending.choice().item);
    let mut found = Vec::new();
    for _ in 0..MAX_WANDERINGS {
        while !walk.picks().is_empty() {
            walk.step_back();
        }
        let mut seen: Vec<Datum> = Vec::new();
        for _ in 0..MAX_STRIDES {
            let options = walk.options().unwrap_or(&[]).to_vec();
            let places: Vec<Datum> =
                options.into_iter().map(|option| describe(program, walk.board(), option, item)).collect();
            let new: Vec<usize> = (0..places.len()).filter(|at| !seen.contains(&places[*at])).collect();
            if new.is_empty() || walk.step(*random.pick(&new) as i32).is_err() {
                break;
            }
            seen.extend(places);
            if walk.is_enough() {
                found.push(walk.answer());
            }
        }
    }
    found
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.index(last + 1));
    }
}
