//! Duel v1 by hand: each seat secretly lays out three of four cards, and the
//! layouts are compared step by step.
//!
//! Start with [`Duel::apply`]. The effect of each pair of cards is computed at
//! compile time, in `CLASHES`.

use std::ops::RangeInclusive;

use super::mulberry::{Fnv, Mulberry};
use super::{TwinOutcome, TwinSeat};

/// Each seat starts with this life and cannot heal beyond it.
const MAX_HP: u8 = 10;

/// Life lost to an attack that is not stopped.
const ATTACK_DAMAGE: u8 = 2;

/// The first round after which more life wins.
const FIRST_DECIDING_ROUND: u8 = 3;

/// The round after which equal life is a draw.
const LAST_ROUND: u8 = 30;

/// Ordered selections of three of the four cards.
const LAYOUT_COUNT: usize = 24;

/// A card. Both seats always hold all four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum DuelCard {
    /// Costs a seat that attacks or heals 2 life.
    Attack,
    /// Stops an attack.
    Defense,
    /// Restores 1 life before attacks apply.
    Heal,
    /// Turns an attack back on the attacker.
    Counter,
}

const CARDS: [DuelCard; 4] = [DuelCard::Attack, DuelCard::Defense, DuelCard::Heal, DuelCard::Counter];

/// A choice of layout, numbered in lexicographic order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuelMove(u8);

impl DuelMove {
    /// Returns the move at `index` of the legal moves.
    ///
    /// # Panics
    ///
    /// If `index` is 24 or more.
    #[inline]
    pub fn at(index: u32) -> Self {
        assert!(index < LAYOUT_COUNT as u32, "the duel has 24 layouts");
        DuelMove(index as u8)
    }

    /// Returns the three cards in the order they are played.
    #[inline]
    pub fn layout(self) -> [DuelCard; 3] {
        LAYOUTS[usize::from(self.0)]
    }
}

/// A duel in progress.
#[derive(Debug, Clone, Copy)]
pub struct Duel {
    hp: [u8; 2],
    /// Counted from 1.
    round: u8,
    /// The layout of seat 0 until seat 1 has confirmed its own.
    secret: Option<DuelMove>,
    outcome: Option<TwinOutcome>,
}

/// The result of a duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuelSummary {
    pub outcome: TwinOutcome,
    /// Rounds started.
    pub rounds: u8,
    /// Remaining life by seat.
    pub hp: [u8; 2],
    /// Number of decisions.
    pub actions: u32,
}

impl DuelSummary {
    /// Adds this match to a digest.
    pub fn write_to(&self, digest: &mut Fnv) {
        digest.write(&[self.outcome.code(), self.rounds, self.hp[0], self.hp[1]]);
    }
}

impl Duel {
    /// Creates a duel before its first decision.
    ///
    /// Nothing is shuffled, so the generator stays unchanged. It is a parameter
    /// because both twins have the same interface.
    #[inline]
    pub fn new(_rng: &mut Mulberry) -> Self {
        Duel { hp: [MAX_HP; 2], round: 1, secret: None, outcome: None }
    }

    /// Returns the number of legal moves: every layout is always legal.
    #[inline]
    pub fn legal_move_count(&self) -> u32 {
        LAYOUT_COUNT as u32
    }

    /// Confirms a layout for the deciding seat: seat 0, then seat 1. The second
    /// confirmation plays the round.
    #[inline]
    pub fn apply(&mut self, chosen: DuelMove) {
        match self.secret.take() {
            None => self.secret = Some(chosen),
            Some(first) => self.play_round(first.layout(), chosen.layout()),
        }
    }

    /// Returns true if the duel has ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns the result once the duel has ended.
    pub fn outcome(&self) -> Option<TwinOutcome> {
        self.outcome
    }

    /// Returns the life of each seat.
    pub fn hp(&self) -> [u8; 2] {
        self.hp
    }

    #[inline]
    fn play_round(&mut self, first: [DuelCard; 3], second: [DuelCard; 3]) {
        for (mine, theirs) in first.into_iter().zip(second) {
            self.hp = CLASHES[mine as usize][theirs as usize].apply(self.hp);
        }
        let is_decided = self.round >= FIRST_DECIDING_ROUND && self.hp[0] != self.hp[1];
        if is_decided | has_fallen(self.hp) | (self.round == LAST_ROUND) {
            self.outcome = Some(leader(self.hp));
        } else {
            self.round += 1;
        }
    }
}

