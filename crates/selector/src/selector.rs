//! One question to one player: [`Selector`].

use serde::{Deserialize, Serialize};

use crate::choices::ChoiceList;
use crate::errors::InvalidSelector;
use crate::json::SelectorJson;
use crate::name::ChoiceName;
use crate::response::{Pick, Response};

/// The kind of a selector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectorType {
    /// Pick from the listed choices.
    #[default]
    Select,
    /// Free-form: the asking side interprets the response.
    Action,
}

/// One question to one player that can be answered.
///
/// The JSON form has the keys `type`, `actor`, `title`, `choices`, `min`, `max` and `count`; a choice is a
/// text, an integer, or an object with `title`, `id`, `exclusive`, and nested `choices` with their own bounds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "SelectorJson", into = "SelectorJson")]
pub struct Selector {
    pub(crate) kind: SelectorType,
    pub(crate) actor: String,
    pub(crate) title: String,
    pub(crate) choices: ChoiceList,
}

impl Selector {
    /// Creates a selector with choices.
    ///
    /// # Errors
    ///
    /// If it cannot be answered: more picks are required than possible, here or in a nested list.
    pub fn select(
        actor: impl Into<String>,
        title: impl Into<String>,
        choices: ChoiceList,
    ) -> Result<Selector, InvalidSelector> {
        Selector { kind: SelectorType::Select, actor: actor.into(), title: title.into(), choices }.checked()
    }

    /// Creates a free-form request.
    pub fn action(actor: impl Into<String>, title: impl Into<String>) -> Selector {
        Selector {
            kind: SelectorType::Action,
            actor: actor.into(),
            title: title.into(),
            choices: ChoiceList::default(),
        }
    }

    pub(crate) fn checked(self) -> Result<Selector, InvalidSelector> {
        let mut path = vec![ChoiceName::from(self.title.as_str())];
        match self.kind {
            SelectorType::Select => self.choices.check_possible(&mut path)?,
            SelectorType::Action if !self.choices.list.is_empty() => {
                return Err(InvalidSelector::ActionWithChoices { path });
            }
            SelectorType::Action => {
                let (min, max) = self.choices.bounds.range_among(usize::MAX);
                if min > max {
                    return Err(InvalidSelector::MinAboveMax { path, min, max });
                }
            }
        }
        Ok(self)
    }

    /// The kind of a selector.
    #[must_use]
    pub fn kind(&self) -> SelectorType {
        self.kind
    }

    /// Returns the name of the player.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// Returns the title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the choices.
    #[must_use]
    pub fn choices(&self) -> &ChoiceList {
        &self.choices
    }

    /// Returns the only possible response, if every choice must be picked.
    ///
    /// `None` for free-form requests, for nested choices, and for exclusive ones, which are a way to decline.
    #[must_use]
    pub fn forced(&self) -> Option<Response> {
        let list = &self.choices.list;
        let is_plain = self.kind == SelectorType::Select && !self.choices.is_nested();
        let may_decline = list.iter().any(|choice| choice.exclusive);
        let (min, _) = self.choices.range();
        let is_forced = is_plain && !may_decline && min as usize >= list.len();
        is_forced.then(|| Response {
            actor: Some(self.actor.clone()),
            title: self.title.clone(),
            selection: list.iter().map(Pick::exactly).collect(),
            is_user_response: false,
        })
    }
}

/// A selector, and whether it may be answered automatically.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SelectorRequest {
    pub(crate) selector: Selector,
    pub(crate) is_secret: bool,
    pub(crate) always_asks: bool,
}

impl SelectorRequest {
    /// Hides the question from other players until the answer counts. It is always asked, since an automatic
    /// answer would reveal something.
    #[must_use]
    pub fn secret(mut self) -> SelectorRequest {
        self.is_secret = true;
        self
    }

    /// Asks even if only one answer is possible.
    #[must_use]
    pub fn always_ask(mut self) -> SelectorRequest {
        self.always_asks = true;
        self
    }

    /// Returns the automatic response, if any.
    pub(crate) fn forced_response(&self) -> Option<Response> {
        self.selector.forced().filter(|_| !self.is_secret && !self.always_asks)
    }
}

impl From<Selector> for SelectorRequest {
    fn from(selector: Selector) -> SelectorRequest {
        SelectorRequest { selector, is_secret: false, always_asks: false }
    }
}
