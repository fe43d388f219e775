//! Views of a board, built only from what the viewer may see.

use intermezzo_program::{KindId, NULL, Prop, PropId, RoutineId, Seat, Type, Visibility, Word, word};

use smol_str::format_smolstr;

use crate::storage::board::{NO_DEF, NOBODY};
use crate::storage::zones::NOWHERE;
use crate::values::datum::{Datum, ShortText, describe_with};
use crate::view::observer::{Observer, Viewer};
use crate::view::view_changes::zone_node;

/// A computed property as views show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PropValue {
    /// The value; `None` if it may mention entities.
    pub(crate) word: Option<Word>,
    /// True if it differs from the stored value, so that views show the modifiers.
    pub(crate) is_modified: bool,
}

/// Depth to which zones within zones are shown.
pub(crate) const MAX_DEPTH: u32 = 8;

impl Observer {
    /// Evaluates a pure test on the board; leaves no garbage.
    pub(crate) fn test(&mut self, routine: RoutineId, args: &[Word]) -> bool {
        let heap = self.board.heap.len();
        let holds = self.folder.with_evaluator(&mut self.board, |core| core.test_condition(routine, args));
        self.board.heap.truncate(heap);
        holds
    }

    /// Tells whether a viewer sees an entity: always for players and the match, others by their zone or if
    /// the viewer knows them. An entity in no zone is visible to its owner.
    pub(crate) fn sees(&mut self, viewer: Viewer, entity: Word) -> bool {
        if entity == word::MATCH || self.board.is_player(entity) {
            return true;
        }
        let Some(found) = self.board.entity(entity).copied() else {
            return false;
        };
        if self.is_omniscient() {
            return true;
        }
        if found.host != NULL {
            // An attached entity is visible with its host.
            return self.sees(viewer, found.host);
        }
        if let Viewer::Seat(seat) = viewer {
            let known = self.board.column(entity, 0).and_then(|known| self.board.list(known));
            if known.is_some_and(|known| known.contains(&word::player(seat))) {
                return true;
            }
            if found.zone == NOWHERE {
                return found.owner == seat.0;
            }
        }
        found.zone != NOWHERE && self.sees_place(viewer, (found.zone, found.index), found.owner, entity)
    }

    /// Tells whether a viewer sees an entity at an index of a zone. `owner` is the entity's owner, used if the zone
    /// has none.
    pub(crate) fn sees_place(
        &mut self,
        viewer: Viewer,
        (zone, index): (u32, u32),
        owner: u8,
        entity: Word,
    ) -> bool {
        let Some(head) = self.board.zones.head(zone).copied() else {
            return false;
        };
        let owner = match head.host {
            NOWHERE => owner,
            host => self.board.rows[host as usize].owner,
        };
        let visible = self.program.zones[head.family.index()].visible;
        if let Visibility::ByPosition(routine) = visible
            && !self.is_omniscient()
        {
            let viewer = match viewer {
                Viewer::Seat(seat) => word::player(seat),
                Viewer::Spectator => NULL,
            };
            let args = [viewer, Word::from(zone), Word::from(index), entity];
            let count = usize::from(self.program.routines[routine.index()].params).min(args.len());
            return self.test(routine, &args[..count]);
        }
        self.is_visible(viewer, visible, owner, Word::from(zone))
    }

    fn is_visible(&mut self, viewer: Viewer, visible: Visibility, owner: u8, thing: Word) -> bool {
        match (visible, viewer) {
            _ if self.is_omniscient() => true,
            (Visibility::All, _) => true,
            (_, Viewer::Spectator)
            | (Visibility::None | Visibility::ByContents | Visibility::ByPosition(_), _) => false,
            (Visibility::Owner, Viewer::Seat(seat)) => owner == seat.0,
            (Visibility::Computed(routine), Viewer::Seat(seat)) => {
                self.test(routine, &[word::player(seat), thing])
            }
        }
    }

    /// Tells whether a viewer who sees an entity sees that property of it.
    pub(crate) fn sees_prop(&mut self, viewer: Viewer, entity: Word, prop: PropId) -> bool {
        let Some(visible) = self.program.props.get(prop.index()).map(|prop| prop.visible) else {
            return false;
        };
        let owner = self.board.entity(entity).map_or(NOBODY, |entity| entity.owner);
        self.is_visible(viewer, visible, owner, entity)
    }

