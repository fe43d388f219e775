//! Restoring the board of a snapshot: rows, zones, properties, phases.

use intermezzo_program::{KindId, NULL, PhaseId, Word};

use crate::storage::board::{Board, Entity, NO_DEF, NOBODY, PhaseEntry, RawEnding, bucket};
use crate::storage::restore::{MAX_COUNT, SnapshotReader};
use crate::storage::zones::NOWHERE;

impl SnapshotReader<'_> {
    pub(crate) fn board(&mut self, tables: &crate::optimize::program_index::ProgramIndex) -> Option<Board> {
        let program = self.program;
        let seats = self.below(Word::from(NOBODY))? as u8;
        if seats == 0 {
            return None;
        }
        let mut board = Board::bare(program, tables, seats);
        let singles = board.zones.count();
        self.rows(&mut board)?;
        self.zones(&mut board, singles)?;
        for row in 0..board.rows.len() {
            let entity = board.rows[row];
            if !entity.alive {
                continue;
            }
            for (column, ty) in tables.columns(entity.kind).iter().enumerate() {
                if let Some(ty) = ty {
                    let value = self.value(&mut board, *ty)?;
                    board.cells[entity.base as usize + column] = value;
                }
            }
        }
        for _ in 0..self.len()? {
            let number = self.below(1 << 32)? as u32;
            let phase = PhaseId(self.below(program.phases.len() as Word)? as u16);
            let (player, subject) = (self.reference(&board)?, self.reference(&board)?);
            board.phases.push(PhaseEntry { number, phase, player, subject });
        }
        board.changes = self.below(MAX_COUNT)?;
        if self.flag()? {
            let symbols = program.symbols.len() as Word;
            let outcome = self.below(symbols)?;
            let (winners, losers) = (self.references(&mut board)?, self.references(&mut board)?);
            let pot = self.below(symbols)?;
            let score = match program.score_type() {
                Some(ty) => self.value(&mut board, ty)?,
                None => NULL,
            };
            board.end = Some(RawEnding { outcome, winners, losers, pot, score });
        }
        for seat in 0..usize::from(seats) {
            board.left_seats[seat] = self.flag()?;
        }
        Some(board)
    }

    fn rows(&mut self, board: &mut Board) -> Option<()> {
        let program = self.program;
        let count = self.len()?;
        for row in 0..count {
            let generation = self.below(0x7fff_0000)? as u32;
            let alive = self.flag()?;
            let mut entity = Entity { alive, ..Entity::vacant(generation, board.cells.len() as u32) };
            if alive {
                entity.kind = KindId(self.below(program.kinds.len() as Word)? as u16);
                let kind = &program.kinds[entity.kind.index()];
                entity.def = self.below(1 << 16)? as u16;
                let def = program.defs.get(usize::from(entity.def));
                if def.map_or(entity.def != NO_DEF, |def| def.kind != entity.kind) {
                    return None;
                }
                entity.owner = self.below(1 << 8)? as u8;
                if entity.owner != NOBODY && entity.owner >= board.seats {
                    return None;
                }
                entity.host = self.next().filter(|host| *host == NULL || *host >= 0)?;
                entity.until = self.below(1 << 16)? as u16;
                if entity.until != NO_DEF && usize::from(entity.until) >= program.durations.len() {
                    return None;
                }
                entity.zones = self.below(1 << 31)? as u32;
                entity.zone_count = kind.zones.len() as u16;
                entity.columns = kind.columns;
                board.cells.resize(board.cells.len() + usize::from(kind.columns), NULL);
                board.live += 1;
            }
            let expected = match row {
                0 => Some(KindId::MATCH),
                _ if row <= usize::from(board.seats) => Some(KindId::PLAYER),
                _ => None,
            };
            if expected.is_some_and(|kind| !alive || generation != 0 || entity.kind != kind) {
                return None;
            }
            if alive {
                board.sources.add(row as u32, &entity, None);
            }
            board.rows.push(entity);
        }
        if count <= usize::from(board.seats) {
            return None;
        }
        let mut is_free = vec![false; count];
        for _ in 0..self.len()? {
            let row = self.below(count as Word)? as usize;
            if board.rows[row].alive || std::mem::replace(&mut is_free[row], true) {
                return None;
            }
            board.free_rows.push(row as u32);
        }
        let all_listed = board.rows.iter().zip(&is_free).all(|(entity, free)| entity.alive != *free);
        all_listed.then_some(())
    }

    /// Reads the zones and their contents. Every zone instance must be shared, or belong to one entity or to one
    /// freed block.
    fn zones(&mut self, board: &mut Board, singles: usize) -> Option<()> {
        let program = self.program;
        let count = self.len()?;
        let mut contents = Vec::new();
        for _ in 0..count {
            let len = self.len()?;
            let rows = (0..len).map(|_| self.below(board.rows.len() as Word).map(|row| row as u32));
            contents.push(rows.collect::<Option<Vec<u32>>>()?);
        }
        let mut owners: Vec<Option<(intermezzo_program::ZoneId, u32)>> = vec![None; count];
        let mut claim = |first: u32, kind: KindId, host: u32| -> Option<()> {
            for (slot, family) in program.kinds[kind.index()].zones.iter().enumerate() {
                let place = owners.get_mut(first as usize + slot)?;
                if first as usize + slot < singles || place.is_some() {
                    return None;
                }
                *place = Some((*family, host));
            }
            Some(())
        };
        for (row, entity) in board.rows.iter().enumerate().filter(|(_, entity)| entity.alive) {
            claim(entity.zones, entity.kind, row as u32)?;
        }
        for kind in 0..program.kinds.len() {
            for _ in 0..self.len()? {
                let first = self.below(1 << 31)? as u32;
                if program.kinds[kind].zones.is_empty() {
                    return None;
                }
                claim(first, KindId(kind as u16), NOWHERE)?;
                bucket(&mut board.free_blocks, kind).push(first);
            }
        }
        for (zone, rows) in contents.iter().enumerate() {
            let zone_number = zone as u32;
            if zone >= singles {
                let (family, host) = owners[zone]?;
                board.zones.add(family, host);
                if host == NOWHERE {
                    board.zones.free(zone_number);
                }
            }
            if board.zones.head(zone_number).is_none() && !rows.is_empty() {
                return None;
            }
            for (index, row) in rows.iter().enumerate() {
                let entity = &mut board.rows[*row as usize];
                if !entity.alive || entity.zone != NOWHERE || *row <= u32::from(board.seats) {
                    return None;
                }
                entity.zone = zone_number;
                entity.index = index as u32;
                board.zones.insert(zone_number, index as u32, *row);
                board.follow_rules(*row, NOWHERE, zone_number);
            }
        }
        (count >= singles).then_some(())
    }
}
