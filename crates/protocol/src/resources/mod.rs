//! What clients read and write over HTTP: accounts, rulesets, matches, tokens, ratings, the queue.
//!
//! Requests refuse fields they do not know, so that a misspelt one is never silently ignored. Times are milliseconds
//! since 1970 by the server's clock, amounts are whole tokens.

mod accounts;
mod dev;
mod matches;
mod moderation;
pub(crate) mod object;
mod play;
mod ratings;
mod replay;
mod rulesets;
mod tokens;
mod waiting;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use accounts::{AccountInfo, NewAccount, NewPassword, Played, Profile, Rename, SignIn, SignedIn};
pub use dev::{
    CompleteAt, CompletionItem, Completions, DevBots, DevBranch, DevBranchInput, DevChecked, DevDice,
    DevFile, DevFiles, DevInput, DevMatch, DevModifier, DevMoment, DevPath, DevSeat, DevSetup, DevText,
    DevTimeline, DevValue, Dice, DiceFor, GoBack, LineColumn, NewDevMatch, NextDice, RecordScenario,
    RecordedScenario, Reload, ReloadDifference, ReloadStopped, RunScenarios, SaveFile, Saved, ScenarioInfo,
    ScenarioList, ScenarioResult, ScenarioResults, TakeBranch, ToldEvent, Unsaved, Workshop,
};
pub use matches::{
    BotKind, Clock, CreateMatch, EndingInfo, MatchInfo, MatchStatus, PlaceKind, Ready, RulesetRef, SeatBot,
    SeatInfo, Sit, Spectators, StakeInfo,
};
pub use moderation::ModerationInfo;
pub use object::Object;
pub use play::{
    ActionsNow, Answers, Checked, ForkAt, Health, OpenInputs, Past, PastStep, PathNext, PathSoFar,
    RulesetFiles, Taken, TurnInfo, ViewNow, Welcome,
};
pub use ratings::{RatingInfo, Standing};
pub use replay::{
    BranchEvent, BranchInput, ReactionInfo, ReplayBranch, ReplayEvent, ReplayInput, ReplayMoment, ReplayPage,
    ReplayStatus, UnderWayInfo,
};
pub use rulesets::{OptionInfo, PublishRuleset, RulesetInfo, SeatRange};
pub use tokens::{Reason, TransferInfo};
pub use waiting::{JoinQueue, QueueLength, QueueState, QueueStatus};

/// Part of a long list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The things themselves.
    pub items: Vec<T>,
    /// What to ask for to get the next ones; nothing at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