    /// Tells whether a viewer sees everything in a zone.
    pub(crate) fn sees_all_in(&mut self, viewer: Viewer, zone: Word) -> bool {
        let inside: Vec<Word> = self.board.zone_contents(zone).collect();
        inside.iter().all(|entity| self.sees(viewer, *entity))
    }

    /// Describes everything a viewer may see of the match.
    pub fn view(&mut self, viewer: Viewer) -> Datum {
        let you = match viewer {
            Viewer::Seat(seat) => Datum::Text(format_smolstr!("p{}", seat.0)),
            Viewer::Spectator => Datum::Null,
        };
        self.resolve_dirt();
        self.collect_attached();
        let seats = self.board.seats;
        let players = (0..seats).map(|seat| self.player(viewer, Seat(seat))).collect();
        let zones = self.shared_zones(viewer);
        Datum::Map(vec![
            (ShortText::new_static("you"), you),
            (ShortText::new_static("phases"), self.phases(viewer)),
            (ShortText::new_static("options"), self.options()),
            (ShortText::new_static("match"), self.match_props(viewer)),
            (ShortText::new_static("players"), Datum::List(players)),
            (ShortText::new_static("zones"), zones),
            (ShortText::new_static("ending"), self.ending()),
        ])
    }

    /// Names every entity a viewer sees, in the order of the view, so that names no longer depend on the
    /// order of queries.
    pub fn name_all(&mut self, viewer: Viewer) {
        for seat in 0..self.board.seats {
            self.name_inside(viewer, word::player(Seat(seat)), 0);
        }
        for index in 0..self.program.zones.len() {
            let zone = self.folder.tables.single_zone(intermezzo_program::ZoneId(index as u16));
            if let Ok(zone) = u32::try_from(zone) {
                self.name_zone(viewer, zone, 0);
            }
        }
        let nowhere = |entity: &crate::storage::board::Entity| entity.alive && entity.zone == NOWHERE;
        let rows: Vec<usize> =
            (0..self.board.rows.len()).filter(|row| nowhere(&self.board.rows[*row])).collect();
        rows.into_iter().for_each(|row| self.name_one(viewer, row as u32));
    }

    fn name_inside(&mut self, viewer: Viewer, host: Word, depth: u32) {
        let zones = self.board.entity(host).map_or(0..0, |found| found.zone_block());
        zones.for_each(|zone| self.name_zone(viewer, zone, depth));
    }

    fn name_zone(&mut self, viewer: Viewer, zone: u32, depth: u32) {
        for place in 0..if depth < MAX_DEPTH { self.board.zones.rows(zone).len() } else { 0 } {
            let row = self.board.zones.rows(zone)[place];
            self.name_one(viewer, row);
            self.name_inside(viewer, self.board.reference(row), depth + 1);
        }
    }

    fn name_one(&mut self, viewer: Viewer, row: u32) {
        let entity = self.board.reference(row);
        let _ = self.reference(viewer, entity);
    }

    /// Returns how many names a viewer has been given: `#1` is the first. Omniscient viewers are given none.
    #[must_use]
    pub fn name_count(&self, viewer: Viewer) -> u32 {
        let numbering = &self.viewer_names.viewers[self.viewer_index(viewer)];
        if numbering.sees_all { 0 } else { numbering.last_name }
    }

    /// Describes the entity a viewer knows by that name, as in its view but without its contents.
    pub fn view_entity(&mut self, viewer: Viewer, name: &str) -> Option<Datum> {
        let entity = self.entity_by_name(viewer, name)?;
        self.sees(viewer, entity).then(|| self.entity(viewer, entity, MAX_DEPTH))
    }

