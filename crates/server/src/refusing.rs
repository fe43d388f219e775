//! Refusals of a desk as the problems clients get.

use intermezzo_desk::{Desk, DeskRefusal};
use intermezzo_engine::{Refusal, Rejection, Viewer};
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::Seat;
use serde_json::Value;

/// What a seat is told whose command was refused: why, and what would be legal.
pub(crate) fn problem(desk: &mut Desk, seat: Option<Seat>, refusal: &DeskRefusal) -> Problem {
    let code = code_of(refusal);
    let mut problem = Problem::new(code, refusal.to_string()).with("reason", refusal.name());
    if let Some(seat) = seat {
        let viewer = Viewer::Seat(seat);
        problem = problem.with("branchId", desk.version(viewer));
        if code == Code::Illegal {
            let prompts = desk.prompts(viewer).get("prompts").map(intermezzo_journal::to_json);
            problem = problem.with("legal", prompts.unwrap_or(Value::Null));
        }
    }
    if let DeskRefusal::Refused(Refusal::Faulted(fault)) = refusal {
        problem = problem.with("fault", fault.code.name());
    }
    problem
}

fn code_of(refusal: &DeskRefusal) -> Code {
    match refusal {
        DeskRefusal::Refused(Refusal::Faulted(_)) => Code::RuleFailed,
        DeskRefusal::Refused(Refusal::Rejected(rejection)) => match rejection {
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
