//! What a seat sees, as a row of numbers that is always as long.
//!
//! Which numbers there are follows from what the ruleset declares: see [`Encoding::sections`]. All of it comes from the
//! witness's [survey](Witness::in_sight), so there is nothing in it that the seat's view does not show.

use std::sync::Arc;

use intermezzo_engine::{Board, InSight, Match, Viewer, Witness};
use intermezzo_ruleset::{KindId, NULL, Program, Seat, Word, ZoneId, word};

use crate::columns::Section;
use crate::features::Features;
use crate::layout::{self, ENTITY_HEAD, PHASE_WIDTH, PLAYER_HEAD, PropPlace, SITUATION_HEAD};
use crate::moves::Moves;
use crate::sizes::Sizes;
use crate::values::{Frame, Writer};

/// Which number stands where.
#[derive(Clone, Debug)]
pub struct Encoding {
    program: Arc<Program>,
    seats: usize,
    sizes: Sizes,
    situation: Section,
    players: Section,
    entities: Section,
    moves: Section,
    /// Zones that belong to nothing.
    open_zones: Vec<ZoneId>,
    /// Numbers of the traits among defs, and where they are counted.
    traits: Vec<Option<usize>>,
    match_props: Vec<PropPlace>,
    player_props: Vec<PropPlace>,
    /// By kind.
    entity_props: Vec<Vec<PropPlace>>,
}

/// Somebody who looks at matches of one ruleset, one after the other. Keeps its buffers.
#[derive(Clone, Debug)]
pub struct Onlooker {
    witness: Witness,
    in_sight: Vec<InSight>,
    /// By row of an entity: its number as a reference, 0 if it has none.
    numbers: Vec<usize>,
}

impl Onlooker {
    /// Somebody who will look at this match, or others of its ruleset with as many seats.
    #[must_use]
    pub fn new(game: &Match) -> Onlooker {
        Onlooker { witness: Witness::of(game), in_sight: Vec::new(), numbers: Vec::new() }
    }

    /// How many things a seat sees, apart from players.
    pub(crate) fn count(&mut self, game: &Match, seat: Seat) -> usize {
        self.witness.look_again(game);
        self.witness.in_sight(Viewer::Seat(seat), &mut self.in_sight);
        self.in_sight.iter().filter(|seen| seen.zone.is_some()).count()
    }
}

impl Encoding {
    /// The encoding for matches with so many seats.
    #[must_use]
    pub fn new(program: &Arc<Program>, seats: u8, sizes: Sizes) -> Encoding {
        let seats = usize::from(seats);
        let references = 1 + seats + sizes.entities;
        let frame = Frame { program, seats, references };
        let open = |at: &usize| program.zones[*at].of.is_none();
        let open_zones: Vec<ZoneId> =
            (0..program.zones.len()).filter(open).map(|at| ZoneId(at as u16)).collect();
        let (situation, match_props) = layout::situation(&frame, &open_zones);
        let (players, player_props) = layout::players(&frame, situation.end());
        let traits = layout::trait_places(program);
        let (entities, entity_props) = layout::entities(&frame, &traits, sizes.entities, players.end());
        let moves = layout::moves(&frame, sizes.moves, entities.end());
        let program = Arc::clone(program);
        Encoding {
            program,
            seats,
            sizes,
            situation,
            players,
            entities,
            moves,
            open_zones,
            traits,
            match_props,
            player_props,
            entity_props,
        }
    }

    /// Whether it is for matches of that ruleset with so many seats.
    #[must_use]
    pub fn fits(&self, program: &Program, seats: u8) -> bool {
        self.program.fingerprint == program.fingerprint && self.seats == usize::from(seats)
    }

