//! Reactions whose order matters although nothing but their ids decides it.
//!
//! Looked at are the statements of a reaction itself, not those of procs it
//! calls, and only what certainly is the same for both: fields of the event,
//! and properties reached from it or from the match.

use intermezzo_ruleset::RuleHost;

use super::Checker;
use super::literals::Wanted;
use super::reactions::Seen;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, parse};
use crate::tree::{Node, Value};

/// How a value is written. Writes of the same sort may change places.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Manner {
    Adds,
    Multiplies,
    Lowers,
    Raises,
    /// The same value, whatever was there.
    Sets(String),
    Otherwise,
}

/// What a reaction does to things that others may touch as well.
#[derive(Default)]
pub(crate) struct Touches {
    writes: Vec<(String, Manner)>,
    prevents: bool,
    replaces: bool,
    /// A player may decline it.
    pub(crate) is_offered: bool,
    pub(crate) priority: i32,
    pub(crate) host: Option<RuleHost>,
    /// The payload field that is its host.
    pub(crate) key: Option<u16>,
}

impl Touches {
    pub(crate) fn of(effects: Option<&Node>) -> Touches {
        let mut touches = Touches::default();
        if let Some(effects) = effects {
            touches.walk(effects);
        }
        touches
    }

    fn is_any(&self) -> bool {
        self.prevents || self.replaces || !self.writes.is_empty()
    }

