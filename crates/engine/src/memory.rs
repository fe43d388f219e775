//! What viewers have been told so far: the names and numbers they know things by.
//!
//! A [`Memory`] is all of a [`Witness`] that does not follow from the match. It can rest without one, be written
//! down, and [wake](Memory::wake) beside the match later.

use std::sync::Arc;

use intermezzo_ruleset::{Seat, Word, word};

use crate::codec::{pack, unpack};
use crate::datum::Datum;
use crate::fold::Folder;
use crate::input::InputId;
use crate::lessons::Learner;
use crate::play::Match;
use crate::restore::{MAX_COUNT, Reader, RestoreError};
use crate::witness::{Viewer, Witness};

/// First byte of every memory that is written down.
const VERSION: u8 = 1;

/// What the viewers of a match have been told so far.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// By seat; the spectators come last.
    pub(crate) eyes: Vec<Eyes>,
    /// Events that did not happen, with the places of those who would have seen them.
    pub(crate) prevented: Vec<(u32, usize)>,
    /// Seats that learn the game.
    pub(crate) learners: Vec<Learner>,
}

/// What one viewer has been told so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eyes {
    /// Names of entities in sight.
    pub(crate) names: Sorted<Word>,
    pub(crate) named: u32,
    /// Names from before the match went another way, to be used again for the same entities.
    pub(crate) before: Sorted<Word>,
    /// Numbers of events told, by their ids.
    pub(crate) numbers: Numbers,
    pub(crate) told: u32,
    /// Numbers of questions, by their ids.
    pub(crate) questions: Sorted<u32>,
    pub(crate) asked: u32,
    /// Sees everything, and calls entities by their own numbers.
    pub(crate) sees_all: bool,
}

/// A small map to numbers, in order of its keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sorted<K>(Vec<(K, u32)>);

/// Numbers of events by their ids. Where both count on together, only the beginning is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(Vec<Run>);

/// Ids from `id` on have the numbers from `number` on.
#[derive(Clone, Copy, Debug)]
struct Run {
    id: u32,
    number: u32,
    len: u32,
}

impl<K> Default for Sorted<K> {
    fn default() -> Sorted<K> {
        Sorted(Vec::new())
    }
}

impl<K: Copy + Ord> Sorted<K> {
    pub(crate) fn get(&self, key: K) -> Option<u32> {
        self.0.binary_search_by_key(&key, |entry| entry.0).ok().map(|at| self.0[at].1)
    }

    /// The number of a key, `new` if it has none yet.
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

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Numbers {
    pub(crate) fn get(&self, id: u32) -> Option<u32> {
        let run = self.0.get(self.0.partition_point(|run| run.id <= id).checked_sub(1)?)?;
        (id - run.id < run.len).then(|| run.number + (id - run.id))
    }

    /// Events are told about in the order of their ids, or nearly so.
    pub(crate) fn insert(&mut self, id: u32, number: u32) {
        let at = self.0.partition_point(|run| run.id <= id);
        if let Some(before) = at.checked_sub(1).map(|at| &mut self.0[at]) {
            if id - before.id < before.len {
                return;
            }
            if (id - before.id, number.wrapping_sub(before.number)) == (before.len, before.len) {
                before.len += 1;
                return;
            }
        }
        self.0.insert(at, Run { id, number, len: 1 });
    }
}

impl Eyes {
    /// The viewer's name for an entity in sight.
    pub(crate) fn name(&mut self, entity: Word) -> Datum {
        Datum::Text(format!("#{}", self.number_of(entity)))
    }

    fn number_of(&mut self, entity: Word) -> u32 {
        let next = || match self.sees_all {
            true => word::row(entity),
            false => self.before.get(entity).unwrap_or(self.named + 1),
        };
        let number = self.names.get_or(entity, next);
        self.named = self.named.max(number);
        number
    }

    /// The viewer's own number of a question.
    pub(crate) fn question(&mut self, id: InputId) -> u32 {
        let number = self.questions.get_or(id.0, || self.asked + 1);
        self.asked = self.asked.max(number);
        number
    }

