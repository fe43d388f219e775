//! What a player takes home from a match, to be compared with what is stored.

use intermezzo_client::Journal;
use intermezzo_store::MatchId;

/// What a player takes home from a match.
#[derive(Debug)]
pub(crate) struct Diary {
    pub(crate) match_id: MatchId,
    pub(crate) journal: Journal,
    /// Everything it was shown, in order.
    pub(crate) heard: Vec<Heard>,
    pub(crate) refusals: Vec<Refused>,
    /// When it had a connection and was welcome, milliseconds since 1970.
    pub(crate) connected: Vec<(i64, i64)>,
}

/// Something a player was shown.
#[derive(Debug)]
pub(crate) enum Heard {
    /// What happened, or how the view changes.
    Step { version: u64, text: String },
    /// What is asked, of this player or of others.
    Questions { version: u64, text: String },
    /// A whole view, by its hash.
    View { version: u64, hash: String },
}

/// A command that was refused.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) id: String,
    pub(crate) frame: String,
    pub(crate) code: String,
    /// How many rows there were when it was first sent …
    pub(crate) from: u64,
    /// … and when the refusal was heard.
    pub(crate) until: u64,
}

impl Diary {
    pub(crate) fn new(match_id: MatchId, account: &str, seat: u8) -> Diary {
        let mut journal = Journal::new(&match_id.to_string(), account, seat);
        // Signs of life may be lost like everything else: then much more counts as absence.
        journal.is_punctual = false;
        let (heard, refusals, connected) = (Vec::new(), Vec::new(), Vec::new());
        Diary { match_id, journal, heard, refusals, connected }
    }
}
