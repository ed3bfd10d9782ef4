//! TLS for outgoing HTTP connections: trusted authorities, and the reporting of refused
//! certificates.
//!
//! The clients for the upstream, for the keys of an identity provider and for the analysis endpoint
//! use this module. Certificate verification cannot be disabled. The module reads no file: callers
//! pass the PEM text.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Maximum number of trusted authorities.
const AUTHORITIES_MAX: usize = 1000;

/// The certificate authorities that a client trusts.
#[derive(Debug, Clone, Default)]
pub struct Trust(Option<Arc<RootCertStore>>);

/// Error of [`Trust::from_pem`]. The message continues a sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[error("must hold 1 to {AUTHORITIES_MAX} certificates of authorities, as PEM")]
pub struct InvalidAuthorities;

impl Trust {
    /// Trusts the public authorities that browsers trust.
    pub fn public_roots() -> Self {
        Self(None)
    }

    /// Trusts only the authorities in `pem`.
    ///
    /// # Errors
    /// If the text contains no certificate, an invalid one, or too many.
    pub fn from_pem(pem: &[u8]) -> Result<Self, InvalidAuthorities> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|_| InvalidAuthorities)?;
            roots.add(certificate).map_err(|_| InvalidAuthorities)?;
        }
        let is_valid = (1..=AUTHORITIES_MAX).contains(&roots.len());
        is_valid.then(|| Self(Some(Arc::new(roots)))).ok_or(InvalidAuthorities)
    }
}

/// Returns a connector for `http` and `https` addresses, with HTTP/1.1. `connect_timeout` applies
/// to each connection attempt.
///
/// # Errors
/// If the TLS library fails to initialise.
pub fn https_connector(
    connect_timeout: Duration,
    trust: &Trust,
) -> Result<HttpsConnector<HttpConnector>, rustls::Error> {
    let mut http = HttpConnector::new();
    // The TLS connector passes `https` URIs to this inner connector, which must accept them.
    http.enforce_http(false);
    http.set_connect_timeout(Some(connect_timeout));
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

/// Returns why the client refused the server's certificate; `None` if the error has another cause.
pub fn refused_certificate(error: &(dyn Error + 'static)) -> Option<String> {
    error_chain(error).find_map(|cause| match cause.downcast_ref() {
        Some(refused @ rustls::Error::InvalidCertificate(_)) => Some(refused.to_string()),
        _ => None,
    })
}

/// Formats an error and its causes in one line, without repeated messages.
pub fn describe_error(error: &(dyn Error + 'static)) -> String {
    let mut messages: Vec<_> = error_chain(error).map(ToString::to_string).collect();
    messages.dedup();
    messages.join(": ")
}

/// Returns an error and its chain of causes. An `io::Error` that wraps another error does not
/// report it by `source`, so the wrapped error is read with `get_ref`.
fn error_chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}
