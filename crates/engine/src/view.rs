//! What a viewer may see of a board, built from what is allowed and nothing else.

use intermezzo_ruleset::{KindId, NULL, Prop, PropId, RoutineId, Seat, Type, Visibility, Word, word};

use smol_str::format_smolstr;

use crate::board::{NO_DEF, NOBODY};
use crate::datum::{Datum, Text, describe_with};
use crate::witness::{Viewer, Witness};
use crate::zones::NOWHERE;

/// Zones within zones are shown this deep.
pub(crate) const MAX_DEPTH: u32 = 8;

impl Witness {
    /// Whether a pure test holds on the board; leaves no garbage.
    pub(crate) fn test(&mut self, routine: RoutineId, args: &[Word]) -> bool {
        let heap = self.board.heap.len();
        let holds = self.folder.with_core(&mut self.board, |core| core.test(routine, args));
        self.board.heap.truncate(heap);
        holds
    }

    /// Whether a viewer sees an entity: players and the match always, others by their zone or if the viewer knows them.
    /// What is in no zone is seen by its owner.
    pub(crate) fn sees(&mut self, viewer: Viewer, entity: Word) -> bool {
        if entity == word::MATCH || self.board.is_player(entity) {
            return true;
        }
        let Some(found) = self.board.entity(entity).copied() else {
            return false;
        };
        if self.knows_all() {
            return true;
        }
        if found.host != NULL {
            // What is attached is seen with what it is attached to.
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
        found.zone != NOWHERE && self.sees_zone(viewer, found.zone, found.owner)
    }

    /// Whether a viewer sees what is in a zone; `owner` is whose an entity in a zone of nobody is.
    fn sees_zone(&mut self, viewer: Viewer, zone: u32, owner: u8) -> bool {
        let Some(head) = self.board.zones.head(zone).copied() else {
            return false;
        };
        let owner = match head.host {
            NOWHERE => owner,
            host => self.board.rows[host as usize].owner,
        };
        let visible = self.program.zones[head.family.index()].visible;
        self.is_visible(viewer, visible, owner, Word::from(zone))
    }

    fn is_visible(&mut self, viewer: Viewer, visible: Visibility, owner: u8, thing: Word) -> bool {
        match (visible, viewer) {
            _ if self.knows_all() => true,
            (Visibility::All, _) => true,
            (_, Viewer::Spectator) | (Visibility::None | Visibility::ByContents, _) => false,
            (Visibility::Owner, Viewer::Seat(seat)) => owner == seat.0,
            (Visibility::Computed(routine), Viewer::Seat(seat)) => {
                self.test(routine, &[word::player(seat), thing])
            }
        }
    }

    /// Whether a viewer who sees an entity sees that property of it.
    pub(crate) fn sees_prop(&mut self, viewer: Viewer, entity: Word, prop: PropId) -> bool {
        let Some(visible) = self.program.props.get(prop.index()).map(|prop| prop.visible) else {
            return false;
        };
        let owner = self.board.entity(entity).map_or(NOBODY, |entity| entity.owner);
        self.is_visible(viewer, visible, owner, entity)
    }

    /// Whether a viewer sees everything in a zone.
    pub(crate) fn sees_all_in(&mut self, viewer: Viewer, zone: Word) -> bool {
        let inside: Vec<Word> = self.board.zone_contents(zone).collect();
        inside.iter().all(|entity| self.sees(viewer, *entity))
    }

    /// All a viewer may see of the match.
    pub fn view(&mut self, viewer: Viewer) -> Datum {
        let you = match viewer {
            Viewer::Seat(seat) => Datum::Text(format_smolstr!("p{}", seat.0)),
            Viewer::Spectator => Datum::Null,
        };
        self.look_for_attached();
        let seats = self.board.seats;
        let players = (0..seats).map(|seat| self.player(viewer, Seat(seat))).collect();
        let zones = self.open_zones(viewer);
        Datum::Map(vec![
            (Text::new_static("you"), you),
            (Text::new_static("phases"), self.phases(viewer)),
            (Text::new_static("options"), self.options()),
            (Text::new_static("match"), self.props(viewer, word::MATCH).0),
            (Text::new_static("players"), Datum::List(players)),
            (Text::new_static("zones"), zones),
            (Text::new_static("ending"), self.ending()),
        ])
    }

    /// Gives a name to everything a viewer sees, in the order of the view: wherever the viewer looks from then on, the
    /// names are the same.
    pub fn name_all(&mut self, viewer: Viewer) {
        for seat in 0..self.board.seats {
            self.name_inside(viewer, word::player(Seat(seat)), 0);
        }
        for index in 0..self.program.zones.len() {
            let zone = self.folder.tables.single(intermezzo_ruleset::ZoneId(index as u16));
            if let Ok(zone) = u32::try_from(zone) {
                self.name_zone(viewer, zone, 0);
            }
        }
        let nowhere = |entity: &crate::board::Entity| entity.alive && entity.zone == NOWHERE;
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

    /// How many names a viewer has been given so far: `#1` is the first. Those from whom nothing is hidden are given none.
    #[must_use]
    pub fn names_given(&self, viewer: Viewer) -> u32 {
        let eyes = &self.memory.eyes[self.place(viewer)];
        if eyes.sees_all { 0 } else { eyes.named }
    }

    /// What a viewer sees of the entity it knows by that name, as in its view, but not what is inside it.
    pub fn glance_at(&mut self, viewer: Viewer, name: &str) -> Option<Datum> {
        let entity = self.entity_named(viewer, name)?;
        self.sees(viewer, entity).then(|| self.entity(viewer, entity, MAX_DEPTH))
    }

    /// How many items lie on the players' stack.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let zone = self.folder.tables.single(intermezzo_ruleset::ZoneId::STACK);
        u32::try_from(zone).map_or(0, |zone| self.board.zones.rows(zone).len())
    }

    fn phases(&mut self, viewer: Viewer) -> Datum {
        let mut shown = Vec::new();
        for entry in self.board.phases.clone() {
            let phase = Datum::text(self.program.symbol(self.program.phases[entry.phase.index()].name));
            let player = self.reference(viewer, entry.player);
            let subject = self.reference(viewer, entry.subject);
            shown.push(Datum::Map(vec![
                (Text::new_static("phase"), phase),
                (Text::new_static("player"), player),
                (Text::new_static("subject"), subject),
            ]));
        }
        Datum::List(shown)
    }

    /// An entity by the viewer's name for it, if it is in sight.
    pub(crate) fn reference(&mut self, viewer: Viewer, entity: Word) -> Datum {
        match entity {
            NULL => Datum::Null,
            word::MATCH => Datum::text("match"),
            _ if self.board.is_player(entity) => Datum::Text(format_smolstr!("p{}", entity - 1)),
            _ if self.sees(viewer, entity) => {
                let place = self.place(viewer);
                self.memory.eyes[place].name(entity)
            }
            _ => Datum::Null,
        }
    }

    fn options(&self) -> Datum {
        let mut shown = Vec::with_capacity(self.program.options.len());
        for (column, option) in self.program.options.iter().enumerate() {
            let value = self.board.column(word::MATCH, column as u16).unwrap_or(NULL);
            let datum = describe_with(&self.program, &self.board, value, option.ty, &mut |_| Datum::Null);
            shown.push((self.program.symbol(option.name).into(), datum));
        }
        Datum::Map(shown)
    }

    fn player(&mut self, viewer: Viewer, seat: Seat) -> Datum {
        let player = word::player(seat);
        let (props, modified) = self.props(viewer, player);
        let mut shown = vec![
            (Text::new_static("id"), Datum::Text(format_smolstr!("p{}", seat.0))),
            (Text::new_static("seat"), Datum::Int(i64::from(seat.0))),
            (Text::new_static("gone"), Datum::Bool(self.board.gone[usize::from(seat.0)])),
            (Text::new_static("props"), props),
            (Text::new_static("zones"), self.zones_of(viewer, player, 0)),
        ];
        shown.extend(modified);
        Datum::Map(shown)
    }

    /// The properties of an entity the viewer sees, derived ones included; and which of them modifiers have changed, if
    /// any.
    fn props(&mut self, viewer: Viewer, entity: Word) -> (Datum, Option<(Text, Datum)>) {
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
                || prop.name == intermezzo_ruleset::native::KNOWN
                || !self.sees_prop(viewer, entity, *id)
            {
                continue;
            }
            let heap = self.board.heap.len();
            let value = match prop.derived.is_some() || !prop.modifiers.is_empty() {
                true => self.value_by_rules(entity, *id, prop),
                false => self.board.column(entity, prop.column).unwrap_or(NULL),
            };
            let datum = self.describe(viewer, value, prop.ty);
            if prop.derived.is_none() && !prop.modifiers.is_empty() {
                let told = self.modification(viewer, entity, *id, value);
                modified.extend(told.map(|told| (program.symbol(prop.name).into(), told)));
            }
            self.board.heap.truncate(heap);
            shown.push((program.symbol(prop.name).into(), datum));
        }
        let modified = (!modified.is_empty()).then(|| (Text::new_static("modified"), Datum::Map(modified)));
        (Datum::Map(shown), modified)
    }

