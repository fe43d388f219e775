//! Connections that follow a match.

use std::collections::BTreeSet;

use axum::extract::ws::Utf8Bytes;
use intermezzo_desk::{Entry, Taken};
use intermezzo_engine::{Input, LeaveCause, Viewer};
use intermezzo_protocol::{Code, Problem, json};
use intermezzo_ruleset::Seat;

use super::releasing::Release;
use super::{Actor, Halt};
use crate::outbox::Farewell;
use crate::room::ask::{Ask, Follower};
use crate::room::fold::{Room, Sender};
use crate::room::loading;
use crate::room::row::Step;
use crate::wire;

impl Actor {
    /// Tells everyone who follows what a row has brought.
    pub(super) fn tell(&mut self, taken: &Taken) {
        let Some(room) = &mut self.room else { return };
        let mut releases = Vec::new();
        for shown in &taken.shown {
            let mut frames = None;
            let is_meant =
                |follower: &&Follower| follower.viewer == shown.viewer && !follower.speaks_messages;
            for follower in self.followers.iter().filter(is_meant) {
                let frames = frames.get_or_insert_with(|| wire::update(&self.name, room, shown, true));
                releases.extend(
                    frames.iter().map(|frame| Release::Frame(follower.outbox.clone(), frame.clone())),
                );
            }
        }
        releases.extend(taken.letters.iter().flat_map(|letter| self.to_readers(letter)));
        releases.into_iter().for_each(|release| self.release(release));
    }

    /// Someone who speaks the ruleset's own messages sits down.
    fn introduce(&mut self, follower: &Follower) -> Result<(), Halt> {
        let Some(room) = &mut self.room else { return Err(Halt::Lost) };
        room.desk.write_letters(true);
        let mut letters = room.desk.opening_letters();
        for question in room.questions() {
            letters.extend(room.desk.question_letters(question.input));
        }
        letters.retain(|letter| Viewer::Seat(letter.to) == follower.viewer);
        letters.iter().for_each(|letter| follower.outbox.send(self.fill(letter, None)));
        Ok(())
    }

    pub(super) async fn follow(&mut self, follower: Follower) -> Result<(), Halt> {
        // What is sent now has to be what the store has.
        let is_up_to_date = match self.settle().await {
            Ok(()) => self.catch_up_with_others().await.map(drop),
            Err(halt) => Err(halt),
        };
        if let Err(halt) = is_up_to_date {
            self.lost.push(Ask::Follow(Box::new(follower)));
            return Err(halt);
        }
        if follower.viewer == Viewer::Spectator && self.spectators() >= self.hub.max_spectators {
            let problem = Problem::new(Code::TooMany, "too many look on at this match already");
            follower.outbox.send(wire::error(None, &problem));
            return Ok(());
        }
        let is_welcome = match follower.speaks_messages {
            true => self.introduce(&follower).map(|()| true)?,
            false => self.welcome(&follower).await?,
        };
        if !is_welcome {
            // What came next would have a gap before it.
            follower.outbox.end(Farewell::ComeAgain);
            return Ok(());
        }
        self.followers.retain(|known| known.outbox.id != follower.outbox.id);
        let returned = follower.present().filter(|seat| self.is_replaced(*seat));
        self.followers.push(follower);
        if self.news_of_presence().is_none() {
            self.tell_presence();
        }
        match returned {
            Some(seat) => self.note(Sender::default(), self.hub.connected(seat)).await,
            None => self.keep_presence().await,
        }
    }

    /// Whether a bot plays on for a seat. It does so until its player connects again.
    fn is_replaced(&self, seat: Seat) -> bool {
        self.room.as_ref().is_some_and(|room| room.clocks.is_replaced(seat))
    }

    /// Writes down who is connected and who is not any more, where that matters and is not known yet.
    pub(super) async fn keep_presence(&mut self) -> Result<(), Halt> {
        if self.hub.is_draining() {
            return Ok(());
        }
        // Once for each seat: what is still news then is seen to after whatever else is asked.
        let seats = self.room.as_ref().map_or(0, |room| room.terms.setup.seats);
        for _ in 0..seats {
            let Some(step) = self.news_of_presence() else { break };
            self.note(Sender::default(), step).await?;
            self.tell_presence();
        }
        Ok(())
    }

    /// Somebody of whom the rows say something else: a connection that they do not know of, or one that is lost with the
    /// server that had it, or with an earlier task of this match.
    fn news_of_presence(&self) -> Option<Step> {
        let room = self.room.as_ref()?;
        let mut seats = (0..room.terms.setup.seats).map(Seat).filter(|seat| room.waits_for(*seat));
        seats.find_map(|seat| match (room.clocks.node_of(seat), self.is_here(seat)) {
            (None, true) if !room.clocks.is_replaced(seat) => Some(self.hub.connected(seat)),
            (Some((node, since)), false) if self.hub.has_lost(node, since) => Some(Step::Lost(seat.0)),
            _ => None,
        })
    }

