//! What can be worked out from a program once, before any match: look-up tables and a check of its code.
//!
//! The check makes the interpreter safe against programs nobody vouches for:
//! every register, jump and table index of code that can be reached exists.

use std::sync::Arc;

use intermezzo_ruleset::{
    Action, ActionId, ActionParam, ActionTiming, Bound, DefId, EventId, EventType, KindId, NULL, Program,
    Prop, PropId, ReactionId, Reg, RuleHost, Symbol, Type, TypeId, Word, ZoneId, native,
};

use crate::agenda::Due;
use crate::board::Board;
use crate::core::fixed;
use crate::linking::{Linked, Quick};
use crate::offers::Offering;
use crate::sources::SourcePlan;
use crate::{shortcuts, verify};

/// Tables derived from a program; shared by all its matches.
#[derive(Debug)]
pub(crate) struct Tables {
    /// (kind × 2³² + name, property), sorted.
    props: Vec<(u64, PropId)>,
    /// Def by symbol.
    defs: Vec<Option<DefId>>,
    /// Whether a property of that name is a resource.
    resources: Vec<bool>,
    /// Per event: before and after reactions, highest priority first.
    pub(crate) before: Vec<Vec<ReactionId>>,
    pub(crate) after: Vec<Vec<ReactionId>>,
    /// Per event: some reaction to it looks back on how things were before.
    looks_back: Vec<bool>,
    /// Some reaction does so at all.
    pub(crate) anyone_looks_back: bool,
    /// Per event: its after reactions, last first, if all of them are the game's own and always happen.
    pub(crate) always: Vec<Option<Vec<Due>>>,
    /// Per event: it has no life beyond being applied.
    pub(crate) inline: Vec<bool>,
    windows: Vec<usize>,
    flat: Vec<bool>,
    /// Where players find what they can do.
    pub(crate) offering: Offering,
    /// The code that is run.
    pub(crate) linked: Linked,
    /// Per action: how many of its parameters are part of an offer.
    pub(crate) offered: Vec<usize>,
    /// Per def: the action or reaction its entities are items of.
    items: Vec<(Option<ActionId>, Option<ReactionId>)>,
    /// Per instruction: begins a group that need not be planned.
    plain_groups: Vec<bool>,
    /// Per action: whose gate is tested for it.
    pub(crate) gates: Vec<u16>,
    /// Per def: the cells of a new entity, if they are always the same.
    pub(crate) blanks: Vec<Option<Vec<Word>>>,
    /// Something can lie on the stack.
    pub(crate) has_items: bool,
    /// Something happens when the match comes to rest.
    pub(crate) settles: bool,
    /// State is checked when it does.
    pub(crate) checks_state: bool,
    /// Per property: nobody listens to its changes, and there is nothing to compute about them.
    pub(crate) quick_changes: Vec<bool>,
    /// Nobody listens to moves.
    pub(crate) quick_moves: bool,
    /// Per event: all there is to it is its fold, and its fields are one word each.
    pub(crate) quick_emits: Vec<bool>,
    /// Per native event: nobody listens to it, and its fields are one word each.
    pub(crate) quick_natives: Vec<bool>,
    /// Per action: nobody listens to its items coming, and each begins with the same cells but for its parameters.
    pub(crate) quick_items: Vec<bool>,
    /// Per event of the ruleset's own, if only the things it is about can listen to it: in which field they stand and
    /// of which def they are.
    own_listeners: Vec<Option<Vec<(u16, DefId)>>>,
    /// Per zone: number of its only instance.
    singles: Vec<Option<u32>>,
    /// Per zone: it belongs to players and to nothing else.
    of_players: Vec<bool>,
    /// Per reset: the value it sets, if that is always the same.
    pub(crate) reset_values: Vec<Option<Word>>,
    /// Per reset: whether it concerns a kind, by number of the kind.
    pub(crate) reset_kinds: Vec<Vec<bool>>,
    /// Per kind: place of each zone family among its zones, [`NO_SLOT`] if it has none.
    slots: Vec<Vec<u16>>,
    /// Per type: whether its words are heap addresses.
    heaped: Vec<bool>,
    /// Per kind: the type of each column.
    columns: Vec<Vec<Option<TypeId>>>,
    /// Per kind: those columns whose words are heap addresses.
    heaped_columns: Vec<Vec<(u16, TypeId)>>,
    /// Per instruction: the routine it belongs to, `u16::MAX` if it is never reached.
    pub(crate) owner: Vec<u16>,
    /// Which defs have rules.
    pub(crate) sources: Arc<SourcePlan>,
    /// Some code needs more registers than narrow windows have.
    pub(crate) is_wide: bool,
    /// Why the program cannot be run, if so.
    pub(crate) problem: Option<&'static str>,
}

