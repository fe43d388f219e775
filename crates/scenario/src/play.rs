//! Playing one scenario from its start to its last step.

use std::sync::Arc;

use intermezzo_compiler::tree::{Node, Text, Value};
use intermezzo_compiler::{Diagnostic, ExtraExpression, Extras, Ruleset, Severity, Span};
use intermezzo_engine::{Script, Seed, Setup, StartError, Viewer};
use intermezzo_ruleset::{Program, Type};

use crate::align::Comparison;
use crate::bless::{self, Edit};
use crate::checks::{Problem, check, show_viewer};
use crate::happened::Happened;
use crate::scenario::{Check, Listing, PatternKind, Scenario, Step};
use crate::shorthand::Shorthand;
use crate::sides;
use crate::table::{Sight, Table};
use crate::values::{datum, differences};

/// What came of a scenario.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Mistakes in the scenario that kept it from being played.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Where it went wrong.
    pub(crate) problem: Option<Problem>,
    /// What a blessing changes, one entry for each listing.
    pub(crate) blessings: Vec<Vec<Edit>>,
}

/// Plays a scenario. With `bless`, listings that do not hold are no problem but are to be rewritten.
pub(crate) fn play(ruleset: &Ruleset, scenario: &Scenario<'_>, bless: bool) -> Outcome {
    let mut shorthand = Shorthand::default();
    let given: Vec<Node> = scenario.given.iter().map(|given| shorthand.node(given)).collect();
    let expressions: Vec<Text> =
        scenario.expressions().into_iter().map(|text| shorthand.text(text)).collect();
    let extras = Extras {
        given: given.iter().collect(),
        expressions: expressions.iter().collect(),
        ..Extras::default()
    };
    let compiled = ruleset.compile_with(&extras);
    let file = scenario.name.span.file;
    let is_ours =
        |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error || diagnostic.span.file == file;
    let mut diagnostics: Vec<Diagnostic> = compiled.diagnostics.into_iter().filter(is_ours).collect();
    diagnostics.iter_mut().for_each(|diagnostic| shorthand.bring_back(diagnostic));
    let Some(program) = compiled.program else { return Outcome { diagnostics, ..Outcome::default() } };
    diagnostics.extend(not_boolean(&program, scenario, &compiled.expressions));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Outcome { diagnostics, ..Outcome::default() };
    }
    let mut outcome = Outcome { diagnostics, ..Outcome::default() };
    let setup = setup(&program, scenario);
    match Table::start(Arc::new(program), &setup) {
        Ok(Ok(table)) => {
            let expressions = compiled.expressions.into_iter();
            let mut playing =
                Playing { ruleset, scenario, given, table, expressions, bless, blessings: Vec::new() };
            let played = playing.run();
            let replayed =
                |()| playing.table.check_replay(&setup).map_err(|law| Problem::new(scenario.name.span, law));
            outcome.problem = played.and_then(replayed).err();
            outcome.blessings = playing.blessings;
        }
        Ok(Err(law)) => outcome.problem = Some(Problem::new(scenario.name.span, law)),
        Err(error) => match option_mistake(scenario, &error) {
            Some(mistake) => outcome.diagnostics.push(mistake),
            None => {
                let line = format!("the match cannot begin: {error}");
                outcome.problem = Some(Problem::new(scenario.name.span, line));
            }
        },
    }
    outcome
}

/// Expectations in a list must be true or false.
fn not_boolean(program: &Program, scenario: &Scenario<'_>, compiled: &[ExtraExpression]) -> Vec<Diagnostic> {
    let checks = scenario.steps.iter().flat_map(|step| &step.checks);
    let mut compiled = compiled.iter();
    let mut mistakes = Vec::new();
    for check in checks {
        let is_boolean = |expression: &ExtraExpression| program.types[expression.ty.index()] == Type::Bool;
        match check {
            Check::Equals(..) => drop(compiled.next()),
            Check::Holds(text) if !compiled.next().is_some_and(is_boolean) => mistakes.push(
                Diagnostic::error("E-TYPE", text.span, "this is neither true nor false")
                    .hint(format!("to compare its value, write `{}: value` instead of a list", text.value)),
            ),
            _ => {}
        }
    }
    mistakes
}

