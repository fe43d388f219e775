//! Who may know what, said in the language itself: the judge of the laws about hidden things.

use std::sync::Arc;

use intermezzo_compiler::tree::{Node, Text};
use intermezzo_compiler::{ExtraExpression, Extras, Ruleset, render};
use intermezzo_engine::{Answer, Datum, Input, Match, Setup};
use intermezzo_ruleset::Seat;

use crate::play::setup;
use crate::subjects::Subject;

/// Stands for the player whose knowledge an expression is about.
const VIEWER: &str = "VIEWER";

/// A ruleset with expressions that say what a player may know, and what is hidden from everyone.
#[derive(Debug)]
pub struct HiddenPairs {
    /// The ruleset, compiled with the expressions.
    pub subject: Subject,
    options: Vec<(intermezzo_engine::Text, Datum)>,
    /// By seat.
    may_know: Vec<Vec<ExtraExpression>>,
    hidden: Vec<ExtraExpression>,
    disguised: Vec<String>,
}

impl HiddenPairs {
    /// `may_know` are expressions in which `VIEWER` stands for a player; `hidden` are what twins should differ in.
    /// Other players' answers to the choices called `disguised` may differ too, since they are never shown.
    ///
    /// # Errors
    ///
    /// If an expression is wrong, as people read it.
    pub fn new(
        subject: &Subject,
        options: Vec<(intermezzo_engine::Text, Datum)>,
        may_know: &[&str],
        hidden: &[&str],
        disguised: &[&str],
    ) -> Result<HiddenPairs, String> {
        let seats = usize::from(subject.program.seats.usual);
        let mut texts: Vec<String> = Vec::new();
        for seat in 0..seats {
            texts.extend(may_know.iter().map(|text| text.replace(VIEWER, &format!("players[{seat}]"))));
        }
        texts.extend(hidden.iter().map(|text| (*text).to_owned()));
        let mut ruleset = Ruleset::from_files(&subject.files);
        let list: String = texts.iter().map(|text| format!("- \"{text}\"\n")).collect();
        let node = ruleset.read_beside("oracle.yaml", list.as_bytes());
        let node = node.map_err(|problems| render(&problems, ruleset.sources(), false))?;
        let items = node.as_list().unwrap_or_default();
        let expressions: Vec<&Text> = items.iter().filter_map(Node::as_text).collect();
        let compiled = ruleset.compile_with(&Extras { expressions, ..Extras::default() });
        let Some(program) = compiled.program else {
            return Err(render(&compiled.diagnostics, ruleset.sources(), false));
        };
        let mut found = compiled.expressions.into_iter();
        let may_know = (0..seats).map(|_| found.by_ref().take(may_know.len()).collect()).collect();
        let subject = Subject { program: Arc::new(program), ..subject.clone() };
        let disguised = disguised.iter().map(|name| (*name).to_owned()).collect();
        Ok(HiddenPairs { subject, options, may_know, hidden: found.collect(), disguised })
    }

    /// The setup of a match with this seed.
    #[must_use]
    pub fn setup(&self, seed: u64) -> Setup {
        setup(&self.subject.program, seed, &self.options)
    }

    /// All a seat may know, as text: what the expressions say, and how the match ended.
    #[must_use]
    pub fn may_know(&self, state: &Match, seat: Seat) -> String {
        format!("{}\n{:?}", values(state, &self.may_know[usize::from(seat.0)]), state.ending())
    }

    /// Whether something hidden differs.
    #[must_use]
    pub fn is_hidden(&self, left: &Match, right: &Match) -> bool {
        values(left, &self.hidden) != values(right, &self.hidden)
    }

    /// The input the twin gets: the same, but another answer where answers of others are never shown.
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
        Err(fault) => panic!("an expression about knowledge failed: {fault}"),
    };
    expressions.iter().map(value).collect::<Vec<_>>().join("\n")
}
