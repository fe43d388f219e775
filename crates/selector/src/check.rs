//! Whether a response fits a selector: [`Selector::check`], the only place where that is decided.
//!
//! For each list of choices, from the outside in: every pick exists, an
//! exclusive one is alone, their number is right; then the same within each
//! pick.

use intermezzo_engine::Rejection;

use crate::choices::{Choice, Choices};
use crate::name::Name;
use crate::refusal::Invalid;
use crate::response::{Pick, Response};
use crate::selector::{Selector, SelectorType};

/// A pick that was found among the choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picked {
    /// The place of the choice in its list.
    pub index: usize,
    /// The title of the choice.
    pub title: Name,
    /// The id of the choice.
    pub id: Option<Name>,
    /// What was picked within it.
    pub picks: Vec<Picked>,
}

impl Selector {
    /// Finds the picks of a response among the choices, in the order of the response.
    ///
    /// A free-form request has none to find; what is sent to it is only counted, if it says how much it wants.
    ///
    /// # Errors
    ///
    /// What is wrong with the response: its title, a pick that does not exist, an exclusive one among others, their
    /// number; then the same within each pick.
    pub fn check(&self, response: &Response) -> Result<Vec<Picked>, Invalid> {
        let mut path = vec![Name::from(self.title.as_str())];
        if response.title != self.title {
            let (expected, got) = (self.title.clone(), response.title.clone());
            return Err(Invalid { path, rejection: Rejection::WrongTitle { expected, got } });
        }
        match self.kind {
            SelectorType::Select => self.choices.find(&response.selection, &mut path),
            SelectorType::Action if self.choices.bounds.is_unsaid() => Ok(Vec::new()),
            SelectorType::Action => {
                let range = self.choices.bounds.among(usize::MAX);
                check_count(range, response.selection.len())
                    .map_err(|rejection| Invalid { path, rejection })?;
                Ok(Vec::new())
            }
        }
    }
}

impl Choices {
    fn find(&self, selection: &[Pick], path: &mut Vec<Name>) -> Result<Vec<Picked>, Invalid> {
        let found = self.check_list(selection);
        let found = found.map_err(|rejection| Invalid { path: path.clone(), rejection })?;
        let mut picks = Vec::with_capacity(found.len());
        for (index, pick) in found.into_iter().zip(selection) {
            let Choice { title, id, choices, .. } = &self.list[index];
            path.push(title.clone());
            let inner = match choices {
                Some(choices) => choices.find(&pick.selection, path)?,
                None => nothing_in(&pick.selection, path)?,
            };
            path.pop();
            picks.push(Picked { index, title: title.clone(), id: id.clone(), picks: inner });
        }
        Ok(picks)
    }

    /// The places of the picks, without regard to what is picked within them.
    fn check_list(&self, selection: &[Pick]) -> Result<Vec<usize>, Rejection> {
        let found = self.places(selection)?;
        if found.len() > 1 && found.iter().any(|index| self.list[*index].exclusive) {
            return Err(Rejection::ExclusiveMixed);
        }
        check_count(self.range(), found.len())?;
        Ok(found)
    }

    /// Which choice each pick means; no two mean the same one.
    ///
    /// Picks with an id leave no doubt and come first. Each of the others takes the first choice with its title that
    /// is left.
    fn places(&self, selection: &[Pick]) -> Result<Vec<usize>, Rejection> {
        let mut is_taken = vec![false; self.list.len()];
        let mut places = vec![None; selection.len()];
        for has_id in [true, false] {
            for (pick, place) in selection.iter().zip(&mut places) {
                if pick.id.is_some() == has_id {
                    let is_meant = |index: &usize| !is_taken[*index] && pick.fits(&self.list[*index]);
                    *place = (0..self.list.len()).find(is_meant);
                    place.iter().for_each(|index| is_taken[*index] = true);
                }
            }
        }
        let named = places.into_iter().zip(selection);
        named.map(|(place, pick)| place.ok_or_else(|| unknown(pick))).collect()
    }
}

/// Nothing can be picked within a choice that has no choices.
fn nothing_in(selection: &[Pick], path: &[Name]) -> Result<Vec<Picked>, Invalid> {
    match selection.first() {
        Some(pick) => Err(Invalid { path: path.to_vec(), rejection: unknown(pick) }),
        None => Ok(Vec::new()),
    }
}

fn unknown(pick: &Pick) -> Rejection {
    Rejection::NoSuchSelection { selection: pick.to_string() }
}

fn check_count((min, max): (u32, u32), got: usize) -> Result<(), Rejection> {
    let got = u32::try_from(got).unwrap_or(u32::MAX);
    match (min..=max).contains(&got) {
        true => Ok(()),
        false => Err(Rejection::WrongCount { expected_min: min, expected_max: max, got }),
    }
}
