//! The statements.

use super::Shape::{
    AnyOf, Expression, Flag, List, Name as Named_, Named, Object as Inner, Plain, Statements, Text, Words,
};
use super::presentation::PROMPT_KINDS;
use super::{Key, Name, Object, declaration, key};

/// All statements, in the order of the reference.
pub static STATEMENTS: &[&Object] = &[
    &LET, &SET, &ADD, &IF, &SWITCH, &EACH, &REPEAT, &EXIT, &RETURN, &CALL, &EMIT, &PREVENT, &GROUP, &CHOOSE,
    &TAKE, &RESOLVE, &ROLL, &SHUFFLE, &MOVE, &CREATE, &BECOME, &REMOVE, &PHASE, &END,
];

/// Returns a statement whose first key is its head.
const fn statement(head: &'static str, doc: &'static str, keys: &'static [&'static [Key]]) -> Object {
    Object { id: head, what: head, doc, keys, is_declaration: false, head: Some(head), is_open: false }
}

const KEEP: Key =
    key("keep", Flag, "in a group: [prevented alone](groups.md#keep)", "true").default("`false`");
const AT: Key =
    key("at", Words(&["top", "bottom"]), "where in the zone it goes. A list keeps its order", "top")
        .default("`bottom`");

static LET: Object =
    statement(
        "let",
        "Names values. If the name already exists, it gets a new value.",
        &[&[key("let", Named(&Expression), "the names and their values", "{total: 0, cards: p.hand}")
            .required()]],
    );

static SET: Object = statement(
    "set",
    "Writes properties, all values computed before the first write.",
    &[&[
        key("set", Named(&Expression), "the properties and their new values", "{p.score: p.score * 2}")
            .required(),
        KEEP,
    ]],
);

static ADD: Object = statement(
    "add",
    "Adds to numbers.",
    &[&[
        key(
            "add",
            Named(&Expression),
            "the properties and what is added to them",
            "{p.score: 1, match.round: -1}",
        )
        .required(),
        KEEP,
    ]],
);

static IF: Object = statement(
    "if",
    "Branches on a test.",
    &[&[
        key("if", Expression, "the test", "p.score > 10").required(),
        key("then", Statements, "runs if the test is true", "[{end: normal}]").required(),
        key("else", Statements, "runs otherwise", "[{add: {p.score: 1}}]"),
    ]],
);

static SWITCH: Object = statement(
    "switch",
    "Compares a number, a truth value or a name with the keys of `cases`, and runs the matching case, or `else`.",
    &[&[
        key("switch", Expression, "the value", "c.suit").required(),
        key(
            "cases",
            Named(&Statements),
            "an object of values and statements",
            "{sun: [{add: {p.score: 1}}]}",
        )
        .required(),
        key("else", Statements, "runs if no case matches", "[{add: {p.score: 3}}]"),
    ]],
);

static EACH: Object = statement(
    "each",
    "Runs `do` for each item of a list, which is evaluated once, at the start.",
    &[&[
        key("each", Expression, "the list", "p.hand.where(it.value < 3)").required(),
        key("as", Text, "the name of the item", "card").default("`it`"),
        key("do", Statements, "the statements", "[{move: card, to: table}]").required(),
    ]],
);

static REPEAT: Object = statement(
    "repeat",
    "Runs `do` a number of times, or until something leaves the loop.",
    &[&[
        key(
            "repeat",
            AnyOf(&[Words(&["forever"]), Expression]),
            "the number of passes, or `forever`",
            "p.hand.count",
        )
        .required(),
        key("do", Statements, "the statements", "[{add: {p.score: 1}}]").required(),
        key(
            "max",
            Expression,
            "the greatest number of passes, a literal number. Required if the count is not a literal",
            "20",
        ),
        key("while", Expression, "a test before each pass", "p.score < 10"),
        key("as", Text, "the number of the pass, from 0", "pass"),
        key("label", Text, "a name for [`exit`](statements.md#exit)", "betting"),
    ]],
);

