//! The client address of a request. It distinguishes clients for limits.
//!
//! `X-Forwarded-For` is read only from trusted proxies, and only as far as they added to it: the
//! last address, and those before it while the address is that of a named proxy.

use hyper::HeaderMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Once;

use crate::listeners::Peer;
use crate::proxies::{TrustedProxies, is_private};

/// Request extension: the request came through a trusted proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyTrust {
    /// The peer has the address of a trusted proxy.
    ByAddress,
    /// The peer connected to the Unix socket.
    BySocket,
}

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Client address for the Unix socket if `X-Forwarded-For` is absent: this machine.
const SOCKET_CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Returns how a connection is recognised as a proxy's, or `None` if it is not.
pub(crate) fn proxy_trust(peer: Peer, proxies: &TrustedProxies) -> Option<ProxyTrust> {
    match peer {
        Peer::Socket => Some(ProxyTrust::BySocket),
        Peer::Address(peer) => proxies.contains(peer.ip()).then_some(ProxyTrust::ByAddress),
    }
}

/// Returns the client's address: the last one in `X-Forwarded-For` that is not a named proxy's. The
/// header is read from the right. Reading stops at the first text that is not an address, because
/// the text left of it cannot be trusted.
pub(crate) fn client_address(
    peer: Peer,
    headers: &HeaderMap,
    proxies: &TrustedProxies,
) -> SocketAddr {
    let mut client = match peer {
        Peer::Socket => SOCKET_CLIENT,
        Peer::Address(peer) => peer,
    };
    let mut values = headers.get_all(FORWARDED_FOR).iter().rev().peekable();
    if proxy_trust(peer, proxies).is_none() {
        if values.peek().is_some() {
            warn_untrusted_proxy(client.ip(), proxies);
        }
        return client;
    }
    // Compared as bytes, because a client can put any bytes into its part of the header.
    for hop in values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b',')) {
        let Some(ip) = str::from_utf8(hop).ok().and_then(|hop| parse_address(hop.trim())) else {
            break;
        };
        client = SocketAddr::new(ip, 0);
        if !proxies.is_named(ip) {
            break;
        }
    }
    client
}

/// Logs a warning once if a peer looks like a proxy that is not trusted. In that case all of its
/// clients share one address, and so one limit.
fn warn_untrusted_proxy(peer: IpAddr, proxies: &TrustedProxies) {
    static WARNED: Once = Once::new();
    if *proxies == TrustedProxies::Loopback && is_private(peer) {
        WARNED.call_once(|| {
            tracing::warn!(
                "X-Forwarded-For from `{peer}` is ignored, because it is not this machine; \
                 if that is your proxy, add `--trusted-proxy {peer}` or its network"
            );
        });
    }
}

