//! The games of this repository in the playground.
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

use std::path::Path;

use intermezzo_playground::{
    BotName, FileTexts, PlaygroundMatch, RulesetFolder, StartOptions, check, scenarios,
};

const GAMES: [&str; 5] = ["orcain", "mages", "skirmish", "draft", "dogma"];

fn rules(game: &str) -> FileTexts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulesets").join(game);
    let mut texts = RulesetFolder::open(&folder).unwrap().texts(&FileTexts::new()).unwrap();
    texts.retain(|path, _| !path.contains('/'));
    texts
}

/// Lets bots play a match and rewinds it to its first inputs.
fn played(texts: &FileTexts, inputs: usize) -> PlaygroundMatch {
    let program = check(texts).program.unwrap();
    let bots = vec![Some(BotName::Random); usize::from(program.seats.default)];
    let mut game =
        PlaygroundMatch::start(&program, StartOptions { seed: 7, bots, ..StartOptions::default() }).unwrap();
    game.play_bots();
    // Some matches have fewer inputs.
    let inputs = inputs.min(game.inputs().len() - 1);
    assert!(inputs >= 4);
    game.rewind(inputs).unwrap();
    game
}

#[test]
fn a_played_match_of_any_game_becomes_a_passing_scenario() {
    for ruleset in GAMES {
        let texts = rules(ruleset);
        let game = played(&texts, 12);
        let written = scenarios::record(&texts, &game, "scenarios/new.yaml", "what was played", &[]);
        let written = written.unwrap_or_else(|why| panic!("{ruleset}: {why}"));
        let mut texts = texts.clone();
        texts.insert("scenarios/new.yaml".to_owned(), written.text.clone());
        let ran = scenarios::run(&texts, None, None);
        assert!(ran.failed.is_empty() && ran.played.len() == 1, "{ruleset}: {:?}", ran.failed);
        assert!(
            ran.diagnostics.iter().all(|said| said["file"] != "scenarios/new.yaml"),
            "{:?}",
            ran.diagnostics
        );
    }
}

#[test]
fn reloading_the_same_rules_changes_nothing() {
    for ruleset in GAMES {
        let texts = rules(ruleset);
        let mut game = played(&texts, 20);
        let (hash, branches) = (game.game().state_hash(), game.branches().len());
        // Compile again with a comment added, which changes no rule.
        let mut again = texts.clone();
        again.values_mut().for_each(|text| text.push_str("\n# a remark\n"));
        let reloaded = game.reload(&check(&again).program.unwrap()).unwrap();
        assert_eq!(reloaded.inputs, reloaded.of, "{ruleset}: {reloaded:?}");
        assert_eq!((reloaded.difference, reloaded.stopped), (None, None), "{ruleset}");
        assert_eq!((game.game().state_hash(), game.branches().len()), (hash, branches), "{ruleset}");
    }
}

#[test]
fn the_file_of_a_playground_match_verifies() {
    for ruleset in GAMES {
        let texts = rules(ruleset);
        let game = played(&texts, 20);
        let verified = game.file().verify(game.program());
        let verified = verified.unwrap_or_else(|mismatch| panic!("{ruleset}: {mismatch}"));
        assert_eq!(verified.inputs, game.inputs().len());
    }
}
