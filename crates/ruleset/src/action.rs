//! What players can do.
//!
//! A player is offered *offers*: an action with its host and the targets that
//! are picked with it. Taking one runs its `take` code, which asks for what is
//! still open, announces, pays, and puts an *item* on the stack: an entity of
//! the action's own def, whose properties hold what was chosen. When the item
//! resolves, `recheck` looks at its targets again and `perform` does the rest.

use crate::{DefId, EventId, KindId, PropId, RoutineId, Symbol, TextId, TypeId, ZoneId};

/// What an action belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionHost {
    /// The game: every player has it.
    Game,
    /// Every entity of the kind.
    Kind(KindId),
    /// Every entity made from the def (or to which the trait is attached).
    Def(DefId),
}

/// When an action happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionTiming {
    /// It waits on the stack.
    Stack,
    /// At once.
    Instant,
    /// It is an ability: only rules run it.
    Called,
}

/// Something chosen when an action is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionParam {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: TypeId,
    /// Is part of the offer; otherwise it is asked for when the offer is taken.
    pub offered: bool,
    /// The property of the item that holds it.
    pub prop: PropId,
}

/// What a price names: the operation that is paid by, and its arguments.
#[derive(Clone, Debug)]
pub struct Price {
    /// The operation.
    pub name: Symbol,
    /// Its arguments: name, and a pure function of the offered parameters with its type.
    pub args: Vec<(Symbol, RoutineId, TypeId)>,
}

/// One end of a drag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manipulated {
    /// The entity that has the action.
    Host,
    /// The parameter with that number.
    Param(u16),
    /// A zone of that family.
    Zone(ZoneId),
}

/// The drag that means an action: this onto that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manipulation {
    /// What is dragged.
    pub what: Manipulated,
    /// Where to.
    pub onto: Manipulated,
}

/// What players can do, or an ability that rules can run.
///
/// All its routines have the host in [`Reg::SELF`](crate::Reg::SELF), the player in
/// [`Reg::ACTOR`](crate::Reg::ACTOR) and [`Reg::YOU`](crate::Reg::YOU), the trait in
/// [`Reg::TRAIT`](crate::Reg::TRAIT).
#[derive(Clone, Debug)]
pub struct Action {
    /// Its id.
    pub name: Symbol,
    /// What its items on the stack are made from.
    pub def: DefId,
    /// What it belongs to.
    pub host: ActionHost,
    /// Where its host must be; empty: in an active zone.
    pub zones: Vec<ZoneId>,
    /// When it happens.
    pub timing: ActionTiming,
    /// Rules may prevent it while it is on the stack.
    pub preventable: bool,
    /// What is chosen with it, in order.
    pub params: Vec<ActionParam>,
    /// Test that does not depend on host or targets; none means it holds.
    pub gate: Option<RoutineId>,
    /// Makes the offers with [`Instr::Offer`](crate::Instr::Offer).
    pub offers: RoutineId,
    /// Why there is no offer: a number into `reasons`, or null if there is one.
    pub why: RoutineId,
    /// Texts of reasons.
    pub reasons: Vec<TextId>,
    /// Takes an offer; parameters are the offered ones.
    pub take: RoutineId,
    /// Looks at the targets again: function of all parameters that gives a record of those that are left, or null.
    pub recheck: Option<RoutineId>,
    /// What it does; parameters are the item (or null) and all parameters.
    pub perform: RoutineId,
    /// Pays its costs at once, for abilities; parameters as `perform`.
    pub pay: RoutineId,
    /// Comes last, whether or not it happened; parameters as `perform`.
    pub finally: Option<RoutineId>,
    /// Gives back what was paid, if it was prevented; parameters as `perform`.
    pub refund: Option<RoutineId>,
    /// What it costs, for people.
    pub prices: Vec<Price>,
    /// Events its effects can bring about.
    pub emits: Vec<EventId>,
    /// Tags, of abilities.
    pub tags: Vec<Symbol>,
    /// What players read.
    pub title: TextId,
    /// What it does, for people.
    pub text: Option<TextId>,
    /// Advice for beginners.
    pub hint: Option<TextId>,
    /// Its `ui`, as JSON text.
    pub ui: Option<TextId>,
    /// The drag that means it.
    pub manipulation: Option<Manipulation>,
}
