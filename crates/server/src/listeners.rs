//! The listeners of a server: TCP addresses and Unix sockets with one common connection count.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use crate::address::{Address, SocketMode};
use crate::error::{Error, Result};
use crate::shutdown::queued;
use crate::socket::{self, Socket};

/// All listeners of a server.
pub struct Listeners {
    all: Vec<Listener>,
    /// Index of the listener that is polled first. It rotates, so that no listener starves the
    /// rest.
    first: usize,
}

enum Listener {
    Tcp(TcpListener),
    Socket(Socket),
}

/// An accepted connection.
pub(crate) enum Accepted {
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
pub struct Bound(pub Vec<Address>);

impl Bound {
    /// Returns the first TCP address, which clients can reach without a proxy.
    pub fn address(&self) -> Option<SocketAddr> {
        self.0.iter().find_map(|place| match place {
            Address::Tcp(address) => Some(*address),
            Address::Socket(_) => None,
        })
    }

    /// Returns whether only this machine can reach the server, without a proxy.
    pub fn is_loopback(&self) -> bool {
        self.0.iter().all(|place| match place {
            Address::Tcp(address) => address.ip().is_loopback(),
            Address::Socket(_) => false,
        })
    }
}

/// Binds all addresses of the command line.
///
/// # Errors
/// If an address is in use or not local, or a socket cannot be created.
pub async fn open(addresses: &[Address], mode: SocketMode) -> Result<(Listeners, Bound)> {
    let (mut all, mut bound) = (Vec::new(), Vec::new());
    for place in addresses {
        let (listener, place) = match place {
            Address::Tcp(address) => {
                let (listener, address) = bind_as(*address, "--listen").await?;
                (Listener::Tcp(listener), Address::Tcp(address))
            }
            Address::Socket(path) => {
                let socket = socket::bind(path, mode)?;
                (Listener::Socket(socket), place.clone())
            }
        };
        all.push(listener);
        bound.push(place);
    }
    Ok((Listeners { all, first: 0 }, Bound(bound)))
}

/// Binds an address, which was given by `argument`.
///
/// # Errors
/// If the address is in use or not local.
pub async fn bind_as(address: SocketAddr, argument: &str) -> Result<(TcpListener, SocketAddr)> {
    let failed = || Error::io(format!("cannot listen on `{address}`; choose another `{argument}`"));
    let listener = TcpListener::bind(address).await.map_err(failed())?;
    let bound = listener.local_addr().map_err(failed())?;
    Ok((listener, bound))
}

impl From<TcpListener> for Listeners {
    fn from(listener: TcpListener) -> Self {
        Self { all: vec![Listener::Tcp(listener)], first: 0 }
    }
}

impl Listeners {
    /// Waits for the next connection of any listener.
    pub(crate) async fn accept(&mut self) -> io::Result<Accepted> {
        self.first = (self.first + 1) % self.all.len();
        poll_fn(|cx| {
            let (behind, ahead) = self.all.split_at(self.first);
            let ready = ahead.iter().chain(behind).map(|listener| listener.poll(cx));
            ready.into_iter().find(Poll::is_ready).unwrap_or(Poll::Pending)
        })
        .await
    }

    /// Closes all listeners, and returns the connections still in their queues. These clients may
    /// have sent a request already, and closing the listener would reset them.
    pub(crate) fn last(self) -> Vec<Accepted> {
        self.all.into_iter().flat_map(Listener::last).collect()
    }
}

impl Listener {
    fn last(self) -> Vec<Accepted> {
        match self {
            Self::Tcp(listener) => {
                let Ok(listener) = listener.into_std() else { return Vec::new() };
                queued(|| {
                    let (stream, peer) = listener.accept()?;
                    stream.set_nonblocking(true)?;
                    Ok(Accepted::Tcp(TcpStream::from_std(stream)?, peer))
                })
            }
            Self::Socket(socket) => socket.last().into_iter().map(Accepted::Socket).collect(),
        }
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<io::Result<Accepted>> {
        match self {
            Self::Tcp(listener) => {
                listener.poll_accept(cx).map_ok(|(stream, peer)| Accepted::Tcp(stream, peer))
            }
            Self::Socket(socket) => socket.poll_accept(cx).map_ok(Accepted::Socket),
        }
    }
}

impl Accepted {
    /// Returns the peer of the connection.
    pub(crate) fn peer(&self) -> Peer {
        match self {
            Self::Tcp(_, peer) => Peer::Address(*peer),
            Self::Socket(_) => Peer::Socket,
        }
    }
}
