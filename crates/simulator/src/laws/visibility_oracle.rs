//! Oracle of the laws about hidden information: expressions of the language that say what a player may know.

use std::sync::Arc;

use intermezzo_compiler::tree::{SourceNode, SourceText};
use intermezzo_compiler::{ExtraExpression, Extras, Ruleset, render};
use intermezzo_engine::{Answer, Datum, Input, Match, Setup};
use intermezzo_program::Seat;

use crate::fixtures::Fixture;
use crate::play::setup;

/// Placeholder for the player whose knowledge an expression describes.
const VIEWER: &str = "VIEWER";

/// Ruleset with expressions for what a player may know and what is hidden from everyone.
#[derive(Debug)]
pub struct HiddenPairs {
    /// Ruleset, compiled with the expressions.
    pub fixture: Fixture,
    options: Vec<(intermezzo_engine::ShortText, Datum)>,
    /// Expressions by seat.
    may_know: Vec<Vec<ExtraExpression>>,
    hidden: Vec<ExtraExpression>,
    disguised: Vec<String>,
}

impl HiddenPairs {
    /// Compiles the expressions. `VIEWER` in `may_know` stands for a player; paired matches should differ in `hidden`.
    /// Other players' answers to the choices called `disguised` may differ too, since they are never shown.
    ///
    /// # Errors
    ///
    /// Returns the rendered diagnostics if an expression has errors.
    pub fn new(
        fixture: &Fixture,
        options: Vec<(intermezzo_engine::ShortText, Datum)>,
        may_know: &[&str],
        hidden: &[&str],
        disguised: &[&str],
    ) -> Result<HiddenPairs, String> {
        let seats = usize::from(fixture.program.seats.default);
        let mut texts: Vec<String> = Vec::new();
        for seat in 0..seats {
            texts.extend(may_know.iter().map(|text| text.replace(VIEWER, &format!("players[{seat}]"))));
        }
        texts.extend(hidden.iter().map(|text| (*text).to_owned()));
        let mut ruleset = Ruleset::from_files(&fixture.files);
        let list: String = texts.iter().map(|text| format!("- \"{text}\"\n")).collect();
        let node = ruleset.parse_extra_file("oracle.yaml", list.as_bytes());
        let node = node.map_err(|problems| render(&problems, ruleset.sources(), false))?;
        let items = node.as_list().unwrap_or_default();
        let expressions: Vec<&SourceText> = items.iter().filter_map(SourceNode::as_text).collect();
        let compiled = ruleset.compile_with(&Extras { expressions, ..Extras::default() });
        let Some(program) = compiled.program else {
            return Err(render(&compiled.diagnostics, ruleset.sources(), false));
        };
        let mut found = compiled.expressions.into_iter();
        let may_know = (0..seats).map(|_| found.by_ref().take(may_know.len()).collect()).collect();
        let fixture = Fixture { program: Arc::new(program), ..fixture.clone() };
        let disguised = disguised.iter().map(|name| (*name).to_owned()).collect();
        Ok(HiddenPairs { fixture, options, may_know, hidden: found.collect(), disguised })
    }

    /// Returns the setup of a match with this seed.
    #[must_use]
    pub fn setup(&self, seed: u64) -> Setup {
        setup(&self.fixture.program, seed, &self.options)
    }

    /// Returns everything a seat may know as text: the values of the expressions, and the ending.
    #[must_use]
    pub fn may_know(&self, state: &Match, seat: Seat) -> String {
        format!("{}\n{:?}", values(state, &self.may_know[usize::from(seat.0)]), state.ending())
    }

    /// Returns true if something hidden differs.
    #[must_use]
    pub fn is_hidden(&self, left: &Match, right: &Match) -> bool {
        values(left, &self.hidden) != values(right, &self.hidden)
    }

    /// Returns the input of the paired match: the same, or another answer if answers of others are never revealed.
    #[must_use]
    pub fn disguise(&self, state: &Match, input: &Input, seat: Seat) -> Input {
        let Input::Answer { input: id, seat: sender, answer } = input else { return input.clone() };
        let pending = state.pending().find(|pending| pending.id() == *id);
        let Some(pending) = pending.filter(|pending| self.disguised.contains(&pending.choice().name)) else {
            return input.clone();
        };
        let mut other = Answer::Pass;
        let differs =
            (0..pending.answer_count().min(4)).any(|n| pending.nth_answer(n, &mut other) && other != *answer);
        if *sender == seat || !differs {
            return input.clone();
        }
        Input::Answer { input: *id, seat: *sender, answer: other }
    }
}

fn values(state: &Match, expressions: &[ExtraExpression]) -> String {
    let value = |expression: &ExtraExpression| match state.evaluate_datum(expression.routine, expression.ty) {
        Ok(datum) => format!("{datum:?}"),
        Err(fault) => panic!("an oracle expression failed: {fault}"),
    };
    expressions.iter().map(value).collect::<Vec<_>>().join("\n")
}
