//! The option that a name in an answer means.

use intermezzo_program::{KindId, TypeId, Word};

use crate::ask::offer_reference;
use crate::storage::board::{Board, NO_DEF};
use crate::values::datum::{Datum, ShortText, describe_with};
use crate::view::observer::Observer;

/// Rules by which an answer is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerRules {
    Current,
    /// Like `Current`, but a name that matches nothing becomes an empty pick.
    RepairedDraft,
    /// Those of old match files.
    Recorded,
}

/// The option that a pick in an answer means.
pub(crate) enum MeantOption {
    None,
    One(i32),
    /// So many different options match.
    Several(u32),
}

impl MeantOption {
    fn of(place: Option<i32>) -> MeantOption {
        place.map_or(MeantOption::None, MeantOption::One)
    }
}

impl Observer {
    /// Finds the option a client means: by its value, else by its label or as a whole, else as a short form of an action, else
    /// by the names that scenario files use. An option that was picked already is not meant again. `{"n": 2}` is the third
    /// option, even twice.
    pub(crate) fn meant_option(
        &self,
        board: &Board,
        options: (&[Word], TypeId),
        shown: &[Datum],
        item: &Datum,
        rules: AnswerRules,
        is_free: &dyn Fn(i32) -> bool,
    ) -> MeantOption {
        if rules == AnswerRules::Recorded {
            return MeantOption::of(find_recorded_option(shown, item, is_free));
        }
        let places = || (0..shown.len() as i32).zip(shown);
        let is_value = |option: &Datum| option.get("value").is_some_and(|value| is_same(value, item));
        let is_label = |option: &Datum| option.get("label") == Some(item) || option == item;
        let tests: [&dyn Fn(&Datum) -> bool; 2] = [&is_value, &is_label];
        for is_it in tests {
            let mut named = places().filter(|(_, option)| is_it(option)).map(|(place, _)| place).peekable();
            if named.peek().is_some() {
                return MeantOption::of(named.find(|place| is_free(*place)));
            }
        }
        if let Datum::Map(entries) = item
            && let [(key, Datum::Int(number))] = &entries[..]
            && key == "n"
        {
            let number = i32::try_from(*number).ok();
            return MeantOption::of(number.filter(|n| (0..shown.len() as i32).contains(n)));
        }
        let by_value = |place: usize| shown[place].get("value").cloned().unwrap_or(Datum::Null);
        match find_named(shown, &by_value, item, is_free) {
            MeantOption::None => {}
            meant => return meant,
        }
        let (options, ty) = options;
        let by_name = |place: usize| {
            let mut name = |entity| self.scenario_name(board, entity);
            describe_with(&self.program, board, options[place], ty, &mut name)
        };
        find_named(shown, &by_name, item, is_free)
    }

    /// Returns what scenario files call an entity: the value of the label property, or the id of its def.
    fn scenario_name(&self, board: &Board, entity: Word) -> Datum {
        if self.concealed_place(entity).is_some() {
            // Its name would tell what it is.
            return Datum::Null;
        }
        let label = self.label_value(board, entity);
        let def = || {
            let row = board.entity(entity)?;
            let is_made = row.kind.0 > KindId::PLAYER.0 && row.def != NO_DEF;
            is_made.then(|| Datum::text(self.program.symbol(self.program.defs[usize::from(row.def)].name)))
        };
        label.or_else(def).unwrap_or(Datum::Null)
    }
}

/// Tells whether two values are equal. The entries of a record may be written in any order.
fn is_same(value: &Datum, written: &Datum) -> bool {
    match (value, written) {
        (Datum::List(values), Datum::List(items)) => {
            values.len() == items.len() && values.iter().zip(items).all(|(value, item)| is_same(value, item))
        }
        (Datum::Map(values), Datum::Map(entries)) => {
            let is_entry = |(name, value): &(ShortText, Datum)| {
                written.get(name).is_some_and(|item| is_same(value, item))
            };
            values.len() == entries.len() && values.iter().all(is_entry)
        }
        _ => value == written,
    }
}

/// Finds an option by the rules of old match files.
fn find_recorded_option(shown: &[Datum], item: &Datum, is_free: &dyn Fn(i32) -> bool) -> Option<i32> {
    let fits = |option: &Datum| {
        option.get("value") == Some(item) || option.get("label") == Some(item) || option == item
    };
    let named = || (0..shown.len() as i32).filter(|place| fits(&shown[*place as usize]));
    let number = match item {
        Datum::Int(number) => Some(*number),
        Datum::Map(entries) => match &entries[..] {
            [(key, Datum::Int(number))] if key == "n" => Some(*number),
            _ => None,
        },
        _ => None,
    };
    let by_number = || i32::try_from(number?).ok().filter(|n| (0..shown.len() as i32).contains(n));
    named().find(|place| is_free(*place)).or_else(|| named().next()).or_else(by_number)
}

/// Finds the option that is called like this, or the action it is a short form of. All actions it fits must be the same, but for
/// hosts of one name: of several copies of a card, the first is meant.
fn find_named(
    shown: &[Datum],
    named: &dyn Fn(usize) -> Datum,
    item: &Datum,
    is_free: &dyn Fn(i32) -> bool,
) -> MeantOption {
    let is_meant = |place: &usize| is_free(*place as i32) && is_called(&named(*place), item);
    let mut fits = (0..shown.len()).filter(is_meant);
    let Some(first) = fits.next() else { return MeantOption::None };
    let value = |place: usize| shown[place].get("value");
    let targets = |place: usize| value(place).and_then(|value| value.get("targets"));
    let is_action = value(first).is_some_and(|value| value.get("action").is_some());
    let is_other = |place: &usize| {
        let has_same_host = shown[*place].get("label") == shown[first].get("label");
        is_action && !(has_same_host && targets(*place) == targets(first))
    };
    match fits.filter(is_other).count() {
        0 => MeantOption::One(first as i32),
        others => MeantOption::Several(others as u32 + 1),
    }
}

/// Tells whether an option is called like this: an entity by its name, a reaction by its rule or its source, an action by a
/// short form.
fn is_called(value: &Datum, item: &Datum) -> bool {
    match value {
        Datum::Text(_) => value == item,
        Datum::Map(_) if value.get("rule").is_some() => {
            value.get("rule") == Some(item) || value.get("source") == Some(item)
        }
        _ => offer_reference::is_meant(value, item),
    }
}
