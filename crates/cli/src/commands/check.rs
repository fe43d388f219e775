//! `intermezzo check`: everything that is wrong with rulesets, and how large they are.

use clap::{Args, ValueEnum};
use intermezzo_compiler::{Compiled, Prompts, Ruleset, Severity, render, to_json};
use intermezzo_ruleset::{Program, native};
use serde_json::{Value, json};

use crate::Context;
use crate::failure::{Exit, Failure};
use crate::library::{Source, find_all};
use crate::out::{BAD, DIM, GOOD, HEAD, Out, count, say};
use intermezzo_journal::sentences::clean;

/// So many dear rules are named.
const MAX_COSTS: usize = 3;

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo check                              all of `rulesets`
  intermezzo check rulesets/orcain
  intermezzo check my-game --format json        for tools
  intermezzo check my-game --deny-warnings      for CI
  intermezzo check my-game --previous old-game  what does the new version take away?

Exits with 1 if there are errors, or warnings with --deny-warnings.")]
pub(crate) struct Check {
    /// Ruleset folders, files or names, or folders of rulesets [default: the folder of rulesets]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// How to tell
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Let warnings count as errors
    #[arg(long)]
    deny_warnings: bool,
    /// The version before: names it had and this one has not need a new major version
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

/// One ruleset and what there is to say about it.
struct Checked {
    label: String,
    ruleset: Ruleset,
    compiled: Compiled,
}

impl Check {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let sources = find_all(context, &self.paths)?;
        let mut checked = sources.iter().map(Checked::new).collect::<Result<Vec<_>, _>>()?;
        if let Some(previous) = &self.previous {
            let previous = find_all(context, std::slice::from_ref(previous))?;
            let [previous] = &previous[..] else {
                return Err(Failure::usage("--previous takes one ruleset"));
            };
            let previous = previous.load()?.compile();
            checked.iter_mut().for_each(|checked| checked.compare(&previous));
        }
        match self.format {
            Format::Human => checked.iter().for_each(|checked| checked.show(context)),
            Format::Json => {
                let rulesets: Vec<Value> = checked.iter().map(Checked::json).collect();
                context.out.line(format_args!("{:#}", json!({ "rulesets": rulesets })));
            }
        }
        let is_bad = |checked: &Checked| {
            checked.compiled.has_errors() || self.deny_warnings && checked.count(Severity::Warning) > 0
        };
        Ok(if checked.iter().any(is_bad) { Exit::Problems } else { Exit::Fine })
    }
}

impl Checked {
    fn new(source: &Source) -> Result<Checked, Failure> {
        let ruleset = source.load()?;
        let compiled = ruleset.compile();
        Ok(Checked { label: source.label(), ruleset, compiled })
    }

    /// Adds what this version takes away from the one before.
    fn compare(&mut self, previous: &Compiled) {
        if let (Some(old), Some(new)) = (&previous.program, &self.compiled.program) {
            let taken_away = self.ruleset.compare(old, new);
            if !taken_away.is_empty() {
                self.compiled.diagnostics.extend(taken_away);
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
                say!(out, "   {DIM}{}{DIM:#}", Size::of(program).text());
                self.show_costs(out);
            }
            None => say!(out, "{BAD}not ok{BAD:#} {HEAD}{}{HEAD:#}: {found}", self.label),
        }
    }

    /// The rules whose work grows fastest, if it grows at all.
    fn show_costs(&self, out: &mut Out) {
        let dear: Vec<String> = self
            .compiled
            .costs
            .iter()
            .filter(|cost| cost.order > 1)
            .take(MAX_COSTS)
            .map(|cost| format!("{} (entities^{})", cost.rule, cost.order))
            .collect();
        if !dear.is_empty() {
            say!(out, "   {DIM}dearest: {}{DIM:#}", dear.join(", "));
        }
        let asking: Vec<String> = self.compiled.prompts.iter().take(MAX_COSTS).map(questions).collect();
        if !asking.is_empty() {
            say!(out, "   {DIM}asking most: {}{DIM:#}", asking.join(", "));
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
            "size": program.map(|program| Size::of(program).json()),
            "costs": self.compiled.costs.iter().map(|cost| json!({"rule": cost.rule, "order": cost.order})).collect::<Value>(),
            "prompts": self.compiled.prompts.iter().map(|prompts| json!({"rule": prompts.rule, "most": prompts.most})).collect::<Value>(),
            "diagnostics": to_json(&self.compiled.diagnostics, self.ruleset.sources()),
        })
    }
}

/// `events.Hurt (2 questions)`
fn questions(prompts: &Prompts) -> String {
    match prompts.most {
        Some(most) => format!("{} ({})", prompts.rule, count(most as usize, "question")),
        None => format!("{} (no bound)", prompts.rule),
    }
}

/// How large a program is.
struct Size([(&'static str, usize); 8]);

impl Size {
    fn of(program: &Program) -> Size {
        Size([
            // Those every program has are not the author's.
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
