//! Signing in by an auth proxy: what the command line says of it, made into rules for the gateway.
//!
//! Whatever cannot be meant stops the start, with a sentence that says how to mend it. No secret is
//! ever shown.

mod key_file;
mod linked;

use axum::Router;
use axum::extract::Request;
use axum::middleware::map_request;
use gateway::identity::{
    Assertion, BadField, Field, FromTrusted, Header, KeySource, RemoteKeys, Rules, Source, Terms,
};
use gateway::{SystemClock, identity};
use http::Uri;
use std::path::Path;
use std::sync::Arc;
use store::Store;

use crate::error::{Error, Result};
use crate::{args, authorities, config};
use key_file::KeyFile;
use linked::StoreIdentities;
pub(crate) use linked::{link, list, unlink};
use server::{Proxies, ThroughProxy};

/// In which header a proxy's secret comes, where nothing is said.
const SECRET_HEADER: &str = "x-sheaf-proxy-secret";
/// Which claim says who somebody is, where nothing is said.
const CLAIM: &str = "sub";
/// Longest address at which one signs out, in bytes.
const URL_BYTES_MAX: usize = 2048;

/// What was said of it, checked; still without a store.
pub(crate) struct Setup {
    source: Source,
    provision: Option<contract::Plan>,
    sign_out_url: Option<String>,
}

impl Setup {
    /// Takes what the command line says; `None` where people sign in here.
    ///
    /// # Errors
    /// What cannot be meant, in one sentence.
    pub(crate) async fn of(
        args: &args::Identity,
        listen: &args::Listen,
        proxies: &Proxies,
    ) -> Result<Option<Self>> {
        let source = match (&args.identity_header, &args.assertion_header) {
            (Some(_), Some(_)) => {
                return Err(Error::refused(
                    "`--identity-header` and `--assertion-header` are two ways to say who comes; \
                     give one of them",
                ));
            }
            (None, None) => return is_alone(args).map_or(Ok(None), Err),
            (Some(name), None) => Source::Header(header(name, args, listen, proxies)?),
            (None, Some(name)) => Source::Assertion(assertion(name, args).await?),
        };
        let sign_out_url = args.sign_out_url.as_deref().map(sign_out_url).transpose()?;
        Ok(Some(Self { source, provision: args.provision, sign_out_url }))
    }

    /// Makes the gateway's rules of it.
    fn over(self, store: Arc<dyn Store>) -> Rules {
        let Self { source, provision, sign_out_url } = self;
        Rules { source, identities: Arc::new(StoreIdentities { store, provision }), sign_out_url }
    }
}

/// Makes the gateway's rules of what was said. Where people sign in here, sessions that a proxy's
/// word began are over: nobody vouches for them any more.
///
/// # Errors
/// A store that fails.
pub(crate) async fn rules(setup: Option<Setup>, store: &Arc<dyn Store>) -> Result<Option<Rules>> {
    if setup.is_none() {
        store.delete_identity_sessions().await?;
    }
    Ok(setup.map(|setup| setup.over(Arc::clone(store))))
}

/// Tells the gateway which requests come from a trusted proxy.
pub(crate) fn around(door: Router) -> Router {
    door.layer(map_request(async |mut request: Request| {
        let from = request.extensions().get().map(|through| match through {
            ThroughProxy::ByAddress => FromTrusted::ByAddress,
            ThroughProxy::BySocket => FromTrusted::BySocket,
        });
        if let Some(from) = from {
            request.extensions_mut().insert(from);
        }
        request
    }))
}

