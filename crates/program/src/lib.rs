//! Rules as data: the [`Program`] that a checked ruleset becomes.
//!
//! The compiler builds programs and the engine runs them; neither depends on the other. Start with
//! [`program`] for the tables, [`code`] for the instructions and [`word`] for the storage of values.
//!
//! ```
//! const RULES: &str = r#"
//! ir: 1
//! ruleset: {id: first-move, version: 0.1.0}
//! outcomes: [decided]
//! players: {min: 2, max: 4}
//! flow:
//!   - {choose: winner, by: "players[0]", from: players}
//!   - {end: decided, winners: "[winner]"}
//! "#;
//!
//! let ruleset = intermezzo_compiler::Ruleset::from_files(&[("rules.yaml".to_owned(), RULES.into())]);
//! let program = ruleset.compile().program.expect("the ruleset has no errors");
//! assert_eq!((program.seats.min, program.seats.max), (2, 4));
//! assert_eq!(program.choices[0].name, "winner");
//! ```

pub mod action;
pub mod cached_analysis;
pub mod choice;
pub mod code;
pub mod coverage_counters;
pub mod hidden_information;
pub mod ids;
pub mod message;
pub mod native;
pub mod program;
pub mod spelling_index;
pub mod word;

pub use action::{Action, ActionHost, ActionParam, ActionTiming, Manipulation, ManipulationEnd, Price};
pub use cached_analysis::CachedAnalysis;
pub use choice::{
    AnswerMode, AnswerShape, BranchContent, Choice, ChoiceBranch, DraftPolicy, InputKind, NextOptions,
    SelectionTests, TextValues,
};
pub use code::{EntityInfo, FaultCode, FlowInfo, Instr, InstrClass, OnPrevented, Reg, SourceLocation};
pub use coverage_counters::{CoverageCounters, CoverageHits, CoverageKind, CoveragePoint};
pub use hidden_information::HiddenElement;
pub use ids::{
    ActionId, ChoiceId, CreateId, DefId, EnumId, EventId, KindId, PhaseId, PropId, ReactionId, RollId,
    RoutineId, Seat, Symbol, TextId, TypeId, ZoneId,
};
pub use message::{
    FieldValue, IncomingMessage, Message, MessageDirection, MessageFence, MessageField, MessageTrigger,
};
pub use program::{
    CopyForm, Create, Def, EntityKind, Enum, EventType, Grant, GrantEffect, GuardLimits, InitialValue,
    Lesson, LessonEnd, LimitKey, LimitScope, MatchOption, Modifier, ModifierChain, OrderingRoutines,
    PayloadField, PerBatch, Phase, PhaseBlock, Program, Prop, PropBound, PropReset, Reaction, ReactionLimit,
    ReactionTiming, Roll, Routine, RuleHost, SeatCount, Stakes, Takeover, TeamRules, TimeControl,
    TraitDuration, Type, Visibility, Zone,
};
pub use spelling_index::SpellingIndex;
pub use word::{NULL, Word};
