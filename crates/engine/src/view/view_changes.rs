//! Changes of a view, part by part. Start with [`Observer::refresh_view`].
//!
//! While it observes events, an observer notes which parts of the views they may have changed ([`ViewDirt`]).
//! Refreshing a view builds only these parts again, in the order of the view, so that new names are the same as if
//! the whole view was built. Builds with debug assertions do that too and compare.

use intermezzo_program::{KindId, NULL, PropId, Seat, Word, ZoneId, word};

use crate::optimize::dependencies::{self, BoardParts};
use crate::storage::undo::UndoNote;
use crate::storage::zones::NOWHERE;
use crate::values::datum::{Datum, ShortText};
use crate::view::observer::{Observer, Viewer};
use crate::view::views::{MAX_DEPTH, PropValue};

/// A part of a view that has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewChange {
    /// The way to the part: in the new view, and in the old one after all changes listed before this one.
    pub path: Vec<ViewStep>,
    pub before: PartBefore,
}

/// A step on the way to a part of a view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ViewStep {
    /// The entry of a map.
    Entry(ShortText),
    /// The item of a list.
    Item(u32),
}

/// A part of a view before a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartBefore {
    /// A value. Everything in it may have changed.
    Value(Datum),
    /// A player or an entity. Its zones are parts of their own: they are null here, and have not changed.
    Owner(Datum),
    /// A zone. Items that are still in it are given by their names, and have not changed; the others are complete.
    Zone(Datum),
}

/// The parts of all views that may have changed since the views were built.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewDirt {
    everything: bool,
    /// Rows of the match, players and entities whose own values may have changed.
    rows: Vec<u32>,
    /// Zone instances whose contents may have changed.
    zones: Vec<u32>,
    has_phases: bool,
    has_ended: bool,
    /// True if viewers may see other entities, or know them by other names.
    has_visibility: bool,
    has_existence: bool,
    /// True while `rows` includes what depends on changes elsewhere.
    pub(crate) is_resolved: bool,
}

/// The state that computed values and computed visibility depend on.
#[derive(Debug, Default)]
pub(crate) struct ViewDependencies {
    /// Per property: the state that its computed value depends on, apart from its own stored value.
    props: Vec<BoardParts>,
    /// All of them.
    any_prop: BoardParts,
    /// The state that rules read to decide who sees zones and properties.
    visibility: BoardParts,
}

impl ViewDependencies {
    pub(crate) fn new(program: &intermezzo_program::Program, owner: &[u16]) -> ViewDependencies {
        let props: Vec<BoardParts> = (0..program.props.len())
            .map(|prop| dependencies::read_by_prop(program, owner, PropId(prop as u16)))
            .collect();
        let zones = program.zones.iter().map(|zone| zone.visible);
        let computed =
            zones.chain(program.props.iter().map(|prop| prop.visible)).filter_map(|visible| match visible {
                intermezzo_program::Visibility::Computed(routine)
                | intermezzo_program::Visibility::ByPosition(routine) => Some(routine),
                _ => None,
            });
        let visibility =
            computed.fold(0, |all, routine| all | dependencies::read_by_routine(program, owner, routine));
        // Where somebody sees some positions only, everything that moves shows or hides others.
        let by_position = (0u16..)
            .zip(&program.zones)
            .filter(|(_, zone)| matches!(zone.visible, intermezzo_program::Visibility::ByPosition(_)));
        let visibility =
            by_position.fold(visibility, |all, (zone, _)| all | dependencies::zone(ZoneId(zone)));
        let any_prop = props.iter().fold(0, |all, reads| all | reads);
        ViewDependencies { props, any_prop, visibility }
    }
}

impl ViewDirt {
    /// Notes that everything may have changed.
    pub(crate) fn everything() -> ViewDirt {
        ViewDirt { everything: true, ..ViewDirt::default() }
    }
}

/// Positions in the order of a view, for the paths of changed parts.
mod order {
    pub(super) const PHASES: u32 = 0;
    pub(super) const MATCH: u32 = 1;
    pub(super) const PLAYERS: u32 = 2;
    pub(super) const ZONES: u32 = 3;
    pub(super) const ENDING: u32 = 4;
    /// Within a player or entity, and within a zone: itself. Its zones or items follow.
    pub(super) const SELF: u32 = 0;
}

/// A pass over the parts of a viewer's view that may have changed.
struct Refresh {
    viewer: Viewer,
    /// The positions of the parts, in the order of the view.
    parts: Vec<Vec<u32>>,
    /// Index of the next part.
    next: usize,
    /// Position of the current node.
    at: Vec<u32>,
    /// Path of the current node.
    path: Vec<ViewStep>,
    changes: Vec<ViewChange>,
}

