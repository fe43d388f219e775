//! The sections of a ruleset, and those that are small.

use super::Shape::{
    AnyOf, Exactly, Expression, Free, List, Name as Named_, Named, Object as Inner, Range, Statements, Text,
    Words,
};
use super::presentation::{LESSON, MESSAGE, UI};
use super::rules::{ACTION, ALIAS, CHAIN, EVENT, FUNCTION, GRANT, MODIFIER, PATTERN, PROC, REACTION, TURNS};
use super::state::{DEF, KIND, MATCH, OPTION, PLAYERS, RESOURCE, TRAIT, TYPE, ZONE};
use super::{Name, Object, declaration, key, part};

/// The language version that this compiler supports.
pub const LANGUAGE: i64 = 1;

const MERGED: &str = "merged";
const LAST: &str = "the last one counts";
const APPENDED: &str = "appended";

pub static RULESET: Object = part(
    "ruleset_file",
    "a ruleset",
    "The rules of a game as data. `intermezzo check` says everything that a schema cannot.",
    &[&[
        key("ir", Exactly(LANGUAGE), "the language version: `1`", "1").several("one is enough"),
        key("ruleset", Inner(&HEADER), "the [header](#header)", "{id: my-game, version: 1.0.0}")
            .several(LAST),
        key(
            "prelude",
            Inner(&HEADER),
            "the header of a [prelude](../preludes.md), instead of `ruleset`",
            "{id: core, version: 1.0.0}",
        )
        .several("preludes only"),
        key(
            "options",
            Named(&Inner(&OPTION)),
            "[settings of a match](options.md#options)",
            "{rounds: {type: int, default: 3}}",
        )
        .several(MERGED),
        key(
            "types",
            Named(&Inner(&TYPE)),
            "[enums and records](types.md#enums-and-records)",
            "{Suit: {enum: [sun, moon]}}",
        )
        .several(MERGED),
        key("symbols", List(&Text), "names without any other meaning, a list", "[night]").several(MERGED),
        key("outcomes", List(&Text), "[ways a match can end](flow.md#how-a-match-ends), a list", "[draw]")
            .several(MERGED),
        key("stakes", Inner(&STAKES), "[entry fee and pot](options.md#stakes)", "{entry: 5, pot: 10}")
            .several(LAST),
        key("clock", Inner(&CLOCK), "[time banks and grace periods](clock.md#clock)", "{bank: 60000}")
            .several(LAST),
        key(
            "players",
            Inner(&PLAYERS),
            "[number of seats](options.md#seats), [properties of players](state.md#players-and-the-match)",
            "{seats: 2}",
        )
        .several("merged; of `seats`, `min` and `max` the last one counts"),
        key(
            "match",
            Inner(&MATCH),
            "[properties of the match](state.md#players-and-the-match)",
            "{props: {round: int}}",
        )
        .several(MERGED),
        key(
            "kinds",
            Named(&Inner(&KIND)),
            "[kinds of entities and their properties](state.md#kinds-and-properties)",
            "{card: {props: {value: int}}}",
        )
        .several("merged, including the properties of one kind"),
        key(
            "resources",
            Named(&Inner(&RESOURCE)),
            "[numbers that are spent and refilled](state.md#resources)",
            "{mana: {of: player, max: 10}}",
        )
        .several(MERGED),
        key(
            "zones",
            Named(&Inner(&ZONE)),
            "[places for entities](zones.md)",
            "{hand: {of: player, visible: owner}}",
        )
        .several(MERGED),
        key(
            "events",
            Named(&Inner(&EVENT)),
            "[things that can happen](events.md)",
            "{Scored: {payload: {player: player, amount: int}}}",
        )
        .several(MERGED),
        key(
            "aliases",
            Named(&Inner(&ALIAS)),
            "[second names for events](events.md#aliases-and-durations)",
            "{CardPlayed: {of: Moved, if: event.to is table}}",
        )
        .several(MERGED),
        key(
            "durations",
            Named(&Inner(&PATTERN)),
            "[names for the end of a trait](events.md#aliases-and-durations)",
            "{while_played: {after: Moved}}",
        )
        .several(MERGED),
        key(
            "functions",
            Named(&Inner(&FUNCTION)),
            "[named expressions](functions.md)",
            "{best: {returns: int, is: 3}}",
        )
        .several(MERGED),
        key("procs", Named(&Inner(&PROC)), "[named statements](functions.md)", "{deal: {do: []}}")
            .several(MERGED),
        key(
            "chains",
            Named(&Inner(&CHAIN)),
            "[computations in stages](modifiers.md#chains)",
            "{price: {stages: [base], record: {amount: int}}}",
        )
        .several(MERGED),
        key(
            "modifiers",
            List(&Inner(&MODIFIER)),
            "[lasting changes of values](modifiers.md)",
            "[{of: card.value, add: 1}]",
        )
        .several(APPENDED),
        key(
            "grants",
            List(&Inner(&GRANT)),
            "[traits given and rules taken away](grants.md)",
            "[{to: card, traits: [glowing]}]",
        )
        .several(APPENDED),
        key(
            "traits",
            Named(&Inner(&TRAIT)),
            "[rules that are attached and removed](traits.md)",
            "{glowing: {name: Glowing}}",
        )
        .several(MERGED),
        key(
            "defs",
            Named(&Inner(&DEF)),
            "[printed cards, pieces and the like](state.md#defs)",
            "{lantern: {kind: card}}",
        )
        .several(MERGED),
        key(
            "actions",
            List(&Inner(&ACTION)),
            "[moves of players](actions.md)",
            "[{id: light_up, effects: []}]",
        )
        .several(APPENDED),
        key(
            "reactions",
            List(&Inner(&REACTION)),
            "[rules triggered by events](reactions.md)",
            "[{id: bark, when: {after: Moved}, effects: []}]",
        )
        .several(APPENDED),
        key("setup", Statements, "[statements that run once, before the flow](flow.md)", "[{shuffle: deck}]")
            .several(APPENDED),
        key("flow", Statements, "[the statements of a match](flow.md)", "[{end: normal}]")
            .several("an error"),
        key(
            "turnStructure",
            Inner(&TURNS),
            "[turns, phases and steps](flow.md#turnstructure), instead of `flow`",
            "{phases: [{id: main}]}",
        )
        .several(LAST),
        key("reactionTiming", Words(&["now", "stack"]), "[`now` or `stack`](reactions.md#timing)", "stack")
            .several(LAST),
        key(
            "reactionTargeting",
            Words(&["resolve", "stack"]),
            "[`resolve` or `stack`](reactions.md#targets-on-the-stack): when reactions on the stack choose their targets",
            "stack",
        )
        .several(LAST),
        key(
            "reactionOrder",
            AnyOf(&[Words(ORDERS), List(&Words(ORDERS))]),
            "[`active_first`, `apnap`, `chosen` or a list of two](reactions.md#order)",
            "apnap",
        )
        .several(LAST),
        key("limits", Inner(&LIMITS), "[guards against endless rules](limits.md)", "{entities: 500}")
            .several(LAST),
        key("bots", Inner(&BOTS), "[how good a position is](bots.md)", "{value: you.score}").several(LAST),
        key("ui", Inner(&UI), "[hints for clients](presentation.md#ui)", "{minutes: 10}").several(LAST),
        key(
            "rules",
            Text,
            "[how the game is played](presentation.md#rules), in Markdown",
            "The higher card wins.",
        )
        .several(LAST),
        key(
            "tutorial",
            List(&Inner(&LESSON)),
            "[lessons for learners](presentation.md#tutorial)",
            "[{id: first, say: Play a card.}]",
        )
        .several(LAST),
        key(
            "messages",
            Named(&Inner(&MESSAGE)),
            "[custom messages for clients](messages.md)",
            "{welcome: {at: start}}",
        )
        .several(LAST),
        key("scenarios", Free, "[tests](../scenarios.md); not part of the rules", "[]").several(MERGED),
        key(
            "allow",
            Named(&Text),
            "[silenced warnings](#warnings-and-allow)",
            "{W-UNUSED: more cards follow}",
        )
        .several("per file"),
    ]],
);

