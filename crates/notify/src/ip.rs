//! Classification of IP addresses: whether an address belongs to a host on the public internet
//! (IANA special-purpose address registries).

use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public.
const SPECIAL_V4: [Ipv4Net; 16] = [
    // This network.
    v4([0, 0, 0, 0], 8),
    // Private.
    v4([10, 0, 0, 0], 8),
    v4([172, 16, 0, 0], 12),
    v4([192, 168, 0, 0], 16),
    // Shared addresses of carriers.
    v4([100, 64, 0, 0], 10),
    // Loopback.
    v4([127, 0, 0, 0], 8),
    // Link-local, also the metadata services of clouds.
    v4([169, 254, 0, 0], 16),
    // Host agent of Azure.
    v4([168, 63, 129, 16], 32),
    // Protocol assignments.
    v4([192, 0, 0, 0], 24),
    // Documentation.
    v4([192, 0, 2, 0], 24),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    // Former 6to4 relays.
    v4([192, 88, 99, 0], 24),
    // Benchmarks.
    v4([198, 18, 0, 0], 15),
    // Multicast, reserved, broadcast.
    v4([224, 0, 0, 0], 4),
    v4([240, 0, 0, 0], 4),
];
/// The IPv6 network of all public addresses.
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
/// Parts of [`GLOBAL_V6`] that are not public.
const SPECIAL_V6: [Ipv6Net; 4] = [
    // Protocol assignments, among them Teredo, benchmarks and ORCHID.
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    // Documentation.
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
    // 6to4.
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
];
/// Network of IPv4 addresses that a NAT64 gateway translates (RFC 6052).
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::from_octets(octets), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::from_segments(segments), prefix)
}

/// Returns whether an address is public.
///
/// An IPv4 address inside of an IPv6 address is public if the IPv4 address is. Tunnels (6to4,
/// Teredo), local NAT64 prefixes and documentation addresses are not public.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if NAT64.contains(&address) => {
            let [.., a, b, c, d] = address.octets();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address)
                && !SPECIAL_V6.iter().any(|network| network.contains(&address))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|network| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(addresses: &[&str], expected: bool) {
        for text in addresses {
            assert_eq!(is_public(text.parse().unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn public_addresses_are_recognised() {
        check(
            &[
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "168.63.129.15",
                "168.63.129.17",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.0.3.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2606:4700:4700::1111",
                "2a00:1450::1",
                "3ffe::1",
                "3fff:1000::1",
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
            ],
            true,
        );
    }

    #[test]
    fn special_ipv4_addresses_are_refused() {
        check(
            &[
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "10.255.255.255",
                "100.64.0.0",
                "100.100.100.200",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.254",
                "168.63.129.16",
                "169.254.0.1",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.1",
                "192.0.0.170",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.0.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.7",
                "203.0.113.7",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
            ],
            false,
        );
    }

    #[test]
    fn special_ipv6_addresses_are_refused() {
        check(
            &[
                "::",
                "::1",
                "::8.8.8.8",
                "::127.0.0.1",
                "::ffff:0.0.0.0",
                "::ffff:10.0.0.1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "64:ff9b::127.0.0.1",
                "64:ff9b::10.1.2.3",
                "64:ff9b::169.254.169.254",
                "64:ff9b:1::8.8.8.8",
                "64:ff9b:1:ffff::1",
                "100::1",
                "2001::1",
                "2001:0:808:808::1",
                "2001:2::1",
                "2001:10::1",
                "2001:20::1",
                "2001:1ff::1",
                "2001:db8::1",
                "2002:7f00:1::1",
                "2002:808:808::1",
                "3fff::1",
                "3fff:fff::1",
                "4000::1",
                "5f00::1",
                "fc00::1",
                "fd12:3456::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1",
                "ff0e::1",
            ],
            false,
        );
    }
}
