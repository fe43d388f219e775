//! The playground of a ruleset's author, served by `intermezzo dev`. Start with [`Playground`].
//!
//! It has one match to try things out. Changes of the match or the files are serialized, and all clients are
//! notified.

mod file_watch;
mod responses;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_compiler::assets::{AssetKind, to_text};
use intermezzo_matchfile::MatchReplay;
use intermezzo_playground::{
    CheckOutcome, FileTexts, FolderError, PlaygroundError, PlaygroundMatch, RulesetFile, RulesetFolder, check,
};
use intermezzo_program::Program;
use intermezzo_protocol::resources::{DevCheck, Reload};
use intermezzo_protocol::{Code, Problem};
use tokio::sync::broadcast;

pub(crate) use file_watch::{PlaygroundEvent, event_stream, watch};
pub(crate) use responses::{
    check_info, hex, match_info, moment_info, parse_dice, playground_info, timeline_page,
};

use crate::problem_mapping;
use intermezzo_services::Services;

/// Limit of queued events for a slow client; after a loss, clients ask for everything again.
const MAX_QUEUED: usize = 64;

/// An open playground.
pub(crate) struct Playground {
    pub(crate) folder: RulesetFolder,
    state: Mutex<PlaygroundState>,
    events: broadcast::Sender<PlaygroundEvent>,
}

/// The rules and the match of the playground.
#[derive(Default)]
pub(crate) struct PlaygroundState {
    /// The last version of the rules without errors.
    pub(crate) program: Option<Arc<Program>>,
    /// True if the current rules have no errors.
    pub(crate) is_playable: bool,
    pub(crate) open_match: Option<PlaygroundMatch>,
    /// Number of changes of the match.
    pub(crate) version: u64,
    /// Replay of the match, with the version it was made from.
    replay: Option<(u64, Arc<MatchReplay>)>,
    /// Hashes of the last seen files, by path.
    known_files: BTreeMap<String, String>,
}

impl Playground {
    /// Opens the playground of a folder.
    pub(crate) fn open(path: &Path) -> Result<Playground, FolderError> {
        let folder = RulesetFolder::open(path)?;
        let (events, _) = broadcast::channel(MAX_QUEUED);
        let playground = Playground { folder, state: Mutex::default(), events };
        let texts = playground.folder.texts(&FileTexts::new())?;
        let known = playground.folder.list()?;
        let mut state = playground.state();
        state.record_files(&known);
        state.record_check(&check(&texts));
        drop(state);
        Ok(playground)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, PlaygroundState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the match, lets bots answer, and notifies all clients.
    pub(crate) fn with_match(
        &self,
        work: impl FnOnce(&mut PlaygroundMatch) -> Result<(), PlaygroundError>,
    ) -> Result<(), Problem> {
        self.without_bots(|open_match| {
            work(open_match)?;
            open_match.play_bots();
            Ok(())
        })
    }

    /// Changes the match and notifies all clients.
    pub(crate) fn without_bots(
        &self,
        work: impl FnOnce(&mut PlaygroundMatch) -> Result<(), PlaygroundError>,
    ) -> Result<(), Problem> {
        let mut state = self.state();
        let open_match = state.open_match.as_mut().ok_or_else(|| Problem::not_found("match"))?;
        let done = work(open_match);
        done.map_err(|refusal| refusal_problem(open_match, &refusal))?;
        let version = state.bump_version();
        drop(state);
        self.publish_event(PlaygroundEvent::Match { version });
        Ok(())
    }

    pub(crate) fn publish_event(&self, event: PlaygroundEvent) {
        // No client may be connected.
        let _ = self.events.send(event);
    }

    /// Checks the rules on disk again and replays the open match under them.
    pub(crate) fn reload(&self) -> Result<(DevCheck, Option<Reload>), Problem> {
        let texts = self.folder.texts(&FileTexts::new()).map_err(|error| file_problem(&error))?;
        let checked = check(&texts);
        let mut state = self.state();
        state.record_check(&checked);
        let has_match = state.open_match.is_some();
        let response = check_info(&checked);
        let reload = has_match.then(|| state.reload(&checked));
        drop(state);
        if let Some(reload) = reload.as_ref().filter(|reload| reload.playable) {
            self.publish_event(PlaygroundEvent::Match { version: reload.version });
        }
        Ok((response, reload))
    }
}

impl PlaygroundState {
    fn record_check(&mut self, checked: &CheckOutcome) {
        self.is_playable = checked.program.is_some();
        if let Some(program) = &checked.program {
            self.program = Some(Arc::clone(program));
        }
    }

