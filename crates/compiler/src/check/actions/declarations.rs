//! Declaration of actions: merges templates and modes, and creates a kind and a def for each action.

use crate::grammar::rules;
use intermezzo_program::{ActionHost, ActionId, Def, DefId, KindId, RuleHost};

use super::super::Checker;
use super::super::reactions::HostInfo;
use super::super::symbol_table::ActionInfo;
use super::super::types::Ty;
use super::{MergedAction, title_from_id};
use crate::diagnostic::Diagnostic;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// Keys whose values are lists. When an action extends a template, the template's items come first.
const LIST_KEYS: &[&str] =
    &["preconditions", "payment", "costs", "optional", "targets", "effects", "finally", "tags"];

/// Maximum number of actions in a ruleset, each mode counted as one.
const MAX_ACTIONS: usize = 2_000;

/// Maximum length of a chain of templates that extend one another.
const MAX_TEMPLATES: usize = 16;

impl Checker<'_> {
    /// Collects all actions, merges templates and modes into them, and declares their names.
    pub(crate) fn declare_actions(&mut self) {
        let merged = self.merged;
        let mut found: Vec<(SourceNode, HostInfo, ActionHost, bool)> = Vec::new();
        for (section, _) in merged.section("actions") {
            for node in self.items(section, "`actions`") {
                let (ty, host) = match node.get("host") {
                    Some(kind) => match self.kind_named(kind) {
                        Some(kind) => (Some(Ty::Kind(kind)), ActionHost::Kind(kind)),
                        None => continue,
                    },
                    None => (None, ActionHost::Game),
                };
                found.push((node.clone(), HostInfo { ty, instance: None, rule: None }, host, false));
            }
        }
        for (section, _) in merged.section("defs") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(def) = self.symbols.defs.get(&entry.key.value).cloned() else { continue };
                for (key, is_ability) in [("actions", false), ("abilities", true)] {
                    for node in entry.value.get(key).and_then(SourceNode::as_list).unwrap_or_default() {
                        let rule = Some(RuleHost::Def(def.id));
                        let host = HostInfo { ty: Some(Ty::Kind(def.kind)), instance: None, rule };
                        found.push((node.clone(), host, ActionHost::Def(def.id), is_ability));
                    }
                }
            }
        }
        for (section, _) in merged.section("traits") {
            for entry in section.as_map().unwrap_or_default() {
                let Some(info) = self.symbols.traits.get(&entry.key.value).cloned() else { continue };
                for node in entry.value.get("actions").and_then(SourceNode::as_list).unwrap_or_default() {
                    let rule = Some(RuleHost::Def(info.def));
                    let host = HostInfo { ty: Some(Ty::SomeEntity), instance: Some(info.kind), rule };
                    found.push((node.clone(), host, ActionHost::Def(info.def), false));
                }
            }
        }
        for (node, _, _, _) in &found {
            if node.get("abstract").and_then(SourceNode::as_bool) == Some(true)
                && let Some(id) = node.get("id").and_then(SourceNode::as_text)
            {
                if self.templates.contains(&id.value) && !self.is_published {
                    let message = format!("there is already a template `{}`", id.value);
                    self.report_error("E-NAME", id.span, message);
                }
                self.templates.insert(&id.value, node.clone());
            }
        }
        for (node, host, action_host, is_ability) in found {
            self.declare_action(&node, &host, action_host, is_ability);
            if self.actions.len() > MAX_ACTIONS {
                let message =
                    format!("a ruleset has at most {MAX_ACTIONS} actions, modes counted one by one");
                self.report_error("E-LIMIT", node.span, message);
                return;
            }
        }
    }

    fn declare_action(
        &mut self,
        node: &SourceNode,
        host: &HostInfo,
        action_host: ActionHost,
        is_ability: bool,
    ) {
        self.entries(node, &rules::ACTION);
        if node.get("abstract").is_some_and(|flag| self.flag(flag, "`abstract`")) {
            return;
        }
        let Some(id) = node.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
            self.report_error("E-KEY", node.span, "an action needs `id`");
            return;
        };
        self.check_identifier(&id, "`id`");
        let mut node = self.with_template(node.clone(), 0);
        self.add_implicit_targets(&mut node);
        let title =
            |node: &SourceNode| node.get("name").and_then(SourceNode::as_text).map(|text| text.value.clone());
        let name = title(&node).unwrap_or_else(|| title_from_id(&id.value));
        let modes: Vec<SourceNode> =
            node.get("modes").map(|modes| self.items(modes, "`modes`").to_vec()).unwrap_or_default();
        if modes.is_empty() {
            self.add_action(node, id, name, host, action_host, is_ability);
            return;
        }
        for mode in modes.into_iter().take(MAX_ACTIONS + 1) {
            self.entries(&mode, &rules::MODE);
            let Some(mode_id) = mode.get("id").and_then(|id| self.text(id, "`id`")).cloned() else {
                self.report_error("E-KEY", mode.span, "a mode needs `id`");
                continue;
            };
            let shown = mode.get("title").or_else(|| mode.get("name")).and_then(SourceNode::as_text);
            let shown = shown.map_or_else(|| title_from_id(&mode_id.value), |text| text.value.clone());
            let mut text = mode_id.clone();
            text.value = format!("{}_{}", id.value, mode_id.value);
            let one = extend_node(&mode, &node, &["id", "title", "name", "modes"]);
            self.add_action(one, text, format!("{name}: {shown}"), host, action_host, is_ability);
        }
    }

    /// Creates the def of the items that an action or a reaction puts on the stack.
    pub(crate) fn item_def(&mut self, name: &str, kind: KindId, title: &str, node: &SourceNode) -> DefId {
        let def = DefId(self.program.defs.len() as u16);
        let name = self.intern_symbol(name);
        let title = self.intern_text(title);
        let text = self.description(node);
        let (props, traits) = (Vec::new(), Vec::new());
        self.program.defs.push(Def { name, kind, props, traits, is_trait: false, title, text });
        def
    }

    /// Returns an action merged with the templates it extends.
    fn with_template(&mut self, node: SourceNode, depth: usize) -> SourceNode {
        let Some(extends) = node.get("extends") else { return node };
        let Some(name) = self.text(extends, "`extends`").cloned() else { return node };
        let Some(template) = self.templates.get(&name.value).cloned() else {
            let known = self.templates.owned_names();
            self.report_unknown(
                "E-NAME",
                name.span,
                "template",
                &name.value,
                known.iter().map(String::as_str),
            );
            return node;
        };
        self.mark_used("templates", &name.value);
        if depth > MAX_TEMPLATES {
            self.report_error("E-RECURSE", name.span, "templates extend each other in a cycle");
            return node;
        }
        let template = self.with_template(template, depth + 1);
        extend_node(&node, &template, &["abstract", "extends", "id"])
    }

    /// Declares each undeclared `{ref: name}` as a target chosen from the abilities of the first target.
    fn add_implicit_targets(&mut self, node: &mut SourceNode) {
        let mut names = Vec::new();
        for part in ["preconditions", "costs", "effects"] {
            if let Some(part) = node.get(part) {
                collect_refs(part, &mut names);
            }
        }
        let targets = node.get("targets").and_then(SourceNode::as_list).unwrap_or_default();
        let ids: Vec<String> = targets
            .iter()
            .filter_map(|target| target.get("id").and_then(SourceNode::as_text))
            .map(|text| text.value.clone())
            .collect();
        let Some(first) = ids.first().cloned() else { return };
        let mut new: Vec<SourceNode> = targets.to_vec();
        for name in names {
            let is_known = ids.contains(&name.value)
                || ["self", "you", "actor", "trait", "players", "match", "stack"]
                    .contains(&name.value.as_str())
                || self.symbols.is_symbol(&name.value)
                || self.symbols.zones.contains(&name.value)
                || new.iter().any(|node| {
                    node.get("id").and_then(SourceNode::as_text).is_some_and(|id| id.value == name.value)
                });
            if is_known || name.value.contains(['.', '(', ' ']) {
                continue;
            }
            let text = |value: &str| SourceText::verbatim(value, name.span.file, name.span.start);
            let entry = |key: &str, value: &str| MapEntry {
                key: text(key),
                value: SourceNode { span: name.span, value: NodeValue::Text(text(value)) },
            };
            let entries = vec![entry("id", &name.value), entry("from", &format!("{first}.abilities"))];
            new.push(SourceNode { span: name.span, value: NodeValue::Map(entries) });
        }
        if new.len() > targets.len()
            && let NodeValue::Map(entries) = &mut node.value
            && let Some(entry) = entries.iter_mut().find(|entry| entry.key.value == "targets")
        {
            entry.value.value = NodeValue::List(new);
        }
    }

    fn add_action(
        &mut self,
        node: SourceNode,
        id: SourceText,
        title: String,
        host: &HostInfo,
        action_host: ActionHost,
        is_ability: bool,
    ) {
        if let Some(old) = self.symbols.actions.get(&id.value) {
            let old = old.span;
            self.report(
                Diagnostic::error("E-NAME", id.span, format!("there is already an action `{}`", id.value))
                    .related(old, "the other one"),
            );
            return;
        }
        if self.templates.contains(&id.value) && !self.is_published {
            let message = format!("there is already a template `{}`", id.value);
            self.report_error("E-NAME", id.span, message);
        }
        let kind = self.add_kind(&format!("action {}", id.value), id.span);
        self.set_parent(kind, KindId::ACTION);
        let def = self.item_def(&format!("action {}", id.value), kind, &title, &node);
        let number = ActionId(self.actions.len() as u16);
        self.intern_symbol(&id.value);
        self.symbols.actions.insert(&id.value, ActionInfo { kind, def, span: id.span, is_ability });
        self.actions.push(MergedAction {
            node,
            id,
            title,
            host: action_host,
            ty: host.ty.clone(),
            instance: host.instance,
            is_ability,
            number,
            kind,
            def,
            targets: Vec::new(),
            options: Vec::new(),
            refunds: Vec::new(),
        });
    }
}

