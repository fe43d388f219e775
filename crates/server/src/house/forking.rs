//! Going on from any point of a match that is over, in a match of one's own.

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::MatchStatus;
use intermezzo_store::MatchId;

use super::House;
use super::accounts::account_of;
use super::change::changing;
use super::matches::{MatchRecord, SeatRecord};
use super::once::Caller;

impl House {
    /// A match that begins with rows of its own making: the caller has all seats that people had. It counts for nothing,
    /// and nothing is staked.
    ///
    /// # Errors
    ///
    /// If the account is part of too many matches.
    pub(crate) async fn fork_match(
        &self,
        caller: &Caller,
        original: &MatchRecord,
        rows: Vec<Vec<u8>>,
    ) -> Result<MatchRecord, Problem> {
        let id = MatchId(self.new_id()?);
        changing!(self, caller.mark(self, "fork")?, |change| async {
            let name = account_of(&mut change, &caller.account.id).await?.name;
            let seat = |seat: &SeatRecord| match seat.bot {
                Some(bot) => SeatRecord::of_bot(bot),
                None => SeatRecord {
                    account: Some(caller.account.id.clone()),
                    name: Some(name.clone()),
                    ready: true,
                    ..SeatRecord::default()
                },
            };
            let now = self.now();
            let record = MatchRecord {
                id,
                status: MatchStatus::Playing,
                host: Some(caller.account.id.clone()),
                seats: original.seats.iter().map(seat).collect(),
                private: true,
                code: None,
                stake: None,
                rated: false,
                hotseat: true,
                created_ms: now,
                started_ms: Some(now),
                ended_ms: None,
                ending: None,
                rematch_of: None,
                rematch: None,
                ..original.clone()
            };
            change.begin_with(id, rows.clone(), now);
            self.keep_match(&mut change, None, &record).await?;
            Ok::<_, Problem>(record)
        })
    }
}
