//! New numbers for all rows of a copy, by where things lie, and other things at some of the places.
//!
//! Rows are numbered in the order things were made and rows became free again, which
//! tells more than anyone may see: of two cards in play, which was in the deck first.
//! So that nothing in a copy tells it, rows are numbered by their places, and every
//! reference to them is changed.

use std::collections::BTreeMap;

use intermezzo_ruleset::{NULL, Word, word};

use crate::agenda::Stage;
use crate::board::Entity;
use crate::imagined::is_fixed;
use crate::play::Match;
use crate::sources::Sources;

/// Stands for a row that has no place any more.
const DROPPED: u32 = u32::MAX;
/// The generation of references to what is gone; nothing that is made gets that far.
const GONE: u32 = 0x7fff_ffff;

/// What lies where after dealing.
#[derive(Debug)]
pub(crate) struct Dealt {
    /// Rows of all places but of those for attached things, in order.
    pub(crate) order: Vec<u32>,
    /// By row of a place: the row of what lies there now.
    pub(crate) thing_at: Vec<u32>,
}

/// A change of numbers.
#[derive(Debug)]
pub(crate) struct Relabelling {
    /// Rows of all places in the order of their new numbers.
    order: Vec<u32>,
    thing_at: Vec<u32>,
    /// By row of a thing: the row of its place.
    place_of: Vec<u32>,
    /// By row of a place: its new number.
    number: Vec<u32>,
    /// The numbers stay, since something under way counts by them.
    keeps: bool,
}

impl Relabelling {
    pub(crate) fn new(game: &Match, dealt: Dealt) -> Relabelling {
        let Dealt { mut order, mut thing_at } = dealt;
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
        Relabelling { order, thing_at, place_of, number, keeps }
    }

    /// By row of a place before: its number since.
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
        board.sources = Sources::new(&game.tables.sources);
        for (row, entity) in board.rows.iter().enumerate().filter(|(_, entity)| entity.alive) {
            board.sources.add(row as u32, entity);
        }
        if !self.keeps {
            self.rename(game, &old);
        }
    }

    /// What lies at a place now, as a row.
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

    /// Changes all references.
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
            // What is gone can no longer be told apart.
            word::entity(GONE, 0)
        };
        for phase in &mut game.board.phases {
            (phase.player, phase.subject) = (rename(phase.player), rename(phase.subject));
        }
        let agenda = &mut game.agenda;
        agenda.frames.iter_mut().for_each(|frame| frame.by = rename(frame.by));
        agenda.reactions.iter_mut().for_each(|due| due.source = rename(due.source));
        agenda.uses.iter_mut().for_each(|used| used.due.source = rename(used.due.source));
        agenda.ordered.iter_mut().for_each(|item| *item = rename(*item));
        game.collect_renaming(&rename);
    }
}

/// Whether something under way counts by rows, or knows things by words without a type.
fn counts_by_rows(game: &Match) -> bool {
    let agenda = &game.agenda;
    let is_counting = agenda.frames.iter().any(|frame| {
        matches!(frame.stage, Stage::Planned | Stage::Group) || (frame.is_event() && frame.row > 0)
    });
    is_counting || !agenda.fired.is_empty() || !agenda.past.is_empty()
}
