//! Publishing and finding rulesets.

use std::collections::BTreeMap;

use intermezzo_protocol::resources::PublishRuleset;
use intermezzo_services::{PageQuery, Requester, ServiceLimits, Services};

use intermezzo_store::{CommitOutcome, Expect, Put, Transaction};

use crate::fixture::{ServicesFixture, TINY, bundled_rulesets, problem_code};

fn publish_request(text: &str) -> PublishRuleset {
    PublishRuleset { files: BTreeMap::from([("ruleset.yaml".to_owned(), text.to_owned())]) }
}

fn own_ruleset(version: &str) -> String {
    TINY.replace("id: tiny, version: 1.0.0", &format!("id: mine, version: {version}"))
}

#[tokio::test]
async fn a_published_ruleset_is_found_by_id_version_and_hash() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let old = fixture.services.publish(&anna, &publish_request(&own_ruleset("1.9.0"))).await.unwrap();
    let new = fixture.services.publish(&anna, &publish_request(&own_ruleset("1.10.0"))).await.unwrap();
    assert_eq!((old.name.as_str(), old.description.as_str()), ("Tiny", "Nothing much."));
    assert_eq!((old.seats.min, old.seats.max, old.seats.default), (2, 4, 3));
    assert_eq!(old.options[0].default, 5);
    assert_eq!(old.options[1].default, serde_json::Value::Null);
    assert_eq!(fixture.services.ruleset("mine").await.unwrap(), new);
    assert_eq!(fixture.services.ruleset("mine@1.9.0").await.unwrap(), old);
    assert_eq!(fixture.services.ruleset(&old.hash).await.unwrap(), old);
    for name in ["yours", "mine@2.0.0", &"0".repeat(64), "", "@", "mine/../tiny"] {
        assert_eq!(problem_code(fixture.services.ruleset(name).await), "not_found", "{name}");
    }
}

#[tokio::test]
async fn publishing_an_unchanged_version_has_no_effect() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let first = fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap();
    fixture.clock.advance(1000);
    assert_eq!(
        fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap(),
        first
    );
}

#[tokio::test]
async fn a_version_cannot_be_published_with_other_rules() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap();
    let other = own_ruleset("1.0.0").replace("default: 5", "default: 6");
    assert_eq!(
        problem_code(fixture.services.publish(&anna, &publish_request(&other)).await),
        "version_taken"
    );
}

#[tokio::test]
async fn an_id_belongs_to_its_first_publisher() {
    let fixture = ServicesFixture::with_rulesets().await;
    let (anna, bert) = (fixture.guest("anna").await, fixture.guest("bert").await);
    fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap();
    assert_eq!(
        problem_code(fixture.services.publish(&bert, &publish_request(&own_ruleset("1.1.0"))).await),
        "not_allowed"
    );
    let theirs = TINY.replace("1.0.0", "1.1.0");
    assert_eq!(problem_code(fixture.services.publish(&anna, &publish_request(&theirs)).await), "not_allowed");
}

#[tokio::test]
async fn errors_have_their_source_locations() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let wrong = own_ruleset("1.0.0").replace("options.entry, pot", "options.entri, pot");
    let problem = fixture.services.publish(&anna, &publish_request(&wrong)).await.unwrap_err();
    assert_eq!(problem.code.name(), "bad_ruleset");
    let first = &problem.extra["diagnostics"][0];
    assert_eq!(first["file"], "ruleset.yaml");
    assert_eq!(first["line"], 7);
    assert!(first["column"].as_u64().unwrap() > 1);
    assert!(first["message"].as_str().unwrap().contains("entri"), "{first}");
    let checked = fixture.services.check_ruleset(&Requester::Server, &publish_request(&wrong)).await.unwrap();
    assert!(!checked.playable);
    assert_eq!(checked.diagnostics[0], *first);
    assert!(
        fixture
            .services
            .check_ruleset(&Requester::Server, &publish_request(&own_ruleset("1.0.0")))
            .await
            .unwrap()
            .playable
    );
    assert_eq!(problem_code(fixture.services.ruleset("mine").await), "not_found");
}

