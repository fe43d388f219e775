//! The instructions programs are made of.
//!
//! Code is one flat vector; a [`Routine`](crate::Routine) is an entry point
//! with a number of registers. Every instruction is eight bytes. Registers
//! 0–4 of every routine are its context (see [`Reg`]); parameters follow,
//! then locals, then temporaries. Only context, parameters and locals are
//! alive across an instruction that may wait.

use std::fmt;

use crate::{
    ActionId, ChoiceId, CreateId, DefId, EnumId, EventId, KindId, PhaseId, PropId, RollId, RoutineId, TypeId,
    ZoneId,
};

/// A register of the running routine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reg(pub u16);

impl Reg {
    /// The entity whose rule this is.
    pub const SELF: Reg = Reg(0);
    /// The controller of that entity.
    pub const YOU: Reg = Reg(1);
    /// Who acts or is asked.
    pub const ACTOR: Reg = Reg(2);
    /// The event reacted to.
    pub const EVENT: Reg = Reg(3);
    /// The trait whose rule this is.
    pub const TRAIT: Reg = Reg(4);
    /// How many context registers there are.
    pub const CONTEXT: u16 = 5;
    /// Stands for "no register" where a result is not wanted.
    pub const NONE: Reg = Reg(u16::MAX);

    /// The register `n` places further on.
    #[must_use]
    pub fn offset(self, n: u16) -> Reg {
        Reg(self.0 + n)
    }
}

/// What [`Instr::Info`] asks about an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Info {
    /// Its def's symbol, null for players and the match.
    Def,
    /// Who it belongs to (a player belongs to itself); null for nobody.
    Owner,
    /// Who controls it; the owner unless changed.
    Controller,
    /// The zone it is in; null for none.
    Zone,
    /// Its place in that zone, from 0; null for none.
    Index,
    /// The entity it is attached to; null for none.
    Host,
    /// The seat number of a player.
    Seat,
}

/// What [`Instr::Flow`] asks about the flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowInfo {
    /// Player of the innermost phase that has one; null if none.
    Active,
    /// Subject of the innermost phase that has one; null if none.
    Subject,
    /// Symbol of the innermost phase; null if none.
    Phase,
    /// How many events have changed something so far.
    Changes,
}

/// What a group inside another does to it when it is prevented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnPrevented {
    /// Prevents an atomic one, is left out of a simultaneous one.
    Usual,
    /// Is left out.
    Drop,
    /// Prevents it.
    Propagate,
}

/// Why a rule failed while running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultCode {
    /// A number left its range.
    Overflow,
    /// A number was divided by zero.
    DivisionByZero,
    /// A value that had to be there was null.
    Missing,
    /// `.only` on a list that does not have exactly one item.
    NotExactlyOne,
    /// An index outside a list, or a key that has no value.
    OutOfRange,
    /// An entity no longer exists.
    Gone,
    /// The entity has no such property.
    NoSuchProperty,
    /// The zone holds as many as it may.
    ZoneFull,
    /// Nothing to choose from, although something must be chosen.
    NoOptions,
    /// A bound or a count that makes no sense (negative, or too large).
    BadCount,
    /// Guard: too many steps for one input.
    Steps,
    /// Guard: too many frames.
    Depth,
    /// Guard: too much memory.
    Memory,
    /// Guard: too many entities.
    Entities,
    /// Guard: too many events for one input.
    Events,
    /// Guard: too many reactions to one event.
    Reactions,
    /// Scripted dice did not fit what was rolled.
    Script,
    /// Something that waits or draws inside a group.
    Group,
    /// An action was taken that is not open any more.
    NotOffered,
    /// A cost cannot be paid.
    Unaffordable,
}

impl FaultCode {
    /// Whether a guard tripped, rather than a rule failing by itself.
    #[must_use]
    pub fn is_guard(self) -> bool {
        matches!(
            self,
            FaultCode::Steps
                | FaultCode::Depth
                | FaultCode::Memory
                | FaultCode::Entities
                | FaultCode::Events
                | FaultCode::Reactions
        )
    }

