//! Declarations of behaviour: events, functions, procs, modifiers, chains, actions, targets, reactions, turns.

use super::Shape::{
    AnyOf, Expression, Flag, List, Name as Named_, Named, NamedBy, Number, Object as Inner, Plain, Range,
    Statements, Text, Type, Words,
};
use super::presentation::{ACTION_UI, REACTION_UI};
use super::{Key, Name, Object, Shape, declaration, key};

pub static EVENT: Object = declaration(
    "event",
    "an event",
    "Something that can happen.",
    &[&[
        key(
            "payload",
            Named(&Type),
            "its fields and their types. [`emit`](statements.md#emit) may leave out fields of a `maybe` type",
            "{player: player, amount: int}",
        ),
        key(
            "unless",
            Expression,
            "if this test is true, the event does not take place at all and is not logged",
            "event.amount <= 0",
        ),
        key(
            "apply",
            Statements,
            "the state change: `set` and `add`, under `if`, `switch`, `each` and `let`. Nothing else is allowed ([E-APPLY](../diagnostics.md#e-apply))",
            "[{add: {event.player.score: event.amount}}]",
        ),
        key(
            "then",
            Statements,
            "consequences: any statements. In a group they run [after the group](groups.md#how-a-group-runs)",
            "[{remove: event.card}]",
        ),
        key(
            "visible",
            AnyOf(&[Words(&["all", "none"]), Expression]),
            "[who sees it](zones.md#visibility-of-events): `all`, `none`, or a test of `viewer`",
            "viewer == event.player",
        )
        .default("that it happened, with what each viewer sees of it"),
        key("preventable", Flag, "`false` if no reaction may [prevent](reactions.md#preventing) it", "false")
            .default("`true`"),
        key(
            "chooser",
            Expression,
            "with [`reactionOrder: chosen`](reactions.md#order): the player who orders the reactions before it",
            "event.player",
        ),
    ]],
);

pub static ALIAS: Object = declaration(
    "alias",
    "an alias",
    "A second name for an event.",
    &[&[
        key("of", Named_(Name::Event), "the event", "Moved").required(),
        key("if", Expression, "a test of `event`", "event.to is table"),
    ]],
);

/// `{after: Event, if: test}`
pub static PATTERN: Object = declaration(
    "pattern",
    "a pattern",
    "An event, and a test of it.",
    &[&[
        key("after", Named_(Name::Event), "the event or alias", "Moved").required(),
        key(
            "if",
            Expression,
            "a test of `event`; a duration also sees `self`, `you` and `trait` of the trait",
            "event.from is table",
        ),
    ]],
);

pub static FUNCTION: Object = declaration(
    "function",
    "a function",
    "A named expression.",
    &[&[
        key(
            "params",
            Named(&Type),
            "[parameters](#parameters) in order, with their types",
            "{card: card, bonus: \"int = 0\"}",
        ),
        key("returns", Type, "the type of the result", "int").required(),
        key("is", Expression, "the expression", "card.value + bonus").required(),
        key(
            "else",
            Text,
            "[the reason](#tests-and-reasons) shown to players if the test is false",
            "Not enough points",
        ),
        key("override", Flag, "`true` to [replace](#override) one with the same name", "true")
            .default("`false`"),
    ]],
);

pub static PROC: Object = declaration(
    "proc",
    "a proc",
    "Named statements.",
    &[&[
        key(
            "params",
            Named(&Type),
            "[parameters](#parameters) in order, with their types",
            "{who: player, amount: \"int = 1\"}",
        ),
        key(
            "requires",
            Expression,
            "a test of whether a [cost](actions.md#costs) can be paid",
            "who.score >= amount",
        ),
        key("do", Statements, "the statements", "[{add: {who.score: -amount}}]").required(),
        key(
            "else",
            Text,
            "[the reason](#tests-and-reasons) shown to players if the cost cannot be paid",
            "You need {amount} points",
        ),
        key(
            "returns",
            Type,
            "the type of the result, which every path must return unless it is a `maybe`",
            "int",
        ),
        key("stack", Words(&["manual"]), "`manual`: see [windows](stack.md#windows)", "manual"),
        key("override", Flag, "`true` to [replace](#override) one with the same name", "true")
            .default("`false`"),
    ]],
);

