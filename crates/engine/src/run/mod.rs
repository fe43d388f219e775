//! Running a match: frames, interpreter, effects, the life cycle of events, groups and the stack.

pub(crate) mod beginning;
pub(crate) mod bystanders;
pub(crate) mod chance;
pub(crate) mod commit;
pub(crate) mod creation_loop;
pub(crate) mod cycle;
pub(crate) mod effects;
pub(crate) mod evaluator;
pub(crate) mod event_lifecycle;
pub(crate) mod frames;
pub(crate) mod group;
pub(crate) mod group_commit;
pub(crate) mod group_replacement;
pub(crate) mod interpreter;
pub(crate) mod item_filter;
pub(crate) mod log;
pub(crate) mod lost_subjects;
pub(crate) mod match_instance;
pub(crate) mod match_terms;
pub(crate) mod phase_exit;
pub(crate) mod registers;
pub(crate) mod setup;
pub(crate) mod stack;
pub(crate) mod state_checks;
pub(crate) mod state_reads;
pub(crate) mod zone_room;
