//! The words of the expression language: list methods, facts of entities, built-in functions, roots and types.

/// A word of the expression language.
#[derive(Debug)]
pub struct Term {
    pub name: &'static str,
    /// The ways to write it, such as `count(test)`; the name alone if there is only that.
    pub forms: &'static [&'static str],
    /// The type of its value, where it does not depend on anything.
    pub result: &'static str,
    /// One line in Markdown, with links relative to `docs/reference/language`.
    pub doc: &'static str,
}

/// Terms of one sort, with the headings of their table.
#[derive(Debug)]
pub struct Vocabulary {
    /// Its name in the pages of the reference, unique among objects and vocabularies.
    pub id: &'static str,
    pub headings: &'static str,
    /// Stands before each form in the table.
    pub prefix: &'static str,
    pub terms: &'static [Term],
}

/// All vocabularies.
pub static VOCABULARIES: &[&Vocabulary] =
    &[&METHODS, &FACTS, &SPECIAL_FACTS, &FUNCTIONS, &ROOTS, &FLOW, &TYPES];

const fn term(
    name: &'static str,
    forms: &'static [&'static str],
    result: &'static str,
    doc: &'static str,
) -> Term {
    Term { name, forms, result, doc }
}

/// Methods of lists and zones.
pub static METHODS: Vocabulary = Vocabulary {
    id: "methods",
    headings: "method | result",
    prefix: "",
    terms: &[
        term(
            "count",
            &["count", "count(test)"],
            "",
            "the number of items; with a test, of those that pass it",
        ),
        term(
            "first",
            &["first", "first(test)"],
            "",
            "the first item, or the first that passes the test; `maybe`",
        ),
        term("last", &["last", "last(test)"], "", "the last item, or the last that passes the test; `maybe`"),
        term(
            "top",
            &["top", "top(n)"],
            "",
            "the same as `first`; with a number, the first `n` items, fewer if the list is shorter",
        ),
        term(
            "bottom",
            &["bottom", "bottom(n)"],
            "",
            "the same as `last`; with a number, the last `n` items, fewer if the list is shorter",
        ),
        term("only", &["only"], "", "the single item; a fault unless the list has exactly one"),
        term("present", &["present"], "", "the items that are not null"),
        term("where", &["where(test)"], "", "the items that pass the test"),
        term("map", &["map(value)"], "", "the value for each item"),
        term("flat", &["flat(list)"], "", "the lists for each item, joined"),
        term("any", &["any(test)"], "", "true if one item passes the test"),
        term("all", &["all(test)"], "", "true if every item passes the test"),
        term("sum", &["sum", "sum(number)"], "", "the sum; 0 for an empty list"),
        term("min", &["min", "min(number)"], "", "the least number; `maybe<int>`, but `int` for `players`"),
        term(
            "max",
            &["max", "max(number)"],
            "",
            "the greatest number; `maybe<int>`, but `int` for `players`",
        ),
        term("sort_by", &["sort_by(number)"], "", "sorted, least first; equal items keep their order"),
        term("distinct", &["distinct"], "", "the list without duplicates"),
        term("update", &["update(i, value)"], "", "the list with another item at position `i`"),
    ],
};

/// Facts about every entity.
pub static FACTS: Vocabulary = Vocabulary {
    id: "facts",
    headings: "fact | type | meaning",
    prefix: "e.",
    terms: &[
        term("def", &["def"], "maybe<def>", "the def it was made from"),
        term("owner", &["owner"], "player", "its owner; a fault if it has none"),
        term(
            "controller",
            &["controller"],
            "player",
            "the player who [controls](state.md#control) it: the owner, unless rules say otherwise",
        ),
        term("zone", &["zone"], "maybe<zone>", "the zone it is in"),
        term("index", &["index"], "int", "its position there, from 0; a fault if it is in no zone"),
        term(
            "host",
            &["host"],
            "maybe<entity>",
            "of an attached [trait](traits.md): the entity it is attached to; of an item on the [stack](stack.md): the entity whose rule it is; otherwise null",
        ),
        term("abilities", &["abilities"], "list<ability>", "its [abilities](actions.md#abilities)"),
        term(
            "traits",
            &["traits"],
            "list<entity>",
            "the [traits](traits.md#attaching) attached to it; `t.def` says which trait it is",
        ),
    ],
};

