//! What is measured beside the games of the twins is what it is said to be.

use intermezzo_benches::{any, endless, midgame};

#[test]
fn an_endless_match_goes_on_and_does_not_grow() {
    let mut player = any::Player::new(endless::program(), false);
    player.begin(1);
    let entities = |player: &any::Player| player.current().board().entities().count();
    let at_first = entities(&player);
    for action in 1..=3000 {
        assert!(player.step(), "it ended with action {action}");
        assert_eq!(entities(&player), at_first, "after action {action}");
    }
    // Whoever falls is replaced, so references of later ones are others.
    let newest = player.current().board().entities().max();
    player.begin(1);
    assert_ne!(newest, player.current().board().entities().max(), "nobody has fallen");
}

#[test]
fn every_answer_of_a_position_can_be_tried() {
    let mut positions = midgame::positions(8);
    assert_eq!(positions.len(), 8);
    for position in &mut positions {
        let before = position.state.state_hash();
        assert!(!position.inputs.is_empty());
        for input in &position.inputs {
            position.state.try_out(input, |_| ()).unwrap();
        }
        assert_eq!(position.state.state_hash(), before, "trying changes nothing");
    }
}
