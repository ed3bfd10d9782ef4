//! How many connections one address may have, so that none takes all places.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places of each address.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    /// Only addresses with a connection stand here.
    taken: Arc<Mutex<HashMap<IpAddr, u32>>>,
    each_max: u32,
}

/// A place; it is free again once this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Places,
    address: IpAddr,
}

impl Places {
    /// Gives each address so many places.
    pub(crate) fn new(each_max: u32) -> Self {
        Self { taken: Arc::default(), each_max }
    }

    /// Takes a place for an address, or `None` where it has none left. Whoever has one address of
    /// IPv6 has 2⁶⁴ of them, which count as one.
    pub(crate) fn take(&self, address: IpAddr) -> Option<Place> {
        let address = whole(address);
        let mut taken = self.lock();
        let count = taken.entry(address).or_default();
        if *count >= self.each_max {
            return None;
        }
        *count += 1;
        Some(Place { places: self.clone(), address })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

fn whole(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_its_places_and_no_more() {
        let places = Places::new(2);
        let first = places.take(ip("192.0.2.1")).unwrap();
        let second = places.take(ip("::ffff:192.0.2.1")).unwrap();
        assert!(places.take(ip("192.0.2.1")).is_none());
        let other = places.take(ip("192.0.2.2")).unwrap();
        drop(first);
        assert!(places.take(ip("192.0.2.1")).is_some());
        drop((second, other));
        assert_eq!(places.lock().len(), 0, "an address without a connection is remembered");
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one() {
        let places = Places::new(1);
        let _place = places.take(ip("2001:db8::1")).unwrap();
        assert!(places.take(ip("2001:db8::ffff:1")).is_none());
        assert!(places.take(ip("2001:db8:0:1::1")).is_some());
    }
}
