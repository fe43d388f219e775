//! Language server for ruleset files, over the [Language Server Protocol](https://microsoft.github.io/language-server-protocol/).
//!
//! [`run`] serves one client on standard input and output. `workspace` keeps the open files and compiles the rulesets
//! they belong to; `features` answers questions about them. Everything it knows about the language comes from the compiler.

mod features;
mod positions;
mod workspace;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use workspace::Workspace;

/// Types of semantic tokens, in the order of their numbers.
const TOKEN_TYPES: &[&str] = &[
    "keyword",
    "type",
    "class",
    "event",
    "function",
    "method",
    "property",
    "variable",
    "enumMember",
    "parameter",
];

/// Serves one client on standard input and output until it disconnects.
///
/// # Errors
/// If the client breaks the protocol.
pub fn run() -> Result<(), Box<dyn std::error::Error + Sync + Send>> {
    let (connection, threads) = Connection::stdio();
    serve(&connection)?;
    drop(connection);
    threads.join()?;
    Ok(())
}

/// Serves one client.
///
/// # Errors
/// If the client breaks the protocol.
pub fn serve(connection: &Connection) -> Result<(), Box<dyn std::error::Error + Sync + Send>> {
    connection.initialize(capabilities())?;
    let mut workspace = Workspace::default();
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(());
                }
                connection.sender.send(Message::Response(respond(&mut workspace, request)))?;
            }
            Message::Notification(notification) => {
                for (uri, diagnostics) in notify(&mut workspace, &notification) {
                    let params = json!({"uri": uri, "diagnostics": diagnostics});
                    let method = "textDocument/publishDiagnostics".to_owned();
                    connection.sender.send(Message::Notification(Notification { method, params }))?;
                }
            }
            Message::Response(_) => {}
        }
    }
    Ok(())
}

fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 1, "save": true},
        "completionProvider": {"triggerCharacters": [".", ":", " ", "{", "["]},
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": {"prepareProvider": true},
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix"]},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": ["declaration"]},
            "full": true,
        },
    })
}

fn respond(workspace: &mut Workspace, request: Request) -> Response {
    let Request { id, method, params } = request;
    let result = match method.as_str() {
        "textDocument/completion" => features::completion(workspace, &params),
        "textDocument/hover" => features::hover(workspace, &params),
        "textDocument/definition" => features::definition(workspace, &params),
        "textDocument/references" => features::references(workspace, &params),
        "textDocument/prepareRename" => features::prepare_rename(workspace, &params),
        "textDocument/rename" => match features::rename(workspace, &params) {
            Ok(edit) => Some(edit),
            Err(reason) => return failure(id, ErrorCode::InvalidParams, reason),
        },
        "textDocument/documentSymbol" => features::document_symbols(workspace, &params),
        "textDocument/foldingRange" => features::folding_ranges(workspace, &params),
        "textDocument/formatting" => features::formatting(workspace, &params),
        "textDocument/codeAction" => features::code_actions(workspace, &params),
        "textDocument/semanticTokens/full" => features::semantic_tokens(workspace, &params),
        _ => return failure(id, ErrorCode::MethodNotFound, format!("unknown request `{method}`")),
    };
    Response { id, result: Some(result.unwrap_or(Value::Null)), error: None }
}

fn failure(id: RequestId, code: ErrorCode, message: String) -> Response {
    Response::new_err(id, code as i32, message)
}

/// Applies a notification. Returns the diagnostics of every file that it may have changed.
fn notify(workspace: &mut Workspace, notification: &Notification) -> Vec<(String, Value)> {
    let params = &notification.params;
    let Some(uri) = params["textDocument"]["uri"].as_str() else { return Vec::new() };
    match notification.method.as_str() {
        "textDocument/didOpen" => {
            workspace.open(uri, params["textDocument"]["text"].as_str().unwrap_or_default());
        }
        "textDocument/didChange" => {
            let changes = params["contentChanges"].as_array();
            let last = changes.and_then(|changes| changes.last()?["text"].as_str());
            workspace.open(uri, last.unwrap_or_default());
        }
        "textDocument/didSave" => {}
        "textDocument/didClose" => workspace.close(uri),
        _ => return Vec::new(),
    }
    workspace.diagnostics(uri)
}
