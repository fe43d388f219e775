//! `intermezzo replay`: prints the inputs and events of a saved match.

use std::path::PathBuf;

use clap::Args;
use intermezzo_engine::{Observer, Viewer};
use intermezzo_matchfile::log_lines::{LineEvent, LineFolder, LogLine};
use intermezzo_matchfile::{MatchFile, ReplayMismatch, SavedEvent, SavedStatus, to_json};
use intermezzo_program::{Program, Seat};
use serde_json::Value;

use crate::Context;
use crate::failure::{CliError, ExitStatus};
use crate::library::LoadedRuleset;
use crate::out::{DIM, HEAD, Out, count, say};
use crate::play::{EntityNames, EventView};
use crate::saved;
use intermezzo_matchfile::sentences::{
    clean, input_text, play_text, pot_text, score_text, value_text, without_entity_numbers,
};

#[derive(Args)]
#[command(after_help = "\
Examples:
  intermezzo replay match.json                  everything
  intermezzo replay match.json --seat 1         only what seat 1 saw
  intermezzo replay match.json --to 4           up to input 4
  intermezzo replay match.json --details        every event of lines that stand for several
  intermezzo replay match.json --branches       list the undone branches
  intermezzo replay match.json --branch 1       replay an undone branch

Events are described by their `text` in the ruleset, if they have one. A ruleset can fold several events
into one line. `intermezzo explain` takes the number in front of an event.")]
pub(crate) struct ReplayArgs {
    /// A match saved by `intermezzo play --save`
    file: PathBuf,
    /// Only what this seat saw
    #[arg(long, value_name = "N", conflicts_with = "all")]
    seat: Option<u8>,
    /// Everything, hidden information included (the default)
    #[arg(long)]
    all: bool,
    /// Show the events behind each line, such as the rolls of an attack
    #[arg(long, conflicts_with = "branches")]
    details: bool,
    /// Stop after this input; 0 is the start of the match
    #[arg(long, value_name = "INPUT")]
    to: Option<u32>,
    /// List the undone branches, and where they differ from the main line
    #[arg(long, conflicts_with_all = ["seat", "all", "to", "branch"])]
    branches: bool,
    /// Replay the undone branch with this number
    #[arg(long, value_name = "N")]
    branch: Option<usize>,
    /// Rules of the match [default: the ruleset with the id in the file]
    #[arg(long, value_name = "PATH")]
    ruleset: Option<String>,
}

impl ReplayArgs {
    pub(crate) fn run(&self, context: &mut Context) -> Result<ExitStatus, CliError> {
        let file = saved::read(&self.file)?;
        if self.branches {
            list_branches(&mut context.out, &file);
            return Ok(ExitStatus::Success);
        }
        let file = match self.branch {
            Some(number) => saved::branch(&file, number)?,
            None => file,
        };
        if let Some(seat) = self.seat.filter(|seat| *seat >= file.seats) {
            let seats = count(usize::from(file.seats), "seat");
            let failure = CliError::usage(format!("no seat {seat}: this match has {seats}"));
            return Err(failure.hint("seats are numbered from 0"));
        }
        let rules = saved::rules(context, &file, self.ruleset.as_deref())?;
        let out = &mut context.out;
        let (id, version) = (clean(&file.ruleset.id), clean(&file.ruleset.version));
        say!(out, "{HEAD}{id} {version}, {}{HEAD:#}", count(usize::from(file.seats), "seat"));
        match self.seat {
            Some(seat) => self.show_seat(out, &file, &rules, Seat(seat))?,
            None => self.show_all(out, &file, &rules.program),
        }
        if self.to.is_none_or(|to| to as usize >= file.inputs.len()) {
            let ending = file.ending.as_ref().map(|ending| {
                let winners =
                    value_text(&ending.winners.iter().map(|seat| format!("p{seat}")).collect::<Value>());
                let pot = pot_text(&rules.program, &ending.pot);
                let score = score_text(ending.score.as_deref(), ", score: ");
                format!("ended: {}, winners: {winners}{score}{pot}", clean(&ending.outcome))
            });
            say!(out, "{HEAD}{}{HEAD:#}", ending.as_deref().unwrap_or("not finished"));
        }
        Ok(ExitStatus::Success)
    }

    fn last(&self) -> usize {
        self.to.map_or(usize::MAX, |to| to as usize)
    }

