//! Patches between values, and between the views of real matches.

mod data;

use intermezzo_engine::{Datum, Viewer};
use intermezzo_program::Seat;
use intermezzo_protocol::ViewHash;
use intermezzo_protocol::json::read;
use intermezzo_protocol::patch::{PatchError, apply, write, write_changes};
use intermezzo_session::{Session, SessionEntry};
use intermezzo_simulator::{InputMix, Random, RandomPlay, fixtures, setup};

fn patch(before: &Datum, after: &Datum) -> String {
    let mut text = String::new();
    write(before, after, &mut text);
    text
}

fn data(text: &str) -> Datum {
    read(text.as_bytes()).expect("invalid JSON")
}

/// Writes and applies the patch; returns its length.
fn check(before: &Datum, after: &Datum) -> usize {
    let (text, mut value) = (patch(before, after), before.clone());
    apply(&data(&text), &mut value).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(value, *after, "{text}");
    text.len()
}

/// Returns a copy with one random change.
fn random_change(random: &mut Random, old: &Datum) -> Datum {
    match old {
        Datum::List(items) if !items.is_empty() && random.happens(800) => {
            let (mut items, at) = (items.clone(), random.index(items.len()));
            match random.below(4) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, data::datum(random, 1)),
                2 => items.swap(0, at),
                _ => items[at] = random_change(random, &items[at]),
            }
            Datum::List(items)
        }
        Datum::Map(entries) if !entries.is_empty() && random.happens(800) => {
            let (mut entries, at) = (entries.clone(), random.index(entries.len()));
            match random.below(3) {
                0 => drop(entries.remove(at)),
                _ => entries[at].1 = random_change(random, &entries[at].1),
            }
            Datum::Map(entries)
        }
        _ => data::datum(random, 2),
    }
}

#[test]
fn a_patch_leads_from_any_value_to_any_other() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let before = data::datum(&mut random, 4);
        let near = random_change(&mut random, &before);
        check(&before, &near);
        check(&near, &data::datum(&mut random, 4));
        assert_eq!(patch(&before, &before), "[]");
    }
}

fn viewers(seats: u8) -> impl Iterator<Item = Viewer> {
    (0..seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator])
}

#[test]
fn patch_and_hash_lead_from_every_view_to_the_next() {
    let (mut patches, mut views) = (0, 0);
    for subject in fixtures::all() {
        let setup = setup(&subject.program, 1, &subject.options);
        let (mut session, _) = Session::start(&subject.program, &setup).expect("the match does not start");
        let mut players = RandomPlay::new(1, &InputMix::varied());
        let mut known: Vec<(Viewer, Datum)> =
            viewers(setup.seats).map(|viewer| (viewer, session.view(viewer).clone())).collect();
        let mut hashes: Vec<ViewHash> = known.iter().map(|known| ViewHash::of(&known.1)).collect();
        for _ in 0..40 {
            let Some(input) = players.next(session.game()).cloned() else { break };
            let Ok(taken) = session.apply(&SessionEntry::Input(input), None) else { break };
            for shown in &taken.viewers {
                let after = session.view(shown.viewer);
                let mut text = String::new();
                write_changes(&shown.view_changes, after, &mut text);
                let place = known.iter().position(|known| known.0 == shown.viewer).expect("a viewer");
                hashes[place] = hashes[place].after(&shown.view_changes, after);
                assert_eq!(hashes[place], ViewHash::of(after), "{}: {text}", subject.name);
                let view = &mut known[place].1;
                apply(&data(&text), view).unwrap_or_else(|error| panic!("{error}: {text}"));
                assert_eq!(view, after, "{}: {text}", subject.name);
                patches += text.len();
                views += patch(&Datum::Null, after).len();
            }
        }
    }
    assert!(patches > 0 && patches * 4 < views, "patches have {patches} bytes, views {views}");
}

/// The SDK has the same test.
#[test]
fn the_hash_of_a_view_is_the_sum_of_its_parts() {
    let view = |hp: i64| {
        data(&format!(
            r##"{{"you":"p0","match":{{"round":1}},"players":[{{"id":"p0","props":{{"hp":{hp}}},"zones":{{"hand":{{"count":2,
            "items":[{{"id":"#3","title":"Götter \"x\"","zones":{{"in":{{"count":1}}}}}},null]}}}}}}],
            "zones":{{"table":{{"count":0}}}},"ending":null}}"##
        ))
    };
    assert_eq!(ViewHash::of(&view(7)).to_hex(), "6aadf0c65a367f62");
    assert_eq!(ViewHash::of(&view(8)).to_hex(), "59fb7769bff90ddc");
}

#[test]
fn removing_a_card_from_a_hand_is_one_operation() {
    let card =
        |id: i64| Datum::Map(vec![("id".into(), Datum::Int(id)), ("title".into(), Datum::text("Owl"))]);
    let hand =
        |ids: &[i64]| Datum::Map(vec![("hand".into(), Datum::List(ids.iter().copied().map(card).collect()))]);
    let ten = hand(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(patch(&ten, &hand(&[0, 1, 2, 4, 5, 6, 7, 8, 9])), r#"[{"op":"remove","path":"/hand/3"}]"#);
    let two_gone = patch(&ten, &hand(&[0, 2, 3, 4, 5, 6, 7, 9]));
    assert_eq!(two_gone, r#"[{"op":"remove","path":"/hand/1"},{"op":"remove","path":"/hand/7"}]"#);
    let drawn = patch(&hand(&[1, 2]), &hand(&[1, 5, 2]));
    assert_eq!(drawn, r#"[{"op":"add","path":"/hand/1","value":{"id":5,"title":"Owl"}}]"#);
}

#[test]
fn a_change_within_an_item_has_its_path() {
    let before = data(r#"{"a":[{"id":1,"hp":3},{"id":2,"hp":4}],"b/c":{"d~e":1,"gone":2}}"#);
    let after = data(r#"{"a":[{"id":1,"hp":3},{"id":2,"hp":1}],"b/c":{"d~e":2,"new":3}}"#);
    let expected = concat!(
        r#"[{"op":"replace","path":"/a/1/hp","value":1},{"op":"replace","path":"/b~1c/d~0e","value":2},"#,
        r#"{"op":"remove","path":"/b~1c/gone"},{"op":"add","path":"/b~1c/new","value":3}]"#
    );
    assert_eq!(patch(&before, &after), expected);
    check(&before, &after);
}

#[test]
fn entries_keep_the_order_of_the_value() {
    let (before, after) = (data(r#"{"a":1,"c":3}"#), data(r#"{"a":1,"b":2,"c":3}"#));
    check(&before, &after);
    check(&after, &data(r#"{"c":3,"b":2,"a":1}"#));
}

#[test]
fn a_patch_for_another_value_is_rejected() {
    let mut value = data(r#"{"a":[1]}"#);
    let refused = |patch: &str, value: &mut Datum| apply(&data(patch), value).expect_err(patch);
    let gone = refused(r#"[{"op":"remove","path":"/a/1"}]"#, &mut value);
    assert_eq!(gone, PatchError::PathNotFound { path: "/a/1".to_owned() });
    assert_eq!(refused(r#"[{"op":"move","from":"/a","to":"/b"}]"#, &mut value), PatchError::NotAPatch);
    assert_eq!(refused("{}", &mut value), PatchError::NotAPatch);
    assert_eq!(value, data(r#"{"a":[1]}"#));
}
