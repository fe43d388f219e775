//! MiniTCG v1 by hand: creatures, spells, a stack with priority, and triggers
//! that wait in a queue.
//!
//! Start with [`MiniTcg::legal_moves`] and [`MiniTcg::apply`]; after everything
//! that can hurt, [`MiniTcg::settle`] buries the dead and runs the triggers.

use std::ops::RangeInclusive;

use super::list::List;
use super::mulberry::{Fnv, Mulberry};
use super::{Outcome, Seat};

const DECK_SIZE: usize = 30;
const HAND_SIZE: usize = 10;
const FIELD_SIZE: usize = 7;
const STARTING_HP: i16 = 20;
const MAX_MANA: u8 = 10;
const BOLT_DAMAGE: u8 = 3;
const QUAKE_DAMAGE: u8 = 2;
const BOMBER_DAMAGE: u8 = 1;

/// The number of turns ended after which the match is a draw.
const MAX_TURNS: u32 = 400;

/// One card below and every Negate of both decks above it.
const STACK_SIZE: usize = 9;

/// Eight Scholars are hurt at most three times each before they are gone, and
/// eight Bombers die once.
const QUEUE_SIZE: usize = 32;

/// More than the longest list of legal moves: the end of the turn, ten cards
/// with up to sixteen targets each, and seven attackers with up to eight.
const MOVE_CAPACITY: usize = 1 + HAND_SIZE * 16 + FIELD_SIZE * 8;

/// The eight cards; the number of each is its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Card {
    /// A creature 2/1.
    Grunt,
    /// A creature 1/3 whose controller draws when it is hurt.
    Scholar,
    /// A creature 2/2 that hurts all enemy creatures when it dies.
    Bomber,
    /// A creature 4/5.
    Ogre,
    /// A creature 3/3 that gives its neighbours 1 power.
    Captain,
    /// A spell: 3 damage to any target.
    Bolt,
    /// A spell: 2 damage to each creature.
    Quake,
    /// A response that counters the card below it.
    Negate,
}

impl Card {
    /// Every card in the order of the ids.
    pub const ALL: [Card; 8] = [
        Card::Grunt,
        Card::Scholar,
        Card::Bomber,
        Card::Ogre,
        Card::Captain,
        Card::Bolt,
        Card::Quake,
        Card::Negate,
    ];

    #[inline]
    fn cost(self) -> u8 {
        const COSTS: [u8; 8] = [1, 2, 3, 4, 5, 2, 4, 2];
        COSTS[self as usize]
    }

    /// The power printed on a creature; 0 for the other cards.
    #[inline]
    fn base_power(self) -> u8 {
        const POWERS: [u8; 8] = [2, 1, 2, 4, 3, 0, 0, 0];
        POWERS[self as usize]
    }

    /// The health printed on a creature; 0 for the other cards.
    #[inline]
    fn health(self) -> i8 {
        const HEALTHS: [i8; 8] = [1, 3, 2, 5, 3, 0, 0, 0];
        HEALTHS[self as usize]
    }
}

/// A deck before it is shuffled, as card ids.
const UNSHUFFLED: [u8; DECK_SIZE] = [
    0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7,
];

/// A creature on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Creature {
    /// Which card it is.
    pub card: Card,
    /// The health it has left; not above 0 means dead.
    pub health: i8,
    /// Whether it may attack.
    pub is_ready: bool,
}

impl Creature {
    const NONE: Creature = Creature {
        card: Card::Grunt,
        health: 0,
        is_ready: false,
    };
}

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
        Target {
            seat,
            slot: Target::NO_SLOT,
        }
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
enum Trigger {
    /// A Scholar was hurt: this seat draws.
    Draw(Seat),
    /// A Bomber died: the creatures of this seat are hurt.
    Explode(Seat),
}

