//! The messages between clients and servers, with their JSON Schemas.
//!
//! [`ClientFrame`] and [`ServerFrame`] are the WebSocket frames, [`resources`] the bodies of the HTTP API. Errors are a
//! [`Problem`] on both. Views are sent as JSON text ([`json`]), changes of views as patches ([`patch`]) with the hash
//! of the result ([`ViewHash`], [`view_hash()`] in version 1), and [`frame_text`] writes the frames about a match.
//! [`websocket`] reads and writes the frames of a WebSocket.
//! [`ruleset_schema()`] describes the views, events and questions of one ruleset; [`ruleset_table()`] has its display texts.
//!
//! ```
//! use intermezzo_protocol::{ClientFrame, Code, Problem};
//!
//! let text = r#"{"type": "input.submit", "commandId": "1", "inputId": 3, "answers": ["attack"]}"#;
//! let frame: ClientFrame = serde_json::from_str(text)?;
//! assert!(matches!(frame, ClientFrame::InputSubmit { input_id: 3, .. }));
//!
//! let problem = Problem::new(Code::Stale, "the match has moved on").with("branchId", 12);
//! assert_eq!(problem.status, 409);
//! assert_eq!(serde_json::to_value(&problem)?["branchId"], 12);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod action_forms;
mod control;
mod depth;
pub mod frame_text;
mod frames;
mod hash;
pub mod json;
pub mod patch;
mod problem;
pub mod resources;
mod ruleset_schema;
mod ruleset_table;
mod view_hash;
pub mod websocket;

pub use action_forms::AnyAction;
pub use control::{AutoPassUntil, Control, PotDistribution, PreSentAnswer};
pub use depth::is_too_deep;
pub use frames::{
    Bank, ClientFrame, Drag, FollowedMatch, FrameLimits, MatchNotice, PlayerId, SeatOccupant, ServerFrame,
    SubmittedAction, WireVersion,
};
pub use hash::{text_hash, view_hash};
pub use problem::{Code, Problem};
pub use ruleset_schema::ruleset_schema;
pub use ruleset_table::{
    DefDisplay, EventDisplay, KindDisplay, PhaseDisplay, PictureAddress, ReactionDisplay, ReactionPreview,
    RulesetTable, ZoneDisplay, ZoneVisibility, ruleset_table,
};
pub use view_hash::ViewHash;
