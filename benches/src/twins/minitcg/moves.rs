//! Legal moves of the deciding seat. Start with [`MiniTcg::legal_moves`].

use super::cards::MiniTcgCard;
use super::{FIELD_SIZE, HAND_SIZE, MiniTcg};
use crate::twins::TwinSeat;

/// More than the longest list of legal moves: the end of the turn, ten cards
/// with up to sixteen targets each, and seven attackers with up to eight.
pub(super) const MOVE_CAPACITY: usize = 1 + HAND_SIZE * 16 + FIELD_SIZE * 8;

/// The target of a Bolt or an attack: a seat's player or one of its creatures.
///
/// A slot identifies a creature, because fields do not change between a cast
/// and its resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MiniTcgTarget {
    seat: TwinSeat,
    /// [`MiniTcgTarget::NO_SLOT`] for the player.
    slot: u8,
}

impl MiniTcgTarget {
    const NO_SLOT: u8 = FIELD_SIZE as u8;

    /// Targets the player at `seat`.
    #[inline]
    pub fn player(seat: TwinSeat) -> Self {
        MiniTcgTarget { seat, slot: MiniTcgTarget::NO_SLOT }
    }

    /// Targets the creature of `seat` in `slot`.
    #[inline]
    pub fn creature(seat: TwinSeat, slot: u8) -> Self {
        MiniTcgTarget { seat, slot }
    }

    /// Returns the seat of the target.
    #[inline]
    pub fn seat(self) -> TwinSeat {
        self.seat
    }

    /// Returns the creature's slot, or `None` for a player.
    #[inline]
    pub fn slot(self) -> Option<u8> {
        (self.slot != MiniTcgTarget::NO_SLOT).then_some(self.slot)
    }
}

/// A move of the deciding seat. `hand` is a position in its hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MiniTcgMove {
    /// Lets the top of the stack resolve.
    Pass,
    CastNegate {
        hand: u8,
    },
    EndTurn,
    CastCreature {
        hand: u8,
    },
    CastBolt {
        hand: u8,
        target: MiniTcgTarget,
    },
    CastQuake {
        hand: u8,
    },
    /// Attacks with the creature in this slot.
    Attack {
        /// The attacker's slot.
        slot: u8,
        /// The enemy player or an enemy creature.
        target: MiniTcgTarget,
    },
}

impl MiniTcg {
    /// Lists the legal moves in the order the rules define. `out` is cleared first.
    #[inline]
    pub fn legal_moves(&self, out: &mut Vec<MiniTcgMove>) {
        out.clear();
        match self.stack.last() {
            Some(top) => self.list_responses(top.controller.opponent(), out),
            None => {
                out.push(MiniTcgMove::EndTurn);
                self.list_casts(out);
                self.list_attacks(out);
            }
        }
    }

    #[inline]
    fn list_responses(&self, seat: TwinSeat, out: &mut Vec<MiniTcgMove>) {
        out.push(MiniTcgMove::Pass);
        let player = self.player(seat);
        if player.mana < MiniTcgCard::Negate.cost() {
            return;
        }
        for hand in player.hand.positions_where(|card| card == MiniTcgCard::Negate) {
            out.push(MiniTcgMove::CastNegate { hand });
        }
    }

    #[inline]
    fn list_casts(&self, out: &mut Vec<MiniTcgMove>) {
        let player = self.player(self.active_seat);
        let is_castable = |card: MiniTcgCard| card.cost_in_turn() <= player.mana;
        for hand in player.hand.positions_where(is_castable) {
            match player.hand[usize::from(hand)] {
                MiniTcgCard::Bolt => self.list_bolts(hand, out),
                MiniTcgCard::Quake => out.push(MiniTcgMove::CastQuake { hand }),
                _ if player.field.len() < FIELD_SIZE => out.push(MiniTcgMove::CastCreature { hand }),
                _ => {}
            }
        }
    }

    #[inline]
    fn list_bolts(&self, hand: u8, out: &mut Vec<MiniTcgMove>) {
        let own = self.active_seat;
        let enemy = own.opponent();
        let bolt = |target| MiniTcgMove::CastBolt { hand, target };
        out.push(bolt(MiniTcgTarget::player(enemy)));
        out.push(bolt(MiniTcgTarget::player(own)));
        for seat in [enemy, own] {
            let slots = 0..self.player(seat).field.len() as u8;
            out.extend(slots.map(|slot| bolt(MiniTcgTarget::creature(seat, slot))));
        }
    }

    #[inline]
    fn list_attacks(&self, out: &mut Vec<MiniTcgMove>) {
        let enemy = self.active_seat.opponent();
        let enemy_slots = self.player(enemy).field.len() as u8;
        for slot in self.player(self.active_seat).ready {
            let attack = |target| MiniTcgMove::Attack { slot, target };
            out.push(attack(MiniTcgTarget::player(enemy)));
            out.extend((0..enemy_slots).map(|target| attack(MiniTcgTarget::creature(enemy, target))));
        }
    }
}
