//! Presentation: `ui`, the tutorial and custom messages.

use super::Shape::{
    AnyOf, Expression, Flag, List, Name as Named_, Named, NamedBy, Number, Object as Inner, Range, Text,
    Words,
};
use super::rules::PATTERN;
use super::{Key, Name, Object, Shape, declaration, key, part};

/// Kinds of prompts.
pub const PROMPT_KINDS: &[&str] = &[
    "action",
    "target_select",
    "order_select",
    "mode_pick",
    "layout",
    "path",
    "confirm",
    "select",
    "pay_cost",
];

/// Animations of events and actions.
const ANIMATIONS: &[&str] = &[
    "shake",
    "lunge",
    "flip",
    "flip_pair",
    "lift",
    "lay",
    "slide",
    "draw",
    "dice",
    "number",
    "pick",
    "pass",
    "reveal",
    "card_play",
];
const SOUNDS: &[&str] = &[
    "slide", "tap", "rise", "answer", "hit", "thud", "chime", "clack", "bell", "tick", "won", "lost", "none",
];
/// Drawings on the mat.
const MATS: &[&str] = &["rings", "crossing", "wood", "hills", "lanterns", "plain"];
/// Backgrounds of the built-in prints.
pub const SCENES: &[&str] = &["cave", "hall", "hills", "night", "rays", "sea"];
/// Squares of a grid.
pub const TILES: &[&str] = &["bricks", "crates", "stones", "slit", "water", "grass"];
/// Ways to show a zone.
const ZONE_STYLES: &[&str] = &["row", "fan", "pile", "piles", "slots", "chips", "track"];
/// Ways to show a property of a player.
pub const PANEL_STYLES: &[&str] = &["number", "pips", "hearts", "bar", "icons"];

const PROP: Shape = Named_(Name::Prop);
const HUE: Shape = Range(0, 360);
/// A number, an option or a property.
const MOST: Shape = AnyOf(&[Number, Named_(Name::Option), PROP]);
const SIZE: Shape = AnyOf(&[Number, Named_(Name::Option)]);
const PICTURE_SHAPE: Shape = AnyOf(&[Text, Inner(&PICTURE)]);
const PLACE_SHAPE: Shape = AnyOf(&[Named_(Name::Zone), Inner(&PLACE)]);
const AREA: Shape = AnyOf(&[PLACE_SHAPE, List(&PLACE_SHAPE)]);

pub static UI: Object = part(
    "ui",
    "`ui`",
    "How clients show a match.",
    &[&[
        key(
            "card",
            Inner(&CARD),
            "[the properties](#cards) that are shown on a card",
            "{cost: value, shows: [suit]}",
        ),
        key(
            "label",
            PROP,
            "the property whose value names an entity, instead of the title of its def",
            "name",
        ),
        key(
            "zones",
            NamedBy(Name::Zone, &Inner(&UI_ZONE)),
            "[zones](#zones-phases-and-events)",
            "{deck: {hide: true}}",
        ),
        key(
            "events",
            NamedBy(Name::Event, &Inner(&UI_EVENT)),
            "[events](#zones-phases-and-events)",
            "{Moved: {hide: true}}",
        ),
        key(
            "phases",
            NamedBy(Name::Phase, &Inner(&UI_PHASE)),
            "[phases](#zones-phases-and-events)",
            "{main: {pass: To combat}}",
        ),
        key(
            "questions",
            NamedBy(Name::Question, &Inner(&UI_QUESTION)),
            "[words of questions](#questions-and-outcomes), by the name of the prompt",
            "{played: {confirm: Play it}}",
        ),
        key(
            "outcomes",
            NamedBy(Name::Outcome, &Text),
            "sentences about [how a match ended](#questions-and-outcomes)",
            "{draw: Both are out.}",
        ),
        key(
            "grid",
            Inner(&GRID),
            "[a field of squares](presentation.md#grids)",
            "{zones: [field], x: x, y: y, width: 8, height: 8}",
        ),
        key("minutes", Range(1, 10_000), "the typical length of a match", "10"),
        key("layout", Inner(&LAYOUT), "[where zones lie](layout.md)", "{mine: hand}"),
        key("score", Inner(&SCORE), "[the numbers of the result](layout.md#score)", "{lead: score}"),
        key(
            "compare",
            Inner(&COMPARE),
            "[what the others have](layout.md#compare), shown before an action",
            "{choice: use, of: totals, key: featured}",
        ),
        key("art", Inner(&ART), "[pictures](pictures.md)", "{defs: {lantern: night/kindle}}"),
        key("theme", Inner(&THEME), "[colours](pictures.md#theme)", "{hue: 268}"),
        key("hue", HUE, "a short form of `theme.hue`", "268"),
    ]],
);

