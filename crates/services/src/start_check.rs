//! Checks of match settings by a trial start.

use std::sync::Arc;

use intermezzo_engine::{EventLog, Match, Seed, Setup, StartError};
use intermezzo_program::{Program, RoutineId};
use intermezzo_protocol::resources::StakeInfo;
use intermezzo_protocol::{Code, Problem};
use serde_json::{Map, Value};

use super::fair_queue::Requester;
use super::json_values;
use super::{Services, invalid};

/// Maximum size of the options in bytes.
const MAX_OPTIONS: usize = 64 << 10;

impl Services {
    /// Starts a match with these seats and options, to check them against the rules.
    pub async fn trial_start(
        &self,
        requester: &Requester,
        program: &Arc<Program>,
        seats: u8,
        options: &Map<String, Value>,
    ) -> Result<Match, Problem> {
        let size = serde_json::to_vec(options).map_or(0, |text| text.len());
        if size > MAX_OPTIONS {
            return Err(Problem::new(
                Code::TooLarge,
                format!("options can have at most {MAX_OPTIONS} bytes"),
            ));
        }
        let options = json_values::engine_values(options)
            .ok_or_else(|| invalid("numbers in options must be integers"))?;
        let setup = Setup { seats, options, seed: Seed([0; 32]), script: None };
        let program = Arc::clone(program);
        let trial = self
            .run_trial(requester, move || Match::start(program, &setup, &mut EventLog::default()))
            .await?;
        trial.map_err(|error| cannot_start(&error))
    }

    /// Returns the stake that each seat pays.
    pub fn stake_info(&self, trial: &Match, seats: u8) -> Result<StakeInfo, Problem> {
        let Some(stakes) = &trial.program().stakes else {
            return Err(invalid("the ruleset defines no stakes"));
        };
        let (entry, pot) = (evaluate_number(trial, stakes.entry)?, evaluate_number(trial, stakes.pot)?);
        if !(1..=1_000_000_000).contains(&entry) {
            return Err(invalid(format!("the entry fee must be between 1 and 1000000000, not {entry}")));
        }
        if pot != entry * i64::from(seats) {
            return Err(invalid(format!("the pot of {pot} is not the sum of {seats} entry fees")));
        }
        Ok(StakeInfo { currency: stakes.currency.clone(), entry })
    }
}

/// Evaluates a number of the ruleset; [`NULL`](intermezzo_program::NULL) for none.
pub(crate) fn evaluate_number(trial: &Match, routine: RoutineId) -> Result<i64, Problem> {
    let value = trial.evaluate(routine, &[]);
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
