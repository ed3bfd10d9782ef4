//! An issuer's keys, fetched from its server over TLS only. Redirects are not followed, and the
//! fetch has a timeout.

use std::time::Duration;

use bytes::Bytes;
use http::header::ACCEPT;
use http::uri::Scheme;
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::key_ring::{FetchFuture, JwksError, JwksSource};
use super::key_set::SET_BYTES_MAX;
use crate::upstream::{Trust, describe_error, https_connector};

/// Timeouts of a connection attempt and of the whole fetch.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// A key source that fetches an `https` address.
pub struct RemoteJwks {
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    uri: Uri,
}

/// Reasons why an address cannot be a key source.
#[derive(Debug, thiserror::Error)]
pub enum InvalidJwksUrl {
    /// Without TLS an attacker on the network could replace the keys.
    #[error("must be `https://…`: over plain HTTP an attacker could replace the keys")]
    NotSecure,
    /// The TLS library failed to initialise.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

impl RemoteJwks {
    /// Creates a source for keys at an address.
    ///
    /// # Errors
    /// If the address is not `https`, or TLS cannot be initialised.
    pub fn new(uri: Uri, trust: &Trust) -> Result<Self, InvalidJwksUrl> {
        let is_plain = uri.authority().is_some_and(|host| !host.as_str().contains('@'));
        if uri.scheme() != Some(&Scheme::HTTPS) || !is_plain {
            return Err(InvalidJwksUrl::NotSecure);
        }
        let client =
            Client::builder(TokioExecutor::new()).build(https_connector(CONNECT_TIMEOUT, trust)?);
        Ok(Self { client, uri })
    }
}

impl JwksSource for RemoteJwks {
    fn fetch(&self) -> FetchFuture {
        let client = self.client.clone();
        let uri = self.uri.clone();
        Box::pin(async move {
            let response = fetch_jwks(client, uri);
            tokio::time::timeout(FETCH_TIMEOUT, response)
                .await
                .map_err(|_| "the request timed out")?
        })
    }
}

async fn fetch_jwks(
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    uri: Uri,
) -> Result<Bytes, JwksError> {
    let request = Request::get(uri).header(ACCEPT, "application/json").body(Empty::new())?;
    let answer = client.request(request).await.map_err(|error| describe_error(&error))?;
    if answer.status() != StatusCode::OK {
        return Err(format!("the response status is {}, not 200", answer.status()).into());
    }
    Ok(Limited::new(answer.into_body(), SET_BYTES_MAX).collect().await?.to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_require_https() {
        let new = |url| RemoteJwks::new(Uri::from_static(url), &Trust::public_roots());
        assert!(new("https://a.example/keys").is_ok());
        for bad in ["http://a.example/keys", "/keys", "ftp://a.example", "https://me:pw@a.example"]
        {
            assert!(matches!(new(bad), Err(InvalidJwksUrl::NotSecure)), "{bad}");
        }
    }
}
