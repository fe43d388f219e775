//! Actions and abilities: where they are written, templates, modes, what is chosen with them.
//!
//! Every action has a kind and a def of its own: what waits on the stack is an
//! entity of that def, and what was chosen are its properties.

mod declaring;
mod finding;
mod taking;
mod targets;

use std::rc::Rc;

use intermezzo_ruleset::{
    Action, ActionHost, ActionId, ActionParam, ActionTiming, DefId, Initial, KindId, Manipulated,
    Manipulation, PropId, RuleHost, ZoneId,
};

use super::Checker;
use super::reactions::Host;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::tree::{Node, Text, Value};

/// Something chosen with an action.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) id: Text,
    pub(crate) node: Node,
    /// What it is chosen from.
    pub(crate) from: Node,
    /// What it is, for the effects.
    pub(crate) ty: Ty,
    /// Is part of the offer.
    pub(crate) offered: bool,
    /// Zero or one, or several.
    pub(crate) optional: bool,
    pub(crate) many: bool,
    /// Is looked at again when the action resolves.
    pub(crate) recheck: bool,
}

/// An action, template and mode merged in.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) node: Node,
    pub(crate) id: Text,
    pub(crate) title: String,
    pub(crate) host: ActionHost,
    /// Type of the host; none if the game itself has it.
    pub(crate) ty: Option<Ty>,
    pub(crate) instance: Option<KindId>,
    pub(crate) called: bool,
    pub(crate) number: ActionId,
    pub(crate) kind: KindId,
    pub(crate) def: DefId,
    pub(crate) targets: Vec<Target>,
    /// Yes-or-no parameters: optional costs.
    pub(crate) options: Vec<Text>,
    /// Resources given back if it is prevented: how much was paid is a parameter.
    pub(crate) refunds: Vec<(String, PropId)>,
}

impl Source {
    pub(crate) fn part<'n>(&'n self, key: &str) -> &'n [Node] {
        match self.node.get(key).map(|node| &node.value) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// Names and types of all parameters, in order.
    pub(crate) fn params(&self) -> Vec<(String, Ty)> {
        let targets = self.targets.iter().map(|target| (target.id.value.clone(), target.ty.clone()));
        let options = self.options.iter().map(|option| (option.value.clone(), Ty::Bool));
        let refunds = self.refunds.iter().map(|(name, _)| (format!("paid {name}"), Ty::Int));
        targets.chain(options).chain(refunds).collect()
    }

    pub(crate) fn label(&self, part: &str) -> String {
        let section = if self.called { "abilities" } else { "actions" };
        match part {
            "" => format!("{section}.{}", self.id.value),
            part => format!("{section}.{} {part}", self.id.value),
        }
    }
}

