//! Hidden information: what each viewer learns of what happens.
//!
//! A witness folds the log like anyone else and, for every viewer, tells only
//! what that viewer may see. Everything else is absent, not masked: names of
//! entities and numbers of events are given per viewer and count only what
//! that viewer saw, and a name is forgotten once its entity is out of sight.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_ruleset::{
    EventId, FaultCode, NULL, Program, PropId, Seat, Type, TypeId, Visibility, Word, Zone, native, word,
};

use crate::board::Board;
use crate::datum::{Datum, Text, describe_with};
use crate::fold::{Folder, Payload, field_type};
use crate::input::InputId;
use crate::learning::Told;
use crate::lessons::Learner;
use crate::letters::Letter;
use crate::log::{Cause, Log, Record, Status};
use crate::memory::Memory;
use crate::play::Match;
use crate::setup::{Setup, StartError, new_board};
use crate::typed::{Layout, Shapes};
use crate::zones::NOWHERE;

/// Someone who looks at a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Viewer {
    /// A player.
    Seat(Seat),
    /// Anyone else: sees what everyone may see.
    Spectator,
}

/// Whoever wants letters.
type Post<'a> = Option<&'a mut dyn FnMut(Letter)>;

/// Follows a match for all its viewers.
#[derive(Clone, Debug)]
pub struct Witness {
    pub(crate) program: Arc<Program>,
    pub(crate) folder: Folder,
    pub(crate) board: Board,
    pub(crate) memory: Memory,
    live_words: usize,
    /// What has been told since someone last looked around; nothing before anyone does.
    pub(crate) told: Option<Told>,
    /// Rows of all that is attached to something, while a view is made.
    pub(crate) attached: Vec<u32>,
    /// Values that rules have computed since something last happened.
    pub(crate) computed: BTreeMap<(Word, PropId), Word>,
    /// Whether rules decide who sees what is in a zone.
    is_sight_computed: bool,
}

impl Witness {
    /// A witness from the very start of a match.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset.
    pub fn new(program: Arc<Program>, setup: &Setup) -> Result<Witness, StartError> {
        let mut folder = Folder::new(program);
        let board = new_board(&mut folder, setup)?;
        Ok(Witness::that_follows(folder, board, Memory::new(setup.seats)))
    }

    pub(crate) fn that_follows(folder: Folder, board: Board, memory: Memory) -> Witness {
        let (program, live_words) = (Arc::clone(&folder.program), board.heap.len());
        let is_computed = |zone: &Zone| matches!(zone.visible, Visibility::Computed(_));
        let is_sight_computed = program.zones.iter().any(is_computed);
        let (told, attached, computed) = (None, Vec::new(), BTreeMap::new());
        Witness { program, folder, board, memory, live_words, told, attached, computed, is_sight_computed }
    }

    /// The same for viewers from whom nothing is hidden: they are told everything, prevented events included, and call
    /// entities by their own numbers, as the log does.
    #[must_use]
    pub fn all_knowing(mut self) -> Witness {
        self.memory.eyes.iter_mut().for_each(|eyes| eyes.sees_all = true);
        self
    }

    /// Somebody from whom nothing of a match is hidden, to look at it as it is.
    #[must_use]
    pub fn of_everything(game: &Match) -> Witness {
        Memory::new(game.board.seats).wake(game).all_knowing()
    }

    /// Somebody who comes in now: nobody has been told anything, and everyone sees what they may see of the match as it
    /// is.
    #[must_use]
    pub fn of_now(game: &Match) -> Witness {
        Memory::new(game.board.seats).wake(game)
    }

    pub(crate) fn knows_all(&self) -> bool {
        self.memory.eyes.first().is_some_and(|eyes| eyes.sees_all)
    }

    /// A witness of the same match from its start, for when it goes another way than this one saw. What is in sight
    /// keeps its names until the new witness [has caught up](Witness::has_caught_up); other names and numbers that viewers
    /// have heard are not used again.
    ///
    /// # Errors
    ///
    /// If the setup does not fit the ruleset.
    pub fn again(&self, setup: &Setup) -> Result<Witness, StartError> {
        let mut new = Witness::new(Arc::clone(&self.program), setup)?;
        for (eyes, old) in new.memory.eyes.iter_mut().zip(&self.memory.eyes) {
            (eyes.named, eyes.told, eyes.asked) = (old.named, old.told, old.asked);
            eyes.before.clone_from(&old.names);
        }
        new.memory.learners = self.memory.learners.iter().map(|learner| Learner::new(learner.seat)).collect();
        Ok(new)
    }

