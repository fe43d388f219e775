//! What changes a match besides actions and answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::resources::object::each;

/// What changes a match besides actions and answers.
///
/// Kinds that need nothing more are empty objects, not units: only then are unknown fields refused.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Control {
    /// Gives up.
    Concede {},
    /// Takes back the last answer; the others are asked where that is needed.
    Undo {},
    /// Agrees or not that another takes back.
    Consent {
        /// Yes or no.
        agree: bool,
    },
    /// Passes by itself from now on, or no longer.
    AutoPass {
        /// For how long.
        until: Until,
        /// Not while something is on the stack that others put there.
        #[serde(default)]
        stops: bool,
    },
    /// Answers to the next questions, in place of what was sent ahead before.
    Ahead {
        /// The answers, in order.
        #[serde(deserialize_with = "each")]
        answers: Vec<Ahead>,
    },
    /// Tells the lessons of the ruleset's tutorial from now on.
    Teach {},
    /// A moderator removes a player.
    Kick {
        /// Which.
        seat: u8,
        /// Why, for the record.
        #[serde(default)]
        reason: String,
    },
    /// A moderator ends the match.
    Moderate {
        /// Who wins.
        #[serde(default)]
        winners: Vec<u8>,
        /// What becomes of the pot.
        pot: Pot,
        /// Why, for the record.
        #[serde(default)]
        reason: String,
    },
    /// A moderator stops the match for a while, with its clocks.
    Pause {
        /// Why, for the record.
        #[serde(default)]
        reason: String,
    },
    /// A moderator lets it go on.
    Resume {
        /// Why, for the record.
        #[serde(default)]
        reason: String,
    },
}

/// An answer to a question that may come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ahead {
    /// The name of the question it is meant for; any, if there is none.
    #[serde(default)]
    pub question: Option<String>,
    /// As for answers.
    pub answer: Value,
}

/// For how long a seat passes by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// No longer.
    Off,
    /// Until the turn is over.
    Turn,
    /// Until it is called off.
    Always,
}

/// What becomes of a pot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pot {
    /// The winners get it.
    Winners,
    /// All get the same.
    Split,
    /// Nobody gets it.
    Burn,
    /// Everyone gets back what they paid.
    Refund,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kind_takes_a_field_it_does_not_know() {
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
            let more = control.replace('}', r#","rumour":1}"#);
            assert!(serde_json::from_str::<Control>(&more).is_err(), "{more}");
        }
    }
}