/// What is wrong where arguments of one way are given, but not the way.
fn is_alone(args: &args::Identity) -> Option<Error> {
    let of_header = [
        ("--proxy-secret-file", args.proxy_secret_file.is_some()),
        ("--proxy-secret-header", args.proxy_secret_header.is_some()),
    ];
    let of_assertion = assertion_arguments(args);
    let of_both = [
        ("--provision", args.provision.is_some()),
        ("--sign-out-url", args.sign_out_url.is_some()),
    ];
    let given =
        |all: &[(&'static str, bool)]| all.iter().find(|(_, is)| *is).map(|(name, _)| *name);
    let (name, needs) = given(&of_header)
        .map(|name| (name, "`--identity-header`"))
        .or_else(|| given(&of_assertion).map(|name| (name, "`--assertion-header`")))
        .or_else(|| {
            given(&of_both).map(|name| (name, "`--identity-header` or `--assertion-header`"))
        })?;
    Some(Error::refused(format!(
        "`{name}` means nothing alone; give {needs}, too, or leave it out"
    )))
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

fn header(
    name: &str,
    args: &args::Identity,
    listen: &args::Listen,
    proxies: &Proxies,
) -> Result<Header> {
    if let Some((extra, _)) = assertion_arguments(args).iter().find(|(_, is)| *is) {
        return Err(Error::refused(format!(
            "`{extra}` belongs to `--assertion-header`, not to `--identity-header`; leave it out"
        )));
    }
    let field = field("--identity-header", name, Field::new(name))?;
    if listen.has_socket() && listen.socket_mode().is_for_everybody() {
        return Err(Error::refused(format!(
            "`--socket-mode {}` lets everybody on this machine say who they are with \
             `--identity-header`; let the proxy's group alone connect, by 0660",
            listen.socket_mode()
        )));
    }
    let has_secret = args.proxy_secret_file.is_some() || args.proxy_secret_header.is_some();
    if listen.has_socket() && !has_secret {
        return Ok(Header::by_socket(field));
    }
    if !matches!(proxies, Proxies::Named(_)) {
        return Err(Error::refused(
            "`--identity-header` is believed from trusted proxies alone; name the address of each \
             with `--trusted-proxy`, or let them come by a socket, without a secret, with \
             `--listen unix:…`",
        ));
    }
    let Some(path) = &args.proxy_secret_file else {
        return Err(Error::refused(
            "`--identity-header` is believed from an address with a secret alone, which the proxy \
             sends along; name its file with `--proxy-secret-file`",
        ));
    };
    let secret_name = args.proxy_secret_header.as_deref().unwrap_or(SECRET_HEADER);
    let secret_field = self::field("--proxy-secret-header", secret_name, Field::new(secret_name))?;
    let secret = config::read_secret(path)?;
    Header::new(field, secret_field, &secret).map_err(|error| match error {
        identity::BadHeader::Secret => {
            Error::refused(format!("the file `{}` {error}", path.display()))
        }
        identity::BadHeader::Same(_) => {
            Error::refused(format!("{error}; name another header with `--proxy-secret-header`"))
        }
    })
}

fn field(argument: &str, name: &str, read: Result<Field, BadField>) -> Result<Field> {
    read.map_err(|error| Error::refused(format!("`{argument}`: `{name}` {error}")))
}

async fn assertion(name: &str, args: &args::Identity) -> Result<Assertion> {
    if args.proxy_secret_file.is_some() || args.proxy_secret_header.is_some() {
        return Err(Error::refused(
            "a proxy's secret belongs to `--identity-header`; an assertion is signed, so leave \
             `--proxy-secret-file` and `--proxy-secret-header` out",
        ));
    }
    let needed = |given: &Option<String>, argument: &str, what: &str| {
        given.clone().ok_or_else(|| {
            Error::refused(format!("`--assertion-header` needs {what}; give `{argument}`, too"))
        })
    };
    let field = field("--assertion-header", name, Field::of_assertion(name))?;
    let issuer = needed(&args.assertion_issuer, "--assertion-issuer", "to know who signs")?;
    let audience = needed(
        &args.assertion_audience,
        "--assertion-audience",
        "to know for whom they are meant",
    )?;
    let keys = needed(&args.assertion_keys, "--assertion-keys", "the keys that sign")?;
    let claim = args.assertion_claim.clone().unwrap_or_else(|| CLAIM.to_owned());
    let source = key_source(&keys, args.assertion_ca.as_deref())?;
    let terms = Terms { field, issuer, audience, claim };
    Assertion::open(terms, source, Arc::new(SystemClock::default())).await.map_err(|error| {
        let argument = match &error {
            identity::BadAssertion::Issuer(_) => "--assertion-issuer".to_owned(),
            identity::BadAssertion::Audience => "--assertion-audience".to_owned(),
            identity::BadAssertion::Keys(_) => format!("--assertion-keys {keys}"),
        };
        Error::refused(format!("`{argument}` is wrong: {error}"))
    })
}

/// Tells an address from a file by its scheme.
fn key_source(keys: &str, ca: Option<&Path>) -> Result<Box<dyn KeySource>> {
    if !keys.contains("://") {
        if ca.is_some() {
            return Err(Error::refused(
                "`--assertion-ca` is for keys at an https address, but `--assertion-keys` is a \
                 file; leave it out",
            ));
        }
        return Ok(Box::new(KeyFile::new(Path::new(keys))));
    }
    let wrong = |why: String| Error::refused(format!("`--assertion-keys {keys}` {why}"));
    let uri: Uri = keys.parse().map_err(|error| wrong(format!("is no address: {error}")))?;
    let trust = authorities::read(ca)?;
    let remote = RemoteKeys::new(uri, &trust).map_err(|error| wrong(error.to_string()))?;
    Ok(Box::new(remote))
}

/// Checks where one signs out: an address by https, or a path of the host that the browser is at.
fn sign_out_url(text: &str) -> Result<String> {
    let is_plain = text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"' | b'<'));
    let is_path = text.starts_with('/') && !text.starts_with("//");
    let is_web = text.parse::<Uri>().is_ok_and(|uri| {
        let host = uri.authority().map(http::uri::Authority::as_str);
        uri.scheme_str() == Some("https") && host.is_some_and(|host| !host.contains('@'))
    });
    if is_plain && text.len() <= URL_BYTES_MAX && (is_path || is_web) {
        return Ok(text.to_owned());
    }
    Err(Error::refused(format!(
        "`--sign-out-url` must be an address such as `https://login.example.com/logout`, or a path \
         such as `/oauth2/sign_out`, but is `{text}`"
    )))
}

#[cfg(test)]
mod tests;
