//! Lookup tables and flags derived from a program once, before any match, and validation of its code.
//!
//! The validation makes the interpreter safe against untrusted programs: every register, jump and table index
//! in reachable code exists.

use std::sync::Arc;

use intermezzo_program::{
    Action, ActionId, ActionParam, ActionTiming, DefId, EventId, EventType, KindId, NULL, Program, Prop,
    PropBound, PropId, PropReset, ReactionId, ReactionTiming, Reg, RoutineId, RuleHost, Symbol, Type, TypeId,
    Word, ZoneId, native,
};

use crate::ask::offers::OfferSources;
use crate::optimize::code_validation;
use crate::optimize::memo::MemoIndex;
use crate::optimize::specializer::{FastEffects, SpecializedCode};
use crate::optimize::static_analysis::{self, InitialCells};
use crate::react::rule_sources::SourceIndex;
use crate::run::evaluator::constant_bound;
use crate::run::frames::DueReaction;
use crate::run::straight_code::StraightRoutines;
use crate::storage::board::{Board, NO_DEF};
use crate::storage::creation::{self, BlankEntity};
use crate::view::view_changes::ViewDependencies;

/// Index of a program, shared by all its matches.
#[derive(Debug)]
pub(crate) struct ProgramIndex {
    /// (kind × 2³² + name, property), sorted.
    props: Vec<(u64, PropId)>,
    /// Def by symbol.
    defs: Vec<Option<DefId>>,
    /// By symbol: a property with that name is a resource.
    resources: Vec<bool>,
    /// Per event: before- and after-reactions, highest priority first.
    pub(crate) before: Vec<Vec<ReactionId>>,
    pub(crate) after: Vec<Vec<ReactionId>>,
    /// The same with what decides quickly who cannot react, by field and def.
    listeners: [Vec<Vec<Listener>>; 2],
    /// Per event: some reaction to it looks back at the state before.
    looks_back: Vec<bool>,
    /// True if some reaction looks back at all.
    pub(crate) anyone_looks_back: bool,
    /// Per event: its after-reactions, last first, if all of them belong to the game and are unconditional.
    pub(crate) unconditional_after: Vec<Option<Vec<DueReaction>>>,
    /// Per event: it is only applied and logged; nothing reacts to it.
    pub(crate) inline: Vec<bool>,
    windows: Vec<usize>,
    flat: Vec<bool>,
    /// Sources of the actions players can take.
    pub(crate) offer_sources: OfferSources,
    /// The code that runs.
    pub(crate) specialized: SpecializedCode,
    /// Per action: number of parameters that are part of an offer.
    pub(crate) offered: Vec<usize>,
    /// Per def: the action or reaction whose stack items are made from it.
    items: Vec<(Option<ActionId>, Option<ReactionId>)>,
    /// Per instruction: it begins a group that need not be planned.
    plain_groups: Vec<bool>,
    /// Per instruction: it replaces an event, and what follows it can be planned as part of a group.
    planned_replacements: Vec<bool>,
    /// Per action: the action whose gate is tested for it.
    pub(crate) gates: Vec<u16>,
    /// Per def: the cells of a new entity.
    pub(crate) initial_cells: Vec<Option<InitialCells>>,
    /// True if something can be on the stack.
    pub(crate) has_items: bool,
    /// True if something can happen when the match settles.
    pub(crate) settles: bool,
    /// True if rules check the state when the match settles.
    pub(crate) checks_state: bool,
    /// The functions whose results are remembered.
    pub(crate) memo: MemoIndex,
    /// Per property: its changes have no listener and nothing to compute.
    pub(crate) fast_changes: Vec<bool>,
    /// True if moves have no listener.
    pub(crate) fast_moves: bool,
    /// Per event: it consists of its fold only, and its fields are one word each.
    pub(crate) fast_emits: Vec<bool>,
    /// Per native event: it has no listener, and its fields are one word each.
    pub(crate) fast_natives: Vec<bool>,
    /// Per action: the creation of its stack items has no listener, and all begin with the same cells apart
    /// from the parameters.
    pub(crate) fast_items: Vec<bool>,
    /// Per def: a new entity, if all its entities begin with the same cells, without traits, and known to nobody.
    pub(crate) blanks: Vec<Option<BlankEntity>>,
    /// Per event of the ruleset, if only the entities it is about can listen to it: the field that holds
    /// them, and their def.
    own_listeners: Vec<Option<Vec<(u16, DefId)>>>,
    /// Per zone: number of its only instance.
    single_zones: Vec<Option<u32>>,
    /// Per zone: it belongs to players only.
    of_players: Vec<bool>,
    /// Per reset: the value it sets, if constant.
    pub(crate) reset_values: Vec<Option<Word>>,
    /// Per reset: the board can tell whether there is anything to reset. The value is constant, no other reset concerns
    /// the column, and it does not concern stack items.
    pub(crate) tracked_resets: Vec<bool>,
    /// Per reset: the kinds it concerns, by kind number.
    pub(crate) reset_kinds: Vec<Vec<bool>>,
    /// Per kind: index of each zone family among its zones, [`NO_SLOT`] for none.
    slots: Vec<Vec<u16>>,
    /// Per type: its words are heap addresses.
    heaped: Vec<bool>,
    /// Per kind: the type of each column.
    columns: Vec<Vec<Option<TypeId>>>,
    /// Per kind: the columns whose words are heap addresses.
    heaped_columns: Vec<Vec<(u16, TypeId)>>,
    /// Per routine: it is the code of a reaction that an entity has.
    hosted_reactions: Vec<bool>,
    /// The state that values in views depend on.
    pub(crate) view_dependencies: ViewDependencies,
    /// Per instruction: its routine, `u16::MAX` if unreachable.
    pub(crate) owner: Vec<u16>,
    /// The defs that have rules.
    pub(crate) sources: Arc<SourceIndex>,
    /// True if modifiers apply by the age of their sources, or are tried more than once.
    pub(crate) has_layers: bool,
    /// True if some code needs more registers than narrow windows have.
    pub(crate) is_wide: bool,
    /// The routines that are evaluated without a frame.
    pub(crate) straight: StraightRoutines,
    /// Reason why the program cannot run, if any.
    pub(crate) problem: Option<&'static str>,
}

