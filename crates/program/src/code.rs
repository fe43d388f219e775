//! The instruction set.
//!
//! Code is one flat vector; a [`Routine`](crate::Routine) is an entry point with a number of registers. Every
//! instruction is eight bytes. Registers 0–4 of every routine are its context (see [`Reg`]); parameters
//! follow, then locals, then temporaries. Only context, parameters and locals survive an instruction that may
//! wait.

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
    /// The player who acts or is asked.
    pub const ACTOR: Reg = Reg(2);
    /// The event reacted to.
    pub const EVENT: Reg = Reg(3);
    /// The trait whose rule this is.
    pub const TRAIT: Reg = Reg(4);
    /// Number of context registers.
    pub const CONTEXT: u16 = 5;
    /// No register, where a result is not wanted.
    pub const NONE: Reg = Reg(u16::MAX);

    /// Returns the register `n` further on.
    #[must_use]
    pub fn offset(self, n: u16) -> Reg {
        Reg(self.0 + n)
    }
}

/// Fact about an entity that [`Instr::Info`] reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntityInfo {
    /// Symbol of its def; null for players and the match.
    Def,
    /// Its owner (a player owns itself); null for none.
    Owner,
    /// Its controller; the owner unless changed.
    Controller,
    /// The zone it is in; null for none.
    Zone,
    /// Its index in that zone, from 0; null for none.
    Index,
    /// The entity it is attached to; null for none.
    Host,
    /// The seat number of a player.
    Seat,
    /// Of an item on the stack: the id of its action or reaction, a symbol; null for others.
    Rule,
    /// Of a reaction on the stack: the name of the event that triggered it, a symbol; null for others.
    Trigger,
    /// Of a reaction on the stack: the entity that the event was about, if its first field is one; null for others.
    About,
}

/// Fact about the flow that [`Instr::Flow`] reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowInfo {
    /// Player of the innermost phase that has one; null if none.
    Active,
    /// Subject of the innermost phase that has one; null if none.
    Subject,
    /// Symbol of the innermost phase; null if none.
    Phase,
    /// Number of events that have changed something.
    Changes,
}

/// Effect of a prevented group on the group that contains it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnPrevented {
    /// Prevents an atomic group; is left out of a simultaneous one.
    ByGroupKind,
    /// Is left out.
    Drop,
    /// Prevents the outer group.
    Propagate,
}

/// Reason why a rule failed while running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultCode {
    /// A number is out of range.
    Overflow,
    /// A number was divided by zero.
    DivisionByZero,
    /// A required value is null.
    Missing,
    /// `.only` on a list that does not have exactly one item.
    NotExactlyOne,
    /// An index outside a list, or a key that has no value.
    OutOfRange,
    /// An entity no longer exists.
    Gone,
    /// The entity has no such property.
    NoSuchProperty,
    /// An entity is of a kind that cannot be there.
    WrongKind,
    /// The zone is full.
    ZoneFull,
    /// Too few options for a choice that must be made.
    NoOptions,
    /// A bound or count is invalid (negative, or too large).
    BadCount,
    /// Guard: too many steps for one input.
    Steps,
    /// Guard: the host's time for one input is over.
    Time,
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
    /// Scripted dice do not match the roll.
    Script,
    /// A group contains something that waits, draws or ends the match.
    Group,
    /// The action taken is no longer offered.
    NotOffered,
    /// A cost cannot be paid.
    Unaffordable,
}

impl FaultCode {
    /// Tells whether a guard tripped, as opposed to a rule failing.
    #[must_use]
    pub fn is_guard(self) -> bool {
        matches!(
            self,
            FaultCode::Steps
                | FaultCode::Time
                | FaultCode::Depth
                | FaultCode::Memory
                | FaultCode::Entities
                | FaultCode::Events
                | FaultCode::Reactions
        )
    }

