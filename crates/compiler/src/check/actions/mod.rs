//! Actions and abilities: declaration, targets, offers and execution.
//!
//! Every action has its own kind and def. An action on the stack is an entity of that def, and the choices
//! made for it are its properties.

mod declarations;
mod execution;
mod offer_code;
pub(crate) mod targets;

use crate::grammar::{rules, state};
use std::rc::Rc;

use intermezzo_program::{
    Action, ActionHost, ActionId, ActionParam, ActionTiming, DefId, InitialValue, KindId, Manipulation,
    ManipulationEnd, PropId, RuleHost, Visibility, ZoneId,
};

use super::Checker;
use super::reactions::HostInfo;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::tree::{NodeValue, SourceNode, SourceText};

/// The property of a stack item that says under which batch what was paid is remembered. Authors cannot write it.
const PAYMENT: &str = "payment batch";

/// A target of an action, or a choice made to pay for it.
#[derive(Clone)]
pub(crate) struct ActionTarget {
    pub(crate) id: SourceText,
    pub(crate) node: SourceNode,
    /// The expression whose items are the candidates.
    pub(crate) from: SourceNode,
    /// The type that the effects see.
    pub(crate) ty: Ty,
    /// The target is part of the offer. Otherwise it is chosen when the action is taken.
    pub(crate) offered: bool,
    /// The player may choose none.
    pub(crate) optional: bool,
    pub(crate) many: bool,
    /// The target is validated again when the action resolves.
    pub(crate) recheck: bool,
    /// A choice made to pay, which is no target.
    pub(crate) pays: bool,
    /// A number is divided among the targets: a list of records.
    pub(crate) divides: bool,
}

/// An action with its template and mode merged in.
#[derive(Clone)]
pub(crate) struct MergedAction {
    pub(crate) node: SourceNode,
    pub(crate) id: SourceText,
    pub(crate) title: String,
    pub(crate) host: ActionHost,
    /// Type of the host; `None` for actions of the game itself.
    pub(crate) ty: Option<Ty>,
    pub(crate) instance: Option<KindId>,
    pub(crate) is_ability: bool,
    pub(crate) number: ActionId,
    pub(crate) kind: KindId,
    pub(crate) def: DefId,
    pub(crate) targets: Vec<ActionTarget>,
    /// Ids of the optional costs. Each is a boolean parameter.
    pub(crate) options: Vec<SourceText>,
    /// Resources refunded if the action is prevented. The amount paid of each is a parameter.
    pub(crate) refunds: Vec<(String, PropId)>,
}

/// Properties that every item of an action has.
const NATIVE_ITEM_PROPS: [&str; 4] = ["host", "via", "copied", "action"];

impl MergedAction {
    pub(crate) fn part<'n>(&'n self, key: &str) -> &'n [SourceNode] {
        match self.node.get(key).map(|node| &node.value) {
            Some(NodeValue::List(items)) => items,
            _ => &[],
        }
    }

    /// Returns the names and types of all parameters, in order.
    pub(crate) fn params(&self) -> Vec<(String, Ty)> {
        let targets = self.targets.iter().map(|target| (target.id.value.clone(), target.ty.clone()));
        let options = self.options.iter().map(|option| (option.value.clone(), Ty::Bool));
        let refunds = self.refunds.iter().map(|(name, _)| (format!("paid {name}"), Ty::Int));
        targets.chain(options).chain(refunds).collect()
    }

    pub(crate) fn label(&self, part: &str) -> String {
        let section = if self.is_ability { "abilities" } else { "actions" };
        match part {
            "" => format!("{section}.{}", self.id.value),
            part => format!("{section}.{} {part}", self.id.value),
        }
    }
}

