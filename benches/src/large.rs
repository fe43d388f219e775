//! A large card game: the table of `rulesets/mages` with 141 cards and twelve more state checks, played at random.
//!
//! Half of the cards change others, react to events or cost less for some, so that most of what a turn costs is
//! finding out what applies.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::Ruleset;
use intermezzo_engine::{Datum, ShortText};
use intermezzo_program::Program;

/// Number of cards that are added to those of the base game.
const ADDED: usize = 94;
/// Number of different cards in a deck; each is there twice.
const DECK: usize = 24;
const TRIBES: [&str; 4] = ["goblin", "human", "beast", "spirit"];

/// Compiles the ruleset.
///
/// # Panics
///
/// If the base game cannot be read, or the ruleset has errors.
#[must_use]
pub fn program() -> Arc<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rulesets/mages");
    let read = |file: &str| {
        let text = std::fs::read(folder.join(file)).expect("the base game can be read");
        (file.to_owned(), text)
    };
    let base = ["ruleset.yaml", "creatures.yaml", "keywords.yaml", "relics.yaml", "spells.yaml"];
    let mut files: Vec<(String, Vec<u8>)> = base.map(read).into();
    files.push(("added.yaml".to_owned(), added_cards().into_bytes()));
    files.push(("checks.yaml".to_owned(), added_checks().into_bytes()));
    let ruleset = Ruleset::from_files(&files);
    let compiled = ruleset.compile();
    let problems = intermezzo_compiler::render(&compiled.diagnostics, ruleset.sources(), false);
    Arc::new(compiled.program.unwrap_or_else(|| panic!("{problems}")))
}

/// Returns the options of a match: two decks of the added cards.
#[must_use]
pub fn options() -> Vec<(ShortText, Datum)> {
    let deck = |first: usize| {
        let cards = (0..2 * DECK).map(|at| Datum::text(card_name((first + 5 * (at % DECK)) % ADDED)));
        Datum::List(cards.collect())
    };
    vec![("decks".into(), Datum::List(vec![deck(0), deck(2)]))]
}

fn card_name(number: usize) -> String {
    format!("added_{number}")
}

/// Writes the added cards: eight templates with other numbers and tribes.
fn added_cards() -> String {
    let mut text = "defs:\n".to_owned();
    for number in 0..ADDED {
        let (name, tribe) = (card_name(number), TRIBES[number / 2 % TRIBES.len()]);
        let (cost, power, toughness) = (1 + number % 4, 1 + number % 3, 2 + number % 5);
        let kind = match number % 8 {
            6 => "spell",
            7 => "relic",
            _ => "creature",
        };
        let _ = writeln!(text, "  {name}:\n    kind: {kind}\n    name: Added {number}");
        let props = match kind {
            "creature" => format!("cost: {cost}, power: {power}, toughness: {toughness}, tribe: {tribe}"),
            _ => format!("cost: {cost}"),
        };
        let _ = writeln!(text, "    props: {{{props}}}");
        text.push_str(&added_rules(number, &name, tribe));
    }
    text
}

/// Writes the rules of an added card.
fn added_rules(number: usize, name: &str, tribe: &str) -> String {
    let own = format!("it.tribe == {tribe} and it != self and it.owner == you and it.zone is battlefield");
    match number % 8 {
        0 => format!(
            "    modifiers:\n      - {{of: card.power, if: \"{own}\", add: 1}}\n      - {{of: card.toughness, if: \"{own}\", add: 1}}\n"
        ),
        1 => format!(
            "    modifiers:\n      - {{of: card.cost, if: \"it.tribe == {tribe} and it.owner == you\", set: \"max(value - 1, 0)\"}}\n"
        ),
        2 => format!(
            "    reactions:\n      - id: {name}_dies\n        when: {{after: Died, if: event.entity == self}}\n        timing: now\n        effects: [{{gain: you, amount: 1}}]\n"
        ),
        3 => format!(
            "    reactions:\n      - id: {name}_arrives\n        when: {{after: Entered, if: event.entity == self}}\n        timing: now\n        effects: [{{draw: you}}]\n"
        ),
        4 => "    traits: [guard]\n".to_owned(),
        5 => format!(
            "    reactions:\n      - id: {name}_avenges\n        when: {{after: Damaged, if: \"event.target is creature and event.target != self and event.amount > 1\"}}\n        timing: now\n        limit: {{oncePerTurn: true}}\n        effects: [{{gain: you, amount: 1}}]\n"
        ),
        6 => format!(
            "    actions:\n      - id: cast_{name}\n        extends: cast\n        targets: [{{id: victim, from: anything(actor)}}]\n        effects: [{{deal_damage: victim, amount: {}}}]\n",
            1 + number % 3
        ),
        _ => format!(
            "    modifiers:\n      - {{of: card.power, if: \"it is creature and it.owner == you and it.damage > 0\", add: 1}}\n    reactions:\n      - id: {name}_hums\n        when: {{after: StepStart, if: event.phase == untap and flow.active == you}}\n        timing: now\n        effects: [{{gain: you, amount: 1}}]\n"
        ),
    }
}

/// Writes state checks of the game.
fn added_checks() -> String {
    let mut text = "reactions:\n".to_owned();
    for (at, tribe) in TRIBES.iter().enumerate() {
        let _ = write!(
            text,
            "  - id: crowd_{tribe}\n    when: {{after: Settled}}\n    timing: now\n    effects:\n      \
             - let: {{crowd: \"creatures().where(it.tribe == {tribe} and it.damage > 0 and it.power > {})\"}}\n      \
             - each: crowd\n        as: c\n        do: [{{set: {{c.damage: \"max(0, c.damage - 1)\"}}}}]\n  \
             - id: rule_{tribe}\n    when: {{after: Settled}}\n    timing: now\n    effects:\n      \
             - each: players\n        as: p\n        do:\n          \
             - if: \"p.battlefield.where(it.tribe == {tribe}).count > {}\"\n            \
             then: [{{move: \"p.battlefield.where(it.tribe == {tribe}).first!\", to: p.graveyard}}]\n  \
             - id: mercy_{tribe}\n    when: {{after: Settled}}\n    timing: now\n    effects:\n      \
             - each: players.where(it.life > {})\n        as: p\n        do: [{{set: {{p.life: {}}}}}]\n",
            6 + at,
            7 + at,
            40 + at,
            40 + at,
        );
    }
    text
}