pub static CHAIN: Object = declaration(
    "chain",
    "a chain",
    "A computation in stages over a record.",
    &[&[
        key("stages", List(&Text), "the names of the stages, in order", "[base, final]").required(),
        key("record", Named(&Type), "the fields of the record and their types", "{amount: int}").required(),
    ]],
);

pub static MODIFIER: Object = declaration(
    "modifier",
    "a modifier",
    "A lasting change of what is read of a property.",
    &[&[
        key("of", Text, "a property such as `piece.power`, or a [chain](#chains)", "piece.power").required(),
        key("if", Expression, "a test; without it the modifier always applies", "it == self"),
        key(
            "add",
            Expression,
            "adds to the number, or to the [list](#layers-and-lists) the items that are not in it; for a chain, to its fields",
            "1",
        ),
        key("set", Expression, "replaces the value; for a chain, those of its fields", "value * 2"),
        key(
            "zones",
            List(&Named_(Name::Zone)),
            "[where its entity must be](#where-modifiers-are-in-force)",
            "[hand]",
        )
        .default("zones with `active: true`"),
        key("layer", Number, "lower layers first", "1").default("0"),
        key("stage", Text, "for a chain: the stage", "final"),
        key("as", Text, "another name for `it`", "piece"),
        key("id", Text, "a name for explanations", "giant_strength"),
    ]],
);

pub static GRANT: Object = declaration(
    "grant",
    "a grant",
    "A standing effect that gives traits to entities, or takes their rules away.",
    &[&[
        key("to", Named_(Name::Kind), "the kind of the entities it is about", "creature").required(),
        key(
            "if",
            Expression,
            "a test of such an entity `it`; without it all of them",
            "it.controller == you",
        ),
        key(
            "traits",
            List(&AnyOf(&[Named_(Name::Trait), NamedBy(Name::Trait, &Named(&Expression))])),
            "the [traits](traits.md) they have, with arguments",
            "[flying, {armoured: {strength: 2}}]",
        ),
        key(
            "loses",
            AnyOf(&[Words(&["all"]), List(&Named_(Name::Trait))]),
            "`all`: their own rules and traits are out of force; or the traits that are",
            "all",
        ),
        key("in", List(&Named_(Name::Zone)), "the zones they must be in", "[hand]")
            .default("zones with `active: true`"),
        key("zones", List(&Named_(Name::Zone)), "where the entity of the grant must be", "[hand]")
            .default("zones with `active: true`"),
        key("layer", Number, "lower layers first", "1").default("0"),
        key("as", Text, "another name for `it`", "piece"),
    ]],
);

/// Targets: a list, or an object of ids.
const TARGETS: Shape = AnyOf(&[List(&Inner(&TARGET)), Named(&AnyOf(&[Plain, Inner(&UNNAMED_TARGET)]))]);

static TARGET_PARTS: &[Key] = &[
    key("from", Expression, "a list of candidates", "players.where(it != actor)"),
    key(
        "selector",
        AnyOf(&[Named_(Name::Zone), Inner(&SELECTOR)]),
        "candidates by zone, instead of `from`; the name of a zone alone means the player's own zone if it is hidden, and all zones of that name if everyone sees them",
        "{zone: table, count: 2}",
    ),
    key(
        "constraints",
        List(&Expression),
        "tests of a candidate `it`, or names of functions of one candidate; all must be true. `affordable`, `playable` and `legal` are always true, because only such candidates are offered",
        "[it.value > 1]",
    ),
    key("count", Expression, "how many", "2").default("1"),
    key("min", Expression, "the least number", "0"),
    key("max", Expression, "the greatest number", "3"),
    key("optional", Flag, "`true`: none or one. Without one, the target is null", "true").default("`false`"),
    key(
        "divide",
        Expression,
        "a number that is [divided among the targets](actions.md#divided-among-targets) when they are chosen",
        "3",
    ),
    key(
        "check",
        List(&AnyOf(&[Plain, Inner(&PRECONDITION)])),
        "of several targets: [tests of all of them together](choices.md#tests-of-a-selection)",
        "[{if: cards.sum(it.value) < 9, else: Too much}]",
    ),
    key(
        "blind",
        Flag,
        "`true`: candidates that the player does not see are [offered by their places](choices.md#options-that-are-hidden). They are chosen when the action is taken",
        "true",
    )
    .default("`false`"),
    key("title", Text, "the text of the prompt", "Whose card?"),
    key("recheck", Flag, "`false`: not checked again when the action resolves", "false").default("`true`"),
];

