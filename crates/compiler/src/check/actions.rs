//! Traits, actions, abilities and modifiers: rules that belong to something.

use intermezzo_ruleset::Instr;

use super::Checker;
use super::body::Mode;
use super::reactions::Host;
use super::types::Ty;
use crate::tree::Node;

const ACTION_KEYS: &[&str] = &[
    "id",
    "timing",
    "preconditions",
    "costs",
    "targets",
    "effects",
    "host",
    "zones",
    "finally",
    "abstract",
    "extends",
    "hint",
    "recheck",
    "params",
    "tags",
    "sig",
    "refund",
    "manipulation",
    "modes",
    "description",
];

impl Checker<'_> {
    /// Targets become names the effects can use.
    pub(crate) fn check_targets(&mut self, node: Option<&Node>) {
        let Some(node) = node else { return };
        for target in self.items(node, "`targets`") {
            let known = ["id", "from", "selector", "count", "min", "max", "title", "optional"];
            self.entries(target, "a target", &known);
            let item = match (target.get("from"), target.get("selector")) {
                (Some(from), _) => {
                    let list = self.node_value(from);
                    let ty = list.ty.present();
                    if !Self::is_listlike(&ty) && !ty.is_error() {
                        let message = format!("`from` is a list, but this is {}", self.world.show(&ty));
                        self.wrong("E-TYPE", from.span, message);
                    }
                    self.item_type(&ty)
                }
                (None, Some(selector)) => self.selector_type(selector),
                (None, None) => self.wrong("E-KEY", target.span, "a target needs `from` or `selector`"),
            };
            if let Some(id) = target.get("id").and_then(|id| self.text(id, "`id`")) {
                self.bind_local(&id.value.clone(), item);
            } else {
                self.wrong("E-KEY", target.span, "a target needs `id`");
            }
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
                let rule = Some(intermezzo_ruleset::RuleHost::Def(def));
                let host = Host { ty: Some(Ty::SomeEntity), instance: Some(kind), rule };
                self.hosted_rules(&entry.value, &host);
            }
        }
    }

    pub(crate) fn check_actions(&mut self) {
        let merged = self.merged;
        for (section, _) in merged.section("actions") {
            for node in self.items(section, "`actions`") {
                let ty = match node.get("host") {
                    Some(kind) => self.kind_named(kind).map_or(Ty::Error, Ty::Kind),
                    None => Ty::SomeEntity,
                };
                let host = Host { ty: Some(ty), instance: None, rule: None };
                self.check_action(node, &host);
            }
        }
    }

    pub(crate) fn check_ability(&mut self, node: &Node, host: &Host) {
        self.check_action(node, host);
    }

    pub(crate) fn check_action(&mut self, node: &Node, host: &Host) {
        self.entries(node, "an action", ACTION_KEYS);
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")) else {
            self.wrong("E-KEY", node.span, "an action needs `id`");
            return;
        };
        if let Some(timing) = node.get("timing") {
            self.word(timing, "`timing`", &["stack", "instant"]);
        }
        let routine = self.reserve_routine(&format!("actions.{}", id.value));
        let outer = self.begin(routine, Mode::Program);
        self.bind_context(host.ty.clone().unwrap_or(Ty::SomeEntity), Ty::Event(None));
        self.bind_trait(host);
        for param in self.params(node.get("params")) {
            self.add_param(&param.name, param.ty);
        }
        self.check_targets(node.get("targets"));
        let preconditions =
            node.get("preconditions").map(|node| self.items(node, "`preconditions`")).unwrap_or_default();
        for test in preconditions {
            self.node_as(test, &Ty::Bool);
        }
        for part in ["costs", "effects", "finally"] {
            if let Some(block) = node.get(part) {
                self.block(block);
            }
        }
        if let Some(zones) = node.get("zones") {
            self.check_zone_names(zones);
        }
        self.unsupported(id.span, "actions");
        self.emit(Instr::Done {});
        self.finish(outer);
    }
}
