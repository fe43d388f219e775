//! The session itself. Start with [`Session::start`] and [`Session::apply`].

use std::sync::Arc;

use intermezzo_engine::{Datum, InputId, Interrupt, Match, Setup, StartError, Viewer};
use intermezzo_matchfile::{MatchFile, Recorder, ReplayMismatch};
use intermezzo_program::{Program, Seat};

use crate::entry::SessionEntry;
use crate::fold::SessionFold;
use crate::full_history::RecordedSession;
use crate::refusal::SessionRefusal;
use crate::runner::{LightRunner, MatchRunner};
use crate::viewer_updates::{SessionUpdate, ViewerStates, view_and_prompts};

/// One match as its viewers see it.
///
/// It holds the match, the state of its viewers, and all entries unless the history is
/// [dropped](Session::drop_history).
#[derive(Debug)]
pub struct Session {
    pub(crate) fold: SessionFold<LightRunner>,
    pub(crate) setup: Setup,
    /// All entries; `None` if the caller stores them.
    pub(crate) history: Option<Vec<SessionEntry>>,
    /// The session with full history, if an undo was requested recently.
    pub(crate) recorded: Option<Box<RecordedSession>>,
    /// Questions whose custom messages were sent, while custom messages are enabled.
    pub(crate) announced: Vec<InputId>,
}

/// An open question, for the caller's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenQuestion {
    /// The engine's id.
    pub input: InputId,
    pub seat: Seat,
    /// The number by which the seat knows it.
    pub question: u32,
    /// The time to answer, if limited.
    pub deadline_ms: Option<i64>,
}

impl Session {
    /// Starts a match.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset, or a rule fails.
    pub fn start(program: &Arc<Program>, setup: &Setup) -> Result<(Session, SessionUpdate), StartError> {
        Session::start_unless(None, program, setup)
    }

    /// Starts a match like [`Session::start`]. The host may give up what viewers are shown, as with
    /// [`Session::interrupt_reads`].
    ///
    /// # Errors
    ///
    /// Those of [`Session::start`].
    pub fn start_unless(
        interrupt: Option<Interrupt>,
        program: &Arc<Program>,
        setup: &Setup,
    ) -> Result<(Session, SessionUpdate), StartError> {
        let mut viewers = ViewerStates::new(setup.seats);
        let push_event = &mut |viewer, event| viewers.push_event(viewer, event);
        let runner = LightRunner::start(interrupt, program, setup, push_event)?;
        let (fold, update) = SessionFold::start(runner, viewers);
        let (history, recorded) = (Some(Vec::new()), None);
        let mut session = Session { fold, setup: setup.clone(), history, recorded, announced: Vec::new() };
        session.interrupt_reads(None);
        Ok((session, update))
    }

    /// Resumes a recorded match. Undone inputs stay in its file.
    ///
    /// # Errors
    ///
    /// If the file does not verify, or was recorded with another ruleset.
    pub fn resume(file: &MatchFile, program: &Arc<Program>) -> Result<Session, ReplayMismatch> {
        Recorder::resume(file, program)?;
        let setup = file.setup(program)?;
        let (mut session, _) = Session::start(program, &setup).expect("a verified match starts");
        for entry in &file.inputs {
            let input = entry.input.to_input(program).expect("verified inputs can be read");
            session.apply(&SessionEntry::Input(input), None).expect("verified inputs are accepted");
        }
        Ok(session)
    }

    /// Applies the next entry. `history` is the whole history, in order; it is used only if the entry [needs
    /// it](Session::needs_history), and may be omitted while the session keeps its own history.
    ///
    /// # Errors
    ///
    /// If the entry is rejected. Then nothing has changed.
    pub fn apply(
        &mut self,
        entry: &SessionEntry,
        history: Option<&[SessionEntry]>,
    ) -> Result<SessionUpdate, SessionRefusal> {
        let update = match self.needs_history(entry) {
            true => self.apply_with_history(entry, history),
            false => self.fold.apply(entry),
        };
        self.fold.interrupt = None;
        let mut update = update?;
        self.add_question_messages(&mut update);
        self.history.iter_mut().for_each(|own| own.push(entry.clone()));
        Ok(update)
    }

    /// Lets the host give the next entry up while its rules run: it is then refused with
    /// [`FaultCode::Time`](intermezzo_program::FaultCode::Time) and changes nothing. Entries that need the history, and
    /// what follows of itself, are never given up.
    pub fn interrupt_next(&mut self, interrupt: Interrupt) {
        self.fold.interrupt = Some(interrupt);
    }

    /// Lets the host give up what is computed besides the rules of entries: views, prompts, and answers to queries. Once it has
    /// done so, what was computed since is wrong, and the host must drop the session.
    pub fn interrupt_reads(&mut self, interrupt: Option<Interrupt>) {
        self.fold.runner.interrupt_reads(interrupt);
    }

    /// Returns whether an entry needs the history: an undo does, and so does the last agreement to one.
    #[must_use]
    pub fn needs_history(&self, entry: &SessionEntry) -> bool {
        match entry {
            SessionEntry::Undo { seat } => self.fold.check_seat(*seat).is_ok(),
            SessionEntry::AgreeToUndo { seat } => {
                self.fold.undo_request.as_ref().is_some_and(|request| request.is_completed_by(*seat))
            }
            _ => false,
        }
    }

