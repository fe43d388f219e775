//! Connections that follow a match.

use std::collections::BTreeSet;

use intermezzo_engine::{Input, LeaveCause, Viewer};
use intermezzo_fail_points::{FailPoint, is_active};
use intermezzo_program::Seat;
use intermezzo_protocol::{Code, Problem, WireVersion, json};
use intermezzo_session::{SessionEntry, SessionUpdate, ViewerUpdate};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::compute::ReaderFrames;
use super::outgoing::OutgoingItem;
use super::{MatchActor, StepError};
use crate::connections::frame_text;
use crate::connections::outbox::CloseReason;
use crate::match_task::fold::{CommandSender, MatchState};
use crate::match_task::load;
use crate::match_task::request::{MatchFollower, MatchRequest};
use crate::match_task::row::RowKind;

impl MatchActor {
    /// Sends the effects of a row to all followers, whose frames are rendered already.
    pub(super) fn publish_frames(&mut self, update: &SessionUpdate, frames: &[ReaderFrames]) {
        let mut items = Vec::new();
        for ReaderFrames { reader, version, frames } in frames {
            self.recent.push(*reader, *version, &frames.step);
            let is_meant = |follower: &&MatchFollower| {
                follower.frame_reader() == *reader && !follower.uses_custom_messages
            };
            for follower in self.followers.iter().filter(is_meant) {
                let all = frames.step.iter().chain(&frames.prompts);
                items.extend(all.map(|frame| OutgoingItem::Frame(follower.outbox.clone(), frame.clone())));
            }
        }
        items.extend(update.custom_messages.iter().flat_map(|message| self.message_items(message)));
        items.into_iter().for_each(|item| self.enqueue(item));
    }

    /// Sends the opening messages and the current prompts to a connection that uses custom messages.
    async fn send_opening_messages(&mut self, follower: &MatchFollower) -> Result<(), StepError> {
        let opening = self.compute(|state| {
            state.session.enable_custom_messages(true);
            let mut messages = state.session.start_messages();
            messages.extend(state.question_messages());
            messages
        });
        let mut messages = opening.await?;
        messages.retain(|message| Viewer::Seat(message.to) == follower.viewer);
        messages.iter().for_each(|message| self.message_item(&follower.outbox, message).deliver());
        Ok(())
    }

    pub(super) async fn add_follower(&mut self, follower: MatchFollower) -> Result<(), StepError> {
        if follower.outbox.is_closed() {
            return Ok(());
        }
        // Only durable state may be sent.
        let is_up_to_date = match self.wait_for_commits().await {
            Ok(()) => self.catch_up_with_peers().await.map(drop),
            Err(error) => Err(error),
        };
        if let Err(error) = is_up_to_date {
            self.unsaved_requests.push(MatchRequest::Follow(Box::new(follower)));
            return Err(error);
        }
        if follower.viewer == Viewer::Spectator && self.spectator_count() >= self.registry.max_spectators {
            let problem = Problem::new(Code::TooMany, "this match has too many spectators");
            follower.outbox.send(frame_text::error(None, &problem));
            return Ok(());
        }
        let welcoming = match follower.uses_custom_messages {
            true => self.send_opening_messages(&follower).await.map(|()| true),
            false => self.send_welcome(&follower).await,
        };
        let was_welcomed = match welcoming {
            Ok(was_welcomed) => was_welcomed,
            Err(error) => {
                self.unsaved_requests.push(MatchRequest::Follow(Box::new(follower)));
                return Err(error);
            }
        };
        if !was_welcomed {
            // Later updates would leave a gap.
            follower.outbox.close(CloseReason::Reconnect);
            return Ok(());
        }
        self.followers.retain(|known| known.outbox.id != follower.outbox.id);
        let returned = follower.present_seat().filter(|seat| self.is_replaced(*seat));
        if !follower.uses_custom_messages {
            self.recent.note_connected(follower.frame_reader());
        }
        // The greeting was part of the welcome.
        self.followers.push(MatchFollower { greeting: String::new(), ..follower });
        if self.presence_change().is_none() {
            self.publish_presence();
        }
        match returned {
            Some(seat) => {
                self.append_control_row(CommandSender::default(), self.registry.connected_row(seat)).await
            }
            None => self.record_presence().await,
        }
    }

