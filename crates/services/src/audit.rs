//! The ledger audit: checks that every balance is the sum of its transfers.

use std::collections::BTreeMap;

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{MatchStatus, TransferInfo};
use serde::{Deserialize, Serialize};

use super::Services;
use super::matches::MatchRecord;
use super::transaction::decode;

/// Number of passes before a mismatch is reported. Play continues during a pass, so a single one may see
/// inconsistent records.
const MAX_PASSES: u32 = 4;

/// The result of an audit.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LedgerAudit {
    /// Number of transfers.
    pub transfers: usize,
    /// Number of tokens in existence: minted and not burned.
    pub tokens: i64,
    /// Number of tokens held by matches.
    pub held: i64,
    pub mismatches: Vec<LedgerMismatch>,
}

/// An inconsistency in the ledger.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum LedgerMismatch {
    /// A balance differs from the sum of its transfers.
    Balance {
        holder: String,
        /// Stored balance.
        stored: i64,
        /// Sum of the transfers.
        counted: i64,
    },
    /// A match that is over still holds tokens.
    Unsettled { holder: String, held: i64 },
    /// The sum over all holders, including the mint, is not zero.
    Sum { sum: i64 },
}

impl LedgerAudit {
    /// Returns true if no mismatch was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty()
    }
}

impl Services {
    /// Sums all transfers and compares them with the balances. Reports only mismatches that every pass found.
    pub async fn audit_ledger(&self) -> Result<LedgerAudit, Problem> {
        let mut audit = self.audit_once().await?;
        for _ in 1..MAX_PASSES {
            if audit.is_clean() {
                break;
            }
            let again = self.audit_once().await?;
            let found_before = std::mem::replace(&mut audit, again).mismatches;
            audit.mismatches.retain(|mismatch| found_before.contains(mismatch));
        }
        Ok(audit)
    }

    async fn audit_once(&self) -> Result<LedgerAudit, Problem> {
        let mut audit = LedgerAudit::default();
        let mut counted: BTreeMap<String, i64> = BTreeMap::new();
        for (key, record) in self.read_all("transfer/").await? {
            let transfer: TransferInfo = decode(&key, &record.value)?;
            *counted.entry(transfer.from).or_default() -= transfer.amount;
            *counted.entry(transfer.to).or_default() += transfer.amount;
            audit.transfers += 1;
        }
        audit.sum_tokens(&mut counted);
        self.compare_balances(&mut audit, counted).await?;
        Ok(audit)
    }

    async fn compare_balances(
        &self,
        audit: &mut LedgerAudit,
        mut counted: BTreeMap<String, i64>,
    ) -> Result<(), Problem> {
        for (key, record) in self.read_all("balance/").await? {
            let stored: i64 = decode(&key, &record.value)?;
            let holder = key.trim_start_matches("balance/").to_owned();
            let right = counted.remove(&holder).unwrap_or(0);
            if let Some(match_id) = holder.strip_prefix("escrow:") {
                audit.held += stored;
                if !self.is_live(match_id).await? {
                    audit.mismatches.push(LedgerMismatch::Unsettled { holder: holder.clone(), held: stored });
                }
            }
            if stored != right {
                audit.mismatches.push(LedgerMismatch::Balance { holder, stored, counted: right });
            }
        }
        // Holders without a balance record own nothing.
        counted.retain(|_, counted| *counted != 0);
        let missing = counted.into_iter().map(|(holder, counted)| LedgerMismatch::Balance {
            holder,
            stored: 0,
            counted,
        });
        audit.mismatches.extend(missing);
        Ok(())
    }

    async fn is_live(&self, match_id: &str) -> Result<bool, Problem> {
        let record: Option<MatchRecord> = self.read_record(&format!("match/{match_id}")).await?;
        Ok(record.is_some_and(|record| matches!(record.status, MatchStatus::Open | MatchStatus::Playing)))
    }
}

impl LedgerAudit {
    fn sum_tokens(&mut self, counted: &mut BTreeMap<String, i64>) {
        let sum: i64 = counted.values().sum();
        if sum != 0 {
            self.mismatches.push(LedgerMismatch::Sum { sum });
        }
        let minted = -counted.remove("mint").unwrap_or(0);
        self.tokens = minted - counted.remove("burned").unwrap_or(0);
    }
}
