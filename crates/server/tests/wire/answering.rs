//! Answers from prompts alone: by chance, and always such that the prompt allows them.

use intermezzo_bots::Random;
use serde_json::{Value, json};

use super::client::Client;

/// So often in a thousand someone passes who may.
const PASS_RATE: u16 = 300;

/// An answer to a prompt. Paths are asked for step by step.
pub(crate) async fn at_random(client: &mut Client, prompt: &Value, random: &mut Random) -> Value {
    if prompt["pass"] == json!(true) && (is_empty(prompt) || random.happens(PASS_RATE)) {
        return json!("pass");
    }
    if prompt["path"] == json!(true) {
        return path(client, prompt, random).await;
    }
    if !list(&prompt["branches"]).is_empty() {
        return Value::from(branches(prompt, random));
    }
    match prompt["slots"].as_u64() {
        Some(slots) => Value::from(filled(prompt, slots as usize, random)),
        None => Value::from(picked(prompt, random)),
    }
}

fn is_empty(prompt: &Value) -> bool {
    prompt["path"] != json!(true)
        && list(&prompt["options"]).is_empty()
        && list(&prompt["branches"]).is_empty()
}

async fn path(client: &mut Client, prompt: &Value, random: &mut Random) -> Value {
    let mut so_far: Vec<Value> = Vec::new();
    loop {
        let ask = json!({"type": "path.get", "inputId": prompt["inputId"], "soFar": so_far});
        let next = client.command(ask).await.unwrap();
        let options = list(&next["options"]);
        let is_enough = next["enough"] == json!(true);
        if options.is_empty() || (is_enough && random.happens(400)) {
            assert!(is_enough, "a path can be ended where it cannot go on: {next}");
            return Value::from(so_far);
        }
        so_far.push(name(random.pick(options)));
    }
}

/// As many of the options as the bounds want, in any order.
fn picked(asked: &Value, random: &mut Random) -> Vec<Value> {
    let options = list(&asked["options"]);
    let count = between(asked, options.len(), random);
    some(options, count, random).iter().map(|option| name(option)).collect()
}

/// Slots are filled as far as there is something to fill them with.
fn filled(prompt: &Value, slots: usize, random: &mut Random) -> Vec<Value> {
    let options = list(&prompt["options"]);
    let mut filled: Vec<Value> =
        some(options, slots.min(options.len()), random).iter().map(|option| name(option)).collect();
    filled.resize(slots, Value::Null);
    filled
}

/// Branches as the bounds want them, and in each what its own bounds want.
fn branches(asked: &Value, random: &mut Random) -> Vec<Value> {
    let all: Vec<&Value> = list(&asked["branches"]).iter().collect();
    let (alone, together): (Vec<&Value>, Vec<&Value>) =
        all.iter().partition(|branch| branch["exclusive"] == json!(true));
    let min = asked["min"].as_u64().unwrap() as usize;
    let is_alone = !alone.is_empty() && (together.len() < min || random.happens(300));
    if is_alone {
        let taken = alone[random.index(alone.len())];
        return vec![branch(taken, random)];
    }
    let count = between(asked, together.len(), random);
    let mut order: Vec<&Value> = some(&together, count, random).into_iter().copied().collect();
    order.sort_by_key(|taken| all.iter().position(|known| known == taken));
    order.into_iter().map(|taken| branch(taken, random)).collect()
}

fn branch(taken: &Value, random: &mut Random) -> Value {
    let selection = match taken.get("branches") {
        Some(_) => branches(taken, random),
        None => picked(taken, random),
    };
    json!({"id": taken["id"], "selection": selection})
}

/// A number within the bounds that is not more than there are.
fn between(asked: &Value, there: usize, random: &mut Random) -> usize {
    let min = asked["min"].as_u64().unwrap() as usize;
    let max = (asked["max"].as_u64().unwrap() as usize).min(there);
    assert!(min <= max, "what is asked for is there: {asked}");
    min + random.index(max - min + 1)
}

/// So many different ones, in any order.
fn some<'a, T>(all: &'a [T], count: usize, random: &mut Random) -> Vec<&'a T> {
    let mut left: Vec<&T> = all.iter().collect();
    (0..count).map(|_| left.swap_remove(random.index(left.len()))).collect()
}

/// How an option is named: numbers as they are, everything else by its place.
fn name(option: &Value) -> Value {
    let value = &option["value"];
    if value.is_number() { value.clone() } else { option["n"].clone() }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
