//! The workshop of a ruleset's author: what `intermezzo dev` takes and gives.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::matches::{BotKind, EndingInfo, RulesetRef};
use super::replay::{ReactionInfo, ReplayEvent, ReplayInput, ReplayMoment, UnderWayInfo};
use super::rulesets::{OptionInfo, SeatRange};

/// What is worked on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Workshop {
    /// What its folder is called.
    pub folder: String,
    /// Whether the ruleset has no errors.
    pub playable: bool,
    /// The ruleset, as it was when it last had none.
    pub ruleset: Option<RulesetRef>,
    /// How many can play it.
    pub seats: Option<SeatRange>,
    /// What can be set for each match.
    pub options: Vec<OptionInfo>,
    /// Whether a match is open.
    pub has_match: bool,
}

/// The files of the folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevFiles {
    /// In order of their paths.
    pub files: Vec<DevFile>,
}

/// A file of the folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevFile {
    /// Where it is, from the folder on.
    pub path: String,
    /// `rules`, `scenarios` or `other`.
    pub kind: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Stands for its contents.
    pub hash: String,
}

/// A file with its text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevText {
    /// Where it is, from the folder on.
    pub path: String,
    /// All of it.
    pub text: String,
    /// Stands for it.
    pub hash: String,
}

/// A text to be saved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveFile {
    /// Where, from the folder on.
    pub path: String,
    /// All of it.
    pub text: String,
    /// Only if the file still has this hash.
    #[serde(default)]
    pub if_hash: Option<String>,
}

/// What saving has led to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    /// Where.
    pub path: String,
    /// Stands for the text.
    pub hash: String,
    /// What there is to say about the ruleset now.
    pub checked: DevChecked,
    /// What became of the open match, if rules were saved.
    pub reload: Option<Reload>,
}

/// Texts that stand for those on disk.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unsaved {
    /// By path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// What there is to say about a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevChecked {
    /// Whether it could be played.
    pub playable: bool,
    /// Hash of its rules, if it could.
    pub hash: Option<String>,
    /// Errors, warnings and notes: `severity`, `code`, `message`, `label`, `file`, `start`, `end`, `help`, `related`.
    pub diagnostics: Vec<Value>,
}

/// A place in a file at which something is to be written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteAt {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// Texts that stand for those on disk.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// What could stand there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    /// Where the word begins that is replaced.
    pub from: LineColumn,
    /// What fits, the best first.
    pub items: Vec<CompletionItem>,
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineColumn {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// Something that could be written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompletionItem {
    /// What it is called.
    pub label: String,
    /// What it is: `key`, `value`, `event`, `zone`, `prop`, `function`, …
    pub kind: String,
    /// A few words about it.
    pub detail: Option<String>,
    /// What to write.
    pub insert: String,
}

/// How a match to try things with begins.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewDevMatch {
    /// How many seats.
    #[serde(default)]
    pub seats: Option<u8>,
    /// Where chance comes from.
    #[serde(default)]
    pub seed: u64,
    /// Options that differ from what the ruleset says.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The first rolls.
    #[serde(default)]
    pub dice: Vec<Dice>,
    /// Who plays by themselves, by seat.
    #[serde(default)]
    pub bots: Vec<Option<BotKind>>,
}

/// One roll of dice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Dice {
    /// What the dice show.
    Faces(Vec<i64>),
    /// The same, and what the roll has to be for.
    For(DiceFor),
}

/// A roll for something.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiceFor {
    /// What it has to be for.
    #[serde(rename = "for")]
    pub label: String,
    /// What the dice show.
    pub faces: Vec<i64>,
}

