//! Events, inputs and values as sentences.

use std::collections::BTreeMap;

use intermezzo_program::{KindId, Program, Type, TypeId};
use serde_json::{Map, Value};

use crate::file::{SavedAnswer, SavedBranchPick, SavedInput};

/// Replaces control characters: text from files must not control the terminal.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

/// Returns the sentence that the ruleset defines for an event, if any.
pub fn sentence(program: &Program, event: &str, fields: &Map<String, Value>) -> Option<String> {
    let text = program.events[program.event_named(event)?.index()].text?;
    sentence_of(program, event, program.texts.get(text.index())?, fields)
}

/// Fills a text about an event with its fields.
pub fn sentence_of(
    program: &Program,
    event: &str,
    template: &str,
    fields: &Map<String, Value>,
) -> Option<String> {
    let event = &program.events[program.event_named(event)?.index()];
    let mut fields = fields.clone();
    for field in &event.fields {
        if let Some(value) = fields.get_mut(program.symbol(field.name)) {
            replace_hidden(program, value, field.ty);
        }
    }
    Some(fill(&clean(template), &fields))
}

/// Replaces hidden entities by "something". Players are never hidden.
fn replace_hidden(program: &Program, value: &mut Value, ty: TypeId) {
    match (&program.types[ty.index()], value) {
        (Type::Kind(KindId::PLAYER), _) => {}
        (Type::Entity | Type::Kind(_), value) if value.is_null() => *value = Value::from("something"),
        (Type::List(item), Value::Array(items)) => {
            items.iter_mut().for_each(|value| replace_hidden(program, value, *item));
        }
        _ => {}
    }
}

/// Lists the fields of an event, such as `player=p0 amount=2`; fields without a value are omitted.
pub fn fields_text(fields: &Map<String, Value>) -> String {
    let field = |(name, value): (&String, &Value)| format!("{}={}", clean(name), value_text(value));
    fields.iter().filter(|(_, value)| !value.is_null()).map(field).collect::<Vec<_>>().join(" ")
}

