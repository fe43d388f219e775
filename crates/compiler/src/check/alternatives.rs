//! The alternatives of a `choose`: a list of objects under `choices`, which may nest.

use crate::grammar::statements;
use std::rc::Rc;

use intermezzo_program::{BranchContent, Choice, ChoiceBranch, NULL, Reg};

use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::tree::{NodeValue, SourceNode};

/// The branches of a choice compiled up to now.
pub(super) struct Branches {
    pub(super) list: Vec<ChoiceBranch>,
    /// The common type of all their options.
    pub(super) item: Ty,
    /// The first of the four registers of the next branch.
    next: Reg,
}

impl Branches {
    pub(super) fn new(first: Reg) -> Branches {
        Branches { list: Vec::new(), item: Ty::Never, next: first }
    }
}

/// Returns the alternatives if `choices` is written as a list of objects.
pub(super) fn alternatives(choices: &SourceNode) -> Option<&[SourceNode]> {
    let items = choices.as_list()?;
    items.iter().any(|item| matches!(item.value, NodeValue::Map(_))).then_some(items)
}

fn nested_alternatives(alternative: &SourceNode) -> Option<&[SourceNode]> {
    alternative.get("choices").and_then(alternatives)
}

/// Returns the nesting depth of alternatives.
pub(super) fn levels(list: &[SourceNode]) -> usize {
    1 + list.iter().filter_map(nested_alternatives).map(levels).max().unwrap_or(0)
}

fn total(list: &[SourceNode]) -> usize {
    list.len() + list.iter().filter_map(nested_alternatives).map(total).sum::<usize>()
}

