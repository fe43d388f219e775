//! Limits of reactions: how often they happen (`limit`), how simultaneous events are grouped (`per`), and
//! `look`, which lets a reaction see entities as they were before the event.

use crate::grammar::rules;
use intermezzo_program::{EventId, LimitKey, LimitScope, PerBatch, ReactionLimit};

use super::Checker;
use super::types::Ty;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// Returns the limits of a reaction: those under `limit`, and those written next to its other keys.
pub(crate) fn limit_entries(reaction: &SourceNode) -> impl Iterator<Item = &MapEntry> {
    let own = reaction.get("limit").and_then(SourceNode::as_map).unwrap_or_default();
    let beside = [Some(reaction), reaction.get("when")].into_iter().flatten();
    own.iter().chain(beside.flat_map(|node| rules::LIMITERS.iter().filter_map(|key| node.entry(key.name))))
}

/// Returns a key that occurs a second time.
fn repeated_key(node: &SourceNode) -> Option<&SourceText> {
    let entries = node.as_map()?;
    let keys = || entries.iter().map(|entry| &entry.key);
    keys()
        .enumerate()
        .find(|(at, key)| keys().take(*at).any(|other| other.value == key.value))
        .map(|(_, key)| key)
}

impl Checker<'_> {
    /// Compiles the `limit` of a reaction.
    pub(crate) fn reaction_limits(&mut self, reaction: &SourceNode) -> Vec<ReactionLimit> {
        let entries: Vec<MapEntry> = limit_entries(reaction).cloned().collect();
        let node = match (reaction.get("limit"), entries.first()) {
            // An empty or misspelt limit is reported below.
            (Some(limit), None) => limit.clone(),
            (limit, Some(first)) => {
                let span = limit.map_or(first.value.span, |limit| limit.span);
                SourceNode { span, value: NodeValue::Map(entries) }
            }
            (None, None) => return Vec::new(),
        };
        let node = &node;
        if let Some(twice) = repeated_key(node) {
            self.report_error("E-KEY", twice.span, format!("the limit `{}` is given twice", twice.value));
        }
        self.entries(node, &rules::LIMIT);
        let turn =
            self.symbols.phases.get("turn").map_or(LimitScope::Match, |(phase, _)| LimitScope::Phase(*phase));
        let key = self.limit_key(node);
        let on_use =
            node.get("on").is_some_and(|on| self.word(on, "`on`", rules::LIMIT.words("on")) == Some("use"));
        let mut found = Vec::new();
        if node.get("oncePerTurn").is_some_and(|flag| self.flag(flag, "`oncePerTurn`")) {
            found.push((1, turn, key.unwrap_or(LimitKey::Instance)));
        }
        if node.get("oncePerSource").is_some_and(|flag| self.flag(flag, "`oncePerSource`")) {
            found.push((1, LimitScope::Match, LimitKey::Source));
        }
        if let Some(most) = node.get("maxPerEvent") {
            let most = self.number(most, "`maxPerEvent`");
            found.push((most, LimitScope::Event, key.unwrap_or(LimitKey::Rule)));
        }
        if let Some(count) = node.get("n") {
            let count = self.number(count, "`n`");
            let scope = self.limit_scope(node.get("per"), turn);
            // A host reacts to an event only once, so a limit per event counts all hosts together by default.
            let usual = if scope == LimitScope::Event { LimitKey::Rule } else { LimitKey::Instance };
            found.push((count, scope, key.unwrap_or(usual)));
        } else if let Some(per) = node.get("per") {
            self.report_error("E-KEY", per.span, "`per` of a limit needs `n`");
        }
        if found.is_empty() {
            let message = "a limit needs `oncePerTurn`, `oncePerSource`, `maxPerEvent` or `n`";
            self.report_error("E-KEY", node.span, message);
        }
        let mut limits = Vec::new();
        for (count, scope, key) in found {
            match u16::try_from(count) {
                Ok(count) => limits.push(ReactionLimit { count, scope, key, on_use }),
                Err(_) => {
                    self.report_error("E-LIMIT", node.span, "a limit must be between 0 and 65535");
                }
            }
        }
        limits
    }

    fn limit_key(&mut self, limit: &SourceNode) -> Option<LimitKey> {
        match self.word(limit.get("key")?, "`key`", rules::LIMIT.words("key"))? {
            "rule" => Some(LimitKey::Rule),
            "source" => Some(LimitKey::Source),
            _ => Some(LimitKey::Instance),
        }
    }

    fn limit_scope(&mut self, per: Option<&SourceNode>, turn: LimitScope) -> LimitScope {
        let Some(text) = per.and_then(|node| self.text(node, "`per`")) else { return turn };
        match text.value.as_str() {
            "match" => LimitScope::Match,
            "event" => LimitScope::Event,
            "turn" => turn,
            name => match self.symbols.phases.get(name) {
                Some((phase, _)) => LimitScope::Phase(*phase),
                None => {
                    let mut known = self.symbols.phases.owned_names();
                    known.extend(["match", "event"].map(str::to_owned));
                    self.report_unknown("E-NAME", text.span, "phase", name, known.iter().map(String::as_str));
                    turn
                }
            },
        }
    }

    /// Returns true for `look: before`, given in the reaction or in its `when`.
    pub(crate) fn looks_back(&mut self, reaction: &SourceNode, before: bool) -> bool {
        let inside = reaction.get("when").and_then(|when| when.get("look"));
        let Some(node) = reaction.get("look").or(inside) else { return false };
        let looks_back = self.word(node, "`look`", rules::REACTION.words("look")) == Some("before");
        if looks_back && before {
            let message = "a `before` reaction sees the state before its event anyway";
            self.report_error("E-KEY", node.span, message);
        }
        looks_back
    }

    /// Compiles `per`: each event, the whole batch, or one firing for each combination of these payload
    /// fields.
    pub(crate) fn firing_key(&mut self, reaction: &SourceNode, event: EventId) -> PerBatch {
        let Some(node) = reaction.get("per") else { return PerBatch::Each };
        if !matches!(node.value, NodeValue::List(_)) {
            let each = self.word(node, "`per`", rules::REACTION.words("per")) != Some("batch");
            return if each { PerBatch::Each } else { PerBatch::Key(Vec::new()) };
        }
        let fields = self.symbols.event_by_id(event).1.fields.clone();
        let mut key = Vec::new();
        for item in self.items(node, "`per`") {
            let Some(name) = self.text(item, "a field") else { continue };
            let found = fields.iter().position(|(field, _)| self.symbols.spelling(*field) == name.value);
            let Some(at) = found else {
                let known = self.symbols.field_names(&fields);
                let what = format!("field of the event {}", self.symbols.event_by_id(event).0);
                self.report_unknown(
                    "E-PROP",
                    name.span,
                    &what,
                    &name.value,
                    known.iter().map(String::as_str),
                );
                continue;
            };
            if matches!(fields[at].1.present(), Ty::List(_) | Ty::Map(..) | Ty::Record(_) | Ty::Any) {
                let message = format!("`{}` is not a single value, so it cannot be a key", name.value);
                self.report_error("E-TYPE", name.span, message);
            }
            key.push(at as u16);
        }
        PerBatch::Key(key)
    }
}
