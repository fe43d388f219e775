//! Saved matches: `verify`, `replay`, `explain`.

use std::path::PathBuf;

use crate::{folder, intermezzo, repository, saved_duel, text, typed};

#[test]
fn a_saved_match_verifies() {
    let path = saved_duel("saved-verify");
    let run = intermezzo(&["verify", text(&path)]).exits(0);
    run.says("verified").says("6 inputs").says(", finished").says("chain ").says("commitment ");
}

#[test]
fn a_match_is_checked_against_its_commitment() {
    let path = saved_duel("saved-promised");
    let said = intermezzo(&["verify", text(&path)]).exits(0).out;
    let after = |word: &str| {
        let place = said.find(word).expect("it is said") + word.len();
        said[place..place + 64].to_owned()
    };
    let (chain, commitment) = (after("chain "), after("commitment "));
    let verify = |flag: &str, hash: &str| intermezzo(&["verify", text(&path), flag, hash]);
    verify("--commitment", &commitment).exits(0);
    verify("--chain", &chain).exits(0);
    let other = "0".repeat(64);
    let run = verify("--commitment", &other).exits(4).says("`seed`: its commitment is");
    run.says(&other).says("this is a different match");
    verify("--chain", &other).exits(4).says("the chain ends with").says("this is a different match");
    verify("--chain", "abc").exits(2).says("64 lower-case hexadecimal digits");
}