impl Checker<'_> {
    /// Counts the alternatives on all levels. Reports an error and returns 0 if they exceed a limit.
    pub(super) fn count_alternatives(&mut self, list: &[SourceNode]) -> u16 {
        let Some(first) = list.first() else { return 0 };
        let (total, levels) = (total(list), levels(list));
        if levels > Choice::MAX_LEVELS {
            let message = format!(
                "alternatives nest {levels} deep, but at most {} levels are allowed",
                Choice::MAX_LEVELS
            );
            self.report(
                Diagnostic::error("E-LIMIT", first.span, message)
                    .hint("ask in several steps, one `choose` after the other"),
            );
            return 0;
        }
        if total > Choice::MAX_BRANCHES {
            let message =
                format!("there are {total} alternatives, but at most {} are allowed", Choice::MAX_BRANCHES);
            self.report(
                Diagnostic::error("E-LIMIT", first.span, message)
                    .hint("offer values: `from` takes a list of any length"),
            );
            return 0;
        }
        total as u16
    }

    /// Compiles the alternatives of one parent, each followed by its nested ones.
    pub(super) fn lower_branches(
        &mut self,
        list: &[SourceNode],
        parent: Option<u16>,
        branches: &mut Branches,
    ) {
        let mut known: Vec<String> = Vec::new();
        for node in list {
            let regs = branches.next;
            branches.next = regs.offset(4);
            if self.entries(node, &statements::ALTERNATIVE).is_empty() {
                continue;
            }
            match node.get("if").and_then(|test| self.node_expr(test)) {
                Some(test) => self.value_into(regs, &test, &Ty::Bool),
                None => self.load(regs, 1),
            }
            let index = branches.list.len() as u16;
            let inner = self.lower_inner(node, regs, &mut branches.item);
            if let Some(branch) = self.build_branch(node, parent, inner, &mut known) {
                branches.list.push(branch);
            }
            if let Some(own) = nested_alternatives(node) {
                self.lower_branches(own, Some(index), branches);
            }
        }
    }

    fn build_branch(
        &mut self,
        node: &SourceNode,
        parent: Option<u16>,
        inner: BranchContent,
        known: &mut Vec<String>,
    ) -> Option<ChoiceBranch> {
        let title = node.get("title").and_then(|node| self.choice_text(node));
        let id = node.get("id").and_then(|node| self.text(node, "`id`"));
        let Some(named) = id.or(title) else {
            self.report_error("E-CHOOSE", node.span, "a choice needs `id` or `title`");
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
                .hint("give it another `id`: answers identify alternatives by it"),
            );
        }
        known.push(spelling.clone());
        self.symbols.free_symbols.insert(&spelling, ());
        self.mark_used("symbols", &spelling);
        let id = self.intern_symbol(&spelling);
        let title = title.map_or(spelling, |text| text.value.clone());
        let exclusive = match node.get("exclusive") {
            Some(node) => self.flag(node, "`exclusive`"),
            None => false,
        };
        Some(ChoiceBranch { id, title: self.intern_text(&title), exclusive, parent, inner })
    }

    /// Loads the options and bounds of an alternative into its registers.
    fn lower_inner(&mut self, node: &SourceNode, regs: Reg, item: &mut Ty) -> BranchContent {
        let (list, min, max) = (regs.offset(1), regs.offset(2), regs.offset(3));
        let Some(choices) = node.get("choices") else {
            self.load(list, 0);
            self.load(min, 0);
            self.load(max, 0);
            return BranchContent::Nothing;
        };
        self.check_bounds(node.span, &|key| node.get(key));
        let inner = match alternatives(choices) {
            Some(own) => {
                self.check_minimum(node.span, own, &|key| node.get(key));
                self.load(list, 0);
                BranchContent::Branches
            }
            None => {
                self.lower_inner_options(choices, list, item);
                BranchContent::Options
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

    fn lower_inner_options(&mut self, choices: &SourceNode, list: Reg, item: &mut Ty) {
        let value = self.node_value(choices);
        let value = self.as_list(Val { ty: value.ty.present(), ..value });
        if !matches!(value.ty, Ty::List(_)) && !value.ty.is_error() {
            let message = format!("`choices` is a list, but this is {}", self.symbols.type_name(&value.ty));
            self.report_error("E-TYPE", choices.span, message);
        }
        let ty = self.item_type(&value.ty);
        *item = match self.join(item, &ty) {
            Some(joined) => joined,
            None => {
                let names = [item.clone(), ty].map(|ty| self.symbols.type_name(&ty));
                let message = format!("{} and {} have no common type", names[0], names[1]);
                self.report(Diagnostic::error("E-TYPE", choices.span, message).hint(
                    "the options of all alternatives have one type; offer this alternative without options, and ask for \
                     them with a `choose` of its own",
                ));
                Ty::Error
            }
        };
        self.body.put(list, value.reg);
    }

    /// Reports a minimum that no valid combination of alternatives can reach.
    pub(super) fn check_minimum<'n>(
        &mut self,
        span: Span,
        list: &[SourceNode],
        get: &dyn Fn(&str) -> Option<&'n SourceNode>,
    ) {
        let is_alone = |node: &&SourceNode| node.get("exclusive").and_then(SourceNode::as_bool) == Some(true);
        let alone = list.iter().filter(is_alone).count();
        let together = (list.len() - alone).max(alone.min(1));
        let Some(key) = ["count", "min"].into_iter().find(|key| get(key).is_some()) else { return };
        let least = get(key).and_then(SourceNode::as_int);
        if let Some(least) = least.filter(|least| *least > together as i64) {
            let message = format!(
                "`{key}` is {least}, but at most {together} of these alternatives can be chosen together"
            );
            self.report_error("E-CHOOSE", span, message);
        }
    }

    /// Returns the type of a chosen alternative when alternatives nest this deep.
    pub(super) fn chosen_type(&mut self, item: &Ty, levels: usize) -> Ty {
        let mut fields = vec![
            (self.intern_symbol("id"), Ty::Symbol),
            (self.intern_symbol("selection"), Ty::list(item.clone())),
        ];
        if levels > 1 {
            let chosen = self.chosen_type(item, levels - 1);
            fields.push((self.intern_symbol("chosen"), Ty::list(chosen)));
        }
        Ty::Record(Rc::new(RecordTy { name: None, fields }))
    }
}
