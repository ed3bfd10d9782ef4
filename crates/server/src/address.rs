//! Listen addresses: an IP address and port, or a Unix socket.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Prefix of the path of a Unix socket.
const SOCKET_PREFIX: &str = "unix:";
/// All permission bits that a socket file may have.
const MODE_MAX: u32 = 0o777;
/// The bit that the server's own user needs to connect.
const OWNER_WRITE: u32 = 0o200;
/// The bit that lets every user of this machine connect.
const OTHERS_WRITE: u32 = 0o002;

/// A listen address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// An IP address and port.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Socket(PathBuf),
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let socket = text.strip_prefix(SOCKET_PREFIX).filter(|path| is_file_path(path));
        let address = || text.parse().map(Self::Tcp).ok();
        socket.map(|path| Self::Socket(path.into())).or_else(address).ok_or_else(|| {
            format!(
                "an address must be like `127.0.0.1:8080` or `unix:/run/sheaf/sheaf.sock`, but is \
                 `{text}`"
            )
        })
    }
}

/// Returns whether a text is a file system path. A name with a leading `@` is an abstract socket,
/// which has no permissions.
fn is_file_path(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('/') && !text.starts_with('@') && !text.contains('\0')
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Socket(path) => write!(f, "{SOCKET_PREFIX}{}", path.display()),
        }
    }
}

/// Permissions of a socket file; they decide which users may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketMode(pub(crate) u32);

impl SocketMode {
    /// Read and write for the server's user and group.
    pub const DEFAULT: Self = Self(0o660);

    /// Returns whether every user of this machine may connect.
    pub fn is_world_connectable(self) -> bool {
        self.0 & OTHERS_WRITE != 0
    }
}

impl FromStr for SocketMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mode = u32::from_str_radix(text, 8).ok().filter(|_| !text.starts_with('+'));
        mode.filter(|mode| *mode <= MODE_MAX && mode & OWNER_WRITE != 0).map(Self).ok_or_else(|| {
            format!(
                "permissions must be three octal digits such as `0660` that let the server's own \
                 user connect, but are `{text}`"
            )
        })
    }
}

impl fmt::Display for SocketMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tcp_and_socket_addresses_are_parsed() {
        for text in ["127.0.0.1:8080", "[::1]:0", "unix:/run/sheaf/sheaf.sock", "unix:sheaf.sock"] {
            assert_eq!(text.parse::<ListenAddress>().unwrap().to_string(), text);
        }
        for bad in ["", "8080", "127.0.0.1", "unix:", "unix:@sheaf", "unix:/run/", "/run/s", "a:1"]
        {
            let error = bad.parse::<ListenAddress>().unwrap_err();
            assert!(error.ends_with(&format!("but is `{bad}`")), "{error}");
        }
    }

    #[test]
    fn socket_mode_lets_owner_connect() {
        for (text, shown, is_open) in
            [("0660", "0660", false), ("600", "0600", false), ("777", "0777", true)]
        {
            let mode: SocketMode = text.parse().unwrap();
            assert_eq!((mode.to_string().as_str(), mode.is_world_connectable()), (shown, is_open));
        }
        for bad in ["", "660x", "8", "+660", "0o660", "0060", "440", "1660", "-1", "rw-rw----"] {
            assert!(bad.parse::<SocketMode>().is_err(), "{bad:?} was accepted");
        }
    }
}
