//! Request and response bodies of the HTTP API: accounts, rulesets, matches, tokens, ratings, the queue, the
//! playground.
//!
//! Requests reject unknown fields, so a misspelt field is never silently ignored. Times are milliseconds since 1970 on
//! the server's clock; amounts are whole tokens.

mod accounts;
mod matches;
mod moderation;
pub(crate) mod object;
pub(crate) mod play;
mod playground;
mod queue;
mod ratings;
mod replay;
mod rulesets;
mod tokens;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use accounts::{
    AccountInfo, IssuedToken, NewAccount, NewPassword, Profile, Rename, RulesetRating, SignIn, TicketInfo,
};
pub use matches::{
    BotAlgorithm, ClockSettings, CreateMatch, EndingInfo, MatchInfo, MatchStatus, PlaceKind, Ready,
    RulesetRef, SeatBot, SeatInfo, Sit, Spectators, StakeInfo,
};
pub use moderation::{
    BanAccount, ChangeOwner, ModerationAction, ModerationInfo, ModerationReason, NewReport, ReportInfo,
    ServerStatus,
};
pub use object::JsonObject;
pub use play::{
    ActionsNow, Answers, CommandReceipt, EventHistory, ForkAt, Health, HistoryStep, OpenInputs, PathNext,
    PathSoFar, RulesetCheck, RulesetFiles, ServerInfo, TurnInfo, ViewNow,
};
pub use playground::{
    CompleteAt, CompletionItem, Completions, DescribedEvent, DevBots, DevBranch, DevBranchInput, DevCheck,
    DevDice, DevFile, DevFiles, DevInput, DevMatch, DevModifier, DevMoment, DevPath, DevSeat, DevSetup,
    DevText, DevTimeline, DevValue, DiceRoll, GoBack, LabelledRoll, LineColumn, NewDevMatch, NextDice,
    PlaygroundInfo, RecordScenario, RecordedScenario, Reload, ReloadDifference, ReloadStopped, RunScenarios,
    SaveFile, SaveResult, ScenarioInfo, ScenarioList, ScenarioResult, ScenarioResults, TakeBranch,
    UnsavedFiles,
};
pub use queue::{JoinQueue, QueueLength, QueueState, QueueStatus};
pub use ratings::{LeaderboardRow, RatingInfo};
pub use replay::{
    BranchEvent, BranchInput, InProgressInfo, ReactionInfo, ReplayBranch, ReplayEvent, ReplayInput,
    ReplayMoment, ReplayPage, ReplayStatus,
};
pub use rulesets::{OptionInfo, PublishRuleset, RulesetInfo, SeatRange};
pub use tokens::{TransferInfo, TransferReason};

/// A page of a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The entries of this page.
    pub items: Vec<T>,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
