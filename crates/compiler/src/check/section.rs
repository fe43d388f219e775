//! Reading declarations: allowed keys, and values of simple types.

use super::Checker;
use super::types::{RecordTy, Ty};
use crate::diagnostic::{Diagnostic, suggest};
use crate::expr::TypeExpr;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};
use std::rc::Rc;

/// Keys that every declaration accepts. They are for display and never read by rules.
const COMMON: &[&str] = &["name", "text", "allow"];

impl Checker<'_> {
    /// Returns the entries of an object. Reports keys that are neither in `known` nor common to all
    /// declarations.
    pub(crate) fn entries<'n>(&mut self, node: &'n SourceNode, what: &str, known: &[&str]) -> &'n [MapEntry] {
        let Some(entries) = node.as_map() else {
            if !matches!(node.value, NodeValue::Null) {
                let message = format!("{what} is an object, but this is {}", node.kind_name());
                self.report_error("E-TYPE", node.span, message);
            }
            return &[];
        };
        for entry in entries {
            let key = entry.key.value.as_str();
            let is_old_ui = key == "ui" && self.is_published;
            if !known.contains(&key) && !COMMON.contains(&key) && !is_old_ui {
                self.unknown_key(&entry.key, what, known);
            }
        }
        entries
    }

    pub(crate) fn unknown_key(&mut self, key: &SourceText, what: &str, known: &[&str]) {
        let mut diagnostic =
            Diagnostic::error("E-KEY", key.span, format!("unknown key `{}` in {what}", key.value));
        let all = known.iter().chain(COMMON).copied();
        diagnostic = match suggest(&key.value, all) {
            Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
            None => diagnostic.hint(format!("accepted here: {}", known.join(", "))),
        };
        self.report(diagnostic);
    }

    /// Returns the entries of an object whose keys are names chosen by the ruleset.
    pub(crate) fn named<'n>(&mut self, node: &'n SourceNode, what: &str) -> &'n [MapEntry] {
        match &node.value {
            NodeValue::Map(entries) => {
                for entry in entries {
                    self.check_identifier(&entry.key, what);
                }
                entries
            }
            NodeValue::Null => &[],
            _ => {
                let message = format!("{what} is an object of names, but this is {}", node.kind_name());
                self.report_error("E-TYPE", node.span, message);
                &[]
            }
        }
    }

    pub(crate) fn check_identifier(&mut self, name: &SourceText, what: &str) {
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
            let message = format!(
                "`{}` is a reserved word of expressions, so it cannot be a name in {what}",
                name.value
            );
            self.report_error("E-NAME", name.span, message);
        }
    }

    pub(crate) fn items<'n>(&mut self, node: &'n SourceNode, what: &str) -> &'n [SourceNode] {
        match &node.value {
            NodeValue::List(items) => items,
            NodeValue::Null => &[],
            _ => {
                let message = format!("{what} is a list, but this is {}", node.kind_name());
                self.report_error("E-TYPE", node.span, message);
                &[]
            }
        }
    }

    pub(crate) fn text<'n>(&mut self, node: &'n SourceNode, what: &str) -> Option<&'n SourceText> {
        let text = node.as_text();
        if text.is_none() {
            let message = format!("{what} is a text, but this is {}", node.kind_name());
            self.report_error("E-TYPE", node.span, message);
        }
        text
    }

    pub(crate) fn flag(&mut self, node: &SourceNode, what: &str) -> bool {
        node.as_bool().unwrap_or_else(|| {
            let message = format!("{what} is `true` or `false`, but this is {}", node.kind_name());
            self.report_error("E-TYPE", node.span, message);
            false
        })
    }

    pub(crate) fn number(&mut self, node: &SourceNode, what: &str) -> i64 {
        node.as_int().unwrap_or_else(|| {
            let message = format!("{what} is a whole number, but this is {}", node.kind_name());
            self.report_error("E-TYPE", node.span, message);
            0
        })
    }

    /// Returns the word if it is one of `known`, and reports it otherwise.
    pub(crate) fn word<'k>(&mut self, node: &SourceNode, what: &str, known: &[&'k str]) -> Option<&'k str> {
        let text = self.text(node, what)?;
        let found = known.iter().copied().find(|word| *word == text.value);
        if found.is_none() {
            self.report_unknown("E-ENUM", text.span, what, &text.value, known.iter().copied());
        }
        found
    }

    // --- types --------------------------------------------------------------------

    pub(crate) fn type_of(&mut self, node: &SourceNode) -> Ty {
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
            return self.report_unknown(
                "E-NAME",
                ty.name.span,
                "type",
                &ty.name.text,
                known.iter().map(String::as_str),
            );
        }
        if args.len() != expected {
            let message = format!("`{}` takes {expected} types in `<…>`, not {}", ty.name.text, args.len());
            return self.report_error("E-TYPE", ty.span, message);
        }
        match ty.name.text.as_str() {
            "list" => Ty::list(args[0].clone()),
            "maybe" => args[0].clone().maybe(),
            "answer" => self.answer_type(args[0].clone()),
            "map" => {
                if !matches!(args[0], Ty::PLAYER | Ty::Enum(_) | Ty::Error) {
                    return self.report_error(
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
                    self.report_unknown(
                        "E-NAME",
                        ty.name.span,
                        "type",
                        simple,
                        known.iter().map(String::as_str),
                    )
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
                if let Some(kind) = self.symbols.kinds.get(name) {
                    Ty::Kind(kind.id)
                } else if let Some((id, _)) = self.symbols.enums.get(name) {
                    Ty::Enum(*id)
                } else {
                    self.symbols.records.get(name)?.clone()
                }
            }
        })
    }

    /// Returns the type of one player's answer to a `how: each` choice.
    pub(crate) fn answer_type(&mut self, value: Ty) -> Ty {
        let fields = vec![
            (self.intern_symbol("value"), value),
            (self.intern_symbol("touched"), Ty::Bool),
            (self.intern_symbol("how"), Ty::Symbol),
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
            .chain(self.symbols.kinds.names())
            .chain(self.symbols.enums.names())
            .chain(self.symbols.records.names())
            .map(str::to_owned)
            .collect()
    }
}

/// Reserved words of the expression language.
const RESERVED: &[&str] = &[
    "if", "then", "else", "and", "or", "not", "in", "is", "true", "false", "null", "self", "you", "it",
    "players", "options", "flow", "stack", "viewer",
];
