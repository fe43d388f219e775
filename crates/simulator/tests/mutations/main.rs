//! A misspelling anywhere in a ruleset is reported, mostly with a hint that names the right word.

#![allow(clippy::print_stdout, reason = "the figures are for readers of the test output")]

mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use intermezzo_compiler::{Compilation, Ruleset, Severity};
use intermezzo_simulator::{Random, fixtures};
use words::{Role, SpelledWord, misspell, slip, words};

/// Number of misspellings per ruleset.
const PER_RULESET: usize = 90;

/// Misspelling of one word.
struct Misspelling {
    ruleset: String,
    word: SpelledWord,
    was: String,
    is: String,
    line: usize,
}

/// Compiler's reaction to a misspelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reaction {
    /// No diagnostic.
    Survived,
    /// A diagnostic.
    Noticed,
    /// A diagnostic with a hint that names the right spelling.
    Understood,
}

#[test]
fn a_misspelt_word_is_noticed_and_the_right_one_suggested() {
    let rulesets = fixtures::all().into_iter().map(|fixture| (fixture.name, fixture.files)).collect();
    measure(rulesets, PER_RULESET, &|word, random| Some(misspell(word, random)), [99.0, 93.0]);
}

#[test]
fn misspelt_words_of_the_tutorial_and_the_conformance_rulesets_are_noticed() {
    measure(other_rulesets(), PER_RULESET / 3, &|word, random| Some(misspell(word, random)), [99.0, 93.0]);
}

#[test]
fn words_in_the_style_of_other_languages_are_noticed() {
    let mut rulesets: Vec<Files> =
        fixtures::all().into_iter().map(|fixture| (fixture.name, fixture.files)).collect();
    rulesets.extend(other_rulesets());
    measure(rulesets, PER_RULESET / 3, &slip, [98.0, 93.0]);
}

/// Name and files of a ruleset.
type Files = (String, Vec<(String, Vec<u8>)>);

/// Returns the steps of the tutorial and the conformance rulesets.
fn other_rulesets() -> Vec<Files> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["examples/tutorial", "crates/scenario/conformance"];
    let inside = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder"));
    let mut found: Vec<Files> = inside
        .map(|entry| entry.expect("an entry").path())
        .filter_map(|path| Some((path.display().to_string(), files_of(&path)?)))
        .collect();
    found.sort();
    assert!(found.len() > 40, "{} rulesets", found.len());
    found
}

/// Returns the files of a ruleset without warnings of its own.
fn files_of(path: &Path) -> Option<Vec<(String, Vec<u8>)>> {
    let inside: Vec<PathBuf> = match path.is_dir() {
        true => {
            std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
        }
        false => vec![path.to_owned()],
    };
    let is_rules = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "yaml");
    let mut paths: Vec<&PathBuf> = inside.iter().filter(is_rules).collect();
    paths.sort();
    let read = |path: &&PathBuf| (path.display().to_string(), std::fs::read(path).expect("a file"));
    let files: Vec<(String, Vec<u8>)> = paths.iter().map(read).collect();
    (!files.is_empty() && Ruleset::from_files(&files).compile().diagnostics.is_empty()).then_some(files)
}

