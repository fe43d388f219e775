//! Scenario files. `docs/reference/scenarios.md` explains every key.

use super::Shape::{Expression, Flag, Free, List, Named, Number, Object as Inner, Range, Statements, Text};
use super::{Key, Name, Object, Shape, key, part};

const SETTINGS: &[Key] = &[
    key("options", Named(&Expression), "options of the match", "{rounds: 1}"),
    key("seats", Range(1, 16), "how many seats the match has", "2").default("`players.seats` of the ruleset"),
    key("seed", Number, "the seed of everything random", "7").default("0"),
    key("ignore", List(&Shape::Name(Name::Event)), "events that listings leave out", "[Moved, Changed]"),
    key("given", Statements, "statements that run right after `setup`", "[{set: {p0.score: 2}}]"),
];

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
            key("name", Text, "the title: what the scenario proves", "the higher card scores").required(),
            key("text", Text, "a longer description for readers", "The entry is 10."),
        ],
        SETTINGS,
        &[
            key("dice", Free, "scripted dice", "[4, 6]"),
            key("start", Free, "everything that happens before the first input", "[MatchStarted]"),
            key(
                "play",
                List(&Inner(&STEP)),
                "the steps, in order; required unless `start` is given",
                "[{p0: crown}]",
            ),
        ],
    ],
);

/// A step. Its inputs stand under the names of seats, such as `p0` and `draft p0`.
pub static STEP: Object = part(
    "step_of_scenario",
    "a step",
    "Inputs, and checks after them. An input stands under a seat: `p0`, `draft p0`, `drag p0` or `auto p0`.",
    &[&[
        key("timeout", Free, "the deadline passes: a seat, a list of seats, or `all`", "p0"),
        key("leave", Free, "the player of a seat leaves", "p0"),
        key("concede", Free, "the player of a seat gives up", "p0"),
        key("kick", Free, "the player of a seat is removed", "p0"),
        key("out_of_time", Free, "the time bank of a seat is empty", "p0"),
        key("moderate", Free, "a moderator ends the match", "{winners: [p0]}"),
        key("late", Flag, "the inputs answer the previous prompt of the seat", "true"),
        key("to", Text, "the inputs answer the prompt of that seat", "p1"),
        key("refused", Text, "the input must be refused for that reason", "no_such_option"),
        key("unseen_by", Free, "nothing may change for these viewers", "[p1]"),
        key("events", Free, "what happened in this step", "[{Moved: {entity: crown}}]"),
        key("expect", Free, "what must be true", "{p0.score: 1}"),
        key("pending", Free, "who is asked, and what", "[p0]"),
        key("actions", Free, "what a seat can do", "{p0: {asked: true}}"),
        key("sees", Free, "what a viewer sees", "{p0: {}}"),
        key("ended", Free, "whether and how the match ended", "{outcome: normal}"),
        key("stakes", Free, "what is played for", "{pot: 10}"),
        key("clock", Free, "the time of the match", "{bank: 1000}"),
    ]],
);

/// Words before a seat in a key of a step; none for an answer.
pub const INPUTS: [&str; 4] = ["", "draft", "drag", "auto"];
