//! Reading declarations: allowed keys, and values of simple types.

use super::Checker;
use super::foreign::{foreign_key, foreign_type};
use super::types::{RecordTy, Ty};
use crate::diagnostic::Diagnostic;
use crate::expr::TypeExpr;
use crate::grammar::Object;
use crate::grammar::expressions::TYPES;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};
use intermezzo_program::KindId;
use std::rc::Rc;

impl Checker<'_> {
    /// Returns the entries of an object. Reports keys that it does not have.
    pub(crate) fn entries<'n>(&mut self, node: &'n SourceNode, object: &Object) -> &'n [MapEntry] {
        let what = object.what;
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
            if object.get(key).is_none() && !is_old_ui {
                self.unknown_key(&entry.key, what, object);
            }
        }
        entries
    }

    pub(crate) fn unknown_key(&mut self, key: &SourceText, what: &str, object: &Object) {
        let mut diagnostic =
            Diagnostic::error("E-KEY", key.span, format!("unknown key `{}` in {what}", key.value));
        let accepted = || object.all_keys().filter(|known| Some(known.name) != object.head);
        let near = self.suggest(&key.value, accepted().map(|known| known.name));
        diagnostic = match near.filter(|_| foreign_key(&key.value).is_none()) {
            Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
            None if foreign_key(&key.value).is_some() => {
                diagnostic.hint(foreign_key(&key.value).unwrap_or_default())
            }
            None => diagnostic.hint(format!(
                "accepted here: {}",
                object.arguments().map(|known| known.name).collect::<Vec<_>>().join(", ")
            )),
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

    /// Reads a text that is shown as it is written, and warns about placeholders in it.
    pub(crate) fn fixed_text<'n>(&mut self, node: &'n SourceNode, what: &str) -> Option<&'n SourceText> {
        let text = self.text(node, what)?;
        if let Some(placeholder) = first_placeholder(&text.value) {
            self.report(
                Diagnostic::warning("W-TEXT", node.span, format!("nothing fills `{placeholder}` in {what}"))
                    .hint("this text is shown as it is written, with the braces; leave them out"),
            );
        }
        Some(text)
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
                    if let Some(known) = foreign_type(simple) {
                        let message = format!("unknown type `{simple}`");
                        let problem = Diagnostic::error("E-NAME", ty.name.span, message);
                        self.report(problem.hint(format!("did you mean `{known}`?")));
                        return Ty::Error;
                    }
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
            "stack_item" if !self.symbols.kinds.contains("stack_item") => Ty::Kind(KindId::ITEM),
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
        let own = TYPES.names().map(str::to_owned);
        let kinds = self.symbols.kinds.names().map(str::to_owned);
        // The kinds of traits and of stack items have names with a space.
        own.chain(kinds.filter(|name| !name.contains(' ')))
            .chain(self.symbols.enums.owned_names())
            .chain(self.symbols.records.owned_names())
            .collect()
    }
}

/// Returns true if an object has an unknown key that was probably meant to be this one.
pub(crate) fn has_misspelt(node: &SourceNode, key: &str, object: &Object) -> bool {
    let written = node.as_map().unwrap_or_default().iter().map(|entry| entry.key.value.as_str());
    let mut unknown = written.filter(|written| object.get(written).is_none());
    let known = || object.all_keys().map(|known| known.name);
    unknown.any(|written| crate::diagnostic::suggest(written, known()) == Some(key))
}

/// Reserved words of the expression language.
const RESERVED: &[&str] = &[
    "if", "then", "else", "and", "or", "not", "in", "is", "true", "false", "null", "self", "you", "it",
    "players", "options", "flow", "stack", "viewer",
];

/// Returns the first `{name}` or `{name.property}` of a text, with its braces.
fn first_placeholder(text: &str) -> Option<&str> {
    let is_name = |name: &str| {
        let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(of_name)
    };
    let opens = text.match_indices('{').map(|(at, _)| at);
    opens
        .filter_map(|open| Some(&text[open..=open + text[open..].find('}')?]))
        .find(|found| is_name(&found[1..found.len() - 1]))
}
