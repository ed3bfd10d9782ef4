//! Arguments for sign-in through an authenticating proxy.

use clap::Args;
use contract::Plan;
use std::path::PathBuf;

/// Proxy authentication, used in place of passwords and sign-in links.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Sign-in by a proxy")]
#[expect(clippy::struct_field_names, reason = "fields have the names of the arguments")]
pub(crate) struct Identity {
    /// Header in which a trusted proxy sends the name of the user
    ///
    /// For example `X-Forwarded-Email`. Turns off passwords and sign-in links; requests from others
    /// with this header are rejected. Needs --trusted-proxy and --proxy-secret-file, or a Unix
    /// socket in --listen.
    #[arg(long, value_name = "NAME")]
    pub(crate) identity_header: Option<String>,
    /// File with the secret that the proxy sends with every request
    ///
    /// 16 to 256 characters; must not be world-readable.
    #[arg(long, value_name = "FILE")]
    pub(crate) proxy_secret_file: Option<PathBuf>,
    /// Header with the proxy's secret; defaults to X-Sheaf-Proxy-Secret
    #[arg(long, value_name = "NAME")]
    pub(crate) proxy_secret_header: Option<String>,
    /// Header in which a proxy sends a signed JWT about the user
    ///
    /// For example Cf-Access-Jwt-Assertion or Authorization, instead of --identity-header. Needs
    /// --assertion-issuer, --assertion-audience and --assertion-keys, but no trusted addresses.
    #[arg(long, value_name = "NAME")]
    pub(crate) assertion_header: Option<String>,
    /// Required issuer of assertions (`iss`)
    #[arg(long, value_name = "ISSUER")]
    pub(crate) assertion_issuer: Option<String>,
    /// Required audience of assertions (`aud`)
    #[arg(long, value_name = "NAME")]
    pub(crate) assertion_audience: Option<String>,
    /// JSON Web Key Set with the public keys of the issuer: a file, or an HTTPS URL
    ///
    /// A URL is fetched again every hour.
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) assertion_keys: Option<String>,
    /// File with CA certificates (PEM) to trust for the URL of --assertion-keys, instead of the
    /// public ones
    #[arg(long, value_name = "FILE")]
    pub(crate) assertion_ca: Option<PathBuf>,
    /// Claim that identifies the user; defaults to `sub`
    #[arg(long, value_name = "CLAIM")]
    pub(crate) assertion_claim: Option<String>,
    /// Create an account with this plan for every unknown user
    ///
    /// free, pro, business or enterprise. Without it, unknown users are asked to contact you. Not
    /// for `sheaf gateway`.
    #[arg(long, value_name = "PLAN")]
    pub(crate) provision: Option<Plan>,
    /// Sign-out URL of the proxy: an HTTPS URL, or a path such as `/oauth2/sign_out`
    #[arg(long, value_name = "URL")]
    pub(crate) sign_out_url: Option<String>,
}
