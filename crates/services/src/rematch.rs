//! Rematches: the same seats and options, with everyone who accepts.

use intermezzo_protocol::resources::MatchStatus;
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use super::idempotency::Caller;
use super::matches::{MatchRecord, SeatRecord};
use super::transaction::{ServiceTransaction, transact};
use super::{Services, internal};

impl Services {
    /// Accepts a rematch. The first acceptance creates the new match, in which everyone's seat is reserved;
    /// the last one starts it, as the returned status shows.
    ///
    /// # Errors
    ///
    /// If the match has not ended, the caller did not play in it, or the others have started without the
    /// caller.
    pub async fn rematch(&self, caller: &Caller, id: MatchId) -> Result<MatchRecord, Problem> {
        transact!(self, caller.marker(self, "rematch")?, |tx| async {
            let old: Option<MatchRecord> = tx.read(&MatchRecord::key(id)).await?;
            let old = old.ok_or_else(|| Problem::not_found("match"))?;
            if old.status != MatchStatus::Ended {
                return Err(Problem::new(Code::NotReady, "the match has not ended"));
            }
            let seats = old.seats_of(&caller.account.id);
            if seats.is_empty() {
                return Err(Problem::new(Code::NotAllowed, "you did not play in this match"));
            }
            let before = existing_rematch(&mut tx, &old).await?;
            let mut record = match &before {
                Some(record) => record.clone(),
                None => self.new_rematch(&mut tx, &old, caller)?,
            };
            if record.status == MatchStatus::Playing && record.participants().contains(&caller.account.id) {
                return Ok(record);
            }
            if record.status != MatchStatus::Open {
                return Err(Problem::new(Code::Closed, "the others have started without you"));
            }
            if record.seats_of(&caller.account.id).is_empty() {
                for seat in seats {
                    self.seat_account(&mut tx, &mut record, seat, &caller.account.id).await?;
                    record.seats[usize::from(seat)].ready = true;
                }
            }
            self.start_if_all_ready(&mut tx, &mut record)?;
            self.save_match(&mut tx, before.as_ref(), &record).await?;
            Ok(record)
        })
    }

    /// Creates a match with the settings of the old one and its seats reserved.
    fn new_rematch(
        &self,
        tx: &mut ServiceTransaction<'_>,
        old: &MatchRecord,
        caller: &Caller,
    ) -> Result<MatchRecord, Problem> {
        let reserve = |seat: &SeatRecord| match seat.bot {
            Some(bot) => SeatRecord::for_bot(bot),
            None => SeatRecord { reserved_for: seat.account.clone(), ..SeatRecord::default() },
        };
        let id = MatchId(self.new_id()?);
        let seats = old.seats.iter().map(reserve).collect();
        let record = MatchRecord {
            name: old.name.clone(),
            host: Some(caller.account.id.clone()),
            teams: old.teams.clone(),
            options: old.options.clone(),
            private: old.private,
            code: if old.private { Some(self.new_code()?) } else { None },
            stake: old.stake.clone(),
            rated: old.rated,
            hotseat: old.hotseat,
            clock: old.clock,
            spectators: old.spectators,
            rematch_of: Some(old.id.to_string()),
            ..MatchRecord::new(id, old.ruleset.clone(), seats, self.now())
        };
        let old = MatchRecord { rematch: Some(record.id.to_string()), ..old.clone() };
        tx.write(&MatchRecord::key(old.id), &old)?;
        Ok(record)
    }
}

/// Returns the rematch, unless it was cancelled.
async fn existing_rematch(
    tx: &mut ServiceTransaction<'_>,
    old: &MatchRecord,
) -> Result<Option<MatchRecord>, Problem> {
    let Some(next) = &old.rematch else { return Ok(None) };
    let next: MatchId = next.parse().map_err(|_| internal("a rematch id cannot be parsed"))?;
    let record: Option<MatchRecord> = tx.read(&MatchRecord::key(next)).await?;
    Ok(record.filter(|record| record.status != MatchStatus::Cancelled))
}