/// Something sent to the match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum DevInput {
    /// A seat answers.
    Answer {
        /// Who.
        seat: u8,
        /// The question, by the seat's number of it.
        input_id: u32,
        /// What, as anywhere else.
        answers: Value,
    },
    /// A seat shows what it would answer.
    Draft {
        /// Who.
        seat: u8,
        /// The question, by the seat's number of it.
        input_id: u32,
        /// What, as anywhere else.
        answers: Value,
    },
    /// A seat takes an action.
    Action {
        /// Who.
        seat: u8,
        /// `type`, `targets`, `params`.
        action: Value,
    },
    /// A seat drags something onto something.
    Drag {
        /// Who.
        seat: u8,
        /// What is dragged.
        what: String,
        /// Where it is dropped.
        onto: String,
    },
    /// The clock of a seat runs out.
    Timeout {
        /// Whose.
        seat: u8,
    },
    /// A seat leaves.
    Leave {
        /// Who.
        seat: u8,
        /// `disconnect`, `concede`, `kicked` or `out_of_time`.
        cause: String,
    },
    /// A seat passes by itself, or no longer.
    AutoPass {
        /// Who.
        seat: u8,
        /// `off`, `turn` or `always`.
        until: String,
        /// Whether what others put on the stack stops it.
        #[serde(default)]
        stops: bool,
    },
}

/// The beginning of a path that a seat is asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DevPath {
    /// Who is asked.
    pub seat: u8,
    /// The question, by the seat's number of it.
    pub input_id: u32,
    /// Step by step, written as an answer.
    #[serde(default)]
    pub so_far: Vec<Value>,
}

/// Who plays by themselves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DevBots {
    /// By seat; null for those that are played by hand.
    pub bots: Vec<Option<BotKind>>,
}

/// The next rolls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NextDice {
    /// In order.
    pub dice: Vec<Dice>,
}

/// Where to go back to.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoBack {
    /// As it was after so many inputs.
    pub inputs: usize,
}

/// Which branch to go on with.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeBranch {
    /// Its number, from 1.
    pub number: usize,
}

/// The match to try things with, as it is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevMatch {
    /// Grows with every change.
    pub version: u64,
    /// Its rules.
    pub ruleset: RulesetRef,
    /// How it began.
    pub setup: DevSetup,
    /// Who plays by themselves, by seat.
    pub bots: Vec<Option<BotKind>>,
    /// How many inputs were taken.
    pub input_count: usize,
    /// How many events there are.
    pub event_count: usize,
    /// Whether it is over.
    pub is_over: bool,
    /// How it ended.
    pub ending: Option<EndingInfo>,
    /// All there is to see.
    pub view: Value,
    /// What each seat sees and is asked.
    pub seats: Vec<DevSeat>,
    /// Properties that modifiers change, or could.
    pub values: Vec<DevValue>,
    /// What is under way, outermost first.
    pub under_way: Vec<UnderWayInfo>,
    /// The reactions still to come.
    pub pending_reactions: Vec<ReactionInfo>,
    /// Dice that were rolled, and those to come.
    pub dice: DevDice,
    /// What was left behind, oldest first.
    pub branches: Vec<DevBranch>,
    /// What the last input brought.
    pub last_events: Vec<ReplayEvent>,
}

/// How a match began.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevSetup {
    /// How many seats.
    pub seats: u8,
    /// Where chance comes from.
    pub seed: u64,
    /// Options that differ from what the ruleset says.
    pub options: Map<String, Value>,
}

/// What one seat sees and is asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevSeat {
    /// Which.
    pub seat: u8,
    /// What it sees.
    pub view: Value,
    /// What it is asked.
    pub prompts: Vec<Value>,
    /// What it can do, and why the rest cannot be done; null where the ruleset has no actions.
    pub actions: Option<Value>,
}

/// How a value came about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevValue {
    /// Of what.
    pub entity: String,
    /// Which property.
    pub prop: String,
    /// Its value before any modifier.
    pub base: Value,
    /// Its value.
    pub value: Value,
    /// The modifiers in force, in order.
    pub steps: Vec<DevModifier>,
}

/// What a modifier made of a value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevModifier {
    /// Its id, or what it belongs to.
    pub name: String,
    /// The entity it comes from.
    pub source: Option<String>,
    /// The value that was there.
    pub before: Value,
    /// The value it gave.
    pub after: Value,
    /// The file it is declared in.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
}

/// Dice that are known.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevDice {
    /// Those to come.
    pub next: Vec<Dice>,
    /// Those that were rolled.
    pub rolled: Vec<Dice>,
}