/// The words of `reactionOrder`.
pub const ORDERS: &[&str] = &["active_first", "fixed", "apnap", "chosen"];

pub static HEADER: Object = declaration(
    "header",
    "`ruleset`",
    "What this is.",
    &[&[
        key(
            "id",
            Text,
            "lower-case letters, digits and `-`, at most 64 characters; required in one file",
            "my-game",
        ),
        key("version", Text, "three numbers; required in one file", "1.0.0"),
        key("description", Text, "one sentence for players", "Two players, ten minutes."),
        key("authors", List(&Text), "their names", "[Ada, Grace]"),
        key(
            "uses",
            List(&Named_(Name::Prelude)),
            "the [preludes](../preludes.md) to include. Their names become names of the ruleset",
            "[core@1]",
        ),
        key(
            "afterwards",
            Words(&["open", "closed"]),
            "[what everyone may see after the match](options.md#after-the-match)",
            "closed",
        )
        .default("`open`"),
    ]],
);

pub static STAKES: Object = declaration(
    "stakes",
    "`stakes`",
    "What is played for.",
    &[&[
        key("currency", Text, "its name", "token").default("`token`"),
        key("entry", Expression, "the amount each seat pays", "5").required(),
        key("pot", Expression, "the amount in the pot", "5 * players.count").required(),
    ]],
);

pub static CLOCK: Object = declaration(
    "clock",
    "`clock`",
    "Time limits in milliseconds.",
    &[&[
        key(
            "bank",
            Expression,
            "each player's time for the whole match; it runs while the player is asked",
            "60000 * options.rounds",
        )
        .default("no limit"),
        key("increment", Expression, "added to the bank with each answer; needs a `bank`", "5000")
            .default("0"),
        key(
            "grace",
            Expression,
            "how long a connection may be lost before the player counts as gone; 0 means at once",
            "120000",
        )
        .default("no limit"),
        key(
            "takeover",
            Words(&["random", "greedy", "mcts"]),
            "not a time: [the bot that takes over](#takeover)",
            "greedy",
        )
        .default("no bot"),
    ]],
);

pub static LIMITS: Object = declaration(
    "limits",
    "`limits`",
    "Guards against rulesets that never stop.",
    &[&[
        key("steps_per_input", Range(1, 1_000_000), "backward jumps, calls, loop passes and similar steps of the engine, per input. Fault `steps`", "200000").default("1,000,000"),
        key("stack_depth", Range(1, 4_096), "procs, events and reactions nested in each other; also the items on the [stack](stack.md). Fault `depth`", "64").default("4,096"),
        key("reactions_per_event", Range(1, 1_000), "reactions to one event. Fault `reactions`", "50").default("1,000"),
        key("events_per_input", Range(1, 100_000), "events per input. Fault `events`", "5000").default("100,000"),
        key("entities", Range(1, 20_000), "entities that exist at the same time, attached traits and items on the stack included. Fault `entities`", "500").default("20,000"),
        key("loop", Words(&["draw", "fault"]), "not a number: see below", "draw").default("`fault`"),
    ]],
);

pub static BOTS: Object = declaration(
    "bots",
    "`bots`",
    "Settings for bots.",
    &[&[key("value", Expression, "a number: the higher, the better for the player `you`", "10 * you.score")
        .required()]],
);
