//! Custom messages: what they may contain and what they must not reveal. Each mistake has its own message.

use intermezzo_compiler::Ruleset;

const FRAME: &str = "
ir: 1
ruleset: {id: frame, version: 0.1.0, uses: [core@1]}
allow: {W-UNUSED: examples use what they need}
types: {Suit: {enum: [sun, moon]}}
outcomes: [over]
options: {stake: {type: int, default: 1}}
players:
  seats: 2
  props:
    score: {type: int, default: 0}
    wish:  {type: int, default: 0, visible: owner}
    vow:   {type: int, default: 0, visible: none}
    mood:  {type: int, default: 0, visible: viewer.score > 3}
    pet:   {type: maybe<card>}
    rich:  {type: bool, derived: it.vow > 3}
match: {props: {round: int, plot: {type: int, default: 0, visible: none}, king: {type: maybe<player>}}}
kinds:
  card: {props: {face: {type: int, default: 1}, ink: {type: int, default: 1, visible: none}, suit: {type: Suit, default: sun}, mate: {type: maybe<card>}}}
  box:  {props: {size: int}}
resources: {gold: {of: player, default: 0, max: 9, ResetsOn: TurnStart}}
zones:
  deck:   {visible: none, order: list, holds: card}
  hand:   {of: player, visible: owner, holds: card}
  table:  {visible: all, holds: card}
  pile:   {of: player, visible: all, holds: card}
  boxes:  {of: player, visible: owner, holds: box}
  inside: {of: box, visible: none, holds: card}
defs: {plain: {kind: card}, crate: {kind: box}}
traits: {glowing: {}}
events:
  Played:    {payload: {player: player, card: card, faces: list<int>, plays: 'map<player, maybe<Suit>>'}}
  Whispered: {payload: {to: player, word: int}, visible: viewer == event.to}
functions:
  best:    {params: {}, returns: int, is: players.max(it.score)}
  face_of: {params: {c: card}, returns: int, is: c.face}
  ink_of:  {params: {c: card}, returns: int, is: c.ink}
  vows:    {params: {}, returns: int, is: players.sum(it.vow)}
  deep:    {params: {}, returns: int, is: vows() + 1}
  holding: {params: {p: player}, returns: int, is: p.hand.count}
  peeking: {params: {p: player}, returns: int, is: p.hand.sum(it.face)}
  top:     {params: {p: player}, returns: maybe<card>, is: p.pile.top}
flow:
  - {choose: bid, by: players, how: each, from: '[1, 2]', deadline: 5, default: 1, draft: {invalid: blank}}
  - {choose: call, by: 'players[0]', from: '[1, 2]'}
  - end: over
";

