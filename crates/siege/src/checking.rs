//! What clients have seen against what the server has kept.

use std::path::Path;

use intermezzo_client::{Absences, Journal, Patience, check_deadlines, compare, step_content};
use intermezzo_protocol::text_hash;
use intermezzo_server::Operator;
use serde_json::Value;

use crate::fortress::Ground;
use crate::http::{self, Request};
use crate::player::Notes;
use crate::report::Report;
use crate::table::Played;

/// Clocks of two processes are read at different moments, two busy cores take their time, and a server does not know to
/// the moment when it was killed.
pub(crate) const ALONE: Patience = Patience { early: 5, late: 2_500, late_per_kill: 1_100 };

/// Looks at what the server says about a match that is over: its events for every client, and its match file.
pub(crate) async fn over_http(ground: &Ground, played: &Played, report: &mut Report) {
    report.returns.extend(played.notes.iter().flat_map(|notes| notes.returns.iter().copied()));
    for (place, journal) in played.journals.iter().enumerate() {
        let seen = (journal, played.notes.get(place));
        if let Err(fault) = compare_stream(ground, played, seen, report).await {
            report.fault(fault);
        }
    }
    if let Err(fault) = verify(ground, played, report).await {
        report.fault(fault);
    }
}

/// Every version there is, each once, and as the client saw it.
async fn compare_stream(
    ground: &Ground,
    played: &Played,
    (journal, notes): (&Journal, Option<&Notes>),
    report: &mut Report,
) -> Result<(), String> {
    let token = played.guests.iter().find(|guest| guest.account == journal.account);
    let token = token.map_or("", |guest| guest.token.as_str());
    let path = format!("/matches/{}/events?since=0&limit=10000&seat={}", journal.match_id, journal.seat);
    let past = http::json(&ground.doors, &Request::get(&path, token)).await?;
    let steps = past["items"].as_array().map_or(&[][..], Vec::as_slice);
    let (id, seat) = (&journal.match_id, journal.seat);
    for (version, step) in (1..).zip(steps) {
        if step["version"].as_u64() != Some(version) {
            report.fault(format!("match {id} seat {seat}: the record has no version {version} in its place"));
        }
        let seen = journal.stream.get(&version);
        if seen.is_some_and(|seen| *seen != text_hash(&step_content(step))) {
            report.fault(format!(
                "match {id} seat {seat}: version {version} was something else for the client"
            ));
        }
    }
    if let Some(notes) = notes {
        let at = |step: &Value| Some((step["version"].as_u64()?, step["atMs"].as_i64()?));
        let heard =
            steps.iter().filter_map(at).filter_map(|(version, at)| Some(notes.heard_at.get(&version)? - at));
        report.heard_after.extend(heard.map(|ms| u64::try_from(ms).unwrap_or(0)));
    }
    let last = journal.stream.last_key_value().map_or(0, |(version, _)| *version);
    if last > 0 && last != steps.len() as u64 {
        report.fault(format!("match {id} seat {seat}: {last} versions were seen, there are {}", steps.len()));
    }
    report.streams += 1;
    Ok(())
}

/// The match file, run again by the program.
async fn verify(ground: &Ground, played: &Played, report: &mut Report) -> Result<(), String> {
    let token = played.guests.first().map_or("", |guest| guest.token.as_str());
    let path = format!("/matches/{}/log", played.match_id);
    let file = match http::call(&ground.doors, &Request::get(&path, token)).await {
        Ok(file) => file,
        Err(refusal) if refusal.contains("stays_hidden") => return Ok(()),
        Err(fault) => return Err(fault),
    };
    let saved = ground.folder.join("match.json");
    std::fs::write(&saved, file).map_err(|error| error.to_string())?;
    let is_right = ground.says_yes(&["verify", &saved.to_string_lossy()]);
    match is_right.map_err(|error| error.to_string())? {
        true => report.verified += 1,
        false => report
            .fault(format!("the match file of {} ({}) does not verify", played.match_id, played.ruleset)),
    }
    Ok(())
}

/// Looks at the rows of a match: every command once, every deadline once and in time.
pub(crate) fn with_rows(
    operator: &Operator,
    played: &Played,
    (absences, patience): (&Absences, Patience),
    report: &mut Report,
) {
    report.found.faults.extend(played.faults.iter().cloned());
    if played.match_id.is_empty() {
        return;
    }
    let rows = match operator.rows(&played.match_id) {
        Ok(rows) => rows,
        Err(problem) => {
            return report.fault(format!("match {} ({}): {problem}", played.match_id, played.ruleset));
        }
    };
    report.rows += rows.len();
    report.matches += usize::from(rows.last().is_some_and(|row| row.is_over));
    compare(&played.match_id, &played.journals, &rows, &mut report.found);
    check_deadlines((&played.match_id, played.bank_ms), &rows, absences, patience, &mut report.found);
}

/// What the server itself thinks went wrong.
pub(crate) fn server_log(log: &Path, report: &mut Report) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let is_bad = |line: &&str| line.contains("ERROR") || line.contains("panicked");
    text.lines().filter(is_bad).for_each(|line| report.fault(format!("the server says: {line}")));
}

/// The same of several servers, whose database is away now and then: only what must never be counts.
pub(crate) fn servers_log(log: &Path, report: &mut Report) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let is_bad = |line: &&str| {
        ["panicked", "cannot be rebuilt", "has failed", "wrong with the house"]
            .iter()
            .any(|bad| line.contains(bad))
    };
    text.lines().filter(is_bad).for_each(|line| report.fault(format!("a server says: {line}")));
}

/// The text of a field, for messages and look-ups.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
