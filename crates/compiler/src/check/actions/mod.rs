//! Actions and abilities: where they are written, templates, modes, what is chosen with them.
//!
//! Every action has a kind and a def of its own: what waits on the stack is an
//! entity of that def, and what was chosen are its properties.

mod finding;
mod taking;

use std::rc::Rc;

use intermezzo_ruleset::{
    Action, ActionHost, ActionId, ActionParam, ActionTiming, Def, DefId, Initial, KindId, Manipulated,
    Manipulation, PropId, RoutineId, RuleHost, ZoneId,
};

use super::Checker;
use super::body::{Body, Mode};
use super::reactions::Host;
use super::types::Ty;
use super::world::ActionInfo;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::tree::{Entry, Node, Text, Value};

const ACTION_KEYS: &[&str] = &[
    "id",
    "timing",
    "preconditions",
    "costs",
    "optional",
    "targets",
    "effects",
    "host",
    "zones",
    "finally",
    "abstract",
    "extends",
    "hint",
    "recheck",
    "tags",
    "sig",
    "refund",
    "preventable",
    "manipulation",
    "modes",
    "description",
];

/// Parts of an action that are lists: a template's come first.
const LISTS: &[&str] = &["preconditions", "costs", "optional", "targets", "effects", "finally", "tags"];

