//! Copies of a match for thinking about what could happen.

use intermezzo_ruleset::{NULL, Seat, native};

use crate::chance::{Chance, Script, Seed};
use crate::play::Match;
use crate::request::{Ask, AskStanding, Standing};

impl Match {
    /// A copy in which a seat may look ahead without knowing what it cannot know: chance goes on from another seed,
    /// what others have answered or drafted while the match still waits is open again, and nobody else passes by
    /// itself.
    ///
    /// All else is as it is, hidden things included. Whoever may not see them must not look.
    #[must_use]
    pub fn imagined(&self, seat: Seat, seed: Seed) -> Match {
        let mut copy = self.clone();
        copy.chance = Chance::new(seed, Script::default());
        copy.auto.retain(|auto| auto.seat == seat);
        if let Some(request) = copy.requests.stack.last().filter(|top| top.standing == Standing::Waiting) {
            let asks = copy.requests.asks[request.first as usize..].iter_mut();
            asks.filter(|ask| ask.seat != seat && ask.how != native::FORCED).for_each(Ask::reopen);
        }
        copy
    }
}

impl Ask {
    fn reopen(&mut self) {
        self.standing = AskStanding::Open;
        self.touched = false;
        self.has_draft = false;
        self.draft_is_legal = false;
        self.how = native::CONFIRMED;
        self.draft = NULL;
        self.answer = NULL;
    }
}
