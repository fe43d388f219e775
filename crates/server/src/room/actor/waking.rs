//! Reading a match, following what other servers write, and putting it away again.

use intermezzo_protocol::resources::EndingInfo;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{Append, Due, Outcome, Snapshot, Transaction};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Actor, Halt, ending};
use crate::room::ask::Ask;
use crate::room::fold::Room;
use crate::room::hub::{Opening, WAKE_AHEAD_MS};
use crate::room::loading;
use crate::room::row::Step;

impl Actor {
    /// Makes sure that the room is there. Those who follow are told what they have not been told of.
    pub(super) async fn wake(&mut self) -> Result<(), Problem> {
        self.heed_absences();
        while self.room.is_none() {
            let opening = match self.opening.take() {
                Some(opening) => opening,
                None => self.hub.books.opening(self.id).await?,
            };
            let mut terms = opening.terms.clone();
            terms.absences = self.hub.absences();
            // Whoever follows must be told of all rows since: an older room has to go through them.
            let at_most = if self.followers.is_empty() { u64::MAX } else { self.told };
            let room = match loading::start(&self.hub.store, self.id, terms, at_most).await {
                Ok(Some(room)) => Ok(Some(room)),
                Ok(None) => self.begin(&opening).await,
                Err(problem) => Err(problem),
            };
            self.opening = Some(opening);
            self.room = room?;
            if let Err(problem) = self.settle_in().await {
                self.room = None;
                return Err(problem);
            }
        }
        Ok(())
    }

    /// The room has just come from the store: it is brought up to date.
    async fn settle_in(&mut self) -> Result<(), Problem> {
        let Some(room) = &mut self.room else { return Ok(()) };
        room.desk.write_letters(self.followers.iter().any(|follower| follower.speaks_messages));
        self.snapshot_at = room.version;
        if !planted!(StopsAtSnapshot) || room.version == 1 {
            self.read_on().await?;
        }
        if let Some(room) = &mut self.room {
            room.make_up_for_absences(i64::MAX);
            self.listed = room.clocks.nodes();
            self.stored_due = None;
        }
        Ok(())
    }

    /// No server was there for some time, and this one did not know: the clocks have to be worked out again.
    fn heed_absences(&mut self) {
        let known = self.room.as_ref().map(|room| room.terms.absences.len());
        let is_idle = self.held_back.is_empty();
        if known.is_some_and(|known| is_idle && known != self.hub.absences().len()) {
            self.room = None;
        }
    }

    /// Follows the rows that others have written, and tells of them.
    async fn read_on(&mut self) -> Result<(), Problem> {
        let mut is_news = false;
        loop {
            let Some(room) = &self.room else { return Ok(()) };
            let rows = self.hub.store.rows(self.id, room.version, loading::PAGE).await;
            let rows = rows.map_err(|error| loading::unavailable(&error))?;
            for row in &rows {
                self.follow_row(&row.body).await?;
            }
            is_news |= !rows.is_empty();
            if rows.len() < loading::PAGE {
                break;
            }
        }
        let Some(room) = &self.room else { return Ok(()) };
        let version = room.version;
        self.told_until(version);
        if is_news {
            self.is_last_writer = false;
            self.bots_from = Instant::now() + self.courtesy();
        }
        Ok(())
    }

    async fn follow_row(&mut self, body: &[u8]) -> Result<(), Problem> {
        let Some(room) = &mut self.room else { return Ok(()) };
        let past = match loading::takes_back(body) {
            true => Some(loading::past(&self.hub.store, self.id, room.version).await?),
            false => None,
        };
        let followed = room.follow(body, past.as_deref());
        let taken = followed.map_err(|broken| loading::report(self.id, &broken))?;
        self.listed = room.clocks.nodes();
        if room.version <= self.told || planted!(KeepsQuietAfterLoss) && self.failures > 0 {
            return Ok(());
        }
        self.told = room.version;
        if let Some(taken) = taken {
            self.tell(&taken);
            return Ok(());
        }
        match loading::step(body) {
            Some(Step::Paused(_) | Step::Resumed) => self.ask_again(),
            Some(
                Step::Lost(_)
                | Step::HungUp(_)
                | Step::Returned(_)
                | Step::Connected { .. }
                | Step::Replaced(_),
            ) => {
                self.tell_presence();
            }
            _ => {}
        }
        Ok(())
    }

