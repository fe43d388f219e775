//! Time: what runs out, and who is told how much of it there is.

use std::time::Duration;

use intermezzo_desk::Entry;
use intermezzo_engine::{Blank, Content, Input, LeaveCause, Letter, Viewer};

use super::releasing::Release;
use super::{Actor, Halt};
use crate::room::ask::Follower;
use crate::room::clocks::Expiry;
use crate::room::fold::Sender;
use crate::room::row::Step;
use crate::wire;

/// What any server could do is left so long to the one that is first.
const COURTESY: Duration = Duration::from_millis(750);
/// A server that others do not count on looks so often whether they do again.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Actor {
    /// How long what any server could do is left to others.
    pub(super) fn courtesy(&self) -> Duration {
        let is_first = match &self.hub.neighbours {
            Some(neighbours) => self.is_last_writer || neighbours.is_first(self.id, self.hub.store.now()),
            None => true,
        };
        if is_first { Duration::ZERO } else { COURTESY }
    }

    /// Whether this server may say that something has run out. One that others do not count on may not know that time
    /// stood still.
    fn may_judge(&self) -> bool {
        let now = self.hub.store.now();
        self.hub.neighbours.as_ref().is_none_or(|neighbours| neighbours.is_counted_on(now))
    }

    pub(super) fn due_in(&self) -> Option<Duration> {
        let room = self.room.as_ref()?;
        let (due, _) = room.clocks.next(&room.terms.clock)?;
        let ms = u64::try_from(due - self.hub.store.now()).unwrap_or(0);
        let due_in = Duration::from_millis(ms) + self.courtesy();
        Some(if self.may_judge() { due_in } else { due_in.max(LOOK_AGAIN) })
    }

    /// Takes what has run out, one after the other.
    pub(super) async fn run_out(&mut self) -> Result<(), Halt> {
        while let Some(room) = self.room.as_ref().filter(|_| self.may_judge()) {
            let now = self.hub.store.now();
            let next = room.clocks.next(&room.terms.clock).filter(|(due, _)| *due <= now);
            let Some((_, expiry)) = next else { return Ok(()) };
            self.expire(expiry).await?;
        }
        Ok(())
    }

    async fn expire(&mut self, expiry: Expiry) -> Result<(), Halt> {
        let timeout = |input| Entry::Input(Input::Timeout { input });
        let leave = |seat, cause| Entry::Input(Input::Leave { seat, cause });
        let takeover = self.takeover();
        let tries = match expiry {
            Expiry::Bank(seat, _) | Expiry::Grace(seat) if takeover.is_some() => {
                return self.note(Sender::default(), Step::Replaced(seat.0)).await;
            }
            Expiry::Question(input) => vec![timeout(input)],
            Expiry::Bank(seat, input) => vec![timeout(input), leave(seat, LeaveCause::OutOfTime)],
            Expiry::Grace(seat) => vec![leave(seat, LeaveCause::Disconnect)],
        };
        let mut last = None;
        for entry in &tries {
            match self.take(Sender::default(), entry, None).await? {
                Ok(()) => return Ok(()),
                Err(problem) => last = Some(problem),
            }
        }
        // The rules do not know what to do now: somebody has to look at it.
        let reason = last.map_or_else(String::new, |problem| problem.to_string());
        tracing::error!(r#match = %self.id, %reason, "a match is paused: its clock ran out, and nothing follows");
        self.note(Sender::default(), Step::Paused(reason)).await?;
        self.ask_again();
        Ok(())
    }

    /// The clocks have been stopped or set going: everyone is told anew how much time there is.
    pub(super) fn ask_again(&mut self) {
        let Some(room) = &mut self.room else { return };
        let followers = self.followers.iter().filter(|follower| !follower.speaks_messages);
        let frames = followers.flat_map(|follower| {
            let frames = wire::questions(&self.name, room, follower.viewer);
            frames.map(|frame| Release::Frame(follower.outbox.clone(), frame))
        });
        let mut frames: Vec<Release> = frames.collect();
        frames.extend(self.deadline_letters());
        frames.into_iter().for_each(|frame| self.release(frame));
    }

    /// What those who speak the ruleset's own messages are told anew when the clocks go on: the messages that came with
    /// their questions, where these tell the time.
    fn deadline_letters(&mut self) -> Vec<Release> {
        let is_read = self.followers.iter().any(|follower| follower.speaks_messages);
        let Some(room) = self.room.as_mut().filter(|room| is_read && !room.clocks.is_paused()) else {
            return Vec::new();
        };
        let mut letters = Vec::new();
        for question in room.questions() {
            letters.extend(room.desk.question_letters(question.input));
        }
        let tells_time = |letter: &Letter| {
            let is_time = |content: &Content| matches!(content, Content::Blank(Blank::Deadline(_)));
            letter.fields.iter().any(|(_, content)| is_time(content))
        };
        letters.retain(tells_time);
        letters.iter().flat_map(|letter| self.to_readers(letter)).collect()
    }

    /// A letter on its way to those who read it.
    pub(super) fn to_readers(&self, letter: &Letter) -> Vec<Release> {
        let is_meant =
            |follower: &&Follower| follower.viewer == Viewer::Seat(letter.to) && follower.speaks_messages;
        let readers = self.followers.iter().filter(is_meant);
        readers.map(|reader| Release::Frame(reader.outbox.clone(), self.fill(letter, None))).collect()
    }
}
