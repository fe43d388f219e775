//! JSON Schema of ruleset files, for completion and validation in editors.
//!
//! It describes only structure. Names, types and flow are checked by the compiler. A ruleset may consist of
//! several files, so no section is required in any one of them.

mod ui;

use serde_json::{Map, Value, json};

use crate::check::OPERATIONS;
use crate::merge::SECTIONS;

/// Returns the schema (draft 2020-12) of a ruleset file.
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
                "anyOf": [list(&reference("statement")), reference("statement")],
            },
            "property": {"anyOf": [type_ref(), property()]},
            "resource": resource(),
            "target": target(),
            "reaction": reaction(),
            "action": action(),
            "modifier": modifier(),
        },
    })
}

fn section_schema(section: &str) -> Value {
    match section {
        "ir" => json!({"const": crate::merge::LANGUAGE, "description": "The language version."}),
        "ruleset" | "prelude" => object(
            "What this is.",
            &[
                ("afterwards", one_of(&["open", "closed"])),
                ("id", text("Lower-case letters, digits and `-`.")),
                ("version", text("Three numbers, such as 1.0.0.")),
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
        "stakes" => object(
            "What is played for.",
            &[("currency", text("Its name.")), ("entry", expression()), ("pot", expression())],
        ),
        "clock" => object(
            "Time limits in milliseconds.",
            &[
                ("bank", expression()),
                ("increment", expression()),
                ("grace", expression()),
                ("takeover", text("The bot that takes over: random, greedy or mcts.")),
            ],
        ),
        "messages" => named(&message()),
        "bots" => object("Settings for bots.", &[("value", expression())]),
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
            &[
                ("extends", text("The kind it adds to.")),
                ("props", named(&reference("property"))),
                ("ui", ui::of("kind")),
            ],
        )),
        "resources" => named(&reference("resource")),
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
                ("chooser", expression()),
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
                ("else", text("The reason shown when `requires` does not hold.")),
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
        "defs" => named(&object("A template that entities are created from.", &def_keys())),
        "actions" => list(&reference("action")),
        "reactions" => list(&reference("reaction")),
        "setup" | "flow" => reference("statements"),
        "turnStructure" => object(
            "Turns, phases and steps.",
            &[
                ("phases", list(&phase())),
                (
                    "priorityWindows",
                    list(&object("Where players may act.", &[("phase", text("")), ("step", text(""))])),
                ),
            ],
        ),
        "reactionTiming" => one_of(&["now", "stack"]),
        "reactionOrder" => {
            let word = one_of(&["active_first", "fixed", "apnap", "chosen"]);
            json!({"anyOf": [word, list(&word)]})
        }
        "limits" => object(
            "Guards against rulesets that never stop.",
            &[
                ("steps_per_input", integer()),
                ("stack_depth", integer()),
                ("reactions_per_event", integer()),
                ("events_per_input", integer()),
                ("entities", integer()),
                ("loop", one_of(&["draw", "fault"])),
            ],
        ),
        "tutorial" => list(&lesson()),
        "ui" => ui::section(),
        "rules" => text("How the game is played, in Markdown."),
        "allow" => allow(),
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
                properties.insert((*argument).to_owned(), argument_schema(operation, argument));
            }
            // The payload fields of an event stand next to `emit`.
            json!({
                "type": "object",
                "required": [operation],
                "properties": properties,
                "additionalProperties": *operation == "emit",
            })
        })
        .collect();
    let names: Vec<&str> = OPERATIONS.iter().map(|(operation, _)| *operation).collect();
    json!({
        "description": "A statement: an object with one operation, a call of a proc, or the name of a proc without arguments.",
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"$ref": "#/$defs/statement"}},
            {"anyOf": operations},
            // Without the names of operations, or every misspelt argument of an operation would pass as a call.
            {
                "type": "object",
                "description": "A call of a proc, or the form {op: …}.",
                "minProperties": 1,
                "propertyNames": {"not": {"enum": names}},
            },
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
        "resolve" => one_of(&["top", "all"]),
        _ => expression(),
    }
}

fn argument_schema(operation: &str, argument: &str) -> Value {
    match argument {
        // The dice to keep.
        "keep" if operation == "roll" => expression(),
        "then" | "else" | "do" | "instead" => reference("statements"),
        "cases" => named(&reference("statements")),
        "how" => one_of(&["one", "each", "any"]),
        "at" => one_of(&["top", "bottom"]),
        "part" => one_of(&["costs", "effects", "all"]),
        "pot" => one_of(&["winners", "split", "burn", "refund"]),
        "ask" => one_of(&["always"]),
        "pass" => json!({
            "anyOf": [boolean(), object("Passing has a name.", &[("title", text("What passing does."))])],
        }),
        "empty" | "order" | "secret" | "keep" => boolean(),
        "onPrevented" => one_of(&["drop", "propagate"]),
        "as" | "collect" | "label" | "title" | "kind" | "for" | "until" => text(""),
        "with" => named(&expression()),
        _ => expression(),
    }
}

fn property() -> Value {
    let mut keys = state_keys();
    keys.extend([("type", type_ref()), ("derived", expression()), ("index", boolean())]);
    object("A property.", &keys)
}

fn resource() -> Value {
    let mut keys = state_keys();
    keys.push(("of", text("The kind that has it.")));
    object("A number that rules spend and gain.", &keys)
}

