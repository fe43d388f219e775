//! The OpenAPI document, generated from the route table.

use std::collections::BTreeMap;

use intermezzo_protocol::{Code, Problem};
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::param::{self, ParamSpec};
use super::route::{Access, Idempotency, Route};
use super::schemas;

const ABOUT: &str = "Match server for turn-based games whose rules are data. Errors are problems (RFC 9457) with a \
stable `code`. Matches can also be played over a WebSocket: see /asyncapi.json.";

/// Tags with their descriptions.
const TAGS: &[(&str, &str)] = &[
    ("accounts", "Accounts and sign-in"),
    ("rulesets", "Published rulesets"),
    ("lobby", "Matches before they start and after they end"),
    ("play", "Matches in progress"),
    ("watching", "History and replays"),
    ("queue", "Matchmaking, ratings and leaderboards"),
    ("server", "The server itself"),
    ("dev", "The playground for ruleset authors"),
];

/// Returns the OpenAPI document of the given routes.
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
                    "description": "The `token` returned by POST /accounts or POST /sessions",
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
        "security": security(route.access),
    });
    if let Some(body) = &route.request_body {
        let schema = schemas::value((body.schema)(generator));
        operation["requestBody"] =
            json!({"required": body.is_required, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// Returns the operation id, for example `postMatchesSeats`.
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

fn security(access: Access) -> Value {
    match access {
        Access::Public => json!([]),
        Access::OptionalToken => json!([{}, {"token": []}]),
        Access::Token => json!([{"token": []}]),
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut parameters = Vec::new();
    let in_path = route.path_params().filter_map(param::path_param);
    parameters.extend(in_path.map(|param| parameter(param, "path")));
    parameters.extend(route.query.iter().map(|param| parameter(param, "query")));
    if route.idempotency != Idempotency::None {
        parameters.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "description": "Chosen by the client, new for each command. The same key sent again has the same outcome",
            "schema": {"type": "string", "pattern": "^[!-.0-~]+$", "minLength": 1, "maxLength": 100},
        }));
    }
    if route.idempotency == Idempotency::Command {
        parameters.push(json!({
            "name": "If-Match",
            "in": "header",
            "description": "The version the client has seen (`ETag`). A command for an old version is rejected",
            "schema": {"type": "string", "pattern": "^\"[0-9]{1,15}\"$"},
        }));
    }
    parameters
}

fn parameter(param: &ParamSpec, location: &str) -> Value {
    json!({
        "name": param.name,
        "in": location,
        "required": location == "path",
        "description": param.about,
        "schema": param.kind.schema(),
    })
}

fn responses(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    responses.insert(route.success.status.to_string(), success(route, generator));
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
    for (media, schema) in &route.success.bodies {
        let schema = schema.map_or(json!({}), |schema| schemas::value(schema(generator)));
        content.insert((*media).to_owned(), json!({"schema": schema}));
    }
    let description = if content.is_empty() { "Done" } else { "Success" };
    let mut response = json!({"description": description});
    if !content.is_empty() {
        response["content"] = Value::Object(content);
    }
    if route.success.has_version {
        let about = "The viewer's version of the match, for `If-Match`";
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
        response["headers"] = json!({"Retry-After": {"description": "Seconds to wait", "schema": schema}});
    }
    response
}
