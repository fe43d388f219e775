//! The forms in which clients send an action. All are converted to `{type, targets, params}` or a drag.
//!
//! | form | meaning |
//! |---|---|
//! | `{type, targets, params}` | itself |
//! | `{type, cardId, targets}` | the card that has the action, or the target `card` |
//! | `{type, attackerId, defenderId}` | the targets `attacker` and `defender` |
//! | `{type, cardId, targetId}` | the card, and the target `target` or the first other target |
//! | `{actionType, params}` | `{type, params}` |
//! | `{type: "semantic", action_id, …}` | the action of that name |
//! | `{type: "direct_manipulation", cardId, to}` | drags the card there |
//! | `{direct_manipulation: {what, onto}}` | the same |

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::frames::{Drag, SubmittedAction};
use crate::problem::{Code, Problem};
use crate::resources::JsonObject;

/// An action in any of the accepted forms.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnyAction(pub Value);

/// Fields of a drag that are accepted but not used.
const IGNORED_DRAG_FIELDS: &[&str] = &["action", "from", "metadata"];

impl JsonSchema for AnyAction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyAction".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let drag = schemas.subschema_for::<Drag>();
        let text = json!({"type": "string"});
        let ids = json!({"^.+Id$": {"description": "A target, by its name in the view"}});
        let named = |name: &str| {
            json!({
                "type": "object",
                "required": [name],
                "properties": {
                    name: {"type": "string", "description": "Name of the action"},
                    "targets": {"description": "Targets by their names in the view: an object, or a list in order"},
                    "params": {"description": "Other choices, by name"},
                },
                "patternProperties": ids,
                "additionalProperties": false,
            })
        };
        let mut semantic = named("action_id");
        semantic["properties"]["type"] = json!({"const": "semantic"});
        semantic["required"] = json!(["type", "action_id"]);
        schemars::json_schema!({
            "description": "An action by name, or one thing dragged onto another. All forms are equivalent.",
            "anyOf": [
                named("type"),
                named("actionType"),
                semantic,
                {
                    "type": "object",
                    "required": ["type", "cardId", "to"],
                    "properties": {
                        "type": {"const": "direct_manipulation"},
                        "cardId": text, "to": text, "action": {}, "from": {}, "metadata": {},
                    },
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "required": ["direct_manipulation"],
                    "properties": {"direct_manipulation": drag},
                    "additionalProperties": false,
                },
            ],
        })
    }
}

impl AnyAction {
    /// Returns the possible meanings, the most likely first. There are several if `cardId` or `targetId` is ambiguous.
    ///
    /// # Errors
    ///
    /// If the action has none of the accepted forms.
    pub fn interpretations(self) -> Result<Vec<SubmittedAction>, Problem> {
        interpretations(self.0)
    }
}

fn interpretations(body: Value) -> Result<Vec<SubmittedAction>, Problem> {
    let Value::Object(mut body) = body else { return Err(invalid("an action must be an object")) };
    if let Some(drag) = body.remove("direct_manipulation") {
        let JsonObject(direct_manipulation) = serde_json::from_value::<JsonObject<Drag>>(drag)
            .map_err(|error| invalid(&format!("`direct_manipulation`: {error}")))?;
        reject_unknown_fields(&body)?;
        return Ok(vec![SubmittedAction::Drag { direct_manipulation }]);
    }
    let name = match (remove_string(&mut body, "type")?, remove_string(&mut body, "actionType")?) {
        (Some(name), None) | (None, Some(name)) => name,
        (Some(_), Some(_)) => return Err(invalid("send either `type` or `actionType`, not both")),
        (None, None) => return Err(invalid("`type`, the name of the action, is missing")),
    };
    match name.as_str() {
        "direct_manipulation" => drag_action(body).map(|drag| vec![drag]),
        "semantic" => {
            let name =
                remove_string(&mut body, "action_id")?.ok_or_else(|| invalid("`action_id` is missing"))?;
            named_action(&name, body)
        }
        _ => named_action(&name, body),
    }
}

fn drag_action(mut body: Map<String, Value>) -> Result<SubmittedAction, Problem> {
    let what = remove_string(&mut body, "cardId")?
        .ok_or_else(|| invalid("`cardId`, the card to drag, is missing"))?;
    let onto =
        remove_string(&mut body, "to")?.ok_or_else(|| invalid("`to`, the target of the drag, is missing"))?;
    body.retain(|name, _| !IGNORED_DRAG_FIELDS.contains(&name.as_str()));
    reject_unknown_fields(&body)?;
    Ok(SubmittedAction::Drag { direct_manipulation: Drag { what, onto } })
}

fn named_action(name: &str, mut body: Map<String, Value>) -> Result<Vec<SubmittedAction>, Problem> {
    let mut targets = body.remove("targets").unwrap_or_default();
    let params = body.remove("params").unwrap_or_default();
    let card = body.remove("cardId");
    let only_target = body.get("targetId").filter(|_| targets.is_null() && body.len() == 1).cloned();
    for (field, value) in body {
        let Some(target) = field.strip_suffix("Id") else {
            return Err(invalid(&format!("unknown field `{}`", field.escape_default())));
        };
        insert_once(&mut targets, target, value)?;
    }
    let mut readings = readings_of_card(name, targets, params.clone(), card.clone())?;
    if let Some(target) = only_target {
        // The action may call its only target, or the one after the card, otherwise.
        let first = Value::Array(vec![target.clone()]);
        readings.extend(readings_of_card(name, first, params.clone(), card.clone()).unwrap_or_default());
        if let Some(card) = card {
            let targets = Value::Array(vec![card, target]);
            readings.push(SubmittedAction::Named { name: name.to_owned(), targets, params });
        }
    }
    Ok(readings)
}

