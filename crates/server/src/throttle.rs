//! How much is taken from one address, one account and one connection.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use intermezzo_protocol::{Code, Problem};

use crate::config::Limits;

/// So much may come at once, in seconds' worth.
const BURST: u32 = 4;

/// How much is taken from one address and one account.
pub(crate) struct Throttle {
    addresses: DefaultKeyedRateLimiter<IpAddr>,
    accounts: DefaultKeyedRateLimiter<u128>,
    newcomers: DefaultKeyedRateLimiter<IpAddr>,
    per_connection: Quota,
    connections: Mutex<Connections>,
    max_connections: usize,
    max_per_address: usize,
}

#[derive(Default)]
struct Connections {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Room for one connection; given back when it is dropped.
pub(crate) struct Place {
    throttle: Arc<Throttle>,
    address: IpAddr,
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
            connections: Mutex::default(),
            max_connections: limits.connections,
            max_per_address: limits.connections_per_address,
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

    /// A new account from that address.
    pub(crate) fn newcomer(&self, address: IpAddr) -> Result<(), Problem> {
        self.newcomers.check_key(&address).map_err(|wait| too_many(wait.wait_time_from(now())))
    }

    /// The frames of one connection.
    pub(crate) fn connection(&self) -> DefaultDirectRateLimiter {
        RateLimiter::direct(self.per_connection)
    }

    /// Room for one more connection from that address.
    pub(crate) fn place(self: &Arc<Throttle>, address: IpAddr) -> Result<Place, Problem> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.all >= self.max_connections {
            return Err(Problem::new(Code::Busy, "there are too many connections; try again later"));
        }
        let here = connections.by_address.entry(address).or_default();
        if *here >= self.max_per_address {
            return Err(Problem::new(Code::TooMany, "there are too many connections from your address"));
        }
        *here += 1;
        connections.all += 1;
        metrics::gauge!("intermezzo_connections").set(connections.all as f64);
        Ok(Place { throttle: Arc::clone(self), address })
    }

    /// Forgets those that have been quiet.
    pub(crate) fn forget_quiet(&self) {
        self.addresses.retain_recent();
        self.accounts.retain_recent();
        self.newcomers.retain_recent();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut connections = self.throttle.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.all = connections.all.saturating_sub(1);
        metrics::gauge!("intermezzo_connections").set(connections.all as f64);
        if let Some(here) = connections.by_address.get_mut(&self.address) {
            *here = here.saturating_sub(1);
            if *here == 0 {
                connections.by_address.remove(&self.address);
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
