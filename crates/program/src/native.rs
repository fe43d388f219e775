//! Events and symbols that every program has, with fixed numbers.
//!
//! The compiler puts them first in each program's tables, so the engine can refer to them without a lookup.

use crate::{EventId, Symbol};

macro_rules! natives {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal [$($field:literal : $ty:literal),*];)*) => {
        $($(#[$doc])* pub const $name: EventId = EventId($number);)*
        /// Name and payload (field, type as written in the language) of each native event, by number.
        pub const EVENTS: &[(&str, &[(&str, &str)])] = &[$(($text, &[$(($field, $ty)),*])),*];
    };
}

natives! {
    /// The match has started; setup follows.
    MATCH_STARTED = 0 "MatchStarted" [];
    /// The match is over; no event follows.
    MATCH_ENDED = 1 "MatchEnded" ["outcome": "symbol", "winners": "list<player>", "losers": "list<player>", "pot": "symbol"];
    /// An entity was created. The log record also carries the properties given by `with`.
    CREATED = 2 "Created" ["entity": "entity", "def": "def", "owner": "maybe<player>", "to": "maybe<zone>", "index": "int", "host": "maybe<entity>", "until": "maybe<symbol>"];
    /// An entity moved to another zone or to another index in its zone.
    MOVED = 3 "Moved" ["entity": "entity", "from": "maybe<zone>", "to": "zone", "index": "int"];
    /// An entity was removed.
    REMOVED = 4 "Removed" ["entity": "entity"];
    /// A property has a new value. `from` and `to` have the property's type.
    CHANGED = 5 "Changed" ["entity": "entity", "prop": "symbol", "from": "any", "to": "any"];
    /// Dice were rolled. `faces` is in rolling order, `total` is the sum of the dice kept.
    ROLLED = 6 "Rolled" ["dice": "dice", "faces": "list<int>", "total": "int", "for": "maybe<symbol>", "by": "maybe<entity>"];
    /// A zone was shuffled. Index i now holds the entity that was at index `order[i]`.
    SHUFFLED = 7 "Shuffled" ["zone": "zone", "order": "list<int>"];
    /// A phase has started.
    PHASE_STARTED = 8 "PhaseStarted" ["phase": "phase", "player": "maybe<player>", "subject": "maybe<entity>"];
    /// A phase has ended.
    PHASE_ENDED = 9 "PhaseEnded" ["phase": "phase", "player": "maybe<player>", "subject": "maybe<entity>"];
    /// A player disconnected, conceded, was removed or ran out of time.
    PLAYER_LEFT = 10 "PlayerLeft" ["player": "player", "cause": "symbol"];
    /// Something prevented an event.
    EVENT_PREVENTED = 11 "EventPrevented" ["event": "int", "type": "symbol", "by": "maybe<entity>"];
    /// Nothing is left to resolve.
    SETTLED = 12 "Settled" [];
    /// An action was announced; nothing is paid yet.
    ANNOUNCED = 13 "Announced" ["action": "symbol", "actor": "player", "host": "maybe<entity>"];
    /// An action resolves; its effects follow. `item` is its stack item.
    ACTION = 14 "Action" ["action": "symbol", "actor": "player", "host": "maybe<entity>", "item": "maybe<Action>"];
    /// A reaction resolves from the stack.
    REACTION = 15 "Reaction" ["reaction": "symbol", "actor": "maybe<player>", "host": "maybe<entity>", "item": "maybe<Reaction>"];
}

/// Position of the score in the payload of [`MATCH_ENDED`]. Only programs whose rules use a score have the field.
pub const SCORE_FIELD: usize = 4;

/// Name and type of that field.
pub const SCORE: (&str, &str) = ("score", "maybe<map<player, int>>");

/// Position of the players who see a roll in the payload of [`ROLLED`]. Only programs with hidden rolls have the field.
pub const ROLL_SEEN_FIELD: usize = 5;

/// Name and type of that field; null if everyone sees the roll.
pub const ROLL_SEEN: (&str, &str) = ("seen_by", "maybe<list<player>>");

/// Properties of entities in programs with [changing rules](crate::Program::has_changing_rules). Names with a space cannot clash with those of a
/// ruleset.
pub mod hidden_props {
    /// Of things and traits: the number of the event with which they came where they are.
    pub const SINCE: &str = "since change";
    /// Of traits: the entity whose grant gives the trait, or the host if its def does.
    pub const GIVEN_BY: &str = "given by";
    /// Of traits: the number of the grant that gives it; null for none.
    pub const GRANT: &str = "given number";
    /// Of things that can become copies: the def whose traits they have; null if they have none yet.
    pub const TRAITS_OF: &str = "traits of";
    /// Of things whose owner can change: who owns them since then; null if they have the owner they began with.
    pub const OWNED_BY: &str = "owned by";
    /// Of things and traits: true while their rules are out of force. Everyone who sees the entity sees it.
    pub const SILENCED: &str = "silenced";
}

macro_rules! symbols {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal;)*) => {
        $($(#[$doc])* pub const $name: Symbol = Symbol($number);)*
        /// Spelling of each native symbol, by number.
        pub const SYMBOLS: &[&str] = &[$($text),*];
    };
}

symbols! {
    /// Cause of leaving: the connection was lost.
    DISCONNECT = 0 "disconnect";
    /// Cause of leaving, and outcome: the player conceded.
    CONCEDE = 1 "concede";
    /// Cause of leaving: a moderator removed the player.
    KICKED = 2 "kicked";
    /// Outcome: a moderator ended the match.
    MODERATOR = 3 "moderator";
    /// Outcome: the flow ended without an `end`.
    FINISHED = 4 "finished";
    /// Origin of an answer: the player sent it.
    CONFIRMED = 5 "confirmed";
    /// Origin of an answer: the deadline passed and the draft was used.
    DRAFTED = 6 "drafted";
    /// Origin of an answer: the deadline passed and the default was used.
    DEFAULTED = 7 "defaulted";
    /// Origin of an answer: only one answer was legal.
    FORCED = 8 "forced";
    /// Pot: paid to the winners.
    POT_WINNERS = 9 "winners";
    /// Pot: divided evenly among all.
    POT_SPLIT = 10 "split";
    /// Pot: destroyed.
    POT_BURN = 11 "burn";
    /// Pot: every player gets back what they paid.
    POT_REFUND = 12 "refund";
    /// Dice to keep: the highest.
    HIGHEST = 13 "highest";
    /// Dice to keep: the lowest.
    LOWEST = 14 "lowest";
    /// Dice to keep: all.
    ALL = 15 "all";
    /// Property of every entity except players and the match: the players who know the entity in any zone.
    KNOWN = 16 "known";
    /// Property of stack items: the entity whose rule it is.
    HOST = 17 "host";
    /// Property of stack items: the trait whose rule it is.
    VIA = 18 "via";
    /// Property of stack items: true for a copy, false if its rule put it on the stack.
    COPIED = 19 "copied";
    /// Name of the players' stack zone.
    STACK = 20 "stack";
    /// Outcome: rules triggered each other in an endless loop.
    LOOP = 21 "loop";
    /// Cause of leaving, and outcome: the player's time for the whole match ran out.
    OUT_OF_TIME = 22 "out_of_time";
}
