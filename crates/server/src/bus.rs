//! How servers on one store wake each other. Start with [`Bus`].
//!
//! What is told is only *that* something has changed, never what: whoever hears it reads the store. So nothing depends on
//! its arriving: what is lost is noticed a moment later by looking.

use intermezzo_store::MatchId;
use tokio::sync::mpsc;

/// What can have changed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    /// A match has more rows.
    Match(MatchId),
    /// Something concerns an account, named by its number: a match was found, or it was signed out.
    Account(u128),
}

/// Something has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct News {
    /// What.
    pub topic: Topic,
    /// How far it is now, if it counts: the version of a match's last row.
    pub version: u64,
}

/// The way to the other servers. Nothing waits for it, and it may lose, repeat, delay and mix up what it is told.
pub trait Bus: Send + Sync + 'static {
    /// Tells the others, if they are listening.
    fn tell(&self, news: News);

    /// Listens for a topic from now on.
    fn listen(&self, topic: Topic);

    /// Does not listen for it any more.
    fn ignore(&self, topic: Topic);
}

/// Where a server hears what others tell it.
pub type NewsBox = mpsc::Receiver<News>;

/// A bus on which nothing is ever heard: servers find out by looking at the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence;

impl Bus for Silence {
    fn tell(&self, _: News) {}
    fn listen(&self, _: Topic) {}
    fn ignore(&self, _: Topic) {}
}