    /// The value of a property that rules compute. As long as nothing happens, it is the same for everyone.
    pub(crate) fn value_by_rules(&mut self, entity: Word, id: PropId, prop: &Prop) -> Word {
        if let Some(known) = self.computed.get(&(entity, id)) {
            return *known;
        }
        let value = self.folder.with_core(&mut self.board, |core| match prop.derived {
            Some(routine) => core.evaluate(routine, NULL, &[entity]),
            None => core.modified(entity, id),
        });
        let value = value.unwrap_or(NULL);
        if is_without_names(&self.program.types[prop.ty.index()]) {
            self.computed.insert((entity, id), value);
        }
        value
    }

    /// A value with the entities in it by the viewer's names, null where they are out of sight.
    pub(crate) fn describe(&mut self, viewer: Viewer, value: Word, ty: intermezzo_ruleset::TypeId) -> Datum {
        if is_without_names(&self.program.types[ty.index()]) {
            return describe_with(&self.program, &self.board, value, ty, &mut |_| Datum::Null);
        }
        let mut mentioned = Vec::new();
        self.collect(ty, value, &mut mentioned);
        mentioned.retain(|entity| self.sees(viewer, *entity));
        let place = self.place(viewer);
        let eyes = &mut self.memory.eyes[place];
        let mut name = |entity| {
            if mentioned.contains(&entity) { eyes.name(entity) } else { Datum::Null }
        };
        describe_with(&self.program, &self.board, value, ty, &mut name)
    }

