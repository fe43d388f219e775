//! Invariants under random use, on a store that sometimes fails.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{CreateMatch, JoinQueue, MatchStatus, Sit};
use intermezzo_services::{AccountId, Caller, MatchRecord, PageQuery, Services};
use intermezzo_store::{CommitOutcome, FaultInjector, InjectedFault, MatchId, MemoryStore, Transaction};

use crate::fixture::{ServicesFixture, account_id, ending};

const PLAYERS: usize = 5;

/// Two servers on one store, with players who act at random.
struct RandomUse {
    fixture: ServicesFixture,
    servers: [Arc<Services>; 2],
    players: Vec<Caller>,
    matches: Vec<MatchId>,
}

impl RandomUse {
    /// Creates servers on a store that fails on demand.
    async fn on_faulty_store() -> (RandomUse, Arc<FaultInjector<MemoryStore>>) {
        let mut kept = None;
        let fixture = ServicesFixture::on_store(|clock| {
            let faulty = Arc::new(FaultInjector::scripted(MemoryStore::with_clock(clock), []));
            kept = Some(Arc::clone(&faulty));
            faulty
        })
        .await;
        (RandomUse::with_players(fixture).await, kept.unwrap())
    }

    async fn with_players(fixture: ServicesFixture) -> RandomUse {
        fixture.publish_rulesets().await;
        let mut players = Vec::new();
        for index in 0..PLAYERS {
            players.push(fixture.member(&format!("player{index}")).await);
        }
        let servers = [Arc::clone(&fixture.services), Arc::new(fixture.other_server())];
        RandomUse { fixture, servers, players, matches: Vec::new() }
    }

    /// Takes a random action. Its outcome does not matter, only the records afterwards.
    async fn step(
        &mut self,
        faulty: &FaultInjector<MemoryStore>,
        random: &mut Random,
    ) -> Result<(), Problem> {
        if random.happens(300) {
            let faults = [
                InjectedFault::UnknownCommitted,
                InjectedFault::UnknownNotCommitted,
                InjectedFault::NotCommitted,
            ];
            faulty.push_fault(*random.pick(&faults));
        }
        let server = Arc::clone(random.pick(&self.servers));
        let player = random.pick(&self.players).clone();
        let id = *random.pick(&[self.matches.as_slice(), &[MatchId(1)]].concat());
        match random.index(13) {
            0 | 1 => {
                let ruleset = random.pick(&["orcain", "tiny"]).to_string();
                let stake = random.happens(700);
                let hotseat = !stake && random.happens(500);
                let request = CreateMatch { ruleset, stake, hotseat, ..CreateMatch::default() };
                self.matches.push(server.create_match(&player, &request).await?.id);
            }
            2..=4 => self.check_stored(server.take_seat(&player, id, &Sit::default()).await?).await,
            5 => self.check_stored(server.leave_seat(&player, id, None).await?).await,
            6 => self.check_stored(server.set_ready(&player, id, true).await?).await,
            7 => self.check_stored(server.start_match(&player, id).await?.record).await,
            8 => self.check_stored(server.leave_match(&player, id).await?).await,
            9 => self.end_match(&server, id, random).await?,
            10 => self.matches.push(server.rematch(&player, id).await?.id),
            11 => {
                let stake = random.happens(500);
                server.join_queue(&player, "orcain", JoinQueue { stake }).await?;
            }
            _ => {
                let started = server.run_matchmaking("orcain").await?;
                self.matches.extend(started.iter().map(|started| started.record.id));
            }
        }
        self.fixture.clock.advance(random.below(3_000) as i64);
        Ok(())
    }

    /// Checks that a reported change was stored.
    async fn check_stored(&self, said: MatchRecord) {
        assert_eq!(self.fixture.services.match_record(said.id).await.unwrap(), said);
    }

    /// Ends a match like the server does: until the commit is certain.
    async fn end_match(&self, server: &Services, id: MatchId, random: &mut Random) -> Result<(), Problem> {
        let pot = *random.pick(&["winners", "split", "burn", "refund"]);
        let winner = random.index(2) as u8;
        loop {
            let settlement = server.prepare_settlement(id, ending(&[winner], &[1 - winner], pot)).await?;
            let transaction = Transaction { puts: settlement.puts, ..Transaction::default() };
            if self.fixture.store.commit(transaction).await == CommitOutcome::Committed {
                return Ok(());
            }
        }
    }

    async fn check(&self, what: &str) {
        let audit = self.fixture.services.audit_ledger().await.unwrap();
        assert!(audit.is_clean(), "{what}: {audit:?}");
        let mut busy: BTreeMap<AccountId, usize> = BTreeMap::new();
        let mut held = 0;
        for (key, record) in
            self.fixture.store.scan(intermezzo_store::prefix("match/"), 10_000, false).await.unwrap()
        {
            let record: MatchRecord = serde_json::from_slice(&record.value).unwrap();
            held += record.seats.iter().map(|seat| seat.paid).sum::<i64>();
            let is_live = matches!(record.status, MatchStatus::Open | MatchStatus::Playing);
            for account in record.participants() {
                let seats = record.seats_of(&account).len();
                assert!(seats < 2 || record.hotseat, "{what}: {key}");
                *busy.entry(account).or_default() += usize::from(is_live);
            }
            assert!(is_live || record.seats.iter().all(|seat| seat.paid == 0), "{what}: {key}");
        }
        assert_eq!(audit.held, held, "{what}");
        for player in &self.players {
            let key = format!("busy/{}", account_id(player));
            let kept = self.fixture.store.get(&key).await.unwrap();
            let kept: Vec<String> =
                kept.map_or(Vec::new(), |kept| serde_json::from_slice(&kept.value).unwrap());
            assert_eq!(kept.len(), busy.get(&account_id(player)).copied().unwrap_or(0), "{what}");
        }
    }
}

