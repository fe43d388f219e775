//! Comparison of the players' journals with the stored rows, after the simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_protocol::resources::{MatchStatus, TransferInfo};
use intermezzo_server::{Node, ReplayAudit, RowInfo, without_times};
use intermezzo_services::MatchRecord;
use intermezzo_store::{MatchId, Store as _, prefix};
use intermezzo_test_client::{ClientFindings, ClientJournal, DeadlineTolerance, check_deadlines, compare};

use crate::journal::{MatchJournal, ReceivedFrame, RefusedCommand};
use crate::nodes::NodeSet;
use crate::simulator::Simulation;

/// Tolerance for deadlines. In virtual time they are never early; [`check_lateness`] checks how late they are.
const TOLERANCE: DeadlineTolerance = DeadlineTolerance { early: 0, late: i64::MAX / 2, late_per_kill: 0 };
/// Time after the faults have stopped from which questions must close in time, in milliseconds.
const SETTLED: i64 = 30_000;
/// Longest time until such a question closes after its deadline, in milliseconds.
const LATE: i64 = 3_000;
/// Margin around a connection in which the server may not know of it yet, in milliseconds.
const PRESENCE_MARGIN_MS: i64 = 1_000;

/// Compares everything, and records each mismatch as a problem of the simulation.
pub(crate) async fn check(
    node_set: &Arc<NodeSet>,
    node: &Node,
    match_journals: Vec<MatchJournal>,
    fault_free_at: i64,
) -> VerificationSummary {
    let sim = &node_set.sim;
    let mut checked = VerificationSummary::default();
    let mut by_match: BTreeMap<MatchId, Vec<MatchJournal>> = BTreeMap::new();
    match_journals
        .into_iter()
        .for_each(|match_journal| by_match.entry(match_journal.match_id).or_default().push(match_journal));
    let paid = transfers(node_set).await;
    for record in records(node_set).await {
        let match_journals = by_match.remove(&record.id).unwrap_or_default();
        let people = record.seats.iter().filter(|seat| seat.account.is_some()).count();
        if record.status == MatchStatus::Cancelled || record.status == MatchStatus::Open {
            continue;
        }
        if match_journals.len() != people {
            sim.add_problem(format!(
                "match {}: only {} of {people} players know of it",
                record.id,
                match_journals.len()
            ));
        }
        if record.status != MatchStatus::Ended {
            sim.add_problem(format!("match {} is still under way", record.id));
        }
        check_money(sim, &record, paid.get(&record.id.to_string()).copied().unwrap_or_default());
        let inspection = match node.audit_match(record.id).await {
            Ok(inspection) => inspection,
            Err(problem) => {
                sim.add_problem(format!("match {} cannot be audited: {problem}", record.id));
                continue;
            }
        };
        checked.matches += 1;
        checked.rows += inspection.rows.len();
        check_match(node_set, &record, &inspection, match_journals, fault_free_at, &mut checked.found);
    }
    match node.services().audit_ledger().await {
        Ok(audit) => {
            audit
                .mismatches
                .iter()
                .for_each(|mismatch| sim.add_problem(format!("ledger mismatch: {mismatch:?}")));
        }
        Err(problem) => sim.add_problem(format!("the ledger cannot be read: {problem}")),
    }
    checked.found.problems.drain(..).for_each(|fault| sim.add_problem(fault));
    checked
}

/// Number of matches and rows compared, and the findings.
#[derive(Debug, Default)]
pub(crate) struct VerificationSummary {
    pub(crate) matches: usize,
    pub(crate) rows: usize,
    pub(crate) found: ClientFindings,
}

async fn records(node_set: &NodeSet) -> Vec<MatchRecord> {
    let found = node_set.backing.scan(prefix("match/"), usize::MAX, false).await.unwrap_or_default();
    found.iter().filter_map(|(_, record)| serde_json::from_slice(&record.value).ok()).collect()
}

/// Returns the amounts that were paid into and out of each match.
async fn transfers(node_set: &NodeSet) -> BTreeMap<String, (i64, i64)> {
    let found = node_set.backing.scan(prefix("transfer/"), usize::MAX, false).await.unwrap_or_default();
    let mut paid: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for (_, record) in &found {
        let Ok(transfer) = serde_json::from_slice::<TransferInfo>(&record.value) else { continue };
        let Some(match_id) = transfer.match_id else { continue };
        let both = paid.entry(match_id).or_default();
        if transfer.to.starts_with("escrow:") {
            both.0 += transfer.amount;
        } else {
            both.1 += transfer.amount;
        }
    }
    paid
}

/// Checks that everyone has paid once, and that the pot was paid out once.
fn check_money(sim: &Simulation, record: &MatchRecord, (paid_in, paid_out): (i64, i64)) {
    let entry = record.stake.as_ref().map_or(0, |stake| stake.entry);
    let due = entry * record.seats.len() as i64;
    if paid_in != due || paid_out != due {
        sim.add_problem(format!("match {}: {due} due, {paid_in} paid in, {paid_out} paid out", record.id));
    }
}

