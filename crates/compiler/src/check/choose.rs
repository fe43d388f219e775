//! The `choose` statement: the only way a program waits for players.

use std::rc::Rc;

use intermezzo_ruleset::{
    Branch, Choice, ChoiceId, DraftPolicy, How, InputKind, Instr, KindId, NULL, Reg, Shape,
};

use super::stmts::Parts;
use super::types::{RecordTy, Ty};
use super::{Checker, Val};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expr, ExprKind};
use crate::tree::{Node, Value};

/// How many picks a choice takes, as far as it is written down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Most {
    One,
    Many,
}

/// Who is asked: a player, or a list of them.
enum Askers {
    One(Reg),
    All(Reg),
}

/// One alternative of a `choices:` list.
struct Alternative<'n> {
    node: &'n Node,
    nested: Option<&'n Node>,
}

impl Checker<'_> {
    pub(crate) fn choose_statement(&mut self, parts: &Parts<'_>, value: &Node) {
        let Some(name) = self.text(value, "`choose`") else { return };
        self.check_identifier(name, "`choose`");
        let choice = ChoiceId(self.program.choices.len() as u16);
        // Reserved now: nested choices of the arguments do not exist, but keep the numbering obvious.
        let how = self.how(parts);
        self.emit(Instr::Open { choice });
        let saved = self.body.temp();
        self.emit(Instr::Copy { dst: saved, src: Reg::ACTOR });
        let ty = match self.askers(parts, how) {
            Askers::One(player) => self.ask_player(parts, how, &name.value, player, choice),
            Askers::All(list) => {
                let iter = self.body.temps(3);
                self.emit(Instr::Copy { dst: iter, src: list });
                self.emit(Instr::Int { dst: iter.offset(1), value: 0 });
                let top = self.body.here();
                let next = self.emit(Instr::NextItem { iter, to: 0 });
                let ty = self.ask_player(parts, how, &name.value, iter.offset(2), choice);
                self.emit(Instr::Jump { to: top });
                self.body.land(&[next]);
                ty
            }
        };
        self.emit(Instr::Copy { dst: Reg::ACTOR, src: saved });
        let dst = self.result_local(&name.value, ty);
        self.emit(Instr::Await { dst, choice });
    }

    /// Asks the player in `player`. Gives the type of the result.
    fn ask_player(&mut self, parts: &Parts<'_>, how: How, name: &str, player: Reg, choice: ChoiceId) -> Ty {
        self.emit(Instr::Copy { dst: Reg::ACTOR, src: player });
        let bindings = self.body.bindings.len();
        self.body.bind("actor", Reg::ACTOR, Ty::PLAYER);
        let ty = self.describe_choice(parts, how, name, player, choice);
        self.body.bindings.truncate(bindings);
        ty
    }

    fn how(&mut self, parts: &Parts<'_>) -> How {
        match parts.get("how").and_then(|node| self.word(node, "`how`", &["one", "each", "any"])) {
            Some("each") => How::Each,
            Some("any") => How::Any,
            _ => How::One,
        }
    }

    /// The players asked.
    fn askers(&mut self, parts: &Parts<'_>, how: How) -> Askers {
        let Some(by) = parts.get("by") else {
            self.wrong("E-CHOOSE", parts.span, "`choose` needs `by`: who is asked");
            return Askers::All(self.constant(0));
        };
        let value = self.node_value(by);
        if value.ty.is_maybe() {
            self.warn_null(by.span);
        }
        let ty = value.ty.present();
        if matches!(ty, Ty::List(_)) {
            if how == How::One && parts.get("how").is_none() {
                self.report(
                    Diagnostic::error(
                        "E-CHOOSE",
                        by.span,
                        "several players are asked, so say whose answers count",
                    )
                    .hint("add `how: each` (all must answer) or `how: any` (the first answer counts)"),
                );
            }
            let list = self.coerce(Val { ty, ..value }, &Ty::list(Ty::PLAYER), by.span);
            return Askers::All(list.reg);
        }
        let player = self.coerce(Val { ty, ..value }, &Ty::PLAYER, by.span);
        self.emit(Instr::Assert { value: player.reg });
        Askers::One(player.reg)
    }

    /// Evaluates the arguments for the player in `asked`, emits the `Ask` and records the choice. Gives the
    /// type of the result.
    fn describe_choice(
        &mut self,
        parts: &Parts<'_>,
        how: How,
        name: &str,
        asked: Reg,
        choice: ChoiceId,
    ) -> Ty {
        let alternatives = self.alternatives(parts);
        let branches = alternatives.is_some();
        let count = alternatives.as_ref().map_or(0, Vec::len) as u16;
        let args = self.body.temps(Choice::BRANCHES + 4 * count);
        self.emit(Instr::Copy { dst: args, src: asked });
        let (options, mut item) = self.options(parts, branches);
        self.body.put(args.offset(Choice::OPTIONS), options);
        let most = self.bounds(parts, args);
        let next = self.next_options(parts, name, &item, choice);
        if parts.get("order").and_then(Node::as_bool) == Some(true)
            && ["min", "max", "count"].iter().all(|key| parts.get(key).is_none())
        {
            // Nothing said: all of them are to be put in order.
            let (min, max) = (args.offset(Choice::MIN), args.offset(Choice::MAX));
            self.emit(Instr::Len { dst: min, list: args.offset(Choice::OPTIONS) });
            self.emit(Instr::Copy { dst: max, src: min });
        }
        let mut written = Vec::new();
        if let Some(alternatives) = &alternatives {
            let (list, ty) = self.branches(alternatives, args.offset(Choice::BRANCHES));
            written = list;
            item = ty;
        }
        let flag = |checker: &mut Self, key: &str| match parts.get(key) {
            Some(node) => checker.flag(node, &format!("`{key}`")),
            None => false,
        };
        let empty = flag(self, "empty");
        let pass = flag(self, "pass");
        let secret = flag(self, "secret");
        let order = flag(self, "order");
        let shape = if next.is_some() {
            Shape::Path
        } else if branches {
            Shape::Branches
        } else if parts.get("slots").is_some() {
            Shape::Slots { empty }
        } else if order {
            Shape::Order
        } else {
            Shape::Pick
        };
        if parts.get("slots").is_some() && ["min", "max", "count"].iter().any(|key| parts.get(key).is_some())
        {
            self.wrong("E-CHOOSE", parts.span, "`slots` says how many; leave `min`, `max` and `count` out");
        }
        if parts.get("empty").is_some() && parts.get("slots").is_none() {
            self.wrong("E-CHOOSE", parts.span, "`empty` goes with `slots`");
        }
        let single = most == Most::One && matches!(shape, Shape::Pick | Shape::Branches);
        let value = self.value_type(parts, shape, &item, single, pass);
        self.deadline(parts, args, &value, pass);
        self.emit(Instr::Ask { choice, args });
        let result = self.result_type(how, &value);
        let kind = self.input_kind(parts, shape, &item);
        let record = Choice {
            name: name.to_owned(),
            how,
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
            title: self.title(parts, name),
            branches: written,
            next,
        };
        self.program.choices.push(record);
        result
    }

    fn title(&mut self, parts: &Parts<'_>, name: &str) -> intermezzo_ruleset::TextId {
        match parts.get("title").and_then(|node| self.text(node, "`title`")) {
            Some(text) => self.intern_text(&text.value.clone()),
            None => self.intern_text(&format!("Choose {}", name.replace('_', " "))),
        }
    }

    fn always_ask(&mut self, parts: &Parts<'_>) -> bool {
        parts.get("ask").and_then(|node| self.word(node, "`ask`", &["always"])).is_some()
    }

    fn draft_policy(&mut self, parts: &Parts<'_>) -> Option<DraftPolicy> {
        let node = parts.get("draft")?;
        if let Some(taken) = node.as_bool() {
            return taken.then_some(DraftPolicy::Refuse);
        }
        self.entries(node, "`draft`", &["invalid"]);
        let Some(invalid) = node.get("invalid") else {
            self.wrong("E-CHOOSE", node.span, "`draft` needs `invalid`: `blank` or `refuse`");
            return None;
        };
        match self.word(invalid, "`invalid`", &["blank", "refuse"]) {
            Some("blank") => Some(DraftPolicy::Blank),
            _ => Some(DraftPolicy::Refuse),
        }
    }

    // --- options --------------------------------------------------------------------

    fn options(&mut self, parts: &Parts<'_>, branches: bool) -> (Reg, Ty) {
        let source = parts.get("from").or_else(|| parts.get("choices").filter(|_| !branches));
        if branches && parts.get("from").is_some() {
            self.wrong("E-CHOOSE", parts.span, "`from` and `choices` cannot both be given");
        }
        let Some(source) = source else {
            if !branches {
                self.wrong("E-CHOOSE", parts.span, "`choose` needs options: `from` or `choices`");
            }
            return (self.constant(0), Ty::Error);
        };
        let list = self.option_list(parts, source);
        let item = self.item_type(&list.ty);
        (list.reg, item)
    }

    /// A list of options; of errors if it is none.
    pub(super) fn option_list(&mut self, parts: &Parts<'_>, source: &Node) -> Val {
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
            let message = format!("options are a list, but this is {}", self.world.show(&list.ty));
            self.wrong("E-TYPE", source.span, message);
            return Val { ty: Ty::list(Ty::Error), ..list };
        }
        self.as_list(list)
    }

    /// Offering what the chooser may not see would tell.
    fn warn_hidden_options(&mut self, parts: &Parts<'_>, source: &Expr) {
        let (zone, host) = match &source.kind {
            ExprKind::Name(name) => (name.as_str(), None),
            ExprKind::Method { target, name, has_parens: false, .. } => {
                (name.text.as_str(), Self::path(target))
            }
            _ => return,
        };
        let Some(info) = self.world.zones.get(zone) else { return };
        if info.public {
            return;
        }
        let by = parts.get("by").and_then(Node::as_text).map(|text| text.value.clone());
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

    /// The alternatives, if `choices` is written as a list of objects.
    fn alternatives<'n>(&mut self, parts: &Parts<'n>) -> Option<Vec<Alternative<'n>>> {
        let choices = parts.get("choices")?;
        let items = choices.as_list()?;
        if !items.iter().any(|item| matches!(item.value, Value::Map(_))) {
            return None;
        }
        Some(items.iter().map(|node| Alternative { node, nested: node.get("choices") }).collect())
    }

    fn branches(&mut self, alternatives: &[Alternative<'_>], args: Reg) -> (Vec<Branch>, Ty) {
        let mut branches = Vec::new();
        let mut item = Ty::Never;
        for (at, alternative) in alternatives.iter().enumerate() {
            let base = args.offset(4 * at as u16);
            let known = ["id", "title", "choices", "min", "max", "count", "exclusive", "if"];
            let entries = self.entries(alternative.node, "a choice", &known);
            if entries.is_empty() {
                continue;
            }
            match alternative.node.get("if").and_then(|node| self.node_expr(node)) {
                Some(test) => self.value_into(base, &test, &Ty::Bool),
                None => self.load(base, 1),
            }
            let nested = self.nested_options(alternative, base, &mut item);
            let title = alternative.node.get("title").and_then(|node| self.text(node, "`title`"));
            let id = alternative.node.get("id").and_then(|node| self.text(node, "`id`"));
            let Some(spelling) = id.or(title).map(|text| text.value.clone()) else {
                self.wrong("E-CHOOSE", alternative.node.span, "a choice needs `id` or `title`");
                continue;
            };
            self.world.free_symbols.insert(&spelling, ());
            self.mark_used("symbols", &spelling);
            let id = self.symbol(&spelling);
            let title = title.map_or(spelling, |text| text.value.clone());
            let exclusive = match alternative.node.get("exclusive") {
                Some(node) => self.flag(node, "`exclusive`"),
                None => false,
            };
            branches.push(Branch { id, title: self.intern_text(&title), exclusive, nested });
        }
        (branches, item)
    }

    fn nested_options(&mut self, alternative: &Alternative<'_>, base: Reg, item: &mut Ty) -> bool {
        let (list, min, max) = (base.offset(1), base.offset(2), base.offset(3));
        let Some(nested) = alternative.nested else {
            self.load(list, 0);
            self.load(min, 0);
            self.load(max, 0);
            return false;
        };
        let value = self.node_value(nested);
        let value = self.as_list(Val { ty: value.ty.present(), ..value });
        if !matches!(value.ty, Ty::List(_)) && !value.ty.is_error() {
            let message = format!("`choices` is a list, but this is {}", self.world.show(&value.ty));
            self.wrong("E-TYPE", nested.span, message);
        }
        let ty = self.item_type(&value.ty);
        *item = match self.join(item, &ty) {
            Some(joined) => joined,
            None => self.no_join(&item.clone(), &ty, nested.span),
        };
        self.body.put(list, value.reg);
        for (key, reg) in [("min", min), ("max", max)] {
            let node = alternative.node.get("count").or_else(|| alternative.node.get(key));
            match node.and_then(|node| self.node_expr(node)) {
                Some(expr) => self.value_into(reg, &expr, &Ty::Int),
                None => self.load(reg, NULL),
            }
        }
        true
    }

    // --- bounds ------------------------------------------------------------------------

    /// Puts the bounds into their registers; tells whether at most one is picked.
    fn bounds(&mut self, parts: &Parts<'_>, args: Reg) -> Most {
        let (min, max) = (args.offset(Choice::MIN), args.offset(Choice::MAX));
        if parts.get("count").is_some() && (parts.get("min").is_some() || parts.get("max").is_some()) {
            self.wrong("E-CHOOSE", parts.span, "`count` says both `min` and `max`");
        }
        let literal = |key: &str| parts.get(key).and_then(Node::as_int);
        if let (Some(least), Some(most)) = (literal("min"), literal("max"))
            && least > most
        {
            self.wrong("E-CHOOSE", parts.span, "`min` is greater than `max`, so no answer would do");
        }
        if literal("min").or(literal("max")).or(literal("count")).or(literal("slots")).is_some_and(|n| n < 0)
        {
            self.wrong("E-CHOOSE", parts.span, "numbers of picks are not negative");
        }
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
            (None, None) => Most::One,
            (_, Some(most)) if most.as_int().is_some_and(|most| most <= 1) => Most::One,
            _ => Most::Many,
        }
    }

    fn deadline(&mut self, parts: &Parts<'_>, args: Reg, value: &Ty, pass: bool) {
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

    fn value_type(&mut self, parts: &Parts<'_>, shape: Shape, item: &Ty, single: bool, pass: bool) -> Ty {
        let item = match item {
            Ty::Name(_) => Ty::Symbol,
            other => other.clone(),
        };
        // Nobody need pick anything if `min` is, or may be, 0.
        let none_will_do = match (parts.get("count"), parts.get("min")) {
            (Some(_), _) => false,
            (None, Some(min)) => min.as_int().is_none_or(|min| min < 1),
            (None, None) => parts.get("max").is_some(),
        };
        let optional = pass || none_will_do;
        match shape {
            Shape::Slots { empty: true } if pass => Ty::list(item.maybe()).maybe(),
            Shape::Slots { empty: true } => Ty::list(item.maybe()),
            Shape::Branches => {
                let fields =
                    vec![(self.symbol("id"), Ty::Symbol), (self.symbol("selection"), Ty::list(item))];
                let picked = Ty::Record(Rc::new(RecordTy { name: None, fields }));
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

    fn result_type(&mut self, how: How, value: &Ty) -> Ty {
        match how {
            How::One => value.clone(),
            How::Each => {
                let answer = self.answer_type(value.clone());
                Ty::Map(Rc::new(Ty::PLAYER), Rc::new(answer))
            }
            How::Any => {
                let fields = vec![(self.symbol("actor"), Ty::PLAYER), (self.symbol("value"), value.clone())];
                Ty::Record(Rc::new(RecordTy { name: None, fields }))
            }
        }
    }

    fn input_kind(&mut self, parts: &Parts<'_>, shape: Shape, item: &Ty) -> InputKind {
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
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            let word = self.word(node, "`kind`", &names);
            return KINDS
                .iter()
                .find(|(name, _)| Some(*name) == word)
                .map_or(InputKind::Select, |(_, kind)| *kind);
        }
        match (shape, item) {
            (Shape::Slots { .. }, _) => InputKind::Layout,
            (Shape::Order, _) => InputKind::OrderSelect,
            (Shape::Branches, _) => InputKind::ModePick,
            (Shape::Path, _) => InputKind::Path,
            (Shape::Pick, Ty::Action) => InputKind::Action,
            (Shape::Pick, Ty::Bool) => InputKind::Confirm,
            (Shape::Pick, item) if item.is_entity() => InputKind::TargetSelect,
            (Shape::Pick, _) => InputKind::Select,
        }
    }
}
