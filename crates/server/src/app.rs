//! State shared by all requests and connections.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use intermezzo_engine::{MatchTerms, Viewer};
use intermezzo_program::Seat;
use intermezzo_protocol::resources::{BotAlgorithm, EndingInfo, ServerStatus};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::{MatchId, Put, Store, StoreFuture};
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use crate::cluster::bus::Topic;
use crate::config::Config;
use crate::connections::outbox::{CloseReason, Outbox};
use crate::match_task::{
    ClockRules, CommandBody, CommandReply, MatchCommand, MatchConfig, MatchDetails, MatchQuery, MatchRecords,
    MatchRegistry, MatchRequest, ModeratorAction, QueryRequest,
};
use crate::playground::Playground;
use crate::rate_limits::RateLimits;
use intermezzo_services::{Account, AccountId, MatchRecord, ModerationRecord, Services, StartedMatch};
use intermezzo_services::{FairQueue, QueueLimits};

/// Limits on running matches from their first row.
const REPLAY_LIMITS: QueueLimits = QueueLimits { running: 2, running_each: 1, waiting: 32, waiting_each: 4 };

/// State shared by all requests and connections.
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) services: Arc<Services>,
    pub(crate) registry: Arc<MatchRegistry>,
    pub(crate) rate_limits: Arc<RateLimits>,
    /// Turns for running matches from their first row: logs, replays, histories, forks, delayed spectators.
    pub(crate) replay_queue: Arc<FairQueue>,
    /// Playground of a ruleset's author; only with `intermezzo dev`.
    pub(crate) playground: Option<Arc<Playground>>,
    /// Connections that receive notifications about an account.
    listeners: Mutex<HashMap<AccountId, Vec<AccountListener>>>,
}

/// A connection that receives notifications about an account.
struct AccountListener {
    outbox: Outbox,
    /// Hash of the token it signed in with.
    token_hash: Option<[u8; 32]>,
    /// Receiver of found matches, in place of a `match.found` frame.
    match_found: Option<mpsc::UnboundedSender<StartedMatch>>,
    /// Start time and id of the last announced match; initially the time of connecting.
    last_announced: (i64, MatchId),
}

impl App {
    pub(crate) fn new(
        config: Config,
        store: Arc<dyn Store>,
        services: Arc<Services>,
        registry: Arc<MatchRegistry>,
        playground: Option<Arc<Playground>>,
    ) -> App {
        let rate_limits = Arc::new(RateLimits::new(&config.limits));
        let replay_queue = FairQueue::new("replays of matches", REPLAY_LIMITS);
        App {
            config,
            store,
            services,
            registry,
            rate_limits,
            replay_queue,
            playground,
            listeners: Mutex::default(),
        }
    }

