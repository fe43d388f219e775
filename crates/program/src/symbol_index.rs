//! Lookup of symbols by spelling.

use std::sync::OnceLock;

use crate::Symbol;

/// Stands for an empty place in the table.
const EMPTY: u32 = u32::MAX;

/// A hash table of symbols by spelling, built on first use. Symbols may be added after that, but not respelt. Cloning
/// empties it, because the clone may be changed.
#[derive(Debug, Default)]
pub struct SymbolIndex(OnceLock<SpellingTable>);

#[derive(Debug)]
struct SpellingTable {
    /// Number of symbols it covers.
    len: usize,
    /// Symbol numbers with open addressing; the length is a power of two.
    places: Vec<u32>,
}

impl Clone for SymbolIndex {
    fn clone(&self) -> SymbolIndex {
        SymbolIndex::default()
    }
}

impl SymbolIndex {
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
        let start = hash(name) as usize;
        (0..=mask).map(|step| (start + step) & mask).find(|at| {
            let found = symbols.get(self.places[*at] as usize);
            found.is_none_or(|spelling| spelling == name)
        })
    }
}

/// FNV-1a, short and good enough for names.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_found_by_spelling() {
        let mut symbols: Vec<String> = (0..100).map(|number| format!("name{number}")).collect();
        symbols.push("name7".to_owned());
        let index = SymbolIndex::default();
        for number in 0..100 {
            assert_eq!(index.find(&symbols, &format!("name{number}")), Some(Symbol(number)));
        }
        assert_eq!(index.find(&symbols, "name100"), None);
        symbols.push("name100".to_owned());
        assert_eq!(index.find(&symbols, "name100"), Some(Symbol(101)), "a symbol added later is found");
        assert_eq!(SymbolIndex::default().find(&[], "name"), None);
    }
}
