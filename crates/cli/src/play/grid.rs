//! A grid of squares, drawn from what a seat sees, where `ui.grid` says which things stand on one.
//!
//! The zones of a grid lie above each other, the first on top. Whose a thing is
//! shows in its colour and in the number of the seat behind its glyph.

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use crate::out::{DIM, HEAD, Out, say};
use crate::play::names::Names;
use crate::play::screen::{WIDTH, called};
use crate::play::square::Square;
use intermezzo_journal::sentences::words;

/// Larger grids are not drawn: no terminal has room for them.
const MAX_SIDE: i64 = 48;
/// Colours of seats, again from the first for the seventh.
const COLOURS: [AnsiColor; 6] = [
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Cyan,
    AnsiColor::Red,
];

/// What is a grid in a ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// From the top down.
    zones: Vec<String>,
    x: String,
    y: String,
    width: Size,
    height: Size,
    hp: Option<String>,
    max: Option<String>,
    /// How things are drawn, by def and by kind.
    defs: BTreeMap<String, char>,
    kinds: BTreeMap<String, char>,
}

#[derive(Clone, Debug)]
enum Size {
    Number(i64),
    Option(String),
}

/// Something on the grid.
struct Standing<'v> {
    entity: &'v Value,
    square: Square,
    glyph: char,
    seat: Option<u8>,
}

impl Grid {
    /// The grid of a ruleset, from its metadata; nothing if it has none.
    pub(crate) fn of(metadata: &Value) -> Option<Grid> {
        let grid = &metadata["ui"]["grid"];
        let text = |key: &str| grid[key].as_str().map(str::to_owned);
        let size = |key: &str| match &grid[key] {
            Value::Number(number) => number.as_i64().map(Size::Number),
            Value::String(option) => Some(Size::Option(option.clone())),
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

    /// Whether what is in a zone stands on the grid.
    pub(crate) fn has_zone(&self, zone: &str) -> bool {
        self.zones.iter().any(|known| known == zone)
    }

    /// The square that a record or the properties of an entity tell.
    pub(crate) fn square(&self, fields: &Value) -> Option<Square> {
        Some(Square { x: fields.get(&self.x)?.as_i64()?, y: fields.get(&self.y)?.as_i64()? })
    }

    /// Whether a field is one that a square already tells.
    pub(crate) fn is_coordinate(&self, name: &str) -> bool {
        name == self.x || name == self.y
    }

    /// All that stands on the grid, by zone from the top down.
    fn layers<'v>(&self, view: &'v Value) -> Vec<Vec<Standing<'v>>> {
        let players = view["players"].as_array().map_or(&[][..], Vec::as_slice);
        let mut layers = Vec::new();
        for zone in &self.zones {
            let own = players.iter().map(|player| &player["zones"][zone.as_str()]);
            let all = std::iter::once(&view["zones"][zone.as_str()]).chain(own);
            let items = all.flat_map(|zone| zone["items"].as_array().into_iter().flatten());
            layers.push(items.filter_map(|entity| self.standing(entity)).collect());
        }
        layers
    }

    fn standing<'v>(&self, entity: &'v Value) -> Option<Standing<'v>> {
        let owner = entity["owner"].as_str().and_then(|owner| owner.strip_prefix('p'));
        let seat = owner.and_then(|seat| seat.parse().ok());
        let glyph = |known: &BTreeMap<String, char>, key: &str| known.get(entity[key].as_str()?).copied();
        let letter = || words(&entity["title"]).chars().next().filter(|letter| !letter.is_control());
        let glyph = glyph(&self.defs, "def").or_else(|| glyph(&self.kinds, "kind")).or_else(letter);
        Some(Standing { entity, square: self.square(&entity["props"])?, glyph: glyph.unwrap_or('?'), seat })
    }

    /// Everything on the grid with its square, by the viewer's name for it.
    pub(crate) fn squares(&self, view: &Value) -> BTreeMap<String, Square> {
        let all = self.layers(view).into_iter().flatten();
        all.filter_map(|standing| Some((standing.entity["id"].as_str()?.to_owned(), standing.square)))
            .collect()
    }

    /// What is said of something on the grid: how well it is.
    pub(crate) fn health(&self, props: &Value) -> Option<String> {
        let hp = props.get(self.hp.as_ref()?)?.as_i64()?;
        let max = self.max.as_ref().and_then(|max| props.get(max)?.as_i64());
        Some(max.map_or_else(|| format!("hp {hp}"), |max| format!("hp {hp}/{max}")))
    }

    fn size(&self, view: &Value) -> Option<(i64, i64)> {
        let number = |size: &Size| match size {
            Size::Number(number) => Some(*number),
            Size::Option(name) => view["options"][name.as_str()].as_i64(),
        };
        Some((number(&self.width)?, number(&self.height)?))
    }
}

/// Draws the grid and who is on it. False if it is too large for that.
pub(crate) fn show_grid(out: &mut Out, grid: &Grid, view: &Value, names: &Names) -> bool {
    let Some((width, height)) = grid.size(view).filter(|(width, height)| *width.max(height) <= MAX_SIDE)
    else {
        return false;
    };
    let layers = grid.layers(view);
    // Where there is no room, what lies below is not drawn under what stands on it.
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

/// One square: what lies below, what stands there, and whose it is.
fn draw(layers: &[Vec<Standing<'_>>], square: Square, is_roomy: bool) -> String {
    let mut here = layers.iter().filter_map(|layer| {
        let mut all = layer.iter().filter(|standing| standing.square == square);
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

/// Everyone on the grid with a line of their own, then what the ground is made of.
fn show_legend(out: &mut Out, grid: &Grid, layers: &[Vec<Standing<'_>>], view: &Value, names: &Names) {
    let subjects: Vec<&str> = view["phases"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|phase| phase["subject"].as_str())
        .collect();
    let mut ground: BTreeMap<(char, String), usize> = BTreeMap::new();
    for standing in layers.iter().flatten() {
        let entity = standing.entity;
        let health = grid.health(&entity["props"]);
        if standing.seat.is_none() && health.is_none() {
            *ground.entry((standing.glyph, words(&entity["title"]))).or_default() += 1;
            continue;
        }
        let is_next = entity["id"].as_str().is_some_and(|id| subjects.contains(&id));
        let arrow = if is_next { '▶' } else { ' ' };
        let mark = standing.seat.map_or_else(|| " ".to_owned(), |seat| seat.to_string());
        let (style, glyph, square) = (style(standing.seat), standing.glyph, standing.square.to_string());
        let owner = standing.seat.map_or_else(String::new, |seat| format!("p{seat}"));
        let mut facts: Vec<String> = health.into_iter().collect();
        facts.extend(names.conditions(entity));
        let (name, facts) = (called(entity, names), facts.join(", "));
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
