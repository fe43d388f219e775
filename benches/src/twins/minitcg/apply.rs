//! Effects of moves. Start with [`MiniTcg::apply`].

use super::cards::MiniTcgCard;
use super::moves::{MiniTcgMove, MiniTcgTarget};
use super::{Creature, MiniTcg, StackItem};
use crate::twins::list::PositionSet;
use crate::twins::{TwinOutcome, TwinSeat};

const MAX_MANA: u8 = 10;
const BOLT_DAMAGE: u8 = 3;
const QUAKE_DAMAGE: u8 = 2;

/// The match is a draw after this number of turns.
const MAX_TURNS: u32 = 400;

impl MiniTcg {
    /// Applies a legal move of the deciding seat.
    #[inline]
    pub fn apply(&mut self, chosen: MiniTcgMove) {
        match chosen {
            MiniTcgMove::Pass => self.resolve_top(),
            MiniTcgMove::EndTurn => self.end_turn(),
            MiniTcgMove::CastNegate { hand } => {
                let seat = self.deciding_seat();
                self.cast(seat, hand, MiniTcgTarget::player(seat));
            }
            MiniTcgMove::CastCreature { hand } | MiniTcgMove::CastQuake { hand } => {
                let seat = self.active_seat;
                self.cast(seat, hand, MiniTcgTarget::player(seat));
            }
            MiniTcgMove::CastBolt { hand, target } => self.cast(self.active_seat, hand, target),
            MiniTcgMove::Attack { slot, target } => self.attack(slot, target),
        }
    }

    #[inline]
    fn cast(&mut self, controller: TwinSeat, hand: u8, target: MiniTcgTarget) {
        let player = self.player_mut(controller);
        let card = player.hand.remove(usize::from(hand));
        player.mana -= card.cost();
        self.stack.push(StackItem { card, controller, target });
    }

    #[inline]
    fn attack(&mut self, slot: u8, target: MiniTcgTarget) {
        let (own, slot) = (self.active_seat, usize::from(slot));
        let power = self.player(own).power_in(slot);
        self.player_mut(own).ready.remove(slot);
        match target.slot() {
            None => self.hurt_player(target.seat(), power),
            Some(target_slot) => {
                let target_slot = usize::from(target_slot);
                let power_back = self.player(target.seat()).power_in(target_slot);
                self.hurt_creature(target.seat(), target_slot, power);
                self.hurt_creature(own, slot, power_back);
            }
        }
        self.check_state();
    }

    #[inline]
    fn end_turn(&mut self) {
        self.turns += 1;
        if self.turns == MAX_TURNS {
            self.outcome = Some(TwinOutcome::Draw);
            return;
        }
        self.active_seat = self.active_seat.opponent();
        self.begin_turn();
    }

    #[inline]
    pub(super) fn begin_turn(&mut self) {
        let player = self.player_mut(self.active_seat);
        player.max_mana = MAX_MANA.min(player.max_mana + 1);
        player.mana = player.max_mana;
        player.ready = PositionSet::first(player.field.len());
        player.draw();
        self.check_state();
    }

    #[inline]
    fn resolve_top(&mut self) {
        let item = self.stack.pop().expect("a pass answers a cast card");
        match item.card {
            MiniTcgCard::Bolt => self.strike(item.target),
            MiniTcgCard::Quake => {
                self.hurt_field(self.active_seat, QUAKE_DAMAGE);
                self.hurt_field(self.active_seat.opponent(), QUAKE_DAMAGE);
            }
            MiniTcgCard::Negate => self.counter_top(),
            // A new creature damages nothing, so no state check is needed.
            creature => return self.enter(item.controller, creature),
        }
        self.player_mut(item.controller).graveyard.push(item.card);
        self.check_state();
    }

    #[inline]
    fn strike(&mut self, target: MiniTcgTarget) {
        match target.slot() {
            None => self.hurt_player(target.seat(), BOLT_DAMAGE),
            Some(slot) => self.hurt_creature(target.seat(), usize::from(slot), BOLT_DAMAGE),
        }
    }

    #[inline]
    fn counter_top(&mut self) {
        let countered = self.stack.pop().expect("a Negate answers a cast card");
        self.player_mut(countered.controller).graveyard.push(countered.card);
    }

    #[inline]
    fn enter(&mut self, seat: TwinSeat, card: MiniTcgCard) {
        let player = self.player_mut(seat);
        player.captains += u8::from(card == MiniTcgCard::Captain);
        player.field.push(Creature { card, health: card.health() });
    }
}
