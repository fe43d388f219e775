//! Damage, and what follows from it: deaths, triggers, the end of the match.
//! Start with `settle`.

use super::MiniTcg;
use super::cards::Card;
use crate::twins::list::Places;
use crate::twins::{Outcome, Seat};

const BOMBER_DAMAGE: u8 = 1;

/// Eight Scholars are hurt at most three times each before they are gone, and
/// eight Bombers die once.
pub(super) const QUEUE_SIZE: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(super) enum Trigger {
    /// A Scholar was hurt: this seat draws.
    Draw(Seat),
    /// A Bomber died: the creatures of this seat are hurt.
    Explode(Seat),
}

impl MiniTcg {
    #[inline]
    pub(super) fn hurt_player(&mut self, seat: Seat, damage: u8) {
        self.player_mut(seat).hp -= i16::from(damage);
    }

    #[inline]
    pub(super) fn hurt_creature(&mut self, seat: Seat, slot: usize, damage: u8) {
        let creature = &mut self.players[seat.index()].field[slot];
        creature.health -= damage as i8;
        self.someone_died |= creature.health <= 0;
        if creature.card == Card::Scholar {
            self.triggers.push(Trigger::Draw(seat));
        }
    }

    #[inline]
    pub(super) fn hurt_field(&mut self, seat: Seat, damage: u8) {
        for slot in 0..self.player(seat).field.len() {
            self.hurt_creature(seat, slot, damage);
        }
    }

    /// Ends the match, buries the dead or applies the oldest trigger, in this
    /// order of precedence, until there is nothing left to do.
    #[inline]
    pub(super) fn settle(&mut self) {
        loop {
            if self.players[0].hp <= 0 || self.players[1].hp <= 0 {
                self.outcome = Some(self.survivor());
                return;
            }
            if self.someone_died {
                self.bury_the_dead();
            } else if !self.apply_next_trigger() {
                return;
            }
        }
    }

    fn survivor(&self) -> Outcome {
        match (self.players[0].hp > 0, self.players[1].hp > 0) {
            (true, _) => Outcome::Won(Seat::Zero),
            (_, true) => Outcome::Won(Seat::One),
            _ => Outcome::Draw,
        }
    }

    fn bury_the_dead(&mut self) {
        self.someone_died = false;
        self.bury_the_dead_of(self.active_seat);
        self.bury_the_dead_of(self.active_seat.opponent());
    }

    #[inline]
    fn bury_the_dead_of(&mut self, seat: Seat) {
        let player = &mut self.players[seat.index()];
        let was_ready = std::mem::replace(&mut player.ready, Places::NONE);
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
                Card::Bomber => self.triggers.push(Trigger::Explode(seat.opponent())),
                Card::Captain => player.captains -= 1,
                _ => {}
            }
        }
        player.field.truncate(alive);
    }

    /// Returns false if none was waiting.
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
