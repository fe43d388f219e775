//! Taking back where others have to agree: one seat asks, all others are asked, the match goes on meanwhile.

use intermezzo_ruleset::Seat;

use crate::fold::Fold;
use crate::refusal::DeskRefusal;
use crate::running::Run;
use crate::shown::Notice;

/// A seat that would like to take something back. Whatever is taken meanwhile ends the asking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Consent {
    pub(crate) by: Seat,
    pub(crate) needs: Vec<Seat>,
    pub(crate) agreed: Vec<Seat>,
}

impl Consent {
    /// Those who have not agreed yet.
    pub(crate) fn open(&self) -> Vec<Seat> {
        self.needs.iter().filter(|seat| !self.agreed.contains(seat)).copied().collect()
    }

    /// Whether nobody is missing once that seat agrees.
    pub(crate) fn is_completed_by(&self, seat: Seat) -> bool {
        self.needs.contains(&seat) && self.open().iter().all(|open| *open == seat)
    }
}

impl<R: Run> Fold<R> {
    /// A seat agrees, but others are missing.
    pub(crate) fn agree_in_part(&mut self, seat: Seat) -> Result<(), DeskRefusal> {
        let consent = self.asked(seat)?;
        if consent.is_completed_by(seat) {
            return Err(DeskRefusal::NeedsPast);
        }
        if !consent.agreed.contains(&seat) {
            consent.agreed.push(seat);
        }
        Ok(())
    }

    /// A seat does not agree: nothing is taken back.
    pub(crate) fn decline(&mut self, seat: Seat) -> Result<(), DeskRefusal> {
        self.asked(seat)?;
        self.forget_consent();
        Ok(())
    }

    pub(crate) fn asked(&mut self, seat: Seat) -> Result<&mut Consent, DeskRefusal> {
        let consent = self.consent.as_mut().filter(|consent| consent.needs.contains(&seat));
        consent.ok_or(DeskRefusal::NotAskedToAgree)
    }

    pub(crate) fn forget_consent(&mut self) {
        let Some(consent) = self.consent.take() else { return };
        let concerned = consent.needs.iter().chain([&consent.by]);
        concerned.for_each(|seat| self.tell(*seat, Notice::NotTakenBack { by: consent.by }));
    }
}
