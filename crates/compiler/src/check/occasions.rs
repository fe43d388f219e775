//! How often a reaction happens, its limits and `per` for what happens together; and `look`, how it sees what has left.

use intermezzo_ruleset::{EventId, Limit, LimitKey, Per, Scope};

use super::Checker;
use super::types::Ty;
use crate::tree::{Node, Value};

impl Checker<'_> {
    /// All that `limit` of a reaction says.
    pub(crate) fn reaction_limits(&mut self, reaction: &Node) -> Vec<Limit> {
        let Some(node) = reaction.get("limit") else { return Vec::new() };
        self.entries(
            node,
            "`limit`",
            &["oncePerTurn", "oncePerSource", "maxPerEvent", "n", "per", "key", "on"],
        );
        let turn = self.world.phases.get("turn").map_or(Scope::Match, |(phase, _)| Scope::Phase(*phase));
        let key = self.limit_key(node);
        let on_use =
            node.get("on").is_some_and(|on| self.word(on, "`on`", &["trigger", "use"]) == Some("use"));
        let mut found = Vec::new();
        if node.get("oncePerTurn").is_some_and(|flag| self.flag(flag, "`oncePerTurn`")) {
            found.push((1, turn, key.unwrap_or(LimitKey::Instance)));
        }
        if node.get("oncePerSource").is_some_and(|flag| self.flag(flag, "`oncePerSource`")) {
            found.push((1, Scope::Match, LimitKey::Source));
        }
        if let Some(most) = node.get("maxPerEvent") {
            let most = self.number(most, "`maxPerEvent`");
            found.push((most, Scope::Event, key.unwrap_or(LimitKey::Rule)));
        }
        if let Some(count) = node.get("n") {
            let count = self.number(count, "`n`");
            let scope = self.limit_scope(node.get("per"), turn);
            // One that has the rule reacts once to an event anyway.
            let usual = if scope == Scope::Event { LimitKey::Rule } else { LimitKey::Instance };
            found.push((count, scope, key.unwrap_or(usual)));
        } else if let Some(per) = node.get("per") {
            self.wrong("E-KEY", per.span, "`per` of a limit goes with `n`");
        }
        if found.is_empty() {
            let message = "a limit needs `oncePerTurn`, `oncePerSource`, `maxPerEvent` or `n`";
            self.wrong("E-KEY", node.span, message);
        }
        let mut limits = Vec::new();
        for (count, scope, key) in found {
            match u16::try_from(count) {
                Ok(count) => limits.push(Limit { count, scope, key, on_use }),
                Err(_) => {
                    self.wrong("E-LIMIT", node.span, "a limit is a small number");
                }
            }
        }
        limits
    }

    fn limit_key(&mut self, limit: &Node) -> Option<LimitKey> {
        match self.word(limit.get("key")?, "`key`", &["instance", "rule", "source"])? {
            "rule" => Some(LimitKey::Rule),
            "source" => Some(LimitKey::Source),
            _ => Some(LimitKey::Instance),
        }
    }

    fn limit_scope(&mut self, per: Option<&Node>, turn: Scope) -> Scope {
        let Some(text) = per.and_then(|node| self.text(node, "`per`")) else { return turn };
        match text.value.as_str() {
            "match" => Scope::Match,
            "event" => Scope::Event,
            "turn" => turn,
            name => match self.world.phases.get(name) {
                Some((phase, _)) => Scope::Phase(*phase),
                None => {
                    let mut known = self.world.phases.owned_names();
                    known.extend(["match", "event"].map(str::to_owned));
                    self.unknown("E-NAME", text.span, "phase", name, known.iter().map(String::as_str));
                    turn
                }
            },
        }
    }

    /// `look: before`, in the reaction or in its `when`.
    pub(crate) fn looks_back(&mut self, reaction: &Node, before: bool) -> bool {
        let inside = reaction.get("when").and_then(|when| when.get("look"));
        let Some(node) = reaction.get("look").or(inside) else { return false };
        let looks_back = self.word(node, "`look`", &["before", "after"]) == Some("before");
        if looks_back && before {
            let message = "a reaction that comes before its event sees how things are before it anyway";
            self.wrong("E-KEY", node.span, message);
        }
        looks_back
    }

    /// `per: each`, `per: batch`, or the payload fields that tell firings apart.
    pub(crate) fn per(&mut self, reaction: &Node, event: EventId) -> Per {
        let Some(node) = reaction.get("per") else { return Per::Each };
        if !matches!(node.value, Value::List(_)) {
            let each = self.word(node, "`per`", &["each", "batch"]) != Some("batch");
            return if each { Per::Each } else { Per::Key(Vec::new()) };
        }
        let fields = self.world.event_by_id(event).1.fields.clone();
        let mut key = Vec::new();
        for item in self.items(node, "`per`") {
            let Some(name) = self.text(item, "a field") else { continue };
            let found = fields.iter().position(|(field, _)| self.world.spelling(*field) == name.value);
            let Some(at) = found else {
                let known = self.world.field_names(&fields);
                let what = format!("field of the event {}", self.world.event_by_id(event).0);
                self.unknown("E-PROP", name.span, &what, &name.value, known.iter().map(String::as_str));
                continue;
            };
            if matches!(fields[at].1.present(), Ty::List(_) | Ty::Map(..) | Ty::Record(_) | Ty::Any) {
                let message = format!("`{}` is not a single value, so it tells nothing apart", name.value);
                self.wrong("E-TYPE", name.span, message);
            }
            key.push(at as u16);
        }
        Per::Key(key)
    }
}
