//! Base address of the server. The paths of the API are appended to it.

use crate::Error;
use http::Uri;
use http::uri::{Authority, Scheme};
use std::net::IpAddr;

/// Scheme, host, and path before `/v1`.
#[derive(Debug)]
pub(crate) struct BaseUrl {
    scheme: Scheme,
    authority: Authority,
    prefix: String,
}

impl BaseUrl {
    /// Parses an address. Plain HTTP is only allowed for this host, unless `allows_plain_http` is
    /// set.
    ///
    /// # Errors
    /// [`Error::SetUp`].
    pub(crate) fn parse(text: &str, allows_plain_http: bool) -> Result<Self, Error> {
        let invalid_address = || {
            Error::set_up(format!(
                "the base address must look like `https://forms.example.com`, without `/v1`, but \
                 is `{}`",
                without_credentials(text)
            ))
        };
        let uri: Uri = text.parse().map_err(|_| invalid_address())?;
        let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
            return Err(invalid_address());
        };
        let is_web = *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS;
        let is_plain = uri.query().is_none() && !text.contains(['#', '@']);
        let prefix = uri.path().trim_end_matches('/');
        if !is_web || !is_plain || authority.host().is_empty() || prefix.ends_with("/v1") {
            return Err(invalid_address());
        }
        if *scheme == Scheme::HTTP && !allows_plain_http && !is_loopback_host(authority.host()) {
            return Err(Error::set_up(format!(
                "`{text}` would send the API key unencrypted; use `https`, or set \
                 `allows_plain_http`"
            )));
        }
        let scheme = scheme.clone();
        let authority = authority.clone();
        let prefix = prefix.to_owned();
        Ok(Self { scheme, authority, prefix })
    }

    /// Returns the URL of an API path.
    ///
    /// # Errors
    /// If the path is too long for a URL.
    pub(crate) fn url_of(&self, path_and_query: &str) -> Result<Uri, http::Error> {
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path_and_query}", self.prefix))
            .build()
    }
}

fn is_loopback_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Removes the user name and password from an address, so that errors do not show them.
fn without_credentials(text: &str) -> &str {
    text.rsplit('@').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_appended_to_base() {
        let check = |base: &str, expect: &str| {
            let base = BaseUrl::parse(base, false).unwrap();
            assert_eq!(base.url_of("/v1/x?y=z").unwrap().to_string(), expect);
        };
        check("https://a.example", "https://a.example/v1/x?y=z");
        check("https://a.example:8443/forms/", "https://a.example:8443/forms/v1/x?y=z");
        check("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/x?y=z");
        check("http://[::1]:8080/", "http://[::1]:8080/v1/x?y=z");
        check("http://localhost", "http://localhost/v1/x?y=z");
    }

    #[test]
    fn plain_http_to_other_host_is_rejected() {
        let refused = BaseUrl::parse("http://a.example", false).unwrap_err().to_string();
        assert!(refused.contains("unencrypted"), "{refused}");
        assert!(BaseUrl::parse("http://localhost.a.example", false).is_err());
        assert!(BaseUrl::parse("http://a.example", true).is_ok());
    }

    #[test]
    fn invalid_address_error_omits_password() {
        for bad in
            ["", "a.example", "ftp://a.example", "https://a.example?x", "https://a.example/v1"]
        {
            assert!(BaseUrl::parse(bad, true).is_err(), "{bad}");
        }
        let refused = BaseUrl::parse("https://me:hunter2@a.example", true).unwrap_err().to_string();
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}