    /// Stops keeping the history: from now on the caller passes it where it is needed.
    pub fn drop_history(&mut self) {
        self.history = None;
    }

    /// Returns all entries, if the session keeps them.
    #[must_use]
    pub fn history(&self) -> Option<&[SessionEntry]> {
        self.history.as_deref()
    }

    /// Frees memory that is not needed while the match waits. The next entry or read allocates it again.
    pub fn compact(&mut self) {
        self.recorded = None;
        self.fold.viewers.compact();
        self.fold.pre_sent.compact();
        self.fold.runner.compact();
    }

    /// Returns the current match.
    #[must_use]
    pub fn game(&self) -> &Match {
        self.fold.game()
    }

    /// Returns the setup of the match.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the open questions, in the engine's order.
    #[must_use]
    pub fn pending(&self) -> Vec<OpenQuestion> {
        let names = self.fold.runner.viewer_names();
        let asked = self.game().pending().map(|pending| OpenQuestion {
            input: pending.id(),
            seat: pending.seat(),
            question: names.number_of(Viewer::Seat(pending.seat()), pending.id()).unwrap_or(0),
            deadline_ms: pending.deadline_ms(),
        });
        asked.collect()
    }

    /// Returns the view of a viewer.
    #[must_use]
    pub fn view(&self, viewer: Viewer) -> &Datum {
        &self.current(viewer).0
    }

    /// Returns the prompts of a viewer.
    #[must_use]
    pub fn prompts(&self, viewer: Viewer) -> &Datum {
        &self.current(viewer).1
    }

    fn current(&self, viewer: Viewer) -> &(Datum, Datum) {
        // Everything visible now already has a name, so a copy of the observer gives the same result and leaves
        // no trace.
        let render = || view_and_prompts(viewer, &mut self.fold.runner.clone_observer(), self.game());
        self.fold.viewers.current(viewer, render)
    }

    /// Returns the viewer's version: the number of entries that changed something for it, including the start.
    #[must_use]
    pub fn version(&self, viewer: Viewer) -> u64 {
        self.fold.viewers.version(viewer)
    }

    /// Checks that a viewer's version is current.
    ///
    /// # Errors
    ///
    /// If the match has changed since.
    pub fn check_version(&self, viewer: Viewer, version: u64) -> Result<(), SessionRefusal> {
        let now = self.version(viewer);
        if version == now { Ok(()) } else { Err(SessionRefusal::Stale { version: now }) }
    }

    /// Returns the number of unused pre-sent answers of a seat.
    #[must_use]
    pub fn pre_sent_count(&self, seat: Seat) -> usize {
        self.fold.pre_sent.count(seat)
    }

    /// Returns the seat that asks for an undo, and the seats that have not agreed yet.
    #[must_use]
    pub fn undo_request(&self) -> Option<(Seat, Vec<Seat>)> {
        self.fold.undo_request.as_ref().map(|request| (request.by, request.missing()))
    }

    fn apply_with_history(
        &mut self,
        entry: &SessionEntry,
        history: Option<&[SessionEntry]>,
    ) -> Result<SessionUpdate, SessionRefusal> {
        let own = self.history.take();
        let update = match history.or(own.as_deref()) {
            Some(history) => self.apply_recorded(entry, history),
            None => Err(SessionRefusal::NeedsHistory),
        };
        self.history = own;
        update
    }

    /// Applies the entry to the session with full history, and continues from its result.
    fn apply_recorded(
        &mut self,
        entry: &SessionEntry,
        history: &[SessionEntry],
    ) -> Result<SessionUpdate, SessionRefusal> {
        let mut recorded = self.catch_up(history)?;
        let update = recorded.apply(entry);
        if update.is_ok() {
            let custom_messages = self.fold.runner.custom_messages.take();
            self.fold = without_history(&mut recorded.fold);
            self.fold.runner.custom_messages = custom_messages;
        }
        self.recorded = Some(recorded);
        update
    }

    /// Returns the session with full history, after all entries of `history`.
    fn catch_up(&mut self, history: &[SessionEntry]) -> Result<Box<RecordedSession>, SessionRefusal> {
        let mut recorded = match self.recorded.take().filter(|old| old.entries <= history.len()) {
            Some(recorded) => recorded,
            None => {
                let started = RecordedSession::start(self.game().program(), &self.setup);
                Box::new(started.map_err(|_| SessionRefusal::WrongHistory)?.0)
            }
        };
        for entry in &history[recorded.entries..] {
            recorded.apply(entry).map_err(|_| SessionRefusal::WrongHistory)?;
        }
        let (there, here) = (&recorded.fold, &self.fold);
        let is_same = there.game().state_hash() == here.game().state_hash()
            && there.viewers.versions().eq(here.viewers.versions());
        if is_same { Ok(recorded) } else { Err(SessionRefusal::WrongHistory) }
    }
}

/// Returns the fold without its history.
fn without_history<R: MatchRunner>(fold: &mut SessionFold<R>) -> SessionFold<LightRunner> {
    let (observer, game) = fold.runner.observer();
    let mut observer = observer.clone();
    observer.stop_tracking_disclosure();
    SessionFold {
        runner: LightRunner::with_observer(game.clone(), observer),
        pre_sent: fold.pre_sent.clone(),
        undo_request: fold.undo_request.clone(),
        viewers: fold.viewers.clone(),
        changed: fold.changed,
        interrupt: None,
    }
}
