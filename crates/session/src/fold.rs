//! The fold of a match for its viewers: the effect of each entry. Both runners give the same result for the
//! same entries.

use intermezzo_engine::{Input, InputId, Interrupt, Match, Refusal, Rejection, Viewer};
use intermezzo_program::Seat;

use crate::entry::SessionEntry;
use crate::pre_sent_answers::PreSentQueues;
use crate::refusal::SessionRefusal;
use crate::runner::MatchRunner;
use crate::undo_consent::UndoRequest;
use crate::viewer_updates::{ChangeScope, SessionNotice, SessionUpdate, ViewerStates, view_and_prompts};

/// A running match with the state of its viewers.
#[derive(Debug)]
pub(crate) struct SessionFold<R> {
    pub(crate) runner: R,
    pub(crate) pre_sent: PreSentQueues,
    pub(crate) undo_request: Option<UndoRequest>,
    pub(crate) viewers: ViewerStates,
    /// The scope of what the current entry may have changed.
    pub(crate) changed: ChangeScope,
    /// The host's wish to give the next entry up.
    pub(crate) interrupt: Option<Interrupt>,
}

impl<R: MatchRunner> SessionFold<R> {
    /// Finishes the start of a match whose start events were already pushed to the viewers.
    pub(crate) fn start(runner: R, viewers: ViewerStates) -> (SessionFold<R>, SessionUpdate) {
        let pre_sent = PreSentQueues::new(runner.game().board().seats());
        let mut fold = SessionFold {
            runner,
            pre_sent,
            undo_request: None,
            viewers,
            changed: ChangeScope::All,
            interrupt: None,
        };
        let update = fold.finish(None);
        (fold, update)
    }

    pub(crate) fn game(&self) -> &Match {
        self.runner.game()
    }

    /// Applies an entry that does not need the history.
    pub(crate) fn apply(&mut self, entry: &SessionEntry) -> Result<SessionUpdate, SessionRefusal> {
        self.render_current();
        match entry {
            SessionEntry::Input(input) => self.submit(input)?,
            SessionEntry::PreSend { seat, answers } => self.queue_pre_sent(*seat, answers)?,
            SessionEntry::Undo { seat } => {
                self.check_seat(*seat)?;
                return Err(SessionRefusal::NeedsHistory);
            }
            SessionEntry::AgreeToUndo { seat } => self.agree_partially(*seat)?,
            SessionEntry::DeclineUndo { seat } => self.decline_undo(*seat)?,
            SessionEntry::StartTutorial { seat } => self.start_tutorial(*seat)?,
        }
        Ok(self.finish(None))
    }

    /// Renders the current view and prompts of every viewer: they are needed later to tell what changed.
    pub(crate) fn render_current(&mut self) {
        let (observer, game) = self.runner.observer();
        for viewer in observer.viewers() {
            self.viewers.current(viewer, || view_and_prompts(viewer, observer, game));
            observer.prepare_refresh(viewer);
        }
        observer.finish_refresh();
    }

    /// Applies an input, then pre-sent answers as long as they fit.
    fn submit(&mut self, input: &Input) -> Result<(), SessionRefusal> {
        // Only the entry itself can be given up: refusing a pre-sent answer would be part of the outcome.
        let interrupt = self.interrupt.take();
        self.apply_input_unless(interrupt, input)?;
        self.use_pre_sent();
        Ok(())
    }

    /// Submits an input to the match and pushes its events to the viewers.
    pub(crate) fn apply_input(&mut self, input: &Input) -> Result<(), Refusal> {
        self.apply_input_unless(None, input)
    }

    fn apply_input_unless(&mut self, interrupt: Option<Interrupt>, input: &Input) -> Result<(), Refusal> {
        let viewers = &mut self.viewers;
        let mut push_event = |viewer, event| viewers.push_event(viewer, event);
        let changed = self.runner.submit(interrupt, input, &mut push_event)?;
        self.changed = self.changed.max(changed);
        self.cancel_undo_request();
        Ok(())
    }

    fn start_tutorial(&mut self, seat: Seat) -> Result<(), SessionRefusal> {
        self.check_seat(seat)?;
        self.runner.observer().0.start_tutorial(seat);
        self.changed = self.changed.max(ChangeScope::Prompts);
        Ok(())
    }

    /// Completes an entry: collects what changed for each viewer.
    pub(crate) fn finish(&mut self, undone: Option<(Seat, &[bool])>) -> SessionUpdate {
        let changed = std::mem::replace(&mut self.changed, ChangeScope::Nothing);
        let viewers = self.viewers.refresh(changed, self.runner.observer(), undone);
        let (observer, game) = self.runner.observer();
        observer.finish_refresh();
        observer.forget_closed_questions(game);
        let custom_messages = self.runner.take_custom_messages();
        SessionUpdate { viewers, log: self.runner.take_log(), custom_messages }
    }

    pub(crate) fn notify(&mut self, seat: Seat, notice: SessionNotice) {
        self.viewers.push_notice(Viewer::Seat(seat), notice);
    }

    pub(crate) fn check_seat(&self, seat: Seat) -> Result<(), SessionRefusal> {
        let is_there = seat.0 < self.game().board().seats();
        if is_there { Ok(()) } else { Err(Rejection::NoSuchSeat { seat }.into()) }
    }

    /// Finds the open question with this seat's number.
    pub(crate) fn open_question(&mut self, seat: Seat, number: u32) -> Result<InputId, SessionRefusal> {
        self.check_seat(seat)?;
        let (observer, game) = self.runner.observer();
        if game.is_over() {
            return Err(Rejection::MatchOver.into());
        }
        let (viewer, input) = (Viewer::Seat(seat), InputId(number));
        match observer.input_by_number(viewer, number) {
            Some(found) if game.pending().any(|pending| pending.id() == found) => Ok(found),
            _ if observer.was_asked(viewer, number) => Err(Rejection::InputClosed { input }.into()),
            _ => Err(Rejection::NoSuchInput { input }.into()),
        }
    }
}
