//! Country of a submission, from a database of network addresses or a header of a trusted proxy.
//!
//! Addresses are looked up, but not stored. A country that the client itself sends is ignored.

use api::Country;
use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use hyper::HeaderMap;
use hyper::header::HeaderName;
use maxminddb::{Reader, path};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::args;
use crate::error::{Error, Result};
use server::{ProxyTrust, TrustedProxies};

/// Source of countries.
#[derive(Clone)]
pub(crate) enum CountrySource {
    /// No source.
    Unknown,
    /// A header that a trusted proxy adds.
    Header(HeaderName),
    /// A database of network addresses.
    Database(Arc<Reader<Vec<u8>>>),
}

impl CountrySource {
    /// Opens the source that the command line names.
    ///
    /// # Errors
    /// A file that is no country database, an invalid header name, or a header without a trusted
    /// proxy.
    pub(crate) fn open(
        args: &args::Countries,
        listen: &args::Listen,
        proxies: &TrustedProxies,
    ) -> Result<Self> {
        if let Some(file) = &args.geoip_db {
            let failed = |error: maxminddb::MaxMindDbError| {
                Error::file(file)(io::Error::new(io::ErrorKind::InvalidData, error))
            };
            let database = Reader::open_readfile(file).map_err(failed)?;
            let kind = &database.metadata().database_type;
            tracing::info!(kind, "country database opened");
            return Ok(Self::Database(Arc::new(database)));
        }
        let Some(name) = &args.country_header else { return Ok(Self::Unknown) };
        if *proxies == TrustedProxies::None && !listen.has_socket() {
            return Err(Error::invalid(
                "`--country-header` needs a trusted proxy; set `--behind-tls` or `--trusted-proxy`",
            ));
        }
        let wrong = |_| {
            Error::invalid(format!(
                "`--country-header` must be the name of a header, but is `{name}`"
            ))
        };
        name.parse().map(Self::Header).map_err(wrong)
    }

    /// Adds a layer that sets the country of each request.
    pub(crate) fn layer(self, router: Router) -> Router {
        match self {
            Self::Unknown => router,
            source => router.layer(from_fn_with_state(source, add_country)),
        }
    }

    fn find_country(
        &self,
        address: Option<IpAddr>,
        headers: &HeaderMap,
        through: bool,
    ) -> Option<Country> {
        match self {
            Self::Header(name) if through => {
                // A client may have sent the header too. The proxy adds its own value after it.
                let last = headers.get_all(name).iter().next_back()?;
                Country::new(last.to_str().ok()?)
            }
            Self::Header(_) | Self::Unknown => None,
            Self::Database(database) => {
                let found = database.lookup(address?.to_canonical()).ok()?;
                let code: &str = found.decode_path(&path!["country", "iso_code"]).ok()??;
                Country::new(code)
            }
        }
    }
}

async fn add_country(
    State(countries): State<CountrySource>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = peer.map(|ConnectInfo(peer)| peer.ip());
    let through = request.extensions().get::<ProxyTrust>().is_some();
    if let Some(country) = countries.find_country(address, request.headers(), through) {
        request.extensions_mut().insert(country);
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_source(
        geoip_db: Option<&str>,
        header: Option<&str>,
        is_behind_tls: bool,
    ) -> Result<CountrySource> {
        let args = args::Countries {
            geoip_db: geoip_db.map(Into::into),
            country_header: header.map(str::to_owned),
        };
        let proxies = if is_behind_tls { TrustedProxies::Loopback } else { TrustedProxies::None };
        let listen = args::Listen {
            listen: vec!["127.0.0.1:8080".parse().unwrap()],
            socket_mode: None,
            behind_tls: is_behind_tls,
            trusted_proxy: Vec::new(),
            own_tls: args::OwnTls::default(),
        };
        CountrySource::open(&args, &listen, &proxies)
    }

    const COUNTRY_DATABASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/country.mmdb");

    #[test]
    fn database_finds_country_of_address() {
        let countries = open_source(Some(COUNTRY_DATABASE), None, false).unwrap();
        let check = |address: &str, code: Option<&str>| {
            let found = countries.find_country(address.parse().ok(), &HeaderMap::new(), false);
            assert_eq!(found, code.and_then(Country::new), "{address}");
        };
        check("81.2.69.142", Some("GB"));
        check("::ffff:81.2.69.142", Some("GB"));
        check("216.160.83.56", Some("US"));
        check("2001:218::1", Some("JP"));
        check("127.0.0.1", None);
        check("no address", None);
    }

    #[test]
    fn country_header_requires_trusted_proxy() {
        let countries = open_source(None, Some("CF-IPCountry"), true).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("cf-ipcountry", "de".parse().unwrap());
        assert_eq!(countries.find_country(None, &headers, true), Country::new("DE"));
        assert_eq!(countries.find_country(None, &headers, false), None);
        assert_eq!(countries.find_country(None, &HeaderMap::new(), true), None);
        headers.append("cf-ipcountry", "FR".parse().unwrap());
        assert_eq!(countries.find_country(None, &headers, true), Country::new("FR"));
    }

    #[test]
    fn unusable_country_source_is_rejected_at_start() {
        let wrong = |opened: Result<CountrySource>| opened.map(drop).unwrap_err().to_string();
        assert!(wrong(open_source(None, Some("CF-IPCountry"), false)).contains("--behind-tls"));
        assert!(wrong(open_source(None, Some("a b"), true)).contains("`a b`"));
        assert!(wrong(open_source(Some("/nowhere.mmdb"), None, false)).contains("/nowhere.mmdb"));
        assert!(wrong(open_source(Some(file!()), None, false)).contains("country.rs"));
    }
}
