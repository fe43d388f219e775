//! Scenario files. `docs/reference/scenarios.md` explains every key; links are relative to its folder.

use super::Shape::{
    Answer, AnyOf, BySeat, Events, Expression, Flag, Free, List, Name as Named_, Named, Number,
    Object as Inner, Offer, Range, Seat, Statements, Text, Viewer, Words,
};
use super::presentation::PROMPT_KINDS;
use super::{Key, Name, Object, Shape, key, part};

const SETTINGS: &[Key] = &[
    key("options", OPTIONS, "options of the match", "{rounds: 1}").default("none"),
    key("seats", Range(1, 16), "how many seats the match has", "2").default("`players.seats` of the ruleset"),
    key("seed", Number, "the seed of everything random, a number from 0", "7").default("0"),
    key("ignore", List(&Named_(Name::Event)), "events that listings leave out", "[Moved, Changed]")
        .default("none"),
    key("given", Statements, "statements that run right after `setup`", "[{set: {p0.score: 2}}]")
        .default("none"),
];

const OPTIONS: Shape = Shape::NamedBy(Name::Option, &Expression);

pub static SCENARIO_FILE: Object = part(
    "scenario_file",
    "a scenario file",
    "Scenarios of a ruleset.",
    &[
        &[key(
            "scenarios",
            List(&Inner(&SCENARIO)),
            "the scenarios",
            "[{name: the higher card scores, play: []}]",
        )
        .required()],
        SETTINGS,
    ],
);

pub static SCENARIO: Object = part(
    "scenario",
    "a scenario",
    "A scripted match and what must be true of it.",
    &[
        &[
            key(
                "name",
                Text,
                "the title: what the scenario proves; unique in the ruleset",
                "the higher card scores",
            )
            .required(),
            key("text", Text, "a longer description for readers", "The entry is 10."),
        ],
        SETTINGS,
        &[
            key("dice", List(&DICE), "[scripted dice](#dice-seeds-and-shuffles)", "[4, 6]"),
            key(
                "start",
                Events,
                "[everything that happens](#events) before the first input",
                "[MatchStarted]",
            ),
            key(
                "play",
                List(&Inner(&STEP)),
                "the [steps](#keys-of-a-step), in order; required unless `start` is given",
                "[{p0: crown}]",
            ),
        ],
    ],
);

/// A scripted roll: a face, faces, or faces with a label.
const DICE: Shape = AnyOf(&[Number, List(&Number), Inner(&DICE_THROW)]);

pub static DICE_THROW: Object = part(
    "dice_throw",
    "a roll",
    "A scripted roll.",
    &[&[
        key("for", Text, "the label that the roll must have", "damage"),
        key("faces", AnyOf(&[Number, List(&Number)]), "the faces", "[6]").required(),
    ]],
);

/// A seat or a list of seats.
const SEATS: Shape = AnyOf(&[Seat, List(&Seat)]);

