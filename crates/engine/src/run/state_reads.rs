//! State reads: facts about entities, zones, players and the flow, for the interpreter.

use intermezzo_program::{
    Action, ActionHost, ActionTiming, DefId, EntityInfo, EventId, FaultCode, FlowInfo, KindId, NULL, Program,
    PropId, Type, Word, ZoneId, word,
};

use crate::optimize::program_index::{ProgramIndex, symbol_word};
use crate::optimize::specializer::{HostJump, ON_PLAYER, OfferCandidate};
use crate::run::frames::Meter;
use crate::storage::board::{Board, Entity, NO_DEF, NOBODY};
use crate::storage::zones::NOWHERE;
use crate::values::arithmetic::present;

type Result<T = Word> = std::result::Result<T, FaultCode>;

pub(crate) fn info(program: &Program, board: &Board, entity: Word, found: &Entity, what: EntityInfo) -> Word {
    match what {
        EntityInfo::Def if found.def == NO_DEF => NULL,
        EntityInfo::Def => symbol_word(program.defs[usize::from(found.def)].name),
        EntityInfo::Owner => player_or_null(found.owner),
        EntityInfo::Controller => player_or_null(board.controller_of(found)),
        EntityInfo::Zone | EntityInfo::Index if found.zone == NOWHERE => NULL,
        EntityInfo::Zone => Word::from(found.zone),
        EntityInfo::Index => Word::from(found.index),
        EntityInfo::Host => found.host,
        EntityInfo::Seat if board.is_player(entity) => entity - 1,
        EntityInfo::Seat => NULL,
        EntityInfo::Rule | EntityInfo::Trigger | EntityInfo::About => item_info(program, board, found, what),
    }
}

/// Reads a fact about an item on the stack; null for other entities.
fn item_info(program: &Program, board: &Board, found: &Entity, what: EntityInfo) -> Word {
    let is_item = |item: DefId| found.def != NO_DEF && item.0 == found.def;
    let reaction = program.reactions.iter().find(|reaction| reaction.item.is_some_and(is_item));
    let Some(reaction) = reaction else {
        let action = program.actions.iter().find(|action| is_item(action.def));
        return action.filter(|_| what == EntityInfo::Rule).map_or(NULL, |action| symbol_word(action.name));
    };
    match what {
        EntityInfo::Rule => symbol_word(reaction.name),
        EntityInfo::Trigger => symbol_word(program.events[reaction.event.index()].symbol),
        _ => {
            let field = program.events[reaction.event.index()].fields.first();
            let ty = field.map(|field| &program.types[field.ty.index()]);
            // The fields follow the properties that all reactions have.
            let column = program.kinds[KindId::REACTION.index()].columns;
            let is_entity = matches!(ty, Some(Type::Entity | Type::Kind(_)));
            if is_entity { board.cell(found, column).unwrap_or(NULL) } else { NULL }
        }
    }
}

#[inline]
pub(crate) fn player_or_null(seat: u8) -> Word {
    if seat == NOBODY { NULL } else { Word::from(seat) + 1 }
}

/// Returns the property of that name of an existing entity.
pub(crate) fn prop_named(tables: &ProgramIndex, board: &Board, entity: Word, name: Word) -> Result<PropId> {
    let kind = board.live(entity)?.kind;
    tables.prop(kind, present(name)?).ok_or(FaultCode::NoSuchProperty)
}

pub(crate) fn zone_host(board: &Board, zone: Word) -> Result {
    let instance = board.instance(zone)?;
    let host = board.zones.head(instance).map_or(NOWHERE, |head| head.host);
    Ok(if host == NOWHERE { NULL } else { board.reference(host) })
}

pub(crate) fn is_zone(board: &Board, value: Word, zone: ZoneId) -> Word {
    let head = u32::try_from(value).ok().and_then(|zone| board.zones.head(zone));
    Word::from(head.is_some_and(|head| head.family == zone))
}

pub(crate) fn zone_get(board: &Board, zone: Word, index: Word) -> Result {
    let rows = board.zones.rows(board.instance(zone)?);
    let row = usize::try_from(index).ok().and_then(|index| rows.get(index));
    Ok(row.map_or(NULL, |row| board.reference(*row)))
}

pub(crate) fn zone_list(board: &mut Board, meter: &mut Meter, zone: Word) -> Result {
    let instance = board.instance(zone)?;
    let Board { rows, zones, heap, .. } = board;
    let inside = zones.rows(instance);
    meter.charge_steps(inside.len())?;
    let references = inside.iter().map(|row| word::entity(rows[*row as usize].generation, *row));
    if let Some(known) = heap.zone_list(instance) {
        debug_assert!(
            heap.list(known).is_some_and(|known| known.iter().copied().eq(references)),
            "nothing has moved"
        );
        heap.charge(inside.len() + 1)?;
        return Ok(known);
    }
    let list = heap.new_list_of(inside.len(), references)?;
    if !inside.is_empty() {
        heap.note_zone_list(instance, list);
    }
    Ok(list)
}