const NO_SLOT: u16 = u16::MAX;

/// A reaction to an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listener {
    pub(crate) reaction: ReactionId,
    /// Def of the entities whose rule it is, [`NO_DEF`] for a rule of the game.
    pub(crate) def: u16,
    /// The payload field that holds the only entity that can react, or [`NO_FIELD`].
    pub(crate) field: u16,
}

/// Stands for "any entity of the def".
pub(crate) const NO_FIELD: u16 = u16::MAX;

impl ProgramIndex {
    pub(crate) fn new(program: &Program) -> ProgramIndex {
        let (owner, problem) = code_validation::check(program);
        let inline: Vec<bool> = program.events.iter().map(is_inline).collect();
        let (offer_sources, gates) =
            (OfferSources::new(program), static_analysis::shared_gates(program, &owner));
        let unconditional_after: Vec<Option<Vec<DueReaction>>> = program
            .events
            .iter()
            .map(|event| static_analysis::unconditional_reactions(program, event))
            .map(|always| always.filter(|_| !program.unoptimized))
            .collect();
        let is_optimized = !program.unoptimized;
        // Coverage builds skip speculative code, whose hits would be counted too.
        let is_specialized = is_optimized && program.coverage.points().is_empty();
        let fast_changes = fast_changes(program);
        let fast_moves = is_optimized && !has_listeners(program, native::MOVED);
        let fast_emits: Vec<bool> = (program.events.iter().enumerate())
            .map(|(at, event)| is_optimized && is_fast_emit(program, at, event))
            .collect();
        let memo = match problem {
            None if is_specialized => MemoIndex::new(program, &owner),
            _ => MemoIndex::default(),
        };
        let fast = FastEffects { changes: &fast_changes, moves: fast_moves, emits: &fast_emits, memo: &memo };
        let specialized = match problem {
            None if is_specialized => SpecializedCode::new(
                program,
                &owner,
                &offer_sources,
                &gates,
                specializable_checks(program, &unconditional_after),
                &fast,
            ),
            _ => SpecializedCode::plain(program),
        };
        let straight = match problem {
            None if is_specialized => StraightRoutines::new(program, &owner),
            _ => StraightRoutines::default(),
        };
        let windows: Vec<usize> = program.events.iter().map(|event| window(program, event)).collect();
        let (initial_cells, fast_natives) = (static_analysis::initial_cells(program), fast_natives(program));
        let is_item_silent = fast_natives.get(native::CREATED.index()) == Some(&true);
        ProgramIndex {
            is_wide: specialized.is_wide(program),
            straight,
            plain_groups: match is_optimized {
                true => static_analysis::plain_groups(program, &owner, &inline),
                false => Vec::new(),
            },
            planned_replacements: static_analysis::planned_replacements(program, &owner),
            gates,
            specialized,
            fast_items: (program.actions.iter())
                .map(|action| is_item_silent && is_fast_item(program, &initial_cells, action))
                .collect(),
            blanks: creation::blank_entities(program, &initial_cells),
            initial_cells,
            props: named_props(program),
            defs: defs_by_symbol(program),
            resources: resources_by_symbol(program),
            before: sorted_reactions(program, |event| &event.before),
            after: sorted_reactions(program, |event| &event.after),
            listeners: [
                listeners(program, &sorted_reactions(program, |event| &event.before)),
                listeners(program, &sorted_reactions(program, |event| &event.after)),
            ],
            looks_back: program.events.iter().map(|event| looks_back(program, event)).collect(),
            anyone_looks_back: program.events.iter().any(|event| looks_back(program, event)),
            inline,
            unconditional_after,
            flat: program.events.iter().map(|event| is_flat(program, event)).collect(),
            windows,
            offer_sources,
            offered: program.actions.iter().map(offered).collect(),
            items: items_by_def(program),
            has_items: program.reactions.iter().any(|reaction| reaction.item.is_some())
                || program.actions.iter().any(|action| action.timing == ActionTiming::Stack),
            settles: has_listeners(program, native::SETTLED)
                || program.reactions.iter().any(|reaction| reaction.item.is_some()),
            checks_state: has_listeners(program, native::SETTLED),
            memo,
            fast_changes,
            fast_moves,
            fast_emits,
            fast_natives,
            own_listeners: own_listeners(program),
            single_zones: single_zones(program),
            of_players: (0..program.zones.len()).map(|zone| is_of_players(program, zone)).collect(),
            reset_values: program
                .resets
                .iter()
                .map(|reset| static_analysis::constant_result(program, reset.to).filter(|_| is_optimized))
                .collect(),
            tracked_resets: (0..program.resets.len()).map(|at| is_tracked_reset(program, at)).collect(),
            reset_kinds: program.resets.iter().map(|reset| kinds_of(program, reset.kind)).collect(),
            slots: zone_slots(program),
            heaped: program.types.iter().map(is_heaped).collect(),
            heaped_columns: heaped_columns(program),
            columns: column_types(program),
            hosted_reactions: hosted_reactions(program),
            view_dependencies: match problem {
                None => ViewDependencies::new(program, &owner),
                Some(_) => ViewDependencies::default(),
            },
            owner,
            sources: Arc::new(SourceIndex::new(program)),
            has_layers: program.has_changing_rules()
                || program.modifiers.iter().any(|modifier| modifier.adds_items),
            problem,
        }
    }