    /// Returns the stable name used in logs and by clients.
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
            FaultCode::WrongKind => "wrong_kind",
            FaultCode::ZoneFull => "zone_full",
            FaultCode::NoOptions => "no_options",
            FaultCode::BadCount => "bad_count",
            FaultCode::Steps => "steps",
            FaultCode::Time => "time",
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultCode::Overflow => "a number was out of range",
            FaultCode::DivisionByZero => "a number was divided by zero",
            FaultCode::Missing => "a required value was null",
            FaultCode::NotExactlyOne => "a list did not have exactly one item",
            FaultCode::OutOfRange => "an index was out of range, or a key had no value",
            FaultCode::Gone => "an entity no longer existed",
            FaultCode::NoSuchProperty => "an entity had no such property",
            FaultCode::WrongKind => "an entity was of a kind that cannot be there",
            FaultCode::ZoneFull => "a zone was full",
            FaultCode::NoOptions => "too few options to choose from",
            FaultCode::BadCount => "a count or bound was invalid",
            FaultCode::Steps => "too many steps for one input",
            FaultCode::Time => "the rules took too long for one input",
            FaultCode::Depth => "rules were nested too deeply",
            FaultCode::Memory => "too much memory was needed",
            FaultCode::Entities => "too many entities",
            FaultCode::Events => "too many events for one input",
            FaultCode::Reactions => "too many reactions to one event",
            FaultCode::Script => "the scripted dice did not match the roll",
            FaultCode::Group => "something in a group waited, drew or ended the match",
            FaultCode::NotOffered => "an action was taken that was no longer offered",
            FaultCode::Unaffordable => "a cost could not be paid",
        })
    }
}

/// Location in the ruleset's files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceLocation {
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
    EntityInfo,
    FlowInfo,
    OnPrevented,
    FaultCode
);

/// A class of instructions: the parts of the match that they use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstrClass {
    /// Computes from values alone, which are immutable wherever they come from.
    Compute,
    /// Looks up a fact that does not change as long as the entities in its operands exist.
    Fact,
    /// Reads the state.
    Read,
    /// Continues elsewhere in the routine, or ends it.
    Control,
    /// Calls a routine, which may do anything.
    Call,
    /// Writes to the board or the payload of an event, without an event of its own.
    Write,
    /// Makes something happen: events, groups, uses of rules. May change the frames.
    Effect,
    /// An effect that a group cannot contain, because it waits, draws, or changes the phase, the stack or the match.
    Exclusive,
}

impl InstrClass {
    /// Tells whether it makes something happen, and may change the frames.
    #[must_use]
    pub const fn is_effect(self) -> bool {
        matches!(self, InstrClass::Effect | InstrClass::Exclusive)
    }
}

macro_rules! is_marked {
    () => {
        false
    };
    (engine) => {
        true
    };
}

