//! The index of entities that have rules or are attached to others, next to the rows, so that nobody has to scan
//! all of them.
//!
//! A property that modifiers may change, and each stage of a chain, is a *target*. A target has a list of the
//! modifiers that may apply, in order. Only entities in a zone where some rule of theirs can be active are listed; which
//! rule is active there is checked on reading. The index follows from the rows and zones alone, so the undo log need not
//! cover it.

use std::sync::Arc;

use intermezzo_program::native::hidden_props;
use intermezzo_program::{KindId, NULL, Program, PropId, RuleHost, Type, TypeId, Word, ZoneId};

use crate::react::copies::CopyColumns;
use crate::storage::board::{Entity, NO_DEF, controller_in};
use crate::storage::copy::{copy_list, copy_lists};

/// A modifier of an entity (row 0 for the game itself). The derived order is the order of application: layer,
/// then source, then declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ModifierEntry {
    pub(crate) layer: i32,
    pub(crate) row: u32,
    pub(crate) modifier: u16,
}

/// The part of the index that follows from the program and is shared by all its matches.
#[derive(Debug)]
pub(crate) struct SourceIndex {
    /// Per def: its position among those with rules, or [`NONE`].
    places: Vec<u16>,
    /// Per def with rules: target, layer and number of each of its modifiers.
    modifies: Vec<Vec<(u16, i32, u16)>>,
    /// Per def with rules and per zone: whether some rule can be active there. Empty for traits, whose rules depend on the
    /// zone of their hosts.
    reaches: Vec<Vec<bool>>,
    /// Per property: its target, or [`NONE`].
    props: Vec<u16>,
    /// Per chain: the targets of its stages.
    chains: Vec<Vec<u16>>,
    /// Per target: the modifiers of the game itself.
    always: Vec<Vec<ModifierEntry>>,
    /// Per kind: the column of the property that says who controls an entity, or [`NONE`].
    controllers: Vec<u16>,
    /// True if some kind has such a property.
    has_controllers: bool,
    /// Per kind: the column of the property that changes the owner of an entity, or [`NONE`].
    owners: Vec<u16>,
    /// Per kind: the columns that grants need; empty without grants.
    grants: Vec<Option<GrantColumns>>,
    /// The traits that make their hosts copies.
    copies: Vec<CopyColumns>,
    /// True if some column decides which rules are in force, or for whom.
    has_deciding_columns: bool,
}

/// The columns that grants need of things and traits. Things have only the first two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GrantColumns {
    pub(crate) since: u16,
    pub(crate) silenced: u16,
    pub(crate) given_by: u16,
    pub(crate) grant: u16,
    pub(crate) traits_of: u16,
    pub(crate) silenced_prop: PropId,
    pub(crate) given_by_prop: PropId,
    pub(crate) grant_prop: PropId,
    pub(crate) traits_of_prop: PropId,
}

impl GrantColumns {
    /// Returns true if the column follows from where an entity is, not from what it is.
    pub(crate) fn belongs_to_place(self, column: u16) -> bool {
        [self.since, self.silenced, self.traits_of].contains(&column)
    }
}

const NONE: u16 = u16::MAX;

/// The entities that have rules.
#[derive(Debug)]
pub(crate) struct RuleSources {
    index: Arc<SourceIndex>,
    /// Per def with rules: the rows of its entities in zones where a rule can be active, ascending.
    rows: Vec<Vec<u32>>,
    /// Per target: the modifiers of these entities, in order of application.
    modifiers: Vec<Vec<ModifierEntry>>,
    /// Rows of the entities attached to a host, ascending.
    attached: Vec<u32>,
    /// Those of them that have a duration.
    timed: Vec<u32>,
}

impl SourceIndex {
    pub(crate) fn new(program: &Program) -> SourceIndex {
        let mut index = SourceIndex {
            places: vec![NONE; program.defs.len()],
            modifies: Vec::new(),
            reaches: Vec::new(),
            props: Vec::new(),
            chains: Vec::new(),
            always: Vec::new(),
            controllers: controller_columns(program),
            has_controllers: false,
            owners: columns_named(program, hidden_props::OWNED_BY),
            grants: grant_columns(program),
            copies: program.copies.iter().map(|form| CopyColumns::new(program, form)).collect(),
            has_deciding_columns: false,
        };
        index.has_controllers = index.controllers.iter().any(|column| *column != NONE);
        index.has_deciding_columns =
            [&index.controllers, &index.owners].iter().any(|of| !of.is_empty()) || !index.grants.is_empty();
        program.reactions.iter().for_each(|rule| index.claim(program, rule.host, &rule.zones));
        program.modifiers.iter().for_each(|rule| index.claim(program, rule.host, &rule.zones));
        program.grants.iter().for_each(|rule| index.claim(program, rule.host, &rule.zones));
        for prop in &program.props {
            let target =
                if prop.modifiers.is_empty() { NONE } else { index.target(program, &prop.modifiers) };
            index.props.push(target);
        }
        for chain in &program.chains {
            let targets = chain.stages.iter().map(|stage| index.target(program, stage)).collect();
            index.chains.push(targets);
        }
        index
    }

