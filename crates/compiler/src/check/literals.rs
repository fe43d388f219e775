//! What events are known to carry: literal values, from every place that emits them or rewrites them.
//!
//! A reaction that asks for anything else never happens. Only literals count:
//! a field that is given any other expression once may be everything.

use std::collections::{BTreeMap, BTreeSet};

use intermezzo_ruleset::{EventId, Instr, KindId, Symbol, native};

use super::Checker;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};

/// A value that is known before play.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Word(String),
}

impl Literal {
    fn show(&self) -> String {
        match self {
            Literal::Null => "null".to_owned(),
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Word(name) => name.clone(),
        }
    }
}

/// What a payload field may be.
#[derive(Default)]
pub(crate) struct Carried {
    values: BTreeSet<Literal>,
    /// Anything of its type.
    open: bool,
}

/// What is asked of something, by its path: one of these values.
pub(crate) type Wanted = BTreeMap<String, BTreeSet<Literal>>;

const CHANGED_PROP: u16 = 1;
const CREATED_DEF: u16 = 1;

impl Checker<'_> {
    /// The value of an expression, if it can be told from its text.
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
                let is_literal = is_word && self.body.binding(name).is_none() && self.world.is_symbol(name);
                is_literal.then(|| Literal::Word(name.clone()))
            }
            _ => None,
        }
    }

    /// Notes what a place gives an event's field; nothing stands for any value.
    pub(crate) fn note_carried(&mut self, event: EventId, field: u16, value: Option<Literal>) {
        let carried = self.usage.carried.entry((event.0, field)).or_default();
        match value {
            Some(value) => {
                carried.values.insert(value);
            }
            None => carried.open = true,
        }
    }

    /// Notes the value an expression gives an event's field.
    pub(crate) fn note_field(&mut self, event: EventId, field: u16, expr: &Expr, ty: &Ty) {
        let value = self.literal(expr, ty);
        self.note_carried(event, field, value);
    }

    /// Notes that a statement changes the property that a left side names.
    pub(crate) fn note_changed(&mut self, target: &Expr) {
        let value = match &target.kind {
            ExprKind::Method { name, .. } => Some(Literal::Word(name.text.clone())),
            ExprKind::Index { index, .. } => self.literal(index, &Ty::Resource),
            _ => None,
        };
        self.note_carried(native::CHANGED, CHANGED_PROP, value);
    }

    /// Notes that a statement makes entities of the def, or of any.
    pub(crate) fn note_created(&mut self, def: Option<&str>) {
        let value = def.map(|name| Literal::Word(name.to_owned()));
        self.note_carried(native::CREATED, CREATED_DEF, value);
    }

    /// The values that tests ask for, by the path of what they test.
    pub(crate) fn wanted(&self, tests: &[Expr]) -> Wanted {
        let mut wanted = Wanted::new();
        let mut open: Vec<&Expr> = tests.iter().collect();
        while let Some(test) = open.pop() {
            if let ExprKind::Binary { op: BinaryOp::And, left, right, .. } = &test.kind {
                open.extend([&**left, &**right]);
                continue;
            }
            let Some((path, values)) = self.asked(test) else { continue };
            let both = match wanted.get(&path) {
                Some(before) => before.intersection(&values).cloned().collect(),
                None => values,
            };
            wanted.insert(path, both);
        }
        wanted
    }

    /// `event.field == value`, `event.field in [values]`, `event.flag`, `not event.flag`
    fn asked(&self, test: &Expr) -> Option<(String, BTreeSet<Literal>)> {
        // The host of a rule is another one each time.
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

    /// Reactions whose tests contradict each other, or everything their event can be.
    pub(crate) fn check_contradictions(&mut self) {
        self.note_what_rules_imply();
        let mut found = Vec::new();
        for seen in &self.reactions {
            let hint =
                seen.wants.iter().find_map(|(path, values)| self.contradiction(seen.event, path, values));
            if let Some(hint) = hint {
                let message = format!("nothing ever sets off `{}`", seen.name);
                found.push(Diagnostic::error("E-UNREACH", seen.span, message).hint(hint));
            }
        }
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// What happens without a statement that says so: resets, refunds, traits of defs, items on the stack.
    fn note_what_rules_imply(&mut self) {
        let program = &self.program;
        let changes = program.code.iter().filter_map(|instr| match instr {
            Instr::Change { prop, .. } => Some(*prop),
            _ => None,
        });
        let props = program.resets.iter().map(|reset| reset.prop).chain(changes);
        let props: BTreeSet<Symbol> = props.map(|prop| program.props[prop.index()].name).collect();
        let given = program.defs.iter().flat_map(|def| &def.traits).map(|(given, _)| *given);
        let items = program.defs.iter().filter(|def| program.is_kind(def.kind, KindId::ITEM));
        let defs: BTreeSet<Symbol> =
            given.map(|def| program.defs[def.index()].name).chain(items.map(|def| def.name)).collect();
        for (place, names) in
            [((native::CHANGED, CHANGED_PROP), props), ((native::CREATED, CREATED_DEF), defs)]
        {
            for name in names {
                let name = self.world.spelling(name).to_owned();
                self.note_carried(place.0, place.1, Some(Literal::Word(name)));
            }
        }
    }

    /// Why what stands at a path can have none of the values.
    fn contradiction(&self, event: EventId, path: &str, values: &BTreeSet<Literal>) -> Option<String> {
        if values.is_empty() {
            return Some(format!("its tests ask for different values of `{path}`"));
        }
        let (name, info) = self.world.event_by_id(event);
        let spelling = path.strip_prefix("event.")?;
        let field = info.fields.iter().position(|(field, _)| self.world.spelling(*field) == spelling)? as u16;
        let is_followed = [(native::CHANGED, CHANGED_PROP), (native::CREATED, CREATED_DEF)];
        let is_known = !info.native || is_followed.contains(&(event, field));
        let is_emitted = self.usage.emitted.contains(&event.0);
        let carried = self.usage.carried.get(&(event.0, field));
        let is_open = carried.is_some_and(|carried| carried.open);
        // An event that nothing emits is reported as such.
        if !is_known || !is_emitted || is_open {
            return None;
        }
        let possible: Vec<&Literal> =
            carried.map(|carried| carried.values.iter().collect()).unwrap_or_default();
        if possible.iter().any(|value| values.contains(value)) {
            return None;
        }
        let show = |values: &mut dyn Iterator<Item = &Literal>| {
            values.map(|value| format!("`{}`", value.show())).collect::<Vec<_>>().join(", ")
        };
        let wanted = show(&mut values.iter());
        Some(match event {
            native::CHANGED => format!("no rule changes {wanted}"),
            native::CREATED => format!("no rule creates {wanted}"),
            _ => format!(
                "it wants `{spelling}` to be {wanted}, but {name} is only emitted with {}",
                show(&mut possible.into_iter())
            ),
        })
    }
}
