//! Grid of squares, drawn from a seat's view as `ui.grid` of the ruleset describes it.
//!
//! The zones of a grid are layers, the first on top. The colour of a piece and the number behind its glyph
//! show its owner.

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::out::{DIM, HEAD, Out, say};
use crate::play::names::EntityNames;
use crate::play::screen::{WIDTH, name_of};
use crate::play::square::Square;
use intermezzo_matchfile::sentences::value_text;

/// Maximum width and height of a grid that is drawn. No terminal has room for more.
const MAX_SIDE: i64 = 48;
/// Colours of seats. They repeat from the seventh seat on.
const COLOURS: [AnsiColor; 6] = [
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Cyan,
    AnsiColor::Red,
];

/// Grid of a ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// Zones from the top layer down.
    zones: Vec<String>,
    x: String,
    y: String,
    width: GridExtent,
    height: GridExtent,
    hp: Option<String>,
    max: Option<String>,
    /// Glyphs by def and by kind.
    defs: BTreeMap<String, char>,
    kinds: BTreeMap<String, char>,
}

#[derive(Clone, Debug)]
enum GridExtent {
    Number(i64),
    Option(String),
}

/// Entity on the grid.
struct GridPiece<'v> {
    entity: &'v Value,
    square: Square,
    glyph: char,
    seat: Option<u8>,
}

impl Grid {
    /// Reads the grid from the metadata of a ruleset; `None` if it has none.
    pub(crate) fn of(metadata: &Value) -> Option<Grid> {
        let grid = &metadata["ui"]["grid"];
        let text = |key: &str| grid[key].as_str().map(str::to_owned);
        let size = |key: &str| match &grid[key] {
            Value::Number(number) => number.as_i64().map(GridExtent::Number),
            Value::String(option) => Some(GridExtent::Option(option.clone())),
            _ => None,
        };
        let glyphs = |section: &str| {
            let all = metadata[section].as_object().into_iter().flatten();
            let glyph = |ui: &Value| ui["glyph"].as_str().and_then(|glyph| glyph.chars().next());
            all.filter_map(|(name, ui)| Some((name.clone(), glyph(ui)?))).collect()
        };
        Some(Grid {
            zones: grid["zones"]
                .as_array()?
                .iter()
                .filter_map(|zone| Some(zone.as_str()?.to_owned()))
                .collect(),
            x: text("x")?,
            y: text("y")?,
            width: size("width")?,
            height: size("height")?,
            hp: text("hp"),
            max: text("max"),
            defs: glyphs("defs"),
            kinds: glyphs("kinds"),
        })
    }

    /// Returns whether the entities of a zone stand on the grid.
    pub(crate) fn has_zone(&self, zone: &str) -> bool {
        self.zones.iter().any(|known| known == zone)
    }

    /// Returns the square given by a record or by the properties of an entity.
    pub(crate) fn square(&self, fields: &Value) -> Option<Square> {
        Some(Square { x: fields.get(&self.x)?.as_i64()?, y: fields.get(&self.y)?.as_i64()? })
    }

    /// Returns whether a field is a coordinate of the grid.
    pub(crate) fn is_coordinate(&self, name: &str) -> bool {
        name == self.x || name == self.y
    }

    /// Returns all pieces by zone, top layer first.
    fn layers<'v>(&self, view: &'v Value) -> Vec<Vec<GridPiece<'v>>> {
        let players = view["players"].as_array().map_or(&[][..], Vec::as_slice);
        let mut layers = Vec::new();
        for zone in &self.zones {
            let own = players.iter().map(|player| &player["zones"][zone.as_str()]);
            let all = std::iter::once(&view["zones"][zone.as_str()]).chain(own);
            let items = all.flat_map(|zone| zone["items"].as_array().into_iter().flatten());
            layers.push(items.filter_map(|entity| self.piece(entity)).collect());
        }
        layers
    }

    fn piece<'v>(&self, entity: &'v Value) -> Option<GridPiece<'v>> {
        let owner = entity["owner"].as_str().and_then(|owner| owner.strip_prefix('p'));
        let seat = owner.and_then(|seat| seat.parse().ok());
        let glyph = |known: &BTreeMap<String, char>, key: &str| known.get(entity[key].as_str()?).copied();
        let letter = || value_text(&entity["title"]).chars().next().filter(|letter| !letter.is_control());
        let glyph = glyph(&self.defs, "def").or_else(|| glyph(&self.kinds, "kind")).or_else(letter);
        Some(GridPiece { entity, square: self.square(&entity["props"])?, glyph: glyph.unwrap_or('?'), seat })
    }

    /// Returns the square of every entity on the grid, by the viewer's name for it.
    pub(crate) fn squares(&self, view: &Value) -> BTreeMap<String, Square> {
        let all = self.layers(view).into_iter().flatten();
        all.filter_map(|piece| Some((piece.entity["id"].as_str()?.to_owned(), piece.square))).collect()
    }

    /// Describes the hit points of an entity.
    pub(crate) fn health(&self, props: &Value) -> Option<String> {
        let hp = props.get(self.hp.as_ref()?)?.as_i64()?;
        let max = self.max.as_ref().and_then(|max| props.get(max)?.as_i64());
        Some(max.map_or_else(|| format!("hp {hp}"), |max| format!("hp {hp}/{max}")))
    }

    fn size(&self, view: &Value) -> Option<(i64, i64)> {
        let number = |size: &GridExtent| match size {
            GridExtent::Number(number) => Some(*number),
            GridExtent::Option(name) => view["options"][name.as_str()].as_i64(),
        };
        Some((number(&self.width)?, number(&self.height)?))
    }
}