    /// Returns what the server is doing.
    pub(crate) fn status(&self) -> ServerStatus {
        ServerStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            live_matches: self.registry.live_matches(),
            connections: self.rate_limits.open_connections(),
            is_stopping: self.registry.is_draining(),
        }
    }

    /// Returns the viewer as whom an account may see a match: its seat, or a spectator if that is allowed.
    ///
    /// # Errors
    ///
    /// If the account may not see the match like that.
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
            (Some(_), _) => Err(Problem::new(Code::NotAllowed, "not your seat")),
            (None, Some(first)) if !spectate => Ok(Viewer::Seat(Seat(*first))),
            // A player may spectate: a spectator never sees more than the players do.
            _ if record.spectators.allowed || account.is_some_and(|account| account.moderator) => {
                Ok(Viewer::Spectator)
            }
            _ => Err(Problem::new(Code::NotAllowed, "this match has no spectators")),
        }
    }

    /// Submits a command to a match and waits until it is durable. Returns the sender's version after it.
    pub(crate) async fn submit_command(
        &self,
        record: &MatchRecord,
        account: &Account,
        seat: Option<Seat>,
        command_id: String,
        branch: Option<u64>,
        body: CommandBody,
    ) -> Result<u64, Problem> {
        let (reply, outcome) = oneshot::channel();
        let command = MatchCommand {
            seat,
            account: account_number(&account.id),
            is_moderator: may_moderate(record, account),
            id: command_id,
            branch,
            body,
            reply: CommandReply::Call(reply),
            span: Span::current(),
            received_at: tokio::time::Instant::now(),
        };
        self.registry.send(record.id, MatchRequest::Command(Box::new(command))).await?;
        outcome.await.unwrap_or_else(|_| Err(match_failed()))
    }

    /// Runs a query on a match. The result is JSON.
    pub(crate) async fn query(
        &self,
        id: MatchId,
        viewer: Viewer,
        query: MatchQuery,
    ) -> Result<String, Problem> {
        let (reply, answer) = oneshot::channel();
        let request = QueryRequest { viewer, query, reply, span: Span::current() };
        self.registry.send(id, MatchRequest::Query(Box::new(request))).await?;
        answer.await.unwrap_or_else(|_| Err(match_failed()))
    }

    /// Wakes the task of a match that has just started, and notifies its players.
    pub(crate) async fn announce_start(&self, started: &StartedMatch) -> Result<(), Problem> {
        let record = &started.record;
        self.registry.send(record.id, MatchRequest::Wake { stored: None }).await?;
        for account in record.seats.iter().filter_map(|seat| seat.account.as_ref()) {
            self.announce_match(account, started, |last, this| last != this);
            self.notify_peers(account);
        }
        Ok(())
    }

    /// Announces a match to the local connections of an account that have not received it yet, judged by the last
    /// match announced to them.
    fn announce_match(
        &self,
        account: &AccountId,
        started: &StartedMatch,
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
        for listener in
            listeners.get_mut(account).into_iter().flatten().filter(|it| is_news(it.last_announced, this))
        {
            listener.last_announced = this;
            match &listener.match_found {
                Some(match_found) => drop(match_found.send(started.clone())),
                None => frames.iter().for_each(|frame| listener.outbox.send(frame.clone())),
            }
        }
    }

    /// Notifies other servers that an account has news.
    fn notify_peers(&self, account: &AccountId) {
        if let Some(peers) = &self.registry.peers {
            peers.publish(Topic::Account(account_number(account)), 0);
        }
    }

    /// Brings the local connections of an account up to date after another server has changed something:
    /// announces new matches and closes connections whose login session has ended.
    pub(crate) async fn refresh_account(&self, account: &AccountId) -> Result<(), Problem> {
        let sessions: BTreeSet<[u8; 32]> = {
            let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(here) = listeners.get(account) else { return Ok(()) };
            here.iter().filter_map(|listener| listener.token_hash).collect()
        };
        for session in sessions {
            if !self.services.is_token_valid(&session).await? {
                self.close_local_connections(account, Some(session));
            }
        }
        let mut playing = self.services.matches_in_progress(account).await?;
        playing.sort_by_key(|record| (record.started_ms, record.id));
        for record in playing {
            self.announce_match(account, &StartedMatch { record }, |last, this| last < this);
        }
        Ok(())
    }

    /// Registers a connection for notifications about an account, with the hash of the token it signed in with. Found
    /// matches go to `match_found` if given.
    pub(crate) fn add_listener(
        &self,
        account: &AccountId,
        outbox: &Outbox,
        session: Option<[u8; 32]>,
        match_found: Option<mpsc::UnboundedSender<StartedMatch>>,
    ) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let here = listeners.entry(account.clone()).or_default();
        here.retain(|known| known.outbox.id != outbox.id);
        let last = (self.store.now(), MatchId(0));
        here.push(AccountListener {
            outbox: outbox.clone(),
            token_hash: session,
            match_found,
            last_announced: last,
        });
        if let Some(peers) = &self.registry.peers {
            peers.subscribe(Topic::Account(account_number(account)));
        }
    }

    /// Unregisters a connection. Returns true if the account has others.
    pub(crate) fn remove_listener(&self, account: &AccountId, connection: u64) -> bool {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(here) = listeners.get_mut(account) else { return false };
        here.retain(|known| known.outbox.id != connection);
        if here.is_empty() {
            listeners.remove(account);
            if let Some(peers) = &self.registry.peers {
                peers.unsubscribe(Topic::Account(account_number(account)));
            }
            return false;
        }
        true
    }

    /// Closes the connections of an account, on all servers: those that used that token, or all.
    pub(crate) fn close_connections(&self, account: &AccountId, token: Option<&str>) {
        self.close_local_connections(account, token.map(hash_token));
        self.notify_peers(account);
    }

    fn close_local_connections(&self, account: &AccountId, session: Option<[u8; 32]>) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let here = listeners.get(account).into_iter().flatten();
        let is_meant = |listener: &&AccountListener| session.is_none() || listener.token_hash == session;
        here.filter(is_meant).for_each(|listener| listener.outbox.close(CloseReason::SignedOut));
    }

    /// Lists the accounts with a connection here.
    pub(crate) fn connected_accounts(&self) -> Vec<AccountId> {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let mut present: Vec<AccountId> = listeners.keys().cloned().collect();
        present.sort();
        present
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App")
            .field("config", &self.config)
            .field("registry", &self.registry)
            .finish_non_exhaustive()
    }
}

