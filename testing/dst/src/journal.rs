//! Everything a player recorded in a match, for comparison with the stored rows.

use intermezzo_store::MatchId;
use intermezzo_test_client::ClientJournal;

/// Everything a player recorded in a match.
#[derive(Debug)]
pub(crate) struct MatchJournal {
    pub(crate) match_id: MatchId,
    pub(crate) journal: ClientJournal,
    /// All frames with game content, in order.
    pub(crate) received: Vec<ReceivedFrame>,
    pub(crate) refusals: Vec<RefusedCommand>,
    /// Times from each welcome to the loss of its connection, in milliseconds since 1970.
    pub(crate) connected: Vec<(i64, i64)>,
}

/// A frame with game content.
#[derive(Debug)]
pub(crate) enum ReceivedFrame {
    /// Events or a patch of the view.
    Step { version: u64, text: String },
    /// Open questions of this player or of others.
    Questions { version: u64, text: String },
    /// A complete view, by its hash.
    View { version: u64, hash: String },
}

#[derive(Debug)]
pub(crate) struct RefusedCommand {
    pub(crate) id: String,
    pub(crate) frame: String,
    pub(crate) code: String,
    /// Number of rows when the command was first sent.
    pub(crate) from: u64,
    /// Number of rows when the refusal was received.
    pub(crate) until: u64,
}

impl MatchJournal {
    pub(crate) fn new(match_id: MatchId, account: &str, seat: u8) -> MatchJournal {
        let mut journal = ClientJournal::new(&match_id.to_string(), account, seat);
        // Heartbeats get lost too, and then a longer time counts as downtime.
        journal.is_punctual = false;
        let (received, refusals, connected) = (Vec::new(), Vec::new(), Vec::new());
        MatchJournal { match_id, journal, received, refusals, connected }
    }
}
