//! Read-only queries.

use intermezzo_engine::Viewer;
use intermezzo_protocol::{Code, Problem, WireVersion, json};

use super::outgoing::OutgoingItem;
use super::{MatchActor, StepError};
use crate::connections::frame_text;
use crate::match_task::fold::MatchState;
use crate::match_task::request::{MatchQuery, MatchRequest, QueryRequest};
use crate::problem_mapping;

impl MatchActor {
    /// Answers a query from the end of the log.
    pub(super) async fn answer_query(&mut self, request: QueryRequest) -> Result<(), StepError> {
        if let Err(error) = self.catch_up_with_peers().await {
            self.unsaved_requests.push(MatchRequest::Query(Box::new(request)));
            return Err(error);
        }
        let (name, viewer, query) = (self.name.clone(), request.viewer, request.query.clone());
        let result = match self.compute(move |state| query_result(&name, state, viewer, &query)).await {
            Ok(result) => result,
            Err(error) => {
                self.unsaved_requests.push(MatchRequest::Query(Box::new(request)));
                return Err(error);
            }
        };
        self.enqueue(OutgoingItem::QueryResult(request, result));
        Ok(())
    }
}

fn query_result(
    name: &str,
    state: &mut MatchState,
    viewer: Viewer,
    query: &MatchQuery,
) -> Result<String, Problem> {
    let mut text = String::new();
    match query {
        MatchQuery::View => {
            let version = state.session.version(viewer);
            let hash = frame_text::view_hash(state, viewer, WireVersion::V1);
            let view = state.session.view(viewer);
            text.push_str(&format!("{{\"version\":{version},\"hash\":\"{hash}\",\"view\":"));
            json::write(view, &mut text);
            text.push('}');
        }
        MatchQuery::Prompts => {
            let prompts = frame_text::prompt_frames(name, state, viewer, WireVersion::V1);
            prompts.first().iter().for_each(|prompts| text.push_str(prompts));
        }
        MatchQuery::Actions => {
            let Viewer::Seat(seat) = viewer else {
                return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
            };
            let actions = state.session.actions(seat);
            let actions = actions.map_err(|refusal| {
                problem_mapping::refusal_problem(&mut state.session, Some(seat), &refusal)
            })?;
            let version = state.session.version(viewer);
            text.push_str(&format!("{{\"branchId\":{version},\"actions\":"));
            json::write(&actions, &mut text);
            text.push('}');
        }
        MatchQuery::Path { input, so_far } => {
            let Viewer::Seat(seat) = viewer else {
                return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
            };
            let next = state.session.next_path_options(seat, *input, so_far);
            let next = next.map_err(|refusal| {
                problem_mapping::refusal_problem(&mut state.session, Some(seat), &refusal)
            })?;
            json::write(&next, &mut text);
        }
    }
    Ok(text)
}