pub static CARD: Object = part(
    "ui_card",
    "`card`",
    "The properties that play a role on a card.",
    &[&[
        key("cost", PROP, "what it costs", "cost"),
        key("power", PROP, "its strength", "power"),
        key("toughness", PROP, "what it endures", "toughness"),
        key("damage", PROP, "what it has suffered", "damage"),
        key("turned", PROP, "whether it is turned sideways", "tapped"),
        key(
            "tone",
            PROP,
            "the property whose value is the colour of a card, such as `red` or `amber`; otherwise the first shown property that is a colour (web client)",
            "colour",
        ),
        key(
            "shows",
            List(&PROP),
            "further properties to show. With `card`, only these and the roles above are shown",
            "[suit]",
        ),
    ]],
);

pub static UI_ZONE: Object = part(
    "ui_zone",
    "a zone of `ui`",
    "A zone.",
    &[&[
        key("hide", Flag, "`true`: the zone is not shown", "true").default("`false`"),
        key("name", Text, "the title of the zone (web client)", "Graveyard"),
        key(
            "row",
            Flag,
            "`true`: the zone is shown as a row of cards, although its rules are not in force (web client)",
            "true",
        )
        .default("`false`"),
    ]],
);

pub static UI_PHASE: Object = part(
    "ui_phase",
    "a phase of `ui`",
    "A phase.",
    &[&[
        key(
            "pass",
            Text,
            "what passing does in this phase while the stack is empty (web client)",
            "To combat",
        ),
        key("name", Text, "the title of the phase (web client)", "Main phase"),
        key("banner", Text, "the announcement of the phase (web client)", "Your turn"),
        key("timer", Flag, "whether its time is shown (web client)", "true"),
    ]],
);

pub static UI_QUESTION: Object = part(
    "ui_question",
    "a question of `ui`",
    "The words of a question.",
    &[&[
        key("hint", Text, "what to do, below the question", "Press a card."),
        key("confirm", Text, "the button that confirms the picks", "Play it"),
        key("yes", Text, "the answer yes", "Take a new hand"),
        key("no", Text, "the answer no", "Keep this hand"),
    ]],
);

pub static UI_EVENT: Object = part(
    "ui_event",
    "an event of `ui`",
    "An event.",
    &[&[
        key("hide", Flag, "`true`: the event is not shown", "true").default("`false`"),
        key(
            "animation",
            Words(ANIMATIONS),
            "the animation of the entities in the event (web client)",
            "shake",
        ),
        key("sound", Words(SOUNDS), "the sound of the event (web client)", "thud"),
        key(
            "line",
            Inner(&LINE),
            "a [line of the log](#lines-of-the-log) begins with this event and its `text`",
            "{until: AttackEnded}",
        ),
        key(
            "adds",
            Text,
            "while a line is open, continues its sentence; `{field}` stands for a field of the payload",
            "\", {amount} damage\"",
        ),
        key("detail", Flag, "`true`: while a line is open, the event is a detail of it", "true")
            .default("`false`"),
    ]],
);

pub static LINE: Object = part(
    "line",
    "`line`",
    "The first event of a line of the log.",
    &[&[
        key("until", Named_(Name::Event), "the event that completes the line", "AttackEnded").required(),
        key(
            "since",
            Named_(Name::Event),
            "the event that leads to the line, such as `Announced`: if only events with `detail` lie between it and the line, they and it are details of the line",
            "Announced",
        ),
        key(
            "same",
            List(&Named_(Name::Field)),
            "fields that tell lines apart. An event that has other values in them belongs to another line",
            "[attacker, target]",
        ),
    ]],
);

