//! Habits of other languages: what to write instead.

/// Returns what to write in place of a key that other languages have.
pub(crate) fn foreign_key(key: &str) -> Option<&'static str> {
    KEYS.iter().find(|(names, _)| names.contains(&key)).map(|(_, instead)| *instead)
}

/// Returns the type in place of one that other languages have.
pub(crate) fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "integer" | "number" | "num" | "float" | "double" | "long" | "i32" | "i64" => "int",
        "boolean" => "bool",
        "string" | "str" | "String" => "text",
        "array" | "vec" | "seq" | "set" => "list",
        "dict" | "dictionary" | "hash" => "map",
        "optional" | "option" | "nullable" => "maybe",
        "object" => "entity",
        _ => return None,
    })
}

/// Returns the name in place of one that other languages have, if it is among the candidates. `what` is the sort of name, as
/// messages call it.
pub(crate) fn foreign_name(what: &str, name: &str, candidates: &[&str]) -> Option<&'static str> {
    let words = match what {
        "list method" => METHODS,
        "name" | "target or zone" => NAMES,
        "`timing`" => TIMINGS,
        "`visible`" | "visibility" => SEEN_BY,
        _ => return None,
    };
    let found = words.iter().filter(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead);
    let mut found = found.filter(|instead| candidates.contains(instead));
    found.next()
}

/// Returns advice about a name of other languages that is not just another word here.
pub(crate) fn foreign_form(what: &str, name: &str) -> Option<&'static str> {
    let forms = match what {
        "list method" => LIST_FORMS,
        "function" => FUNCTION_FORMS,
        "name" => NAME_FORMS,
        _ => return None,
    };
    forms.iter().find(|(names, _)| names.contains(&name)).map(|(_, instead)| *instead)
}

/// Names of other languages, with what to write instead.
type Habits = &'static [(&'static [&'static str], &'static str)];

const KEYS: Habits = &[
    (
        &["elif", "elseif", "elsif", "elseIf", "else_if", "else if"],
        "write another `if` inside `else`: `else: [{if: …, then: […]}]`",
    ),
    (&["for", "foreach", "for_each", "forEach", "loop_over"], "write `each: list, as: item, do: […]`"),
    (&["while", "loop", "times"], "write `repeat: forever, while: test, do: […]`, or `repeat: 3`"),
    (&["case", "match", "select"], "write `switch: value, cases: {one: […], two: […]}`"),
    (&["break", "continue"], "give the loop a `label`, and leave it with `exit: label`"),
    (&["var", "const", "local", "assign", "define"], "write `let: {name: value}`"),
    (&["print", "log", "echo"], "emit an event with a `text`: players read it in the log"),
    (
        &["call_proc", "invoke", "run"],
        "write the name of the proc as the key: `{deal_damage: target, amount: 2}`",
    ),
    (&["destroy", "delete", "kill"], "write `remove: entity`"),
    (&["spawn", "new", "instantiate"], "write `create: def`"),
    (&["raise", "fire", "dispatch"], "write `emit: Event`"),
    (&["random", "rand"], "write `roll: 1d6, as: thrown`"),
    (&["ask", "prompt", "input"], "write `choose: answer, by: player, from: options`"),
    (&["win", "lose", "game_over"], "write `end: outcome, winners: […]`"),
    (&["push", "append"], "write `set: {owner.list: owner.list + [item]}`"),
    (&["increment", "inc", "subtract", "sub"], "write `add: {p.score: 1}`, or `-1`"),
    (&["trigger", "event", "on"], "write `when: {after: Event}`"),
];

const METHODS: Habits = &[
    (&["length", "size", "len"], "count"),
    (&["filter", "select", "find_all", "findAll", "keep_if"], "where"),
    (&["find", "head", "front", "peek", "detect"], "first"),
    (&["tail", "back"], "last"),
    (&["some", "exists", "any_of"], "any"),
    (&["every", "all_of"], "all"),
    (&["sort", "order_by", "sorted", "sort_with"], "sort_by"),
    (&["unique", "uniq", "dedup"], "distinct"),
    (&["flat_map", "flatMap", "flatten"], "flat"),
    (&["collect", "each", "for_each", "forEach", "select_many"], "map"),
    (&["total"], "sum"),
    (&["maximum", "highest"], "max"),
    (&["minimum", "lowest"], "min"),
    (&["compact", "not_null"], "present"),
    (&["single"], "only"),
];

const LIST_FORMS: Habits = &[
    (&["contains", "includes", "include", "has", "member"], "write `item in list`"),
    (&["push", "append", "add", "concat", "insert"], "write `list + [item]`"),
    (&["is_empty", "isEmpty", "empty"], "write `list.count == 0`"),
    (&["get", "at", "nth", "item"], "write `list[i]`"),
    (&["without", "remove", "delete", "reject"], "write `list.where(it != item)`"),
    (&["reduce", "fold"], "use `sum`, `min`, `max`, `any` or `all`, or a loop with `each`"),
    (&["shuffle"], "`shuffle` is a statement about a zone"),
    (&["slice", "take", "skip"], "write `list.top(n)` or `list.bottom(n)`"),
    (&["reverse", "reversed"], "write `list.sort_by(-it.number)`"),
];

const FUNCTION_FORMS: Habits = &[
    (&["len", "length", "size", "count"], "write `list.count`"),
    (&["random", "rand", "randint"], "`roll: 1d6, as: thrown` is a statement"),
    (&["floor", "round", "trunc"], "numbers are whole, and `/` rounds down"),
    (&["sum"], "write `list.sum`"),
    (&["sorted", "sort"], "write `list.sort_by(number)`"),
    (&["any", "all", "filter", "first"], "write it after the list: `list.any(test)`"),
    (&["print", "log"], "emit an event with a `text`: players read it in the log"),
    (&["has", "contains"], "write `item in list`, or `entity.has(trait)`"),
];

const NAMES: Habits = &[
    (&["this"], "self"),
    (&["me", "my", "myself"], "you"),
    (&["me", "player", "current_player", "currentPlayer"], "actor"),
    (&["nil", "None", "undefined", "nothing", "NULL"], "null"),
    (&["game", "state", "world"], "match"),
];

const NAME_FORMS: Habits = &[
    (
        &["current_player", "currentPlayer", "active_player", "activePlayer", "turn_player"],
        "the player whose turn it is: `flow.active`",
    ),
    (&["hidden", "secret", "nobody"], "for `visible`, write `none`"),
    (&["private"], "for `visible`, write `owner`"),
    (&["public", "everyone", "everybody", "open"], "for `visible`, write `all`"),
    (&["this"], "in rules of entities and in actions, the entity is `self`"),
    (&["me", "player"], "the player is `actor` in actions and `choose`, and `you` in rules of entities"),
];

const TIMINGS: Habits = &[(&["immediate", "immediately", "now", "instantly", "fast"], "instant")];

const SEEN_BY: Habits = &[
    (&["hidden", "secret", "nobody", "no"], "none"),
    (&["private", "self", "me", "player"], "owner"),
    (&["public", "everyone", "everybody", "open", "yes"], "all"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::expressions::METHODS as OWN;

    #[test]
    fn no_habit_is_a_word_of_the_language() {
        let names = METHODS.iter().chain(LIST_FORMS).flat_map(|(names, _)| *names);
        for name in names {
            assert!(!OWN.contains(name), "{name}");
        }
        for (_, instead) in METHODS {
            assert!(OWN.contains(instead), "{instead}");
        }
    }
}
