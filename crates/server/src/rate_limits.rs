//! Rate limits and connection limits per address, account and connection.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use crate::config::ServerLimits;
use crate::network::client_network;

/// Allowed burst, as a multiple of the rate per second.
const BURST_SECONDS: u32 = 4;
/// Sockets beyond the connection limit: for short requests, and for connections that are rejected.
const SPARE_SOCKETS: usize = 200;

/// The limits of one server.
pub(crate) struct RateLimits {
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    accounts: DefaultKeyedRateLimiter<u128>,
    sign_ins: DefaultKeyedRateLimiter<IpAddr>,
    password_changes: DefaultKeyedRateLimiter<u128>,
    per_connection: Quota,
    connections: Arc<SlotPool<IpAddr>>,
    sockets: Arc<SlotPool<IpAddr>>,
    delayed_spectators: Arc<SlotPool<MatchId>>,
}

/// A limited number of slots, in total and per key.
struct SlotPool<K: SlotKey> {
    counts: Mutex<SlotCounts<K>>,
    max: usize,
    max_each: usize,
    /// Name of the gauge with the number of used slots.
    gauge: &'static str,
}

struct SlotCounts<K> {
    all: usize,
    each: HashMap<K, usize>,
}

/// A key by which slots are counted.
pub(crate) trait SlotKey: Copy + Eq + Hash {}

impl SlotKey for IpAddr {}
impl SlotKey for MatchId {}

/// A slot; released when dropped.
pub(crate) struct Slot<K: SlotKey = IpAddr> {
    pool: Arc<SlotPool<K>>,
    key: K,
}

/// The limit that is exhausted.
enum SlotError {
    Total,
    PerKey,
}

impl RateLimits {
    pub(crate) fn new(limits: &ServerLimits) -> RateLimits {
        let per_second = |number: u32| {
            let rate = NonZeroU32::new(number.max(1)).unwrap_or(NonZeroU32::MIN);
            Quota::per_second(rate)
                .allow_burst(rate.saturating_mul(NonZeroU32::new(BURST_SECONDS).unwrap_or(rate)))
        };
        let newcomers = NonZeroU32::new(limits.accounts_per_minute.max(1)).unwrap_or(NonZeroU32::MIN);
        RateLimits {
            addresses: RateLimiter::keyed(per_second(limits.address_per_second)),
            accounts: RateLimiter::keyed(per_second(limits.account_per_second)),
            sign_ins: RateLimiter::keyed(Quota::per_minute(newcomers)),
            password_changes: RateLimiter::keyed(Quota::per_minute(newcomers)),
            per_connection: per_second(limits.frames_per_second),
            connections: SlotPool::new(
                limits.connections,
                limits.connections_per_address,
                "intermezzo_connections",
            ),
            sockets: SlotPool::new(
                limits.connections.saturating_add(SPARE_SOCKETS),
                limits.connections_per_address.saturating_add(SPARE_SOCKETS),
                "intermezzo_sockets",
            ),
            delayed_spectators: SlotPool::new(
                limits.spectators.saturating_mul(4),
                limits.spectators,
                "intermezzo_late_spectators",
            ),
        }
    }

    /// Counts a request or connection from an address.
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), Problem> {
        self.addresses.check_key(&address).map_err(|wait| rate_limited(wait.wait_time_from(now())))
    }

    /// Counts a request or frame of an account.
    pub(crate) fn check_account(&self, account: u128) -> Result<(), Problem> {
        self.accounts.check_key(&account).map_err(|wait| rate_limited(wait.wait_time_from(now())))
    }

    /// Counts a new account, sign-in or match code from an address: rare in normal use, frequent when
    /// guessing.
    pub(crate) fn check_sign_in(&self, address: IpAddr) -> Result<(), Problem> {
        self.sign_ins.check_key(&address).map_err(|wait| rate_limited(wait.wait_time_from(now())))
    }

    /// Counts a change of an account's password, wherever it comes from.
    pub(crate) fn check_password_change(&self, account: u128) -> Result<(), Problem> {
        self.password_changes.check_key(&account).map_err(|wait| rate_limited(wait.wait_time_from(now())))
    }

    /// Returns the limiter for the frames of one connection.
    pub(crate) fn connection_limiter(&self) -> DefaultDirectRateLimiter {
        RateLimiter::direct(self.per_connection)
    }

    /// Returns the number of reserved connections.
    pub(crate) fn open_connections(&self) -> usize {
        self.connections.counts.lock().unwrap_or_else(PoisonError::into_inner).all
    }

    /// Reserves a WebSocket connection for an address.
    pub(crate) fn connection_slot(&self, address: IpAddr) -> Result<Slot, Problem> {
        self.connections.acquire(address, false).map_err(|full| match full {
            SlotError::Total => Problem::new(Code::Busy, "too many connections; try again later"),
            SlotError::PerKey => Problem::new(Code::TooMany, "too many connections from your address"),
        })
    }

    /// Reserves a socket for an address, whatever it is used for. Trusted proxies have no limit per address.
    pub(crate) fn socket_slot(&self, address: IpAddr, is_trusted_proxy: bool) -> Option<Slot> {
        self.sockets.acquire(client_network(address), is_trusted_proxy).ok()
    }

    /// Reserves a delayed spectator of a match: each needs its own replay.
    pub(crate) fn delayed_spectator_slot(&self, id: MatchId) -> Result<Slot<MatchId>, Problem> {
        let full = |_| Problem::new(Code::TooMany, "this match has too many spectators");
        self.delayed_spectators.acquire(id, false).map_err(full)
    }

    /// Drops the counters of idle clients.
    pub(crate) fn forget_idle(&self) {
        self.addresses.retain_recent();
        self.accounts.retain_recent();
        self.sign_ins.retain_recent();
        self.password_changes.retain_recent();
    }
}

impl<K: SlotKey> SlotPool<K> {
    fn new(max: usize, max_each: usize, gauge: &'static str) -> Arc<SlotPool<K>> {
        let counts = Mutex::new(SlotCounts { all: 0, each: HashMap::new() });
        Arc::new(SlotPool { counts, max, max_each, gauge })
    }

    fn acquire(self: &Arc<SlotPool<K>>, key: K, may_have_many: bool) -> Result<Slot<K>, SlotError> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.all >= self.max {
            return Err(SlotError::Total);
        }
        let here = counts.each.entry(key).or_default();
        if *here >= self.max_each && !may_have_many {
            return Err(SlotError::PerKey);
        }
        *here += 1;
        counts.all += 1;
        metrics::gauge!(self.gauge).set(counts.all as f64);
        Ok(Slot { pool: Arc::clone(self), key })
    }
}

impl<K: SlotKey> Drop for Slot<K> {
    fn drop(&mut self) {
        let Slot { pool, key } = self;
        let mut counts = pool.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.all = counts.all.saturating_sub(1);
        metrics::gauge!(pool.gauge).set(counts.all as f64);
        if let Some(here) = counts.each.get_mut(key) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                counts.each.remove(key);
            }
        }
    }
}

fn now() -> <DefaultClock as Clock>::Instant {
    DefaultClock::default().now()
}

pub(crate) fn rate_limited(wait: std::time::Duration) -> Problem {
    let ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    Problem::new(Code::TooMany, format!("rate limit exceeded; try again in {ms} ms")).with("retryAfterMs", ms)
}
