//! Matches before they start: making them, being ready, calling them off. Seats are a matter of [`seats`](super::seats).
//!
//! Who makes a match is its host, and decides about bots, about who has to go and when it starts. It also starts by
//! itself when every seat is taken and everyone is ready.

use intermezzo_protocol::resources::{
    BotKind, Clock, CreateMatch, MatchStatus, PlaceKind, RulesetInfo, RulesetRef, Spectators,
};
use intermezzo_protocol::{Code, Problem};
use intermezzo_ruleset::Program;
use intermezzo_store::MatchId;

use super::accounts::{Account, account_of};
use super::change::{Change, changing};
use super::matches::{MatchRecord, SeatRecord, code_key};
use super::once::Caller;
use super::seats::first_free;
use super::{House, Started, invalid, keys};

/// The letters of codes: none that could be taken for another.
const LETTERS: &[u8] = b"ABCDEFGHJKMNPQRSTUVWXYZ";
const CODE_LETTERS: usize = 6;
const MAX_NAME: usize = 60;
const MAX_CLOCK_MS: u64 = 30 * 24 * 60 * 60 * 1000;
const MAX_DELAY_MS: u64 = 60 * 60 * 1000;

impl House {
    /// Makes a match. Its maker is the host and takes the first free seat.
    ///
    /// # Errors
    ///
    /// If the rules cannot be played like that, or the host cannot pay the entry.
    pub async fn create_match(&self, caller: &Caller, wish: &CreateMatch) -> Result<MatchRecord, Problem> {
        let mut record = self.new_match(&caller.account, wish).await?;
        let sits = wish.sit != Some(false) && record.seats.iter().any(SeatRecord::is_free);
        if record.private {
            record.code = Some(self.new_code()?);
        }
        changing!(self, caller.mark(self, "create")?, |change| async {
            let mut record = record.clone();
            account_of(&mut change, &caller.account.id).await?;
            if let Some(code) = &record.code
                && change.read::<String>(&code_key(code)).await?.is_some()
            {
                return Err(Problem::new(Code::Busy, "the code is in use, try again"));
            }
            if sits {
                let seat = first_free(&record, &caller.account.id)?;
                self.seat(&mut change, &mut record, seat, &caller.account.id).await?;
            }
            self.keep_match(&mut change, None, &record).await?;
            Ok(record)
        })
    }

    /// The match that is wanted, with nobody at it.
    async fn new_match(&self, account: &Account, wish: &CreateMatch) -> Result<MatchRecord, Problem> {
        let info = self.ruleset(&wish.ruleset).await?;
        let program = self.program(&info.hash).await?;
        let seats = seat_count(wish, &program)?;
        let begun = self.try_setup(&program, seats, &wish.options).await?;
        let seats = places(wish, seats);
        let has_bots = seats.iter().any(|seat| seat.bot.is_some());
        let stake = match wish.stake {
            true if has_bots => return Err(invalid("bots have nothing to stake")),
            true if wish.hotseat => return Err(invalid("nobody plays against themselves for a stake")),
            true => Some(self.stake(&begun, seats.len() as u8)?),
            false => None,
        };
        check_time(wish.clock.unwrap_or_default(), wish.spectators.unwrap_or_default())?;
        Ok(MatchRecord {
            id: MatchId(self.new_id()?),
            name: wish.name.as_deref().map_or_else(|| Ok(info.name.clone()), check_match_name)?,
            ruleset: ruleset_ref(&info),
            status: MatchStatus::Open,
            host: Some(account.id.clone()),
            seats,
            options: wish.options.clone(),
            private: wish.private,
            code: None,
            stake,
            rated: wish.rated.unwrap_or(!wish.private && !wish.hotseat),
            hotseat: wish.hotseat,
            clock: wish.clock,
            spectators: wish.spectators.unwrap_or_default(),
            seed: None,
            commitment: None,
            created_ms: self.now(),
            started_ms: None,
            ended_ms: None,
            ending: None,
            rematch_of: None,
            rematch: None,
        })
    }

