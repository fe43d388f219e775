//! The AsyncAPI document of the WebSocket, generated from the frame types.

use intermezzo_protocol::{ClientFrame, ServerFrame, WireVersion};
use serde_json::{Value, json};

use super::schemas;

const ABOUT: &str = "JSON text frames, one object each. The client first sends `hello`, then receives the frames of \
the match. Every command has a `commandId` chosen by the client; the server answers it with `ack` or `error`.";

/// Returns the AsyncAPI document.
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
                "description": format!(
                    "WebSocket with the subprotocol `{}`, or `{}` for clients of version 1",
                    WireVersion::V2.subprotocol(),
                    WireVersion::V1.subprotocol()
                ),
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
                "summary": "Frames from clients",
                "channel": {"$ref": "#/channels/match"},
                "messages": [{"$ref": "#/channels/match/messages/fromClient"}],
            },
            "receive": {
                "action": "send",
                "summary": "Frames from the server",
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
