//! Matches before they start: creating, readying, starting, cancelling. Seats are in [`seats`](super::seats).
//!
//! The creator of a match is its host and decides about bots, kicks and the start. The match also starts
//! automatically when every seat is taken and everyone is ready.

use intermezzo_engine::Match;
use intermezzo_program::{NULL, Program};
use intermezzo_protocol::resources::{
    BotAlgorithm, ClockSettings, CreateMatch, MatchStatus, PlaceKind, RulesetInfo, RulesetRef, Spectators,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::accounts::{Account, active_account};
use super::fair_queue::Requester;
use super::idempotency::Caller;
use super::matches::{MatchRecord, SeatRecord, code_key};
use super::record_keys;
use super::seats::first_free_seat;
use super::start_check::evaluate_number;
use super::transaction::{ServiceTransaction, transact};
use super::{Services, StartedMatch, invalid};

/// Letters of match codes, without those that look alike.
const CODE_ALPHABET: &[u8] = b"ABCDEFGHJKMNPQRSTUVWXYZ";
const CODE_LENGTH: usize = 6;
const MAX_MATCH_NAME: usize = 60;
const MAX_CLOCK_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const MAX_DELAY_MS: u64 = 60 * 60 * 1000;

impl Services {
    /// Creates a match. Its creator is the host and takes the first free seat.
    ///
    /// # Errors
    ///
    /// If the settings are not playable, or the host cannot pay the entry fee.
    pub async fn create_match(&self, caller: &Caller, request: &CreateMatch) -> Result<MatchRecord, Problem> {
        let mut record = self.new_match(&caller.account, request).await?;
        let sits = request.sit != Some(false) && record.seats.iter().any(SeatRecord::is_free);
        if record.private {
            record.code = Some(self.new_code()?);
        }
        transact!(self, caller.marker(self, "create")?, |tx| async {
            let mut record = record.clone();
            active_account(&mut tx, &caller.account.id).await?;
            if let Some(code) = &record.code
                && tx.read::<String>(&code_key(code)).await?.is_some()
            {
                return Err(Problem::new(Code::Busy, "the code is in use, try again"));
            }
            if sits {
                let seat = first_free_seat(&record, &caller.account.id)?;
                self.seat_account(&mut tx, &mut record, seat, &caller.account.id).await?;
            }
            self.save_match(&mut tx, None, &record).await?;
            Ok(record)
        })
    }

    /// Returns the requested match without people on its seats.
    async fn new_match(&self, account: &Account, request: &CreateMatch) -> Result<MatchRecord, Problem> {
        let info = self.ruleset(&request.ruleset).await?;
        self.check_available(&info).await?;
        let program = self.program(&info.hash).await?;
        let seats = seat_count(request, &program)?;
        let trial = self
            .trial_start(&Requester::Account(account.id.clone()), &program, seats, &request.options)
            .await?;
        let seats = initial_seats(request, seats);
        let has_bots = seats.iter().any(|seat| seat.bot.is_some());
        let stake = match request.stake {
            true if has_bots => return Err(invalid("bots cannot play for a stake")),
            true if request.hotseat => return Err(invalid("a hotseat match cannot be played for a stake")),
            true => Some(self.stake_info(&trial, seats.len() as u8)?),
            false => None,
        };
        check_times(request.clock.unwrap_or_default(), request.spectators.unwrap_or_default())?;
        check_clock_is_free(request.clock.unwrap_or_default(), &trial)?;
        let id = MatchId(self.new_id()?);
        Ok(MatchRecord {
            name: request.name.as_deref().map_or_else(|| Ok(info.name.clone()), check_match_name)?,
            host: Some(account.id.clone()),
            teams: trial.teams(),
            options: request.options.clone(),
            private: request.private,
            stake,
            rated: request.rated.unwrap_or(!request.private && !request.hotseat),
            hotseat: request.hotseat,
            clock: request.clock,
            spectators: request.spectators.unwrap_or_default(),
            ..MatchRecord::new(id, ruleset_ref(&info), seats, self.now())
        })
    }

    /// Sets whether the caller is ready. A match starts when the last seat becomes ready; the returned status
    /// shows that.
    ///
    /// # Errors
    ///
    /// If the match has started, or the caller has no seat in it.
    pub async fn set_ready(&self, caller: &Caller, id: MatchId, ready: bool) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "ready")?, |tx| async {
            let before = read_open_match(&mut tx, id).await?;
            let mut record = before.clone();
            let seats = before.seats_of(&caller.account.id);
            if seats.is_empty() {
                return Err(Problem::new(Code::NotAllowed, "you have no seat in this match"));
            }
            seats.iter().for_each(|seat| record.seats[usize::from(*seat)].ready = ready);
            self.start_if_all_ready(&mut tx, &mut record)?;
            self.save_match(&mut tx, Some(&before), &record).await?;
            Ok(record)
        })
    }

    /// Starts a match for its host when everyone else is ready. Free seats are removed, if the rules allow
    /// fewer players and nothing is staked.
    ///
    /// # Errors
    ///
    /// If somebody is not ready, too few seats are taken, or the caller is not the host.
    pub async fn start_match(&self, caller: &Caller, id: MatchId) -> Result<StartedMatch, Problem> {
        transact!(self, caller.marker(self, "start")?, |tx| async {
            let before = read_hosted_match(&mut tx, id, &caller.account).await?;
            let mut record = before.clone();
            let mine = before.seats_of(&caller.account.id);
            mine.iter().for_each(|seat| record.seats[usize::from(*seat)].ready = true);
            if record.seats.iter().any(|seat| !seat.is_free() && !seat.ready) {
                return Err(Problem::new(Code::NotReady, "not everyone is ready"));
            }
            self.remove_free_seats(&mut record).await?;
            self.begin_match(&mut tx, &mut record)?;
            self.save_match(&mut tx, Some(&before), &record).await?;
            Ok(StartedMatch { record })
        })
    }

    async fn remove_free_seats(&self, record: &mut MatchRecord) -> Result<(), Problem> {
        if !record.seats.iter().any(SeatRecord::is_free) {
            return Ok(());
        }
        let program = self.program(&record.ruleset.hash).await?;
        record.seats.retain(|seat| !seat.is_free());
        let are_enough = record.seats.len() >= usize::from(program.seats.min);
        if record.stake.is_some() || !are_enough {
            return Err(Problem::new(Code::NotReady, "not all seats are taken"));
        }
        let host = record.host.clone().map_or(Requester::Server, Requester::Account);
        let trial = self.trial_start(&host, &program, record.seats.len() as u8, &record.options).await?;
        record.teams = trial.teams();
        Ok(())
    }

    /// Cancels a match that has not started, for its host or a moderator. All entry fees are refunded.
    ///
    /// # Errors
    ///
    /// If the match has started, or the caller may not cancel it.
    pub async fn cancel_match(&self, caller: &Caller, id: MatchId) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "cancel")?, |tx| async {
            let before = read_open_match(&mut tx, id).await?;
            if !caller.account.moderator && before.host.as_ref() != Some(&caller.account.id) {
                return Err(not_host());
            }
            self.cancel_open_match(&mut tx, &before).await
        })
    }

    pub async fn cancel_open_match(
        &self,
        tx: &mut ServiceTransaction<'_>,
        before: &MatchRecord,
    ) -> Result<MatchRecord, Problem> {
        let mut record = before.clone();
        for seat in 0..record.seats.len() as u8 {
            self.free_seat(tx, &mut record, seat).await?;
        }
        self.mark_cancelled(&mut record);
        self.save_match(tx, Some(before), &record).await?;
        Ok(record)
    }

    /// Marks a match as cancelled. Its custom name is removed too, because it is not listed anywhere.
    pub fn mark_cancelled(&self, record: &mut MatchRecord) {
        record.status = MatchStatus::Cancelled;
        record.ended_ms = Some(self.now());
        record.name = record.ruleset.name.clone();
    }

    /// Starts a match if all seats are taken and ready.
    pub fn start_if_all_ready(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &mut MatchRecord,
    ) -> Result<(), Problem> {
        let is_complete = record.seats.iter().all(|seat| !seat.is_free() && seat.ready);
        if is_complete { self.begin_match(tx, record) } else { Ok(()) }
    }

    /// Marks a match as started. The seed is drawn here, so that nobody could know it earlier.
    pub fn begin_match(
        &self,
        tx: &mut ServiceTransaction<'_>,
        record: &mut MatchRecord,
    ) -> Result<(), Problem> {
        let seed = self.random::<32>()?;
        record.seed = Some(record_keys::hex(&seed));
        record.commitment = Some(blake3::hash(&seed).to_hex().to_string());
        record.status = MatchStatus::Playing;
        record.started_ms = Some(self.now());
        record.seats.iter_mut().for_each(|seat| seat.reserved_for = None);
        tx.wake(record.id, self.now());
        Ok(())
    }
}

