//! Events, inputs and values in words.

use std::collections::BTreeMap;

use intermezzo_ruleset::{KindId, Program, Type, TypeId};
use serde_json::{Map, Value};

use crate::file::{SavedAnswer, SavedBranch, SavedInput};

/// Text without control characters: what comes from files must not steer the terminal.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

/// What an event says in the words of its ruleset; nothing if the ruleset has none for it.
pub fn sentence(program: &Program, event: &str, fields: &Map<String, Value>) -> Option<String> {
    let event = &program.events[program.event_named(event)?.index()];
    let template = program.texts.get(event.text?.index())?;
    let mut fields = fields.clone();
    for field in &event.fields {
        if let Some(value) = fields.get_mut(program.symbol(field.name)) {
            name_hidden(program, value, field.ty);
        }
    }
    Some(fill(&clean(template), &fields))
}

/// What is out of the reader's sight is something, not nothing. Players are never hidden.
fn name_hidden(program: &Program, value: &mut Value, ty: TypeId) {
    match (&program.types[ty.index()], value) {
        (Type::Kind(KindId::PLAYER), _) => {}
        (Type::Entity | Type::Kind(_), value) if value.is_null() => *value = Value::from("something"),
        (Type::List(item), Value::Array(items)) => {
            items.iter_mut().for_each(|value| name_hidden(program, value, *item));
        }
        _ => {}
    }
}

/// The fields of an event one by one, such as `player=p0 amount=2`; those without a value are left out.
pub fn listed(fields: &Map<String, Value>) -> String {
    let field = |(name, value): (&String, &Value)| format!("{}={}", clean(name), words(value));
    fields.iter().filter(|(_, value)| !value.is_null()).map(field).collect::<Vec<_>>().join(" ")
}

/// Puts the fields into the `{field}` places of a template. Places that name no field stay as they are.
fn fill(template: &str, fields: &Map<String, Value>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let named = after.split_once('}').and_then(|(name, rest)| Some((fields.get(name.trim())?, rest)));
        rest = match named {
            Some((value, rest)) => {
                text.push_str(&words(value));
                rest
            }
            None => {
                text.push('{');
                after
            }
        };
    }
    text + rest
}

/// Where the pot of a match goes, at the end of a line; nothing where nothing is played for.
pub fn pot_text(program: &Program, pot: &str) -> String {
    program.stakes.as_ref().map_or_else(String::new, |_| format!(", pot: {}", clean(pot)))
}

/// A value as people read it.
pub fn words(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => clean(text),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| format!("{} {}", clean(name), words(value));
            entries.iter().map(entry).collect::<Vec<_>>().join(", ")
        }
    }
}

/// An event in the words of its ruleset, or what it says of itself for those of the stack, or its fields.
pub fn told_text(program: &Program, event: &str, fields: &Map<String, Value>, has_failed: bool) -> String {
    let stack = || match event {
        "Announced" | "Action" | "Reaction" | "EventPrevented" => native(program, event, fields, has_failed),
        _ => None,
    };
    let own = sentence(program, event, fields).filter(|text| !text.is_empty());
    own.or_else(stack).unwrap_or_else(|| listed(fields))
}

/// An event for whoever goes through a match event by event: in the words of its ruleset, else in ours, else its
/// fields.
#[must_use]
pub fn event_text(program: &Program, event: &str, fields: &Map<String, Value>, has_failed: bool) -> String {
    let own = sentence(program, event, fields).filter(|text| !text.is_empty());
    let own = own.or_else(|| native(program, event, fields, has_failed));
    own.unwrap_or_else(|| listed(fields))
}

/// What players read of a phase.
pub fn phase_title(program: &Program, name: &str) -> String {
    let phase = program.phases.iter().find(|phase| program.symbol(phase.name) == name);
    let title = phase.and_then(|phase| program.texts.get(phase.title.index())).map(String::as_str);
    clean(title.filter(|title| !title.is_empty()).unwrap_or(name))
}