    /// Another server says that there are rows up to that version.
    pub(super) async fn hear(&mut self, version: u64) -> Result<(), Halt> {
        if self.room.as_ref().is_none_or(|room| room.version < version) {
            self.catch_up().await?;
        }
        Ok(())
    }

    /// Brings the room up to the end of the log, where it was not. Whether it was not.
    pub(super) async fn catch_up(&mut self) -> Result<bool, Halt> {
        self.settle().await?;
        let Some(room) = &self.room else { return Err(Halt::Lost) };
        let before = room.version;
        let head = self.hub.store.head(self.id).await.map_err(|_| Halt::Lost)?;
        if head <= before {
            return Ok(false);
        }
        self.read_on().await.map_err(|_| Halt::Lost)?;
        Ok(true)
    }

    /// The same where other servers may write, too.
    pub(super) async fn catch_up_with_others(&mut self) -> Result<bool, Halt> {
        match self.hub.neighbours {
            Some(_) => self.catch_up().await,
            None => Ok(false),
        }
    }

    /// The store says that something is due at `stored`. If that is long past, or not so soon, the store is told when
    /// it really is: what has its time is not woken for nothing again and again.
    pub(super) async fn woken(&mut self, stored: Option<i64>) -> Result<(), Halt> {
        self.catch_up_with_others().await?;
        self.stored_due = self.stored_due.or(stored.map(Some));
        let Some(room) = &self.room else { return Ok(()) };
        let (due, soon) = (self.wanted_at(room), self.hub.store.now() + WAKE_AHEAD_MS);
        if stored.is_none() || stored == due || due.is_some_and(|due| due <= soon) {
            return Ok(());
        }
        let due_at = due.map_or(Due::Never, Due::At);
        let version = room.version;
        let append = Append { match_id: self.id, expected: version, rows: Vec::new(), due: due_at };
        self.stored_due = Some(due);
        self.send(version, Transaction { appends: vec![append], ..Transaction::default() });
        Ok(())
    }

    /// Writes the first row. Nothing, if another server has.
    async fn begin(&mut self, opening: &Opening) -> Result<Option<Room>, Problem> {
        let mut terms = opening.terms.clone();
        terms.absences = self.hub.absences();
        let (room, written) = match Room::begin(terms, opening.started_at) {
            Ok(begun) => begun,
            Err(error) => {
                self.call_off(&error.to_string()).await?;
                return Err(Problem::new(Code::RuleFailed, format!("the match cannot begin: {error}")));
            }
        };
        let due = self.wanted_at(&room);
        let append = Append {
            match_id: self.id,
            expected: 0,
            rows: vec![written.row],
            due: due.map_or(Due::Never, Due::At),
        };
        let mut transaction = Transaction { appends: vec![append], ..Transaction::default() };
        if let Some(ending) = ending(&room) {
            transaction.puts = self.hub.books.closing(self.id, ending).await?;
        }
        match self.hub.store.commit(transaction).await {
            Outcome::Committed => Ok(Some(room)),
            Outcome::Conflict(_) => Ok(None),
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
    pub(super) async fn rest(&mut self, mailbox: &mut mpsc::Receiver<Ask>) -> Result<(), Halt> {
        self.settle().await?;
        self.put_away().await?;
        if self.followers.is_empty() && mailbox.is_empty() {
            return Err(Halt::Stop);
        }
        Ok(())
    }

    /// Writes down what makes the next start quick, and forgets the room. If others have gone on meanwhile, that is theirs
    /// to do.
    pub(super) async fn put_away(&mut self) -> Result<(), Halt> {
        let Some(room) = self.room.take() else { return Ok(()) };
        let due = self.wanted_at(&room);
        let is_known = room.version == self.snapshot_at && self.stored_due == Some(due);
        if is_known || (self.hub.neighbours.is_some() && !self.is_last_writer) {
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
            Outcome::Committed | Outcome::Conflict(_) => Ok(()),
            _ => Err(Halt::Stop),
        }
    }
}
