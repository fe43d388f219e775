//! Undo with consent: one seat asks, all others must agree, and the match continues meanwhile.

use intermezzo_program::Seat;

use crate::fold::SessionFold;
use crate::refusal::SessionRefusal;
use crate::runner::MatchRunner;
use crate::viewer_updates::SessionNotice;

/// A pending undo request. Any input in the meantime cancels it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UndoRequest {
    pub(crate) by: Seat,
    pub(crate) needs: Vec<Seat>,
    pub(crate) agreed: Vec<Seat>,
}

impl UndoRequest {
    /// Returns the seats that have not agreed yet.
    pub(crate) fn missing(&self) -> Vec<Seat> {
        self.needs.iter().filter(|seat| !self.agreed.contains(seat)).copied().collect()
    }

    /// Returns whether the agreement of this seat is the last one missing.
    pub(crate) fn is_completed_by(&self, seat: Seat) -> bool {
        self.needs.contains(&seat) && self.missing().iter().all(|open| *open == seat)
    }
}

impl<R: MatchRunner> SessionFold<R> {
    /// Records the agreement of a seat that is not the last one.
    pub(crate) fn agree_partially(&mut self, seat: Seat) -> Result<(), SessionRefusal> {
        let request = self.undo_request_to(seat)?;
        if request.is_completed_by(seat) {
            return Err(SessionRefusal::NeedsHistory);
        }
        if !request.agreed.contains(&seat) {
            request.agreed.push(seat);
        }
        Ok(())
    }

    /// Declines an undo request, which cancels it.
    pub(crate) fn decline_undo(&mut self, seat: Seat) -> Result<(), SessionRefusal> {
        self.undo_request_to(seat)?;
        self.cancel_undo_request();
        Ok(())
    }

    pub(crate) fn undo_request_to(&mut self, seat: Seat) -> Result<&mut UndoRequest, SessionRefusal> {
        let request = self.undo_request.as_mut().filter(|request| request.needs.contains(&seat));
        request.ok_or(SessionRefusal::NotAskedToAgree)
    }

    pub(crate) fn cancel_undo_request(&mut self) {
        let Some(request) = self.undo_request.take() else { return };
        let concerned = request.needs.iter().chain([&request.by]);
        concerned.for_each(|seat| self.notify(*seat, SessionNotice::UndoCancelled { by: request.by }));
    }
}
