//! Reading declarations: which keys an object may have, and values of simple kinds.

use super::Checker;
use super::types::{RecordTy, Ty};
use crate::diagnostic::{Diagnostic, suggest};
use crate::expr::TypeExpr;
use crate::tree::{Entry, Node, Text, Value};
use std::rc::Rc;

/// Keys every declaration accepts: for people, never read by rules.
const COMMON: &[&str] = &["name", "text", "ui", "allow"];

impl Checker<'_> {
    /// The entries of an object, after reporting keys that are not in `known` (or common to all).
    pub(crate) fn entries<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> &'n [Entry] {
        let Some(entries) = node.as_map() else {
            if !matches!(node.value, Value::Null) {
                let message = format!("{what} is an object, but this is {}", node.kind_name());
                self.wrong("E-TYPE", node.span, message);
            }
            return &[];
        };
        for entry in entries {
            let key = entry.key.value.as_str();
            if !known.contains(&key) && !COMMON.contains(&key) {
                self.unknown_key(&entry.key, what, known);
            }
        }
        entries
    }

    pub(crate) fn unknown_key(&mut self, key: &Text, what: &str, known: &[&str]) {
        let mut diagnostic =
            Diagnostic::error("E-KEY", key.span, format!("unknown key `{}` in {what}", key.value));
        let all = known.iter().chain(COMMON).copied();
        diagnostic = match suggest(&key.value, all) {
            Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
            None => diagnostic.hint(format!("accepted here: {}", known.join(", "))),
        };
        self.report(diagnostic);
    }

    /// The entries of an object whose keys are names the ruleset chooses.
    pub(crate) fn named<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Entry] {
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    self.check_identifier(&entry.key, what);
                }
                entries
            }
            Value::Null => &[],
            _ => {
                let message = format!("{what} is an object of names, but this is {}", node.kind_name());
                self.wrong("E-TYPE", node.span, message);
                &[]
            }
        }
    }

    pub(crate) fn check_identifier(&mut self, name: &Text, what: &str) {
        let good = !name.value.is_empty()
            && !name.value.starts_with(|first: char| first.is_ascii_digit())
            && name.value.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if !good {
            self.report(
                Diagnostic::error(
                    "E-NAME",
                    name.span,
                    format!("`{}` cannot be a name in {what}", name.value),
                )
                .hint("names are letters, digits and `_`, and do not begin with a digit"),
            );
        } else if RESERVED.contains(&name.value.as_str()) {
            let message =
                format!("`{}` means something in expressions, so it cannot be a name in {what}", name.value);
            self.wrong("E-NAME", name.span, message);
        }
    }

    pub(crate) fn items<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.value {
            Value::List(items) => items,
            Value::Null => &[],
            _ => {
                let message = format!("{what} is a list, but this is {}", node.kind_name());
                self.wrong("E-TYPE", node.span, message);
                &[]
            }
        }
    }

    pub(crate) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Text> {
        let text = node.as_text();
        if text.is_none() {
            let message = format!("{what} is a text, but this is {}", node.kind_name());
            self.wrong("E-TYPE", node.span, message);
        }
        text
    }

    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> bool {
        node.as_bool().unwrap_or_else(|| {
            let message = format!("{what} is `true` or `false`, but this is {}", node.kind_name());
            self.wrong("E-TYPE", node.span, message);
            false
        })
    }

    pub(crate) fn number(&mut self, node: &Node, what: &str) -> i64 {
        node.as_int().unwrap_or_else(|| {
            let message = format!("{what} is a whole number, but this is {}", node.kind_name());
            self.wrong("E-TYPE", node.span, message);
            0
        })
    }

    /// One of a few words.
    pub(crate) fn word<'k>(&mut self, node: &Node, what: &str, known: &[&'k str]) -> Option<&'k str> {
        let text = self.text(node, what)?;
        let found = known.iter().copied().find(|word| *word == text.value);
        if found.is_none() {
            self.unknown("E-ENUM", text.span, what, &text.value, known.iter().copied());
        }
        found
    }

    // --- types --------------------------------------------------------------------

    pub(crate) fn type_of(&mut self, node: &Node) -> Ty {
        let Some(text) = self.text(node, "a type") else { return Ty::Error };
        match crate::expr::parse_type(text) {
            Ok(ty) => self.resolve_type(&ty),
            Err(diagnostic) => {
                self.report(diagnostic);
                Ty::Error
            }
        }
    }

    pub(crate) fn resolve_type(&mut self, ty: &TypeExpr) -> Ty {
        let args: Vec<Ty> = ty.args.iter().map(|arg| self.resolve_type(arg)).collect();
        let expected = match ty.name.text.as_str() {
            "list" | "maybe" | "answer" => 1,
            "map" => 2,
            _ => 0,
        };
        if !args.is_empty() && expected == 0 && self.simple_type(&ty.name.text).is_none() {
            let known = self.type_names();
            return self.unknown(
                "E-NAME",
                ty.name.span,
                "type",
                &ty.name.text,
                known.iter().map(String::as_str),
            );
        }
        if args.len() != expected {
            let message = format!("`{}` takes {expected} types in `<…>`, not {}", ty.name.text, args.len());
            return self.wrong("E-TYPE", ty.span, message);
        }
        match ty.name.text.as_str() {
            "list" => Ty::list(args[0].clone()),
            "maybe" => args[0].clone().maybe(),
            "answer" => self.answer_type(args[0].clone()),
            "map" => {
                if !matches!(args[0], Ty::PLAYER | Ty::Enum(_) | Ty::Error) {
                    return self.wrong(
                        "E-TYPE",
                        ty.args[0].span,
                        "keys of a map are players or members of an enum",
                    );
                }
                Ty::Map(Rc::new(args[0].clone()), Rc::new(args[1].clone()))
            }
            simple => match self.simple_type(simple) {
                Some(ty) => ty,
                None => {
                    let known = self.type_names();
                    self.unknown("E-NAME", ty.name.span, "type", simple, known.iter().map(String::as_str))
                }
            },
        }
    }

    fn simple_type(&mut self, name: &str) -> Option<Ty> {
        Some(match name {
            "int" => Ty::Int,
            "bool" => Ty::Bool,
            "text" => Ty::Text,
            "dice" => Ty::Dice,
            "symbol" => Ty::Symbol,
            "def" => Ty::Def,
            "trait" => Ty::Trait,
            "phase" => Ty::Phase,
            "zonename" => Ty::ZoneName,
            "resource" => Ty::Resource,
            "outcome" => Ty::Outcome,
            "entity" => Ty::Entity,
            "zone" => Ty::Zone(None),
            "event" => Ty::Event(None),
            "ability" => Ty::Ability,
            "action" => Ty::Action,
            "any" => Ty::Any,
            _ => {
                if let Some(kind) = self.world.kinds.get(name) {
                    Ty::Kind(kind.id)
                } else if let Some((id, _)) = self.world.enums.get(name) {
                    Ty::Enum(*id)
                } else {
                    self.world.records.get(name)?.clone()
                }
            }
        })
    }

    /// What one player's part of a `how: each` choice is.
    pub(crate) fn answer_type(&mut self, value: Ty) -> Ty {
        let fields = vec![
            (self.symbol("value"), value),
            (self.symbol("touched"), Ty::Bool),
            (self.symbol("how"), Ty::Symbol),
        ];
        Ty::Record(Rc::new(RecordTy { name: None, fields }))
    }

    fn type_names(&self) -> Vec<String> {
        let own = [
            "int", "bool", "text", "dice", "symbol", "def", "trait", "phase", "zonename", "resource",
            "outcome", "entity", "zone", "event", "ability", "action", "list", "maybe", "map", "answer",
        ];
        own.iter()
            .copied()
            .chain(self.world.kinds.names())
            .chain(self.world.enums.names())
            .chain(self.world.records.names())
            .map(str::to_owned)
            .collect()
    }
}

/// Words of the expression language.
const RESERVED: &[&str] = &[
    "if", "then", "else", "and", "or", "not", "in", "is", "true", "false", "null", "self", "you", "it",
    "players", "options", "flow", "stack", "viewer",
];
