//! The playground: tools for authors of rulesets, without any network.
//!
//! A [`RulesetFolder`] holds the files of a ruleset. [`check`](fn@check) reports its errors, including
//! those in unsaved files. A [`PlaygroundMatch`] is a match for trying things out: one user plays all
//! seats, the dice can be set, the match can be rewound to any input, and it continues under edited rules.
//! A played match can be saved as a [scenario](scenarios::record).
//!
//! ```
//! use intermezzo_playground::{FileTexts, PlaygroundMatch, StartOptions, check};
//!
//! let rules = r#"
//! ir: 1
//! ruleset: {id: coin, version: 0.1.0, name: Coin}
//! outcomes: [done]
//! players: {seats: 2}
//! flow:
//!   - {choose: side, by: "players[0]", from: "[1, 2]"}
//!   - {end: done, winners: "[players[side - 1]]"}
//! "#;
//! let texts = FileTexts::from([("ruleset.yaml".to_owned(), rules.to_owned())]);
//! let program = check(&texts).program.expect("the ruleset has no errors");
//! let game = PlaygroundMatch::start(&program, StartOptions::default())?;
//! assert!(game.ending().is_none());
//! # Ok::<(), intermezzo_playground::PlaygroundError>(())
//! ```

mod diagnostics;
mod files;
mod playground_match;
mod reload;
pub mod scenarios;

pub use diagnostics::{CheckOutcome, check};
pub use files::{FileTexts, FolderError, RulesetFile, RulesetFolder, hash};
pub use playground_match::{
    BotName, MAX_BOT_ANSWERS, PlaygroundBranch, PlaygroundError, PlaygroundInput, PlaygroundMatch,
    StartOptions,
};
pub use reload::{EventDescription, EventDifference, RejectedInput, ReloadReport};
