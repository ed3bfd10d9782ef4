//! A Unix socket file: created if no process listens on it, restricted to permitted users, and
//! removed at shutdown.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener as StdListener, UnixStream as Client};
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use tokio::net::{UnixListener, UnixSocket, UnixStream};

use crate::address::{ListenAddress, SocketMode};
use crate::error::{Error, Result};
use crate::shutdown::accept_queued;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// A listening socket and its file. Dropping it removes both, unless another file has replaced it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    listener: UnixListener,
    path: PathBuf,
    /// Device and inode of the file, which identify it if another file has the same name.
    file_id: (u64, u64),
}

/// Listens on a socket at `path`. Replaces a socket file without a listening process.
///
/// # Errors
/// If a process listens there, if another kind of file exists there, or if the folder is missing or
/// not accessible.
pub(crate) fn bind_socket(path: &Path, mode: SocketMode) -> Result<SocketFile> {
    let address = ListenAddress::Socket(path.to_owned());
    let failed = |source| bind_error(&address, source);
    // The lock on the folder serialises two servers that start at the same time. Without it each
    // could mistake the other's new file for a stale one.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder_lock = File::open(folder.unwrap_or_else(|| Path::new("."))).map_err(failed)?;
    folder_lock.lock().map_err(failed)?;
    remove_stale_socket(path, &address)?;
    let socket = UnixSocket::new_stream().map_err(failed)?;
    socket.bind(path).map_err(failed)?;
    // Before `listen` no client can connect, so the initial permissions of the file do not matter.
    let listener = fs::set_permissions(path, Permissions::from_mode(mode.0))
        .and_then(|()| Ok((socket.listen(BACKLOG)?, fs::symlink_metadata(path)?)));
    let (listener, metadata) = listener.map_err(failed)?;
    Ok(SocketFile { listener, path: path.to_owned(), file_id: file_id(&metadata) })
}

/// Removes a socket file without a listening process.
fn remove_stale_socket(path: &Path, address: &ListenAddress) -> Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    if !metadata.file_type().is_socket() {
        return Err(Error::refused(format!(
            "`{}` exists and is not a socket; remove it, or choose another `--listen`",
            path.display()
        )));
    }
    match Client::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(Error::file_error(path))
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(foreign_socket_error(path))
        }
        // On other errors, such as a full queue, a process may be listening.
        _ => Err(Error::refused(format!(
            "another process listens on `{address}`; stop it first, or choose another `--listen`"
        ))),
    }
}

fn bind_error(address: &ListenAddress, source: io::Error) -> Error {
    let what = match source.kind() {
        io::ErrorKind::PermissionDenied => format!(
            "no permission to listen on `{address}`; grant write access to its folder, or choose \
             another `--listen`"
        ),
        _ => format!("cannot listen on `{address}`; choose another `--listen`"),
    };
    Error::Io { what, source }
}

/// Returns the error of a socket to which this process may not connect. So it is not known whether
/// a process listens there.
fn foreign_socket_error(path: &Path) -> Error {
    Error::refused(format!(
        "no permission to use the socket `{}`; remove it if no process listens there, or choose \
         another `--listen`",
        path.display()
    ))
}

fn file_id(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

impl SocketFile {
    /// Accepts the next connection.
    pub(crate) fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<UnixStream>> {
        self.listener.poll_accept(cx).map_ok(|(stream, _)| stream)
    }

    /// Removes the file, so that no client can connect any more, and returns the queued
    /// connections.
    pub(crate) fn into_queued(self) -> Vec<UnixStream> {
        self.remove_file();
        let Ok(same) = self.listener.as_fd().try_clone_to_owned() else { return Vec::new() };
        let listener = StdListener::from(same);
        accept_queued(|| {
            let (stream, _) = listener.accept()?;
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        })
    }

    /// Removes the file if it is still ours. While we listen, no other server replaces the file,
    /// and no other file has its inode.
    fn remove_file(&self) {
        let is_ours = fs::symlink_metadata(&self.path).is_ok_and(|it| file_id(&it) == self.file_id);
        if is_ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "cannot remove the socket file");
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        self.remove_file();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: SocketMode = SocketMode(0o660);

    fn refusal(path: &Path) -> String {
        bind_socket(path, USUAL).unwrap_err().to_string()
    }

    #[tokio::test]
    async fn socket_has_mode_and_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.sock");
        for mode in [0o660, 0o600, 0o666] {
            let socket = bind_socket(&path, SocketMode(mode)).unwrap();
            assert_eq!(fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            drop(socket);
            assert!(!path.exists());
        }
    }

    #[tokio::test]
    async fn stale_socket_is_replaced_but_not_active() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "the stale file is missing");
        let socket = bind_socket(&path, USUAL).unwrap();
        assert!(refusal(&path).contains("another process listens on `unix:"));
        assert!(Client::connect(&path).is_ok(), "the first server stopped");
        // A file that replaced ours is not removed.
        fs::remove_file(&path).unwrap();
        let _other = std::os::unix::net::UnixListener::bind(&path).unwrap();
        drop(socket);
        assert!(path.exists());
    }

    #[test]
    fn missing_permission_is_named() {
        let path = Path::new("/run/sheaf.sock");
        let address = ListenAddress::Socket(path.to_owned());
        let denied = bind_error(&address, io::ErrorKind::PermissionDenied.into()).to_string();
        assert!(
            denied.starts_with("no permission to listen on `unix:/run/sheaf.sock`"),
            "{denied}"
        );
        assert!(denied.contains("write access to its folder"), "{denied}");
        let other = bind_error(&address, io::ErrorKind::NotFound.into()).to_string();
        assert!(other.starts_with("cannot listen on `unix:/run/sheaf.sock`"), "{other}");
        let foreign = foreign_socket_error(path).to_string();
        assert!(foreign.starts_with("no permission to use the socket"), "{foreign}");
    }

    #[tokio::test]
    async fn other_files_are_never_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "kept").unwrap();
        assert!(refusal(&path).contains("not a socket; remove it"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(refusal(&link).contains("not a socket"));
        assert!(refusal(&folder.path().join("no/such.sock")).contains("choose another `--listen`"));
        let long = folder.path().join("x".repeat(120));
        assert!(refusal(&long).contains("choose another `--listen`"));
    }
}