/// Returns true if an account may moderate a match: nobody judges a match they have a seat in.
pub(crate) fn may_moderate(record: &MatchRecord, account: &Account) -> bool {
    account.moderator && record.seats_of(&account.id).is_empty()
}

/// Hashes a token; tokens themselves are stored nowhere.
pub(crate) fn hash_token(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

fn match_failed() -> Problem {
    Problem::new(Code::Internal, "the match task failed; send the command again with the same id")
}

/// Returns the number that rows use for an account.
pub(crate) fn account_number(id: &AccountId) -> u128 {
    let parsed = u128::from_str_radix(&id.0, 16).ok();
    parsed.unwrap_or_else(|| {
        let hash = blake3::hash(id.0.as_bytes());
        hash.as_bytes()[..16].try_into().map_or(0, u128::from_le_bytes)
    })
}

/// Returns the account with that number.
pub(crate) fn account_from_number(number: u128) -> AccountId {
    AccountId(format!("{number:032x}"))
}

/// Match records provided by the services.
pub(crate) struct ServiceRecords {
    pub(crate) services: Arc<Services>,
}

impl MatchRecords for ServiceRecords {
    fn details(&self, id: MatchId) -> StoreFuture<Result<MatchDetails, Problem>> {
        let services = Arc::clone(&self.services);
        Box::pin(async move { match_details(&services, id).await })
    }

    fn moderation_puts(&self, moderation: ModeratorAction<'_>) -> Vec<Put> {
        let ModeratorAction { at, account, match_id, row, control } = moderation;
        let account = account_from_number(account);
        let (match_id, control) = (match_id.to_string(), control.clone());
        ModerationRecord { at_ms: at, account, match_id, row, control }.puts()
    }

    fn settlement_puts(
        &self,
        id: MatchId,
        ending: EndingInfo,
        has_moves: bool,
    ) -> StoreFuture<Result<Vec<Put>, Problem>> {
        let services = Arc::clone(&self.services);
        Box::pin(async move { Ok(services.prepare_settlement_of(id, ending, has_moves).await?.puts) })
    }
}

/// Reads the details of a match that has started.
pub(crate) async fn match_details(services: &Services, id: MatchId) -> Result<MatchDetails, Problem> {
    let record = services.match_record(id).await?;
    let Some(started_at) = record.started_ms else {
        return Err(Problem::new(Code::Closed, "the match has not started yet"));
    };
    let program = services.program(&record.ruleset.hash).await?;
    let setup = record.setup()?;
    let ruleset_terms = MatchTerms::of(&program, &setup);
    let ruleset_terms = ruleset_terms.map_err(|error| Problem::new(Code::RuleFailed, error.to_string()))?;
    let clock = clock_rules(&ruleset_terms, &record);
    let bot = |bot: BotAlgorithm| match bot {
        BotAlgorithm::Random => "random".to_owned(),
        BotAlgorithm::Greedy => "greedy".to_owned(),
        BotAlgorithm::Mcts => "mcts".to_owned(),
    };
    Ok(MatchDetails {
        config: MatchConfig { program, setup, clock, downtimes: Arc::default() },
        bots: record.seats.iter().map(|seat| seat.bot.map(bot)).collect(),
        names: record.seats.iter().map(|seat| seat.name.clone().unwrap_or_default()).collect(),
        started_at,
        owner: record.host.as_ref().map_or(record.id.0, account_number),
    })
}

/// Combines the ruleset's clock settings with those of the lobby, which apply where the ruleset has none.
/// A match in which nobody else waits has no clock.
fn clock_rules(ruleset_terms: &MatchTerms, record: &MatchRecord) -> ClockRules {
    if !blocks_others(record) {
        return ClockRules { is_untimed: true, ..ClockRules::default() };
    }
    let lobby_clock = record.clock.unwrap_or_default();
    let ms = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let increment = match ruleset_terms.time.increment_ms {
        0 => lobby_clock.increment_ms.unwrap_or(0),
        ruleset_increment => ruleset_increment,
    };
    let grace = ruleset_terms.time.grace_ms.or(lobby_clock.grace_ms);
    ClockRules {
        bank: ruleset_terms.time.bank_ms.or(lobby_clock.bank_ms).map(ms),
        increment: ms(increment),
        grace: grace.map(ms),
        is_untimed: false,
    }
}

/// Returns true if somebody who is slow or away makes another person wait: bots do not mind, nor does somebody who plays
/// all seats.
fn blocks_others(record: &MatchRecord) -> bool {
    let mut people = record.seats.iter().filter(|seat| seat.bot.is_none()).map(|seat| seat.account.as_ref());
    let first = people.next();
    people.any(|other| other.is_none() || Some(other) != first)
}
