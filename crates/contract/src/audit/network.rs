//! Anonymised network addresses: only the network is stored, not the host.

use core::net::{IpAddr, Ipv6Addr};

/// Returns the network of an address: `/24` for IPv4, `/48` for IPv6. An IPv4-mapped IPv6 address
/// counts as IPv4.
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