#[tokio::test]
async fn a_version_that_lacks_names_of_the_previous_one_is_rejected() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap();
    let without =
        |version: &str| own_ruleset(version).replace("  mood:  {type: maybe<int>, default: null}\n", "");
    let problem = fixture.services.publish(&anna, &publish_request(&without("1.1.0"))).await.unwrap_err();
    assert_eq!(problem.extra["diagnostics"][0]["code"], "E-VERSION");
    let checked = fixture
        .services
        .check_ruleset(&Requester::Server, &publish_request(&without("1.1.0")))
        .await
        .unwrap();
    assert!(checked.diagnostics.iter().any(|said| said["code"] == "E-VERSION"), "{:?}", checked.diagnostics);
    fixture.services.publish(&anna, &publish_request(&without("2.0.0"))).await.unwrap();
}

#[tokio::test]
async fn invalid_paths_and_large_rulesets_are_rejected() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let with = |path: &str, text: &str| {
        let mut request = publish_request(&own_ruleset("1.0.0"));
        request.files.insert(path.to_owned(), text.to_owned());
        request
    };
    for path in ["../up.yaml", "/abs.yaml", "a\\b.yaml", "", "a//b", "nul\0.yaml"] {
        assert_eq!(
            problem_code(fixture.services.publish(&anna, &with(path, "")).await),
            "invalid",
            "{path:?}"
        );
    }
    let large = with("notes.txt", &"x".repeat(2 << 20));
    assert_eq!(problem_code(fixture.services.publish(&anna, &large).await), "too_large");
    let mut many = publish_request(&own_ruleset("1.0.0"));
    many.files.extend((0..200).map(|index| (format!("n{index}.txt"), String::new())));
    assert_eq!(problem_code(fixture.services.publish(&anna, &many).await), "too_large");
    let nothing = PublishRuleset { files: BTreeMap::from([("read.me".to_owned(), String::new())]) };
    assert_eq!(problem_code(fixture.services.publish(&anna, &nothing).await), "invalid");
    let odd = own_ruleset("1.0.0").replace("id: mine", "id: \"mi/ne\"");
    assert_ne!(problem_code(fixture.services.publish(&anna, &publish_request(&odd)).await), "fine");
    let beside = with("scenarios/first.yaml", "this: is no ruleset");
    fixture.services.publish(&anna, &beside).await.unwrap();
}

#[tokio::test]
async fn a_changed_bundled_ruleset_replaces_its_version_and_the_old_rules_stay() {
    let fixture = ServicesFixture::with_rulesets().await;
    let old = fixture.services.ruleset("tiny").await.unwrap();
    let mut changed = bundled_rulesets();
    changed[1].1[0].1 = TINY.replace("default: 5", "default: 7");
    fixture.other_server().publish_bundled(changed).await.unwrap();
    let new = fixture.services.ruleset("tiny@1.0.0").await.unwrap();
    assert_ne!(new.hash, old.hash);
    assert_eq!(fixture.services.ruleset("tiny").await.unwrap(), new);
    let fresh = fixture.other_server();
    let program = fresh.program(&old.hash).await.unwrap();
    assert_eq!(program.id, "tiny");
    assert_eq!(fresh.ruleset_files(&old.hash).await.unwrap()[0].1, TINY);
    assert_eq!(problem_code(fresh.program(&"f".repeat(64)).await), "not_found");
}

#[tokio::test]
async fn rulesets_are_listed_in_pages() {
    let fixture = ServicesFixture::with_rulesets().await;
    let first = fixture.services.rulesets(PageQuery { cursor: None, limit: Some(1) }).await.unwrap();
    assert_eq!(first.items[0].id, "orcain");
    let next = PageQuery { cursor: first.next.as_deref(), limit: Some(1) };
    let second = fixture.services.rulesets(next).await.unwrap();
    assert_eq!((second.items[0].id.as_str(), second.next), ("tiny", None));
}

