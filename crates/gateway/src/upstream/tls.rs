//! TLS towards another server: whom the client believes, and how it says that it does not.
//!
//! Shared by every client of this program that goes to an address of the owner's choice. It reads
//! no file, and there is no way to believe everybody.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Most certificates of authorities that are believed.
const AUTHORITIES_MAX: usize = 1000;

/// The authorities that are believed when they vouch for a server.
#[derive(Debug, Clone, Default)]
pub struct Trust(Option<Arc<RootCertStore>>);

/// Text in which no authority is found.
#[derive(Debug, thiserror::Error)]
#[error("must hold 1 to {AUTHORITIES_MAX} certificates of authorities, as PEM")]
pub struct NoAuthority;

impl Trust {
    /// The authorities that browsers believe, too.
    pub fn public() -> Self {
        Self(None)
    }

    /// Those whose certificates a text holds, as PEM, and no others.
    ///
    /// # Errors
    /// A text without a certificate, or with something that is none in its place.
    pub fn only(pem: &[u8]) -> Result<Self, NoAuthority> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|_| NoAuthority)?;
            roots.add(certificate).map_err(|_| NoAuthority)?;
        }
        let is_sound = (1..=AUTHORITIES_MAX).contains(&roots.len());
        is_sound.then(|| Self(Some(Arc::new(roots)))).ok_or(NoAuthority)
    }
}

/// Returns what connects to `http` and `https` addresses, and waits so long for a connection.
///
/// # Errors
/// Where the TLS library does not start.
pub fn connector(
    connect: Duration,
    trust: &Trust,
) -> Result<HttpsConnector<HttpConnector>, rustls::Error> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_connect_timeout(Some(connect));
    http.set_nodelay(true);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let config = match &trust.0 {
        None => config.with_webpki_roots(),
        Some(roots) => config.with_root_certificates(Arc::clone(roots)),
    };
    Ok(HttpsConnectorBuilder::new()
        .with_tls_config(config.with_no_client_auth())
        .https_or_http()
        .enable_http1()
        .wrap_connector(http))
}

/// Returns why a server's certificate was refused, where an error came of that.
pub fn refused_certificate(error: &(dyn Error + 'static)) -> Option<String> {
    causes(error).find_map(|cause| match cause.downcast_ref() {
        Some(refused @ rustls::Error::InvalidCertificate(_)) => Some(refused.to_string()),
        _ => None,
    })
}

/// Returns an error and what it came of, in one line.
pub fn told(error: &(dyn Error + 'static)) -> String {
    let mut said: Vec<_> = causes(error).map(ToString::to_string).collect();
    said.dedup();
    said.join(": ")
}

/// An error, what it came of, and so on. One of the system that only wraps another says so neither
/// by itself nor as its source.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}
