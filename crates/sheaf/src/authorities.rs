//! Certificate authorities that are trusted for other servers, read from a file at the start.

use gateway::upstream::Trust;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Maximum size of a certificate file, in bytes. All public authorities need less.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// Reads the trusted certificates. Without a file, the public authorities are trusted.
///
/// # Errors
/// A file that cannot be read, or that contains no CA certificate.
pub(crate) fn read_trust(path: Option<&Path>) -> Result<Trust> {
    let Some(path) = path else { return Ok(Trust::public_roots()) };
    Trust::from_pem(&read_file(path)?)
        .map_err(|problem| Error::invalid(format!("the file `{}` {problem}", path.display())))
}

/// Returns the TLS configuration of the connections to receivers of webhooks. It trusts the public
/// authorities, and also those in the file.
///
/// # Errors
/// As [`read_trust`].
pub(crate) fn webhook_tls(path: Option<&Path>) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = path {
        let invalid = || {
            let name = path.display();
            Error::invalid(format!(
                "the file `{name}` must hold certificates of authorities, as PEM"
            ))
        };
        let count = roots.len();
        for certificate in CertificateDer::pem_slice_iter(&read_file(path)?) {
            roots.add(certificate.map_err(|_| invalid())?).map_err(|_| invalid())?;
        }
        if roots.len() == count {
            return Err(invalid());
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::invalid(format!("TLS cannot be set up for webhooks: {error}")))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

/// Reads a file of certificates.
///
/// # Errors
/// A file that cannot be read, or that has more than [`FILE_BYTES_MAX`] bytes.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(Error::file(path))?;
    Ok(server::read_limited_file(&file, path, FILE_BYTES_MAX)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let file = File::create(&path).unwrap();
        file.set_len(FILE_BYTES_MAX + 1).unwrap();
        let error = read_file(&path).unwrap_err().to_string();
        assert!(error.contains("ca.pem` has more than 4194304 bytes"), "{error}");
    }
}
