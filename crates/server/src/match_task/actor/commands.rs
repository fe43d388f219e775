//! Commands: each becomes a row or is rejected.

use std::sync::Arc;

use intermezzo_engine::{CustomMessage, Datum, Input, Placeholder, Viewer};
use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_program::Seat;
use intermezzo_protocol::{Code, Problem, json};
use intermezzo_session::{MAX_RECORDED_EVENTS, SessionEntry};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::compute::AppliedEntry;
use super::outgoing::OutgoingItem;
use super::{MatchActor, StepError};
use crate::match_task::fold::{CommandSender, MatchState};
use crate::match_task::load;
use crate::match_task::registry::ModeratorAction;
use crate::match_task::request::{CommandBody, CommandReply, MatchCommand, MatchRequest};
use crate::match_task::resolve;
use crate::match_task::row::RowKind;
use crate::match_task::row_info::command_digest;

/// Retries of a rejected command because other servers have written rows in the meantime.
const MAX_ATTEMPTS: u32 = 20;

impl MatchActor {
    /// Carries out a command or rejects it. A rejection is always based on the end of the log.
    pub(super) async fn handle_command(&mut self, command: MatchCommand) -> Result<(), StepError> {
        let command = Arc::new(command);
        for _ in 0..MAX_ATTEMPTS {
            if command.is_abandoned() {
                return Ok(());
            }
            let outcome = match self.try_command(&command).await {
                Ok(outcome) if outcome.is_ok() || is_active(FailPoint::RefuseFromStaleState) => {
                    Ok((outcome, false))
                }
                Ok(outcome) => self.catch_up_with_peers().await.map(|has_moved_on| (outcome, has_moved_on)),
                Err(error) => Err(error),
            };
            self.extra_puts.clear();
            match outcome {
                Ok((_, true)) => {}
                Ok((outcome, false)) => {
                    return match Arc::into_inner(command) {
                        Some(command) => self.reply(command, outcome).await,
                        None => Ok(()),
                    };
                }
                Err(error) => {
                    let command =
                        Arc::into_inner(command).map(|command| MatchRequest::Command(Box::new(command)));
                    self.unsaved_requests.extend(command);
                    return Err(error);
                }
            }
        }
        match Arc::into_inner(command) {
            Some(command) => {
                let busy = Problem::new(Code::Busy, "the match is too busy; try again");
                self.reply(command, Err(busy)).await
            }
            None => Ok(()),
        }
    }

    async fn try_command(&mut self, command: &Arc<MatchCommand>) -> Result<Result<u64, Problem>, StepError> {
        let key = command_key(command);
        let Some(state) = &mut self.state else { return Err(StepError::Reload) };
        let sender = CommandSender { account: command.account, command: key, content: command.body.digest() };
        if let Some(earlier) = state.outcome_of(key) {
            let reused = || Problem::new(Code::CommandReused, "this id was already used for another command");
            return Ok((earlier.content == sender.content).then_some(earlier.version).ok_or_else(reused));
        }
        let resolving = Arc::clone(command);
        let outcome = match self.compute(move |state| resolve::resolve_command(state, &resolving)).await? {
            Ok(resolved) => {
                self.log_moderation(command);
                let answered = match &resolved {
                    RowKind::Entry(SessionEntry::Input(Input::Answer { input, .. })) => Some(input.0),
                    _ => None,
                };
                let outcome = self.execute(sender, resolved, command.seat).await?;
                if let (Ok(()), Some(question), CommandReply::Message(outbox)) =
                    (&outcome, answered, &command.reply)
                {
                    outbox.note_answer(question);
                }
                outcome
            }
            Err(problem) => Err(problem),
        };
        Ok(outcome.map(|()| self.version_for(command)))
    }

    async fn execute(
        &mut self,
        sender: CommandSender,
        resolved: RowKind,
        seat: Option<Seat>,
    ) -> Result<Result<(), Problem>, StepError> {
        match resolved {
            RowKind::Entry(entry) => self.apply_entry(sender, &entry, seat).await,
            kind => {
                Box::pin(self.append_control_row(sender, kind)).await?;
                Box::pin(self.resend_prompts()).await?;
                Ok(Ok(()))
            }
        }
    }