/// Returns the codes and messages reported for the frame with these messages.
fn problems(messages: &str) -> Vec<String> {
    let messages = format!("messages: {messages}\n");
    let files = [("frame.yaml", FRAME), ("messages.yaml", &messages)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let compiled = Ruleset::from_files(&files).compile();
    assert_eq!(compiled.program.is_some(), compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
    compiled.diagnostics.iter().map(|found| format!("{}: {}", found.code, found.message)).collect()
}

/// Compiles a message with one field, sent at the start.
fn field(expression: &str) -> Vec<String> {
    problems(&format!("{{m: {{at: start, fields: {{x: \"{expression}\"}}}}}}"))
}

/// Compiles a message with one field, sent after an event.
fn after(event: &str, expression: &str) -> Vec<String> {
    problems(&format!("{{m: {{after: {event}, fields: {{x: \"{expression}\"}}}}}}"))
}

#[test]
fn messages_may_contain_what_everyone_sees() {
    let open = [
        "you.score",
        "opponent(you).score",
        "you.wish",
        "you.gold",
        "players.map(it.score)",
        "match.round + options.stake",
        "match.king",
        "you.hand.map(it.face)",
        "you.hand.where(it.suit == sun).sort_by(it.face).map(it.suit)",
        "you.hand.map(face_of(it))",
        "[you.hand.first?.face, table.first?.face]",
        "table.map(it.face) + pile.map(it.face)",
        "opponent(you).pile.top?.face",
        "opponent(you).hand.count + deck.count + hand.count",
        "holding(opponent(you))",
        "you.boxes.sum(it.inside.count)",
        "best()",
        "map(players, it.score)",
        "{mine: you.score, theirs: {score: opponent(you).score}}",
        "if flow.in(round) then flow.phase else null",
        "you.pile.top?.owner",
        "you.pile.count(it is glowing)",
        // A visible property may be computed from hidden values.
        "opponent(you).rich",
    ];
    for expression in open {
        assert_eq!(field(expression), [""; 0], "{expression}");
    }
    for (event, expression) in [
        ("Played", "event.faces"),
        ("Played", "event.plays[opponent(you)]"),
        ("Played", "event.player"),
        ("Whispered", "event.word"),
        ("PlayerLeft", "event.cause"),
        ("MatchEnded", "event.winners.first"),
        ("RoundEnd", "event.phase"),
        ("Moved", "event.index"),
        ("Changed", "event.prop"),
    ] {
        assert_eq!(after(event, expression), [""; 0], "{event} {expression}");
    }
}

#[test]
fn messages_may_not_reveal_hidden_values() {
    let secret = [
        ("opponent(you).wish", "not everyone sees the property `wish`"),
        ("players.map(it.wish)", "not everyone sees the property `wish`"),
        ("players.map(p => if p == you then p.wish else 0)", "not everyone sees the property `wish`"),
        ("(if best() > 1 then you else next(you)).wish", "not everyone sees the property `wish`"),
        ("you.vow", "not everyone sees the property `vow`"),
        ("you.mood", "not everyone sees the property `mood`"),
        ("if you.vow > 1 then 1 else 0", "not everyone sees the property `vow`"),
        ("match.plot", "not everyone sees the property `plot`"),
        ("deck.first?.face", "not everyone sees what is in `deck`"),
        ("opponent(you).hand.map(it.face)", "not everyone sees what is in `hand`"),
        ("hand.map(it.face)", "not everyone sees what is in `hand`"),
        ("opponent(you).hand.count(it.face > 1)", "not everyone sees what is in `hand`"),
        ("opponent(you).hand.map(it.face).count + you.hand.count", "not everyone sees what is in `hand`"),
        ("deck.sum(it.face) + deck.count", "not everyone sees what is in `deck`"),
        ("inside.count", "not everyone sees what is in `inside`"),
        ("table.first! in deck", "not everyone sees what is in `deck`"),
        ("table.sum(it.ink)", "not everyone sees the property `ink`"),
        ("table.map(ink_of(it))", "not everyone sees the property `ink`"),
        ("table.any(you in it.known)", "not everyone sees the property `known`"),
        ("you.pet?.face", "the property `pet` may hold something hidden"),
        ("table.map(it.mate?.face)", "the property `mate` may hold something hidden"),
        ("table.first?.zone?.count", "`zone` may lead to something hidden"),
        ("vows()", "not everyone sees the property `vow`"),
        ("deep()", "not everyone sees the property `vow`"),
        ("peeking(you)", "not everyone sees what is in `hand`"),
        ("flow.changes", "`flow.changes` depends on things that not everyone sees"),
        ("actions(you).count", "`actions` depends on things that not everyone sees"),
        ("you[gold]", "the property is known only at run time"),
    ];
    for (expression, why) in secret {
        assert_eq!(field(expression), [format!("E-SECRET: `you` may not see this: {why}")], "{expression}");
    }
    let why = |why: &str| [format!("E-SECRET: `you` may not see this: {why}")];
    assert_eq!(after("Played", "event.card.face"), why("the field `card` may hold something hidden"));
    assert_eq!(after("Moved", "event.entity is plain"), why("the field `entity` may hold something hidden"));
    let test = problems("{m: {after: Played, if: deck.first != null}}");
    assert_eq!(test, why("not everyone sees what is in `deck`"));
    let name = problems("{m: {at: start, fields: {x: {host: name, of: players.first(it.vow > 1)}}}}");
    assert_eq!(name, why("not everyone sees the property `vow`"));
    for event in ["Created", "Shuffled", "EventPrevented"] {
        let message =
            format!("E-SECRET: players may see only a part of `{event}`, so no message can report it");
        assert_eq!(problems(&format!("{{m: {{after: {event}}}}}")), [message]);
    }
}

#[test]
fn messages_contain_no_entities_other_than_players() {
    for (expression, ty) in [
        ("you.hand", "list<card>"),
        ("table.first", "maybe<card>"),
        ("[{card: table.first}]", "list<{card: maybe<card>}>"),
        ("top(you)", "maybe<card>"),
    ] {
        let message =
            format!("E-TYPE: this is {ty}, but messages cannot contain entities other than players");
        assert_eq!(field(expression), [message], "{expression}");
    }
}

#[test]
fn each_mistake_in_a_message_has_its_own_message() {
    let table = [
        ("[1]", "E-TYPE: `messages` is an object of messages, but this is a list"),
        ("{m: 5}", "E-TYPE: a message is an object, but this is a number"),
        (
            "{m: {fields: {}}}",
            "E-KEY: a message needs one of `at`, `asked`, `after`, `answers`, `drafts`, `does`",
        ),
        (
            "{m: {at: start, after: Played}}",
            "E-KEY: a message has one of `at`, `asked`, `after`, `answers`, `drafts`, `does`, not several",
        ),
        ("{m: {at: end}}", "E-ENUM: unknown `at` `end`"),
        ("{m: {after: Plaid}}", "E-NAME: unknown event `Plaid`"),
        ("{m: {asked: bit}}", "E-NAME: unknown question `bit`"),
        ("{m: {answers: bit}}", "E-NAME: unknown question `bit`"),
        ("{m: {drafts: call}}", "E-CHOOSE: the question `call` does not accept drafts"),
        ("{m: {does: dance}}", "E-ENUM: unknown `does` `dance`"),
        ("{m: {does: concede, from: x}}", "E-KEY: `from` is for messages that answer or draft"),
        ("{m: {answers: bid, fields: {}}}", "E-KEY: an incoming message has no `fields`"),
        ("{m: {answers: bid, if: true}}", "E-KEY: an incoming message has no `if`"),
        ("{m: {at: start, from: x}}", "E-KEY: `from` is for incoming messages"),
        ("{m: {at: start, for: {x: 1}}}", "E-KEY: `for` is for incoming messages"),
        ("{m: {does: concede, for: {x: 1}}}", "E-KEY: `for` is for messages that answer or draft"),
        (
            "{m: {answers: bid, for: 1}}",
            "E-TYPE: `for` is an object of keys and their values, but this is a number",
        ),
        ("{m: {answers: bid, for: {'a b': 1}}}", "E-NAME: `a b` cannot be the name of a key"),
        (
            "{m: {answers: bid, for: {type: 1}}}",
            "E-NAME: `type` already means something else in this message",
        ),
        (
            "{m: {answers: bid, from: x, for: {x?: 1}}}",
            "E-NAME: `x` already means something else in this message",
        ),
        (
            "{m: {answers: bid, for: {x: players.max(it.vow)}}}",
            "E-SECRET: `you` may not see this: not everyone sees the property `vow`",
        ),
        ("{m: {at: start, filds: {}}}", "E-KEY: unknown key `filds` in a message"),
        ("{m: {at: start, fields: [1]}}", "E-TYPE: `fields` is an object of fields, but this is a list"),
        ("{m: {at: start, fields: {type: 1}}}", "E-NAME: `type` is the name of the message itself"),
        ("{m: {at: start, fields: {'a b': 1}}}", "E-NAME: `a b` cannot be the name of a field"),
        ("{'m\\n': {at: start}}", "E-NAME: `m\\n` cannot be the name of a message"),
        ("{m: {at: start, fields: {x: {host: nmae}}}}", "E-ENUM: unknown `host` `nmae`"),
        (
            "{m: {at: start, fields: {x: {host: deadline}}}}",
            "E-KEY: only a message with `asked` has a `deadline`",
        ),
        (
            "{m: {asked: bid, fields: {x: {host: code}}}}",
            "E-KEY: only a message with `at: error` has a `code`",
        ),
        (
            "{m: {after: Played, fields: {x: {host: message}}}}",
            "E-KEY: only a message with `at: error` has a `message`",
        ),
        ("{m: {at: start, fields: {x: {host: match, of: you}}}}", "E-KEY: `of` is only for `name`"),
        (
            "{m: {at: start, fields: {x: {host: name, of: you.score}}}}",
            "E-TYPE: expected maybe<player>, but this is int",
        ),
        ("{m: {at: start, fields: {x: event.player}}}", "E-NAME: there is no `event` here"),
        ("{m: {at: start, fields: {x: self.score}}}", "E-NAME: there is no `self` here"),
        ("{m: {at: start, fields: {x: you.scroe}}}", "E-PROP: unknown property of player `scroe`"),
        ("{m: {after: Played, fields: {x: event.crad}}}", "E-PROP: unknown field `crad`"),
        ("{m: {at: start, if: you.score}}", "E-TYPE: expected bool, but this is int"),
    ];
    for (messages, message) in table {
        assert_eq!(problems(messages), [message], "{messages}");
    }
}

#[test]
fn oversized_messages_are_rejected() {
    let many = |count: usize, each: &str| {
        let entries: Vec<String> = (0..count).map(|at| format!("m{at}: {each}")).collect();
        format!("{{{}}}", entries.join(", "))
    };
    assert_eq!(problems(&many(5_000, "{at: start}")), ["E-LIMIT: a ruleset has at most 200 messages"]);
    let fields = format!("{{m: {{at: start, fields: {}}}}}", many(5_000, "1"));
    assert_eq!(problems(&fields), ["E-LIMIT: a message has at most 100 fields"]);
    let long = format!("{{{}: {{at: start}}}}", "x".repeat(70));
    assert_eq!(problems(&long).len(), 1);
}
