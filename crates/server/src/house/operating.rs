//! For the operator of a server.

use intermezzo_protocol::Problem;

use super::House;
use super::accounts::{Account, AccountId, AccountRecord};

impl House {
    /// The account with that name or id.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub async fn account_called(&self, name_or_id: &str) -> Result<Account, Problem> {
        let by_name = self.account_named(name_or_id).await?;
        let found = match by_name {
            Some(record) => Some(record),
            None => {
                self.look::<AccountRecord>(&AccountRecord::key(&AccountId(name_or_id.to_owned()))).await?
            }
        };
        let found = found.filter(|record| record.deleted_ms.is_none());
        Ok(found.ok_or_else(|| Problem::not_found("account"))?.account())
    }
}
