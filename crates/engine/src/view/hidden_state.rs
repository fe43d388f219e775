//! Hidden state of a match for one seat, and its random redistribution.
//!
//! Entities are at *places*: an index in a zone, or no zone. The number of places and the owners of the
//! entities there count as known; the identity of an entity at a hidden place does not. Entities at hidden
//! places that belong to the same player form a pool. The pool is sorted by content, so that its order
//! reveals nothing about places, shuffled, and distributed to the places again.
//!
//! If chance decides which entities exist at all, the pool comes from the start of another match with the
//! same options.

use std::collections::BTreeMap;

use intermezzo_program::{InitialValue, KindId, NULL, PropId, Seat, Type, TypeId, Word, native, word};

use crate::optimize::memo::MemoParts;
use crate::optimize::program_index::symbol_word;
use crate::run::chance::{DiceScript, Seed};
use crate::run::log::EventLog;
use crate::run::match_instance::Match;
use crate::run::setup::Setup;
use crate::storage::board::Entity;
use crate::storage::zones::NOWHERE;
use crate::values::datum::{Datum, describe};
use crate::values::typed::{Layout, Shapes};
use crate::view::determinize::is_fixed;
use crate::view::observer::{Observer, Viewer};
use crate::view::renumber::Redistribution;

/// Entities that may exchange places: by owner and, for entities with zones of their own, by kind.
type PoolKey = (u8, Option<KindId>);

/// Places among which hidden entities are redistributed.
#[derive(Clone, Debug)]
struct HiddenPool {
    key: PoolKey,
    /// Rows of the places, in place order.
    places: Vec<u32>,
    /// Rows of the entities there, sorted by content.
    things: Vec<u32>,
}

/// Everything a seat does not see.
#[derive(Clone, Debug)]
pub(crate) struct HiddenState {
    pools: Vec<HiddenPool>,
    /// All rows in place order.
    order: Vec<u32>,
    /// Hidden properties of visible entities: by property, their rows in place order.
    props: Vec<(PropId, Vec<u32>)>,
    /// Setup of another match with the same options, if chance decides which entities exist.
    fresh_setup: Option<Setup>,
    /// Number of visible entities, by owner and def.
    seen_defs: BTreeMap<(u8, u16), usize>,
    /// Visible derived properties of players and the match, which may depend on hidden entities.
    computed: Vec<(Word, PropId, Datum)>,
}

impl HiddenState {
    /// Collects the hidden state; `None` if the seat sees everything.
    pub(crate) fn of(game: &Match, seat: Seat) -> Option<HiddenState> {
        game.program.first_hidden_element()?;
        let mut observer = Observer::joining(game);
        let viewer = Viewer::Seat(seat);
        let order = places(game);
        let mut pools: BTreeMap<PoolKey, Vec<u32>> = BTreeMap::new();
        let mut props: BTreeMap<PropId, Vec<u32>> = BTreeMap::new();
        let mut seen_defs = BTreeMap::new();
        let mut names: VisiblePlaces = vec![None; game.board.rows.len()];
        for (place, row) in order.iter().enumerate() {
            let (entity, reference) = (game.board.rows[*row as usize], game.board.reference(*row));
            if observer.sees(viewer, reference) {
                names[*row as usize] = Some(place as u32);
                *seen_defs.entry((entity.owner, entity.def)).or_insert(0) += 1;
                for prop in stored_props(game, &entity) {
                    if !observer.sees_prop(viewer, reference, prop) {
                        props.entry(prop).or_default().push(*row);
                    }
                }
            } else if entity.host == NULL {
                pools.entry(pool_key(&entity)).or_default().push(*row);
            }
        }
        if pools.is_empty() && props.is_empty() {
            return None;
        }
        let another = if pools.is_empty() { None } else { chance_dependent_setup(game) };
        let pools = pools.into_iter().map(|(key, places)| {
            let things = sort_by_content(game, &names, places.clone());
            HiddenPool { key, places, things }
        });
        let (pools, props) = (pools.collect(), props.into_iter().collect());
        let mut computed = Vec::new();
        for row in 0..=u32::from(game.board.seats) {
            let reference = game.board.reference(row);
            for prop in &game.program.kinds[game.board.rows[row as usize].kind.index()].props {
                let is_computed = game.program.props[prop.index()].derived.is_some();
                if is_computed && observer.sees_prop(viewer, reference, *prop) {
                    computed
                        .extend(derived_value(game, reference, *prop).map(|value| (reference, *prop, value)));
                }
            }
        }
        Some(HiddenState { pools, order, props, fresh_setup: another, seen_defs, computed })
    }

