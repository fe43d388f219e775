//! What a seat does not see of a match, and how it is drawn anew.
//!
//! Things lie at *places*: at a number in a zone, or nowhere. How many places there
//! are and whose the things there are counts as known; what lies at a hidden place
//! does not. Things at hidden places that belong to the same player are put on one
//! pile, the pile is put in an order that does not depend on where they lay, shuffled,
//! and dealt to the places again.
//!
//! Where chance decides what exists at all (a pack of cards drawn from many), the
//! pile comes from the beginning of another match, with the same options.

use std::collections::BTreeMap;

use intermezzo_ruleset::{Initial, KindId, NULL, PropId, Seat, Type, TypeId, Word, native, word};

use crate::board::Entity;
use crate::chance::{Script, Seed};
use crate::datum::{Datum, describe};
use crate::imagined::is_fixed;
use crate::log::Log;
use crate::play::Match;
use crate::renumbering::Dealt;
use crate::setup::Setup;
use crate::typed::{Layout, Shapes};
use crate::witness::{Viewer, Witness};
use crate::zones::NOWHERE;

/// What may lie in each other's place: whose it is, and for what has zones of its own, its kind.
type PoolKey = (u8, Option<KindId>);

/// Places among which hidden things are dealt.
#[derive(Clone, Debug)]
struct Pool {
    key: PoolKey,
    /// Rows of the places, in the order of the places.
    places: Vec<u32>,
    /// Rows of what lies there, in an order that does not depend on where.
    things: Vec<u32>,
}

/// What a seat does not see.
#[derive(Clone, Debug)]
pub(crate) struct Hiding {
    pools: Vec<Pool>,
    /// All rows in the order of their places.
    order: Vec<u32>,
    /// Hidden properties of things that are seen: by property, where they are in the order of the places.
    props: Vec<(PropId, Vec<u32>)>,
    /// How another match with the same options begins, if chance decides what there is.
    another: Option<Setup>,
    /// How often things that are seen have been made, by owner and def.
    seen_defs: BTreeMap<(u8, u16), usize>,
    /// What rules compute of players and the match, and the seat sees: a hand may be hidden, and its worth known.
    computed: Vec<(Word, PropId, Datum)>,
}

