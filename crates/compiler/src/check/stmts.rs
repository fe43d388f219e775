//! Statements: telling them apart, and where they may stand.

use intermezzo_ruleset::{Instr, ZoneId, native};

use super::Checker;
use super::body::Mode;
use super::types::Ty;
use crate::diagnostic::{Diagnostic, suggest};
use crate::source::Span;
use crate::tree::{Entry, Node, Value};

/// Whether the statement after this one is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goes {
    On,
    Away,
}

/// Each operation with the arguments it takes beside its head.
pub(crate) const OPERATIONS: &[(&str, &[&str])] = &[
    ("let", &[]),
    ("set", &["keep"]),
    ("add", &["keep"]),
    ("if", &["then", "else"]),
    ("switch", &["cases", "else"]),
    ("each", &["as", "do"]),
    ("repeat", &["while", "as", "max", "label", "do"]),
    ("exit", &[]),
    ("return", &[]),
    ("call", &["host", "by", "part"]),
    ("emit", &["as", "keep"]),
    ("prevent", &["instead"]),
    ("group", &["do", "as", "onPrevented"]),
    (
        "choose",
        &[
            "by", "how", "from", "next", "choices", "min", "max", "count", "slots", "empty", "order", "pass",
            "secret", "draft", "deadline", "default", "ask", "title", "kind",
        ],
    ),
    ("take", &[]),
    ("resolve", &[]),
    ("roll", &["keep", "for", "by", "as", "from"]),
    ("shuffle", &[]),
    ("move", &["to", "at", "as", "keep"]),
    ("create", &["owner", "in", "with", "host", "until", "as", "at", "keep"]),
    ("remove", &["keep"]),
    ("phase", &["player", "subject", "do"]),
    ("end", &["winners", "losers", "pot"]),
];

pub(crate) fn operation(name: &str) -> Option<&'static [&'static str]> {
    OPERATIONS.iter().find(|(op, _)| *op == name).map(|(_, arguments)| *arguments)
}

/// A statement taken apart: its head, the head's value, and the other arguments.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'n> {
    pub(crate) head: &'n str,
    pub(crate) head_span: Span,
    pub(crate) value: Option<&'n Node>,
    pub(crate) entries: &'n [Entry],
    pub(crate) span: Span,
}

impl<'n> Parts<'n> {
    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|entry| entry.key.value == key).map(|entry| &entry.value)
    }

    /// The arguments beside the head.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &'n Entry> {
        let head = self.head;
        self.entries.iter().filter(move |entry| entry.key.value != head && entry.key.value != "op")
    }
}

