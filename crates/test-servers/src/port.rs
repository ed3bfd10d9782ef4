//! Ports for servers that cannot choose a free port themselves.

use crate::process::{Error, Result};
use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

/// First port of the range, which is below the ephemeral ports of Linux (32768 and up).
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// Port of this machine that no other [`ReservedPort`] of any process has while this value exists.
///
/// The server can stop and start again, because outgoing connections never use the port.
pub struct ReservedPort {
    number: u16,
    /// Reservation: an abstract socket, which the kernel removes with the process.
    _reservation: UnixListener,
}

impl ReservedPort {
    /// Reserves an unused port.
    ///
    /// # Errors
    /// If all ports are taken.
    pub fn new() -> Result<Self> {
        // Processes start at different offsets, so that they seldom try the same ports.
        let offset = u16::try_from(std::process::id() * 31 % u32::from(COUNT)).unwrap_or_default();
        let numbers = (0..COUNT).map(|step| FIRST + (offset + step) % COUNT);
        let reserved = numbers.into_iter().find_map(|number| {
            // The abstract socket excludes other reservations, the TCP listener other servers. The
            // listener is closed at once, so that the caller's server can bind the port.
            let name = SocketAddr::from_abstract_name(format!("sheaf-port-{number}")).ok()?;
            let reservation = UnixListener::bind_addr(&name).ok()?;
            TcpListener::bind((Ipv4Addr::LOCALHOST, number)).ok()?;
            Some(Self { number, _reservation: reservation })
        });
        reserved.ok_or_else(|| Error::Failed("bind".to_owned(), "no port is free".to_owned()))
    }

    /// Returns the port number.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Returns the port as an address of this machine, such as `127.0.0.1:20123`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_port_is_free_and_exclusive() {
        let one = ReservedPort::new().unwrap();
        let other = ReservedPort::new().unwrap();
        assert_ne!(one.number(), other.number());
        let listener = TcpListener::bind(one.address()).unwrap();
        assert!(ReservedPort::new().is_ok_and(|third| third.number() != one.number()));
        drop(listener);
        TcpListener::bind(one.address()).unwrap();
    }

    #[test]
    fn port_in_use_is_skipped() {
        let free = ReservedPort::new().unwrap();
        let number = free.number();
        drop(free);
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, number)).unwrap();
        assert_ne!(ReservedPort::new().unwrap().number(), number);
    }
}
