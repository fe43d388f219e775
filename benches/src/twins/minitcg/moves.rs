//! What the deciding seat may do: start with [`MiniTcg::legal_moves`].

use super::cards::Card;
use super::{FIELD_SIZE, HAND_SIZE, MiniTcg};
use crate::twins::Seat;

/// More than the longest list of legal moves: the end of the turn, ten cards
/// with up to sixteen targets each, and seven attackers with up to eight.
pub(super) const MOVE_CAPACITY: usize = 1 + HAND_SIZE * 16 + FIELD_SIZE * 8;

/// What a Bolt or an attack is aimed at: a seat's player or one of its
/// creatures.
///
/// A slot is as good as an identity here, because fields do not change between
/// a cast and its resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    seat: Seat,
    /// [`Target::NO_SLOT`] for the player.
    slot: u8,
}

impl Target {
    const NO_SLOT: u8 = FIELD_SIZE as u8;

    /// The player at `seat`.
    #[inline]
    pub fn player(seat: Seat) -> Self {
        Target { seat, slot: Target::NO_SLOT }
    }

    /// The creature of `seat` in `slot`.
    #[inline]
    pub fn creature(seat: Seat, slot: u8) -> Self {
        Target { seat, slot }
    }

    /// The seat whose player or creature this is.
    #[inline]
    pub fn seat(self) -> Seat {
        self.seat
    }

    /// The creature's slot, or nothing if this is a player.
    #[inline]
    pub fn slot(self) -> Option<u8> {
        (self.slot != Target::NO_SLOT).then_some(self.slot)
    }
}

/// What the deciding seat may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Lets the top of the stack resolve.
    Pass,
    /// Casts the Negate at this place of the hand.
    CastNegate {
        /// The place in the hand.
        hand: u8,
    },
    /// Hands the turn over.
    EndTurn,
    /// Casts the creature at this place of the hand.
    CastCreature {
        /// The place in the hand.
        hand: u8,
    },
    /// Casts the Bolt at this place of the hand.
    CastBolt {
        /// The place in the hand.
        hand: u8,
        /// Who is hurt when it resolves.
        target: Target,
    },
    /// Casts the Quake at this place of the hand.
    CastQuake {
        /// The place in the hand.
        hand: u8,
    },
    /// Attacks with the creature in this slot.
    Attack {
        /// The attacker's slot.
        slot: u8,
        /// The enemy player or an enemy creature.
        target: Target,
    },
}

impl MiniTcg {
    /// Lists what the deciding seat may do, in the order the rules give. What
    /// `out` held before is dropped.
    #[inline]
    pub fn legal_moves(&self, out: &mut Vec<Move>) {
        out.clear();
        match self.stack.last() {
            Some(top) => self.list_responses(top.controller.opponent(), out),
            None => {
                out.push(Move::EndTurn);
                self.list_casts(out);
                self.list_attacks(out);
            }
        }
    }

    #[inline]
    fn list_responses(&self, seat: Seat, out: &mut Vec<Move>) {
        out.push(Move::Pass);
        let player = self.player(seat);
        if player.mana < Card::Negate.cost() {
            return;
        }
        for hand in player.hand.places_where(|card| card == Card::Negate) {
            out.push(Move::CastNegate { hand });
        }
    }

    #[inline]
    fn list_casts(&self, out: &mut Vec<Move>) {
        let player = self.player(self.active_seat);
        let is_castable = |card: Card| card.cost_in_turn() <= player.mana;
        for hand in player.hand.places_where(is_castable) {
            match player.hand[usize::from(hand)] {
                Card::Bolt => self.list_bolts(hand, out),
                Card::Quake => out.push(Move::CastQuake { hand }),
                _ if player.field.len() < FIELD_SIZE => out.push(Move::CastCreature { hand }),
                _ => {}
            }
        }
    }

    #[inline]
    fn list_bolts(&self, hand: u8, out: &mut Vec<Move>) {
        let own = self.active_seat;
        let enemy = own.opponent();
        let bolt = |target| Move::CastBolt { hand, target };
        out.push(bolt(Target::player(enemy)));
        out.push(bolt(Target::player(own)));
        for seat in [enemy, own] {
            let slots = 0..self.player(seat).field.len() as u8;
            out.extend(slots.map(|slot| bolt(Target::creature(seat, slot))));
        }
    }

    #[inline]
    fn list_attacks(&self, out: &mut Vec<Move>) {
        let enemy = self.active_seat.opponent();
        let enemy_slots = self.player(enemy).field.len() as u8;
        for slot in self.player(self.active_seat).ready {
            let attack = |target| Move::Attack { slot, target };
            out.push(attack(Target::player(enemy)));
            out.extend((0..enemy_slots).map(|target| attack(Target::creature(enemy, target))));
        }
    }
}
