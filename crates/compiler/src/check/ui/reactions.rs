//! The `ui` of a reaction: a title with placeholders, its cost in words, and a preview of a number.

use intermezzo_program::EventId;
use serde_json::{Map, Value};

use crate::check::Checker;
use crate::check::types::Ty;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::grammar::presentation;
use crate::tree::{SourceNode, SourceText};

impl Checker<'_> {
    /// Checks the `ui` of a reaction and stores what clients show with its question.
    pub(crate) fn note_reaction_ui(&mut self, node: &SourceNode, id: &SourceText, event: EventId) {
        let mut hints = Map::new();
        let own_text = node.get("text").and_then(SourceNode::as_text).map(|text| text.value.clone());
        let (owner, owner_text) = self.rule_owner.clone().unwrap_or_default();
        for (key, value) in [("of", owner), ("text", own_text.or(owner_text))] {
            hints.extend(value.map(|value| (key.to_owned(), Value::String(value))));
        }
        if let Some(ui) = node.get("ui").filter(|_| !self.is_published) {
            for entry in self.ui_entries(ui, &presentation::REACTION_UI) {
                match entry.key.value.as_str() {
                    key @ ("title" | "yes" | "no") => self.check_title(&entry.value, key, event),
                    "cost" => self.check_text(&entry.value, "`cost`"),
                    "preview" => self.check_preview(&entry.value, event),
                    _ => {}
                }
                hints.insert(entry.key.value.clone(), entry.value.to_json());
            }
        }
        let asks = ["may", "targets"].iter().any(|key| node.get(key).is_some());
        if asks {
            self.reaction_hints.insert(id.value.clone(), Value::Object(hints));
        }
    }

    pub(super) fn reaction_hints(&self) -> Map<String, Value> {
        self.reaction_hints.clone()
    }

    /// Checks the placeholders of a question or an answer: `{field}`, `{field.property}` and sums of them.
    fn check_title(&mut self, node: &SourceNode, key: &str, event: EventId) {
        let Some(text) = self.text(node, &format!("`{key}`")) else { return };
        let mut rest = 0;
        while let Some(open) = text.value[rest..].find('{').map(|at| rest + at) {
            let Some(close) = text.value[open..].find('}').map(|at| open + at) else { break };
            match crate::expr::parse_at(text, open + 1..close) {
                Ok(expr) => self.check_placeholder(&expr, event),
                Err(diagnostic) => self.report(diagnostic),
            }
            rest = close + 1;
        }
    }

    /// Checks `preview`: by how much a property of an entity changes with each answer.
    fn check_preview(&mut self, node: &SourceNode, event: EventId) {
        for key in presentation::PREVIEW.names().filter(|key| node.get(key).is_none()) {
            self.report_error("E-KEY", node.span, format!("`preview` needs `{key}`"));
        }
        for entry in self.ui_entries(node, &presentation::PREVIEW) {
            match entry.key.value.as_str() {
                "of" => {
                    let Some(name) = self.text(&entry.value, "`of`") else { continue };
                    self.event_field(&name.value.clone(), name.span, event);
                }
                "prop" => {
                    self.check_prop_of(&entry.value, "`prop`", None, true);
                }
                _ if entry.value.as_int().is_some() => {}
                key => {
                    let Some(text) = self.text(&entry.value, &format!("`{key}`")) else { continue };
                    match crate::expr::parse(text) {
                        Ok(expr) => self.check_placeholder(&expr, event),
                        Err(diagnostic) => self.report(diagnostic),
                    }
                }
            }
        }
    }

    /// Clients evaluate placeholders from what their player sees, so only simple sums are possible.
    fn check_placeholder(&mut self, expr: &Expr, event: EventId) {
        match &expr.kind {
            ExprKind::Int(_) => {}
            ExprKind::Name(name) => {
                self.event_field(name, expr.span, event);
            }
            ExprKind::Method { target, name, args, has_parens: false, null_safe: false }
                if args.is_empty() && matches!(target.kind, ExprKind::Name(_)) =>
            {
                let ExprKind::Name(field) = &target.kind else { return };
                let is_known = self.event_field(field, target.span, event).is_some();
                if is_known && self.symbols.props_named(&name.text).next().is_none() {
                    let props = self.symbols.props.iter();
                    let known: Vec<String> =
                        props.map(|prop| self.symbols.spelling(prop.name).to_owned()).collect();
                    let known = known.iter().map(String::as_str);
                    self.report_unknown("E-PROP", name.span, "property", &name.text, known);
                }
            }
            ExprKind::Unary { op: UnaryOp::Neg, operand } => self.check_placeholder(operand, event),
            ExprKind::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div,
                left,
                right,
                ..
            } => {
                self.check_placeholder(left, event);
                self.check_placeholder(right, event);
            }
            _ => {
                self.report(
                    crate::diagnostic::Diagnostic::error("E-TYPE", expr.span, "clients cannot compute this")
                        .hint("write a field of the event, `field.property`, a number, or a sum of these"),
                );
            }
        }
    }

    fn event_field(&mut self, name: &str, span: crate::Span, event: EventId) -> Option<Ty> {
        let (owner, fields) = {
            let (owner, info) = self.symbols.event_by_id(event);
            (owner.to_owned(), info.fields.clone())
        };
        let found = fields.iter().find(|(field, _)| self.symbols.spelling(*field) == name);
        if found.is_none() {
            let known = self.symbols.field_names(&fields);
            let what = format!("field of the event {owner}");
            self.report_unknown("E-PROP", span, &what, name, known.iter().map(String::as_str));
        }
        found.map(|(_, ty)| ty.clone())
    }
}
