//! Warnings about reactions whose order matters but is decided only by their ids.
//!
//! Only the statements of the reactions themselves are analysed, not the procs they call, and only state that
//! is certainly shared: fields of the event, and properties reached from the event or the match.

use intermezzo_program::RuleHost;

use super::Checker;
use super::field_values::RequiredValues;
use super::reactions::ReactionSummary;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, Expr, ExprKind, parse};
use crate::tree::{NodeValue, SourceNode};

/// The way a value is written. Writes of the same kind commute, except [`WriteKind::Other`].
#[derive(Clone, PartialEq, Eq, Debug)]
enum WriteKind {
    Adds,
    Multiplies,
    Lowers,
    Raises,
    /// Sets this value, regardless of the old one.
    Sets(String),
    Other,
}

/// Effects of a reaction on state that other reactions may also affect.
#[derive(Default)]
pub(crate) struct SharedEffects {
    writes: Vec<(String, WriteKind)>,
    prevents: bool,
    replaces: bool,
    /// A player decides whether it happens.
    pub(crate) is_offered: bool,
    pub(crate) priority: i32,
    pub(crate) host: Option<RuleHost>,
    /// The payload field that names its host.
    pub(crate) key: Option<u16>,
}

impl SharedEffects {
    pub(crate) fn of(effects: Option<&SourceNode>) -> SharedEffects {
        let mut shared = SharedEffects::default();
        if let Some(effects) = effects {
            shared.walk(effects);
        }
        shared
    }

    fn is_relevant(&self) -> bool {
        self.prevents || self.replaces || !self.writes.is_empty()
    }

