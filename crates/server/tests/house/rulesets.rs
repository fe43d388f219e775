//! Publishing rulesets and finding them.

use std::collections::BTreeMap;

use intermezzo_protocol::resources::PublishRuleset;
use intermezzo_server::house::Window;

use crate::world::{TINY, World, bundled, code};

fn files(text: &str) -> PublishRuleset {
    PublishRuleset { files: BTreeMap::from([("ruleset.yaml".to_owned(), text.to_owned())]) }
}

fn mine(version: &str) -> String {
    TINY.replace("id: tiny, version: 1.0.0", &format!("id: mine, version: {version}"))
}

#[tokio::test]
async fn what_is_published_can_be_found_by_id_version_and_hash() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    let old = world.house.publish(&anna, &files(&mine("1.9.0"))).await.unwrap();
    let new = world.house.publish(&anna, &files(&mine("1.10.0"))).await.unwrap();
    assert_eq!((old.name.as_str(), old.description.as_str()), ("Tiny", "Nothing much."));
    assert_eq!((old.seats.min, old.seats.max, old.seats.usual), (2, 4, 3));
    assert_eq!(old.options[0].default, 5);
    assert_eq!(old.options[1].default, serde_json::Value::Null);
    assert_eq!(world.house.ruleset("mine").await.unwrap(), new);
    assert_eq!(world.house.ruleset("mine@1.9.0").await.unwrap(), old);
    assert_eq!(world.house.ruleset(&old.hash).await.unwrap(), old);
    for name in ["yours", "mine@2.0.0", &"0".repeat(64), "", "@", "mine/../tiny"] {
        assert_eq!(code(world.house.ruleset(name).await), "not_found", "{name}");
    }
}

#[tokio::test]
async fn publishing_the_same_again_changes_nothing() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    let first = world.house.publish(&anna, &files(&mine("1.0.0"))).await.unwrap();
    world.clock.advance(1000);
    assert_eq!(world.house.publish(&anna, &files(&mine("1.0.0"))).await.unwrap(), first);
}

#[tokio::test]
async fn a_version_cannot_be_published_with_other_rules() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    world.house.publish(&anna, &files(&mine("1.0.0"))).await.unwrap();
    let other = mine("1.0.0").replace("default: 5", "default: 6");
    assert_eq!(code(world.house.publish(&anna, &files(&other)).await), "version_taken");
}

#[tokio::test]
async fn an_id_belongs_to_who_published_it_first() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    world.house.publish(&anna, &files(&mine("1.0.0"))).await.unwrap();
    assert_eq!(code(world.house.publish(&bert, &files(&mine("1.1.0"))).await), "not_allowed");
    let theirs = TINY.replace("1.0.0", "1.1.0");
    assert_eq!(code(world.house.publish(&anna, &files(&theirs)).await), "not_allowed");
}

#[tokio::test]
async fn mistakes_come_back_with_their_places() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    let wrong = mine("1.0.0").replace("options.entry, pot", "options.entri, pot");
    let problem = world.house.publish(&anna, &files(&wrong)).await.unwrap_err();
    assert_eq!(problem.code.name(), "bad_ruleset");
    let first = &problem.more["diagnostics"][0];
    assert_eq!(first["file"], "ruleset.yaml");
    assert_eq!(first["line"], 7);
    assert!(first["column"].as_u64().unwrap() > 1);
    assert!(first["message"].as_str().unwrap().contains("entri"), "{first}");
    let checked = world.house.check_ruleset(&files(&wrong)).await.unwrap();
    assert!(!checked.playable);
    assert_eq!(checked.diagnostics[0], *first);
    assert!(world.house.check_ruleset(&files(&mine("1.0.0"))).await.unwrap().playable);
    assert_eq!(code(world.house.ruleset("mine").await), "not_found");
}

#[tokio::test]
async fn a_version_that_lacks_names_of_the_one_before_is_told_so() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    world.house.publish(&anna, &files(&mine("1.0.0"))).await.unwrap();
    let without = |version: &str| mine(version).replace("  mood:  {type: maybe<int>, default: null}\n", "");
    let problem = world.house.publish(&anna, &files(&without("1.1.0"))).await.unwrap_err();
    assert_eq!(problem.more["diagnostics"][0]["code"], "E-VERSION");
    let checked = world.house.check_ruleset(&files(&without("1.1.0"))).await.unwrap();
    assert!(checked.diagnostics.iter().any(|said| said["code"] == "E-VERSION"), "{:?}", checked.diagnostics);
    world.house.publish(&anna, &files(&without("2.0.0"))).await.unwrap();
}

#[tokio::test]
async fn paths_that_lead_elsewhere_and_too_much_are_refused() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    let with = |path: &str, text: &str| {
        let mut wish = files(&mine("1.0.0"));
        wish.files.insert(path.to_owned(), text.to_owned());
        wish
    };
    for path in ["../up.yaml", "/abs.yaml", "a\\b.yaml", "", "a//b", "nul\0.yaml"] {
        assert_eq!(code(world.house.publish(&anna, &with(path, "")).await), "invalid", "{path:?}");
    }
    let large = with("notes.txt", &"x".repeat(2 << 20));
    assert_eq!(code(world.house.publish(&anna, &large).await), "too_large");
    let mut many = files(&mine("1.0.0"));
    many.files.extend((0..200).map(|index| (format!("n{index}.txt"), String::new())));
    assert_eq!(code(world.house.publish(&anna, &many).await), "too_large");
    let nothing = PublishRuleset { files: BTreeMap::from([("read.me".to_owned(), String::new())]) };
    assert_eq!(code(world.house.publish(&anna, &nothing).await), "invalid");
    let odd = mine("1.0.0").replace("id: mine", "id: \"mi/ne\"");
    assert_ne!(code(world.house.publish(&anna, &files(&odd)).await), "fine");
    let beside = with("scenarios/first.yaml", "this: is no ruleset");
    world.house.publish(&anna, &beside).await.unwrap();
}

#[tokio::test]
async fn a_bundled_ruleset_that_changed_takes_its_version_over_and_the_old_one_stays() {
    let world = World::with_rulesets().await;
    let old = world.house.ruleset("tiny").await.unwrap();
    let mut changed = bundled();
    changed[1].1[0].1 = TINY.replace("default: 5", "default: 7");
    world.neighbour().publish_bundled(changed).await.unwrap();
    let new = world.house.ruleset("tiny@1.0.0").await.unwrap();
    assert_ne!(new.hash, old.hash);
    assert_eq!(world.house.ruleset("tiny").await.unwrap(), new);
    let fresh = world.neighbour();
    let program = fresh.program(&old.hash).await.unwrap();
    assert_eq!(program.id, "tiny");
    assert_eq!(fresh.ruleset_files(&old.hash).await.unwrap()[0].1, TINY);
    assert_eq!(code(fresh.program(&"f".repeat(64)).await), "not_found");
}

#[tokio::test]
async fn rulesets_are_listed_in_pages() {
    let world = World::with_rulesets().await;
    let first = world.house.rulesets(Window { cursor: None, limit: Some(1) }).await.unwrap();
    assert_eq!(first.items[0].id, "orcain");
    let next = Window { cursor: first.next.as_deref(), limit: Some(1) };
    let second = world.house.rulesets(next).await.unwrap();
    assert_eq!((second.items[0].id.as_str(), second.next), ("tiny", None));
}