pub static TARGET: Object = declaration(
    "target",
    "a target",
    "Something to choose before the effects.",
    &[
        &[key(
            "id",
            Text,
            "the name of the target in the effects. `action`, `host`, `via` and `copied` are taken",
            "victim",
        )
        .required()],
        TARGET_PARTS,
    ],
);

/// A target under its id.
pub static UNNAMED_TARGET: Object =
    declaration("unnamed_target", "a target", "Something to choose before the effects.", &[TARGET_PARTS]);

pub static SELECTOR: Object = declaration(
    "selector",
    "a selector",
    "Candidates of a zone.",
    &[&[
        key("zone", Named_(Name::Zone), "the zone", "table").required(),
        key("controller", Words(&["self", "opponent", "any"]), "for a zone of players: whose", "opponent")
            .default("`any`"),
        key("kind", Named_(Name::Kind), "only entities of that kind", "card"),
        key("count", Expression, "how many", "2").default("1"),
        key("min", Expression, "the least number", "0"),
        key("max", Expression, "the greatest number", "3"),
    ]],
);

/// Keys of actions and their modes.
static ACTION_PARTS: &[Key] = &[
    key(
        "preconditions",
        List(&AnyOf(&[Plain, Inner(&PRECONDITION)])),
        "[tests](actions.md#preconditions)",
        "[{if: actor.score > 0, else: You need a point}]",
    ),
    key("targets", TARGETS, "[choices made with it](actions.md#targets)", "[{id: lamp, from: actor.hand}]"),
    key("costs", Statements, "[statements that pay](actions.md#costs)", "[{spend: actor, amount: 1}]"),
    key(
        "payment",
        List(&Inner(&TARGET)),
        "[choices made to pay](actions.md#choices-made-to-pay), which are no targets",
        "[{id: given, from: actor.hand}]",
    ),
    key(
        "effects",
        Statements,
        "the statements; required, unless a mode or template has them",
        "[{add: {actor.score: 1}}]",
    ),
    key(
        "finally",
        Statements,
        "statements that run last, whether the paid action happened or was prevented",
        "[{move: self, to: table}]",
    ),
];

pub static ACTION: Object = declaration(
    "action",
    "an action",
    "A move that players can make.",
    &[
        &[
            key("id", Text, "its name", "light_up").required(),
            key("host", Named_(Name::Kind), "a kind: every entity of that kind has the action, for its controller. Without `host` the players themselves have it", "card"),
            key("zones", List(&Named_(Name::Zone)), "the zones the host must be in", "[hand]").default("zones with `active: true`"),
            key("timing", Words(&["stack", "instant"]), "`stack`: it waits on the [stack](stack.md) and can be answered; `instant`: it happens immediately", "instant").default("`stack`"),
        ],
        ACTION_PARTS,
        &[
            key("props", Named(&Expression), "values of [properties of items](stack.md#properties-of-items), expressions in the item `it`", "{loud: true}"),
            key("optional", List(&Inner(&OPTIONAL_COST)), "[optional costs](actions.md#costs)", "[{id: kicked, title: Pay twice?, costs: []}]"),
            key("modes", List(&Inner(&MODE)), "[variants](actions.md#modes-and-templates)", "[{id: gentle, effects: []}]"),
            key("recheck", Flag, "`false`: [targets are not checked again](stack.md#resolving) when it resolves", "false").default("`true`"),
            key("refund", Words(&["prevented"]), "resources paid by the player are returned if the action is prevented", "prevented"),
            key("preventable", Flag, "`false`: [`prevent`](stack.md#preventing-items) has no effect on it while it is on the stack", "false").default("`true`"),
            key("abstract", Flag, "`true` for a [template](actions.md#modes-and-templates)", "true").default("`false`"),
            key("extends", Named_(Name::Action), "the [template](actions.md#modes-and-templates) whose keys it takes", "spell"),
            key("tags", List(&Text), "names that `has_tag` tests; see [abilities](actions.md#abilities)", "[loud]"),
            key("manipulation", Inner(&MANIPULATION), "[the drag that means it](actions.md#drags)", "{drag: self, onto: table}"),
            key("description", Text, "[one sentence for players](presentation.md#names-and-texts), used if `text` is missing", "Light a lamp."),
            key("hint", Text, "how to make it possible, [for players](presentation.md#names-and-texts)", "Win a point first."),
            key("ui", Inner(&ACTION_UI), "[for clients](presentation.md#ui)", "{icon: sword}"),
        ],
    ],
);

