//! Hostile files: every one is answered with diagnostics, and quickly.

use std::time::{Duration, Instant};

use intermezzo_compiler::diagnostic::{Diagnostic, render, sort, to_json};
use intermezzo_compiler::expr;
use intermezzo_compiler::source::{SourceMap, add_bytes};
use intermezzo_compiler::tree::{self, MAX_PROBLEMS, MAX_TEXT_BYTES, NodeValue, SourceNode};

use crate::{ParsedFile, json, parse, parse_error, text, yaml};

/// Far longer than any of these tests takes, and far shorter than a hang.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Runs every part of the front end on these bytes.
fn read_everything(name: &str, bytes: &[u8]) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let mut problems = Vec::new();
    if let Some(file) = add_bytes(&mut sources, name, bytes, &mut problems)
        && let Some(root) = tree::parse(file, &sources, &mut problems)
    {
        read_texts(&root, &mut problems);
        root.to_json();
    }
    sort(&mut problems);
    render(&problems, &sources, false);
    to_json(&problems, &sources);
    (sources, problems)
}

fn read_texts(node: &SourceNode, problems: &mut Vec<Diagnostic>) {
    match &node.value {
        NodeValue::Text(text) => {
            problems.extend(expr::parse(text).err());
            problems.extend(expr::parse_type(text).err());
            problems.extend(expr::parse_param(text).err());
        }
        NodeValue::List(nodes) => nodes.iter().for_each(|node| read_texts(node, problems)),
        NodeValue::Map(entries) => {
            entries.iter().for_each(|entry| read_texts(&entry.value, problems));
        }
        _ => {}
    }
}

fn codes(read: &ParsedFile) -> Vec<&str> {
    read.problems.iter().map(|problem| problem.code).collect()
}

#[test]
fn deep_nesting_is_rejected_in_files() {
    let begun = Instant::now();
    for deep in ["[".repeat(10_000), "{a: ".repeat(10_000), "- ".repeat(10_000)] {
        assert_eq!(codes(&yaml(&deep)), ["E-LIMIT"]);
    }
    for deep in ["[".repeat(10_000), "{\"a\":".repeat(10_000)] {
        assert_eq!(codes(&json(&deep)), ["E-LIMIT"]);
    }
    let ladder: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_eq!(codes(&yaml(&ladder)), ["E-LIMIT"]);
    assert!(begun.elapsed() < TIME_LIMIT);
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    let nested = format!("{}1{}", "[".repeat(64), "]".repeat(64));
    assert!(yaml(&nested).problems.is_empty());
    assert!(json(&nested).problems.is_empty());
}

#[test]
fn deep_nesting_is_rejected_in_expressions() {
    for opener in ["(", "[", "f(", "{a: ", "-", "not ", "a[", "if ", "a ?? (", "f(x => "] {
        let written = opener.repeat(16 * 1024 / opener.len());
        assert_eq!(parse_error(&written).code, "E-LIMIT", "{opener}");
    }
    let type_text = text(&"list<".repeat(3_000));
    assert_eq!(expr::parse_type(&type_text).unwrap_err().code, "E-LIMIT");
    parse(&format!("{}1{}", "(".repeat(60), ")".repeat(60)));
}

#[test]
fn long_chains_are_rejected_in_expressions() {
    for link in [".a", "!", "[0]", " + a", " ?? a", ".a(b)"] {
        parse(&format!("a{}", link.repeat(250)));
        assert_eq!(parse_error(&format!("a{}", link.repeat(300))).code, "E-LIMIT", "{link}");
    }
    let stairs = format!("{}a{}", "(".repeat(60), format!("{})", " + a".repeat(60)).repeat(60));
    assert_eq!(parse_error(&stairs).code, "E-LIMIT");
    assert_eq!(parse_error(&"a, ".repeat(10_000)).code, "E-LIMIT");
    parse(&format!("[{}a]", "a, ".repeat(4_000)));
}

#[test]
fn large_files_are_rejected_unread() {
    let begun = Instant::now();
    let (_, problems) = read_everything("rules.yaml", &vec![b'a'; 5_000_000]);
    assert_eq!(problems[0].code, "E-LIMIT");
    assert_eq!(codes(&yaml(&"a".repeat(5_000_000))), ["E-LIMIT"]);
    assert!(begun.elapsed() < TIME_LIMIT);
}

#[test]
fn too_many_values_are_rejected() {
    let begun = Instant::now();
    let many = format!("[{}1]", "1,".repeat(300_000));
    assert_eq!(codes(&yaml(&many)), ["E-LIMIT"]);
    assert_eq!(codes(&json(&many)), ["E-LIMIT"]);
    assert!(begun.elapsed() < TIME_LIMIT);
}

