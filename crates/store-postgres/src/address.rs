//! Parses database addresses.
//!
//! An address contains a password. Errors and logs show only its hosts, ports and names.

use store::{Result, StoreError};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

const URL_FORMAT: &str = "write it as `postgres://NAME:PASSWORD@HOST/DATABASE`, and percent-encode \
                     special characters of the password";
const PORT: u16 = 5432;

/// How the TLS certificate of the server is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TlsVerification {
    /// Not verified: protects only against passive eavesdropping.
    Unverified,
    /// Issued by a trusted authority, for any name.
    Authority,
    /// Issued by a trusted authority, for the host of the address.
    AuthorityAndHost,
}

/// A parsed database address.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) verification: TlsVerification,
}

impl Address {
    /// Parses an address. With `has_authority` (a CA file is configured), the modes `prefer` and
    /// `require` verify like `verify-full`.
    ///
    /// # Errors
    /// [`StoreError::Unusable`] with the reason.
    pub(super) fn parse(url: &str, has_authority: bool) -> Result<Self> {
        let invalid_address = |problem: &str| {
            StoreError::Unusable(format!("the database address {problem}; {URL_FORMAT}"))
        };
        let url = url.trim();
        let rest = ["postgres://", "postgresql://"].iter().find_map(|head| url.strip_prefix(head));
        let rest = rest.ok_or_else(|| invalid_address("does not begin with `postgres://`"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, name) = place.split_once('/').unwrap_or((place, ""));
        // The text after the `/` or `?` may be part of the password, so errors do not quote it.
        if name.contains('@') {
            return Err(invalid_address("has a `/` before its `@`"));
        }
        if query.contains('@') {
            return Err(invalid_address("has a `?` before its `@`"));
        }
        if authority.matches('@').count() > 1 {
            return Err(invalid_address("has more than one `@`"));
        }
        let (mode, settings) = split_sslmode(query)?;
        let url_without_mode = format!("postgres://{place}?{settings}");
        let mut config: Config =
            url_without_mode.parse().map_err(|error: tokio_postgres::Error| {
                let reason = std::error::Error::source(&error);
                invalid_address(&reason.map_or_else(
                    || "cannot be read".to_owned(),
                    |reason| format!("has an {reason}"),
                ))
            })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(invalid_address("names no host"));
        }
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err(invalid_address("names no database"));
        }
        let (tls, proof) = match (mode, has_authority) {
            ("disable", true) => {
                return Err(StoreError::Unusable(
                    "a certificate authority has no effect with `sslmode=disable`; remove one of \
                     them"
                        .to_owned(),
                ));
            }
            ("disable", false) => (SslMode::Disable, TlsVerification::Unverified),
            ("prefer", false) => (SslMode::Prefer, TlsVerification::Unverified),
            ("require", false) => (SslMode::Require, TlsVerification::Unverified),
            ("verify-ca", _) => (SslMode::Require, TlsVerification::Authority),
            _ => (SslMode::Require, TlsVerification::AuthorityAndHost),
        };
        config.ssl_mode(tls);
        Ok(Self { config, verification: proof })
    }

    /// Returns the first host and its port.
    pub(super) fn host_and_port(&self) -> String {
        let port = self.config.get_ports().first().copied().unwrap_or(PORT);
        match (self.config.get_hosts().first(), self.config.get_hostaddrs().first()) {
            (Some(Host::Tcp(host)), _) => format!("{host}:{port}"),
            (Some(Host::Unix(folder)), _) => {
                folder.join(format!(".s.PGSQL.{port}")).display().to_string()
            }
            (None, Some(address)) => format!("{address}:{port}"),
            (None, None) => String::new(),
        }
    }

    /// Returns the role that signs in.
    pub(super) fn role(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// Returns the name of the database.
    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }
}

