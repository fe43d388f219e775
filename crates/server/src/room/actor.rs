//! The task of one match. Start with [`Actor::run`].
//!
//! It takes one thing after the other. Whatever leaves it (acknowledgements,
//! frames, refusals) waits until every row written before is kept; meanwhile the
//! next thing may be worked on. If a row cannot be kept, the task forgets
//! everything and ends: the store has the truth.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use intermezzo_desk::{Entry, Taken};
use intermezzo_engine::{Blank, Content, Datum, Input, LeaveCause, Letter, Viewer};
use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Problem, json};
use intermezzo_ruleset::{Seat, Takeover};
use intermezzo_store::{Answer, Append, Conflict, Due, MatchId, Outcome, Put, Snapshot, Transaction};
use tokio::sync::mpsc;

use super::ask::{Ask, Command, Follower, Look, Release, Reply, Wish};
use super::bot::Bot;
use super::clocks::Expiry;
use super::fold::{Room, Sender, Written};
use super::hub::{Hub, Moderated, Opening, WAKE_AHEAD_MS};
use super::loading;
use super::record::command_digest;
use super::row::Step;
use super::wishes::{self, Deed};
use crate::outbox::{Farewell, Outbox};
use crate::{refusing, wire};

/// A snapshot is made after so many rows.
const SNAPSHOT_EVERY: u64 = 32;
/// A match that nobody asks anything for so long gives back what it can make again.
const QUIET: Duration = Duration::from_secs(2);
/// One that nobody asks anything for so long is put away.
const IDLE: Duration = Duration::from_secs(60);
/// One that is put away waits to be asked; this only bounds a timer.
const PUT_AWAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The end of a match is tried so often if others change the same records.
const MAX_TRIES: u32 = 50;
/// A bot that finds no legal answer in so many tries gives up.
const MAX_BOT_TRIES: u32 = 20;

/// Not due before another server has taken over: that one wakes everything that is ever due.
const AFTER_ABSENCE: i64 = i64::MAX;

/// Ends the task; what it was about has been told.
struct Stop;

/// A bot on its way to an answer.
type Thinking = (Seat, Pin<Box<dyn Future<Output = (Option<Bot>, Option<Entry>)> + Send>>);

pub(crate) struct Actor {
    id: MatchId,
    name: String,
    hub: Arc<Hub>,
    opening: Option<Opening>,
    room: Option<Room>,
    followers: Vec<Follower>,
    bots: Vec<Option<Bot>>,
    /// A bot that is thinking, and for which seat.
    thinking: Option<Thinking>,
    /// How often in a row bots found no answer that was taken.
    bot_tries: u32,
    /// Rows that are being kept, oldest first, and what leaves when each is.
    under_way: FuturesOrdered<Answer<Outcome>>,
    held_back: VecDeque<Vec<Release>>,
    /// Records that go along with the next row.
    along: Vec<Put>,
    snapshot_at: u64,
    /// When the store will wake this match, if that is known.
    stored_due: Option<Option<i64>>,
}

impl Actor {
    pub(crate) fn new(id: MatchId, hub: Arc<Hub>) -> Actor {
        Actor {
            id,
            name: id.to_string(),
            hub,
            opening: None,
            room: None,
            followers: Vec::new(),
            bots: Vec::new(),
            thinking: None,
            bot_tries: 0,
            under_way: FuturesOrdered::new(),
            held_back: VecDeque::new(),
            along: Vec::new(),
            snapshot_at: 0,
            stored_due: None,
        }
    }