    /// Returns the reactions to an event.
    #[inline]
    pub(crate) fn listeners(&self, event: EventId, when: ReactionTiming) -> &[Listener] {
        let of = match when {
            ReactionTiming::Before => &self.listeners[0],
            ReactionTiming::After => &self.listeners[1],
        };
        &of[event.index()]
    }

    /// Tells whether a routine is the code of a reaction that an entity has.
    pub(crate) fn is_hosted_reaction(&self, routine: RoutineId) -> bool {
        self.hosted_reactions.get(routine.index()) == Some(&true)
    }

    /// Returns the types of a kind's columns; `None` for a column without a stored property.
    pub(crate) fn columns(&self, kind: KindId) -> &[Option<TypeId>] {
        &self.columns[kind.index()]
    }

    /// Returns the columns of a kind whose words are heap addresses, with their types.
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

    /// Returns the action whose stack items are made from the def.
    pub(crate) fn action_of(&self, def: u16) -> Option<ActionId> {
        self.items.get(usize::from(def))?.0
    }

    /// Returns the reaction whose stack items are made from the def.
    pub(crate) fn reaction_of(&self, def: u16) -> Option<ReactionId> {
        self.items.get(usize::from(def))?.1
    }

    pub(crate) fn is_resource(&self, name: Word) -> bool {
        usize::try_from(name).is_ok_and(|name| self.resources.get(name) == Some(&true))
    }

