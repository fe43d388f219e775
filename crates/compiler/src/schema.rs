//! The JSON Schema of ruleset files, for editors: completion and a first check while typing.
//!
//! It describes shapes; names, types and flow are the checker's business.

use serde_json::{Map, Value, json};

use crate::check::OPERATIONS;
use crate::merge::SECTIONS;

/// The schema (draft 2020-12) of a ruleset file.
#[must_use]
pub fn schema() -> Value {
    let mut sections = Map::new();
    for section in SECTIONS {
        sections.insert((*section).to_owned(), section_schema(section));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Intermezzo ruleset",
        "description": "The rules of a game as data. `intermezzo check` says everything this schema cannot.",
        "type": "object",
        "required": ["ir"],
        "additionalProperties": false,
        "properties": sections,
        "$defs": {
            "expression": {
                "description": "An expression such as `players.count > 2`, a number, true, false, null or a list of these.",
                "type": ["string", "integer", "boolean", "null", "array", "object"],
            },
            "type": {
                "description": "A type such as `int`, `maybe<card>`, `list<player>` or `map<player, int>`.",
                "type": "string",
            },
            "pattern": object("An event, and a test of it.", &[("after", text("The event.")), ("if", expression())]),
            "statement": statement(),
            "statements": {
                "description": "Statements in order.",
                "oneOf": [{"type": "array", "items": {"$ref": "#/$defs/statement"}}, {"$ref": "#/$defs/statement"}],
            },
            "property": property(),
            "reaction": reaction(),
            "action": action(),
            "modifier": modifier(),
        },
    })
}

fn section_schema(section: &str) -> Value {
    match section {
        "ir" => json!({"const": crate::merge::LANGUAGE, "description": "The language version."}),
        "ruleset" | "prelude" => closed(
            "What this is.",
            &[
                ("afterwards", one_of(&["open", "closed"])),
                ("id", text("Small letters, digits and `-`.")),
                ("version", text("Three numbers, such as 1.0.0.")),
                ("name", text("What players read.")),
                ("description", text("One sentence for players.")),
                ("authors", list(&text("A name."))),
                ("uses", list(&text("A prelude such as core@1."))),
            ],
        ),
        "options" => named(&object(
            "Something that can be set for each match.",
            &[("type", type_ref()), ("default", expression()), ("min", integer()), ("max", integer())],
        )),
        "types" => named(&object(
            "An enum or a record.",
            &[("enum", list(&text("A member."))), ("record", named(&type_ref()))],
        )),
        "symbols" | "outcomes" => list(&text("A name.")),
        "stakes" => closed(
            "What is played for.",
            &[("currency", text("Its name.")), ("entry", expression()), ("pot", expression())],
        ),
        "clock" => closed(
            "How much time there is, in milliseconds.",
            &[
                ("bank", expression()),
                ("increment", expression()),
                ("grace", expression()),
                ("takeover", text("The bot that plays on: random, greedy or mcts.")),
            ],
        ),
        "messages" => named(&message()),
        "bots" => closed("For players that are programs.", &[("value", expression())]),
        "players" => object(
            "Who plays.",
            &[
                ("seats", integer()),
                ("min", integer()),
                ("max", integer()),
                ("teams", list(&list(&integer()))),
                ("props", named(&reference("property"))),
            ],
        ),
        "match" => object("The match itself.", &[("props", named(&reference("property")))]),
        "kinds" => named(&object(
            "A kind of entity.",
            &[("extends", text("The kind it adds to.")), ("props", named(&reference("property")))],
        )),
        "resources" => named(&reference("property")),
        "zones" => named(&object(
            "A place for entities.",
            &[
                ("of", text("The kind each instance belongs to.")),
                ("holds", text("The kind of entity it holds.")),
                ("visible", expression()),
                ("order", one_of(&["list", "set"])),
                ("active", boolean()),
                ("max", integer()),
                ("renews", boolean()),
            ],
        )),
        "events" => named(&object(
            "Something that can happen.",
            &[
                ("payload", named(&type_ref())),
                ("unless", expression()),
                ("apply", reference("statements")),
                ("then", reference("statements")),
                ("visible", expression()),
                ("preventable", boolean()),
            ],
        )),
        "aliases" => {
            named(&object("A second name for an event.", &[("of", text("The event.")), ("if", expression())]))
        }
        "durations" => named(&reference("pattern")),
        "functions" => named(&object(
            "A named expression.",
            &[
                ("params", named(&type_ref())),
                ("returns", type_ref()),
                ("is", expression()),
                ("else", text("Why it does not hold.")),
                ("override", boolean()),
            ],
        )),
        "procs" => named(&object(
            "Named statements.",
            &[
                ("params", named(&type_ref())),
                ("requires", expression()),
                ("do", reference("statements")),
                ("returns", type_ref()),
                ("stack", one_of(&["manual"])),
                ("override", boolean()),
            ],
        )),
        "chains" => named(&object(
            "A staged computation.",
            &[("stages", list(&text("A stage."))), ("record", named(&type_ref()))],
        )),
        "modifiers" => list(&reference("modifier")),
        "traits" => named(&object("Rules that can be attached to an entity.", &rules_with_params())),
        "defs" => named(&object("A printed thing.", &def_keys())),
        "actions" => list(&reference("action")),
        "reactions" => list(&reference("reaction")),
        "setup" | "flow" => reference("statements"),
        "turnStructure" => closed(
            "Turns, phases and steps.",
            &[
                (
                    "phases",
                    list(&object(
                        "A phase.",
                        &[("id", text("Its id.")), ("steps", list(&json!({"type": "object"})))],
                    )),
                ),
                (
                    "priorityWindows",
                    list(&object("Where players may act.", &[("phase", text("")), ("step", text(""))])),
                ),
            ],
        ),
        "reactionTiming" => one_of(&["now", "stack"]),
        "reactionOrder" => one_of(&["active_first", "fixed", "apnap", "chosen"]),
        _ => json!({"description": "See the language reference."}),
    }
}

