//! `play` for card games: cards with their texts, the stack, costs of actions, and reasons why actions are
//! unavailable.

use std::path::PathBuf;

use crate::{file, folder, intermezzo, text, typed};

const RULES: &str = "ir: 1
ruleset: {id: mini, version: 0.1.0, name: Mini, uses: [core@1, tcg@1]}
outcomes: [normal]
players: {seats: 2, props: {life: {type: int, default: 5, visible: all}}}
match: {props: {turn: {type: int, default: 0}}}
resources: {mana: {of: player, default: 3, max: 9}}
kinds: {creature: {extends: card}, spell: {extends: card}}
zones:
  hand: {of: player, visible: owner}
  deck: {of: player, visible: none, order: list}
  battlefield: {of: player, visible: all, active: true}
  graveyard: {of: player, visible: all, order: list}
  casting: {visible: all}
traits:
  fierce: {params: {n: int}, text: Hits harder., modifiers: [{of: card.power, if: it == self, add: trait.n}]}
actions:
  - id: attack
    host: creature
    timing: instant
    preconditions: [{if: actor == flow.active, else: Only in your own turn}, {op: not_tapped, target: self}]
    targets: [{id: defender, from: opponents(actor)}]
    effects: [{declare_attack: self, defender: defender}]
    hint: Attack to win.
defs:
  bear: {kind: creature, name: Brown Bear, text: Strong and slow., props: {cost: 2, power: 2, toughness: 2}, traits: [{fierce: {n: 1}}]}
  shock:
    kind: spell
    name: Shock
    text: Deals 2 damage to anything that can be hurt by it.
    props: {cost: 1}
    actions:
      - id: cast_shock
        name: Cast Shock
        zones: [hand]
        costs: [{pay_resource: mana, amount: self.cost}, {move: self, to: casting}]
        targets: [{id: victim, from: players + battlefield}]
        effects: [{deal_damage: victim, amount: 2}]
        finally: [{move: self, to: self.owner.graveyard}]
reactions:
  - id: dead_players
    when: {after: Settled}
    effects:
      - let: {gone: players.where(it.life <= 0)}
      - if: gone.count > 0
        then: [{end: normal, winners: players.where(it.life > 0), losers: gone}]
setup:
  - each: players
    as: p
    do:
      - {create: shock, owner: p, in: p.hand}
      - {create: shock, owner: p, in: p.hand}
      - {create: bear, owner: p, in: p.battlefield}
      - {create: bear, owner: p, in: p.deck}
flow:
  - repeat: forever
    do:
      - each: players
        as: p
        do:
          - {phase: turn, player: p, do: [{each: p.battlefield, as: c, do: [{set: {c.tapped: false}}]}, {priority_window: p}]}
ui: {card: {cost: cost, power: power, toughness: toughness, damage: damage, turned: tapped}, zones: {casting: {hide: true}}}
";

fn rules(name: &str) -> PathBuf {
    file(name, "mini.yaml", RULES)
}

#[test]
fn cards_show_what_they_are() {
    let run = typed(&["play", text(&rules("cards-show")), "--humans", "0,1"], "").exits(0);
    let run = run
        .says("      Shock #1  cost 1                  Deals 2 damage to anything that can be hurt by it.");
    let run = run.says("      Brown Bear #3  3/2, fierce n 1    Strong and slow.");
    let run = run.says("    hand: 2 hidden · deck: 1 hidden").says("turn (yours)");
    assert!(!run.out.contains("casting") && !run.out.contains("arrived"), "{}", run.all());
    assert!(run.out.lines().all(|line| line.chars().count() <= 100), "{}", run.all());
}

