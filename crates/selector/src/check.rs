//! Validation of responses: [`Selector::check`] is the only place where a response is checked.
//!
//! The checks of each list of choices, from the outside in: every pick exists, an exclusive one is alone, the
//! number is right; then the same within each pick.

use intermezzo_engine::Rejection;

use crate::choices::{ChoiceList, SelectorChoice};
use crate::name::ChoiceName;
use crate::response::{Pick, Response};
use crate::response_error::InvalidResponse;
use crate::selector::{Selector, SelectorType};

/// A pick matched to a choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedPick {
    /// The index of the choice in its list.
    pub index: usize,
    /// The title of the choice.
    pub title: ChoiceName,
    /// The id of the choice.
    pub id: Option<ChoiceName>,
    /// The picks within the choice.
    pub picks: Vec<ResolvedPick>,
}

impl Selector {
    /// Matches the picks of a response to the choices, in the order of the response.
    ///
    /// A free-form request has no choices to match; its picks are only counted, if it has bounds.
    ///
    /// # Errors
    ///
    /// The first error: the title, a pick that does not exist, an exclusive one among others, the number of
    /// picks; then the same within each pick.
    pub fn check(&self, response: &Response) -> Result<Vec<ResolvedPick>, InvalidResponse> {
        let mut path = vec![ChoiceName::from(self.title.as_str())];
        if response.title != self.title {
            let (expected, got) = (self.title.clone(), response.title.clone());
            return Err(InvalidResponse { path, rejection: Rejection::WrongTitle { expected, got } });
        }
        match self.kind {
            SelectorType::Select => self.choices.find(&response.selection, &mut path),
            SelectorType::Action if self.choices.bounds.is_default() => Ok(Vec::new()),
            SelectorType::Action => {
                let range = self.choices.bounds.range_among(usize::MAX);
                check_count(range, response.selection.len())
                    .map_err(|rejection| InvalidResponse { path, rejection })?;
                Ok(Vec::new())
            }
        }
    }
}

impl ChoiceList {
    fn find(
        &self,
        selection: &[Pick],
        path: &mut Vec<ChoiceName>,
    ) -> Result<Vec<ResolvedPick>, InvalidResponse> {
        let found = self.check_list(selection);
        let found = found.map_err(|rejection| InvalidResponse { path: path.clone(), rejection })?;
        let mut picks = Vec::with_capacity(found.len());
        for (index, pick) in found.into_iter().zip(selection) {
            let SelectorChoice { title, id, choices, .. } = &self.list[index];
            path.push(title.clone());
            let inner = match choices {
                Some(choices) => choices.find(&pick.selection, path)?,
                None => check_no_picks(&pick.selection, path)?,
            };
            path.pop();
            picks.push(ResolvedPick { index, title: title.clone(), id: id.clone(), picks: inner });
        }
        Ok(picks)
    }

    /// Returns the indices of the picks, without checking the picks within them.
    fn check_list(&self, selection: &[Pick]) -> Result<Vec<usize>, Rejection> {
        let found = self.match_picks(selection)?;
        if found.len() > 1 && found.iter().any(|index| self.list[*index].exclusive) {
            return Err(Rejection::ExclusiveMixed);
        }
        check_count(self.range(), found.len())?;
        Ok(found)
    }

    /// Matches each pick to a choice; no choice is matched twice.
    ///
    /// Picks with an id are unambiguous and come first. Each of the others takes the first unused choice with
    /// its title.
    fn match_picks(&self, selection: &[Pick]) -> Result<Vec<usize>, Rejection> {
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
        named.map(|(place, pick)| place.ok_or_else(|| no_such_selection(pick))).collect()
    }
}

/// Rejects picks within a choice that has no nested choices.
fn check_no_picks(selection: &[Pick], path: &[ChoiceName]) -> Result<Vec<ResolvedPick>, InvalidResponse> {
    match selection.first() {
        Some(pick) => Err(InvalidResponse { path: path.to_vec(), rejection: no_such_selection(pick) }),
        None => Ok(Vec::new()),
    }
}

fn no_such_selection(pick: &Pick) -> Rejection {
    Rejection::NoSuchSelection { selection: pick.to_string() }
}

fn check_count((min, max): (u32, u32), got: usize) -> Result<(), Rejection> {
    let got = u32::try_from(got).unwrap_or(u32::MAX);
    match (min..=max).contains(&got) {
        true => Ok(()),
        false => Err(Rejection::WrongCount { expected_min: min, expected_max: max, got }),
    }
}
