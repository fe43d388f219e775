//! What one row of a match's log says.
//!
//! The store keeps rows as bytes. Each says when it was written, who sent what,
//! which events came of it, and is chained to the rows before it.

use serde::{Deserialize, Serialize};

/// The layout of rows that is written here.
const LAYOUT: u8 = 2;

/// One row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    /// When it was written, milliseconds since 1970 by the store's clock.
    pub(crate) at: i64,
    /// The account that sent it; 0 is the server itself.
    pub(crate) sender: u128,
    /// Stands for the sender's command id; 0 if there was none.
    pub(crate) command: u64,
    /// Stands for what was asked for under that id.
    pub(crate) content: u64,
    /// What it does.
    pub(crate) step: Step,
    /// The engine's records of what happened, encoded.
    pub(crate) events: Vec<u8>,
    /// Hash of the match's state after it.
    pub(crate) state: [u8; 32],
    /// Hash over all of this and the chain before it.
    pub(crate) chain: [u8; 32],
}

/// What a row does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Step {
    /// The match begins.
    Begin,
    /// Something is taken at the desk: an encoded entry.
    Entry(Vec<u8>),
    /// A seat's last connection is lost, and its grace runs.
    Lost(u8),
    /// The seat is connected, for the first time or again.
    Returned(u8),
    /// The clocks stand, for a reason.
    Paused(String),
    /// They run again.
    Resumed,
    /// A bot plays on at the seat, until its player is connected again.
    Replaced(u8),
    /// The seat is connected, for the first time or again, by one of several servers.
    Connected {
        /// Which seat.
        seat: u8,
        /// Which run of which server.
        node: u128,
    },
    /// A seat that is not waited for has hung up at one of several servers. Another may have it still.
    HungUp(u8),
}

/// A row that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BadRow;

impl Row {
    /// Links the row to the chain before it.
    pub(crate) fn seal(&mut self, before: &[u8; 32]) {
        let mut hasher = blake3::Hasher::new();
        hasher.update(before);
        hasher.update(&self.at.to_le_bytes());
        hasher.update(&self.sender.to_le_bytes());
        hasher.update(&self.command.to_le_bytes());
        hasher.update(&self.content.to_le_bytes());
        let step = postcard::to_stdvec(&self.step).expect("a step is plain data");
        for part in [&step, &self.events] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.update(&self.state);
        self.chain = *hasher.finalize().as_bytes();
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let bytes = Vec::with_capacity(128 + self.events.len());
        let mut bytes = postcard::to_extend(self, bytes).expect("a row is plain data");
        bytes.push(LAYOUT);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Row, BadRow> {
        match bytes.split_last() {
            Some((&LAYOUT, row)) => postcard::from_bytes(row).map_err(|_| BadRow),
            _ => Err(BadRow),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            at: 1_700_000_000_000,
            sender: u128::MAX,
            command: 7,
            content: 8,
            step: Step::Entry(vec![1, 2, 3]),
            events: vec![4; 40],
            state: [5; 32],
            chain: [0; 32],
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut row = row();
        row.seal(&[9; 32]);
        assert_eq!(Row::decode(&row.encode()), Ok(row));
    }

    #[test]
    fn a_changed_row_breaks_the_chain() {
        let (mut one, mut other) = (row(), row());
        other.events[3] = 5;
        one.seal(&[9; 32]);
        other.seal(&[9; 32]);
        assert_ne!(one.chain, other.chain);
    }

    #[test]
    fn rows_that_are_cut_off_are_refused() {
        let bytes = row().encode();
        for len in 0..bytes.len() {
            let _ = Row::decode(&bytes[..len]);
        }
        assert_eq!(Row::decode(&[]), Err(BadRow));
        assert_eq!(Row::decode(&[0; 3]), Err(BadRow));
    }
}
