//! MiniTCG v1 by hand: creatures, spells, a stack with priority, and triggers
//! that wait in a queue.
//!
//! This file holds the state, the setup and the random players. Then read
//! `moves.rs` (what may be done), `apply.rs` (what that does) and `settle.rs`
//! (deaths and triggers, after everything that can hurt).

mod apply;
mod cards;
mod moves;
mod settle;

pub use cards::Card;
pub use moves::{Move, Target};

use std::ops::RangeInclusive;

use cards::UNSHUFFLED;
use moves::MOVE_CAPACITY;
use settle::{QUEUE_SIZE, Trigger};

use super::list::{List, Places};
use super::mulberry::{Fnv, Mulberry};
use super::{Outcome, Seat};

const DECK_SIZE: usize = 30;
const HAND_SIZE: usize = 10;
const FIELD_SIZE: usize = 7;
const STARTING_HP: i16 = 20;

/// One card below and every Negate of both decks above it.
const STACK_SIZE: usize = 9;

/// A creature on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creature {
    /// Which card it is.
    pub card: Card,
    /// The health it has left; not above 0 means dead.
    pub health: i8,
}

impl Creature {
    const NONE: Creature = Creature { card: Card::Grunt, health: 0 };
}

/// A card that was cast and has not resolved yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackItem {
    /// Which card it is.
    pub card: Card,
    /// Who cast it.
    pub controller: Seat,
    /// What a Bolt is aimed at; any target for the other cards.
    target: Target,
}

#[derive(Debug, Clone, Copy)]
struct Player {
    hp: i16,
    mana: u8,
    max_mana: u8,
    fatigue: u8,
    /// How many Captains are on the field, so that power needs no search.
    captains: u8,
    hand: List<Card, HAND_SIZE>,
    field: List<Creature, FIELD_SIZE>,
    /// The slots of the creatures that may attack.
    ready: Places,
    /// The last card is the top.
    deck: List<Card, DECK_SIZE>,
    graveyard: List<Card, DECK_SIZE>,
}

impl Player {
    fn new(deck: &[u8; DECK_SIZE]) -> Self {
        Player {
            hp: STARTING_HP,
            mana: 0,
            max_mana: 0,
            fatigue: 0,
            captains: 0,
            hand: List::new(Card::Grunt),
            field: List::new(Creature::NONE),
            ready: Places::NONE,
            deck: List::full(deck.map(|id| Card::ALL[usize::from(id)])),
            graveyard: List::new(Card::Grunt),
        }
    }

    #[inline]
    fn draw(&mut self) {
        match self.deck.pop() {
            Some(card) if self.hand.len() < HAND_SIZE => self.hand.push(card),
            Some(card) => self.graveyard.push(card),
            None => {
                self.fatigue += 1;
                self.hp -= i16::from(self.fatigue);
            }
        }
    }

    #[inline]
    fn power_in(&self, slot: usize) -> u8 {
        let card = self.field[slot].card;
        card.base_power() + self.captains - u8::from(card == Card::Captain)
    }
}

/// A match of MiniTCG in progress.
#[derive(Debug, Clone, Copy)]
pub struct MiniTcg {
    players: [Player; 2],
    active_seat: Seat,
    /// How many turns were ended.
    turns: u32,
    outcome: Option<Outcome>,
    /// Whether a creature has no health left and is not buried yet, so that
    /// fields are searched for the dead only when there are some.
    someone_died: bool,
    stack: List<StackItem, STACK_SIZE>,
    triggers: List<Trigger, QUEUE_SIZE>,
    /// How many of `triggers` were applied already.
    triggers_done: u8,
}

/// How a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Who won.
    pub outcome: Outcome,
    /// How many decisions were taken.
    pub actions: u32,
    /// How many turns were ended.
    pub turns: u32,
    /// The life left, by seat; it can be below 0.
    pub hp: [i16; 2],
    /// How many cards were left in hand, by seat.
    pub hand: [u8; 2],
    /// How many creatures were left, by seat.
    pub field: [u8; 2],
}

impl Summary {
    /// Adds this match to a digest.
    pub fn write_to(&self, digest: &mut Fnv) {
        let hp = self.hp.map(|hp| hp.max(0) as u8);
        digest.write(&[
            self.outcome.code(),
            self.actions as u8,
            (self.actions >> 8) as u8,
            self.turns as u8,
            hp[0],
            hp[1],
            self.hand[0],
            self.hand[1],
            self.field[0],
            self.field[1],
        ]);
    }
}

