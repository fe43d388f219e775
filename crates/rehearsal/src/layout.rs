//! Which columns an observation has, from what the ruleset declares.

use intermezzo_ruleset::{Def, KindId, Program, PropId, TypeId, ZoneId, native};

use crate::columns::{Column, Section};
use crate::features::MOVE_REFERENCES;
use crate::values::Frame;

/// Columns of an entity's row before its zones.
pub(crate) const ENTITY_HEAD: usize = 6;
/// Columns of the situation before its phases.
pub(crate) const SITUATION_HEAD: usize = 7;
/// Columns of each phase.
pub(crate) const PHASE_WIDTH: usize = 3;
/// Columns of a player before the zones.
pub(crate) const PLAYER_HEAD: usize = 3;

/// Where a property stands in a row: first whether it is seen and has a value, then the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PropPlace {
    pub(crate) prop: PropId,
    pub(crate) ty: TypeId,
    pub(crate) at: usize,
    pub(crate) width: usize,
}

/// Where each trait is counted in the row of its host.
pub(crate) fn trait_places(program: &Program) -> Vec<Option<usize>> {
    let mut next = ENTITY_HEAD + program.zones.len();
    let mut place = |def: &Def| {
        def.is_trait.then(|| {
            next += 1;
            next - 1
        })
    };
    program.defs.iter().map(&mut place).collect()
}

/// Adds the columns of the properties of a kind that can be shown, apart from those that `known` has already.
fn add_props(
    frame: &Frame<'_>,
    kind: KindId,
    columns: &mut Vec<Column>,
    known: &mut Vec<(PropPlace, String)>,
) -> Vec<PropPlace> {
    let program = frame.program;
    let options = if kind == KindId::MATCH { program.options.len() } else { 0 };
    let mut places = Vec::new();
    for id in &program.kinds[kind.index()].props {
        let prop = &program.props[id.index()];
        let name = program.symbol(prop.name);
        let is_option = prop.derived.is_none() && usize::from(prop.column) < options;
        // What the machinery keeps for itself has names with a space.
        if is_option || prop.name == native::KNOWN || name.contains(' ') {
            continue;
        }
        if let Some((place, _)) = known.iter().find(|(place, other)| place.ty == prop.ty && other == name) {
            places.push(PropPlace { prop: *id, ..*place });
            continue;
        }
        let at = columns.len();
        columns.push(Column::flag(format!("has {name}")));
        frame.columns(name, prop.ty, 0, columns);
        let place = PropPlace { prop: *id, ty: prop.ty, at, width: columns.len() - at - 1 };
        known.push((place, name.to_owned()));
        places.push(place);
    }
    places
}

pub(crate) fn situation(frame: &Frame<'_>, open_zones: &[ZoneId]) -> (Section, Vec<PropPlace>) {
    let program = frame.program;
    let mut columns = vec![
        Column::number("left out"),
        Column::flag("over"),
        Column::flag("asked"),
        Column::index("question", program.choices.len() + 1),
        Column::number("picked"),
        Column::number("least"),
        Column::number("most"),
    ];
    for phase in &program.phases {
        let name = program.symbol(phase.name);
        columns.push(Column::flag(format!("phase {name}")));
        columns.push(Column::index(format!("phase {name} player"), frame.references));
        columns.push(Column::index(format!("phase {name} subject"), frame.references));
    }
    for zone in open_zones {
        columns.push(Column::number(format!("size of {}", program.symbol(program.zones[zone.index()].name))));
    }
    let props = add_props(frame, KindId::MATCH, &mut columns, &mut Vec::new());
    (Section { name: "situation", start: 0, rows: 1, columns }, props)
}

pub(crate) fn players(frame: &Frame<'_>, start: usize) -> (Section, Vec<PropPlace>) {
    let program = frame.program;
    let mut columns = vec![Column::number("seat"), Column::flag("gone"), Column::flag("asked")];
    for zone in &program.kinds[KindId::PLAYER.index()].zones {
        columns.push(Column::number(format!("size of {}", program.symbol(program.zones[zone.index()].name))));
    }
    let props = add_props(frame, KindId::PLAYER, &mut columns, &mut Vec::new());
    (Section { name: "players", start, rows: frame.seats, columns }, props)
}

pub(crate) fn entities(
    frame: &Frame<'_>,
    traits: &[Option<usize>],
    rows: usize,
    start: usize,
) -> (Section, Vec<Vec<PropPlace>>) {
    let program = frame.program;
    let mut columns = vec![
        Column::flag("present"),
        Column::index("kind", program.kinds.len()),
        Column::index("def", program.defs.len() + 1),
        Column::index("owner", frame.seats + 1),
        Column::index("host", frame.references),
        Column::number("place"),
    ];
    columns
        .extend(program.zones.iter().map(|zone| Column::flag(format!("in {}", program.symbol(zone.name)))));
    for (def, _) in program.defs.iter().zip(traits).filter(|(_, place)| place.is_some()) {
        columns.push(Column::number(format!("trait {}", program.symbol(def.name))));
    }
    // Traits and players have no rows, so their properties need no columns.
    let has_rows = |kind: usize| {
        let mut defs = program.defs.iter().filter(|def| def.kind.index() == kind).peekable();
        kind > KindId::PLAYER.index() && (defs.peek().is_none() || defs.any(|def| !def.is_trait))
    };
    let mut known = Vec::new();
    let mut props = |kind: usize| match has_rows(kind) {
        true => add_props(frame, KindId(kind as u16), &mut columns, &mut known),
        false => Vec::new(),
    };
    let props = (0..program.kinds.len()).map(&mut props).collect();
    (Section { name: "entities", start, rows, columns }, props)
}

pub(crate) fn moves(frame: &Frame<'_>, rows: usize, start: usize) -> Section {
    let program = frame.program;
    let mut columns = vec![
        Column::flag("legal"),
        Column::flag("option"),
        Column::number("picked"),
        Column::index("action", program.actions.len() + 1),
        Column::index("name", program.symbols.len() + 1),
        Column::index("zone", program.zones.len() + 1),
        Column::number("number"),
    ];
    columns.extend((0..MOVE_REFERENCES).map(|at| Column::index(format!("thing {at}"), frame.references)));
    Section { name: "moves", start, rows, columns }
}