const NO_SLOT: u16 = u16::MAX;

impl Tables {
    pub(crate) fn new(program: &Program) -> Tables {
        let (owner, problem) = verify::check(program);
        let inline: Vec<bool> = program.events.iter().map(is_inline).collect();
        let (offering, gates) = (Offering::new(program), shortcuts::gates(program, &owner));
        let always: Vec<Option<Vec<Due>>> =
            program.events.iter().map(|event| shortcuts::always(program, event)).collect();
        // Where it is counted what runs, nothing runs that would not have to.
        let is_counted = !program.probes.list().is_empty();
        let quick_changes = quick_changes(program);
        let quick_moves = !is_heard(program, native::MOVED);
        let quick_emits: Vec<bool> =
            (program.events.iter().enumerate()).map(|(at, event)| is_quick(program, at, event)).collect();
        let quick = Quick { changes: &quick_changes, moves: quick_moves, emits: &quick_emits };
        let linked = match problem {
            None if !is_counted => {
                Linked::new(program, &owner, &offering, &gates, rest_checks(program, &always), &quick)
            }
            _ => Linked::plain(program),
        };
        let windows: Vec<usize> = program.events.iter().map(|event| window(program, event)).collect();
        let (blanks, quick_natives) = (shortcuts::blanks(program), quick_natives(program));
        let is_item_silent = quick_natives.get(native::CREATED.index()) == Some(&true);
        Tables {
            is_wide: linked.is_wide(program),
            plain_groups: shortcuts::plain_groups(program, &owner, &inline),
            gates,
            linked,
            quick_items: (program.actions.iter())
                .map(|action| is_item_silent && is_quick_item(program, &blanks, action))
                .collect(),
            blanks,
            props: named_props(program),
            defs: defs_by_symbol(program),
            resources: resources_by_symbol(program),
            before: sorted_reactions(program, |event| &event.before),
            after: sorted_reactions(program, |event| &event.after),
            looks_back: program.events.iter().map(|event| looks_back(program, event)).collect(),
            anyone_looks_back: program.events.iter().any(|event| looks_back(program, event)),
            inline,
            always,
            flat: program.events.iter().map(|event| is_flat(program, event)).collect(),
            windows,
            offering,
            offered: program.actions.iter().map(offered).collect(),
            items: items_by_def(program),
            has_items: program.reactions.iter().any(|reaction| reaction.item.is_some())
                || program.actions.iter().any(|action| action.timing == ActionTiming::Stack),
            settles: is_heard(program, native::SETTLED)
                || program.reactions.iter().any(|reaction| reaction.item.is_some()),
            checks_state: is_heard(program, native::SETTLED),
            quick_changes,
            quick_moves,
            quick_emits,
            quick_natives,
            own_listeners: own_listeners(program),
            singles: single_zones(program),
            of_players: (0..program.zones.len()).map(|zone| is_of_players(program, zone)).collect(),
            reset_values: program.resets.iter().map(|reset| shortcuts::constant(program, reset.to)).collect(),
            reset_kinds: program.resets.iter().map(|reset| kinds_of(program, reset.kind)).collect(),
            slots: zone_slots(program),
            heaped: program.types.iter().map(is_heaped).collect(),
            heaped_columns: heaped_columns(program),
            columns: column_types(program),
            owner,
            sources: Arc::new(SourcePlan::new(program)),
            problem,
        }
    }

    /// Types of a kind's columns; nothing where no property is stored.
    pub(crate) fn columns(&self, kind: KindId) -> &[Option<TypeId>] {
        &self.columns[kind.index()]
    }

    /// Columns of a kind whose words are heap addresses, with their types.
    pub(crate) fn heaped_columns(&self, kind: KindId) -> &[(u16, TypeId)] {
        &self.heaped_columns[kind.index()]
    }

    #[inline]
    pub(crate) fn prop(&self, kind: KindId, name: Word) -> Option<PropId> {
        let key = prop_key(kind, u32::try_from(name).ok()?);
        let at = self.props.binary_search_by_key(&key, |entry| entry.0).ok()?;
        Some(self.props[at].1)
    }