pub static GRID: Object = part(
    "grid",
    "`grid`",
    "A field of squares.",
    &[&[
        key("zones", List(&Named_(Name::Zone)), "the zones. The first zone lies on top", "[field]").required(),
        key("x", PROP, "the number property with the column, from 0. Records with exactly these two fields are squares too", "x").required(),
        key("y", PROP, "the number property with the row, from 0", "y").required(),
        key("width", SIZE, "a number, or the name of an option", "8").required(),
        key("height", SIZE, "a number, or the name of an option", "8").required(),
        key("hp", PROP, "a number property shown next to an entity", "hp"),
        key("max", PROP, "the number property with the greatest `hp`", "max_hp"),
    ]],
);

pub static SCORE: Object = part(
    "score",
    "`score`",
    "The numbers that say how well a player does.",
    &[&[
        key("lead", Named_(Name::PlayerProp), "the number of which the leading player has most", "score"),
        key("shows", List(&Named_(Name::PlayerProp)), "the numbers of the result", "[lives]"),
    ]],
);

const COMPARE_WORDS: &[Key] = &[
    key("enough", Text, "what players do who have at least as much as the one who acts", "joins in"),
    key("less", Text, "what players do who have less", "stays out"),
];

pub static COMPARE: Object = part(
    "compare",
    "`compare`",
    "What the other players have, shown before an action whose effect depends on it.",
    &[
        &[
            key("choice", Text, "the action, or the alternative of a question", "use").required(),
            key("of", Named_(Name::PlayerProp), "the property of players, a map", "totals").required(),
            key("key", PROP, "the property of the entity whose value is the key in the map", "featured")
                .required(),
        ],
        COMPARE_WORDS,
        &[key(
            "defs",
            NamedBy(Name::Def, &Inner(&COMPARE_DEF)),
            "other words for these entities",
            "{bonfire: {less: has to obey}}",
        )],
    ],
);

pub static COMPARE_DEF: Object =
    part("compare_def", "words of `compare`", "The words for one def.", &[COMPARE_WORDS]);

pub static THEME: Object = part(
    "theme",
    "`theme`",
    "Colour, mat and cover.",
    &[&[
        key("hue", HUE, "the colour of the mat and of the cover, in degrees from 0 to 360", "268"),
        key("mat", Words(MATS), "the drawing on the mat", "rings"),
        key("cover", PICTURE_SHAPE, "the picture of the game", "rays/bolt")
            .default("`assets/cover.svg` or `assets/cover.webp`"),
    ]],
);

pub static LAYOUT: Object = part(
    "layout",
    "`layout`",
    "Where zones lie and how they are shown.",
    &[&[
        key(
            "panel",
            NamedBy(Name::PlayerProp, &AnyOf(&[Words(PANEL_STYLES), Inner(&PANEL)])),
            "[properties of players](#panels) and how they are shown. Other properties are left out",
            "{score: pips}",
        ),
        key(
            "mine",
            AREA,
            "the viewer's zones, a zone or a list: the first lies above the others, a fan at the bottom edge",
            "[{zone: hand, as: fan}]",
        ),
        key("others", AREA, "the same zones of the other players, if they are shown in another way", "hand"),
        key(
            "middle",
            AREA,
            "zones without an owner that lie between the players, or the [slots of a question](#zones)",
            "{zone: table, as: row}",
        ),
        key("band", AREA, "zones without an owner, small, in one line", "table"),
        key(
            "piles",
            List(&Named_(Name::Zone)),
            "zones of players that are shown as small piles beside their panel",
            "[deck]",
        ),
        key(
            "order",
            Inner(&ORDER),
            "the entities of a zone in the order of their turns",
            "{zone: field, by: [initiative]}",
        ),
        key(
            "tiles",
            Inner(&TILES_OBJECT),
            "the actions of the entity whose turn it is as tiles at the bottom edge, with these properties of it",
            "{shows: [steps]}",
        ),
    ]],
);

pub static PANEL: Object = part(
    "panel",
    "a property of `panel`",
    "How a property of players is shown.",
    &[&[
        key("as", Words(PANEL_STYLES), "the style", "pips").default("`number`"),
        key("max", MOST, "the greatest value: a number, an option or a property of players", "9"),
        key("name", Text, "the name shown to players", "Lives"),
    ]],
);

