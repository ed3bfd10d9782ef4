//! Generates ids with the current time.

use contract::{AccountId, FieldId, FormId, PersonId, SubmissionId};
use store::clock::{Clock as _, SystemClock};
use store::ids;

/// Generates the id of an account.
pub(crate) fn account_id() -> AccountId {
    ids::mint_account_id(SystemClock.now())
}

/// Generates the id of a member.
pub(crate) fn person_id() -> PersonId {
    ids::mint_person_id(SystemClock.now())
}

/// Generates the id of a form.
pub(crate) fn form_id() -> FormId {
    ids::mint_form_id(SystemClock.now())
}

/// Generates the id of a field.
pub(crate) fn field_id() -> FieldId {
    ids::mint_field_id(SystemClock.now())
}

/// Generates the id of a submission.
pub(crate) fn submission_id() -> SubmissionId {
    ids::mint_submission_id(SystemClock.now())
}