/// Parses an address. Some proxies append the port.
fn parse_address(text: &str) -> Option<IpAddr> {
    // IPv6 addresses are in brackets in some headers, with or without a port.
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(|| text.parse().ok().map(|with_port: SocketAddr| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(peer: &str, headers: &[&str], is_behind_proxy: bool, expect: &str) {
        let proxies = if is_behind_proxy { TrustedProxies::Loopback } else { TrustedProxies::None };
        check_with(peer, headers, &proxies, expect);
    }

    #[track_caller]
    fn check_with(peer: &str, headers: &[&str], proxies: &TrustedProxies, expect: &str) {
        let headers: Vec<_> = headers.iter().map(|value| value.as_bytes()).collect();
        check_bytes(peer, &headers, proxies, expect);
    }

    #[track_caller]
    fn check_bytes(peer: &str, headers: &[&[u8]], proxies: &TrustedProxies, expect: &str) {
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(FORWARDED_FOR, hyper::header::HeaderValue::from_bytes(value).unwrap());
        }
        let peer = peer.parse().map_or(Peer::Socket, |ip| Peer::Address(SocketAddr::new(ip, 7)));
        assert_eq!(client_address(peer, &map, proxies).ip().to_string(), expect, "{headers:?}");
    }

    #[test]
    fn only_local_proxy_is_trusted() {
        check("127.0.0.1", &["192.0.2.1"], true, "192.0.2.1");
        check("::1", &["192.0.2.1"], true, "192.0.2.1");
        check("::ffff:127.0.0.1", &["192.0.2.1"], true, "192.0.2.1");
        check("10.0.0.3", &["2001:db8::1"], true, "10.0.0.3");
        check("172.17.0.1", &["192.0.2.1"], true, "172.17.0.1");
        check("198.51.100.1", &["192.0.2.1"], true, "198.51.100.1");
        check("127.0.0.1", &["192.0.2.1"], false, "127.0.0.1");
    }

    #[test]
    fn only_address_added_by_proxy_counts() {
        check("127.0.0.1", &["203.0.113.9, 192.0.2.1"], true, "192.0.2.1");
        check("127.0.0.1", &["203.0.113.9", "192.0.2.1"], true, "192.0.2.1");
        check("127.0.0.1", &["192.0.2.1:4711"], true, "192.0.2.1");
        check("127.0.0.1", &["[2001:db8::1]:4711"], true, "2001:db8::1");
        check("127.0.0.1", &["[2001:db8::1]"], true, "2001:db8::1");
        check("127.0.0.1", &[], true, "127.0.0.1");
        for value in ["", "unknown", "192.0.2.1,", "_hidden, x"] {
            check("127.0.0.1", &[value], true, "127.0.0.1");
        }
    }

    #[test]
    fn non_ascii_bytes_do_not_hide_address() {
        let proxies = TrustedProxies::Loopback;
        for bytes in [&b"\xff"[..], b"\x80, 203.0.113.9", b"192.0.2.9\xe9", "\u{e9}".as_bytes()] {
            let chain = [bytes, b", 192.0.2.1"].concat();
            check_bytes("127.0.0.1", &[&chain], &proxies, "192.0.2.1");
            check_bytes("127.0.0.1", &[bytes, b"192.0.2.1"], &proxies, "192.0.2.1");
        }
        check_bytes("127.0.0.1", &[b"192.0.2.1, \xff"], &proxies, "127.0.0.1");
        check_bytes("127.0.0.1", &[b"192.0.2.1\xff"], &proxies, "127.0.0.1");
    }

    #[test]
    fn socket_peer_is_always_a_proxy() {
        let trusted =
            TrustedProxies::Named(["10.0.0.0/24"].map(|text| text.parse().unwrap()).into());
        for proxies in [TrustedProxies::None, TrustedProxies::Loopback, trusted.clone()] {
            check_with("socket", &["203.0.113.9, 192.0.2.1"], &proxies, "192.0.2.1");
            check_with("socket", &[], &proxies, "127.0.0.1");
            check_with("socket", &["unknown"], &proxies, "127.0.0.1");
        }
        check_with("socket", &["203.0.113.9, 10.0.0.7"], &trusted, "203.0.113.9");
        assert_eq!(proxy_trust(Peer::Socket, &TrustedProxies::None), Some(ProxyTrust::BySocket));
    }

    #[test]
    fn named_proxies_are_skipped_from_right() {
        let proxies = ["10.0.0.0/24", "192.0.2.1/32"].map(|text| text.parse().unwrap());
        let proxies = TrustedProxies::Named(proxies.into());
        let chain = &["203.0.113.9, 198.51.100.7, 10.0.0.2", "192.0.2.1"];
        check_with("10.0.0.3", chain, &proxies, "198.51.100.7");
        check_with("10.0.0.3", &["192.168.0.9"], &proxies, "192.168.0.9");
        // If all addresses are named proxies, the first is the client.
        check_with("10.0.0.3", &["10.0.0.9, 10.0.0.2"], &proxies, "10.0.0.9");
        check_with("10.0.0.3", &["198.51.100.7, unknown, 10.0.0.2"], &proxies, "10.0.0.2");
        check_with("127.0.0.1", chain, &proxies, "127.0.0.1");
        check_with("198.51.100.1", chain, &proxies, "198.51.100.1");
    }
}
