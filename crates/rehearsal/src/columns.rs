//! What each number of an observation is.

/// What the numbers of a column mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// 1 if it is so, else 0.
    Flag,
    /// A number as the rules have it, 0 where there is none.
    Number,
    /// One of so many things, counted from 0; 0 stands for none of them, or an unknown one.
    Index(usize),
}

/// One column of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// What it is called, such as `prop power`.
    pub name: String,
    /// What its numbers mean.
    pub meaning: Meaning,
}

impl Column {
    pub(crate) fn flag(name: impl Into<String>) -> Column {
        Column { name: name.into(), meaning: Meaning::Flag }
    }

    pub(crate) fn number(name: impl Into<String>) -> Column {
        Column { name: name.into(), meaning: Meaning::Number }
    }

    pub(crate) fn index(name: impl Into<String>, size: usize) -> Column {
        Column { name: name.into(), meaning: Meaning::Index(size) }
    }
}

/// A part of an observation: rows of equal columns, one row after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// What it is called.
    pub name: &'static str,
    /// Where it begins in the observation.
    pub start: usize,
    /// How many rows it has.
    pub rows: usize,
    /// The columns of each row.
    pub columns: Vec<Column>,
}

impl Section {
    /// Where the section ends in the observation.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.rows * self.columns.len()
    }

    /// The numbers of one row.
    pub(crate) fn row<'o>(&self, observation: &'o mut [f32], row: usize) -> &'o mut [f32] {
        let width = self.columns.len();
        &mut observation[self.start + row * width..][..width]
    }
}
