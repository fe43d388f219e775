//! Copies of a match for thinking about what could happen.
//!
//! Whoever thinks must not know more than a player at that seat. An
//! [`Imagination`] is what a seat may take for possible: from it come matches in
//! which all that the seat sees is as it is, and all that it does not see is
//! drawn anew. What is drawn depends on the seed and on what the seat sees, and on
//! nothing else: matches that differ only in what is hidden from the seat give the
//! same copies, number for number. That is why hidden things are [told
//! apart](crate::hiding) by their places, and why all rows get [new
//! numbers](crate::renumbering).

use intermezzo_ruleset::{NULL, Seat, ZoneId, native, word};

use crate::chance::{Chance, Script, Seed};
use crate::hiding::Hiding;
use crate::input::InputId;
use crate::log::Log;
use crate::play::Match;
use crate::renumbering::Relabelling;
use crate::request::{Ask, AskStanding, Standing};

/// So many deals are tried if what is open to all contradicts them; the last one has to do.
const MAX_TRIES: u32 = 24;

/// What a seat may take for possible.
#[derive(Clone, Debug)]
pub struct Imagination {
    seat: Seat,
    /// A copy in which nobody else has answered.
    game: Match,
    /// What the seat does not see; nothing if it sees everything.
    hiding: Option<Hiding>,
    /// The questions to the seat itself, which must stay what they are.
    own: Vec<InputId>,
    /// Others are asked at the same time.
    asks_others: bool,
}

impl Match {
    /// A copy in which a seat may look ahead without knowing what it cannot know: chance goes on from another seed,
    /// what others have answered or drafted while the match still waits is open again, nobody else passes by
    /// itself, and what is hidden from the seat is drawn anew.
    #[must_use]
    pub fn imagined(&self, seat: Seat, seed: Seed) -> Match {
        self.imagination(seat).draw(seed)
    }

    /// How many items wait on the players' stack.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let zone = self.tables.single(ZoneId::STACK);
        u32::try_from(zone).map_or(0, |zone| self.board.zones.rows(zone).len())
    }

    /// Lets chance go on from another seed, for copies.
    pub fn begin_chance(&mut self, seed: Seed) {
        self.chance = Chance::new(seed, Script::default());
    }

    /// What a seat may take for possible, for many copies of the same match.
    #[must_use]
    pub fn imagination(&self, seat: Seat) -> Imagination {
        let mut game = self.clone();
        game.auto.retain(|auto| auto.seat == seat);
        game.passed.clear();
        let mut asks_others = false;
        if let Some(request) = game.requests.stack.last().filter(|top| top.standing == Standing::Waiting) {
            let asks = game.requests.asks[request.first as usize..].iter_mut();
            for ask in asks.filter(|ask| ask.seat != seat) {
                asks_others = true;
                if ask.how != native::FORCED {
                    ask.reopen();
                }
            }
        }
        let own = game.pending().filter(|pending| pending.seat() == seat).map(|own| own.id()).collect();
        let hiding = Hiding::of(&game, seat);
        Imagination { seat, game, hiding, own, asks_others }
    }
}

impl Imagination {
    /// Whose imagination it is.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Whether something is hidden from the seat, or chosen by others at this moment.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        self.hiding.is_some() || self.asks_others
    }

    /// A match as it might be, the same for the same seed.
    #[must_use]
    pub fn draw(&self, seed: Seed) -> Match {
        let mut copy = self.game.clone();
        copy.begin_chance(seed);
        let Some(hiding) = &self.hiding else { return copy };
        for tries in 1.. {
            let dealt = hiding.deal(&mut copy);
            let relabelling = Relabelling::new(&copy, dealt);
            relabelling.apply(&mut copy);
            hiding.set_properties(&mut copy, relabelling.number());
            copy.board.touched = crate::reads::ALL;
            if tries == MAX_TRIES || hiding.is_consistent(&copy) {
                break;
            }
            // What is open to all contradicts it: another deal, by the chance that is left.
            let chance = copy.chance.clone();
            copy = self.game.clone();
            copy.chance = chance;
        }
        match self.asks_others.then(|| self.ask_again(&copy)).flatten() {
            Some(asked) => asked,
            None => copy,
        }
    }

    /// Puts the questions to others again, since what they can answer may be another matter now. Nothing if that
    /// would change what the seat itself is asked.
    fn ask_again(&self, copy: &Match) -> Option<Match> {
        let mut asked = copy.clone();
        let request = asked.requests.stack.last_mut()?;
        request.standing = Standing::Aside;
        let (frame, pc) = (request.frame as usize, request.open_pc);
        asked.agenda.frames.get_mut(frame)?.pc = pc;
        let input = asked.counters.inputs;
        asked.work(&mut Log::discard(), input, |machine| machine.run()).ok()?;
        let own = |game: &Match| -> Vec<(InputId, usize)> {
            let own = game.pending().filter(|pending| pending.seat() == self.seat);
            own.map(|own| (own.id(), own.option_count())).collect()
        };
        (own(&asked) == own(copy) && own(&asked).len() == self.own.len()).then_some(asked)
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

/// Whether a row belongs to the match or to a player, of whom everybody knows.
pub(crate) fn is_fixed(seats: u8, row: u32) -> bool {
    row <= word::row(word::player(Seat(seats.saturating_sub(1))))
}
