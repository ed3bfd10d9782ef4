//! Notifies the service manager about startup and shutdown (`Type=notify` of systemd).
//!
//! Without a notification socket nothing is sent. A failed notification does not stop the server.

use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The server accepts requests.
pub const READY: &str = "READY=1";
/// The server is shutting down.
pub const STOPPING: &str = "STOPPING=1";

/// Sends a message to the service manager's socket, if there is one.
pub fn send_notification(socket: Option<&OsStr>, message: &str) {
    let Some(name) = socket else { return };
    // A leading `@` denotes the zero byte of an abstract socket name.
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(name),
    };
    let sent = address
        .and_then(|address| UnixDatagram::unbound()?.send_to_addr(message.as_bytes(), &address));
    if let Err(error) = sent {
        tracing::warn!(%error, "cannot notify the service manager");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_reach_path_and_abstract_sockets() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let receive = |socket: &UnixDatagram| {
            let mut bytes = [0; 64];
            let length = socket.recv(&mut bytes).unwrap();
            String::from_utf8(bytes[..length].to_vec()).unwrap()
        };
        send_notification(Some(path.as_os_str()), READY);
        assert_eq!(receive(&socket), "READY=1");
        let name = format!("sheaf-notify-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        send_notification(Some(OsStr::new(&format!("@{name}"))), STOPPING);
        assert_eq!(receive(&socket), "STOPPING=1");
        send_notification(None, READY);
        send_notification(Some(OsStr::new("/nowhere/at/all")), READY);
    }
}