fn setup(program: &Program, scenario: &Scenario<'_>) -> Setup {
    let options = scenario.options.iter().map(|entry| (entry.key.value.as_str().into(), datum(&entry.value)));
    let label = |label: &Text| program.symbol_named(label.as_str());
    let rolls = scenario.dice.iter().map(|throw| (throw.label.and_then(label), throw.faces.clone()));
    let script = Script { rolls: rolls.collect(), grows: false };
    Setup {
        seats: scenario.seats,
        options: options.collect(),
        seed: Seed::from_number(scenario.seed),
        script: Some(script),
    }
}

/// What is wrong with an option, if that is why a match cannot begin.
fn option_mistake(scenario: &Scenario<'_>, error: &StartError) -> Option<Diagnostic> {
    let (name, hint) = match error {
        StartError::NoSuchOption { name } | StartError::WrongOption { name, .. } => (name, None),
        StartError::OptionOutOfRange { name, min, max } => {
            let bound =
                |bound: &Option<i64>, none: &str| bound.map_or(none.to_owned(), |bound| bound.to_string());
            (name, Some(format!("it goes from {} to {}", bound(min, "any number"), bound(max, "any number"))))
        }
        _ => return None,
    };
    let entry = scenario.options.iter().rev().find(|entry| entry.key.value == *name)?;
    let mistake = Diagnostic::error("E-TYPE", entry.value.span, error.to_string());
    Some(match hint {
        Some(hint) => mistake.hint(hint),
        None => mistake,
    })
}

/// A scenario being played.
pub(crate) struct Playing<'a> {
    pub(crate) ruleset: &'a Ruleset,
    scenario: &'a Scenario<'a>,
    given: Vec<Node>,
    pub(crate) table: Table,
    expressions: std::vec::IntoIter<ExtraExpression>,
    pub(crate) bless: bool,
    pub(crate) blessings: Vec<Vec<Edit>>,
}

