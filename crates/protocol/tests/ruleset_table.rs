//! What clients show a ruleset with comes from its declarations alone.

use intermezzo_protocol::{RulesetTable, ZoneSight, ruleset_table};
use intermezzo_simulator::subjects;

fn table(name: &str) -> RulesetTable {
    let subject =
        subjects::all().into_iter().find(|subject| subject.name == name).expect("the ruleset is there");
    ruleset_table(&subject.program, "00")
}

#[test]
fn zones_say_whose_they_are_and_who_sees_into_them() {
    let mages = table("mages");
    let zone = |name: &str| mages.zones.iter().find(|zone| zone.name == name).expect("the zone is declared");
    assert_eq!((zone("hand").of.as_deref(), zone("hand").visible), (Some("player"), ZoneSight::Owner));
    assert_eq!((zone("deck").visible, zone("deck").ordered), (ZoneSight::None, true));
    assert!(zone("battlefield").active);
    assert_eq!((zone("casting").of.as_deref(), zone("casting").visible), (None, ZoneSight::All));
    let draft = table("draft");
    assert!(draft.zones.iter().any(|zone| zone.name == "contents" && zone.visible == ZoneSight::Some));
}

#[test]
fn words_for_people_come_with_what_they_are_for() {
    let mages = table("mages");
    assert_eq!(mages.defs["bolt"].title, "Bolt");
    assert_eq!(mages.rules["cast_bolt"], "Cast Bolt");
    assert_eq!(mages.events["Attack"].text.as_deref(), Some("{attacker} attacks {defender}"));
    assert_eq!(mages.events["Attack"].things, ["attacker", "defender"]);
    // An event that people are not told of is not one without words.
    assert_eq!(mages.events["CombatResolved"].text.as_deref(), Some(""));
    assert_eq!(mages.events["Moved"].text, None);
    assert!(mages.phases.iter().any(|phase| phase.name == "main1" && phase.title == "Main phase"));
    assert_eq!(mages.kinds["player"].resources, ["mana"]);
}

#[test]
fn what_is_said_under_ui_comes_as_it_was_written() {
    let skirmish = table("skirmish");
    assert_eq!(skirmish.ui["grid"]["x"], "x");
    assert_eq!(skirmish.defs["wall"].ui["glyph"], "#");
}
