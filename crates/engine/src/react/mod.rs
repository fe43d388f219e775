//! Reactions and modifiers: which rules apply to an event or a value, in which order and how often.

pub(crate) mod chosen_order;
pub(crate) mod copies;
pub(crate) mod explain;
pub(crate) mod grants;
pub(crate) mod last_known;
pub(crate) mod modifiers;
pub(crate) mod payments;
pub(crate) mod reaction_limits;
pub(crate) mod reactions;
pub(crate) mod rule_sources;
pub(crate) mod secret_reactions;
