//! A misspelling anywhere in a ruleset is reported, mostly with a hint that names the right word.

#![allow(clippy::print_stdout, reason = "the figures are for readers of the test output")]

mod words;

use std::collections::BTreeMap;

use intermezzo_compiler::{Compilation, Ruleset, Severity};
use intermezzo_simulator::{Random, fixtures};
use words::{Role, Word, misspell, words};

/// Number of misspellings per ruleset.
const PER_RULESET: usize = 90;

/// Misspelling of one word.
struct Misspelling {
    ruleset: String,
    word: Word,
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
    let mut reactions: Vec<(Misspelling, Reaction)> = Vec::new();
    let mut random = Random::new(1);
    for fixture in fixtures::all() {
        let baseline = Ruleset::from_files(&fixture.files).compile();
        let found = &baseline.diagnostics;
        assert!(found.is_empty(), "{} has diagnostics at first: {found:?}", fixture.name);
        for _ in 0..PER_RULESET {
            reactions.extend(try_one(&fixture.name, &fixture.files, &mut random));
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
    assert!(caught_share >= 99.0, "only {caught_share:.1} % were noticed");
    assert!(understood_share >= 93.0, "only {understood_share:.1} % were answered with the right word");
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Misspells one word of one file; `None` if the spelling did not change or nothing can tell that it is wrong.
fn try_one(
    ruleset: &str,
    files: &[(String, Vec<u8>)],
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
    let is = misspell(&was, random);
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

fn reaction_to(compiled: &Compilation, word: &Word, was: &str, is: &str) -> Reaction {
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