/// Templates may extend templates, but not without end.
const MAX_TEMPLATES: usize = 16;

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
    /// Finds all actions, merges templates and modes into them and gives them names.
    pub(crate) fn declare_actions(&mut self) {
        let merged = self.merged;
        let mut found: Vec<(Node, Host, ActionHost, bool)> = Vec::new();
        for (section, _) in merged.section("actions") {
            for node in self.items(section, "`actions`") {
                let (ty, host) = match node.get("host") {
                    Some(kind) => match self.kind_named(kind) {
                        Some(kind) => (Some(Ty::Kind(kind)), ActionHost::Kind(kind)),
                        None => continue,
                    },
                    None => (None, ActionHost::Game),
                };
                found.push((node.clone(), Host { ty, instance: None, rule: None }, host, false));
            }
        }
        for (section, _) in merged.section("defs") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(def) = self.world.defs.get(&entry.key.value).cloned() else { continue };
                for (key, called) in [("actions", false), ("abilities", true)] {
                    for node in entry.value.get(key).and_then(Node::as_list).unwrap_or_default() {
                        let rule = Some(RuleHost::Def(def.id));
                        let host = Host { ty: Some(Ty::Kind(def.kind)), instance: None, rule };
                        found.push((node.clone(), host, ActionHost::Def(def.id), called));
                    }
                }
            }
        }
        for (section, _) in merged.section("traits") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(info) = self.world.traits.get(&entry.key.value).cloned() else { continue };
                for node in entry.value.get("actions").and_then(Node::as_list).unwrap_or_default() {
                    let rule = Some(RuleHost::Def(info.def));
                    let host = Host { ty: Some(Ty::SomeEntity), instance: Some(info.kind), rule };
                    found.push((node.clone(), host, ActionHost::Def(info.def), false));
                }
            }
        }
        for (node, _, _, _) in &found {
            if node.get("abstract").and_then(Node::as_bool) == Some(true)
                && let Some(id) = node.get("id").and_then(Node::as_text)
            {
                self.templates.insert(&id.value, node.clone());
            }
        }
        for (node, host, place, called) in found {
            self.declare_action(&node, &host, place, called);
        }
    }

    fn declare_action(&mut self, node: &Node, host: &Host, place: ActionHost, called: bool) {
        self.entries(node, "an action", ACTION_KEYS);
        if node.get("abstract").is_some_and(|flag| self.flag(flag, "`abstract`")) {
            return;
        }
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
            self.wrong("E-KEY", node.span, "an action needs `id`");
            return;
        };
        self.check_identifier(&id, "`id`");
        let mut node = self.with_template(node.clone(), 0);
        self.name_implicit_targets(&mut node);
        let title = |node: &Node| node.get("name").and_then(Node::as_text).map(|text| text.value.clone());
        let name = title(&node).unwrap_or_else(|| sentence(&id.value));
        let modes: Vec<Node> =
            node.get("modes").map(|modes| self.items(modes, "`modes`").to_vec()).unwrap_or_default();
        if modes.is_empty() {
            self.add_action(node, id, name, host, place, called);
            return;
        }
        for mode in modes {
            let known = ["id", "title", "preconditions", "costs", "targets", "effects", "finally"];
            self.entries(&mode, "a mode", &known);
            let Some(mode_id) = mode.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.wrong("E-KEY", mode.span, "a mode needs `id`");
                continue;
            };
            let shown = mode.get("title").or_else(|| mode.get("name")).and_then(Node::as_text);
            let shown = shown.map_or_else(|| sentence(&mode_id.value), |text| text.value.clone());
            let mut text = mode_id.clone();
            text.value = format!("{}_{}", id.value, mode_id.value);
            let one = extended(&mode, &node, &["id", "title", "name", "modes"]);
            self.add_action(one, text, format!("{name}: {shown}"), host, place, called);
        }
    }

    /// An action with what it inherits.
    fn with_template(&mut self, node: Node, depth: usize) -> Node {
        let Some(extends) = node.get("extends") else { return node };
        let Some(name) = self.text(extends, "`extends`").cloned() else { return node };
        let Some(template) = self.templates.get(&name.value).cloned() else {
            let known = self.templates.owned_names();
            self.unknown("E-NAME", name.span, "template", &name.value, known.iter().map(String::as_str));
            return node;
        };
        self.mark_used("templates", &name.value);
        if depth > MAX_TEMPLATES {
            self.wrong("E-RECURSE", name.span, "templates extend each other in a circle");
            return node;
        }
        let template = self.with_template(template, depth + 1);
        extended(&node, &template, &["abstract", "extends", "id"])
    }

    /// A `{ref: name}` that nothing declares is chosen from the abilities of the first target.
    fn name_implicit_targets(&mut self, node: &mut Node) {
        let mut names = Vec::new();
        for part in ["preconditions", "costs", "effects"] {
            if let Some(part) = node.get(part) {
                collect_refs(part, &mut names);
            }
        }
        let targets = node.get("targets").and_then(Node::as_list).unwrap_or_default();
        let ids: Vec<String> = targets
            .iter()
            .filter_map(|target| target.get("id").and_then(Node::as_text))
            .map(|text| text.value.clone())
            .collect();
        let Some(first) = ids.first().cloned() else { return };
        let mut new: Vec<Node> = targets.to_vec();
        for name in names {
            let is_known = ids.contains(&name.value)
                || ["self", "you", "actor", "trait", "players", "match", "stack"]
                    .contains(&name.value.as_str())
                || self.world.is_symbol(&name.value)
                || self.world.zones.contains(&name.value)
                || new.iter().any(|node| {
                    node.get("id").and_then(Node::as_text).is_some_and(|id| id.value == name.value)
                });
            if is_known || name.value.contains(['.', '(', ' ']) {
                continue;
            }
            let text = |value: &str| Text::straight(value, name.span.file, name.span.start);
            let entry = |key: &str, value: &str| Entry {
                key: text(key),
                value: Node { span: name.span, value: Value::Text(text(value)) },
            };
            let entries = vec![entry("id", &name.value), entry("from", &format!("{first}.abilities"))];
            new.push(Node { span: name.span, value: Value::Map(entries) });
        }
        if new.len() > targets.len()
            && let Value::Map(entries) = &mut node.value
            && let Some(entry) = entries.iter_mut().find(|entry| entry.key.value == "targets")
        {
            entry.value.value = Value::List(new);
        }
    }

    fn add_action(
        &mut self,
        node: Node,
        id: Text,
        title: String,
        host: &Host,
        place: ActionHost,
        called: bool,
    ) {
        if let Some(old) = self.world.actions.get(&id.value) {
            let old = old.span;
            self.report(
                Diagnostic::error("E-NAME", id.span, format!("there is already an action `{}`", id.value))
                    .related(old, "the other one"),
            );
            return;
        }
        let kind = self.add_kind(&format!("action {}", id.value), id.span);
        self.set_parent(kind, KindId::ACTION);
        let def = DefId(self.program.defs.len() as u16);
        let symbol = self.symbol(&format!("action {}", id.value));
        let shown = self.intern_text(&title);
        let text = self.described(&node);
        self.program.defs.push(Def {
            name: symbol,
            kind,
            props: Vec::new(),
            traits: Vec::new(),
            is_trait: false,
            title: shown,
            text,
        });
        let number = ActionId(self.actions.len() as u16);
        self.symbol(&id.value);
        self.world.actions.insert(&id.value, ActionInfo { kind, def, span: id.span, called });
        self.actions.push(Source {
            node,
            id,
            title,
            host: place,
            ty: host.ty.clone(),
            instance: host.instance,
            called,
            number,
            kind,
            def,
            targets: Vec::new(),
            options: Vec::new(),
            refunds: Vec::new(),
        });
    }

    /// Finds out what the targets of all actions are: later rules may speak of them.
    pub(crate) fn type_actions(&mut self) {
        for at in 0..self.actions.len() {
            let mut source = self.actions[at].clone();
            let scratch = RoutineId(u16::MAX);
            let outer = std::mem::replace(&mut self.body, Body::new(scratch, String::new(), Mode::Pure));
            for _ in 0..intermezzo_ruleset::Reg::CONTEXT {
                self.body.local(Ty::Entity);
            }
            self.bind_action(&source);
            self.type_targets(&mut source);
            self.body = outer;
            self.usage.calls.remove(&scratch);
            self.usage.depths.remove(&scratch);
            self.usage.reads.remove(&scratch);
            for option in source.part("optional").to_vec() {
                self.entries(&option, "an optional cost", &["id", "title", "costs"]);
                match option.get("id").and_then(Node::as_text) {
                    Some(id) => source.options.push(id.clone()),
                    None => {
                        self.wrong("E-KEY", option.span, "an optional cost needs `id`");
                    }
                }
            }
            if let Some(refund) = source.node.get("refund") {
                self.word(refund, "`refund`", &["prevented"]);
                let resources = self.world.props.iter();
                let resources = resources.filter(|prop| prop.resource && prop.kind == KindId::PLAYER);
                source.refunds =
                    resources.map(|prop| (self.world.spelling(prop.name).to_owned(), prop.id)).collect();
            }
            self.add_action_props(&source);
            self.actions[at] = source;
        }
    }

    fn type_targets(&mut self, source: &mut Source) {
        let nodes = source.node.get("targets").map(|node| self.items(node, "`targets`").to_vec());
        let mut asked: Vec<String> = Vec::new();
        for node in nodes.unwrap_or_default() {
            let known = ["id", "from", "selector", "count", "min", "max", "title", "optional", "recheck"];
            self.entries(&node, "a target", &known);
            let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.wrong("E-KEY", node.span, "a target needs `id`");
                continue;
            };
            self.check_identifier(&id, "`targets`");
            if self.world.prop(KindId::ACTION, &id.value).is_some() {
                let message =
                    format!("`{}` is something every action has, so it cannot be a target", id.value);
                self.wrong("E-NAME", id.span, message);
                continue;
            }
            let Some(from) = self.target_source(&node) else { continue };
            let item = self.target_item(&from);
            let target = target_of(node, id, from, item, &asked);
            if !target.offered {
                asked.push(target.id.value.clone());
            }
            self.bind_target(source, &target, intermezzo_ruleset::Reg(0), source.targets.is_empty());
            source.targets.push(target);
        }
    }

    /// What the items of a target's source are.
    fn target_item(&mut self, from: &Node) -> Ty {
        let list = self.node_value(from);
        let ty = list.ty.present();
        if !Self::is_listlike(&ty) && !ty.is_error() {
            let message = format!("`from` is a list, but this is {}", self.world.show(&ty));
            return self.wrong("E-TYPE", from.span, message);
        }
        match self.item_type(&ty) {
            Ty::Name(_) => Ty::Symbol,
            item => item,
        }
    }

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