    fn is_here(&self, seat: Seat) -> bool {
        self.followers.iter().any(|follower| follower.present() == Some(seat))
    }

    /// Sends what a connection needs to go on from; false if that cannot be read.
    async fn welcome(&mut self, follower: &Follower) -> Result<bool, Halt> {
        let missed = match self.missed(follower).await {
            Ok(missed) => missed,
            Err(problem) => {
                follower.outbox.send(wire::error(None, &problem));
                return Ok(false);
            }
        };
        let Some(room) = &mut self.room else { return Err(Halt::Lost) };
        follower.outbox.send(welcome(room, follower.viewer, &follower.greeting, missed.is_none()));
        missed.unwrap_or_default().into_iter().for_each(|frame| follower.outbox.send(frame));
        let mut asked = follower.viewer;
        if planted!(AsksForOthers) && follower.since.is_some() {
            asked = Viewer::Seat(Seat(0));
        }
        for frame in wire::questions(&self.name, room, asked) {
            follower.outbox.send(frame);
        }
        Ok(true)
    }

    /// The frames a connection has missed since the version it has; nothing if the whole view has to be sent.
    async fn missed(&mut self, follower: &Follower) -> Result<Option<Vec<Utf8Bytes>>, Problem> {
        let (Some(room), Some(since)) = (&self.room, follower.since) else { return Ok(None) };
        let version = room.desk.version(follower.viewer);
        if since == 0 || since > version {
            return Ok(None);
        }
        let mut frames = Vec::new();
        if since < version {
            let (store, terms) = (&self.hub.store, room.terms.clone());
            loading::relive(store, self.id, terms, follower.viewer, room.version, |room, _, shown| {
                if shown.version > since || planted!(RepeatsTheLast) && shown.version == since {
                    frames.extend(wire::update(&self.name, room, shown, false));
                }
            })
            .await?;
        }
        Ok(Some(frames))
    }

    fn spectators(&self) -> usize {
        self.followers.iter().filter(|follower| follower.viewer == Viewer::Spectator).count()
    }

    pub(super) async fn unfollow(&mut self, connection: u64) -> Result<(), Halt> {
        let Some(place) = self.followers.iter().position(|follower| follower.outbox.id == connection) else {
            return Ok(());
        };
        let Some(seat) = self.followers.swap_remove(place).present() else { return Ok(()) };
        if self.is_here(seat) || self.hub.is_draining() {
            return Ok(());
        }
        let is_left = |room: &&Room| room.terms.clock.grace == Some(0) && room.waits_for(seat);
        if let Some(room) = self.room.as_ref().filter(is_left) {
            let (neighbours, node) = (&self.hub.neighbours, room.clocks.node_of(seat));
            let Some(neighbours) = neighbours else { return self.leave(seat).await };
            if node.is_some_and(|(node, _)| node == neighbours.own) {
                self.note(Sender::default(), Step::HungUp(seat.0)).await?;
            }
            self.tell_presence();
            return Ok(());
        }
        if self.news_of_presence().is_none() {
            self.tell_presence();
        }
        self.keep_presence().await
    }

    /// A seat whose player is not waited for is left at once.
    async fn leave(&mut self, seat: Seat) -> Result<(), Halt> {
        self.tell_presence();
        if self.takeover().is_some() {
            return self.note(Sender::default(), Step::Replaced(seat.0)).await;
        }
        let leave = Entry::Input(Input::Leave { seat, cause: LeaveCause::Disconnect });
        self.take(Sender::default(), &leave, None).await.map(drop)
    }

    pub(super) fn tell_presence(&mut self) {
        let here = self.followers.iter().filter_map(Follower::present).map(|seat| seat.0);
        let elsewhere = self.room.iter().flat_map(|room| {
            let is_elsewhere = |seat: &u8| {
                room.clocks.node_of(Seat(*seat)).is_some_and(|(node, since)| !self.hub.has_lost(node, since))
            };
            (0..room.terms.setup.seats).filter(is_elsewhere)
        });
        let seats: BTreeSet<u8> = here.chain(elsewhere).collect();
        let seats: Vec<u8> = seats.into_iter().collect();
        let frame = wire::presence(&self.name, &seats);
        let followers = self.followers.iter().filter(|follower| !follower.speaks_messages);
        followers.for_each(|follower| follower.outbox.send(frame.clone()));
    }
}

/// The greeting, with the match as a viewer sees it.
pub(crate) fn welcome(room: &mut Room, viewer: Viewer, greeting: &str, with_view: bool) -> String {
    let version = room.desk.version(viewer);
    let view = room.desk.view(viewer);
    let mut text = greeting.to_owned();
    text.push_str(&format!(",\"version\":{version},\"hash\":\""));
    text.push_str(&wire::hash(view));
    text.push('"');
    if with_view {
        text.push_str(",\"view\":");
        json::write(view, &mut text);
    }
    text.push_str("}}");
    text
}
