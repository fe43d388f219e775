//! The order of declarations does not matter. In the Skirmish many features contribute to one roll.

use std::fmt::Write as _;
use std::path::Path;

use intermezzo_scenario::Suite;

#[test]
fn features_declared_the_other_way_round_do_the_same() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets/skirmish");
    let turned = std::env::temp_dir().join(format!("intermezzo-declarations-{}", std::process::id()));
    std::fs::create_dir_all(turned.join("scenarios")).expect("the folder can be created");
    let (mut files, scenarios) = (yaml_in(&source), yaml_in(&source.join("scenarios")));
    files.reverse();
    for (place, (_, text)) in files.iter().enumerate() {
        write(&turned.join(format!("{place:02}.yaml")), &reversed(text));
    }
    std::fs::create_dir_all(turned.join("assets")).expect("the folder can be created");
    for (path, bytes) in intermezzo_compiler::load_assets(&source).expect("the pictures can be read") {
        std::fs::write(turned.join(path), bytes).expect("the file can be written");
    }
    for (name, text) in &scenarios {
        write(&turned.join("scenarios").join(name), text);
    }

    let mut suite = Suite::load(&turned).expect("the ruleset can be read");
    let report = suite.run(None, false);
    let shown = suite.render(&report, false);
    std::fs::remove_dir_all(&turned).expect("it is ours to remove");

    assert!(report.is_ok() && report.passed > 100, "\n\n{shown}");
}

/// Returns name and text of the files of a folder, sorted by name.
fn yaml_in(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("the file can be read"))
        })
        .collect();
    files.sort();
    files
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the file can be written");
}

/// Reverses the traits and modifiers of a file, also in the lists of creatures.
fn reversed(text: &str) -> String {
    let mut turned = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(turned, "{}", list_reversed(line)).expect("a text takes more text");
        if line != "traits:" && line != "modifiers:" {
            continue;
        }
        let mut entries: Vec<String> = Vec::new();
        while let Some(line) = lines.next_if(|line| line.is_empty() || line.starts_with(' ')) {
            let begins = line.starts_with("  ") && !line[2..].starts_with([' ', '#']);
            if begins {
                entries.push(String::new());
            }
            if let Some(entry) = entries.last_mut() {
                writeln!(entry, "{line}").expect("a text takes more text");
            }
        }
        entries.iter().rev().for_each(|entry| turned.push_str(entry));
    }
    turned
}

fn list_reversed(line: &str) -> String {
    let Some(list) = line.strip_prefix("    traits: [").and_then(|rest| rest.strip_suffix(']')) else {
        return line.to_owned();
    };
    let mut items: Vec<&str> = list.split(", ").collect();
    items.reverse();
    format!("    traits: [{}]", items.join(", "))
}