    /// Returns the number of registers an event needs.
    #[inline]
    pub(crate) fn window(&self, event: EventId) -> usize {
        self.windows[event.index()]
    }

    /// Tells whether every field of the event is one word.
    #[inline]
    pub(crate) fn is_flat(&self, event: EventId) -> bool {
        self.flat[event.index()]
    }

    /// Tells whether some reaction to the event looks back.
    #[inline]
    pub(crate) fn looks_back(&self, event: EventId) -> bool {
        self.looks_back[event.index()]
    }

    /// Tells whether nothing listens to an event with that payload, although rules about such events exist.
    #[inline]
    pub(crate) fn has_no_listener(&self, board: &Board, event: EventId, payload: &[Word]) -> bool {
        let is_another = |(field, def): &(u16, DefId)| {
            let about = payload.get(usize::from(*field)).and_then(|about| board.entity(*about));
            about.is_none_or(|about| about.def != def.0)
        };
        self.own_listeners[event.index()].as_ref().is_some_and(|own| own.iter().all(is_another))
    }

    /// Tells whether the event is only applied and logged.
    #[inline]
    pub(crate) fn is_inline(&self, event: EventId) -> bool {
        self.inline[event.index()]
    }

    /// Tells whether the group that begins at this instruction need not be planned.
    pub(crate) fn is_plain_group(&self, at: u32) -> bool {
        self.plain_groups.get(at as usize) == Some(&true)
    }

    /// Tells whether the replacement that begins at this instruction can be planned as part of a group.
    pub(crate) fn is_planned_replacement(&self, at: u32) -> bool {
        self.planned_replacements.get(at as usize) == Some(&true)
    }

    #[inline]
    pub(crate) fn single_zone(&self, zone: ZoneId) -> Word {
        self.single_zones[zone.index()].map_or(NULL, Word::from)
    }

    /// Tells whether the zone belongs to players only.
    #[inline]
    pub(crate) fn is_of_players(&self, zone: ZoneId) -> bool {
        self.of_players[zone.index()]
    }

    /// Returns the index of a zone family among the zones of a kind.
    #[inline]
    pub(crate) fn slot(&self, kind: KindId, zone: ZoneId) -> Option<u32> {
        let slot = self.slots[kind.index()][zone.index()];
        (slot != NO_SLOT).then_some(u32::from(slot))
    }

    /// Tells whether words of the type are heap addresses.
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

fn listeners(program: &Program, sorted: &[Vec<ReactionId>]) -> Vec<Vec<Listener>> {
    let listener = |id: &ReactionId| {
        let reaction = &program.reactions[id.index()];
        let def = match reaction.host {
            RuleHost::Game => NO_DEF,
            RuleHost::Def(def) => def.0,
        };
        let is_trait = program.defs.get(usize::from(def)).is_some_and(|def| def.is_trait);
        let field = reaction.key.filter(|_| def != NO_DEF && !is_trait && !reaction.looks_back);
        Listener { reaction: *id, def, field: field.unwrap_or(NO_FIELD) }
    };
    let of_event = |reactions: &Vec<ReactionId>| {
        let mut listeners: Vec<Listener> = reactions.iter().map(listener).collect();
        // Those without a field come last. Whatever reacts is put in order later.
        listeners.sort_by_key(|listener| (listener.field, listener.def));
        listeners
    };
    sorted.iter().map(of_event).collect()
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

/// Returns the state checks, last first, if nothing else happens when the match settles and none of them uses
/// the stack.
fn specializable_checks<'a>(
    program: &Program,
    always: &'a [Option<Vec<DueReaction>>],
) -> Option<&'a [DueReaction]> {
    let event = program.events.get(native::SETTLED.index())?;
    let is_bare = event.before.is_empty() && event.resets.is_empty() && event.durations.is_empty();
    let checks = always.get(native::SETTLED.index())?.as_deref()?;
    let is_at_once = |due: &DueReaction| program.reactions[due.reaction.index()].item.is_none();
    let is_all = is_bare && event.then.is_none() && event.routine.is_none() && program.ordering.is_none();
    (is_all && checks.iter().all(is_at_once)).then_some(checks)
}

