//! Looking at a match without touching it.

use intermezzo_engine::Viewer;
use intermezzo_protocol::{Code, Problem, json};

use super::releasing::Release;
use super::{Actor, Halt};
use crate::room::ask::{Ask, Look, Looking};
use crate::{refusing, wire};

impl Actor {
    /// Shows somebody something, as it is at the end of the log.
    pub(super) async fn look(&mut self, looking: Looking) -> Result<(), Halt> {
        if let Err(halt) = self.catch_up_with_others().await {
            self.lost.push(Ask::Look(looking));
            return Err(halt);
        }
        let seen = self.seen(looking.viewer, &looking.look);
        self.release(Release::Seen(looking, seen));
        Ok(())
    }

    fn seen(&mut self, viewer: Viewer, look: &Look) -> Result<String, Problem> {
        let Some(room) = &mut self.room else { return Err(Problem::not_found("match")) };
        let mut text = String::new();
        match look {
            Look::View => {
                let version = room.desk.version(viewer);
                let view = room.desk.view(viewer);
                let hash = wire::hash(view);
                text.push_str(&format!("{{\"version\":{version},\"hash\":\"{hash}\",\"view\":"));
                json::write(view, &mut text);
                text.push('}');
            }
            Look::Prompts => {
                let [asked, _] = wire::questions(&self.name, room, viewer);
                text.push_str(&asked);
            }
            Look::Actions => {
                let Viewer::Seat(seat) = viewer else {
                    return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
                };
                let actions = room.desk.actions(seat);
                let actions =
                    actions.map_err(|refusal| refusing::problem(&mut room.desk, Some(seat), &refusal))?;
                let version = room.desk.version(viewer);
                text.push_str(&format!("{{\"branchId\":{version},\"actions\":"));
                json::write(&actions, &mut text);
                text.push('}');
            }
            Look::Path { input, so_far } => {
                let Viewer::Seat(seat) = viewer else {
                    return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
                };
                let next = room.desk.what_follows(seat, *input, so_far);
                let next = next.map_err(|refusal| refusing::problem(&mut room.desk, Some(seat), &refusal))?;
                json::write(&next, &mut text);
            }
        }
        Ok(text)
    }
}