/// Fills the `{field}` placeholders of a template. Placeholders that name no field stay.
fn fill(template: &str, fields: &Map<String, Value>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let named = after.split_once('}').and_then(|(name, rest)| Some((fields.get(name.trim())?, rest)));
        rest = match named {
            Some((value, rest)) => {
                text.push_str(&value_text(value));
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

/// Returns the destination of the pot for the end of a line; empty if the ruleset has no stakes.
pub fn pot_text(program: &Program, pot: &str) -> String {
    program.stakes.as_ref().map_or_else(String::new, |_| format!(", pot: {}", clean(pot)))
}

/// Formats the score of each seat after a prefix. Empty if the rules gave no scores.
pub fn score_text(score: Option<&[i64]>, prefix: &str) -> String {
    let Some(score) = score else { return String::new() };
    let scores = score.iter().enumerate().map(|(seat, score)| format!("p{seat} {score}"));
    format!("{prefix}{}", scores.collect::<Vec<_>>().join(", "))
}

/// Formats a value for people.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => clean(text),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| format!("{} {}", clean(name), value_text(value));
            entries.iter().map(entry).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns an event as text: the ruleset's sentence, the generic sentence for stack events, or the fields.
pub fn play_text(program: &Program, event: &str, fields: &Map<String, Value>, has_failed: bool) -> String {
    let stack = || match event {
        "Announced" | "Action" | "Reaction" | "EventPrevented" => {
            native_sentence(program, event, fields, has_failed)
        }
        _ => None,
    };
    let own = sentence(program, event, fields).filter(|text| !text.is_empty());
    own.or_else(stack).unwrap_or_else(|| fields_text(fields))
}

/// Returns an event as text for a replay: the ruleset's sentence, the generic sentence, or the fields.
#[must_use]
pub fn event_text(program: &Program, event: &str, fields: &Map<String, Value>, has_failed: bool) -> String {
    let own = sentence(program, event, fields).filter(|text| !text.is_empty());
    let own = own.or_else(|| native_sentence(program, event, fields, has_failed));
    own.unwrap_or_else(|| fields_text(fields))
}

/// Returns the title of a phase.
pub fn phase_title(program: &Program, name: &str) -> String {
    let phase = program.phases.iter().find(|phase| program.symbol(phase.name) == name);
    let title = phase.and_then(|phase| program.texts.get(phase.title.index())).map(String::as_str);
    clean(title.filter(|title| !title.is_empty()).unwrap_or(name))
}

/// Returns the title of the action or reaction with this id.
fn rule_title(program: &Program, id: &str) -> String {
    let action = program.actions.iter().find(|action| program.symbol(action.name) == id);
    let reaction = || program.reactions.iter().find(|reaction| program.symbol(reaction.name) == id);
    let item = || reaction().and_then(|reaction| reaction.item).map(|item| program.defs[item.index()].title);
    let title = action.map(|action| action.title).or_else(item);
    let title = title.and_then(|title| program.texts.get(title.index())).filter(|title| !title.is_empty());
    title.map_or_else(|| clean(&id.replace('_', " ")), |title| clean(title))
}

/// Returns the name of a stack item: its label, or the title of its rule; with the host in parentheses unless
/// the name already says it.
fn item_name(program: &Program, fields: &Map<String, Value>, id: &str) -> String {
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null()).map(value_text);
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

/// Returns the generic sentence for a built-in event. Events that only concern the rules have none.
pub fn native_sentence(
    program: &Program,
    event: &str,
    fields: &Map<String, Value>,
    has_failed: bool,
) -> Option<String> {
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null()).map(value_text);
    let something = |name: &str| field(name).unwrap_or_else(|| "something".to_owned());
    Some(match event {
        "MatchEnded" => {
            let won = match field("winners").filter(|winners| winners != "none") {
                Some(winners) => format!("winners: {winners}"),
                None => "no winner".to_owned(),
            };
            let score = field("score").map_or_else(String::new, |score| format!(", score: {score}"));
            format!("the match ends ({}), {won}{score}", something("outcome"))
        }
        "Created" => format!("{} is created in {}", something("entity"), field("to")?),
        "Moved" => match field("from") {
            Some(from) => format!("{} moves from {from} to {}", something("entity"), something("to")),
            None => format!("{} enters {}", something("entity"), something("to")),
        },
        "Removed" => format!("{} is removed", something("entity")),
        "Changed" => {
            let from_to = format!("{} → {}", value_text(fields.get("from")?), value_text(fields.get("to")?));
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
                Some(player) => format!("{player}'s {title} begins"),
                None => format!("{title} begins"),
            }
        }
        "PlayerLeft" => format!("{} leaves ({})", something("player"), something("cause")),
        "EventPrevented" => {
            let (verb, participle, what) = match fields.get("type").and_then(Value::as_str) {
                Some("Action") => ("counters", "countered", "an action".to_owned()),
                Some("Announced") => ("prevents", "prevented", "an action".to_owned()),
                Some("Reaction") => ("counters", "countered", "a reaction".to_owned()),
                _ => ("prevents", "prevented", something("type")),
            };
            match field("by") {
                Some(by) => format!("{by} {verb} {what}"),
                None => format!("{what} is {participle}"),
            }
        }
        "Announced" => format!("{} plays {}", something("actor"), item_name(program, fields, "action")),
        "Action" | "Reaction" => {
            let id = if event == "Action" { "action" } else { "reaction" };
            let name = item_name(program, fields, id);
            let waited = fields.get("item").is_some_and(|item| !item.is_null());
            match (has_failed, waited) {
                (true, _) => format!("{name} fails: a rule raised an error, the match continues"),
                (false, true) => format!("{name} resolves"),
                (false, false) => format!("{}: {name}", something("actor")),
            }
        }
        _ => return None,
    })
}

/// Replaces entity ids such as `#3` by their labels.
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

/// Removes entity numbers from the text of an input: match files contain the engine's numbers, which would
/// reveal to a seat how many entities exist.
pub fn without_entity_numbers(text: &str) -> String {
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

/// Returns an input as text.
pub fn input_text(input: &SavedInput) -> String {
    match input {
        SavedInput::Answer { seat, answer, .. } => format!("p{seat} answers {}", answer_text(answer)),
        SavedInput::Draft { seat, answer, .. } => format!("p{seat} drafts {}", answer_text(answer)),
        SavedInput::Timeout { seat, .. } => format!("p{seat} runs out of time"),
        SavedInput::Leave { seat, cause } => format!("p{seat} leaves ({})", clean(cause)),
        SavedInput::AutoPass { seat, until, .. } if until == "off" => {
            format!("p{seat} turns auto-pass off")
        }
        SavedInput::AutoPass { seat, until, stops } => {
            let stack = if *stops { ", unless another player uses the stack" } else { "" };
            let until = if until == "turn" { " until the turn ends" } else { "" };
            format!("p{seat} auto-passes{until}{stack}")
        }
        SavedInput::Moderate { winners, pot } => {
            format!("a moderator ends the match, winners: {winners:?}, pot: {}", clean(pot))
        }
    }
}

/// Formats a pick; an action with its host and targets.
fn picked_text(picked: &Value) -> String {
    let (Some(action), Some(targets)) = (picked["action"].as_str(), picked["targets"].as_object()) else {
        return value_text(picked);
    };
    let host = &picked["host"];
    let host = if host.is_null() { String::new() } else { format!(" ({})", value_text(host)) };
    let aims = targets.values().map(value_text).collect::<Vec<_>>().join(", ");
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
            let branch = |branch: &SavedBranchPick| match branch.names.as_slice() {
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
        assert_eq!(fields_text(fields), "plays=p0 attack, p1 nothing index=0");
    }
}
