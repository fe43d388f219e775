//! Declarations of state: options, types, players, kinds, properties, resources, zones, defs, traits.

use super::Shape::{
    AnyOf, Expression, Flag, List, Name as Named_, Named, NamedBy, Number, Object as Inner, Range, Text,
    Type, Words,
};
use super::presentation::DEF_UI;
use super::rules::{ACTION, GRANT, MODIFIER, PATTERN, REACTION};
use super::{Key, Name, Object, Shape, declaration, key};

/// Values of `visible`: a word, or a test.
const VISIBLE: Shape = AnyOf(&[Words(&["all", "none", "owner", "team"]), Expression]);

/// Visibility of a zone or property.
const SEEN_BY: &str =
    "[who sees it](zones.md#visibility): `all`, `owner`, `team`, `none`, or a test of `viewer`";

pub static OPTION: Object = declaration(
    "option",
    "an option",
    "A setting of a match.",
    &[&[
        key("type", Type, "its type", "int").required(),
        key(
            "default",
            Expression,
            "the value if nobody sets another; required unless the type is `maybe`",
            "3",
        ),
        key("min", Number, "the least number. A `maybe<int>` may be null whatever the bounds", "1"),
        key("max", Number, "the greatest number", "20"),
    ]],
);

pub static TYPE: Object = declaration(
    "type_declaration",
    "a type",
    "An [enum or a record](types.md#enums-and-records).",
    &[&[
        key("enum", List(&Text), "the members, in order", "[sun, moon, star]"),
        key("record", Named(&Type), "the fields and their types", "{suit: Suit, amount: int}"),
    ]],
);

pub static PLAYERS: Object = declaration(
    "players",
    "`players`",
    "Who plays.",
    &[&[
        key("seats", Range(1, 16), "the default number of players", "2").default("`min`, or 2"),
        key("min", Range(1, 16), "the least number of players", "2").default("`seats`"),
        key("max", Range(1, 16), "the greatest number of players", "4").default("`seats`"),
        key(
            "leavers",
            Words(&["asked", "skipped"]),
            "whether players who have left are [still asked](choices.md#questions-that-close)",
            "skipped",
        )
        .default("`asked`"),
        key(
            "teams",
            AnyOf(&[List(&List(&Number)), Words(&["together"]), Expression]),
            "the seats of each [team](teams.md), or `together` for one team of all",
            "[[0, 2], [1, 3]]",
        ),
        key(
            "props",
            Named(&PROP_OR_TYPE),
            "[properties of players](state.md#players-and-the-match)",
            "{score: {type: int, default: 0}}",
        ),
    ]],
);

pub static MATCH: Object = declaration(
    "match",
    "`match`",
    "The match itself.",
    &[&[key(
        "props",
        Named(&PROP_OR_TYPE),
        "[properties of the match](state.md#players-and-the-match)",
        "{round: {type: int, default: 0}}",
    )]],
);

pub static KIND: Object = declaration(
    "kind",
    "a kind",
    "A sort of entity, such as a card or a piece.",
    &[&[
        key("extends", Named_(Name::Kind), "the kind whose properties and zones it has too", "token"),
        key("props", Named(&PROP_OR_TYPE), "its [properties](#kinds-and-properties)", "{strength: int}"),
        key("ui", Inner(&DEF_UI), "[its glyph](presentation.md#grids)", "{glyph: P}"),
    ]],
);

/// A property, or its type alone.
const PROP_OR_TYPE: Shape = AnyOf(&[Type, Inner(&PROP)]);

/// Keys of properties and resources.
const STATE: &[Key] = &[
    key("default", Expression, "the initial value; `it` is the new entity", "3"),
    key("min", Expression, "the least number; `it` is the entity. A write below is clamped to it", "0"),
    key(
        "max",
        Expression,
        "the greatest number; a write above is clamped to it. A default is not",
        "it.strength + 3",
    ),
    key("mod", Flag, "`true` if [modifiers](modifiers.md) may change what is read", "true")
        .default("`false`"),
    key("visible", VISIBLE, SEEN_BY, "owner").default("`all`"),
    key(
        "resets",
        Inner(&RESETS),
        "[sets it back after an event](state.md#resets)",
        "{when: {after: RoundEnd}, to: 0}",
    ),
    key(
        "ResetsOn",
        Named_(Name::Event),
        "[sets it back after an event](state.md#resets), of the entity that the event is about",
        "TurnStart",
    ),
    key("to", Expression, "with `ResetsOn`: the new value; `max` if missing", "0"),
];