    /// Assigns the def a position among those with rules, and notes where a rule of it can be active.
    fn claim(&mut self, program: &Program, host: RuleHost, zones: &[ZoneId]) {
        let RuleHost::Def(def) = host else { return };
        let is_trait = program.defs.get(def.index()).is_some_and(|def| def.is_trait);
        if let Some(place @ &mut NONE) = self.places.get_mut(def.index()) {
            *place = self.modifies.len() as u16;
            self.modifies.push(Vec::new());
            self.reaches.push(if is_trait { Vec::new() } else { vec![false; program.zones.len()] });
        }
        let Some(place) = self.place(def.0) else { return };
        for (at, reaches) in self.reaches[place].iter_mut().enumerate() {
            let is_named = zones.contains(&ZoneId(at as u16));
            *reaches |= if zones.is_empty() { program.zones[at].active } else { is_named };
        }
    }

    /// Tells whether a rule of the def at a position can be active in a zone.
    #[inline]
    fn reaches(&self, place: usize, zone: Option<ZoneId>) -> bool {
        let reaches = &self.reaches[place];
        reaches.is_empty() || zone.is_some_and(|zone| reaches.get(zone.index()) == Some(&true))
    }

    fn target(&mut self, program: &Program, modifiers: &[u16]) -> u16 {
        let target = self.always.len() as u16;
        let mut always = Vec::new();
        for number in modifiers {
            let Some(modifier) = program.modifiers.get(usize::from(*number)) else { continue };
            match modifier.host {
                RuleHost::Game => {
                    always.push(ModifierEntry { layer: modifier.layer, row: 0, modifier: *number });
                }
                RuleHost::Def(def) => {
                    if let Some(place) = self.place(def.0) {
                        self.modifies[place].push((target, modifier.layer, *number));
                    }
                }
            }
        }
        always.sort_unstable();
        self.always.push(always);
        target
    }

    fn place(&self, def: u16) -> Option<usize> {
        self.places.get(usize::from(def)).filter(|place| **place != NONE).map(|place| usize::from(*place))
    }

    /// Returns the column of the property that says who controls entities of a kind.
    #[inline]
    pub(crate) fn controller_column(&self, kind: KindId) -> Option<u16> {
        self.controllers.get(kind.index()).copied().filter(|column| *column != NONE)
    }

    /// Returns the columns of a trait if it makes its host a copy.
    pub(crate) fn copy_columns(&self, def: u16) -> Option<&CopyColumns> {
        self.copies.iter().find(|columns| columns.def == def)
    }

    /// Returns the targets of a chain's stages.
    pub(crate) fn stages(&self, chain: u16) -> Option<&[u16]> {
        self.chains.get(usize::from(chain)).map(Vec::as_slice)
    }
}

impl RuleSources {
    pub(crate) fn new(index: &Arc<SourceIndex>) -> RuleSources {
        RuleSources {
            index: Arc::clone(index),
            rows: vec![Vec::new(); index.modifies.len()],
            modifiers: index.always.clone(),
            attached: Vec::new(),
            timed: Vec::new(),
        }
    }

    /// Makes the index like that of an empty board, with the memory it has.
    pub(crate) fn reset(&mut self, index: &Arc<SourceIndex>) {
        if !Arc::ptr_eq(&self.index, index) {
            *self = RuleSources::new(index);
            return;
        }
        self.rows.iter_mut().for_each(Vec::clear);
        copy_lists(&mut self.modifiers, &index.always);
        self.attached.clear();
        self.timed.clear();
    }

    /// Returns the column of the property that says who controls entities of a kind.
    #[inline]
    pub(crate) fn controller_column(&self, kind: KindId) -> Option<u16> {
        self.index.controller_column(kind)
    }

    /// Returns the seat that controls an entity: the player in its property `controller`, or else its owner.
    #[inline]
    pub(crate) fn controller_of(&self, entity: &Entity, cells: &[Word]) -> u8 {
        let column = self.controller_column(entity.kind);
        let cell = column.and_then(|column| cells.get(entity.base as usize + usize::from(column)));
        controller_in(cell.copied().unwrap_or(NULL), entity.owner)
    }