impl Hiding {
    /// Nothing if the seat sees everything.
    pub(crate) fn of(game: &Match, seat: Seat) -> Option<Hiding> {
        game.program.hidden()?;
        let mut witness = Witness::of_now(game);
        let viewer = Viewer::Seat(seat);
        let order = places(game);
        let mut pools: BTreeMap<PoolKey, Vec<u32>> = BTreeMap::new();
        let mut props: BTreeMap<PropId, Vec<u32>> = BTreeMap::new();
        let mut seen_defs = BTreeMap::new();
        let mut names: Names = vec![None; game.board.rows.len()];
        for (place, row) in order.iter().enumerate() {
            let (entity, reference) = (game.board.rows[*row as usize], game.board.reference(*row));
            if witness.sees(viewer, reference) {
                names[*row as usize] = Some(place as u32);
                *seen_defs.entry((entity.owner, entity.def)).or_insert(0) += 1;
                for prop in stored_props(game, &entity) {
                    if !witness.sees_prop(viewer, reference, prop) {
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
        let another = if pools.is_empty() { None } else { another(game) };
        let pools = pools.into_iter().map(|(key, places)| {
            let things = in_order(game, &names, places.clone());
            Pool { key, places, things }
        });
        let (pools, props) = (pools.collect(), props.into_iter().collect());
        let mut computed = Vec::new();
        for row in 0..=u32::from(game.board.seats) {
            let reference = game.board.reference(row);
            for prop in &game.program.kinds[game.board.rows[row as usize].kind.index()].props {
                let is_computed = game.program.props[prop.index()].derived.is_some();
                if is_computed && witness.sees_prop(viewer, reference, *prop) {
                    computed.extend(value_of(game, reference, *prop).map(|value| (reference, *prop, value)));
                }
            }
        }
        Some(Hiding { pools, order, props, another, seen_defs, computed })
    }

    /// Whether what rules compute of it is what the seat sees.
    pub(crate) fn is_consistent(&self, copy: &Match) -> bool {
        let is_same = |(entity, prop, value): &(Word, PropId, Datum)| {
            value_of(copy, *entity, *prop).as_ref() == Some(value)
        };
        self.computed.iter().all(is_same)
    }

    /// Deals what is hidden to the hidden places, by the chance of the copy.
    pub(crate) fn deal(&self, copy: &mut Match) -> Dealt {
        let other = self.another.as_ref().and_then(|setup| {
            let seed = Seed::from_number(u64::from(copy.chance.below(u32::MAX)));
            let setup = Setup { seed, ..setup.clone() };
            copy.start_another(&setup, &mut Log::discard()).ok()
        });
        let mut thing_at: Vec<u32> = (0..copy.board.rows.len() as u32).collect();
        for pool in &self.pools {
            let mut things = match &other {
                Some(other) => self.things_of(pool, copy, other),
                None => pool.things.clone(),
            };
            copy.chance.shuffle(&mut things);
            for (place, thing) in pool.places.iter().zip(&things) {
                thing_at[*place as usize] = *thing;
            }
        }
        let hidden = self.pools.iter().flat_map(|pool| pool.places.iter());
        for place in hidden {
            forget(copy, thing_at[*place as usize]);
        }
        Dealt { order: self.order.clone(), thing_at }
    }

    /// Things for a pool from the beginning of another match, without as many as are seen. They get rows in the copy.
    fn things_of(&self, pool: &Pool, copy: &mut Match, other: &Match) -> Vec<u32> {
        let rows = 0..other.board.rows.len() as u32;
        let fits = |row: &u32| {
            let entity = &other.board.rows[*row as usize];
            let is_thing = entity.alive && entity.host == NULL && !is_fixed(other.board.seats, *row);
            is_thing && pool_key(entity) == pool.key
        };
        let mut found = in_order(other, &Vec::new(), rows.filter(fits).collect());
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
        needed.into_iter().map(|row| adopt(copy, other, row)).collect()
    }

    /// Gives properties that the seat does not see values that tell nothing: those of players and of the match the
    /// one they begin with, those of other things any of their values.
    pub(crate) fn set_properties(&self, copy: &mut Match, number: &[u32]) {
        for (prop, rows) in &self.props {
            let rows: Vec<u32> = rows.iter().map(|row| number[*row as usize]).collect();
            let column = usize::from(copy.program.props[prop.index()].column);
            let cell = |game: &Match, row: u32| game.board.rows[row as usize].base as usize + column;
            let is_pile = rows.len() > 1 && rows.iter().all(|row| !is_fixed(copy.board.seats, *row));
            if !is_pile {
                rows.iter().for_each(|row| begin_anew(copy, *row, *prop));
                continue;
            }
            let ty = copy.program.props[prop.index()].ty;
            let mut values: Vec<Word> = rows.iter().map(|row| copy.board.cells[cell(copy, *row)]).collect();
            let names: Names = (0..copy.board.rows.len() as u32).map(Some).collect();
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
        }
    }
}

/// What rules compute of a property, if that mentions no entity.
fn value_of(game: &Match, entity: Word, prop: PropId) -> Option<Datum> {
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

/// All rows that are in use but for what is attached: the match and the players, what is in zones by zone and
/// place, and the rest.
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

/// Properties that are stored with an entity and declared by the ruleset.
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

/// By row: the number of its place, and nothing where the seat does not see what lies there.
type Names = Vec<Option<u32>>;

/// Rows in an order that depends on what is in them alone.
fn in_order(game: &Match, names: &Names, mut rows: Vec<u32>) -> Vec<u32> {
    rows.sort_by_cached_key(|row| likeness(game, names, *row));
    rows
}

/// What a thing is, apart from where it is and who knows it.
fn likeness(game: &Match, names: &Names, row: u32) -> Vec<Word> {
    let entity = &game.board.rows[row as usize];
    let mut key = vec![Word::from(entity.owner), Word::from(entity.kind.0), Word::from(entity.def)];
    for (column, ty) in game.tables.columns(entity.kind).iter().enumerate().skip(1) {
        if let Some(ty) = ty {
            flatten(game, names, *ty, game.board.cells[entity.base as usize + column], &mut key);
        }
    }
    key
}

/// Adds a value as words that name entities by their places.
fn flatten(game: &Match, names: &Names, ty: TypeId, value: Word, words: &mut Vec<Word>) {
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

/// How another match with the same options would begin, if what exists then is a matter of chance.
fn another(game: &Match) -> Option<Setup> {
    let options = game.program.options.iter().enumerate().map(|(column, option)| {
        let value = game.board.column(word::MATCH, column as u16).unwrap_or(NULL);
        (game.program.symbol(option.name).into(), describe(&game.program, &game.board, value, option.ty))
    });
    let seed = Seed::from_number(0);
    let setup = Setup { seats: game.board.seats, options: options.collect(), seed, script: None };
    let census = |number: u64| -> Option<Vec<Vec<Word>>> {
        let seed = Seed::from_number(number);
        let setup = Setup { seed, script: Some(Script::default()), ..setup.clone() };
        let begun = game.start_another(&setup, &mut Log::discard()).ok()?;
        let rows = 0..begun.board.rows.len() as u32;
        let things = rows.filter(|row| {
            let entity = &begun.board.rows[*row as usize];
            entity.alive && entity.host == NULL && !is_fixed(begun.board.seats, *row)
        });
        let mut found: Vec<Vec<Word>> = things.map(|row| likeness(&begun, &Vec::new(), row)).collect();
        found.sort();
        Some(found)
    };
    (census(1)? != census(2)?).then_some(setup)
}

/// Nobody knows a thing that has been dealt anew.
fn forget(copy: &mut Match, row: u32) {
    let entity = copy.board.rows[row as usize];
    if entity.columns > 0 {
        copy.board.cells[entity.base as usize] = 0;
    }
}

/// Takes a thing of another match, with what is attached to it, into rows of its own.
fn adopt(copy: &mut Match, other: &Match, row: u32) -> u32 {
    let adopted = adopt_one(copy, other, row, NULL);
    let host = other.board.reference(row);
    for attached in 0..other.board.rows.len() as u32 {
        let entity = &other.board.rows[attached as usize];
        if entity.alive && entity.host == host {
            adopt_one(copy, other, attached, word::entity(0, adopted));
        }
    }
    adopted
}

fn adopt_one(copy: &mut Match, other: &Match, row: u32, host: Word) -> u32 {
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
    copy.board.attaches |= host != NULL;
    copy.board.rows.push(new);
    copy.board.rows.len() as u32 - 1
}

/// Sets a property to what it is in a new entity.
fn begin_anew(copy: &mut Match, row: u32, prop: PropId) {
    let entity = copy.board.rows[row as usize];
    let program = std::sync::Arc::clone(&copy.program);
    let found = &program.props[prop.index()];
    let printed = program.defs.get(usize::from(entity.def)).map_or(&[][..], |def| &def.props);
    let initial = printed.iter().find(|(given, _)| *given == prop).map_or(found.initial, |given| given.1);
    let reference = copy.board.reference(row);
    let at = entity.base as usize + usize::from(found.column);
    match initial {
        Initial::Word(value) => copy.board.cells[at] = value,
        Initial::Computed(routine) => {
            let input = copy.counters.inputs;
            let _ = copy.work(&mut Log::discard(), input, |machine| {
                let value = machine.core.evaluate(routine, NULL, &[reference])?;
                machine.core.board.set_cell(reference, found.column, value)
            });
        }
    }
}
