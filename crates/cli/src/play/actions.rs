//! Actions on the screen: the available ones with their costs, and the reasons why others are not
//! available.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::out::{DIM, HEAD, Out, say};
use crate::play::names::EntityNames;
use crate::play::screen::wrap;
use intermezzo_matchfile::sentences::{clean, relabel, value_text};

/// Operations in costs that only move things around and are not shown as a price.
const NO_PRICE: [&str; 4] = ["move", "set", "emit", "remove"];

/// Available action.
pub(crate) struct ActionOffer {
    /// Action, host and targets.
    pub(crate) text: String,
    pub(crate) costs: String,
    /// Title of the action, without its host.
    pub(crate) title: String,
    pub(crate) hint: Option<String>,
    host: Option<String>,
}

impl ActionOffer {
    /// Reads the options of a prompt. Returns an empty list if they are not actions.
    pub(crate) fn all(options: &Value, names: &EntityNames) -> Vec<ActionOffer> {
        let options = options.as_array().map_or(&[][..], Vec::as_slice);
        let mut all: Vec<ActionOffer> =
            options.iter().filter_map(|option| ActionOffer::new(option, names)).collect();
        // Tell actions with equal texts apart by their hosts.
        let texts: Vec<String> = all.iter().map(|offered| offered.text.clone()).collect();
        for offered in &mut all {
            let is_twice = texts.iter().filter(|text| **text == offered.text).count() > 1;
            if let Some(host) = offered.host.take().filter(|_| is_twice) {
                offered.text.push_str(&format!(" ({host})"));
            }
        }
        all
    }

    fn new(option: &Value, names: &EntityNames) -> Option<ActionOffer> {
        let offer = &option["value"];
        offer["action"].as_str()?;
        let shown = |value: &Value| value_text(&relabel(value, names.known()));
        let title = value_text(&option["title"]);
        let host = (!offer["host"].is_null()).then(|| shown(&offer["host"]));
        let targets: Vec<String> = offer["targets"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, value)| names.describe_placed(value))
            .collect();
        let mut text = with_host(&title, host.as_deref().filter(|host| !is_player(host)));
        if !targets.is_empty() {
            text.push_str(&format!(" → {}", targets.join(", ")));
        }
        let costs: Vec<String> = option["costs"].as_array().into_iter().flatten().filter_map(price).collect();
        let hint = option["hint"].as_str().map(clean);
        Some(ActionOffer { text, costs: costs.join(", "), title, hint, host })
    }
}

/// Returns whether a name is that of a player.
pub(crate) fn is_player(name: &str) -> bool {
    name.strip_prefix('p').is_some_and(|seat| seat.parse::<u8>().is_ok())
}

/// Adds the host to the title of an action, unless the title already contains it.
fn with_host(title: &str, host: Option<&str>) -> String {
    let name = |label: &str| label.split(" #").next().unwrap_or_default().to_lowercase();
    match host.filter(|host| !title.to_lowercase().contains(&name(host))) {
        Some(host) => format!("{title} {host}"),
        None => title.to_owned(),
    }
}

/// Describes one cost: an amount of something, or an operation.
fn price(cost: &Value) -> Option<String> {
    let op = cost["op"].as_str()?;
    let args = cost.as_object()?.iter().filter(|(name, value)| *name != "op" && !value.is_null());
    let (amounts, others): (Vec<_>, Vec<_>) =
        args.map(|(_, value)| value).partition(|value| value.is_number());
    let named: Vec<String> = others.into_iter().map(value_text).filter(|name| !is_player(name)).collect();
    match amounts.first() {
        Some(amount) if amount.as_i64() == Some(0) => None,
        Some(amount) if named.is_empty() => Some(format!("{} {}", op.replace('_', " "), value_text(amount))),
        Some(amount) => Some(format!("{} {}", value_text(amount), named.join(" "))),
        None if cost["amount"].is_null() && cost.get("amount").is_some() && !named.is_empty() => {
            Some(format!("some {}", named.join(" ")))
        }
        None if NO_PRICE.contains(&op) => None,
        None => Some(op.replace('_', " ")),
    }
}

/// Prints the unavailable actions, grouped by reason.
pub(crate) fn show_unavailable(out: &mut Out, actions: &Value, names: &EntityNames) {
    let closed = actions["unavailable"].as_array().map_or(&[][..], Vec::as_slice);
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for closed in closed {
        let host = (!closed["host"].is_null()).then(|| value_text(&relabel(&closed["host"], names.known())));
        let text = with_host(&value_text(&closed["title"]), host.as_deref().filter(|host| !is_player(host)));
        let reason = closed["reason"].as_str().map_or_else(|| "not now".to_owned(), clean);
        let all = by_reason.entry(reason).or_default();
        if !all.contains(&text) {
            all.push(text);
        }
    }
    if by_reason.is_empty() {
        return say!(out, "all your actions are available");
    }
    say!(out, "{HEAD}Unavailable actions{HEAD:#}");
    for (reason, actions) in by_reason {
        say!(out, "  {reason}:");
        wrap(&actions.join(", "), 92).iter().for_each(|line| say!(out, "      {DIM}{line}{DIM:#}"));
    }
}

/// Finds the one option that contains all words of the line, or explains why there is not exactly one.
pub(crate) fn find_action(line: &str, options: &[String]) -> Result<usize, String> {
    let wanted: Vec<String> = line.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let means = |option: &String| {
        let option = option.to_lowercase();
        wanted
            .iter()
            .all(|word| option.split([' ', ',', '(', ')']).any(|part| part.trim_end_matches(':') == word))
    };
    let found: Vec<usize> = (0..options.len()).filter(|place| means(&options[*place])).collect();
    match found.as_slice() {
        [only] => Ok(*only),
        [] => Err(format!("no available action is called `{line}`; type a number")),
        several => {
            let some = several.iter().take(5).map(|place| format!("{} {}", place + 1, options[*place]));
            Err(format!("`{line}` could be {}", some.collect::<Vec<_>>().join(" or ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn prices_are_amounts_or_operations() {
        let price = |cost| price(&cost);
        assert_eq!(
            price(json!({"op": "pay_resource", "resource": "mana", "amount": 2})).as_deref(),
            Some("2 mana")
        );
        assert_eq!(price(json!({"op": "pay", "who": "p0", "amount": 2})).as_deref(), Some("pay 2"));
        assert_eq!(
            price(json!({"op": "pay_resource", "resource": "mana", "amount": null})).as_deref(),
            Some("some mana")
        );
        assert_eq!(price(json!({"op": "tap"})).as_deref(), Some("tap"));
        assert_eq!(price(json!({"op": "move", "to": "casting"})), None);
        assert_eq!(price(json!({"op": "pay_resource", "resource": "mana", "amount": 0})), None);
    }

    #[test]
    fn an_action_is_found_by_some_of_its_words() {
        let options = ["Bolt → p0", "Bolt → bear #7", "Attack bear #7 → p0"].map(str::to_owned);
        assert_eq!(find_action("attack", &options), Ok(2));
        assert_eq!(find_action("bolt #7", &options), Ok(1));
        assert!(
            find_action("bolt", &options).is_err_and(|problem| problem.contains("1 Bolt → p0 or 2 Bolt"))
        );
        assert!(find_action("jump", &options).is_err());
    }
}