    fn record_files(&mut self, files: &[RulesetFile]) {
        self.known_files = files.iter().map(|file| (file.path.clone(), file.hash.clone())).collect();
    }

    /// Counts a change of the match and returns its version.
    pub(crate) fn bump_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    fn reload(&mut self, checked: &CheckOutcome) -> Reload {
        let mut response = Reload {
            version: self.version,
            playable: false,
            diagnostics: checked.diagnostics.clone(),
            problem: None,
            inputs: 0,
            of: 0,
            difference: None,
            stopped: None,
        };
        let (Some(program), Some(open_match)) = (&checked.program, &mut self.open_match) else {
            return response;
        };
        match open_match.reload(program) {
            Ok(reloaded) => {
                response.version = self.bump_version();
                responses::fill_reload(&mut response, reloaded);
            }
            Err(refusal) => response.problem = Some(refusal.to_string()),
        }
        response
    }

    /// Returns the replay of the match.
    pub(crate) fn replay(&mut self) -> Result<Arc<MatchReplay>, Problem> {
        let open_match = self.open_match.as_ref().ok_or_else(|| Problem::not_found("match"))?;
        if let Some((_, replay)) = self.replay.as_ref().filter(|(version, _)| *version == self.version) {
            return Ok(Arc::clone(replay));
        }
        let replay = open_match.replay();
        let replay = Arc::new(replay.map_err(|mismatch| {
            Problem::new(Code::Internal, format!("the match cannot be replayed: {mismatch}"))
        })?);
        self.replay = Some((self.version, Arc::clone(&replay)));
        Ok(replay)
    }
}

/// Publishes the ruleset on this server, if it has no errors, so that others can play it.
pub(crate) async fn publish_ruleset(services: &Services, playground: &Playground) {
    if !playground.state().is_playable {
        return;
    }
    let Ok(texts) = playground.folder.texts(&FileTexts::new()) else { return };
    let Ok(pictures) = playground.folder.assets() else { return };
    let pictures = pictures.into_iter().filter_map(|(path, bytes)| {
        let text = to_text(AssetKind::of(&path)?, &bytes);
        Some((path, text))
    });
    let files = texts.into_iter().filter(|(path, _)| !path.contains('/')).chain(pictures).collect();
    if let Err(problem) = services.publish_bundled(vec![(playground.folder.name(), files)]).await {
        tracing::warn!(%problem, "cannot publish the ruleset");
    }
}

/// Maps file errors to problems.
pub(crate) fn file_problem(error: &FolderError) -> Problem {
    let code = match error {
        FolderError::BadPath(_) | FolderError::NotText(_) => Code::Invalid,
        FolderError::Missing(_) => return Problem::not_found("file"),
        FolderError::TooLarge(_) => Code::TooLarge,
        FolderError::Changed(hash) => {
            return Problem::new(Code::Stale, error.to_string()).with("hash", hash.clone());
        }
        FolderError::NoRuleset(_) | FolderError::Failed(..) => Code::Internal,
    };
    Problem::new(code, error.to_string())
}

/// Maps rejections of the match to problems.
pub(crate) fn refusal_problem(open_match: &mut PlaygroundMatch, refusal: &PlaygroundError) -> Problem {
    let program = Arc::clone(open_match.program());
    match refusal {
        PlaygroundError::Session(seat, refusal) => {
            let problem = problem_mapping::refusal_problem(open_match.session(), *seat, refusal);
            match refusal {
                intermezzo_session::SessionRefusal::Refused(intermezzo_engine::Refusal::Faulted(fault)) => {
                    responses::with_location(problem, &program, fault.location)
                }
                _ => problem,
            }
        }
        PlaygroundError::CannotStart(error) => start_problem(&program, error),
        PlaygroundError::BadSetup(_) | PlaygroundError::InvalidBranch(_) => {
            Problem::new(Code::Invalid, refusal.to_string())
        }
        PlaygroundError::Missing(what) => Problem::not_found(what),
    }
}

/// Maps start errors to problems.
pub(crate) fn start_problem(program: &Program, error: &intermezzo_engine::StartError) -> Problem {
    match error {
        intermezzo_engine::StartError::Fault(fault) => {
            let detail = format!("the match cannot start: {}", fault.code);
            responses::with_location(Problem::new(Code::RuleFailed, detail), program, fault.location)
        }
        error => Problem::new(Code::Invalid, error.to_string()),
    }
}