    pub(crate) fn def(&self, symbol: Word) -> Option<DefId> {
        *self.defs.get(usize::try_from(symbol).ok()?)?
    }

    /// The action whose items on the stack are made from the def.
    pub(crate) fn action_of(&self, def: u16) -> Option<ActionId> {
        self.items.get(usize::from(def))?.0
    }

    /// The reaction whose items on the stack are made from the def.
    pub(crate) fn reaction_of(&self, def: u16) -> Option<ReactionId> {
        self.items.get(usize::from(def))?.1
    }

    pub(crate) fn is_resource(&self, name: Word) -> bool {
        usize::try_from(name).is_ok_and(|name| self.resources.get(name) == Some(&true))
    }

    /// How many registers an event needs.
    #[inline]
    pub(crate) fn window(&self, event: EventId) -> usize {
        self.windows[event.index()]
    }

    /// Whether every field of the event is one word.
    #[inline]
    pub(crate) fn is_flat(&self, event: EventId) -> bool {
        self.flat[event.index()]
    }

    /// Whether some reaction to the event looks back.
    #[inline]
    pub(crate) fn looks_back(&self, event: EventId) -> bool {
        self.looks_back[event.index()]
    }

    /// Whether nobody listens to an event with that payload, although there may be rules about such events.
    #[inline]
    pub(crate) fn is_unheard(&self, board: &Board, event: EventId, payload: &[Word]) -> bool {
        let is_another = |(field, def): &(u16, DefId)| {
            let about = payload.get(usize::from(*field)).and_then(|about| board.entity(*about));
            about.is_none_or(|about| about.def != def.0)
        };
        self.own_listeners[event.index()].as_ref().is_some_and(|own| own.iter().all(is_another))
    }

    /// Whether the event is applied and logged without further ado.
    #[inline]
    pub(crate) fn is_inline(&self, event: EventId) -> bool {
        self.inline[event.index()]
    }

    /// Whether the group that begins at this instruction need not be planned.
    pub(crate) fn is_plain_group(&self, at: u32) -> bool {
        self.plain_groups.get(at as usize) == Some(&true)
    }

    #[inline]
    pub(crate) fn single(&self, zone: ZoneId) -> Word {
        self.singles[zone.index()].map_or(NULL, Word::from)
    }

    /// Whether the zone belongs to players and to nothing else.
    #[inline]
    pub(crate) fn is_of_players(&self, zone: ZoneId) -> bool {
        self.of_players[zone.index()]
    }

    /// Which of its kind's zones the family is.
    #[inline]
    pub(crate) fn slot(&self, kind: KindId, zone: ZoneId) -> Option<u32> {
        let slot = self.slots[kind.index()][zone.index()];
        (slot != NO_SLOT).then_some(u32::from(slot))
    }

    /// Whether words of the type are heap addresses.
    #[inline]
    pub(crate) fn is_heaped(&self, ty: TypeId) -> bool {
        self.heaped[ty.index()]
    }
}

fn prop_key(kind: KindId, name: u32) -> u64 {
    (u64::from(kind.0) << 32) | u64::from(name)
}

fn named_props(program: &Program) -> Vec<(u64, PropId)> {
    let mut props = Vec::new();
    for (index, kind) in program.kinds.iter().enumerate() {
        for prop in &kind.props {
            let Some(name) = program.props.get(prop.index()).map(|prop| prop.name.0) else {
                continue;
            };
            props.push((prop_key(KindId(index as u16), name), *prop));
        }
    }
    props.sort_by_key(|entry| entry.0);
    props.dedup_by_key(|entry| entry.0);
    props
}

fn defs_by_symbol(program: &Program) -> Vec<Option<DefId>> {
    let mut defs = vec![None; program.symbols.len()];
    for (index, def) in program.defs.iter().enumerate() {
        if let Some(place) = defs.get_mut(def.name.index()) {
            *place = Some(DefId(index as u16));
        }
    }
    defs
}

fn offered(action: &Action) -> usize {
    action.params.iter().filter(|param| param.offered).count()
}

