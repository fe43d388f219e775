//! The rows of a match that begins like another.

use intermezzo_desk::Entry;
use intermezzo_journal::MatchFile;

use super::fold::{Room, Sender, Terms};

/// The first rows of a match.
#[derive(Debug)]
pub(crate) struct Forked {
    pub(crate) rows: Vec<Vec<u8>>,
    /// Nothing is left to play.
    pub(crate) is_over: bool,
}

/// Plays all inputs of a match file on these terms, all at the same moment.
pub(crate) fn forked_rows(terms: Terms, at: i64, file: &MatchFile) -> Result<Forked, String> {
    let program = std::sync::Arc::clone(&terms.program);
    let (mut room, first) = Room::begin(terms, at).map_err(|error| error.to_string())?;
    let mut rows = vec![first.row];
    for saved in &file.inputs {
        let entry = Entry::Input(saved.input.to_input(&program)?);
        let written =
            room.take(at, Sender::default(), &entry, None).map_err(|refusal| refusal.to_string())?;
        rows.push(written.row);
    }
    Ok(Forked { rows, is_over: room.desk.playing().is_over() })
}
