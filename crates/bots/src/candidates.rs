//! Candidate answers: all of them if they are few, otherwise some; for paths, one to every place.

use std::collections::VecDeque;

use intermezzo_engine::{Answer, Datum, PendingQuestion, describe};

use crate::policy::declining_answer;
use crate::random::Random;

/// Maximum number of steps of a path search.
const MAX_SEARCHED: usize = 400;
/// Number of random walks …
const MAX_RANDOM_WALKS: usize = 3;
/// … and the maximum number of their steps.
const MAX_WALK_STEPS: usize = 12;
/// Upper bound for random answer numbers.
const MAX_NUMBER: u64 = 1 << 40;

/// Returns up to `most` different legal answers. Doing nothing comes first; the order of the others is
/// random.
pub(crate) fn candidates(pending: &PendingQuestion<'_>, most: usize, random: &mut Random) -> Vec<Answer> {
    collect_candidates(pending, most, random, |pending, _| shortest_paths(pending))
}

/// Returns candidates in less time: for paths, only some.
pub(crate) fn few_candidates(pending: &PendingQuestion<'_>, most: usize, random: &mut Random) -> Vec<Answer> {
    collect_candidates(pending, most, random, random_walks)
}

fn collect_candidates(
    pending: &PendingQuestion<'_>,
    most: usize,
    random: &mut Random,
    paths: impl Fn(&PendingQuestion<'_>, &mut Random) -> Vec<Answer>,
) -> Vec<Answer> {
    let mut found: Vec<Answer> = declining_answer(pending).into_iter().collect();
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
                    // Enumerated answers are all different.
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

/// Finds the shortest path to every place, within the search limit.
fn shortest_paths(pending: &PendingQuestion<'_>) -> Vec<Answer> {
    let Some(mut walk) = pending.start_path() else { return Vec::new() };
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
        if walk.is_long_enough() {
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

/// Returns random walks, as long as they can be, and all their prefixes. A step never goes to a place that
/// an earlier step could have reached, so walks spread out.
fn random_walks(pending: &PendingQuestion<'_>, random: &mut Random) -> Vec<Answer> {
    let Some(mut walk) = pending.start_path() else { return Vec::new() };
    let (program, item) = (pending.program(), pending.choice().item);
    let mut found = Vec::new();
    for _ in 0..MAX_RANDOM_WALKS {
        while !walk.picks().is_empty() {
            walk.step_back();
        }
        let mut seen: Vec<Datum> = Vec::new();
        for _ in 0..MAX_WALK_STEPS {
            let options = walk.options().unwrap_or(&[]).to_vec();
            let places: Vec<Datum> =
                options.into_iter().map(|option| describe(program, walk.board(), option, item)).collect();
            let new: Vec<usize> = (0..places.len()).filter(|at| !seen.contains(&places[*at])).collect();
            if new.is_empty() || walk.step(*random.pick(&new) as i32).is_err() {
                break;
            }
            seen.extend(places);
            if walk.is_long_enough() {
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