#[tokio::test]
async fn publishing_has_quotas_and_lists_stay_short() {
    let limits = ServiceLimits {
        rulesets_per_account: 20,
        ruleset_bytes_per_day: 100_000,
        ..ServiceLimits::default()
    };
    let fixture = ServicesFixture::new().await;
    let services = Services::new(std::sync::Arc::clone(&fixture.store)).with_limits(limits);
    let anna = fixture.guest("anna").await;
    let named = |id: &str, version: &str, more: &str| {
        let text = own_ruleset(version).replace("id: mine", &format!("id: {id}"));
        publish_request(&format!("{text}{more}"))
    };
    // A guest owns a tenth of what others own.
    let (first, second, third) =
        (named("one", "1.0.0", ""), named("two", "1.0.0", ""), named("three", "1.0.0", ""));
    services.publish(&anna, &first).await.unwrap();
    services.publish(&anna, &second).await.unwrap();
    assert_eq!(problem_code(services.publish(&anna, &third).await), "not_allowed");
    // Publishing the same again costs nothing; a new version counts its bytes.
    services.publish(&anna, &first).await.unwrap();
    let large = named("one", "1.1.0", &format!("# {}\n", "x".repeat(20_000)));
    let refused = services.publish(&anna, &large).await.unwrap_err();
    assert_eq!(refused.code.name(), "too_many");
    fixture.clock.advance(24 * 60 * 60 * 1000);
    let large = named("one", "1.1.0", &format!("# {}\n", "x".repeat(2_000)));
    services.publish(&anna, &large).await.unwrap();
    // Long texts are rejected; what is listed of others is short.
    let long = named("two", "1.1.0", "").files["ruleset.yaml"]
        .replace("description: Nothing much.", &format!("description: {}", "x".repeat(1_001)));
    assert_eq!(problem_code(services.publish(&anna, &publish_request(&long)).await), "invalid");
    let listed = services.rulesets(PageQuery::default()).await.unwrap().items;
    assert!(listed.iter().all(|ruleset| ruleset.options.is_empty()), "{listed:?}");
    assert!(!services.ruleset("one").await.unwrap().options.is_empty());
    // Versions that nobody plays vanish; those of a match stay.
    let request =
        intermezzo_protocol::resources::CreateMatch { ruleset: "one".to_owned(), ..Default::default() };
    services.create_match(&anna, &request).await.unwrap();
    fixture.clock.advance(91 * 24 * 60 * 60 * 1000);
    assert_eq!(services.sweep().await.unwrap().rulesets, 2);
    assert_eq!(services.ruleset("one").await.unwrap().version, "1.1.0");
    assert_eq!(problem_code(services.ruleset("two").await), "not_found");
    // The guest may publish another one now.
    services.publish(&anna, &third).await.unwrap();
}

