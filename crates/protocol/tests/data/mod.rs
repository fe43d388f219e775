//! Random data.

use intermezzo_engine::{Datum, ShortText};
use intermezzo_simulator::Random;

const NAMES: [&str; 8] = ["id", "a", "b/c", "d~e", "\"", "zoë", "", "count"];

/// Returns random data of limited depth.
pub(crate) fn datum(random: &mut Random, depth: u32) -> Datum {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Datum::Null,
        1 => Datum::Bool(random.happens(500)),
        2 => Datum::Int(random.below(5) as i64 - 2),
        3 => Datum::Int(random.below(u64::MAX) as i64),
        4 => Datum::text(text(random)),
        5 => Datum::List((0..random.below(6)).map(|_| datum(random, depth - 1)).collect()),
        _ => Datum::Map(map(random, depth - 1)),
    }
}

fn map(random: &mut Random, depth: u32) -> Vec<(ShortText, Datum)> {
    let names = NAMES.into_iter().filter(|_| random.happens(500)).collect::<Vec<_>>();
    let mut entries: Vec<_> = names.into_iter().map(|name| (name.into(), datum(random, depth))).collect();
    if random.happens(100) {
        entries.reverse();
    }
    entries
}

fn text(random: &mut Random) -> String {
    let characters = ['a', '"', '\\', '\n', '\u{1}', '\u{7f}', 'ß', '\u{2028}', '🂡', '/', '~'];
    (0..random.below(5)).map(|_| *random.pick(&characters)).collect()
}
