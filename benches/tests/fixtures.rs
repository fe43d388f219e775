//! The endless match and the mid-game positions have the properties that their benchmarks rely on.

use intermezzo_benches::{any_ruleset, endless, midgame};

#[test]
fn an_endless_match_neither_ends_nor_grows() {
    let mut player = any_ruleset::RulesetPlayer::new(endless::program(), false);
    player.begin(1);
    let entities = |player: &any_ruleset::RulesetPlayer| player.current().board().entities().count();
    let initial = entities(&player);
    for action in 1..=3000 {
        assert!(player.step(), "the match ended with action {action}");
        assert_eq!(entities(&player), initial, "after action {action}");
    }
    // Fighters that fall are replaced by new entities, so the newest entity must differ from the first match's.
    let newest = player.current().board().entities().max();
    player.begin(1);
    assert_ne!(newest, player.current().board().entities().max(), "no fighter has fallen");
}

#[test]
fn every_input_of_a_position_can_be_previewed() {
    let mut positions = midgame::positions(8);
    assert_eq!(positions.len(), 8);
    for position in &mut positions {
        let before = position.state.state_hash();
        assert!(!position.inputs.is_empty());
        for input in &position.inputs {
            position.state.preview(input, |_| ()).unwrap();
        }
        assert_eq!(position.state.state_hash(), before, "a preview changes nothing");
    }
}
