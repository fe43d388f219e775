//! Language server for ruleset files, over the [Language Server Protocol](https://microsoft.github.io/language-server-protocol/).
//!
//! [`run`] serves one client on standard input and output, [`ask`] answers one question about files in memory. `workspace` keeps
//! the open files and compiles the rulesets they belong to; the other modules answer questions about them, one function per
//! question. Everything they know about the language comes from the compiler.

mod completion;
mod fixes;
mod hover;
mod names;
mod outline;
mod positions;
mod scenario_checks;
mod workspace;

use std::path::Path;
use std::sync::mpsc::Sender;

use intermezzo_compiler::complete::Completion;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

use scenario_checks::ScenarioJob;
use workspace::{Workspace, path_of, uri_of};

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
    let sender = connection.sender.clone();
    let checks = scenario_checks::start(move |uri, diagnostics| {
        // A client that is gone needs no diagnostics.
        let _ = sender.send(published(&uri, &diagnostics));
    });
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(());
                }
                connection.sender.send(Message::Response(respond(&mut workspace, request)))?;
            }
            Message::Notification(notification) => {
                for (uri, diagnostics) in notify(&mut workspace, &checks, &notification) {
                    connection.sender.send(published(&uri, &diagnostics))?;
                }
            }
            Message::Response(_) => {}
        }
    }
    Ok(())
}

fn published(uri: &str, diagnostics: &Value) -> Message {
    let params = json!({"uri": uri, "diagnostics": diagnostics});
    Message::Notification(Notification { method: "textDocument/publishDiagnostics".to_owned(), params })
}

/// The folder of files in memory.
const IN_MEMORY: &str = "/files of a ruleset in memory";

/// Returns what can be written at a place in one of several files that exist only in memory. Line and column count from 1, the
/// column in characters.
#[must_use]
pub fn complete<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f str)>,
    file: &str,
    line: u32,
    column: u32,
) -> Option<Completion> {
    let mut workspace = in_memory(files);
    let uri = uri_of(&Path::new(IN_MEMORY).join(file));
    let text = workspace.text(&uri)?;
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let content = text[start..].lines().next().unwrap_or_default();
    let width = content.char_indices().nth(column.saturating_sub(1) as usize);
    let at = start + width.map_or(content.len(), |(at, _)| at);
    completion::candidates(&mut workspace, &uri, &text, at)
}

fn in_memory<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Workspace {
    let mut workspace = Workspace::default();
    for (path, text) in files {
        workspace.open(&uri_of(&Path::new(IN_MEMORY).join(path)), text);
    }
    workspace
}

/// Answers one question of the protocol, such as `textDocument/hover`, about files that exist only in memory: paths relative to the
/// folder of the ruleset, and texts. `params` are those of the protocol without the document, which is `file`. Places in the
/// answer have paths in place of URIs.
///
/// # Errors
/// If the question is not known, or cannot be answered, as a text for people.
pub fn ask<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f str)>,
    method: &str,
    file: &str,
    mut params: Value,
) -> Result<Value, String> {
    let mut workspace = in_memory(files);
    params["textDocument"] = json!({"uri": uri_of(&Path::new(IN_MEMORY).join(file))});
    let mut answer =
        answer(&mut workspace, method, &params).unwrap_or_else(|| Err("unknown question".to_owned()))?;
    shorten(&mut answer);
    Ok(answer)
}

/// Replaces the URIs of files in memory by their paths.
fn shorten(value: &mut Value) {
    let path = |uri: &str| {
        let path = path_of(uri)?;
        Some(path.strip_prefix(IN_MEMORY).ok()?.display().to_string())
    };
    match value {
        Value::String(text) => {
            if let Some(path) = path(text) {
                *text = path;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(entries) => {
            let short = std::mem::take(entries).into_iter().map(|(key, mut value)| {
                shorten(&mut value);
                (path(&key).unwrap_or(key), value)
            });
            entries.extend(short);
        }
        _ => {}
    }
}

fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 1, "save": true},
        "completionProvider": {"triggerCharacters": [".", ":", " ", "{", "["]},
        "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": {"prepareProvider": true},
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "source.bless"], "resolveProvider": true},
        "semanticTokensProvider": {
            "legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": ["declaration"]},
            "full": true,
        },
    })
}

fn respond(workspace: &mut Workspace, request: Request) -> Response {
    let Request { id, method, params } = request;
    match answer(workspace, &method, &params) {
        Some(Ok(result)) => Response { id, result: Some(result), error: None },
        Some(Err(reason)) => failure(id, ErrorCode::InvalidParams, reason),
        None => failure(id, ErrorCode::MethodNotFound, format!("unknown request `{method}`")),
    }
}

/// Answers a question; `None` if it is not known.
fn answer(workspace: &mut Workspace, method: &str, params: &Value) -> Option<Result<Value, String>> {
    let result = match method {
        "textDocument/completion" => completion::completion(workspace, params),
        "textDocument/signatureHelp" => completion::signature_help(workspace, params),
        "textDocument/hover" => hover::hover(workspace, params),
        "textDocument/definition" => names::definition(workspace, params),
        "textDocument/references" => names::references(workspace, params),
        "textDocument/documentHighlight" => names::highlights(workspace, params),
        "textDocument/prepareRename" => names::prepare_rename(workspace, params),
        "textDocument/rename" => return Some(names::rename(workspace, params)),
        "textDocument/documentSymbol" => outline::document_symbols(workspace, params),
        "workspace/symbol" => names::workspace_symbols(workspace, params),
        "textDocument/foldingRange" => outline::folding_ranges(workspace, params),
        "textDocument/formatting" => outline::formatting(workspace, params),
        "textDocument/codeAction" => fixes::code_actions(workspace, params),
        "codeAction/resolve" => fixes::resolve_action(workspace, params),
        "textDocument/semanticTokens/full" => outline::semantic_tokens(workspace, params),
        _ => return None,
    };
    Some(Ok(result.unwrap_or(Value::Null)))
}

fn failure(id: RequestId, code: ErrorCode, message: String) -> Response {
    Response::new_err(id, code as i32, message)
}

/// Returns the file of a request.
fn uri(params: &Value) -> &str {
    params["textDocument"]["uri"].as_str().unwrap_or_default()
}

/// Applies a notification. Returns the diagnostics of every file of rules that it may have changed, and has the open scenario
/// files checked.
fn notify(
    workspace: &mut Workspace,
    checks: &Sender<ScenarioJob>,
    notification: &Notification,
) -> Vec<(String, Value)> {
    let params = &notification.params;
    let uri = uri(params);
    if uri.is_empty() {
        return Vec::new();
    }
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
    for job in workspace.scenario_jobs(uri) {
        // The thread ends only with the server.
        let _ = checks.send(job);
    }
    workspace.diagnostics(uri)
}
