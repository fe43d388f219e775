//! Shorthands for common requests.

use intermezzo_program::Seat;

use crate::check::ResolvedPick;
use crate::choices::{ChoiceList, PickBounds, SelectorChoice};
use crate::errors::Suspension;
use crate::game_context::GameContext;
use crate::name::ChoiceName;
use crate::selector::Selector;

/// A thing with a title, such as a card.
pub trait HasTitle {
    /// Returns the title.
    fn title(&self) -> ChoiceName;

    /// Returns the id, if one is needed to distinguish it from others with the same title.
    fn id(&self) -> Option<ChoiceName> {
        None
    }
}

impl<N: Clone + Into<ChoiceName>> HasTitle for N {
    fn title(&self) -> ChoiceName {
        self.clone().into()
    }
}

impl GameContext<'_> {
    /// Asks a player to pick among choices.
    ///
    /// # Errors
    ///
    /// As [`GameContext::request_single`], and if there is nothing that could be picked.
    pub fn choose(
        &mut self,
        seat: Seat,
        title: &str,
        choices: ChoiceList,
    ) -> Result<Vec<ResolvedPick>, Suspension> {
        let selector = Selector::select(self.name(seat), title, choices)?;
        Ok(self.request_single(selector)?.picks)
    }

    /// Asks a player to pick one card, or anything else with a title.
    ///
    /// # Errors
    ///
    /// As [`GameContext::choose`].
    pub fn choose_card<'c, C: HasTitle>(
        &mut self,
        seat: Seat,
        title: &str,
        cards: &'c [C],
    ) -> Result<&'c C, Suspension> {
        let chosen = self.choose_cards(seat, title, cards, PickBounds::default())?;
        Ok(chosen[0])
    }

    /// Asks a player to pick several cards, or anything else with a title.
    ///
    /// # Errors
    ///
    /// As [`GameContext::choose`].
    pub fn choose_cards<'c, C: HasTitle>(
        &mut self,
        seat: Seat,
        title: &str,
        cards: &'c [C],
        bounds: PickBounds,
    ) -> Result<Vec<&'c C>, Suspension> {
        let picks = self.choose(seat, title, ChoiceList::of(cards.iter().map(choice)).pick(bounds))?;
        Ok(picks.iter().map(|picked| &cards[picked.index]).collect())
    }

    /// Asks a player yes or no.
    ///
    /// # Errors
    ///
    /// As [`GameContext::choose`].
    pub fn choose_yes_no(&mut self, seat: Seat, title: &str) -> Result<bool, Suspension> {
        let picks = self.choose(seat, title, ChoiceList::of(["yes", "no"]))?;
        Ok(picks[0].index == 0)
    }

    /// Asks a player to pick one of several players.
    ///
    /// # Errors
    ///
    /// As [`GameContext::choose`].
    pub fn choose_player(&mut self, seat: Seat, title: &str, players: &[Seat]) -> Result<Seat, Suspension> {
        let names: Vec<&str> = players.iter().map(|player| self.name(*player)).collect();
        let picks = self.choose(seat, title, ChoiceList::of(names))?;
        Ok(players[picks[0].index])
    }
}

fn choice<C: HasTitle>(card: &C) -> SelectorChoice {
    let choice = SelectorChoice::titled(card.title());
    match card.id() {
        Some(id) => choice.with_id(id),
        None => choice,
    }
}