    /// Works until nobody needs it.
    pub(crate) async fn run(mut self, mut mailbox: mpsc::Receiver<Ask>) {
        let mut is_quiet = false;
        loop {
            let due_in = self.due_in();
            let patience = match self.room {
                Some(_) if is_quiet => IDLE,
                Some(_) => QUIET,
                None => PUT_AWAY,
            };
            self.seat_bots();
            let bot_is_asked = self.bot_is_asked();
            let outcome = tokio::select! {
                biased;
                Some(outcome) = self.under_way.next() => self.kept(outcome),
                ask = mailbox.recv() => match ask {
                    Some(ask) => self.answer(ask).await,
                    None => Err(Stop),
                },
                (seat, bot, entry) = thought(&mut self.thinking) => self.bot_answers(seat, bot, entry).await,
                () = std::future::ready(()), if bot_is_asked => {
                    self.let_bot_think();
                    Ok(())
                }
                () = tokio::time::sleep(due_in.unwrap_or(patience).min(patience)) => match due_in {
                    Some(due_in) if due_in < patience => self.run_out().await,
                    _ if is_quiet => self.rest(&mut mailbox).await,
                    _ => {
                        self.room.iter_mut().for_each(|room| room.desk.compact());
                        is_quiet = true;
                        continue;
                    }
                },
            };
            is_quiet = false;
            if outcome.is_err() {
                break;
            }
        }
        self.give_up().await;
    }

    async fn answer(&mut self, ask: Ask) -> Result<(), Stop> {
        let was_awake = self.room.is_some();
        if let Err(problem) = self.wake().await {
            refuse(ask, &problem);
            return Err(Stop);
        }
        if !was_awake {
            self.miss_the_lost().await?;
        }
        // What has run out comes before what arrives later.
        self.run_out().await?;
        match ask {
            Ask::Command(command) => self.command(*command).await,
            Ask::Look { viewer, look, reply } => {
                let answer = self.look(viewer, look);
                self.release(Release::Text(reply, answer));
                Ok(())
            }
            Ask::Follow(follower) => self.follow(*follower).await,
            Ask::Unfollow { connection } => self.unfollow(connection).await,
            Ask::Wake { stored } => self.woken(stored).await,
            Ask::Drain { done } => {
                self.settle().await?;
                let kept = self.put_away().await;
                self.followers.drain(..).for_each(|follower| follower.outbox.end(Farewell::Stopping));
                let _ = done.send(());
                kept.and(Err(Stop))
            }
        }
    }

    // ── waking and resting ──────────────────────────────────────────────────

    /// Makes sure that the room is there.
    async fn wake(&mut self) -> Result<(), Problem> {
        if self.room.is_some() {
            return Ok(());
        }
        let mut opening = match self.opening.take() {
            Some(opening) => opening,
            None => self.hub.books.opening(self.id).await?,
        };
        opening.terms.absences = Arc::clone(&self.hub.absences);
        let mut room = match loading::load(&self.hub.store, self.id, opening.terms.clone()).await? {
            Some(room) => room,
            None => self.begin(&opening).await?,
        };
        room.make_up_for_absences(i64::MAX);
        room.desk.write_letters(self.followers.iter().any(|follower| follower.speaks_messages));
        self.snapshot_at = room.version;
        self.opening = Some(opening);
        self.room = Some(room);
        Ok(())
    }

    /// Those who are said to be connected and are not: a task before this one has failed.
    async fn miss_the_lost(&mut self) -> Result<(), Stop> {
        let Some(room) = &self.room else { return Ok(()) };
        let is_here = |seat: &Seat| self.followers.iter().any(|follower| follower.present() == Some(*seat));
        let seats = (0..room.terms.setup.seats).map(Seat).filter(|seat| room.clocks.is_there(*seat));
        let lost: Vec<Seat> = seats.filter(|seat| !is_here(seat)).collect();
        for seat in lost {
            self.note(Sender::default(), Step::Lost(seat.0)).await?;
        }
        Ok(())
    }

