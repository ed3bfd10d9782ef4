//! The address of a database: what it says, and what of it may be said aloud.
//!
//! It holds a password, so nothing here is ever printed but hosts, ports and names.

use store::{Result, StoreError};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

const SHAPE: &str = "it must look like `postgres://NAME:PASSWORD@HOST/DATABASE`, with special \
                     characters of the password as `%..`";
const PORT: u16 = 5432;

/// What TLS has to prove of who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing: nobody who only listens on the wire can read it.
    Nothing,
    /// That an authority vouches for it, under whatever name.
    Authority,
    /// That an authority vouches for it under the name of the address.
    Name,
}

/// A database's address, understood.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) proof: Proof,
}

impl Address {
    /// Reads an address; `has_authority` where one is named that alone may vouch for the database.
    ///
    /// # Errors
    /// [`StoreError::Unfit`] with what is wrong.
    pub(super) fn parse(url: &str, has_authority: bool) -> Result<Self> {
        let wrong = |why: &str| StoreError::Unfit(format!("the database's address {why}; {SHAPE}"));
        let url = url.trim();
        let rest = ["postgres://", "postgresql://"].iter().find_map(|head| url.strip_prefix(head));
        let rest = rest.ok_or_else(|| wrong("does not begin with `postgres://`"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, name) = place.split_once('/').unwrap_or((place, ""));
        // What is behind may be a piece of the password, and is not repeated.
        if name.contains('@') {
            return Err(wrong("has a `/` before its `@`"));
        }
        if query.contains('@') {
            return Err(wrong("has a `?` before its `@`"));
        }
        if authority.matches('@').count() > 1 {
            return Err(wrong("has more than one `@`"));
        }
        let (mode, others) = mode(query)?;
        let plain = format!("postgres://{place}?{others}");
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            let why = std::error::Error::source(&error);
            wrong(&why.map_or_else(|| "cannot be read".to_owned(), |why| format!("has an {why}")))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(wrong("names no host"));
        }
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err(wrong("names no database"));
        }
        let (tls, proof) = match (mode, has_authority) {
            ("disable", true) => {
                return Err(StoreError::Unfit(
                    "an authority for the database's certificate is of no use with \
                     `sslmode=disable`; leave one of them out"
                        .to_owned(),
                ));
            }
            ("disable", false) => (SslMode::Disable, Proof::Nothing),
            ("prefer", false) => (SslMode::Prefer, Proof::Nothing),
            ("require", false) => (SslMode::Require, Proof::Nothing),
            ("verify-ca", _) => (SslMode::Require, Proof::Authority),
            _ => (SslMode::Require, Proof::Name),
        };
        config.ssl_mode(tls);
        Ok(Self { config, proof })
    }

    /// The first host and its port.
    pub(super) fn place(&self) -> String {
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

    /// The role that signs in.
    pub(super) fn role(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// The database's name.
    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_default()
    }
}

/// Takes out of the settings of an address those that the driver does not know as we do.
fn mode(query: &str) -> Result<(&'static str, String)> {
    const MODES: [&str; 5] = ["disable", "prefer", "require", "verify-ca", "verify-full"];
    let (mut mode, mut others) = ("prefer", Vec::new());
    for setting in query.split('&').filter(|setting| !setting.is_empty()) {
        match setting.split_once('=') {
            Some(("sslmode", value)) => {
                let known = MODES.iter().find(|mode| **mode == value);
                mode = known.ok_or_else(|| {
                    StoreError::Unfit(format!(
                        "`sslmode` must be one of `{}`, but is `{value}`",
                        MODES.join("`, `")
                    ))
                })?;
            }
            Some(("sslrootcert", _)) => {
                return Err(StoreError::Unfit(
                    "`sslrootcert` is no part of the database's address; name the file with \
                     `--database-ca`"
                        .to_owned(),
                ));
            }
            Some((name, _)) if name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_') => {
                others.push(setting);
            }
            _ => {
                return Err(StoreError::Unfit(format!(
                    "the database's address has something behind its `?` that is no setting; \
                     {SHAPE}"
                )));
            }
        }
    }
    Ok((mode, others.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_how_much_tls_has_to_prove() {
        let check = |query: &str, has_authority, expect| {
            let url = format!("postgres://me:hidden@db.example/forms{query}");
            let address = Address::parse(&url, has_authority).ok().unwrap();
            assert_eq!((address.config.get_ssl_mode(), address.proof), expect, "{query}");
            assert_eq!(address.place(), "db.example:5432");
            assert_eq!((address.role(), address.database()), ("me", "forms"));
        };
        check("", false, (SslMode::Prefer, Proof::Nothing));
        check("?sslmode=disable", false, (SslMode::Disable, Proof::Nothing));
        check("?connect_timeout=3&sslmode=require", false, (SslMode::Require, Proof::Nothing));
        check("?sslmode=verify-ca", true, (SslMode::Require, Proof::Authority));
        check("?sslmode=verify-full", false, (SslMode::Require, Proof::Name));
        check("?sslmode=prefer", true, (SslMode::Require, Proof::Name));
    }

    #[test]
    fn what_is_wrong_is_told_without_the_password() {
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
        check("postgres://me@h/d?hidden", false, "no setting");
        check("postgres://me@h/d?Hidden%20=x", false, "no setting");
        check("postgres://me:hidden@h:many/d", false, "port");
        check("postgres://me:hidden@h/d?colour=red", false, "colour");
        check("postgres://me:hidden@h/d?sslmode=some", false, "`verify-full`, but is `some`");
        check("postgres://me:hidden@h/d?sslrootcert=x", false, "`--database-ca`");
        check("postgres://me:hidden@h/d?sslmode=disable", true, "leave one of them out");
    }
}
