//! Matches written as scenarios. Start with [`write_scenario()`].

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, Input, LeaveCause, PassUntil, PendingQuestion, Setup};
use intermezzo_program::{BranchContent, Program, Seat, Word};

use crate::running_match::{RunningMatch, SubmitError};
use crate::values::show;

/// Match to be written as a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioRecording<'a> {
    /// Name of the scenario.
    pub name: &'a str,
    /// Number the seed was made from.
    pub seed: u64,
    /// Setup of the match, including the dice that were rolled.
    pub setup: &'a Setup,
    /// All inputs, in order.
    pub inputs: &'a [Input],
}

/// Writes a match as one item of a list of scenarios. Its listings of events are empty and can be blessed.
///
/// # Errors
///
/// Returns an error if the match does not start or rejects an input.
pub fn write_scenario(program: &Arc<Program>, recording: &ScenarioRecording<'_>) -> Result<String, String> {
    let mut running = match RunningMatch::start(Arc::clone(program), recording.setup) {
        Ok(Ok(running)) => running,
        Ok(Err(law)) => return Err(law),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = head(program, recording);
    if recording.inputs.is_empty() {
        return Ok(text + "    start:\n");
    }
    text.push_str("    play:\n");
    for input in recording.inputs {
        text.push_str(&format!("      - {}\n        events:\n", step_text(&running, input)));
        running.submit(input).map_err(|trouble| match trouble {
            SubmitError::Refused(refusal) => running.reason(&refusal),
            SubmitError::LawBroken(law) => law,
        })?;
    }
    Ok(text)
}

/// Writes a failing match as one item of a list of scenarios: its last input makes a rule fail, or with
/// `ends`, the match should have ended. Events are not listed.
#[must_use]
pub fn write_failing_scenario(
    program: &Arc<Program>,
    recording: &ScenarioRecording<'_>,
    ends: bool,
) -> String {
    let mut text = head(program, recording);
    let Ok(Ok(mut running)) = RunningMatch::start(Arc::clone(program), recording.setup) else {
        return text + "    start: [...]\n";
    };
    if recording.inputs.is_empty() && !ends {
        return text + "    start: [...]\n";
    }
    text.push_str("    play:\n");
    for input in recording.inputs {
        text.push_str(&format!("      - {}\n", step_text(&running, input)));
        if running.submit(input).is_err() {
            break;
        }
    }
    if ends {
        text.push_str("      - ended: {}\n");
    }
    text
}

/// Writes the part of a scenario before its steps.
fn head(program: &Program, recording: &ScenarioRecording<'_>) -> String {
    let ScenarioRecording { name, seed, setup, .. } = recording;
    let mut text = format!("  - name: {}\n", serde_json::Value::from(*name));
    if *seed != 0 {
        text.push_str(&format!("    seed: {seed}\n"));
    }
    if setup.seats != program.seats.default {
        text.push_str(&format!("    seats: {}\n", setup.seats));
    }
    if !setup.options.is_empty() {
        text.push_str(&format!("    options: {}\n", show(&Datum::Map(setup.options.clone()))));
    }
    text.push_str(&dice(program, setup));
    text
}

fn dice(program: &Program, setup: &Setup) -> String {
    let rolls = setup.script.iter().flat_map(|script| &script.rolls);
    let rolls: Vec<Datum> = rolls
        .map(|(label, faces)| {
            let faces = Datum::List(faces.iter().copied().map(Datum::Int).collect());
            match label {
                Some(label) => Datum::Map(vec![
                    ("for".into(), Datum::text(program.symbol(*label))),
                    ("faces".into(), faces),
                ]),
                None => faces,
            }
        })
        .collect();
    if rolls.is_empty() { String::new() } else { format!("    dice: {}\n", show(&Datum::List(rolls))) }
}

/// Formats an input as a step.
fn step_text(running: &RunningMatch, input: &Input) -> String {
    let open = |seat: Seat| running.pending(seat);
    let seat_of =
        |id| running.game.pending().find(|pending| pending.id() == id).map(|pending| pending.seat());
    match input {
        Input::Answer { seat, answer, .. } => {
            format!("p{}: {}", seat.0, answer_text(running, open(*seat).as_ref(), answer))
        }
        Input::Draft { seat, answer, .. } => {
            format!("draft p{}: {}", seat.0, answer_text(running, open(*seat).as_ref(), answer))
        }
        Input::Timeout { input } => format!("timeout: p{}", seat_of(*input).map_or(0, |seat| seat.0)),
        Input::Leave { seat, cause } => {
            let word = match cause {
                LeaveCause::Disconnect => "leave",
                LeaveCause::Concede => "concede",
                LeaveCause::Kicked => "kick",
                LeaveCause::OutOfTime => "out_of_time",
            };
            format!("{word}: p{}", seat.0)
        }
        Input::AutoPass { seat, until, stops: false } => format!("auto p{}: {}", seat.0, until_name(*until)),
        Input::AutoPass { seat, until, stops: true } => {
            format!("auto p{}: {{until: {}, stack: stop}}", seat.0, until_name(*until))
        }
        Input::Moderate { winners, pot } => {
            let winners: Vec<String> = winners.iter().map(|seat| format!("p{}", seat.0)).collect();
            format!("moderate: {{winners: [{}], pot: {}}}", winners.join(", "), running.program.symbol(*pot))
        }
    }
}

/// Quotes the name, because a bare `off` is a boolean in YAML.
fn until_name(until: PassUntil) -> String {
    serde_json::Value::from(until.name()).to_string()
}

fn answer_text(running: &RunningMatch, pending: Option<&PendingQuestion<'_>>, answer: &Answer) -> String {
    let Some(pending) = pending else { return "pass".to_owned() };
    match answer {
        Answer::Pass => "pass".to_owned(),
        Answer::Picks(picks) => match pending.start_path() {
            Some(mut walk) => {
                let mut steps = Vec::new();
                for pick in picks {
                    let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
                    let shown = options
                        .iter()
                        .map(|option| running.describe_on(walk.board(), *option, pending.choice().item));
                    steps.push(picked(&shown.collect::<Vec<_>>(), *pick));
                    if walk.step(*pick).is_err() {
                        break;
                    }
                }
                format!("[{}]", steps.join(", "))
            }
            None => picks_text(running, pending, pending.options(), picks),
        },
        Answer::Branches(taken) => {
            let mut rest = &taken[..];
            format!("[{}]", level(running, pending, None, &mut rest).join(", "))
        }
    }
}

/// Formats the branches taken below one parent.
fn level(
    running: &RunningMatch,
    pending: &PendingQuestion<'_>,
    parent: Option<u16>,
    rest: &mut &[(u16, Vec<i32>)],
) -> Vec<String> {
    let branches = &pending.choice().branches;
    let mut written = Vec::new();
    while let [(index, picks), after @ ..] = *rest
        && let Some(branch) = branches.get(usize::from(*index))
        && branch.parent == parent
    {
        *rest = after;
        let id = show(&Datum::text(running.program.symbol(branch.id)));
        let options = pending.branch(usize::from(*index)).map_or(&[][..], |offer| offer.options);
        let inner = match branch.inner {
            BranchContent::Branches => {
                format!("[{}]", level(running, pending, Some(*index), rest).join(", "))
            }
            _ if picks.is_empty() => "null".to_owned(),
            _ => picks_text(running, pending, options, picks),
        };
        written.push(format!("{{{id}: {inner}}}"));
    }
    written
}

fn picks_text(
    running: &RunningMatch,
    pending: &PendingQuestion<'_>,
    options: &[Word],
    picks: &[i32],
) -> String {
    let board = running.game.board();
    let shown = options.iter().map(|option| running.describe_on(board, *option, pending.choice().item));
    let shown: Vec<Datum> = shown.collect();
    let picks: Vec<String> = picks.iter().map(|pick| picked(&shown, *pick)).collect();
    format!("[{}]", picks.join(", "))
}

/// Formats an option by its name, or by its number if the name is ambiguous.
fn picked(shown: &[Datum], pick: i32) -> String {
    let Some(option) = usize::try_from(pick).ok().and_then(|pick| shown.get(pick)) else {
        return "null".to_owned();
    };
    let is_one = shown.iter().filter(|other| *other == option).count() == 1;
    match option {
        Datum::List(_) | Datum::Null => format!("\"@{pick}\""),
        option if is_one => show(&offer(option)),
        _ => format!("\"@{pick}\""),
    }
}

/// Shortens an offer: `{action: cast, host: bolt#3, foe: p1}`.
fn offer(option: &Datum) -> Datum {
    let (Some(action), Some(Datum::Map(targets))) = (option.get("action"), option.get("targets")) else {
        return option.clone();
    };
    let host = option.get("host").filter(|host| **host != Datum::Null);
    let mut entries = vec![("action".into(), action.clone())];
    entries.extend(host.map(|host| ("host".into(), host.clone())));
    entries.extend(targets.iter().filter(|(name, _)| name != "action" && name != "host").cloned());
    Datum::Map(entries)
}