    fn shrink(&mut self) {
        self.names.0.shrink_to_fit();
        self.before.0.shrink_to_fit();
        self.numbers.0.shrink_to_fit();
        self.questions.0.shrink_to_fit();
    }
}

impl Memory {
    /// Nothing told to anyone yet.
    pub(crate) fn new(seats: u8) -> Memory {
        let eyes = vec![Eyes::default(); usize::from(seats) + 1];
        Memory { eyes, ..Memory::default() }
    }

    /// Goes on following the match, which must be as it was when the memory was made.
    #[must_use]
    pub fn wake(self, game: &Match) -> Witness {
        let folder = Folder::with_tables(Arc::clone(&game.program), Arc::clone(&game.tables));
        Witness::that_follows(folder, game.board.clone(), self)
    }

    /// The number by which a viewer knows a question; nothing if it was not shown yet.
    #[must_use]
    pub fn number_of(&self, viewer: Viewer, input: InputId) -> Option<u32> {
        self.eyes[self.place(viewer)].questions.get(input.0)
    }

    pub(crate) fn place(&self, viewer: Viewer) -> usize {
        let last = self.eyes.len() - 1;
        match viewer {
            Viewer::Seat(seat) => usize::from(seat.0).min(last),
            Viewer::Spectator => last,
        }
    }

    /// Gives back what it does not need while it rests.
    pub fn compact(&mut self) {
        self.eyes.iter_mut().for_each(Eyes::shrink);
        self.eyes.shrink_to_fit();
        self.prevented.shrink_to_fit();
        self.learners.shrink_to_fit();
    }

    /// The memory as bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut words = Vec::new();
        put_len(&mut words, self.eyes.len());
        self.eyes.iter().for_each(|eyes| write_eyes(eyes, &mut words));
        put_len(&mut words, self.prevented.len());
        for (id, place) in &self.prevented {
            words.extend([Word::from(*id), *place as Word]);
        }
        put_len(&mut words, self.learners.len());
        for learner in &self.learners {
            let told_with = learner.told_with.map_or(0, |input| Word::from(input.0) + 1);
            words.extend([Word::from(learner.seat.0), learner.next as Word, told_with]);
        }
        let mut bytes = vec![VERSION];
        pack(&words, &mut bytes);
        bytes
    }

    /// Reads the memory of the viewers of a match back.
    ///
    /// # Errors
    ///
    /// If the bytes are not what such a memory is written as.
    pub fn decode(game: &Match, bytes: &[u8]) -> Result<Memory, RestoreError> {
        let (version, rest) = bytes.split_first().ok_or(RestoreError::Broken)?;
        if *version != VERSION {
            return Err(RestoreError::WrongVersion);
        }
        let words = unpack(rest).ok_or(RestoreError::Broken)?;
        let mut reader = Reader { program: &game.program, words: &words };
        let memory = read_memory(&mut reader, game).filter(|_| reader.words.is_empty());
        memory.ok_or(RestoreError::Broken)
    }
}

impl Witness {
    /// What the viewers have been told so far.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Stops following the match, but keeps what the viewers have been told.
    #[must_use]
    pub fn rest(self) -> Memory {
        self.memory
    }

    /// Forgets the numbers of questions that the match cannot ask any more.
    pub fn forget_closed(&mut self, game: &Match) {
        let asked = || game.requests.asks.iter().chain(&game.requests.recent);
        for eyes in &mut self.memory.eyes {
            eyes.questions.retain(|id, _| asked().any(|ask| ask.id.0 == id));
        }
    }

    /// Lets something be read or shown for a viewer without a trace: names that are given meanwhile are forgotten.
    pub fn in_passing<T>(&mut self, viewer: Viewer, look: impl FnOnce(&mut Witness) -> T) -> T {
        let place = self.place(viewer);
        let named = self.memory.eyes[place].named;
        let seen = look(self);
        let eyes = &mut self.memory.eyes[place];
        if eyes.named != named {
            eyes.names.retain(|_, number| number <= named);
            eyes.named = named;
        }
        seen
    }
}

fn put_len(words: &mut Vec<Word>, len: usize) {
    words.push(len as Word);
}

