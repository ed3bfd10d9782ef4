//! Whose request it is: the address by which clients are told apart and limited.
//!
//! What a client says of itself is believed only from a proxy next door, and only what that proxy
//! itself added: the last address.

use hyper::HeaderMap;
use std::net::{IpAddr, SocketAddr};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Returns the client's address. With `is_behind_proxy`, a peer on this machine or in its private
/// network is a proxy that names the client; any other peer is the client.
pub(super) fn client(peer: SocketAddr, headers: &HeaderMap, is_behind_proxy: bool) -> SocketAddr {
    if !is_through_proxy(peer, is_behind_proxy) {
        return peer;
    }
    let last = headers.get_all(FORWARDED_FOR).iter().next_back();
    let named = last.and_then(|value| value.to_str().ok()?.rsplit(',').next());
    named.and_then(|text| address(text.trim())).map_or(peer, |ip| SocketAddr::new(ip, 0))
}

/// Whether a proxy that is believed stands between the client and us.
pub(super) fn is_through_proxy(peer: SocketAddr, is_behind_proxy: bool) -> bool {
    is_behind_proxy && is_next_door(peer.ip())
}

fn is_next_door(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// Some proxies write the port too.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(|| text.parse().ok().map(|with_port: SocketAddr| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(peer: &str, headers: &[&'static str], is_behind_proxy: bool, expect: &str) {
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(FORWARDED_FOR, hyper::header::HeaderValue::from_static(value));
        }
        let peer = SocketAddr::new(peer.parse().unwrap(), 7);
        assert_eq!(client(peer, &map, is_behind_proxy).ip().to_string(), expect, "{headers:?}");
    }

    #[test]
    fn only_a_proxy_next_door_is_believed() {
        check("127.0.0.1", &["192.0.2.1"], true, "192.0.2.1");
        check("::1", &["192.0.2.1"], true, "192.0.2.1");
        check("10.0.0.3", &["2001:db8::1"], true, "2001:db8::1");
        check("::ffff:10.0.0.3", &["192.0.2.1"], true, "192.0.2.1");
        check("198.51.100.1", &["192.0.2.1"], true, "198.51.100.1");
        check("127.0.0.1", &["192.0.2.1"], false, "127.0.0.1");
    }

    #[test]
    fn only_what_the_proxy_itself_added_is_believed() {
        check("127.0.0.1", &["203.0.113.9, 192.0.2.1"], true, "192.0.2.1");
        check("127.0.0.1", &["203.0.113.9", "192.0.2.1"], true, "192.0.2.1");
        check("127.0.0.1", &["192.0.2.1:4711"], true, "192.0.2.1");
        check("127.0.0.1", &["[2001:db8::1]:4711"], true, "2001:db8::1");
        check("127.0.0.1", &["[2001:db8::1]"], true, "2001:db8::1");
        check("127.0.0.1", &[], true, "127.0.0.1");
        for odd in ["", "unknown", "192.0.2.1,", "_hidden, x"] {
            check("127.0.0.1", &[odd], true, "127.0.0.1");
        }
    }
}
