//! Sign-in through an authenticating proxy: turns the options into rules for the gateway.
//!
//! Contradictory options stop the start, with a sentence that says how to correct them. Errors
//! never show a secret.

mod identity_links;
mod key_file;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use gateway::identity::{
    AssertionSettings, AssertionVerifier, HeaderSource, IdentitySource, InvalidHeaderName,
    JwksSource, ProxyAuth, ProxyHeader, RemoteJwks, TrustedPeer,
};
use gateway::{SystemClock, identity};
use http::Uri;
use std::path::Path;
use std::sync::Arc;
use store::Store;

use crate::error::{Error, Result};
use crate::{args, authorities, config};
use identity_links::StoreIdentities;
pub(crate) use identity_links::{link_identity, list_identities, unlink_identity};
use key_file::KeyFile;
use server::{ProxyTrust, TrustedProxies};

/// Default header of the proxy's secret.
const SECRET_HEADER: &str = "x-sheaf-proxy-secret";
/// Default claim that identifies the user.
const CLAIM: &str = "sub";
/// Maximum length of the sign-out URL, in bytes.
const URL_BYTES_MAX: usize = 2048;

/// Checked options, not yet connected to a store.
pub(crate) struct IdentityOptions {
    source: IdentitySource,
    provision: Option<contract::Plan>,
    sign_out_url: Option<String>,
}

impl IdentityOptions {
    /// Checks the options. Returns `None` if users sign in to Sheaf itself.
    ///
    /// # Errors
    /// Options that are contradictory or invalid.
    pub(crate) async fn check_options(
        args: &args::Identity,
        listen: &args::Listen,
        proxies: &TrustedProxies,
    ) -> Result<Option<Self>> {
        let source = match (&args.identity_header, &args.assertion_header) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid(
                    "`--identity-header` and `--assertion-header` cannot be used together; remove \
                     one of them",
                ));
            }
            (None, None) => return dependent_option_error(args).map_or(Ok(None), Err),
            (Some(name), None) => {
                IdentitySource::Header(header_source(name, args, listen, proxies)?)
            }
            (None, Some(name)) => IdentitySource::Assertion(assertion_source(name, args).await?),
        };
        let sign_out_url = args.sign_out_url.as_deref().map(sign_out_url).transpose()?;
        Ok(Some(Self { source, provision: args.provision, sign_out_url }))
    }

    /// Builds the gateway's rules on a store.
    fn into_rules(self, store: Arc<dyn Store>) -> ProxyAuth {
        let Self { source, provision, sign_out_url } = self;
        ProxyAuth {
            source,
            identities: Arc::new(StoreIdentities { store, provision }),
            sign_out_url,
        }
    }
}

/// Builds the gateway's rules. Without proxy authentication, deletes the sessions that a proxy
/// started, because no proxy vouches for them any more.
///
/// # Errors
/// The store fails.
pub(crate) async fn build_rules(
    setup: Option<IdentityOptions>,
    store: &Arc<dyn Store>,
) -> Result<Option<ProxyAuth>> {
    if setup.is_none() {
        store.delete_identity_sessions().await?;
    }
    Ok(setup.map(|setup| setup.into_rules(Arc::clone(store))))
}

/// Marks the requests of trusted proxies for the gateway.
pub(crate) fn mark_trusted_requests(router: Router) -> Router {
    router.layer(map_request(async |mut request: Request| {
        let from = request.extensions().get().map(|through| match through {
            ProxyTrust::ByAddress => TrustedPeer::ByAddress,
            ProxyTrust::BySocket => TrustedPeer::BySocket,
        });
        if let Some(from) = from {
            request.extensions_mut().insert(from);
        }
        request
    }))
}

