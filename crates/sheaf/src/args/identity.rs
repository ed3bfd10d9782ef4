//! What the command line says of signing in by an auth proxy in front.

use clap::Args;
use contract::Plan;
use std::path::PathBuf;

/// Who says who comes, in place of passwords and sign-in links.
#[derive(Debug, Default, Args)]
#[expect(clippy::struct_field_names, reason = "fields are named as the arguments are")]
pub(crate) struct Identity {
    /// The header in which a trusted proxy names who is signed in with it, for example
    /// `X-Forwarded-Email`. Passwords and sign-in links are off then, and from everybody else the
    /// header is refused. Needs --trusted-proxy and --proxy-secret-file, or a socket to listen on
    #[arg(long, value_name = "NAME")]
    pub(crate) identity_header: Option<String>,
    /// A file of a secret that the proxy sends along with every request: 16 to 256 characters,
    /// which not everybody may read
    #[arg(long, value_name = "FILE")]
    pub(crate) proxy_secret_file: Option<PathBuf>,
    /// The header in which it sends that secret; left out, it is X-Sheaf-Proxy-Secret
    #[arg(long, value_name = "NAME")]
    pub(crate) proxy_secret_header: Option<String>,
    /// The header in which a proxy hands on an assertion of who is signed in, signed as a JWT, for
    /// example Cf-Access-Jwt-Assertion, or Authorization; instead of --identity-header. Needs the
    /// three that follow, and no trusted addresses
    #[arg(long, value_name = "NAME")]
    pub(crate) assertion_header: Option<String>,
    /// Who signs assertions: their `iss`
    #[arg(long, value_name = "ISSUER")]
    pub(crate) assertion_issuer: Option<String>,
    /// For whom they are meant: their `aud`
    #[arg(long, value_name = "NAME")]
    pub(crate) assertion_audience: Option<String>,
    /// A file of the public keys that sign them (a JSON Web Key Set), or the https address of one,
    /// which is asked again every hour
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) assertion_keys: Option<String>,
    /// A file of certificates (PEM) of the authorities that may vouch for that address, in place of
    /// the public ones
    #[arg(long, value_name = "FILE")]
    pub(crate) assertion_ca: Option<PathBuf>,
    /// The claim that says who somebody is; left out, it is `sub`
    #[arg(long, value_name = "CLAIM")]
    pub(crate) assertion_claim: Option<String>,
    /// Give a person whom nobody here knows an account of their own, of this plan: free, pro,
    /// business or enterprise. Without it, they are told whom to ask. Not for `sheaf gateway`
    #[arg(long, value_name = "PLAN")]
    pub(crate) provision: Option<Plan>,
    /// Where one signs out of the proxy, too: an https address, or a path such as
    /// `/oauth2/sign_out`
    #[arg(long, value_name = "URL")]
    pub(crate) sign_out_url: Option<String>,
}