    fn walk(&mut self, node: &SourceNode) {
        match &node.value {
            NodeValue::List(items) => items.iter().for_each(|item| self.walk(item)),
            NodeValue::Map(entries) => {
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

    fn note_writes(&mut self, node: &SourceNode, adds: bool) {
        for entry in node.as_map().unwrap_or_default() {
            let Some(path) = parse(&entry.key).ok().and_then(|target| Checker::path(&target)) else {
                continue;
            };
            if path.starts_with("event.") || path.starts_with("match.") {
                let kind = if adds { WriteKind::Adds } else { write_kind(&path, &entry.value) };
                self.writes.push((path, kind));
            }
        }
    }

    /// Describes the conflict if the order of two reactions matters.
    fn clash(&self, other: &SharedEffects) -> Option<String> {
        let common = self.writes.iter().find(|(path, kind)| {
            let mut others = other.writes.iter().filter(|(other, _)| other == path);
            others.any(|(_, other)| kind != other || *kind == WriteKind::Other)
        });
        if let Some((path, _)) = common {
            return Some(format!("both write `{path}`"));
        }
        let rewrites = |effects: &SharedEffects| {
            effects
                .writes
                .iter()
                .any(|(path, _)| path.matches('.').count() == 1 && path.starts_with("event."))
        };
        let changes = |effects: &SharedEffects| effects.replaces || rewrites(effects);
        if self.replaces && other.replaces {
            return Some("both replace the event".to_owned());
        }
        let is_clash = (self.prevents && changes(other)) || (other.prevents && changes(self));
        is_clash.then(|| "one prevents the event and the other changes it".to_owned())
    }
}

fn write_kind(path: &str, value: &SourceNode) -> WriteKind {
    let Some(text) = value.as_text() else {
        // A number or a boolean. Setting the same one twice does no harm.
        return WriteKind::Sets(format!("{:?}", value.as_int().map_or(value.as_bool().map(i64::from), Some)));
    };
    let Ok(expr) = parse(text) else { return WriteKind::Other };
    let is_path = |expr: &Expr| Checker::path(expr).as_deref() == Some(path);
    let one_of =
        |a: &Expr, b: &Expr| (is_path(a) && !may_read(b, path)) || (is_path(b) && !may_read(a, path));
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Add, left, right, .. } if one_of(left, right) => WriteKind::Adds,
        ExprKind::Binary { op: BinaryOp::Sub, left, right, .. }
            if is_path(left) && !may_read(right, path) =>
        {
            WriteKind::Adds
        }
        ExprKind::Binary { op: BinaryOp::Mul, left, right, .. } if one_of(left, right) => {
            WriteKind::Multiplies
        }
        ExprKind::Call { name, args } if args.len() == 2 && one_of(&args[0].body, &args[1].body) => {
            match name.text.as_str() {
                "min" => WriteKind::Lowers,
                "max" => WriteKind::Raises,
                _ => WriteKind::Other,
            }
        }
        _ if may_read(&expr, path) => WriteKind::Other,
        _ => WriteKind::Sets(text.value.trim().to_owned()),
    }
}

/// Returns true if an expression may read the path.
fn may_read(expr: &Expr, path: &str) -> bool {
    if Checker::path(expr).is_some_and(|found| found == path) {
        return true;
    }
    match &expr.kind {
        ExprKind::Unary { operand, .. } | ExprKind::Assert(operand) => may_read(operand, path),
        ExprKind::Binary { left, right, .. } => may_read(left, path) || may_read(right, path),
        ExprKind::If { cond, then, otherwise } => {
            may_read(cond, path) || may_read(then, path) || may_read(otherwise, path)
        }
        ExprKind::Call { args, .. } => args.iter().any(|arg| may_read(&arg.body, path)),
        ExprKind::Method { target, args, .. } => {
            may_read(target, path) || args.iter().any(|arg| may_read(&arg.body, path))
        }
        ExprKind::Index { target, index } => may_read(target, path) || may_read(index, path),
        ExprKind::List(items) => items.iter().any(|item| may_read(item, path)),
        ExprKind::Record(fields) => fields.iter().any(|(_, value)| may_read(value, path)),
        _ => false,
    }
}

impl Checker<'_> {
    /// Warns about pairs of reactions that always happen at the same moment and whose order matters.
    pub(crate) fn check_reaction_order(&mut self) {
        if self.is_order_chosen {
            return;
        }
        let mut found = Vec::new();
        for (at, later) in
            self.reactions.iter().enumerate().filter(|(_, reaction)| reaction.shared_effects.is_relevant())
        {
            let clash = self.reactions[..at].iter().find_map(|earlier| {
                let meet = self.can_coincide(earlier, later);
                meet.then(|| earlier.shared_effects.clash(&later.shared_effects))
                    .flatten()
                    .map(|clash| (earlier, clash))
            });
            if let Some((earlier, clash)) = clash {
                let (event, _) = self.symbols.event_by_id(later.event);
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

    /// Returns true if one event can trigger both, with the same priority and without a player's decision.
    fn can_coincide(&self, a: &ReactionSummary, b: &ReactionSummary) -> bool {
        let alike =
            (a.event, a.before, a.shared_effects.priority) == (b.event, b.before, b.shared_effects.priority);
        if !alike
            || a.shared_effects.is_offered
            || b.shared_effects.is_offered
            || are_exclusive(&a.required, &b.required)
        {
            return false;
        }
        match (a.shared_effects.host, b.shared_effects.host) {
            // A field holds one entity, and an entity has one def. Traits are different: an entity can have
            // several.
            (Some(RuleHost::Def(first)), Some(RuleHost::Def(second))) if first != second => {
                let is_trait = |def: intermezzo_program::DefId| self.program.defs[def.index()].is_trait;
                let same_key = a.shared_effects.key.is_some() && a.shared_effects.key == b.shared_effects.key;
                !same_key || is_trait(first) || is_trait(second)
            }
            _ => true,
        }
    }
}

/// Returns true if two reactions require different values of a field.
fn are_exclusive(a: &RequiredValues, b: &RequiredValues) -> bool {
    a.iter().any(|(field, values)| b.get(field).is_some_and(|other| values.is_disjoint(other)))
}
