//! Schema of `ui`.

use serde_json::{Map, Value, json};

use super::{boolean, integer, list, one_of, text};
use crate::check::ui::{
    ANIMATIONS, CARD, MATS, PANEL_STYLES, SCENES, SOUNDS, TILES, ZONE_STYLES, reaction_schema,
};

/// Returns the schema of the section.
pub(super) fn section() -> Value {
    let card: Vec<(&str, Value)> = CARD
        .iter()
        .map(|key| (*key, if *key == "shows" { names("Properties.") } else { text("A property.") }))
        .collect();
    keys(
        "How clients show a match.",
        &[
            ("minutes", integer()),
            ("hue", hue()),
            ("label", text("The property that names an entity.")),
            ("card", keys("Which property plays which role on a card.", &card)),
            (
                "zones",
                named(&keys("A zone.", &[("hide", boolean()), ("name", text("")), ("row", boolean())])),
            ),
            ("phases", named(&phase())),
            ("events", named(&event())),
            ("grid", grid()),
            (
                "theme",
                keys(
                    "Colour, mat and cover.",
                    &[("hue", hue()), ("mat", one_of(MATS)), ("cover", picture(&[]))],
                ),
            ),
            ("layout", layout()),
            ("art", art()),
            (
                "score",
                keys(
                    "The numbers that say who is ahead.",
                    &[("lead", text("A property of players.")), ("shows", names("Properties of players."))],
                ),
            ),
        ],
    )
}

/// Returns the schema of the `ui` of a declaration.
pub(super) fn of(declaration: &str) -> Value {
    match declaration {
        "action" => keys(
            "For clients.",
            &[("icon", text("")), ("highlight", text("")), ("animation", one_of(ANIMATIONS))],
        ),
        "reaction" => reaction_schema(),
        _ => keys("For clients.", &[("glyph", text("One character."))]),
    }
}

fn phase() -> Value {
    let pass = text("What passing does in this phase, such as `To combat`.");
    keys("A phase.", &[("pass", pass), ("banner", text("")), ("timer", boolean())])
}

fn event() -> Value {
    let line = keys(
        "The first event of a line of the log.",
        &[("since", text("")), ("until", text("")), ("same", names("Fields."))],
    );
    keys(
        "An event.",
        &[
            ("hide", boolean()),
            ("animation", one_of(ANIMATIONS)),
            ("sound", one_of(SOUNDS)),
            ("line", line),
            ("adds", text("")),
            ("detail", boolean()),
        ],
    )
}

fn grid() -> Value {
    let size = json!({"type": ["integer", "string"]});
    let prop = || text("A property.");
    keys(
        "A field of squares.",
        &[
            ("zones", names("Zones, the topmost first.")),
            ("x", prop()),
            ("y", prop()),
            ("width", size.clone()),
            ("height", size),
            ("hp", prop()),
            ("max", prop()),
        ],
    )
}

fn layout() -> Value {
    let max = json!({"type": ["integer", "string"]});
    let style =
        keys("How it is shown.", &[("as", one_of(PANEL_STYLES)), ("max", max.clone()), ("name", text(""))]);
    let track = keys(
        "What a player has of what the entity needs.",
        &[("of", text("A property of players.")), ("key", text("A property.")), ("max", text("A property."))],
    );
    let zone = keys(
        "A zone and how it is shown.",
        &[
            ("zone", text("A zone.")),
            ("question", text("The question whose slots are shown.")),
            ("as", one_of(ZONE_STYLES)),
            ("by", text("The property that makes piles or places.")),
            ("max", max),
            ("names", names("Names of the slots.")),
            ("peek", text("The phase in which only the edges of the cards are shown.")),
            ("tracks", list(&track)),
        ],
    );
    let place = json!({"anyOf": [text("A zone."), zone]});
    let area = json!({"anyOf": [place, list(&place)]});
    let order = keys(
        "Turns in order.",
        &[("zone", text("A zone.")), ("by", names("Properties, the highest first."))],
    );
    keys(
        "Where zones lie and how they are shown.",
        &[
            ("panel", named(&json!({"anyOf": [one_of(PANEL_STYLES), style]}))),
            ("mine", area.clone()),
            ("others", area.clone()),
            ("band", area.clone()),
            ("middle", area),
            ("piles", names("Zones.")),
            ("order", order),
            ("tiles", keys("Actions as tiles.", &[("shows", names("Properties."))])),
        ],
    )
}

fn art() -> Value {
    keys(
        "Pictures.",
        &[
            ("defs", named(&picture(&[]))),
            ("values", named(&named(&picture(&[("name", text("")), ("text", text(""))])))),
            ("hues", named(&named(&hue()))),
            ("scenes", named(&named(&one_of(SCENES)))),
            ("tiles", named(&one_of(TILES))),
        ],
    )
}

fn picture(further: &[(&str, Value)]) -> Value {
    let print = text("A built-in print, `scene/figure`.");
    let file =
        text("A file of the ruleset, `assets/NAME.svg`, or one drawing of it, `assets/NAME.svg#drawing`.");
    let own = [("print", print), ("file", file), ("scene", one_of(SCENES)), ("hue", hue())];
    let all: Vec<(&str, Value)> = own.into_iter().chain(further.iter().cloned()).collect();
    json!({"anyOf": [text("`scene/figure` or a file."), keys("A picture.", &all)]})
}

fn hue() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": 360})
}

fn names(description: &str) -> Value {
    list(&text(description))
}

fn named(items: &Value) -> Value {
    json!({"type": "object", "additionalProperties": items})
}

/// Returns the schema of an object with these keys only.
fn keys(description: &str, keys: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    json!({"type": "object", "description": description, "properties": properties, "additionalProperties": false})
}
