//! One question to one player: [`Selector`].

use serde::{Deserialize, Serialize};

use crate::choices::Choices;
use crate::flaw::Impossible;
use crate::name::Name;
use crate::response::{Pick, Response};
use crate::written::WrittenSelector;

/// Whether the choices are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectorType {
    /// Some of the listed choices.
    #[default]
    Select,
    /// Anything: what comes back is up to the one who asks.
    Action,
}

/// One question to one player, which can be answered in some way.
///
/// As JSON it has the keys `type`, `actor`, `title`, `choices`, `min`, `max`
/// and `count`; a choice is a text, a number, or an object with `title`, `id`,
/// `exclusive`, and `choices` with bounds of their own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "WrittenSelector", into = "WrittenSelector")]
pub struct Selector {
    pub(crate) kind: SelectorType,
    pub(crate) actor: String,
    pub(crate) title: String,
    pub(crate) choices: Choices,
}

impl Selector {
    /// Asks to pick among choices.
    ///
    /// # Errors
    ///
    /// If there is no way to answer: more must be picked than there is, here or within a choice.
    pub fn select(
        actor: impl Into<String>,
        title: impl Into<String>,
        choices: Choices,
    ) -> Result<Selector, Impossible> {
        Selector { kind: SelectorType::Select, actor: actor.into(), title: title.into(), choices }.checked()
    }

    /// Asks for anything.
    pub fn action(actor: impl Into<String>, title: impl Into<String>) -> Selector {
        Selector {
            kind: SelectorType::Action,
            actor: actor.into(),
            title: title.into(),
            choices: Choices::default(),
        }
    }

    pub(crate) fn checked(self) -> Result<Selector, Impossible> {
        let mut path = vec![Name::from(self.title.as_str())];
        match self.kind {
            SelectorType::Select => self.choices.check_possible(&mut path)?,
            SelectorType::Action if !self.choices.list.is_empty() => {
                return Err(Impossible::ActionWithChoices { path });
            }
            SelectorType::Action => {
                let (min, max) = self.choices.bounds.among(usize::MAX);
                if min > max {
                    return Err(Impossible::MinAboveMax { path, min, max });
                }
            }
        }
        Ok(self)
    }

    /// Whether the choices are listed.
    #[must_use]
    pub fn kind(&self) -> SelectorType {
        self.kind
    }

    /// Who is asked.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// What the player reads.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What can be picked.
    #[must_use]
    pub fn choices(&self) -> &Choices {
        &self.choices
    }

    /// The response that needs no asking: everything, if everything must be picked.
    ///
    /// There is none for free-form requests, nested choices, and exclusive ones: those are a way to decline.
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
            selection: list.iter().map(Pick::of).collect(),
            is_user_response: false,
        })
    }
}

/// A selector with what the player need not be told: whether it may be answered without asking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub(crate) selector: Selector,
    pub(crate) is_secret: bool,
    pub(crate) asks_always: bool,
}

impl Question {
    /// Nobody else is to know of it before the answer counts. It is always asked: silence would tell something.
    #[must_use]
    pub fn secret(mut self) -> Question {
        self.is_secret = true;
        self
    }

    /// It is asked even if there is only one answer.
    #[must_use]
    pub fn always(mut self) -> Question {
        self.asks_always = true;
        self
    }

    /// The response that is given without asking.
    pub(crate) fn answers_itself(&self) -> Option<Response> {
        self.selector.forced().filter(|_| !self.is_secret && !self.asks_always)
    }
}

impl From<Selector> for Question {
    fn from(selector: Selector) -> Question {
        Question { selector, is_secret: false, asks_always: false }
    }
}