/// What players read of an action or a reaction that is called by its id.
fn rule_title(program: &Program, id: &str) -> String {
    let action = program.actions.iter().find(|action| program.symbol(action.name) == id);
    let reaction = || program.reactions.iter().find(|reaction| program.symbol(reaction.name) == id);
    let item = || reaction().and_then(|reaction| reaction.item).map(|item| program.defs[item.index()].title);
    let title = action.map(|action| action.title).or_else(item);
    let title = title.and_then(|title| program.texts.get(title.index())).filter(|title| !title.is_empty());
    title.map_or_else(|| clean(&id.replace('_', " ")), |title| clean(title))
}

/// What something of the stack is called: as it was there, else by its title; and whose rule it is, unless that goes
/// without saying.
fn item_name(program: &Program, fields: &Map<String, Value>, id: &str) -> String {
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null()).map(words);
    let title = || rule_title(program, &field(id).unwrap_or_default());
    let name = match field("item") {
        Some(item) if item.starts_with('#') => format!("{} {item}", title()),
        Some(item) => item,
        None => title(),
    };
    let bare = |label: &str| label.split(" #").next().unwrap_or_default().to_lowercase();
    let is_said =
        |host: &String| name.to_lowercase().contains(&bare(host)) || Some(host) == field("actor").as_ref();
    match field("host").filter(|host| !is_said(host)) {
        Some(host) => format!("{name} ({host})"),
        None => name,
    }
}

/// What the events every ruleset has say, for players. Those that only tell the rules something say nothing.
pub fn native(
    program: &Program,
    event: &str,
    fields: &Map<String, Value>,
    has_failed: bool,
) -> Option<String> {
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null()).map(words);
    let something = |name: &str| field(name).unwrap_or_else(|| "something".to_owned());
    Some(match event {
        "MatchEnded" => {
            let won = match field("winners").filter(|winners| winners != "none") {
                Some(winners) => format!("won by {winners}"),
                None => "nobody wins".to_owned(),
            };
            format!("the match ends ({}): {won}", something("outcome"))
        }
        "Created" => format!("{} appears in {}", something("entity"), field("to")?),
        "Moved" => match field("from") {
            Some(from) => format!("{} moves from {from} to {}", something("entity"), something("to")),
            None => format!("{} comes to {}", something("entity"), something("to")),
        },
        "Removed" => format!("{} is gone", something("entity")),
        "Changed" => {
            let from_to = format!("{} → {}", words(fields.get("from")?), words(fields.get("to")?));
            format!("{}.{}: {from_to}", something("entity"), something("prop"))
        }
        "Rolled" => {
            let by = field("by").map_or_else(String::new, |by| format!("{by} "));
            let purpose = field("for").map_or_else(String::new, |purpose| format!(" for {purpose}"));
            let faces = something("faces");
            format!("{by}rolls {}{purpose}: {faces} = {}", something("dice"), something("total"))
        }
        "Shuffled" => format!("{} is shuffled", something("zone")),
        "PhaseStarted" => {
            let title = phase_title(program, &something("phase"));
            match field("player") {
                Some(player) => format!("{title} of {player} begins"),
                None => format!("{title} begins"),
            }
        }
        "PlayerLeft" => format!("{} leaves ({})", something("player"), something("cause")),
        "EventPrevented" => {
            let what = match fields.get("type").and_then(Value::as_str) {
                Some("Action") => "what was to be done".to_owned(),
                Some("Announced") => "what was announced".to_owned(),
                Some("Reaction") => "what was to follow".to_owned(),
                _ => something("type"),
            };
            match field("by") {
                Some(by) => format!("{what} is prevented by {by}"),
                None => format!("{what} is prevented"),
            }
        }
        "Announced" => format!("{} announces {}", something("actor"), item_name(program, fields, "action")),
        "Action" | "Reaction" => {
            let id = if event == "Action" { "action" } else { "reaction" };
            let name = item_name(program, fields, id);
            let waited = fields.get("item").is_some_and(|item| !item.is_null());
            match (has_failed, waited) {
                (true, _) => format!("{name} fails: a rule went wrong, and play goes on"),
                (false, true) => format!("{name} happens"),
                (false, false) => format!("{}: {name}", something("actor")),
            }
        }
        _ => return None,
    })
}

