//! Requests and responses of the playground (`intermezzo dev`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::matches::{BotAlgorithm, EndingInfo, RulesetRef};
use super::replay::{InProgressInfo, ReactionInfo, ReplayEvent, ReplayInput, ReplayMoment};
use super::rulesets::{OptionInfo, SeatRange};

/// The ruleset folder the playground works on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Workshop")]
pub struct PlaygroundInfo {
    /// Name of the folder.
    pub folder: String,
    /// True if the ruleset has no errors.
    pub playable: bool,
    /// The last version of the ruleset without errors.
    pub ruleset: Option<RulesetRef>,
    /// Possible numbers of players.
    pub seats: Option<SeatRange>,
    /// Options that can be set for each match.
    pub options: Vec<OptionInfo>,
    /// True if a match is open.
    pub has_match: bool,
}

/// The files of the folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevFiles {
    /// The files, sorted by path.
    pub files: Vec<DevFile>,
}

/// A file of the folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevFile {
    /// Path relative to the folder.
    pub path: String,
    /// `rules`, `scenarios` or `other`.
    pub kind: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Hash of the contents.
    pub hash: String,
}

/// A file with its text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevText {
    /// Path relative to the folder.
    pub path: String,
    /// Full text.
    pub text: String,
    /// Hash of the text.
    pub hash: String,
}

/// The request to save a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveFile {
    /// Path relative to the folder.
    pub path: String,
    /// Full text.
    pub text: String,
    /// Saves only if the file still has this hash.
    #[serde(default)]
    pub if_hash: Option<String>,
}

/// The result of saving a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Saved")]
pub struct SaveResult {
    /// Path relative to the folder.
    pub path: String,
    /// Hash of the text.
    pub hash: String,
    /// Diagnostics of the ruleset after saving.
    pub checked: DevCheck,
    /// Effect on the open match, if rules were saved.
    pub reload: Option<Reload>,
}

/// Unsaved texts that replace the saved files.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Unsaved")]
pub struct UnsavedFiles {
    /// Texts by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The result of checking a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DevChecked")]
pub struct DevCheck {
    /// True if it has no errors.
    pub playable: bool,
    /// Hash of its rules, if it has no errors.
    pub hash: Option<String>,
    /// Errors, warnings and notes: `severity`, `code`, `message`, `label`, `file`, `start`, `end`, `help`, `related`.
    pub diagnostics: Vec<Value>,
}

/// The request for completions at a position in a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteAt {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Unsaved texts that replace the saved files.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// Completions at a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    /// Start of the word to replace.
    pub from: LineColumn,
    /// The completions, best first.
    pub items: Vec<CompletionItem>,
}

/// A position in a file.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A completion.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompletionItem {
    /// Label.
    pub label: String,
    /// Kind: `key`, `value`, `event`, `zone`, `prop`, `function`, …
    pub kind: String,
    /// Short description.
    pub detail: Option<String>,
    /// Text to insert.
    pub insert: String,
}

/// The request to start a match in the playground.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewDevMatch {
    /// Number of seats.
    #[serde(default)]
    pub seats: Option<u8>,
    /// Random seed.
    #[serde(default)]
    pub seed: u64,
    /// Options that differ from the ruleset's defaults.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The first dice rolls.
    #[serde(default)]
    pub dice: Vec<DiceRoll>,
    /// Bots by seat; null for seats played by hand.
    #[serde(default)]
    pub bots: Vec<Option<BotAlgorithm>>,
}

/// A dice roll.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Dice")]
pub enum DiceRoll {
    /// Faces of the dice.
    Faces(Vec<i64>),
    /// Faces, and the label that the roll must have.
    For(LabelledRoll),
}

/// A dice roll with a label.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "DiceFor")]
pub struct LabelledRoll {
    /// Label of the roll (`for` in the ruleset).
    #[serde(rename = "for")]
    pub label: String,
    /// Faces of the dice.
    pub faces: Vec<i64>,
}