    fn walk(&mut self, node: &Node) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Map(entries) => {
                for entry in entries {
                    match entry.key.value.as_str() {
                        "set" | "add" => self.note_writes(&entry.value, entry.key.value == "add"),
                        "prevent" if entry.value.as_text().is_some_and(|text| text.value == "event") => {
                            let replaces = node.get("instead").is_some();
                            self.replaces |= replaces;
                            self.prevents |= !replaces;
                        }
                        "then" | "else" | "do" | "group" => self.walk(&entry.value),
                        "cases" => {
                            let cases = entry.value.as_map().unwrap_or_default();
                            cases.iter().for_each(|case| self.walk(&case.value));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn note_writes(&mut self, node: &Node, adds: bool) {
        for entry in node.as_map().unwrap_or_default() {
            let Some(path) = parse(&entry.key).ok().and_then(|target| Checker::path(&target)) else {
                continue;
            };
            if path.starts_with("event.") || path.starts_with("match.") {
                let manner = if adds { Manner::Adds } else { manner(&path, &entry.value) };
                self.writes.push((path, manner));
            }
        }
    }

    /// What both do to the same thing so that their order matters.
    fn clash(&self, other: &Touches) -> Option<String> {
        let common = self.writes.iter().find(|(path, manner)| {
            let mut others = other.writes.iter().filter(|(other, _)| other == path);
            others.any(|(_, other)| manner != other || *manner == Manner::Otherwise)
        });
        if let Some((path, _)) = common {
            return Some(format!("both write `{path}`"));
        }
        let rewrites = |touches: &Touches| {
            touches
                .writes
                .iter()
                .any(|(path, _)| path.matches('.').count() == 1 && path.starts_with("event."))
        };
        let changes = |touches: &Touches| touches.replaces || rewrites(touches);
        if self.replaces && other.replaces {
            return Some("both replace the event".to_owned());
        }
        let is_clash = (self.prevents && changes(other)) || (other.prevents && changes(self));
        is_clash.then(|| "one prevents the event and the other changes it".to_owned())
    }
}

fn manner(path: &str, value: &Node) -> Manner {
    let Some(text) = value.as_text() else {
        // A number or a flag; the same one can be set twice.
        return Manner::Sets(format!("{:?}", value.as_int().map_or(value.as_bool().map(i64::from), Some)));
    };
    let Ok(expr) = parse(text) else { return Manner::Otherwise };
    let is_path = |expr: &Expr| Checker::path(expr).as_deref() == Some(path);
    let one_of = |a: &Expr, b: &Expr| (is_path(a) && !reads(b, path)) || (is_path(b) && !reads(a, path));
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Add, left, right, .. } if one_of(left, right) => Manner::Adds,
        ExprKind::Binary { op: BinaryOp::Sub, left, right, .. } if is_path(left) && !reads(right, path) => {
            Manner::Adds
        }
        ExprKind::Binary { op: BinaryOp::Mul, left, right, .. } if one_of(left, right) => Manner::Multiplies,
        ExprKind::Call { name, args } if args.len() == 2 && one_of(&args[0].body, &args[1].body) => {
            match name.text.as_str() {
                "min" => Manner::Lowers,
                "max" => Manner::Raises,
                _ => Manner::Otherwise,
            }
        }
        _ if reads(&expr, path) => Manner::Otherwise,
        _ => Manner::Sets(text.value.trim().to_owned()),
    }
}

/// Whether an expression may read the path; lists and lambdas count as if they did.
fn reads(expr: &Expr, path: &str) -> bool {
    if Checker::path(expr).is_some_and(|found| found == path) {
        return true;
    }
    match &expr.kind {
        ExprKind::Unary { operand, .. } | ExprKind::Assert(operand) => reads(operand, path),
        ExprKind::Binary { left, right, .. } => reads(left, path) || reads(right, path),
        ExprKind::If { cond, then, otherwise } => {
            reads(cond, path) || reads(then, path) || reads(otherwise, path)
        }
        ExprKind::Call { args, .. } => args.iter().any(|arg| reads(&arg.body, path)),
        ExprKind::Method { target, args, .. } => {
            reads(target, path) || args.iter().any(|arg| reads(&arg.body, path))
        }
        ExprKind::Index { target, index } => reads(target, path) || reads(index, path),
        ExprKind::List(items) => items.iter().any(|item| reads(item, path)),
        ExprKind::Record(fields) => fields.iter().any(|(_, value)| reads(value, path)),
        _ => false,
    }
}

impl Checker<'_> {
    /// Two rules that always happen, at the same moment, and whose order makes a difference.
    pub(crate) fn check_ordering(&mut self) {
        if self.is_order_chosen {
            return;
        }
        let mut found = Vec::new();
        for (at, later) in self.reactions.iter().enumerate().filter(|(_, seen)| seen.touches.is_any()) {
            let clash = self.reactions[..at].iter().find_map(|earlier| {
                let meet = self.can_meet(earlier, later);
                meet.then(|| earlier.touches.clash(&later.touches)).flatten().map(|clash| (earlier, clash))
            });
            if let Some((earlier, clash)) = clash {
                let (event, _) = self.world.event_by_id(later.event);
                let side = if later.before { "before" } else { "after" };
                let message = format!(
                    "`{}` and `{}` come {side} {event}, and {clash}: their ids decide which is first",
                    earlier.name, later.name
                );
                found.push(
                    Diagnostic::warning("W-ORDER", later.span, message)
                        .related(earlier.span, "the other one")
                        .hint("give one of them a `priority`: higher ones come first"),
                );
            }
        }
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// Whether one event can set off both, at the same priority and without asking anybody.
    fn can_meet(&self, a: &Seen, b: &Seen) -> bool {
        let alike = (a.event, a.before, a.touches.priority) == (b.event, b.before, b.touches.priority);
        if !alike || a.touches.is_offered || b.touches.is_offered || exclude(&a.wants, &b.wants) {
            return false;
        }
        match (a.touches.host, b.touches.host) {
            // The same field cannot be an entity of two defs.
            (Some(RuleHost::Def(first)), Some(RuleHost::Def(second))) if first != second => {
                let is_trait = |def: intermezzo_ruleset::DefId| self.program.defs[def.index()].is_trait;
                let same_key = a.touches.key.is_some() && a.touches.key == b.touches.key;
                !same_key || is_trait(first) || is_trait(second)
            }
            _ => true,
        }
    }
}

/// Whether two reactions ask for different values of a field.
fn exclude(a: &Wanted, b: &Wanted) -> bool {
    a.iter().any(|(field, values)| b.get(field).is_some_and(|other| values.is_disjoint(other)))
}