    /// Returns true if some entity can be controlled by another player than its owner.
    #[inline]
    pub(crate) fn has_controllers(&self) -> bool {
        self.index.has_controllers
    }

    /// Returns true if some kind keeps in this column which rules are in force, or for whom.
    #[inline]
    pub(crate) fn decides_rules(&self, column: u16) -> bool {
        self.index.has_deciding_columns && self.is_deciding(column)
    }

    fn is_deciding(&self, column: u16) -> bool {
        let is_silence = |columns: &Option<GrantColumns>| columns.is_some_and(|at| at.silenced == column);
        self.index.controllers.contains(&column)
            || self.index.owners.contains(&column)
            || self.index.grants.iter().any(is_silence)
    }

    /// Returns what follows from the program.
    pub(crate) fn shared_index(&self) -> Arc<SourceIndex> {
        Arc::clone(&self.index)
    }

    /// Returns true if the column changes the owner of entities of a kind.
    pub(crate) fn is_owner_column(&self, kind: KindId, column: u16) -> bool {
        self.index.owners.get(kind.index()) == Some(&column)
    }

    /// Returns the columns that grants need of a kind's entities.
    #[inline]
    pub(crate) fn grant_columns(&self, kind: KindId) -> Option<GrantColumns> {
        self.index.grants.get(kind.index()).copied().flatten()
    }

    /// Returns the rows of the attached entities, ascending.
    #[inline]
    pub(crate) fn attached(&self) -> &[u32] {
        &self.attached
    }

    /// Returns the rows of the attached entities that have a duration, ascending.
    #[inline]
    pub(crate) fn timed(&self) -> &[u32] {
        &self.timed
    }

    /// Notes that a new entity was attached to a host.
    pub(crate) fn attach(&mut self, row: u32, until: u16) {
        put(&mut self.attached, row);
        if until != NO_DEF {
            put(&mut self.timed, row);
        }
    }

    /// Returns the rows of a def's entities in zones where a rule of theirs can be active, ascending; none if the def has no
    /// rules.
    #[inline]
    pub(crate) fn of(&self, def: u16) -> &[u32] {
        self.index.place(def).map_or(&[], |place| &self.rows[place])
    }

    /// Returns the modifiers that may apply to a target, in order.
    #[inline]
    pub(crate) fn modifiers_of(&self, target: u16) -> &[ModifierEntry] {
        self.modifiers.get(usize::from(target)).map_or(&[], Vec::as_slice)
    }

    /// Returns the target of a property, or [`NONE`], which has no modifiers.
    #[inline]
    pub(crate) fn target(&self, prop: PropId) -> u16 {
        self.index.props.get(prop.index()).copied().unwrap_or(NONE)
    }

    /// Returns true if the property currently has no modifiers.
    #[inline]
    pub(crate) fn is_idle(&self, prop: PropId) -> bool {
        self.modifiers_of(self.target(prop)).is_empty()
    }

    /// Adds an entity, which is in a zone of that family, if in any.
    pub(crate) fn add(&mut self, row: u32, entity: &Entity, zone: Option<ZoneId>) {
        if entity.host != NULL {
            self.attach(row, entity.until);
        }
        let Some(place) = self.index.place(entity.def) else { return };
        if self.index.reaches(place, zone) {
            self.list(row, place);
        }
    }

    /// Removes an entity.
    pub(crate) fn remove(&mut self, row: u32, entity: &Entity) {
        if entity.host != NULL {
            cut(&mut self.attached, &row);
            cut(&mut self.timed, &row);
        }
        if let Some(place) = self.index.place(entity.def) {
            self.unlist(row, place);
        }
    }

    /// Notes that an entity of a def has left a zone of one family for one of another.
    #[inline]
    pub(crate) fn follow(&mut self, row: u32, def: u16, from: Option<ZoneId>, to: Option<ZoneId>) {
        if let Some(place) = self.index.place(def) {
            match (self.index.reaches(place, from), self.index.reaches(place, to)) {
                (false, true) => self.list(row, place),
                (true, false) => self.unlist(row, place),
                _ => {}
            }
        }
    }

    fn list(&mut self, row: u32, place: usize) {
        put(&mut self.rows[place], row);
        for (target, layer, modifier) in &self.index.modifies[place] {
            let applies = ModifierEntry { layer: *layer, row, modifier: *modifier };
            put(&mut self.modifiers[usize::from(*target)], applies);
        }
    }

