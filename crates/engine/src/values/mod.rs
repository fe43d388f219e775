//! Values: checked arithmetic, lists, and the typed walk over words.

pub(crate) mod arithmetic;
pub(crate) mod datum;
pub(crate) mod lists;
pub(crate) mod typed;