/// Functions that are part of the language.
pub static FUNCTIONS: Vocabulary = Vocabulary {
    id: "functions",
    headings: "function | result",
    prefix: "",
    terms: &[
        term("min", &["min(a, b, …)"], "", "the least of two or more numbers"),
        term("max", &["max(a, b, …)"], "", "the greatest of two or more numbers"),
        term("abs", &["abs(a)"], "", "the absolute value"),
        term("range", &["range(a, b)"], "", "the numbers from `a` to `b`, both included; empty if `b < a`"),
        term("dice", &["dice(count, sides)"], "", "a dice pool"),
        term("next", &["next(p)"], "", "the player at the next seat, wrapping around"),
        term("prev", &["prev(p)"], "", "the player at the previous seat, wrapping around"),
        term("players_from", &["players_from(p)"], "", "all players in seat order, starting with `p`"),
        term(
            "map",
            &["map(players, value)", "map([sun, moon], value)"],
            "",
            "a [map](types.md#maps); `it` is the key",
        ),
        term(
            "is_resource",
            &["is_resource(name)"],
            "",
            "true if the property is a [resource](state.md#resources)",
        ),
        term(
            "chain",
            &["chain(name, record)"],
            "",
            "the record after all stages of a [chain](modifiers.md#chains)",
        ),
        term("actions", &["actions(p)"], "", "everything the player [could do now](actions.md#offers)"),
        term(
            "usable",
            &["usable(a, e)"],
            "",
            "true if the preconditions of the [ability](actions.md#abilities) `a` of `e` hold and its costs can be paid",
        ),
        term("affordable", &["affordable(a, e)"], "", "true if the costs can be paid"),
        term(
            "does",
            &["does(x, Event)"],
            "",
            "true if the effects of the action `x` [on the stack](stack.md) can cause the event",
        ),
        term(
            "defs",
            &["defs(card)"],
            "",
            "all [defs](state.md#defs) of that kind, in the order of their declaration. A function of the ruleset may have this name",
        ),
        term(
            "prior",
            &["prior(x)"],
            "",
            "in a [modifier](modifiers.md#layers-and-lists): the value before the layer of the modifier. A function of the ruleset may have this name",
        ),
    ],
};

/// Facts about some entities only, and about zones.
pub static SPECIAL_FACTS: Vocabulary = Vocabulary {
    id: "special_facts",
    headings: "fact | type | meaning",
    prefix: "",
    terms: &[
        term(
            "known",
            &["e.known"],
            "list<player>",
            "players who [know it](zones.md#visibility) without seeing it; not for players and the match",
        ),
        term("has", &["e.has(glowing)"], "bool", "true if the [trait](traits.md) is attached"),
        term("seat", &["p.seat"], "int", "the seat of a player, from 0"),
        term(
            "actor",
            &["i.actor"],
            "player",
            "of an item on the [stack](stack.md): the player who put it there",
        ),
        term("targets", &["i.targets"], "list<entity>", "of an item on the [stack](stack.md): its targets"),
        term(
            "rule",
            &["i.rule"],
            "symbol",
            "of an item on the [stack](stack.md): the id of its action or reaction",
        ),
        term(
            "trigger",
            &["i.trigger"],
            "maybe<symbol>",
            "of a reaction on the [stack](stack.md): the event that triggered it",
        ),
        term(
            "about",
            &["i.about"],
            "maybe<entity>",
            "of a reaction on the [stack](stack.md): the entity in the first field of that event",
        ),
    ],
};