    /// Returns the number of items on the players' stack.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let zone = self.folder.tables.single_zone(intermezzo_program::ZoneId::STACK);
        u32::try_from(zone).map_or(0, |zone| self.board.zones.rows(zone).len())
    }

    pub(crate) fn phases(&mut self, viewer: Viewer) -> Datum {
        let mut shown = Vec::new();
        for entry in self.board.phases.clone() {
            let phase = Datum::text(self.program.symbol(self.program.phases[entry.phase.index()].name));
            let player = self.reference(viewer, entry.player);
            let subject = self.reference(viewer, entry.subject);
            shown.push(Datum::Map(vec![
                (ShortText::new_static("phase"), phase),
                (ShortText::new_static("player"), player),
                (ShortText::new_static("subject"), subject),
            ]));
        }
        Datum::List(shown)
    }

    /// Returns the viewer's name for an entity; null if it is not visible.
    pub(crate) fn reference(&mut self, viewer: Viewer, entity: Word) -> Datum {
        match entity {
            NULL => Datum::Null,
            word::MATCH => Datum::text("match"),
            _ if self.board.is_player(entity) => Datum::Text(format_smolstr!("p{}", entity - 1)),
            _ if self.sees(viewer, entity) => {
                let place = self.viewer_index(viewer);
                self.viewer_names.viewers[place].name(entity)
            }
            _ => Datum::Null,
        }
    }

    pub(crate) fn options(&self) -> Datum {
        let mut shown = Vec::with_capacity(self.program.options.len());
        for (column, option) in self.program.options.iter().enumerate() {
            let value = self.board.column(word::MATCH, column as u16).unwrap_or(NULL);
            let datum = describe_with(&self.program, &self.board, value, option.ty, &mut |_| Datum::Null);
            shown.push((self.program.symbol(option.name).into(), datum));
        }
        Datum::Map(shown)
    }

    fn player(&mut self, viewer: Viewer, seat: Seat) -> Datum {
        self.player_with(viewer, seat, |observer| observer.zones_of(viewer, word::player(seat), 0))
    }

    pub(crate) fn match_props(&mut self, viewer: Viewer) -> Datum {
        self.with_mentions(viewer, word::MATCH, |observer| observer.props(viewer, word::MATCH).0)
    }

    /// Notes whether the values of an entity that `describe` builds mention other entities.
    fn with_mentions<T>(
        &mut self,
        viewer: Viewer,
        entity: Word,
        describe: impl FnOnce(&mut Observer) -> T,
    ) -> T {
        self.has_mentioned = false;
        let described = describe(self);
        let (row, index) = (word::row(entity), self.viewer_index(viewer));
        match self.has_mentioned {
            true => drop(self.mentioning[index].get_or_insert_default().insert(row)),
            false => drop(self.mentioning[index].get_or_insert_default().remove(&row)),
        }
        described
    }

    /// Describes a player with these zones.
    pub(crate) fn player_with(
        &mut self,
        viewer: Viewer,
        seat: Seat,
        zones: impl FnOnce(&mut Observer) -> Datum,
    ) -> Datum {
        let player = word::player(seat);
        let (props, modified) = self.with_mentions(viewer, player, |observer| observer.props(viewer, player));
        let mut shown = vec![
            (ShortText::new_static("id"), Datum::Text(format_smolstr!("p{}", seat.0))),
            (ShortText::new_static("seat"), Datum::Int(i64::from(seat.0))),
            (ShortText::new_static("gone"), Datum::Bool(self.board.left_seats[usize::from(seat.0)])),
            (ShortText::new_static("props"), props),
            (ShortText::new_static("zones"), zones(self)),
        ];
        shown.extend(modified);
        Datum::Map(shown)
    }

    /// Describes the visible properties of an entity, derived ones included, and which of them modifiers have
    /// changed, if any.
    fn props(&mut self, viewer: Viewer, entity: Word) -> (Datum, Option<(ShortText, Datum)>) {
        let Some(kind) = self.board.entity(entity).map(|entity| entity.kind) else {
            return (Datum::Null, None);
        };
        let program = std::sync::Arc::clone(&self.program);
        let options = if kind == KindId::MATCH { program.options.len() } else { 0 };
        let props = &program.kinds[kind.index()].props;
        let mut shown = Vec::with_capacity(props.len());
        let mut modified = Vec::new();
        for id in props {
            let prop = &program.props[id.index()];
            let is_option = prop.derived.is_none() && usize::from(prop.column) < options;
            if is_option
                || prop.name == intermezzo_program::native::KNOWN
                || !self.sees_prop(viewer, entity, *id)
            {
                continue;
            }
            let heap = self.board.heap.len();
            let value = match prop.derived.is_some() || !prop.modifiers.is_empty() {
                true => self.computed_value(entity, *id, prop),
                false => self.board.column(entity, prop.column).unwrap_or(NULL),
            };
            let is_computed = prop.derived.is_some() || !prop.modifiers.is_empty();
            if is_computed && self.dirt.is_resolved {
                let shown_value = self.prop_value(entity, prop, value);
                self.shown.insert((entity, *id), shown_value);
            }
            let datum = self.describe(viewer, value, prop.ty);
            if prop.derived.is_none() && !prop.modifiers.is_empty() {
                let change = self.modification(viewer, entity, *id, value);
                modified.extend(change.map(|change| (program.symbol(prop.name).into(), change)));
            }
            self.board.heap.truncate(heap);
            shown.push((program.symbol(prop.name).into(), datum));
        }
        let modified =
            (!modified.is_empty()).then(|| (ShortText::new_static("modified"), Datum::Map(modified)));
        (Datum::Map(shown), modified)
    }

    /// Returns what views show of a computed property.
    pub(crate) fn prop_value(&self, entity: Word, prop: &Prop, value: Word) -> PropValue {
        let is_modified = !prop.modifiers.is_empty() && self.board.column(entity, prop.column) != Some(value);
        let is_plain = mentions_no_entities(&self.program.types[prop.ty.index()]);
        PropValue { word: is_plain.then_some(value), is_modified }
    }

    /// Returns the value of a property that rules compute. It is the same for all viewers until the next
    /// event, so it is cached.
    pub(crate) fn computed_value(&mut self, entity: Word, id: PropId, prop: &Prop) -> Word {
        if let Some(known) = self.computed.get(&(entity, id)) {
            return *known;
        }
        let value = self.folder.with_evaluator(&mut self.board, |core| match prop.derived {
            Some(routine) => core.evaluate(routine, NULL, &[entity]),
            None => core.modified_value(entity, id),
        });
        let value = value.unwrap_or(NULL);
        if mentions_no_entities(&self.program.types[prop.ty.index()]) {
            self.computed.insert((entity, id), value);
        }
        value
    }

    /// Describes a value with the viewer's names for entities; null for entities that are not visible.
    pub(crate) fn describe(&mut self, viewer: Viewer, value: Word, ty: intermezzo_program::TypeId) -> Datum {
        if mentions_no_entities(&self.program.types[ty.index()]) {
            return describe_with(&self.program, &self.board, value, ty, &mut |_| Datum::Null);
        }
        let mut mentioned = Vec::new();
        self.collect_entities(ty, value, &mut mentioned);
        self.has_mentioned |=
            mentioned.iter().any(|entity| *entity != word::MATCH && !self.board.is_player(*entity));
        mentioned.retain(|entity| self.sees(viewer, *entity));
        let place = self.viewer_index(viewer);
        let numbering = &mut self.viewer_names.viewers[place];
        let mut name = |entity| {
            if mentioned.contains(&entity) { numbering.name(entity) } else { Datum::Null }
        };
        describe_with(&self.program, &self.board, value, ty, &mut name)
    }

    fn shared_zones(&mut self, viewer: Viewer) -> Datum {
        let mut shown = Vec::new();
        for index in 0..self.program.zones.len() {
            let zone = self.folder.tables.single_zone(intermezzo_program::ZoneId(index as u16));
            // The stack is not shown if no item can ever be on it.
            let is_idle = index == intermezzo_program::ZoneId::STACK.index() && !self.folder.tables.has_items;
            if zone != NULL && !is_idle {
                let name = self.program.symbol(self.program.zones[index].name).into();
                shown.push((name, self.zone(viewer, zone, 0)));
            }
        }
        Datum::Map(shown)
    }

    fn zones_of(&mut self, viewer: Viewer, host: Word, depth: u32) -> Datum {
        let Some(found) = self.board.entity(host).copied() else {
            return Datum::Null;
        };
        let mut shown = Vec::with_capacity(usize::from(found.zone_count));
        for zone in found.zone_block() {
            let Some(family) = self.board.zones.head(zone).map(|head| head.family) else {
                continue;
            };
            let name = self.program.symbol(self.program.zones[family.index()].name).into();
            shown.push((name, self.zone(viewer, Word::from(zone), depth)));
        }
        Datum::Map(shown)
    }

    /// Describes a zone: the number of entities, and the visible ones at their indexes.
    fn zone(&mut self, viewer: Viewer, zone: Word, depth: u32) -> Datum {
        let instance = u32::try_from(zone).unwrap_or(NOWHERE);
        let count = self.board.zones.rows(instance).len();
        let mut items = Vec::new();
        for place in 0..if depth < MAX_DEPTH { count } else { 0 } {
            let entity = self.board.reference(self.board.zones.rows(instance)[place]);
            if self.sees(viewer, entity) {
                items.reserve_exact(count - items.len());
                items.resize(place, Datum::Null);
                items.push(self.entity(viewer, entity, depth + 1));
            }
        }
        zone_node(count, items)
    }

    pub(crate) fn entity(&mut self, viewer: Viewer, entity: Word, depth: u32) -> Datum {
        self.entity_with(viewer, entity, |observer| observer.zones_of(viewer, entity, depth))
    }

    /// Describes an entity with these zones.
    pub(crate) fn entity_with(
        &mut self,
        viewer: Viewer,
        entity: Word,
        zones: impl FnOnce(&mut Observer) -> Datum,
    ) -> Datum {
        let Some(found) = self.board.entity(entity).copied() else {
            return Datum::Null;
        };
        let [def, title, text] = self.def_texts(found.def);
        let owner = match found.owner {
            NOBODY => Datum::Null,
            seat => Datum::Text(format_smolstr!("p{seat}")),
        };
        let place = self.viewer_index(viewer);
        let id = self.viewer_names.viewers[place].name(entity);
        let ((props, modified), traits) = self.with_mentions(viewer, entity, |observer| {
            (observer.props(viewer, entity), observer.traits(viewer, entity))
        });
        let mut shown = vec![
            (ShortText::new_static("id"), id),
            (ShortText::new_static("kind"), Datum::text(&self.program.kinds[found.kind.index()].name)),
            (ShortText::new_static("def"), def),
            (ShortText::new_static("title"), title),
            (ShortText::new_static("text"), text),
            (ShortText::new_static("owner"), owner),
            (ShortText::new_static("props"), props),
            (ShortText::new_static("traits"), traits),
            (ShortText::new_static("zones"), zones(self)),
        ];
        shown.extend(modified);
        Datum::Map(shown)
    }

    /// Collects the rows of all attached entities.
    pub(crate) fn collect_attached(&mut self) {
        self.attached.clear();
        self.attached.extend_from_slice(self.board.sources.attached());
    }

    /// Describes the entities attached to a host, which are visible with it.
    fn traits(&mut self, viewer: Viewer, host: Word) -> Datum {
        let mut shown = Vec::new();
        for at in 0..self.attached.len() {
            let row = self.attached[at];
            let found = self.board.rows[row as usize];
            if found.host != host {
                continue;
            }
            let attached = word::entity(found.generation, row);
            let [def, title, text] = self.def_texts(found.def);
            shown.push(Datum::Map(vec![
                (ShortText::new_static("def"), def),
                (ShortText::new_static("title"), title),
                (ShortText::new_static("text"), text),
                (ShortText::new_static("props"), self.props(viewer, attached).0),
            ]));
        }
        Datum::List(shown)
    }

    /// Returns name, title and text of a def.
    pub(crate) fn def_texts(&self, def: u16) -> [Datum; 3] {
        let Some(def) = self.program.defs.get(usize::from(def)).filter(|_| def != NO_DEF) else {
            return [Datum::Null, Datum::Null, Datum::Null];
        };
        let text = def.text.map_or(Datum::Null, |text| self.text(text));
        [Datum::text(self.program.symbol(def.name)), self.text(def.title), text]
    }

    pub(crate) fn ending(&self) -> Datum {
        let Some(ending) = self.board.ending() else {
            return Datum::Null;
        };
        let symbol = |symbol: intermezzo_program::Symbol| {
            self.program.symbols.get(symbol.index()).map_or(Datum::Null, Datum::text)
        };
        let seats = |seats: &[Seat]| {
            Datum::List(seats.iter().map(|seat| Datum::Text(format_smolstr!("p{}", seat.0))).collect())
        };
        let mut entries = vec![
            (ShortText::new_static("outcome"), symbol(ending.outcome)),
            (ShortText::new_static("winners"), seats(&ending.winners)),
            (ShortText::new_static("losers"), seats(&ending.losers)),
            (ShortText::new_static("pot"), symbol(ending.pot)),
        ];
        if let Some(score) = ending.score {
            let of_seat = |(seat, score)| (format_smolstr!("p{seat}"), Datum::Int(score));
            let scores = (0..).zip(score).map(|(seat, score): (usize, i64)| of_seat((seat, score)));
            entries.push((ShortText::new_static("score"), Datum::Map(scores.collect())));
        }
        Datum::Map(entries)
    }
}

/// Tells whether values of a type contain no entities.
fn mentions_no_entities(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Bool | Type::Symbol | Type::Enum(_) | Type::Text | Type::Dice)
}