fn write_eyes(eyes: &Eyes, words: &mut Vec<Word>) {
    words.extend([eyes.named, eyes.told, eyes.asked].map(Word::from));
    for names in [&eyes.names, &eyes.before] {
        put_len(words, names.0.len());
        words.extend(names.0.iter().flat_map(|(entity, number)| [*entity, Word::from(*number)]));
    }
    put_len(words, eyes.numbers.0.len());
    // Each run as how far it is from the one before: most of these numbers are small.
    let (mut id, mut number) = (0, 0);
    for run in &eyes.numbers.0 {
        let next = (Word::from(run.id), Word::from(run.number));
        words.extend([next.0 - id, next.1 - number, Word::from(run.len)]);
        (id, number) = next;
    }
    put_len(words, eyes.questions.0.len());
    words.extend(eyes.questions.0.iter().flat_map(|(id, number)| [*id, *number].map(Word::from)));
}

fn read_memory(reader: &mut Reader<'_>, game: &Match) -> Option<Memory> {
    let mut memory = Memory::new(game.board.seats);
    let places = memory.eyes.len();
    if reader.len()? != places {
        return None;
    }
    for eyes in &mut memory.eyes {
        *eyes = read_eyes(reader, game)?;
    }
    for _ in 0..reader.len()? {
        let id = reader.below(Word::from(game.counters.events) + 1)? as u32;
        memory.prevented.push((id, reader.below(places as Word)? as usize));
    }
    for _ in 0..reader.len()? {
        let seat = Seat(reader.below(Word::from(game.board.seats))? as u8);
        let next = reader.below(game.program.lessons.len() as Word + 1)? as usize;
        let told_with = reader.below(MAX_COUNT)?.checked_sub(1).filter(|input| *input >= 0);
        let told_with = told_with.map(|input| InputId(input as u32));
        if memory.learners.iter().any(|learner| learner.seat == seat) {
            return None;
        }
        memory.learners.push(Learner { seat, next, told_with });
    }
    Some(memory)
}

fn read_eyes(reader: &mut Reader<'_>, game: &Match) -> Option<Eyes> {
    let [named, told, asked] =
        [reader.below(MAX_COUNT)?, reader.below(MAX_COUNT)?, reader.below(MAX_COUNT)?].map(|n| n as u32);
    let entity = |reader: &mut Reader<'_>| reader.reference(&game.board).filter(|entity| *entity >= 0);
    let names = read_sorted(reader, named, entity)?;
    let before = read_sorted(reader, named, entity)?;
    let numbers = read_numbers(reader, game.counters.events, told)?;
    let question =
        |reader: &mut Reader<'_>| reader.below(Word::from(game.counters.questions) + 1).map(|id| id as u32);
    let questions = read_sorted(reader, asked, question)?;
    Some(Eyes { names, named, before, numbers, told, questions, asked, sees_all: false })
}

/// Keys in order, each with a number of its own of those given so far.
fn read_sorted<K: Copy + Ord>(
    reader: &mut Reader<'_>,
    given: u32,
    mut key: impl FnMut(&mut Reader<'_>) -> Option<K>,
) -> Option<Sorted<K>> {
    let mut entries: Vec<(K, u32)> = Vec::new();
    for _ in 0..reader.len()? {
        let key = key(reader)?;
        let number = reader.below(Word::from(given) + 1).filter(|number| *number > 0)? as u32;
        entries.last().is_none_or(|last| last.0 < key).then_some(())?;
        entries.push((key, number));
    }
    let mut numbers: Vec<u32> = entries.iter().map(|entry| entry.1).collect();
    numbers.sort_unstable();
    numbers.windows(2).all(|pair| pair[0] < pair[1]).then_some(Sorted(entries))
}

fn read_numbers(reader: &mut Reader<'_>, events: u32, told: u32) -> Option<Numbers> {
    let mut runs: Vec<Run> = Vec::new();
    let (mut id, mut number, mut end): (Word, Word, Word) = (0, 0, 0);
    for _ in 0..reader.len()? {
        id = id.checked_add(reader.next()?)?;
        number = number.checked_add(reader.next()?)?;
        let len = reader.below(MAX_COUNT)?;
        let fits = len > 0 && id >= end && id < MAX_COUNT && (1..MAX_COUNT).contains(&number);
        if !fits || id + len - 1 > Word::from(events) || number + len - 1 > Word::from(told) {
            return None;
        }
        end = id + len;
        runs.push(Run { id: id as u32, number: number as u32, len: len as u32 });
    }
    Some(Numbers(runs))
}