pub static MODE: Object = declaration(
    "mode",
    "a mode",
    "One of several variants of an action, in addition to the keys of the action.",
    &[
        &[
            key("id", Text, "its name, joined with that of the action", "gentle").required(),
            key("title", Text, "shown to players", "Gentle").default("the id"),
        ],
        ACTION_PARTS,
    ],
);

pub static PRECONDITION: Object = declaration(
    "precondition",
    "a precondition",
    "A test, and the reason shown if it fails.",
    &[&[
        key("if", Expression, "the test", "actor == flow.active").required(),
        key("else", Text, "the reason shown to the player", "Only in your own turn"),
    ]],
);

pub static OPTIONAL_COST: Object = declaration(
    "optional_cost",
    "an optional cost",
    "A cost that players may pay.",
    &[&[
        key("id", Text, "true in the effects if it was paid", "kicked").required(),
        key("title", Text, "the text of the prompt", "Pay 2 points for a second spark?"),
        key("costs", Statements, "statements that pay", "[{spend: actor, amount: 2}]"),
    ]],
);

pub static MANIPULATION: Object = declaration(
    "manipulation",
    "`manipulation`",
    "The drag gesture that stands for the action.",
    &[&[
        key("drag", Text, "`self`, a target or a zone", "self"),
        key("onto", Text, "`self`, a target or a zone", "table"),
    ]],
);

/// Limits that can also stand in a reaction or its `when`, next to the other keys.
pub const LIMITERS: &[Key] = &[
    key("oncePerTurn", Flag, "`true`: once per turn", "true"),
    key("oncePerSource", Flag, "`true`: once per match for each entity", "true"),
    key(
        "maxPerEvent",
        Range(0, 65_535),
        "so many times per event. See [area events](reactions.md#area-events)",
        "1",
    ),
];

const LOOK: Key =
    key("look", Words(&["before", "after"]), "`before`: [looking back](reactions.md#looking-back)", "before")
        .default("`after`");

pub static REACTION: Object = declaration(
    "reaction",
    "a reaction",
    "A rule that an event sets off.",
    &[
        &[
            key("id", Text, "a name that no other reaction has", "double_stars").required(),
            key("when", Inner(&WHEN), "[the event](#when)", "{before: Scored}").required(),
            key("conditions", List(&Expression), "further tests; all must be true", "[deck.count > 0]"),
            key("prevention_conditions", List(&Expression), "tests of [`prevent: event`](#preventing) alone: if one is false, the event is not prevented and the other effects still run", "[event.amount > 3]"),
            key("effects", Statements, "the statements", "[{add: {match.round: 1}}]").required(),
            key("priority", Number, "higher ones run first. See [order](#order)", "5").default("0"),
            key("timing", Words(&["now", "stack", "before", "after"]), "`now` or `stack`. See [timing](#timing)", "stack").default("the section `reactionTiming`"),
            key("zones", List(&Named_(Name::Zone)), "[where its entity must be](#reactions-of-entities)", "[hand]").default("zones with `active: true`"),
            key("may", Flag, "`true`: [the controller is asked](#asking-first) and may decline. The prompt shows the event, as far as the player may see it", "true").default("`false`"),
            key("auto", Expression, "a test: if true, nobody is asked and the reaction runs. It has no effect together with `targets`", "you.score > 5"),
            key("relevant", Expression, "a test of whether the reaction would change anything; if false, the reaction does not run", "event.amount > 0"),
            key("secret", Flag, "`true`: [asking does not betray the card](#secret-reactions). `false`: it may, and the compiler does not warn", "true"),
            key("costs", Statements, "statements that pay. A proc's [`requires`](functions.md#tests-and-reasons) tests whether it can be paid; a player who cannot pay is not asked", "[{spend: you, amount: 2}]"),
            key("targets", TARGETS, "choices, with the keys of [action targets](actions.md#targets). Without candidates for the first target the reaction does not run", "[{id: victim, from: players}]"),
            key("payment", List(&Inner(&TARGET)), "[choices made to pay](actions.md#choices-made-to-pay), which are no targets. A player who has too few candidates is not asked", "[{id: given, from: you.hand}]"),
            key("targeting", Words(&["resolve", "stack"]), "of a reaction on the stack: `stack` if its targets are chosen when it [goes there](reactions.md#targets-on-the-stack), `resolve` if when it resolves", "stack").default("the section `reactionTargeting`"),
            key("limit", Inner(&LIMIT), "[how often it may run](#limits)", "{oncePerTurn: true}"),
            key("per", AnyOf(&[Words(&["each", "batch"]), List(&Named_(Name::Field))]), "[how often it runs per batch](#batches): `each`, `batch`, or a list of fields", "batch").default("`each`"),
            LOOK,
            key("can_prevent", Flag, "`false`: the compiler rejects `prevent: event` in it", "false").default("`true`"),
            key("ui", Inner(&REACTION_UI), "[its question](presentation.md#questions-of-reactions)", "{title: Duck?}"),
        ],
        LIMITERS,
    ],
);

