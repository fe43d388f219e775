//! How much is taken from one address, one account and one connection.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use intermezzo_protocol::{Code, Problem};
use intermezzo_store::MatchId;

use crate::config::Limits;

/// So much may come at once, in seconds' worth.
const BURST: u32 = 4;
/// So many sockets more than connections: for requests, which soon end, and for those who are only refused.
const SPARE_SOCKETS: usize = 200;

/// How much is taken from one address and one account.
pub(crate) struct Throttle {
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    accounts: DefaultKeyedRateLimiter<u128>,
    newcomers: DefaultKeyedRateLimiter<IpAddr>,
    per_connection: Quota,
    connections: Arc<Places<IpAddr>>,
    sockets: Arc<Places<IpAddr>>,
    late: Arc<Places<MatchId>>,
}

/// Room for so many, in all and for each address or match.
struct Places<K: Key> {
    taken: Mutex<Taken<K>>,
    max: usize,
    max_each: usize,
    /// The gauge that shows how many there are.
    gauge: &'static str,
}

struct Taken<K> {
    all: usize,
    each: HashMap<K, usize>,
}

/// What places are counted by.
pub(crate) trait Key: Copy + Eq + Hash {}

impl Key for IpAddr {}
impl Key for MatchId {}

/// Room for one; given back when it is dropped.
pub(crate) struct Place<K: Key = IpAddr> {
    places: Arc<Places<K>>,
    key: K,
}

/// Why there is no room.
enum Full {
    InAll,
    There,
}

impl Throttle {
    pub(crate) fn new(limits: &Limits) -> Throttle {
        let per_second = |number: u32| {
            let rate = NonZeroU32::new(number.max(1)).unwrap_or(NonZeroU32::MIN);
            Quota::per_second(rate).allow_burst(rate.saturating_mul(NonZeroU32::new(BURST).unwrap_or(rate)))
        };
        let newcomers = NonZeroU32::new(limits.accounts_per_minute.max(1)).unwrap_or(NonZeroU32::MIN);
        Throttle {
            addresses: RateLimiter::keyed(per_second(limits.address_per_second)),
            accounts: RateLimiter::keyed(per_second(limits.account_per_second)),
            newcomers: RateLimiter::keyed(Quota::per_minute(newcomers)),
            per_connection: per_second(limits.frames_per_second),
            connections: Places::new(
                limits.connections,
                limits.connections_per_address,
                "intermezzo_connections",
            ),
            sockets: Places::new(
                limits.connections.saturating_add(SPARE_SOCKETS),
                limits.connections_per_address.saturating_add(SPARE_SOCKETS),
                "intermezzo_sockets",
            ),
            late: Places::new(usize::MAX, limits.spectators, "intermezzo_late_spectators"),
        }
    }

    /// A request or a connection from that address.
    pub(crate) fn address(&self, address: IpAddr) -> Result<(), Problem> {
        self.addresses.check_key(&address).map_err(|wait| too_many(wait.wait_time_from(now())))
    }

    /// A request or a frame of that account.
    pub(crate) fn account(&self, account: u128) -> Result<(), Problem> {
        self.accounts.check_key(&account).map_err(|wait| too_many(wait.wait_time_from(now())))
    }

    /// A new account, a signing in or a code from that address: what nobody needs often, and guessing does.
    pub(crate) fn newcomer(&self, address: IpAddr) -> Result<(), Problem> {
        self.newcomers.check_key(&address).map_err(|wait| too_many(wait.wait_time_from(now())))
    }

    /// The frames of one connection.
    pub(crate) fn connection(&self) -> DefaultDirectRateLimiter {
        RateLimiter::direct(self.per_connection)
    }

    /// Room for one more WebSocket from that address.
    pub(crate) fn place(&self, address: IpAddr) -> Result<Place, Problem> {
        self.connections.take(address, false).map_err(|full| match full {
            Full::InAll => Problem::new(Code::Busy, "there are too many connections; try again later"),
            Full::There => Problem::new(Code::TooMany, "there are too many connections from your address"),
        })
    }

    /// Room for one more socket from that address, whatever it will be used for. Proxies have many.
    pub(crate) fn socket(&self, address: IpAddr, proxies: &[IpAddr]) -> Option<Place> {
        self.sockets.take(address, proxies.contains(&address)).ok()
    }

    /// Room for one more who looks on at that match with a delay: each of them has the match run again.
    pub(crate) fn late(&self, id: MatchId) -> Result<Place<MatchId>, Problem> {
        let full = |_| Problem::new(Code::TooMany, "too many look on at this match already");
        self.late.take(id, false).map_err(full)
    }

    /// Forgets those that have been quiet.
    pub(crate) fn forget_quiet(&self) {
        self.addresses.retain_recent();
        self.accounts.retain_recent();
        self.newcomers.retain_recent();
    }
}

impl<K: Key> Places<K> {
    fn new(max: usize, max_each: usize, gauge: &'static str) -> Arc<Places<K>> {
        let taken = Mutex::new(Taken { all: 0, each: HashMap::new() });
        Arc::new(Places { taken, max, max_each, gauge })
    }

    fn take(self: &Arc<Places<K>>, key: K, may_have_many: bool) -> Result<Place<K>, Full> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.max {
            return Err(Full::InAll);
        }
        let here = taken.each.entry(key).or_default();
        if *here >= self.max_each && !may_have_many {
            return Err(Full::There);
        }
        *here += 1;
        taken.all += 1;
        metrics::gauge!(self.gauge).set(taken.all as f64);
        Ok(Place { places: Arc::clone(self), key })
    }
}

impl<K: Key> Drop for Place<K> {
    fn drop(&mut self) {
        let Place { places, key } = self;
        let mut taken = places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all = taken.all.saturating_sub(1);
        metrics::gauge!(places.gauge).set(taken.all as f64);
        if let Some(here) = taken.each.get_mut(key) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                taken.each.remove(key);
            }
        }
    }
}

fn now() -> <DefaultClock as Clock>::Instant {
    DefaultClock::default().now()
}

pub(crate) fn too_many(wait: std::time::Duration) -> Problem {
    let ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    Problem::new(Code::TooMany, format!("try again in {ms} ms")).with("retryAfterMs", ms)
}
