//! Renumbering of all rows of a determinized copy by their places, with some entities exchanged.
//!
//! Row numbers follow the order in which entities were created and rows were freed, which reveals more than a
//! viewer may see: which of two visible entities was created first. So rows of a copy are numbered by place,
//! and every reference is updated.

use std::collections::BTreeMap;

use intermezzo_program::{NULL, Word, word};

use crate::react::rule_sources::RuleSources;
use crate::run::frames::{AfterStep, Frame, LifecycleStage};
use crate::run::match_instance::Match;
use crate::storage::board::Entity;
use crate::view::determinize::is_fixed;

/// A row that has no place any more.
const DROPPED: u32 = u32::MAX;
/// Generation of references to removed entities; no real entity reaches it.
const GONE: u32 = 0x7fff_ffff;

/// Assignment of entities to places.
#[derive(Debug)]
pub(crate) struct Redistribution {
    /// Rows of all places except those of attached entities, in order.
    pub(crate) order: Vec<u32>,
    /// By row of a place: the row of the entity there now.
    pub(crate) thing_at: Vec<u32>,
}

#[derive(Debug)]
pub(crate) struct Renumbering {
    /// Rows of all places in the order of their new numbers.
    order: Vec<u32>,
    thing_at: Vec<u32>,
    /// By row of an entity: the row of its place.
    place_of: Vec<u32>,
    /// By row of a place: its new number.
    number: Vec<u32>,
    /// True to leave the numbers unchanged, because code in progress depends on them.
    keeps: bool,
}

impl Renumbering {
    pub(crate) fn new(game: &Match, redistribution: Redistribution) -> Renumbering {
        let Redistribution { mut order, mut thing_at } = redistribution;
        let rows = &game.board.rows;
        thing_at.extend(thing_at.len() as u32..rows.len() as u32);
        let mut place_of = vec![DROPPED; rows.len()];
        order.iter().for_each(|place| place_of[thing_at[*place as usize] as usize] = *place);
        let mut attached: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (row, entity) in rows.iter().enumerate().filter(|(_, row)| row.alive && row.host != NULL) {
            attached.entry(word::row(entity.host)).or_default().push(row as u32);
        }
        let mut at = 0;
        while let Some(place) = order.get(at).copied().filter(|_| !attached.is_empty()) {
            for row in attached.remove(&thing_at[place as usize]).unwrap_or_default() {
                place_of[row as usize] = row;
                order.push(row);
            }
            at += 1;
        }
        let keeps = counts_by_rows(game);
        let mut number = vec![DROPPED; rows.len()];
        for (new, row) in order.iter().enumerate() {
            number[*row as usize] = if keeps { *row } else { new as u32 };
        }
        Renumbering { order, thing_at, place_of, number, keeps }
    }

    /// Returns the new row numbers, indexed by the old row of a place.
    pub(crate) fn number(&self) -> &[u32] {
        &self.number
    }

    pub(crate) fn apply(&self, game: &mut Match) {
        let old = std::mem::take(&mut game.board.rows);
        game.board.rows = if self.keeps { self.rows_as_numbered(&old) } else { self.rows_by_place(&old) };
        let board = &mut game.board;
        board.free_rows.clear();
        let free = board.rows.iter().enumerate().filter(|(_, entity)| !entity.alive);
        board.free_rows.extend(free.map(|(row, _)| row as u32));
        board.live = (board.rows.len() - board.free_rows.len()) as u32;
        board.zones.renumber(&self.number);
        board.heap.forget_zone_lists();
        board.sources = RuleSources::new(&game.tables.sources);
        for (row, entity) in board.rows.iter().enumerate().filter(|(_, entity)| entity.alive) {
            let zone = board.zones.head(entity.zone).map(|head| head.family);
            board.sources.add(row as u32, entity, zone);
        }
        if !self.keeps {
            self.rename(game, &old);
        }
    }

    /// Builds the row of a place with its new entity.
    fn row(&self, old: &[Entity], place: u32) -> Entity {
        let (slot, thing) = (&old[place as usize], &old[self.thing_at[place as usize] as usize]);
        let host = match slot.host {
            NULL => NULL,
            host => {
                let host = self.place_of[word::row(host) as usize];
                let generation = if self.keeps { old[host as usize].generation } else { 0 };
                word::entity(generation, self.number[host as usize])
            }
        };
        Entity {
            generation: if self.keeps { slot.generation } else { 0 },
            base: thing.base,
            kind: thing.kind,
            def: thing.def,
            columns: thing.columns,
            until: thing.until,
            host,
            ..*slot
        }
    }

    fn rows_by_place(&self, old: &[Entity]) -> Vec<Entity> {
        self.order.iter().map(|place| self.row(old, *place)).collect()
    }

    fn rows_as_numbered(&self, old: &[Entity]) -> Vec<Entity> {
        let rows = old.iter().enumerate().map(|(row, entity)| match self.number[row] {
            DROPPED => Entity::vacant(entity.generation, entity.base),
            _ => self.row(old, row as u32),
        });
        rows.collect()
    }

    /// Updates all references.
    fn rename(&self, game: &mut Match, old: &[Entity]) {
        let seats = game.board.seats;
        let rename = |entity: Word| {
            if entity < 0 || is_fixed(seats, word::row(entity)) {
                return entity;
            }
            let row = word::row(entity) as usize;
            let is_there =
                old.get(row).is_some_and(|found| found.alive && found.generation == word::generation(entity));
            if let Some(number) = self.number.get(row).filter(|number| is_there && **number != DROPPED) {
                return word::entity(0, *number);
            }
            // Removed entities become indistinguishable.
            word::entity(GONE, 0)
        };
        for phase in &mut game.board.phases {
            (phase.player, phase.subject) = (rename(phase.player), rename(phase.subject));
        }
        let frames = &mut game.frames;
        frames.stack.iter_mut().for_each(|frame| match frame {
            Frame::Event(event) => event.by = rename(event.by),
            Frame::Resolving(item) => item.item = rename(item.item),
            _ => {}
        });
        frames.reactions.iter_mut().for_each(|due| due.source = rename(due.source));
        frames.uses.iter_mut().for_each(|used| used.due.source = rename(used.due.source));
        frames.taken_reactions.iter_mut().for_each(|taken| taken.due.source = rename(taken.due.source));
        frames.ordered_items.iter_mut().for_each(|item| *item = rename(*item));
        game.collect_renaming(&rename);
    }
}

/// Tells whether code in progress counts by rows or refers to entities by untyped words.
fn counts_by_rows(game: &Match) -> bool {
    let frames = &game.frames;
    let is_counting = frames.stack.iter().any(|frame| match frame {
        Frame::Group(_) => true,
        Frame::Event(event) => match event.stage {
            LifecycleStage::Planned | LifecycleStage::After(AfterStep::OfArea { .. }) => true,
            LifecycleStage::Resets { row, .. } => row > 0,
            _ => false,
        },
        _ => false,
    });
    is_counting || !frames.fired.is_empty() || !frames.last_known.is_empty()
}