impl Playing<'_> {
    fn run(&mut self) -> Result<(), Problem> {
        let scenario = self.scenario;
        if let Some(start) = &scenario.start {
            let happened = self.table.happened_since(0);
            self.compare(start, happened)?;
        }
        for (index, step) in scenario.steps.iter().enumerate() {
            let from_record = self.table.event_count();
            if let Err(mut problem) = self.step(step, from_record) {
                problem.lines.insert(0, format!("step {}, line {}:", index + 1, self.line(step.span)));
                return Err(problem);
            }
        }
        match self.table.played.script_left() {
            0 => Ok(()),
            1 => Err(Problem::new(scenario.name.span, "the last of the scripted dice was never rolled")),
            left => Err(Problem::new(
                scenario.name.span,
                format!("the last {left} of the scripted dice were never rolled"),
            )),
        }
    }

    fn step(&mut self, step: &Step<'_>, from_record: usize) -> Result<(), Problem> {
        let told_before = self.told_counts(step);
        let sights: Vec<Sight> = step.unseen_by.iter().map(|viewer| self.table.sight(*viewer)).collect();
        for sent in &step.inputs {
            self.send(step, sent)?;
        }
        let outcome = self.check_step(step, from_record, &told_before, &sights);
        outcome.map_err(|mut problem| {
            if !problem.shows_events {
                let happened = self.table.happened_since(from_record);
                problem.lines.extend(self.show_happened(happened));
            }
            problem
        })
    }

    fn check_step(
        &mut self,
        step: &Step<'_>,
        from_record: usize,
        told_before: &[usize],
        sights: &[Sight],
    ) -> Result<(), Problem> {
        if let Some(listing) = &step.events {
            let happened = self.table.happened_since(from_record);
            self.compare(listing, happened)?;
        }
        for (viewer, before) in step.unseen_by.iter().zip(sights) {
            self.check_unseen(step, *viewer, before)?;
        }
        let mut told_before = told_before.iter();
        let mut problems: Vec<Problem> = Vec::new();
        for item in &step.checks {
            if let Check::Told(viewer, listing) = item {
                let from = told_before.next().copied().unwrap_or(0);
                let told = self.table.told(*viewer)[from..].iter().map(Happened::told).collect();
                self.compare(listing, told)?;
            }
            if let Check::OfferedOnly(seat, offers) = item {
                self.compare_offers(*seat, offers)?;
            }
            if let Some(mut problem) = check(&mut self.table, item, &mut self.expressions) {
                if let Check::Holds(text) = item {
                    problem.lines.extend(sides::explain(
                        self.ruleset,
                        &self.given,
                        &self.table,
                        text.as_str(),
                    ));
                }
                problems.push(problem);
            }
        }
        let mut problems = problems.into_iter();
        let Some(mut first) = problems.next() else { return Ok(()) };
        first.lines.extend(problems.flat_map(|problem| problem.lines));
        Err(first)
    }

    fn told_counts(&self, step: &Step<'_>) -> Vec<usize> {
        let told = step.checks.iter().filter_map(|check| match check {
            Check::Told(viewer, _) => Some(self.table.told(*viewer).len()),
            _ => None,
        });
        told.collect()
    }

    fn check_unseen(&mut self, step: &Step<'_>, viewer: Viewer, before: &Sight) -> Result<(), Problem> {
        let after = self.table.sight(viewer);
        if after == *before {
            return Ok(());
        }
        let told = after.told[before.told.len().min(after.told.len())..].iter().map(Happened::told);
        let told = told.map(|event| format!("  told: {}", event.show()));
        let title = format!("{} should not notice anything, but does:", show_viewer(viewer));
        let lines =
            std::iter::once(title).chain(differences(&before.view, &after.view)).chain(told).collect();
        Err(Problem::of_lines(step.span, lines))
    }

    /// Compares a listing with what happened, or blesses it.
    fn compare(&mut self, listing: &Listing<'_>, happened: Vec<Happened>) -> Result<(), Problem> {
        let events = self.listed(happened, Some(listing));
        let comparison = Comparison::of(listing, &events);
        let is_unwritten = matches!(listing.node.value, Value::Null);
        if comparison.holds() && !is_unwritten {
            return Ok(());
        }
        if self.bless {
            self.blessings.push(bless::edits(self.ruleset.sources(), listing, &comparison, &events));
            return Ok(());
        }
        let title = match is_unwritten {
            true => "the listing is empty; a blessing fills it in with what happened:",
            false => "the events differ (- should have happened, + happened):",
        };
        let mut problem = Problem { shows_events: true, ..Problem::new(listing.key, title) };
        problem.lines.extend(comparison.show(listing, &events).into_iter().map(|line| format!("  {line}")));
        Err(problem)
    }

    /// Events without those that are ignored, unless the listing at hand names them.
    fn listed(&self, mut happened: Vec<Happened>, listing: Option<&Listing<'_>>) -> Vec<Happened> {
        let patterns = listing.map_or(&[][..], |listing| &listing.patterns);
        let is_named = |event: &str| {
            patterns
                .iter()
                .any(|pattern| matches!(pattern.kind, PatternKind::Event(name, _) if name == event))
        };
        happened
            .retain(|event| !self.scenario.ignored.contains(&event.event.as_str()) || is_named(&event.event));
        happened
    }

    fn show_happened(&self, happened: Vec<Happened>) -> Vec<String> {
        let events = self.listed(happened, None);
        let title = if events.is_empty() { "nothing happened" } else { "this happened:" };
        let lines = events.iter().map(|event| format!("  {}", event.show()));
        std::iter::once(title.to_owned()).chain(lines).collect()
    }

    fn line(&self, span: Span) -> u32 {
        self.ruleset.sources().line_column(span.file, span.start).0
    }
}