pub static PROP: Object = declaration(
    "property",
    "a property",
    "Something that every entity of a kind remembers.",
    &[
        &[key("type", Type, "its type; `strength: int` is short for `strength: {type: int}`", "int")
            .required()],
        STATE,
        &[
            key(
                "derived",
                Expression,
                "an expression in `it`, computed on every read. The property cannot be written",
                "it.wounds == 0",
            ),
            key("index", Flag, "accepted, without effect", "true"),
        ],
    ],
);

pub static RESOURCE: Object = declaration(
    "resource",
    "a resource",
    "A number that rules spend and refill; `min` is 0 if missing.",
    &[&[key("of", Named_(Name::Kind), "the kind that has it", "player").required()], STATE],
);

pub static RESETS: Object = declaration(
    "resets",
    "`resets`",
    "The event that sets a property back.",
    &[&[
        key(
            "when",
            Inner(&PATTERN),
            "`{after: Event, if: test}`. The test sees `it` and `event`",
            "{after: TurnStart}",
        )
        .required(),
        key(
            "to",
            Expression,
            "the new value; required if the property has no default and is not a `maybe`",
            "0",
        )
        .default("the property's `default`"),
    ]],
);

pub static ZONE: Object = declaration(
    "zone",
    "a zone",
    "A place for entities, in order.",
    &[&[
        key(
            "of",
            Named_(Name::Kind),
            "the kind that each instance belongs to: `p.hand`. Without it the zone has one instance",
            "player",
        ),
        key(
            "holds",
            Named_(Name::Kind),
            "the kind it holds. If the ruleset has exactly one kind that extends no other, that is the default; otherwise entities of any kind",
            "card",
        ),
        key("visible", VISIBLE, "[who sees its contents](#visibility)", "owner").default("`all`"),
        key("order", Words(&["list", "set"]), "`list` if the order matters to players", "list")
            .default("`set`"),
        key("max", Number, "its capacity, 1 to 100,000. See [full zones](#full-zones)", "8"),
        key(
            "active",
            Flag,
            "`true` if the [rules of its contents](reactions.md#reactions-of-entities) are in force",
            "true",
        )
        .default("`false`"),
        key("renews", AnyOf(&[Flag, Words(&["outside"])]), "`true` if an entity that enters becomes a [new object](#new-objects), `outside` if only one that comes from another zone does", "true")
            .default("`false`"),
    ]],
);

/// Rules that defs and traits contain.
static RULES: &[Key] = &[
    key(
        "reactions",
        List(&Inner(&REACTION)),
        "[reactions](reactions.md#reactions-of-entities)",
        "[{id: bark, when: {after: Moved}, effects: []}]",
    ),
    key(
        "modifiers",
        List(&Inner(&MODIFIER)),
        "[modifiers](modifiers.md)",
        "[{of: card.value, if: it == self, add: 1}]",
    ),
    key(
        "grants",
        List(&Inner(&GRANT)),
        "[traits given and rules taken away](grants.md)",
        "[{to: card, if: it != self, traits: [glowing]}]",
    ),
    key(
        "actions",
        List(&Inner(&ACTION)),
        "[actions](actions.md) that it offers",
        "[{id: bark, effects: []}]",
    ),
];

pub static DEF: Object = declaration(
    "def",
    "a def",
    "A printed thing, such as a card or a figure, from which entities are made.",
    &[
        &[
            key("kind", Named_(Name::Kind), "the kind of its entities", "card").required(),
            key(
                "props",
                Named(&Expression),
                "initial values that differ from those of the kind, expressions in `it`",
                "{value: 9, suit: star}",
            ),
        ],
        RULES,
        &[
            key(
                "abilities",
                List(&Inner(&ACTION)),
                "[abilities](actions.md#abilities) that other rules can call",
                "[{id: wave, effects: []}]",
            ),
            key(
                "traits",
                List(&AnyOf(&[Named_(Name::Trait), NamedBy(Name::Trait, &Named(&Expression))])),
                "[traits](traits.md) that its entities start with",
                "[{glowing: {strength: 2}}]",
            ),
            key("ui", Inner(&DEF_UI), "[its glyph](presentation.md#grids)", "{glyph: R}"),
        ],
    ],
);

pub static TRAIT: Object = declaration(
    "trait",
    "a trait",
    "Rules that can be attached to an entity.",
    &[
        &[
            key("params", Named(&Type), "[parameters](functions.md#parameters)", "{strength: \"int = 1\"}"),
            key(
                "ability",
                Flag,
                "`false`: not lost together [with all abilities](grants.md#losing-abilities), such as an injury or a bonus",
                "false",
            )
            .default("`true`"),
        ],
        RULES,
    ],
);
