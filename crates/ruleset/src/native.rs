//! The events and symbols every program has, with fixed numbers.
//!
//! The compiler puts them first into each program's tables, so the engine can
//! name them without looking anything up.

use crate::{EventId, Symbol};

macro_rules! natives {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal [$($field:literal : $ty:literal),*];)*) => {
        $($(#[$doc])* pub const $name: EventId = EventId($number);)*
        /// Name and payload (field, type as written in the language) of each native event, by number.
        pub const EVENTS: &[(&str, &[(&str, &str)])] = &[$(($text, &[$(($field, $ty)),*])),*];
    };
}

natives! {
    /// The match has begun; setup follows.
    MATCH_STARTED = 0 "MatchStarted" [];
    /// The match is over. Nothing comes after it.
    MATCH_ENDED = 1 "MatchEnded" ["outcome": "symbol", "winners": "list<player>", "losers": "list<player>", "pot": "symbol"];
    /// An entity exists. The log record also carries the properties given by `with`.
    CREATED = 2 "Created" ["entity": "entity", "def": "def", "owner": "maybe<player>", "to": "maybe<zone>", "index": "int", "host": "maybe<entity>", "until": "maybe<symbol>"];
    /// An entity changed zones or its place in one.
    MOVED = 3 "Moved" ["entity": "entity", "from": "maybe<zone>", "to": "zone", "index": "int"];
    /// An entity is gone.
    REMOVED = 4 "Removed" ["entity": "entity"];
    /// A property has a new value. `from` and `to` have the property's type.
    CHANGED = 5 "Changed" ["entity": "entity", "prop": "symbol", "from": "any", "to": "any"];
    /// Dice were rolled; `faces` in the order rolled, `total` of those kept.
    ROLLED = 6 "Rolled" ["dice": "dice", "faces": "list<int>", "total": "int", "for": "maybe<symbol>", "by": "maybe<entity>"];
    /// A zone has a new random order. Place i now holds what stood at place `order[i]`.
    SHUFFLED = 7 "Shuffled" ["zone": "zone", "order": "list<int>"];
    /// A phase has begun.
    PHASE_STARTED = 8 "PhaseStarted" ["phase": "phase", "player": "maybe<player>", "subject": "maybe<entity>"];
    /// A phase is over.
    PHASE_ENDED = 9 "PhaseEnded" ["phase": "phase", "player": "maybe<player>", "subject": "maybe<entity>"];
    /// A player disconnected, conceded, was removed or ran out of time.
    PLAYER_LEFT = 10 "PlayerLeft" ["player": "player", "cause": "symbol"];
    /// An event did not happen because something prevented it.
    EVENT_PREVENTED = 11 "EventPrevented" ["event": "int", "type": "symbol", "by": "maybe<entity>"];
    /// Nothing is left to resolve for now.
    SETTLED = 12 "Settled" [];
    /// An action was announced; nothing is paid yet.
    ANNOUNCED = 13 "Announced" ["action": "symbol", "actor": "player", "host": "maybe<entity>"];
    /// An action resolves; its effects come after it. `item` is what waited on the stack.
    ACTION = 14 "Action" ["action": "symbol", "actor": "player", "host": "maybe<entity>", "item": "maybe<Action>"];
    /// A reaction that waited on the stack resolves.
    REACTION = 15 "Reaction" ["reaction": "symbol", "actor": "maybe<player>", "host": "maybe<entity>", "item": "maybe<Reaction>"];
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
    /// Cause of leaving, and outcome: the player gave up.
    CONCEDE = 1 "concede";
    /// Cause of leaving: removed by a moderator.
    KICKED = 2 "kicked";
    /// Outcome: a moderator ended the match.
    MODERATOR = 3 "moderator";
    /// Outcome: the flow came to its end without an `end`.
    FINISHED = 4 "finished";
    /// How an answer came about: the player sent it.
    CONFIRMED = 5 "confirmed";
    /// How an answer came about: the deadline passed and the draft counted.
    DRAFTED = 6 "drafted";
    /// How an answer came about: the deadline passed and the default counted.
    DEFAULTED = 7 "defaulted";
    /// How an answer came about: there was only one way to answer.
    FORCED = 8 "forced";
    /// Pot: goes to the winners.
    POT_WINNERS = 9 "winners";
    /// Pot: everyone gets their share back evenly.
    POT_SPLIT = 10 "split";
    /// Pot: is lost.
    POT_BURN = 11 "burn";
    /// Pot: everyone gets back what they paid.
    POT_REFUND = 12 "refund";
    /// Dice to keep.
    HIGHEST = 13 "highest";
    /// Dice to keep.
    LOWEST = 14 "lowest";
    /// Dice to keep.
    ALL = 15 "all";
    /// Property of every entity but players and the match: the players who know it wherever it is.
    KNOWN = 16 "known";
    /// Property of what is on the stack: the entity whose rule it is.
    HOST = 17 "host";
    /// Property of what is on the stack: the trait whose rule it is.
    VIA = 18 "via";
    /// Property of what is on the stack: it was not put there by its rule but made as a copy.
    COPIED = 19 "copied";
    /// Name of the zone that is the players' stack.
    STACK = 20 "stack";
    /// Outcome: rules set each other off without end.
    LOOP = 21 "loop";
    /// Cause of leaving, and outcome: the player's time for the whole match was used up.
    OUT_OF_TIME = 22 "out_of_time";
}