    /// Returns true if a bot plays for the seat, which lasts until its player connects again.
    fn is_replaced(&self, seat: Seat) -> bool {
        self.state.as_ref().is_some_and(|state| state.clocks.is_replaced(seat))
    }

    /// Writes changes of presence to the log, where they matter.
    pub(super) async fn record_presence(&mut self) -> Result<(), StepError> {
        if self.registry.is_draining() {
            return Ok(());
        }
        // At most one row per seat; further changes are written after the next request.
        let seats = self.state.as_ref().map_or(0, |state| state.config.setup.seats);
        for _ in 0..seats {
            let Some(step) = self.presence_change() else { break };
            Box::pin(self.append_control_row(CommandSender::default(), step)).await?;
            self.publish_presence();
        }
        Ok(())
    }

    /// Returns a row for a seat whose presence differs from the log: a connection that the log does not know,
    /// or one that was lost with its server or with an earlier task of this match.
    fn presence_change(&self) -> Option<RowKind> {
        let state = self.state.as_ref()?;
        let mut seats =
            (0..state.config.setup.seats).map(Seat).filter(|seat| state.expects_connection(*seat));
        seats.find_map(|seat| match (state.clocks.node_of(seat), self.is_connected_here(seat)) {
            (None, true) if !state.clocks.is_replaced(seat) => Some(self.registry.connected_row(seat)),
            (Some((node, since)), false) if self.registry.has_lost(node, since) => {
                Some(RowKind::Lost(seat.0))
            }
            _ => None,
        })
    }

    fn is_connected_here(&self, seat: Seat) -> bool {
        self.followers.iter().any(|follower| follower.present_seat() == Some(seat))
    }

    /// Sends everything that a connection needs to start from. Returns false if that cannot be read.
    async fn send_welcome(&mut self, follower: &MatchFollower) -> Result<bool, StepError> {
        let missed = match self.missed_frames(follower).await {
            Ok(missed) => missed,
            Err(problem) => {
                follower.outbox.send(frame_text::error(None, &problem));
                return Ok(false);
            }
        };
        let mut prompts_of = follower.viewer;
        if is_active(FailPoint::SendOtherSeatsPrompt) && follower.since.is_some() {
            prompts_of = Viewer::Seat(Seat(0));
        }
        let (viewer, wire) = follower.frame_reader();
        let (greeting, name) = (follower.greeting.clone(), self.name.clone());
        let with_view = missed.is_none();
        let rendering = self.compute(move |state| {
            let welcome = welcome_frame(state, viewer, &greeting, with_view, wire);
            (welcome, frame_text::prompt_frames(&name, state, prompts_of, wire))
        });
        let (welcome, prompts) = rendering.await?;
        follower.outbox.send(welcome);
        missed.unwrap_or_default().into_iter().for_each(|frame| follower.outbox.send(frame));
        prompts.into_iter().for_each(|frame| follower.outbox.send(frame));
        Ok(true)
    }

    /// Returns the frames that a connection has missed since its version; `None` if it needs the whole view.
    async fn missed_frames(&mut self, follower: &MatchFollower) -> Result<Option<Vec<Utf8Bytes>>, Problem> {
        let (Some(state), Some(since)) = (&self.state, follower.since) else { return Ok(None) };
        let version = state.session.version(follower.viewer);
        if since == 0 || since > version {
            return Ok(None);
        }
        if since == version {
            return Ok(Some(Vec::new()));
        }
        let reader = follower.frame_reader();
        if let Some(missed) = self.recent.since(reader, since, version) {
            return Ok(Some(missed));
        }
        let (config, until) = (state.config.clone(), state.version);
        let (name, wire) = (self.name.clone(), follower.wire);
        let render = move |state: &mut MatchState, update: &ViewerUpdate| {
            frame_text::update(&name, state, update, wire).step
        };
        let (pool, owner) = (self.registry.match_pool.clone(), self.owner());
        let wanted = load::MissedUpdates { id: self.id, config, viewer: follower.viewer, since, until };
        load::replay_from_snapshot(&self.registry.store, &pool, owner, wanted, render).await
    }

