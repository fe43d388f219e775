//! What holds whatever people do, in whatever order, on a store that fails now and then.

use std::collections::BTreeMap;
use std::sync::Arc;

use intermezzo_bots::Random;
use intermezzo_protocol::Problem;
use intermezzo_protocol::resources::{CreateMatch, JoinQueue, MatchStatus, Sit};
use intermezzo_server::house::{AccountId, Caller, House, MatchRecord, Window};
use intermezzo_store::{Fault, Faulty, MatchId, Memory, Outcome, Transaction};

use crate::world::{World, ending, id};

const PLAYERS: usize = 5;

/// Two servers on one store that fails, and who plays there.
struct Town {
    world: World,
    faulty: Arc<Faulty<Memory>>,
    servers: [Arc<House>; 2],
    players: Vec<Caller>,
    matches: Vec<MatchId>,
}

impl Town {
    async fn new() -> Town {
        let mut kept = None;
        let world = World::on(|clock| {
            let faulty = Arc::new(Faulty::scripted(Memory::with_clock(clock), []));
            kept = Some(Arc::clone(&faulty));
            faulty
        })
        .await;
        world.publish().await;
        let mut players = Vec::new();
        for index in 0..PLAYERS {
            players.push(world.guest(&format!("player{index}")).await);
        }
        let servers = [Arc::clone(&world.house), Arc::new(world.neighbour())];
        Town { world, faulty: kept.unwrap(), servers, players, matches: Vec::new() }
    }

    /// Does something by chance. What it came to does not matter, only what is left of it.
    async fn step(&mut self, random: &mut Random) -> Result<(), Problem> {
        if random.happens(300) {
            let faults = [Fault::UnknownLanded, Fault::UnknownLost, Fault::DefinitelyNot];
            self.faulty.then(*random.pick(&faults));
        }
        let server = Arc::clone(random.pick(&self.servers));
        let player = random.pick(&self.players).clone();
        let id = *random.pick(&[self.matches.as_slice(), &[MatchId(1)]].concat());
        match random.index(13) {
            0 | 1 => {
                let ruleset = random.pick(&["orcain", "tiny"]).to_string();
                let stake = random.happens(700);
                let hotseat = !stake && random.happens(500);
                let wish = CreateMatch { ruleset, stake, hotseat, ..CreateMatch::default() };
                self.matches.push(server.create_match(&player, &wish).await?.id);
            }
            2..=4 => self.kept(server.sit(&player, id, &Sit::default()).await?).await,
            5 => self.kept(server.stand(&player, id, None).await?).await,
            6 => self.kept(server.ready(&player, id, true).await?).await,
            7 => self.kept(server.start(&player, id).await?.record).await,
            8 => self.kept(server.leave(&player, id).await?).await,
            9 => self.end(&server, id, random).await?,
            10 => self.matches.push(server.rematch(&player, id).await?.id),
            11 => {
                let stake = random.happens(500);
                server.join_queue(&player, "orcain", JoinQueue { stake }).await?;
            }
            _ => {
                let started = server.match_up("orcain").await?;
                self.matches.extend(started.iter().map(|started| started.record.id));
            }
        }
        self.world.clock.advance(random.below(3_000) as i64);
        Ok(())
    }

    /// What was said to have happened has happened.
    async fn kept(&self, said: MatchRecord) {
        assert_eq!(self.world.house.match_record(said.id).await.unwrap(), said);
    }

    /// Ends a match as whoever plays it does: until it is certain.
    async fn end(&self, server: &House, id: MatchId, random: &mut Random) -> Result<(), Problem> {
        let pot = *random.pick(&["winners", "split", "burn", "refund"]);
        let winner = random.index(2) as u8;
        loop {
            let settled = server.settlement(id, ending(&[winner], &[1 - winner], pot)).await?;
            let transaction = Transaction { puts: settled.puts, ..Transaction::default() };
            if self.world.store.commit(transaction).await == Outcome::Committed {
                return Ok(());
            }
        }
    }

