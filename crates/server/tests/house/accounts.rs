//! Accounts and signing in.

use intermezzo_protocol::resources::{CreateMatch, NewAccount, NewPassword, Rename, SignIn};
use intermezzo_server::house::{Caller, Window};
use intermezzo_store::prefix;

use crate::world::{World, code, ending, id};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn with_password(name: &str, password: &str) -> NewAccount {
    NewAccount { name: Some(name.to_owned()), password: Some(password.to_owned()) }
}

fn sign_in(name: &str, password: &str) -> SignIn {
    SignIn { name: name.to_owned(), password: password.to_owned() }
}

#[tokio::test]
async fn a_guest_gets_a_friendly_name_and_tokens_to_start_with() {
    let world = World::new().await;
    let signed_in = world.house.create_account(&NewAccount::default()).await.unwrap();
    assert!(signed_in.account.guest);
    assert_eq!(signed_in.account.name.split('-').count(), 3, "{}", signed_in.account.name);
    let account = world.house.who(&signed_in.token).await.unwrap();
    assert_eq!(world.house.me(&account).await.unwrap().balance, Some(100));
}

#[tokio::test]
async fn a_name_is_taken_in_every_case_of_letters() {
    let world = World::new().await;
    world.guest("Anna").await;
    let again = NewAccount { name: Some("aNNa".to_owned()), password: None };
    assert_eq!(code(world.house.create_account(&again).await), "name_taken");
}

#[tokio::test]
async fn names_and_passwords_that_will_not_do_are_refused() {
    let world = World::new().await;
    for wish in [
        NewAccount { name: Some("x".to_owned()), password: None },
        NewAccount { name: Some("a/b/c".to_owned()), password: None },
        with_password("anna", "short"),
        with_password("anna", &"x".repeat(201)),
        NewAccount { name: None, password: Some("long enough".to_owned()) },
    ] {
        assert_eq!(code(world.house.create_account(&wish).await), "invalid", "{wish:?}");
    }
}

#[tokio::test]
async fn a_password_signs_in_and_a_wrong_one_does_not() {
    let world = World::new().await;
    world.house.create_account(&with_password("anna", "correct horse")).await.unwrap();
    let signed_in = world.house.sign_in(&sign_in("ANNA", "correct horse")).await.unwrap();
    assert_eq!(world.house.who(&signed_in.token).await.unwrap().name, "anna");
    world.guest("guest").await;
    for (name, password) in
        [("anna", "wrong horse"), ("nobody", "correct horse"), ("guest", ""), ("../x", "y")]
    {
        assert_eq!(code(world.house.sign_in(&sign_in(name, password)).await), "wrong_password", "{name}");
    }
}

#[tokio::test]
async fn a_guest_who_sets_a_password_stays_the_same_account() {
    let world = World::new().await;
    let guest = world.house.create_account(&NewAccount::default()).await.unwrap();
    let caller = Caller::from(world.house.who(&guest.token).await.unwrap());
    let wish =
        NewPassword { current: None, password: "correct horse".to_owned(), name: Some("anna".to_owned()) };
    let signed_in = world.house.set_password(&caller, &wish).await.unwrap();
    assert_eq!(signed_in.account.id, guest.account.id);
    assert!(!signed_in.account.guest);
    assert_eq!(code(world.house.who(&guest.token).await), "not_signed_in");
    world.house.who(&signed_in.token).await.unwrap();
    world.house.sign_in(&sign_in("anna", "correct horse")).await.unwrap();
    // The friendly name is free again.
    world.guest(&guest.account.name).await;
}

#[tokio::test]
async fn a_password_is_changed_by_who_knows_it_only() {
    let world = World::new().await;
    let signed_in = world.house.create_account(&with_password("anna", "correct horse")).await.unwrap();
    let caller = Caller::from(world.house.who(&signed_in.token).await.unwrap());
    let wish = |current: Option<&str>| NewPassword {
        current: current.map(str::to_owned),
        password: "another horse".to_owned(),
        name: None,
    };
    assert_eq!(code(world.house.set_password(&caller, &wish(None)).await), "wrong_password");
    assert_eq!(code(world.house.set_password(&caller, &wish(Some("no"))).await), "wrong_password");
    world.house.set_password(&caller, &wish(Some("correct horse"))).await.unwrap();
    assert_eq!(code(world.house.sign_in(&sign_in("anna", "correct horse")).await), "wrong_password");
    world.house.sign_in(&sign_in("anna", "another horse")).await.unwrap();
}

#[tokio::test]
async fn tokens_that_are_not_ours_are_nobodys() {
    let world = World::new().await;
    let real = world.house.create_account(&NewAccount::default()).await.unwrap().token;
    let forged = format!("imz_{}", "0".repeat(64));
    for token in ["", "imz_", &real[..real.len() - 1], &real.to_uppercase(), &forged, &format!("{real}0")] {
        assert_eq!(code(world.house.who(token).await), "not_signed_in", "{token}");
    }
}

#[tokio::test]
async fn a_token_is_nowhere_to_be_found_in_the_store() {
    let world = World::new().await;
    let token = world.house.create_account(&with_password("anna", "correct horse")).await.unwrap().token;
    for (key, record) in world.store.scan(prefix(""), 1000, false).await.unwrap() {
        let value = String::from_utf8(record.value).unwrap();
        assert!(!key.contains(&token[4..]) && !value.contains(&token[4..]), "{key}");
        assert!(!value.contains("correct horse"), "{key}");
    }
}