fn items_by_def(program: &Program) -> Vec<(Option<ActionId>, Option<ReactionId>)> {
    let mut items = vec![(None, None); program.defs.len()];
    for (at, action) in program.actions.iter().enumerate() {
        if let Some(place) = items.get_mut(action.def.index()) {
            place.0 = Some(ActionId(at as u16));
        }
    }
    for (at, reaction) in program.reactions.iter().enumerate() {
        if let Some(place) = reaction.item.and_then(|def| items.get_mut(def.index())) {
            place.1 = Some(ReactionId(at as u16));
        }
    }
    items
}

fn resources_by_symbol(program: &Program) -> Vec<bool> {
    let mut resources = vec![false; program.symbols.len()];
    for prop in program.props.iter().filter(|prop| prop.resource) {
        if let Some(place) = resources.get_mut(prop.name.index()) {
            *place = true;
        }
    }
    resources
}

fn sorted_reactions(
    program: &Program,
    list: impl Fn(&EventType) -> &Vec<ReactionId>,
) -> Vec<Vec<ReactionId>> {
    let priority = |id: &ReactionId| {
        program.reactions.get(id.index()).map_or(0, |reaction| -i64::from(reaction.priority))
    };
    let sorted = |event: &EventType| {
        let mut reactions = list(event).clone();
        reactions.retain(|id| id.index() < program.reactions.len());
        reactions.sort_by_key(priority);
        reactions
    };
    program.events.iter().map(sorted).collect()
}

fn window(program: &Program, event: &EventType) -> usize {
    let code = event.routine.and_then(|routine| program.routines.get(routine.index()));
    code.map_or(0, |code| usize::from(code.registers)).max(usize::from(Reg::CONTEXT) + event.fields.len())
}

fn is_flat(program: &Program, event: &EventType) -> bool {
    event.fields.iter().all(|field| {
        let ty = program.types.get(field.ty.index());
        ty.is_some_and(|ty| !is_heaped(ty) && *ty != Type::Any)
    })
}

fn looks_back(program: &Program, event: &EventType) -> bool {
    let reaction = |id: &ReactionId| program.reactions.get(id.index());
    event.after.iter().filter_map(reaction).any(|reaction| reaction.looks_back)
}

fn is_inline(event: &EventType) -> bool {
    let is_silent = event.before.is_empty() && event.after.is_empty();
    is_silent && event.resets.is_empty() && event.durations.is_empty() && event.then.is_none()
}

/// The state checks, last first, if nothing else comes of coming to rest and all of them happen at once.
fn rest_checks<'a>(program: &Program, always: &'a [Option<Vec<Due>>]) -> Option<&'a [Due]> {
    let event = program.events.get(native::SETTLED.index())?;
    let is_bare = event.before.is_empty() && event.resets.is_empty() && event.durations.is_empty();
    let checks = always.get(native::SETTLED.index())?.as_deref()?;
    let is_at_once = |due: &Due| program.reactions[due.reaction.index()].item.is_none();
    let is_all = is_bare && event.then.is_none() && event.routine.is_none() && program.ordering.is_none();
    (is_all && checks.iter().all(is_at_once)).then_some(checks)
}

/// Whether a native event has a life beyond being applied.
fn is_heard(program: &Program, event: EventId) -> bool {
    program.events.get(event.index()).is_some_and(|event| !is_inline(event) || event.routine.is_some())
}

/// Whether nobody listens to an event of the ruleset's own, and its log would be its fields as they are.
fn is_quick(program: &Program, at: usize, event: &EventType) -> bool {
    at >= native::EVENTS.len() && is_inline(event) && event.unless.is_none() && is_flat(program, event)
}

fn quick_natives(program: &Program) -> Vec<bool> {
    let is_quick = |(at, event)| !is_heard(program, EventId(at as u16)) && is_flat(program, event);
    program.events.iter().enumerate().take(native::EVENTS.len()).map(is_quick).collect()
}

fn is_quick_item(program: &Program, blanks: &[Option<Vec<Word>>], action: &Action) -> bool {
    let Some(def) = program.defs.get(action.def.index()) else { return false };
    let is_plain = |param: &ActionParam| {
        let prop = program.props.get(param.prop.index());
        prop.is_some_and(|prop| {
            let is_word = program.types.get(prop.ty.index()).is_some_and(|ty| !is_heaped(ty));
            let is_free = matches!((prop.min, prop.max), (Bound::None, Bound::None));
            is_word && is_free && prop.derived.is_none()
        })
    };
    let has_blank = blanks.get(action.def.index()).is_some_and(Option::is_some);
    has_blank && def.traits.is_empty() && action.params.iter().all(is_plain)
}

