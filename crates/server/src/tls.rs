//! TLS with a certificate file and a key file, which can be replaced at runtime.
//!
//! An unusable pair prevents startup. At runtime, the previous pair stays in use and the error is
//! logged.

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{InconsistentKeys, ServerConfig};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_rustls::TlsAcceptor;

use crate::error::{Error, Result};
use crate::limited_file::read_limited_file;

/// Maximum size of a file, in bytes. Certificate chains are much smaller.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Interval between checks of the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// The ALPN protocol. The server supports only HTTP/1.1.
const PROTOCOL: &[u8] = b"http/1.1";

/// The pair of files and the current TLS configuration.
pub struct Tls {
    files: Files,
    acceptor: RwLock<TlsAcceptor>,
}

#[derive(Debug, Clone)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// Inode, modification time and length of both files, which reveal a replacement.
type FileStamps = [Option<(u64, i64, i64, u64)>; 2];

impl Tls {
    /// Reads the pair, and reads it again when a file changes or SIGHUP is received.
    ///
    /// # Errors
    /// If the pair is not usable.
    pub fn open(certificate: PathBuf, key: PathBuf) -> Result<Arc<Self>> {
        let files = Files { certificate, key };
        let stamp = files.file_stamps();
        let tls = Arc::new(Self { acceptor: RwLock::new(files.load_acceptor()?), files });
        let hangups =
            signal(SignalKind::hangup()).map_err(Error::io_error("cannot listen for SIGHUP"))?;
        tokio::spawn(Arc::clone(&tls).watch_files(stamp, hangups));
        Ok(tls)
    }

    /// Returns the acceptor for a new connection.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn watch_files(self: Arc<Self>, mut stamp: FileStamps, mut hangups: Signal) {
        loop {
            let is_asked = tokio::select! {
                _ = hangups.recv() => true,
                () = tokio::time::sleep(CHECK_INTERVAL) => false,
            };
            let now = self.files.file_stamps();
            if is_asked || now != stamp {
                self.reload();
            }
            stamp = now;
        }
    }

    fn reload(&self) {
        match self.files.load_acceptor() {
            Ok(acceptor) => {
                *self.acceptor.write().unwrap_or_else(PoisonError::into_inner) = acceptor;
                tracing::info!("certificate reloaded");
            }
            Err(error) => tracing::warn!(%error, "the previous certificate stays in use"),
        }
    }
}

impl Files {
    fn file_stamps(&self) -> FileStamps {
        [&self.certificate, &self.key].map(|path| {
            let file = fs::metadata(path).ok()?;
            Some((file.ino(), file.mtime(), file.mtime_nsec(), file.len()))
        })
    }

    fn load_acceptor(&self) -> Result<TlsAcceptor> {
        let certificate = self.certificate.display();
        let key = self.key.display();
        let chain = read_file(&self.certificate, false)?;
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(&chain).collect::<Result<_, _>>().unwrap_or_default();
        if chain.is_empty() {
            return Err(Error::refused(format!(
                "the file `{certificate}` must hold a certificate (PEM), followed by its \
                 intermediate certificates"
            )));
        }
        let secret = PrivateKeyDer::from_pem_slice(&read_file(&self.key, true)?).map_err(|_| {
            Error::refused(format!("the file `{key}` must hold only a private key (PEM)"))
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret));
        let mut config = config.map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                Error::refused(format!(
                    "the key in `{key}` does not match the certificate in `{certificate}`; name \
                     files that belong together"
                ))
            }
            error => Error::refused(format!(
                "the certificate in `{certificate}` and the key in `{key}` cannot be used \
                 ({error}); name other files"
            )),
        })?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// Reads a whole file. A secret file must not be accessible to all users.
fn read_file(path: &Path, is_secret: bool) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(Error::file_error(path))?;
    let mode = file.metadata().map_err(Error::file_error(path))?.permissions().mode();
    if is_secret && mode & 0o007 != 0 {
        return Err(Error::refused(format!(
            "every user of this machine can read the key in `{}`; run `chmod 600` on it",
            path.display()
        )));
    }
    read_limited_file(&file, path, FILE_BYTES_MAX)
}
