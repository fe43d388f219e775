//! A match at rest: its state as bytes, which take a fraction of its memory.
//!
//! Restoring it takes a fraction of a millisecond and does not need the store, so it may happen between the moves of people who
//! think.

use intermezzo_protocol::Problem;

use super::{MatchActor, StepError};
use crate::match_task::fold::{MatchConfig, MatchState};

/// Size of a snapshot that is restored on another thread.
const LARGE_BYTES: usize = 32 << 10;

/// A match that waits. Everything it has written is durable.
pub(super) struct FrozenMatch {
    pub(super) snapshot: Vec<u8>,
    config: MatchConfig,
    pub(super) version: u64,
    /// Time of the next expiry.
    pub(super) next_expiry: Option<i64>,
    /// Time at which the store should wake the match if this server goes down.
    pub(super) wake_time: Option<i64>,
}

impl MatchActor {
    /// Returns true if a snapshot contains everything about the match. The announced questions of custom messages are not
    /// part of one.
    pub(super) fn may_freeze(&self) -> bool {
        self.pending_batches.is_empty()
            && self.thinking_bot.is_none()
            && !self.followers.iter().any(|follower| follower.uses_custom_messages)
    }

    /// Keeps only a snapshot of the match, until the next request or expiry.
    pub(super) async fn freeze(&mut self) -> Result<(), StepError> {
        let snapshot = self.compute(|state| state.snapshot()).await?;
        let Some(state) = &self.state else { return Ok(()) };
        let next_expiry = state.clocks.next_expiry(&state.config.clock).map(|(due, _)| due);
        let (version, wake_time) = (state.version, self.wake_time(state));
        let config = state.config.clone();
        self.discard_state();
        self.frozen = Some(Box::new(FrozenMatch { snapshot, config, version, next_expiry, wake_time }));
        self.recent.shrink(&self.connected_readers());
        Ok(())
    }

    /// Restores the match from its snapshot.
    pub(super) async fn thaw(&mut self) {
        let Some(frozen) = self.frozen.take() else { return };
        let FrozenMatch { snapshot, config, .. } = *frozen;
        let is_large = snapshot.len() > LARGE_BYTES;
        let restore = move || MatchState::restore(config, &snapshot).map(Box::new);
        // A match that cannot be restored is loaded.
        self.state = match is_large {
            true => self.registry.match_pool.run(self.owner(), restore).await.flatten(),
            false => restore(),
        };
    }

    /// Frees memory that a match does not need while it waits.
    pub(super) async fn compact(&mut self) -> Result<(), StepError> {
        match self.state {
            Some(_) => self.compute(|state| state.session.compact()).await,
            None => Ok(()),
        }
    }

    /// Expires the deadlines of a match that may be frozen.
    pub(super) async fn thaw_and_expire(&mut self) -> Result<(), StepError> {
        self.ensure_loaded().await.map_err(|_: Problem| StepError::Reload)?;
        self.expire_due().await
    }
}
