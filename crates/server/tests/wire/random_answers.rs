//! Random legal answers, derived from prompts alone.

use intermezzo_bots::Random;
use serde_json::{Value, json};

use super::client::WsClient;

/// Probability of passing, per mille.
const PASS_RATE: u16 = 300;

/// Returns a random answer to a prompt. Requests paths step by step.
pub(crate) async fn random_answer(client: &mut WsClient, prompt: &Value, random: &mut Random) -> Value {
    if prompt["pass"] == json!(true) && (is_empty(prompt) || random.happens(PASS_RATE)) {
        return json!("pass");
    }
    if prompt["path"] == json!(true) {
        return random_path(client, prompt, random).await;
    }
    if !list(&prompt["branches"]).is_empty() {
        return Value::from(random_branches(prompt, random));
    }
    match prompt["slots"].as_u64() {
        Some(slots) => Value::from(random_slots(prompt, slots as usize, random)),
        None => Value::from(random_picks(prompt, random)),
    }
}

fn is_empty(prompt: &Value) -> bool {
    prompt["path"] != json!(true)
        && list(&prompt["options"]).is_empty()
        && list(&prompt["branches"]).is_empty()
}

async fn random_path(client: &mut WsClient, prompt: &Value, random: &mut Random) -> Value {
    let mut so_far: Vec<Value> = Vec::new();
    loop {
        let ask = json!({"type": "path.get", "inputId": prompt["inputId"], "soFar": so_far});
        let next = client.command(ask).await.unwrap();
        let options = list(&next["options"]);
        let is_enough = next["enough"] == json!(true);
        if options.is_empty() || (is_enough && random.happens(400)) {
            assert!(is_enough, "a path without next steps must be complete: {next}");
            return Value::from(so_far);
        }
        so_far.push(option_name(random.pick(options)));
    }
}

/// Picks options within the bounds, in random order.
fn random_picks(asked: &Value, random: &mut Random) -> Vec<Value> {
    let options = list(&asked["options"]);
    let count = random_count(asked, options.len(), random);
    random_subset(options, count, random).iter().map(|option| option_name(option)).collect()
}

/// Fills slots with options; slots without an option stay empty.
fn random_slots(prompt: &Value, slots: usize, random: &mut Random) -> Vec<Value> {
    let options = list(&prompt["options"]);
    let mut filled: Vec<Value> = random_subset(options, slots.min(options.len()), random)
        .iter()
        .map(|option| option_name(option))
        .collect();
    filled.resize(slots, Value::Null);
    filled
}

/// Picks branches within the bounds, and a selection within each.
fn random_branches(asked: &Value, random: &mut Random) -> Vec<Value> {
    let all: Vec<&Value> = list(&asked["branches"]).iter().collect();
    let (alone, together): (Vec<&Value>, Vec<&Value>) =
        all.iter().partition(|branch| branch["exclusive"] == json!(true));
    let min = asked["min"].as_u64().unwrap() as usize;
    let is_alone = !alone.is_empty() && (together.len() < min || random.happens(300));
    if is_alone {
        let picked = alone[random.index(alone.len())];
        return vec![random_branch(picked, random)];
    }
    let count = random_count(asked, together.len(), random);
    let mut order: Vec<&Value> = random_subset(&together, count, random).into_iter().copied().collect();
    order.sort_by_key(|picked| all.iter().position(|known| known == picked));
    order.into_iter().map(|picked| random_branch(picked, random)).collect()
}

fn random_branch(picked: &Value, random: &mut Random) -> Value {
    let selection = match picked.get("branches") {
        Some(_) => random_branches(picked, random),
        None => random_picks(picked, random),
    };
    json!({"id": picked["id"], "selection": selection})
}

/// Returns a random number within the bounds, at most `there`.
fn random_count(asked: &Value, there: usize, random: &mut Random) -> usize {
    let min = asked["min"].as_u64().unwrap() as usize;
    let max = (asked["max"].as_u64().unwrap() as usize).min(there);
    assert!(min <= max, "not enough options: {asked}");
    min + random.index(max - min + 1)
}

/// Returns `count` different items in random order.
fn random_subset<'a, T>(all: &'a [T], count: usize, random: &mut Random) -> Vec<&'a T> {
    let mut left: Vec<&T> = all.iter().collect();
    (0..count).map(|_| left.swap_remove(random.index(left.len()))).collect()
}

/// Returns an option by its number.
fn option_name(option: &Value) -> Value {
    json!({"n": option["n"]})
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
