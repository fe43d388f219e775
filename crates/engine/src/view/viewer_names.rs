//! Viewer-local names and numbers: what each viewer calls entities, events and questions.
//!
//! [`ViewerNames`] is the only state of an [`Observer`] that does not follow from the match. It can be stored
//! without the match, encoded, and [resumed](ViewerNames::resume) next to the match later.

use std::sync::Arc;

use intermezzo_program::{Seat, Word, word};

use smol_str::format_smolstr;

use crate::ask::input::InputId;
use crate::run::match_instance::Match;
use crate::storage::codec::{pack, unpack};
use crate::storage::fold::LogFold;
use crate::storage::restore::{MAX_COUNT, RestoreError, SnapshotReader};
use crate::values::datum::Datum;
use crate::view::observer::{Observer, Viewer};
use crate::view::tutorial::Learner;

/// First byte of every encoding.
const VERSION: u8 = 1;

/// The names and numbers that the viewers of a match know.
#[derive(Clone, Debug, Default)]
pub struct ViewerNames {
    /// By seat; the spectators come last.
    pub(crate) viewers: Vec<ViewerNumbering>,
    /// Prevented events, each with the index of a viewer who would have seen it.
    pub(crate) prevented: Vec<(u32, usize)>,
    /// Seats that play the tutorial.
    pub(crate) learners: Vec<Learner>,
}

/// The names and numbers that one viewer knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewerNumbering {
    /// Names of visible entities.
    pub(crate) names: SortedNumbers<Word>,
    pub(crate) last_name: u32,
    /// Names from before an undo, to be used again for the same entities.
    pub(crate) previous_names: SortedNumbers<Word>,
    /// Numbers of the events shown, by event id.
    pub(crate) numbers: EventNumbers,
    pub(crate) last_event: u32,
    /// Numbers of questions, by question id.
    pub(crate) questions: SortedNumbers<u32>,
    pub(crate) last_question: u32,
    /// True for an omniscient viewer, who sees everything and calls entities by their row numbers.
    pub(crate) sees_all: bool,
}

/// A small map to numbers, sorted by key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SortedNumbers<K>(Vec<(K, u32)>);

/// Numbers of events by event id, run-length encoded: a run stores only its start while ids and numbers
/// advance together.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventNumbers(Vec<NumberRun>);

/// A run: the ids from `id` on have the numbers from `number` on.
#[derive(Clone, Copy, Debug)]
struct NumberRun {
    id: u32,
    number: u32,
    len: u32,
}

impl<K> Default for SortedNumbers<K> {
    fn default() -> SortedNumbers<K> {
        SortedNumbers(Vec::new())
    }
}

impl<K: Copy + Ord> SortedNumbers<K> {
    pub(crate) fn get(&self, key: K) -> Option<u32> {
        self.0.binary_search_by_key(&key, |entry| entry.0).ok().map(|at| self.0[at].1)
    }

    /// Returns the number of a key; inserts `new` if it has none.
    pub(crate) fn get_or(&mut self, key: K, new: impl FnOnce() -> u32) -> u32 {
        match self.0.binary_search_by_key(&key, |entry| entry.0) {
            Ok(at) => self.0[at].1,
            Err(at) => {
                let number = new();
                self.0.insert(at, (key, number));
                number
            }
        }
    }

    pub(crate) fn key_of(&self, number: u32) -> Option<K> {
        self.0.iter().find(|entry| entry.1 == number).map(|entry| entry.0)
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(K, u32) -> bool) {
        self.0.retain(|(key, number)| is_kept(*key, *number));
    }

