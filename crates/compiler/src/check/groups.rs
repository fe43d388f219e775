//! `group`: statements whose events happen together.

use std::rc::Rc;

use intermezzo_ruleset::{Instr, OnPrevented, Reg};

use super::Checker;
use super::body::Mode;
use super::stmts::{Goes, Parts};
use super::types::{RecordTy, Ty};
use crate::tree::Node;

/// Statements that may say `keep: true`.
const MEMBERS: &[&str] = &["emit", "set", "add", "move", "create", "remove"];

impl Checker<'_> {
    /// Members happen together: all or none, or each for itself.
    pub(crate) fn group_statement(&mut self, parts: &Parts<'_>, value: &Node) -> Goes {
        let simultaneous = value.as_text().is_some_and(|text| text.value == "simultaneous");
        let body = if simultaneous { parts.get("do") } else { Some(value) };
        let Some(body) = body else {
            self.wrong("E-ARGS", parts.span, "`group: simultaneous` needs `do`");
            return Goes::On;
        };
        if let (false, Some(body)) = (simultaneous, parts.get("do")) {
            self.wrong("E-ARGS", body.span, "`do` goes with `group: simultaneous`");
        }
        let on_prevented = self.on_prevented(parts);
        self.emit(Instr::BeginGroup { simultaneous, on_prevented });
        let outer = std::mem::replace(&mut self.body.group, true);
        // Members may name what they made for those that follow, and for what comes after the group.
        let goes = self.sequence(body);
        self.body.group = outer;
        if goes == Goes::Away {
            self.wrong("E-GROUP", parts.span, "a group cannot be left in the middle");
        }
        let dst = match self.name_given(parts).map(str::to_owned) {
            Some(name) => {
                let fields = vec![(self.symbol("applied"), Ty::Bool)];
                self.result_local(&name, Ty::Record(Rc::new(RecordTy { name: None, fields })))
            }
            None => Reg::NONE,
        };
        self.emit(Instr::EndGroup { dst });
        Goes::On
    }

    fn on_prevented(&mut self, parts: &Parts<'_>) -> OnPrevented {
        let Some(node) = parts.get("onPrevented") else { return OnPrevented::Usual };
        match self.word(node, "`onPrevented`", &["drop", "propagate"]) {
            Some("drop") => OnPrevented::Drop,
            Some("propagate") => OnPrevented::Propagate,
            _ => OnPrevented::Usual,
        }
    }

    /// Whether preventing what the statement does is to leave the rest of its group alone.
    pub(crate) fn is_kept(&mut self, parts: &Parts<'_>) -> bool {
        let Some(keep) = parts.get("keep").filter(|_| MEMBERS.contains(&parts.head)) else { return false };
        if self.body.mode == Mode::Apply {
            self.wrong("E-APPLY", keep.span, "`apply` is one event; there is nothing to keep apart");
            return false;
        }
        self.flag(keep, "`keep`")
    }
}
