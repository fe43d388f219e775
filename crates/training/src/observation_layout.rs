//! Layout of observations, derived from the declarations of the ruleset.

use intermezzo_program::{Def, KindId, Program, PropId, TypeId, ZoneId, native};

use crate::columns::{Column, Section};
use crate::features::MOVE_REFERENCES;
use crate::value_encoding::EncodingContext;

/// Number of columns of an entity before its zones.
pub(crate) const ENTITY_HEAD: usize = 6;
/// Number of columns of the situation before its phases.
pub(crate) const SITUATION_HEAD: usize = 7;
/// Number of columns per phase.
pub(crate) const PHASE_WIDTH: usize = 3;
/// Number of columns of a player before its zones.
pub(crate) const PLAYER_HEAD: usize = 3;

/// Columns of a property: first a flag for visible and present, then the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PropColumns {
    pub(crate) prop: PropId,
    pub(crate) ty: TypeId,
    pub(crate) at: usize,
    pub(crate) width: usize,
}

/// Returns the column in which each trait is counted in the row of its host.
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

/// Adds the columns of the properties of a kind that can be encoded. Properties in `known` share their
/// columns.
fn add_props(
    context: &EncodingContext<'_>,
    kind: KindId,
    columns: &mut Vec<Column>,
    known: &mut Vec<(PropColumns, String)>,
) -> Vec<PropColumns> {
    let program = context.program;
    let options = if kind == KindId::MATCH { program.options.len() } else { 0 };
    let mut places = Vec::new();
    for id in &program.kinds[kind.index()].props {
        let prop = &program.props[id.index()];
        let name = program.symbol(prop.name);
        let is_option = prop.derived.is_none() && usize::from(prop.column) < options;
        // Internal properties have names with a space.
        if is_option || prop.name == native::KNOWN || name.contains(' ') {
            continue;
        }
        if let Some((place, _)) = known.iter().find(|(place, other)| place.ty == prop.ty && other == name) {
            places.push(PropColumns { prop: *id, ..*place });
            continue;
        }
        let at = columns.len();
        columns.push(Column::flag(format!("has {name}")));
        context.columns(name, prop.ty, 0, columns);
        let place = PropColumns { prop: *id, ty: prop.ty, at, width: columns.len() - at - 1 };
        known.push((place, name.to_owned()));
        places.push(place);
    }
    places
}

pub(crate) fn situation(context: &EncodingContext<'_>, open_zones: &[ZoneId]) -> (Section, Vec<PropColumns>) {
    let program = context.program;
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
        columns.push(Column::index(format!("phase {name} player"), context.references));
        columns.push(Column::index(format!("phase {name} subject"), context.references));
    }
    for zone in open_zones {
        columns.push(Column::number(format!("size of {}", program.symbol(program.zones[zone.index()].name))));
    }
    let props = add_props(context, KindId::MATCH, &mut columns, &mut Vec::new());
    (Section { name: "situation", start: 0, rows: 1, columns }, props)
}

pub(crate) fn players(context: &EncodingContext<'_>, start: usize) -> (Section, Vec<PropColumns>) {
    let program = context.program;
    let mut columns = vec![Column::number("seat"), Column::flag("gone"), Column::flag("asked")];
    for zone in &program.kinds[KindId::PLAYER.index()].zones {
        columns.push(Column::number(format!("size of {}", program.symbol(program.zones[zone.index()].name))));
    }
    let props = add_props(context, KindId::PLAYER, &mut columns, &mut Vec::new());
    (Section { name: "players", start, rows: context.seats, columns }, props)
}

pub(crate) fn entities(
    context: &EncodingContext<'_>,
    traits: &[Option<usize>],
    rows: usize,
    start: usize,
) -> (Section, Vec<Vec<PropColumns>>) {
    let program = context.program;
    let mut columns = vec![
        Column::flag("present"),
        Column::index("kind", program.kinds.len()),
        Column::index("def", program.defs.len() + 1),
        Column::index("owner", context.seats + 1),
        Column::index("host", context.references),
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
        true => add_props(context, KindId(kind as u16), &mut columns, &mut known),
        false => Vec::new(),
    };
    let props = (0..program.kinds.len()).map(&mut props).collect();
    (Section { name: "entities", start, rows, columns }, props)
}

pub(crate) fn moves(context: &EncodingContext<'_>, rows: usize, start: usize) -> Section {
    let program = context.program;
    let mut columns = vec![
        Column::flag("legal"),
        Column::flag("option"),
        Column::number("picked"),
        Column::index("action", program.actions.len() + 1),
        Column::index("name", program.symbols.len() + 1),
        Column::index("zone", program.zones.len() + 1),
        Column::number("number"),
    ];
    columns.extend((0..MOVE_REFERENCES).map(|at| Column::index(format!("thing {at}"), context.references)));
    Section { name: "moves", start, rows, columns }
}
