//! The bus that servers on one store use to notify each other. Start with [`Bus`].
//!
//! A notification says only *that* something has changed; the receiver reads the change from the store.
//! Correctness therefore never depends on delivery: lost notifications are made up for by polling.

use intermezzo_store::MatchId;
use tokio::sync::mpsc;

/// A subject of notifications.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    /// A match has new rows.
    Match(MatchId),
    /// An account, by its number, has news: a match was found, or it was signed out.
    Account(u128),
}

/// A notification that something has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notification {
    pub topic: Topic,
    /// Version of the match's last row; 0 for accounts.
    pub version: u64,
}

/// The connection to the other servers. Nothing waits for it, and it may lose, repeat, delay and reorder
/// notifications.
pub trait Bus: Send + Sync + 'static {
    /// Notifies subscribed servers.
    fn publish(&self, notification: Notification);

    fn subscribe(&self, topic: Topic);

    fn unsubscribe(&self, topic: Topic);
}

/// The receiving end of a server's notifications.
pub type NotificationReceiver = mpsc::Receiver<Notification>;

/// A bus that delivers nothing: servers find changes by polling the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SilentBus;

impl Bus for SilentBus {
    fn publish(&self, _: Notification) {}
    fn subscribe(&self, _: Topic) {}
    fn unsubscribe(&self, _: Topic) {}
}
