//! Check of the ledger: the balances add up, and every staked match was settled once.

use std::collections::BTreeMap;

use intermezzo_server::Operator;
use intermezzo_services::LedgerMismatch;
use serde_json::Value;

use crate::match_series::PlayedMatch;
use crate::report::CrashTestReport;
use crate::verification::text;

/// Audits the ledger, then checks the transfers of everyone who played for stakes.
pub(crate) fn check(operator: &Operator, played: &[PlayedMatch], report: &mut CrashTestReport) {
    match operator.audit_ledger() {
        Ok(audit) => audit.mismatches.iter().for_each(|mismatch| note(mismatch, report)),
        Err(problem) => report.add_problem(format!("the ledger cannot be read: {problem}")),
    }
    let mut paid: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let staked = || played.iter().filter(|played| played.is_staked);
    let mut accounts: Vec<&str> =
        staked().flat_map(|played| &played.accounts).map(|account| account.account.as_str()).collect();
    accounts.sort_unstable();
    accounts.dedup();
    for account in accounts {
        match operator.export_account(account) {
            Ok(all) => add_transfers(&all["transfers"], &mut paid),
            Err(problem) => report.add_problem(format!("account {account} cannot be read: {problem}")),
        }
    }
    for played in staked().filter(|played| !played.journals.is_empty()) {
        let (paid_in, paid_out) = paid.get(&played.match_id).copied().unwrap_or_default();
        // A burnt pot is paid to nobody.
        let is_settled = paid_in == played.accounts.len() as i64 && (paid_out == paid_in || paid_out == 0);
        match is_settled {
            true => report.settled += 1,
            false => report
                .add_problem(format!("match {}: {paid_in} paid in, {paid_out} paid out", played.match_id)),
        }
    }
}

fn note(mismatch: &LedgerMismatch, report: &mut CrashTestReport) {
    if let LedgerMismatch::Sum { sum } = mismatch {
        report.ledger_sum = *sum;
    }
    report.add_problem(format!("ledger mismatch: {mismatch:?}"));
}

fn add_transfers(transfers: &Value, paid: &mut BTreeMap<String, (i64, i64)>) {
    for transfer in transfers.as_array().into_iter().flatten() {
        let both = paid.entry(text(transfer, "matchId").to_owned()).or_default();
        let amount = transfer["amount"].as_i64().unwrap_or(0);
        match text(transfer, "reason") {
            "entry" => both.0 += amount,
            _ => both.1 += amount,
        }
    }
}
