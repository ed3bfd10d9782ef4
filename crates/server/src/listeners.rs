//! The listeners of a server: TCP addresses and Unix sockets with one common connection count.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use crate::address::{ListenAddress, SocketMode};
use crate::error::{Error, Result};
use crate::shutdown::accept_queued;
use crate::socket::{self, SocketFile};

/// All listeners of a server.
pub struct Listeners {
    all: Vec<Listener>,
    /// Index of the listener that is polled first. It rotates, so that no listener starves the
    /// rest.
    next_index: usize,
}

enum Listener {
    Tcp(TcpListener),
    Socket(SocketFile),
}

/// An accepted connection.
pub(crate) enum AcceptedConnection {
    Tcp(TcpStream, SocketAddr),
    Socket(UnixStream),
}

/// The peer of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Peer {
    /// A client with this address.
    Address(SocketAddr),
    /// A process that may open our Unix socket: a proxy on this machine.
    Socket,
}

/// The bound addresses of a server, with the numbers of ports that were chosen automatically.
#[derive(Debug)]
pub struct BoundAddresses(pub Vec<ListenAddress>);

impl BoundAddresses {
    /// Returns the first TCP address, which clients can reach without a proxy.
    pub fn first_tcp_address(&self) -> Option<SocketAddr> {
        self.0.iter().find_map(|address| match address {
            ListenAddress::Tcp(tcp) => Some(*tcp),
            ListenAddress::Socket(_) => None,
        })
    }

    /// Returns whether only this machine can reach the server, without a proxy.
    pub fn is_loopback(&self) -> bool {
        self.0.iter().all(|address| match address {
            ListenAddress::Tcp(tcp) => tcp.ip().is_loopback(),
            ListenAddress::Socket(_) => false,
        })
    }
}

/// Binds all addresses of the command line.
///
/// # Errors
/// If an address is in use or not local, or a socket cannot be created.
pub async fn bind_all(
    addresses: &[ListenAddress],
    mode: SocketMode,
) -> Result<(Listeners, BoundAddresses)> {
    let mut listeners = Vec::new();
    let mut bound = Vec::new();
    for address in addresses {
        let (listener, bound_address) = match address {
            ListenAddress::Tcp(tcp) => {
                let (listener, tcp) = bind_address(*tcp, "--listen").await?;
                (Listener::Tcp(listener), ListenAddress::Tcp(tcp))
            }
            ListenAddress::Socket(path) => {
                let socket = socket::bind_socket(path, mode)?;
                (Listener::Socket(socket), address.clone())
            }
        };
        listeners.push(listener);
        bound.push(bound_address);
    }
    Ok((Listeners { all: listeners, next_index: 0 }, BoundAddresses(bound)))
}

/// Binds an address, which was given by `argument`.
///
/// # Errors
/// If the address is in use, not local or not permitted.
pub async fn bind_address(
    address: SocketAddr,
    argument: &str,
) -> Result<(TcpListener, SocketAddr)> {
    let failed = |source| bind_error(address, argument, source);
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

fn bind_error(address: SocketAddr, argument: &str, source: io::Error) -> Error {
    let what = match source.kind() {
        io::ErrorKind::PermissionDenied => format!(
            "no permission to listen on `{address}`; choose a port of 1024 or more in \
             `{argument}`, or grant `CAP_NET_BIND_SERVICE`"
        ),
        _ => format!("cannot listen on `{address}`; choose another `{argument}`"),
    };
    Error::Io { what, source }
}

impl From<TcpListener> for Listeners {
    fn from(listener: TcpListener) -> Self {
        Self { all: vec![Listener::Tcp(listener)], next_index: 0 }
    }
}

impl Listeners {
    /// Waits for the next connection of any listener.
    pub(crate) async fn accept(&mut self) -> io::Result<AcceptedConnection> {
        self.next_index = (self.next_index + 1) % self.all.len();
        poll_fn(|cx| {
            let (polled_last, polled_first) = self.all.split_at(self.next_index);
            let ready =
                polled_first.iter().chain(polled_last).map(|listener| listener.poll_accept(cx));
            ready.into_iter().find(Poll::is_ready).unwrap_or(Poll::Pending)
        })
        .await
    }

    /// Closes all listeners, and returns the connections still in their queues. These clients may
    /// have sent a request already, and closing the listener would reset them.
    pub(crate) fn into_queued(self) -> Vec<AcceptedConnection> {
        self.all.into_iter().flat_map(Listener::into_queued).collect()
    }
}

impl Listener {
    fn into_queued(self) -> Vec<AcceptedConnection> {
        match self {
            Self::Tcp(listener) => {
                let Ok(listener) = listener.into_std() else { return Vec::new() };
                accept_queued(|| {
                    let (stream, peer) = listener.accept()?;
                    stream.set_nonblocking(true)?;
                    Ok(AcceptedConnection::Tcp(TcpStream::from_std(stream)?, peer))
                })
            }
            Self::Socket(socket) => {
                socket.into_queued().into_iter().map(AcceptedConnection::Socket).collect()
            }
        }
    }

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<AcceptedConnection>> {
        match self {
            Self::Tcp(listener) => listener
                .poll_accept(cx)
                .map_ok(|(stream, peer)| AcceptedConnection::Tcp(stream, peer)),
            Self::Socket(socket) => socket.poll_accept(cx).map_ok(AcceptedConnection::Socket),
        }
    }
}

impl AcceptedConnection {
    /// Returns the peer of the connection.
    pub(crate) fn peer(&self) -> Peer {
        match self {
            Self::Tcp(_, peer) => Peer::Address(*peer),
            Self::Socket(_) => Peer::Socket,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bind_errors_say_what_to_do() {
        let address = "192.0.2.1:80".parse().unwrap();
        let denied = bind_error(address, "--listen", io::ErrorKind::PermissionDenied.into());
        let denied = denied.to_string();
        assert!(denied.starts_with("no permission to listen on `192.0.2.1:80`"), "{denied}");
        assert!(denied.contains("1024 or more in `--listen`"), "{denied}");
        let (_listener, accepted) =
            bind_address("127.0.0.1:0".parse().unwrap(), "--listen").await.unwrap();
        let refused = bind_address(accepted, "--operator-listen").await.unwrap_err().to_string();
        assert!(refused.contains("choose another `--operator-listen`: "), "{refused}");
    }
}