/// Replaces the names of entities, such as `#3`, by what they are called.
pub fn relabel(value: &Value, labels: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => match labels.get(text) {
            Some(label) => Value::from(label.as_str()),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| relabel(item, labels)).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(name, value)| (name.clone(), relabel(value, labels))).collect()
        }
        other => other.clone(),
    }
}

/// The text of an input without the numbers of entities: a match file has the engine's, which would tell a seat how
/// many there are.
pub fn unnumbered(text: &str) -> String {
    let is_number = |word: &&str| !word.trim_end_matches([',', ')']).starts_with('#');
    let mut kept = String::new();
    for word in text.split(' ') {
        if is_number(&word) {
            kept.push_str(if kept.is_empty() { "" } else { " " });
            kept.push_str(word);
        } else {
            kept.push_str(word.trim_start_matches(|letter: char| letter == '#' || letter.is_ascii_digit()));
        }
    }
    kept
}

/// What was sent, in words.
pub fn input_text(input: &SavedInput) -> String {
    match input {
        SavedInput::Answer { seat, answer, .. } => format!("p{seat} answers {}", answer_text(answer)),
        SavedInput::Draft { seat, answer, .. } => format!("p{seat} drafts {}", answer_text(answer)),
        SavedInput::Timeout { seat, .. } => format!("the time of p{seat} is up"),
        SavedInput::Leave { seat, cause } => format!("p{seat} leaves ({})", clean(cause)),
        SavedInput::AutoPass { seat, until, .. } if until == "off" => {
            format!("p{seat} no longer passes by itself")
        }
        SavedInput::AutoPass { seat, until, stops } => {
            let stack = if *stops { ", unless others put something on the stack" } else { "" };
            let until = if until == "turn" { " until the turn ends" } else { "" };
            format!("p{seat} passes by itself{until}{stack}")
        }
        SavedInput::Moderate { winners, pot } => {
            format!("a moderator ends the match, winners {winners:?}, pot {}", clean(pot))
        }
    }
}

/// What was picked; an action with who has it and what it is aimed at.
fn picked_text(picked: &Value) -> String {
    let (Some(action), Some(targets)) = (picked["action"].as_str(), picked["targets"].as_object()) else {
        return words(picked);
    };
    let host = &picked["host"];
    let host = if host.is_null() { String::new() } else { format!(" ({})", words(host)) };
    let aims = targets.values().map(words).collect::<Vec<_>>().join(", ");
    let aims = if aims.is_empty() { aims } else { format!(" → {aims}") };
    format!("{}{host}{aims}", clean(action))
}

fn answer_text(answer: &SavedAnswer) -> String {
    let names = |names: &[Value]| match names {
        [] => "nothing".to_owned(),
        names => names.iter().map(picked_text).collect::<Vec<_>>().join(", "),
    };
    match answer {
        SavedAnswer::Pass => "pass".to_owned(),
        SavedAnswer::Picks(picks) => names(&picks.names),
        SavedAnswer::Branches(branches) => {
            let branch = |branch: &SavedBranch| match branch.names.as_slice() {
                [] => clean(&branch.id),
                picked => format!("{} ({})", clean(&branch.id), names(picked)),
            };
            branches.iter().map(branch).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_filled_with_words() {
        let fields = json!({"plays": {"p0": "attack", "p1": null}, "index": 0});
        let fields = fields.as_object().unwrap();
        assert_eq!(fill("Step {index}: {plays}", fields), "Step 0: p0 attack, p1 nothing");
        assert_eq!(fill("{other} and {", fields), "{other} and {");
        assert_eq!(listed(fields), "plays=p0 attack, p1 nothing index=0");
    }
}
