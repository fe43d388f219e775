//! `intermezzo explain`: shows the causes and consequences of an event, or the origin of a value.

mod origin;
mod value;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use intermezzo_matchfile::{InputRecord, MatchFile, SavedCause, SavedEvent, SavedStatus};
use intermezzo_program::Program;

use crate::Context;
use crate::commands::replay::status_text;
use crate::failure::{CliError, ExitStatus};
use crate::library::LoadedRuleset;
use crate::out::{DIM, HEAD, Out, count, say};
use crate::saved;
use intermezzo_matchfile::sentences::{clean, fields_text, input_text, play_text, value_text};
use origin::origins;
use value::ValueQuery;

/// Maximum number of consequences that are listed.
const MAX_CONSEQUENCES: usize = 200;

#[derive(Args)]
#[command(after_help = "\
Shows an event with its payload, its causes back to the input, the rule that made it, and its
consequences.

With --value, shows the stored value of an expression, or of a property of an entity, and what each
modifier made of it.

Examples:
  intermezzo replay match.json        print events with their numbers
  intermezzo explain match.json 17
  intermezzo explain match.json --value 'players[0].side.first!.power'
  intermezzo explain match.json --value 'captain #7.power' --to 4")]
pub(crate) struct ExplainArgs {
    /// A match saved by `intermezzo play --save`
    file: PathBuf,
    /// Number of the event
    #[arg(value_name = "EVENT_ID", required_unless_present = "value", conflicts_with = "value")]
    event: Option<u32>,
    /// Expression to explain, or a property of an entity such as `captain #7.power`
    #[arg(long, value_name = "EXPRESSION")]
    value: Option<String>,
    /// Explain the value after this input; 0 is the start of the match [default: the last]
    #[arg(long, value_name = "INPUT", requires = "value")]
    to: Option<u32>,
    /// Rules of the match [default: the ruleset with the id in the file]
    #[arg(long, value_name = "PATH")]
    ruleset: Option<String>,
}

impl ExplainArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let file = saved::read(&self.file)?;
        let rules = saved::rules(context, &file, self.ruleset.as_deref())?;
        if let Some(value) = &self.value {
            let query = ValueQuery { path: &self.file, value, to: self.to };
            query.answer(&mut context.out, &file, rules)?;
            return Ok(ExitStatus::Success);
        }
        let wanted = self.event.unwrap_or_default();
        let Some(event) = find(&file, wanted) else {
            let last = file.events().map(|(_, event)| event.id).max().unwrap_or(0);
            let failure = CliError::usage(format!("this match has no event {wanted}"));
            return Err(
                failure.hint(format!("events are numbered 1 to {last}; `intermezzo replay` prints them"))
            );
        };
        let out = &mut context.out;
        show_event(out, &rules.program, event);
        show_causes(out, &file, &rules.program, event);
        show_origin(out, &file, &rules, event);
        show_consequences(out, &file, &rules.program, event);
        Ok(ExitStatus::Success)
    }
}

fn find(file: &MatchFile, id: u32) -> Option<&SavedEvent> {
    file.events().map(|(_, event)| event).find(|event| event.id == id)
}

fn line(program: &Program, event: &SavedEvent) -> String {
    let text = play_text(program, &event.event, &event.fields, event.status == SavedStatus::Failed);
    let dot = if text.is_empty() { "" } else { " · " };
    format!("{:>6}  {}{dot}{text}{}", event.id, clean(&event.event), status_text(event.status))
}

fn show_event(out: &mut Out, program: &Program, event: &SavedEvent) {
    say!(out, "{HEAD}event {}: {}{HEAD:#}", event.id, clean(&event.event));
    let has_failed = event.status == SavedStatus::Failed;
    let text = play_text(program, &event.event, &event.fields, has_failed);
    if text != fields_text(&event.fields) {
        say!(out, "  {text}");
    }
    match event.status {
        SavedStatus::Applied => {}
        SavedStatus::Prevented => say!(out, "  it was prevented and had no effect"),
        SavedStatus::Failed => say!(out, "  a rule failed, and its effects were undone"),
    }
    for (name, value) in &event.fields {
        say!(out, "  {DIM}{}{DIM:#} = {}", clean(name), value_text(value));
    }
}

/// Prints the causes of an event, nearest first, back to the input.
fn show_causes(out: &mut Out, file: &MatchFile, program: &Program, event: &SavedEvent) {
    say!(out, "{HEAD}caused by{HEAD:#}");
    let mut at = event;
    loop {
        match at.cause {
            SavedCause::Event(id) => match find(file, id).filter(|cause| cause.id < at.id) {
                Some(cause) => {
                    say!(out, "{}", line(program, cause));
                    at = cause;
                }
                None => return say!(out, "  event {id}, which is not in the file"),
            },
            SavedCause::Input(0) => return say!(out, "  the start of the match"),
            SavedCause::Input(number) => {
                let entry: Option<&InputRecord> = file.inputs.iter().find(|entry| entry.number == number);
                let text = entry
                    .map_or_else(|| "which is not in the file".to_owned(), |entry| input_text(&entry.input));
                return say!(out, "  input {number}: {text}");
            }
        }
    }
}

fn show_origin(out: &mut Out, file: &MatchFile, rules: &LoadedRuleset, event: &SavedEvent) {
    let cause = match event.cause {
        SavedCause::Event(id) => find(file, id),
        SavedCause::Input(_) => None,
    };
    let found = origins(rules, event, cause);
    match found.as_slice() {
        [] => say!(out, "{HEAD}made by{HEAD:#} the engine"),
        [only] => say!(out, "{HEAD}made by{HEAD:#} {only}"),
        several => {
            say!(out, "{HEAD}made by one of{HEAD:#}");
            several.iter().for_each(|origin| say!(out, "  {origin}"));
        }
    }
}

/// Prints the consequences of an event, each indented below its cause.
fn show_consequences(out: &mut Out, file: &MatchFile, program: &Program, event: &SavedEvent) {
    let mut below = BTreeMap::from([(event.id, 0)]);
    let mut shown = Vec::new();
    // Causes precede their consequences in the log, so one pass finds everything.
    for (_, later) in file.events() {
        if let SavedCause::Event(cause) = later.cause
            && let Some(depth) = below.get(&cause).copied()
        {
            below.insert(later.id, depth + 1);
            shown.push((depth, later));
        }
    }
    match shown.len() {
        0 => say!(out, "{HEAD}no consequences{HEAD:#}"),
        found => say!(out, "{HEAD}consequences{HEAD:#} ({})", count(found, "event")),
    }
    for (depth, later) in shown.iter().take(MAX_CONSEQUENCES) {
        say!(out, "{}{}", "  ".repeat(*depth), line(program, later));
    }
    if shown.len() > MAX_CONSEQUENCES {
        say!(out, "  … and {} more", shown.len() - MAX_CONSEQUENCES);
    }
}
