//! Submissions by `/f/{form_id}`: the types between the route and the store.
//!
//! Intake has decided on spam and on new fields before it calls the store.

use super::columns::{SubmissionRow, database_error};
use super::{Hash, Result};
use contract::{
    AccountId, Environment, Field, FormId, Intake, Receipt, SpamReason, Submission, SubmissionId,
    Timestamp,
};
use std::collections::HashSet;
use std::time::Duration;

/// Lifetime of an idempotency record: one promised day, and one day of tolerance for a clock that
/// is set forward.
pub const IDEMPOTENCY_AGE_MAX: Duration = Duration::from_hours(48);

/// Maximum number of keys of deleted fields per form; the oldest are dropped.
pub const REMOVED_KEYS_MAX: usize = 2000;

/// Intake state of a form: owner, fields and settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeRecord {
    /// The owner of the form.
    pub account_id: AccountId,
    /// The environment of the form.
    pub environment: Environment,
    /// The form's fields, in order.
    pub fields: Vec<Field>,
    /// Keys of deleted fields. Intake does not create them again.
    pub removed_keys: HashSet<String>,
    /// Settings of the owner.
    pub intake: Intake,
    /// Version of the values above; changes with each of them.
    pub version: i64,
}

/// A submission to insert.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSubmission {
    /// The receiving form, equal to the submission's `form_id`.
    pub form: FormId,
    /// Version of the [`IntakeRecord`] that the submission was built with.
    pub version: i64,
    /// The submission.
    pub submission: Submission,
    /// Fields to add to the form.
    pub fields: Vec<Field>,
    /// The reason if the submission is spam.
    pub spam: Option<SpamReason>,
    /// Idempotency key and request hash, if the request has a key.
    pub idempotency: Option<IdempotencyKey>,
    /// Maximum number of submissions of the form; `None` is unlimited.
    pub rows_max: Option<u64>,
}

/// A submission to insert, with its columns.
#[derive(Debug)]
pub struct PreparedInsert {
    /// The receiving form.
    pub form: FormId,
    /// Version of the [`IntakeRecord`] that the submission was built with.
    pub version: i64,
    /// Id of the submission.
    pub id: SubmissionId,
    /// Time of the submission.
    pub submitted_at: Timestamp,
    /// The columns of the submission.
    pub row: SubmissionRow,
    /// Fields to add to the form.
    pub fields: Vec<Field>,
    /// The reason if the submission is spam.
    pub spam: Option<SpamReason>,
    /// Idempotency key and request hash, if the request has a key.
    pub repeat: Option<IdempotencyKey>,
    /// Maximum number of submissions of the form; `None` is unlimited.
    pub rows_max: Option<u64>,
}

impl PreparedInsert {
    /// Returns a submission with its columns.
    pub fn new(new: NewSubmission) -> Result<Self> {
        let NewSubmission { form, version, submission, fields, spam, idempotency, rows_max } = new;
        let id = submission.id.clone();
        let submitted_at = submission.metadata.submitted_at;
        let row = SubmissionRow::new(submission)?;
        let repeat = idempotency;
        Ok(Self { form, version, id, submitted_at, row, fields, spam, repeat, rows_max })
    }
}

/// Returns the intake settings from their column; without a value, the default.
pub fn parse_intake(json: Option<&str>) -> Result<Intake> {
    json.map_or_else(|| Ok(Intake::default()), serde_json::from_str).map_err(database_error)
}

/// Identifies repetitions of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The `Idempotency-Key`.
    pub key: String,
    /// Hash of the whole request.
    pub request: Hash,
}

/// Result of an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertOutcome {
    /// The submission was inserted, now or by an earlier identical request.
    Inserted(Receipt),
    /// The form's intake version has changed; nothing was inserted.
    Stale,
    /// Another request used the same idempotency key; nothing was inserted.
    IdempotencyConflict,
    /// The form has the maximum number of submissions; nothing was inserted.
    LimitReached,
}
