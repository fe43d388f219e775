//! `intermezzo explain`: why an event of a saved match happened, and what came of it; why a value is what it is.

mod origin;
mod value;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use intermezzo_journal::{Entry, MatchFile, SavedCause, SavedEvent, SavedStatus};
use intermezzo_ruleset::Program;

use crate::Context;
use crate::commands::replay::status_text;
use crate::failure::{Exit, Failure};
use crate::library::Playable;
use crate::out::{DIM, HEAD, Out, count, say};
use crate::saved;
use intermezzo_journal::sentences::{clean, input_text, listed, told_text, words};
use origin::origins;
use value::Question;

/// Longer lists of consequences are cut.
const MAX_CONSEQUENCES: usize = 200;

#[derive(Args)]
#[command(after_help = "\
Shows the event with its payload, what caused it up to the input that began it all, what followed
from it, and the rule it came from where that can be told.

With --value, shows what a value was at first and what each modifier made of it: an expression as
rules have it, or a property of an entity by its number.

Examples:
  intermezzo replay match.json        shows the numbers of events
  intermezzo explain match.json 17
  intermezzo explain match.json --value 'players[0].side.first!.power'
  intermezzo explain match.json --value 'captain #7.power' --to 4")]
pub(crate) struct Explain {
    /// A match saved by `intermezzo play --save`
    file: PathBuf,
    /// The number of the event
    #[arg(value_name = "EVENT_ID", required_unless_present = "value", conflicts_with = "value")]
    event: Option<u32>,
    /// The value to explain
    #[arg(long, value_name = "EXPRESSION")]
    value: Option<String>,
    /// The value after this input; 0 is the start of the match [default: after the last]
    #[arg(long, value_name = "INPUT", requires = "value")]
    to: Option<u32>,
    /// The rules it was played by [default: the ruleset of that name]
    #[arg(long, value_name = "PATH")]
    ruleset: Option<String>,
}

impl Explain {
    pub(crate) fn run(&self, context: &mut Context) -> Result<Exit, Failure> {
        let file = saved::read(&self.file)?;
        let rules = saved::rules(context, &file, self.ruleset.as_deref())?;
        if let Some(value) = &self.value {
            let question = Question { path: &self.file, value, to: self.to };
            question.answer(&mut context.out, &file, rules)?;
            return Ok(Exit::Fine);
        }
        let wanted = self.event.unwrap_or_default();
        let Some(event) = find(&file, wanted) else {
            let last = file.events().map(|(_, event)| event.id).max().unwrap_or(0);
            let failure = Failure::usage(format!("there is no event {wanted} in this match"));
            return Err(
                failure.hint(format!("events are numbered from 1 to {last}; `intermezzo replay` shows them"))
            );
        };
        let out = &mut context.out;
        show_event(out, &rules.program, event);
        show_causes(out, &file, &rules.program, event);
        show_origin(out, &file, &rules, event);
        show_consequences(out, &file, &rules.program, event);
        Ok(Exit::Fine)
    }
}

fn find(file: &MatchFile, id: u32) -> Option<&SavedEvent> {
    file.events().map(|(_, event)| event).find(|event| event.id == id)
}

fn line(program: &Program, event: &SavedEvent) -> String {
    let text = told_text(program, &event.event, &event.fields, event.status == SavedStatus::Failed);
    let dot = if text.is_empty() { "" } else { " · " };
    format!("{:>6}  {}{dot}{text}{}", event.id, clean(&event.event), status_text(event.status))
}

fn show_event(out: &mut Out, program: &Program, event: &SavedEvent) {
    say!(out, "{HEAD}event {}: {}{HEAD:#}", event.id, clean(&event.event));
    let has_failed = event.status == SavedStatus::Failed;
    let text = told_text(program, &event.event, &event.fields, has_failed);
    if text != listed(&event.fields) {
        say!(out, "  {text}");
    }
    match event.status {
        SavedStatus::Applied => {}
        SavedStatus::Prevented => say!(out, "  it was prevented: nothing of it happened"),
        SavedStatus::Failed => say!(out, "  a rule failed: what it had done was taken back"),
    }
    for (name, value) in &event.fields {
        say!(out, "  {DIM}{}{DIM:#} = {}", clean(name), words(value));
    }
}

/// What caused the event, nearest first, up to the input.
fn show_causes(out: &mut Out, file: &MatchFile, program: &Program, event: &SavedEvent) {
    say!(out, "{HEAD}because of{HEAD:#}");
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
                let entry: Option<&Entry> = file.inputs.iter().find(|entry| entry.number == number);
                let text = entry
                    .map_or_else(|| "which is not in the file".to_owned(), |entry| input_text(&entry.input));
                return say!(out, "  input {number}: {text}");
            }
        }
    }
}

fn show_origin(out: &mut Out, file: &MatchFile, rules: &Playable, event: &SavedEvent) {
    let cause = match event.cause {
        SavedCause::Event(id) => find(file, id),
        SavedCause::Input(_) => None,
    };
    let found = origins(rules, event, cause);
    match found.as_slice() {
        [] => say!(out, "{HEAD}made by{HEAD:#} the engine itself"),
        [only] => say!(out, "{HEAD}made by{HEAD:#} {only}"),
        several => {
            say!(out, "{HEAD}made by one of{HEAD:#}");
            several.iter().for_each(|origin| say!(out, "  {origin}"));
        }
    }
}

/// What followed from the event, each thing below what caused it.
fn show_consequences(out: &mut Out, file: &MatchFile, program: &Program, event: &SavedEvent) {
    let mut below = BTreeMap::from([(event.id, 0)]);
    let mut shown = Vec::new();
    // A cause always comes before what it causes, so one pass finds everything.
    for (_, later) in file.events() {
        if let SavedCause::Event(cause) = later.cause
            && let Some(depth) = below.get(&cause).copied()
        {
            below.insert(later.id, depth + 1);
            shown.push((depth, later));
        }
    }
    match shown.len() {
        0 => say!(out, "{HEAD}nothing followed from it{HEAD:#}"),
        found => say!(out, "{HEAD}from it followed {}{HEAD:#}", count(found, "event")),
    }
    for (depth, later) in shown.iter().take(MAX_CONSEQUENCES) {
        say!(out, "{}{}", "  ".repeat(*depth), line(program, later));
    }
    if shown.len() > MAX_CONSEQUENCES {
        say!(out, "  … and {} more", shown.len() - MAX_CONSEQUENCES);
    }
}
