//! Listen addresses and trusted proxies.

use clap::Args;
use server::{ListenAddress, SocketMode, Tls};
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Maximum number of addresses and sockets.
const LISTENERS_MAX: usize = 8;

/// Listener options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Listening")]
#[expect(clippy::struct_field_names, reason = "fields have the names of the arguments")]
pub(crate) struct Listen {
    /// Address and port to listen on, or `unix:PATH` for a Unix socket
    ///
    /// Can be repeated. Port 0 selects a free port and prints it. Proxies that connect by a socket
    /// are trusted without an address or a secret.
    #[arg(long, value_name = "ADDR|unix:PATH", default_value = "127.0.0.1:8080")]
    pub(crate) listen: Vec<ListenAddress>,
    /// Permissions of socket files; defaults to 0660, for the server's user and group
    #[arg(long, value_name = "OCTAL")]
    pub(crate) socket_mode: Option<SocketMode>,
    /// TLS is terminated by a proxy
    ///
    /// Session cookies are then sent over TLS only. If the proxy runs on this machine, client
    /// addresses are read from the last entry of X-Forwarded-For. Otherwise, for example with
    /// containers, set --trusted-proxy as well.
    #[arg(long)]
    pub(crate) behind_tls: bool,
    /// Address of a trusted proxy, or a network such as `172.18.0.0/24`
    ///
    /// Can be repeated. Only these proxies are then trusted: client addresses are read from the
    /// last entry of X-Forwarded-For that is not theirs.
    #[arg(long, value_name = "CIDR")]
    pub(crate) trusted_proxy: Vec<String>,
    #[command(flatten)]
    pub(crate) own_tls: OwnTls,
}

/// TLS without a proxy.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct OwnTls {
    /// File with the certificate chain (PEM)
    ///
    /// The server then accepts only TLS. Reloaded on SIGHUP, and when this file or the key file
    /// changes.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// File with the private key (PEM); must not be world-readable
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,
}

impl Listen {
    /// Whether the server terminates TLS itself.
    pub(crate) fn terminates_tls(&self) -> bool {
        self.own_tls.tls_cert.is_some()
    }

    /// Whether the server listens on a Unix socket.
    pub(crate) fn has_socket(&self) -> bool {
        self.listen.iter().any(|address| matches!(address, ListenAddress::Socket(_)))
    }

    /// Returns the permissions of socket files.
    pub(crate) fn socket_mode(&self) -> SocketMode {
        self.socket_mode.unwrap_or(SocketMode::DEFAULT)
    }

    /// Checks for contradictory options.
    ///
    /// # Errors
    /// The contradiction, in one sentence.
    pub(crate) fn check(&self) -> Result<()> {
        let has_address =
            self.listen.iter().any(|address| matches!(address, ListenAddress::Tcp(_)));
        let wrong = if self.listen.len() > LISTENERS_MAX {
            format!(
                "`--listen` may be given {LISTENERS_MAX} times at most, but is given {} times",
                self.listen.len()
            )
        } else if self.terminates_tls() && !has_address {
            "`--tls-cert` is for addresses, but `--listen` names only sockets, which do not use \
             TLS; add an address, or remove `--tls-cert`"
                .to_owned()
        } else if self.socket_mode.is_some() && !self.has_socket() {
            "`--socket-mode` needs a socket; add one with `--listen unix:…`, or remove the mode"
                .to_owned()
        } else {
            return Ok(());
        };
        Err(Error::invalid(wrong))
    }
}

impl OwnTls {
    /// Loads the certificate and its key; `None` if neither file is given.
    ///
    /// # Errors
    /// One file without the other, or a pair that cannot be used.
    pub(crate) fn load(&self) -> Result<Option<Arc<Tls>>> {
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
        Err(Error::invalid(missing))
    }
}
