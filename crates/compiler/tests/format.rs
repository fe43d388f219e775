//! The formatter keeps the content of every file and changes nothing the second time.

use std::path::{Path, PathBuf};

use intermezzo_compiler::{Ruleset, format};
use serde_json::Value;

fn content(text: &str) -> Value {
    let mut ruleset = Ruleset::from_files(&[]);
    ruleset.parse_extra_file("file.yaml", text.as_bytes()).expect("the file can be read").to_json()
}

fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.trim().strip_prefix('#')).map(str::trim).collect()
}

fn add_files(path: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(path).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn formatting_keeps_every_file_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in [
        "rulesets",
        "examples",
        "crates/compiler/preludes",
        "crates/simulator",
        "crates/scenario/conformance",
    ] {
        add_files(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "{} files", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let Ok(formatted) = format(&text) else { continue };
        let name = file.display();
        assert_eq!(content(&formatted), content(&text), "{name}");
        assert_eq!(comments(&formatted), comments(&text), "{name}");
        assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{name} is formatted twice");
        // The same with other indentation, and with spaces that mean nothing.
        let wide: String = text
            .lines()
            .map(|line| {
                let indent = line.len() - line.trim_start().len();
                format!("{}{}\n", " ".repeat(indent), line)
            })
            .collect();
        if let (Ok(wide), false) = (format(&wide), text.contains(": |") || text.contains(": >")) {
            assert_eq!(content(&wide), content(&text), "{name} with wide indentation");
        }
    }
}

#[test]
fn the_shipped_rulesets_are_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets");
    let mut files = Vec::new();
    add_files(&root, &mut files);
    let stale = |file: &&PathBuf| {
        let text = std::fs::read_to_string(file).expect("a text");
        format(&text).is_ok_and(|formatted| formatted != text)
    };
    if std::env::var_os("BLESS").is_some() {
        for file in files.iter().filter(stale) {
            let text = std::fs::read_to_string(file).expect("a text");
            std::fs::write(file, format(&text).expect("a format")).expect("the file can be written");
        }
    }
    let stale: Vec<String> = files.iter().filter(stale).map(|file| file.display().to_string()).collect();
    assert!(stale.is_empty(), "run `intermezzo fmt rulesets`: {}", stale.join(", "));
}

#[test]
fn spaces_and_indentation_become_standard() {
    let cases = [
        ("a:   1\n", "a: 1\n"),
        ("a: {b: 1 , c:  [ 2,3 ]}\n", "a: {b: 1, c: [2, 3]}\n"),
        ("a:\n    - b: 1\n      c: 2\n    -   d\n", "a:\n  - b: 1\n    c: 2\n  - d\n"),
        ("a:\n- 1\n- 2\n", "a:\n  - 1\n  - 2\n"),
        ("\n\na: 1\n\n\n\nb: 2   \n\n", "a: 1\n\nb: 2\n"),
        ("# one\na: 1  # two\n", "# one\na: 1  # two\n"),
        ("a:\n    # about b\n    b: 1\n", "a:\n  # about b\n  b: 1\n"),
        (
            "a:\n    b: |\n        one\n          two\n    c: 1\n",
            "a:\n  b: |\n      one\n        two\n  c: 1\n",
        ),
        ("one:   1\nthree: 3\n", "one:   1\nthree: 3\n"),
        ("a: \"x:   y\"\n", "a: \"x:   y\"\n"),
        ("a:\n    - {b: 1,\n       c: 2}\n", "a:\n  - {b: 1,\n     c: 2}\n"),
    ];
    for (written, standard) in cases {
        assert_eq!(format(written).as_deref(), Ok(standard), "{written:?}");
    }
}

#[test]
fn odd_files_are_formatted_once() {
    let long = format!(
        "a: [{}]\n",
        (0..3_000).map(|n| format!("{{n: {n},  m: \"x, y\"}}")).collect::<Vec<_>>().join(",")
    );
    let odd = [
        "a:   1\r\nb: {c:  2}   # d\r\n\r\n\r\ne: 3\r\n",
        "\u{feff}a:   1\n",
        "text: |+\n   one\n     two\n\n\nb:   2\n",
        "text: >-\n      folded\n      more\n\n      end\nlist:\n  - |\n     x\n  -   y\n",
        "a: {\n  b: 1,   # one\n  c: [1,\n      2]\n}\nq: \"more\n   lines\"\n",
        "é: \"ü\"\nx:   {ä: 1,  \"ö\":  2}   # ß\n",
        "s: 'it''s   x'\nd: \"a\\n  b\"\nk with space:    1\n",
        "- a:   1\n  b: 2\n-   - x\n    - y\n",
        "a: {b: 1}   \n\n\n\n# c\n\n\nb: 2",
        "a: []\nb: {}\nc:\nd: {e: , f: 1}\n",
        &long,
    ];
    for written in odd {
        let once = format(written).unwrap_or_else(|problems| panic!("{written:?}: {problems:?}"));
        assert_eq!(content(&once), content(written.trim_start_matches('\u{feff}')), "{written:?}");
        assert_eq!(format(&once).as_ref(), Ok(&once), "{written:?} is formatted twice");
        assert_eq!(once.contains("\r\n"), written.contains("\r\n"), "{written:?} keeps its line breaks");
    }
    for wrong in ["a:\n\tb: 1\n", "a: &x {b: 1}\nc: *x\n", "a: [1\n", ""] {
        assert!(format(wrong).is_err(), "{wrong:?}");
    }
}
