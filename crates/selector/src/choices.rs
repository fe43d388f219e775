//! What can be picked, and how many of it: [`Choices`], at the top of a selector or within a choice.

use serde::Serialize;

use crate::flaw::Impossible;
use crate::name::Name;
use crate::written::WrittenChoice;

/// Choices and how many of them are to be picked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    pub(crate) list: Vec<Choice>,
    pub(crate) bounds: Bounds,
}

impl Choices {
    /// Exactly one of these, until something else is said.
    pub fn of<C: Into<Choice>>(choices: impl IntoIterator<Item = C>) -> Choices {
        Choices { list: choices.into_iter().map(Into::into).collect(), bounds: Bounds::default() }
    }

    /// Says how many are picked.
    #[must_use]
    pub fn pick(mut self, bounds: Bounds) -> Choices {
        self.bounds = bounds;
        self
    }

    /// Adds one more.
    #[must_use]
    pub fn and(mut self, choice: impl Into<Choice>) -> Choices {
        self.list.push(choice.into());
        self
    }

    /// What can be picked.
    #[must_use]
    pub fn list(&self) -> &[Choice] {
        &self.list
    }

    /// How many picks were asked for, as written.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Least and greatest number of picks.
    #[must_use]
    pub fn range(&self) -> (u32, u32) {
        self.bounds.among(self.list.len())
    }

    /// Whether some choice has choices of its own.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.list.iter().any(|choice| choice.choices.is_some())
    }

    /// Finds out whether there is a way to answer. `path` holds the titles from the selector's on.
    pub(crate) fn check_possible(&self, path: &mut Vec<Name>) -> Result<(), Impossible> {
        let (min, max) = self.bounds.among(usize::MAX);
        if min > max {
            return Err(Impossible::MinAboveMax { path: path.clone(), min, max });
        }
        let available = self.together();
        if min as usize > available {
            return Err(Impossible::TooFewChoices { path: path.clone(), min, available });
        }
        for (place, choice) in self.list.iter().enumerate() {
            let is_same = |other: &Choice| choice.id.is_some() && other.id == choice.id;
            if let Some(id) = choice.id.clone().filter(|_| self.list[..place].iter().any(is_same)) {
                return Err(Impossible::SameId { path: path.clone(), id });
            }
            if let Some(choices) = &choice.choices {
                path.push(choice.title.clone());
                choices.check_possible(path)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// How many can be picked at once: all that are not exclusive, or one that is.
    fn together(&self) -> usize {
        let combinable = self.list.iter().filter(|choice| !choice.exclusive).count();
        combinable.max(self.list.len().min(1))
    }
}

/// How many picks: exactly one, until something else is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// Least number.
    pub min: Option<u32>,
    /// Greatest number.
    pub max: Option<u32>,
    /// Exact number; counts more than the others.
    pub count: Option<u32>,
}

impl Bounds {
    /// Exactly so many.
    #[must_use]
    pub fn exactly(count: u32) -> Bounds {
        Bounds { count: Some(count), ..Bounds::default() }
    }

    /// None to so many.
    #[must_use]
    pub fn up_to(max: u32) -> Bounds {
        Bounds { max: Some(max), ..Bounds::default() }
    }

    /// So many or more.
    #[must_use]
    pub fn at_least(min: u32) -> Bounds {
        Bounds { min: Some(min), ..Bounds::default() }
    }

    /// So many to so many.
    #[must_use]
    pub fn between(min: u32, max: u32) -> Bounds {
        Bounds { min: Some(min), max: Some(max), count: None }
    }

    /// Nothing was said.
    pub(crate) fn is_unsaid(self) -> bool {
        self == Bounds::default()
    }

    /// Least and greatest number of picks among so many choices.
    pub(crate) fn among(self, choices: usize) -> (u32, u32) {
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

/// Something that can be picked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "WrittenChoice")]
pub struct Choice {
    pub(crate) title: Name,
    pub(crate) id: Option<Name>,
    pub(crate) exclusive: bool,
    pub(crate) choices: Option<Choices>,
}

impl Choice {
    /// A choice that players know by that title.
    pub fn titled(title: impl Into<Name>) -> Choice {
        Choice { title: title.into(), id: None, exclusive: false, choices: None }
    }

    /// Tells it apart from others with the same title.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Name>) -> Choice {
        self.id = Some(id.into());
        self
    }

    /// It goes with no other.
    #[must_use]
    pub fn exclusive(mut self) -> Choice {
        self.exclusive = true;
        self
    }

    /// Who picks it picks among these, too.
    #[must_use]
    pub fn with_choices(mut self, choices: Choices) -> Choice {
        self.choices = Some(choices);
        self
    }

    /// What players know it by.
    #[must_use]
    pub fn title(&self) -> &Name {
        &self.title
    }

    /// What tells it apart from others with the same title.
    #[must_use]
    pub fn id(&self) -> Option<&Name> {
        self.id.as_ref()
    }

    /// Whether it goes with no other.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// What can be picked within it.
    #[must_use]
    pub fn choices(&self) -> Option<&Choices> {
        self.choices.as_ref()
    }
}

impl<N: Into<Name>> From<N> for Choice {
    fn from(title: N) -> Choice {
        Choice::titled(title)
    }
}
