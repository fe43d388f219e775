//! Addresses of the servers. Clients may use any of them.

use std::net::SocketAddr;
use std::sync::Arc;

/// Addresses of all servers.
#[derive(Clone, Debug)]
pub(crate) struct ServerAddresses(Arc<[SocketAddr]>);

impl ServerAddresses {
    pub(crate) fn new(addresses: impl IntoIterator<Item = SocketAddr>) -> ServerAddresses {
        ServerAddresses(addresses.into_iter().collect())
    }

    /// Returns one of the addresses, by any number.
    pub(crate) fn pick(&self, number: u64) -> SocketAddr {
        self.0[(number % self.0.len() as u64) as usize]
    }
}
