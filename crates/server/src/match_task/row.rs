//! The rows of a match's log.
//!
//! The store keeps rows as bytes. Each contains its time, its sender, its kind and the resulting events, and
//! is chained to the previous row by a hash.

use intermezzo_session::SessionEntry;
use serde::{Deserialize, Serialize};

/// Version of the row layout.
const ROW_LAYOUT: u8 = 3;
/// Version of the layout in which every row has a state hash. Such rows are still read.
const LAYOUT_WITH_ALL_HASHES: u8 = 2;

/// One row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct MatchRow {
    /// Time of writing in milliseconds since 1970, by the store's clock.
    pub(crate) at: i64,
    /// Number of the sending account; 0 is the server itself.
    pub(crate) sender: u128,
    /// Digest of the sender's command id; 0 without one.
    pub(crate) command: u64,
    /// Digest of the command's content.
    pub(crate) content: u64,
    pub(crate) kind: RowKind,
    /// Encoded events of the engine.
    pub(crate) events: Vec<u8>,
    /// Hash of the game state after the row. Computing it takes longer than most moves, so few rows have one.
    pub(crate) state_hash: Option<[u8; 32]>,
    /// Hash of this row and the previous row's hash.
    pub(crate) chain_hash: [u8; 32],
}

/// The kind of a row. Encoded by position: append new variants at the end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum RowKind {
    /// The match starts.
    Begin,
    /// An entry of the session, as bytes in the encoding that match files use too.
    Entry(#[serde(with = "entry_bytes")] SessionEntry),
    /// A seat's last connection is lost, and its grace period starts.
    Lost(u8),
    /// A seat is connected, on a single server.
    Returned(u8),
    /// The clocks are stopped, with the reason.
    Paused(String),
    /// The clocks resume.
    Resumed,
    /// A bot plays for the seat until its player reconnects.
    Replaced(u8),
    /// A seat is connected through one of several servers.
    Connected {
        seat: u8,
        /// Id of the server's run.
        node: u128,
    },
    /// A seat without grace period has disconnected from one of several servers. Another server may still
    /// have a connection.
    HungUp(u8),
}

/// A row of the layout in which every row has a state hash.
#[derive(Serialize, Deserialize)]
struct HashedRow {
    at: i64,
    sender: u128,
    command: u64,
    content: u64,
    kind: RowKind,
    events: Vec<u8>,
    state_hash: [u8; 32],
    chain_hash: [u8; 32],
}

impl HashedRow {
    fn into_row(self) -> MatchRow {
        let HashedRow { at, sender, command, content, kind, events, state_hash, chain_hash } = self;
        let state_hash = Some(state_hash);
        MatchRow { at, sender, command, content, kind, events, state_hash, chain_hash }
    }
}