fn statement() -> Value {
    let operations: Vec<Value> = OPERATIONS
        .iter()
        .map(|(operation, arguments)| {
            let mut properties = Map::new();
            properties.insert((*operation).to_owned(), head(operation));
            for argument in *arguments {
                properties.insert((*argument).to_owned(), argument_schema(argument));
            }
            // An event's fields stand beside `emit`.
            json!({
                "type": "object",
                "required": [operation],
                "properties": properties,
                "additionalProperties": *operation == "emit",
            })
        })
        .collect();
    json!({
        "description": "A statement: an object with one operation, a call of a proc, or the name of a proc without arguments.",
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"$ref": "#/$defs/statement"}},
            {"anyOf": operations},
            {"type": "object", "description": "A call of a proc, or the form {op: …}."},
        ],
    })
}

fn head(operation: &str) -> Value {
    match operation {
        "let" | "set" | "add" => named(&expression()),
        "group" => reference("statements"),
        "emit" => text("The event."),
        "choose" => text("The name the answer gets."),
        "phase" | "exit" => text("A name."),
        _ => expression(),
    }
}

fn argument_schema(argument: &str) -> Value {
    match argument {
        "then" | "else" | "do" | "instead" => reference("statements"),
        "cases" => named(&reference("statements")),
        "how" => one_of(&["one", "each", "any"]),
        "at" => one_of(&["top", "bottom"]),
        "pot" => one_of(&["winners", "split", "burn", "refund"]),
        "ask" => one_of(&["always"]),
        "empty" | "order" | "pass" | "secret" | "keep" => boolean(),
        "onPrevented" => one_of(&["drop", "propagate"]),
        "as" | "label" | "title" | "kind" | "for" | "until" => text(""),
        _ => expression(),
    }
}

fn property() -> Value {
    json!({"oneOf": [type_ref(), object(
        "A property.",
        &[
            ("of", text("For resources: the kind that has it.")),
            ("type", type_ref()),
            ("default", expression()),
            ("min", expression()),
            ("max", expression()),
            ("mod", boolean()),
            ("derived", expression()),
            ("visible", expression()),
            ("resets", json!({"type": "object"})),
            ("ResetsOn", text("The event after which it goes back.")),
            ("to", expression()),
            ("index", boolean()),
        ],
    )]})
}