    /// The store says that something is due at `stored`. If that is long past, or not so soon, the store is told when
    /// it really is: what has its time is not woken for nothing again and again.
    async fn woken(&mut self, stored: Option<i64>) -> Result<(), Stop> {
        self.stored_due = self.stored_due.or(stored.map(Some));
        let Some(room) = &self.room else { return Ok(()) };
        let (due, soon) = (wanted_at(room, self.bot_names()), self.hub.store.now() + WAKE_AHEAD_MS);
        if stored.is_none() || self.stored_due == Some(due) || due.is_some_and(|due| due <= soon) {
            return Ok(());
        }
        let due_at = due.map_or(Due::Never, Due::At);
        let append = Append { match_id: self.id, expected: room.version, rows: Vec::new(), due: due_at };
        self.stored_due = Some(due);
        let transaction = Transaction { appends: vec![append], ..Transaction::default() };
        self.under_way.push_back(self.hub.store.commit(transaction));
        self.held_back.push_back(Vec::new());
        Ok(())
    }

    /// Writes the first row.
    async fn begin(&mut self, opening: &Opening) -> Result<Room, Problem> {
        let (room, written) = match Room::begin(opening.terms.clone(), opening.started_at) {
            Ok(begun) => begun,
            Err(error) => {
                self.call_off(&error.to_string()).await?;
                return Err(Problem::new(Code::RuleFailed, format!("the match cannot begin: {error}")));
            }
        };
        let due = wanted_at(&room, &opening.bots);
        let append = Append {
            match_id: self.id,
            expected: 0,
            rows: vec![written.row],
            due: due_change(&mut self.stored_due, due),
        };
        let mut transaction = Transaction { appends: vec![append], ..Transaction::default() };
        if let Some(ending) = ending(&room) {
            transaction.puts = self.hub.books.closing(self.id, ending).await?;
        }
        match self.hub.store.commit(transaction).await {
            Outcome::Committed => Ok(room),
            outcome => {
                tracing::warn!(r#match = %self.id, ?outcome, "the first row was not kept");
                Err(Problem::new(Code::Busy, "the match cannot begin right now"))
            }
        }
    }

    /// A match whose rules fail before the first question never was: everyone gets back what they paid.
    async fn call_off(&mut self, reason: &str) -> Result<(), Problem> {
        tracing::error!(r#match = %self.id, reason, "a match cannot begin");
        let ending = EndingInfo {
            outcome: "failed".to_owned(),
            pot: "refund".to_owned(),
            reason: Some(reason.to_owned()),
            ..EndingInfo::default()
        };
        let puts = self.hub.books.closing(self.id, ending).await?;
        match self.hub.store.commit(Transaction { puts, ..Transaction::default() }).await {
            Outcome::Committed => Ok(()),
            outcome => {
                tracing::warn!(r#match = %self.id, ?outcome, "a match that cannot begin was not called off");
                Err(Problem::new(Code::Busy, "the match cannot be called off right now"))
            }
        }
    }

    /// Nothing has happened for a while: what can be read again is forgotten.
    async fn rest(&mut self, mailbox: &mut mpsc::Receiver<Ask>) -> Result<(), Stop> {
        self.settle().await?;
        self.put_away().await?;
        if self.followers.is_empty() && mailbox.is_empty() {
            return Err(Stop);
        }
        Ok(())
    }

    /// Writes down what makes the next start quick, and forgets the room.
    async fn put_away(&mut self) -> Result<(), Stop> {
        let Some(room) = self.room.take() else { return Ok(()) };
        let due = wanted_at(&room, self.bot_names());
        if room.version == self.snapshot_at && self.stored_due == Some(due) {
            return Ok(());
        }
        let append = Append {
            match_id: self.id,
            expected: room.version,
            rows: Vec::new(),
            due: due.map_or(Due::Never, Due::At),
        };
        let snapshot = Snapshot { match_id: self.id, version: room.version, body: room.snapshot() };
        let transaction = Transaction { appends: vec![append], puts: Vec::new(), snapshots: vec![snapshot] };
        self.stored_due = Some(due);
        self.snapshot_at = room.version;
        match self.hub.store.commit(transaction).await {
            Outcome::Committed => Ok(()),
            _ => Err(Stop),
        }
    }

    /// The task ends before its time, or because nobody needs it: nothing that is not kept may be believed.
    async fn give_up(&mut self) {
        for releases in std::mem::take(&mut self.held_back) {
            releases.into_iter().for_each(retract);
        }
        for follower in self.followers.drain(..) {
            follower.outbox.end(Farewell::ComeAgain);
        }
        // Whoever reads the store next must not miss what is still on its way there.
        while self.under_way.next().await.is_some() {}
    }

    // ── keeping ─────────────────────────────────────────────────────────────

    /// Something leaves as soon as everything before it is kept.
    fn release(&mut self, release: Release) {
        match self.held_back.back_mut() {
            Some(waiting) => waiting.push(release),
            None => release.deliver(),
        }
    }

    fn kept(&mut self, outcome: Outcome) -> Result<(), Stop> {
        let releases = self.held_back.pop_front().unwrap_or_default();
        match outcome {
            Outcome::Committed => {
                releases.into_iter().for_each(Release::deliver);
                Ok(())
            }
            other => {
                tracing::warn!(r#match = %self.id, outcome = ?other, "a row was not kept");
                releases.into_iter().for_each(retract);
                Err(Stop)
            }
        }
    }

    /// Waits until everything is kept.
    async fn settle(&mut self) -> Result<(), Stop> {
        while let Some(outcome) = self.under_way.next().await {
            self.kept(outcome)?;
        }
        Ok(())
    }

    /// Sends a row on its way to the store.
    async fn keep(&mut self, row: Vec<u8>) -> Result<(), Stop> {
        let Some(room) = &self.room else { return Err(Stop) };
        let (version, is_over) = (room.version, room.desk.playing().is_over());
        let wanted_at = wanted_at(room, self.bot_names());
        let due = match is_over {
            true => {
                self.stored_due = Some(None);
                Due::Never
            }
            false => due_change(&mut self.stored_due, wanted_at),
        };
        let mut transaction = Transaction {
            appends: vec![Append { match_id: self.id, expected: version - 1, rows: vec![row], due }],
            puts: std::mem::take(&mut self.along),
            ..Transaction::default()
        };
        if version >= self.snapshot_at + SNAPSHOT_EVERY || is_over {
            self.snapshot_at = version;
            transaction.snapshots.push(Snapshot { match_id: self.id, version, body: room.snapshot() });
        }
        metrics::counter!("intermezzo_rows_total").increment(1);
        if is_over && self.bookable() {
            return self.close(transaction).await;
        }
        transaction.puts.extend(self.hub.signs.along(self.hub.store.now()));
        self.under_way.push_back(self.hub.store.commit(transaction));
        self.held_back.push_back(Vec::new());
        Ok(())
    }

    /// Whether the row that was just written has ended the match.
    fn bookable(&self) -> bool {
        self.room.as_ref().is_some_and(|room| room.desk.playing().is_over())
    }

    /// The last row, with everything the end of the match leads to.
    async fn close(&mut self, mut transaction: Transaction) -> Result<(), Stop> {
        self.settle().await?;
        let Some(ending) = self.room.as_ref().and_then(ending) else { return Err(Stop) };
        let along = std::mem::take(&mut transaction.puts);
        for attempt in 0..MAX_TRIES {
            let Ok(puts) = self.hub.books.closing(self.id, ending.clone()).await else { return Err(Stop) };
            transaction.puts = [&along[..], &puts].concat();
            match self.hub.store.commit(transaction.clone()).await {
                Outcome::Conflict(Conflict::Record { key }) => {
                    tracing::debug!(%key, attempt, "the books have changed meanwhile");
                }
                outcome => {
                    metrics::counter!("intermezzo_ended_matches_total").increment(1);
                    self.under_way.push_back(Box::pin(std::future::ready(outcome)));
                    self.held_back.push_back(Vec::new());
                    return Ok(());
                }
            }
        }
        Err(Stop)
    }

    // ── commands ────────────────────────────────────────────────────────────

    async fn command(&mut self, command: Command) -> Result<(), Stop> {
        let key = command_key(&command);
        let Some(room) = &mut self.room else { return Err(Stop) };
        let sender = Sender { account: command.account, command: key, content: command.wish.digest() };
        if let Some(led) = room.outcome_of(key) {
            let reused = || Problem::new(Code::CommandReused, "that id was used for another command");
            let is_same = led.content == sender.content;
            self.reply(command, is_same.then_some(led.version).ok_or_else(reused));
            return Ok(());
        }
        let deed = wishes::deed(room, &command);
        if deed.is_ok() {
            self.put_on_record(&command);
        }
        let outcome = match deed {
            Ok(Deed::Entry(entry)) => self.take(sender, &entry, command.seat).await?,
            Ok(Deed::Note(step)) => {
                self.note(sender, step).await?;
                self.ask_again();
                Ok(())
            }
            Err(problem) => Err(problem),
        };
        self.along.clear();
        let version = self.version_for(&command);
        self.reply(command, outcome.map(|()| version));
        Ok(())
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
        let release = match command.reply {
            Reply::Frame(outbox) => {
                let frame = match &outcome {
                    Ok(version) => wire::ack(&command.id, *version, None),
                    Err(problem) => wire::error(Some(&command.id), problem),
                };
                Release::Frame(outbox, frame)
            }
            Reply::Message(outbox) => {
                let Err(problem) = outcome else { return };
                return self.complain(command.seat, &outbox, &problem);
            }
            Reply::Call(reply) => Release::Call(reply, outcome),
        };
        self.release(release);
    }

    /// Tells of a problem in the ruleset's own words.
    fn complain(&mut self, seat: Option<Seat>, outbox: &Outbox, problem: &Problem) {
        let (Some(room), Some(seat)) = (&mut self.room, seat) else { return };
        let letters = room.desk.error_letters(seat);
        let frames: Vec<Utf8Bytes> = letters.iter().map(|letter| self.fill(letter, Some(problem))).collect();
        frames.into_iter().for_each(|frame| self.release(Release::Frame(outbox.clone(), frame)));
    }

    /// A letter with what only the server knows.
    fn fill(&self, letter: &Letter, problem: Option<&Problem>) -> Utf8Bytes {
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
    async fn take(
        &mut self,
        sender: Sender,
        entry: &Entry,
        seat: Option<Seat>,
    ) -> Result<Result<(), Problem>, Stop> {
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
        let Some(room) = &mut self.room else { return Err(Stop) };
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
    async fn note(&mut self, sender: Sender, step: Step) -> Result<(), Stop> {
        let at = self.hub.store.now();
        let Some(room) = &mut self.room else { return Err(Stop) };
        let row = room.note(at, sender, step);
        self.keep(row).await
    }

    // ── time ────────────────────────────────────────────────────────────────

    fn due_in(&self) -> Option<Duration> {
        let room = self.room.as_ref()?;
        let (due, _) = room.clocks.next(&room.terms.clock)?;
        let ms = u64::try_from(due - self.hub.store.now()).unwrap_or(0);
        Some(Duration::from_millis(ms))
    }

    /// Takes what has run out, one after the other.
    async fn run_out(&mut self) -> Result<(), Stop> {
        while let Some(room) = &self.room {
            let now = self.hub.store.now();
            let next = room.clocks.next(&room.terms.clock).filter(|(due, _)| *due <= now);
            let Some((_, expiry)) = next else { return Ok(()) };
            self.expire(expiry).await?;
        }
        Ok(())
    }

    async fn expire(&mut self, expiry: Expiry) -> Result<(), Stop> {
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
    fn ask_again(&mut self) {
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
    fn to_readers(&self, letter: &Letter) -> Vec<Release> {
        let is_meant =
            |follower: &&Follower| follower.viewer == Viewer::Seat(letter.to) && follower.speaks_messages;
        let readers = self.followers.iter().filter(is_meant);
        readers.map(|reader| Release::Frame(reader.outbox.clone(), self.fill(letter, None))).collect()
    }

    // ── bots ────────────────────────────────────────────────────────────────

    fn bot_is_asked(&self) -> bool {
        let Some(room) = self.room.as_ref().filter(|room| !room.clocks.is_paused()) else { return false };
        self.thinking.is_none()
            && self.bots.iter().any(Option::is_some)
            && room.desk.playing().pending().any(|asked| self.has_bot(asked.seat()))
    }

    /// By seat, the bots the match began with.
    fn bot_names(&self) -> &[Option<String>] {
        self.opening.as_ref().map_or(&[], |opening| &opening.bots)
    }

    /// The bot that plays on for those whose time is over, if the ruleset has one.
    fn takeover(&self) -> Option<Takeover> {
        self.opening.as_ref()?.terms.program.clock?.takeover
    }

    /// The name of the bot that is to play at a seat now.
    fn wanted_bot(&self, seat: Seat) -> Option<&str> {
        let began = self.bot_names().get(usize::from(seat.0)).and_then(|name| name.as_deref());
        let is_replaced = || self.room.as_ref().is_some_and(|room| room.clocks.is_replaced(seat));
        began.or_else(|| self.takeover().filter(|_| is_replaced()).map(Takeover::name))
    }

    /// Lets bots sit down where they are to play, and stand up where a player has come back.
    fn seat_bots(&mut self) {
        let (Some(room), Some(opening)) = (&self.room, &self.opening) else { return };
        let is_settled = self.bots.len() == usize::from(opening.terms.setup.seats);
        if is_settled && self.takeover().is_none() {
            return;
        }
        let seed = u64::from_le_bytes(opening.terms.setup.seed.0[..8].try_into().unwrap_or_default());
        let (version, seats) = (room.version, opening.terms.setup.seats);
        self.bots.resize_with(usize::from(seats), || None);
        for seat in (0..seats).map(Seat) {
            let is_busy = self.thinking.as_ref().is_some_and(|(thinks, _)| *thinks == seat);
            let wanted = self.wanted_bot(seat).filter(|_| !is_busy).map(str::to_owned);
            let place = &mut self.bots[usize::from(seat.0)];
            match (wanted, &place) {
                (Some(name), None) => {
                    *place = Some(Bot::named(&name, seed.wrapping_add(version + u64::from(seat.0))));
                }
                (None, Some(_)) => *place = None,
                _ => {}
            }
        }
    }

    fn has_bot(&self, seat: Seat) -> bool {
        self.bots.get(usize::from(seat.0)).is_some_and(Option::is_some)
    }

    /// Lets one bot think. The match goes on meanwhile: others may answer, and time may run out.
    fn let_bot_think(&mut self) {
        let Some(room) = &self.room else { return };
        let asked = room.desk.playing().pending().map(|asked| asked.seat());
        let Some(seat) = asked.into_iter().find(|seat| self.has_bot(*seat)) else { return };
        let playing = room.desk.playing().clone();
        let Some(bot) = self.bots.get_mut(usize::from(seat.0)).and_then(Option::take) else { return };
        let thinkers = self.hub.thinkers.clone();
        self.thinking = Some((seat, Box::pin(bot.answer(playing, seat, thinkers))));
    }

    /// Takes the answer of a bot. One whose question is no longer open thinks again if it is asked.
    async fn bot_answers(&mut self, seat: Seat, bot: Option<Bot>, entry: Option<Entry>) -> Result<(), Stop> {
        let (has_failed, has_answer) = (bot.is_none(), entry.is_some());
        self.bots[usize::from(seat.0)] = bot;
        if self.room.is_none() || self.wanted_bot(seat).is_none() {
            return Ok(());
        }
        if let Some(entry) = entry
            && self.take(Sender::default(), &entry, None).await?.is_ok()
        {
            self.bot_tries = 0;
            tokio::task::yield_now().await;
            return Ok(());
        }
        self.bot_tries += 1;
        if has_answer && !has_failed && self.bot_tries < MAX_BOT_TRIES {
            return Ok(());
        }
        tracing::error!(r#match = %self.id, seat = seat.0, "a bot finds no answer and gives up");
        let leave = Entry::Input(Input::Leave { seat, cause: LeaveCause::Concede });
        self.bots[usize::from(seat.0)] = None;
        self.take(Sender::default(), &leave, None).await.map(drop)
    }

    // ── connections ─────────────────────────────────────────────────────────

    /// Tells everyone who follows what a row has brought.
    fn tell(&mut self, taken: &Taken) {
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
    fn introduce(&mut self, follower: &Follower) -> Result<(), Stop> {
        let Some(room) = &mut self.room else { return Err(Stop) };
        room.desk.write_letters(true);
        let mut letters = room.desk.opening_letters();
        for question in room.questions() {
            letters.extend(room.desk.question_letters(question.input));
        }
        letters.retain(|letter| Viewer::Seat(letter.to) == follower.viewer);
        letters.iter().for_each(|letter| follower.outbox.send(self.fill(letter, None)));
        Ok(())
    }

    async fn follow(&mut self, follower: Follower) -> Result<(), Stop> {
        // What is sent now has to be what the store has.
        self.settle().await?;
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
        let present = follower.present();
        self.followers.push(follower);
        self.tell_presence();
        match present {
            Some(seat) if self.is_news_of(seat) => self.note(Sender::default(), Step::Returned(seat.0)).await,
            _ => Ok(()),
        }
    }

    /// Whether it has to be kept that a seat is connected now.
    fn is_news_of(&self, seat: Seat) -> bool {
        self.room.as_ref().is_some_and(|room| room.waits_for(seat) && !room.clocks.is_there(seat))
    }

    /// Sends what a connection needs to go on from; false if that cannot be read.
    async fn welcome(&mut self, follower: &Follower) -> Result<bool, Stop> {
        let missed = match self.missed(follower).await {
            Ok(missed) => missed,
            Err(problem) => {
                follower.outbox.send(wire::error(None, &problem));
                return Ok(false);
            }
        };
        let Some(room) = &mut self.room else { return Err(Stop) };
        follower.outbox.send(welcome(room, follower.viewer, &follower.greeting, missed.is_none()));
        missed.unwrap_or_default().into_iter().for_each(|frame| follower.outbox.send(frame));
        for frame in wire::questions(&self.name, room, follower.viewer) {
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
                if shown.version > since {
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

    async fn unfollow(&mut self, connection: u64) -> Result<(), Stop> {
        let Some(place) = self.followers.iter().position(|follower| follower.outbox.id == connection) else {
            return Ok(());
        };
        let Some(seat) = self.followers.swap_remove(place).present() else { return Ok(()) };
        let is_there = self.followers.iter().any(|follower| follower.present() == Some(seat));
        if is_there || self.hub.is_draining() {
            return Ok(());
        }
        self.tell_presence();
        let Some(room) = &self.room else { return Ok(()) };
        if !room.waits_for(seat) {
            return Ok(());
        }
        match room.terms.clock.grace {
            Some(0) if self.takeover().is_some() => {
                self.note(Sender::default(), Step::Replaced(seat.0)).await
            }
            Some(0) => {
                let leave = Entry::Input(Input::Leave { seat, cause: LeaveCause::Disconnect });
                self.take(Sender::default(), &leave, None).await.map(drop)
            }
            _ => self.note(Sender::default(), Step::Lost(seat.0)).await,
        }
    }

    fn tell_presence(&mut self) {
        let seats = self.followers.iter().filter_map(Follower::present);
        let mut seats: Vec<u8> = seats.map(|seat| seat.0).collect();
        seats.sort_unstable();
        seats.dedup();
        let frame = wire::presence(&self.name, &seats);
        let followers = self.followers.iter().filter(|follower| !follower.speaks_messages);
        followers.for_each(|follower| follower.outbox.send(frame.clone()));
    }

    // ── looking ─────────────────────────────────────────────────────────────

    fn look(&mut self, viewer: Viewer, look: Look) -> Result<String, Problem> {
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
                let next = room.desk.what_follows(seat, input, &so_far);
                let next = next.map_err(|refusal| refusing::problem(&mut room.desk, Some(seat), &refusal))?;
                json::write(&next, &mut text);
            }
        }
        Ok(text)
    }
}

/// What a bot has come to; never, if none is thinking.
async fn thought(thinking: &mut Option<Thinking>) -> (Seat, Option<Bot>, Option<Entry>) {
    let Some((seat, under_way)) = thinking else { return std::future::pending().await };
    let (seat, (bot, entry)) = (*seat, under_way.await);
    *thinking = None;
    (seat, bot, entry)
}

/// When a match wants to be woken if this server does not live to see it: when something runs out, at once if a bot is
/// to answer, and [`AFTER_ABSENCE`] if somebody is connected who may not come back.
fn wanted_at(room: &Room, bots: &[Option<String>]) -> Option<i64> {
    let is_bot = |seat: Seat| {
        let began = bots.get(usize::from(seat.0)).is_some_and(Option::is_some);
        began || room.clocks.is_replaced(seat)
    };
    if !room.clocks.is_paused() && room.desk.playing().pending().any(|asked| is_bot(asked.seat())) {
        return Some(room.written_at);
    }
    let is_watched = || room.terms.clock.grace.is_some() && room.clocks.is_anyone_there();
    let due = room.clocks.next(&room.terms.clock).map(|(due, _)| due);
    due.or_else(|| is_watched().then_some(AFTER_ABSENCE))
}

/// What the store has to be told about the next moment that matters. Being woken too early does no harm.
fn due_change(stored: &mut Option<Option<i64>>, due: Option<i64>) -> Due {
    match (*stored, due) {
        (Some(known), None) if known.is_none() => Due::Keep,
        (Some(Some(known)), Some(due)) if known <= due => Due::Keep,
        (Some(Some(_)), None) => Due::Keep,
        (_, Some(due)) => {
            *stored = Some(Some(due));
            Due::At(due)
        }
        (None, None) => {
            *stored = Some(None);
            Due::Never
        }
        (Some(None), None) => Due::Keep,
    }
}

/// Stands for a command id, so that the same command is known again.
fn command_key(command: &Command) -> u64 {
    command_digest(command.account, command.seat.map(|seat| seat.0), &command.id)
}

fn ending(room: &Room) -> Option<EndingInfo> {
    let playing = room.desk.playing();
    let ending = playing.ending()?;
    let name = |symbol| playing.program().symbol(symbol).to_owned();
    let seats = |seats: &[Seat]| seats.iter().map(|seat| seat.0).collect();
    Some(EndingInfo {
        outcome: name(ending.outcome),
        winners: seats(&ending.winners),
        losers: seats(&ending.losers),
        pot: name(ending.pot),
        reason: None,
    })
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

/// What was promised is not kept: it has to be asked for again.
fn retract(release: Release) {
    let problem =
        || Problem::new(Code::Busy, "it is not certain that this was kept; send it again with the same id");
    match release {
        Release::Frame(outbox, _) => outbox.end(Farewell::ComeAgain),
        Release::Call(reply, _) => drop(reply.send(Err(problem()))),
        Release::Text(reply, _) => drop(reply.send(Err(problem()))),
    }
}

/// Tells whoever asks that it is not possible now.
fn refuse(ask: Ask, problem: &Problem) {
    match ask {
        Ask::Command(command) => match command.reply {
            Reply::Message(outbox) => outbox.end(Farewell::ComeAgain),
            Reply::Frame(outbox) => outbox.send(wire::error(Some(&command.id), problem)),
            Reply::Call(reply) => drop(reply.send(Err(problem.clone()))),
        },
        Ask::Look { reply, .. } => drop(reply.send(Err(problem.clone()))),
        Ask::Follow(follower) => follower.outbox.send(wire::error(None, problem)),
        Ask::Unfollow { .. } | Ask::Wake { .. } => {}
        Ask::Drain { done } => drop(done.send(())),
    }
}