/// Declares each instruction with its class; `@engine` marks those that only the engine emits.
macro_rules! instructions {
    ($($(#[$doc:meta])* $(@$mark:ident)? $class:ident $name:ident { $($field:ident: $ty:ty),* })*) => {
        /// One instruction. `dst` is always the register written.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum Instr {
            $($(#[$doc])* $name { $($field: $ty),* },)*
        }

        impl Instr {
            /// Returns the distance of a skip.
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

            /// Returns its class.
            #[must_use]
            pub const fn class(&self) -> InstrClass {
                match self {
                    $(Instr::$name { .. } => InstrClass::$class,)*
                }
            }

            /// Tells whether only the engine emits it. Programs must not contain it.
            #[must_use]
            pub const fn is_of_engine(&self) -> bool {
                match self {
                    $(Instr::$name { .. } => is_marked!($($mark)?),)*
                }
            }

            /// Tells whether it only computes: it writes nothing, emits nothing and never waits. A call may do so, which is
            /// not known here.
            #[must_use]
            pub const fn is_pure(&self) -> bool {
                matches!(
                    self.class(),
                    InstrClass::Compute | InstrClass::Fact | InstrClass::Read | InstrClass::Control
                )
            }

            /// Returns the target of a jump.
            pub fn target_mut(&mut self) -> Option<&mut u32> {
                match self {
                    Instr::Jump { to }
                    | Instr::JumpIf { to, .. }
                    | Instr::JumpUnless { to, .. }
                    | Instr::JumpNull { to, .. }
                    | Instr::NextItem { to, .. }
                    | Instr::OfferItems { to, .. }
                    | Instr::NextInZone { to, .. }
                    | Instr::NextCount { to, .. }
                    | Instr::ContinueItem { to, .. }
                    | Instr::ContinueInZone { to, .. }
                    | Instr::ContinueCount { to, .. } => Some(to),
                    _ => None,
                }
            }

            /// Returns the register of the result. Loops also write the two registers after theirs.
            #[must_use]
            pub fn result(&self) -> Option<Reg> {
                match self {
                    $(Instr::$name { $($field),* } => {
                        let operands: &[(&str, Option<Reg>)] = &[$((stringify!($field), $field.reg())),*];
                        operands.iter().find(|operand| operand.0 == "dst").and_then(|operand| operand.1)
                    })*
                }
            }

            /// Calls `change` on every register operand.
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
    Compute Copy { dst: Reg, src: Reg }
    /// dst = value
    Compute Int { dst: Reg, value: i32 }
    /// dst = constant number `index`
    Compute Const { dst: Reg, index: u32 }
    /// dst = a + b; faults on overflow
    Compute Add { dst: Reg, a: Reg, b: Reg }
    /// dst = a + value
    Compute AddInt { dst: Reg, a: Reg, value: i16 }
    /// dst = a - b
    Compute Sub { dst: Reg, a: Reg, b: Reg }
    /// dst = a × b
    Compute Mul { dst: Reg, a: Reg, b: Reg }
    /// dst = a / b rounded down (towards minus infinity); faults on zero
    Compute Div { dst: Reg, a: Reg, b: Reg }
    /// dst = a - b × (a / b): has the sign of b; faults on zero
    Compute Rem { dst: Reg, a: Reg, b: Reg }
    /// dst = -a
    Compute Neg { dst: Reg, a: Reg }
    /// dst = the smaller
    Compute Min { dst: Reg, a: Reg, b: Reg }
    /// dst = the greater
    Compute Max { dst: Reg, a: Reg, b: Reg }
    /// dst = |a|
    Compute Abs { dst: Reg, a: Reg }
    /// dst = a == b, word by word
    Compute Eq { dst: Reg, a: Reg, b: Reg }
    /// dst = a != b, word by word
    Compute Ne { dst: Reg, a: Reg, b: Reg }
    /// dst = a < b
    Compute Lt { dst: Reg, a: Reg, b: Reg }
    /// dst = a <= b
    Compute Le { dst: Reg, a: Reg, b: Reg }
    /// dst = not a
    Compute Not { dst: Reg, a: Reg }
    /// dst = a and b are equal values of the type given by the following `OfType`
    Compute Same { dst: Reg, a: Reg, b: Reg }
    /// Type operand of the instruction before it; never executed
    Compute OfType { ty: TypeId }
    /// Fault `Missing` if value is null
    Compute Assert { value: Reg }
    /// Fault
    Compute Fail { code: FaultCode }

    // --- jumps (targets are absolute) -----------------------------------
    /// Go to `to`
    Control Jump { to: u32 }
    /// Go to `to` if cond
    Control JumpIf { cond: Reg, to: u32 }
    /// Go to `to` if not cond
    Control JumpUnless { cond: Reg, to: u32 }
    /// Go to `to` if value is null
    Control JumpNull { value: Reg, to: u32 }
    /// Skip the next `skip` instructions if a == b, word by word
    Control SkipEq { a: Reg, b: Reg, skip: u16 }
    /// … if a != b
    Control SkipNe { a: Reg, b: Reg, skip: u16 }
    /// … if a < b
    Control SkipLt { a: Reg, b: Reg, skip: u16 }
    /// … if a <= b
    Control SkipLe { a: Reg, b: Reg, skip: u16 }
    /// … if a == value
    Control SkipEqInt { a: Reg, value: i16, skip: u16 }
    /// … if a != value
    Control SkipNeInt { a: Reg, value: i16, skip: u16 }
    /// … if a < value
    Control SkipLtInt { a: Reg, value: i16, skip: u16 }
    /// … if a <= value
    Control SkipLeInt { a: Reg, value: i16, skip: u16 }
    /// … if a > value
    Control SkipGtInt { a: Reg, value: i16, skip: u16 }
    /// … if a >= value
    Control SkipGeInt { a: Reg, value: i16, skip: u16 }
    /// Loop over a list: iter = list, iter+1 = next index (starts at 0), iter+2 = item. Loads the next item,
    /// or goes to `to` at the end
    Control NextItem { iter: Reg, to: u32 }
    /// The same over a zone instance; the loop must not move anything
    Read NextInZone { iter: Reg, to: u32 }
    /// Counting loop: iter = count, iter+1 = next (starts at 0), iter+2 = the number of this pass
    Control NextCount { iter: Reg, to: u32 }

    // --- lists, records, maps --------------------------------------------
    /// Begins a list: dst = mark for `Finish`. Lists under construction nest
    Compute Begin { dst: Reg }
    /// Appends to the list begun last
    Compute Push { value: Reg }
    /// dst = the list begun at mark
    Compute Finish { dst: Reg, mark: Reg }
    /// dst = number of items
    Compute Len { dst: Reg, list: Reg }
    /// dst = item `index` of the list; faults outside
    Compute Get { dst: Reg, list: Reg, index: Reg }
    /// dst = item `index` of the list, or null outside
    Compute TryGet { dst: Reg, list: Reg, index: Reg }
    /// dst = a followed by b
    Compute Concat { dst: Reg, a: Reg, b: Reg }
    /// dst = list contains value (word by word)
    Compute Contains { dst: Reg, list: Reg, value: Reg }
    /// dst = the first count items (all if there are fewer)
    Compute First { dst: Reg, list: Reg, count: Reg }
    /// dst = the last count items
    Compute Last { dst: Reg, list: Reg, count: Reg }
    /// dst = list with item args replaced: args = index, args+1 = value
    Compute Replace { dst: Reg, list: Reg, args: Reg }
    /// dst = items sorted by the numbers in keys, stable, smallest first
    Compute SortBy { dst: Reg, items: Reg, keys: Reg }
    /// dst = [from, from+1 … to]; empty if to < from
    Compute Range { dst: Reg, from: Reg, to: Reg }
    /// dst = list without repeats (word by word); first occurrences stay
    Compute Distinct { dst: Reg, list: Reg }
    /// dst = new record of the `count` registers from first on
    Compute Record { dst: Reg, first: Reg, count: u16 }
    /// dst = field of record
    Compute Field { dst: Reg, record: Reg, index: u16 }
    /// dst = copy of a record of `count` fields, which `PutField` may then change
    Compute CopyRecord { dst: Reg, record: Reg, count: u16 }
    /// Writes into a record or map that the code has just built
    Compute PutField { record: Reg, index: u16, value: Reg }
    /// dst = new map with `keys` words, all null
    Compute NewMap { dst: Reg, keys: Reg }
    /// Writes word `index` of a map that the code has just built
    Compute PutKey { map: Reg, index: Reg, value: Reg }
    /// dst = map word at index; faults if null
    Compute Key { dst: Reg, map: Reg, index: Reg }
    /// dst = map word at index, null if missing
    Compute TryKey { dst: Reg, map: Reg, index: Reg }
    /// dst = position of the symbol in its enum
    Compute EnumIndex { dst: Reg, symbol: Reg, of: EnumId }
    /// dst = `count` dice with `sides` sides
    Compute Dice { dst: Reg, count: Reg, sides: Reg }

    // --- reading the state -------------------------------------------------
    /// dst = column `column` of an entity of known kind; faults if it is gone
    Read Prop { dst: Reg, entity: Reg, column: u16 }
    /// dst = column of the match's own row
    Read MatchProp { dst: Reg, column: u16 }
    /// dst = property of an entity with its modifiers applied
    Read Modified { dst: Reg, entity: Reg, prop: PropId }
    /// dst = property with only the modifiers of layers below one: args = entity, layer
    Read ModifiedBelow { dst: Reg, args: Reg, prop: PropId }
    /// dst = the record after all stages of a chain
    Read Chain { dst: Reg, record: Reg, chain: u16 }
    /// dst = property with the name `name` (a symbol) of an entity of any kind, derived ones included; `base`
    /// leaves out the modifiers
    Read NamedProp { dst: Reg, entity: Reg, name: Reg, base: bool }
    /// dst = entity has a property with that name
    Fact HasProp { dst: Reg, entity: Reg, name: Reg }
    /// dst = built-in fact about an entity
    Read Info { dst: Reg, entity: Reg, what: EntityInfo }
    /// dst = entity is of the kind or of one that extends it
    Read IsKind { dst: Reg, entity: Reg, kind: KindId }
    /// dst = entity was made from the def
    Read IsDef { dst: Reg, entity: Reg, def: DefId }
    /// dst = entity has the trait
    Read HasTrait { dst: Reg, entity: Reg, def: DefId }
    /// dst = entity (not null) still exists
    Read Exists { dst: Reg, entity: Reg }
    /// dst = the zone of that family that belongs to entity
    Fact ZoneOf { dst: Reg, entity: Reg, zone: ZoneId }
    /// dst = the only instance of a zone without owner
    Fact TheZone { dst: Reg, zone: ZoneId }
    /// dst = zone (an instance or null) is of the family
    Fact IsZone { dst: Reg, value: Reg, zone: ZoneId }
    /// dst = the entity a zone instance belongs to; null for none
    Fact ZoneHost { dst: Reg, value: Reg }
    /// dst = number of entities in the zone instance
    Read ZoneLen { dst: Reg, zone: Reg }
    /// dst = the entity at index; null outside
    Read ZoneGet { dst: Reg, zone: Reg, index: Reg }
    /// dst = the zone's contents as a list
    Read ZoneList { dst: Reg, zone: Reg }
    /// dst = all entities in all instances of the family, hosts in row order
    Read AllInZone { dst: Reg, zone: ZoneId }
    /// dst = list of all players in seat order
    Fact Players { dst: Reg }
    /// dst = number of players
    Fact PlayerCount { dst: Reg }
    /// dst = the player `steps` seats clockwise (negative: counterclockwise)
    Fact PlayerAfter { dst: Reg, player: Reg, steps: i16 }
    /// dst = all players, starting with the given one, clockwise
    Fact PlayersFrom { dst: Reg, player: Reg }
    /// dst = fact about the flow
    Read Flow { dst: Reg, what: FlowInfo }
    /// dst = the phase is active, at any depth
    Read InPhase { dst: Reg, phase: Reg }
    /// dst = the property with that name is a resource
    Fact IsResource { dst: Reg, name: Reg }
    /// dst = payload field of an event; `event` holds the event's frame
    Read EventField { dst: Reg, event: Reg, field: u16 }
    /// Changes the payload of a pending event
    Write SetEventField { event: Reg, field: u16, value: Reg }
    /// Prevents the pending event. Unless `silent`, the event `EventPrevented` reports it
    Effect Prevent { event: Reg, silent: bool }
    /// dst = the event is of the type
    Read IsEvent { dst: Reg, event: Reg, ty: EventId }

    // --- calls ---------------------------------------------------------------
    /// Calls a function or proc with the context of this frame; its parameters are the registers from args on
    Call Call { dst: Reg, routine: RoutineId, args: Reg }
    /// Returns from the routine with a value
    Control Return { value: Reg }
    /// Returns from the routine without a value (the caller gets null)
    Control Done {}
    /// Counts a hit of a coverage point; see [`CoverageCounters`](crate::CoverageCounters)
    Read CoverageHit { number: u32 }

    // --- writes: only inside `apply` -----------------------------------------------
    /// Writes a property directly, clamped to its bounds; part of an event's fold
    Write Write { entity: Reg, prop: PropId, value: Reg }
    /// The same by name, for entities of any kind
    Write WriteNamed { entity: Reg, name: Reg, value: Reg }

    // --- effects: only inside programs -----------------------------------------------
    /// Sets a property by a `Changed` event; no event if the clamped value equals the old one
    Effect Change { entity: Reg, prop: PropId, value: Reg }
    /// The same by name
    Effect ChangeNamed { entity: Reg, name: Reg, value: Reg }
    /// Sets a property to its present value plus something. In a group, what counts is the difference
    Effect Increase { entity: Reg, prop: PropId, value: Reg }
    /// The same by name
    Effect IncreaseNamed { entity: Reg, name: Reg, value: Reg }
    /// Runs the whole life cycle of an event; payload in the registers from args on. dst (or NONE) = record
    /// of the final payload and `applied`
    Effect Emit { dst: Reg, event: EventId, args: Reg }
    /// Creates an entity; see [`Create`](crate::Create)
    Effect Create { dst: Reg, create: CreateId, args: Reg }
    /// Creates a copy of an entity (in place of the def at args); a copy of a stack item goes on top of the
    /// stack
    Effect Duplicate { dst: Reg, create: CreateId, args: Reg }
    /// Turns an entity into a copy: args = the entity or def to copy, the entity, duration, two unused, then one value for each
    /// entry of `with`
    Effect Become { create: CreateId, args: Reg, of_def: bool }
    /// Moves an entity to the end of a zone, or to its front if `top`. dst (or NONE) = the moved entity,
    /// which is a new object if the zone renews
    Effect Move { dst: Reg, entity: Reg, zone: Reg, top: bool }
    /// Moves all entities of a list, in order; with `top` the first of the list ends up in front
    Effect MoveAll { list: Reg, zone: Reg, top: bool }
    /// Removes an entity permanently
    Effect Remove { entity: Reg }
    /// Shuffles a zone
    Exclusive Shuffle { zone: Reg }
    /// Rolls; see [`Roll`](crate::Roll). dst = record of faces and total
    Exclusive Roll { dst: Reg, roll: RollId, args: Reg }
    /// Picks `count` (register args) different items of a list (args+1) at random by an event `Rolled`; dst =
    /// list
    Exclusive Draw { dst: Reg, roll: RollId, args: Reg }
    /// Starts a phase; player and subject may be null
    Exclusive EnterPhase { phase: PhaseId, player: Reg, subject: Reg }
    /// The same where the start can be prevented: args = player, subject; dst = the phase has started
    Exclusive TryPhase { dst: Reg, phase: PhaseId, args: Reg }
    /// Ends the innermost phase
    Exclusive LeavePhase {}
    /// Leaves everything under way within a [phase](crate::PhaseBlock), and goes on at its end. Does nothing if the phase is not
    /// in progress
    Exclusive ExitPhase { phase: PhaseId }
    /// Removes what is left on the stack and ends the phases within this one; repeats itself until all is done
    Exclusive CloseInner { phase: PhaseId }
    /// Ends the match: args = outcome, winners, losers, pot, and the score if the program has
    /// [scores](crate::Program::score_type)
    Exclusive End { args: Reg }

    // --- actions and the stack -------------------------------------------------------
    /// dst = all offers open to the player now
    Read Offers { dst: Reg, player: Reg }
    /// Appends an offer of the action to the list under construction; its targets are the registers from
    /// params on
    Read Offer { action: ActionId, params: Reg }
    /// dst = all costs together can be paid, tested by running the routine on trial without consequences
    Read Afford { dst: Reg, routine: RoutineId, args: Reg }
    /// Takes an offer
    Exclusive Take { offer: Reg }
    /// Announces the action being taken; dst = nobody prevented it. If the program has reactions after the
    /// announcement, dst is its number, or 0 if it was prevented, and the reactions run at `Announced`
    Effect Announce { dst: Reg, action: ActionId }
    /// The action whose announcement has the number `event` is paid for: runs the reactions after the
    /// announcement
    Effect Announced { event: Reg, action: ActionId }
    /// Announces the reaction this code belongs to, which its controller has agreed to; dst = nobody prevented it
    Effect AnnounceReaction { dst: Reg }
    /// Performs an action immediately; its parameters are the registers from params on
    Exclusive Perform { action: ActionId, params: Reg }
    /// Puts an action on the stack; its parameters are the registers from params on
    Exclusive Stack { action: ActionId, params: Reg }
    /// Resolves the top of the stack, if any
    Exclusive Resolve {}
    /// Counters an item on the stack
    Exclusive Counter { item: Reg }
    /// Runs state checks until nothing changes, then puts waiting reactions on the stack; `drain` resolves
    /// the stack
    Exclusive Settle { drain: bool }
    /// dst = the action of an offer
    Read OfferAction { dst: Reg, offer: Reg }
    /// dst = the entity that has the action of an offer
    Read OfferHost { dst: Reg, offer: Reg }
    /// dst = all entities a stack item targets
    Read Targets { dst: Reg, item: Reg }
    /// dst = the effects of a stack item can emit the event
    Read Does { dst: Reg, item: Reg, event: EventId }
    /// dst = the abilities of an entity
    Read Abilities { dst: Reg, entity: Reg }
    /// dst = the traits attached to an entity
    Read Traits { dst: Reg, entity: Reg }
    /// dst = the entity in register args+1 could use the ability in register args; with `costs` only whether
    /// it could pay
    Read Usable { dst: Reg, args: Reg, costs: bool }
    /// dst = the ability has the tag
    Read HasTag { dst: Reg, ability: Reg, tag: Reg }
    /// Runs an ability: args = ability, host, user; pays first if `pays`, then performs if `acts`
    Effect Invoke { args: Reg, pays: bool, acts: bool }
    /// dst = the zone of the family with that name that belongs to entity, or to nobody
    Read ZoneNamed { dst: Reg, entity: Reg, name: Reg }
    /// dst = zone (an instance or null) is of the family with that name
    Read IsZoneNamed { dst: Reg, value: Reg, name: Reg }
    /// Counts a use of the reaction this code belongs to towards its limits
    Effect Use {}
    /// Remembers an entity, or all of a list if `many`, as it is before it is used to pay. The running code, and the
    /// action that it puts on the stack or performs, see it like that if it leaves its zone
    Effect Remember { value: Reg, many: bool }
    /// Follows a payment with entities that `Remember` remembered. dst = the same entities, by their new references if they
    /// became new objects. Those that stayed in their zone are not remembered any longer
    Effect Paid { dst: Reg, value: Reg, many: bool }
    /// Begins a group: events are only planned until `EndGroup`. Groups nest
    Effect BeginGroup { simultaneous: bool, on_prevented: OnPrevented }
    /// With `on`, preventing what is planned from here on does not affect the rest of the group
    Effect Keep { on: bool }
    /// Commits the planned events, all or none, or (simultaneous) those that are not prevented; dst (or NONE)
    /// = record of `applied`
    Effect EndGroup { dst: Reg }
    /// Follows an `EndGroup`: its record has a second field, the list of the group's events of this type that
    /// happened, each as the record that `Emit` returns
    Compute Collect { event: EventId }

    // --- offer search: emitted only by the engine ---------------------------------------
    /// Collects the actor's entities in all instances of a zone that have an entry in the jump table, the
    /// actor's own instance first; iter = index of the first candidate, iter+1 = end of the candidates,
    /// iter+2 = iter
    @engine Read Hosts { iter: Reg, zone: ZoneId, table: u16 }
    /// Loads the next candidate into the register of `self` and jumps to its entry in the jump table, unless its only
    /// gate is shut or its first test fails; drops the candidates when none is left
    @engine Read NextHost { iter: Reg, table: u16 }
    /// A `NextItem` whose loop only makes an offer with each item: makes those of all items and goes to `to`
    @engine Read OfferItems { iter: Reg, to: u32 }
    /// Skips the next `open` instructions if gate is 1, the next `shut` if it is 0
    @engine Control Gate { gate: Reg, open: u16, shut: u16 }

    // --- fused instructions, placed where the first one was: emitted only by the engine ---
    /// Loads null into `count` registers from first on, and skips the instructions that load it into the
    /// later ones
    @engine Compute Nulls { first: Reg, count: u16 }
    /// A jump back to `NextItem` fused with it: goes to `to` with the next item, if any
    @engine Control ContinueItem { iter: Reg, to: u32 }
    /// The same for `NextInZone`
    @engine Read ContinueInZone { iter: Reg, to: u32 }
    /// The same for `NextCount`
    @engine Control ContinueCount { iter: Reg, to: u32 }
    /// A `ContinueItem` whose loop begins with a test, by number: goes to the end of the test with the next item that passes
    @engine Read FilterItems { iter: Reg, filter: u32 }
    /// The same for `ContinueInZone`
    @engine Read FilterZone { iter: Reg, filter: u32 }
    /// A `ContinueItem` whose loop only creates an entity for each item, by number: creates the entities of the remaining items
    @engine Effect CreateItems { iter: Reg, creation: u32 }

    // --- inlined code: emitted only by the engine ----------------------------------------
    /// A call, at inline level `depth`, of the code inlined at `to`
    @engine Call InlineCall { depth: u16, to: u32 }
    /// End of an inlined call; continues after it
    @engine Control EndInlineCall { to: u32 }
    /// An event without listeners, at inline level `depth`, whose fold is inlined at `to`
    @engine Write InlineEvent { depth: u16, to: u32 }
    /// End of an inlined event; continues after it
    @engine Write EndInlineEvent { event: EventId, to: u32 }

    // --- remembered results: emitted only by the engine -----------------------------------
    /// A `Call` of a pure function whose results are remembered
    @engine Call MemoCall { dst: Reg, routine: RoutineId, args: Reg }

    // --- asking ---------------------------------------------------------------------
    /// Opens a request; the following `Ask`s belong to it
    Exclusive Open { choice: ChoiceId }
    /// Asks one player; argument layout in [`Choice`](crate::Choice)
    Exclusive Ask { choice: ChoiceId, args: Reg }
    /// Waits until the request is answered. For dst see [`Choice::result`](crate::Choice)
    Exclusive Await { dst: Reg, choice: ChoiceId }
}

/// The interpreter reads millions of instructions a second; a larger instruction would slow all of it down.
const _: () = assert!(size_of::<Instr>() == 8, "an instruction is eight bytes");
