//! Actions that players can take, and abilities that rules can run.
//!
//! The engine makes *offers*: an action with its host and the targets that are picked with it. Taking an
//! offer runs the action's `take` code, which asks for the remaining parameters, announces, pays, and puts an
//! *item* on the stack: an entity of the action's own def, whose properties hold the chosen values. When the
//! item resolves, `recheck` checks its targets again and `perform` runs the effects.

use crate::{DefId, EventId, KindId, PropId, RoutineId, Symbol, TextId, TypeId, ZoneId};

/// Owner of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionHost {
    /// The game: every player has the action.
    Game,
    Kind(KindId),
    /// Every entity made from the def, or to which the trait is attached.
    Def(DefId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionTiming {
    /// On the stack.
    Stack,
    /// Immediately.
    Instant,
    /// Never by players: the action is an ability that rules run.
    Called,
}

/// A value chosen when an action is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionParam {
    pub name: Symbol,
    pub ty: TypeId,
    /// True if the value is part of the offer; otherwise the player is asked for it when the offer is taken.
    pub offered: bool,
    /// Property of the stack item that holds the value.
    pub prop: PropId,
    /// True for a choice made to pay, which is no target.
    pub pays: bool,
}

/// A price for display: the operation that pays it, and its arguments.
#[derive(Clone, Debug)]
pub struct Price {
    pub name: Symbol,
    /// Argument name, a pure function of the offered parameters, and its type.
    pub args: Vec<(Symbol, RoutineId, TypeId)>,
}

/// One end of a drag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ManipulationEnd {
    /// The entity that has the action.
    Host,
    /// The parameter with this index.
    Param(u16),
    /// A zone of this family.
    Zone(ZoneId),
}

/// The drag gesture that stands for an action: `what` is dropped onto `onto`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manipulation {
    pub what: ManipulationEnd,
    pub onto: ManipulationEnd,
}

/// An action that players can take, or an ability that rules can run.
///
/// All its routines find the host in [`Reg::SELF`](crate::Reg::SELF), the player in
/// [`Reg::ACTOR`](crate::Reg::ACTOR) and [`Reg::YOU`](crate::Reg::YOU), the trait in
/// [`Reg::TRAIT`](crate::Reg::TRAIT).
#[derive(Clone, Debug)]
pub struct Action {
    pub name: Symbol,
    /// Def of its stack items.
    pub def: DefId,
    pub host: ActionHost,
    /// Zones its host must be in; empty means any active zone.
    pub zones: Vec<ZoneId>,
    pub timing: ActionTiming,
    /// True if rules may prevent it while it is on the stack.
    pub preventable: bool,
    pub params: Vec<ActionParam>,
    /// Property of the stack item that holds the batch under which what was paid is remembered, if anything is.
    pub payment: Option<PropId>,
    /// Test that does not depend on host or targets; `None` means always true.
    pub gate: Option<RoutineId>,
    /// Routine that makes the offers with [`Instr::Offer`](crate::Instr::Offer).
    pub offers: RoutineId,
    /// Function that explains a missing offer: an index into `reasons`, or null if the action is offered.
    pub why: RoutineId,
    pub reasons: Vec<TextId>,
    /// Routine that takes an offer; its parameters are the offered ones.
    pub take: RoutineId,
    /// Function that checks the targets again: it takes all parameters and returns a record of the targets
    /// that are still legal, or null.
    pub recheck: Option<RoutineId>,
    /// Routine that runs the effects; parameters: the item (or null), then all parameters.
    pub perform: RoutineId,
    /// Routine that pays the costs of an ability immediately; parameters as for `perform`.
    pub pay: RoutineId,
    /// Routine that runs last, even if the action was prevented; parameters as for `perform`.
    pub finally: Option<RoutineId>,
    /// Routine that returns what was paid if the action was prevented; parameters as for `perform`.
    pub refund: Option<RoutineId>,
    /// Costs, for display.
    pub prices: Vec<Price>,
    /// Events its effects can emit.
    pub emits: Vec<EventId>,
    /// Tags of an ability.
    pub tags: Vec<Symbol>,
    pub title: TextId,
    /// Rules text for players.
    pub text: Option<TextId>,
    /// Advice for beginners.
    pub hint: Option<TextId>,
    /// The action's `ui` section, as JSON text.
    pub ui: Option<TextId>,
    pub manipulation: Option<Manipulation>,
}
