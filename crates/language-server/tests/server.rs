//! A client that asks the server about a ruleset of two files.

use std::path::PathBuf;
use std::thread::JoinHandle;

use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};

const RULES: &str = "\
ir: 1
ruleset: {id: little, version: 0.1.0, uses: [core@1]}
players: {seats: 2, props: {score: {type: int, default: 0}}}
kinds: {card: {props: {power: {type: int, default: 1}}}}
zones:
  deck: {of: player, holds: card}
events:
  Scored:
    payload: {player: player, amount: int}
    apply: [{add: {event.player.score: event.amount}}]
    text: \"{player} scores {amount}\"
defs: {knight: {kind: card}}
";

const FLOW: &str = "\
procs:
  reward:
    params: {who: player, amount: int}
    do:
      - let: {total: amount + 1}
      - {emit: Scored, player: who, amount: total}
flow:
  - {create: knight, in: \"players[0].deck\", as: made}
  - {set: {made.power: 3}}
  - {reward: \"players[0]\", amount: made.power}
  - {end: normal}
";

/// A client with a server of its own and a folder with the ruleset.
struct Client {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    folder: PathBuf,
    next: i32,
    /// Diagnostics by file name, the latest of each.
    diagnostics: std::collections::BTreeMap<String, Value>,
}

impl Client {
    fn new(name: &str) -> Client {
        let folder = std::env::temp_dir().join(format!("intermezzo-lsp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("a.yaml"), RULES).expect("a file");
        std::fs::write(folder.join("b.yaml"), FLOW).expect("a file");
        let (here, there) = Connection::memory();
        let server =
            std::thread::spawn(move || intermezzo_language_server::serve(&there).expect("the server runs"));
        let mut client = Client {
            connection: here,
            server: Some(server),
            folder,
            next: 0,
            diagnostics: Default::default(),
        };
        let capabilities = client.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(capabilities["capabilities"]["hoverProvider"], true);
        client.tell("initialized", json!({}));
        client
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}", self.folder.join(file).display())
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.try_ask(method, params);
        assert!(response.error.is_none(), "{method}: {:?}", response.error);
        response.result.expect("a result")
    }

    fn try_ask(&mut self, method: &str, params: Value) -> Response {
        self.next += 1;
        let request = Request { id: self.next.into(), method: method.to_owned(), params };
        self.connection.sender.send(Message::Request(request)).expect("sent");
        loop {
            match self.connection.receiver.recv().expect("an answer") {
                Message::Response(response) => return response,
                Message::Notification(notification) => self.note(&notification),
                Message::Request(_) => panic!("the server asks nothing"),
            }
        }
    }

    fn note(&mut self, notification: &Notification) {
        let uri = notification.params["uri"].as_str().expect("a file");
        let name = uri.rsplit('/').next().expect("a name").to_owned();
        self.diagnostics.insert(name, notification.params["diagnostics"].clone());
    }

    fn tell(&self, method: &str, params: Value) {
        let notification = Notification { method: method.to_owned(), params };
        self.connection.sender.send(Message::Notification(notification)).expect("sent");
    }

    /// Opens a file with a text. Returns its diagnostics.
    fn open(&mut self, file: &str, text: &str) -> Value {
        let document = json!({"uri": self.uri(file), "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        // The answer to a request comes after the diagnostics.
        let folds = json!({"textDocument": {"uri": self.uri(file)}});
        self.ask("textDocument/foldingRange", folds);
        self.diagnostics.get(file).cloned().unwrap_or_default()
    }

    /// Returns the parameters of a question about the `nth` occurrence of a text in a file.
    fn at(&self, file: &str, text: &str, word: &str, offset: usize) -> Value {
        let found = text.find(word).unwrap_or_else(|| panic!("`{word}` is in the text")) + offset;
        let line = text[..found].matches('\n').count();
        let column = text[..found].rfind('\n').map_or(found, |at| found - at - 1);
        json!({"textDocument": {"uri": self.uri(file)}, "position": {"line": line, "character": column}})
    }

    /// Returns the labels offered at the `|` of a text.
    fn labels(&mut self, file: &str, text: &str) -> Vec<String> {
        let params = self.at(file, text, "|", 0);
        self.open(file, &text.replace('|', ""));
        let found = self.ask("textDocument/completion", params);
        let items = found["items"].as_array().expect("items").clone();
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
        if !std::thread::panicking() {
            self.ask("shutdown", Value::Null);
            self.tell("exit", Value::Null);
            self.server.take().expect("a server").join().expect("the server ends");
        }
    }
}

#[test]
fn mistakes_are_reported_while_typing_and_fixed_with_one_click() {
    let mut client = Client::new("diagnostics");
    assert_eq!(client.open("b.yaml", FLOW), json!([]));
    let wrong = FLOW.replace("emit: Scored", "emit: Scord");
    let found = client.open("b.yaml", &wrong);
    let first =
        found.as_array().expect("a list").iter().find(|found| found["severity"] == 1).expect("an error");
    assert_eq!(first["code"], "E-NAME");
    assert!(first["message"].as_str().expect("a text").contains("did you mean `Scored`?"), "{first}");
    let params = json!({"textDocument": {"uri": client.uri("b.yaml")}, "range": first["range"], "context": {"diagnostics": []}});
    let actions = client.ask("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][client.uri("b.yaml")][0];
    assert_eq!(edit["newText"], "Scored");
    assert_eq!(edit["range"], first["range"]);
    // A file that cannot be read as YAML still gets a diagnostic, and the others none.
    let broken = client.open("b.yaml", "flow: [{end: normal}\n");
    assert_eq!(broken[0]["code"], "E-YAML", "{broken}");
}

#[test]
fn keys_names_members_and_locals_are_completed() {
    let mut client = Client::new("completion");
    client.open("b.yaml", FLOW);
    let has = |labels: &[String], label: &str| labels.iter().any(|one| one == label);
    let keys = client.labels("b.yaml", &FLOW.replace("flow:\n", "flow:\n  - {move: x, |\n"));
    assert!(has(&keys, "to") && !has(&keys, "emit"), "{keys:?}");
    let members = client.labels("b.yaml", &FLOW.replace("amount: made.power", "amount: made.|"));
    assert!(has(&members, "power") && !has(&members, "score"), "the type is that of a card: {members:?}");
    let players = client.labels("b.yaml", &FLOW.replace("amount + 1", "who.|"));
    assert!(has(&players, "score") && !has(&players, "power"), "{players:?}");
    let events = client.labels("b.yaml", &FLOW.replace("emit: Scored", "emit: |"));
    assert!(has(&events, "Scored"), "{events:?}");
    let locals = client.labels("b.yaml", &FLOW.replace("amount: total", "amount: |"));
    assert!(has(&locals, "who"), "{locals:?}");
    let payload = client.labels("a.yaml", &RULES.replace("event.amount}", "event.|}"));
    assert!(has(&payload, "amount"), "{payload:?}");
}

#[test]
fn hovering_shows_keys_types_and_declarations() {
    let mut client = Client::new("hover");
    client.open("b.yaml", FLOW);
    let mut text = |file: &str, source: &str, word: &str, offset: usize| {
        let params = client.at(file, source, word, offset);
        client.ask("textDocument/hover", params)["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let key = text("b.yaml", FLOW, "create:", 1);
    assert!(key.contains("`create`") && key.contains("Makes an entity"), "{key}");
    let key = text("a.yaml", RULES, "holds", 1);
    assert!(key.contains("the kind it holds"), "{key}");
    let local = text("b.yaml", FLOW, "total}", 1);
    assert!(local.contains("local") && local.contains("int"), "{local}");
    let event = text("b.yaml", FLOW, "Scored", 1);
    assert!(event.contains("event **`Scored`**") && event.contains("payload"), "{event}");
}

#[test]
fn names_are_found_and_renamed_across_files() {
    let mut client = Client::new("rename");
    client.open("b.yaml", FLOW);
    let params = client.at("b.yaml", FLOW, "Scored", 2);
    let definition = client.ask("textDocument/definition", params.clone());
    assert_eq!(definition[0]["uri"], client.uri("a.yaml"));
    assert_eq!(definition[0]["range"]["start"], json!({"line": 7, "character": 2}));
    let mut params = client.at("a.yaml", RULES, "power", 1);
    params["context"] = json!({"includeDeclaration": true});
    let found = client.ask("textDocument/references", params);
    assert_eq!(found.as_array().expect("a list").len(), 3, "{found}");
    let mut params = client.at("b.yaml", FLOW, "made.power: 3", 6);
    params["newName"] = json!("strength");
    let edit = client.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][client.uri("a.yaml")].as_array().expect("edits").len(), 1);
    assert_eq!(edit["changes"][client.uri("b.yaml")].as_array().expect("edits").len(), 2);
    let mut params = client.at("b.yaml", FLOW, "total}", 1);
    params["newName"] = json!("sum");
    let edit = client.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][client.uri("b.yaml")].as_array().expect("edits").len(), 2, "{edit}");
    let mut params = client.at("b.yaml", FLOW, "Scored", 2);
    params["newName"] = json!("not a name");
    assert!(client.try_ask("textDocument/rename", params).error.is_some());
}

#[test]
fn files_have_symbols_folds_tokens_and_a_format() {
    let mut client = Client::new("file");
    client.open("b.yaml", &FLOW.replace("who: player,", "who:   player ,"));
    let file = json!({"textDocument": {"uri": client.uri("b.yaml")}, "options": {"tabSize": 2, "insertSpaces": true}});
    let symbols = client.ask("textDocument/documentSymbol", file.clone());
    assert!(symbols.as_array().expect("a list").iter().any(|symbol| symbol["name"] == "reward"), "{symbols}");
    let folds = client.ask("textDocument/foldingRange", file.clone());
    assert!(folds.as_array().expect("a list").contains(&json!({"startLine": 1, "endLine": 5})), "{folds}");
    let edits = client.ask("textDocument/formatting", file.clone());
    assert!(edits[0]["newText"].as_str().expect("a text").contains("{who: player, amount: int}"), "{edits}");
    let tokens = client.ask("textDocument/semanticTokens/full", file);
    let count = tokens["data"].as_array().expect("numbers").len();
    assert!(count > 50 && count.is_multiple_of(5), "{count}");
}