    /// Ends the use of names from before: the way is new from here on.
    pub fn has_caught_up(&mut self) {
        let viewers: Vec<Viewer> = self.viewers().collect();
        for viewer in viewers {
            // Whatever of it is in sight is named now.
            self.view(viewer);
            let place = self.place(viewer);
            self.memory.eyes[place].before.clear();
        }
    }

    /// The board as folded so far.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// All viewers: seats in order, then the spectators.
    pub fn viewers(&self) -> impl Iterator<Item = Viewer> + use<> {
        (0..self.board.seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator])
    }

    pub(crate) fn place(&self, viewer: Viewer) -> usize {
        self.memory.place(viewer)
    }

    /// Takes in the events of a log from `from_record` on. For each of them `sink` gets, for every
    /// viewer in order, what that viewer sees of it; nothing if it is not for them.
    ///
    /// # Errors
    ///
    /// If the log does not continue what was seen before.
    pub fn observe(
        &mut self,
        log: &Log,
        from_record: usize,
        sink: impl FnMut(Viewer, Option<Datum>),
    ) -> Result<(), FaultCode> {
        self.follow(log, from_record, sink, None)
    }

    /// The same, and `post` gets the [letters](Letter) about each event, by seat, as soon as it has been told.
    ///
    /// # Errors
    ///
    /// If the log does not continue what was seen before.
    pub fn observe_with_letters(
        &mut self,
        log: &Log,
        from_record: usize,
        sink: impl FnMut(Viewer, Option<Datum>),
        mut post: impl FnMut(Letter),
    ) -> Result<(), FaultCode> {
        self.follow(log, from_record, sink, Some(&mut post))
    }

    fn follow(
        &mut self,
        log: &Log,
        from_record: usize,
        mut sink: impl FnMut(Viewer, Option<Datum>),
        mut post: Post<'_>,
    ) -> Result<(), FaultCode> {
        self.computed.clear();
        for record in log.records().iter().skip(from_record) {
            self.observe_one(log, record, &mut sink, &mut post)?;
            self.live_words = self.board.collect_if_due(&self.program, &self.folder.tables, self.live_words);
        }
        Ok(())
    }

    fn observe_one(
        &mut self,
        log: &Log,
        record: &Record,
        sink: &mut impl FnMut(Viewer, Option<Datum>),
        post: &mut Post<'_>,
    ) -> Result<(), FaultCode> {
        let payload = self.folder.read(&mut self.board, log, record).ok_or(FaultCode::Missing)?;
        let mentioned = self.mentioned(record.event, &payload);
        let viewers: Vec<Viewer> = self.viewers().collect();
        let mut seen: Vec<Vec<Word>> = Vec::with_capacity(viewers.len());
        for viewer in &viewers {
            seen.push(mentioned.iter().copied().filter(|entity| self.sees(*viewer, *entity)).collect());
        }
        let told_before: Vec<bool> =
            viewers.iter().map(|viewer| self.sees_change(*viewer, record.event, &payload)).collect();
        if record.status == Status::Applied {
            self.folder.fold(&mut self.board, log, record)?;
            if record.event == native::CREATED {
                let made = payload.fields.first().map(|made| word::row(*made));
                self.told.iter_mut().for_each(|told| told.made.extend(made));
            }
        }
        if record.status == Status::Failed || record.status == Status::Prevented && self.knows_all() {
            // A rule of the game went wrong: everyone who would have seen it happen may know.
            let status = if record.status == Status::Failed { "failed" } else { "prevented" };
            for (place, viewer) in viewers.iter().enumerate() {
                let datum =
                    self.tell(*viewer, record, &payload, &mentioned, &seen[place], told_before[place]);
                let status = (Text::new_static("status"), Datum::text(status));
                sink(*viewer, datum.map(|datum| with_entry(datum, status)));
            }
            return Ok(());
        }
        if record.status != Status::Applied {
            // What did not happen is told by `EventPrevented`, to those who would have seen it happen.
            for (place, viewer) in viewers.iter().enumerate() {
                let (sight, tells) = (&seen[place], told_before[place]);
                if self.manner(*viewer, record.event, &payload, &mentioned, sight, tells).is_some() {
                    self.memory.prevented.push((record.id, place));
                }
                sink(*viewer, None);
            }
            return Ok(());
        }
        let renewed = self.renewed(record.event, &payload);
        let may_hide = self.may_hide(record.event, &payload, &mentioned);
        for (place, viewer) in viewers.iter().enumerate() {
            let in_sight = &mut seen[place];
            // Who did not see it before is told of the new object, who did of the old one; nobody of both.
            let (payload, mentioned) = match &renewed {
                Some((new, mentioned)) if !in_sight.contains(&payload.fields[0]) => (new, mentioned),
                _ => (&payload, &mentioned),
            };
            for entity in mentioned {
                if !in_sight.contains(entity) && self.sees(*viewer, *entity) {
                    in_sight.push(*entity);
                }
            }
            let tells = told_before[place] || self.sees_change(*viewer, record.event, payload);
            let datum = self.tell(*viewer, record, payload, mentioned, in_sight, tells);
            if datum.is_some() && !self.memory.learners.is_empty() {
                self.learn(*viewer, record.event, payload);
            }
            if let (Some(_), Viewer::Seat(seat), Some(post)) = (&datum, viewer, &mut *post) {
                self.event_letters(*seat, record.event, &payload.fields).into_iter().for_each(post);
            }
            sink(*viewer, datum);
            if may_hide {
                self.forget(*viewer);
            }
        }
        Ok(())
    }

    /// Whether something may be out of sight after an event, or may be named by it that is.
    fn may_hide(&self, event: EventId, payload: &Payload, mentioned: &[Word]) -> bool {
        let is_always_seen = |entity: &Word| *entity == word::MATCH || self.board.is_player(*entity);
        let is_hiding = match event {
            native::CREATED | native::MOVED | native::REMOVED | native::SHUFFLED => true,
            native::CHANGED => {
                let prop = self.program.props.get(usize::from(payload.detail));
                prop.is_none_or(|prop| prop.name == native::KNOWN)
            }
            _ => !mentioned.iter().all(is_always_seen),
        };
        is_hiding || self.is_sight_computed
    }

    /// A `Moved` event that has made its entity a new object, as told of the new one.
    fn renewed(&self, event: EventId, payload: &Payload) -> Option<(Payload, Vec<Word>)> {
        let old = payload.fields.first().copied().filter(|_| event == native::MOVED)?;
        if self.board.entity(old).is_some() {
            return None;
        }
        let mut payload = payload.clone();
        payload.fields[0] = self.board.reference(word::row(old));
        let mentioned = self.mentioned(event, &payload);
        Some((payload, mentioned))
    }

    /// All entities an event speaks of, hosts of its zones included.
    fn mentioned(&self, event: EventId, payload: &Payload) -> Vec<Word> {
        let mut found = Vec::new();
        let fields = &self.program.events[event.index()].fields;
        for (field, value) in fields.iter().zip(&payload.fields) {
            let ty = field_type(&self.program, field.ty, payload.detail);
            self.collect(ty, *value, &mut found);
        }
        for pair in payload.with.chunks_exact(2) {
            self.collect(self.program.props[pair[0] as usize].ty, pair[1], &mut found);
        }
        found
    }

    pub(crate) fn collect(&self, ty: TypeId, value: Word, found: &mut Vec<Word>) {
        self.collect_from(&self.board, ty, value, found);
    }

    /// The same for a value on another board.
    pub(crate) fn collect_from(&self, board: &Board, ty: TypeId, value: Word, found: &mut Vec<Word>) {
        if value == NULL {
            return;
        }
        let shapes = Shapes { program: &self.program, seats: board.seats };
        let heap = &board.heap;
        match shapes.layout(ty) {
            Layout::Plain => match self.program.types[ty.index()] {
                Type::Entity | Type::Kind(_) if !found.contains(&value) => found.push(value),
                Type::Zone => {
                    let host = u32::try_from(value).ok().and_then(|zone| board.zones.head(zone));
                    let host = host.map_or(NOWHERE, |head| head.host);
                    if host != NOWHERE {
                        found.push(board.reference(host));
                    }
                }
                _ => {}
            },
            Layout::Offer => {
                let words = heap.list(value).unwrap_or(&[]);
                let Some(types) = words.first().and_then(|action| shapes.offered(*action)) else { return };
                let params = words.get(crate::offers::OFFER_HEAD..).unwrap_or(&[]);
                types.zip(params).for_each(|(ty, value)| self.collect_from(board, ty, *value, found));
                if let Some(host) = words.get(2).filter(|host| **host != NULL && !found.contains(host)) {
                    found.push(*host);
                }
            }
            Layout::List(item) => {
                heap.list(value)
                    .unwrap_or(&[])
                    .iter()
                    .for_each(|value| self.collect_from(board, item, *value, found));
            }
            Layout::Map(count, item) => {
                let values = heap.fields(value, count).unwrap_or(&[]);
                values.iter().for_each(|value| self.collect_from(board, item, *value, found));
            }
            Layout::Record(fields) => {
                let values = heap.fields(value, fields.len()).unwrap_or(&[]);
                fields
                    .iter()
                    .zip(values)
                    .for_each(|((_, ty), value)| self.collect_from(board, *ty, *value, found));
            }
        }
    }

    /// For a `Changed` event: whether the viewer sees that property of that entity.
    fn sees_change(&mut self, viewer: Viewer, event: EventId, payload: &Payload) -> bool {
        if event != native::CHANGED {
            return true;
        }
        let Some(entity) = payload.fields.first().copied() else {
            return false;
        };
        self.sees(viewer, entity) && self.sees_prop(viewer, entity, PropId(payload.detail))
    }

    /// How a viewer is told of an event, if at all: with every entity named, and without which fields.
    fn manner(
        &mut self,
        viewer: Viewer,
        event: EventId,
        payload: &Payload,
        mentioned: &[Word],
        in_sight: &[Word],
        tells: bool,
    ) -> Option<(bool, &'static [usize])> {
        if self.knows_all() {
            return Some((true, &[]));
        }
        let field = |index: usize| payload.fields.get(index).copied().unwrap_or(NULL);
        let sees_subject = in_sight.contains(&field(0));
        Some(match event {
            native::CHANGED if !tells => return None,
            native::CREATED if !sees_subject && field(3) == NULL => return None,
            native::CREATED if !sees_subject => (false, &[1, 2]),
            native::REMOVED if !sees_subject => return None,
            native::SHUFFLED if !self.sees_all_in(viewer, field(0)) => (false, &[1]),
            native::EVENT_PREVENTED => {
                // Told to those who would have seen the event; its id counts what others cannot see.
                let place = self.place(viewer);
                let is_it = |(id, who): &(u32, usize)| Word::from(*id) == field(0) && *who == place;
                let known = self.memory.prevented.iter().position(is_it)?;
                self.memory.prevented.swap_remove(known);
                (false, &[0])
            }
            event if event.index() < native::EVENTS.len() => (false, &[]),
            event => (self.sees_event(viewer, event, payload, mentioned)?, &[]),
        })
    }

    /// What a viewer is told of an event.
    fn tell(
        &mut self,
        viewer: Viewer,
        record: &Record,
        payload: &Payload,
        mentioned: &[Word],
        in_sight: &[Word],
        tells: bool,
    ) -> Option<Datum> {
        let (all_named, hidden) = self.manner(viewer, record.event, payload, mentioned, in_sight, tells)?;
        let place = self.place(viewer);
        self.memory.eyes[place].told += 1;
        let number = self.memory.eyes[place].told;
        self.memory.eyes[place].numbers.insert(record.id, number);
        let cause = match record.cause {
            Cause::Event(id) => {
                self.memory.eyes[place].numbers.get(id).map_or(Datum::Null, |n| Datum::Int(i64::from(n)))
            }
            Cause::Input(_) => Datum::Null,
        };
        let mut entries = self.fields(place, record.event, payload, in_sight, all_named, hidden);
        let subject = payload.fields.first().copied().unwrap_or(NULL);
        if record.event == native::CREATED && in_sight.contains(&subject) {
            let with = self.with(viewer, payload, in_sight);
            entries.push((Text::new_static("with"), with));
        }
        Some(Datum::Map(vec![
            (Text::new_static("n"), Datum::Int(i64::from(number))),
            (Text::new_static("event"), Datum::text(&self.program.events[record.event.index()].name)),
            (Text::new_static("cause"), cause),
            (Text::new_static("payload"), Datum::Map(entries)),
        ]))
    }

    fn fields(
        &mut self,
        place: usize,
        event: EventId,
        payload: &Payload,
        in_sight: &[Word],
        all_named: bool,
        hidden: &[usize],
    ) -> Vec<(Text, Datum)> {
        let (eyes, told) = (&mut self.memory.eyes[place], &mut self.told);
        let mut name = |entity| {
            let is_in_sight = in_sight.contains(&entity);
            if !all_named && !is_in_sight {
                return Datum::Null;
            }
            if let Some(told) = told {
                told.named.insert((place, word::row(entity), is_in_sight));
            }
            eyes.name(entity)
        };
        let program = &self.program;
        let mut entries = Vec::new();
        for (index, (field, value)) in
            program.events[event.index()].fields.iter().zip(&payload.fields).enumerate()
        {
            let ty = field_type(program, field.ty, payload.detail);
            let datum = match hidden.contains(&index) {
                true => Datum::Null,
                false => describe_with(program, &self.board, *value, ty, &mut name),
            };
            entries.push((program.symbol(field.name).into(), datum));
        }
        entries
    }

    /// The properties a created entity was given, as far as the viewer sees them.
    fn with(&mut self, viewer: Viewer, payload: &Payload, in_sight: &[Word]) -> Datum {
        let mut entries = Vec::new();
        let place = self.place(viewer);
        for pair in payload.with.chunks_exact(2) {
            let prop = PropId(pair[0] as u16);
            if !self.sees_prop(viewer, payload.fields[0], prop) {
                continue;
            }
            let eyes = &mut self.memory.eyes[place];
            let mut name = |entity| {
                if in_sight.contains(&entity) { eyes.name(entity) } else { Datum::Null }
            };
            let found = &self.program.props[prop.index()];
            let value = describe_with(&self.program, &self.board, pair[1], found.ty, &mut name);
            entries.push((self.program.symbol(found.name).into(), value));
        }
        Datum::Map(entries)
    }

    /// Nothing if an event of the ruleset is not for the viewer; else whether all its entities are named.
    fn sees_event(
        &mut self,
        viewer: Viewer,
        event: EventId,
        payload: &Payload,
        mentioned: &[Word],
    ) -> Option<bool> {
        match self.program.events[event.index()].visible {
            Visibility::All => Some(true),
            Visibility::None => None,
            Visibility::ByContents => Some(false),
            Visibility::Owner => {
                let Viewer::Seat(seat) = viewer else {
                    return None;
                };
                let owns =
                    |entity: &Word| self.board.entity(*entity).is_some_and(|entity| entity.owner == seat.0);
                mentioned.iter().any(owns).then_some(false)
            }
            Visibility::Computed(routine) => {
                let Viewer::Seat(seat) = viewer else {
                    return None;
                };
                let mut args = vec![word::player(seat)];
                args.extend_from_slice(&payload.fields);
                self.test(routine, &args).then_some(false)
            }
        }
    }

    /// Forgets the names of entities that are out of sight.
    fn forget(&mut self, viewer: Viewer) {
        let place = self.place(viewer);
        let mut names = std::mem::take(&mut self.memory.eyes[place].names);
        names.retain(|entity, _| self.sees(viewer, entity));
        self.memory.eyes[place].names = names;
    }

    /// The question a viewer knows by that number.
    #[must_use]
    pub fn input_named(&self, viewer: Viewer, number: u32) -> Option<InputId> {
        let questions = &self.memory.eyes[self.place(viewer)].questions;
        questions.key_of(number).map(InputId)
    }

    /// Whether a viewer was ever asked a question by that number.
    #[must_use]
    pub fn has_asked(&self, viewer: Viewer, number: u32) -> bool {
        (1..=self.memory.eyes[self.place(viewer)].asked).contains(&number)
    }

    /// The viewer's name for an entity, if it is in sight: `#3`, or `p0` for a player.
    pub fn name_of(&mut self, viewer: Viewer, entity: Word) -> Option<String> {
        match self.reference(viewer, entity) {
            Datum::Text(name) => Some(name.into()),
            _ => None,
        }
    }

    /// The entity a viewer knows by that name.
    #[must_use]
    pub fn entity_named(&self, viewer: Viewer, name: &str) -> Option<Word> {
        let number: u32 = name.strip_prefix('#')?.parse().ok()?;
        self.memory.eyes[self.place(viewer)].names.key_of(number)
    }
}

fn with_entry(datum: Datum, entry: (Text, Datum)) -> Datum {
    match datum {
        Datum::Map(mut entries) => {
            entries.push(entry);
            Datum::Map(entries)
        }
        other => other,
    }
}
