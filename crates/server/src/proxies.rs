//! The trusted proxies, by address.
//!
//! One setting covers everything that proxies report: the client address, the country and the
//! signed-in user. A peer is trusted for all of these or for nothing.

use ipnet::IpNet;
use std::net::IpAddr;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Prefix lengths below these cover more than proxies, as a rule.
const USUAL_BITS_V4: u8 = 24;
const USUAL_BITS_V6: u8 = 64;
/// Maximum number of configured networks.
const NETWORKS_MAX: usize = 100;

/// The proxies in front of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TrustedProxies {
    /// No proxy is trusted.
    #[default]
    None,
    /// Processes on this machine, as `--behind-tls` alone means. Other addresses of a private
    /// network may be clients, so proxies there must be named.
    Loopback,
    /// Only addresses in these networks.
    Named(Arc<[IpNet]>),
}

impl TrustedProxies {
    /// Parses the command line arguments. Named proxies replace those on this machine.
    ///
    /// # Errors
    /// If a text is not a network, or a network covers all addresses.
    pub fn from_args(networks: &[String], is_behind_tls: bool) -> Result<Self> {
        if networks.len() > NETWORKS_MAX {
            return Err(Error::refused(format!(
                "`--trusted-proxy` may be given {NETWORKS_MAX} times at most, but is given {} times",
                networks.len()
            )));
        }
        Ok(match (networks.is_empty(), is_behind_tls) {
            (false, _) => {
                Self::Named(networks.iter().map(|text| parse_network(text)).collect::<Result<_>>()?)
            }
            (true, true) => Self::Loopback,
            (true, false) => Self::None,
        })
    }

    /// Returns whether an address belongs to a trusted proxy.
    pub fn contains(&self, ip: IpAddr) -> bool {
        match self {
            Self::None => false,
            Self::Loopback => ip.to_canonical().is_loopback(),
            Self::Named(_) => self.is_named(ip),
        }
    }

    /// Returns whether an address belongs to a named proxy. An address of this machine may be a
    /// client.
    pub fn is_named(&self, ip: IpAddr) -> bool {
        let Self::Named(networks) = self else { return false };
        let ip = ip.to_canonical();
        networks.iter().any(|network| network.contains(&ip))
    }
}

/// Returns whether an address belongs to a private network, where a proxy is plausible.
pub(crate) fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// Parses a network or a single address.
fn parse_network(text: &str) -> Result<IpNet> {
    let invalid = |problem: String| Error::refused(format!("`--trusted-proxy` {problem}"));
    let alone = text.parse::<IpAddr>().map(IpNet::from);
    let network = alone.or_else(|_| text.parse()).map_err(|_| {
        invalid(format!("must be an address or a network such as `172.18.0.0/24`, but is `{text}`"))
    })?;
    if network.prefix_len() == 0 {
        return Err(invalid(format!(
            "`{text}` covers all addresses; give only the proxy's address"
        )));
    }
    if network.addr() != network.network() {
        let start = network.trunc();
        return Err(invalid(format!("`{text}` has host bits set; did you mean `{start}`?")));
    }
    if network.addr().to_canonical().is_ipv4() != network.addr().is_ipv4() {
        return Err(invalid(format!("`{text}` is an IPv4 network; write it in IPv4 notation")));
    }
    let (bits, usual) = match network {
        IpNet::V4(_) => (network.prefix_len(), USUAL_BITS_V4),
        IpNet::V6(_) => (network.prefix_len(), USUAL_BITS_V6),
    };
    if bits < usual {
        tracing::warn!("`--trusted-proxy {text}` trusts a large network; give only the proxy");
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    fn has(proxies: &TrustedProxies, ip: &str) -> bool {
        proxies.contains(ip.parse().unwrap())
    }

    #[test]
    fn named_proxies_replace_loopback() {
        let parse = |texts: &[&str], is_behind_tls| {
            TrustedProxies::from_args(&named(texts), is_behind_tls).unwrap()
        };
        assert_eq!(parse(&[], false), TrustedProxies::None);
        assert_eq!(parse(&[], true), TrustedProxies::Loopback);
        let named = parse(&["192.0.2.7", "172.18.0.0/24", "2001:db8::/64", "::1"], true);
        for ip in ["192.0.2.7", "172.18.0.9", "::ffff:172.18.0.9", "2001:db8::5", "::1"] {
            assert!(has(&named, ip), "{ip}");
        }
        for ip in ["127.0.0.1", "192.0.2.8", "172.18.1.1", "10.0.0.1", "2001:db8:0:1::"] {
            assert!(!has(&named, ip), "{ip}");
        }
        for ip in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(has(&TrustedProxies::Loopback, ip) && !has(&TrustedProxies::None, ip), "{ip}");
        }
        for ip in ["10.0.0.3", "192.168.7.7", "172.17.0.1", "fd00::1", "198.51.100.1"] {
            assert!(!has(&TrustedProxies::Loopback, ip), "{ip}");
        }
    }

    #[test]
    fn invalid_or_universal_networks_are_refused() {
        for (text, expect) in [
            ("", "such as `172.18.0.0/24`"),
            ("proxy.example", "such as `172.18.0.0/24`"),
            ("10.0.0.0/33", "such as `172.18.0.0/24`"),
            ("10.0.0.1:80", "such as `172.18.0.0/24`"),
            ("10.0.0.1,10.0.0.2", "such as `172.18.0.0/24`"),
            ("0.0.0.0/0", "covers all addresses"),
            ("::/0", "covers all addresses"),
            ("10.0.0.5/24", "did you mean `10.0.0.0/24`?"),
            ("::ffff:10.0.0.0/120", "write it in IPv4 notation"),
        ] {
            let error = TrustedProxies::from_args(&named(&[text]), false).unwrap_err().to_string();
            assert!(error.starts_with("`--trusted-proxy` ") && error.contains(expect), "{error}");
        }
        let many = TrustedProxies::from_args(&named(&["10.0.0.1"; NETWORKS_MAX + 1]), false);
        assert!(many.unwrap_err().to_string().contains("100 times at most"));
    }
}
