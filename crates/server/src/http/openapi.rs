//! The OpenAPI document, made from the table of operations.

use std::collections::BTreeMap;

use intermezzo_protocol::{Code, Problem};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::param::{self, Param};
use super::route::{Route, Twice, Who};
use super::schemas;

const ABOUT: &str = "Turn-based games whose rules are data. What goes wrong is always a problem with a stable `code`. \
What happens in a match also goes over a WebSocket: see /asyncapi.json.";

/// What the parts of the document are about.
const TAGS: &[(&str, &str)] = &[
    ("accounts", "Accounts and signing in"),
    ("rulesets", "Rulesets that are published"),
    ("lobby", "Matches before they start, and after"),
    ("play", "Matches that are being played"),
    ("watching", "What has happened in a match"),
    ("queue", "Waiting for others to play with, and who plays best"),
    ("server", "The server itself"),
    ("dev", "The workshop of a ruleset's author"),
];

/// The document of these operations.
pub(crate) fn document(routes: &[Route]) -> Value {
    let mut generator = schemas::generator();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in routes {
        let operation = operation(route, &mut generator);
        paths.entry(route.path).or_default().insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    let tags: Vec<Value> =
        TAGS.iter().map(|(name, about)| json!({"name": name, "description": about})).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Intermezzo",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas::components(&mut generator),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "the `token` of POST /accounts or POST /sessions",
                },
            },
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "tags": [route.tag],
        "summary": route.summary,
        "parameters": parameters(route),
        "responses": responses(route, generator),
        "security": security(route.who),
    });
    if let Some(takes) = &route.takes {
        let schema = schemas::value((takes.shape)(generator));
        operation["requestBody"] =
            json!({"required": takes.is_required, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// A name for programs: `postMatchesSeats`.
fn operation_id(route: &Route) -> String {
    let mut id = route.method.as_str().to_ascii_lowercase();
    for part in route.path.split(['/', '-', '.']) {
        let part = part.trim_start_matches('{').trim_end_matches('}');
        let mut letters = part.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.extend(letters);
    }
    id
}

fn security(who: Who) -> Value {
    match who {
        Who::Anybody => json!([]),
        Who::AnybodyKnown => json!([{}, {"token": []}]),
        Who::SignedIn => json!([{"token": []}]),
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut parameters = Vec::new();
    let places = route.places().filter_map(param::place);
    parameters.extend(places.map(|place| parameter(place, "path")));
    parameters.extend(route.query.iter().map(|param| parameter(param, "query")));
    if route.twice != Twice::Unheeded {
        parameters.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "description": "made up by the client, new for each command: the same key again has the same outcome",
            "schema": {"type": "string", "pattern": "^[!-.0-~]+$", "minLength": 1, "maxLength": 100},
        }));
    }
    if route.twice == Twice::Command {
        parameters.push(json!({
            "name": "If-Match",
            "in": "header",
            "description": "the version the client has seen, as `ETag` gave it; the command is refused if the match has gone on",
            "schema": {"type": "string", "pattern": "^\"[0-9]{1,15}\"$"},
        }));
    }
    parameters
}

fn parameter(param: &Param, place: &str) -> Value {
    json!({
        "name": param.name,
        "in": place,
        "required": place == "path",
        "description": param.about,
        "schema": param.kind.schema(),
    })
}

fn responses(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    responses.insert(route.gives.status.to_string(), success(route, generator));
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in route.all_codes() {
        by_status.entry(code.status()).or_default().push(code);
    }
    for (status, codes) in by_status {
        responses.insert(status.to_string(), problem(status, &codes, generator));
    }
    Value::Object(responses)
}

fn success(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut content = Map::new();
    for (media, shape) in &route.gives.bodies {
        let schema = shape.map_or(json!({}), |shape| schemas::value(shape(generator)));
        content.insert((*media).to_owned(), json!({"schema": schema}));
    }
    let description = if content.is_empty() { "done" } else { "as asked" };
    let mut response = json!({"description": description});
    if !content.is_empty() {
        response["content"] = Value::Object(content);
    }
    if route.gives.has_version {
        let about = "the viewer's version of the match, for `If-Match`";
        response["headers"] = json!({"ETag": {"description": about, "schema": {"type": "string"}}});
    }
    response
}

fn problem(status: u16, codes: &[Code], generator: &mut SchemaGenerator) -> Value {
    let codes: Vec<String> =
        codes.iter().map(|code| format!("`{}`: {}", code.name(), code.title())).collect();
    let schema = schemas::value(generator.subschema_for::<Problem>());
    let mut response = json!({
        "description": codes.join("; "),
        "content": {"application/problem+json": {"schema": schema}},
    });
    if matches!(status, 429 | 503) {
        let schema = json!({"type": "integer", "minimum": 1});
        response["headers"] = json!({"Retry-After": {"description": "seconds", "schema": schema}});
    }
    response
}
