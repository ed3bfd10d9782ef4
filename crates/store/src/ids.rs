//! Identifiers that contain their creation time. Later ids are greater, so new rows are adjacent in
//! the B-trees of the database.

use crate::secret::{BASE32, random_bytes};
use contract::{
    AccountId, BatchId, FieldId, FormId, KeyId, NoteId, NotificationId, PersonId, SubmissionId,
    Timestamp, ViewId, WebhookId,
};
use std::fmt::Debug;
use std::str::FromStr;

/// Length after the prefix, in characters.
const CHARS: usize = 26;
/// Resolution of the time: parts per millisecond.
const FRACTIONS_PER_MS: i64 = 4096;
/// The UUID version that begins with a timestamp.
const VERSION: u128 = 7;
/// Value of each character; 32 for characters outside of the alphabet.
const DIGITS: [u8; 256] = {
    let mut digits = [32; 256];
    let mut digit = 0;
    while digit < 32 {
        digits[BASE32[digit as usize] as usize] = digit;
        digit += 1;
    }
    digits
};

macro_rules! define_generators {
    ($($(#[$doc:meta])* $mint:ident -> $id:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Later instants give greater ids.
        ///
        /// # Panics
        /// If the operating system provides no random bytes.
        pub fn $mint(now: Timestamp) -> $id {
            build_id($id::PREFIX, now, random_bytes())
        }
    )*};
}

define_generators! {
    /// Creates the id of a submission.
    generate_submission_id -> SubmissionId;
    /// Creates the id of a form.
    generate_form_id -> FormId;
    /// Creates the id of a field.
    generate_field_id -> FieldId;
    /// Creates the id of a key.
    generate_key_id -> KeyId;
    /// Creates the id of an account.
    generate_account_id -> AccountId;
    /// Creates the id of a user.
    generate_person_id -> PersonId;
    /// Creates the id of a webhook.
    generate_webhook_id -> WebhookId;
    /// Creates the id of a notification.
    generate_notification_id -> NotificationId;
    /// Creates the id of a note about a submission.
    generate_note_id -> NoteId;
    /// Creates the id of a saved view.
    generate_view_id -> ViewId;
    /// Creates the id of a move of submissions.
    generate_batch_id -> BatchId;
}

/// Returns the id of a submission for a time and given random bytes. Deterministic.
pub fn derive_submission_id(made_at: Timestamp, random: [u8; 8]) -> SubmissionId {
    build_id(SubmissionId::PREFIX, made_at, random)
}

/// Returns the creation time of a field's id, to the microsecond; `None` for an id of another
/// origin.
pub fn creation_time(id: &FieldId) -> Option<Timestamp> {
    let text = id.as_str().strip_prefix(FieldId::PREFIX)?.as_bytes();
    if text.len() != CHARS {
        return None;
    }
    let number = text.iter().try_fold(0_u128, |number, byte| {
        let digit = DIGITS[usize::from(*byte)];
        (digit < 32).then(|| (number << 5) | u128::from(digit))
    })?;
    if number >> 76 & 0xF != VERSION {
        return None;
    }
    let millis = i64::try_from(number >> 80).ok()?;
    let fraction = i64::try_from(number >> 64 & 0xFFF).ok()?;
    // `build_id` rounds the fraction down, so this is the first microsecond with that fraction.
    let micros = (fraction * 1000 + FRACTIONS_PER_MS - 1) / FRACTIONS_PER_MS;
    Timestamp::from_micros(millis.checked_mul(1000)? + micros)
}

/// Returns an id: a prefix, and a UUID of version 7 in 26 base32 characters. The UUID has the
/// milliseconds, their fraction in 12 bits, and 62 random bits.
fn build_id<T: FromStr<Err: Debug>>(prefix: &str, now: Timestamp, random: [u8; 8]) -> T {
    let millis = u64::try_from(now.millis()).unwrap_or(0);
    let micros_in_ms = now.micros().rem_euclid(1000);
    let fraction = u16::try_from(micros_in_ms * FRACTIONS_PER_MS / 1000).unwrap_or(0);
    // The builder overwrites the upper 4 bits of the fraction with the version, and the upper 2
    // bits of the random bytes with the variant.
    let mut bytes = [0; 10];
    bytes[..2].copy_from_slice(&fraction.to_be_bytes());
    bytes[2..].copy_from_slice(&random);
    let mut rest = uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid().as_u128();
    let mut text = [b'0'; CHARS];
    for character in text.iter_mut().rev() {
        *character = BASE32[(rest % 32) as usize];
        rest /= 32;
    }
    let id: String = prefix.chars().chain(text.map(char::from)).collect();
    id.parse().expect("a generated id is valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn at(micros: i64) -> Timestamp {
        let begin = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        Timestamp::from_micros(begin.micros() + micros).unwrap()
    }

    #[test]
    fn ids_are_ordered_and_unique() {
        let ids: Vec<_> = (0..3000).map(|micros| generate_submission_id(at(micros))).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "ids are not ordered");
        let same: HashSet<_> = (0..1000).map(|_| generate_form_id(at(0))).collect();
        assert_eq!(same.len(), 1000);
        assert_eq!(generate_account_id(at(0)).as_str().len(), "acc_".len() + 26);
        assert!(generate_field_id(Timestamp::MIN) < generate_field_id(Timestamp::MAX));
    }

    #[test]
    fn field_id_encodes_its_creation_microsecond() {
        for micros in 0..3000 {
            assert_eq!(creation_time(&generate_field_id(at(micros))), Some(at(micros)));
        }
        let id = derive_submission_id(at(7), [9; 8]);
        assert_eq!(id, derive_submission_id(at(7), [9; 8]));
        assert_ne!(id, derive_submission_id(at(7), [8; 8]));
    }

    #[test]
    fn foreign_field_id_has_no_time() {
        let own = generate_field_id(at(0));
        let (head, tail) = own.as_str().split_at(own.as_str().len() - 1);
        for other in [
            "fld_1".to_owned(),
            head.to_owned(),
            format!("{own}0"),
            format!("{head}U"),
            format!("{head}-"),
            format!("fld_{}", "x".repeat(64)),
            "fld_019f6ad0a1b27c3d8e4f5a6b7c8d9e0f".to_owned(),
            "fld_00000000000000000000000000".to_owned(),
        ] {
            assert_eq!(creation_time(&other.parse().unwrap()), None, "{other}");
        }
        // The largest numbers: no panic, and no time out of range.
        let largest = format!("fld_{}{tail}", "z".repeat(25)).parse().unwrap();
        assert_eq!(creation_time(&largest), None);
        let late = "fld_7zzzzzzzzzezzzzzzzzzzzzzzz".parse().unwrap();
        assert_eq!(creation_time(&late), None);
    }
}
