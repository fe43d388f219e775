//! Teams: seats that win and lose together. The prelude `teams` holds most of it; the compiler adds the lists of seats,
//! the type of `team`, what only a team sees, and whole teams as winners and losers.

use intermezzo_program::{KindId, PropId, Reg, RoutineId, TeamRules};

use super::Checker;
use super::types::Ty;
use crate::diagnostic::suggest;
use crate::expr::{Arg, Expr, ExprKind, SpannedName};
use crate::source::Span;
use crate::tree::{MapEntry, NodeValue, SourceNode, SourceText};

/// Name of the function that returns the lists of seats.
const LISTS: &str = "team_seats";
/// The lists of a game of all players against the rules.
const TOGETHER: &str = "[range(0, players.count - 1)]";

impl Checker<'_> {
    /// Returns the last declaration of `teams`, with its key.
    fn team_entry(&self) -> Option<&MapEntry> {
        self.merged.section("players").filter_map(|(part, _)| part.entry("teams")).last()
    }

    pub(crate) fn has_teams(&self) -> bool {
        self.team_entry().is_some()
    }

    /// Declares the function that returns the lists of seats.
    pub(crate) fn declare_team_lists(&mut self) {
        let Some(MapEntry { key, value }) = self.team_entry().cloned() else { return };
        self.check_team_lists(&value);
        let word = value.as_text().map_or("", |text| text.value.as_str());
        let is_misspelt = word != "together" && suggest(word, ["together"]).is_some();
        if is_misspelt {
            self.report_unknown("E-NAME", value.span, "word for teams", word, ["together"]);
        }
        let is_together = word == "together" || is_misspelt;
        let body = if is_together { written_at(&value, TOGETHER) } else { value };
        let name = SourceText::verbatim(LISTS, key.span.file, key.span.start);
        let entry =
            MapEntry { key: name, value: SourceNode { span: key.span, value: NodeValue::Map(Vec::new()) } };
        self.declare_callable(&entry, true, true, Ty::list(Ty::list(Ty::Int)), body);
    }

    /// Rejects written lists with seats that no match has, or that are listed twice.
    fn check_team_lists(&mut self, lists: &SourceNode) {
        let mut known = Vec::new();
        let max = i64::from(self.program.seats.max);
        for seat in
            lists.as_list().into_iter().flatten().flat_map(|list| list.as_list().into_iter().flatten())
        {
            let Some(number) = seat.as_int() else { continue };
            if !(0..max).contains(&number) {
                let message = format!("no match has a seat {number}; seats are 0 to {}", max - 1);
                self.report_error("E-LIMIT", seat.span, message);
            } else if known.contains(&number) {
                self.report_error("E-NAME", seat.span, format!("seat {number} is in two teams"));
            }
            known.push(number);
        }
    }

    /// Gives the property `team` of players its type: setup sets it before any rule of the ruleset runs.
    pub(crate) fn declare_player_team(&mut self) {
        let Some(team) = self.symbols.kinds.get("team").map(|kind| kind.id).filter(|_| self.has_teams())
        else {
            return;
        };
        let symbols = &mut self.symbols;
        let Some(id) = symbols.prop(KindId::PLAYER, "team").map(|prop| prop.id) else { return };
        symbols.props[id.index()].ty = Ty::Kind(team);
        let lists = symbols.functions.get(LISTS).map_or(RoutineId(0), |function| function.routine);
        self.program.teams = Some(TeamRules { kind: team, prop: id, lists });
    }

    /// Tells whether a property is the team of a player, which the author's rules cannot write.
    pub(crate) fn is_fixed_team(&self, prop: PropId, at: Span) -> bool {
        let is_prelude = self.sources.name(at.file).starts_with("prelude/");
        self.program.teams.is_some_and(|teams| teams.prop == prop) && !is_prelude
    }

    /// Returns the test for `visible: team`: whether the viewer is in the team of what has these parameters.
    pub(crate) fn team_visibility(&mut self, node: &SourceNode, params: &[(&str, Ty)]) -> Option<SourceNode> {
        if !self.has_teams() {
            let message = "`visible: team` needs `teams` in the section `players`";
            self.report_error("E-NAME", node.span, message);
            return None;
        }
        let team = self.symbols.kinds.get("team").map(|kind| kind.id);
        let (subject, of) = match params.get(1) {
            Some(("zone", Ty::Zone(Some(zone)))) => ("zone.host", self.symbols.zone_by_id(*zone).1.of),
            Some(("it", Ty::Kind(kind))) => ("it", Some(*kind)),
            _ => return None,
        };
        let test = match of {
            None => {
                let message =
                    "`visible: team` needs a zone that belongs to somebody: `of: player` or `of: team`";
                self.report_error("E-TYPE", node.span, message);
                return None;
            }
            Some(KindId::PLAYER) => format!("{subject}.team == viewer.team"),
            Some(kind) if Some(kind) == team => format!("{subject} == viewer.team"),
            Some(_) => format!("{subject}.owner.team == viewer.team"),
        };
        Some(written_at(node, &test))
    }

    /// Returns the register with the members of the team of the player in `player`.
    pub(crate) fn members_of_team(&mut self, player: Reg, at: &SourceNode) -> Reg {
        let bindings = self.body.bindings.len();
        self.body.bind("player__", player, Ty::PLAYER);
        let members = self.node_value(&written_at(at, "members(player__.team)"));
        self.body.bindings.truncate(bindings);
        members.reg
    }

    /// Returns the winners and losers of `end`, with all members of their teams.
    pub(crate) fn joint_sides(&self, winners: Option<Expr>, losers: Option<Expr>) -> [Option<Expr>; 2] {
        if !self.has_teams() {
            return [winners, losers];
        }
        let none = |span| Expr { span, kind: ExprKind::List(Vec::new()) };
        let losers = losers.map(|losers| {
            let winners = winners.clone().unwrap_or_else(|| none(losers.span));
            call("joint_losers", losers.span, vec![winners, losers])
        });
        [winners.map(|winners| call("joint_winners", winners.span, vec![winners])), losers]
    }
}

/// Returns a text that the compiler writes in place of a value.
fn written_at(node: &SourceNode, text: &str) -> SourceNode {
    let text = SourceText::verbatim(text, node.span.file, node.span.start);
    SourceNode { span: node.span, value: NodeValue::Text(text) }
}

fn call(name: &str, span: Span, args: Vec<Expr>) -> Expr {
    let args = args.into_iter().map(|value| Arg { param: None, body: value }).collect();
    Expr { span, kind: ExprKind::Call { name: SpannedName { text: name.to_owned(), span }, args } }
}