    fn open_zones(&mut self, viewer: Viewer) -> Datum {
        let mut shown = Vec::new();
        for index in 0..self.program.zones.len() {
            let zone = self.folder.tables.single(intermezzo_ruleset::ZoneId(index as u16));
            // A stack on which nothing can ever lie need not be shown.
            let is_idle = index == intermezzo_ruleset::ZoneId::STACK.index() && !self.folder.tables.has_items;
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

    /// How many are in a zone, and those in sight at their places.
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
        let mut shown = Vec::with_capacity(2);
        shown.push((Text::new_static("count"), Datum::Int(count as i64)));
        if !items.is_empty() {
            items.resize(count, Datum::Null);
            shown.push((Text::new_static("items"), Datum::List(items)));
        }
        Datum::Map(shown)
    }

    fn entity(&mut self, viewer: Viewer, entity: Word, depth: u32) -> Datum {
        let Some(found) = self.board.entity(entity).copied() else {
            return Datum::Null;
        };
        let [def, title, text] = self.printed(found.def);
        let owner = match found.owner {
            NOBODY => Datum::Null,
            seat => Datum::Text(format_smolstr!("p{seat}")),
        };
        let place = self.place(viewer);
        let id = self.memory.eyes[place].name(entity);
        let (props, modified) = self.props(viewer, entity);
        let mut shown = vec![
            (Text::new_static("id"), id),
            (Text::new_static("kind"), Datum::text(&self.program.kinds[found.kind.index()].name)),
            (Text::new_static("def"), def),
            (Text::new_static("title"), title),
            (Text::new_static("text"), text),
            (Text::new_static("owner"), owner),
            (Text::new_static("props"), props),
            (Text::new_static("traits"), self.traits(viewer, entity)),
            (Text::new_static("zones"), self.zones_of(viewer, entity, depth)),
        ];
        shown.extend(modified);
        Datum::Map(shown)
    }

    /// Notes the rows of all that is attached to something.
    pub(crate) fn look_for_attached(&mut self) {
        self.attached.clear();
        if self.board.attaches {
            let rows = self.board.rows.iter().enumerate();
            let attached = rows.filter(|(_, entity)| entity.alive && entity.host != NULL);
            self.attached.extend(attached.map(|(row, _)| row as u32));
        }
    }

    /// What is attached to an entity: seen by everyone who sees the entity.
    fn traits(&mut self, viewer: Viewer, host: Word) -> Datum {
        let mut shown = Vec::new();
        for at in 0..self.attached.len() {
            let row = self.attached[at];
            let found = self.board.rows[row as usize];
            if found.host != host {
                continue;
            }
            let attached = word::entity(found.generation, row);
            let [def, title, text] = self.printed(found.def);
            shown.push(Datum::Map(vec![
                (Text::new_static("def"), def),
                (Text::new_static("title"), title),
                (Text::new_static("text"), text),
                (Text::new_static("props"), self.props(viewer, attached).0),
            ]));
        }
        Datum::List(shown)
    }

    /// The name of a def, and what people read of it.
    pub(crate) fn printed(&self, def: u16) -> [Datum; 3] {
        let Some(def) = self.program.defs.get(usize::from(def)).filter(|_| def != NO_DEF) else {
            return [Datum::Null, Datum::Null, Datum::Null];
        };
        let text = def.text.map_or(Datum::Null, |text| self.text(text));
        [Datum::text(self.program.symbol(def.name)), self.text(def.title), text]
    }

    fn ending(&self) -> Datum {
        let Some(ending) = self.board.ending() else {
            return Datum::Null;
        };
        let symbol = |symbol: intermezzo_ruleset::Symbol| {
            self.program.symbols.get(symbol.index()).map_or(Datum::Null, Datum::text)
        };
        let seats = |seats: &[Seat]| {
            Datum::List(seats.iter().map(|seat| Datum::Text(format_smolstr!("p{}", seat.0))).collect())
        };
        Datum::Map(vec![
            (Text::new_static("outcome"), symbol(ending.outcome)),
            (Text::new_static("winners"), seats(&ending.winners)),
            (Text::new_static("losers"), seats(&ending.losers)),
            (Text::new_static("pot"), symbol(ending.pot)),
        ])
    }
}

/// Whether values of a type mention no entities.
fn is_without_names(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Bool | Type::Symbol | Type::Enum(_) | Type::Text | Type::Dice)
}