    /// Queues the record of a moderator's action, to be written with the row it leads to.
    fn log_moderation(&mut self, command: &MatchCommand) {
        let (CommandBody::Control(control), Some(state)) = (&command.body, &self.state) else { return };
        if resolve::is_moderation(control) {
            let (at, row) = (self.registry.store.now(), state.version + 1);
            let action = ModeratorAction { at, account: command.account, match_id: self.id, row, control };
            self.extra_puts = self.registry.records.moderation_puts(action);
            tracing::info!(target: "moderation", r#match = %self.id, ?control, "a moderator acts");
        }
    }

    fn version_for(&self, command: &MatchCommand) -> u64 {
        let viewer = command.seat.map_or(Viewer::Spectator, Viewer::Seat);
        self.state.as_ref().map_or(0, |state| state.session.version(viewer))
    }

    async fn reply(&mut self, command: MatchCommand, outcome: Result<u64, Problem>) -> Result<(), StepError> {
        let item = match (&command.reply, &outcome) {
            (CommandReply::Message(_), Ok(_)) => return Ok(()),
            (CommandReply::Message(_), Err(problem)) => {
                let frames = match Box::pin(self.error_messages(command.seat, problem)).await {
                    Ok(frames) => frames,
                    Err(error) => {
                        self.unsaved_requests.push(MatchRequest::Command(Box::new(command)));
                        return Err(error);
                    }
                };
                OutgoingItem::CustomError(Box::new(command), frames)
            }
            _ => OutgoingItem::Outcome(Box::new(command), outcome),
        };
        self.enqueue(item);
        Ok(())
    }

    /// Renders a problem as the ruleset's error messages.
    async fn error_messages(
        &mut self,
        seat: Option<Seat>,
        problem: &Problem,
    ) -> Result<Vec<Utf8Bytes>, StepError> {
        let Some(seat) = seat else { return Ok(Vec::new()) };
        let messages = self.compute(move |state| state.session.error_messages(seat)).await?;
        Ok(messages.iter().map(|message| self.render_message(message, Some(problem))).collect())
    }

    /// Renders a custom message with the values that only the server knows.
    pub(super) fn render_message(&self, message: &CustomMessage, problem: Option<&Problem>) -> Utf8Bytes {
        let name = |seat: Seat| self.details.as_ref()?.names.get(usize::from(seat.0)).map(Datum::text);
        let deadline = |input| self.state.as_ref()?.clocks.deadline(input).map(Datum::Int);
        let filled = message.render(|blank| match blank {
            Placeholder::PlayerName(seat) => seat.and_then(name).unwrap_or(Datum::Null),
            Placeholder::Deadline(input) => deadline(input).unwrap_or(Datum::Null),
            Placeholder::MatchId => Datum::text(&self.name),
            Placeholder::Code => problem.map_or(Datum::Null, |problem| Datum::text(problem.code.name())),
            Placeholder::Reason => problem.map_or(Datum::Null, |problem| Datum::text(&problem.detail)),
        });
        let mut text = String::new();
        json::write(&filled, &mut text);
        text.into()
    }

    /// Applies an entry and starts the commit of its row. Followers receive it once the row is durable.
    pub(super) async fn apply_entry(
        &mut self,
        sender: CommandSender,
        entry: &SessionEntry,
        seat: Option<Seat>,
    ) -> Result<Result<(), Problem>, StepError> {
        let needs_past = self.state.as_ref().is_some_and(|state| state.session.needs_history(entry));
        let past = match needs_past {
            true if self.state.as_ref().is_some_and(|state| is_too_long_for_undo(state)) => {
                return Ok(Err(Problem::new(Code::TooLarge, "the match is too long to undo anything")));
            }
            true => {
                self.wait_for_commits().await?;
                let until = self.state.as_ref().map_or(0, |state| state.version);
                match Box::pin(load::read_entries(&self.registry.store, self.id, until)).await {
                    Ok(past) => Some(past),
                    Err(problem) => return Ok(Err(problem)),
                }
            }
            false => None,
        };
        let at = self.registry.store.now();
        match self.compute_entry(at, sender, entry, past, seat).await? {
            Ok(AppliedEntry { row, update, frames }) => {
                self.write_row(row).await?;
                self.publish_frames(&update, &frames);
                Ok(Ok(()))
            }
            Err(problem) => Ok(Err(problem)),
        }
    }

    /// Appends a row that does not change the game itself.
    pub(super) async fn append_control_row(
        &mut self,
        sender: CommandSender,
        kind: RowKind,
    ) -> Result<(), StepError> {
        let at = self.registry.store.now();
        let row = self.compute(move |state| state.append_control_row(at, sender, kind)).await?;
        self.write_row(row).await
    }
}

/// Returns true if replaying the whole match would take too much memory.
fn is_too_long_for_undo(state: &MatchState) -> bool {
    state.session.game().event_count() as usize > MAX_RECORDED_EVENTS
}

/// Returns the digest by which a repeated command is recognized.
fn command_key(command: &MatchCommand) -> u64 {
    command_digest(command.account, command.seat.map(|seat| seat.0), &command.id)
}
