//! `play` on a grid: the field as a seat sees it, squares in questions, and paths typed as squares.

use std::path::PathBuf;

use crate::{file, folder, intermezzo, text, typed};

const RULES: &str = "ir: 1
ruleset: {id: pond, version: 0.1.0, name: Pond, uses: [core@1]}
options:
  width:  {type: int, default: 6, min: 2, max: 90}
  height: {type: int, default: 4, min: 2, max: 60}
  hidden: {type: bool, default: false}
types: {Square: {record: {x: int, y: int}}}
outcomes: [done]
players: {seats: 2}
kinds:
  piece: {props: {x: {type: int, default: 0}, y: {type: int, default: 0}}}
  frog:  {extends: piece, props: {hp: {type: int, default: 5}, max_hp: {type: int, default: 7}}, ui: {glyph: f}}
  soil:  {extends: piece}
zones:
  field:  {visible: not options.hidden or viewer.seat == 0, active: true}
  ground: {visible: all}
traits: {wet: {params: {}, name: Wet}}
defs:
  toad:  {kind: frog, name: Toad, ui: {glyph: T}, traits: [wet]}
  newt:  {kind: frog, name: Newt}
  reeds: {kind: soil, name: Reeds, ui: {glyph: '~'}}
  stone: {kind: soil, name: Stone}
events:
  Hopped:
    payload: {frog: frog, along: list<Square>}
    apply: [{set: {event.frog.x: event.along.last!.x, event.frog.y: event.along.last!.y}}]
    text: '{frog} hops along {along}'
  Licked: {payload: {frog: frog}, text: '{frog} is licked', apply: [{set: {event.frog.hp: event.frog.hp - 1}}]}
functions:
  spot: {params: {f: frog}, returns: Square, is: '{x: f.x, y: f.y}'}
  free:
    params: {s: Square}
    returns: bool
    is: s.x >= 0 and s.y >= 0 and s.x < options.width and s.y < options.height and not ground.any(it.def == stone and it.x == s.x and it.y == s.y)
  around:
    params: {s: Square}
    returns: list<Square>
    is: '[{x: s.x + 1, y: s.y}, {x: s.x, y: s.y + 1}, {x: s.x - 1, y: s.y}, {x: s.x, y: s.y - 1}].where(free(it))'
setup:
  - {create: toad, owner: 'players[0]', in: field, with: {x: 1, y: 1}}
  - {create: newt, owner: 'players[1]', in: field, with: {x: 4, y: 2}}
  - {create: reeds, in: ground, with: {x: 1, y: 1}}
  - {create: reeds, in: ground, with: {x: 2, y: 3}}
  - {create: stone, in: ground, with: {x: 2, y: 1}}
  - {create: stone, in: ground, with: {x: 2, y: 0}}
flow:
  - repeat: 20
    do:
      - each: players
        as: p
        do:
          - each: field.where(it is frog and it.owner == p)
            as: mine
            do:
              - phase: turn
                player: p
                subject: mine
                do:
                  - if: mine is frog
                    then:
                      - choose: hop
                        by: p
                        from: around(spot(mine))
                        next: 'if hop.count >= 8 then [] else around(hop.last!)'
                        max: 8
                        title: Hop where?
                      - if: hop.count > 0
                        then: [{emit: Hopped, frog: mine, along: hop}]
                      - {choose: lick, by: p, from: field, title: Lick whom?}
                      - if: lick is frog
                        then: [{emit: Licked, frog: lick}]
  - end: done
ui: {grid: {zones: [field, ground], x: x, y: y, width: width, height: height, hp: hp, max: max_hp}}
";

fn rules(name: &str) -> PathBuf {
    file(name, "pond.yaml", RULES)
}

fn play(name: &str, extra: &[&str], input: &str) -> crate::CommandRun {
    let rules = rules(name);
    let mut args = vec!["play", text(&rules), "--humans", "0,1", "--seed", "1"];
    args.extend(extra);
    typed(&args, input).exits(0)
}

#[test]
fn the_field_is_drawn_with_its_pieces() {
    let run = play("grid-drawn", &[], "");
    let run = run.says(
        "     a   b   c   d   e   f
  1  ·   ·   S   ·   ·   ·
  2  ·  ~T0  S   ·   ·   ·
  3  ·   ·   ·   ·   f1  ·
  4  ·   ·   ~   ·   ·   ·
",
    );
    let run = run.says("  ▶ T0 b2   Toad #1                p0  hp 5/7, Wet\n");
    let run = run.says("    f1 e3   Newt #3                p1  hp 5/7\n").says("  S Stone · ~ Reeds\n");
    assert!(!run.out.contains("field:"), "what is drawn is not listed\n{}", run.all());
}

#[test]
fn hidden_things_are_not_drawn() {
    let run = play("grid-hidden", &["--option", "hidden=true"], ".\n1\n");
    let seat_1 = run.out.split("── seat 1 ──").nth(1).expect("seat 1 has its turn");
    assert!(!seat_1.contains("Toad") && !seat_1.contains("Newt"), "{}", run.all());
    assert!(seat_1.contains("  2  ·   ~   S   ·   ·   ·\n"), "{}", run.all());
}

