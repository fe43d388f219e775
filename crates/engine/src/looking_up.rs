//! What things are made from and what offers are of, for those who watch a match without a view: simulations.

use intermezzo_ruleset::{ActionId, DefId, Word};

use crate::board::Board;
use crate::offers::OFFER_HEAD;

impl Board {
    /// The def an entity was made from; nothing for players, the match, and what is gone.
    #[must_use]
    pub fn def(&self, entity: Word) -> Option<DefId> {
        self.entity(entity).map(|entity| entity.def).filter(|def| *def != crate::board::NO_DEF).map(DefId)
    }

    /// The action an offer is of, and the entity that has it, which may be null.
    #[must_use]
    pub fn offer(&self, offer: Word) -> Option<(ActionId, Word)> {
        let words = self.list(offer).filter(|words| words.len() >= OFFER_HEAD)?;
        Some((ActionId(u16::try_from(words[0]).ok()?), words[2]))
    }
}
