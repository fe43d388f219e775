//! Secret reactions: who is asked must follow from public information alone.
//!
//! The test in `when` decides who is asked and may read only what everyone sees. All other tests decide whether a player
//! can react, which only that player learns.

use intermezzo_program::{EventId, KindId, Reg, RoutineId, Visibility, native};

use super::Checker;
use super::reactions::HostInfo;
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::tree::{SourceNode, SourceText};

/// Returns true if a reaction has `secret: true`.
pub(crate) fn is_secret(node: &SourceNode) -> bool {
    node.get("secret").and_then(SourceNode::as_bool) == Some(true)
}

impl Checker<'_> {
    /// Checks a secret reaction and compiles the public test that decides who is asked.
    pub(crate) fn secret_condition(
        &mut self,
        name: &str,
        node: &SourceNode,
        host: &HostInfo,
        event: Option<EventId>,
    ) -> Option<RoutineId> {
        if !is_secret(node) || host.ty.is_none() {
            return None;
        }
        self.check_secret_keys(node);
        let event = event?;
        self.check_secret_event(node, event);
        let when = node.get("when")?;
        let tests = self.public_tests(when, event);
        if tests.is_empty() {
            return None;
        }
        let routine = self.test_routine(&format!("{name} public condition"), |checker| {
            checker.mark_location(node);
            checker.body.bind("you", Reg::YOU, Ty::PLAYER);
            checker.body.bind("event", Reg::EVENT, Ty::Event(Some(event)));
            checker.body.message_event = Some(Reg::EVENT);
            checker.emit_conjunction(&tests)
        });
        for (span, read) in self.hidden_reads_of(routine) {
            let message = format!("who is asked would reveal something hidden: {}", read.reason);
            let mut diagnostic = Diagnostic::error("E-SECRET", span, message);
            if read.span != span {
                diagnostic = diagnostic.related(read.span, "it is read here");
            }
            self.report(diagnostic.hint(
                "`when` of a secret reaction may read only what everyone sees; move the test to `conditions`",
            ));
        }
        Some(routine)
    }

    /// Returns the tests in `when`, without those that read `self`, which are reported.
    fn public_tests(&mut self, when: &SourceNode, event: EventId) -> Vec<Expr> {
        let pattern = ["before", "after", "eventType"].into_iter().find_map(|key| when.get(key));
        let alias = pattern.and_then(SourceNode::as_text).and_then(|name| {
            let alias = self.symbols.aliases.get(&name.value)?;
            alias.condition.as_ref().map(|condition| (**condition).clone())
        });
        let mut tests: Vec<Expr> = alias.into_iter().collect();
        tests.extend(when.get("filters").into_iter().flat_map(|filters| self.filter_tests(event, filters)));
        tests.extend(when.get("if").and_then(|test| self.node_expr(test)));
        tests.retain(|test| {
            let mut names_host = false;
            test.visit_names(&mut |name| names_host |= ["self", "trait"].contains(&name));
            if names_host {
                let message = "everybody who could hold the card is asked, so `when` cannot read `self`";
                let hint = "move the test to `conditions`";
                self.report(Diagnostic::error("E-SECRET", test.span, message).hint(hint));
            }
            !names_host
        });
        tests
    }

    fn check_secret_keys(&mut self, node: &SourceNode) {
        let at = node.entry("secret").map_or(node.span, |entry| entry.key.span);
        if node.get("may").and_then(SourceNode::as_bool) != Some(true) {
            let message = "`secret` is for reactions with `may: true`";
            self.report_error("E-KEY", at, message);
        }
        if let Some(auto) = node.entry("auto") {
            let message = "a secret reaction has no `auto`: its answers must not depend on hidden tests";
            self.report_error("E-KEY", auto.key.span, message);
        }
        let looks_back = |node: &SourceNode| node.entry("look").map(|entry| entry.key.span);
        if let Some(span) = looks_back(node).or_else(|| node.get("when").and_then(looks_back)) {
            self.report_error("E-KEY", span, "a secret reaction cannot look back");
        }
        if self.hidden_player_zones(node).is_none() {
            let message = "a secret reaction needs `zones`: hidden zones of players, such as a hand";
            self.report_error("E-KEY", at, message);
        }
    }

    /// Rejects events that some players do not see: being asked would reveal them.
    fn check_secret_event(&mut self, node: &SourceNode, event: EventId) {
        let visible = &self.program.events[event.index()].visible;
        let is_seen = matches!(visible, Visibility::All | Visibility::ByContents)
            && ![native::CHANGED, native::SETTLED].contains(&event);
        if !is_seen {
            let name = self.symbols.event_by_id(event).0.to_owned();
            let message = format!("not everyone sees every `{name}`, so being asked would reveal it");
            let hint = "react to an event that everyone sees";
            let span = node.get("when").map_or(node.span, |when| when.span);
            self.report(Diagnostic::error("E-SECRET", span, message).hint(hint));
        }
    }

    /// Returns the zones of a reaction if all of them are hidden zones of players.
    fn hidden_player_zones<'n>(&self, node: &'n SourceNode) -> Option<&'n [SourceNode]> {
        let zones = node.get("zones").and_then(SourceNode::as_list).filter(|zones| !zones.is_empty())?;
        let is_hidden = |zone: &SourceNode| {
            let info = zone.as_text().and_then(|name| self.symbols.zones.get(&name.value));
            info.is_none_or(|info| info.of == Some(KindId::PLAYER) && !info.public)
        };
        zones.iter().all(is_hidden).then_some(zones)
    }

    /// Warns about a question that betrays a card in a hidden zone: the match waits only if a player holds it.
    pub(crate) fn warn_revealing_question(&mut self, node: &SourceNode, id: &SourceText) {
        let may = node.get("may").and_then(SourceNode::as_bool) == Some(true);
        if !may || node.get("secret").is_some() {
            return;
        }
        let zones = node.get("zones").and_then(SourceNode::as_list).unwrap_or_default();
        let hidden = zones.iter().filter_map(SourceNode::as_text).find(|name| {
            self.symbols
                .zones
                .get(&name.value)
                .is_some_and(|zone| zone.of == Some(KindId::PLAYER) && !zone.public)
        });
        let Some(zone) = hidden else { return };
        let message = format!(
            "while `{}` asks about a card in `{}`, everyone waits, which betrays the card",
            id.value, zone.value
        );
        let hint = "add `secret: true` to ask everybody who could hold it, or `secret: false` if it need not be hidden";
        self.report(Diagnostic::warning("W-LEAK", id.span, message).hint(hint));
    }
}
