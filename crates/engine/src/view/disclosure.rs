//! Disclosure tracking: whether a viewer has learned something that was hidden.
//!
//! Something hidden is disclosed by becoming visible, by being named in an event, or by being offered in a
//! question. An entity that did not exist before was not hidden.

use std::collections::BTreeSet;

use intermezzo_program::{PropId, Visibility, Word, word};

use crate::run::match_instance::Match;
use crate::view::observer::{Observer, Viewer};

/// A fact a viewer may know about the entity in a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum KnownFact {
    /// It can be told apart from others.
    Named,
    /// It is visible.
    Seen,
    /// A property with restricted visibility is visible.
    Property(PropId),
}

/// Knowledge of all viewers at one moment.
#[derive(Clone, Debug)]
pub struct DisclosureSnapshot {
    /// By viewer: seats in order, then the spectators.
    known: Vec<BTreeSet<(u32, KnownFact)>>,
    /// Rows of all entities that existed.
    existed: BTreeSet<u32>,
}

/// Disclosures since the last snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisclosureLog {
    /// Entities named in events: viewer index, row, and whether they were visible then.
    pub(crate) named: BTreeSet<(usize, u32, bool)>,
    /// Rows of entities created since.
    pub(crate) made: BTreeSet<u32>,
}

impl Observer {
    /// Takes a snapshot of what each viewer sees now, with the questions they are asked, and starts tracking.
    pub fn disclosure_snapshot(&mut self, game: &Match) -> DisclosureSnapshot {
        self.disclosure_log = Some(DisclosureLog::default());
        let viewers: Vec<Viewer> = self.viewers().collect();
        let known = viewers.into_iter().map(|viewer| self.known_facts(viewer, game)).collect();
        DisclosureSnapshot { known, existed: self.board.entities().map(word::row).collect() }
    }

    /// Tells whether anyone has learned something since the snapshot that existed then and was hidden from
    /// them.
    pub fn has_disclosed_since(&mut self, before: &DisclosureSnapshot, game: &Match) -> bool {
        let log = self.disclosure_log.clone().unwrap_or_default();
        let was_hidden = |place: usize, (row, fact): (u32, KnownFact)| {
            let is_old = before.existed.contains(&row) && !log.made.contains(&row);
            is_old && before.known.get(place).is_some_and(|known| !known.contains(&(row, fact)))
        };
        let fact = |is_visible: bool| if is_visible { KnownFact::Seen } else { KnownFact::Named };
        if log.named.iter().any(|(place, row, is_visible)| was_hidden(*place, (*row, fact(*is_visible)))) {
            return true;
        }
        let viewers: Vec<Viewer> = self.viewers().collect();
        viewers.into_iter().enumerate().any(|(place, viewer)| {
            let facts = self.known_facts(viewer, game);
            facts.into_iter().any(|known| was_hidden(place, known))
        })
    }

    /// Stops tracking.
    pub fn stop_tracking_disclosure(&mut self) {
        self.disclosure_log = None;
    }

    fn known_facts(&mut self, viewer: Viewer, game: &Match) -> BTreeSet<(u32, KnownFact)> {
        let mut facts = BTreeSet::new();
        let entities: Vec<Word> = self.board.entities().collect();
        for entity in entities {
            if !self.sees(viewer, entity) {
                continue;
            }
            let row = word::row(entity);
            facts.extend([(row, KnownFact::Named), (row, KnownFact::Seen)]);
            for prop in self.restricted_props(entity) {
                if self.sees_prop(viewer, entity, prop) {
                    facts.insert((row, KnownFact::Property(prop)));
                }
            }
        }
        if let Viewer::Seat(seat) = viewer {
            let mut offered = Vec::new();
            for pending in game.pending().filter(|pending| pending.seat() == seat) {
                let branches = (0..pending.choice().branches.len()).filter_map(|at| pending.branch(at));
                let nested = branches.flat_map(|branch| branch.options.iter());
                for option in pending.options().iter().chain(nested) {
                    self.collect_entities_from(game.board(), pending.choice().item, *option, &mut offered);
                }
            }
            facts.extend(offered.into_iter().map(|entity| (word::row(entity), KnownFact::Named)));
        }
        facts
    }

    /// Lists the properties of an entity with restricted visibility.
    fn restricted_props(&self, entity: Word) -> Vec<PropId> {
        let Some(found) = self.board.entity(entity) else { return Vec::new() };
        let props = self.program.kinds[found.kind.index()].props.iter();
        let is_guarded =
            |prop: &&PropId| !matches!(self.program.props[prop.index()].visible, Visibility::All);
        props.filter(is_guarded).copied().collect()
    }
}
