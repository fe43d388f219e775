//! What players have seen against what is stored, after the storm.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_client::{Findings, Journal, Patience, check_deadlines, compare};
use intermezzo_protocol::resources::{MatchStatus, TransferInfo};
use intermezzo_server::house::MatchRecord;
use intermezzo_server::{Inspection, Node, RowInfo, timeless};
use intermezzo_store::{MatchId, Store as _, prefix};

use crate::diary::{Diary, Heard, Refused};
use crate::fleet::Fleet;
use crate::world::World;

/// By their own times, deadlines are never early. How late they may be is looked at in [`check_lateness`].
const PATIENCE: Patience = Patience { early: 0, late: i64::MAX / 2, late_per_kill: 0 };
/// Questions that are asked so long after the storm have no excuse any more, in milliseconds.
const SETTLED: i64 = 30_000;
/// So long after its time such a question is closed at the latest.
const LATE: i64 = 3_000;
/// Who was connected for so long cannot have been missed, in milliseconds: what the node knew of it took its time.
const MISSED: i64 = 1_000;

/// Compares everything; what is wrong is told to the world.
pub(crate) async fn check(fleet: &Arc<Fleet>, node: &Node, diaries: Vec<Diary>, calm_at: i64) -> Checked {
    let world = &fleet.world;
    let mut checked = Checked::default();
    let mut by_match: BTreeMap<MatchId, Vec<Diary>> = BTreeMap::new();
    diaries.into_iter().for_each(|diary| by_match.entry(diary.match_id).or_default().push(diary));
    let paid = transfers(fleet).await;
    for record in records(fleet).await {
        let diaries = by_match.remove(&record.id).unwrap_or_default();
        let people = record.seats.iter().filter(|seat| seat.account.is_some()).count();
        if record.status == MatchStatus::Cancelled || record.status == MatchStatus::Open {
            continue;
        }
        if diaries.len() != people {
            world.wrong(format!("match {}: {} of {people} players know of it", record.id, diaries.len()));
        }
        if record.status != MatchStatus::Ended {
            world.wrong(format!("match {} is still under way", record.id));
        }
        check_money(world, &record, paid.get(&record.id.to_string()).copied().unwrap_or_default());
        let inspection = match node.inspect(record.id).await {
            Ok(inspection) => inspection,
            Err(problem) => {
                world.wrong(format!("match {} cannot be gone through: {problem}", record.id));
                continue;
            }
        };
        checked.matches += 1;
        checked.rows += inspection.rows.len();
        check_match(fleet, &record, &inspection, diaries, calm_at, &mut checked.found);
    }
    match node.house().audit().await {
        Ok(audit) => {
            audit.mismatches.iter().for_each(|mismatch| world.wrong(format!("the books: {mismatch:?}")));
        }
        Err(problem) => world.wrong(format!("the books cannot be read: {problem}")),
    }
    checked.found.faults.drain(..).for_each(|fault| world.wrong(fault));
    checked
}

/// What was compared.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) matches: usize,
    pub(crate) rows: usize,
    pub(crate) found: Findings,
}

async fn records(fleet: &Fleet) -> Vec<MatchRecord> {
    let found = fleet.truth.scan(prefix("match/"), usize::MAX, false).await.unwrap_or_default();
    found.iter().filter_map(|(_, record)| serde_json::from_slice(&record.value).ok()).collect()
}