/// Returns `node` completed with the entries of `base`, except the keys in `own`. Lists are concatenated,
/// those of `base` first.
fn extend_node(node: &SourceNode, base: &SourceNode, own: &[&str]) -> SourceNode {
    let mut entries: Vec<MapEntry> = node.as_map().unwrap_or_default().to_vec();
    for inherited in base.as_map().unwrap_or_default() {
        let key = inherited.key.value.as_str();
        if own.contains(&key) {
            continue;
        }
        match entries.iter_mut().find(|entry| entry.key.value == key) {
            Some(entry) if LIST_KEYS.contains(&key) => {
                if let (NodeValue::List(first), NodeValue::List(then)) =
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
    SourceNode { span: node.span, value: NodeValue::Map(entries) }
}

fn collect_refs(node: &SourceNode, names: &mut Vec<SourceText>) {
    match &node.value {
        NodeValue::Map(entries) => {
            if let Some(name) = node.get("ref").and_then(SourceNode::as_text)
                && !names.iter().any(|known| known.value == name.value)
            {
                names.push(name.clone());
            }
            entries.iter().for_each(|entry| collect_refs(&entry.value, names));
        }
        NodeValue::List(items) => items.iter().for_each(|item| collect_refs(item, names)),
        _ => {}
    }
}