impl Checker<'_> {
    /// Adds a property for each parameter to the kind of the action's stack items.
    fn add_action_props(&mut self, source: &MergedAction) {
        let parent = &self.program.kinds[KindId::ACTION.index()];
        let (mut props, mut columns) = (parent.props.clone(), parent.columns);
        for (at, (name, ty)) in source.params().into_iter().enumerate() {
            let symbol = self.intern_symbol(&name);
            let prop = self.add_prop(source.kind, symbol, ty, columns, false, source.id.span);
            if source.targets.get(at).is_some_and(|target| target.pays) {
                // Clients show all other properties of an item as its targets.
                self.program.props[prop.index()].visible = Visibility::None;
            }
            props.push(prop);
            columns += 1;
        }
        if source.targets.iter().any(|target| target.pays) {
            let symbol = self.intern_symbol(PAYMENT);
            let prop = self.add_prop(source.kind, symbol, Ty::Int, columns, false, source.id.span);
            self.program.props[prop.index()].visible = Visibility::None;
            props.push(prop);
            columns += 1;
        }
        let kind = &mut self.program.kinds[source.kind.index()];
        kind.props = props;
        kind.columns = columns;
        let action = self.symbols.prop(KindId::ACTION, "action").map(|prop| prop.id);
        let symbol = self.intern_symbol(&source.id.value);
        if let Some(action) = action {
            let printed = (action, InitialValue::Word(i64::from(symbol.0)));
            self.program.defs[source.def.index()].props.push(printed);
        }
    }

    /// Binds the names that an action's rules can use before any target is known.
    pub(crate) fn bind_action(&mut self, source: &MergedAction) {
        use intermezzo_program::Reg;
        if let Some(ty) = &source.ty {
            self.body.bind("self", Reg::SELF, ty.clone());
        }
        self.body.bind("you", Reg::YOU, Ty::PLAYER);
        self.body.bind("actor", Reg::ACTOR, Ty::PLAYER);
        if let Some(kind) = source.instance {
            self.body.bind("trait", Reg::TRAIT, Ty::Kind(kind));
        }
    }

    /// Binds a target. The first target of an action of the game itself is also bound to `self`.
    pub(crate) fn bind_target(
        &mut self,
        source: &MergedAction,
        target: &ActionTarget,
        reg: intermezzo_program::Reg,
        first: bool,
    ) {
        self.body.bind(&target.id.value, reg, target.ty.clone());
        if first && !target.pays && source.ty.is_none() && target.ty.is_entity() {
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

    /// Compiles the values that an action gives to properties of its items on the stack.
    fn lower_item_props(&mut self, source: &MergedAction) {
        let Some(node) = source.node.get("props") else { return };
        for entry in self.named(node, "`props`") {
            let own = self.symbols.prop(KindId::ACTION, &entry.key.value).cloned();
            let Some(info) = own.filter(|_| !NATIVE_ITEM_PROPS.contains(&entry.key.value.as_str())) else {
                let known: Vec<String> = self.prop_names(KindId::ACTION);
                let known = known.iter().map(String::as_str).filter(|name| !NATIVE_ITEM_PROPS.contains(name));
                let known: Vec<&str> = known.collect();
                self.report_unknown("E-PROP", entry.key.span, "property of Action", &entry.key.value, known);
                continue;
            };
            let label = source.label(&entry.key.value);
            let initial = self.initial(&entry.value, &label, &[("it", Ty::Kind(source.kind))], &info.ty);
            self.program.defs[source.def.index()].props.push((info.id, initial));
        }
    }

    fn lower_action(&mut self, source: &MergedAction) -> Action {
        let node = &source.node;
        let timing = match node
            .get("timing")
            .and_then(|node| self.word(node, "`timing`", rules::ACTION.words("timing")))
        {
            _ if source.is_ability => ActionTiming::Called,
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
                let symbol = self.intern_symbol(&name);
                let prop = self.symbols.prop(source.kind, &name).map_or(PropId(0), |prop| prop.id);
                let offered = source.targets.get(at).is_some_and(|target| target.offered);
                let pays = source.targets.get(at).is_some_and(|target| target.pays);
                ActionParam { name: symbol, ty: self.type_id(&ty), offered, prop, pays }
            })
            .collect();
        self.lower_item_props(source);
        let offer_code = self.lower_offer_code(source);
        let execution = self.lower_execution(source, timing, offer_code.pay);
        let text = |checker: &mut Self, key: &str| {
            let text = node.get(key).and_then(SourceNode::as_text).map(|text| text.value.clone());
            text.map(|text| checker.intern_text(&text))
        };
        let described = self.description(node);
        let tags = source.part("tags").iter().filter_map(SourceNode::as_text).map(|text| text.value.clone());
        let tags: Vec<String> = tags.collect();
        node.get("ui").into_iter().for_each(|ui| self.check_action_ui(ui));
        let ui = node.get("ui").map(|ui| ui.to_json().to_string());
        Action {
            name: self.intern_symbol(&source.id.value),
            def: source.def,
            host: source.host,
            zones,
            timing,
            preventable,
            params,
            payment: self.symbols.prop(source.kind, PAYMENT).map(|prop| prop.id),
            gate: offer_code.gate,
            offers: offer_code.offers,
            why: offer_code.why,
            reasons: offer_code.reasons,
            take: execution.take,
            recheck: execution.recheck,
            perform: execution.perform,
            pay: offer_code.pay,
            finally: execution.finally,
            refund: execution.refund,
            prices: offer_code.prices,
            emits: Vec::new(),
            tags: tags.iter().map(|tag| self.intern_symbol(tag)).collect(),
            title: self.intern_text(&source.title),
            text: described,
            hint: text(self, "hint"),
            ui: ui.map(|ui| self.intern_text(&ui)),
            manipulation: self.manipulation(source),
        }
    }

    /// Compiles `manipulation`: the drag gesture that stands for the action.
    fn manipulation(&mut self, source: &MergedAction) -> Option<Manipulation> {
        let node = source.node.get("manipulation")?;
        self.entries(node, &rules::MANIPULATION);
        let (Some(drag), Some(onto)) = (node.get("drag"), node.get("onto")) else {
            self.report_error("E-KEY", node.span, "`manipulation` needs `drag` and `onto`");
            return None;
        };
        Some(Manipulation { what: self.manipulated(source, drag)?, onto: self.manipulated(source, onto)? })
    }

    fn manipulated(&mut self, source: &MergedAction, node: &SourceNode) -> Option<ManipulationEnd> {
        let text = self.text(node, "one end of a drag")?.clone();
        if text.value == "self" && source.ty.is_some() {
            return Some(ManipulationEnd::Host);
        }
        let offered =
            source.targets.iter().position(|target| target.offered && target.id.value == text.value);
        if let Some(at) = offered {
            return Some(ManipulationEnd::Param(at as u16));
        }
        if let Some(zone) = self.symbols.zones.get(&text.value) {
            return Some(ManipulationEnd::Zone(ZoneId(zone.id.0)));
        }
        let mut known: Vec<String> = source.targets.iter().map(|target| target.id.value.clone()).collect();
        known.extend(self.symbols.zones.owned_names());
        known.push("self".to_owned());
        self.report_unknown(
            "E-NAME",
            text.span,
            "target or zone",
            &text.value,
            known.iter().map(String::as_str),
        );
        None
    }

    /// Records for each action the events that its effects can cause, directly or through calls and
    /// consequences.
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
            self.program.actions[at].emits = events.into_iter().map(intermezzo_program::EventId).collect();
        }
    }

    pub(crate) fn selector_type(&mut self, selector: &SourceNode) -> Ty {
        if selector.as_text().is_none() {
            self.entries(selector, &rules::SELECTOR);
        }
        let zone = selector.as_text().or_else(|| self.text(selector.get("zone")?, "`zone`"));
        let Some(zone) = zone else {
            return Ty::Entity;
        };
        match self.symbols.zones.get(&zone.value) {
            Some(info) => info.item.clone(),
            None => {
                let known = self.symbols.zones.owned_names();
                self.report_unknown(
                    "E-NAME",
                    zone.span,
                    "zone",
                    &zone.value,
                    known.iter().map(String::as_str),
                )
            }
        }
    }

    pub(crate) fn check_traits(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("traits") {
            for entry in section.as_map().unwrap_or_default() {
                self.entries(&entry.value, &state::TRAIT);
                let Some(info) = self.symbols.traits.get(&entry.key.value) else { continue };
                let (kind, def) = (info.kind, info.def);
                let rule = Some(RuleHost::Def(def));
                self.lower_ability_flag(&entry.value, def);
                let host = HostInfo { ty: Some(Ty::SomeEntity), instance: Some(kind), rule };
                self.lower_hosted_rules(&entry.value, &host);
            }
        }
    }

    /// Returns true if an expression may depend on one of the names, directly or through the functions it
    /// calls.
    pub(crate) fn depends_on(&mut self, expr: &Expr, names: &[&str], depth: usize) -> bool {
        let mut found = false;
        let mut called = Vec::new();
        expr.visit_names(&mut |name| found |= names.contains(&name));
        expr.visit_calls(&mut |name| called.push(name.to_owned()));
        if found || depth > 32 {
            return true;
        }
        called.iter().any(|name| {
            let Some(body) = self.symbols.functions.get(name).map(|function| Rc::clone(&function.body))
            else {
                return false;
            };
            // A function has its own parameters. It shares only the context registers with its caller.
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

/// Returns an id as a title: capitalised, with spaces instead of underscores.
pub(crate) fn title_from_id(id: &str) -> String {
    let spaced = id.replace('_', " ");
    let mut letters = spaced.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => spaced,
    }
}
