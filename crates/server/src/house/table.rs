//! Whether a match can be played as wanted, and for what: by trying to begin it.

use std::sync::Arc;

use intermezzo_engine::{Log, Match, Seed, Setup, StartError};
use intermezzo_protocol::resources::StakeInfo;
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::{Program, RoutineId};
use serde_json::{Map, Value};

use super::{House, datum, invalid};

/// The most bytes of options.
const MAX_OPTIONS: usize = 64 << 10;

impl House {
    /// Checks seats and options against the rules.
    pub(crate) async fn try_setup(
        &self,
        program: &Arc<Program>,
        seats: u8,
        options: &Map<String, Value>,
    ) -> Result<Match, Problem> {
        let size = serde_json::to_vec(options).map_or(0, |text| text.len());
        if size > MAX_OPTIONS {
            return Err(Problem::new(Code::TooLarge, format!("options have at most {MAX_OPTIONS} bytes")));
        }
        let options = datum::fields(options).ok_or_else(|| invalid("options have whole numbers only"))?;
        let setup = Setup { seats, options, seed: Seed([0; 32]), script: None };
        let program = Arc::clone(program);
        let begun = self.compiling_thread(move || Match::start(program, &setup, &mut Log::default())).await?;
        begun.map_err(|error| cannot_start(&error))
    }

    /// What each seat pays.
    pub(crate) fn stake(&self, begun: &Match, seats: u8) -> Result<StakeInfo, Problem> {
        let Some(stakes) = &begun.program().stakes else {
            return Err(invalid("the ruleset does not say what it could be played for"));
        };
        let (entry, pot) = (number(begun, stakes.entry)?, number(begun, stakes.pot)?);
        if !(1..=1_000_000_000).contains(&entry) {
            return Err(invalid(format!("an entry of {entry} is not something to play for")));
        }
        if pot != entry * i64::from(seats) {
            return Err(invalid(format!("the pot of {pot} is not what {seats} seats pay")));
        }
        Ok(StakeInfo { currency: stakes.currency.clone(), entry })
    }
}

fn number(begun: &Match, routine: RoutineId) -> Result<i64, Problem> {
    let value = begun.evaluate(routine, &[]);
    let (value, _) = value.map_err(|fault| Problem::new(Code::RuleFailed, fault.to_string()))?;
    Ok(value)
}

fn cannot_start(error: &StartError) -> Problem {
    let code = match error {
        StartError::Fault(_) | StartError::BadProgram { .. } => Code::RuleFailed,
        _ => Code::Invalid,
    };
    Problem::new(code, error.to_string())
}
