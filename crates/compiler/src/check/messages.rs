//! Custom messages: a ruleset's own protocol for its clients.
//!
//! Outgoing messages are computed for one player and may not reveal more than that player's view; see
//! [`visibility`](super::visibility).

use crate::grammar::presentation;
use intermezzo_program::{
    EventId, FieldValue, IncomingMessage, Instr, Message, MessageDirection, MessageFence, MessageField,
    MessageTrigger, RoutineId, TypeId, native,
};

use super::Checker;
use super::routine_builder::CodeMode;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::source::Span;
use crate::tree::{MapEntry, NodeValue, SourceNode};

const MAX_MESSAGES: usize = 200;
/// Maximum number of fields in a message.
const MAX_FIELDS: usize = 100;
/// Maximum length of the name of a message or field, in bytes.
const MAX_NAME: usize = 64;

/// Keys that say when a message is sent, or what an incoming one does. A message has exactly one of them.
const OCCASIONS: [&str; 6] = ["at", "asked", "after", "answers", "drafts", "does"];
/// Further keys of outgoing messages.
const OUTGOING: [&str; 2] = ["fields", "if"];
/// Further keys of incoming messages that answer or draft.
const INCOMING: [&str; 2] = ["from", "for"];

/// The message whose fields are being compiled.
struct MessageContext<'a> {
    /// The prefix of the names of its routines.
    label: String,
    /// `None` for an incoming message.
    occasion: Option<&'a MessageTrigger>,
    event: Option<EventId>,
}