/// Draws the grid and its legend. Returns false if the grid is too large.
pub(crate) fn show_grid(out: &mut Out, grid: &Grid, view: &Value, names: &EntityNames) -> bool {
    let Some((width, height)) = grid.size(view).filter(|(width, height)| *width.max(height) <= MAX_SIDE)
    else {
        return false;
    };
    let layers = grid.layers(view);
    // Narrow cells have no room for the layer below.
    let is_roomy = 4 * width + 4 <= WIDTH as i64;
    let cell = if is_roomy { 4 } else { 2 };
    let columns: String = (0..width).map(|x| format!("{:^cell$}", Square::column(x))).collect();
    say!(out, "    {DIM}{}{DIM:#}", columns.trim_end());
    for y in 0..height {
        let row: String = (0..width).map(|x| draw(&layers, Square { x, y }, is_roomy)).collect();
        say!(out, "{DIM}{:>3}{DIM:#} {}", y + 1, row.trim_end());
    }
    show_legend(out, grid, &layers, view, names);
    true
}

/// Draws one square: the layer below, the piece on top, and its owner.
fn draw(layers: &[Vec<GridPiece<'_>>], square: Square, is_roomy: bool) -> String {
    let mut here = layers.iter().filter_map(|layer| {
        let mut all = layer.iter().filter(|piece| piece.square == square);
        all.next().map(|first| (first, all.next().is_some()))
    });
    let (top, below) = (here.next(), here.next());
    let blank = if is_roomy { " " } else { "" };
    let Some((top, is_crowded)) = top else { return format!("{blank}{DIM}·{DIM:#} {blank}") };
    let under = below.map_or(' ', |(below, _)| below.glyph);
    let under = if is_roomy { format!("{DIM}{under}{DIM:#}") } else { String::new() };
    let style = style(top.seat);
    let mark = match top.seat {
        _ if is_crowded => '+',
        Some(seat) => char::from_digit(u32::from(seat), 36).unwrap_or('*'),
        None => ' ',
    };
    format!("{under}{style}{}{mark}{style:#}{blank}", top.glyph)
}

fn style(seat: Option<u8>) -> Style {
    match seat {
        Some(seat) => COLOURS[usize::from(seat) % COLOURS.len()].on_default().bold(),
        None => Style::new(),
    }
}

/// Lists every piece that has an owner or hit points on its own line, then the kinds of ground.
fn show_legend(out: &mut Out, grid: &Grid, layers: &[Vec<GridPiece<'_>>], view: &Value, names: &EntityNames) {
    let subjects: Vec<&str> = view["phases"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|phase| phase["subject"].as_str())
        .collect();
    let mut ground: BTreeMap<(char, String), usize> = BTreeMap::new();
    for piece in layers.iter().flatten() {
        let entity = piece.entity;
        let health = grid.health(&entity["props"]);
        if piece.seat.is_none() && health.is_none() {
            *ground.entry((piece.glyph, value_text(&entity["title"]))).or_default() += 1;
            continue;
        }
        let is_next = entity["id"].as_str().is_some_and(|id| subjects.contains(&id));
        let arrow = if is_next { '▶' } else { ' ' };
        let mark = piece.seat.map_or_else(|| " ".to_owned(), |seat| seat.to_string());
        let (style, glyph, square) = (style(piece.seat), piece.glyph, piece.square.to_string());
        let owner = piece.seat.map_or_else(String::new, |seat| format!("p{seat}"));
        let mut facts: Vec<String> = health.into_iter().collect();
        facts.extend(names.conditions(entity));
        let (name, facts) = (name_of(entity, names), facts.join(", "));
        say!(
            out,
            "  {HEAD}{arrow}{HEAD:#} {style}{glyph}{mark}{style:#} {square:<4} {name:<22} {owner:<3} {facts}"
        );
    }
    if !ground.is_empty() {
        let all: Vec<String> = ground.keys().map(|(glyph, title)| format!("{glyph} {title}")).collect();
        say!(out, "  {DIM}{}{DIM:#}", all.join(" · "));
    }
}
