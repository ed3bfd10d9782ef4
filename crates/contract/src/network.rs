//! Networks of client addresses, for rate limits and for the audit log.

use core::net::{IpAddr, Ipv6Addr};

/// Returns the network that rate limits count: the IPv4 address, or the IPv6 `/64`, which usually
/// belongs to one customer.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// Returns the network that is stored of an address, without the host: `/24` for IPv4, `/48` for
/// IPv6. An IPv4-mapped IPv6 address counts as IPv4.
pub fn network_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, c, _] = ip.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(ip) => {
            let [a, b, c, ..] = ip.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_reduced_to_network() {
        let check = |address: &str, expected: &str| {
            let address: core::net::Ipv6Addr = address.parse().unwrap();
            assert_eq!(network_of(address.into()), expected, "{address}");
        };
        check("::ffff:203.0.113.77", "203.0.113.0/24");
        check("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48");
        check("2001:db8::1", "2001:db8::/48");
        check("fe80::1", "fe80::/48");
        check("::1", "::/48");
    }
}
