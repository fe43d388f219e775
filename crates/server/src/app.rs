//! What all requests and connections share.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use intermezzo_engine::{Terms as Agreed, Viewer};
use intermezzo_protocol::resources::{BotKind, EndingInfo};
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::Seat;
use intermezzo_store::{Answer, MatchId, Put, Store};
use tokio::sync::{mpsc, oneshot};

use crate::bus::Topic;
use crate::config::Config;
use crate::dev::Dev;
use crate::house::{Account, AccountId, House, MatchRecord, Moderation, Started};
use crate::outbox::{Farewell, Outbox};
use crate::room::{
    Ask, Books, ClockRules, Command, Hub, Look, Looking, Moderated, Opening, Reply, Terms, Wish,
};
use crate::throttle::Throttle;

/// What all requests and connections share.
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) house: Arc<House>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) throttle: Arc<Throttle>,
    pub(crate) metrics: metrics_exporter_prometheus::PrometheusHandle,
    /// The workshop of a ruleset's author, if there is one here.
    pub(crate) dev: Option<Arc<Dev>>,
    /// Connections that are told what concerns an account.
    listeners: Mutex<HashMap<AccountId, Vec<Listener>>>,
}

/// A connection that is told what concerns an account.
struct Listener {
    outbox: Outbox,
    /// The token it came with, as a hash.
    session: Option<[u8; 32]>,
    /// Where matches go that are found, in place of a frame.
    found: Option<mpsc::UnboundedSender<Started>>,
    /// The last match it was told of, or when it came.
    told: (i64, MatchId),
}

impl App {
    pub(crate) fn new(
        config: Config,
        store: Arc<dyn Store>,
        house: Arc<House>,
        hub: Arc<Hub>,
        metrics: metrics_exporter_prometheus::PrometheusHandle,
        dev: Option<Arc<Dev>>,
    ) -> App {
        let throttle = Arc::new(Throttle::new(&config.limits));
        App { config, store, house, hub, throttle, metrics, dev, listeners: Mutex::default() }
    }

    /// As whom an account looks at a match: from its seat, or as one who looks on, if that is allowed.
    pub(crate) fn viewer(
        &self,
        record: &MatchRecord,
        account: Option<&Account>,
        seat: Option<u8>,
        spectate: bool,
    ) -> Result<Viewer, Problem> {
        let own = account.map(|account| record.seats_of(&account.id)).unwrap_or_default();
        match (seat, own.first()) {
            (Some(seat), _) if own.contains(&seat) => Ok(Viewer::Seat(Seat(seat))),
            (Some(_), _) => Err(Problem::new(Code::NotAllowed, "that is not your seat")),
            (None, Some(first)) if !spectate => Ok(Viewer::Seat(Seat(*first))),
            // Who plays may not look over the others' shoulders, but sees no more by looking on.
            _ if record.spectators.allowed || account.is_some_and(|account| account.moderator) => {
                Ok(Viewer::Spectator)
            }
            _ => Err(Problem::new(Code::NotAllowed, "nobody may look on at this match")),
        }
    }

    /// Does something in a match and waits until it is kept. The version the sender has then comes back.
    pub(crate) async fn command(
        &self,
        id: MatchId,
        account: &Account,
        seat: Option<Seat>,
        command_id: String,
        branch: Option<u64>,
        wish: Wish,
    ) -> Result<u64, Problem> {
        let (reply, outcome) = oneshot::channel();
        let command = Command {
            seat,
            account: account_number(&account.id),
            is_moderator: account.moderator,
            id: command_id,
            branch,
            wish,
            reply: Reply::Call(reply),
        };
        self.hub.ask(id, Ask::Command(Box::new(command))).await?;
        outcome.await.unwrap_or_else(|_| Err(failed()))
    }

    /// Looks at something in a match. The answer is JSON.
    pub(crate) async fn look(&self, id: MatchId, viewer: Viewer, look: Look) -> Result<String, Problem> {
        let (reply, answer) = oneshot::channel();
        self.hub.ask(id, Ask::Look(Looking { viewer, look, reply })).await?;
        answer.await.unwrap_or_else(|_| Err(failed()))
    }

