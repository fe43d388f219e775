//! Random selectors and responses: acceptance agrees with a second, simpler implementation of the rules.
//!
//! The second implementation works on the JSON itself and shares no code with the first.

use intermezzo_engine::{Chance, DiceScript, Seed};
use intermezzo_selector::{ChoiceList, Pick, Response, Selector, SelectorChoice};
use serde_json::{Value, json};

const SEEDS: u64 = 20_000;

/// Returns whether a list of choices (an object with `choices` and bounds) accepts a selection.
fn accepts(asked: &Value, selection: &[Value]) -> bool {
    let mut left: Vec<&Value> = choices(asked);
    let mut taken: Vec<(&Value, &Value)> = Vec::new();
    let (with_id, without): (Vec<&Value>, Vec<&Value>) =
        selection.iter().partition(|pick| pick.get("id").is_some());
    for pick in with_id.into_iter().chain(without) {
        let Some(at) = left.iter().position(|choice| pick_matches(pick, choice)) else { return false };
        taken.push((pick, left.remove(at)));
    }
    let is_exclusive = |(_, choice): &(&Value, &Value)| choice.get("exclusive") == Some(&json!(true));
    if taken.len() >= 2 && taken.iter().any(is_exclusive) {
        return false;
    }
    let (least, most) = range(asked);
    let count = taken.len() as u64;
    let within = |(pick, choice): (&Value, &Value)| {
        let none = Vec::new();
        let inner = pick.get("selection").and_then(Value::as_array).unwrap_or(&none);
        match choice.get("choices") {
            Some(_) => accepts(choice, inner),
            None => inner.is_empty(),
        }
    };
    least <= count && count <= most && taken.into_iter().all(within)
}

fn pick_matches(pick: &Value, choice: &Value) -> bool {
    let title =
        |value: &Value| if value.is_object() { value.get("title").cloned() } else { Some(value.clone()) };
    let same_title = title(pick).is_none_or(|wanted| title(choice) == Some(wanted));
    same_title && (pick.get("id").is_none() || pick.get("id") == choice.get("id"))
}

fn choices(asked: &Value) -> Vec<&Value> {
    asked.get("choices").and_then(Value::as_array).map(|list| list.iter().collect()).unwrap_or_default()
}

fn range(asked: &Value) -> (u64, u64) {
    let number = |key: &str| asked.get(key).and_then(Value::as_u64);
    let all = choices(asked).len() as u64;
    if let Some(count) = number("count") {
        return (count, count);
    }
    let nothing_said = number("min").is_none() && number("max").is_none();
    let least = number("min").unwrap_or(u64::from(nothing_said));
    let most = number("max").unwrap_or(if nothing_said { 1 } else { all });
    (least, most.min(all))
}

/// Returns whether a list of choices can be answered.
fn is_answerable(asked: &Value) -> bool {
    let list = choices(asked);
    let (least, most) = range(asked);
    let exclusive = list.iter().filter(|choice| choice.get("exclusive") == Some(&json!(true))).count();
    let at_once = (list.len() - exclusive).max(usize::from(!list.is_empty())) as u64;
    let ids: Vec<String> = list.iter().filter_map(|choice| choice.get("id")).map(Value::to_string).collect();
    let unique = (1..ids.len()).all(|at| !ids[..at].contains(&ids[at]));
    let inside =
        list.iter().filter(|choice| choice.get("choices").is_some()).all(|choice| is_answerable(choice));
    // A maximum below the minimum is an error before it is limited to the number of choices.
    least <= most && least <= at_once && unique && inside
}

/// A generator of random JSON.
struct SelectorGenerator(Chance);

impl SelectorGenerator {
    fn one_in(&mut self, n: u32) -> bool {
        self.0.below(n) == 0
    }

    fn name(&mut self) -> Value {
        match self.0.below(6) {
            0 => json!(1),
            1 => json!("1"),
            n => json!(["a", "b", "c", "d"][n as usize - 2]),
        }
    }

    fn bounds(&mut self, into: &mut Value) {
        for key in ["min", "max", "count"] {
            let rarity = if key == "count" { 6 } else { 3 };
            if self.one_in(rarity) {
                into[key] = json!(self.0.below(4));
            }
        }
    }

    fn choices(&mut self, depth: u32) -> Value {
        let count = self.0.below(5);
        (0..count).map(|_| self.choice(depth)).collect()
    }

    fn choice(&mut self, depth: u32) -> Value {
        if self.one_in(2) {
            return self.name();
        }
        let mut choice = json!({ "title": self.name() });
        if self.one_in(2) {
            choice["id"] = self.name();
        }
        if self.one_in(5) {
            choice["exclusive"] = json!(true);
        }
        if depth > 0 && self.one_in(2) {
            choice["choices"] = self.choices(depth - 1);
            self.bounds(&mut choice);
        }
        choice
    }