/// Plays the match with this seed. Both seats choose at random.
pub fn play(seed: u32) -> DuelSummary {
    let mut rng = Mulberry::new(seed);
    let mut duel = Duel::new(&mut rng);
    let mut actions = 0;
    loop {
        let index = rng.below(duel.legal_move_count());
        duel.apply(DuelMove::at(index));
        actions += 1;
        if let Some(outcome) = duel.outcome {
            return DuelSummary { outcome, rounds: duel.round, hp: duel.hp, actions };
        }
    }
}

/// Returns the digest over the matches with these seeds.
pub fn digest(seeds: RangeInclusive<u32>) -> u32 {
    let mut digest = Fnv::new();
    for seed in seeds {
        play(seed).write_to(&mut digest);
    }
    digest.finish()
}

/// Returns true if a seat has no life left, which ends the duel within the round.
#[inline]
fn has_fallen(hp: [u8; 2]) -> bool {
    (hp[0] == 0) | (hp[1] == 0)
}

#[inline]
fn leader(hp: [u8; 2]) -> TwinOutcome {
    match hp[0].cmp(&hp[1]) {
        std::cmp::Ordering::Greater => TwinOutcome::Won(TwinSeat::Zero),
        std::cmp::Ordering::Less => TwinOutcome::Won(TwinSeat::One),
        std::cmp::Ordering::Equal => TwinOutcome::Draw,
    }
}

/// The effect of two cards on their seats, by seat: first healing, then loss.
#[derive(Debug, Clone, Copy)]
struct Clash {
    healed: [u8; 2],
    lost: [u8; 2],
}

impl Clash {
    /// Returns the life of both seats after this clash.
    ///
    /// Once a seat has fallen nothing changes. Computing the rest of the round
    /// anyway is faster than leaving the loop, because the processor cannot
    /// predict in which step a seat falls.
    #[inline]
    fn apply(self, hp: [u8; 2]) -> [u8; 2] {
        let may_change = !has_fallen(hp);
        [0, 1].map(|seat| {
            let healed = (hp[seat] + self.healed[seat]).min(MAX_HP);
            let left = healed.saturating_sub(self.lost[seat]);
            if may_change { left } else { hp[seat] }
        })
    }
}

/// Every clash, by the card of seat 0 and then by the card of seat 1.
const CLASHES: [[Clash; 4]; 4] = {
    let nothing = Clash { healed: [0, 0], lost: [0, 0] };
    let mut clashes = [[nothing; 4]; 4];
    let mut first = 0;
    while first < 4 {
        let mut second = 0;
        while second < 4 {
            let (mine, theirs) = (CARDS[first], CARDS[second]);
            clashes[first][second] = Clash {
                healed: [healed_by(mine), healed_by(theirs)],
                lost: [lost_by(mine, theirs), lost_by(theirs, mine)],
            };
            second += 1;
        }
        first += 1;
    }
    clashes
};

const fn healed_by(card: DuelCard) -> u8 {
    match card {
        DuelCard::Heal => 1,
        DuelCard::Attack | DuelCard::Defense | DuelCard::Counter => 0,
    }
}

const fn lost_by(mine: DuelCard, theirs: DuelCard) -> u8 {
    match (mine, theirs) {
        (DuelCard::Attack | DuelCard::Heal, DuelCard::Attack) | (DuelCard::Attack, DuelCard::Counter) => {
            ATTACK_DAMAGE
        }
        _ => 0,
    }
}

/// Every layout, in lexicographic order.
const LAYOUTS: [[DuelCard; 3]; LAYOUT_COUNT] = {
    let mut layouts = [[DuelCard::Attack; 3]; LAYOUT_COUNT];
    let mut count = 0;
    let mut code = 0;
    // The base-4 digits of `code` are the three cards, most significant first.
    while code < 64 {
        let (a, b, c) = (code / 16, code / 4 % 4, code % 4);
        if a != b && b != c && a != c {
            layouts[count] = [CARDS[a], CARDS[b], CARDS[c]];
            count += 1;
        }
        code += 1;
    }
    layouts
};
