//! Passwords: strength check, hashing and verification.
//!
//! Passwords are never stored. Neither the response nor its timing reveals whether an account
//! exists.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use contract::account::{PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use tokio::sync::Semaphore;

/// Memory of one argon2id computation, in KiB.
const MEMORY_KIB: u32 = 47_104;
/// Maximum number of concurrent computations, which limits their memory to four times
/// [`MEMORY_KIB`].
const RUNNING_MAX: usize = 4;
/// Maximum number of waiting sign-ins.
const WAITING_MAX: usize = 32;

/// Hash of no password, for accounts without one. Its verification costs as much as that for a real
/// hash, so timing reveals nothing.
const DUMMY_HASH: &str = "$argon2id$v=19$m=47104,t=1,p=1$U2hlYWZOb2JvZHlTaGVhZg\
                            $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Passwords that attackers try first, and words related to this product. Compared in lower case,
/// without digits and punctuation at both ends.
const COMMON_PASSWORDS: [&str; 24] = [
    "password",
    "passwort",
    "passw0rd",
    "p@ssword",
    "p@ssw0rd",
    "mypassword",
    "passphrase",
    "changeme",
    "letmein",
    "letmeinnow",
    "iloveyou",
    "welcome",
    "administrator",
    "superuser",
    "princess",
    "sunshine",
    "football",
    "baseball",
    "trustno",
    "qwertyuiop",
    "sheaf",
    "sheafsheaf",
    "submissions",
    "correcthorsebatterystaple",
];
/// Character sequences of keyboards, alphabet and digits.
const CHARACTER_SEQUENCES: [&str; 6] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
];

/// Reasons for the rejection of a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// The password has too few characters.
    #[error("a password must have at least {PASSWORD_CHARS_MIN} characters")]
    TooShort,
    /// The password has too many characters.
    #[error("a password may have at most {PASSWORD_CHARS_MAX} characters")]
    TooLong,
    /// The password is common, repetitive or a sequence.
    #[error("this password is easy to guess; choose several unrelated words")]
    Guessable,
}

/// The password could not be hashed.
#[derive(Debug, thiserror::Error)]
#[error("the password could not be hashed: {0}")]
pub struct HashError(#[from] argon2::password_hash::Error);

/// Too many passwords are waiting for hashing or verification.
#[derive(Debug)]
pub(crate) struct Busy;

/// Checks the strength of a new password. Kinds of characters do not matter.
///
/// # Errors
/// If the password is too short, too long or easy to guess.
pub fn check_strength(password: &str) -> Result<(), WeakPassword> {
    let chars = password.chars().count();
    if chars < PASSWORD_CHARS_MIN {
        return Err(WeakPassword::TooShort);
    }
    if chars > PASSWORD_CHARS_MAX {
        return Err(WeakPassword::TooLong);
    }
    let lower = password.to_lowercase();
    if is_repetitive(&lower) || is_sequence(&lower) || is_common(&lower) {
        return Err(WeakPassword::Guessable);
    }
    Ok(())
}

fn is_repetitive(lower: &str) -> bool {
    let chars: Vec<char> = lower.chars().collect();
    // A text equal to itself shifted by `period` repeats its first `period` characters.
    (1..=4).any(|period| chars.iter().zip(&chars[period..]).all(|(a, b)| a == b))
}

fn is_sequence(lower: &str) -> bool {
    let backwards: String = lower.chars().rev().collect();
    CHARACTER_SEQUENCES.iter().any(|row| row.contains(lower) || row.contains(&backwards))
}

fn is_common(lower: &str) -> bool {
    let core = lower.trim_matches(|c: char| !c.is_alphabetic());
    core.is_empty()
        || COMMON_PASSWORDS.contains(&core)
        || COMMON_PASSWORDS.contains(&core.replace(' ', "").as_str())
}

/// Returns the argon2id hash of a password as a PHC string. Takes about 50 ms and 46 MiB.
///
/// # Errors
/// If the operating system provides no random bytes for the salt.
pub fn hash_password(password: &str) -> Result<String, HashError> {
    let params = Params::new(MEMORY_KIB, 1, 1, None).map_err(argon2::password_hash::Error::from)?;
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    Ok(hasher.hash_password(password.as_bytes())?.to_string())
}

/// Returns whether a password matches a hash. Takes as long as [`hash_password`] even if there is
/// no hash. Returns `false` for a missing or malformed hash.
pub fn verify_password(password: &str, phc: Option<&str>) -> bool {
    let stored = phc.and_then(|phc| PasswordHash::new(phc).ok());
    let is_known = stored.is_some();
    let Some(hash) = stored.or_else(|| PasswordHash::new(DUMMY_HASH).ok()) else { return false };
    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok() && is_known
}

/// Runs password computations on blocking threads, a few at a time.
pub(crate) struct PasswordPool {
    queue_slots: Semaphore,
    running: Arc<Semaphore>,
}

impl Default for PasswordPool {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let running = cores.min(RUNNING_MAX);
        Self {
            queue_slots: Semaphore::new(running + WAITING_MAX),
            running: Arc::new(Semaphore::new(running)),
        }
    }
}