pub static PLACE: Object = part(
    "place",
    "a zone of an area",
    "A zone and how it is shown. It has `zone`, or in `middle` `question`.",
    &[&[
        key("zone", Named_(Name::Zone), "the zone", "hand"),
        key(
            "question",
            Named_(Name::Question),
            "in `middle`, instead of `zone`: the prompt whose slots lie in the middle, facing those of the opponent",
            "row",
        ),
        key("as", Words(ZONE_STYLES), "how it is shown, see below", "fan"),
        key(
            "by",
            PROP,
            "the property of an entity that says on which pile or at which place it lies",
            "colour",
        ),
        key("max", MOST, "the number of places: a number, an option or a property", "5"),
        key("names", List(&Text), "the names of the places", "[Left, Right]"),
        key(
            "peek",
            Named_(Name::Phase),
            "a phase; during it only the upper edges of the cards are shown",
            "planning",
        ),
        key(
            "tracks",
            List(&Inner(&TRACK)),
            "what is counted, for `track`",
            "[{of: gems, key: colour, max: price}]",
        ),
    ]],
);

pub static TRACK: Object = part(
    "track",
    "a track",
    "How much a player has of what an entity needs.",
    &[&[
        key("of", Named_(Name::PlayerProp), "the property of the player", "gems").required(),
        key("key", PROP, "the property of the entity that names an entry of that map", "colour"),
        key("max", PROP, "the property of the entity with how much it needs", "price").required(),
    ]],
);

pub static ORDER: Object = part(
    "order",
    "`order`",
    "Turns in order.",
    &[&[
        key("zone", Named_(Name::Zone), "the zone", "field").required(),
        key("by", List(&PROP), "number properties, the highest first", "[initiative]"),
    ]],
);

pub static TILES_OBJECT: Object = part(
    "ui_tiles",
    "`tiles`",
    "Actions as tiles.",
    &[&[key("shows", List(&PROP), "properties of the entity whose turn it is", "[steps]")]],
);

pub static ART: Object = part(
    "art",
    "`art`",
    "Pictures.",
    &[&[
        key("defs", NamedBy(Name::Def, &PICTURE_SHAPE), "the picture of each def", "{lantern: night/kindle}"),
        key(
            "values",
            NamedBy(Name::Prop, &Named(&AnyOf(&[Text, Inner(&VALUE_PICTURE)]))),
            "for each property, the picture of each of its values, for entities whose def has none",
            "{suit: {sun: rays/kindle}}",
        ),
        key(
            "hues",
            NamedBy(Name::Prop, &Named(&HUE)),
            "for each property, the hue of each of its values",
            "{suit: {sun: 44}}",
        ),
        key(
            "scenes",
            NamedBy(Name::Prop, &Named(&Words(SCENES))),
            "for each property, the background of each of its values",
            "{suit: {sun: rays}}",
        ),
        key(
            "tiles",
            NamedBy(Name::Def, &Words(TILES)),
            "for entities on a [grid](presentation.md#grids), the drawing of their square",
            "{wall: bricks}",
        ),
    ]],
);

const PICTURE_KEYS: &[Key] = &[
    key("print", Text, "a built-in print, `scene/figure`", "rays/sword"),
    key(
        "file",
        Text,
        "a [file of the ruleset](pictures.md#files), shown before the scene",
        "assets/lanterns.svg#moon",
    ),
    key("scene", Words(SCENES), "the background", "night"),
    key("hue", HUE, "its colour, from 0 to 360", "40"),
];

pub static PICTURE: Object = part("picture", "a picture", "A picture.", &[PICTURE_KEYS]);

pub static VALUE_PICTURE: Object = part(
    "value_picture",
    "a picture",
    "The picture of a value.",
    &[
        PICTURE_KEYS,
        &[
            key("name", Text, "replaces the name of the card", "Sun"),
            key("text", Text, "replaces the text of the card", "Beats every moon."),
        ],
    ],
);

pub static ACTION_UI: Object = part(
    "action_ui",
    "the `ui` of an action",
    "How clients show an action.",
    &[&[
        key("icon", Text, "its icon", "sword"),
        key("highlight", Text, "its highlight", "red"),
        key("animation", Words(ANIMATIONS), "its animation", "lunge"),
    ]],
);

pub static DEF_UI: Object = part(
    "def_ui",
    "the `ui` of a def or kind",
    "How clients show an entity.",
    &[&[key("glyph", Text, "one character that represents it on a [grid](presentation.md#grids)", "R")]],
);

