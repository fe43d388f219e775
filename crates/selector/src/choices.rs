//! Lists of choices, at the top of a selector or nested in a choice.

use serde::Serialize;

use crate::errors::InvalidSelector;
use crate::json::ChoiceJson;
use crate::name::ChoiceName;

/// Choices and the number of picks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChoiceList {
    pub(crate) list: Vec<SelectorChoice>,
    pub(crate) bounds: PickBounds,
}

impl ChoiceList {
    /// Creates a list of which exactly one must be picked, unless [`pick`](Self::pick) says otherwise.
    pub fn of<C: Into<SelectorChoice>>(choices: impl IntoIterator<Item = C>) -> ChoiceList {
        ChoiceList { list: choices.into_iter().map(Into::into).collect(), bounds: PickBounds::default() }
    }

    /// Sets the number of picks.
    #[must_use]
    pub fn pick(mut self, bounds: PickBounds) -> ChoiceList {
        self.bounds = bounds;
        self
    }

    /// Adds a choice.
    #[must_use]
    pub fn with(mut self, choice: impl Into<SelectorChoice>) -> ChoiceList {
        self.list.push(choice.into());
        self
    }

    /// Returns the choices.
    #[must_use]
    pub fn list(&self) -> &[SelectorChoice] {
        &self.list
    }

    /// Returns the bounds as written.
    #[must_use]
    pub fn bounds(&self) -> PickBounds {
        self.bounds
    }

    /// Returns the minimum and maximum number of picks.
    #[must_use]
    pub fn range(&self) -> (u32, u32) {
        self.bounds.range_among(self.list.len())
    }

    /// Returns whether some choice has nested choices.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.list.iter().any(|choice| choice.choices.is_some())
    }

    /// Checks that the list can be answered. `path` holds the titles from the selector's on.
    pub(crate) fn check_possible(&self, path: &mut Vec<ChoiceName>) -> Result<(), InvalidSelector> {
        let (min, max) = self.bounds.range_among(usize::MAX);
        if min > max {
            return Err(InvalidSelector::MinAboveMax { path: path.clone(), min, max });
        }
        let available = self.max_simultaneous();
        if min as usize > available {
            return Err(InvalidSelector::TooFewChoices { path: path.clone(), min, available });
        }
        for (place, choice) in self.list.iter().enumerate() {
            let is_same = |other: &SelectorChoice| choice.id.is_some() && other.id == choice.id;
            if let Some(id) = choice.id.clone().filter(|_| self.list[..place].iter().any(is_same)) {
                return Err(InvalidSelector::DuplicateId { path: path.clone(), id });
            }
            if let Some(choices) = &choice.choices {
                path.push(choice.title.clone());
                choices.check_possible(path)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// Returns how many choices can be picked at once: all that are not exclusive, or one that is.
    fn max_simultaneous(&self) -> usize {
        let combinable = self.list.iter().filter(|choice| !choice.exclusive).count();
        combinable.max(self.list.len().min(1))
    }
}

/// The number of picks: exactly one by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PickBounds {
    /// The minimum.
    pub min: Option<u32>,
    /// The maximum.
    pub max: Option<u32>,
    /// The exact number; overrides the others.
    pub count: Option<u32>,
}

impl PickBounds {
    /// Returns bounds for exactly `count` picks.
    #[must_use]
    pub fn exactly(count: u32) -> PickBounds {
        PickBounds { count: Some(count), ..PickBounds::default() }
    }

    /// Returns bounds for at most `max` picks.
    #[must_use]
    pub fn up_to(max: u32) -> PickBounds {
        PickBounds { max: Some(max), ..PickBounds::default() }
    }

    /// Returns bounds for at least `min` picks.
    #[must_use]
    pub fn at_least(min: u32) -> PickBounds {
        PickBounds { min: Some(min), ..PickBounds::default() }
    }

    /// Returns bounds for `min` to `max` picks.
    #[must_use]
    pub fn between(min: u32, max: u32) -> PickBounds {
        PickBounds { min: Some(min), max: Some(max), count: None }
    }

    /// Returns whether no bound is set.
    pub(crate) fn is_default(self) -> bool {
        self == PickBounds::default()
    }

    /// Returns the minimum and maximum number of picks among `choices` choices.
    pub(crate) fn range_among(self, choices: usize) -> (u32, u32) {
        let all = u32::try_from(choices).unwrap_or(u32::MAX);
        let (min, max) = match (self.count, self.min, self.max) {
            (Some(count), _, _) => (count, count),
            (None, None, None) => (1, 1),
            (None, None, Some(max)) => (0, max),
            (None, Some(min), None) => (min, all),
            (None, Some(min), Some(max)) => (min, max),
        };
        (min, max.min(all))
    }
}

/// A choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "ChoiceJson")]
pub struct SelectorChoice {
    pub(crate) title: ChoiceName,
    pub(crate) id: Option<ChoiceName>,
    pub(crate) exclusive: bool,
    pub(crate) choices: Option<ChoiceList>,
}

impl SelectorChoice {
    /// Creates a choice with a title.
    pub fn titled(title: impl Into<ChoiceName>) -> SelectorChoice {
        SelectorChoice { title: title.into(), id: None, exclusive: false, choices: None }
    }

    /// Sets the id, which distinguishes it from others with the same title.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<ChoiceName>) -> SelectorChoice {
        self.id = Some(id.into());
        self
    }

    /// Marks it as exclusive: it cannot be combined with others.
    #[must_use]
    pub fn exclusive(mut self) -> SelectorChoice {
        self.exclusive = true;
        self
    }

    /// Adds nested choices.
    #[must_use]
    pub fn with_choices(mut self, choices: ChoiceList) -> SelectorChoice {
        self.choices = Some(choices);
        self
    }

    /// Returns the title.
    #[must_use]
    pub fn title(&self) -> &ChoiceName {
        &self.title
    }

    /// Returns the id.
    #[must_use]
    pub fn id(&self) -> Option<&ChoiceName> {
        self.id.as_ref()
    }

    /// Returns whether it is exclusive.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Returns the nested choices.
    #[must_use]
    pub fn choices(&self) -> Option<&ChoiceList> {
        self.choices.as_ref()
    }
}

impl<N: Into<ChoiceName>> From<N> for SelectorChoice {
    fn from(title: N) -> SelectorChoice {
        SelectorChoice::titled(title)
    }
}
