//! Payment of costs: they are a group, so they are paid together or not at all.

use std::rc::Rc;

use intermezzo_program::{Instr, OnPrevented};

use super::Checker;
use super::stmts::{FORBIDDEN_IN_GROUP, GROUP_BREAKERS};
use super::types::{RecordTy, Ty};
use crate::tree::{NodeValue, SourceNode};

/// How deep procs that pay may call each other to be looked into.
const MAX_DEPTH: usize = 32;

impl Checker<'_> {
    /// Emits costs as a group. Returns the jump that is taken if they are not paid because one of them is prevented.
    pub(crate) fn emit_payment(&mut self, pay: impl FnOnce(&mut Self)) -> usize {
        self.emit(Instr::BeginGroup { simultaneous: false, on_prevented: OnPrevented::ByGroupKind });
        let outer = std::mem::replace(&mut self.body.in_group, true);
        pay(self);
        self.body.in_group = outer;
        let fields = vec![(self.intern_symbol("applied"), Ty::Bool)];
        let paid = Ty::Record(Rc::new(RecordTy { name: None, fields }));
        let paid = self.body.new_local(paid);
        self.emit(Instr::EndGroup { dst: paid });
        let cond = self.body.new_temp();
        self.emit(Instr::Field { dst: cond, record: paid, index: 0 });
        self.emit(Instr::JumpUnless { cond, to: 0 })
    }

    /// Emits the costs of a reaction, which ends here if one of them is prevented. Costs that do what no group can
    /// contain, such as asking, are paid one by one.
    pub(crate) fn pay_or_end(&mut self, costs: &SourceNode) {
        if !self.can_be_group(costs) {
            self.block(costs);
            return;
        }
        let unpaid = self.emit_payment(|checker| {
            checker.block(costs);
        });
        let paid = self.emit(Instr::Jump { to: 0 });
        self.body.patch_jumps(&[unpaid]);
        self.emit(Instr::Done {});
        self.body.patch_jumps(&[paid]);
    }

    /// Emits each cost after a test if it can be paid.
    pub(super) fn test_and_pay(&mut self, costs: &[SourceNode], no: &mut Vec<usize>) {
        let bindings = self.body.bindings.len();
        for cost in costs {
            let mark = self.body.mark_temps();
            // Names given before are bound here.
            self.emit_cost_test(cost, &[], no);
            self.body.release_temps(mark);
            self.cost_statement(cost);
        }
        self.body.bindings.truncate(bindings);
    }

    /// Counts the costs that can turn out to be unaffordable: those whose proc has `requires`.
    pub(super) fn testable_cost_count(&mut self, costs: &[SourceNode]) -> usize {
        let heads: Vec<String> = costs
            .iter()
            .filter_map(|cost| self.split_statement(cost).map(|parts| parts.head.to_owned()))
            .collect();
        heads
            .iter()
            .filter(|head| self.symbols.procs.get(head).is_some_and(|proc| proc.requires.is_some()))
            .count()
    }

    /// Returns true if statements do nothing that a group cannot contain.
    pub(super) fn can_be_group(&self, node: &SourceNode) -> bool {
        self.fits_in_group(node, FORBIDDEN_IN_GROUP, 0)
    }

    /// Returns true if statements contain none of the forbidden ones, and the procs that they call no statement that
    /// breaks a group.
    fn fits_in_group(&self, node: &SourceNode, forbidden: &[&str], depth: usize) -> bool {
        let is_fine = |name: &str| match self.symbols.procs.get(name) {
            _ if forbidden.contains(&name) => false,
            Some(proc) => depth < MAX_DEPTH && self.fits_in_group(&proc.body, GROUP_BREAKERS, depth + 1),
            None => true,
        };
        match &node.value {
            NodeValue::List(items) => items.iter().all(|item| self.fits_in_group(item, forbidden, depth)),
            NodeValue::Text(text) => is_fine(&text.value),
            NodeValue::Map(entries) => entries
                .iter()
                .all(|entry| is_fine(&entry.key.value) && self.fits_in_group(&entry.value, forbidden, depth)),
            _ => true,
        }
    }
}
