//! Determinization: plausible copies of a match for looking ahead.
//!
//! A bot must not know more than a player at its seat. A [`Determinizer`] produces copies of a match in which
//! everything the seat sees is unchanged and everything it does not see is drawn at random. A copy depends
//! only on the seed and on what the seat sees: matches that differ only in what is hidden from the seat give
//! identical copies, word for word. That is why hidden entities are [identified by their
//! places](crate::view::hidden_state), and why all rows are [renumbered](crate::view::renumber).

use intermezzo_program::{NULL, Seat, ZoneId, native, word};

use crate::ask::input::InputId;
use crate::ask::request::{QuestionState, RequestState, SeatQuestion};
use crate::run::chance::{Chance, DiceScript, Seed};
use crate::run::log::EventLog;
use crate::run::match_instance::Match;
use crate::view::hidden_state::{HiddenState, name_givers};
use crate::view::renumber::Renumbering;

/// Number of redistributions tried while they contradict visible values; the last one is used anyway.
const MAX_TRIES: u32 = 24;

/// Source of determinized copies for one seat.
#[derive(Clone, Debug)]
pub struct Determinizer {
    seat: Seat,
    /// A copy without the answers of other seats.
    game: Match,
    /// Everything the seat does not see; `None` if it sees everything.
    hidden_state: Option<HiddenState>,
    /// Open questions to the seat itself, which must not change.
    own: Vec<InputId>,
    /// True if others are asked at the same time.
    asks_others: bool,
}

impl Match {
    /// Returns a copy in which a seat may look ahead without knowing what it cannot know: a new seed for
    /// randomness, answers and drafts of others withdrawn while the match waits, auto-pass of others turned
    /// off, and everything hidden from the seat drawn at random.
    #[must_use]
    pub fn determinize(&self, seat: Seat, seed: Seed) -> Match {
        self.determinizer(seat).sample(seed)
    }

    /// Returns the number of items on the players' stack.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let zone = self.tables.single_zone(ZoneId::STACK);
        u32::try_from(zone).map_or(0, |zone| self.board.zones.rows(zone).len())
    }

    /// Restarts randomness from another seed, for copies.
    pub fn reseed(&mut self, seed: Seed) {
        self.chance = Chance::new(seed, DiceScript::default());
    }

    /// Creates a source of determinized copies of this match for one seat.
    #[must_use]
    pub fn determinizer(&self, seat: Seat) -> Determinizer {
        let mut game = self.clone();
        game.auto_passes.retain(|auto| auto.seat == seat);
        game.auto_passed.clear();
        let mut asks_others = false;
        if let Some(request) = game.requests.stack.last().filter(|top| top.state == RequestState::Waiting) {
            let asks = game.requests.questions[request.first as usize..].iter_mut();
            for ask in asks.filter(|ask| ask.seat != seat) {
                asks_others = true;
                if ask.how != native::FORCED {
                    ask.reopen();
                }
            }
        }
        if !game.frames.taken_reactions.is_empty() {
            let mut observer = crate::view::observer::Observer::joining(&game);
            let viewer = crate::view::observer::Viewer::Seat(seat);
            game.frames.taken_reactions.retain(|taken| observer.sees(viewer, taken.due.source));
        }
        let own = game.pending().filter(|pending| pending.seat() == seat).map(|own| own.id()).collect();
        let hidden_state = HiddenState::of(&game, seat);
        Determinizer { seat, game, hidden_state, own, asks_others }
    }
}

impl Determinizer {
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Tells whether something is hidden from the seat, or being chosen by others right now.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        self.hidden_state.is_some() || self.asks_others
    }

    /// Returns a plausible copy of the match, always the same for the same seed.
    #[must_use]
    pub fn sample(&self, seed: Seed) -> Match {
        let mut copy = self.game.clone();
        copy.reseed(seed);
        let Some(hidden_state) = &self.hidden_state else { return copy };
        for tries in 1.. {
            let redistribution = hidden_state.redistribute(&mut copy);
            let renumbering = Renumbering::new(&copy, redistribution);
            renumbering.apply(&mut copy);
            name_givers(&mut copy);
            hidden_state.set_properties(&mut copy, renumbering.number());
            copy.board.touch(crate::optimize::dependencies::ALL);
            update_grants(&mut copy);
            if tries == MAX_TRIES || hidden_state.is_consistent(&copy) {
                break;
            }
            // The copy contradicts visible values: try again with the remaining randomness.
            let chance = copy.chance.clone();
            copy = self.game.clone();
            copy.chance = chance;
        }
        match self.asks_others.then(|| self.reask_others(&copy)).flatten() {
            Some(asked) => asked,
            None => copy,
        }
    }

    /// Asks the other seats again, because their legal answers may differ in the copy. `None` if that would
    /// change the seat's own questions.
    fn reask_others(&self, copy: &Match) -> Option<Match> {
        let mut asked = copy.clone();
        let request = asked.requests.stack.last_mut()?;
        request.state = RequestState::Aside;
        let (frame, pc) = (request.frame as usize, request.open_pc);
        if !asked.frames.withdraw_secret_question(frame, asked.program.secret_question) {
            asked.frames.stack.get_mut(frame)?.set_pc(pc);
        }
        let input = asked.counters.inputs;
        asked.with_machine(&mut EventLog::discard(), input, |machine| machine.run()).ok()?;
        let own = |game: &Match| -> Vec<(InputId, usize)> {
            let own = game.pending().filter(|pending| pending.seat() == self.seat);
            own.map(|own| (own.id(), own.option_count())).collect()
        };
        (own(&asked) == own(copy) && own(&asked).len() == self.own.len()).then_some(asked)
    }
}

/// Brings what grants give up to date with the entities that are now in hidden places.
fn update_grants(copy: &mut Match) {
    if copy.program.has_changing_rules() {
        let (input, changes) = (copy.counters.inputs, copy.board.changes);
        // A rule that fails here fails again when the match goes on.
        let _ = copy.with_machine(&mut EventLog::discard(), input, |machine| machine.update_grants());
        // The number of events that this took depends on what is hidden, and offers stay valid.
        copy.board.changes = changes;
    }
}

impl SeatQuestion {
    fn reopen(&mut self) {
        self.state = QuestionState::Open;
        self.touched = false;
        self.has_draft = false;
        self.draft_is_legal = false;
        self.how = native::CONFIRMED;
        self.draft = NULL;
        self.answer = NULL;
    }
}

/// Tells whether a row belongs to the match or to a player; these are never hidden.
pub(crate) fn is_fixed(seats: u8, row: u32) -> bool {
    row <= word::row(word::player(Seat(seats.saturating_sub(1))))
}
