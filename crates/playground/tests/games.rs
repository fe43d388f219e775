//! The games of this repository on the table of a workshop.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::path::Path;

use intermezzo_playground::{BotName, Folder, Start, Table, Texts, check, scenarios};

const GAMES: [&str; 5] = ["orcain", "mages", "skirmish", "draft", "dogma"];

fn rules(game: &str) -> Texts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets").join(game);
    let mut texts = Folder::open(&folder).unwrap().texts(&Texts::new()).unwrap();
    texts.retain(|path, _| !path.contains('/'));
    texts
}

/// A match that bots have played for so many inputs.
fn played(texts: &Texts, inputs: usize) -> Table {
    let program = check(texts).program.unwrap();
    let bots = vec![Some(BotName::Random); usize::from(program.seats.usual)];
    let mut table = Table::start(&program, Start { seed: 7, bots, ..Start::default() }).unwrap();
    table.let_bots_play();
    // Some matches are over before that.
    let inputs = inputs.min(table.inputs().len() - 1);
    assert!(inputs >= 4);
    table.back(inputs).unwrap();
    table
}

#[test]
fn what_is_played_of_any_game_becomes_a_scenario_that_holds() {
    for game in GAMES {
        let texts = rules(game);
        let table = played(&texts, 12);
        let written = scenarios::record(&texts, &table, "scenarios/new.yaml", "what was played", &[]);
        let written = written.unwrap_or_else(|why| panic!("{game}: {why}"));
        let mut texts = texts.clone();
        texts.insert("scenarios/new.yaml".to_owned(), written.text.clone());
        let ran = scenarios::run(&texts, None, None);
        assert!(ran.failed.is_empty() && ran.played.len() == 1, "{game}: {:?}", ran.failed);
        assert!(
            ran.diagnostics.iter().all(|said| said["file"] != "scenarios/new.yaml"),
            "{:?}",
            ran.diagnostics
        );
    }
}

#[test]
fn the_same_rules_make_the_same_match_of_the_same_inputs() {
    for game in GAMES {
        let texts = rules(game);
        let mut table = played(&texts, 20);
        let (hash, branches) = (table.playing().state_hash(), table.branches().len());
        // Compiled again, with a remark that is no rule.
        let mut again = texts.clone();
        again.values_mut().for_each(|text| text.push_str("\n# a remark\n"));
        let reloaded = table.reload(&check(&again).program.unwrap()).unwrap();
        assert_eq!(reloaded.inputs, reloaded.of, "{game}: {reloaded:?}");
        assert_eq!((reloaded.difference, reloaded.stopped), (None, None), "{game}");
        assert_eq!((table.playing().state_hash(), table.branches().len()), (hash, branches), "{game}");
    }
}

#[test]
fn the_file_of_a_match_on_the_table_tells_the_truth() {
    for game in GAMES {
        let texts = rules(game);
        let table = played(&texts, 20);
        let verified = table.file().verify(table.program());
        let verified = verified.unwrap_or_else(|mismatch| panic!("{game}: {mismatch}"));
        assert_eq!(verified.inputs, table.inputs().len());
    }
}