/// What was paid into each match, out of it, and how often it was settled.
async fn transfers(fleet: &Fleet) -> BTreeMap<String, (i64, i64)> {
    let found = fleet.truth.scan(prefix("transfer/"), usize::MAX, false).await.unwrap_or_default();
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

/// Everyone has paid once, and the pot is gone once.
fn check_money(world: &World, record: &MatchRecord, (paid_in, paid_out): (i64, i64)) {
    let entry = record.stake.as_ref().map_or(0, |stake| stake.entry);
    let due = entry * record.seats.len() as i64;
    if paid_in != due || paid_out != due {
        world.wrong(format!("match {}: {due} were due, {paid_in} paid in, {paid_out} out", record.id));
    }
}

fn check_match(
    fleet: &Fleet,
    record: &MatchRecord,
    inspection: &Inspection,
    diaries: Vec<Diary>,
    calm_at: i64,
    found: &mut Findings,
) {
    let (id, rows) = (record.id.to_string(), &inspection.rows);
    let ends = rows.iter().filter(|row| row.is_over).count();
    if ends != 1 {
        found.fault(format!("match {id} has {ends} rows in which it is over"));
    }
    check_lateness(&id, rows, calm_at, found);
    for diary in &diaries {
        check_heard(diary, inspection, found);
        check_presence(diary, rows, found);
        diary.refusals.iter().for_each(|refused| check_refusal(diary, refused, inspection, found));
    }
    let journals: Vec<Journal> = diaries.into_iter().map(|diary| diary.journal).collect();
    compare(&id, &journals, rows, found);
    let bank = (record.ruleset.id == "relay").then_some(8_000);
    check_deadlines((&id, bank), rows, &fleet.absences, PATIENCE, found);
}

/// After the storm, every question is closed in time, even if nobody looks at the match.
fn check_lateness(id: &str, rows: &[RowInfo], calm_at: i64, found: &mut Findings) {
    let mut open = BTreeMap::new();
    for row in rows {
        for input in &row.closed {
            let Some((since, limit)) = open.remove(input) else { continue };
            let after = row.at_ms - (since + limit);
            if since > calm_at + SETTLED && after > LATE {
                found.fault(format!("match {id}: question {input} was open for {after} ms after its time"));
            }
        }
        let limited = row.opened.iter().filter_map(|asked| Some((asked.input, asked.deadline_ms?)));
        open.extend(limited.map(|(input, limit)| (input, (row.at_ms, limit))));
    }
}

/// Nothing was heard but what the rows say: no more, and nothing else.
fn check_heard(diary: &Diary, inspection: &Inspection, found: &mut Findings) {
    let (id, seat) = (&diary.journal.match_id, diary.journal.seat);
    let Some(told) = inspection.told.get(usize::from(seat)) else { return };
    for heard in &diary.heard {
        let (version, is_right) = match heard {
            Heard::Step { version, text } => {
                (version, told.get(version).is_some_and(|told| told.frames.contains(text)))
            }
            Heard::Questions { version, text } => {
                let is_right = |told: &intermezzo_server::Told| {
                    timeless(text).is_some_and(|questions| told.questions.contains(&questions))
                };
                (version, told.get(version).is_some_and(is_right))
            }
            Heard::View { version, hash } => {
                (version, told.get(version).is_some_and(|told| told.hash == *hash))
            }
        };
        if !is_right {
            let what = format!("{heard:?}");
            let what: String = what.chars().take(300).collect();
            found
                .fault(format!("match {id} seat {seat}: version {version} is not what the rows say: {what}"));
        }
    }
}

/// Nobody who is connected is missed.
fn check_presence(diary: &Diary, rows: &[RowInfo], found: &mut Findings) {
    let seat = diary.journal.seat;
    let gone =
        rows.iter().filter(|row| row.step == "leave" && row.sender.is_none() && row.seat == Some(seat));
    // Banks run out for those who are connected, too.
    for row in gone {
        let is_there = |(from, until): &&(i64, i64)| from + MISSED < row.at_ms && row.at_ms + MISSED < *until;
        if diary.connected.iter().any(|connected| is_there(&connected)) {
            let id = &diary.journal.match_id;
            found
                .fault(format!("match {id} seat {seat}: was connected and is missed in row {}", row.version));
        }
    }
}

/// What was refused would have been refused at some moment between sending it and hearing of it.
fn check_refusal(diary: &Diary, refused: &Refused, inspection: &Inspection, found: &mut Findings) {
    let seat = diary.journal.seat;
    let Refused { id, frame, code, from, until } = refused;
    let is_true = (*from.max(&1)..=*until).any(|rows| {
        let refusal = inspection.refusal(rows, seat, frame);
        refusal.is_ok_and(|refusal| refusal.is_some_and(|would| would == code))
    });
    if !is_true {
        found.fault(format!(
            "match {} seat {seat}: command {id} was refused ({code}), but would not have been from row {from} to {until}: {frame}",
            diary.journal.match_id
        ));
    }
}
