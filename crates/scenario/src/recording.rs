//! A match that was played, written as a scenario. Start with [`write()`].

use std::sync::Arc;

use intermezzo_engine::{Answer, Datum, Input, LeaveCause, PassUntil, Pending, Setup};
use intermezzo_ruleset::{Inner, Program, Seat, Word};

use crate::table::{Table, Trouble};
use crate::values::show;

/// What a scenario says about a match besides its inputs.
#[derive(Clone, Debug)]
pub struct Recording<'a> {
    /// What the scenario is called.
    pub name: &'a str,
    /// The number its seed was made from.
    pub seed: u64,
    /// What the match began with; its dice are written down.
    pub setup: &'a Setup,
    /// Everything that was sent, in order.
    pub inputs: &'a [Input],
}

/// Writes a match as one item of a list of scenarios. Its listings of events are empty: a blessing fills them in.
///
/// # Errors
///
/// If the match does not begin like that, or refuses an input.
pub fn write(program: &Arc<Program>, recording: &Recording<'_>) -> Result<String, String> {
    let mut table = match Table::start(Arc::clone(program), recording.setup) {
        Ok(Ok(table)) => table,
        Ok(Err(law)) => return Err(law),
        Err(error) => return Err(error.to_string()),
    };
    let mut text = head(program, recording);
    if recording.inputs.is_empty() {
        return Ok(text + "    start:\n");
    }
    text.push_str("    play:\n");
    for input in recording.inputs {
        text.push_str(&format!("      - {}\n        events:\n", sent(&table, input)));
        table.submit(input).map_err(|trouble| match trouble {
            Trouble::Refused(refusal) => table.reason(&refusal),
            Trouble::LawBroken(law) => law,
        })?;
    }
    Ok(text)
}

/// Writes a match that goes wrong as one item of a list of scenarios: its last input makes a rule fail, or it should have
/// ended and has not (`ends`). Events are not listed; it is not about them.
#[must_use]
pub fn write_find(program: &Arc<Program>, recording: &Recording<'_>, ends: bool) -> String {
    let mut text = head(program, recording);
    let Ok(Ok(mut table)) = Table::start(Arc::clone(program), recording.setup) else {
        return text + "    start: [...]\n";
    };
    if recording.inputs.is_empty() && !ends {
        return text + "    start: [...]\n";
    }
    text.push_str("    play:\n");
    for input in recording.inputs {
        text.push_str(&format!("      - {}\n", sent(&table, input)));
        if table.submit(input).is_err() {
            break;
        }
    }
    if ends {
        text.push_str("      - ended: {}\n");
    }
    text
}

/// What a scenario says before its steps.
fn head(program: &Program, recording: &Recording<'_>) -> String {
    let Recording { name, seed, setup, .. } = recording;
    let mut text = format!("  - name: {}\n", serde_json::Value::from(*name));
    if *seed != 0 {
        text.push_str(&format!("    seed: {seed}\n"));
    }
    if setup.seats != program.seats.usual {
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

/// An input as a step writes it.
fn sent(table: &Table, input: &Input) -> String {
    let open = |seat: Seat| table.pending(seat);
    let seat_of =
        |id| table.played.pending().find(|pending| pending.id() == id).map(|pending| pending.seat());
    match input {
        Input::Answer { seat, answer, .. } => {
            format!("p{}: {}", seat.0, answered(table, open(*seat).as_ref(), answer))
        }
        Input::Draft { seat, answer, .. } => {
            format!("draft p{}: {}", seat.0, answered(table, open(*seat).as_ref(), answer))
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
            format!("moderate: {{winners: [{}], pot: {}}}", winners.join(", "), table.program.symbol(*pot))
        }
    }
}

/// `off` is no word but a truth to YAML.
fn until_name(until: PassUntil) -> String {
    serde_json::Value::from(until.name()).to_string()
}

fn answered(table: &Table, pending: Option<&Pending<'_>>, answer: &Answer) -> String {
    let Some(pending) = pending else { return "pass".to_owned() };
    match answer {
        Answer::Pass => "pass".to_owned(),
        Answer::Picks(picks) => match pending.walk() {
            Some(mut walk) => {
                let mut steps = Vec::new();
                for pick in picks {
                    let options = walk.options().map(<[Word]>::to_vec).unwrap_or_default();
                    let shown = options
                        .iter()
                        .map(|option| table.describe_on(walk.board(), *option, pending.choice().item));
                    steps.push(picked(&shown.collect::<Vec<_>>(), *pick));
                    if walk.step(*pick).is_err() {
                        break;
                    }
                }
                format!("[{}]", steps.join(", "))
            }
            None => picks_text(table, pending, pending.options(), picks),
        },
        Answer::Branches(taken) => {
            let mut rest = &taken[..];
            format!("[{}]", level(table, pending, None, &mut rest).join(", "))
        }
    }
}

/// What is taken of the branches of one parent.
fn level(
    table: &Table,
    pending: &Pending<'_>,
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
        let id = show(&Datum::text(table.program.symbol(branch.id)));
        let options = pending.branch(usize::from(*index)).map_or(&[][..], |offer| offer.options);
        let inner = match branch.inner {
            Inner::Branches => format!("[{}]", level(table, pending, Some(*index), rest).join(", ")),
            _ if picks.is_empty() => "null".to_owned(),
            _ => picks_text(table, pending, options, picks),
        };
        written.push(format!("{{{id}: {inner}}}"));
    }
    written
}

fn picks_text(table: &Table, pending: &Pending<'_>, options: &[Word], picks: &[i32]) -> String {
    let board = table.played.board();
    let shown = options.iter().map(|option| table.describe_on(board, *option, pending.choice().item));
    let shown: Vec<Datum> = shown.collect();
    let picks: Vec<String> = picks.iter().map(|pick| picked(&shown, *pick)).collect();
    format!("[{}]", picks.join(", "))
}

/// An option by its name, or by its number where another has the same name.
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

/// An offer as short as it can be: `{action: cast, host: bolt#3, foe: p1}`.
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