#[derive(Debug, Clone, Copy)]
struct Player {
    hp: i16,
    mana: u8,
    max_mana: u8,
    fatigue: u8,
    /// How many Captains are on the field.
    captains: u8,
    hand: List<Card, HAND_SIZE>,
    field: List<Creature, FIELD_SIZE>,
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
    /// Whether a creature has no health left and is not buried yet.
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
        let nothing = StackItem {
            card: Card::Grunt,
            controller: Seat::Zero,
            target: Target::player(Seat::Zero),
        };
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

/// Legal moves.
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
        for (hand, card) in (0u8..).zip(player.hand.iter()) {
            if *card == Card::Negate {
                out.push(Move::CastNegate { hand });
            }
        }
    }

    #[inline]
    fn list_casts(&self, out: &mut Vec<Move>) {
        let player = self.player(self.active_seat);
        for (hand, card) in (0u8..).zip(player.hand.iter()) {
            if card.cost() > player.mana {
                continue;
            }
            match card {
                Card::Bolt => self.list_bolts(hand, out),
                Card::Quake => out.push(Move::CastQuake { hand }),
                Card::Negate => {}
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
        let field = &self.player(self.active_seat).field;
        for (slot, creature) in (0u8..).zip(field.iter()) {
            if !creature.is_ready {
                continue;
            }
            let attack = |target| Move::Attack { slot, target };
            out.push(attack(Target::player(enemy)));
            out.extend((0..enemy_slots).map(|target| attack(Target::creature(enemy, target))));
        }
    }
}

/// What moves do.
impl MiniTcg {
    /// Carries out a legal move of the deciding seat.
    #[inline]
    pub fn apply(&mut self, chosen: Move) {
        match chosen {
            Move::Pass => self.resolve_top(),
            Move::EndTurn => self.end_turn(),
            Move::CastNegate { hand } => {
                let seat = self.deciding_seat();
                self.cast(seat, hand, Target::player(seat));
            }
            Move::CastCreature { hand } | Move::CastQuake { hand } => {
                let seat = self.active_seat;
                self.cast(seat, hand, Target::player(seat));
            }
            Move::CastBolt { hand, target } => self.cast(self.active_seat, hand, target),
            Move::Attack { slot, target } => self.attack(slot, target),
        }
    }

    #[inline]
    fn cast(&mut self, controller: Seat, hand: u8, target: Target) {
        let player = self.player_mut(controller);
        let card = player.hand.remove(usize::from(hand));
        player.mana -= card.cost();
        self.stack.push(StackItem {
            card,
            controller,
            target,
        });
    }

    #[inline]
    fn attack(&mut self, slot: u8, target: Target) {
        let (own, slot) = (self.active_seat, usize::from(slot));
        let power = self.player(own).power_in(slot);
        self.player_mut(own).field[slot].is_ready = false;
        match target.slot() {
            None => self.hurt_player(target.seat, power),
            Some(target_slot) => {
                let target_slot = usize::from(target_slot);
                let power_back = self.player(target.seat).power_in(target_slot);
                self.hurt_creature(target.seat, target_slot, power);
                self.hurt_creature(own, slot, power_back);
            }
        }
        self.settle();
    }

    #[inline]
    fn end_turn(&mut self) {
        self.turns += 1;
        if self.turns == MAX_TURNS {
            self.outcome = Some(Outcome::Draw);
            return;
        }
        self.active_seat = self.active_seat.opponent();
        self.begin_turn();
    }

    #[inline]
    fn begin_turn(&mut self) {
        let player = self.player_mut(self.active_seat);
        player.max_mana = MAX_MANA.min(player.max_mana + 1);
        player.mana = player.max_mana;
        for creature in player.field.iter_mut() {
            creature.is_ready = true;
        }
        player.draw();
        self.settle();
    }

    #[inline]
    fn resolve_top(&mut self) {
        let item = self.stack.pop().expect("a pass answers a cast card");
        match item.card {
            Card::Bolt => self.strike(item.target),
            Card::Quake => {
                self.hurt_field(self.active_seat, QUAKE_DAMAGE);
                self.hurt_field(self.active_seat.opponent(), QUAKE_DAMAGE);
            }
            Card::Negate => self.counter_top(),
            // A new creature hurts nobody, so there is nothing to settle.
            creature => return self.enter(item.controller, creature),
        }
        self.player_mut(item.controller).graveyard.push(item.card);
        self.settle();
    }

    #[inline]
    fn strike(&mut self, target: Target) {
        match target.slot() {
            None => self.hurt_player(target.seat, BOLT_DAMAGE),
            Some(slot) => self.hurt_creature(target.seat, usize::from(slot), BOLT_DAMAGE),
        }
    }

    #[inline]
    fn counter_top(&mut self) {
        let countered = self.stack.pop().expect("a Negate answers a cast card");
        self.player_mut(countered.controller)
            .graveyard
            .push(countered.card);
    }

    #[inline]
    fn enter(&mut self, seat: Seat, card: Card) {
        let player = self.player_mut(seat);
        player.captains += u8::from(card == Card::Captain);
        player.field.push(Creature {
            card,
            health: card.health(),
            is_ready: false,
        });
    }
}

/// Damage, deaths and triggers.
impl MiniTcg {
    #[inline]
    fn hurt_player(&mut self, seat: Seat, damage: u8) {
        self.player_mut(seat).hp -= i16::from(damage);
    }

    #[inline]
    fn hurt_creature(&mut self, seat: Seat, slot: usize, damage: u8) {
        let creature = &mut self.players[seat.index()].field[slot];
        creature.health -= damage as i8;
        self.someone_died |= creature.health <= 0;
        if creature.card == Card::Scholar {
            self.triggers.push(Trigger::Draw(seat));
        }
    }

    #[inline]
    fn hurt_field(&mut self, seat: Seat, damage: u8) {
        for slot in 0..self.player(seat).field.len() {
            self.hurt_creature(seat, slot, damage);
        }
    }

    /// Ends the match, buries the dead or applies the oldest trigger, in this
    /// order of precedence, until there is nothing left to do.
    #[inline]
    fn settle(&mut self) {
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
        let mut alive = 0;
        for slot in 0..player.field.len() {
            let creature = player.field[slot];
            if creature.health > 0 {
                player.field[alive] = creature;
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
