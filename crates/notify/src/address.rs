//! The receivers that are allowed. Requests must not reach hosts of private networks, which trust
//! this server (server-side request forgery).
//!
//! A name is resolved once per attempt. All its addresses are checked, and the connection goes to a
//! checked address. So a name with changing addresses cannot avoid the check.

use async_trait::async_trait;
use ipnet::IpNet;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use url::Host;

use crate::ip::is_public;
use crate::target::{Target, UrlError};

/// Maximum duration of the resolution of a name.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(5);

/// Limits the lookups of names at once in this process. Each blocks a thread, also after
/// [`RESOLVE_TIMEOUT`].
static LOOKUPS: Semaphore = Semaphore::const_new(32);

/// Finds the addresses of a name.
#[async_trait]
pub trait Resolver: Send + Sync + 'static {
    /// Returns all addresses of a name.
    ///
    /// # Errors
    /// If the name has no address, or if no server answers.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let host = host.to_owned();
        let lookup = async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        };
        run_limited(&LOOKUPS, lookup).await
    }
}

/// Runs a lookup when `limit` has a permit. The lookup keeps its permit until it ends, even if the
/// caller stops waiting.
async fn run_limited(
    limit: &'static Semaphore,
    lookup: impl Future<Output = io::Result<Vec<IpAddr>>> + Send + 'static,
) -> io::Result<Vec<IpAddr>> {
    let permit = limit.acquire().await.map_err(io::Error::other)?;
    let task = tokio::spawn(async move {
        let found = lookup.await;
        drop(permit);
        found
    });
    task.await.map_err(io::Error::other)?
}

/// Which receivers are allowed. The default allows only `https` and public addresses.
#[derive(Clone)]
pub struct AddressPolicy {
    allow_http: bool,
    networks: Arc<[IpNet]>,
    resolver: Arc<dyn Resolver>,
}

impl AddressPolicy {
    /// Creates a policy with the resolver of the operating system.
    ///
    /// `allow_http` allows URLs without TLS. `networks` are allowed although their addresses are
    /// not public. An IPv4-mapped IPv6 address is compared as its IPv4 address.
    pub fn new(allow_http: bool, networks: Vec<IpNet>) -> Self {
        Self { allow_http, networks: networks.into(), resolver: Arc::new(SystemResolver) }
    }

    /// Replaces the resolver.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn Resolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Checks the URL of a webhook: its syntax, length, scheme and port, and that its host has only
    /// allowed addresses at present.
    ///
    /// # Errors
    /// The first reason why the URL cannot be used. Its text is for the owner of the form.
    pub async fn check_url(&self, url: &str) -> Result<(), UrlError> {
        let target = self.parse(url)?;
        self.resolve(&target).await.map(drop)
    }

    /// Parses a URL, without its addresses.
    pub(crate) fn parse(&self, url: &str) -> Result<Target, UrlError> {
        Target::parse(url, self.allow_http)
    }

    /// Returns the addresses of a target, at least one. All of them are allowed.
    pub(crate) async fn resolve(&self, target: &Target) -> Result<Vec<SocketAddr>, UrlError> {
        let addresses = match target.host() {
            Host::Ipv4(address) => vec![IpAddr::V4(address)],
            Host::Ipv6(address) => vec![IpAddr::V6(address)],
            Host::Domain(name) => {
                let found = tokio::time::timeout(RESOLVE_TIMEOUT, self.resolver.resolve(name));
                match found.await {
                    Ok(Ok(addresses)) => addresses,
                    Ok(Err(_)) | Err(_) => Vec::new(),
                }
            }
        };
        if addresses.is_empty() || !addresses.iter().all(|address| self.is_allowed(*address)) {
            return Err(target.host_error());
        }
        let port = target.port();
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    fn is_allowed(&self, address: IpAddr) -> bool {
        let canonical = address.to_canonical();
        is_public(canonical) || self.networks.iter().any(|network| network.contains(&canonical))
    }
}

impl Default for AddressPolicy {
    fn default() -> Self {
        Self::new(false, Vec::new())
    }
}

impl fmt::Debug for AddressPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AddressPolicy")
            .field("allow_http", &self.allow_http)
            .field("networks", &self.networks)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
