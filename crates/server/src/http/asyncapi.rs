//! The AsyncAPI document of the WebSocket, made from the types of its frames.

use intermezzo_protocol::{ClientFrame, SUBPROTOCOL, ServerFrame};
use serde_json::{Value, json};

use super::schemas;

const ABOUT: &str = "JSON text frames, one object each. The first is `hello`; then follow the frames of the match. \
Everything that changes a match has a `commandId` of the client's, and is answered by `ack` or `error`.";

/// The document of `/ws`.
pub(crate) fn document() -> Value {
    let mut generator = schemas::generator();
    let from_client = schemas::value(generator.subschema_for::<ClientFrame>());
    let from_server = schemas::value(generator.subschema_for::<ServerFrame>());
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "Intermezzo",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {
            "match": {
                "address": "/ws",
                "description": format!("a WebSocket with the subprotocol `{SUBPROTOCOL}`"),
                "messages": {
                    "fromClient": {"$ref": "#/components/messages/fromClient"},
                    "fromServer": {"$ref": "#/components/messages/fromServer"},
                },
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
            },
        },
        "operations": {
            "send": {
                "action": "receive",
                "summary": "what clients send",
                "channel": {"$ref": "#/channels/match"},
                "messages": [{"$ref": "#/channels/match/messages/fromClient"}],
            },
            "receive": {
                "action": "send",
                "summary": "what the server sends",
                "channel": {"$ref": "#/channels/match"},
                "messages": [{"$ref": "#/channels/match/messages/fromServer"}],
            },
        },
        "components": {
            "messages": {
                "fromClient": {"name": "fromClient", "contentType": "application/json", "payload": from_client},
                "fromServer": {"name": "fromServer", "contentType": "application/json", "payload": from_server},
            },
            "schemas": schemas::components(&mut generator),
        },
    })
}
