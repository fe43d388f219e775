//! Lookup of symbols by spelling.

use std::sync::OnceLock;

use crate::Symbol;

/// Stands for an empty place in the table.
const EMPTY: u32 = u32::MAX;

/// A hash table of symbols by spelling, built on first use. Symbols may be added after that, but not respelt. Cloning
/// empties it, because the clone may be changed.
#[derive(Debug, Default)]
pub struct SpellingIndex(OnceLock<SpellingTable>);

#[derive(Debug)]
struct SpellingTable {
    /// Number of symbols it covers.
    len: usize,
    /// Symbol numbers with open addressing; the length is a power of two.
    places: Vec<u32>,
}

impl Clone for SpellingIndex {
    fn clone(&self) -> SpellingIndex {
        SpellingIndex::default()
    }
}

impl SpellingIndex {
    /// Finds the first of the symbols that is spelt `name`.
    pub(crate) fn find(&self, symbols: &[String], name: &str) -> Option<Symbol> {
        let table = self.0.get_or_init(|| SpellingTable::new(symbols));
        // A program under construction may have got more symbols since.
        if table.len != symbols.len() {
            return symbols.iter().position(|spelling| spelling == name).map(|at| Symbol(at as u32));
        }
        let at = table.place(symbols, name)?;
        (table.places[at] != EMPTY).then(|| Symbol(table.places[at]))
    }
}

impl SpellingTable {
    fn new(symbols: &[String]) -> SpellingTable {
        let places = vec![EMPTY; (2 * symbols.len()).next_power_of_two()];
        let mut table = SpellingTable { len: symbols.len(), places };
        for (number, name) in symbols.iter().enumerate() {
            if let Some(at) = table.place(symbols, name)
                && table.places[at] == EMPTY
            {
                table.places[at] = number as u32;
            }
        }
        table
    }

    /// Returns the place of `name`, or the empty place where it would be.
    fn place(&self, symbols: &[String], name: &str) -> Option<usize> {
        let mask = self.places.len() - 1;
        let start = hash(name) as usize & mask;
        // Mostly, the first place is the right one.
        let is_it = |at: &usize| {
            let found = symbols.get(self.places[*at] as usize);
            found.is_none_or(|spelling| spelling == name)
        };
        if is_it(&start) {
            return Some(start);
        }
        (1..=mask).map(|step| (start + step) & mask).find(is_it)
    }
}

/// Hashes a name by its first and last eight bytes and its length: names that share all three are rare.
fn hash(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let (first, last) = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_be_bytes(*first), u64::from_be_bytes(*last)),
        _ => (word(bytes), 0),
    };
    let mixed = (first ^ last.rotate_left(29)).wrapping_add(bytes.len() as u64);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_found_by_spelling() {
        let mut symbols: Vec<String> = (0..100).map(|number| format!("name{number}")).collect();
        symbols.push("name7".to_owned());
        let index = SpellingIndex::default();
        for number in 0..100 {
            assert_eq!(index.find(&symbols, &format!("name{number}")), Some(Symbol(number)));
        }
        assert_eq!(index.find(&symbols, "name100"), None);
        symbols.push("name100".to_owned());
        assert_eq!(index.find(&symbols, "name100"), Some(Symbol(101)), "a symbol added later is found");
        assert_eq!(SpellingIndex::default().find(&[], "name"), None);
    }
}