impl Checker<'_> {
    /// Statements in order, in a scope of their own.
    pub(crate) fn block(&mut self, node: &Node) -> Goes {
        let (bindings, facts) = (self.body.bindings.len(), self.body.facts.len());
        let goes = self.sequence(node);
        self.body.bindings.truncate(bindings);
        self.body.facts.truncate(facts);
        goes
    }

    pub(crate) fn sequence(&mut self, node: &Node) -> Goes {
        let Value::List(items) = &node.value else {
            return match &node.value {
                Value::Null => Goes::On,
                _ => self.statement(node),
            };
        };
        let mut goes = Goes::On;
        for item in items {
            if goes == Goes::Away {
                self.report(
                    Diagnostic::warning("W-UNUSED", item.span, "this is never reached")
                        .hint("the statement before it always leaves"),
                );
                self.statement(item);
                return Goes::Away;
            }
            goes = self.statement(item);
            if self.body.settles && goes == Goes::On {
                self.emit(Instr::Settle { drain: true });
            }
        }
        goes
    }

    fn statement(&mut self, node: &Node) -> Goes {
        let at = self.body.code.len() as u32;
        self.body.places.push((at, node.span));
        let mark = self.body.mark_temps();
        let goes = match &node.value {
            Value::List(_) => self.block(node),
            Value::Text(text) => {
                let parts = Parts {
                    head: &text.value,
                    head_span: text.span,
                    value: None,
                    entries: &[],
                    span: node.span,
                };
                if operation(&text.value).is_some() {
                    let message = format!("`{}` needs a value", text.value);
                    self.wrong("E-ARGS", text.span, message);
                    Goes::On
                } else {
                    self.proc_call(&parts)
                }
            }
            Value::Map(_) => match self.take_apart(node) {
                Some(parts) => self.perform(&parts),
                None => Goes::On,
            },
            _ => {
                let message =
                    format!("a statement is an object with one operation, but this is {}", node.kind_name());
                self.wrong("E-OP", node.span, message);
                Goes::On
            }
        };
        self.body.release_temps(mark);
        goes
    }

    /// Finds the head of a statement.
    pub(crate) fn take_apart<'n>(&mut self, node: &'n Node) -> Option<Parts<'n>> {
        let entries = node.as_map()?;
        if let Some(op) = node.get("op").and_then(Node::as_text) {
            return Some(Parts {
                head: &op.value,
                head_span: op.span,
                value: None,
                entries,
                span: node.span,
            });
        }
        let is_head =
            |checker: &Self, name: &str| operation(name).is_some() || checker.world.procs.contains(name);
        let head = entries.iter().find(|entry| is_head(self, &entry.key.value));
        let Some(head) = head else {
            self.unknown_operation(node, entries);
            return None;
        };
        let allowed = operation(&head.key.value).unwrap_or_default();
        let second = entries.iter().find(|entry| {
            entry.key.span != head.key.span
                && operation(&entry.key.value).is_some()
                && !allowed.contains(&entry.key.value.as_str())
        });
        if let Some(second) = second {
            self.report(
                Diagnostic::error(
                    "E-OP",
                    second.key.span,
                    format!(
                        "two operations in one statement: `{}` and `{}`",
                        head.key.value, second.key.value
                    ),
                )
                .hint("write them as two statements"),
            );
            return None;
        }
        Some(Parts {
            head: &head.key.value,
            head_span: head.key.span,
            value: Some(&head.value),
            entries,
            span: node.span,
        })
    }

    fn unknown_operation(&mut self, node: &Node, entries: &[Entry]) {
        let Some(first) = entries.first() else {
            self.wrong("E-OP", node.span, "an empty object is no statement");
            return;
        };
        let known: Vec<String> = OPERATIONS
            .iter()
            .map(|(op, _)| (*op).to_owned())
            .chain(self.world.procs.names().map(str::to_owned))
            .collect();
        // The misspelt head is the key that is nearest to an operation.
        let near = entries.iter().find_map(|entry| {
            suggest(&entry.key.value, known.iter().map(String::as_str)).map(|near| (entry, near))
        });
        let (entry, hint) = match near {
            Some((entry, near)) => (entry, Some(format!("did you mean `{near}`?"))),
            None => (first, None),
        };
        let mut diagnostic =
            Diagnostic::error("E-OP", entry.key.span, format!("unknown operation `{}`", entry.key.value));
        diagnostic.hints.extend(hint);
        self.report(diagnostic);
    }

    fn perform(&mut self, parts: &Parts<'_>) -> Goes {
        let Some(known) = operation(parts.head) else {
            return self.proc_call(parts);
        };
        if parts.head != "emit" {
            for entry in parts.arguments() {
                let is_head_value = entry.key.value == "first" && parts.value.is_none();
                if !known.contains(&entry.key.value.as_str()) && !is_head_value {
                    let what = format!("`{}`", parts.head);
                    self.unknown_key(&entry.key, &what, known);
                }
            }
        }
        let Some(value) = parts.value.or_else(|| parts.get("first")) else {
            let message = format!("`{}` needs a value", parts.head);
            self.wrong("E-ARGS", parts.head_span, message);
            return Goes::On;
        };
        self.check_allowed(parts);
        if self.is_kept(parts) {
            self.emit(Instr::Keep { on: true });
            let goes = self.perform_one(parts, value);
            self.emit(Instr::Keep { on: false });
            return goes;
        }
        self.perform_one(parts, value)
    }

    fn perform_one(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        match parts.head {
            "let" => self.let_statement(value),
            "set" => self.set_statement(value, false),
            "add" => self.set_statement(value, true),
            "if" => return self.if_statement(parts, value),
            "switch" => return self.switch_statement(parts, value),
            "each" => self.each_statement(parts, value),
            "repeat" => self.repeat_statement(parts, value),
            "exit" => return self.exit_statement(value),
            "return" => return self.return_statement(value),
            "emit" => self.emit_statement(parts, value),
            "choose" => self.choose_statement(parts, value),
            "roll" => self.roll_statement(parts, value),
            "shuffle" => {
                let zone = self.zone_value(value, None);
                self.emit(Instr::Shuffle { zone });
            }
            "move" => self.move_statement(parts, value),
            "create" => self.create_statement(parts, value),
            "remove" => self.remove_statement(value),
            "phase" => return self.phase_statement(parts, value),
            "end" => return self.end_statement(parts, value),
            "call" => self.call_statement(parts, value),
            "prevent" => self.prevent_statement(parts, value),
            "group" => return self.group_statement(parts, value),
            "take" => {
                let offer = self.node_as(value, &Ty::Action);
                self.emit(Instr::Take { offer });
                self.emit(Instr::Settle { drain: false });
            }
            _ => self.resolve_statement(value),
        }
        Goes::On
    }

    /// Resolves the top of the stack, or one after the other until it is empty.
    fn resolve_statement(&mut self, value: &Node) {
        let all = self.word(value, "what to resolve", &["top", "all"]) == Some("all");
        let top = self.body.here();
        let mut empty = Vec::new();
        if all {
            let count = self.body.temp();
            self.emit(Instr::TheZone { dst: count, zone: ZoneId::STACK });
            self.emit(Instr::ZoneLen { dst: count, zone: count });
            empty.push(self.emit(Instr::SkipEqInt { a: count, value: 0, skip: 0 }));
        }
        self.emit(Instr::Resolve {});
        self.emit(Instr::Settle { drain: false });
        if all {
            self.emit(Instr::Jump { to: top });
            self.body.land(&empty);
        }
    }

    fn remove_statement(&mut self, value: &Node) {
        let what = self.node_value(value);
        let what = self.coerce(what, &Ty::Entity, value.span);
        if what.ty == Ty::PLAYER || what.ty == Ty::Kind(intermezzo_ruleset::KindId::MATCH) {
            self.wrong("E-TYPE", value.span, "players and the match cannot be removed");
        }
        self.usage.emitted.insert(native::REMOVED.0);
        self.emit(Instr::Remove { entity: what.reg });
    }

    /// Some operations have no place in `apply` or in a group.
    fn check_allowed(&mut self, parts: &Parts<'_>) {
        if self.body.mode == Mode::Apply
            && !["let", "set", "add", "if", "each", "switch"].contains(&parts.head)
        {
            self.report(
                Diagnostic::error("E-APPLY", parts.head_span, format!("`{}` cannot stand in `apply`", parts.head))
                    .hint("`apply` only writes properties, with `set` and `add` under `if` and `each`; consequences go into `then`"),
            );
        }
        if self.body.group
            && ["choose", "roll", "shuffle", "phase", "end", "exit", "return", "take", "resolve", "call"]
                .contains(&parts.head)
        {
            self.report(
                Diagnostic::error(
                    "E-GROUP",
                    parts.head_span,
                    format!("`{}` cannot stand in a group", parts.head),
                )
                .hint("a group happens all at once: ask and roll before it"),
            );
        }
    }
}
