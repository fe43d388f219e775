//! Mapping of session refusals to problems.

use intermezzo_engine::{Refusal, Rejection, Viewer};
use intermezzo_program::Seat;
use intermezzo_protocol::{Code, Problem};
use intermezzo_session::{Session, SessionRefusal};
use serde_json::Value;

/// Returns the problem for a rejected command: the reason, and what would be legal.
pub(crate) fn refusal_problem(
    session: &mut Session,
    seat: Option<Seat>,
    refusal: &SessionRefusal,
) -> Problem {
    let code = code_of(refusal);
    let mut problem = Problem::new(code, refusal.to_string()).with("reason", refusal.name());
    if let Some(seat) = seat {
        let viewer = Viewer::Seat(seat);
        problem = problem.with("branchId", session.version(viewer));
        if code == Code::Illegal {
            let prompts = session.prompts(viewer).get("prompts").map(intermezzo_matchfile::to_json);
            problem = problem.with("legal", prompts.unwrap_or(Value::Null));
        }
    }
    if let SessionRefusal::Refused(Refusal::Faulted(fault)) = refusal {
        problem = problem.with("fault", fault.code.name());
    }
    problem
}

fn code_of(refusal: &SessionRefusal) -> Code {
    match refusal {
        SessionRefusal::Refused(Refusal::Faulted(_)) => Code::RuleFailed,
        SessionRefusal::Refused(Refusal::Rejected(rejection)) => match rejection {
            Rejection::MatchOver | Rejection::InputClosed { .. } | Rejection::SeatGone { .. } => Code::Closed,
            Rejection::NoSuchInput { .. } => Code::NotFound,
            Rejection::NotYourInput { .. } => Code::NotAllowed,
            _ => Code::Illegal,
        },
        _ => match refusal.name() {
            "stale" => Code::Stale,
            "match_over" => Code::Closed,
            _ => Code::Illegal,
        },
    }
}
