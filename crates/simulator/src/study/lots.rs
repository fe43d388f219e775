//! What is dealt to seats in turn: items of an option that has one for each seat, such as decks.

use intermezzo_engine::{Datum, Log, Match, Setup, StartError, Text, describe};
use intermezzo_ruleset::{MatchOption, Program, Type, word};
use std::sync::Arc;

/// What one seat may be given.
#[derive(Clone, PartialEq, Debug)]
pub struct Lot {
    /// What reports call it.
    pub name: String,
    /// The item of the option.
    pub value: Datum,
}

/// Several lots for the seats of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Lots {
    /// The option that has an item for each seat.
    pub option: Text,
    /// What there is.
    pub list: Vec<Lot>,
}

impl Lots {
    /// The option that gives every seat a list of defs, if the ruleset has one: the first.
    #[must_use]
    pub fn option(program: &Program) -> Option<&MatchOption> {
        let inner = |ty: intermezzo_ruleset::TypeId| match &program.types[ty.index()] {
            Type::List(item) => Some(*item),
            _ => None,
        };
        let is_it = |option: &&MatchOption| {
            let item = inner(option.ty).and_then(inner);
            item.is_some_and(|item| matches!(program.types[item.index()], Type::Symbol | Type::Enum(_)))
        };
        program.options.iter().find(is_it)
    }

    /// The lots that matches of this setup begin with, as many as there are seats.
    ///
    /// # Errors
    ///
    /// If such a match cannot begin.
    pub fn of_setup(program: &Arc<Program>, setup: &Setup) -> Result<Option<Lots>, StartError> {
        let Some(option) = Lots::option(program) else { return Ok(None) };
        let place = program.options.iter().position(|other| other.name == option.name).unwrap_or_default();
        let state = Match::start(Arc::clone(program), setup, &mut Log::discard())?;
        let value = state.board().column(word::MATCH, place as u16);
        let value = value.map(|value| describe(program, state.board(), value, option.ty));
        let Some(Datum::List(items)) = value else { return Ok(None) };
        let items = items.into_iter().take(usize::from(setup.seats)).enumerate();
        let list = items.map(|(at, value)| Lot { name: format!("#{}", at + 1), value }).collect();
        Ok(Some(Lots { option: program.symbol(option.name).into(), list }))
    }

    /// By seat: the number of its lot. All ways in which seats can have different ones take turns.
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

    fn lots(count: usize) -> Lots {
        let lot = |at: usize| Lot { name: at.to_string(), value: Datum::Int(at as i64) };
        Lots { option: "decks".into(), list: (0..count).map(lot).collect() }
    }

    #[test]
    fn all_ways_to_deal_take_turns() {
        let dealt = |count: usize, seats: usize, turns: u64| -> BTreeSet<Vec<usize>> {
            (0..turns).map(|turn| lots(count).dealt(turn, seats)).collect()
        };
        assert_eq!(dealt(2, 2, 2), BTreeSet::from([vec![0, 1], vec![1, 0]]));
        assert_eq!(dealt(4, 3, 24).len(), 24);
        assert!(dealt(4, 3, 24).iter().all(|dealt| dealt.iter().collect::<BTreeSet<_>>().len() == 3));
        assert_eq!(dealt(1, 2, 5), BTreeSet::from([vec![0, 0]]));
    }
}
