//! The latest updates of a match, for clients whose connections break.

use std::collections::VecDeque;
use std::time::Duration;

use intermezzo_fail_points::{FailPoint, is_active};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::compute::FrameReader;

/// Time after the last connection of a reader for which its updates are kept.
const KEPT_FOR: Duration = Duration::from_secs(60);
/// Greatest size of the updates kept for a reader. Older ones are dropped.
const MAX_BYTES: usize = 8 * 1024;
/// The same for a reader that is connected while the match is idle.
const MAX_IDLE_BYTES: usize = 2 * 1024;

/// The latest updates of each reader, without gaps up to its current version.
#[derive(Debug, Default)]
pub(super) struct RecentUpdates(Vec<ReaderUpdates>);

#[derive(Debug)]
struct ReaderUpdates {
    reader: FrameReader,
    followed_at: Instant,
    /// The versions and their frames, oldest first.
    updates: VecDeque<(u64, Vec<Utf8Bytes>)>,
    bytes: usize,
}

impl RecentUpdates {
    /// Returns the readers whose updates are kept.
    pub(super) fn readers(&self) -> impl Iterator<Item = FrameReader> + '_ {
        self.0.iter().map(|kept| kept.reader)
    }

    /// Notes that a reader is connected now.
    pub(super) fn note_connected(&mut self, reader: FrameReader) {
        match self.0.iter_mut().find(|kept| kept.reader == reader) {
            Some(kept) => kept.followed_at = Instant::now(),
            None => self.0.push(ReaderUpdates {
                reader,
                followed_at: Instant::now(),
                updates: VecDeque::new(),
                bytes: 0,
            }),
        }
    }

    /// Keeps an update of a reader.
    pub(super) fn push(&mut self, reader: FrameReader, version: u64, frames: &[Utf8Bytes]) {
        let Some(kept) = self.0.iter_mut().find(|kept| kept.reader == reader) else { return };
        if kept.updates.back().is_some_and(|(last, _)| last + 1 != version) {
            kept.clear();
        }
        kept.bytes += size(frames);
        kept.updates.push_back((version, frames.to_vec()));
        kept.drop_oldest(MAX_BYTES);
    }

    /// Returns the frames of a reader after version `since` up to `version`; `None` if some are not kept.
    pub(super) fn since(&self, reader: FrameReader, since: u64, version: u64) -> Option<Vec<Utf8Bytes>> {
        let kept = self.0.iter().find(|kept| kept.reader == reader)?;
        let is_last = kept.updates.back().is_some_and(|(last, _)| *last == version);
        let is_first = kept.updates.front().is_some_and(|(first, _)| *first <= since + 1);
        if !is_last || !is_first {
            return None;
        }
        let until = if is_active(FailPoint::OmitLastMissedUpdate) { version - 1 } else { version };
        let from = if is_active(FailPoint::RepeatLastUpdate) { since } else { since + 1 };
        let missed = kept.updates.iter().filter(|(version, _)| (from..=until).contains(version));
        Some(missed.flat_map(|(_, frames)| frames.iter().cloned()).collect())
    }

    /// Drops what is probably not needed: most updates of readers that are connected, and those of readers that have
    /// been away for long.
    pub(super) fn shrink(&mut self, connected: &[FrameReader]) {
        self.0.retain_mut(|kept| {
            let is_connected = connected.contains(&kept.reader);
            if is_connected {
                kept.drop_oldest(MAX_IDLE_BYTES);
                kept.updates.shrink_to_fit();
            }
            is_connected || kept.followed_at.elapsed() < KEPT_FOR
        });
        self.0.shrink_to_fit();
    }

    /// Forgets all updates: the match may continue differently.
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(ReaderUpdates::clear);
    }
}

impl ReaderUpdates {
    /// Drops the oldest updates until the others fit into this size.
    fn drop_oldest(&mut self, max_bytes: usize) {
        while self.bytes > max_bytes {
            let Some((_, oldest)) = self.updates.pop_front() else { break };
            self.bytes -= size(&oldest);
        }
    }

    fn clear(&mut self) {
        self.updates = VecDeque::new();
        self.bytes = 0;
    }
}

fn size(frames: &[Utf8Bytes]) -> usize {
    frames.iter().map(|frame| frame.as_str().len()).sum()
}

#[cfg(test)]
mod tests {
    use intermezzo_engine::Viewer;
    use intermezzo_protocol::WireVersion;

    use super::*;

    const READER: FrameReader = (Viewer::Spectator, WireVersion::V2);

    fn kept(versions: std::ops::RangeInclusive<u64>) -> RecentUpdates {
        let mut recent = RecentUpdates::default();
        recent.note_connected(READER);
        versions.for_each(|version| recent.push(READER, version, &[version.to_string().into()]));
        recent
    }

    fn since(recent: &RecentUpdates, since: u64, version: u64) -> Option<Vec<String>> {
        let frames = recent.since(READER, since, version)?;
        Some(frames.iter().map(|frame| frame.to_string()).collect())
    }

    #[test]
    fn missed_updates_are_returned_without_gaps() {
        let mut recent = kept(4..=6);
        assert_eq!(since(&recent, 4, 6), Some(vec!["5".to_owned(), "6".to_owned()]));
        assert_eq!(since(&recent, 3, 6).map(|frames| frames.len()), Some(3));
        assert_eq!(since(&recent, 2, 6), None, "version 3 is not kept");
        assert_eq!(since(&recent, 4, 7), None, "version 7 is not kept");
        recent.push(READER, 8, &["8".into()]);
        assert_eq!(since(&recent, 6, 8), None, "version 7 was never kept");
        assert_eq!(since(&recent, 7, 8), Some(vec!["8".to_owned()]));
    }

    #[test]
    fn old_updates_make_room() {
        let mut recent = kept(1..=1);
        for version in 2..100 {
            recent.push(READER, version, &["x".repeat(1024).into()]);
        }
        assert!(recent.0[0].bytes <= MAX_BYTES);
        assert_eq!(since(&recent, 1, 99), None);
        assert_eq!(since(&recent, 93, 99).map(|frames| frames.len()), Some(6));
        recent.shrink(&[READER]);
        assert!(recent.0[0].bytes <= MAX_IDLE_BYTES);
        assert_eq!(
            since(&recent, 98, 99).map(|frames| frames.len()),
            Some(1),
            "a short break is the most frequent"
        );
    }

    #[test]
    fn readers_that_stay_away_are_forgotten() {
        let mut recent = kept(1..=3);
        recent.shrink(&[]);
        assert_eq!(since(&recent, 1, 3).map(|frames| frames.len()), Some(2), "it may come back");
        recent.0[0].followed_at =
            Instant::now().checked_sub(KEPT_FOR).expect("the clock has run for a minute");
        recent.shrink(&[]);
        assert_eq!(recent.readers().count(), 0);
    }
}
