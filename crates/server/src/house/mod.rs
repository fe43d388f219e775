//! Everything around matches: accounts, rulesets, the lobby, tokens, ratings, the queue.
//!
//! The [`House`] keeps all of it as small records in a [`Store`] and nothing of it in memory that another server on the
//! same store could not change: every method reads, decides and writes one transaction that only lands if what was read
//! is still so. Start with `change` for how that is done, and with `lobby` for how a match comes about. Matches under
//! way are not its business; it hears of them again when they end, see [`House::settlement`].

mod accounts;
mod audit;
mod change;
mod checking;
mod datum;
mod entropy;
mod export;
mod forking;
mod keys;
mod leaving;
mod ledger;
mod lobby;
mod matches;
mod moderation;
mod names;
mod once;
mod pairing;
mod passwords;
mod publishing;
mod queue;
mod ratings;
mod recount;
mod rematch;
mod rulesets;
mod seats;
mod sessions;
mod settlement;
mod sweep;
mod table;

use std::sync::Arc;

use intermezzo_protocol::{Code, Problem};
use intermezzo_store::Store;
use tokio::sync::Semaphore;

pub use accounts::{Account, AccountId};
pub use audit::{Audit, Mismatch};
pub use entropy::Entropy;
pub use keys::Window;
pub use matches::{MatchRecord, SeatRecord};
pub(crate) use moderation::Moderation;
pub use once::Caller;
pub use publishing::Bundle;
pub(crate) use publishing::option_infos;
pub use settlement::Settled;
pub use sweep::Swept;

use rulesets::Programs;
use sessions::Known;

/// A match that has just started.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Started {
    /// Everything its setup is made of.
    pub record: MatchRecord,
}

/// Passwords that are hashed at a time: each takes 19 MiB.
const HASHED_AT_ONCE: usize = 2;
/// Rulesets that are compiled at a time.
const COMPILED_AT_ONCE: usize = 1;

/// Everything around matches.
pub struct House {
    store: Arc<dyn Store>,
    entropy: Entropy,
    known: Known,
    programs: Programs,
    hashing: Semaphore,
    compiling: Semaphore,
}

impl House {
    /// The house whose records are in this store. Any number of them may share one store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> House {
        House::with_entropy(store, Entropy::system())
    }

    /// The same with its own source of what cannot be guessed.
    #[must_use]
    pub fn with_entropy(store: Arc<dyn Store>, entropy: Entropy) -> House {
        House {
            store,
            entropy,
            known: Known::default(),
            programs: Programs::default(),
            hashing: Semaphore::new(HASHED_AT_ONCE),
            compiling: Semaphore::new(COMPILED_AT_ONCE),
        }
    }

    /// The time by the store's clock.
    fn now(&self) -> i64 {
        self.store.now()
    }
}

/// Something in the request will not do.
fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(Code::Invalid, detail)
}

/// Our mistake, or a store that is damaged. The operator reads what it was, clients do not.
fn internal(what: &str) -> Problem {
    tracing::error!(what, "something is wrong with the house");
    Problem::new(Code::Internal, "something is wrong with the server")
}

/// The world's: the store does not do what it should.
fn busy(what: &str) -> Problem {
    tracing::warn!(what, "the store does not do what it should");
    Problem::new(Code::Busy, "the server cannot do that now, try again")
}
