//! One single-threaded runtime per core for matches and their connections. Start with [`Shards::start`].
//!
//! Every match belongs to one shard, and connections move to the shard of the match that they follow. So a command passes from
//! its socket to its match and back without waking another thread. Everything else (requests over HTTP, compilation, rules that
//! compute for long) runs elsewhere.

use std::sync::Arc;

use intermezzo_store::{MatchId, deliver_outcomes_together};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// The number of a shard.
pub(crate) type ShardNumber = usize;

/// The shards of a server, which stop when this is dropped.
#[derive(Debug)]
pub(crate) struct Shards {
    handles: ShardHandles,
    /// Dropping them stops the threads.
    _running: Vec<oneshot::Sender<()>>,
}

/// Access to the shards; none in a server without threads of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShardHandles(Arc<[Handle]>);

impl Shards {
    /// Starts one shard per core.
    ///
    /// # Errors
    ///
    /// If the system refuses threads.
    pub(crate) fn start() -> std::io::Result<Shards> {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let started: Vec<_> = (0..count).map(start_shard).collect::<Result<_, _>>()?;
        let (handles, running): (Vec<Handle>, Vec<_>) = started.into_iter().unzip();
        Ok(Shards { handles: ShardHandles(handles.into()), _running: running })
    }

    pub(crate) fn handles(&self) -> ShardHandles {
        self.handles.clone()
    }
}

fn start_shard(number: ShardNumber) -> std::io::Result<(Handle, oneshot::Sender<()>)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let (running, stopped) = oneshot::channel();
    std::thread::Builder::new().name(format!("matches-{number}")).spawn(move || {
        runtime.block_on(async {
            tokio::spawn(deliver_outcomes_together());
            // Nothing is ever sent: the other end is dropped.
            let _ = stopped.await;
        });
        runtime.shutdown_background();
    })?;
    Ok((handle, running))
}

impl ShardHandles {
    /// Returns the shard of a match.
    pub(crate) fn of(&self, id: MatchId) -> Option<ShardNumber> {
        // The last digits of an id are random.
        let count = u128::try_from(self.0.len()).ok().filter(|count| *count > 0)?;
        usize::try_from(id.0 % count).ok()
    }

    pub(crate) fn handle(&self, shard: ShardNumber) -> &Handle {
        &self.0[shard]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_match_has_one_shard() {
        let shards = Shards::start().unwrap();
        let handles = shards.handles();
        let shard = handles.of(MatchId(12_345)).unwrap();
        assert_eq!(handles.of(MatchId(12_345)), Some(shard));
        let (done, outcome) = oneshot::channel();
        handles.handle(shard).spawn(async move {
            let name = std::thread::current().name().map(str::to_owned);
            done.send(name).unwrap();
        });
        assert_eq!(outcome.blocking_recv().unwrap(), Some(format!("matches-{shard}")));
        assert_eq!(ShardHandles::default().of(MatchId(7)), None);
    }
}