static EXIT: Object = statement(
    "exit",
    "Leaves the loop with that label, or the phase of that name.",
    &[&[key("exit", Text, "the label or the phase", "betting").required()]],
);

static RETURN: Object = statement(
    "return",
    "Leaves the proc with a value.",
    &[&[key("return", Expression, "the value; `null` for none", "who.hand.first").required()]],
);

pub static CALL: Object = statement(
    "call",
    "Runs an [ability](actions.md#abilities).",
    &[&[
        key("call", Expression, "the ability", "wave").required(),
        key("host", Expression, "the entity whose ability it is", "c").default("`self`"),
        key("by", Expression, "the player who uses it", "p").default("the acting player"),
        key("part", Words(&["costs", "effects", "all"]), "what of it runs", "effects").default("`all`"),
    ]],
);

static EMIT: Object = Object {
    is_open: true,
    ..statement(
        "emit",
        "Causes an event and runs its whole [life cycle](events.md#life-cycle). The other keys are the fields of the payload.",
        &[&[
            key("emit", Named_(Name::Event), "the event", "Scored").required(),
            key(
                "as",
                Text,
                "names a record of the final payload and `applied`: true if the event happened",
                "scored",
            ),
            KEEP,
        ]],
    )
};

static PREVENT: Object = statement(
    "prevent",
    "Prevents an event or an item on the stack.",
    &[&[
        key(
            "prevent",
            Expression,
            "[`event`](reactions.md#preventing), or an [item on the stack](stack.md#preventing-items)",
            "event",
        )
        .required(),
        key("instead", Statements, "statements that run instead of the event", "[{add: {p.score: 5}}]"),
    ]],
);

pub static GROUP: Object = statement(
    "group",
    "Runs several events as a unit.",
    &[&[
        key(
            "group",
            AnyOf(&[Words(&["simultaneous"]), Statements]),
            "the members; `simultaneous` if each stands for itself",
            "[{move: c, to: table}]",
        )
        .required(),
        key(
            "do",
            Statements,
            "the members of a [simultaneous](groups.md#simultaneous-groups) group",
            "[{move: c, to: table}]",
        ),
        key(
            "as",
            Text,
            "names a record `{applied: bool}`: true if the group happened; for a simultaneous group, true if any member did",
            "lit",
        ),
        key(
            "collect",
            Named_(Name::Event),
            "an event: the record of `as` also has [`events`](groups.md#reading-what-happened)",
            "Scored",
        ),
        key(
            "onPrevented",
            Words(&["drop", "propagate"]),
            "of a group [inside another](groups.md#nested-groups): whether preventing it prevents the outer one",
            "drop",
        ),
    ]],
);

