//! Deadlines, time banks and grace periods.

use std::time::Duration;

use intermezzo_engine::{CustomMessage, Input, LeaveCause, MessageContent, Placeholder, Viewer};
use intermezzo_program::{MessageDirection, MessageTrigger, native};
use intermezzo_session::SessionEntry;

use super::outgoing::OutgoingItem;
use super::pending_rows::ABANDONED_MS;
use super::{MatchActor, StepError};
use crate::cluster::heartbeat;
use crate::connections::frame_text;
use crate::connections::outbox::Outbox;
use crate::match_task::clocks::Expiry;
use crate::match_task::fold::{CommandSender, MatchState};
use crate::match_task::request::MatchFollower;
use crate::match_task::row::RowKind;

/// Head start of the preferred server for actions that any server could take.
const PEER_HEAD_START: Duration = Duration::from_millis(750);
/// Interval at which an untrusted server checks its heartbeat again.
const TRUST_RECHECK: Duration = Duration::from_millis(250);

impl MatchActor {
    /// Returns the delay before this server takes an action that any server could take.
    pub(super) fn peer_delay(&self) -> Duration {
        let is_first = match &self.registry.peers {
            Some(peers) => self.is_last_writer || peers.is_preferred(self.id, self.registry.store.now()),
            None => true,
        };
        if is_first { Duration::ZERO } else { PEER_HEAD_START }
    }

    /// Returns true if this server may expire deadlines. One that was away may not know yet that the clocks were
    /// stopped during a downtime.
    fn may_expire(&self) -> bool {
        self.registry.is_trusted_alive()
    }

    pub(super) fn due_in(&self) -> Option<Duration> {
        let due = match (&self.state, &self.frozen) {
            (Some(state), _) => state.clocks.next_expiry(&state.config.clock)?.0,
            (None, frozen) => frozen.as_ref()?.next_expiry?,
        };
        let ms = u64::try_from(due - self.registry.store.now()).unwrap_or(0);
        let due_in = Duration::from_millis(ms) + self.peer_delay();
        let is_soon = due_in < TRUST_RECHECK;
        Some(if is_soon && !self.may_expire() { TRUST_RECHECK } else { due_in })
    }

    /// Expires all due deadlines, one after the other. First finds out whether the server was away: that time is
    /// charged to nobody.
    pub(super) async fn expire_due(&mut self) -> Result<(), StepError> {
        let now = self.registry.store.now();
        let is_due = |state: &MatchState| {
            state.clocks.next_expiry(&state.config.clock).is_some_and(|(due, _)| due <= now)
        };
        if !self.state.as_deref().is_some_and(is_due) && !self.is_abandoned(now) {
            return Ok(());
        }
        // Another match may have found a downtime in the meantime, of which this one does not know yet.
        let may_be_early = !self.may_expire() || !self.knows_downtimes();
        if may_be_early && self.state.as_deref().is_some_and(is_due) {
            Box::pin(heartbeat::ensure_fresh(&self.registry)).await;
            self.wait_for_commits().await?;
            self.ensure_loaded().await.map_err(|_| StepError::Reload)?;
        }
        while let Some(state) = self.state.as_ref().filter(|_| self.may_expire() && self.knows_downtimes()) {
            let now = self.registry.store.now();
            let next = state.clocks.next_expiry(&state.config.clock).filter(|(due, _)| *due <= now);
            let Some((_, expiry)) = next else {
                return match self.is_abandoned(now) {
                    true => Box::pin(self.end_abandoned()).await,
                    false => Ok(()),
                };
            };
            Box::pin(self.expire(expiry)).await?;
        }
        Ok(())
    }

    /// Returns true if the player of a match against bots has left it alone for long.
    fn is_abandoned(&self, now: i64) -> bool {
        let is_silent = |state: &MatchState| {
            state.config.clock.is_untimed
                && state.written_at + ABANDONED_MS <= now
                && !state.session.game().is_over()
        };
        self.followers.is_empty() && self.state.as_deref().is_some_and(is_silent)
    }

