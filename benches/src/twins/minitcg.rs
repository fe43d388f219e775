//! MiniTCG v1 by hand: creatures, spells, a stack with priority, and triggers
//! that wait in a queue.
//!
//! This file contains the state, the setup and the random players. Then read
//! `moves.rs` (legal moves), `apply.rs` (their effects) and `state_checks.rs`
//! (deaths and triggers after damage).

mod apply;
mod cards;
mod moves;
mod state_checks;

pub use cards::MiniTcgCard;
pub use moves::{MiniTcgMove, MiniTcgTarget};

use std::ops::RangeInclusive;

use cards::UNSHUFFLED;
use moves::MOVE_CAPACITY;
use state_checks::{QUEUE_SIZE, Trigger};

use super::list::{FixedList, PositionSet};
use super::mulberry::{Fnv, Mulberry};
use super::{TwinOutcome, TwinSeat};

const DECK_SIZE: usize = 30;
const HAND_SIZE: usize = 10;
const FIELD_SIZE: usize = 7;
const STARTING_HP: i16 = 20;

/// One card, and every Negate of both decks above it.
const STACK_SIZE: usize = 9;

/// A creature on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creature {
    pub card: MiniTcgCard,
    /// Remaining health; 0 or less means dead.
    pub health: i8,
}

impl Creature {
    const NONE: Creature = Creature { card: MiniTcgCard::Grunt, health: 0 };
}

/// A card that was cast and has not resolved yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackItem {
    pub card: MiniTcgCard,
    /// The seat that cast it.
    pub controller: TwinSeat,
    /// The target of a Bolt; ignored for other cards.
    target: MiniTcgTarget,
}

#[derive(Debug, Clone, Copy)]
struct PlayerState {
    hp: i16,
    mana: u8,
    max_mana: u8,
    fatigue: u8,
    /// Captains on the field, counted here so that power needs no search.
    captains: u8,
    hand: FixedList<MiniTcgCard, HAND_SIZE>,
    field: FixedList<Creature, FIELD_SIZE>,
    /// The slots of the creatures that may attack.
    ready: PositionSet,
    /// The last card is the top.
    deck: FixedList<MiniTcgCard, DECK_SIZE>,
    graveyard: FixedList<MiniTcgCard, DECK_SIZE>,
}

impl PlayerState {
    fn new(deck: &[u8; DECK_SIZE]) -> Self {
        PlayerState {
            hp: STARTING_HP,
            mana: 0,
            max_mana: 0,
            fatigue: 0,
            captains: 0,
            hand: FixedList::new(MiniTcgCard::Grunt),
            field: FixedList::new(Creature::NONE),
            ready: PositionSet::NONE,
            deck: FixedList::full(deck.map(|id| MiniTcgCard::ALL[usize::from(id)])),
            graveyard: FixedList::new(MiniTcgCard::Grunt),
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
        card.base_power() + self.captains - u8::from(card == MiniTcgCard::Captain)
    }
}

/// A match of MiniTCG in progress.
#[derive(Debug, Clone, Copy)]
pub struct MiniTcg {
    players: [PlayerState; 2],
    active_seat: TwinSeat,
    /// Turns ended.
    turns: u32,
    outcome: Option<TwinOutcome>,
    /// True if a dead creature is still on a field. Without one, fields are not
    /// searched.
    has_dead: bool,
    stack: FixedList<StackItem, STACK_SIZE>,
    triggers: FixedList<Trigger, QUEUE_SIZE>,
    /// Number of `triggers` already applied.
    triggers_done: u8,
}

/// The result of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MiniTcgSummary {
    pub outcome: TwinOutcome,
    /// Number of decisions.
    pub actions: u32,
    /// Turns ended.
    pub turns: u32,
    /// Remaining life by seat; it can be below 0.
    pub hp: [i16; 2],
    /// Cards left in hand, by seat.
    pub hand: [u8; 2],
    /// Creatures left, by seat.
    pub field: [u8; 2],
}

