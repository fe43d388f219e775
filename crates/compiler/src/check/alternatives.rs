//! The alternatives of a `choose`: a list of objects under `choices`, each perhaps with alternatives of its own.

use std::rc::Rc;

use intermezzo_ruleset::{Branch, Choice, Inner, NULL, Reg};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::tree::{Node, Value};

const KEYS: [&str; 8] = ["id", "title", "choices", "min", "max", "count", "exclusive", "if"];

/// The branches of a choice as far as they are written.
pub(super) struct Branches {
    pub(super) list: Vec<Branch>,
    /// What all their options have in common.
    pub(super) item: Ty,
    /// Where the four registers of the next one are.
    next: Reg,
}

impl Branches {
    pub(super) fn new(first: Reg) -> Branches {
        Branches { list: Vec::new(), item: Ty::Never, next: first }
    }
}

/// The alternatives, if `choices` is written as a list of objects.
pub(super) fn alternatives(choices: &Node) -> Option<&[Node]> {
    let items = choices.as_list()?;
    items.iter().any(|item| matches!(item.value, Value::Map(_))).then_some(items)
}

/// Those that an alternative has of its own.
fn own(alternative: &Node) -> Option<&[Node]> {
    alternative.get("choices").and_then(alternatives)
}

/// How many levels of alternatives there are.
pub(super) fn levels(list: &[Node]) -> usize {
    1 + list.iter().filter_map(own).map(levels).max().unwrap_or(0)
}

fn total(list: &[Node]) -> usize {
    list.len() + list.iter().filter_map(own).map(total).sum::<usize>()
}

