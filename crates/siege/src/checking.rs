//! What clients have seen against what the server has kept.

use std::collections::BTreeMap;
use std::path::Path;

use intermezzo_protocol::text_hash;
use intermezzo_server::{Operator, RowInfo, command_digest};
use serde_json::Value;

use crate::deadlines;
use crate::fortress::{Absences, Fortress};
use crate::http::{self, Request};
use crate::journal::{Answer, Journal, Sent};
use crate::player::step_content;
use crate::report::Report;
use crate::table::Played;

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
    report.faults.extend(played.faults.iter().cloned());
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
    check_order(played, &rows, report);
    let mut by_command: BTreeMap<u64, Vec<&RowInfo>> = BTreeMap::new();
    rows.iter()
        .filter(|row| row.command != 0)
        .for_each(|row| by_command.entry(row.command).or_default().push(row));
    for journal in &played.journals {
        add_up(journal, report);
        for (id, sent) in &journal.commands {
            let account = u128::from_str_radix(&journal.account, 16).unwrap_or(0);
            let found = by_command.remove(&command_digest(account, Some(journal.seat), id));
            check_command(journal, (id, sent), &found.unwrap_or_default(), report);
        }
    }
    for rows in by_command.values().filter(|_| !played.journals.is_empty()) {
        report
            .fault(format!("match {}: row {} holds a command nobody sent", played.match_id, rows[0].version));
    }
    deadlines::check(played, &rows, absences, report);
}

fn add_up(journal: &Journal, report: &mut Report) {
    report.reopened += journal.reopened;
    report.connections += journal.connections;
    report.gaps += journal.gaps;
    report.repeats += journal.repeats;
    report.commands += journal.commands.len();
    report.retried += journal.commands.values().filter(|sent| sent.times > 1).count();
    report.faults.extend(journal.faults.iter().cloned());
}

/// Time goes forward, and nothing comes after the end.
fn check_order(played: &Played, rows: &[RowInfo], report: &mut Report) {
    for pair in rows.windows(2) {
        let id = &played.match_id;
        if pair[0].is_over {
            report.fault(format!("match {id}: row {} comes after the end", pair[1].version));
        }
        if pair[1].at_ms < pair[0].at_ms {
            report.fault(format!("match {id}: row {} is older than the one before it", pair[1].version));
        }
    }
}

fn check_command(journal: &Journal, (id, sent): (&String, &Sent), found: &[&RowInfo], report: &mut Report) {
    let name = format!("match {} seat {}: command {id}", journal.match_id, journal.seat);
    if found.len() > 1 {
        report.doubled += 1;
        report.fault(format!("{name} was taken {} times", found.len()));
    }
    match (&sent.answer, found.first()) {
        (Some(Answer::Taken(version)), Some(row)) => {
            report.acknowledged += 1;
            let seen = row.seen.get(usize::from(journal.seat));
            if seen != Some(version) {
                report.fault(format!("{name} was acknowledged at version {version}, but led to {seen:?}"));
            }
        }
        (Some(Answer::Taken(_)), None) => {
            report.acknowledged += 1;
            report.lost += 1;
            report.fault(format!("{name} was acknowledged and is lost"));
        }
        (Some(Answer::Refused(code)), row) => {
            *report.refused.entry(code.clone()).or_default() += 1;
            if row.is_some() {
                report.fault(format!("{name} was refused ({code}) and is there"));
            }
        }
        (None, _) => report.fault(format!("{name} was never answered")),
    }
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