    async fn check(&self, what: &str) {
        let audit = self.world.house.audit().await.unwrap();
        assert!(audit.is_clean(), "{what}: {audit:?}");
        let mut busy: BTreeMap<AccountId, usize> = BTreeMap::new();
        let mut held = 0;
        for (key, record) in
            self.world.store.scan(intermezzo_store::prefix("match/"), 10_000, false).await.unwrap()
        {
            let record: MatchRecord = serde_json::from_slice(&record.value).unwrap();
            held += record.seats.iter().map(|seat| seat.paid).sum::<i64>();
            let is_live = matches!(record.status, MatchStatus::Open | MatchStatus::Playing);
            for account in record.people() {
                let seats = record.seats_of(&account).len();
                assert!(seats < 2 || record.hotseat, "{what}: {key}");
                *busy.entry(account).or_default() += usize::from(is_live);
            }
            assert!(is_live || record.seats.iter().all(|seat| seat.paid == 0), "{what}: {key}");
        }
        assert_eq!(audit.held, held, "{what}");
        for player in &self.players {
            let key = format!("busy/{}", id(player));
            let kept = self.world.store.get(&key).await.unwrap();
            let kept: Vec<String> =
                kept.map_or(Vec::new(), |kept| serde_json::from_slice(&kept.value).unwrap());
            assert_eq!(kept.len(), busy.get(&id(player)).copied().unwrap_or(0), "{what}");
        }
    }
}

#[tokio::test]
async fn tokens_are_conserved_and_nobody_is_seated_twice_whatever_happens() {
    for seed in 0..12 {
        let mut town = Town::new().await;
        let mut random = Random::new(seed);
        let mut fine = 0;
        for step in 0..150 {
            fine += u32::from(town.step(&mut random).await.is_ok());
            town.check(&format!("seed {seed} step {step}")).await;
        }
        assert!(fine > 40, "seed {seed}: only {fine} steps did something");
        assert_eq!(town.world.house.recount("orcain").await.unwrap_or(1), 0, "seed {seed}");
    }
}

#[tokio::test]
async fn an_account_that_could_not_be_made_for_certain_has_its_tokens_or_is_not_there() {
    for seed in 0..30 {
        let town = Town::new().await;
        let mut random = Random::new(seed);
        for _ in 0..10 {
            let faults = [Fault::None, Fault::UnknownLanded, Fault::UnknownLost, Fault::DefinitelyNot];
            (0..3).for_each(|_| town.faulty.then(*random.pick(&faults)));
            let _ = town.world.house.create_account(&Default::default()).await;
        }
        let accounts = town.world.store.scan(intermezzo_store::prefix("account/"), 100, false).await.unwrap();
        let audit = town.world.house.audit().await.unwrap();
        assert_eq!(audit.tokens, 100 * accounts.len() as i64, "seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn those_who_take_seats_at_the_same_time_get_different_ones() {
    for round in 0..10 {
        let town = Town::new().await;
        let wish = CreateMatch { ruleset: "tiny".to_owned(), stake: true, ..CreateMatch::default() };
        let open = town.world.house.create_match(&town.players[0], &wish).await.unwrap();
        let tasks: Vec<_> = town.players[1..]
            .iter()
            .enumerate()
            .map(|(index, player)| {
                let (server, player) = (Arc::clone(&town.servers[index % 2]), player.clone());
                tokio::spawn(async move { server.sit(&player, open.id, &Sit::default()).await.is_ok() })
            })
            .collect();
        let mut seated = 0;
        for task in tasks {
            seated += usize::from(task.await.unwrap());
        }
        assert_eq!(seated, 2, "round {round}");
        let record = town.world.house.match_record(open.id).await.unwrap();
        assert_eq!(record.people().len(), 3, "round {round}");
        town.check(&format!("round {round}")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn matches_that_end_at_the_same_time_are_each_settled_once() {
    let town = Town::new().await;
    let (anna, bert) = (&town.players[0], &town.players[1]);
    let mut duels = Vec::new();
    for _ in 0..8 {
        duels.push(town.world.duel(anna, bert).await.id);
    }
    let tasks: Vec<_> = duels
        .iter()
        .flat_map(|duel| [(*duel, 0), (*duel, 1)])
        .map(|(duel, server)| {
            let (server, store) = (Arc::clone(&town.servers[server]), Arc::clone(&town.world.store));
            tokio::spawn(async move {
                loop {
                    let Ok(settled) = server.settlement(duel, ending(&[0], &[1], "winners")).await else {
                        return false;
                    };
                    let transaction = Transaction { puts: settled.puts, ..Transaction::default() };
                    if store.commit(transaction).await == Outcome::Committed {
                        return true;
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let mut settled = 0;
    for task in tasks {
        settled += u32::from(task.await.unwrap());
    }
    assert_eq!(settled, 8);
    assert_eq!((town.world.balance(anna).await, town.world.balance(bert).await), (108, 92));
    let rating = town.world.house.rating("orcain", &id(anna)).await.unwrap();
    assert_eq!((rating.matches, rating.wins), (8, 8));
    assert_eq!(town.world.house.recount("orcain").await.unwrap(), 0);
    let page = town.world.house.matches_of(&id(anna), Window::default()).await.unwrap();
    assert!(page.items.iter().all(|record| record.status == MatchStatus::Ended));
    town.check("afterwards").await;
}