#[tokio::test]
async fn tokens_are_conserved_and_nobody_is_seated_twice() {
    for seed in 0..12 {
        let (mut random_use, faulty) = RandomUse::on_faulty_store().await;
        let mut random = Random::new(seed);
        let mut fine = 0;
        for step in 0..150 {
            fine += u32::from(random_use.step(&faulty, &mut random).await.is_ok());
            random_use.check(&format!("seed {seed} step {step}")).await;
        }
        assert!(fine > 40, "seed {seed}: only {fine} steps did something");
        assert_eq!(
            random_use.fixture.services.recount_ratings("orcain").await.unwrap_or(1),
            0,
            "seed {seed}"
        );
    }
}

#[tokio::test]
async fn an_account_with_uncertain_creation_has_its_tokens_or_does_not_exist() {
    for seed in 0..30 {
        let (random_use, faulty) = RandomUse::on_faulty_store().await;
        let mut random = Random::new(seed);
        for _ in 0..10 {
            let faults = [
                InjectedFault::None,
                InjectedFault::UnknownCommitted,
                InjectedFault::UnknownNotCommitted,
                InjectedFault::NotCommitted,
            ];
            (0..3).for_each(|_| faulty.push_fault(*random.pick(&faults)));
            let _ = random_use.fixture.services.create_account(&Default::default()).await;
        }
        let accounts =
            random_use.fixture.store.scan(intermezzo_store::prefix("account/"), 100, false).await.unwrap();
        let audit = random_use.fixture.services.audit_ledger().await.unwrap();
        assert_eq!(audit.tokens, 100 * accounts.len() as i64, "seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_joins_get_different_seats() {
    for round in 0..4 {
        let (fixture, _folder) = ServicesFixture::on_disk().await;
        let random_use = RandomUse::with_players(fixture).await;
        let request = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
        let open = random_use.fixture.services.create_match(&random_use.players[0], &request).await.unwrap();
        let tasks: Vec<_> = random_use.players[1..]
            .iter()
            .enumerate()
            .map(|(index, player)| {
                let (server, player) = (Arc::clone(&random_use.servers[index % 2]), player.clone());
                tokio::spawn(async move { server.take_seat(&player, open.id, &Sit::default()).await.is_ok() })
            })
            .collect();
        let mut seated = 0;
        for task in tasks {
            seated += usize::from(task.await.unwrap());
        }
        assert_eq!(seated, 2, "round {round}");
        let record = random_use.fixture.services.match_record(open.id).await.unwrap();
        assert_eq!(record.participants().len(), 3, "round {round}");
        random_use.check(&format!("round {round}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn matches_that_end_concurrently_are_each_settled_once() {
    let (fixture, _folder) = ServicesFixture::on_disk().await;
    let random_use = RandomUse::with_players(fixture).await;
    let (anna, bert) = (&random_use.players[0], &random_use.players[1]);
    let mut duels = Vec::new();
    for _ in 0..8 {
        duels.push(random_use.fixture.start_duel(anna, bert).await.id);
    }
    let tasks: Vec<_> = duels
        .iter()
        .flat_map(|duel| [(*duel, 0), (*duel, 1)])
        .map(|(duel, server)| {
            let (server, store) =
                (Arc::clone(&random_use.servers[server]), Arc::clone(&random_use.fixture.store));
            tokio::spawn(async move {
                loop {
                    let Ok(settlement) = server.prepare_settlement(duel, ending(&[0], &[1], "winners")).await
                    else {
                        return false;
                    };
                    let transaction = Transaction { puts: settlement.puts, ..Transaction::default() };
                    if store.commit(transaction).await == CommitOutcome::Committed {
                        return true;
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let mut settlement = 0;
    for task in tasks {
        settlement += u32::from(task.await.unwrap());
    }
    assert_eq!(settlement, 8);
    assert_eq!((random_use.fixture.balance(anna).await, random_use.fixture.balance(bert).await), (108, 92));
    let rating = random_use.fixture.services.rating("orcain", &account_id(anna)).await.unwrap();
    assert_eq!((rating.matches, rating.wins), (8, 8));
    assert_eq!(random_use.fixture.services.recount_ratings("orcain").await.unwrap(), 0);
    let page = random_use.fixture.services.matches_of(&account_id(anna), PageQuery::default()).await.unwrap();
    assert!(page.items.iter().all(|record| record.status == MatchStatus::Ended));
    random_use.check("afterwards").await;
}
