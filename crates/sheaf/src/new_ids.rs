//! Generates ids with the current time.

use contract::{AccountId, FieldId, FormId, PersonId, SubmissionId};
use store::clock::{Clock as _, SystemClock};
use store::ids;

/// Generates the id of an account.
pub(crate) fn new_account_id() -> AccountId {
    ids::generate_account_id(SystemClock.now())
}

/// Generates the id of a member.
pub(crate) fn new_person_id() -> PersonId {
    ids::generate_person_id(SystemClock.now())
}

/// Generates the id of a form.
pub(crate) fn new_form_id() -> FormId {
    ids::generate_form_id(SystemClock.now())
}

/// Generates the id of a field.
pub(crate) fn new_field_id() -> FieldId {
    ids::generate_field_id(SystemClock.now())
}

/// Generates the id of a submission.
pub(crate) fn new_submission_id() -> SubmissionId {
    ids::generate_submission_id(SystemClock.now())
}