/// A target with what follows from how it is written.
fn target_of(node: Node, id: Text, from: Node, item: Ty, asked: &[String]) -> Target {
    let selector = node.get("selector");
    let number = |key: &str| node.get(key).or_else(|| selector.and_then(|selector| selector.get(key)));
    let optional = node.get("optional").and_then(Node::as_bool) == Some(true);
    let one = |node: Option<&Node>| node.is_none_or(|node| node.as_int() == Some(1));
    let is_single = one(number("count")) && number("min").is_none() && number("max").is_none();
    let many = !optional && !is_single;
    let mut depends = false;
    if let Some(text) = from.as_text()
        && let Ok(expr) = crate::expr::parse(text)
    {
        expr.visit_names(&mut |name| depends |= asked.iter().any(|asked| asked == name));
    }
    let is_plain = item.is_entity() || item.is_name() || matches!(item, Ty::Ability);
    let offered = !many && !optional && !depends && is_plain;
    let recheck = node.get("recheck").and_then(Node::as_bool) != Some(false) && item.is_entity();
    let ty = match (many, optional) {
        (true, _) => Ty::list(item),
        (false, true) => item.maybe(),
        (false, false) => item,
    };
    Target { id, node, from, ty, offered, optional, many, recheck }
}

/// `node` with what it does not say taken from `base`; lists of both, those of `base` first.
fn extended(node: &Node, base: &Node, own: &[&str]) -> Node {
    let mut entries: Vec<Entry> = node.as_map().unwrap_or_default().to_vec();
    for inherited in base.as_map().unwrap_or_default() {
        let key = inherited.key.value.as_str();
        if own.contains(&key) {
            continue;
        }
        match entries.iter_mut().find(|entry| entry.key.value == key) {
            Some(entry) if LISTS.contains(&key) => {
                if let (Value::List(first), Value::List(then)) =
                    (&inherited.value.value, &mut entry.value.value)
                {
                    let mut all = first.clone();
                    all.append(then);
                    *then = all;
                }
            }
            Some(_) => {}
            None => entries.push(inherited.clone()),
        }
    }
    Node { span: node.span, value: Value::Map(entries) }
}

fn collect_refs(node: &Node, names: &mut Vec<Text>) {
    match &node.value {
        Value::Map(entries) => {
            if let Some(name) = node.get("ref").and_then(Node::as_text)
                && !names.iter().any(|known| known.value == name.value)
            {
                names.push(name.clone());
            }
            entries.iter().for_each(|entry| collect_refs(&entry.value, names));
        }
        Value::List(items) => items.iter().for_each(|item| collect_refs(item, names)),
        _ => {}
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
