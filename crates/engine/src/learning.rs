//! What viewers learn: whether something hidden has come to light.
//!
//! What was hidden is told by being seen, by being named in an event, or by being offered in a question. What did not
//! exist before was not hidden.

use std::collections::BTreeSet;

use intermezzo_ruleset::{PropId, Visibility, Word, word};

use crate::play::Match;
use crate::witness::{Viewer, Witness};

/// A thing one may know of the entity in a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fact {
    /// It can be told from others.
    Named,
    /// It is in sight.
    Seen,
    /// One of its properties that not everyone sees.
    Property(PropId),
}

/// What everyone could see at some moment.
#[derive(Clone, Debug)]
pub struct Sight {
    /// By viewer: seats in order, then the spectators.
    known: Vec<BTreeSet<(u32, Fact)>>,
    /// Rows of all that existed.
    existed: BTreeSet<u32>,
}

/// What has been told since someone last looked around.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    /// Entities named in events, by viewer's place and row, and whether they were in sight then.
    pub(crate) named: BTreeSet<(usize, u32, bool)>,
    /// Rows of entities made since.
    pub(crate) made: BTreeSet<u32>,
}

impl Witness {
    /// Looks around: what each viewer sees now, with what they are asked.
    pub fn sight(&mut self, game: &Match) -> Sight {
        self.told = Some(Told::default());
        let viewers: Vec<Viewer> = self.viewers().collect();
        let known = viewers.into_iter().map(|viewer| self.facts(viewer, game)).collect();
        Sight { known, existed: self.board.entities().map(word::row).collect() }
    }

    /// Whether anyone has learned something since that was there before and that they could not see then.
    pub fn has_learned(&mut self, before: &Sight, game: &Match) -> bool {
        let told = self.told.clone().unwrap_or_default();
        let was_hidden = |place: usize, (row, fact): (u32, Fact)| {
            let is_old = before.existed.contains(&row) && !told.made.contains(&row);
            is_old && before.known.get(place).is_some_and(|known| !known.contains(&(row, fact)))
        };
        let fact = |in_sight: bool| if in_sight { Fact::Seen } else { Fact::Named };
        if told.named.iter().any(|(place, row, in_sight)| was_hidden(*place, (*row, fact(*in_sight)))) {
            return true;
        }
        let viewers: Vec<Viewer> = self.viewers().collect();
        viewers.into_iter().enumerate().any(|(place, viewer)| {
            let facts = self.facts(viewer, game);
            facts.into_iter().any(|known| was_hidden(place, known))
        })
    }

    /// Ends the looking around: what is told from now on is not kept.
    pub fn look_away(&mut self) {
        self.told = None;
    }

    fn facts(&mut self, viewer: Viewer, game: &Match) -> BTreeSet<(u32, Fact)> {
        let mut facts = BTreeSet::new();
        let entities: Vec<Word> = self.board.entities().collect();
        for entity in entities {
            if !self.sees(viewer, entity) {
                continue;
            }
            let row = word::row(entity);
            facts.extend([(row, Fact::Named), (row, Fact::Seen)]);
            for prop in self.guarded(entity) {
                if self.sees_prop(viewer, entity, prop) {
                    facts.insert((row, Fact::Property(prop)));
                }
            }
        }
        if let Viewer::Seat(seat) = viewer {
            let mut offered = Vec::new();
            for pending in game.pending().filter(|pending| pending.seat() == seat) {
                let branches = (0..pending.choice().branches.len()).filter_map(|at| pending.branch(at));
                let nested = branches.flat_map(|branch| branch.options.iter());
                for option in pending.options().iter().chain(nested) {
                    self.collect_from(game.board(), pending.choice().item, *option, &mut offered);
                }
            }
            facts.extend(offered.into_iter().map(|entity| (word::row(entity), Fact::Named)));
        }
        facts
    }

    /// The properties of an entity that not everyone sees.
    fn guarded(&self, entity: Word) -> Vec<PropId> {
        let Some(found) = self.board.entity(entity) else { return Vec::new() };
        let props = self.program.kinds[found.kind.index()].props.iter();
        let is_guarded =
            |prop: &&PropId| !matches!(self.program.props[prop.index()].visible, Visibility::All);
        props.filter(is_guarded).copied().collect()
    }
}