/// Returns an error if an option is given without the option that it depends on.
fn dependent_option_error(args: &args::Identity) -> Option<Error> {
    let of_header = [
        ("--proxy-secret-file", args.proxy_secret_file.is_some()),
        ("--proxy-secret-header", args.proxy_secret_header.is_some()),
    ];
    let of_assertion = assertion_arguments(args);
    let of_both = [
        ("--provision", args.provision.is_some()),
        ("--sign-out-url", args.sign_out_url.is_some()),
    ];
    let first_given = |options: &[(&'static str, bool)]| {
        options.iter().find(|(_, is)| *is).map(|(name, _)| *name)
    };
    let (name, needs) = first_given(&of_header)
        .map(|name| (name, "`--identity-header`"))
        .or_else(|| first_given(&of_assertion).map(|name| (name, "`--assertion-header`")))
        .or_else(|| {
            first_given(&of_both).map(|name| (name, "`--identity-header` or `--assertion-header`"))
        })?;
    Some(Error::invalid(format!("`{name}` has no effect alone; add {needs}, or remove it")))
}

fn assertion_arguments(args: &args::Identity) -> [(&'static str, bool); 5] {
    [
        ("--assertion-issuer", args.assertion_issuer.is_some()),
        ("--assertion-audience", args.assertion_audience.is_some()),
        ("--assertion-keys", args.assertion_keys.is_some()),
        ("--assertion-ca", args.assertion_ca.is_some()),
        ("--assertion-claim", args.assertion_claim.is_some()),
    ]
}

fn header_source(
    name: &str,
    args: &args::Identity,
    listen: &args::Listen,
    proxies: &TrustedProxies,
) -> Result<HeaderSource> {
    if let Some((extra, _)) = assertion_arguments(args).iter().find(|(_, is)| *is) {
        return Err(Error::invalid(format!(
            "`{extra}` belongs to `--assertion-header`, not to `--identity-header`; remove it"
        )));
    }
    let field = checked_header("--identity-header", name, ProxyHeader::new(name))?;
    if listen.has_socket() && listen.socket_mode().is_world_connectable() {
        return Err(Error::invalid(format!(
            "`--socket-mode {}` lets every user of this machine sign in as anyone with \
             `--identity-header`; restrict it to the proxy's group with 0660",
            listen.socket_mode()
        )));
    }
    let has_secret = args.proxy_secret_file.is_some() || args.proxy_secret_header.is_some();
    if listen.has_socket() && !has_secret {
        return Ok(HeaderSource::by_socket(field));
    }
    if !matches!(proxies, TrustedProxies::Named(_)) {
        return Err(Error::invalid(
            "`--identity-header` needs trusted proxies; name the address of each with \
             `--trusted-proxy`, or let them connect by a socket, without a secret, with `--listen \
             unix:…`",
        ));
    }
    let Some(path) = &args.proxy_secret_file else {
        return Err(Error::invalid(
            "`--identity-header` needs a secret that the proxy sends with each request; name its \
             file with `--proxy-secret-file`",
        ));
    };
    let secret_name = args.proxy_secret_header.as_deref().unwrap_or(SECRET_HEADER);
    let secret_field =
        self::checked_header("--proxy-secret-header", secret_name, ProxyHeader::new(secret_name))?;
    let secret = config::read_secret(path)?;
    HeaderSource::new(field, secret_field, &secret).map_err(|error| match error {
        identity::InvalidHeaderSettings::Secret => {
            Error::invalid(format!("the file `{}` {error}", path.display()))
        }
        identity::InvalidHeaderSettings::SameHeader(_) => {
            Error::invalid(format!("{error}; name another header with `--proxy-secret-header`"))
        }
    })
}

fn checked_header(
    argument: &str,
    name: &str,
    read: Result<ProxyHeader, InvalidHeaderName>,
) -> Result<ProxyHeader> {
    read.map_err(|error| Error::invalid(format!("`{argument}`: `{name}` {error}")))
}

async fn assertion_source(name: &str, args: &args::Identity) -> Result<AssertionVerifier> {
    if args.proxy_secret_file.is_some() || args.proxy_secret_header.is_some() {
        return Err(Error::invalid(
            "a proxy's secret belongs to `--identity-header`; assertions are signed, so remove \
             `--proxy-secret-file` and `--proxy-secret-header`",
        ));
    }
    let required = |value: &Option<String>, argument: &str, meaning: &str| {
        value.clone().ok_or_else(|| {
            Error::invalid(format!("`--assertion-header` needs {meaning}; add `{argument}`"))
        })
    };
    let field = checked_header("--assertion-header", name, ProxyHeader::for_assertion(name))?;
    let issuer =
        required(&args.assertion_issuer, "--assertion-issuer", "the issuer of the assertions")?;
    let audience = required(
        &args.assertion_audience,
        "--assertion-audience",
        "the audience of the assertions",
    )?;
    let keys = required(&args.assertion_keys, "--assertion-keys", "the keys of the issuer")?;
    let claim = args.assertion_claim.clone().unwrap_or_else(|| CLAIM.to_owned());
    let source = key_source(&keys, args.assertion_ca.as_deref())?;
    let terms = AssertionSettings { field, issuer, audience, claim };
    AssertionVerifier::open(terms, source, Arc::new(SystemClock::default())).await.map_err(
        |error| {
            let argument = match &error {
                identity::InvalidAssertionSettings::Issuer(_) => "--assertion-issuer".to_owned(),
                identity::InvalidAssertionSettings::Audience => "--assertion-audience".to_owned(),
                identity::InvalidAssertionSettings::Keys(_) => format!("--assertion-keys {keys}"),
            };
            Error::invalid(format!("`{argument}` is wrong: {error}"))
        },
    )
}

/// Returns remote keys for a URL, and a key file otherwise.
fn key_source(keys: &str, ca: Option<&Path>) -> Result<Box<dyn JwksSource>> {
    if !keys.contains("://") {
        if ca.is_some() {
            return Err(Error::invalid(
                "`--assertion-ca` is for keys at an HTTPS URL, but `--assertion-keys` is a file; \
                 remove it",
            ));
        }
        return Ok(Box::new(KeyFile::new(Path::new(keys))));
    }
    let invalid = |problem: String| Error::invalid(format!("`--assertion-keys {keys}` {problem}"));
    let uri: Uri = keys.parse().map_err(|error| invalid(format!("is not a URL: {error}")))?;
    let trust = authorities::read_trust(ca)?;
    let remote = RemoteJwks::new(uri, &trust).map_err(|error| invalid(error.to_string()))?;
    Ok(Box::new(remote))
}

/// Checks the sign-out URL: an HTTPS URL, or a path on the host of the dashboard.
fn sign_out_url(text: &str) -> Result<String> {
    let is_plain = text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"' | b'<'));
    // Browsers read `//host` as another host.
    let is_path = text.starts_with('/') && !text.starts_with("//");
    let is_web = text.parse::<Uri>().is_ok_and(|uri| {
        let host = uri.authority().map(http::uri::Authority::as_str);
        uri.scheme_str() == Some("https") && host.is_some_and(|host| !host.contains('@'))
    });
    if is_plain && text.len() <= URL_BYTES_MAX && (is_path || is_web) {
        return Ok(text.to_owned());
    }
    Err(Error::invalid(format!(
        "`--sign-out-url` must be a URL such as `https://login.example.com/logout`, or a path such \
         as `/oauth2/sign_out`, but is `{text}`"
    )))
}

#[cfg(test)]
mod tests;