/// Changes words of rulesets, prints the reactions, and checks the shares that are noticed and understood.
fn measure(
    rulesets: Vec<Files>,
    per_ruleset: usize,
    change: &dyn Fn(&str, &mut Random) -> Option<String>,
    [least_noticed, least_understood]: [f64; 2],
) {
    let mut reactions: Vec<(Misspelling, Reaction)> = Vec::new();
    let mut random = Random::new(1);
    for (name, files) in rulesets {
        let baseline = Ruleset::from_files(&files).compile();
        let found = &baseline.diagnostics;
        assert!(found.is_empty(), "{name} has diagnostics at first: {found:?}");
        for _ in 0..per_ruleset {
            reactions.extend(try_one(&name, &files, change, &mut random));
        }
    }
    let tried = reactions.len();
    let caught = reactions.iter().filter(|(_, reaction)| *reaction != Reaction::Survived).count();
    let understood = reactions.iter().filter(|(_, reaction)| *reaction == Reaction::Understood).count();
    let (caught_share, understood_share) = (share(caught, tried), share(understood, caught));
    println!(
        "{tried} misspellings: {caught} noticed ({caught_share:.1} %), {understood} of them with the right word ({understood_share:.1} %)"
    );
    print_by_role(&reactions);
    print_examples(&reactions, Reaction::Survived);
    print_examples(&reactions, Reaction::Noticed);
    assert!(tried >= 1000, "only {tried} were tried");
    assert!(caught_share >= least_noticed, "only {caught_share:.1} % were noticed");
    assert!(
        understood_share >= least_understood,
        "only {understood_share:.1} % were answered with the right word"
    );
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Misspells one word of one file; `None` if the spelling did not change or nothing can tell that it is wrong.
fn try_one(
    ruleset: &str,
    files: &[(String, Vec<u8>)],
    change: &dyn Fn(&str, &mut Random) -> Option<String>,
    random: &mut Random,
) -> Option<(Misspelling, Reaction)> {
    let place = random.index(files.len());
    let text = String::from_utf8(files[place].1.clone()).expect("rulesets are UTF-8");
    let all = words(&files[place].0, &text);
    if all.is_empty() {
        return None;
    }
    let word = random.pick(&all).clone();
    let was = text[word.start..word.end].to_owned();
    let is = change(&was, random)?;
    if is == was || word.is_declared_here() && is_unique(&was, files) {
        return None;
    }
    let mut files = files.to_vec();
    files[place].1 = format!("{}{is}{}", &text[..word.start], &text[word.end..]).into_bytes();
    let compiled = Ruleset::from_files(&files).compile();
    let line = text[..word.start].matches('\n').count() + 1;
    let reaction = reaction_to(&compiled, &word, &was, &is);
    Some((Misspelling { ruleset: ruleset.to_owned(), word, was, is, line }, reaction))
}

/// Returns true if the files contain the name once: a name that nothing refers to is as good under another name.
fn is_unique(name: &str, files: &[(String, Vec<u8>)]) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let names = files.iter().flat_map(|(_, text)| text.split(|byte| !is_part(*byte)));
    names.filter(|other| *other == name.as_bytes()).count() == 1
}

fn reaction_to(compiled: &Compilation, word: &SpelledWord, was: &str, is: &str) -> Reaction {
    let noticed = compiled.diagnostics.iter().any(|diagnostic| match diagnostic.severity {
        Severity::Error => true,
        _ => {
            let near =
                diagnostic.span.start as usize <= word.end && word.start <= diagnostic.span.end as usize;
            near || [was, is].iter().any(|name| diagnostic.message.contains(&format!("`{name}`")))
        }
    });
    // A misspelt declaration is reported at its uses, with a hint that names the declaration.
    let meant = |hint: &String| {
        [was, is].iter().any(|name| {
            hint.contains(&format!("did you mean `{name}`")) || hint.contains(&format!("write `{name}`"))
        })
    };
    let understood = compiled.diagnostics.iter().flat_map(|diagnostic| &diagnostic.hints).any(meant);
    match (noticed, understood) {
        (false, _) => Reaction::Survived,
        (true, false) => Reaction::Noticed,
        (true, true) => Reaction::Understood,
    }
}

fn print_by_role(reactions: &[(Misspelling, Reaction)]) {
    let mut by_role: BTreeMap<Role, [usize; 3]> = BTreeMap::new();
    for (mutant, reaction) in reactions {
        by_role.entry(mutant.word.role).or_default()[*reaction as usize] += 1;
    }
    for (role, [survived, noticed, understood]) in by_role {
        println!("  {role:?}: {understood} understood, {noticed} noticed, {survived} survived");
    }
}

fn print_examples(reactions: &[(Misspelling, Reaction)], reaction: Reaction) {
    println!("{reaction:?}:");
    for (mutant, _) in reactions.iter().filter(|(_, other)| *other == reaction) {
        let Misspelling { ruleset, word, was, is, line } = mutant;
        println!("  {ruleset}:{line} {} `{was}` -> `{is}` ({:?})", word.path, word.role);
    }
}