pub(crate) fn all_in_zone(
    tables: &ProgramIndex,
    board: &mut Board,
    meter: &mut Meter,
    zone: ZoneId,
    building: &mut Vec<Word>,
) -> Result {
    let single = tables.single_zone(zone);
    if single != NULL {
        return zone_list(board, meter, single);
    }
    let mark = building.len();
    // The players' rows come first.
    let hosts = if tables.is_of_players(zone) { 1 + usize::from(board.seats) } else { board.rows.len() };
    for entity in board.rows[..hosts].iter().filter(|entity| entity.alive) {
        meter.charge_steps(1)?;
        let Some(slot) = tables.slot(entity.kind, zone) else {
            continue;
        };
        let inside = board.zones.rows(entity.zones + slot);
        meter.charge_steps(inside.len())?;
        building.extend(inside.iter().map(|row| board.reference(*row)));
    }
    crate::values::lists::finish(&mut board.heap, building, mark as Word)
}

pub(crate) fn player_after(board: &Board, player: Word, steps: impl Into<Word>) -> Result {
    let seat = player_seat(board, player)?;
    let seats = Word::from(board.seats);
    Ok((seat + steps.into()).rem_euclid(seats) + 1)
}

pub(crate) fn players_from(board: &mut Board, player: Word) -> Result {
    let first = player_seat(board, player)?;
    let seats = Word::from(board.seats);
    let players = (0..seats).map(|step| (first + step) % seats + 1);
    board.heap.new_list_of(seats as usize, players)
}

fn player_seat(board: &Board, player: Word) -> Result {
    present(player)?;
    if board.is_player(player) { Ok(player - 1) } else { Err(FaultCode::OutOfRange) }
}

pub(crate) fn flow(program: &Program, board: &Board, what: FlowInfo) -> Word {
    let innermost = |pick: fn(&crate::storage::board::PhaseEntry) -> Word| {
        board.phases.iter().rev().map(pick).find(|value| *value != NULL).unwrap_or(NULL)
    };
    match what {
        FlowInfo::Active => innermost(|entry| entry.player),
        FlowInfo::Subject => innermost(|entry| entry.subject),
        FlowInfo::Phase => {
            board.phases.last().map_or(NULL, |entry| symbol_word(program.phases[entry.phase.index()].name))
        }
        FlowInfo::Changes => board.changes,
    }
}

pub(crate) fn in_phase(program: &Program, board: &Board, phase: Word) -> Word {
    let under_way =
        board.phases.iter().any(|entry| symbol_word(program.phases[entry.phase.index()].name) == phase);
    Word::from(under_way)
}

