//! Rules as data: the [`Program`] that a checked ruleset becomes.
//!
//! The compiler makes programs, the engine runs them; neither knows the other.
//! Start with [`program`] for the tables, [`code`] for the instructions and
//! [`word`] for how values are stored.

pub mod action;
pub mod choice;
pub mod code;
pub mod hidden;
pub mod ids;
pub mod message;
pub mod native;
pub mod notes;
pub mod probes;
pub mod program;
pub mod word;

pub use action::{Action, ActionHost, ActionParam, ActionTiming, Manipulated, Manipulation, Price};
pub use choice::{Branch, Choice, DraftPolicy, How, Inner, InputKind, Next, Shape};
pub use code::{FaultCode, FlowInfo, Info, Instr, OnPrevented, Place, Reg};
pub use hidden::Hidden;
pub use ids::{
    ActionId, ChoiceId, CreateId, DefId, EnumId, EventId, KindId, PhaseId, PropId, ReactionId, RollId,
    RoutineId, Seat, Symbol, TextId, TypeId, ZoneId,
};
pub use message::{FieldValue, Incoming, Message, MessageField, Occasion, Way};
pub use notes::Notes;
pub use probes::{Probe, ProbeKind, Probes, Reached};
pub use program::{
    Bound, Chain, Clock, Create, Def, Duration, Enum, EventType, Field, Initial, Kind, Lesson, Limit,
    LimitKey, Limits, MatchOption, Modifier, Ordering, Per, Phase, Program, Prop, Reaction, Reset, Roll,
    Routine, RuleHost, Scope, SeatCount, Stakes, Takeover, Type, Until, Visibility, When, Zone,
};
pub use word::{NULL, Word};