fn check_match(
    node_set: &NodeSet,
    record: &MatchRecord,
    inspection: &ReplayAudit,
    match_journals: Vec<MatchJournal>,
    fault_free_at: i64,
    found: &mut ClientFindings,
) {
    let (id, rows) = (record.id.to_string(), &inspection.rows);
    let ends = rows.iter().filter(|row| row.is_over).count();
    if ends != 1 {
        found.add_problem(format!("match {id} has {ends} final rows"));
    }
    check_lateness(&id, rows, fault_free_at, found);
    for match_journal in &match_journals {
        check_received(match_journal, inspection, found);
        check_presence(match_journal, rows, found);
        match_journal
            .refusals
            .iter()
            .for_each(|refused| check_refusal(match_journal, refused, inspection, found));
    }
    let journals: Vec<ClientJournal> =
        match_journals.into_iter().map(|match_journal| match_journal.journal).collect();
    compare(&id, &journals, rows, found);
    let bank = (record.ruleset.id == "relay").then_some(8_000);
    check_deadlines((&id, bank), rows, &node_set.downtime, TOLERANCE, found);
}

/// Checks that questions close in time after faults have stopped, even if nobody is connected.
fn check_lateness(id: &str, rows: &[RowInfo], fault_free_at: i64, found: &mut ClientFindings) {
    let mut open = BTreeMap::new();
    for row in rows {
        for input in &row.closed {
            let Some((since, limit)) = open.remove(input) else { continue };
            let after = row.at_ms - (since + limit);
            if since > fault_free_at + SETTLED && after > LATE {
                found.add_problem(format!(
                    "match {id}: question {input} stayed open for {after} ms after its deadline"
                ));
            }
        }
        let limited = row.opened.iter().filter_map(|asked| Some((asked.input, asked.deadline_ms?)));
        open.extend(limited.map(|(input, limit)| (input, (row.at_ms, limit))));
    }
}

/// Checks that a player received exactly what the rows say.
fn check_received(match_journal: &MatchJournal, inspection: &ReplayAudit, found: &mut ClientFindings) {
    let (id, seat) = (&match_journal.journal.match_id, match_journal.journal.seat);
    let Some(told) = inspection.seat_updates.get(usize::from(seat)) else { return };
    for received in &match_journal.received {
        let (version, is_right) = match received {
            ReceivedFrame::Step { version, text } => {
                (version, told.get(version).is_some_and(|told| told.frames.contains(text)))
            }
            ReceivedFrame::Questions { version, text } => {
                let is_right = |told: &intermezzo_server::SeatUpdate| {
                    without_times(text).is_some_and(|questions| told.prompts.contains(&questions))
                };
                (version, told.get(version).is_some_and(is_right))
            }
            ReceivedFrame::View { version, hash } => {
                (version, told.get(version).is_some_and(|told| told.hash == *hash))
            }
        };
        if !is_right {
            let what = format!("{received:?}");
            let what: String = what.chars().take(300).collect();
            found.add_problem(format!(
                "match {id} seat {seat}: version {version} differs from the rows: {what}"
            ));
        }
    }
}

/// Checks that no connected player was treated as absent.
fn check_presence(match_journal: &MatchJournal, rows: &[RowInfo], found: &mut ClientFindings) {
    let seat = match_journal.journal.seat;
    let gone =
        rows.iter().filter(|row| row.step == "leave" && row.sender.is_none() && row.seat == Some(seat));
    // A `leave` row with a sender is not about absence.
    for row in gone {
        let is_there = |(from, until): &&(i64, i64)| {
            from + PRESENCE_MARGIN_MS < row.at_ms && row.at_ms + PRESENCE_MARGIN_MS < *until
        };
        if match_journal.connected.iter().any(|connected| is_there(&connected)) {
            let id = &match_journal.journal.match_id;
            found.add_problem(format!(
                "match {id} seat {seat}: was connected but counted as absent in row {}",
                row.version
            ));
        }
    }
}

/// Checks that a refusal was right at some moment between sending the command and receiving the refusal.
fn check_refusal(
    match_journal: &MatchJournal,
    refused: &RefusedCommand,
    inspection: &ReplayAudit,
    found: &mut ClientFindings,
) {
    let seat = match_journal.journal.seat;
    let RefusedCommand { id, frame, code, from, until } = refused;
    let is_true = (*from.max(&1)..=*until).any(|rows| {
        let refusal = inspection.refusal_code(rows, seat, frame);
        refusal.is_ok_and(|refusal| refusal.is_some_and(|would| would == code))
    });
    if !is_true {
        found.add_problem(format!(
            "match {} seat {seat}: command {id} was refused ({code}), but is acceptable from row {from} to {until}: {frame}",
            match_journal.journal.match_id
        ));
    }
}
