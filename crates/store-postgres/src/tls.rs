//! TLS to a database: trusted authorities and certificate verification.

use super::address::TlsVerification;
use crate::errors::database_error;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;
use store::{Result, StoreError};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns a TLS connector with the given verification. It trusts the public authorities, or only
/// those of the file.
///
/// # Errors
/// [`StoreError::Unusable`] if the file cannot be read or has no certificate.
pub(super) fn create_connector(
    proof: TlsVerification,
    authority: Option<&Path>,
) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(database_error)?;
    let config = match proof {
        TlsVerification::AuthorityAndHost => config.with_root_certificates(load_roots(authority)?),
        TlsVerification::Unverified | TlsVerification::Authority => {
            let chain = match proof {
                TlsVerification::Authority => {
                    let roots = Arc::new(load_roots(authority)?);
                    let provider = Arc::clone(&provider);
                    let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider);
                    Some(verifier.build().map_err(database_error)?)
                }
                _ => None,
            };
            config
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(LenientVerifier { chain, provider }))
        }
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn load_roots(authority: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let Some(path) = authority else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let file_error = |problem: String| {
        let name = path.display();
        StoreError::Unusable(format!(
            "the file `{name}` {problem}; name one with the certificate (PEM) of the authority \
             that issued the database's certificate"
        ))
    };
    let certificates = CertificateDer::pem_file_iter(path)
        .map_err(|error| file_error(format!("cannot be read ({error})")))?;
    for certificate in certificates {
        let certificate =
            certificate.map_err(|error| file_error(format!("cannot be read ({error})")))?;
        roots.add(certificate).map_err(|error| file_error(format!("is not valid ({error})")))?;
    }
    if roots.is_empty() { Err(file_error("has no certificate".to_owned())) } else { Ok(roots) }
}

/// Accepts any server that has the key of its certificate. With `chain`, a trusted authority must
/// have issued the certificate, for any name. These are the `sslmode` values below `verify-full`.
#[derive(Debug)]
struct LenientVerifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        let found =
            chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match found {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            found => found,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
