//! The workshop of a ruleset's author, as a server has it open. Start with [`Dev`].
//!
//! There is one match to try things with. Whoever changes it or the files is alone with it; everyone who listens is told.

mod shown;
mod watching;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use intermezzo_journal::Replay;
use intermezzo_playground::{Checked, Folder, FolderError, Found, Refused, Table, Texts, check};
use intermezzo_protocol::resources::{DevChecked, Reload};
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::Program;
use tokio::sync::broadcast;

pub(crate) use shown::{checked, hex, moment, state, timeline, told_dice, workshop};
pub(crate) use watching::{News, listen, watch};

use crate::house::House;
use crate::refusing;

/// News that wait for a slow listener; who misses some asks for everything again.
const MAX_NEWS: usize = 64;

/// A workshop that is open.
pub(crate) struct Dev {
    pub(crate) folder: Folder,
    bench: Mutex<Bench>,
    news: broadcast::Sender<News>,
}

/// What is worked on.
#[derive(Default)]
pub(crate) struct Bench {
    /// The rules as they were when they last had no errors.
    pub(crate) program: Option<Arc<Program>>,
    /// Whether they have none now.
    pub(crate) is_playable: bool,
    pub(crate) table: Option<Table>,
    /// Grows with every change of the match.
    pub(crate) version: u64,
    /// The match to go through, as of a version.
    replay: Option<(u64, Arc<Replay>)>,
    /// The files as they were last seen, with their hashes.
    known: BTreeMap<String, String>,
}

impl Dev {
    /// Opens the workshop in a folder.
    pub(crate) fn open(path: &Path) -> Result<Dev, FolderError> {
        let folder = Folder::open(path)?;
        let (news, _) = broadcast::channel(MAX_NEWS);
        let dev = Dev { folder, bench: Mutex::default(), news };
        let texts = dev.folder.texts(&Texts::new())?;
        let known = dev.folder.list()?;
        let mut bench = dev.bench();
        bench.note_files(&known);
        bench.note(&check(&texts));
        drop(bench);
        Ok(dev)
    }

    pub(crate) fn bench(&self) -> MutexGuard<'_, Bench> {
        self.bench.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the match, lets bots answer, and tells everyone.
    pub(crate) fn with_match(
        &self,
        work: impl FnOnce(&mut Table) -> Result<(), Refused>,
    ) -> Result<(), Problem> {
        self.without_bots(|table| {
            work(table)?;
            table.let_bots_play();
            Ok(())
        })
    }

    /// Does something with the match and tells everyone.
    pub(crate) fn without_bots(
        &self,
        work: impl FnOnce(&mut Table) -> Result<(), Refused>,
    ) -> Result<(), Problem> {
        let mut bench = self.bench();
        let table = bench.table.as_mut().ok_or_else(|| Problem::not_found("match"))?;
        let done = work(table);
        done.map_err(|refused| problem(table, &refused))?;
        let version = bench.has_changed();
        drop(bench);
        self.tell(News::Match { version });
        Ok(())
    }

    pub(crate) fn tell(&self, news: News) {
        // Nobody may be listening.
        let _ = self.news.send(news);
    }

    /// The rules on disk are looked at again, and the open match goes on under them.
    pub(crate) fn reload(&self) -> Result<(DevChecked, Option<Reload>), Problem> {
        let texts = self.folder.texts(&Texts::new()).map_err(|error| file_problem(&error))?;
        let checked = check(&texts);
        let mut bench = self.bench();
        bench.note(&checked);
        let has_match = bench.table.is_some();
        let shown = shown::checked(&checked);
        let reload = has_match.then(|| bench.reload(&checked));
        drop(bench);
        if let Some(reload) = reload.as_ref().filter(|reload| reload.playable) {
            self.tell(News::Match { version: reload.version });
        }
        Ok((shown, reload))
    }
}

impl Bench {
    fn note(&mut self, checked: &Checked) {
        self.is_playable = checked.program.is_some();
        if let Some(program) = &checked.program {
            self.program = Some(Arc::clone(program));
        }
    }

    fn note_files(&mut self, files: &[Found]) {
        self.known = files.iter().map(|found| (found.path.clone(), found.hash.clone())).collect();
    }

    /// The match has changed; gives its version.
    pub(crate) fn has_changed(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    fn reload(&mut self, checked: &Checked) -> Reload {
        let mut shown = Reload {
            version: self.version,
            playable: false,
            diagnostics: checked.diagnostics.clone(),
            problem: None,
            inputs: 0,
            of: 0,
            difference: None,
            stopped: None,
        };
        let (Some(program), Some(table)) = (&checked.program, &mut self.table) else { return shown };
        match table.reload(program) {
            Ok(reloaded) => {
                shown.version = self.has_changed();
                shown::reloaded(&mut shown, reloaded);
            }
            Err(refused) => shown.problem = Some(refused.to_string()),
        }
        shown
    }

    /// The match to go through event by event, and what it was made from.
    pub(crate) fn replay(&mut self) -> Result<Arc<Replay>, Problem> {
        let table = self.table.as_ref().ok_or_else(|| Problem::not_found("match"))?;
        if let Some((_, replay)) = self.replay.as_ref().filter(|(version, _)| *version == self.version) {
            return Ok(Arc::clone(replay));
        }
        let replay = table.replay();
        let replay = Arc::new(replay.map_err(|mismatch| {
            Problem::new(Code::Internal, format!("the match cannot be gone through: {mismatch}"))
        })?);
        self.replay = Some((self.version, Arc::clone(&replay)));
        Ok(replay)
    }
}

/// Lets others play the ruleset as it is, on the same server, if it has no errors.
pub(crate) async fn publish(house: &House, dev: &Dev) {
    if !dev.bench().is_playable {
        return;
    }
    let Ok(texts) = dev.folder.texts(&Texts::new()) else { return };
    let files = texts.into_iter().filter(|(path, _)| !path.contains('/')).collect();
    if let Err(problem) = house.publish_bundled(vec![(dev.folder.name(), files)]).await {
        tracing::warn!(%problem, "the ruleset cannot be published");
    }
}

/// What is wrong with a file, as clients get it.
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

/// Why the match does not take something, as clients get it.
pub(crate) fn problem(table: &mut Table, refused: &Refused) -> Problem {
    let program = Arc::clone(table.program());
    match refused {
        Refused::Desk(seat, refusal) => {
            let problem = refusing::problem(table.desk(), *seat, refusal);
            match refusal {
                intermezzo_desk::DeskRefusal::Refused(intermezzo_engine::Refusal::Faulted(fault)) => {
                    shown::at_place(problem, &program, fault.place)
                }
                _ => problem,
            }
        }
        Refused::CannotStart(error) => start_problem(&program, error),
        Refused::BadSetup(_) | Refused::NoWay(_) => Problem::new(Code::Invalid, refused.to_string()),
        Refused::Missing(what) => Problem::not_found(what),
    }
}

/// Why a match does not begin, as clients get it.
pub(crate) fn start_problem(program: &Program, error: &intermezzo_engine::StartError) -> Problem {
    match error {
        intermezzo_engine::StartError::Fault(fault) => {
            let detail = format!("the match cannot begin: {}", fault.code);
            shown::at_place(Problem::new(Code::RuleFailed, detail), program, fault.place)
        }
        error => Problem::new(Code::Invalid, error.to_string()),
    }
}