    /// Says that one is ready, or not any more. The last one to be ready at a full match starts it: then its status says
    /// so.
    ///
    /// # Errors
    ///
    /// If the match has started, or one does not sit there.
    pub async fn ready(&self, caller: &Caller, id: MatchId, ready: bool) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "ready")?, |change| async {
            let before = open_match(&mut change, id).await?;
            let mut record = before.clone();
            let seats = before.seats_of(&caller.account.id);
            if seats.is_empty() {
                return Err(Problem::new(Code::NotAllowed, "you do not sit there"));
            }
            seats.iter().for_each(|seat| record.seats[usize::from(*seat)].ready = ready);
            self.start_if_complete(&mut change, &mut record)?;
            self.keep_match(&mut change, Some(&before), &record).await?;
            Ok(record)
        })
    }

    /// The host starts a match when everyone else who sits there is ready. Free seats are taken away, if the rules can be
    /// played by fewer and nothing is staked.
    ///
    /// # Errors
    ///
    /// If somebody is not ready, there are too few, or the caller is not the host.
    pub async fn start(&self, caller: &Caller, id: MatchId) -> Result<Started, Problem> {
        changing!(self, caller.mark(self, "start")?, |change| async {
            let before = hosted_match(&mut change, id, &caller.account).await?;
            let mut record = before.clone();
            let mine = before.seats_of(&caller.account.id);
            mine.iter().for_each(|seat| record.seats[usize::from(*seat)].ready = true);
            if record.seats.iter().any(|seat| !seat.is_free() && !seat.ready) {
                return Err(Problem::new(Code::NotReady, "somebody is not ready"));
            }
            self.drop_free_seats(&mut record).await?;
            self.begin(&mut change, &mut record)?;
            self.keep_match(&mut change, Some(&before), &record).await?;
            Ok(Started { record })
        })
    }

    async fn drop_free_seats(&self, record: &mut MatchRecord) -> Result<(), Problem> {
        if !record.seats.iter().any(SeatRecord::is_free) {
            return Ok(());
        }
        let program = self.program(&record.ruleset.hash).await?;
        record.seats.retain(|seat| !seat.is_free());
        let are_enough = record.seats.len() >= usize::from(program.seats.min);
        if record.stake.is_some() || !are_enough {
            return Err(Problem::new(Code::NotReady, "there are free seats"));
        }
        self.try_setup(&program, record.seats.len() as u8, &record.options).await?;
        Ok(())
    }

    /// The host or a moderator calls off a match that has not started. Everyone gets the entry back.
    ///
    /// # Errors
    ///
    /// If the match has started, or the caller is neither.
    pub async fn cancel(&self, caller: &Caller, id: MatchId) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "cancel")?, |change| async {
            let before = open_match(&mut change, id).await?;
            if !caller.account.moderator && before.host.as_ref() != Some(&caller.account.id) {
                return Err(not_host());
            }
            self.call_off(&mut change, &before).await
        })
    }

    pub(crate) async fn call_off(
        &self,
        change: &mut Change<'_>,
        before: &MatchRecord,
    ) -> Result<MatchRecord, Problem> {
        let mut record = before.clone();
        for seat in 0..record.seats.len() as u8 {
            self.unseat(change, &mut record, seat).await?;
        }
        self.close_unplayed(&mut record);
        self.keep_match(change, Some(before), &record).await?;
        Ok(record)
    }

    /// Nobody will play it. What somebody called it goes, too: it is not listed anywhere.
    pub(crate) fn close_unplayed(&self, record: &mut MatchRecord) {
        record.status = MatchStatus::Cancelled;
        record.ended_ms = Some(self.now());
        record.name = record.ruleset.name.clone();
    }

    /// Starts a match by itself, if nobody is missing.
    pub(crate) fn start_if_complete(
        &self,
        change: &mut Change<'_>,
        record: &mut MatchRecord,
    ) -> Result<(), Problem> {
        let is_complete = record.seats.iter().all(|seat| !seat.is_free() && seat.ready);
        if is_complete { self.begin(change, record) } else { Ok(()) }
    }

    /// From here on the match is under way. Its seed is drawn now, so that nobody could know it before.
    pub(crate) fn begin(&self, change: &mut Change<'_>, record: &mut MatchRecord) -> Result<(), Problem> {
        let seed = self.random::<32>()?;
        record.seed = Some(keys::hex(&seed));
        record.commitment = Some(blake3::hash(&seed).to_hex().to_string());
        record.status = MatchStatus::Playing;
        record.started_ms = Some(self.now());
        record.seats.iter_mut().for_each(|seat| seat.kept_for = None);
        change.wake(record.id, self.now());
        Ok(())
    }
}

