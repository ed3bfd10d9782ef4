//! Secrets of API keys and cursors, and the only source of randomness.
//!
//! A secret is the prefix of its environment, 30 random base62 characters and 6 characters of
//! checksum. The checksum detects typing errors without a lookup, and scanners can find leaked
//! secrets (§5.2). Only the hash is stored.

use crate::Hash;
use contract::Environment;
use sha2::{Digest, Sha256};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Crockford's base32 alphabet, used in identifiers. Texts sort like the numbers they encode.
pub const BASE32: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

const RANDOM_CHARS: usize = 30;
const CHECK_CHARS: usize = 6;

/// The value of a key. It has no `Debug`, `Display`, `PartialEq` or `Serialize`; use
/// [`Secret::expose`].
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Returns the text. Only the response that creates the key may show it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the last four characters, which the key list shows.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }

    /// Returns the hash for storage and lookup.
    pub fn hash(&self) -> Hash {
        hash_secret(&self.0)
    }
}

/// Returns the SHA-256 of a secret. A secret has 178 random bits, so a plain hash cannot be
/// reversed by guessing.
pub fn hash_secret(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Creates a secret for an environment.
///
/// # Panics
/// If the operating system provides no random bytes: secrets would be predictable.
pub fn generate_secret(environment: Environment) -> Secret {
    let mut text = environment.secret_prefix().to_owned();
    push_random(&mut text, RANDOM_CHARS);
    text.extend(compute_checksum(&text).map(char::from));
    Secret(text)
}

/// Returns the environment of a secret with a valid shape and checksum, without a lookup; `None`
/// for any other text.
pub fn parse_environment(secret: &str) -> Option<Environment> {
    let environment = Environment::from_secret(secret)?;
    let body = secret.strip_prefix(environment.secret_prefix())?;
    let shaped = body.len() == RANDOM_CHARS + CHECK_CHARS
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !shaped {
        return None;
    }
    let (checked, check) = secret.split_at(secret.len() - CHECK_CHARS);
    (compute_checksum(checked) == check.as_bytes()).then_some(environment)
}

/// Appends random base62 characters. Skips bytes from 248 (4 × 62) up, so that all characters are
/// equally likely.
fn push_random(text: &mut String, chars: usize) {
    let end = text.len() + chars;
    while text.len() < end {
        let drawn: [u8; 32] = random_bytes();
        let fair = drawn.into_iter().filter(|byte| *byte < 248);
        let needed = end - text.len();
        text.extend(fair.take(needed).map(|byte| char::from(BASE62[usize::from(byte % 62)])));
    }
}

/// Returns the CRC-32 of a text as six base62 characters.
fn compute_checksum(text: &str) -> [u8; CHECK_CHARS] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut check = [b'0'; CHECK_CHARS];
    for character in check.iter_mut().rev() {
        *character = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    check
}

/// Creates the secret that authenticates cursors.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn generate_cursor_secret() -> Hash {
    random_bytes()
}

/// Creates the random id of this process, for other processes.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn generate_instance_id() -> Hash {
    random_bytes()
}

/// Creates a request id, which the audit entries of one request share.
///
/// # Panics
/// If the operating system provides no random bytes.
pub fn generate_request_id() -> String {
    let bytes: [u8; 10] = random_bytes();
    bytes.iter().map(|byte| char::from(BASE32[usize::from(byte % 32)])).collect()
}

/// Returns random bytes from the operating system.
pub fn random_bytes<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).expect("the operating system provides no random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn secret_encodes_its_environment() {
        for environment in Environment::ALL {
            let secret = generate_secret(environment);
            assert_eq!(secret.expose().len(), 12 + 36);
            assert_eq!(parse_environment(secret.expose()), Some(environment));
            assert_eq!(secret.hash(), hash_secret(secret.expose()));
        }
    }

    #[test]
    fn single_wrong_character_is_rejected() {
        let secret = generate_secret(Environment::Live).0;
        for index in 0..secret.len() {
            for wrong in ['0', 'x', '_', ' ', 'é'] {
                let mut typed: Vec<char> = secret.chars().collect();
                if typed[index] != wrong {
                    typed[index] = wrong;
                    let typed: String = typed.into_iter().collect();
                    assert_eq!(parse_environment(&typed), None, "{typed}");
                }
            }
        }
        for bad in ["", "svc_sk_live_", &secret[1..], &secret[..47], &format!("{secret}0")] {
            assert_eq!(parse_environment(bad), None, "{bad}");
        }
    }

    #[test]
    fn checksum_is_crc32_in_base62() {
        assert_eq!(compute_checksum(""), *b"000000");
        // The published check value: CRC-32 of "123456789" is 0xCBF43926.
        assert_eq!(compute_checksum("123456789"), *b"3jZRME");
    }

    #[test]
    fn secrets_are_uniform_and_unique() {
        let mut seen = HashSet::new();
        let mut counts = [0u32; 128];
        for _ in 0..2000 {
            let secret = generate_secret(Environment::Test).0;
            secret[12..42].bytes().for_each(|byte| counts[usize::from(byte)] += 1);
            assert!(seen.insert(secret));
        }
        // 60,000 draws of 62 characters: 968 each on average. The range is seven standard
        // deviations.
        for byte in BASE62 {
            let count = counts[usize::from(*byte)];
            assert!((750..1190).contains(&count), "{} occurs {count} times", char::from(*byte));
        }
    }
}
