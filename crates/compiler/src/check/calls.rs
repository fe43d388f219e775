//! Calls: built-in functions, functions of the ruleset, and their structured notation.

use std::rc::Rc;

use intermezzo_program::{EntityInfo, Instr, Reg, RoutineId};

use super::symbol_table::Callable;
use super::types::Ty;
use super::{Checker, Val};
use crate::expr::{Arg, Expr, ExprKind, SpannedName};
use crate::grammar::expressions::FUNCTIONS;
use crate::source::Span;
use crate::tree::{MapEntry, SourceNode};

/// Built-in functions that a ruleset may replace, because they came later than rulesets did.
const PRIOR: &str = "prior";
const DEFS: &str = "defs";

impl Checker<'_> {
    pub(crate) fn call(&mut self, name: &SpannedName, args: &[Arg], span: Span) -> Val {
        let is_replaced =
            [PRIOR, DEFS].contains(&name.text.as_str()) && self.symbols.functions.contains(&name.text);
        if FUNCTIONS.contains(&name.text) && !is_replaced {
            return self.built_in(name, args, span);
        }
        if let Some(callable) = self.symbols.functions.get(&name.text).cloned() {
            self.mark_used("functions", &name.text);
            self.note_name(crate::symbol_index::SymbolCategory::Function, &name.text, "", name.span);
            let args: Vec<Option<&Expr>> = args.iter().map(|arg| Some(&arg.body)).collect();
            return self.call_function(&name.text, &callable, &args, span);
        }
        for arg in args {
            self.value(&arg.body);
        }
        if self.symbols.procs.contains(&name.text) {
            let message =
                format!("`{}` is a proc: it can be a statement, not part of an expression", name.text);
            let ty = self.report_error("E-NAME", name.span, message);
            return Val { reg: Reg(0), ty };
        }
        let known: Vec<String> = match self.may_suggest() {
            true => self
                .symbols
                .functions
                .owned_names()
                .into_iter()
                .chain(FUNCTIONS.names().map(str::to_owned))
                .collect(),
            false => Vec::new(),
        };
        let ty = self.report_unknown(
            "E-NAME",
            name.span,
            "function",
            &name.text,
            known.iter().map(String::as_str),
        );
        Val { reg: Reg(0), ty }
    }

    fn call_function(&mut self, name: &str, callable: &Callable, args: &[Option<&Expr>], span: Span) -> Val {
        if args.len() > callable.params.len() {
            let count = callable.params.len();
            let message = format!("`{name}` takes {count} argument{}, not {}", plural(count), args.len());
            self.report_error("E-ARGS", span, message);
        }
        let first = self.body.new_temps(callable.params.len() as u16);
        for (at, param) in callable.params.iter().enumerate() {
            let dst = first.offset(at as u16);
            match (args.get(at).copied().flatten(), &param.default) {
                (Some(expr), _) => self.value_into(dst, expr, &param.ty),
                (None, Some(default)) => {
                    let default = Rc::clone(default);
                    self.value_into(dst, &default, &param.ty);
                }
                (None, None) if param.ty.is_maybe() => self.load(dst, intermezzo_program::NULL),
                (None, None) => {
                    let message = format!("`{name}` needs `{}`", param.name);
                    self.report_error("E-ARGS", span, message);
                }
            }
        }
        self.note_call(callable.routine, span);
        self.note_function_call(callable.routine, span);
        let dst = self.body.new_temp();
        self.emit(Instr::Call { dst, routine: callable.routine, args: first });
        Val { reg: dst, ty: callable.returns.clone() }
    }

    pub(crate) fn note_call(&mut self, callee: RoutineId, span: Span) {
        let caller = self.body.routine;
        self.usage.calls.entry(caller).or_default().push((callee, span));
        let depth = self.body.lambda_depth;
        self.usage.depths.entry(caller).or_default().1.push((callee, depth));
    }

    // --- built in ------------------------------------------------------------------

    fn built_in(&mut self, name: &SpannedName, args: &[Arg], span: Span) -> Val {
        let wanted = match name.text.as_str() {
            "min" | "max" if args.len() >= 2 => args.len(),
            "min" | "max" | "range" | "dice" | "chain" | "map" | "usable" | "affordable" | "does" => 2,
            _ => 1,
        };
        if args.len() != wanted {
            let message =
                format!("`{}` takes {wanted} argument{}, not {}", name.text, plural(wanted), args.len());
            let ty = self.report_error("E-ARGS", span, message);
            return Val { reg: Reg(0), ty };
        }
        if ["actions", "usable", "affordable", "chain", "does"].contains(&name.text.as_str()) {
            self.note_hidden_read(span, format!("`{}` depends on things that not everyone sees", name.text));
        }
        let arg = |at: usize| &args[at].body;
        match name.text.as_str() {
            "min" | "max" => self.min_max(name.text == "max", args),
            "abs" => {
                let a = self.value_as(arg(0), &Ty::Int);
                let dst = self.body.new_temp();
                self.emit(Instr::Abs { dst, a });
                Val { reg: dst, ty: Ty::Int }
            }
            "range" => {
                let from = self.value_as(arg(0), &Ty::Int);
                let to = self.value_as(arg(1), &Ty::Int);
                let dst = self.body.new_temp();
                self.emit(Instr::Range { dst, from, to });
                Val { reg: dst, ty: Ty::list(Ty::Int) }
            }
            "dice" => {
                let count = self.value_as(arg(0), &Ty::Int);
                let sides = self.value_as(arg(1), &Ty::Int);
                let dst = self.body.new_temp();
                self.emit(Instr::Dice { dst, count, sides });
                Val { reg: dst, ty: Ty::Dice }
            }
            "next" | "prev" => {
                let player = self.value_as(arg(0), &Ty::PLAYER);
                let dst = self.body.new_temp();
                let steps = if name.text == "next" { 1 } else { -1 };
                self.emit(Instr::PlayerAfter { dst, player, steps });
                Val { reg: dst, ty: Ty::PLAYER }
            }
            "players_from" => {
                let player = self.value_as(arg(0), &Ty::PLAYER);
                let dst = self.body.new_temp();
                self.emit(Instr::PlayersFrom { dst, player });
                Val { reg: dst, ty: Ty::list(Ty::PLAYER) }
            }
            "is_resource" => {
                let name = self.value_as(arg(0), &Ty::Symbol);
                let dst = self.body.new_temp();
                self.emit(Instr::IsResource { dst, name });
                Val { reg: dst, ty: Ty::Bool }
            }
            "map" => self.map_of(arg(0), &args[1]),
            "actions" => {
                let player = self.value_as(arg(0), &Ty::PLAYER);
                let dst = self.body.new_temp();
                self.emit(Instr::Offers { dst, player });
                Val { reg: dst, ty: Ty::list(Ty::Action) }
            }
            "chain" => self.chain(args),
            PRIOR => self.prior(arg(0), span),
            DEFS => self.defs_of(arg(0)),
            "usable" | "affordable" => {
                let args = self.body.new_temps(2);
                self.value_into(args, arg(0), &Ty::Ability);
                self.value_into(args.offset(1), arg(1), &Ty::Entity);
                let dst = self.body.new_temp();
                self.emit(Instr::Usable { dst, args, costs: name.text == "affordable" });
                Val { reg: dst, ty: Ty::Bool }
            }
            _ => {
                let item = self.value_as(arg(0), &Ty::Kind(intermezzo_program::KindId::ITEM));
                let dst = self.body.new_temp();
                if let Some(event) = self.event_argument(arg(1)) {
                    self.emit(Instr::Does { dst, item, event });
                }
                Val { reg: dst, ty: Ty::Bool }
            }
        }
    }

    /// Compiles `prior(value)`: the value as it was before the layer of this modifier.
    fn prior(&mut self, value: &Expr, span: Span) -> Val {
        if self.body.modifier_layer.is_none() {
            let message =
                "`prior` is what a value was before the layer of a modifier, so it belongs into one";
            self.report_error("E-NAME", span, message);
        }
        let outer = std::mem::replace(&mut self.body.reads_prior_values, true);
        let value = self.value(value);
        self.body.reads_prior_values = outer;
        value
    }

    /// Compiles `defs(kind)`: all defs of a kind, in the order of their declaration.
    fn defs_of(&mut self, kind: &Expr) -> Val {
        let dst = self.body.new_temp();
        let ty = Ty::list(Ty::Def);
        let ExprKind::Name(name) = &kind.kind else {
            self.report_error("E-ARGS", kind.span, "this is the name of a kind");
            return Val { reg: dst, ty };
        };
        let Some(kind) = self.symbols.kinds.get(name).map(|kind| kind.id) else {
            let known = self.symbols.kinds.owned_names();
            self.report_unknown("E-NAME", kind.span, "kind", name, known.iter().map(String::as_str));
            return Val { reg: dst, ty };
        };
        let is_its = |def: &&intermezzo_program::Def| !def.is_trait && self.program.is_kind(def.kind, kind);
        let names: Vec<i64> =
            (self.program.defs.iter().filter(is_its)).map(|def| i64::from(def.name.0)).collect();
        let mark = self.body.new_temp();
        self.emit(Instr::Begin { dst: mark });
        for name in names {
            let item = self.constant(name);
            self.emit(Instr::Push { value: item });
        }
        self.emit(Instr::Finish { dst, mark });
        Val { reg: dst, ty }
    }

    /// Returns the event that an argument names.
    fn event_argument(&mut self, expr: &Expr) -> Option<intermezzo_program::EventId> {
        let ExprKind::Name(name) = &expr.kind else {
            self.report_error("E-ARGS", expr.span, "this is the name of an event");
            return None;
        };
        let found = self.symbols.events.get(name).map(|event| event.id);
        if found.is_none() {
            let known = self.event_names();
            self.report_unknown("E-NAME", expr.span, "event", name, known.iter().map(String::as_str));
        }
        found
    }

    fn min_max(&mut self, greatest: bool, args: &[Arg]) -> Val {
        let dst = self.body.new_temp();
        for (at, arg) in args.iter().enumerate() {
            let b = self.value_as(&arg.body, &Ty::Int);
            if at == 0 {
                self.emit(Instr::Copy { dst, src: b });
            } else {
                self.emit(if greatest {
                    Instr::Max { dst, a: dst, b }
                } else {
                    Instr::Min { dst, a: dst, b }
                });
            }
        }
        Val { reg: dst, ty: Ty::Int }
    }

    /// Compiles `map(players, expr)`: a value for each player or enum member.
    fn map_of(&mut self, source: &Expr, arg: &Arg) -> Val {
        let list = self.value(source);
        let list = self.as_list(list);
        let key = match self.item_type(&list.ty) {
            Ty::Enum(id) => Ty::Enum(id),
            _ => Ty::PLAYER,
        };
        let list = self.coerce(list, &Ty::list(key.clone()), source.span).reg;
        let bound = arg.param.as_ref().map_or("it", |param| param.text.as_str());
        self.fill_map(list, key, (bound, arg.param.is_none()), |checker, _| {
            let value = checker.value(&arg.body);
            if Self::is_listlike(&value.ty) { checker.as_list(value) } else { value }
        })
    }

    /// Compiles the score of a match: a map from players to numbers, or a number of each player `it`.
    pub(crate) fn score_map(&mut self, score: &Expr) -> Val {
        let list = self.body.new_temp();
        self.emit(Instr::Players { dst: list });
        self.fill_map(list, Ty::PLAYER, ("it", false), |checker, seat| {
            let value = checker.value(score);
            let Ty::Map(key, item) = &value.ty else {
                return checker.coerce(value, &Ty::Int, score.span);
            };
            if **key != Ty::PLAYER {
                return checker.coerce(value, &Ty::Int, score.span);
            }
            let dst = checker.body.new_temp();
            checker.emit(Instr::Key { dst, map: value.reg, index: seat });
            Val { reg: dst, ty: Ty::clone(item) }
        })
    }

    /// Fills a map with a value for each item of a list of keys. `fill` compiles the value; it receives the position
    /// of the key.
    fn fill_map(
        &mut self,
        list: Reg,
        key: Ty,
        (bound, implicit): (&str, bool),
        fill: impl FnOnce(&mut Self, Reg) -> Val,
    ) -> Val {
        let map = self.body.new_temp();
        let keys = self.body.new_temp();
        match key {
            Ty::Enum(id) => {
                let members = self.symbols.enum_by_id(id).1.len() as i64;
                self.load(keys, members);
            }
            _ => {
                self.emit(Instr::PlayerCount { dst: keys });
            }
        }
        self.emit(Instr::NewMap { dst: map, keys });
        let iter = self.body.new_temps(3);
        self.emit(Instr::Copy { dst: iter, src: list });
        self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
        let top = self.body.jump_target();
        let next = self.emit(Instr::NextItem { iter, to: 0 });
        let depth = self.body.bindings.len();
        self.body.bindings.push(super::routine_builder::Binding {
            name: bound.to_owned(),
            reg: iter.offset(2),
            ty: key.clone(),
            implicit,
            local: false,
        });
        let seat = self.body.new_temp();
        let position = match key {
            Ty::Enum(of) => Instr::EnumIndex { dst: seat, symbol: iter.offset(2), of },
            _ => Instr::Info { dst: seat, entity: iter.offset(2), what: EntityInfo::Seat },
        };
        self.emit(position);
        let value = fill(self, seat);
        self.body.bindings.truncate(depth);
        self.emit(Instr::PutKey { map, index: seat, value: value.reg });
        self.emit(Instr::Jump { to: top });
        self.body.patch_jumps(&[next]);
        Val { reg: map, ty: Ty::Map(Rc::new(key), Rc::new(value.ty)) }
    }

    fn chain(&mut self, args: &[Arg]) -> Val {
        let ExprKind::Name(name) = &args[0].body.kind else {
            let ty = self.report_error(
                "E-ARGS",
                args[0].body.span,
                "the first argument of `chain` is the name of a chain",
            );
            return Val { reg: Reg(0), ty };
        };
        let Some(chain) = self.symbols.chains.get(name).cloned() else {
            let known = self.symbols.chains.owned_names();
            let ty = self.report_unknown(
                "E-NAME",
                args[0].body.span,
                "chain",
                name,
                known.iter().map(String::as_str),
            );
            return Val { reg: Reg(0), ty };
        };
        self.mark_used("chains", name);
        let record = self.value_as(&args[1].body, &chain.record);
        let dst = self.body.new_temp();
        self.emit(Instr::Chain { dst, record, chain: chain.number });
        Val { reg: dst, ty: chain.record }
    }

    // --- structured notation ----------------------------------------------------

    /// Returns the expression for `{ref: path}` or `{op: function, name: argument …}`.
    pub(crate) fn structured_expr(&mut self, node: &SourceNode) -> Option<Expr> {
        if let Some(path) = node.get("ref") {
            return self.node_expr(path);
        }
        let entries = node.as_map().unwrap_or_default();
        let Some(op) = node.get("op").and_then(SourceNode::as_text) else {
            let fields = entries
                .iter()
                .map(|entry| {
                    let name = SpannedName { text: entry.key.value.clone(), span: entry.key.span };
                    Some((name, self.node_expr(&entry.value)?))
                })
                .collect::<Option<Vec<_>>>()?;
            return Some(Expr { span: node.span, kind: ExprKind::Record(fields) });
        };
        let Some(callable) = self.symbols.functions.get(&op.value).cloned() else {
            let known = self.symbols.functions.owned_names();
            self.report_unknown("E-OP", op.span, "operation", &op.value, known.iter().map(String::as_str));
            return None;
        };
        let arguments: Vec<&MapEntry> = entries.iter().filter(|entry| entry.key.value != "op").collect();
        let args = self.named_arguments(&op.value, &callable, &arguments, node.span)?;
        let kind = ExprKind::Call { name: SpannedName { text: op.value.clone(), span: op.span }, args };
        Some(Expr { span: node.span, kind })
    }

    /// Returns arguments given by name in the order of the parameters.
    fn named_arguments(
        &mut self,
        name: &str,
        callable: &Callable,
        arguments: &[&MapEntry],
        span: Span,
    ) -> Option<Vec<Arg>> {
        let mut fine = true;
        for entry in arguments {
            if !callable.params.iter().any(|param| param.name == entry.key.value) {
                let what = format!("argument of `{name}`");
                self.report_unknown_argument(&what, &entry.key, &callable.params);
                fine = false;
            }
        }
        let mut args = Vec::new();
        for param in &callable.params {
            let given = arguments.iter().find(|entry| entry.key.value == param.name);
            let body = match given {
                Some(entry) => self.node_expr(&entry.value)?,
                None => match &param.default {
                    Some(default) => (**default).clone(),
                    None if param.ty.is_maybe() => Expr { span, kind: ExprKind::Null },
                    None => {
                        if fine {
                            let message = format!("`{name}` needs `{}`", param.name);
                            self.report_error("E-ARGS", span, message);
                        }
                        return None;
                    }
                },
            };
            args.push(Arg { param: None, body });
        }
        fine.then_some(args)
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
