//! Short, seeded run of the fuzz targets.

use intermezzo_simulator::{Random, fixtures, fuzz};

const SIGNS: &[u8] = b"{}[]()<>:,-?!&*#|%@'\"\\ \n~=.+/0d\xC3\xFF";
const NUMBERS: &[&str] =
    &["0", "-1", "1000000000", "9223372036854775807", "-9223372036854775808", "2d6", "null", "true"];

/// Returns all words of all rulesets, to insert them in wrong places.
fn vocabulary(texts: &[String]) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words: Vec<String> = texts
        .iter()
        .flat_map(|text| text.split(|letter| !is_part(letter)))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.sort();
    words.dedup();
    words
}

/// Changes bytes, words or lines of a text, or inserts pieces of another ruleset.
fn mutate(text: &mut Vec<u8>, texts: &[String], words: &[String], random: &mut Random) {
    if text.is_empty() {
        return;
    }
    let at = random.index(text.len());
    match random.below(8) {
        0 => text.insert(at, SIGNS[random.index(SIGNS.len())]),
        1 => drop(text.remove(at)),
        2 => text[at] = SIGNS[random.index(SIGNS.len())],
        3..=5 => {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let start = (0..at).rev().find(|place| !is_part(text[*place])).map_or(0, |place| place + 1);
            let end = (at..text.len()).find(|place| !is_part(text[*place])).unwrap_or(text.len());
            let word = if random.happens(150) { *random.pick(NUMBERS) } else { random.pick(words).as_str() };
            text.splice(start..end.max(start), word.bytes());
        }
        6 => {
            let mut lines: Vec<Vec<u8>> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let (from, to) = (random.index(lines.len()), random.index(lines.len()));
            match random.below(3) {
                0 => drop(lines.remove(from)),
                1 => lines.swap(from, to),
                _ => lines.insert(to, lines[from].clone()),
            }
            *text = lines.join(&b'\n');
        }
        _ => {
            let other = random.pick(texts).as_bytes();
            let start = random.index(other.len());
            let end = (start + random.index(200)).min(other.len());
            text.splice(at..at, other[start..end].iter().copied());
        }
    }
}

#[test]
fn no_bytes_make_the_loader_panic() {
    let texts: Vec<String> = fixtures::all()
        .iter()
        .flat_map(|fixture| &fixture.files)
        .map(|(_, bytes)| String::from_utf8(bytes.clone()).expect("rulesets are UTF-8"))
        .collect();
    let words = vocabulary(&texts);
    for case in 0..4_000 {
        let mut random = Random::new(case);
        let mut text = random.pick(&texts).clone().into_bytes();
        for _ in 0..=random.below(3) {
            mutate(&mut text, &texts, &words, &mut random);
        }
        let outcome = std::panic::catch_unwind(|| fuzz::loader(&text));
        assert!(outcome.is_ok(), "case {case} of the loader panics:\n{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn no_inputs_make_a_match_panic() {
    for case in 0..10_000 {
        let mut random = Random::new(case);
        let len = 20 + random.index(400);
        let bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
        let outcome = std::panic::catch_unwind(|| fuzz::inputs(&bytes));
        assert!(outcome.is_ok(), "case {case} of the inputs panics");
    }
}
