//! Run of one scenario, from its start to its last step.

use std::sync::Arc;

use intermezzo_compiler::tree::{NodeValue, SourceNode, SourceText};
use intermezzo_compiler::{Diagnostic, ExtraExpression, Extras, Ruleset, Severity, Span};
use intermezzo_engine::{DiceScript, Seed, Setup, StartError, Viewer};
use intermezzo_program::{Program, Type};

use crate::bless::{self, TextEdit};
use crate::checks::{ScenarioProblem, check, show_viewer};
use crate::comparison;
use crate::diff::ListingDiff;
use crate::event_format::LoggedEvent;
use crate::running_match::{RunningMatch, ViewerKnowledge};
use crate::scenario::{EventListing, EventPatternKind, Scenario, ScenarioStep, StepCheck};
use crate::shorthand::Shorthand;
use crate::values::{datum, differences};

/// Result of running a scenario.
#[derive(Default)]
pub(crate) struct ScenarioOutcome {
    /// Errors in the scenario. If there are any, it is not run.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The failed check.
    pub(crate) problem: Option<ScenarioProblem>,
    /// Edits of a blessing, one entry per listing.
    pub(crate) blessings: Vec<Vec<TextEdit>>,
}

/// Runs a scenario. With `bless`, listings that differ are rewritten instead of reported.
pub(crate) fn play(ruleset: &Ruleset, scenario: &Scenario<'_>, bless: bool) -> ScenarioOutcome {
    let mut shorthand = Shorthand::default();
    let given: Vec<SourceNode> = scenario.given.iter().map(|given| shorthand.node(given)).collect();
    let expressions: Vec<SourceText> =
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
    diagnostics.iter_mut().for_each(|diagnostic| shorthand.map_back(diagnostic));
    let Some(program) = compiled.program else {
        return ScenarioOutcome { diagnostics, ..ScenarioOutcome::default() };
    };
    diagnostics.extend(not_boolean(&program, scenario, &compiled.expressions));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return ScenarioOutcome { diagnostics, ..ScenarioOutcome::default() };
    }
    let mut outcome = ScenarioOutcome { diagnostics, ..ScenarioOutcome::default() };
    let setup = setup(&program, scenario);
    match RunningMatch::start(Arc::new(program), &setup) {
        Ok(Ok(running)) => {
            let expressions = compiled.expressions.into_iter();
            let mut playing = ScenarioRunner {
                ruleset,
                scenario,
                given,
                running,
                expressions,
                bless,
                blessings: Vec::new(),
            };
            let played = playing.run();
            let replayed = |()| {
                playing
                    .running
                    .check_replay(&setup)
                    .map_err(|law| ScenarioProblem::new(scenario.name.span, law))
            };
            outcome.problem = played.and_then(replayed).err();
            outcome.blessings = playing.blessings;
        }
        Ok(Err(law)) => outcome.problem = Some(ScenarioProblem::new(scenario.name.span, law)),
        Err(error) => match option_mistake(scenario, &error) {
            Some(mistake) => outcome.diagnostics.push(mistake),
            None => {
                let line = format!("the match cannot start: {error}");
                outcome.problem = Some(ScenarioProblem::new(scenario.name.span, line));
            }
        },
    }
    outcome
}

/// Reports expressions in an `expect` list that are not boolean.
fn not_boolean(program: &Program, scenario: &Scenario<'_>, compiled: &[ExtraExpression]) -> Vec<Diagnostic> {
    let checks = scenario.steps.iter().flat_map(|step| &step.checks);
    let mut compiled = compiled.iter();
    let mut mistakes = Vec::new();
    for check in checks {
        let is_boolean = |expression: &ExtraExpression| program.types[expression.ty.index()] == Type::Bool;
        match check {
            StepCheck::Equals(..) => drop(compiled.next()),
            StepCheck::Holds(text) if !compiled.next().is_some_and(is_boolean) => mistakes.push(
                Diagnostic::error("E-TYPE", text.span, "this expression is not a boolean")
                    .hint(format!("to compare its value, write `{}: value` instead of a list", text.value)),
            ),
            _ => {}
        }
    }
    mistakes
}