    pub(crate) fn remove(&mut self, key: K) {
        if let Ok(at) = self.0.binary_search_by_key(&key, |entry| entry.0) {
            self.0.remove(at);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl EventNumbers {
    /// Returns how many runs begin at an id or before it. Searches the last few runs first: lookups are
    /// mostly about recent events.
    fn up_to(&self, id: u32) -> usize {
        const RECENT: usize = 8;
        let recent = self.0.len().saturating_sub(RECENT);
        match self.0.get(recent) {
            Some(run) if run.id <= id => recent + self.0[recent..].partition_point(|run| run.id <= id),
            _ => self.0[..recent].partition_point(|run| run.id <= id),
        }
    }

    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        let run = self.0.get(self.up_to(id).checked_sub(1)?)?;
        (id - run.id < run.len).then(|| run.number + (id - run.id))
    }

    /// Adds the number of an event. Events arrive in the order of their ids, or nearly so, so this mostly
    /// extends the last run.
    pub(crate) fn insert(&mut self, id: u32, number: u32) {
        let at = self.up_to(id);
        if let Some(run) = at.checked_sub(1).map(|at| &mut self.0[at]) {
            if id - run.id < run.len {
                return;
            }
            if (id - run.id, number.wrapping_sub(run.number)) == (run.len, run.len) {
                run.len += 1;
                return;
            }
        }
        self.0.insert(at, NumberRun { id, number, len: 1 });
    }
}

impl ViewerNumbering {
    /// Returns the viewer's name for a visible entity; assigns one if it has none.
    pub(crate) fn name(&mut self, entity: Word) -> Datum {
        Datum::Text(format_smolstr!("#{}", self.number_of(entity)))
    }

    fn number_of(&mut self, entity: Word) -> u32 {
        let next = || match self.sees_all {
            true => word::row(entity),
            false => self.previous_names.get(entity).unwrap_or(self.last_name + 1),
        };
        let number = self.names.get_or(entity, next);
        self.last_name = self.last_name.max(number);
        number
    }

    /// Returns the viewer's own number of a question; assigns one if it has none.
    pub(crate) fn question_number(&mut self, id: InputId) -> u32 {
        let number = self.questions.get_or(id.0, || self.last_question + 1);
        self.last_question = self.last_question.max(number);
        number
    }

    fn shrink(&mut self) {
        self.names.0.shrink_to_fit();
        self.previous_names.0.shrink_to_fit();
        self.numbers.0.shrink_to_fit();
        self.questions.0.shrink_to_fit();
    }
}

impl ViewerNames {
    pub(crate) fn new(seats: u8) -> ViewerNames {
        let viewers = vec![ViewerNumbering::default(); usize::from(seats) + 1];
        ViewerNames { viewers, ..ViewerNames::default() }
    }

    /// Resumes observing the match, which must be in the state in which the names were taken.
    #[must_use]
    pub fn resume(self, game: &Match) -> Observer {
        let folder = LogFold::with_tables(Arc::clone(&game.program), Arc::clone(&game.tables));
        Observer::with_state(folder, game.board.clone(), self)
    }

    /// Returns the number by which a viewer knows a question; `None` if it has not been shown.
    #[must_use]
    pub fn number_of(&self, viewer: Viewer, input: InputId) -> Option<u32> {
        self.viewers[self.viewer_index(viewer)].questions.get(input.0)
    }

    pub(crate) fn viewer_index(&self, viewer: Viewer) -> usize {
        let last = self.viewers.len() - 1;
        match viewer {
            Viewer::Seat(seat) => usize::from(seat.0).min(last),
            Viewer::Spectator => last,
        }
    }

    /// Releases memory that is not needed while the names are stored.
    pub fn compact(&mut self) {
        self.viewers.iter_mut().for_each(ViewerNumbering::shrink);
        self.viewers.shrink_to_fit();
        self.prevented.shrink_to_fit();
        self.learners.shrink_to_fit();
    }

    /// Encodes the names as bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut words = Vec::new();
        put_len(&mut words, self.viewers.len());
        self.viewers.iter().for_each(|numbering| write_numbering(numbering, &mut words));
        put_len(&mut words, self.prevented.len());
        for (id, place) in &self.prevented {
            words.extend([Word::from(*id), *place as Word]);
        }
        put_len(&mut words, self.learners.len());
        for learner in &self.learners {
            let shown_with = learner.shown_with.map_or(0, |input| Word::from(input.0) + 1);
            words.extend([Word::from(learner.seat.0), learner.next as Word, shown_with]);
        }
        let mut bytes = vec![VERSION];
        pack(&words, &mut bytes);
        bytes
    }

    /// Decodes the names of the viewers of a match.
    ///
    /// # Errors
    ///
    /// If the bytes are not a valid encoding for this match.
    pub fn decode(game: &Match, bytes: &[u8]) -> Result<ViewerNames, RestoreError> {
        let (version, rest) = bytes.split_first().ok_or(RestoreError::Corrupt)?;
        if *version != VERSION {
            return Err(RestoreError::WrongVersion);
        }
        let words = unpack(rest).ok_or(RestoreError::Corrupt)?;
        let mut reader = SnapshotReader { program: &game.program, words: &words };
        let names = read_viewer_names(&mut reader, game).filter(|_| reader.words.is_empty());
        names.ok_or(RestoreError::Corrupt)
    }
}

impl Observer {
    #[must_use]
    pub fn viewer_names(&self) -> &ViewerNames {
        &self.viewer_names
    }

    /// Stops observing the match and returns the names.
    #[must_use]
    pub fn into_viewer_names(self) -> ViewerNames {
        self.viewer_names
    }

    /// Forgets the numbers of questions that the match can no longer ask.
    pub fn forget_closed_questions(&mut self, game: &Match) {
        let known = || game.requests.questions.iter().chain(&game.requests.recent);
        for numbering in &mut self.viewer_names.viewers {
            numbering.questions.retain(|id, _| known().any(|ask| ask.id.0 == id));
        }
    }