/// A step. Its inputs stand under the names of seats, such as `p0` and `draft p0`.
pub static STEP: Object = part(
    "step_of_scenario",
    "a step",
    "Inputs, and checks after them. An input stands under a seat: `p0`, `draft p0`, `drag p0` or `auto p0`.",
    &[&[
        key(
            "timeout",
            AnyOf(&[Words(&["all"]), Seat, List(&Seat)]),
            "the [deadline](#drafts-and-time) passes for these seats",
            "p0",
        ),
        key("leave", Seat, "the player [leaves](#leaving): the connection is lost", "p0"),
        key("concede", Seat, "the player gives up", "p0"),
        key("kick", Seat, "the player is removed", "p0"),
        key("out_of_time", Seat, "the time bank of the player is empty", "p0"),
        key("moderate", Inner(&MODERATION), "a [moderator](#moderators) ends the match", "{winners: [p0]}"),
        key(
            "late",
            Flag,
            "`true`: the inputs answer the previous prompt of the seat instead of the open one",
            "true",
        ),
        key("to", Seat, "the inputs answer the prompt of that seat", "p1"),
        key("refused", Text, "the input must be [refused](#refusals) for that reason", "no_such_option"),
        key(
            "unseen_by",
            AnyOf(&[Viewer, List(&Viewer)]),
            "nothing may [change](#secrecy) for these viewers",
            "[p1, spectator]",
        ),
        key("events", Events, "what [happened](#events) in this step", "[{Moved: {entity: crown}}]"),
        key(
            "expect",
            AnyOf(&[Expression, List(&Expression), Named(&Expression)]),
            "what must be [true](#expressions)",
            "{p0.score: 1}",
        ),
        key(
            "pending",
            AnyOf(&[SEATS, BySeat(&AnyOf(&[Flag, Inner(&ASKED)]))]),
            "who is [asked](#prompts), and what",
            "[p0]",
        ),
        key(
            "actions",
            BySeat(&Inner(&OFFERS)),
            "what a seat [can do](#available-actions)",
            "{p0: {asked: true}}",
        ),
        key("sees", BySeat(&Inner(&SIGHT)), "what a viewer [sees](#secrecy)", "{p0: {never: [crown]}}"),
        key(
            "ended",
            AnyOf(&[Flag, Inner(&ENDED)]),
            "`false`, or how the match [ended](#the-end)",
            "{outcome: normal}",
        ),
        key("stakes", Inner(&STAKES), "[what is played for](#stakes-and-clock)", "{pot: 10}"),
        key("clock", Inner(&CLOCK), "[the time of the match](#stakes-and-clock)", "{bank: 1000}"),
    ]],
);

/// Words before a seat in a key of a step; none for an answer.
pub const INPUTS: [&str; 4] = ["", "draft", "drag", "auto"];

/// The shapes of the inputs under those words.
pub static INPUT_SHAPES: [Shape; 4] =
    [Answer, Answer, List(&Answer), AnyOf(&[Words(&["turn", "always", "off"]), Inner(&AUTO)])];

pub static AUTO: Object = part(
    "auto",
    "`auto`",
    "Automatic passing.",
    &[&[
        key("until", Words(&["turn", "always", "off"]), "how long the seat passes", "turn").required(),
        key("stack", Words(&["stop"]), "not while another player has something on the stack", "stop"),
    ]],
);

/// The words of `pot`.
pub const POTS: &[&str] = &["winners", "split", "burn", "refund"];

pub static MODERATION: Object = part(
    "moderation",
    "`moderate`",
    "A moderator ends the match.",
    &[&[
        key("winners", SEATS, "the winners", "[p0]").default("nobody"),
        key("pot", Words(POTS), "what becomes of the pot", "split").default("`refund`"),
    ]],
);

pub static ASKED: Object = part(
    "asked",
    "the question of a seat",
    "An open prompt. Only the keys that are written are compared.",
    &[&[
        key("name", Named_(Name::Question), "the name of the answer in the rules: `choose: bid`", "bid"),
        key("title", Text, "the title players read", "Lay a card"),
        key(
            "kind",
            Words(PROMPT_KINDS),
            "the [kind of prompt](language/choices.md#kinds-of-prompts)",
            "select",
        ),
        key("options", List(&Answer), "all options, in order", "[crown, mule]"),
        key(
            "branches",
            Named(&Free),
            "the alternatives that can be taken, each with its options or its own alternatives",
            "{rest: [], buy: [apple]}",
        ),
        key("min", Number, "the least number of picks", "0"),
        key("max", Number, "the greatest number of picks", "2"),
        key("slots", Free, "how many slots; null if there are none", "3"),
        key("pass", Flag, "whether the seat may pass", "true"),
        key(
            "secret",
            Flag,
            "whether the prompt and its answer are hidden from others until everyone has answered",
            "true",
        ),
        key("drafts", Flag, "whether drafts are accepted", "true"),
        key("draft", Answer, "the saved draft, or null", "crown"),
        key("deadline", Free, "milliseconds to answer, or null", "30000"),
        key("default", Answer, "the answer if time runs out, or null", "mule"),
    ]],
);