/// The decks of the match with this seed, as card ids with the top at the end,
/// and the generator as the first decision finds it.
pub fn shuffled_decks(seed: u32) -> ([u8; DECK_SIZE], [u8; DECK_SIZE], Mulberry) {
    let mut rng = Mulberry::new(seed);
    let [first, second] = shuffle_decks(&mut rng);
    (first, second, rng)
}

#[inline]
fn shuffle_decks(rng: &mut Mulberry) -> [[u8; DECK_SIZE]; 2] {
    Seat::BOTH.map(|_| {
        let mut deck = UNSHUFFLED;
        rng.shuffle(&mut deck);
        deck
    })
}

/// Plays the match with this seed, both seats choosing at random.
pub fn play(seed: u32) -> Summary {
    play_with(seed, &mut Vec::with_capacity(MOVE_CAPACITY))
}

/// Plays like [`play`], listing the legal moves into a buffer that outlives the
/// match.
pub fn play_with(seed: u32, moves: &mut Vec<Move>) -> Summary {
    let mut rng = Mulberry::new(seed);
    let mut state = MiniTcg::new(&mut rng);
    let mut actions = 0;
    loop {
        state.legal_moves(moves);
        let index = rng.below(moves.len() as u32);
        state.apply(moves[index as usize]);
        actions += 1;
        if let Some(outcome) = state.outcome {
            return state.summary(outcome, actions);
        }
    }
}

/// The digest over the matches with these seeds.
pub fn digest(seeds: RangeInclusive<u32>) -> u32 {
    let mut moves = Vec::with_capacity(MOVE_CAPACITY);
    let mut digest = Fnv::new();
    for seed in seeds {
        play_with(seed, &mut moves).write_to(&mut digest);
    }
    digest.finish()
}

impl MiniTcg {
    /// Shuffles both decks, deals the hands and begins the first turn.
    pub fn new(rng: &mut Mulberry) -> Self {
        let [first, second] = shuffle_decks(rng);
        MiniTcg::with_decks(&first, &second)
    }

    /// Deals from decks that are shuffled already, and begins the first turn.
    pub fn with_decks(first: &[u8; DECK_SIZE], second: &[u8; DECK_SIZE]) -> Self {
        let nothing =
            StackItem { card: Card::Grunt, controller: Seat::Zero, target: Target::player(Seat::Zero) };
        let mut state = MiniTcg {
            players: [Player::new(first), Player::new(second)],
            active_seat: Seat::Zero,
            turns: 0,
            outcome: None,
            someone_died: false,
            stack: List::new(nothing),
            triggers: List::new(Trigger::Draw(Seat::Zero)),
            triggers_done: 0,
        };
        (0..4).for_each(|_| state.players[0].draw());
        (0..5).for_each(|_| state.players[1].draw());
        state.begin_turn();
        state
    }

    /// Whether the match has ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// How the match ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The seat that decides next: against a cast card its opponent, else the
    /// active seat.
    #[inline]
    pub fn deciding_seat(&self) -> Seat {
        match self.stack.last() {
            Some(top) => top.controller.opponent(),
            None => self.active_seat,
        }
    }

    /// The life of a seat's player.
    pub fn hp(&self, seat: Seat) -> i16 {
        self.player(seat).hp
    }

    /// The hand of a seat, the card drawn last at the end.
    pub fn hand(&self, seat: Seat) -> &[Card] {
        &self.player(seat).hand
    }

    /// The creatures of a seat, by slot.
    pub fn field(&self, seat: Seat) -> &[Creature] {
        &self.player(seat).field
    }

    /// Whether the creature of `seat` in `slot` may attack.
    pub fn is_ready(&self, seat: Seat, slot: usize) -> bool {
        self.player(seat).ready.contains(slot)
    }

    /// The deck of a seat, the top at the end.
    pub fn deck(&self, seat: Seat) -> &[Card] {
        &self.player(seat).deck
    }

    /// The graveyard of a seat, the newest card at the end.
    pub fn graveyard(&self, seat: Seat) -> &[Card] {
        &self.player(seat).graveyard
    }

    /// The cast cards, the top at the end.
    pub fn stack(&self) -> &[StackItem] {
        &self.stack
    }

    #[inline]
    fn player(&self, seat: Seat) -> &Player {
        &self.players[seat.index()]
    }

    #[inline]
    fn player_mut(&mut self, seat: Seat) -> &mut Player {
        &mut self.players[seat.index()]
    }

    fn summary(&self, outcome: Outcome, actions: u32) -> Summary {
        let [first, second] = &self.players;
        Summary {
            outcome,
            actions,
            turns: self.turns,
            hp: [first.hp, second.hp],
            hand: [first.hand.len() as u8, second.hand.len() as u8],
            field: [first.field.len() as u8, second.field.len() as u8],
        }
    }
}