impl Checker<'_> {
    /// Gives the items of an action a property for each parameter.
    fn add_action_props(&mut self, source: &Source) {
        let parent = &self.program.kinds[KindId::ACTION.index()];
        let (mut props, mut columns) = (parent.props.clone(), parent.columns);
        for (name, ty) in source.params() {
            let symbol = self.symbol(&name);
            props.push(self.add_prop(source.kind, symbol, ty, columns, false, source.id.span));
            columns += 1;
        }
        let kind = &mut self.program.kinds[source.kind.index()];
        kind.props = props;
        kind.columns = columns;
        let action = self.world.prop(KindId::ACTION, "action").map(|prop| prop.id);
        let symbol = self.symbol(&source.id.value);
        if let Some(action) = action {
            let printed = (action, Initial::Word(i64::from(symbol.0)));
            self.program.defs[source.def.index()].props.push(printed);
        }
    }

    /// Names an action's rules can use before any target is known.
    pub(crate) fn bind_action(&mut self, source: &Source) {
        use intermezzo_ruleset::Reg;
        if let Some(ty) = &source.ty {
            self.body.bind("self", Reg::SELF, ty.clone());
        }
        self.body.bind("you", Reg::YOU, Ty::PLAYER);
        self.body.bind("actor", Reg::ACTOR, Ty::PLAYER);
        if let Some(kind) = source.instance {
            self.body.bind("trait", Reg::TRAIT, Ty::Kind(kind));
        }
    }

    /// Binds a target; the first one of an action of the game itself is also its `self`.
    pub(crate) fn bind_target(
        &mut self,
        source: &Source,
        target: &Target,
        reg: intermezzo_ruleset::Reg,
        first: bool,
    ) {
        self.body.bind(&target.id.value, reg, target.ty.clone());
        if first && source.ty.is_none() && target.ty.is_entity() {
            self.body.bind("self", reg, target.ty.clone());
        }
    }

    pub(crate) fn lower_actions(&mut self) {
        for source in std::mem::take(&mut self.actions) {
            let action = self.lower_action(&source);
            self.program.actions.push(action);
            self.actions.push(source);
        }
        let names = self.templates.owned_names();
        for name in names {
            if !self.is_used("templates", &name)
                && let Some(node) = self.templates.get(&name)
            {
                let span = node.span;
                let message = format!("no action extends the template `{name}`");
                self.report(Diagnostic::warning("W-UNUSED", span, message));
            }
        }
    }

    fn lower_action(&mut self, source: &Source) -> Action {
        let node = &source.node;
        let timing =
            match node.get("timing").and_then(|node| self.word(node, "`timing`", &["stack", "instant"])) {
                _ if source.called => ActionTiming::Called,
                Some("instant") => ActionTiming::Instant,
                _ => ActionTiming::Stack,
            };
        let preventable = node.get("preventable").is_none_or(|node| self.flag(node, "`preventable`"));
        let zones = node.get("zones").map(|zones| self.zone_names(zones)).unwrap_or_default();
        let params = source
            .params()
            .into_iter()
            .enumerate()
            .map(|(at, (name, ty))| {
                let symbol = self.symbol(&name);
                let prop = self.world.prop(source.kind, &name).map_or(PropId(0), |prop| prop.id);
                let offered = source.targets.get(at).is_some_and(|target| target.offered);
                ActionParam { name: symbol, ty: self.type_id(&ty), offered, prop }
            })
            .collect();
        let found = self.lower_finding(source);
        let took = self.lower_taking(source, timing, found.pay);
        let text = |checker: &mut Self, key: &str| {
            let text = node.get(key).and_then(Node::as_text).map(|text| text.value.clone());
            text.map(|text| checker.intern_text(&text))
        };
        let described = self.described(node);
        let tags = source.part("tags").iter().filter_map(Node::as_text).map(|text| text.value.clone());
        let tags: Vec<String> = tags.collect();
        let ui = node.get("ui").map(|ui| ui.to_json().to_string());
        Action {
            name: self.symbol(&source.id.value),
            def: source.def,
            host: source.host,
            zones,
            timing,
            preventable,
            params,
            gate: found.gate,
            offers: found.offers,
            why: found.why,
            reasons: found.reasons,
            take: took.take,
            recheck: took.recheck,
            perform: took.perform,
            pay: found.pay,
            finally: took.finally,
            refund: took.refund,
            prices: found.prices,
            emits: Vec::new(),
            tags: tags.iter().map(|tag| self.symbol(tag)).collect(),
            title: self.intern_text(&source.title),
            text: described,
            hint: text(self, "hint"),
            ui: ui.map(|ui| self.intern_text(&ui)),
            manipulation: self.manipulation(source),
        }
    }

    /// The drag that means an action.
    fn manipulation(&mut self, source: &Source) -> Option<Manipulation> {
        let node = source.node.get("manipulation")?;
        self.entries(node, "`manipulation`", &["drag", "onto"]);
        let (Some(drag), Some(onto)) = (node.get("drag"), node.get("onto")) else {
            self.wrong("E-KEY", node.span, "`manipulation` needs `drag` and `onto`");
            return None;
        };
        Some(Manipulation { what: self.manipulated(source, drag)?, onto: self.manipulated(source, onto)? })
    }

    fn manipulated(&mut self, source: &Source, node: &Node) -> Option<Manipulated> {
        let text = self.text(node, "one end of a drag")?.clone();
        if text.value == "self" && source.ty.is_some() {
            return Some(Manipulated::Host);
        }
        let offered =
            source.targets.iter().position(|target| target.offered && target.id.value == text.value);
        if let Some(at) = offered {
            return Some(Manipulated::Param(at as u16));
        }
        if let Some(zone) = self.world.zones.get(&text.value) {
            return Some(Manipulated::Zone(ZoneId(zone.id.0)));
        }
        let mut known: Vec<String> = source.targets.iter().map(|target| target.id.value.clone()).collect();
        known.extend(self.world.zones.owned_names());
        known.push("self".to_owned());
        self.unknown("E-NAME", text.span, "target or zone", &text.value, known.iter().map(String::as_str));
        None
    }

    /// Events the effects of each action can bring about, through everything they call and set off.
    pub(crate) fn finish_actions(&mut self) {
        for at in 0..self.program.actions.len() {
            let mut events = self.emitted_by(self.program.actions[at].perform);
            let mut open: Vec<u16> = events.iter().copied().collect();
            while let Some(event) = open.pop() {
                let routine = self.program.events[usize::from(event)].routine;
                for next in routine.map(|routine| self.emitted_by(routine)).unwrap_or_default() {
                    if events.insert(next) {
                        open.push(next);
                    }
                }
            }
            self.program.actions[at].emits = events.into_iter().map(intermezzo_ruleset::EventId).collect();
        }
    }

    pub(crate) fn selector_type(&mut self, selector: &Node) -> Ty {
        self.entries(selector, "a selector", &["zone", "controller", "count", "min", "max", "kind"]);
        let Some(zone) = selector.get("zone").and_then(|zone| self.text(zone, "`zone`")) else {
            return Ty::Entity;
        };
        match self.world.zones.get(&zone.value) {
            Some(info) => info.item.clone(),
            None => {
                let known = self.world.zones.owned_names();
                self.unknown("E-NAME", zone.span, "zone", &zone.value, known.iter().map(String::as_str))
            }
        }
    }

    pub(crate) fn check_traits(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("traits") {
            for entry in section.as_map().unwrap_or_default() {
                let known = ["params", "reactions", "modifiers", "actions"];
                self.entries(&entry.value, "a trait", &known);
                let Some(info) = self.world.traits.get(&entry.key.value) else { continue };
                let (kind, def) = (info.kind, info.def);
                let rule = Some(RuleHost::Def(def));
                let host = Host { ty: Some(Ty::SomeEntity), instance: Some(kind), rule };
                self.hosted_rules(&entry.value, &host);
            }
        }
    }

    /// Whether an expression may depend on one of the names, also through the functions it calls.
    pub(crate) fn depends_on(&mut self, expr: &Expr, names: &[&str], depth: usize) -> bool {
        let mut found = false;
        let mut called = Vec::new();
        expr.visit_names(&mut |name| found |= names.contains(&name));
        expr.visit_calls(&mut |name| called.push(name.to_owned()));
        if found || depth > 32 {
            return true;
        }
        called.iter().any(|name| {
            let Some(body) = self.world.functions.get(name).map(|function| Rc::clone(&function.body)) else {
                return false;
            };
            // A function's parameters are its own; only what it takes from its caller's context counts.
            let context: Vec<&str> = names
                .iter()
                .copied()
                .filter(|name| ["self", "trait", "you", "actor"].contains(name))
                .collect();
            let known = self.out.len();
            let parsed = self.node_expr(&body);
            self.out.truncate(known);
            parsed.is_some_and(|body| self.depends_on(&body, &context, depth + 1))
        })
    }
}

/// An id as people read it: a capital, and spaces.
pub(crate) fn sentence(id: &str) -> String {
    let spaced = id.replace('_', " ");
    let mut letters = spaced.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => spaced,
    }
}
