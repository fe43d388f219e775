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
mod background_threads;
mod compile_jobs;
mod entropy;
mod export;
mod fair_queue;
mod fork;
mod idempotency;
mod json_values;
mod ledger;
mod limits;
mod lobby;
mod login_sessions;
mod matches;
mod matchmaking;
mod moderation;
mod names;
mod passwords;
mod pictures;
mod preludes;
mod publish;
mod queue;
mod ratings;
mod record_keys;
mod recount;
mod rematch;
mod reports;
mod ruleset_check;
mod ruleset_moderation;
mod ruleset_quota;
mod rulesets;
mod seats;
mod settlement;
mod start_check;
mod sweep;
mod tickets;
mod transaction;

use std::sync::Arc;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::Store;

pub use accounts::{Account, AccountId};
pub use audit::{LedgerAudit, LedgerMismatch};
pub use background_threads::{BackgroundThreads, Unfinished};
pub use compile_jobs::CancelFlag;
pub use entropy::Entropy;
pub use fair_queue::{FairPermit, FairQueue, QueueLimits, Requester};
pub use idempotency::Caller;
pub use limits::ServiceLimits;
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

/// Accounts, rulesets, lobby, queue, ratings and ledger on one store.
pub struct Services {
    store: Arc<dyn Store>,
    entropy: Entropy,
    token_cache: TokenCache,
    program_cache: ProgramCache,
    hashing_queue: Arc<FairQueue>,
    hashing_memory: passwords::HashingMemory,
    account_queue: Arc<FairQueue>,
    author_queue: Arc<FairQueue>,
    /// Queue for programs that matches need, by hash.
    program_queue: Arc<FairQueue<String>>,
    trial_queue: Arc<FairQueue>,
    limits: ServiceLimits,
    threads: BackgroundThreads,
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
            hashing_queue: FairQueue::new("passwords", passwords::HASHING_LIMITS),
            hashing_memory: passwords::HashingMemory::default(),
            account_queue: FairQueue::new("new accounts", accounts::CREATION_LIMITS),
            author_queue: FairQueue::new("rulesets", compile_jobs::AUTHOR_LIMITS),
            program_queue: FairQueue::new("rulesets", compile_jobs::PROGRAM_LIMITS),
            trial_queue: FairQueue::new("new matches", compile_jobs::TRIAL_LIMITS),
            limits: ServiceLimits::default(),
            threads: BackgroundThreads::default(),
        }
    }

    /// Replaces the default limits.
    #[must_use]
    pub fn with_limits(self, limits: ServiceLimits) -> Services {
        Services { limits, ..self }
    }

    /// Runs a long computation outside of the threads that serve clients. With seeded entropy it runs inline, so that
    /// deterministic tests stay reproducible.
    ///
    /// # Errors
    ///
    /// If the computation panics.
    pub async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        if self.entropy.is_seeded() {
            return Ok(work());
        }
        self.threads.run(work).await.map_err(|unfinished| match unfinished {
            Unfinished::Panicked(_) => internal("a computation panicked"),
            Unfinished::NoThread(error) => internal(&error.to_string()),
        })
    }

    /// Returns the threads for long computations.
    #[must_use]
    pub fn background_threads(&self) -> BackgroundThreads {
        self.threads.clone()
    }

    /// Returns true if everything must happen in a reproducible order: the random bytes come from a seed.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.entropy.is_seeded()
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