    /// Tells whether the derived values in a copy are those the seat sees.
    pub(crate) fn is_consistent(&self, copy: &Match) -> bool {
        let is_same = |(entity, prop, value): &(Word, PropId, Datum)| {
            derived_value(copy, *entity, *prop).as_ref() == Some(value)
        };
        self.computed.iter().all(is_same)
    }

    /// Assigns the hidden entities to the hidden places, by the randomness of the copy.
    pub(crate) fn redistribute(&self, copy: &mut Match) -> Redistribution {
        let other = self.fresh_setup.as_ref().and_then(|setup| {
            let seed = Seed::from_number(u64::from(copy.chance.below(u32::MAX)));
            let setup = Setup { seed, ..setup.clone() };
            copy.start_another(&setup, &mut EventLog::discard()).ok()
        });
        let mut thing_at: Vec<u32> = (0..copy.board.rows.len() as u32).collect();
        let faces = FaceValues::of(copy, &self.pools);
        for pool in &self.pools {
            let mut things = match &other {
                Some(other) => self.draw_things(pool, copy, other),
                None => pool.things.clone(),
            };
            copy.chance.shuffle(&mut things);
            let since: Vec<Word> = pool.places.iter().map(|place| copy.board.since(*place)).collect();
            for (at, (place, thing)) in pool.places.iter().zip(&things).enumerate() {
                thing_at[*place as usize] = *thing;
                forget_given_rules(copy, *thing, since[at]);
            }
        }
        faces.apply(copy, &self.pools, &thing_at);
        let hidden = self.pools.iter().flat_map(|pool| pool.places.iter());
        for place in hidden {
            clear_knowers(copy, thing_at[*place as usize]);
        }
        Redistribution { order: self.order.clone(), thing_at }
    }

    /// Draws entities for a pool from the start of another match, minus the visible ones. They get rows in
    /// the copy.
    fn draw_things(&self, pool: &HiddenPool, copy: &mut Match, other: &Match) -> Vec<u32> {
        let rows = 0..other.board.rows.len() as u32;
        let fits = |row: &u32| {
            let entity = &other.board.rows[*row as usize];
            let is_thing = entity.alive && entity.host == NULL && !is_fixed(other.board.seats, *row);
            is_thing && pool_key(entity) == pool.key
        };
        let mut found = sort_by_content(other, &Vec::new(), rows.filter(fits).collect());
        let mut seen = self.seen_defs.clone();
        copy.chance.shuffle(&mut found);
        found.retain(|row| {
            let entity = &other.board.rows[*row as usize];
            match seen.get_mut(&(entity.owner, entity.def)) {
                Some(left @ 1..) => {
                    *left -= 1;
                    false
                }
                _ => true,
            }
        });
        if found.is_empty() {
            return pool.things.clone();
        }
        let needed = (0..pool.places.len()).map(|place| found[place % found.len()]).collect::<Vec<u32>>();
        needed.into_iter().map(|row| copy_with_attached(copy, other, row)).collect()
    }

