//! Where to listen, and which proxies to trust.

use clap::Args;
use server::{Address, SocketMode, Tls};
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Most addresses and sockets of a server.
const LISTENERS_MAX: usize = 8;

/// Where to listen.
#[derive(Debug, Args)]
#[expect(clippy::struct_field_names, reason = "fields are named as the arguments are")]
pub(crate) struct Listen {
    /// Address and port to listen on, of which port 0 takes a free one, which is then printed; or
    /// a socket for proxies of this machine, `unix:/run/sheaf/sheaf.sock`, which are believed
    /// without an address or a secret. May be given several times
    #[arg(long, value_name = "ADDR|unix:PATH", default_value = "127.0.0.1:8080")]
    pub(crate) listen: Vec<Address>,
    /// Who may connect to a socket: the permissions of its file; left out, these are 0660, for the
    /// server's user and its group
    #[arg(long, value_name = "OCTAL")]
    pub(crate) socket_mode: Option<SocketMode>,
    /// Something in front does TLS: session cookies are sent over TLS only. If it runs on this
    /// machine, clients are told apart by the last address in X-Forwarded-For; if it does not, as
    /// with containers, name it with --trusted-proxy as well
    #[arg(long)]
    pub(crate) behind_tls: bool,
    /// The address of a proxy in front, or a network such as `172.18.0.0/24`; may be given several
    /// times. Only these proxies are trusted then: clients are told apart by the last address in
    /// X-Forwarded-For that is not theirs
    #[arg(long, value_name = "CIDR")]
    pub(crate) trusted_proxy: Vec<String>,
    #[command(flatten)]
    pub(crate) own_tls: OwnTls,
}

/// TLS without anything in front.
#[derive(Debug, Default, Args)]
pub(crate) struct OwnTls {
    /// A file of the certificate (PEM), and behind it those that vouch for it: TLS is spoken here,
    /// and nothing else. Read again on SIGHUP, and when it or the key's file changes
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// A file of its private key (PEM), which not everybody may read
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,
}

impl Listen {
    /// Whether TLS is spoken here.
    pub(crate) fn speaks_tls(&self) -> bool {
        self.own_tls.tls_cert.is_some()
    }

    /// Whether proxies come by a socket.
    pub(crate) fn has_socket(&self) -> bool {
        self.listen.iter().any(|place| matches!(place, Address::Socket(_)))
    }

    /// Who may connect to sockets.
    pub(crate) fn socket_mode(&self) -> SocketMode {
        self.socket_mode.unwrap_or(SocketMode::USUAL)
    }

    /// Looks for options that contradict each other.
    ///
    /// # Errors
    /// The contradiction, in one sentence.
    pub(crate) fn check(&self) -> Result<()> {
        let has_address = self.listen.iter().any(|place| matches!(place, Address::Tcp(_)));
        let wrong = if self.listen.len() > LISTENERS_MAX {
            format!(
                "`--listen` may be given {LISTENERS_MAX} times at most, but is given {} times",
                self.listen.len()
            )
        } else if self.speaks_tls() && !has_address {
            "`--tls-cert` is for addresses, but `--listen` names sockets alone, which are spoken \
             to without TLS; name an address, too, or leave it out"
                .to_owned()
        } else if self.socket_mode.is_some() && !self.has_socket() {
            "`--socket-mode` is for a socket; name one with `--listen unix:…`, or leave it out"
                .to_owned()
        } else {
            return Ok(());
        };
        Err(Error::refused(wrong))
    }
}

impl OwnTls {
    /// Reads the certificate and its key; `None` where there is neither file.
    ///
    /// # Errors
    /// One file without the other, or a pair that cannot be used.
    pub(crate) fn open(&self) -> Result<Option<Arc<Tls>>> {
        let missing = match (&self.tls_cert, &self.tls_key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => {
                return Ok(Some(Tls::open(certificate.clone(), key.clone())?));
            }
            (Some(_), None) => {
                "`--tls-cert` is given without a key; name its file with `--tls-key`"
            }
            (None, Some(_)) => {
                "`--tls-key` is given without a certificate; name its file with `--tls-cert`"
            }
        };
        Err(Error::refused(missing))
    }
}
