//! Description of the numbers of an observation.

/// Kind of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// 1 for true, 0 for false.
    Flag,
    /// A number of the rules, 0 if absent.
    Number,
    /// One of this many things, counted from 0. 0 stands for none or an unknown one.
    Index(usize),
}

/// Column of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Name, such as `prop power`.
    pub name: String,
    /// Meaning of its numbers.
    pub meaning: ColumnKind,
}

impl Column {
    pub(crate) fn flag(name: impl Into<String>) -> Column {
        Column { name: name.into(), meaning: ColumnKind::Flag }
    }

    pub(crate) fn number(name: impl Into<String>) -> Column {
        Column { name: name.into(), meaning: ColumnKind::Number }
    }

    pub(crate) fn index(name: impl Into<String>, size: usize) -> Column {
        Column { name: name.into(), meaning: ColumnKind::Index(size) }
    }
}

/// Section of an observation: rows of equal columns, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    pub name: &'static str,
    /// Start in the observation.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
    /// Columns of each row.
    pub columns: Vec<Column>,
}

impl Section {
    /// Returns the end of the section in the observation.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.rows * self.columns.len()
    }

    /// Returns the numbers of one row.
    pub(crate) fn row<'o>(&self, observation: &'o mut [f32], row: usize) -> &'o mut [f32] {
        let width = self.columns.len();
        &mut observation[self.start + row * width..][..width]
    }
}
