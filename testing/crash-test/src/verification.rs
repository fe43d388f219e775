//! Comparison of the clients' journals with the data that the server has stored.

use std::path::Path;

use intermezzo_protocol::text_hash;
use intermezzo_server::Operator;
use intermezzo_test_client::{
    ClientJournal, DeadlineTolerance, ServerDowntime, check_deadlines, compare, step_content,
};
use serde_json::Value;

use crate::http::{self, HttpRequest};
use crate::match_series::PlayedMatch;
use crate::player::ClientTimings;
use crate::report::CrashTestReport;
use crate::server_process::TestEnvironment;

/// Tolerance for the deadlines of a single server. Two processes read the clock at different moments, busy cores cause
/// delays, and a server does not know exactly when it was killed.
pub(crate) const SINGLE_SERVER: DeadlineTolerance =
    DeadlineTolerance { early: 5, late: 2_500, late_per_kill: 1_100 };

/// Checks a match that is over through the HTTP API: its events for every client, and its match file.
pub(crate) async fn check_over_http(
    environment: &TestEnvironment,
    played: &PlayedMatch,
    report: &mut CrashTestReport,
) {
    report.reconnects.extend(played.timings.iter().flat_map(|timings| timings.reconnects.iter().copied()));
    for (place, journal) in played.journals.iter().enumerate() {
        let seen = (journal, played.timings.get(place));
        if let Err(fault) = compare_stream(environment, played, seen, report).await {
            report.add_problem(fault);
        }
    }
    if let Err(fault) = verify(environment, played, report).await {
        report.add_problem(fault);
    }
}

/// Checks that the record holds every version once, with the content that the client received.
async fn compare_stream(
    environment: &TestEnvironment,
    played: &PlayedMatch,
    (journal, timings): (&ClientJournal, Option<&ClientTimings>),
    report: &mut CrashTestReport,
) -> Result<(), String> {
    let token = played.accounts.iter().find(|account| account.account == journal.account);
    let token = token.map_or("", |account| account.token.as_str());
    let path = format!("/matches/{}/events?since=0&limit=10000&seat={}", journal.match_id, journal.seat);
    let past = http::json(&environment.addresses, &HttpRequest::get(&path, token)).await?;
    let steps = past["items"].as_array().map_or(&[][..], Vec::as_slice);
    let (id, seat) = (&journal.match_id, journal.seat);
    for (version, step) in (1..).zip(steps) {
        if step["version"].as_u64() != Some(version) {
            report.add_problem(format!("match {id} seat {seat}: the record lacks version {version}"));
        }
        let seen = journal.stream.get(&version);
        if seen.is_some_and(|seen| *seen != text_hash(&step_content(step))) {
            report.add_problem(format!(
                "match {id} seat {seat}: version {version} differs from what the client received"
            ));
        }
    }
    if let Some(timings) = timings {
        let at = |step: &Value| Some((step["version"].as_u64()?, step["atMs"].as_i64()?));
        let delays = steps
            .iter()
            .filter_map(at)
            .filter_map(|(version, at)| Some(timings.received_at.get(&version)? - at));
        report.delivery_ms.extend(delays.map(|ms| u64::try_from(ms).unwrap_or(0)));
    }
    let last = journal.stream.last_key_value().map_or(0, |(version, _)| *version);
    // A client that was away for long receives the last version as a whole view.
    let last = last.max(journal.since().unwrap_or(0));
    if last > 0 && last != steps.len() as u64 {
        report.add_problem(format!(
            "match {id} seat {seat}: {last} versions were received, the record has {}",
            steps.len()
        ));
    }
    report.streams += 1;
    Ok(())
}

/// Verifies the match file with the program.
async fn verify(
    environment: &TestEnvironment,
    played: &PlayedMatch,
    report: &mut CrashTestReport,
) -> Result<(), String> {
    let token = played.accounts.first().map_or("", |account| account.token.as_str());
    let path = format!("/matches/{}/log", played.match_id);
    let file = match http::call(&environment.addresses, &HttpRequest::get(&path, token)).await {
        Ok(file) => file,
        Err(refusal) if refusal.contains("stays_hidden") => return Ok(()),
        Err(fault) => return Err(fault),
    };
    let saved = environment.folder.join("match.json");
    std::fs::write(&saved, file).map_err(|error| error.to_string())?;
    let is_right = environment.run_succeeds(&["verify", &saved.to_string_lossy()]);
    match is_right.map_err(|error| error.to_string())? {
        true => report.verified += 1,
        false => report.add_problem(format!(
            "the match file of {} ({}) does not verify",
            played.match_id, played.ruleset
        )),
    }
    Ok(())
}

/// Checks the rows of a match: every command once, every deadline once and in time.
pub(crate) fn check_rows(
    operator: &Operator,
    played: &PlayedMatch,
    (downtime, tolerance): (&ServerDowntime, DeadlineTolerance),
    report: &mut CrashTestReport,
) {
    report.found.problems.extend(played.problems.iter().cloned());
    if played.match_id.is_empty() {
        return;
    }
    let rows = match operator.rows(&played.match_id) {
        Ok(rows) => rows,
        Err(problem) => {
            return report.add_problem(format!("match {} ({}): {problem}", played.match_id, played.ruleset));
        }
    };
    report.rows += rows.len();
    report.matches += usize::from(rows.last().is_some_and(|row| row.is_over));
    compare(&played.match_id, &played.journals, &rows, &mut report.found);
    check_deadlines((&played.match_id, played.bank_ms), &rows, downtime, tolerance, &mut report.found);
}

/// Reads from the server's log when it could not take answers, beyond what the test did to it.
pub(crate) fn read_reported_stops(log: &Path, downtime: &ServerDowntime, report: &mut CrashTestReport) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let field = |line: &str, name: &str| {
        let value = line.split(&format!(" {name}=")).nth(1)?;
        value.split(' ').next()?.trim().parse::<i64>().ok()
    };
    for line in text.lines().filter(|line| line.contains("could not take answers")) {
        if let Some((ms, until)) = field(line, "ms").zip(field(line, "until")) {
            report.reported_stop_ms.push(ms);
            downtime.add_reported(until - ms, until);
        }
    }
}

/// Reports errors and panics in the server's log.
pub(crate) fn check_server_log(log: &Path, report: &mut CrashTestReport) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let is_bad = |line: &&str| line.contains("ERROR") || line.contains("panicked");
    text.lines().filter(is_bad).for_each(|line| report.add_problem(format!("the server logged: {line}")));
}

/// Reports errors in the log of several servers. Their database is down now and then, so only errors count that must
/// never occur.
pub(crate) fn check_cluster_log(log: &Path, report: &mut CrashTestReport) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let is_bad = |line: &&str| {
        ["panicked", "cannot be rebuilt", "request handler failed", "ledger does not add up"]
            .iter()
            .any(|bad| line.contains(bad))
    };
    text.lines().filter(is_bad).for_each(|line| report.add_problem(format!("a server logged: {line}")));
}

/// Returns the text of a field.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
