//! Functions and procs: signatures first, then code.

use crate::grammar::rules;
use intermezzo_program::{CoverageKind, Instr, Reg};

use super::Checker;
use super::routine_builder::CodeMode;
use super::stmts::EndPoint;
use super::symbol_table::{Callable, ParamInfo};
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::tree::{MapEntry, NodeValue, SourceNode};
use std::collections::HashSet;
use std::rc::Rc;

impl Checker<'_> {
    pub(crate) fn params(&mut self, node: Option<&SourceNode>) -> Vec<ParamInfo> {
        let Some(node) = node else { return Vec::new() };
        let mut params = Vec::new();
        for entry in self.named(node, "`params`") {
            let Some(text) = self.text(&entry.value, "the type of a parameter") else { continue };
            let (ty, default) = match crate::expr::parse_param(text) {
                Ok((ty, default)) => (self.resolve_type(&ty), default),
                Err(diagnostic) => {
                    self.report(diagnostic);
                    (Ty::Error, None)
                }
            };
            params.push(ParamInfo { name: entry.key.value.clone(), ty, default: default.map(Rc::new) });
        }
        params
    }

    pub(crate) fn declare_callables(&mut self) {
        let merged = self.merged;
        self.declare_team_lists();
        for (section, prelude) in merged.section("functions") {
            for entry in self.named(section, "`functions`") {
                self.entries(&entry.value, &rules::FUNCTION);
                let Some(body) = entry.value.get("is").cloned() else {
                    self.report_error(
                        "E-KEY",
                        entry.value.span,
                        "a function needs `is`: the expression it stands for",
                    );
                    continue;
                };
                let returns = match entry.value.get("returns") {
                    Some(node) => self.type_of(node),
                    None => self.report_error(
                        "E-KEY",
                        entry.value.span,
                        "a function needs `returns`: the type of its value",
                    ),
                };
                self.declare_callable(entry, prelude, true, returns, body);
            }
        }
        for (section, prelude) in merged.section("procs") {
            for entry in self.named(section, "`procs`") {
                self.entries(&entry.value, &rules::PROC);
                if super::stmts::operation(&entry.key.value).is_some() {
                    let message = format!("`{}` is an operation of the language", entry.key.value);
                    self.report_error("E-NAME", entry.key.span, message);
                    continue;
                }
                let Some(body) = entry.value.get("do").cloned() else {
                    self.report_error("E-KEY", entry.value.span, "a proc needs `do`");
                    continue;
                };
                let returns = entry.value.get("returns").map_or(Ty::Never, |node| self.type_of(node));
                self.declare_callable(entry, prelude, false, returns, body);
            }
        }
        self.declare_player_team();
    }

    pub(crate) fn declare_callable(
        &mut self,
        entry: &MapEntry,
        prelude: bool,
        function: bool,
        returns: Ty,
        body: SourceNode,
    ) {
        let name = entry.key.value.as_str();
        let category = if function { "functions" } else { "procs" };
        let table = if function { &self.symbols.functions } else { &self.symbols.procs };
        let overrides = entry.value.get("override").and_then(SourceNode::as_bool) == Some(true);
        if let Some(old) = table.get(name)
            && !overrides
        {
            let old_span = old.span;
            self.report(
                Diagnostic::error(
                    "E-NAME",
                    entry.key.span,
                    format!("there is already a `{name}` in {category}"),
                )
                .related(old_span, "the other one")
                .hint("say `override: true` to replace it"),
            );
            return;
        }
        // The replacement keeps the routine number, so existing callers run it.
        let replaced = table.get(name).map(|old| old.routine);
        let routine = replaced.unwrap_or_else(|| self.reserve_routine(&format!("{category}.{name}")));
        let params = self.params(entry.value.get("params"));
        let callable = Callable {
            routine,
            params,
            returns,
            span: entry.key.span,
            body: Rc::new(body),
            requires: entry.value.get("requires").cloned().map(Rc::new),
            failure_text: entry
                .value
                .get("else")
                .and_then(SourceNode::as_text)
                .map(|text| text.value.clone()),
            manual: entry
                .value
                .get("stack")
                .and_then(SourceNode::as_text)
                .is_some_and(|text| text.value == "manual"),
            from_prelude: prelude,
        };
        if function {
            self.symbols.functions.insert(name, callable);
        } else {
            self.symbols.procs.insert(name, callable);
        }
    }

    pub(crate) fn lower_functions(&mut self) {
        let functions: Vec<Callable> =
            self.symbols.functions.iter().map(|(_, callable)| callable.clone()).collect();
        for callable in functions {
            let outer = self.begin_routine(callable.routine, CodeMode::Pure);
            self.bind_context(Ty::SomeEntity, Ty::Event(None));
            for param in &callable.params {
                self.add_param(&param.name, param.ty.clone());
            }
            self.mark_location(&callable.body);
            self.emit_coverage(CoverageKind::Function, callable.span);
            let value = self.node_as(&callable.body, &callable.returns);
            self.emit(Instr::Return { value });
            self.finish_routine(outer);
            if callable.returns.is_plain() {
                self.program.plain_results.push(callable.routine);
            }
        }
    }

    /// Compiles all procs. Callees come first, because callers need to know the type of the result.
    pub(crate) fn lower_procs(&mut self) {
        let mut names: Vec<String> = self.symbols.procs.names().map(str::to_owned).collect();
        let mut done: HashSet<String> = HashSet::new();
        let mut stack: Vec<String> = Vec::new();
        while let Some(name) = names.pop() {
            self.lower_proc(&name, &mut done, &mut stack);
        }
    }

    fn lower_proc(&mut self, name: &str, done: &mut HashSet<String>, stack: &mut Vec<String>) {
        if done.contains(name) || stack.iter().any(|other| other == name) || stack.len() > 64 {
            return;
        }
        let Some(callable) = self.symbols.procs.get(name).cloned() else { return };
        stack.push(name.to_owned());
        for called in self.procs_called(&callable.body) {
            self.lower_proc(&called, done, stack);
        }
        stack.pop();
        done.insert(name.to_owned());
        let outer = self.begin_routine(callable.routine, CodeMode::Program);
        self.bind_context(Ty::SomeEntity, Ty::Event(None));
        for param in &callable.params {
            let reg = self.add_param(&param.name, param.ty.clone());
            if let Some(binding) = self.body.bindings.last_mut() {
                binding.local = binding.reg == reg;
            }
        }
        if let Some(requires) = &callable.requires {
            // The caller compiles the test. Here it is only checked, so its code is discarded.
            let mark = self.body.code.len();
            let requires = Rc::clone(requires);
            self.node_as(&requires, &Ty::Bool);
            self.body.code.truncate(mark);
        }
        if callable.manual {
            self.usage.group_breakers.entry(callable.routine).or_insert("stack: manual");
            self.emit(Instr::Settle { drain: false });
        }
        self.emit_coverage(CoverageKind::Proc, callable.span);
        self.body.declared_return = (callable.returns != Ty::Never).then(|| callable.returns.clone());
        let end = self.block(&callable.body);
        self.emit(Instr::Done {});
        let mut returns = self.body.returns.clone();
        if end == EndPoint::Reachable && returns != Ty::Never {
            returns = returns.maybe();
        }
        if let Some(promised) = self.body.declared_return.clone()
            && end == EndPoint::Reachable
            && !promised.is_maybe()
        {
            let message = format!(
                "`{name}` promises {}, but may end without a `return`",
                self.symbols.type_name(&promised)
            );
            self.report_error("E-TYPE", callable.span, message);
        }
        self.finish_routine(outer);
        if let Some(callable) = self.symbols.procs.get_mut(name)
            && callable.returns == Ty::Never
        {
            callable.returns = returns;
        }
    }

    /// Returns the procs that a body calls, in order.
    fn procs_called(&self, node: &SourceNode) -> Vec<String> {
        let mut found = Vec::new();
        self.collect_calls(node, &mut found);
        found
    }

    fn collect_calls(&self, node: &SourceNode, found: &mut Vec<String>) {
        match &node.value {
            NodeValue::Map(entries) => {
                for entry in entries {
                    if self.symbols.procs.contains(&entry.key.value) {
                        found.push(entry.key.value.clone());
                    }
                    if entry.key.value == "op"
                        && let Some(text) = entry.value.as_text()
                    {
                        found.push(text.value.clone());
                    }
                    self.collect_calls(&entry.value, found);
                }
            }
            NodeValue::List(items) => {
                for item in items {
                    if let Some(text) = item.as_text()
                        && self.symbols.procs.contains(&text.value)
                    {
                        found.push(text.value.clone());
                    }
                    self.collect_calls(item, found);
                }
            }
            _ => {}
        }
    }

    /// Binds the names of the context registers.
    pub(crate) fn bind_context(&mut self, host: Ty, event: Ty) {
        self.body.bind("self", Reg::SELF, host);
        self.body.bind("you", Reg::YOU, Ty::PLAYER);
        self.body.bind("actor", Reg::ACTOR, Ty::PLAYER);
        self.body.bind("event", Reg::EVENT, event);
    }

    pub(crate) fn mark_location(&mut self, node: &SourceNode) {
        let at = self.body.code.len() as u32;
        self.body.spans.push((at, node.span));
    }
}