impl MiniTcgSummary {
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

/// Returns the decks of the match with this seed, as card ids with the top at
/// the end, and the generator after shuffling.
pub fn shuffled_decks(seed: u32) -> ([u8; DECK_SIZE], [u8; DECK_SIZE], Mulberry) {
    let mut rng = Mulberry::new(seed);
    let [first, second] = shuffle_decks(&mut rng);
    (first, second, rng)
}

#[inline]
fn shuffle_decks(rng: &mut Mulberry) -> [[u8; DECK_SIZE]; 2] {
    TwinSeat::BOTH.map(|_| {
        let mut deck = UNSHUFFLED;
        rng.shuffle(&mut deck);
        deck
    })
}

/// Plays the match with this seed. Both seats choose at random.
pub fn play(seed: u32) -> MiniTcgSummary {
    play_with(seed, &mut Vec::with_capacity(MOVE_CAPACITY))
}

/// Plays like [`play`], with a buffer for legal moves that the caller reuses.
pub fn play_with(seed: u32, moves: &mut Vec<MiniTcgMove>) -> MiniTcgSummary {
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

/// Returns the digest over the matches with these seeds.
pub fn digest(seeds: RangeInclusive<u32>) -> u32 {
    let mut moves = Vec::with_capacity(MOVE_CAPACITY);
    let mut digest = Fnv::new();
    for seed in seeds {
        play_with(seed, &mut moves).write_to(&mut digest);
    }
    digest.finish()
}

impl MiniTcg {
    /// Shuffles both decks, deals the hands and starts the first turn.
    pub fn new(rng: &mut Mulberry) -> Self {
        let [first, second] = shuffle_decks(rng);
        MiniTcg::with_decks(&first, &second)
    }

    /// Deals from shuffled decks and starts the first turn.
    pub fn with_decks(first: &[u8; DECK_SIZE], second: &[u8; DECK_SIZE]) -> Self {
        let filler = StackItem {
            card: MiniTcgCard::Grunt,
            controller: TwinSeat::Zero,
            target: MiniTcgTarget::player(TwinSeat::Zero),
        };
        let mut state = MiniTcg {
            players: [PlayerState::new(first), PlayerState::new(second)],
            active_seat: TwinSeat::Zero,
            turns: 0,
            outcome: None,
            has_dead: false,
            stack: FixedList::new(filler),
            triggers: FixedList::new(Trigger::Draw(TwinSeat::Zero)),
            triggers_done: 0,
        };
        (0..4).for_each(|_| state.players[0].draw());
        (0..5).for_each(|_| state.players[1].draw());
        state.begin_turn();
        state
    }

    /// Returns true if the match has ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns the result once the match has ended.
    pub fn outcome(&self) -> Option<TwinOutcome> {
        self.outcome
    }

    /// Returns the seat that decides next: the opponent of the last caster, or the
    /// active seat if the stack is empty.
    #[inline]
    pub fn deciding_seat(&self) -> TwinSeat {
        match self.stack.last() {
            Some(top) => top.controller.opponent(),
            None => self.active_seat,
        }
    }

    /// Returns the life of a seat's player.
    pub fn hp(&self, seat: TwinSeat) -> i16 {
        self.player(seat).hp
    }

    /// Returns the hand of a seat, the newest card last.
    pub fn hand(&self, seat: TwinSeat) -> &[MiniTcgCard] {
        &self.player(seat).hand
    }

    /// Returns the creatures of a seat by slot.
    pub fn field(&self, seat: TwinSeat) -> &[Creature] {
        &self.player(seat).field
    }

    /// Returns true if the creature of `seat` in `slot` may attack.
    pub fn is_ready(&self, seat: TwinSeat, slot: usize) -> bool {
        self.player(seat).ready.contains(slot)
    }

    /// Returns the deck of a seat, the top last.
    pub fn deck(&self, seat: TwinSeat) -> &[MiniTcgCard] {
        &self.player(seat).deck
    }

    /// Returns the graveyard of a seat, the newest card last.
    pub fn graveyard(&self, seat: TwinSeat) -> &[MiniTcgCard] {
        &self.player(seat).graveyard
    }

    /// Returns the cards on the stack, the top last.
    pub fn stack(&self) -> &[StackItem] {
        &self.stack
    }

    #[inline]
    fn player(&self, seat: TwinSeat) -> &PlayerState {
        &self.players[seat.index()]
    }

    #[inline]
    fn player_mut(&mut self, seat: TwinSeat) -> &mut PlayerState {
        &mut self.players[seat.index()]
    }

    fn summary(&self, outcome: TwinOutcome, actions: u32) -> MiniTcgSummary {
        let [first, second] = &self.players;
        MiniTcgSummary {
            outcome,
            actions,
            turns: self.turns,
            hp: [first.hp, second.hp],
            hand: [first.hand.len() as u8, second.hand.len() as u8],
            field: [first.field.len() as u8, second.field.len() as u8],
        }
    }
}
