//! Assignment of decks to seats. A deck is an item of an option that has one list per seat.

use intermezzo_engine::{Datum, EventLog, Match, Setup, ShortText, StartError, describe};
use intermezzo_program::{MatchOption, Program, Type, word};
use std::sync::Arc;

/// Deck that a seat may get.
#[derive(Clone, PartialEq, Debug)]
pub struct Deck {
    /// Name in reports.
    pub name: String,
    /// Item of the option.
    pub value: Datum,
}

/// Decks that rotate through the seats.
#[derive(Clone, PartialEq, Debug)]
pub struct DeckSet {
    /// Option with an item for each seat.
    pub option: ShortText,
    /// The decks.
    pub list: Vec<Deck>,
}

impl DeckSet {
    /// Returns the first option that gives every seat a list of defs, if any.
    #[must_use]
    pub fn option(program: &Program) -> Option<&MatchOption> {
        let inner = |ty: intermezzo_program::TypeId| match &program.types[ty.index()] {
            Type::List(item) => Some(*item),
            _ => None,
        };
        let is_it = |option: &&MatchOption| {
            let item = inner(option.ty).and_then(inner);
            item.is_some_and(|item| matches!(program.types[item.index()], Type::Symbol | Type::Enum(_)))
        };
        program.options.iter().find(is_it)
    }

    /// Returns the decks of a match with this setup, one per seat.
    ///
    /// # Errors
    ///
    /// Fails if such a match cannot start.
    pub fn from_setup(program: &Arc<Program>, setup: &Setup) -> Result<Option<DeckSet>, StartError> {
        let Some(option) = DeckSet::option(program) else { return Ok(None) };
        let place = program.options.iter().position(|other| other.name == option.name).unwrap_or_default();
        let state = Match::start(Arc::clone(program), setup, &mut EventLog::discard())?;
        let value = state.board().column(word::MATCH, place as u16);
        let value = value.map(|value| describe(program, state.board(), value, option.ty));
        let Some(Datum::List(items)) = value else { return Ok(None) };
        let items = items.into_iter().take(usize::from(setup.seats)).enumerate();
        let list = items.map(|(at, value)| Deck { name: format!("#{}", at + 1), value }).collect();
        Ok(Some(DeckSet { option: program.symbol(option.name).into(), list }))
    }

    /// Returns the deck number of each seat. Successive turns go through all assignments of different decks.
    pub(crate) fn dealt(&self, turn: u64, seats: usize) -> Vec<usize> {
        let count = self.list.len();
        if count < seats {
            return (0..seats).map(|seat| (seat + turn as usize) % count.max(1)).collect();
        }
        let ways = (0..seats).fold(1u64, |ways, seat| ways.saturating_mul((count - seat) as u64));
        let mut number = turn % ways;
        let mut left: Vec<usize> = (0..count).collect();
        let mut dealt = Vec::with_capacity(seats);
        for _ in 0..seats {
            let place = (number % left.len() as u64) as usize;
            number /= left.len() as u64;
            dealt.push(left.remove(place));
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn decks(count: usize) -> DeckSet {
        let deck = |at: usize| Deck { name: at.to_string(), value: Datum::Int(at as i64) };
        DeckSet { option: "decks".into(), list: (0..count).map(deck).collect() }
    }

    #[test]
    fn all_ways_to_deal_take_turns() {
        let dealt = |count: usize, seats: usize, turns: u64| -> BTreeSet<Vec<usize>> {
            (0..turns).map(|turn| decks(count).dealt(turn, seats)).collect()
        };
        assert_eq!(dealt(2, 2, 2), BTreeSet::from([vec![0, 1], vec![1, 0]]));
        assert_eq!(dealt(4, 3, 24).len(), 24);
        assert!(dealt(4, 3, 24).iter().all(|dealt| dealt.iter().collect::<BTreeSet<_>>().len() == 3));
        assert_eq!(dealt(1, 2, 5), BTreeSet::from([vec![0, 0]]));
    }
}
