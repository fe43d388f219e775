//! Taking back where others have to agree: one seat asks, all others are asked, the match goes on meanwhile.

use intermezzo_engine::{Rejection, Viewer};
use intermezzo_ruleset::Seat;

use crate::desk::{Desk, News};
use crate::refusal::DeskRefusal;

/// A seat that would like to take something back.
#[derive(Clone, Debug)]
pub(crate) struct Consent {
    by: Seat,
    needs: Vec<Seat>,
    agreed: Vec<Seat>,
}

impl Desk {
    /// Takes back the last answer of a seat, or asks the others first where that is needed. True if it was taken back.
    ///
    /// Whatever is taken meanwhile ends the asking.
    ///
    /// # Errors
    ///
    /// If there is nothing that could be taken back.
    pub fn take_back(&mut self, seat: Seat) -> Result<bool, DeskRefusal> {
        if seat.0 >= self.playing().board().seats() {
            return Err(Rejection::NoSuchSeat { seat }.into());
        }
        let needs = self.recorder.undo_of(seat)?.needs;
        if needs.is_empty() {
            self.go_back(seat, &[])?;
            return Ok(true);
        }
        self.forget_consent();
        needs.iter().for_each(|other| self.tell(Viewer::Seat(*other), News::WouldTakeBack { by: seat }));
        self.consent = Some(Consent { by: seat, needs, agreed: Vec::new() });
        Ok(false)
    }

    /// A seat agrees that another takes back. True if it was taken back.
    ///
    /// # Errors
    ///
    /// If the seat was not asked.
    pub fn agree(&mut self, seat: Seat) -> Result<bool, DeskRefusal> {
        let consent = self.asked(seat)?;
        if !consent.agreed.contains(&seat) {
            consent.agreed.push(seat);
        }
        let (by, agreed) = (consent.by, consent.agreed.clone());
        if consent.needs.iter().any(|other| !agreed.contains(other)) {
            return Ok(false);
        }
        self.consent = None;
        self.go_back(by, &agreed)?;
        Ok(true)
    }

    /// A seat does not agree: nothing is taken back.
    ///
    /// # Errors
    ///
    /// If the seat was not asked.
    pub fn decline(&mut self, seat: Seat) -> Result<(), DeskRefusal> {
        self.asked(seat)?;
        self.forget_consent();
        Ok(())
    }

    /// The seat that would like to take back, and those that have not agreed yet.
    #[must_use]
    pub fn consent(&self) -> Option<(Seat, Vec<Seat>)> {
        let consent = self.consent.as_ref()?;
        let open = consent.needs.iter().filter(|seat| !consent.agreed.contains(seat));
        Some((consent.by, open.copied().collect()))
    }

    fn asked(&mut self, seat: Seat) -> Result<&mut Consent, DeskRefusal> {
        let consent = self.consent.as_mut().filter(|consent| consent.needs.contains(&seat));
        consent.ok_or(DeskRefusal::NotAskedToAgree)
    }

    pub(crate) fn forget_consent(&mut self) {
        let Some(consent) = self.consent.take() else { return };
        let concerned = consent.needs.iter().chain([&consent.by]);
        concerned.for_each(|seat| {
            self.tell(Viewer::Seat(*seat), News::NotTakenBack { by: consent.by });
        });
    }

    fn go_back(&mut self, by: Seat, agreed: &[Seat]) -> Result<(), DeskRefusal> {
        self.recorder.undo(by, agreed)?;
        self.ahead.clear();
        self.has_changed();
        self.tell_all(&News::TakenBack { by });
        Ok(())
    }
}