    /// Replaces the values of hidden properties: entities exchange their values; players, the match and a
    /// single entity get the initial value.
    pub(crate) fn set_properties(&self, copy: &mut Match, number: &[u32]) {
        for (prop, rows) in &self.props {
            let rows: Vec<u32> = rows.iter().map(|row| number[*row as usize]).collect();
            let column = usize::from(copy.program.props[prop.index()].column);
            let cell = |game: &Match, row: u32| game.board.rows[row as usize].base as usize + column;
            let is_pile = rows.len() > 1 && rows.iter().all(|row| !is_fixed(copy.board.seats, *row));
            if !is_pile {
                rows.iter().for_each(|row| reset_prop(copy, *row, *prop));
                continue;
            }
            let ty = copy.program.props[prop.index()].ty;
            let mut values: Vec<Word> = rows.iter().map(|row| copy.board.cells[cell(copy, *row)]).collect();
            let names: VisiblePlaces = (0..copy.board.rows.len() as u32).map(Some).collect();
            values.sort_by_cached_key(|value| {
                let mut words = Vec::new();
                flatten(copy, &names, ty, *value, &mut words);
                words
            });
            copy.chance.shuffle(&mut values);
            for (row, value) in rows.iter().zip(values) {
                let at = cell(copy, *row);
                copy.board.cells[at] = value;
            }
            // Cells were written directly, so nothing remembered counts.
            copy.board.changed = MemoParts::ALL;
        }
    }
}

/// Values that decide which things lie face down. They belong to the places, so that a copy hides what is hidden.
struct FaceValues {
    /// By row of a place: the properties that decide, with their values.
    values: BTreeMap<u32, Vec<(PropId, Word)>>,
    /// All such properties.
    props: Vec<PropId>,
}

impl FaceValues {
    fn of(game: &Match, pools: &[HiddenPool]) -> FaceValues {
        let faces = &game.program.face_props;
        let mut props: Vec<PropId> = faces.iter().flat_map(|(_, props)| props.iter().copied()).collect();
        props.sort_unstable();
        props.dedup();
        let mut values = BTreeMap::new();
        let places = pools.iter().flat_map(|pool| pool.places.iter()).filter(|_| !props.is_empty());
        for place in places {
            let entity = game.board.rows[*place as usize];
            let zone = game.board.zones.head(entity.zone).map(|head| head.family);
            let deciding = faces.iter().find(|(found, _)| Some(*found) == zone);
            let own = deciding.into_iter().flat_map(|(_, props)| props.iter());
            let own = own.filter(|prop| has_stored(game, &entity, **prop)).map(|prop| {
                let column = usize::from(game.program.props[prop.index()].column);
                (*prop, game.board.cells[entity.base as usize + column])
            });
            values.insert(*place, own.collect());
        }
        FaceValues { values, props }
    }

    /// Gives the things at hidden places the values of their places; elsewhere the initial ones.
    fn apply(&self, copy: &mut Match, pools: &[HiddenPool], thing_at: &[u32]) {
        let places = pools.iter().flat_map(|pool| pool.places.iter()).filter(|_| !self.props.is_empty());
        for place in places {
            let thing = thing_at[*place as usize];
            let entity = copy.board.rows[thing as usize];
            let own = self.values.get(place).map_or(&[][..], Vec::as_slice);
            for prop in self.props.iter().copied() {
                if !has_stored(copy, &entity, prop) {
                    continue;
                }
                match own.iter().find(|(found, _)| *found == prop) {
                    Some((_, value)) => {
                        let column = usize::from(copy.program.props[prop.index()].column);
                        copy.board.cells[entity.base as usize + column] = *value;
                    }
                    None => reset_prop(copy, thing, prop),
                }
            }
        }
        if !self.props.is_empty() {
            copy.board.changed = MemoParts::ALL;
        }
    }
}

/// Tells whether an entity stores a property.
fn has_stored(game: &Match, entity: &Entity, prop: PropId) -> bool {
    let is_own = game.program.kinds[entity.kind.index()].props.contains(&prop);
    is_own && game.program.props[prop.index()].derived.is_none()
}

/// Returns the value of a derived property, if its type contains no entity.
fn derived_value(game: &Match, entity: Word, prop: PropId) -> Option<Datum> {
    let found = &game.program.props[prop.index()];
    let ty = &game.program.types[found.ty.index()];
    let routine =
        found.derived.filter(|_| matches!(ty, Type::Int | Type::Bool | Type::Symbol | Type::Enum(_)))?;
    let (value, board) = game.evaluate(routine, &[entity]).ok()?;
    Some(describe(&game.program, &board, value, found.ty))
}