fn reaction() -> Value {
    object(
        "A rule that an event sets off.",
        &[
            ("id", text("Its name.")),
            (
                "when",
                object(
                    "What sets it off.",
                    &[
                        ("before", text("An event.")),
                        ("after", text("An event.")),
                        ("if", expression()),
                        ("eventType", text("An event.")),
                        ("filters", named(&expression())),
                        ("look", one_of(&["before", "after"])),
                    ],
                ),
            ),
            ("conditions", list(&expression())),
            ("may", boolean()),
            ("relevant", expression()),
            ("auto", expression()),
            ("costs", reference("statements")),
            ("targets", list(&json!({"type": "object"}))),
            (
                "limit",
                object(
                    "How often it may happen.",
                    &[
                        ("oncePerTurn", boolean()),
                        ("oncePerSource", boolean()),
                        ("maxPerEvent", integer()),
                        ("n", integer()),
                        ("per", text("A phase, `turn`, `event` or `match`.")),
                        ("key", one_of(&["instance", "rule", "source"])),
                        ("on", one_of(&["trigger", "use"])),
                    ],
                ),
            ),
            ("look", one_of(&["before", "after"])),
            ("per", json!({"anyOf": [one_of(&["each", "batch"]), list(&text("A field of the event."))]})),
            ("priority", integer()),
            ("timing", one_of(&["now", "stack", "before", "after"])),
            ("zones", list(&text("A zone."))),
            ("effects", reference("statements")),
            ("can_prevent", boolean()),
        ],
    )
}

fn action() -> Value {
    object(
        "Something players can do.",
        &[
            ("id", text("Its name.")),
            ("timing", one_of(&["stack", "instant"])),
            ("host", text("The kind that offers it.")),
            ("zones", list(&text("A zone."))),
            ("preconditions", list(&expression())),
            ("costs", reference("statements")),
            ("targets", list(&json!({"type": "object"}))),
            ("effects", reference("statements")),
            ("finally", reference("statements")),
            ("abstract", boolean()),
            ("extends", text("An action.")),
            ("hint", text("How to make it possible.")),
        ],
    )
}

fn message() -> Value {
    object(
        "Something of the ruleset's own protocol: one of at, asked, after, answers, drafts, does.",
        &[
            ("at", one_of(&["start", "error"])),
            ("asked", text("The question a player is asked.")),
            ("after", text("The event a player has been told of.")),
            ("if", expression()),
            ("fields", named(&expression())),
            ("answers", text("The question it answers.")),
            ("drafts", text("The question it drafts an answer to.")),
            ("does", one_of(&["join_queue", "leave_queue", "concede"])),
            ("from", text("The key the answer is under.")),
        ],
    )
}

fn modifier() -> Value {
    object(
        "A lasting change of a value.",
        &[
            ("of", text("A property such as card.power, or a chain.")),
            ("stage", text("For chains: when.")),
            ("if", expression()),
            ("add", expression()),
            ("set", expression()),
            ("as", text("Another name for `it`.")),
        ],
    )
}

fn rules() -> Vec<(&'static str, Value)> {
    vec![
        ("reactions", list(&reference("reaction"))),
        ("modifiers", list(&reference("modifier"))),
        ("actions", list(&reference("action"))),
    ]
}

fn rules_with_params() -> Vec<(&'static str, Value)> {
    let mut keys = rules();
    keys.push(("params", named(&type_ref())));
    keys
}

fn def_keys() -> Vec<(&'static str, Value)> {
    let mut keys = rules();
    keys.extend([
        ("kind", text("The kind of entity it makes.")),
        ("props", named(&expression())),
        ("traits", json!({"type": "array"})),
        ("abilities", list(&reference("action"))),
    ]);
    keys
}

// --- building blocks -------------------------------------------------------------

fn text(description: &str) -> Value {
    if description.is_empty() {
        json!({"type": "string"})
    } else {
        json!({"type": "string", "description": description})
    }
}

fn integer() -> Value {
    json!({"type": "integer"})
}

fn boolean() -> Value {
    json!({"type": "boolean"})
}

fn one_of(words: &[&str]) -> Value {
    json!({"enum": words})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// An object whose keys the author chooses.
fn named(items: &Value) -> Value {
    json!({"type": "object", "additionalProperties": items})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn expression() -> Value {
    reference("expression")
}

fn type_ref() -> Value {
    reference("type")
}

fn closed(description: &str, keys: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    json!({"type": "object", "description": description, "properties": properties, "additionalProperties": false})
}

/// An object with these keys and those every declaration has.
fn object(description: &str, keys: &[(&str, Value)]) -> Value {
    let mut keys = keys.to_vec();
    keys.extend([
        ("name", text("What players read.")),
        ("text", text("What players read; `{field}` stands for a field.")),
        ("ui", json!({"description": "For clients; never read by rules."})),
        (
            "allow",
            json!({"type": "object", "description": "Warnings to keep quiet about, each with a reason."}),
        ),
    ]);
    closed(description, &keys)
}
