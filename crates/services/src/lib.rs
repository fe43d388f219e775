//! Accounts, rulesets, the lobby, the queue, ratings and the token ledger of a match server.
//!
//! [`Services`] keeps everything as small records in a [`Store`]. It holds no state in memory that another
//! server on the same store could change unnoticed: every method reads records, decides, and commits one
//! transaction that succeeds only if the records are unchanged. Start with `transaction` for that mechanism
//! and with `lobby` for the life of a match before it starts. Matches in progress belong to the server crate,
//! which calls [`Services::prepare_settlement`] when a match ends.
//!
//! All methods fail with the code `busy` if the store does not respond.
//!
//! ```
//! use std::sync::Arc;
//!
//! use intermezzo_protocol::resources::NewAccount;
//! use intermezzo_services::Services;
//! use intermezzo_store::MemoryStore;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let services = Services::new(Arc::new(MemoryStore::new()));
//! let guest = services.create_account(&NewAccount::default()).await?;
//! let account = services.authenticate(&guest.token).await?;
//! assert!(account.guest);
//! assert_eq!(services.balance(&account.id).await?, 100);
//! # Ok::<_, intermezzo_protocol::Problem>(())
//! # })?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod account_deletion;
mod accounts;
mod audit;
mod entropy;
mod export;
mod fork;
mod idempotency;
mod json_values;
mod ledger;
mod lobby;
mod login_sessions;
mod matches;
mod matchmaking;
mod moderation;
mod names;
mod passwords;
mod pictures;
mod publish;
mod queue;
mod ratings;
mod record_keys;
mod recount;
mod rematch;
mod ruleset_check;
mod rulesets;
mod seats;
mod settlement;
mod start_check;
mod sweep;
mod transaction;

use std::sync::Arc;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::Store;
use tokio::sync::Semaphore;

pub use accounts::{Account, AccountId};
pub use audit::{LedgerAudit, LedgerMismatch};
pub use entropy::Entropy;
pub use idempotency::Caller;
pub use matches::{MatchRecord, SeatRecord};
pub use moderation::ModerationRecord;
pub use pictures::picture_address;
pub use publish::RulesetBundle;
pub use publish::option_infos;
pub use record_keys::PageQuery;
pub use settlement::Settlement;
pub use sweep::SweepReport;

use login_sessions::TokenCache;
use rulesets::ProgramCache;

/// A match that has just started.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct StartedMatch {
    pub record: MatchRecord,
}

/// Limit of concurrent password hashes; each needs 19 MiB.
const MAX_CONCURRENT_HASHES: usize = 2;
const MAX_CONCURRENT_COMPILATIONS: usize = 1;

/// Accounts, rulesets, lobby, queue, ratings and ledger on one store.
pub struct Services {
    store: Arc<dyn Store>,
    entropy: Entropy,
    token_cache: TokenCache,
    program_cache: ProgramCache,
    hash_permits: Semaphore,
    compile_permits: Semaphore,
}

impl Services {
    /// Creates the services of a store. Any number of them may share one store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Services {
        Services::with_entropy(store, Entropy::system())
    }

    /// Creates the services with their own source of random bytes.
    #[must_use]
    pub fn with_entropy(store: Arc<dyn Store>, entropy: Entropy) -> Services {
        Services {
            store,
            entropy,
            token_cache: TokenCache::default(),
            program_cache: ProgramCache::default(),
            hash_permits: Semaphore::new(MAX_CONCURRENT_HASHES),
            compile_permits: Semaphore::new(MAX_CONCURRENT_COMPILATIONS),
        }
    }

    /// Returns the time of the store's clock.
    fn now(&self) -> i64 {
        self.store.now()
    }
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::Invalid, detail)
}

/// Logs a bug or a damaged record for the operator and hides the details from clients.
fn internal(what: &str) -> Problem {
    tracing::error!(what, "internal error");
    Problem::new(Code::Internal, "internal server error")
}

/// Logs that the store failed and asks the client to try again.
fn busy(what: &str) -> Problem {
    tracing::warn!(what, "the store failed");
    Problem::new(Code::Busy, "the server is busy, try again")
}
