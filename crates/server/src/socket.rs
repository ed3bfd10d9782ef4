//! A socket in the file system: made where nobody listens, for those alone who may connect, and
//! removed at the end.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener as StdListener, UnixStream as Client};
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use tokio::net::{UnixListener, UnixSocket, UnixStream};

use crate::address::{Address, SocketMode};
use crate::error::{Error, Result};
use crate::shutdown::queued;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// A listening socket and its file. Dropped, both are gone, unless another file took its place.
#[derive(Debug)]
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Device and inode, by which it is told from another file of its name.
    is: (u64, u64),
}

/// Listens on a socket of this path. A file that somebody left there who listens no more is
/// replaced.
///
/// # Errors
/// A path on which somebody listens, or where something else stands; a folder that is not there,
/// or not ours.
pub(crate) fn bind(path: &Path, mode: SocketMode) -> Result<Socket> {
    let place = Address::Socket(path.to_owned());
    let failed = |source| Error::Io {
        what: format!("cannot listen on `{place}`; choose another `--listen`"),
        source,
    };
    // Two that start at once must not each take the other's file for one that was left.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let turn = File::open(folder.unwrap_or_else(|| Path::new("."))).map_err(failed)?;
    turn.lock().map_err(failed)?;
    clear(path, &place)?;
    let socket = UnixSocket::new_stream().map_err(failed)?;
    socket.bind(path).map_err(failed)?;
    // Before it listens nobody can connect, whatever the permissions are that it was made with.
    let listener = fs::set_permissions(path, Permissions::from_mode(mode.0))
        .and_then(|()| Ok((socket.listen(BACKLOG)?, fs::symlink_metadata(path)?)));
    let (listener, found) = listener.map_err(failed)?;
    Ok(Socket { listener, path: path.to_owned(), is: identity(&found) })
}

/// Removes a socket on which nobody listens.
fn clear(path: &Path, place: &Address) -> Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(Error::refused(format!(
            "`{}` is there already, and no socket; remove it, or choose another `--listen`",
            path.display()
        )));
    }
    match Client::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(Error::file(path))
        }
        // Whoever may not connect cannot know that nobody listens.
        _ => Err(Error::refused(format!(
            "somebody listens on `{place}` already; end that first, or choose another `--listen`"
        ))),
    }
}

fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

impl Socket {
    /// Takes the next connection.
    pub(crate) fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<UnixStream>> {
        self.listener.poll_accept(cx).map_ok(|(stream, _)| stream)
    }

    /// Removes the file, so that nobody else comes, and returns who had come by then.
    pub(crate) fn last(self) -> Vec<UnixStream> {
        self.remove();
        let Ok(same) = self.listener.as_fd().try_clone_to_owned() else { return Vec::new() };
        let listener = StdListener::from(same);
        queued(|| {
            let (stream, _) = listener.accept()?;
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        })
    }

    /// As long as we listen, nobody else puts a file of this name in place of ours, and no other
    /// has its inode.
    fn remove(&self) {
        let is_ours = fs::symlink_metadata(&self.path).is_ok_and(|it| identity(&it) == self.is);
        if is_ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "a socket could not be removed");
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: SocketMode = SocketMode(0o660);

    fn refusal(path: &Path) -> String {
        bind(path, USUAL).unwrap_err().to_string()
    }

    #[tokio::test]
    async fn a_socket_is_for_those_who_may_and_gone_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.sock");
        for mode in [0o660, 0o600, 0o666] {
            let socket = bind(&path, SocketMode(mode)).unwrap();
            assert_eq!(fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            drop(socket);
            assert!(!path.exists());
        }
    }

    #[tokio::test]
    async fn what_was_left_is_replaced_and_who_listens_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheaf.sock");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(path.exists(), "it was left");
        let socket = bind(&path, USUAL).unwrap();
        assert!(refusal(&path).contains("somebody listens on `unix:"));
        assert!(Client::connect(&path).is_ok(), "it went on");
        // Another one in its place is none of ours.
        fs::remove_file(&path).unwrap();
        let _other = std::os::unix::net::UnixListener::bind(&path).unwrap();
        drop(socket);
        assert!(path.exists());
    }

    #[tokio::test]
    async fn nothing_else_is_ever_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "kept").unwrap();
        assert!(refusal(&path).contains("no socket; remove it"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(refusal(&link).contains("no socket"));
        assert!(refusal(&folder.path().join("no/such.sock")).contains("choose another `--listen`"));
        let long = folder.path().join("x".repeat(120));
        assert!(refusal(&long).contains("choose another `--listen`"));
    }
}