/// The listeners to each event if each is of a def, listens after it alone, and is what the event is about.
fn own_listeners(program: &Program) -> Vec<Option<Vec<(u16, DefId)>>> {
    let listener = |id: &ReactionId| {
        let reaction = program.reactions.get(id.index())?;
        match (reaction.host, reaction.key) {
            (RuleHost::Def(def), Some(field)) if !reaction.looks_back => {
                program.defs.get(def.index()).filter(|def| !def.is_trait).map(|_| (field, def))
            }
            _ => None,
        }
    };
    let listeners = |(at, event): (usize, &EventType)| {
        let is_rest_silent = event.before.is_empty() && event.resets.is_empty() && event.durations.is_empty();
        let is_bare = at >= native::EVENTS.len() && event.then.is_none() && event.unless.is_none();
        let own: Option<Vec<(u16, DefId)>> = event.after.iter().map(listener).collect();
        own.filter(|_| is_rest_silent && is_bare)
    };
    program.events.iter().enumerate().map(listeners).collect()
}

fn quick_changes(program: &Program) -> Vec<bool> {
    let is_silent = !is_heard(program, native::CHANGED);
    let is_quick = |prop: &Prop| {
        let is_fixed = fixed(prop.min).is_some() && fixed(prop.max).is_some();
        let is_word = program.types.get(prop.ty.index()).is_some_and(|ty| !is_heaped(ty));
        is_silent && is_fixed && is_word && prop.derived.is_none()
    };
    program.props.iter().map(is_quick).collect()
}

/// Which kinds are of a kind, by their numbers.
fn kinds_of(program: &Program, kind: KindId) -> Vec<bool> {
    (0..program.kinds.len()).map(|number| program.is_kind(KindId(number as u16), kind)).collect()
}

fn single_zones(program: &Program) -> Vec<Option<u32>> {
    let mut next = 0;
    let mut number = || {
        next += 1;
        next - 1
    };
    program.zones.iter().map(|zone| zone.of.is_none().then(&mut number)).collect()
}

fn is_of_players(program: &Program, zone: usize) -> bool {
    let mut hosts =
        program.kinds.iter().enumerate().filter(|(_, kind)| kind.zones.contains(&ZoneId(zone as u16)));
    hosts.all(|(kind, _)| kind == KindId::PLAYER.index())
}

fn zone_slots(program: &Program) -> Vec<Vec<u16>> {
    let slots = |zones: &Vec<ZoneId>| {
        let mut slots = vec![NO_SLOT; program.zones.len()];
        for (slot, zone) in zones.iter().enumerate() {
            if let Some(place) = slots.get_mut(zone.index()) {
                *place = slot as u16;
            }
        }
        slots
    };
    program.kinds.iter().map(|kind| slots(&kind.zones)).collect()
}

fn heaped_columns(program: &Program) -> Vec<Vec<(u16, TypeId)>> {
    let heaped = |(column, ty): (usize, Option<TypeId>)| {
        ty.filter(|ty| program.types.get(ty.index()).is_some_and(is_heaped)).map(|ty| (column as u16, ty))
    };
    let of_kind = |types: Vec<Option<TypeId>>| types.into_iter().enumerate().filter_map(heaped).collect();
    column_types(program).into_iter().map(of_kind).collect()
}

fn column_types(program: &Program) -> Vec<Vec<Option<TypeId>>> {
    let types = |(index, kind): (usize, &intermezzo_ruleset::Kind)| {
        let mut types = vec![None; usize::from(kind.columns)];
        for prop in kind.props.iter().filter_map(|prop| program.props.get(prop.index())) {
            if let Some(place) = types.get_mut(usize::from(prop.column)).filter(|_| prop.derived.is_none()) {
                *place = Some(prop.ty);
            }
        }
        if index == KindId::MATCH.index() {
            for (place, option) in types.iter_mut().zip(&program.options) {
                *place = Some(option.ty);
            }
        }
        types
    };
    program.kinds.iter().enumerate().map(types).collect()
}

fn is_heaped(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::PlayerMap(_) | Type::EnumMap(..) | Type::Record(_) | Type::Offer)
}

/// The word of a symbol.
#[inline]
pub(crate) fn symbol_word(symbol: Symbol) -> Word {
    Word::from(symbol.0)
}
