//! Passwords: whether one is good enough, its hash, and checking against that.
//!
//! Never keeps a password, and never tells by its answer or its time whether an account exists.

use std::sync::Arc;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use contract::account::{PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use tokio::sync::Semaphore;

/// Memory that one hash takes, in KiB.
const MEMORY_KIB: u32 = 47_104;
/// Most hashes at once: bounds the memory to four times [`MEMORY_KIB`].
const RUNNING_MAX: usize = 4;
/// Most sign-ins that wait for their turn.
const WAITING_MAX: usize = 32;

/// A hash of no password, as dear to check against as any other: for accounts that have none.
const NOBODYS_HASH: &str = "$argon2id$v=19$m=47104,t=1,p=1$U2hlYWZOb2JvZHlTaGVhZg\
                            $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What guessers try first, and the words that lie near here. Each is compared without digits and
/// signs at its ends, in lower case.
const COMMON: [&str; 24] = [
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
/// Rows in which fingers and counting run.
const ROWS: [&str; 6] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
    "1q2w3e4r5t6y7u8i9o0p",
    "q1w2e3r4t5y6u7i8o9p0",
];

/// Why a password is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// Too few characters.
    #[error("a password must have at least {PASSWORD_CHARS_MIN} characters")]
    TooShort,
    /// Too many characters.
    #[error("a password may have at most {PASSWORD_CHARS_MAX} characters")]
    TooLong,
    /// Among the first that are guessed.
    #[error("this password is easy to guess; take one of several unrelated words")]
    Guessable,
}

/// A password could not be hashed.
#[derive(Debug, thiserror::Error)]
#[error("the password could not be hashed: {0}")]
pub struct HashError(#[from] argon2::password_hash::Error);

/// Too many passwords wait to be hashed or compared.
#[derive(Debug)]
pub(crate) struct Busy;

/// Tells whether a password may be chosen. There are no rules on kinds of characters.
///
/// # Errors
/// Says what is wrong with it.
pub fn check_strength(password: &str) -> Result<(), WeakPassword> {
    let chars = password.chars().count();
    if chars < PASSWORD_CHARS_MIN {
        return Err(WeakPassword::TooShort);
    }
    if chars > PASSWORD_CHARS_MAX {
        return Err(WeakPassword::TooLong);
    }
    let lower = password.to_lowercase();
    if repeats(&lower) || runs(&lower) || is_common(&lower) {
        return Err(WeakPassword::Guessable);
    }
    Ok(())
}

fn repeats(lower: &str) -> bool {
    let chars: Vec<char> = lower.chars().collect();
    (1..=4).any(|period| chars.iter().zip(&chars[period..]).all(|(a, b)| a == b))
}

fn runs(lower: &str) -> bool {
    let backwards: String = lower.chars().rev().collect();
    ROWS.iter().any(|row| row.contains(lower) || row.contains(&backwards))
}

fn is_common(lower: &str) -> bool {
    let core = lower.trim_matches(|c: char| !c.is_alphabetic());
    core.is_empty() || COMMON.contains(&core) || COMMON.contains(&core.replace(' ', "").as_str())
}

/// Returns the argon2id hash of a password as a PHC string. Takes some 50 ms and 46 MiB.
///
/// # Errors
/// When the operating system gives no random bytes for the salt.
pub fn hash(password: &str) -> Result<String, HashError> {
    let params = Params::new(MEMORY_KIB, 1, 1, None).map_err(argon2::password_hash::Error::from)?;
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    Ok(hasher.hash_password(password.as_bytes())?.to_string())
}

/// Tells whether a password is the one behind a hash. Takes as long as [`hash`], also where there
/// is no hash; then, and for a text that is no hash, the answer is no.
pub fn verify(password: &str, phc: Option<&str>) -> bool {
    let known = phc.and_then(|phc| PasswordHash::new(phc).ok());
    let is_known = known.is_some();
    let Some(hash) = known.or_else(|| PasswordHash::new(NOBODYS_HASH).ok()) else { return false };
    Argon2::default().verify_password(password.as_bytes(), &hash).is_ok() && is_known
}

/// Checks passwords off the threads that serve, a few at a time.
pub(crate) struct Passwords {
    places: Semaphore,
    running: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let running = cores.min(RUNNING_MAX);
        Self {
            places: Semaphore::new(running + WAITING_MAX),
            running: Arc::new(Semaphore::new(running)),
        }
    }
}

impl Passwords {
    /// As [`verify`]; refuses at once when too many wait already.
    pub(crate) async fn verify(&self, password: String, phc: Option<String>) -> Result<bool, Busy> {
        self.in_turn(move || verify(&password, phc.as_deref())).await
    }

    /// As [`hash`]; refuses at once when too many wait already.
    pub(crate) async fn hash(&self, password: String) -> Result<Result<String, HashError>, Busy> {
        self.in_turn(move || hash(&password)).await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Busy> {
        let _place = self.places.try_acquire().map_err(|_| Busy)?;
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| Busy)?;
        let work = move || {
            // The turn ends with the work, not with the wait of a client that went away.
            let _turn = turn;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_knows_its_password() {
        let phc = hash("plain old stapler").unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"), "{phc}");
        assert!(verify("plain old stapler", Some(&phc)));
        assert!(!verify("plain old staplet", Some(&phc)));
        assert!(!verify("plain old stapler", None));
        assert!(!verify("plain old stapler", Some("no hash")));
        assert_ne!(phc, hash("plain old stapler").unwrap(), "the salt is not random");
    }

    #[test]
    fn nobodys_hash_costs_as_much_as_a_real_one() {
        let nobody = PasswordHash::new(NOBODYS_HASH).unwrap();
        let phc = hash("plain old stapler").unwrap();
        let real = PasswordHash::new(&phc).unwrap();
        assert_eq!(nobody.params, real.params);
        assert_eq!(nobody.algorithm, real.algorithm);
        assert_eq!(nobody.hash.unwrap().as_bytes().len(), real.hash.unwrap().as_bytes().len());
        assert_eq!(nobody.salt.unwrap().len(), real.salt.unwrap().len());
    }

    #[test]
    fn weak_ones_are_refused() {
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
    async fn a_crowd_is_turned_away_not_queued_for_ever() {
        let passwords = Passwords { places: Semaphore::new(0), ..Passwords::default() };
        assert!(matches!(passwords.verify(String::new(), None).await, Err(Busy)));
    }
}
