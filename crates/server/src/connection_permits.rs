//! A limit on the connections of one address, so that no address can occupy all of them.

use contract::network::client_network;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts the connections of each address.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLimiter {
    /// Connections per address; only addresses with a connection are in the map.
    counts: Arc<Mutex<HashMap<IpAddr, u32>>>,
    per_address_max: u32,
}

/// A permit for one connection; dropping it releases the permit.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limiter: ConnectionLimiter,
    address: IpAddr,
}

impl ConnectionLimiter {
    /// Creates a limiter that allows `each_max` connections per address.
    pub(crate) fn new(each_max: u32) -> Self {
        Self { counts: Arc::default(), per_address_max: each_max }
    }

    /// Returns a permit for an address, or `None` if the address has reached its limit. An IPv6 /64
    /// network counts as one address, because one customer controls all 2⁶⁴ of them.
    pub(crate) fn acquire(&self, address: IpAddr) -> Option<ConnectionPermit> {
        let address = client_network(address);
        let mut counts = self.lock();
        let count = counts.entry(address).or_default();
        if *count >= self.per_address_max {
            return None;
        }
        *count += 1;
        Some(ConnectionPermit { limiter: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut counts = self.limiter.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            // Entries without connections are removed, so that the map does not grow with old
            // clients.
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn connections_per_address_are_limited() {
        let limiter = ConnectionLimiter::new(2);
        let first = limiter.acquire(ip("192.0.2.1")).unwrap();
        let second = limiter.acquire(ip("::ffff:192.0.2.1")).unwrap();
        assert!(limiter.acquire(ip("192.0.2.1")).is_none());
        let other = limiter.acquire(ip("192.0.2.2")).unwrap();
        drop(first);
        assert!(limiter.acquire(ip("192.0.2.1")).is_some());
        drop((second, other));
        assert_eq!(limiter.lock().len(), 0, "an address without a connection is still in the map");
    }

    #[test]
    fn ipv6_network_counts_as_one_address() {
        let limiter = ConnectionLimiter::new(1);
        let _place = limiter.acquire(ip("2001:db8::1")).unwrap();
        assert!(limiter.acquire(ip("2001:db8::ffff:1")).is_none());
        assert!(limiter.acquire(ip("2001:db8:0:1::1")).is_some());
    }
}
