//! Visible entities as plain values, for callers that turn a view into numbers instead of reading it.
//!
//! This discloses exactly what [`Observer::view`] discloses; a law compares the two.

use intermezzo_program::{DefId, KindId, NULL, PhaseId, PropId, Seat, Word, ZoneId, native, word};

use crate::run::match_instance::Match;
use crate::storage::board::{Board, NO_DEF, NOBODY};
use crate::storage::zones::NOWHERE;
use crate::view::observer::{Observer, Viewer};
use crate::view::viewer_names::ViewerNames;
use crate::view::views::MAX_DEPTH;

/// An entity a viewer sees, other than players and the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VisibleEntity {
    pub entity: Word,
    pub kind: KindId,
    pub def: Option<DefId>,
    pub owner: Option<Seat>,
    /// Its zone; `None` if it is attached to its host.
    pub zone: Option<ZoneId>,
    /// Owner of that zone, or the entity it is attached to.
    pub host: Option<Word>,
    /// Its index in the zone, from 0.
    pub index: u32,
}

/// An active phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActivePhase {
    pub phase: PhaseId,
    /// Its player, or null.
    pub player: Word,
    /// Its subject, or null.
    pub subject: Word,
}

impl Observer {
    /// Creates an observer of a match in progress: its viewers see the current state and have no names yet.
    #[must_use]
    pub fn from_match(game: &Match) -> Observer {
        ViewerNames::new(game.board.seats).resume(game)
    }

    /// Loads the current state of a match without observing the events before it. Only for observers made by
    /// [`Observer::from_match`], and matches of the same ruleset with the same number of seats.
    pub fn refresh(&mut self, game: &Match) {
        self.board.copy_from(&game.board);
        self.computed.clear();
    }

    /// Writes every visible entity to `out`: those in players' zones, starting with the viewer's seat, then
    /// those in other zones, in the order of the view; attached entities come last.
    pub fn visible_entities(&mut self, viewer: Viewer, out: &mut Vec<VisibleEntity>) {
        out.clear();
        let (seats, first) = (self.board.seats, viewer.first_seat());
        for seat in (0..seats).map(|seat| Seat((seat + first) % seats)) {
            self.collect_inside(viewer, word::player(seat), 0, out);
        }
        for index in 0..self.program.zones.len() {
            let zone = self.folder.tables.single_zone(ZoneId(index as u16));
            if let Ok(zone) = u32::try_from(zone) {
                self.collect_in_zone(viewer, zone, 0, out);
            }
        }
        self.collect_attached();
        for at in 0..self.attached.len() {
            let attached = self.board.reference(self.attached[at]);
            if self.sees(viewer, attached) {
                out.extend(self.visible_entity(attached));
            }
        }
    }

    fn collect_inside(&mut self, viewer: Viewer, host: Word, depth: u32, out: &mut Vec<VisibleEntity>) {
        let zones = self.board.entity(host).map_or(0..0, |found| found.zone_block());
        zones.for_each(|zone| self.collect_in_zone(viewer, zone, depth, out));
    }

    fn collect_in_zone(&mut self, viewer: Viewer, zone: u32, depth: u32, out: &mut Vec<VisibleEntity>) {
        for place in 0..if depth < MAX_DEPTH { self.board.zones.rows(zone).len() } else { 0 } {
            let entity = self.board.reference(self.board.zones.rows(zone)[place]);
            if self.sees(viewer, entity) {
                out.extend(self.visible_entity(entity));
                self.collect_inside(viewer, entity, depth + 1, out);
            }
        }
    }

    fn visible_entity(&self, entity: Word) -> Option<VisibleEntity> {
        let found = self.board.entity(entity)?;
        let zone = self.board.zones.head(found.zone);
        let host = match zone {
            Some(head) if head.host == NOWHERE => None,
            Some(head) => Some(self.board.reference(head.host)),
            None => Some(found.host).filter(|host| *host != NULL),
        };
        Some(VisibleEntity {
            entity,
            kind: found.kind,
            def: (found.def != NO_DEF).then_some(DefId(found.def)),
            owner: (found.owner != NOBODY).then_some(Seat(found.owner)),
            zone: zone.map(|head| head.family),
            host,
            index: found.index,
        })
    }

    /// Returns the value of a property of a visible entity; `None` if the viewer does not see the property.
    /// The value is on [`Observer::board`] and valid until the next refresh.
    pub fn visible_value(&mut self, viewer: Viewer, entity: Word, id: PropId) -> Option<Word> {
        let program = std::sync::Arc::clone(&self.program);
        let prop = program.props.get(id.index()).filter(|prop| prop.name != native::KNOWN)?;
        if !self.sees_prop(viewer, entity, id) {
            return None;
        }
        match prop.derived.is_some() || !prop.modifiers.is_empty() {
            true => Some(self.computed_value(entity, id, prop)),
            false => self.board.column(entity, prop.column),
        }
    }

    /// Returns the number of entities in a zone of an entity, or in one without owner. Zone sizes are always
    /// visible.
    #[must_use]
    pub fn zone_size(&self, host: Option<Word>, zone: ZoneId) -> usize {
        let instance = match host {
            None => u32::try_from(self.folder.tables.single_zone(zone)).ok(),
            Some(host) => self.board.entity(host).and_then(|found| {
                let slot = self.folder.tables.slot(found.kind, zone)?;
                Some(found.zones + slot)
            }),
        };
        instance.map_or(0, |instance| self.board.zones.rows(instance).len())
    }
}

impl Viewer {
    /// Returns the seat that comes first in the viewer's order.
    fn first_seat(self) -> u8 {
        match self {
            Viewer::Seat(seat) => seat.0,
            Viewer::Spectator => 0,
        }
    }
}

impl Board {
    /// Tells whether an entity still exists.
    #[must_use]
    pub fn exists(&self, entity: Word) -> bool {
        self.entity(entity).is_some()
    }

    /// Lists the active phases, outermost first.
    pub fn phases(&self) -> impl Iterator<Item = ActivePhase> + '_ {
        let shown = self.phases.iter();
        shown.map(|entry| ActivePhase { phase: entry.phase, player: entry.player, subject: entry.subject })
    }

    /// Returns the values of a record or map with `count` values.
    #[must_use]
    pub fn fields(&self, value: Word, count: usize) -> Option<&[Word]> {
        self.heap.fields(value, count)
    }

    /// Returns the family of a zone instance and the entity it belongs to.
    #[must_use]
    pub fn zone_family(&self, zone: Word) -> Option<(ZoneId, Option<Word>)> {
        let head = u32::try_from(zone).ok().and_then(|zone| self.zones.head(zone))?;
        Some((head.family, (head.host != NOWHERE).then(|| self.reference(head.host))))
    }

    /// Returns the def an entity was made from; `None` for players, the match and removed entities.
    #[must_use]
    pub fn def(&self, entity: Word) -> Option<DefId> {
        self.entity(entity).map(|entity| entity.def).filter(|def| *def != NO_DEF).map(DefId)
    }

    /// Returns the action of an offer, its host (or null) and its targets: the action's offered parameters.
    #[must_use]
    pub fn offer(&self, offer: Word) -> Option<(usize, Word, &[Word])> {
        let words = self.list(offer)?;
        let action = usize::try_from(*words.first()?).ok()?;
        Some((action, *words.get(2)?, words.get(crate::ask::offers::OFFER_HEAD..)?))
    }
}