fn state_keys() -> Vec<(&'static str, Value)> {
    vec![
        ("default", expression()),
        ("min", expression()),
        ("max", expression()),
        ("mod", boolean()),
        ("visible", expression()),
        ("resets", object("When it is reset.", &[("when", reference("pattern")), ("to", expression())])),
        ("ResetsOn", text("The event that resets it.")),
        ("to", expression()),
    ]
}

fn target() -> Value {
    let bounds = [("count", expression()), ("min", expression()), ("max", expression())];
    let mut selector = vec![
        ("zone", text("The zone to choose from.")),
        ("controller", one_of(&["self", "opponent", "any"])),
        ("kind", text("The kind to choose.")),
    ];
    selector.extend(bounds.clone());
    let mut keys = vec![
        ("id", text("The name the target gets.")),
        ("from", expression()),
        ("selector", object("Entities of a zone.", &selector)),
        ("title", text("The question.")),
        ("optional", boolean()),
        ("recheck", boolean()),
    ];
    keys.extend(bounds);
    object("Something to choose before the effects.", &keys)
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
                        ("oncePerTurn", boolean()),
                        ("oncePerSource", boolean()),
                        ("maxPerEvent", integer()),
                    ],
                ),
            ),
            ("oncePerTurn", boolean()),
            ("oncePerSource", boolean()),
            ("maxPerEvent", integer()),
            ("conditions", list(&expression())),
            ("prevention_conditions", list(&expression())),
            ("may", boolean()),
            ("relevant", expression()),
            ("auto", expression()),
            ("costs", reference("statements")),
            ("targets", list(&reference("target"))),
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
            ("ui", ui::of("reaction")),
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
            ("targets", list(&reference("target"))),
            ("effects", reference("statements")),
            ("finally", reference("statements")),
            ("optional", list(&optional_cost())),
            ("recheck", boolean()),
            ("refund", one_of(&["prevented"])),
            ("preventable", boolean()),
            (
                "manipulation",
                object(
                    "The drag gesture that stands for the action.",
                    &[("drag", text("`self`, a target or a zone.")), ("onto", text("A target or a zone."))],
                ),
            ),
            ("modes", list(&mode())),
            ("tags", list(&text("A tag."))),
            ("description", text("One sentence for players.")),
            ("abstract", boolean()),
            ("extends", text("An action.")),
            ("hint", text("How to make it possible.")),
            ("ui", ui::of("action")),
        ],
    )
}

fn optional_cost() -> Value {
    object(
        "A cost that players may pay.",
        &[
            ("id", text("Its name.")),
            ("title", text("What players read.")),
            ("costs", reference("statements")),
        ],
    )
}

fn mode() -> Value {
    object(
        "One of several variants of an action.",
        &[
            ("id", text("Its name.")),
            ("title", text("What players read.")),
            ("preconditions", list(&expression())),
            ("costs", reference("statements")),
            ("targets", list(&reference("target"))),
            ("effects", reference("statements")),
            ("finally", reference("statements")),
        ],
    )
}

fn phase() -> Value {
    let keys = [("id", text("Its id.")), ("mandatory", boolean())];
    let steps = list(&object("A step.", &keys));
    object("A phase.", &[&keys[..], &[("steps", steps)]].concat())
}

fn lesson() -> Value {
    object(
        "A text shown until an event happens.",
        &[
            ("id", text("Its name.")),
            ("say", text("The text.")),
            ("question", text("The question it is shown with.")),
            ("if", expression()),
            ("highlight", expression()),
            ("until", reference("pattern")),
        ],
    )
}

fn message() -> Value {
    object(
        "Something of the ruleset's own protocol: one of at, asked, after, answers, drafts, does.",
        &[
            ("at", one_of(&["start", "error"])),
            ("asked", text("The question a player is asked.")),
            ("after", text("The event a player has seen.")),
            ("if", expression()),
            ("fields", named(&expression())),
            ("answers", text("The question it answers.")),
            ("drafts", text("The question it drafts an answer to.")),
            ("does", one_of(&["join_queue", "leave_queue", "concede"])),
            ("from", text("The key the answer is under.")),
            ("for", named(&expression())),
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
            ("layer", integer()),
            ("id", text("The modifier's name.")),
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
        ("ui", ui::of("def")),
        ("kind", text("The kind of entity it makes.")),
        ("props", named(&expression())),
        ("traits", list(&json!({"anyOf": [text("A trait."), named(&expression())]}))),
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

// A key without a value stands for an empty list or object, hence "null".

fn list(items: &Value) -> Value {
    json!({"type": ["array", "null"], "items": items})
}

/// Returns the schema of an object whose keys the author chooses.
fn named(items: &Value) -> Value {
    json!({"type": ["object", "null"], "additionalProperties": items})
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

fn allow() -> Value {
    json!({
        "type": "object",
        "description": "Warnings to suppress, each with a reason.",
        "additionalProperties": {"type": "string"},
    })
}

/// Returns the schema of an object with these keys and those common to all declarations.
fn object(description: &str, keys: &[(&str, Value)]) -> Value {
    let common = [
        ("name", text("What players read.")),
        ("text", text("What players read; `{field}` stands for a field.")),
        ("allow", allow()),
    ];
    let properties: Map<String, Value> =
        keys.iter().chain(&common).map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    json!({
        "type": ["object", "null"],
        "description": description,
        "properties": properties,
        "additionalProperties": false,
    })
}