/// Splits `sslmode` off the settings of an address, and checks the rest. The `sslmode` of the
/// driver lacks `verify-ca` and `verify-full`.
fn split_sslmode(query: &str) -> Result<(&'static str, String)> {
    const MODES: [&str; 5] = ["disable", "prefer", "require", "verify-ca", "verify-full"];
    let mut mode = "prefer";
    let mut settings = Vec::new();
    for setting in query.split('&').filter(|setting| !setting.is_empty()) {
        match setting.split_once('=') {
            Some(("sslmode", value)) => {
                let known = MODES.iter().find(|mode| **mode == value);
                mode = known.ok_or_else(|| {
                    StoreError::Unusable(format!(
                        "`sslmode` must be one of `{}`, but is `{value}`",
                        MODES.join("`, `")
                    ))
                })?;
            }
            Some(("sslrootcert", _)) => {
                return Err(StoreError::Unusable(
                    "`sslrootcert` is not supported in the database address; name the file with \
                     `--database-ca`"
                        .to_owned(),
                ));
            }
            Some((name, _))
                if name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') =>
            {
                settings.push(setting);
            }
            _ => {
                return Err(StoreError::Unusable(format!(
                    "the database address has an invalid setting after its `?`; {URL_FORMAT}"
                )));
            }
        }
    }
    Ok((mode, settings.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sslmode_selects_certificate_verification() {
        let check = |query: &str, has_authority, expect| {
            let url = format!("postgres://me:hidden@db.example/forms{query}");
            let address = Address::parse(&url, has_authority).ok().unwrap();
            assert_eq!((address.config.get_ssl_mode(), address.verification), expect, "{query}");
            assert_eq!(address.host_and_port(), "db.example:5432");
            assert_eq!((address.role(), address.database()), ("me", "forms"));
        };
        check("", false, (SslMode::Prefer, TlsVerification::Unverified));
        check("?sslmode=disable", false, (SslMode::Disable, TlsVerification::Unverified));
        check(
            "?connect_timeout=3&sslmode=require",
            false,
            (SslMode::Require, TlsVerification::Unverified),
        );
        check("?sslmode=verify-ca", true, (SslMode::Require, TlsVerification::Authority));
        check("?sslmode=verify-full", false, (SslMode::Require, TlsVerification::AuthorityAndHost));
        check("?sslmode=prefer", true, (SslMode::Require, TlsVerification::AuthorityAndHost));
    }

    #[test]
    fn address_errors_hide_the_password() {
        let check = |url: &str, has_authority, expect: &str| {
            let error = Address::parse(url, has_authority).err().unwrap().to_string();
            assert!(error.contains(expect), "{url}: {error}");
            assert!(!error.contains("hidden"), "{error}");
        };
        check("", false, "does not begin with `postgres://`");
        check("mysql://me:hidden@h/d", false, "does not begin");
        check("host=h password=hidden", false, "does not begin");
        check("postgres://me:hidden@h", false, "names no database");
        check("postgres:///d", false, "names no host");
        check("postgres://me:hid/hidden@h/d", false, "`/` before its `@`");
        check("postgres://me:p@hidden@h/d", false, "more than one `@`");
        check("postgres://me:p?hidden@h/d", false, "`?` before its `@`");
        check("postgres://me:p@p?hidden=1@h/d", false, "`?` before its `@`");
        check("postgres://me:p/p?hidden@h/d", false, "`?` before its `@`");
        check("postgres://me@h/d?hidden", false, "invalid setting");
        check("postgres://me@h/d?Hidden%20=x", false, "invalid setting");
        check("postgres://me:hidden@h:many/d", false, "port");
        check("postgres://me:hidden@h/d?colour=red", false, "colour");
        check("postgres://me:hidden@h/d?sslmode=some", false, "`verify-full`, but is `some`");
        check("postgres://me:hidden@h/d?sslrootcert=x", false, "`--database-ca`");
        check("postgres://me:hidden@h/d?sslmode=disable", true, "remove one of them");
    }
}
