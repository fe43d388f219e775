//! `intermezzo check`: reports errors, warnings and the size of rulesets.

use clap::{Args, ValueEnum};
use intermezzo_compiler::{Compilation, PromptBound, Ruleset, Severity, render, to_json};
use intermezzo_program::{Program, native};
use serde_json::{Value, json};

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::{RulesetSource, find_all};
use crate::out::{BAD, DIM, GOOD, HEAD, Out, count, say};
use intermezzo_matchfile::sentences::clean;

/// Maximum number of expensive rules that are listed.
const MAX_COSTS: usize = 3;

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo check                              all of `rulesets`
  intermezzo check rulesets/orcain
  intermezzo check my-game --format json        for tools
  intermezzo check my-game --deny-warnings      for CI
  intermezzo check my-game --previous old-game  list names the new version removes

Exits with 1 if there are errors, or warnings with --deny-warnings.")]
pub(crate) struct CheckArgs {
    /// Rulesets, or folders of rulesets [default: the folder of rulesets]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// Previous version of the ruleset: names that it had and this one lacks need a new major version
    #[arg(long, value_name = "PATH")]
    previous: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Human,
    /// For tools: one JSON object
    Json,
}

/// Ruleset with the result of its compilation.
struct CheckedRuleset {
    label: String,
    ruleset: Ruleset,
    compiled: Compilation,
}

impl CheckArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let sources = find_all(context, &self.paths)?;
        let mut checked = sources.iter().map(CheckedRuleset::new).collect::<Result<Vec<_>, _>>()?;
        if let Some(previous) = &self.previous {
            let previous = find_all(context, std::slice::from_ref(previous))?;
            let [previous] = &previous[..] else {
                return Err(CliError::usage("--previous takes one ruleset"));
            };
            let previous = previous.load()?.compile();
            checked.iter_mut().for_each(|checked| checked.compare(&previous));
        }
        match self.format {
            Format::Human => checked.iter().for_each(|checked| checked.show(context)),
            Format::Json => {
                let rulesets: Vec<Value> = checked.iter().map(CheckedRuleset::json).collect();
                context.out.line(format_args!("{:#}", json!({ "rulesets": rulesets })));
            }
        }
        let is_bad = |checked: &CheckedRuleset| {
            checked.compiled.has_errors() || self.deny_warnings && checked.count(Severity::Warning) > 0
        };
        Ok(if checked.iter().any(is_bad) { ExitStatus::Problems } else { ExitStatus::Success })
    }
}

impl CheckedRuleset {
    fn new(source: &RulesetSource) -> Result<CheckedRuleset, CliError> {
        let ruleset = source.load()?;
        let compiled = ruleset.compile();
        Ok(CheckedRuleset { label: source.label(), ruleset, compiled })
    }

    /// Adds diagnostics for names that this version removes.
    fn compare(&mut self, previous: &Compilation) {
        if let (Some(old), Some(new)) = (&previous.program, &self.compiled.program) {
            let removed = self.ruleset.compare(old, new);
            if !removed.is_empty() {
                self.compiled.diagnostics.extend(removed);
                self.compiled.program = None;
            }
        }
    }

    fn count(&self, severity: Severity) -> usize {
        self.compiled.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    fn show(&self, context: &mut Context) {
        let out = &mut context.out;
        out.text(render(&self.compiled.diagnostics, self.ruleset.sources(), true));
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        let found = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
        match &self.compiled.program {
            Some(program) => {
                say!(
                    out,
                    "{GOOD}ok{GOOD:#} {HEAD}{}{HEAD:#}: {} {}, {found}",
                    self.label,
                    clean(&program.name),
                    clean(&program.version)
                );
                say!(out, "   {DIM}{}{DIM:#}", ProgramSize::of(program).text());
                self.show_costs(out);
            }
            None => say!(out, "{BAD}not ok{BAD:#} {HEAD}{}{HEAD:#}: {found}", self.label),
        }
    }

    /// Prints the rules whose cost grows fastest with the number of entities, and those that ask most
    /// questions.
    fn show_costs(&self, out: &mut Out) {
        let expensive: Vec<String> = self
            .compiled
            .costs
            .iter()
            .filter(|cost| cost.order > 1)
            .take(MAX_COSTS)
            .map(|cost| format!("{} (entities^{})", cost.rule, cost.order))
            .collect();
        if !expensive.is_empty() {
            say!(out, "   {DIM}most expensive: {}{DIM:#}", expensive.join(", "));
        }
        let most_questions: Vec<String> =
            self.compiled.prompt_bounds.iter().take(MAX_COSTS).map(question_bound).collect();
        if !most_questions.is_empty() {
            say!(out, "   {DIM}most questions: {}{DIM:#}", most_questions.join(", "));
        }
    }

    fn json(&self) -> Value {
        let program = self.compiled.program.as_ref();
        json!({
            "path": self.label,
            "ok": program.is_some(),
            "id": program.map(|program| &program.id),
            "version": program.map(|program| &program.version),
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "size": program.map(|program| ProgramSize::of(program).json()),
            "costs": self.compiled.costs.iter().map(|cost| json!({"rule": cost.rule, "order": cost.order})).collect::<Value>(),
            "prompts": self.compiled.prompt_bounds.iter().map(|prompts| json!({"rule": prompts.rule, "most": prompts.max})).collect::<Value>(),
            "diagnostics": to_json(&self.compiled.diagnostics, self.ruleset.sources()),
        })
    }
}

/// Formats a rule as `events.Hurt (2 questions)`.
fn question_bound(prompts: &PromptBound) -> String {
    match prompts.max {
        Some(most) => format!("{} ({})", prompts.rule, count(most as usize, "question")),
        None => format!("{} (unbounded)", prompts.rule),
    }
}

/// ProgramSize of a program.
struct ProgramSize([(&'static str, usize); 8]);

impl ProgramSize {
    fn of(program: &Program) -> ProgramSize {
        ProgramSize([
            // Engine events belong to every program, not to the author.
            ("event", program.events.len().saturating_sub(native::EVENTS.len())),
            ("rule", program.reactions.len()),
            ("choice", program.choices.len()),
            ("kind", program.kinds.len()),
            ("zone", program.zones.len()),
            ("def", program.defs.len()),
            ("routine", program.routines.len()),
            ("instruction", program.code.len()),
        ])
    }

    fn text(&self) -> String {
        let counts: Vec<String> = self.0.iter().map(|(noun, number)| count(*number, noun)).collect();
        counts.join(", ")
    }

    fn json(&self) -> Value {
        self.0.iter().map(|(noun, number)| (format!("{noun}s"), Value::from(*number))).collect()
    }
}