#[tokio::test]
async fn a_published_ruleset_stays_readable_when_a_prelude_changes() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let published = fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap();
    // As if the ruleset had been published with another text of its prelude: all texts and hashes are of that time.
    let digest_key = format!("ruleset-preludes/{}", published.hash);
    let digest: String =
        serde_json::from_slice(&fixture.store.get(&digest_key).await.unwrap().unwrap().value).unwrap();
    let texts = fixture.store.get(&format!("preludes/{digest}")).await.unwrap().unwrap().value;
    let mut texts: BTreeMap<String, String> = serde_json::from_slice(&texts).unwrap();
    let core = texts.get_mut("core@1").unwrap();
    *core = format!("{core}\nsymbols: [of_an_earlier_version]\n");
    let files = [("ruleset.yaml".to_owned(), own_ruleset("1.0.0").into_bytes())];
    let earlier = intermezzo_compiler::Ruleset::with_preludes(&files, &texts).compile().program.unwrap();
    let hash: String = earlier.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_ne!(hash, published.hash);
    let put = |key: String, value: Vec<u8>| Put { key, expect: Expect::Anything, value: Some(value) };
    let puts = vec![
        put(
            format!("ruleset-files/{hash}"),
            fixture.store.get(&format!("ruleset-files/{}", published.hash)).await.unwrap().unwrap().value,
        ),
        put(format!("ruleset-preludes/{hash}"), serde_json::to_vec("earlier").unwrap()),
        put("preludes/earlier".to_owned(), serde_json::to_vec(&texts).unwrap()),
    ];
    let outcome = fixture.store.commit(Transaction { puts, ..Transaction::default() }).await;
    assert_eq!(outcome, CommitOutcome::Committed);
    let program = fixture.other_server().program(&hash).await.unwrap();
    assert_eq!(program.hash, earlier.hash);
}

const SUN: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><title>A sun</title><circle r=\"4\"/></svg>";

#[tokio::test]
async fn pictures_are_published_with_their_ruleset() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let mut request = publish_request(&(own_ruleset("1.0.0") + "\nui: {theme: {cover: assets/sun.svg}}\n"));
    let missing = fixture.services.publish(&anna, &request).await;
    assert_eq!(problem_code(missing), "bad_ruleset");
    request.files.insert("assets/sun.svg".to_owned(), SUN.to_owned());
    let info = fixture.services.publish(&anna, &request).await.unwrap();
    let pictures = fixture.other_server().pictures(&info.hash).await.unwrap();
    let address = pictures["assets/sun.svg"].clone();
    assert_eq!(info.cover.as_ref(), Some(&address.url));
    let file = address.url.strip_prefix("/pictures/").unwrap();
    let (_, bytes) = fixture.other_server().picture(file).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("<circle") && text.contains(&address.prefix) && !text.contains("title"), "{text}");
    for wrong in
        ["", "x.svg", "../secret", &file.replace(".svg", ".webp"), &format!("{}.svg", "0".repeat(32))]
    {
        assert_eq!(problem_code(fixture.services.picture(wrong).await), "not_found", "{wrong}");
    }

    // A picture can be improved without a new version.
    request.files.insert("assets/sun.svg".to_owned(), SUN.replace("r=\"4\"", "r=\"5\""));
    let better = fixture.services.publish(&anna, &request).await.unwrap();
    assert_eq!(better.hash, info.hash);
    assert_ne!(better.cover, info.cover);
    assert!(fixture.services.picture(file).await.is_ok(), "clients that know the old address still find it");

    for (path, text) in [
        ("assets/bad.svg", SUN.replace("<circle r=\"4\"/>", "<script/>")),
        ("assets/bad.webp", "UklGRg==".to_owned()),
        ("assets/note.txt", "hello".to_owned()),
    ] {
        let mut bad = request.clone();
        bad.files.insert(path.to_owned(), text);
        assert_eq!(problem_code(fixture.services.publish(&anna, &bad).await), "bad_ruleset", "{path}");
    }
    let mut bad = request.clone();
    bad.files.insert("assets/bad.webp".to_owned(), "not Base64!".to_owned());
    assert_eq!(problem_code(fixture.services.publish(&anna, &bad).await), "invalid");
}

#[tokio::test]
async fn a_ruleset_published_with_free_data_is_still_playable() {
    let fixture = ServicesFixture::new().await;
    let anna = fixture.guest("anna").await;
    let info = fixture.services.publish(&anna, &publish_request(&own_ruleset("1.0.0"))).await.unwrap();
    let free = own_ruleset("1.1.0") + "\nui: {colour: red}\n";
    assert_eq!(problem_code(fixture.services.publish(&anna, &publish_request(&free)).await), "bad_ruleset");
    assert!(fixture.other_server().program(&info.hash).await.is_ok());
}
