//! Random answers to questions, from the prompt that a client receives.

use intermezzo_bots::Random;
use serde_json::{Value, json};

/// Returns a random answer to a question that does not ask for a path.
#[must_use]
pub fn random_answer(prompt: &Value, random: &mut Random) -> Value {
    if prompt["pass"] == json!(true) && random.happens(250) {
        return json!("pass");
    }
    if let Some(slots) = prompt["slots"].as_u64() {
        return slotted(options(prompt), slots as usize, random);
    }
    let branches = list(&prompt["branches"]);
    let (min, max) = bounds(prompt);
    match branches.is_empty() {
        true => picked(options(prompt), min, max, random),
        false => branched(branches, min, max, random),
    }
}

/// Returns the next step of a path, or `None` if it ends here. `follows` is the server's list of next steps.
#[must_use]
pub fn random_path_step(follows: &Value, so_far: usize, random: &mut Random) -> Option<Value> {
    let options = options(follows);
    let is_enough = follows["enough"] == json!(true);
    // Keep paths short.
    if options.is_empty() || is_enough && (so_far >= 4 || random.happens(400)) {
        return None;
    }
    Some(option_value(random.pick(options)).clone())
}

fn options(from: &Value) -> &[Value] {
    list(&from["options"])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn bounds(from: &Value) -> (usize, usize) {
    let number = |name: &str, default: u64| from[name].as_u64().unwrap_or(default) as usize;
    (number("min", 1), number("max", 1))
}

/// Returns the value that an answer contains for an option.
fn option_value(option: &Value) -> &Value {
    if option["value"].is_null() { &option["label"] } else { &option["value"] }
}

fn picked(options: &[Value], min: usize, max: usize, random: &mut Random) -> Value {
    let wanted = between(min, max.min(options.len()), random);
    sample(options, wanted, random).into_iter().map(|option| option_value(option).clone()).collect()
}

fn slotted(options: &[Value], slots: usize, random: &mut Random) -> Value {
    let mut left: Vec<&Value> = options.iter().collect();
    let slot = |_| {
        if left.is_empty() || random.happens(150) {
            return Value::Null;
        }
        option_value(left.swap_remove(random.index(left.len()))).clone()
    };
    (0..slots).map(slot).collect()
}

fn branched(branches: &[Value], min: usize, max: usize, random: &mut Random) -> Value {
    let wanted = between(min, max.min(branches.len()), random);
    let mut taken = sample(branches, wanted, random);
    if let Some(alone) = taken.iter().position(|branch| branch["exclusive"] == json!(true)) {
        taken = vec![taken[alone]];
    }
    taken
        .into_iter()
        .map(|branch| json!({"id": branch["id"], "selection": random_selection(branch, random)}))
        .collect()
}

fn random_selection(branch: &Value, random: &mut Random) -> Value {
    let (min, max) = bounds(branch);
    match branch.get("branches") {
        Some(inner) => branched(list(inner), min, max, random),
        None => picked(options(branch), min, max, random),
    }
}

fn between(min: usize, max: usize, random: &mut Random) -> usize {
    min + random.index(max.saturating_sub(min) + 1)
}

fn sample<'a>(items: &'a [Value], wanted: usize, random: &mut Random) -> Vec<&'a Value> {
    let mut left: Vec<&Value> = items.iter().collect();
    (0..wanted.min(items.len())).map(|_| left.swap_remove(random.index(left.len()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_distinct_and_within_bounds() {
        let prompt = json!({"options": [{"value": 1}, {"value": 2}, {"value": 3}], "branches": [], "min": 2, "max": 3});
        for seed in 0..50 {
            let answer = random_answer(&prompt, &mut Random::new(seed));
            let mut picks: Vec<u64> = list(&answer).iter().filter_map(Value::as_u64).collect();
            assert!((2..=3).contains(&picks.len()), "{answer}");
            picks.sort_unstable();
            picks.dedup();
            assert_eq!(picks.len(), list(&answer).len(), "{answer}");
        }
    }

    #[test]
    fn a_path_continues_until_it_may_end() {
        let random = &mut Random::new(1);
        assert_eq!(
            random_path_step(&json!({"options": [{"value": "b2"}], "enough": false}), 9, random),
            Some(json!("b2"))
        );
        assert_eq!(random_path_step(&json!({"options": [{"value": "b2"}], "enough": true}), 9, random), None);
        assert_eq!(random_path_step(&json!({"options": [], "enough": true}), 0, random), None);
    }
}