/// Reads a match that has not started.
pub(crate) async fn read_open_match(
    tx: &mut ServiceTransaction<'_>,
    id: MatchId,
) -> Result<MatchRecord, Problem> {
    let record: Option<MatchRecord> = tx.read(&MatchRecord::key(id)).await?;
    let record = record.ok_or_else(|| Problem::not_found("match"))?;
    match record.status {
        MatchStatus::Open => Ok(record),
        MatchStatus::Playing => Err(Problem::new(Code::Closed, "the match has started")),
        MatchStatus::Ended | MatchStatus::Cancelled => Err(Problem::new(Code::Closed, "the match is over")),
    }
}

pub(crate) async fn read_hosted_match(
    tx: &mut ServiceTransaction<'_>,
    id: MatchId,
    account: &Account,
) -> Result<MatchRecord, Problem> {
    let record = read_open_match(tx, id).await?;
    if record.host.as_ref() == Some(&account.id) { Ok(record) } else { Err(not_host()) }
}

fn not_host() -> Problem {
    Problem::new(Code::NotAllowed, "only the host may do that")
}

fn seat_count(request: &CreateMatch, program: &Program) -> Result<u8, Problem> {
    let listed = request.places.len();
    match request.seats {
        Some(seats) if listed > usize::from(seats) => Err(invalid("more places than seats")),
        Some(seats) => Ok(seats),
        None if listed > usize::from(program.seats.max) => Err(invalid("more places than seats")),
        None => Ok(program.seats.default.max(listed as u8)),
    }
}