fn pool_key(entity: &Entity) -> PoolKey {
    (entity.owner, (entity.zone_count > 0).then_some(entity.kind))
}

/// Lists all rows in use except attached entities: the match and the players, entities in zones by zone and
/// index, then the rest.
fn places(game: &Match) -> Vec<u32> {
    let board = &game.board;
    let mut order: Vec<u32> = (0..=u32::from(board.seats)).collect();
    let mut is_listed = vec![false; board.rows.len()];
    order.iter().for_each(|row| is_listed[*row as usize] = true);
    let singles = (0..board.zones.count() as u32).filter(|zone| {
        let head = board.zones.head(*zone);
        head.is_some_and(|head| head.host == NOWHERE)
    });
    let list = |zone: u32, order: &mut Vec<u32>, is_listed: &mut Vec<bool>| {
        for row in board.zones.rows(zone) {
            if !std::mem::replace(&mut is_listed[*row as usize], true) {
                order.push(*row);
            }
        }
    };
    singles.for_each(|zone| list(zone, &mut order, &mut is_listed));
    let alive = |row: &u32| board.rows[*row as usize].alive;
    let mut nowhere: Vec<u32> = (0..board.rows.len() as u32)
        .filter(|row| alive(row) && board.rows[*row as usize].zone == NOWHERE && !is_listed[*row as usize])
        .filter(|row| board.rows[*row as usize].host == NULL)
        .collect();
    nowhere.sort_by_key(|row| {
        let entity = &board.rows[*row as usize];
        (entity.owner, entity.kind.0, entity.def, *row)
    });
    for row in nowhere {
        is_listed[row as usize] = true;
        order.push(row);
    }
    let mut at = 1;
    while let Some(row) = order.get(at).copied() {
        let zones = board.rows[row as usize].zone_block();
        zones.for_each(|zone| list(zone, &mut order, &mut is_listed));
        at += 1;
    }
    order
}

/// Lists the stored properties that the ruleset declares.
fn stored_props(game: &Match, entity: &Entity) -> Vec<PropId> {
    let program = &game.program;
    let options = if entity.kind == KindId::MATCH { program.options.len() } else { 0 };
    let props = program.kinds[entity.kind.index()].props.iter().copied();
    let is_stored = |id: &PropId| {
        let prop = &program.props[id.index()];
        let is_own = prop.name != native::KNOWN && !program.symbol(prop.name).contains(' ');
        is_own && prop.derived.is_none() && usize::from(prop.column) >= options
    };
    props.filter(is_stored).collect()
}

/// By row: the index of its place; `None` if the seat does not see the entity there.
type VisiblePlaces = Vec<Option<u32>>;

/// Sorts rows by content alone.
fn sort_by_content(game: &Match, names: &VisiblePlaces, mut rows: Vec<u32>) -> Vec<u32> {
    rows.sort_by_cached_key(|row| content_key(game, names, *row));
    rows
}

/// Returns the content of an entity, apart from its place and the players who know it.
fn content_key(game: &Match, names: &VisiblePlaces, row: u32) -> Vec<Word> {
    let entity = &game.board.rows[row as usize];
    let mut key = vec![Word::from(entity.owner), Word::from(entity.kind.0), Word::from(entity.def)];
    let of_place = game.board.grant_columns(entity.kind);
    for (column, ty) in game.tables.columns(entity.kind).iter().enumerate().skip(1) {
        if of_place.is_some_and(|columns| columns.belongs_to_place(column as u16)) {
            continue;
        }
        if let Some(ty) = ty {
            flatten(game, names, *ty, game.board.cells[entity.base as usize + column], &mut key);
        }
    }
    key
}

