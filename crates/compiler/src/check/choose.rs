//! The `choose` statement, the only way in which rules wait for players.

use crate::grammar::presentation::PROMPT_KINDS;
use crate::grammar::statements;
use std::rc::Rc;

use intermezzo_program::{
    AnswerMode, AnswerShape, Choice, ChoiceId, DraftPolicy, InputKind, Instr, KindId, NULL, Reg,
};

use super::alternatives::{Branches, alternatives, levels};
use super::stmts::StatementParts;
use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// The number of picks a choice allows, as far as it is known at compile time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PickLimit {
    One,
    Many,
}

/// The players a choice asks: one, or a list of them.
enum AskedPlayers {
    One(Reg),
    All(Reg),
}

impl Checker<'_> {
    pub(crate) fn choose_statement(&mut self, parts: &StatementParts<'_>, value: &SourceNode) {
        let Some(name) = self.text(value, "`choose`") else { return };
        if parts.get("divide").is_some() {
            self.choose_division(parts, name);
            return;
        }
        self.choose_into(parts, name, &name.value);
    }

    /// Compiles a question whose answer goes into the local `result`.
    pub(super) fn choose_into(&mut self, parts: &StatementParts<'_>, name: &SourceText, result: &str) {
        self.check_closing(parts);
        self.check_identifier(name, "`choose`");
        let choice = ChoiceId(self.program.choices.len() as u16);
        // The number is taken before the arguments are compiled. They cannot contain a choice.
        let how = self.answer_mode(parts);
        self.emit(Instr::Open { choice });
        let saved = self.body.new_temp();
        self.emit(Instr::Copy { dst: saved, src: Reg::ACTOR });
        let ty = match self.asked_players(parts, how) {
            AskedPlayers::One(player) => self.ask_player(parts, how, &name.value, player, choice),
            AskedPlayers::All(list) => {
                let iter = self.body.new_temps(3);
                self.emit(Instr::Copy { dst: iter, src: list });
                self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
                let top = self.body.jump_target();
                let next = self.emit(Instr::NextItem { iter, to: 0 });
                let ty = self.ask_player(parts, how, &name.value, iter.offset(2), choice);
                self.emit(Instr::Jump { to: top });
                self.body.patch_jumps(&[next]);
                ty
            }
        };
        self.emit(Instr::Copy { dst: Reg::ACTOR, src: saved });
        let ty = if parts.get("else").is_some() { ty.maybe() } else { ty };
        let dst = self.result_local(result, ty);
        self.emit(Instr::Await { dst, choice });
        if let Some(otherwise) = parts.get("else") {
            self.run_if_nobody_answered(result, otherwise);
        }
    }

    /// Compiles the `else` of a question: it runs if the answer is null.
    fn run_if_nobody_answered(&mut self, name: &str, otherwise: &SourceNode) {
        let span = otherwise.span;
        let test = SourceText::verbatim(&format!("{name} == null"), span.file, span.start);
        let test = SourceNode { span, value: NodeValue::Text(test) };
        let key = |key: &str| SourceText::verbatim(key, span.file, span.start);
        let entries = [
            MapEntry { key: key("if"), value: test.clone() },
            MapEntry { key: key("then"), value: otherwise.clone() },
        ];
        let branch =
            StatementParts { head: "if", head_span: span, value: Some(&test), entries: &entries, span };
        self.if_statement(&branch, &test);
    }

    /// Reports keys of closing questions that contradict each other.
    fn check_closing(&mut self, parts: &StatementParts<'_>) {
        let has = |key: &str| parts.get(key).is_some();
        let is_first = parts.get("how").and_then(SourceNode::as_text).is_some_and(|how| how.value == "first");
        let is_for_one =
            parts.get("how").is_none_or(|how| how.as_text().is_none_or(|how| how.value == "one"));
        if let Some(otherwise) = parts.get("else").filter(|_| has("pass") || is_first) {
            self.report(
                Diagnostic::error("E-CHOOSE", otherwise.span, "players who may pass can always answer")
                    .hint("leave out `else`, and test the answer with `== null`"),
            );
        }
        if let Some(test) =
            parts.get("while").filter(|_| is_for_one && !["default", "pass", "else"].into_iter().any(has))
        {
            self.report(
                Diagnostic::error("E-CHOOSE", test.span, "nothing counts as the answer if this test fails")
                    .hint("add `default`, `pass` or `else`"),
            );
        }
    }

    /// Emits the question for the player in `player`. Returns the type of the result.
    fn ask_player(
        &mut self,
        parts: &StatementParts<'_>,
        how: AnswerMode,
        name: &str,
        player: Reg,
        choice: ChoiceId,
    ) -> Ty {
        self.emit(Instr::Copy { dst: Reg::ACTOR, src: player });
        let bindings = self.body.bindings.len();
        self.body.bind("actor", Reg::ACTOR, Ty::PLAYER);
        let ty = self.describe_choice(parts, how, name, player, choice);
        self.body.bindings.truncate(bindings);
        ty
    }

    fn answer_mode(&mut self, parts: &StatementParts<'_>) -> AnswerMode {
        match parts.get("how").and_then(|node| self.word(node, "`how`", statements::CHOOSE.words("how"))) {
            Some("each") => AnswerMode::Each,
            Some("any") => AnswerMode::Any,
            Some("first") => AnswerMode::First,
            _ => AnswerMode::One,
        }
    }

    /// Compiles `by`, the players to ask.
    fn asked_players(&mut self, parts: &StatementParts<'_>, how: AnswerMode) -> AskedPlayers {
        let Some(by) = parts.get("by") else {
            self.report_error("E-CHOOSE", parts.span, "`choose` needs `by`: who is asked");
            return AskedPlayers::All(self.constant(0));
        };
        let value = self.node_value(by);
        if value.ty.is_maybe() {
            self.warn_null(by.span);
        }
        let ty = value.ty.present();
        if matches!(ty, Ty::List(_)) {
            if how == AnswerMode::One && parts.get("how").is_none() {
                self.report(
                    Diagnostic::error(
                        "E-CHOOSE",
                        by.span,
                        "several players are asked, so say whose answers count",
                    )
                    .hint(
                        "add `how: each` (all must answer), `how: any` (the first answer counts) or `how: first` (the \
                         first answer that is not a pass)",
                    ),
                );
            }
            let list = self.coerce(Val { ty, ..value }, &Ty::list(Ty::PLAYER), by.span);
            return AskedPlayers::All(list.reg);
        }
        let player = self.coerce(Val { ty, ..value }, &Ty::PLAYER, by.span);
        self.emit(Instr::Assert { value: player.reg });
        AskedPlayers::One(player.reg)
    }

    /// Evaluates the arguments for the player in `asked`, emits the `Ask` and adds the choice to the program.
    /// Returns the type of the result.
    fn describe_choice(
        &mut self,
        parts: &StatementParts<'_>,
        how: AnswerMode,
        name: &str,
        asked: Reg,
        choice: ChoiceId,
    ) -> Ty {
        let alternatives = parts.get("choices").and_then(alternatives);
        let branches = alternatives.is_some();
        let count = alternatives.map_or(0, |alternatives| self.count_alternatives(alternatives));
        let closes = self.closes(parts, how);
        let open = Choice::BRANCHES + 4 * count;
        let args = self.body.new_temps(open + u16::from(closes));
        let facts = self.body.facts.len();
        let mut closed = Vec::new();
        if let Some(test) = parts.get("while").and_then(|node| self.node_expr(node)) {
            self.jump_if(&test, false, &mut closed);
            let known = self.facts(&test, true);
            self.body.facts.extend(known);
        }
        self.emit(Instr::Copy { dst: args, src: asked });
        let (options, mut item) = self.lower_options_list(parts, branches);
        self.body.put(args.offset(Choice::OPTIONS), options);
        let most = self.lower_bounds(parts, args);
        let next = self.lower_next(parts, name, &item, choice);
        if parts.get("order").and_then(SourceNode::as_bool) == Some(true)
            && ["min", "max", "count"].iter().all(|key| parts.get(key).is_none())
        {
            // Without bounds, all options have to be put in order.
            let (min, max) = (args.offset(Choice::MIN), args.offset(Choice::MAX));
            self.emit(Instr::Len { dst: min, list: args.offset(Choice::OPTIONS) });
            self.emit(Instr::Copy { dst: max, src: min });
        }
        let mut written = Branches::new(args.offset(Choice::BRANCHES));
        if let Some(alternatives) = alternatives {
            self.check_minimum(parts.span, alternatives, &|key| parts.get(key));
            if count > 0 {
                self.lower_branches(alternatives, None, &mut written);
            }
            item = written.item;
        }
        let written = written.list;
        let flag = |checker: &mut Self, key: &str| match parts.get(key) {
            Some(node) => checker.flag(node, &format!("`{key}`")),
            None => false,
        };
        let empty = flag(self, "empty");
        let (pass, pass_title) = self.passing(parts);
        let pass = pass || how == AnswerMode::First;
        let secret = flag(self, "secret");
        let order = flag(self, "order");
        let blind = flag(self, "blind");
        let shape = if next.is_some() {
            AnswerShape::Path
        } else if branches {
            AnswerShape::Branches
        } else if parts.get("slots").is_some() {
            AnswerShape::Slots { empty }
        } else if order {
            AnswerShape::Order
        } else {
            AnswerShape::Pick
        };
        let number = ["min", "max", "count"].iter().find_map(|key| parts.get(key));
        if let Some(number) = number.filter(|_| parts.get("slots").is_some()) {
            self.report_error(
                "E-CHOOSE",
                number.span,
                "`slots` sets the number; leave out `min`, `max` and `count`",
            );
        }
        if parts.get("empty").is_some() && parts.get("slots").is_none() {
            self.report_error("E-CHOOSE", parts.span, "`empty` is only for `slots`");
        }
        let single = most == PickLimit::One && matches!(shape, AnswerShape::Pick | AnswerShape::Branches);
        let levels = alternatives.map_or(1, levels);
        let value = self.value_type(parts, shape, &item, levels, single, pass);
        self.lower_deadline(parts, args, &value, pass);
        let tests = self.lower_selection_tests(parts, name, &value, choice);
        if closes {
            self.load(args.offset(open), 1);
        }
        self.emit(Instr::Ask { choice, args });
        self.body.facts.truncate(facts);
        if !closed.is_empty() {
            let done = self.emit(Instr::Jump { to: 0 });
            self.body.patch_jumps(&closed);
            self.close_question(parts, asked, (args, open), &value, choice);
            self.body.patch_jumps(&[done]);
        }
        let texts = self.lower_choice_texts(parts, choice);
        let result = self.result_type(how, &value);
        let kind = self.input_kind(parts, shape, &item);
        let record = Choice {
            name: name.to_owned(),
            mode: how,
            shape,
            kind,
            item: self.type_id(&item),
            value: self.type_id(&value),
            result: self.type_id(&result),
            single,
            secret,
            pass,
            always_ask: self.always_ask(parts),
            draft: self.draft_policy(parts),
            title: self.choice_title(parts, name),
            pass_title,
            rule: None,
            branches: written,
            next,
            blind,
            tests,
            repeats: super::paths::repeats(parts),
            texts,
            closes,
            may_be_empty: parts.get("else").is_some(),
        };
        self.program.choices.push(record);
        result
    }

    /// Returns true if a question can close without being asked.
    fn closes(&self, parts: &StatementParts<'_>, how: AnswerMode) -> bool {
        let has = |key: &str| parts.get(key).is_some();
        // A question to one player needs an answer.
        let can_be_skipped = how != AnswerMode::One || has("default") || has("pass");
        how == AnswerMode::First || has("while") || has("else") || self.skips_leavers && can_be_skipped
    }

    /// Emits a question that is closed from the beginning: the default counts, or passing.
    fn close_question(
        &mut self,
        parts: &StatementParts<'_>,
        asked: Reg,
        (args, open): (Reg, u16),
        value: &Ty,
        choice: ChoiceId,
    ) {
        for at in 1..=open {
            self.load(args.offset(at), NULL);
        }
        self.emit(Instr::Copy { dst: args, src: asked });
        self.load(args.offset(open), 0);
        if let Some(default) = parts.get("default").and_then(|node| self.node_expr(node)) {
            self.value_into(args.offset(Choice::DEFAULT), &default, value);
        }
        self.emit(Instr::Ask { choice, args });
    }

    fn choice_title(&mut self, parts: &StatementParts<'_>, name: &str) -> intermezzo_program::TextId {
        match parts.get("title").and_then(|node| self.choice_text(node)) {
            Some(text) => self.intern_text(&text.value.clone()),
            None => self.intern_text(&format!("Choose {}", name.replace('_', " "))),
        }
    }

    /// Reads `pass`: `true`, or `{title}` with the name of passing.
    fn passing(&mut self, parts: &StatementParts<'_>) -> (bool, Option<intermezzo_program::TextId>) {
        let Some(node) = parts.get("pass") else { return (false, None) };
        if node.as_map().is_none() {
            return (self.flag(node, "`pass`"), None);
        }
        for entry in self.entries(node, &statements::PASS) {
            if entry.key.value == "title" {
                let title = self.choice_text(&entry.value).map(|text| text.value.clone());
                return (true, title.map(|title| self.intern_text(&title)));
            }
        }
        self.report_error("E-KEY", node.span, "`pass` needs `title`: the name of passing");
        (true, None)
    }

    fn always_ask(&mut self, parts: &StatementParts<'_>) -> bool {
        parts.get("ask").and_then(|node| self.word(node, "`ask`", statements::CHOOSE.words("ask"))).is_some()
    }

    fn draft_policy(&mut self, parts: &StatementParts<'_>) -> Option<DraftPolicy> {
        let node = parts.get("draft")?;
        if let Some(taken) = node.as_bool() {
            return taken.then_some(DraftPolicy::Refuse);
        }
        self.entries(node, &statements::DRAFT);
        let Some(invalid) = node.get("invalid") else {
            self.report_error("E-CHOOSE", node.span, "`draft` needs `invalid`: `blank` or `refuse`");
            return None;
        };
        match self.word(invalid, "`invalid`", statements::DRAFT.words("invalid")) {
            Some("blank") => Some(DraftPolicy::Blank),
            _ => Some(DraftPolicy::Refuse),
        }
    }

    // --- options --------------------------------------------------------------------

    fn lower_options_list(&mut self, parts: &StatementParts<'_>, branches: bool) -> (Reg, Ty) {
        let source = parts.get("from").or_else(|| parts.get("choices").filter(|_| !branches));
        if branches && parts.get("from").is_some() {
            self.report_error("E-CHOOSE", parts.span, "`from` and `choices` cannot both be given");
        }
        let Some(source) = source else {
            if !branches {
                self.report_error("E-CHOOSE", parts.span, "`choose` needs options: `from` or `choices`");
            }
            return (self.constant(0), Ty::Error);
        };
        let list = self.option_list(parts, source);
        let item = self.item_type(&list.ty);
        (list.reg, item)
    }

    /// Compiles a list of options. Reports anything else and returns a list of errors.
    pub(super) fn option_list(&mut self, parts: &StatementParts<'_>, source: &SourceNode) -> Val {
        let Some(expr) = self.node_expr(source) else {
            return Val { reg: self.constant(0), ty: Ty::list(Ty::Error) };
        };
        self.warn_hidden_options(parts, &expr);
        let list = self.value(&expr);
        if list.ty.is_maybe() {
            self.warn_null(source.span);
        }
        let list = Val { ty: list.ty.present(), ..list };
        if !Self::is_listlike(&list.ty) && !list.ty.is_error() {
            let message = format!("options are a list, but this is {}", self.symbols.type_name(&list.ty));
            self.report_error("E-TYPE", source.span, message);
            return Val { ty: Ty::list(Ty::Error), ..list };
        }
        self.as_list(list)
    }

    /// Warns about options that the player may not see: offering them would reveal them.
    fn warn_hidden_options(&mut self, parts: &StatementParts<'_>, source: &Expr) {
        let (zone, host) = match &source.kind {
            ExprKind::Name(name) => (name.as_str(), None),
            ExprKind::Method { target, name, has_parens: false, .. } => {
                (name.text.as_str(), Self::path(target))
            }
            _ => return,
        };
        let Some(info) = self.symbols.zones.get(zone) else { return };
        if info.public || parts.get("blind").is_some() {
            return;
        }
        let by = parts.get("by").and_then(SourceNode::as_text).map(|text| text.value.clone());
        let own = host.as_deref() == Some("actor") || (host.is_some() && host == by);
        let hidden_from_all = self.hidden_zones.contains(zone);
        if hidden_from_all || (info.of == Some(KindId::PLAYER) && !own) {
            self.report(
                Diagnostic::warning(
                    "W-LEAK",
                    source.span,
                    format!("the chooser may not see what is in `{zone}`"),
                )
                .hint("offer only what they can see, or `reveal` it to them first"),
            );
        }
    }

    // --- bounds ------------------------------------------------------------------------

    /// Loads the bounds into their registers. Returns whether more than one pick is possible.
    fn lower_bounds(&mut self, parts: &StatementParts<'_>, args: Reg) -> PickLimit {
        let (min, max) = (args.offset(Choice::MIN), args.offset(Choice::MAX));
        self.check_bounds(parts.span, &|key| parts.get(key));
        self.check_count(parts);
        let key = |key: &str| parts.get("count").or_else(|| parts.get(key));
        let (least, most) = match parts.get("slots") {
            Some(slots) => (None, Some(slots)),
            None => (key("min"), key("max")),
        };
        for (node, reg) in [(least, min), (most, max)] {
            match node.and_then(|node| self.node_expr(node)) {
                Some(expr) => self.value_into(reg, &expr, &Ty::Int),
                None => self.load(reg, NULL),
            }
        }
        match (least, most) {
            (None, None) => PickLimit::One,
            (_, Some(most)) if most.as_int() == Some(1) => PickLimit::One,
            _ => PickLimit::Many,
        }
    }

    /// Reports more picks than the list can ever have.
    fn check_count(&mut self, parts: &StatementParts<'_>) {
        let node = ["count", "min", "slots"].into_iter().find_map(|key| parts.get(key));
        let is_empty_allowed = parts.get("empty").is_some();
        let (Some(node), Some(from)) = (node, parts.get("from")) else { return };
        let Some(count) = node.as_int().filter(|_| !self.is_published && !is_empty_allowed) else { return };
        let most = match &from.value {
            NodeValue::Text(text) => crate::expr::parse(text).ok().and_then(|expr| self.most_items(&expr)),
            NodeValue::List(items) => Some(items.len() as i64),
            _ => None,
        };
        if let Some(most) = most.filter(|most| *most < count) {
            let message = format!("this list has at most {most}, so nobody can pick {count}");
            self.report_error("E-CHOOSE", node.span, message);
        }
    }

    /// Returns the greatest number of items of a list, as far as it is known.
    fn most_items(&self, expr: &Expr) -> Option<i64> {
        let capacity = |name: &str| {
            let is_local = self.body.binding(name).is_some();
            let zones = || self.merged.documents.iter().filter_map(|document| document.node.get("zones"));
            zones().find_map(|zones| zones.get(name)?.get("max")?.as_int()).filter(|_| !is_local)
        };
        match &expr.kind {
            ExprKind::List(items) => Some(items.len() as i64),
            ExprKind::Name(name) => capacity(name),
            ExprKind::Method { target, name, args, .. } => match (name.text.as_str(), &args[..]) {
                ("top" | "bottom", [count]) => match count.body.kind {
                    ExprKind::Int(count) => Some(count),
                    _ => None,
                },
                ("where" | "sort_by" | "present" | "distinct", _) => self.most_items(target),
                (zone, []) => capacity(zone),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reports literal bounds that contradict each other or have no effect.
    pub(super) fn check_bounds<'n>(&mut self, span: Span, get: &dyn Fn(&str) -> Option<&'n SourceNode>) {
        let is_exact = get("count").is_some();
        for key in ["min", "max"] {
            if let Some(bound) = get(key).filter(|_| is_exact) {
                let message = format!("`{key}` has no effect: `count` sets the number of picks");
                self.report(
                    Diagnostic::warning("W-UNUSED", bound.span, message).hint("leave out one of them"),
                );
            }
        }
        let literal = |key: &str| get(key).and_then(SourceNode::as_int);
        if let (Some(least), Some(most)) = (literal("min"), literal("max"))
            && least > most
            && !is_exact
        {
            self.report_error("E-CHOOSE", span, "`min` is greater than `max`, so no answer is valid");
        }
        if ["min", "max", "count", "slots"].into_iter().filter_map(literal).any(|number| number < 0) {
            self.report_error("E-CHOOSE", span, "a number of picks cannot be negative");
        }
    }

    fn lower_deadline(&mut self, parts: &StatementParts<'_>, args: Reg, value: &Ty, pass: bool) {
        let (deadline, default) = (args.offset(Choice::DEADLINE), args.offset(Choice::DEFAULT));
        match parts.get("deadline").and_then(|node| self.node_expr(node)) {
            Some(expr) => self.value_into(deadline, &expr, &Ty::Int.maybe()),
            None => self.load(deadline, NULL),
        }
        if let Some(node) = parts.get("deadline")
            && parts.get("default").is_none()
            && !pass
        {
            self.report(
                Diagnostic::error("E-CHOOSE", node.span, "a deadline needs a `default`")
                    .hint("say what happens when nobody answers in time"),
            );
        }
        match parts.get("default").and_then(|node| self.node_expr(node)) {
            Some(expr) => self.value_into(default, &expr, value),
            None => self.load(default, NULL),
        }
    }

    // --- types of answers ----------------------------------------------------------------

    fn value_type(
        &mut self,
        parts: &StatementParts<'_>,
        shape: AnswerShape,
        item: &Ty,
        levels: usize,
        single: bool,
        pass: bool,
    ) -> Ty {
        let item = match item {
            Ty::Name(_) => Ty::Symbol,
            other => other.clone(),
        };
        // A player may pick nothing if `min` is, or may be, 0.
        let none_will_do = match (parts.get("count"), parts.get("min")) {
            (Some(_), _) => false,
            (None, Some(min)) => min.as_int().is_none_or(|min| min < 1),
            (None, None) => parts.get("max").is_some(),
        };
        let optional = pass || none_will_do;
        match shape {
            AnswerShape::Slots { empty: true } if pass => Ty::list(item.maybe()).maybe(),
            AnswerShape::Slots { empty: true } => Ty::list(item.maybe()),
            AnswerShape::Branches => {
                let picked = self.chosen_type(&item, levels);
                match (single, optional) {
                    (true, true) => picked.maybe(),
                    (true, false) => picked,
                    (false, _) if pass => Ty::list(picked).maybe(),
                    (false, _) => Ty::list(picked),
                }
            }
            _ if single && optional => item.maybe(),
            _ if single => item,
            _ if pass => Ty::list(item).maybe(),
            _ => Ty::list(item),
        }
    }

    fn result_type(&mut self, how: AnswerMode, value: &Ty) -> Ty {
        match how {
            AnswerMode::One => value.clone(),
            AnswerMode::Each => {
                let answer = self.answer_type(value.clone());
                Ty::Map(Rc::new(Ty::PLAYER), Rc::new(answer))
            }
            AnswerMode::Any | AnswerMode::First => {
                let is_first = how == AnswerMode::First;
                let value = if is_first { value.present() } else { value.clone() };
                let fields =
                    vec![(self.intern_symbol("actor"), Ty::PLAYER), (self.intern_symbol("value"), value)];
                let record = Ty::Record(Rc::new(RecordTy { name: None, fields }));
                if is_first { record.maybe() } else { record }
            }
        }
    }

    fn input_kind(&mut self, parts: &StatementParts<'_>, shape: AnswerShape, item: &Ty) -> InputKind {
        const KINDS: &[(&str, InputKind)] = &[
            ("target_select", InputKind::TargetSelect),
            ("order_select", InputKind::OrderSelect),
            ("mode_pick", InputKind::ModePick),
            ("pay_cost", InputKind::PayCost),
            ("confirm", InputKind::Confirm),
            ("action", InputKind::Action),
            ("layout", InputKind::Layout),
            ("path", InputKind::Path),
            ("select", InputKind::Select),
        ];
        if let Some(node) = parts.get("kind") {
            let word = self.word(node, "`kind`", PROMPT_KINDS);
            return KINDS
                .iter()
                .find(|(name, _)| Some(*name) == word)
                .map_or(InputKind::Select, |(_, kind)| *kind);
        }
        match (shape, item) {
            (AnswerShape::Slots { .. }, _) => InputKind::Layout,
            (AnswerShape::Order, _) => InputKind::OrderSelect,
            (AnswerShape::Branches, _) => InputKind::ModePick,
            (AnswerShape::Path, _) => InputKind::Path,
            (AnswerShape::Pick, Ty::Action) => InputKind::Action,
            (AnswerShape::Pick, Ty::Bool) => InputKind::Confirm,
            (AnswerShape::Pick, item) if item.is_entity() => InputKind::TargetSelect,
            (AnswerShape::Pick, _) => InputKind::Select,
        }
    }
}