/// Names that expressions begin with.
pub static ROOTS: Vocabulary = Vocabulary {
    id: "roots",
    headings: "root | available in | value",
    prefix: "",
    terms: &[
        term("players", &["players"], "everywhere", "all players by seat, a list"),
        term("match", &["match"], "everywhere", "the match"),
        term("options", &["options.x"], "everywhere", "the [option](options.md#options) `x`"),
        term("flow", &["flow.x"], "everywhere", "[the phases in progress](#phases-in-progress)"),
        term("stack", &["stack"], "everywhere", "the [stack](stack.md), a zone"),
        term(
            "event",
            &["event"],
            "events, reactions, aliases, durations, resets, [messages](messages.md)",
            "the event in progress",
        ),
        term(
            "actor",
            &["actor"],
            "the arguments of `choose`, and functions called there; actions; rules of entities",
            "the player who is asked, or who acts",
        ),
        term(
            "it",
            &["it"],
            "list methods, properties, modifiers, `each` without `as`",
            "the current item, or the entity that a property belongs to",
        ),
        term(
            "value",
            &["value"],
            "[modifiers](modifiers.md) of a property",
            "the value before this modifier",
        ),
        term("viewer", &["viewer"], "[`visible`](zones.md#visibility)", "the player who looks"),
        term("zone", &["zone"], "`visible` of a zone", "the zone instance"),
        term(
            "self",
            &["self"],
            "rules of entities, [actions](actions.md), [traits](traits.md)",
            "the entity that a rule belongs to",
        ),
        term("you", &["you"], "the same rules", "the [controller](state.md#control) of `self`"),
        term("trait", &["trait"], "rules of [traits](traits.md)", "the trait that a rule belongs to"),
    ],
};

/// The names after `flow.`
pub static FLOW: Vocabulary = Vocabulary {
    id: "flow",
    headings: "name | value",
    prefix: "flow.",
    terms: &[
        term(
            "active",
            &["active"],
            "",
            "the player of the innermost phase that has one; a fault if no phase has one",
        ),
        term("subject", &["subject"], "", "the subject of the innermost phase that has one, or null"),
        term("phase", &["phase"], "", "the innermost phase, or null"),
        term("in", &["in(x)"], "", "true while the phase `x` is in progress, at any depth"),
        term("changes", &["changes"], "", "the number of events since the match started, without `Settled`"),
    ],
};

/// Types.
pub static TYPES: Vocabulary = Vocabulary {
    id: "types",
    headings: "type | values",
    prefix: "",
    terms: &[
        term(
            "int",
            &["int"],
            "",
            "whole numbers with 64 bits. Leaving the range is the fault [`overflow`](limits.md#faults)",
        ),
        term("bool", &["bool"], "", "`true`, `false`"),
        term(
            "text",
            &["text"],
            "",
            "text for people, written `'like this'`. Rules can store it, pass it on and compare it, nothing else",
        ),
        term("dice", &["dice"], "", "a dice pool such as `2d6`: 1 to 1,000 dice with 1 to 1,000,000 sides"),
        term("symbol", &["symbol"], "", "any declared name"),
        term("def", &["def"], "", "the name of a def"),
        term("trait", &["trait"], "", "the name of a trait"),
        term("phase", &["phase"], "", "the name of a phase"),
        term("zonename", &["zonename"], "", "the name of a zone"),
        term("resource", &["resource"], "", "the name of a resource"),
        term("outcome", &["outcome"], "", "the name of an outcome"),
        term("player", &["player"], "", "a player"),
        term("match", &["match"], "", "the match"),
        term("entity", &["entity"], "", "an entity of any kind"),
        term("zone", &["zone"], "", "one zone instance, such as the hand of one player"),
        term("event", &["event"], "", "an event that is in progress"),
        term("list", &["list<T>"], "", "items of one type"),
        term(
            "map",
            &["map<player, V>", "map<Suit, V>"],
            "",
            "one value per player, or per member of an enum",
        ),
        term("maybe", &["maybe<T>"], "", "a `T`, or [`null`](types.md#null)"),
        term(
            "answer",
            &["answer<T>"],
            "",
            "[the answer of one player](choices.md#several-players): `{value: T, touched: bool, how: symbol}`",
        ),
        term("ability", &["ability"], "", "an [ability](actions.md#abilities) of an entity"),
        term("action", &["action"], "", "an [action that a player could take now](actions.md#offers)"),
        term("stack_item", &["stack_item"], "", "an item on the [stack](stack.md)"),
        term(
            "any",
            &["any"],
            "",
            "the values of a [`Changed`](events.md#events-of-the-engine) event; their type is that of the property",
        ),
    ],
};

impl Vocabulary {
    /// Returns the term of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static Term> {
        self.terms.iter().find(|term| term.name == name)
    }

    /// Returns the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.terms.iter().map(|term| term.name)
    }

    /// Returns true if it has a term of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}