    /// Ends an abandoned match. It counts for nothing.
    async fn end_abandoned(&mut self) -> Result<(), StepError> {
        tracing::info!(r#match = %self.id, "a match that nobody plays any more ends");
        let end = Input::Moderate { winners: Vec::new(), pot: native::POT_REFUND };
        self.apply_entry(CommandSender::default(), &SessionEntry::Input(end), None).await.map(drop)
    }

    async fn expire(&mut self, expiry: Expiry) -> Result<(), StepError> {
        let timeout = |input| SessionEntry::Input(Input::Timeout { input });
        let leave = |seat, cause| SessionEntry::Input(Input::Leave { seat, cause });
        let takeover = self.takeover();
        let attempts = match expiry {
            Expiry::Bank(seat, _) | Expiry::Grace(seat) if takeover.is_some() => {
                return self.append_control_row(CommandSender::default(), RowKind::Replaced(seat.0)).await;
            }
            Expiry::Question(input) => vec![timeout(input)],
            Expiry::Bank(seat, input) => vec![timeout(input), leave(seat, LeaveCause::OutOfTime)],
            Expiry::Grace(seat) => vec![leave(seat, LeaveCause::Disconnect)],
        };
        let mut last = None;
        for entry in &attempts {
            match self.apply_entry(CommandSender::default(), entry, None).await? {
                Ok(()) => return Ok(()),
                Err(problem) => last = Some(problem),
            }
        }
        // The rules accept nothing here: an operator must look at it.
        let reason = last.map_or_else(String::new, |problem| problem.to_string());
        tracing::error!(r#match = %self.id, %reason, "a match is paused: a deadline expired and the rules accept no timeout");
        self.append_control_row(CommandSender::default(), RowKind::Paused(reason)).await?;
        self.resend_prompts().await
    }

    /// Sends the prompts again after the clocks were stopped or resumed.
    pub(super) async fn resend_prompts(&mut self) -> Result<(), StepError> {
        let (name, readers) = (self.name.clone(), self.connected_readers());
        let rendering = self.compute(move |state| {
            let rendered = readers.into_iter().map(|reader| {
                let (viewer, wire) = reader;
                (reader, frame_text::prompt_frames(&name, state, viewer, wire))
            });
            rendered.collect::<Vec<_>>()
        });
        let rendered = rendering.await?;
        let followers = self.followers.iter().filter(|follower| !follower.uses_custom_messages);
        let frames = followers.flat_map(|follower| {
            let own = rendered.iter().filter(|(reader, _)| *reader == follower.frame_reader());
            let own = own.flat_map(|(_, frames)| frames.clone());
            own.map(|frame| OutgoingItem::Frame(follower.outbox.clone(), frame))
        });
        let mut frames: Vec<OutgoingItem> = frames.collect();
        frames.extend(self.deadline_messages().await?);
        frames.into_iter().for_each(|frame| self.enqueue(frame));
        Ok(())
    }

    /// Returns the custom messages of open prompts that contain a deadline, to send them again when the
    /// clocks resume.
    async fn deadline_messages(&mut self) -> Result<Vec<OutgoingItem>, StepError> {
        let is_read = self.followers.iter().any(|follower| follower.uses_custom_messages);
        if !is_read || self.state.as_ref().is_none_or(|state| state.clocks.is_paused()) {
            return Ok(Vec::new());
        }
        let mut messages = self.compute(MatchState::question_messages).await?;
        let tells_time = |message: &CustomMessage| {
            let is_time = |content: &MessageContent| {
                matches!(content, MessageContent::Placeholder(Placeholder::Deadline(_)))
            };
            message.fields.iter().any(|(_, content)| is_time(content))
        };
        messages.retain(tells_time);
        Ok(messages.iter().flat_map(|message| self.message_items(message)).collect())
    }

    /// Addresses a custom message to the connections of its seat.
    pub(super) fn message_items(&self, message: &CustomMessage) -> Vec<OutgoingItem> {
        let is_meant = |follower: &&MatchFollower| {
            follower.viewer == Viewer::Seat(message.to) && follower.uses_custom_messages
        };
        let readers = self.followers.iter().filter(is_meant);
        readers.map(|reader| self.message_item(&reader.outbox, message)).collect()
    }

    /// Addresses a custom message to a connection.
    pub(super) fn message_item(&self, outbox: &Outbox, message: &CustomMessage) -> OutgoingItem {
        let text = self.render_message(message, None);
        match self.asked_by(message) {
            Some(question) => OutgoingItem::Question(outbox.clone(), text, message.name.clone(), question),
            None => OutgoingItem::Frame(outbox.clone(), text),
        }
    }

    /// Returns the open question that a custom message asks.
    fn asked_by(&self, message: &CustomMessage) -> Option<u32> {
        let game = self.state.as_ref()?.session.game();
        let MessageDirection::Out { trigger: MessageTrigger::Asked(question), .. } =
            &game.program().message_named(&message.name)?.direction
        else {
            return None;
        };
        let mut open = game.pending().filter(|pending| pending.seat() == message.to);
        open.find(|pending| pending.choice().name == *question).map(|pending| pending.id().0)
    }
}
