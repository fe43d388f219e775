//! Messages: a ruleset's own words for its clients.
//!
//! What goes out is computed for one player, who may not learn more from it than from the view; see
//! [`sight`](super::sight).

use intermezzo_ruleset::{
    EventId, FieldValue, Incoming, Instr, Message, MessageField, Occasion, RoutineId, TypeId, Way, native,
};

use super::Checker;
use super::body::Mode;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::source::Span;
use crate::tree::{Entry, Node, Value};

/// More messages than any protocol has.
const MAX_MESSAGES: usize = 200;
/// More fields than any message has.
const MAX_FIELDS: usize = 100;
/// Longer than any name of a message or field.
const MAX_NAME: usize = 64;

/// What a message may say when it goes or what it means: one of them.
const OCCASIONS: [&str; 6] = ["at", "asked", "after", "answers", "drafts", "does"];
/// What may stand beside it.
const OUTGOING: [&str; 2] = ["fields", "if"];
/// What the host knows.
const HOST: [&str; 5] = ["name", "deadline", "match", "code", "message"];

/// What the fields of a message are made of.
struct About<'a> {
    /// The message, as routines are called.
    label: String,
    occasion: &'a Occasion,
    event: Option<EventId>,
}

impl Checker<'_> {
    /// Comes after all that a match runs: messages are about its events and questions.
    pub(crate) fn lower_messages(&mut self) {
        let Some(section) = self.merged.last("messages") else { return };
        let Some(entries) = section.as_map() else {
            let message = format!("`messages` is an object of messages, but this is {}", section.kind_name());
            self.wrong("E-TYPE", section.span, message);
            return;
        };
        for (at, entry) in entries.iter().enumerate() {
            if at == MAX_MESSAGES {
                let message = format!("a ruleset has at most {MAX_MESSAGES} messages");
                self.wrong("E-LIMIT", entry.key.span, message);
                return;
            }
            self.check_wire_name(entry, "a message");
            if let Some(way) = self.message_way(entry) {
                self.program.messages.push(Message { name: entry.key.value.clone(), way });
            }
        }
    }

    /// Clients may use any words, within reason.
    fn check_wire_name(&mut self, entry: &Entry, what: &str) {
        let name = &entry.key.value;
        let is_good = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_good) {
            let message = format!("`{name}` cannot be the name of {what}");
            let hint = format!("names are letters, digits, `_`, `-` and `.`, at most {MAX_NAME} of them");
            self.report(Diagnostic::error("E-NAME", entry.key.span, message).hint(hint));
        }
    }

    fn message_way(&mut self, entry: &Entry) -> Option<Way> {
        let node = &entry.value;
        let known: Vec<&str> = OCCASIONS.into_iter().chain(OUTGOING).chain(["from"]).collect();
        let keys = self.entries(node, "a message", &known);
        node.as_map()?;
        let given: Vec<&Entry> =
            keys.iter().filter(|entry| OCCASIONS.contains(&entry.key.value.as_str())).collect();
        let [occasion] = given[..] else {
            let message = match given[..] {
                [] => format!("a message needs one of `{}`", OCCASIONS.join("`, `")),
                _ => format!("a message has one of `{}`, not several", OCCASIONS.join("`, `")),
            };
            self.wrong("E-KEY", given.get(1).map_or(entry.key.span, |second| second.key.span), message);
            return None;
        };
        match occasion.key.value.as_str() {
            "answers" | "drafts" | "does" => self.incoming(node, occasion).map(Way::In),
            _ => self.outgoing(&entry.key.value, node, occasion),
        }
    }

    // --- coming in ---------------------------------------------------------------------

    fn incoming(&mut self, node: &Node, occasion: &Entry) -> Option<Incoming> {
        for key in OUTGOING {
            if let Some(entry) = node.entry(key) {
                let message = format!("a message that comes in has no `{key}`");
                self.wrong("E-KEY", entry.key.span, message);
            }
        }
        if occasion.key.value == "does" {
            if let Some(from) = node.entry("from") {
                self.wrong("E-KEY", from.key.span, "`from` is for messages that answer or draft");
            }
            let deeds = ["join_queue", "leave_queue", "concede"];
            return Some(match self.word(&occasion.value, "`does`", &deeds)? {
                "join_queue" => Incoming::JoinQueue,
                "leave_queue" => Incoming::LeaveQueue,
                _ => Incoming::Concede,
            });
        }
        let from = node.get("from").and_then(|from| self.text(from, "`from`"));
        let from = from.map(|from| from.value.clone());
        let question = self.question_named(&occasion.value, &format!("`{}`", occasion.key.value))?;
        if occasion.key.value == "answers" {
            return Some(Incoming::Answers { question, from });
        }
        let is_drafted = |choice: &&intermezzo_ruleset::Choice| choice.name == question;
        if self.program.choices.iter().filter(is_drafted).all(|choice| choice.draft.is_none()) {
            let message = format!("the question `{question}` takes no drafts");
            self.wrong("E-CHOOSE", occasion.value.span, message);
        }
        Some(Incoming::Drafts { question, from })
    }

    // --- going out ---------------------------------------------------------------------

    fn outgoing(&mut self, name: &str, node: &Node, occasion: &Entry) -> Option<Way> {
        if let Some(from) = node.entry("from") {
            self.wrong("E-KEY", from.key.span, "`from` is for messages that come in");
        }
        let mut tests: Vec<Expr> = Vec::new();
        let value = &occasion.value;
        let occasion = match occasion.key.value.as_str() {
            "at" if self.word(value, "`at`", &["start", "error"])? == "start" => Occasion::Start,
            "at" => Occasion::Error,
            "asked" => Occasion::Asked(self.question_named(value, "`asked`")?),
            _ => {
                let (event, alias) = self.event_pattern_named(value)?;
                self.check_told(event, value.span);
                tests.extend(alias);
                Occasion::After(event)
            }
        };
        let event = match occasion {
            Occasion::After(event) => Some(event),
            _ => None,
        };
        tests.extend(node.get("if").and_then(|test| self.node_expr(test)));
        let about = About { label: format!("messages.{name}"), occasion: &occasion, event };
        let condition = (!tests.is_empty()).then(|| self.message_test(&about, &tests));
        let fields = node.get("fields").map(|fields| self.message_fields(&about, fields)).unwrap_or_default();
        Some(Way::Out { occasion, condition, fields })
    }

    /// Some events of the engine are told to each player in part.
    fn check_told(&mut self, event: EventId, span: Span) {
        if [native::CREATED, native::SHUFFLED, native::EVENT_PREVENTED].contains(&event) {
            let name = self.world.event_by_id(event).0.to_owned();
            let message = format!("`{name}` is told to each player in part, so no message is about it");
            let hint = "emit an event of the ruleset, and send the message after that";
            self.report(Diagnostic::error("E-SECRET", span, message).hint(hint));
        }
    }

    fn message_fields(&mut self, about: &About<'_>, node: &Node) -> Vec<MessageField> {
        let Value::Map(entries) = &node.value else {
            let message = format!("`fields` is an object of fields, but this is {}", node.kind_name());
            self.wrong("E-TYPE", node.span, message);
            return Vec::new();
        };
        if let Some(entry) = entries.get(MAX_FIELDS) {
            self.wrong("E-LIMIT", entry.key.span, format!("a message has at most {MAX_FIELDS} fields"));
        }
        let mut fields = Vec::new();
        for entry in entries.iter().take(MAX_FIELDS) {
            self.check_wire_name(entry, "a field");
            if entry.key.value == "type" {
                self.wrong("E-NAME", entry.key.span, "`type` is the name of the message itself");
            }
            if let Some(value) = self.field_value(about, entry) {
                fields.push(MessageField { name: entry.key.value.clone(), value });
            }
        }
        fields
    }

    fn field_value(&mut self, about: &About<'_>, entry: &Entry) -> Option<FieldValue> {
        match entry.value.get("host") {
            Some(what) => self.host_value(about, entry, what),
            None => {
                let (routine, ty) = self.message_value(about, &entry.key.value, &entry.value);
                Some(FieldValue::Computed { routine, ty })
            }
        }
    }

    /// `{host: name, of: player}` and the like.
    fn host_value(&mut self, about: &About<'_>, entry: &Entry, what: &Node) -> Option<FieldValue> {
        self.entries(&entry.value, "what the host fills in", &["host", "of"]);
        let word = self.word(what, "`host`", &HOST)?;
        if word == "name" {
            let you = Node {
                span: what.span,
                value: Value::Text(crate::tree::Text::straight("you", what.span.file, 0)),
            };
            let player = entry.value.get("of").unwrap_or(&you);
            return Some(FieldValue::PlayerName(self.named_player(about, &entry.key.value, player)));
        }
        if let Some(of) = entry.value.entry("of") {
            self.wrong("E-KEY", of.key.span, "`of` says whose `name` it is");
        }
        let (value, needs) = match word {
            "match" => return Some(FieldValue::MatchId),
            "deadline" => (FieldValue::Deadline, "asked"),
            "code" => (FieldValue::Code, "at: error"),
            _ => (FieldValue::Reason, "at: error"),
        };
        let fits = match about.occasion {
            Occasion::Asked(_) => word == "deadline",
            Occasion::Error => word != "deadline",
            _ => false,
        };
        if !fits {
            let message = format!("only a message with `{needs}` has a `{word}`");
            self.wrong("E-KEY", what.span, message);
            return None;
        }
        Some(value)
    }

    // --- code --------------------------------------------------------------------------

    /// Starts the code of a field: its parameters are `you`, and the payload after an event.
    fn begin_message(&mut self, about: &About<'_>, part: &str) -> (RoutineId, super::body::Body) {
        let routine = self.reserve_routine(&format!("{}.{part}", about.label));
        let outer = self.begin(routine, Mode::Pure);
        let you = self.add_param("you", Ty::PLAYER);
        self.body.you = Some(you);
        if let Some(event) = about.event {
            self.bind_payload(event);
            self.body.told = self.body.binding("event").map(|event| event.reg);
        }
        (routine, outer)
    }

    fn message_test(&mut self, about: &About<'_>, tests: &[Expr]) -> RoutineId {
        let (routine, outer) = self.begin_message(about, "if");
        let (no, known) = self.all_hold(tests);
        let value = self.constant(1);
        self.emit(Instr::Return { value });
        self.body.land(&no);
        let value = self.constant(0);
        self.emit(Instr::Return { value });
        self.body.facts.truncate(known);
        self.finish(outer);
        self.check_secrets(routine);
        routine
    }

    fn message_value(&mut self, about: &About<'_>, name: &str, node: &Node) -> (RoutineId, TypeId) {
        let (routine, outer) = self.begin_message(about, name);
        let value = self.node_value(node);
        let value = if Self::is_listlike(&value.ty) { self.as_list(value) } else { value };
        self.emit(Instr::Return { value: value.reg });
        let ty = self.type_id(&value.ty);
        self.finish(outer);
        let is_told = self.check_secrets(routine);
        if is_told && self.holds_entities(&value.ty) {
            let message =
                format!("this is {}, and messages name no entities but players", self.world.show(&value.ty));
            let hint = "say what is to be told of them: `you.hand.map(it.name)`";
            self.report(Diagnostic::error("E-TYPE", node.span, message).hint(hint));
        }
        (routine, ty)
    }

    fn named_player(&mut self, about: &About<'_>, name: &str, node: &Node) -> RoutineId {
        let (routine, outer) = self.begin_message(about, name);
        let value = self.node_as(node, &Ty::PLAYER.maybe());
        self.emit(Instr::Return { value });
        self.finish(outer);
        self.check_secrets(routine);
        routine
    }

    /// Refuses what `you` may not see; whether there was nothing of that.
    fn check_secrets(&mut self, routine: RoutineId) -> bool {
        let secrets = self.secrets_of(routine);
        for (span, secret) in &secrets {
            let message = format!("`you` may not see this: {}", secret.why);
            let mut diagnostic = Diagnostic::error("E-SECRET", *span, message);
            if secret.span != *span {
                diagnostic = diagnostic.related(secret.span, "it is read here");
            }
            self.report(diagnostic.hint(
                "a message may say what everyone sees, what only the owner sees of `you` itself, and how many are in a zone",
            ));
        }
        secrets.is_empty()
    }
}