/// Appends a value as words that name entities by their places.
fn flatten(game: &Match, names: &VisiblePlaces, ty: TypeId, value: Word, words: &mut Vec<Word>) {
    let shapes = Shapes { program: &game.program, seats: game.board.seats };
    let heap = &game.board.heap;
    if value == NULL {
        words.push(NULL);
        return;
    }
    match shapes.layout(ty) {
        Layout::Plain => words.push(match game.program.types[ty.index()] {
            Type::Entity | Type::Kind(_) => {
                let name = names.get(word::row(value) as usize).copied().flatten();
                name.filter(|_| game.board.entity(value).is_some()).map_or(-1, Word::from)
            }
            Type::Zone => 0,
            _ => value,
        }),
        Layout::Offer => words.push(0),
        Layout::List(item) => {
            let items = heap.list(value).unwrap_or(&[]);
            words.push(items.len() as Word);
            items.iter().for_each(|value| flatten(game, names, item, *value, words));
        }
        Layout::Map(count, item) => {
            let values = heap.fields(value, count).unwrap_or(&[]);
            values.iter().for_each(|value| flatten(game, names, item, *value, words));
        }
        Layout::Record(fields) => {
            let values = heap.fields(value, fields.len()).unwrap_or(&[]);
            fields.iter().zip(values).for_each(|((_, ty), value)| flatten(game, names, *ty, *value, words));
        }
    }
}

impl Match {
    /// Returns the setup of another match with the same seats and options.
    fn setup_again(&self, seed: Seed) -> Setup {
        let options = self.program.options.iter().enumerate().map(|(column, option)| {
            let value = self.board.column(word::MATCH, column as u16).unwrap_or(NULL);
            (self.program.symbol(option.name).into(), describe(&self.program, &self.board, value, option.ty))
        });
        Setup { seats: self.board.seats, options: options.collect(), seed, script: None }
    }

    /// Starts another match with the same seats and options; `None` if its rules fail.
    #[must_use]
    pub fn another(&self, seed: Seed) -> Option<Match> {
        self.start_another(&self.setup_again(seed), &mut EventLog::discard()).ok()
    }
}

/// Returns the setup of another match with the same options, if chance decides which entities exist. Two
/// seeds are compared to find out.
fn chance_dependent_setup(game: &Match) -> Option<Setup> {
    let setup = game.setup_again(Seed::from_number(0));
    let census = |number: u64| -> Option<Vec<Vec<Word>>> {
        let seed = Seed::from_number(number);
        let setup = Setup { seed, script: Some(DiceScript::default()), ..setup.clone() };
        let begun = game.start_another(&setup, &mut EventLog::discard()).ok()?;
        let rows = 0..begun.board.rows.len() as u32;
        let things = rows.filter(|row| {
            let entity = &begun.board.rows[*row as usize];
            entity.alive && entity.host == NULL && !is_fixed(begun.board.seats, *row)
        });
        let mut found: Vec<Vec<Word>> = things.map(|row| content_key(&begun, &Vec::new(), row)).collect();
        found.sort();
        Some(found)
    };
    (census(1)? != census(2)?).then_some(setup)
}

/// Makes an entity one that came to its place at a change, and to which no grant has given or taken anything.
fn forget_given_rules(copy: &mut Match, row: u32, since: Word) {
    let entity = copy.board.rows[row as usize];
    let Some(columns) = copy.board.grant_columns(entity.kind) else { return };
    let def = copy.program.defs.get(usize::from(entity.def)).map_or(NULL, |def| symbol_word(def.name));
    for (column, value) in [(columns.since, since), (columns.silenced, 0), (columns.traits_of, def)] {
        if column < entity.columns {
            copy.board.cells[entity.base as usize + usize::from(column)] = value;
        }
    }
    for attached in 0..copy.board.rows.len() {
        let found = copy.board.rows[attached];
        let reference = word::entity(found.generation, attached as u32);
        if found.alive && found.host != NULL && word::row(found.host) == row {
            // Dropped rows get no place.
            copy.board.rows[attached].alive = !copy.board.is_given(reference);
            forget_age(copy, attached, since);
        }
    }
}

/// Makes a trait one that is in force and as old as its host's stay. One that the def gives is marked until its host
/// has a place.
fn forget_age(copy: &mut Match, row: usize, since: Word) {
    let found = copy.board.rows[row];
    let Some(columns) = copy.board.grant_columns(found.kind) else { return };
    let at = |column: u16| found.base as usize + usize::from(column);
    for (column, value) in [(columns.since, since), (columns.silenced, 0)] {
        if column < found.columns {
            copy.board.cells[at(column)] = value;
        }
    }
    if columns.given_by < found.columns && copy.board.cells[at(columns.given_by)] == found.host {
        copy.board.cells[at(columns.given_by)] = word::MATCH;
    }
}

