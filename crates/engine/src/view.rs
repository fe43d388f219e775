//! What a viewer may see of a board, built from what is allowed and nothing else.

use intermezzo_ruleset::{KindId, NULL, PropId, RoutineId, Seat, Visibility, Word, word};

use crate::board::{NO_DEF, NOBODY};
use crate::datum::{Datum, describe_with};
use crate::witness::{Viewer, Witness};
use crate::zones::NOWHERE;

/// Zones within zones are shown this deep.
const MAX_DEPTH: u32 = 8;

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
            Viewer::Seat(seat) => Datum::Text(format!("p{}", seat.0)),
            Viewer::Spectator => Datum::Null,
        };
        let seats = self.board.seats;
        let players = (0..seats).map(|seat| self.player(viewer, Seat(seat))).collect();
        let zones = self.open_zones(viewer);
        Datum::Map(vec![
            ("you".to_owned(), you),
            ("phases".to_owned(), self.phases(viewer)),
            ("options".to_owned(), self.options()),
            ("match".to_owned(), self.props(viewer, word::MATCH)),
            ("players".to_owned(), Datum::List(players)),
            ("zones".to_owned(), zones),
            ("ending".to_owned(), self.ending()),
        ])
    }

    fn phases(&mut self, viewer: Viewer) -> Datum {
        let mut shown = Vec::new();
        for entry in self.board.phases.clone() {
            let phase = Datum::text(self.program.symbol(self.program.phases[entry.phase.index()].name));
            let player = self.reference(viewer, entry.player);
            let subject = self.reference(viewer, entry.subject);
            shown.push(Datum::Map(vec![
                ("phase".to_owned(), phase),
                ("player".to_owned(), player),
                ("subject".to_owned(), subject),
            ]));
        }
        Datum::List(shown)
    }

    /// An entity by the viewer's name for it, if it is in sight.
    pub(crate) fn reference(&mut self, viewer: Viewer, entity: Word) -> Datum {
        match entity {
            NULL => Datum::Null,
            word::MATCH => Datum::text("match"),
            _ if self.board.is_player(entity) => Datum::Text(format!("p{}", entity - 1)),
            _ if self.sees(viewer, entity) => {
                let place = self.place(viewer);
                self.memory.eyes[place].name(entity)
            }
            _ => Datum::Null,
        }
    }

    fn options(&self) -> Datum {
        let mut shown = Vec::new();
        for (column, option) in self.program.options.iter().enumerate() {
            let value = self.board.column(word::MATCH, column as u16).unwrap_or(NULL);
            let datum = describe_with(&self.program, &self.board, value, option.ty, &mut |_| Datum::Null);
            shown.push((self.program.symbol(option.name).to_owned(), datum));
        }
        Datum::Map(shown)
    }

    fn player(&mut self, viewer: Viewer, seat: Seat) -> Datum {
        let player = word::player(seat);
        Datum::Map(vec![
            ("id".to_owned(), Datum::Text(format!("p{}", seat.0))),
            ("seat".to_owned(), Datum::Int(i64::from(seat.0))),
            ("gone".to_owned(), Datum::Bool(self.board.gone[usize::from(seat.0)])),
            ("props".to_owned(), self.props(viewer, player)),
            ("zones".to_owned(), self.zones_of(viewer, player, 0)),
        ])
    }

    /// The properties of an entity the viewer sees, derived ones included.
    fn props(&mut self, viewer: Viewer, entity: Word) -> Datum {
        let Some(kind) = self.board.entity(entity).map(|entity| entity.kind) else {
            return Datum::Null;
        };
        let program = std::sync::Arc::clone(&self.program);
        let options = if kind == KindId::MATCH { program.options.len() } else { 0 };
        let mut shown = Vec::new();
        for id in &program.kinds[kind.index()].props {
            let prop = &program.props[id.index()];
            let is_option = prop.derived.is_none() && usize::from(prop.column) < options;
            if is_option
                || prop.name == intermezzo_ruleset::native::KNOWN
                || !self.sees_prop(viewer, entity, *id)
            {
                continue;
            }
            let heap = self.board.heap.len();
            let value = match prop.derived {
                Some(routine) => {
                    let value = self
                        .folder
                        .with_core(&mut self.board, |core| core.evaluate(routine, NULL, &[entity]));
                    value.unwrap_or(NULL)
                }
                None if !prop.modifiers.is_empty() => {
                    let value = self.folder.with_core(&mut self.board, |core| core.modified(entity, *id));
                    value.unwrap_or(NULL)
                }
                None => self.board.column(entity, prop.column).unwrap_or(NULL),
            };
            let datum = self.describe(viewer, value, prop.ty);
            self.board.heap.truncate(heap);
            shown.push((program.symbol(prop.name).to_owned(), datum));
        }
        Datum::Map(shown)
    }

    /// A value with the entities in it by the viewer's names, null where they are out of sight.
    pub(crate) fn describe(&mut self, viewer: Viewer, value: Word, ty: intermezzo_ruleset::TypeId) -> Datum {
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
                let name = self.program.symbol(self.program.zones[index].name).to_owned();
                shown.push((name, self.zone(viewer, zone, 0)));
            }
        }
        Datum::Map(shown)
    }

    fn zones_of(&mut self, viewer: Viewer, host: Word, depth: u32) -> Datum {
        let Some(found) = self.board.entity(host).copied() else {
            return Datum::Null;
        };
        let mut shown = Vec::new();
        for zone in found.zone_block() {
            let Some(family) = self.board.zones.head(zone).map(|head| head.family) else {
                continue;
            };
            let name = self.program.symbol(self.program.zones[family.index()].name).to_owned();
            shown.push((name, self.zone(viewer, Word::from(zone), depth)));
        }
        Datum::Map(shown)
    }

    /// How many are in a zone, and those in sight at their places.
    fn zone(&mut self, viewer: Viewer, zone: Word, depth: u32) -> Datum {
        let inside: Vec<Word> = self.board.zone_contents(zone).collect();
        let count = Datum::Int(inside.len() as i64);
        let in_sight: Vec<bool> = inside.iter().map(|entity| self.sees(viewer, *entity)).collect();
        let mut shown = vec![("count".to_owned(), count)];
        if depth < MAX_DEPTH && in_sight.contains(&true) {
            let mut items = Vec::with_capacity(inside.len());
            for (entity, in_sight) in inside.iter().zip(in_sight) {
                items.push(if in_sight { self.entity(viewer, *entity, depth + 1) } else { Datum::Null });
            }
            shown.push(("items".to_owned(), Datum::List(items)));
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
            seat => Datum::Text(format!("p{seat}")),
        };
        let id = self.reference(viewer, entity);
        Datum::Map(vec![
            ("id".to_owned(), id),
            ("kind".to_owned(), Datum::text(&self.program.kinds[found.kind.index()].name)),
            ("def".to_owned(), def),
            ("title".to_owned(), title),
            ("text".to_owned(), text),
            ("owner".to_owned(), owner),
            ("props".to_owned(), self.props(viewer, entity)),
            ("traits".to_owned(), self.traits(viewer, entity)),
            ("zones".to_owned(), self.zones_of(viewer, entity, depth)),
        ])
    }

    /// What is attached to an entity: seen by everyone who sees the entity.
    fn traits(&mut self, viewer: Viewer, host: Word) -> Datum {
        let mut shown = Vec::new();
        let row_count =
            if self.program.defs.iter().any(|def| def.is_trait) { self.board.rows.len() } else { 0 };
        for row in 0..row_count {
            let found = self.board.rows[row];
            if !found.alive || found.host != host {
                continue;
            }
            let attached = word::entity(found.generation, row as u32);
            let [def, title, text] = self.printed(found.def);
            shown.push(Datum::Map(vec![
                ("def".to_owned(), def),
                ("title".to_owned(), title),
                ("text".to_owned(), text),
                ("props".to_owned(), self.props(viewer, attached)),
            ]));
        }
        Datum::List(shown)
    }

    /// The name of a def, and what people read of it.
    fn printed(&self, def: u16) -> [Datum; 3] {
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
            Datum::List(seats.iter().map(|seat| Datum::Text(format!("p{}", seat.0))).collect())
        };
        Datum::Map(vec![
            ("outcome".to_owned(), symbol(ending.outcome)),
            ("winners".to_owned(), seats(&ending.winners)),
            ("losers".to_owned(), seats(&ending.losers)),
            ("pot".to_owned(), symbol(ending.pot)),
        ])
    }
}
