//! Where actions are written: templates and modes merged in, each with a kind and a def of its own.

use intermezzo_ruleset::{ActionHost, ActionId, Def, DefId, KindId, RuleHost};

use super::super::Checker;
use super::super::reactions::Host;
use super::super::types::Ty;
use super::super::world::ActionInfo;
use super::{Source, sentence};
use crate::diagnostic::Diagnostic;
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
    "refund",
    "preventable",
    "manipulation",
    "modes",
    "description",
];

/// Parts of an action that are lists: a template's come first.
const LISTS: &[&str] = &["preconditions", "costs", "optional", "targets", "effects", "finally", "tags"];

/// More actions than any game has.
const MAX_ACTIONS: usize = 2_000;

/// Templates may extend templates, but not without end.
const MAX_TEMPLATES: usize = 16;

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
            if self.actions.len() > MAX_ACTIONS {
                let message =
                    format!("a ruleset has at most {MAX_ACTIONS} actions, modes counted one by one");
                self.wrong("E-LIMIT", node.span, message);
                return;
            }
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
        for mode in modes.into_iter().take(MAX_ACTIONS + 1) {
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

    /// What something on the stack is made from.
    pub(crate) fn item_def(&mut self, name: &str, kind: KindId, title: &str, node: &Node) -> DefId {
        let def = DefId(self.program.defs.len() as u16);
        let name = self.symbol(name);
        let title = self.intern_text(title);
        let text = self.described(node);
        let (props, traits) = (Vec::new(), Vec::new());
        self.program.defs.push(Def { name, kind, props, traits, is_trait: false, title, text });
        def
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
        let def = self.item_def(&format!("action {}", id.value), kind, &title, &node);
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
