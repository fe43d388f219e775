//! The rows of a match that continues another one.

use intermezzo_matchfile::MatchFile;
use intermezzo_session::SessionEntry;

use super::fold::{CommandSender, MatchConfig, MatchState};

/// The first rows of a fork.
#[derive(Debug)]
pub(crate) struct ForkedRows {
    pub(crate) rows: Vec<Vec<u8>>,
    /// True if the match has already ended.
    pub(crate) is_over: bool,
}

/// Plays all inputs of a match file, all at the same time.
pub(crate) fn fork_rows(config: MatchConfig, at: i64, file: &MatchFile) -> Result<ForkedRows, String> {
    let program = std::sync::Arc::clone(&config.program);
    let (mut state, first) = MatchState::start(config, at).map_err(|error| error.to_string())?;
    let mut rows = vec![first.row];
    for saved in &file.inputs {
        let entry = SessionEntry::Input(saved.input.to_input(&program)?);
        let written = state
            .apply_entry(at, CommandSender::default(), &entry, None)
            .map_err(|refusal| refusal.to_string())?;
        rows.push(written.row);
    }
    Ok(ForkedRows { rows, is_over: state.session.game().is_over() })
}