pub static REACTION_UI: Object = part(
    "reaction_ui",
    "the `ui` of a reaction",
    "What players read when a reaction asks them.",
    &[&[
        key(
            "title",
            Text,
            "the question. `{field}` stands for a field of the event, `{field.property}` for a property of the entity in it. `+`, `-`, `*` and `/` compute with whole numbers",
            "Duck?",
        ),
        key("cost", Text, "what it costs, in words", "nothing"),
        key("yes", Text, "the answer that runs it, with placeholders as in `title`", "Take half"),
        key("no", Text, "the answer that does not, with placeholders as in `title`", "Take it all"),
        key(
            "preview",
            Inner(&PREVIEW),
            "by how much a property changes with each answer",
            "{of: target, prop: value, yes: 0, no: -1}",
        ),
    ]],
);

pub static PREVIEW: Object = part(
    "preview",
    "`preview`",
    "The change of a number with each answer.",
    &[&[
        key("of", Named_(Name::Field), "the field of the event that holds the entity", "target").required(),
        key("prop", PROP, "its property", "value").required(),
        key(
            "yes",
            AnyOf(&[Number, Text]),
            "the change if the reaction runs: a number, or a sum of fields",
            "\"-harm / 2\"",
        )
        .required(),
        key("no", AnyOf(&[Number, Text]), "the change if it does not", "\"-harm\"").required(),
    ]],
);

pub static LESSON: Object = declaration(
    "lesson",
    "a lesson",
    "A text for learners, shown with prompts until an event happens.",
    &[&[
        key("id", Text, "its name", "first_card").required(),
        key("say", Text, "the text for the learner", "Play a card from your hand.").required(),
        key(
            "question",
            Named_(Name::Question),
            "the name of the prompt it belongs to (`choose: played`)",
            "played",
        )
        .default("every prompt"),
        key("if", Expression, "it is only shown while this is true", "you.hand.count > 0"),
        key(
            "highlight",
            Expression,
            "the entities it is about; the learner sees those that are visible",
            "you.hand",
        ),
        key(
            "until",
            Inner(&PATTERN),
            "`{after: Event, if: test}`: the event that completes it, once the learner has seen that event. Without it the lesson is shown with one prompt",
            "{after: Moved}",
        ),
    ]],
);

pub static MESSAGE: Object = declaration(
    "message",
    "a message",
    "A message of the ruleset's own protocol. It has exactly one of the first six keys.",
    &[&[
        key(
            "at",
            Words(&["start", "error"]),
            "`start`: sent once, before all others, after setup. `error`: sent when something the player sent was rejected",
            "start",
        ),
        key(
            "asked",
            Named_(Name::Question),
            "sent when the player gets the prompt of that name (`choose: played`)",
            "played",
        ),
        key(
            "after",
            Named_(Name::Event),
            "sent when the player has seen the event or alias. The fields are computed right after the event",
            "Scored",
        ),
        key("answers", Named_(Name::Question), "incoming: answers the prompt of that name", "played"),
        key(
            "drafts",
            Named_(Name::Question),
            "incoming: a draft for that prompt, which must [accept drafts](choices.md#deadlines-and-drafts)",
            "played",
        ),
        key(
            "does",
            Words(&["join_queue", "leave_queue", "concede"]),
            "incoming: a request to the server",
            "concede",
        ),
        key("if", Expression, "outgoing: sent only if this is true", "match.round > 0"),
        key(
            "fields",
            Named(&AnyOf(&[Inner(&HOST_VALUE), Expression])),
            "outgoing: the contents",
            "{round: match.round}",
        ),
        key(
            "from",
            Text,
            "incoming answers and drafts: the key that holds the answer. Without it the answer is everything except the `type` and the keys of `for`",
            "card",
        ),
        key(
            "for",
            Named(&Expression),
            "incoming answers and drafts: [which question the sender means](#late-answers)",
            "{round: match.round}",
        ),
    ]],
);

pub static HOST_VALUE: Object = declaration(
    "host_value",
    "what the host fills in",
    "A value from the server.",
    &[&[
        key(
            "host",
            Words(&["name", "deadline", "match", "code", "message"]),
            "[which value](#values-from-the-server)",
            "name",
        )
        .required(),
        key("of", Expression, "of `name`: the player", "opponent(you)").default("`you`"),
    ]],
);
