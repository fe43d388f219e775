//! Mistakes of the one who asks: selectors nobody could answer, and records that belong to another match.

use std::fmt;

use crate::name::Name;
use crate::refusal::Invalid;

/// Why a selector cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Impossible {
    /// More must be picked than can be picked at once.
    TooFewChoices {
        /// The titles that lead to the choices.
        path: Vec<Name>,
        /// Least number of picks.
        min: u32,
        /// How many can be picked at once.
        available: usize,
    },
    /// The least number of picks is greater than the greatest.
    MinAboveMax {
        /// The titles that lead to the choices.
        path: Vec<Name>,
        /// Least number of picks.
        min: u32,
        /// Greatest number of picks.
        max: u32,
    },
    /// Two choices of one list have the same id.
    SameId {
        /// The titles that lead to the choices.
        path: Vec<Name>,
        /// The id.
        id: Name,
    },
    /// A free-form request lists choices.
    ActionWithChoices {
        /// The title of the selector.
        path: Vec<Name>,
    },
}

/// A mistake of the function that is the match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It asks what nobody could answer.
    Impossible(Impossible),
    /// Two players have the same name.
    SameName {
        /// The name.
        actor: String,
    },
    /// It asks somebody who does not play.
    UnknownActor {
        /// The name.
        actor: String,
    },
    /// One request asks a player twice.
    AskedTwice {
        /// The player's name.
        actor: String,
    },
    /// It wants the first response of nobody.
    NobodyAsked,
}

/// Why the function that is the match went no further.
///
/// It is handed on with `?`; [`Play`](crate::Play) makes sense of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Players must answer first.
    Waiting,
    /// The function made a mistake.
    Flawed(Flaw),
    /// The record does not belong to it.
    Misfit(Misfit),
}

/// A response of a record that nothing asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// Its place in the record, from 0.
    pub place: usize,
    /// What is wrong with it.
    pub reason: MisfitReason,
}

/// What is wrong with a response of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MisfitReason {
    /// Something else was asked, or somebody else.
    NotAsked,
    /// It does not fit what was asked.
    Invalid(Invalid),
    /// The match was over.
    LeftOver,
}

/// Why a match cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The function that is the match made a mistake.
    Flawed(Flaw),
    /// The record does not belong to it.
    Misfit(Misfit),
}

/// Titles that lead somewhere, as messages show them.
struct Path<'a>(&'a [Name]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, title) in self.0.iter().enumerate() {
            let before = if place == 0 { "" } else { " › " };
            write!(f, "{before}{title}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Impossible::TooFewChoices { path, min, available } => {
                write!(f, "of `{}` {min} must be picked, but only {available} can be", Path(path))
            }
            Impossible::MinAboveMax { path, min, max } => {
                write!(f, "of `{}` at least {min} must be picked, but at most {max}", Path(path))
            }
            Impossible::SameId { path, id } => {
                write!(f, "`{}` has two choices with the id `{id}`", Path(path))
            }
            Impossible::ActionWithChoices { path } => {
                write!(f, "`{}` is a free-form request, but lists choices", Path(path))
            }
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Impossible(impossible) => impossible.fmt(f),
            Flaw::SameName { actor } => write!(f, "two players are called `{actor}`"),
            Flaw::UnknownActor { actor } => write!(f, "nobody called `{actor}` plays"),
            Flaw::AskedTwice { actor } => write!(f, "one request asks `{actor}` twice"),
            Flaw::NobodyAsked => f.write_str("a request for the first response asks nobody"),
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "response {} of the record does not fit: ", self.place)?;
        match &self.reason {
            MisfitReason::NotAsked => f.write_str("nothing asked for it"),
            MisfitReason::Invalid(invalid) => invalid.fmt(f),
            MisfitReason::LeftOver => f.write_str("the match was over"),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Flawed(flaw) => flaw.fmt(f),
            Trouble::Misfit(misfit) => misfit.fmt(f),
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Waiting => f.write_str("the match waits for players"),
            Stop::Flawed(flaw) => flaw.fmt(f),
            Stop::Misfit(misfit) => misfit.fmt(f),
        }
    }
}

impl std::error::Error for Impossible {}
impl std::error::Error for Flaw {}
impl std::error::Error for Misfit {}
impl std::error::Error for Trouble {}
impl std::error::Error for Stop {}

impl From<Impossible> for Flaw {
    fn from(impossible: Impossible) -> Flaw {
        Flaw::Impossible(impossible)
    }
}

impl From<Impossible> for Stop {
    fn from(impossible: Impossible) -> Stop {
        Stop::Flawed(impossible.into())
    }
}

impl From<Flaw> for Stop {
    fn from(flaw: Flaw) -> Stop {
        Stop::Flawed(flaw)
    }
}
