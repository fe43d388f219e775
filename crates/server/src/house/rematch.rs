//! Playing again: the same seats and options, with everyone who wants to.

use intermezzo_protocol::resources::MatchStatus;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::change::{Change, changing};
use super::matches::{MatchRecord, SeatRecord};
use super::once::Caller;
use super::{House, internal};

impl House {
    /// Says that one wants to play again. The first who does makes the new match, in which everyone's seat is kept for
    /// them; with the last who does it starts: then its status says so.
    ///
    /// # Errors
    ///
    /// If the match is not over, one did not play, or the others have started without.
    pub async fn rematch(&self, caller: &Caller, id: MatchId) -> Result<MatchRecord, Problem> {
        changing!(self, caller.mark(self, "rematch")?, |change| async {
            let old: Option<MatchRecord> = change.read(&MatchRecord::key(id)).await?;
            let old = old.ok_or_else(|| Problem::not_found("match"))?;
            if old.status != MatchStatus::Ended {
                return Err(Problem::new(Code::NotReady, "the match is not over"));
            }
            let seats = old.seats_of(&caller.account.id);
            if seats.is_empty() {
                return Err(Problem::new(Code::NotAllowed, "you did not play there"));
            }
            let before = next_match(&mut change, &old).await?;
            let mut record = match &before {
                Some(record) => record.clone(),
                None => self.same_again(&mut change, &old, caller)?,
            };
            if record.status == MatchStatus::Playing && record.people().contains(&caller.account.id) {
                return Ok(record);
            }
            if record.status != MatchStatus::Open {
                return Err(Problem::new(Code::Closed, "the others have started without you"));
            }
            if record.seats_of(&caller.account.id).is_empty() {
                for seat in seats {
                    self.seat(&mut change, &mut record, seat, &caller.account.id).await?;
                    record.seats[usize::from(seat)].ready = true;
                }
            }
            self.start_if_complete(&mut change, &mut record)?;
            self.keep_match(&mut change, before.as_ref(), &record).await?;
            Ok(record)
        })
    }

    /// A new match like the old one, with its seats kept.
    fn same_again(
        &self,
        change: &mut Change<'_>,
        old: &MatchRecord,
        caller: &Caller,
    ) -> Result<MatchRecord, Problem> {
        let again = |seat: &SeatRecord| match seat.bot {
            Some(bot) => SeatRecord::of_bot(bot),
            None => SeatRecord { kept_for: seat.account.clone(), ..SeatRecord::default() },
        };
        let record = MatchRecord {
            id: MatchId(self.new_id()?),
            status: MatchStatus::Open,
            host: Some(caller.account.id.clone()),
            seats: old.seats.iter().map(again).collect(),
            code: if old.private { Some(self.new_code()?) } else { None },
            seed: None,
            commitment: None,
            created_ms: self.now(),
            started_ms: None,
            ended_ms: None,
            ending: None,
            rematch_of: Some(old.id.to_string()),
            rematch: None,
            ..old.clone()
        };
        let old = MatchRecord { rematch: Some(record.id.to_string()), ..old.clone() };
        change.write(&MatchRecord::key(old.id), &old)?;
        Ok(record)
    }
}

/// The match that repeats this one, unless it was called off.
async fn next_match(change: &mut Change<'_>, old: &MatchRecord) -> Result<Option<MatchRecord>, Problem> {
    let Some(next) = &old.rematch else { return Ok(None) };
    let next: MatchId = next.parse().map_err(|_| internal("a rematch that is no match"))?;
    let record: Option<MatchRecord> = change.read(&MatchRecord::key(next)).await?;
    Ok(record.filter(|record| record.status != MatchStatus::Cancelled))
}