    fn unlist(&mut self, row: u32, place: usize) {
        cut(&mut self.rows[place], &row);
        for (target, layer, modifier) in &self.index.modifies[place] {
            let applies = ModifierEntry { layer: *layer, row, modifier: *modifier };
            cut(&mut self.modifiers[usize::from(*target)], &applies);
        }
    }

    pub(crate) fn copy_from(&mut self, other: &RuleSources) {
        if !Arc::ptr_eq(&self.index, &other.index) {
            self.index.clone_from(&other.index);
        }
        copy_lists(&mut self.rows, &other.rows);
        copy_lists(&mut self.modifiers, &other.modifiers);
        copy_list(&mut self.attached, &other.attached);
        copy_list(&mut self.timed, &other.timed);
    }
}

impl Clone for RuleSources {
    fn clone(&self) -> RuleSources {
        RuleSources {
            index: Arc::clone(&self.index),
            rows: self.rows.clone(),
            modifiers: self.modifiers.clone(),
            attached: self.attached.clone(),
            timed: self.timed.clone(),
        }
    }
}

/// Returns, per kind, the column of its property `controller`. The compiler gives that property of players and of the
/// match another meaning.
fn controller_columns(program: &Program) -> Vec<u16> {
    let name = program.symbol_named("controller");
    let column = |kind: usize| {
        let is_thing = kind > KindId::PLAYER.index() && !program.is_kind(KindId(kind as u16), KindId::ITEM);
        let prop = name.filter(|_| is_thing).and_then(|name| program.prop_of(KindId(kind as u16), name));
        let is_player = |ty: TypeId| program.types[ty.index()] == Type::Kind(KindId::PLAYER);
        let prop = prop.map(|prop| &program.props[prop.index()]);
        let prop = prop.filter(|prop| prop.derived.is_none() && is_player(prop.ty));
        prop.map_or(NONE, |prop| prop.column)
    };
    let mut columns: Vec<u16> = (0..program.kinds.len()).map(column).collect();
    if columns.iter().all(|column| *column == NONE) {
        columns.clear();
    }
    columns
}

/// Returns, per kind, the column of a property of the engine; nothing if no kind has it.
fn columns_named(program: &Program, name: &str) -> Vec<u16> {
    let Some(name) = program.symbol_named(name) else { return Vec::new() };
    let prop = |kind: usize| program.prop_of(KindId(kind as u16), name);
    let column = |kind: usize| prop(kind).map_or(NONE, |prop| program.props[prop.index()].column);
    (0..program.kinds.len()).map(column).collect()
}

/// Returns, per kind, the columns that grants need.
fn grant_columns(program: &Program) -> Vec<Option<GrantColumns>> {
    if !program.has_changing_rules() {
        return Vec::new();
    }
    let find = |kind: usize, name: &str| {
        let prop = program.symbol_named(name).and_then(|name| program.prop_of(KindId(kind as u16), name));
        prop.map_or((NONE, PropId(NONE)), |prop| (program.props[prop.index()].column, prop))
    };
    let columns = |kind: usize| {
        let (silenced, silenced_prop) = find(kind, hidden_props::SILENCED);
        let (given_by, given_by_prop) = find(kind, hidden_props::GIVEN_BY);
        let (grant, grant_prop) = find(kind, hidden_props::GRANT);
        let (traits_of, traits_of_prop) = find(kind, hidden_props::TRAITS_OF);
        let since = find(kind, hidden_props::SINCE).0;
        GrantColumns {
            since,
            silenced,
            given_by,
            grant,
            traits_of,
            silenced_prop,
            given_by_prop,
            grant_prop,
            traits_of_prop,
        }
    };
    (0..program.kinds.len()).map(|kind| Some(columns(kind)).filter(|columns| columns.since != NONE)).collect()
}

fn put<T: Ord>(sorted: &mut Vec<T>, item: T) {
    // Most entities get a row above all others.
    if sorted.last().is_none_or(|last| *last < item) {
        return sorted.push(item);
    }
    if let Err(at) = sorted.binary_search(&item) {
        sorted.insert(at, item);
    }
}

