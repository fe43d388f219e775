//! Contents of all zone instances, in one slab.
//!
//! A zone that outgrows its range moves to the end of the slab. When holes make up more than half of the slab, it
//! is compacted. The layout of the slab never shows outside this file.

use intermezzo_program::ZoneId;

/// Stands for "in no zone" and "belongs to nobody".
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Fewer holes than this are not worth compacting.
const SMALL: usize = 256;

/// One zone instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZoneHead {
    pub(crate) family: ZoneId,
    /// Row of the entity it belongs to, or [`NOWHERE`].
    pub(crate) host: u32,
    pub(crate) alive: bool,
    off: u32,
    len: u32,
    cap: u32,
}

impl ZoneHead {
    /// Returns the number of entities in the zone.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.len
    }
}

/// All zone instances.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneTable {
    heads: Vec<ZoneHead>,
    slab: Vec<u32>,
    holes: usize,
}

impl ZoneTable {
    /// Removes all instances but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.slab.clear();
        self.holes = 0;
    }

    pub(crate) fn count(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn head(&self, zone: u32) -> Option<&ZoneHead> {
        self.heads.get(zone as usize).filter(|head| head.alive)
    }

    /// Adds an instance at the end of the table.
    pub(crate) fn add(&mut self, family: ZoneId, host: u32) -> u32 {
        self.heads.push(ZoneHead { family, host, alive: true, off: 0, len: 0, cap: 0 });
        self.heads.len() as u32 - 1
    }

    /// Removes the instance added last.
    pub(crate) fn drop_last(&mut self) {
        if let Some(head) = self.heads.pop() {
            self.holes += head.cap as usize;
        }
    }

    /// Brings a freed instance back into use, empty.
    pub(crate) fn revive(&mut self, zone: u32, host: u32) {
        if let Some(head) = self.heads.get_mut(zone as usize) {
            head.host = host;
            head.alive = true;
            head.len = 0;
        }
    }

    /// Frees an instance. It must be empty.
    pub(crate) fn free(&mut self, zone: u32) {
        if let Some(head) = self.heads.get_mut(zone as usize) {
            head.alive = false;
            head.len = 0;
        }
    }

    /// Returns the rows of the entities in a zone, in order.
    #[inline]
    pub(crate) fn rows(&self, zone: u32) -> &[u32] {
        match self.heads.get(zone as usize) {
            Some(head) => &self.slab[head.off as usize..(head.off + head.len) as usize],
            None => &[],
        }
    }

    #[inline]
    pub(crate) fn rows_mut(&mut self, zone: u32) -> &mut [u32] {
        match self.heads.get(zone as usize) {
            Some(head) => &mut self.slab[head.off as usize..(head.off + head.len) as usize],
            None => &mut [],
        }
    }

    /// Inserts `row` at index `at`, or at the end if `at` is greater.
    pub(crate) fn insert(&mut self, zone: u32, at: u32, row: u32) {
        let Some(head) = self.heads.get(zone as usize) else {
            return;
        };
        if head.len == head.cap {
            self.grow(zone as usize);
        }
        let head = &mut self.heads[zone as usize];
        let (off, len, at) = (head.off as usize, head.len as usize, at.min(head.len) as usize);
        head.len += 1;
        if at < len {
            self.slab.copy_within(off + at..off + len, off + at + 1);
        }
        self.slab[off + at] = row;
    }

    /// Makes room for `more` entities at the end of a zone.
    pub(crate) fn reserve(&mut self, zone: u32, more: usize) {
        while self.heads.get(zone as usize).is_some_and(|head| ((head.cap - head.len) as usize) < more) {
            self.grow(zone as usize);
        }
    }

    /// Inserts `row` at the end. Returns its index.
    #[inline]
    pub(crate) fn push(&mut self, zone: u32, row: u32) -> u32 {
        self.reserve(zone, 1);
        let head = &mut self.heads[zone as usize];
        self.slab[(head.off + head.len) as usize] = row;
        head.len += 1;
        head.len - 1
    }

    /// Removes the entry at index `at`.
    pub(crate) fn remove(&mut self, zone: u32, at: u32) {
        let Some(head) = self.heads.get_mut(zone as usize) else {
            return;
        };
        if at >= head.len {
            return;
        }
        let (off, len, at) = (head.off as usize, head.len as usize, at as usize);
        head.len -= 1;
        if at + 1 < len {
            self.slab.copy_within(off + at + 1..off + len, off + at);
        }
    }

    fn grow(&mut self, zone: usize) {
        if self.holes > SMALL && self.holes * 2 > self.slab.len() {
            self.compact();
        }
        let head = &mut self.heads[zone];
        let (off, len) = (head.off as usize, head.len as usize);
        self.holes += head.cap as usize;
        head.cap = (head.cap * 2).max(4);
        head.off = self.slab.len() as u32;
        self.slab.extend_from_within(off..off + len);
        self.slab.resize(head.off as usize + head.cap as usize, 0);
    }

    /// Compacts the slab.
    pub(crate) fn compact(&mut self) {
        let mut slab = Vec::with_capacity(self.slab.len() - self.holes);
        for head in &mut self.heads {
            let rows = &self.slab[head.off as usize..(head.off + head.len) as usize];
            head.off = slab.len() as u32;
            head.cap = head.len;
            slab.extend_from_slice(rows);
        }
        self.slab = slab;
        self.holes = 0;
    }

    /// Renumbers rows, both the contents of zones and their hosts.
    pub(crate) fn renumber(&mut self, number: &[u32]) {
        for head in self.heads.iter_mut().filter(|head| head.alive) {
            head.host = number.get(head.host as usize).copied().unwrap_or(NOWHERE);
            for row in &mut self.slab[head.off as usize..(head.off + head.len) as usize] {
                *row = number[*row as usize];
            }
        }
    }

    pub(crate) fn copy_from(&mut self, other: &ZoneTable) {
        self.heads.clone_from(&other.heads);
        self.slab.clone_from(&other.slab);
        self.holes = other.holes;
    }
}