    fn show_all(&self, out: &mut Out, file: &MatchFile, program: &Program) {
        let mut folder = LineFolder::new(program);
        let mut show = |out: &mut Out, events: &'_ [SavedEvent]| {
            let numbered = events.iter().map(|event| LineEvent {
                key: event.id,
                name: &event.event,
                fields: &event.fields,
                has_happened: event.status == SavedStatus::Applied,
            });
            let lines = folder.fold(program, numbered);
            self.show_lines(out, &lines, |id, sentence| match sentence {
                Some(sentence) => format!("{id:>6}  {sentence}"),
                None => {
                    let event = events.iter().find(|event| event.id == id);
                    event.map_or_else(String::new, |event| event_line(program, event))
                }
            });
        };
        say!(out, "{DIM}start{DIM:#}");
        show(out, &file.start.events);
        for entry in file.inputs.iter().take(self.last()) {
            say!(out, "{DIM}input {}{DIM:#} {}", entry.number, input_text(&entry.input));
            show(out, &entry.events);
        }
    }

    /// Prints lines of the log: with their details if the user asks for them, and without repeating a sentence
    /// otherwise. `text` describes an event, or a line that begins with it.
    fn show_lines<K: Copy>(
        &self,
        out: &mut Out,
        lines: &[LogLine<K>],
        text: impl Fn(K, Option<&str>) -> String,
    ) {
        for line in lines {
            if line.is_news || self.details {
                say!(out, "{}", text(line.key, line.sentence.as_deref()));
            }
            for detail in line.details.iter().filter(|_| self.details) {
                say!(out, "    {DIM}{}{DIM:#}", text(*detail, None));
            }
        }
    }

    /// Replays the match with an observer and prints what the seat saw.
    fn show_seat(
        &self,
        out: &mut Out,
        file: &MatchFile,
        rules: &LoadedRuleset,
        seat: Seat,
    ) -> Result<(), CliError> {
        let program = &rules.program;
        let cannot_replay = |mismatch: ReplayMismatch| {
            CliError::new(
                ExitStatus::Unverified,
                format!("cannot replay `{}`: {mismatch}", self.file.display()),
            )
            .hint("`intermezzo verify` checks the whole file")
        };
        let setup = file.setup(program).map_err(cannot_replay)?;
        let observer = Observer::new(program.clone(), &setup);
        let mut observer = observer.map_err(|error| CliError::start(program, &error))?;
        let mut names = EntityNames::new(program);
        let mut folder = LineFolder::new(program);
        // All events so far. A line that is continued begins with an earlier one.
        let mut received: Vec<Value> = Vec::new();
        let mut from = 0;
        let last = self.to.unwrap_or(u32::MAX);
        let replayed = file.replay_with(program, last, |number, recorder| {
            let entry = number.checked_sub(1).and_then(|place| file.inputs.get(place as usize));
            match entry {
                None => say!(out, "{DIM}start{DIM:#}"),
                // Inputs of other seats are hidden information.
                Some(entry) if entry.input.seat() == Some(seat) => {
                    say!(
                        out,
                        "{DIM}input {number}{DIM:#} {}",
                        without_entity_numbers(&input_text(&entry.input))
                    );
                }
                Some(_) => say!(out, "{DIM}input {number}{DIM:#}"),
            }
            let mut seen = Vec::new();
            let observed = observer.observe(recorder.log(), from, |viewer, datum| {
                seen.extend(datum.filter(|_| viewer == Viewer::Seat(seat)));
            });
            from = recorder.log().len();
            names.learn(&to_json(&observer.view(Viewer::Seat(seat))));
            let first = received.len();
            received.extend(seen.iter().map(to_json));
            let views: Vec<EventView<'_>> =
                received[first..].iter().map(|event| EventView::new(event, &names)).collect();
            let numbered = views.iter().enumerate().map(|(at, view)| view.line_event(first + at));
            let lines = folder.fold(program, numbered);
            self.show_lines(out, &lines, |at, sentence| {
                let view = EventView::new(&received[at], &names);
                sentence.map_or_else(|| view.record(program), |sentence| view.line(sentence))
            });
            if observed.is_err() {
                say!(out, "       {DIM}(the remaining events cannot be observed){DIM:#}");
            }
            Ok(())
        });
        replayed.map(drop).map_err(cannot_replay)
    }
}

/// Lists the undone branches, and where each leaves the main line.
fn list_branches(out: &mut Out, file: &MatchFile) {
    if file.branches.is_empty() {
        say!(out, "nothing was undone in this match");
        return;
    }
    for (at, branch) in file.branches.iter().enumerate() {
        let common = file.common_inputs(None, Some(at)).unwrap_or(0);
        let agreed = match branch.agreed.as_slice() {
            [] => String::new(),
            seats => {
                let seats: Vec<String> = seats.iter().map(|seat| format!("p{seat}")).collect();
                format!(", {} agreed", seats.join(" and "))
            }
        };
        let inputs = count(branch.inputs.len(), "input");
        say!(out, "{HEAD}branch {}{HEAD:#}: p{} undid {inputs}{agreed}", at + 1, branch.by);
        say!(out, "{DIM}   same as the main line up to input {common}{DIM:#}");
        for entry in &branch.inputs {
            say!(out, "{DIM}   input {}{DIM:#} {}", entry.number, input_text(&entry.input));
        }
    }
}

fn event_line(program: &Program, event: &SavedEvent) -> String {
    let status = status_text(event.status);
    let has_failed = event.status == SavedStatus::Failed;
    let text = play_text(program, &event.event, &event.fields, has_failed);
    let dot = if text.is_empty() { "" } else { " · " };
    format!("{:>6}  {}{dot}{text}{status}", event.id, clean(&event.event))
}

/// Returns the suffix for an event that did not happen.
pub(crate) fn status_text(status: SavedStatus) -> &'static str {
    match status {
        SavedStatus::Applied => "",
        SavedStatus::Prevented => " (prevented)",
        SavedStatus::Failed => " (failed)",
    }
}