    /// Runs `look` for a viewer without side effects on names: names assigned meanwhile are forgotten.
    pub fn without_naming<T>(&mut self, viewer: Viewer, look: impl FnOnce(&mut Observer) -> T) -> T {
        let place = self.viewer_index(viewer);
        let last_name = self.viewer_names.viewers[place].last_name;
        let seen = look(self);
        let numbering = &mut self.viewer_names.viewers[place];
        if numbering.last_name != last_name {
            numbering.names.retain(|_, number| number <= last_name);
            numbering.last_name = last_name;
        }
        seen
    }
}

fn put_len(words: &mut Vec<Word>, len: usize) {
    words.push(len as Word);
}

fn write_numbering(numbering: &ViewerNumbering, words: &mut Vec<Word>) {
    words.extend([numbering.last_name, numbering.last_event, numbering.last_question].map(Word::from));
    for names in [&numbering.names, &numbering.previous_names] {
        put_len(words, names.0.len());
        words.extend(names.0.iter().flat_map(|(entity, number)| [*entity, Word::from(*number)]));
    }
    put_len(words, numbering.numbers.0.len());
    // Each run is written as its distance from the one before, because small numbers pack well.
    let (mut id, mut number) = (0, 0);
    for run in &numbering.numbers.0 {
        let next = (Word::from(run.id), Word::from(run.number));
        words.extend([next.0 - id, next.1 - number, Word::from(run.len)]);
        (id, number) = next;
    }
    put_len(words, numbering.questions.0.len());
    words.extend(numbering.questions.0.iter().flat_map(|(id, number)| [*id, *number].map(Word::from)));
}

fn read_viewer_names(reader: &mut SnapshotReader<'_>, game: &Match) -> Option<ViewerNames> {
    let mut names = ViewerNames::new(game.board.seats);
    let places = names.viewers.len();
    if reader.len()? != places {
        return None;
    }
    for numbering in &mut names.viewers {
        *numbering = read_numbering(reader, game)?;
    }
    for _ in 0..reader.len()? {
        let id = reader.below(Word::from(game.counters.events) + 1)? as u32;
        names.prevented.push((id, reader.below(places as Word)? as usize));
    }
    for _ in 0..reader.len()? {
        let seat = Seat(reader.below(Word::from(game.board.seats))? as u8);
        let next = reader.below(game.program.lessons.len() as Word + 1)? as usize;
        let shown_with = reader.below(MAX_COUNT)?.checked_sub(1).filter(|input| *input >= 0);
        let shown_with = shown_with.map(|input| InputId(input as u32));
        if names.learners.iter().any(|learner| learner.seat == seat) {
            return None;
        }
        names.learners.push(Learner { seat, next, shown_with });
    }
    Some(names)
}

fn read_numbering(reader: &mut SnapshotReader<'_>, game: &Match) -> Option<ViewerNumbering> {
    let [last_name, last_event, last_question] =
        [reader.below(MAX_COUNT)?, reader.below(MAX_COUNT)?, reader.below(MAX_COUNT)?].map(|n| n as u32);
    let entity =
        |reader: &mut SnapshotReader<'_>| reader.reference(&game.board).filter(|entity| *entity >= 0);
    let names = read_sorted(reader, last_name, entity)?;
    let previous_names = read_sorted(reader, last_name, entity)?;
    let numbers = read_numbers(reader, game.counters.events, last_event)?;
    let question = |reader: &mut SnapshotReader<'_>| {
        reader.below(Word::from(game.counters.questions) + 1).map(|id| id as u32)
    };
    let questions = read_sorted(reader, last_question, question)?;
    Some(ViewerNumbering {
        names,
        last_name,
        previous_names,
        numbers,
        last_event,
        questions,
        last_question,
        sees_all: false,
    })
}

/// Reads sorted keys, each with a unique number between 1 and `given`.
fn read_sorted<K: Copy + Ord>(
    reader: &mut SnapshotReader<'_>,
    given: u32,
    mut key: impl FnMut(&mut SnapshotReader<'_>) -> Option<K>,
) -> Option<SortedNumbers<K>> {
    let mut entries: Vec<(K, u32)> = Vec::new();
    for _ in 0..reader.len()? {
        let key = key(reader)?;
        let number = reader.below(Word::from(given) + 1).filter(|number| *number > 0)? as u32;
        entries.last().is_none_or(|last| last.0 < key).then_some(())?;
        entries.push((key, number));
    }
    let mut numbers: Vec<u32> = entries.iter().map(|entry| entry.1).collect();
    numbers.sort_unstable();
    numbers.windows(2).all(|pair| pair[0] < pair[1]).then_some(SortedNumbers(entries))
}

fn read_numbers(reader: &mut SnapshotReader<'_>, events: u32, last_event: u32) -> Option<EventNumbers> {
    let mut runs: Vec<NumberRun> = Vec::new();
    let (mut id, mut number, mut end): (Word, Word, Word) = (0, 0, 0);
    for _ in 0..reader.len()? {
        id = id.checked_add(reader.next()?)?;
        number = number.checked_add(reader.next()?)?;
        let len = reader.below(MAX_COUNT)?;
        let fits = len > 0 && id >= end && id < MAX_COUNT && (1..MAX_COUNT).contains(&number);
        if !fits || id + len - 1 > Word::from(events) || number + len - 1 > Word::from(last_event) {
            return None;
        }
        end = id + len;
        runs.push(NumberRun { id: id as u32, number: number as u32, len: len as u32 });
    }
    Some(EventNumbers(runs))
}