/// Tells whether a native event is more than applied and logged.
fn has_listeners(program: &Program, event: EventId) -> bool {
    program.events.get(event.index()).is_some_and(|event| !is_inline(event) || event.routine.is_some())
}

/// Tells whether an event of the ruleset has no listener and would be logged with its fields unchanged.
fn is_fast_emit(program: &Program, at: usize, event: &EventType) -> bool {
    at >= native::EVENTS.len() && is_inline(event) && event.unless.is_none() && is_flat(program, event)
}

fn fast_natives(program: &Program) -> Vec<bool> {
    let is_quick = |(at, event)| {
        !program.unoptimized && !has_listeners(program, EventId(at as u16)) && is_flat(program, event)
    };
    program.events.iter().enumerate().take(native::EVENTS.len()).map(is_quick).collect()
}

fn is_fast_item(program: &Program, initial_cells: &[Option<InitialCells>], action: &Action) -> bool {
    let Some(def) = program.defs.get(action.def.index()) else { return false };
    let is_plain = |param: &ActionParam| {
        let prop = program.props.get(param.prop.index());
        prop.is_some_and(|prop| {
            let is_word = program.types.get(prop.ty.index()).is_some_and(|ty| !is_heaped(ty));
            let is_free = matches!((prop.min, prop.max), (PropBound::None, PropBound::None));
            is_word && is_free && prop.derived.is_none()
        })
    };
    let initial = initial_cells.get(action.def.index()).and_then(Option::as_ref);
    initial.is_some_and(|initial| initial.computed.is_empty())
        && def.traits.is_empty()
        && action.params.iter().all(is_plain)
}

/// Returns the listeners of each event if each belongs to a def, listens only after it, and is the entity the
/// event is about.
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

fn fast_changes(program: &Program) -> Vec<bool> {
    let is_silent = !program.unoptimized && !has_listeners(program, native::CHANGED);
    let is_quick = |prop: &Prop| {
        let is_fixed = constant_bound(prop.min).is_some() && constant_bound(prop.max).is_some();
        let is_word = program.types.get(prop.ty.index()).is_some_and(|ty| !is_heaped(ty));
        is_silent && is_fixed && is_word && prop.derived.is_none()
    };
    program.props.iter().map(is_quick).collect()
}

/// Returns, by kind number, whether a kind is or extends `kind`.
fn kinds_of(program: &Program, kind: KindId) -> Vec<bool> {
    (0..program.kinds.len()).map(|number| program.is_kind(KindId(number as u16), kind)).collect()
}

fn is_tracked_reset(program: &Program, at: usize) -> bool {
    let column = |reset: &PropReset| program.props.get(reset.prop.index()).map(|prop| prop.column & 63);
    let reset = &program.resets[at];
    let is_only = program.resets.iter().filter(|other| column(other) == column(reset)).count() == 1;
    let is_item = |kind: usize| program.is_kind(KindId(kind as u16), KindId::ITEM);
    let kinds = kinds_of(program, reset.kind);
    let has_items = kinds.iter().enumerate().any(|(kind, concerned)| *concerned && is_item(kind));
    let is_constant = static_analysis::constant_result(program, reset.to).is_some();
    !program.unoptimized && is_only && is_constant && !has_items
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
    let types = |(index, kind): (usize, &intermezzo_program::EntityKind)| {
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

#[inline]
pub(crate) fn symbol_word(symbol: Symbol) -> Word {
    Word::from(symbol.0)
}

fn hosted_reactions(program: &Program) -> Vec<bool> {
    let mut hosted = vec![false; program.routines.len()];
    for reaction in program.reactions.iter().filter(|reaction| reaction.host != RuleHost::Game) {
        for routine in [Some(reaction.effects), reaction.aim].into_iter().flatten() {
            if let Some(routine) = hosted.get_mut(routine.index()) {
                *routine = true;
            }
        }
    }
    hosted
}
