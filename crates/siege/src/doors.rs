//! Where servers can be reached: any of them will do.

use std::net::SocketAddr;
use std::sync::Arc;

/// The addresses of all servers.
#[derive(Clone, Debug)]
pub(crate) struct Doors(Arc<[SocketAddr]>);

impl Doors {
    pub(crate) fn new(addresses: impl IntoIterator<Item = SocketAddr>) -> Doors {
        Doors(addresses.into_iter().collect())
    }

    /// One of them, by any number.
    pub(crate) fn door(&self, number: u64) -> SocketAddr {
        self.0[(number % self.0.len() as u64) as usize]
    }
}
