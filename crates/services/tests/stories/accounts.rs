//! Accounts and signing in.

use intermezzo_protocol::resources::{CreateMatch, NewAccount, NewPassword, Rename, SignIn};
use intermezzo_services::{Caller, PageQuery, Requester};
use intermezzo_store::prefix;

use crate::fixture::{ServicesFixture, account_id, ending, problem_code};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn with_password(name: &str, password: &str) -> NewAccount {
    NewAccount { name: Some(name.to_owned()), password: Some(password.to_owned()) }
}

fn sign_in(name: &str, password: &str) -> SignIn {
    SignIn { name: name.to_owned(), password: password.to_owned() }
}

#[tokio::test]
async fn a_guest_gets_a_generated_name_and_welcome_tokens() {
    let fixture = ServicesFixture::new().await;
    let signed_in = fixture.services.create_account(&NewAccount::default()).await.unwrap();
    assert!(signed_in.account.guest);
    assert_eq!(signed_in.account.name.split('-').count(), 3, "{}", signed_in.account.name);
    let account = fixture.services.authenticate(&signed_in.token).await.unwrap();
    assert_eq!(fixture.services.own_info(&account).await.unwrap().balance, Some(100));
}

#[tokio::test]
async fn names_are_unique_regardless_of_case() {
    let fixture = ServicesFixture::new().await;
    fixture.guest("Anna").await;
    let again = NewAccount { name: Some("aNNa".to_owned()), password: None };
    assert_eq!(problem_code(fixture.services.create_account(&again).await), "name_taken");
}

#[tokio::test]
async fn invalid_names_and_passwords_are_rejected() {
    let fixture = ServicesFixture::new().await;
    for request in [
        NewAccount { name: Some("x".to_owned()), password: None },
        NewAccount { name: Some("a/b/c".to_owned()), password: None },
        with_password("anna", "short"),
        with_password("anna", &"x".repeat(201)),
        NewAccount { name: None, password: Some("long enough".to_owned()) },
    ] {
        assert_eq!(problem_code(fixture.services.create_account(&request).await), "invalid", "{request:?}");
    }
}

