//! The heap for lists, records and maps: one vector of words that only grows while an input is handled.
//!
//! Values never change once built, so undoing an input truncates the vector. Every read is checked: a word that
//! is not an address reads as nothing.

use intermezzo_program::{FaultCode, NULL, Word};

/// Lists, records and maps, back to back. Address 0 is the empty list.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    words: Vec<Word>,
    /// Length at which the memory guard trips.
    ceiling: usize,
    zone_lists: ZoneLists,
}

/// The lists of what is in some zones, built last. Lists never change, so one can stand for the next of the same zone
/// until entities move.
#[derive(Clone, Copy, Debug, Default)]
struct ZoneLists {
    /// Zone instance and list.
    known: [(u32, Word); ZONE_LISTS],
    count: usize,
}

/// Number of zones whose lists are known.
const ZONE_LISTS: usize = 4;

/// A state of the heap to return to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeapMark {
    len: usize,
    ceiling: usize,
}

impl Heap {
    pub(crate) fn new() -> Heap {
        Heap { words: vec![0], ceiling: usize::MAX, zone_lists: ZoneLists::default() }
    }

    /// Creates a placeholder that is about to get its words.
    pub(crate) fn without_words() -> Heap {
        Heap { words: Vec::new(), ceiling: usize::MAX, zone_lists: ZoneLists::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Allows `limit` more words from here on.
    pub(crate) fn allow(&mut self, limit: u32) {
        self.ceiling = self.words.len().saturating_add(limit as usize);
    }

    /// Returns the number of words allowed from here on.
    pub(crate) fn left(&self) -> usize {
        self.ceiling.saturating_sub(self.words.len())
    }

    /// Counts words that are not built again.
    #[inline]
    pub(crate) fn charge(&mut self, words: usize) -> Result<(), FaultCode> {
        self.reserve(words)?;
        self.ceiling -= words;
        Ok(())
    }

    /// Returns a mark for [`Heap::rollback`].
    #[inline]
    pub(crate) fn mark(&self) -> HeapMark {
        HeapMark { len: self.words.len(), ceiling: self.ceiling }
    }

    /// Drops what was built since the mark, and what was counted without being built.
    #[inline]
    pub(crate) fn rollback(&mut self, mark: HeapMark) {
        self.truncate(mark.len);
        self.ceiling = mark.ceiling;
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.forget_zone_lists();
        self.words.truncate(len.max(1));
    }

    /// Returns the list of a zone instance, if it is known and nothing has moved since.
    #[inline]
    pub(crate) fn zone_list(&self, zone: u32) -> Option<Word> {
        let ZoneLists { known, count } = &self.zone_lists;
        known.iter().take(*count).find(|(known, _)| *known == zone).map(|(_, list)| *list)
    }

    /// Remembers the list of a zone instance.
    pub(crate) fn note_zone_list(&mut self, zone: u32, list: Word) {
        let ZoneLists { known, count } = &mut self.zone_lists;
        if *count == ZONE_LISTS {
            *count = 0;
        }
        known[*count] = (zone, list);
        *count += 1;
    }

    /// Notes that entities move, or that lists may get lost.
    #[inline]
    pub(crate) fn forget_zone_lists(&mut self) {
        self.zone_lists.count = 0;
    }

    pub(crate) fn copy_from(&mut self, other: &Heap) {
        self.words.clone_from(&other.words);
        self.ceiling = other.ceiling;
        self.forget_zone_lists();
    }

    /// Writes the new address of a moved value into its first word.
    pub(crate) fn forward(&mut self, at: usize, new: usize) {
        if let Some(first) = self.words.get_mut(at) {
            *first = new as Word;
        }
    }

    /// Swaps in the words of a collected heap.
    pub(crate) fn exchange(&mut self, words: &mut Vec<Word>) {
        self.forget_zone_lists();
        std::mem::swap(&mut self.words, words);
    }

    /// Returns the items of a list, or `None` if `list` is null or not a list.
    #[inline]
    pub(crate) fn list(&self, list: Word) -> Option<&[Word]> {
        let at = usize::try_from(list).ok()?;
        let len = usize::try_from(*self.words.get(at)?).ok()?;
        self.words.get(at + 1..)?.get(..len)
    }

    /// Returns the items of a list, or a fault if it is missing.
    #[inline]
    pub(crate) fn items(&self, list: Word) -> Result<&[Word], FaultCode> {
        self.list(list).ok_or(FaultCode::Missing)
    }

    /// Returns the item at an index of a list, or `None` past its end. Unlike [`Heap::list`], it checks only what one
    /// read needs, because loops call it for every item.
    #[inline]
    pub(crate) fn item(&self, list: Word, at: Word) -> Result<Option<Word>, FaultCode> {
        let first = list as usize;
        let len = *self.words.get(first).ok_or(FaultCode::Missing)?;
        if at >= len {
            return Ok(None);
        }
        let item = self.words.get(first.wrapping_add(1).wrapping_add(at as usize));
        item.copied().map(Some).ok_or(FaultCode::Missing)
    }

    /// Returns word `index` of a record or map.
    #[inline]
    pub(crate) fn field(&self, record: Word, index: usize) -> Result<Word, FaultCode> {
        usize::try_from(record)
            .ok()
            .and_then(|at| self.words.get(at.checked_add(index)?).copied())
            .ok_or(FaultCode::Missing)
    }

    /// Returns all `count` words of a record or map.
    #[inline]
    pub(crate) fn fields(&self, record: Word, count: usize) -> Option<&[Word]> {
        let at = usize::try_from(record).ok()?;
        self.words.get(at..)?.get(..count)
    }

    /// Changes a word of a record or map that is still being built.
    #[inline]
    pub(crate) fn put(&mut self, record: Word, index: usize, value: Word) -> Result<(), FaultCode> {
        let place = usize::try_from(record)
            .ok()
            .filter(|at| *at > 0)
            .and_then(|at| self.words.get_mut(at.checked_add(index)?));
        *place.ok_or(FaultCode::Missing)? = value;
        Ok(())
    }

    fn reserve(&mut self, count: usize) -> Result<Word, FaultCode> {
        if self.words.len().saturating_add(count) > self.ceiling {
            return Err(FaultCode::Memory);
        }
        Ok(self.words.len() as Word)
    }

    /// Creates a list of `items`.
    #[inline]
    pub(crate) fn new_list(&mut self, items: &[Word]) -> Result<Word, FaultCode> {
        if items.is_empty() {
            return Ok(0);
        }
        let at = self.reserve(items.len() + 1)?;
        self.words.push(items.len() as Word);
        self.words.extend_from_slice(items);
        Ok(at)
    }

    /// Creates a list of the five words of `head`, then `tail`.
    #[inline]
    pub(crate) fn new_list_in_two(&mut self, head: [Word; 5], tail: &[Word]) -> Result<Word, FaultCode> {
        let at = self.reserve(head.len() + tail.len() + 1)?;
        let [a, b, c, d, e] = head;
        self.words.extend([(head.len() + tail.len()) as Word, a, b, c, d, e]);
        for word in tail {
            self.words.push(*word);
        }
        Ok(at)
    }

    /// Creates a list of the items of an iterator, which must yield exactly `count`.
    pub(crate) fn new_list_of(
        &mut self,
        count: usize,
        items: impl Iterator<Item = Word>,
    ) -> Result<Word, FaultCode> {
        if count == 0 {
            return Ok(0);
        }
        let at = self.reserve(count + 1)?;
        self.words.push(count as Word);
        self.words.extend(items.take(count));
        self.words.resize(at as usize + 1 + count, NULL);
        Ok(at)
    }

    /// Creates a list of the items of another at these indices; null for indices out of range.
    #[inline]
    pub(crate) fn new_selection(&mut self, list: Word, places: &[i32]) -> Result<Word, FaultCode> {
        if places.is_empty() {
            return Ok(0);
        }
        let at = self.reserve(places.len() + 1)?;
        let (first, len) = (list as usize + 1, self.list(list).map_or(0, <[Word]>::len));
        self.words.push(places.len() as Word);
        for place in places {
            // A negative index becomes larger than any length.
            let place = *place as usize;
            self.words.push(if place < len { self.words[first + place] } else { NULL });
        }
        Ok(at)
    }

    /// Creates a list of part of another.
    pub(crate) fn new_slice(&mut self, list: Word, from: usize, to: usize) -> Result<Word, FaultCode> {
        let len = self.items(list)?.len();
        let (from, to) = (from.min(len), to.min(len));
        if from >= to {
            return Ok(0);
        }
        let at = self.reserve(to - from + 1)?;
        self.words.push((to - from) as Word);
        let start = list as usize + 1;
        self.words.extend_from_within(start + from..start + to);
        Ok(at)
    }

    /// Creates a list of `a`, then `b`.
    pub(crate) fn new_joined(&mut self, a: Word, b: Word) -> Result<Word, FaultCode> {
        let (first, second) = (self.items(a)?.len(), self.items(b)?.len());
        match (first, second) {
            (_, 0) => return Ok(a),
            (0, _) => return Ok(b),
            _ => {}
        }
        let at = self.reserve(first + second + 1)?;
        self.words.push((first + second) as Word);
        self.words.extend_from_within(a as usize + 1..a as usize + 1 + first);
        self.words.extend_from_within(b as usize + 1..b as usize + 1 + second);
        Ok(at)
    }

    /// Creates a record or map.
    #[inline]
    pub(crate) fn new_record(&mut self, fields: &[Word]) -> Result<Word, FaultCode> {
        let at = self.reserve(fields.len().max(1))?;
        self.words.extend_from_slice(fields);
        if fields.is_empty() {
            self.words.push(NULL);
        }
        Ok(at)
    }

    /// Copies a record of `count` fields.
    pub(crate) fn copy_record(&mut self, record: Word, count: usize) -> Result<Word, FaultCode> {
        self.fields(record, count).ok_or(FaultCode::Missing)?;
        let at = self.reserve(count.max(1))?;
        let from = record as usize;
        self.words.extend_from_within(from..from + count);
        if count == 0 {
            self.words.push(NULL);
        }
        Ok(at)
    }

    /// Creates a map of `count` nulls.
    pub(crate) fn new_map(&mut self, count: usize) -> Result<Word, FaultCode> {
        let at = self.reserve(count.max(1))?;
        self.words.resize(at as usize + count.max(1), NULL);
        Ok(at)
    }
}
