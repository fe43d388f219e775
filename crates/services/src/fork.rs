//! Forks: new matches that continue from any point of a finished one.

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::MatchStatus;
use intermezzo_store::MatchId;

use super::Services;
use super::accounts::active_account;
use super::idempotency::Caller;
use super::matches::{MatchRecord, SeatRecord};
use super::transaction::transact;

impl Services {
    /// Creates a match that begins with the given rows. The caller gets all seats that people had. The match
    /// is private, unrated and without a stake.
    ///
    /// # Errors
    ///
    /// If the account is part of too many matches.
    pub async fn fork_match(
        &self,
        caller: &Caller,
        original: &MatchRecord,
        rows: Vec<Vec<u8>>,
    ) -> Result<MatchRecord, Problem> {
        let id = MatchId(self.new_id()?);
        transact!(self, caller.marker(self, "fork")?, |tx| async {
            let name = active_account(&mut tx, &caller.account.id).await?.name;
            let seat = |seat: &SeatRecord| match seat.bot {
                Some(bot) => SeatRecord::for_bot(bot),
                None => SeatRecord {
                    account: Some(caller.account.id.clone()),
                    name: Some(name.clone()),
                    ready: true,
                    ..SeatRecord::default()
                },
            };
            let now = self.now();
            let seats = original.seats.iter().map(seat).collect();
            let record = MatchRecord {
                name: original.name.clone(),
                status: MatchStatus::Playing,
                host: Some(caller.account.id.clone()),
                teams: original.teams.clone(),
                options: original.options.clone(),
                private: true,
                hotseat: true,
                clock: original.clock,
                spectators: original.spectators,
                seed: original.seed.clone(),
                commitment: original.commitment.clone(),
                started_ms: Some(now),
                ..MatchRecord::new(id, original.ruleset.clone(), seats, now)
            };
            tx.append_first_rows(id, rows.clone(), now);
            self.save_match(&mut tx, None, &record).await?;
            Ok::<_, Problem>(record)
        })
    }
}