pub static CHOOSE: Object = statement(
    "choose",
    "Asks players and waits for the answer.",
    &[&[
        key("choose", Text, "the name of the answer", "card").required(),
        key("by", Expression, "a player, or a list of players", "p").required(),
        key("how", Words(&["one", "each", "any", "first"]), "[whose answers count](choices.md#several-players); required for a list of players", "each").default("`one`"),
        key("from", Expression, "a list of options: entities, numbers, names, records and so on", "p.hand"),
        key("next", Expression, "the options that may follow: the answer is a [path](choices.md#paths)", "p.hand"),
        key("choices", AnyOf(&[Plain, List(&Inner(&ALTERNATIVE))]), "[alternatives](choices.md#alternatives), or a list as in `from`", "[{id: rest, title: Rest}]"),
        key("count", Expression, "[the number of picks](choices.md#number-of-picks)", "2").default("1"),
        key("min", Expression, "the least number of picks", "0"),
        key("max", Expression, "the greatest number of picks", "3"),
        key("order", Flag, "`true` if the order of the picks matters", "true").default("`false`"),
        key("slots", Expression, "the length of [a row of slots](choices.md#slots)", "3"),
        key("empty", Flag, "`true` if slots may stay empty", "true").default("`false`"),
        key("pass", AnyOf(&[Flag, Inner(&PASS)]), "`true` if the player may decline; the answer is then null. `{title: End turn}` also names the button that does it", "{title: End turn}").default("`false`"),
        key("blind", Flag, "`true`: options that the player does not see are [offered by their places](choices.md#options-that-are-hidden)", "true").default("`false`"),
        key("secret", Flag, "`true` if nobody may learn an answer, or who is asked, before all answers are in", "true").default("`false`"),
        key("ask", Words(&["always"]), "asks even if [only one answer is possible](choices.md#choices-that-are-not-asked)", "always"),
        key("deadline", Expression, "the [time to answer](choices.md#deadlines-and-drafts) in milliseconds, or null. Needs `default` or `pass`", "20000"),
        key("default", Expression, "the answer when time runs out", "null"),
        key("draft", AnyOf(&[Flag, Inner(&DRAFT)]), "accepts [provisional answers](choices.md#deadlines-and-drafts)", "{invalid: blank}").default("`false`"),
        key("check", List(&AnyOf(&[Plain, Inner(&super::rules::PRECONDITION)])), "[tests of the whole selection](choices.md#tests-of-a-selection), which has the name of the answer", "[{if: card.value > 1, else: Not the smallest}]"),
        key("divide", Expression, "a number that the player [divides](choices.md#dividing-a-number) among the options", "5"),
        key("while", Expression, "a test: [without success nobody is asked](choices.md#questions-that-close), and the default counts", "p.hand.count > 0"),
        key("else", Statements, "runs if there are [too few options](choices.md#questions-that-close), or nobody to ask", "[{end: normal}]"),
        key("title", Text, "shown to players", "Play a card").default("\"Choose\" and the name of the answer"),
        key("kind", Words(PROMPT_KINDS), "[the kind of prompt](choices.md#kinds-of-prompts)", "pay_cost").default("derived"),
    ]],
);

pub static ALTERNATIVE: Object = declaration(
    "alternative",
    "a choice",
    "One of several things to choose.",
    &[&[
        key("id", Text, "the name of the alternative. It or `title` is required", "rest").default("`title`"),
        key("title", Text, "shown to players", "Rest").default("`id`"),
        key("if", Expression, "a test: without success it is not offered", "table.count > 0"),
        key(
            "choices",
            AnyOf(&[Plain, List(&Inner(&ALTERNATIVE))]),
            "options inside it, or [alternatives inside it](choices.md#nested-alternatives)",
            "p.hand",
        ),
        key("count", Expression, "how many of those are picked", "1"),
        key("min", Expression, "the least number of those", "1"),
        key("max", Expression, "the greatest number of those", "2"),
        key("exclusive", Flag, "`true` if it cannot be combined with other alternatives", "true")
            .default("`false`"),
    ]],
);

pub static PASS: Object = declaration(
    "pass",
    "`pass`",
    "Passing has a name.",
    &[&[key("title", Text, "what passing does", "End turn").required()]],
);

pub static DRAFT: Object = declaration(
    "draft",
    "`draft`",
    "Provisional answers are accepted.",
    &[&[key(
        "invalid",
        Words(&["blank", "refuse"]),
        "an invalid draft: `blank` keeps its valid parts, `refuse` rejects it",
        "blank",
    )
    .required()]],
);

static TAKE: Object = statement(
    "take",
    "Takes an action.",
    &[&[key("take", Expression, "an [offer](actions.md#offers)", "act").required()]],
);

pub static RESOLVE: Object = statement(
    "resolve",
    "Resolves the top of the stack, or everything on it.",
    &[&[key("resolve", Words(&["top", "all"]), "how much", "all").required()]],
);

pub static ROLL: Object = statement(
    "roll",
    "Rolls dice, or draws from a list.",
    &[&[
        key(
            "roll",
            Expression,
            "the dice, such as `3d6`, or a list of dice; with `from`, how many are drawn",
            "3d6",
        )
        .required(),
        key(
            "as",
            Text,
            "names a record: `faces` of all dice, and the `total`; with `from`, the list drawn",
            "thrown",
        ),
        key(
            "keep",
            AnyOf(&[Words(&["highest", "lowest", "all"]), Expression]),
            "`highest` or `lowest` counts only that die",
            "highest",
        )
        .default("`all`"),
        key("for", Text, "a label for logs and scripted tests", "strength"),
        key("by", Expression, "the entity that rolls", "p"),
        key("from", Expression, "draws different items from this list instead", "\"[sun, moon, star]\""),
        key(
            "visible",
            Words(&["all", "owner", "team", "none"]),
            "[who sees it](statements.md#secret-rolls); `owner` is the owner of what rolls, `team` the owner's team",
            "owner",
        )
        .default("`all`"),
    ]],
);