/// An input to the match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum DevInput {
    /// Answers a question.
    Answer {
        /// The seat.
        seat: u8,
        /// Number of the question, as the seat sees it.
        input_id: u32,
        /// The answers, as in `input.submit`.
        answers: Value,
    },
    /// Sets the answer that applies if time runs out.
    Draft {
        /// The seat.
        seat: u8,
        /// Number of the question, as the seat sees it.
        input_id: u32,
        /// The answers, as in `input.submit`.
        answers: Value,
    },
    /// Takes an action.
    Action {
        /// The seat.
        seat: u8,
        /// `type`, `targets`, `params`.
        action: Value,
    },
    /// Drags one thing onto another.
    Drag {
        /// The seat.
        seat: u8,
        /// The thing that is dragged.
        what: String,
        /// The thing or zone it is dropped on.
        onto: String,
    },
    /// Lets the time of a seat run out.
    Timeout {
        /// The seat.
        seat: u8,
    },
    /// Makes a seat leave.
    Leave {
        /// The seat.
        seat: u8,
        /// `disconnect`, `concede`, `kicked` or `out_of_time`.
        cause: String,
    },
    /// Turns auto-pass on or off.
    AutoPass {
        /// The seat.
        seat: u8,
        /// `off`, `turn` or `always`.
        until: String,
        /// Pause auto-pass while something another player put there is on the stack.
        #[serde(default)]
        stops: bool,
    },
}

/// The request for the continuations of a path.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DevPath {
    /// The seat.
    pub seat: u8,
    /// Number of the question, as the seat sees it.
    pub input_id: u32,
    /// The beginning of the path, in the form of an answer.
    #[serde(default)]
    pub so_far: Vec<Value>,
}

/// The request to change the bots.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DevBots {
    /// Bots by seat; null for seats played by hand.
    pub bots: Vec<Option<BotAlgorithm>>,
}

/// The request to set the next dice rolls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NextDice {
    /// The rolls, in order.
    pub dice: Vec<DiceRoll>,
}

/// The request to go back.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoBack {
    /// Number of inputs to keep.
    pub inputs: usize,
}

/// The request to continue a branch.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeBranch {
    /// Number of the branch, from 1.
    pub number: usize,
}

/// The match of the playground.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevMatch {
    /// Version, incremented with every change.
    pub version: u64,
    /// Its ruleset.
    pub ruleset: RulesetRef,
    /// Its setup.
    pub setup: DevSetup,
    /// Bots by seat; null for seats played by hand.
    pub bots: Vec<Option<BotAlgorithm>>,
    /// Number of inputs.
    pub input_count: usize,
    /// Number of events.
    pub event_count: usize,
    /// True if the match has ended.
    pub is_over: bool,
    /// The result.
    pub ending: Option<EndingInfo>,
    /// The view of the whole state.
    pub view: Value,
    /// The seats' views and questions.
    pub seats: Vec<DevSeat>,
    /// Properties with modifiers, and how their values were computed.
    pub values: Vec<DevValue>,
    /// Events and rules in progress, outermost first.
    pub under_way: Vec<InProgressInfo>,
    /// Pending reactions.
    pub pending_reactions: Vec<ReactionInfo>,
    /// Recorded and upcoming dice rolls.
    pub dice: DevDice,
    /// Branches, oldest first.
    pub branches: Vec<DevBranch>,
    /// Events caused by the last input.
    pub last_events: Vec<ReplayEvent>,
}

/// The setup of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevSetup {
    /// Number of seats.
    pub seats: u8,
    /// Random seed.
    pub seed: u64,
    /// Options that differ from the ruleset's defaults.
    pub options: Map<String, Value>,
}

/// A seat's view and questions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevSeat {
    /// Seat number.
    pub seat: u8,
    /// The seat's view.
    pub view: Value,
    /// The seat's open questions.
    pub prompts: Vec<Value>,
    /// Possible actions, and why the others are not; null if the ruleset has no actions.
    pub actions: Option<Value>,
}

/// Computation of a property's value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevValue {
    /// The entity.
    pub entity: String,
    /// The property.
    pub prop: String,
    /// Value before any modifier.
    pub base: Value,
    /// Final value.
    pub value: Value,
    /// The active modifiers, in order.
    pub steps: Vec<DevModifier>,
}

/// The effect of one modifier on a value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevModifier {
    /// Id of the modifier, or the name of what it belongs to.
    pub name: String,
    /// The entity it comes from.
    pub source: Option<String>,
    /// Value before the modifier.
    pub before: Value,
    /// Value after the modifier.
    pub after: Value,
    /// File of its declaration.
    pub file: Option<String>,
    /// Line in that file.
    pub line: Option<u32>,
}

/// Recorded and upcoming dice rolls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevDice {
    /// Upcoming rolls.
    pub next: Vec<DiceRoll>,
    /// Past rolls.
    pub rolled: Vec<DiceRoll>,
}

