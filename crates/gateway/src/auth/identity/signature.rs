//! Verification of assertion signatures: connects `ring`, which TLS uses too, to the JWT library.
//! The module signs nothing, and rejects shared secrets as keys.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, new_error};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    verifier_factory: |algorithm, key| create_verifier(*algorithm, key),
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs the verifier for the JWT library. May be called repeatedly.
pub(super) fn install_provider() {
    // An error means that an earlier call installed it; no other code installs a provider.
    let _ = PROVIDER.install_default();
}

/// Verifies signatures of one algorithm with one key.
struct SignatureVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

fn create_verifier(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let is_known = matches!(
        (algorithm, key.family()),
        (Algorithm::RS256 | Algorithm::PS256, AlgorithmFamily::Rsa)
            | (Algorithm::ES256, AlgorithmFamily::Ec)
            | (Algorithm::EdDSA, AlgorithmFamily::Ed)
    );
    if !is_known {
        return Err(new_error(ErrorKind::InvalidAlgorithm));
    }
    Ok(Box::new(SignatureVerifier { algorithm, key: key.clone() }))
}

impl JwtVerifier for SignatureVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for SignatureVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let is_right = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::PS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PSS_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(point)) => {
                verify_with_point(&ECDSA_P256_SHA256_FIXED, point, message, signature)
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(point)) => {
                verify_with_point(&ED25519, point, message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        is_right.map_err(|_| signature::Error::new())
    }
}

fn verify_with_point(
    algorithm: &'static dyn VerificationAlgorithm,
    point: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Result<(), ring::error::Unspecified> {
    UnparsedPublicKey::new(algorithm, point).verify(message, signature)
}