    /// A match has just started: its task is woken, and its players are told.
    pub(crate) async fn begin(&self, started: &Started) -> Result<(), Problem> {
        let record = &started.record;
        self.hub.ask(record.id, Ask::Wake { stored: None }).await?;
        for account in record.seats.iter().filter_map(|seat| seat.account.as_ref()) {
            self.announce(account, started, |told, this| told != this);
            self.tell_others(account);
        }
        Ok(())
    }

    /// Tells connections of an account here that it plays a match: those for which this is news, by the last match they
    /// were told of.
    fn announce(
        &self,
        account: &AccountId,
        started: &Started,
        is_news: fn((i64, MatchId), (i64, MatchId)) -> bool,
    ) {
        let record = &started.record;
        let this = (record.started_ms.unwrap_or_default(), record.id);
        let seats = record.seats_of(account);
        let frames = seats.iter().map(|seat| {
            serde_json::json!({
                "type": "match.found",
                "match": record.id.to_string(),
                "ruleset": record.ruleset.id,
                "seat": seat,
            })
        });
        let frames: Vec<String> = frames.map(|frame| frame.to_string()).collect();
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        for listener in listeners.get_mut(account).into_iter().flatten().filter(|it| is_news(it.told, this)) {
            listener.told = this;
            match &listener.found {
                Some(found) => drop(found.send(started.clone())),
                None => frames.iter().for_each(|frame| listener.outbox.send(frame.clone())),
            }
        }
    }

    /// Lets other servers know that something concerns an account.
    fn tell_others(&self, account: &AccountId) {
        if let Some(neighbours) = &self.hub.neighbours {
            neighbours.tell(Topic::Account(account_number(account)), 0);
        }
    }

    /// Another server may have done something that concerns an account: its connections here are told, or ended.
    pub(crate) async fn look_after(&self, account: &AccountId) -> Result<(), Problem> {
        let sessions: BTreeSet<[u8; 32]> = {
            let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(here) = listeners.get(account) else { return Ok(()) };
            here.iter().filter_map(|listener| listener.session).collect()
        };
        for session in sessions {
            if !self.house.is_signed_in(&session).await? {
                self.end_sessions(account, Some(session));
            }
        }
        let mut playing = self.house.playing(account).await?;
        playing.sort_by_key(|record| (record.started_ms, record.id));
        for record in playing {
            self.announce(account, &Started { record }, |told, this| told < this);
        }
        Ok(())
    }

    /// A connection is told from now on what concerns the account; matches that are found may go another way.
    pub(crate) fn listen(
        &self,
        account: &AccountId,
        outbox: &Outbox,
        token: Option<&str>,
        found: Option<mpsc::UnboundedSender<Started>>,
    ) {
        let session = token.map(session_of);
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let here = listeners.entry(account.clone()).or_default();
        here.retain(|known| known.outbox.id != outbox.id);
        let told = (self.store.now(), MatchId(0));
        here.push(Listener { outbox: outbox.clone(), session, found, told });
        if let Some(neighbours) = &self.hub.neighbours {
            neighbours.listen(Topic::Account(account_number(account)));
        }
    }

    /// A connection is gone. True if the account has others.
    pub(crate) fn forget(&self, account: &AccountId, connection: u64) -> bool {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(here) = listeners.get_mut(account) else { return false };
        here.retain(|known| known.outbox.id != connection);
        if here.is_empty() {
            listeners.remove(account);
            if let Some(neighbours) = &self.hub.neighbours {
                neighbours.ignore(Topic::Account(account_number(account)));
            }
            return false;
        }
        true
    }

    /// Ends the connections of an account: those that came with that token, or all.
    pub(crate) fn sign_out(&self, account: &AccountId, token: Option<&str>) {
        self.end_sessions(account, token.map(session_of));
        self.tell_others(account);
    }