/// Returns true for the type of an entity's share of a number.
fn is_share(program: &Program, ty: usize) -> bool {
    match &program.types[ty] {
        Type::Record(fields) => match fields.as_slice() {
            [(_, to), (_, amount)] => {
                let is_entity = matches!(program.types[to.index()], Type::Entity | Type::Kind(_));
                is_entity && program.types[amount.index()] == Type::Int
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns all entities that a stack item targets.
pub(crate) fn targets(
    program: &Program,
    tables: &ProgramIndex,
    board: &mut Board,
    item: Word,
    building: &mut Vec<Word>,
) -> Result {
    let found = *board.live(item)?;
    let mark = building.len();
    let of_reaction = || {
        let reaction = tables.reaction_of(found.def);
        reaction.map_or(&[][..], |reaction| &program.reactions[reaction.index()].targets)
    };
    let of_action = tables.action_of(found.def).map(|action| &program.actions[action.index()].params[..]);
    for param in of_action.unwrap_or_else(of_reaction).iter().filter(|param| !param.pays) {
        let value = board.cell(&found, program.props[param.prop.index()].column)?;
        let is_entity = |ty: &Type| matches!(ty, Type::Entity | Type::Kind(_));
        match &program.types[param.ty.index()] {
            Type::List(of) if is_entity(&program.types[of.index()]) => {
                building.extend_from_slice(board.heap.list(value).unwrap_or(&[]));
            }
            // A number that is divided among targets: records that begin with the target.
            Type::List(of) if is_share(program, of.index()) => {
                for share in board.heap.list(value).unwrap_or(&[]) {
                    building.extend(board.heap.fields(*share, 2).and_then(|fields| fields.first()));
                }
            }
            ty if is_entity(ty) && value != NULL => building.push(value),
            _ => {}
        }
    }
    crate::values::lists::finish(&mut board.heap, building, mark as Word)
}

/// Returns true if the effects of a stack item can emit the event.
pub(crate) fn can_emit(
    program: &Program,
    tables: &ProgramIndex,
    board: &Board,
    item: Word,
    event: EventId,
) -> Result {
    let def = board.live(item)?.def;
    let emits = tables.action_of(def).map_or(&[][..], |action| &program.actions[action.index()].emits);
    Ok(Word::from(emits.contains(&event)))
}

/// Returns the abilities of an entity, by name.
pub(crate) fn abilities(
    program: &Program,
    board: &mut Board,
    entity: Word,
    building: &mut Vec<Word>,
) -> Result {
    let found = board.live(entity)?;
    let def = found.def;
    let is_silenced = board.is_silenced(found);
    let mark = building.len();
    let is_own = |action: &&Action| {
        !is_silenced && action.timing == ActionTiming::Called && action.host == ActionHost::Def(DefId(def))
    };
    building.extend(program.actions.iter().filter(is_own).map(|action| symbol_word(action.name)));
    crate::values::lists::finish(&mut board.heap, building, mark as Word)
}

/// Lists the traits attached to an entity.
pub(crate) fn traits(program: &Program, board: &mut Board, entity: Word, building: &mut Vec<Word>) -> Result {
    board.live(entity)?;
    let mark = building.len();
    let is_trait = |row: &u32| {
        let def = board.rows[*row as usize].def;
        def != NO_DEF && program.defs[usize::from(def)].is_trait
    };
    building.extend(board.attached_to(entity).filter(is_trait).map(|row| board.reference(row)));
    crate::values::lists::finish(&mut board.heap, building, mark as Word)
}

pub(crate) fn has_tag(program: &Program, ability: Word, tag: Word) -> Word {
    let found = crate::ask::offers::find_ability(program, ability).map(|at| &program.actions[at.index()]);
    let is_tag = |symbol: &intermezzo_program::Symbol| symbol_word(*symbol) == tag;
    Word::from(found.is_some_and(|action| action.tags.iter().any(is_tag)))
}

/// Returns the zone of that name that belongs to the entity, or the shared zone of that name.
pub(crate) fn zone_named(
    program: &Program,
    tables: &ProgramIndex,
    board: &Board,
    entity: Word,
    name: Word,
) -> Result {
    let is_it = |zone: &intermezzo_program::Zone| symbol_word(zone.name) == name;
    let family = program.zones.iter().position(is_it).ok_or(FaultCode::OutOfRange)?;
    let family = ZoneId(family as u16);
    match tables.single_zone(family) {
        NULL => board.zone_of(tables, entity, family),
        single => Ok(single),
    }
}

pub(crate) fn is_zone_named(program: &Program, board: &Board, value: Word, name: Word) -> Word {
    let head = u32::try_from(value).ok().and_then(|zone| board.zones.head(zone));
    Word::from(head.is_some_and(|head| symbol_word(program.zones[head.family.index()].name) == name))
}

/// Returns the `number`th instance of a zone family that is shared or belongs to players, the player's own first.
#[inline]
pub(crate) fn instance_of(
    tables: &ProgramIndex,
    (rows, seats): (&[Entity], u8),
    zone: ZoneId,
    player: Word,
    number: usize,
) -> Option<u32> {
    let single = tables.single_zone(zone);
    if single != NULL {
        return (number == 0).then_some(single as u32);
    }
    let slot = tables.slot(KindId::PLAYER, zone)?;
    // The players' rows are in seat order, so the other players are the rows before and after the player's own.
    let own = word::row(player);
    let row = match number as u32 {
        0 => own,
        number if number < own => number,
        number => number + 1,
    };
    (number < usize::from(seats)).then(|| rows[row as usize].zones + slot)
}

/// Collects the player's entities that may have offers, from all instances of a zone that is shared or belongs to
/// players, and the traits attached to them. For [`ON_PLAYER`], collects the traits of the player.
pub(crate) fn collect_hosts(
    tables: &ProgramIndex,
    board: &Board,
    (zone, table): (ZoneId, u16),
    player: Word,
    out: &mut Vec<OfferCandidate>,
) {
    let jumps = &tables.specialized.switches[usize::from(table)][..];
    if zone == ON_PLAYER {
        return collect_traits(board, jumps, player, out);
    }
    let has_traits = tables.offer_sources.has_traits;
    let seat = player.wrapping_sub(1) as u8;
    // Mostly, entities are controlled by their owners.
    let are_owned = !board.sources.has_controllers();
    let mut number = 0;
    let all = &board.rows[..];
    while let Some(instance) = instance_of(tables, (all, board.seats), zone, player, number) {
        for row in board.zones.rows(instance) {
            let Some(entity) = all.get(*row as usize) else { continue };
            let is_own = match are_owned {
                true => entity.owner == seat,
                false => board.controller_of(entity) == seat,
            };
            if !is_own {
                continue;
            }
            let host = word::entity(entity.generation, *row);
            if has_entry(jumps, entity.def) {
                out.push(OfferCandidate { host, via: NULL, def: entity.def });
            }
            if has_traits {
                collect_traits(board, jumps, host, out);
            }
        }
        number += 1;
    }
}

/// Collects the traits attached to a host that may have offers.
fn collect_traits(board: &Board, jumps: &[HostJump], host: Word, out: &mut Vec<OfferCandidate>) {
    for row in board.attached_to(host) {
        let attached = &board.rows[row as usize];
        if has_entry(jumps, attached.def) {
            let via = word::entity(attached.generation, row);
            out.push(OfferCandidate { host, via, def: attached.def });
        }
    }
}

#[inline]
fn has_entry(jumps: &[HostJump], def: u16) -> bool {
    jumps.get(usize::from(def)).is_some_and(|jump| jump.entry != u32::MAX)
}
