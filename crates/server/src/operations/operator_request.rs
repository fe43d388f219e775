//! Requests of operators: carried out on a store, or by the server that has it open.

use std::sync::Arc;

use intermezzo_protocol::resources::ModerationInfo;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{MatchId, Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::match_details;
use crate::match_task::{Replica, RowInfo, row_info, store_unavailable};
use intermezzo_services::{Caller, PageQuery, Services};

/// A request of an operator. Accounts are given by name or id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "request")]
pub(crate) enum OperatorRequest {
    ExportAccount {
        account: String,
    },
    DeleteAccount {
        account: String,
    },
    SetModerator {
        account: String,
        moderator: bool,
    },
    AuditLedger,
    RecountRatings {
        ruleset: String,
    },
    /// Lists actions of moderators, in one match or in all.
    Moderations {
        match_id: Option<String>,
    },
    Rows {
        match_id: String,
    },
    /// Asks for the status of the running server.
    Status,
    /// Stops the running server as a signal would.
    Stop,
}

/// The response to a request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OperatorResponse {
    Done(Value),
    Failed(Problem),
}

impl OperatorRequest {
    /// Carries out everything that needs no running server.
    pub(crate) async fn execute(self, services: &Services, store: &Arc<dyn Store>) -> Result<Value, Problem> {
        match self {
            OperatorRequest::ExportAccount { account } => {
                let account = services.account(&account).await?;
                services.export_account(&account).await
            }
            OperatorRequest::DeleteAccount { account } => {
                let account = services.account(&account).await?;
                let info = account.info();
                services.delete_account(&Caller::from(account)).await?;
                json(&info)
            }
            OperatorRequest::SetModerator { account, moderator } => {
                json(&services.set_moderator(&account, moderator).await?)
            }
            OperatorRequest::AuditLedger => json(&services.audit_ledger().await?),
            OperatorRequest::RecountRatings { ruleset } => json(&services.recount_ratings(&ruleset).await?),
            OperatorRequest::Moderations { match_id } => {
                json(&moderations(services, match_id.as_deref()).await?)
            }
            OperatorRequest::Rows { match_id } => {
                let id = match_id.parse().map_err(|_| Problem::not_found("match"))?;
                json(&rows(services, store, id).await?)
            }
            OperatorRequest::Status | OperatorRequest::Stop => {
                Err(Problem::new(Code::NotFound, "no server is running on this data"))
            }
        }
    }
}

pub(crate) fn json<T: Serialize>(value: &T) -> Result<Value, Problem> {
    serde_json::to_value(value).map_err(|error| Problem::new(Code::Internal, error.to_string()))
}

async fn moderations(services: &Services, match_id: Option<&str>) -> Result<Vec<ModerationInfo>, Problem> {
    let match_id = match_id.map(str::parse).transpose().map_err(|_| Problem::not_found("match"))?;
    let mut all = Vec::new();
    let mut cursor = None;
    loop {
        let query = PageQuery { cursor: cursor.as_deref(), limit: Some(100) };
        let page = services.moderations(match_id, query).await?;
        all.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

/// Returns the rows of a match. The match is replayed, and every state hash and chain hash is compared.
async fn rows(services: &Services, store: &Arc<dyn Store>, id: MatchId) -> Result<Vec<RowInfo>, Problem> {
    let mut replica = Replica::new(match_details(services, id).await?.config);
    let rows = store.rows(id, 0, usize::MAX).await.map_err(|error| store_unavailable(&error))?;
    let mut infos = Vec::with_capacity(rows.len());
    for row in &rows {
        let before = replica.state().map(|state| state.open_questions()).unwrap_or_default();
        replica.apply_row(id, &row.body)?;
        infos.extend(replica.state().and_then(|state| row_info(&row.body, state, &before)));
    }
    Ok(infos)
}