    /// How many numbers an observation has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.end()
    }

    /// Whether there are none, which is never so.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many moves and rows of entities there are.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The parts of an observation, in order: `situation`, `players`, `entities`, `moves`.
    #[must_use]
    pub fn sections(&self) -> [&Section; 4] {
        [&self.situation, &self.players, &self.entities, &self.moves]
    }

    /// Writes what a seat sees; `moves` are those the seat can make, if it is asked.
    pub fn write(
        &self,
        onlooker: &mut Onlooker,
        game: &Match,
        seat: Seat,
        moves: Option<&Moves<'_>>,
        out: &mut [f32],
    ) {
        out.fill(0.0);
        let viewer = Viewer::Seat(seat);
        onlooker.witness.look_again(game);
        onlooker.witness.in_sight(viewer, &mut onlooker.in_sight);
        let rows = self.number_rows(onlooker, seat);
        self.write_situation(onlooker, game, seat, moves, self.situation.row(out, 0));
        for place in 0..self.seats {
            let player = Seat(((place + seat.index()) % self.seats) as u8);
            self.write_player(onlooker, game, viewer, player, self.players.row(out, place));
        }
        self.write_entities(onlooker, seat, out);
        let left_out = rows.saturating_sub(self.sizes.entities);
        self.situation.row(out, 0)[0] = left_out as f32;
        if let Some(moves) = moves {
            for number in 0..self.sizes.moves {
                self.write_move(onlooker, seat, moves, number, self.moves.row(out, number));
            }
        }
    }

    /// Gives numbers to everything that has a row; gives how many should have one.
    fn number_rows(&self, onlooker: &mut Onlooker, seat: Seat) -> usize {
        onlooker.numbers.clear();
        let players = (0..self.seats).map(|place| (place + seat.index()) % self.seats);
        for (place, player) in players.enumerate() {
            put(&mut onlooker.numbers, word::player(Seat(player as u8)), place + 1);
        }
        let mut rows = 0;
        for seen in onlooker.in_sight.iter().filter(|seen| seen.zone.is_some()) {
            if rows < self.sizes.entities {
                put(&mut onlooker.numbers, seen.entity, 1 + self.seats + rows);
            }
            rows += 1;
        }
        rows
    }

    fn write_situation(
        &self,
        onlooker: &mut Onlooker,
        game: &Match,
        seat: Seat,
        moves: Option<&Moves<'_>>,
        out: &mut [f32],
    ) {
        out[1] = flag(game.is_over());
        if let Some(moves) = moves {
            let (least, most) = moves.pending().bounds();
            out[2] = 1.0;
            out[3] = (moves.pending().choice_id().index() + 1) as f32;
            out[4] = moves.picked() as f32;
            out[5] = least as f32;
            out[6] = most as f32;
        }
        let reference = |value| number_of(&onlooker.numbers, onlooker.witness.board(), value) as f32;
        for under_way in onlooker.witness.board().phases() {
            let at = SITUATION_HEAD + PHASE_WIDTH * under_way.phase.index();
            out[at] = 1.0;
            out[at + 1] = reference(under_way.player);
            out[at + 2] = reference(under_way.subject);
        }
        let at = SITUATION_HEAD + PHASE_WIDTH * self.program.phases.len();
        for (place, zone) in self.open_zones.iter().enumerate() {
            out[at + place] = onlooker.witness.zone_size(None, *zone) as f32;
        }
        self.write_props(onlooker, Viewer::Seat(seat), word::MATCH, &self.match_props, out);
    }

    fn write_player(
        &self,
        onlooker: &mut Onlooker,
        game: &Match,
        viewer: Viewer,
        player: Seat,
        out: &mut [f32],
    ) {
        let is_asked = |pending: intermezzo_engine::Pending<'_>| {
            pending.seat() == player && (viewer == Viewer::Seat(player) || !pending.choice().secret)
        };
        out[0] = f32::from(player.0);
        out[1] = flag(game.board().has_left(player));
        out[2] = flag(game.pending().any(is_asked));
        let zones = &self.program.kinds[KindId::PLAYER.index()].zones;
        for (place, zone) in zones.iter().enumerate() {
            out[PLAYER_HEAD + place] = onlooker.witness.zone_size(Some(word::player(player)), *zone) as f32;
        }
        self.write_props(onlooker, viewer, word::player(player), &self.player_props, out);
    }

    fn write_entities(&self, onlooker: &mut Onlooker, seat: Seat, out: &mut [f32]) {
        let mut row = 0;
        for at in 0..onlooker.in_sight.len() {
            let seen = onlooker.in_sight[at];
            let reference = |value| number_of(&onlooker.numbers, onlooker.witness.board(), value);
            let Some(zone) = seen.zone else {
                // What is attached is counted in the row of its host.
                let host = seen.host.map_or(0, reference).checked_sub(1 + self.seats);
                let column = seen.def.and_then(|def| self.traits[def.index()]);
                if let (Some(host), Some(column)) = (host, column) {
                    self.entities.row(out, host)[column] += 1.0;
                }
                continue;
            };
            if row == self.sizes.entities {
                continue;
            }
            let numbers = self.entities.row(out, row);
            let owner =
                seen.owner.map_or(0, |owner| (owner.index() + self.seats - seat.index()) % self.seats + 1);
            numbers[0] = 1.0;
            numbers[1] = seen.kind.index() as f32;
            numbers[2] = seen.def.map_or(0, |def| def.index() + 1) as f32;
            numbers[3] = owner as f32;
            numbers[4] = seen.host.map_or(0, reference) as f32;
            numbers[5] = seen.place as f32;
            numbers[ENTITY_HEAD + zone.index()] = 1.0;
            let props = &self.entity_props[seen.kind.index()];
            self.write_props(onlooker, Viewer::Seat(seat), seen.entity, props, numbers);
            row += 1;
        }
    }

    fn write_props(
        &self,
        onlooker: &mut Onlooker,
        viewer: Viewer,
        entity: Word,
        props: &[PropPlace],
        out: &mut [f32],
    ) {
        for place in props {
            let value = onlooker.witness.value_in_sight(viewer, entity, place.prop);
            let Some(value) = value.filter(|value| *value != NULL) else { continue };
            out[place.at] = 1.0;
            let numbers = &mut out[place.at + 1..][..place.width];
            self.writer(onlooker, onlooker.witness.board(), viewer).write(value, place.ty, 0, numbers);
        }
    }

    fn writer<'a>(
        &'a self,
        onlooker: &'a Onlooker,
        board: &'a Board,
        viewer: Viewer,
    ) -> Writer<'a, impl Fn(Word) -> usize + 'a> {
        let first = match viewer {
            Viewer::Seat(seat) => seat.index(),
            Viewer::Spectator => 0,
        };
        let references = 1 + self.seats + self.sizes.entities;
        let frame = Frame { program: &self.program, seats: self.seats, references };
        let own = onlooker.witness.board();
        Writer { frame, board, first, reference: move |value| number_of(&onlooker.numbers, own, value) }
    }

    fn write_move(&self, onlooker: &Onlooker, seat: Seat, moves: &Moves<'_>, number: usize, out: &mut [f32]) {
        out[0] = flag(moves.is_legal(number));
        let Some((option, picked)) = moves.option(number) else { return };
        out[1] = 1.0;
        out[2] = picked as f32;
        let mut features = Features::new(&mut out[3..]);
        let writer = self.writer(onlooker, moves.board(), Viewer::Seat(seat));
        features.add(&writer, option, moves.pending().choice().item);
    }
}

fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}

fn put(numbers: &mut Vec<usize>, entity: Word, number: usize) {
    let row = word::row(entity) as usize;
    if numbers.len() <= row {
        numbers.resize(row + 1, 0);
    }
    numbers[row] = number;
}

/// The number of a thing in sight. A reference to what is no longer there is none.
fn number_of(numbers: &[usize], board: &Board, value: Word) -> usize {
    match value {
        NULL => 0,
        _ if !board.exists(value) => 0,
        _ => numbers.get(word::row(value) as usize).copied().unwrap_or(0),
    }
}
