//! A slip of the finger anywhere in a ruleset is noticed, and mostly answered with the word that was meant.

#![allow(clippy::print_stdout, reason = "the figures are for whoever reads the run")]

mod words;

use std::collections::BTreeMap;

use intermezzo_compiler::{Compiled, Ruleset, Severity};
use intermezzo_simulator::{Random, subjects};
use words::{Role, Word, misspell, words};

/// How many misspellings of each ruleset are tried.
const PER_RULESET: usize = 90;

/// One misspelling.
struct Mutant {
    ruleset: String,
    word: Word,
    was: String,
    is: String,
    line: usize,
}

/// What became of a misspelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Nothing was said.
    Survived,
    /// It was noticed.
    Noticed,
    /// It was noticed, and a hint names the other spelling.
    Understood,
}

#[test]
fn a_misspelt_word_is_noticed_and_the_right_one_suggested() {
    let mut fates: Vec<(Mutant, Fate)> = Vec::new();
    let mut random = Random::new(1);
    for subject in subjects::all() {
        let baseline = Ruleset::from_files(&subject.files).compile();
        assert!(baseline.diagnostics.is_empty(), "{} is sound to begin with", subject.name);
        for _ in 0..PER_RULESET {
            fates.extend(try_one(&subject.name, &subject.files, &mut random));
        }
    }
    let tried = fates.len();
    let caught = fates.iter().filter(|(_, fate)| *fate != Fate::Survived).count();
    let understood = fates.iter().filter(|(_, fate)| *fate == Fate::Understood).count();
    let (caught_share, understood_share) = (share(caught, tried), share(understood, caught));
    println!(
        "{tried} misspellings: {caught} noticed ({caught_share:.1} %), {understood} of them with the right word ({understood_share:.1} %)"
    );
    print_by_role(&fates);
    print_examples(&fates, Fate::Survived);
    print_examples(&fates, Fate::Noticed);
    assert!(tried >= 1000, "only {tried} were tried");
    assert!(caught_share >= 97.0, "only {caught_share:.1} % were noticed");
    assert!(understood_share >= 80.0, "only {understood_share:.1} % were answered with the right word");
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Misspells one word of one file; nothing if it came out as it was.
fn try_one(ruleset: &str, files: &[(String, Vec<u8>)], random: &mut Random) -> Option<(Mutant, Fate)> {
    let place = random.index(files.len());
    let text = String::from_utf8(files[place].1.clone()).expect("rulesets are UTF-8");
    let all = words(&files[place].0, &text);
    let word = random.pick(&all).clone();
    let was = text[word.start..word.end].to_owned();
    let is = misspell(&was, random);
    if is == was {
        return None;
    }
    let mut files = files.to_vec();
    files[place].1 = format!("{}{is}{}", &text[..word.start], &text[word.end..]).into_bytes();
    let compiled = Ruleset::from_files(&files).compile();
    let line = text[..word.start].matches('\n').count() + 1;
    let fate = judge(&compiled, &word, &was, &is);
    Some((Mutant { ruleset: ruleset.to_owned(), word, was, is, line }, fate))
}

fn judge(compiled: &Compiled, word: &Word, was: &str, is: &str) -> Fate {
    let noticed = compiled.diagnostics.iter().any(|diagnostic| match diagnostic.severity {
        Severity::Error => true,
        _ => {
            let near =
                diagnostic.span.start as usize <= word.end && word.start <= diagnostic.span.end as usize;
            near || [was, is].iter().any(|name| diagnostic.message.contains(&format!("`{name}`")))
        }
    });
    // A misspelt declaration shows at its uses, which are then told the declared name.
    let meant = |hint: &String| {
        [was, is].iter().any(|name| {
            hint.contains(&format!("did you mean `{name}`")) || hint.contains(&format!("write `{name}`"))
        })
    };
    let understood = compiled.diagnostics.iter().flat_map(|diagnostic| &diagnostic.hints).any(meant);
    match (noticed, understood) {
        (false, _) => Fate::Survived,
        (true, false) => Fate::Noticed,
        (true, true) => Fate::Understood,
    }
}

fn print_by_role(fates: &[(Mutant, Fate)]) {
    let mut by_role: BTreeMap<Role, [usize; 3]> = BTreeMap::new();
    for (mutant, fate) in fates {
        by_role.entry(mutant.word.role).or_default()[*fate as usize] += 1;
    }
    for (role, [survived, noticed, understood]) in by_role {
        println!("  {role:?}: {understood} understood, {noticed} noticed, {survived} survived");
    }
}

fn print_examples(fates: &[(Mutant, Fate)], fate: Fate) {
    println!("{fate:?}:");
    for (mutant, _) in fates.iter().filter(|(_, other)| *other == fate) {
        let Mutant { ruleset, word, was, is, line } = mutant;
        println!("  {ruleset}:{line} {} `{was}` -> `{is}` ({:?})", word.path, word.role);
    }
}
