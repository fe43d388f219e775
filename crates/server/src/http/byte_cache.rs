//! Cache of responses that never change and are expensive to make: match files, schemas and tables of rulesets.

use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;

/// Maximum size of all cached responses together.
const MAX_BYTES: usize = 32 << 20;
/// Maximum size of one cached response.
const MAX_BYTES_EACH: usize = 8 << 20;

/// The most recently used responses, latest last. All clients share the bytes.
pub(crate) struct ByteCache<K>(Mutex<Vec<(K, Bytes)>>);

impl<K> Default for ByteCache<K> {
    fn default() -> ByteCache<K> {
        ByteCache(Mutex::default())
    }
}

impl<K: PartialEq> ByteCache<K> {
    pub(crate) fn find(&self, key: &K) -> Option<Bytes> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = entries.iter().position(|(other, _)| other == key)?;
        let (key, bytes) = entries.remove(index);
        entries.push((key, bytes.clone()));
        Some(bytes)
    }

    pub(crate) fn insert(&self, key: K, bytes: &Bytes) {
        if bytes.len() > MAX_BYTES_EACH {
            return;
        }
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(other, _)| *other != key);
        entries.push((key, bytes.clone()));
        while entries.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > MAX_BYTES {
            entries.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_keeps_the_most_recently_used_entries() {
        let cache = ByteCache::default();
        let file = Bytes::from(vec![b'x'; MAX_BYTES_EACH]);
        (0..4).for_each(|key| cache.insert(key, &file));
        assert!(cache.find(&0).is_some());
        cache.insert(4, &file);
        assert!(cache.find(&0).is_some(), "it was used just now");
        assert!(cache.find(&1).is_none(), "the oldest made room");
        cache.insert(5, &Bytes::from(vec![b'x'; MAX_BYTES_EACH + 1]));
        assert!(cache.find(&5).is_none(), "a huge entry is not cached");
    }
}