const MARKET: &str = "ir: 1
ruleset: {id: market, version: 0.1.0}
outcomes: [over]
types: {Taste: {enum: [sweet, sour]}}
players: {seats: 2}
kinds: {fruit: {props: {taste: {type: Taste, default: sweet}, weight: {type: int, default: 3}, ripe: bool}}, crate: {}}
zones: {stall: {of: player, visible: owner, holds: fruit}, yard: {of: player, visible: all, holds: crate}}
defs: {lemon: {kind: fruit, name: Lemon, props: {taste: sour, ripe: true}}, box: {kind: crate, name: Box}}
events:
  Sold: {payload: {seller: player, what: fruit, others: list<fruit>}, text: \"{seller} sells {what}, keeps {others}\"}
setup:
  - {each: players, as: p, do: [{create: box, in: p.yard}, {create: lemon, in: p.stall}, {create: lemon, in: p.stall}]}
flow:
  - {choose: first, by: \"players[0]\", from: actor.stall}
  - {each: players, as: p, do: [{emit: Sold, seller: p, what: p.stall.first!, others: p.stall.bottom(1)}, {move: p.stall.first!, to: \"players[0].stall\"}]}
  - {choose: second, by: \"players[0]\", from: actor.stall}
  - end: over
ui: {card: {cost: weight, shows: [taste]}, events: {Moved: {hide: true}}}
";

#[test]
fn other_facts_of_cards_are_shown_by_their_names() {
    let rules = file("cards-market", "market.yaml", MARKET);
    let run = typed(&["play", text(&rules)], "1\n1\n").exits(0);
    let run = run.says("Lemon #2").says("taste sour").says("Box #1\n");
    let run =
        run.says("  · p0 sells Lemon #2, keeps Lemon #3").says("  · p1 sells something, keeps something");
    assert!(!run.out.contains("moves from") && !run.out.contains("ripe"), "{}", run.all());
}

#[test]
fn contents_of_things_are_shown_with_their_texts() {
    let run = typed(&["play", "draft", "--option", "shuffle=false"], "").exits(0);
    let run = run.says("      Pack #1\n        contents:\n          Chestnut Roaster #5");
    run.says("Warm hands for a penny.").says("Pack #2 [contents: 5 hidden]");
}

#[test]
fn actions_show_costs_and_hints() {
    let run =
        typed(&["play", text(&rules("cards-actions")), "--humans", "0,1"], "?\nshock\nattack\n").exits(0);
    let run = run.says("   1  Cast Shock → p0 (Shock #1)             1 mana");
    let run =
        run.says("Attack Brown Bear #3 → p1").says("      Attack to win.").says("  Attack: Attack to win.");
    let run = run.says("`shock` could be 1 Cast Shock → p0 (Shock #1) or 2 Cast Shock → p1");
    run.says("  · p0: Attack (Brown Bear #3)")
        .says("  · Brown Bear #3 attacks p1")
        .says("  · p1 takes 3 damage");
}

#[test]
fn stack_items_are_shown_until_they_resolve() {
    let input = "2\nshow #7\np\np\nshow shock\nshow graveyard\nshow dragon\nshow\n";
    let run = typed(&["play", text(&rules("cards-stack")), "--humans", "0,1", "--seed", "1"], input).exits(0);
    let run = run.says("  · Cast Shock #7 (p0) → p1 goes on the stack");
    let run = run.says("stack (top first)\n      Cast Shock #7 (p0) → p1");
    let run = run.says("  · Cast Shock #7 resolves").says("  · p1 takes 2 damage");
    let run = run
        .says("    graveyard: 1 (Shock #1)")
        .says("Shock #2 spell, p0's")
        .says("p0.graveyard\n      Shock #1");
    let run = run.says("nothing visible is called `dragon`").says("show what?");
    assert!(!run.out.contains("Cast Shock #7 is removed"), "{}", run.all());
}

#[test]
fn why_lists_unavailable_actions() {
    let input = "attack\nwhy\np\nwhy\n";
    let run = typed(&["play", text(&rules("cards-why")), "--humans", "0,1"], input).exits(0);
    let run = run.says("Unavailable actions\n  Already tapped:\n      Attack Brown Bear #3");
    run.says("  Only in your own turn:\n      Attack Brown Bear");
}

#[test]
fn the_conformance_ruleset_of_the_stack_can_be_played() {
    let passes = "p\n".repeat(200);
    let run = typed(&["play", "crates/scenario/conformance/stack", "--seed", "5"], &passes).exits(0);
    assert!(run.out.lines().all(|line| line.chars().count() <= 120), "{}", run.all());
}

#[test]
fn a_player_may_pass_until_the_turn_ends() {
    let path = folder("cards-auto").join("match.json");
    let rules = rules("cards-auto-rules");
    let args = ["play", text(&rules), "--humans", "0,1", "--save", text(&path)];
    let run = typed(&args, "pass until turn\np\np\nauto off\n").exits(0);
    let run = run.says("Seat 1 is next").says("p1's turn begins");
    assert!(!run.out.contains("auto-pass"), "{}", run.all());
    intermezzo(&["verify", text(&path), "--ruleset", text(&rules)]).exits(0);
    let run = intermezzo(&["replay", text(&path), "--ruleset", text(&rules)]).exits(0);
    run.says("p0 auto-passes until the turn ends").says("p0 turns auto-pass off");
}

#[test]
fn items_of_others_on_the_stack_stop_auto_pass() {
    let rules = rules("cards-auto-stop");
    let run = typed(&["play", text(&rules), "--humans", "0,1"], "auto\n1\np\n").exits(0);
    run.says("stack (top first)").says("auto-pass until the turn ends; `auto off` stops it");
}

#[test]
fn a_countered_spell_is_reported_in_one_line() {
    let hands = "hands=[[bolt, counter], []]";
    let args =
        ["play", "crates/scenario/conformance/stack", "--humans", "0,1", "--seed", "5", "--option", hands];
    let run = typed(&args, "bolt p1\ncounter\np\np\n").exits(0).says("  · counter #2 counters Bolt #7\n");
    assert!(!run.out.contains("leaves the stack") && !run.out.contains("an action"), "{}", run.all());
}
