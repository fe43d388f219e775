//! Observations: what a seat sees, as a row of numbers of fixed length.
//!
//! The ruleset determines the numbers: see [`Encoding::sections`]. All of them come from
//! [`Observer::visible_entities`], so an observation contains nothing that the seat's view does not show.

use std::sync::Arc;

use intermezzo_engine::{Board, Match, Observer, Viewer, VisibleEntity};
use intermezzo_program::{KindId, NULL, Program, Seat, Word, ZoneId, word};

use crate::capacity::EncodingSizes;
use crate::columns::Section;
use crate::features::MoveFeatures;
use crate::moves::Moves;
use crate::observation_layout::{self, ENTITY_HEAD, PHASE_WIDTH, PLAYER_HEAD, PropColumns, SITUATION_HEAD};
use crate::value_encoding::{EncodingContext, ValueWriter};

/// Layout of observations.
#[derive(Clone, Debug)]
pub struct Encoding {
    program: Arc<Program>,
    seats: usize,
    sizes: EncodingSizes,
    situation: Section,
    players: Section,
    entities: Section,
    moves: Section,
    /// Zones without an owner.
    open_zones: Vec<ZoneId>,
    /// Column of each trait, by def.
    traits: Vec<Option<usize>>,
    match_props: Vec<PropColumns>,
    player_props: Vec<PropColumns>,
    /// Property columns by kind.
    entity_props: Vec<Vec<PropColumns>>,
}

/// Observer of matches of one ruleset, one after the other. Reuses its buffers.
#[derive(Clone, Debug)]
pub struct SeatObserver {
    engine_observer: Observer,
    in_sight: Vec<VisibleEntity>,
    /// Reference number by row of an entity, 0 if it has none.
    numbers: Vec<usize>,
}

