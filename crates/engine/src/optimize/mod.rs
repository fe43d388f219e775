//! Analysis and rewriting of program code before a match runs it. Nothing in here changes the result of a
//! match.

pub(crate) mod code_validation;
pub(crate) mod dependencies;
pub(crate) mod fast_path;
pub(crate) mod inliner;
pub(crate) mod memo;
pub(crate) mod native_tests;
pub(crate) mod peephole;
pub(crate) mod program_index;
pub(crate) mod read_analysis;
pub(crate) mod specializer;
pub(crate) mod static_analysis;
