//! The only module that asks for randomness: secrets of keys and of cursors.
//!
//! A secret is its environment's prefix, 30 random base62 characters, and 6 that check them, so
//! that typing errors are refused without a look-up and scanners can find leaked ones (§5.2). Only
//! its hash is ever kept.

use crate::Hash;
use contract::Environment;
use sha2::{Digest, Sha256};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Crockford's base 32, in which identifiers are written; it sorts as the numbers do.
pub const BASE32: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

const RANDOM_CHARS: usize = 30;
const CHECK_CHARS: usize = 6;

/// The value of a key. It cannot be printed, compared or serialised; it can be exposed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Returns the text, for the one who may have it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the last four characters, which stay readable.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
    }

    /// Returns the hash by which it is kept and looked up.
    pub fn hash(&self) -> Hash {
        hash(&self.0)
    }
}

/// Returns SHA-256 of a secret: all that is kept of it. A secret has 178 random bits, so a plain
/// hash cannot be guessed back.
pub fn hash(secret: &str) -> Hash {
    Sha256::digest(secret.as_bytes()).into()
}

/// Makes a new secret for an environment.
///
/// # Panics
/// Where the operating system has no randomness, as without it nothing is secret.
pub fn mint(environment: Environment) -> Secret {
    let mut text = environment.secret_prefix().to_owned();
    push_random(&mut text, RANDOM_CHARS);
    text.extend(check_of(&text).map(char::from));
    Secret(text)
}

/// Returns the environment that a secret of the right shape and check names, without looking it
/// up; `None` where it cannot be one of ours.
pub fn environment_of(secret: &str) -> Option<Environment> {
    let environment = Environment::of_secret(secret)?;
    let body = secret.strip_prefix(environment.secret_prefix())?;
    let shaped = body.len() == RANDOM_CHARS + CHECK_CHARS
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !shaped {
        return None;
    }
    let (checked, check) = secret.split_at(secret.len() - CHECK_CHARS);
    (check_of(checked) == check.as_bytes()).then_some(environment)
}

/// Appends base62 characters. A byte of 248 or more is thrown again, so that none is likelier.
fn push_random(text: &mut String, chars: usize) {
    let end = text.len() + chars;
    while text.len() < end {
        let drawn: [u8; 32] = random();
        let fair = drawn.into_iter().filter(|byte| *byte < 248);
        let needed = end - text.len();
        text.extend(fair.take(needed).map(|byte| char::from(BASE62[usize::from(byte % 62)])));
    }
}

/// CRC-32 of a text in six base62 characters.
fn check_of(text: &str) -> [u8; CHECK_CHARS] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut check = [b'0'; CHECK_CHARS];
    for place in check.iter_mut().rev() {
        *place = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    check
}

/// Makes the secret by which cursors are authenticated.
///
/// # Panics
/// Where the operating system has no randomness.
pub fn mint_cursor_secret() -> Hash {
    random()
}

/// Makes up by what other processes know this one.
///
/// # Panics
/// Where the operating system has no randomness.
pub fn mint_instance() -> Hash {
    random()
}

/// Makes up by what the notes of one request are known.
///
/// # Panics
/// Where the operating system has no randomness.
pub fn mint_request() -> String {
    let bytes: [u8; 10] = random();
    bytes.iter().map(|byte| char::from(BASE32[usize::from(byte % 32)])).collect()
}

/// Returns random bytes of the operating system.
pub fn random<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).expect("the operating system has no randomness");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_secret_has_the_shape_of_its_environment() {
        for environment in Environment::ALL {
            let secret = mint(environment);
            assert_eq!(secret.expose().len(), 12 + 36);
            assert_eq!(environment_of(secret.expose()), Some(environment));
            assert_eq!(secret.hash(), hash(secret.expose()));
        }
    }

    #[test]
    fn any_single_wrong_character_is_noticed() {
        let secret = mint(Environment::Live).0;
        for place in 0..secret.len() {
            for wrong in ['0', 'x', '_', ' ', 'é'] {
                let mut typed: Vec<char> = secret.chars().collect();
                if typed[place] != wrong {
                    typed[place] = wrong;
                    let typed: String = typed.into_iter().collect();
                    assert_eq!(environment_of(&typed), None, "{typed}");
                }
            }
        }
        for bad in ["", "svc_sk_live_", &secret[1..], &secret[..47], &format!("{secret}0")] {
            assert_eq!(environment_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_check_is_a_known_one() {
        assert_eq!(check_of(""), *b"000000");
        // CRC-32 of "123456789" is 0xCBF43926 by the algorithm's own check value.
        assert_eq!(check_of("123456789"), *b"3jZRME");
    }

    #[test]
    fn secrets_use_every_character_about_evenly_and_never_repeat() {
        let mut seen = HashSet::new();
        let mut counts = [0u32; 128];
        for _ in 0..2000 {
            let secret = mint(Environment::Test).0;
            secret[12..42].bytes().for_each(|byte| counts[usize::from(byte)] += 1);
            assert!(seen.insert(secret));
        }
        // 60,000 draws of 62: 968 each; seven standard deviations to each side.
        for byte in BASE62 {
            let count = counts[usize::from(*byte)];
            assert!((750..1190).contains(&count), "{} came {count} times", char::from(*byte));
        }
    }
}
