//! Dense ids that stand for names, so that tables are plain vectors.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $inner);

        impl $name {
            /// Returns the id as an index into its table.
            #[inline]
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A seat at the table, counted clockwise from 0.
    ///
    /// The engine knows seats, never people: a seat stays the same when its player reconnects.
    Seat(u8);
    /// An interned name: enum members, defs, phases, zones, outcomes, property names.
    Symbol(u32);
    /// A text for display, in [`Program::texts`](crate::Program).
    TextId(u32);
    /// A runtime type, in [`Program::types`](crate::Program).
    TypeId(u16);
    /// A closed set of symbols, in [`Program::enums`](crate::Program).
    EnumId(u16);
    /// A kind of entity, in [`Program::kinds`](crate::Program).
    KindId(u16);
    /// A property of one kind, in [`Program::props`](crate::Program).
    PropId(u16);
    /// A zone as declared (not an instance), in [`Program::zones`](crate::Program).
    ZoneId(u16);
    /// A definition that entities are made from, in [`Program::defs`](crate::Program).
    DefId(u16);
    /// A type of event, in [`Program::events`](crate::Program).
    EventId(u16);
    /// A named scope of the flow, in [`Program::phases`](crate::Program).
    PhaseId(u16);
    /// A routine: code with its registers, in [`Program::routines`](crate::Program).
    RoutineId(u16);
    /// A `choose` statement, in [`Program::choices`](crate::Program).
    ChoiceId(u16);
    /// A `create` statement, in [`Program::creates`](crate::Program).
    CreateId(u16);
    /// A `roll` statement, in [`Program::rolls`](crate::Program).
    RollId(u16);
    /// A reaction, in [`Program::reactions`](crate::Program).
    ReactionId(u16);
    /// An action or ability, in [`Program::actions`](crate::Program).
    ActionId(u16);
}

impl KindId {
    /// The kind of the match itself.
    pub const MATCH: KindId = KindId(0);
    /// The kind of players.
    pub const PLAYER: KindId = KindId(1);
    /// The kind of everything that can be on the stack.
    pub const ITEM: KindId = KindId(2);
    /// The kind of actions on the stack; each action has its own kind that extends it.
    pub const ACTION: KindId = KindId(3);
    /// The kind of reactions on the stack; each reaction has its own kind that extends it.
    pub const REACTION: KindId = KindId(4);
    /// Number of kinds every program has.
    pub const NATIVE: u16 = 5;
}

impl ZoneId {
    /// The players' stack; its top is its front.
    pub const STACK: ZoneId = ZoneId(0);
}