#[test]
fn tampering_is_detected_and_located() {
    let path = saved_duel("saved-tampered");
    let written = std::fs::read_to_string(&path).expect("the match was saved");
    let tamper = |from: &str, to: &str| {
        assert!(written.contains(from), "{from}");
        std::fs::write(&path, written.replacen(from, to, 1)).expect("the file can be written");
        intermezzo(&["verify", text(&path)])
    };
    let run = tamper(r#""amount":2,"by":"p0""#, r#""amount":9,"by":"p0""#).exits(4);
    run.says("does not verify").says("input 2, event ").says("`amount`: the file says 9, replaying gives 2");
    tamper(r#""winners":[0],"#, r#""winners":[1],"#).exits(4).says("header, `ending`");
    tamper(r#""indices":[0,-1,-1]"#, r#""indices":[1,-1,-1]"#).exits(4).says("input 1, `input`");
    tamper(r#""hash":""#, r#""hash":"00000000"#).exits(3).says("64 lower-case hexadecimal digits");
    tamper("\"seats\": 2", "\"seats\":  2").exits(4).says("line 4, column 12").says("not in canonical form");
    tamper("\"seats\": 2", "\"seats\": 3").exits(4).says("the ruleset is for 2 to 2 seats, not 3");
}

#[test]
fn a_replay_prints_sentences() {
    let path = saved_duel("saved-replay");
    let run = intermezzo(&["replay", text(&path)]).exits(0);
    let run = run.says("input 1 p0 answers attack #3, nothing, nothing").says("Hurt · p0 hits p1 for 2");
    run.says("prop=plan").says("MatchEnded · outcome=normal winners=p0").says("ended: normal, winners: p0");
}

#[test]
fn a_replay_can_stop_early() {
    let path = saved_duel("saved-to");
    let run = intermezzo(&["replay", text(&path), "--to", "1"]).exits(0).says("input 1");
    assert!(
        !run.out.contains("input 2") && !run.out.contains("Hurt") && !run.out.contains("ended"),
        "{}",
        run.all()
    );
}

#[test]
fn a_seat_sees_only_its_own_events() {
    let path = saved_duel("saved-seat");
    let run = intermezzo(&["replay", text(&path), "--seat", "1"]).exits(0).says("Hurt · p0 hits p1 for 2");
    assert!(!run.out.contains("prop=plan"), "plans are visible to nobody\n{}", run.all());
    assert!(!run.out.contains("p0 answers"), "answers of others are theirs\n{}", run.all());
    let run = intermezzo(&["replay", text(&path), "--seat", "0"]).exits(0);
    let run = run.says("input 1 p0 answers attack, nothing, nothing");
    assert!(run.out.contains("entity=attack #1") && !run.out.contains("p1 answers"), "{}", run.all());
}

#[test]
fn an_event_is_explained_by_causes_consequences_and_rule() {
    let path = saved_duel("saved-explain");
    let replay = intermezzo(&["replay", text(&path)]).exits(0).out;
    let hurt = replay.lines().find(|line| line.contains("Hurt ·")).expect("someone is hurt");
    let id = hurt.split_whitespace().next().expect("events are numbered");
    let run = intermezzo(&["explain", text(&path), id]).exits(0);
    let run = run
        .says(&format!("event {id}: Hurt"))
        .says("amount = 2")
        .says("input 2: p1 answers nothing, nothing, nothing");
    run.says("procs.reveal_step (").says("ruleset.yaml:").says("emit: Hurt");
    intermezzo(&["explain", text(&path), "1"])
        .exits(0)
        .says("the start of the match")
        .says("made by the engine");
    intermezzo(&["explain", text(&path), "9999"])
        .exits(2)
        .says("this match has no event 9999")
        .says("numbered 1 to");
}

/// Small rulesets that use every feature of the engine. Each of their matches can be saved, verified and
/// replayed.
#[test]
fn matches_of_every_ruleset_verify_and_replay() {
    let rulesets =
        std::fs::read_dir(repository().join("crates/simulator/rulesets")).expect("the folder exists");
    let saved = folder("saved-toys").join("match.json");
    for ruleset in rulesets {
        let ruleset = ruleset.expect("the folder can be read").path();
        let rules = ["--ruleset", text(&ruleset)];
        let simulate = ["simulate", text(&ruleset), "-n", "1", "--max-inputs", "200", "--save", text(&saved)];
        let run = intermezzo(&simulate);
        assert!(run.code <= 1, "{}: {}", ruleset.display(), run.all());
        intermezzo(&[&["verify", text(&saved)], &rules[..]].concat()).exits(0);
        intermezzo(&[&["replay", text(&saved), "--seat", "0"], &rules[..]].concat()).exits(0);
        intermezzo(&[&["replay", text(&saved)], &rules[..]].concat()).exits(0);
        intermezzo(&[&["explain", text(&saved), "2"], &rules[..]].concat()).exits(0).says("caused by");
    }
}

#[test]
fn a_match_file_cannot_inject_terminal_codes() {
    let path = saved_duel("saved-escapes");
    let written = std::fs::read_to_string(&path).expect("the match was saved");
    let hostile = written
        .replace(r#""fields":{"#, r#""fields":{"\u001b]0;x":"\u001b[2J\u009b","#)
        .replace("attack #3", "\\u001b[31mattack")
        .replace(r#""outcome":"normal","#, r#""outcome":"\u001b[31m","#);
    std::fs::write(&path, hostile).expect("the file can be written");
    for args in [&["replay", text(&path)][..], &["explain", text(&path), "2"], &["verify", text(&path)]] {
        let run = intermezzo(args);
        let has_control = |text: &str| text.chars().any(|letter| letter.is_control() && letter != '\n');
        assert!(!has_control(&run.out) && !has_control(&run.err), "{args:?}\n{:?}", run.out);
    }
}

#[test]
fn a_value_is_explained_by_what_modified_it() {
    let folder = folder("saved-value");
    let saved = folder.join("match.json");
    let rules = repository().join("crates/scenario/conformance/modifiers");
    let table = "table=[plain, captain, mirror, toll, captain]";
    let play = ["simulate", text(&rules), "-n", "1", "--option", table, "--save", text(&saved)];
    intermezzo(&play).exits(0);
    let explain = |value: &str| {
        intermezzo(&["explain", text(&saved), "--ruleset", text(&rules), "--to", "0", "--value", value])
    };
    let run = explain("players[0].side.first!.worth").exits(0);
    let run =
        run.says("players[0].side.first!.worth = 4").says("worth of plain #3 = 4").says("stored value 2");
    run.says("2 → 3  captain #4 (").says("3 → 4  captain #7 (").says("ruleset.yaml:44)");
    explain("mirror #5.worth").exits(0).says("4 → 8  mirror #5 (");
    let run = explain("chain(price, {token: players[0].side.first!, amount: 0, waived: false}).amount");
    let run = run.exits(0).says("amount 0 → 4  the game (").says("amount 4 → 14  toll #6 (");
    run.says("unchanged by the game (").says("  worth of plain #3 = 4");
    explain("players[0].points").exits(0).says("no modifier can affect this value");
    explain("#99.worth").exits(2).says("no entity #99");
    explain("#3.wroth").exits(5).says("no_such_property");
    explain("players[0].side.first!.wroth").exits(2).says("did you mean `worth`?");
    intermezzo(&["explain", text(&saved)]).exits(2).says("EVENT_ID");
}

/// Saves a match of the stack ruleset in which p0 casts these cards in turn and everyone passes.
fn saved_stack(name: &str, hands: &str, typed_in: &str) -> PathBuf {
    let path = folder(name).join("match.json");
    let hands = format!("hands={hands}");
    let args = ["play", STACK, "--humans", "0,1", "--seed", "5", "--option", &hands, "--save", text(&path)];
    typed(&args, typed_in).exits(0);
    path
}

const STACK: &str = "crates/scenario/conformance/stack";

#[test]
fn stack_items_are_described_in_sentences() {
    let path = saved_stack("saved-stack", "[bolt], []", "bolt p1\np\np\n");
    let run = intermezzo(&["replay", text(&path), "--ruleset", STACK]).exits(0);
    let run = run.says("p0 answers cast_bolt (bolt #3) → p1").says("Announced · p0 plays Bolt");
    let run = run.says("Action · Bolt #8 resolves").says("Damaged · p1 takes 3 damage");
    let damaged = run.out.lines().find(|line| line.contains("DealDamage")).expect("damage was dealt");
    let number = damaged.split_whitespace().next().expect("events are numbered");
    let run = intermezzo(&["explain", text(&path), number, "--ruleset", STACK]).exits(0);
    run.says("Action · Bolt #8 resolves").says("p1 answers pass").says("made by");
}

#[test]
fn failed_and_prevented_events_are_marked() {
    let path = saved_stack("saved-failed", "[faulty], []", "faulty\np\np\n");
    let run = intermezzo(&["replay", text(&path), "--ruleset", STACK]).exits(0);
    let run = run.says("Cast #8 (faulty #3) fails: a rule raised an error, the match continues (failed)");
    let failed = run.out.lines().find(|line| line.contains("(failed)")).expect("something failed");
    let number = failed.split_whitespace().next().expect("events are numbered");
    let run = intermezzo(&["explain", text(&path), number, "--ruleset", STACK]).exits(0);
    run.says("a rule failed, and its effects were undone");
    let path = saved_stack("saved-countered", "[[bolt, counter], []]", "bolt p1\ncounter\np\np\n");
    let run = intermezzo(&["replay", text(&path), "--ruleset", STACK]).exits(0);
    run.says("(prevented)").says("counters an action");
}
