//! Why a value is what it is: what it was at first, and what each modifier made of it.

use std::path::Path;
use std::sync::Arc;

use intermezzo_compiler::tree::Node;
use intermezzo_compiler::{Extras, Severity, render};
use intermezzo_engine::{Contribution, Datum, Explained, Explanation, Fault, Match};
use intermezzo_journal::{MatchFile, to_json};
use intermezzo_ruleset::Program;
use serde_json::json;

use crate::failure::{Exit, Failure, fault_text};
use crate::library::Playable;
use crate::out::{DIM, HEAD, Out, say};
use intermezzo_journal::sentences::{clean, words};

/// Which value, after which input.
pub(crate) struct Question<'a> {
    pub(crate) path: &'a Path,
    pub(crate) value: &'a str,
    pub(crate) to: Option<u32>,
}

impl Question<'_> {
    /// Plays the match again, computes the value, and tells how it came about.
    pub(crate) fn answer(&self, out: &mut Out, file: &MatchFile, rules: Playable) -> Result<(), Failure> {
        let (program, answer) = match numbered(self.value) {
            Some((number, prop)) => {
                let program = Arc::clone(&rules.program);
                let table = self.replay(file, &program)?;
                let entity = table.entity_numbered(number).ok_or_else(|| {
                    Failure::usage(format!("there is no entity #{number} at this point of the match"))
                        .hint("`intermezzo replay` shows the numbers of entities, such as `#7`")
                })?;
                (program, table.explain_property(entity, prop))
            }
            None => self.compute(file, rules)?,
        };
        let failed = |fault: Fault| Failure::new(Exit::Fault, fault_text(&program, &fault));
        let (value, explanations) = answer.map_err(failed)?;
        say!(out, "{HEAD}{} = {}{HEAD:#}", clean(self.value), shown(&value));
        if explanations.is_empty() {
            say!(out, "  nothing that modifiers could change was needed for it");
        }
        let mut told: Vec<&Explanation> = Vec::new();
        for explanation in &explanations {
            if !told.iter().any(|other| other.subject == explanation.subject) {
                show(out, &program, explanation);
                told.push(explanation);
            }
        }
        Ok(())
    }

    /// Compiles the expression beside the rules and computes it.
    fn compute(&self, file: &MatchFile, mut rules: Playable) -> Result<Computed, Failure> {
        let text = json!({ "value": self.value }).to_string();
        let read = rules.ruleset.read_beside("--value.json", text.as_bytes());
        let node = read.ok().and_then(|node| node.get("value").and_then(Node::as_text).cloned());
        let Some(expression) = node else {
            return Err(Failure::usage(format!("`{}` is not an expression", clean(self.value))));
        };
        let compiled =
            rules.ruleset.compile_with(&Extras { expressions: vec![&expression], ..Extras::default() });
        let (Some(program), [found]) = (compiled.program, compiled.expressions.as_slice()) else {
            let mut errors = compiled.diagnostics;
            errors.retain(|found| found.severity == Severity::Error);
            let text = render(&errors, rules.ruleset.sources(), false);
            return Err(Failure::usage(format!("this cannot be computed\n{text}")));
        };
        let program = Arc::new(program);
        let table = self.replay(file, &program)?;
        Ok((Arc::clone(&program), table.explain(found.routine, found.ty)))
    }

    fn replay(&self, file: &MatchFile, program: &Arc<Program>) -> Result<Match, Failure> {
        let replayed = file.replay_with(program, self.to.unwrap_or(u32::MAX), |_, _| Ok(()));
        let untrue = |mismatch| {
            Failure::new(Exit::Untrue, format!("cannot replay `{}`: {mismatch}", self.path.display()))
                .hint("`intermezzo verify` checks the whole file")
        };
        replayed.map(intermezzo_journal::Recorder::into_match).map_err(untrue)
    }
}

type Computed = (Arc<Program>, Result<(Datum, Vec<Explanation>), Fault>);

/// `captain #7.power` or `#7.power`: an entity by its number, and a property. Expressions have no `#`.
fn numbered(value: &str) -> Option<(u32, &str)> {
    let (_, rest) = value.split_once('#')?;
    let (number, prop) = rest.split_once('.')?;
    let is_name = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name(prop) && !prop.is_empty()).then_some((number.parse().ok()?, prop))
}

fn shown(datum: &Datum) -> String {
    words(&to_json(datum))
}

fn show(out: &mut Out, program: &Program, explanation: &Explanation) {
    let indent = "  ".repeat(explanation.depth);
    let subject = match &explanation.subject {
        Explained::Property { entity, prop } => format!("{} of {}", clean(prop), clean(entity)),
        Explained::Chain { name } => format!("chain {}", clean(name)),
    };
    say!(out, "{indent}{HEAD}{subject}{HEAD:#} = {}", shown(&explanation.value));
    say!(out, "{indent}  {DIM}at first{DIM:#} {}", shown(&explanation.base));
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

/// What a modifier changed: of a record, the fields that differ.
fn change(step: &Contribution) -> String {
    let (Datum::Map(before), Datum::Map(after)) = (&step.before, &step.after) else {
        return format!("{} → {}", shown(&step.before), shown(&step.after));
    };
    let fields = before.iter().zip(after).filter(|(before, after)| before != after);
    let field = |((name, before), (_, after)): (&(String, Datum), &(String, Datum))| {
        format!("{} {} → {}", clean(name), shown(before), shown(after))
    };
    fields.map(field).collect::<Vec<_>>().join(", ")
}

/// So many modifiers that change nothing are named.
const MAX_IDLE: usize = 5;

/// Which modifier it was, of what, and where it is written.
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