impl Refresh {
    /// Returns where the next part lies within the current node; `None` if it lies elsewhere.
    fn within(&self) -> Option<u32> {
        let part = self.parts.get(self.next)?;
        if part.starts_with(&self.at) { part.get(self.at.len()).copied() } else { None }
    }

    /// Skips all parts within the current node.
    fn skip_within(&mut self) {
        while self.within().is_some() {
            self.next += 1;
        }
    }

    fn inside<const N: usize>(
        &mut self,
        position: u32,
        steps: [ViewStep; N],
        refresh: impl FnOnce(&mut Refresh),
    ) {
        self.at.push(position);
        self.path.extend(steps);
        refresh(self);
        // What is no longer in the view needs no refreshing.
        self.skip_within();
        self.at.pop();
        self.path.truncate(self.path.len() - N);
    }

    fn push(&mut self, before: PartBefore) {
        self.changes.push(ViewChange { path: self.path.clone(), before });
    }

    /// Replaces an entry of the view.
    fn replace(&mut self, view: &mut Datum, name: &'static str, new: Datum) {
        let Some(entry) = view.get_mut(name).filter(|entry| **entry != new) else { return };
        let before = PartBefore::Value(std::mem::replace(entry, new));
        self.changes.push(ViewChange { path: vec![step(name)], before });
    }
}

fn step(name: &'static str) -> ViewStep {
    ViewStep::Entry(ShortText::new_static(name))
}

impl Observer {
    /// Brings a view up to date that was built or refreshed before the latest events, and returns what has changed, in
    /// the order of the view. Views of all viewers must be refreshed, in order, before
    /// [`finish_refresh`](Observer::finish_refresh).
    pub fn refresh_view(&mut self, viewer: Viewer, view: &mut Datum) -> Vec<ViewChange> {
        #[cfg(debug_assertions)]
        let expected = self.clone().view(viewer);
        let changes = self.refresh_parts_of(viewer, view);
        #[cfg(debug_assertions)]
        if !self.board.read_interrupt.is_some_and(|interrupt| interrupt()) {
            debug_assert_eq!(*view, expected, "a refreshed view differs from a new one");
        }
        changes
    }

    /// Prepares the next refresh of a view that was built by another observer in the same state.
    pub fn prepare_refresh(&mut self, viewer: Viewer) {
        if self.mentioning[self.viewer_index(viewer)].is_none() {
            self.view(viewer);
        }
    }

    /// Forgets what has changed: the views of all viewers are up to date.
    pub fn finish_refresh(&mut self) {
        let ViewDirt { mut rows, mut zones, .. } = std::mem::take(&mut self.dirt);
        rows.clear();
        zones.clear();
        self.dirt = ViewDirt { rows, zones, ..ViewDirt::default() };
        self.board.touched = 0;
    }

    /// Notes what the event that was just folded has changed. `subject` is its first field.
    pub(crate) fn note_dirt(&mut self, subject: Option<Word>) {
        self.dirt.is_resolved = false;
        if self.dirt.everything {
            return;
        }
        let mut removed = 0;
        for at in 0..self.board.undo.notes().len() {
            match self.board.undo.notes()[at] {
                UndoNote::Cell { at, .. } => self.note_cell(at, subject),
                UndoNote::Inserted { zone, .. } | UndoNote::TakenOut { zone, .. } => self.note_zone(zone),
                UndoNote::Reordered { zone, .. } => self.note_zone(zone),
                UndoNote::Created { row, .. } => {
                    (self.dirt.has_existence, self.dirt.has_visibility) = (true, true);
                    let host = self.board.rows[row as usize].host;
                    self.note_host(host);
                }
                UndoNote::EntityRemoved { .. } => {
                    (self.dirt.has_existence, self.dirt.has_visibility) = (true, true);
                    let host = self.board.undo.removed().get(removed).map_or(NULL, |old| old.host);
                    removed += 1;
                    self.note_host(host);
                }
                UndoNote::Renewed { row, .. } => {
                    self.dirt.has_existence = true;
                    self.note_zone(self.board.rows[row as usize].zone);
                }
                UndoNote::PhaseEntered | UndoNote::PhaseLeft => self.dirt.has_phases = true,
                UndoNote::MatchEnded => self.dirt.has_ended = true,
                UndoNote::SeatLeft { .. } | UndoNote::Redefined { .. } | UndoNote::Owned { .. } => {
                    self.dirt.everything = true;
                }
                UndoNote::RowSkipped => {}
            }
        }
    }