static SHUFFLE: Object = statement(
    "shuffle",
    "Puts one zone instance in random order.",
    &[&[key("shuffle", Expression, "the zone", "deck").required()]],
);

static MOVE: Object = statement(
    "move",
    "Moves an entity, or a list of entities one by one, to a zone.",
    &[&[
        key("move", Expression, "the entity or the list", "c").required(),
        key(
            "to",
            Expression,
            "the zone. For one entity, the bare name of a player zone means its owner's",
            "p.hand",
        )
        .required(),
        AT,
        key(
            "as",
            Text,
            "names the entity after the move: the same one, unless the zone [renews](zones.md#new-objects) it. Not for lists",
            "moved",
        ),
        key("owner", Expression, "the player who owns the entity from then on. Not for lists", "p"),
        KEEP,
    ]],
);

pub static CREATE: Object = statement(
    "create",
    "Makes an entity from a def, copies an entity, or attaches a [trait](traits.md#attaching).",
    &[&[
        key("create", Expression, "a def, an entity or a trait", "candle").required(),
        key("owner", Expression, "a player", "p"),
        key("in", Expression, "a zone. The bare name of a player zone means the owner's", "hand"),
        AT,
        key(
            "with",
            Named(&Expression),
            "initial values of properties, or the arguments of a trait",
            "{value: 4, suit: moon}",
        ),
        key("as", Text, "names the new entity", "made"),
        key("host", Expression, "for a trait, required: the entity it is attached to", "c"),
        key(
            "until",
            Named_(Name::Duration),
            "for a trait: the [duration](events.md#aliases-and-durations) after which it is removed",
            "end_of_round",
        ),
        KEEP,
    ]],
);

pub static BECOME: Object = statement(
    "become",
    "Turns an entity into a copy of another one, or of a def.",
    &[&[
        key("become", Expression, "the entity", "c").required(),
        key("like", Expression, "the entity or the def to copy", "other").required(),
        key(
            "with",
            Named(&Expression),
            "printed properties that differ from those of the original",
            "{value: 4}",
        ),
        key(
            "until",
            Named_(Name::Duration),
            "the [duration](events.md#aliases-and-durations) after which it is itself again",
            "end_of_round",
        ),
        KEEP,
    ]],
);

static REMOVE: Object = statement(
    "remove",
    "Removes an entity, with its traits.",
    &[&[key("remove", Expression, "the entity", "c").required(), KEEP]],
);

static PHASE: Object = statement(
    "phase",
    "Runs a named part of the match.",
    &[&[
        key("phase", Text, "the name of the phase", "cleaning").required(),
        key("player", Expression, "the player it belongs to", "p"),
        key("subject", Expression, "the entity it is about", "c"),
        key("do", Statements, "the statements", "[{shuffle: deck}]").required(),
    ]],
);

pub static END: Object = statement(
    "end",
    "Ends the match.",
    &[&[
        key("end", Expression, "the [outcome](flow.md#how-a-match-ends)", "normal").required(),
        key("winners", Expression, "a list of players", "\"[p]\"").default("`[]`"),
        key("losers", Expression, "a list of players", "players.where(it != p)").default("`[]`"),
        key("score", Expression, "the [score](flow.md#score) of each player", "it.score"),
        key(
            "pot",
            Words(&["winners", "split", "burn", "refund"]),
            "[who gets the pot](flow.md#how-a-match-ends)",
            "split",
        )
        .default("`winners` if there is the key `winners`, otherwise `refund`"),
    ]],
);
