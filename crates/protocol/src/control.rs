//! Changes to a match other than actions and answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resources::object::object_list_field;

/// Changes to a match other than actions and answers.
///
/// Kinds without fields are empty structs, not unit variants: serde rejects unknown fields only in structs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Control {
    /// Concedes the match.
    Concede {},
    /// Undoes the last answer. The other players are asked for consent if that is needed.
    Undo {},
    /// Agrees to another player's undo, or declines it.
    Consent {
        /// True to agree.
        agree: bool,
    },
    /// Turns auto-pass on or off.
    AutoPass {
        /// Duration of auto-pass.
        until: AutoPassUntil,
        /// Pause auto-pass while something another player put there is on the stack.
        #[serde(default)]
        stops: bool,
    },
    /// Sets the answers to the next questions in advance, replacing earlier ones.
    Ahead {
        /// The answers, in order.
        #[serde(deserialize_with = "object_list_field")]
        answers: Vec<PreSentAnswer>,
    },
    /// Starts the ruleset's tutorial.
    Teach {},
    /// Removes a player; for moderators.
    Kick {
        /// The seat.
        seat: u8,
        /// The reason, for the record.
        #[serde(default)]
        reason: String,
    },
    /// Ends the match; for moderators.
    Moderate {
        /// The seats that win.
        #[serde(default)]
        winners: Vec<u8>,
        /// Distribution of the pot.
        pot: PotDistribution,
        /// The reason, for the record.
        #[serde(default)]
        reason: String,
    },
    /// Pauses the match and its clocks; for moderators.
    Pause {
        /// The reason, for the record.
        #[serde(default)]
        reason: String,
    },
    /// Resumes a paused match; for moderators.
    Resume {
        /// The reason, for the record.
        #[serde(default)]
        reason: String,
    },
}

/// An answer to a question that has not been asked yet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ahead")]
pub struct PreSentAnswer {
    /// The name of the question it answers; any question if absent.
    #[serde(default)]
    pub question: Option<String>,
    /// The answer, as in `input.submit`.
    pub answer: Value,
}

/// Duration of auto-pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Until")]
pub enum AutoPassUntil {
    /// Auto-pass is off.
    Off,
    /// Until the end of the turn.
    Turn,
    /// Until it is turned off.
    Always,
}

/// Distribution of a pot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Pot")]
pub enum PotDistribution {
    /// To the winners.
    Winners,
    /// In equal shares to all players.
    Split,
    /// To nobody.
    Burn,
    /// Back to everyone who paid.
    Refund,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_rejects_unknown_fields() {
        for control in [
            r#"{"kind":"concede"}"#,
            r#"{"kind":"undo"}"#,
            r#"{"kind":"consent","agree":true}"#,
            r#"{"kind":"auto_pass","until":"turn"}"#,
            r#"{"kind":"ahead","answers":[]}"#,
            r#"{"kind":"teach"}"#,
            r#"{"kind":"kick","seat":1}"#,
            r#"{"kind":"moderate","pot":"burn"}"#,
            r#"{"kind":"pause"}"#,
            r#"{"kind":"resume"}"#,
        ] {
            assert!(serde_json::from_str::<Control>(control).is_ok(), "{control}");
            let more = control.replace('}', r#","unknown":1}"#);
            assert!(serde_json::from_str::<Control>(&more).is_err(), "{more}");
        }
    }
}