impl Checker<'_> {
    /// Compiles the messages. Runs after everything a match runs, because messages refer to events and
    /// questions.
    pub(crate) fn lower_messages(&mut self) {
        let Some(section) = self.merged.last("messages") else { return };
        let Some(entries) = section.as_map() else {
            let message = format!("`messages` is an object of messages, but this is {}", section.kind_name());
            self.report_error("E-TYPE", section.span, message);
            return;
        };
        for (at, entry) in entries.iter().enumerate() {
            if at == MAX_MESSAGES {
                let message = format!("a ruleset has at most {MAX_MESSAGES} messages");
                self.report_error("E-LIMIT", entry.key.span, message);
                return;
            }
            self.check_wire_name(entry, "a message");
            if let Some(direction) = self.message_direction(entry) {
                self.program.messages.push(Message { name: entry.key.value.clone(), direction });
            }
        }
    }

    /// Checks a name that appears on the wire. It may use more characters than a name in rules.
    fn check_wire_name(&mut self, entry: &MapEntry, what: &str) {
        self.check_wire_text(&entry.key.value, entry.key.span, what);
    }

    fn check_wire_text(&mut self, name: &str, span: Span, what: &str) {
        let is_good = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_good) {
            let message = format!("`{name}` cannot be the name of {what}");
            let hint = format!("names are letters, digits, `_`, `-` and `.`, at most {MAX_NAME} of them");
            self.report(Diagnostic::error("E-NAME", span, message).hint(hint));
        }
    }

    fn message_direction(&mut self, entry: &MapEntry) -> Option<MessageDirection> {
        let node = &entry.value;
        let keys = self.entries(node, &presentation::MESSAGE);
        node.as_map()?;
        let given: Vec<&MapEntry> =
            keys.iter().filter(|entry| OCCASIONS.contains(&entry.key.value.as_str())).collect();
        let [occasion] = given[..] else {
            let message = match given[..] {
                [] => format!("a message needs one of `{}`", OCCASIONS.join("`, `")),
                _ => format!("a message has one of `{}`, not several", OCCASIONS.join("`, `")),
            };
            self.report_error(
                "E-KEY",
                given.get(1).map_or(entry.key.span, |second| second.key.span),
                message,
            );
            return None;
        };
        match occasion.key.value.as_str() {
            "answers" | "drafts" | "does" => {
                self.incoming(&entry.key.value, node, occasion).map(MessageDirection::In)
            }
            _ => self.outgoing(&entry.key.value, node, occasion),
        }
    }

    // --- incoming ---------------------------------------------------------------------

    fn incoming(&mut self, name: &str, node: &SourceNode, occasion: &MapEntry) -> Option<IncomingMessage> {
        for key in OUTGOING {
            if let Some(entry) = node.entry(key) {
                let message = format!("an incoming message has no `{key}`");
                self.report_error("E-KEY", entry.key.span, message);
            }
        }
        if occasion.key.value == "does" {
            for entry in INCOMING.iter().filter_map(|key| node.entry(key)) {
                let message = format!("`{}` is for messages that answer or draft", entry.key.value);
                self.report_error("E-KEY", entry.key.span, message);
            }
            return Some(
                match self.word(&occasion.value, "`does`", presentation::MESSAGE.words("does"))? {
                    "join_queue" => IncomingMessage::JoinQueue,
                    "leave_queue" => IncomingMessage::LeaveQueue,
                    _ => IncomingMessage::Concede,
                },
            );
        }
        let from = node.get("from").and_then(|from| self.text(from, "`from`"));
        let from = from.map(|from| from.value.clone());
        let fences =
            node.get("for").map(|fences| self.fences(name, fences, from.as_deref())).unwrap_or_default();
        let question = self.question_named(&occasion.value, &format!("`{}`", occasion.key.value))?;
        if occasion.key.value == "answers" {
            return Some(IncomingMessage::Answers { question, from, fences });
        }
        let is_drafted = |choice: &&intermezzo_program::Choice| choice.name == question;
        if self.program.choices.iter().filter(is_drafted).all(|choice| choice.draft.is_none()) {
            let message = format!("the question `{question}` does not accept drafts");
            self.report_error("E-CHOOSE", occasion.value.span, message);
        }
        Some(IncomingMessage::Drafts { question, from, fences })
    }

    /// Compiles `for: {round: match.round}`. A `?` at the end of a key makes it optional.
    fn fences(&mut self, name: &str, node: &SourceNode, from: Option<&str>) -> Vec<MessageFence> {
        let NodeValue::Map(entries) = &node.value else {
            let message =
                format!("`for` is an object of keys and their values, but this is {}", node.kind_name());
            let hint = "for example `for: {round: match.round}`";
            self.report(Diagnostic::error("E-TYPE", node.span, message).hint(hint));
            return Vec::new();
        };
        if let Some(entry) = entries.get(MAX_FIELDS) {
            let message = format!("`for` has at most {MAX_FIELDS} keys");
            self.report_error("E-LIMIT", entry.key.span, message);
        }
        let context = MessageContext { label: format!("messages.{name}.for"), occasion: None, event: None };
        let mut fences: Vec<MessageFence> = Vec::new();
        for entry in entries.iter().take(MAX_FIELDS) {
            let written = entry.key.value.as_str();
            let key = written.strip_suffix('?').unwrap_or(written);
            self.check_wire_text(key, entry.key.span, "a key");
            if key == "type" || from == Some(key) || fences.iter().any(|fence| fence.key == key) {
                let message = format!("`{key}` already means something else in this message");
                self.report_error("E-NAME", entry.key.span, message);
            }
            let (routine, ty) = self.message_value(&context, key, &entry.value);
            fences.push(MessageFence { key: key.to_owned(), is_required: key == written, routine, ty });
        }
        fences
    }

    // --- outgoing ---------------------------------------------------------------------

    fn outgoing(&mut self, name: &str, node: &SourceNode, occasion: &MapEntry) -> Option<MessageDirection> {
        for entry in INCOMING.iter().filter_map(|key| node.entry(key)) {
            let message = format!("`{}` is for incoming messages", entry.key.value);
            self.report_error("E-KEY", entry.key.span, message);
        }
        let mut tests: Vec<Expr> = Vec::new();
        let value = &occasion.value;
        let occasion = match occasion.key.value.as_str() {
            "at" if self.word(value, "`at`", presentation::MESSAGE.words("at"))? == "start" => {
                MessageTrigger::Start
            }
            "at" => MessageTrigger::Error,
            "asked" => MessageTrigger::Asked(self.question_named(value, "`asked`")?),
            _ => {
                let (event, alias) = self.event_pattern(value)?;
                self.check_fully_visible(event, value.span);
                tests.extend(alias);
                MessageTrigger::After(event)
            }
        };
        let event = match occasion {
            MessageTrigger::After(event) => Some(event),
            _ => None,
        };
        tests.extend(node.get("if").and_then(|test| self.node_expr(test)));
        let context = MessageContext { label: format!("messages.{name}"), occasion: Some(&occasion), event };
        let condition = (!tests.is_empty()).then(|| self.message_test(&context, &tests));
        let fields =
            node.get("fields").map(|fields| self.message_fields(&context, fields)).unwrap_or_default();
        Some(MessageDirection::Out { trigger: occasion, condition, fields })
    }

    /// Rejects events of the engine that players may see only in part.
    fn check_fully_visible(&mut self, event: EventId, span: Span) {
        if [native::CREATED, native::SHUFFLED, native::EVENT_PREVENTED].contains(&event) {
            let name = self.symbols.event_by_id(event).0.to_owned();
            let message = format!("players may see only a part of `{name}`, so no message can report it");
            let hint = "emit an event of the ruleset, and send the message after that";
            self.report(Diagnostic::error("E-SECRET", span, message).hint(hint));
        }
    }

    fn message_fields(&mut self, context: &MessageContext<'_>, node: &SourceNode) -> Vec<MessageField> {
        let NodeValue::Map(entries) = &node.value else {
            let message = format!("`fields` is an object of fields, but this is {}", node.kind_name());
            self.report_error("E-TYPE", node.span, message);
            return Vec::new();
        };
        if let Some(entry) = entries.get(MAX_FIELDS) {
            self.report_error(
                "E-LIMIT",
                entry.key.span,
                format!("a message has at most {MAX_FIELDS} fields"),
            );
        }
        let mut fields = Vec::new();
        for entry in entries.iter().take(MAX_FIELDS) {
            self.check_wire_name(entry, "a field");
            if entry.key.value == "type" {
                self.report_error("E-NAME", entry.key.span, "`type` is the name of the message itself");
            }
            if let Some(value) = self.field_value(context, entry) {
                fields.push(MessageField { name: entry.key.value.clone(), value });
            }
        }
        fields
    }

    fn field_value(&mut self, context: &MessageContext<'_>, entry: &MapEntry) -> Option<FieldValue> {
        match entry.value.get("host") {
            Some(what) => self.host_value(context, entry, what),
            None if self.is_misspelt_host_value(&entry.value) => None,
            None => {
                let (routine, ty) = self.message_value(context, &entry.key.value, &entry.value);
                Some(FieldValue::Computed { routine, ty })
            }
        }
    }

    /// Reports `{hozt: match}`: an object with a word that only the host knows, under a key like `host`.
    fn is_misspelt_host_value(&mut self, node: &SourceNode) -> bool {
        let words = presentation::HOST_VALUE.words("host");
        let is_word =
            |value: &SourceNode| value.as_text().is_some_and(|text| words.contains(&text.value.as_str()));
        let near = |key: &str| crate::diagnostic::suggest(key, ["host"]).is_some();
        let entries = node.as_map().unwrap_or_default();
        let misspelt = entries.iter().find(|entry| is_word(&entry.value) && near(&entry.key.value));
        if let Some(entry) = misspelt.filter(|_| !self.is_published) {
            self.unknown_key(&entry.key, presentation::HOST_VALUE.what, &presentation::HOST_VALUE);
            return true;
        }
        false
    }

    /// Compiles a value supplied by the host, such as `{host: name, of: player}`.
    fn host_value(
        &mut self,
        context: &MessageContext<'_>,
        entry: &MapEntry,
        what: &SourceNode,
    ) -> Option<FieldValue> {
        self.entries(&entry.value, &presentation::HOST_VALUE);
        let word = self.word(what, "`host`", presentation::HOST_VALUE.words("host"))?;
        if word == "name" {
            let you = SourceNode {
                span: what.span,
                value: NodeValue::Text(crate::tree::SourceText::verbatim("you", what.span.file, 0)),
            };
            let player = entry.value.get("of").unwrap_or(&you);
            return Some(FieldValue::PlayerName(self.named_player(context, &entry.key.value, player)));
        }
        if let Some(of) = entry.value.entry("of") {
            self.report_error("E-KEY", of.key.span, "`of` is only for `name`");
        }
        let (value, needs) = match word {
            "match" => return Some(FieldValue::MatchId),
            "deadline" => (FieldValue::Deadline, "asked"),
            "code" => (FieldValue::Code, "at: error"),
            _ => (FieldValue::Reason, "at: error"),
        };
        let fits = match context.occasion {
            Some(MessageTrigger::Asked(_)) => word == "deadline",
            Some(MessageTrigger::Error) => word != "deadline",
            _ => false,
        };
        if !fits {
            let message = format!("only a message with `{needs}` has a `{word}`");
            self.report_error("E-KEY", what.span, message);
            return None;
        }
        Some(value)
    }

    // --- code --------------------------------------------------------------------------

    /// Starts the code of a field. Its parameters are `you` and, after an event, the payload.
    fn begin_message(
        &mut self,
        context: &MessageContext<'_>,
        part: &str,
    ) -> (RoutineId, super::routine_builder::RoutineBuilder) {
        let routine = self.reserve_routine(&format!("{}.{part}", context.label));
        let outer = self.begin_routine(routine, CodeMode::Pure);
        let you = self.add_param("you", Ty::PLAYER);
        self.body.recipient = Some(you);
        if let Some(event) = context.event {
            self.bind_payload(event);
            self.body.message_event = self.body.binding("event").map(|event| event.reg);
        }
        (routine, outer)
    }

    fn message_test(&mut self, context: &MessageContext<'_>, tests: &[Expr]) -> RoutineId {
        let (routine, outer) = self.begin_message(context, "if");
        let (no, known) = self.emit_conjunction(tests);
        let value = self.constant(1);
        self.emit(Instr::Return { value });
        self.body.patch_jumps(&no);
        let value = self.constant(0);
        self.emit(Instr::Return { value });
        self.body.facts.truncate(known);
        self.finish_routine(outer);
        self.check_hidden_reads(routine);
        routine
    }

    fn message_value(
        &mut self,
        context: &MessageContext<'_>,
        name: &str,
        node: &SourceNode,
    ) -> (RoutineId, TypeId) {
        let (routine, outer) = self.begin_message(context, name);
        let value = self.node_value(node);
        let value = if Self::is_listlike(&value.ty) { self.as_list(value) } else { value };
        self.emit(Instr::Return { value: value.reg });
        let ty = self.type_id(&value.ty);
        self.finish_routine(outer);
        let is_told = self.check_hidden_reads(routine);
        if is_told && self.holds_entities(&value.ty) {
            let message = format!(
                "this is {}, but messages cannot contain entities other than players",
                self.symbols.type_name(&value.ty)
            );
            let hint = "send properties of the entities instead: `you.hand.map(it.name)`";
            self.report(Diagnostic::error("E-TYPE", node.span, message).hint(hint));
        }
        (routine, ty)
    }

    fn named_player(&mut self, context: &MessageContext<'_>, name: &str, node: &SourceNode) -> RoutineId {
        let (routine, outer) = self.begin_message(context, name);
        let value = self.node_as(node, &Ty::PLAYER.maybe());
        self.emit(Instr::Return { value });
        self.finish_routine(outer);
        self.check_hidden_reads(routine);
        routine
    }

    /// Reports what the routine reads and `you` may not see. Returns true if it reads nothing of that kind.
    fn check_hidden_reads(&mut self, routine: RoutineId) -> bool {
        let reads = self.hidden_reads_of(routine);
        for (span, read) in &reads {
            let message = format!("`you` may not see this: {}", read.reason);
            let mut diagnostic = Diagnostic::error("E-SECRET", *span, message);
            if read.span != *span {
                diagnostic = diagnostic.related(read.span, "it is read here");
            }
            self.report(diagnostic.hint(
                "a message may contain what everyone sees, what only the owner sees if that is `you`, and the number of entities in a zone",
            ));
        }
        reads.is_empty()
    }
}