#[test]
fn squares_are_typed_step_by_step() {
    let run = play("grid-steps", &[], "b3 c3 d3\n1\n").says("Toad #1 hops along b3, c3, d3");
    run.says("  2  ·   ~   S   ·   ·   ·\n  3  ·   ·   ·   T0  f1  ·\n");
}

#[test]
fn the_last_square_alone_finds_the_shortest_way() {
    let run = play("grid-search", &[], "d2\ne3\n").says("Toad #1 hops along b3, c3, d3, d2");
    run.says("Newt #3 is licked").says("hp 4/7");
}

#[test]
fn waypoints_are_visited_in_order() {
    play("grid-waypoints", &[], "a4 d4\n1\n").says("Toad #1 hops along b3, b4, a4, b4, c4, d4");
}

#[test]
fn unreachable_squares_are_reported() {
    let run = play("grid-blocked", &[], "c2\nf4 a1\n z9\n1\n1\n");
    let run = run.says("invalid input: no path to c2 found");
    let run = run.says("invalid input: no path to a1 found");
    run.says("invalid input: no path to z9 found").says("Toad #1 hops along b3");
}

#[test]
fn steps_are_numbered_and_can_be_undone() {
    let run = play("grid-numbers", &[], "+ 1\n+ c3\n<\n+ 1 1\n.\n1\n");
    let run = run.says("path: b3\n   1  c3\n   2  b4\n   3  a3\n   4  b2\n");
    let run = run.says("path: b3 → c3\n").says("path: b3 → c3 → d3\n");
    run.says("Toad #1 hops along b3, c3, d3");
}

#[test]
fn no_step_at_all_is_a_path_where_that_is_allowed() {
    let run = play("grid-none", &[], "-\n1\n").says("Toad #1 is licked");
    assert!(!run.out.contains("hops"), "{}", run.all());
}

#[test]
fn questions_show_squares_and_take_them() {
    let run = play("grid-questions", &[], "b3\nb9\nb3\n");
    let run =
        run.says("   2  a2").says("   1  Toad #1 (at b3, hp 5/7, Wet)\n   2  Newt #3 (at e3, hp 5/7)\n");
    run.says("no option `b9`").says("Toad #1 is licked");
}

#[test]
fn a_saved_path_verifies() {
    let path = folder("grid-saved").join("match.json");
    let run = play("grid-saving", &["--save", text(&path)], "d2\n2\nf1\n1\n");
    drop(run);
    let rules = rules("grid-saved-rules");
    intermezzo(&["verify", text(&path), "--ruleset", text(&rules)]).exits(0);
}

#[test]
fn a_wide_field_is_drawn_narrowly_and_a_huge_one_is_listed() {
    let run = play("grid-wide", &["--option", "width=40"], "");
    let run = run.says("    a b c d e f g").says("  3 · · · · f1· ·");
    assert!(run.out.lines().all(|line| line.chars().count() <= 100), "{}", run.all());
    let run = play("grid-vast", &["--option", "width=60"], "");
    run.says("field: Toad #1 (at b2, hp 5/7, Wet)");
}

#[test]
fn paths_need_no_grid() {
    let dial = "dial\nleft left\n+ 1\n.\nclimb\n1 3 5\n";
    let dial = dial.replace("dial", "4").replace("climb", "5");
    let args = ["play", "crates/scenario/conformance/paths", "--humans", "0,1", "--seed", "1"];
    let run = typed(&args, &dial).exits(0).says("no option `left`");
    run.says("path: left\n   1  right\n   2  ahead\n").says("Dialled player=p1 code=left").says("sum 9");
}

#[test]
fn random_bots_walk_paths() {
    let rules = rules("grid-chance");
    let run = intermezzo(&["simulate", text(&rules), "-n", "5", "--max-inputs", "60"]);
    assert!(run.code == 0 || run.all().contains("not over"), "{}", run.all());
}

#[test]
fn a_grid_with_unknown_names_is_rejected() {
    let wrong = |from: &str, to: &str| {
        let ruleset = file("grid-wrong", "pond.yaml", &RULES.replace(from, to));
        intermezzo(&["check", text(&ruleset)])
    };
    wrong("zones: [field, ground]", "zones: [feild]")
        .exits(1)
        .says("unknown zone `feild`")
        .says("did you mean `field`?");
    wrong("width: width, height", "width: widht, height").exits(1).says("unknown option `widht`");
    wrong("x: x, y: y, width: w", "x: xx, y: y, width: w").exits(1).says("unknown property `xx`");
    wrong("width: width, height: height", "width: hidden, height: 0")
        .exits(1)
        .says("`width` is a number, but the option `hidden` is not");
    wrong("grid: {zones", "grid: {size: 3, zones").exits(1).says("size");
    wrong("x: x, y: y, width: w", "y: y, width: w").exits(1).says("`grid` needs `x`");
    wrong("glyph: T}", "glyph: Toad}").exits(1).says("a glyph is one visible character");
}