    fn end_sessions(&self, account: &AccountId, session: Option<[u8; 32]>) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let here = listeners.get(account).into_iter().flatten();
        let is_meant = |listener: &&Listener| session.is_none() || listener.session == session;
        here.filter(is_meant).for_each(|listener| listener.outbox.end(Farewell::SignedOut));
    }

    /// Accounts that have a connection.
    pub(crate) fn present(&self) -> Vec<AccountId> {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let mut present: Vec<AccountId> = listeners.keys().cloned().collect();
        present.sort();
        present
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("config", &self.config).field("hub", &self.hub).finish_non_exhaustive()
    }
}

/// What a token is known by; tokens themselves are kept nowhere.
fn session_of(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

fn failed() -> Problem {
    Problem::new(Code::Internal, "the match has failed; send it again with the same id")
}

/// An account as rows name it.
pub(crate) fn account_number(id: &AccountId) -> u128 {
    let spelt = u128::from_str_radix(&id.0, 16).ok();
    spelt.unwrap_or_else(|| {
        let hash = blake3::hash(id.0.as_bytes());
        hash.as_bytes()[..16].try_into().map_or(0, u128::from_le_bytes)
    })
}

/// The account of that number.
pub(crate) fn account_numbered(number: u128) -> AccountId {
    AccountId(format!("{number:032x}"))
}

/// The house's records, as matches need them.
pub(crate) struct HouseBooks {
    pub(crate) house: Arc<House>,
}

impl Books for HouseBooks {
    fn opening(&self, id: MatchId) -> Answer<Result<Opening, Problem>> {
        let house = Arc::clone(&self.house);
        Box::pin(async move { opening(&house, id).await })
    }

    fn moderated(&self, moderation: Moderated<'_>) -> Vec<Put> {
        let Moderated { at, account, match_id, row, control } = moderation;
        let account = account_numbered(account);
        let (match_id, control) = (match_id.to_string(), control.clone());
        Moderation { at_ms: at, account, match_id, row, control }.puts()
    }

    fn closing(&self, id: MatchId, ending: EndingInfo) -> Answer<Result<Vec<Put>, Problem>> {
        let house = Arc::clone(&self.house);
        Box::pin(async move { Ok(house.settlement(id, ending).await?.puts) })
    }
}

/// What a match that has started began with.
pub(crate) async fn opening(house: &House, id: MatchId) -> Result<Opening, Problem> {
    let record = house.match_record(id).await?;
    let Some(started_at) = record.started_ms else {
        return Err(Problem::new(Code::Closed, "the match has not started yet"));
    };
    let program = house.program(&record.ruleset.hash).await?;
    let setup = record.setup()?;
    let agreed = Agreed::of(&program, &setup);
    let agreed = agreed.map_err(|error| Problem::new(Code::RuleFailed, error.to_string()))?;
    let clock = clock_rules(&agreed, &record);
    let bot = |bot: BotKind| match bot {
        BotKind::Random => "random".to_owned(),
        BotKind::Greedy => "greedy".to_owned(),
        BotKind::Mcts => "mcts".to_owned(),
    };
    Ok(Opening {
        terms: Terms { program, setup, clock, absences: Arc::default() },
        bots: record.seats.iter().map(|seat| seat.bot.map(bot)).collect(),
        names: record.seats.iter().map(|seat| seat.name.clone().unwrap_or_default()).collect(),
        started_at,
    })
}

/// What the ruleset says about time; the lobby's word counts where it says nothing.
fn clock_rules(agreed: &Agreed, record: &MatchRecord) -> ClockRules {
    let wished = record.clock.unwrap_or_default();
    let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let increment = match agreed.time.increment_ms {
        0 => wished.increment_ms.unwrap_or(0),
        said => said,
    };
    let grace = agreed.time.grace_ms.or(wished.grace_ms).filter(|_| somebody_waits(record));
    ClockRules {
        bank: agreed.time.bank_ms.or(wished.bank_ms).map(ms),
        increment: ms(increment),
        grace: grace.map(ms),
    }
}

/// Whether a lost connection keeps anybody else waiting: bots have time, and so has who plays all seats alone.
fn somebody_waits(record: &MatchRecord) -> bool {
    let mut people = record.seats.iter().filter(|seat| seat.bot.is_none()).map(|seat| seat.account.as_ref());
    let first = people.next();
    people.any(|other| other.is_none() || Some(other) != first)
}