impl Checker<'_> {
    /// How many alternatives there are on all levels; none if they are more than there may be.
    pub(super) fn count_alternatives(&mut self, list: &[Node]) -> u16 {
        let Some(first) = list.first() else { return 0 };
        let (total, levels) = (total(list), levels(list));
        if levels > Choice::MAX_LEVELS {
            let message =
                format!("alternatives nest {levels} deep, but at most {} will do", Choice::MAX_LEVELS);
            self.report(
                Diagnostic::error("E-LIMIT", first.span, message)
                    .hint("ask in several steps, one `choose` after the other"),
            );
            return 0;
        }
        if total > Choice::MAX_BRANCHES {
            let message =
                format!("there are {total} alternatives, but at most {} will do", Choice::MAX_BRANCHES);
            self.report(
                Diagnostic::error("E-LIMIT", first.span, message)
                    .hint("offer values: `from` takes a list of any length"),
            );
            return 0;
        }
        total as u16
    }

    /// Writes the alternatives of one parent, each followed by its own.
    pub(super) fn branches(&mut self, list: &[Node], parent: Option<u16>, branches: &mut Branches) {
        let mut known: Vec<String> = Vec::new();
        for node in list {
            let regs = branches.next;
            branches.next = regs.offset(4);
            if self.entries(node, "a choice", &KEYS).is_empty() {
                continue;
            }
            match node.get("if").and_then(|test| self.node_expr(test)) {
                Some(test) => self.value_into(regs, &test, &Ty::Bool),
                None => self.load(regs, 1),
            }
            let index = branches.list.len() as u16;
            let inner = self.inner(node, regs, &mut branches.item);
            if let Some(branch) = self.branch(node, parent, inner, &mut known) {
                branches.list.push(branch);
            }
            if let Some(own) = own(node) {
                self.branches(own, Some(index), branches);
            }
        }
    }

    fn branch(
        &mut self,
        node: &Node,
        parent: Option<u16>,
        inner: Inner,
        known: &mut Vec<String>,
    ) -> Option<Branch> {
        let title = node.get("title").and_then(|node| self.text(node, "`title`"));
        let id = node.get("id").and_then(|node| self.text(node, "`id`"));
        let Some(named) = id.or(title) else {
            self.wrong("E-CHOOSE", node.span, "a choice needs `id` or `title`");
            return None;
        };
        let spelling = named.value.clone();
        if known.contains(&spelling) {
            self.report(
                Diagnostic::error(
                    "E-NAME",
                    named.span,
                    format!("there is already an alternative `{spelling}` here"),
                )
                .hint("give it another `id`: answers tell alternatives apart by it"),
            );
        }
        known.push(spelling.clone());
        self.world.free_symbols.insert(&spelling, ());
        self.mark_used("symbols", &spelling);
        let id = self.symbol(&spelling);
        let title = title.map_or(spelling, |text| text.value.clone());
        let exclusive = match node.get("exclusive") {
            Some(node) => self.flag(node, "`exclusive`"),
            None => false,
        };
        Some(Branch { id, title: self.intern_text(&title), exclusive, parent, inner })
    }

    /// Puts what there is to pick in an alternative into its registers.
    fn inner(&mut self, node: &Node, regs: Reg, item: &mut Ty) -> Inner {
        let (list, min, max) = (regs.offset(1), regs.offset(2), regs.offset(3));
        let Some(choices) = node.get("choices") else {
            self.load(list, 0);
            self.load(min, 0);
            self.load(max, 0);
            return Inner::Nothing;
        };
        self.check_bounds(node.span, &|key| node.get(key));
        let inner = match alternatives(choices) {
            Some(own) => {
                self.check_least(node.span, own, &|key| node.get(key));
                self.load(list, 0);
                Inner::Branches
            }
            None => {
                self.own_options(choices, list, item);
                Inner::Options
            }
        };
        for (key, reg) in [("min", min), ("max", max)] {
            let bound = node.get("count").or_else(|| node.get(key));
            match bound.and_then(|bound| self.node_expr(bound)) {
                Some(expr) => self.value_into(reg, &expr, &Ty::Int),
                None => self.load(reg, NULL),
            }
        }
        inner
    }

    fn own_options(&mut self, choices: &Node, list: Reg, item: &mut Ty) {
        let value = self.node_value(choices);
        let value = self.as_list(Val { ty: value.ty.present(), ..value });
        if !matches!(value.ty, Ty::List(_)) && !value.ty.is_error() {
            let message = format!("`choices` is a list, but this is {}", self.world.show(&value.ty));
            self.wrong("E-TYPE", choices.span, message);
        }
        let ty = self.item_type(&value.ty);
        *item = match self.join(item, &ty) {
            Some(joined) => joined,
            None => self.no_join(&item.clone(), &ty, choices.span),
        };
        self.body.put(list, value.reg);
    }

    /// Whether so many alternatives have to be taken as can never be taken together.
    pub(super) fn check_least<'n>(
        &mut self,
        span: Span,
        list: &[Node],
        get: &dyn Fn(&str) -> Option<&'n Node>,
    ) {
        let is_alone = |node: &&Node| node.get("exclusive").and_then(Node::as_bool) == Some(true);
        let alone = list.iter().filter(is_alone).count();
        let together = (list.len() - alone).max(alone.min(1));
        let Some(key) = ["count", "min"].into_iter().find(|key| get(key).is_some()) else { return };
        let least = get(key).and_then(Node::as_int);
        if let Some(least) = least.filter(|least| *least > together as i64) {
            let message =
                format!("`{key}` is {least}, but at most {together} of these alternatives go together");
            self.wrong("E-CHOOSE", span, message);
        }
    }

    /// The type of an alternative that is taken, where there are so many levels of them.
    pub(super) fn taken_type(&mut self, item: &Ty, levels: usize) -> Ty {
        let mut fields =
            vec![(self.symbol("id"), Ty::Symbol), (self.symbol("selection"), Ty::list(item.clone()))];
        if levels > 1 {
            let chosen = self.taken_type(item, levels - 1);
            fields.push((self.symbol("chosen"), Ty::list(chosen)));
        }
        Ty::Record(Rc::new(RecordTy { name: None, fields }))
    }
}
