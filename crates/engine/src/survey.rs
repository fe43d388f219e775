//! What is in sight, piece by piece: for those who make numbers of a view instead of reading it.
//!
//! It tells what [`Witness::view`] tells, no more; a law compares the two.

use intermezzo_ruleset::{DefId, KindId, NULL, PhaseId, PropId, Seat, Word, ZoneId, native, word};

use crate::board::{Board, NO_DEF, NOBODY};
use crate::memory::Memory;
use crate::play::Match;
use crate::view::MAX_DEPTH;
use crate::witness::{Viewer, Witness};
use crate::zones::NOWHERE;

/// Something a viewer sees, other than players and the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InSight {
    /// The entity.
    pub entity: Word,
    /// Its kind.
    pub kind: KindId,
    /// What it was made from.
    pub def: Option<DefId>,
    /// Whose it is.
    pub owner: Option<Seat>,
    /// Where it is; nothing if it is attached to its host.
    pub zone: Option<ZoneId>,
    /// What that zone belongs to, or what it is attached to.
    pub host: Option<Word>,
    /// Its place in the zone, from 0.
    pub place: u32,
}

/// A phase under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhaseUnderWay {
    /// The phase.
    pub phase: PhaseId,
    /// Whose it is, or null.
    pub player: Word,
    /// What it is about, or null.
    pub subject: Word,
}

impl Witness {
    /// Somebody who comes to a match under way: its viewers see what they may see, and were told nothing before.
    #[must_use]
    pub fn of(game: &Match) -> Witness {
        Memory::new(game.board.seats).wake(game)
    }

    /// Looks at the match as it is now, without having followed it. For witnesses made by [`Witness::of`], and matches
    /// of the same ruleset with as many seats.
    pub fn look_again(&mut self, game: &Match) {
        self.board.copy_from(&game.board);
        self.computed.clear();
    }

    /// Writes everything a viewer sees to `out`: what lies with players, from the viewer on in the order of seats, then
    /// what lies elsewhere, in the order of the view; what is attached comes last.
    pub fn in_sight(&mut self, viewer: Viewer, out: &mut Vec<InSight>) {
        out.clear();
        let (seats, first) = (self.board.seats, viewer.first_seat());
        for seat in (0..seats).map(|seat| Seat((seat + first) % seats)) {
            self.sight_inside(viewer, word::player(seat), 0, out);
        }
        for index in 0..self.program.zones.len() {
            let zone = self.folder.tables.single(ZoneId(index as u16));
            if let Ok(zone) = u32::try_from(zone) {
                self.sight_in_zone(viewer, zone, 0, out);
            }
        }
        self.look_for_attached();
        for at in 0..self.attached.len() {
            let attached = self.board.reference(self.attached[at]);
            if self.sees(viewer, attached) {
                out.extend(self.seen(attached));
            }
        }
    }

    fn sight_inside(&mut self, viewer: Viewer, host: Word, depth: u32, out: &mut Vec<InSight>) {
        let zones = self.board.entity(host).map_or(0..0, |found| found.zone_block());
        zones.for_each(|zone| self.sight_in_zone(viewer, zone, depth, out));
    }

    fn sight_in_zone(&mut self, viewer: Viewer, zone: u32, depth: u32, out: &mut Vec<InSight>) {
        for place in 0..if depth < MAX_DEPTH { self.board.zones.rows(zone).len() } else { 0 } {
            let entity = self.board.reference(self.board.zones.rows(zone)[place]);
            if self.sees(viewer, entity) {
                out.extend(self.seen(entity));
                self.sight_inside(viewer, entity, depth + 1, out);
            }
        }
    }

    fn seen(&self, entity: Word) -> Option<InSight> {
        let found = self.board.entity(entity)?;
        let zone = self.board.zones.head(found.zone);
        let host = match zone {
            Some(head) if head.host == NOWHERE => None,
            Some(head) => Some(self.board.reference(head.host)),
            None => Some(found.host).filter(|host| *host != NULL),
        };
        Some(InSight {
            entity,
            kind: found.kind,
            def: (found.def != NO_DEF).then_some(DefId(found.def)),
            owner: (found.owner != NOBODY).then_some(Seat(found.owner)),
            zone: zone.map(|head| head.family),
            host,
            place: found.index,
        })
    }

    /// The value of a property, of something the viewer sees; nothing if the viewer does not see the property. What it
    /// holds is on [`Witness::board`], until somebody looks at the match again.
    pub fn value_in_sight(&mut self, viewer: Viewer, entity: Word, id: PropId) -> Option<Word> {
        let program = std::sync::Arc::clone(&self.program);
        let prop = program.props.get(id.index()).filter(|prop| prop.name != native::KNOWN)?;
        if !self.sees_prop(viewer, entity, id) {
            return None;
        }
        match prop.derived.is_some() || !prop.modifiers.is_empty() {
            true => Some(self.value_by_rules(entity, id, prop)),
            false => self.board.column(entity, prop.column),
        }
    }

    /// How many are in a zone of an entity, or in one that belongs to nothing. Everyone sees that.
    #[must_use]
    pub fn zone_size(&self, host: Option<Word>, zone: ZoneId) -> usize {
        let instance = match host {
            None => u32::try_from(self.folder.tables.single(zone)).ok(),
            Some(host) => self.board.entity(host).and_then(|found| {
                let slot = self.folder.tables.slot(found.kind, zone)?;
                Some(found.zones + slot)
            }),
        };
        instance.map_or(0, |instance| self.board.zones.rows(instance).len())
    }
}

impl Viewer {
    /// The seat to begin with where players are told from the viewer on.
    fn first_seat(self) -> u8 {
        match self {
            Viewer::Seat(seat) => seat.0,
            Viewer::Spectator => 0,
        }
    }
}

impl Board {
    /// Whether there is still what a word refers to.
    #[must_use]
    pub fn exists(&self, entity: Word) -> bool {
        self.entity(entity).is_some()
    }

    /// The phases under way, the outermost first.
    pub fn phases(&self) -> impl Iterator<Item = PhaseUnderWay> + '_ {
        let shown = self.phases.iter();
        shown.map(|entry| PhaseUnderWay { phase: entry.phase, player: entry.player, subject: entry.subject })
    }

    /// The values of a record or map that has so many.
    #[must_use]
    pub fn fields(&self, value: Word, count: usize) -> Option<&[Word]> {
        self.heap.fields(value, count)
    }

    /// Which zone an instance is of, and what it belongs to.
    #[must_use]
    pub fn zone_family(&self, zone: Word) -> Option<(ZoneId, Option<Word>)> {
        let head = u32::try_from(zone).ok().and_then(|zone| self.zones.head(zone))?;
        Some((head.family, (head.host != NOWHERE).then(|| self.reference(head.host))))
    }

    /// The def an entity was made from; nothing for players, the match, and what is gone.
    #[must_use]
    pub fn def(&self, entity: Word) -> Option<DefId> {
        self.entity(entity).map(|entity| entity.def).filter(|def| *def != NO_DEF).map(DefId)
    }

    /// The action an offer is of, what has it (or null), and what it is aimed at: the action's offered parameters.
    #[must_use]
    pub fn offer(&self, offer: Word) -> Option<(usize, Word, &[Word])> {
        let words = self.list(offer)?;
        let action = usize::try_from(*words.first()?).ok()?;
        Some((action, *words.get(2)?, words.get(crate::offers::OFFER_HEAD..)?))
    }
}
