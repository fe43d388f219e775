//! Statements: recognising the operation, and checking where it is allowed.

use crate::grammar::Object;
use crate::grammar::statements;
use crate::grammar::statements::STATEMENTS;
use intermezzo_program::{Instr, ZoneId, native};

use super::Checker;
use super::routine_builder::CodeMode;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::{MapEntry, NodeValue, SourceNode};

/// Reachability of the point after a statement or block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EndPoint {
    Reachable,
    Unreachable,
}

/// Event that stands for `prevent` with an item of the stack.
pub(crate) const COUNTER: &str = "Counter";

/// Returns the statement with this head.
pub(crate) fn operation(name: &str) -> Option<&'static Object> {
    STATEMENTS.iter().copied().find(|statement| statement.head == Some(name))
}

/// A statement split into its head, the value of the head, and the other arguments.
#[derive(Clone, Copy)]
pub(crate) struct StatementParts<'n> {
    pub(crate) head: &'n str,
    pub(crate) head_span: Span,
    pub(crate) value: Option<&'n SourceNode>,
    pub(crate) entries: &'n [MapEntry],
    pub(crate) span: Span,
}

impl<'n> StatementParts<'n> {
    pub(crate) fn get(&self, key: &str) -> Option<&'n SourceNode> {
        self.entries.iter().find(|entry| entry.key.value == key).map(|entry| &entry.value)
    }

    /// Returns the arguments besides the head.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &'n MapEntry> {
        let head = self.head;
        self.entries.iter().filter(move |entry| entry.key.value != head && entry.key.value != "op")
    }
}

/// Statements that a group cannot contain.
pub(crate) const FORBIDDEN_IN_GROUP: &[&str] =
    &["choose", "roll", "shuffle", "phase", "end", "exit", "return", "take", "resolve", "call"];

/// Statements that a proc called in a group cannot execute either.
pub(crate) const GROUP_BREAKERS: &[&str] = &["choose", "roll", "shuffle", "phase", "end", "take", "resolve"];