/// Entries in their own encoding.
mod entry_bytes {
    use intermezzo_session::SessionEntry;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(entry: &SessionEntry, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(32);
        entry.encode(&mut bytes);
        serializer.serialize_bytes(&bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SessionEntry, D::Error> {
        SessionEntry::decode(&Vec::deserialize(deserializer)?).map_err(Error::custom)
    }
}

/// An undecodable row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RowDecodeError;

impl MatchRow {
    /// Returns the entry that it contains.
    pub(crate) fn entry(&self) -> Option<&SessionEntry> {
        match &self.kind {
            RowKind::Entry(entry) => Some(entry),
            _ => None,
        }
    }

    /// Returns true if all earlier entries are needed to apply it.
    pub(crate) fn is_undo(&self) -> bool {
        matches!(self.entry(), Some(SessionEntry::Undo { .. } | SessionEntry::AgreeToUndo { .. }))
    }

    /// Computes the chain hash from the previous one.
    pub(crate) fn seal(&mut self, before: &[u8; 32]) {
        self.chain_hash = self.hash_after(before);
    }

    /// Returns the chain hash that follows from the previous one.
    pub(crate) fn hash_after(&self, before: &[u8; 32]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(before);
        hasher.update(&self.at.to_le_bytes());
        hasher.update(&self.sender.to_le_bytes());
        hasher.update(&self.command.to_le_bytes());
        hasher.update(&self.content.to_le_bytes());
        let step = postcard::to_stdvec(&self.kind).expect("a row kind serializes with postcard");
        for part in [&step, &self.events] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.update(self.state_hash.as_ref().map_or(&[][..], |hash| hash));
        *hasher.finalize().as_bytes()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let bytes = Vec::with_capacity(128 + self.events.len());
        let mut bytes = postcard::to_extend(self, bytes).expect("a row serializes with postcard");
        bytes.push(ROW_LAYOUT);
        bytes
    }

    /// Returns the time of an encoded row.
    pub(crate) fn written_at(bytes: &[u8]) -> Option<i64> {
        postcard::take_from_bytes(bytes).ok().map(|(at, _)| at)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<MatchRow, RowDecodeError> {
        match bytes.split_last() {
            Some((&ROW_LAYOUT, row)) => postcard::from_bytes(row).map_err(|_| RowDecodeError),
            Some((&LAYOUT_WITH_ALL_HASHES, row)) => {
                postcard::from_bytes(row).map(HashedRow::into_row).map_err(|_| RowDecodeError)
            }
            _ => Err(RowDecodeError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use intermezzo_program::Seat;

    fn row() -> MatchRow {
        MatchRow {
            at: 1_700_000_000_000,
            sender: u128::MAX,
            command: 7,
            content: 8,
            kind: RowKind::Entry(SessionEntry::Undo { seat: Seat(1) }),
            events: vec![4; 40],
            state_hash: Some([5; 32]),
            chain_hash: [0; 32],
        }
    }

    #[test]
    fn rows_survive_a_round_trip() {
        let mut row = row();
        row.seal(&[9; 32]);
        assert_eq!(MatchRow::written_at(&row.encode()), Some(row.at));
        assert_eq!(MatchRow::decode(&row.encode()), Ok(row));
    }

    #[test]
    fn entries_are_bytes_in_their_own_encoding() {
        /// Rows as they were written when the server did not decode entries.
        #[derive(Serialize)]
        enum OpaqueKind {
            _Begin,
            Entry(Vec<u8>),
        }
        let mut entry = Vec::new();
        SessionEntry::Undo { seat: Seat(1) }.encode(&mut entry);
        let opaque = postcard::to_stdvec(&OpaqueKind::Entry(entry)).unwrap();
        assert_eq!(postcard::to_stdvec(&row().kind).unwrap(), opaque);
        assert_eq!(postcard::from_bytes::<RowKind>(&opaque), Ok(row().kind));
        let broken = postcard::to_stdvec(&OpaqueKind::Entry(vec![9, 9])).unwrap();
        assert!(postcard::from_bytes::<RowKind>(&broken).is_err());
    }

    #[test]
    fn rows_of_the_old_layout_are_read_and_keep_their_chain() {
        let mut new = row();
        new.seal(&[9; 32]);
        let MatchRow { at, sender, command, content, kind, events, chain_hash, .. } = new.clone();
        let state_hash = [5; 32];
        let old = HashedRow { at, sender, command, content, kind, events, state_hash, chain_hash };
        let mut bytes = postcard::to_stdvec(&old).unwrap();
        bytes.push(LAYOUT_WITH_ALL_HASHES);
        assert_eq!(MatchRow::decode(&bytes), Ok(new));
    }

    #[test]
    fn a_changed_row_breaks_the_chain() {
        let (mut one, mut other) = (row(), row());
        other.events[3] = 5;
        one.seal(&[9; 32]);
        other.seal(&[9; 32]);
        assert_ne!(one.chain_hash, other.chain_hash);
    }

    #[test]
    fn truncated_rows_are_rejected() {
        let bytes = row().encode();
        for len in 0..bytes.len() {
            let _ = MatchRow::decode(&bytes[..len]);
        }
        assert_eq!(MatchRow::decode(&[]), Err(RowDecodeError));
        assert_eq!(MatchRow::decode(&[0; 3]), Err(RowDecodeError));
    }
}
