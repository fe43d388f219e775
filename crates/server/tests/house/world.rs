//! A house to try things in, with a clock that is moved by hand.

use std::sync::Arc;

use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{CreateMatch, EndingInfo, NewAccount, Sit};
use intermezzo_server::house::{AccountId, Caller, House, MatchRecord, Started};
use intermezzo_store::{Clock, ManualClock, MatchId, Memory, Outcome, Store, Transaction};

pub(crate) const ORCAIN: &str = include_str!("../../../../rulesets/orcain/ruleset.yaml");

/// Two to four seats, nothing hidden, over at once; with a stake.
pub(crate) const TINY: &str = "
ir: 1
ruleset: {id: tiny, version: 1.0.0, name: Tiny, description: Nothing much., uses: [core@1]}
options:
  entry: {type: int, default: 5, min: 0, max: 1000}
  mood:  {type: maybe<int>, default: null}
stakes: {currency: token, entry: options.entry, pot: options.entry * players.count}
players: {min: 2, max: 4, seats: 3}
outcomes: [done]
flow: [{end: done}]
";

pub(crate) struct World {
    pub(crate) house: Arc<House>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<ManualClock>,
}

impl World {
    /// In memory.
    pub(crate) async fn new() -> World {
        World::on(|clock| Arc::new(Memory::with_clock(clock))).await
    }

    /// On any store.
    pub(crate) async fn on(store: impl FnOnce(Arc<dyn Clock>) -> Arc<dyn Store>) -> World {
        let clock = Arc::new(ManualClock::new(1_000_000_000_000));
        let store = store(Arc::clone(&clock) as Arc<dyn Clock>);
        let house = Arc::new(House::new(Arc::clone(&store)));
        World { house, store, clock }
    }

    /// With two rulesets published.
    pub(crate) async fn with_rulesets() -> World {
        let world = World::new().await;
        world.publish().await;
        world
    }

    pub(crate) async fn publish(&self) {
        self.house.publish_bundled(bundled()).await.unwrap();
    }

    /// Another server on the same store.
    pub(crate) fn neighbour(&self) -> House {
        House::new(Arc::clone(&self.store))
    }

    pub(crate) async fn guest(&self, name: &str) -> Caller {
        let wish = NewAccount { name: Some(name.to_owned()), password: None };
        let signed_in = self.house.create_account(&wish).await.unwrap();
        Caller::from(self.house.who(&signed_in.token).await.unwrap())
    }

    pub(crate) async fn balance(&self, caller: &Caller) -> i64 {
        self.house.balance(&caller.account.id).await.unwrap()
    }

    /// A staked duel that has started.
    pub(crate) async fn duel(&self, one: &Caller, other: &Caller) -> MatchRecord {
        let wish = CreateMatch { ruleset: "orcain".to_owned(), stake: true, ..CreateMatch::default() };
        let made = self.house.create_match(one, &wish).await.unwrap();
        self.house.sit(other, made.id, &Sit::default()).await.unwrap();
        self.house.ready(one, made.id, true).await.unwrap();
        self.house.ready(other, made.id, true).await.unwrap()
    }

    /// Ends a match as whoever plays it would.
    pub(crate) async fn end(&self, id: MatchId, ending: EndingInfo) -> Result<MatchRecord, Problem> {
        let settled = self.house.settlement(id, ending).await?;
        let transaction = Transaction { puts: settled.puts, ..Transaction::default() };
        assert_eq!(self.store.commit(transaction).await, Outcome::Committed);
        Ok(settled.record)
    }
}

pub(crate) fn bundled() -> Vec<(String, Vec<(String, String)>)> {
    let one = |name: &str, text: &str| (name.to_owned(), vec![("ruleset.yaml".to_owned(), text.to_owned())]);
    vec![one("orcain", ORCAIN), one("tiny", TINY)]
}

pub(crate) fn id(caller: &Caller) -> AccountId {
    caller.account.id.clone()
}

/// The match ended like this.
pub(crate) fn ending(winners: &[u8], losers: &[u8], pot: &str) -> EndingInfo {
    EndingInfo {
        outcome: "normal".to_owned(),
        winners: winners.to_vec(),
        losers: losers.to_vec(),
        pot: pot.to_owned(),
        reason: None,
    }
}

/// The code of what went wrong.
pub(crate) fn code<T>(outcome: Result<T, Problem>) -> &'static str {
    match outcome {
        Ok(_) => "fine",
        Err(problem) => problem.code.name(),
    }
}

pub(crate) fn records(started: Vec<Started>) -> Vec<MatchRecord> {
    started.into_iter().map(|started| started.record).collect()
}
