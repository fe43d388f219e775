//! Published rulesets.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The request to publish or check a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PublishRuleset {
    /// Text of each file, by path. The `.yaml`, `.yml` and `.json` files outside subfolders are the rules, the `.svg` and
    /// `.webp` files in `assets/` its pictures, `.webp` as Base64. Other files are only stored.
    pub files: BTreeMap<String, String>,
}

/// A published version of a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesetInfo {
    /// Id of the ruleset; belongs to the account that published it first.
    pub id: String,
    /// Version given by its author.
    pub version: String,
    /// Display name.
    pub name: String,
    /// Description in one sentence.
    pub description: String,
    /// Hash of the rules, in hexadecimal digits.
    pub hash: String,
    /// Possible numbers of players.
    pub seats: SeatRange,
    /// Options that can be set for each match.
    pub options: Vec<OptionInfo>,
    /// Name of the currency, if the ruleset has a stake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The ruleset's `ui` section without `art` and `layout`: display hints for clients.
    #[serde(default)]
    pub ui: Map<String, Value>,
    /// True if nothing is hidden from any viewer.
    pub open_information: bool,
    /// True if the ruleset comes with the server.
    pub bundled: bool,
    /// Path of its cover on the server, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover: Option<String>,
    /// The account that published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// When it was published.
    pub published_ms: i64,
}

/// Possible numbers of players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeatRange {
    /// Minimum.
    pub min: u8,
    /// Maximum.
    pub max: u8,
    /// Default.
    #[serde(rename = "usual")]
    pub default: u8,
}

/// An option of a ruleset.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptionInfo {
    /// Name of the option.
    pub name: String,
    /// Default value.
    pub default: Value,
    /// Minimum of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Maximum of a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// True if the value may be null.
    pub nullable: bool,
}