/// Inputs that were left behind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevBranch {
    /// Its number, from 1.
    pub number: usize,
    /// How many inputs it has in common with what is played.
    pub from: usize,
    /// What came then.
    pub inputs: Vec<DevBranchInput>,
}

/// An input that was left behind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevBranchInput {
    /// Its number.
    pub number: usize,
    /// Who sent it.
    pub seat: Option<u8>,
    /// What it was.
    pub kind: String,
    /// The same in words.
    pub text: String,
}

/// Part of what happened so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevTimeline {
    /// The version of the match.
    pub version: u64,
    /// How many inputs there are, the start included.
    pub input_count: usize,
    /// How many events there are.
    pub event_count: usize,
    /// The inputs of this page.
    pub inputs: Vec<ReplayInput>,
    /// The events of this page.
    pub events: Vec<ReplayEvent>,
    /// What to say as `after` to get the next page; nothing on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// How things stood after an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevMoment {
    /// As in any replay.
    #[serde(flatten)]
    pub moment: ReplayMoment,
    /// Properties that modifiers changed, or could.
    pub values: Vec<DevValue>,
}

/// What became of the match under changed rules.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reload {
    /// The version of the match then.
    pub version: u64,
    /// Whether the new rules have no errors and the match begins under them. Else it stays under the old ones.
    pub playable: bool,
    /// What is wrong with the rules, if anything.
    pub diagnostics: Vec<Value>,
    /// Why the match cannot begin under the new rules.
    pub problem: Option<String>,
    /// So many inputs were taken again.
    pub inputs: usize,
    /// Of so many.
    pub of: usize,
    /// The first event that is another.
    pub difference: Option<ReloadDifference>,
    /// The input that is no longer legal.
    pub stopped: Option<ReloadStopped>,
}

/// The first event that differs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReloadDifference {
    /// The input it belongs to; 0 is the start of the match.
    pub input: usize,
    /// Its number.
    pub n: usize,
    /// What happened under the old rules.
    pub before: Option<ToldEvent>,
    /// What happens under the new ones.
    pub after: Option<ToldEvent>,
}

/// An event in words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToldEvent {
    /// Its type.
    pub event: String,
    /// The event in words.
    pub text: String,
}

/// An input that is no longer legal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReloadStopped {
    /// Its number.
    pub input: usize,
    /// What was sent, in words.
    pub text: String,
    /// Why it is not taken any more.
    pub reason: String,
}

/// All scenarios of the ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioList {
    /// In order of their files.
    pub scenarios: Vec<ScenarioInfo>,
}

/// A scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioInfo {
    /// What it is called.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The line it begins in, from 1.
    pub line: u32,
}

/// Which scenarios to run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunScenarios {
    /// The one of this name.
    #[serde(default)]
    pub name: Option<String>,
    /// Those whose name or file contains this.
    #[serde(default)]
    pub filter: Option<String>,
    /// Texts that stand for those on disk.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// What came of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioResults {
    /// How many did as written.
    pub passed: usize,
    /// How many did not.
    pub failed: usize,
    /// Mistakes in the files; scenarios with mistakes are not played.
    pub diagnostics: Vec<Value>,
    /// All that were played.
    pub results: Vec<ScenarioResult>,
}

/// What came of a scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioResult {
    /// What it is called.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The line it begins in, from 1.
    pub line: u32,
    /// Whether it did as written.
    pub ok: bool,
    /// What is different, if it did not.
    pub message: Option<String>,
    /// The line that does not hold.
    pub failed_line: Option<u32>,
}

/// What was played is to be written as a scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordScenario {
    /// What it is called.
    pub name: String,
    /// The file it is added to; `scenarios/recorded.yaml`, if nothing is said.
    #[serde(default)]
    pub file: Option<String>,
    /// Events that listings of a new file leave out.
    #[serde(default)]
    pub ignore: Vec<String>,
}

/// A scenario that was written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedScenario {
    /// What it is called.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The line it begins in, from 1.
    pub line: u32,
    /// All of the file.
    pub text: String,
}
