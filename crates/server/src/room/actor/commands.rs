//! Commands: what somebody would like to do becomes a row, or is refused.

use axum::extract::ws::Utf8Bytes;
use intermezzo_desk::Entry;
use intermezzo_engine::{Blank, Datum, Letter, Viewer};
use intermezzo_protocol::{Code, Problem, json};
use intermezzo_ruleset::Seat;

use super::releasing::Release;
use super::{Actor, Halt};
use crate::refusing;
use crate::room::ask::{Ask, Command, Reply, Wish};
use crate::room::fold::{Sender, Written};
use crate::room::hub::Moderated;
use crate::room::loading;
use crate::room::record::command_digest;
use crate::room::row::Step;
use crate::room::wishes::{self, Deed};

/// A command that is refused is tried so often again because others have gone on meanwhile.
const MAX_TRIES: u32 = 20;

impl Actor {
    /// Does what a command says, or refuses it. Refusals hold for the match as it is at the end of its log.
    pub(super) async fn command(&mut self, command: Command) -> Result<(), Halt> {
        for _ in 0..MAX_TRIES {
            let done = match self.try_command(&command).await {
                Ok(outcome) if outcome.is_ok() || planted!(RefusesByOldState) => Ok((outcome, false)),
                Ok(outcome) => self.catch_up_with_others().await.map(|has_moved_on| (outcome, has_moved_on)),
                Err(halt) => Err(halt),
            };
            self.along.clear();
            match done {
                Ok((_, true)) => {}
                Ok((outcome, false)) => {
                    self.reply(command, outcome);
                    return Ok(());
                }
                Err(halt) => {
                    self.lost.push(Ask::Command(Box::new(command)));
                    return Err(halt);
                }
            }
        }
        self.reply(command, Err(Problem::new(Code::Busy, "too much is going on in this match; try again")));
        Ok(())
    }

    async fn try_command(&mut self, command: &Command) -> Result<Result<u64, Problem>, Halt> {
        let key = command_key(command);
        let Some(room) = &mut self.room else { return Err(Halt::Lost) };
        let sender = Sender { account: command.account, command: key, content: command.wish.digest() };
        if let Some(led) = room.outcome_of(key) {
            let reused = || Problem::new(Code::CommandReused, "that id was used for another command");
            return Ok((led.content == sender.content).then_some(led.version).ok_or_else(reused));
        }
        let outcome = match wishes::deed(room, command) {
            Ok(deed) => {
                self.put_on_record(command);
                self.carry_out(sender, deed, command.seat).await?
            }
            Err(problem) => Err(problem),
        };
        Ok(outcome.map(|()| self.version_for(command)))
    }

    async fn carry_out(
        &mut self,
        sender: Sender,
        deed: Deed,
        seat: Option<Seat>,
    ) -> Result<Result<(), Problem>, Halt> {
        match deed {
            Deed::Entry(entry) => self.take(sender, &entry, seat).await,
            Deed::Note(step) => {
                self.note(sender, step).await?;
                self.ask_again();
                Ok(Ok(()))
            }
        }
    }

    /// What a moderator does is kept with the row it leads to.
    fn put_on_record(&mut self, command: &Command) {
        let (Wish::Control(control), Some(room)) = (&command.wish, &self.room) else { return };
        if wishes::is_moderation(control) {
            let (at, row) = (self.hub.store.now(), room.version + 1);
            let moderated = Moderated { at, account: command.account, match_id: self.id, row, control };
            self.along = self.hub.books.moderated(moderated);
            tracing::info!(target: "moderation", r#match = %self.id, ?control, "a moderator acts");
        }
    }

    fn version_for(&self, command: &Command) -> u64 {
        let viewer = command.seat.map_or(Viewer::Spectator, Viewer::Seat);
        self.room.as_ref().map_or(0, |room| room.desk.version(viewer))
    }

    fn reply(&mut self, command: Command, outcome: Result<u64, Problem>) {
        let release = match (&command.reply, &outcome) {
            (Reply::Message(_), Ok(_)) => return,
            (Reply::Message(_), Err(problem)) => {
                let frames = self.complaint(command.seat, problem);
                Release::Complaint(Box::new(command), frames)
            }
            _ => Release::Outcome(Box::new(command), outcome),
        };
        self.release(release);
    }

    /// A problem in the ruleset's own words.
    fn complaint(&mut self, seat: Option<Seat>, problem: &Problem) -> Vec<Utf8Bytes> {
        let (Some(room), Some(seat)) = (&mut self.room, seat) else { return Vec::new() };
        let letters = room.desk.error_letters(seat);
        letters.iter().map(|letter| self.fill(letter, Some(problem))).collect()
    }

    /// A letter with what only the server knows.
    pub(super) fn fill(&self, letter: &Letter, problem: Option<&Problem>) -> Utf8Bytes {
        let name = |seat: Seat| self.opening.as_ref()?.names.get(usize::from(seat.0)).map(Datum::text);
        let deadline = |input| self.room.as_ref()?.clocks.deadline(input).map(Datum::Int);
        let filled = letter.filled(|blank| match blank {
            Blank::PlayerName(seat) => seat.and_then(name).unwrap_or(Datum::Null),
            Blank::Deadline(input) => deadline(input).unwrap_or(Datum::Null),
            Blank::MatchId => Datum::text(&self.name),
            Blank::Code => problem.map_or(Datum::Null, |problem| Datum::text(problem.code.name())),
            Blank::Reason => problem.map_or(Datum::Null, |problem| Datum::text(&problem.detail)),
        });
        let mut text = String::new();
        json::write(&filled, &mut text);
        text.into()
    }

    /// Takes an entry: its row is on its way to the store, and everyone is told once it is kept.
    pub(super) async fn take(
        &mut self,
        sender: Sender,
        entry: &Entry,
        seat: Option<Seat>,
    ) -> Result<Result<(), Problem>, Halt> {
        let needs_past = self.room.as_ref().is_some_and(|room| room.desk.needs_past(entry));
        let past = match needs_past {
            true => {
                self.settle().await?;
                let until = self.room.as_ref().map_or(0, |room| room.version);
                match loading::past(&self.hub.store, self.id, until).await {
                    Ok(past) => Some(past),
                    Err(problem) => return Ok(Err(problem)),
                }
            }
            false => None,
        };
        let at = self.hub.store.now();
        let Some(room) = &mut self.room else { return Err(Halt::Lost) };
        match room.take(at, sender, entry, past.as_deref()) {
            Ok(Written { row, taken }) => {
                self.keep(row).await?;
                self.tell(&taken);
                Ok(Ok(()))
            }
            Err(refusal) => Ok(Err(refusing::problem(&mut room.desk, seat, &refusal))),
        }
    }

    /// Writes a row that does not touch the match itself.
    pub(super) async fn note(&mut self, sender: Sender, step: Step) -> Result<(), Halt> {
        let at = self.hub.store.now();
        let Some(room) = &mut self.room else { return Err(Halt::Lost) };
        let row = room.note(at, sender, step);
        self.keep(row).await
    }
}

/// Stands for a command id, so that the same command is known again.
fn command_key(command: &Command) -> u64 {
    command_digest(command.account, command.seat.map(|seat| seat.0), &command.id)
}