fn setup(program: &Program, scenario: &Scenario<'_>) -> Setup {
    let options = scenario.options.iter().map(|entry| (entry.key.value.as_str().into(), datum(&entry.value)));
    let label = |label: &SourceText| program.symbol_named(label.as_str());
    let rolls = scenario.dice.iter().map(|throw| (throw.label.and_then(label), throw.faces.clone()));
    let script = DiceScript { rolls: rolls.collect(), grows: false };
    Setup {
        seats: scenario.seats,
        options: options.collect(),
        seed: Seed::from_number(scenario.seed),
        script: Some(script),
    }
}

/// Returns a diagnostic about an option if that is why the match cannot start.
fn option_mistake(scenario: &Scenario<'_>, error: &StartError) -> Option<Diagnostic> {
    let (name, hint) = match error {
        StartError::NoSuchOption { name } | StartError::WrongOption { name, .. } => (name, None),
        StartError::OptionOutOfRange { name, min, max } => {
            let bound =
                |bound: &Option<i64>, none: &str| bound.map_or(none.to_owned(), |bound| bound.to_string());
            (
                name,
                Some(format!("it must be from {} to {}", bound(min, "any number"), bound(max, "any number"))),
            )
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

/// Running scenario.
pub(crate) struct ScenarioRunner<'a> {
    pub(crate) ruleset: &'a Ruleset,
    scenario: &'a Scenario<'a>,
    given: Vec<SourceNode>,
    pub(crate) running: RunningMatch,
    expressions: std::vec::IntoIter<ExtraExpression>,
    pub(crate) bless: bool,
    pub(crate) blessings: Vec<Vec<TextEdit>>,
}

impl ScenarioRunner<'_> {
    fn run(&mut self) -> Result<(), ScenarioProblem> {
        let scenario = self.scenario;
        if let Some(start) = &scenario.start {
            let happened = self.running.events_since(0);
            self.compare(start, happened)?;
        }
        for (index, step) in scenario.steps.iter().enumerate() {
            let from_record = self.running.event_count();
            if let Err(mut problem) = self.step(step, from_record) {
                problem.lines.insert(0, format!("step {}, line {}:", index + 1, self.line(step.span)));
                return Err(problem);
            }
        }
        match self.running.game.script_left() {
            0 => Ok(()),
            1 => Err(ScenarioProblem::new(scenario.name.span, "the last scripted roll was never used")),
            left => Err(ScenarioProblem::new(
                scenario.name.span,
                format!("the last {left} scripted rolls were never used"),
            )),
        }
    }

    fn step(&mut self, step: &ScenarioStep<'_>, from_record: usize) -> Result<(), ScenarioProblem> {
        let received_before = self.received_counts(step);
        let knowledge_before: Vec<ViewerKnowledge> =
            step.unseen_by.iter().map(|viewer| self.running.knowledge(*viewer)).collect();
        for sent in &step.inputs {
            self.send(step, sent)?;
        }
        let outcome = self.check_step(step, from_record, &received_before, &knowledge_before);
        outcome.map_err(|mut problem| {
            if !problem.shows_events {
                let happened = self.running.events_since(from_record);
                problem.lines.extend(self.show_events(happened));
            }
            problem
        })
    }

    fn check_step(
        &mut self,
        step: &ScenarioStep<'_>,
        from_record: usize,
        received_before: &[usize],
        knowledge_before: &[ViewerKnowledge],
    ) -> Result<(), ScenarioProblem> {
        if let Some(listing) = &step.events {
            let happened = self.running.events_since(from_record);
            self.compare(listing, happened)?;
        }
        for (viewer, before) in step.unseen_by.iter().zip(knowledge_before) {
            self.check_unseen(step, *viewer, before)?;
        }
        let mut received_before = received_before.iter();
        let mut problems: Vec<ScenarioProblem> = Vec::new();
        for item in &step.checks {
            if let StepCheck::Received(viewer, listing) = item {
                let from = received_before.next().copied().unwrap_or(0);
                let received =
                    self.running.received(*viewer)[from..].iter().map(LoggedEvent::from_viewer).collect();
                self.compare(listing, received)?;
            }
            if let StepCheck::OfferedOnly(seat, offers) = item {
                self.compare_offers(*seat, offers)?;
            }
            if let Some(mut problem) = check(&mut self.running, item, &mut self.expressions) {
                if let StepCheck::Holds(text) = item {
                    problem.lines.extend(comparison::explain(
                        self.ruleset,
                        &self.given,
                        &self.running,
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

    fn received_counts(&self, step: &ScenarioStep<'_>) -> Vec<usize> {
        let received = step.checks.iter().filter_map(|check| match check {
            StepCheck::Received(viewer, _) => Some(self.running.received(*viewer).len()),
            _ => None,
        });
        received.collect()
    }

    fn check_unseen(
        &mut self,
        step: &ScenarioStep<'_>,
        viewer: Viewer,
        before: &ViewerKnowledge,
    ) -> Result<(), ScenarioProblem> {
        let after = self.running.knowledge(viewer);
        if after == *before {
            return Ok(());
        }
        let received = after.received[before.received.len().min(after.received.len())..]
            .iter()
            .map(LoggedEvent::from_viewer);
        let received = received.map(|event| format!("  received: {}", event.show()));
        let title = format!("{} should notice nothing, but does:", show_viewer(viewer));
        let lines =
            std::iter::once(title).chain(differences(&before.view, &after.view)).chain(received).collect();
        Err(ScenarioProblem::of_lines(step.span, lines))
    }

    /// Compares a listing with the events, or blesses it.
    fn compare(
        &mut self,
        listing: &EventListing<'_>,
        happened: Vec<LoggedEvent>,
    ) -> Result<(), ScenarioProblem> {
        let events = self.listed(happened, Some(listing));
        let comparison = ListingDiff::of(listing, &events);
        let is_unwritten = matches!(listing.node.value, NodeValue::Null);
        if comparison.holds() && !is_unwritten {
            return Ok(());
        }
        if self.bless {
            self.blessings.push(bless::edits(self.ruleset.sources(), listing, &comparison, &events));
            return Ok(());
        }
        let title = match is_unwritten {
            true => "the listing is empty; `--bless` fills it in with what happened:",
            false => "the events differ (- expected, + happened):",
        };
        let mut problem = ScenarioProblem { shows_events: true, ..ScenarioProblem::new(listing.key, title) };
        problem.lines.extend(comparison.show(listing, &events).into_iter().map(|line| format!("  {line}")));
        Err(problem)
    }

    /// Removes ignored events, unless the listing names them.
    fn listed(&self, mut happened: Vec<LoggedEvent>, listing: Option<&EventListing<'_>>) -> Vec<LoggedEvent> {
        let patterns = listing.map_or(&[][..], |listing| &listing.patterns);
        let is_named = |event: &str| {
            patterns
                .iter()
                .any(|pattern| matches!(pattern.kind, EventPatternKind::Event(name, _) if name == event))
        };
        happened
            .retain(|event| !self.scenario.ignored.contains(&event.event.as_str()) || is_named(&event.event));
        happened
    }

    fn show_events(&self, happened: Vec<LoggedEvent>) -> Vec<String> {
        let events = self.listed(happened, None);
        let title = if events.is_empty() { "nothing happened" } else { "this happened:" };
        let lines = events.iter().map(|event| format!("  {}", event.show()));
        std::iter::once(title.to_owned()).chain(lines).collect()
    }

    fn line(&self, span: Span) -> u32 {
        self.ruleset.sources().line_column(span.file, span.start).0
    }
}