impl Checker<'_> {
    /// Compiles statements in their own scope.
    pub(crate) fn block(&mut self, node: &SourceNode) -> EndPoint {
        let (bindings, facts) = (self.body.bindings.len(), self.body.facts.len());
        let end = self.sequence(node);
        self.body.bindings.truncate(bindings);
        self.body.facts.truncate(facts);
        end
    }

    pub(crate) fn sequence(&mut self, node: &SourceNode) -> EndPoint {
        let NodeValue::List(items) = &node.value else {
            return match &node.value {
                NodeValue::Null => EndPoint::Reachable,
                _ => self.statement(node),
            };
        };
        let mut end = EndPoint::Reachable;
        for item in items {
            if end == EndPoint::Unreachable {
                self.report(
                    Diagnostic::warning("W-UNUSED", item.span, "this is never reached")
                        .hint("the statement before it always leaves"),
                );
                self.statement(item);
                return EndPoint::Unreachable;
            }
            end = self.statement(item);
            if self.body.settles_after_statements && end == EndPoint::Reachable {
                self.emit(Instr::Settle { drain: true });
            }
        }
        end
    }

    fn statement(&mut self, node: &SourceNode) -> EndPoint {
        if self.is_stopped() {
            return EndPoint::Reachable;
        }
        let at = self.body.code.len() as u32;
        self.body.spans.push((at, node.span));
        let mark = self.body.mark_temps();
        let end = match &node.value {
            NodeValue::List(_) => self.block(node),
            NodeValue::Text(text) => {
                let parts = StatementParts {
                    head: &text.value,
                    head_span: text.span,
                    value: None,
                    entries: &[],
                    span: node.span,
                };
                if operation(&text.value).is_some() {
                    let message = format!("`{}` needs a value", text.value);
                    self.report_error("E-ARGS", text.span, message);
                    EndPoint::Reachable
                } else {
                    self.proc_call(&parts)
                }
            }
            NodeValue::Map(_) => match self.split_counter(node).or_else(|| self.split_statement(node)) {
                Some(parts) => self.lower_operation(&parts),
                None => EndPoint::Reachable,
            },
            _ => {
                let message =
                    format!("a statement is an object with one operation, but this is {}", node.kind_name());
                self.report_error("E-OP", node.span, message);
                EndPoint::Reachable
            }
        };
        self.body.release_temps(mark);
        end
    }

    /// Reads `Counter {targetEventId}` as the prevention of that item, unless the ruleset declares `Counter`.
    fn split_counter<'n>(&self, node: &'n SourceNode) -> Option<StatementParts<'n>> {
        if self.symbols.events.contains(COUNTER) || self.symbols.procs.contains(COUNTER) {
            return None;
        }
        let is_named = |key: &str| {
            let name = node.get(key).and_then(SourceNode::as_text);
            name.is_some_and(|name| name.value == COUNTER)
        };
        let arguments = match ["emit", "op"].into_iter().any(is_named) {
            true => node,
            false => node.get(COUNTER)?,
        };
        let target = arguments.entry("targetEventId")?;
        let (head_span, span) = (target.key.span, node.span);
        Some(StatementParts { head: "prevent", head_span, value: Some(&target.value), entries: &[], span })
    }

    /// Splits a statement and finds its head.
    pub(crate) fn split_statement<'n>(&mut self, node: &'n SourceNode) -> Option<StatementParts<'n>> {
        let entries = node.as_map()?;
        if let Some(op) = node.get("op").and_then(SourceNode::as_text) {
            return Some(StatementParts {
                head: &op.value,
                head_span: op.span,
                value: None,
                entries,
                span: node.span,
            });
        }
        let is_head =
            |checker: &Self, name: &str| operation(name).is_some() || checker.symbols.procs.contains(name);
        let head = entries.iter().find(|entry| is_head(self, &entry.key.value));
        let Some(head) = head else {
            self.unknown_operation(node, entries);
            return None;
        };
        let statement = operation(&head.key.value);
        let is_argument = |name: &str| statement.is_some_and(|statement| statement.get(name).is_some());
        let second = entries.iter().find(|entry| {
            entry.key.span != head.key.span
                && operation(&entry.key.value).is_some()
                && !is_argument(&entry.key.value)
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
        Some(StatementParts {
            head: &head.key.value,
            head_span: head.key.span,
            value: Some(&head.value),
            entries,
            span: node.span,
        })
    }

    /// Returns the names that can begin a statement: of statements and procs.
    pub(crate) fn operation_names(&self) -> Vec<String> {
        let heads = STATEMENTS.iter().filter_map(|statement| statement.head);
        heads.chain(self.symbols.procs.names()).map(str::to_owned).collect()
    }

    fn unknown_operation(&mut self, node: &SourceNode, entries: &[MapEntry]) {
        let Some(first) = entries.first() else {
            self.report_error("E-OP", node.span, "an empty object is not a statement");
            return;
        };
        let known = self.operation_names();
        // The misspelt head is the first key that resembles an operation.
        let near = entries.iter().find_map(|entry| {
            self.suggest(&entry.key.value, known.iter().map(String::as_str)).map(|near| (entry, near))
        });
        let (entry, hint) = match near {
            Some((entry, near)) => (entry, Some(format!("did you mean `{near}`?"))),
            None => (first, None),
        };
        let mut diagnostic =
            Diagnostic::error("E-OP", entry.key.span, format!("unknown operation `{}`", entry.key.value));
        // A key beside a misspelt operation may be a word of other languages by chance.
        let habit = |entry: &MapEntry| super::foreign::foreign_key(&entry.key.value);
        let foreign = match &hint {
            Some(_) => habit(entry),
            None => entries.iter().find_map(habit),
        };
        let is_event = |name: &str| self.symbols.events.contains(name) || self.symbols.aliases.contains(name);
        let event = entries.iter().map(|entry| entry.key.value.as_str()).find(|key| is_event(key));
        let emitted = event.map(|event| format!("to cause the event, write `{{emit: {event}, …}}`"));
        diagnostic.hints.extend(emitted.or(foreign.map(str::to_owned)).or(hint));
        self.report(diagnostic);
    }

    fn lower_operation(&mut self, parts: &StatementParts<'_>) -> EndPoint {
        let Some(statement) = operation(parts.head) else {
            return self.proc_call(parts);
        };
        self.usage.gives_owners |= super::effects::has_owner(parts);
        if !statement.is_open {
            for entry in parts.arguments() {
                let is_head_value = entry.key.value == "first" && parts.value.is_none();
                if statement.get(&entry.key.value).is_none() && !is_head_value {
                    let what = format!("`{}`", parts.head);
                    self.unknown_key(&entry.key, &what, statement);
                }
            }
        }
        let Some(value) = parts.value.or_else(|| parts.get("first")) else {
            let message = format!("`{}` needs a value", parts.head);
            self.report_error("E-ARGS", parts.head_span, message);
            return EndPoint::Reachable;
        };
        self.check_context(parts);
        if self.has_keep_flag(parts) {
            self.emit(Instr::Keep { on: true });
            let end = self.dispatch_operation(parts, value);
            self.emit(Instr::Keep { on: false });
            return end;
        }
        self.dispatch_operation(parts, value)
    }

    fn dispatch_operation(&mut self, parts: &StatementParts<'_>, value: &SourceNode) -> EndPoint {
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
            "become" => self.become_statement(parts, value),
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
        EndPoint::Reachable
    }

    /// Compiles `resolve`: the top of the stack, or items until the stack is empty.
    fn resolve_statement(&mut self, value: &SourceNode) {
        let all = self.word(value, "what to resolve", statements::RESOLVE.words("resolve")) == Some("all");
        let top = self.body.jump_target();
        let mut empty = Vec::new();
        if all {
            let count = self.body.new_temp();
            self.emit(Instr::TheZone { dst: count, zone: ZoneId::STACK });
            self.emit(Instr::ZoneLen { dst: count, zone: count });
            empty.push(self.emit(Instr::SkipEqInt { a: count, value: 0, skip: 0 }));
        }
        self.emit(Instr::Resolve {});
        self.emit(Instr::Settle { drain: false });
        if all {
            self.emit(Instr::Jump { to: top });
            self.body.patch_jumps(&empty);
        }
    }

    fn remove_statement(&mut self, value: &SourceNode) {
        let what = self.node_value(value);
        let what = self.coerce(what, &Ty::Entity, value.span);
        if what.ty == Ty::PLAYER || what.ty == Ty::Kind(intermezzo_program::KindId::MATCH) {
            self.report_error("E-TYPE", value.span, "players and the match cannot be removed");
        }
        self.usage.emitted.insert(native::REMOVED.0);
        self.emit(Instr::Remove { entity: what.reg });
    }

    /// Reports operations that are not allowed in `apply` or in a group.
    fn check_context(&mut self, parts: &StatementParts<'_>) {
        if self.body.mode == CodeMode::Apply
            && !["let", "set", "add", "if", "each", "switch"].contains(&parts.head)
        {
            self.report(
                Diagnostic::error("E-APPLY", parts.head_span, format!("`{}` is not allowed in `apply`", parts.head))
                    .hint("`apply` only writes properties, with `set` and `add` under `if` and `each`; consequences go into `then`"),
            );
        }
        let breaker = GROUP_BREAKERS.iter().find(|head| **head == parts.head);
        if let Some(head) = breaker {
            self.usage.group_breakers.entry(self.body.routine).or_insert(head);
        }
        if self.body.in_group && FORBIDDEN_IN_GROUP.contains(&parts.head) {
            self.report(
                Diagnostic::error(
                    "E-GROUP",
                    parts.head_span,
                    format!("`{}` is not allowed in a group", parts.head),
                )
                .hint("a group happens all at once: ask and roll before it"),
            );
        }
    }
}
