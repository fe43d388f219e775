//! Taking and leaving seats before a match starts, and what that costs.

use intermezzo_protocol::resources::{BotKind, Reason, Sit};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::accounts::{AccountId, account_of};
use super::change::{Change, changing};
use super::lobby::{hosted_match, open_match};
use super::matches::{MatchRecord, SeatRecord};
use super::once::Caller;
use super::{House, invalid};

impl House {
    /// Takes a seat, for which a staked match takes its entry.
    ///
    /// # Errors
    ///
    /// If the seat is taken, the code is wrong, or the account has too little or sits there already.
    pub async fn sit(&self, caller: &Caller, id: MatchId, wish: &Sit) -> Result<MatchRecord, Problem> {
        let account = &caller.account;
        changing!(self, caller.mark(self, "sit")?, |change| async {
            let before = open_match(&mut change, id).await?;
            check_code(&before, &account.id, wish.code.as_deref())?;
            let seat = match wish.seat {
                Some(seat) => seat,
                None => first_free(&before, &account.id)?,
            };
            let mut record = before.clone();
            self.seat(&mut change, &mut record, seat, &account.id).await?;
            self.keep_match(&mut change, Some(&before), &record).await?;
            Ok::<_, Problem>(record)
        })
    }

    /// Leaves one's seats, or one of them, before the start. The entry comes back.
    ///
    /// # Errors
    ///
    /// If the match has started, or one does not sit there.
    pub async fn stand(
        &self,
        caller: &Caller,
        id: MatchId,
        seat: Option<u8>,
    ) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "stand")?, |change| async {
            let before = open_match(&mut change, id).await?;
            let mut seats = before.seats_of(&caller.account.id);
            seats.retain(|other| seat.is_none_or(|seat| *other == seat));
            if seats.is_empty() {
                return Err(Problem::new(Code::NotAllowed, "you do not sit there"));
            }
            let mut record = before.clone();
            for seat in seats {
                self.unseat(&mut change, &mut record, seat).await?;
            }
            self.keep_match(&mut change, Some(&before), &record).await?;
            Ok(record)
        })
    }

    /// Leaves a match before the start altogether. A host is followed by the next who sits there; without anybody the
    /// match is cancelled.
    ///
    /// # Errors
    ///
    /// If the match has started.
    pub async fn leave(&self, caller: &Caller, id: MatchId) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "leave")?, |change| {
            self.try_leave(&mut change, &caller.account.id, id)
        })
    }

    pub(crate) async fn try_leave(
        &self,
        change: &mut Change<'_>,
        account: &AccountId,
        id: MatchId,
    ) -> Result<MatchRecord, Problem> {
        let before = open_match(change, id).await?;
        let mut record = before.clone();
        for seat in before.seats_of(account) {
            self.unseat(change, &mut record, seat).await?;
        }
        if record.host.as_ref() == Some(account) {
            record.host = record.seats.iter().find_map(|seat| seat.account.clone());
        }
        if record.host.is_none() {
            self.close_unplayed(&mut record);
        }
        self.keep_match(change, Some(&before), &record).await?;
        Ok(record)
    }

    /// The host frees a seat, or gives up keeping it for somebody.
    ///
    /// # Errors
    ///
    /// If the match has started, or the caller is not its host.
    pub async fn kick(&self, caller: &Caller, id: MatchId, seat: u8) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "kick")?, |change| async {
            let before = hosted_match(&mut change, id, &caller.account).await?;
            let mut record = before.clone();
            self.unseat(&mut change, &mut record, seat).await?;
            record.seats[usize::from(seat)].kept_for = None;
            self.keep_match(&mut change, Some(&before), &record).await?;
            Ok::<_, Problem>(record)
        })
    }

    /// The host puts a bot on a free seat, or takes one away.
    ///
    /// # Errors
    ///
    /// If somebody sits there, or the match is staked.
    pub async fn set_bot(
        &self,
        caller: &Caller,
        id: MatchId,
        seat: u8,
        bot: Option<BotKind>,
    ) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "bot")?, |change| async {
            let before = hosted_match(&mut change, id, &caller.account).await?;
            if before.stake.is_some() && bot.is_some() {
                return Err(invalid("bots have nothing to stake"));
            }
            let mut record = before.clone();
            let place = seat_mut(&mut record, seat)?;
            if place.account.is_some() {
                return Err(Problem::new(Code::SeatTaken, "somebody sits there"));
            }
            *place = bot.map_or_else(SeatRecord::default, SeatRecord::of_bot);
            self.keep_match(&mut change, Some(&before), &record).await?;
            Ok(record)
        })
    }

    /// Puts somebody on a seat and takes the entry.
    pub(crate) async fn seat(
        &self,
        change: &mut Change<'_>,
        record: &mut MatchRecord,
        seat: u8,
        account: &AccountId,
    ) -> Result<(), Problem> {
        // The name of now, and nobody who is gone.
        let name = account_of(change, account).await?.name;
        if !record.hotseat && !record.seats_of(account).is_empty() {
            return Err(Problem::new(Code::AlreadySeated, "you have a seat there already"));
        }
        let entry = record.stake.as_ref().map_or(0, |stake| stake.entry);
        let id = record.id;
        let place = seat_mut(record, seat)?;
        if !place.is_free() || place.kept_for.as_ref().is_some_and(|kept| kept != account) {
            return Err(Problem::new(Code::SeatTaken, "that seat is taken"));
        }
        place.account = Some(account.clone());
        place.name = Some(name);
        place.ready = false;
        place.paid = entry;
        self.hold(change, account, id, entry).await
    }

    /// Frees a seat and gives the entry back.
    pub(crate) async fn unseat(
        &self,
        change: &mut Change<'_>,
        record: &mut MatchRecord,
        seat: u8,
    ) -> Result<(), Problem> {
        let id = record.id;
        let place = seat_mut(record, seat)?;
        let kept_for = place.kept_for.take();
        let SeatRecord { account, paid, .. } = std::mem::take(place);
        place.kept_for = kept_for;
        match account {
            Some(account) => self.pay_out(change, id, &account, paid, Reason::Returned).await,
            None => Ok(()),
        }
    }
}

fn check_code(record: &MatchRecord, account: &AccountId, code: Option<&str>) -> Result<(), Problem> {
    let is_kept = record.seats.iter().any(|seat| seat.kept_for.as_ref() == Some(account));
    let knows = code.map(str::to_ascii_uppercase) == record.code;
    if !record.private || is_kept || knows || record.people().contains(account) {
        return Ok(());
    }
    Err(Problem::new(Code::NotAllowed, "the match is private and that is not its code"))
}

pub(crate) fn first_free(record: &MatchRecord, account: &AccountId) -> Result<u8, Problem> {
    let is_for = |seat: &SeatRecord| seat.kept_for.as_ref().is_none_or(|kept| kept == account);
    let kept = |seat: &&SeatRecord| seat.is_free() && seat.kept_for.as_ref() == Some(account);
    let index = match record.seats.iter().find(kept) {
        Some(_) => record.seats.iter().position(|seat| kept(&seat)),
        None => record.seats.iter().position(|seat| seat.is_free() && is_for(seat)),
    };
    index.map(|index| index as u8).ok_or_else(|| Problem::new(Code::SeatTaken, "there is no free seat"))
}

fn seat_mut(record: &mut MatchRecord, seat: u8) -> Result<&mut SeatRecord, Problem> {
    record.seats.get_mut(usize::from(seat)).ok_or_else(|| Problem::not_found("seat"))
}