pub static WHEN: Object = declaration(
    "when",
    "`when`",
    "The event that sets a reaction off.",
    &[
        &[
            key(
                "before",
                Named_(Name::Event),
                "an event or alias: the reaction runs before it is applied",
                "Scored",
            ),
            key(
                "after",
                Named_(Name::Event),
                "an event or alias: the reaction runs after its consequences",
                "Scored",
            ),
            key("if", Expression, "a test", "event.amount > 1"),
            LOOK,
            key(
                "eventType",
                Named_(Name::Event),
                "another spelling of `after`, or of `before` with `timing: before`",
                "Scored",
            ),
            key(
                "filters",
                NamedBy(Name::Field, &Expression),
                "with `eventType`: the values that fields must have",
                "{amount: 3}",
            ),
        ],
        LIMITERS,
    ],
);

pub static LIMIT: Object = declaration(
    "limit",
    "`limit`",
    "How often a reaction may run.",
    &[
        LIMITERS,
        &[
            key("n", Range(0, 65_535), "so many times per `per`", "2"),
            key("per", Text, "`turn`, a phase such as `round`, `event` or `match`", "round").default("`turn`"),
            key("key", Words(&["instance", "rule", "source"]), "what counts together: `instance`, each entity or trait that has the rule; `rule`, all of them; `source`, all traits of that name on one entity", "rule").default("`instance`, but `rule` for limits per event"),
            key("on", Words(&["trigger", "use"]), "what counts: `trigger`, or `use`: only after consent and payment", "use").default("`trigger`"),
        ],
    ],
);

pub static TURNS: Object = declaration(
    "turns",
    "`turnStructure`",
    "Turns, phases and steps.",
    &[&[
        key("phases", List(&Inner(&PHASE_OF_TURN)), "the phases of a turn, in order", "[{id: main}]")
            .required(),
        key(
            "priorityWindows",
            List(&Inner(&WINDOW)),
            "the steps in which players may act. At least one is required ([E-LOOP](../diagnostics.md#e-loop))",
            "[{phase: main, step: play}]",
        ),
    ]],
);

pub static PHASE_OF_TURN: Object = declaration(
    "phase_of_turn",
    "a phase",
    "A phase of a turn.",
    &[&[
        key("id", Text, "its name", "main").required(),
        key("steps", List(&Inner(&STEP)), "its steps, in order", "[{id: play}]"),
        key("mandatory", Flag, "accepted, without effect", "true"),
    ]],
);

pub static STEP: Object = declaration(
    "step",
    "a step",
    "A step of a phase.",
    &[&[
        key("id", Text, "its name", "play").required(),
        key("mandatory", Flag, "accepted, without effect", "true"),
    ]],
);

pub static WINDOW: Object = declaration(
    "window",
    "a priority window",
    "A step in which players may act.",
    &[&[
        key("phase", Named_(Name::Phase), "the phase", "main"),
        key("step", Named_(Name::Phase), "the step", "play"),
    ]],
);