    fn selector(&mut self) -> Value {
        let mut selector = json!({"actor": "dennis", "title": "T", "choices": self.choices(3)});
        self.bounds(&mut selector);
        selector
    }

    /// Returns a selection that is valid more often than a purely random one.
    fn selection(&mut self, asked: &Value) -> Value {
        let list = choices(asked);
        let mut picks = Vec::new();
        for _ in 0..self.0.below(4) {
            let pick = match list.len() as u32 {
                0 => self.name(),
                _ if self.one_in(8) => self.name(),
                count => {
                    let meant = self.0.below(count) as usize;
                    self.pick(list[meant])
                }
            };
            picks.push(pick);
        }
        Value::from(picks)
    }

    fn pick(&mut self, choice: &Value) -> Value {
        if !choice.is_object() {
            return choice.clone();
        }
        let mut pick = json!({ "title": choice["title"] });
        if let Some(id) = choice.get("id").filter(|_| !self.one_in(3)) {
            pick["id"] = id.clone();
        }
        if choice.get("choices").is_some() {
            pick["selection"] = self.selection(choice);
        }
        pick
    }
}

fn generator(seed: u64) -> SelectorGenerator {
    SelectorGenerator(Chance::new(Seed::from_number(seed), DiceScript::default()))
}

#[test]
fn acceptance_agrees_with_a_simpler_implementation() {
    let (mut made, mut accepted, mut refused) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut maker = generator(seed);
        let written = maker.selector();
        let selector = serde_json::from_value::<Selector>(written.clone());
        assert_eq!(selector.is_ok(), is_answerable(&written), "seed {seed}: {written}");
        let Ok(selector) = selector else { continue };
        made += 1;
        for _ in 0..4 {
            let selection = maker.selection(&written);
            let response = json!({"title": "T", "selection": selection});
            let response: Response = serde_json::from_value(response).unwrap();
            let is_accepted = selector.check(&response).is_ok();
            let picks = selection.as_array().unwrap();
            assert_eq!(is_accepted, accepts(&written, picks), "seed {seed}: {written} {selection}");
            if is_accepted { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(made > 2_000 && accepted > 2_000 && refused > 2_000, "{made} {accepted} {refused}");
}

/// Gives every choice a unique id, so that picks are unambiguous.
fn with_ids(asked: &mut Value) {
    let Some(list) = asked.get_mut("choices").and_then(Value::as_array_mut) else { return };
    for (number, choice) in list.iter_mut().enumerate() {
        if !choice.is_object() {
            *choice = json!({ "title": choice });
        }
        choice["id"] = json!(number);
        with_ids(choice);
    }
}

/// Returns the fewest possible picks, using exclusive ones only if nothing else is left.
fn minimal_picks(choices: &ChoiceList) -> Vec<Pick> {
    let (min, _) = choices.range();
    let mut list: Vec<&SelectorChoice> = choices.list().iter().collect();
    list.sort_by_key(|choice| choice.is_exclusive());
    let pick = |choice: &SelectorChoice| Pick {
        title: None,
        id: choice.id().cloned(),
        selection: choice.choices().map(minimal_picks).unwrap_or_default(),
    };
    list.into_iter().take(min as usize).map(pick).collect()
}

#[test]
fn every_valid_selector_can_be_answered() {
    let mut answered = 0;
    for seed in 0..SEEDS {
        let mut written = generator(seed).selector();
        with_ids(&mut written);
        let Ok(selector) = serde_json::from_value::<Selector>(written.clone()) else { continue };
        let outcome = selector.check(&Response::to("T", minimal_picks(selector.choices())));
        assert!(outcome.is_ok(), "seed {seed}: {written} {outcome:?}");
        answered += 1;
    }
    assert!(answered > 2_000, "{answered}");
}

#[test]
fn any_depth_is_accepted() {
    let mut inner = ChoiceList::of(["leaf"]);
    let mut picks = vec![Pick::titled("leaf")];
    for level in 0..400 {
        inner = ChoiceList::of([SelectorChoice::titled(level).with_choices(inner)]);
        picks = vec![Pick::titled(level).with(picks)];
    }
    let selector = Selector::select("dennis", "T", inner).unwrap();
    assert!(selector.check(&Response::to("T", picks)).is_ok());
}

#[test]
fn a_response_that_is_nested_without_end_is_refused_as_text() {
    let text = format!(r#"{{"title":"T","selection":{}"#, r#"[{"title":"a","selection":"#.repeat(100_000));
    assert!(Response::from_json(&text).is_err());
}
