//! Whose request it is: the address by which clients are told apart and limited.
//!
//! `X-Forwarded-For` counts only from a proxy, and only what the proxies themselves added: the last
//! address, and those before it as long as a named proxy has them.

use hyper::HeaderMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Once;

use crate::listeners::Peer;
use crate::proxies::{Proxies, is_private};

/// A request that came through a proxy whose headers are believed: in its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThroughProxy {
    /// It has the address of one.
    ByAddress,
    /// It may open our socket.
    BySocket,
}

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Where somebody is who comes by our socket and says nothing of others: on this machine.
const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Returns by what a connection is known as a proxy's, if it is.
pub(crate) fn through(peer: Peer, proxies: &Proxies) -> Option<ThroughProxy> {
    match peer {
        Peer::Socket => Some(ThroughProxy::BySocket),
        Peer::Address(peer) => proxies.have(peer.ip()).then_some(ThroughProxy::ByAddress),
    }
}

/// Returns the client's address: the last one in `X-Forwarded-For` that no named proxy has. The
/// header is read from the right. The first text that is no address ends the reading, since the
/// text left of it cannot be trusted.
pub(crate) fn client(peer: Peer, headers: &HeaderMap, proxies: &Proxies) -> SocketAddr {
    let mut client = match peer {
        Peer::Socket => HERE,
        Peer::Address(peer) => peer,
    };
    let mut values = headers.get_all(FORWARDED_FOR).iter().rev().peekable();
    if through(peer, proxies).is_none() {
        if values.peek().is_some() {
            warn_of_proxy(client.ip(), proxies);
        }
        return client;
    }
    // As bytes: a client may put any into its own part of the header.
    for hop in values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b',')) {
        let Some(ip) = str::from_utf8(hop).ok().and_then(|hop| address(hop.trim())) else { break };
        client = SocketAddr::new(ip, 0);
        if !proxies.name(ip) {
            break;
        }
    }
    client
}

/// Warns once of what seems to be a proxy that is not trusted: then all of its clients share one
/// address, and so one limit.
fn warn_of_proxy(peer: IpAddr, proxies: &Proxies) {
    static WARNED: Once = Once::new();
    if *proxies == Proxies::Loopback && is_private(peer) {
        WARNED.call_once(|| {
            tracing::warn!(
                "requests from `{peer}` have X-Forwarded-For, which counts only from this machine; \
                 if that is your proxy, add `--trusted-proxy {peer}` or its network"
            );
        });
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
    fn check(peer: &str, headers: &[&str], is_behind_proxy: bool, expect: &str) {
        let proxies = if is_behind_proxy { Proxies::Loopback } else { Proxies::None };
        told(peer, headers, &proxies, expect);
    }

    #[track_caller]
    fn told(peer: &str, headers: &[&str], proxies: &Proxies, expect: &str) {
        let headers: Vec<_> = headers.iter().map(|value| value.as_bytes()).collect();
        check_bytes(peer, &headers, proxies, expect);
    }

    #[track_caller]
    fn check_bytes(peer: &str, headers: &[&[u8]], proxies: &Proxies, expect: &str) {
        let mut map = HeaderMap::new();
        for value in headers {
            map.append(FORWARDED_FOR, hyper::header::HeaderValue::from_bytes(value).unwrap());
        }
        let peer = peer.parse().map_or(Peer::Socket, |ip| Peer::Address(SocketAddr::new(ip, 7)));
        assert_eq!(client(peer, &map, proxies).ip().to_string(), expect, "{headers:?}");
    }

    #[test]
    fn only_a_proxy_on_this_machine_is_believed() {
        check("127.0.0.1", &["192.0.2.1"], true, "192.0.2.1");
        check("::1", &["192.0.2.1"], true, "192.0.2.1");
        check("::ffff:127.0.0.1", &["192.0.2.1"], true, "192.0.2.1");
        check("10.0.0.3", &["2001:db8::1"], true, "10.0.0.3");
        check("172.17.0.1", &["192.0.2.1"], true, "172.17.0.1");
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

    #[test]
    fn bytes_beyond_ascii_do_not_hide_what_the_proxy_added() {
        let proxies = Proxies::Loopback;
        for odd in [&b"\xff"[..], b"\x80, 203.0.113.9", b"192.0.2.9\xe9", "\u{e9}".as_bytes()] {
            let one = [odd, b", 192.0.2.1"].concat();
            check_bytes("127.0.0.1", &[&one], &proxies, "192.0.2.1");
            check_bytes("127.0.0.1", &[odd, b"192.0.2.1"], &proxies, "192.0.2.1");
        }
        check_bytes("127.0.0.1", &[b"192.0.2.1, \xff"], &proxies, "127.0.0.1");
        check_bytes("127.0.0.1", &[b"192.0.2.1\xff"], &proxies, "127.0.0.1");
    }

    #[test]
    fn whoever_comes_by_the_socket_is_a_proxy_whatever_else_is_one() {
        let named = Proxies::Named(["10.0.0.0/24"].map(|text| text.parse().unwrap()).into());
        for proxies in [Proxies::None, Proxies::Loopback, named.clone()] {
            told("socket", &["203.0.113.9, 192.0.2.1"], &proxies, "192.0.2.1");
            told("socket", &[], &proxies, "127.0.0.1");
            told("socket", &["unknown"], &proxies, "127.0.0.1");
        }
        told("socket", &["203.0.113.9, 10.0.0.7"], &named, "203.0.113.9");
        assert_eq!(through(Peer::Socket, &Proxies::None), Some(ThroughProxy::BySocket));
    }

    #[test]
    fn proxies_with_a_name_are_passed_over_from_the_right() {
        let named = ["10.0.0.0/24", "192.0.2.1/32"].map(|text| text.parse().unwrap());
        let named = Proxies::Named(named.into());
        let chain = &["203.0.113.9, 198.51.100.7, 10.0.0.2", "192.0.2.1"];
        told("10.0.0.3", chain, &named, "198.51.100.7");
        told("10.0.0.3", &["192.168.0.9"], &named, "192.168.0.9");
        // Where nobody but proxies speaks, the first of them is the client.
        told("10.0.0.3", &["10.0.0.9, 10.0.0.2"], &named, "10.0.0.9");
        told("10.0.0.3", &["198.51.100.7, unknown, 10.0.0.2"], &named, "10.0.0.2");
        told("127.0.0.1", chain, &named, "127.0.0.1");
        told("198.51.100.1", chain, &named, "198.51.100.1");
    }
}