/// Returns the meanings of an action with a card: the card has the action, or it is the target `card`.
fn readings_of_card(
    name: &str,
    targets: Value,
    params: Value,
    card: Option<Value>,
) -> Result<Vec<SubmittedAction>, Problem> {
    let action = |targets, params| SubmittedAction::Named { name: name.to_owned(), targets, params };
    let Some(card) = card.filter(|card| !contains_target(&targets, card)) else {
        return Ok(vec![action(targets, params)]);
    };
    let (mut with_host, mut with_card) = (params.clone(), targets.clone());
    let mut readings = Vec::new();
    if insert_once(&mut with_host, "host", card.clone()).is_ok() {
        readings.push(action(targets, with_host));
    }
    if insert_once(&mut with_card, "card", card).is_ok() {
        readings.push(action(with_card, params));
    }
    if readings.is_empty() {
        Err(invalid("`cardId` and the targets contradict each other"))
    } else {
        Ok(readings)
    }
}

/// Returns true if the card is among the targets.
fn contains_target(targets: &Value, card: &Value) -> bool {
    match targets {
        Value::Object(targets) => targets.values().any(|target| target == card),
        Value::Array(targets) => targets.contains(card),
        one => one == card,
    }
}

fn insert_once(values: &mut Value, name: &str, value: Value) -> Result<(), Problem> {
    if values.is_null() {
        *values = Value::Object(Map::new());
    }
    match values {
        Value::Object(values) if !values.contains_key(name) => {
            values.insert(name.to_owned(), value);
            Ok(())
        }
        _ => Err(invalid(&format!("`{name}` is given twice"))),
    }
}

fn remove_string(body: &mut Map<String, Value>, field: &str) -> Result<Option<String>, Problem> {
    match body.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid(&format!("`{field}` must be a string"))),
    }
}

fn reject_unknown_fields(body: &Map<String, Value>) -> Result<(), Problem> {
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

    fn strike(targets: Value, params: Value) -> SubmittedAction {
        SubmittedAction::Named { name: "strike".to_owned(), targets, params }
    }

    #[test]
    fn all_forms_mean_the_same() {
        let meant = strike(json!({"foe": "#4"}), Value::Null);
        for body in [
            json!({"type": "strike", "targets": {"foe": "#4"}}),
            json!({"actionType": "strike", "targets": {"foe": "#4"}}),
            json!({"type": "semantic", "action_id": "strike", "targets": {"foe": "#4"}}),
            json!({"type": "strike", "foeId": "#4"}),
            json!({"type": "strike", "cardId": "#4", "targets": {"foe": "#4"}}),
        ] {
            assert_eq!(interpretations(body.clone()).unwrap(), std::slice::from_ref(&meant), "{body}");
        }
    }

    #[test]
    fn a_card_has_the_action_or_is_its_target() {
        let readings = interpretations(json!({"type": "strike", "cardId": "#3"})).unwrap();
        assert_eq!(
            readings,
            [strike(Value::Null, json!({"host": "#3"})), strike(json!({"card": "#3"}), Value::Null)]
        );
    }

    #[test]
    fn a_target_without_a_name_is_the_first_that_is_left() {
        let readings = interpretations(json!({"type": "strike", "cardId": "#3", "targetId": "#4"})).unwrap();
        assert_eq!(
            readings,
            [
                strike(json!({"target": "#4"}), json!({"host": "#3"})),
                strike(json!({"target": "#4", "card": "#3"}), Value::Null),
                strike(json!(["#4"]), json!({"host": "#3"})),
                strike(json!(["#3", "#4"]), Value::Null),
            ]
        );
        let readings = interpretations(json!({"type": "strike", "targetId": "#4"})).unwrap();
        assert_eq!(
            readings,
            [strike(json!({"target": "#4"}), Value::Null), strike(json!(["#4"]), Value::Null)]
        );
    }

    #[test]
    fn a_drag_has_two_forms() {
        let meant = SubmittedAction::Drag {
            direct_manipulation: Drag { what: "#3".to_owned(), onto: "battlefield".to_owned() },
        };
        for body in [
            json!({"direct_manipulation": {"what": "#3", "onto": "battlefield"}}),
            json!({"type": "direct_manipulation", "action": "move_card", "cardId": "#3", "from": "hand",
                "to": "battlefield", "metadata": {"drag_drop": true}}),
        ] {
            assert_eq!(interpretations(body.clone()).unwrap(), std::slice::from_ref(&meant), "{body}");
        }
    }

    #[test]
    fn meaningless_bodies_are_rejected() {
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
            assert_eq!(interpretations(body.clone()).unwrap_err().code, Code::Invalid, "{body}");
        }
    }
}