    fn spectator_count(&self) -> usize {
        self.followers.iter().filter(|follower| follower.viewer == Viewer::Spectator).count()
    }

    pub(super) async fn remove_follower(&mut self, connection: u64) -> Result<(), StepError> {
        let Some(place) = self.followers.iter().position(|follower| follower.outbox.id == connection) else {
            return Ok(());
        };
        let follower = self.followers.swap_remove(place);
        if !follower.uses_custom_messages {
            self.recent.note_connected(follower.frame_reader());
        }
        let Some(seat) = follower.present_seat() else { return Ok(()) };
        if self.is_connected_here(seat) || self.registry.is_draining() {
            return Ok(());
        }
        let is_left =
            |state: &&MatchState| state.config.clock.grace == Some(0) && state.expects_connection(seat);
        if let Some(state) = self.state.as_deref().filter(is_left) {
            let (peers, node) = (&self.registry.peers, state.clocks.node_of(seat));
            let Some(peers) = peers else {
                return match self.registry.is_just_back() {
                    true => self.append_control_row(CommandSender::default(), RowKind::Lost(seat.0)).await,
                    false => self.drop_seat(seat).await,
                };
            };
            if node.is_some_and(|(node, _)| node == peers.own) {
                self.append_control_row(CommandSender::default(), RowKind::HungUp(seat.0)).await?;
            }
            self.publish_presence();
            return Ok(());
        }
        if self.presence_change().is_none() {
            self.publish_presence();
        }
        self.record_presence().await
    }

    /// Drops a seat without grace period at once.
    async fn drop_seat(&mut self, seat: Seat) -> Result<(), StepError> {
        self.publish_presence();
        if self.takeover().is_some() {
            return self.append_control_row(CommandSender::default(), RowKind::Replaced(seat.0)).await;
        }
        let leave = SessionEntry::Input(Input::Leave { seat, cause: LeaveCause::Disconnect });
        self.apply_entry(CommandSender::default(), &leave, None).await.map(drop)
    }

    pub(super) fn publish_presence(&mut self) {
        let here = self.followers.iter().filter_map(MatchFollower::present_seat).map(|seat| seat.0);
        let elsewhere = self.state.iter().flat_map(|state| {
            let is_elsewhere = |seat: &u8| {
                state
                    .clocks
                    .node_of(Seat(*seat))
                    .is_some_and(|(node, since)| !self.registry.has_lost(node, since))
            };
            (0..state.config.setup.seats).filter(is_elsewhere)
        });
        let seats: BTreeSet<u8> = here.chain(elsewhere).collect();
        let seats: Vec<u8> = seats.into_iter().collect();
        let frame = frame_text::presence(&self.name, &seats);
        let followers = self.followers.iter().filter(|follower| !follower.uses_custom_messages);
        followers.for_each(|follower| follower.outbox.send(frame.clone()));
    }
}

/// Returns the `welcome` frame, with the match as the viewer sees it.
pub(crate) fn welcome_frame(
    state: &mut MatchState,
    viewer: Viewer,
    greeting: &str,
    with_view: bool,
    wire: WireVersion,
) -> String {
    let version = state.session.version(viewer);
    let hash = frame_text::view_hash(state, viewer, wire);
    let view = state.session.view(viewer);
    let mut text = greeting.to_owned();
    text.push_str(&format!(",\"version\":{version},\"hash\":\""));
    text.push_str(&hash);
    text.push('"');
    if with_view {
        text.push_str(",\"view\":");
        json::write(view, &mut text);
    }
    text.push_str("}}");
    text
}