/// A match whose seats are being taken.
pub(crate) async fn open_match(change: &mut Change<'_>, id: MatchId) -> Result<MatchRecord, Problem> {
    let record: Option<MatchRecord> = change.read(&MatchRecord::key(id)).await?;
    let record = record.ok_or_else(|| Problem::not_found("match"))?;
    match record.status {
        MatchStatus::Open => Ok(record),
        MatchStatus::Playing => Err(Problem::new(Code::Closed, "the match has started")),
        MatchStatus::Ended | MatchStatus::Cancelled => Err(Problem::new(Code::Closed, "the match is over")),
    }
}

pub(crate) async fn hosted_match(
    change: &mut Change<'_>,
    id: MatchId,
    account: &Account,
) -> Result<MatchRecord, Problem> {
    let record = open_match(change, id).await?;
    if record.host.as_ref() == Some(&account.id) { Ok(record) } else { Err(not_host()) }
}

fn not_host() -> Problem {
    Problem::new(Code::NotAllowed, "only the host of the match may do that")
}

fn seat_count(wish: &CreateMatch, program: &Program) -> Result<u8, Problem> {
    let listed = wish.places.len();
    match wish.seats {
        Some(seats) if listed > usize::from(seats) => Err(invalid("there are more places than seats")),
        Some(seats) => Ok(seats),
        None if listed > usize::from(program.seats.max) => Err(invalid("there are more places than seats")),
        None => Ok(program.seats.usual.max(listed as u8)),
    }
}

fn places(wish: &CreateMatch, seats: u8) -> Vec<SeatRecord> {
    let mut places = vec![SeatRecord::default(); usize::from(seats)];
    for (place, kind) in places.iter_mut().zip(&wish.places) {
        let bot = match kind {
            PlaceKind::Human => continue,
            PlaceKind::Random => BotKind::Random,
            PlaceKind::Greedy => BotKind::Greedy,
            PlaceKind::Mcts => BotKind::Mcts,
        };
        *place = SeatRecord::of_bot(bot);
    }
    places
}

fn check_time(clock: Clock, spectators: Spectators) -> Result<(), Problem> {
    let times = [clock.bank_ms, clock.increment_ms, clock.grace_ms];
    if times.iter().flatten().any(|time| *time > MAX_CLOCK_MS) {
        return Err(invalid(format!("a clock has at most {MAX_CLOCK_MS} milliseconds")));
    }
    if spectators.delay_ms > MAX_DELAY_MS {
        return Err(invalid(format!("spectators see things at most {MAX_DELAY_MS} milliseconds later")));
    }
    Ok(())
}

fn check_match_name(name: &str) -> Result<String, Problem> {
    let name = name.trim().to_owned();
    let length = name.chars().count();
    if (1..=MAX_NAME).contains(&length) && !name.chars().any(char::is_control) {
        return Ok(name);
    }
    Err(invalid(format!("the name of a match has 1 to {MAX_NAME} characters")))
}

pub(crate) fn ruleset_ref(info: &RulesetInfo) -> RulesetRef {
    RulesetRef {
        id: info.id.clone(),
        version: info.version.clone(),
        name: info.name.clone(),
        hash: info.hash.clone(),
    }
}

impl House {
    /// What others need to sit down at a private match.
    pub(crate) fn new_code(&self) -> Result<String, Problem> {
        let bytes = self.random::<CODE_LETTERS>()?;
        Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect())
    }
}
