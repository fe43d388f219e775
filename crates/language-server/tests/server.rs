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

const SCENARIOS: &str = "\
ignore: [Changed]
scenarios:
  - name: a knight is worth three
    start:
      - ...
      - Created: {def: knight}
      - Scored: {player: p0, amount: 4}
      - ...
  - name: points count
    given: [{set: {p1.score: 2}}]
    play:
      - expect: {p1.score: 2}
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
        std::fs::create_dir_all(folder.join("scenarios")).expect("a folder");
        std::fs::write(folder.join("scenarios/all.yaml"), SCENARIOS).expect("a file");
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
        let name = match uri.rsplit_once("/scenarios/") {
            Some((_, name)) => format!("scenarios/{name}"),
            None => uri.rsplit('/').next().expect("a name").to_owned(),
        };
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

    /// Waits for diagnostics of a file that come from the background.
    fn wait(&mut self, file: &str) -> Value {
        self.diagnostics.remove(file);
        while !self.diagnostics.contains_key(file) {
            match self.connection.receiver.recv().expect("a message") {
                Message::Notification(notification) => self.note(&notification),
                _ => panic!("only notifications are expected"),
            }
        }
        self.diagnostics[file].clone()
    }

    /// Opens a scenario file. Returns its diagnostics once its scenarios are played.
    fn open_scenarios(&mut self, text: &str) -> Value {
        let file = "scenarios/all.yaml";
        let document = json!({"uri": self.uri(file), "languageId": "yaml", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        self.wait(file)
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
        let items = found["items"].as_array().cloned().unwrap_or_default();
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

#[test]
fn names_come_from_a_text_that_never_compiled() {
    let mut client = Client::new("broken");
    let wrong = FLOW.replace("{emit: Scored", "{emit: Nothing");
    let labels = client.labels("b.yaml", &wrong.replace("create: knight", "create: |"));
    assert!(labels.contains(&"knight".to_owned()), "{labels:?}");
}

#[test]
fn half_written_files_keep_their_names_and_members() {
    let mut client = Client::new("half");
    client.open("b.yaml", FLOW);
    // The line is not closed, so the file cannot be read.
    for marked in [
        FLOW.replace("- {set: {made.power: 3}}", "- {set: {made.|"),
        FLOW.replace("- {set: {made.power: 3}}", "- {if: \"made.|"),
        FLOW.replace("- {set: {made.power: 3}}", "- set: {match.x: made.|"),
    ] {
        let labels = client.labels("b.yaml", &marked);
        let has = |label: &str| labels.iter().any(|one| one == label);
        assert!(has("power") && !has("score"), "{marked}: {labels:?}");
    }
    let labels = client.labels(
        "b.yaml",
        &FLOW.replace("{emit: Scored, player: who, amount: total}", "{emit: Scored, player: |"),
    );
    assert!(labels.contains(&"who".to_owned()), "a local: {labels:?}");
    let broken = FLOW.replace("amount: total}", "amount: [total}");
    assert_eq!(client.open("b.yaml", &broken)[0]["code"], "E-YAML");
    let file = json!({"textDocument": {"uri": client.uri("b.yaml")}});
    let symbols = client.ask("textDocument/documentSymbol", file);
    assert!(symbols.as_array().expect("a list").iter().any(|symbol| symbol["name"] == "reward"), "{symbols}");
    let params = client.at("b.yaml", &broken, "create: knight", 9);
    assert_eq!(client.ask("textDocument/definition", params)[0]["uri"], client.uri("a.yaml"));
    // Renaming needs all files.
    let mut params = client.at("b.yaml", &broken, "create: knight", 9);
    params["newName"] = json!("rider");
    assert!(client.try_ask("textDocument/rename", params).error.is_some());
}

#[test]
fn scenarios_are_completed_checked_and_played() {
    let mut client = Client::new("scenarios");
    assert_eq!(client.open_scenarios(SCENARIOS), json!([]));
    let mistaken = client.open_scenarios(&SCENARIOS.replace("Scored: {player: p0, amount: 4}", "Scord: {}"));
    assert!(
        mistaken[0]["message"].as_str().expect("a text").contains("did you mean `Scored`?"),
        "{mistaken}"
    );
    let failing = client.open_scenarios(&SCENARIOS.replace("amount: 4", "amount: 5"));
    assert_eq!(failing[0]["code"], "scenario", "{failing}");
    assert_eq!(failing[0]["range"]["start"]["line"], 3, "{failing}");
    let typo = client.open_scenarios(&SCENARIOS.replace("expect: {p1.score", "expect: {p1.scor"));
    assert_eq!(typo[0]["code"], "E-PROP", "{typo}");
    let mut labels = |marked: String| {
        let params = client.at("scenarios/all.yaml", &marked, "|", 0);
        client.open_scenarios(&marked.replace('|', ""));
        let found = client.ask("textDocument/completion", params);
        let items = found["items"].as_array().expect("items").clone();
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect::<Vec<_>>()
    };
    assert!(
        labels(SCENARIOS.replace("Scored: {player: p0, amount: 4}", "Scored: {|}"))
            .contains(&"amount".to_owned())
    );
    assert!(labels(SCENARIOS.replace("expect: {p1.score", "expect: {p1.|")).contains(&"score".to_owned()));
    assert!(labels(format!("{SCENARIOS}        |\n")).contains(&"pending".to_owned()));
    assert!(labels(format!("{SCENARIOS}        |\n")).contains(&"p1".to_owned()));
}

#[test]
fn listings_of_scenarios_are_filled_in() {
    let mut client = Client::new("bless");
    let empty = SCENARIOS.replace(
        "start:\n      - ...\n      - Created: {def: knight}\n      - Scored: {player: p0, amount: 4}\n      - ...\n",
        "start:\n",
    );
    assert_ne!(empty, SCENARIOS);
    client.open_scenarios(&empty);
    let at = client.at("scenarios/all.yaml", &empty, "start", 1)["position"].clone();
    let uri = client.uri("scenarios/all.yaml");
    let params = json!({"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}});
    let actions = client.ask("textDocument/codeAction", params);
    let done = client.ask("codeAction/resolve", actions[0].clone());
    let text = done["edit"]["changes"][&uri][0]["newText"].as_str().expect("a text");
    assert!(text.contains("- Scored: {player: p0, amount: 4}"), "{text}");
}

#[test]
fn names_in_scenarios_belong_to_the_rules() {
    let mut client = Client::new("everywhere");
    client.open("b.yaml", FLOW);
    client.open_scenarios(SCENARIOS);
    let params = client.at("scenarios/all.yaml", SCENARIOS, "Scored", 2);
    assert_eq!(client.ask("textDocument/definition", params)[0]["uri"], client.uri("a.yaml"));
    for (word, new) in
        [("knight: {kind", "rider"), ("score: {type", "points"), ("Scored:", "Won"), ("amount: int}", "sum")]
    {
        let mut params = client.at("a.yaml", RULES, word, 1);
        params["newName"] = json!(new);
        let edit = client.ask("textDocument/rename", params);
        let changes = edit["changes"].as_object().expect("changes");
        assert!(changes.contains_key(&client.uri("scenarios/all.yaml")), "{word}: {edit}");
    }
    // A field is renamed in the text of its event, too.
    let mut params = client.at("a.yaml", RULES, "amount: int}", 1);
    params["newName"] = json!("sum");
    let edit = client.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][client.uri("a.yaml")].as_array().expect("edits").len(), 3, "{edit}");
}

#[test]
fn the_name_of_an_action_is_not_one_of_its_targets() {
    let mut client = Client::new("targets");
    let flow = format!(
        "{FLOW}actions:\n  - id: stings\n    timing: instant\n    targets: [{{id: victim, from: players}}]\n    effects: [{{reward: victim, amount: 1}}]\n"
    );
    client.open("b.yaml", &flow);
    let params = client.at("b.yaml", &flow, "stings", 2);
    let hover = client.ask("textDocument/hover", params);
    assert!(
        hover["contents"]["value"].as_str().expect("a text").starts_with("action **`stings`**"),
        "{hover}"
    );
}

#[test]
fn words_of_expressions_and_modifiers_are_explained() {
    let rules = RULES.replace("{type: int, default: 1}", "{type: int, default: 1, mod: true}")
        + "modifiers: [{id: blessed, of: card.power, add: 2, if: it.owner == players.first!}]\n";
    let mut client = Client::new("words");
    client.open("a.yaml", &rules);
    let mut text = |word: &str, offset: usize| {
        let params = client.at("a.yaml", &rules, word, offset);
        client.ask("textDocument/hover", params)["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let prop = text("power: {type", 1);
    assert!(prop.contains("property") && prop.contains("id: blessed, add: 2"), "{prop}");
    assert!(text("first!", 1).contains("the first item"), "{}", text("first!", 1));
    assert!(text("owner ==", 1).contains("its owner"), "{}", text("owner ==", 1));
    assert!(text("players.first", 1).contains("all players by seat"), "{}", text("players.first", 1));
}

#[test]
fn calls_show_their_parameters() {
    let mut client = Client::new("signature");
    let flow = FLOW.replace("total: amount + 1", "total: \"max(amount, 1)\"");
    client.open("b.yaml", &flow);
    let params = client.at("b.yaml", &flow, "1)", 0);
    let help = client.ask("textDocument/signatureHelp", params);
    assert_eq!(help["signatures"][0]["label"], "max(a, b, …)", "{help}");
    assert_eq!(help["activeParameter"], 1);
}

#[test]
fn warnings_can_be_allowed_with_a_reason() {
    let mut client = Client::new("allow");
    let unused = format!("{FLOW}functions:\n  idle:\n    returns: int\n    is: 3\n");
    let found = client.open("b.yaml", &unused);
    let first =
        found.as_array().expect("a list").iter().find(|one| one["code"] == "W-UNUSED").expect("a warning");
    let uri = client.uri("b.yaml");
    let params =
        json!({"textDocument": {"uri": uri}, "range": first["range"], "context": {"diagnostics": []}});
    let actions = client.ask("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert_eq!(edit["newText"], "\n    allow: {W-UNUSED: say why this is fine}", "{actions}");
}

#[test]
fn other_files_are_left_alone() {
    let mut client = Client::new("other");
    for file in ["a.yaml", "b.yaml", "scenarios/all.yaml"] {
        std::fs::remove_file(client.folder.join(file)).expect("the file is removed");
    }
    let compose = "services:\n  web:\n    image: nginx\n";
    assert_eq!(client.open("compose.yaml", compose), json!([]));
    let params = client.at("compose.yaml", compose, "image", 1);
    assert_eq!(client.ask("textDocument/hover", params), Value::Null);
    // A new file gets help with its first key.
    let labels = client.labels("new.yaml", "ru|");
    assert!(labels.is_empty(), "the other file is no ruleset, so this one is none either: {labels:?}");
    std::fs::create_dir_all(client.folder.join("fresh")).expect("a folder");
    let labels = client.labels("fresh/rules.yaml", "ru|");
    assert!(labels.contains(&"ruleset".to_owned()), "{labels:?}");
}
