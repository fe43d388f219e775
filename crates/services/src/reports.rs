//! Reports of players, and bans.

use intermezzo_protocol::resources::{
    BanAccount, ModerationAction, ModerationReason, NewReport, Page, ReportInfo,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;
use serde::{Deserialize, Serialize};

use super::accounts::{Account, AccountRecord, active_account};
use super::idempotency::Caller;
use super::moderation::{check_moderator, check_reason};
use super::record_keys::{self, PageQuery};
use super::transaction::transact;
use super::{Services, invalid};

const REPORT_PREFIX: &str = "report/";
/// Open reports that one account may have.
const MAX_OPEN_REPORTS: usize = 20;

/// The ban of an account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ban {
    pub reason: String,
    /// End of the ban; `None` if it does not end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
}

impl Ban {
    /// Returns true if the ban applies at that time.
    #[must_use]
    pub fn applies(&self, now: i64) -> bool {
        self.until_ms.is_none_or(|until| now < until)
    }

    /// Returns the problem for the banned account.
    pub(crate) fn problem(&self) -> Problem {
        let detail = format!("this account is banned: {}", self.reason);
        let problem = Problem::new(Code::NotAllowed, detail).with("reason", "banned");
        match self.until_ms {
            Some(until) => problem.with("untilMs", until),
            None => problem,
        }
    }
}

fn report_key(id: &str) -> String {
    format!("{REPORT_PREFIX}{id}")
}

impl Services {
    /// Reports an account, a match or a ruleset to the moderators.
    ///
    /// # Errors
    ///
    /// If it names none of them or one that does not exist, or the caller has too many open reports.
    pub async fn report(&self, caller: &Caller, request: &NewReport) -> Result<ReportInfo, Problem> {
        check_reason(&request.reason)?;
        let account = match &request.account {
            Some(account) => Some(self.account(account).await?.id.to_string()),
            None => None,
        };
        if let Some(id) = &request.match_id {
            let id: MatchId = id.parse().map_err(|_| Problem::not_found("match"))?;
            self.match_record(id).await?;
        }
        if let Some(ruleset) = &request.ruleset {
            self.ruleset(ruleset).await?;
        }
        if account.is_none() && request.match_id.is_none() && request.ruleset.is_none() {
            return Err(invalid("a report must name an `account`, a `matchId` or a `ruleset`"));
        }
        let now = self.now();
        let report = ReportInfo {
            id: format!("{}-{:032x}", record_keys::time_key(now), self.new_id()?),
            at_ms: now,
            by: caller.account.id.to_string(),
            account,
            match_id: request.match_id.clone(),
            ruleset: request.ruleset.clone(),
            reason: request.reason.clone(),
        };
        transact!(self, caller.marker(self, "report")?, |tx| async {
            let key = format!("reports-of/{}", caller.account.id);
            let open: usize = tx.read(&key).await?.unwrap_or_default();
            if open >= MAX_OPEN_REPORTS {
                let detail =
                    format!("you have {MAX_OPEN_REPORTS} open reports; wait until moderators have read them");
                return Err(Problem::new(Code::TooMany, detail).with("retryAfterMs", 60 * 60 * 1000));
            }
            tx.write(&key, &(open + 1))?;
            tx.write(&report_key(&report.id), &report)?;
            Ok(report.clone())
        })
    }

    /// Lists open reports, newest first. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator, or the cursor is invalid.
    pub async fn reports(&self, caller: &Caller, query: PageQuery<'_>) -> Result<Page<ReportInfo>, Problem> {
        check_moderator(caller)?;
        let found = self.read_page(REPORT_PREFIX, query, true).await?;
        Ok(Page { items: found.values()?, next: found.next })
    }

    /// Closes a report. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator, or the report does not exist.
    pub async fn close_report(
        &self,
        caller: &Caller,
        id: &str,
        request: &ModerationReason,
    ) -> Result<(), Problem> {
        check_moderator(caller)?;
        check_reason(&request.reason)?;
        transact!(self, caller.marker(self, "close-report")?, |tx| async {
            let report: Option<ReportInfo> = tx.read(&report_key(id)).await?;
            let report = report.ok_or_else(|| Problem::not_found("report"))?;
            tx.remove(&report_key(id));
            let key = format!("reports-of/{}", report.by);
            let open: usize = tx.read(&key).await?.unwrap_or_default();
            tx.write(&key, &open.saturating_sub(1))?;
            let action =
                ModerationAction::CloseReport { report: id.to_owned(), reason: request.reason.clone() };
            self.record_action(&mut tx, caller, action)
        })
    }

    /// Bans an account: it can no longer sign in, and its tokens no longer work. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator, or the account is one or does not exist.
    pub async fn ban(
        &self,
        caller: &Caller,
        account: &str,
        request: &BanAccount,
    ) -> Result<Account, Problem> {
        let ban = Ban { reason: request.reason.clone(), until_ms: request.until_ms };
        self.set_ban(caller, account, &request.reason, Some(ban)).await
    }

    /// Lifts a ban. For moderators.
    ///
    /// # Errors
    ///
    /// If the caller is not a moderator, or the account does not exist.
    pub async fn unban(
        &self,
        caller: &Caller,
        account: &str,
        request: &ModerationReason,
    ) -> Result<Account, Problem> {
        self.set_ban(caller, account, &request.reason, None).await
    }

    async fn set_ban(
        &self,
        caller: &Caller,
        account: &str,
        reason: &str,
        ban: Option<Ban>,
    ) -> Result<Account, Problem> {
        check_moderator(caller)?;
        check_reason(reason)?;
        let id = self.account(account).await?.id;
        let action = match &ban {
            Some(Ban { reason, until_ms }) => {
                ModerationAction::Ban { account: id.to_string(), reason: reason.clone(), until_ms: *until_ms }
            }
            None => ModerationAction::Unban { account: id.to_string(), reason: reason.to_owned() },
        };
        let outcome = transact!(self, caller.marker(self, "ban")?, |tx| async {
            let mut record = active_account(&mut tx, &id).await?;
            if record.moderator {
                return Err(Problem::new(
                    Code::NotAllowed,
                    "a moderator cannot be banned; remove the role first",
                ));
            }
            record.ban = ban.clone();
            tx.write(&AccountRecord::key(&id), &record)?;
            self.record_action(&mut tx, caller, action.clone())?;
            Ok(record.account())
        });
        self.token_cache.forget_account(&id);
        outcome
    }
}