impl PasswordPool {
    /// See [`verify`]. Fails immediately if too many computations are waiting.
    pub(crate) async fn verify(&self, password: String, phc: Option<String>) -> Result<bool, Busy> {
        self.run_queued(move || verify_password(&password, phc.as_deref())).await
    }

    /// See [`hash`]. Fails immediately if too many computations are waiting.
    pub(crate) async fn hash(&self, password: String) -> Result<Result<String, HashError>, Busy> {
        self.run_queued(move || hash_password(&password)).await
    }

    async fn run_queued<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        // `queue_slots` bounds waiting and running tasks together, `running` only the running ones.
        let _place = self.queue_slots.try_acquire().map_err(|_| Busy)?;
        let permit = Arc::clone(&self.running).acquire_owned().await.map_err(|_| Busy)?;
        let work = move || {
            // The permit is released when the computation ends, even if the client has disconnected
            // before.
            let _turn = permit;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_verifies_only_its_password() {
        let phc = hash_password("plain old stapler").unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"), "{phc}");
        assert!(verify_password("plain old stapler", Some(&phc)));
        assert!(!verify_password("plain old staplet", Some(&phc)));
        assert!(!verify_password("plain old stapler", None));
        assert!(!verify_password("plain old stapler", Some("no hash")));
        assert_ne!(phc, hash_password("plain old stapler").unwrap(), "the salt is not random");
    }

    #[test]
    fn dummy_hash_has_cost_of_real_hash() {
        let dummy = PasswordHash::new(DUMMY_HASH).unwrap();
        let phc = hash_password("plain old stapler").unwrap();
        let real = PasswordHash::new(&phc).unwrap();
        assert_eq!(dummy.params, real.params);
        assert_eq!(dummy.algorithm, real.algorithm);
        assert_eq!(dummy.hash.unwrap().as_bytes().len(), real.hash.unwrap().as_bytes().len());
        assert_eq!(dummy.salt.unwrap().len(), real.salt.unwrap().len());
    }

    #[test]
    fn weak_passwords_are_refused() {
        fn check(password: &str, expect: Result<(), WeakPassword>) {
            assert_eq!(check_strength(password), expect, "{password}");
        }
        check("plain old stapler", Ok(()));
        check("ein langer Satz mit Äpfeln", Ok(()));
        check("パスワードはとても長いです", Ok(()));
        check("short", Err(WeakPassword::TooShort));
        check("äöüäöüäöüäö", Err(WeakPassword::TooShort));
        check(&"x7".repeat(65), Err(WeakPassword::TooLong));
        for guessed in [
            "aaaaaaaaaaaa",
            "abcabcabcabc",
            "123456789012",
            "abcdefghijkl",
            "qwertyuiopas",
            "lkjhgfdsapoiuy",
            "Password1234",
            "!!Password!!",
            "Welcome12345",
            "000000000000",
            "1q2w3e4r5t6y",
            "correct horse battery staple",
            "Administrator1",
            "201820192020",
        ] {
            check(guessed, Err(WeakPassword::Guessable));
        }
    }

    #[tokio::test]
    async fn full_queue_refuses_verification() {
        let passwords = PasswordPool { queue_slots: Semaphore::new(0), ..PasswordPool::default() };
        assert!(matches!(passwords.verify(String::new(), None).await, Err(Busy)));
    }
}