#[test]
fn long_texts_are_rejected() {
    let long = "a".repeat(MAX_TEXT_BYTES + 1);
    let read = yaml(&format!("k: {long}\n"));
    assert_eq!(codes(&read), ["E-LIMIT"]);
    assert_eq!(read.text("k").value, "");
    assert_eq!(codes(&json(&format!("[\"{long}\"]"))), ["E-LIMIT"]);
    assert_eq!(parse_error(&"a".repeat(20_000)).code, "E-LIMIT");
}

#[test]
fn long_texts_in_every_style_are_matched_quickly() {
    let begun = Instant::now();
    let blanks = " ".repeat(60_000);
    for written in [
        format!("k: 'a{blanks}b'\n"),
        format!("k: \"a{blanks}\\n{}b\"\n", "\\t".repeat(2_000)),
        format!("k: |\n  a\n  {blanks}b\n"),
        format!("k: >\n{}", "  a\n\n".repeat(10_000)),
        format!("k: 'a{}b'\n", "\n ".repeat(20_000)),
    ] {
        yaml(&written).text("k").span_of(1..2);
    }
    assert!(begun.elapsed() < TIME_LIMIT);
}

#[test]
fn an_alias_bomb_is_harmless() {
    let mut bomb = String::from("a0: &a0 [x]\n");
    for level in 1..40 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert_eq!(yaml(&bomb).problems.len(), MAX_PROBLEMS);
}

#[test]
fn bytes_that_are_not_text_are_pointed_at() {
    let (sources, problems) = read_everything("rules.yaml", b"a: 1\nb: \xFF\xFE\n");
    let [problem] = problems.as_slice() else { panic!("{problems:#?}") };
    assert_eq!(problem.code, "E-UTF8");
    assert_eq!(sources.line_column(problem.span.file, problem.span.start), (2, 4));
}

#[test]
fn invisible_characters_are_rejected() {
    for hidden in ["\0", "\r", "\u{1b}", "\u{7f}"] {
        for name in ["rules.yaml", "rules.json"] {
            let written = format!("a: 1{hidden}b: 2\n");
            let (_, problems) = read_everything(name, written.as_bytes());
            assert_eq!((problems.len(), problems[0].span.start), (1, 4), "{hidden:?}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_ignored() {
    for (name, written) in [("rules.yaml", "\u{feff}a: 1\n"), ("rules.json", "\u{feff}{\"a\": 1}")] {
        assert!(read_everything(name, written.as_bytes()).1.is_empty());
        let read = crate::read(name, written);
        assert_eq!(read.root().get("a").unwrap().as_int(), Some(1));
    }
}

const SAMPLE: &str = r#"# Größe — a sample with every style
ir: 1
ruleset: {id: orcain-duel, version: 1.0.0, name: Örcain, uses: [core@1]}
options:
  hand: {type: list<CardType>, default: "[attack, defense, 'it''s']"}
functions:
  shows: {params: {p: player, i: "int = 1"}, returns: maybe<CardType>, is: "p.plan[i]?.type ?? none"}
setup:
  - each: players.where(it.afk_streak >= options.afk_limit)
    as: p
    do: [{emit: Hurt, player: p, amount: "if a.b! then -2d20 else (x + 1) * 3"}]
  - set: {p.plan: "answers[p].value", match.both: 'not (x is player) and y not in [1, 2]'}
text: |
  {player} loses {amount}
    indented ♥
say: >-
  folded
  lines

  here
escaped: "tab\t \u00e9 \x41 \
  joined"
"#;

const JSON_SAMPLE: &str = r#"{"ir": 1, "a": ["x\n\u00e9", true, null, -12, {"b": {}}], "c": "p => p.x"}"#;

#[test]
fn no_mutation_of_a_file_makes_the_front_end_panic() {
    let begun = Instant::now();
    for (name, sample, rounds) in [("a.yaml", SAMPLE, 3_000), ("a.json", JSON_SAMPLE, 2_000)] {
        assert!(crate::read(name, sample).problems.is_empty(), "{name} is valid before the mutation");
        let mut random = MutationRng(42);
        for _ in 0..rounds {
            let mut bytes = sample.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                random.mutate(&mut bytes);
            }
            read_everything(name, &bytes);
        }
    }
    assert!(begun.elapsed() < TIME_LIMIT * 6);
}

/// A linear congruential generator, so that the mutations are the same on every machine.
struct MutationRng(u64);

impl MutationRng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        const SIGNS: &[u8] = b"{}[]()<>:,-?!&*#|>%@`'\"\\ \t\n\r\0~=.+/0d\xC3\xFF";
        let at = self.below(bytes.len());
        match self.below(5) {
            0 => bytes.insert(at, SIGNS[self.below(SIGNS.len())]),
            1 if at < bytes.len() => bytes[at] = SIGNS[self.below(SIGNS.len())],
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => {
                let end = (at + self.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + self.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = self.below(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
}