    fn note_zone(&mut self, zone: u32) {
        self.dirt.has_visibility = true;
        if !self.dirt.zones.contains(&zone) {
            self.dirt.zones.push(zone);
        }
    }

    fn note_row(&mut self, row: u32) {
        if !self.dirt.rows.contains(&row) {
            self.dirt.rows.push(row);
        }
    }

    fn note_host(&mut self, host: Word) {
        if host != NULL {
            self.note_row(word::row(host));
        }
    }

    fn note_cell(&mut self, cell: u32, subject: Option<Word>) {
        let has_cell = |row: u32| {
            let entity = self.board.rows.get(row as usize);
            entity.is_some_and(|entity| {
                entity.alive && (entity.base..entity.base + u32::from(entity.columns)).contains(&cell)
            })
        };
        let subject = subject.filter(|subject| *subject >= 0).map(word::row).filter(|row| has_cell(*row));
        // Only the code of events changes cells of other entities.
        let row = subject.or_else(|| (0..self.board.rows.len() as u32).find(|row| has_cell(*row)));
        let Some(row) = row else { return };
        let entity = self.board.rows[row as usize];
        if entity.kind.0 > KindId::PLAYER.0 && cell == entity.base {
            // The list of players who know the entity.
            self.note_zone(entity.zone);
        }
        self.note_row(row);
        self.note_host(entity.host);
    }

    /// Adds the parts that depend on what has changed elsewhere.
    pub(crate) fn resolve_dirt(&mut self) {
        if std::mem::replace(&mut self.dirt.is_resolved, true) {
            return;
        }
        let existence = if self.dirt.has_existence { dependencies::EXISTENCE } else { 0 };
        let touched = self.board.touched | existence;
        let tables = std::sync::Arc::clone(&self.folder.tables);
        let depends_on = &tables.view_dependencies;
        // No dependency set says what depends on the end of the match.
        let touched = if self.dirt.has_ended { dependencies::ALL } else { touched };
        self.dirt.everything |= depends_on.visibility & touched != 0;
        if self.dirt.everything || depends_on.any_prop & touched == 0 {
            return;
        }
        let mut shown = std::mem::take(&mut self.shown);
        shown.retain(|(entity, prop), value| {
            if depends_on.props[prop.index()] & touched == 0 {
                return true;
            }
            let now = match self.shown_value(*entity, *prop) {
                None => return false,
                Some(now) => now,
            };
            if now != *value || now.is_modified || now.word.is_none() {
                self.note_row(word::row(*entity));
                self.note_host(self.board.entity(*entity).map_or(NULL, |found| found.host));
            }
            *value = now;
            true
        });
        self.shown = shown;
    }

    /// Returns what a view shows of a computed property; `None` if the entity is gone.
    fn shown_value(&mut self, entity: Word, id: PropId) -> Option<PropValue> {
        self.board.entity(entity)?;
        let program = std::sync::Arc::clone(&self.program);
        let prop = &program.props[id.index()];
        let heap = self.board.heap.len();
        let value = self.computed_value(entity, id, prop);
        self.board.heap.truncate(heap);
        Some(self.prop_value(entity, prop, value))
    }

    fn refresh_parts_of(&mut self, viewer: Viewer, view: &mut Datum) -> Vec<ViewChange> {
        self.resolve_dirt();
        if self.dirt.everything {
            let new = self.view(viewer);
            if new == *view {
                return Vec::new();
            }
            let before = PartBefore::Value(std::mem::replace(view, new));
            return vec![ViewChange { path: Vec::new(), before }];
        }
        let parts = self.dirty_parts(viewer);
        if parts.is_empty() {
            return Vec::new();
        }
        self.collect_attached();
        let mut refresh =
            Refresh { viewer, parts, next: 0, at: Vec::new(), path: Vec::new(), changes: Vec::new() };
        self.refresh_parts(&mut refresh, view);
        refresh.changes
    }

