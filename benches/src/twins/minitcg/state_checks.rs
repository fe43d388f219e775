//! Damage and its consequences: deaths, triggers, the end of the match. Start
//! with `check_state`.

use super::MiniTcg;
use super::cards::MiniTcgCard;
use crate::twins::list::PositionSet;
use crate::twins::{TwinOutcome, TwinSeat};

const BOMBER_DAMAGE: u8 = 1;

/// Enough for every Scholar damaged three times (its health) and every Bomber
/// dying once: eight of each.
pub(super) const QUEUE_SIZE: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(super) enum Trigger {
    /// A Scholar was damaged: this seat draws.
    Draw(TwinSeat),
    /// A Bomber died: the creatures of this seat take damage.
    Explode(TwinSeat),
}

impl MiniTcg {
    #[inline]
    pub(super) fn hurt_player(&mut self, seat: TwinSeat, damage: u8) {
        self.player_mut(seat).hp -= i16::from(damage);
    }

    #[inline]
    pub(super) fn hurt_creature(&mut self, seat: TwinSeat, slot: usize, damage: u8) {
        let creature = &mut self.players[seat.index()].field[slot];
        creature.health -= damage as i8;
        self.has_dead |= creature.health <= 0;
        if creature.card == MiniTcgCard::Scholar {
            self.triggers.push(Trigger::Draw(seat));
        }
    }

    #[inline]
    pub(super) fn hurt_field(&mut self, seat: TwinSeat, damage: u8) {
        for slot in 0..self.player(seat).field.len() {
            self.hurt_creature(seat, slot, damage);
        }
    }

    /// Ends the match, buries dead creatures or applies the oldest trigger, in this
    /// order of precedence, until nothing is left to do.
    #[inline]
    pub(super) fn check_state(&mut self) {
        loop {
            if self.players[0].hp <= 0 || self.players[1].hp <= 0 {
                self.outcome = Some(self.survivor());
                return;
            }
            if self.has_dead {
                self.bury_dead();
            } else if !self.apply_next_trigger() {
                return;
            }
        }
    }

    fn survivor(&self) -> TwinOutcome {
        match (self.players[0].hp > 0, self.players[1].hp > 0) {
            (true, _) => TwinOutcome::Won(TwinSeat::Zero),
            (_, true) => TwinOutcome::Won(TwinSeat::One),
            _ => TwinOutcome::Draw,
        }
    }

    fn bury_dead(&mut self) {
        self.has_dead = false;
        self.bury_dead_of(self.active_seat);
        self.bury_dead_of(self.active_seat.opponent());
    }

    #[inline]
    fn bury_dead_of(&mut self, seat: TwinSeat) {
        let player = &mut self.players[seat.index()];
        let was_ready = std::mem::replace(&mut player.ready, PositionSet::NONE);
        let mut alive = 0;
        for slot in 0..player.field.len() {
            let creature = player.field[slot];
            if creature.health > 0 {
                player.field[alive] = creature;
                player.ready.insert_if(alive, was_ready.contains(slot));
                alive += 1;
                continue;
            }
            player.graveyard.push(creature.card);
            match creature.card {
                MiniTcgCard::Bomber => self.triggers.push(Trigger::Explode(seat.opponent())),
                MiniTcgCard::Captain => player.captains -= 1,
                _ => {}
            }
        }
        player.field.truncate(alive);
    }

    /// Applies the oldest trigger. Returns false if the queue is empty.
    #[inline]
    fn apply_next_trigger(&mut self) -> bool {
        let Some(&trigger) = self.triggers.get(usize::from(self.triggers_done)) else {
            self.triggers.truncate(0);
            self.triggers_done = 0;
            return false;
        };
        self.triggers_done += 1;
        match trigger {
            Trigger::Draw(seat) => self.player_mut(seat).draw(),
            Trigger::Explode(seat) => self.hurt_field(seat, BOMBER_DAMAGE),
        }
        true
    }
}