    /// Stable name, as logs and clients see it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FaultCode::Overflow => "overflow",
            FaultCode::DivisionByZero => "division_by_zero",
            FaultCode::Missing => "missing",
            FaultCode::NotExactlyOne => "not_exactly_one",
            FaultCode::OutOfRange => "out_of_range",
            FaultCode::Gone => "gone",
            FaultCode::NoSuchProperty => "no_such_property",
            FaultCode::ZoneFull => "zone_full",
            FaultCode::NoOptions => "no_options",
            FaultCode::BadCount => "bad_count",
            FaultCode::Steps => "steps",
            FaultCode::Depth => "depth",
            FaultCode::Memory => "memory",
            FaultCode::Entities => "entities",
            FaultCode::Events => "events",
            FaultCode::Reactions => "reactions",
            FaultCode::Script => "script",
            FaultCode::Group => "group",
            FaultCode::NotOffered => "not_offered",
            FaultCode::Unaffordable => "unaffordable",
        }
    }
}

impl fmt::Display for FaultCode {
    /// What happened, in a few words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultCode::Overflow => "a number left its range",
            FaultCode::DivisionByZero => "a number was divided by zero",
            FaultCode::Missing => "a value that had to be there was null",
            FaultCode::NotExactlyOne => "a list did not have exactly one item",
            FaultCode::OutOfRange => "an index lay outside its list, or a key had no value",
            FaultCode::Gone => "an entity no longer existed",
            FaultCode::NoSuchProperty => "an entity had no such property",
            FaultCode::ZoneFull => "a zone was full",
            FaultCode::NoOptions => "there were too few options to choose from",
            FaultCode::BadCount => "a count or bound made no sense",
            FaultCode::Steps => "there were too many steps for one input",
            FaultCode::Depth => "rules were nested too deeply",
            FaultCode::Memory => "too much memory was needed",
            FaultCode::Entities => "there were too many entities",
            FaultCode::Events => "there were too many events for one input",
            FaultCode::Reactions => "there were too many reactions to one event",
            FaultCode::Script => "the scripted dice did not fit",
            FaultCode::Group => "something in a group waited, drew or ended the match",
            FaultCode::NotOffered => "an action was taken that was not open any more",
            FaultCode::Unaffordable => "a cost could not be paid",
        })
    }
}

/// Where in the ruleset's files a piece of code came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Index into [`Program::files`](crate::Program).
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
}

/// An operand that may be a register.
trait Operand {
    fn visit(&mut self, _change: &mut impl FnMut(&mut Reg)) {}

    fn reg(&self) -> Option<Reg> {
        None
    }
}

impl Operand for Reg {
    fn visit(&mut self, change: &mut impl FnMut(&mut Reg)) {
        change(self);
    }

    fn reg(&self) -> Option<Reg> {
        Some(*self)
    }
}

macro_rules! plain_operands {
    ($($ty:ty),*) => { $(impl Operand for $ty {})* };
}