    /// Returns the positions of the parts that may have changed for a viewer, in the order of the view.
    fn dirty_parts(&self, viewer: Viewer) -> Vec<Vec<u32>> {
        let mut parts = Vec::new();
        if self.dirt.has_phases || self.dirt.has_visibility {
            parts.push(vec![order::PHASES]);
        }
        if self.dirt.has_ended {
            parts.push(vec![order::ENDING]);
        }
        let rows = self.dirt.rows.iter().filter_map(|row| self.owner_position(*row));
        parts.extend(rows);
        parts.extend(self.dirt.zones.iter().filter_map(|zone| self.zone_position(*zone)));
        if self.dirt.has_visibility {
            let mentioning = self.mentioning[self.viewer_index(viewer)].iter().flatten();
            parts.extend(mentioning.filter_map(|row| self.owner_position(*row)));
        }
        for part in &mut parts {
            part.push(order::SELF);
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// Returns the position of the match, a player or an entity in views; `None` if it is in no zone.
    fn owner_position(&self, row: u32) -> Option<Vec<u32>> {
        if row == 0 {
            return Some(vec![order::MATCH]);
        }
        if row <= u32::from(self.board.seats) {
            return Some(vec![order::PLAYERS, row - 1]);
        }
        let entity = self.board.rows.get(row as usize).filter(|entity| entity.alive)?;
        let mut position = self.zone_position(entity.zone)?;
        position.push(entity.index + 1);
        Some(position)
    }

    fn zone_position(&self, zone: u32) -> Option<Vec<u32>> {
        let head = self.board.zones.head(zone)?;
        if head.host == NOWHERE {
            return Some(vec![order::ZONES, u32::from(head.family.0)]);
        }
        let mut position = self.owner_position(head.host)?;
        position.push(zone - self.board.rows[head.host as usize].zones + 1);
        Some(position)
    }

    fn refresh_parts(&mut self, refresh: &mut Refresh, view: &mut Datum) {
        let viewer = refresh.viewer;
        while let Some(section) = refresh.within() {
            refresh.inside(section, [], |refresh| match section {
                order::PHASES => {
                    let phases = self.phases(viewer);
                    refresh.replace(view, "phases", phases);
                }
                order::MATCH => {
                    let options = self.options();
                    refresh.replace(view, "options", options);
                    let props = self.match_props(viewer);
                    refresh.replace(view, "match", props);
                }
                order::PLAYERS => self.refresh_players(refresh, view),
                order::ENDING => {
                    let ending = self.ending();
                    refresh.replace(view, "ending", ending);
                }
                _ => self.refresh_shared_zones(refresh, view),
            });
        }
    }

    fn refresh_players(&mut self, refresh: &mut Refresh, view: &mut Datum) {
        while let Some(seat) = refresh.within() {
            let player = match view.get_mut("players") {
                Some(Datum::List(players)) => players.get_mut(seat as usize),
                _ => None,
            };
            refresh.inside(seat, [step("players"), ViewStep::Item(seat)], |refresh| {
                if let Some(player) = player {
                    self.refresh_owner(refresh, player, word::player(Seat(seat as u8)), 0);
                }
            });
        }
    }

    fn refresh_shared_zones(&mut self, refresh: &mut Refresh, view: &mut Datum) {
        while let Some(index) = refresh.within() {
            let name = self.zone_name(ZoneId(index as u16));
            let zone = u32::try_from(self.folder.tables.single_zone(ZoneId(index as u16)));
            let node = view.get_mut("zones").and_then(|zones| zones.get_mut(&name));
            refresh.inside(index, [step("zones"), ViewStep::Entry(name)], |refresh| {
                if let (Some(node), Ok(zone)) = (node, zone) {
                    self.refresh_zone(refresh, node, zone, 0);
                }
            });
        }
    }

    /// Refreshes a player or entity: itself, and its zones.
    fn refresh_owner(&mut self, refresh: &mut Refresh, node: &mut Datum, owner: Word, depth: u32) {
        while let Some(position) = refresh.within() {
            let Some(slot) = position.checked_sub(1) else {
                refresh.next += 1;
                self.refresh_own_values(refresh, node, owner);
                continue;
            };
            let zone = self.board.entity(owner).map_or(NOWHERE, |found| found.zones + slot);
            let Some(family) = self.board.zones.head(zone).map(|head| head.family) else {
                refresh.inside(position, [], |_| ());
                continue;
            };
            let name = self.zone_name(family);
            let node = node.get_mut("zones").and_then(|zones| zones.get_mut(&name));
            refresh.inside(position, [step("zones"), ViewStep::Entry(name)], |refresh| {
                if let Some(node) = node {
                    self.refresh_zone(refresh, node, zone, depth);
                }
            });
        }
    }

    fn refresh_own_values(&mut self, refresh: &mut Refresh, node: &mut Datum, owner: Word) {
        let Some(zones) = node.get_mut("zones").map(|zones| std::mem::replace(zones, Datum::Null)) else {
            return;
        };
        let mut new = match self.board.is_player(owner) {
            true => self.player_with(refresh.viewer, word::seat(owner), |_| Datum::Null),
            false => self.entity_with(refresh.viewer, owner, |_| Datum::Null),
        };
        let has_changed = new != *node;
        let before = has_changed.then(|| std::mem::replace(node, std::mem::replace(&mut new, Datum::Null)));
        if let Some(place) = node.get_mut("zones") {
            *place = zones;
        }
        if let Some(before) = before {
            refresh.push(PartBefore::Owner(before));
        }
    }

    fn refresh_zone(&mut self, refresh: &mut Refresh, node: &mut Datum, zone: u32, depth: u32) {
        while let Some(position) = refresh.within() {
            let Some(index) = position.checked_sub(1) else {
                refresh.next += 1;
                self.refresh_contents(refresh, node, zone, depth);
                continue;
            };
            let row = self.board.zones.rows(zone).get(index as usize).copied();
            let item = match node.get_mut("items") {
                Some(Datum::List(items)) => items.get_mut(index as usize),
                _ => None,
            };
            let item = item.filter(|item| matches!(item, Datum::Map(_))).zip(row);
            refresh.inside(position, [step("items"), ViewStep::Item(index)], |refresh| {
                if let Some((item, row)) = item {
                    self.refresh_owner(refresh, item, self.board.reference(row), depth + 1);
                }
            });
        }
    }

    /// Refreshes the contents of a zone. Entities that stay are kept, and refreshed where necessary.
    fn refresh_contents(&mut self, refresh: &mut Refresh, node: &mut Datum, zone: u32, depth: u32) {
        let viewer = refresh.viewer;
        let Datum::Map(mut old) = std::mem::replace(node, Datum::Null) else { return };
        let mut none = Vec::new();
        let old_items = match old.get_mut(1) {
            Some((_, Datum::List(items))) => items,
            _ => &mut none,
        };
        let mut places: Vec<(u32, usize)> = old_items
            .iter()
            .enumerate()
            .filter_map(|(place, item)| item.get("id").and_then(entity_number).map(|number| (number, place)))
            .collect();
        places.sort_unstable();
        let first_change = refresh.changes.len();
        let count = self.board.zones.rows(zone).len();
        let mut items = Vec::new();
        let mut is_same = true;
        for place in 0..if depth < MAX_DEPTH { count } else { 0 } {
            let row = self.board.zones.rows(zone)[place];
            let entity = self.board.reference(row);
            let is_visible = self.sees(viewer, entity);
            refresh.inside(place as u32 + 1, [step("items"), ViewStep::Item(place as u32)], |refresh| {
                if !is_visible {
                    is_same &= old_items.get(place).is_none_or(|old| *old == Datum::Null);
                    return;
                }
                let index = self.viewer_index(viewer);
                let number = self.viewer_names.viewers[index].names.get(entity);
                let kept = number.and_then(|number| {
                    places.binary_search_by_key(&number, |known| known.0).ok().map(|at| places[at].1)
                });
                is_same &= kept == Some(place);
                let item = match kept {
                    Some(kept) => {
                        let name = old_items[kept].get("id").cloned().unwrap_or(Datum::Null);
                        let mut item = std::mem::replace(&mut old_items[kept], name);
                        self.refresh_owner(refresh, &mut item, entity, depth + 1);
                        item
                    }
                    None => self.entity(viewer, entity, depth + 1),
                };
                items.reserve_exact(count - items.len());
                items.resize(place, Datum::Null);
                items.push(item);
            });
        }
        *node = zone_node(count, items);
        is_same &= old.first().map(|entry| &entry.1) == Some(&Datum::Int(count as i64));
        if !is_same {
            let before = PartBefore::Zone(Datum::Map(old));
            refresh.changes.insert(first_change, ViewChange { path: refresh.path.clone(), before });
        }
    }

    fn zone_name(&self, family: ZoneId) -> ShortText {
        self.program.symbol(self.program.zones[family.index()].name).into()
    }
}

/// Returns a zone of a view: the number of entities, and the visible ones at their indexes.
pub(crate) fn zone_node(count: usize, mut items: Vec<Datum>) -> Datum {
    let mut shown = Vec::with_capacity(2);
    shown.push((ShortText::new_static("count"), Datum::Int(count as i64)));
    if !items.is_empty() {
        items.resize(count, Datum::Null);
        shown.push((ShortText::new_static("items"), Datum::List(items)));
    }
    Datum::Map(shown)
}

/// Returns the number in the name of an entity.
fn entity_number(name: &Datum) -> Option<u32> {
    match name {
        Datum::Text(name) => name.strip_prefix('#')?.parse().ok(),
        _ => None,
    }
}
