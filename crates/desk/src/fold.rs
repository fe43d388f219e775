//! The fold of a match for its viewers: what each entry makes of what there is. However the match is run, the same
//! entries give the same.

use intermezzo_engine::{Input, InputId, Match, Refusal, Rejection, Viewer};
use intermezzo_ruleset::Seat;

use crate::ahead::Queues;
use crate::consent::Consent;
use crate::entry::Entry;
use crate::refusal::DeskRefusal;
use crate::running::Run;
use crate::shown::{Changed, Notice, Sheets, Taken, look};

/// A match under way with all that is known about its viewers.
#[derive(Debug)]
pub(crate) struct Fold<R> {
    pub(crate) run: R,
    pub(crate) ahead: Queues,
    pub(crate) consent: Option<Consent>,
    pub(crate) sheets: Sheets,
    /// What may have changed with the entry under way.
    pub(crate) changed: Changed,
}

impl<R: Run> Fold<R> {
    /// A match that has just begun; the events of its start are on the sheets already.
    pub(crate) fn begin(run: R, sheets: Sheets) -> (Fold<R>, Taken) {
        let ahead = Queues::new(run.playing().board().seats());
        let mut fold = Fold { run, ahead, consent: None, sheets, changed: Changed::All };
        let taken = fold.finish(None);
        (fold, taken)
    }

    pub(crate) fn playing(&self) -> &Match {
        self.run.playing()
    }

    /// Takes an entry that needs nothing of the past.
    pub(crate) fn take(&mut self, entry: &Entry) -> Result<Taken, DeskRefusal> {
        self.wake();
        match entry {
            Entry::Input(input) => self.submit(input)?,
            Entry::Ahead { seat, answers } => self.send_ahead(*seat, answers)?,
            Entry::TakeBack { seat } => {
                self.check_seat(*seat)?;
                return Err(DeskRefusal::NeedsPast);
            }
            Entry::Agree { seat } => self.agree_in_part(*seat)?,
            Entry::Decline { seat } => self.decline(*seat)?,
            Entry::Teach { seat } => self.teach(*seat)?,
        }
        Ok(self.finish(None))
    }

    /// What viewers have before them has to be there before anything changes, to tell what has.
    pub(crate) fn wake(&mut self) {
        let (witness, playing) = self.run.witness();
        for viewer in witness.viewers() {
            self.sheets.before(viewer, || look(viewer, witness, playing));
        }
    }

    /// Takes an input, then answers sent ahead as long as they fit.
    fn submit(&mut self, input: &Input) -> Result<(), DeskRefusal> {
        self.enter(input)?;
        self.use_ahead();
        Ok(())
    }

    /// Hands an input to the match and what happens to its viewers.
    pub(crate) fn enter(&mut self, input: &Input) -> Result<(), Refusal> {
        let sheets = &mut self.sheets;
        let changed = self.run.submit(input, &mut |viewer, event| sheets.happened(viewer, event))?;
        self.changed = self.changed.max(changed);
        self.forget_consent();
        Ok(())
    }

    fn teach(&mut self, seat: Seat) -> Result<(), DeskRefusal> {
        self.check_seat(seat)?;
        self.run.witness().0.teach(seat);
        self.changed = self.changed.max(Changed::Prompts);
        Ok(())
    }

    /// Shows everyone what has changed.
    pub(crate) fn finish(&mut self, taken_back: Option<(Seat, &[bool])>) -> Taken {
        let changed = std::mem::replace(&mut self.changed, Changed::Nothing);
        let shown = self.sheets.renew(changed, self.run.witness(), taken_back);
        let (witness, playing) = self.run.witness();
        witness.forget_closed(playing);
        let state = playing.state_hash();
        let letters = self.run.take_letters();
        Taken { shown, log: self.run.take_log(), state, letters }
    }

    pub(crate) fn tell(&mut self, seat: Seat, notice: Notice) {
        self.sheets.tell(Viewer::Seat(seat), notice);
    }

    pub(crate) fn check_seat(&self, seat: Seat) -> Result<(), DeskRefusal> {
        let is_there = seat.0 < self.playing().board().seats();
        if is_there { Ok(()) } else { Err(Rejection::NoSuchSeat { seat }.into()) }
    }

    /// The open question that a seat knows by that number.
    pub(crate) fn question(&mut self, seat: Seat, number: u32) -> Result<InputId, DeskRefusal> {
        self.check_seat(seat)?;
        let (witness, playing) = self.run.witness();
        if playing.is_over() {
            return Err(Rejection::MatchOver.into());
        }
        let (viewer, input) = (Viewer::Seat(seat), InputId(number));
        match witness.input_named(viewer, number) {
            Some(found) if playing.pending().any(|pending| pending.id() == found) => Ok(found),
            _ if witness.has_asked(viewer, number) => Err(Rejection::InputClosed { input }.into()),
            _ => Err(Rejection::NoSuchInput { input }.into()),
        }
    }
}