plain_operands!(
    u8,
    u16,
    u32,
    i16,
    i32,
    bool,
    ActionId,
    ChoiceId,
    CreateId,
    DefId,
    EnumId,
    EventId,
    KindId,
    PhaseId,
    PropId,
    RollId,
    RoutineId,
    TypeId,
    ZoneId,
    Info,
    FlowInfo,
    OnPrevented,
    FaultCode
);

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty),* })*) => {
        /// One instruction. `dst` is always the register written.
        #[derive(Clone, Copy, PartialEq, Debug)]
        #[allow(missing_docs)]
        pub enum Instr {
            $($(#[$doc])* $name { $($field: $ty),* },)*
        }

        impl Instr {
            /// How far a skip goes.
            pub fn skip_mut(&mut self) -> Option<&mut u16> {
                match self {
                    Instr::SkipEq { skip, .. }
                    | Instr::SkipNe { skip, .. }
                    | Instr::SkipLt { skip, .. }
                    | Instr::SkipLe { skip, .. }
                    | Instr::SkipEqInt { skip, .. }
                    | Instr::SkipNeInt { skip, .. }
                    | Instr::SkipLtInt { skip, .. }
                    | Instr::SkipLeInt { skip, .. }
                    | Instr::SkipGtInt { skip, .. }
                    | Instr::SkipGeInt { skip, .. } => Some(skip),
                    _ => None,
                }
            }

            /// Whether it only computes: nothing is written, happens or waits.
            #[must_use]
            pub fn is_pure(&self) -> bool {
                !matches!(
                    self,
                    Instr::SetEventField { .. }
                        | Instr::Prevent { .. }
                        | Instr::Write { .. }
                        | Instr::WriteNamed { .. }
                        | Instr::Change { .. }
                        | Instr::ChangeNamed { .. }
                        | Instr::Emit { .. }
                        | Instr::Create { .. }
                        | Instr::Duplicate { .. }
                        | Instr::Move { .. }
                        | Instr::MoveAll { .. }
                        | Instr::Remove { .. }
                        | Instr::Shuffle { .. }
                        | Instr::Roll { .. }
                        | Instr::Draw { .. }
                        | Instr::EnterPhase { .. }
                        | Instr::LeavePhase {}
                        | Instr::End { .. }
                        | Instr::Take { .. }
                        | Instr::Announce { .. }
                        | Instr::Perform { .. }
                        | Instr::Stack { .. }
                        | Instr::Resolve {}
                        | Instr::Counter { .. }
                        | Instr::Settle { .. }
                        | Instr::Invoke { .. }
                        | Instr::Use {}
                        | Instr::BeginGroup { .. }
                        | Instr::Keep { .. }
                        | Instr::EndGroup { .. }
                        | Instr::Open { .. }
                        | Instr::Ask { .. }
                        | Instr::Await { .. }
                        // Whether a routine only computes is not known here.
                        | Instr::Call { .. }
                )
            }

            /// The place a jump goes to.
            pub fn target_mut(&mut self) -> Option<&mut u32> {
                match self {
                    Instr::Jump { to }
                    | Instr::JumpIf { to, .. }
                    | Instr::JumpUnless { to, .. }
                    | Instr::JumpNull { to, .. }
                    | Instr::NextItem { to, .. }
                    | Instr::NextInZone { to, .. }
                    | Instr::NextCount { to, .. }
                    | Instr::AgainItem { to, .. }
                    | Instr::AgainInZone { to, .. }
                    | Instr::AgainCount { to, .. } => Some(to),
                    _ => None,
                }
            }

            /// The register its result goes to. Loops also write the two after theirs.
            #[must_use]
            pub fn result(&self) -> Option<Reg> {
                match self {
                    $(Instr::$name { $($field),* } => {
                        let operands: &[(&str, Option<Reg>)] = &[$((stringify!($field), $field.reg())),*];
                        operands.iter().find(|operand| operand.0 == "dst").and_then(|operand| operand.1)
                    })*
                }
            }

            /// Lets `change` renumber every register operand.
            pub fn renumber(&mut self, mut change: impl FnMut(&mut Reg)) {
                match self {
                    $(Instr::$name { $($field),* } => { $($field.visit(&mut change);)* let _ = &mut change; })*
                }
            }
        }
    };
}

instructions! {
    // --- values ---------------------------------------------------------
    /// dst = src
    Copy { dst: Reg, src: Reg }
    /// dst = value
    Int { dst: Reg, value: i32 }
    /// dst = constant number `index`
    Const { dst: Reg, index: u32 }
    /// dst = a + b; faults on overflow
    Add { dst: Reg, a: Reg, b: Reg }
    /// dst = a + value
    AddInt { dst: Reg, a: Reg, value: i16 }
    /// dst = a - b
    Sub { dst: Reg, a: Reg, b: Reg }
    /// dst = a × b
    Mul { dst: Reg, a: Reg, b: Reg }
    /// dst = a / b rounded down (towards minus infinity); faults on zero
    Div { dst: Reg, a: Reg, b: Reg }
    /// dst = a - b × (a / b): has the sign of b; faults on zero
    Rem { dst: Reg, a: Reg, b: Reg }
    /// dst = -a
    Neg { dst: Reg, a: Reg }
    /// dst = the smaller
    Min { dst: Reg, a: Reg, b: Reg }
    /// dst = the greater
    Max { dst: Reg, a: Reg, b: Reg }
    /// dst = |a|
    Abs { dst: Reg, a: Reg }
    /// dst = a == b, word by word
    Eq { dst: Reg, a: Reg, b: Reg }
    /// dst = a != b, word by word
    Ne { dst: Reg, a: Reg, b: Reg }
    /// dst = a < b
    Lt { dst: Reg, a: Reg, b: Reg }
    /// dst = a <= b
    Le { dst: Reg, a: Reg, b: Reg }
    /// dst = not a
    Not { dst: Reg, a: Reg }
    /// dst = a and b are the same value of the type named by the following `OfType`
    Same { dst: Reg, a: Reg, b: Reg }
    /// Type operand of the instruction before it; never run by itself
    OfType { ty: TypeId }
    /// Fault `Missing` if value is null
    Assert { value: Reg }
    /// Fault
    Fail { code: FaultCode }

    // --- jumps (targets are absolute) -----------------------------------
    /// Go to `to`
    Jump { to: u32 }
    /// Go to `to` if cond
    JumpIf { cond: Reg, to: u32 }
    /// Go to `to` if not cond
    JumpUnless { cond: Reg, to: u32 }
    /// Go to `to` if value is null
    JumpNull { value: Reg, to: u32 }
    /// Pass over the next `skip` instructions if a == b, word by word
    SkipEq { a: Reg, b: Reg, skip: u16 }
    /// … if a != b
    SkipNe { a: Reg, b: Reg, skip: u16 }
    /// … if a < b
    SkipLt { a: Reg, b: Reg, skip: u16 }
    /// … if a <= b
    SkipLe { a: Reg, b: Reg, skip: u16 }
    /// … if a == value
    SkipEqInt { a: Reg, value: i16, skip: u16 }
    /// … if a != value
    SkipNeInt { a: Reg, value: i16, skip: u16 }
    /// … if a < value
    SkipLtInt { a: Reg, value: i16, skip: u16 }
    /// … if a <= value
    SkipLeInt { a: Reg, value: i16, skip: u16 }
    /// … if a > value
    SkipGtInt { a: Reg, value: i16, skip: u16 }
    /// … if a >= value
    SkipGeInt { a: Reg, value: i16, skip: u16 }
    /// Loop over a list: iter = list, iter+1 = next index (starts at 0), iter+2 = item. Takes the next item or goes to `to`
    NextItem { iter: Reg, to: u32 }
    /// The same over a zone instance (nothing may be moved meanwhile)
    NextInZone { iter: Reg, to: u32 }
    /// Counting loop: iter = count, iter+1 = next (starts at 0), iter+2 = the number of this pass
    NextCount { iter: Reg, to: u32 }

    // --- lists, records, maps --------------------------------------------
    /// Starts a list: dst = mark for `Finish`. Lists under construction nest
    Begin { dst: Reg }
    /// Adds to the list begun last
    Push { value: Reg }
    /// dst = the list begun at mark
    Finish { dst: Reg, mark: Reg }
    /// dst = number of items
    Len { dst: Reg, list: Reg }
    /// dst = item `index` of the list; faults outside
    Get { dst: Reg, list: Reg, index: Reg }
    /// dst = item `index` of the list, or null outside
    TryGet { dst: Reg, list: Reg, index: Reg }
    /// dst = a followed by b
    Concat { dst: Reg, a: Reg, b: Reg }
    /// dst = list has value (word by word)
    Contains { dst: Reg, list: Reg, value: Reg }
    /// dst = the first count items (all if there are fewer)
    First { dst: Reg, list: Reg, count: Reg }
    /// dst = the last count items
    Last { dst: Reg, list: Reg, count: Reg }
    /// dst = list with item args replaced: args = index, args+1 = value
    Replace { dst: Reg, list: Reg, args: Reg }
    /// dst = items sorted by the numbers in keys, stable, smallest first
    SortBy { dst: Reg, items: Reg, keys: Reg }
    /// dst = [from, from+1 … to]; empty if to < from
    Range { dst: Reg, from: Reg, to: Reg }
    /// dst = list without repeats (word by word), first occurrences kept
    Distinct { dst: Reg, list: Reg }
    /// dst = new record of `count` words from the registers at first
    Record { dst: Reg, first: Reg, count: u16 }
    /// dst = field of record
    Field { dst: Reg, record: Reg, index: u16 }
    /// dst = copy of a record of `count` fields, which `PutField` may then change
    CopyRecord { dst: Reg, record: Reg, count: u16 }
    /// Writes into a record or map made by the code just before
    PutField { record: Reg, index: u16, value: Reg }
    /// dst = new map with `keys` words, all null
    NewMap { dst: Reg, keys: Reg }
    /// Writes map word `index` of a map made by the code just before
    PutKey { map: Reg, index: Reg, value: Reg }
    /// dst = map word at index; faults if null
    Key { dst: Reg, map: Reg, index: Reg }
    /// dst = map word at index, null if there is none
    TryKey { dst: Reg, map: Reg, index: Reg }
    /// dst = position of the symbol in its enum
    EnumIndex { dst: Reg, symbol: Reg, of: EnumId }
    /// dst = dice of so many sides
    Dice { dst: Reg, count: Reg, sides: Reg }

    // --- reading the state -------------------------------------------------
    /// dst = column `column` of an entity of known kind; faults if gone
    Prop { dst: Reg, entity: Reg, column: u16 }
    /// dst = column of the match's own row
    MatchProp { dst: Reg, column: u16 }
    /// dst = property of an entity with all that modifies it
    Modified { dst: Reg, entity: Reg, prop: PropId }
    /// dst = the record after all stages of a chain
    Chain { dst: Reg, record: Reg, chain: u16 }
    /// dst = property with the name `name` (a symbol) of an entity of any kind, derived ones included; with `base` without what modifies it
    NamedProp { dst: Reg, entity: Reg, name: Reg, base: bool }
    /// dst = entity has a property of that name
    HasProp { dst: Reg, entity: Reg, name: Reg }
    /// dst = built-in fact about an entity
    Info { dst: Reg, entity: Reg, what: Info }
    /// dst = entity is of the kind or one that extends it
    IsKind { dst: Reg, entity: Reg, kind: KindId }
    /// dst = entity was made from the def
    IsDef { dst: Reg, entity: Reg, def: DefId }
    /// dst = the trait is attached to entity
    HasTrait { dst: Reg, entity: Reg, def: DefId }
    /// dst = entity (not null) still exists
    Exists { dst: Reg, entity: Reg }
    /// dst = the zone of that family that belongs to entity
    ZoneOf { dst: Reg, entity: Reg, zone: ZoneId }
    /// dst = the only instance of a zone that belongs to nobody
    TheZone { dst: Reg, zone: ZoneId }
    /// dst = zone (an instance or null) is of the family
    IsZone { dst: Reg, value: Reg, zone: ZoneId }
    /// dst = the entity a zone instance belongs to, null for none
    ZoneHost { dst: Reg, value: Reg }
    /// dst = how many are in the zone instance
    ZoneLen { dst: Reg, zone: Reg }
    /// dst = what is at index, null outside
    ZoneGet { dst: Reg, zone: Reg, index: Reg }
    /// dst = the zone's contents as a list
    ZoneList { dst: Reg, zone: Reg }
    /// dst = all entities in all instances of the family, hosts in row order
    AllInZone { dst: Reg, zone: ZoneId }
    /// dst = list of all players in seat order
    Players { dst: Reg }
    /// dst = number of players
    PlayerCount { dst: Reg }
    /// dst = the player so many seats clockwise (negative: the other way)
    PlayerAfter { dst: Reg, player: Reg, steps: i16 }
    /// dst = all players, starting with the given one, clockwise
    PlayersFrom { dst: Reg, player: Reg }
    /// dst = fact about the flow
    Flow { dst: Reg, what: FlowInfo }
    /// dst = the phase is under way, at any depth
    InPhase { dst: Reg, phase: Reg }
    /// dst = property with that name is a resource
    IsResource { dst: Reg, name: Reg }
    /// dst = payload field of an event; `event` holds the event's frame
    EventField { dst: Reg, event: Reg, field: u16 }
    /// Writes the payload of a pending event
    SetEventField { event: Reg, field: u16, value: Reg }
    /// The pending event will not happen. Unless `silent`, the event `EventPrevented` says so
    Prevent { event: Reg, silent: bool }
    /// dst = the event is of the type
    IsEvent { dst: Reg, event: Reg, ty: EventId }

    // --- calls ---------------------------------------------------------------
    /// Calls a function or proc with the context of this frame; its parameters are the registers at args
    Call { dst: Reg, routine: RoutineId, args: Reg }
    /// Leaves the routine with a value
    Return { value: Reg }
    /// Leaves the routine without one (the caller gets null)
    Done {}
    /// Counts that this place is reached; see [`Probes`](crate::Probes)
    Probe { number: u32 }

    // --- writing: inside `apply` -----------------------------------------------
    /// Writes a property directly, clamped to its bounds; part of an event's fold
    Write { entity: Reg, prop: PropId, value: Reg }
    /// The same by name, for entities of any kind
    WriteNamed { entity: Reg, name: Reg, value: Reg }

    // --- happening: inside programs ----------------------------------------------
    /// Sets a property: the event `Changed` (none if the clamped value is the old one)
    Change { entity: Reg, prop: PropId, value: Reg }
    /// The same by name
    ChangeNamed { entity: Reg, name: Reg, value: Reg }
    /// Whole life of an event; payload in the registers at args. dst (or NONE) = record of the final payload and `applied`
    Emit { dst: Reg, event: EventId, args: Reg }
    /// Creates an entity; see [`Create`](crate::Create)
    Create { dst: Reg, create: CreateId, args: Reg }
    /// Creates a copy of an entity (instead of its def at args): what is on the stack goes on top of it
    Duplicate { dst: Reg, create: CreateId, args: Reg }
    /// Moves an entity to a zone: to its end, or to its front if `top`. dst (or NONE) = what it is then: a new object, if the zone renews
    Move { dst: Reg, entity: Reg, zone: Reg, top: bool }
    /// Moves all entities of a list, in order; with `top` the first of the list ends up in front
    MoveAll { list: Reg, zone: Reg, top: bool }
    /// Removes an entity for good
    Remove { entity: Reg }
    /// Gives a zone a random order
    Shuffle { zone: Reg }
    /// Rolls; see [`Roll`](crate::Roll). dst = record of faces and total
    Roll { dst: Reg, roll: RollId, args: Reg }
    /// Picks `count` (register args) different items of a list (args+1) at random, an event `Rolled`; dst = list
    Draw { dst: Reg, roll: RollId, args: Reg }
    /// Begins a phase; player and subject may hold null
    EnterPhase { phase: PhaseId, player: Reg, subject: Reg }
    /// Ends the innermost phase
    LeavePhase {}
    /// Ends the match: args = outcome, winners, losers, pot
    End { args: Reg }

    // --- actions and the stack -------------------------------------------------------
    /// dst = all that the player could do now, a list of offers
    Offers { dst: Reg, player: Reg }
    /// Adds an offer of the action to the list under construction; its targets are the registers at params
    Offer { action: ActionId, params: Reg }
    /// dst = all costs together can be paid: the routine, a trial without consequences, comes to its end
    Afford { dst: Reg, routine: RoutineId, args: Reg }
    /// Takes an offer
    Take { offer: Reg }
    /// Says which action is taken; dst = nobody prevented it
    Announce { dst: Reg, action: ActionId }
    /// Does an action at once; its parameters are the registers at params
    Perform { action: ActionId, params: Reg }
    /// Puts an action on the stack; its parameters are the registers at params
    Stack { action: ActionId, params: Reg }
    /// Resolves the top of the stack, if there is one
    Resolve {}
    /// Prevents what is on the stack
    Counter { item: Reg }
    /// Lets state checks run until nothing changes, then reactions that wait go on the stack; with `drain` the stack resolves
    Settle { drain: bool }
    /// dst = the action an offer is of
    OfferAction { dst: Reg, offer: Reg }
    /// dst = the entity that has the action an offer is of
    OfferHost { dst: Reg, offer: Reg }
    /// dst = all entities an item on the stack is aimed at
    Targets { dst: Reg, item: Reg }
    /// dst = what an item on the stack does can bring about the event
    Does { dst: Reg, item: Reg, event: EventId }
    /// dst = the abilities of an entity
    Abilities { dst: Reg, entity: Reg }
    /// dst = the ability (register args) could be used by the entity in the next one; with `costs` only whether it could be paid
    Usable { dst: Reg, args: Reg, costs: bool }
    /// dst = the ability has the tag
    HasTag { dst: Reg, ability: Reg, tag: Reg }
    /// Runs an ability: args = ability, host, who uses it; first pays if `pays`, then does what it does if `acts`
    Invoke { args: Reg, pays: bool, acts: bool }
    /// dst = the zone of the family with that name that belongs to entity, or to nobody
    ZoneNamed { dst: Reg, entity: Reg, name: Reg }
    /// dst = zone (an instance or null) is of the family with that name
    IsZoneNamed { dst: Reg, value: Reg, name: Reg }
    /// The reaction this code belongs to is used: counts towards its limits
    Use {}
    /// Begins a group: events are only planned until `EndGroup`. Groups nest
    BeginGroup { simultaneous: bool, on_prevented: OnPrevented }
    /// Whether preventing what is planned from here on leaves the rest of the group alone
    Keep { on: bool }
    /// Lets the planned events happen, all or none, or (simultaneous) those that are not prevented; dst (or NONE) = record of `applied`
    EndGroup { dst: Reg }

    // --- looking for offers: only the engine makes these --------------------------------
    /// Looks for what the actor owns in all instances of a zone, the actor's own first, for which the table has a place;
    /// iter = where the first of them is among those found, iter+1 = where the last one ends, iter+2 = iter
    Hosts { iter: Reg, zone: ZoneId, table: u16 }
    /// Puts the next of them into the register of `self` and goes to its place, unless its only gate is shut; forgets them
    /// if there is none
    NextHost { iter: Reg }
    /// Passes over the next `open` instructions if gate is 1, over the next `shut` if it is 0
    Gate { gate: Reg, open: u16, shut: u16 }

    // --- several instructions in one, where the first of them was: only the engine makes these ---
    /// Null into the registers from first on, and past the instructions that would have put it into the later ones
    Nulls { first: Reg, count: u16 }
    /// A jump back to `NextItem`, and what that does: goes to `to` with the next item if there is one
    AgainItem { iter: Reg, to: u32 }
    /// The same for `NextInZone`
    AgainInZone { iter: Reg, to: u32 }
    /// The same for `NextCount`
    AgainCount { iter: Reg, to: u32 }

    // --- what is called in place: only the engine makes these ---------------------------
    /// A call, so many levels deep, of what was put in at `to`
    Inline { depth: u16, to: u32 }
    /// Goes on behind it
    Resume { to: u32 }
    /// An event, so many levels deep, that nobody listens to: what it changes was put in at `to`
    Happen { depth: u16, to: u32 }
    /// It has happened; goes on behind it
    Happened { event: EventId, to: u32 }

    // --- asking ---------------------------------------------------------------------
    /// Begins a request; the following `Ask`s belong to it
    Open { choice: ChoiceId }
    /// Asks one player; argument layout in [`Choice`](crate::Choice)
    Ask { choice: ChoiceId, args: Reg }
    /// Waits until the request is answered. dst as told by [`Choice::result`](crate::Choice)
    Await { dst: Reg, choice: ChoiceId }
}

/// Code is read millions of times a second; an operand too many would slow all of it down.
const _: () = assert!(size_of::<Instr>() == 8, "an instruction is eight bytes");
