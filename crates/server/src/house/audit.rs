//! Auditing the books: whether all balances are what all transfers come to.

use std::collections::BTreeMap;

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{MatchStatus, TransferInfo};

use super::House;
use super::change::read;
use super::matches::MatchRecord;

/// So often the books are looked through before something counts as wrong: while they are read, play goes on.
const LOOKS: u32 = 4;

/// What an audit found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Audit {
    /// How many transfers there are.
    pub transfers: usize,
    /// How many tokens there are: those minted and not burned.
    pub tokens: i64,
    /// How many of them matches hold.
    pub held: i64,
    /// What is wrong.
    pub mismatches: Vec<Mismatch>,
}

/// Something wrong in the books.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mismatch {
    /// A balance is not what the transfers come to.
    Balance {
        /// Whose.
        holder: String,
        /// As it is kept.
        kept: i64,
        /// What the transfers come to.
        counted: i64,
    },
    /// A match that is over holds tokens.
    Unsettled {
        /// The holder.
        holder: String,
        /// How many.
        held: i64,
    },
    /// What all holders have, the mint included, is not nothing.
    Sum {
        /// What it is.
        sum: i64,
    },
}

impl Audit {
    /// Whether the books are right.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty()
    }
}

impl House {
    /// Counts all transfers again and compares. What is wrong only at one look was under way and is not reported.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub async fn audit(&self) -> Result<Audit, Problem> {
        let mut audit = self.audit_once().await?;
        for _ in 1..LOOKS {
            if audit.is_clean() {
                break;
            }
            let again = self.audit_once().await?;
            let found_before = std::mem::replace(&mut audit, again).mismatches;
            audit.mismatches.retain(|mismatch| found_before.contains(mismatch));
        }
        Ok(audit)
    }

    async fn audit_once(&self) -> Result<Audit, Problem> {
        let mut audit = Audit::default();
        let mut counted: BTreeMap<String, i64> = BTreeMap::new();
        for (key, record) in self.all("transfer/").await? {
            let transfer: TransferInfo = read(&key, &record.value)?;
            *counted.entry(transfer.from).or_default() -= transfer.amount;
            *counted.entry(transfer.to).or_default() += transfer.amount;
            audit.transfers += 1;
        }
        audit.add_up(&mut counted);
        self.compare_balances(&mut audit, counted).await?;
        Ok(audit)
    }

    async fn compare_balances(
        &self,
        audit: &mut Audit,
        mut counted: BTreeMap<String, i64>,
    ) -> Result<(), Problem> {
        for (key, record) in self.all("balance/").await? {
            let kept: i64 = read(&key, &record.value)?;
            let holder = key.trim_start_matches("balance/").to_owned();
            let right = counted.remove(&holder).unwrap_or(0);
            if let Some(match_id) = holder.strip_prefix("escrow:") {
                audit.held += kept;
                if !self.is_live(match_id).await? {
                    audit.mismatches.push(Mismatch::Unsettled { holder: holder.clone(), held: kept });
                }
            }
            if kept != right {
                audit.mismatches.push(Mismatch::Balance { holder, kept, counted: right });
            }
        }
        // Who has no balance has nothing.
        counted.retain(|_, counted| *counted != 0);
        let missing =
            counted.into_iter().map(|(holder, counted)| Mismatch::Balance { holder, kept: 0, counted });
        audit.mismatches.extend(missing);
        Ok(())
    }

    async fn is_live(&self, match_id: &str) -> Result<bool, Problem> {
        let record: Option<MatchRecord> = self.look(&format!("match/{match_id}")).await?;
        Ok(record.is_some_and(|record| matches!(record.status, MatchStatus::Open | MatchStatus::Playing)))
    }
}

impl Audit {
    fn add_up(&mut self, counted: &mut BTreeMap<String, i64>) {
        let sum: i64 = counted.values().sum();
        if sum != 0 {
            self.mismatches.push(Mismatch::Sum { sum });
        }
        let minted = -counted.remove("mint").unwrap_or(0);
        self.tokens = minted - counted.remove("burned").unwrap_or(0);
    }
}
