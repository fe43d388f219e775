//! Literal values that events are known to carry, collected from every statement that emits or rewrites them.
//!
//! A reaction that requires a different value can never happen. Only literals are tracked: once a field is
//! given any other expression, it may have any value.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_program::{EventId, Instr, KindId, Symbol, native};

use super::Checker;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};

/// A value known at compile time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Word(String),
}

impl Literal {
    pub(crate) fn is_word(&self, name: &str) -> bool {
        matches!(self, Literal::Word(word) if word == name)
    }

    fn to_text(&self) -> String {
        match self {
            Literal::Null => "null".to_owned(),
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Word(name) => name.clone(),
        }
    }
}

/// The values that a payload field can have.
#[derive(Default)]
pub(crate) struct FieldValues {
    values: BTreeSet<Literal>,
    /// The field may have any value of its type.
    open: bool,
}

/// The values that tests require, by the path they test.
pub(crate) type RequiredValues = BTreeMap<String, BTreeSet<Literal>>;

const CHANGED_PROP: u16 = 1;
const CREATED_DEF: u16 = 1;

impl Checker<'_> {
    /// Returns the value of an expression that is a literal.
    pub(crate) fn literal(&self, expr: &Expr, ty: &Ty) -> Option<Literal> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Literal::Int(*value)),
            ExprKind::True => Some(Literal::Bool(true)),
            ExprKind::False => Some(Literal::Bool(false)),
            ExprKind::Null => Some(Literal::Null),
            ExprKind::Unary { op: UnaryOp::Neg, operand } => match self.literal(operand, ty)? {
                Literal::Int(value) => Some(Literal::Int(value.checked_neg()?)),
                _ => None,
            },
            ExprKind::Name(name) => {
                let is_word = matches!(
                    ty.present(),
                    Ty::Symbol | Ty::Enum(_) | Ty::Def | Ty::Trait | Ty::Phase | Ty::Resource | Ty::Outcome
                );
                let is_literal = is_word && self.body.binding(name).is_none() && self.symbols.is_symbol(name);
                is_literal.then(|| Literal::Word(name.clone()))
            }
            _ => None,
        }
    }

    /// Notes a value that a statement gives to a payload field; `None` stands for any value.
    pub(crate) fn note_field_value(&mut self, event: EventId, field: u16, value: Option<Literal>) {
        let carried = self.usage.field_values.entry((event.0, field)).or_default();
        match value {
            Some(value) => {
                carried.values.insert(value);
            }
            None => carried.open = true,
        }
    }

    /// Notes the value that an expression gives to a payload field.
    pub(crate) fn note_field_expr(&mut self, event: EventId, field: u16, expr: &Expr, ty: &Ty) {
        let value = self.literal(expr, ty);
        self.note_field_value(event, field, value);
    }

    /// Notes that a statement changes the property on its left side.
    pub(crate) fn note_changed_prop(&mut self, target: &Expr) {
        let value = match &target.kind {
            ExprKind::Method { name, .. } => Some(Literal::Word(name.text.clone())),
            ExprKind::Index { index, .. } => self.literal(index, &Ty::Resource),
            _ => None,
        };
        self.note_field_value(native::CHANGED, CHANGED_PROP, value);
    }

    /// Notes that a statement creates entities of a def; `None` stands for any def.
    pub(crate) fn note_created_def(&mut self, def: Option<&str>) {
        let value = def.map(|name| Literal::Word(name.to_owned()));
        self.note_field_value(native::CREATED, CREATED_DEF, value);
    }

    /// Returns the values that tests require, by the path they test.
    pub(crate) fn required_values(&self, tests: &[Expr]) -> RequiredValues {
        let mut wanted = RequiredValues::new();
        let mut open: Vec<&Expr> = tests.iter().collect();
        while let Some(test) = open.pop() {
            if let ExprKind::Binary { op: BinaryOp::And, left, right, .. } = &test.kind {
                open.extend([&**left, &**right]);
                continue;
            }
            let Some((path, values)) = self.required_value(test) else { continue };
            let both = match wanted.get(&path) {
                Some(before) => before.intersection(&values).cloned().collect(),
                None => values,
            };
            wanted.insert(path, both);
        }
        wanted
    }

    /// Returns the path and the values required by `event.field == value`, `event.field in [values]`,
    /// `event.flag` or `not event.flag`.
    fn required_value(&self, test: &Expr) -> Option<(String, BTreeSet<Literal>)> {
        // Paths from `self` are excluded, because each host has its own values.
        let path = |expr: &Expr| {
            let is_shared =
                |path: &String| ["event.", "match.", "flow."].iter().any(|root| path.starts_with(root));
            Self::path(expr).filter(is_shared)
        };
        match &test.kind {
            ExprKind::Binary { op: BinaryOp::Eq, left, right, .. } => {
                let (path, value) = match (path(left), path(right)) {
                    (Some(path), None) => (path, right),
                    (None, Some(path)) => (path, left),
                    _ => return None,
                };
                Some((path, BTreeSet::from([self.literal(value, &Ty::Symbol)?])))
            }
            ExprKind::Binary { op: BinaryOp::In, left, right, .. } => {
                let ExprKind::List(items) = &right.kind else { return None };
                let values =
                    items.iter().map(|item| self.literal(item, &Ty::Symbol)).collect::<Option<_>>()?;
                Some((path(left)?, values))
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                Some((path(operand)?, BTreeSet::from([Literal::Bool(false)])))
            }
            _ => Some((path(test)?, BTreeSet::from([Literal::Bool(true)]))),
        }
    }

    /// Reports reactions whose tests contradict each other or every value their event can carry.
    pub(crate) fn check_contradictions(&mut self) {
        self.note_implicit_events();
        let mut found = Vec::new();
        for reaction in &self.reactions {
            let hint = reaction
                .required
                .iter()
                .find_map(|(path, values)| self.contradiction(reaction.event, path, values));
            if let Some(hint) = hint {
                let message = format!("nothing ever triggers `{}`", reaction.name);
                found.push(Diagnostic::warning("W-UNREACH", reaction.span, message).hint(hint));
            }
        }
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Notes the events that happen without a statement: resets, refunds, traits of defs, and items on the
    /// stack.
    fn note_implicit_events(&mut self) {
        let program = &self.program;
        let changes = program.code.iter().filter_map(|instr| match instr {
            Instr::Change { prop, .. } | Instr::Increase { prop, .. } => Some(*prop),
            _ => None,
        });
        let props = program.resets.iter().map(|reset| reset.prop).chain(changes);
        let props: BTreeSet<Symbol> = props.map(|prop| program.props[prop.index()].name).collect();
        let given = program.defs.iter().flat_map(|def| &def.traits).map(|(given, _)| *given);
        let items = program.defs.iter().filter(|def| program.is_kind(def.kind, KindId::ITEM));
        let defs: BTreeSet<Symbol> =
            given.map(|def| program.defs[def.index()].name).chain(items.map(|def| def.name)).collect();
        for (field, names) in
            [((native::CHANGED, CHANGED_PROP), props), ((native::CREATED, CREATED_DEF), defs)]
        {
            for name in names {
                let name = self.symbols.spelling(name).to_owned();
                self.note_field_value(field.0, field.1, Some(Literal::Word(name)));
            }
        }
    }

    /// Returns an explanation if a path can have none of the values.
    fn contradiction(&self, event: EventId, path: &str, values: &BTreeSet<Literal>) -> Option<String> {
        if values.is_empty() {
            return Some(format!("its tests require different values of `{path}`"));
        }
        let (name, info) = self.symbols.event_by_id(event);
        let spelling = path.strip_prefix("event.")?;
        let field =
            info.fields.iter().position(|(field, _)| self.symbols.spelling(*field) == spelling)? as u16;
        let is_followed = [(native::CHANGED, CHANGED_PROP), (native::CREATED, CREATED_DEF)];
        let is_known = !info.native || is_followed.contains(&(event, field));
        let is_emitted = self.usage.emitted.contains(&event.0);
        let carried = self.usage.field_values.get(&(event.0, field));
        let is_open = carried.is_some_and(|carried| carried.open);
        // An event that nothing emits has its own diagnostic.
        if !is_known || !is_emitted || is_open {
            return None;
        }
        let possible: Vec<&Literal> =
            carried.map(|carried| carried.values.iter().collect()).unwrap_or_default();
        if possible.iter().any(|value| values.contains(value)) {
            return None;
        }
        let show = |values: &mut dyn Iterator<Item = &Literal>| {
            values.map(|value| format!("`{}`", value.to_text())).collect::<Vec<_>>().join(", ")
        };
        let wanted = show(&mut values.iter());
        Some(match event {
            native::CHANGED => format!("no rule changes {wanted}"),
            native::CREATED => format!("no rule creates {wanted}"),
            _ => format!(
                "it requires `{spelling}` to be {wanted}, but {name} is only emitted with {}",
                show(&mut possible.into_iter())
            ),
        })
    }
}