fn initial_seats(request: &CreateMatch, seats: u8) -> Vec<SeatRecord> {
    let mut places = vec![SeatRecord::default(); usize::from(seats)];
    for (seat_record, kind) in places.iter_mut().zip(&request.places) {
        let bot = match kind {
            PlaceKind::Human => continue,
            PlaceKind::Random => BotAlgorithm::Random,
            PlaceKind::Greedy => BotAlgorithm::Greedy,
            PlaceKind::Mcts => BotAlgorithm::Mcts,
        };
        *seat_record = SeatRecord::for_bot(bot);
    }
    places
}

fn check_times(clock: ClockSettings, spectators: Spectators) -> Result<(), Problem> {
    let times = [clock.bank_ms, clock.increment_ms, clock.grace_ms];
    if times.iter().flatten().any(|time| *time > MAX_CLOCK_MS) {
        return Err(invalid(format!("a clock can have at most {MAX_CLOCK_MS} milliseconds")));
    }
    if clock.bank_ms == Some(0) {
        return Err(invalid("`clock.bankMs` is 0: nobody could answer in time; leave it out for no limit"));
    }
    if spectators.delay_ms > MAX_DELAY_MS {
        return Err(invalid(format!("the spectator delay is at most {MAX_DELAY_MS} milliseconds")));
    }
    Ok(())
}

/// Rejects settings of the clock that the ruleset makes itself: they would have no effect.
fn check_clock_is_free(clock: ClockSettings, trial: &Match) -> Result<(), Problem> {
    let Some(ruleset_clock) = trial.program().clock else { return Ok(()) };
    let settings = [
        ("bankMs", clock.bank_ms, ruleset_clock.bank),
        ("incrementMs", clock.increment_ms, ruleset_clock.increment),
        ("graceMs", clock.grace_ms, ruleset_clock.grace),
    ];
    for (name, wanted, routine) in settings {
        let (Some(_), Some(routine)) = (wanted, routine) else { continue };
        let fixed = evaluate_number(trial, routine)?;
        // Without an increment of its own, a ruleset leaves it to the match.
        if fixed != NULL && (name, fixed) != ("incrementMs", 0) {
            return Err(invalid(format!(
                "`clock.{name}` has no effect: the ruleset sets it to {fixed}; leave it out"
            )));
        }
    }
    Ok(())
}

fn check_match_name(name: &str) -> Result<String, Problem> {
    let name = name.trim().to_owned();
    let length = name.chars().count();
    if (1..=MAX_MATCH_NAME).contains(&length) && !name.chars().any(char::is_control) {
        return Ok(name);
    }
    Err(invalid(format!("a match name must have 1 to {MAX_MATCH_NAME} characters")))
}

pub(crate) fn ruleset_ref(info: &RulesetInfo) -> RulesetRef {
    RulesetRef {
        id: info.id.clone(),
        version: info.version.clone(),
        name: info.name.clone(),
        hash: info.hash.clone(),
    }
}

impl Services {
    /// Generates the code of a private match.
    pub fn new_code(&self) -> Result<String, Problem> {
        let bytes = self.random::<CODE_LENGTH>()?;
        Ok(bytes
            .iter()
            .map(|byte| char::from(CODE_ALPHABET[usize::from(*byte) % CODE_ALPHABET.len()]))
            .collect())
    }
}
