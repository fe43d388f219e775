//! Explanation of a value: its stored value, and what each modifier made of it.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::tree::SourceNode;
use intermezzo_compiler::{Extras, Severity, render};
use intermezzo_engine::{Contribution, Datum, Explanation, ExplanationSubject, Match, RuleFault, ShortText};
use intermezzo_matchfile::{MatchFile, to_json};
use intermezzo_program::Program;
use serde_json::json;

use crate::failure::{CliError, ExitStatus, fault_text};
use crate::library::LoadedRuleset;
use crate::out::{DIM, HEAD, Out, say};
use intermezzo_matchfile::sentences::{clean, value_text};

/// Value to explain, after a given input.
pub(crate) struct ValueQuery<'a> {
    pub(crate) path: &'a Path,
    pub(crate) value: &'a str,
    pub(crate) to: Option<u32>,
}

impl ValueQuery<'_> {
    /// Replays the match, computes the value and prints how it came about.
    pub(crate) fn answer(
        &self,
        out: &mut Out,
        file: &MatchFile,
        rules: LoadedRuleset,
    ) -> Result<(), CliError> {
        let (program, answer) = match numbered(self.value) {
            Some((number, prop)) => {
                let program = Arc::clone(&rules.program);
                let game = self.replay(file, &program)?;
                let entity = game.entity_numbered(number).ok_or_else(|| {
                    CliError::usage(format!("no entity #{number} at this point of the match"))
                        .hint("`intermezzo replay` prints entities with their numbers, such as `#7`")
                })?;
                (program, game.explain_property(entity, prop))
            }
            None => self.compute(file, rules)?,
        };
        let failed = |fault: RuleFault| CliError::new(ExitStatus::Fault, fault_text(&program, &fault));
        let (value, explanations) = answer.map_err(failed)?;
        say!(out, "{HEAD}{} = {}{HEAD:#}", clean(self.value), shown(&value));
        if explanations.is_empty() {
            say!(out, "  no modifier can affect this value");
        }
        let mut printed: Vec<&Explanation> = Vec::new();
        for explanation in &explanations {
            if !printed.iter().any(|other| other.subject == explanation.subject) {
                show(out, &program, explanation);
                printed.push(explanation);
            }
        }
        Ok(())
    }

    /// Compiles the expression together with the rules and computes it.
    fn compute(&self, file: &MatchFile, mut rules: LoadedRuleset) -> Result<ExplainedValue, CliError> {
        let text = json!({ "value": self.value }).to_string();
        let read = rules.ruleset.parse_extra_file("--value.json", text.as_bytes());
        let node = read.ok().and_then(|node| node.get("value").and_then(SourceNode::as_text).cloned());
        let Some(expression) = node else {
            return Err(CliError::usage(format!("`{}` is not an expression", clean(self.value))));
        };
        let compiled =
            rules.ruleset.compile_with(&Extras { expressions: vec![&expression], ..Extras::default() });
        let (Some(program), [found]) = (compiled.program, compiled.expressions.as_slice()) else {
            let mut errors = compiled.diagnostics;
            errors.retain(|found| found.severity == Severity::Error);
            let text = render(&errors, rules.ruleset.sources(), false);
            return Err(CliError::usage(format!("cannot compute the expression\n{text}")));
        };
        let program = Arc::new(program);
        let game = self.replay(file, &program)?;
        Ok((Arc::clone(&program), game.explain(found.routine, found.ty)))
    }

    fn replay(&self, file: &MatchFile, program: &Arc<Program>) -> Result<Match, CliError> {
        let replayed = file.replay_with(program, self.to.unwrap_or(u32::MAX), |_, _| Ok(()));
        let cannot_replay = |mismatch| {
            CliError::new(
                ExitStatus::Unverified,
                format!("cannot replay `{}`: {mismatch}", self.path.display()),
            )
            .hint("`intermezzo verify` checks the whole file")
        };
        replayed.map(intermezzo_matchfile::Recorder::into_match).map_err(cannot_replay)
    }
}

type ExplainedValue = (Arc<Program>, Result<(Datum, Vec<Explanation>), RuleFault>);

/// Parses `captain #7.power` or `#7.power`: the number of an entity, and a property. Expressions contain no
/// `#`.
fn numbered(value: &str) -> Option<(u32, &str)> {
    let (_, rest) = value.split_once('#')?;
    let (number, prop) = rest.split_once('.')?;
    let is_name = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name(prop) && !prop.is_empty()).then_some((number.parse().ok()?, prop))
}

fn shown(datum: &Datum) -> String {
    value_text(&to_json(datum))
}

fn show(out: &mut Out, program: &Program, explanation: &Explanation) {
    let indent = "  ".repeat(explanation.depth);
    let subject = match &explanation.subject {
        ExplanationSubject::Property { entity, prop } => format!("{} of {}", clean(prop), clean(entity)),
        ExplanationSubject::Chain { name } => format!("chain {}", clean(name)),
    };
    say!(out, "{indent}{HEAD}{subject}{HEAD:#} = {}", shown(&explanation.value));
    say!(out, "{indent}  {DIM}stored value{DIM:#} {}", shown(&explanation.base));
    let (steps, idle): (Vec<&Contribution>, Vec<&Contribution>) =
        explanation.steps.iter().partition(|step| step.before != step.after);
    for step in &steps {
        say!(out, "{indent}  {}  {}", change(step), origin(program, step));
    }
    for step in idle.iter().take(MAX_IDLE) {
        say!(out, "{indent}  {DIM}unchanged by{DIM:#} {}", origin(program, step));
    }
    if idle.len() > MAX_IDLE {
        say!(out, "{indent}  {DIM}and by {} more{DIM:#}", idle.len() - MAX_IDLE);
    }
}

/// Describes what a modifier changed; of a record, only the fields that differ.
fn change(step: &Contribution) -> String {
    let (Datum::Map(before), Datum::Map(after)) = (&step.before, &step.after) else {
        return format!("{} → {}", shown(&step.before), shown(&step.after));
    };
    let fields = before.iter().zip(after).filter(|(before, after)| before != after);
    let field = |((name, before), (_, after)): (&(ShortText, Datum), &(ShortText, Datum))| {
        format!("{} {} → {}", clean(name), shown(before), shown(after))
    };
    fields.map(field).collect::<Vec<_>>().join(", ")
}

/// Maximum number of modifiers without effect that are listed.
const MAX_IDLE: usize = 5;

/// Describes a modifier: its name, its source and its location.
fn origin(program: &Program, step: &Contribution) -> String {
    let name = match &step.source {
        Some(source) if source.starts_with(&format!("{} #", step.name)) => clean(source),
        Some(source) => format!("{} of {}", clean(&step.name), clean(source)),
        None => clean(&step.name),
    };
    let place = step.place.map_or_else(String::new, |place| {
        let file = program.files.get(usize::from(place.file)).map_or("?", String::as_str);
        format!(" ({file}:{})", place.line)
    });
    format!("{name}{place}")
}