/// A branch: inputs that were left by going back.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevBranch {
    /// Number of the branch, from 1.
    pub number: usize,
    /// Number of inputs it shares with the current line.
    pub from: usize,
    /// The inputs after that.
    pub inputs: Vec<DevBranchInput>,
}

/// An input of a branch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevBranchInput {
    /// Number of the input.
    pub number: usize,
    /// The seat that sent it.
    pub seat: Option<u8>,
    /// Kind of the input.
    pub kind: String,
    /// Description of the input.
    pub text: String,
}

/// A page of the match's history.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevTimeline {
    /// Version of the match.
    pub version: u64,
    /// Number of inputs, including the start.
    pub input_count: usize,
    /// Number of events.
    pub event_count: usize,
    /// The inputs of this page.
    pub inputs: Vec<ReplayInput>,
    /// The events of this page.
    pub events: Vec<ReplayEvent>,
    /// The `after` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// The state after an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevMoment {
    /// The state, as in a replay.
    #[serde(flatten)]
    pub moment: ReplayMoment,
    /// Properties with modifiers, and how their values were computed.
    pub values: Vec<DevValue>,
}

/// The effect of changed rules on the match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reload {
    /// Version of the match after the reload.
    pub version: u64,
    /// True if the new rules have no errors and the match starts under them. Otherwise the match continues under the
    /// old rules.
    pub playable: bool,
    /// Diagnostics of the new rules.
    pub diagnostics: Vec<Value>,
    /// The reason why the match does not start under the new rules.
    pub problem: Option<String>,
    /// Number of inputs that were applied again.
    pub inputs: usize,
    /// Number of inputs before the reload.
    pub of: usize,
    /// The first event that differs.
    pub difference: Option<ReloadDifference>,
    /// The first input that is no longer legal.
    pub stopped: Option<ReloadStopped>,
}

/// The first event that differs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReloadDifference {
    /// The input it belongs to; 0 is the start of the match.
    pub input: usize,
    /// Number of the input.
    pub n: usize,
    /// The event under the old rules.
    pub before: Option<DescribedEvent>,
    /// The event under the new rules.
    pub after: Option<DescribedEvent>,
}

/// An event with its description.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ToldEvent")]
pub struct DescribedEvent {
    /// Type of the event.
    pub event: String,
    /// Description of the event.
    pub text: String,
}

/// An input that is no longer legal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReloadStopped {
    /// Number of the input.
    pub input: usize,
    /// Description of the input.
    pub text: String,
    /// The reason why it is rejected.
    pub reason: String,
}

/// The scenarios of the ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioList {
    /// The scenarios, sorted by file.
    pub scenarios: Vec<ScenarioInfo>,
}

/// A scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioInfo {
    /// Name of the scenario.
    pub name: String,
    /// File that contains the scenario.
    pub file: String,
    /// First line of the scenario, from 1.
    pub line: u32,
}

/// The request to run scenarios.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunScenarios {
    /// Runs only the scenario with this name.
    #[serde(default)]
    pub name: Option<String>,
    /// Runs only scenarios whose name or file contains this.
    #[serde(default)]
    pub filter: Option<String>,
    /// Unsaved texts that replace the saved files.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The results of running scenarios.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioResults {
    /// Number of scenarios that passed.
    pub passed: usize,
    /// Number of scenarios that failed.
    pub failed: usize,
    /// Errors in the files. Scenarios with errors are not run.
    pub diagnostics: Vec<Value>,
    /// All scenarios that were run.
    pub results: Vec<ScenarioResult>,
}

/// The result of a scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioResult {
    /// Name of the scenario.
    pub name: String,
    /// File that contains the scenario.
    pub file: String,
    /// First line of the scenario, from 1.
    pub line: u32,
    /// True if it passed.
    pub ok: bool,
    /// The difference, if it failed.
    pub message: Option<String>,
    /// The line that failed.
    pub failed_line: Option<u32>,
}

/// The request to save the match as a scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordScenario {
    /// Name of the scenario.
    pub name: String,
    /// File to append to; by default `scenarios/recorded.yaml`.
    #[serde(default)]
    pub file: Option<String>,
    /// Events to leave out of the event lists of a new file.
    #[serde(default)]
    pub ignore: Vec<String>,
}

/// A recorded scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedScenario {
    /// Name of the scenario.
    pub name: String,
    /// File that contains the scenario.
    pub file: String,
    /// First line of the scenario, from 1.
    pub line: u32,
    /// Full text of the file.
    pub text: String,
}