pub static OFFERS: Object = part(
    "offers",
    "the actions of a seat",
    "What a seat can do. Offers are written [as in answers](#actions-as-answers).",
    &[&[
        key("asked", Flag, "whether the seat is asked for an action now", "true"),
        key("available", List(&Offer), "each of these is offered", "[strike]"),
        key(
            "only",
            List(&Offer),
            "these and no others; empty, it is filled in by `--bless`",
            "[{strike: {host: knight#3, foe: knight#5}}]",
        ),
        key(
            "unavailable",
            List(&AnyOf(&[Inner(&UNAVAILABLE), Offer])),
            "each of these cannot be done now: the action, its host, or an object",
            "[{action: strike, reason: Only in your own turn}]",
        ),
    ]],
);

pub static UNAVAILABLE: Object = part(
    "unavailable",
    "an unavailable action",
    "An action that cannot be done now.",
    &[&[
        key("action", Offer, "its id", "strike"),
        key("host", Text, "the entity that has it", "knight"),
        key("title", Text, "its name", "Strike"),
        key("reason", Text, "why it cannot be done", "Only in your own turn"),
    ]],
);

pub static SIGHT: Object = part(
    "sight",
    "the view of a seat",
    "What a viewer sees. Paths use dots and indexes.",
    &[&[
        key(
            "view",
            Named(&Free),
            "paths of the view, and their values; names in it are those the viewer uses",
            "{\"players[0].zones.hand.count\": 3}",
        ),
        key(
            "hidden",
            List(&Text),
            "paths at which the view has nothing, or null",
            "[\"players[1].zones.hand.items\"]",
        ),
        key(
            "never",
            List(&Text),
            "texts that occur nowhere: not in the view, and not in any event the viewer has been sent since the match began. Case does not matter",
            "[crown]",
        ),
        key("events", Events, "what the viewer was sent in this step", "[{Moved: {to: table}}]"),
    ]],
);

pub static ENDED: Object = part(
    "ended",
    "`ended`",
    "How the match ended. `{}` accepts every end.",
    &[&[
        key(
            "outcome",
            Named_(Name::Outcome),
            "one the ruleset declares, or one of the engine: `disconnect`, `concede`, `kicked`, `out_of_time`, `moderator`, `finished`, `loop`",
            "normal",
        ),
        key("winners", List(&Seat), "the winners, in order of seats", "[p0]"),
        key("losers", List(&Seat), "the losers, in order of seats", "[p1]"),
        key("pot", Words(POTS), "what becomes of the pot", "winners"),
        key("score", BySeat(&Number), "the score of each seat", "{p0: 3, p1: -3}"),
    ]],
);

pub static STAKES: Object = part(
    "stakes_of_match",
    "`stakes`",
    "What is played for.",
    &[&[
        key("entry", Number, "the amount each seat pays", "5"),
        key("pot", Number, "the amount in the pot", "10"),
        key("currency", Text, "its name", "token"),
    ]],
);

pub static CLOCK: Object = part(
    "clock_of_match",
    "`clock`",
    "The time of the match, in milliseconds.",
    &[&[
        key("bank", Free, "each player's time; null if there is no limit", "90000"),
        key("increment", Number, "added with each answer", "2000"),
        key("grace", Free, "how long a connection may be lost; null if there is no limit", "60000"),
    ]],
);

/// Returns the shape of an input under a key of a step, such as `draft p0`.
#[must_use]
pub fn input_shape(key: &str) -> Option<&'static Shape> {
    let (word, seat) = key.split_once(' ').unwrap_or(("", key));
    let at = INPUTS.iter().position(|known| *known == word)?;
    is_seat(seat).then(|| &INPUT_SHAPES[at])
}

/// Returns true for `p0`, `p1` and so on.
#[must_use]
pub fn is_seat(text: &str) -> bool {
    text.strip_prefix('p').is_some_and(|digits| {
        !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