fn cut<T: Ord>(sorted: &mut Vec<T>, item: &T) {
    if let Ok(at) = sorted.binary_search(item) {
        sorted.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use intermezzo_program::{
        Def, DefId, EntityKind, InitialValue, Modifier, Prop, PropBound, RoutineId, Symbol, TextId,
        Visibility, Word, Zone, word,
    };

    use super::*;
    use crate::optimize::program_index::ProgramIndex;
    use crate::storage::board::{Board, NOBODY};

    const TABLE: ZoneId = ZoneId(1);
    const CHEST: ZoneId = ZoneId(2);

    /// Returns a program with stones, auras that modify a property, a table where rules are active, and a chest.
    fn program() -> Program {
        let kind = |name: &str| EntityKind {
            name: name.to_owned(),
            parent: None,
            props: vec![PropId(0)],
            columns: 1,
            zones: Vec::new(),
        };
        let def = |name| Def {
            name: Symbol(name),
            kind: KindId(2),
            props: Vec::new(),
            traits: Vec::new(),
            is_trait: false,
            text: None,
            title: TextId(0),
        };
        let zone = |active| Zone {
            name: Symbol(0),
            of: None,
            holds: Some(KindId(2)),
            visible: Visibility::All,
            ordered: false,
            active,
            renews: false,
            renews_from_outside: false,
            max: None,
        };
        let aura = RuleHost::Def(DefId(1));
        let modifier = |host, layer| Modifier {
            name: String::new(),
            host,
            layer,
            own: false,
            adds_items: false,
            zones: Vec::new(),
            change: RoutineId(0),
        };
        Program {
            symbols: vec!["stone".to_owned(), "aura".to_owned()],
            kinds: ["match", "player", "token"].map(kind).to_vec(),
            defs: vec![def(0), def(1)],
            zones: [false, true, false].map(zone).to_vec(),
            props: vec![Prop {
                name: Symbol(0),
                ty: TypeId(0),
                column: 0,
                derived: None,
                initial: InitialValue::Word(0),
                min: PropBound::None,
                max: PropBound::None,
                visible: Visibility::All,
                resource: false,
                modifiers: vec![0, 1, 2],
            }],
            modifiers: vec![modifier(aura, 1), modifier(aura, 0), modifier(RuleHost::Game, 0)],
            ..Program::default()
        }
    }

    fn modifiers(board: &Board) -> Vec<(u32, u16)> {
        let target = board.sources.target(PropId(0));
        board.sources.modifiers_of(target).iter().map(|applies| (applies.row, applies.modifier)).collect()
    }

    #[test]
    fn sources_follow_their_entities_through_removal_and_rollback() {
        let program = program();
        let mut board = Board::bare(&program, &ProgramIndex::new(&program), 0);
        let make = |board: &mut Board, def: u16| -> Word {
            let made = board.next_reference(&[]);
            board.make(&program, made, KindId(2), Some(DefId(def)), NOBODY).expect("the reference is free");
            board.append_new(word::row(made), u32::from(TABLE.0));
            made
        };
        make(&mut board, 0);
        let first = make(&mut board, 1);
        make(&mut board, 0);
        assert_eq!((board.sources.of(0), board.sources.of(1)), (&[][..], &[1][..]), "stones have no rules");
        assert_eq!(modifiers(&board), [(0, 2), (1, 1), (1, 0)], "by layer, then source");

        let savepoint = board.mark();
        let second = make(&mut board, 1);
        assert_eq!(modifiers(&board), [(0, 2), (1, 1), (3, 1), (1, 0), (3, 0)]);
        board.remove(first).expect("the entity exists");
        assert_eq!(board.sources.of(1), [3]);
        board.remove(second).expect("the entity exists");
        assert_eq!(modifiers(&board), [(0, 2)]);
        make(&mut board, 1);
        board.rollback(savepoint);
        assert_eq!((board.sources.of(1), modifiers(&board).len()), (&[1][..], 3));
    }

    #[test]
    fn entities_count_where_their_rules_are_active() {
        let program = program();
        let mut board = Board::bare(&program, &ProgramIndex::new(&program), 0);
        let aura = board.next_reference(&[]);
        board.make(&program, aura, KindId(2), Some(DefId(1)), NOBODY).expect("the reference is free");
        assert_eq!(modifiers(&board), [(0, 2)], "it is in no zone");
        let go_to = |board: &mut Board, zone: ZoneId| {
            board.move_to_zone(&program, aura, Word::from(zone.0), 0).expect("the zone holds it");
        };
        go_to(&mut board, CHEST);
        assert_eq!(modifiers(&board), [(0, 2)]);
        let savepoint = board.mark();
        go_to(&mut board, TABLE);
        assert_eq!(modifiers(&board), [(0, 1), (0, 2), (0, 0)]);
        go_to(&mut board, CHEST);
        assert_eq!(modifiers(&board), [(0, 2)]);
        go_to(&mut board, TABLE);
        board.rollback(savepoint);
        assert_eq!(modifiers(&board), [(0, 2)], "undoing takes it back into the chest");
    }
}
