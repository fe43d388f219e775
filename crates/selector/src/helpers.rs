//! The questions that are asked most, in one call each.

use intermezzo_ruleset::Seat;

use crate::check::Picked;
use crate::choices::{Bounds, Choice, Choices};
use crate::flaw::Stop;
use crate::name::Name;
use crate::selector::Selector;
use crate::table::Table;

/// Something players know by a title: a card, say.
pub trait Titled {
    /// What players know it by.
    fn title(&self) -> Name;

    /// What tells it apart from others with the same title, if that matters.
    fn id(&self) -> Option<Name> {
        None
    }
}

impl<N: Clone + Into<Name>> Titled for N {
    fn title(&self) -> Name {
        self.clone().into()
    }
}

impl Table<'_> {
    /// Lets a player pick among choices.
    ///
    /// # Errors
    ///
    /// As [`Table::request_single`], and if there is nothing that could be picked.
    pub fn choose(&mut self, seat: Seat, title: &str, choices: Choices) -> Result<Vec<Picked>, Stop> {
        let selector = Selector::select(self.name(seat), title, choices)?;
        Ok(self.request_single(selector)?.picks)
    }

    /// Lets a player pick one card, or anything else that has a title.
    ///
    /// # Errors
    ///
    /// As [`Table::choose`].
    pub fn choose_card<'c, C: Titled>(
        &mut self,
        seat: Seat,
        title: &str,
        cards: &'c [C],
    ) -> Result<&'c C, Stop> {
        let chosen = self.choose_cards(seat, title, cards, Bounds::default())?;
        Ok(chosen[0])
    }

    /// Lets a player pick several cards, or anything else that has a title.
    ///
    /// # Errors
    ///
    /// As [`Table::choose`].
    pub fn choose_cards<'c, C: Titled>(
        &mut self,
        seat: Seat,
        title: &str,
        cards: &'c [C],
        bounds: Bounds,
    ) -> Result<Vec<&'c C>, Stop> {
        let picks = self.choose(seat, title, Choices::of(cards.iter().map(choice)).pick(bounds))?;
        Ok(picks.iter().map(|picked| &cards[picked.index]).collect())
    }

    /// Asks a player yes or no.
    ///
    /// # Errors
    ///
    /// As [`Table::choose`].
    pub fn choose_yes_no(&mut self, seat: Seat, title: &str) -> Result<bool, Stop> {
        let picks = self.choose(seat, title, Choices::of(["yes", "no"]))?;
        Ok(picks[0].index == 0)
    }

    /// Lets a player pick one of several players.
    ///
    /// # Errors
    ///
    /// As [`Table::choose`].
    pub fn choose_player(&mut self, seat: Seat, title: &str, players: &[Seat]) -> Result<Seat, Stop> {
        let names: Vec<&str> = players.iter().map(|player| self.name(*player)).collect();
        let picks = self.choose(seat, title, Choices::of(names))?;
        Ok(players[picks[0].index])
    }
}

fn choice<C: Titled>(card: &C) -> Choice {
    let choice = Choice::titled(card.title());
    match card.id() {
        Some(id) => choice.with_id(id),
        None => choice,
    }
}
