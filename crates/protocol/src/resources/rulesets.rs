//! Rulesets that are published.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A ruleset to be published.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PublishRuleset {
    /// Text of each file by its path. The rules are the `.yaml`, `.yml` and `.json` files that are in no folder; others
    /// are only kept.
    pub files: BTreeMap<String, String>,
}

/// A published version of a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetInfo {
    /// Names the game; belongs to whoever published it first.
    pub id: String,
    /// As its author counts.
    pub version: String,
    /// For people.
    pub name: String,
    /// What it is about, in a sentence.
    pub description: String,
    /// Names exactly these rules, in hexadecimal digits.
    pub hash: String,
    /// How many can play.
    pub seats: SeatRange,
    /// What can be set for each match.
    pub options: Vec<OptionInfo>,
    /// What is played for, if it can be played for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// What the ruleset tells clients about showing it: its section `ui`, as it was written.
    #[serde(default)]
    pub ui: Map<String, Value>,
    /// Nothing is hidden from anybody.
    pub open_information: bool,
    /// Came with the server.
    pub bundled: bool,
    /// The account that published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// When.
    pub published_ms: i64,
}

/// How many can play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeatRange {
    /// At least.
    pub min: u8,
    /// At most.
    pub max: u8,
    /// Unless told otherwise.
    pub usual: u8,
}

/// Something that can be set for each match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptionInfo {
    /// Its name.
    pub name: String,
    /// Its value unless told otherwise.
    pub default: Value,
    /// Least value of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Greatest value of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// It may be null.
    pub nullable: bool,
}