/// Names the hosts of the marked traits, now that they have their places.
pub(crate) fn name_givers(copy: &mut Match) {
    for row in 0..copy.board.rows.len() {
        let found = copy.board.rows[row];
        let columns = copy.board.grant_columns(found.kind).filter(|_| found.alive && found.host != NULL);
        let Some(columns) = columns.filter(|columns| columns.given_by < found.columns) else { continue };
        let at = found.base as usize + usize::from(columns.given_by);
        if copy.board.cells[at] == word::MATCH {
            copy.board.cells[at] = found.host;
        }
    }
}

/// Clears the knowers of an entity, which nobody knows after redistribution.
fn clear_knowers(copy: &mut Match, row: u32) {
    let entity = copy.board.rows[row as usize];
    if entity.columns > 0 {
        copy.board.cells[entity.base as usize] = 0;
    }
}

/// Copies an entity of another match, with everything attached to it, into new rows.
fn copy_with_attached(copy: &mut Match, other: &Match, row: u32) -> u32 {
    let adopted = copy_entity(copy, other, row, NULL);
    let host = other.board.reference(row);
    for attached in 0..other.board.rows.len() as u32 {
        let entity = &other.board.rows[attached as usize];
        if entity.alive && entity.host == host {
            let new = copy_entity(copy, other, attached, word::entity(0, adopted));
            name_new_giver(copy, new, host);
        }
    }
    adopted
}

/// Makes a trait that its host gave itself one that its new host gives itself.
fn name_new_giver(copy: &mut Match, row: u32, old_host: Word) {
    let found = copy.board.rows[row as usize];
    let Some(columns) = copy.board.grant_columns(found.kind) else { return };
    let at = found.base as usize + usize::from(columns.given_by);
    if columns.given_by < found.columns && copy.board.cells[at] == old_host {
        copy.board.cells[at] = found.host;
    }
}

fn copy_entity(copy: &mut Match, other: &Match, row: u32, host: Word) -> u32 {
    let entity = other.board.rows[row as usize];
    let base = copy.board.cells.len() as u32;
    let shapes = Shapes { program: &other.program, seats: other.board.seats };
    for (column, ty) in other.tables.columns(entity.kind).iter().enumerate() {
        let value = other.board.cells[entity.base as usize + column];
        let value = match ty {
            Some(ty) if column > 0 => {
                let mut words = Vec::new();
                shapes.flatten(&other.board.heap, *ty, value, 4096, &mut words);
                shapes.unflatten(&mut copy.board, *ty, &mut &words[..]).unwrap_or(NULL)
            }
            _ => 0,
        };
        copy.board.cells.push(value);
    }
    let new =
        Entity { generation: 0, base, zone: NOWHERE, index: 0, zones: 0, host, zone_count: 0, ..entity };
    copy.board.rows.push(new);
    copy.board.rows.len() as u32 - 1
}

/// Sets a property to its initial value.
fn reset_prop(copy: &mut Match, row: u32, prop: PropId) {
    let entity = copy.board.rows[row as usize];
    let program = std::sync::Arc::clone(&copy.program);
    let found = &program.props[prop.index()];
    let printed = program.defs.get(usize::from(entity.def)).map_or(&[][..], |def| &def.props);
    let initial = printed.iter().find(|(given, _)| *given == prop).map_or(found.initial, |given| given.1);
    let reference = copy.board.reference(row);
    let at = entity.base as usize + usize::from(found.column);
    match initial {
        InitialValue::Word(value) => {
            copy.board.cells[at] = value;
            copy.board.changed = MemoParts::ALL;
        }
        InitialValue::Computed(routine) => {
            let input = copy.counters.inputs;
            let _ = copy.with_machine(&mut EventLog::discard(), input, |machine| {
                let value = machine.core.evaluate(routine, NULL, &[reference])?;
                machine.core.board.set_cell(reference, found.column, value)
            });
        }
    }
}
