//! Display data comes from the declarations of a ruleset.

use intermezzo_protocol::{RulesetTable, ZoneVisibility, ruleset_table};
use intermezzo_simulator::fixtures;

fn table(name: &str) -> RulesetTable {
    let subject = fixtures::all().into_iter().find(|subject| subject.name == name).expect("no such ruleset");
    ruleset_table(&subject.program, "00", std::collections::BTreeMap::new())
}

#[test]
fn zones_have_an_owner_kind_and_a_visibility() {
    let mages = table("mages");
    let zone = |name: &str| mages.zones.iter().find(|zone| zone.name == name).expect("no such zone");
    assert_eq!((zone("hand").of.as_deref(), zone("hand").visible), (Some("player"), ZoneVisibility::Owner));
    assert_eq!((zone("deck").visible, zone("deck").ordered), (ZoneVisibility::None, true));
    assert!(zone("battlefield").active);
    assert_eq!((zone("casting").of.as_deref(), zone("casting").visible), (None, ZoneVisibility::All));
    let draft = table("draft");
    assert!(draft.zones.iter().any(|zone| zone.name == "contents" && zone.visible == ZoneVisibility::Some));
}

#[test]
fn titles_and_sentences_are_included() {
    let mages = table("mages");
    assert_eq!(mages.defs["bolt"].title, "Bolt");
    assert_eq!(mages.rules["cast_bolt"], "Cast Bolt");
    assert_eq!(mages.events["Attack"].text.as_deref(), Some("{attacker} attacks {defender}"));
    assert_eq!(mages.events["Attack"].things, ["attacker", "defender"]);
    // An empty sentence hides an event; a missing one does not.
    assert_eq!(mages.events["CombatResolved"].text.as_deref(), Some(""));
    assert_eq!(mages.events["Moved"].text, None);
    assert!(mages.phases.iter().any(|phase| phase.name == "main1" && phase.title == "Main phase"));
    assert_eq!(mages.kinds["player"].resources, ["mana"]);
}

#[test]
fn ui_sections_are_unchanged() {
    let skirmish = table("skirmish");
    assert_eq!(skirmish.ui["grid"]["x"], "x");
    assert_eq!(skirmish.defs["wall"].ui["glyph"], "#");
}
