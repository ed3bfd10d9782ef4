//! Where to listen, as it is written: an address and port, or a socket in the file system.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// What stands before the path of a socket.
const SOCKET: &str = "unix:";
/// Every bit that a socket's file may have.
const MODE_MAX: u32 = 0o777;
/// The bit without which the server's own user could not connect.
const OWNER_MAY: u32 = 0o200;
/// The bit by which everybody on this machine may connect.
const EVERYBODY_MAY: u32 = 0o002;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// An address and port.
    Tcp(SocketAddr),
    /// A socket of this path.
    Socket(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let socket = text.strip_prefix(SOCKET).filter(|path| is_path(path));
        let address = || text.parse().map(Self::Tcp).ok();
        socket.map(|path| Self::Socket(path.into())).or_else(address).ok_or_else(|| {
            format!(
                "an address is such as `127.0.0.1:8080`, or `unix:/run/sheaf/sheaf.sock`, but \
                 this is `{text}`"
            )
        })
    }
}

/// A name that begins with `@` is none of the file system's, and whoever likes may connect to it.
fn is_path(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('/') && !text.starts_with('@') && !text.contains('\0')
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Socket(path) => write!(f, "{SOCKET}{}", path.display()),
        }
    }
}

/// Who may connect to a socket: the permissions of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketMode(pub(crate) u32);

impl SocketMode {
    /// The server's own user, and its group.
    pub const USUAL: Self = Self(0o660);

    /// Whether everybody on this machine may.
    pub fn is_for_everybody(self) -> bool {
        self.0 & EVERYBODY_MAY != 0
    }
}

impl FromStr for SocketMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mode = u32::from_str_radix(text, 8).ok().filter(|_| !text.starts_with('+'));
        mode.filter(|mode| *mode <= MODE_MAX && mode & OWNER_MAY != 0).map(Self).ok_or_else(|| {
            format!(
                "permissions are three octal digits such as `0660`, with which the server's own \
                 user may connect, but these are `{text}`"
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
    fn an_address_is_a_port_or_a_path() {
        for text in ["127.0.0.1:8080", "[::1]:0", "unix:/run/sheaf/sheaf.sock", "unix:sheaf.sock"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for bad in ["", "8080", "127.0.0.1", "unix:", "unix:@sheaf", "unix:/run/", "/run/s", "a:1"]
        {
            let said = bad.parse::<Address>().unwrap_err();
            assert!(said.ends_with(&format!("but this is `{bad}`")), "{said}");
        }
    }

    #[test]
    fn permissions_let_at_least_the_server_itself_connect() {
        for (text, shown, everybody) in
            [("0660", "0660", false), ("600", "0600", false), ("777", "0777", true)]
        {
            let mode: SocketMode = text.parse().unwrap();
            assert_eq!((mode.to_string().as_str(), mode.is_for_everybody()), (shown, everybody));
        }
        for bad in ["", "660x", "8", "+660", "0o660", "0060", "440", "1660", "-1", "rw-rw----"] {
            assert!(bad.parse::<SocketMode>().is_err(), "{bad:?} was taken");
        }
    }
}
