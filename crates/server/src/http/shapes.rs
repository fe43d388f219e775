//! The shapes in which an action may be sent over HTTP. All mean the same as `{type, targets, params}`.
//!
//! | shape | means |
//! |---|---|
//! | `{type, targets, params}` | itself |
//! | `{type, cardId, targets}` | the card is what has the action, or its target `card` |
//! | `{type, attackerId, defenderId}` | the targets `attacker` and `defender` |
//! | `{actionType, params}` | `{type, params}` |
//! | `{type: "semantic", action_id, …}` | the action of that name |
//! | `{type: "direct_manipulation", cardId, to}` | the card is dragged there |
//! | `{direct_manipulation: {what, onto}}` | the same |

use intermezzo_protocol::resources::Object;
use intermezzo_protocol::{Action, Code, Drag, Problem};
use serde_json::{Map, Value};

/// Fields of a drag that tell nothing the rules would need.
const IDLE: &[&str] = &["action", "from", "metadata"];

/// What a body may mean, the likeliest first. More than one, if a card may be meant in two ways.
pub(crate) fn readings(body: Value) -> Result<Vec<Action>, Problem> {
    let Value::Object(mut body) = body else { return Err(invalid("an action is an object")) };
    if let Some(drag) = body.remove("direct_manipulation") {
        let Object(direct_manipulation) = serde_json::from_value::<Object<Drag>>(drag)
            .map_err(|error| invalid(&format!("`direct_manipulation`: {error}")))?;
        nothing_else(&body)?;
        return Ok(vec![Action::Drag { direct_manipulation }]);
    }
    let name = match (text(&mut body, "type")?, text(&mut body, "actionType")?) {
        (Some(name), None) | (None, Some(name)) => name,
        (Some(_), Some(_)) => return Err(invalid("`type` and `actionType` say the same; send one of them")),
        (None, None) => return Err(invalid("`type` is missing: the name of the action")),
    };
    match name.as_str() {
        "direct_manipulation" => drag(body).map(|drag| vec![drag]),
        "semantic" => {
            let name = text(&mut body, "action_id")?.ok_or_else(|| invalid("`action_id` is missing"))?;
            named(&name, body)
        }
        _ => named(&name, body),
    }
}

fn drag(mut body: Map<String, Value>) -> Result<Action, Problem> {
    let what = text(&mut body, "cardId")?.ok_or_else(|| invalid("`cardId` is missing: what is dragged"))?;
    let onto = text(&mut body, "to")?.ok_or_else(|| invalid("`to` is missing: where it is dropped"))?;
    body.retain(|name, _| !IDLE.contains(&name.as_str()));
    nothing_else(&body)?;
    Ok(Action::Drag { direct_manipulation: Drag { what, onto } })
}

fn named(name: &str, mut body: Map<String, Value>) -> Result<Vec<Action>, Problem> {
    let mut targets = body.remove("targets").unwrap_or_default();
    let params = body.remove("params").unwrap_or_default();
    let card = body.remove("cardId");
    for (field, value) in body {
        let Some(target) = field.strip_suffix("Id") else {
            return Err(invalid(&format!("unknown field `{}`", field.escape_default())));
        };
        add(&mut targets, target, value)?;
    }
    let action = |targets, params| Action::Named { name: name.to_owned(), targets, params };
    let Some(card) = card.filter(|card| !says(&targets, card)) else {
        return Ok(vec![action(targets, params)]);
    };
    let (mut with_host, mut with_card) = (params.clone(), targets.clone());
    let mut readings = Vec::new();
    if add(&mut with_host, "host", card.clone()).is_ok() {
        readings.push(action(targets, with_host));
    }
    if add(&mut with_card, "card", card).is_ok() {
        readings.push(action(with_card, params));
    }
    if readings.is_empty() {
        Err(invalid("`cardId` and the targets contradict each other"))
    } else {
        Ok(readings)
    }
}

/// Whether that is among the targets already.
fn says(targets: &Value, card: &Value) -> bool {
    match targets {
        Value::Object(targets) => targets.values().any(|target| target == card),
        Value::Array(targets) => targets.contains(card),
        one => one == card,
    }
}

fn add(values: &mut Value, name: &str, value: Value) -> Result<(), Problem> {
    if values.is_null() {
        *values = Value::Object(Map::new());
    }
    match values {
        Value::Object(values) if !values.contains_key(name) => {
            values.insert(name.to_owned(), value);
            Ok(())
        }
        _ => Err(invalid(&format!("`{name}` is said in two ways"))),
    }
}

fn text(body: &mut Map<String, Value>, field: &str) -> Result<Option<String>, Problem> {
    match body.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid(&format!("`{field}` has to be a text"))),
    }
}

fn nothing_else(body: &Map<String, Value>) -> Result<(), Problem> {
    match body.keys().next() {
        None => Ok(()),
        Some(field) => Err(invalid(&format!("unknown field `{}`", field.escape_default()))),
    }
}

fn invalid(detail: &str) -> Problem {
    Problem::new(Code::Invalid, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn strike(targets: Value, params: Value) -> Action {
        Action::Named { name: "strike".to_owned(), targets, params }
    }

    #[test]
    fn all_shapes_mean_the_same() {
        let meant = strike(json!({"foe": "#4"}), Value::Null);
        for body in [
            json!({"type": "strike", "targets": {"foe": "#4"}}),
            json!({"actionType": "strike", "targets": {"foe": "#4"}}),
            json!({"type": "semantic", "action_id": "strike", "targets": {"foe": "#4"}}),
            json!({"type": "strike", "foeId": "#4"}),
            json!({"type": "strike", "cardId": "#4", "targets": {"foe": "#4"}}),
        ] {
            assert_eq!(readings(body.clone()).unwrap(), std::slice::from_ref(&meant), "{body}");
        }
    }

    #[test]
    fn a_card_has_the_action_or_is_its_target() {
        let readings = readings(json!({"type": "strike", "cardId": "#3"})).unwrap();
        assert_eq!(
            readings,
            [strike(Value::Null, json!({"host": "#3"})), strike(json!({"card": "#3"}), Value::Null)]
        );
    }

    #[test]
    fn a_drag_may_be_written_in_two_ways() {
        let meant = Action::Drag {
            direct_manipulation: Drag { what: "#3".to_owned(), onto: "battlefield".to_owned() },
        };
        for body in [
            json!({"direct_manipulation": {"what": "#3", "onto": "battlefield"}}),
            json!({"type": "direct_manipulation", "action": "move_card", "cardId": "#3", "from": "hand",
                "to": "battlefield", "metadata": {"drag_drop": true}}),
        ] {
            assert_eq!(readings(body.clone()).unwrap(), std::slice::from_ref(&meant), "{body}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for body in [
            json!(3),
            json!({}),
            json!({"type": 3}),
            json!({"type": "strike", "actionType": "strike"}),
            json!({"type": "strike", "speed": 3}),
            json!({"type": "semantic"}),
            json!({"type": "direct_manipulation", "cardId": "#3"}),
            json!({"direct_manipulation": {"what": "#3"}}),
            json!({"direct_manipulation": ["#3", "p0"]}),
            json!({"type": "strike", "foeId": "#4", "targets": {"foe": "#5"}}),
        ] {
            assert_eq!(readings(body.clone()).unwrap_err().code, Code::Invalid, "{body}");
        }
    }
}
