//! The output shown in the README is what the program prints.

use crate::{folder, intermezzo, repository, run_in, text, typed};

fn readme() -> String {
    std::fs::read_to_string(repository().join("README.md")).expect("the README exists")
}

/// Returns the fenced text that begins with this line.
fn shown(first: &str) -> String {
    let readme = readme();
    let begin = readme.find(&format!("```text\n{first}")).expect("the README shows it") + "```text\n".len();
    let text = &readme[begin..];
    text[..text.find("```").expect("the fence is closed")].to_owned()
}

#[test]
fn the_beginning_of_a_duel() {
    typed(&["play", "orcain", "--seed", "3"], "1 2 3\n").exits(0).says(&shown("round › prep"));
}

#[test]
fn the_commands_for_the_duel_of_mages() {
    for (line, shown) in [
        ("play mages", "Change your hand for one card less?"),
        ("play mages --option opening=0 --option 'hands=[[bolt,echo],[]]' --option mana=5", "Cast Bolt → p1"),
    ] {
        assert!(readme().contains(&format!("cargo run --release -- {line}\n")), "{line}");
        let line = format!("{line} --seed 3").replace('\'', "");
        typed(&line.split(' ').collect::<Vec<_>>(), "q\n").exits(0).says(shown);
    }
}

#[test]
fn the_commands_for_your_own_game() {
    let folder = folder("readme-own");
    for line in ["new my-game", "check my-game", "test my-game", "play my-game"] {
        assert!(readme().contains(&format!("cargo run --release -- {line}")), "{line}");
        run_in(&folder, &line.split(' ').collect::<Vec<_>>(), "3\n3\n3\n3\n").exits(0);
    }
}

#[test]
fn the_commands_to_measure_a_game() {
    intermezzo(&["simulate", "orcain", "--seed", "1"]).exits(0).says(&shown("  thing"));
    let folder = folder("readme-measured");
    run_in(&folder, &["new", "my-game"], "").exits(0);
    let duel = repository().join("rulesets/orcain");
    for (line, short) in [
        ("simulate mages --decks --html report.html", "-n 4"),
        ("simulate orcain --option damage=1,2,3", "-n 40"),
        ("simulate my-game --against rulesets/orcain", "-n 40"),
        ("simulate my-game --coverage", "-n 40"),
        ("simulate my-game --fuzz --out my-game/scenarios", "-n 8"),
    ] {
        assert!(readme().contains(&format!("cargo run --release -- {line}\n")), "{line}");
        let line = format!("{line} {short}").replace("rulesets/orcain", text(&duel));
        run_in(&folder, &line.split(' ').collect::<Vec<_>>(), "").exits(0);
    }
}

#[test]
fn the_commands_for_saved_matches() {
    let path = folder("readme-saved").join("duel.json");
    for line in [
        "simulate orcain -n 100000",
        "play orcain --save duel.json",
        "replay duel.json",
        "verify duel.json",
        "explain duel.json 17",
        "explain duel.json --value players[0].hp",
    ] {
        assert!(readme().contains(&format!("`intermezzo {line}`")), "{line}");
        let line = line.replace("duel.json", text(&path)).replace("100000", "100");
        typed(&line.split(' ').collect::<Vec<_>>(), &"1 2 3\n".repeat(99)).exits(0);
    }
    intermezzo(&["help"]).exits(0).says("Exit codes:");
}
