//! Ports for servers that cannot choose one themselves.

use crate::process::{Error, Result};
use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Below the ports that Linux gives to outgoing connections (32768 and up).
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// A port of this machine that no other [`ReservedPort`] of any process has while this exists.
///
/// The server that uses it may end and start again: no outgoing connection takes the port
/// meanwhile.
pub struct ReservedPort {
    number: u16,
    /// The reservation: an abstract socket, which the system removes with the process.
    _reservation: UnixListener,
}

impl ReservedPort {
    /// Reserves an unused port.
    ///
    /// # Errors
    /// If all ports are taken.
    pub fn new() -> Result<Self> {
        // Each process begins elsewhere, so that they seldom try the same ports.
        let offset = u16::try_from(std::process::id() * 31 % u32::from(COUNT)).unwrap_or_default();
        let numbers = (0..COUNT).map(|step| FIRST + (offset + step) % COUNT);
        let reserved = numbers.into_iter().find_map(|number| {
            let name = SocketAddr::from_abstract_name(format!("sheaf-port-{number}")).ok()?;
            let reservation = UnixListener::bind_addr(&name).ok()?;
            TcpListener::bind((Ipv4Addr::LOCALHOST, number)).ok()?;
            Some(Self { number, _reservation: reservation })
        });
        reserved.ok_or_else(|| Error::Failed("bind".to_owned(), "no port is free".to_owned()))
    }

    /// The number of the port.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The port with the address of this machine: `127.0.0.1:20123`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_port_is_free_and_nobody_elses() {
        let (one, other) = (ReservedPort::new().unwrap(), ReservedPort::new().unwrap());
        assert_ne!(one.number(), other.number());
        let listener = TcpListener::bind(one.address()).unwrap();
        assert!(ReservedPort::new().is_ok_and(|third| third.number() != one.number()));
        drop(listener);
        TcpListener::bind(one.address()).unwrap();
    }

    #[test]
    fn taken_port_is_passed_over() {
        let free = ReservedPort::new().unwrap();
        let number = free.number();
        drop(free);
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, number)).unwrap();
        assert_ne!(ReservedPort::new().unwrap().number(), number);
    }
}
