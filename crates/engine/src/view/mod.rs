//! Hidden information: what each viewer sees, learns and may assume about a match.

pub(crate) mod asked_seats;
pub(crate) mod custom_messages;
pub(crate) mod determinize;
pub(crate) mod disclosure;
pub(crate) mod hidden_state;
pub(crate) mod mid_input;
pub(crate) mod observer;
pub(crate) mod renumber;
pub(crate) mod tutorial;
pub(crate) mod view_changes;
pub(crate) mod view_modifiers;
pub(crate) mod viewer_event;
pub(crate) mod viewer_names;
pub(crate) mod views;
pub(crate) mod visible_entities;