#[tokio::test]
async fn signing_out_ends_one_token_at_once() {
    let world = World::new().await;
    world.house.create_account(&with_password("anna", "correct horse")).await.unwrap();
    let one = world.house.sign_in(&sign_in("anna", "correct horse")).await.unwrap().token;
    let other = world.house.sign_in(&sign_in("anna", "correct horse")).await.unwrap().token;
    world.house.who(&one).await.unwrap();
    world.house.sign_out(&one).await.unwrap();
    world.house.sign_out(&one).await.unwrap();
    assert_eq!(code(world.house.who(&one).await), "not_signed_in");
    world.house.who(&other).await.unwrap();
}

#[tokio::test]
async fn signing_out_everywhere_is_noticed_by_other_servers() {
    let world = World::new().await;
    let neighbour = world.neighbour();
    let token = world.house.create_account(&NewAccount::default()).await.unwrap().token;
    let caller = Caller::from(neighbour.who(&token).await.unwrap());
    world.house.sign_out_everywhere(&caller).await.unwrap();
    assert_eq!(code(world.house.who(&token).await), "not_signed_in");
    world.clock.advance(2_000);
    assert_eq!(code(neighbour.who(&token).await), "not_signed_in");
    assert!(world.store.scan(prefix("session"), 10, false).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_token_that_is_used_lasts_and_one_that_is_not_ends() {
    let world = World::new().await;
    let used = world.house.create_account(&NewAccount::default()).await.unwrap().token;
    let unused = world.house.create_account(&NewAccount::default()).await.unwrap().token;
    for _ in 0..3 {
        world.clock.advance(20 * DAY_MS);
        world.house.who(&used).await.unwrap();
    }
    assert_eq!(code(world.house.who(&unused).await), "not_signed_in");
    world.clock.advance(30 * DAY_MS);
    assert_eq!(code(world.house.who(&used).await), "not_signed_in");
}

#[tokio::test]
async fn renaming_frees_the_old_name() {
    let world = World::new().await;
    let anna = world.guest("anna").await;
    world.guest("bert").await;
    let rename = |name: &str| Rename { name: name.to_owned() };
    assert_eq!(code(world.house.rename(&anna, &rename("Bert")).await), "name_taken");
    assert_eq!(code(world.house.rename(&anna, &rename("b")).await), "invalid");
    assert_eq!(world.house.rename(&anna, &rename("ANNA")).await.unwrap().name, "ANNA");
    assert_eq!(world.house.rename(&anna, &rename("carla")).await.unwrap().name, "carla");
    world.guest("anna").await;
}

#[tokio::test]
async fn the_operator_makes_moderators() {
    let world = World::new().await;
    let token = world.house.create_account(&NewAccount::default()).await.unwrap();
    world.house.set_moderator(&token.account.name, true).await.unwrap();
    assert!(world.house.who(&token.token).await.unwrap().moderator);
    assert_eq!(code(world.house.set_moderator("nobody", true).await), "not_found");
}

#[tokio::test]
async fn an_export_has_all_that_is_kept_about_an_account() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let duel = world.duel(&anna, &bert).await;
    world.end(duel.id, ending(&[0], &[1], "winners")).await.unwrap();
    let export = world.house.export(&anna.account).await.unwrap();
    assert_eq!(export["account"]["name"], "anna");
    assert_eq!(export["account"]["balance"], 101);
    assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(export["matches"][0]["id"], duel.id.to_string());
    assert_eq!(export["transfers"].as_array().unwrap().len(), 3);
    assert_eq!(export["ratings"][0]["ruleset"], "orcain");
}

#[tokio::test]
async fn a_deleted_account_leaves_nothing_that_says_who_it_was() {
    let world = World::with_rulesets().await;
    let (anna, bert) = (world.guest("anna").await, world.guest("bert").await);
    let duel = world.duel(&anna, &bert).await;
    assert_eq!(code(world.house.delete_account(&anna).await), "not_ready");
    world.end(duel.id, ending(&[0], &[1], "winners")).await.unwrap();
    let wish = CreateMatch {
        ruleset: "tiny".to_owned(),
        name: Some("come and meet anna".to_owned()),
        stake: true,
        ..CreateMatch::default()
    };
    world.house.create_match(&anna, &wish).await.unwrap();
    world.house.delete_account(&anna).await.unwrap();
    for (key, record) in world.store.scan(prefix(""), 10_000, false).await.unwrap() {
        let value = String::from_utf8_lossy(&record.value).into_owned();
        assert!(!value.contains("anna") && !key.contains("anna"), "{key}: {value}");
    }
    let record = world.house.match_record(duel.id).await.unwrap();
    assert_eq!(record.seats[0].name.as_deref(), Some("former player"));
    let board = world.house.leaderboard("orcain", Window::default()).await.unwrap();
    assert_eq!(board.items.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["bert"]);
    assert!(world.house.audit().await.unwrap().is_clean());
    assert_eq!(world.house.recount("orcain").await.unwrap(), 0);
    assert_eq!(code(world.house.create_match(&anna, &wish).await), "not_signed_in");
    assert_eq!(world.house.matches_of(&id(&anna), Window::default()).await.unwrap().items.len(), 0);
    world.guest("anna").await;
}
