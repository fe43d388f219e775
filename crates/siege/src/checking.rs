//! What clients have seen against what the server has kept.

use std::path::Path;

use intermezzo_client::{Absences, Journal, Patience, check_deadlines, compare, step_content};
use intermezzo_protocol::text_hash;
use intermezzo_server::Operator;
use serde_json::Value;

use crate::fortress::Fortress;
use crate::http::{self, Request};
use crate::report::Report;
use crate::table::Played;

/// Clocks of two processes are read at different moments, two busy cores take their time, and a server does not know to
/// the moment when it was killed.
const PATIENCE: Patience = Patience { early: 5, late: 2_500, late_per_kill: 1_100 };

/// Looks at what the server says about a match that is over: its events for every client, and its match file.
pub(crate) async fn over_http(fortress: &Fortress, played: &Played, report: &mut Report) {
    for journal in &played.journals {
        if let Err(fault) = compare_stream(fortress, played, journal, report).await {
            report.fault(fault);
        }
    }
    if let Err(fault) = verify(fortress, played, report).await {
        report.fault(fault);
    }
}

/// Every version there is, each once, and as the client saw it.
async fn compare_stream(
    fortress: &Fortress,
    played: &Played,
    journal: &Journal,
    report: &mut Report,
) -> Result<(), String> {
    let token = played.guests.iter().find(|guest| guest.account == journal.account);
    let token = token.map_or("", |guest| guest.token.as_str());
    let path = format!("/matches/{}/events?since=0&limit=10000&seat={}", journal.match_id, journal.seat);
    let past = http::json(fortress.address, &Request::get(&path, token)).await?;
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
    let last = journal.stream.last_key_value().map_or(0, |(version, _)| *version);
    if last > 0 && last != steps.len() as u64 {
        report.fault(format!("match {id} seat {seat}: {last} versions were seen, there are {}", steps.len()));
    }
    report.streams += 1;
    Ok(())
}

/// The match file, run again by the program.
async fn verify(fortress: &Fortress, played: &Played, report: &mut Report) -> Result<(), String> {
    let token = played.guests.first().map_or("", |guest| guest.token.as_str());
    let path = format!("/matches/{}/log", played.match_id);
    let file = match http::call(fortress.address, &Request::get(&path, token)).await {
        Ok(file) => file,
        Err(refusal) if refusal.contains("stays_hidden") => return Ok(()),
        Err(fault) => return Err(fault),
    };
    let saved = fortress.data().join("../match.json");
    std::fs::write(&saved, file).map_err(|error| error.to_string())?;
    let is_right = fortress.says_yes(&["verify", &saved.to_string_lossy()]);
    match is_right.map_err(|error| error.to_string())? {
        true => report.verified += 1,
        false => report
            .fault(format!("the match file of {} ({}) does not verify", played.match_id, played.ruleset)),
    }
    Ok(())
}

/// Looks at the rows of a match: every command once, every deadline once and in time.
pub(crate) fn with_rows(operator: &Operator, played: &Played, absences: &Absences, report: &mut Report) {
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
    check_deadlines((&played.match_id, played.bank_ms), &rows, absences, PATIENCE, &mut report.found);
}

/// What the server itself thinks went wrong.
pub(crate) fn server_log(log: &Path, report: &mut Report) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let is_bad = |line: &&str| line.contains("ERROR") || line.contains("panicked");
    text.lines().filter(is_bad).for_each(|line| report.fault(format!("the server says: {line}")));
}

/// The text of a field, for messages and look-ups.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