impl SeatObserver {
    /// Creates an observer for this match, or others of its ruleset with as many seats.
    #[must_use]
    pub fn new(game: &Match) -> SeatObserver {
        SeatObserver {
            engine_observer: Observer::from_match(game),
            in_sight: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Counts the things a seat sees, apart from players.
    pub(crate) fn count(&mut self, game: &Match, seat: Seat) -> usize {
        self.engine_observer.refresh(game);
        self.engine_observer.visible_entities(Viewer::Seat(seat), &mut self.in_sight);
        self.in_sight.iter().filter(|seen| seen.zone.is_some()).count()
    }
}

impl Encoding {
    /// Creates the encoding for matches with this number of seats.
    #[must_use]
    pub fn new(program: &Arc<Program>, seats: u8, sizes: EncodingSizes) -> Encoding {
        let seats = usize::from(seats);
        let references = 1 + seats + sizes.entities;
        let context = EncodingContext { program, seats, references };
        let open = |at: &usize| program.zones[*at].of.is_none();
        let open_zones: Vec<ZoneId> =
            (0..program.zones.len()).filter(open).map(|at| ZoneId(at as u16)).collect();
        let (situation, match_props) = observation_layout::situation(&context, &open_zones);
        let (players, player_props) = observation_layout::players(&context, situation.end());
        let traits = observation_layout::trait_places(program);
        let (entities, entity_props) =
            observation_layout::entities(&context, &traits, sizes.entities, players.end());
        let moves = observation_layout::moves(&context, sizes.moves, entities.end());
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

    /// Returns whether the encoding is for this ruleset and number of seats.
    #[must_use]
    pub fn fits(&self, program: &Program, seats: u8) -> bool {
        self.program.fingerprint == program.fingerprint && self.seats == usize::from(seats)
    }

    /// Returns the length of an observation.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.end()
    }

    /// Returns false: an observation is never empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of moves and of entity rows.
    #[must_use]
    pub fn sizes(&self) -> EncodingSizes {
        self.sizes
    }

    /// Returns the sections of an observation, in order: `situation`, `players`, `entities`, `moves`.
    #[must_use]
    pub fn sections(&self) -> [&Section; 4] {
        [&self.situation, &self.players, &self.entities, &self.moves]
    }

    /// Writes what a seat sees. `moves` are its legal moves, if it is asked.
    pub fn write(
        &self,
        observer: &mut SeatObserver,
        game: &Match,
        seat: Seat,
        moves: Option<&Moves<'_>>,
        out: &mut [f32],
    ) {
        out.fill(0.0);
        let viewer = Viewer::Seat(seat);
        observer.engine_observer.refresh(game);
        observer.engine_observer.visible_entities(viewer, &mut observer.in_sight);
        let rows = self.number_rows(observer, seat);
        self.write_situation(observer, game, seat, moves, self.situation.row(out, 0));
        for place in 0..self.seats {
            let player = Seat(((place + seat.index()) % self.seats) as u8);
            self.write_player(observer, game, viewer, player, self.players.row(out, place));
        }
        self.write_entities(observer, seat, out);
        let left_out = rows.saturating_sub(self.sizes.entities);
        self.situation.row(out, 0)[0] = left_out as f32;
        if let Some(moves) = moves {
            for number in 0..self.sizes.moves {
                self.write_move(observer, seat, moves, number, self.moves.row(out, number));
            }
        }
    }

    /// Numbers everything that has a row. Returns how many entities should have one.
    fn number_rows(&self, observer: &mut SeatObserver, seat: Seat) -> usize {
        observer.numbers.clear();
        let players = (0..self.seats).map(|place| (place + seat.index()) % self.seats);
        for (place, player) in players.enumerate() {
            put(&mut observer.numbers, word::player(Seat(player as u8)), place + 1);
        }
        let mut rows = 0;
        for seen in observer.in_sight.iter().filter(|seen| seen.zone.is_some()) {
            if rows < self.sizes.entities {
                put(&mut observer.numbers, seen.entity, 1 + self.seats + rows);
            }
            rows += 1;
        }
        rows
    }

    fn write_situation(
        &self,
        observer: &mut SeatObserver,
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
        let reference = |value| number_of(&observer.numbers, observer.engine_observer.board(), value) as f32;
        for under_way in observer.engine_observer.board().phases() {
            let at = SITUATION_HEAD + PHASE_WIDTH * under_way.phase.index();
            out[at] = 1.0;
            out[at + 1] = reference(under_way.player);
            out[at + 2] = reference(under_way.subject);
        }
        let at = SITUATION_HEAD + PHASE_WIDTH * self.program.phases.len();
        for (place, zone) in self.open_zones.iter().enumerate() {
            out[at + place] = observer.engine_observer.zone_size(None, *zone) as f32;
        }
        self.write_props(observer, Viewer::Seat(seat), word::MATCH, &self.match_props, out);
    }

    fn write_player(
        &self,
        observer: &mut SeatObserver,
        game: &Match,
        viewer: Viewer,
        player: Seat,
        out: &mut [f32],
    ) {
        let is_asked = |pending: intermezzo_engine::PendingQuestion<'_>| {
            pending.seat() == player && observer.engine_observer.shows_question(viewer, &pending)
        };
        let is_asked = game.pending().any(is_asked);
        out[0] = f32::from(player.0);
        out[1] = flag(game.board().has_left(player));
        out[2] = flag(is_asked);
        let zones = &self.program.kinds[KindId::PLAYER.index()].zones;
        for (place, zone) in zones.iter().enumerate() {
            out[PLAYER_HEAD + place] =
                observer.engine_observer.zone_size(Some(word::player(player)), *zone) as f32;
        }
        self.write_props(observer, viewer, word::player(player), &self.player_props, out);
    }

    fn write_entities(&self, observer: &mut SeatObserver, seat: Seat, out: &mut [f32]) {
        let mut row = 0;
        for at in 0..observer.in_sight.len() {
            let seen = observer.in_sight[at];
            let reference = |value| number_of(&observer.numbers, observer.engine_observer.board(), value);
            let Some(zone) = seen.zone else {
                // Attached traits are counted in the row of their host.
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
            numbers[5] = seen.index as f32;
            numbers[ENTITY_HEAD + zone.index()] = 1.0;
            let props = &self.entity_props[seen.kind.index()];
            self.write_props(observer, Viewer::Seat(seat), seen.entity, props, numbers);
            row += 1;
        }
    }

    fn write_props(
        &self,
        observer: &mut SeatObserver,
        viewer: Viewer,
        entity: Word,
        props: &[PropColumns],
        out: &mut [f32],
    ) {
        for place in props {
            let value = observer.engine_observer.visible_value(viewer, entity, place.prop);
            let Some(value) = value.filter(|value| *value != NULL) else { continue };
            out[place.at] = 1.0;
            let numbers = &mut out[place.at + 1..][..place.width];
            self.writer(observer, observer.engine_observer.board(), viewer)
                .write(value, place.ty, 0, numbers);
        }
    }

    fn writer<'a>(
        &'a self,
        observer: &'a SeatObserver,
        board: &'a Board,
        viewer: Viewer,
    ) -> ValueWriter<'a, impl Fn(Word) -> usize + 'a> {
        let first = match viewer {
            Viewer::Seat(seat) => seat.index(),
            Viewer::Spectator => 0,
        };
        let references = 1 + self.seats + self.sizes.entities;
        let context = EncodingContext { program: &self.program, seats: self.seats, references };
        let own = observer.engine_observer.board();
        ValueWriter {
            context,
            board,
            first,
            reference: move |value| number_of(&observer.numbers, own, value),
        }
    }

    fn write_move(
        &self,
        observer: &SeatObserver,
        seat: Seat,
        moves: &Moves<'_>,
        number: usize,
        out: &mut [f32],
    ) {
        out[0] = flag(moves.is_legal(number));
        let Some((option, picked)) = moves.option(number) else { return };
        out[1] = 1.0;
        out[2] = picked as f32;
        let mut features = MoveFeatures::new(&mut out[3..]);
        let writer = self.writer(observer, moves.board(), Viewer::Seat(seat));
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

/// Returns the reference number of a visible thing. A reference to a removed entity is 0.
fn number_of(numbers: &[usize], board: &Board, value: Word) -> usize {
    match value {
        NULL => 0,
        _ if !board.exists(value) => 0,
        _ => numbers.get(word::row(value) as usize).copied().unwrap_or(0),
    }
}
