//! Who is believed when it says for whom a request is: the addresses of proxies.
//!
//! One meaning for all that proxies say, be it whose request it is, from which country, or who is
//! signed in: what is not believed in one is not believed in the others.

use ipnet::IpNet;
use std::net::IpAddr;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Networks of more addresses than these hold more than proxies, as a rule.
const USUAL_BITS_V4: u8 = 24;
const USUAL_BITS_V6: u8 = 64;
/// Most networks that may be named.
const NETWORKS_MAX: usize = 100;

/// The proxies in front.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proxies {
    /// There are none.
    #[default]
    None,
    /// Programs on this machine, as `--behind-tls` alone says. Other addresses of a private network
    /// may be clients, so those proxies must be named.
    Loopback,
    /// Only the ones in these networks.
    Named(Arc<[IpNet]>),
}

impl Proxies {
    /// Reads the command line. Named proxies replace those on this machine.
    ///
    /// # Errors
    /// A network that is none, or everybody.
    pub fn of(named: &[String], is_behind_tls: bool) -> Result<Self> {
        if named.len() > NETWORKS_MAX {
            return Err(Error::refused(format!(
                "`--trusted-proxy` may be given {NETWORKS_MAX} times at most, but is given {} times",
                named.len()
            )));
        }
        Ok(match (named.is_empty(), is_behind_tls) {
            (false, _) => {
                Self::Named(named.iter().map(|text| network(text)).collect::<Result<_>>()?)
            }
            (true, true) => Self::Loopback,
            (true, false) => Self::None,
        })
    }

    /// Whether an address is a proxy's.
    pub fn have(&self, ip: IpAddr) -> bool {
        match self {
            Self::None => false,
            Self::Loopback => ip.to_canonical().is_loopback(),
            Self::Named(_) => self.name(ip),
        }
    }

    /// Returns whether an address is a named proxy's. On this machine there may be clients, too.
    pub fn name(&self, ip: IpAddr) -> bool {
        let Self::Named(networks) = self else { return false };
        let ip = ip.to_canonical();
        networks.iter().any(|network| network.contains(&ip))
    }
}

/// Returns whether an address belongs to a private network, where a proxy may well be.
pub(crate) fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_private() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// Reads a network, or an address alone.
fn network(text: &str) -> Result<IpNet> {
    let wrong = |what: String| Error::refused(format!("`--trusted-proxy` {what}"));
    let alone = text.parse::<IpAddr>().map(IpNet::from);
    let network = alone.or_else(|_| text.parse()).map_err(|_| {
        wrong(format!("must be an address or a network such as `172.18.0.0/24`, but is `{text}`"))
    })?;
    if network.prefix_len() == 0 {
        return Err(wrong(format!("`{text}` is everybody; name the address of the proxy alone")));
    }
    if network.addr() != network.network() {
        let begin = network.trunc();
        return Err(wrong(format!("`{text}` begins within its network; did you mean `{begin}`?")));
    }
    if network.addr().to_canonical().is_ipv4() != network.addr().is_ipv4() {
        return Err(wrong(format!("`{text}` is a network of IPv4; write it as one")));
    }
    let (bits, usual) = match network {
        IpNet::V4(_) => (network.prefix_len(), USUAL_BITS_V4),
        IpNet::V6(_) => (network.prefix_len(), USUAL_BITS_V6),
    };
    if bits < usual {
        tracing::warn!("`--trusted-proxy {text}` believes a whole network; name the proxy alone");
    }
    Ok(network)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    fn has(proxies: &Proxies, ip: &str) -> bool {
        proxies.have(ip.parse().unwrap())
    }

    #[test]
    fn named_proxies_replace_those_on_this_machine() {
        let of = |texts: &[&str], is_behind_tls| Proxies::of(&named(texts), is_behind_tls).unwrap();
        assert_eq!(of(&[], false), Proxies::None);
        assert_eq!(of(&[], true), Proxies::Loopback);
        let named = of(&["192.0.2.7", "172.18.0.0/24", "2001:db8::/64", "::1"], true);
        for ip in ["192.0.2.7", "172.18.0.9", "::ffff:172.18.0.9", "2001:db8::5", "::1"] {
            assert!(has(&named, ip), "{ip}");
        }
        for ip in ["127.0.0.1", "192.0.2.8", "172.18.1.1", "10.0.0.1", "2001:db8:0:1::"] {
            assert!(!has(&named, ip), "{ip}");
        }
        for ip in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(has(&Proxies::Loopback, ip) && !has(&Proxies::None, ip), "{ip}");
        }
        for ip in ["10.0.0.3", "192.168.7.7", "172.17.0.1", "fd00::1", "198.51.100.1"] {
            assert!(!has(&Proxies::Loopback, ip), "{ip}");
        }
    }

    #[test]
    fn a_network_is_one_and_not_everybody() {
        for (text, expect) in [
            ("", "such as `172.18.0.0/24`"),
            ("proxy.example", "such as `172.18.0.0/24`"),
            ("10.0.0.0/33", "such as `172.18.0.0/24`"),
            ("10.0.0.1:80", "such as `172.18.0.0/24`"),
            ("10.0.0.1,10.0.0.2", "such as `172.18.0.0/24`"),
            ("0.0.0.0/0", "is everybody"),
            ("::/0", "is everybody"),
            ("10.0.0.5/24", "did you mean `10.0.0.0/24`?"),
            ("::ffff:10.0.0.0/120", "write it as one"),
        ] {
            let error = Proxies::of(&named(&[text]), false).unwrap_err().to_string();
            assert!(error.starts_with("`--trusted-proxy` ") && error.contains(expect), "{error}");
        }
        let many = Proxies::of(&named(&["10.0.0.1"; NETWORKS_MAX + 1]), false);
        assert!(many.unwrap_err().to_string().contains("100 times at most"));
    }
}
