//! Duel v1 by hand: two seats lay out three of four cards each, in secret, and
//! the layouts meet step by step.
//!
//! Start with [`Duel::apply`]. What happens when two cards meet is decided once,
//! in `MEETINGS`, at compile time.

use std::ops::RangeInclusive;

use super::mulberry::{Fnv, Mulberry};
use super::{Outcome, Seat};

/// The life each seat begins with and cannot heal beyond.
const MAX_HP: u8 = 10;

/// What an attack that gets through takes.
const ATTACK_DAMAGE: u8 = 2;

/// The first round after which more life wins.
const FIRST_DECIDING_ROUND: u8 = 3;

/// The round after which equal life is a draw.
const LAST_ROUND: u8 = 30;

/// In how many ways three of the four cards can be laid out.
const LAYOUT_COUNT: usize = 24;

/// A card of the hand, which is the same for both seats and never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Card {
    /// Takes 2 from a seat that attacks or heals.
    Attack,
    /// Stops an attack.
    Defense,
    /// Gives 1 back, before attacks land.
    Heal,
    /// Turns an attack on the attacker.
    Counter,
}

const CARDS: [Card; 4] = [Card::Attack, Card::Defense, Card::Heal, Card::Counter];

/// The choice of one layout, named by its place in the lexicographic order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move(u8);

impl Move {
    /// The move at `index` in the list of legal moves.
    ///
    /// # Panics
    ///
    /// If `index` is 24 or more.
    #[inline]
    pub fn at(index: u32) -> Self {
        assert!(index < LAYOUT_COUNT as u32, "there are 24 layouts");
        Move(index as u8)
    }

    /// The three cards, in the order they are played.
    #[inline]
    pub fn layout(self) -> [Card; 3] {
        LAYOUTS[usize::from(self.0)]
    }
}

/// A duel in progress.
#[derive(Debug, Clone, Copy)]
pub struct Duel {
    hp: [u8; 2],
    /// Counted from 1.
    round: u8,
    /// What seat 0 confirmed while seat 1 still has to.
    secret: Option<Move>,
    outcome: Option<Outcome>,
}

/// How a duel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Who won.
    pub outcome: Outcome,
    /// How many rounds were begun.
    pub rounds: u8,
    /// The life left, by seat.
    pub hp: [u8; 2],
    /// How many decisions were taken.
    pub actions: u32,
}

impl Summary {
    /// Adds this match to a digest.
    pub fn write_to(&self, digest: &mut Fnv) {
        digest.write(&[self.outcome.code(), self.rounds, self.hp[0], self.hp[1]]);
    }
}

impl Duel {
    /// A duel before its first decision.
    ///
    /// There is nothing to shuffle, so the generator stays as it is; it is
    /// asked for because both twins are set up the same way.
    #[inline]
    pub fn new(_rng: &mut Mulberry) -> Self {
        Duel { hp: [MAX_HP; 2], round: 1, secret: None, outcome: None }
    }

    /// How many moves the deciding seat has: every layout is always legal.
    #[inline]
    pub fn legal_move_count(&self) -> u32 {
        LAYOUT_COUNT as u32
    }

    /// Confirms a layout for the deciding seat: seat 0, then seat 1. The second
    /// confirmation plays the round.
    #[inline]
    pub fn apply(&mut self, chosen: Move) {
        match self.secret.take() {
            None => self.secret = Some(chosen),
            Some(first) => self.play_round(first.layout(), chosen.layout()),
        }
    }

    /// Whether the duel has ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// How the duel ended, once it has.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The life of each seat.
    pub fn hp(&self) -> [u8; 2] {
        self.hp
    }

    #[inline]
    fn play_round(&mut self, first: [Card; 3], second: [Card; 3]) {
        for (mine, theirs) in first.into_iter().zip(second) {
            self.hp = MEETINGS[mine as usize][theirs as usize].change(self.hp);
        }
        let is_decided = self.round >= FIRST_DECIDING_ROUND && self.hp[0] != self.hp[1];
        if is_decided | has_fallen(self.hp) | (self.round == LAST_ROUND) {
            self.outcome = Some(leader(self.hp));
        } else {
            self.round += 1;
        }
    }
}

/// Plays the match with this seed, both seats choosing at random.
pub fn play(seed: u32) -> Summary {
    let mut rng = Mulberry::new(seed);
    let mut duel = Duel::new(&mut rng);
    let mut actions = 0;
    loop {
        let index = rng.below(duel.legal_move_count());
        duel.apply(Move::at(index));
        actions += 1;
        if let Some(outcome) = duel.outcome {
            return Summary { outcome, rounds: duel.round, hp: duel.hp, actions };
        }
    }
}

/// The digest over the matches with these seeds.
pub fn digest(seeds: RangeInclusive<u32>) -> u32 {
    let mut digest = Fnv::new();
    for seed in seeds {
        play(seed).write_to(&mut digest);
    }
    digest.finish()
}

/// Whether a seat has no life left, which ends the duel within the round.
#[inline]
fn has_fallen(hp: [u8; 2]) -> bool {
    (hp[0] == 0) | (hp[1] == 0)
}

#[inline]
fn leader(hp: [u8; 2]) -> Outcome {
    match hp[0].cmp(&hp[1]) {
        std::cmp::Ordering::Greater => Outcome::Won(Seat::Zero),
        std::cmp::Ordering::Less => Outcome::Won(Seat::One),
        std::cmp::Ordering::Equal => Outcome::Draw,
    }
}

/// What two cards do to their seats when they meet: first the healing, then the
/// loss, both by seat.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    healed: [u8; 2],
    lost: [u8; 2],
}

impl Meeting {
    /// The life of both seats after this meeting.
    ///
    /// Once a seat has fallen nothing changes any more. Going through the rest
    /// of the round like this is faster than leaving it: the processor cannot
    /// foresee in which step a seat falls.
    #[inline]
    fn change(self, hp: [u8; 2]) -> [u8; 2] {
        let may_change = !has_fallen(hp);
        [0, 1].map(|seat| {
            let healed = (hp[seat] + self.healed[seat]).min(MAX_HP);
            let left = healed.saturating_sub(self.lost[seat]);
            if may_change { left } else { hp[seat] }
        })
    }
}

/// Every meeting, by the card of seat 0 and then by the card of seat 1.
const MEETINGS: [[Meeting; 4]; 4] = {
    let nothing = Meeting { healed: [0, 0], lost: [0, 0] };
    let mut meetings = [[nothing; 4]; 4];
    let mut first = 0;
    while first < 4 {
        let mut second = 0;
        while second < 4 {
            let (mine, theirs) = (CARDS[first], CARDS[second]);
            meetings[first][second] = Meeting {
                healed: [healed_by(mine), healed_by(theirs)],
                lost: [lost_by(mine, theirs), lost_by(theirs, mine)],
            };
            second += 1;
        }
        first += 1;
    }
    meetings
};

const fn healed_by(card: Card) -> u8 {
    match card {
        Card::Heal => 1,
        Card::Attack | Card::Defense | Card::Counter => 0,
    }
}

const fn lost_by(mine: Card, theirs: Card) -> u8 {
    match (mine, theirs) {
        (Card::Attack | Card::Heal, Card::Attack) | (Card::Attack, Card::Counter) => ATTACK_DAMAGE,
        _ => 0,
    }
}

/// Every layout, in lexicographic order.
const LAYOUTS: [[Card; 3]; LAYOUT_COUNT] = {
    let mut layouts = [[Card::Attack; 3]; LAYOUT_COUNT];
    let mut count = 0;
    let mut code = 0;
    // The digits of `code` in base 4 are the three cards, the first in front.
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