#[tokio::test]
async fn a_password_signs_in_and_a_wrong_one_does_not() {
    let fixture = ServicesFixture::new().await;
    fixture.services.create_account(&with_password("anna", "correct horse")).await.unwrap();
    let signed_in =
        fixture.services.sign_in(&Requester::Server, &sign_in("ANNA", "correct horse")).await.unwrap();
    assert_eq!(fixture.services.authenticate(&signed_in.token).await.unwrap().name, "anna");
    fixture.guest("guest").await;
    for (name, password) in
        [("anna", "wrong horse"), ("nobody", "correct horse"), ("guest", ""), ("../x", "y")]
    {
        assert_eq!(
            problem_code(fixture.services.sign_in(&Requester::Server, &sign_in(name, password)).await),
            "wrong_password",
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_guest_who_sets_a_password_stays_the_same_account() {
    let fixture = ServicesFixture::new().await;
    let guest = fixture.services.create_account(&NewAccount::default()).await.unwrap();
    let caller = Caller::from(fixture.services.authenticate(&guest.token).await.unwrap());
    let request =
        NewPassword { current: None, password: "correct horse".to_owned(), name: Some("anna".to_owned()) };
    let signed_in = fixture.services.set_password(&caller, &request).await.unwrap();
    assert_eq!(signed_in.account.id, guest.account.id);
    assert!(!signed_in.account.guest);
    assert_eq!(problem_code(fixture.services.authenticate(&guest.token).await), "not_signed_in");
    fixture.services.authenticate(&signed_in.token).await.unwrap();
    fixture.services.sign_in(&Requester::Server, &sign_in("anna", "correct horse")).await.unwrap();
    // The generated name is free again.
    fixture.guest(&guest.account.name).await;
}

#[tokio::test]
async fn changing_a_password_requires_the_current_one() {
    let fixture = ServicesFixture::new().await;
    let signed_in = fixture.services.create_account(&with_password("anna", "correct horse")).await.unwrap();
    let caller = Caller::from(fixture.services.authenticate(&signed_in.token).await.unwrap());
    let request = |current: Option<&str>| NewPassword {
        current: current.map(str::to_owned),
        password: "another horse".to_owned(),
        name: None,
    };
    assert_eq!(problem_code(fixture.services.set_password(&caller, &request(None)).await), "wrong_password");
    assert_eq!(
        problem_code(fixture.services.set_password(&caller, &request(Some("no"))).await),
        "wrong_password"
    );
    fixture.services.set_password(&caller, &request(Some("correct horse"))).await.unwrap();
    assert_eq!(
        problem_code(fixture.services.sign_in(&Requester::Server, &sign_in("anna", "correct horse")).await),
        "wrong_password"
    );
    fixture.services.sign_in(&Requester::Server, &sign_in("anna", "another horse")).await.unwrap();
}

#[tokio::test]
async fn forged_tokens_are_rejected() {
    let fixture = ServicesFixture::new().await;
    let real = fixture.services.create_account(&NewAccount::default()).await.unwrap().token;
    let forged = format!("imz_{}", "0".repeat(64));
    for token in ["", "imz_", &real[..real.len() - 1], &real.to_uppercase(), &forged, &format!("{real}0")] {
        assert_eq!(problem_code(fixture.services.authenticate(token).await), "not_signed_in", "{token}");
    }
}

#[tokio::test]
async fn the_store_contains_no_token() {
    let fixture = ServicesFixture::new().await;
    let token = fixture.services.create_account(&with_password("anna", "correct horse")).await.unwrap().token;
    for (key, record) in fixture.store.scan(prefix(""), 1000, false).await.unwrap() {
        let value = String::from_utf8(record.value).unwrap();
        assert!(!key.contains(&token[4..]) && !value.contains(&token[4..]), "{key}");
        assert!(!value.contains("correct horse"), "{key}");
    }
}

#[tokio::test]
async fn signing_out_ends_one_token_at_once() {
    let fixture = ServicesFixture::new().await;
    fixture.services.create_account(&with_password("anna", "correct horse")).await.unwrap();
    let one =
        fixture.services.sign_in(&Requester::Server, &sign_in("anna", "correct horse")).await.unwrap().token;
    let other =
        fixture.services.sign_in(&Requester::Server, &sign_in("anna", "correct horse")).await.unwrap().token;
    fixture.services.authenticate(&one).await.unwrap();
    fixture.services.sign_out(&one).await.unwrap();
    fixture.services.sign_out(&one).await.unwrap();
    assert_eq!(problem_code(fixture.services.authenticate(&one).await), "not_signed_in");
    fixture.services.authenticate(&other).await.unwrap();
}

#[tokio::test]
async fn signing_out_everywhere_is_noticed_by_other_servers() {
    let fixture = ServicesFixture::new().await;
    let neighbour = fixture.other_server();
    let token = fixture.services.create_account(&NewAccount::default()).await.unwrap().token;
    let caller = Caller::from(neighbour.authenticate(&token).await.unwrap());
    fixture.services.sign_out_everywhere(&caller).await.unwrap();
    assert_eq!(problem_code(fixture.services.authenticate(&token).await), "not_signed_in");
    fixture.clock.advance(2_000);
    assert_eq!(problem_code(neighbour.authenticate(&token).await), "not_signed_in");
    assert!(fixture.store.scan(prefix("session"), 10, false).await.unwrap().is_empty());
}

#[tokio::test]
async fn tokens_expire_unless_they_are_used() {
    let fixture = ServicesFixture::new().await;
    let used = fixture.services.create_account(&NewAccount::default()).await.unwrap().token;
    let unused = fixture.services.create_account(&NewAccount::default()).await.unwrap().token;
    for _ in 0..3 {
        fixture.clock.advance(20 * DAY_MS);
        fixture.services.authenticate(&used).await.unwrap();
    }
    assert_eq!(problem_code(fixture.services.authenticate(&unused).await), "not_signed_in");
    fixture.clock.advance(30 * DAY_MS);
    assert_eq!(problem_code(fixture.services.authenticate(&used).await), "not_signed_in");
}

#[tokio::test]
async fn renaming_frees_the_old_name() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    fixture.guest("bert").await;
    let rename = |name: &str| Rename { name: name.to_owned() };
    assert_eq!(problem_code(fixture.services.rename(&anna, &rename("Bert")).await), "name_taken");
    assert_eq!(problem_code(fixture.services.rename(&anna, &rename("b")).await), "invalid");
    assert_eq!(fixture.services.rename(&anna, &rename("ANNA")).await.unwrap().name, "ANNA");
    assert_eq!(fixture.services.rename(&anna, &rename("carla")).await.unwrap().name, "carla");
    fixture.guest("anna").await;
}

#[tokio::test]
async fn the_operator_grants_moderator_rights() {
    let fixture = ServicesFixture::new().await;
    let token = fixture.services.create_account(&NewAccount::default()).await.unwrap();
    fixture.services.set_moderator(&token.account.name, true).await.unwrap();
    assert!(fixture.services.authenticate(&token.token).await.unwrap().moderator);
    assert_eq!(problem_code(fixture.services.set_moderator("nobody", true).await), "not_found");
}

#[tokio::test]
async fn an_export_has_all_data_about_an_account() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let duel = fixture.start_duel(&anna, &bert).await;
    fixture.end_match(duel.id, ending(&[0], &[1], "winners")).await.unwrap();
    let export = fixture.services.export_account(&anna.account).await.unwrap();
    assert_eq!(export["account"]["name"], "anna");
    assert_eq!(export["account"]["balance"], 101);
    assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(export["matches"][0]["id"], duel.id.to_string());
    assert_eq!(export["transfers"].as_array().unwrap().len(), 3);
    assert_eq!(export["ratings"][0]["ruleset"], "orcain");
}

#[tokio::test]
async fn a_deleted_account_leaves_nothing_that_identifies_it() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.member("anna").await, fixture.member("bert").await);
    let duel = fixture.start_duel(&anna, &bert).await;
    assert_eq!(problem_code(fixture.services.delete_account(&anna).await), "not_ready");
    fixture.end_match(duel.id, ending(&[0], &[1], "winners")).await.unwrap();
    let request = CreateMatch {
        ruleset: "tiny".to_owned(),
        name: Some("come and meet anna".to_owned()),
        stake: true,
        ..CreateMatch::default()
    };
    fixture.services.create_match(&anna, &request).await.unwrap();
    fixture.services.delete_account(&anna).await.unwrap();
    for (key, record) in fixture.store.scan(prefix(""), 10_000, false).await.unwrap() {
        let value = String::from_utf8_lossy(&record.value).into_owned();
        assert!(!value.contains("anna") && !key.contains("anna"), "{key}: {value}");
    }
    let record = fixture.services.match_record(duel.id).await.unwrap();
    assert_eq!(record.seats[0].name.as_deref(), Some("former player"));
    let board = fixture.services.leaderboard("orcain", PageQuery::default()).await.unwrap();
    assert_eq!(board.items.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["bert"]);
    assert!(fixture.services.audit_ledger().await.unwrap().is_clean());
    assert_eq!(fixture.services.recount_ratings("orcain").await.unwrap(), 0);
    assert_eq!(problem_code(fixture.services.create_match(&anna, &request).await), "not_signed_in");
    assert_eq!(
        fixture.services.matches_of(&account_id(&anna), PageQuery::default()).await.unwrap().items.len(),
        0
    );
    fixture.guest("anna").await;
}
